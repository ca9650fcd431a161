/** What takes several passes of all workers over a row: counts that become places, and a sort. */
import { OptionError } from '../../../math/errors.ts';
import { basesOf } from './prefix-sum.ts';
import { DIGIT_BITS, DIGITS } from './sort.ts';
import type { Workers } from './stages.ts';

/** Sums must stay below it. */
const MOST_COUNTED = 2 ** 53;

/**
 * Turns counts into places: counts[1] to counts[items] become prefix sums in place, counts[0] is 0.
 *
 * @param what names the counted things in the error
 * @returns the sum of all
 * @throws OptionError when it is 2^53 or more: then no double could count them
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

/** Counts become first places. False where all have one digit, and nothing need move. */
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
 * Sorts `items` records by the given words, the least significant first, of which all bits from
 * `bits` on are 0.
 *
 * @param spare as large as `records`; both are overwritten
 * @returns the one that holds the result, and the other
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
