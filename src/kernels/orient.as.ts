/**
 * Orientation predicates whose sign is right for any finite doubles; the readable twin is
 * ../geometry/orient.ts.
 *
 * The filter is the twin's, with its proof. Whole numbers of two kinds decide the rest, instead of
 * the expansions of J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust
 * Geometric Predicates", 1997.
 *
 * 1. Narrow: 64 bits a coordinate, and a determinant modulo 2^128. The sign of a determinant does
 *   not change when an axis is scaled. So each axis has a power of two of its own by which all its
 *   coordinates are whole numbers without a common factor 2; `prepare` tests if they are then below
 *   2^62, differences below 2^63. The determinant D of such numbers may have 190 bits, but an
 *   undecided filter means that |D| is small. If the computed value is within its error bound E of
 *   0, |true| <= 2 E. If 2 E, scaled alike, is below 2^127, D is its own value modulo 2^128. 2 E is
 *   some 2^-46 of the product of the three greatest differences: 173 bits in all. So neighboring
 *   vertices of meshes have whole-number determinants that cost no more than the products. In two
 *   dimensions products are below 2^126, and no test is needed.
 * 2. Wide, for the rest: coordinates on one axis of very different size, such as 1 and the 6e-17 of
 *   a rotation by 90 degrees. Magnitudes have limbs of 32 bits, as many as the differences need, at
 *   most 66: doubles are whole numbers of 2^-1074 below 2^2098. Products are added up by sign, and
 *   the two sums compared. Nothing rounds, overflows or underflows.
 *
 * No carry is lost, limb by limb:
 *   t w + sum + carry <= (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1
 * A sum holds at most three products of three differences, each below 2^(32 n): one limb more than
 * the lengths together.
 *
 * Roads not taken. With expansions (robust-predicates in the twin), a generic zero takes 3 times as
 * long, call included. Double-double arithmetic before whole numbers: it cannot prove a zero, the
 * usual result for coincident surfaces. A host function for coordinates out of the expansions'
 * range: limbs have no range. Sums and minors inlined where they are used: 430 bytes more in each
 * module, compressed, and 0.98 to 1.01 of the time of all contacts of coincident surfaces.
 *
 * Memory: SCRATCH_BYTES at `scratch`, which the caller provides: six points, their whole numbers,
 * and limbs.
 */

export const SCRATCH_BYTES: usize = 5136;

/** This instance's SCRATCH_BYTES; a multiple of 16. */
export let scratch: usize = 0;

/** Call it before anything else here or in triangle-pair.as.ts. */
export function setTriangleScratch(address: usize): void {
  scratch = address;
}

const WHOLE: usize = 144;
/** Nine differences: sign, length, limbs. */
const DIFFERENCES: usize = 288;
const DIFFERENCE_BYTES: usize = 272;
const ONE: usize = 2736; // a difference: 1
const PRODUCT: usize = 3008; // 132 limbs
const SUMS: usize = 3536; // of the positive and of the negative products: 199 limbs each, and 4 bytes
const SUM_BYTES: usize = 800;

const ERROR_3D: f64 = 9.0 / 9007199254740992.0; // of units of roundoff, 2^-53
const ERROR_2D: f64 = 5.0 / 9007199254740992.0;
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 900) << 52);
const LEAST: f64 = reinterpret<f64>(<u64>(1023 - 250) << 52);
/** Coordinates below this are scaled by 1 or more, which is exact. */
const MOST: f64 = reinterpret<f64>(<u64>(1023 + 61) << 52);

const ABOVE: i64 = 0x4000000000000000;

/** True if the points at `scratch` have whole numbers. */
let narrow: bool = false;

/**
 * The sign of (a-d) . ((b-d) x (c-d)): 1 if a lies on the side of the plane b, c, d from which they
 * turn counter-clockwise, -1 on the other side, 0 if the four are coplanar. Exact for finite
 * coordinates. Addresses of three doubles each.
 */
