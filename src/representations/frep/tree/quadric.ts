/**
 * Quadrics in the coordinates of a cell: re-expressed once, halved without a division, and bounded
 * on the cell.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 3.3. Numbers are in the source's order: A11 A22 A33 A12 A13 A23 A14 A24 A34 A44.
 * Departures: each re-expression returns how far rounding may have moved the values on the cell, so
 * that the tests hold in floating point. And u^2 lies in [0, 1], not in [-1, 1], so A_kk u^2 + A_k4
 * u is bounded by its range itself (test 8 adds |A_kk| and |A_k4|).
 *
 * Roundings. e = 2^-53. Every coefficient that `substituteQuadric` writes is a sum of products of
 * numbers and map entries. No product goes through more than 8 roundings. On |u| <= 1 all these
 * products together are no larger than the majorant,
 *   |A11| r_1^2 + ... + |A44|,   r_k the sum of the absolute values of the map's row k.
 * So values move by less than 8.01 e times it, and 16 e leaves room for its own rounding. A shift
 * of the argument by at most s along each axis moves values by at most s times the sum of the
 * partial derivatives' majorants on r + s. Underflow is below 2^-1074 per product, times its later
 * factors.
 */

import type { Leaf } from './program.ts';

const EPSILON = 2 ** -53;

/** Writes the quadric in a cell's coordinates; cell-function.ts explains the arguments. */
export function substituteQuadric(
  { numbers, at }: Leaf,
  map: Float64Array,
  slack: number,
  out: Float64Array,
  outAt: number,
): number {
  const a11 = numbers[at];
  const a22 = numbers[at + 1];
  const a33 = numbers[at + 2];
  const a12 = numbers[at + 3];
  const a13 = numbers[at + 4];
  const a23 = numbers[at + 5];
  const a14 = numbers[at + 6];
  const a24 = numbers[at + 7];
  const a34 = numbers[at + 8];
  const tx = map[3];
  const ty = map[7];
  const tz = map[11];
  for (let k = 0; k < 3; k++) {
    const px = map[k];
    const py = map[4 + k];
    const pz = map[8 + k];
    const hx = 2 * a11 * px + a12 * py + a13 * pz;
    const hy = a12 * px + 2 * a22 * py + a23 * pz;
    const hz = a13 * px + a23 * py + 2 * a33 * pz;
    out[outAt + k] = (px * hx + py * hy + pz * hz) / 2;
    if (k === 0) out[outAt + 3] = map[1] * hx + map[5] * hy + map[9] * hz;
    if (k === 0) out[outAt + 4] = map[2] * hx + map[6] * hy + map[10] * hz;
    if (k === 1) out[outAt + 5] = map[2] * hx + map[6] * hy + map[10] * hz;
    out[outAt + 6 + k] = tx * hx + ty * hy + tz * hz + (a14 * px + a24 * py + a34 * pz);
  }
  out[outAt + 9] =
    tx * (a11 * tx + a12 * ty + a13 * tz + a14) +
    ty * (a22 * ty + a23 * tz + a24) +
    tz * (a33 * tz + a34) +
    numbers[at + 9];
  const x = Math.abs(map[0]) + Math.abs(map[1]) + Math.abs(map[2]) + Math.abs(tx) + slack;
  const y = Math.abs(map[4]) + Math.abs(map[5]) + Math.abs(map[6]) + Math.abs(ty) + slack;
  const z = Math.abs(map[8]) + Math.abs(map[9]) + Math.abs(map[10]) + Math.abs(tz) + slack;
  const b11 = Math.abs(a11);
  const b22 = Math.abs(a22);
  const b33 = Math.abs(a33);
  const b12 = Math.abs(a12);
  const b13 = Math.abs(a13);
  const b23 = Math.abs(a23);
  const b14 = Math.abs(a14);
  const b24 = Math.abs(a24);
  const b34 = Math.abs(a34);
  const majorant =
    x * (b11 * x + b12 * y + b13 * z + b14) +
    y * (b22 * y + b23 * z + b24) +
    z * (b33 * z + b34) +
    Math.abs(numbers[at + 9]);
  const slope = 2 * (b11 * x + b22 * y + b33 * z) + b12 * (x + y) + b13 * (x + z) + b23 * (y + z) + b14 + b24 + b34;
  const error =
    16 * EPSILON * majorant + slack * slope * (1 + 2 ** -40) + 2 ** -1000 * (1 + x + y + z) * (1 + x + y + z);
  if (error < Number.POSITIVE_INFINITY) return error;
  // Unknown, but without a NaN in later computations.
  out.fill(0, outAt, outAt + 10);
  return Number.POSITIVE_INFINITY;
}

