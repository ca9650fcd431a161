/**
 * Builds trees of 40 and of 20 bytes a node (../tree/node.ts) over the triangles of a mesh, top
 * down.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 4. Ours: A node's axes are
 * those of least box area among several candidates. These are the parent's axes, the model's, the
 * principal axes of the surface (up to LARGEST_SMALL triangles, the axes of the largest triangle
 * instead), and small turns of the best. A single triangle has its own axes, which no turn beats.
 * Ranges are split by the surface-area heuristic (binned-split.as.ts).
 *
 * Ranges above LARGEST_PART triangles are the *top*. SAMPLE of their triangles choose the axes and
 * the plane, and one pass over all triangles bounds and divides them. The ranges below are *parts*,
 * which any thread may build, in any order: a range of n triangles has 2n - 1 nodes (40 bytes) or n
 * - 1 (20), so every node's number is known in advance. The bytes are those of one thread.
 *
 * Containment: corners less the origin, their projections and the stored box are the doubles that
 * box-writer.ts has; its margin covers them. Minima and maxima are exact in any order.
 */

import {
  BOX,
  beginSplits,
  cutAxis,
  cutEnd,
  cutPlace,
  lowAt,
  SPLIT_SCRATCH,
  split,
  splitThese,
  stride,
} from '../../../kernels/binned-split.as';
import { axesOfMoments, axesOfTriangle, copyFrame, storeModel, straighten } from './axes.as';
import { beginJudge, choose, consider, JUDGE_SCRATCH, MOST_POINTS, refineOnce } from './judge.as';
import {
  areaInPart,
  areaOfTriangleAlong,
  beginParts,
  boxOfTriangle,
  cornersAt,
  gather,
  LARGEST_PART,
  largestOf,
  listVertices,
  loadRows,
  meanNormal,
  numberAt,
  orderOfPart,
  PART_BYTES,
  projectVertices,
  spanOf,
  spansOfPart,
  storeSpans,
  sumMoments,
  sumsOfPart,
} from './local-mesh.as';
import { addressOf, beginBoxes, reachOfBoxes, setAxes, storeExtents } from './stored-box.as';

/** Numbers of triangles that choose the axes of a range of the top, and its plane. */
const SAMPLE: i32 = 256;
const SPLIT_SAMPLE: i32 = LARGEST_PART;
/** Number of vertices that judge the axes of a range of a part. */
const JUDGES: u32 = 32;
/** Up to this number of triangles, the largest one's axes replace the principal ones. */
const LARGEST_SMALL: i32 = 12;
/** Below this level, nodes are split in halves. So the depth stays below this plus 32. */
const DEEPEST_SEARCH: i32 = 64;
/** As in tree/node.ts: the largest number that the word of a node of 20 bytes holds. */
const LARGEST_COUNTED: i32 = 65535;

/** Axes are better only if their area is below this share: rounding hides smaller gains. */
const LESS: f32 = 0.9999;

// A task: words for start, end, node, the first node below it but for itself, and depth; at 24 the
// parent's axes.
const TASK_BYTES: usize = 96;
const TOP: usize = 0; // 128 tasks
const STACK: usize = TOP + 128 * TASK_BYTES;
const PARENT: usize = STACK + 128 * TASK_BYTES;
const MODEL: usize = PARENT + 80;
const AXES: usize = MODEL + 80;
const MEAN: usize = AXES + 80;
const CHOSEN: usize = MEAN + 80;
const WORK: usize = CHOSEN + 80;
const EXTENTS: usize = WORK + 80;
const SPAN: usize = EXTENTS + 64;
const SPLITS: usize = SPAN + 64;
const PART: usize = SPLITS + SPLIT_SCRATCH;
const JUDGE: usize = PART + ((PART_BYTES + 63) & ~63);
const SCRATCH_END: usize = JUDGE + JUDGE_SCRATCH;

/** Bytes that each thread needs for itself. */
export function binaryBuildScratch(): i32 {
  return <i32>SCRATCH_END;
}

/** Larger ranges belong to the top. */
export function binaryBuildPart(): i32 {
  return LARGEST_PART;
}

export function binaryBuildTaskBytes(): i32 {
  return <i32>TASK_BYTES;
}

