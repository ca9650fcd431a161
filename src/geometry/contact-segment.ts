/**
 * The segment in which two triangles intersect, a direction that separates them, and the depth
 * along it.
 *
 * T. Möller, "A Fast Triangle-Triangle Intersection Test", Journal of Graphics Tools 2(2), 1997:
 * each triangle meets the common line of the planes in an interval, and the segment is the
 * intersection of the intervals. Exact signs choose its ends, and only these are computed (P.
 * Guigue, O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation
 * Predicates", Journal of Graphics Tools 8(1), 2003). Departures: each end is a point of an edge,
 * never of a constructed line. Coplanar triangles, which the papers only test, and triangles
 * without area (segments or points) are intersected too.
 *
 * Letters: e = 2^-53; S is the extent of all six vertices; t0 is a triangle's first vertex, n its
 * normal.
 *
 * Choice of the ends. With p1, q1, r1, p2, q2, r2, i, j, k, l and D as at `intervalsMeet` in
 * triangle-triangle.ts, the intervals are [j, i] and [k, l] along D. The proof there for i and k
 * says that orient3d(p1, q1, p2, q2) has the sign of (i-k).D. It rests on n1.u2 < 0 and n2.u1 < 0
 * for the two edges only. So it holds for each edge at p1 with each at p2: three more signs give
 * the later start and the earlier end. D is n1 x n2 of the triangles as turned over; turning one of
 * them back exchanges the ends.
 *
 * Position of an end. An edge pq crosses t's plane at p + s (q-p), with h the heights n.(x - t0),
 * whose signs are known and opposite:
 *   s = hp / (hp - hq)
 * Both heights have the same factor |n|, so the shape of t does not matter. But if they are small
 * beside the terms that cancel in them, s is lost, and the point leaves t along the edge. So they
 * are computed in pairs of doubles (T. J. Dekker, Numerische Mathematik 18, 1971; bounds of M.
 * Joldes, J.-M. Muller, V. Popescu, ACM TOMS 44(2), 2017). There differences are exact, products
 * within 7 e^2 and sums within 3 e^2 of themselves. With P the sum of the six |terms|, h is off by
 * less than:
 *   (7+3+7+3+3) e^2 P (1 + 2^-40) < 2^-100 P
 * If that is at most 2^-55 (|hp| + |hq|), s is off by at most e from this. Otherwise (planes that
 * are parallel but for rounding, tiny edges near the origin) both are integers, exact. With three
 * more roundings s is off by less than 5/2 e, as the nearer of p and q is the start. With q-p, the
 * product and the sum the end is within 4 e |pq| of the exact one, plus half a unit in the last
 * place of each coordinate. The exact end is a point of both triangles, so ours is that near to
 * both. An end that is a vertex is that vertex, bit by bit. Crossing edges of one plane use 2 x 2
 * determinants in the same way.
 *
 * Underflow: coordinates are scaled by a power of two until the greatest lies in [2^-128, 2^128],
 * and a triangle's edges once more. Products then lose less than TINY, which is added to the error.
 * Signs and integers come from the coordinates as given.
 *
 * Road not taken: pairs of doubles, and witness points of triangleDistance where they fail. Both
 * ends were within 5 e S of both triangles too. But for planes that are parallel but for rounding
 * they were as far from the exact ends as the triangles are long.
 */
import { toInteger } from '../math/numbers.ts';
import { orient2d, orient3d } from './orient.ts';
import { crossingOf, orderOutline } from './outline.ts';

/** The arrays are the caller's, three numbers each. */
export interface ContactSegment {
  from: Float64Array;
  to: Float64Array;
  /** A unit vector. */
  normal: Float64Array;
  depth: number;
  /** Filled in if present. */
  common?: CommonSet;
}

/** Everything that two triangles have in common; the arrays are the caller's. */
export interface CommonSet {
  /** Vertices: 1 for a point, 2 for a segment (as from and to), 3 to 6 for a polygon, in order. */
  count: number;
  /** x, y, z of each: 18 numbers. */
  vertices: Float64Array;
  /** Unit normals of a and b, three numbers each; 0 for a triangle without area. */
  normals: Float64Array;
  /** 1, -1: an edge of a lies in b's plane, the rest above or below; 2: all of a does; else 0. */
  edgeOfA: number;
  edgeOfB: number;
}

