/**
 * The segment in which two triangles that meet intersect, a direction that parts them, and how far.
 *
 * T. Möller, "A Fast Triangle-Triangle Intersection Test", Journal of Graphics Tools 2(2), 1997:
 * each triangle meets the common line of the planes in an interval, and the segment is what the
 * intervals share. Its ends are chosen as in P. Guigue, O. Devillers, "Fast and Robust
 * Triangle-Triangle Overlap Test Using Orientation Predicates", Journal of Graphics Tools 8(1),
 * 2003, by exact signs, and only then computed. Departures: each end is a point of an edge, never
 * of a line that was constructed; coplanar triangles, which the papers only test, and triangles of
 * no area, the segments or points they are, are intersected too.
 *
 * Letters: e = 2^-53; S is the extent of all six vertices; t0 a triangle's first vertex, n its
 * normal.
 *
 * Which ends. With p1, q1, r1, p2, q2, r2, i, j, k, l and D as at `intervalsMeet` in
 * triangle-triangle.ts, the intervals are [j, i] and [k, l] along D. There it is shown for i and k
 * that orient3d(p1, q1, p2, q2) has the sign of (i-k).D. That rests on n1.u2 < 0 and n2.u1 < 0 for
 * the two edges only. So it holds for each edge at p1 with each at p2: three more signs give the
 * later start and the earlier end. D is n1 x n2 of the triangles as turned over; turning one of
 * them back exchanges the ends.
 *
 * Where an end lies. An edge pq crosses t's plane at p + s (q-p), s = hp / (hp - hq), h the heights
 * n.(x - t0), whose signs are known and opposite. Both have the same factor |n|, so nothing depends
 * on the shape of t; but if they are small beside what their terms cancel, s is lost, and the point
 * leaves t along the edge. So they are computed in pairs of doubles (T. J. Dekker, Numerische
 * Mathematik 18, 1971; bounds of M. Joldes, J.-M. Muller, V. Popescu, ACM TOMS 44(2), 2017):
 * differences exact, products within 7 e^2, sums within 3 e^2 of themselves. With P the sum of the
 * six |terms|, h is off by less than (7+3+7+3+3) e^2 P (1 + 2^-40) < 2^-100 P. If that is at most
 * 2^-55 (|hp| + |hq|), s is off by at most e from this; otherwise (planes that are parallel but for
 * rounding, tiny edges near the origin) both are integers, exact. With three more roundings s is
 * off by less than 5/2 e, as the nearer of p and q is the start. With q-p, the product and the sum
 * the end is within 4 e |pq| of the exact one, and half a unit in the last place of each
 * coordinate. The exact one is a point of both triangles: so near to both is ours. An end that is a
 * vertex is that vertex, bit by bit. Crossing edges of one plane: the same with 2 x 2 determinants.
 *
 * Underflow: coordinates are scaled by a power of two until the greatest lies in [2^-128, 2^128],
 * and a triangle's edges once more; what products lose is below TINY, which the error has added.
 * Signs and integers are taken from the coordinates as given.
 *
 * Road not taken: pairs of doubles, and witness points of triangleDistance where they fail. Both
 * ends were within 5 e S of both triangles too, but of planes that are parallel but for rounding
 * they came out as far from the exact ends as the triangles are long.
 */
import { toInteger } from '../math/integer.ts';
import { crossingOf, orderOutline } from './common-outline.ts';
import { orient2d, orient3d } from './orient.ts';

/** Where two triangles meet; the arrays are the caller's, three numbers each. */
export interface ContactSegment {
  from: Float64Array;
  to: Float64Array;
  /** A unit vector. */
  normal: Float64Array;
  depth: number;
  /** Is filled in where it is given. */
  common?: CommonSet;
}

