/** Assets of triangles as targets of questions about points and rays, in their last pose. */

import { OptionError } from '../base/errors.ts';
import { requireThat, shown } from '../base/require.ts';
import { derived } from '../engine/asset-cache.ts';
import { isOfTriangles, operandOf } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import { identity, isSamePose, type Pose, validatePose } from '../math/pose.ts';
import { PointSearch } from './search/kernel.ts';
import { type Target, targetOf } from './walk.ts';

export const UNMOVED = identity();

/** @throws OptionError for an asset that is not in memory, and for an invalid pose */
export function requirePlaced(asset: Asset, pose: ArrayLike<number> | undefined): Pose {
  requireInMemory(asset);
  return pose === undefined ? UNMOVED : validatePose(pose, 'pose');
}

export function requireInMemory(asset: Asset): void {
  const isAsset = typeof asset === 'object' && asset !== null && typeof asset.representation === 'string';
  requireThat(isAsset && !('isOnDemand' in asset), 'asset', 'an asset from build or read', asset);
}

/** @throws OptionError unless it is three finite numbers */
export function requireThree(numbers: ArrayLike<number>, what: string): void {
  const isThree = typeof numbers === 'object' && numbers !== null && numbers.length === 3;
  const areFinite =
    isThree && Number.isFinite(numbers[0]) && Number.isFinite(numbers[1]) && Number.isFinite(numbers[2]);
  requireThat(areFinite, what, 'three finite numbers', numbers);
}

/**
 * Returns the number of triples.
 *
 * @throws OptionError unless all numbers are finite
 */
export function requireThrees(numbers: ArrayLike<number>, what: string): number {
  const isList = typeof numbers === 'object' && numbers !== null && numbers.length >= 0 && numbers.length % 3 === 0;
  requireThat(isList, what, 'a list of three numbers each', numbers);
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i])) continue;
    throw new OptionError(
      `${what}: expected finite numbers, found ${shown(numbers[i])} in number ${Math.floor(i / 3)}`,
    );
  }
  return numbers.length / 3;
}

/** An asset in a pose, with its tree for the kernel, which is the same in all poses. */
export interface Placed extends Target {
  search: PointSearch;
}

/** Each asset in its last pose: most questions repeat it. */
const targets = /* @__PURE__ */ derived<Asset, Placed>(({ search }) => search.forget());

/** Null for assets without triangles. Keeps `pose`, which must be valid: don't write to it. */
export function targetIn(asset: Asset, pose: Pose): Placed | null {
  const known = targets.get(asset);
  if (known && (known.pose === pose || isSamePose(known.pose, pose))) return known;
  if (!isOfTriangles(asset)) return null;
  const search = known?.search ?? new PointSearch();
  const target = { ...targetOf(operandOf(asset, pose), pose), search };
  targets.set(asset, target);
  return target;
}
