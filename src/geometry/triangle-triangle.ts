/**
 * An exact test whether two closed triangles share a point, degenerate triangles included.
 *
 * P. Guigue, O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation
 * Predicates", Journal of Graphics Tools 8(1), 2003: nothing is constructed, every decision is the
 * sign of a determinant of the input. Departures: the order of the two intervals on the common line
 * rests on the proof at `intervalsMeet`. It holds with vertices and edges in the other's plane, so
 * there is no list of special cases. Separating edges instead of the paper's decision tree decide
 * coplanar triangles. Triangles without area, which the paper excludes, are segments or points.
 *
 * Letters: n is the normal (t1-t0) x (t2-t0) of a triangle t; a side is the sign of n . (x - t0).
 *
 * Roads not taken, ns a call where the boxes are apart / only the triangles are / they meet:
 * - Testing the boxes first: 13 / 79 / 105 against 23 / 33 / 57 without. Traversals have tested
 *   bounds already, so boxes are looked at only where expansions would follow.
 * - One function for both planes, every coordinate loaded once: no gain.
 * - Predicates that take twelve numbers: see orient3d.
 * - The unit triangle (G. Zachmann, G. Knittel 2003; Raabe et al. 2006, section 5.2) as a first
 *   filter, its map kept while a triangle stays: 0.99 to 1.01 of the time over 14 sets of leaf
 *   pairs. With its plane alone 1.38, with plane and prisms 2.0, with maps that cost nothing 0.9.
 *   It decides all but degenerate pairs, but so do the filters here, from subtractions alone. A
 *   triangle stays for 1.1 to 2.6 pairs only, too few for the two cross products of a map.
 */
import { OptionError } from '../base/errors.ts';
import { ERROR_3D, orient2d, orient3d, TINY } from './orient.ts';

const first = new Float64Array(9);
const second = new Float64Array(9);

/**
 * Tests whether two closed triangles share at least one point; touching counts. Exact for any
 * finite coordinates, symmetric, and independent of the order of the vertices. Triangles without
 * area are segments or points.
 *
 * @param a x, y, z of three vertices: the first nine numbers count; not kept, not written
 * @param b the same, in the same frame
 * @throws OptionError if there are fewer than nine numbers or one of them is not finite
 * @example trianglesIntersect([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1, -1, 0, 1]) // true: they share a vertex
 */
export function trianglesIntersect(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  copyTriangle(a, 'a', first);
  copyTriangle(b, 'b', second);
  return trianglesIntersectAt(first, 0, second, 0);
}

function copyTriangle(from: ArrayLike<number>, name: string, to: Float64Array): void {
  const count = (from as ArrayLike<number> | null | undefined)?.length ?? 0;
  if (!(count >= 9)) throw new OptionError(`triangle ${name}: expected 9 coordinates, found ${count}`);
  for (let i = 0; i < 9; i++) {
    if (!Number.isFinite(from[i])) throw new OptionError(`triangle ${name}: coordinate ${i} is ${String(from[i])}`);
    to[i] = from[i]!;
  }
}

/** Sides of three vertices: 9 s0 + 3 s1 + s2; +-ALL is all on one open side, so apart. */
const ALL = 13;

/**
 * Per sides + ALL: the vertex p whose two edges cross or touch the plane in one point each and do
 * not lie in it. Plus 4 if p, on its open side or in the plane, lies below the other two.
 */
// biome-ignore format: three rows of nine
const APEX = Int8Array.of(
  0, 2, 2, 1, 4, 2, 1, 1, 4,
  0, 5, 2, 6, 0, 2, 6, 1, 4,
  0, 5, 5, 6, 0, 5, 6, 6, 0,
);
/** Per sides + ALL: 1 if there are vertices on both open sides. */
// biome-ignore format: three rows of nine
const STRADDLES = Int8Array.of(
  0, 0, 1, 0, 0, 1, 1, 1, 1,
  0, 0, 1, 0, 0, 0, 1, 0, 0,
  1, 1, 1, 1, 0, 0, 1, 0, 0,
);

const CYCLE = Int8Array.of(0, 3, 6, 0, 3);

/**
 * `trianglesIntersect` for hot loops: nine numbers of `a` at `ai` against nine of `b` at `bi`.
 * Checks nothing: coordinates must be finite. Allocates only if the filter cannot decide a sign.
 */
