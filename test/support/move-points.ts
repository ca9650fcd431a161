/** Many points moved as verdicts have it. */
import { isIdentity, movePoint, type Pose } from '../../src/math/pose.ts';
import type { Surface } from '../../src/mesh/topology.ts';

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

/** Corners of all triangles, nine numbers each. */
export function movedCorners({ positions, triangles }: Surface, pose: Pose): Float64Array {
  const corners = new Float64Array(3 * triangles.length);
  triangles.forEach((v, c) => {
    corners.set(positions.subarray(3 * v, 3 * v + 3), 3 * c);
  });
  return movePoints(pose, corners, corners);
}