/** All that two triangles have in common; the arrays are the caller's. */
export interface CommonSet {
  /** Vertices: 1 of a point, 2 of a segment (as from and to), 3 to 6 of a polygon, in order round. */
  count: number;
  /** x, y, z of each: 18 numbers. */
  vertices: Float64Array;
  /** Unit normals of a and b, three numbers each; 0 of what has no area. */
  normals: Float64Array;
  /**
   * How a lies to b's plane: 1 and -1 with an edge in it, the rest above or below; 2 all in it;
   * else 0, also where one of the two has no area.
   */
  edgeOfA: number;
  /** Likewise of b. */
  edgeOfB: number;
}

const TINY = 2 ** -900;
/** A height is off by less than this times the sum of its terms. */
const PAIR_ERROR = 2 ** -100;
const ENOUGH = 2 ** -55;
/** Normals of two faces that differ by less point the same way. */
const SAME_NORMAL = 1e-6;
/** A cross product that is shorter, beside the terms it is made of, has lost its direction. */
const NO_NORMAL = 2 ** -80;
const SPLITTER = 2 ** 27 + 1;

/** The offsets of the two triangles in `corners`. */
const A = 0;
const B = 9;
/**
 * Vertices as given, those of a triangle without area replaced by its two ends: a's at A, b's at B.
 */
const corners = new Float64Array(18);
/** The same, times state[FACTOR]. */
const scaled = new Float64Array(18);
/** On which side of the other's plane each vertex lies. */
const sides = new Int8Array(6);
/** The answer: from, to. */
const ends = new Float64Array(6);
/** Vertices of the common polygon of two triangles in one plane, some twice, and where from. */
const polygon = new Float64Array(36);
const origins = new Int8Array(12);
const unitNormals = new Float64Array(6);

/** Numbers kept between functions in an array: doubles that cross calls are boxed. */
const state = new Float64Array(10);
const FACTOR = 0;
const VALUE = 1; // a determinant
const BOUND = 2; // the sum of its terms' sizes
const WEIGHT_P = 3;
const BOUND_P = 4;
const LENGTH2 = 5;
const POLYGON = 6; // vertices of `polygon`; 0 where the two do not lie in one plane
const AXIS = 7; // the coordinate that can be dropped there

/**
 * Pairs of doubles, the second below half a unit in the last place of the first: two places each.
 */
const pair = new Float64Array(34);
const NORMAL_A = 0; // n of each triangle, three pairs
const NORMAL_B = 6;
const U = 12; // three pairs each
const V = 18;
const TERM = 24;
const OTHER = 26;
const SUM = 28;
/** Per triangle and axis the sum of the two |terms| of n. */
const sizes = new Float64Array(6);

/**
 * Where two triangles meet that are known to meet (trianglesIntersectAt), nine numbers of `a` at
 * `i` and nine of `b` at `j`, in any frame, one unit. Triangles of no area are the segments or
 * points they are. Checks nothing: for triangles that are apart, or with coordinates that are not
 * finite, the answer means nothing. Allocates nothing but where exact arithmetic must decide a
 * sign.
 *
 * `out.from`, `out.to`: the ends of the common segment, within 4 * 2^-53 of the length of an edge
 * they lie on and half a unit in the last place of each coordinate of the exact ends, and so near
 * to both triangles; the same point twice where that is all they share. From `from` to `to` is the
 * way of n_a x n_b, so that segments of two surfaces line up into curves, head to tail; changing a
 * and b exchanges the ends. Triangles in one plane share a polygon: its two vertices that are
 * farthest apart, of equally far ones any. There, and for triangles of no area, the
 * lexicographically smaller comes first.
 *
 * `out.normal`: pushes a off b where both are faces of surfaces that are oriented outward
 * (counter-clockwise from outside): n_b - n_a, n_a and n_b the unit normals, made a unit vector.
 * Where they differ by less than 1e-6: n_b. Where one has no area (or less than 2^-80 of what its
 * edges' products cancel, or edges below 2^-900 of the greatest coordinate): n_b or -n_a, of the
 * other. Where both have none: a vector at right angles to the segment, (1, 0, 0) for a point.
 * Changing a and b turns the first and the third of these four round, exactly.
 *
 * `out.depth`: the greatest of normal.b less the least of normal.a, at least 0, within 16 * 2^-53
 * S, no more than the greatest double. Moved by depth * normal, a touches b's outermost extent
 * along the normal; moved farther, it no longer meets b. Less may be enough, and far less beside a
 * triangle that is much larger: the two may be parted by another direction before.
 *
 * `out.common`: the whole set in place of its longest segment, of triangles in one plane, each
 * vertex of it as exact as the ends are; and what tells edges that touch from edges that cross.
 *
 * @example contactSegment(t, 0, t, 9, out) // t a Float64Array of two triangles for which trianglesIntersectAt(t, 0, t, 9)
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
    out.count = orderOutline(corners, countA, countB, state[AXIS], polygon, origins, state[POLYGON], vertices);
    if (out.count > 2) return;
  }
  out.vertices.set(ends);
  out.count = ends[0] === ends[3] && ends[1] === ends[4] && ends[2] === ends[5] ? 1 : 2;
}

/** Two vertices in the plane: on which side the third lies. All three: 2. Else 0. */
function edgeSide(first: number): number {
  const inPlane = Number(sides[first] === 0) + Number(sides[first + 1] === 0) + Number(sides[first + 2] === 0);
  if (inPlane === 3) return 2;
  return inPlane === 2 ? sides[first] + sides[first + 1] + sides[first + 2] : 0;
}

