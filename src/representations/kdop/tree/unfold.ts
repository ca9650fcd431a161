/**
 * Converts k-DOPs to boxes for the common engine. A k-DOP becomes the best box of three of its
 * slabs, a leaf the flat box about its triangle. The flat boxes halve the number of triangle tests.
 */

import { type NodeWriter, ROOT, requireNodes } from '../../../engine/bound-tree.ts';
import { BOX_NUMBERS } from '../../../geometry/rounded-box.ts';
import { type DopSize, dopDirections } from './dop-directions.ts';
import { firstChild, isLeaf, type KdopTree, quantumOf, target } from './kdop-tree.ts';

const framesOf = new Map<DopSize, number[][]>();

/** Returns right-handed triples of orthogonal directions, accurate to 2^-50. */
function frames(k: DopSize): number[][] {
  let found = framesOf.get(k);
  if (found) return found;
  found = [];
  const { vectors } = dopDirections(k);
  const isRight = (i: number, j: number) => Math.abs(dot(vectors, i, vectors, j)) < 2 ** -50;
  const product = new Float64Array(3);
  for (let i = 0; i < k / 2; i++) {
    for (let j = i + 1; j < k / 2; j++) {
      for (let l = j + 1; l < k / 2; l++) {
        if (!isRight(i, j) || !isRight(j, l) || !isRight(l, i)) continue;
        for (let r = 0; r < 3; r++) {
          const [s, t] = [(r + 1) % 3, (r + 2) % 3];
          product[r] = vectors[3 * i + s] * vectors[3 * j + t] - vectors[3 * i + t] * vectors[3 * j + s];
        }
        found.push(dot(product, 0, vectors, l) > 0 ? [i, j, l] : [j, i, l]);
      }
    }
  }
  framesOf.set(k, found);
  return found;
}

const dot = (a: Float64Array, i: number, b: Float64Array, j: number): number =>
  a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];

export function unfoldKdopTree(tree: KdopTree, node: number, into: NodeWriter): void {
  const first = node === ROOT ? 0 : firstChild(tree.links, node);
  requireNodes(into, tree.links.length);
  for (let child = first; child < first + (node === ROOT ? 1 : 2); child++) {
    const link = tree.links[child];
    const at = isLeaf(link) ? into.leaf(target(link), 1, child) : into.branch(child);
    if (!isLeaf(link) || !writeTriangleBox(tree, target(link), into.bounds, at)) writeBox(tree, child, into.bounds, at);
  }
}

const corners = new Float64Array(9);
const axes = new Float64Array(9);
const ORTHONORMAL = [
  [0, 0, 1],
  [6, 6, 1],
  [0, 6, 0],
] as const;

/**
 * Writes the flat box about a leaf's triangle, along its longest edge. Returns false if the
 * triangle's area is too small to orient it.
 *
 * The axes must be orthonormal to 2^-46, which is checked. So a corner is within 3 x 2^-46 of its
 * reach from the sum of its projections. Rounding of the projections and the center adds less than
 * 2^-50 of the reach. `margin` is larger than both.
 */
function writeTriangleBox(tree: KdopTree, triangle: number, out: Float64Array, at: number): boolean {
  hullOfKdopTree(tree, triangle, corners);
  if (!alignAxes()) return false;
  for (const [i, j, dot] of ORTHONORMAL) {
    const found = axes[i] * axes[j] + axes[i + 1] * axes[j + 1] + axes[i + 2] * axes[j + 2];
    if (!(Math.abs(found - dot) < 2 ** -46)) return false;
  }
  const margin = 2 ** -43 * marginSize(tree);
  out.fill(0, at, at + BOX_NUMBERS);
  for (let i = 0; i < 3; i++) {
    const [x, y, z] = [axes[3 * i], axes[3 * i + 1], axes[3 * i + 2]];
    const p = corners[0] * x + corners[1] * y + corners[2] * z;
    const q = corners[3] * x + corners[4] * y + corners[5] * z;
    const r = corners[6] * x + corners[7] * y + corners[8] * z;
    const low = Math.min(p, q, r);
    const high = Math.max(p, q, r);
    const middle = low + (high - low) / 2;
    out[at] += middle * x;
    out[at + 1] += middle * y;
    out[at + 2] += middle * z;
    out[at + 4 + 4 * i] = x;
    out[at + 5 + 4 * i] = y;
    out[at + 6 + 4 * i] = z;
    out[at + 7 + 4 * i] = (high - low) / 2 + margin;
  }
  return true;
}

