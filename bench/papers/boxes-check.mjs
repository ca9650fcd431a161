// Spheres against boxes, the seed's Figure 11: each pair of 2 to 256 bunnies is asked for its first
// contact, and what it takes to make the trees. FCL's OBB trees, from which RAPID's differ little,
// have RAPID's place; our own have 40 and 64 bytes a node. B. Benes, N. Gomez Villanueva,
// "GI-COLLIDE", SCCG 2005, section 5.3.
//
//   npm run bench -- papers/boxes
//
// All have the triangles of one image of the paper's size. "Spheres alone" are the paper's tree and
// its query: its times are those of ../sphere-descents.mjs, which tests the pairs that `check`
// tests by spheres alone. "Tight spheres" are ours, asked in the same way; the product has a slab
// beside each of them.
import { build, check, openPair, prepare, toMesh } from 'gicollide';
import { buildSphereTrees } from '#src/representations/gi/tree/sphere-tree';
import { relativePoses, sample } from '../inputs.mjs';
import { reasonNotToRun, runFcl } from '../native/fcl.mjs';
import { digits, elapsed, mean, printTable, startClock, sum, timeOf } from '../race.mjs';
import { bodyOf, meetByIndex } from '../sphere-descents.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */

/** Figures of the paper's section 5.3. Its curves are only an image. */
const PAPER = { 'RAPID is faster by, ms a collision': 0.148, triangles: 8450, bodies: [2, 256] };

const SIZE = 65;
const ROUNDS = 5;
/** Calls of pairs that one time is of, at least: the clock is too coarse for a call. */
const CALLS = 2000;

/** @type {Record<string, (mesh: Mesh) => Asset>} */
const BOXES = {
  'OBB, 40 bytes': (mesh) => build(mesh, { format: 'obb' }),
  'OBB, 64 bytes': (mesh) => build(mesh, { format: 'obb', nodeBytes: 64 }),
};

/** An image of so many samples a side, and its triangles. @param {number} size */
function imageOf(size) {
  const image = build(sample('bunny'), { size });
  return { image, mesh: { ...toMesh(image), groups: [] } };
}

/** The same image with the paper's spheres. @param {GeometryImage} image */
function seedOf(image) {
  const groups = image.groups.map((group) => {
    const { geometry, exponent, count } = group;
    return { ...group, tree: buildSphereTrees(geometry, exponent, count, image, 'seed') };
  });
  return { ...image, groups };
}

/** The least milliseconds of so many calls. @param {() => unknown} work @param {number} rounds */
const leastOf = (work, rounds) => Math.min(...Array.from({ length: rounds }, () => timeOf(work)));

/**
 * Microseconds a pair of each way, the least of rounds in which they take turns, and how many
 * touch.
 *
 * @param {Readonly<Record<string, (pose: Pose) => boolean>>} ways
 * @param {readonly Pose[]} poses
 * @param {number} rounds
 */
function inTurns(ways, poses, rounds) {
  const sweeps = Math.ceil(CALLS / poses.length);
  /** @param {(pose: Pose) => boolean} meet */
  const sweep = (meet) => {
    let contacts = 0;
    startClock();
    for (let i = 0; i < sweeps; i++) for (const pose of poses) if (meet(pose)) contacts++;
    return { us: (1000 * elapsed()) / (sweeps * poses.length), contacts: contacts / sweeps };
  };
  const runs = Array.from({ length: rounds }, () => Object.values(ways).map(sweep));
  const [[{ contacts }]] = runs;
  if (runs.flat().some((run) => run.contacts !== contacts)) throw new Error('verdicts differ');
  const us = Object.fromEntries(Object.keys(ways).map((name, i) => [name, Math.min(...runs.map((run) => run[i].us))]));
  return { contacts, us };
}

/**
 * Figure 11: by number of bunnies, microseconds of all pairs over those that touch.
 *
 * @param {readonly number[]} counts
 * @param {number} rounds
 * @param {boolean} native
 */
function collisions(counts, rounds, native) {
  const { image, mesh } = imageOf(SIZE);
  const seed = seedOf(image);
  const [body, tightBody] = [bodyOf(seed), bodyOf(image)];
  const trees = Object.entries(BOXES).map(([name, make]) => /** @type {const} */ ([name, make(mesh)]));
  /** @type {Record<string, (pose: Pose) => boolean>} */
  const ways = {
    'spheres alone': (pose) => meetByIndex(body, body, pose),
    'tight spheres': (pose) => meetByIndex(tightBody, tightBody, pose),
    image: (pose) => imagePair.contact(pose),
    ...Object.fromEntries(trees.map(([name, tree]) => [name, askerOf(tree)])),
  };
  const imagePair = prepare(image, image);
  for (const pose of relativePoses(32)) for (const meet of Object.values(ways)) meet(pose); // warm
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  for (const count of counts) {
    const poses = relativePoses(count);
    const { contacts, us } = inTurns(ways, poses, rounds);
    const fcl = native ? runFcl(mesh, mesh, poses, 1, poses.length) : null;
    if (fcl && sum(fcl.hit) !== contacts) throw new Error(`${contacts} in contact, FCL says ${sum(fcl.hit)}`);
    const ofFcl = fcl && (1000 * Math.min(...fcl.inTurn[0])) / poses.length;
    const perCollision = { ...us, ...(ofFcl && { FCL: ofFcl }) };
    rows[count] = {
      ...{ pairs: poses.length, contacts },
      ...Object.fromEntries(
        Object.entries(perCollision).map(([name, time]) => [
          name,
          contacts > 0 ? digits((time * poses.length) / contacts) : null,
        ]),
      ),
    };
  }
  return { rows, tests: testsOf({ image, seed }, trees, counts[counts.length - 1]) };
}

