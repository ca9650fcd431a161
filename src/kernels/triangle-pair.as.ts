/**
 * An exact test whether two closed triangles share a point, for any finite doubles, degenerate
 * triangles included.
 *
 * The readable twin, with the method and the proofs of its cases, is
 * ../geometry/triangle-triangle.ts. P. Guigue, O. Devillers, "Fast and Robust Triangle-Triangle
 * Overlap Test Using Orientation Predicates", Journal of Graphics Tools 8(1), 2003. Departures
 * besides the twin's: both planes at once, one in each lane of a vector; one error bound for all
 * determinants of the pair.
 *
 * Letters: e = 2^-53 is the unit roundoff. M_x is the extent of both triangles along x, max - min
 * over six vertices, as computed; M_y and M_z alike. t0, t1, t2 are a triangle, p is a vertex of
 * the other, and n = (t1-t0) x (t2-t0).
 *
 * THE BOUND. Every determinant here is a sum of six products of one difference of vertices in x,
 * one in y and one in z. Rounding is monotone, so each computed difference is at most M (of its
 * axis), the true one at most M / (1 - e). A product passes through at most 8 roundings (3
 * differences, product, difference of products, product, 2 sums), so
 *   |computed - true| <= 6 ((1+e)^8 - 1) M_x M_y M_z / (1-e)^3 < 48 e (1 + 7 e) M_x M_y M_z.
 * BOUND adds 49 e ((M_x M_y) M_z), rounded four times, the sum included: at least 49 e (1-e)^4 M_x
 * M_y M_z, which is more. Underflow: each product adds at most h = 2^-1075 to its value. So it adds
 * 2 h to a cofactor, each times a difference, and h to three products: at most 6 h (M_x + M_y +
 * M_z) + 3 h. To the bound itself it adds 2 h (1 + M_z). The bound's other part is TINY F, TINY =
 * 2^-900:
 *   F = (8 + 8 M_x) (1 + M_y) (1 + M_z)
 * It is more than 8 TINY (1 - 7 e) (1 + M_x + M_y + M_z). Overflow: F is at least any partial sum
 * of a determinant. That is true for a cofactor, with two products of at most M_y M_z (or the
 * like), and for all six products of at most M_x M_y M_z. F is, as computed, at least 8 times
 * either, which leaves 8 to 6 for roundings. So if anything overflows, F is infinite, the bound
 * infinite or NaN, no comparison with it holds, and the pair is uncertain.
 *
 * The bound is coarser than the twin's, 12 times in the geometric mean of random pairs: it goes
 * with the box, not with the edges. But the extents also show if the boxes are apart. Whole numbers
 * decide the rest: orient.as.ts.
 *
 * ns a pair, boxes apart / only triangles apart / meeting / coplanar neighbors of a grid in one
 * inexact pose: 6 / 16 / 26 / 280, the twin in the same run 34 / 45 / 74 / 660. Roads not taken: no
 * test of the boxes, or its branch joined with that of the planes:
 *   14 / 21 / 26 against 7 / 21 / 26
 * A bound for each vertex from its own terms, as in the twin: as many operations, and no boxes.
 */
import { copyPoint, prepare, preparedOrient2d, scratch, setTriangleScratch, triple, triples } from './orient.as';

export { setTriangleScratch };

/** b's vertices in `scratch`, after a's. */
const B: usize = 72;

const BOUND: f64 = 49.0 / 9007199254740992.0;
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 900) << 52);

/** By the signs of three vertices (bits, none 0): the single one, plus 4 if negative. */
const ALONE: u32 = 0x0162540;

let bound: f64 = 0;
let heightsA0: f64 = 0;
let heightsA1: f64 = 0;
let heightsA2: f64 = 0;
let heightsB0: f64 = 0;
let heightsB1: f64 = 0;
let heightsB2: f64 = 0;

