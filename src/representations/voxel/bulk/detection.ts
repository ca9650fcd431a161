/**
 * Algorithm 4, detection: finds the two-tuples whose cubes collide.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.B. All
 * cubes are half-open cells of one grid, so they collide if they are the same cell.
 */
import type { Tuples } from './generation.ts';

export interface Detection {
  tuples: Tuples;
  /** i, j, k of cube n at 3n. */
  cells: Int32Array;
  /** Out: R, 1 if they collide, or 0. */
  result: Uint8Array;
}

export function detection({ tuples, cells, result }: Detection, from: number, to: number): number {
  const { first, second } = tuples;
  for (let t = from; t < to; t++) {
    const a = Math.imul(3, first[t]);
    const b = Math.imul(3, second[t]);
    result[t] = cells[a] === cells[b] && cells[a + 1] === cells[b + 1] && cells[a + 2] === cells[b + 2] ? 1 : 0;
  }
  return 0;
}

export interface BrickDetection {
  tuples: Tuples;
  /** Two words per brick. */
  masks: Uint32Array;
  result: Uint8Array;
}

/** Tests two-tuples of bricks with one key, up to 64 cubes at once: 1 if any are the same. */
export function brickDetection({ tuples, masks, result }: BrickDetection, from: number, to: number): number {
  const { first, second } = tuples;
  for (let t = from; t < to; t++) {
    const a = 2 * first[t];
    const b = 2 * second[t];
    result[t] = ((masks[a] & masks[b]) | (masks[a + 1] & masks[b + 1])) !== 0 ? 1 : 0;
  }
  return 0;
}
