/**
 * The node layouts behind a few accessors, and the quaternions that store orientations.
 *
 * 40 bytes, as in P. Terdiman's "RAPID Hack" (2000-2002); 2n - 1 nodes for n triangles, node 0 the
 * root:
 *    byte  0  f32 x 3   quaternion x, y, z of the box's orientation; w = sqrt(1 - x^2 - y^2 - z^2) >= 0
 *         12  f32 x 3   center, model units, relative to the header's origin
 *         24  f32 x 3   half extents, model units
 *         36  u32       bit 0 set: a leaf, the triangle's number in bits 1-31
 *                       bit 0 clear: the positive child's number in bits 1-31; the negative child
 *                       is the next one
 *
 * 20 bytes, new here: no boxes for leaves (P. Terdiman's no-leaf trees in OPCODE), so n - 1 nodes
 * in depth-first order, node 0 the root, and only one child word:
 *    byte  0  i16 x 3   quaternion, in steps of 1/32767
 *          6  i16 x 3   center, in steps of scale[0], relative to the origin
 *         12  u16 x 3   half extents, in steps of scale[1]
 *         18  u16       triangles of the positive child, where a node has fewer than 65,536
 *                       triangles; else 0: it has half, rounded up
 * A node covers m consecutive triangles of `order`, and its positive child the first p of them.
 * That child is the next node (if p > 1); the negative one is the p-th after it (if m - p > 1). A
 * child of one triangle is that triangle.
 *
 * Both are in the model's frame. A frame relative to the parent's would give 16 bits more reach,
 * but decoding would need the whole path from the root, for little gain. Area of stored boxes
 * divided by that of exact ones in the same orientation, for two triangles and for 9 to 64: 1.003
 * and 1.001 at 4k triangles, 1.006 and 1.002 at 20k, 1.013 and 1.003 at 82k, 1.030 and 1.007 at
 * 360k. At first contact 313 bound tests, with 40-byte nodes 317 (bunny against itself).
 *
 * 64 bytes, the wide nodes of wide-node.ts: four children each, for vectors of four; about n / 2
 * nodes. Queries on wide trees read them directly; here they become boxes like the others. With F
 * the stored matrix, |F^T v|_i <= h_i for every v = p - c of the node. Gram-Schmidt gives F = Q R,
 * Q orthonormal, R upper triangular, so Q^T v = (R^-1)^T (F^T v), and the box along Q's columns has
 *    h'_i = sum over j <= i of |(R^-1)_ji| h_j
 * R is within 2^-12 of 1, so its inverse is computed to 2^-48 in every entry, Q to 2^-48 too. 2^-45
 * (h_0 + h_1 + h_2) is added, and 2^-50 |c| for the rounding of the center.
 */
import { decodeWideBox, linkOfNode, WIDE_BYTES, type WideViews, wideViews } from './wide-node.ts';

export type NodeBytes = 40 | 20 | 64;

export const QUATERNION_STEP = 1 / 32767;
/** Larger nodes split in halves; their child word is 0. */
export const LARGEST_COUNTED = 65535;

/**
 * Numbers of a decoded box in the model frame: rotation 0..8 (row-major, columns are axes), center
 * 9..11, half extents 12..14.
 */
export const DECODED = 15;

/**
 * Reads boxes from a node array of any layout. One class with a branch instead of two closures: a
 * call site that has seen both layouts stays as fast as with one (half the time of a query in a
 * process that uses both).
 */
export class NodeReader {
  readonly count: number;
  private readonly isFloat: boolean;
  readonly wide: WideViews | null;
  private readonly f32: Float32Array;
  private readonly u32: Uint32Array;
  private readonly i16: Int16Array;
  private readonly u16: Uint16Array;
  private readonly originX: number;
  private readonly originY: number;
  private readonly originZ: number;
  private readonly centreStep: number;
  private readonly extentStep: number;

