/**
 * Builds the tree of wide nodes (../tree/wide-node.ts) over the triangles of a mesh, top down. A
 * twin in TypeScript gives the same bytes (test/kernels/twins/obb-build.ts).
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 4: boxes along the principal
 * axes of the surface; I. Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies",
 * 2007: binned splits by surface area; H. Dammertz, J. Hanika, A. Keller, "Shallow Bounding Volume
 * Hierarchies for Fast SIMD Ray Tracing", 2008: four children a node. Ours: a node's axes are the
 * cheapest of the parent's, the model's, the principal axes and turns of these; of large ranges the
 * cost is that of the split they lead to.
 *
 * What each choice is worth: the cost of queries (node pairs, those of them that are opened and
 * triangle pairs, weighted by their times), geometric mean over seven pairs of meshes with 1,200
 * near poses each. First contact, median and mean; no contact, the same; all contacts; nodes a
 * triangle:
 *
 *    as it is                                                    0.69 1.18 1.27 2.24 46.4   0.43
 *    without small turns of the best                             0.76 1.23 1.30 2.37 48.1   0.43
 *    without any turns                                           0.78 1.32 1.58 2.59 49.6   0.43
 *    nor splits as judges; bottom nodes by their own box alone   0.77 1.33 1.56 2.73 51.1   0.43
 *    splits as judges nowhere                                    0.72 1.21 1.29 2.35 48.0   0.44
 *    splits as judges everywhere, for thrice the time            0.69 1.15 1.22 2.19 45.1   0.45
 *    small ranges: a triangle costs one, a bottom node nothing   0.69 1.16 1.24 2.22 46.6   0.48
 *    all ranges: a triangle costs nothing, a bottom node one     0.69 1.19 1.35 2.33 47.4   0.39
 *
 * Samples of 1,024, 8 or 32 bins, a third round of small turns: no gain.
 *
 * A hasty tree considers the parent's axes and the principal axes of HASTY_SAMPLE triangles alone.
 * It takes 0.2 to 0.5 of the time to build, and up to 1.1 of the time to ask.
 *
 * Containment. With R at least how far vertices reach from the origin, a corner p relative to it is
 * rounded once, and F^T p, F^T c and their difference round by less than 32 x 2^-53 R in all: |c|
 * <= sqrt(3) (1 + 2^-13) R, since no projection of a corner exceeds (1 + 2^-13) R; products that
 * underflow lose 2^-1074, and R >= 1e-30. `margin` is 2^-45 R: what is left of it, another 2^-46 R
 * and more, is for a reader's rounding of the same sums.
 *
 * Operations are on two doubles at a time. Minima and maxima are exact in any order, and the sign
 * of a zero reaches no byte. Boxes are kept as minima alone: minus the lowest of a number's
 * negative is its highest. Moments are computed again where they are needed. A range's boxes are
 * those of the bins it was split by; bins along three axes are filled at once, and an axis along
 * which nothing can be told apart has one bin.
 *
 * A box, or span, is six doubles (BOX bytes) for three axes: low0 low1 | -high0 -high1 | low2
 * -high2.
 */

import {
  areaAt,
  areaOf,
  BOX,
  beginSplits,
  pair,
  SPLIT_SCRATCH,
  split,
  splitThese,
  storeLower,
  storeUpper,
} from '../../../kernels/binned-split.as';
import {
  addMoments,
  areaOfTriangle,
  axesOfMoments,
  axesOfTriangle,
  copyFrame,
  MOMENT_BYTES,
  storeModel,
  turnAbout,
  widest,
} from './axes.as';
import { LINK, WIDTH } from '../tree/wide-layout.as';
import { encode, FRAME_STEPS } from './encode-wide.as';

/** Principal axes are those of this many triangles, evenly picked. */
const SAMPLE: i32 = 512;
const HASTY_SAMPLE: i32 = 64;
/** Splits that judge a frame are those of this many, areas of AREA_SAMPLE. */
const SPLIT_SAMPLE: i32 = 256;
const AREA_SAMPLE: i32 = 64;
/**
 * Frames are judged by their splits on this many levels, and for ranges of so many triangles on
 * all.
 */
