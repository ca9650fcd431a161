/**
 * Decodes, fits and rounds two boxes of 40 or of 20 bytes a node at a time, in doubles.
 *
 * binary.as.ts lists the errors that `margin` covers.
 */

import { pair } from '../../../kernels/binned-split.as';
import { dotTwo, upper } from '../../../kernels/lanes.as';

export const QUATERNION_STEP: f64 = 1.0 / 32767.0;

// The data of two boxes: the entries of their rotations, row-major, f64 x 2 each; the lowest and
// the highest values along three axes, f64 x 2 each; and those of each box, f32 x 4.
export const SPANS: usize = 144;
export const NARROW: usize = 240;
export const TWO: usize = 320;

/** Address of the data of the two boxes. */
export let two: usize = 0;
let nodeBytes: usize = 0;
let margin: f64 = 0;
let centreStep: f64 = 1;
let extentStep: f64 = 1;
let localReach: v128 = f64x2.splat(0);

/** Settings of a tree: the steps are 1 for 40 bytes a node. */
export function beginTwo(bytes: usize, marginOfTree: f64, stepOfCentres: f64, stepOfExtents: f64): void {
  nodeBytes = bytes;
  margin = marginOfTree;
  centreStep = stepOfCentres;
  extentStep = stepOfExtents;
  localReach = f64x2.splat(0);
}

/** Continues with another two boxes. */
@inline
export function setTwo(at: usize): void {
  two = at;
}

/** The boxes' largest distance from the origin since beginTwo. */
export function reachOfTwo(): f64 {
  return max(f64x2.extract_lane(localReach, 0), f64x2.extract_lane(localReach, 1));
}

@inline
function entry(i: usize): v128 {
  return v128.load(two + (i << 4));
}

@inline
export function narrowed(i: usize): v128 {
  return f32x4.demote_f64x2_zero(entry(i));
}

/** The first two columns of a row of both rotations. */
@inline
export function columnsOf(row: usize): v128 {
  return v128.shuffle<i32>(narrowed(row), narrowed(row + 1), 0, 4, 1, 5);
}

/** The coordinate of an anchor's m along axis i of two boxes. */
@inline
function offsetOf(i: usize, m0: v128, m1: v128, m2: v128): v128 {
  return dotTwo(entry(i), entry(i + 3), entry(i + 6), m0, m1, m2);
}

@inline
export function spanTwo(m0: v128, m1: v128, m2: v128, pad: v128): void {
  const from = two + NARROW;
  const to = two + SPANS;
  const offset0 = offsetOf(0, m0, m1, m2);
  const offset1 = offsetOf(1, m0, m1, m2);
  const offset2 = offsetOf(2, m0, m1, m2);
  for (let part: usize = 0; part < 32; part += 16) {
    const a = v128.load(from + part);
    const b = v128.load(from + part, 32);
    const by = part == 0 ? f64x2.neg(pad) : pad;
    const xy = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
    const at = to + 3 * part;
    v128.store(at, f64x2.add(f64x2.add(f64x2.promote_low_f32x4(xy), offset0), by));
    v128.store(at, f64x2.add(f64x2.add(f64x2.promote_low_f32x4(upper(xy)), offset1), by), 16);
    const z = v128.shuffle<i32>(a, b, 2, 6, 2, 6);
    v128.store(at, f64x2.add(f64x2.add(f64x2.promote_low_f32x4(z), offset2), by), 32);
  }
}

/** Writes the entries of two rotations, in the operations of tree/node.ts. */
@inline
export function decodeTwo(a: usize, b: usize): void {
  let x: v128;
  let y: v128;
  let z: v128;
  if (nodeBytes == 40) {
    const xy = v128.shuffle<i32>(v128.load64_zero(a), v128.load64_zero(b), 0, 4, 1, 5);
    x = f64x2.promote_low_f32x4(xy);
    y = f64x2.promote_low_f32x4(upper(xy));
    z = f64x2.promote_low_f32x4(v128.load32_lane(b + 8, v128.load32_zero(a, 8), 1));
  } else {
    const step = f64x2.splat(QUATERNION_STEP);
    x = f64x2.mul(pair(<f64>load<i16>(a), <f64>load<i16>(b)), step);
    y = f64x2.mul(pair(<f64>load<i16>(a, 2), <f64>load<i16>(b, 2)), step);
    z = f64x2.mul(pair(<f64>load<i16>(a, 4), <f64>load<i16>(b, 4)), step);
  }
  const one = f64x2.splat(1);
  const xx = f64x2.mul(x, x);
  const yy = f64x2.mul(y, y);
  const zz = f64x2.mul(z, z);
  const w = f64x2.sqrt(f64x2.pmax(f64x2.splat(0), f64x2.sub(one, f64x2.add(f64x2.add(xx, yy), zz))));
  const xy = f64x2.mul(x, y);
  const xz = f64x2.mul(x, z);
  const yz = f64x2.mul(y, z);
  const xw = f64x2.mul(x, w);
  const yw = f64x2.mul(y, w);
  const zw = f64x2.mul(z, w);
  v128.store(two, f64x2.sub(one, twice(f64x2.add(yy, zz))));
  v128.store(two, twice(f64x2.sub(xy, zw)), 16);
  v128.store(two, twice(f64x2.add(xz, yw)), 32);
  v128.store(two, twice(f64x2.add(xy, zw)), 48);
  v128.store(two, f64x2.sub(one, twice(f64x2.add(xx, zz))), 64);
  v128.store(two, twice(f64x2.sub(yz, xw)), 80);
  v128.store(two, twice(f64x2.sub(xz, yw)), 96);
  v128.store(two, twice(f64x2.add(yz, xw)), 112);
  v128.store(two, f64x2.sub(one, twice(f64x2.add(xx, yy))), 128);
}

