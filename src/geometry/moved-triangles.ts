/**
 * Decides without rounding if two triangles share a point at one time, their vertices moving along
 * straight lines.
 *
 * A vertex is p + t (q - p) for doubles p, q and t, hence a whole number of some power of two. Two
 * convex sets are disjoint exactly if an axis separates their images. The axes to try are normals
 * of the facets of A - B, the set of differences, which may have
 * - volume: the triangles' normals, and products of an edge of each (parallelograms);
 * - area: the normal n of its plane, and n x e for every edge e, which lie in that plane;
 * - length: its direction d, and the part of a vertex' difference w that is at right angles to d;
 * - none: w.
 *
 * The code tries all of them: an axis that separates the two is a proof in any case. Edges of no
 * length give axes of no length, which separate nothing.
 */
import { INTEGER_SHIFT, toInteger } from '../math/numbers.ts';

type Point = readonly [bigint, bigint, bigint];

/**
 * @param a0 nine coordinates of the first triangle at time 0; a1 at time 1; b0, b1 of the second
 * @param t a time from 0 to 1
 */
export function movedTrianglesMeet(
  a0: Float64Array,
  a1: Float64Array,
  b0: Float64Array,
  b1: Float64Array,
  t: number,
): boolean {
  const shift = spareBits([a0, a1, b0, b1]);
  let part = t;
  let whole = 1n;
  while (!Number.isInteger(part)) {
    part *= 2;
    whole *= 2n;
  }
  const later = BigInt(part);
  const pointsOf = (from: Float64Array, to: Float64Array): Point[] => {
    const at = (k: number): bigint =>
      (whole - later) * (toInteger(from[k]) >> shift) + later * (toInteger(to[k]) >> shift);
    return [0, 3, 6].map((k) => [at(k), at(k + 1), at(k + 2)]);
  };
  return meet(pointsOf(a0, a1), pointsOf(b0, b1));
}

/** Number of last bits that are 0 in all coordinates, as `toInteger` has them. */
function spareBits(all: readonly Float64Array[]): bigint {
  let least = 2 ** 1023;
  for (const numbers of all)
    for (let k = 0; k < 9; k++) if (numbers[k] !== 0) least = Math.min(least, Math.abs(numbers[k]));
  // |x| >= 2^e is a whole number of 2^(e - 52).
  const exponent = Math.floor(Math.log2(least)) - 1;
  return BigInt(Math.max(0, INTEGER_SHIFT + exponent - 52));
}

function meet(a: readonly Point[], b: readonly Point[]): boolean {
  const edgesA = edgesOf(a);
  const edgesB = edgesOf(b);
  const parts = (axis: Point): boolean => {
    const ofA = a.map((p) => dot(axis, p));
    const ofB = b.map((p) => dot(axis, p));
    return least(ofA) > most(ofB) || least(ofB) > most(ofA);
  };
  const products = edgesA.flatMap((e) => edgesB.map((f) => cross(e, f)));
  const normals = [cross(edgesA[0], edgesA[1]), cross(edgesB[0], edgesB[1]), ...products];
  if (normals.some(parts)) return false;
  const edges = [...edgesA, ...edgesB];
  const normal = normals.find(isLong);
  if (normal) return !edges.some((e) => parts(cross(normal, e)));
  const between = minus(a[0], b[0]);
  const direction = edges.find(isLong);
  if (!direction) return !parts(between);
  return !parts(direction) && !parts(cross(cross(direction, between), direction));
}

const edgesOf = ([p, q, r]: readonly Point[]): Point[] => [minus(q, p), minus(r, q), minus(p, r)];
const minus = (p: Point, q: Point): Point => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p: Point, q: Point): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = ([a, b, c]: Point, [d, e, f]: Point): Point => [b * f - c * e, c * d - a * f, a * e - b * d];
const isLong = (p: Point): boolean => p.some((x) => x !== 0n);
const least = (all: readonly bigint[]): bigint => all.reduce((x, y) => (y < x ? y : x));
const most = (all: readonly bigint[]): bigint => all.reduce((x, y) => (y > x ? y : x));
