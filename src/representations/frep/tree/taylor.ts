/**
 * Ranges and Taylor models of sines, cosines, exponentials, logarithms and powers of a function.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 3.3.1, expands an analytic function into Taylor's series in the vicinity of a
 * point, discards terms above some power, and compares the free term with the sum of the other
 * coefficients' sizes. The paper does not bound the discarded terms; this file does, after K.
 * Makino, M. Berz, "Taylor Models and Other Validated Functional Inclusion Methods" (2003). A model
 * is a quadric on the cell, a drift in time (cell-function.ts), and a bound of the distance from
 * them.
 *
 * Letters: g is the function and h its argument, which lies in [low, high] on the cell. m is the
 * middle of that range, x = h - m, and |x| <= D. t_0 to t_4 are Taylor's coefficients of g at m,
 * and
 *   R >= |g^(5) / 5!| on the range.
 *
 * Expansion. Cubes and fourth powers of x are written in Chebyshev polynomials of x / D and cut
 * after the second (C. Lanczos's economization, as in waves.ts):
 *     x^3 = 3/4 D^2 x              off by D^3 / 4
 *     x^4 = D^2 x^2 - D^4 / 8      off by D^4 / 8
 * So g = k_0 + k_1 x + k_2 x^2 with
 *     k_0 = t_0 - t_4 D^4 / 8,   k_1 = t_1 + 3/4 t_3 D^2,   k_2 = t_2 + t_4 D^2
 * off by no more than
 *     |t_3| D^3 / 4 + |t_4| D^4 / 8 + R D^5
 * and the errors of the coefficients, each times its power of D.
 *
 * Powers. With a whole exponent p, h^p is defined for any h; if p is below 0, for any h but 0. With
 * another exponent, it is max(h, 0)^p; if p is below 0, only for h > 0. Logarithms are defined only
 * for h > 0. If the range may leave these, nothing is known of g.
 *
 * Sines are known for arguments up to LARGEST_ANGLE; beyond it they are in [-1, 1].
 */
import {
  EXPONENTIAL_ERROR,
  exponential,
  LARGEST_EXPONENT,
  LOGARITHM_ERROR,
  logarithm,
  power,
  powerError,
  SMALLEST_NORMAL,
} from '../../../math/exponential.ts';
import { LARGEST_ANGLE, SINE_ERROR, sineCosine } from '../../../math/sine.ts';
import { OP } from './program.ts';

/** Exceeds any underflow, times any factor. */
const TINY = 2 ** -700;
/** Larger values count as unknown, so that no product overflows. */
const LARGEST = 2 ** 700;
const OUTWARD = 1 + 2 ** -48;
/** Below pi / 2: a shorter half of a range has at most one extreme of a sine in it. */
const QUARTER = 1.5;

const sines = new Float64Array(2);

/**
 * Writes bounds of the function of all arguments from `low` to `high`, rounding included; infinite
 * ones if it may have no value there.
 *
 * @param p the exponent of a power
 * @param out receives both
 */
export function boundFunction(op: number, p: number, low: number, high: number, out: Float64Array): void {
  out[0] = Number.NEGATIVE_INFINITY;
  out[1] = Number.POSITIVE_INFINITY;
  // NaN is in no range.
  const isRange = low <= high;
  switch (op) {
    case OP.SINE:
    case OP.COSINE:
      boundSine(op === OP.SINE, isRange ? low : -LARGEST, isRange ? high : LARGEST, out);
      break;
    case OP.EXPONENTIAL:
      out[0] = isRange && low >= -LARGEST_EXPONENT ? exponentialWithin(low, -1) : 0;
      if (isRange && high <= LARGEST_EXPONENT) out[1] = exponentialWithin(high, 1);
      break;
    case OP.LOGARITHM:
      if (!isRange || !(low >= SMALLEST_NORMAL)) return;
      out[0] = logarithmWithin(low, -1);
      if (high < Number.POSITIVE_INFINITY) out[1] = logarithmWithin(high, 1);
      break;
    default:
      if (isRange) boundPower(p, low, high, out);
  }
}

