/**
 * Two assets of one kind, asked whether they touch by the kind's own search alone. It is little
 * code, for pages that must load little: no kernels, no other kind, no common engine.
 */
import { OptionError } from '../math/errors.ts';
import { identity, type Pose, requirePose } from '../math/pose.ts';
import { requireNoCheck } from '../query/asking.ts';
import { firstContact } from '../query/pair-kernel.ts';
import type { Outcome, Query, Verdict } from '../query/report.ts';
import { requireSameUnits } from '../query/units.ts';

const UNMOVED = /* @__PURE__ */ identity();

/** Two assets, ready for any number of poses. */
export interface SearchChecker {
  /**
   * Whether the two touch.
   *
   * @param poseB where b stands, 16 numbers, row-major 4x4, rigid
   * @param poseA where a stands; at its own coordinates unless given
   * @throws OptionError for what is no pose, and within `onContact`
   */
  contact(poseB: Pose, poseA?: Pose): boolean;
  /** `contact` in the words of a report. */
  verdict(poseB: Pose, poseA?: Pose): Verdict;
}

/** What an asset must be, for two of its kind to be asked. */
interface Searched {
  representation: string;
  header: { units: string | null };
}

/** @param search the kind's own, which answers every question for a first contact */
export function createSearchChecker<A extends Searched>(
  kind: string,
  search: (a: A, b: A, query: Query) => Outcome,
  a: A,
  b: A,
): SearchChecker {
  for (const asset of [a, b])
    if (asset?.representation !== kind)
      throw new OptionError(`asset: expected a representation ${kind}, found ${asset?.representation}`);
  requireSameUnits(a.header.units, b.header.units);
  const verdict = (poseB: Pose, poseA: Pose = UNMOVED): Verdict => {
    requireNoCheck();
    requirePose(poseB, 'pose of b');
    if (poseA !== UNMOVED) requirePose(poseA, 'pose of a');
    return search(a, b, firstContact(poseA, poseB)).verdict;
  };
  return { verdict, contact: (poseB, poseA) => verdict(poseB, poseA) === 'contact' };
}