const JUDGED_LEVELS: i32 = 3;
const JUDGED_SIZE: i32 = 1024;
/** Levels of nodes after which ranges are halved by count: 16 more hold 2^32 triangles. */
const DEEPEST_SEARCH: i32 = 47;

const TASKS: usize = 0; // 196 x (start, end, node, depth, and axes of 9 doubles)
const TASK_BYTES: usize = 88;
const PARENT: usize = 17280; // 9 doubles, with room for one more
const FRAME: usize = PARENT + 80;
const CANDIDATE: usize = FRAME + 80;
const AXES: usize = CANDIDATE + 80;
const TURNED: usize = AXES + 80;
const CHOSEN: usize = TURNED + 80;
const BEST: usize = CHOSEN + 80;
const MODEL: usize = BEST + 80;
const EIGEN: usize = MODEL + 80;
const SUMS: usize = EIGEN + 80;
const CHILD_BOXES: usize = SUMS + 80; // 4 boxes
const STARTS: usize = CHILD_BOXES + 192;
const ENDS: usize = STARTS + 16;
const SPLITS: usize = ENDS + 16;
const POINTS: usize = SPLITS + SPLIT_SCRATCH; // x, y, z: 3 x 192 singles
const POINT_BYTES: usize = 768;
const PICKED: usize = POINTS + 2304; // 256 words
const SAMPLE_ORDER: usize = PICKED + 1024;
const SAMPLE_BOXES: usize = SAMPLE_ORDER + 1024; // 256 boxes
const SCRATCH_END: usize = SAMPLE_BOXES + 12288;

export function wideBuildScratch(): i32 {
  return <i32>SCRATCH_END;
}

let scratch: usize = 0;
let corners: usize = 0;
let order: usize = 0;
let spans: usize = 0;
let margin: f64 = 0;
let pending: i32 = 0;
let nodeCount: i32 = 0;
let done: i32 = 0;
let pickedCount: i32 = 0;
let leastCost: f64 = 0;
let isHasty: bool = false;
let localReach: f64 = 0;
let toUnit: f64 = 1;
let baseX: f64 = 0;
let baseY: f64 = 0;
let baseZ: f64 = 0;
let pointsEnd: usize = 0;
let f0: v128 = f32x4.splat(0);
let f1: v128 = f32x4.splat(0);
let f2: v128 = f32x4.splat(0);
let f3: v128 = f32x4.splat(0);
let f4: v128 = f32x4.splat(0);
let f5: v128 = f32x4.splat(0);
let f6: v128 = f32x4.splat(0);
let f7: v128 = f32x4.splat(0);
let f8: v128 = f32x4.splat(0);

/**
 * Takes a mesh of at least one triangle.
 *
 * @param positions, triangles addresses of doubles and of vertex numbers
 * @param toCorners, toOrder, toSpans addresses of 72, 4 and 48 bytes per triangle
 * @param toScratch address of wideBuildScratch() bytes
 */
export function wideBuildBegin(
  positions: usize,
  triangles: usize,
  count: i32,
  x: f64,
  y: f64,
  z: f64,
  toMargin: f64,
  toCorners: usize,
  toOrder: usize,
  toSpans: usize,
  toScratch: usize,
  hasty: bool,
): void {
  isHasty = hasty;
  corners = toCorners;
  order = toOrder;
  spans = toSpans;
  scratch = toScratch;
  margin = toMargin;
  for (let c = 0; c < 3 * count; c++) {
    const from = positions + <usize>load<u32>(triangles + (<usize>c << 2)) * 24;
    const to = corners + <usize>c * 24;
    store<f64>(to, load<f64>(from) - x);
    store<f64>(to, load<f64>(from, 8) - y, 8);
    store<f64>(to, load<f64>(from, 16) - z, 16);
  }
  for (let t = 0; t < count; t++) store<u32>(order + (<usize>t << 2), t);
  store<u32>(scratch + TASKS, 0);
  store<u32>(scratch + TASKS, count, 4);
  store<u32>(scratch + TASKS, 0, 8);
  store<u32>(scratch + TASKS, 0, 12);
  storeModel(scratch + MODEL);
  storeModel(scratch + TASKS + 16);
  pending = 1;
  nodeCount = 1;
  done = 0;
  localReach = 0;
  // The margin is 2^-45 of what vertices reach.
  toUnit = 1.0 / (35184372088832.0 * margin);
  beginSplits(scratch + SPLITS, margin, WIDTH);
  splitThese(order, spans);
}

