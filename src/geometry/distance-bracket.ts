/**
 * A proven interval for the distance of two bodies, and a point of each that are about so far
 * apart.
 */

export interface DistanceBracket {
  /** Not more than the true distance; never negative. */
  lower: number;
  /** Not less than the true distance; Infinity if nothing is known. */
  upper: number;
  /** x, y, z of a point of the first body, within rounding. */
  onA: Float64Array;
  onB: Float64Array;
}
