/**
 * Checks that the nodes form one tree over all triangles. Used for reading, and for placing in a
 * kernel, since callers may have changed a tree.
 *
 * A child's number is larger than its parent's. So one pass in the order of the numbers meets every
 * parent before its children, and reads the nodes in the order of memory.
 */
import { FormatError } from '../../../base/errors.ts';
import { isLeafWord, LARGEST_COUNTED, leafTriangle, positiveChild, positiveCount, QUATERNION_STEP } from './node.ts';
import type { ObbTree } from './obb-tree.ts';
import {
  FRAME_STEPS,
  halfOf,
  isWideLeaf,
  LARGEST_DEPTH,
  LARGEST_HALF,
  LARGEST_SKEW,
  linkOfNode,
  WIDE_BYTES,
  WIDTH,
  type WideViews,
  wideCount,
  wideIndex,
  wideViews,
} from './wide-node.ts';

/** The builder stays below 97; a chain of a million nodes would make other walks quadratic. */
const DEEPEST = 256;
/** Above this, squares and products of coordinates leave the range of doubles. */
export const LARGEST_COORDINATE = 1e100;

/** Bounds of the boxes' reach along an axis of the coordinates. */
export interface Extent {
  /** From the coordinates' origin. */
  reach: number;
  /** From the tree's origin, summed over the axes; only for wide nodes. */
  localReach: number;
}

/**
 * Throws unless every node and every triangle is reached once from the root, children come after
 * their parents, the depth is limited, and every box has finite numbers. Takes linear time for any
 * input. reading.ts proves the same of large trees in a third of the time.
 *
 * @throws FormatError if not
 */
export function requireObbTree(tree: ObbTree): Extent {
  if (tree.nodeBytes === 20) return requireCountedTree(tree);
  return tree.nodeBytes === 40 ? requireFloatTree(tree) : requireWideTree(tree);
}

const wrong = (expected: string, found: string | number): FormatError => new FormatError(null, expected, `${found}`);

function requireAll(total: number, found: number, nodes: number, reached: number): void {
  if (found !== total) throw wrong(`${total} triangles in the tree`, found);
  if (reached !== nodes) throw wrong(`${nodes} nodes in the tree`, reached);
}

function meet(seen: Uint8Array, triangle: number, node: number): void {
  if (triangle >= seen.length) throw wrong(`triangle numbers below ${seen.length}`, `${triangle} at node ${node}`);
  if (seen[triangle] !== 0) throw wrong('every triangle once', `triangle ${triangle} twice`);
  seen[triangle] = 1;
}

/** Nodes of 40 bytes. */
function requireFloatTree({ nodes: bytes, triangles, origin: [x, y, z] }: ObbTree): Extent {
  const total = triangles.length / 3;
  const nodes = bytes.length / 40;
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const seen = new Uint8Array(total);
  /** Steps below the root, plus 1; 0 without a parent so far. */
  const levels = new Uint16Array(nodes);
  levels[0] = 1;
  let reach = 0;
  let found = 0;
  let reached = 0;
  for (let node = 0; node < nodes; node++) {
    const level = levels[node];
    if (level === 0) continue;
    reached++;
    const at = 10 * node;
    requireQuaternion(floats[at], floats[at + 1], floats[at + 2], node);
    const half0 = floats[at + 6];
    const half1 = floats[at + 7];
    const half2 = floats[at + 8];
    const far = reachOf(x + floats[at + 3], y + floats[at + 4], z + floats[at + 5], half0 + half1 + half2);
    if (!(half0 >= 0 && half1 >= 0 && half2 >= 0 && far <= LARGEST_COORDINATE)) {
      requireBox([x + floats[at + 3], y + floats[at + 4], z + floats[at + 5], half0, half1, half2], node);
    }
    if (far > reach) reach = far;
    const word = words[at + 9];
    if (isLeafWord(word)) {
      meet(seen, leafTriangle(word), node);
      found++;
      continue;
    }
    const child = positiveChild(word);
    if (child <= node) throw wrong(`children after node ${node}`, `node ${child}`);
    if (child + 1 >= nodes) throw wrong(`node numbers below ${nodes}`, child + 1);
    if (levels[child] !== 0 || levels[child + 1] !== 0) throw wrong('every node once', `node ${child} twice`);
    if (level > DEEPEST) throw wrong(`a tree of at most ${DEEPEST} levels`, 'a deeper one');
    levels[child] = level + 1;
    levels[child + 1] = level + 1;
  }
  requireAll(total, found, nodes, reached);
  return { reach, localReach: 0 };
}

