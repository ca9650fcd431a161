/**
 * Prepares queries about pairs of placed trees for a device. The device receives T and the sources
 * of its axes in doubles, and T in f32, which moves triangles. It
 * makes the axes itself (gpu/kdop-axes.wgsl), with the bits of these doubles.
 *
 * Limits of the device's doubles. They have no numbers below 2^-1022, and no infinities. So a query
 * is left to the processor unless all of these hold:
 *
 * - The entries of T are 0 or at least 2^-120.
 * - The entries of oA - T oB are 0 or at least 2^-450.
 * - All of these, and the radii, are below 2^510.
 *
 * Entries of the direction tables are 0 or at least 1/4. So all coordinates of L are multiples of
 * 2^-173, since products of at least 2^-121 are rounded to such multiples. In the same way v has
 * multiples of 2^-346, p of 2^-680 and w of 2^-400; r has multiples of 2^-346 and its squares of
 * 2^-692. The slack holds 2^-45 of the sizes, which are above 2^-240 (on-device.ts ensures it). So
 * nothing is lost below 2^-1022.
 *
 * Triangles. The device has its points about the trees' origins, in the unit
 *   U = 2^15 times the larger quantum.
 * An operation of the device loses at most u = 2^-23. The exact test sees a corner of a at A x + e
 * and a corner of b at B y + f, where e and f are roundings. The affine map A^-1 takes both to a's
 * frame:
 *   x + A^-1 e   and   T y + A^-1 f.
 * It neither separates triangles that meet nor joins others. The device computes the second point
 * as a sum of four terms:
 *   M y' + t,   M from T,   y' = (y - oB) / U,   t = (T oB - oA) / U.
 * Rounding these to f32 loses u / 2 each; a product loses u there, and three sums 3 u. So the
 * result is within
 *   5.01 u (1.0001 |y'| + |t|)
 * of the true sum. A corner of a is within u / 2 of its size. A^-1 e, A^-1 f and the other
 * roundings of doubles are below the slack of T (engine/pair-kernel.ts).
 *
 * |t| may be large. Beyond FARTHEST the roots are apart. There the error is set so large that the
 * device decides nothing about triangles. The same holds for triangles far outside of their tree's
 * scale, which trees built here never have.
 */
import {
  first, high0, high1, high2, low0, low1, low2, mapped, relatePoses, rowOfFloats, second,
} from '../../../kernels/relative-pose.as';
import {
  ASKED_BYTES, ASKED_NUMBERS, ASKED_POSES, ASKED_RECORDS, ORIGIN, QUANTUM_EXPONENT, QUERY_APART, QUERY_BYTES,
  QUERY_ERROR, QUERY_IS_LEFT, QUERY_NUMBERS, QUERY_ROWS, QUERY_SLACK, QUERY_TURN, RADIUS, REACH,
} from './layout.as';

const LEAST_ENTRY: f64 = reinterpret<f64>(<u64>(1023 - 120) << 52);
const LEAST_APART: f64 = reinterpret<f64>(<u64>(1023 - 450) << 52);
const MOST: f64 = reinterpret<f64>(<u64>(1023 + 510) << 52);
const UNIT_BITS: i32 = 15;
/** Upper bound of translations in U, and of corners in 2^15 times their own quantum. */
const FARTHEST: f64 = 1024;
/** With this error, the device decides nothing about triangles. */
const UNKNOWN: f64 = 1048576;
const ERROR_OF_MOVED: f64 = (5.01 * 1.0001) / 8388608.0;
const ERROR_OF_STORED: f64 = 1.01 / 16777216.0;
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 100) << 52);
const RAISED: f64 = 1.0 + 1.0 / 1048576.0; // 1 + 2^-20

/** The quanta are 2^exponentA and 2^exponentB; `common` is the larger exponent. */
let exponentA: i32 = 0;
let exponentB: i32 = 0;
let common: i32 = 0;
let radiusA: f64 = 0;
let radiusB: f64 = 0;
/** oA - T oB; twice the slack of T. */
let apartX: f64 = 0;
let apartY: f64 = 0;
let apartZ: f64 = 0;
let twiceSlack: f64 = 0;

@inline
function powerOfTwo(exponent: i32): f64 {
  return exponent < -1022 ? 0 : reinterpret<f64>(<u64>(exponent + 1023) << 52);
}

