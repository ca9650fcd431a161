/**
 * The distance of two convex hulls of points, bracketed with proof, and an exact test whether they
 * share a point.
 *
 * E. G. Gilbert, D. W. Johnson, S. S. Keerthi, "A Fast Procedure for Computing the Distance Between
 * Complex Objects in Three-Dimensional Space", IEEE Journal of Robotics and Automation 4(2), 1988:
 * a walk over simplices of differences a_i - b_j toward the origin. The nearest point of a simplex
 * follows M. Montanari, N. Petrinic, E. Barbieri, "Improving the GJK Algorithm for Faster and More
 * Reliable Distance Queries Between Convex Objects", ACM Transactions on Graphics 36(3), 2017:
 * signed volumes, and the faces that have the origin on their outer side. The walk ends as in G.
 * van den Bergen, "A Fast and Robust GJK Implementation for Collision Detection of Convex Objects",
 * Journal of Graphics Tools 4(2), 1999: at a support point already in the simplex, or without gain.
 *
 * Departures:
 * 1. The walk only proposes directions, weights and simplices, which are then proved, as below. A
 *   walk gone astray costs tightness or time, never truth.
 * 2. The direction is not the sum of weighted points, which near contact is all rounding. It is the
 *   normal of the nearest face, or the way to the nearest edge made perpendicular to it. Its angle
 *   is good to a few roundings however close the hulls are.
 * 3. Every step must come nearer, else the walk ends: it cannot cycle.
 * 4. The same walk in integers decides what doubles cannot, and brackets that stay wide, about one
 *   in 10^5 of nearly degenerate pairs.
 *
 * Letters: u = 2^-53. Coordinates are relative to c, the middle of where the bounds overlap (or of
 * the gap), times s, a power of two that is 1 unless the extent leaves 2^-100 .. 2^100:
 *   p = fl(s a - s c)
 * R = max |p| over a plus the same over b, an axis at a time.
 *
 * The proofs, all in the scaled frame:
 * - A local coordinate is within u |p| + 2^-1074 of s (a - c), the last for what scaling down
 *   underflows.
 * - Lower bound, any direction n: the computed n . p is within (u + 3u + O(u^2)) sum |n_k p_k| and
 *   underflow of the true one. So the gap, least n . a less greatest n . b, is within 5.1 u sum
 *   |n_k| R_k + 2^-970 of the true one. `ERROR` is 8 u, and 2^-900 is added. The gap less that,
 *   over |n|, is a lower bound. |n|^2 >= 2^-900 is required, so that its square root is within 4 u,
 *   and 1 - 8 u covers the four operations. Greater than zero, it proves the hulls disjoint.
 * - Upper bound: with weights w_i >= 0 and W their sum, sum w_i a_i / W and the same of b are
 *   points of the hulls. A difference d_i of local coordinates is within 2 u R of the true one, the
 *   sum of four products within 4 u W R more. 8 u W (R_x + R_y + R_z) covers the length of that.
 *   The root, the sums and the quotient take 1 + 16 u, the root of squares that underflowed 2^-500.
 * - Overlap: the origin lies in the simplex of the differences d_0 .. d_3 when the four
 *   determinants that are its weights agree in sign (zeros allowed, not all zero: their sum is the
 *   volume). Signs come from the filter of orient.ts, whose proof is about determinants of rounded
 *   differences, as here. If every difference is a double, they come from orient3d and orient2d,
 *   also for simplices of fewer points.
 * - Integers: all coordinates are integers over one power of two. The walk in BigInt finds the
 *   nearest point of a simplex by its optimality conditions, which are signs. A next support point
 *   is strictly nearer, so no simplex comes twice and the walk ends. It ends with the nearest
 *   point, or earlier with a direction of positive gap or the origin in a simplex. It is exact for
 *   any finite input and begins where the walk in doubles ended.
 *
 * Two axis-parallel boxes (cells, points) that touch are frequent; their bounds alone decide them.
 */

import { ERROR_3D, orient2d, orient3d, TINY } from './orient.ts';
import type { DistanceBracket } from './triangle-distance.ts';

const UNIT = 2 ** -53;
const ERROR = 8 * UNIT;
const LARGEST_EXTENT = 2 ** 100;
/** Smaller squared lengths have lost digits to underflow. */
const LEAST_SQUARE = 2 ** -900;
const SMALLEST_NORMAL = 2 ** -1022;
/** Widest good bracket: 40 u sum R (twice ERROR, 24 u of the distance). Wider ones use integers. */
const WIDE = 2 ** -47;
/** Squared relative error allowed in `consistent`. */
const FLAT = 2 ** -98;
/** A walk takes up to a dozen steps, even over hundreds of points. */
const MOST_STEPS = 64;

