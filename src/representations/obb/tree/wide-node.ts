/**
 * The wide node behind a few accessors: 64 bytes, a box and up to four children.
 *
 * Little-endian; node 0 is the root, children stand together and after their parent:
 *
 *    byte  0  3 x (i16 x 3, u16)  for k = x, y, z: F[k][0], F[k][1], F[k][2] in steps of 1/32767,
 *                                 and the upper half of the float32 half_k >= 0
 *         24  f32 x 3             center c, relative to the tree's origin
 *         36  u32                 link: index << 3 | (count - 1) << 1 | isLeaf
 *         40  u8 x 24             children's boxes: low x[4], low y[4], low z[4], high x[4], high
 *                                 y[4], high z[4]
 *
 * F is the matrix as stored. Its columns are the box's axes, orthogonal except for rounding. If the
 * axes before rounding are orthonormal to 1e-6, every entry of F^T F - I stays below
 *    2 sqrt(3) / 65534 + 3 / 65534^2 + 1e-6 < 2^-14.
 * A point p has u = F^T (p - origin - c). The node holds |u_i| <= half_i; its child j holds low_i
 * <= u_i <= high_i, where byte b means
 *    step_i = fround(half_i * fround(2 / 255)),  fround(fround(b * step_i) - half_i)
 * A leaf's children are the `count` triangles order[index], order[index + 1], ...; another node's
 * are the nodes index, index + 1, ... Missing children have low 255 and high 0.
 */

import { CENTRE, HIGH, LINK, LOW, ROW_BYTES, ROW_HALF, WIDE_BYTES, WIDTH } from './wide-layout.as.ts';

export { WIDE_BYTES, WIDTH };
/** Entries of the frame's matrix are multiples of 1 / FRAME_STEPS. */
export const FRAME_STEPS = 32767;
/** Upper bound of the entries of F^T F - I in a valid node. */
export const LARGEST_SKEW = 2 ** -14;
/** Most nodes above a triangle, less one; a bound of halves and centers against overflow. */
export const LARGEST_DEPTH = 64;
export const LARGEST_HALF = 2 ** 126;
/** Links have 29 bits for an index. */
export const LARGEST_INDEX = 2 ** 29 - 1;

const BYTE_STEP = Math.fround(2 / 255);

const SHORTS = WIDE_BYTES / 2;
const WORDS = WIDE_BYTES / 4;
const ROW = ROW_BYTES / 2;
const HALF = ROW_HALF / 2;
const CENTRE_WORD = CENTRE / 4;
const LINK_WORD = LINK / 4;

export interface WideViews {
  bytes: Uint8Array;
  shorts: Int16Array;
  halves: Uint16Array;
  floats: Float32Array;
  words: Uint32Array;
}

/** @param nodes starts at a multiple of 4 in its buffer */
export function wideViews(nodes: Uint8Array): WideViews {
  const { buffer, byteOffset, byteLength } = nodes;
  return {
    bytes: nodes,
    shorts: new Int16Array(buffer, byteOffset, byteLength / 2),
    halves: new Uint16Array(buffer, byteOffset, byteLength / 2),
    floats: new Float32Array(buffer, byteOffset, byteLength / 4),
    words: new Uint32Array(buffer, byteOffset, byteLength / 4),
  };
}

export const isWideLeaf = (link: number): boolean => (link & 1) === 1;
export const wideCount = (link: number): number => ((link >>> 1) & 3) + 1;
export const wideIndex = (link: number): number => link >>> 3;
export const linkOfNode = (views: WideViews, node: number): number => views.words[WORDS * node + LINK_WORD];

/**
 * Numbers of a decoded box: F 0..8, row-major, its columns the axes; center 9..11, relative to the
 * tree's origin; half extents 12..14.
 */
export const WIDE_DECODED = 15;

export function decodeWideBox(
  { shorts, halves, floats }: WideViews,
  node: number,
  out: Float64Array,
  at: number,
): void {
  const s = SHORTS * node;
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) out[at + 3 * k + i] = shorts[s + ROW * k + i] / FRAME_STEPS;
    out[at + 9 + k] = floats[WORDS * node + CENTRE_WORD + k];
    out[at + 12 + k] = halfOf(halves[s + ROW * k + HALF]);
  }
}

/** Decodes the box of child j to `out[at]` in the node's frame: low along three axes, then high. */
export function decodeWideChild(
  { bytes, halves }: WideViews,
  node: number,
  j: number,
  out: Float64Array,
  at: number,
): void {
  const first = WIDE_BYTES * node + j;
  for (let i = 0; i < 3; i++) {
    const half = halfOf(halves[SHORTS * node + ROW * i + HALF]);
    out[at + i] = boundOf(bytes[first + LOW + WIDTH * i], half);
    out[at + 3 + i] = boundOf(bytes[first + HIGH + WIDTH * i], half);
  }
}

function boundOf(byte: number, half: number): number {
  const step = Math.fround(half * BYTE_STEP);
  return Math.fround(Math.fround(byte * step) - half);
}

const float = new Float32Array(1);
const floatBits = new Uint32Array(float.buffer);

export function halfOf(bits: number): number {
  floatBits[0] = bits << 16;
  return float[0];
}
