/**
 * Decides how two solids lie if a function defines one or both.
 *
 * Points and covers of cells prove a class. A point strictly inside both proves that the insides
 * meet. A point of either outside the other proves that each sticks out. Cells over all of one
 * prove that it is in the other. For two functions their own search decides: a solid is strictly
 * inside another if it shares no point with the other's closed complement.
 *
 * A mere touch cannot be proved: rounding hides on which side of each other the surfaces are.
 */

import type { MovedHull } from '../engine/leaves.ts';
import { HULL_NUMBERS } from '../engine/narrow-phase.ts';
import type { Query } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { type Operand, traverse } from '../engine/traverse.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { movePoint, type Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import {
  hullOfPoint,
  isFunction,
  type Located,
  type LocatedBody,
  type LocatedFunction,
  locateBody,
  locateFunction,
  type Place,
} from './point-location.ts';

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
  if (!both) return { ...proved, lie: null, reason: 'it is undecided if their insides meet' };
  if (isInsideS) return { ...proved, lie: 'inside', inner: 'a' };
  if (isInsideF) return { ...proved, lie: 'inside', inner: 'b' };
  if (onlyF && onlyS) return { ...proved, lie: 'overlap' };
  return { ...proved, lie: null, reason: 'their insides meet; it is undecided if one is inside the other' };
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

/*
 * Decides how a function's solid lies to one of triangles, by proving which parts of space are in
 * both, and in either alone.
 *
 * If the triangles' surface has a point strictly inside the function's solid, points of both and of
 * the function's alone are beside it. If it has one strictly outside, there are points of the
 * triangles' solid alone. Together they prove an overlap. If the whole surface is outside the
 * function's solid, every cell of that is on one side of the surface, once cells are small enough.
 * If the whole surface is inside, so is every cell of the function's complement.
 */

/** Points that prove parts, x, y, z; and parts proved to be empty. */
export interface Shares {
  both: number[] | null;
  onlyF: number[] | null;
  onlyS: number[] | null;
  isApart: boolean;
  /** True if the function's solid is all inside the other, and the reverse. */
  isInsideS: boolean;
  isInsideF: boolean;
}

/** Triangles in contact, and others, on which to look for a point. */
const MOST_TOUCHED = 64;
const SPREAD = 64;
const MOST_PARTS = 1024;
const MOST_BOUNDS = 4096;

function sharesOf(f: LocatedFunction, s: LocatedBody): Shares {
  const shares: Shares = { both: null, onlyF: null, onlyS: null, isApart: false, isInsideS: false, isInsideF: false };
  const { operand, pose, body } = s.placed;
  const query = { poseA: f.pose, poseB: pose, all: true, maxContacts: MOST_TOUCHED, level: null };
  const { verdict, contacts } = traverse(f.solid, operand, query);
  const count = body.surface.triangles.length / 3;
  const some = Array.from({ length: Math.min(count, SPREAD) }, (_, i) =>
    Math.floor((i * count) / Math.min(count, SPREAD)),
  );
  const outer = beside(f, s, 'outside', some);
  shares.onlyS = outer?.inside ?? null;
  if (verdict === 'clear') {
    const parts = partsOf(f.solid, f.pose, (point) => f.place(point) === 'inside', s);
    const { within: both, beyond: onlyF, isNoneWithin: isApart, isNoneBeyond } = parts;
    return { ...shares, both, onlyF, isApart, isInsideS: both !== null && isNoneBeyond };
  }
  const touched = contacts.pairs.map(([, triangle]) => triangle);
  const inner = beside(f, s, 'inside', touched);
  shares.both = inner?.inside ?? null;
  shares.onlyF = inner?.outside ?? null;
  if (shares.onlyS || !shares.both) return shares;
  const stray = strayTriangle(f, s);
  if (stray === 'unsure') return shares;
  if (stray !== null) return { ...shares, onlyS: beside(f, s, 'outside', [stray])?.inside ?? null };
  const holes = partsOf(f.complement, f.pose, (point) => f.place(point) === 'outside', s);
  return { ...shares, onlyS: holes.within, isInsideF: holes.isNoneWithin };
}

/** Two points, strictly inside and strictly outside of s, on the wanted side of f. */
interface Beside {
  inside: number[];
  outside: number[];
}

/** Points beside one on a triangle of s strictly inside, or outside, of f; or null. */
function beside(f: LocatedFunction, s: LocatedBody, wanted: Place, triangles: readonly number[]): Beside | null {
  let left = MOST_PARTS;
  for (const triangle of triangles) {
    const parts: Float64Array[] = [s.placed.operand.load(triangle).points.slice(0, 9)];
    const normal = normalOf(parts[0]);
    for (let n = 0; n < parts.length && left > 0; n++, left--) {
      const part = parts[n];
      const middle = [0, 1, 2].map((k) => part[k] / 3 + part[3 + k] / 3 + part[6 + k] / 3);
      if (f.place(hullOfPoint(middle)) === wanted) {
        const found = normal && pointsBeside(f, s, wanted, middle, normal);
        if (found) return found;
        // Other triangles cover it, probably all of it.
        break;
      }
      const all = f.place({ points: part, count: 3 });
      if (all === 'unsure') parts.push(...quartersOf(part));
    }
  }
  return null;
}

/** Steps off a surface, relative to its size, until f has both sides alike. */
const STEPS = [-8, -16, -24, -32, -40].map((exponent) => 2 ** exponent);

