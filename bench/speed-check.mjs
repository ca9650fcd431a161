// First contact and all contacts of what the library builds from two meshes, against three-mesh-bvh in the same run and against FCL's OBB trees
// (bench/native) directly before and after it, on the same triangles and poses.
//
//   npm run bench -- speed                   the default pairs
//   npm run bench -- speed --sets=<folder>   sets of one's own: meshes/NAME.obj, queries/SET.json {a, b, queries: [{T: [16]}]}, where T places b
//                                            in a's frame, row-major; and, where it lies there, truth/SET.json {hit: [], count: []}
//   ... --only=<text>                        only pairs with the text in their names
//   ... --no-native                          without FCL
//   ... --record                             appends the row to bench/results.jsonl
//
// performance.now() is too coarse for a query of a microsecond: a sample is the mean of so many calls of the same query that they take 50 us or
// more, the number found by doubling. Before any is timed, every contestant has answered every pose once. Then, pose by pose, the contestants
// give a sample each in turn, ROUNDS times (once, where a call takes more than 20 ms), each after a call that is not timed: the others have
// emptied the caches meanwhile, and without it a 40-byte OBB query on 131,072 triangles took up to four times as long. A pose counts by the
// median of its samples; FCL's program, alone in its process, takes its own in the same way. A query that is repeated finds its nodes in the
// caches and its branches predicted. "in turn" is the mean time of first contacts where every call has another pose than the one before,
// which is what a simulation sees: ten poses a sample, a median of five passes each. Spans of a millisecond and more are taken in processor
// time where that is less; still, measure on a quiet machine.
//
// A pose is a hit or a miss by the set's truth, or else by three-mesh-bvh. FCL / 3 stands in for OPCODE, which Debian does not have: that is
// about how they compare elsewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, check, prepare, readObj, representationOf, toMesh } from 'gicollide';
import teapot from 'teapot';
import { reasonNotToRun, runFcl } from './native/fcl.mjs';
import { keep, nearContactPoses, peerAll, peerFirst, peerTree, seeded } from './race.mjs';

const ROUNDS = 5;
const PASSES = 5;
const POSES = 60;
const GROUP = 10; // poses a sample of a pass
const SHORTEST = 0.05; // milliseconds a sample
const SLOW = 20; // milliseconds a call
const OPCODE = 1 / 3; // of FCL's time
const PEER = 'three-mesh-bvh';
const NATIVE = 'FCL, OBB';

// The contestants. Each takes { meshes, images } and returns what answers a pose: `first`, whether there is contact; `all`, how many pairs of
// triangles touch; and `bytes`, of tree a triangle of a, where it has them. Making it is timed as its build. One that throws is left out of the
// pair, with its message.

const trees = ({ meshes }, options) => meshes.map((mesh) => build(mesh, options));

const CONTESTANTS = {
  'obb, 64 bytes, prepared': (pair) => prepared(trees(pair, { format: 'obb', nodeBytes: 64 })),
  'obb, 64 bytes': (pair) => library(trees(pair, { format: 'obb', nodeBytes: 64 })),
  'obb, 40 bytes': (pair) => library(trees(pair, { format: 'obb' })),
  'k-DOPs': (pair) => library(trees(pair, { format: 'kdop' })),
  'geometry images': ({ images }) => images && { ...library(images), buildMs: null },
  'geometry images, prepared': ({ images }) => images && { ...prepared(images), buildMs: null, bytes: null },
  [PEER]: ({ meshes }) => {
    const [a, b] = meshes.map(peerTree);
    return {
      first: (pose) => peerFirst(a, b, pose),
      all: (pose) => peerAll(a, b, pose),
      bytes: () => sum(a.boundsTree._roots.map((root) => root.byteLength)) / (a.index.count / 3),
    };
  },
};

function library([a, b]) {
  return {
    first: (pose) => check(a, b, { poseB: pose }).verdict === 'contact',
    all: (pose) => check(a, b, { poseB: pose, all: true, maxContacts: 1e7 }).contacts.count,
    bytes: async () => {
      const { treeBytesPerTriangle, pages, triangles } = await representationOf(a).describe(a, null);
      const ofTree = (pages ?? []).filter(({ role }) => !['geometry', 'normals', 'deviation'].includes(role));
      return treeBytesPerTriangle ?? sum(ofTree.map(({ bytes }) => bytes)) / triangles;
    },
  };
}

/** The same assets by the library's call for many queries of one pair, which knows first contact only. */
function prepared([a, b]) {
  const checker = prepare(a, b);
  return { first: (pose) => checker.contact(pose), bytes: library([a, b]).bytes };
}

