// First contact and all contacts of the library's assets of two meshes, beside three-mesh-bvh in
// the same run, and FCL's OBB trees (bench/native) directly before and after, on the same triangles
// and poses.
//
//   npm run bench -- speed                   the default pairs
//   npm run bench -- speed --sets=<folder>   your own sets, see README.md
//   ... --only=<text>                        only pairs with the text in their names
//   ... --no-native                          without FCL
//
// performance.now() is too coarse for a query of a microsecond. A sample is the mean of enough
// calls of the same query to take 50 us; their number is found by doubling. Before the timing,
// every contestant answers every pose once. Then, pose by pose, the contestants give a sample each
// in turn, five times (once if a call takes more than 20 ms). Before each sample comes a call that
// is not timed, because the others have emptied the caches: without it, a 40-byte OBB query on
// 131,072 triangles took up to four times as long. A pose counts by the median of its samples.
// FCL's program, alone in its process, takes its samples in the same way.
//
// A repeated query has its nodes in the caches and its branches predicted. "in turn" is the mean
// time of first contacts with a new pose in each call, as in a simulation: ten poses a sample, a
// median of five passes each. Spans of a millisecond and more are taken in processor time if that
// is shorter; still, measure on a quiet machine.
//
// A pose is a hit or a miss by the set's truth, or else by three-mesh-bvh. FCL / 3 stands for
// OPCODE, which Debian does not have; that is about their ratio elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { build, check, prepare, readObj, representationOf, toMesh } from 'gicollide';
import { bumpyBall, fan, lathe, nearContactPoses, npmTeapot, sample, subdivided } from './inputs.mjs';
import { reasonNotToRun, runFcl } from './native/fcl.mjs';
import {
  digits,
  elapsed,
  mean,
  median,
  peerAll,
  peerBytes,
  peerFirst,
  peerTree,
  printTable,
  startClock,
  sum,
} from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('gicollide').Surface} Surface */
/** @typedef {import('./native/fcl.mjs').FclRun} FclRun */

/**
 * Two bodies and their poses.
 *
 * @typedef {object} Pair
 * @property {readonly Surface[]} meshes
 * @property {readonly Pose[]} poses
 * @property {readonly GeometryImage[]} [images] whose triangles the meshes are
 * @property {{ hit: number[], count: number[] } | null} [truth]
 */

/**
 * What answers a pose.
 *
 * @typedef {object} Contestant
 * @property {(pose: Pose) => boolean} first whether there is contact
 * @property {(pose: Pose) => number} [all] how many pairs of triangles touch
 * @property {() => number | Promise<number>} [bytes] of tree a triangle of a
 * @property {null} [buildMs] where making it is not its build
 */

/**
 * A contestant that has answered and been timed: microseconds at each pose.
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {readonly boolean[]} hits
 * @property {readonly number[] | null} counts
 * @property {readonly number[]} first
 * @property {readonly number[] | null} all
 * @property {number} inTurn
 * @property {number | null} buildMs
 * @property {(() => number | Promise<number>) | undefined} bytes
 */

/** @typedef {Record<string, number | null>} Line of a table */
/** @typedef {{ triangles: number[], hits: number, rows: Record<string, Line> }} Measured */

const PASSES = 5;
const GROUP = 10; // poses a sample of a pass
const SHORTEST = 0.05; // milliseconds a sample
const SLOW = 20; // milliseconds a call
const OPCODE = 1 / 3; // of FCL's time
const PEER = 'three-mesh-bvh';
const NATIVE = 'FCL, OBB';

// The contestants. Making one is timed as its build. A contestant that throws is left out of the
// pair, with its message.

/** @param {Pair} pair @param {import('gicollide').BuildOptions} options @returns {Asset[]} */
const trees = ({ meshes }, options) => meshes.map((mesh) => build({ ...mesh, groups: [] }, options));

