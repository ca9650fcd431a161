/**
 * Anchors are nodes whose points are stored in float32 relative to one of them. Also bounds many
 * anchors.
 *
 * An anchor has a *count* of places in the order of the tree's leaves. See kernel.as.ts for the
 * rounding of its numbers.
 */

import { pair } from '../../../kernels/binned-split.as';
import { dot, leastOf, mostOf } from '../../../kernels/lanes.as';
import { along, BLOCK, firstTwo, originX, originY, originZ, reach, third, turnIntoBlocks } from './vertices.as';

// A record: local origin, f64 x 3; error of its numbers, f64; begin and end of its points' blocks;
// number of places. Then the middle and the half extents of its points' box along the model's axes,
// f32 x 4 each.
export const ANCHOR: usize = 80;
export const PAD: usize = 24;
export const POINTS_FROM: usize = 32;
const POINTS_TO: usize = 36;
const COUNT: usize = 40;
const BOX: usize = 48;

/** With up to this many anchors, boxes above examine all their points. */
const FEW: u32 = 8;

/** Bytes that boundPoints writes. */
export const BOUNDS: usize = 96;

let records: usize = 0;
let ranks: usize = 0;
let sequence: usize = 0;
let stamps: usize = 0;
let bounds: usize = 0;
let stride: usize = 0;
export let anchorCount: u32 = 0;

@inline
export function aligned(bytes: usize): usize {
  return (bytes + 63) & ~63;
}
@inline
export function word(table: usize, i: u32): u32 {
  return load<u32>(table + (<usize>i << 2));
}
@inline
export function setWord(table: usize, i: u32, value: u32): void {
  store<u32>(table + (<usize>i << 2), value);
}

export function anchorBytes(most: u32): usize {
  return aligned(ANCHOR * <usize>most + BOUNDS);
}

/**
 * Begins a tree without anchors.
 *
 * @param toRecords address of anchorBytes()
 * @param toWords two words for each of at most `count` places, and one more
 * @param toStamps a word for each vertex, 0
 * @param toStride bytes from a number of a frame or of spans to the next
 */
export function beginAnchors(
  toRecords: usize,
  toWords: usize,
  toStamps: usize,
  count: u32,
  toStride: usize,
): void {
  bounds = toRecords;
  records = toRecords + BOUNDS;
  ranks = toWords;
  sequence = ranks + (<usize>count << 2) + 4;
  stamps = toStamps;
  stride = toStride;
  anchorCount = 0;
}

@inline
export function recordOf(anchor: u32): usize {
  return records + ANCHOR * <usize>anchor;
}

/** Adds an anchor of `count` places from `first` on. Returns its record. */
export function addAnchor(first: u32, count: u32): usize {
  const record = recordOf(anchorCount);
  setWord(ranks, first, anchorCount++);
  store<u32>(record, count, COUNT);
  return record;
}

/** A vertex relative to another one, whose coordinates are given. */
@inline
export function pointAbout(xy: v128, z: f64, vertex: u32): v128 {
  const point = f32x4.demote_f64x2_zero(f64x2.sub(firstTwo(vertex), xy));
  return f32x4.replace_lane(point, 2, <f32>(third(vertex) - z));
}

/** 1 for a vertex that no anchor of this number, which is not 0, has met; otherwise 0. */
@inline
export function countOnce(vertex: u32, number: u32): usize {
  const stamp = stamps + (<usize>vertex << 2);
  const isNew = <usize>(load<u32>(stamp) != number);
  store<u32>(stamp, number);
  return isNew;
}

/**
 * Turns an anchor's points, f32 x 4 each, into blocks relative to a vertex. Up to three more points
 * fill the last block. Returns the end of the blocks.
 */
