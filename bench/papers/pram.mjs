// A machine that counts: processors with one memory. Each reads or writes one number a step;
// computing costs nothing. Steps are those of the busiest processor, which is what Table I of Z.
// Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism" speaks of. Processors may
// read a number at once, but never write one at once.
//
// It runs the paper's algorithms, as they are printed, and the stages of the product as they are.
import { perform, tasksOf } from '#src/representations/voxel/bulk/stages';

/** @typedef {import('gicollide').OpenWorkers} OpenWorkers */
/** @typedef {import('#src/representations/voxel/bulk/stages').Workers} Workers */

/** Steps of the processor that is at work. */
let own = 0;

/** @type {ProxyHandler<any>} */
const COUNTED = {
  get(target, key) {
    const value = target[key];
    if (typeof key === 'string' && key.charCodeAt(0) <= 57) own++;
    return typeof value === 'function' ? value.bind(target) : value;
  },
  set(target, key, value) {
    own++;
    target[key] = value;
    return true;
  },
};

/**
 * An array whose reads and writes are steps. `length` and methods are free.
 *
 * @template {object} Numbers
 * @param {Numbers} numbers
 * @returns {Numbers}
 */
export const counted = (numbers) => new Proxy(numbers, COUNTED);

/**
 * Steps of the busiest processor.
 *
 * @param {number} processors
 * @param {(processor: number) => void} work
 */
export function stepsOf(processors, work) {
  let most = 0;
  for (let u = 0; u < processors; u++) {
    own = 0;
    work(u);
    most = Math.max(most, own);
  }
  return most;
}

/**
 * Arrays of a stage's data are counted, also those in `tuples`.
 *
 * @param {any} data
 * @returns {any}
 */
const countedData = (data) =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (ArrayBuffer.isView(value) || Array.isArray(value)) return [name, counted(/** @type {object} */ (value))];
      return [name, name === 'tuples' ? countedData(value) : value];
    }),
  );

/** Table I's part of a stage, but for the two prefix sums. */
const PARTS = /** @type {Record<string, string>} */ ({
  preGeneration: 'preGeneration',
  generation: 'generation',
  detection: 'detection',
  reduction: 'reduction',
});

/**
 * So many processors, or as many as there are items, that run the product's stages one after the
 * other and count; the sums of all parts are added up by one of them, as they are in the product.
 *
 * @param {number} processors Q, or Infinity
 */
export function countingWorkers(processors) {
  /** @type {Record<string, number>} */
  const steps = {};
  const add = (/** @type {string} */ part, /** @type {number} */ more) => {
    steps[part] = (steps[part] ?? 0) + more;
  };
  /** @type {Workers} */
  const workers = {
    count: processors,
    paying: () => workers,
    memory: (bytes) => new ArrayBuffer(bytes),
    async run(stages, data, items) {
      const watched = countedData(/** @type {any} */ (data));
      /** @type {number[]} */
      let results = [];
      let part = '';
      for (const stage of stages) {
        // Sums of results have R; those of two-tuples of a pair have none.
        part = PARTS[stage] ?? ('result' in watched ? 'prefixR' : 'prefixPair');
        const tasks = tasksOf([stage], watched, items, processors);
        results = [];
        add(
          part,
          stepsOf(tasks.length, (u) => results.push(perform(tasks[u]))),
        );
      }
      if (!stages.some((stage) => stage === 'sum')) return results;
      // Whoever reads the sums is one processor.
      return new Proxy(results, {
        get(target, key) {
          const isNumber = typeof key === 'string' && key.charCodeAt(0) <= 57;
          if (isNumber) add(part, 1);
          return Reflect.get(target, key);
        },
      });
    },
    partition: () => {
      throw new Error('expected cubes');
    },
  };
  return { workers, steps };
}

/**
 * The prefix sums of a row in place, by the first of the circuits of R. E. Ladner, M. J. Fischer,
 * "Parallel Prefix Computation", Journal of the ACM 27, 1980, which is the paper's reference [25]:
 * halves are summed at once, then every number of the upper one adds the lower one's last sum.
 *
 * @param {Float64Array} row
 * @param {number} processors that share the additions of a level
 * @returns {number} steps
 */
