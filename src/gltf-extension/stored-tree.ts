/**
 * Decodes a stored tree if it matches its mesh; all loaders share this. docs/gltf-extension.md
 * specifies the glTF extension that stores it, and the digest of its triangles.
 */
import { FormatError } from '../base/errors.ts';
import { sha256 } from '../containers/hash.ts';
import type { StoredMesh } from '../containers/mesh-sections.ts';
import { decodeObbTree } from '../representations/obb/format.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';

/**
 * Proves that the tree has the mesh's triangles, corner by corner. A digest costs ten times as much
 * and only tells why that failed.
 *
 * @param bytes must not be changed by anyone else
 * @param digest the triangles' digest according to the file
 * @throws FormatError for damaged bytes, and for a tree of other or changed triangles
 */
export async function readStored(bytes: Uint8Array, digest: string, mesh: readonly Corners[]): Promise<ObbTree> {
  const { asset } = await decodeObbTree(bytes, undefined, { take: true });
  const count = mesh.reduce((sum, { triangles }) => sum + triangles.length, 0);
  if (count === asset.triangles.length && areOf(mesh, asset)) return asset;
  const own = await digestOfTriangles(mesh);
  if (own !== digest) throw new FormatError(null, `triangles of the digest ${digest}`, `${own}: the mesh was changed`);
  throw new FormatError(null, "a tree of the mesh's triangles", 'a tree of other triangles');
}

/** True if the meshes, one after the other, have the triangles of the tree, corner by corner. */
function areOf(meshes: readonly Corners[], tree: StoredMesh): boolean {
  let from = 0;
  for (const mesh of meshes) {
    const { triangles } = mesh;
    /** Vertex of the tree, plus 1, that was found equal to a vertex of the mesh. */
    const equal = new Int32Array(mesh.positions.length / 3);
    for (let c = 0; c < triangles.length; c += 3) {
      // A triangle may begin with a different corner in each.
      let turn = 0;
      while (turn < 3 && !isTurned(mesh, c, tree, from + c, turn, equal)) turn++;
      if (turn === 3) return false;
    }
    from += triangles.length;
  }
  return true;
}

/** True if corner k of one triangle is corner k + turn of the other. */
function isTurned(a: Corners, p: number, b: StoredMesh, q: number, turn: number, equal: Int32Array): boolean {
  for (let k = 0; k < 3; k++) {
    const v = a.triangles[p + k];
    const w = b.triangles[q + (k + turn < 3 ? k + turn : k + turn - 3)];
    if (equal[v] === w + 1) continue;
    for (let i = 0; i < 3; i++) if (a.positions[3 * v + i] !== b.positions[3 * w + i]) return false;
    equal[v] = w + 1;
  }
  return true;
}

export const EXTENSION_NAME = 'GICOLLIDE_obb';

/** The JSON object under the extension's name at a mesh. */
export interface StoredTreeJson {
  /** The buffer view with the bytes of an `.obb` file. */
  bufferView: number;
  /** Digest of the tree's triangles; see `digestOfTriangles`. */
  sha256: string;
}

/*
 * Computes a digest of triangles that doesn't depend on how a file stores them. Vertices may be
 * renumbered, shared, interleaved or compressed, and a triangle may begin with any of its corners,
 * as with meshopt. The digest depends on the coordinates, the order of the triangles, and each
 * triangle's sense of rotation.
 */

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
