/**
 * Checks that the nodes form one tree over all triangles. Used for reading, and for placing in a
 * kernel, since callers may have changed a tree.
 */
import { FormatError } from '../../../base/errors.ts';
import { child, childrenOf, createCursor, triangleOf } from './cursor.ts';
import { DECODED, LARGEST_COUNTED, type NodeReader, positiveCount } from './node.ts';
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

/**
 * Throws unless every node and every triangle is reached once from the root, children come after
 * their parents, the depth is limited, and every box has finite numbers. Takes linear time for any
 * input: a node met twice ends it.
 *
 * @throws FormatError if not
 */
export function requireObbTree(tree: ObbTree): void {
  if (tree.nodeBytes === WIDE_BYTES) requireWideTree(tree);
  else requireBinaryTree(tree);
}

function requireBinaryTree(tree: ObbTree): void {
  const cursor = createCursor(tree);
  const total = tree.triangles.length / 3;
  const nodes = cursor.reader.count;
  const seenNode = new Uint8Array(nodes);
  const seenTriangle = new Uint8Array(total);
  const box = new Float64Array(DECODED);
  const pending: number[] = [0, 0, total, 0];
  let triangles = 0;
  let reached = 0;
  const wrong = (expected: string, found: string) => new FormatError(null, expected, found);
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const count = pending.pop() as number;
    const first = pending.pop() as number;
    const node = pending.pop() as number;
    if (node >= nodes) throw wrong(`node numbers below ${nodes}`, `${node}`);
    if (depth > DEEPEST) throw wrong(`a tree of at most ${DEEPEST} levels`, 'a deeper one');
    if (node >= 0) {
      if (seenNode[node]) throw wrong('every node once', `node ${node} twice`);
      seenNode[node] = 1;
      reached++;
      requireBox(cursor.reader, node, box);
    }
    const triangle = triangleOf(cursor, node, first, count);
    if (triangle >= 0) {
      if (triangle >= total) throw wrong(`triangle numbers below ${total}`, `${triangle} at node ${node}`);
      if (seenTriangle[triangle]) throw wrong('every triangle once', `triangle ${triangle} twice`);
      seenTriangle[triangle] = 1;
      triangles++;
      continue;
    }
    if (tree.nodeBytes === 20) {
      const word = cursor.reader.word(node);
      const positive = positiveCount(word, count);
      if (positive < 1 || positive >= count || (count > LARGEST_COUNTED && word !== 0)) {
        throw wrong(`a positive child of 1 to ${count - 1} triangles at node ${node}`, `${word}`);
      }
    }
    childrenOf(cursor, node, first, count);
    for (let k = 1; k >= 0; k--) pending.push(child.node[k], child.first[k], child.count[k], depth + 1);
  }
  if (triangles !== total) throw wrong(`${total} triangles in the tree`, `${triangles}`);
  if (reached !== nodes) throw wrong(`${nodes} nodes in the tree`, `${reached}`);
}

function requireBox(reader: NodeReader, node: number, box: Float64Array): void {
  const length2 = reader.decode(node, box, 0);
  if (!(length2 <= 1))
    throw new FormatError(null, `a quaternion with x^2 + y^2 + z^2 <= 1 at node ${node}`, `${length2}`);
  for (let k = 9; k < DECODED; k++) {
    if (!(Math.abs(box[k]) <= 4 * LARGEST_COORDINATE) || (k >= 12 && box[k] < 0)) {
      throw new FormatError(null, `a centre and half extents at node ${node}`, `${box[k]}`);
    }
  }
}

function requireWideTree({ nodes: bytes, order, triangles }: ObbTree): void {
  const places = order as Uint32Array;
  const total = triangles.length / 3;
  const nodes = bytes.length / WIDE_BYTES;
  const wrong = (expected: string, found: string) => new FormatError(null, expected, found);
  if (nodes < 1 || !Number.isInteger(nodes)) throw wrong('nodes of 64 bytes, one at least', `${bytes.length} bytes`);
  const views = wideViews(bytes);
  const seenNode = new Uint8Array(nodes);
  const seenTriangle = new Uint8Array(total);
  const pending: number[] = [0, 0];
  let found = 0;
  let reached = 0;
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const node = pending.pop() as number;
    if (seenNode[node]) throw wrong('every node once', `node ${node} twice`);
    seenNode[node] = 1;
    reached++;
    if (depth > LARGEST_DEPTH) throw wrong(`a tree of at most ${LARGEST_DEPTH} levels`, 'a deeper one');
    requireWideBox(views, node);
    const link = linkOfNode(views, node);
    const count = wideCount(link);
    const index = wideIndex(link);
    if (!isWideLeaf(link)) {
      if (index <= node) throw wrong(`children after node ${node}`, `node ${index}`);
      if (index + count > nodes) throw wrong(`node numbers below ${nodes}`, `${index + count - 1}`);
      for (let j = count - 1; j >= 0; j--) pending.push(index + j, depth + 1);
      continue;
    }
    if (index + count > total) throw wrong(`places below ${total} in the order of triangles`, `${index + count - 1}`);
    for (let i = index; i < index + count; i++) {
      const triangle = places[i];
      if (triangle >= total) throw wrong(`triangle numbers below ${total}`, `${triangle} at node ${node}`);
      if (seenTriangle[triangle]) throw wrong('every triangle once', `triangle ${triangle} twice`);
      seenTriangle[triangle] = 1;
      found++;
    }
  }
  if (found !== total) throw wrong(`${total} triangles in the tree`, `${found}`);
  if (reached !== nodes) throw wrong(`${nodes} nodes in the tree`, `${reached}`);
}

function requireWideBox(views: WideViews, node: number): void {
  const { bytes, shorts, halves, floats } = views;
  const s = 32 * node;
  const wrong = (expected: string, found: number) => new FormatError(null, `${expected} at node ${node}`, `${found}`);
  for (let i = 0; i < 3; i++) {
    for (let j = i; j < 3; j++) {
      let product = 0;
      for (let k = s; k < s + 12; k += 4) product += shorts[k + i] * shorts[k + j];
      const skew = product / FRAME_STEPS ** 2 - Number(i === j);
      if (!(Math.abs(skew) <= LARGEST_SKEW)) throw wrong('three unit axes at right angles', skew);
    }
    const centre = floats[16 * node + 6 + i];
    if (!(Math.abs(centre) <= LARGEST_HALF)) throw wrong('a centre', centre);
    const half = halfOf(halves[s + 4 * i + 3]);
    if (!(half >= 0 && half <= LARGEST_HALF) || halves[s + 4 * i + 3] >= 0x8000) throw wrong('half extents', half);
    const first = WIDE_BYTES * node + 40 + 4 * i;
    for (let j = wideCount(linkOfNode(views, node)); j < WIDTH; j++) {
      if (bytes[first + j] !== 255 || bytes[first + 12 + j] !== 0) {
        throw wrong(`no box of child ${j}`, bytes[first + j] === 255 ? bytes[first + 12 + j] : bytes[first + j]);
      }
    }
  }
}
