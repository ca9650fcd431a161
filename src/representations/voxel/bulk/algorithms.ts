/**
 * Makes two-tuples of cubes or bricks, detects those that collide, and compacts them: algorithms 3
 * to 5, and a form of 2 and 3 for bricks.
 *
 * Algorithm 3, generation: makes a block of the two-tuples.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.A; letters
 * in pre-generation.ts. The paper gives each pair u its processor, which makes the two-tuples
 *   t = j + Prefix_Pair_(u-1)
 * for every j. Here the items are the two-tuples: a part of a block finds the pair of its first one
 * in Prefix_Pair, and counts on. So parts are equal for unequal models, and only one block lies in
 * memory.
 */
import { firstModel, pairNumber, secondModel } from './pre-generation.ts';
import { itemAt } from './prefix-sum.ts';

/**
 * D: two-tuple t is {u[t], first[t], second[t]}, a pair of models and a cube, or brick, of each,
 * numbered across all models.
 */
export interface Tuples {
  u: Uint32Array;
  first: Uint32Array;
  second: Uint32Array;
}

interface Generation {
  models: number;
  firstCube: Uint32Array;
  prefixPair: Float64Array;
  /** First two-tuple in `tuples`: item k of the block is two-tuple start + k. */
  start: number;
  tuples: Tuples;
}

/** Writes two-tuples start + `from` to start + `to`, by pair, lower model's cube, other's cube. */
export function generation(
  { models, firstCube, prefixPair, start, tuples }: Generation,
  from: number,
  to: number,
): number {
  const { u, first, second } = tuples;
  const pairs = prefixPair.length - 1;
  let pair = from < to ? itemAt(prefixPair, pairs, start + from) : pairs;
  for (let t = from; t < to; pair++) {
    const stop = Math.min(to, prefixPair[pair + 1] - start);
    if (stop <= t) continue;
    const i = firstModel(models, pair);
    const j = secondModel(models, pair, i);
    // Cubes are fewer than 2^29; `| 0` tells the compiler that they are integers.
    const begin = firstCube[j] | 0;
    const end = firstCube[j + 1] | 0;
    // The j of the paper. The remainder of doubles is exact, and so is a quotient without one.
    const number = start + t - prefixPair[pair];
    const rest = number % (end - begin);
    let cube1 = (firstCube[i] + (number - rest) / (end - begin)) | 0;
    let cube2 = (begin + rest) | 0;
    for (; t < stop; t++) {
      u[t] = pair;
      first[t] = cube1;
      second[t] = cube2;
      if (++cube2 < end) continue;
      cube2 = begin;
      cube1++;
    }
  }
  return 0;
}

/*
 * Algorithms 2 and 3 for bricks sorted by key: only two-tuples of bricks with one key.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", with this departure:
 * the paper makes two-tuples of all cubes of all pairs of models. Cubes that collide have one cell,
 * so their bricks have one key. Sort the bricks of all models by key, equal ones by model: each
 * forms two-tuples with those of its key before it. The N(N - 1)/2 |C|^2 two-tuples become few more
 * than bricks and answers, since bricks of one key rarely miss each other.
 *
 * In numbers: let g bricks have one key. At most 64 of them pairwise share no cube. So by P. Turán,
 * 1941, at most (1 - 1/64) g^2 / 2 of the two-tuples share none, and at least
 *   g^2 / 128 - g / 2
 * share one: the g(g - 1)/2 two-tuples are at most 64 times those that collide and 32 for each
 * brick.
 */

interface BrickPreGeneration {
  /** Three words per brick, sorted: the low and the high word of its key, its number. */
  records: Uint32Array;
  /** Out: number of earlier bricks with which each brick forms two-tuples. */
  pair: Float64Array;
}

const sameKey = (records: Uint32Array, a: number, b: number): boolean =>
  records[3 * a] === records[3 * b] && records[3 * a + 1] === records[3 * b + 1];

