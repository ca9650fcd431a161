/**
 * Updates trees of 40 and of 20 bytes per node for moved vertices: every box is refitted to its
 * triangles, as in the builder, along its existing axes.
 */
import { requireMesh } from '../../../containers/mesh-sections.ts';
import { BoxWriter } from '../make/box-writer.ts';
import { isLeafWord, leafTriangle, NodeReader, positiveChild, positiveCount } from '../tree/node.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { LARGEST_COORDINATE, requireObbTree } from '../tree/requirements.ts';

/**
 * Fits the boxes of `updated`, which has the new vertices but another tree's nodes.
 *
 * @throws FormatError if the nodes are no tree, or corners no vertices
 */
export function updateBinary(updated: ObbTree): void {
  requireObbTree(updated);
  requireMesh(updated, LARGEST_COORDINATE);
  const nodeBytes = updated.nodeBytes as 40 | 20;
  const nodes = updated.nodes.slice();
  const { first, count, order } = rangesOf(updated);
  const boxes = new BoxWriter(updated, nodeBytes, nodes, order);
  const axes = new Float64Array(9);
  for (let node = 0; node < first.length; node++) {
    boxes.axesOf(node, axes);
    boxes.fit(node, first[node], first[node] + count[node], axes);
  }
  updated.nodes = nodes;
  updated.origin = boxes.origin;
  updated.scale = boxes.scale;
}

function rangesOf(tree: ObbTree) {
  const reader = new NodeReader(tree.nodes, tree.nodeBytes, tree.origin, tree.scale);
  const first = new Uint32Array(reader.count);
  const count = new Uint32Array(reader.count);
  if (tree.nodeBytes === 20) {
    count[0] = tree.triangles.length / 3;
    for (let node = 0; node < reader.count; node++) {
      if (count[node] === 1) continue;
      const positive = positiveCount(reader.word(node), count[node]);
      const negative = count[node] - positive;
      if (positive > 1) [first[node + 1], count[node + 1]] = [first[node], positive];
      if (negative > 1) [first[node + positive], count[node + positive]] = [first[node] + positive, negative];
    }
    return { first, count, order: tree.order as Uint32Array };
  }
  const order = new Uint32Array(tree.triangles.length / 3);
  for (let node = reader.count - 1; node >= 0; node--) {
    const word = reader.word(node);
    const child = positiveChild(word);
    count[node] = isLeafWord(word) ? 1 : count[child] + count[child + 1];
  }
  for (let node = 0; node < reader.count; node++) {
    const word = reader.word(node);
    if (isLeafWord(word)) {
      order[first[node]] = leafTriangle(word);
      continue;
    }
    const child = positiveChild(word);
    first[child] = first[node];
    first[child + 1] = first[node] + count[child];
  }
  return { first, count, order };
}