/** Nodes of 20 bytes, in depth-first order: a stack holds the ranges of the nodes to come. */
function requireCountedTree({ nodes: bytes, triangles, order, origin, scale }: ObbTree): Extent {
  const total = triangles.length / 3;
  const nodes = bytes.length / 20;
  const shorts = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const counts = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  const [x, y, z] = origin;
  const [centreStep, extentStep] = scale;
  if (nodes !== Math.max(1, total - 1)) throw wrong(`${Math.max(1, total - 1)} nodes in the tree`, nodes);
  const seen = new Uint8Array(total);
  for (let i = 0; i < total; i++) meet(seen, (order as Uint32Array)[i], i);
  const pending = new Int32Array(2 * DEEPEST + 4);
  let top = 0;
  pending[top++] = total;
  pending[top++] = 0;
  let reach = 0;
  for (let node = 0; node < nodes; node++) {
    const level = pending[--top];
    const count = pending[--top];
    const at = 10 * node;
    requireQuaternion(
      shorts[at] * QUATERNION_STEP,
      shorts[at + 1] * QUATERNION_STEP,
      shorts[at + 2] * QUATERNION_STEP,
      node,
    );
    const centre0 = x + shorts[at + 3] * centreStep;
    const centre1 = y + shorts[at + 4] * centreStep;
    const centre2 = z + shorts[at + 5] * centreStep;
    const half0 = counts[at + 6] * extentStep;
    const half1 = counts[at + 7] * extentStep;
    const half2 = counts[at + 8] * extentStep;
    const far = reachOf(centre0, centre1, centre2, half0 + half1 + half2);
    if (!(far <= LARGEST_COORDINATE)) requireBox([centre0, centre1, centre2, half0, half1, half2], node);
    if (far > reach) reach = far;
    if (count === 1) continue;
    const word = counts[at + 9];
    const positive = positiveCount(word, count);
    if (positive < 1 || positive >= count || (count > LARGEST_COUNTED && word !== 0)) {
      throw wrong(`a positive child of 1 to ${count - 1} triangles at node ${node}`, word);
    }
    if (level >= DEEPEST) throw wrong(`a tree of at most ${DEEPEST} levels`, 'a deeper one');
    if (count - positive > 1) {
      pending[top++] = count - positive;
      pending[top++] = level + 1;
    }
    if (positive > 1) {
      pending[top++] = positive;
      pending[top++] = level + 1;
    }
  }
  // A node of m triangles has m - 1 nodes below it and itself: the pass ends with an empty stack.
  return { reach, localReach: 0 };
}

function requireQuaternion(x: number, y: number, z: number, node: number): void {
  const length2 = x * x + y * y + z * z;
  if (!(length2 <= 1)) throw wrong(`a quaternion with x^2 + y^2 + z^2 <= 1 at node ${node}`, length2);
}

/** NaN if any of the numbers is NaN. */
const reachOf = (x: number, y: number, z: number, halves: number): number =>
  Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) + halves;

/** @param numbers center and half extents */
function requireBox(numbers: readonly number[], node: number): void {
  for (const [k, x] of numbers.entries()) {
    if (!(Math.abs(x) <= 4 * LARGEST_COORDINATE) || (k >= 3 && x < 0)) {
      throw wrong(`a centre and half extents at node ${node}`, x);
    }
  }
}

/** The largest bits of a half extent, LARGEST_HALF, and of entries of F^T F - I in whole steps. */
const LARGEST_HALF_BITS = 0x7e80;
const LARGEST_SKEW_STEPS = Math.floor(LARGEST_SKEW * FRAME_STEPS ** 2);
/** The axes that `decode` makes of a frame are not exactly those: its box is a little larger. */
const WIDER = 1 + 2 ** -10;

