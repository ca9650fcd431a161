/** Writes wide nodes (../tree/wide-node.ts) along given axes; wide.as.ts proves them. */

import { BOX, lowAt, stride } from '../../../kernels/binned-split.as';
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

@inline
function byteOf(x: f64): i32 {
  const floor = Math.floor(x);
  return floor > 0 ? (floor < 255 ? <i32>floor : 255) : 0;
}

/**
 * Writes the frame, the node's box and those of its children, with `margin` on all sides. Returns
 * the sum of the center's coordinates and the half extents.
 *
 * @param f the frame: the matrix whose columns are the axes, rounded
 * @param boxes of `count` children along the axes
 */
export function encode(node: usize, count: i32, f: usize, boxes: usize, margin: f64): f64 {
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
    for (let i: usize = 0; i < 3; i++) {
      store<i16>(node + ROW_BYTES * k + (i << 1), <i16>(<i32>Math.floor(load<f64>(row + (i << 3)) * FRAME_STEPS + 0.5)));
    }
    store<f32>(
      node + (k << 2),
      <f32>(load<f64>(row) * middle0 + load<f64>(row, 8) * middle1 + load<f64>(row, 16) * middle2 + 0.0),
      CENTRE,
    );
  }
  const x = <f64>load<f32>(node, CENTRE);
  const y = <f64>load<f32>(node, CENTRE + 4);
  const z = <f64>load<f32>(node, CENTRE + 8);
  let sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  for (let i = 0; i < 3; i++) {
    const g = f + (<usize>i << 3);
    const centre = load<f64>(g) * x + load<f64>(g, 24) * y + load<f64>(g, 48) * z;
    const lows = boxes + lowAt(i);
    const highs = lows + stride(i);
    let reach = 0.0;
    let most: f64 = -Infinity;
    for (let j = 0; j < count; j++) {
      const low = load<f64>(lows + <usize>j * BOX) - centre - margin;
      const high = -load<f64>(highs + <usize>j * BOX) - centre + margin;
      if (-low > reach) reach = -low;
      if (high > most) most = high;
    }
    if (most > reach) reach = most;
    let bits = bitsOfHalf(reach);
    while (boundOf(255, halfOf(bits)) < most) bits++;
    store<u16>(node + ROW_BYTES * <usize>i, <u16>bits, ROW_HALF);
    const half = halfOf(bits);
    sum += <f64>half;
    const perByte = 127.5 / <f64>half;
    const bytes = node + WIDTH * <usize>i;
    for (let j = 0; j < WIDTH; j++) {
      const to = bytes + <usize>j;
      if (j >= count) {
        store<u8>(to, 255, LOW);
        store<u8>(to, 0, HIGH);
        continue;
      }
      const low = load<f64>(lows + <usize>j * BOX) - centre - margin;
      const high = -load<f64>(highs + <usize>j * BOX) - centre + margin;
      let byte = byteOf((low + <f64>half) * perByte);
      while (byte < 255 && boundOf(byte + 1, half) <= low) byte++;
      while (boundOf(byte, half) > low) byte--;
      store<u8>(to, <u8>byte, LOW);
      byte = byteOf((high + <f64>half) * perByte);
      while (byte > 0 && boundOf(byte - 1, half) >= high) byte--;
      while (boundOf(byte, half) < high) byte++;
      store<u8>(to, <u8>byte, HIGH);
    }
  }
  return sum;
}
