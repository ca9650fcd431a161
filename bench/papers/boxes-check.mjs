// Spheres against boxes, the seed's Figure 11: each pair of 2 to 256 bunnies is asked for its first
// contact, and what it takes to make the trees. FCL's OBB trees, from which RAPID's differ little,
// have RAPID's place; our own have 40 and 64 bytes a node. B. Benes, N. Gomez Villanueva,
// "GI-COLLIDE", SCCG 2005, section 5.3.
//
//   npm run bench -- papers/boxes
//
// All have the triangles of one image of the paper's size. "Spheres alone" are the tree of the paper,
// descended in JavaScript (../sphere-descents.mjs): the product has a slab beside each sphere.
import { build, openPair, prepare, toMesh } from 'gicollide';
import { buildSlabs } from '#src/representations/gi/tree/slab-tree';
import { buildSphereTrees } from '#src/representations/gi/tree/sphere-tree';
import { relativePoses, sample } from '../inputs.mjs';
import { reasonNotToRun, runFcl } from '../native/fcl.mjs';
import { digits, elapsed, mean, median, printTable, startClock, sum, timeOf } from '../race.mjs';
import { bodyOf, meetByIndex, tested } from '../sphere-descents.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */

/** What the paper says in section 5.3; its curves are an image. */
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

/**
 * Microseconds a pair of each way, medians of rounds in which they take turns, and how many touch.
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
  const us = Object.fromEntries(Object.keys(ways).map((name, i) => [name, median(runs.map((run) => run[i].us))]));
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
  const body = bodyOf(image);
  const trees = Object.entries(BOXES).map(([name, make]) => /** @type {const} */ ([name, make(mesh)]));
  /** @type {Record<string, (pose: Pose) => boolean>} */
  const ways = {
    'spheres alone': (pose) => meetByIndex(body, body, pose),
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
    const ofFcl = fcl && (1000 * median(fcl.inTurn[0])) / poses.length;
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
  return { rows, tests: testsOf(image, trees, counts[counts.length - 1]) };
}

/** @param {Asset} tree */
function askerOf(tree) {
  const pair = prepare(tree, tree);
  return (/** @type {Pose} */ pose) => pair.contact(pose);
}

/**
 * How many pairs of bounds are tested, and of triangles, by pairs that are not in contact: means of
 * those whose outermost bounds overlap.
 *
 * @param {import('gicollide').GeometryImage} image
 * @param {readonly (readonly [string, Asset])[]} trees
 * @param {number} count
 */
function testsOf(image, trees, count) {
  const body = bodyOf(image);
  const alone = relativePoses(count).flatMap((pose) => {
    const touches = meetByIndex(body, body, pose);
    return touches || tested.spheres <= 4 ? [] : [{ pose, bounds: tested.spheres, triangles: tested.triangles }];
  });
  const meanOf = (/** @type {{ bounds: number, triangles: number }[]} */ tests) => ({
    bounds: digits(mean(tests.map(({ bounds }) => bounds))),
    triangles: digits(mean(tests.map(({ triangles }) => triangles))),
  });
  const ofAsset = (/** @type {Asset} */ asset) => {
    const pair = openPair(asset, asset, { questions: 1 }); // always answered by the search
    return meanOf(
      alone.map(({ pose: poseB }) => {
        const { bounds, hulls } = pair.report({ poseB }).tests;
        return { bounds, triangles: hulls };
      }),
    );
  };
  return {
    misses: alone.length,
    'spheres alone': meanOf(alone),
    image: ofAsset(image),
    ...Object.fromEntries(trees.map(([name, tree]) => [name, ofAsset(tree)])),
  };
}

/**
 * Milliseconds to make the trees of an image, and to make the image.
 *
 * @param {number} size
 * @param {boolean} native
 */
function preprocessing(size, native) {
  const { image, mesh } = imageOf(size);
  const [{ geometry, exponent, count }] = image.groups;
  const rounds = size > SIZE ? 1 : ROUNDS;
  const tree = buildSphereTrees(geometry, exponent, count, image);
  const slabs = timeOf(() => buildSlabs(geometry, exponent, count, image, tree), rounds);
  // Slabs are made with the spheres, whichever these are.
  const ofSpheres = (/** @type {'seed' | 'tight'} */ way) =>
    digits(timeOf(() => buildSphereTrees(geometry, exponent, count, image, way), rounds) - slabs);
  return {
    triangles: mesh.triangles.length / 3,
    "the paper's spheres": ofSpheres('seed'),
    'tight spheres': ofSpheres('tight'),
    slabs: digits(slabs),
    ...Object.fromEntries(
      Object.entries(BOXES).map(([name, make]) => [name, digits(timeOf(() => make(mesh), rounds))]),
    ),
    FCL: native ? digits(runFcl(mesh, mesh, [relativePoses(2)[0]], 1, 1).buildMs[0]) : null,
    'the image itself': digits(timeOf(() => imageOf(size), 1)),
  };
}

/** @param {import('../race.mjs').Run} run */
export default function boxes({ quick, options, keep }) {
  const reason = options['no-native'] ? 'as asked' : reasonNotToRun();
  if (reason) console.log(`native bench skipped: ${reason}`);
  const counts = quick ? [8, 16] : [2, 4, 8, 16, 32, 64, 128, 256];
  const rounds = quick ? 1 : ROUNDS;
  const { rows, tests } = collisions(counts, rounds, !reason);
  printTable('so many bunnies, us a collision', rows);
  const { misses, ...means } = tests;
  printTable(`mean tests of ${misses} near misses`, means);
  /** @type {Record<string, ReturnType<typeof preprocessing>>} */
  const made = {};
  for (const size of quick ? [33] : [65, 129, 257, 513]) made[size] = preprocessing(size, !reason);
  printTable('ms to make', made);
  keep({ native: reason ? null : 'FCL', runs: rounds, size: SIZE, rows, tests, made, paper: PAPER });
}
