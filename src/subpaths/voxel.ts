/** gicollide/voxel: cubes only. */

import { requireBytes } from '../base/require.ts';
import type { ReadOptions } from '../containers/blob.ts';
import { requireBuildNames } from '../engine/build-options.ts';
import type { CheckOptions } from '../engine/options.ts';
import { type Checker, check as checkTwo, prepare as prepareTwo } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Decoded, Verification } from '../engine/representation.ts';
import { meshInDoubles, type SourceMesh } from '../mesh/mesh.ts';
import { register } from '../representations/kinds.ts';
import { decodeVoxels, encodeVoxels } from '../representations/voxel/format.ts';
import { voxel } from '../representations/voxel/index.ts';
import { buildVoxels, type VoxelBuildOptions, voxelBuilder } from '../representations/voxel/make/index.ts';
import type { VoxelSet } from '../representations/voxel/tree/cube-set.ts';
import { verifyVoxels } from '../representations/voxel/tree/verify.ts';

export * from './common.ts';
export type { Checker, VoxelBuildOptions, VoxelSet };

/**
 * Builds cubes of a mesh, like `build` of gicollide.
 *
 * @example import { build, check, read, translation, write } from 'gicollide/voxel';
 *          const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
 *          const mesh = { positions, triangles: Uint32Array.of(0, 1, 2), groups: [] };
 *          const cubes = build(mesh, { precision: 0.1 });
 *          const { asset } = await read(await write(cubes));
 *          check(cubes, asset, { poseB: translation(0, 0, 2) }).verdict // 'clear'
 */
export function build(mesh: SourceMesh, options: VoxelBuildOptions = {}): VoxelSet {
  requireBuildNames(options, voxelBuilder.options);
  return buildVoxels(meshInDoubles(mesh), options);
}

/** Decodes a file, like `read` of gicollide. */
export async function read(bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<VoxelSet>> {
  requireBytes(bytes);
  return decodeVoxels(bytes, undefined, options);
}

/** Encodes cubes. */
export const write = (asset: VoxelSet): Promise<Uint8Array> => encodeVoxels(asset);

/** Prepares two sets of cubes for any number of poses, like `prepare` of gicollide. */
export function prepare(a: VoxelSet, b: VoxelSet): Checker {
  register(voxel);
  return prepareTwo(a, b);
}

/** Checks two sets of cubes with all options, like `check` of gicollide. */
export function check(a: VoxelSet, b: VoxelSet, options?: CheckOptions): Report {
  register(voxel);
  return checkTwo(a, b, options);
}

/** Proves that every bound contains what it bounds. */
export const verify = (asset: VoxelSet): Verification => verifyVoxels(asset);
