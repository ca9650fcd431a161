/**
 * Intersects rays whose origin and direction are doubles with triangles: decided exactly, the
 * distance to a few roundings, or exactly where two hits must be ordered.
 *
 * The ray is o + t r, t >= 0. Its direction d may be of any size: r is d over d's greatest number,
 * so that no product leaves the doubles. t counts lengths of r; decisions use d. Inside a triangle,
 * with n = (b - a) x (c - a):
 *   t = n . (a - o) / n . r
 * Let e = 2^-53, h and k the greatest numbers of b - a and c - a, m that of a - o. The differences
 * are off by e times their size, a number of n so by 8 e h k at most. It is 2 h k at most, so the
 * numerator is off by 3 (8 + 2 + 2) e h k m and its sums' 12 e h k m. The same holds for the
 * denominator, for |r| <= 1, off by e: less than 64 e h k m, and 64 e h k. TINY outweighs
 * underflow. If that bracket is too wide, or the hit is on the triangle's border, whole numbers
 * give it (exact-point.ts).
 *
 * The border belongs to the triangle, and the origin to the ray: a ray through an edge that two
 * triangles share meets both. In a triangle's plane a ray meets it where it comes in. No ray meets
 * a triangle without area: on a closed surface it meets others.
 */
import {
  cornersFrom,
  cross,
  dot,
  ENTERS,
  type ExactPoint,
  isFlat,
  LEAVES,
  MISSES,
  pointAt,
  rayMeets,
  shiftOfAll,
  signOf,
  toSteps,
} from './exact-point.ts';
import { TINY } from './orient.ts';

export class Ray {
  readonly origin: ExactPoint;
  /** The direction over its greatest number's size. */
  readonly r: Float64Array;
  /** Length of r. */
  readonly length: number;

  /**
   * @param origin, direction three finite numbers each, the direction's not all 0; kept
   * @example new Ray([0, 0, -1], [0, 0, 5]).r // [0, 0, 1]
   */
  constructor(
    origin: ArrayLike<number>,
    readonly direction: ArrayLike<number>,
  ) {
    const [x, y, z] = [direction[0] / this.size, direction[1] / this.size, direction[2] / this.size];
    this.origin = pointAt(origin, 0);
    this.r = Float64Array.of(x, y, z);
    this.length = Math.sqrt(x * x + y * y + z * z);
  }

  get size(): number {
    return Math.max(Math.abs(this.direction[0]), Math.abs(this.direction[1]), Math.abs(this.direction[2]));
  }

  /** The direction in steps of 2^-shift, for exact decisions. */
  get shift(): number {
    return shiftOfAll(this.direction, 0, 3);
  }

  get steps(): bigint[] {
    return [0, 1, 2].map((k) => toSteps(this.direction[k], this.shift));
  }
}

/** t as a ratio, in lengths of the direction itself; the denominator is more than 0. */
export interface ExactDistance {
  numerator: bigint;
  denominator: bigint;
}

/** Distance of a hit, in lengths of r. */
export interface RayBracket {
  lower: number;
  upper: number;
}

/**
 * @param out receives the distance along the ray
 * @returns LEAVES along its normal, ENTERS against it, 0 in its plane; undefined for a miss; exact
 */
export function meetTriangle(ray: Ray, corners: Float64Array, at: number, out: RayBracket): number | undefined {
  const meets = rayMeets(ray.origin, ray.r, corners, at, ray.direction);
  if (meets === MISSES) return undefined;
  if ((meets === LEAVES || meets === ENTERS) && bracketInside(ray, corners, at, out)) return meets;
  const exact = meetExactly(ray, corners, at);
  if (!exact) return undefined;
  bracketOf(ray, exact, out);
  return exact.side;
}

const E = 2 ** -53;
/** Brackets of a larger relative width are recomputed by whole numbers. */
const WIDEST = 2 ** -32;

function bracketInside({ origin, r }: Ray, corners: Float64Array, at: number, out: RayBracket): boolean {
  const bx = corners[at + 3] - corners[at];
  const by = corners[at + 4] - corners[at + 1];
  const bz = corners[at + 5] - corners[at + 2];
  const cx = corners[at + 6] - corners[at];
  const cy = corners[at + 7] - corners[at + 1];
  const cz = corners[at + 8] - corners[at + 2];
  const qx = corners[at] - origin.x;
  const qy = corners[at + 1] - origin.y;
  const qz = corners[at + 2] - origin.z;
  const nx = by * cz - bz * cy;
  const ny = bz * cx - bx * cz;
  const nz = bx * cy - by * cx;
  const numerator = Math.abs(nx * qx + ny * qy + nz * qz);
  const denominator = Math.abs(nx * r[0] + ny * r[1] + nz * r[2]);
  const h = Math.max(Math.abs(bx), Math.abs(by), Math.abs(bz));
  const k = Math.max(Math.abs(cx), Math.abs(cy), Math.abs(cz));
  const m = Math.max(Math.abs(qx), Math.abs(qy), Math.abs(qz));
  const wrong = 64 * E * (h * k + TINY) + TINY;
  if (!(denominator > 2 * wrong)) return false;
  const wrongAbove = wrong * m + TINY;
  const lower = ((numerator - wrongAbove) / (denominator + wrong)) * (1 - 2 ** -50);
  const upper = ((numerator + wrongAbove) / (denominator - wrong)) * (1 + 2 ** -50);
  if (!(upper - lower <= WIDEST * upper && upper < Number.POSITIVE_INFINITY)) return false;
  out.lower = Math.max(0, lower);
  out.upper = upper;
  return true;
}