export function orient3d(a: usize, b: usize, c: usize, d: usize): i32 {
  const dx = load<f64>(d);
  const dy = load<f64>(d, 8);
  const dz = load<f64>(d, 16);
  const ax = load<f64>(a) - dx;
  const ay = load<f64>(a, 8) - dy;
  const az = load<f64>(a, 16) - dz;
  const bx = load<f64>(b) - dx;
  const by = load<f64>(b, 8) - dy;
  const bz = load<f64>(b, 16) - dz;
  const cx = load<f64>(c) - dx;
  const cy = load<f64>(c, 8) - dy;
  const cz = load<f64>(c, 16) - dz;
  const yz = by * cz;
  const zy = bz * cy;
  const zx = bz * cx;
  const xz = bx * cz;
  const xy = bx * cy;
  const yx = by * cx;
  const determinant = (yz - zy) * ax + (zx - xz) * ay + (xy - yx) * az;
  const error =
    ERROR_3D *
      ((abs(yz) + abs(zy) + TINY) * abs(ax) + (abs(zx) + abs(xz) + TINY) * abs(ay) + (abs(xy) + abs(yx) + TINY) * abs(az)) +
    TINY;
  if (determinant > error) return 1;
  if (determinant < -error) return -1;
  copyPoint(a, scratch);
  copyPoint(b, scratch + 24);
  copyPoint(c, scratch + 48);
  copyPoint(d, scratch + 72);
  copyPoint(d, scratch + 96);
  copyPoint(d, scratch + 120);
  prepare(error);
  return triple(scratch + 72, scratch, scratch + 72, scratch + 24, scratch + 72, scratch + 48);
}

/**
 * The sign of (b-a) x (c-a) without the coordinate `axis` (0, 1, 2); the other two keep their
 * cyclic order. 1 if a, b, c turn left, -1 if right, 0 if collinear. Exact for finite coordinates.
 * Addresses of three doubles each.
 */
export function orient2d(a: usize, b: usize, c: usize, axis: i32): i32 {
  const sign = filter2d(a, b, c, axis);
  if (sign !== UNCERTAIN) return sign;
  copyPoint(a, scratch);
  copyPoint(b, scratch + 24);
  copyPoint(c, scratch + 48);
  copyPoint(c, scratch + 72);
  copyPoint(c, scratch + 96);
  copyPoint(c, scratch + 120);
  prepare(0);
  return double(scratch, scratch + 24, scratch + 48, axis);
}

export function preparedOrient2d(a: usize, b: usize, c: usize, axis: i32): i32 {
  const sign = filter2d(a, b, c, axis);
  return sign !== UNCERTAIN ? sign : double(a, b, c, axis);
}

const UNCERTAIN: i32 = 2;

/** Offsets in a point of the coordinates that remain without `axis`. */
@inline
function firstOf(axis: i32): usize {
  return axis === 2 ? 0 : ((axis + 1) as usize) << 3;
}

@inline
function secondOf(axis: i32): usize {
  return axis === 0 ? 16 : ((axis - 1) as usize) << 3;
}

@inline
function filter2d(a: usize, b: usize, c: usize, axis: i32): i32 {
  const u = firstOf(axis);
  const v = secondOf(axis);
  const cu = load<f64>(c + u);
  const cv = load<f64>(c + v);
  const left = (load<f64>(a + u) - cu) * (load<f64>(b + v) - cv);
  const right = (load<f64>(a + v) - cv) * (load<f64>(b + u) - cu);
  const determinant = left - right;
  const error = ERROR_2D * (abs(left) + abs(right)) + TINY;
  return determinant > error ? 1 : determinant < -error ? -1 : UNCERTAIN;
}

@inline
export function copyPoint(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  store<f64>(to, load<f64>(from, 16), 16);
}

// ----------------------------------------------------------------------------------- whole numbers

/**
 * Makes the six points at `scratch` whole numbers if they fit, for `triple` and `double`. `bound`
 * is the filter's for an undecided determinant of three differences; Infinity and NaN are fine.
 */
