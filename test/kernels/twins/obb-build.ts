/**
 * Wide trees as obb/build/kernel.as.ts builds them: the same operations on doubles in the same
 * order, one at a time, and so the same bytes.
 */

import { MOMENTS, triangleAxes, triangleMoments } from '../../../src/geometry/fit-obb.ts';
import { floatExtent } from '../../../src/mesh/extent.ts';
import { marginOf, type WideTree } from '../../../src/representations/obb/make/kernel.ts';
import {
  decodeWideBox,
  FRAME_STEPS,
  WIDE_BYTES,
  WIDE_DECODED,
  WIDTH,
  wideViews,
} from '../../../src/representations/obb/tree/wide-node.ts';
import { eigenWithin } from './eigen.ts';
import { encodeWideNode, setWideLink, wideLink } from './obb-node.ts';

/** Principal axes are those of this many triangles, evenly picked. */
const SAMPLE = 512;
/** Splits that judge a frame are those of this many. */
const SPLIT_SAMPLE = 256;
/** Areas that judge a frame are those of this many. */
const AREA_SAMPLE = 64;
/**
 * Frames are judged by their splits on this many levels, and for ranges of so many triangles on
 * all.
 */
const JUDGED_LEVELS = 3;
const JUDGED_SIZE = 1024;
/** Ranges up to this size are split by every plane, larger ones by bins. */
const LARGEST_SWEEP = 12;
const BINS = 16;
/** So that the last bin holds the largest number, whatever it rounds to. */
const BINS_WIDE = BINS * (1 - 2 ** -40);
/** Levels of nodes after which ranges are halved by count: 16 more hold 2^32 triangles. */
const DEEPEST_SEARCH = 47;
/** Of principal axes: less than frames are rounded by. */
const AXES_TOLERANCE = 2 ** -24;
/** Cosines of 1, 2 and 3 sixteenths of a circle; backwards, sines. */
const TURNS = Float64Array.of(0.9238795325112867, Math.SQRT1_2, 0.3826834323650898);
/** Cosine and sine of a 32nd of a circle, and of a 64th. */
const FINE_TURNS = Float64Array.of(0.9807852804032304, 0.19509032201612828, 0.9951847266721969, 0.0980171403295606);

// The build at work: three corners of each triangle, relative to the origin; moments of each;
// triangles in their order; and of the triangle at each place of the order, the lowest of its
// corners along the axes of the node at work, then the highest.
let corners = new Float64Array(0);
let moments: Float64Array = new Float64Array(0);
let order = new Uint32Array(0);
let spans = new Float64Array(0);
let margin = 0;

