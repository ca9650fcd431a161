/** A mesh moved by any affine map: scaled, sheared, mirrored. */
import { MeshError } from '../math/errors.ts';
import { isIdentity, isRigid, movePoint, type Pose } from '../math/pose.ts';
import type { Mesh } from './mesh.ts';

/** The determinant of the linear part of a row-major 4x4 matrix. */
export const determinantOf = (m: ArrayLike<number>): number =>
  m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);

/**
 * The mesh with its vertices moved, each operation in doubles and in the order of `movePoint`. A
 * mirror turns the triangles round, so that they go on facing outward.
 *
 * @param matrix row-major 4x4, last row 0, 0, 0, 1
 * @throws MeshError where a coordinate is not finite then
 * @returns arrays of its own; the mesh itself where the matrix moves nothing
 */
export function transformMesh(mesh: Mesh, matrix: Pose): Mesh {
  if (isIdentity(matrix)) return mesh;
  const { triangles, groups } = mesh;
  const moved = transformPositions(mesh.positions, matrix);
  const largest = matrix.subarray(0, 11).reduce((most, x, k) => (k % 4 === 3 ? most : Math.max(most, Math.abs(x))), 0);
  if (!(determinantOf(matrix.map((x) => x / largest)) < 0)) return { positions: moved, triangles, groups };
  const turned = triangles.slice();
  for (let t = 0; t < turned.length; t += 3) [turned[t + 1], turned[t + 2]] = [turned[t + 2], turned[t + 1]];
  return { positions: moved, triangles: turned, groups };
}

/**
 * The vertices of `transformMesh`.
 *
 * @throws MeshError where a coordinate is not finite then
 */
export function transformPositions(positions: Float64Array, matrix: Pose): Float64Array {
  const moved = new Float64Array(positions.length);
  for (let v = 0; v < moved.length; v += 3)
    movePoint(matrix, positions[v], positions[v + 1], positions[v + 2], moved, v);
  if (!moved.every(Number.isFinite)) throw new MeshError('a matrix moves vertices beyond what doubles hold');
  return moved;
}

/**
 * Factors along the axes after which a rigid motion makes the matrix: the lengths of its columns,
 * below 0 where it mirrors. Null where columns are not at right angles, or of no length.
 *
 * @example scalesOf(Float64Array.of(2, 0, 0, 1, 0, 0, -3, 0, 0, 4, 0, 0, 0, 0, 0, 1)) // [2, 4, 3]
 */
export function scalesOf(matrix: Pose): [number, number, number] | null {
  const lengths = [0, 1, 2].map((k) => lengthOf(matrix[k], matrix[4 + k], matrix[8 + k]));
  const largest = Math.max(...lengths);
  if (!(Math.min(...lengths) > 0) || !Number.isFinite(largest)) return null;
  const diagonal = [matrix[0], matrix[5], matrix[10]];
  if (determinantOf(matrix.map((x) => x / largest)) < 0) {
    // Of a mirror along the axes nothing is left to turn.
    const most = diagonal.indexOf(Math.min(...diagonal));
    const isAll = diagonal.every((x) => x < 0);
    for (const k of [0, 1, 2]) if (isAll || k === most) lengths[k] = -lengths[k];
  }
  const scales = lengths as [number, number, number];
  return isRigid(unscaled(matrix, scales)) ? scales : null;
}

/** What is left to do after the scales: the matrix with its columns divided by them, in `out`. */
export function unscaled(matrix: Pose, scales: readonly number[], out: Pose = new Float64Array(16)): Pose {
  for (let i = 0; i < 16; i++) out[i] = i % 4 === 3 || i >= 12 ? matrix[i] : matrix[i] / scales[i % 4];
  return out;
}

function lengthOf(x: number, y: number, z: number): number {
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest === 0) return 0;
  const [a, b, c] = [x / largest, y / largest, z / largest];
  return largest * Math.sqrt(a * a + b * b + c * c);
}

/** The mesh with its coordinates multiplied, each once rounded; its other arrays are the mesh's. */
export const scaled = (mesh: Mesh, scale: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => x * scale),
});