export function prepare(bound: f64): void {
  narrow = false;
  const p = scratch;
  // Two points are three vectors: x y, z x, y z.
  const xy0 = v128.load(p);
  const zx0 = v128.load(p, 16);
  const yz0 = v128.load(p, 32);
  const xy1 = v128.load(p, 48);
  const zx1 = v128.load(p, 64);
  const yz1 = v128.load(p, 80);
  const xy2 = v128.load(p, 96);
  const zx2 = v128.load(p, 112);
  const yz2 = v128.load(p, 128);
  const mostXY = f64x2.pmax(f64x2.pmax(f64x2.abs(xy0), f64x2.abs(xy1)), f64x2.abs(xy2));
  const mostZX = f64x2.pmax(f64x2.pmax(f64x2.abs(zx0), f64x2.abs(zx1)), f64x2.abs(zx2));
  const mostYZ = f64x2.pmax(f64x2.pmax(f64x2.abs(yz0), f64x2.abs(yz1)), f64x2.abs(yz2));
  const mostX = max(f64x2.extract_lane(mostXY, 0), f64x2.extract_lane(mostZX, 1));
  const mostY = max(f64x2.extract_lane(mostXY, 1), f64x2.extract_lane(mostYZ, 0));
  const mostZ = max(f64x2.extract_lane(mostZX, 0), f64x2.extract_lane(mostYZ, 1));
  if (!(max(max(mostX, mostY), mostZ) < MOST)) return;
  if ((mostX < LEAST && mostX !== 0) || (mostY < LEAST && mostY !== 0) || (mostZ < LEAST && mostZ !== 0)) return;
  const sx = scaleOf(mostX);
  const sy = scaleOf(mostY);
  const sz = scaleOf(mostZ);
  const sxy = f64x2.replace_lane(f64x2.splat(sx), 1, sy);
  const szx = f64x2.replace_lane(f64x2.splat(sz), 1, sx);
  const syz = f64x2.replace_lane(f64x2.splat(sy), 1, sz);
  const wxy0 = f64x2.mul(xy0, sxy);
  const wzx0 = f64x2.mul(zx0, szx);
  const wyz0 = f64x2.mul(yz0, syz);
  const wxy1 = f64x2.mul(xy1, sxy);
  const wzx1 = f64x2.mul(zx1, szx);
  const wyz1 = f64x2.mul(yz1, syz);
  const wxy2 = f64x2.mul(xy2, sxy);
  const wzx2 = f64x2.mul(zx2, szx);
  const wyz2 = f64x2.mul(yz2, syz);
  const areWhole = v128.and(
    v128.and(
      v128.and(v128.and(isWhole(wxy0), isWhole(wzx0)), v128.and(isWhole(wyz0), isWhole(wxy1))),
      v128.and(v128.and(isWhole(wzx1), isWhole(wyz1)), v128.and(isWhole(wxy2), isWhole(wzx2))),
    ),
    isWhole(wyz2),
  );
  if (!i64x2.all_true(areWhole)) return;
  let x0 = i64(f64x2.extract_lane(wxy0, 0));
  let y0 = i64(f64x2.extract_lane(wxy0, 1));
  let z0 = i64(f64x2.extract_lane(wzx0, 0));
  let x1 = i64(f64x2.extract_lane(wzx0, 1));
  let y1 = i64(f64x2.extract_lane(wyz0, 0));
  let z1 = i64(f64x2.extract_lane(wyz0, 1));
  let x2 = i64(f64x2.extract_lane(wxy1, 0));
  let y2 = i64(f64x2.extract_lane(wxy1, 1));
  let z2 = i64(f64x2.extract_lane(wzx1, 0));
  let x3 = i64(f64x2.extract_lane(wzx1, 1));
  let y3 = i64(f64x2.extract_lane(wyz1, 0));
  let z3 = i64(f64x2.extract_lane(wyz1, 1));
  let x4 = i64(f64x2.extract_lane(wxy2, 0));
  let y4 = i64(f64x2.extract_lane(wxy2, 1));
  let z4 = i64(f64x2.extract_lane(wzx2, 0));
  let x5 = i64(f64x2.extract_lane(wzx2, 1));
  let y5 = i64(f64x2.extract_lane(wyz2, 0));
  let z5 = i64(f64x2.extract_lane(wyz2, 1));
  // The topmost bit keeps the count below 64 if all are 0.
  const tx = ctz<i64>(x0 | x1 | x2 | x3 | x4 | x5 | ABOVE);
  const ty = ctz<i64>(y0 | y1 | y2 | y3 | y4 | y5 | ABOVE);
  const tz = ctz<i64>(z0 | z1 | z2 | z3 | z4 | z5 | ABOVE);
  // 2 bound scale / 2^t < 2^127
  if (!(bound * sx * sy * sz < reinterpret<f64>((1023 + 126 + tx + ty + tz) << 52))) return;
  storeWhole(p, x0, y0, z0, tx, ty, tz);
  storeWhole(p + 24, x1, y1, z1, tx, ty, tz);
  storeWhole(p + 48, x2, y2, z2, tx, ty, tz);
  storeWhole(p + 72, x3, y3, z3, tx, ty, tz);
  storeWhole(p + 96, x4, y4, z4, tx, ty, tz);
  storeWhole(p + 120, x5, y5, z5, tx, ty, tz);
  narrow = true;
}

