// The time to build an asset of a mesh, by format and number of triangles, beside three-mesh-bvh
// and FCL in the same run. Also the trees alone over the triangles of an image: GI-COLLIDE says
// that OBB trees take "much more preprocessing" (B. Benes, N. Gomez Villanueva, 2005, section 5.3).
//
//   npm run bench -- build
import { build, identity, toMesh, write } from 'gicollide';
import { kernelFitter } from '#src/representations/gi/tree/kernel';
import { buildSphereTrees } from '#src/representations/gi/tree/sphere-tree';
import { bumpyBall, sample, subdivided } from './inputs.mjs';
import { reasonNotToRun, runFcl } from './native/fcl.mjs';
import { digits, elapsed, peerTree, printTable, round, startClock, timeOf } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {Record<string, (mesh: Mesh) => unknown>} Makers */

/** @type {Makers} */
const TREES = {
  'OBB tree, 40 bytes a node': (mesh) => build(mesh, { format: 'obb' }),
  'OBB tree, 20 bytes a node': (mesh) => build(mesh, { format: 'obb', nodeBytes: 20 }),
  'OBB tree, 64 bytes a node': (mesh) => build(mesh, { format: 'obb', nodeBytes: 64 }),
  'k-DOP tree': (mesh) => build(mesh, { format: 'kdop' }),
  'three-mesh-bvh': peerTree,
};

/** @type {Makers} */
const ASSETS = {
  'geometry image of 257': (mesh) => build(mesh, { size: 257 }),
  ...TREES,
  'cubes, a hundredth wide': (mesh) => build(mesh, { format: 'voxel', precision: 0.01 }),
};

/**
 * Milliseconds of each, of up to three runs the median; FCL's of its own process.
 *
 * @param {Mesh} mesh
 * @param {Makers} makers
 * @param {boolean} native
 */
function timesOf(mesh, makers, native) {
  /** @type {Record<string, number | null>} */
  const row = { triangles: mesh.triangles.length / 3 };
  for (const [name, make] of Object.entries(makers)) {
    const first = timeOf(() => make(mesh));
    row[name] = digits(first > 2000 ? first : timeOf(() => make(mesh), 3));
  }
  if (native) row['FCL, OBB tree'] = digits(runFcl(mesh, mesh, [identity()], 1, 1).buildMs[0]);
  return row;
}

/**
 * Milliseconds of processor time of each tree, of so many rounds the least, in which all take
 * turns; and how many times as long as three-mesh-bvh that is. Warm, as a pipeline is after its
 * first meshes.
 *
 * @param {Mesh} mesh
 * @param {number} rounds
 */
function warmTimesOf(mesh, rounds) {
  /** @type {Record<string, number>} */
  const least = {};
  for (let i = 0; i < rounds; i++) {
    for (const [name, make] of Object.entries(TREES)) {
      startClock();
      make(mesh);
      least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, elapsed());
    }
  }
  const triangles = mesh.triangles.length / 3;
  /** @type {Record<string, number | null>} */
  const ratios = { triangles };
  /** @type {Record<string, number | null>} */
  const times = { triangles };
  for (const [name, ms] of Object.entries(least)) {
    times[name] = digits(ms);
    ratios[name] = digits(ms / least['three-mesh-bvh']);
  }
  return { times, ratios };
}

/**
 * Bytes of each asset's file for each triangle of the mesh.
 *
 * @param {Mesh} mesh
 * @param {Makers} makers
 */
async function bytesOf(mesh, makers) {
  const triangles = mesh.triangles.length / 3;
  /** @type {Record<string, number>} */
  const row = { triangles };
  for (const [name, make] of Object.entries(makers)) {
    if (make === peerTree) continue;
    const file = await write(/** @type {import('gicollide').Asset} */ (make(mesh)));
    row[name] = round(file.length / triangles);
  }
  return row;
}

/** @param {import('./race.mjs').Run} run */
export default async function building({ quick, options, keep }) {
  const reason = options['no-native'] ? 'not wanted' : reasonNotToRun();
  if (reason) console.log(`native bench skipped: ${reason}`);
  const bunny = sample('bunny');
  const fine = () => subdivided(subdivided(bunny));
  /** @type {Record<string, () => Mesh>} */
  const meshes = quick
    ? { bolt: () => sample('bolt') }
    : {
        bunny: () => bunny,
        'torus, which takes charts': () => sample('torus'),
        'fine bunny': fine,
        'finer bunny': () => subdivided(subdivided(fine())),
      };
  /** @type {Record<string, () => Mesh>} */
  const smooth = quick
    ? { bolt: () => sample('bolt') }
    : {
        'divided bunny': () => subdivided(bunny),
        'bumpy ball': () => bumpyBall(1),
        'finest bunny': () => subdivided(subdivided(subdivided(subdivided(bunny)))),
      };
  /** @type {Record<string, ReturnType<typeof warmTimesOf>>} */
  const warm = {};
  for (const [name, make] of Object.entries(smooth)) {
    const mesh = make();
    warm[name] = warmTimesOf(mesh, quick ? 2 : mesh.triangles.length > 1.5e6 ? 3 : 12);
  }
  const tableOf = (/** @type {'times' | 'ratios'} */ what) =>
    Object.fromEntries(Object.entries(warm).map(([name, found]) => [name, found[what]]));
  printTable('ms of processor time, warm, the least', tableOf('times'));
  printTable('the same, three-mesh-bvh 1', tableOf('ratios'));

  /** @type {Record<string, Record<string, number | null>>} */
  const assets = {};
  for (const [name, make] of Object.entries(meshes)) assets[name] = timesOf(make(), quick ? TREES : ASSETS, !reason);
  printTable('ms to make', assets);

  const [[first, makeFirst]] = Object.entries(meshes);
  const bytes = { [first]: await bytesOf(makeFirst(), quick ? TREES : ASSETS) };
  printTable('bytes of the file for each triangle of the mesh', bytes);

  const image = build(bunny, { size: quick ? 65 : 257 });
  const [{ geometry, exponent, count }] = image.groups;
  const spheres = {
    'spheres and slabs': () => buildSphereTrees(geometry, exponent, count, image, 'tight', kernelFitter).slabs,
  };
  const trees = timesOf({ ...toMesh(image), groups: [] }, { ...spheres, ...TREES }, !reason);
  printTable("ms for a tree of an image's triangles", { [`image of ${2 ** exponent + 1}`]: trees });
  keep({ native: reason ?? 'FCL', warm, assets, bytes, trees });
}
