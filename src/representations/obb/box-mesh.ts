/** The boxes of one level of the tree as a surface, to look at anywhere. */
import { OptionError } from '../../math/errors.ts';
import type { Surface } from '../../mesh/topology.ts';
import { child, childrenOf, createCursor, triangleOf } from './cursor.ts';
import { DECODED } from './node.ts';
import type { ObbTree } from './obb-tree.ts';

/** Corner i of a box is + along axis k where bit k of i is set; outward triangles. */
const FACES = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];

/**
 * The boxes of `level`, and those of leaves that lie above it: together they hold the whole surface.
 *
 * @throws OptionError when the tree has no such level
 */
export function boxMesh(tree: ObbTree, level: number): Surface {
  const deepest = depthOfObbTree(tree);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this tree has the levels 0 to ${deepest}`);
  }
  const cursor = createCursor(tree);
  const box = new Float64Array(DECODED);
  const positions: number[] = [];
  const triangles: number[] = [];
  walk(tree, (node, depth, isLeaf) => {
    if (node < 0 || !(depth === level || (isLeaf && depth < level))) return;
    cursor.reader.decode(node, box, 0);
    const first = positions.length / 3;
    for (let corner = 0; corner < 8; corner++) {
      for (let i = 0; i < 3; i++) {
        let x = box[9 + i];
        for (let k = 0; k < 3; k++) x += ((corner >> k) & 1 ? 1 : -1) * box[12 + k] * box[3 * i + k];
        positions.push(x);
      }
    }
    for (const corner of FACES) triangles.push(first + corner);
  });
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Number of the deepest level that has a box; the root's is 0. */
export function depthOfObbTree(tree: ObbTree): number {
  let deepest = 0;
  walk(tree, (node, depth) => {
    if (node >= 0) deepest = Math.max(deepest, depth);
  });
  return deepest;
}

function walk(tree: ObbTree, visit: (node: number, depth: number, isLeaf: boolean) => void): void {
  const cursor = createCursor(tree);
  const pending: number[] = [0, 0, tree.triangles.length / 3, 0];
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const count = pending.pop() as number;
    const first = pending.pop() as number;
    const node = pending.pop() as number;
    const isLeaf = triangleOf(cursor, node, first, count) >= 0;
    visit(node, depth, isLeaf);
    if (isLeaf) continue;
    childrenOf(cursor, node, first, count);
    for (let k = 1; k >= 0; k--) pending.push(child.node[k], child.first[k], child.count[k], depth + 1);
  }
}