/** False unless the poses are rigid. */
function relateTrees(a: usize, b: usize, poseA: usize, poseB: usize): bool {
  exponentA = load<i32>(a + QUANTUM_EXPONENT);
  exponentB = load<i32>(b + QUANTUM_EXPONENT);
  common = max(exponentA, exponentB);
  radiusA = load<f64>(a + RADIUS);
  radiusB = load<f64>(b + RADIUS);
  const areRigid = relatePoses(poseA, poseB, load<f64>(a + REACH), load<f64>(b + REACH));
  const ox = load<f64>(b + ORIGIN);
  const oy = load<f64>(b + ORIGIN + 8);
  const oz = load<f64>(b + ORIGIN + 16);
  apartX = load<f64>(a + ORIGIN) - placeOf(low0, high0, ox, oy, oz);
  apartY = load<f64>(a + ORIGIN + 8) - placeOf(low1, high1, ox, oy, oz);
  apartZ = load<f64>(a + ORIGIN + 16) - placeOf(low2, high2, ox, oy, oz);
  twiceSlack = 2.0 * mapped;
  return areRigid;
}

/** In the shaders' order of operations. */
@inline
function placeOf(low: v128, high: v128, x: f64, y: f64, z: f64): f64 {
  return first(low) * x + second(low) * y + first(high) * z + second(high);
}

/** Writes `count` queries of trees of 16 bits. layout.as.ts describes input and output. */
export function kdopRelate(asked: usize, count: i32, to: usize): void {
  for (let n = 0; n < count; n++, asked += ASKED_BYTES, to += QUERY_BYTES) {
    const a = <usize>load<u32>(asked + ASKED_RECORDS);
    const b = <usize>load<u32>(asked + ASKED_RECORDS, 4);
    const areRigid = relateTrees(a, b, <usize>load<u32>(asked + ASKED_POSES), <usize>load<u32>(asked + ASKED_POSES, 4));
    v128.store(to + QUERY_TURN, low0);
    store<f64>(to + QUERY_TURN, first(high0), 16);
    v128.store(to + QUERY_TURN, low1, 24);
    store<f64>(to + QUERY_TURN, first(high1), 40);
    v128.store(to + QUERY_TURN, low2, 48);
    store<f64>(to + QUERY_TURN, first(high2), 64);
    store<f64>(to + QUERY_APART, apartX);
    store<f64>(to + QUERY_APART, apartY, 8);
    store<f64>(to + QUERY_APART, apartZ, 16);
    store<f64>(to + QUERY_SLACK, twiceSlack);
    store<u64>(to + QUERY_NUMBERS, load<u64>(asked + ASKED_NUMBERS));
    writeMotion(to);
    store<u32>(to + QUERY_IS_LEFT, areRigid && isForDevice() ? 0 : 1);
  }
}

function writeMotion(to: usize): void {
  const perUnit = powerOfTwo(-common - UNIT_BITS);
  const x = -apartX * perUnit;
  const y = -apartY * perUnit;
  const z = -apartZ * perUnit;
  const most = max(max(abs(x), abs(y)), abs(z));
  const farA = radiusA * perUnit;
  const farB = radiusB * perUnit;
  if (!(isNear(radiusA, exponentA) && isNear(radiusB, exponentB) && most <= FARTHEST)) {
    memory.fill(to + QUERY_ROWS, 0, 48);
    store<f32>(to + QUERY_ERROR, <f32>UNKNOWN);
    return;
  }
  v128.store(to + QUERY_ROWS, rowOfFloats(low0, high0, x));
  v128.store(to + QUERY_ROWS, rowOfFloats(low1, high1, y), 16);
  v128.store(to + QUERY_ROWS, rowOfFloats(low2, high2, z), 32);
  const error = ERROR_OF_MOVED * (farB + most) + ERROR_OF_STORED * farA + twiceSlack * perUnit + TINY;
  store<f32>(to + QUERY_ERROR, <f32>min(UNKNOWN, error * RAISED));
}

/** True if the device has the tree's corners; on-device.ts tests the same. */
function isNear(radius: f64, exponent: i32): bool {
  return radius * powerOfTwo(-exponent - UNIT_BITS) <= FARTHEST;
}

/** True if the device's doubles give the same bits as these. */
function isForDevice(): bool {
  const areEntries =
    isWithin(first(low0), LEAST_ENTRY) & isWithin(second(low0), LEAST_ENTRY) & isWithin(first(high0), LEAST_ENTRY) &
    isWithin(first(low1), LEAST_ENTRY) & isWithin(second(low1), LEAST_ENTRY) & isWithin(first(high1), LEAST_ENTRY) &
    isWithin(first(low2), LEAST_ENTRY) & isWithin(second(low2), LEAST_ENTRY) & isWithin(first(high2), LEAST_ENTRY);
  const areApart = isWithin(apartX, LEAST_APART) & isWithin(apartY, LEAST_APART) & isWithin(apartZ, LEAST_APART);
  return <bool>(areEntries & areApart & u32(radiusA < MOST) & u32(radiusB < MOST));
}

@inline
function isWithin(x: f64, least: f64): u32 {
  const size = abs(x);
  return u32(size == 0) | (u32(size >= least) & u32(size < MOST));
}