export function wideBuildNodes(): i32 {
  return nodeCount;
}
export function wideBuildDone(): i32 {
  return done;
}

@inline
function reachTo(sum: f64): void {
  localReach = Math.max(localReach, sum);
}

/** Returns the largest sum of a box's center and half extents. */
export function wideBuildReach(): f64 {
  return localReach;
}

/**
 * Continues until `limit` triangles are in leaves or `capacity` nodes exist. True if ranges are
 * left. The caller may move the nodes between calls.
 */
export function wideBuildRun(nodes: usize, capacity: i32, limit: i32): bool {
  const tasks = scratch + TASKS;
  while (pending > 0 && done < limit && nodeCount + WIDTH <= capacity) {
    pending--;
    const task = tasks + <usize>pending * TASK_BYTES;
    const start = load<i32>(task);
    const end = load<i32>(task, 4);
    const node = nodes + (<usize>load<u32>(task, 8) << 6);
    const depth = load<i32>(task, 12);
    const size = end - start;
    copyFrame(scratch + PARENT, task + 16);
    chooseFrame(start, end, depth < JUDGED_LEVELS || size >= JUDGED_SIZE);
    roundFrame(scratch + CHOSEN, scratch + FRAME);
    if (size <= WIDTH) {
      project(scratch + FRAME, start, size, scratch + CHILD_BOXES);
      reachTo(encode(node, size, scratch + FRAME, scratch + CHILD_BOXES, margin));
      store<u32>(node, (<u32>start << 3) | (<u32>(size - 1) << 1) | 1, LINK);
      done += size;
      continue;
    }
    project(scratch + FRAME, start, size, spans + <usize>start * BOX);
    const children = splitInFour(start, end, depth > DEEPEST_SEARCH);
    reachTo(encode(node, children, scratch + FRAME, scratch + CHILD_BOXES, margin));
    store<u32>(node, (<u32>nodeCount << 3) | (<u32>(children - 1) << 1), LINK);
    for (let j = 0; j < children; j++) {
      const child = tasks + <usize>pending * TASK_BYTES;
      store<u32>(child, load<u32>(scratch + STARTS + (<usize>j << 2)));
      store<u32>(child, load<u32>(scratch + ENDS + (<usize>j << 2)), 4);
      store<u32>(child, nodeCount++, 8);
      store<u32>(child, depth + 1, 12);
      copyFrame(child + 16, scratch + CHOSEN);
      pending++;
    }
  }
  return pending > 0;
}

// ---------------------------------------------------------------------------- frames

function chooseFrame(start: i32, end: i32, judged: bool): void {
  const size = end - start;
  if (isHasty) {
    chooseHastily(start, end);
    return;
  }
  const bySplit = judged && size > WIDTH;
  gatherPoints(start, size);
  leastCost = Infinity;
  consider(scratch + PARENT, size, false);
  considerTurns(scratch + MODEL, size);
  const areAxes = size > WIDTH && principalAxesOf(start, size);
  if (areAxes) considerTurns(scratch + AXES, size);
  if (size <= WIDTH && largestTriangleAxes(start, end)) consider(scratch + AXES, size, false);
  if (bySplit) {
    pickSample(start, size);
    copyFrame(scratch + BEST, scratch + CHOSEN);
    leastCost = Infinity;
    consider(scratch + PARENT, size, true);
    consider(scratch + MODEL, size, true);
    if (areAxes) consider(scratch + AXES, size, true);
    consider(scratch + BEST, size, true);
  }
  refine(size, bySplit, 0.9807852804032304, 0.19509032201612828);
  refine(size, bySplit, 0.9951847266721969, 0.0980171403295606);
}

