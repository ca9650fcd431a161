// OBB trees of 40 and 20 bytes a node, and the common path, beside three-mesh-bvh in the same run
// on the same meshes: poses near contact, first contact and all contacts, bytes, and the gain of
// the cache of decoded boxes in a slow motion. Also long lists of contacts in trees of 64 bytes a
// node, by the kernel and by the readable search.
//
//   npm run bench -- obb
import { build, check, compose, identity, representationOf, rotation, translation } from 'gicollide';
import { checkObbTrees } from '#src/representations/obb/search/descent';
import { kernelOfWideTrees } from '#src/representations/obb/search/kernel';
import { createCursor } from '#src/representations/obb/tree/cursor';
import { nearContactPoses, sample } from './inputs.mjs';
import { median, peerAll, peerBytes, peerFirst, peerTree, printRace, race, round, timeOf } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./race.mjs').Ask} Ask */

/** @param {Mesh} mesh @param {20 | 40} nodeBytes */
const treeOf = (mesh, nodeBytes) => build(mesh, { format: 'obb', nodeBytes });

/**
 * @param {readonly Mesh[]} meshes
 * @param {boolean} quick
 */
function contest(meshes, quick) {
  const [a, b] = meshes.map((mesh) => treeOf(mesh, 40));
  const [a20, b20] = meshes.map((mesh) => treeOf(mesh, 20));
  const [peerA, peerB] = meshes.map(peerTree);
  const poses = nearContactPoses(a, b, quick ? 4 : 60, 1996);
  /** @type {(p: ObbTree, q: ObbTree, more?: { path: 'common' }) => Ask} */
  const meets = (p, q, more) => (pose) => check(p, q, { poseB: pose, ...more }).verdict === 'contact';
  /** @type {(p: ObbTree, q: ObbTree, more?: { path: 'common' }) => Ask} */
  const counts = (p, q, more) => (pose) =>
    check(p, q, { poseB: pose, all: true, maxContacts: 1e6, ...more }).contacts.count;
  const first = race(
    {
      'obb, 40 bytes a node': meets(a, b),
      'obb, 20 bytes a node': meets(a20, b20),
      'obb, common path': meets(a, b, { path: 'common' }),
      'three-mesh-bvh': (pose) => peerFirst(peerA, peerB, pose),
    },
    poses,
  );
  printRace('first contact', first);
  const all = race(
    {
      'obb, 40 bytes a node': counts(a, b),
      'obb, 20 bytes a node': counts(a20, b20),
      'obb, common path': counts(a, b, { path: 'common' }),
      'three-mesh-bvh': (pose) => peerAll(peerA, peerB, pose),
    },
    poses,
  );
  printRace('all contacts', all);
  const differing = poses.filter((pose) => meets(a, b)(pose) !== peerFirst(peerA, peerB, pose)).length;
  console.log(`verdicts that differ from three-mesh-bvh: ${differing} of ${poses.length}`);
  /** @param {ObbTree} p @param {ObbTree} q */
  const bounds = (p, q) => median(poses.map((pose) => check(p, q, { poseB: pose }).tests.bounds));
  const tests = { 40: bounds(a, b), 20: bounds(a20, b20) };
  console.log(`first contact, median pairs of bounds tested: ${tests[40]} (40 bytes), ${tests[20]} (20 bytes)`);
  return { first, all, tests };
}

/**
 * Bytes of tree a triangle.
 *
 * @param {Mesh} mesh
 */
async function bytesOf(mesh) {
  /** @param {20 | 40} nodeBytes */
  const own = async (nodeBytes) => {
    const tree = treeOf(mesh, nodeBytes);
    return Number((await representationOf(tree).describe(tree, null)).treeBytesPerTriangle);
  };
  return {
    40: await own(40),
    20: await own(20),
    'three-mesh-bvh': peerBytes(peerTree(mesh)) / (mesh.triangles.length / 3),
  };
}

