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
  if (own !== null && isIdentity(pose)) {
    // An asset that does not move has no rounding.
    for (let k = 0; k < 6; k++) into[at + k] = own[k];
    return;
  }
  const sizes = reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  const slack = moveErrorBound(pose, reach) + 2 ** -46 * sizes + 2 ** -1000;
  const radius = root[3] > 0 ? root[3] * normBound(pose) : 0;
  for (let k = 0; k < 3; k++) {
    const x = pose[4 * k];
    const y = pose[4 * k + 1];
    const z = pose[4 * k + 2];
    const middle = x * root[0] + y * root[1] + z * root[2] + pose[4 * k + 3];
    const first = root[7] * Math.abs(x * root[4] + y * root[5] + z * root[6]);
    const second = root[11] * Math.abs(x * root[8] + y * root[9] + z * root[10]);
    const third = root[15] * Math.abs(x * root[12] + y * root[13] + z * root[14]);
    const half = (radius + first + second + third) * (1 + 2 ** -46) + slack;
    into[at + k] = middle - half;
    into[at + 3 + k] = middle + half;
  }
  if (own !== null) narrow(own, pose, slack, into, at);
}

/** Intersects the box at `at` with the box around the moved box of the vertices. */
function narrow(own: Box, pose: Pose, slack: number, into: Float64Array, at: number): void {
  const middleX = own[0] / 2 + own[3] / 2;
  const middleY = own[1] / 2 + own[4] / 2;
  const middleZ = own[2] / 2 + own[5] / 2;
  const sizeX = own[3] - own[0];
  const sizeY = own[4] - own[1];
  const sizeZ = own[5] - own[2];
  for (let k = 0; k < 3; k++) {
    const x = pose[4 * k];
    const y = pose[4 * k + 1];
    const z = pose[4 * k + 2];
    const middle = x * middleX + y * middleY + z * middleZ + pose[4 * k + 3];
    const size = Math.abs(x) * sizeX + Math.abs(y) * sizeY + Math.abs(z) * sizeZ;
    const half = (size / 2) * (1 + 2 ** -46) + slack;
    into[at + k] = Math.max(into[at + k], middle - half);
    into[at + 3 + k] = Math.min(into[at + 3 + k], middle + half);
  }
}

/** The middle of a box that holds an asset in its own frame, and half its sizes, rounded up. */
export function middleBoxOf({ root, own }: Extent): Float64Array {
  const box = new Float64Array(6);
  for (let k = 0; k < 3; k++) {
    box[k] = own ? own[k] / 2 + own[k + 3] / 2 : root[k];
    let half = own ? own[k + 3] / 2 - own[k] / 2 : root[3];
    if (!own) for (let j = 4; j < 16; j += 4) half += root[j + 3] * Math.abs(root[j + k]);
    box[k + 3] = half * (1 + 2 ** -46) + Math.abs(box[k]) * 2 ** -46 + 2 ** -1000;
  }
  return box;
}
