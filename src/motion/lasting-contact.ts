/**
 * Proofs that two moving objects touch all through a span of time, from the poses in its middle.
 *
 * W bounds how far the difference of any two tested points may change between the middle and the
 * ends, slack for rounding included.
 *
 * Triangles. An edge pq properly crosses a triangle abc if the first two of these have opposite
 * signs and the other three have the same sign:
 *   det(p, abc), det(q, abc); det(pq, ab), det(pq, bc), det(pq, ca)
 * Each is the determinant of three differences no longer than l, so it changes by no more than
 *   (l + W)^3 - l^3 = W (3 l^2 + 3 l W + W^2)
 * A larger determinant keeps its sign. For coordinates up to r it is computed within
 *   2^-44 (l + r)^3
 *
 * Boxes. If a ball of radius W about a point x of the other hull is in the box, x stays in the box
 * for all of the span. The box is that of the edges at the first of its eight corners, in the order
 * of their bits; the distance of the other corners from it is subtracted.
 *
 * Functions. A solid says `in` of a hull if every hull of points within W of it holds a point of
 * the solid. Two such solids share, for all of the span, a point with a ball of radius W in both.
 *
 * With a clearance: points at distance d in the middle are no more than d + W apart.
 */

import { HULL_NUMBERS, hullDistanceTo, type MovedHull } from '../engine/narrow-phase.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';

const points = new Float64Array(18);

export function crossAllThrough(a: MovedHull, b: MovedHull, change: number, reach: number): boolean {
  for (let k = 0; k < 9; k++) {
    points[k] = a.points[k];
    points[9 + k] = b.points[k];
  }
  let longest = 0;
  for (let i = 0; i < 18; i += 3) {
    for (let j = 0; j < i; j += 3) {
      const [x, y, z] = [points[i] - points[j], points[i + 1] - points[j + 1], points[i + 2] - points[j + 2]];
      longest = Math.max(longest, Math.sqrt(x * x + y * y + z * z));
    }
  }
  const l = longest * (1 + 2 ** -40);
  const least = change * (3 * l * l + 3 * l * change + change * change) + 2 ** -44 * (l + reach) ** 3;
  for (let k = 0; k < 3; k++) {
    const next = (k + 1) % 3;
    if (goesThrough(3 * k, 3 * next, 9, 12, 15, least) || goesThrough(9 + 3 * k, 9 + 3 * next, 0, 3, 6, least)) {
      return true;
    }
  }
  return false;
}

function goesThrough(p: number, q: number, a: number, b: number, c: number, least: number): boolean {
  const ofP = determinant(p, a, b, c);
  const ofQ = determinant(q, a, b, c);
  if (!(Math.min(ofP, -ofQ) > least || Math.min(-ofP, ofQ) > least)) return false;
  const ab = determinant(p, q, a, b);
  const bc = determinant(p, q, b, c);
  const ca = determinant(p, q, c, a);
  return Math.min(ab, bc, ca) > least || Math.max(ab, bc, ca) < -least;
}

function determinant(o: number, a: number, b: number, c: number): number {
  const ax = points[a] - points[o];
  const ay = points[a + 1] - points[o + 1];
  const az = points[a + 2] - points[o + 2];
  const bx = points[b] - points[o];
  const by = points[b + 1] - points[o + 1];
  const bz = points[b + 2] - points[o + 2];
  const cx = points[c] - points[o];
  const cy = points[c + 1] - points[o + 1];
  const cz = points[c + 2] - points[o + 2];
  return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

const centre: MovedHull = { points: new Float64Array(HULL_NUMBERS), count: 1 };
const a3 = () => new Float64Array(3);
const nearest: DistanceBracket = { lower: 0, upper: 0, onA: a3(), onB: a3() };
const edges = new Float64Array(9);
const normal = new Float64Array(3);

/** True if a box of eight corners surely keeps a point of the other hull that moves by `change`. */
export function keepsAllThrough(box: MovedHull, other: MovedHull, change: number, reach: number): boolean {
  const { points: p } = box;
  for (let k = 0; k < 3; k++) {
    let sum = 0;
    for (let i = 0; i < 8; i++) sum += p[3 * i + k];
    centre.points[k] = sum / 8;
    for (let axis = 0; axis < 3; axis++) edges[3 * axis + k] = (p[3 * (1 << axis) + k] - p[k]) / 2;
  }
  hullDistanceTo(centre, other, nearest, Number.POSITIVE_INFINITY);
  const spare = change + farFromBox(p) + 2 ** -40 * reach;
  for (let axis = 0; axis < 3; axis++) {
    setNormal(3 * ((axis + 1) % 3), 3 * ((axis + 2) % 3));
    let along = 0;
    let half = 0;
    for (let k = 0; k < 3; k++) {
      along += normal[k] * (nearest.onB[k] - centre.points[k]);
      half += normal[k] * edges[3 * axis + k];
    }
    // A flat box has no normal: NaN fails here.
    if (!(Math.abs(along) + spare < Math.abs(half))) return false;
  }
  return true;
}

function setNormal(i: number, j: number): void {
  const x = edges[i + 1] * edges[j + 2] - edges[i + 2] * edges[j + 1];
  const y = edges[i + 2] * edges[j] - edges[i] * edges[j + 2];
  const z = edges[i] * edges[j + 1] - edges[i + 1] * edges[j];
  const length = Math.sqrt(x * x + y * y + z * z);
  normal[0] = x / length;
  normal[1] = y / length;
  normal[2] = z / length;
}

function farFromBox(p: Float64Array): number {
  let most = 0;
  for (let i = 0; i < 8; i++) {
    let far = 0;
    for (let k = 0; k < 3; k++) {
      let at = centre.points[k];
      for (let axis = 0; axis < 3; axis++) at += (i >> axis) & 1 ? edges[3 * axis + k] : -edges[3 * axis + k];
      far += Math.abs(p[3 * i + k] - at);
    }
    most = Math.max(most, far);
  }
  return most;
}
