// The common path: its price against the native ones, of a first query and of later ones; every mixture; distance and clearance beside
// three-mesh-bvh's closestPointToGeometry, in the same run on the same triangles.
//
//   npm run bench -- mixed [--record]
import { readFileSync } from 'node:fs';
import { build, check, compose, read, readObj, rotation, translation, write } from 'gicollide';
import { Matrix4 } from 'three';
import { direction, keep, median, nearContactPoses, peerTree, printRace, race, seeded } from './race.mjs';

const load = (name) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));
const round = (x) => Number(x.toFixed(1));
const [meshA, meshB] = [load('bunny'), load('blob')];
const formats = ['gi', 'kdop', 'obb'];
const assets = {};
const bytes = {};
for (const format of formats) {
  assets[format] = [meshA, meshB].map((mesh) => build(mesh, { format, size: 129 }));
  bytes[format] = await Promise.all(assets[format].map((asset) => write(asset)));
}
const poses = nearContactPoses(...assets.obb, 60, 2014);
const first = (a, b, more) => (pose) => check(a, b, { poseB: pose, ...more }).verdict === 'contact';

const row = { later: {}, fresh: {} };
for (const format of formats) {
  const [a, b] = assets[format];
  const times = race({ native: first(a, b), 'common path': first(a, b, { path: 'common' }) }, poses);
  printRace(`${format} x ${format}, first contact, later queries`, times);
  row.later[format] = { ...times, ratio: round(times['common path'] / times.native) };
  // A first query finds nothing unfolded, decoded or kept.
  const fresh = { native: [], common: [] };
  for (const pose of poses.slice(0, 20)) {
    for (const path of ['native', 'common']) {
      const [p, q] = await Promise.all(bytes[format].map(async (file) => (await read(file)).asset));
      const start = performance.now();
      check(p, q, { poseB: pose, ...(path === 'common' && { path }) });
      fresh[path].push(1000 * (performance.now() - start));
    }
  }
  row.fresh[format] = { native: round(median(fresh.native)), common: round(median(fresh.common)) };
  console.log('  first queries', row.fresh[format]);
}

const mixtures = {};
for (const fa of formats) {
  for (const fb of formats) {
    if (fa !== fb) mixtures[`${fa} x ${fb}`] = first(assets[fa][0], assets[fb][1]);
  }
}
row.mixtures = race(mixtures, poses);
printRace('\nmixtures, first contact', row.mixtures);

// Distance: bodies from a hundredth to two of their sizes apart.
const random = seeded(1988);
const apart = Array.from({ length: 40 }, () => {
  const along = direction(random).map((x) => x * (1.2 + 2 * random()));
  return compose(translation(...along), rotation(...direction(random), 360 * random()));
}).filter((poseB) => check(...assets.obb, { poseB }).verdict === 'clear');
const [peerA, peerB] = [peerTree(meshA), peerTree(meshB)];
const distance = (a, b) => (poseB) => check(a, b, { poseB, distance: true }).distance;
row.distance = race(
  {
    'obb x obb': distance(...assets.obb),
    'kdop x kdop': distance(...assets.kdop),
    'gi x gi': distance(...assets.gi),
    'gi x obb': distance(assets.gi[0], assets.obb[1]),
    'three-mesh-bvh': (pose) => peerA.boundsTree.closestPointToGeometry(peerB, new Matrix4().set(...pose)).distance,
  },
  apart,
);
printRace('\ndistance', row.distance);
const worst = Math.max(
  ...apart.map((pose) => {
    const peer = peerA.boundsTree.closestPointToGeometry(peerB, new Matrix4().set(...pose)).distance;
    return Math.abs(peer - distance(...assets.obb)(pose));
  }),
);
console.log(`  largest difference from three-mesh-bvh's distance: ${worst}`);
row.clearance = race(
  {
    'obb x obb, clearance 0.01': first(...assets.obb, { clearance: 0.01 }),
    'obb x obb, common path, no clearance': first(...assets.obb, { path: 'common' }),
  },
  poses,
);
printRace('\nclearance, near contact', row.clearance);
keep('mixed-check', row);
