/** Poses, errors and types that every subpath of one kind exports. */
export { FormatError, InputError, MeshError, OptionError } from '../base/errors.ts';
export type { CheckOptions } from '../engine/options.ts';
export type { Report, Verdict } from '../engine/records.ts';
export type { Decoded, Verification } from '../engine/representation.ts';
export { compose, identity, type Pose, rotation, translation } from '../math/pose.ts';
export type { Mesh, MeshGroup, SourceMesh } from '../mesh/mesh.ts';
export { VERSION } from '../version.ts';
