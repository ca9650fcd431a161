/**
 * Sums of waves a sin(p u + q v + r w + s) in the coordinates of a cell: re-expressed once, halved
 * by an addition each, bounded by a quadric.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 2, has a sphere with noise (G. Gardner's series of sines) but no bound for it; the
 * bound is new here. The arguments are as in cell-function.ts. A wave is five numbers: a, p, q, r,
 * s.
 *
 * Letters: e = 2^-53; t = p u + q v + r w and T = |p| + |q| + |r|, so |t| <= T on the cell.
 *
 * Substitution. Each of the four new numbers of a phase is a sum of at most four products. Their
 * errors add up to
 *   4.01 e X on the cube,   X = |p| r_1 + |q| r_2 + |r| r_3 + |s|,
 * with r_k the sum of the absolute values of the map's row k. A shift of the argument by d in each
 * coordinate moves the phase by d (|p| + |q| + |r|). The sine moves no more than its phase, and by
 * no more than 2. Underflow moves a phase by less than 2^-1000.
 *
 * Halving. p / 2 is exact except for underflow. The rounding of s + p / 2 is known exactly (D. E.
 * Knuth, "The Art of Computer Programming" 2, 4.2.2, theorem B) and moves the wave by no more than
 * |a| times it.
 *
 * Model. sin(s + t) = sin s cos t + cos s sin t. Taylor's series of cos t to t^6 and of sin t to
 * t^5 are written in Chebyshev polynomials of t / T and cut after the second (C. Lanczos's
 * economization, "Applied Analysis" 1956, VII):
 *     sin t    (1 - T^2/8 + T^4/192) t
 *              off by |T^3/24 - T^5/384| + T^5/1920 + T^7/5040
 *     cos t    1 - T^4/192 + T^6/4608 - (1/2 - T^2/24 + T^4/768) t^2
 *              off by |T^4/192 - T^6/3840| + T^6/23040 + T^8/40320
 * The errors are the cut coefficients and Taylor's remainders; for small T a quarter of T^3 / 6. If
 * |cos s| times the first and |sin s| times the second are together 1/2 or more, or T is above 3,
 * the wave counts as 0 within |a|. Its values reach no farther, and a quadric would lose half of
 * its information.
 *
 * Time. If a wave is a sin(p u + q v + r w + s + o t) and t = m + h x, |x| <= 1, then x is a fourth
 * coordinate of the cell: s' = s + o m, rounded twice, replaces s, and t above is
 *   p u + q v + r w + o h x.
 * The ten numbers and x's drift omit the squares' products with x:
 *   2 (p u + q v + r w) o h x + (o h x)^2,
 * below 2 T |o h| times the coefficient of t^2.
 *
 * Rounding, for T <= 3. The polynomials' values times T or T^2 are off by 24 e of |cos s| and 30 e
 * of |sin s|, together below 39 e. The products that turn them into ten numbers add 24 e, and sin s
 * and cos s themselves 4.3 SINE_ERROR = 8.6 e: below 2^-46 in all. The ten numbers of a wave are
 * together below 8 |a|, and adding n waves costs n - 1 roundings of no more than their sum.
 */
import { LARGEST_ANGLE, SINE_ERROR, sineCosine } from '../../../math/sine.ts';
import type { Leaf } from './program.ts';

/** Waves whose o, if `from` is above 0, begin at frequencies[from]. */
export interface Waves extends Leaf {
  frequencies: Float64Array;
  from: number;
}

const EPSILON = 2 ** -53;
/** Exceeds the relative rounding of a sum of non-negative terms with up to 60 roundings each. */
const outward = (count: number): number => 1 + (count + 32) * 2 ** -52;
const UNDERFLOW = 2 ** -1000;
/** Larger sums of absolute values might overflow. */
const LARGEST = 2 ** 996;
const WIDEST = 3;

const sineAndCosine = new Float64Array(2);

/**
 * Writes waves in the coordinates of a cell. Returns the error bound of
 * their sum there.
 *
 * @param map (M | t), row-major, 12 numbers: x = M u' + t
 * @param slack maximum shift of each coordinate of x
 * @returns Infinity, and zeros in `out`, if a phase may exceed LARGEST_ANGLE or a sum may overflow
 */
