// Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section V, on the
// machine that is there (Table III): time T by the number of models N on Q = 1, 2, 4 and so on
// workers, up to as many as there are processors, and on a GPU if there is one (Tables IV to VI);
// the quadratics that fit it (VII), the N of a given T (VIII to X, Figure 1), and whether T is
// convex (equations 11 and 12). For all two-tuples of cubes, as the paper has them, and for bricks
// sorted by key; the partition counts. Beside them what a stage costs by its term of Table II, and
// the time of a prefix sum of M numbers. Times are the least of the runs. Counts of the same are
// cubes-steps.
//
// The paper does not say what |C| is. Shells of 8 cubes let all two-tuples run up to its greatest
// N.
//
//   npm run bench -- papers/cubes-time --record
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { collideAllPairs, collideSorted, openGpu, partitionAll } from 'gicollide';
import { GpuError } from '#src/base/errors';
import { findDevice } from '#src/gpu/open';
import { basesOf } from '#src/representations/voxel/bulk/prefix-sum';
import { cubesOfShell, hallOf } from '../cubes-inputs.mjs';
import { always, stageCosts, TERMS } from '../cubes-stages.mjs';
import { digits, printTable, round, secondsOf } from '../race.mjs';
import { MODELS, PROCESSORS, SLOPES, TIMES } from './cubes-printed.mjs';
import { argumentAt, convexity, quadraticFit } from './least-squares.mjs';

/** @typedef {import('gicollide').OpenGpu} OpenGpu */
/** @typedef {import('../cubes-stages.mjs').Lane & { device?: OpenGpu }} Lane */
/** @typedef {import('./cubes-printed.mjs').Processor} Processor */
/** @typedef {import('./least-squares.mjs').Quadratic} Quadratic */
/** @typedef {'all' | 'sorted'} Way */

/** Cells an edge of a shell. */
const SIZE = 2;
/** N: from the least to the greatest of Tables IV to VI. */
const COUNTS = [192, 448, 896, 1344, 1920, 2496, 3136, 3744, 4992, 5928];
/** Two-tuples up to which all of them run five times; more take seconds, and run twice. */
const OFTEN = 1e8;
/** N at which the stages are timed by themselves. */
const STAGED = [448, 896, 1792];
/** M: numbers of a prefix sum. */
const SUMMED = [2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24];

const GPU = 'GPU';

const WAYS = /** @type {const} */ ({ all: collideAllPairs, sorted: collideSorted });

/** 1, 2, 4 workers and so on, and as many as there are processors. @param {number} cores */
const lanesFor = (cores) => [
  ...new Set([...Array.from({ length: Math.floor(Math.log2(cores)) + 1 }, (_, i) => 2 ** i), cores]),
];

/** Table III of this machine. */
function machine() {
  const all = cpus();
  const speed = Math.max(...all.map((each) => each.speed)) || clockOfLinux();
  return { cores: availableParallelism(), model: all[0].model.trim(), megahertz: speed && Math.round(speed) };
}

/** Node leaves the clock of some virtual machines out. @returns {number | null} */
function clockOfLinux() {
  try {
    const line = /^cpu MHz\s*:\s*([\d.]+)/m.exec(readFileSync('/proc/cpuinfo', 'utf8'));
    return line && Number(line[1]);
  } catch {
    return null;
  }
}

/**
 * Milliseconds of the parts, the least of the runs.
 *
 * @param {ReturnType<typeof hallOf>} meshes
 * @param {Lane} lane
 * @param {number} runs
 */
async function timesOf(meshes, { workers, device }, runs) {
  /** @type {Record<'partition' | Way, number[]>} */
  const times = { partition: [], all: [], sorted: [] };
  /** @type {Record<Way, number>} */
  const tuples = { all: 0, sorted: 0 };
  for (let run = 0; run < runs; run++) {
    /** @type {Awaited<ReturnType<typeof partitionAll>>} */
    let sets = [];
    times.partition.push(
      1000 * (await secondsOf(async () => (sets = await partitionAll(meshes, 1, workers, { device })))),
    );
    for (const way of /** @type {const} */ (['all', 'sorted'])) {
      const seconds = await secondsOf(async () => {
        tuples[way] = (await WAYS[way](sets, workers, { device })).work.tuples;
      });
      times[way].push(1000 * seconds);
    }
  }
  const [partition, all, sorted] = [times.partition, times.all, times.sorted].map((each) =>
    round(Math.min(...each), 2),
  );
  return { partition, all, sorted, runs, tuples: tuples.all, tuplesOfBricks: tuples.sorted };
}