export function brickPreGeneration({ records, pair }: BrickPreGeneration, from: number, to: number): number {
  // Earlier bricks belong to another part.
  let before = 0;
  while (from > before && sameKey(records, from, from - before - 1)) before++;
  for (let place = from; place < to; place++) {
    if (place > from) before = sameKey(records, place, place - 1) ? before + 1 : 0;
    pair[place] = before;
  }
  return 0;
}

interface BrickGeneration {
  models: number;
  modelOf: Uint32Array;
  records: Uint32Array;
  prefixPair: Float64Array;
  start: number;
  tuples: Tuples;
}

/** Writes two-tuples start + `from` to start + `to`, by higher model's brick, then lower's. */
export function brickGeneration(
  { models, modelOf, records, prefixPair, start, tuples }: BrickGeneration,
  from: number,
  to: number,
): number {
  const { u, first, second } = tuples;
  const bricks = prefixPair.length - 1;
  let place = from < to ? itemAt(prefixPair, bricks, start + from) : bricks;
  for (let t = from; t < to; place++) {
    const stop = Math.min(to, prefixPair[place + 1] - start);
    if (stop <= t) continue;
    const brick2 = records[3 * place + 2];
    const j = modelOf[brick2];
    // Starts at the first of its key, or where the part begins amid a brick's two-tuples.
    let before = place - (prefixPair[place + 1] - start - t);
    for (; t < stop; t++, before++) {
      const brick1 = records[3 * before + 2];
      u[t] = pairNumber(models, modelOf[brick1], j);
      first[t] = brick1;
      second[t] = brick2;
    }
  }
  return 0;
}

/*
 * Algorithm 4, detection: finds the two-tuples whose cubes collide.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.B. All
 * cubes are half-open cells of one grid, so they collide if they are the same cell.
 */

export interface Detection {
  tuples: Tuples;
  /** i, j, k of cube n at 3n. */
  cells: Int32Array;
  /** Out: R, 1 if they collide, or 0. */
  result: Uint8Array;
}

export function detection({ tuples, cells, result }: Detection, from: number, to: number): number {
  const { first, second } = tuples;
  for (let t = from; t < to; t++) {
    const a = Math.imul(3, first[t]);
    const b = Math.imul(3, second[t]);
    result[t] = cells[a] === cells[b] && cells[a + 1] === cells[b + 1] && cells[a + 2] === cells[b + 2] ? 1 : 0;
  }
  return 0;
}

interface BrickDetection {
  tuples: Tuples;
  /** Two words per brick. */
  masks: Uint32Array;
  result: Uint8Array;
}

/** Tests two-tuples of bricks with one key, up to 64 cubes at once: 1 if any are the same. */
export function brickDetection({ tuples, masks, result }: BrickDetection, from: number, to: number): number {
  const { first, second } = tuples;
  for (let t = from; t < to; t++) {
    const a = 2 * first[t];
    const b = 2 * second[t];
    result[t] = ((masks[a] & masks[b]) | (masks[a + 1] & masks[b + 1])) !== 0 ? 1 : 0;
  }
  return 0;
}

/*
 * Algorithm 5, reduction: compacts the two-tuples that collide.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.C:
 * Prefix_R, the prefix sum of R, is the place of each.
 */

interface Reduction {
  tuples: Tuples;
  result: Uint8Array;
  prefix: Uint32Array;
  /** Out: O, three words per two-tuple: u, first, second. */
  output: Uint32Array;
}

export function reduction({ tuples, result, prefix, output }: Reduction, from: number, to: number): number {
  const { u, first, second } = tuples;
  for (let t = from; t < to; t++) {
    if (result[t] === 0) continue;
    // The sum up to and including this one, less 1. No part reads another part's output.
    const place = 3 * (prefix[t + 1] - 1);
    output[place] = u[t];
    output[place + 1] = first[t];
    output[place + 2] = second[t];
  }
  return 0;
}