const boundsA = new Float64Array(6);
const boundsB = new Float64Array(6);
let localA = new Float64Array(24);
let localB = new Float64Array(24);
/** The local frame: c, the factors before and after the subtraction, then R. */
const frame = new Float64Array(8);
const BEFORE = 3;
const AFTER = 4;
const REACH = 5;

const simplex = new Float64Array(12);
const indexA = new Int32Array(4);
const indexB = new Int32Array(4);
/** The simplex's nearest point: weights, then x y z as (2) of the head says. */
const nearest = new Float64Array(7);
const bestWeights = new Float64Array(4);
const bestA = new Int32Array(4);
const bestB = new Int32Array(4);
/** Proved lower bound in the local frame, and the axes' greatest gap in the caller's units. */
const proved = new Float64Array(2);
let size = 0;

/**
 * Brackets the distance of the convex hulls of `countA` points of `a` and `countB` of `b`, with
 * proof for the doubles given: lower <= distance <= upper. Hulls that share a point get 0, 0. Else
 * the bracket is at most about 2^-44 of the hulls' common extent wide (2^-46 was the most ever
 * seen), and `lower` may be 0 for hulls that are so little apart.
 *
 * @param a x, y, z of each point from offset 0, in a frame and units that `b` shares. At least one
 *   point; any may be equal, collinear, coplanar. Not kept, not written. With a coordinate that is
 *   not finite the bracket is 0 to Infinity
 * @param out receives the bracket, and in onA, onB the nearest points, to rounding
 */
export function hullDistance(
  a: Float64Array,
  countA: number,
  b: Float64Array,
  countB: number,
  out: DistanceBracket,
): void {
  const apart = measure(a, countA, b, countB);
  out.lower = 0;
  if (!Number.isFinite(proved[1])) {
    out.upper = Infinity;
    out.onA.fill(NaN);
    out.onB.fill(NaN);
    return;
  }
  if (!apart && isBox(a, countA, boundsA) && isBox(b, countB, boundsB)) {
    out.upper = 0;
    for (let k = 0; k < 3; k++) out.onA[k] = out.onB[k] = frame[k];
    return;
  }
  toLocal(a, countA, b, countB);
  walk(countA, countB, false);
  let upper = witnesses(a, b, out);
  const open = !apart && proved[0] === 0;
  let meet = open && simplexHoldsOrigin(a, b);
  if (!meet && (open || upper - proved[0] > WIDE * (frame[REACH] + frame[REACH + 1] + frame[REACH + 2]))) {
    meet = meetInIntegers(a, countA, b, countB, false);
    if (!meet) upper = witnesses(a, b, out);
  }
  if (meet) {
    out.upper = 0;
    return;
  }
  const back = 1 / (frame[BEFORE] * frame[AFTER]);
  out.lower = Math.max(roundedDown(proved[0] * back), apart ? proved[1] * (1 - 2 * UNIT) : 0);
  out.upper = Math.max(out.lower, roundedUp(upper * back));
}

/**
 * Decides if the closed convex hulls of `countA` points of `a` and `countB` of `b` share a point;
 * touching counts. Exact for finite coordinates; `unsure` only if one is not finite. Allocates only
 * if doubles cannot decide, which takes tens of microseconds.
 *
 * @param a x, y, z of each point from offset 0, in a frame that `b` shares. At least one point; any
 *   may be equal, collinear, coplanar. Not kept, not written
 */
export function hullsOverlap(
  a: Float64Array,
  countA: number,
  b: Float64Array,
  countB: number,
): 'overlap' | 'disjoint' | 'unsure' {
  const apart = measure(a, countA, b, countB);
  if (!Number.isFinite(proved[1])) return 'unsure';
  if (apart) return 'disjoint';
  if (isBox(a, countA, boundsA) && isBox(b, countB, boundsB)) return 'overlap';
  toLocal(a, countA, b, countB);
  if (walk(countA, countB, true)) return 'disjoint';
  return simplexHoldsOrigin(a, b) || meetInIntegers(a, countA, b, countB, true) ? 'overlap' : 'disjoint';
}