export function trianglesIntersectAt(a: Float64Array, ai: number, b: Float64Array, bi: number): boolean {
  const sidesA = sidesOf(a, ai, b, bi);
  if (sidesA === ALL || sidesA === -ALL) return false;
  if (sidesA === 0) return flatIntersect(a, ai, b, bi);
  const sidesB = sidesOf(b, bi, a, ai);
  if (sidesB === ALL || sidesB === -ALL) return false;
  if (sidesB === 0) return flatIntersect(a, ai, b, bi);
  return intervalsMeet(a, ai, APEX[sidesA + ALL]!, b, bi, APEX[sidesB + ALL]!);
}

/**
 * True if two triangles with area share a point within both, not only points of their rims. Exact
 * for any finite coordinates.
 *
 * In two planes such a point lies on their common line, within both triangles' intervals there. A
 * triangle has points within it on that line exactly if it has vertices strictly on both sides of
 * the other plane. They are all of its interval but the ends, which differ. The open intervals (j,
 * i) and (k, l) of `intervalsMeet` meet if k < i and j < l: its signs, strictly. In one plane no
 * edge may have the other triangle on its outer side or on its line.
 */
export function trianglesCrossAt(a: Float64Array, ai: number, b: Float64Array, bi: number): boolean {
  const sidesA = sidesOf(a, ai, b, bi);
  if (sidesA === 0) {
    const axis = projectionAxis(b, bi);
    return !edgeParts(a, ai, b, bi, axis) && !edgeParts(b, bi, a, ai, axis);
  }
  if (STRADDLES[sidesA + ALL] === 0) return false;
  const sidesB = sidesOf(b, bi, a, ai);
  if (STRADDLES[sidesB + ALL] === 0) return false;
  return intervalsMeet(a, ai, APEX[sidesA + ALL]!, b, bi, APEX[sidesB + ALL]!, 1);
}

function edgeParts(p: Float64Array, pi: number, q: Float64Array, qi: number, axis: number): boolean {
  const inside = orient2d(p, pi, p, pi + 3, p, pi + 6, axis);
  for (let k = 0; k < 3; k++) {
    const from = pi + CYCLE[k]!;
    const to = pi + CYCLE[k + 1]!;
    if (
      orient2d(p, from, p, to, q, qi, axis) !== inside &&
      orient2d(p, from, p, to, q, qi + 3, axis) !== inside &&
      orient2d(p, from, p, to, q, qi + 6, axis) !== inside
    ) {
      return true;
    }
  }
  return false;
}

/**
 * Sides of t's plane for p's vertices; 0: p in it, or t without area. ALL may also mean apart, as
 * it tests the boxes before exact arithmetic.
 */
function sidesOf(p: Float64Array, pi: number, t: Float64Array, ti: number): number {
  const tx = t[ti]!;
  const ty = t[ti + 1]!;
  const tz = t[ti + 2]!;
  const ux = t[ti + 3]! - tx;
  const uy = t[ti + 4]! - ty;
  const uz = t[ti + 5]! - tz;
  const vx = t[ti + 6]! - tx;
  const vy = t[ti + 7]! - ty;
  const vz = t[ti + 8]! - tz;
  const yz = uy * vz;
  const zy = uz * vy;
  const zx = uz * vx;
  const xz = ux * vz;
  const xy = ux * vy;
  const yx = uy * vx;
  const nx = yz - zy;
  const ny = zx - xz;
  const nz = xy - yx;
  // The filter of orient.ts; the cofactors and their bounds serve all three vertices.
  const ex = Math.abs(yz) + Math.abs(zy) + TINY;
  const ey = Math.abs(zx) + Math.abs(xz) + TINY;
  const ez = Math.abs(xy) + Math.abs(yx) + TINY;

  const ax = p[pi]! - tx;
  const ay = p[pi + 1]! - ty;
  const az = p[pi + 2]! - tz;
  const a = nx * ax + ny * ay + nz * az;
  const ea = ERROR_3D * (ex * Math.abs(ax) + ey * Math.abs(ay) + ez * Math.abs(az)) + TINY;
  const bx = p[pi + 3]! - tx;
  const by = p[pi + 4]! - ty;
  const bz = p[pi + 5]! - tz;
  const b = nx * bx + ny * by + nz * bz;
  const eb = ERROR_3D * (ex * Math.abs(bx) + ey * Math.abs(by) + ez * Math.abs(bz)) + TINY;
  const cx = p[pi + 6]! - tx;
  const cy = p[pi + 7]! - ty;
  const cz = p[pi + 8]! - tz;
  const c = nx * cx + ny * cy + nz * cz;
  const ec = ERROR_3D * (ex * Math.abs(cx) + ey * Math.abs(cy) + ez * Math.abs(cz)) + TINY;

  // Signs without branches: they are as good as random, and mispredictions cost more than the rest.
  if (Math.abs(a) > ea && Math.abs(b) > eb && Math.abs(c) > ec) {
    return ALL - 18 * Number(a < 0) - 6 * Number(b < 0) - 2 * Number(c < 0);
  }
  if (boxesDisjoint(p, pi, t, ti)) return ALL;
  const sa = a > ea ? 1 : a < -ea ? -1 : orient3d(p, pi, t, ti + 3, t, ti + 6, t, ti);
  const sb = b > eb ? 1 : b < -eb ? -1 : orient3d(p, pi + 3, t, ti + 3, t, ti + 6, t, ti);
  const sc = c > ec ? 1 : c < -ec ? -1 : orient3d(p, pi + 6, t, ti + 3, t, ti + 6, t, ti);
  return 9 * sa + 3 * sb + sc;
}

