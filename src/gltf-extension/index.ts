/**
 * gicollide for gltf-transform: stores OBB trees with the meshes of a GLB, so that loaders need not
 * build them. docs/gltf-extension.md specifies the extension, GICOLLIDE_obb.
 */

export { readTrees, type SkippedMesh, type StoreTreesOptions, storeTrees } from './document-trees.ts';
export { GicollideObb, StoredObb } from './extension.ts';
