/** Proves for cubes of any origin that the octree's boxes hold their cubes. */
import type { Verification } from '../../../engine/representation.ts';
import { cellOfCube, cubesOf, type VoxelSet } from './cube-set.ts';
import { childrenOf, octreeOf } from './octree.ts';

const MAX_PROBLEMS = 20;

/** Reading has checked keys, masks and counts. Nodes must hold children, each cube once. */
export function verifyVoxels(set: VoxelSet): Verification {
  const tree = octreeOf(set);
  const problems: string[] = [];
  const cell = new Int32Array(3);
  const total = cubesOf(set);
  const isMet = new Uint8Array(total);
  let checked = 0;
  let met = 0;
  const pending = total === 1 ? [] : [0];
  if (total === 1) met = 1;
  while (pending.length > 0 && problems.length < MAX_PROBLEMS) {
    const node = pending.pop() as number;
    checked++;
    const first = childrenOf(tree, node);
    for (let i = first; i < first + tree.childCount[node]; i++) {
      const child = tree.children[i];
      if (child < 0) {
        cellOfCube(set, ~child, cell);
        if (isMet[~child] === 0) met++;
        else problems.push(`cube ${~child} is in the octree twice`);
        isMet[~child] = 1;
      } else pending.push(child);
      for (let axis = 0; axis < 3; axis++) {
        const low = child < 0 ? cell[axis] : tree.cells[6 * child + axis];
        const high = child < 0 ? cell[axis] : tree.cells[6 * child + 3 + axis];
        if (low < tree.cells[6 * node + axis] || high > tree.cells[6 * node + 3 + axis]) {
          problems.push(`the box of node ${node} does not hold its child ${child < 0 ? `cube ${~child}` : child}`);
          break;
        }
      }
    }
  }
  if (problems.length === 0 && met !== total) problems.push(`the octree holds ${met} of ${total} cubes`);
  return { checked, what: 'octants', problems };
}
