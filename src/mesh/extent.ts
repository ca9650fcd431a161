/** How large a surface is. */
import type { Surface } from './topology.ts';

/**
 * The diagonal of the axis-aligned box round a surface's triangles; vertices that none uses do not count.
 *
 * @example diagonalOf({ positions: Float64Array.of(0, 0, 0, 3, 0, 0, 0, 4, 0), triangles: Uint32Array.of(0, 1, 2) }) // 5
 */
export function diagonalOf({ positions, triangles }: Surface): number {
  const low = [0, 1, 2].map(() => Number.POSITIVE_INFINITY);
  const high = [0, 1, 2].map(() => Number.NEGATIVE_INFINITY);
  for (let i = 0; i < triangles.length; i++) {
    for (let k = 0; k < 3; k++) {
      const x = positions[3 * triangles[i] + k];
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  }
  return triangles.length > 0 ? Math.sqrt(low.reduce((sum, x, k) => sum + (high[k] - x) * (high[k] - x), 0)) : 0;
}