/** What buildWideTree gives. */
export function buildWide(
  positions: Float64Array,
  triangles: Uint32Array,
  onProgress?: (stage: string, fraction: number) => void,
): WideTree {
  const count = triangles.length / 3;
  const { origin, reach } = floatExtent(positions, triangles);
  const local = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i++) local[i] = positions[i] - origin[i % 3];
  corners = new Float64Array(9 * count);
  for (let c = 0; c < 3 * count; c++) {
    for (let k = 0; k < 3; k++) corners[3 * c + k] = local[3 * triangles[c] + k];
  }
  moments = triangleMoments(local, triangles);
  order = new Uint32Array(count);
  for (let t = 0; t < count; t++) order[t] = t;
  spans = new Float64Array(6 * count);
  margin = marginOf(reach);

  let nodes = new Uint8Array(WIDE_BYTES * (4 + count));
  let views = wideViews(nodes);
  tasks[0] = 0;
  tasks[1] = count;
  tasks[2] = 0;
  tasks[3] = 0;
  taskAxes.set(MODEL);
  let pending = 1;
  let nodeCount = 1;
  let done = 0;
  while (pending > 0) {
    pending--;
    const start = tasks[4 * pending];
    const end = tasks[4 * pending + 1];
    const node = tasks[4 * pending + 2];
    const depth = tasks[4 * pending + 3];
    parent.set(taskAxes.subarray(9 * pending, 9 * pending + 9));
    chooseFrame(start, end, depth < JUDGED_LEVELS || end - start >= JUDGED_SIZE);
    project(frame, start, end);
    if (end - start <= WIDTH) {
      for (let k = 0; k < 6 * (end - start); k++) childSpans[k] = spans[6 * start + k];
      encodeWideNode(views, node, frame, childSpans, end - start, margin);
      setWideLink(views, node, wideLink(start, end - start, 'leaf'));
      if (onProgress && done >> 12 !== (done + end - start) >> 12) onProgress('boxes', done / count);
      done += end - start;
      continue;
    }
    const children = splitInFour(start, end, depth > DEEPEST_SEARCH);
    if (WIDE_BYTES * (nodeCount + children) > nodes.length) {
      const more = new Uint8Array(2 * nodes.length);
      more.set(nodes);
      nodes = more;
      views = wideViews(nodes);
    }
    encodeWideNode(views, node, frame, childSpans, children, margin);
    setWideLink(views, node, wideLink(nodeCount, children, 'inner'));
    for (let j = 0; j < children; j++) {
      tasks[4 * pending] = starts[j];
      tasks[4 * pending + 1] = ends[j];
      tasks[4 * pending + 2] = nodeCount++;
      tasks[4 * pending + 3] = depth + 1;
      taskAxes.set(chosen, 9 * pending);
      pending++;
    }
  }
  const tree = { nodes: nodes.slice(0, WIDE_BYTES * nodeCount), order, origin, reach, localReach: 0 };
  tree.localReach = localReachOf(tree.nodes);
  corners = moments = spans = new Float64Array(0);
  order = new Uint32Array(0);
  return tree;
}

function localReachOf(nodes: Uint8Array): number {
  const views = wideViews(nodes);
  const box = new Float64Array(WIDE_DECODED);
  let most = 0;
  for (let node = 0; node < nodes.length / WIDE_BYTES; node++) {
    decodeWideBox(views, node, box, 0);
    most = Math.max(
      most,
      box.subarray(9).reduce((sum, x) => sum + Math.abs(x), 0),
    );
  }
  return most;
}

/** Pending ranges: start, end, node, depth. Three wait on each level, at most. */
const MOST_TASKS = 3 * 64 + 4;
const tasks = new Int32Array(4 * MOST_TASKS);
/** Their parents' axes. */
const taskAxes = new Float64Array(9 * MOST_TASKS);

// ---------------------------------------------------------------------------------------- frames
//
// Axes are three unit vectors, in rows. A frame is their transpose, rounded to multiples of 1 /
// FRAME_STEPS: its columns are what a reader takes for the axes. Only axes are turned, so that a
// frame is rounded once.

const MODEL = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
const parent = new Float64Array(9);
const axes = new Float64Array(9);
const turned = new Float64Array(9);
/** The axes and the frame of the node at work. */
const chosen = new Float64Array(9);
const frame = new Float64Array(9);
const candidate = new Float64Array(9);
let leastCost = 0;

/** Leaves the cheapest of some axes for the range in `chosen`, and their frame. */
function chooseFrame(start: number, end: number, judged: boolean): void {
  const size = end - start;
  const bySplit = judged && size > WIDTH;
  if (bySplit) pickSample(start, end);
  else gatherPoints(start, end);
  leastCost = Number.POSITIVE_INFINITY;
  consider(parent, size, bySplit);
  considerTurns(MODEL, size, bySplit);
  if (principalAxesOf(start, end)) considerTurns(axes, size, bySplit);
  if (size <= WIDTH && largestTriangleAxes(start, end)) consider(axes, size, bySplit);
  refine(size, bySplit, FINE_TURNS[0], FINE_TURNS[1]);
  refine(size, bySplit, FINE_TURNS[2], FINE_TURNS[3]);
}