/** Makes bounds and frame; true if an axis separates them. proved[1] is NaN if not finite. */
function measure(a: Float64Array, countA: number, b: Float64Array, countB: number): boolean {
  const zero = boundsOf(a, countA, boundsA) + boundsOf(b, countB, boundsB);
  let gap = -Infinity;
  let extent = 0;
  for (let k = 0; k < 3; k++) {
    const lowA = boundsA[k];
    const lowB = boundsB[k];
    const highA = boundsA[k + 3];
    const highB = boundsB[k + 3];
    const low = lowA > lowB ? lowA : lowB;
    const high = highA < highB ? highA : highB;
    const wide = (highA > highB ? highA : highB) - (lowA < lowB ? lowA : lowB);
    frame[k] = 0.5 * low + 0.5 * high;
    if (low - high > gap) gap = low - high;
    if (wide > extent) extent = wide;
  }
  // Differences of finite doubles may overflow.
  if (gap > Number.MAX_VALUE) gap = Number.MAX_VALUE;
  if (extent > Number.MAX_VALUE) extent = Number.MAX_VALUE;
  proved[0] = 0;
  proved[1] = zero === 0 && countA > 0 && countB > 0 ? gap : NaN;
  let before = 1;
  let after = 1;
  while (extent * before > LARGEST_EXTENT) before /= LARGEST_EXTENT;
  if (extent > 0) while (extent * after < 1 / LARGEST_EXTENT) after *= LARGEST_EXTENT;
  frame[BEFORE] = before;
  frame[AFTER] = after;
  return gap > 0;
}

/** Returns 0, or NaN if a coordinate is not finite. */
function boundsOf(a: Float64Array, count: number, bounds: Float64Array): number {
  let x0 = Infinity;
  let y0 = Infinity;
  let z0 = Infinity;
  let x1 = -Infinity;
  let y1 = -Infinity;
  let z1 = -Infinity;
  let zero = 0;
  for (let i = 0; i < 3 * count; i += 3) {
    const x = a[i];
    const y = a[i + 1];
    const z = a[i + 2];
    zero += 0 * x + 0 * y + 0 * z;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
    if (z < z0) z0 = z;
    if (z > z1) z1 = z;
  }
  bounds[0] = x0;
  bounds[1] = y0;
  bounds[2] = z0;
  bounds[3] = x1;
  bounds[4] = y1;
  bounds[5] = z1;
  return zero;
}

/** True if the hull is its bounds, perhaps flat or a point, with every corner among the points. */
function isBox(a: Float64Array, count: number, bounds: Float64Array): boolean {
  const flatX = bounds[0] === bounds[3];
  const flatY = bounds[1] === bounds[4];
  const flatZ = bounds[2] === bounds[5];
  if (count < (flatX ? 1 : 2) * (flatY ? 1 : 2) * (flatZ ? 1 : 2)) return false;
  // A bit for each corner; if the box is flat both corners are one.
  let corners = 0;
  for (let i = 0; i < 3 * count; i += 3) {
    const onX = (a[i] === bounds[0] ? 0x55 : 0) | (a[i] === bounds[3] ? 0xaa : 0);
    const onY = (a[i + 1] === bounds[1] ? 0x33 : 0) | (a[i + 1] === bounds[4] ? 0xcc : 0);
    const onZ = (a[i + 2] === bounds[2] ? 0x0f : 0) | (a[i + 2] === bounds[5] ? 0xf0 : 0);
    corners |= onX & onY & onZ;
  }
  return corners === 0xff;
}

function toLocal(a: Float64Array, countA: number, b: Float64Array, countB: number): void {
  if (localA.length < 3 * countA) localA = new Float64Array(6 * countA);
  if (localB.length < 3 * countB) localB = new Float64Array(6 * countB);
  const before = frame[BEFORE];
  const after = frame[AFTER];
  moveToLocal(a, countA, localA);
  moveToLocal(b, countB, localB);
  // Rounding is monotone: the bounds' images are the images' bounds.
  for (let k = 0; k < 3; k++) {
    const c = frame[k] * before;
    const reachA = Math.max(boundsA[k + 3] * before - c, c - boundsA[k] * before);
    const reachB = Math.max(boundsB[k + 3] * before - c, c - boundsB[k] * before);
    frame[REACH + k] = (reachA + reachB) * after;
  }
}

function moveToLocal(from: Float64Array, count: number, to: Float64Array): void {
  const before = frame[BEFORE];
  const after = frame[AFTER];
  const x = frame[0] * before;
  const y = frame[1] * before;
  const z = frame[2] * before;
  for (let i = 0; i < 3 * count; i += 3) {
    to[i] = (from[i] * before - x) * after;
    to[i + 1] = (from[i + 1] * before - y) * after;
    to[i + 2] = (from[i + 2] * before - z) * after;
  }
}