/** @typedef {Awaited<ReturnType<typeof timesOf>>} Times */

/**
 * Tables IV to VI, of every lane.
 *
 * @param {readonly Lane[]} lanes
 * @param {readonly number[]} counts
 */
async function timesByModels(lanes, counts) {
  /** @type {Record<string, Record<string, Times>>} */
  const times = Object.fromEntries(lanes.map(({ name }) => [name, {}]));
  // Code and shaders are compiled before the first is timed.
  for (const lane of lanes) await timesOf(hallOf(Math.min(counts[1], 448), SIZE), lane, 3);
  for (const models of counts) {
    const meshes = hallOf(models, SIZE);
    const tuples = ((models * (models - 1)) / 2) * cubesOfShell(SIZE) ** 2;
    for (const lane of lanes) times[lane.name][models] = await timesOf(meshes, lane, tuples <= OFTEN ? 5 : 2);
  }
  return times;
}

/** N and T, the partition in. @param {Record<string, Times>} times @param {Way} way */
const pointsOf = (times, way) =>
  Object.entries(times).map(
    ([models, time]) => /** @type {[number, number]} */ ([Number(models), round(time.partition + time[way], 2)]),
  );

/**
 * Table VII, and Tables VIII to X: N at twenty times. The last time is that of the fastest number
 * of workers for the largest N.
 *
 * @param {Record<string, [number, number][]>} points of each lane
 */
function fitted(points) {
  const fits = Object.fromEntries(Object.entries(points).map(([lane, each]) => [lane, quadraticFit(each)]));
  const lanes = Object.entries(points).filter(([lane]) => lane !== GPU);
  const most = Math.min(...lanes.map(([, each]) => each[each.length - 1][1]));
  const T = Array.from({ length: 20 }, (_, i) => round((most * (i + 1)) / 20, 1));
  const models = Object.fromEntries(
    Object.entries(fits).map(([lane, fit]) => [lane, T.map((each) => digits(argumentAt(fit, each), 4))]),
  );
  const convex = Object.fromEntries(Object.entries(points).map(([lane, each]) => [lane, convexity(each)]));
  return { points, fits: mapValues(fits, shortened), T, models, convex };
}

/** @param {Quadratic} fit */
const shortened = ({ a, b, c, r2 }) => ({ a: digits(a, 4), b: digits(b, 4), c: digits(c, 4), r2: round(r2, 7) });

/**
 * @template From, To
 * @param {Record<string, From>} record
 * @param {(value: From) => To} change
 */
const mapValues = (record, change) => Object.fromEntries(Object.entries(record).map(([key, x]) => [key, change(x)]));

/** The same for the printed figures: its tables from its tables. */
function printed() {
  const fits = mapValues(TIMES, (points) => shortened(quadraticFit(points)));
  const convex = mapValues(TIMES, convexity);
  const models = mapValues(PROCESSORS, (fit) => MODELS['Tesla C2075'].map((_, i) => argumentAt(fit, 10 * (i + 1))));
  const names = /** @type {Processor[]} */ (Object.keys(MODELS));
  const missed = Math.max(...names.flatMap((name) => MODELS[name].map((n, i) => Math.abs((models[name][i] ?? 0) - n))));
  return {
    processors: PROCESSORS,
    times: TIMES,
    models: MODELS,
    slopes: SLOPES,
    fits,
    convex,
    missed: round(missed, 2),
  };
}

/**
 * Table II.
 *
 * @param {readonly Lane[]} lanes
 * @param {readonly number[]} counts
 */
async function stages(lanes, counts) {
  /** @type {Record<string, Record<string, import('../cubes-stages.mjs').StageCosts>>} */
  const costs = {};
  /** @type {Record<string, number>} */
  const reduced = {};
  for (const { name, workers } of lanes) {
    costs[name] = {};
    for (const models of counts) {
      const { costs: own, reduced: share } = await stageCosts(models, SIZE, workers, 5);
      costs[name][models] = own;
      reduced[models] = round(share, 3);
    }
  }
  return { terms: TERMS, costs, reduced };
}

/**
 * A prefix sum of M numbers: what the paper says, the numbers that the busiest worker of the two
 * passes goes over, and microseconds.
 *
 * @param {readonly Lane[]} lanes
 * @param {readonly number[]} counts
 */
