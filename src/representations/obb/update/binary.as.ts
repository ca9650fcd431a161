/**
 * The boxes of a tree of 40 or of 20 bytes a node about vertices that have moved: the tree, its
 * axes and its order stay. Every box is fitted to the vertices below it.
 *
 * As in kernel.as.ts, vertices are projected in float32 about a point near them: an *anchor* is the
 * highest node with at most LARGEST_ANCHOR triangles below it, and m one of its vertices. Of 20
 * bytes a node, single triangles are no nodes: one right below a larger node is an anchor as well.
 * What is below an anchor is projected a point at a time, its three axes in one vector. What is
 * above takes every vertex of an anchor once, four at a time. Two boxes are decoded, fitted and
 * rounded at a time, in doubles.
 *
 * Rounding: kernel.as.ts has the error of a projection: `pad`, 23 x 2^-53 R in all, with R the
 * reach, and 4.9e-45. A reader needs 2^-48 |p - c| < 2^-47 R and the roundings of the coordinates'
 * size, which box-writer.ts counts. `margin` is 2^-45 R and 2^-50 of the largest coordinate.
 *
 * A point is f32 x 4: x, y, z, 0. A block is four points of 48 bytes: x x x x y y y y z z z z.
 */

import { pair } from '../../../kernels/binned-split.as';
import { leastOf, mostOf } from './fit-node.as';
import {
  beginTwo,
  columnsOf,
  decodeTwo,
  fitTwo,
  NARROW,
  narrowed,
  QUATERNION_STEP,
  reachOfTwo,
  SPANS,
  setTwo,
  spanTwo,
  TWO,
  two,
} from './two-boxes.as';
import {
  along,
  BLOCK,
  firstTwo,
  largest,
  measure,
  originX,
  originY,
  originZ,
  placePositions,
  reach,
  third,
  turnIntoBlocks,
} from './vertices.as';

const LARGEST_ANCHOR: u32 = 32;
/** Deepest level of a tree that a reader takes. */
const DEEPEST: u32 = 256;
/** Larger nodes split in halves; their child word is 0. */
const LARGEST_COUNTED: u32 = 65535;

// An anchor's record: m, f64 x 3; error of its numbers, f64; begin and end of its blocks; number of
// triangles; middle and half extents of the box along the model's axes, f32 x 4 each.
const ANCHOR: usize = 80;
const PAD: usize = 24;
const BLOCKS_FROM: usize = 32;
const BLOCKS_TO: usize = 36;
const TRIANGLES: usize = 40;
const BOX: usize = 48;

// Scratch: LARGEST_ANCHOR times two boxes; a list of nodes; points.
const LISTED: usize = TWO * <usize>LARGEST_ANCHOR;
const POINTS: usize = LISTED + 8 * <usize>LARGEST_ANCHOR;
const SCRATCH: usize = POINTS + 48 * <usize>LARGEST_ANCHOR;

/** Result in the caller's doubles, after the origin, reach and largest coordinate. */
const LOCAL_REACH: usize = 40;
const STEPS: usize = 48;

let nodes: usize = 0;
let nodeBytes: usize = 0;
let nodeCount: u32 = 0;
let triangles: usize = 0;
let total: u32 = 0;
let order: usize = 0;
let counts: usize = 0;
let firsts: usize = 0;
let levels: usize = 0;
let links: usize = 0;
let marks: usize = 0;
let stamps: usize = 0;
let anchors: usize = 0;
let records: usize = 0;
let blocks: usize = 0;
let scratch: usize = 0;
let sequence: usize = 0;
let anchorCount: u32 = 0;
let blocksEnd: usize = 0;

@inline
function aligned(bytes: usize): usize {
  return (bytes + 63) & ~63;
}

@inline
function word(table: usize, i: u32): u32 {
  return load<u32>(table + (<usize>i << 2));
}
@inline
function setWord(table: usize, i: u32, value: u32): void {
  store<u32>(table + (<usize>i << 2), value);
}
@inline
function nodeAt(node: u32): usize {
  return nodes + nodeBytes * <usize>node;
}