/** Leaves the last simplex, the best pair and bound; true if disjoint and that is enough. */
function walk(countA: number, countB: number, separationIsEnough: boolean): boolean {
  const p = localA;
  const q = localB;
  const toScale = frame[BEFORE] * frame[AFTER];
  let x = middle(0) * toScale;
  let y = middle(1) * toScale;
  let z = middle(2) * toScale;
  let square = x * x + y * y + z * z;
  if (!(square >= LEAST_SQUARE)) {
    x = 1;
    y = z = 0;
    square = 1;
  }
  size = 0;
  let best = Infinity;
  for (let step = 0; step < MOST_STEPS; step++) {
    const i = lowest(p, countA, x, y, z);
    const j = lowest(q, countB, -x, -y, -z);
    const gap = gapAt(i, j, x, y, z);
    const error = errorAlong(x, y, z);
    if (gap > error) {
      if (separationIsEnough) return true;
      proveLower(gap - error, square);
    }
    // The support point is no nearer than the simplex, or belongs to it.
    if (step > 0 && square - gap <= 2 * UNIT * square) return false;
    for (let k = 0; k < size; k++) if (indexA[k] === i && indexB[k] === j) return false;

    const at = 3 * size;
    indexA[size] = i;
    indexB[size] = j;
    simplex[at] = p[i] - q[j];
    simplex[at + 1] = p[i + 1] - q[j + 1];
    simplex[at + 2] = p[i + 2] - q[j + 2];
    size++;
    square = nearestOfSimplex(false);
    if (!(square < best) && size === 4) square = nearestOfSimplex(true);
    if (!(square < best)) return false;
    best = square;
    reduce();
    if (size === 4 || square < LEAST_SQUARE) return false;
    x = nearest[4];
    y = nearest[5];
    z = nearest[6];
  }
  return false;
}

function lowest(points: Float64Array, count: number, x: number, y: number, z: number): number {
  let low = Infinity;
  let lowestAt = 0;
  for (let at = 0; at < 3 * count; at += 3) {
    const along = x * points[at] + y * points[at + 1] + z * points[at + 2];
    if (along < low) {
      low = along;
      lowestAt = at;
    }
  }
  return lowestAt;
}

function gapAt(i: number, j: number, x: number, y: number, z: number): number {
  const low = x * localA[i] + y * localA[i + 1] + z * localA[i + 2];
  const high = x * localB[j] + y * localB[j + 1] + z * localB[j + 2];
  return low - high;
}

function errorAlong(x: number, y: number, z: number): number {
  const sum = Math.abs(x) * frame[REACH] + Math.abs(y) * frame[REACH + 1] + Math.abs(z) * frame[REACH + 2];
  return ERROR * sum + TINY;
}

function proveLower(gap: number, square: number): void {
  const lower = (gap / Math.sqrt(square)) * (1 - 8 * UNIT);
  if (lower > proved[0]) proved[0] = lower;
}

/** Half the way from the center of b's bounds to that of a's. */
function middle(k: number): number {
  return 0.25 * boundsA[k] - 0.25 * boundsB[k] + (0.25 * boundsA[k + 3] - 0.25 * boundsB[k + 3]);
}

function reduce(): void {
  let kept = 0;
  for (let k = 0; k < size; k++) {
    if (nearest[k] === 0) continue;
    indexA[kept] = indexA[k];
    indexB[kept] = indexB[k];
    bestA[kept] = indexA[k];
    bestB[kept] = indexB[k];
    bestWeights[kept] = nearest[k];
    simplex[3 * kept] = simplex[3 * k];
    simplex[3 * kept + 1] = simplex[3 * k + 1];
    simplex[3 * kept + 2] = simplex[3 * k + 2];
    kept++;
  }
  for (let k = kept; k < 4; k++) {
    bestWeights[k] = 0;
    bestA[k] = 0;
    bestB[k] = 0;
  }
  size = kept;
}

function nearestOfSimplex(everyFace: boolean): number {
  if (size === 1) {
    nearest[0] = 1;
    nearest[1] = nearest[2] = nearest[3] = 0;
    const x = (nearest[4] = simplex[0]);
    const y = (nearest[5] = simplex[1]);
    const z = (nearest[6] = simplex[2]);
    return x * x + y * y + z * z;
  }
  if (size === 2) return onSegment(0, 1, Infinity);
  if (size === 3) return onTriangle(0, 1, 2, Infinity);
  return onTetrahedron(everyFace);
}

