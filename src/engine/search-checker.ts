/**
 * A contact test of two assets of one kind by the kind's own search alone. It has little code,
 * without kernels, other kinds or the common engine, for pages that must load little.
 */
import { OptionError } from '../base/errors.ts';
import { UNMOVED } from '../math/pose.ts';
import { firstContact } from './pair-kernel.ts';
import type { Outcome, Query, Verdict } from './records.ts';
import { requireNoCheck } from './reentrancy-guard.ts';
import { requireSameUnits } from './units.ts';

/** Two assets, ready for any number of poses. */
export interface SearchChecker {
  /**
   * Returns true if the two touch.
   *
   * @param poseB the pose of b, rigid: 16, 12 or 7 numbers, as for `check`
   * @param poseA the pose of a; its own coordinates by default
   * @throws OptionError for an invalid pose, and within `onContact`
   */
  contact(poseB: ArrayLike<number>, poseA?: ArrayLike<number>): boolean;
  /** Returns `contact` as a verdict of a report. */
  verdict(poseB: ArrayLike<number>, poseA?: ArrayLike<number>): Verdict;
}

interface Searched {
  representation: string;
  header: { units: string | null };
}

/** @param search the kind's own search, which answers every question for a first contact */
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
  const verdict = (poseB: ArrayLike<number>, poseA: ArrayLike<number> = UNMOVED): Verdict => {
    requireNoCheck();
    return search(a, b, firstContact(poseA, poseB)).verdict;
  };
  return { verdict, contact: (poseB, poseA) => verdict(poseB, poseA) === 'contact' };
}
