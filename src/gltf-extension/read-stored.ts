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
  const stored = await digestOfTriangles([asset]);
  if (stored !== digest) throw new FormatError(null, `a tree of the digest ${digest}`, `${stored}`);
  return asset;
}
