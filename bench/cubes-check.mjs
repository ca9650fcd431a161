// Collision of sets of cubes: the seed's all two-tuples against bricks sorted by key, the same answer; and the seed's experiment (Peng and Wu,
// section V) on threads: time by the number of models N on Q workers, stage by stage beside the cost terms of Table II.
//
//   npm run bench -- cubes [--record]
import { availableParallelism } from 'node:os';
import { openWorkers } from '../dist/pair/threads/cube-workers.js';
import { collideAllPairs, collideSorted } from '../dist/representations/voxel/bulk/collide.js';
import { bitOf, highKey, lowKey } from '../dist/representations/voxel/tree/cube-set.js';
import { keep, median, seeded } from './race.mjs';

const round = (x, digits = 1) => Number(x.toFixed(digits));

function setOf(cells) {
  const bricks = new Map();
  for (const [i, j, k] of cells) {
    const key = (BigInt(highKey(i, j, k)) << 32n) | BigInt(lowKey(i, j, k));
    if (!bricks.has(key)) bricks.set(key, [0, 0]);
    bricks.get(key)[bitOf(i, j, k) >> 5] |= 1 << bitOf(i, j, k);
  }
  const sorted = [...bricks].sort(([a], [b]) => (a < b ? -1 : 1));
  const keys = Uint32Array.from(sorted.flatMap(([key]) => [Number(key & 0xffffffffn), Number(key >> 32n)]));
  return { precision: 1, keys, masks: Uint32Array.from(sorted.flatMap(([, mask]) => mask)) };
}

/** The surface of a box of so many cells an edge. */
function shell(corner, size) {
  const cells = [];
  const isEnd = (x) => x === 0 || x === size - 1;
  for (let x = 0; x < size; x++) {
    for (let y = 0; y < size; y++) {
      for (let z = 0; z < size; z++) {
        if (isEnd(x) || isEnd(y) || isEnd(z)) cells.push([corner[0] + x, corner[1] + y, corner[2] + z]);
      }
    }
  }
  return cells;
}

/** Shells in a hall that grows with their number: each meets about as many others whatever N. */
function building(models, size) {
  const random = seeded(2016);
  const hall = Math.ceil(2.5 * size * Math.cbrt(models));
  return Array.from({ length: models }, () => {
    const corner = [0, 0, 0].map(() => Math.floor((random() - 0.5) * hall));
    return setOf(shell(corner, size));
  });
}

/** Each stage by itself, with a barrier after each, and its milliseconds. */
function timed(workers, milliseconds) {
  return {
    ...workers,
    async run(stages, data, items) {
      let result;
      for (const stage of stages) {
        const start = performance.now();
        result = await workers.run([stage], data, items);
        milliseconds[stage] = (milliseconds[stage] ?? 0) + performance.now() - start;
      }
      return result;
    },
  };
}

async function milliseconds(collide, sets, workers) {
  const start = performance.now();
  const { work, pairs } = await collide(sets, workers);
  return { time: performance.now() - start, work, colliding: pairs.length / 2 };
}

/** Medians by Q, which run in turn. */
async function byWorkers(collide, sets, opened, rounds) {
  const times = opened.map(() => []);
  let last;
  for (let turn = -1; turn < rounds; turn++) {
    for (const [q, workers] of opened.entries()) {
      last = await milliseconds(collide, sets, workers);
      if (turn >= 0) times[q].push(last.time);
    }
  }
  return { ...last, times: times.map((each) => round(median(each), 2)) };
}

const opened = [1, 2, 4].map((count) => openWorkers(count));
const row = { cores: availableParallelism(), allPairs: {}, sorted: {}, factor: {}, stages: {} };
console.log(`${row.cores} cores; milliseconds, median of the runs, for Q = 1, 2, 4 workers`);

const SIZE = 4;
const cubes = 56;
for (const models of [32, 64, 128, 256, 512]) {
  const sets = building(models, SIZE);
  const all = await byWorkers(collideAllPairs, sets, opened, models > 256 ? 1 : 3);
  const sorted = await byWorkers(collideSorted, sets, opened, 9);
  row.allPairs[models] = {
    tuples: all.work.tuples,
    'Q = 1': all.times[0],
    'Q = 2': all.times[1],
    'Q = 4': all.times[2],
  };
  row.factor[models] = {
    'colliding pairs': sorted.colliding,
    'two-tuples of cubes': all.work.tuples,
    'of bricks': sorted.work.tuples,
    'all pairs, ms': all.times[0],
    'sorted, ms': sorted.times[0],
    factor: round(all.times[0] / sorted.times[0]),
  };
}
console.log(`\nall two-tuples, |C| = ${cubes}`);
console.table(row.allPairs);
console.log('all two-tuples against sorted bricks, Q = 1');
console.table(row.factor);

for (const [models, size] of [
  [1024, SIZE],
  [4096, SIZE],
  [16_384, SIZE],
  [1024, 16],
  [4096, 16],
  [256, 64],
]) {
  const { work, colliding, times } = await byWorkers(collideSorted, building(models, size), opened, 5);
  row.sorted[`${models} of ${work.cubes / models} cubes`] = {
    bricks: work.bricks,
    tuples: work.tuples,
    'colliding pairs': colliding,
    'Q = 1': times[0],
    'Q = 2': times[1],
    'Q = 4': times[2],
    'ns a brick': round((1e6 * times[0]) / work.bricks),
  };
}
console.log('\nsorted bricks');
console.table(row.sorted);

// Table II: what each stage costs for one of the things that its term counts; constant where the term is right.
const TERMS = {
  preGeneration: ['N(N - 1)/2Q', 'pairs'],
  generation: ['N(N - 1)/2Q |C|^2', 'tuples'],
  detection: ['TotalPairCount/Q t2', 'tuples'],
  sum: ['log(M + M/Q), first pass', 'tuples'],
  prefix: ['log(M + M/Q), second pass', 'tuples'],
  reduction: ['TotalPairCount/Q', 'tuples'],
};
for (const [stage, [term, unit]] of Object.entries(TERMS)) {
  const line = { term: `${term}, ns a ${unit === 'pairs' ? 'pair' : 'two-tuple'}` };
  for (const models of [128, 256]) {
    const sets = building(models, SIZE);
    for (const [q, workers] of opened.entries()) {
      const samples = [];
      for (let turn = 0; turn < 3; turn++) {
        const spent = {};
        const { work } = await collideAllPairs(sets, timed(workers, spent));
        samples.push((1e6 * (spent[stage] ?? 0)) / work[unit]);
      }
      line[`N = ${models}, Q = ${[1, 2, 4][q]}`] = round(median(samples), 2);
    }
  }
  row.stages[stage] = line;
}
console.log('\nstages of all two-tuples beside Table II');
console.table(row.stages);
for (const workers of opened) await workers.close();
keep('cubes-check', row);
