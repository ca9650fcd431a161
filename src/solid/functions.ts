/**
 * Decides how two solids lie if a function defines one or both.
 *
 * Points and covers of cells prove a class. A point strictly inside both proves that the insides
 * meet; a point of either outside the other proves that each sticks out; cells over all of one
 * prove that it is in the other. For two functions their own search decides: a solid is strictly
 * inside another if it shares no point with the other's closed complement.
 *
 * A mere touch cannot be proved: rounding hides on which side of each other the surfaces are.
 */

import type { Query } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import type { Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { partsOf } from './cells.ts';
import { type Shares, sharesOf } from './function-beside-body.ts';
import {
  hullOfPoint,
  isFunction,
  type Located,
  type LocatedFunction,
  locateBody,
  locateFunction,
  type Place,
} from './located.ts';

interface Proved {
  lie: 'clear' | 'overlap' | 'inside' | 'same' | null;
  inner: 'a' | 'b' | null;
  /** x, y, z of a point strictly inside both, if known. */
  common: number[] | null;
  reason: string | null;
  located: readonly [Located, Located];
}

/**
 * @param a, b solids of functions, or of triangles that bound a solid
 * @example proveLie(ball, ball, identity(), identity()).lie // 'same'
 */
export function proveLie(a: Asset, b: Asset, poseA: Pose, poseB: Pose): Proved {
  if (!isFunction(a)) {
    const { inner, located, ...rest } = proveLie(b, a, poseB, poseA);
    return { ...rest, inner: inner && (inner === 'a' ? 'b' : 'a'), located: [located[1], located[0]] };
  }
  const f = locateFunction(a, poseA);
  if (!isFunction(b)) {
    const s = locateBody(b, poseB);
    return { ...lieBy(sharesOf(f, s)), located: [f, s] };
  }
  const g = locateFunction(b, poseB);
  const found = sameLie(a, b, f, g) ?? lieBy(sharesOfFunctions(a, b, f, g));
  return { ...found, located: [f, g] };
}

function lieBy({ both, onlyF, onlyS, isApart, isInsideS, isInsideF }: Shares): Omit<Proved, 'located'> {
  const proved = { inner: null, common: both, reason: null };
  if (isApart) return { ...proved, lie: 'clear', common: null };
  if (!both) return { ...proved, lie: null, reason: 'whether their insides meet is not decided' };
  if (isInsideS) return { ...proved, lie: 'inside', inner: 'a' };
  if (isInsideF) return { ...proved, lie: 'inside', inner: 'b' };
  if (onlyF && onlyS) return { ...proved, lie: 'overlap' };
  return { ...proved, lie: null, reason: 'their insides meet; whether one is inside the other is not decided' };
}

const EVERYWHERE: Pick<Located, 'place'> = { place: () => 'inside' };

function sameLie(a: Asset, b: Asset, f: LocatedFunction, g: LocatedFunction): Omit<Proved, 'located'> | null {
  const isSamePose = f.pose.every((x, k) => x === g.pose[k]);
  if (!isSamePose || a.representation !== b.representation || !representationOf(a).solid?.isSame(a, b)) return null;
  const { within } = partsOf(f.solid, f.pose, (point) => f.place(point) === 'inside', EVERYWHERE);
  return within && { lie: 'same', inner: null, common: within, reason: null };
}

/** Levels of cells for successive searches, up to the finest, and the most cells of each. */
const LEVELS = [4, 7, null];
const MOST_CELLS = 2 ** 14;

function sharesOfFunctions(a: Asset, b: Asset, f: LocatedFunction, g: LocatedFunction): Shares {
  const { search, solid } = representationOf(a);
  const parts = (
    inner: Asset,
    outer: Asset,
    [p, q]: readonly [LocatedFunction, LocatedFunction],
    place: Place,
  ): { point: number[] | null; isNone: boolean } => {
    for (const level of LEVELS) {
      const poses = { poseA: p.pose, poseB: q.pose };
      const query: Query = { ...poses, all: false, maxContacts: 1, level, mostCells: MOST_CELLS };
      const outcome = search!(inner, place === 'inside' ? outer : solid!.outside(outer), query);
      if (outcome?.verdict === 'clear') return { point: null, isNone: true };
      // The search's points may be on a border, and were rounded.
      const hull = outcome?.point && hullOfPoint(outcome.point);
      if (hull && p.place(hull) === 'inside' && q.place(hull) === place)
        return { point: outcome.point!, isNone: false };
    }
    return { point: null, isNone: false };
  };
  const both = parts(a, b, [f, g], 'inside');
  const nothing = { onlyF: null, onlyS: null, isInsideS: false, isInsideF: false };
  if (both.isNone || !both.point) return { both: null, isApart: both.isNone, ...nothing };
  const onlyF = parts(a, b, [f, g], 'outside');
  const known = { ...nothing, both: both.point, isApart: false, onlyF: onlyF.point };
  if (onlyF.isNone) return { ...known, isInsideS: true };
  const onlyS = parts(b, a, [g, f], 'outside');
  return { ...known, onlyS: onlyS.point, isInsideF: onlyS.isNone };
}
