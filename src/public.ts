/** Everything of the public API that needs no image codec; index.ts and browser.ts add `read` and `write`. */

export { type ByteSource, memorySource } from './containers/byte-source.ts';
export { type HttpSourceOptions, httpSource } from './containers/http-source.ts';
export type { Compression, PixelCodec, PixelPage } from './containers/pixels.ts';
export { trianglesIntersect } from './geometry/triangle-triangle.ts';
export { type BuildOptions, build, createLibrary } from './library.ts';
export { FormatError, InputError, MeshError, OptionError, type Place } from './math/errors.ts';
export { compose, identity, type Pose, rotation, translation } from './math/pose.ts';
export { type Deviation, type DeviationOptions, measureDeviation } from './mesh/deviation.ts';
export type { Mesh, MeshGroup } from './mesh/mesh.ts';
export { splitByGroups } from './mesh/split.ts';
export type { Surface } from './mesh/topology.ts';
export { type CheckOptions, check, DEFAULT_MAX_CONTACTS } from './pair/check.ts';
export type { OpenImage, OpenImageOptions } from './pair/open-image.ts';
export { type Checker, prepare } from './pair/prepare.ts';
export type {
  Bracket,
  Cell,
  CellSearch,
  ContactPair,
  ContactPoint,
  Contacts,
  OnContact,
  Report,
  Tolerance,
  Verdict,
  Witness,
} from './query/report.ts';
export type { Asset, Decoded, OnProgress, Representation } from './query/representation.ts';
export { type ObjMesh, readObj, writeObj } from './readers/obj.ts';
export { type FrepModel, readFrep } from './representations/frep/build/model.ts';
export type { FrepObject } from './representations/frep/tree/program.ts';
export { type GeometryImage, toMesh } from './representations/gi/tree/geometry-image.ts';
export type { KdopTree } from './representations/kdop/tree/kdop-tree.ts';
export type { ObbTree } from './representations/obb/tree/obb-tree.ts';
export { representationOf, representations } from './representations/registry.ts';
export { type Collisions, collideAllPairs, collideSorted, commonCubes } from './representations/voxel/bulk/collide.ts';
export { partitionAll } from './representations/voxel/bulk/partition-all.ts';
export type { VoxelSet } from './representations/voxel/tree/voxel-set.ts';
export { VERSION } from './version.ts';