const TINY = 2 ** -900;
const PAIR_ERROR = 2 ** -100;
const ENOUGH = 2 ** -55;
/** Two unit normals that differ by less point the same way. */
const SAME_NORMAL = 1e-6;
/** A cross product that is shorter, relative to its terms, has lost its direction. */
const NO_NORMAL = 2 ** -80;
const SPLITTER = 2 ** 27 + 1;

const A = 0;
const B = 9;
/** Vertices as given, a's at A, b's at B. The two ends replace those of a triangle without area. */
const corners = new Float64Array(18);
const scaled = new Float64Array(18);
const sides = new Int8Array(6);
const ends = new Float64Array(6);
const polygon = new Float64Array(36);
const origins = new Int8Array(12);
const unitNormals = new Float64Array(6);

/** Numbers shared by functions; in an array, since doubles that cross calls are boxed. */
const state = new Float64Array(10);
const FACTOR = 0;
const VALUE = 1; // a determinant
const BOUND = 2; // the sum of its terms' sizes
const WEIGHT_P = 3;
const BOUND_P = 4;
const LENGTH2 = 5;
const POLYGON = 6; // vertices of `polygon`; 0 where the two do not lie in one plane
const AXIS = 7; // the coordinate that can be dropped there

/** Pairs of doubles; the second is below half a unit in the last place of the first. */
const pair = new Float64Array(34);
const NORMAL_A = 0; // n of each triangle, three pairs
const NORMAL_B = 6;
const U = 12; // three pairs each
const V = 18;
const TERM = 24;
const OTHER = 26;
const SUM = 28;
const sizes = new Float64Array(6);

/**
 * Computes how two triangles meet that are known to meet (trianglesIntersectAt): nine numbers of
 * `a` at `i` and nine of `b` at `j`, in any frame, one unit. Triangles without area are segments or
 * points. Checks nothing: the answer is meaningless for triangles that are apart and for
 * coordinates that are not finite. Allocates only if exact arithmetic must decide a sign.
 * - `out.from`, `out.to`: the ends of the common segment, or one point twice. They are off the
 *   exact ends, and so both triangles, by 4 * 2^-53 of an edge on which they lie, plus half a unit
 *   in the last place of each coordinate. The direction from `from` to `to` is n_a x n_b, so that
 *   segments of two surfaces form curves, head to tail; exchanging a and b exchanges the ends.
 *   Triangles in one plane share a polygon. Then the ends are the two of its vertices that are
 *   farthest apart, any of equally far ones. In this case, and for triangles without area, the
 *   lexicographically smaller end comes first.
 * - `out.normal`: pushes a off b if both are faces of surfaces oriented outward (counter-clockwise
 *   from outside). It is n_b - n_a of the unit normals, made a unit vector; n_b if they differ by
 *   less than 1e-6. If one has no area: n_b or -n_a, of the other. If both have none: a vector at
 *   right angles to the segment, (1, 0, 0) for a point. An area counts as none below 2^-80 of the
 *   canceling products of its edges, or with edges below 2^-900 of the greatest coordinate.
 *   Changing a and b reverses the first and the third of these four, exactly.
 * - `out.depth`: the greatest of normal.b less the least of normal.a, at least 0, within 16 * 2^-53
 *   S, no more than the greatest double. Moved by depth * normal, a touches b's outermost extent
 *   along the normal; moved farther, it no longer meets b. Less may be enough, and far less beside
 *   a much larger triangle, as another direction may separate them sooner.
 * - `out.common`: for triangles in one plane the whole set instead of its longest segment, each
 *   vertex as exact as the ends. It also distinguishes edges that touch from edges that cross.
 *
 * @example // t is a Float64Array of two triangles for which trianglesIntersectAt(t, 0, t, 9)
 *          contactSegment(t, 0, t, 9, out)
 */