/** Writes the longest edge of `corners`, the axis across it, and the normal; false without area. */
function alignAxes(): boolean {
  let longest = -1;
  let dx = 0;
  let dy = 0;
  let dz = 0;
  for (let p = 0; p < 9; p += 3) {
    const q = p === 6 ? 0 : p + 3;
    const x = corners[q] - corners[p];
    const y = corners[q + 1] - corners[p + 1];
    const z = corners[q + 2] - corners[p + 2];
    const d2 = x * x + y * y + z * z;
    if (d2 > longest) {
      longest = d2;
      dx = x;
      dy = y;
      dz = z;
    }
  }
  const ux = corners[3] - corners[0];
  const uy = corners[4] - corners[1];
  const uz = corners[5] - corners[2];
  const vx = corners[6] - corners[0];
  const vy = corners[7] - corners[1];
  const vz = corners[8] - corners[2];
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const n = Math.sqrt(nx * nx + ny * ny + nz * nz);
  const d = Math.sqrt(longest);
  if (!(n > 1e-12 * longest)) return false;
  axes[0] = dx / d;
  axes[1] = dy / d;
  axes[2] = dz / d;
  axes[6] = nx / n;
  axes[7] = ny / n;
  axes[8] = nz / n;
  axes[3] = axes[7] * axes[2] - axes[8] * axes[1];
  axes[4] = axes[8] * axes[0] - axes[6] * axes[2];
  axes[5] = axes[6] * axes[1] - axes[7] * axes[0];
  return true;
}

const marginSize = ({ exponent, origin }: KdopTree): number =>
  2 ** exponent + Math.abs(origin[0]) + Math.abs(origin[1]) + Math.abs(origin[2]);

/**
 * Writes the box of least area. A point's D_j . (x - o) is within the slab. Its coordinate in the
 * box differs by the rounding of D, of the center and of the sum with the origin. That is less than
 * 2^-48 of the sizes; `margin` covers it.
 */
function writeBox(tree: KdopTree, node: number, out: Float64Array, at: number): void {
  const { k, coefficients, origin, exponent, bits } = tree;
  const { vectors } = dopDirections(k);
  const half = k / 2;
  const quantum = quantumOf({ exponent, bits });
  const base = k * node;
  const width = (j: number): number => coefficients[base + j] + coefficients[base + j + half];
  let best: number[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const frame of frames(k)) {
    const [x, y, z] = [width(frame[0]), width(frame[1]), width(frame[2])];
    const area = x * y + y * z + z * x;
    if (area < least) {
      least = area;
      best = frame;
    }
  }
  const margin = 2 ** -44 * marginSize(tree);
  out.fill(0, at, at + BOX_NUMBERS);
  for (let i = 0; i < 3; i++) {
    const j = best[i];
    const middle = ((coefficients[base + j] - coefficients[base + j + half]) / 2) * quantum;
    for (let r = 0; r < 3; r++) {
      out[at + r] += middle * vectors[3 * j + r];
      out[at + 4 + 4 * i + r] = vectors[3 * j + r];
    }
    out[at + 7 + 4 * i] = (width(j) / 2) * quantum + margin;
  }
  for (let r = 0; r < 3; r++) out[at + r] += origin[r];
}

export function hullOfKdopTree({ positions, triangles }: KdopTree, id: number, out: Float64Array): number {
  for (let corner = 0; corner < 3; corner++) {
    const v = 3 * triangles[3 * id + corner];
    for (let i = 0; i < 3; i++) out[3 * corner + i] = positions[v + i];
  }
  return 3;
}