// The meshes. Coordinates are rounded to float32, so that three-mesh-bvh has the same triangles.

const asset = (name) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));
const rounded = ({ positions, triangles }) => ({ positions: positions.map(Math.fround), triangles });

/** Centred, with a diagonal of 1. */
function normalised({ positions, triangles }) {
  const low = [0, 1, 2].map((k) => positions.reduce((least, x, i) => (i % 3 === k ? Math.min(least, x) : least), 1e9));
  const high = [0, 1, 2].map((k) => positions.reduce((most, x, i) => (i % 3 === k ? Math.max(most, x) : most), -1e9));
  const size = Math.hypot(...high.map((x, k) => x - low[k]));
  return rounded({ positions: positions.map((x, i) => (x - (low[i % 3] + high[i % 3]) / 2) / size), triangles });
}

/** Four triangles of each. */
function subdivided({ positions, triangles }) {
  const points = Array.from(positions);
  const cut = [];
  const middles = new Map();
  const middle = (i, j) => {
    const edge = i < j ? `${i} ${j}` : `${j} ${i}`;
    if (!middles.has(edge)) {
      middles.set(edge, points.length / 3);
      for (let k = 0; k < 3; k++) points.push((points[3 * i + k] + points[3 * j + k]) / 2);
    }
    return middles.get(edge);
  };
  for (let t = 0; t < triangles.length; t += 3) {
    const [p, q, r] = triangles.subarray(t, t + 3);
    const [pq, qr, rp] = [middle(p, q), middle(q, r), middle(r, p)];
    cut.push(p, pq, rp, pq, q, qr, rp, qr, r, pq, qr, rp);
  }
  return rounded({ positions: Float64Array.from(points), triangles: Uint32Array.from(cut) });
}

/** `rows` by `columns` quads over at(u, v), u and v from 0 to 1, as a soup of seams: corners are not shared along the rims. */
function sheet(rows, columns, at, mesh = { positions: [], triangles: [] }) {
  const base = mesh.positions.length / 3;
  for (let i = 0; i <= rows; i++) for (let j = 0; j <= columns; j++) mesh.positions.push(...at(i / rows, j / columns));
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const corner = base + i * (columns + 1) + j;
      const below = corner + columns + 1;
      mesh.triangles.push(corner, below, corner + 1, corner + 1, below, below + 1);
    }
  }
  return mesh;
}

const finished = ({ positions, triangles }) =>
  normalised({ positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) });

/** A ball of six sheets of 76 x 76 quads, 69,312 triangles, with waves of seeded directions on it. */
function bumpyBall(seed) {
  const random = seeded(seed);
  const waves = Array.from({ length: 24 }, () => ({
    along: [0, 1, 2].map(() => 24 * random() - 12),
    phase: 7 * random(),
    height: 0.02 * random(),
  }));
  const mesh = { positions: [], triangles: [] };
  for (let face = 0; face < 6; face++) {
    const side = face % 2 === 0 ? 1 : -1;
    const at = (u, v) => {
      const corner = [side, side * Math.tan((Math.PI / 2) * (u - 0.5)), Math.tan((Math.PI / 2) * (v - 0.5))];
      const length = Math.hypot(...corner);
      const p = [0, 1, 2].map((k) => corner[(k + (face >> 1)) % 3] / length);
      const bump = sum(
        waves.map(
          ({ along, phase, height }) => height * Math.sin(along[0] * p[0] + along[1] * p[1] + along[2] * p[2] + phase),
        ),
      );
      return p.map((x) => (1 + bump) * x);
    };
    sheet(76, 76, at, mesh);
  }
  return finished(mesh);
}

/** A turned body: twelve rings of 720 strips each along it, 17,280 triangles up to 150 times longer than wide. */
function lathe() {
  const radius = (u) => 0.35 + 0.12 * Math.sin(9 * u) + 0.05 * Math.sin(23 * u);
  return finished(
    sheet(12, 720, (u, v) => {
      const turn = 2 * Math.PI * v;
      return [3 * u, radius(u) * Math.cos(turn), radius(u) * Math.sin(turn)];
    }),
  );
}

/** A thin plate that is a fan on either side of 2,000 needles, bent in waves, and its rim: 12,000 triangles. */
function fan() {
  const edge = (turn) => 1 + 0.2 * Math.cos(5 * turn);
  const at = (side) => (u, v) => {
    const turn = 2 * Math.PI * v;
    const r = 0.02 + u * edge(turn);
    return [r * Math.cos(turn), r * Math.sin(turn), 0.15 * u * Math.sin(7 * turn) + side];
  };
  const mesh = sheet(1, 2000, at(0.01));
  sheet(1, 2000, at(-0.01), mesh);
  sheet(1, 2000, (u, v) => at(0.02 * u - 0.01)(1, v), mesh);
  return finished(mesh);
}