/** Halves the cell along an axis by six additions: u = (u' + side) / 2, `side` -1 or 1. */
export function halveQuadric(
  { numbers: data, at }: Leaf,
  axis: number,
  side: number,
  out: Float64Array,
  outAt: number,
): number {
  const s = side / 2;
  if (axis === 0) {
    const a11 = data[at];
    const a12 = data[at + 3];
    const a13 = data[at + 4];
    const a14 = data[at + 6];
    out[outAt] = a11 / 4;
    out[outAt + 1] = data[at + 1];
    out[outAt + 2] = data[at + 2];
    out[outAt + 3] = a12 / 2;
    out[outAt + 4] = a13 / 2;
    out[outAt + 5] = data[at + 5];
    out[outAt + 6] = a14 / 2 + s * a11;
    out[outAt + 7] = data[at + 7] + s * a12;
    out[outAt + 8] = data[at + 8] + s * a13;
    out[outAt + 9] = data[at + 9] + (s * a14 + a11 / 4);
  } else if (axis === 1) {
    const a22 = data[at + 1];
    const a12 = data[at + 3];
    const a23 = data[at + 5];
    const a24 = data[at + 7];
    out[outAt] = data[at];
    out[outAt + 1] = a22 / 4;
    out[outAt + 2] = data[at + 2];
    out[outAt + 3] = a12 / 2;
    out[outAt + 4] = data[at + 4];
    out[outAt + 5] = a23 / 2;
    out[outAt + 6] = data[at + 6] + s * a12;
    out[outAt + 7] = a24 / 2 + s * a22;
    out[outAt + 8] = data[at + 8] + s * a23;
    out[outAt + 9] = data[at + 9] + (s * a24 + a22 / 4);
  } else {
    const a33 = data[at + 2];
    const a13 = data[at + 4];
    const a23 = data[at + 5];
    const a34 = data[at + 8];
    out[outAt] = data[at];
    out[outAt + 1] = data[at + 1];
    out[outAt + 2] = a33 / 4;
    out[outAt + 3] = data[at + 3];
    out[outAt + 4] = a13 / 2;
    out[outAt + 5] = a23 / 2;
    out[outAt + 6] = data[at + 6] + s * a13;
    out[outAt + 7] = data[at + 7] + s * a23;
    out[outAt + 8] = a34 / 2 + s * a33;
    out[outAt + 9] = data[at + 9] + (s * a34 + a33 / 4);
  }
  // Five sums were rounded, the last one twice; its inner sum is at most twice its terms.
  const rounded =
    Math.abs(out[outAt + 6]) +
    Math.abs(out[outAt + 7]) +
    Math.abs(out[outAt + 8]) +
    Math.abs(out[outAt + 9]) +
    Math.abs(data[at + 9]);
  return 2.01 * EPSILON * rounded + 2 ** -1000;
}

/**
 * Writes outward-rounded bounds on |u| <= 1 of a function within `remainder` of a quadric, to
 * lower[slot] and upper[slot]. The source's tests 8 and 9, two-sided and with the range of A_kk u^2
 * + A_k4 u.
 */
export function boundQuadric(
  data: Float64Array,
  at: number,
  remainder: number,
  lower: Float64Array,
  upper: Float64Array,
  slot: number,
): void {
  const cross = Math.abs(data[at + 3]) + Math.abs(data[at + 4]) + Math.abs(data[at + 5]);
  const constant = data[at + 9];
  let least = -cross;
  let most = cross;
  let size = cross + Math.abs(constant);
  for (let k = 0; k < 3; k++) {
    const a = data[at + k];
    const b = Math.abs(data[at + 6 + k]);
    const ends = b + Math.abs(a);
    size += ends;
    // The parabola's vertex lies within if b < 2 |a|: the minimum for a > 0, the maximum for a < 0.
    if (a >= 0) {
      most += ends;
      least += b >= 2 * a ? a - b : -b * (b / a / 4);
    } else {
      least -= ends;
      most += b >= -2 * a ? a + b : b * (b / a / -4);
    }
  }
  const rounding = (16 * EPSILON * size + remainder) * (1 + 2 ** -50) + 2 ** -1000;
  lower[slot] = constant + least - rounding;
  upper[slot] = constant + most + rounding;
}