/** Considers axes, and for all but bottom nodes three turns about each of them. */
function considerTurns(rows: Float64Array, size: number, bySplit: boolean): void {
  consider(rows, size, bySplit);
  if (size <= WIDTH) return;
  for (let axis = 0; axis < 3; axis++) {
    for (let turn = 0; turn < 3; turn++) {
      turnAbout(rows, axis, TURNS[turn], TURNS[2 - turn]);
      consider(turned, size, bySplit);
    }
  }
}

/** Considers small turns of the cheapest axes so far, either way about each of them. */
function refine(size: number, bySplit: boolean, cosine: number, sine: number): void {
  for (let axis = 0; axis < 3; axis++) {
    turnAbout(chosen, axis, cosine, sine);
    consider(turned, size, bySplit);
    turnAbout(chosen, axis, cosine, -sine);
    consider(turned, size, bySplit);
  }
}

/** Leaves the axes turned about one of them in `turned`. */
function turnAbout(rows: Float64Array, axis: number, cosine: number, sine: number): void {
  const u = axis === 2 ? 0 : 3 * axis + 3;
  const v = axis === 0 ? 6 : 3 * axis - 3;
  for (let k = 0; k < 3; k++) {
    turned[3 * axis + k] = rows[3 * axis + k];
    turned[u + k] = cosine * rows[u + k] + sine * rows[v + k];
    turned[v + k] = cosine * rows[v + k] - sine * rows[u + k];
  }
}

/** Chooses the axes where they are the cheapest so far. */
function consider(rows: Float64Array, size: number, bySplit: boolean): void {
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) candidate[3 * k + i] = Math.floor(rows[3 * i + k] * FRAME_STEPS + 0.5) / FRAME_STEPS;
  }
  const cost = bySplit ? costOfSplit() : costOfBox(size);
  if (cost < leastCost) {
    leastCost = cost;
    chosen.set(rows);
    frame.set(candidate);
  }
}

/** The i-th of `picks` triangles of a range, evenly picked. */
function pick(start: number, size: number, picks: number, i: number): number {
  return order[start + (size === picks ? i : Math.floor((i * size) / picks))];
}

const sum = new Float64Array(MOMENTS);
const covariance = new Float64Array(9);
const values = new Float64Array(3);

/**
 * Leaves the principal axes of the range, or of a sample, in `axes`; false where it has no area.
 */
function principalAxesOf(start: number, end: number): boolean {
  const size = end - start;
  const picks = size < SAMPLE ? size : SAMPLE;
  sum.fill(0);
  for (let i = 0; i < picks; i++) {
    const m = MOMENTS * pick(start, size, picks, i);
    for (let k = 0; k < MOMENTS; k++) sum[k] += moments[m + k];
  }
  const area = sum[0];
  if (!(area > 0)) return false;
  const x = sum[1] / area;
  const y = sum[2] / area;
  const z = sum[3] / area;
  covariance[0] = sum[4] / area - x * x;
  covariance[1] = covariance[3] = sum[5] / area - x * y;
  covariance[2] = covariance[6] = sum[6] / area - x * z;
  covariance[4] = sum[7] / area - y * y;
  covariance[5] = covariance[7] = sum[8] / area - y * z;
  covariance[8] = sum[9] / area - z * z;
  eigenWithin(AXES_TOLERANCE, covariance, values, axes);
  return true;
}

/**
 * Leaves the axes of the first of the largest triangles of the range in `axes`; false where it has
 * no area.
 */
function largestTriangleAxes(start: number, end: number): boolean {
  let largest = order[start];
  for (let i = start + 1; i < end; i++) {
    if (moments[MOMENTS * order[i]] > moments[MOMENTS * largest]) largest = order[i];
  }
  return triangleAxes(corners, 3 * largest, 3 * largest + 1, 3 * largest + 2, axes);
}

/** Corners of the triangles whose box judges a frame: all x, then y, then z. */
const points = new Float64Array(9 * AREA_SAMPLE);
const POINT_Y = 3 * AREA_SAMPLE;
const POINT_Z = 6 * AREA_SAMPLE;
let pointCount = 0;

