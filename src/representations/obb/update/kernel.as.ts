/**
 * The boxes of a wide tree about vertices that have moved: the tree, its frames and its order stay.
 *
 * Every box is fitted to the vertices below it, not to the boxes below it: a box of boxes grows
 * with each level that turns. So that this costs no more, vertices are projected in float32 about
 * a point near them: an *anchor* is the highest node with at most LARGEST_ANCHOR bottom nodes
 * below it, and m one of its vertices, relative to the tree's origin.
 *
 * Tried before: axes that turn with the surface, exactly known ones in place of what three
 * vertices would say. First contact of 58,784 triangles twisted about an axis, hit and miss, times
 * that of a tree built anew: axes that stay 1.1 and 1.0 after 0.2 radians a unit of length, 2.0
 * and 1.7 after 1, 3.7 and 5.0 after pi; axes that turn 1.0 and 1.0, 1.6 and 1.4, 3.0 and 2.8. A
 * build is due where it matters. Besides, axes that are rounded turn after turn leave their right
 * angles.
 *
 * Rounding. With p a vertex relative to the origin and l = p - m, as they are rounded, F^T p = F^T
 * m + F^T l. F^T l is summed in float32: l, the entries of F, products and two sums round by 2^-24
 * each, so it is wrong by less than 5.1 x 2^-24 sum |F_k| |l_k| < 9 x 2^-24 r, where no coordinate
 * of an l exceeds r; `pad` is 2^-20 r. Everything else is in doubles: p and l round by 3 x 2^-53 R
 * in all, F^T m and the sum by 7 x 2^-53 R, and fitNode by 13 x 2^-53 R, with R the reach:
 * together less than the 32 x 2^-53 R that ../make/kernel.as.ts has in its `margin`, which is
 * added here, too. An underflow in float32 loses 2^-150 a step, seven times, 4.9e-45 in all.
 * `margin` is 256 x 2^-53 R, R >= 1e-30, and a reader needs half of it: the 96 left are 1.06e-44.
 *
 * Below an anchor, boxes are rounded in float32, too, about its local origin (fit-node.as.ts).
 * Above, an anchor is looked at only if its own box reaches beyond what was found.
 *
 * Operations are on four numbers at a time; minima and maxima are exact in any order. A vertex that
 * several triangles of an anchor share is looked at once.
 *
 * Vectors of points are blocks of 48 bytes: x, y, z of four points, float32.
 */

import { pair } from '../../../kernels/binned-split.as';
import { LINK, ROW_BYTES, WIDTH } from '../tree/wide-layout.as';
import { fitNear, fitNode, leastOf, mostOf, upper } from './fit-node.as';
import {
  along,
  firstTwo,
  measure,
  originX,
  originY,
  originZ,
  placePositions,
  reach,
  setBlock,
  third as thirdOf,
  turnIntoBlocks,
} from './vertices.as';

/** Bottom nodes below an anchor, at most. */
const LARGEST_ANCHOR: u32 = 32;
const NONE: u32 = 0xffffffff;
const FRAME_STEPS: f64 = 32767.0;
const POINTS: usize = 48;
const SLOT: usize = 144;
/** Room for the points of a bottom node, f32 x 4 each, and for copies that fill a block. */
const POINTS_OF_SLOT: usize = 192;

// An anchor's record: local origin, f64 x 3; error of its numbers, f64; begin and end of its
// points' blocks; number of bottom nodes; middle and half extents of its points' box along the
// model's axes, f32 x 4 each. Before gathering, its node is stored in place of its points.
const ANCHOR: usize = 80;
const BOX: usize = 48;
const PAD: usize = 24;
const POINTS_FROM: usize = 32;
const POINTS_TO: usize = 36;
const SLOTS_OF: usize = 40;

/** Result in the caller's doubles, after the origin, its reach and the largest coordinate. */
const LOCAL_REACH: usize = 40;