/**
 * A coordinate that can be dropped so that the triangle keeps an area, preferably the most; -1: it
 * has none.
 */
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

/**
 * Three collinear vertices become the lexicographically first and last, and the first again; 1
 * where they are one point, else 2.
 */
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
  // Four steps reach from the least and the greatest double, and 2^960 and its reciprocal are
  // doubles.
  for (let step = 0; step < 4 && largest * factor > 2 ** 128; step++) factor *= 2 ** -240;
  for (let step = 0; step < 4 && largest * factor < 2 ** -128; step++) factor *= 2 ** 240;
  for (let k = 0; k < 18; k++) scaled[k] = corners[k] * factor;
  state[FACTOR] = factor;
}

/**
 * Leaves n of the triangle at t in pairs, and the unit normal; false where the area is too small to
 * have a direction.
 */
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

/**
 * Multiplies tiny edges by a power of two, as only the direction of n and quotients of heights
 * count.
 */
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

/** One vertex is all. */
function both(vertex: number): void {
  for (let axis = 0; axis < 3; axis++) ends[axis] = ends[3 + axis] = corners[vertex + axis];
}

function sideOf(p: number, t: number): number {
  return orient3d(corners, p, corners, t + 3, corners, t + 6, corners, t);
}

/** Two triangles with area. */
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
  // With p2 below plane 1 triangle 1 is turned over, and the other way round.
  const p1 = 3 * apexA;
  const q1 = 3 * ((apexA + (isBelowB ? 2 : 1)) % 3);
  const r1 = 3 * ((apexA + (isBelowB ? 1 : 2)) % 3);
  const p2 = B + 3 * apexB;
  const q2 = B + 3 * ((apexB + (isBelowA ? 2 : 1)) % 3);
  const r2 = B + 3 * ((apexB + (isBelowA ? 1 : 2)) % 3);
  // One common point, whether or not it is an end of both intervals, must come out as one.
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

/**
 * The vertex, 0 to 2, whose two edges cross or touch the plane in one point each and do not lie in
 * it; `first` is 0 or 3.
 */
function apexOf(first: number): number {
  for (let k = 0; k < 2; k++) {
    const p = sides[first + k];
    const q = sides[first + ((k + 1) % 3)];
    const r = sides[first + ((k + 2) % 3)];
    if (p !== 0 ? p * q <= 0 && p * r <= 0 : q * r > 0) return k;
  }
  return 2;
}

/** Whether the apex, on its open side or in the plane, lies below the other two. */
function isBelow(apex: number, first: number): boolean {
  const side = sides[first + apex];
  return side < 0 || (side === 0 && sides[first + ((apex + 1) % 3)] > 0);
}

