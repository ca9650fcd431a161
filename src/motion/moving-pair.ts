/** A pair of assets that also answers questions about motions: contacts, and the least distance. */
import { OptionError } from '../base/errors.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import { sideOf } from '../engine/operand.ts';
import { openPair as openStill, type PairOptions, type Pair as StillPair } from '../engine/prepared.ts';
import { requireNoCheck } from '../engine/reentrancy-guard.ts';
import type { Asset } from '../engine/representation.ts';
import { requireSameUnits } from '../engine/units.ts';
import { representationOf } from '../representations/kinds.ts';
import { contactIntervals } from './contact-intervals.ts';
import { type Found, ImpactSearch, type MovingPair, RESOLUTION } from './impact-search.ts';
import { leastDistance } from './least-distance.ts';
import type { Impact, ImpactOptions, RigidMotion } from './motion.ts';
import { Timeline } from './timeline.ts';

/** Two assets, ready for questions. */
export interface Pair extends StillPair {
  /**
   * Returns when the two first touch while they move. `clear`: never. `contact`: surely apart until
   * `first.from`, and in contact at `first.to`. `undecided`: apart until `first.from`, then too
   * close to decide. No contact is missed, however fast: bounds of the motions' speeds prove it.
   *
   * @param motionA, motionB from `still`, `straight`, `screw`, `keyed`, `motionOf` or `readMotion`;
   *   the search covers their common time
   * @throws OptionError for options that make no sense, and for motions without a common time
   */
  impact(motionA: RigidMotion, motionB: RigidMotion, options?: ImpactOptions): Impact;
}

export const withMotions = (pair: StillPair, a: Asset, b: Asset): Pair =>
  Object.assign(pair, {
    impact(motionA: RigidMotion, motionB: RigidMotion, options: ImpactOptions = {}): Impact {
      requireNoCheck();
      requireMotion(motionA, 'motion of a');
      requireMotion(motionB, 'motion of b');
      const [begin, end] = [Math.max(motionA.begin, motionB.begin), Math.min(motionA.end, motionB.end)];
      if (!(Number.isFinite(begin) && Number.isFinite(end)))
        throw new OptionError('motions: expected one that begins and ends, found two that stand still');
      return impactOf(a, b, motionA, motionB, options);
    },
  });

/** See index.ts; this thread computes `verdicts`. */
export const openPair = (a: Asset, b: Asset, options?: PairOptions): Pair =>
  withMotions(openStill(a, b, options), a, b);

function requireMotion(motion: RigidMotion, what: string): void {
  const isMotion =
    typeof motion === 'object' &&
    motion !== null &&
    typeof motion.begin === 'number' &&
    typeof motion.end === 'number' &&
    [motion.poseAt, motion.roundingAt, motion.speedWithin].every((part) => typeof part === 'function');
  requireThat(isMotion, what, 'a motion made by still, straight, screw, keyed or motionOf', motion);
}

const TIME_RESOLUTION = 2 ** -20;

/**
 * @throws OptionError for options that make no sense, motions without a common time, and assets
 *   whose recorded units differ, or if only one records its unit
 */
export function impactOf(
  a: Asset,
  b: Asset,
  motionA: RigidMotion,
  motionB: RigidMotion,
  options: ImpactOptions = {},
): Impact {
  requireOptionTypes(options, {
    timeResolution: 'number',
    clearance: 'number',
    allIntervals: 'boolean',
    distance: 'boolean',
    budget: 'number',
  });
  const { timeResolution = TIME_RESOLUTION, clearance = 0, budget = Number.POSITIVE_INFINITY } = options;
  requireThat(timeResolution > 0 && timeResolution <= 1, 'timeResolution', 'above 0, up to 1', timeResolution);
  requireThat(clearance >= 0 && clearance <= 1e150, 'clearance', 'a length from 0 to 1e150', clearance);
  requireThat(budget >= 0, 'budget', 'milliseconds', budget);
  const begin = Math.max(motionA.begin, motionB.begin);
  const end = Math.min(motionA.end, motionB.end);
  const isTime = begin <= end && Number.isFinite(begin) && Number.isFinite(end);
  requireThat(isTime, 'motions', 'a begin and an end, and some time in common', `${begin} to ${end}`);
  requireSameUnits(representationOf(a).units(a), representationOf(b).units(b));
  const timeline = new Timeline(motionA, motionB, sideOf(a).reach, sideOf(b).reach, timeResolution, RESOLUTION);
  const tests = { bounds: 0, hulls: 0 };
  const moving: MovingPair = { a, b, timeline, clearance, deadline: performance.now() + budget, tests };
  const search = new ImpactSearch(moving);
  const found = search.from(0);
  const intervals = options.allIntervals ? contactIntervals(moving, search, found) : null;
  const distance = options.distance ? leastDistance(moving, found) : null;
  return { ...firstOf(found, timeline), intervals, distance, tests: { ...tests, times: timeline.asked } };
}

function firstOf(
  { apart, touching, pair, unsure }: Found,
  timeline: Timeline,
): Pick<Impact, 'verdict' | 'first' | 'pair'> {
  if (apart === Number.POSITIVE_INFINITY) return { verdict: 'clear', first: null, pair: null };
  const from = timeline.timeOf(apart);
  if (touching < Number.POSITIVE_INFINITY) {
    return { verdict: 'contact', first: { from, to: timeline.timeOf(touching) }, pair };
  }
  return { verdict: 'undecided', first: { from, to: timeline.timeOf(unsure[unsure.length - 1][1]) }, pair: null };
}
