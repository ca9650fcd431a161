/** The bounds of a moved asset: a box with the axes of the common frame, rounded outward. */
import { isIdentity, moveErrorBound, normBound, type Pose } from '../math/pose.ts';
import type { Box } from '../mesh/extent.ts';

/** Data for an asset's bounds in any pose; valid until its geometry changes. */
export interface Extent {
  /** The tree's root, as trees store bounds. */
  root: ArrayLike<number>;
  reach: number;
  /** The surface's least box in its own frame; null for a solid. */
  own: Box | null;
}

/**
 * Writes the bounds of an asset in a validated pose, six numbers at `at`.
 *
 * Two sets hold the moved surface: the moved root of its tree and the moved box of its vertices.
 * The middle of each is moved in doubles, and half its width along an axis is the sum of its edges'
 * spans there. Fewer than 64 roundings of terms no larger than the reach and the translation
 * together separate that from the exact value, and moving a vertex adds moveErrorBound.
 */
export function writeBounds({ root, reach, own }: Extent, pose: Pose, into: Float64Array, at: number): void {
  const sizes = reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  const slack = moveErrorBound(pose, reach) + 2 ** -46 * sizes + 2 ** -1000;
  const norm = normBound(pose);
  const isStill = own !== null && isIdentity(pose);
  for (let k = 0; k < 3; k++) {
    const x = pose[4 * k];
    const y = pose[4 * k + 1];
    const z = pose[4 * k + 2];
    const t = pose[4 * k + 3];
    const middle = x * root[0] + y * root[1] + z * root[2] + t;
    let half = root[3] * norm;
    for (let j = 4; j < 16; j += 4) half += root[j + 3] * Math.abs(x * root[j] + y * root[j + 1] + z * root[j + 2]);
    half = half * (1 + 2 ** -46) + slack;
    let low = middle - half;
    let high = middle + half;
    if (own) {
      const ownMiddle =
        x * (own[0] / 2 + own[3] / 2) + y * (own[1] / 2 + own[4] / 2) + z * (own[2] / 2 + own[5] / 2) + t;
      const span = Math.abs(x) * (own[3] - own[0]) + Math.abs(y) * (own[4] - own[1]) + Math.abs(z) * (own[5] - own[2]);
      const ownHalf = (span / 2) * (1 + 2 ** -46) + slack;
      low = Math.max(low, ownMiddle - ownHalf);
      high = Math.min(high, ownMiddle + ownHalf);
    }
    // An asset that does not move has no rounding.
    into[at + k] = isStill ? own[k] : low;
    into[at + 3 + k] = isStill ? own[3 + k] : high;
  }
}
