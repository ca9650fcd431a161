// Geometry images: quality, time and bytes for the meshes of assets/ (gi-quality.mjs), proved
// distances beside sampled ones (gi-bounds.mjs), and two bunnies beside three-mesh-bvh in the same
// run, with poses near contact, first contact and all contacts.
//
//   npm run bench -- gi
//   npm run bench -- gi --sets=<folder>    your own meshes, too
//
// The image's file is also written with fewer and fewer pages: its bytes, and the time to read it.
//
// three-mesh-bvh runs on the same triangles that the images store, and on the 3,674 of the source.
import { build, check, read, toMesh, write } from 'gicollide';
import { printBounds } from './gi-bounds.mjs';
import { meshesOf, qualityOf } from './gi-quality.mjs';
import { nearContactPoses, sample } from './inputs.mjs';
import { median, peerAll, peerFirst, peerTree, printRace, printTable, race, round } from './race.mjs';

/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('#src/representations/gi/format/pages').PageRole} PageRole */

/** @type {PageRole[][]} */
const PAGES = [
  ['geometry', 'normals', 'spheres', 'deviation', 'slabs'],
  ['geometry', 'spheres', 'deviation', 'slabs'],
  ['geometry', 'normals', 'spheres'],
  ['geometry', 'spheres'],
  ['geometry', 'normals'],
  ['geometry'],
];

/**
 * The file with fewer and fewer of its pages, and the seed paper's: bytes, and milliseconds to read
 * it, what is made for it included; the least of three.
 *
 * @param {import('gicollide').GeometryImage} image
 * @param {import('gicollide').GeometryImage} seed the same with the paper's spheres
 */
async function filesOf(image, seed) {
  /** @type {Record<string, Record<string, number>>} */
  const files = {};
  const written = PAGES.map((pages) => ({ name: pages.join(' '), of: image, pages }));
  written.push({ name: "the seed paper's", of: seed, pages: ['geometry', 'normals', 'spheres'] });
  for (const { name, of, pages } of written) {
    const file = await write(of, { pages });
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i++) {
      const { user, system } = process.cpuUsage();
      await read(file);
      const spent = process.cpuUsage();
      least = Math.min(least, (spent.user + spent.system - user - system) / 1000);
    }
    const triangles = 2 * image.quads;
    files[name] = {
      bytes: file.length,
      'bytes a triangle': round(file.length / triangles, 2),
      'ms to read': round(least),
    };
  }
  printTable('the file by its pages', files);
  return files;
}

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
  const files = await filesOf(image, build(mesh, { size, spheres: 'seed' }));
  keep({ size, poses: poses.length, first, all, tests, quality, bounds: printBounds(quick), files });
}