export function binaryUpdateScratch(nodeCount: i32, triangles: i32, vertices: i32): f64 {
  const perTriangle = <f64>(12 + 1 + ANCHOR + 6 * 16);
  return 14.0 * <f64>nodeCount + perTriangle * <f64>triangles + 5.0 * <f64>vertices + <f64>SCRATCH + 1024.0;
}

function layOut(at: usize, vertices: u32): usize {
  scratch = aligned(at);
  blocks = scratch + aligned(SCRATCH);
  records = blocks + aligned(96 * <usize>total);
  counts = records + ANCHOR * <usize>total;
  firsts = counts + aligned(<usize>nodeCount << 2);
  levels = firsts + aligned(<usize>nodeCount << 2);
  links = levels + aligned(<usize>nodeCount << 1);
  anchors = links + aligned(<usize>nodeCount << 2);
  sequence = anchors + (<usize>total << 2);
  stamps = sequence + (<usize>total << 2);
  marks = stamps + (<usize>vertices << 2);
  memory.fill(stamps, 0, (<usize>vertices << 2) + <usize>total + <usize>vertices);
  return marks + <usize>total;
}

/**
 * Fits all boxes of a tree to its vertices. Writes nodes only after checking that they form one
 * tree over all triangles.
 *
 * @param toNodes, bytes address of the nodes, and the size of one: 40 or 20
 * @param toOrder address of the triangles' numbers in the order of the leaves: read for 20 bytes a
 *   node, written for 40
 * @param toPositions address of the vertices, doubles or, if `floats`, float32
 * @param toResult address of eight doubles: see LOCAL_REACH and the others
 * @param toScratch address of binaryUpdateScratch() bytes
 * @returns false if the nodes are no tree, or name missing vertices
 */
export function binaryUpdate(
  toNodes: usize,
  bytes: usize,
  countOfNodes: u32,
  toTriangles: usize,
  countOfTriangles: u32,
  toOrder: usize,
  toPositions: usize,
  floats: bool,
  vertices: u32,
  toResult: usize,
  toScratch: usize,
): bool {
  nodes = toNodes;
  nodeBytes = bytes;
  nodeCount = countOfNodes;
  triangles = toTriangles;
  total = countOfTriangles;
  order = toOrder;
  const used = layOut(toScratch, vertices);
  placePositions(toPositions, floats);
  if (!measure(triangles, 3 * total, vertices, used, toResult)) return false;
  if (!(bytes == 40 ? rangesOf40() : rangesOf20())) return false;
  const margin = reach * (1.0 / 35184372088832.0) + largest * (1.0 / 1125899906842624.0);
  const centreStep = bytes == 40 ? 1.0 : reach / 32767.0;
  const extentStep = bytes == 40 ? 1.0 : (2.0 * reach) / 65535.0;
  beginTwo(bytes, margin, centreStep, extentStep);
  anchorCount = 0;
  blocksEnd = blocks;
  for (let node: u32 = 0; node < nodeCount; node++) {
    if (isAnchor(node)) fitBelow(node);
    else if (bytes == 20 && word(counts, node) > LARGEST_ANCHOR) gatherLone(node);
  }
  fitAbove();
  store<f64>(toResult, reachOfTwo(), LOCAL_REACH);
  store<f64>(toResult, centreStep, STEPS);
  store<f64>(toResult, extentStep, STEPS + 8);
  return true;
}

// ---------------------------------------------------------------------------------------- the tree

/** True if a node's quaternion has x^2 + y^2 + z^2 <= 1. */
@inline
function isRotation(at: usize): bool {
  const isFloat = nodeBytes == 40;
  const x = isFloat ? <f64>load<f32>(at) : <f64>load<i16>(at) * QUATERNION_STEP;
  const y = isFloat ? <f64>load<f32>(at, 4) : <f64>load<i16>(at, 2) * QUATERNION_STEP;
  const z = isFloat ? <f64>load<f32>(at, 8) : <f64>load<i16>(at, 4) * QUATERNION_STEP;
  return x * x + y * y + z * z <= 1;
}

/** Triangles of the positive child of a node of 20 bytes. */
@inline
function positive20(node: u32, count: u32): u32 {
  return count > LARGEST_COUNTED ? (count + 1) >>> 1 : <u32>load<u16>(nodeAt(node), 18);
}

