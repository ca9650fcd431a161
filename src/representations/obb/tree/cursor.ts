/**
 * Walks any node layout, and keeps decoded boxes for the next pose.
 *
 * P. Terdiman, "RAPID Hack", step 3: keep the tree compressed, decompress the nodes of a query, and
 * cache them, since consecutive poses meet nearly the same nodes. The cache is direct-mapped and
 * bounded: node i can only be in slot i modulo SLOTS. bench/ measures a motion of a thousand small
 * steps.
 *
 * An *item* of a descent is a `node` >= 0 with a box, or ~triangle without one. In the 20-byte
 * layout the caller passes the triangles of a node: `first` and `count` of `order`. A wide node has
 * one to four children, any other two.
 */

import { FormatError } from '../../../base/errors.ts';
import { childAfter } from '../../../engine/bound-tree.ts';
import { DECODED, isLeafWord, leafTriangle, NodeReader, positiveChild, positiveCount } from './node.ts';
import type { ObbTree } from './obb-tree.ts';
import { isWideLeaf, WIDE_BYTES, WIDTH, wideCount, wideIndex } from './wide-node.ts';

/** 8,192 boxes, 1 MB: enough for a few near-contact queries, and for all of a small tree. */
const SLOTS = 1 << 13;

export interface Cursor {
  tree: ObbTree;
  reader: NodeReader;
  boxes: Float64Array;
  held: Int32Array;
  asked: number;
  decoded: number;
}

export function createCursor(tree: ObbTree, most = SLOTS): Cursor {
  const reader = new NodeReader(tree.nodes, tree.nodeBytes, tree.origin, tree.scale);
  let slots = 1;
  while (slots < most && slots < reader.count) slots *= 2;
  return {
    tree,
    reader,
    boxes: new Float64Array(DECODED * slots),
    held: new Int32Array(slots).fill(-1),
    asked: 0,
    decoded: 0,
  };
}

/** Returns the offset of a node's decoded box in `cursor.boxes`; valid until the next call. */
export function boxOf(cursor: Cursor, node: number): number {
  const slot = node & (cursor.held.length - 1);
  const at = DECODED * slot;
  cursor.asked++;
  if (cursor.held[slot] !== node) {
    cursor.reader.decode(node, cursor.boxes, at);
    cursor.held[slot] = node;
    cursor.decoded++;
  }
  return at;
}

export const mostItems = ({ reader, tree }: Cursor): number => reader.count + tree.triangles.length / 3;

export function triangleOf(cursor: Cursor, node: number, first: number, count: number): number {
  if (node < 0) return ~node;
  if (cursor.tree.nodeBytes === 40) {
    const word = cursor.reader.word(node);
    return isLeafWord(word) ? leafTriangle(word) : -1;
  }
  return cursor.tree.nodeBytes === 20 && count === 1 ? (cursor.tree.order as Uint32Array)[first] : -1;
}

export const child = { node: new Int32Array(WIDTH), first: new Int32Array(WIDTH), count: new Int32Array(WIDTH) };

/**
 * Writes the children of an item that is no triangle to `child`; returns their number.
 *
 * @throws FormatError if a tree that was changed after its check would lead to an endless loop
 */
export function childrenOf(cursor: Cursor, node: number, first: number, count: number): number {
  const word = cursor.reader.word(node);
  if (cursor.tree.nodeBytes === WIDE_BYTES) {
    const children = wideCount(word);
    const index = isWideLeaf(word) ? wideIndex(word) : childAfter(node, wideIndex(word));
    for (let j = 0; j < children; j++) {
      child.node[j] = isWideLeaf(word) ? ~(cursor.tree.order as Uint32Array)[index + j] : index + j;
    }
    return children;
  }
  if (cursor.tree.nodeBytes === 40) {
    child.node[0] = childAfter(node, positiveChild(word));
    child.node[1] = child.node[0] + 1;
    return 2;
  }
  const order = cursor.tree.order as Uint32Array;
  const positive = positiveCount(word, count);
  if (!(positive > 0 && positive < count)) {
    throw new FormatError(null, `a positive child of 1 to ${count - 1} triangles at node ${node}`, `${positive}`);
  }
  child.first[0] = first;
  child.count[0] = positive;
  child.node[0] = positive > 1 ? node + 1 : ~order[first];
  child.first[1] = first + positive;
  child.count[1] = count - positive;
  child.node[1] = count - positive > 1 ? node + positive : ~order[first + positive];
  return 2;
}