/** @type {Record<string, (pair: Pair) => Contestant | undefined>} */
const CONTESTANTS = {
  'obb, 64 bytes, prepared': (pair) => prepared(trees(pair, { format: 'obb', nodeBytes: 64 })),
  'obb, 64 bytes': (pair) => library(trees(pair, { format: 'obb', nodeBytes: 64 })),
  'obb, 40 bytes': (pair) => library(trees(pair, { format: 'obb' })),
  'k-DOPs': (pair) => library(trees(pair, { format: 'kdop' })),
  'geometry images': ({ images }) => images && { ...library(images), buildMs: null },
  'geometry images, prepared': ({ images }) => images && { first: prepared(images).first, buildMs: null },
  [PEER]: ({ meshes }) => {
    const [a, b] = meshes.map(peerTree);
    return {
      first: (pose) => peerFirst(a, b, pose),
      all: (pose) => peerAll(a, b, pose),
      bytes: () => peerBytes(a) / (meshes[0].triangles.length / 3),
    };
  },
};

/** @param {readonly Asset[]} pair @returns {Contestant} */
function library([a, b]) {
  return {
    first: (pose) => check(a, b, { poseB: pose }).verdict === 'contact',
    all: (pose) => check(a, b, { poseB: pose, all: true, maxContacts: 1e7 }).contacts.count,
    bytes: () => treeBytes(a),
  };
}

/**
 * Bytes of tree a triangle.
 *
 * @param {Asset} asset
 */
async function treeBytes(asset) {
  const { treeBytesPerTriangle, pages, triangles } = await representationOf(asset).describe(asset, null);
  if (typeof treeBytesPerTriangle === 'number') return treeBytesPerTriangle;
  const listed = /** @type {{ role: string, bytes: number }[]} */ (pages ?? []);
  const ofTree = listed.filter(({ role }) => !['geometry', 'normals', 'deviation'].includes(role));
  return sum(ofTree.map(({ bytes }) => bytes)) / Number(triangles);
}

/**
 * The same assets by the library's call for many queries of one pair, which knows first contact
 * only.
 *
 * @param {readonly Asset[]} pair
 */
function prepared([a, b]) {
  const checker = prepare(a, b);
  return { first: (/** @type {Pose} */ pose) => checker.contact(pose), bytes: () => treeBytes(a) };
}

// The pairs, made when their turn comes.

/** @typedef {Record<string, () => Pair>} Pairs */

/** @param {readonly Mesh[]} meshes @param {number} count @returns {Pair} */
function near(meshes, count) {
  const [a, b] = meshes.map((mesh) => build(mesh, { format: 'obb' }));
  return { meshes, poses: nearContactPoses(a, b, count, 1996) };
}

/** @param {number} size @param {number} count @returns {Pair} */
function pictured(size, count) {
  const images = ['bunny', 'blob'].map((name) => build(sample(name), { size }));
  return { images, meshes: images.map(toMesh), poses: nearContactPoses(images[0], images[1], count, 2005) };
}

/** @param {number} count @returns {Pairs} */
function defaultPairs(count) {
  const fine = () => subdivided(subdivided(sample('bunny')));
  return {
    'bunny-bunny': () => near([sample('bunny'), sample('bunny')], count),
    'star-boulder': () => near([sample('star'), sample('boulder')], count),
    'fine bunny-fine bunny': () => near([fine(), fine()], count),
    'bumpy ball-bumpy ball': () => near([bumpyBall(1), bumpyBall(2)], count),
    'lathe-fan': () => near([lathe(), fan()], count),
    'teapot-bunny': () => near([npmTeapot(), sample('bunny')], count),
    'bunny image-blob image': () => pictured(257, count),
  };
}

/** @type {Pairs} */
const QUICK_PAIRS = {
  'bolt-torus': () => near([sample('bolt'), sample('torus')], 4),
  'bunny image-blob image': () => pictured(65, 4),
};

/** @param {string} folder @returns {Pairs} */
export function pairsOfFolder(folder) {
  /** @param {string[]} path */
  const json = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
  /** @param {string} name */
  const mesh = (name) => readObj(readFileSync(join(folder, 'meshes', `${name}.obj`)));
  const hasTruth = new Set(readdirSync(folder).includes('truth') ? readdirSync(join(folder, 'truth')) : []);
  const names = readdirSync(join(folder, 'queries')).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    names.map((name) => [
      basename(name, '.json'),
      () => {
        /** @type {{ a: string, b: string, queries: { T: number[] }[] }} */
        const { a, b, queries } = json('queries', name);
        const poses = queries.map(({ T }) => Float64Array.from(T));
        return { meshes: [mesh(a), mesh(b)], poses, truth: hasTruth.has(name) ? json('truth', name) : null };
      },
    ]),
  );
}