/** Writes the segment's nearest point to `nearest` if nearer than `best`; returns the lesser. */
function onSegment(i: number, j: number, best: number): number {
  const px = simplex[3 * i];
  const py = simplex[3 * i + 1];
  const pz = simplex[3 * i + 2];
  const tx = simplex[3 * j] - px;
  const ty = simplex[3 * j + 1] - py;
  const tz = simplex[3 * j + 2] - pz;
  const tt = tx * tx + ty * ty + tz * tz;
  const s = tt > 0 ? Math.min(1, Math.max(0, -(px * tx + py * ty + pz * tz) / tt)) : 0;
  let x = px + s * tx;
  let y = py + s * ty;
  let z = pz + s * tz;
  if (s > 0 && s < 1) {
    const rest = (x * tx + y * ty + z * tz) / tt;
    x -= rest * tx;
    y -= rest * ty;
    z -= rest * tz;
  } else if (s === 1) {
    x = simplex[3 * j];
    y = simplex[3 * j + 1];
    z = simplex[3 * j + 2];
  }
  const square = x * x + y * y + z * z;
  if (!(square < best)) return best;
  nearest[0] = nearest[1] = nearest[2] = nearest[3] = 0;
  nearest[i] = 1 - s;
  nearest[j] = s;
  nearest[4] = x;
  nearest[5] = y;
  nearest[6] = z;
  return square;
}

function onTriangle(i: number, j: number, k: number, best: number): number {
  const px = simplex[3 * i];
  const py = simplex[3 * i + 1];
  const pz = simplex[3 * i + 2];
  const ex = simplex[3 * j] - px;
  const ey = simplex[3 * j + 1] - py;
  const ez = simplex[3 * j + 2] - pz;
  const fx = simplex[3 * k] - px;
  const fy = simplex[3 * k + 1] - py;
  const fz = simplex[3 * k + 2] - pz;
  const nx = ey * fz - ez * fy;
  const ny = ez * fx - ex * fz;
  const nz = ex * fy - ey * fx;
  const nn = nx * nx + ny * ny + nz * nz;
  const height = (nx * px + ny * py + nz * pz) / nn;
  // The origin's foot from p; along e and f by Cramer's rule: areas, seen along the normal.
  const ox = height * nx - px;
  const oy = height * ny - py;
  const oz = height * nz - pz;
  const wj = (nx * (oy * fz - oz * fy) + ny * (oz * fx - ox * fz) + nz * (ox * fy - oy * fx)) / nn;
  const wk = (nx * (ey * oz - ez * oy) + ny * (ez * ox - ex * oz) + nz * (ex * oy - ey * ox)) / nn;
  const wi = 1 - wj - wk;
  let every = false;
  if (wi > 0 && wj > 0 && wk > 0) {
    const x = height * nx;
    const y = height * ny;
    const z = height * nz;
    const square = x * x + y * y + z * z;
    if (square >= best) return best;
    if (consistent(px + wj * ex + wk * fx - x, py + wj * ey + wk * fy - y, pz + wj * ez + wk * fz - z)) {
      nearest[0] = nearest[1] = nearest[2] = nearest[3] = 0;
      nearest[i] = wi;
      nearest[j] = wj;
      nearest[k] = wk;
      nearest[4] = x;
      nearest[5] = y;
      nearest[6] = z;
      return square;
    }
    every = true;
  }
  // NaN, of a triangle without area, tries every edge.
  let least = best;
  if (every || !(wi > 0)) least = onSegment(j, k, least);
  if (every || !(wj > 0)) least = onSegment(i, k, least);
  if (every || !(wk > 0)) least = onSegment(i, j, least);
  return least;
}

/** True if the weights make the point that they should, unlike rounded areas of a flat simplex. */
function consistent(x: number, y: number, z: number): boolean {
  const reach = frame[REACH] + frame[REACH + 1] + frame[REACH + 2];
  return x * x + y * y + z * z <= FLAT * (reach * reach);
}

