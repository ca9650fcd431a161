/** Writes wide nodes (../tree/wide-node.ts) along given axes; wide.as.ts proves them. */

import { BOX, lowAt, pair, stride } from '../../../kernels/binned-split.as';
import { CENTRE, HIGH, LOW, ROW_BYTES, ROW_HALF, WIDTH } from '../tree/wide-layout.as';

export const FRAME_STEPS: f64 = 32767.0;

@inline
function boundOf(byte: i32, half: f32): f64 {
  return <f64>(<f32>byte * (half * <f32>(2.0 / 255.0)) - half);
}

@inline
function halfOf(bits: u32): f32 {
  return reinterpret<f32>(bits << 16);
}

@inline
function bitsOfHalf(x: f64): u32 {
  const rounded = <f32>x;
  let bits = reinterpret<u32>(rounded);
  if (<f64>rounded < x) bits++;
  const upper = (bits + 0xffff) >>> 16;
  return upper < 0x7f80 ? upper : 0x7f80;
}

/** Writes the frame at `f`: the matrix whose columns are the axes, rounded. */
export function encodeFrame(node: usize, f: usize): void {
  for (let k: usize = 0; k < 3; k++) {
    const row = f + k * 24;
    for (let i: usize = 0; i < 3; i++) {
      store<i16>(node + ROW_BYTES * k + (i << 1), <i16>(<i32>Math.floor(load<f64>(row + (i << 3)) * FRAME_STEPS + 0.5)));
    }
  }
}

/**
 * Writes the node's box and those of its children, with `margin` on all sides. Returns the sum of
 * the center's coordinates and the half extents.
 *
 * @param f the frame, as encodeFrame has it
 * @param boxes of `count` children along the axes
 */
export function encodeBoxes(node: usize, count: i32, f: usize, boxes: usize, margin: f64): f64 {
  let a = v128.load(boxes);
  let b = v128.load(boxes, 16);
  let c = v128.load(boxes, 32);
  for (let j = 1; j < count; j++) {
    const box = boxes + <usize>j * BOX;
    a = f64x2.pmin(a, v128.load(box));
    b = f64x2.pmin(b, v128.load(box, 16));
    c = f64x2.pmin(c, v128.load(box, 32));
  }
  const middle0 = (f64x2.extract_lane(a, 0) - f64x2.extract_lane(b, 0)) / 2.0;
  const middle1 = (f64x2.extract_lane(a, 1) - f64x2.extract_lane(b, 1)) / 2.0;
  const middle2 = (f64x2.extract_lane(c, 0) - f64x2.extract_lane(c, 1)) / 2.0;
  for (let k: usize = 0; k < 3; k++) {
    const row = f + k * 24;
    const centre = load<f64>(row) * middle0 + load<f64>(row, 8) * middle1 + load<f64>(row, 16) * middle2 + 0.0;
    store<f32>(node + (k << 2), <f32>centre, CENTRE);
  }
  const x = <f64>load<f32>(node, CENTRE);
  const y = <f64>load<f32>(node, CENTRE + 4);
  const z = <f64>load<f32>(node, CENTRE + 8);
  let sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  for (let i = 0; i < 3; i++) {
    const g = f + (<usize>i << 3);
    const centre = load<f64>(g) * x + load<f64>(g, 24) * y + load<f64>(g, 48) * z;
    const lows = boxes + lowAt(i);
    sum += <f64>encodeAxis(node, i, count, lows, lows + stride(i), centre, margin);
  }
  return sum;
}

/** Writes a half extent that holds all from the least to the most. Returns it. */
@inline
function storeHalf(node: usize, axis: i32, least: f64, most: f64): f32 {
  let bits = bitsOfHalf(Math.max(0, Math.max(-least, most)));
  while (boundOf(255, halfOf(bits)) < most) bits++;
  store<u16>(node + ROW_BYTES * <usize>axis, <u16>bits, ROW_HALF);
  return halfOf(bits);
}