/** @param a, b addresses of nine doubles: three vertices, in one frame; touching counts */
export function trianglesMeet(a: usize, b: usize): bool {
  // Lanes: a's coordinate, b's.
  const x0 = pairOf(a, b, 0);
  const y0 = pairOf(a, b, 8);
  const z0 = pairOf(a, b, 16);
  const x1 = pairOf(a, b, 24);
  const y1 = pairOf(a, b, 32);
  const z1 = pairOf(a, b, 40);
  const x2 = pairOf(a, b, 48);
  const y2 = pairOf(a, b, 56);
  const z2 = pairOf(a, b, 64);

  const lowX = f64x2.pmin(f64x2.pmin(x0, x1), x2);
  const lowY = f64x2.pmin(f64x2.pmin(y0, y1), y2);
  const lowZ = f64x2.pmin(f64x2.pmin(z0, z1), z2);
  const highX = f64x2.pmax(f64x2.pmax(x0, x1), x2);
  const highY = f64x2.pmax(f64x2.pmax(y0, y1), y2);
  const highZ = f64x2.pmax(f64x2.pmax(z0, z1), z2);
  const otherLowX = swap(lowX);
  const otherLowY = swap(lowY);
  const otherLowZ = swap(lowZ);
  if (
    v128.any_true(
      v128.or(v128.or(f64x2.lt(highX, otherLowX), f64x2.lt(highY, otherLowY)), f64x2.lt(highZ, otherLowZ)),
    )
  ) {
    return false;
  }
  const mx = f64x2.sub(f64x2.pmax(highX, swap(highX)), f64x2.pmin(lowX, otherLowX));
  const my = f64x2.sub(f64x2.pmax(highY, swap(highY)), f64x2.pmin(lowY, otherLowY));
  const mz = f64x2.sub(f64x2.pmax(highZ, swap(highZ)), f64x2.pmin(lowZ, otherLowZ));
  const one = f64x2.splat(1);
  const eight = f64x2.splat(8);
  const f = f64x2.mul(
    f64x2.mul(f64x2.add(eight, f64x2.mul(eight, mx)), f64x2.add(one, my)),
    f64x2.add(one, mz),
  );
  const most = f64x2.add(
    f64x2.mul(f64x2.mul(f64x2.mul(mx, my), mz), f64x2.splat(BOUND)),
    f64x2.mul(f64x2.splat(TINY), f),
  );

  // Heights, times a length, of vertices over the other plane: b's over a's, a's over b's.
  const ux = f64x2.sub(x1, x0);
  const uy = f64x2.sub(y1, y0);
  const uz = f64x2.sub(z1, z0);
  const vx = f64x2.sub(x2, x0);
  const vy = f64x2.sub(y2, y0);
  const vz = f64x2.sub(z2, z0);
  const nx = f64x2.sub(f64x2.mul(uy, vz), f64x2.mul(uz, vy));
  const ny = f64x2.sub(f64x2.mul(uz, vx), f64x2.mul(ux, vz));
  const nz = f64x2.sub(f64x2.mul(ux, vy), f64x2.mul(uy, vx));
  const h0 = dot(nx, ny, nz, f64x2.sub(swap(x0), x0), f64x2.sub(swap(y0), y0), f64x2.sub(swap(z0), z0));
  const h1 = dot(nx, ny, nz, f64x2.sub(swap(x1), x0), f64x2.sub(swap(y1), y0), f64x2.sub(swap(z1), z0));
  const h2 = dot(nx, ny, nz, f64x2.sub(swap(x2), x0), f64x2.sub(swap(y2), y0), f64x2.sub(swap(z2), z0));
  const least = f64x2.pmin(f64x2.pmin(h0, h1), h2);
  const greatest = f64x2.pmax(f64x2.pmax(h0, h1), h2);
  if (v128.any_true(v128.or(f64x2.gt(least, most), f64x2.lt(greatest, f64x2.neg(most))))) return false;

  const sure = f64x2.gt(f64x2.pmin(f64x2.pmin(f64x2.abs(h0), f64x2.abs(h1)), f64x2.abs(h2)), most);
  if (i64x2.all_true(sure)) {
    // Bit 0 is b's vertices, over a's plane; four bits of ALONE a case.
    const signs0 = i64x2.bitmask(h0);
    const signs1 = i64x2.bitmask(h1);
    const signs2 = i64x2.bitmask(h2);
    const aloneB = (ALONE >> (((signs0 & 1) << 2) | ((signs1 & 1) << 3) | ((signs2 & 1) << 4))) & 15;
    const aloneA = (ALONE >> (((signs0 & 2) << 1) | ((signs1 & 2) << 2) | ((signs2 & 2) << 3))) & 15;
    return intervalsMeet(a, aloneA, b, aloneB, f64x2.extract_lane(most, 0));
  }
  heightsB0 = f64x2.extract_lane(h0, 0);
  heightsB1 = f64x2.extract_lane(h1, 0);
  heightsB2 = f64x2.extract_lane(h2, 0);
  heightsA0 = f64x2.extract_lane(h0, 1);
  heightsA1 = f64x2.extract_lane(h1, 1);
  heightsA2 = f64x2.extract_lane(h2, 1);
  bound = f64x2.extract_lane(most, 0);
  return uncertainMeet(a, b);
}