export function closeAnchor(record: usize, vertex: u32, from: usize, count: usize): usize {
  const localXY = f64x2.sub(firstTwo(vertex), pair(originX, originY));
  const localZ = third(vertex) - originZ;
  v128.store(record, localXY);
  store<f64>(record, localZ, 16);
  let low = f32x4.splat(0);
  let high = low;
  const end = from + (count << 4);
  for (let at = from; at < end; at += 16) {
    low = f32x4.pmin(low, v128.load(at));
    high = f32x4.pmax(high, v128.load(at));
  }
  for (; count & 3; count++) v128.store(from + (count << 4), v128.load(from));
  const last = turnIntoBlocks(from, from + (count << 4));
  store<u32>(record, <u32>from, POINTS_FROM);
  store<u32>(record, <u32>last, POINTS_TO);
  store<f64>(record, mostOf(f32x4.pmax(high, f32x4.neg(low))) * (1.0 / 1048576.0), PAD);
  const half = f32x4.splat(0.5);
  const local = f32x4.replace_lane(f32x4.demote_f64x2_zero(localXY), 2, <f32>localZ);
  v128.store(record, f32x4.add(local, f32x4.mul(f32x4.add(low, high), half)), BOX);
  v128.store(record, f32x4.mul(f32x4.sub(high, low), half), BOX + 16);
  return last;
}

/** Orders the anchors by their places, after the last one is added. */
export function orderAnchors(): void {
  let place: u32 = 0;
  for (let i: u32 = 0; i < anchorCount; i++) {
    const record = recordOf(word(ranks, place));
    setWord(sequence, i, <u32>record);
    setWord(ranks, place, i);
    place += load<u32>(record, COUNT);
  }
  setWord(ranks, place, anchorCount);
}

// ----------------------------------------------------------------------------------------- frames

/** The entries of a rotation, whose columns are the axes. */
export let f00: v128 = f32x4.splat(0);
export let f01: v128 = f32x4.splat(0);
export let f02: v128 = f32x4.splat(0);
export let f10: v128 = f32x4.splat(0);
export let f11: v128 = f32x4.splat(0);
export let f12: v128 = f32x4.splat(0);
export let f20: v128 = f32x4.splat(0);
export let f21: v128 = f32x4.splat(0);
export let f22: v128 = f32x4.splat(0);

@inline
export function setFrame(
  r00: f64,
  r01: f64,
  r02: f64,
  r10: f64,
  r11: f64,
  r12: f64,
  r20: f64,
  r21: f64,
  r22: f64,
): void {
  f00 = f32x4.splat(<f32>r00);
  f01 = f32x4.splat(<f32>r01);
  f02 = f32x4.splat(<f32>r02);
  f10 = f32x4.splat(<f32>r10);
  f11 = f32x4.splat(<f32>r11);
  f12 = f32x4.splat(<f32>r12);
  f20 = f32x4.splat(<f32>r20);
  f21 = f32x4.splat(<f32>r21);
  f22 = f32x4.splat(<f32>r22);
}

/** Writes the lowest four numbers of points along each axis, and the highest. */
export function boundPoints(from: usize, to: usize, out: usize): void {
  let a0 = f32x4.splat(Infinity);
  let b0 = a0;
  let c0 = a0;
  let a1 = f32x4.splat(-Infinity);
  let b1 = a1;
  let c1 = a1;
  const g00 = f00;
  const g01 = f01;
  const g02 = f02;
  const g10 = f10;
  const g11 = f11;
  const g12 = f12;
  const g20 = f20;
  const g21 = f21;
  const g22 = f22;
  for (let block = from; block < to; block += BLOCK) {
    const x = v128.load(block);
    const y = v128.load(block, 16);
    const z = v128.load(block, 32);
    const a = dot(g00, g10, g20, x, y, z);
    const b = dot(g01, g11, g21, x, y, z);
    const c = dot(g02, g12, g22, x, y, z);
    a0 = f32x4.pmin(a0, a);
    b0 = f32x4.pmin(b0, b);
    c0 = f32x4.pmin(c0, c);
    a1 = f32x4.pmax(a1, a);
    b1 = f32x4.pmax(b1, b);
    c1 = f32x4.pmax(c1, c);
  }
  v128.store(out, a0);
  v128.store(out, b0, 16);
  v128.store(out, c0, 32);
  v128.store(out, a1, 48);
  v128.store(out, b1, 64);
  v128.store(out, c1, 80);
}

// ------------------------------------------------------------------------------------------- above

/** Three numbers, a stride apart. */
@inline
function three(at: usize): v128 {
  const xy = f32x4.demote_f64x2_zero(pair(load<f64>(at), load<f64>(at + stride)));
  return f32x4.replace_lane(xy, 2, <f32>load<f64>(at + 2 * stride));
}

