/** One side's triangle moved by its pose, kept while the same one is requested. */
import type { StoredMesh } from '../containers/mesh-sections.ts';
import { isIdentity, movePoint, type Pose } from '../math/pose.ts';

export interface MovedTriangle {
  readonly corners: Float64Array;
  number: number;
  pose: Pose;
  moves: boolean;
}

export function createMovedTriangle(): MovedTriangle {
  return { corners: new Float64Array(9), number: -1, pose: new Float64Array(16), moves: false };
}

export function beginQuery(side: MovedTriangle, pose: Pose): void {
  side.number = -1;
  side.pose = pose;
  side.moves = !isIdentity(pose);
}

/** Leaves triangle `number` of the mesh, moved, in `side.corners`. */
export function loadTriangle(side: MovedTriangle, { positions, triangles }: StoredMesh, number: number): void {
  if (side.number === number) return;
  side.number = number;
  const { corners } = side;
  for (let k = 0; k < 3; k++) {
    const v = 3 * triangles[3 * number + k];
    if (side.moves) movePoint(side.pose, positions[v], positions[v + 1], positions[v + 2], corners, 3 * k);
    else {
      corners[3 * k] = positions[v];
      corners[3 * k + 1] = positions[v + 1];
      corners[3 * k + 2] = positions[v + 2];
    }
  }
}