/**
 * Milliseconds of a motion of small steps that brushes the other body, all contacts, with the cache
 * of decoded boxes and without.
 *
 * @param {ObbTree} tree
 * @param {number} steps
 */
function motion(tree, steps) {
  const poses = Array.from({ length: steps }, (_, i) =>
    compose(translation(0.35 + 1e-5 * i, 1e-5 * i, 0), rotation(0, 1, 0, 0.02 * i)),
  );
  let contacts = 0;
  /** @param {number} [slots] of a cache */
  const runner = (slots) => {
    const cursors = /** @type {const} */ ([createCursor(tree, slots), createCursor(tree, slots)]);
    return () => {
      for (const poseB of poses) {
        const query = { poseA: identity(), poseB, all: true, maxContacts: 1e6, level: null };
        contacts += checkObbTrees(tree, tree, query, ...cursors).contacts.count;
      }
    };
  };
  const [cached, uncached] = [runner(), runner(1)];
  cached();
  uncached();
  const withCache = round(timeOf(cached, 5));
  const without = round(timeOf(uncached, 5));
  if (Number.isNaN(contacts)) throw new Error('the results were used');
  return { withCache, without, gain: round(without / withCache, 2) };
}

/**
 * A fan of triangles. Each meets each triangle of another, upright fan.
 *
 * @param {number} count
 * @returns {Mesh}
 */
function fan(count) {
  const corners = Array.from({ length: count }, (_, i) => (0.02 * i) / count).flatMap((z) => [
    -1,
    -1,
    z,
    1,
    -1,
    z,
    0,
    2,
    z,
  ]);
  return {
    positions: Float64Array.from(corners),
    triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i),
    groups: [],
  };
}

/**
 * Microseconds of a list of so many contacts squared, pairs and their order included.
 *
 * @param {number} count
 */
function longList(count) {
  const mesh = fan(count);
  const [a, b] = [mesh, mesh].map((surface) => build(surface, { format: 'obb', nodeBytes: 64 }));
  const [peerA, peerB] = [mesh, mesh].map(peerTree);
  const query = (/** @type {Pose} */ poseB) => ({ poseA: identity(), poseB, all: true, maxContacts: 1e9, level: null });
  const kernel = kernelOfWideTrees(a, b);
  if (!kernel) throw new Error('no kernel');
  const times = race(
    {
      kernel: (pose) => kernel.search(query(pose))?.contacts.pairs.length ?? Number.NaN,
      search: (pose) => checkObbTrees(a, b, query(pose)).contacts.pairs.length,
      'three-mesh-bvh': (pose) => peerAll(peerA, peerB, pose),
    },
    [rotation(1, 0, 0, 90)],
    3,
  );
  return { ...times, gain: round(times.search / times.kernel, 2) };
}

/** @param {import('./race.mjs').Run} run */
export default async function obb({ quick, keep }) {
  /** @type {Record<string, object>} */
  const pairs = {};
  const named = quick ? [['bolt', 'torus']] : [['bunny', 'bunny'], ['star', 'boulder']]; // biome-ignore format: a table
  for (const names of named) {
    const meshes = names.map(sample);
    console.log(
      `\n${names.map((name, i) => `${name} (${meshes[i].triangles.length / 3} triangles)`).join(' against ')}`,
    );
    pairs[names.join('-')] = contest(meshes, quick);
  }
  const bytes = await bytesOf(sample('boulder'));
  console.log('\nbytes of tree a triangle', bytes);
  const mesh = sample(quick ? 'bolt' : 'bunny');
  const steps = quick ? 10 : 1000;
  const cache = { 40: motion(treeOf(mesh, 40), steps), 20: motion(treeOf(mesh, 20), steps) };
  console.log(`${steps} steps of a motion, all contacts, milliseconds`, cache);
  /** @type {Record<string, object>} */
  const lists = {};
  for (const count of quick ? [10] : [10, 100, 1000]) lists[count * count] = longList(count);
  console.log('lists of so many contacts, microseconds', lists);
  keep({ pairs, bytes, steps, cache, lists });
}
