/** A stored tree, if it is the mesh's: what loaders share. */
import { FormatError } from '../math/errors.ts';
import { decodeObbTree } from '../representations/obb/format/codec.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { type Corners, digestOfTriangles } from './triangles-digest.ts';

/**
 * Decodes the tree that a file has stored for a mesh.
 *
 * @param bytes nobody else may change them
 * @param digest what the file says that the triangles' is
 * @param mesh the triangles of its primitives, as they are now
 * @throws FormatError for bytes that are no whole OBB tree, for a mesh that was changed since the
 *   tree was stored, and for a tree of other triangles
 */
export async function readStored(bytes: Uint8Array, digest: string, mesh: readonly Corners[]): Promise<ObbTree> {
  const own = await digestOfTriangles(mesh);
  if (own !== digest) throw new FormatError(null, `triangles of the digest ${digest}`, `${own}: the mesh was changed`);
  const { asset } = await decodeObbTree(bytes, undefined, { take: true });
  const count = mesh.reduce((sum, { triangles }) => sum + triangles.length, 0);
  const isWhole = count === asset.triangles.length && areOf(mesh, asset);
  if (!isWhole) throw new FormatError(null, "a tree of the mesh's triangles", 'one of others');
  return asset;
}

/** Whether the triangles of some meshes, one after the other, are those of a tree, corner by corner. */
function areOf(meshes: readonly Corners[], tree: Corners): boolean {
  let from = 0;
  for (const mesh of meshes) {
    for (let c = 0; c < mesh.triangles.length; c += 3) {
      // A triangle may begin with another corner in each.
      if (!isTurned(mesh, c, tree, from + c, 0) && !isTurned(mesh, c, tree, from + c, 1)) {
        if (!isTurned(mesh, c, tree, from + c, 2)) return false;
      }
    }
    from += mesh.triangles.length;
  }
  return true;
}

/** Whether corner k of one triangle is corner k + turn of the other. */
function isTurned(a: Corners, p: number, b: Corners, q: number, turn: number): boolean {
  for (let k = 0; k < 3; k++) {
    const v = 3 * a.triangles[p + k];
    const w = 3 * b.triangles[q + ((k + turn) % 3)];
    for (let i = 0; i < 3; i++) if (a.positions[v + i] !== b.positions[w + i]) return false;
  }
  return true;
}
