/** Writes the boxes of a node below an anchor, in float32; its frame is stored already. */

import { dotTwo, least4, most4, splat0, splat1, splat2, upper } from '../../../kernels/lanes.as';
import { CENTRE, HIGH, LINK, LOW, ROW_BYTES, ROW_HALF } from '../tree/wide-layout.as';

/** In bytes: rounding in float32 moves a bound and the value of its byte by less than 2^-12. */
const NARROW_ERROR: f64 = 1.0 / 1024.0;

/**
 * Writes the box of a node and those of its children from the lowest and the highest numbers of
 * four children along each axis, about an anchor's local origin. Half extents are at least 2^-98.
 * Returns the node's reach from the tree's origin.
 *
 * A shift is at most 3.5 r long and rounds by 3.5 x 2^-24 r. The projections round by 9 x 2^-24 r.
 * Together this is less than the 16 x 2^-24 r that `by` has for them.
 *
 * @param by bound on the errors of the numbers and of readers
 * @param row0, row1, row2 the rows of F: the first two axes
 * @param thirds, third2 the third axis: x and y, and z
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
  thirds: v128,
  third2: f64,
  offset01: v128,
  offset2: f64,
): f64 {
  // One lane per axis; doubles have two axes in a vector, and the third in both lanes.
  const least = least4(low0, low1, low2, low2);
  const most = most4(high0, high1, high2, high2);
  const least01 = f64x2.promote_low_f32x4(least);
  const least2 = f64x2.promote_low_f32x4(upper(least));
  const most01 = f64x2.promote_low_f32x4(most);
  const most2 = f64x2.promote_low_f32x4(upper(most));
  const off2 = f64x2.splat(offset2);
  const middle01 = f64x2.add(f64x2.mul(f64x2.add(least01, most01), f64x2.splat(0.5)), offset01);
  const middle2 = f64x2.add(f64x2.mul(f64x2.add(least2, most2), f64x2.splat(0.5)), off2);
  const centre = storeCentre(node, row0, row1, row2, thirds, third2, middle01, middle2);
  const xy = f64x2.promote_low_f32x4(centre);
  const z = f64x2.promote_low_f32x4(upper(centre));
  const along = f64x2.mul(thirds, xy);
  const shift01 = f64x2.sub(offset01, dotTwo(row0, row1, row2, v128.shuffle<i64>(xy, xy, 0, 0), upper(xy), z));
  const sum = f64x2.add(f64x2.add(along, v128.shuffle<i64>(along, along, 1, 0)), f64x2.mul(f64x2.splat(third2), z));
  const shift2 = f64x2.sub(off2, sum);
  const more = f64x2.splat(by);
  const half = storeHalves(
    node,
    f64x2.sub(f64x2.add(least01, shift01), more),
    f64x2.sub(f64x2.add(least2, shift2), more),
    f64x2.add(f64x2.add(most01, shift01), more),
    f64x2.add(f64x2.add(most2, shift2), more),
  );
  const half01 = f64x2.promote_low_f32x4(half);
  const half2 = f64x2.promote_low_f32x4(upper(half));
  const perHalf = f32x4.div(f32x4.splat(127.5), half);
  const less = f64x2.splat(1.0 - NARROW_ERROR / 127.5);
  const lows = narrowed(
    f64x2.add(f64x2.sub(shift01, more), f64x2.mul(half01, less)),
    f64x2.add(f64x2.sub(shift2, more), f64x2.mul(half2, less)),
  );
  const beyond = f64x2.splat(1.0 + NARROW_ERROR / 127.5);
  const highs = narrowed(
    f64x2.add(f64x2.add(shift01, more), f64x2.mul(half01, beyond)),
    f64x2.add(f64x2.add(shift2, more), f64x2.mul(half2, beyond)),
  );
  const per0 = splat0(perHalf);
  const per1 = splat1(perHalf);
  const per2 = splat2(perHalf);
  const a = i16x8.narrow_i32x4_s(steps(low0, splat0(lows), per0), steps(low1, splat1(lows), per1));
  const b = i16x8.narrow_i32x4_s(steps(low2, splat2(lows), per2), next(steps(high0, splat0(highs), per0)));
  const c = i16x8.narrow_i32x4_s(next(steps(high1, splat1(highs), per1)), next(steps(high2, splat2(highs), per2)));
  const count = ((load<u32>(node, LINK) >>> 1) & 3) + 1;
  const absent = i32x4.splat(count == 4 ? 0 : <i32>(~(<u32>0) << (8 * count)));
  const isLow = i32x4(-1, -1, -1, 0);
  const first = i8x16.narrow_i16x8_u(a, b);
  v128.store(node, v128.or(v128.andnot(first, absent), v128.and(absent, isLow)), LOW);
  v128.store_lane<u64>(node, v128.andnot(i8x16.narrow_i16x8_u(c, c), absent), 0, HIGH + 4);
  const size = f64x2.abs(xy);
  return (
    f64x2.extract_lane(size, 0) +
    f64x2.extract_lane(size, 1) +
    abs(f64x2.extract_lane(z, 0)) +
    f64x2.extract_lane(half01, 0) +
    f64x2.extract_lane(half01, 1) +
    f64x2.extract_lane(half2, 0)
  );
}

/** Two doubles and a third as three float32. */
@inline
function narrowed(two: v128, third: v128): v128 {
  return v128.shuffle<i32>(f32x4.demote_f64x2_zero(two), f32x4.demote_f64x2_zero(third), 0, 1, 4, 4);
}

