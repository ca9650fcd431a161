/** Proves, for a tree that came from anywhere, that every box holds the triangles below it. */
import type { Verification } from '../../query/representation.ts';
import { child, childrenOf, createCursor, triangleOf } from './cursor.ts';
import { DECODED } from './node.ts';
import type { ObbTree } from './obb-tree.ts';

const MAX_PROBLEMS = 20;

/**
 * That the nodes are a tree was checked on reading. Here each vertex p below a box must be c + R s with |s_i| <= h_i. s = R^-1 (p - c)
 * is computed as R^T (p - c): R is orthonormal to 2^-49, the difference and the products round, so it is wrong by at most 2^-47 |p - c| +
 * 2^-52 of the coordinates' size; that much must be left.
 */
export function verifyObbTree(tree: ObbTree): Verification {
  const { positions, triangles } = tree;
  const cursor = createCursor(tree);
  const box = new Float64Array(DECODED);
  const problems: string[] = [];
  const total = triangles.length / 3;
  let checked = 0;
  let largest = 0;
  for (let c = 0; c < triangles.length; c++) {
    for (let k = 0; k < 3; k++) largest = Math.max(largest, Math.abs(positions[3 * triangles[c] + k]));
  }

  const holds = (t: number): boolean => {
    for (let corner = 0; corner < 3; corner++) {
      const v = 3 * triangles[3 * t + corner];
      const x = positions[v] - box[9];
      const y = positions[v + 1] - box[10];
      const z = positions[v + 2] - box[11];
      const error = 2 ** -47 * (Math.abs(x) + Math.abs(y) + Math.abs(z)) + 2 ** -52 * largest;
      for (let k = 0; k < 3; k++) {
        if (!(Math.abs(box[k] * x + box[3 + k] * y + box[6 + k] * z) + error <= box[12 + k])) return false;
      }
    }
    return true;
  };

  const pending: number[] = [0, 0, total];
  const below: number[] = [];
  while (pending.length > 0 && problems.length < MAX_PROBLEMS) {
    const count = pending.pop() as number;
    const first = pending.pop() as number;
    const node = pending.pop() as number;
    if (node < 0) continue;
    checked++;
    cursor.reader.decode(node, box, 0);
    below.push(node, first, count);
    let sound = true;
    while (below.length > 0) {
      const m = below.pop() as number;
      const f = below.pop() as number;
      const n = below.pop() as number;
      const triangle = triangleOf(cursor, n, f, m);
      if (triangle >= 0) {
        if (sound && !holds(triangle)) {
          problems.push(`the box of node ${node} does not hold triangle ${triangle}`);
          sound = false;
        }
        continue;
      }
      childrenOf(cursor, n, f, m);
      for (let k = 0; k < 2; k++) below.push(child.node[k], child.first[k], child.count[k]);
    }
    if (triangleOf(cursor, node, first, count) >= 0) continue;
    childrenOf(cursor, node, first, count);
    for (let k = 0; k < 2; k++) pending.push(child.node[k], child.first[k], child.count[k]);
  }
  return { checked, what: 'boxes', problems };
}
