/**
 * Fits the boxes of a wide tree to vertices that have moved. The tree, its frames and its order
 * stay.
 *
 * Every box is fitted to the vertices below it, not to the boxes below it: a box of boxes grows
 * with each level that turns. To keep this as fast, vertices are projected in float32 relative to a
 * point near them. An *anchor* is the highest node with at most LARGEST_ANCHOR bottom nodes below
 * it, and m is one of its vertices, relative to the tree's origin.
 *
 * Tried before: axes that turn with the surface, with exactly known axes in place of those that
 * three vertices suggest. First contact of 58,784 triangles twisted about an axis, hit and miss, as
 * a multiple of that of a newly built tree, after 0.2 radians per unit of length, after 1, and
 * after pi: axes that stay, 1.1 and 1.0, 2.0 and 1.7, 3.7 and 5.0; axes that turn, 1.0 and 1.0, 1.6
 * and 1.4, 3.0 and 2.8. If the difference matters, a new build is due anyway. And axes that are
 * rounded turn after turn lose their right angles.
 *
 * Rounding. Let p be a vertex relative to the origin, and l = p - m, both as rounded. F^T p = F^T m
 * + F^T l. F^T l is summed in float32: l, the entries of F, products and two sums round by 2^-24
 * each. So it is wrong by less than 5.1 x 2^-24 sum |F_k| |l_k| < 9 x 2^-24 r, where no coordinate
 * of an l exceeds r; `pad` is 2^-20 r. Everything else is in doubles. p and l round by 3 x 2^-53 R
 * in all, F^T m and the sum by 7 x 2^-53 R, and `encodeBoxes` by 13 x 2^-53 R; R is the reach. In
 * all this is less than the 32 x 2^-53 R in ../make/wide.as.ts, whose `margin` is added here, too.
 * An underflow in float32 loses 2^-150 a step, seven times, 4.9e-45 in all. `margin` is 256 x 2^-53
 * R, R >= 1e-30, and a reader needs half of it: the 96 left are 1.06e-44.
 *
 * Below an anchor, boxes are rounded in float32, too, relative to its local origin
 * (fit-near.as.ts). Above, an anchor is examined only if its own box extends beyond the result so
 * far.
 *
 * Operations are on four numbers at a time; minima and maxima are exact in any order. A vertex that
 * several triangles of an anchor share is examined once.
 *
 * Vectors of points are blocks of 48 bytes: x, y, z of four points, float32.
 */

import { lowAt, stride } from '../../../kernels/binned-split.as';
import { dot, dotTwo, least4, most4 } from '../../../kernels/lanes.as';
import { encodeBoxes, FRAME_STEPS } from '../make/encode-wide.as';
import { LINK, ROW_BYTES, WIDTH } from '../tree/wide-layout.as';
import {
  addAnchor,
  aligned,
  anchorBytes,
  anchorCount,
  beginAnchors,
  boundAnchors,
  boundPoints,
  closeAnchor,
  countOnce,
  f00,
  f01,
  f02,
  f10,
  f11,
  f12,
  f20,
  f21,
  f22,
  orderAnchors,
  PAD,
  POINTS_FROM,
  pointAbout,
  recordOf,
  setFrame,
  setWord,
  word,
} from './anchors.as';
import { fitNear } from './fit-near.as';
import { BLOCK, firstTwo, measure, placePositions, reach, setBlock, third } from './vertices.as';

/** Bottom nodes below an anchor, at most. */
const LARGEST_ANCHOR: u32 = 32;
const NONE: u32 = 0xffffffff;
const SLOT: usize = 144;
/** Room for the points of a bottom node, f32 x 4 each, and for copies that fill a block. */
const POINTS_OF_SLOT: usize = 192;

// Scratch: a frame, spans and boxes of four children, and their bounds.
const FRAME: usize = 0;
const SPANS: usize = FRAME + 80;
const BOXES: usize = SPANS + 48;
const FOUND: usize = BOXES + 192;
const SCRATCH: usize = FOUND + 384;

/** Result in the caller's doubles, after the origin, its reach and the largest coordinate. */
const LOCAL_REACH: usize = 40;

