// Collision of sets of cubes: all two-tuples of the paper, beside bricks sorted by key, with the
// same answer. Cutting a mesh into cubes by the kernel and by its TypeScript twin. The paper's
// experiment (Z. Peng, B. Wu, section V) on threads: time by the number of models N on Q workers,
// stage by stage, beside the cost terms of Table II. Q workers that take every stage are compared
// with the number of workers that is chosen from the amount of work.
//
//   npm run bench -- cubes
import { availableParallelism } from 'node:os';
import { build, collideAllPairs, collideSorted, openWorkers } from 'gicollide';
import { whileBusy } from '../dist/kernels/memory.js';
import { cubesOfHall, cubesOfShell } from './cubes-inputs.mjs';
import { always, stageCosts, TERMS } from './cubes-stages.mjs';
import { sample } from './inputs.mjs';
import { elapsed, median, printTable, round, secondsOf, startClock } from './race.mjs';

/** @typedef {import('./cubes-stages.mjs').Lane} Lane */
/** @typedef {import('gicollide').VoxelSet} VoxelSet */
/** @typedef {typeof collideSorted} Collide */

const WORKERS = [1, 2, 4];
/** Cells an edge of a shell. */
const SIZE = 4;

/**
 * Median milliseconds by Q, which run in turn, and what was found.
 *
 * @param {Collide} collide
 * @param {readonly VoxelSet[]} sets
 * @param {readonly Lane[]} opened
 * @param {number} rounds
 */
async function byWorkers(collide, sets, opened, rounds) {
  /** @type {number[][]} */
  const times = opened.map(() => []);
  let found = await collide(sets, opened[0].workers);
  for (let turn = -Math.ceil(rounds / 3); turn < rounds; turn++) {
    for (const [q, { workers }] of opened.entries()) {
      const seconds = await secondsOf(async () => {
        found = await collide(sets, workers);
      });
      if (turn >= 0) times[q].push(1000 * seconds);
    }
  }
  return {
    work: found.work,
    colliding: found.pairs.length / 2,
    times: Object.fromEntries(times.map((each, q) => [opened[q].name, round(median(each), 2)])),
  };
}

/**
 * All two-tuples against sorted bricks.
 *
 * @param {readonly Lane[]} opened
 * @param {readonly number[]} counts
 */
async function againstAllPairs(opened, counts) {
  /** @type {Record<string, Record<string, number>>} */
  const allPairs = {};
  /** @type {Record<string, Record<string, number>>} */
  const factor = {};
  for (const models of counts) {
    const sets = cubesOfHall(models, SIZE);
    const all = await byWorkers(collideAllPairs, sets, opened, models > 256 ? 1 : 3);
    const sorted = await byWorkers(collideSorted, sets, opened, 9);
    allPairs[models] = { tuples: all.work.tuples, ...all.times };
    factor[models] = {
      'colliding pairs': sorted.colliding,
      'two-tuples of cubes': all.work.tuples,
      'of bricks': sorted.work.tuples,
      'all pairs, ms': all.times['Q = 1'],
      'sorted, ms': sorted.times['Q = 1'],
      factor: round(all.times['Q = 1'] / sorted.times['Q = 1']),
    };
  }
  printTable(`all two-tuples, |C| = ${cubesOfShell(SIZE)}`, allPairs);
  printTable('all two-tuples against sorted bricks, Q = 1', factor);
  return { allPairs, factor };
}

/**
 * @param {readonly Lane[]} opened
 * @param {readonly (readonly [number, number])[]} halls models and their size
 */
async function sortedBricks(opened, halls) {
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const [models, size] of halls) {
    const { work, colliding, times } = await byWorkers(collideSorted, cubesOfHall(models, size), opened, 9);
    table[`${models} of ${work.cubes / models} cubes`] = {
      bricks: work.bricks,
      tuples: work.tuples,
      'colliding pairs': colliding,
      ...times,
      'ns a brick': round((1e6 * times['Q = 1']) / work.bricks),
      'chosen / Q = 1': round(times['Q chosen'] / times['Q = 1'], 2),
    };
  }
  printTable('sorted bricks', table);
  return table;
}

/**
 * Every stage of the hall on the lanes, beside its term.
 *
 * @param {readonly Lane[]} opened
 * @param {readonly number[]} counts
 */
async function stagesOf(opened, counts) {
  /** @type {Record<string, Record<string, string | number>>} */
  const table = {};
  for (const [stage, [term, unit]] of Object.entries(TERMS)) table[stage] = { term: `${term}, ns a ${unit}` };
  for (const models of counts) {
    for (const { name, workers } of opened) {
      const { costs } = await stageCosts(models, SIZE, workers, 3);
      for (const [stage, cost] of Object.entries(costs)) table[stage][`N = ${models}, ${name}`] = cost;
    }
  }
  printTable('stages of all two-tuples beside Table II', table);
  return table;
}

/**
 * Algorithm 1 of one mesh: the kernel against its twin in TypeScript, which answers while the
 * kernel is in use. In turn.
 *
 * @param {readonly number[]} precisions
 */
function partitions(precisions) {
  const mesh = sample('bunny');
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const precision of precisions) {
    const cut = () => build(mesh, { format: 'voxel', precision });
    /** @type {Record<string, () => ReturnType<typeof cut>>} */
    const ways = { 'kernel, ms': cut, 'twin, ms': () => whileBusy(cut) };
    /** @type {Record<string, number[]>} */
    const times = { 'kernel, ms': [], 'twin, ms': [] };
    let cubes = 0;
    for (let turn = 0; turn < 5; turn++) {
      for (const [name, way] of Object.entries(ways)) {
        startClock();
        const { masks } = way();
        times[name].push(elapsed());
        if (turn === 0) cubes = cubesOf(masks);
      }
    }
    const [kernel, twin] = Object.values(times).map((each) => round(median(each)));
    table[`bunny, ${precision}`] = { cubes, 'kernel, ms': kernel, 'twin, ms': twin, ratio: round(kernel / twin, 2) };
  }
  printTable('a mesh into cubes', table);
  return table;
}

/** @param {Uint32Array} masks */
function cubesOf(masks) {
  let cubes = 0;
  for (const mask of masks) for (let rest = mask; rest !== 0; rest &= rest - 1) cubes++;
  return cubes;
}

/** @param {import('./race.mjs').Run} run */
export default async function cubes({ quick, keep }) {
  const cores = availableParallelism();
  const every = WORKERS.map(always);
  const opened = [{ name: 'Q chosen', workers: openWorkers(Math.max(2, cores)) }, ...every];
  console.log(
    `${cores} cores; milliseconds, median of the runs, for Q = ${WORKERS.join(', ')} workers and those chosen`,
  );
  try {
    const pairs = await againstAllPairs(opened, quick ? [8, 16] : [32, 64, 128, 256, 512]);
    const halls = /** @type {[number, number][]} */ (
      quick ? [[64, SIZE], [16, 8]] : [[1024, SIZE], [4096, SIZE], [16_384, SIZE], [1024, 16], [4096, 16], [256, 64]]
    ); // biome-ignore format: a table
    const sorted = await sortedBricks(opened, halls);
    const meshes = partitions(quick ? [0.01] : [0.004, 0.001, 0.00025]);
    keep({ cores, ...pairs, sorted, meshes, stages: await stagesOf(every, quick ? [8] : [128, 256]) });
  } finally {
    for (const { workers } of opened) await workers.close();
  }
}
