/**
 * Builds the tree of wide nodes (../tree/wide-node.ts) over the triangles of a mesh, top down.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 4: boxes along the principal
 * axes of the surface; I. Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies",
 * 2007: binned splits by surface area; H. Dammertz, J. Hanika, A. Keller, "Shallow Bounding Volume
 * Hierarchies for Fast SIMD Ray Tracing", 2008: four children a node. Ours: a node's axes are those
 * of least box area among the parent's, the model's, the principal axes and turns of these
 * (judge.as.ts).
 *
 * Frames judged by the splits that result save 8 % of the bound tests of first contacts, 1 % for
 * all contacts, and 0 to 1 % without contact. They cost a third of the time for 4,000 triangles and
 * a seventh for 69,000. Without turns, queries take 1.1 to 1.2 of the time. No gain: samples of
 * 1,024, 8 or 32 bins, a third round of small turns.
 *
 * For a hasty tree, only the parent's axes and the principal axes are considered. It takes 0.8 of
 * the time to build, and up to 1.1 of the time to ask.
 *
 * Containment. Let R be at least the distance of any vertex from the origin. A corner p relative to
 * the origin is rounded once. F^T p, F^T c and their difference round by less than 32 x 2^-53 R in
 * all. This uses |c| <= sqrt(3) (1 + 2^-13) R, since no projection of a corner exceeds (1 + 2^-13)
 * R. Products that underflow lose 2^-1074, and R >= 1e-30. `margin` is 2^-45 R: the rest of it,
 * another 2^-46 R and more, is for a reader's rounding of the same sums.
 *
 * Operations are on two doubles at a time. Minima and maxima are exact in any order, and the sign
 * of a zero does not affect the bytes. Boxes are stored as minima: the negated minimum of a
 * number's negative is its maximum. A range's boxes are those of the bins by which it was split.
 * Bins along three axes are filled at once, and an axis along which nothing can be distinguished
 * has one bin.
 *
 * A box, or span, is six doubles (BOX bytes) for three axes: low0 low1 | -high0 -high1 | low2
 * -high2.
 */

import {
  areaAt,
  BOX,
  beginSplits,
  pair,
  SPLIT_SCRATCH,
  split,
  splitThese,
  storeLower,
  storeUpper,
} from '../../../kernels/binned-split.as';
import { areaOfTriangle, axesOfTriangle, copyFrame, spanOfTriangle, storeModel } from './axes.as';
import {
  beginJudge,
  choose,
  consider,
  considerTurns,
  JUDGE_SCRATCH,
  judgeThese,
  principalAxesOfThese,
  refine,
} from './judge.as';
import { LINK, WIDTH } from '../tree/wide-layout.as';
import { encodeBoxes, encodeFrame, FRAME_STEPS } from './encode-wide.as';

/** Levels of nodes after which ranges are halved by count. 16 more levels hold 2^32 triangles. */
const DEEPEST_SEARCH: i32 = 47;

const TASKS: usize = 0; // 196 x (start, end, node, depth, and axes of 9 doubles)
const TASK_BYTES: usize = 88;
const PARENT: usize = 17280; // 9 doubles, with room for one more
const FRAME: usize = PARENT + 80;
const AXES: usize = FRAME + 80;
const CHOSEN: usize = AXES + 80;
const MODEL: usize = CHOSEN + 80;
const CHILD_BOXES: usize = MODEL + 80; // 4 boxes
const STARTS: usize = CHILD_BOXES + 192;
const ENDS: usize = STARTS + 16;
const SPLITS: usize = ENDS + 16;
const JUDGE: usize = SPLITS + SPLIT_SCRATCH;
const SCRATCH_END: usize = JUDGE + JUDGE_SCRATCH;

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
let isHasty: bool = false;
let localReach: f64 = 0;
/**
 * Begins with a mesh of at least one triangle.
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
  // The margin is 2^-45 of the vertices' reach.
  beginJudge(scratch + JUDGE, 1.0 / (35184372088832.0 * margin));
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
    chooseFrame(start, end);
    roundFrame(scratch + CHOSEN, scratch + FRAME);
    encodeFrame(node, scratch + FRAME);
    if (size <= WIDTH) {
      project(scratch + FRAME, start, size, scratch + CHILD_BOXES);
      reachTo(encodeBoxes(node, size, scratch + FRAME, scratch + CHILD_BOXES, margin));
      store<u32>(node, (<u32>start << 3) | (<u32>(size - 1) << 1) | 1, LINK);
      done += size;
      continue;
    }
    project(scratch + FRAME, start, size, spans + <usize>start * BOX);
    const children = splitInFour(start, end, depth > DEEPEST_SEARCH);
    reachTo(encodeBoxes(node, children, scratch + FRAME, scratch + CHILD_BOXES, margin));
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

function chooseFrame(start: i32, end: i32): void {
  const size = end - start;
  const axes = scratch + AXES;
  judgeThese(corners, order + (<usize>start << 2), size);
  consider(scratch + PARENT);
  const areAxes = size > WIDTH ? principalAxesOfThese(axes) : largestTriangleAxes(start, end);
  if (isHasty) {
    if (areAxes) consider(axes);
    choose(scratch + CHOSEN);
    return;
  }
  considerTurns(scratch + MODEL);
  if (areAxes) considerTurns(axes);
  choose(scratch + CHOSEN);
  refine(scratch + CHOSEN);
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

function project(f: usize, start: i32, size: i32, to: usize): void {
  const r0 = v128.load(f);
  const r1 = v128.load(f, 24);
  const r2 = v128.load(f, 48);
  const t0 = pair(load<f64>(f, 16), -load<f64>(f, 16));
  const t1 = pair(load<f64>(f, 40), -load<f64>(f, 40));
  const t2 = pair(load<f64>(f, 64), -load<f64>(f, 64));
  const from = order + (<usize>start << 2);
  for (let i = 0; i < size; i++) {
    const t = corners + <usize>load<u32>(from + (<usize>i << 2)) * 72;
    spanOfTriangle(t, to + <usize>i * BOX, r0, r1, r2, t0, t1, t2);
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
