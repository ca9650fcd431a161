/** Options and results of questions about moving objects. */
import type { ContactPair, Verdict } from '../engine/records.ts';

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
