/** Proves in integers, without a tolerance, that every k-DOP of a tree holds its triangles. */

import type { Verification } from '../../../engine/representation.ts';
import { dopDirections } from './dop-directions.ts';
import { roundedHeights } from './fixed-point.ts';
import { isLeaf, type KdopTree, target } from './kdop-tree.ts';

const MAX_PROBLEMS = 20;

/**
 * Proves the bounds. Reading has already checked that the nodes form a tree. A leaf needs
 * coefficients no smaller than the exactly rounded heights of its triangle's vertices; a node needs
 * none smaller than its children's.
 */
export function verifyKdopTree(tree: KdopTree): Verification {
  const { k, bits, exponent, coefficients, links, origin, positions, triangles } = tree;
  const { vectors } = dopDirections(k);
  const row = new Float64Array(k);
  const problems: string[] = [];
  const exceeds = (values: ArrayLike<number>, from: number, node: number): boolean => {
    for (let i = 0; i < k; i++) if (values[from + i] > coefficients[k * node + i]) return true;
    return false;
  };
  const frame = { origin, vectors, quantumExponent: exponent - bits + 1 };
  for (let node = 0; node < links.length && problems.length < MAX_PROBLEMS; node++) {
    const aim = target(links[node]);
    if (!isLeaf(links[node])) {
      for (const child of [aim, aim + 1]) {
        if (exceeds(coefficients, k * child, node))
          problems.push(`the k-DOP of node ${node} does not hold that of its child ${child}`);
      }
      continue;
    }
    for (let corner = 0; corner < 3; corner++) {
      const v = 3 * triangles[3 * aim + corner];
      roundedHeights(positions[v], positions[v + 1], positions[v + 2], frame, row, 0);
      if (exceeds(row, 0, node)) {
        problems.push(`the k-DOP of node ${node} does not hold triangle ${aim}`);
        break;
      }
    }
  }
  return { checked: links.length, what: 'k-DOPs', problems };
}
