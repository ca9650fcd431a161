/**
 * Makes a tree of boxes over an asset's triangles, four children a node, for rays and points.
 *
 * The boxes are parallel to the asset's axes, in float32 and in a unit in which the asset is 1 long
 * from its middle. They are MARGIN larger than what they hold: rays.as.ts and nearest.as.ts say
 * which roundings that covers. Leaves hold up to four triangles.
 */
import {
  areaAt, beginSplits, BOX, pair, split, SPLIT_SCRATCH, splitThese, storeLower, storeUpper,
} from '../../kernels/binned-split.as';
import { HIGH, LINKS, LOW, NODE_BYTES, WIDTH } from './layout.as';

/** 2^-19, and more than the rounding to float32. */
const MARGIN: f64 = 1.125 / 524288.0;
/** Levels after which ranges are halved by count. */
const DEEPEST_SEARCH: i32 = 47;

const TASKS: usize = 0; // 256 x (start, end, node, depth)
const CHILD_BOXES: usize = 4096; // 4 boxes
const STARTS: usize = CHILD_BOXES + 192;
const ENDS: usize = STARTS + 16;
const SPLITS: usize = ENDS + 32;

export function searchBuildScratch(): i32 {
  return <i32>(SPLITS + SPLIT_SCRATCH);
}

let scratch: usize = 0;
let spans: usize = 0;

/**
 * @param positions, triangles addresses of doubles and of vertex numbers
 * @param x, y, z, scale the nodes' unit: see layout.as.ts
 * @param order, toSpans addresses of 4 and 48 bytes a triangle
 * @param nodes address of a node for every third triangle, and one more
 * @param toScratch address of searchBuildScratch() bytes
 * @returns the number of nodes
 */
export function searchBuild(
  positions: usize,
  triangles: usize,
  count: i32,
  x: f64,
  y: f64,
  z: f64,
  scale: f64,
  order: usize,
  toSpans: usize,
  nodes: usize,
  toScratch: usize,
): i32 {
  scratch = toScratch;
  spans = toSpans;
  for (let t = 0; t < count; t++) {
    store<u32>(order + (<usize>t << 2), t);
    bound(positions, triangles + 12 * <usize>t, x, y, z, scale, spans + BOX * <usize>t);
  }
  beginSplits(scratch + SPLITS, 1.0 / 1099511627776.0, 1);
  splitThese(order, spans);
  const tasks = scratch + TASKS;
  let nodeCount = 1;
  let pending = 1;
  storeTask(tasks, 0, count, 0, 0);
  while (pending > 0) {
    pending--;
    const task = tasks + (<usize>pending << 4);
    const node = nodes + <usize>load<u32>(task, 8) * NODE_BYTES;
    const depth = load<i32>(task, 12);
    const children = splitInFour(load<i32>(task), load<i32>(task, 4), depth > DEEPEST_SEARCH);
    for (let j = 0; j < WIDTH; j++) {
      const at = <usize>j << 2;
      if (j >= children) {
        storeNone(node + at);
        continue;
      }
      storeBox(node + at, scratch + CHILD_BOXES + <usize>j * BOX);
      const start = load<i32>(scratch + STARTS + at);
      const end = load<i32>(scratch + ENDS + at);
      if (end - start <= WIDTH) {
        store<u32>(node + at, (<u32>start << 3) | (<u32>(end - start - 1) << 1) | 1, LINKS);
        continue;
      }
      store<u32>(node + at, <u32>nodeCount << 1, LINKS);
      storeTask(tasks + (<usize>pending << 4), start, end, nodeCount, depth + 1);
      pending++;
      nodeCount++;
    }
  }
  return nodeCount;
}

/** Copies the corners of all triangles, in the order of the leaves. */
export function searchCorners(positions: usize, triangles: usize, count: i32, order: usize, to: usize): void {
  for (let i = 0; i < count; i++) {
    const triangle = triangles + 12 * <usize>load<u32>(order + (<usize>i << 2));
    const corners = to + 72 * <usize>i;
    for (let k: usize = 0; k < 3; k++) {
      const from = positions + 24 * <usize>load<u32>(triangle + (k << 2));
      v128.store(corners + 24 * k, v128.load(from));
      store<f64>(corners + 24 * k, load<f64>(from, 16), 16);
    }
  }
}

@inline
function storeTask(to: usize, start: i32, end: i32, node: i32, depth: i32): void {
  store<i32>(to, start);
  store<i32>(to, end, 4);
  store<i32>(to, node, 8);
  store<i32>(to, depth, 12);
}

/** Writes a triangle's box in the nodes' unit, without a margin (binned-split.as.ts: its form). */
function bound(positions: usize, triangle: usize, x: f64, y: f64, z: f64, scale: f64, to: usize): void {
  let a = f64x2.splat(Infinity);
  let b = a;
  let c = a;
  const xy = pair(x, y);
  const zz = pair(z, -z);
  const by = f64x2.splat(scale);
  for (let k: usize = 0; k < 3; k++) {
    const from = positions + 24 * <usize>load<u32>(triangle + (k << 2));
    const p = f64x2.mul(f64x2.sub(v128.load(from), xy), by);
    const last = load<f64>(from, 16);
    a = f64x2.pmin(a, p);
    b = f64x2.pmin(b, f64x2.neg(p));
    c = f64x2.pmin(c, f64x2.mul(f64x2.sub(pair(last, -last), zz), by));
  }
  v128.store(to, a);
  v128.store(to, b, 16);
  v128.store(to, c, 32);
}

@inline
function storeBox(to: usize, box: usize): void {
  store<f32>(to, <f32>(load<f64>(box) - MARGIN), LOW);
  store<f32>(to, <f32>(load<f64>(box, 8) - MARGIN), LOW + 16);
  store<f32>(to, <f32>(load<f64>(box, 32) - MARGIN), LOW + 32);
  store<f32>(to, <f32>(MARGIN - load<f64>(box, 16)), HIGH);
  store<f32>(to, <f32>(MARGIN - load<f64>(box, 24)), HIGH + 16);
  store<f32>(to, <f32>(MARGIN - load<f64>(box, 40)), HIGH + 32);
}

/** No ray meets it, and no point is near. */
@inline
function storeNone(to: usize): void {
  for (let k: usize = 0; k < 48; k += 16) {
    store<f32>(to + k, Infinity, LOW);
    store<f32>(to + k, -Infinity, HIGH);
  }
  store<u32>(to, 0, LINKS);
}

/** Ranges and boxes of one to four parts of a range. */
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
    if (last - first < 2) break;
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
      if (size <= 1) continue;
      const cost = areaAt(boxes + <usize>j * BOX) * <f64>size;
      if (cost > most) {
        most = cost;
        costliest = j;
      }
    }
  }
  if (count == 1) memory.copy(boxes, spans + <usize>start * BOX, BOX);
  return count;
}
