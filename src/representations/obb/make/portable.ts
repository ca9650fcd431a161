/**
 * Builds trees of 40 and of 20 bytes a node without WebAssembly. Ranges are halved along their
 * longest side, and all boxes have the model's axes. These trees need more tests than those of
 * binary.as.ts, but are just as correct.
 */

import type { Mesh } from '../../../mesh/mesh.ts';
import { LARGEST_COUNTED } from '../tree/node.ts';
import { BoxWriter } from './box-writer.ts';

/** Nodes as in ../tree/node.ts, in the order of binary.as.ts. */
export function portableNodes(mesh: Mesh, nodeBytes: 40 | 20) {
  const count = mesh.triangles.length / 3;
  const isFloat = nodeBytes === 40;
  const order = Uint32Array.from({ length: count }, (_, t) => t);
  const nodes = new Uint8Array(nodeBytes * (isFloat ? 2 * count - 1 : Math.max(1, count - 1)));
  const words = new Uint32Array(nodes.buffer, 0, nodes.length >> 2);
  const shorts = new Uint16Array(nodes.buffer);
  const boxes = new BoxWriter(mesh, nodeBytes, nodes, order);
  const axes = new Float64Array(9);
  const pending = [{ start: 0, end: count, node: 0, next: 1 }];
  for (let task = pending.pop(); task; task = pending.pop()) {
    const { start, end, node, next } = task;
    axes.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    boxes.setAxes(node, axes);
    boxes.fit(node, start, end, axes);
    const size = end - start;
    const half = (size + 1) >>> 1;
    const middle = start + half;
    if (size > 1) sortAlong(longestOf(boxes), mesh, order.subarray(start, end));
    if (isFloat) {
      words[10 * node + 9] = size === 1 ? ((order[start] << 1) | 1) >>> 0 : (next << 1) >>> 0;
      if (size === 1) continue;
      pending.push({ start: middle, end, node: next + 1, next: next + 2 * half });
      pending.push({ start, end: middle, node: next, next: next + 2 });
    } else {
      shorts[10 * node + 9] = size > LARGEST_COUNTED ? 0 : half;
      if (end - middle > 1) pending.push({ start: middle, end, node: node + half, next });
      if (half > 1) pending.push({ start, end: middle, node: node + 1, next });
    }
  }
  return { nodes, order: isFloat ? null : order, origin: boxes.origin, scale: boxes.scale };
}

function longestOf({ low, high }: BoxWriter): number {
  let longest = 0;
  for (let k = 1; k < 3; k++) if (high[k] - low[k] > high[longest] - low[longest]) longest = k;
  return longest;
}

function sortAlong(axis: number, { positions, triangles }: Mesh, range: Uint32Array): void {
  const middle = (t: number): number => {
    let sum = 0;
    for (let c = 0; c < 3; c++) sum += positions[3 * triangles[3 * t + c] + axis] / 3;
    return sum;
  };
  range.sort((a, b) => middle(a) - middle(b) || a - b);
}
