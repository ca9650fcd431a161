/**
 * Where a point or a small box is of a solid: strictly inside, strictly outside, or neither that is
 * proved. A solid of triangles and one that a function defines answer alike, so that what is asked
 * of two need not know which they are.
 */
import { pointAt } from '../geometry/exact-point.ts';
import { identity, normBound, type Pose } from '../math/pose.ts';
import type { Box } from '../mesh/extent.ts';
import { writeBounds } from '../query/extent.ts';
import { HULL_NUMBERS, type MovedHull, solidOf } from '../query/narrow-phase.ts';
import type { Asset } from '../query/representation.ts';
import { traverse } from '../query/traverse.ts';
import { operandOf } from '../representations/operand.ts';
import { representationOf } from '../representations/registry.ts';
import { lone } from './lone.ts';
import type { PlacedBody } from './solid.ts';
import { windingAbout } from './winding.ts';

/** `unsure`: on the border, across it, or not decided. The others are proofs, rounding included. */
export type Place = 'inside' | 'outside' | 'unsure';

/** A solid in its pose, as points and boxes of the common frame are in it. */
export interface Located {
  /** Holds the solid: along the axes of the common frame. */
  box: Box;
  /** At least how wide the solid is where it is narrowest: no ball inside it is wider. */
  width: number;
  /** Where all of a hull of one point or of the eight corners of a box is. */
  place(hull: MovedHull): Place;
}

const UNMOVED = identity();
/** Parts of a box that a function is bounded on at most, for one answer. */
const EFFORT = 16;

/** Whether an asset is a solid that a function defines, and it can be told what is inside. */
export const isFunction = (asset: Asset): boolean => representationOf(asset).outside !== undefined;

/**
 * A solid that a function defines: outside where the function is proved to be below 0, inside where
 * the closed complement's is.
 *
 * @param pose a validated one
 */
export function locateFunction(asset: Asset, pose: Pose): Located {
  const { refine, outside, reach } = representationOf(asset);
  const operand = operandOf(asset, pose);
  const complement = outside!(asset);
  const beyond = solidOf((...hull) => refine!(complement, ...hull), undefined, pose, reach(asset));
  return {
    ...spanOf(operand.tree.bounds, operand.reach, undefined, pose),
    place(hull) {
      if (operand.solid!.ask(hull, 0, EFFORT) === 'out') return 'outside';
      return beyond.ask(hull, 0, EFFORT) === 'out' ? 'inside' : 'unsure';
    },
  };
}

/** A solid of triangles: by those that meet the hull, and how often they wind about one of its points. */
export function locateBody(placed: PlacedBody): Located {
  const { body, operand, pose } = placed;
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  return {
    ...spanOf(operand.tree.bounds, operand.reach, body.box, pose),
    place({ points, count }) {
      if (count > 1 && traverse(lone(points, count), operand, query).verdict !== 'clear') return 'unsure';
      const winding = windingAbout(placed, pointAt(points, 0));
      if (!winding || winding.ahead !== winding.behind) return 'unsure';
      return winding.ahead === 0 ? 'outside' : 'inside';
    },
  };
}

/** @param own the least box in the asset's frame, where that is known; else the root's bound is it */
function spanOf(root: Float64Array, reach: number, own: Box | undefined, pose: Pose): Pick<Located, 'box' | 'width'> {
  const box = new Float64Array(6);
  writeBounds({ root, reach, own: own ?? null }, pose, box, 0);
  let width = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    width = Math.min(width, own ? own[3 + k] - own[k] : 2 * (root[7 + 4 * k] + root[3]), box[3 + k] - box[k]);
  }
  // Moved vertices are rounded, in proportion to what they are from the origin.
  const size = box.reduce((most, x) => Math.max(most, Math.abs(x)), reach);
  return { box, width: width * normBound(pose) * (1 + 2 ** -40) + 2 ** -45 * size };
}

const corners = new Float64Array(HULL_NUMBERS);

/** The corners of the box from `low` to `high`; good until the next call. */
export function hullOfBox(low: ArrayLike<number>, high: ArrayLike<number>, at = 0): MovedHull {
  for (let corner = 0; corner < 8; corner++) {
    for (let k = 0; k < 3; k++) corners[3 * corner + k] = (corner >> k) & 1 ? high[at + k] : low[at + k];
  }
  return { points: corners, count: 8 };
}
