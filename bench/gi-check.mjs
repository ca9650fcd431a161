// Geometry images: quality, time and bytes of those of assets/ (gi-quality.mjs); and two bunnies
// against three-mesh-bvh in the same run: near-contact poses, first contact and all contacts.
//
//   npm run bench -- gi
//   npm run bench -- gi --sets=<folder>    the meshes of one's own set, too
//
// three-mesh-bvh runs on the very triangles that the images store, and on the 3,674 of the source.
import { build, check, toMesh } from 'gicollide';
import { meshesOf, qualityOf } from './gi-quality.mjs';
import { nearContactPoses, sample } from './inputs.mjs';
import { median, peerAll, peerFirst, peerTree, printRace, race } from './race.mjs';

/** @typedef {import('gicollide').Pose} Pose */

/** @param {import('./race.mjs').Run} run */
export default async function gi({ quick, options, keep }) {
  const size = quick ? 65 : 257;
  const mesh = sample('bunny');
  const image = build(mesh, { size });
  const poses = nearContactPoses(image, image, quick ? 4 : 60, 2005);
  const stored = peerTree(toMesh(image));
  const source = peerTree(mesh);
  const isContact = (/** @type {Pose} */ pose) => check(image, image, { poseB: pose }).verdict === 'contact';
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
  const counts = poses.map((pose) => check(image, image, { poseB: pose }).tests);
  const tests = { bounds: median(counts.map((t) => t.bounds)), hulls: median(counts.map((t) => t.hulls)) };
  console.log(`first contact, median tests: ${tests.bounds} pairs of bounds, ${tests.hulls} pairs of triangles`);
  const quality = await qualityOf(meshesOf(quick, options.sets), quick ? 33 : size);
  keep({ size, poses: poses.length, first, all, tests, quality });
}