let nodes: usize = 0;
let corners: usize = 0;
let counts: usize = 0;
let firsts: usize = 0;
let anchors: usize = 0;
let leaves: usize = 0;
let slots: usize = 0;
let points: usize = 0;
let marks: usize = 0;
let scratch: usize = 0;
let margin: f64 = 0;

export function wideUpdateScratch(nodeCount: i32, triangles: i32, vertices: i32): f64 {
  const perNode = <f64>(6 * 4 + SLOT + POINTS_OF_SLOT);
  return perNode * <f64>nodeCount + <f64>anchorBytes(nodeCount) + 5.0 * <f64>vertices + <f64>triangles + 1024.0;
}

/** Returns the address of a byte per vertex, 0. */
function layOut(toScratch: usize, nodeCount: u32, triangles: u32, vertices: u32): usize {
  const words = aligned(<usize>nodeCount << 2);
  scratch = aligned(toScratch);
  slots = scratch + SCRATCH;
  points = slots + SLOT * <usize>nodeCount;
  const records = points + POINTS_OF_SLOT * <usize>nodeCount;
  counts = records + anchorBytes(nodeCount);
  firsts = counts + words;
  anchors = firsts + words;
  leaves = anchors + words;
  const ofPlaces = leaves + words;
  const stamps = ofPlaces + (<usize>nodeCount << 3) + 4;
  marks = stamps + (<usize>vertices << 2);
  beginAnchors(records, ofPlaces, stamps, nodeCount, 8);
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
  placeSlots(nodeCount);
  for (let a: u32 = 0; a < anchorCount; a++) gather(a);
  orderAnchors();
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
        if (word(firsts, child)) return false;
        setWord(firsts, child, 1);
        below += word(counts, child);
      }
      named += count;
      setWord(counts, node, below);
    }
    if (node == 0) break;
  }
  return found == triangles && named == nodeCount;
}

/** Numbers bottom nodes, adjacent below any node, and adds the anchors. */
function placeSlots(nodeCount: u32): void {
  setWord(firsts, 0, 0);
  setWord(anchors, 0, NONE);
  for (let node: u32 = 0; node < nodeCount; node++) {
    const link = linkOf(node);
    let slot = word(firsts, node);
    let anchor = word(anchors, node);
    if (anchor == NONE && word(counts, node) <= LARGEST_ANCHOR) {
      anchor = anchorCount;
      setWord(anchors, node, anchor);
      // The node, until its points are written.
      store<u32>(addAnchor(slot, word(counts, node)), node, POINTS_FROM);
    }
    if (link & 1) {
      setWord(leaves, slot, node);
      continue;
    }
    const end = (link >>> 3) + ((link >>> 1) & 3) + 1;
    for (let child = link >>> 3; child < end; child++) {
      setWord(firsts, child, slot);
      setWord(anchors, child, anchor);
      slot += word(counts, child);
    }
  }
}

// -------------------------------------------------------------------------------------- the points

function gather(anchor: u32): void {
  const record = recordOf(anchor);
  const top = load<u32>(record, POINTS_FROM);
  const firstSlot = word(firsts, top);
  const end = firstSlot + word(counts, top);
  const from = points + POINTS_OF_SLOT * <usize>firstSlot;
  const first = word(corners, 3 * (linkOf(word(leaves, firstSlot)) >>> 3));
  const xy = firstTwo(first);
  const z = third(first);
  let count: usize = 0;
  const local = scratch + FOUND;
  for (let slot = firstSlot; slot < end; slot++) {
    const link = linkOf(word(leaves, slot));
    const lanes = <usize>(((link >>> 1) & 3) + 1);
    let corner = corners + <usize>(link >>> 3) * 12;
    for (let to = local; to < local + 48 * lanes; to += 16) {
      const v = load<u32>(corner);
      corner += 4;
      const point = pointAbout(xy, z, v);
      v128.store(to, point);
      // Without a branch: every other vertex is a repetition.
      v128.store(from + (count << 4), point);
      count += countOnce(v, anchor + 1);
    }
    // Missing triangles repeat the first.
    const second = lanes > 1 ? local + 48 : local;
    const next = lanes > 2 ? local + 96 : local;
    const last = lanes > 3 ? local + 144 : local;
    const block = slots + SLOT * <usize>slot;
    for (let c: usize = 0; c < 3; c++) {
      const at = c << 4;
      setBlock(block + BLOCK * c, v128.load(local + at), v128.load(second + at), v128.load(next + at), v128.load(last + at));
    }
  }
  closeAnchor(record, first, from, count);
}

