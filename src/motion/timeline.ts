/**
 * A motion of two objects as a search in time asks for it: times by whole numbers, where both stand
 * at each, and how fast their points are between two.
 *
 * Times are numbered from 0 to `last`, a power of two; number k is begin + (end - begin) k / last,
 * computed, and `last` is the end itself. A step is at least 8 ulp of the times, so what is
 * computed is within a quarter of a step of what is meant.
 */
import { moveErrorBound, normBound, type Pose } from '../math/pose.ts';
import { translationOf } from '../query/relative-pose.ts';
import type { RigidMotion, SpeedBound } from './motion.ts';

/** Where both stand at a time. */
export interface Moment {
  time: number;
  poseA: Pose;
  poseB: Pose;
  /** Upper bounds of how much the poses lengthen. */
  normA: number;
  normB: number;
  /** See Span.slack. */
  slack: number;
}

/** The time from one number to another. */
export interface Span {
  from: Moment;
  to: Moment;
  /** No less than how long it takes. */
  length: number;
  speedA: SpeedBound;
  speedB: SpeedBound;
  /** Null where none is known. */
  accelerationA: SpeedBound | null;
  accelerationB: SpeedBound | null;
  /**
   * No less than what the distance of two moved points, or of bounds of them, may be wrong by at
   * both ends: how far computed poses are from those that are meant, and all that is rounded in
   * moving points and in comparing them. Four times of the first is in it, so that what `check`
   * finds between is in it too, where rounding there is no more than three times what it is at the
   * ends.
   */
  slack: number;
}

/** Moments that are kept. */
const MOST_KEPT = 2 ** 13;
const ROOM_OF_LEVELS = 64;
/** Numbers of times are exact, and so are those that are made of them: 64 times as large. */
const MOST_LEVELS = 44;

export class Timeline {
  readonly begin: number;
  readonly end: number;
  readonly last: number;
  /** The largest span is 2^levels long. */
  readonly levels: number;
  /** Times at which was asked where the objects stand. */
  asked = 0;
  private moments = new Map<number, Moment>();
  private spans = new Map<number, Span>();

  /**
   * @param resolution the part of the time that two steps of the answer may be apart
   * @param steps that a resolution is made of, a power of two
   */
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
    // Copies: a motion may write to one array again and again.
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
