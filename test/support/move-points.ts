/** Many points moved as verdicts have it. */
import { isIdentity, movePoint, type Pose } from '../../src/math/pose.ts';

/**
 * Moves flat xyz triplets into `out`, which may be `positions` itself and is returned. The identity
 * copies them.
 */
export function movePoints(pose: Pose, positions: Float64Array, out: Float64Array): Float64Array {
  if (isIdentity(pose)) out.set(positions);
  else
    for (let i = 0; i < positions.length; i += 3)
      movePoint(pose, positions[i], positions[i + 1], positions[i + 2], out, i);
  return out;
}
