/** A mesh moved by any affine map: scaled, sheared, mirrored. */
import { isIdentity, movePoint, type Pose } from '../math/pose.ts';
import type { Mesh } from './mesh.ts';

/** The determinant of the linear part of a row-major 4x4 matrix. */
export const determinantOf = (m: ArrayLike<number>): number =>
  m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);

/**
 * The mesh with its vertices moved, each operation in doubles and in the order of `movePoint`. A
 * mirror turns the triangles round, so that they go on facing outward.
 *
 * @param matrix row-major 4x4, last row 0, 0, 0, 1
 * @returns arrays of its own; the mesh itself where the matrix moves nothing
 */
export function transformMesh(mesh: Mesh, matrix: Pose): Mesh {
  if (isIdentity(matrix)) return mesh;
  const { positions, triangles, groups } = mesh;
  const moved = new Float64Array(positions.length);
  for (let v = 0; v < moved.length; v += 3)
    movePoint(matrix, positions[v], positions[v + 1], positions[v + 2], moved, v);
  const largest = matrix.subarray(0, 11).reduce((most, x, k) => (k % 4 === 3 ? most : Math.max(most, Math.abs(x))), 0);
  if (!(determinantOf(matrix.map((x) => x / largest)) < 0)) return { positions: moved, triangles, groups };
  const turned = triangles.slice();
  for (let t = 0; t < turned.length; t += 3) [turned[t + 1], turned[t + 2]] = [turned[t + 2], turned[t + 1]];
  return { positions: moved, triangles: turned, groups };
}
