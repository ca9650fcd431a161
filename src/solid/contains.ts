/** Tests if a point is in a solid. */

import { OptionError } from '../base/errors.ts';
import type { Asset } from '../engine/representation.ts';
import { traverse } from '../engine/traverse.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { identity, type Pose } from '../math/pose.ts';
import { closedOperand, requirePlaced, requireThree, targetIn } from './door.ts';
import { lone } from './lone.ts';
import { bodyOf, openEdgeOf } from './solid.ts';
import { windingAbout } from './winding.ts';

/** The position of a point; `undecided` for F-reps only. */
export type Containment = 'inside' | 'outside' | 'border' | 'undecided';

/**
 * Places a point of the common frame in an asset, exactly.
 *
 * Triangles: `border` on any triangle, even if others cross it or coincide with it. `inside` if the
 * surface's winding number about the point is not 0: inside-out shells hold their inside, and
 * cavities are outside. Vertices are moved in doubles, as in `check`. Triangles without area do not
 * count.
 *
 * Cubes hold all points of their cubes, filled or not, an F-rep all points that its function
 * includes; borders are `inside`. Unlike for a verdict, a cube's upper faces count. An F-rep is
 * `undecided` if rounding is more than the function.
 *
 * @param point x, y, z in the asset's units
 * @param pose the asset's pose: 16 numbers, row-major 4x4, rigid
 * @throws OptionError for triangles that bound no solid, with an edge that shows it, and for an
 *   invalid point or pose
 * @example containsPoint(bunny, [0, 0, 0]) // 'inside'
 *          containsPoint(bunny, [0, 0, 0], translation(2, 0, 0)) // 'outside'
 */
export function containsPoint(asset: Asset, point: ArrayLike<number>, pose?: Pose): Containment {
  const placed = requirePlaced(asset, pose);
  const corner = requireThree(point, 'point');
  const target = targetIn(asset, placed);
  if (!target) return holdsPoint(asset, corner, placed);
  const reason = openEdgeOf(bodyOf(asset));
  if (reason) throw new OptionError(`containsPoint: the asset ${reason}`);
  const winding = windingAbout(target, pointAt(corner, 0));
  if (!winding || winding.isOnTriangle) return 'border';
  return winding.ahead === 0 ? 'outside' : 'inside';
}

const UNMOVED = identity();

/** For cubes and functions: a shared point is inside. */
function holdsPoint(asset: Asset, point: Float64Array, pose: Pose): Containment {
  const alone = lone(Float64Array.of(...point, ...point, ...point));
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  const { verdict } = traverse(alone, closedOperand(asset, pose), query);
  return verdict === 'contact' ? 'inside' : verdict === 'clear' ? 'outside' : 'undecided';
}