  /** @param nodes starts at a multiple of 4 in its buffer */
  constructor(nodes: Uint8Array, nodeBytes: NodeBytes, origin: Float64Array, scale: Float64Array) {
    const { buffer, byteOffset, byteLength } = nodes;
    this.count = byteLength / nodeBytes;
    this.isFloat = nodeBytes === 40;
    this.wide = nodeBytes === WIDE_BYTES ? wideViews(nodes) : null;
    this.f32 = new Float32Array(buffer, byteOffset, byteLength / 4);
    this.u32 = new Uint32Array(buffer, byteOffset, byteLength / 4);
    this.i16 = new Int16Array(buffer, byteOffset, byteLength / 2);
    this.u16 = new Uint16Array(buffer, byteOffset, byteLength / 2);
    [this.originX, this.originY, this.originZ] = origin;
    [this.centreStep, this.extentStep] = scale;
  }

  /**
   * Decodes the box of node i to `out[at]`. Extents were fitted to these operations, so never
   * reorder them. Returns x^2 + y^2 + z^2 of its quaternion, if it has one.
   */
  decode(i: number, out: Float64Array, at: number): number {
    if (this.wide) return this.decodeWide(this.wide, i, out, at);
    const k = 10 * i;
    if (this.isFloat) {
      const f = this.f32;
      out[at + 9] = this.originX + f[k + 3];
      out[at + 10] = this.originY + f[k + 4];
      out[at + 11] = this.originZ + f[k + 5];
      out[at + 12] = f[k + 6];
      out[at + 13] = f[k + 7];
      out[at + 14] = f[k + 8];
      return rotationOf(f[k], f[k + 1], f[k + 2], out, at);
    }
    const s = this.i16;
    const u = this.u16;
    out[at + 9] = this.originX + s[k + 3] * this.centreStep;
    out[at + 10] = this.originY + s[k + 4] * this.centreStep;
    out[at + 11] = this.originZ + s[k + 5] * this.centreStep;
    out[at + 12] = u[k + 6] * this.extentStep;
    out[at + 13] = u[k + 7] * this.extentStep;
    out[at + 14] = u[k + 8] * this.extentStep;
    return rotationOf(s[k] * QUATERNION_STEP, s[k + 1] * QUATERNION_STEP, s[k + 2] * QUATERNION_STEP, out, at);
  }

  private decodeWide(wide: WideViews, i: number, out: Float64Array, at: number): number {
    decodeWideBox(wide, i, out, at);
    out[at + 9] += this.originX;
    out[at + 10] += this.originY;
    out[at + 11] += this.originZ;
    const h0 = out[at + 12];
    const h1 = out[at + 13];
    const h2 = out[at + 14];
    const r00 = normalize(out, at);
    const r01 = project(out, at, at + 1);
    const r11 = normalize(out, at + 1);
    const r02 = project(out, at, at + 2);
    const r12 = project(out, at + 1, at + 2);
    const r22 = normalize(out, at + 2);
    const rounding =
      2 ** -45 * (h0 + h1 + h2) + 2 ** -50 * (Math.abs(out[at + 9]) + Math.abs(out[at + 10]) + Math.abs(out[at + 11]));
    out[at + 12] = h0 / r00 + rounding;
    out[at + 13] = (Math.abs(r01) / (r00 * r11)) * h0 + h1 / r11 + rounding;
    out[at + 14] =
      (Math.abs(r01 * r12 - r02 * r11) / (r00 * r11 * r22)) * h0 +
      (Math.abs(r12) / (r11 * r22)) * h1 +
      h2 / r22 +
      rounding;
    return 0;
  }

  word(i: number): number {
    if (this.wide) return linkOfNode(this.wide, i);
    return this.isFloat ? this.u32[10 * i + 9] : this.u16[10 * i + 9];
  }
}

/** Normalizes the column at `at` of a row-major matrix; returns its former length. */
function normalize(m: Float64Array, at: number): number {
  const length = Math.sqrt(m[at] * m[at] + m[at + 3] * m[at + 3] + m[at + 6] * m[at + 6]);
  for (let k = at; k <= at + 6; k += 3) m[k] /= length;
  return length;
}

function project(m: Float64Array, u: number, v: number): number {
  const along = m[u] * m[v] + m[u + 3] * m[v + 3] + m[u + 6] * m[v + 6];
  for (let k = 0; k <= 6; k += 3) m[v + k] -= along * m[u + k];
  return along;
}

export const isLeafWord = (word: number): boolean => (word & 1) === 1;
export const leafTriangle = (word: number): number => word >>> 1;
export const positiveChild = (word: number): number => word >>> 1;