export function contactSegment(a: Float64Array, i: number, b: Float64Array, j: number, out: ContactSegment): void {
  for (let k = 0; k < 9; k++) {
    corners[k] = a[i + k];
    corners[B + k] = b[j + k];
  }
  const axisA = projectionAxis(A);
  const axisB = projectionAxis(B);
  const countA = axisA >= 0 ? 3 : reduceToEnds(A);
  const countB = axisB >= 0 ? 3 : reduceToEnds(B);
  rescale();
  state[POLYGON] = 0;
  sides.fill(0);
  const isFaceA = countA === 3 && makeNormal(A);
  const isFaceB = countB === 3 && makeNormal(B);
  if (countA === 1) both(A);
  else if (countB === 1) both(B);
  else if (countA === 3 && countB === 3) intersectFaces(axisB);
  else if (countA === 3) intersectSegment(B, A, axisA);
  else if (countB === 3) intersectSegment(A, B, axisB);
  else intersectSegments();
  for (let k = 0; k < 3; k++) {
    out.from[k] = ends[k];
    out.to[k] = ends[3 + k];
  }
  chooseNormal(isFaceA, isFaceB, out.normal);
  out.depth = depthAlong(out.normal);
  if (out.common) describeCommon(out.common, countA, countB, isFaceA, isFaceB);
}

function describeCommon(out: CommonSet, countA: number, countB: number, isFaceA: boolean, isFaceB: boolean): void {
  for (let k = 0; k < 3; k++) {
    out.normals[k] = isFaceA ? unitNormals[k] : 0;
    out.normals[3 + k] = isFaceB ? unitNormals[3 + k] : 0;
  }
  const areFaces = countA === 3 && countB === 3;
  out.edgeOfA = areFaces ? edgeSide(0) : 0;
  out.edgeOfB = areFaces ? edgeSide(3) : 0;
  if (state[POLYGON] > 0) {
    const { vertices } = out;
    out.count = orderOutline(
      { corners, n: countA, m: countB, axis: state[AXIS] },
      { vertices: polygon, origins, count: state[POLYGON] },
      vertices,
    );
    if (out.count > 2) return;
  }
  out.vertices.set(ends);
  out.count = ends[0] === ends[3] && ends[1] === ends[4] && ends[2] === ends[5] ? 1 : 2;
}

/** Returns 2 if all three vertices lie in the plane, the third's side if two do, else 0. */
function edgeSide(first: number): number {
  const inPlane = Number(sides[first] === 0) + Number(sides[first + 1] === 0) + Number(sides[first + 2] === 0);
  if (inPlane === 3) return 2;
  return inPlane === 2 ? sides[first] + sides[first + 1] + sides[first + 2] : 0;
}

/** A coordinate that can be dropped, preferably of the most area; -1 without area. */
function projectionAxis(t: number): number {
  let best = 0;
  let most = -1;
  for (let axis = 0; axis < 3; axis++) {
    const u = t + ((axis + 1) % 3);
    const v = t + ((axis + 2) % 3);
    const area = Math.abs(
      (corners[u + 3] - corners[u]) * (corners[v + 6] - corners[v]) -
        (corners[v + 3] - corners[v]) * (corners[u + 6] - corners[u]),
    );
    if (area > most) {
      most = area;
      best = axis;
    }
  }
  for (let k = 0; k < 3; k++) {
    const axis = (best + k) % 3;
    if (orient2d(corners, t, corners, t + 3, corners, t + 6, axis) !== 0) return axis;
  }
  return -1;
}

/** Keeps the lexicographically first and last of three collinear vertices; returns 1 or 2. */
function reduceToEnds(t: number): number {
  let first = t;
  let last = t;
  for (let k = t + 3; k <= t + 6; k += 3) {
    if (isBefore(corners, k, corners, first)) first = k;
    if (isBefore(corners, last, corners, k)) last = k;
  }
  const count = first === last ? 1 : 2;
  for (let axis = 0; axis < 3; axis++) {
    const low = corners[first + axis];
    const high = corners[last + axis];
    corners[t + axis] = low;
    corners[t + 3 + axis] = high;
    corners[t + 6 + axis] = low;
  }
  return count;
}

function isBefore(p: Float64Array, i: number, q: Float64Array, j: number): boolean {
  if (p[i] !== q[j]) return p[i] < q[j];
  if (p[i + 1] !== q[j + 1]) return p[i + 1] < q[j + 1];
  return p[i + 2] < q[j + 2];
}

