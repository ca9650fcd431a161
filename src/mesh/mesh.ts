/**
 * An indexed triangle mesh as in a file: every triangle, in file order, nothing cleaned. Also the
 * mesh moved by any affine map: scaled, sheared, mirrored.
 */

import { MeshError } from '../base/errors.ts';
import { requireMeshArrays, tagOf } from '../base/require.ts';
import { isIdentity, isRigid, movePoint, type Pose } from '../math/pose.ts';

/** A run of consecutive triangles under one `o` or `g` name. */
export interface MeshGroup {
  kind: 'object' | 'group';
  name: string;
  /** First triangle of the run, from 0. */
  first: number;
  /** Number of triangles in the run. */
  count: number;
}

/** An indexed triangle mesh. */
export interface Mesh {
  /** x, y, z of vertex v at 3v; model units, right-handed; finite. */
  positions: Float64Array;
  /** Three vertex numbers, from 0, of triangle t at 3t; counter-clockwise from outside. */
  triangles: Uint32Array;
  /** In file order. A triangle can lie in one object run and one group run. */
  groups: MeshGroup[];
}

/** A mesh as `build` accepts it. Coordinates may be in float32, as in graphics libraries. */
export interface SourceMesh extends Omit<Mesh, 'positions'> {
  positions: Float64Array | Float32Array;
}

/** Returns the same mesh in doubles, without loss. @throws MeshError for an invalid mesh */
export function meshInDoubles(source: SourceMesh): Mesh {
  const isSingle = tagOf(source?.positions) === 'Float32Array';
  const mesh = isSingle ? { ...source, positions: Float64Array.from(source.positions) } : source;
  requireMeshArrays(mesh);
  return mesh as Mesh;
}

export const determinantOf = (m: ArrayLike<number>): number =>
  m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);

/**
 * Returns the mesh with its vertices moved, each operation in doubles and in the order of
 * `movePoint`. A mirror turns the triangles, so that they still face outward.
 *
 * @param matrix row-major 4x4, last row 0, 0, 0, 1
 * @throws MeshError if a moved coordinate is not finite
 * @returns arrays of its own; the mesh itself if the matrix is the identity
 */
export function transformMesh(mesh: Mesh, matrix: Pose): Mesh {
  if (isIdentity(matrix)) return mesh;
  const { triangles, groups } = mesh;
  const moved = transformPositions(mesh.positions, matrix);
  return { positions: moved, triangles: mirrors(matrix) ? turnedRound(triangles) : triangles, groups };
}

/** True if a row-major 4x4 matrix turns outsides into insides. */
export function mirrors(matrix: Pose): boolean {
  const largest = matrix.subarray(0, 11).reduce((most, x, k) => (k % 4 === 3 ? most : Math.max(most, Math.abs(x))), 0);
  return determinantOf(matrix.map((x) => x / largest)) < 0;
}

/** The triangles with their last two corners exchanged. */
export function turnedRound(triangles: Uint32Array): Uint32Array {
  const turned = triangles.slice();
  for (let t = 0; t < turned.length; t += 3) [turned[t + 1], turned[t + 2]] = [turned[t + 2], turned[t + 1]];
  return turned;
}

/** @throws MeshError if a moved coordinate is not finite */
export function transformPositions(positions: Float64Array, matrix: Pose): Float64Array {
  const moved = new Float64Array(positions.length);
  for (let v = 0; v < moved.length; v += 3)
    movePoint(matrix, positions[v], positions[v + 1], positions[v + 2], moved, v);
  if (!moved.every(Number.isFinite)) throw new MeshError('a matrix moves vertices beyond the range of doubles');
  return moved;
}

/**
 * Returns the scales along the axes that a rigid motion follows in the matrix: the lengths of its
 * columns, below 0 if it mirrors. Null if columns are not at right angles, or of no length.
 */
export function scalesOf(matrix: Pose): [number, number, number] | null {
  const lengths = [0, 1, 2].map((k) => lengthOf(matrix[k], matrix[4 + k], matrix[8 + k]));
  const largest = Math.max(...lengths);
  if (!(Math.min(...lengths) > 0) || !Number.isFinite(largest)) return null;
  const diagonal = [matrix[0], matrix[5], matrix[10]];
  if (determinantOf(matrix.map((x) => x / largest)) < 0) {
    // A mirror along the axes leaves nothing to turn.
    const most = diagonal.indexOf(Math.min(...diagonal));
    const isAll = diagonal.every((x) => x < 0);
    for (const k of [0, 1, 2]) if (isAll || k === most) lengths[k] = -lengths[k];
  }
  const scales = lengths as [number, number, number];
  return isRigid(unscaled(matrix, scales)) ? scales : null;
}

/** Writes the matrix with its columns divided by the scales to `out`. */
export function unscaled(matrix: Pose, scales: readonly number[], out: Pose = new Float64Array(16)): Pose {
  const [x, y, z] = scales;
  for (let i = 0; i < 12; i += 4) {
    out[i] = matrix[i] / x;
    out[i + 1] = matrix[i + 1] / y;
    out[i + 2] = matrix[i + 2] / z;
    out[i + 3] = matrix[i + 3];
  }
  for (let i = 12; i < 16; i++) out[i] = matrix[i];
  return out;
}

function lengthOf(x: number, y: number, z: number): number {
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (largest === 0) return 0;
  const [a, b, c] = [x / largest, y / largest, z / largest];
  return largest * Math.sqrt(a * a + b * b + c * c);
}

/** Multiplies the coordinates, each once rounded; shares the mesh's other arrays. */
export const scaled = (mesh: Mesh, scale: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x) => x * scale),
});
