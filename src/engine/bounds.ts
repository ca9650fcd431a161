/** Axis-aligned boxes of posed assets in the common frame, rounded outward. */
import { UNMOVED, validatePose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { derived } from './asset-cache.ts';
import { type Extent, writeBounds } from './extent.ts';
import { sideOf } from './operand.ts';
import type { Asset } from './representation.ts';

/** The lowest and the highest corner: x, y, z, in the asset's units. */
export interface Bounds {
  low: number[];
  high: number[];
}

/**
 * Returns an axis-aligned box in the common frame that holds an asset moved by its pose: all
 * vertices of a stored surface, all points of a solid.
 *
 * @param pose rigid: 16 numbers, row-major 4x4; 12 without the last row; or x y z qx qy qz qw
 * @throws OptionError for an invalid pose
 * @example const { low, high } = boundsOf(bunny, translation(2, 0, 0));
 *          high[0] - low[0] < 1.1 // true
 */
export function boundsOf(asset: Asset, pose: ArrayLike<number> = UNMOVED): Bounds {
  const box = new Float64Array(6);
  writeBounds(extentOf(asset), validatePose(pose, 'pose'), box, 0);
  return { low: Array.from(box.subarray(0, 3)), high: Array.from(box.subarray(3)) };
}

const extents = /* @__PURE__ */ derived<Asset, Extent>();

export function extentOf(asset: Asset): Extent {
  let known = extents.get(asset);
  if (!known) {
    const { tree, reach } = sideOf(asset);
    known = { root: tree.bounds.slice(0, 16), reach, own: representationOf(asset).own?.box?.(asset) ?? null };
    extents.set(asset, known);
  }
  return known;
}