async function prefixSums(lanes, counts) {
  const rows = [];
  for (const M of counts) {
    for (const { workers, name } of lanes) {
      const values = new Uint8Array(workers.memory(M)).fill(1);
      const prefix = new Uint32Array(workers.memory(4 * (M + 1)));
      const times = [];
      for (let run = 0; run < 9; run++) {
        const seconds = await secondsOf(async () => {
          const bases = basesOf(await workers.run(['sum'], { values }, M));
          await workers.run(['prefix'], { values, prefix, bases }, M);
        });
        times.push(1e6 * seconds);
      }
      if (prefix[M] !== M) throw new Error(`the sum of ${M} ones is ${prefix[M]}`);
      const Q = Number(name.slice(4));
      rows.push({
        M,
        Q,
        log: round(Math.log2(M + M / Q), 1),
        steps: (2 * M) / Q + Q,
        us: digits(Math.min(...times)),
      });
    }
  }
  return rows;
}

/** @param {Awaited<ReturnType<typeof timesByModels>>} times */
function printTimes(times) {
  for (const way of /** @type {const} */ (['all', 'sorted'])) {
    const lanes = Object.entries(times).map(([lane, each]) => [lane, pointsOf(each, way)]);
    /** @type {Record<string, Record<string, number>>} */
    const rows = {};
    for (const [lane, points] of /** @type {[string, [number, number][]][]} */ (lanes)) {
      for (const [models, time] of points) rows[models] = { ...rows[models], [lane]: time };
    }
    printTable(`N; T in ms, ${way === 'all' ? 'all two-tuples' : 'sorted bricks'}, partition in`, rows);
  }
}

/**
 * The GPU, or why it is not measured. A program that stands in for one shows that shaders are
 * right, never how fast they are.
 *
 * @param {boolean} quick no time counts, so that such a program will do
 */
async function openLane(quick) {
  const own = await findDevice().catch((/** @type {unknown} */ error) => {
    if (!(error instanceof GpuError)) throw error;
    return error.message;
  });
  if (typeof own === 'string') return { device: null, name: null, reason: own };
  if (own.isSoftware && !quick) {
    own.device.destroy();
    return { device: null, name: null, reason: `${own.name} is a program that stands in for a GPU` };
  }
  return { device: own.device, name: own.name, reason: null };
}

/** @param {import('../race.mjs').Run} run */
export default async function cubesTime({ quick, keep }) {
  const here = machine();
  const lanes = lanesFor(quick ? Math.min(2, here.cores) : here.cores).map(always);
  const { device, ...gpu } = await openLane(quick);
  console.log(`${here.cores} processors, ${here.model}, ${here.megahertz ?? 'an unknown number of'} MHz`);
  console.log(gpu.name ? `GPU: ${gpu.name}` : `no GPU is measured: ${gpu.reason}`);
  /** @type {Lane[]} */
  const measuredOn = device
    ? [...lanes, { ...lanes[lanes.length - 1], name: GPU, device: await openGpu({ device }) }]
    : lanes;
  try {
    const times = await timesByModels(measuredOn, quick ? [16, 32, 48, 64] : COUNTS);
    printTimes(times);
    const allTuples = fitted(mapValues(times, (each) => pointsOf(each, 'all')));
    const sorted = fitted(mapValues(times, (each) => pointsOf(each, 'sorted')));
    printTable('all two-tuples: T = a N^2 + b N + c', allTuples.fits);
    printTable('sorted bricks: T = a N^2 + b N + c', sorted.fits);
    const staged = await stages(lanes, quick ? [16, 32] : STAGED);
    for (const [lane, costs] of Object.entries(staged.costs)) printTable(`${lane}: ns of one`, costs);
    const prefix = await prefixSums(lanes, quick ? [2 ** 10, 2 ** 12, 2 ** 14] : SUMMED);
    printTable('prefix sums', Object.fromEntries(prefix.map((each) => [`M = ${each.M}, Q = ${each.Q}`, each])));
    const measured = { machine: here, gpu, cubes: cubesOfShell(SIZE), times, all: allTuples, sorted, staged, prefix };
    keep({ ...measured, paper: printed() });
  } finally {
    for (const { workers } of lanes) await workers.close();
    device?.destroy();
  }
  // Dawn's threads would keep the process alive.
  if (device) process.exit();
}
