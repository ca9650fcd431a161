// k-DOP trees, by the kernel and in doubles, against OBB trees and three-mesh-bvh in the same run on the same meshes, with the kernel's ratio to
// the OBB trees in floating point; and the seed's experiments in software, in doubles (Raabe et al. 2006): time by bits of a coefficient
// (Figure 3), by the number of test axes (Figure 6), how often each further axis separates (Figure 5), what a stack needs against a queue,
// bytes a triangle by k and bits.
//
//   npm run bench -- kdop [--record]
import { readFileSync } from 'node:fs';
import { build, check, readObj, representationOf } from 'gicollide';
import { checkKdopTrees } from '../dist/representations/kdop/search/descent.js';
import { kernelOfKdopTrees } from '../dist/representations/kdop/search/kernel.js';
import { axisSet, prepareAxis, project } from '../dist/representations/kdop/search/projection.js';
import { keep, median, nearContactPoses, peerAll, peerFirst, peerTree, printRace, race } from './race.mjs';

const load = (name) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));
const identity = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
const ask = (poseB, more) => ({ poseA: identity, poseB, all: true, maxContacts: 1e6, level: null, ...more });
const round = (x, digits = 1) => Number(x.toFixed(digits));
const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Tests a query, mean, and microseconds, median over the poses of the best of five. */
function measure(a, b, poses, more, trial) {
  const bounds = [];
  const hulls = [];
  const times = [];
  for (const pose of poses) {
    let best = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 5; turn++) {
      const start = performance.now();
      const { tests } = checkKdopTrees(a, b, ask(pose, more), { ...trial });
      best = Math.min(best, 1000 * (performance.now() - start));
      if (turn > 0) continue;
      bounds.push(tests.bounds);
      hulls.push(tests.hulls);
    }
    times.push(best);
  }
  return { bounds: round(mean(bounds)), triangles: round(mean(hulls)), microseconds: round(median(times)) };
}

/** Microseconds a query, median and mean over hits and over misses, odd and even poses; of a pose the best of nine times eight in a row. */
function spread(query, poses) {
  const times = { hit: [], miss: [] };
  let sink = 0;
  for (const [i, pose] of poses.entries()) {
    let best = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 9; turn++) {
      const start = performance.now();
      for (let n = 0; n < 8; n++) sink += Number(query(pose));
      best = Math.min(best, (1000 / 8) * (performance.now() - start));
    }
    times[i % 2 === 1 ? 'hit' : 'miss'].push(best);
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return Object.fromEntries(
    Object.entries(times).flatMap(([name, values]) => [
      [`${name} median`, round(median(values), 2)],
      [`${name} mean`, round(mean(values), 2)],
    ]),
  );
}

/** Every contestant's `spread`, and the kernel's over that of the OBB trees of 40 bytes. */
function spreads(contestants, poses) {
  const rows = Object.fromEntries(Object.entries(contestants).map(([name, query]) => [name, spread(query, poses)]));
  const [kernel] = Object.values(rows);
  const obb = rows['obb, 40 bytes a node'];
  rows['ratio of the first to obb, 40 bytes'] = Object.fromEntries(
    Object.keys(kernel).map((key) => [key, round(kernel[key] / obb[key], 3)]),
  );
  console.table(rows);
  return rows;
}