/** @param {Asset} tree */
function askerOf(tree) {
  const pair = prepare(tree, tree);
  return (/** @type {Pose} */ pose) => pair.contact(pose);
}

/**
 * How many pairs of bounds are tested, and of triangles, by pairs that are not in contact: means of
 * those whose outermost spheres overlap, the paper's.
 *
 * @param {{ image: GeometryImage, seed: GeometryImage }} images
 * @param {readonly (readonly [string, Asset])[]} trees
 * @param {number} count
 */
function testsOf({ image, seed }, trees, count) {
  const alone = relativePoses(count).flatMap((pose) => {
    const { verdict, tests } = check(seed, seed, { poseB: pose, bounds: 'spheres' });
    return verdict === 'contact' || tests.bounds === 1 ? [] : [{ pose, bounds: tests.bounds, triangles: tests.hulls }];
  });
  const meanOf = (/** @type {{ bounds: number, triangles: number }[]} */ tests) => ({
    bounds: digits(mean(tests.map(({ bounds }) => bounds))),
    triangles: digits(mean(tests.map(({ triangles }) => triangles))),
  });
  const ofAsset = (/** @type {Asset} */ asset, /** @type {{ bounds?: 'spheres' }} */ options = {}) => {
    const pair = openPair(asset, asset, { questions: 1 }); // always answered by the search
    return meanOf(
      alone.map(({ pose: poseB }) => {
        const { bounds, hulls } = pair.report({ poseB, ...options }).tests;
        return { bounds, triangles: hulls };
      }),
    );
  };
  return {
    misses: alone.length,
    total: sum(alone.map(({ bounds }) => bounds)),
    'spheres alone': meanOf(alone),
    'tight spheres': ofAsset(image, { bounds: 'spheres' }),
    image: ofAsset(image),
    ...Object.fromEntries(trees.map(([name, tree]) => [name, ofAsset(tree)])),
  };
}

/**
 * Milliseconds to make the trees of an image, and to make the image: the least of some rounds.
 *
 * @param {number} size
 * @param {boolean} native
 */
function preprocessing(size, native) {
  const { image, mesh } = imageOf(size);
  const [{ geometry, exponent, count }] = image.groups;
  const rounds = size > SIZE ? 2 : ROUNDS;
  const spheres = (/** @type {'seed' | 'tight'} */ way) => buildSphereTrees(geometry, exponent, count, image, way);
  const ofSpheres = (/** @type {'seed' | 'tight'} */ way) => digits(leastOf(() => spheres(way), rounds));
  // They are made when they are first read.
  const trees = Array.from({ length: rounds }, () => spheres('tight'));
  const slabs = leastOf(() => /** @type {typeof trees[0]} */ (trees.pop()).slabs, rounds);
  return {
    triangles: mesh.triangles.length / 3,
    "the paper's spheres": ofSpheres('seed'),
    'tight spheres': ofSpheres('tight'),
    slabs: digits(slabs),
    ...Object.fromEntries(
      Object.entries(BOXES).map(([name, make]) => [name, digits(leastOf(() => make(mesh), rounds))]),
    ),
    FCL: native ? digits(fclBuildMs(mesh, rounds)) : null,
    'the image itself': digits(timeOf(() => imageOf(size), 1)),
  };
}

/** The least milliseconds that FCL takes for its tree. @param {Mesh} mesh @param {number} rounds */
const fclBuildMs = (mesh, rounds) =>
  Math.min(...Array.from({ length: rounds }, () => runFcl(mesh, mesh, [relativePoses(2)[0]], 1, 1).buildMs).flat());

/** @param {import('../race.mjs').Run} run */
export default function boxes({ quick, options, keep }) {
  const reason = options['no-native'] ? 'as asked' : reasonNotToRun();
  if (reason) console.log(`native bench skipped: ${reason}`);
  const counts = quick ? [8, 16] : [2, 4, 8, 16, 32, 64, 128, 256];
  const rounds = quick ? 1 : ROUNDS;
  const { rows, tests } = collisions(counts, rounds, !reason);
  printTable('so many bunnies, us a collision', rows);
  const { misses, total, ...means } = tests;
  console.log(`${total} tests of spheres alone in all near misses`);
  printTable(`mean tests of ${misses} near misses`, means);
  /** @type {Record<string, ReturnType<typeof preprocessing>>} */
  const made = {};
  for (const size of quick ? [33] : [65, 129, 257, 513]) made[size] = preprocessing(size, !reason);
  printTable('ms to make', made);
  keep({ native: reason ? null : 'FCL', runs: rounds, size: SIZE, rows, tests, made, paper: PAPER });
}