@inline
function pairOf(a: usize, b: usize, offset: usize): v128 {
  return v128.load_lane<u64>(b + offset, v128.load_zero<u64>(a + offset), 1);
}

@inline
function swap(x: v128): v128 {
  return v128.shuffle<u64>(x, x, 1, 0);
}

@inline
function dot(nx: v128, ny: v128, nz: v128, x: v128, y: v128, z: v128): v128 {
  return f64x2.add(f64x2.add(f64x2.mul(nx, x), f64x2.mul(ny, y)), f64x2.mul(nz, z));
}

@inline
function splatAt(address: usize, offset: usize): v128 {
  return v128.load_splat<u64>(address + offset);
}

@inline
function next(k: u32): u32 {
  return select<u32>(0, k + 1, k === 2);
}

@inline
function before(k: u32): u32 {
  return select<u32>(2, k - 1, k === 0);
}

/**
 * See the twin's intervalsMeet; `alone` is the single vertex, plus 4 if it is below. orient3d(p1,
 * q1, p2, q2) is (p2-p1) . ((q1-p1) x (q2-p2)): lanes q, r.
 */
@inline
function intervalsMeet(a: usize, aloneA: u32, b: usize, aloneB: u32, error: f64): bool {
  const ka = aloneA & 3;
  const kb = aloneB & 3;
  const isOverA = (aloneB & 4) !== 0;
  const isOverB = (aloneA & 4) !== 0;
  const afterA = next(ka);
  const beforeA = before(ka);
  const afterB = next(kb);
  const beforeB = before(kb);
  const p1 = a + 24 * <usize>ka;
  const q1 = a + 24 * <usize>select<u32>(beforeA, afterA, isOverA);
  const r1 = a + 24 * <usize>select<u32>(afterA, beforeA, isOverA);
  const p2 = b + 24 * <usize>kb;
  const q2 = b + 24 * <usize>select<u32>(beforeB, afterB, isOverB);
  const r2 = b + 24 * <usize>select<u32>(afterB, beforeB, isOverB);
  const x1 = splatAt(p1, 0);
  const y1 = splatAt(p1, 8);
  const z1 = splatAt(p1, 16);
  const x2 = splatAt(p2, 0);
  const y2 = splatAt(p2, 8);
  const z2 = splatAt(p2, 16);
  const ux = f64x2.sub(pairOf(q1, r1, 0), x1);
  const uy = f64x2.sub(pairOf(q1, r1, 8), y1);
  const uz = f64x2.sub(pairOf(q1, r1, 16), z1);
  const vx = f64x2.sub(pairOf(q2, r2, 0), x2);
  const vy = f64x2.sub(pairOf(q2, r2, 8), y2);
  const vz = f64x2.sub(pairOf(q2, r2, 16), z2);
  const nx = f64x2.sub(f64x2.mul(uy, vz), f64x2.mul(uz, vy));
  const ny = f64x2.sub(f64x2.mul(uz, vx), f64x2.mul(ux, vz));
  const nz = f64x2.sub(f64x2.mul(ux, vy), f64x2.mul(uy, vx));
  const values = dot(nx, ny, nz, f64x2.sub(x2, x1), f64x2.sub(y2, y1), f64x2.sub(z2, z1));
  const atQ = f64x2.extract_lane(values, 0);
  const atR = f64x2.extract_lane(values, 1);
  if (<i32>(abs(atQ) > error) & <i32>(abs(atR) > error)) return <bool>(<i32>(atQ > 0) & <i32>(atR < 0));
  return intervalsMeetExactly(a, b, p1 - a, q1 - a, r1 - a, p2 - b, q2 - b, r2 - b, atQ, atR, error);
}

