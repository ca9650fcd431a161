/** Reads the trees that a document stores for its meshes. */
import type { Document, Mesh as DocumentMesh } from '@gltf-transform/core';
import { InputError } from '../base/errors.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { EXTENSION_NAME } from './definition.ts';
import { meshOfDocument } from './document-mesh.ts';
import type { StoredObb } from './extension.ts';
import { readStored } from './read-stored.ts';
import type { SkippedMesh } from './store-trees.ts';

/**
 * Reads the trees of a document's meshes, and compares each with its mesh's current triangles.
 *
 * @returns the trees; and the meshes whose tree is damaged or does not match
 * @example import { NodeIO } from '@gltf-transform/core';
 *          import { GicollideObb, readTrees } from 'gicollide/gltf-transform';
 *          import { Document } from '@gltf-transform/core';
 *          const { trees } = await readTrees(new Document());
 *          trees.size // 0
 */
export async function readTrees(
  document: Document,
): Promise<{ trees: Map<DocumentMesh, ObbTree>; skipped: SkippedMesh[] }> {
  const trees = new Map<DocumentMesh, ObbTree>();
  const skipped: SkippedMesh[] = [];
  for (const mesh of document.getRoot().listMeshes()) {
    const stored = mesh.getExtension<StoredObb>(EXTENSION_NAME);
    if (!stored) continue;
    try {
      trees.set(mesh, await treeOf(mesh, stored));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      skipped.push({ mesh, reason: error.message });
    }
  }
  return { trees, skipped };
}

function treeOf(mesh: DocumentMesh, stored: StoredObb): Promise<ObbTree> {
  const own = meshOfDocument(mesh);
  return readStored(stored.getBytes().slice(), stored.getSha256(), own ? [own] : []);
}
