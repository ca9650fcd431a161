/**
 * Points whose coordinates are ratios of whole numbers, and exact tests of lines through them
 * against triangles.
 *
 * A point of the plane of a triangle is most often no triple of doubles. Here it is (X, Y, Z) / W
 * in steps of 2^-shift, with doubles near it for a filter.
 *
 * The filter. Differences of a corner and the point, m the largest of them, are off by no more
 * than:
 *   d = error + 2^-52 m
 * A product of two is off by 2 m d + d^2 and a rounding, a component of a cross product by twice
 * that. Its product with the direction, whose coordinates are numbers up to R, each off by R 2^-53
 * at most, is off by 3 R times that: less than
 *   R (16 m d + 8 d^2 + 2^-46 m^2)
 * A determinant of three has six products of three differences: less than
 *   32 m^2 d + 32 m d^2 + 8 d^3 + 2^-45 m^3
 * TINY outweighs underflow, as in orient.ts. A value that overflows is never greater than its
 * bound, so whole numbers decide it.
 */
import { LITTLE_ENDIAN } from '../math/byte-order.ts';
import { INTEGER_SHIFT, toInteger } from '../math/numbers.ts';
import { TINY } from './orient.ts';

export interface ExactPoint {
  /** In steps of 2^-shift, over W. */
  X: bigint;
  Y: bigint;
  Z: bigint;
  /** More than 0. */
  W: bigint;
  shift: number;
  /** Doubles no farther than `error` from each coordinate; Infinity if unknown. */
  x: number;
  y: number;
  z: number;
  error: number;
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
const HIGH = LITTLE_ENDIAN ? 1 : 0;
const LOW = 1 - HIGH;

/** 2^n for n from -1022 to 1023. */
function powerOf(n: number): number {
  words[HIGH] = (n + 1023) << 20;
  words[LOW] = 0;
  return double[0];
}

const trailingZeros = (word: number): number => 31 - Math.clz32(word & -word);

function shiftOf(x: number): number {
  if (x === 0) return 0;
  double[0] = x;
  const low = words[LOW];
  const fraction = words[HIGH] & 0xfffff;
  const exponent = (words[HIGH] >>> 20) & 0x7ff;
  const zeros = low !== 0 ? trailingZeros(low) : fraction !== 0 ? 32 + trailingZeros(fraction) : 52;
  return Math.max(0, (exponent === 0 ? INTEGER_SHIFT : INTEGER_SHIFT + 1 - exponent) - zeros);
}

/** Returns the least shift for which all of `count` coordinates from `at` on are whole. */
export function shiftOfAll(points: ArrayLike<number>, at: number, count: number): number {
  let shift = 0;
  for (let k = at; k < at + count; k++) shift = Math.max(shift, shiftOf(points[k]));
  return shift;
}

/** Returns x 2^shift, which must be whole. */
export function toSteps(x: number, shift: number): bigint {
  const scaled = shift < 1024 ? x * powerOf(shift) : Number.POSITIVE_INFINITY;
  return Number.isFinite(scaled) ? BigInt(scaled) : toInteger(x) >> BigInt(INTEGER_SHIFT - shift);
}

/** Returns the double near a ratio, within 2^-50 of its size; NaN or infinite if unknown. */
export function ratio(numerator: bigint, denominator: bigint): number {
  const over = Number(numerator);
  const under = Number(denominator);
  if (over === 0) return 0;
  if (Number.isFinite(over) && Number.isFinite(under)) return over / under;
  // One of the two is beyond the doubles: both lose the bits beyond some 900.
  const digits = (x: bigint): number => (x < 0n ? -x : x).toString(16).length;
  const lost = BigInt(4 * Math.max(digits(numerator), digits(denominator)) - 900);
  const [p, q] = [Number(numerator >> lost), Number(denominator >> lost)];
  return Math.min(Math.abs(p), Math.abs(q)) > 2 ** 60 ? p / q : Number.NaN;
}

/** @param W not 0 */
export function exactPoint(X: bigint, Y: bigint, Z: bigint, W: bigint, shift: number): ExactPoint {
  if (W < 0n) return exactPoint(-X, -Y, -Z, -W, shift);
  const step = shift < 1024 ? 1 / powerOf(shift) : 0;
  const x = ratio(X, W) * step;
  const y = ratio(Y, W) * step;
  const z = ratio(Z, W) * step;
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  const isNear = step > 2 ** -960 && most < 2 ** 900;
  return { X, Y, Z, W, shift, x, y, z, error: isNear ? 2 ** -50 * most + TINY : Number.POSITIVE_INFINITY };
}

/** Returns the middle of a triangle's three corners, nine coordinates at 0. */
export function middleOf(corners: Float64Array): ExactPoint {
  const shift = shiftOfAll(corners, 0, 9);
  const sum = (k: number): bigint => [k, 3 + k, 6 + k].reduce((total, c) => total + toSteps(corners[c], shift), 0n);
  return exactPoint(sum(0), sum(1), sum(2), 3n, shift);
}

/** @example pointAt(Float64Array.of(0.5, 0, 3), 0).X // 1n */
export const pointAt = (points: ArrayLike<number>, at: number): ExactPoint =>
  new DoublePoint(points[at], points[at + 1], points[at + 2]);

/** Makes whole numbers only on request, which is rare. */
class DoublePoint implements ExactPoint {
  readonly W = 1n;
  readonly error = 0;
  readonly shift: number;

  constructor(
    readonly x: number,
    readonly y: number,
    readonly z: number,
  ) {
    this.shift = Math.max(shiftOf(x), shiftOf(y), shiftOf(z));
  }

  get X(): bigint {
    return toSteps(this.x, this.shift);
  }