export const positiveCount = (word: number, count: number): number =>
  count > LARGEST_COUNTED ? (count + 1) >>> 1 : word;

/*
 * Stores orientations as three numbers: a unit quaternion's x, y, z with w >= 0. If w < 0, all four
 * are negated, since q and -q turn alike (S. Bacelle's trick, in P. Terdiman, "RAPID Hack", 2002).
 *
 * New here: a box looks the same from 24 sides, so it is named by the one with the largest w, at
 * least 0.85. There
 *   w = sqrt(1 - x^2 - y^2 - z^2)
 * changes less than x, y, z do, and rounding them costs no precision. Near w = 0 a step of 2^-15
 * would turn a box by half a degree.
 */

/** The 24 turns of a cube as (axis, sign) per column: determinant 1. */
const CUBE_TURNS = cubeTurns();

function cubeTurns(): (readonly [number, number])[][] {
  const turns: (readonly [number, number])[][] = [];
  for (const [i, j, k] of [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1],
    [2, 1, 0],
    [1, 0, 2],
  ]) {
    const even = (j - i + 3) % 3 === 1 ? 1 : -1;
    for (const s of [1, -1]) {
      for (const t of [1, -1]) {
        turns.push([
          [i, s],
          [j, t],
          [k, s * t * even],
        ]);
      }
    }
  }
  return turns;
}

const m = new Float64Array(9);

/**
 * Returns the quaternion x, y, z of a box with the given axes.
 *
 * @param axes the box's axes as rows, right-handed; replaced by the chosen one of 24
 * @param out receives x, y, z
 */
export function quaternionOf(axes: Float64Array, out: Float64Array): void {
  let best = CUBE_TURNS[0];
  let largest = Number.NEGATIVE_INFINITY;
  for (const turn of CUBE_TURNS) {
    let trace = 0;
    for (let column = 0; column < 3; column++) {
      const [axis, sign] = turn[column];
      trace += sign * axes[3 * axis + column];
    }
    if (trace > largest) {
      largest = trace;
      best = turn;
    }
  }
  for (let row = 0; row < 3; row++) {
    const [axis, sign] = best[row];
    for (let k = 0; k < 3; k++) m[3 * row + k] = sign * axes[3 * axis + k];
  }
  axes.set(m);
  // Rows of m are the columns of the rotation. w is the largest component: the division is safe.
  const w = 0.5 * Math.sqrt(Math.max(0, 1 + m[0] + m[4] + m[8]));
  const x = (m[5] - m[7]) / (4 * w);
  const y = (m[6] - m[2]) / (4 * w);
  const z = (m[1] - m[3]) / (4 * w);
  const length = Math.sqrt(w * w + x * x + y * y + z * z);
  out[0] = x / length;
  out[1] = y / length;
  out[2] = z / length;
}

/**
 * Writes the rotation of the quaternion (x, y, z, sqrt(1 - x^2 - y^2 - z^2)), row-major 3x3 at
 * `out[at]`. Its columns are the box's axes.
 *
 * Orthonormal to 2^-49: with |q|^2 = 1 + e, R^T R differs from I by O(e), and |e| <= 2^-51, since
 * w^2 carries the rounding of 1 - n and of one square root. The entries add a few 2^-53 of their
 * own. Returns n = x^2 + y^2 + z^2. For n > 1 it is no rotation; files that store such are refused.
 */
export function rotationOf(x: number, y: number, z: number, out: Float64Array, at: number): number {
  const n = x * x + y * y + z * z;
  const w = n < 1 ? Math.sqrt(1 - n) : 0;
  out[at] = 1 - 2 * (y * y + z * z);
  out[at + 1] = 2 * (x * y - z * w);
  out[at + 2] = 2 * (x * z + y * w);
  out[at + 3] = 2 * (x * y + z * w);
  out[at + 4] = 1 - 2 * (x * x + z * z);
  out[at + 5] = 2 * (y * z - x * w);
  out[at + 6] = 2 * (x * z - y * w);
  out[at + 7] = 2 * (y * z + x * w);
  out[at + 8] = 1 - 2 * (x * x + y * y);
  return n;
}