let nodes: usize = 0;
let corners: usize = 0;
let counts: usize = 0;
let firsts: usize = 0;
let anchors: usize = 0;
let atSlots: usize = 0;
let leaves: usize = 0;
let records: usize = 0;
let slots: usize = 0;
let points: usize = 0;
let stamps: usize = 0;
let marks: usize = 0;
let spans: usize = 0;
let margin: f64 = 0;

@inline
function aligned(bytes: usize): usize {
  return (bytes + 63) & ~63;
}

export function wideUpdateScratch(nodeCount: i32, triangles: i32, vertices: i32): f64 {
  const perNode = <f64>(5 * 4 + ANCHOR + SLOT + POINTS_OF_SLOT);
  return perNode * <f64>nodeCount + 5.0 * <f64>vertices + <f64>triangles + 1024.0;
}

/** Returns the address of a byte a vertex, 0. */
function layOut(scratch: usize, nodeCount: u32, triangles: u32, vertices: u32): usize {
  const words = aligned(<usize>nodeCount << 2);
  spans = aligned(scratch);
  slots = spans + 192 + 384;
  points = slots + SLOT * <usize>nodeCount;
  records = points + POINTS_OF_SLOT * <usize>nodeCount;
  counts = records + ANCHOR * <usize>nodeCount;
  firsts = counts + words;
  anchors = firsts + words;
  atSlots = anchors + words;
  leaves = atSlots + words;
  stamps = leaves + words;
  marks = stamps + (<usize>vertices << 2);
  memory.fill(stamps, 0, 5 * <usize>vertices + <usize>triangles);
  return marks + <usize>triangles;
}

/**
 * Fits all boxes of a tree to its vertices. Writes nodes only after checking that they form one
 * tree over all triangles.
 *
 * @param toNodes, toCorners addresses of the nodes, and of three vertex numbers for each place in
 *   the order of the leaves
 * @param toPositions address of the vertices, doubles or, if `floats`, float32
 * @param toResult address of six doubles: see LOCAL_REACH
 * @param toScratch address of wideUpdateScratch() bytes
 * @returns false if the nodes are no tree, or name missing vertices
 */
export function wideUpdate(
  toNodes: usize,
  nodeCount: u32,
  toCorners: usize,
  triangles: u32,
  toPositions: usize,
  floats: bool,
  vertices: u32,
  toResult: usize,
  toScratch: usize,
): bool {
  nodes = toNodes;
  corners = toCorners;
  placePositions(toPositions, floats);
  const used = layOut(toScratch, nodeCount, triangles, vertices);
  if (!measure(corners, 3 * triangles, vertices, used, toResult) || !countSlots(nodeCount, triangles)) return false;
  margin = reach * (1.0 / 35184372088832.0);
  const anchorCount = placeSlots(nodeCount);
  for (let a: u32 = 0; a < anchorCount; a++) gather(a);
  let localReach = 0.0;
  for (let node: u32 = 0; node < nodeCount; node++) {
    localReach = max(localReach, bound(node));
  }
  store<f64>(toResult, localReach, LOCAL_REACH);
  return true;
}

// ---------------------------------------------------------------------------------------- the tree

@inline
function linkOf(node: u32): u32 {
  return load<u32>(nodes + (<usize>node << 6), LINK);
}

@inline
function wordAt(table: usize, i: u32): u32 {
  return load<u32>(table + (<usize>i << 2));
}

@inline
function setWord(table: usize, i: u32, word: u32): void {
  store<u32>(table + (<usize>i << 2), word);
}

function countSlots(nodeCount: u32, triangles: u32): bool {
  let found: u32 = 0;
  let named: u32 = 1;
  memory.fill(firsts, 0, <usize>nodeCount << 2);
  for (let node = nodeCount - 1; ; node--) {
    const link = linkOf(node);
    const index = link >>> 3;
    const count = ((link >>> 1) & 3) + 1;
    if (link & 1) {
      if (index + count > triangles) return false;
      for (let t = index; t < index + count; t++) {
        if (load<u8>(marks + <usize>t)) return false;
        store<u8>(marks + <usize>t, 1);
      }
      found += count;
      setWord(counts, node, 1);
    } else {
      if (index <= node || index + count > nodeCount) return false;
      let below: u32 = 0;
      for (let child = index; child < index + count; child++) {
        if (wordAt(firsts, child)) return false;
        setWord(firsts, child, 1);
        below += wordAt(counts, child);
      }
      named += count;
      setWord(counts, node, below);
    }
    if (node == 0) break;
  }
  return found == triangles && named == nodeCount;
}