function rangesOf40(): bool {
  if (nodeCount != 2 * total - 1) return false;
  for (let node = nodeCount - 1; ; node--) {
    const at = nodeAt(node);
    const link = load<u32>(at, 36);
    if (!isRotation(at)) return false;
    setWord(links, node, link);
    const aim = link >>> 1;
    if (link & 1) {
      if (aim >= total || load<u8>(marks + <usize>aim)) return false;
      store<u8>(marks + <usize>aim, 1);
      setWord(counts, node, 1);
    } else {
      if (aim <= node || aim + 1 >= nodeCount) return false;
      setWord(counts, node, word(counts, aim) + word(counts, aim + 1));
    }
    if (node == 0) break;
  }
  memory.fill(levels, 0, <usize>nodeCount << 1);
  store<u16>(levels, 1);
  setWord(firsts, 0, 0);
  for (let node: u32 = 0; node < nodeCount; node++) {
    const link = word(links, node);
    const first = word(firsts, node);
    const level = <u32>load<u16>(levels + (<usize>node << 1));
    if (level == 0 || level > DEEPEST + 1) return false;
    const aim = link >>> 1;
    if (link & 1) {
      setWord(order, first, aim);
      continue;
    }
    // Two levels at once: neither child has had a parent.
    if (load<u32>(levels + (<usize>aim << 1))) return false;
    store<u32>(levels + (<usize>aim << 1), (level + 1) * 0x10001);
    setWord(firsts, aim, first);
    setWord(firsts, aim + 1, first + word(counts, aim));
  }
  return true;
}

function rangesOf20(): bool {
  if (nodeCount != max(<u32>1, total - 1)) return false;
  for (let i: u32 = 0; i < total; i++) {
    const t = word(order, i);
    if (t >= total || load<u8>(marks + <usize>t)) return false;
    store<u8>(marks + <usize>t, 1);
  }
  setWord(firsts, 0, 0);
  setWord(counts, 0, total);
  store<u16>(levels, 1);
  if (total == 1) return isRotation(nodes);
  for (let node: u32 = 0; node < nodeCount; node++) {
    const first = word(firsts, node);
    const count = word(counts, node);
    const level = <u32>load<u16>(levels + (<usize>node << 1));
    const stored = <u32>load<u16>(nodeAt(node), 18);
    const one = positive20(node, count);
    if (!isRotation(nodeAt(node)) || one < 1 || one >= count || level > DEEPEST + 1 || (count > LARGEST_COUNTED && stored != 0)) return false;
    if (one > 1) setRange(node + 1, first, one, level + 1);
    if (count - one > 1) setRange(node + one, first + one, count - one, level + 1);
  }
  return true;
}

@inline
function setRange(node: u32, first: u32, count: u32, level: u32): void {
  setWord(firsts, node, first);
  setWord(counts, node, count);
  store<u16>(levels + (<usize>node << 1), <u16>level);
}

/** Writes the children that are nodes to a list; returns its end. */
@inline
function listChildren(node: u32, to: usize): usize {
  const count = word(counts, node);
  if (nodeBytes == 40) {
    if (count == 1) return to;
    const child = word(links, node) >>> 1;
    store<u32>(to, child);
    store<u32>(to, child + 1, 4);
    return to + 8;
  }
  if (count < 2) return to;
  const one = positive20(node, count);
  let end = to;
  if (one > 1) {
    store<u32>(end, node + 1);
    end += 4;
  }
  if (count - one > 1) {
    store<u32>(end, node + one);
    end += 4;
  }
  return end;
}

/** The level of a node that is in no anchor yet is kept; of others it is 0. */
@inline
function isAnchor(node: u32): bool {
  return word(counts, node) <= LARGEST_ANCHOR && load<u16>(levels + (<usize>node << 1)) != 0;
}

// ----------------------------------------------------------------------------------------- anchors

/** Gathers the points of a range of triangles as the next anchor's; returns its record. */
function addAnchor(first: u32, count: u32): usize {
  const record = records + ANCHOR * <usize>anchorCount;
  setWord(anchors, first, anchorCount);
  anchorCount++;
  gather(record, first, count);
  return record;
}

