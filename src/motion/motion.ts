/**
 * Rigid motions: poses by time, and speed bounds, which carry all proofs. Options and results of
 * questions about moving objects.
 */

import type { ContactPair, Verdict } from '../engine/records.ts';
import type { Pose } from '../math/pose.ts';

/**
 * A bound of an object's speed over a piece of time, rounded up. In lengths of the common frame per
 * unit of time, a point p of the object's frame is never faster than
 *   linear + angular |p - centre|
 */
export interface SpeedBound {
  linear: number;
  angular: number;
  /** x, y, z in the frame of the object. */
  centre: readonly [number, number, number];
}

/** A rigid object's motion from `begin` to `end`. */
export interface RigidMotion {
  readonly begin: number;
  readonly end: number;
  /**
   * Returns the object's pose at a time: 16 numbers, row-major 4x4, rigid.
   *
   * @param time from begin to end
   */
  poseAt(time: number): Pose;
  /**
   * Returns a bound of the rounding in `poseAt`: the distance of a point from its exact place, for
   * points no farther than `reach` from the origin of the object's frame.
   */
  roundingAt(time: number, reach: number): number;
  /** Returns a bound of the speed at every time from `from` to `to`. */
  speedWithin(from: number, to: number): SpeedBound;
  /**
   * The same for accelerations. Per unit of time the velocity of a point p changes by no more than
   *   linear + angular |p - centre|
   * Infinity if a velocity jumps within. With it a search needs a tenth of the steps; without it
   * only speeds are known.
   */
  accelerationWithin?(from: number, to: number): SpeedBound;
}

/** Options of questions about moving objects. */
export interface ImpactOptions {
  /** The width of `first`, as a part of the motion's time; at least 2^-40. Default: 2^-20. */
  timeResolution?: number;
  /** Objects no farther apart than this length are in contact. */
  clearance?: number;
  /** True to find all times in contact, not only the first. */
  allIntervals?: boolean;
  /** True to find the least distance over all of the time. */
  distance?: boolean;
  /** Milliseconds after which the rest is undecided. */
  budget?: number;
}

/** An interval of time. */
export interface TimeInterval {
  from: number;
  to: number;
}

/** When two moving objects touch. Times are those of the motions. */
export interface Impact {
  /**
   * `clear`: they never touch. `contact`: they are apart until `first.from`, and touch at
   * `first.to`. `undecided`: they are apart until `first.from`, and then too close to decide. The
   * interval may be wider than `timeResolution` if the two graze, or because of rounding.
   */
  verdict: Verdict;
  /** Null if they are always clear. */
  first: TimeInterval | null;
  /**
   * With allIntervals: in `contact` intervals they surely touch, in `undecided` ones they may.
   * Elsewhere they do not.
   */
  intervals: (TimeInterval & { verdict: 'contact' | 'undecided' })[] | null;
  /**
   * With `distance`: the least distance over all of the time is from `lower` to `upper`; at `time`
   * the objects are no farther apart than `upper`.
   */
  distance: { lower: number; upper: number; time: number } | null;
  /** The primitives that meet first, if known. */
  pair: ContactPair | null;
  tests: { bounds: number; hulls: number /** Times at which something was measured. */; times: number };
}
