/** A pair of assets that answers questions about motions, too. */
import { OptionError } from '../base/errors.ts';
import { requireThat } from '../base/require.ts';
import { openPair as openStill, type PairOptions, type Pair as StillPair } from '../engine/prepared.ts';
import { requireNoCheck } from '../engine/reentrancy-guard.ts';
import type { Asset } from '../engine/representation.ts';
import type { Impact, ImpactOptions } from './impact.ts';
import { impactOf } from './impact-of.ts';
import type { RigidMotion } from './motion.ts';

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
  requireThat(isMotion, what, 'a motion, as still, straight, screw, keyed or motionOf make them', motion);
}