/** Adds an anchor without nodes for a triangle that is a child of a large node of 20 bytes. */
function gatherLone(node: u32): void {
  const first = word(firsts, node);
  const count = word(counts, node);
  const one = positive20(node, count);
  if (one == 1) addAnchor(first, 1);
  if (count - one == 1) addAnchor(first + one, 1);
}

/** Fits the boxes of an anchor and of all nodes below it. */
function fitBelow(top: u32): void {
  const first = word(firsts, top);
  const record = addAnchor(first, word(counts, top));
  const list = scratch + LISTED;
  store<u32>(list, top);
  let end = list + 4;
  for (let at = list; at < end; at += 4) {
    const node = load<u32>(at);
    store<u16>(levels + (<usize>node << 1), 0);
    end = listChildren(node, end);
  }
  const m0 = f64x2.splat(load<f64>(record));
  const m1 = f64x2.splat(load<f64>(record, 8));
  const m2 = f64x2.splat(load<f64>(record, 16));
  const pad = f64x2.splat(load<f64>(record, PAD));
  // Step by step for all of them, since the steps of one wait for each other.
  setTwo(scratch);
  for (let at = list; at < end; at += 8, setTwo(two + TWO)) {
    decodeTwo(nodeAt(load<u32>(at)), nodeAt(secondAt(at, end)));
  }
  setTwo(scratch);
  for (let at = list; at < end; at += 8, setTwo(two + TWO)) projectTwo(load<u32>(at), secondAt(at, end), first);
  setTwo(scratch);
  for (let at = list; at < end; at += 8, setTwo(two + TWO)) {
    spanTwo(m0, m1, m2, pad);
    fitTwo(nodeAt(load<u32>(at)), nodeAt(secondAt(at, end)));
  }
}

/** The second of two nodes on a list; the first where there is one. */
@inline
function secondAt(at: usize, end: usize): u32 {
  return load<u32>(at + 4 < end ? at + 4 : at);
}

function gather(record: usize, first: u32, count: u32): void {
  const start = word(triangles, 3 * word(order, first));
  const firstXY = firstTwo(start);
  const firstZ = third(start);
  const localXY = f64x2.sub(firstXY, pair(originX, originY));
  const localZ = firstZ - originZ;
  v128.store(record, localXY);
  store<f64>(record, localZ, 16);
  const from = blocksEnd;
  let unique: usize = 0;
  let low = f32x4.splat(0);
  let high = low;
  let to = scratch + POINTS;
  for (let i = first; i < first + count; i++) {
    const corner = triangles + 12 * <usize>word(order, i);
    for (let j: usize = 0; j < 12; j += 4) {
      const v = load<u32>(corner + j);
      const xy = f32x4.demote_f64x2_zero(f64x2.sub(firstTwo(v), firstXY));
      const point = f32x4.replace_lane(xy, 2, <f32>(third(v) - firstZ));
      v128.store(to, point);
      low = f32x4.pmin(low, point);
      high = f32x4.pmax(high, point);
      // Without a branch: every other vertex has been met before.
      v128.store(from + (unique << 4), point);
      const stamp = stamps + (<usize>v << 2);
      unique += <usize>(load<u32>(stamp) != anchorCount);
      store<u32>(stamp, anchorCount);
      to += 16;
    }
  }
  for (; unique & 3; unique++) v128.store(from + (unique << 4), v128.load(from));
  blocksEnd = turnIntoBlocks(from, from + (unique << 4));
  store<f64>(record, mostOf(f32x4.pmax(high, f32x4.neg(low))) * (1.0 / 1048576.0), PAD);
  store<usize>(record, from, BLOCKS_FROM);
  store<usize>(record, blocksEnd, BLOCKS_TO);
  store<u32>(record, count, TRIANGLES);
  const half = f32x4.splat(0.5);
  const local = f32x4.replace_lane(f32x4.demote_f64x2_zero(localXY), 2, <f32>localZ);
  v128.store(record, f32x4.add(local, f32x4.mul(f32x4.add(low, high), half)), BOX);
  v128.store(record, f32x4.mul(f32x4.sub(high, low), half), BOX + 16);
}