function exponentialWithin(x: number, side: number): number {
  const within = x < -LARGEST_EXPONENT ? -LARGEST_EXPONENT : x > LARGEST_EXPONENT ? LARGEST_EXPONENT : x;
  return exponential(within) * (1 + side * 2 * EXPONENTIAL_ERROR);
}

function logarithmWithin(x: number, side: number): number {
  const value = logarithm(x);
  return value + side * 2 * LOGARITHM_ERROR * (1 + Math.abs(value));
}

/** The slope keeps its sign if that at the middle outweighs what the half range can turn it. */
function boundSine(isSine: boolean, low: number, high: number, out: Float64Array): void {
  out[0] = -1;
  out[1] = 1;
  const middle = low / 2 + high / 2;
  const half = Math.max(middle - low, high - middle) * OUTWARD + TINY;
  if (!(half <= QUARTER && Math.max(-low, high) <= LARGEST_ANGLE)) return;
  const own = isSine ? 0 : 1;
  sineCosine(low, sines);
  const atLow = sines[own];
  sineCosine(high, sines);
  const atHigh = sines[own];
  sineCosine(half, sines);
  const turn = sines[0];
  const rest = sines[1];
  sineCosine(middle, sines);
  const value = sines[own];
  const slope = sines[1 - own];
  const isMonotonic = Math.abs(slope) * rest > Math.abs(value) * turn + 8 * SINE_ERROR;
  const least = (atLow < atHigh ? atLow : atHigh) - 2 * SINE_ERROR;
  const most = (atLow < atHigh ? atHigh : atLow) + 2 * SINE_ERROR;
  if ((isMonotonic || value > 0) && least > -1) out[0] = least;
  if ((isMonotonic || value < 0) && most < 1) out[1] = most;
}

function powerWithin(x: number, p: number, side: number): number {
  const value = power(x, p);
  return value + side * (2 * powerError(x, p) * Math.abs(value) + TINY);
}

function boundPower(p: number, low: number, high: number, out: Float64Array): void {
  if (p !== Math.floor(p)) {
    if (p < 0 ? !(low >= SMALLEST_NORMAL) : high <= 0) {
      if (p > 0) out[0] = out[1] = 0;
      return;
    }
    // Rising for p > 0. Arguments near 0 count as the least normal double, for the larger end.
    const [small, large] = [Math.max(low, 0), Math.max(high, SMALLEST_NORMAL)];
    const [from, to] = p > 0 ? [small, large] : [large, small];
    const least = from < SMALLEST_NORMAL || from === Number.POSITIVE_INFINITY ? 0 : powerWithin(from, p, -1);
    out[0] = least > 0 ? least : 0;
    if (to < Number.POSITIVE_INFINITY) out[1] = powerWithin(to, p, 1);
    return;
  }
  if (p < 0 && !(low > 0 || high < 0)) return;
  if (low === Number.NEGATIVE_INFINITY || high === Number.POSITIVE_INFINITY) {
    if (p % 2 === 0) out[0] = 0;
    return;
  }
  if (p % 2 !== 0) {
    const isRising = p > 0;
    out[0] = powerWithin(isRising ? low : high, p, -1);
    out[1] = powerWithin(isRising ? high : low, p, 1);
  } else {
    const nearest = low > 0 ? low : high < 0 ? high : 0;
    const farthest = -low > high ? low : high;
    const least = powerWithin(p > 0 ? nearest : farthest, p, -1);
    out[0] = least > 0 ? least : 0;
    out[1] = powerWithin(p > 0 ? farthest : nearest, p, 1);
  }
  if (!(out[0] > -LARGEST && out[1] < LARGEST)) {
    out[0] = p % 2 === 0 ? 0 : Number.NEGATIVE_INFINITY;
    out[1] = Number.POSITIVE_INFINITY;
  }
}