/** Returns 0 if the volumes have the origin inside; looks at the faces alone if `everyFace`. */
function onTetrahedron(everyFace: boolean): number {
  const s = simplex;
  // 0 x 1 and 2 x 3.
  const ux = s[1] * s[5] - s[2] * s[4];
  const uy = s[2] * s[3] - s[0] * s[5];
  const uz = s[0] * s[4] - s[1] * s[3];
  const vx = s[7] * s[11] - s[8] * s[10];
  const vy = s[8] * s[9] - s[6] * s[11];
  const vz = s[6] * s[10] - s[7] * s[9];
  const v0 = s[3] * vx + s[4] * vy + s[5] * vz;
  const v1 = -(s[0] * vx + s[1] * vy + s[2] * vz);
  const v2 = s[9] * ux + s[10] * uy + s[11] * uz;
  const v3 = -(s[6] * ux + s[7] * uy + s[8] * uz);
  const volume = v0 + v1 + v2 + v3;
  const w0 = v0 / volume;
  const w1 = v1 / volume;
  const w2 = v2 / volume;
  const w3 = v3 / volume;
  let every = everyFace;
  if (!every && w0 > 0 && w1 > 0 && w2 > 0 && w3 > 0) {
    const x = w0 * s[0] + w1 * s[3] + w2 * s[6] + w3 * s[9];
    const y = w0 * s[1] + w1 * s[4] + w2 * s[7] + w3 * s[10];
    const z = w0 * s[2] + w1 * s[5] + w2 * s[8] + w3 * s[11];
    if (consistent(x, y, z)) {
      nearest[0] = w0;
      nearest[1] = w1;
      nearest[2] = w2;
      nearest[3] = w3;
      nearest[4] = nearest[5] = nearest[6] = 0;
      return 0;
    }
    every = true;
  }
  let least = Infinity;
  if (every || !(w0 > 0)) least = onTriangle(1, 2, 3, least);
  if (every || !(w1 > 0)) least = onTriangle(0, 2, 3, least);
  if (every || !(w2 > 0)) least = onTriangle(0, 1, 3, least);
  if (every || !(w3 > 0)) least = onTriangle(0, 1, 2, least);
  return least;
}

/** Writes the best pair of points to `out`. Returns the proved upper bound, in the local frame. */
function witnesses(a: Float64Array, b: Float64Array, out: DistanceBracket): number {
  let x = 0;
  let y = 0;
  let z = 0;
  let sum = 0;
  out.onA.fill(0);
  out.onB.fill(0);
  for (let k = 0; k < 4; k++) {
    const w = bestWeights[k];
    if (w === 0) continue;
    const i = bestA[k];
    const j = bestB[k];
    x += w * (localA[i] - localB[j]);
    y += w * (localA[i + 1] - localB[j + 1]);
    z += w * (localA[i + 2] - localB[j + 2]);
    sum += w;
    for (let n = 0; n < 3; n++) {
      out.onA[n] += w * a[i + n];
      out.onB[n] += w * b[j + n];
    }
  }
  const rounding = ERROR * sum * (frame[REACH] + frame[REACH + 1] + frame[REACH + 2]);
  return ((Math.sqrt(x * x + y * y + z * z) + rounding) / sum) * (1 + 16 * UNIT) + 2 ** -500;
}

function roundedDown(x: number): number {
  if (x < SMALLEST_NORMAL) return Math.max(0, x - Number.MIN_VALUE);
  return Math.min(x, Number.MAX_VALUE);
}

function roundedUp(x: number): number {
  return x < SMALLEST_NORMAL ? x + Number.MIN_VALUE : x;
}

const differences = new Float64Array(12);
const ORIGIN = new Float64Array(3);

function simplexHoldsOrigin(a: Float64Array, b: Float64Array): boolean {
  const d = differences;
  let exact = true;
  for (let k = 0; k < size; k++) {
    const i = indexA[k];
    const j = indexB[k];
    if (a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2]) return true;
    for (let n = 0; n < 3; n++) {
      // The difference's error: D. E. Knuth, "The Art of Computer Programming" 2, 4.2.2, theorem B.
      const difference = a[i + n] - b[j + n];
      const minus = a[i + n] - difference;
      exact &&= a[i + n] - (difference + minus) + (minus - b[j + n]) === 0;
      d[3 * k + n] = difference;
    }
  }
  if (size === 4) {
    const s0 = side(1, 2, 3, exact);
    const s1 = -side(0, 2, 3, exact);
    const s2 = side(0, 1, 3, exact);
    const s3 = -side(0, 1, 2, exact);
    // NaN, an unknown sign, fails both.
    return (
      (s0 >= 0 && s1 >= 0 && s2 >= 0 && s3 >= 0 && s0 + s1 + s2 + s3 > 0) ||
      (s0 <= 0 && s1 <= 0 && s2 <= 0 && s3 <= 0 && s0 + s1 + s2 + s3 < 0)
    );
  }
  if (!exact) return false;
  if (size === 3) {
    if (side(0, 1, 2, true) !== 0) return false;
    // In the plane: on no outer side of an edge, seen along any axis that shows an area.
    for (let axis = 0; axis < 3; axis++) {
      const s0 = orient2d(d, 3, d, 6, ORIGIN, 0, axis);
      const s1 = orient2d(d, 6, d, 0, ORIGIN, 0, axis);
      const s2 = orient2d(d, 0, d, 3, ORIGIN, 0, axis);
      if (s0 === 0 && s1 === 0 && s2 === 0) continue;
      return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
    }
    return false;
  }
  if (size !== 2) return false;
  for (let axis = 0; axis < 3; axis++) {
    if (orient2d(d, 0, d, 3, ORIGIN, 0, axis) !== 0) return false;
    if ((d[axis] > 0 && d[3 + axis] > 0) || (d[axis] < 0 && d[3 + axis] < 0)) return false;
  }
  return true;
}

