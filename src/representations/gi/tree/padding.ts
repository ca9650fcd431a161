/**
 * Pads an image of any width and height to a square of 2^n + 1 samples by repeating its last column
 * and row. Padding has no area: searches skip it, so no contact is listed twice, and counts ignore
 * it.
 *
 * A quad is padding if its first corner is in the last stored row or column, or beyond. All its
 * corners are then samples of the rim, and its triangles run along edges of it. So leaving them out
 * removes no point from the surface. A node is padding if all its quads are.
 */
import { sizeOf } from './grid.ts';

export interface StoredSize {
  width: number;
  height: number;
}

export function padSquare(samples: Uint16Array, { width, height }: StoredSize, exponent: number): Uint16Array {
  const size = sizeOf(exponent);
  if (width === size && height === size) return samples;
  const square = new Uint16Array(3 * size * size);
  for (let row = 0; row < size; row++) {
    const from = 3 * width * Math.min(row, height - 1);
    const to = 3 * size * row;
    square.set(samples.subarray(from, from + 3 * width), to);
    for (let i = 3 * width; i < 3 * size; i++) square[to + i] = square[to + i - 3];
  }
  return square;
}

/** True if a node of the square is padding; false without `stored`. */
export const isPadding = (
  stored: StoredSize | null,
  exponent: number,
  level: number,
  row: number,
  column: number,
): boolean =>
  stored !== null &&
  (row << (exponent - level) >= stored.height - 1 || column << (exponent - level) >= stored.width - 1);

/** Stored size of every 2^k-th sample; the last row and column are kept. */
export const thinnedSize = (stored: StoredSize | null, shift: number): StoredSize | null =>
  stored && {
    width: Math.ceil((stored.width - 1) / 2 ** shift) + 1,
    height: Math.ceil((stored.height - 1) / 2 ** shift) + 1,
  };
