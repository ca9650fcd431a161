// k-DOP trees, by the kernel and in doubles, beside OBB trees and three-mesh-bvh in the same run on
// the same meshes. Also the experiments of A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann,
// 2006, in software, in doubles: time by bits of a coefficient (Figure 3), by the number of test
// axes (Figure 6), frequency of separation of each further axis (Figure 5), memory of a stack and
// of a queue, bytes a triangle by k and bits.
//
//   npm run bench -- kdop
import { build, check, identity, prepare, representationOf } from 'gicollide';
import { checkKdopTrees } from '#src/representations/kdop/search/descent';
import { axisSet, prepareAxis, project } from '#src/representations/kdop/search/projection';
import { nearContactPoses, sample } from './inputs.mjs';
import { mean, median, peerAll, peerFirst, peerTree, printRace, printTable, race, round } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').CheckOptions} CheckOptions */
/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./race.mjs').Ask} Ask */
/** @typedef {import('#src/engine/records').Query} Query */

const KS = /** @type {const} */ ([6, 14, 18, 24, 26]);

/** @type {(poseB: Pose, more?: Partial<Query>) => Query} */
const query = (poseB, more) => ({ poseA: identity(), poseB, all: true, maxContacts: 1e6, level: null, ...more });

/**
 * @param {KdopTree} a
 * @param {KdopTree} b
 * @param {Query} asked
 */
function inDoubles(a, b, asked, trial = {}) {
  const outcome = checkKdopTrees(a, b, asked, trial);
  if (!outcome) throw new Error('the scales are too far apart');
  return outcome;
}

/**
 * Tests a query, mean, and microseconds, median over the poses of the best of five.
 *
 * @param {readonly KdopTree[]} trees
 * @param {readonly Pose[]} poses
 * @param {Partial<Query>} [more]
 */
function measure([a, b], poses, more) {
  /** @type {{ bounds: number, hulls: number, best: number }[]} */
  const results = poses.map((pose) => {
    let best = Number.POSITIVE_INFINITY;
    let tests = { bounds: 0, hulls: 0 };
    for (let turn = 0; turn < 5; turn++) {
      const start = performance.now();
      ({ tests } = inDoubles(a, b, query(pose, more)));
      best = Math.min(best, 1000 * (performance.now() - start));
    }
    return { ...tests, best };
  });
  return {
    bounds: round(mean(results.map((x) => x.bounds))),
    triangles: round(mean(results.map((x) => x.hulls))),
    microseconds: round(median(results.map((x) => x.best))),
  };
}

/**
 * Microseconds a query over hits and over misses, odd and even poses; of a pose the best of nine
 * times eight in a row.
 *
 * @param {Ask} ask
 * @param {readonly Pose[]} poses
 */
function spread(ask, poses) {
  let sink = 0;
  const times = poses.map((pose) => {
    let best = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 9; turn++) {
      const start = performance.now();
      for (let n = 0; n < 8; n++) sink += Number(ask(pose));
      best = Math.min(best, (1000 / 8) * (performance.now() - start));
    }
    return best;
  });
  if (Number.isNaN(sink)) throw new Error('the results were used');
  const hit = times.filter((_, i) => i % 2 === 1);
  const miss = times.filter((_, i) => i % 2 === 0);
  return {
    'hit median': round(median(hit), 2),
    'hit mean': round(mean(hit), 2),
    'miss median': round(median(miss), 2),
    'miss mean': round(mean(miss), 2),
  };
}

/**
 * @param {string} title
 * @param {Record<string, Ask>} contestants
 * @param {readonly Pose[]} poses
 */
function spreads(title, contestants, poses) {
  const rows = Object.fromEntries(Object.entries(contestants).map(([name, ask]) => [name, spread(ask, poses)]));
  printTable(title, rows);
  return rows;
}

/**
 * Figure 5: of the pairs of nodes that axes 0 to i - 1 leave, the share that axis i separates, over
 * a descent that opens both nodes.
 *
 * @param {readonly KdopTree[]} trees
 * @param {readonly Pose[]} poses
 */