function rescale(): void {
  let largest = 0;
  for (let k = 0; k < 18; k++) largest = Math.max(largest, Math.abs(corners[k]));
  let factor = 1;
  // Four steps reach from the least and the greatest double; 2^960 and its reciprocal are doubles.
  for (let step = 0; step < 4 && largest * factor > 2 ** 128; step++) factor *= 2 ** -240;
  for (let step = 0; step < 4 && largest * factor < 2 ** -128; step++) factor *= 2 ** 240;
  for (let k = 0; k < 18; k++) scaled[k] = corners[k] * factor;
  state[FACTOR] = factor;
}

/** Leaves n in pairs, and the unit normal; false if the area is too small to have a direction. */
function makeNormal(t: number): boolean {
  const atNormal = t === A ? NORMAL_A : NORMAL_B;
  const atUnit = t === A ? 0 : 3;
  for (let axis = 0; axis < 3; axis++) {
    difference(t + 3 + axis, t + axis, U + 2 * axis);
    difference(t + 6 + axis, t + axis, V + 2 * axis);
  }
  enlargeEdges();
  let largest = 0;
  let size = TINY;
  for (let axis = 0; axis < 3; axis++) {
    const next = 2 * ((axis + 1) % 3);
    const last = 2 * ((axis + 2) % 3);
    multiply(U + next, V + last, TERM);
    multiply(U + last, V + next, OTHER);
    sizes[atUnit + axis] = Math.abs(pair[TERM]) + Math.abs(pair[OTHER]);
    pair[OTHER] = -pair[OTHER];
    pair[OTHER + 1] = -pair[OTHER + 1];
    add(TERM, OTHER, atNormal + 2 * axis);
    largest = Math.max(largest, Math.abs(pair[atNormal + 2 * axis]));
    size = Math.max(size, sizes[atUnit + axis]);
  }
  if (!(largest > NO_NORMAL * size)) return false;
  for (let axis = 0; axis < 3; axis++) unitNormals[atUnit + axis] = 0 + pair[atNormal + 2 * axis] / largest; // no -0
  normalise(unitNormals, atUnit);
  return true;
}

/** Scales tiny edges, as only the direction of n and quotients of heights count. */
function enlargeEdges(): void {
  let largest = 0;
  for (let k = U; k < TERM; k += 2) largest = Math.max(largest, Math.abs(pair[k]));
  for (; largest > 0 && largest < 2 ** -128; largest *= 2 ** 240) {
    for (let k = U; k < TERM; k++) pair[k] *= 2 ** 240;
  }
}

/** Its components must be of ordinary size. */
function normalise(v: Float64Array, at: number): void {
  const length = Math.sqrt(v[at] * v[at] + v[at + 1] * v[at + 1] + v[at + 2] * v[at + 2]);
  for (let axis = 0; axis < 3; axis++) v[at + axis] /= length;
}

function both(vertex: number): void {
  for (let axis = 0; axis < 3; axis++) ends[axis] = ends[3 + axis] = corners[vertex + axis];
}

function sideOf(p: number, t: number): number {
  return orient3d(corners, p, corners, t + 3, corners, t + 6, corners, t);
}

