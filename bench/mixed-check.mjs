// The common path: its cost beside the searches of the kinds, for a first query and for later ones;
// every mixture of kinds; distance and clearance beside three-mesh-bvh's closestPointToGeometry, in
// the same run on the same triangles; the cost of contact points and patches.
//
// Also processor time with all preparation, by the number of queries. For k-DOP trees: the readable
// search, quickly built OBB trees, the automatic choice, and good OBB trees. For an image and
// boxes: their kernel, wide OBB trees, and the common engine. `--only totals` measures only that.
//
//   npm run bench -- mixed
import { readFileSync } from 'node:fs';
import {
  build,
  check,
  checkPoses,
  compose,
  identity,
  openPair,
  prepare,
  read,
  readFrep,
  translation,
  write,
} from 'gicollide';
import { registerKinds } from '#src/representations/everything';
import { frep as frepKind } from '#src/representations/frep/index';
import { kernelOfImageAndTree } from '#src/representations/image-and-boxes/kernel';
import { kdop } from '#src/representations/kdop/index';
import { representationOf } from '#src/representations/kinds';
import { obb } from '#src/representations/obb/index';
import { kernelOfWideTrees } from '#src/representations/obb/search/kernel';
import { bumpyBall, direction, nearContactPoses, randomTurn, sample, seeded, shift } from './inputs.mjs';
import {
  digits,
  mean,
  median,
  peerDistance,
  peerSegments,
  peerTree,
  printRace,
  printTable,
  race,
  round,
  timeOf,
} from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').CheckOptions} CheckOptions */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {readonly Asset[]} Pair */

const FORMATS = /** @type {const} */ (['gi', 'kdop', 'obb']);

/** @type {(pair: Pair, more?: CheckOptions) => import('./race.mjs').Ask} */
const first =
  ([a, b], more) =>
  (pose) =>
    check(a, b, { poseB: pose, ...more }).verdict === 'contact';

/** @type {(pair: Pair) => (poseB: Pose) => number} */
const distance =
  ([a, b]) =>
  (poseB) =>
    check(a, b, { poseB, distance: true }).distance ?? Number.NaN;

/**
 * Median microseconds of a first query, which finds nothing unfolded, decoded or kept.
 *
 * @param {Pair} pair
 * @param {readonly Pose[]} poses
 */
async function firstQueries(pair, poses) {
  const bytes = await Promise.all(pair.map((asset) => write(asset)));
  /** @type {{ native: number[], common: number[] }} */
  const times = { native: [], common: [] };
  for (const poseB of poses) {
    for (const path of /** @type {const} */ (['native', 'common'])) {
      const [p, q] = await Promise.all(bytes.map(async (file) => (await read(file)).asset));
      const start = performance.now();
      check(p, q, path === 'common' ? { poseB, path } : { poseB });
      times[path].push(1000 * (performance.now() - start));
    }
  }
  return { native: round(median(times.native)), common: round(median(times.common)) };
}

/** Poses of first questions in a round, each of assets that were just read. */
const FIRST = 10;

/**
 * What a pair takes by each door: microseconds of a first question and of later ones that no kernel
 * answers, milliseconds of preparing it and microseconds of a question then, milliseconds of all
 * poses 17 times over by checkPoses. Nothing is kept from one to the next.
 *
 * @param {Pair} pair
 * @param {readonly Pose[]} poses
 */