const npmTeapot = () =>
  normalised({
    positions: Float64Array.from(teapot.positions.flat()),
    triangles: Uint32Array.from(teapot.cells.flat()),
  });

/** The pairs, made when their turn comes: { meshes, poses, images?, truth? }. */
function defaultPairs() {
  const near = (meshes) => {
    const [a, b] = meshes.map((mesh) => build(mesh, { format: 'obb' }));
    return { meshes, poses: nearContactPoses(a, b, POSES, 1996) };
  };
  const pictured = (images) => ({
    images,
    meshes: images.map(toMesh),
    poses: nearContactPoses(...images, POSES, 2005),
  });
  const fine = () => subdivided(subdivided(asset('bunny')));
  return {
    'bunny-bunny': () => near([asset('bunny'), asset('bunny')]),
    'star-boulder': () => near([asset('star'), asset('boulder')]),
    'fine bunny-fine bunny': () => near([fine(), fine()]),
    'bumpy ball-bumpy ball': () => near([bumpyBall(1), bumpyBall(2)]),
    'lathe-fan': () => near([lathe(), fan()]),
    'teapot-bunny': () => near([npmTeapot(), asset('bunny')]),
    'bunny image-blob image': () => pictured(['bunny', 'blob'].map((name) => build(asset(name), { size: 257 }))),
  };
}

function pairsOfFolder(folder) {
  const json = (...path) => JSON.parse(readFileSync(join(folder, ...path)));
  const mesh = (name) => readObj(readFileSync(join(folder, 'meshes', `${name}.obj`)));
  const hasTruth = new Set(readdirSync(folder).includes('truth') ? readdirSync(join(folder, 'truth')) : []);
  const names = readdirSync(join(folder, 'queries')).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    names.map((name) => [
      basename(name, '.json'),
      () => {
        const { a, b, queries } = json('queries', name);
        const poses = queries.map(({ T }) => Float64Array.from(T));
        return { meshes: [mesh(a), mesh(b)], poses, truth: hasTruth.has(name) ? json('truth', name) : null };
      },
    ]),
  );
}

// Measuring.

const sum = (values) => values.reduce((total, x) => total + x, 0);
const mean = (values) => sum(values) / values.length;
const middle = (values) => {
  const sorted = values.toSorted((x, y) => x - y);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

let sink = 0;

let processorTime = null;
let start = 0;

/** Starts the clock that `elapsed` reads; one at a time. */
function startClock() {
  processorTime = process.cpuUsage();
  start = performance.now();
}

/**
 * Milliseconds since startClock, or what the process has used of its processors, where that is less: both are at least what the work took, and
 * only the first counts what other programs took. Short spans are left to the median; elsewhere than on Linux processor time is too coarse.
 */
function elapsed() {
  const time = performance.now() - start;
  if (time < 1 || process.platform !== 'linux') return time;
  const { user, system } = process.cpuUsage(processorTime);
  return Math.min(time, (user + system) / 1000);
}

/** Milliseconds of so many calls. */
function timeOf(query, pose, calls) {
  startClock();
  for (let i = 0; i < calls; i++) sink += Number(query(pose));
  return elapsed();
}

/** The shortest of up to three builds of both trees, in milliseconds, and what the last one made. */
function buildOf(make, pair) {
  let best = Number.POSITIVE_INFINITY;
  let made;
  let spent = 0;
  for (let i = 0; i < 3 && spent < 2000; i++) {
    startClock();
    made = make(pair);
    const time = elapsed();
    spent += time;
    best = Math.min(best, time);
  }
  return { made, buildMs: best };
}

/** Per contestant: microseconds at each pose. Contestants that lack the query are left out. */
function interleaved(field, contestants, poses) {
  const runners = contestants.filter((contestant) => contestant[field]);
  for (const runner of runners) runner.times[field] = [];
  for (const pose of poses) {
    const last = [];
    const calls = runners.map((runner, i) => {
      let count = 1;
      while ((last[i] = timeOf(runner[field], pose, count)) < SHORTEST) count *= 2;
      return count;
    });
    const rounds = runners.map((_, i) => (last[i] > SLOW ? 1 : ROUNDS));
    const samples = runners.map(() => []);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [i, runner] of runners.entries()) {
        if (round >= rounds[i]) continue;
        if (rounds[i] > 1) sink += Number(runner[field](pose));
        samples[i].push((1000 * timeOf(runner[field], pose, calls[i])) / calls[i]);
      }
    }
    for (const [i, runner] of runners.entries()) runner.times[field].push(middle(samples[i]));
  }
}