function pointsBeside(
  f: LocatedFunction,
  s: LocatedBody,
  wanted: Place,
  point: number[],
  normal: number[],
): Beside | null {
  const across = s.box[3] - s.box[0] + (s.box[4] - s.box[1]) + (s.box[5] - s.box[2]);
  for (const step of STEPS) {
    const ends = [step, -step].map((by) => point.map((x, k) => x + by * across * normal[k]));
    if (ends.some((end) => f.place(hullOfPoint(end)) !== wanted)) continue;
    const places = ends.map((end) => s.place(hullOfPoint(end)));
    const [inside, outside] = [ends[places.indexOf('inside')], ends[places.indexOf('outside')]];
    if (inside && outside) return { inside, outside };
  }
  return null;
}

/** A triangle of s not strictly inside f; null if there is surely none. */
function strayTriangle(f: LocatedFunction, s: LocatedBody): number | 'unsure' | null {
  const { tree, load } = s.placed.operand;
  const nodes = [0];
  for (let n = 0; n < nodes.length; n++) {
    if (n === MOST_BOUNDS) return 'unsure';
    const node = nodes[n];
    if (!tree.isLeaf(node)) {
      const first = tree.firstChild(node);
      for (let child = first; child < first + tree.count[node]; child++) nodes.push(child);
      continue;
    }
    const first = ~tree.link[node];
    for (let id = first; id < first + tree.count[node]; id++) if (!isAllInside(f, load(id))) return id;
  }
  return null;
}

const isAllInside = (f: LocatedFunction, triangle: MovedHull): boolean =>
  f.complement.solid!.ask(triangle, 0, MOST_PARTS) === 'out';

function normalOf(t: Float64Array): number[] | null {
  const [p, q] = [[0, 1, 2].map((k) => t[3 + k] - t[k]), [0, 1, 2].map((k) => t[6 + k] - t[k])];
  const cross = [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
  const length = Math.sqrt(cross.reduce((sum, x) => sum + x * x, 0));
  return length > 0 ? cross.map((x) => x / length) : null;
}

function quartersOf(t: Float64Array): Float64Array[] {
  const corner = (i: number, j: number): number[] => [0, 1, 2].map((k) => t[3 * i + k] / 2 + t[3 * j + k] / 2);
  const [a, b, c, ab, bc, ca] = [corner(0, 0), corner(1, 1), corner(2, 2), corner(0, 1), corner(1, 2), corner(2, 0)];
  return [
    [a, ab, ca],
    [ab, b, bc],
    [ca, bc, c],
    [ab, bc, ca],
  ].map((part) => Float64Array.from(part.flat()));
}

/*
 * Finds where cells of a function's solid are in another solid: the function's own cells, cut along
 * its surface, so that a narrow gap needs no cells as small.
 */

export interface Parts {
  /** x, y, z of a point strictly inside both, or null. */
  within: number[] | null;
  /** A point strictly inside the set and strictly outside the other, or null. */
  beyond: number[] | null;
  isNoneWithin: boolean;
  isNoneBeyond: boolean;
}

/** Some milliseconds. */
const MOST_CELLS_LOOKED_AT = 4096;

/** @param isStrict true if a point is strictly inside the set */
export function partsOf(
  set: Operand,
  pose: Pose,
  isStrict: (point: MovedHull) => boolean,
  other: Pick<Located, 'place'>,
): Parts {
  const { tree } = set;
  const found: Parts = { within: null, beyond: null, isNoneWithin: true, isNoneBeyond: true };
  const leave = (place: Place): void => {
    if (place !== 'outside' && !found.within) found.isNoneWithin = false;
    if (place !== 'inside' && !found.beyond) found.isNoneBeyond = false;
  };
  const nodes = [0];
  for (let n = 0; n < nodes.length; n++) {
    if (n === MOST_CELLS_LOOKED_AT) {
      leave('unsure');
      break;
    }
    const node = nodes[n];
    const place = other.place(hullOfCell(tree.bounds, BOX_NUMBERS * node, set.reach, pose));
    const isSettled = () => (place === 'inside' && found.within) || (place === 'outside' && found.beyond);
    if (isSettled()) continue;
    const middle = middleOf(tree.bounds, BOX_NUMBERS * node, pose);
    if (isStrict(hullOfPoint(middle))) {
      const at = place === 'unsure' ? other.place(hullOfPoint(middle)) : place;
      if (at === 'inside') found.within ??= middle;
      if (at === 'outside') found.beyond ??= middle;
    }
    if (isSettled()) continue;
    if (tree.isLeaf(node)) {
      leave(place);
      continue;
    }
    const first = tree.firstChild(node);
    for (let child = first; child < first + tree.count[node]; child++) nodes.push(child);
  }
  if (found.within) found.isNoneWithin = false;
  if (found.beyond) found.isNoneBeyond = false;
  return found;
}

const corners = new Float64Array(HULL_NUMBERS);
const cell: MovedHull = { points: corners, count: 8 };

/** The corners of a cell in the common frame, widened by the rounding. */
function hullOfCell(bounds: Float64Array, at: number, reach: number, pose: Pose): MovedHull {
  const sizes = reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  for (let corner = 0; corner < 8; corner++) {
    let [x, y, z] = [bounds[at], bounds[at + 1], bounds[at + 2]];
    for (let axis = 0; axis < 3; axis++) {
      const half = bounds[at + 7 + 4 * axis] + bounds[at + 3];
      const step = ((corner >> axis) & 1 ? 1 : -1) * (half * (1 + 2 ** -30) + 2 ** -44 * sizes);
      x += step * bounds[at + 4 + 4 * axis];
      y += step * bounds[at + 5 + 4 * axis];
      z += step * bounds[at + 6 + 4 * axis];
    }
    movePoint(pose, x, y, z, corners, 3 * corner);
  }
  return cell;
}

function middleOf(bounds: Float64Array, at: number, pose: Pose): number[] {
  const middle = new Float64Array(3);
  movePoint(pose, bounds[at], bounds[at + 1], bounds[at + 2], middle, 0);
  return [...middle];
}