function requireWideTree({ nodes: bytes, order, triangles, origin: [x, y, z] }: ObbTree): Extent {
  const places = order as Uint32Array;
  const total = triangles.length / 3;
  const nodes = bytes.length / WIDE_BYTES;
  if (nodes < 1 || !Number.isInteger(nodes)) throw wrong('nodes of 64 bytes, one at least', `${bytes.length} bytes`);
  const views = wideViews(bytes);
  const { halves, floats } = views;
  const seen = new Uint8Array(total);
  const levels = new Uint8Array(nodes);
  levels[0] = 1;
  const extent = { reach: 0, localReach: 0 };
  let found = 0;
  let reached = 0;
  for (let node = 0; node < nodes; node++) {
    const level = levels[node];
    if (level === 0) continue;
    reached++;
    const link = linkOfNode(views, node);
    const count = wideCount(link);
    const index = wideIndex(link);
    requireFrame(views, node, count);
    const half = halfOf(halves[32 * node + 3]) + halfOf(halves[32 * node + 7]) + halfOf(halves[32 * node + 11]);
    const c = floats[16 * node + 6];
    const d = floats[16 * node + 7];
    const e = floats[16 * node + 8];
    const local = Math.abs(c) + Math.abs(d) + Math.abs(e) + half;
    const far = reachOf(x + c, y + d, z + e, WIDER * half);
    if (local > extent.localReach) extent.localReach = local;
    if (far > extent.reach) extent.reach = far;
    if (!isWideLeaf(link)) {
      if (index <= node) throw wrong(`children after node ${node}`, `node ${index}`);
      if (index + count > nodes) throw wrong(`node numbers below ${nodes}`, index + count - 1);
      if (level > LARGEST_DEPTH) throw wrong(`a tree of at most ${LARGEST_DEPTH} levels`, 'a deeper one');
      for (let child = index; child < index + count; child++) {
        if (levels[child] !== 0) throw wrong('every node once', `node ${child} twice`);
        levels[child] = level + 1;
      }
      continue;
    }
    if (index + count > total) throw wrong(`places below ${total} in the order of triangles`, index + count - 1);
    for (let i = index; i < index + count; i++) meet(seen, places[i], node);
    found += count;
  }
  requireAll(total, found, nodes, reached);
  return extent;
}

/** Requires axes, center and half extents of a wide node, and no boxes beside its children's. */
function requireFrame({ bytes, shorts, halves, floats }: WideViews, node: number, count: number): void {
  const s = 32 * node;
  for (let i = 0; i < 3; i++) {
    for (let j = i; j < 3; j++) {
      // Below 2^32 for i = j; else its size is at most 3 * 2^30, so that | 0 hides no large one.
      const sum =
        Math.imul(shorts[s + i], shorts[s + j]) +
        Math.imul(shorts[s + 4 + i], shorts[s + 4 + j]) +
        Math.imul(shorts[s + 8 + i], shorts[s + 8 + j]);
      const steps = i === j ? (sum >>> 0) - FRAME_STEPS ** 2 : sum | 0;
      if (Math.abs(steps) > LARGEST_SKEW_STEPS)
        throw wrong(`three unit axes at right angles at node ${node}`, steps / FRAME_STEPS ** 2);
    }
    const centre = floats[16 * node + 6 + i];
    if (!(Math.abs(centre) <= LARGEST_HALF)) throw wrong(`a centre at node ${node}`, centre);
    const half = halves[s + 4 * i + 3];
    if (half > LARGEST_HALF_BITS) throw wrong(`half extents at node ${node}`, halfOf(half));
    if (count === WIDTH) continue;
    const first = WIDE_BYTES * node + 40 + 4 * i;
    for (let j = count; j < WIDTH; j++) {
      if (bytes[first + j] !== 255 || bytes[first + 12 + j] !== 0) {
        throw wrong(
          `no box of child ${j} at node ${node}`,
          bytes[first + j] === 255 ? bytes[first + 12 + j] : bytes[first + j],
        );
      }
    }
  }
}
