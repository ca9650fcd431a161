/** What questions about one asset demand of what somebody hands in. */

import { requireThat } from '../base/require.ts';
import { derived } from '../engine/asset-cache.ts';
import { hullLoader } from '../engine/narrow-phase.ts';
import { isOfTriangles, operandOf } from '../engine/operand.ts';
import type { Asset } from '../engine/representation.ts';
import type { Operand } from '../engine/traverse.ts';
import { identity, isSamePose, type Pose, validatePose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { type Target, targetOf } from './ray-walk.ts';

const UNMOVED = identity();

/** @throws OptionError for an asset that is not in memory, and for an invalid pose */
export function requirePlaced(asset: Asset, pose: Pose | undefined): Pose {
  requireInMemory(asset);
  return pose === undefined ? UNMOVED : validatePose(pose, 'pose');
}

export function requireInMemory(asset: Asset): void {
  const isAsset = typeof asset === 'object' && asset !== null && typeof asset.representation === 'string';
  requireThat(isAsset && !('isOnDemand' in asset), 'asset', 'one that was built or read', asset);
}

/** @throws OptionError unless it is three finite numbers */
export function requireThree(numbers: ArrayLike<number>, what: string): Float64Array {
  const isThree = typeof numbers === 'object' && numbers !== null && numbers.length === 3;
  const areFinite =
    isThree && Number.isFinite(numbers[0]) && Number.isFinite(numbers[1]) && Number.isFinite(numbers[2]);
  requireThat(areFinite, what, 'three finite numbers', numbers);
  return Float64Array.of(numbers[0], numbers[1], numbers[2]);
}

/** Each asset in its last pose: most questions repeat it. */
const targets = /* @__PURE__ */ derived<Asset, Target>();

/** Null for assets without triangles. Keeps `pose`, which must be valid: don't write to it. */
export function targetIn(asset: Asset, pose: Pose): Target | null {
  const known = targets.get(asset);
  if (known && isSamePose(known.pose, pose)) return known;
  if (!isOfTriangles(asset)) return null;
  const target = targetOf(operandOf(asset, pose), pose);
  targets.set(asset, target);
  return target;
}

/** For cubes: all faces, which a verdict takes half-open. */
export function closedOperand(asset: Asset, pose: Pose): Operand {
  const operand = operandOf(asset, pose);
  const closedHull = representationOf(asset).own?.closedHull;
  return closedHull ? { ...operand, load: hullLoader((id, out) => closedHull(asset, id, out), pose) } : operand;
}