/**
 * Tests two triangles with area, in two planes, neither strictly beside the other's plane. Each
 * meets the common line L of the planes in an interval. Tests if the intervals meet.
 *
 * Let p1 be the apex of the first (see APEX), cycled to the front, and the second turned over if
 * needed. Then p1 lies on the closed upper side of plane 2, q1 and r1 on the closed lower side, and
 * both edges at p1 are transverse to plane 2. The same holds with 1 and 2 exchanged. Let i = p1q1 x
 * L, j = p1r1 x L, k = p2q2 x L, l = p2r2 x L, and measure along D = n1 x n2.
 * - j <= i: with f = r1-p1, g = q1-p1, x = n2.g < 0, y = n2.f < 0 and v >= 0 the height of p1 over
 *   plane 2, (j-i).D = -v/(xy) |x f - y g|^2. Exchanging the triangles reverses D, so k <= l. The
 *   intervals [j,i] and [k,l] meet if and only if k <= i and j <= l.
 * - orient3d(p1, q1, p2, q2) = -(i-k).(u1 x u2) with u1 = q1-p1, u2 = q2-p2, as i and k lie on
 *   those lines. And i-k is a multiple of D, and D.(u1 x u2) = -(n1.u2)(n2.u1) < 0. So it has the
 *   sign of (i-k).D, zero included.
 *
 * @param least 0 for the closed intervals, 1 for the open ones
 */
function intervalsMeet(
  a: Float64Array,
  ai: number,
  apexA: number,
  b: Float64Array,
  bi: number,
  apexB: number,
  least = 0,
): boolean {
  const ka = apexA & 3;
  const kb = apexB & 3;
  const overA = apexB >> 2; // p2 below plane 1: turn triangle 1 over, and the other way round
  const overB = apexA >> 2;
  const p1 = ai + CYCLE[ka]!;
  const q1 = ai + CYCLE[ka + 1 + overA]!;
  const r1 = ai + CYCLE[ka + 2 - overA]!;
  const p2 = bi + CYCLE[kb]!;
  const q2 = bi + CYCLE[kb + 1 + overB]!;
  const r2 = bi + CYCLE[kb + 2 - overB]!;
  return orient3d(a, p1, a, q1, b, p2, b, q2) >= least && orient3d(a, p1, a, r1, b, p2, b, r2) <= -least;
}

const segmentA = new Float64Array(6);
const segmentB = new Float64Array(6);

function flatIntersect(a: Float64Array, ai: number, b: Float64Array, bi: number): boolean {
  const axisA = projectionAxis(a, ai);
  const axisB = projectionAxis(b, bi);
  if (axisA >= 0 && axisB >= 0) return planarIntersect(a, ai, 3, b, bi, 3, axisB);
  if (axisA < 0) hullOfCollinear(a, ai, segmentA);
  if (axisB < 0) hullOfCollinear(b, bi, segmentB);
  if (axisA >= 0) return segmentMeetsTriangle(segmentB, a, ai, axisA);
  if (axisB >= 0) return segmentMeetsTriangle(segmentA, b, bi, axisB);
  return segmentsMeet(segmentA, segmentB);
}

/** A coordinate that can be dropped, preferably of the most area; -1 without area. */
function projectionAxis(t: Float64Array, ti: number): number {
  let best = 0;
  let most = -1;
  for (let axis = 0; axis < 3; axis++) {
    const u = ti + ((axis + 1) % 3);
    const v = ti + ((axis + 2) % 3);
    const area = Math.abs((t[u + 3]! - t[u]!) * (t[v + 6]! - t[v]!) - (t[v + 3]! - t[v]!) * (t[u + 6]! - t[u]!));
    if (area > most) {
      most = area;
      best = axis;
    }
  }
  for (let k = 0; k < 3; k++) {
    const axis = (best + k) % 3;
    if (orient2d(t, ti, t, ti + 3, t, ti + 6, axis) !== 0) return axis;
  }
  return -1;
}