/** Milliseconds of a query at each of some poses. */
function timeOfGroup(query, poses, from, to) {
  startClock();
  for (let i = from; i < to; i++) sink += Number(query(poses[i]));
  return elapsed();
}

/** The mean microseconds a pose, of groups that count by the medians of their samples: samples[group] = [milliseconds of the group]. */
const meanOfGroups = (samples, poses) => (1000 * sum(samples.map(middle))) / poses;

function passesInTurn(contestants, poses) {
  const groups = Math.ceil(poses.length / GROUP);
  for (const contestant of contestants) contestant.groups = Array.from({ length: groups }, () => []);
  for (let pass = 0; pass < PASSES; pass++) {
    for (const { first, groups } of contestants) {
      for (const [i, samples] of groups.entries()) {
        samples.push(timeOfGroup(first, poses, GROUP * i, Math.min(poses.length, GROUP * (i + 1))));
      }
    }
  }
  for (const contestant of contestants) contestant.inTurn = meanOfGroups(contestant.groups, poses.length);
}

/** FCL's run, or null and a line that says why not. */
function tryFcl(meshes, poses, rounds) {
  try {
    return runFcl(...meshes, poses, rounds, GROUP);
  } catch (error) {
    console.log(`native bench skipped: ${error.message}`);
    return null;
  }
}

/** FCL's two runs as a contestant that has answered and been timed. */
function nativeContestant(before, after, triangles) {
  const both = (field) => before[field].map((samples, i) => middle([...samples, ...after[field][i]]));
  return {
    name: NATIVE,
    answers: { first: before.hit.map(Boolean), all: before.count },
    times: { first: both('first'), all: both('all') },
    inTurn: meanOfGroups(
      before.inTurn.map((samples, i) => [...samples, ...after.inTurn[i]]),
      before.hit.length,
    ),
    buildMs: Math.min(sum(before.buildMs), sum(after.buildMs)),
    bytes: () => before.nodeBytes[0] / triangles,
  };
}

const MEASURES = {
  'hit median': ({ first }, hits) => middle(first.filter((_, i) => hits[i])),
  'hit mean': ({ first }, hits) => mean(first.filter((_, i) => hits[i])),
  'miss median': ({ first }, hits) => middle(first.filter((_, i) => !hits[i])),
  'miss mean': ({ first }, hits) => mean(first.filter((_, i) => !hits[i])),
  'any median': ({ first }) => middle(first),
  'in turn': (_, __, inTurn) => inTurn,
  'all: hit median': ({ all }, hits) => all && middle(all.filter((_, i) => hits[i])),
  'all: hit mean': ({ all }, hits) => all && mean(all.filter((_, i) => hits[i])),
  'all: any median': ({ all }) => all && middle(all),
};

/** What was said of contestants that were left out; once is enough. */
const notes = new Set();

async function measurePair(pair, native) {
  const { meshes, poses, truth } = pair;
  const before = native ? tryFcl(meshes, poses, 3) : null;
  const contestants = [];
  for (const [name, make] of Object.entries(CONTESTANTS)) {
    try {
      const { made, buildMs } = buildOf(make, pair);
      if (made) contestants.push({ name, buildMs, ...made, times: {}, answers: {} });
    } catch (error) {
      const note = `${name}: left out, ${error.message}`;
      if (!notes.has(note)) console.log(`  ${note}`);
      notes.add(note);
    }
  }
  for (const contestant of contestants) {
    const { first, all, answers } = contestant;
    answers.first = poses.map((pose) => first(pose));
    answers.all = all && poses.map((pose) => all(pose));
  }
  interleaved('first', contestants, poses);
  interleaved('all', contestants, poses);
  passesInTurn(contestants, poses);
  const after = before && tryFcl(meshes, poses, 2);
  if (after) {
    const drift = middle(before.first.map((samples, i) => middle(after.first[i]) / middle(samples)));
    contestants.push(nativeContestant(before, after, meshes[0].triangles.length / 3));
    if (Math.abs(drift - 1) > 0.1)
      console.log(`  not quiet: FCL took ${drift.toFixed(2)} times as long after as before`);
  }
  const peer = contestants.find(({ name }) => name === PEER);
  const hits = truth ? truth.hit.map(Boolean) : peer.answers.first;
  const counts = truth ? truth.count : peer.answers.all;
  const rows = {};
  for (const { name, times, inTurn, answers, bytes, buildMs } of contestants) {
    const row = {};
    for (const [measure, of] of Object.entries(MEASURES)) row[measure] = digits(of(times, hits, inTurn));
    row['wrong verdicts'] = answers.first.filter((isHit, i) => isHit !== hits[i]).length;
    row['wrong counts'] = answers.all ? answers.all.filter((count, i) => count !== counts[i]).length : null;
    row['build ms'] = digits(buildMs);
    row['B/triangle'] = bytes ? digits(await bytes()) : null;
    rows[name] = row;
  }
  return { triangles: meshes.map(({ triangles }) => triangles.length / 3), hits: hits.filter(Boolean).length, rows };
}