let scratch: usize = 0;
let order: usize = 0;
let spare: usize = 0;
let tasks: usize = 0;
let isFloat: bool = true;
let pending: i32 = 0;

/**
 * Begins in this thread.
 *
 * @param settings 6 doubles: the origin, the two steps of the tree's scale, and the margin
 * @param toOrder address of a word for each triangle
 * @param toSpare address of a word for each triangle; of two for trees of 20 bytes, if it has
 *   more than LARGEST_COUNTED
 * @param toSlots address of a word for each vertex, this thread's own
 * @param toTasks address of TASK_BYTES for every part
 */
export function binaryBuildBegin(
  positions: usize,
  triangles: usize,
  settings: usize,
  nodes: usize,
  nodeBytes: i32,
  toOrder: usize,
  toSpare: usize,
  toSlots: usize,
  toTasks: usize,
  toScratch: usize,
): void {
  scratch = toScratch;
  order = toOrder;
  spare = toSpare;
  tasks = toTasks;
  isFloat = nodeBytes == 40;
  pending = 0;
  storeModel(scratch + MODEL);
  beginBoxes(nodes, nodeBytes, settings);
  beginJudge(scratch + JUDGE, 1);
  beginParts(scratch + PART, positions, triangles, toSlots, settings);
  beginSplits(scratch + SPLITS, load<f64>(settings, 40), 1);
}

export function binaryBuildReach(): f64 {
  return reachOfBoxes();
}

@inline
function writeTask(to: usize, start: i32, end: i32, node: i32, next: i32, depth: i32): void {
  store<i32>(to, start);
  store<i32>(to, end, 4);
  store<i32>(to, node, 8);
  store<i32>(to, next, 12);
  store<i32>(to, depth, 16);
}

/** Puts the whole mesh before the top. */
export function binaryBuildRoot(count: i32): void {
  for (let t = 0; t < count; t++) store<u32>(order + (<usize>t << 2), t);
  const task = scratch + TOP;
  writeTask(task, 0, count, 0, 1, 0);
  storeModel(task + 24);
  pending = 1;
}

/** Divides ranges of the top until `most` parts are found or none is left. Returns their number. */
export function binaryBuildTop(most: i32): i32 {
  let found = 0;
  while (pending > 0 && found < most) {
    pending--;
    const task = scratch + TOP + TASK_BYTES * <usize>pending;
    if (load<i32>(task, 4) - load<i32>(task) <= LARGEST_PART) {
      memory.copy(tasks + TASK_BYTES * <usize>found, task, TASK_BYTES);
      found++;
      continue;
    }
    pending = pushChildren(task, divide(task), scratch + TOP, pending);
  }
  return found;
}

/** Writes a node's link and puts its children on a stack. Returns the number of tasks there. */
function pushChildren(task: usize, middle: i32, stack: usize, height: i32): i32 {
  const start = load<i32>(task);
  const end = load<i32>(task, 4);
  const node = load<i32>(task, 8);
  const next = load<i32>(task, 12);
  const depth = load<i32>(task, 16) + 1;
  const counted = middle - start;
  // The first child is on top. It may replace the task.
  const second = stack + TASK_BYTES * <usize>height;
  if (isFloat) {
    store<u32>(addressOf(node), <u32>next << 1, 36);
    writeTask(second, middle, end, next + 1, next + 2 * counted, depth);
    copyFrame(second + 24, scratch + CHOSEN);
    const first = second + TASK_BYTES;
    writeTask(first, start, middle, next, next + 2, depth);
    copyFrame(first + 24, scratch + CHOSEN);
    return height + 2;
  }
  store<u16>(addressOf(node), end - start > LARGEST_COUNTED ? 0 : <u16>counted, 18);
  if (end - middle > 1) {
    writeTask(stack + TASK_BYTES * <usize>height, middle, end, node + counted, 0, depth);
    copyFrame(stack + TASK_BYTES * <usize>height + 24, scratch + CHOSEN);
    height++;
  }
  if (counted > 1) {
    writeTask(stack + TASK_BYTES * <usize>height, start, middle, node + 1, 0, depth);
    copyFrame(stack + TASK_BYTES * <usize>height + 24, scratch + CHOSEN);
    height++;
  }
  return height;
}

