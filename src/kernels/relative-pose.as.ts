/**
 * B's frame in A's, for bounds: engine/pair-kernel.ts, which has the proof. Also tests that both
 * poses are rigid, by the numbers of math/pose.ts.
 *
 * Kernels compute it once a query and leave it in globals, which are each instance's own.
 *
 * Letters: M is the linear part of a pose, G = M^T M; a and b are the translations, u = 2^-53.
 * T = A^-1 B, and S is the sum of the reaches, |a| and |b|.
 *
 * NEAR POSES. Poses made of doubles are orthonormal to within a few u, so this case alone needs no
 * inverse, root or division. Let every computed entry of G - I be at most NEAR = 2^-48. The true
 * ones are within 3.2 u of these (normBound), so in norm
 *   |G - I| < 3 (2^-48 + 3.2 u) < 3.4 x 2^-48.
 * M then lengthens by 1 within half of that, which is less than 2^-46. T lengthens by at most
 *   (1 + 2^-46) / (1 - 2^-46) < 1 + 2^-44 = NEAR_NORM,
 * and by more than 1 - 2^-44. The skew is at most
 *   (1 + 2^-44)^2 - (1 - 2^-44)^2 = 2^-42 = NEAR_SKEW.
 * A^T replaces the inverse. Since A^-1 = G^-1 A^T,
 *   |A^-1 - A^T| <= |G^-1 - I| |A^T| < 3.5 x 2^-48 < 0.44 x 2^-45.
 * It is applied to B y + b - a, which is at most S long. An entry of A^T B is a sum of three
 * products, within 3.2 u (Cauchy-Schwarz), so the matrix is within 9.6 u in norm. A^T (b - a) is
 * within 6.6 u of the lengths. Together this is less than
 *   0.44 x 2^-45 S + 10 u S < 0.48 x 2^-45 S.
 * More than half of the 2^-45 S in `mapped` is left for other rounding in callers.
 */

/** False for an identity pose. */
export let movesA: bool = false;
export let movesB: bool = false;
/** Row k of T, t_k0 to t_k2 and the translation m_k: the first two, and the last two. */
export let low0: v128 = i64x2(0, 0);
export let low1: v128 = i64x2(0, 0);
export let low2: v128 = i64x2(0, 0);
export let high0: v128 = i64x2(0, 0);
export let high1: v128 = i64x2(0, 0);
export let high2: v128 = i64x2(0, 0);
/**
 * Bound, in A's frame, of mapped bounds' error at a true point of contact; and distance of T's
 * linear part from a rotation.
 */
export let mapped: f64 = 0;
export let skewOfPoses: f64 = 0;
/** Upper bound of the factor by which T lengthens. */
export let normOfPoses: f64 = 1;
/** Lower bound of the factor by which the pose of a lengthens. */
export let shortestOfA: f64 = 1;

const ROUNDING: f64 = 1.0 / 70368744177664.0; // 2^-46
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 1000) << 52);
const RAISED: f64 = 1.0 + 1.0 / 1099511627776.0; // 1 + 2^-40
const ORTHONORMAL_WITHIN: f64 = 1e-5;
const LARGEST_TRANSLATION: f64 = 1e150;

const NEAR: f64 = 1.0 / 281474976710656.0; // 2^-48
const NEAR_SHORTEST: f64 = 1.0 - 1.0 / 70368744177664.0; // 1 - 2^-46
const NEAR_LONGEST: f64 = 1.0 + 1.0 / 70368744177664.0; // 1 + 2^-46
const NEAR_NORM: f64 = 1.0 + 1.0 / 17592186044416.0; // 1 + 2^-44
const NEAR_SKEW: f64 = 1.0 / 4398046511104.0; // 2^-42

@inline
export function at(address: usize, i: usize): f64 {
  return load<f64>(address + (i << 3));
}

@inline
export function first(v: v128): f64 {
  return f64x2.extract_lane(v, 0);
}

@inline
export function second(v: v128): f64 {
  return f64x2.extract_lane(v, 1);
}

/** A coordinate of T applied to a point: of the row `low`, `high` of T. */
@inline
export function placeOf(low: v128, high: v128, x: f64, y: f64, z: f64): f64 {
  return second(high) + first(low) * x + second(low) * y + first(high) * z;
}

/** A row in float32, with another last number. */
@inline
export function rowOfFloats(low: v128, high: v128, last: f64): v128 {
  const xyz = v128.shuffle<i32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 4);
  return f32x4.replace_lane(xyz, 3, f32(last));
}