export function substituteWaves(
  { numbers, at, size: count }: Leaf,
  map: Float64Array,
  slack: number,
  out: Float64Array,
  outAt: number,
): number {
  const x = Math.abs(map[0]) + Math.abs(map[1]) + Math.abs(map[2]) + Math.abs(map[3]);
  const y = Math.abs(map[4]) + Math.abs(map[5]) + Math.abs(map[6]) + Math.abs(map[7]);
  const z = Math.abs(map[8]) + Math.abs(map[9]) + Math.abs(map[10]) + Math.abs(map[11]);
  const end = at + 5 * count;
  let error = 0;
  let isInRange = true;
  for (let i = at, j = outAt; i < end; i += 5, j += 5) {
    const p = numbers[i + 1];
    const q = numbers[i + 2];
    const r = numbers[i + 3];
    const s = numbers[i + 4];
    const size = Math.abs(numbers[i]);
    const largest = Math.abs(p) * x + Math.abs(q) * y + Math.abs(r) * z + Math.abs(s);
    const shift = slack * (Math.abs(p) + Math.abs(q) + Math.abs(r));
    // Slightly below LARGEST_ANGLE, so that rounding, here and in halving, stays within it.
    if (!(largest + shift <= LARGEST_ANGLE - 1 && size <= LARGEST)) isInRange = false;
    out[j] = numbers[i];
    out[j + 1] = p * map[0] + q * map[4] + r * map[8];
    out[j + 2] = p * map[1] + q * map[5] + r * map[9];
    out[j + 3] = p * map[2] + q * map[6] + r * map[10];
    out[j + 4] = p * map[3] + q * map[7] + r * map[11] + s;
    const moved = 5 * EPSILON * largest + shift + UNDERFLOW;
    error += size * (moved < 2 ? moved : 2);
  }
  if (isInRange) return error * outward(count) + UNDERFLOW;
  out.fill(0, outAt, outAt + 5 * count);
  return Number.POSITIVE_INFINITY;
}

/** Halves the cell along an axis: u = (u' + side) / 2, `side` -1 or 1. Returns the error bound. */
export function halveWaves(
  { numbers: data, at, size: count }: Leaf,
  axis: number,
  side: number,
  out: Float64Array,
  outAt: number,
): number {
  const end = at + 5 * count;
  let error = 0;
  for (let i = at, j = outAt; i < end; i += 5, j += 5) {
    out[j] = data[i];
    out[j + 1] = data[i + 1];
    out[j + 2] = data[i + 2];
    out[j + 3] = data[i + 3];
    const half = 0.5 * data[i + 1 + axis];
    out[j + 1 + axis] = half;
    const s = data[i + 4];
    const shift = side * half;
    const sum = s + shift;
    const added = sum - s;
    out[j + 4] = sum;
    error += Math.abs(data[i]) * (Math.abs(s - (sum - added) + (shift - added)) + UNDERFLOW);
  }
  return error * outward(count) + UNDERFLOW;
}

/** For sin(s + t), as in the file's head: constant, coefficients of t and t^2, and the error. */
const series = new Float64Array(4);
const CONSTANT = 0;
const SLOPE = 1;
const CURVATURE = 2;
const CUT = 3;

/**
 * Writes the series of a wave of amplitude 1 for |t| <= most, |x| of it due to time. Returns false,
 * writing nothing, if 0 is the better approximation.
 */
function writeSeries(s: number, most: number, x: number): boolean {
  const t2 = most * most;
  const t4 = t2 * t2;
  const cutOfSine = most * t2 * (Math.abs(1 / 24 - t2 / 384) + t2 / 1920 + t4 / 5040);
  const cutOfCosine = t4 * (Math.abs(1 / 192 - t2 / 3840) + t2 / 23040 + t4 / 40320);
  sineCosine(s, sineAndCosine);
  const sine = sineAndCosine[0];
  const cosine = sineAndCosine[1];
  const crossed = x === 0 ? 0 : Math.abs(sine) * most * Math.abs(x) * (1 + 2 ** -40);
  const cut = Math.abs(sine) * cutOfCosine + Math.abs(cosine) * cutOfSine + crossed;
  if (!(cut < 0.5)) return false;
  series[CUT] = cut;
  series[SLOPE] = cosine * (1 - t2 / 8 + t4 / 192);
  series[CURVATURE] = sine * (t2 / 24 - 0.5 - t4 / 768);
  series[CONSTANT] = sine * (1 - t4 / 192 + (t4 * t2) / 4608);
  return true;
}

export const wavesDrift = new Float64Array(1);

/**
 * Writes the ten numbers of a quadric. Returns a bound on the cell for the waves' distance from it
 * plus `wavesDrift`.
 *
 * @param middle, half all requested times are within `half` of `middle`
 */
