/**
 * The common timeline of two motions: numbered times, the poses at each, and speed bounds between.
 *
 * Times are numbered from 0 to `last`, a power of two. Number k is the computed value of
 *   begin + (end - begin) k / last
 * and `last` is the end itself. A step is at least 8 ulp of the times, so the computed time is
 * within a quarter of a step of the exact one.
 */

import { translationOf } from '../engine/pair-kernel.ts';
import { moveErrorBound, normBound, type Pose } from '../math/pose.ts';
import type { RigidMotion, SpeedBound } from './motion.ts';

export interface Moment {
  time: number;
  poseA: Pose;
  poseB: Pose;
  /** Upper bounds of the poses' norms. */
  normA: number;
  normB: number;
  slack: number;
}

export interface Span {
  from: Moment;
  to: Moment;
  length: number;
  speedA: SpeedBound;
  speedB: SpeedBound;
  accelerationA: SpeedBound | null;
  accelerationB: SpeedBound | null;
  /**
   * An upper bound of the error in the distance of two moved points or bounds. It is four times
   * that of the poses at both ends, and the rounding of moving and comparing. So it covers `check`
   * between the ends, if rounding there is at most three times as large.
   */
  slack: number;
}

const MOST_KEPT = 2 ** 13;
const ROOM_OF_LEVELS = 64;
/** Numbers of times, and those computed from them (64 times as large), are exact. */
const MOST_LEVELS = 44;

export class Timeline {
  readonly begin: number;
  readonly end: number;
  readonly last: number;
  /** The largest span is 2^levels long. */
  readonly levels: number;
  asked = 0;
  private moments = new Map<number, Moment>();
  private spans = new Map<number, Span>();

  constructor(
    private readonly motionA: RigidMotion,
    private readonly motionB: RigidMotion,
    private readonly reachA: number,
    private readonly reachB: number,
    resolution: number,
    steps: number,
  ) {
    this.begin = Math.max(motionA.begin, motionB.begin);
    this.end = Math.min(motionA.end, motionB.end);
    const ulp = 2 ** -52 * Math.max(Math.abs(this.begin), Math.abs(this.end)) + 2 ** -1000;
    const most = Math.max(1, (this.end - this.begin) / (8 * ulp));
    this.levels = Math.max(
      0,
      Math.floor(Math.min(MOST_LEVELS, Math.ceil(Math.log2(steps / resolution)), Math.log2(most))),
    );
    this.last = 2 ** this.levels;
  }

  timeOf(k: number): number {
    return k >= this.last ? this.end : Math.min(this.end, this.begin + (this.end - this.begin) * (k / this.last));
  }

  at(k: number): Moment {
    let found = this.moments.get(k);
    if (!found) {
      if (this.moments.size === MOST_KEPT) this.moments = new Map();
      found = this.momentAt(this.timeOf(k));
      this.moments.set(k, found);
    }
    return found;
  }

  /** From number k for 2^level steps, or to the end. */
  span(k: number, level: number): Span {
    const key = ROOM_OF_LEVELS * k + level;
    let found = this.spans.get(key);
    if (!found) {
      if (this.spans.size === MOST_KEPT) this.spans = new Map();
      found = this.spanBetween(this.at(k), this.at(Math.min(this.last, k + 2 ** level)));
      this.spans.set(key, found);
    }
    return found;
  }

  private momentAt(time: number): Moment {
    const { motionA, motionB, reachA, reachB } = this;
    this.asked++;
    // Copies: a motion may reuse one array.
    const poseA = motionA.poseAt(time).slice();
    const poseB = motionB.poseAt(time).slice();
    const rounding =
      motionA.roundingAt(time, reachA) +
      motionB.roundingAt(time, reachB) +
      moveErrorBound(poseA, reachA) +
      moveErrorBound(poseB, reachB);
    const sizes = reachA + reachB + translationOf(poseA) + translationOf(poseB);
    return {
      time,
      poseA,
      poseB,
      normA: normBound(poseA),
      normB: normBound(poseB),
      slack: 4 * rounding + 2 ** -44 * sizes + 2 ** -1000,
    };
  }

  private spanBetween(from: Moment, to: Moment): Span {
    const { motionA, motionB } = this;
    return {
      from,
      to,
      length: (to.time - from.time) * (1 + 2 ** -50),
      speedA: motionA.speedWithin(from.time, to.time),
      speedB: motionB.speedWithin(from.time, to.time),
      accelerationA: motionA.accelerationWithin?.(from.time, to.time) ?? null,
      accelerationB: motionB.accelerationWithin?.(from.time, to.time) ?? null,
      slack: Math.max(from.slack, to.slack),
    };
  }
}