// Measuring.

let sink = 0;

/**
 * Milliseconds of so many calls.
 *
 * @param {(pose: Pose) => number | boolean} query
 * @param {Pose} pose
 * @param {number} calls
 */
function timeOfCalls(query, pose, calls) {
  startClock();
  for (let i = 0; i < calls; i++) sink += Number(query(pose));
  return elapsed();
}

/**
 * The shortest of up to three builds of both trees, in milliseconds, and what the last one made.
 *
 * @param {() => Contestant | undefined} make
 */
function buildOf(make) {
  let best = Number.POSITIVE_INFINITY;
  let made;
  let spent = 0;
  for (let i = 0; i < 3 && spent < 2000; i++) {
    startClock();
    made = make();
    const time = elapsed();
    spent += time;
    best = Math.min(best, time);
  }
  return { made, buildMs: best };
}

/**
 * Microseconds of every query at each pose; null for those that lack it.
 *
 * @param {readonly (((pose: Pose) => number | boolean) | undefined)[]} queries
 * @param {readonly Pose[]} poses
 * @param {number} most rounds
 */
function interleaved(queries, poses, most) {
  const runners = queries.map((query) => ({ query, times: /** @type {number[]} */ ([]) }));
  for (const pose of poses) {
    const turns = runners.flatMap(({ query, times }) => {
      if (!query) return [];
      let calls = 1;
      let last = 0;
      while ((last = timeOfCalls(query, pose, calls)) < SHORTEST) calls *= 2;
      return [{ query, times, calls, rounds: last > SLOW ? 1 : most, samples: /** @type {number[]} */ ([]) }];
    });
    for (let round = 0; round < most; round++) {
      for (const { query, calls, rounds, samples } of turns) {
        if (round >= rounds) continue;
        if (rounds > 1) sink += Number(query(pose));
        samples.push((1000 * timeOfCalls(query, pose, calls)) / calls);
      }
    }
    for (const { times, samples } of turns) times.push(median(samples));
  }
  return runners.map(({ query, times }) => (query ? times : null));
}

/**
 * The mean microseconds a pose, of groups that count by the medians of their samples, milliseconds
 * of a group.
 *
 * @param {readonly number[][]} samples
 * @param {number} poses
 */
const meanOfGroups = (samples, poses) => (1000 * sum(samples.map(median))) / poses;

/**
 * Mean microseconds of first contacts where every call has another pose than the one before.
 *
 * @param {readonly Contestant[]} contestants
 * @param {readonly Pose[]} poses
 */
function passesInTurn(contestants, poses) {
  const starts = Array.from({ length: Math.ceil(poses.length / GROUP) }, (_, i) => GROUP * i);
  const groups = contestants.map(() => starts.map(() => /** @type {number[]} */ ([])));
  for (let pass = 0; pass < PASSES; pass++) {
    for (const [i, { first }] of contestants.entries()) {
      for (const [g, from] of starts.entries()) {
        const some = poses.slice(from, from + GROUP);
        startClock();
        for (const pose of some) sink += Number(first(pose));
        groups[i][g].push(elapsed());
      }
    }
  }
  return groups.map((samples) => meanOfGroups(samples, poses.length));
}

/** FCL's run, or null and a line that says why not. @param {Pair} pair @param {number} rounds */
function tryFcl({ meshes, poses }, rounds) {
  try {
    return runFcl(meshes[0], meshes[1], poses, rounds, GROUP);
  } catch (error) {
    console.log(`native bench skipped: ${/** @type {Error} */ (error).message}`);
    return null;
  }
}

/**
 * FCL's two runs as one.
 *
 * @param {FclRun} before
 * @param {FclRun} after
 * @param {number} triangles
 * @returns {Result}
 */
