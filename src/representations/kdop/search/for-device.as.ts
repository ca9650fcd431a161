/**
 * What a device needs of pairs of placed trees in their poses: T and what the axes are made of, in
 * doubles, as two-trees.as.ts has them, and T again in f32, which moves triangles. The device makes
 * the axes itself (gpu/kdop-axes.wgsl), with the doubles' bits.
 *
 * What those doubles cannot be. They have no numbers below 2^-1022, and no infinities; so a query is
 * left to the processor unless the entries of T are 0 or of at least 2^-120, those of oA - T oB 0 or
 * of at least 2^-450, and all of them, and the radii, below 2^510. What tables of directions have is
 * 0 or of at least 1/4. So all coordinates of L are multiples of 2^-173, since products of at
 * least 2^-121 are rounded to such; those of v likewise of 2^-346, p of 2^-680, w of 2^-400; r is of
 * 2^-346 and its squares of 2^-692. The slack holds 2^-45 of the sizes, which are above 2^-240, as
 * on-device.ts sees to. So nothing is lost below 2^-1022.
 *
 * Triangles. U is 2^15 of the larger quantum, in which the device has its points, about the trees'
 * origins; u = 2^-23 is the most that an operation of the device loses. With A x + e a corner of a
 * as the exact test sees it, e its rounding, and B y + f one of b: the affine map A^-1 takes both to
 * a's frame, where they are at x + A^-1 e and T y + A^-1 f, and neither parts triangles that meet
 * nor joins others. What the device has of the second is a sum of four terms, M y' + t, with M of T,
 * y' = (y - oB) / U and t = (T oB - oA) / U. These are rounded to f32, which loses u / 2 each; a
 * product loses u there and three sums 3 u. So it is within 5.01 u (1.0001 |y'| + |t|) of the sum
 * itself; a corner of a is within u / 2 of its size. A^-1 e, A^-1 f and what doubles round beside are
 * below the slack of T (query/relative-pose.ts). Nothing says that |t| is small: beyond FARTHEST the
 * roots are apart. There, and where triangles reach far outside of their tree's scale, which no tree
 * of ours has, the error is set so that nothing is told of triangles.
 */
import { t00, t01, t02, t10, t11, t12, t20, t21, t22 } from '../../../kernels/relative-pose.as';
import {
  ASKED_BYTES, ASKED_NUMBERS, ASKED_POSES, ASKED_RECORDS, QUERY_APART, QUERY_BYTES, QUERY_ERROR, QUERY_IS_LEFT,
  QUERY_NUMBERS, QUERY_ROWS, QUERY_SLACK, QUERY_TURN,
} from './layout.as';
import {
  apartX, apartY, apartZ, common, exponentA, exponentB, powerOfTwo, radiusA, radiusB, relateTrees, twiceSlack,
} from './two-trees.as';

const LEAST_ENTRY: f64 = reinterpret<f64>(<u64>(1023 - 120) << 52);
const LEAST_APART: f64 = reinterpret<f64>(<u64>(1023 - 450) << 52);
const MOST: f64 = reinterpret<f64>(<u64>(1023 + 510) << 52);
/** Bits of a quantum to U. */
const UNIT_BITS: i32 = 15;
/** Translations are less, in U, and corners, each in 2^15 of its own quantum. */
const FARTHEST: f64 = 1024;
/** An error beyond which nothing is told. */
const UNKNOWN: f64 = 1048576;
const ERROR_OF_MOVED: f64 = (5.01 * 1.0001) / 8388608.0;
const ERROR_OF_STORED: f64 = 1.01 / 16777216.0;
const TINY: f64 = reinterpret<f64>(<u64>(1023 - 100) << 52);
const RAISED: f64 = 1.0 + 1.0 / 1048576.0; // 1 + 2^-20

