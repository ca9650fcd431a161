/**
 * Builds the hierarchy of a k-DOP tree, and fits the k-DOPs of a hierarchy to its vertices.
 *
 * The tree is split top down by the surface-area heuristic on the triangles' axis-aligned boxes
 * (../../kernels/binned-split.as.ts), independent of k and the bits.
 *
 * Heights are D . (x - o) in quanta, two directions at a time. With quanta of a power of two, they
 * take the roundings of tree/fixed-point.ts, and no coordinate along an axis is longer than
 * 2^(bits - 1) quanta. So they are within
 *    2^-50 sqrt(3) 2^(bits - 1) < 2^(bits - 50)
 * of the true height, underflows included. If no whole number is that near, floor and ceiling are
 * known. Along an axis, with an exact difference, the double is the height itself. Vertices with
 * any other height go on a list, for the caller to round exactly.
 *
 * A height is stored as the lowest bits of its sum with 1.5 x 2^52, which are a whole number's in
 * two's complement.
 *
 * A *row* is the k numbers of a vertex or a node, i16, i32 or f64. A node's row is the maximum of
 * its children's; a leaf's row is the maximum of its triangle's vertices'.
 */

import { BOX, beginSplits, pair, SPLIT_SCRATCH, split, splitThese } from '../../kernels/binned-split.as';

// --------------------------------------------------------------------------------------- hierarchy

/** Below this level, nodes are split in halves. So the depth stays below this plus 32. */
const DEEPEST_SEARCH: u32 = 64;
/** Middles nearer than this are one: far below the smallest scale, and its inverse is finite. */
const LEAST_WIDTH: f64 = 1e-280;
/** A waiting range: its start, its end, its node, and that node's level. */
const TASK: usize = 16;
const MOST_TASKS: usize = 128;

let order: usize = 0;
let links: usize = 0;
let tasks: usize = 0;
let pending: usize = 0;
let made: u32 = 0;
let leaves: u32 = 0;

export function kdopBuildScratch(): f64 {
  return <f64>(SPLIT_SCRATCH + TASK * MOST_TASKS);
}

/**
 * @param positions, triangles addresses of doubles, and of three vertex numbers a triangle
 * @param toOrder, toSpans, toLinks addresses of 4, 48, and 8 bytes a triangle
 * @param scratch address of kdopBuildScratch() bytes
 */
export function kdopBuildBegin(
  positions: usize,
  triangles: usize,
  count: u32,
  toOrder: usize,
  toSpans: usize,
  toLinks: usize,
  scratch: usize,
): void {
  order = toOrder;
  links = toLinks;
  tasks = scratch + SPLIT_SCRATCH;
  beginSplits(scratch, LEAST_WIDTH, 1);
  splitThese(toOrder, toSpans);
  for (let t: u32 = 0; t < count; t++) {
    const corner = triangles + <usize>t * 12;
    const a = positions + 24 * <usize>load<u32>(corner);
    const b = positions + 24 * <usize>load<u32>(corner, 4);
    const c = positions + 24 * <usize>load<u32>(corner, 8);
    const to = toSpans + BOX * <usize>t;
    const p = v128.load(a);
    const q = v128.load(b);
    const r = v128.load(c);
    v128.store(to, f64x2.pmin(f64x2.pmin(p, q), r));
    v128.store(to, f64x2.neg(f64x2.pmax(f64x2.pmax(p, q), r)), 16);
    const x = load<f64>(a, 16);
    const y = load<f64>(b, 16);
    const z = load<f64>(c, 16);
    v128.store(to, pair(min(min(x, y), z), -max(max(x, y), z)), 32);
    store<u32>(toOrder + (<usize>t << 2), t);
  }
  made = 1;
  leaves = 0;
  pending = 0;
  push(0, count, 0, 0);
}

@inline
function push(start: u32, end: u32, node: u32, level: u32): void {
  const task = tasks + TASK * pending++;
  store<u32>(task, start);
  store<u32>(task, end, 4);
  store<u32>(task, node, 8);
  store<u32>(task, level, 12);
}