function fclResult(before, after, triangles) {
  /** @param {'first' | 'all'} field */
  const both = (field) => before[field].map((samples, i) => median([...samples, ...after[field][i]]));
  const groups = before.inTurn.map((samples, i) => [...samples, ...after.inTurn[i]]);
  return {
    name: NATIVE,
    hits: before.hit.map(Boolean),
    counts: before.count,
    first: both('first'),
    all: both('all'),
    inTurn: meanOfGroups(groups, before.hit.length),
    buildMs: Math.min(sum(before.buildMs), sum(after.buildMs)),
    bytes: () => before.nodeBytes[0] / triangles,
  };
}

/** Messages about omitted contestants, each printed once. @type {Set<string>} */
const notes = new Set();

/** @param {Pair} pair */
function contestantsOf(pair) {
  return Object.entries(CONTESTANTS).flatMap(([name, make]) => {
    try {
      const { made, buildMs } = buildOf(() => make(pair));
      return made ? [{ name, made, buildMs: made.buildMs === null ? null : buildMs }] : [];
    } catch (error) {
      const note = `${name}: left out, ${/** @type {Error} */ (error).message}`;
      if (!notes.has(note)) console.log(`  ${note}`);
      notes.add(note);
      return [];
    }
  });
}

/** @param {Pair} pair @param {number} rounds @returns {Result[]} */
function resultsOf(pair, rounds) {
  const { poses } = pair;
  const contestants = contestantsOf(pair);
  const asked = contestants.map(({ made }) => made);
  // Every contestant has answered every pose once before any is timed.
  const answers = asked.map(({ first, all }) => ({ hits: poses.map(first), counts: all ? poses.map(all) : null }));
  const first = interleaved(
    asked.map((contestant) => contestant.first),
    poses,
    rounds,
  );
  const all = interleaved(
    asked.map((contestant) => contestant.all),
    poses,
    rounds,
  );
  const inTurn = passesInTurn(asked, poses);
  return contestants.map(({ name, made, buildMs }, i) => {
    return { name, ...answers[i], first: first[i] ?? [], all: all[i], inTurn: inTurn[i], buildMs, bytes: made.bytes };
  });
}

/** @typedef {(result: Result, hits: readonly boolean[]) => number | null} Measure */

/**
 * @param {readonly number[] | null} times
 * @param {(time: number, i: number) => boolean} [isOf]
 * @param {(times: number[]) => number} [by]
 */
const over = (times, isOf = () => true, by = median) => times && by(times.filter((time, i) => isOf(time, i)));

/** @type {Record<string, Measure>} */
const MEASURES = {
  'hit median': ({ first }, hits) => over(first, (_, i) => hits[i]),
  'hit mean': ({ first }, hits) => over(first, (_, i) => hits[i], mean),
  'miss median': ({ first }, hits) => over(first, (_, i) => !hits[i]),
  'miss mean': ({ first }, hits) => over(first, (_, i) => !hits[i], mean),
  'any median': ({ first }) => over(first),
  'in turn': ({ inTurn }) => inTurn,
  'all: hit median': ({ all }, hits) => over(all, (_, i) => hits[i]),
  'all: hit mean': ({ all }, hits) => over(all, (_, i) => hits[i], mean),
  'all: any median': ({ all }) => over(all),
};

/**
 * @param {Pair} pair
 * @param {boolean} native
 * @param {number} rounds
 * @returns {Promise<Measured>}
 */
async function measurePair(pair, native, rounds) {
  const { meshes, truth } = pair;
  const before = native ? tryFcl(pair, 3) : null;
  const results = resultsOf(pair, rounds);
  const after = before && tryFcl(pair, 2);
  if (before && after) {
    const drift = median(before.first.map((samples, i) => median(after.first[i]) / median(samples)));
    results.push(fclResult(before, after, meshes[0].triangles.length / 3));
    if (Math.abs(drift - 1) > 0.1)
      console.log(`  not quiet: FCL took ${drift.toFixed(2)} times as long after as before`);
  }
  const peer = results.find(({ name }) => name === PEER);
  const hits = truth ? truth.hit.map(Boolean) : (peer?.hits ?? []);
  const counts = truth ? truth.count : peer?.counts;
  /** @type {Record<string, Line>} */
  const rows = {};
  for (const result of results) {
    const { name, buildMs, bytes } = result;
    const times = Object.entries(MEASURES).map(([measure, of]) => [measure, digits(of(result, hits))]);
    rows[name] = {
      ...Object.fromEntries(times),
      'wrong verdicts': result.hits.filter((isHit, i) => isHit !== hits[i]).length,
      'wrong counts': result.counts?.filter((count, i) => count !== counts?.[i]).length ?? null,
      'build ms': digits(buildMs),
      'B/triangle': bytes ? digits(await bytes()) : null,
    };
  }
  return { triangles: meshes.map(({ triangles }) => triangles.length / 3), hits: hits.filter(Boolean).length, rows };
}

