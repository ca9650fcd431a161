/** Is a point in a solid? */
import { pointAt } from '../geometry/exact-point.ts';
import { OptionError } from '../math/errors.ts';
import { identity, type Pose } from '../math/pose.ts';
import type { Asset } from '../query/representation.ts';
import { traverse } from '../query/traverse.ts';
import { closedOperand, requirePlaced, requireThree, targetIn } from './door.ts';
import { lone } from './lone.ts';
import { bodyOf, openEdgeOf } from './solid.ts';
import { windingAbout } from './winding.ts';

/** Where a point is; `undecided` of F-reps alone. */
export type Containment = 'inside' | 'outside' | 'border' | 'undecided';

/**
 * Whether a point of the common frame is in an asset: exact.
 *
 * Triangles: `border` on any triangle, also where others cross it or lie in the same place.
 * `inside` where the surface winds about the point another number of times than 0: inside-out
 * shells hold what is in them, and cavities are outside. Vertices are moved in doubles, as `check`
 * moves them. Triangles without area count for nothing.
 *
 * Cubes hold all points of their cubes, filled or not, an F-rep all points where its function says
 * so: their borders are `inside`. All faces of a cube count, its upper ones too, which a verdict
 * leaves to the next cube. An F-rep is `undecided` where rounding is more than the function.
 *
 * @param point x, y, z in the asset's units
 * @param pose 16 numbers, row-major 4x4, rigid; where the asset stands
 * @throws OptionError for triangles that bound no solid, with an edge at which they do not, and for
 *   what is no point or no pose
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

/** What a point shares with a set of cubes or with a function's solid it is in. */
function holdsPoint(asset: Asset, point: Float64Array, pose: Pose): Containment {
  const alone = lone(Float64Array.of(...point, ...point, ...point));
  const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
  const { verdict } = traverse(alone, closedOperand(asset, pose), query);
  return verdict === 'contact' ? 'inside' : verdict === 'clear' ? 'outside' : 'undecided';
}