/** Meets a triangle exactly, with border and plane; undefined for a miss or without area. */
export function meetExactly(
  { origin, steps, shift: shiftOfRay }: Ray,
  corners: Float64Array,
  at: number,
): (ExactDistance & { side: number }) | undefined {
  const shift = Math.max(origin.shift, shiftOfAll(corners, at, 9));
  const [a, b, c] = cornersFrom(origin, corners, at, shift);
  const sides = [dot(steps, cross(a, b)), dot(steps, cross(b, c)), dot(steps, cross(c, a))];
  const volume = dot(a, cross(b, c));
  const isPositive = sides.some((x) => x > 0n);
  const isNegative = sides.some((x) => x < 0n);
  if (isPositive && isNegative) return undefined;
  const scaled = (numerator: bigint, denominator: bigint): ExactDistance => ({
    numerator: numerator << BigInt(shiftOfRay),
    denominator: denominator << BigInt(shift),
  });
  if (isPositive || isNegative) {
    const side = isPositive ? 1n : -1n;
    if (volume * side < 0n) return undefined;
    return { ...scaled(volume * side, (sides[0] + sides[1] + sides[2]) * side), side: Number(side) };
  }
  if (volume !== 0n || isFlat(a, b, c)) return undefined;
  const along = meetInPlane(steps, [a, b, c]);
  return along && { ...scaled(along[0], along[1]), side: 0 };
}

/** First common point of a ray from 0 and a triangle in its plane: t in steps over steps. */
function meetInPlane(r: bigint[], corners: bigint[][]): [bigint, bigint] | undefined {
  const normal = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
  const axis = normal.findIndex((x) => x !== 0n);
  // How far left of the line each corner is, times a common factor.
  const left = corners.map((corner) => cross(r, corner)[axis]);
  const ahead = corners.map((corner) => dot(r, corner));
  const rr = dot(r, r);
  const ends: [bigint, bigint][] = [];
  for (let p = 0; p < 3; p++) {
    const q = (p + 1) % 3;
    if (left[p] === 0n) ends.push([ahead[p], rr]);
    else if (signOf(left[p]) * signOf(left[q]) < 0) {
      const [numerator, denominator] = [ahead[q] * left[p] - ahead[p] * left[q], (left[p] - left[q]) * rr];
      ends.push(denominator > 0n ? [numerator, denominator] : [-numerator, -denominator]);
    }
  }
  if (!ends.some(([numerator]) => numerator >= 0n)) return undefined;
  if (ends.some(([numerator]) => numerator <= 0n)) return [0n, 1n];
  return ends.reduce((least, end) => (end[0] * least[1] < least[0] * end[1] ? end : least));
}

const minus = (p: bigint[], q: bigint[]): bigint[] => p.map((x, k) => x - q[k]);

export const compareDistances = (a: ExactDistance, b: ExactDistance): number =>
  signOf(a.numerator * b.denominator - b.numerator * a.denominator);

function bracketOf({ size, shift }: Ray, { numerator, denominator }: ExactDistance, out: RayBracket): void {
  const t = quotient(numerator * toSteps(size, shift), denominator << BigInt(shift));
  out.lower = Math.max(0, t * (1 - 2 ** -50) - Number.MIN_VALUE);
  out.upper = numerator === 0n ? 0 : t * (1 + 2 ** -50) + Number.MIN_VALUE;
}

/** @param length finite, not negative */
export function isBeyond({ steps, shift }: Ray, { numerator, denominator }: ExactDistance, length: number): boolean {
  const own = shiftOfAll([length], 0, 1);
  const most = toSteps(length, own) * denominator;
  // t |d| > length, where |d| is that of the steps over 2^shift.
  const squared = (numerator * numerator * dot(steps, steps)) << BigInt(2 * own);
  return squared > (most * most) << BigInt(2 * shift);
}

/** A ratio of whole numbers, not negative, within 2^-52 of itself or of the least double. */
function quotient(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  const bits = (x: bigint): number => 4 * x.toString(16).length;
  const shift = bits(denominator) - bits(numerator) + 64;
  const whole = shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift));
  let value = Number(whole);
  let left = -shift;
  for (; left > 900; left -= 900) value *= 2 ** 900;
  for (; left < -900; left += 900) value *= 2 ** -900;
  return value * 2 ** left;
}