@inline
function storeWhole(to: usize, x: i64, y: i64, z: i64, tx: i64, ty: i64, tz: i64): void {
  store<i64>(to, x >> tx, WHOLE);
  store<i64>(to, y >> ty, WHOLE + 8);
  store<i64>(to, z >> tz, WHOLE + 16);
}

/** The power of two that scales `most` to [2^61, 2^62). */
@inline
function scaleOf(most: f64): f64 {
  return most === 0 ? 1 : reinterpret<f64>((2107 - (reinterpret<u64>(most) >> 52)) << 52);
}

@inline
function isWhole(x: v128): v128 {
  return f64x2.eq(f64x2.nearest(x), x);
}

/** The sign of (a1-a0) . ((b1-b0) x (c1-c0)), prepared with a bound that covers it. */
export function triple(a0: usize, a1: usize, b0: usize, b1: usize, c0: usize, c1: usize): i32 {
  if (!narrow) return wideTriple(a0, a1, b0, b1, c0, c1);
  const bx = whole(b1, 0) - whole(b0, 0);
  const by = whole(b1, 8) - whole(b0, 8);
  const bz = whole(b1, 16) - whole(b0, 16);
  const cx = whole(c1, 0) - whole(c0, 0);
  const cy = whole(c1, 8) - whole(c0, 8);
  const cz = whole(c1, 16) - whole(c0, 16);
  const xl = minorLow(by, cz, bz, cy);
  const xh = minorHigh(by, cz, bz, cy);
  const yl = minorLow(bz, cx, bx, cz);
  const yh = minorHigh(bz, cx, bx, cz);
  const zl = minorLow(bx, cy, by, cx);
  const zh = minorHigh(bx, cy, by, cx);
  return signOfSum(whole(a1, 0) - whole(a0, 0), whole(a1, 8) - whole(a0, 8), whole(a1, 16) - whole(a0, 16), xl, xh, yl, yh, zl, zh);
}

/**
 * The signs of (p-t0) . ((t1-t0) x (t2-t0)) for the three vertices p, t a triangle, both prepared
 * at `scratch`: nine times the first, three times the second and the third. Computes only those
 * that the filter, with the given values and bound, does not decide.
 */
export function triples(p: usize, t: usize, value0: f64, value1: f64, value2: f64, bound: f64): i32 {
  let sign0 = i32(value0 > bound) - i32(value0 < -bound);
  let sign1 = i32(value1 > bound) - i32(value1 < -bound);
  let sign2 = i32(value2 > bound) - i32(value2 < -bound);
  const is0 = sign0 === 0 && !isPlain(p, t);
  const is1 = sign1 === 0 && !isPlain(p + 24, t);
  const is2 = sign2 === 0 && !isPlain(p + 48, t);
  if (is0 || is1 || is2) {
    if (narrow) {
      const tx = whole(t, 0);
      const ty = whole(t, 8);
      const tz = whole(t, 16);
      const bx = whole(t, 24) - tx;
      const by = whole(t, 32) - ty;
      const bz = whole(t, 40) - tz;
      const cx = whole(t, 48) - tx;
      const cy = whole(t, 56) - ty;
      const cz = whole(t, 64) - tz;
      const xl = minorLow(by, cz, bz, cy);
      const xh = minorHigh(by, cz, bz, cy);
      const yl = minorLow(bz, cx, bx, cz);
      const yh = minorHigh(bz, cx, bx, cz);
      const zl = minorLow(bx, cy, by, cx);
      const zh = minorHigh(bx, cy, by, cx);
      if (is0)
        sign0 = signOfSum(whole(p, 0) - tx, whole(p, 8) - ty, whole(p, 16) - tz, xl, xh, yl, yh, zl, zh);
      if (is1)
        sign1 = signOfSum(whole(p, 24) - tx, whole(p, 32) - ty, whole(p, 40) - tz, xl, xh, yl, yh, zl, zh);
      if (is2)
        sign2 = signOfSum(whole(p, 48) - tx, whole(p, 56) - ty, whole(p, 64) - tz, xl, xh, yl, yh, zl, zh);
    } else {
      if (is0) sign0 = wideTriple(t, p, t, t + 24, t, t + 48);
      if (is1) sign1 = wideTriple(t, p + 24, t, t + 24, t, t + 48);
      if (is2) sign2 = wideTriple(t, p + 48, t, t + 24, t, t + 48);
    }
  }
  return 9 * sign0 + 3 * sign1 + sign2;
}

