/**
 * gicollide for three.js: geometries to meshes and back, trees to look at, objects that are asked
 * about while they move, and trees that come with a GLB. It uses the copy of three that the program
 * has.
 */
export { BoundsHelper, type BoundsOptions } from './bounds-helper.ts';
export { type FromGeometryOptions, fromBufferGeometry } from './from-geometry.ts';
export { type LiveChange, LiveChecker, type LiveOptions, type LivePair, type LiveVerdict } from './live-checker.ts';
export type { PartOptions } from './live-parts.ts';
export { GicollideObbPlugin, type ObbPluginOptions } from './obb-plugin.ts';
export { poseOf } from './pose-of.ts';
export { storedTree } from './stored-trees.ts';
export { type ToGeometryOptions, toBufferGeometry } from './to-geometry.ts';
