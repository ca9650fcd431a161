/** What questions about one asset demand of what somebody hands in. */
import { OptionError } from '../math/errors.ts';
import { identity, type Pose, validatePose } from '../math/pose.ts';
import { requireOptionTypes, requireThat } from '../math/require.ts';
import type { Asset } from '../query/representation.ts';
import { isOfTriangles } from '../representations/operand.ts';

const UNMOVED = identity();

/** @throws OptionError for an asset that is not in memory, and for what is no pose */
export function requirePlaced(asset: Asset, pose: Pose = UNMOVED): Pose {
  requireInMemory(asset);
  return validatePose(pose, 'pose');
}

export function requireInMemory(asset: Asset): void {
  const isAsset = typeof asset === 'object' && asset !== null && typeof asset.representation === 'string';
  requireThat(isAsset && !('isOnDemand' in asset), 'asset', 'one that was built or read', asset);
}

/** @throws OptionError for what are not three finite numbers */
export function requireThree(numbers: ArrayLike<number>, what: string): Float64Array {
  const isThree = typeof numbers === 'object' && numbers !== null && numbers.length === 3;
  requireThat(isThree && Array.from(numbers).every(Number.isFinite), what, 'three finite numbers', numbers);
  return Float64Array.from(numbers);
}

/** Options of a question; a pose is 16 numbers. */
export const requireQuestion = (options: object, types: Parameters<typeof requireOptionTypes>[1]): void =>
  requireOptionTypes(options, { pose: 'numbers', ...types });

/** @throws OptionError "<verb>: ..." for what is not made of triangles */
export function requireTriangular(verb: string, asset: Asset, instead: string): void {
  if (isOfTriangles(asset)) return;
  throw new OptionError(`${verb}: of triangles only, found ${asset.representation}; ${instead}`);
}
