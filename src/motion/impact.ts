/** What is asked of two objects that move, and what is answered. */
import type { ContactPair, Verdict } from '../query/report.ts';

export interface ImpactOptions {
  /** How close t0 and t1 must come: a part of the motion's time; 2^-20 unless given, 2^-40 at least. */
  timeResolution?: number;
  /** Contact is also what is closer than this length, or as close. */
  clearance?: number;
  /** All times in contact, not only the first. */
  allIntervals?: boolean;
  /** The least distance over all of the time. */
  distance?: boolean;
  /** Milliseconds after which the rest is undecided. */
  budget?: number;
}

/** A piece of time, of which something is proved. */
export interface TimeInterval {
  from: number;
  to: number;
}

export interface Impact {
  /**
   * `clear`: they touch at no time. `contact`: they are apart until `first.from`, and touch at
   * `first.to`. `undecided`: they are apart until `first.from`, and then too close to tell. The two
   * times may be farther apart than `timeResolution` where the two graze, or rounding forbids more.
   */
  verdict: Verdict;
  /** Null where they are clear all the time. */
  first: TimeInterval | null;
  /**
   * With allIntervals: pieces of time; in `contact` ones they surely touch, in `undecided` ones
   * they may. Elsewhere they do not.
   */
  intervals: (TimeInterval & { verdict: 'contact' | 'undecided' })[] | null;
  /**
   * With distance: lower <= least distance over all of the time <= upper, and a time at which the
   * upper is had.
   */
  distance: { lower: number; upper: number; time: number } | null;
  /** The primitives that meet first, where they are known. */
  pair: ContactPair | null;
  tests: { bounds: number; hulls: number /** Times at which something was measured. */; times: number };
}
