// Rays and nearest points of one asset, beside three-mesh-bvh's raycastFirst and
// closestPointToPoint in the same run: rays that hit and that miss, points at a hundredth and at
// the model's size from the surface. Also points in a solid, which the peer does not answer. If
// rays differ, exact whole numbers agree with gicollide (test/solid/ray-oracle.ts: 87 of 3,000 rays
// to vertices): the peer misses rays that meet a vertex or an edge in their last digit. Embree, if
// installed, answers the same queries, one by one on one thread, in single precision. The tree for
// rays and points is made before the race; its cost is measured separately.
//
//   npm run bench -- queries
import { build, closestPoint, containsPoint, raycast, raycasts } from 'gicollide';
import { DoubleSide, Ray, Vector3 } from 'three';
import { direction, sample, seeded, subdivided } from './inputs.mjs';
import { reasonNotToRun, runEmbree } from './native/embree.mjs';
import { digits, elapsed, peerTree, printTable, race, startClock, timeOf } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('./race.mjs').PeerTree} PeerTree */

/** @type {Record<string, import('gicollide').BuildOptions>} */
const KINDS = {
  'OBB, 40 bytes': { format: 'obb' },
  'OBB, 64 bytes': { format: 'obb', nodeBytes: 64 },
  'k-DOP': { format: 'kdop' },
};
const PEER = 'three-mesh-bvh';
/** Queries that are timed as one: the clock is too coarse for a query. Six numbers each. */
const QUERIES = 20;

/** What one query is of, about: a point and a direction. @typedef {(point: number[], along: number[]) => number} Query */

/** @param {Query} query @returns {import('./race.mjs').Ask} */
const batch = (query) => (numbers) => {
  let sink = 0;
  for (let at = 0; at < numbers.length; at += 6) {
    sink += query([numbers[at], numbers[at + 1], numbers[at + 2]], [numbers[at + 3], numbers[at + 4], numbers[at + 5]]);
  }
  return sink;
};

/** @type {Record<string, { ours: (asset: Asset) => Query, peer?: (tree: PeerTree) => Query }>} */
const QUESTIONS = {
  raycast: {
    ours: (asset) => (point, along) => raycast(asset, point, along)?.distance.lower ?? 0,
    peer: ({ boundsTree }) => {
      const ray = new Ray();
      return (point, along) => {
        ray.origin.set(point[0], point[1], point[2]);
        ray.direction.set(along[0], along[1], along[2]);
        return boundsTree.raycastFirst(ray, DoubleSide)?.distance ?? 0;
      };
    },
  },
  closestPoint: {
    ours: (asset) => (point) => closestPoint(asset, point).distance.lower,
    peer: ({ boundsTree }) => {
      const at = new Vector3();
      return (point) => boundsTree.closestPointToPoint(at.set(point[0], point[1], point[2]))?.distance ?? Number.NaN;
    },
  },
  containsPoint: { ours: (asset) => (point) => Number(containsPoint(asset, point) === 'inside') },
};

/**
 * Batches of queries about a mesh: rays from afar that hit it, rays that miss it, and points off its
 * vertices.
 *
 * @param {import('gicollide').Mesh} mesh
 * @param {number} count
 */
function inputs({ positions }, count) {
  const random = seeded(2026);
  const vertex = () => 3 * Math.floor((random() * positions.length) / 3);
  const size = positions.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  /** @param {() => number[]} one */
  const batches = (one) =>
    Array.from({ length: count }, () => Float64Array.from(Array.from({ length: QUERIES }, one).flat()));
  const off = (/** @type {number} */ length) => () => {
    const v = vertex();
    return [...direction(random).map((x, k) => positions[v + k] + length * size * x), 0, 0, 1];
  };
  const away = () => direction(random).map((x) => 3 * size * x);
  const to = (/** @type {number[]} */ from, /** @type {number[]} */ target) => {
    const along = target.map((x, k) => x - from[k]);
    return along.map((x) => x / Math.hypot(...along));
  };
  const hit = () => {
    const from = away();
    const v = vertex();
    return [...from, ...to(from, Array.from(positions.subarray(v, v + 3)))];
  };
  const into = () => {
    const from = away();
    return [
      ...from,
      ...to(
        from,
        direction(random).map((x) => 0.4 * size * x),
      ),
    ];
  };
  const miss = () => {
    const from = away();
    return [
      ...from,
      ...to(
        from,
        direction(random).map((x) => 1.5 * size * x),
      ),
    ];
  };
  return {
    'raycast, to a vertex': batches(hit),
    'raycast, into it': batches(into),
    'raycast, beside': batches(miss),
    'closestPoint, a hundredth off': batches(off(0.01)),
    'closestPoint, its size off': batches(off(1)),
    'containsPoint, a hundredth off': batches(off(0.01)),
  };
}

