/** Makes surfaces of a tree's k-DOPs for display: of one level, or of any nodes. */

import { FormatError, OptionError } from '../../../base/errors.ts';
import { polytopeOf } from '../../../mesh/polytope.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { dopDirections } from './dop-directions.ts';
import { depthOfKdopTree, firstChild, isLeaf, type KdopTree, quantumOf, target } from './kdop-tree.ts';

/**
 * Required depth of a vertex inside every half-space of its k-DOP, in quanta. Drawing enlarges a
 * k-DOP by one quantum; rounding takes at most 2^-15.
 */
const INSIDE = 0.5;

/**
 * Returns the k-DOPs of `level` and of the leaves above it: together they hold the whole surface.
 * Each is drawn one quantum larger, so that flat ones have an inside.
 *
 * @throws OptionError if the tree has no such level; FormatError if a k-DOP does not hold the first
 *   vertex below it, so it may have no inside (foreign files only; `verify` refutes them)
 */
export function dopMesh(tree: KdopTree, level: number): Surface {
  const deepest = depthOfKdopTree(tree);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: this tree has the levels 0 to ${deepest}`);
  }
  const { links } = tree;
  let nodes = [0];
  const drawn: number[] = [];
  for (let l = 0; l < level; l++) {
    for (const node of nodes) if (isLeaf(links[node])) drawn.push(node);
    nodes = nodes
      .filter((node) => !isLeaf(links[node]))
      .flatMap((node) => [firstChild(links, node), firstChild(links, node) + 1]);
    if (nodes.length > links.length) throw new FormatError(null, `${links.length} nodes in all`, 'more on a level');
  }
  return dopsOf(tree, [...drawn, ...nodes]);
}

export function dopsOf(tree: KdopTree, nodes: readonly number[]): Surface {
  const { k, coefficients, origin } = tree;
  const { vectors } = dopDirections(k);
  const quantum = quantumOf(tree);
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const node of nodes) {
    const offsets = Float64Array.from({ length: k }, (_, i) => coefficients[k * node + i] + 1);
    const inside = pointBelow(tree, node);
    requireInside(vectors, offsets, inside, node);
    const polytope = polytopeOf(vectors, offsets, inside);
    const first = positions.length / 3;
    for (const [i, x] of polytope.positions.entries()) positions.push(origin[i % 3] + x * quantum);
    for (const v of polytope.triangles) triangles.push(first + v);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** Throws unless the point is well inside. Then the polytope has an inside and its full size. */
function requireInside(vectors: Float64Array, offsets: Float64Array, point: number[], node: number): void {
  for (let i = 0; i < offsets.length; i++) {
    const along = vectors[3 * i] * point[0] + vectors[3 * i + 1] * point[1] + vectors[3 * i + 2] * point[2];
    if (!(offsets[i] - along >= INSIDE)) {
      throw new FormatError(null, `a k-DOP of node ${node} that holds the triangles below it`, 'one that does not');
    }
  }
}

function pointBelow(tree: KdopTree, node: number): number[] {
  const { links, triangles, positions, origin } = tree;
  let at = node;
  while (!isLeaf(links[at])) at = firstChild(links, at);
  const v = 3 * triangles[3 * target(links[at])];
  return [0, 1, 2].map((i) => (positions[v + i] - origin[i]) / quantumOf(tree));
}