// --------------------------------------------------------------------------------------- the spans

let row0: v128 = f64x2.splat(0);
let row1: v128 = f64x2.splat(0);
let row2: v128 = f64x2.splat(0);
let thirds: v128 = f64x2.splat(0);
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

/** In a smaller tree, the steps of a box might be beyond float32. */
const LEAST_NEAR: f64 = 1e-15;

function loadFrame(node: usize): void {
  const steps = f64x2.splat(FRAME_STEPS);
  const a = i32x4.extend_low_i16x8_s(v128.load64_zero(node));
  const b = i32x4.extend_low_i16x8_s(v128.load64_zero(node, ROW_BYTES));
  const c = i32x4.extend_low_i16x8_s(v128.load64_zero(node, 2 * ROW_BYTES));
  row0 = f64x2.div(f64x2.convert_low_i32x4_s(a), steps);
  row1 = f64x2.div(f64x2.convert_low_i32x4_s(b), steps);
  row2 = f64x2.div(f64x2.convert_low_i32x4_s(c), steps);
  thirds = f64x2.div(f64x2.convert_low_i32x4_s(v128.shuffle<i32>(a, b, 2, 6, 2, 6)), steps);
  third2 = <f64>i32x4.extract_lane(c, 2) / FRAME_STEPS;
  setFrame(
    f64x2.extract_lane(row0, 0), f64x2.extract_lane(row0, 1), f64x2.extract_lane(thirds, 0),
    f64x2.extract_lane(row1, 0), f64x2.extract_lane(row1, 1), f64x2.extract_lane(thirds, 1),
    f64x2.extract_lane(row2, 0), f64x2.extract_lane(row2, 1), third2,
  );
}

function loadAnchor(record: usize): void {
  const xy = v128.load(record);
  const z = load<f64>(record, 16);
  offset01 = dotTwo(row0, row1, row2, v128.shuffle<i64>(xy, xy, 0, 0), v128.shuffle<i64>(xy, xy, 1, 1), f64x2.splat(z));
  const along = f64x2.mul(thirds, xy);
  offset2 = f64x2.extract_lane(along, 0) + f64x2.extract_lane(along, 1) + third2 * z;
  pad = load<f64>(record, PAD);
}

/** Fits the boxes of a node. Returns its reach from the tree's origin. */
function bound(node: u32): f64 {
  const at = nodes + (<usize>node << 6);
  loadFrame(at);
  const link = linkOf(node);
  const count = ((link >>> 1) & 3) + 1;
  const anchor = word(anchors, node);
  if (anchor != NONE) {
    loadAnchor(recordOf(anchor));
    if (link & 1) boundTriangles(slots + SLOT * <usize>word(firsts, node));
    else boundBelow(link >>> 3, count);
    if (reach >= LEAST_NEAR) {
      return fitNear(
        at, low0, low1, low2, high0, high1, high2, pad + margin,
        row0, row1, row2, thirds, third2, offset01, offset2,
      );
    }
  }
  const frame = scratch + FRAME;
  v128.store(frame, row0);
  store<f64>(frame, f64x2.extract_lane(thirds, 0), 16);
  v128.store(frame, row1, 24);
  store<f64>(frame, f64x2.extract_lane(thirds, 1), 40);
  v128.store(frame, row2, 48);
  store<f64>(frame, third2, 64);
  if (anchor != NONE) boxNear(count);
  else boxAbove(link >>> 3, count);
  return encodeBoxes(at, count, frame, scratch + BOXES, margin);
}