/** The sign of the determinant of three true differences; NaN if unknown. */
function side(i: number, j: number, k: number, exact: boolean): number {
  const d = differences;
  const ax = d[3 * i];
  const ay = d[3 * i + 1];
  const az = d[3 * i + 2];
  const bx = d[3 * j];
  const by = d[3 * j + 1];
  const bz = d[3 * j + 2];
  const cx = d[3 * k];
  const cy = d[3 * k + 1];
  const cz = d[3 * k + 2];
  const yz = by * cz;
  const zy = bz * cy;
  const zx = bz * cx;
  const xz = bx * cz;
  const xy = bx * cy;
  const yx = by * cx;
  const det = (yz - zy) * ax + (zx - xz) * ay + (xy - yx) * az;
  const error =
    ERROR_3D *
      ((Math.abs(yz) + Math.abs(zy) + TINY) * Math.abs(ax) +
        (Math.abs(zx) + Math.abs(xz) + TINY) * Math.abs(ay) +
        (Math.abs(xy) + Math.abs(yx) + TINY) * Math.abs(az)) +
    TINY;
  if (det > error) return 1;
  if (det < -error) return -1;
  return exact ? orient3d(d, 3 * i, d, 3 * j, d, 3 * k, ORIGIN, 0) : NaN;
}

type Vector = readonly [bigint, bigint, bigint];

interface Corner {
  point: Vector;
  i: number;
  j: number;
}

/** Part of a simplex, direction of its nearest point from the origin, that point's weights. */
interface Face {
  corners: Corner[];
  direction: Vector;
  weights: bigint[];
}

/** Continues in integers. True if the hulls meet; else leaves results as `walk` does. */
function meetInIntegers(
  a: Float64Array,
  countA: number,
  b: Float64Array,
  countB: number,
  separationIsEnough: boolean,
): boolean {
  const exponent = Math.min(lowestExponent(a, countA), lowestExponent(b, countB));
  const pointsA = integerPoints(a, countA, exponent);
  const pointsB = integerPoints(b, countB, exponent);
  const cornerOf = (i: number, j: number): Corner => ({ point: minus(pointsA[i], pointsB[j]), i, j });
  let corners: Corner[] = [];
  for (let k = 0; k < size; k++) corners.push(cornerOf(indexA[k] / 3, indexB[k] / 3));
  for (;;) {
    const face = nearestFace(corners);
    if (face === undefined) return true;
    const i = lowestInteger(pointsA, face.direction);
    const j = lowestInteger(pointsB, minus([0n, 0n, 0n], face.direction));
    const next = cornerOf(i, j);
    const gap = dot(face.direction, next.point);
    if (gap > 0n && separationIsEnough) return false;
    if (gap >= dot(face.direction, face.corners[0].point)) {
      takeOver(face, countA, countB);
      return false;
    }
    corners = [...face.corners, next];
  }
}

function lowestInteger(points: Vector[], direction: Vector): number {
  let lowestAt = 0;
  let low = dot(direction, points[0]);
  for (let k = 1; k < points.length; k++) {
    const along = dot(direction, points[k]);
    if (along >= low) continue;
    low = along;
    lowestAt = k;
  }
  return lowestAt;
}

/** Rounds a face's result: any weights make points of the hulls, any direction a bound. */
function takeOver(face: Face, countA: number, countB: number): void {
  const sum = face.weights.reduce((s, w) => s + w, 0n);
  for (let k = 0; k < 4; k++) {
    const corner = face.corners[k];
    bestWeights[k] = corner === undefined ? 0 : Number((face.weights[k] << 60n) / sum) * 2 ** -60;
    bestA[k] = corner === undefined ? 0 : 3 * corner.i;
    bestB[k] = corner === undefined ? 0 : 3 * corner.j;
  }
  const longest = Math.max(...face.direction.map((x) => x.toString(16).length));
  const shift = BigInt(4 * Math.max(0, longest - 20));
  const [x, y, z] = face.direction.map((component) => Number(component >> shift));
  const gap = gapAt(lowest(localA, countA, x, y, z), lowest(localB, countB, -x, -y, -z), x, y, z);
  const error = errorAlong(x, y, z);
  if (gap > error) proveLower(gap - error, x * x + y * y + z * z);
}