function intersectFaces(axis: number): void {
  for (let k = 0; k < 3; k++) {
    sides[k] = sideOf(A + 3 * k, B);
    sides[3 + k] = sideOf(B + 3 * k, A);
  }
  if (sides[0] === 0 && sides[1] === 0 && sides[2] === 0) {
    intersectInPlane(3, 3, axis);
    return;
  }
  const apexA = apexOf(0);
  const apexB = apexOf(3);
  const isBelowA = isBelow(apexA, 0);
  const isBelowB = isBelow(apexB, 3);
  // With p2 below plane 1 triangle 1 is turned over, and vice versa.
  const p1 = 3 * apexA;
  const q1 = 3 * ((apexA + (isBelowB ? 2 : 1)) % 3);
  const r1 = 3 * ((apexA + (isBelowB ? 1 : 2)) % 3);
  const p2 = B + 3 * apexB;
  const q2 = B + 3 * ((apexB + (isBelowA ? 2 : 1)) % 3);
  const r2 = B + 3 * ((apexB + (isBelowA ? 1 : 2)) % 3);
  // A single common point must come out as one, even if it is an end of both intervals.
  const isFirst = order(p1, q1, p2, q2) === 0;
  if (isFirst || order(p1, r1, p2, r2) === 0) {
    sharedEnd(p1, isFirst ? q1 : r1, p2, isFirst ? q2 : r2, 0);
    for (let k = 0; k < 3; k++) ends[3 + k] = ends[k];
    return;
  }
  const start = isBelowA === isBelowB ? 0 : 3;
  const starts = order(p1, r1, p2, q2);
  if (starts > 0) crossing(p1, r1, B, ends, start);
  else if (starts < 0) crossing(p2, q2, A, ends, start);
  else sharedEnd(p1, r1, p2, q2, start);
  const stops = order(p1, q1, p2, r2);
  if (stops < 0) crossing(p1, q1, B, ends, 3 - start);
  else if (stops > 0) crossing(p2, r2, A, ends, 3 - start);
  else sharedEnd(p1, q1, p2, r2, 3 - start);
}

/** Returns the vertex, 0 to 2, whose two edges cross or touch the plane in one point each. */
function apexOf(first: number): number {
  for (let k = 0; k < 2; k++) {
    const p = sides[first + k];
    const q = sides[first + ((k + 1) % 3)];
    const r = sides[first + ((k + 2) % 3)];
    if (p !== 0 ? p * q <= 0 && p * r <= 0 : q * r > 0) return k;
  }
  return 2;
}

function isBelow(apex: number, first: number): boolean {
  const side = sides[first + apex];
  return side < 0 || (side === 0 && sides[first + ((apex + 1) % 3)] > 0);
}

/** Compares crossings along D: 1 if the first edge's is later, -1 if the second's, 0 if equal. */
function order(p1: number, q1: number, p2: number, q2: number): number {
  return orient3d(corners, p1, corners, q1, corners, p2, corners, q2);
}

function sharedEnd(p1: number, q1: number, p2: number, q2: number, at: number): void {
  const isVertexOfA = sides[p1 / 3] === 0 || sides[q1 / 3] === 0;
  const isVertexOfB = sides[p2 / 3] === 0 || sides[q2 / 3] === 0;
  if (isVertexOfB && !isVertexOfA) crossing(p2, q2, A, ends, at);
  else crossing(p1, q1, B, ends, at);
}

function crossing(p: number, q: number, t: number, to: Float64Array, at: number): void {
  const sideP = sides[p / 3];
  const sideQ = sides[q / 3];
  if (sideP * sideQ >= 0) {
    const vertex = sideQ === 0 ? q : p;
    for (let k = 0; k < 3; k++) to[at + k] = corners[vertex + k];
    return;
  }
  height(p, t);
  state[WEIGHT_P] = sideP * state[VALUE];
  state[BOUND_P] = state[BOUND];
  height(q, t);
  state[VALUE] *= sideQ;
  if (!isExactEnough()) {
    makeIntegers();
    divideExactly(exactHeight(p, t), exactHeight(q, t));
  }
  between(p, q, to, at);
}

function height(p: number, t: number): void {
  const atNormal = t === A ? NORMAL_A : NORMAL_B;
  const atSize = t === A ? 0 : 3;
  let bound = 0;
  pair[SUM] = pair[SUM + 1] = 0;
  for (let axis = 0; axis < 3; axis++) {
    difference(p + axis, t + axis, U);
    bound += sizes[atSize + axis] * Math.abs(pair[U]);
    multiply(atNormal + 2 * axis, U, TERM);
    add(SUM, TERM, SUM);
  }
  state[VALUE] = pair[SUM];
  state[BOUND] = bound;
}

/** True if both determinants over the sum of their sizes are known within 2^-53. */
function isExactEnough(): boolean {
  const error = PAIR_ERROR * Math.max(state[BOUND], state[BOUND_P]) + TINY;
  return error <= ENOUGH * (state[WEIGHT_P] + state[VALUE]);
}

