/**
 * Algorithm 3, generation: makes a block of the two-tuples.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.A; letters
 * in pre-generation.ts. The paper gives each pair u its processor, which makes the two-tuples
 *   t = j + Prefix_Pair_(u-1)
 * for every j. Here the items are the two-tuples: a part of a block finds the pair of its first one
 * in Prefix_Pair, and counts on. So parts are equal for unequal models, and only one block lies in
 * memory.
 */
import { firstModel, secondModel } from './pre-generation.ts';
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

export interface Generation {
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
