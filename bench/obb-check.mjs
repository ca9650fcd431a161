// OBB trees of both node sizes, and the common path, against three-mesh-bvh in the same run on the same meshes: two pairs, near-contact
// poses, first contact and all contacts; build times and bytes; and what the cache of decoded boxes gains on a slow motion.
//
//   npm run bench -- obb [--record]
import { readFileSync } from 'node:fs';
import { build, check, compose, readObj, representationOf, rotation, translation } from 'gicollide';
import { checkObbTrees } from '../dist/representations/obb/search/descent.js';
import { createCursor } from '../dist/representations/obb/tree/cursor.js';
import { keep, median, nearContactPoses, peerAll, peerFirst, peerTree, printRace, race } from './race.mjs';

const load = (name) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));
const identity = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);

function timeOf(work) {
  const times = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  return Number(median(times).toFixed(1));
}

const row = { pairs: {} };
for (const [nameA, nameB] of [
  ['bunny', 'bunny'],
  ['star', 'boulder'],
]) {
  const [meshA, meshB] = [load(nameA), load(nameB)];
  const trees = (nodeBytes) => [meshA, meshB].map((mesh) => build(mesh, { format: 'obb', nodeBytes }));
  const [a, b] = trees(40);
  const [a20, b20] = trees(20);
  const [peerA, peerB] = [peerTree(meshA), peerTree(meshB)];
  const poses = nearContactPoses(a, b, 60, 1996);
  const isContact = (pose) => check(a, b, { poseB: pose }).verdict === 'contact';
  const countAll = (p, q, pose, path) =>
    check(p, q, { poseB: pose, all: true, maxContacts: 1e6, ...(path && { path }) }).contacts.count;
  console.log(`\n${nameA} (${meshA.triangles.length / 3} triangles) against ${nameB} (${meshB.triangles.length / 3})`);
  const first = race(
    {
      'obb, 40 bytes a node': isContact,
      'obb, 20 bytes a node': (pose) => check(a20, b20, { poseB: pose }).verdict === 'contact',
      'obb, common path': (pose) => check(a, b, { poseB: pose, path: 'common' }).verdict === 'contact',
      'three-mesh-bvh': (pose) => peerFirst(peerA, peerB, pose),
    },
    poses,
  );
  printRace('first contact', first);
  const all = race(
    {
      'obb, 40 bytes a node': (pose) => countAll(a, b, pose),
      'obb, 20 bytes a node': (pose) => countAll(a20, b20, pose),
      'obb, common path': (pose) => countAll(a, b, pose, 'common'),
      'three-mesh-bvh': (pose) => peerAll(peerA, peerB, pose),
    },
    poses,
  );
  printRace('all contacts', all);
  const differing = poses.filter((pose) => isContact(pose) !== peerFirst(peerA, peerB, pose)).length;
  console.log(`verdicts that differ from three-mesh-bvh: ${differing} of ${poses.length}`);
  const bounds = (p, q) => median(poses.map((pose) => check(p, q, { poseB: pose }).tests.bounds));
  const tests = { 40: bounds(a, b), 20: bounds(a20, b20) };
  console.log(`first contact, median pairs of bounds tested: ${tests[40]} (40 bytes), ${tests[20]} (20 bytes)`);
  row.pairs[`${nameA}-${nameB}`] = { first, all, tests };
}

const boulder = load('boulder');
const building = {
  'obb, 40 bytes a node': timeOf(() => build(boulder, { format: 'obb' })),
  'obb, 20 bytes a node': timeOf(() => build(boulder, { format: 'obb', nodeBytes: 20 })),
  'three-mesh-bvh': timeOf(() => peerTree(boulder)),
};
console.log(`\nbuilding boulder's tree, ${boulder.triangles.length / 3} triangles, median milliseconds`, building);
const bytes = {};
for (const nodeBytes of [40, 20]) {
  const tree = build(boulder, { format: 'obb', nodeBytes });
  bytes[nodeBytes] = (await representationOf(tree).describe(tree, null)).treeBytesPerTriangle;
}
bytes['three-mesh-bvh'] =
  peerTree(boulder).boundsTree._roots.reduce((sum, root) => sum + root.byteLength, 0) / (boulder.triangles.length / 3);
console.log('bytes of tree a triangle', bytes);

// A motion of a thousand small steps that brushes the other body, with the cache and without.
const bunny = load('bunny');
const cache = {};
for (const nodeBytes of [40, 20]) {
  const tree = build(bunny, { format: 'obb', nodeBytes });
  const motion = Array.from({ length: 1000 }, (_, i) =>
    compose(translation(0.35 + 1e-5 * i, 1e-5 * i, 0), rotation(0, 1, 0, 0.02 * i)),
  );
  const run = (cursors) => {
    let contacts = 0;
    for (const poseB of motion) {
      const query = { poseA: identity, poseB, all: true, maxContacts: 1e6, level: null };
      contacts += checkObbTrees(tree, tree, query, ...cursors).contacts.count;
    }
    return contacts;
  };
  const cached = [createCursor(tree), createCursor(tree)];
  const uncached = [createCursor(tree, 1), createCursor(tree, 1)];
  run(cached);
  run(uncached);
  cached[0].asked = cached[0].decoded = 0;
  const withCache = timeOf(() => run(cached));
  const without = timeOf(() => run(uncached));
  cache[nodeBytes] = { withCache, without, gain: Number((without / withCache).toFixed(2)) };
}
console.log('a thousand steps, all contacts, milliseconds', cache);
keep('obb-check', { ...row, building, bytes, cache });