function intervalsMeetExactly(
  a: usize,
  b: usize,
  p1: usize,
  q1: usize,
  r1: usize,
  p2: usize,
  q2: usize,
  r2: usize,
  atQ: f64,
  atR: f64,
  error: f64,
): bool {
  if (a !== scratch) gather(a, b, error);
  const A = scratch;
  const other = scratch + B;
  return (
    (atQ > error || (!(atQ < -error) && triple(A + p1, other + p2, A + p1, A + q1, other + p2, other + q2) >= 0)) &&
    (atR < -error || (!(atR > error) && triple(A + p1, other + p2, A + p1, A + r1, other + p2, other + r2) <= 0))
  );
}

function gather(a: usize, b: usize, error: f64): void {
  for (let offset: usize = 0; offset < 72; offset += 24) {
    copyPoint(a + offset, scratch + offset);
    copyPoint(b + offset, scratch + B + offset);
  }
  prepare(error);
}

const ALL: i32 = 13;

function uncertainMeet(a: usize, b: usize): bool {
  gather(a, b, bound);
  const first = scratch;
  const second = scratch + B;
  const sidesB = triples(second, first, heightsB0, heightsB1, heightsB2, bound);
  if (sidesB === ALL || sidesB === -ALL) return false;
  if (sidesB === 0) return flatMeet(first, second);
  const sidesA = triples(first, second, heightsA0, heightsA1, heightsA2, bound);
  if (sidesA === ALL || sidesA === -ALL) return false;
  if (sidesA === 0) return flatMeet(first, second);
  return intervalsMeet(first, aloneOf(sidesA), second, aloneOf(sidesB), bound);
}

/** The apex by sides, plus 4 if it lies below the other two: see the twin's APEX. */
function aloneOf(sides: i32): u32 {
  let p = (sides + ALL) / 9 - 1;
  let q = ((sides + ALL) / 3) % 3 - 1;
  let r = (sides + ALL) % 3 - 1;
  for (let k: u32 = 0; k < 3; k++) {
    if (p !== 0 ? p * q <= 0 && p * r <= 0 : q * r > 0) return k + (p < 0 || (p === 0 && q > 0) ? 4 : 0);
    const turned = p;
    p = q;
    q = r;
    r = turned;
  }
  return 0;
}

// ------------------------------------------------------------------------------------------------ coplanar, degenerate

/** Coplanar triangles, or one without area; prepared. A segment is its two ends, perhaps equal. */
function flatMeet(a: usize, b: usize): bool {
  const axisA = projectionAxis(a);
  const axisB = projectionAxis(b);
  if (axisA >= 0 && axisB >= 0) return planarMeet(a, a + 24, a + 48, b, b + 24, b + 48, axisB);
  if (axisA >= 0) return segmentMeetsTriangle(leastOf(b), greatestOf(b), a, axisA);
  if (axisB >= 0) return segmentMeetsTriangle(leastOf(a), greatestOf(a), b, axisB);
  return segmentsMeet(leastOf(a), greatestOf(a), leastOf(b), greatestOf(b));
}

/** A coordinate that can be dropped, preferably of the most area; -1 if there is no area. */
function projectionAxis(t: usize): i32 {
  const ux = load<f64>(t, 24) - load<f64>(t);
  const uy = load<f64>(t, 32) - load<f64>(t, 8);
  const uz = load<f64>(t, 40) - load<f64>(t, 16);
  const vx = load<f64>(t, 48) - load<f64>(t);
  const vy = load<f64>(t, 56) - load<f64>(t, 8);
  const vz = load<f64>(t, 64) - load<f64>(t, 16);
  const areaX = abs(uy * vz - uz * vy);
  const areaY = abs(uz * vx - ux * vz);
  const areaZ = abs(ux * vy - uy * vx);
  const best = areaX >= areaY && areaX >= areaZ ? 0 : areaY >= areaZ ? 1 : 2;
  for (let k = 0; k < 3; k++) {
    const axis = (best + k) % 3;
    if (preparedOrient2d(t, t + 24, t + 48, axis) !== 0) return axis;
  }
  return -1;
}

/** See the twin's planarIntersect; a hull is a segment if its last two addresses are equal. */
function planarMeet(p0: usize, p1: usize, p2: usize, q0: usize, q1: usize, q2: usize, axis: i32): bool {
  return !edgesSeparate(p0, p1, p2, q0, q1, q2, axis) && !edgesSeparate(q0, q1, q2, p0, p1, p2, axis);
}

