/** Proves that every box of a tree holds the triangles below it. */

import type { Verification } from '../../../engine/representation.ts';
import { child, childrenOf, createCursor, triangleOf } from './cursor.ts';
import { DECODED } from './node.ts';
import type { ObbTree } from './obb-tree.ts';
import {
  decodeWideBox,
  decodeWideChild,
  isWideLeaf,
  linkOfNode,
  WIDE_BYTES,
  WIDE_DECODED,
  wideCount,
  wideIndex,
  wideViews,
} from './wide-node.ts';

const MAX_PROBLEMS = 20;

/**
 * Proves the boxes; reading has checked the tree. Each vertex p below a box must be c + R s with
 * |s_i| <= h_i. s = R^-1 (p - c) is computed as R^T (p - c). R is orthonormal to 2^-49, and the
 * difference and the products round. So s is wrong by at most
 *   2^-47 |p - c| + 2^-52 of the coordinates' size,
 * which must be left.
 */
export function verifyObbTree(tree: ObbTree): Verification {
  if (tree.nodeBytes === WIDE_BYTES) return verifyWideTree(tree);
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

/**
 * Proves wide nodes. Every corner v below child j of a node has
 *   low_i <= (F^T (v - origin - c))_i <= high_i,
 * and at least -half_i and at most half_i. With p = v - origin and d = p - c, in doubles, the sum
 * is wrong by at most
 *   2^-53 |p|_1 + 5 x 2^-53 |d|_1
 * (entries of F are at most 1 + 2^-14). 2^-50 of both, and 2^-1070 for products that underflow,
 * must be left.
 */
function verifyWideTree({ nodes, order, origin, positions, triangles }: ObbTree): Verification {
  const places = order as Uint32Array;
  const views = wideViews(nodes);
  const box = new Float64Array(WIDE_DECODED);
  const bound = new Float64Array(6);
  const problems: string[] = [];
  const total = nodes.length / WIDE_BYTES;
  let checked = 0;

  const holds = (t: number): boolean => {
    for (let corner = 0; corner < 3; corner++) {
      const v = 3 * triangles[3 * t + corner];
      const px = positions[v] - origin[0];
      const py = positions[v + 1] - origin[1];
      const pz = positions[v + 2] - origin[2];
      const x = px - box[9];
      const y = py - box[10];
      const z = pz - box[11];
      const size = Math.abs(px) + Math.abs(py) + Math.abs(pz) + Math.abs(x) + Math.abs(y) + Math.abs(z);
      const error = 2 ** -50 * size + 2 ** -1070;
      for (let i = 0; i < 3; i++) {
        const u = box[i] * x + box[3 + i] * y + box[6 + i] * z;
        if (!(u - error >= bound[i] && u + error <= bound[3 + i])) return false;
      }
    }
    return true;
  };

  const below: number[] = [];
  for (let node = 0; node < total && problems.length < MAX_PROBLEMS; node++) {
    decodeWideBox(views, node, box, 0);
    const link = linkOfNode(views, node);
    for (let j = 0; j < wideCount(link); j++) {
      checked++;
      decodeWideChild(views, node, j, bound, 0);
      const child = wideIndex(link) + j;
      let isSound = true;
      for (let i = 0; i < 3; i++) {
        if (bound[i] < -box[12 + i]) bound[i] = -box[12 + i];
        if (bound[3 + i] > box[12 + i]) bound[3 + i] = box[12 + i];
      }
      below.push(isWideLeaf(link) ? ~child : child);
      while (below.length > 0) {
        const item = below.pop() as number;
        if (item >= 0) {
          const next = linkOfNode(views, item);
          const first = wideIndex(next);
          for (let k = wideCount(next) - 1; k >= 0; k--) below.push(isWideLeaf(next) ? ~(first + k) : first + k);
        } else if (isSound && !holds(places[~item])) {
          problems.push(`the box of child ${j} of node ${node} does not hold triangle ${places[~item]}`);
          isSound = false;
        }
      }
    }
  }
  return { checked, what: 'boxes', problems };
}
