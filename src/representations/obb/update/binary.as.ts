/**
 * Fits the boxes of a tree of 40 or of 20 bytes a node to vertices that have moved. The tree, its
 * axes and its order stay. Every box is fitted to the vertices below it.
 *
 * As in kernel.as.ts, vertices are projected in float32 relative to a point near them. An *anchor*
 * is the highest node with at most LARGEST_ANCHOR triangles below it, and m is one of its vertices.
 * With 20 bytes a node, single triangles are no nodes, so a triangle right below a larger node is
 * an anchor as well. Below an anchor, points are projected one at a time, their three axes in one
 * vector. Above, every vertex of an anchor is visited once, four at a time. Two boxes are decoded,
 * fitted and rounded at a time, in doubles.
 *
 * Rounding: kernel.as.ts has the error of a projection: `pad`, 23 x 2^-53 R in all, with R the
 * reach, and 4.9e-45. A reader needs 2^-48 |p - c| < 2^-47 R and the roundings of the coordinates'
 * size, which box-writer.ts counts. `margin` is 2^-45 R and 2^-50 of the largest coordinate.
 *
 * A point is f32 x 4: x, y, z, 0. A block is four points of 48 bytes: x x x x y y y y z z z z.
 */

import {
  addAnchor,
  aligned,
  anchorBytes,
  anchorCount,
  beginAnchors,
  boundAnchors,
  closeAnchor,
  countOnce,
  orderAnchors,
  pointAbout,
  PAD,
  setFrame,
  setWord,
  word,
} from './anchors.as';
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
import { along, firstTwo, largest, measure, placePositions, reach, third } from './vertices.as';

const LARGEST_ANCHOR: u32 = 32;
/** Deepest level of a tree that a reader accepts. */
const DEEPEST: u32 = 256;
/** Larger nodes split in halves; their child word is 0. */
const LARGEST_COUNTED: u32 = 65535;

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
let blocks: usize = 0;
let scratch: usize = 0;
let blocksEnd: usize = 0;

@inline
function nodeAt(node: u32): usize {
  return nodes + nodeBytes * <usize>node;
}

export function binaryUpdateScratch(nodeCount: i32, triangles: i32, vertices: i32): f64 {
  const perTriangle = <f64>(8 + 1 + 6 * 16);
  const ofAnchors = <f64>anchorBytes(triangles) + 5.0 * <f64>vertices;
  return 14.0 * <f64>nodeCount + perTriangle * <f64>triangles + ofAnchors + <f64>SCRATCH + 1024.0;
}

function layOut(at: usize, vertices: u32): usize {
  scratch = aligned(at);
  blocks = scratch + aligned(SCRATCH);
  const records = blocks + aligned(96 * <usize>total);
  counts = records + anchorBytes(total);
  firsts = counts + aligned(<usize>nodeCount << 2);
  levels = firsts + aligned(<usize>nodeCount << 2);
  links = levels + aligned(<usize>nodeCount << 1);
  const words = links + aligned(<usize>nodeCount << 2);
  const stamps = words + (<usize>total << 3) + 4;
  marks = stamps + (<usize>vertices << 2);
  beginAnchors(records, words, stamps, total, 16);
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

/** Keeps the level of a node that is in no anchor yet; for others it is 0. */
@inline
function isAnchor(node: u32): bool {
  return word(counts, node) <= LARGEST_ANCHOR && load<u16>(levels + (<usize>node << 1)) != 0;
}

// ----------------------------------------------------------------------------------------- anchors

/** Adds an anchor without nodes for a triangle that is a child of a large node of 20 bytes. */
function gatherLone(node: u32): void {
  const first = word(firsts, node);
  const count = word(counts, node);
  const one = positive20(node, count);
  if (one == 1) gather(first, 1);
  if (count - one == 1) gather(first + one, 1);
}

/** Fits the boxes of an anchor and of all nodes below it. */
function fitBelow(top: u32): void {
  const first = word(firsts, top);
  const record = gather(first, word(counts, top));
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
  // Step by step for all of them, because each step depends on the one before.
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

/** Gathers the points of a range of triangles as the next anchor's; returns its record. */
function gather(first: u32, count: u32): usize {
  const record = addAnchor(first, count);
  const start = word(triangles, 3 * word(order, first));
  const xy = firstTwo(start);
  const z = third(start);
  const from = blocksEnd;
  let unique: usize = 0;
  let to = scratch + POINTS;
  for (let i = first; i < first + count; i++) {
    const corner = triangles + 12 * <usize>word(order, i);
    for (let j: usize = 0; j < 12; j += 4) {
      const v = load<u32>(corner + j);
      const point = pointAbout(xy, z, v);
      v128.store(to, point);
      // Without a branch: every other vertex is a repetition.
      v128.store(from + (unique << 4), point);
      unique += countOnce(v, anchorCount);
      to += 16;
    }
  }
  blocksEnd = closeAnchor(record, start, from, unique);
  return record;
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

function fitAbove(): void {
  orderAnchors();
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
  boundAbove(a, two);
  boundAbove(b, two + 8);
  fitTwo(nodeAt(a), nodeAt(b));
}

/** Writes the spans of one of two boxes, whose numbers are every other one. */
function boundAbove(node: u32, box: usize): void {
  setFrame(
    load<f64>(box), load<f64>(box, 16), load<f64>(box, 32),
    load<f64>(box, 48), load<f64>(box, 64), load<f64>(box, 80),
    load<f64>(box, 96), load<f64>(box, 112), load<f64>(box, 128),
  );
  const first = word(firsts, node);
  boundAnchors(first, first + word(counts, node), box, box + SPANS);
}
