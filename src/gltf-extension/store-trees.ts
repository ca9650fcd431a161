/** Builds the trees of a document's meshes and stores them with the meshes. */
import type { Document, Mesh as DocumentMesh } from '@gltf-transform/core';
import { InputError } from '../base/errors.ts';
import { requireOptionTypes } from '../base/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { buildObbTree } from '../representations/obb/build/index.ts';
import { encodeObbTree } from '../representations/obb/format/codec.ts';
import { WIDE_BYTES } from '../representations/obb/tree/wide-node.ts';
import { EXTENSION_NAME } from './definition.ts';
import { meshOfDocument } from './document-mesh.ts';
import { GicollideObb } from './extension.ts';
import { digestOfTriangles } from './triangles-digest.ts';

export interface StoreTreesOptions {
  /** As for `build`; 64, the fastest for queries, unless given. */
  nodeBytes?: number;
  /** Selects the meshes; all unless given. */
  isWanted?: (mesh: DocumentMesh) => boolean;
}

/** A mesh that has no tree, and the reason in one line. */
export interface SkippedMesh {
  mesh: DocumentMesh;
  reason: string;
}

/**
 * Builds an OBB tree of each mesh and stores it with the mesh, replacing an earlier one. Do this
 * last: if a triangle changes afterwards, readers reject the tree.
 *
 * @returns the meshes that have a tree now; and those without one, since they have no triangles, or
 *   morph targets or bones change them
 * @throws OptionError for node sizes that do not exist
 * @example import { Document } from '@gltf-transform/core';
 *          import { storeTrees } from 'gicollide/gltf-transform';
 *          const document = new Document(); // or await io.read('model.glb')
 *          document.createBuffer();
 *          const { stored, skipped } = await storeTrees(document);
 *          stored.length // 0
 */
export async function storeTrees(
  document: Document,
  options: StoreTreesOptions = {},
): Promise<{ stored: DocumentMesh[]; skipped: SkippedMesh[] }> {
  requireOptionTypes(options, { nodeBytes: 'number', isWanted: 'function' });
  const { nodeBytes = WIDE_BYTES, isWanted = () => true } = options;
  const extension = document.createExtension(GicollideObb);
  const root = document.getRoot();
  if (root.listBuffers().length === 0) document.createBuffer();
  const skinned = new Set(root.listNodes().flatMap((node) => (node.getSkin() ? (node.getMesh() ?? []) : [])));
  const stored: DocumentMesh[] = [];
  const skipped: SkippedMesh[] = [];
  for (const mesh of root.listMeshes().filter(isWanted)) {
    const made = skinned.has(mesh) ? 'expected one shape, found bones' : triangulated(mesh);
    if (typeof made === 'string') {
      mesh.setExtension(EXTENSION_NAME, null);
      skipped.push({ mesh, reason: made });
      continue;
    }
    const bytes = await encodeObbTree(buildObbTree(made, { nodeBytes, units: 'm' }));
    mesh.setExtension(
      EXTENSION_NAME,
      extension
        .createTree()
        .setBytes(bytes)
        .setSha256(await digestOfTriangles([made])),
    );
    stored.push(mesh);
  }
  return { stored, skipped };
}

function triangulated(mesh: DocumentMesh): Mesh | string {
  try {
    return meshOfDocument(mesh) ?? 'expected triangles, found none';
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