async function byDoors(pair, poses, rounds = 3) {
  const bytes = await Promise.all(pair.map((asset) => write(asset)));
  const fresh = () => Promise.all(bytes.map(async (file) => (await read(file)).asset));
  const many = Float64Array.from({ length: 17 * 16 * poses.length }, (_, i) => poses[(i >> 4) % poses.length][i & 15]);
  /** @type {Record<string, number[]>} */
  const times = { first: [], later: [], prepare: [], prepared: [], poses: [] };
  for (let round = 0; round < rounds; round++) {
    for (const poseB of poses.slice(0, FIRST)) {
      const [a, b] = await fresh();
      times.first.push(1000 * time(() => check(a, b, { poseB })));
    }
    const [a, b] = await fresh();
    const plain = openPair(a, b, { questions: 1 });
    for (const poseB of poses) plain.report({ poseB });
    for (const poseB of poses) times.later.push(1000 * time(() => plain.report({ poseB })));
    const [p, q] = await fresh();
    /** @type {import('gicollide').Checker | undefined} */
    let checker;
    times.prepare.push(time(() => (checker = prepare(p, q))));
    for (const pose of [...poses, ...poses]) times.prepared.push(1000 * time(() => checker?.verdict(pose)));
    const [x, y] = await fresh();
    const start = performance.now();
    await checkPoses(x, y, many, { jobs: 1 });
    times.poses.push(performance.now() - start);
  }
  return Object.fromEntries(Object.entries(times).map(([door, of]) => [door, round2(median(of))]));
}

const round2 = (/** @type {number} */ x) => round(x, 2);

