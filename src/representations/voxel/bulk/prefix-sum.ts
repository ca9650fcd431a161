/**
 * Computes prefix sums in two passes over parts of the row, which give items in other stages their
 * places. Sorts records by digits with such sums.
 *
 * R. E. Ladner, M. J. Fischer, "Parallel Prefix Computation", Journal of the ACM 27, 1980; for Q
 * processors R. P. Brent, "The Parallel Evaluation of General Arithmetic Expressions", Journal of
 * the ACM 21, 1974. Each adds up a part of M / Q items, the Q sums are scanned, and each goes over
 * its part again with the sum of the earlier parts. That is time M / Q + Q; the paper's Table II
 * has log(M + M / Q), which takes more processors than items.
 *
 * prefix[k] is the sum of the first k values: prefix[0] = 0, and the paper's Prefix_u is prefix[u].
 *
 * Counting in doubles: while the last sum is below 2^53, all are exact, however the row was cut.
 * Values are whole and none is negative. A sum of two exact numbers below 2^53 is exact, and any
 * other is rounded to 2^53 or more, since 2^53 is a double; so are all sums that contain it.
 */

export type Values = Float64Array | Uint8Array;

/** First pass: the sum of a part. */
export function sum({ values }: { values: Values }, from: number, to: number): number {
  let total = 0;
  for (let k = from; k < to; k++) total += values[k];
  return total;
}

/** Second pass: prefix[k + 1] of a part, from bases[part]. `values` may be prefix.subarray(1). */
export function prefix(
  { values, prefix, bases }: { values: Values; prefix: Float64Array | Uint32Array; bases: readonly number[] },
  from: number,
  to: number,
  part: number,
): number {
  let total = bases[part];
  for (let k = from; k < to; k++) {
    total += values[k];
    prefix[k + 1] = total;
  }
  return total;
}

/** Between the passes: the sum before each part, and last the sum of all. */
export function basesOf(sums: readonly number[]): number[] {
  const bases = [0];
  for (const part of sums) bases.push(bases[bases.length - 1] + part);
  return bases;
}

/** The last k with prefix[k] <= place, in a row of `items` items that counts more than `place`. */
export function itemAt(prefix: Float64Array, items: number, place: number): number {
  let below = 0;
  let above = items;
  while (above - below > 1) {
    const middle = (below + above) >>> 1;
    if (prefix[middle] <= place) below = middle;
    else above = middle;
  }
  return below;
}

/*
 * A sort pass: records of three words by one digit of one of them, stable, on Q workers.
 *
 * M. Zagha, G. E. Blelloch, "Radix Sort for Vector Multiprocessors", Supercomputing 1991. Each
 * worker counts the digits of its part. A prefix sum over (digit, part) gives every part its places
 * for every digit. Then each worker moves its part. The sort is stable, so the result does not
 * depend on the parts.
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