/** True if p trivially lies in the plane of the triangle t: axis-aligned, or a vertex of t. */
function isPlain(p: usize, t: usize): bool {
  const x = load<f64>(p);
  const y = load<f64>(p, 8);
  const z = load<f64>(p, 16);
  const x0 = load<f64>(t) === x;
  const y0 = load<f64>(t, 8) === y;
  const z0 = load<f64>(t, 16) === z;
  const x1 = load<f64>(t, 24) === x;
  const y1 = load<f64>(t, 32) === y;
  const z1 = load<f64>(t, 40) === z;
  const x2 = load<f64>(t, 48) === x;
  const y2 = load<f64>(t, 56) === y;
  const z2 = load<f64>(t, 64) === z;
  return ((x0 & x1 & x2) | (y0 & y1 & y2) | (z0 & z1 & z2) | (x0 & y0 & z0) | (x1 & y1 & z1) | (x2 & y2 & z2)) as bool;
}

function double(a: usize, b: usize, c: usize, axis: i32): i32 {
  const u = firstOf(axis);
  const v = secondOf(axis);
  if (!narrow) return wideDouble(a, b, c, u, v);
  const cu = whole(c + u, 0);
  const cv = whole(c + v, 0);
  const au = whole(a + u, 0) - cu;
  const av = whole(a + v, 0) - cv;
  const bu = whole(b + u, 0) - cu;
  const bv = whole(b + v, 0) - cv;
  return signOf128(minorLow(au, bv, av, bu), minorHigh(au, bv, av, bu));
}

@inline
function whole(point: usize, offset: usize): i64 {
  return load<i64>(point + offset, WHOLE);
}

/** p q - r s modulo 2^64, and the part above it. */
@inline
function minorLow(p: i64, q: i64, r: i64, s: i64): i64 {
  return p * q - r * s;
}

function minorHigh(p: i64, q: i64, r: i64, s: i64): i64 {
  return highProduct(p, q) - highProduct(r, s) - i64(<u64>(p * q) < <u64>(r * s));
}

const LOW: i64 = 0xffffffff;

/** The upper half of a signed 128-bit product (H. S. Warren, "Hacker's Delight", section 8-2). */
@inline
function highProduct(x: i64, y: i64): i64 {
  const xl = x & LOW;
  const xh = x >> 32;
  const yl = y & LOW;
  const yh = y >> 32;
  const middle = xh * yl + <i64>(<u64>(xl * yl) >> 32);
  const other = xl * yh + (middle & LOW);
  return xh * yh + (middle >> 32) + (other >> 32);
}

/** The same for an unsigned x. */
@inline
function highMixedProduct(x: i64, y: i64): i64 {
  return highProduct(x, y) + ((x >> 63) & y);
}

/** The sign of x X + y Y + z Z modulo 2^128, where capitals have 128 bits, low and high. */
function signOfSum(x: i64, y: i64, z: i64, xl: i64, xh: i64, yl: i64, yh: i64, zl: i64, zh: i64): i32 {
  const p = x * xl;
  const q = y * yl;
  const r = z * zl;
  const pq = p + q;
  const low = pq + r;
  const high =
    highMixedProduct(xl, x) +
    x * xh +
    highMixedProduct(yl, y) +
    y * yh +
    highMixedProduct(zl, z) +
    z * zh +
    i64(<u64>pq < <u64>p) +
    i64(<u64>low < <u64>pq);
  return signOf128(low, high);
}

