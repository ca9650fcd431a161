/**
 * Exponential, logarithm and powers in + - * / and Math.sqrt only: the same doubles on every
 * engine, unlike Math.exp, with proved bounds.
 *
 * W. J. Cody, W. Waite, "Software Manual for the Elementary Functions" (1980), chapters 5 and 6.
 * The polynomials are Taylor's, as their remainders need no computation to be believed.
 *
 * Proofs, with e = 2^-53. LN2_HIGH has 32 significant bits, and LN2_LOW is within 2^-85 of the rest
 * of ln 2.
 *
 * Exponential, |x| <= 708. k = floor(x / ln 2 + 1/2) as computed, |k| <= 1022, so k LN2_HIGH is
 * exact. x - k LN2_HIGH is exact, too: both are multiples of 2^-54, or it is x itself, and it is
 * less than 1. k LN2_LOW is below 2^-22; its rounding and LN2_LOW's error, times k, are below
 * 2^-74. Its subtraction rounds by e / 4. So r is off by 0.26 e, |r| < 0.3467, and e^r is off by
 * 0.26 e of itself. Taylor's remainder after r^14 is r^15 / 15! < 2^-62. With r + r^2 P: P is below
 * 0.57 and within 3 e, r^2 P has three more roundings, so it is off by 0.4 e; r + r^2 P, below
 * 0.42, rounds by e / 4; 1 + that, below 2, by e. All of it is below 2 e, of a value above 0.7: 3
 * e. Scaling by a power of two is exact, since the results are normal.
 *
 * Logarithm, x >= 2^-1022. x = 2^k m, sqrt(1/2) <= m < 1.42. m - 1 is exact. s = (m - 1) / (m + 1)
 * is off by 2.1 e of itself, |s| < 0.1736. The series of 2 atanh(s) to s^21 has a remainder below
 *   2 s^23 / 23 / (1 - s^2) < 2^-61;
 * with the roundings of s, s^2 and the sum it is within 6 e of itself, below 0.36: 2.2 e.
 * k LN2_LOW, below 2^-22, matters by 2^-74. Two sums of results below 709 round by e of themselves
 * each, and k LN2_HIGH is exact. All of it is below 3 e + 2 e |log x|.
 */

/** Bound of the relative error of `exponential`. */
export const EXPONENTIAL_ERROR = 2 ** -50;
/** Farthest argument of `exponential`. */
export const LARGEST_EXPONENT = 708;
/** Bound of the error of `logarithm`, as a part of 1 + its size. */
export const LOGARITHM_ERROR = 2 ** -51;
/** Least argument of `logarithm`. */
export const SMALLEST_NORMAL = 2 ** -1022;

const ONE_OVER_LN2 = Math.LOG2E;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;

const words = new DataView(new ArrayBuffer(8));

/** 2^k, exact, for whole k from -1022 to 1023. */
function powerOfTwo(k: number): number {
  words.setUint32(0, (k + 1023) << 20);
  words.setUint32(4, 0);
  return words.getFloat64(0);
}

/** 1 / 2!, 1 / 3!, ..., 1 / 14!; factorials are exact doubles, the quotients rounded. */
const INVERSE_FACTORIALS: readonly number[] = [
  ...[1 / 2, 1 / 6, 1 / 24, 1 / 120, 1 / 720, 1 / 5040, 1 / 40320, 1 / 362880, 1 / 3628800],
  ...[1 / 39916800, 1 / 479001600, 1 / 6227020800, 1 / 87178291200],
];

/** Returns e^x within EXPONENTIAL_ERROR of itself, for |x| <= LARGEST_EXPONENT. */
export function exponential(x: number): number {
  const k = Math.floor(x * ONE_OVER_LN2 + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let sum = 0;
  for (let n = INVERSE_FACTORIALS.length - 1; n >= 0; n--) sum = sum * r + INVERSE_FACTORIALS[n];
  return (1 + (r + r * r * sum)) * powerOfTwo(k);
}

/** Returns log x within LOGARITHM_ERROR (1 + |log x|), for finite x >= SMALLEST_NORMAL. */
export function logarithm(x: number): number {
  words.setFloat64(0, x);
  const high = words.getUint32(0);
  let k = (high >>> 20) - 1023;
  words.setUint32(0, (high & 0xfffff) | 0x3ff00000);
  let m = words.getFloat64(0);
  if (m > Math.SQRT2) {
    m /= 2;
    k++;
  }
  const s = (m - 1) / (m + 1);
  const z = s * s;
  let sum = 0;
  for (let n = 21; n >= 3; n -= 2) sum = (sum + 1 / n) * z;
  return k * LN2_HIGH + (2 * (s + s * sum) + k * LN2_LOW);
}

/** Returns x^n for a whole n >= 0 by squaring, with at most 2 n roundings. */
function wholePower(x: number, n: number): number {
  let result = 1;
  let square = x;
  for (let rest = n; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = result === 1 ? square : result * square;
    if (rest > 1) square *= square;
  }
  return result;
}

/**
 * Returns x^p within `powerError` of itself, for |p| up to 1024, if neither it nor x^-p leaves the
 * normal doubles.
 *
 * Whole and half exponents have products, a quotient and a root: of n factors an error of at most
 * (2 n + 4) e. Others are e^(p log x).
 *
 * @param x above 0; any number but 0 if p is whole; any number if p is also above 0
 */
export function power(x: number, p: number): number {
  const size = Math.abs(p);
  const whole = Math.floor(size);
  if (size === whole) return p > 0 ? wholePower(x, whole) : 1 / wholePower(x, whole);
  if (size - whole === 0.5) {
    const root = Math.sqrt(x) * wholePower(x, whole);
    return p > 0 ? root : 1 / root;
  }
  if (!(x >= SMALLEST_NORMAL && x < Number.POSITIVE_INFINITY)) return p > 0 === x < 1 ? 0 : Number.POSITIVE_INFINITY;
  const exponent = p * logarithm(x);
  if (exponent > LARGEST_EXPONENT) return Number.POSITIVE_INFINITY;
  return exponent < -LARGEST_EXPONENT ? 0 : exponential(exponent);
}

/** Bounds the relative error of `power`. An error d of an exponent, below 2^-30, makes 1.01 d. */
export function powerError(x: number, p: number): number {
  const size = Math.abs(p);
  if (2 * size === Math.floor(2 * size)) return (size + 4) * 2 ** -52;
  if (!(x >= SMALLEST_NORMAL && x < Number.POSITIVE_INFINITY)) return 0;
  return (size * (1 + Math.abs(logarithm(x))) * 2 + 2) * EXPONENTIAL_ERROR;
}
