/**
 * The wide node: 64 bytes, a box and up to four children, hidden behind a few accessors.
 *
 * Little-endian; node 0 is the root, children stand together and after their parent:
 *
 *    byte  0  3 x (i16 x 3, u16)  for k = x, y, z: F[k][0], F[k][1], F[k][2] in steps of 1/32767,
 *                                 and the upper half of the float32 half_k >= 0
 *         24  f32 x 3             centre c, relative to the tree's origin
 *         36  u32                 link: index << 3 | (count - 1) << 1 | isLeaf
 *         40  u8 x 24             children's boxes: low x[4], low y[4], low z[4], high x[4], high
 *                                 y[4], high z[4]
 *
 * F is the matrix as stored. Its columns are the box's axes, at right angles but for rounding:
 * where the axes that were rounded are orthonormal to 1e-6, every entry of F^T F - I stays below 2
 * sqrt(3) / 65534 + 3 / 65534^2 + 1e-6 < 2^-14.
 *
 * A point p has u = F^T (p - origin - c). The node holds |u_i| <= half_i; its child j holds low_i
 * <= u_i <= high_i, where byte b means
 *
 *    step_i = fround(half_i * fround(2 / 255)),  fround(fround(b * step_i) - half_i)
 *
 * A leaf's children are the `count` triangles order[index], order[index + 1], ...; another node's
 * are the nodes index, index + 1, ... Children that are not there have low 255 and high 0.
 */

import { CENTRE, HIGH, LINK, LOW, ROW_BYTES, ROW_HALF, WIDE_BYTES, WIDTH } from './wide-layout.as.ts';

export { WIDE_BYTES, WIDTH };
/** Entries of the frame's matrix are multiples of 1 / FRAME_STEPS. */
export const FRAME_STEPS = 32767;
/** Entries of F^T F - I, at most, in a node that is one. */
export const LARGEST_SKEW = 2 ** -14;
/**
 * Nodes above a triangle, at most, less one; and what halves and centres stay below, so that no
 * bound of a child overflows in float32.
 */
export const LARGEST_DEPTH = 64;
export const LARGEST_HALF = 2 ** 126;
/** Links have 29 bits for an index. */
export const LARGEST_INDEX = 2 ** 29 - 1;

const BYTE_STEP = Math.fround(2 / 255);

// Places in a node, in units of what stands there.
const SHORTS = WIDE_BYTES / 2;
const WORDS = WIDE_BYTES / 4;
const ROW = ROW_BYTES / 2;
const HALF = ROW_HALF / 2;
const CENTRE_WORD = CENTRE / 4;
const LINK_WORD = LINK / 4;

/** One node array, seen as what its fields are. */
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
export const wideLink = (index: number, count: number, isLeaf: boolean): number =>
  ((index << 3) | ((count - 1) << 1) | Number(isLeaf)) >>> 0;

export const linkOfNode = (views: WideViews, node: number): number => views.words[WORDS * node + LINK_WORD];

export function setWideLink(views: WideViews, node: number, link: number): void {
  views.words[WORDS * node + LINK_WORD] = link;
}

/**
 * Numbers of a decoded box: F 0..8, row-major, its columns the axes; centre 9..11, relative to the
 * tree's origin; half extents 12..14.
 */
export const WIDE_DECODED = 15;

/** Decodes the box of a node to `out[at]`. */
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

/**
 * Decodes the box of child j to `out[at]`, in the node's frame: low along its three axes, then
 * high.
 */
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

/** What a byte means in a node of half extent `half`. */
function boundOf(byte: number, half: number): number {
  const step = Math.fround(half * BYTE_STEP);
  return Math.fround(Math.fround(byte * step) - half);
}

const float = new Float32Array(1);
const floatBits = new Uint32Array(float.buffer);

/** The half extent that 16 bits stand for. */
export function halfOf(bits: number): number {
  floatBits[0] = bits << 16;
  return float[0];
}

/**
 * The least 16 bits whose half extent is at least x >= 0; those of an infinity where there are
 * none.
 */
function bitsOfHalf(x: number): number {
  float[0] = x;
  const bits = float[0] < x ? floatBits[0] + 1 : floatBits[0];
  return Math.min((bits + 0xffff) >>> 16, 0x7f80);
}

const middle = new Float64Array(3);

/**
 * Writes the box of a node and those of its children; the link is not touched.
 *
 * @param frame F, nine numbers that are multiples of 1 / FRAME_STEPS
 * @param spans of child j at 6j: lowest F^T p of its corners p, relative to the origin, along the
 *   three axes, then highest
 * @param margin is added on all sides: at least what the numbers in `spans`, and the ones in here,
 *   are wrong by
 */
export function encodeWideNode(
  { bytes, shorts, halves, floats }: WideViews,
  node: number,
  frame: Float64Array,
  spans: Float64Array,
  count: number,
  margin: number,
): void {
  const s = SHORTS * node;
  for (let i = 0; i < 3; i++) {
    let low = spans[i];
    let high = spans[3 + i];
    for (let j = 1; j < count; j++) {
      if (spans[6 * j + i] < low) low = spans[6 * j + i];
      if (spans[6 * j + 3 + i] > high) high = spans[6 * j + 3 + i];
    }
    middle[i] = (low + high) / 2;
  }
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) shorts[s + ROW * k + i] = Math.floor(frame[3 * k + i] * FRAME_STEPS + 0.5);
    // + 0: no byte depends on the sign of a zero.
    floats[WORDS * node + CENTRE_WORD + k] =
      frame[3 * k] * middle[0] + frame[3 * k + 1] * middle[1] + frame[3 * k + 2] * middle[2] + 0;
  }
  const x = floats[WORDS * node + CENTRE_WORD];
  const y = floats[WORDS * node + CENTRE_WORD + 1];
  const z = floats[WORDS * node + CENTRE_WORD + 2];
  for (let i = 0; i < 3; i++) {
    const centre = frame[i] * x + frame[3 + i] * y + frame[6 + i] * z;
    let reach = 0;
    let most = Number.NEGATIVE_INFINITY;
    for (let j = 0; j < count; j++) {
      const low = spans[6 * j + i] - centre - margin;
      const high = spans[6 * j + 3 + i] - centre + margin;
      if (-low > reach) reach = -low;
      if (high > most) most = high;
    }
    if (most > reach) reach = most;
    let bits = bitsOfHalf(reach);
    // 255 steps of a rounded 255th may end below the half extent.
    while (boundOf(255, halfOf(bits)) < most) bits++;
    halves[s + ROW * i + HALF] = bits;
    const half = halfOf(bits);
    const perByte = 127.5 / half;
    const first = WIDE_BYTES * node + WIDTH * i;
    for (let j = 0; j < WIDTH; j++) {
      if (j >= count) {
        bytes[first + LOW + j] = 255;
        bytes[first + HIGH + j] = 0;
        continue;
      }
      const low = spans[6 * j + i] - centre - margin;
      const high = spans[6 * j + 3 + i] - centre + margin;
      let byte = clampByte(Math.floor((low + half) * perByte));
      while (byte < 255 && boundOf(byte + 1, half) <= low) byte++;
      while (boundOf(byte, half) > low) byte--;
      bytes[first + LOW + j] = byte;
      byte = clampByte(Math.floor((high + half) * perByte));
      while (byte > 0 && boundOf(byte - 1, half) >= high) byte--;
      while (boundOf(byte, half) < high) byte++;
      bytes[first + HIGH + j] = byte;
    }
  }
}

const clampByte = (x: number): number => (x > 0 ? (x < 255 ? x : 255) : 0);
