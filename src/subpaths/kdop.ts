/** gicollide/kdop: k-DOP trees only. */

import { requireBytes } from '../base/require.ts';
import type { ReadOptions } from '../containers/blob.ts';
import { requireBuildNames } from '../engine/build-options.ts';
import type { CheckOptions } from '../engine/options.ts';
import { type Checker, check as checkTwo, prepare as prepareTwo } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Decoded, Verification } from '../engine/representation.ts';
import { meshInDoubles, type SourceMesh } from '../mesh/mesh.ts';
import { decodeKdopTree, encodeKdopTree } from '../representations/kdop/format.ts';
import { kdop } from '../representations/kdop/index.ts';
import { buildKdopTree, type KdopBuildOptions, kdopBuilder } from '../representations/kdop/make.ts';
import type { KdopTree } from '../representations/kdop/tree/kdop-tree.ts';
import { verifyKdopTree } from '../representations/kdop/tree/verify.ts';
import { register } from '../representations/kinds.ts';
import { obb } from '../representations/obb/index.ts';

export * from './common.ts';
export type { Checker, KdopBuildOptions, KdopTree };

/**
 * Builds a k-DOP tree of a mesh, like `build` of gicollide.
 *
 * @example import { build, check, read, translation, write } from 'gicollide/kdop';
 *          const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
 *          const mesh = { positions, triangles: Uint32Array.of(0, 1, 2), groups: [] };
 *          const tree = build(mesh, { k: 18 });
 *          const { asset } = await read(await write(tree));
 *          check(tree, asset, { poseB: translation(0, 0, 2) }).verdict // 'clear'
 */
export function build(mesh: SourceMesh, options: KdopBuildOptions = {}): KdopTree {
  requireBuildNames(options, kdopBuilder.options);
  return buildKdopTree(meshInDoubles(mesh), options);
}

/** Decodes a file, like `read` of gicollide. */
export async function read(bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<KdopTree>> {
  requireBytes(bytes);
  return decodeKdopTree(bytes, undefined, options);
}

/** Encodes a k-DOP tree. */
export const write = (asset: KdopTree): Promise<Uint8Array> => encodeKdopTree(asset);

/** OBB trees answer many questions about two k-DOP trees. */
function registerKinds(): void {
  register(kdop);
  register(obb);
}

/** Prepares two trees for any number of poses, like `prepare` of gicollide. */
export function prepare(a: KdopTree, b: KdopTree): Checker {
  registerKinds();
  return prepareTwo(a, b);
}

/** Checks two trees with all options, like `check` of gicollide. */
export function check(a: KdopTree, b: KdopTree, options?: CheckOptions): Report {
  registerKinds();
  return checkTwo(a, b, options);
}

/** Proves that every bound contains what it bounds. */
export const verify = (asset: KdopTree): Verification => verifyKdopTree(asset);