@inline
function twice(v: v128): v128 {
  return f64x2.add(v, v);
}

/** Writes centers and half extents of two boxes from their rotations and spans. */
@inline
export function fitTwo(a: usize, b: usize): void {
  const spans = two + SPANS;
  const low0 = v128.load(spans);
  const low1 = v128.load(spans, 16);
  const low2 = v128.load(spans, 32);
  const high0 = v128.load(spans, 48);
  const high1 = v128.load(spans, 64);
  const high2 = v128.load(spans, 80);
  const half = f64x2.splat(0.5);
  const middle0 = f64x2.mul(f64x2.add(low0, high0), half);
  const middle1 = f64x2.mul(f64x2.add(low1, high1), half);
  const middle2 = f64x2.mul(f64x2.add(low2, high2), half);
  const x = storeCentre(a, b, 0, centreOf(0, middle0, middle1, middle2));
  const y = storeCentre(a, b, 1, centreOf(3, middle0, middle1, middle2));
  const z = storeCentre(a, b, 2, centreOf(6, middle0, middle1, middle2));
  const half0 = storeHalf(a, b, 0, low0, high0, offsetOf(0, x, y, z));
  const half1 = storeHalf(a, b, 1, low1, high1, offsetOf(1, x, y, z));
  const half2 = storeHalf(a, b, 2, low2, high2, offsetOf(2, x, y, z));
  const beyond = f64x2.pmax(f64x2.pmax(f64x2.abs(x), f64x2.abs(y)), f64x2.abs(z));
  localReach = f64x2.pmax(localReach, f64x2.add(beyond, f64x2.add(f64x2.add(half0, half1), half2)));
}

@inline
function centreOf(row: usize, middle0: v128, middle1: v128, middle2: v128): v128 {
  return dotTwo(entry(row), entry(row + 1), entry(row + 2), middle0, middle1, middle2);
}

/** Stores a coordinate of two centers, and returns it as a reader decodes it. */
@inline
function storeCentre(a: usize, b: usize, k: usize, centre: v128): v128 {
  if (nodeBytes == 40) {
    // No -0, as in a build.
    const rounded = f32x4.demote_f64x2_zero(f64x2.add(centre, f64x2.splat(0)));
    v128.store_lane<f32>(a + 12 + (k << 2), rounded, 0);
    v128.store_lane<f32>(b + 12 + (k << 2), rounded, 1);
    return f64x2.promote_low_f32x4(rounded);
  }
  const step = f64x2.splat(centreStep);
  const most = f64x2.splat(32767);
  const steps = f64x2.pmax(f64x2.neg(most), f64x2.pmin(most, f64x2.nearest(f64x2.div(centre, step))));
  store<i16>(a + 6 + (k << 1), <i16>(<i32>f64x2.extract_lane(steps, 0)));
  store<i16>(b + 6 + (k << 1), <i16>(<i32>f64x2.extract_lane(steps, 1)));
  return f64x2.mul(steps, step);
}

@inline
function storeHalf(a: usize, b: usize, k: usize, low: v128, high: v128, centre: v128): v128 {
  const farther = f64x2.pmax(f64x2.sub(high, centre), f64x2.sub(centre, low));
  const length = f64x2.add(
    f64x2.mul(farther, f64x2.splat(1.0 + 1.0 / 1099511627776.0)),
    f64x2.splat(margin),
  );
  if (nodeBytes == 40) {
    const rounded = f32x4.demote_f64x2_zero(length);
    const isShort = f64x2.lt(f64x2.promote_low_f32x4(rounded), length);
    // The next float is the next word.
    const upward = i32x4.sub(rounded, v128.shuffle<i32>(isShort, isShort, 0, 2, 0, 2));
    v128.store_lane<u32>(a + 24 + (k << 2), upward, 0);
    v128.store_lane<u32>(b + 24 + (k << 2), upward, 1);
    return length;
  }
  const step = f64x2.splat(extentStep);
  let steps = f64x2.ceil(f64x2.div(length, step));
  const isShort = f64x2.lt(f64x2.mul(steps, step), length);
  steps = f64x2.add(steps, v128.and(isShort, f64x2.splat(1)));
  store<u16>(a + 12 + (k << 1), <u16>(<u32>f64x2.extract_lane(steps, 0)));
  store<u16>(b + 12 + (k << 1), <u16>(<u32>f64x2.extract_lane(steps, 1)));
  return length;
}
