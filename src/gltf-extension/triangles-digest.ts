/**
 * Computes a digest of triangles that doesn't depend on how a file stores them. Vertices may be
 * renumbered, shared, interleaved or compressed, and a triangle may begin with any of its corners,
 * as with meshopt. The digest depends on the coordinates, the order of the triangles, and each
 * triangle's sense of rotation.
 */
import { sha256 } from '../containers/hash.ts';

export interface Corners {
  positions: ArrayLike<number>;
  triangles: ArrayLike<number>;
}

/**
 * Returns the SHA-256, in hexadecimal digits, of all triangles, mesh after mesh. Each triangle
 * contributes nine binary64 numbers, little-endian: x, y, z of its corners. The lexicographically
 * least of its three rotations counts; -0 is 0.
 */
export function digestOfTriangles(meshes: readonly Corners[]): Promise<string> {
  const bytes = new Uint8Array(24 * meshes.reduce((sum, { triangles }) => sum + triangles.length, 0));
  let at = 0;
  for (const mesh of meshes) at = writeCorners(mesh, new DataView(bytes.buffer), at);
  return sha256(bytes);
}

/** Writes all triangles of a mesh; returns where the next mesh begins. */
function writeCorners({ positions, triangles }: Corners, view: DataView, start: number): number {
  const corners = new Float64Array(9);
  let at = start;
  for (let c = 0; c < triangles.length; c += 3) {
    // Adding 0 turns -0 into 0.
    for (let i = 0; i < 9; i++) corners[i] = positions[3 * triangles[c + Math.floor(i / 3)] + (i % 3)] + 0;
    const first = 3 * firstOf(corners);
    for (let i = 0; i < 9; i++, at += 8) view.setFloat64(at, corners[(first + i) % 9], true);
  }
  return at;
}

/** Returns the corner with which the triangle's least rotation begins. */
function firstOf(corners: Float64Array): number {
  let best = 0;
  for (let corner = 1; corner < 3; corner++) {
    for (let i = 0; i < 9; i++) {
      const difference = corners[(3 * corner + i) % 9] - corners[(3 * best + i) % 9];
      if (difference > 0) break;
      if (difference === 0) continue;
      best = corner;
      break;
    }
  }
  return best;
}