/** Numbers bottom nodes, adjacent below any node, and finds the anchors. Returns their number. */
function placeSlots(nodeCount: u32): u32 {
  let anchorCount: u32 = 0;
  setWord(firsts, 0, 0);
  setWord(anchors, 0, NONE);
  for (let node: u32 = 0; node < nodeCount; node++) {
    const link = linkOf(node);
    let slot = wordAt(firsts, node);
    let anchor = wordAt(anchors, node);
    if (anchor == NONE && wordAt(counts, node) <= LARGEST_ANCHOR) {
      anchor = anchorCount++;
      setWord(anchors, node, anchor);
      setWord(atSlots, slot, anchor);
      store<u32>(records + ANCHOR * <usize>anchor, node, POINTS_FROM);
    }
    if (link & 1) {
      setWord(leaves, slot, node);
      continue;
    }
    const end = (link >>> 3) + ((link >>> 1) & 3) + 1;
    for (let child = link >>> 3; child < end; child++) {
      setWord(firsts, child, slot);
      setWord(anchors, child, anchor);
      slot += wordAt(counts, child);
    }
  }
  return anchorCount;
}

// -------------------------------------------------------------------------------------- the points

function gather(anchor: u32): void {
  const record = records + ANCHOR * <usize>anchor;
  const top = load<u32>(record, POINTS_FROM);
  const firstSlot = wordAt(firsts, top);
  const end = firstSlot + wordAt(counts, top);
  const from = points + POINTS_OF_SLOT * <usize>firstSlot;
  const first = wordAt(corners, 3 * (linkOf(wordAt(leaves, firstSlot)) >>> 3));
  const firstXY = firstTwo(first);
  const firstZ = thirdOf(first);
  const localXY = f64x2.sub(firstXY, pair(originX, originY));
  const localZ = firstZ - originZ;
  v128.store(record, localXY);
  store<f64>(record, localZ, 16);
  let count: usize = 0;
  let low = f32x4.splat(0);
  let high = low;
  const local = spans + 192;
  for (let slot = firstSlot; slot < end; slot++) {
    const link = linkOf(wordAt(leaves, slot));
    const lanes = <usize>(((link >>> 1) & 3) + 1);
    let corner = corners + <usize>(link >>> 3) * 12;
    for (let to = local; to < local + 48 * lanes; to += 16) {
      const v = load<u32>(corner);
      corner += 4;
      const xy = f32x4.demote_f64x2_zero(f64x2.sub(firstTwo(v), firstXY));
      const point = f32x4.replace_lane(xy, 2, <f32>(thirdOf(v) - firstZ));
      v128.store(to, point);
      // Without a branch: every other vertex has been met before.
      v128.store(from + (count << 4), point);
      const stamp = stamps + (<usize>v << 2);
      count += <usize>(load<u32>(stamp) != anchor + 1);
      store<u32>(stamp, anchor + 1);
    }
    // Missing triangles repeat the first.
    const second = lanes > 1 ? local + 48 : local;
    const third = lanes > 2 ? local + 96 : local;
    const fourth = lanes > 3 ? local + 144 : local;
    const block = slots + SLOT * <usize>slot;
    for (let c: usize = 0; c < 3; c++) {
      const at = c << 4;
      setBlock(block + POINTS * c, v128.load(local + at), v128.load(second + at), v128.load(third + at), v128.load(fourth + at));
    }
  }
  for (let at = from; at < from + (count << 4); at += 16) {
    low = f32x4.pmin(low, v128.load(at));
    high = f32x4.pmax(high, v128.load(at));
  }
  for (; count & 3; count++) v128.store(from + (count << 4), v128.load(from));
  const last = turnIntoBlocks(from, from + (count << 4));
  store<u32>(record, <u32>from, POINTS_FROM);
  store<u32>(record, <u32>last, POINTS_TO);
  store<u32>(record, end - firstSlot, SLOTS_OF);
  store<f64>(record, mostOf(f32x4.pmax(high, f32x4.neg(low))) * (1.0 / 1048576.0), PAD);
  const half = f32x4.splat(0.5);
  const near = f32x4.replace_lane(f32x4.demote_f64x2_zero(localXY), 2, <f32>localZ);
  v128.store(record, f32x4.add(near, f32x4.mul(f32x4.add(low, high), half)), BOX);
  v128.store(record, f32x4.mul(f32x4.sub(high, low), half), BOX + 16);
}

