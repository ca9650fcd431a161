/** Rigid motions: poses by time, and speed bounds, which carry all proofs. */
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
  /** Holds at every time from `from` to `to`. */
  speedWithin(from: number, to: number): SpeedBound;
  /**
   * The same for accelerations. Per unit of time the velocity of a point p changes by no more than
   *   linear + angular |p - centre|
   * Infinity if a velocity jumps within. With it a search needs a tenth of the steps; without it
   * only speeds are known.
   */
  accelerationWithin?(from: number, to: number): SpeedBound;
}