/** Builds the tree of a part. Returns its triangles. */
export function binaryBuildTask(number: i32): i32 {
  const task = tasks + TASK_BYTES * <usize>number;
  const first = load<i32>(task);
  const count = load<i32>(task, 4) - first;
  const places = order + (<usize>first << 2);
  gather(places, count, count);
  splitThese(orderOfPart(), spansOfPart());
  const stack = scratch + STACK;
  memory.copy(stack, task, TASK_BYTES);
  store<i32>(stack, 0);
  store<i32>(stack, count, 4);
  let height = 1;
  while (height > 0) {
    height--;
    const item = stack + TASK_BYTES * <usize>height;
    const start = load<i32>(item);
    const end = load<i32>(item, 4);
    const node = load<i32>(item, 8);
    copyFrame(scratch + PARENT, item + 24);
    if (end - start == 1) {
      buildOne(node, start);
      continue;
    }
    listVertices(start, end, JUDGES);
    chooseAxes(start, end);
    setAxes(node, scratch + CHOSEN);
    projectVertices(scratch + CHOSEN, scratch + EXTENTS);
    storeExtents(node, scratch + CHOSEN, scratch + EXTENTS);
    let middle = start + 1;
    if (end - start > 2) {
      storeSpans(start, end);
      middle = split(start, end, load<i32>(item, 16) > DEEPEST_SEARCH);
    }
    height = pushChildren(item, middle, stack, height);
  }
  if (!isFloat) for (let i = 0; i < count; i++) store<u32>(places + (<usize>i << 2), numberAt(i));
  return count;
}

function buildOne(node: i32, place: i32): void {
  const axes = scratch + CHOSEN;
  const corners = cornersAt(place);
  const area = areaOfTriangleAlong(corners, scratch + PARENT);
  const modelArea = areaOfTriangleAlong(corners, scratch + MODEL);
  const isModel = modelArea < LESS * area;
  // Its own box has twice its area on either side.
  const isOwn = areaInPart(place) < LESS * (isModel ? modelArea : area) && axesOfTriangle(corners, axes);
  if (!isOwn) copyFrame(axes, scratch + (isModel ? MODEL : PARENT));
  setAxes(node, axes);
  boxOfTriangle(corners, axes, scratch + EXTENTS);
  storeExtents(node, axes, scratch + EXTENTS);
  if (isFloat) store<u32>(addressOf(node), (numberAt(place) << 1) | 1, 36);
  else store<u16>(addressOf(node), 1, 18);
}

// ---------------------------------------------------------------------------- axes

/** Chooses axes for the range whose vertices are listed. */
function chooseAxes(start: i32, end: i32): void {
  const size = end - start;
  consider(scratch + PARENT);
  consider(scratch + MODEL);
  const axes = scratch + AXES;
  if (size > LARGEST_SMALL) {
    sumMoments(start, end);
    if (axesOfMoments(sumsOfPart(), scratch + WORK, axes)) consider(axes);
  } else if (axesOfTriangle(cornersAt(largestOf(start, end)), axes)) {
    consider(axes);
    copyFrame(scratch + MEAN, axes);
    if (meanNormal(start, end, scratch + MEAN + 48)) {
      straighten(scratch + MEAN);
      consider(scratch + MEAN);
    }
  }
  choose(scratch + CHOSEN);
  if (size > 2) refineOnce(scratch + CHOSEN);
}

// ---------------------------------------------------------------------------- the top