// The last measured pose: its least and greatest lengthening.
let moves: bool = false;
let isNear: bool = false;
let shortest: f64 = 1;
let longest: f64 = 1;

/** False unless the pose is rigid. */
function measure(m: usize): bool {
  const l0 = v128.load(m);
  const h0 = v128.load(m, 16);
  const l1 = v128.load(m, 32);
  const h1 = v128.load(m, 48);
  const l2 = v128.load(m, 64);
  const h2 = v128.load(m, 80);
  const zero = f64x2.splat(0);
  const one = f64x2.splat(1);
  const last = v128.and(f64x2.eq(v128.load(m, 96), zero), f64x2.eq(v128.load(m, 112), f64x2(0, 1)));
  const still = v128.and(
    v128.and(f64x2.eq(l0, f64x2(1, 0)), f64x2.eq(l1, f64x2(0, 1))),
    v128.and(v128.and(f64x2.eq(l2, zero), f64x2.eq(h0, zero)), v128.and(f64x2.eq(h1, zero), f64x2.eq(h2, f64x2(1, 0)))),
  );
  moves = !i64x2.all_true(v128.and(still, last));
  if (!moves) {
    isNear = true;
    shortest = longest = 1;
    return true;
  }
  const z0 = v128.shuffle<i64>(h0, h0, 0, 0);
  const z1 = v128.shuffle<i64>(h1, h1, 0, 0);
  const z2 = v128.shuffle<i64>(h2, h2, 0, 0);
  // G: (xx, yy), (xz, yz), (zz, zz), (xy, xy).
  const squares = sumOfThree(f64x2.mul(l0, l0), f64x2.mul(l1, l1), f64x2.mul(l2, l2));
  const byZ = sumOfThree(f64x2.mul(l0, z0), f64x2.mul(l1, z1), f64x2.mul(l2, z2));
  const zz = sumOfThree(f64x2.mul(z0, z0), f64x2.mul(z1, z1), f64x2.mul(z2, z2));
  const xy = sumOfThree(
    f64x2.mul(l0, v128.shuffle<i64>(l0, l0, 1, 0)),
    f64x2.mul(l1, v128.shuffle<i64>(l1, l1, 1, 0)),
    f64x2.mul(l2, v128.shuffle<i64>(l2, l2, 1, 0)),
  );
  const most = f64x2.splat(LARGEST_TRANSLATION);
  const bounded = v128.and(
    v128.and(last, f64x2.le(f64x2.abs(v128.shuffle<i64>(h0, h1, 1, 3)), most)),
    f64x2.le(f64x2.abs(v128.shuffle<i64>(h2, h2, 1, 1)), most),
  );
  const determinant =
    first(l0) * (second(l1) * first(h2) - first(h1) * second(l2)) +
    second(l0) * (first(h1) * first(l2) - first(l1) * first(h2)) +
    first(h0) * (first(l1) * second(l2) - second(l1) * first(l2));
  const isBounded = i64x2.all_true(bounded) && determinant > 0;
  const off1 = f64x2.abs(f64x2.sub(squares, one));
  const off2 = f64x2.abs(byZ);
  const off3 = f64x2.abs(f64x2.sub(zz, one));
  const off4 = f64x2.abs(xy);
  isNear = areAtMost(off1, off2, off3, off4, NEAR);
  if (isNear) {
    shortest = NEAR_SHORTEST;
    longest = NEAR_LONGEST;
    return isBounded;
  }
  // (xz, yz) + (xy, xy), and xz + yz.
  const beside = f64x2.add(off2, off4);
  const besideZ = f64x2.splat(first(off2) + second(off2));
  const longer = f64x2.pmax(f64x2.add(squares, beside), f64x2.add(zz, besideZ));
  const shorter = f64x2.pmin(f64x2.sub(squares, beside), f64x2.sub(zz, besideZ));
  longest = sqrt(max(first(longer), second(longer))) * (1.0 + ROUNDING);
  shortest = sqrt(min(first(shorter), second(shorter))) * (1.0 - ROUNDING);
  return isBounded && areAtMost(off1, off2, off3, off4, ORTHONORMAL_WITHIN);
}

@inline
function sumOfThree(x: v128, y: v128, z: v128): v128 {
  return f64x2.add(f64x2.add(x, y), z);
}

@inline
function areAtMost(p: v128, q: v128, r: v128, s: v128, limit: f64): bool {
  const most = f64x2.splat(limit);
  return i64x2.all_true(
    v128.and(v128.and(f64x2.le(p, most), f64x2.le(q, most)), v128.and(f64x2.le(r, most), f64x2.le(s, most))),
  );
}