/** The lowest and the highest of a range's points along a node's three axes. */
@inline
function projectPoints(from: usize, to: usize, gx: v128, gy: v128, gz: v128, out: usize): void {
  let low = f32x4.splat(Infinity);
  let high = f32x4.splat(-Infinity);
  for (let p = from; p < to; p += 48) {
    const a = along(p, gx, gy, gz);
    const b = along(p + 16, gx, gy, gz);
    const c = along(p + 32, gx, gy, gz);
    low = f32x4.pmin(low, f32x4.pmin(f32x4.pmin(a, b), c));
    high = f32x4.pmax(high, f32x4.pmax(f32x4.pmax(a, b), c));
  }
  v128.store(out, low);
  v128.store(out, high, 16);
}

@inline
function projectTwo(a: u32, b: u32, first: u32): void {
  const from = scratch + POINTS;
  const fromA = from + 48 * <usize>(word(firsts, a) - first);
  const fromB = from + 48 * <usize>(word(firsts, b) - first);
  const toA = fromA + 48 * <usize>word(counts, a);
  const toB = fromB + 48 * <usize>word(counts, b);
  const x = columnsOf(0);
  const y = columnsOf(3);
  const z = columnsOf(6);
  const x2 = narrowed(2);
  const y2 = narrowed(5);
  const z2 = narrowed(8);
  projectPoints(
    fromA,
    toA,
    v128.shuffle<i32>(x, x2, 0, 1, 4, 4),
    v128.shuffle<i32>(y, y2, 0, 1, 4, 4),
    v128.shuffle<i32>(z, z2, 0, 1, 4, 4),
    two + NARROW,
  );
  projectPoints(
    fromB,
    toB,
    v128.shuffle<i32>(x, x2, 2, 3, 5, 5),
    v128.shuffle<i32>(y, y2, 2, 3, 5, 5),
    v128.shuffle<i32>(z, z2, 2, 3, 5, 5),
    two + NARROW + 32,
  );
}

// ------------------------------------------------------------------------------------------- above

/** Boxes above up to this many anchors look at all their points. */
const FEW: u32 = 8;

function fitAbove(): void {
  // The records in the order of their triangles; an anchor's first triangle has its place there.
  let place: u32 = 0;
  for (let i: u32 = 0; i < anchorCount; i++) {
    const record = records + ANCHOR * <usize>word(anchors, place);
    setWord(sequence, i, <u32>record);
    setWord(anchors, place, i);
    place += load<u32>(record, TRIANGLES);
  }
  const above = scratch + LISTED;
  let waiting: usize = 0;
  setTwo(scratch);
  for (let node: u32 = 0; node < nodeCount; node++) {
    if (load<u16>(levels + (<usize>node << 1)) == 0) continue;
    store<u32>(above + waiting, node);
    waiting = 4 - waiting;
    if (waiting == 0) fitTwoAbove(load<u32>(above), node);
  }
  if (waiting) fitTwoAbove(load<u32>(above), load<u32>(above));
}

function fitTwoAbove(a: u32, b: u32): void {
  decodeTwo(nodeAt(a), nodeAt(b));
  projectAnchors(a, 0);
  projectAnchors(b, 8);
  fitTwo(nodeAt(a), nodeAt(b));
}

/** The span of a box along three axes, from numbers that are a stride apart. */
@inline
function three(at: usize, stride: usize): v128 {
  const xy = pair(load<f64>(at), load<f64>(at + stride));
  return f32x4.replace_lane(f32x4.demote_f64x2_zero(xy), 2, <f32>load<f64>(at + 2 * stride));
}

/**
 * Writes the spans of one of two boxes, that of a lane at 0 or 8, from the points of the anchors
 * whose own boxes reach farthest, and then of the anchors that are not within what was found.
 *
 * Their boxes are projected in float32, about the tree's origin: wrong by less than 11 x 2^-24 R.
 * Points are, with `pad`, within 2^-19 R and another 2^-20 R of it, so `slack` is 2^-18 R.
 */