function gatherPoints(start: number, end: number): void {
  const size = end - start;
  const picks = size < AREA_SAMPLE ? size : AREA_SAMPLE;
  pointCount = 0;
  for (let i = 0; i < picks; i++) {
    const t = 9 * pick(start, size, picks, i);
    for (let c = t; c < t + 9; c += 3) {
      points[pointCount] = corners[c];
      points[POINT_Y + pointCount] = corners[c + 1];
      points[POINT_Z + pointCount++] = corners[c + 2];
    }
  }
}

const bound = new Float64Array(6);

/**
 * Half the area of the points' box along the candidate; for a bottom node, those of its triangles
 * are added.
 */
function costOfBox(size: number): number {
  let cost = areaOfPoints(0, pointCount);
  if (size <= WIDTH) {
    for (let p = 0; p < pointCount; p += 3) cost += areaOfPoints(p, p + 3);
  }
  return cost;
}

function areaOfPoints(from: number, to: number): number {
  emptyBox(bound);
  for (let p = from; p < to; p++) {
    const x = points[p];
    const y = points[POINT_Y + p];
    const z = points[POINT_Z + p];
    for (let i = 0; i < 3; i++) {
      const u = candidate[i] * x + candidate[3 + i] * y + candidate[6 + i] * z;
      if (u < bound[i]) bound[i] = u;
      if (u > bound[3 + i]) bound[3 + i] = u;
    }
  }
  return areaOf(bound, 0);
}

/** A sample of the range, as triangles, and what splits reorder: the sample and its spans. */
const picked = new Uint32Array(SPLIT_SAMPLE);
const sampleOrder = new Uint32Array(SPLIT_SAMPLE);
const sampleSpans = new Float64Array(6 * SPLIT_SAMPLE);
let pickedCount = 0;

function pickSample(start: number, end: number): void {
  const size = end - start;
  pickedCount = size < SPLIT_SAMPLE ? size : SPLIT_SAMPLE;
  for (let i = 0; i < pickedCount; i++) picked[i] = pick(start, size, pickedCount, i);
}

/**
 * Splits the sample along the candidate: the sum of the children's areas, each times what it holds.
 */
function costOfSplit(): number {
  const wholeOrder = order;
  const wholeSpans = spans;
  order = sampleOrder;
  spans = sampleSpans;
  sampleOrder.set(picked);
  project(candidate, 0, pickedCount);
  const children = splitInFour(0, pickedCount, false);
  let cost = 0;
  for (let j = 0; j < children; j++) cost += areaOf(childSpans, 6 * j) * (ends[j] - starts[j]);
  order = wholeOrder;
  spans = wholeSpans;
  return cost;
}

/** Fills `spans` of a range along a frame. */
function project(f: Float64Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const t = 9 * order[i];
    for (let k = 0; k < 3; k++) {
      const p = f[k] * corners[t] + f[3 + k] * corners[t + 1] + f[6 + k] * corners[t + 2];
      const q = f[k] * corners[t + 3] + f[3 + k] * corners[t + 4] + f[6 + k] * corners[t + 5];
      const r = f[k] * corners[t + 6] + f[3 + k] * corners[t + 7] + f[6 + k] * corners[t + 8];
      const low = p < q ? p : q;
      const high = p > q ? p : q;
      spans[6 * i + k] = r < low ? r : low;
      spans[6 * i + 3 + k] = r > high ? r : high;
    }
  }
}

// ---------------------------------------------------------------------------------------- splits

/** The children's ranges and boxes. */
const starts = new Int32Array(WIDTH);
const ends = new Int32Array(WIDTH);
const childSpans = new Float64Array(6 * WIDTH);

/**
 * Splits a range of more than four until there are four, always the one of largest area times
 * count; returns how many there are.
 */
