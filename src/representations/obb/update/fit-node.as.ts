/** Writes the boxes of a node whose frame is stored already, four children at a time. */

import { CENTRE, HIGH, LINK, LOW, ROW_BYTES, ROW_HALF, WIDTH } from '../tree/wide-layout.as';

/**
 * In bytes: rounding moves the value of a byte by up to 7 x 2^-24 of a half extent, 5.4e-5 of a
 * byte. A bound farther from every whole byte is between the values of the next two.
 */
const NEAR: f64 = 1.0 / 16384.0;

@inline
export function upper(v: v128): v128 {
  return v128.shuffle<i64>(v, v, 1, 1);
}

@inline
export function leastOf(v: v128): f64 {
  const two = f32x4.pmin(v, upper(v));
  return <f64>f32x4.extract_lane(f32x4.pmin(two, v128.shuffle<i32>(two, two, 1, 1, 1, 1)), 0);
}
@inline
export function mostOf(v: v128): f64 {
  const two = f32x4.pmax(v, upper(v));
  return <f64>f32x4.extract_lane(f32x4.pmax(two, v128.shuffle<i32>(two, two, 1, 1, 1, 1)), 0);
}

@inline
function least4(at: usize): f64 {
  const two = f64x2.pmin(v128.load(at), v128.load(at, 16));
  return f64x2.extract_lane(f64x2.pmin(two, upper(two)), 0);
}
@inline
function most4(at: usize): f64 {
  const two = f64x2.pmax(v128.load(at), v128.load(at, 16));
  return f64x2.extract_lane(f64x2.pmax(two, upper(two)), 0);
}

/**
 * Writes the box of a node and those of its children. Returns the node's reach from the tree's
 * origin.
 *
 * @param spans address of four children's f64 for each of three axes: lowest, then highest
 * @param row0, row1, row2, third0, third1, third2 the rows of F: the first two axes, and the third
 */
export function fitNode(
  node: usize,
  spans: usize,
  margin: f64,
  row0: v128,
  row1: v128,
  row2: v128,
  third0: f64,
  third1: f64,
  third2: f64,
): f64 {
  const low0 = least4(spans);
  const low1 = least4(spans + 32);
  const low2 = least4(spans + 64);
  const high0 = most4(spans + 96);
  const high1 = most4(spans + 128);
  const high2 = most4(spans + 160);
  const middle0 = (low0 + high0) / 2.0;
  const middle1 = (low1 + high1) / 2.0;
  const middle2 = (low2 + high2) / 2.0;
  const cx = <f32>(f64x2.extract_lane(row0, 0) * middle0 + f64x2.extract_lane(row0, 1) * middle1 + third0 * middle2 + 0.0);
  const cy = <f32>(f64x2.extract_lane(row1, 0) * middle0 + f64x2.extract_lane(row1, 1) * middle1 + third1 * middle2 + 0.0);
  const cz = <f32>(f64x2.extract_lane(row2, 0) * middle0 + f64x2.extract_lane(row2, 1) * middle1 + third2 * middle2 + 0.0);
  store<f32>(node, cx, CENTRE);
  store<f32>(node, cy, CENTRE + 4);
  store<f32>(node, cz, CENTRE + 8);
  const x = <f64>cx;
  const y = <f64>cy;
  const z = <f64>cz;
  const two = f64x2.add(
    f64x2.add(f64x2.mul(row0, f64x2.splat(x)), f64x2.mul(row1, f64x2.splat(y))),
    f64x2.mul(row2, f64x2.splat(z)),
  );
  const count = ((load<u32>(node, LINK) >>> 1) & 3) + 1;
  const absent = count == 4 ? 0 : ~(<u32>0) << (8 * count);
  return (
    abs(x) +
    abs(y) +
    abs(z) +
    fitAxis(node, 0, spans + 0, margin, f64x2.extract_lane(two, 0), low0, high0, absent) +
    fitAxis(node, 1, spans + 32, margin, f64x2.extract_lane(two, 1), low1, high1, absent) +
    fitAxis(node, 2, spans + 64, margin, third0 * x + third1 * y + third2 * z, low2, high2, absent)
  );
}