@inline
function signOf128(low: i64, high: i64): i32 {
  return high < 0 ? -1 : i32((low | high) !== 0);
}

// ------------------------------------------------------------------------------------------------ limbs

const SIZE: u64 = 0x7fffffffffffffff;

function wideTriple(a0: usize, a1: usize, b0: usize, b1: usize, c0: usize, c1: usize): i32 {
  const ax = scratch + DIFFERENCES;
  const bx = ax + 3 * DIFFERENCE_BYTES;
  const cx = bx + 3 * DIFFERENCE_BYTES;
  for (let axis: usize = 0; axis < 3; axis++) {
    const u = axis << 3;
    const v = axis * DIFFERENCE_BYTES;
    const unit = min(unitOf(a0 + u, a1 + u, b0 + u), unitOf(b1 + u, c0 + u, c1 + u));
    difference(a1 + u, a0 + u, unit, ax + v);
    difference(b1 + u, b0 + u, unit, bx + v);
    difference(c1 + u, c0 + u, unit, cx + v);
  }
  const ay = ax + DIFFERENCE_BYTES;
  const az = ay + DIFFERENCE_BYTES;
  const by = bx + DIFFERENCE_BYTES;
  const bz = by + DIFFERENCE_BYTES;
  const cy = cx + DIFFERENCE_BYTES;
  const cz = cy + DIFFERENCE_BYTES;
  const limbs = 1 + most(ax, bx, cx) + most(ay, by, cy) + most(az, bz, cz);
  clearSums(limbs);
  addProduct(by, cz, ax, 1);
  addProduct(bz, cy, ax, -1);
  addProduct(bz, cx, ay, 1);
  addProduct(bx, cz, ay, -1);
  addProduct(bx, cy, az, 1);
  addProduct(by, cx, az, -1);
  return compareSums(limbs);
}

function wideDouble(a: usize, b: usize, c: usize, u: usize, v: usize): i32 {
  const au = scratch + DIFFERENCES;
  const av = au + DIFFERENCE_BYTES;
  const bu = av + DIFFERENCE_BYTES;
  const bv = bu + DIFFERENCE_BYTES;
  const one = scratch + ONE;
  const unitU = unitOf(a + u, b + u, c + u);
  const unitV = unitOf(a + v, b + v, c + v);
  difference(a + u, c + u, unitU, au);
  difference(b + u, c + u, unitU, bu);
  difference(a + v, c + v, unitV, av);
  difference(b + v, c + v, unitV, bv);
  store<i32>(one, 1);
  store<i32>(one, 1, 4);
  store<u32>(one, 1, 8);
  const limbs = 2 + most(au, bu, bu) + most(av, bv, bv);
  clearSums(limbs);
  addProduct(au, bv, one, 1);
  addProduct(av, bu, one, -1);
  return compareSums(limbs);
}

@inline
function most(a: usize, b: usize, c: usize): i32 {
  return max(max(load<i32>(a, 4), load<i32>(b, 4)), load<i32>(c, 4));
}

/** The greatest e for which three doubles are whole numbers of 2^(e - 1075); huge if all are 0. */
function unitOf(x: usize, y: usize, z: usize): i32 {
  return min(min(unit(load<u64>(x)), unit(load<u64>(y))), unit(load<u64>(z)));
}

@inline
function unit(bits: u64): i32 {
  return bits << 1 === 0 ? 4096 : exponent(bits) + <i32>ctz(mantissa(bits));
}

@inline
function exponent(bits: u64): i32 {
  return max(<i32>(bits >> 52) & 0x7ff, 1);
}

@inline
function mantissa(bits: u64): u64 {
  const fraction = bits & 0xfffffffffffff;
  return (<i32>(bits >> 52) & 0x7ff) === 0 ? fraction : fraction | 0x10000000000000;
}