function chooseHastily(start: i32, end: i32): void {
  const size = end - start;
  gatherPoints(start, size);
  leastCost = Infinity;
  consider(scratch + PARENT, size, false);
  const areAxes = size <= WIDTH ? largestTriangleAxes(start, end) : principalAxesOf(start, size);
  if (areAxes) consider(scratch + AXES, size, false);
}

function considerTurns(rows: usize, size: i32): void {
  consider(rows, size, false);
  if (size <= WIDTH) return;
  for (let axis = 0; axis < 3; axis++) {
    turnAbout(rows, axis, 0.9238795325112867, 0.3826834323650898, scratch + TURNED);
    consider(scratch + TURNED, size, false);
    turnAbout(rows, axis, 0.7071067811865476, 0.7071067811865476, scratch + TURNED);
    consider(scratch + TURNED, size, false);
    turnAbout(rows, axis, 0.3826834323650898, 0.9238795325112867, scratch + TURNED);
    consider(scratch + TURNED, size, false);
  }
}

function refine(size: i32, bySplit: bool, cosine: f64, sine: f64): void {
  for (let axis = 0; axis < 3; axis++) {
    turnAbout(scratch + CHOSEN, axis, cosine, sine, scratch + TURNED);
    consider(scratch + TURNED, size, bySplit);
    turnAbout(scratch + CHOSEN, axis, cosine, -sine, scratch + TURNED);
    consider(scratch + TURNED, size, bySplit);
  }
}

function consider(rows: usize, size: i32, bySplit: bool): void {
  const cost = bySplit ? costOfSplit(rows) : <f64>(size <= WIDTH ? costOfLeaf(rows, size) : costOfBox(rows));
  if (cost < leastCost || leastCost == Infinity) {
    leastCost = cost;
    copyFrame(scratch + CHOSEN, rows);
  }
}

/** Writes the matrix whose columns are the axes, as a node stores it. */
function roundFrame(rows: usize, to: usize): void {
  const steps = f64x2.splat(FRAME_STEPS);
  const up = f64x2.splat(0.5);
  for (let k: usize = 0; k < 24; k += 8) {
    const from = rows + k;
    const first = pair(load<f64>(from), load<f64>(from, 24));
    v128.store(to + 3 * k, f64x2.div(f64x2.floor(f64x2.add(f64x2.mul(first, steps), up)), steps));
    store<f64>(to + 3 * k, Math.floor(load<f64>(from, 48) * FRAME_STEPS + 0.5) / FRAME_STEPS, 16);
  }
}

@inline
function pick(start: i32, size: i32, picks: i32, i: i32): u32 {
  const at = size == picks ? i : <i32>((<u64>i * <u64>size) / <u64>picks);
  return load<u32>(order + (<usize>(start + at) << 2));
}

function principalAxesOf(start: i32, size: i32): bool {
  const most = isHasty ? HASTY_SAMPLE : SAMPLE;
  const picks = size < most ? size : most;
  const sums = scratch + SUMS;
  memory.fill(sums, 0, MOMENT_BYTES);
  for (let i = 0; i < picks; i++) addMoments(corners + <usize>pick(start, size, picks, i) * 72, sums);
  return axesOfMoments(sums, scratch + EIGEN, scratch + AXES);
}

function largestTriangleAxes(start: i32, end: i32): bool {
  let p = corners + <usize>load<u32>(order + (<usize>start << 2)) * 72;
  let area = areaOfTriangle(p);
  for (let i = start + 1; i < end; i++) {
    const other = corners + <usize>load<u32>(order + (<usize>i << 2)) * 72;
    const otherArea = areaOfTriangle(other);
    if (otherArea > area) {
      area = otherArea;
      p = other;
    }
  }
  return axesOfTriangle(p, scratch + AXES);
}

