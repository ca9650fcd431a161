/** The public API of Node and browsers. index.ts and browser.ts add the image codec and threads. */

import { OptionError } from './base/errors.ts';
import { requireOptionTypes, requireThat } from './base/require.ts';
import { completed } from './complete.ts';
import type { CheckOptions } from './engine/options.ts';
import { check as checkPlain } from './engine/prepared.ts';
import type { Report } from './engine/records.ts';
import { requireUnasked } from './engine/reentrancy-guard.ts';
import type { Asset } from './engine/representation.ts';
import { updateInPlace } from './engine/update.ts';
import { kindOf, representationOf } from './representations/kinds.ts';

export { FormatError, GpuError, InputError, MeshError, OptionError, type Place } from './base/errors.ts';
export { type BuildOptions, build } from './build.ts';
export type { ReadOptions } from './containers/blob.ts';
export { type ByteSource, memorySource } from './containers/byte-source.ts';
export { type HttpSourceOptions, httpSource } from './containers/http-source.ts';
export type { Compression, PixelCodec, PixelPage } from './containers/pixels.ts';
export { type Bounds, boundsOf } from './engine/bounds.ts';
export {
  type CheckOptions,
  type ContactFinder,
  DEFAULT_MAX_CONTACTS,
  type Depth,
  type SolidClassifier,
  type SolidMode,
} from './engine/options.ts';
export { type Checker, type PairOptions, prepare, VERDICTS } from './engine/prepared.ts';
export type {
  Bracket,
  Cell,
  CellSearch,
  ContactPair,
  ContactPatch,
  ContactPoint,
  Contacts,
  HullVisit,
  NodeVisit,
  OnContact,
  OnVisit,
  RandomSearch,
  Report,
  SeedSearch,
  SolidClass,
  Solids,
  Tolerance,
  UnprovedAnswer,
  Verdict,
  Visit,
  Witness,
} from './engine/records.ts';
export type { Asset, Decoded, OnProgress, Representation } from './engine/representation.ts';
export { trianglesIntersect } from './geometry/triangle-triangle.ts';
export { type OpenGpu, openGpu } from './gpu/open.ts';
export { createLibrary } from './library.ts';
export { lint } from './lint/lint.ts';
export type { LintFinding, LintOptions, LintReport, LintRule, LintSummary, Severity } from './lint/report.ts';
export { compose, identity, type Pose, rotation, translation } from './math/pose.ts';
export { type Deviation, type DeviationOptions, measureDeviation } from './mesh/deviation.ts';
export type { Mesh, MeshGroup, SourceMesh } from './mesh/mesh.ts';
export { type SelfContact, selfContacts } from './mesh/self-contacts.ts';
export { splitByGroups } from './mesh/split.ts';
export type { Surface } from './mesh/topology.ts';
export { type DeformOptions, impactOfDeforming, type Positions, selfImpactOfDeforming } from './motion/deforming.ts';
export { type FrepImpact, type FrepImpactOptions, impactOfFreps } from './motion/impact-of-freps.ts';
export type { Impact, ImpactOptions, RigidMotion, SpeedBound, TimeInterval } from './motion/motion.ts';
export { type MotionModel, readMotion } from './motion/motion-file.ts';
export {
  type Between,
  type KeyedOptions,
  keyed,
  type MotionKey,
  type MotionOfOptions,
  motionOf,
  type StraightOptions,
  screw,
  still,
  straight,
  type TimeOptions,
} from './motion/motions.ts';
export type { Pair } from './motion/moving-pair.ts';
export {
  advance,
  type CollisionResponse,
  type ContactManifold,
  type RespondOptions,
  type RigidBody,
  type RigidVelocity,
  respond,
} from './motion/response.ts';
export {
  type ReadMesh,
  type ReadMeshFile,
  type ReadMeshOptions,
  readMesh,
  readMeshFile,
} from './readers/formats.ts';
export type { FileMesh, FileNode, MeshFile, Primitive } from './readers/mesh-file.ts';
export { type ObjMesh, readObj, writeObj } from './readers/obj/obj.ts';
export { representations } from './representations/everything.ts';
export { type FrepModel, readFrep } from './representations/frep/make/model.ts';
export type { FrepObject } from './representations/frep/tree/program.ts';
export { frozen } from './representations/frep/tree/program.ts';
export { type GeometryImage, toMesh } from './representations/gi/tree/geometry-image.ts';
export type { KdopTree } from './representations/kdop/tree/kdop-tree.ts';
export { representationOf } from './representations/kinds.ts';
export type { ObbTree } from './representations/obb/tree/obb-tree.ts';
export type { OpenImage, OpenImageOptions } from './representations/opened.ts';
export { type Collisions, collideAllPairs, collideSorted, commonCubes } from './representations/voxel/bulk/collide.ts';
export { partitionAll } from './representations/voxel/bulk/partition-all.ts';
export type { VoxelSet } from './representations/voxel/tree/cube-set.ts';
export type { FindingClass, SurfaceClass } from './scene/classes.ts';
export type { OpenedScene, OpenSceneOptions } from './scene/load.ts';
export type {
  Finding,
  FindingsOptions,
  Frame,
  FrameImpact,
  FramePoses,
  Party,
  Scene,
  SceneObject,
  SceneObjectGiven,
  SceneOptions,
  SceneSummary,
  StepsOptions,
  Touching,
} from './scene/records.ts';
export type { Allowance, Rule, Rules } from './scene/rules.ts';
export { readScene, type SceneModel } from './scene/scene-file.ts';
export { type MassOptions, type MassProperties, massOf } from './solid/mass.ts';
export {
  type ClosestPoint,
  type ClosestPointOptions,
  type ClosestPoints,
  type Containment,
  closestPoint,
  closestPoints,
  containsPoint,
  type Volume,
  volumeOf,
} from './solid/point-queries.ts';
export {
  type RaycastOptions,
  type RaycastsOptions,
  type RayHit,
  type RayHits,
  raycast,
  raycasts,
} from './solid/raycast.ts';
export { VERSION } from './version.ts';