// --------------------------------------------------------------------------------------- the spans

let f00: v128 = f32x4.splat(0);
let f01: v128 = f32x4.splat(0);
let f02: v128 = f32x4.splat(0);
let f10: v128 = f32x4.splat(0);
let f11: v128 = f32x4.splat(0);
let f12: v128 = f32x4.splat(0);
let f20: v128 = f32x4.splat(0);
let f21: v128 = f32x4.splat(0);
let f22: v128 = f32x4.splat(0);
let row0: v128 = f64x2.splat(0);
let row1: v128 = f64x2.splat(0);
let row2: v128 = f64x2.splat(0);
let third0: f64 = 0;
let third1: f64 = 0;
let third2: f64 = 0;
let offset01: v128 = f64x2.splat(0);
let offset2: f64 = 0;
let pad: f64 = 0;
let low0: v128 = f32x4.splat(0);
let low1: v128 = f32x4.splat(0);
let low2: v128 = f32x4.splat(0);
let high0: v128 = f32x4.splat(0);
let high1: v128 = f32x4.splat(0);
let high2: v128 = f32x4.splat(0);

/** Of a smaller tree, steps of a box might be beyond float32. */
const LEAST_NEAR: f64 = 1e-15;

function loadFrame(node: usize): void {
  const steps = f64x2.splat(FRAME_STEPS);
  const a = i32x4.extend_low_i16x8_s(v128.load64_zero(node));
  const b = i32x4.extend_low_i16x8_s(v128.load64_zero(node, ROW_BYTES));
  const c = i32x4.extend_low_i16x8_s(v128.load64_zero(node, 2 * ROW_BYTES));
  row0 = f64x2.div(f64x2.convert_low_i32x4_s(a), steps);
  row1 = f64x2.div(f64x2.convert_low_i32x4_s(b), steps);
  row2 = f64x2.div(f64x2.convert_low_i32x4_s(c), steps);
  const thirds = f64x2.div(f64x2.convert_low_i32x4_s(v128.shuffle<i32>(a, b, 2, 6, 2, 6)), steps);
  third0 = f64x2.extract_lane(thirds, 0);
  third1 = f64x2.extract_lane(thirds, 1);
  third2 = <f64>i32x4.extract_lane(c, 2) / FRAME_STEPS;
  f00 = f32x4.splat(<f32>f64x2.extract_lane(row0, 0));
  f01 = f32x4.splat(<f32>f64x2.extract_lane(row0, 1));
  f02 = f32x4.splat(<f32>third0);
  f10 = f32x4.splat(<f32>f64x2.extract_lane(row1, 0));
  f11 = f32x4.splat(<f32>f64x2.extract_lane(row1, 1));
  f12 = f32x4.splat(<f32>third1);
  f20 = f32x4.splat(<f32>f64x2.extract_lane(row2, 0));
  f21 = f32x4.splat(<f32>f64x2.extract_lane(row2, 1));
  f22 = f32x4.splat(<f32>third2);
}