export function prefixInPlace(row, processors) {
  const watched = counted(row);
  let steps = 0;
  for (let half = 1; half < row.length; half *= 2) {
    /** @type {number[]} */
    const upper = [];
    for (let k = half; k < row.length; k++) if (Math.floor(k / half) % 2 === 1) upper.push(k);
    steps += shared(upper.length, processors, (n) => {
      const k = upper[n];
      watched[k] += watched[Math.floor(k / half) * half - 1];
    });
  }
  return steps;
}

/**
 * Items; processor v has v, v + Q, v + 2Q and so on, as in the paper's algorithm 1'.
 *
 * @param {number} items
 * @param {number} processors
 * @param {(item: number) => void} work
 */
const shared = (items, processors, work) =>
  stepsOf(Math.min(items, processors), (v) => {
    for (let item = v; item < items; item += processors) work(item);
  });

/**
 * The paper's algorithms 1 to 5 and both prefix sums, as printed, on models that are lists of
 * cells: three numbers each.
 *
 * @param {readonly Int32Array[]} models
 * @param {number} processors Q, or Infinity for as many as a part can use
 */
export function runPrinted(models, processors) {
  const N = models.length;
  const pairs = models.flatMap((_, i) => Array.from({ length: N - 1 - i }, (_, k) => [i, i + 1 + k]));
  /** @type {Record<string, number>} */
  const steps = {};
  // Algorithm 1: how a cube is found is not said, so that each costs no more than to be written.
  const cubes = models.map((cells) => counted(new Int32Array(cells.length)));
  steps.partition = shared(N, processors, (m) => {
    for (let k = 0; k < models[m].length; k++) cubes[m][k] = models[m][k];
  });
  // Algorithm 2.
  const counts = counted(Float64Array.from(models, (cells) => cells.length / 3));
  const pair = new Float64Array(pairs.length);
  const ofPairs = counted(pair);
  steps.preGeneration = shared(pairs.length, processors, (u) => {
    ofPairs[u] = counts[pairs[u][0]] * counts[pairs[u][1]];
  });
  // Obtaining Prefix_Pair.
  const prefix = pair.slice();
  steps.prefixPair = prefixInPlace(prefix, processors);
  const total = prefix[prefix.length - 1];
  // Algorithm 3: a processor makes all two-tuples of its pair.
  const [before, D] = [counted(prefix), counted(new Uint32Array(3 * total))];
  steps.generation = shared(pairs.length, processors, (u) => {
    const all = ofPairs[u];
    const first = u === 0 ? 0 : before[u - 1];
    const width = counts[pairs[u][1]];
    for (let j = 0; j < all; j++) {
      const t = 3 * (first + j);
      D[t] = u;
      D[t + 1] = Math.floor(j / width);
      D[t + 2] = j % width;
    }
  });
  // Algorithm 4.
  const result = new Float64Array(total);
  const R = counted(result);
  steps.detection = shared(total, processors, (t) => {
    const u = D[3 * t];
    const [a, b] = [3 * D[3 * t + 1], 3 * D[3 * t + 2]];
    const [p, q] = [cubes[pairs[u][0]], cubes[pairs[u][1]]];
    const same = [0, 1, 2].map((axis) => p[a + axis] === q[b + axis]);
    R[t] = same.every(Boolean) ? 1 : 0;
  });
  // Obtaining Prefix_R.
  const places = result.slice();
  steps.prefixR = prefixInPlace(places, processors);
  const collided = total === 0 ? 0 : places[places.length - 1];
  // Algorithm 5.
  const [placeOf, O] = [counted(places), counted(new Uint32Array(3 * collided))];
  steps.reduction = shared(total, processors, (t) => {
    if (R[t] !== 1) return;
    const place = 3 * (placeOf[t] - 1);
    for (const k of [0, 1, 2]) O[place + k] = D[3 * t + k];
  });
  return { steps, pairs: pairs.length, total, collided };
}
