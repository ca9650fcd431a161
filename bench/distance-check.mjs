// The least distance of two bodies with a gap, by the kernel and by the common path, beside FCL's
// RSS trees (bench/native), which run directly before on the same triangles and poses.
//
//   npm run bench -- distance
//   ... --only=<text>       only pairs with the text in their names
//   ... --sets=<folder>     your own sets (README.md, speed), and their poses without contact
//   ... --no-native         without FCL
//
// Gaps are 1e-3 to 1 of the larger body's size. Poses take turns, so that no pose follows a similar
// one. The time of a pose is the minimum of its rounds; FCL is asked each pose five times in a row.
// The worst pose of a pair has the largest ratio to FCL. `frames` differ by 1e-3 of the size and a
// third of a degree: a prepared pair starts with the triangles of the last frame.
import { build, check, compose, prepare, rotation, toMesh, translation } from 'gicollide';
import { direction, npmTeapot, randomTurn, sample, seeded, subdivided } from './inputs.mjs';
import { reasonNotToRun, runFclDistance } from './native/fcl.mjs';
import { digits, fastest, mean, median, printTable } from './race.mjs';
import { pairsOfFolder } from './speed-check.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Surface} Surface */
/** @typedef {import('gicollide').Pose} Pose */

const GAPS = [1e-3, 1e-2, 1e-1, 1];
const OWN = 'own poses';
const ROUNDS = 5;
const FRAMES = 10;
const PREPARED = 'obb, 64 bytes, prepared';
const FCL = 'FCL, RSS';

/** @type {(surface: Surface) => Asset} */
const wide = (surface) => build({ ...surface, groups: [] }, { format: 'obb', nodeBytes: 64 });

/** @param {readonly Asset[]} pair */
const preparedDistance = ([a, b]) => {
  const checker = prepare(a, b);
  return (/** @type {Pose} */ pose) => checker.distance(pose) ?? Number.NaN;
};

/** @param {readonly Asset[]} pair @returns {(pose: Pose) => number} */
const commonDistance =
  ([a, b]) =>
  (poseB) =>
    check(a, b, { poseB, distance: true, path: 'common' }).distance ?? Number.NaN;

/**
 * @typedef {object} Pair
 * @property {readonly Surface[]} meshes
 * @property {Asset[]} [images]
 * @property {readonly Pose[]} [poses] of one's own set
 */

/** @returns {Record<string, () => Pair>} */
function pairs() {
  const fine = () => subdivided(subdivided(sample('bunny')));
  return {
    'bunny-bunny': () => ({ meshes: [sample('bunny'), sample('bunny')] }),
    'fine bunny-fine bunny': () => ({ meshes: [fine(), fine()] }),
    'teapot-bunny': () => ({ meshes: [npmTeapot(), sample('bunny')] }),
    'bunny image-blob image': () => {
      const images = ['bunny', 'blob'].map((name) => build(sample(name), { size: 257 }));
      return { meshes: images.map(toMesh), images };
    },
  };
}

/** @param {Surface} surface */
function sizeOf({ positions }) {
  const sides = [0, 1, 2].map((k) => {
    const along = positions.filter((_, i) => i % 3 === k);
    return along.reduce((a, b) => Math.max(a, b), -Infinity) - along.reduce((a, b) => Math.min(a, b), Infinity);
  });
  return Math.max(...sides);
}

/**
 * Poses of b that leave such a gap, found by halving along random directions.
 *
 * @param {readonly Surface[]} meshes
 * @param {number} count
 * @param {number} gap
 */
function posesWithGap(meshes, count, gap) {
  const random = seeded(1999);
  const size = Math.max(...meshes.map(sizeOf));
  const checker = prepare(wide(meshes[0]), wide(meshes[1]));
  return Array.from({ length: count }, () => {
    const [x, y, z] = direction(random);
    const turn = randomTurn(random);
    const at = (/** @type {number} */ s) => compose(translation(s * x, s * y, s * z), turn);
    let [low, high] = [0, 5 * size];
    for (let i = 0; i < 30; i++) {
      const middle = (low + high) / 2;
      if ((checker.distance(at(middle)) ?? 0) < gap * size) low = middle;
      else high = middle;
    }
    return at(high);
  });
}

/**
 * Poses that follow each other from each of these.
 *
 * @param {readonly Surface[]} meshes
 * @param {readonly Pose[]} poses
 */