/** Writes so many queries of trees of 16 bits: layout.as.ts says what is read and written. */
export function kdopRelate(asked: usize, count: i32, to: usize): void {
  for (let n = 0; n < count; n++, asked += ASKED_BYTES, to += QUERY_BYTES) {
    const a = <usize>load<u32>(asked + ASKED_RECORDS);
    const b = <usize>load<u32>(asked + ASKED_RECORDS, 4);
    relateTrees(a, b, <usize>load<u32>(asked + ASKED_POSES), <usize>load<u32>(asked + ASKED_POSES, 4), 0);
    store<f64>(to + QUERY_TURN, t00);
    store<f64>(to + QUERY_TURN, t01, 8);
    store<f64>(to + QUERY_TURN, t02, 16);
    store<f64>(to + QUERY_TURN, t10, 24);
    store<f64>(to + QUERY_TURN, t11, 32);
    store<f64>(to + QUERY_TURN, t12, 40);
    store<f64>(to + QUERY_TURN, t20, 48);
    store<f64>(to + QUERY_TURN, t21, 56);
    store<f64>(to + QUERY_TURN, t22, 64);
    store<f64>(to + QUERY_APART, apartX);
    store<f64>(to + QUERY_APART, apartY, 8);
    store<f64>(to + QUERY_APART, apartZ, 16);
    store<f64>(to + QUERY_SLACK, twiceSlack);
    store<u64>(to + QUERY_NUMBERS, load<u64>(asked + ASKED_NUMBERS));
    writeMotion(to);
    store<u32>(to + QUERY_IS_LEFT, isForDevice() ? 0 : 1);
  }
}

/** Rows of M and t, and how far a coordinate may be from where it is. */
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
  store<f32>(to + QUERY_ROWS, <f32>t00);
  store<f32>(to + QUERY_ROWS, <f32>t01, 4);
  store<f32>(to + QUERY_ROWS, <f32>t02, 8);
  store<f32>(to + QUERY_ROWS, <f32>x, 12);
  store<f32>(to + QUERY_ROWS, <f32>t10, 16);
  store<f32>(to + QUERY_ROWS, <f32>t11, 20);
  store<f32>(to + QUERY_ROWS, <f32>t12, 24);
  store<f32>(to + QUERY_ROWS, <f32>y, 28);
  store<f32>(to + QUERY_ROWS, <f32>t20, 32);
  store<f32>(to + QUERY_ROWS, <f32>t21, 36);
  store<f32>(to + QUERY_ROWS, <f32>t22, 40);
  store<f32>(to + QUERY_ROWS, <f32>z, 44);
  const error = ERROR_OF_MOVED * (farB + most) + ERROR_OF_STORED * farA + twiceSlack * perUnit + TINY;
  store<f32>(to + QUERY_ERROR, <f32>min(UNKNOWN, error * RAISED));
}

/** Whether the device has a tree's corners: on-device.ts asks the same. */
function isNear(radius: f64, exponent: i32): bool {
  return radius * powerOfTwo(-exponent - UNIT_BITS) <= FARTHEST;
}

/** Whether the device's doubles can be what they are here. */
function isForDevice(): bool {
  const areEntries =
    isWithin(t00, LEAST_ENTRY) & isWithin(t01, LEAST_ENTRY) & isWithin(t02, LEAST_ENTRY) &
    isWithin(t10, LEAST_ENTRY) & isWithin(t11, LEAST_ENTRY) & isWithin(t12, LEAST_ENTRY) &
    isWithin(t20, LEAST_ENTRY) & isWithin(t21, LEAST_ENTRY) & isWithin(t22, LEAST_ENTRY);
  const areApart = isWithin(apartX, LEAST_APART) & isWithin(apartY, LEAST_APART) & isWithin(apartZ, LEAST_APART);
  return <bool>(areEntries & areApart & u32(radiusA < MOST) & u32(radiusB < MOST));
}

// @ts-ignore: decorator
@inline
function isWithin(x: f64, least: f64): u32 {
  const size = abs(x);
  return u32(size == 0) | (u32(size >= least) & u32(size < MOST));
}
