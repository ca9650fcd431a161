/** Writes the boxes of a node below an anchor whose frame is stored already, in float32. */

import { dotTwo, leastOf, mostOf } from '../../../kernels/lanes.as';
import { storeHalf } from '../make/encode-wide.as';
import { CENTRE, HIGH, LINK, LOW } from '../tree/wide-layout.as';

/** In bytes: rounding in float32 moves a bound and the value of its byte by less than 2^-12. */
const NARROW_ERROR: f64 = 1.0 / 1024.0;

/**
 * Writes the box of a node and those of its children from the lowest and the highest numbers of
 * four children along each axis, about an anchor's local origin. Half extents are at least 2^-98.
 * Returns the node's reach from the tree's origin.
 *
 * A shift is at most 3.5 r long and rounds by 3.5 x 2^-24 r. The projections, by 9 x 2^-24 r, and
 * this are less than the 16 x 2^-24 r that `by` has for them.
 *
 * @param by what numbers and readers are wrong by
 * @param row0, row1, row2, third0, third1, third2 the rows of F: the first two axes, and the third
 * @param offset01, offset2 the local origin along the axes
 */
export function fitNear(
  node: usize,
  low0: v128,
  low1: v128,
  low2: v128,
  high0: v128,
  high1: v128,
  high2: v128,
  by: f64,
  row0: v128,
  row1: v128,
  row2: v128,
  third0: f64,
  third1: f64,
  third2: f64,
  offset01: v128,
  offset2: f64,
): f64 {
  const least0 = leastOf(low0);
  const least1 = leastOf(low1);
  const least2 = leastOf(low2);
  const most0 = mostOf(high0);
  const most1 = mostOf(high1);
  const most2 = mostOf(high2);
  const offset0 = f64x2.extract_lane(offset01, 0);
  const offset1 = f64x2.extract_lane(offset01, 1);
  const middle0 = (least0 + most0) * 0.5 + offset0;
  const middle1 = (least1 + most1) * 0.5 + offset1;
  const middle2 = (least2 + most2) * 0.5 + offset2;
  const cx = <f32>(f64x2.extract_lane(row0, 0) * middle0 + f64x2.extract_lane(row0, 1) * middle1 + third0 * middle2 + 0.0);
  const cy = <f32>(f64x2.extract_lane(row1, 0) * middle0 + f64x2.extract_lane(row1, 1) * middle1 + third1 * middle2 + 0.0);
  const cz = <f32>(f64x2.extract_lane(row2, 0) * middle0 + f64x2.extract_lane(row2, 1) * middle1 + third2 * middle2 + 0.0);
  store<f32>(node, cx, CENTRE);
  store<f32>(node, cy, CENTRE + 4);
  store<f32>(node, cz, CENTRE + 8);
  const x = <f64>cx;
  const y = <f64>cy;
  const z = <f64>cz;
  const two = dotTwo(row0, row1, row2, f64x2.splat(x), f64x2.splat(y), f64x2.splat(z));
  const shift0 = offset0 - f64x2.extract_lane(two, 0);
  const shift1 = offset1 - f64x2.extract_lane(two, 1);
  const shift2 = offset2 - (third0 * x + third1 * y + third2 * z);
  const half0 = storeHalf(node, 0, least0 + shift0 - by, most0 + shift0 + by);
  const half1 = storeHalf(node, 1, least1 + shift1 - by, most1 + shift1 + by);
  const half2 = storeHalf(node, 2, least2 + shift2 - by, most2 + shift2 + by);
  const a = i16x8.narrow_i32x4_s(lowSteps(low0, shift0 - by, half0), lowSteps(low1, shift1 - by, half1));
  const b = i16x8.narrow_i32x4_s(lowSteps(low2, shift2 - by, half2), highSteps(high0, shift0 + by, half0));
  const c = i16x8.narrow_i32x4_s(highSteps(high1, shift1 + by, half1), highSteps(high2, shift2 + by, half2));
  const count = ((load<u32>(node, LINK) >>> 1) & 3) + 1;
  const absent = i32x4.splat(count == 4 ? 0 : <i32>(~(<u32>0) << (8 * count)));
  const isLow = i32x4(-1, -1, -1, 0);
  const first = i8x16.narrow_i16x8_u(a, b);
  v128.store(node, v128.or(v128.andnot(first, absent), v128.and(absent, isLow)), LOW);
  v128.store_lane<u64>(node, v128.andnot(i8x16.narrow_i16x8_u(c, c), absent), 0, HIGH + 4);
  return abs(x) + abs(y) + abs(z) + <f64>half0 + <f64>half1 + <f64>half2;
}

@inline
function lowSteps(low: v128, shift: f64, half: f32): v128 {
  const from = f32x4.splat(<f32>(shift + <f64>half * (1.0 - NARROW_ERROR / 127.5)));
  return i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.add(low, from), f32x4.splat(<f32>127.5 / half)));
}
@inline
function highSteps(high: v128, shift: f64, half: f32): v128 {
  const from = f32x4.splat(<f32>(shift + <f64>half * (1.0 + NARROW_ERROR / 127.5)));
  const steps = i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.add(high, from), f32x4.splat(<f32>127.5 / half)));
  return i32x4.add(steps, i32x4.splat(1));
}
