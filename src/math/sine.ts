/**
 * Sine and cosine in + - * / only: the same doubles on every engine, unlike Math.sin, with a proved
 * bound.
 *
 * W. J. Cody, W. Waite, "Software Manual for the Elementary Functions" (1980), chapter 8: reduction
 * by pi/2 in pieces, then polynomials. These are Taylor's, as their remainders need no computation
 * to be believed.
 *
 * Proof, with e = 2^-53 and |x| <= 2^20. k = floor(x * (2/pi) + 1/2) as computed is a whole number
 * within 1/2 + 2^-30 of x * 2/pi, so |k| < 2^20 and r = x - k pi/2 has |r| < 0.7854. FIRST has 33
 * significant bits, so k FIRST is exact. x - k FIRST is exact: if k = 0, it is x. Otherwise |x| >
 * 1/2, so both are multiples of 2^-53 and their difference, below 1, is one. k SECOND is below
 * 2^-13, so its rounding and SECOND's, 2^-88, matter by less than 2^-66. Its subtraction rounds by
 * 2^-54: r is off by e / 2.
 *     sine      r + r z S, z = r^2: S is within 2.2 e / 6 by rounding, r z S three roundings more,
 *               the last sum, below 0.71, half an e: 5.2 e * 0.081 + 0.5 e < 0.93 e; Taylor's
 *               remainder r^19 / 19! < 2^-63
 *     cosine    1 - z / 2 + z^2 C: z / 2 is off by e / 4, w = 1 - z / 2 is rounded, and what that
 *               cut is added back exactly; z^2 C, below 0.016, has 6 roundings; the last sum half
 *               an e: 0.86 e; Taylor's remainder r^18 / 18! < 0.02 e
 * With the e / 2 of r all is below 1.5 e.
 */

/** Bound of the error of either result of `sineCosine`. */
export const SINE_ERROR = 2 ** -52;

export const LARGEST_ANGLE = 2 ** 20;

const TWO_OVER_PI = 0.6366197723675814;
/** pi / 2 in pieces: 33 bits, and a double. */
const FIRST = 1.5707963267341256;
const SECOND = 6.077100506506192e-11;

/** Writes sin x to out[0] and cos x to out[1], within SINE_ERROR, for |x| <= LARGEST_ANGLE. */
export function sineCosine(x: number, out: Float64Array): void {
  const k = Math.floor(x * TWO_OVER_PI + 0.5);
  const r = x - k * FIRST - k * SECOND;
  const sine = sineNearZero(r, 0);
  const cosine = cosineNearZero(r, 0);
  const quarter = k & 3;
  if (quarter === 0) {
    out[0] = sine;
    out[1] = cosine;
  } else if (quarter === 1) {
    out[0] = cosine;
    out[1] = -sine;
  } else if (quarter === 2) {
    out[0] = -sine;
    out[1] = -cosine;
  } else {
    out[0] = -cosine;
    out[1] = sine;
  }
}

const S1 = -1 / 6;
const S2 = 1 / 120;
const S3 = -1 / 5040;
const S4 = 1 / 362880;
const S5 = -1 / 39916800;
const S6 = 1 / 6227020800;
const S7 = -1 / 1307674368000;
const S8 = 1 / 355687428096000;

/** sin(r + tail) for |r| < 0.7854, |tail| < 2^-52. */
function sineNearZero(r: number, tail: number): number {
  const z = r * r;
  const s = S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * (S6 + z * (S7 + z * S8))))));
  return r + (r * z * s + tail * (1 - 0.5 * z));
}

const C2 = 1 / 24;
const C3 = -1 / 720;
const C4 = 1 / 40320;
const C5 = -1 / 3628800;
const C6 = 1 / 479001600;
const C7 = -1 / 87178291200;
const C8 = 1 / 20922789888000;

/** cos(r + tail) for |r| < 0.7854, |tail| < 2^-52. */
function cosineNearZero(r: number, tail: number): number {
  const z = r * r;
  const half = 0.5 * z;
  const w = 1 - half;
  const c = C2 + z * (C3 + z * (C4 + z * (C5 + z * (C6 + z * (C7 + z * C8)))));
  return w + (1 - w - half + (z * z * c - r * tail));
}

const DEGREE = 0.017453292519943295;
/**
 * Splits a double into halves whose products are exact (T. J. Dekker, "A floating-point technique
 * for extending the available precision", 1971).
 */
const SPLITTER = 2 ** 27 + 1;
const DEGREE_HIGH = SPLITTER * DEGREE - (SPLITTER * DEGREE - DEGREE);
const DEGREE_LOW = DEGREE - DEGREE_HIGH;

/**
 * Returns [cos, sin] of an angle in degrees, any finite double: within 1.05 units in the last place
 * of either, exact at multiples of 90, and the same everywhere.
 *
 * The remainders by 360 and by 90 are exact, and the angle in radians is a sum of two doubles, off
 * by 0.16 e of itself, as pi / 180 is. The sine is worst just below 45 degrees, where a unit is e:
 * 0.93 e, 0.16 e * 0.79 * 0.71, and 0.01 e of the tail. The cosine, of the same unit: 0.88 e, as
 * much, and 0.04 e.
 *
 * @example cosineSineOfDegrees(450) // [0, 1]
 */
export function cosineSineOfDegrees(degrees: number): [number, number] {
  const turn = degrees % 360;
  const k = Math.floor(turn / 90 + 0.5);
  const rest = turn - 90 * k;
  const r = rest * DEGREE;
  const high = SPLITTER * rest - (SPLITTER * rest - rest);
  const low = rest - high;
  const tail = high * DEGREE_HIGH - r + high * DEGREE_LOW + low * DEGREE_HIGH + low * DEGREE_LOW;
  const sine = sineNearZero(r, tail);
  const cosine = cosineNearZero(r, tail);
  const quarter = k & 3;
  // Adding 0 turns -0 into 0.
  if (quarter === 0) return [cosine, sine + 0];
  if (quarter === 1) return [0 - sine, cosine];
  if (quarter === 2) return [-cosine, 0 - sine];
  return [sine + 0, -cosine];
}