function splitInFour(start: number, end: number, halve: boolean): number {
  starts[0] = start;
  ends[0] = end;
  let count = 1;
  let costliest = 0;
  while (count < WIDTH && costliest >= 0) {
    const last = ends[costliest];
    const middle = split(starts[costliest], last, halve);
    ends[costliest] = middle;
    starts[count] = middle;
    ends[count] = last;
    boundSpans(costliest);
    boundSpans(count++);
    costliest = -1;
    let most = -1;
    for (let j = 0; j < count; j++) {
      const size = ends[j] - starts[j];
      if (size <= WIDTH) continue;
      const cost = areaOf(childSpans, 6 * j) * size;
      if (cost > most) {
        most = cost;
        costliest = j;
      }
    }
  }
  return count;
}

/** The box of a child's range. */
function boundSpans(child: number): void {
  emptyBox(bound);
  for (let i = starts[child]; i < ends[child]; i++) growBy(bound, spans, 6 * i);
  childSpans.set(bound, 6 * child);
}

function emptyBox(box: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    box[k] = Number.POSITIVE_INFINITY;
    box[3 + k] = Number.NEGATIVE_INFINITY;
  }
}

function growBy(box: Float64Array, by: Float64Array, at: number): void {
  for (let k = 0; k < 3; k++) {
    if (by[at + k] < box[k]) box[k] = by[at + k];
    if (by[at + 3 + k] > box[3 + k]) box[3 + k] = by[at + 3 + k];
  }
}

function areaOf(box: Float64Array, at: number): number {
  const x = box[at + 3] - box[at];
  const y = box[at + 4] - box[at + 1];
  const z = box[at + 5] - box[at + 2];
  return x * y + y * z + z * x;
}

/** Reorders the range into two that are not empty, and returns where the second begins. */
function split(start: number, end: number, halve: boolean): number {
  const size = end - start;
  if (!halve) {
    const middle = size <= LARGEST_SWEEP ? splitByPlanes(start, end) : splitByBins(start, end);
    if (middle > start) return middle;
  }
  return start + ((size + 1) >>> 1);
}

/** What few triangles cost: one each, and four for every bottom node. */
const weightOf = (count: number): number => count + ((count + 3) & ~3);

const key = new Float64Array(LARGEST_SWEEP);
const rank = new Int32Array(LARGEST_SWEEP);
const bestRank = new Int32Array(LARGEST_SWEEP);
const rightCosts = new Float64Array(Math.max(LARGEST_SWEEP, BINS));
const savedSpans = new Float64Array(6 * LARGEST_SWEEP);
const savedOrder = new Uint32Array(LARGEST_SWEEP);

/**
 * Tries all planes between triangles, by their middles along the three axes; returns `start` where
 * they cannot be told apart.
 */
function splitByPlanes(start: number, end: number): number {
  const size = end - start;
  let least = Number.POSITIVE_INFINITY;
  let best = 0;
  for (let axis = 0; axis < 3; axis++) {
    for (let i = 0; i < size; i++) {
      const s = 6 * (start + i) + axis;
      const middle = spans[s] + spans[s + 3];
      let j = i;
      for (; j > 0 && key[j - 1] > middle; j--) {
        key[j] = key[j - 1];
        rank[j] = rank[j - 1];
      }
      key[j] = middle;
      rank[j] = i;
    }
    if (!(key[size - 1] - key[0] > margin)) continue;
    emptyBox(bound);
    for (let i = size - 1; i > 0; i--) {
      growBy(bound, spans, 6 * (start + rank[i]));
      rightCosts[i] = areaOf(bound, 0) * weightOf(size - i);
    }
    emptyBox(bound);
    let isBetter = false;
    for (let i = 1; i < size; i++) {
      growBy(bound, spans, 6 * (start + rank[i - 1]));
      const cost = areaOf(bound, 0) * weightOf(i) + rightCosts[i];
      if (cost < least) {
        least = cost;
        best = i;
        isBetter = true;
      }
    }
    if (isBetter) bestRank.set(rank);
  }
  if (best === 0) return start;
  for (let i = 0; i < size; i++) {
    savedOrder[i] = order[start + i];
    for (let k = 0; k < 6; k++) savedSpans[6 * i + k] = spans[6 * (start + i) + k];
  }
  for (let i = 0; i < size; i++) {
    order[start + i] = savedOrder[bestRank[i]];
    for (let k = 0; k < 6; k++) spans[6 * (start + i) + k] = savedSpans[6 * bestRank[i] + k];
  }
  return start + best;
}