function loadAnchor(record: usize): void {
  const x = load<f64>(record);
  const y = load<f64>(record, 8);
  const z = load<f64>(record, 16);
  offset01 = f64x2.add(
    f64x2.add(f64x2.mul(row0, f64x2.splat(x)), f64x2.mul(row1, f64x2.splat(y))),
    f64x2.mul(row2, f64x2.splat(z)),
  );
  offset2 = third0 * x + third1 * y + third2 * z;
  pad = load<f64>(record, PAD);
}

/** Fits the boxes of a node. Returns its reach from the tree's origin. */
function bound(node: u32): f64 {
  const at = nodes + (<usize>node << 6);
  loadFrame(at);
  const link = linkOf(node);
  const count = ((link >>> 1) & 3) + 1;
  const anchor = wordAt(anchors, node);
  if (anchor != NONE) {
    loadAnchor(records + ANCHOR * <usize>anchor);
    if (link & 1) boundTriangles(slots + SLOT * <usize>wordAt(firsts, node));
    else boundBelow(link >>> 3, count);
    if (reach >= LEAST_NEAR) {
      return fitNear(
        at, low0, low1, low2, high0, high1, high2, pad + margin,
        row0, row1, row2, third0, third1, third2, offset01, offset2,
      );
    }
    const by = f64x2.splat(pad);
    storeSpans(spans, low0, high0, f64x2.splat(f64x2.extract_lane(offset01, 0)), by);
    storeSpans(spans + 32, low1, high1, f64x2.splat(f64x2.extract_lane(offset01, 1)), by);
    storeSpans(spans + 64, low2, high2, f64x2.splat(offset2), by);
    return fitNode(at, spans, margin, row0, row1, row2, third0, third1, third2);
  }
  // Missing children repeat the first.
  for (let j: u32 = 0; j < <u32>WIDTH; j++) {
    const lane = spans + (<usize>j << 3);
    if (j >= count) {
      for (let to: usize = 0; to < 192; to += 32) store<f64>(lane + to, load<f64>(spans + to));
      continue;
    }
    for (let to: usize = 0; to < 96; to += 32) {
      store<f64>(lane + to, Infinity);
      store<f64>(lane + to, -Infinity, 96);
    }
    boundAnchors((link >>> 3) + j, lane);
  }
  return fitNode(at, spans, margin, row0, row1, row2, third0, third1, third2);
}

/** Bounds children that are below an anchor, from the lowest and highest numbers of each. */
function boundBelow(first: u32, count: u32): void {
  const found = spans + 192;
  for (let j: u32 = 0; j < <u32>WIDTH; j++) {
    const child = first + (j < count ? j : 0);
    const slot = wordAt(firsts, child);
    boundPoints(slots + SLOT * <usize>slot, slots + SLOT * <usize>(slot + wordAt(counts, child)), found + 96 * <usize>j);
  }
  low0 = leastOfFour(found);
  low1 = leastOfFour(found + 16);
  low2 = leastOfFour(found + 32);
  high0 = mostOfFour(found + 48);
  high1 = mostOfFour(found + 64);
  high2 = mostOfFour(found + 80);
}

@inline
function storeSpans(to: usize, low: v128, high: v128, off: v128, by: v128): void {
  v128.store(to, f64x2.sub(f64x2.add(f64x2.promote_low_f32x4(low), off), by));
  v128.store(to, f64x2.sub(f64x2.add(f64x2.promote_low_f32x4(upper(low)), off), by), 16);
  v128.store(to, f64x2.add(f64x2.add(f64x2.promote_low_f32x4(high), off), by), 96);
  v128.store(to, f64x2.add(f64x2.add(f64x2.promote_low_f32x4(upper(high)), off), by), 112);
}