function edgesSeparate(p0: usize, p1: usize, p2: usize, q0: usize, q1: usize, q2: usize, axis: i32): bool {
  if (p1 === p2) return isBeside(p0, p1, 1, q0, q1, q2, axis) || isBeside(p0, p1, -1, q0, q1, q2, axis);
  const outside = -preparedOrient2d(p0, p1, p2, axis);
  return (
    isBeside(p0, p1, outside, q0, q1, q2, axis) ||
    isBeside(p1, p2, outside, q0, q1, q2, axis) ||
    isBeside(p2, p0, outside, q0, q1, q2, axis)
  );
}

function isBeside(from: usize, to: usize, side: i32, q0: usize, q1: usize, q2: usize, axis: i32): bool {
  return (
    preparedOrient2d(from, to, q0, axis) === side &&
    preparedOrient2d(from, to, q1, axis) === side &&
    (q2 === q1 || preparedOrient2d(from, to, q2, axis) === side)
  );
}

/** The sign of (a1-a0) . ((b1-b0) x (c1-c0)), by the bound if it can; for the current pair. */
function signOf(a0: usize, a1: usize, b0: usize, b1: usize, c0: usize, c1: usize): i32 {
  const bx = load<f64>(b1) - load<f64>(b0);
  const by = load<f64>(b1, 8) - load<f64>(b0, 8);
  const bz = load<f64>(b1, 16) - load<f64>(b0, 16);
  const cx = load<f64>(c1) - load<f64>(c0);
  const cy = load<f64>(c1, 8) - load<f64>(c0, 8);
  const cz = load<f64>(c1, 16) - load<f64>(c0, 16);
  const value =
    (by * cz - bz * cy) * (load<f64>(a1) - load<f64>(a0)) +
    (bz * cx - bx * cz) * (load<f64>(a1, 8) - load<f64>(a0, 8)) +
    (bx * cy - by * cx) * (load<f64>(a1, 16) - load<f64>(a0, 16));
  return value > bound ? 1 : value < -bound ? -1 : triple(a0, a1, b0, b1, c0, c1);
}

function segmentMeetsTriangle(s: usize, e: usize, t: usize, axis: i32): bool {
  const start = signOf(t, s, t, t + 24, t, t + 48);
  const end = signOf(t, e, t, t + 24, t, t + 48);
  if (start * end > 0) return false;
  if (start === 0 && end === 0) return planarMeet(s, e, e, t, t + 24, t + 48, axis);
  // The line pierces the plane in one point of the segment, which is in t unless the line passes
  // two edges on different sides.
  const e0 = signOf(t + 24, s, t + 24, e, t + 24, t);
  const e1 = signOf(t + 48, s, t + 48, e, t + 48, t + 24);
  const e2 = signOf(t, s, t, e, t, t + 48);
  return (e0 >= 0 && e1 >= 0 && e2 >= 0) || (e0 <= 0 && e1 <= 0 && e2 <= 0);
}

/** Each starts from its lexicographically smaller end. */
function segmentsMeet(s: usize, e: usize, r: usize, f: usize): bool {
  if (signOf(f, s, f, e, f, r) !== 0) return false;
  for (let axis = 0; axis < 3; axis++) {
    const isCollinear =
      preparedOrient2d(s, e, r, axis) === 0 &&
      preparedOrient2d(s, e, f, axis) === 0 &&
      preparedOrient2d(s, r, f, axis) === 0;
    if (!isCollinear) return planarMeet(s, e, e, r, f, f, axis);
  }
  return !isBefore(e, r) && !isBefore(f, s); // one line, on which that order is monotone
}

function leastOf(t: usize): usize {
  const least = isBefore(t + 24, t) ? t + 24 : t;
  return isBefore(t + 48, least) ? t + 48 : least;
}

function greatestOf(t: usize): usize {
  const greatest = isBefore(t, t + 24) ? t + 24 : t;
  return isBefore(greatest, t + 48) ? t + 48 : greatest;
}

function isBefore(p: usize, q: usize): bool {
  for (let offset: usize = 0; offset < 24; offset += 8) {
    const x = load<f64>(p + offset);
    const y = load<f64>(q + offset);
    if (x !== y) return x < y;
  }
  return false;
}
