/** Makes surfaces of a tree's boxes for display: of one level, or of any nodes. */

import { FormatError, OptionError } from '../../../base/errors.ts';
import { BoundTree } from '../../../engine/bound-tree.ts';
import { BOX_NUMBERS } from '../../../geometry/rounded-box.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { child, childrenOf, createCursor, mostItems, triangleOf } from './cursor.ts';
import type { ObbTree } from './obb-tree.ts';
import { boxOfItem, unfoldObbTree } from './unfold.ts';

/** Corner i of a box is high along axis k if bit k of i is set. Triangles face outward. */
const FACES = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];

/**
 * Returns the boxes of `level` and of the leaves above it: together they hold the whole surface. A
 * leaf without a box has the one from `unfold`, about its triangle.
 *
 * @throws OptionError if the tree has no such level
 */
export function boxMesh(tree: ObbTree, level: number): Surface {
  const deepest = depthOfObbTree(tree);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this tree has the levels 0 to ${deepest}`);
  }
  const bounds = new BoundTree((node, into) => unfoldObbTree(tree, node, into));
  const nodes: number[] = [];
  for (let i = 0; i < bounds.size; i++) {
    if (bounds.isLeaf(i) || bounds.level[i] === level) nodes.push(bounds.own[i]);
    else bounds.firstChild(i);
  }
  return boxesOf(tree, nodes);
}

export function boxesOf(tree: ObbTree, nodes: readonly number[]): Surface {
  const positions = new Float64Array(24 * nodes.length);
  const triangles = new Uint32Array(FACES.length * nodes.length);
  for (const [n, node] of nodes.entries()) {
    boxOfItem(tree, node, box, 0);
    for (let i = 0; i < 24; i++) {
      const [corner, k] = [Math.floor(i / 3), i % 3];
      let x = box[k];
      for (let axis = 0; axis < 3; axis++) {
        x += ((corner >> axis) & 1 ? 1 : -1) * box[4 * axis + 7] * box[4 * axis + 4 + k];
      }
      positions[24 * n + i] = x;
    }
    for (const [i, corner] of FACES.entries()) triangles[FACES.length * n + i] = 8 * n + corner;
  }
  return { positions, triangles };
}

const box = new Float64Array(BOX_NUMBERS);

/** Returns the deepest level; the root is on level 0. Leaves count, with or without boxes. */
export function depthOfObbTree(tree: ObbTree): number {
  const cursor = createCursor(tree, 1);
  const pending: number[] = [0, 0, tree.triangles.length / 3, 0];
  let deepest = 0;
  let met = 0;
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const count = pending.pop() as number;
    const first = pending.pop() as number;
    const node = pending.pop() as number;
    deepest = Math.max(deepest, depth);
    if (++met > mostItems(cursor)) throw new FormatError(null, 'every node once', `node ${node} again`);
    if (triangleOf(cursor, node, first, count) >= 0) continue;
    const children = childrenOf(cursor, node, first, count);
    for (let k = 0; k < children; k++) pending.push(child.node[k], child.first[k], child.count[k], depth + 1);
  }
  return deepest;
}