/** The least numbers of each of four vectors, 96 bytes apart. */
@inline
function leastOfFour(at: usize): v128 {
  const a = v128.load(at);
  const b = v128.load(at, 96);
  const c = v128.load(at, 192);
  const d = v128.load(at, 288);
  const ab = f32x4.pmin(v128.shuffle<i32>(a, b, 0, 1, 4, 5), v128.shuffle<i32>(a, b, 2, 3, 6, 7));
  const cd = f32x4.pmin(v128.shuffle<i32>(c, d, 0, 1, 4, 5), v128.shuffle<i32>(c, d, 2, 3, 6, 7));
  return f32x4.pmin(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
}
@inline
function mostOfFour(at: usize): v128 {
  const a = v128.load(at);
  const b = v128.load(at, 96);
  const c = v128.load(at, 192);
  const d = v128.load(at, 288);
  const ab = f32x4.pmax(v128.shuffle<i32>(a, b, 0, 1, 4, 5), v128.shuffle<i32>(a, b, 2, 3, 6, 7));
  const cd = f32x4.pmax(v128.shuffle<i32>(c, d, 0, 1, 4, 5), v128.shuffle<i32>(c, d, 2, 3, 6, 7));
  return f32x4.pmax(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
}

/** A child's span up to now, along three axes. */
@inline
function spanOf(at: usize): v128 {
  const xy = f32x4.demote_f64x2_zero(pair(load<f64>(at), load<f64>(at, 32)));
  return f32x4.replace_lane(xy, 2, <f32>load<f64>(at, 64));
}

/** Children above up to this many bottom nodes look at all points. */
const FEW: u32 = 8 * LARGEST_ANCHOR;

/**
 * Widens the span of a child above anchors by their points: of the anchors whose own boxes reach
 * farthest, and then of those whose boxes are not within what was found.
 *
 * The boxes are projected in float32, about the tree's origin: wrong by less than 11 x 2^-24 R.
 * Points are, with `pad`, within 2^-19 R and another 2^-20 R of it, so `slack` is 2^-18 R.
 */
function boundAnchors(child: u32, lane: usize): void {
  const first = wordAt(firsts, child);
  const end = first + wordAt(counts, child);
  if (end - first <= FEW) {
    for (let slot = first; slot < end; ) slot += boundAnchor(records + ANCHOR * <usize>wordAt(atSlots, slot), lane);
    return;
  }
  const gx = f32x4.replace_lane(f32x4.demote_f64x2_zero(row0), 2, <f32>third0);
  const gy = f32x4.replace_lane(f32x4.demote_f64x2_zero(row1), 2, <f32>third1);
  const gz = f32x4.replace_lane(f32x4.demote_f64x2_zero(row2), 2, <f32>third2);
  const ax = f32x4.abs(gx);
  const ay = f32x4.abs(gy);
  const az = f32x4.abs(gz);
  let low = f32x4.splat(Infinity);
  let high = f32x4.splat(-Infinity);
  let lowest = i32x4.splat(0);
  let highest = lowest;
  for (let slot = first; slot < end; ) {
    const record = records + ANCHOR * <usize>wordAt(atSlots, slot);
    const middle = along(record + BOX, gx, gy, gz);
    const half = along(record + BOX + 16, ax, ay, az);
    const address = i32x4.splat(<i32>record);
    const l = f32x4.sub(middle, half);
    const h = f32x4.add(middle, half);
    lowest = v128.bitselect(address, lowest, f32x4.lt(l, low));
    highest = v128.bitselect(address, highest, f32x4.gt(h, high));
    low = f32x4.pmin(low, l);
    high = f32x4.pmax(high, h);
    slot += load<u32>(record, SLOTS_OF);
  }
  boundAnchor(<usize>i32x4.extract_lane(lowest, 0), lane);
  boundAnchor(<usize>i32x4.extract_lane(lowest, 1), lane);
  boundAnchor(<usize>i32x4.extract_lane(lowest, 2), lane);
  boundAnchor(<usize>i32x4.extract_lane(highest, 0), lane);
  boundAnchor(<usize>i32x4.extract_lane(highest, 1), lane);
  boundAnchor(<usize>i32x4.extract_lane(highest, 2), lane);
  const slack = f32x4.splat(<f32>(reach * (1.0 / 262144.0)));
  low = f32x4.add(spanOf(lane), slack);
  high = f32x4.sub(spanOf(lane + 96), slack);
  for (let slot = first; slot < end; ) {
    const record = records + ANCHOR * <usize>wordAt(atSlots, slot);
    slot += load<u32>(record, SLOTS_OF);
    const middle = along(record + BOX, gx, gy, gz);
    const half = along(record + BOX + 16, ax, ay, az);
    const isBeyond = v128.or(f32x4.lt(f32x4.sub(middle, half), low), f32x4.gt(f32x4.add(middle, half), high));
    if (!(i32x4.bitmask(isBeyond) & 7)) continue;
    boundAnchor(record, lane);
    low = f32x4.add(spanOf(lane), slack);
    high = f32x4.sub(spanOf(lane + 96), slack);
  }
}

/** Widens a span by an anchor's points. Returns how many bottom nodes are below it. */
function boundAnchor(record: usize, lane: usize): u32 {
  const found = spans + 192;
  loadAnchor(record);
  boundPoints(<usize>load<u32>(record, POINTS_FROM), <usize>load<u32>(record, POINTS_TO), found);
  widen(lane, leastOf(v128.load(found)), mostOf(v128.load(found, 48)), f64x2.extract_lane(offset01, 0));
  widen(lane + 32, leastOf(v128.load(found, 16)), mostOf(v128.load(found, 64)), f64x2.extract_lane(offset01, 1));
  widen(lane + 64, leastOf(v128.load(found, 32)), mostOf(v128.load(found, 80)), offset2);
  return load<u32>(record, SLOTS_OF);
}

@inline
function fourAlong(block: usize, g0: v128, g1: v128, g2: v128): v128 {
  return f32x4.add(
    f32x4.add(f32x4.mul(g0, v128.load(block)), f32x4.mul(g1, v128.load(block, 16))),
    f32x4.mul(g2, v128.load(block, 32)),
  );
}

/** Bounds four triangles. */
function boundTriangles(block: usize): void {
  const a0 = fourAlong(block, f00, f10, f20);
  const b0 = fourAlong(block + POINTS, f00, f10, f20);
  const c0 = fourAlong(block + 2 * POINTS, f00, f10, f20);
  low0 = f32x4.pmin(f32x4.pmin(a0, b0), c0);
  high0 = f32x4.pmax(f32x4.pmax(a0, b0), c0);
  const a1 = fourAlong(block, f01, f11, f21);
  const b1 = fourAlong(block + POINTS, f01, f11, f21);
  const c1 = fourAlong(block + 2 * POINTS, f01, f11, f21);
  low1 = f32x4.pmin(f32x4.pmin(a1, b1), c1);
  high1 = f32x4.pmax(f32x4.pmax(a1, b1), c1);
  const a2 = fourAlong(block, f02, f12, f22);
  const b2 = fourAlong(block + POINTS, f02, f12, f22);
  const c2 = fourAlong(block + 2 * POINTS, f02, f12, f22);
  low2 = f32x4.pmin(f32x4.pmin(a2, b2), c2);
  high2 = f32x4.pmax(f32x4.pmax(a2, b2), c2);
}

/** Writes the lowest four numbers of points along each axis, and the highest. */
function boundPoints(from: usize, to: usize, out: usize): void {
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
  for (let block = from; block < to; block += POINTS) {
    const x = v128.load(block);
    const y = v128.load(block, 16);
    const z = v128.load(block, 32);
    const a = f32x4.add(f32x4.add(f32x4.mul(g00, x), f32x4.mul(g10, y)), f32x4.mul(g20, z));
    const b = f32x4.add(f32x4.add(f32x4.mul(g01, x), f32x4.mul(g11, y)), f32x4.mul(g21, z));
    const c = f32x4.add(f32x4.add(f32x4.mul(g02, x), f32x4.mul(g12, y)), f32x4.mul(g22, z));
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

@inline
function widen(at: usize, least: f64, most: f64, offset: f64): void {
  const low = least + offset - pad;
  const high = most + offset + pad;
  if (low < load<f64>(at)) store<f64>(at, low);
  if (high > load<f64>(at, 96)) store<f64>(at, high, 96);
}