/**
 * Corners of up to AREA_SAMPLE triangles, or of a bottom node's, in single precision about one of
 * them; these in lanes by triangle, the first once more where one is missing.
 */
function gatherPoints(start: i32, size: i32): void {
  const base = corners + <usize>load<u32>(order + (<usize>start << 2)) * 72;
  baseX = load<f64>(base);
  baseY = load<f64>(base, 8);
  baseZ = load<f64>(base, 16);
  if (size <= WIDTH) {
    for (let i = 0; i < WIDTH; i++) {
      const place = i < size ? start + i : start;
      const p = corners + <usize>load<u32>(order + (<usize>place << 2)) * 72;
      for (let c: usize = 0; c < 3; c++) storePoint(scratch + POINTS + 48 * c + (<usize>i << 2), p + 24 * c, 16);
    }
    return;
  }
  const picks = size < AREA_SAMPLE ? size : AREA_SAMPLE;
  let to = scratch + POINTS;
  for (let i = 0; i < picks; i++) {
    const p = corners + <usize>pick(start, size, picks, i) * 72;
    for (let c: usize = p; c < p + 72; c += 24) {
      storePoint(to, c, POINT_BYTES);
      to += 4;
    }
  }
  const last = corners + <usize>pick(start, size, picks, picks - 1) * 72;
  for (let i = 3 * picks; i & 3; i++) {
    storePoint(to, last, POINT_BYTES);
    to += 4;
  }
  pointsEnd = to;
}

@inline
function storePoint(to: usize, p: usize, bytes: usize): void {
  store<f32>(to, <f32>((load<f64>(p) - baseX) * toUnit));
  store<f32>(to + bytes, <f32>((load<f64>(p, 8) - baseY) * toUnit));
  store<f32>(to + 2 * bytes, <f32>((load<f64>(p, 16) - baseZ) * toUnit));
}

function loadAxes(rows: usize): void {
  f0 = f32x4.splat(<f32>load<f64>(rows));
  f1 = f32x4.splat(<f32>load<f64>(rows, 24));
  f2 = f32x4.splat(<f32>load<f64>(rows, 48));
  f3 = f32x4.splat(<f32>load<f64>(rows, 8));
  f4 = f32x4.splat(<f32>load<f64>(rows, 32));
  f5 = f32x4.splat(<f32>load<f64>(rows, 56));
  f6 = f32x4.splat(<f32>load<f64>(rows, 16));
  f7 = f32x4.splat(<f32>load<f64>(rows, 40));
  f8 = f32x4.splat(<f32>load<f64>(rows, 64));
}

@inline
function along(a: v128, b: v128, c: v128, x: v128, y: v128, z: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(a, x), f32x4.mul(b, y)), f32x4.mul(c, z));
}

@inline
function halfArea(x: f32, y: f32, z: f32): f32 {
  return x * y + y * z + z * x;
}

function costOfBox(rows: usize): f32 {
  loadAxes(rows);
  const r0 = f0;
  const r1 = f1;
  const r2 = f2;
  const r3 = f3;
  const r4 = f4;
  const r5 = f5;
  const r6 = f6;
  const r7 = f7;
  const r8 = f8;
  let l0 = f32x4.splat(Infinity);
  let l1 = l0;
  let l2 = l0;
  let h0 = f32x4.splat(-Infinity);
  let h1 = h0;
  let h2 = h0;
  for (let p = scratch + POINTS; p < pointsEnd; p += 16) {
    const x = v128.load(p);
    const y = v128.load(p + POINT_BYTES);
    const z = v128.load(p + 2 * POINT_BYTES);
    const u = along(r0, r3, r6, x, y, z);
    const v = along(r1, r4, r7, x, y, z);
    const w = along(r2, r5, r8, x, y, z);
    l0 = f32x4.pmin(l0, u);
    l1 = f32x4.pmin(l1, v);
    l2 = f32x4.pmin(l2, w);
    h0 = f32x4.pmax(h0, u);
    h1 = f32x4.pmax(h1, v);
    h2 = f32x4.pmax(h2, w);
  }
  return halfArea(widest(l0, h0), widest(l1, h1), widest(l2, h2));
}