function between(p: number, q: number, to: Float64Array, at: number): void {
  const weightP = Math.max(0, state[WEIGHT_P]);
  const weightQ = Math.max(0, state[VALUE]);
  const isNearP = weightP <= weightQ;
  const start = isNearP ? p : q;
  const stop = isNearP ? q : p;
  const along = (isNearP ? weightP : weightQ) / (weightP + weightQ);
  // Go through a sixteenth where differences could overflow.
  const part = state[FACTOR] < 1 ? 1 / 16 : 1;
  for (let k = 0; k < 3; k++) {
    const here = corners[start + k] * part;
    const there = corners[stop + k] * part;
    to[at + k] = (here + along * (there - here)) / part;
  }
}

/** Turns two determinants of different sign into weights whose sum is 1, each within 2^-64. */
function divideExactly(atP: bigint, atQ: bigint): void {
  state[WEIGHT_P] = Number((atP << 64n) / (atP - atQ)) * 2 ** -64;
  state[VALUE] = Number((-atQ << 64n) / (atP - atQ)) * 2 ** -64;
}

const integers: bigint[] = new Array(18).fill(0n);

/** Coordinates as integers of one unit, which is 2^-100 if that gives all of them whole. */
function makeIntegers(): void {
  let isOrdinary = true;
  for (let k = 0; k < 18; k++) isOrdinary &&= Number.isInteger(corners[k] * 2 ** 100);
  for (let k = 0; k < 18; k++) integers[k] = isOrdinary ? BigInt(corners[k] * 2 ** 100) : toInteger(corners[k]);
}

function exactDifference(p: number, q: number): bigint {
  return integers[p] - integers[q];
}

function exactHeight(p: number, t: number): bigint {
  let sum = 0n;
  for (let axis = 0; axis < 3; axis++) {
    const u = t + ((axis + 1) % 3);
    const v = t + ((axis + 2) % 3);
    const cofactor =
      exactDifference(u + 3, u) * exactDifference(v + 6, v) - exactDifference(v + 3, v) * exactDifference(u + 6, u);
    sum += cofactor * exactDifference(p + axis, t + axis);
  }
  return sum;
}

function exactHeightInPlane(p: number, r: number, s: number, axis: number): bigint {
  const u = (axis + 1) % 3;
  const v = (axis + 2) % 3;
  return (
    exactDifference(s + u, r + u) * exactDifference(p + v, r + v) -
    exactDifference(s + v, r + v) * exactDifference(p + u, r + u)
  );
}

function intersectSegment(s: number, t: number, axis: number): void {
  const first = s / 3;
  sides[first] = sideOf(s, t);
  sides[first + 1] = sideOf(s + 3, t);
  if (sides[first] === 0 && sides[first + 1] === 0) {
    intersectInPlane(s === A ? 2 : 3, s === A ? 3 : 2, axis);
    return;
  }
  crossing(s, s + 3, t, ends, 0);
  for (let k = 0; k < 3; k++) ends[3 + k] = ends[k];
}

/** Each segment starts from its lexicographically smaller end. */
function intersectSegments(): void {
  for (let axis = 0; axis < 3; axis++) {
    const isOnLine =
      orient2d(corners, A, corners, A + 3, corners, B, axis) === 0 &&
      orient2d(corners, A, corners, A + 3, corners, B + 3, axis) === 0 &&
      orient2d(corners, A, corners, B, corners, B + 3, axis) === 0;
    if (!isOnLine) {
      intersectInPlane(2, 2, axis);
      return;
    }
  }
  // One line, on which lexicographic order is monotone.
  const from = isBefore(corners, A, corners, B) ? B : A;
  const to = isBefore(corners, A + 3, corners, B + 3) ? A + 3 : B + 3;
  for (let k = 0; k < 3; k++) {
    ends[k] = corners[from + k];
    ends[3 + k] = corners[to + k];
  }
}

