/** The integer grid of a geometry image's samples and centers. */

/** Coordinate k of a sample q is `origin[k] + q * step`: two double operations. */
export interface Grid {
  origin: Float64Array;
  step: number;
}

/** Samples per side of a square of 2^exponent by 2^exponent quads. */
export const sizeOf = (exponent: number): number => (1 << exponent) + 1;

const U = 2 ** -53;

/** Greatest excess of a decoded distance over `step` times the integers' distance. */
export function decodeError(grid: Grid): number {
  const o = grid.origin;
  const largest = Math.max(Math.abs(o[0]), Math.abs(o[1]), Math.abs(o[2])) + 2 * 65535 * grid.step;
  return 4 * U * largest; // two points, three coordinates: 2 sqrt(3) u largest
}