/**
 * All rays of a batch by one call, which takes them as two lists.
 *
 * @param {Asset} asset
 * @param {readonly Float64Array[]} batches
 * @returns {import('./race.mjs').Ask}
 */
function atOnce(asset, batches) {
  const lists = new Map(
    batches.map((numbers) => {
      const part = (/** @type {number} */ from) => numbers.filter((_, i) => i % 6 < 3 === (from === 0));
      return [numbers, { origins: part(0), directions: part(3) }];
    }),
  );
  return (numbers) => {
    const list = lists.get(numbers);
    return list ? raycasts(asset, list.origins, list.directions).lower[0] : 0;
  };
}

/**
 * Cost of the tree for rays in milliseconds, and the number of rays that save as much.
 *
 * @param {() => Asset} make
 * @param {readonly Float64Array[]} batches
 */
function costOfTree(make, batches) {
  /** @param {Asset} asset */
  const timeOfRay = (asset) => {
    const ask = batch(QUESTIONS.raycast.ours(asset));
    const all = () => batches.map(ask);
    all();
    return timeOf(all, 5) / (QUERIES * batches.length);
  };
  const before = timeOfRay(make());
  const times = [1, 2, 3].map(() => {
    const asset = make();
    startClock();
    raycasts(asset, MANY, MANY);
    return { asset, ms: elapsed() };
  });
  const { asset } = times[0];
  const ms = Math.min(...times.map((tree) => tree.ms)) - timeOf(() => raycasts(asset, MANY, MANY), 3);
  return { ms: digits(ms), rays: Math.round(ms / (before - timeOfRay(asset))) };
}

/** Rays that miss, more than are worth a tree of any mesh here. */
const MANY = new Float64Array(60000).fill(10);

/**
 * Embree's microseconds a question.
 *
 * @param {import('gicollide').Surface} mesh
 * @param {string} name of the question
 * @param {readonly Float64Array[]} batches
 * @param {number} rounds
 */
function embreeOf(mesh, name, batches, rounds) {
  const numbers = Float64Array.from(batches.flatMap((part) => Array.from(part)));
  const isRay = name.startsWith('raycast');
  return {
    Embree: digits(runEmbree(mesh, numbers, rounds, isRay ? 'rays' : 'points').us),
    ...(isRay ? { 'Embree, robust': digits(runEmbree(mesh, numbers, rounds, 'robust').us) } : {}),
  };
}

/** @param {import('./race.mjs').Run} run */
export default function queries({ quick, keep }) {
  const coarse = sample('bunny');
  const mesh = quick ? coarse : subdivided(subdivided(coarse));
  // The peer's data are in single precision.
  const rounded = { ...mesh, positions: mesh.positions.map(Math.fround) };
  const peer = peerTree(rounded);
  const assets = Object.entries(KINDS).map(([kind, options]) => /** @type {const} */ ([kind, build(rounded, options)]));
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  let differ = 0;
  const reason = reasonNotToRun();
  if (reason) console.log(`without Embree: ${reason}`);
  const all = inputs(rounded, quick ? 2 : 40);
  const tree = costOfTree(() => build(rounded, KINDS['OBB, 64 bytes']), all['raycast, into it']);
  for (const [, asset] of assets) raycasts(asset, MANY, MANY);
  for (const [name, batches] of Object.entries(all)) {
    const question = QUESTIONS[name.split(',')[0]];
    /** @type {Record<string, import('./race.mjs').Ask>} */
    const contestants = Object.fromEntries(assets.map(([kind, asset]) => [kind, batch(question.ours(asset))]));
    if (name.startsWith('raycast')) contestants['raycasts, 40 bytes'] = atOnce(assets[0][1], batches);
    if (question.peer) contestants[PEER] = batch(question.peer(peer));
    const times = race(contestants, batches, quick ? 1 : 9);
    rows[name] = Object.fromEntries(Object.entries(times).map(([kind, us]) => [kind, digits(us / QUERIES)]));
    if (!question.peer) continue;
    if (!reason) Object.assign(rows[name], embreeOf(rounded, name, batches, quick ? 1 : 9));
    rows[name].ratio = digits(times['OBB, 40 bytes'] / times[PEER]);
    const [ours, theirs] = [question.ours(assets[0][1]), question.peer(peer)];
    for (const numbers of batches) {
      for (let at = 0; at < numbers.length; at += 6) {
        const [point, along] = [Array.from(numbers.slice(at, at + 3)), Array.from(numbers.slice(at + 3, at + 6))];
        if (!(Math.abs(ours(point, along) - theirs(point, along)) < 1e-5)) differ++;
      }
    }
  }
  printTable('microseconds a query', rows);
  console.log(`the tree for rays: ${tree.ms} ms, as much as ${tree.rays} rays save`);
  console.log(`answers that differ from three-mesh-bvh's by 1e-5 or more: ${differ}`);
  keep({ triangles: rounded.triangles.length / 3, queries: QUERIES * (quick ? 2 : 40), rows, differ, tree });
}
