/**
 * Rigid motions: where an object stands at every time, and how fast its points are at most. What is
 * proved of a motion is proved by these bounds alone.
 */
import type { Pose } from '../math/pose.ts';

/**
 * How fast points of an object are within a piece of time: a point p of its frame is never faster
 * than linear + angular |p - centre|, a length of the common frame by a unit of time. Rounded
 * upwards.
 */
export interface SpeedBound {
  linear: number;
  angular: number;
  /** x, y, z in the frame of the object. */
  centre: readonly [number, number, number];
}

/** An object that moves as one, from `begin` to `end`. */
export interface RigidMotion {
  readonly begin: number;
  readonly end: number;
  /**
   * Where the object stands at a time: 16 numbers, row-major 4x4, rigid.
   *
   * @param time from begin to end
   */
  poseAt(time: number): Pose;
  /**
   * At least how far a point of the object, no farther than `reach` from the origin of its frame,
   * may be from where `poseAt` has it at that time: what rounding does.
   */
  roundingAt(time: number, reach: number): number;
  /** Holds at every time from `from` to `to`. */
  speedWithin(from: number, to: number): SpeedBound;
  /**
   * Likewise of accelerations: the velocity of a point p changes by no more than
   * linear + angular |p - centre| a unit of time. Infinity where a velocity jumps within. With it a
   * search needs a tenth of the steps; without it nothing is known but speeds.
   */
  accelerationWithin?(from: number, to: number): SpeedBound;
}
