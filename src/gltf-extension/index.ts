/**
 * gicollide for gltf-transform: stores OBB trees with the meshes of a GLB, so that loaders need not
 * build them. docs/gltf-extension.md specifies the extension, GICOLLIDE_obb.
 */
export { GicollideObb, StoredObb } from './extension.ts';
export { readTrees } from './read-trees.ts';
export { type SkippedMesh, type StoreTreesOptions, storeTrees } from './store-trees.ts';
