/**
 * Rounds heights of points along the directions to whole quanta, exactly towards +infinity.
 *
 * Source: Raabe et al. 2006, section 4.3:
 *   a' = ceil(a),   0 <= a' - a < 2^-b.
 * So the DOP holds everything it held before. The maximum of rounded numbers is the rounded
 * maximum, so the coefficients of a node are the largest of its children's.
 *
 * h = D . (x - o) takes at most 7 roundings in doubles, each relative to a partial sum of
 *   s = the sum of |D_i| |x_i - o_i|.
 * It is within 2^-50 s + 2^-1060 of the true value (the second term for underflow). In quanta it
 * may underflow again, which costs 2^-1000. If no integer is that near, floor and ceiling are
 * known. Along an axis, with an exact difference, the double is the height itself. Otherwise big
 * integers decide.
 */
import { INTEGER_SHIFT, toInteger } from '../../../math/numbers.ts';

/** In quanta: far below a step, far above underflow. */
const SMALLEST_HEIGHT = 2 ** -1000;

export interface Heights {
  origin: Float64Array;
  /** x, y, z of the k directions, the second half opposite to the first. */
  vectors: Float64Array;
  /** The quantum is 2^quantumExponent, from -1000 to 400. */
  quantumExponent: number;
}

/**
 * Writes ceil(D_i . (x - o) / quantum) for all k directions.
 *
 * @param out receives k integers from `at`
 */
export function roundedHeights(
  x: number,
  y: number,
  z: number,
  { origin, vectors, quantumExponent }: Heights,
  out: Float64Array | Int32Array,
  at: number,
): void {
  const half = vectors.length / 6;
  const perQuantum = 2 ** -quantumExponent;
  const dx = x - origin[0];
  const dy = y - origin[1];
  const dz = z - origin[2];
  const isExact =
    isExactDifference(x, origin[0], dx) && isExactDifference(y, origin[1], dy) && isExactDifference(z, origin[2], dz);
  for (let i = 0; i < half; i++) {
    const px = vectors[3 * i] * dx;
    const py = vectors[3 * i + 1] * dy;
    const pz = vectors[3 * i + 2] * dz;
    const size = Math.abs(px) + Math.abs(py) + Math.abs(pz);
    const height = (px + py + pz) * perQuantum;
    // Along an axis two of three terms are 0: nothing is rounded, unless quanta underflow.
    const isAxis = vectors[3 * i] === 1 || vectors[3 * i + 1] === 1 || vectors[3 * i + 2] === 1;
    const isKept = isExact && isAxis && (size === 0 || Math.abs(height) > SMALLEST_HEIGHT);
    const error = isKept ? 0 : (2 ** -50 * size + 2 ** -1060) * perQuantum + SMALLEST_HEIGHT;
    let floor = Math.floor(height - error);
    let ceiling = Math.ceil(height + error);
    if (error > 0 && (Math.floor(height + error) !== floor || Math.ceil(height - error) !== ceiling)) {
      const shifted =
        toInteger(vectors[3 * i]) * (toInteger(x) - toInteger(origin[0])) +
        toInteger(vectors[3 * i + 1]) * (toInteger(y) - toInteger(origin[1])) +
        toInteger(vectors[3 * i + 2]) * (toInteger(z) - toInteger(origin[2]));
      const shift = BigInt(2 * INTEGER_SHIFT + quantumExponent);
      floor = Number(shifted >> shift);
      ceiling = -Number(-shifted >> shift);
    }
    out[at + i] = ceiling + 0; // no -0
    out[at + half + i] = 0 - floor;
  }
}

/** True if d = fl(a - b) equals a - b exactly (D. E. Knuth, TAOCP 2, 4.2.2). */
function isExactDifference(a: number, b: number, d: number): boolean {
  const shadow = a - d;
  return a - (d + shadow) === b - shadow;
}

/**
 * Packs two's-complement integers. Number n takes the bits n*bits to n*bits + bits - 1; bit j of
 * the stream is bit j modulo 8 of byte j / 8. Zeros pad the last byte.
 *
 * @param bits 8 to 36
 * @example packBits([1, -1], 12) // 01 f0 ff
 */
export function packBits(numbers: ArrayLike<number>, bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((numbers.length * bits) / 8));
  // At most 7 bits wait while 36 come. That is too many for `|`, so use sums and products.
  const modulus = 2 ** bits;
  let waiting = 0;
  let weight = 1;
  let at = 0;
  for (let n = 0; n < numbers.length; n++) {
    const value = numbers[n];
    waiting += (value < 0 ? value + modulus : value) * weight;
    weight *= modulus;
    while (weight >= 256) {
      const rest = Math.floor(waiting / 256);
      bytes[at++] = waiting - 256 * rest;
      waiting = rest;
      weight /= 256;
    }
  }
  if (weight > 1) bytes[at] = waiting;
  return bytes;
}

/**
 * Reads the output of `packBits`.
 *
 * @param out is filled to its end
 */
export function unpackBits(
  bytes: Uint8Array,
  bits: number,
  out: { [n: number]: number; readonly length: number },
): void {
  const modulus = 2 ** bits;
  let waiting = 0;
  let weight = 1;
  let at = 0;
  for (let n = 0; n < out.length; n++) {
    while (weight < modulus) {
      waiting += bytes[at++] * weight;
      weight *= 256;
    }
    const rest = Math.floor(waiting / modulus);
    const value = waiting - modulus * rest;
    out[n] = 2 * value >= modulus ? value - modulus : value;
    waiting = rest;
    weight /= modulus;
  }
}
