/**
 * gicollide/obb: OBB trees only. `prepare` uses the trees' own search alone, in a quarter of the
 * code; `check` has all options, some with an import of their own (docs/library.md).
 */

import { requireBytes } from '../base/require.ts';
import type { ReadOptions } from '../containers/blob.ts';
import { requireBuildNames } from '../engine/build-options.ts';
import type { CheckOptions } from '../engine/options.ts';
import { check as checkTwo } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Decoded, Verification } from '../engine/representation.ts';
import { createSearchChecker, type SearchChecker } from '../engine/search-checker.ts';
import { meshInDoubles, type SourceMesh } from '../mesh/mesh.ts';
import { register } from '../representations/kinds.ts';
import { askedObb } from '../representations/obb/asked.ts';
import { decodeObbTree, encodeObbTree } from '../representations/obb/format.ts';
import { buildObbTree, type ObbBuildOptions, obbBuilder } from '../representations/obb/make/index.ts';
import { builtObb } from '../representations/obb/moved.ts';
import { checkObbTrees } from '../representations/obb/search/descent.ts';
import type { ObbTree } from '../representations/obb/tree/obb-tree.ts';
import { verifyObbTree } from '../representations/obb/tree/verify.ts';

export * from './common.ts';
export type { ObbBuildOptions, ObbTree, SearchChecker };

/**
 * Builds an OBB tree of a mesh, like `build` of gicollide with format 'obb'.
 *
 * @example import { build, prepare, translation } from 'gicollide/obb';
 *          const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
 *          const tree = build({ positions, triangles: Uint32Array.of(0, 1, 2), groups: [] });
 *          prepare(tree, tree).contact(translation(0, 0, 2)) // false
 */
export function build(mesh: SourceMesh, options: ObbBuildOptions = {}): ObbTree {
  requireBuildNames(options, obbBuilder.options);
  register(builtObb);
  return buildObbTree(meshInDoubles(mesh), options);
}

/** Decodes an `.obb` file, like `read` of gicollide. */
export async function read(bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<ObbTree>> {
  requireBytes(bytes);
  return decodeObbTree(bytes, undefined, options);
}

/** Encodes an OBB tree. */
export const write = (tree: ObbTree): Promise<Uint8Array> => encodeObbTree(tree);

/** Prepares two trees for any number of poses. */
export const prepare = (a: ObbTree, b: ObbTree): SearchChecker => createSearchChecker('obb', checkObbTrees, a, b);

/** Checks two trees with all options, like `check` of gicollide. */
export function check(a: ObbTree, b: ObbTree, options?: CheckOptions): Report {
  register(askedObb);
  return checkTwo(a, b, options);
}

/** Proves that every box contains what it bounds. */
export const verify = (tree: ObbTree): Verification => verifyObbTree(tree);
