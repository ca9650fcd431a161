/** Finds the point of an asset nearest to a given point. */

import { requireOptionTypes, requireThat } from '../base/require.ts';
import { findClosest } from '../engine/closest.ts';
import type { Bracket } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { identity, type Pose } from '../math/pose.ts';
import { closedOperand, requirePlaced, requireThree, targetIn } from './door.ts';
import { lone } from './lone.ts';
import { nearestTriangle } from './near-walk.ts';

export interface ClosestPointOptions {
  /** The asset's pose: 16 numbers, row-major 4x4, rigid. */
  pose?: Pose;
}

export interface ClosestPoint {
  /** x, y, z in the common frame, within rounding; null if there is none, as for an empty F-rep. */
  point: number[] | null;
  /** Proved, from `lower` to `upper`; both 0 if the asset holds the point. */
  distance: Bracket;
  /** The number of the triangle or the cube; 0 for an F-rep. */
  triangle: number | null;
}

/** Squares of longer distances leave the range of doubles. */
const FARTHEST = 1e150;

const OPTIONS = { pose: 'numbers' } as const;
const UNMOVED = identity();
const exactly = { distance: true, clearance: 0, deadline: Number.POSITIVE_INFINITY };

/**
 * Returns the point of an asset nearest to a given point, with a proved bracket of the distance, a
 * few roundings wide. For triangles it is on the surface, also for a point inside the solid. Cubes
 * and F-reps are solids: a point in them is at distance 0.
 *
 * @param point x, y, z of the common frame, in the asset's units
 * @throws OptionError for an invalid point, pose or option, and for a point farther than 1e150
 * @example const { distance } = closestPoint(bunny, [2, 0, 0]);
 *          distance.lower <= distance.upper // true
 */
export function closestPoint(asset: Asset, point: ArrayLike<number>, options: ClosestPointOptions = {}): ClosestPoint {
  requireOptionTypes(options, OPTIONS);
  const pose = requirePlaced(asset, options.pose);
  const corner = requireThree(point, 'point');
  const isNear = corner.every((x) => Math.abs(x) <= FARTHEST);
  requireThat(isNear, 'point', `coordinates up to ${FARTHEST}`, Array.from(corner).join(' '));
  const target = targetIn(asset, pose);
  if (target) {
    const { lower, upper, triangle, point } = nearestTriangle(target, corner);
    return { point: Array.from(point), distance: { lower, upper }, triangle };
  }
  const alone = lone(Float64Array.of(...corner, ...corner, ...corner));
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  const { lower, upper, b, onB } = findClosest(alone, closedOperand(asset, pose), query, exactly);
  const isFound = b >= 0;
  return {
    point: isFound ? Array.from(onB) : null,
    distance: { lower, upper },
    triangle: isFound ? b : null,
  };
}