/**
 * Writes the spans of places along a frame's axes, lowest and then highest. It uses the points of
 * the anchors whose own boxes extend farthest, and then of those that are not within the result so
 * far.
 *
 * The boxes are projected in float32, relative to the tree's origin, with an error below 11 x 2^-24
 * R. Points are, with `pad`, within 2^-19 R and another 2^-20 R of it, so `slack` is 2^-18 R.
 *
 * @param first, end places where anchors begin and end
 * @param frame address of nine doubles, row-major, a stride apart, as setFrame has them
 */
export function boundAnchors(first: u32, end: u32, frame: usize, spans: usize): void {
  const highs = spans + 3 * stride;
  for (let span = spans; span < highs; span += stride) {
    store<f64>(span, Infinity);
    store<f64>(span + 3 * stride, -Infinity);
  }
  const from = word(ranks, first);
  const to = word(ranks, end);
  if (to - from <= FEW) {
    for (let i = from; i < to; i++) boundAnchor(i, frame, spans);
    return;
  }
  const gx = three(frame);
  const gy = three(frame + 3 * stride);
  const gz = three(frame + 6 * stride);
  const ax = f32x4.abs(gx);
  const ay = f32x4.abs(gy);
  const az = f32x4.abs(gz);
  let low = f32x4.splat(Infinity);
  let high = f32x4.splat(-Infinity);
  let lowest = i32x4.splat(0);
  let highest = lowest;
  for (let i = from; i < to; i++) {
    const box = <usize>word(sequence, i) + BOX;
    const middle = along(box, gx, gy, gz);
    const half = along(box + 16, ax, ay, az);
    const number = i32x4.splat(i);
    const l = f32x4.sub(middle, half);
    const h = f32x4.add(middle, half);
    lowest = v128.bitselect(number, lowest, f32x4.lt(l, low));
    highest = v128.bitselect(number, highest, f32x4.gt(h, high));
    low = f32x4.pmin(low, l);
    high = f32x4.pmax(high, h);
  }
  boundAnchor(i32x4.extract_lane(lowest, 0), frame, spans);
  boundAnchor(i32x4.extract_lane(lowest, 1), frame, spans);
  boundAnchor(i32x4.extract_lane(lowest, 2), frame, spans);
  boundAnchor(i32x4.extract_lane(highest, 0), frame, spans);
  boundAnchor(i32x4.extract_lane(highest, 1), frame, spans);
  boundAnchor(i32x4.extract_lane(highest, 2), frame, spans);
  const slack = f32x4.splat(<f32>(reach * (1.0 / 262144.0)));
  low = f32x4.add(three(spans), slack);
  high = f32x4.sub(three(highs), slack);
  for (let i = from; i < to; i++) {
    const box = <usize>word(sequence, i) + BOX;
    const middle = along(box, gx, gy, gz);
    const half = along(box + 16, ax, ay, az);
    const isBeyond = v128.or(f32x4.lt(f32x4.sub(middle, half), low), f32x4.gt(f32x4.add(middle, half), high));
    if (!(i32x4.bitmask(isBeyond) & 7)) continue;
    boundAnchor(i, frame, spans);
    low = f32x4.add(three(spans), slack);
    high = f32x4.sub(three(highs), slack);
  }
}

/** Widens spans by the points of an anchor of the sequence. */
function boundAnchor(i: u32, frame: usize, spans: usize): void {
  const record = <usize>word(sequence, i);
  boundPoints(<usize>load<u32>(record, POINTS_FROM), <usize>load<u32>(record, POINTS_TO), bounds);
  for (let axis: usize = 0; axis < 3; axis++) {
    const row0 = frame + stride * axis;
    const row1 = row0 + 3 * stride;
    const row2 = row1 + 3 * stride;
    const offset =
      load<f64>(row0) * load<f64>(record) +
      load<f64>(row1) * load<f64>(record, 8) +
      load<f64>(row2) * load<f64>(record, 16);
    const at = spans + stride * axis;
    const numbers = bounds + 16 * axis;
    const low = leastOf(v128.load(numbers)) + offset - load<f64>(record, PAD);
    const high = mostOf(v128.load(numbers, 48)) + offset + load<f64>(record, PAD);
    if (low < load<f64>(at)) store<f64>(at, low);
    if (high > load<f64>(at + 3 * stride)) store<f64>(at + 3 * stride, high);
  }
}