/** @param {() => unknown} work */
function time(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/**
 * Every mixture by every door, and how many times the slower one's own path by the same door.
 *
 * @param {Record<string, readonly Asset[]>} assets two of each kind
 * @param {readonly Pose[]} poses
 */
async function doorsOf(assets, poses) {
  const kinds = Object.keys(assets);
  /** @type {Record<string, Record<string, number>>} */
  const times = {};
  // All before any is kept: what runs first is compiled then.
  for (const rounds of [1, 3]) {
    for (const a of kinds) {
      for (const b of kinds) times[`${a} x ${b}`] = await byDoors([assets[a][0], assets[b][1]], poses, rounds);
    }
  }
  /** @type {Record<string, Record<string, number>>} */
  const ratios = {};
  for (const a of kinds) {
    for (const b of kinds.filter((kind) => kind !== a)) {
      const own = [times[`${a} x ${a}`], times[`${b} x ${b}`]];
      const mixed = Object.entries(times[`${a} x ${b}`]);
      ratios[`${a} x ${b}`] = Object.fromEntries(
        mixed.map(([door, took]) => [door, round2(took / Math.max(...own.map((of) => of[door])))]),
      );
    }
  }
  printTable('by doors', times);
  printTable("times the slower one's own path", ratios);
  return { times, ratios };
}

/** Bodies from a hundredth to two of their sizes apart. @param {Pair} pair @param {number} count */
function apart([a, b], count) {
  const random = seeded(1988);
  return Array.from({ length: count }, () =>
    compose(shift(direction(random), 1.2 + 2 * random()), randomTurn(random)),
  ).filter((poseB) => check(a, b, { poseB }).verdict === 'clear');
}

const SOLIDS = ['torus', 'kidney', 'flange', 'vase'];
const TORUS = JSON.stringify({ object: { torus: { major: 0.35, minor: 0.12 } } });
/** @param {string} name */
const solid = (name) =>
  build(readFrep(name === 'torus' ? TORUS : readFileSync(new URL(`../assets/${name}.frep.json`, import.meta.url))));

/**
 * Distances of an image from F-reps, beside three-mesh-bvh's from the same F-reps drawn as triangles,
 * 64 cells along the longest side: microseconds, and how wide brackets are.
 *
 * @param {Asset} image
 * @param {import('gicollide').Mesh} mesh the image's source, for the peer
 * @param {boolean} quick
 */
function solids(image, mesh, quick) {
  const source = peerTree(mesh);
  /** @type {Record<string, object>} */
  const rows = {};
  for (const name of quick ? SOLIDS.slice(0, 1) : SOLIDS) {
    const frep = solid(name);
    const peer = peerTree(frepKind.surface(frep, 6));
    const poses = apart([image, frep], quick ? 2 : 12);
    const ask = distance([image, frep]);
    const times = race(
      { 'gi x frep': ask, 'three-mesh-bvh': (pose) => peerDistance(source, peer, pose) },
      poses,
      quick ? 1 : 3,
    );
    const widths = poses.map((poseB) => {
      const { bracket } = check(image, frep, { poseB, distance: true });
      return bracket ? bracket.upper - bracket.lower : Number.NaN;
    });
    rows[name] = { ...times, ratio: digits(times['gi x frep'] / times['three-mesh-bvh']), width: digits(mean(widths)) };
    console.log(`  distance, image x ${name}`, rows[name]);
  }
  return rows;
}

/**
 * A square of 2 n^2 triangles.
 *
 * @param {number} n
 * @returns {import('gicollide').Mesh}
 */
function grid(n) {
  const positions = Array.from({ length: (n + 1) ** 2 }, (_, i) => [Math.floor(i / (n + 1)) / n, (i % (n + 1)) / n, 0]);
  const triangles = Array.from({ length: n * n }, (_, i) => {
    const corner = i + Math.floor(i / n);
    return [corner, corner + n + 1, corner + n + 2, corner, corner + n + 2, corner + 1];
  });
  return { positions: Float64Array.from(positions.flat()), triangles: Uint32Array.from(triangles.flat()), groups: [] };
}

/**
 * Median microseconds of the list of all contacts, of it with contact points, of it with patches;
 * and how patches compare with both.
 *
 * @param {readonly import('gicollide').Mesh[]} meshes
 * @param {readonly Pose[]} poses at which they touch
 * @param {boolean} hasPeer whether three-mesh-bvh knows their segments
 */
function whereTheyTouch(meshes, poses, hasPeer) {
  const pair = meshes.map((mesh) => build(mesh, { format: 'obb', nodeBytes: 64 }));
  const [peerA, peerB] = meshes.map(peerTree);
  const list = (/** @type {CheckOptions} */ more) => (/** @type {Pose} */ poseB) =>
    check(pair[0], pair[1], { poseB, all: true, maxContacts: 1e6, ...more }).contacts.count;
  const times = race(
    {
      all: list({}),
      'contact points': list({ contactPoints: true }),
      patches: list({ patches: true }),
      ...(hasPeer && { 'three-mesh-bvh, segments': (/** @type {Pose} */ pose) => peerSegments(peerA, peerB, pose) }),
    },
    poses,
    5,
  );
  const pairs = round(mean(poses.map(list({}))), 0);
  const ratio = digits(times.patches / times['contact points']);
  return { pairs, ...times, ratio, 'patches / all': digits(times.patches / times.all) };
}

/** @typedef {(pose: Pose, isAll: boolean) => number} AskMany */

/** @type {(poseB: Pose, isAll: boolean) => import('#src/engine/records').Query} */
const query = (poseB, isAll) => ({ poseA: identity(), poseB, all: isAll, maxContacts: 1e6, level: null });

/**
 * @param {import('#src/engine/representation').PairKernel | undefined} kernel
 * @returns {AskMany}
 */
function askOf(kernel) {
  if (!kernel) throw new Error('no kernel');
  return (pose, isAll) => kernel.search(query(pose, isAll))?.contacts.count ?? Number.NaN;
}

/** @param {readonly any[]} pair */
function throughWideTrees(pair, isHasty = false) {
  const options = { take: true, isHasty };
  const [a, b] = pair.map((asset) => obb.own?.over?.(representationOf(asset).surface(asset), options));
  return askOf(kernelOfWideTrees(/** @type {any} */ (a), /** @type {any} */ (b)));
}

/** @type {Record<string, (pair: readonly any[]) => AskMany>} */
const KDOP_WAYS = {
  search: (pair) => (pose, isAll) => kdop.search?.(pair[0], pair[1], query(pose, isAll))?.contacts.count ?? Number.NaN,
  'hasty trees': (pair) => throughWideTrees(pair, true),
  'wide trees': (pair) => throughWideTrees(pair),
};
/** @type {Record<string, (pair: readonly any[]) => AskMany>} */
const IMAGE_WAYS = {
  kernel: ([image, tree]) => askOf(kernelOfImageAndTree({ ...image }, tree)),
  common: (pair) => (poseB, all) =>
    check(pair[0], pair[1], { poseB, all, maxContacts: 1e6, path: 'common' }).contacts.count,
  'wide trees': (pair) => throughWideTrees(pair),
};

const QUESTIONS = [1, 33, 1000, 10_000, 1e6];

/**
 * Milliseconds of processor time with all preparation, by the number of questions. The ways are
 * measured in turns. Totals of more than a few hundred questions are by the rate.
 *
 * @param {string} title
 * @param {Record<string, (pair: readonly any[]) => AskMany>} ways
 * @param {readonly any[]} pair
 * @param {readonly Pose[]} poses
 * @param {boolean} quick
 */
function totalsOf(title, ways, pair, poses, quick) {
  /** @type {Record<string, Record<string, Record<string, number>>>} */
  const rows = {};
  for (const isAll of [false, true]) {
    const spent = Object.keys(ways).map(() => ({
      prepared: /** @type {number[]} */ ([]),
      first: /** @type {number[]} */ ([]),
      next: /** @type {number[]} */ ([]),
      rate: /** @type {number[]} */ ([]),
    }));
    for (let turn = quick ? 0 : -1; turn < (quick ? 1 : 7); turn++) {
      for (const [i, prepare] of Object.values(ways).entries()) {
        /** @type {AskMany} */
        let ask = () => 0;
        const prepared = timeOf(() => (ask = prepare(pair)));
        const asks = (/** @type {number} */ count) =>
          timeOf(() => {
            for (let n = 0; n < count; n++) ask(poses[n % poses.length], isAll);
          });
        const first = asks(1);
        const next = asks(32);
        const many = Math.round(Math.max(40, Math.min(2000, (quick ? 10 : 300) / (next / 32))));
        const rate = asks(many) / many;
        if (turn < 0) continue; // what runs first is compiled
        spent[i].prepared.push(prepared);
        spent[i].first.push(first);
        spent[i].next.push(next);
        spent[i].rate.push(rate);
      }
    }
    rows[isAll ? 'all' : 'first'] = Object.fromEntries(
      Object.keys(ways).map((name, i) => {
        const [prepared, first, next, rate] = Object.values(spent[i]).map(median);
        const total = (/** @type {number} */ n) =>
          prepared + first + (n > 1 ? next : 0) + (n > 33 ? (n - 33) * rate : 0);
        return [name, Object.fromEntries(QUESTIONS.map((n) => [n, digits(total(n)) ?? Number.NaN]))];
      }),
    );
    printTable(
      `${title}, ${isAll ? 'all contacts' : 'a first contact'}: ms by questions`,
      rows[isAll ? 'all' : 'first'],
    );
  }
  return rows;
}

/** @param {boolean} quick */
function totals(quick) {
  registerKinds();
  /** @type {Record<string, () => import('gicollide').Mesh[]>} */
  const pairs = {
    'bolt-box': () => ['bolt', 'box'].map(sample),
    ...(!quick && {
      'bunny-blob': () => ['bunny', 'blob'].map(sample),
      'ball-ball': () => [bumpyBall(7), bumpyBall(8)],
    }),
  };
  /** @type {Record<string, object>} */
  const rows = {};
  for (const [name, meshesOf] of Object.entries(pairs)) {
    const meshes = meshesOf();
    const wide = meshes.map((mesh) => build(mesh, { format: 'obb', nodeBytes: 64 }));
    const poses = nearContactPoses(wide[0], wide[1], quick ? 4 : 40, 2042);
    for (const bits of quick ? [16] : [16, 35]) {
      const pair = meshes.map((mesh) => build(mesh, { format: 'kdop', bits }));
      const title = `k-DOPs, ${bits} bits, ${name}`;
      rows[title] = totalsOf(title, KDOP_WAYS, pair, poses, quick);
    }
    if (name === 'ball-ball') continue;
    for (const size of quick ? [17] : [129, 257]) {
      const pair = [build(meshes[0], { size }), wide[1]];
      const title = `gi ${size} x obb 64, ${name}`;
      const near = nearContactPoses(pair[0], pair[1], quick ? 4 : 40, 2042);
      rows[title] = totalsOf(title, IMAGE_WAYS, pair, near, quick);
    }
  }
  return rows;
}

/** @param {import('./race.mjs').Run} run */
export default async function mixed({ quick, options, keep }) {
  if (options.only === 'totals') return keep({ totals: totals(quick) });
  const meshes = (quick ? ['bolt', 'box'] : ['bunny', 'blob']).map(sample);
  const size = quick ? 33 : 129;
  const pairOf = (/** @type {'gi' | 'kdop' | 'obb'} */ format) =>
    meshes.map((mesh) => (format === 'gi' ? build(mesh, { size }) : build(mesh, { format })));
  const assets = { gi: pairOf('gi'), kdop: pairOf('kdop'), obb: pairOf('obb') };
  const poses = nearContactPoses(assets.obb[0], assets.obb[1], quick ? 4 : 60, 2014);
  /** @type {Record<string, object>} */
  const later = {};
  /** @type {Record<string, object>} */
  const fresh = {};
  for (const format of FORMATS) {
    const pair = assets[format];
    const times = race({ native: first(pair), 'common path': first(pair, { path: 'common' }) }, poses);
    printRace(`${format} x ${format}, first contact, later queries`, times);
    later[format] = { ...times, ratio: round(times['common path'] / times.native) };
    fresh[format] = await firstQueries(pair, poses.slice(0, 20));
    console.log('  first queries', fresh[format]);
  }
  const mixtures = FORMATS.flatMap((a) => FORMATS.filter((b) => a !== b).map((b) => ({ a, b }))).map(({ a, b }) => {
    return /** @type {const} */ ([`${a} x ${b}`, first([assets[a][0], assets[b][1]])]);
  });
  const mixtureTimes = race(Object.fromEntries(mixtures), poses);
  printRace('\nmixtures, first contact', mixtureTimes);

  const wide = meshes.map((mesh) => build(mesh, { format: 'obb', nodeBytes: 64 }));
  const doors = await doorsOf({ ...assets, wide }, quick ? poses : poses.slice(0, 40));

  const far = apart(assets.obb, quick ? 4 : 40);
  const [peerA, peerB] = meshes.map(peerTree);
  const distances = race(
    {
      'obb x obb': distance(assets.obb),
      'kdop x kdop': distance(assets.kdop),
      'gi x gi': distance(assets.gi),
      'gi x obb': distance([assets.gi[0], assets.obb[1]]),
      'three-mesh-bvh': (pose) => peerDistance(peerA, peerB, pose),
    },
    far,
  );
  printRace('\ndistance', distances);
  const worst = Math.max(...far.map((pose) => Math.abs(peerDistance(peerA, peerB, pose) - distance(assets.obb)(pose))));
  console.log(`  largest difference from three-mesh-bvh's distance: ${worst}`);
  const clearance = race(
    {
      'obb x obb, clearance 0.01': first(assets.obb, { clearance: 0.01 }),
      'obb x obb, common path, no clearance': first(assets.obb, { path: 'common' }),
    },
    poses,
  );
  printRace('\nclearance, near contact', clearance);
  const hits = poses.filter((poseB) => check(wide[0], wide[1], { poseB }).verdict === 'contact');
  const square = grid(quick ? 8 : 60);
  const where = {
    'near contact': whereTheyTouch(meshes, hits.slice(0, 12), true),
    'half through': whereTheyTouch(meshes, [translation(0.4, 0, 0)], true),
    'face on face': whereTheyTouch([square, square], [translation(0.3001, 0.2003, 0)], false),
  };
  printTable('where they touch, us', where);
  const solidTimes = solids(build(meshes[0], { size: quick ? 33 : 257 }), meshes[0], quick);
  keep({
    later,
    fresh,
    mixtures: mixtureTimes,
    doors,
    distance: distances,
    clearance,
    where,
    solids: solidTimes,
    totals: totals(quick),
  });
}