function translationOf(pose: usize): f64 {
  return abs(at(pose, 3)) + abs(at(pose, 7)) + abs(at(pose, 11));
}

@inline
function moveErrorOf(moves: bool, reach: f64, translation: f64): f64 {
  return moves ? (5.0 / 9007199254740992.0) * (2.0 * reach + translation) + TINY : 0;
}

/**
 * False unless both poses are rigid.
 *
 * @param a, b addresses of sixteen doubles, row-major
 * @param reachA, reachB bounds of the distance of any vertex or bound from its own origin
 */
export function relatePoses(a: usize, b: usize, reachA: f64, reachB: f64): bool {
  if (!measure(b)) return false;
  const isNearB = isNear;
  const shortestB = shortest;
  const longestB = longest;
  movesB = moves;
  if (!measure(a)) return false;
  movesA = moves;
  if (movesA) setProduct(a, b, isNear);
  else {
    low0 = v128.load(b);
    low1 = v128.load(b, 32);
    low2 = v128.load(b, 64);
    high0 = v128.load(b, 16);
    high1 = v128.load(b, 48);
    high2 = v128.load(b, 80);
  }
  shortestOfA = shortest;
  if (isNear && isNearB) {
    normOfPoses = NEAR_NORM;
    skewOfPoses = NEAR_SKEW;
  } else {
    normOfPoses = longestB / shortest;
    const most = max(1.0, normOfPoses);
    const least = min(1.0, shortestB / longest);
    skewOfPoses = most * most - least * least;
  }
  const shiftA = translationOf(a);
  const shiftB = translationOf(b);
  const sizes = reachA + reachB + shiftA + shiftB;
  const moved = moveErrorOf(movesA, reachA, shiftA) + moveErrorOf(movesB, reachB, shiftB);
  mapped = ((movesA ? moved / shortest : moved) + (1.0 / 35184372088832.0) * sizes) * RAISED + TINY;
  return true;
}

@inline
function setProduct(a: usize, b: usize, isTransposed: bool): void {
  const last = f64x2(0, 1);
  const l0 = v128.load(b);
  const l1 = v128.load(b, 32);
  const l2 = v128.load(b, 64);
  const h0 = f64x2.sub(v128.load(b, 16), f64x2.mul(last, v128.load(a, 16)));
  const h1 = f64x2.sub(v128.load(b, 48), f64x2.mul(last, v128.load(a, 48)));
  const h2 = f64x2.sub(v128.load(b, 80), f64x2.mul(last, v128.load(a, 80)));
  let i00 = at(a, 0);
  let i01 = at(a, 4);
  let i02 = at(a, 8);
  let i10 = at(a, 1);
  let i11 = at(a, 5);
  let i12 = at(a, 9);
  let i20 = at(a, 2);
  let i21 = at(a, 6);
  let i22 = at(a, 10);
  if (!isTransposed) {
    const c00 = i11 * i22 - i21 * i12;
    const c01 = i21 * i02 - i01 * i22;
    const c02 = i01 * i12 - i11 * i02;
    const d = i00 * c00 + i10 * c01 + i20 * c02;
    const c10 = i20 * i12 - i10 * i22;
    const c11 = i00 * i22 - i20 * i02;
    const c12 = i10 * i02 - i00 * i12;
    const c20 = i10 * i21 - i20 * i11;
    const c21 = i20 * i01 - i00 * i21;
    const c22 = i00 * i11 - i10 * i01;
    i00 = c00 / d;
    i01 = c10 / d;
    i02 = c20 / d;
    i10 = c01 / d;
    i11 = c11 / d;
    i12 = c21 / d;
    i20 = c02 / d;
    i21 = c12 / d;
    i22 = c22 / d;
  }
  low0 = rowOf(i00, l0, i01, l1, i02, l2);
  low1 = rowOf(i10, l0, i11, l1, i12, l2);
  low2 = rowOf(i20, l0, i21, l1, i22, l2);
  high0 = rowOf(i00, h0, i01, h1, i02, h2);
  high1 = rowOf(i10, h0, i11, h1, i12, h2);
  high2 = rowOf(i20, h0, i21, h1, i22, h2);
}

@inline
function rowOf(x: f64, u: v128, y: f64, v: v128, z: f64, w: v128): v128 {
  return sumOfThree(f64x2.mul(f64x2.splat(x), u), f64x2.mul(f64x2.splat(y), v), f64x2.mul(f64x2.splat(z), w));
}
