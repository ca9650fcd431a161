// The cost of --source for two bunnies' images, with and without their sources' triangles, beside
// the plain check of the images and OBB trees of the same meshes, in one run. Also the smallest gap
// that --source can still decide.
//
//   npm run bench -- source
import { build, check, compose, translation, write } from 'gicollide';
import { nearContactPoses, sample } from './inputs.mjs';
import { digits, median, printRace, race } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').CheckOptions} CheckOptions */
/** @typedef {import('gicollide').Pose} Pose */

/** @type {(asset: Asset, options?: CheckOptions) => (pose: Pose) => boolean} */
const asks = (asset, options) => (pose) => check(asset, asset, { poseB: pose, ...options }).verdict === 'contact';

/** @type {(asset: Asset, options?: CheckOptions) => (pose: Pose) => number} */
const counts = (asset, options) => (pose) =>
  check(asset, asset, { poseB: pose, all: true, maxContacts: 1e6, ...options }).contacts.count;

/** @type {(asset: Asset, options?: CheckOptions) => (pose: Pose) => number} */
const measures = (asset, options) => (pose) =>
  check(asset, asset, { poseB: pose, distance: true, ...options }).bracket?.upper ?? 0;

/**
 * Milliseconds of the worst that is known: all of one surface is as far from the other.
 *
 * @param {number} size
 */
function nestedTime(size) {
  const mesh = sample('blob');
  const around = { ...mesh, positions: mesh.positions.map((x) => 1.02 * x) };
  const [inner, outer] = [mesh, around].map((of) => build(of, { size }));
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    check(inner, outer, { source: true, distance: true });
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return digits(median(times));
}

/**
 * How far apart the sources are when --source first says clear, in tolerances of both: each clear
 * pose is moved outward in steps of a quarter.
 *
 * @param {Asset} image
 * @param {Asset} tree of the source's own triangles
 * @param {readonly Pose[]} clear
 */
function toldFrom(image, tree, clear) {
  const { tolerance } = check(image, image, { poseB: clear[0] });
  if (!tolerance) throw new Error('expected a tolerance');
  const { missing } = tolerance;
  const apart = clear.map((pose) => {
    for (let s = missing / 64; ; s *= 1.25) {
      const away = compose(translation(s * pose[3], s * pose[7], s * pose[11]), pose);
      if (check(image, image, { poseB: away, source: true }).verdict !== 'clear') continue;
      return (check(tree, tree, { poseB: away, distance: true }).distance ?? 0) / missing;
    }
  });
  return digits(median(apart));
}

/** @param {import('./race.mjs').Run} run */
export default async function source({ quick, keep }) {
  const size = quick ? 65 : 257;
  const mesh = sample('bunny');
  const image = build(mesh, { size });
  const exact = build(mesh, { size, embedSource: true });
  const tree = build(mesh, { format: 'obb' });
  const poses = nearContactPoses(tree, tree, quick ? 4 : 60, 2006);
  const first = race(
    {
      'images, plain': asks(image),
      'images, common path': asks(image, { path: 'common' }),
      'images, --source': asks(image, { source: true }),
      'images with sources, --source': asks(exact, { source: true }),
      'OBB trees': asks(tree),
    },
    poses,
  );
  printRace('first contact', first);
  const all = race(
    {
      'images, plain': counts(image),
      'images with sources, --source': counts(exact, { source: true }),
      'OBB trees': counts(tree),
    },
    poses,
  );
  printRace('all contacts', all);
  const far = race(
    {
      'images, --distance': measures(image),
      'images, --source --distance': measures(image, { source: true }),
      'images, --source --clearance': asks(image, { source: true, clearance: 1e-3 }),
    },
    poses,
  );
  printRace('how far apart', far);
  const nested = nestedTime(size);
  console.log(`a body in another, --source --distance: ${nested} ms of processor time`);
  const wrong = poses.filter((pose) => counts(exact, { source: true })(pose) !== counts(tree)(pose)).length;
  console.log(`lists of the sources that differ in length from the OBB trees': ${wrong} of ${poses.length}`);
  const clear = poses.filter((_, i) => i % 2 === 0);
  const told = toldFrom(image, tree, clear);
  console.log(`--source tells sources apart from ${told} of both tolerances on (median)`);
  const bytes = { plain: (await write(image)).length, withSource: (await write(exact)).length };
  console.log(`bytes: ${bytes.plain}, with the source ${bytes.withSource}`);
  keep({ size, poses: poses.length, first, all, far, nested, told, bytes });
}
