/** What a search for the nearest points of two surfaces is asked, and what it finds. */

/** When a search has found enough. */
export interface Goal {
  /**
   * Whether the distance itself is asked for; otherwise it is enough to know on which side of
   * `clearance` it is.
   */
  distance: boolean;
  clearance: number;
  /** `performance.now()` when the search must end; Infinity for none. */
  deadline: number;
}

export interface Nearest {
  /**
   * lower <= distance <= upper; both 0 when the surfaces share a point. Infinity: so far as is
   * known, or proved, one of them has no point.
   */
  lower: number;
  upper: number;
  /**
   * Upper bound of the distance of the nearest hulls that were found; that of the bounds, `upper`,
   * may be less.
   */
  measured: number;
  /**
   * Those hulls, -1 and -1 if none were found, and their nearest points in the common frame. Of a
   * solid: 0, all of it, and a point of its core; in contact, a point of a cell that is touched.
   */
  a: number;
  b: number;
  onA: Float64Array;
  onB: Float64Array;
  /** Whether it is proved that no point is shared: exactly, where `lower` may be 0 by rounding. */
  isApart: boolean;
  /** Whether the search ended by itself, not by its deadline or level. */
  isComplete: boolean;
  level: number;
  tests: { bounds: number; hulls: number };
}

/** A record to search with: nothing is measured yet. */
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