/** Three digits that count; null for what is not there. */
const digits = (x) => (Number.isFinite(x) ? Number(x.toPrecision(3)) : null);

function printRows(title, rows) {
  const names = Object.keys(rows);
  const columns = Object.keys(rows[names[0]]);
  const widest = Math.max(title.length, ...names.map((name) => name.length));
  const heads = columns.map((column) => column.padStart(Math.max(7, column.length)));
  console.log(`\n${title.padEnd(widest)}  ${heads.join('  ')}`);
  for (const name of names) {
    const cells = columns.map((column, i) => String(rows[name][column] ?? '-').padStart(heads[i].length));
    console.log(`${name.padEnd(widest)}  ${cells.join('  ')}`);
  }
}

/** Geometric means, over the pairs that have both, of the contestants' times over `share` of the reference's. */
function ratios(pairs, reference, share) {
  const table = {};
  const names = new Set(pairs.flatMap(({ rows }) => Object.keys(rows)));
  for (const name of names) {
    const shared = pairs.filter(({ rows }) => rows[name] && rows[reference]);
    if (shared.length === 0) continue;
    table[name] = {};
    for (const measure of Object.keys(MEASURES)) {
      const of = shared.map(({ rows }) => Math.log(rows[name][measure] / (share * rows[reference][measure])));
      table[name][measure] = digits(Math.exp(mean(of.filter(Number.isFinite))));
    }
    table[name].pairs = shared.length;
  }
  return table;
}

const { values: options } = parseArgs({
  options: { sets: { type: 'string' }, only: { type: 'string' } },
  strict: false,
  allowPositionals: true,
});
const reason = reasonNotToRun();
const processors = cpus();
console.log(
  `\nspeed: ${processors[0].model}, ${processors.length} cores, Node ${process.version}, load ${loadavg()[0].toFixed(1)}`,
);
if (reason) console.log(`native bench skipped: ${reason}`);
const pairs = {};
for (const [name, make] of Object.entries(options.sets ? pairsOfFolder(options.sets) : defaultPairs())) {
  if (options.only && !name.includes(options.only)) continue;
  const pair = make();
  const measured = await measurePair(pair, !reason);
  const { triangles, hits, rows } = measured;
  printRows(`${name}, us`, rows);
  const by = pair.truth ? 'the truth' : PEER;
  console.log(
    `  ${triangles.join(' x ')} triangles; ${pair.poses.length} poses, ${hits} hits; right and wrong by ${by}`,
  );
  pairs[name] = measured;
}
if (Number.isNaN(sink)) throw new Error('the results were used');

/** Sets of a handful of triangles test verdicts; what is told of them is the cost of a call. */
const isLarge = ({ triangles }) => Math.max(...triangles) >= 256;
const measured = Object.values(pairs);
const summary = {};
for (const [label, chosen] of [
  ['all pairs', measured],
  ['pairs of 256 triangles or more', measured.filter(isLarge)],
]) {
  if (chosen.length === 0 || (label !== 'all pairs' && chosen.length === measured.length)) continue;
  console.log(`\nGeometric means over ${label}`);
  const tables = { [`/ ${PEER}`]: ratios(chosen, PEER, 1) };
  if (!reason) {
    tables['/ (FCL / 3)'] = ratios(chosen, NATIVE, OPCODE);
    tables['/ (0.25 FCL / 3)'] = ratios(chosen, NATIVE, 0.25 * OPCODE);
  }
  for (const [title, table] of Object.entries(tables)) {
    if (Object.keys(table).length > 0) printRows(title, table);
  }
  summary[label] = tables;
}
keep('speed-check', {
  rounds: ROUNDS,
  sets: options.sets ? 'own' : 'default',
  ...(options.only && { only: options.only }),
  native: reason ?? 'FCL',
  pairs,
  summary,
});