/** The area of a bottom node's box and of those of its triangles, one a lane. */
function costOfLeaf(rows: usize, size: i32): f32 {
  loadAxes(rows);
  let p = scratch + POINTS;
  let x = v128.load(p);
  let y = v128.load(p, 16);
  let z = v128.load(p, 32);
  let l0 = along(f0, f3, f6, x, y, z);
  let l1 = along(f1, f4, f7, x, y, z);
  let l2 = along(f2, f5, f8, x, y, z);
  let h0 = l0;
  let h1 = l1;
  let h2 = l2;
  for (let c = 1; c < 3; c++) {
    p += 48;
    x = v128.load(p);
    y = v128.load(p, 16);
    z = v128.load(p, 32);
    const u = along(f0, f3, f6, x, y, z);
    const v = along(f1, f4, f7, x, y, z);
    const w = along(f2, f5, f8, x, y, z);
    l0 = f32x4.pmin(l0, u);
    l1 = f32x4.pmin(l1, v);
    l2 = f32x4.pmin(l2, w);
    h0 = f32x4.pmax(h0, u);
    h1 = f32x4.pmax(h1, v);
    h2 = f32x4.pmax(h2, w);
  }
  const d0 = f32x4.sub(h0, l0);
  const d1 = f32x4.sub(h1, l1);
  const d2 = f32x4.sub(h2, l2);
  const areas = f32x4.add(f32x4.add(f32x4.mul(d0, d1), f32x4.mul(d1, d2)), f32x4.mul(d2, d0));
  let cost = halfArea(widest(l0, h0), widest(l1, h1), widest(l2, h2)) + f32x4.extract_lane(areas, 0);
  if (size > 1) cost += f32x4.extract_lane(areas, 1);
  if (size > 2) cost += f32x4.extract_lane(areas, 2);
  if (size > 3) cost += f32x4.extract_lane(areas, 3);
  return cost;
}

function pickSample(start: i32, size: i32): void {
  pickedCount = size < SPLIT_SAMPLE ? size : SPLIT_SAMPLE;
  for (let i = 0; i < pickedCount; i++) {
    store<u32>(scratch + PICKED + (<usize>i << 2), pick(start, size, pickedCount, i));
  }
}

function costOfSplit(rows: usize): f64 {
  const wholeOrder = order;
  const wholeSpans = spans;
  order = scratch + SAMPLE_ORDER;
  spans = scratch + SAMPLE_BOXES;
  splitThese(order, spans);
  memory.copy(order, scratch + PICKED, <usize>pickedCount << 2);
  roundFrame(rows, scratch + CANDIDATE);
  project(scratch + CANDIDATE, 0, pickedCount, spans);
  const children = splitInFour(0, pickedCount, false);
  let cost = 0.0;
  for (let j = 0; j < children; j++) {
    const size = load<i32>(scratch + ENDS + (<usize>j << 2)) - load<i32>(scratch + STARTS + (<usize>j << 2));
    cost += areaAt(scratch + CHILD_BOXES + <usize>j * BOX) * <f64>size;
  }
  order = wholeOrder;
  spans = wholeSpans;
  splitThese(order, spans);
  return cost;
}

let row0: v128 = f64x2.splat(0);
let row1: v128 = f64x2.splat(0);
let row2: v128 = f64x2.splat(0);
let third0: v128 = f64x2.splat(0);
let third1: v128 = f64x2.splat(0);
let third2: v128 = f64x2.splat(0);