  get Y(): bigint {
    return toSteps(this.y, this.shift);
  }

  get Z(): bigint {
    return toSteps(this.z, this.shift);
  }
}

export const MISSES = 0;
/** Ahead, with a part of the normal (inside to outside) along the ray, or against it. */
export const LEAVES = 1;
export const ENTERS = -1;
/** The point is inside the triangle, and the ray on the normal's side, or on the other. */
export const STARTS_OUTWARD = 2;
export const STARTS_INWARD = -2;
/** The ray meets an edge or runs in the triangle's plane: try another direction. */
export const GRAZES = 3;
/** The point is on the triangle's border: no direction helps. */
export const ON_BORDER = 4;

/**
 * Returns how the ray from p along r meets the triangle of nine coordinates at `at`, which is
 * missed if it has no area.
 *
 * With corners seen from p, the line runs through the triangle if these three have one sign:
 *   r . (a x b), r . (b x c), r . (c x a)
 * Their sum is r . n, with n the normal. The triangle is ahead if a . (b x c), which is a . n, has
 * the same sign.
 *
 * @param r three doubles up to some thousands, so that TINY outweighs what they underflow
 * @param along the exact direction, which `r` approximates within 2^-53 of the greatest number's
 *   size
 */
export function rayMeets(
  p: ExactPoint,
  r: ArrayLike<number>,
  corners: Float64Array,
  at: number,
  along: ArrayLike<number> = r,
): number {
  const ax = corners[at] - p.x;
  const ay = corners[at + 1] - p.y;
  const az = corners[at + 2] - p.z;
  const bx = corners[at + 3] - p.x;
  const by = corners[at + 4] - p.y;
  const bz = corners[at + 5] - p.z;
  const cx = corners[at + 6] - p.x;
  const cy = corners[at + 7] - p.y;
  const cz = corners[at + 8] - p.z;
  const m = Math.max(
    Math.max(Math.abs(ax), Math.abs(ay), Math.abs(az)),
    Math.max(Math.abs(bx), Math.abs(by), Math.abs(bz)),
    Math.max(Math.abs(cx), Math.abs(cy), Math.abs(cz)),
  );
  const d = p.error + 2 ** -52 * m;
  const longest = Math.max(Math.abs(r[0]), Math.abs(r[1]), Math.abs(r[2]));
  const bound = longest * (16 * m * d + 8 * d * d + 2 ** -46 * m * m) + TINY;
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  const ab = r[0] * (ay * bz - az * by) + r[1] * (az * bx - ax * bz) + r[2] * (ax * by - ay * bx);
  const bc = r[0] * nx + r[1] * ny + r[2] * nz;
  const ca = r[0] * (cy * az - cz * ay) + r[1] * (cz * ax - cx * az) + r[2] * (cx * ay - cy * ax);
  const isPositive = ab > bound || bc > bound || ca > bound;
  const isNegative = ab < -bound || bc < -bound || ca < -bound;
  if (isPositive && isNegative) return MISSES;
  const boundOfVolume = 32 * m * m * d + 32 * m * d * d + 8 * d * d * d + 2 ** -45 * m * m * m + TINY;
  const volume = ax * nx + ay * ny + az * nz;
  if (isPositive || isNegative) {
    if (isPositive ? volume < -boundOfVolume : volume > boundOfVolume) return MISSES;
    const areSure = Math.abs(ab) > bound && Math.abs(bc) > bound && Math.abs(ca) > bound;
    if (areSure && Math.abs(volume) > boundOfVolume) return isPositive ? LEAVES : ENTERS;
  }
  return rayMeetsExactly(p, along, corners, at);
}

/** Returns the corners of a triangle as seen from p, in steps of 2^-shift, times p.W. */
export function cornersFrom(p: ExactPoint, corners: Float64Array, at: number, shift: number): bigint[][] {
  const left = BigInt(shift - p.shift);
  const origin = [p.X << left, p.Y << left, p.Z << left];
  return [0, 3, 6].map((corner) => [0, 1, 2].map((k) => toSteps(corners[at + corner + k], shift) * p.W - origin[k]));
}

function rayMeetsExactly(p: ExactPoint, r: ArrayLike<number>, corners: Float64Array, at: number): number {
  const [a, b, c] = cornersFrom(p, corners, at, Math.max(p.shift, shiftOfAll(corners, at, 9)));
  const shift = shiftOfAll(r, 0, 3);
  const along = [toSteps(r[0], shift), toSteps(r[1], shift), toSteps(r[2], shift)];
  const normal = cross(b, c);
  const signs = [signOf(dot(along, cross(a, b))), signOf(dot(along, normal)), signOf(dot(along, cross(c, a)))];
  const isPositive = signs.includes(1);
  const isNegative = signs.includes(-1);
  if (isPositive && isNegative) return MISSES;
  const side = isPositive ? 1 : -1;
  const volume = signOf(dot(a, normal));
  if (!isPositive && !isNegative) return isFlat(a, b, c) ? MISSES : volume === 0 ? GRAZES : MISSES;
  const isInside = !signs.includes(0);
  if (volume === 0) return isInside ? 2 * side : ON_BORDER;
  if (volume !== side) return MISSES;
  return isInside ? side : GRAZES;
}

export function isFlat(a: bigint[], b: bigint[], c: bigint[]): boolean {
  const minus = (p: bigint[], q: bigint[]): bigint[] => p.map((x, k) => x - q[k]);
  return cross(minus(b, a), minus(c, a)).every((x) => x === 0n);
}

export const dot = (a: bigint[], b: bigint[]): bigint => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const cross = (a: bigint[], b: bigint[]): bigint[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

export const signOf = (x: bigint): number => (x > 0n ? 1 : x < 0n ? -1 : 0);
