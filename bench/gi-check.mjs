// Two bunnies as geometry images against three-mesh-bvh in the same run: near-contact poses, first contact and all contacts.
//
//   npm run bench -- gi               prints the table
//   npm run bench -- gi --record      and appends the row to bench/results.jsonl
//
// three-mesh-bvh runs on the very triangles that the images store, and on the 3,674 of the source.
import { readFileSync } from 'node:fs';
import { build, check, readObj, toMesh } from 'gicollide';
import { keep, median, nearContactPoses, peerAll, peerFirst, peerTree, printRace, race } from './race.mjs';

const SIZE = 257;

const mesh = readObj(readFileSync(new URL('../assets/bunny.obj', import.meta.url)));
const image = build(mesh, { size: SIZE });
const poses = nearContactPoses(image, image, 60, 2005);
const stored = peerTree(toMesh(image));
const source = peerTree(mesh);

const isContact = (pose) => check(image, image, { poseB: pose }).verdict === 'contact';
const first = race(
  {
    gicollide: isContact,
    'three-mesh-bvh, same triangles': (pose) => peerFirst(stored, stored, pose),
    'three-mesh-bvh, source': (pose) => peerFirst(source, source, pose),
  },
  poses,
);
printRace('first contact', first);
const all = race(
  {
    gicollide: (pose) => check(image, image, { poseB: pose, all: true, maxContacts: 1e6 }).contacts.count,
    'three-mesh-bvh, same triangles': (pose) => peerAll(stored, stored, pose),
    'three-mesh-bvh, source': (pose) => peerAll(source, source, pose),
  },
  poses,
);
printRace('all contacts', all);
const disagreements = poses.filter((pose) => isContact(pose) !== peerFirst(stored, stored, pose)).length;
console.log(`verdicts that differ from three-mesh-bvh on the same triangles: ${disagreements} of ${poses.length}`);
const tests = poses.map((pose) => check(image, image, { poseB: pose }).tests);
const medianTests = { bounds: median(tests.map((t) => t.bounds)), hulls: median(tests.map((t) => t.hulls)) };
console.log(
  `first contact, median tests: ${medianTests.bounds} pairs of spheres, ${medianTests.hulls} pairs of triangles`,
);
keep('gi-check', { size: SIZE, poses: poses.length, first, all, tests: medianTests });