function separationsByAxis([a, b], poses) {
  const reached = new Array(a.k).fill(0);
  const separated = new Array(a.k).fill(0);
  const image = { a: new Float64Array(2 * a.k), b: new Float64Array(2 * b.k) };
  /** @param {ArrayLike<number>} links @param {number} node */
  const childrenOf = (links, node) => (links[node] & 1 ? [node] : [links[node] >>> 1, (links[node] >>> 1) + 1]);
  for (const pose of poses) {
    const set = axisSet(a, b, identity(), pose, a.k);
    if (!set) throw new Error('the scales are too far apart');
    while (set.prepared < set.count) prepareAxis(set);
    const pending = [[0, 0]];
    for (let pair = pending.pop(); pair; pair = pending.pop()) {
      const [i, j] = pair;
      project(set.a, a.k * i, 0, a.k, image.a, 0);
      project(set.b, b.k * j, 0, b.k, image.b, 0);
      let axis = 0;
      for (; axis < set.count; axis++) {
        reached[axis]++;
        const diff1 = image.a[2 * axis] + image.b[2 * axis + 1] + set.below[axis];
        const diff2 = image.b[2 * axis] + image.a[2 * axis + 1] - set.above[axis];
        if (diff1 <= 0 && diff2 <= 0) continue;
        separated[axis]++;
        break;
      }
      if (axis < set.count || (a.links[i] & 1 && b.links[j] & 1)) continue;
      for (const p of childrenOf(a.links, i)) for (const q of childrenOf(b.links, j)) pending.push([p, q]);
    }
  }
  return separated.map((count, i) => round(count / reached[i], 4));
}

/**
 * First contact and all contacts of every kind of tree over two meshes.
 *
 * @param {readonly Mesh[]} meshes
 * @param {readonly Pose[]} poses
 * @param {boolean} quick
 */
function contest(meshes, poses, quick) {
  /** @param {import('gicollide').BuildOptions} options @returns {Asset[]} */
  const trees = (options) => meshes.map((mesh) => build(mesh, options));
  const kdops = (/** @type {6 | 14 | 18 | 24 | 26} */ k, bits = 16) =>
    meshes.map((mesh) => build(mesh, { format: 'kdop', k, bits }));
  const [k24, k24Wide, k18, k18Narrow] = [kdops(24), kdops(24, 35), kdops(18), kdops(18, 12)];
  const [obb40, obb64] = [trees({ format: 'obb' }), trees({ format: 'obb', nodeBytes: 64 })];
  const [peerA, peerB] = meshes.map(peerTree);
  /** @typedef {(trees: readonly Asset[], more?: CheckOptions) => Ask} Asks */
  /** @type {Asks} */
  const first =
    ([p, q], more) =>
    (pose) =>
      check(p, q, { poseB: pose, ...more }).verdict === 'contact';
  /** @type {Asks} */
  const all =
    ([p, q], more) =>
    (pose) =>
      check(p, q, { poseB: pose, all: true, maxContacts: 1e6, ...more }).contacts.count;
  /** @type {(trees: readonly KdopTree[], isAll: boolean) => Ask} */
  const doubles =
    ([p, q], isAll) =>
    (pose) =>
      inDoubles(p, q, query(pose, { all: isAll })).contacts.count;
  /** @param {Asks} asks @param {boolean} isAll @returns {Record<string, Ask>} */
  const contestants = (asks, isAll) => ({
    'k-DOPs, k = 24, 16 bits': asks(k24),
    'k-DOPs, k = 24, 35 bits': asks(k24Wide),
    'k-DOPs, k = 24, 12 axes': asks(k24, { axes: 12 }),
    'k-DOPs, k = 18, 16 bits': asks(k18),
    'k-DOPs, k = 18, 12 bits': asks(k18Narrow),
    'k = 24, in doubles': doubles(k24, isAll),
    'k = 24, 35 bits, in doubles': doubles(k24Wide, isAll),
    'k = 18, in doubles': doubles(k18, isAll),
    'obb, 40 bytes a node': asks(obb40),
    'obb, 64 bytes a node': asks(obb64),
  });
  const rounds = quick ? 2 : 9;
  const others = (/** @type {Asks} */ asks) => ({ 'k-DOPs, common path': asks(k24, { path: 'common' }) });
  /** @type {Ask} */
  const peerMeets = (pose) => peerFirst(peerA, peerB, pose);
  /** @type {Ask} */
  const peerCounts = (pose) => peerAll(peerA, peerB, pose);
  const times = {
    first: race({ ...contestants(first, false), ...others(first), 'three-mesh-bvh': peerMeets }, poses, rounds),
    all: race({ ...contestants(all, true), ...others(all), 'three-mesh-bvh': peerCounts }, poses, rounds),
  };
  printRace('first contact', times.first);
  printRace('all contacts', times.all);
  const checker = prepare(k24[0], k24[1]);
  const obbFirst = first(obb40);
  const prepared = { 'k-DOPs, prepared': checker.contact, 'obb, 40 bytes a node': obbFirst };
  const byOutcome = {
    first: spreads('first contact, us', contestants(first, false), poses),
    prepared: spreads('first contact, prepared, us', prepared, poses),
    all: spreads('all contacts, us', contestants(all, true), poses),
  };
  const differing = poses.filter((pose) => first(k24)(pose) !== obbFirst(pose)).length;
  console.log(`verdicts that differ from the OBB trees': ${differing} of ${poses.length}`);
  return { ...times, byOutcome };
}

