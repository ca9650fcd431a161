/** Goal and result of a search for the nearest points of two surfaces. */

export interface Goal {
  /** True to find the distance; false to compare it with `clearance` only. */
  distance: boolean;
  clearance: number;
  /** `performance.now()` when the search must end; Infinity for none. */
  deadline: number;
}

export interface Nearest {
  /**
   * lower <= distance <= upper; both 0 if the surfaces share a point. Infinity: as far as is known,
   * or provably, one of them has no point.
   */
  lower: number;
  upper: number;
  /** Upper bound of the distance of the nearest hulls found; `upper`, from bounds, may be less. */
  measured: number;
  /**
   * The nearest hulls, or -1 and -1, and their nearest points in the common frame. For a solid: 0,
   * all of it, and a point of its core; in contact, a point of a touched cell.
   */
  a: number;
  b: number;
  onA: Float64Array;
  onB: Float64Array;
  /** True if they provably share no point: exactly, even if `lower` is 0 by rounding. */
  isApart: boolean;
  /** True if the search ended by itself, not by its deadline or level. */
  isComplete: boolean;
  level: number;
  tests: { bounds: number; hulls: number };
}

export const nothingMeasured = (): Nearest => ({
  lower: 0,
  upper: Number.POSITIVE_INFINITY,
  measured: Number.POSITIVE_INFINITY,
  a: -1,
  b: -1,
  onA: new Float64Array(3),
  onB: new Float64Array(3),
  isApart: false,
  isComplete: true,
  level: 0,
  tests: { bounds: 0, hulls: 0 },
});