/**
 * Which of two edges' crossings comes later along D: 1 the first edge's, -1 the second's, 0 they
 * are one point.
 */
function order(p1: number, q1: number, p2: number, q2: number): number {
  return orient3d(corners, p1, corners, q1, corners, p2, corners, q2);
}

/** A point in which an edge of a and one of b meet: a vertex if it is one. */
function sharedEnd(p1: number, q1: number, p2: number, q2: number, at: number): void {
  const isVertexOfA = sides[p1 / 3] === 0 || sides[q1 / 3] === 0;
  const isVertexOfB = sides[p2 / 3] === 0 || sides[q2 / 3] === 0;
  if (isVertexOfB && !isVertexOfA) crossing(p2, q2, A, ends, at);
  else crossing(p1, q1, B, ends, at);
}

/**
 * Where the edge pq crosses the plane of the triangle at t, known to be in the triangle, into `to`
 * at `at`.
 */
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

/** n . (x - t0) into state. */
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

/**
 * Whether two determinants, sizes state[WEIGHT_P] and state[VALUE], give their part of the sum
 * within 2^-53.
 */
function isExactEnough(): boolean {
  const error = PAIR_ERROR * Math.max(state[BOUND], state[BOUND_P]) + TINY;
  return error <= ENOUGH * (state[WEIGHT_P] + state[VALUE]);
}

/** The point that divides the edge pq as state[WEIGHT_P] to state[VALUE]. */
function between(p: number, q: number, to: Float64Array, at: number): void {
  const weightP = Math.max(0, state[WEIGHT_P]);
  const weightQ = Math.max(0, state[VALUE]);
  const isNearP = weightP <= weightQ;
  const start = isNearP ? p : q;
  const stop = isNearP ? q : p;
  const along = (isNearP ? weightP : weightQ) / (weightP + weightQ);
  // Through a sixteenth where differences could overflow.
  const part = state[FACTOR] < 1 ? 1 / 16 : 1;
  for (let k = 0; k < 3; k++) {
    const here = corners[start + k] * part;
    const there = corners[stop + k] * part;
    to[at + k] = (here + along * (there - here)) / part;
  }
}

/** Two determinants of different sign as weights whose sum is 1, each within 2^-64. */
function divideExactly(atP: bigint, atQ: bigint): void {
  state[WEIGHT_P] = Number((atP << 64n) / (atP - atQ)) * 2 ** -64;
  state[VALUE] = Number((-atQ << 64n) / (atP - atQ)) * 2 ** -64;
}

const integers: bigint[] = new Array(18).fill(0n);

/** The coordinates as integers of one unit, of fewer bits where they are of ordinary size. */
function makeIntegers(): void {
  let isOrdinary = true;
  for (let k = 0; k < 18; k++) isOrdinary &&= Number.isInteger(corners[k] * 2 ** 100);
  for (let k = 0; k < 18; k++) integers[k] = isOrdinary ? BigInt(corners[k] * 2 ** 100) : toInteger(corners[k]);
}

/** The exact difference of two coordinates, in the unit of `integers`. */
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

/** The segment at s and a triangle with area at t. */
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

/** Two segments, each from its lexicographically smaller end. */
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

/**
 * Hulls of n and m points (2 or 3) of one plane that the projection along `axis` maps one to one.
 * The common polygon's vertices are vertices of one in the other and points where edges cross.
 */
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

/** Whether the hull of n points at t holds the vertex p of its plane. */
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

/** Where the edges pq and rs cross; p lies on the side `sideP` of rs. */
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

/** (s-r) x (p-r), without the coordinate `axis`, into state. */
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

/** The two of `polygon` that are farthest apart, the lexicographically smaller first. */
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

/**
 * A unit vector at right angles to the segment: its product with the axis along which it reaches
 * least.
 */
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

/** The exact difference of two scaled coordinates: the rounded one and its error (D. E. Knuth). */
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