/**
 * Tests convex hulls of n and m points (2 or 3; two may coincide) of one plane that the projection
 * along `axis` maps one to one, the points not all collinear. Their Minkowski difference is then a
 * segment or a polygon. Each of its edges is parallel to an edge of one of them (a segment has two,
 * there and back). So they are disjoint if and only if one of those edges has the other hull
 * strictly outside.
 */
function planarIntersect(
  p: Float64Array,
  pi: number,
  n: number,
  q: Float64Array,
  qi: number,
  m: number,
  axis: number,
): boolean {
  return !edgeSeparates(p, pi, n, q, qi, m, axis) && !edgeSeparates(q, qi, m, p, pi, n, axis);
}

function edgeSeparates(
  p: Float64Array,
  pi: number,
  n: number,
  q: Float64Array,
  qi: number,
  m: number,
  axis: number,
): boolean {
  const inside = n === 3 ? orient2d(p, pi, p, pi + 3, p, pi + 6, axis) : 1;
  for (let k = 0; k < n; k++) {
    const from = pi + 3 * k;
    const to = k + 1 < n ? from + 3 : pi;
    if (
      orient2d(p, from, p, to, q, qi, axis) === -inside &&
      orient2d(p, from, p, to, q, qi + 3, axis) === -inside &&
      (m === 2 || orient2d(p, from, p, to, q, qi + 6, axis) === -inside)
    ) {
      return true;
    }
  }
  return false;
}

function segmentMeetsTriangle(s: Float64Array, t: Float64Array, ti: number, axis: number): boolean {
  const start = orient3d(s, 0, t, ti + 3, t, ti + 6, t, ti);
  const end = orient3d(s, 3, t, ti + 3, t, ti + 6, t, ti);
  if (start * end > 0) return false;
  if (start === 0 && end === 0) return planarIntersect(s, 0, 2, t, ti, 3, axis);
  // The line of s pierces the plane in one point of s, which is in t unless it passes two edges on
  // different sides.
  const e0 = orient3d(s, 0, s, 3, t, ti, t, ti + 3);
  const e1 = orient3d(s, 0, s, 3, t, ti + 3, t, ti + 6);
  const e2 = orient3d(s, 0, s, 3, t, ti + 6, t, ti);
  return (e0 >= 0 && e1 >= 0 && e2 >= 0) || (e0 <= 0 && e1 <= 0 && e2 <= 0);
}

function segmentsMeet(s: Float64Array, r: Float64Array): boolean {
  if (orient3d(s, 0, s, 3, r, 0, r, 3) !== 0) return false;
  for (let axis = 0; axis < 3; axis++) {
    const collinear =
      orient2d(s, 0, s, 3, r, 0, axis) === 0 &&
      orient2d(s, 0, s, 3, r, 3, axis) === 0 &&
      orient2d(s, 0, r, 0, r, 3, axis) === 0;
    if (!collinear) return planarIntersect(s, 0, 2, r, 0, 2, axis);
  }
  return !lexicallyBefore(s, 3, r, 0) && !lexicallyBefore(r, 3, s, 0); // one line, on which that order is monotone
}

/** Writes the hull of three collinear points: lexicographic least and greatest, perhaps equal. */
function hullOfCollinear(t: Float64Array, ti: number, out: Float64Array): void {
  let least = ti;
  let greatest = ti;
  for (let k = ti + 3; k <= ti + 6; k += 3) {
    if (lexicallyBefore(t, k, t, least)) least = k;
    if (lexicallyBefore(t, greatest, t, k)) greatest = k;
  }
  for (let i = 0; i < 3; i++) {
    out[i] = t[least + i]!;
    out[3 + i] = t[greatest + i]!;
  }
}

function lexicallyBefore(p: Float64Array, i: number, q: Float64Array, j: number): boolean {
  if (p[i] !== q[j]) return p[i]! < q[j]!;
  if (p[i + 1] !== q[j + 1]) return p[i + 1]! < q[j + 1]!;
  return p[i + 2]! < q[j + 2]!;
}

function boxesDisjoint(p: Float64Array, pi: number, q: Float64Array, qi: number): boolean {
  for (let i = 0; i < 3; i++) {
    const p0 = p[pi + i]!;
    const p1 = p[pi + i + 3]!;
    const p2 = p[pi + i + 6]!;
    const q0 = q[qi + i]!;
    const q1 = q[qi + i + 3]!;
    const q2 = q[qi + i + 6]!;
    if (Math.max(p0, p1, p2) < Math.min(q0, q1, q2) || Math.max(q0, q1, q2) < Math.min(p0, p1, p2)) return true;
  }
  return false;
}