/** Intersects hulls of n and m points (2 or 3) of one plane that `axis` projects one to one. */
function intersectInPlane(n: number, m: number, axis: number): void {
  let count = 0;
  for (let k = 0; k < n; k++) if (holds(B, m, A + 3 * k, axis)) addVertex(A + 3 * k, k, count++);
  for (let k = 0; k < m; k++) if (holds(A, n, B + 3 * k, axis)) addVertex(B + 3 * k, 3 + k, count++);
  const edgesA = n === 3 ? 3 : 1;
  const edgesB = m === 3 ? 3 : 1;
  for (let k = 0; k < edgesA; k++) {
    const p = A + 3 * k;
    const q = A + 3 * ((k + 1) % 3);
    for (let l = 0; l < edgesB; l++) {
      const r = B + 3 * l;
      const s = B + 3 * ((l + 1) % 3);
      const sideP = orient2d(corners, r, corners, s, corners, p, axis);
      const sideQ = orient2d(corners, r, corners, s, corners, q, axis);
      if (sideP * sideQ >= 0) continue;
      if (orient2d(corners, p, corners, q, corners, r, axis) * orient2d(corners, p, corners, q, corners, s, axis) < 0) {
        origins[count] = crossingOf(k, l);
        crossingInPlane(p, q, r, s, sideP, axis, 3 * count++);
      }
    }
  }
  if (count === 0) {
    both(A); // not known to meet, as they must be
    return;
  }
  state[POLYGON] = count;
  state[AXIS] = axis;
  farthest(count);
}

function holds(t: number, n: number, p: number, axis: number): boolean {
  const first = orient2d(corners, t, corners, t + 3, corners, p, axis);
  if (n === 2) return first === 0 && !isBefore(corners, p, corners, t) && !isBefore(corners, t + 3, corners, p);
  const second = orient2d(corners, t + 3, corners, t + 6, corners, p, axis);
  const third = orient2d(corners, t + 6, corners, t, corners, p, axis);
  return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
}

function addVertex(vertex: number, origin: number, count: number): void {
  origins[count] = origin;
  for (let k = 0; k < 3; k++) polygon[3 * count + k] = corners[vertex + k];
}

function crossingInPlane(p: number, q: number, r: number, s: number, sideP: number, axis: number, at: number): void {
  heightInPlane(p, r, s, axis);
  state[WEIGHT_P] = sideP * state[VALUE];
  state[BOUND_P] = state[BOUND];
  heightInPlane(q, r, s, axis);
  state[VALUE] *= -sideP;
  if (!isExactEnough()) {
    makeIntegers();
    divideExactly(exactHeightInPlane(p, r, s, axis), exactHeightInPlane(q, r, s, axis));
  }
  between(p, q, polygon, at);
}

/** Leaves (s-r) x (p-r), without the coordinate `axis`, in state. */
function heightInPlane(p: number, r: number, s: number, axis: number): void {
  const u = (axis + 1) % 3;
  const v = (axis + 2) % 3;
  difference(s + u, r + u, U);
  difference(s + v, r + v, U + 2);
  difference(p + u, r + u, V);
  difference(p + v, r + v, V + 2);
  multiply(U, V + 2, TERM);
  multiply(U + 2, V, OTHER);
  state[BOUND] = Math.abs(pair[TERM]) + Math.abs(pair[OTHER]);
  pair[OTHER] = -pair[OTHER];
  pair[OTHER + 1] = -pair[OTHER + 1];
  add(TERM, OTHER, SUM);
  state[VALUE] = pair[SUM];
}

function farthest(count: number): void {
  const factor = state[FACTOR];
  let from = 0;
  let to = 0;
  state[LENGTH2] = 0;
  for (let k = 0; k < 3 * count; k += 3) {
    for (let l = k + 3; l < 3 * count; l += 3) {
      const dx = polygon[k] * factor - polygon[l] * factor;
      const dy = polygon[k + 1] * factor - polygon[l + 1] * factor;
      const dz = polygon[k + 2] * factor - polygon[l + 2] * factor;
      const length2 = dx * dx + dy * dy + dz * dz;
      if (length2 <= state[LENGTH2]) continue;
      state[LENGTH2] = length2;
      const isOrdered = isBefore(polygon, k, polygon, l);
      from = isOrdered ? k : l;
      to = isOrdered ? l : k;
    }
  }
  for (let k = 0; k < 3; k++) {
    ends[k] = polygon[from + k];
    ends[3 + k] = polygon[to + k];
  }
}

