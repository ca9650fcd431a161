/** Adapts an OBB tree to the common engine. */

import { derived } from '../../../engine/asset-cache.ts';
import { type NodeWriter, ROOT, requireNodes } from '../../../engine/bound-tree.ts';
import { BOX_NUMBERS } from '../../../geometry/rounded-box.ts';
import { type Cursor, child, childrenOf, createCursor, mostItems, triangleOf } from './cursor.ts';
import { DECODED } from './node.ts';
import type { ObbTree } from './obb-tree.ts';
import { type Extent, requireObbTree } from './requirements.ts';

const decoded = new Float64Array(DECODED);

interface Unfolding {
  cursor: Cursor;
  first: Map<number, number>;
  count: Map<number, number>;
}
const unfoldings = /* @__PURE__ */ derived<ObbTree, Unfolding>();

function unfoldingOf(tree: ObbTree): Unfolding {
  let unfolding = unfoldings.get(tree);
  if (!unfolding) {
    unfolding = { cursor: createCursor(tree, 1), first: new Map(), count: new Map() };
    unfoldings.set(tree, unfolding);
  }
  return unfolding;
}

export function unfoldObbTree(tree: ObbTree, node: number, into: NodeWriter): void {
  const unfolding = unfoldingOf(tree);
  if (node === ROOT) {
    write(unfolding, 0, 0, tree.triangles.length / 3, into);
    return;
  }
  requireNodes(into, mostItems(unfolding.cursor));
  const children = childrenOf(unfolding.cursor, node, unfolding.first.get(node) ?? 0, unfolding.count.get(node) ?? 0);
  for (let j = 0; j < children; j++) write(unfolding, child.node[j], child.first[j], child.count[j], into);
}

function write({ cursor, first, count }: Unfolding, node: number, from: number, many: number, into: NodeWriter): void {
  const triangle = triangleOf(cursor, node, from, many);
  const at = triangle >= 0 ? into.leaf(triangle, 1, node) : into.branch(node);
  if (triangle < 0 && cursor.tree.nodeBytes === 20) {
    first.set(node, from);
    count.set(node, many);
  }
  writeBox(cursor, node, into.bounds, at);
}

export function boxOfItem(tree: ObbTree, node: number, bounds: Float64Array, at: number): void {
  writeBox(unfoldingOf(tree).cursor, node, bounds, at);
}

function writeBox({ tree, reader }: Cursor, node: number, bounds: Float64Array, at: number): void {
  if (node < 0) {
    boxOfTriangle(tree, ~node, bounds, at);
    return;
  }
  reader.decode(node, decoded, 0);
  for (let k = 0; k < 3; k++) {
    bounds[at + k] = decoded[9 + k];
    for (let i = 0; i < 3; i++) bounds[at + 4 + 4 * k + i] = decoded[3 * i + k];
    bounds[at + 7 + 4 * k] = decoded[12 + k];
  }
  bounds[at + 3] = 0;
}

/** Writes a box for a leaf without one: its triangle's axis-aligned box, rounded outward. */
function boxOfTriangle(tree: ObbTree, triangle: number, bounds: Float64Array, at: number): void {
  const { positions, triangles } = tree;
  bounds.fill(0, at, at + BOX_NUMBERS);
  for (let k = 0; k < 3; k++) {
    const x = positions[3 * triangles[3 * triangle] + k];
    const y = positions[3 * triangles[3 * triangle + 1] + k];
    const z = positions[3 * triangles[3 * triangle + 2] + k];
    const centre = Math.min(x, y, z) / 2 + Math.max(x, y, z) / 2;
    const half = Math.max(centre - Math.min(x, y, z), Math.max(x, y, z) - centre);
    bounds[at + k] = centre;
    bounds[at + 4 + 5 * k] = 1;
    bounds[at + 7 + 4 * k] = half * (1 + 2 ** -50);
  }
}

export function hullOfObbTree(tree: ObbTree, id: number, out: Float64Array): number {
  for (let k = 0; k < 3; k++) {
    const v = 3 * tree.triangles[3 * id + k];
    for (let i = 0; i < 3; i++) out[3 * k + i] = tree.positions[v + i];
  }
  return 3;
}

const reaches = /* @__PURE__ */ derived<ObbTree, number>();

export function knowReach(tree: ObbTree, reach: number): void {
  reaches.set(tree, reach);
}

/** Local reaches of trees made for queries. No caller can change these, so they need no check. */
export const localReaches = /* @__PURE__ */ derived<ObbTree, number>();

/** Returns a bound of the distance of vertices and boxes from the coordinate origin. */
export function reachOfObbTree(tree: ObbTree): number {
  return reaches.get(tree) ?? reachWithin(tree, requireObbTree(tree), Number.POSITIVE_INFINITY);
}

/**
 * Like reachOfObbTree, which returns this result from now on.
 *
 * @param farthest bounds the coordinates of all vertices, used or not
 */
export function reachWithin(tree: ObbTree, boxes: Extent, farthest: number): number {
  let { reach } = boxes;
  // Boxes hold the triangles, except in foreign files.
  if (farthest > reach) {
    const { positions, triangles } = tree;
    for (let c = 0; c < triangles.length; c++) {
      const v = 3 * triangles[c];
      reach = Math.max(reach, Math.abs(positions[v]), Math.abs(positions[v + 1]), Math.abs(positions[v + 2]));
    }
  }
  knowReach(tree, 4 * reach);
  return 4 * reach;
}