@inline
function setLeaf(node: u32, place: u32): void {
  store<u32>(links + (<usize>node << 2), (load<u32>(order + (<usize>place << 2)) << 1) | 1);
  leaves++;
}

/** Continues until there are so many leaves; false at the end. */
export function kdopBuildRun(until: u32): bool {
  while (pending > 0 && leaves < until) {
    const task = tasks + TASK * --pending;
    const start = load<u32>(task);
    const end = load<u32>(task, 4);
    const node = load<u32>(task, 8);
    const level = load<u32>(task, 12);
    if (end - start == 1) {
      setLeaf(node, start);
      continue;
    }
    const child = made;
    made += 2;
    store<u32>(links + (<usize>node << 2), child << 1);
    if (end - start == 2) {
      setLeaf(child, start);
      setLeaf(child + 1, start + 1);
      continue;
    }
    const middle = <u32>split(start, end, level > DEEPEST_SEARCH);
    push(middle, end, child + 1, level + 1);
    push(start, middle, child, level + 1);
  }
  return pending > 0;
}

export function kdopBuildDone(): u32 {
  return leaves;
}

// ----------------------------------------------------------------------------------------- heights

// A frame: x, y, z of the origin; the length below which a height might underflow; the largest
// coefficient, f64 each. Then a record for each two directions, f64 x 2 each: x, y, z; errors of
// the heights of any vertex, and of one whose differences are exact.
const TINY: usize = 24;
const MOST: usize = 32;
const PAIRS: usize = 64;
const PAIR_BYTES: usize = 96;
const ERRORS: usize = 48;
const EXACT_ERRORS: usize = 64;
/** Results of kdopMeasure, in place of the errors. */
const LOWEST: usize = 48;
const HIGHEST: usize = 64;
const INTEGER: f64 = 6755399441055744.0;

/**
 * Moves vertices that no triangle uses to the first triangle's first vertex. Returns false if a
 * corner is no vertex.
 *
 * @param marks address of a byte a vertex, 0
 */
export function kdopUse(positions: usize, vertices: u32, triangles: usize, corners: u32, marks: usize): bool {
  for (let c: u32 = 0; c < corners; c++) {
    const v = load<u32>(triangles + (<usize>c << 2));
    if (v >= vertices) return false;
    store<u8>(marks + <usize>v, 1);
  }
  const used = positions + 24 * <usize>load<u32>(triangles);
  for (let v: u32 = 0; v < vertices; v++) {
    if (load<u8>(marks + <usize>v)) continue;
    memory.copy(positions + 24 * <usize>v, used, 24);
  }
  return true;
}

/** The lowest and the highest D . (x - o) of all vertices, for every direction. */
export function kdopMeasure(positions: usize, vertices: u32, frame: usize, pairs: u32): void {
  const ox = v128.load64_splat(frame);
  const oy = v128.load64_splat(frame, 8);
  const oz = v128.load64_splat(frame, 16);
  const end = positions + 24 * <usize>vertices;
  for (let i: u32 = 0; i < pairs; i++) {
    const record = frame + PAIRS + PAIR_BYTES * <usize>i;
    const dx = v128.load(record);
    const dy = v128.load(record, 16);
    const dz = v128.load(record, 32);
    let low = f64x2.splat(Infinity);
    let high = f64x2.splat(-Infinity);
    for (let p = positions; p < end; p += 24) {
      const along = f64x2.add(
        f64x2.add(
          f64x2.mul(dx, f64x2.sub(v128.load64_splat(p), ox)),
          f64x2.mul(dy, f64x2.sub(v128.load64_splat(p, 8), oy)),
        ),
        f64x2.mul(dz, f64x2.sub(v128.load64_splat(p, 16), oz)),
      );
      low = f64x2.pmin(low, along);
      high = f64x2.pmax(high, along);
    }
    v128.store(record, low, LOWEST);
    v128.store(record, high, HIGHEST);
  }
}

/** True if d = fl(a - b) is a - b (D. E. Knuth, TAOCP 2, 4.2.2), and its quanta don't underflow. */
@inline
function isKept(a: f64, b: f64, d: f64, tiny: f64): bool {
  const shadow = a - d;
  return a - (d + shadow) == b - shadow && (d == 0 || abs(d) > tiny);
}