/** Writes sign, length and limbs (at most 66) of x - y in `units` (see unitOf) at `to`. */
function difference(xAt: usize, yAt: usize, units: i32, to: usize): void {
  const isLess = load<f64>(xAt) < load<f64>(yAt);
  if (load<f64>(xAt) === load<f64>(yAt)) {
    store<u64>(to, 0);
    return;
  }
  const x = load<u64>(xAt);
  const y = load<u64>(yAt);
  const larger = max(x & SIZE, y & SIZE);
  const smaller = min(x & SIZE, y & SIZE);
  const turn: i64 = <i64>(x ^ y) < 0 ? 0 : -1; // sizes are added or, as x ^ -1 = -x - 1, subtracted
  const largerBits = mantissa(larger);
  const smallerBits = mantissa(smaller);
  // Begin of limb 0 in each; the bits below are 0.
  let largerFrom = units - exponent(larger);
  let smallerFrom = units - exponent(smaller);
  // 53 bits from the larger's lowest on, and one for a carry.
  let length = (85 - largerFrom) >> 5;
  let carry: i64 = 0;
  for (let at = to, end = to + (<usize>length << 2); at < end; at += 4) {
    const sum = limbOf(largerBits, largerFrom) + ((limbOf(smallerBits, smallerFrom) ^ turn) - turn) + carry;
    store<u32>(at, <u32>sum, 8);
    carry = sum >> 32;
    largerFrom += 32;
    smallerFrom += 32;
  }
  while (load<u32>(to + (<usize>length << 2), 4) === 0) length--;
  store<i32>(to, isLess ? -1 : 1);
  store<i32>(to, length, 4);
}

@inline
function limbOf(bits: u64, from: i32): i64 {
  if (from >= 64 || from <= -32) return 0;
  return <i64>(from < 0 ? bits << <u64>-from : bits >> <u64>from) & LOW;
}

/** Adds x y z, times a sign, to the sum of its sign. */
function addProduct(x: usize, y: usize, z: usize, sign: i32): void {
  const signOfAll = sign * load<i32>(x) * load<i32>(y) * load<i32>(z);
  if (signOfAll === 0) return;
  const product = scratch + PRODUCT;
  const lengthX = <usize>load<i32>(x, 4) << 2;
  const lengthY = <usize>load<i32>(y, 4) << 2;
  let carry: u64 = 0;
  const first = <u64>load<u32>(x, 8);
  for (let i: usize = 0; i < lengthY; i += 4) {
    const sum = <u64>load<u32>(y + i, 8) * first + carry;
    store<u32>(product + i, <u32>sum);
    carry = sum >> 32;
  }
  store<u32>(product + lengthY, <u32>carry);
  for (let i: usize = 4; i < lengthX; i += 4) addRow(y + 8, lengthY, load<u32>(x + i, 8), product + i, true);
  const sum = scratch + SUMS + (signOfAll > 0 ? 0 : SUM_BYTES);
  const lengthZ = <usize>load<i32>(z, 4) << 2;
  for (let i: usize = 0; i < lengthZ; i += 4) addRow(product, lengthX + lengthY, load<u32>(z + i, 8), sum + i, false);
}

/** Adds a number, times a limb, to limbs; `isNew`: the limbs above are not set yet. */
@inline
function addRow(number: usize, bytes: usize, factor: u64, to: usize, isNew: bool): void {
  const end = number + bytes;
  let carry: u64 = 0;
  while (number < end) {
    const sum = <u64>load<u32>(number) * factor + load<u32>(to) + carry;
    store<u32>(to, <u32>sum);
    carry = sum >> 32;
    number += 4;
    to += 4;
  }
  if (isNew) {
    store<u32>(to, <u32>carry);
    return;
  }
  while (carry !== 0) {
    const sum = <u64>load<u32>(to) + carry;
    store<u32>(to, <u32>sum);
    carry = sum >> 32;
    to += 4;
  }
}

function clearSums(limbs: i32): void {
  for (let at = scratch, end = scratch + (<usize>limbs << 2); at < end; at += 4) {
    store<u32>(at, 0, SUMS);
    store<u32>(at, 0, SUMS + SUM_BYTES);
  }
}

function compareSums(limbs: i32): i32 {
  for (let i = limbs - 1; i >= 0; i--) {
    const positive = load<u32>(scratch + (<usize>i << 2), SUMS);
    const negative = load<u32>(scratch + (<usize>i << 2), SUMS + SUM_BYTES);
    if (positive !== negative) return positive > negative ? 1 : -1;
  }
  return 0;
}
