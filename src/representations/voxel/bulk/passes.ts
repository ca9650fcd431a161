/**
 * Operations on a row that need several passes of all workers: prefix sums of counts, and a sort.
 * Also finds the bricks that need the sort.
 */
import { OptionError } from '../../../base/errors.ts';
import { type CubeSet, popcount } from '../tree/cube-set.ts';
import { basesOf, DIGIT_BITS, DIGITS } from './prefix-sum.ts';
import type { Workers } from './stages.ts';

const MOST_COUNTED = 2 ** 53;

/**
 * Makes prefix sums of counts[1] to counts[items], with counts[0] = 0; returns the sum. Throws
 * OptionError from 2^53, where doubles cannot count.
 */
export async function countsToPlaces(
  workers: Workers,
  counts: Float64Array,
  items: number,
  what: string,
): Promise<number> {
  const values = counts.subarray(1);
  const bases = basesOf(await workers.run(['sum'], { values }, items));
  const total = bases[bases.length - 1];
  if (total >= MOST_COUNTED) throw new OptionError(`expected at most ${MOST_COUNTED - 1} ${what}, found ${total}`);
  await workers.run(['prefix'], { values, prefix: counts, bases }, items);
  return total;
}

/** Turns counts into first places. False if all have one digit, and nothing must move. */
function placesOf(counts: Uint32Array, parts: number, items: number): boolean {
  let place = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const before = place;
    for (let at = digit; at < parts * DIGITS; at += DIGITS) {
      const count = counts[at];
      counts[at] = place;
      place += count;
    }
    if (place - before === items) return false;
  }
  return true;
}

/**
 * Sorts by words, least significant first; bits from `bits` are 0. Overwrites both arrays; returns
 * the result and the other.
 */
export async function sortRecords(
  workers: Workers,
  records: Uint32Array,
  spare: Uint32Array,
  items: number,
  words: readonly number[],
  bits: number,
): Promise<[Uint32Array, Uint32Array]> {
  const counts = new Uint32Array(workers.memory(4 * DIGITS * workers.count));
  let [from, into] = [records, spare];
  for (const word of words) {
    for (let shift = 0; shift < bits; shift += DIGIT_BITS) {
      const parts = await workers.run(['countDigits'], { records: from, word, shift, counts }, items);
      if (!placesOf(counts, parts.length, items)) continue;
      await workers.run(['placeByDigit'], { records: from, word, shift, counts, into }, items);
      [from, into] = [into, from];
    }
  }
  return [from, into];
}

/*
 * Finds the bricks that may share their key with another model's brick: only these form two-tuples,
 * so only these must be sorted.
 *
 * B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", Communications of the
 * ACM 13, 1970, with one hash and two-bit counts that end at two. A place met once holds one
 * brick's key, since bricks of a model have different keys. Nothing is lost: equal keys have one
 * place, which is met at least twice. Bricks that stay because two keys have one place form no
 * two-tuple.
 *
 * Sixteen consecutive keys have adjacent places in one word. A model's keys are sorted, so most
 * look at the same word as the one before.
 *
 * Measured, for 354,380 bricks with 14,806 two-tuples: 53,904 stay, and the answer takes 16 ms
 * instead of 35. If all share keys, both passes are a hundredth of the rest.
 */

export interface Sharers {
  count: number;
  /** Two words per brick, as in a CubeSet. */
  keys: Uint32Array;
  masks: Uint32Array;
  modelOf: Uint32Array;
  /** Cubes of all bricks, including those left out. */
  cubes: number;
}

/** Words of sixteen places each: a power of two, with 8 to 16 places per brick. */
const wordsFor = (bricks: number): number => 2 ** Math.ceil(Math.log2(Math.max(2, bricks)) - 1);

function wordOf(low: number, high: number, wrap: number): number {
  let mixed = Math.imul((low >>> 4) ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) & wrap;
}

/** Bricks whose key another model may have; `memory` returns zeroed arrays. */
export function sharersOf(
  sets: readonly CubeSet[],
  bricks: number,
  memory: (bytes: number) => ArrayBufferLike,
): Sharers {
  // Once: 1; more often: 2 or 3.
  const seen = new Uint32Array(wordsFor(bricks));
  const most = Math.min(bricks, 2 * countPlaces(sets, seen));
  const keys = new Uint32Array(2 * most);
  const masks = new Uint32Array(memory(8 * most));
  const modelOf = new Uint32Array(memory(4 * most));
  const wrap = seen.length - 1;
  let count = 0;
  let cubes = 0;
  for (let m = 0; m < sets.length; m++) {
    const set = sets[m];
    const of = set.keys;
    let group = -1;
    let word = 0;
    for (let at = 0; at < of.length; at += 2) {
      const low = of[at];
      cubes += popcount(set.masks[at]) + popcount(set.masks[at + 1]);
      if (low >>> 4 !== group || of[at + 1] !== of[at - 1]) {
        group = low >>> 4;
        word = seen[wordOf(low, of[at + 1], wrap)];
      }
      if (((word >>> (2 * (low & 15))) & 2) === 0) continue;
      keys[2 * count] = low;
      keys[2 * count + 1] = of[at + 1];
      masks[2 * count] = set.masks[at];
      masks[2 * count + 1] = set.masks[at + 1];
      modelOf[count++] = m;
    }
  }
  return { count, keys, masks, modelOf, cubes };
}

function countPlaces(sets: readonly CubeSet[], seen: Uint32Array): number {
  const wrap = seen.length - 1;
  let again = 0;
  for (let m = 0; m < sets.length; m++) {
    const { keys } = sets[m];
    let group = -1;
    let place = 0;
    for (let at = 0; at < keys.length; at += 2) {
      const low = keys[at];
      if (low >>> 4 !== group || keys[at + 1] !== keys[at - 1]) {
        group = low >>> 4;
        place = wordOf(low, keys[at + 1], wrap);
      }
      const shift = 2 * (low & 15);
      const once = (seen[place] >>> shift) & 3;
      if (once !== 0) again++;
      seen[place] |= (once === 0 ? 1 : 2) << shift;
    }
  }
  return again;
}