/** Indices of the numbers that `expandFunction` writes. */
export const EXPANSION = { MIDDLE: 0, CONSTANT: 1, SLOPE: 2, BEND: 3, ERROR: 4 } as const;
export const EXPANSION_NUMBERS = 5;

/** Taylor's coefficients t_0 to t_4, the bound R, then the errors of t_0 to t_4. */
const terms = new Float64Array(11);
const REST = 5;
const ERRORS = 6;

/**
 * Writes the middle m of a range and an expansion, as in the file's head. For arguments from `low`
 * to `high`, the function is within ERROR of CONSTANT + SLOPE x + BEND x^2, with x the argument
 * less m.
 *
 * @returns false, writing nothing, if there is no expansion, or no useful one
 */
export function expandFunction(op: number, p: number, low: number, high: number, out: Float64Array): boolean {
  const middle = low / 2 + high / 2;
  const half = Math.max(middle - low, high - middle) * OUTWARD + TINY;
  if (!(half < LARGEST && writeTerms(op, p, middle, low, high))) return false;
  const [t0, t1, t2, t3, t4, rest] = terms;
  const d2 = half * half;
  const d4 = d2 * d2;
  const cut = (Math.abs(t3) * half * d2) / 4 + (Math.abs(t4) * d4) / 8 + rest * half * d4;
  const off =
    terms[ERRORS] +
    terms[ERRORS + 1] * half +
    terms[ERRORS + 2] * d2 +
    terms[ERRORS + 3] * half * d2 +
    terms[ERRORS + 4] * d4;
  const sizes = Math.abs(t0) + Math.abs(t1) * half + Math.abs(t2) * d2 + Math.abs(t3) * half * d2 + Math.abs(t4) * d4;
  const error = (cut + off + 2 ** -49 * sizes) * OUTWARD + TINY;
  if (!(error < LARGEST)) return false;
  out[EXPANSION.MIDDLE] = middle;
  out[EXPANSION.CONSTANT] = t0 - (t4 * d4) / 8;
  out[EXPANSION.SLOPE] = t1 + 0.75 * t3 * d2;
  out[EXPANSION.BEND] = t2 + t4 * d2;
  out[EXPANSION.ERROR] = error;
  return true;
}

function writeTerms(op: number, p: number, middle: number, low: number, high: number): boolean {
  switch (op) {
    case OP.SINE:
    case OP.COSINE: {
      if (!(Math.abs(middle) <= LARGEST_ANGLE)) return false;
      sineCosine(middle, sines);
      const value = sines[op === OP.SINE ? 0 : 1];
      const slope = op === OP.SINE ? sines[1] : -sines[0];
      setTerms(value, slope, -value / 2, -slope / 6, value / 24, 1 / 120);
      setErrors(SINE_ERROR, SINE_ERROR, SINE_ERROR / 2, SINE_ERROR / 6, SINE_ERROR / 24);
      return true;
    }
    case OP.EXPONENTIAL: {
      if (!(Math.abs(middle) <= LARGEST_EXPONENT && high <= LARGEST_EXPONENT)) return false;
      const value = exponential(middle);
      setTerms(value, value, value / 2, value / 6, value / 24, exponentialWithin(high, 1) / 120);
      setRelativeErrors(2 * EXPONENTIAL_ERROR);
      return true;
    }
    case OP.LOGARITHM: {
      if (!(low >= SMALLEST_NORMAL)) return false;
      const value = logarithm(middle);
      const r = 1 / middle;
      const most = 1 / low;
      const rest = (most * most * most * most * most) / 5;
      setTerms(value, r, -(r * r) / 2, (r * r * r) / 3, -(r * r * r * r) / 4, rest);
      setRelativeErrors(2 ** -48);
      terms[ERRORS] = 2 * LOGARITHM_ERROR * (1 + Math.abs(value));
      return true;
    }
    default:
      return writeTermsOfPower(p, middle, low, high);
  }
}

