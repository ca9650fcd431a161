/**
 * Records of three words sorted by one of them, digit by digit, stable, on Q workers.
 *
 * M. Zagha, G. E. Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991: each worker counts the digits of its part, a prefix sum
 * over (digit, part) gives every part its places for every digit, each worker moves its part. Stable, so the result does not depend on the parts.
 */
import type { Workers } from './stages.ts';

const DIGIT_BITS = 10;
const DIGITS = 1 << DIGIT_BITS;

export interface Digits {
  /** Three words each. */
  records: Uint32Array;
  /** By which of the three words, and from which of its bits. */
  word: number;
  shift: number;
  /** DIGITS for each part. */
  counts: Uint32Array;
}

/** How often each digit occurs in a part. */
export function countDigits({ records, word, shift, counts }: Digits, from: number, to: number, part: number): number {
  const row = part * DIGITS;
  counts.fill(0, row, row + DIGITS);
  for (let at = 3 * from + word; at < 3 * to; at += 3) counts[row + ((records[at] >>> shift) & (DIGITS - 1))]++;
  return 0;
}

/** Moves the records of a part to their places, which `counts` holds. */
export function placeByDigit(
  { records, word, shift, counts, into }: Digits & { into: Uint32Array },
  from: number,
  to: number,
  part: number,
): number {
  const row = part * DIGITS;
  for (let at = 3 * from; at < 3 * to; at += 3) {
    const place = 3 * counts[row + ((records[at + word] >>> shift) & (DIGITS - 1))]++;
    into[place] = records[at];
    into[place + 1] = records[at + 1];
    into[place + 2] = records[at + 2];
  }
  return 0;
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
 * Sorts `items` records by the given words, the least significant first, of which all bits from `bits` on are 0.
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