/** Figure 5: of the pairs of nodes that axes 0 to i - 1 leave, the share that axis i separates, over a descent that opens both nodes. */
function separationsByAxis(a, b, poses) {
  const reached = new Array(a.k).fill(0);
  const separated = new Array(a.k).fill(0);
  const image = { a: new Float64Array(2 * a.k), b: new Float64Array(2 * b.k) };
  const childrenOf = (links, node) => (links[node] & 1 ? [node] : [links[node] >>> 1, (links[node] >>> 1) + 1]);
  for (const pose of poses) {
    const set = axisSet(a, b, identity, pose, a.k);
    while (set.prepared < set.count) prepareAxis(set);
    const pending = [[0, 0]];
    while (pending.length > 0) {
      const [i, j] = pending.pop();
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

const row = { pairs: {} };
for (const [nameA, nameB] of [
  ['bunny', 'bunny'],
  ['star', 'boulder'],
]) {
  const [meshA, meshB] = [load(nameA), load(nameB)];
  const trees = (options) => [meshA, meshB].map((mesh) => build(mesh, options));
  const [a, b] = trees({ format: 'kdop' });
  const [a18, b18] = trees({ format: 'kdop', k: 18 });
  const [a12, b12] = trees({ format: 'kdop', k: 18, bits: 12 });
  const [obbA, obbB] = trees({ format: 'obb' });
  const [wideA, wideB] = trees({ format: 'obb', nodeBytes: 64 });
  const [peerA, peerB] = [peerTree(meshA), peerTree(meshB)];
  const poses = nearContactPoses(obbA, obbB, 60, 2006);
  const first = (p, q, more) => (pose) => check(p, q, { poseB: pose, ...more }).verdict === 'contact';
  const all = (p, q, more) => (pose) =>
    check(p, q, { poseB: pose, all: true, maxContacts: 1e6, ...more }).contacts.count;
  const inDoubles = (p, q, isAll) => (pose) => checkKdopTrees(p, q, ask(pose, { all: isAll })).contacts.count;
  const contestants = (query, isAll) => ({
    'k-DOPs, k = 24, 16 bits': query(a, b),
    'k-DOPs, k = 24, 12 axes': query(a, b, { axes: 12 }),
    'k-DOPs, k = 18, 16 bits': query(a18, b18),
    'k-DOPs, k = 18, 12 bits': query(a12, b12),
    'k = 24, in doubles': inDoubles(a, b, isAll),
    'k = 18, in doubles': inDoubles(a18, b18, isAll),
    'obb, 40 bytes a node': query(obbA, obbB),
    'obb, 64 bytes a node': query(wideA, wideB),
  });
  const others = (query) => ({ 'k-DOPs, common path': query(a, b, { path: 'common' }) });
  console.log(`\n${nameA} (${meshA.triangles.length / 3} triangles) against ${nameB} (${meshB.triangles.length / 3})`);
  const times = {
    first: race(
      { ...contestants(first, false), ...others(first), 'three-mesh-bvh': (pose) => peerFirst(peerA, peerB, pose) },
      poses,
    ),
    all: race(
      { ...contestants(all, true), ...others(all), 'three-mesh-bvh': (pose) => peerAll(peerA, peerB, pose) },
      poses,
    ),
  };
  printRace('first contact', times.first);
  printRace('all contacts', times.all);
  console.log('microseconds a query, hits and misses: first contact; first contact, prepared; all contacts');
  const kernel = kernelOfKdopTrees(a, b);
  const byOutcome = {
    first: spreads(contestants(first, false), poses),
    prepared: spreads(
      {
        'k-DOPs, prepared': (pose) => kernel.verdict(identity, pose) === 'contact',
        'obb, 40 bytes a node': first(obbA, obbB),
      },
      poses,
    ),
    all: spreads(contestants(all, true), poses),
  };
  const differing = poses.filter((pose) => first(a, b)(pose) !== first(obbA, obbB)(pose)).length;
  console.log(`verdicts that differ from the OBB trees': ${differing} of ${poses.length}`);

  // Figure 3: bits. Up to 26 products are whole, above they are split.
  const byBits = {};
  for (const bits of [8, 10, 12, 14, 16, 18, 19, 20, 24, 26, 28, 32, 35, 36]) {
    byBits[bits] = measure(...trees({ format: 'kdop', bits }), poses);
  }
  console.log('all contacts by bits of a coefficient');
  console.table(byBits);
  // Figure 6: the number of axes; a's faces come first.
  const byAxes = {};
  for (const axes of [3, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]) byAxes[axes] = measure(a, b, poses, { axes });
  console.log('all contacts by the number of test axes');
  console.table(byAxes);
  const shares = separationsByAxis(a, b, poses.slice(0, 20));
  console.log("share of the remaining pairs that each axis separates, a's faces first", shares.join(' '));
  const byK = {};
  for (const k of [6, 14, 18, 24, 26]) byK[k] = measure(...trees({ format: 'kdop', k }), poses);
  console.log('all contacts by k');
  console.table(byK);
  const peaks = { stack: [], queue: [] };
  for (const pose of poses) {
    for (const isQueue of [false, true]) {
      const trial = { isQueue };
      checkKdopTrees(a, b, ask(pose), trial);
      peaks[isQueue ? 'queue' : 'stack'].push(trial.peak);
    }
  }
  const pending = {
    stack: { median: median(peaks.stack), most: Math.max(...peaks.stack) },
    queue: { median: median(peaks.queue), most: Math.max(...peaks.queue) },
  };
  console.log('pairs pending at the peak, all contacts', pending);
  row.pairs[`${nameA}-${nameB}`] = { ...times, byOutcome, byBits, byAxes, shares, byK, pending };
}

const bunny = load('bunny');
const bytes = {};
for (const k of [6, 14, 18, 24, 26]) {
  bytes[k] = {};
  for (const bits of [8, 12, 16, 19, 24, 36]) {
    const tree = build(bunny, { format: 'kdop', k, bits });
    bytes[k][bits] = round((await representationOf(tree).describe(tree, null)).treeBytesPerTriangle);
  }
  // What they replace: a double a coefficient and the same link.
  bytes[k].doubles = 2 * (8 * k + 4);
}
console.log('\nbytes of tree a triangle, by k and bits');
console.table(bytes);
keep('kdop-check', { ...row, bytes });