/** Writes the half extent along an axis, which it returns, and four bytes of bounds each. */
function encodeAxis(node: usize, i: i32, count: i32, lows: usize, highs: usize, centre: f64, margin: f64): f32 {
  const c = f64x2.splat(centre);
  const m = f64x2.splat(margin);
  const second = count > 1 ? BOX : 0;
  const third = count > 2 ? 2 * BOX : 0;
  const fourth = count > 3 ? 3 * BOX : 0;
  const lowA = f64x2.sub(f64x2.sub(pair(load<f64>(lows), load<f64>(lows + second)), c), m);
  const lowB = f64x2.sub(f64x2.sub(pair(load<f64>(lows + third), load<f64>(lows + fourth)), c), m);
  const minusA = pair(load<f64>(highs), load<f64>(highs + second));
  const minusB = pair(load<f64>(highs + third), load<f64>(highs + fourth));
  const highA = f64x2.add(f64x2.sub(f64x2.neg(minusA), c), m);
  const highB = f64x2.add(f64x2.sub(f64x2.neg(minusB), c), m);
  const lowest = f64x2.pmin(lowA, lowB);
  const highest = f64x2.pmax(highA, highB);
  const least = Math.min(f64x2.extract_lane(lowest, 0), f64x2.extract_lane(lowest, 1));
  const most = Math.max(f64x2.extract_lane(highest, 0), f64x2.extract_lane(highest, 1));
  const half = storeHalf(node, i, least, most);
  const low = floatsBelow(lowA, lowB);
  const high = floatsAbove(highA, highB);
  const zero = i32x4.splat(0);
  const last = i32x4.splat(255);
  const one = i32x4.splat(1);
  // A guess. If it is one too few or too many, the right number.
  const perByte = f32x4.splat(<f32>(127.5 / <f64>half));
  const vh = f32x4.splat(half);
  let byte = i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.add(low, vh), perByte));
  byte = i32x4.min_s(i32x4.max_s(byte, zero), last);
  byte = i32x4.sub(byte, v128.and(one, f32x4.gt(boundsOf(byte, half), low)));
  byte = i32x4.add(byte, v128.and(one, f32x4.le(boundsOf(i32x4.add(byte, one), half), low)));
  byte = i32x4.min_s(byte, last);
  const isLow = v128.and(
    f32x4.le(boundsOf(byte, half), low),
    v128.or(i32x4.eq(byte, last), f32x4.gt(boundsOf(i32x4.add(byte, one), half), low)),
  );
  let upper = i32x4.trunc_sat_f32x4_s(f32x4.mul(f32x4.add(high, vh), perByte));
  upper = i32x4.min_s(i32x4.max_s(upper, zero), last);
  upper = i32x4.add(upper, v128.and(one, f32x4.lt(boundsOf(upper, half), high)));
  upper = i32x4.sub(upper, v128.and(one, f32x4.ge(boundsOf(i32x4.sub(upper, one), half), high)));
  upper = i32x4.max_s(upper, zero);
  const isHigh = v128.and(
    f32x4.ge(boundsOf(upper, half), high),
    v128.or(i32x4.eq(upper, zero), f32x4.lt(boundsOf(i32x4.sub(upper, one), half), high)),
  );
  const to = node + WIDTH * <usize>i;
  const missing: u32 = count == WIDTH ? 0 : 0xffffffff << (8 * count);
  store<u32>(to, fourBytes(byte) | missing, LOW);
  store<u32>(to, fourBytes(upper) & ~missing, HIGH);
  if (i32x4.all_true(v128.and(isLow, isHigh))) return half;
  for (let j = 0; j < count; j++) {
    const box = <usize>j * BOX;
    mendByte(to + <usize>j, half, load<f64>(lows + box) - centre - margin, -load<f64>(highs + box) - centre + margin);
  }
  return half;
}

/** Writes the bytes of a child's bounds, which is not empty. */
function mendByte(to: usize, half: f32, low: f64, high: f64): void {
  let byte = <i32>load<u8>(to, LOW);
  while (byte < 255 && boundOf(byte + 1, half) <= low) byte++;
  while (boundOf(byte, half) > low) byte--;
  store<u8>(to, <u8>byte, LOW);
  byte = <i32>load<u8>(to, HIGH);
  while (byte > 0 && boundOf(byte - 1, half) >= high) byte--;
  while (boundOf(byte, half) < high) byte++;
  store<u8>(to, <u8>byte, HIGH);
}

/** boundOf, for four numbers. */
@inline
function boundsOf(bytes: v128, half: f32): v128 {
  const step = half * <f32>(2.0 / 255.0);
  return f32x4.sub(f32x4.mul(f32x4.convert_i32x4_s(bytes), f32x4.splat(step)), f32x4.splat(half));
}

@inline
function fourBytes(v: v128): u32 {
  const words = i16x8.narrow_i32x4_s(v, v);
  return <u32>i32x4.extract_lane(i8x16.narrow_i16x8_u(words, words), 0);
}

@inline
function rounded(a: v128, b: v128): v128 {
  return v128.shuffle<i32>(f32x4.demote_f64x2_zero(a), f32x4.demote_f64x2_zero(b), 0, 1, 4, 5);
}

@inline
function towards(v: v128): v128 {
  return v128.or(i32x4.shr_s(v, 31), i32x4.splat(1));
}

/** The largest single-precision numbers that are not above. */
@inline
function floatsBelow(a: v128, b: v128): v128 {
  const v = rounded(a, b);
  const isA = f64x2.gt(f64x2.promote_low_f32x4(v), a);
  const isB = f64x2.gt(f64x2.promote_low_f32x4(v128.shuffle<i32>(v, v, 2, 3, 2, 3)), b);
  return i32x4.sub(v, v128.and(v128.shuffle<i32>(isA, isB, 0, 2, 4, 6), towards(v)));
}

/** The smallest single-precision numbers that are not below. */
@inline
function floatsAbove(a: v128, b: v128): v128 {
  const v = rounded(a, b);
  const isA = f64x2.lt(f64x2.promote_low_f32x4(v), a);
  const isB = f64x2.lt(f64x2.promote_low_f32x4(v128.shuffle<i32>(v, v, 2, 3, 2, 3)), b);
  return i32x4.add(v, v128.and(v128.shuffle<i32>(isA, isB, 0, 2, 4, 6), towards(v)));
}