/** Bits of the points in each face of a simplex of four, large faces first. */
const FACES = [0b0111, 0b1011, 0b1101, 0b1110, 0b0011, 0b0101, 0b0110, 0b1001, 0b1010, 0b1100, 1, 2, 4, 8];

/**
 * The face nearest to the origin, or undefined if that is inside. One always exists: the least face
 * that holds the nearest point is independent, and holds the origin's foot on its own plane or
 * line.
 */
function nearestFace(simplexCorners: Corner[]): Face | undefined {
  if (simplexCorners.length === 4) {
    const [p, q, r, s] = simplexCorners.map((corner) => corner.point);
    const pq = cross(p, q);
    const rs = cross(r, s);
    const volumes = [dot(q, rs), -dot(p, rs), dot(s, pq), -dot(r, pq)];
    const positive = volumes.some((v) => v > 0n);
    const negative = volumes.some((v) => v < 0n);
    if (positive !== negative) return undefined;
  }
  for (const mask of FACES) {
    if (mask >> simplexCorners.length !== 0) continue;
    const face = faceOf(simplexCorners.filter((_, k) => (mask >> k) & 1));
    if (face === undefined) continue;
    const { direction } = face;
    if (direction.every((x) => x === 0n)) return undefined;
    // Optimal: no point of the simplex lies before the plane through the nearest one.
    const level = dot(direction, face.corners[0].point);
    if (simplexCorners.every((corner) => dot(direction, corner.point) >= level)) return face;
  }
  throw new Error('a simplex without a nearest point');
}

/** The face for the origin's foot; undefined if that is outside, or corners are dependent. */
function faceOf(corners: Corner[]): Face | undefined {
  const p = corners[0].point;
  if (corners.length === 1) return { corners, direction: p, weights: [1n] };
  const q = corners[1].point;
  const t = minus(q, p);
  if (corners.length === 2) {
    const weights = [dot(q, t), -dot(p, t)];
    const [wp, wq] = weights;
    if (wp < 0n || wq < 0n || (wp === 0n && wq === 0n)) return undefined;
    return { corners, weights, direction: [wp * p[0] + wq * q[0], wp * p[1] + wq * q[1], wp * p[2] + wq * q[2]] };
  }
  const r = corners[2].point;
  const n = cross(t, minus(r, p));
  if (n.every((x) => x === 0n)) return undefined;
  const weights = [dot(n, cross(q, r)), dot(n, cross(r, p)), dot(n, cross(p, q))];
  if (weights.some((w) => w < 0n)) return undefined;
  const height = dot(n, p);
  const sign = height > 0n ? 1n : height < 0n ? -1n : 0n;
  return { corners, weights, direction: [sign * n[0], sign * n[1], sign * n[2]] };
}

function dot(p: Vector, q: Vector): bigint {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

function minus(p: Vector, q: Vector): Vector {
  return [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
}

function cross(p: Vector, q: Vector): Vector {
  return [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
}

const double = new Float64Array(1);
const bits = new BigUint64Array(double.buffer);

function lowestExponent(a: Float64Array, count: number): number {
  let lowest = 2047;
  for (let i = 0; i < 3 * count; i++) if (a[i] !== 0) lowest = Math.min(lowest, exponentOf(a[i]));
  return lowest;
}

/** Subnormal numbers share the exponent of the least normal ones. */
function exponentOf(x: number): number {
  double[0] = x;
  return Math.max(1, Number((bits[0] >> 52n) & 0x7ffn));
}

/**
 * Coordinates over the power of two that makes those of the exponent `lowest` integers of 53 bits.
 * Products of four stay short; those of math/numbers.ts, over 2^-1074, have thousands of bits.
 */
function integerPoints(a: Float64Array, count: number, lowest: number): Vector[] {
  const toInteger = (x: number): bigint => {
    if (x === 0) return 0n;
    const exponent = exponentOf(x);
    const fraction = bits[0] & 0xfffffffffffffn;
    const whole = Math.abs(x) < SMALLEST_NORMAL ? fraction : fraction | 0x10000000000000n;
    const shifted = whole << BigInt(exponent - lowest);
    return x < 0 ? -shifted : shifted;
  };
  return Array.from({ length: count }, (_, k) => [
    toInteger(a[3 * k]),
    toInteger(a[3 * k + 1]),
    toInteger(a[3 * k + 2]),
  ]);
}