const binCount = new Int32Array(BINS);
const binBox = new Float64Array(6 * BINS);
const rightCount = new Int32Array(BINS);

/**
 * Tries the planes between bins of the triangles' middles along the three axes; returns `start`
 * where all are in one.
 */
function splitByBins(start: number, end: number): number {
  let least = Number.POSITIVE_INFINITY;
  let bestAxis = -1;
  let bestBin = 0;
  let bestLow = 0;
  let bestScale = 0;
  for (let axis = 0; axis < 3; axis++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = start; i < end; i++) {
      const middle = spans[6 * i + axis] + spans[6 * i + 3 + axis];
      if (middle < low) low = middle;
      if (middle > high) high = middle;
    }
    if (!(high - low > margin)) continue;
    const scale = BINS_WIDE / (high - low);
    binCount.fill(0);
    for (let bin = 0; bin < BINS; bin++) {
      binBox.fill(Number.POSITIVE_INFINITY, 6 * bin, 6 * bin + 3);
      binBox.fill(Number.NEGATIVE_INFINITY, 6 * bin + 3, 6 * bin + 6);
    }
    for (let i = start; i < end; i++) {
      const bin = Math.floor((spans[6 * i + axis] + spans[6 * i + 3 + axis] - low) * scale);
      binCount[bin]++;
      const b = 6 * bin;
      for (let k = 0; k < 3; k++) {
        if (spans[6 * i + k] < binBox[b + k]) binBox[b + k] = spans[6 * i + k];
        if (spans[6 * i + 3 + k] > binBox[b + 3 + k]) binBox[b + 3 + k] = spans[6 * i + 3 + k];
      }
    }
    let count = 0;
    emptyBox(bound);
    for (let bin = BINS - 1; bin > 0; bin--) {
      count += binCount[bin];
      growBy(bound, binBox, 6 * bin);
      rightCount[bin] = count;
      rightCosts[bin] = areaOf(bound, 0) * count;
    }
    count = 0;
    emptyBox(bound);
    for (let bin = 0; bin < BINS - 1; bin++) {
      count += binCount[bin];
      growBy(bound, binBox, 6 * bin);
      if (binCount[bin] === 0 || rightCount[bin + 1] === 0) continue;
      const cost = areaOf(bound, 0) * count + rightCosts[bin + 1];
      if (cost < least) {
        least = cost;
        bestAxis = axis;
        bestBin = bin;
        bestLow = low;
        bestScale = scale;
      }
    }
  }
  return bestAxis < 0 ? start : divide(start, end, bestAxis, bestBin, bestLow, bestScale);
}

/** Brings the triangles of the bins up to `bin` before the others, whose first place it returns. */
function divide(start: number, end: number, axis: number, bin: number, low: number, scale: number): number {
  let i = start;
  let j = end - 1;
  for (;;) {
    while (i <= j && Math.floor((spans[6 * i + axis] + spans[6 * i + 3 + axis] - low) * scale) <= bin) i++;
    while (i <= j && Math.floor((spans[6 * j + axis] + spans[6 * j + 3 + axis] - low) * scale) > bin) j--;
    if (i > j) return i;
    const t = order[i];
    order[i] = order[j];
    order[j] = t;
    for (let k = 0; k < 6; k++) {
      const u = spans[6 * i + k];
      spans[6 * i + k] = spans[6 * j + k];
      spans[6 * j + k] = u;
    }
    i++;
    j--;
  }
}
