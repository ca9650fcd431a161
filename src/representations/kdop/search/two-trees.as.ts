/**
 * State of a query before it visits nodes: face directions in both frames, and facets.
 * narrow-axes.as.ts and wide-axes.as.ts prepare their axes from it. Letters are those of
 * projection.ts. Globals hold the state; each instance has its own.
 */
import { STEP } from '../../../kernels/layout.as';
import {
  at, m0, m1, m2, mapped, relatePoses, t00, t01, t02, t10, t11, t12, t20, t21, t22,
} from '../../../kernels/relative-pose.as';
import {
  DIRECTIONS, DIRECTIONS_OF, FACET_BYTES, FACETS, HALF_K, NORMAL, ORIGIN, QUANTUM_EXPONENT, RADIUS, REACH, VECTORS,
  WEIGHTS,
} from './layout.as';

export const GAPS: usize = STEP + 576;

/** After MANY_AXES axes the test ends if at most FEW_PAIRS pairs are left. */
export const MANY_AXES: i32 = 12;
export const FEW_PAIRS: u32 = 2;

/** Relative to the radius: rounding errors of v, w and r. */
export const ROUNDING: f64 = 1.0 / 70368744177664.0; // 2^-46
export const RAISED: f64 = 1.0 + 1.0 / 1099511627776.0; // 1 + 2^-40

export let treeA: usize = 0;
export let treeB: usize = 0;
export let directionsA: usize = 0;
export let directionsB: usize = 0;
export let halfA: i32 = 0;
export let halfB: i32 = 0;
export let axisCount: i32 = 0;
/** The quanta are 2^exponentA and 2^exponentB; `common` is the larger exponent. */
export let exponentA: i32 = 0;
export let exponentB: i32 = 0;
export let common: i32 = 0;
export let sizeA: f64 = 0;
export let sizeB: f64 = 0;
export let radiusA: f64 = 0;
export let radiusB: f64 = 0;
/** oA - T oB; twice the slack of T. */
export let apartX: f64 = 0;
export let apartY: f64 = 0;
export let apartZ: f64 = 0;
export let twiceSlack: f64 = 0;

// @ts-ignore: decorator
@inline
export function powerOfTwo(exponent: i32): f64 {
  return exponent < -1022 ? 0 : reinterpret<f64>(<u64>(exponent + 1023) << 52);
}

export function relateTrees(a: usize, b: usize, poseA: usize, poseB: usize, axes: i32): void {
  treeA = a;
  treeB = b;
  directionsA = <usize>load<u32>(a + DIRECTIONS);
  directionsB = <usize>load<u32>(b + DIRECTIONS);
  halfA = load<i32>(a + HALF_K);
  halfB = load<i32>(b + HALF_K);
  axisCount = axes;
  exponentA = load<i32>(a + QUANTUM_EXPONENT);
  exponentB = load<i32>(b + QUANTUM_EXPONENT);
  common = max(exponentA, exponentB);
  sizeA = powerOfTwo(exponentA - common);
  sizeB = powerOfTwo(exponentB - common);
  radiusA = load<f64>(a + RADIUS);
  radiusB = load<f64>(b + RADIUS);
  relatePoses(poseA, poseB, load<f64>(a + REACH), load<f64>(b + REACH));
  const ox = load<f64>(b + ORIGIN);
  const oy = load<f64>(b + ORIGIN + 8);
  const oz = load<f64>(b + ORIGIN + 16);
  apartX = load<f64>(a + ORIGIN) - (t00 * ox + t01 * oy + t02 * oz + m0);
  apartY = load<f64>(a + ORIGIN + 8) - (t10 * ox + t11 * oy + t12 * oz + m1);
  apartZ = load<f64>(a + ORIGIN + 16) - (t20 * ox + t21 * oy + t22 * oz + m2);
  twiceSlack = 2.0 * mapped;
}

// The current axis: the face's direction; L in a's frame; v in b's; p.
export let dx: f64 = 0;
export let dy: f64 = 0;
export let dz: f64 = 0;
export let ax: f64 = 0;
export let ay: f64 = 0;
export let az: f64 = 0;
export let bx: f64 = 0;
export let by: f64 = 0;
export let bz: f64 = 0;
export let between: f64 = 0;

/** Turns axis n: D_j for a face of a, or L = T D_j for one of b. */
export function turnAxis(n: i32): void {
  const ofA = n < halfA;
  const vectors = ofA ? directionsA + VECTORS + 24 * <usize>n : directionsB + VECTORS + 24 * <usize>(n - halfA);
  dx = load<f64>(vectors);
  dy = load<f64>(vectors, 8);
  dz = load<f64>(vectors, 16);
  ax = ofA ? dx : t00 * dx + t01 * dy + t02 * dz;
  ay = ofA ? dy : t10 * dx + t11 * dy + t12 * dz;
  az = ofA ? dz : t20 * dx + t21 * dy + t22 * dz;
  bx = t00 * ax + t10 * ay + t20 * az;
  by = t01 * ax + t11 * ay + t21 * az;
  bz = t02 * ax + t12 * ay + t22 * az;
  between = ax * apartX + ay * apartY + az * apartZ;
}

export function facetOf(directions: usize, x: f64, y: f64, z: f64): usize {
  const p = abs(x);
  const q = abs(y);
  const r = abs(z);
  const cell =
    <usize>(x < 0) |
    (<usize>(y < 0) << 1) |
    (<usize>(z < 0) << 2) |
    (<usize>(p < q) << 3) |
    (<usize>(q < r) << 4) |
    (<usize>(p < r) << 5);
  const pair = directions + (cell << 1);
  const first = directions + FACETS + FACET_BYTES * <usize>load<u8>(pair);
  const second = directions + FACETS + FACET_BYTES * <usize>load<u8>(pair, 1);
  return select<usize>(second, first, along(second, x, y, z) > along(first, x, y, z));
}

// @ts-ignore: decorator
@inline
function along(facet: usize, x: f64, y: f64, z: f64): f64 {
  return load<f64>(facet + NORMAL) * x + load<f64>(facet + NORMAL, 8) * y + load<f64>(facet + NORMAL, 16) * z;
}

/** Returns w 2^15 for one of a facet's three faces; it may be negative. */
// @ts-ignore: decorator
@inline
export function weightOf(facet: usize, face: usize, x: f64, y: f64, z: f64): f64 {
  const weights = facet + WEIGHTS + 24 * face;
  return load<f64>(weights) * x + load<f64>(weights, 8) * y + load<f64>(weights, 16) * z;
}

/** Returns |r| = |v + sum P D|, given P 2^15. */
// @ts-ignore: decorator
@inline
export function restOf(facet: usize, p0: f64, p1: f64, p2: f64, x: f64, y: f64, z: f64): f64 {
  const d = facet + DIRECTIONS_OF;
  const rx = x + p0 * at(d, 0) + p1 * at(d, 3) + p2 * at(d, 6);
  const ry = y + p0 * at(d, 1) + p1 * at(d, 4) + p2 * at(d, 7);
  const rz = z + p0 * at(d, 2) + p1 * at(d, 5) + p2 * at(d, 8);
  return sqrt(rx * rx + ry * ry + rz * rz);
}
