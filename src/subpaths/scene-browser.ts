/** gicollide/scene in browsers: many objects, their poses, rules, and sources of assets. */

export { createScene, openScene, read } from '../browser.ts';
export { type BuildOptions, build } from '../build.ts';
export type { Asset } from '../engine/representation.ts';
export { readMesh, readMeshFile } from '../readers/formats.ts';
export { readObj } from '../readers/obj/obj.ts';
export type { FindingClass, SurfaceClass } from '../scene/classes.ts';
export type { OpenedScene, OpenSceneOptions } from '../scene/load.ts';
export type {
  Finding,
  FindingsOptions,
  Scene,
  SceneObject,
  SceneObjectGiven,
  SceneOptions,
  SceneSummary,
} from '../scene/records.ts';
export type { Allowance, Rule, Rules } from '../scene/rules.ts';
export { readScene, type SceneModel } from '../scene/scene-file.ts';
export * from './common.ts';
