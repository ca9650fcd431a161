/**
 * What a distance between two bodies is known to be: a proven interval, and a point of each body
 * that is about so far away.
 */

export interface DistanceBracket {
  /** Not more than the true distance; never negative. */
  lower: number;
  /** Not less than the true distance; Infinity where nothing is known. */
  upper: number;
  /** x, y, z of a point of the first body, within rounding. */
  onA: Float64Array;
  /** x, y, z of a point of the second body, within rounding. */
  onB: Float64Array;
}