/**
 * Decides if the stored surfaces of two assets, each moved by its pose, share a point. On request
 * it also finds their distance, their contacts, and their relation as solids.
 *
 * @throws OptionError for a pose that is not rigid, for options that make no sense, for a call
 *   within `onContact`, and for assets whose recorded units differ or are partly missing
 * @example const report = check(bunny, blob, { poseB: translation(0.4, 0, 0) });
 *          report.verdict // 'contact'
 * @example let pairs = 0; // of nodes whose bounds the query compares
 *          const onVisit = ({ kind }) => kind === 'nodes' && pairs++;
 *          const report = check(bunny, blob, { onVisit });
 *          pairs === report.tests.bounds // true
 */
export const check = (a: Asset, b: Asset, options?: CheckOptions): Report => checkPlain(a, b, completed(options));

export interface UpdateOptions {
  /**
   * Update the asset itself instead of returning a new one. Everything that was prepared for the
   * asset uses the new geometry from then on. The asset's arrays are replaced, not overwritten.
   */
  inPlace?: boolean;
}

/**
 * Moves the vertices of an OBB tree, a k-DOP tree or a geometry image, in about a tenth of a
 * build's time. Triangles keep their numbers. The tree of bounds keeps its structure, so queries
 * get slower as vertices move farther from their positions at the build.
 *
 * Vertices are those of the asset's surface, in its order. For OBB and k-DOP trees they are all
 * vertices of the mesh, in its order, as `readObj` gives them in `positions`. For a geometry image
 * they are its samples, chart by chart and row by row. Move the `positions` of `toMesh(image)`, and
 * coincident samples to the same place. Samples are rounded to a grid around the new surface.
 *
 * The result records that its geometry was updated. It records nothing about a source: no hash, no
 * tolerance, no embedded triangles.
 *
 * @param positions x, y, z of every vertex, in the asset's units; read, not kept
 * @returns a new asset; with `inPlace` the same one
 * @throws OptionError for cubes and F-reps, which have no vertices; for a wrong number of
 *   coordinates; and in place, within `onContact` or while many poses of the asset are checked
 * @throws MeshError for coordinates that are not finite, or too large for the kind
 * @example const mesh = readObj(await readFile('assets/bunny.obj'));
 *          const cloth = build(mesh, { format: 'obb', nodeBytes: 64 });
 *          const checker = prepare(cloth, blob);
 *          const far = mesh.positions.map((x) => x + 2);
 *          check(updateGeometry(cloth, far), blob).verdict // 'clear'
 *          updateGeometry(cloth, far, { inPlace: true }) === cloth // true
 *          checker.contact(identity()) // false
 */
export function updateGeometry<A extends Asset>(
  asset: A,
  positions: Float64Array | Float32Array,
  options: UpdateOptions = {},
): A {
  const { update, name } = representationOf(asset);
  requireThat(!('isOnDemand' in asset), 'asset', 'an asset from build or read, not an opened one', asset);
  requireOptionTypes(options, { inPlace: 'boolean' });
  if (!update)
    throw new OptionError(`updateGeometry: ${name} cannot be updated: ${kindOf(asset).fixed ?? 'it has no update'}`);
  if (!options.inPlace) return update(asset, positions, { inPlace: false }) as A;
  requireUnasked(asset);
  if (Object.isFrozen(asset)) throw new OptionError('inPlace: expected an asset that may change, found a frozen one');
  return updateInPlace(asset, positions);
}