@inline
function loadFrame(f: usize): void {
  row0 = v128.load(f);
  row1 = v128.load(f, 24);
  row2 = v128.load(f, 48);
  third0 = pair(load<f64>(f, 16), -load<f64>(f, 16));
  third1 = pair(load<f64>(f, 40), -load<f64>(f, 40));
  third2 = pair(load<f64>(f, 64), -load<f64>(f, 64));
}

@inline
function projectTriangle(t: usize, to: usize): void {
  projectAlong(t, to, row0, row1, row2, third0, third1, third2);
}

@inline
function projectAlong(t: usize, to: usize, r0: v128, r1: v128, r2: v128, t0: v128, t1: v128, t2: v128): void {
  let x = v128.load64_splat(t);
  let y = v128.load64_splat(t, 8);
  let z = v128.load64_splat(t, 16);
  const p = f64x2.add(f64x2.add(f64x2.mul(r0, x), f64x2.mul(r1, y)), f64x2.mul(r2, z));
  let c = f64x2.add(f64x2.add(f64x2.mul(t0, x), f64x2.mul(t1, y)), f64x2.mul(t2, z));
  x = v128.load64_splat(t, 24);
  y = v128.load64_splat(t, 32);
  z = v128.load64_splat(t, 40);
  const q = f64x2.add(f64x2.add(f64x2.mul(r0, x), f64x2.mul(r1, y)), f64x2.mul(r2, z));
  c = f64x2.pmin(c, f64x2.add(f64x2.add(f64x2.mul(t0, x), f64x2.mul(t1, y)), f64x2.mul(t2, z)));
  x = v128.load64_splat(t, 48);
  y = v128.load64_splat(t, 56);
  z = v128.load64_splat(t, 64);
  const r = f64x2.add(f64x2.add(f64x2.mul(r0, x), f64x2.mul(r1, y)), f64x2.mul(r2, z));
  c = f64x2.pmin(c, f64x2.add(f64x2.add(f64x2.mul(t0, x), f64x2.mul(t1, y)), f64x2.mul(t2, z)));
  v128.store(to, f64x2.pmin(f64x2.pmin(p, q), r));
  v128.store(to, f64x2.neg(f64x2.pmax(f64x2.pmax(p, q), r)), 16);
  v128.store(to, c, 32);
}

function project(f: usize, start: i32, size: i32, to: usize): void {
  loadFrame(f);
  const r0 = row0;
  const r1 = row1;
  const r2 = row2;
  const t0 = third0;
  const t1 = third1;
  const t2 = third2;
  const from = order + (<usize>start << 2);
  for (let i = 0; i < size; i++) {
    const t = corners + <usize>load<u32>(from + (<usize>i << 2)) * 72;
    projectAlong(t, to + <usize>i * BOX, r0, r1, r2, t0, t1, t2);
  }
}

// ---------------------------------------------------------------------------- splits

function splitInFour(start: i32, end: i32, halve: bool): i32 {
  const starts = scratch + STARTS;
  const ends = scratch + ENDS;
  const boxes = scratch + CHILD_BOXES;
  store<i32>(starts, start);
  store<i32>(ends, end);
  let count = 1;
  let costliest = 0;
  while (count < WIDTH && costliest >= 0) {
    const at = <usize>costliest << 2;
    const first = load<i32>(starts + at);
    const last = load<i32>(ends + at);
    const middle = split(first, last, halve);
    const next = <usize>count << 2;
    store<i32>(ends + at, middle);
    store<i32>(starts + next, middle);
    store<i32>(ends + next, last);
    storeLower(boxes + <usize>costliest * BOX);
    storeUpper(boxes + <usize>count * BOX);
    count++;
    costliest = -1;
    let most = -1.0;
    for (let j = 0; j < count; j++) {
      const size = load<i32>(ends + (<usize>j << 2)) - load<i32>(starts + (<usize>j << 2));
      if (size <= WIDTH) continue;
      const cost = areaAt(boxes + <usize>j * BOX) * <f64>size;
      if (cost > most) {
        most = cost;
        costliest = j;
      }
    }
  }
  return count;
}