export function modelWaves(waves: Waves, out: Float64Array, outAt: number, middle = 0, half = 0): number {
  const { numbers: data, at, size: count, frequencies, from } = waves;
  let a11 = 0;
  let a22 = 0;
  let a33 = 0;
  let a12 = 0;
  let a13 = 0;
  let a23 = 0;
  let a14 = 0;
  let a24 = 0;
  let a34 = 0;
  let a44 = 0;
  let error = 0;
  let sizes = 0;
  let along = 0;
  const end = at + 5 * count;
  for (let i = at, n = from; i < end; i += 5, n++) {
    const a = data[i];
    const p = data[i + 1];
    const q = data[i + 2];
    const r = data[i + 3];
    let s = data[i + 4];
    let x = 0;
    const size = Math.abs(a);
    sizes += size;
    if (from > 0) {
      const turn = frequencies[n] * middle;
      const moved = 3 * EPSILON * (Math.abs(s) + Math.abs(turn)) + UNDERFLOW;
      error += size * (moved < 2 ? moved : 2);
      s += turn;
      x = frequencies[n] * half;
    }
    const t = (Math.abs(p) + Math.abs(q) + Math.abs(r) + Math.abs(x)) * (1 + 2 ** -50) + UNDERFLOW;
    if (!(t <= WIDEST && Math.abs(s) <= LARGEST_ANGLE && writeSeries(s, t, x))) {
      error += size;
      continue;
    }
    error += size * series[CUT];
    const first = a * series[SLOPE];
    const second = a * series[CURVATURE];
    a44 += a * series[CONSTANT];
    a14 += first * p;
    a24 += first * q;
    a34 += first * r;
    along += first * x;
    const alongP = second * p;
    const alongQ = second * q;
    a11 += alongP * p;
    a22 += alongQ * q;
    a33 += second * r * r;
    a12 += 2 * alongP * q;
    a13 += 2 * alongP * r;
    a23 += 2 * alongQ * r;
  }
  const bound = (error + sizes * (2 ** -46 + count * 2 ** -50)) * outward(count) + UNDERFLOW;
  const isBounded = bound <= LARGEST;
  wavesDrift[0] = isBounded ? along : 0;
  out[outAt] = isBounded ? a11 : 0;
  out[outAt + 1] = isBounded ? a22 : 0;
  out[outAt + 2] = isBounded ? a33 : 0;
  out[outAt + 3] = isBounded ? a12 : 0;
  out[outAt + 4] = isBounded ? a13 : 0;
  out[outAt + 5] = isBounded ? a23 : 0;
  out[outAt + 6] = isBounded ? a14 : 0;
  out[outAt + 7] = isBounded ? a24 : 0;
  out[outAt + 8] = isBounded ? a34 : 0;
  out[outAt + 9] = isBounded ? a44 : 0;
  return isBounded ? bound : Number.POSITIVE_INFINITY;
}

/**
 * Returns the sum at (x, y, z) in plain doubles, within `evaluationErrorOfWaves` of the exact one.
 * Requires |p x| + |q y| + |r z| + |s| below LARGEST_ANGLE.
 */
export function evaluateWaves(waves: Waves, x: number, y: number, z: number, time = 0): number {
  const { numbers, at, size: count, frequencies, from } = waves;
  const end = at + 5 * count;
  let value = 0;
  for (let i = at, n = from; i < end; i += 5, n++) {
    const phase = numbers[i + 1] * x + numbers[i + 2] * y + numbers[i + 3] * z + numbers[i + 4];
    sineCosine(from > 0 ? phase + frequencies[n] * time : phase, sineAndCosine);
    value += numbers[i] * sineAndCosine[0];
  }
  return value;
}

/** Returns the value; `out` receives the derivatives along x, y and z. */
export function gradientOfWaves(waves: Waves, x: number, y: number, z: number, out: Float64Array, time = 0): number {
  const { numbers, at, size: count, frequencies, from } = waves;
  const end = at + 5 * count;
  let value = 0;
  let alongX = 0;
  let alongY = 0;
  let alongZ = 0;
  for (let i = at, n = from; i < end; i += 5, n++) {
    const phase = numbers[i + 1] * x + numbers[i + 2] * y + numbers[i + 3] * z + numbers[i + 4];
    sineCosine(from > 0 ? phase + frequencies[n] * time : phase, sineAndCosine);
    const slope = numbers[i] * sineAndCosine[1];
    value += numbers[i] * sineAndCosine[0];
    alongX += slope * numbers[i + 1];
    alongY += slope * numbers[i + 2];
    alongZ += slope * numbers[i + 3];
  }
  out[0] = alongX;
  out[1] = alongY;
  out[2] = alongZ;
  return value;
}

/**
 * Bounds the error of `evaluateWaves` at `middle` for any time within `half` of it; Infinity if a
 * phase may exceed LARGEST_ANGLE. A phase goes through 5 roundings, the sine is within SINE_ERROR,
 * and the product and n - 1 sums are rounded. Away from the middle a phase is off by at most o half
 * more, and a sine by at most 2.
 */
export function evaluationErrorOfWaves(waves: Waves, x: number, y: number, z: number, middle = 0, half = 0): number {
  const { numbers, at, size: count, frequencies, from } = waves;
  const end = at + 5 * count;
  let error = 0;
  for (let i = at, n = from; i < end; i += 5, n++) {
    let phase =
      Math.abs(numbers[i + 1] * x) +
      Math.abs(numbers[i + 2] * y) +
      Math.abs(numbers[i + 3] * z) +
      Math.abs(numbers[i + 4]);
    let moved = 0;
    if (from > 0) {
      phase += Math.abs(frequencies[n] * middle);
      moved = Math.min(2, Math.abs(frequencies[n]) * half);
    }
    if (!(phase <= LARGEST_ANGLE - 1)) return Number.POSITIVE_INFINITY;
    error += Math.abs(numbers[i]) * (moved + 6 * EPSILON * phase + SINE_ERROR + (count + 1) * EPSILON);
  }
  const bound = error * outward(count) + UNDERFLOW;
  return bound < Number.POSITIVE_INFINITY ? bound : Number.POSITIVE_INFINITY;
}