/**
 * The seed's figures over two meshes.
 *
 * @param {readonly Mesh[]} meshes
 * @param {readonly Pose[]} poses
 * @param {boolean} quick
 */
function figures(meshes, poses, quick) {
  /** @param {{ k?: 6 | 14 | 18 | 24 | 26, bits?: number }} options */
  const trees = (options) => meshes.map((mesh) => build(mesh, { format: 'kdop', ...options }));
  const k24 = trees({});
  // Up to 26 products are whole, above they are split.
  const bits = quick ? [16, 28] : [8, 10, 12, 14, 16, 18, 19, 20, 24, 26, 28, 32, 35, 36];
  const byBits = Object.fromEntries(bits.map((n) => [n, measure(trees({ bits: n }), poses)]));
  printTable('Figure 3: all contacts by bits of a coefficient', byBits);
  const axes = quick ? [3, 24] : [3, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24];
  const byAxes = Object.fromEntries(axes.map((n) => [n, measure(k24, poses, { own: { axes: n } })]));
  printTable("Figure 6: by the number of test axes, a's faces first", byAxes);
  const shares = separationsByAxis(k24, poses.slice(0, 20));
  console.log('\nFigure 5: share of the remaining pairs that each axis separates:', shares.join(' '));
  const byK = Object.fromEntries((quick ? KS.slice(0, 1) : KS).map((k) => [k, measure(trees({ k }), poses)]));
  printTable('by k', byK);
  /** @param {boolean} isQueue */
  const peaks = (isQueue) => {
    const most = poses.map((pose) => {
      const trial = { isQueue, peak: 0 };
      inDoubles(k24[0], k24[1], query(pose), trial);
      return trial.peak;
    });
    return { median: median(most), most: Math.max(...most) };
  };
  const pending = { stack: peaks(false), queue: peaks(true) };
  printTable('pairs pending at the peak, all contacts', pending);
  return { byBits, byAxes, shares, byK, pending };
}

/**
 * Bytes of tree a triangle by k and bits; `doubles` is what they replace: a double a coefficient
 * and the same link.
 */
async function bytesByWidth() {
  const bunny = sample('bunny');
  /** @type {Record<string, Record<string, number>>} */
  const bytes = {};
  for (const k of KS) {
    bytes[k] = {};
    for (const bits of [8, 12, 16, 19, 24, 36]) {
      const tree = build(bunny, { format: 'kdop', k, bits });
      const { treeBytesPerTriangle } = await representationOf(tree).describe(tree, null);
      bytes[k][bits] = round(Number(treeBytesPerTriangle));
    }
    bytes[k].doubles = 2 * (8 * k + 4);
  }
  printTable('bytes of tree a triangle by k and bits', bytes);
  return bytes;
}

/** @param {import('./race.mjs').Run} run */
export default async function kdop({ quick, keep }) {
  /** @type {Record<string, object>} */
  const pairs = {};
  const named = quick ? [['box', 'bolt']] : [['bunny', 'bunny'], ['star', 'boulder']]; // biome-ignore format: a table
  for (const names of named) {
    const meshes = names.map(sample);
    const [a, b] = meshes.map((mesh) => build(mesh, { format: 'obb' }));
    const poses = nearContactPoses(a, b, quick ? 4 : 60, 2006);
    console.log(
      `\n${names.map((name, i) => `${name} (${meshes[i].triangles.length / 3} triangles)`).join(' against ')}`,
    );
    pairs[names.join('-')] = { ...contest(meshes, poses, quick), ...figures(meshes, poses, quick) };
  }
  keep({ pairs, bytes: await bytesByWidth() });
}
