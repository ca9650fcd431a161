// The stages of Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", on Q
// workers each, and the cost of a stage per item that its term in Table II counts.
import { collideAllPairs, openWorkers, partitionAll } from 'gicollide';
import { hallOf } from './cubes-inputs.mjs';
import { round, secondsOf } from './race.mjs';

/** @typedef {import('gicollide').OpenWorkers} OpenWorkers */
/** @typedef {{ name: string, workers: OpenWorkers }} Lane */

/** Items of a stage for each of the Q workers, at least: fewer take longer to post than to do. */
const SHARE = 2 ** 14;

/**
 * Q workers for every stage, whether they pay or not.
 *
 * @param {number} count
 * @returns {Lane}
 */
export function always(count) {
  /** @type {OpenWorkers} */
  const workers = { ...openWorkers(count, SHARE), paying: () => workers };
  return { name: `Q = ${count}`, workers };
}

/**
 * Each stage by itself, with a barrier after each: its milliseconds, and the items that it had.
 *
 * @param {OpenWorkers} workers
 * @param {Record<string, number>} milliseconds
 * @param {Record<string, number>} done
 * @returns {OpenWorkers}
 */
function timed(workers, milliseconds, done) {
  /** @type {OpenWorkers} */
  const watched = {
    ...workers,
    paying: () => watched,
    async run(stages, data, items) {
      /** @type {Awaited<ReturnType<OpenWorkers['run']>>} */
      let result = [];
      for (const stage of stages) {
        const seconds = await secondsOf(async () => {
          result = await workers.run([stage], data, items);
        });
        milliseconds[stage] = (milliseconds[stage] ?? 0) + 1000 * seconds;
        done[stage] = (done[stage] ?? 0) + items;
      }
      return result;
    },
  };
  return watched;
}

/**
 * Table II: the terms and their items. If a term is right, the cost of an item is constant.
 */
export const TERMS = /** @type {const} */ ({
  partition: ['(N/Q) |C| t1', 'cube'],
  preGeneration: ['N(N - 1)/2Q', 'pair'],
  generation: ['N(N - 1)/2Q |C|^2', 'two-tuple'],
  detection: ['TotalPairCount/Q t2', 'two-tuple'],
  sum: ['log(M + M/Q), first pass', 'two-tuple'],
  prefix: ['log(M + M/Q), second pass', 'two-tuple'],
  reduction: ['TotalPairCount/Q', 'two-tuple'],
});
/** Blocks in which nothing collides are neither summed twice nor reduced: what is left counts. */
const SKIPS = ['prefix', 'reduction'];

/** @typedef {Record<keyof typeof TERMS, number>} StageCosts nanoseconds of one */

/**
 * Nanoseconds by stage, the least of the runs; and the share of all two-tuples that is reduced.
 *
 * @param {number} models N
 * @param {number} size of each, cells an edge
 * @param {OpenWorkers} workers
 * @param {number} runs
 * @returns {Promise<{ costs: StageCosts, reduced: number }>}
 */
export async function stageCosts(models, size, workers, runs) {
  const meshes = hallOf(models, size);
  /** @type {Record<string, number>[]} */
  const spent = [];
  /** @type {Record<string, number>} */
  let counted = {};
  /** @type {Record<string, number>} */
  let done = {};
  for (let run = 0; run < runs; run++) {
    /** @type {Record<string, number>} */
    const milliseconds = {};
    /** @type {Awaited<ReturnType<typeof partitionAll>>} */
    let sets = [];
    milliseconds.partition = 1000 * (await secondsOf(async () => (sets = await partitionAll(meshes, 1, workers))));
    done = {};
    const { work } = await collideAllPairs(sets, timed(workers, milliseconds, done));
    counted = { cube: work.cubes, pair: work.pairs, 'two-tuple': work.tuples };
    spent.push(milliseconds);
  }
  const costs = Object.entries(TERMS).map(([stage, [, unit]]) => {
    const milliseconds = Math.min(...spent.map((each) => each[stage] ?? 0));
    // The sums over pairs of models are few beside those over two-tuples.
    const items = SKIPS.includes(stage) ? (done[stage] ?? 0) : counted[unit];
    return [stage, items === 0 ? 0 : round((1e6 * milliseconds) / items, 2)];
  });
  return { costs: Object.fromEntries(costs), reduced: (done.reduction ?? 0) / counted['two-tuple'] };
}
