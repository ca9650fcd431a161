/**
 * How two solids lie to each other, of which one at least is defined by a function.
 *
 * A class is what points and covers of cells prove: that insides meet by a point strictly inside
 * both; that each has a part outside the other by such a point of either; that one is in the other by
 * cells over all of it. Where functions alone are asked their own search does it: one solid is
 * strictly inside another where it shares no point with the other's closed complement.
 *
 * That two only touch cannot be proved so: rounding hides on which side of each other the surfaces
 * lie.
 */
import type { Pose } from '../math/pose.ts';
import type { Query } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { representationOf } from '../representations/registry.ts';
import { isFunction, type Located, locateBody, locateFunction } from './located.ts';
import { hullOfPoint, type Parts, partsOf } from './parts.ts';
import { placeBody } from './solid.ts';

/** How two solids lie, as far as that is proved; null where it is not. */
export interface Proved {
  lie: 'clear' | 'overlap' | 'inside' | 'same' | null;
  /** Which one is in the other, where one is. */
  inner: 'a' | 'b' | null;
  /** x, y, z of a point strictly inside both, where one is known. */
  common: number[] | null;
  /** Why nothing is proved. */
  reason: string | null;
  located: readonly [Located, Located];
}

/** Levels of cells to look at, one after the other, and the most cells of each. */
const LEVELS = [4, 7];
const MOST_CELLS = 2 ** 14;

/**
 * How two solids lie, of which one at least is defined by a function.
 *
 * @param a, b such, or made of triangles that bound a solid
 * @example proveLie(ball, ball, identity(), identity()).lie // 'same'
 */
export function proveLie(a: Asset, b: Asset, poseA: Pose, poseB: Pose): Proved {
  const located = [locate(a, poseA), locate(b, poseB)] as const;
  const proved = (lie: Proved['lie'], inner: Proved['inner'], common: number[] | null, reason: string | null = null) =>
    ({ lie, inner, common, reason, located }) satisfies Proved;
  if (areSame(a, b, poseA, poseB)) {
    const { within } = partsOf(located[0], EVERYWHERE);
    if (within) return proved('same', null, within);
  }
  const parts = partsIn(a, b, poseA, poseB, located[0], located[1]);
  if (parts.isApart) return proved('clear', null, null);
  const common = parts.within;
  if (!common) return proved(null, null, null, 'whether their insides meet is not decided');
  if (parts.isContained) return proved('inside', 'a', common);
  const others = partsIn(b, a, poseB, poseA, located[1], located[0]);
  if (others.isContained) return proved('inside', 'b', common);
  if (parts.beyond && others.beyond) return proved('overlap', null, common);
  return proved(null, null, common, 'their insides meet; whether one is inside the other is not decided');
}

const locate = (asset: Asset, pose: Pose): Located =>
  isFunction(asset) ? locateFunction(asset, pose) : locateBody(placeBody(asset, pose));

/** All of space. */
const EVERYWHERE: Pick<Located, 'place'> = { place: () => 'inside' };

const isEqual = (p: Pose, q: Pose): boolean => p.every((x, k) => x === q[k]);

function areSame(a: Asset, b: Asset, poseA: Pose, poseB: Pose): boolean {
  const { isSame } = representationOf(a);
  return isEqual(poseA, poseB) && a.representation === b.representation && isSame?.(a, b) === true;
}

function partsIn(a: Asset, b: Asset, poseA: Pose, poseB: Pose, inner: Located, outer: Located): Parts {
  const { search, outside } = representationOf(a);
  if (a.representation !== b.representation || !search || !outside) return partsOf(inner, outer);
  const complement = outside(b);
  const ask = (other: Asset): { point: number[] | null; isNone: boolean } => {
    for (const level of [...LEVELS, null]) {
      const query: Query = { poseA, poseB, all: false, maxContacts: 1, level, mostCells: MOST_CELLS };
      const outcome = search(a, other, query);
      if (outcome?.verdict === 'clear') return { point: null, isNone: true };
      if (outcome?.verdict === 'contact') return { point: outcome.point ?? null, isNone: false };
    }
    return { point: null, isNone: false };
  };
  const certified = (point: number[] | null, place: 'inside' | 'outside'): number[] | null =>
    point && inner.place(hullOfPoint(point)) === 'inside' && outer.place(hullOfPoint(point)) === place ? point : null;
  const within = ask(b);
  if (within.isNone) return { within: null, beyond: null, isApart: true, isContained: false };
  const beyond = ask(complement);
  return {
    within: certified(within.point, 'inside'),
    beyond: certified(beyond.point, 'outside'),
    isApart: false,
    isContained: beyond.isNone,
  };
}
