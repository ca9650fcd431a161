/**
 * A digest of triangles that is the same however a file writes them: vertices may be numbered,
 * shared, interleaved or compressed otherwise, and a triangle may begin with any of its corners, as
 * meshopt has them. It changes with a coordinate, with the order of the triangles, and with a
 * triangle's sense of rotation.
 */
import { sha256 } from '../containers/hash.ts';

/** Triangles of an indexed mesh, or of a tree. */
export interface Corners {
  positions: ArrayLike<number>;
  triangles: ArrayLike<number>;
}

/**
 * SHA-256, in hexadecimal digits, of all triangles, mesh after mesh: nine binary64 numbers a
 * triangle, little-endian, x, y, z of its corners. Of the three rotations of a triangle the one
 * counts whose numbers come first, compared one after the other; -0 is 0.
 */
export function digestOfTriangles(meshes: readonly Corners[]): Promise<string> {
  const bytes = new Uint8Array(24 * meshes.reduce((sum, { triangles }) => sum + triangles.length, 0));
  let at = 0;
  for (const mesh of meshes) at = writeCorners(mesh, new DataView(bytes.buffer), at);
  return sha256(bytes);
}

/** Writes all triangles of a mesh; returns where the next begins. */
function writeCorners({ positions, triangles }: Corners, view: DataView, start: number): number {
  const corners = new Float64Array(9);
  let at = start;
  for (let c = 0; c < triangles.length; c += 3) {
    // 0 is added to make 0 of -0.
    for (let i = 0; i < 9; i++) corners[i] = positions[3 * triangles[c + Math.floor(i / 3)] + (i % 3)] + 0;
    const first = 3 * firstOf(corners);
    for (let i = 0; i < 9; i++, at += 8) view.setFloat64(at, corners[(first + i) % 9], true);
  }
  return at;
}

/** The corner that a triangle's least rotation begins with. */
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
