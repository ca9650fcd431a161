/**
 * Builds a k-DOP tree over the triangles of a mesh: a binary tree with one triangle per leaf.
 *
 * Source: Raabe et al. 2006, section 3.1. The tree is split top down by the surface-area heuristic
 * on the triangles' axis-aligned boxes, in WebAssembly (kernel.as.ts). It does not depend on k and
 * the bits.
 *
 * Bound tests for all contacts, geometric mean over five pairs of meshes:
 *   surface-area heuristic (used)                                              3970
 *   halves of equal count                                                      5167
 *   all twelve directions, squared sum of slab widths for the area (10x time)  3928
 *   the same sum on three axes                                                 3918
 *
 * Coefficients are relative to the tree's own origin. It is (0, 0, 0), unless a point near the
 * middle of the mesh gains a bit. Their unit is a power of two, so that |a'| < 1 as the paper
 * requires. fixed-point.ts rounds them towards +infinity exactly.
 */

import { MeshError, OptionError } from '../../base/errors.ts';
import { ownMesh } from '../../containers/mesh-sections.ts';
import type { Builder, OwnNames, Provenance } from '../../engine/representation.ts';
import { assetHeader } from '../../engine/representation.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { makeKdops } from './kernel.ts';
import { DOP_SIZES, type DopSize } from './tree/dop-directions.ts';
import { type KdopTree, LARGEST_BITS, LARGEST_COORDINATE, SMALLEST_BITS } from './tree/kdop-tree.ts';

export interface KdopBuildOptions extends Provenance {
  /** Number of directions: 6, 14, 18, 24 (default) or 26. */
  k?: number;
  /** Stored width of a coefficient, including its sign: 8 to 36 bits (default 16). */
  bits?: number;
}

/**
 * Builds the tree of every triangle of the mesh, including degenerate ones.
 *
 * @throws MeshError for a mesh without triangles, or with coordinates beyond 1e100
 * @throws OptionError for k or bits that do not exist, and without WebAssembly
 * @example const tree = buildKdopTree(readObj(bytes), { k: 18, bits: 12 });
 */
export function buildKdopTree(mesh: Mesh, options: KdopBuildOptions = {}): KdopTree {
  const k = (options.k ?? 24) as DopSize;
  if (!DOP_SIZES.includes(k))
    throw new OptionError(`k ${k}: expected ${DOP_SIZES.join(', ').replace(/, (?=\d+$)/, ' or ')}`);
  const bits = options.bits ?? 16;
  if (!Number.isInteger(bits) || bits < SMALLEST_BITS || bits > LARGEST_BITS) {
    throw new OptionError(`bits ${bits}: expected ${SMALLEST_BITS} to ${LARGEST_BITS}`);
  }
  const { positions, triangles } = mesh;
  const count = triangles.length / 3;
  if (count === 0) throw new MeshError('expected triangles, found none');
  if (count > 2 ** 30) throw new MeshError(`expected at most 2^30 triangles, found ${count}`);
  const wild = positions.find((x) => !(Math.abs(x) <= LARGEST_COORDINATE));
  if (wild !== undefined) {
    throw new MeshError(`expected coordinates up to ${LARGEST_COORDINATE}, found ${wild}: scale the mesh`);
  }
  const { onProgress } = options;
  const { links, coefficients, origin, exponent } = makeKdops(mesh, { k, bits }, onProgress);
  return {
    representation: 'kdop',
    ...ownMesh(mesh, options),
    k,
    bits,
    coefficients,
    links,
    origin,
    exponent,
    header: assetHeader(options, { k, bits }),
  };
}

export const kdopBuilder: Builder<KdopTree> = {
  build: buildKdopTree,
  options: { k: true, bits: true } satisfies OwnNames<KdopBuildOptions>,
};
