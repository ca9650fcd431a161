/**
 * Places a point or a small hull relative to a solid: strictly inside, strictly outside, or unsure.
 * Solids of triangles and of functions have the same interface.
 */

import { writeBounds } from '../engine/extent.ts';
import type { MovedHull } from '../engine/leaves.ts';
import { HULL_NUMBERS } from '../engine/narrow-phase.ts';
import { operandOf } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import { type Operand, traverse } from '../engine/traverse.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { identity, normBound, type Pose } from '../math/pose.ts';
import type { Box } from '../mesh/extent.ts';
import { representationOf } from '../representations/kinds.ts';
import { lone, type PlacedBody, placeBody } from './solid.ts';
import { windingAbout } from './winding.ts';

/** `unsure`: on the border, across it, or undecided. The others are proofs, rounding included. */
export type Place = 'inside' | 'outside' | 'unsure';

export interface Located {
  /** Holds the solid; axis-aligned in the common frame. */
  box: Box;
  /** An upper bound of the width of balls inside. */
  width: number;
  /** For a point, or the eight corners of a box. */
  place(hull: MovedHull): Place;
}

export interface LocatedFunction extends Located {
  /** The solid, and its closed complement, whose tree has the domain alone. */
  solid: Operand;
  complement: Operand;
  pose: Pose;
}

export interface LocatedBody extends Located {
  placed: PlacedBody;
}

const UNMOVED = identity();
const EFFORT = 4;

/** True if an asset is a solid that a function defines, and its inside can be computed. */
export const isFunction = (asset: Asset): boolean => representationOf(asset).solid !== undefined;

/** Outside if the function is proved to be below 0, inside if the closed complement's is. */
export function locateFunction(asset: Asset, pose: Pose): LocatedFunction {
  const solid = operandOf(asset, pose);
  const complement = operandOf(representationOf(asset).solid!.outside(asset), pose);
  return {
    ...{ solid, complement, pose },
    ...spanOf(solid, null, pose),
    place(hull) {
      if (solid.solid!.ask(hull, 0, EFFORT) === 'out') return 'outside';
      return complement.solid!.ask(hull, 0, EFFORT) === 'out' ? 'inside' : 'unsure';
    },
  };
}

/** By the triangles that meet the hull, and the winding number about one of its points. */
export function locateBody(asset: Asset, pose: Pose): LocatedBody {
  const placed = placeBody(asset, pose);
  const { body, operand } = placed;
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  return {
    placed,
    ...spanOf(operand, body.box, pose),
    place({ points, count }) {
      if (count > 1 && traverse(lone(points, count), operand, query).verdict !== 'clear') return 'unsure';
      const winding = windingAbout(placed, pointAt(points, 0));
      if (!winding || winding.isOnTriangle) return 'unsure';
      return winding.ahead === 0 ? 'outside' : 'inside';
    },
  };
}

/** @param own the least box in the asset's frame, if known; default: the root's bound */
function spanOf({ tree, reach }: Operand, own: Box | null, pose: Pose): Pick<Located, 'box' | 'width'> {
  const root = tree.bounds;
  const box = new Float64Array(6);
  writeBounds({ root, reach, own }, pose, box, 0);
  let width = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) width = Math.min(width, own ? own[3 + k] - own[k] : 2 * (root[7 + 4 * k] + root[3]));
  // Moved vertices are rounded, in proportion to their distance from the origin.
  const size = box.reduce((most, x) => Math.max(most, Math.abs(x)), reach);
  return { box, width: width * normBound(pose) * (1 + 2 ** -40) + 2 ** -45 * size };
}

const corners = new Float64Array(HULL_NUMBERS);

/** Valid until the next call. */
export function hullOfBox(low: ArrayLike<number>, high: ArrayLike<number>): MovedHull {
  for (let corner = 0; corner < 8; corner++) {
    for (let k = 0; k < 3; k++) corners[3 * corner + k] = (corner >> k) & 1 ? high[k] : low[k];
  }
  return { points: corners, count: 8 };
}

export const hullOfPoint = (point: ArrayLike<number>): MovedHull => ({
  points: Float64Array.of(point[0], point[1], point[2]),
  count: 1,
});
