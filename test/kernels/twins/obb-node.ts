/**
 * Writes wide nodes as obb/make/encode-wide.as.ts writes them: the same operations in the same
 * order, one child at a time, and so the same bytes.
 */
import {
  CENTRE,
  HIGH,
  LINK,
  LOW,
  ROW_BYTES,
  ROW_HALF,
  WIDE_BYTES,
  WIDTH,
} from '../../../src/representations/obb/tree/wide-layout.as.ts';
import { FRAME_STEPS, halfOf, type WideViews } from '../../../src/representations/obb/tree/wide-node.ts';

const BYTE_STEP = Math.fround(2 / 255);

// Places in a node, in units of what stands there.
const SHORTS = WIDE_BYTES / 2;
const WORDS = WIDE_BYTES / 4;
const ROW = ROW_BYTES / 2;
const HALF = ROW_HALF / 2;
const CENTRE_WORD = CENTRE / 4;
const LINK_WORD = LINK / 4;

export const wideLink = (index: number, count: number, kind: 'leaf' | 'inner'): number =>
  ((index << 3) | ((count - 1) << 1) | Number(kind === 'leaf')) >>> 0;

export function setWideLink(views: WideViews, node: number, link: number): void {
  views.words[WORDS * node + LINK_WORD] = link;
}

/** The number that a byte means in a node of half extent `half`. */
function boundOf(byte: number, half: number): number {
  const step = Math.fround(half * BYTE_STEP);
  return Math.fround(Math.fround(byte * step) - half);
}

const float = new Float32Array(1);
const floatBits = new Uint32Array(float.buffer);

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