function framesFrom(meshes, poses) {
  const step = 1e-3 * Math.max(...meshes.map(sizeOf));
  return poses.flatMap((pose) =>
    Array.from({ length: FRAMES }, (_, i) =>
      compose(translation(step * i, 0, 0), compose(pose, rotation(1, 2, 3, 0.3 * i))),
    ),
  );
}

/**
 * The poses by name: those of one's own set that don't touch, those with each gap, and frames.
 *
 * @param {Pair} pair
 * @param {(pose: Pose) => number} distanceAt
 * @param {number} count
 */
function posesOf({ meshes, poses }, distanceAt, count) {
  const apart = poses?.filter((pose) => distanceAt(pose) > 0).slice(0, count) ?? [];
  const withGap = Object.fromEntries(GAPS.map((gap) => [`gap ${gap}`, posesWithGap(meshes, count, gap)]));
  const frames = framesFrom(meshes, withGap['gap 0.01'].slice(0, Math.ceil(count / 5)));
  return { ...(apart.length > 0 && { [OWN]: apart }), ...withGap, frames };
}

/** @typedef {{ at: string, us: number, fcl: number, ratio: number }} Worst */

/**
 * Times all contestants, FCL directly after.
 *
 * @param {Pair} pair
 * @param {number} count
 * @param {{ hasFcl: boolean }} options
 */
function measure(pair, count, { hasFcl }) {
  const { meshes, images } = pair;
  const trees = meshes.map(wide);
  /** @type {Record<string, (pose: Pose) => number>} */
  const contestants = {
    [PREPARED]: preparedDistance(trees),
    'obb, 64 bytes, common path': commonDistance(trees),
    ...(images && { 'geometry images, prepared': preparedDistance(images) }),
  };
  const query = contestants[PREPARED];
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = Object.fromEntries([...Object.keys(contestants), FCL].map((row) => [row, {}]));
  let differs = 0;
  /** @type {number[]} */
  const ratios = [];
  /** @type {Worst | null} */
  let worst = null;
  for (const [at, poses] of Object.entries(posesOf(pair, query, count))) {
    const times = fastest(contestants, poses, ROUNDS);
    const fcl = hasFcl ? runFclDistance(meshes, poses, ROUNDS) : null;
    const peer = fcl?.times.map((samples) => Math.min(...samples)) ?? [];
    for (const row of Object.keys(contestants)) rows[row][at] = digits(median(times[row]));
    rows[FCL][at] = fcl && digits(median(peer));
    for (const [i, other] of peer.entries()) {
      differs = Math.max(differs, Math.abs(query(poses[i]) - Number(fcl?.distance[i])));
      const us = times[PREPARED][i];
      ratios.push(us / other);
      if (us / other > (worst?.ratio ?? 0)) worst = { at, us, fcl: other, ratio: us / other };
    }
  }
  return { rows, differs, ratios, worst };
}

/** @param {import('./race.mjs').Run} run */
export default function distance({ quick, options, keep }) {
  const reason = options['no-native'] ? '--no-native' : reasonNotToRun();
  if (reason) console.log(`without FCL: ${reason}`);
  const count = quick ? 2 : 20;
  const chosen = Object.entries(options.sets ? pairsOfFolder(options.sets) : pairs()).filter(([name]) =>
    name.includes(options.only ?? (quick && !options.sets ? 'bunny-bunny' : '')),
  );
  /** @type {Record<string, object>} */
  const measured = {};
  for (const [name, make] of chosen.slice(0, quick ? 1 : undefined)) {
    const pair = make();
    const { rows, differs, ratios, worst } = measure(pair, count, { hasFcl: !reason });
    printTable(`${name}, us a distance, medians`, rows);
    const ratio = reason ? null : digits(Math.exp(mean(ratios.map(Math.log))));
    if (worst)
      console.log(
        `  prepared / FCL: mean ${ratio}, median ${digits(median(ratios))}; worst ${digits(worst.ratio)} at ${worst.at}: ` +
          `${digits(worst.us)} and ${digits(worst.fcl)} us; largest difference from FCL's distance ${differs.toPrecision(2)}`,
      );
    measured[name] = {
      triangles: pair.meshes.map((/** @type {Surface} */ { triangles }) => triangles.length / 3),
      poses: count,
      us: rows,
      ratio,
      medianRatio: reason ? null : digits(median(ratios)),
      worstPose: worst && { at: worst.at, us: digits(worst.us), fcl: digits(worst.fcl), ratio: digits(worst.ratio) },
      worst: reason ? null : differs,
    };
  }
  keep({ gaps: GAPS, pairs: measured });
}