/** Writes the box of a range of the top and divides it. Returns where its second part begins. */
function divide(task: usize): i32 {
  const start = load<i32>(task);
  const end = load<i32>(task, 4);
  const node = load<i32>(task, 8);
  const places = order + (<usize>start << 2);
  copyFrame(scratch + PARENT, task + 24);
  gather(places, end - start, SAMPLE);
  listVertices(0, SAMPLE, <u32>MOST_POINTS);
  chooseAxes(0, SAMPLE);
  setAxes(node, scratch + CHOSEN);
  loadRows(scratch + CHOSEN);
  for (let i = 0; i < SPLIT_SAMPLE; i++) {
    const at = <i32>((<u64>i * <u64>(end - start)) / <u64>SPLIT_SAMPLE);
    spanOf(load<u32>(places + (<usize>at << 2)), spansOfPart() + BOX * <usize>i);
  }
  splitThese(orderOfPart(), spansOfPart());
  split(0, SPLIT_SAMPLE, false);
  const mustHalve = !isFloat && end - start > LARGEST_COUNTED;
  const isHalved = mustHalve || load<i32>(task, 16) > DEEPEST_SEARCH || cutAxis() < 0;
  const middle = partition(places, end - start, isHalved ? -1 : cutAxis());
  storeExtents(node, scratch + CHOSEN, scratch + EXTENTS);
  if (isHalved) return start + halve(places, end - start, mustHalve);
  return middle == 0 || middle == end - start ? start + ((end - start + 1) >>> 1) : start + middle;
}

/**
 * Bounds a range. With an axis, it also moves the triangles before the plane to the front; both
 * sides keep their order. Returns the number of these triangles.
 */
function partition(places: usize, size: i32, axis: i32): i32 {
  const span = scratch + SPAN;
  const low = span + lowAt(axis < 0 ? 0 : axis);
  const high = low + stride(axis < 0 ? 0 : axis);
  const plane = cutEnd();
  let a = f64x2.splat(Infinity);
  let b = a;
  let c = a;
  let before = 0;
  let behind = 0;
  for (let i = 0; i < size; i++) {
    const t = load<u32>(places + (<usize>i << 2));
    spanOf(t, span);
    a = f64x2.pmin(a, v128.load(span));
    b = f64x2.pmin(b, v128.load(span, 16));
    c = f64x2.pmin(c, v128.load(span, 32));
    if (axis < 0 || cutPlace(load<f64>(low) - load<f64>(high)) < plane) store<u32>(places + (<usize>(before++) << 2), t);
    else store<u32>(spare + (<usize>(behind++) << 2), t);
  }
  memory.copy(places + (<usize>before << 2), spare, <usize>behind << 2);
  v128.store(scratch + EXTENTS, a);
  v128.store(scratch + EXTENTS, b, 16);
  v128.store(scratch + EXTENTS, c, 32);
  return before;
}

/** Halves a range by count, `byMedian` along the longest extent. Returns the first half's size. */
function halve(places: usize, size: i32, byMedian: bool): i32 {
  const half = (size + 1) >>> 1;
  if (!byMedian) return half;
  let longest = 0;
  for (let axis = 1; axis < 3; axis++) if (extentAlong(axis) > extentAlong(longest)) longest = axis;
  const low = scratch + SPAN + lowAt(longest);
  const high = low + stride(longest);
  for (let i = 0; i < size; i++) {
    spanOf(load<u32>(places + (<usize>i << 2)), scratch + SPAN);
    store<f64>(spare + (<usize>i << 3), load<f64>(low) - load<f64>(high));
  }
  select(places, spare, size, half);
  return half;
}

@inline
function extentAlong(axis: i32): f64 {
  const low = scratch + EXTENTS + lowAt(axis);
  return -load<f64>(low + stride(axis)) - load<f64>(low);
}

/** C. A. R. Hoare, "Find", 1961: no key before `nth` is larger than one from there on. */
function select(places: usize, keys: usize, size: i32, nth: i32): void {
  let left = 0;
  let right = size - 1;
  while (left < right) {
    const pivot = load<f64>(keys + (<usize>((left + right) >>> 1) << 3));
    let i = left;
    let j = right;
    while (i <= j) {
      while (load<f64>(keys + (<usize>i << 3)) < pivot) i++;
      while (load<f64>(keys + (<usize>j << 3)) > pivot) j--;
      if (i > j) break;
      const key = load<f64>(keys + (<usize>i << 3));
      store<f64>(keys + (<usize>i << 3), load<f64>(keys + (<usize>j << 3)));
      store<f64>(keys + (<usize>j << 3), key);
      const t = load<u32>(places + (<usize>i << 2));
      store<u32>(places + (<usize>i << 2), load<u32>(places + (<usize>j << 2)));
      store<u32>(places + (<usize>j << 2), t);
      i++;
      j--;
    }
    if (nth <= j) right = j;
    else if (nth >= i) left = i;
    else break;
  }
}