/** In bytes: rounding in float32 moves a bound and the value of its byte by less than 2^-12. */
const NARROW_ERROR: f64 = 1.0 / 1024.0;

/**
 * As fitNode, from the lowest and the highest numbers of four children along each axis, float32
 * about an anchor's local origin. Half extents are at least 2^-98.
 *
 * A shift is at most 3.5 r long and rounds by 3.5 x 2^-24 r. The projections, by 9 x 2^-24 r, and
 * this are less than the 16 x 2^-24 r that `by` has for them.
 *
 * @param by what numbers and readers are wrong by
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
  const two = f64x2.add(
    f64x2.add(f64x2.mul(row0, f64x2.splat(x)), f64x2.mul(row1, f64x2.splat(y))),
    f64x2.mul(row2, f64x2.splat(z)),
  );
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

/** Writes a half extent that holds all from the least to the most. */
@inline
function storeHalf(node: usize, axis: usize, least: f64, most: f64): f32 {
  let bits = bitsOfHalf(max(max(-least, most), 0));
  while (<f64>(<f32>255 * (halfOf(bits) * <f32>(2.0 / 255.0)) - halfOf(bits)) < most) bits++;
  store<u16>(node + ROW_BYTES * axis, <u16>bits, ROW_HALF);
  return halfOf(bits);
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

@inline
function halfOf(bits: u32): f32 {
  return reinterpret<f32>(bits << 16);
}

@inline
function bitsOfHalf(x: f64): u32 {
  const rounded = <f32>x;
  const bits = reinterpret<u32>(rounded) + <u32>(<f64>rounded < x);
  const upper = (bits + 0xffff) >>> 16;
  return upper < 0x7f80 ? upper : 0x7f80;
}

@inline
function fitAxis(
  node: usize,
  axis: usize,
  at: usize,
  margin: f64,
  centre: f64, lowest: f64, highest: f64, absent: u32): f64 {
  const about = f64x2.splat(centre);
  const by = f64x2.splat(margin);
  const lowA = f64x2.sub(f64x2.sub(v128.load(at), about), by);
  const lowB = f64x2.sub(f64x2.sub(v128.load(at, 16), about), by);
  const highA = f64x2.add(f64x2.sub(v128.load(at, 96), about), by);
  const highB = f64x2.add(f64x2.sub(v128.load(at, 112), about), by);
  const least = lowest - centre - margin;
  const most = highest - centre + margin;
  const farther = -least > most ? -least : most;
  let bits = bitsOfHalf(farther > 0.0 ? farther : 0.0);
  while (<f64>(<f32>255 * (halfOf(bits) * <f32>(2.0 / 255.0)) - halfOf(bits)) < most) bits++;
  store<u16>(node + ROW_BYTES * axis, <u16>bits, ROW_HALF);
  const half = halfOf(bits);
  const perByte = f64x2.splat(127.5 / <f64>half);
  const shift = f64x2.splat(<f64>half);
  const a = f64x2.mul(f64x2.add(lowA, shift), perByte);
  const b = f64x2.mul(f64x2.add(lowB, shift), perByte);
  const c = f64x2.mul(f64x2.add(highA, shift), perByte);
  const d = f64x2.mul(f64x2.add(highB, shift), perByte);
  const floorA = f64x2.floor(a);
  const floorB = f64x2.floor(b);
  const floorC = f64x2.floor(c);
  const floorD = f64x2.floor(d);
  const restA = f64x2.sub(a, floorA);
  const restB = f64x2.sub(b, floorB);
  const restC = f64x2.sub(c, floorC);
  const restD = f64x2.sub(d, floorD);
  let lows = integers(floorA, floorB);
  let highs = i32x4.add(integers(floorC, floorD), i32x4.splat(1));
  const leastRest = f64x2.pmin(f64x2.pmin(restA, restB), f64x2.pmin(restC, restD));
  const mostRest = f64x2.pmax(f64x2.pmax(restA, restB), f64x2.pmax(restC, restD));
  const isNear = v128.or(
    f64x2.lt(leastRest, f64x2.splat(NEAR)),
    f64x2.gt(mostRest, f64x2.splat(1.0 - NEAR)),
  );
  if (v128.any_true(isNear)) {
    const step = f32x4.splat(half * <f32>(2.0 / 255.0));
    lows = lowBytes(lows, step, f32x4.splat(half), lowA, lowB);
    highs = highBytes(highs, step, f32x4.splat(half), highA, highB);
  }
  const to = node + WIDTH * axis;
  store<u32>(to, packed(lows) | absent, LOW);
  store<u32>(to, packed(highs) & ~absent, HIGH);
  return <f64>half;
}

@inline
function integers(a: v128, b: v128): v128 {
  const last = f64x2.splat(4503599627370496.0);
  return v128.shuffle<i32>(f64x2.add(a, last), f64x2.add(b, last), 0, 2, 4, 6);
}

@inline
function clamped(bytes: v128): v128 {
  return i32x4.min_s(i32x4.max_s(bytes, i32x4.splat(0)), i32x4.splat(255));
}

/** The largest bytes with values of at most four numbers, from bytes next to them. */
function lowBytes(from: v128, step: v128, halves: v128, a: v128, b: v128): v128 {
  let bytes = clamped(from);
  for (;;) {
    const next = i32x4.add(bytes, i32x4.splat(1));
    const isBelow = v128.and(isAtMost(next, step, halves, a, b), i32x4.le_s(next, i32x4.splat(255)));
    if (!v128.any_true(isBelow)) break;
    bytes = i32x4.sub(bytes, isBelow);
  }
  for (;;) {
    const isAbove = v128.not(isAtMost(bytes, step, halves, a, b));
    if (!v128.any_true(isAbove)) break;
    bytes = i32x4.add(bytes, isAbove);
  }
  return bytes;
}

function highBytes(from: v128, step: v128, halves: v128, a: v128, b: v128): v128 {
  let bytes = clamped(from);
  for (;;) {
    const next = i32x4.sub(bytes, i32x4.splat(1));
    const isAbove = v128.and(isAtLeast(next, step, halves, a, b), i32x4.ge_s(next, i32x4.splat(0)));
    if (!v128.any_true(isAbove)) break;
    bytes = i32x4.add(bytes, isAbove);
  }
  for (;;) {
    const isBelow = v128.not(isAtLeast(bytes, step, halves, a, b));
    if (!v128.any_true(isBelow)) break;
    bytes = i32x4.sub(bytes, isBelow);
  }
  return bytes;
}

@inline
function isAtMost(bytes: v128, step: v128, halves: v128, a: v128, b: v128): v128 {
  const bounds = f32x4.sub(f32x4.mul(f32x4.convert_i32x4_s(bytes), step), halves);
  return v128.shuffle<i32>(
    f64x2.le(f64x2.promote_low_f32x4(bounds), a),
    f64x2.le(f64x2.promote_low_f32x4(upper(bounds)), b),
    0,
    2,
    4,
    6,
  );
}
@inline
function isAtLeast(bytes: v128, step: v128, halves: v128, a: v128, b: v128): v128 {
  const bounds = f32x4.sub(f32x4.mul(f32x4.convert_i32x4_s(bytes), step), halves);
  return v128.shuffle<i32>(
    f64x2.ge(f64x2.promote_low_f32x4(bounds), a),
    f64x2.ge(f64x2.promote_low_f32x4(upper(bounds)), b),
    0,
    2,
    4,
    6,
  );
}

@inline
function packed(bytes: v128): u32 {
  return i32x4.extract_lane(v128.shuffle<i8>(bytes, bytes, 0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0);
}