function projectAnchors(node: u32, lane: usize): void {
  const spans = two + SPANS + lane;
  for (let span = spans; span < spans + 48; span += 16) {
    store<f64>(span, Infinity);
    store<f64>(span, -Infinity, 48);
  }
  const place = word(firsts, node);
  const end = place + word(counts, node);
  const from = word(anchors, place);
  const to = end < total ? word(anchors, end) : anchorCount;
  if (to - from <= FEW) {
    for (let i = from; i < to; i++) projectAnchor(<usize>word(sequence, i), lane);
    return;
  }
  const gx = three(two + lane, 16);
  const gy = three(two + lane + 48, 16);
  const gz = three(two + lane + 96, 16);
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
  projectAnchor(<usize>word(sequence, i32x4.extract_lane(lowest, 0)), lane);
  projectAnchor(<usize>word(sequence, i32x4.extract_lane(lowest, 1)), lane);
  projectAnchor(<usize>word(sequence, i32x4.extract_lane(lowest, 2)), lane);
  projectAnchor(<usize>word(sequence, i32x4.extract_lane(highest, 0)), lane);
  projectAnchor(<usize>word(sequence, i32x4.extract_lane(highest, 1)), lane);
  projectAnchor(<usize>word(sequence, i32x4.extract_lane(highest, 2)), lane);
  const slack = f32x4.splat(<f32>(reach * (1.0 / 262144.0)));
  low = f32x4.add(three(spans, 16), slack);
  high = f32x4.sub(three(spans + 48, 16), slack);
  for (let i = from; i < to; i++) {
    const record = <usize>word(sequence, i);
    const middle = along(record + BOX, gx, gy, gz);
    const half = along(record + BOX + 16, ax, ay, az);
    const isBeyond = v128.or(
      f32x4.lt(f32x4.sub(middle, half), low),
      f32x4.gt(f32x4.add(middle, half), high),
    );
    if (!(i32x4.bitmask(isBeyond) & 7)) continue;
    projectAnchor(record, lane);
    low = f32x4.add(three(spans, 16), slack);
    high = f32x4.sub(three(spans + 48, 16), slack);
  }
}

/** Widens the spans of one of two boxes by an anchor's points. */
function projectAnchor(record: usize, lane: usize): void {
  const at = two + lane;
  const r00 = load<f64>(at);
  const r01 = load<f64>(at, 16);
  const r02 = load<f64>(at, 32);
  const r10 = load<f64>(at, 48);
  const r11 = load<f64>(at, 64);
  const r12 = load<f64>(at, 80);
  const r20 = load<f64>(at, 96);
  const r21 = load<f64>(at, 112);
  const r22 = load<f64>(at, 128);
  const g00 = f32x4.splat(<f32>r00);
  const g01 = f32x4.splat(<f32>r01);
  const g02 = f32x4.splat(<f32>r02);
  const g10 = f32x4.splat(<f32>r10);
  const g11 = f32x4.splat(<f32>r11);
  const g12 = f32x4.splat(<f32>r12);
  const g20 = f32x4.splat(<f32>r20);
  const g21 = f32x4.splat(<f32>r21);
  const g22 = f32x4.splat(<f32>r22);
  let a0 = f32x4.splat(Infinity);
  let b0 = a0;
  let c0 = a0;
  let a1 = f32x4.splat(-Infinity);
  let b1 = a1;
  let c1 = a1;
  const last = load<usize>(record, BLOCKS_TO);
  for (let block = load<usize>(record, BLOCKS_FROM); block < last; block += BLOCK) {
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
  const x = load<f64>(record);
  const y = load<f64>(record, 8);
  const z = load<f64>(record, 16);
  const pad = load<f64>(record, PAD);
  const spans = at + SPANS;
  widen(spans, leastOf(a0), mostOf(a1), r00 * x + r10 * y + r20 * z, pad);
  widen(spans + 16, leastOf(b0), mostOf(b1), r01 * x + r11 * y + r21 * z, pad);
  widen(spans + 32, leastOf(c0), mostOf(c1), r02 * x + r12 * y + r22 * z, pad);
}

@inline
function widen(at: usize, least: f64, most: f64, offset: f64, pad: f64): void {
  const low = least + offset - pad;
  const high = most + offset + pad;
  if (low < load<f64>(at)) store<f64>(at, low);
  if (high > load<f64>(at, 48)) store<f64>(at, high, 48);
}