function writeTermsOfPower(p: number, middle: number, low: number, high: number): boolean {
  const isWhole = p === Math.floor(p);
  if (isWhole ? p < 0 && !(low > 0 || high < 0) : !(low >= SMALLEST_NORMAL)) return false;
  // For a whole p >= 0 the coefficients beyond the p-th are 0, whatever the power.
  let factor = 1;
  let error = 0;
  for (let k = 0; k <= 4; k++) {
    terms[k] = factor === 0 ? 0 : factor * power(middle, p - k);
    error = Math.max(error, powerError(middle, p - k));
    factor = (factor * (p - k)) / (k + 1);
  }
  let farthest = 0;
  if (factor !== 0) {
    const [ofLow, ofHigh] = [Math.abs(power(low, p - 5)), Math.abs(power(high, p - 5))];
    farthest = Math.max(ofLow, ofHigh) * (1 + 4 * Math.max(powerError(low, p - 5), powerError(high, p - 5))) + TINY;
  }
  terms[REST] = Math.abs(factor) * farthest * OUTWARD;
  // Not `>=`: NaN must not count as small.
  for (let k = 0; k <= REST; k++) if (!(Math.abs(terms[k]) < LARGEST)) return false;
  setRelativeErrors(2 * error + 2 ** -48);
  return true;
}

function setTerms(t0: number, t1: number, t2: number, t3: number, t4: number, rest: number): void {
  terms[0] = t0;
  terms[1] = t1;
  terms[2] = t2;
  terms[3] = t3;
  terms[4] = t4;
  terms[REST] = rest * OUTWARD;
}

function setErrors(e0: number, e1: number, e2: number, e3: number, e4: number): void {
  terms[ERRORS] = 2 * e0;
  terms[ERRORS + 1] = 2 * e1;
  terms[ERRORS + 2] = 2 * e2;
  terms[ERRORS + 3] = 2 * e3;
  terms[ERRORS + 4] = 2 * e4;
}

function setRelativeErrors(error: number): void {
  for (let k = 0; k <= 4; k++) terms[ERRORS + k] = error * Math.abs(terms[k]) + TINY;
}

/**
 * Returns the function's value in plain doubles; NaN if it has none.
 *
 * @param p the exponent of a power
 */
export function evaluateFunction(op: number, p: number, x: number): number {
  switch (op) {
    case OP.SINE:
    case OP.COSINE:
      if (!(Math.abs(x) <= LARGEST_ANGLE)) return Number.NaN;
      sineCosine(x, sines);
      return sines[op === OP.SINE ? 0 : 1];
    case OP.EXPONENTIAL:
      if (x > LARGEST_EXPONENT) return Number.POSITIVE_INFINITY;
      return x < -LARGEST_EXPONENT ? 0 : exponential(x);
    case OP.LOGARITHM:
      return x >= SMALLEST_NORMAL && x < Number.POSITIVE_INFINITY ? logarithm(x) : Number.NaN;
    default:
      if (p === Math.floor(p)) return power(x, p);
      return x > 0 ? power(x, p) : p > 0 ? 0 : Number.NaN;
  }
}

/** Returns the derivative in plain doubles; 0 if a power has none. */
export function slopeOfFunction(op: number, p: number, x: number): number {
  switch (op) {
    case OP.SINE:
      return evaluateFunction(OP.COSINE, 0, x);
    case OP.COSINE:
      return -evaluateFunction(OP.SINE, 0, x);
    case OP.EXPONENTIAL:
      return evaluateFunction(op, 0, x);
    case OP.LOGARITHM:
      return 1 / x;
    default: {
      if (p !== Math.floor(p) && !(x > 0)) return 0;
      return p === 1 ? 1 : p * power(x, p - 1);
    }
  }
}
