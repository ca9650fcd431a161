// The least distance of two bodies that a gap parts, by the kernel and by the common path, against
// FCL's RSS trees (bench/native) directly before, on the same triangles and poses.
//
//   npm run bench -- distance
//   ... --only=<text>       only pairs with the text in their names
//   ... --no-native         without FCL
//
// Gaps are 1e-3 to 1 of the larger body's size. As in `speed`, a sample is the mean of so many calls
// of one query that they take 50 us or more; a pose counts by the median of five.
import { build, check, compose, prepare, toMesh, translation } from 'gicollide';
import { direction, npmTeapot, randomTurn, sample, seeded, subdivided } from './inputs.mjs';
import { reasonNotToRun, runFclDistance } from './native/fcl.mjs';
import { digits, elapsed, mean, median, printTable, startClock } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Surface} Surface */
/** @typedef {import('gicollide').Pose} Pose */

const GAPS = [1e-3, 1e-2, 1e-1, 1];
const ROUNDS = 5;
const SHORTEST = 0.05; // milliseconds a sample
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

/** @returns {Record<string, () => { meshes: readonly Surface[], images?: Asset[] }>} */
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
 * Microseconds a call, the median of five samples.
 *
 * @param {(pose: Pose) => number} query
 * @param {Pose} pose
 */
function timeAt(query, pose) {
  let sink = 0;
  const time = (/** @type {number} */ calls) => {
    startClock();
    for (let i = 0; i < calls; i++) sink += query(pose);
    return elapsed();
  };
  let calls = 1;
  while (time(calls) < SHORTEST) calls *= 2;
  const samples = Array.from({ length: ROUNDS }, () => (1000 * time(calls)) / calls);
  if (Number.isNaN(sink)) throw new Error('no distance');
  return median(samples);
}

/** @param {import('./race.mjs').Run} run */
export default function distance({ quick, options, keep }) {
  const reason = options['no-native'] ? '--no-native' : reasonNotToRun();
  if (reason) console.log(`without FCL: ${reason}`);
  const count = quick ? 2 : 20;
  const chosen = Object.entries(pairs()).filter(([name]) =>
    name.includes(options.only ?? (quick ? 'bunny-bunny' : '')),
  );
  /** @type {Record<string, object>} */
  const measured = {};
  for (const [name, make] of chosen.slice(0, quick ? 1 : undefined)) {
    const { meshes, images } = make();
    const trees = meshes.map(wide);
    /** @type {Record<string, (pose: Pose) => number>} */
    const contestants = {
      'obb, 64 bytes, prepared': preparedDistance(trees),
      'obb, 64 bytes, common path': commonDistance(trees),
      ...(images && { 'geometry images, prepared': preparedDistance(images) }),
    };
    /** @type {Record<string, Record<string, number | null>>} */
    const rows = Object.fromEntries([...Object.keys(contestants), FCL].map((row) => [row, {}]));
    let worst = 0;
    for (const gap of GAPS) {
      const poses = posesWithGap(meshes, count, gap);
      const fcl = reason ? null : runFclDistance(meshes, poses, ROUNDS);
      for (const [row, query] of Object.entries(contestants)) {
        for (const pose of poses) query(pose); // compiled before any is timed
        rows[row][`gap ${gap}`] = digits(median(poses.map((pose) => timeAt(query, pose))));
      }
      rows[FCL][`gap ${gap}`] = fcl && digits(median(fcl.times.map(median)));
      const query = contestants['obb, 64 bytes, prepared'];
      if (fcl) worst = Math.max(worst, ...poses.map((pose, i) => Math.abs(query(pose) - fcl.distance[i])));
    }
    const prepared = Object.values(rows['obb, 64 bytes, prepared']).map(Number);
    const peer = Object.values(rows[FCL]).map(Number);
    const ratio = reason ? null : digits(Math.exp(mean(prepared.map((time, i) => Math.log(time / peer[i])))));
    printTable(`${name}, us a distance, by gap`, rows);
    if (!reason)
      console.log(`  prepared / FCL ${ratio}; largest difference from FCL's distance ${worst.toPrecision(2)}`);
    measured[name] = {
      triangles: meshes.map(({ triangles }) => triangles.length / 3),
      poses: count,
      us: rows,
      ratio,
      worst: reason ? null : worst,
    };
  }
  keep({ gaps: GAPS, pairs: measured });
}