// @ts-ignore: generic
@inline
function setNumbers<T>(to: usize, numbers: v128): void {
  if (sizeof<T>() == 8) {
    // No -0.
    v128.store(to, f64x2.add(numbers, f64x2.splat(0)));
    return;
  }
  const bits = f64x2.add(numbers, f64x2.splat(INTEGER));
  if (sizeof<T>() == 2) {
    v128.store_lane<u16>(to, bits, 0);
    v128.store_lane<u16>(to, bits, 4, 2);
  } else {
    v128.store_lane<u32>(to, bits, 0);
    v128.store_lane<u32>(to, bits, 2, 4);
  }
}

/** Writes rows, and vertices in doubt. Returns their number, or -1 if a height is too large. */
// @ts-ignore: generic
function setHeights<T>(positions: usize, vertices: u32, frame: usize, half: u32, to: usize, doubts: usize): i32 {
  const ox = load<f64>(frame);
  const oy = load<f64>(frame, 8);
  const oz = load<f64>(frame, 16);
  const tiny = load<f64>(frame, TINY);
  const first = frame + PAIRS;
  const last = first + PAIR_BYTES * <usize>((half + 1) >>> 1);
  const lower = <usize>half * sizeof<T>();
  const step = 2 * sizeof<T>();
  const lastNumbers = ((last - first) / PAIR_BYTES - 1) * step;
  let count = 0;
  let largest = f64x2.splat(0);
  let row = to;
  for (let v: u32 = 0; v < vertices; v++) {
    const p = positions + 24 * <usize>v;
    const dx = load<f64>(p) - ox;
    const dy = load<f64>(p, 8) - oy;
    const dz = load<f64>(p, 16) - oz;
    const isExact =
      isKept(load<f64>(p), ox, dx, tiny) && isKept(load<f64>(p, 8), oy, dy, tiny) && isKept(load<f64>(p, 16), oz, dz, tiny);
    const errors = isExact ? EXACT_ERRORS : ERRORS;
    const x = f64x2.splat(dx);
    const y = f64x2.splat(dy);
    const z = f64x2.splat(dz);
    let doubt = f64x2.splat(0);
    // The last first: with an odd half, it writes one number too many, where others follow.
    let at = row + lastNumbers;
    for (let record = last - PAIR_BYTES; record >= first; record -= PAIR_BYTES, at -= step) {
      const height = f64x2.add(
        f64x2.add(f64x2.mul(v128.load(record), x), f64x2.mul(v128.load(record, 16), y)),
        f64x2.mul(v128.load(record, 32), z),
      );
      const upward = f64x2.ceil(height);
      const downward = f64x2.neg(f64x2.floor(height));
      const isNear = f64x2.le(
        f64x2.abs(f64x2.sub(height, f64x2.nearest(height))),
        v128.load(record + errors),
      );
      doubt = v128.or(doubt, isNear);
      largest = f64x2.pmax(largest, v128.andnot(f64x2.pmax(upward, downward), isNear));
      setNumbers<T>(at, upward);
      setNumbers<T>(at + lower, downward);
    }
    store<u32>(doubts + (<usize>count << 2), v);
    count += i32(v128.any_true(doubt));
    row += 2 * lower;
  }
  const most = load<f64>(frame, MOST);
  return f64x2.extract_lane(largest, 0) <= most && f64x2.extract_lane(largest, 1) <= most ? count : -1;
}

/**
 * Rounds the heights of all vertices towards +infinity.
 *
 * @param half, width half of k; bytes of a number
 * @param to, doubts addresses of the rows and 16 bytes, and of a word a vertex and one more
 * @returns the number of vertices whose heights must still be rounded exactly; -1 if another one is
 *   too large
 */
export function kdopHeights(
  positions: usize,
  vertices: u32,
  frame: usize,
  half: u32,
  width: u32,
  to: usize,
  doubts: usize,
): i32 {
  if (width == 2) return setHeights<i16>(positions, vertices, frame, half, to, doubts);
  if (width == 4) return setHeights<i32>(positions, vertices, frame, half, to, doubts);
  return setHeights<f64>(positions, vertices, frame, half, to, doubts);
}

