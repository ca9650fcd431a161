/** The k-DOPs of one level of the tree as a surface, to look at anywhere. */

import { OptionError } from '../../../math/errors.ts';
import { polytopeOf } from '../../../mesh/polytope.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { dopDirections } from './dop-directions.ts';
import { depthOfKdopTree, isLeaf, type KdopTree, quantumOf, target } from './kdop-tree.ts';

/**
 * The k-DOPs of `level`, and those of leaves that lie above it: together they hold the whole surface. Each is drawn one quantum larger, so
 * that flat ones have an inside.
 *
 * @throws OptionError when the tree has no such level
 */
export function dopMesh(tree: KdopTree, level: number): Surface {
  const deepest = depthOfKdopTree(tree);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this tree has the levels 0 to ${deepest}`);
  }
  const { k, coefficients, links, origin } = tree;
  const { vectors } = dopDirections(k);
  const quantum = quantumOf(tree);
  const positions: number[] = [];
  const triangles: number[] = [];
  let nodes = [0];
  const drawn: number[] = [];
  for (let l = 0; l < level; l++) {
    for (const node of nodes) if (isLeaf(links[node])) drawn.push(node);
    nodes = nodes
      .filter((node) => !isLeaf(links[node]))
      .flatMap((node) => [target(links[node]), target(links[node]) + 1]);
  }
  for (const node of [...drawn, ...nodes]) {
    // In quanta about the origin, so that the picture is as good at any scale.
    const offsets = Float64Array.from({ length: k }, (_, i) => coefficients[k * node + i] + 1);
    const polytope = polytopeOf(vectors, offsets, pointBelow(tree, node));
    const first = positions.length / 3;
    for (const [i, x] of polytope.positions.entries()) positions.push(origin[i % 3] + x * quantum);
    for (const v of polytope.triangles) triangles.push(first + v);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** A point that the node holds, in quanta from the origin: a vertex of a triangle below it. */
function pointBelow(tree: KdopTree, node: number): number[] {
  const { links, triangles, positions, origin } = tree;
  let at = node;
  while (!isLeaf(links[at])) at = target(links[at]);
  const v = 3 * triangles[3 * target(links[at])];
  return [0, 1, 2].map((i) => (positions[v + i] - origin[i]) / quantumOf(tree));
}
