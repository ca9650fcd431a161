/**
 * gicollide for three.js: converts geometries, draws trees, checks moving objects for collisions,
 * and reads trees from a GLB. It uses the program's own copy of three.
 */
export { BoundsHelper, type BoundsOptions } from './bounds-helper.ts';
export { type FromGeometryOptions, fromBufferGeometry } from './from-geometry.ts';
export { type LiveChange, LiveChecker, type LiveOptions, type LivePair, type LiveVerdict } from './live-checker.ts';
export type { PartOptions } from './live-parts.ts';
export { GicollideObbPlugin, type ObbPluginOptions } from './obb-plugin.ts';
export { poseOf } from './pose-of.ts';
export { storedTree } from './stored-trees.ts';
export { type ToGeometryOptions, toBufferGeometry } from './to-geometry.ts';