// -------------------------------------------------------------------------------------------- rows

/** Deepest level, as tree/kdop-tree.ts has it. */
const DEEPEST: u32 = 128;

// @ts-ignore: generic
@inline
function most<T>(a: v128, b: v128): v128 {
  if (sizeof<T>() == 2) return i16x8.max_s(a, b);
  return sizeof<T>() == 4 ? i32x4.max_s(a, b) : f64x2.pmax(a, b);
}

// @ts-ignore: generic
@inline
function setMost<T>(to: usize, a: usize, b: usize, c: usize, bytes: usize): void {
  if (bytes < 16) {
    const row = most<T>(most<T>(v128.load(a), v128.load(b)), v128.load(c));
    v128.store_lane<u64>(to, row, 0);
    v128.store_lane<u32>(to, row, 2, 8);
    return;
  }
  for (let at: usize = 0; ; at += 16) {
    if (at + 16 > bytes) at = bytes - 16;
    v128.store(to + at, most<T>(most<T>(v128.load(a + at), v128.load(b + at)), v128.load(c + at)));
    if (at + 16 == bytes) break;
  }
}

// @ts-ignore: generic
function setRows<T>(
  from: usize,
  nodes: u32,
  triangles: usize,
  total: u32,
  rows: usize,
  bytes: usize,
  to: usize,
  marks: usize,
): bool {
  const heights = marks + <usize>total;
  store<u8>(heights, 0);
  for (let node = nodes - 1; ; node--) {
    const link = load<u32>(from + (<usize>node << 2));
    const aim = link >>> 1;
    const row = to + bytes * <usize>node;
    if (link & 1) {
      if (aim >= total || load<u8>(marks + <usize>aim)) return false;
      store<u8>(marks + <usize>aim, 1);
      const corner = triangles + <usize>aim * 12;
      const a = rows + bytes * <usize>load<u32>(corner);
      const b = rows + bytes * <usize>load<u32>(corner, 4);
      const c = rows + bytes * <usize>load<u32>(corner, 8);
      setMost<T>(row, a, b, c, bytes);
      store<u8>(heights + <usize>node, 1);
    } else {
      if (aim <= node || aim + 1 >= nodes) return false;
      const a = load<u8>(heights + <usize>aim);
      const b = load<u8>(heights + <usize>aim, 1);
      // A node that has a parent is marked by 0.
      if (a == 0 || b == 0) return false;
      store<u16>(heights + <usize>aim, 0);
      const height = max(a, b) + 1;
      if (<u32>height > DEEPEST + 1) return false;
      store<u8>(heights + <usize>node, <u8>height);
      const child = to + bytes * <usize>aim;
      setMost<T>(row, child, child + bytes, child + bytes, bytes);
    }
    if (node == 0) break;
  }
  return true;
}

/**
 * Fills the rows of all nodes. Returns false if the links are no tree over all triangles.
 *
 * @param rows, bytes address of the vertices' rows, and the length of a row
 * @param to address of the nodes' rows and 16 bytes
 * @param marks address of a byte a triangle, 0, and a byte a node
 */
export function kdopRows(
  from: usize,
  nodes: u32,
  triangles: usize,
  total: u32,
  rows: usize,
  width: u32,
  bytes: usize,
  to: usize,
  marks: usize,
): bool {
  if (nodes != 2 * total - 1) return false;
  if (width == 2) return setRows<i16>(from, nodes, triangles, total, rows, bytes, to, marks);
  if (width == 4) return setRows<i32>(from, nodes, triangles, total, rows, bytes, to, marks);
  return setRows<f64>(from, nodes, triangles, total, rows, bytes, to, marks);
}

/** Packs numbers of 16 bits that fit 8 where they begin, 16 at a time. */
export function kdopNarrow(numbers: usize, count: u32): void {
  for (let i: usize = 0; i < <usize>count; i += 16) {
    const from = numbers + (i << 1);
    v128.store(numbers + i, i8x16.narrow_i16x8_s(v128.load(from), v128.load(from, 16)));
  }
}
