/**
 * Operations on a row that need several passes of all workers: prefix sums of counts, and a sort.
 */
import { OptionError } from '../../../base/errors.ts';
import { basesOf } from './prefix-sum.ts';
import { DIGIT_BITS, DIGITS } from './sort.ts';
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
  if (total >= MOST_COUNTED) throw new OptionError(`${total} ${what}: no more than ${MOST_COUNTED - 1} can be counted`);
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