/** The result of comparisons of doubles. */
@inline
function masked(two: v128, third: v128): v128 {
  return v128.shuffle<i32>(two, third, 0, 2, 4, 4);
}

/** Writes the center, and returns it as a reader decodes it. */
@inline
function storeCentre(
  node: usize,
  row0: v128,
  row1: v128,
  row2: v128,
  thirds: v128,
  third2: f64,
  middle01: v128,
  middle2: v128,
): v128 {
  const p = f64x2.mul(row0, middle01);
  const q = f64x2.mul(row1, middle01);
  const r = f64x2.mul(row2, middle01);
  const two = f64x2.add(v128.shuffle<i64>(p, q, 0, 2), v128.shuffle<i64>(p, q, 1, 3));
  const xy = f64x2.add(f64x2.add(two, f64x2.mul(thirds, middle2)), f64x2.splat(0));
  const z = f64x2.add(
    f64x2.add(f64x2.add(r, upper(r)), f64x2.mul(f64x2.splat(third2), middle2)),
    f64x2.splat(0),
  );
  const centre = narrowed(xy, z);
  v128.store_lane<u64>(node, centre, 0, CENTRE);
  v128.store_lane<u32>(node, centre, 2, CENTRE + 8);
  return centre;
}

/** Writes half extents that hold all from the least to the most, like storeHalf of a build. */
@inline
function storeHalves(node: usize, least01: v128, least2: v128, most01: v128, most2: v128): v128 {
  const none = f64x2.splat(0);
  const far01 = f64x2.pmax(none, f64x2.pmax(f64x2.neg(least01), most01));
  const far2 = f64x2.pmax(none, f64x2.pmax(f64x2.neg(least2), most2));
  const rounded = narrowed(far01, far2);
  const isShort = masked(
    f64x2.lt(f64x2.promote_low_f32x4(rounded), far01),
    f64x2.lt(f64x2.promote_low_f32x4(upper(rounded)), far2),
  );
  let bits = i32x4.shr_u(i32x4.add(i32x4.sub(rounded, isShort), i32x4.splat(0xffff)), 16);
  bits = i32x4.min_u(bits, i32x4.splat(0x7f80));
  for (;;) {
    const half = i32x4.shl(bits, 16);
    const step = f32x4.mul(half, f32x4.splat(<f32>(2.0 / 255.0)));
    const bound = f32x4.sub(f32x4.mul(f32x4.splat(255), step), half);
    const isLess = masked(
      f64x2.lt(f64x2.promote_low_f32x4(bound), most01),
      f64x2.lt(f64x2.promote_low_f32x4(upper(bound)), most2),
    );
    if (v128.any_true(isLess)) {
      bits = i32x4.sub(bits, isLess);
      continue;
    }
    v128.store_lane<u16>(node, bits, 0, ROW_HALF);
    v128.store_lane<u16>(node, bits, 2, ROW_BYTES + ROW_HALF);
    v128.store_lane<u16>(node, bits, 4, 2 * ROW_BYTES + ROW_HALF);
    return half;
  }
}

@inline
function steps(numbers: v128, from: v128, perHalf: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.add(numbers, from), perHalf));
}
@inline
function next(steps: v128): v128 {
  return i32x4.add(steps, i32x4.splat(1));
}
