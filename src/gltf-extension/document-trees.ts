/**
 * Builds the trees of a gltf-transform document's meshes, stores them with the meshes, and reads
 * them. A mesh counts with all its primitives that have triangles.
 */
import type { Accessor, Document, Mesh as DocumentMesh } from '@gltf-transform/core';
import { InputError, MeshError } from '../base/errors.ts';
import { requireOptionTypes } from '../base/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { DIVISORS } from '../readers/gltf/accessors.ts';
import { meshOf, pointsOf, type Surface, TRIANGLES } from '../readers/gltf/mesh.ts';
import { encodeObbTree } from '../representations/obb/format.ts';
import { buildObbTree } from '../representations/obb/make/index.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { WIDE_BYTES } from '../representations/obb/tree/wide-node.ts';
import { GicollideObb, type StoredObb } from './extension.ts';
import { type Corners, digestOfTriangles, EXTENSION_NAME, readStored } from './stored-tree.ts';

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
  const views = viewsOf(mesh);
  const own = views ? null : meshOfDocument(mesh);
  return readStored(stored.getBytes().slice(), stored.getSha256(), views ?? (own ? [own] : []));
}

/** The primitives' own arrays, if all are triangles of floats with an index; otherwise null. */
function viewsOf(mesh: DocumentMesh): Corners[] | null {
  const views: Corners[] = [];
  for (const primitive of mesh.listPrimitives()) {
    const positions = primitive.getAttribute('POSITION')?.getArray();
    const triangles = primitive.getIndices()?.getArray();
    const isPlain = primitive.getMode() === TRIANGLES && primitive.listTargets().length === 0;
    if (!isPlain || !(positions instanceof Float32Array) || !triangles || triangles.length % 3 !== 0) return null;
    views.push({ positions, triangles });
  }
  return views;
}

/** Null without triangles. @throws MeshError for morph targets; FormatError for bad numbers */
function meshOfDocument(mesh: DocumentMesh): Mesh | null {
  const surfaces: Surface[] = [];
  for (const [k, primitive] of mesh.listPrimitives().entries()) {
    if (primitive.getMode() < TRIANGLES) continue;
    if (primitive.listTargets().length > 0) throw new MeshError('expected one shape, found morph targets');
    const positions = primitive.getAttribute('POSITION');
    if (!positions) continue;
    const path = ['primitives', k];
    surfaces.push({
      path,
      name: mesh.getName(),
      mode: primitive.getMode(),
      points: pointsOf([...path, 'POSITION'], numbersOf(positions), divisorOf(positions)),
      indices: primitive.getIndices() && numbersOf(primitive.getIndices()!),
    });
  }
  const made = surfaces.length > 0 ? meshOf(surfaces) : null;
  return made && made.triangles.length > 0 ? made : null;
}

const numbersOf = (accessor: Accessor): Surface['points']['numbers'] =>
  (accessor.getArray() ?? new Float32Array(0)) as Surface['points']['numbers'];

const divisorOf = (accessor: Accessor): number =>
  accessor.getNormalized() ? (DIVISORS[accessor.getComponentType()] ?? 0) : 0;
