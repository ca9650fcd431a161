/**
 * gicollide for gltf-transform: OBB trees that are stored with the meshes of a GLB, as the extension
 * GICOLLIDE_obb, so that who loads it builds none. docs/gltf-extension.md specifies it.
 */
export { GicollideObb, StoredObb } from './extension.ts';
export { readTrees } from './read-trees.ts';
export { type SkippedMesh, type StoreTreesOptions, storeTrees } from './store-trees.ts';
