/**
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
import type { Tuples } from './generation.ts';
import { pairNumber } from './pre-generation.ts';
import { itemAt } from './prefix-sum.ts';

export interface BrickPreGeneration {
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

export interface BrickGeneration {
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
