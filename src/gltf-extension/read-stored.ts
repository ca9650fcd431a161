/** Decodes a stored tree if it matches its mesh; all loaders share this. */
import { FormatError } from '../base/errors.ts';
import { decodeObbTree } from '../representations/obb/format/codec.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { type Corners, digestOfTriangles } from './triangles-digest.ts';

/**
 * @param bytes must not be changed by anyone else
 * @param digest the triangles' digest according to the file
 * @throws FormatError for damaged bytes, and for a tree of other or changed triangles
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

/** True if the meshes, one after the other, have the triangles of the tree, corner by corner. */
function areOf(meshes: readonly Corners[], tree: Corners): boolean {
  let from = 0;
  for (const mesh of meshes) {
    for (let c = 0; c < mesh.triangles.length; c += 3) {
      // A triangle may begin with a different corner in each.
      if (!isTurned(mesh, c, tree, from + c, 0) && !isTurned(mesh, c, tree, from + c, 1)) {
        if (!isTurned(mesh, c, tree, from + c, 2)) return false;
      }
    }
    from += mesh.triangles.length;
  }
  return true;
}

/** True if corner k of one triangle is corner k + turn of the other. */
function isTurned(a: Corners, p: number, b: Corners, q: number, turn: number): boolean {
  for (let k = 0; k < 3; k++) {
    const v = 3 * a.triangles[p + k];
    const w = 3 * b.triangles[q + ((k + turn) % 3)];
    for (let i = 0; i < 3; i++) if (a.positions[v + i] !== b.positions[w + i]) return false;
  }
  return true;
}