function chooseNormal(isFaceA: boolean, isFaceB: boolean, normal: Float64Array): void {
  if (isFaceA && isFaceB) {
    for (let k = 0; k < 3; k++) normal[k] = unitNormals[3 + k] - unitNormals[k];
    const length2 = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    if (length2 >= SAME_NORMAL * SAME_NORMAL) normalise(normal, 0);
    else for (let k = 0; k < 3; k++) normal[k] = unitNormals[3 + k];
  } else if (isFaceB) {
    for (let k = 0; k < 3; k++) normal[k] = unitNormals[3 + k];
  } else if (isFaceA) {
    for (let k = 0; k < 3; k++) normal[k] = 0 - unitNormals[k];
  } else {
    acrossEnds(normal);
  }
}

/** Returns a unit vector at right angles to the segment, and to the axis it reaches least along. */
function acrossEnds(normal: Float64Array): void {
  const factor = state[FACTOR];
  let largest = 0;
  let least = 0;
  for (let k = 0; k < 3; k++) {
    normal[k] = ends[3 + k] * factor - ends[k] * factor;
    largest = Math.max(largest, Math.abs(normal[k]));
    if (Math.abs(normal[k]) < Math.abs(normal[least])) least = k;
  }
  if (!(largest > 0)) {
    normal[0] = 1;
    normal[1] = normal[2] = 0;
    return;
  }
  const next = (least + 1) % 3;
  const last = (least + 2) % 3;
  const up = largest < 2 ** -500 ? 2 ** 500 : 1; // the reciprocal of a subnormal number overflows, and so may a quotient
  const alongNext = (normal[next] * up) / (largest * up);
  const alongLast = (normal[last] * up) / (largest * up);
  normal[least] = 0;
  normal[next] = 0 + alongLast;
  normal[last] = 0 - alongNext;
  normalise(normal, 0);
}

function depthAlong(normal: Float64Array): number {
  let most = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 9; k += 3) {
    const a =
      normal[0] * (scaled[k] - scaled[0]) +
      normal[1] * (scaled[k + 1] - scaled[1]) +
      normal[2] * (scaled[k + 2] - scaled[2]);
    const b =
      normal[0] * (scaled[B + k] - scaled[0]) +
      normal[1] * (scaled[B + k + 1] - scaled[1]) +
      normal[2] * (scaled[B + k + 2] - scaled[2]);
    least = Math.min(least, a);
    most = Math.max(most, b);
  }
  return Math.min(Number.MAX_VALUE, Math.max(0, most - least) / state[FACTOR]);
}

/** Writes the exact difference: the rounded one and its error (D. E. Knuth). */
function difference(p: number, q: number, to: number): void {
  const x = scaled[p];
  const y = scaled[q];
  const high = x - y;
  const yRounded = x - high;
  pair[to] = high;
  pair[to + 1] = x - (high + yRounded) + (yRounded - y);
}

function multiply(i: number, j: number, to: number): void {
  const x = pair[i];
  const y = pair[j];
  const product = x * y;
  const bigX = SPLITTER * x;
  const xHigh = bigX - (bigX - x);
  const xLow = x - xHigh;
  const bigY = SPLITTER * y;
  const yHigh = bigY - (bigY - y);
  const yLow = y - yHigh;
  const error = xLow * yLow - (product - xHigh * yHigh - xLow * yHigh - xHigh * yLow);
  const rest = error + (x * pair[j + 1] + pair[i + 1] * y);
  const high = product + rest;
  pair[to] = high;
  pair[to + 1] = rest - (high - product);
}

function add(i: number, j: number, to: number): void {
  const x = pair[i];
  const y = pair[j];
  const sum = x + y;
  const yPart = sum - x;
  const sumError = x - (sum - yPart) + (y - yPart);
  const u = pair[i + 1];
  const v = pair[j + 1];
  const low = u + v;
  const vPart = low - u;
  const lowError = u - (low - vPart) + (v - vPart);
  const first = sumError + low;
  const high = sum + first;
  const second = lowError + (first - (high - sum));
  const result = high + second;
  pair[to] = result;
  pair[to + 1] = second - (result - high);
}