@inline
function setAxis(child: u32, axis: i32, low: f64, high: f64): void {
  const at = scratch + BOXES + 48 * <usize>child + lowAt(axis);
  store<f64>(at, low);
  store<f64>(at + stride(axis), -high);
}

/** Writes the boxes of children from their numbers about an anchor. */
function boxNear(count: u32): void {
  const found = scratch + FOUND;
  v128.store(found, low0);
  v128.store(found, low1, 16);
  v128.store(found, low2, 32);
  v128.store(found, high0, 48);
  v128.store(found, high1, 64);
  v128.store(found, high2, 80);
  for (let axis = 0; axis < 3; axis++) {
    const offset = axis == 0 ? f64x2.extract_lane(offset01, 0) : axis == 1 ? f64x2.extract_lane(offset01, 1) : offset2;
    for (let j: u32 = 0; j < count; j++) {
      const at = found + (<usize>axis << 4) + (<usize>j << 2);
      setAxis(j, axis, <f64>load<f32>(at) + offset - pad, <f64>load<f32>(at, 48) + offset + pad);
    }
  }
}

/** Writes the boxes of children above anchors. */
function boxAbove(first: u32, count: u32): void {
  const spans = scratch + SPANS;
  for (let j: u32 = 0; j < count; j++) {
    const place = word(firsts, first + j);
    boundAnchors(place, place + word(counts, first + j), scratch + FRAME, spans);
    for (let axis = 0; axis < 3; axis++) {
      const at = spans + (<usize>axis << 3);
      setAxis(j, axis, load<f64>(at), load<f64>(at, 24));
    }
  }
}

/** Bounds children that are below an anchor, from the lowest and highest numbers of each. */
function boundBelow(first: u32, count: u32): void {
  const found = scratch + FOUND;
  for (let j: u32 = 0; j < <u32>WIDTH; j++) {
    const child = first + (j < count ? j : 0);
    const slot = word(firsts, child);
    boundPoints(slots + SLOT * <usize>slot, slots + SLOT * <usize>(slot + word(counts, child)), found + 96 * <usize>j);
  }
  low0 = leastAt(found);
  low1 = leastAt(found + 16);
  low2 = leastAt(found + 32);
  high0 = mostAt(found + 48);
  high1 = mostAt(found + 64);
  high2 = mostAt(found + 80);
}

/** The least of each of four vectors, 96 bytes apart. */
@inline
function leastAt(at: usize): v128 {
  return least4(v128.load(at), v128.load(at, 96), v128.load(at, 192), v128.load(at, 288));
}
@inline
function mostAt(at: usize): v128 {
  return most4(v128.load(at), v128.load(at, 96), v128.load(at, 192), v128.load(at, 288));
}

@inline
function fourAlong(block: usize, g0: v128, g1: v128, g2: v128): v128 {
  return dot(g0, g1, g2, v128.load(block), v128.load(block, 16), v128.load(block, 32));
}

function boundTriangles(block: usize): void {
  const a0 = fourAlong(block, f00, f10, f20);
  const b0 = fourAlong(block + BLOCK, f00, f10, f20);
  const c0 = fourAlong(block + 2 * BLOCK, f00, f10, f20);
  low0 = f32x4.pmin(f32x4.pmin(a0, b0), c0);
  high0 = f32x4.pmax(f32x4.pmax(a0, b0), c0);
  const a1 = fourAlong(block, f01, f11, f21);
  const b1 = fourAlong(block + BLOCK, f01, f11, f21);
  const c1 = fourAlong(block + 2 * BLOCK, f01, f11, f21);
  low1 = f32x4.pmin(f32x4.pmin(a1, b1), c1);
  high1 = f32x4.pmax(f32x4.pmax(a1, b1), c1);
  const a2 = fourAlong(block, f02, f12, f22);
  const b2 = fourAlong(block + BLOCK, f02, f12, f22);
  const c2 = fourAlong(block + 2 * BLOCK, f02, f12, f22);
  low2 = f32x4.pmin(f32x4.pmin(a2, b2), c2);
  high2 = f32x4.pmax(f32x4.pmax(a2, b2), c2);
}
