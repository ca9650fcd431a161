/**
 * A sort pass: records of three words by one digit of one of them, stable, on Q workers.
 *
 * M. Zagha, G. E. Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991: each
 * worker counts the digits of its part, a prefix sum over (digit, part) gives every part its places
 * for every digit, each worker moves its part. Stable, so the result does not depend on the parts.
 */
export const DIGIT_BITS = 10;
export const DIGITS = 1 << DIGIT_BITS;

export interface Digits {
  records: Uint32Array;
  /** The word to sort by, and its lowest bit. */
  word: number;
  shift: number;
  /** DIGITS for each part. */
  counts: Uint32Array;
}

export function countDigits({ records, word, shift, counts }: Digits, from: number, to: number, part: number): number {
  const row = part * DIGITS;
  counts.fill(0, row, row + DIGITS);
  for (let at = 3 * from + word; at < 3 * to; at += 3) counts[row + ((records[at] >>> shift) & (DIGITS - 1))]++;
  return 0;
}

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