/**
 * Geometric means, over the pairs that have both, of the contestants' times over `share` of the
 * reference's.
 *
 * @param {readonly Measured[]} pairs
 * @param {string} reference
 * @param {number} share
 */
function ratios(pairs, reference, share) {
  /** @type {Record<string, Line>} */
  const table = {};
  for (const name of new Set(pairs.flatMap(({ rows }) => Object.keys(rows)))) {
    const shared = pairs.filter(({ rows }) => rows[name] && rows[reference]);
    if (shared.length === 0) continue;
    table[name] = {};
    for (const measure of Object.keys(MEASURES)) {
      const of = shared.map(({ rows }) =>
        Math.log(Number(rows[name][measure] ?? Number.NaN) / (share * Number(rows[reference][measure]))),
      );
      table[name][measure] = digits(Math.exp(mean(of.filter(Number.isFinite))));
    }
    table[name].pairs = shared.length;
  }
  return table;
}

/**
 * Sets of a few triangles test verdicts. Their times are mostly the cost of a call.
 *
 * @param {Measured} pair
 */
const isLarge = ({ triangles }) => Math.max(...triangles) >= 256;

/** @param {readonly Measured[]} measured @param {boolean} native */
function summaryOf(measured, native) {
  /** @type {Record<string, Record<string, Record<string, Line>>>} */
  const summary = {};
  const choices = { 'all pairs': measured, 'pairs of 256 triangles or more': measured.filter(isLarge) };
  for (const [label, chosen] of Object.entries(choices)) {
    if (chosen.length === 0 || (label !== 'all pairs' && chosen.length === measured.length)) continue;
    console.log(`\nGeometric means over ${label}`);
    const tables = {
      [`/ ${PEER}`]: ratios(chosen, PEER, 1),
      ...(native && {
        '/ (FCL / 3)': ratios(chosen, NATIVE, OPCODE),
        '/ (0.25 FCL / 3)': ratios(chosen, NATIVE, 0.25 * OPCODE),
      }),
    };
    for (const [title, table] of Object.entries(tables)) {
      if (Object.keys(table).length > 0) printTable(title, table);
    }
    summary[label] = tables;
  }
  return summary;
}

/** @param {import('./race.mjs').Run} run */
export default async function speed({ quick, options, keep }) {
  const reason = options['no-native'] ? 'not wanted' : reasonNotToRun();
  const rounds = quick ? 1 : 5;
  const [{ model }] = cpus();
  console.log(`\nspeed: ${model}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()[0].toFixed(1)}`);
  if (reason) console.log(`native bench skipped: ${reason}`);
  const makers = options.sets ? pairsOfFolder(options.sets) : quick ? QUICK_PAIRS : defaultPairs(60);
  /** @type {Record<string, Measured>} */
  const pairs = {};
  for (const [name, make] of Object.entries(makers)) {
    if (options.only && !name.includes(options.only)) continue;
    const pair = make();
    const measured = await measurePair(pair, !reason, rounds);
    const { triangles, hits, rows } = measured;
    printTable(`${name}, us`, rows);
    const by = pair.truth ? 'the truth' : PEER;
    console.log(
      `  ${triangles.join(' x ')} triangles; ${pair.poses.length} poses, ${hits} hits; right and wrong by ${by}`,
    );
    pairs[name] = measured;
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  keep({
    rounds,
    sets: options.sets ? 'own' : 'default',
    ...(options.only && { only: options.only }),
    native: reason ?? 'FCL',
    pairs,
    summary: summaryOf(Object.values(pairs), !reason),
  });
}
