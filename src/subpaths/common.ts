/** Poses, errors and types that every subpath of one kind exports. */
export { FormatError, InputError, MeshError, OptionError } from '../base/errors.ts';
export { compose, identity, type Pose, rotation, translation } from '../math/pose.ts';
export type { Mesh, MeshGroup, SourceMesh } from '../mesh/mesh.ts';
export type { CheckOptions } from '../pair/options.ts';
export type { Report, Verdict } from '../query/report.ts';
export type { Decoded, Verification } from '../query/representation.ts';
export { VERSION } from '../version.ts';
