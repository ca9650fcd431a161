/**
 * B's frame in A's, for bounds: engine/pair-kernel.ts, which has the proof, and math/pose.ts in
 * the same order of operations.
 *
 * Kernels compute it once a query and leave it in globals, which are each instance's own.
 */

/** False for an identity pose. */
export let movesA: bool = false;
export let movesB: bool = false;
// T = A^-1 B: its linear part, and its translation.
export let t00: f64 = 1;
export let t01: f64 = 0;
export let t02: f64 = 0;
export let t10: f64 = 0;
export let t11: f64 = 1;
export let t12: f64 = 0;
export let t20: f64 = 0;
export let t21: f64 = 0;
export let t22: f64 = 1;
export let m0: f64 = 0;
export let m1: f64 = 0;
export let m2: f64 = 0;
/**
 * Bound, in A's frame, of mapped bounds' error at a true point of contact; and distance of T's
 * linear part from a rotation.
 */
export let mapped: f64 = 0;
export let skewOfPoses: f64 = 0;
/** Upper bound of how much T lengthens. */
export let normOfPoses: f64 = 1;
/** Lower bound of how much the pose of a lengthens. */
export let shortestOfA: f64 = 1;

const ROUNDING: f64 = 1.0 / 70368744177664.0; // 2^-46
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 1000) << 52);
const RAISED: f64 = 1.0 + 1.0 / 1099511627776.0; // 1 + 2^-40

// @ts-ignore: decorator
@inline
export function at(address: usize, i: usize): f64 {
  return load<f64>(address + (i << 3));
}

function isIdentity(pose: usize): bool {
  for (let i: usize = 0; i < 16; i++) if (at(pose, i) != (i % 5 == 0 ? 1.0 : 0.0)) return false;
  return true;
}

/** minNormBound and normBound of the last pose. */
let shortest: f64 = 1;
let longest: f64 = 1;

function normsOf(m: usize, moves: bool): void {
  if (!moves) {
    shortest = longest = 1;
    return;
  }
  const xx = at(m, 0) * at(m, 0) + at(m, 4) * at(m, 4) + at(m, 8) * at(m, 8);
  const yy = at(m, 1) * at(m, 1) + at(m, 5) * at(m, 5) + at(m, 9) * at(m, 9);
  const zz = at(m, 2) * at(m, 2) + at(m, 6) * at(m, 6) + at(m, 10) * at(m, 10);
  const xy = abs(at(m, 0) * at(m, 1) + at(m, 4) * at(m, 5) + at(m, 8) * at(m, 9));
  const xz = abs(at(m, 0) * at(m, 2) + at(m, 4) * at(m, 6) + at(m, 8) * at(m, 10));
  const yz = abs(at(m, 1) * at(m, 2) + at(m, 5) * at(m, 6) + at(m, 9) * at(m, 10));
  longest = sqrt(max(max(xx + (xy + xz), yy + (yz + xy)), zz + (xz + yz))) * (1.0 + ROUNDING);
  shortest = sqrt(min(min(xx - (xy + xz), yy - (yz + xy)), zz - (xz + yz))) * (1.0 - ROUNDING);
}

function translationOf(pose: usize): f64 {
  return abs(at(pose, 3)) + abs(at(pose, 7)) + abs(at(pose, 11));
}

function moveErrorOf(pose: usize, moves: bool, reach: f64): f64 {
  return moves ? (5.0 / 9007199254740992.0) * (2.0 * reach + translationOf(pose)) + TINY : 0;
}

/**
 * @param a, b addresses of sixteen doubles, row-major: validated poses
 * @param reachA, reachB bounds of the distance of any vertex or bound from its own origin
 */
export function relatePoses(a: usize, b: usize, reachA: f64, reachB: f64): void {
  movesA = !isIdentity(a);
  movesB = !isIdentity(b);
  m0 = at(b, 3);
  m1 = at(b, 7);
  m2 = at(b, 11);
  t00 = at(b, 0);
  t01 = at(b, 1);
  t02 = at(b, 2);
  t10 = at(b, 4);
  t11 = at(b, 5);
  t12 = at(b, 6);
  t20 = at(b, 8);
  t21 = at(b, 9);
  t22 = at(b, 10);
  if (movesA) {
    const c00 = at(a, 5) * at(a, 10) - at(a, 6) * at(a, 9);
    const c01 = at(a, 6) * at(a, 8) - at(a, 4) * at(a, 10);
    const c02 = at(a, 4) * at(a, 9) - at(a, 5) * at(a, 8);
    const d = at(a, 0) * c00 + at(a, 1) * c01 + at(a, 2) * c02;
    const i00 = c00 / d;
    const i01 = (at(a, 2) * at(a, 9) - at(a, 1) * at(a, 10)) / d;
    const i02 = (at(a, 1) * at(a, 6) - at(a, 2) * at(a, 5)) / d;
    const i10 = c01 / d;
    const i11 = (at(a, 0) * at(a, 10) - at(a, 2) * at(a, 8)) / d;
    const i12 = (at(a, 2) * at(a, 4) - at(a, 0) * at(a, 6)) / d;
    const i20 = c02 / d;
    const i21 = (at(a, 1) * at(a, 8) - at(a, 0) * at(a, 9)) / d;
    const i22 = (at(a, 0) * at(a, 5) - at(a, 1) * at(a, 4)) / d;
    const x = m0 - at(a, 3);
    const y = m1 - at(a, 7);
    const z = m2 - at(a, 11);
    m0 = i00 * x + i01 * y + i02 * z;
    m1 = i10 * x + i11 * y + i12 * z;
    m2 = i20 * x + i21 * y + i22 * z;
    const p0 = t00;
    const p1 = t01;
    const p2 = t02;
    const q0 = t10;
    const q1 = t11;
    const q2 = t12;
    t00 = i00 * p0 + i01 * q0 + i02 * t20;
    t01 = i00 * p1 + i01 * q1 + i02 * t21;
    t02 = i00 * p2 + i01 * q2 + i02 * t22;
    t10 = i10 * p0 + i11 * q0 + i12 * t20;
    t11 = i10 * p1 + i11 * q1 + i12 * t21;
    t12 = i10 * p2 + i11 * q2 + i12 * t22;
    t20 = i20 * p0 + i21 * q0 + i22 * t20;
    t21 = i20 * p1 + i21 * q1 + i22 * t21;
    t22 = i20 * p2 + i21 * q2 + i22 * t22;
  }
  normsOf(b, movesB);
  const shortestB = shortest;
  const longestB = longest;
  normsOf(a, movesA);
  shortestOfA = shortest;
  normOfPoses = longestB / shortest;
  const most = max(1.0, normOfPoses);
  const least = min(1.0, shortestB / longest);
  skewOfPoses = most * most - least * least;
  const sizes = reachA + reachB + translationOf(a) + translationOf(b);
  const moved = (moveErrorOf(a, movesA, reachA) + moveErrorOf(b, movesB, reachB)) / shortest;
  mapped = (moved + (1.0 / 35184372088832.0) * sizes) * RAISED + TINY;
}
