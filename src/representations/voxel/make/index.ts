/**
 * Builds equal cubes from a mesh: the cells of the world grid that hold a point of it, and with
 * `fill` those inside.
 *
 * Peng, Wu, "Collision Detection Algorithm Based on Data Parallelism", algorithm 1; for the cells
 * of a triangle see surface-cells.ts.
 */

import type { Builder, OwnNames, Provenance } from '../../../engine/representation.ts';
import { assetHeader } from '../../../engine/representation.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import type { VoxelSet } from '../tree/cube-set.ts';
import { partition } from './partition.ts';

export interface VoxelBuildOptions extends Provenance {
  /**
   * Edge of a cube, model units; must match between assets that are compared cell by cell. Default:
   * the greatest power of two up to a hundredth of the diagonal of the mesh's box, so that meshes
   * of about one size have equal cubes. Larger far from the origin, so that the grid reaches there.
   */
  precision?: number;
  /** True to add the cells inside a closed model. */
  fill?: boolean;
}

/**
 * Returns the cubes of a mesh.
 *
 * @throws OptionError for an invalid precision; MeshError for a mesh without triangles, too far
 *   from the origin for its cubes, or open with `fill`
 * @example const cubes = buildVoxels(readObj(bytes), { precision: 0.01 });
 */
export function buildVoxels(mesh: Mesh, options: VoxelBuildOptions = {}): VoxelSet {
  const { precision = precisionFor(mesh), fill = false, onProgress } = options;
  const set = partition(mesh, precision, { fill, ...(onProgress && { onProgress }) });
  return {
    representation: 'voxel',
    ...set,
    header: assetHeader(options, { precision, ...(fill && { fill: 'inside' }) }),
  };
}

function precisionFor({ positions, triangles }: Mesh): number {
  let squares = 0;
  let reach = 0;
  for (let axis = 0; axis < 3; axis++) {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const v of triangles) {
      least = Math.min(least, positions[3 * v + axis]);
      most = Math.max(most, positions[3 * v + axis]);
    }
    reach = Math.max(reach, Math.abs(least), Math.abs(most));
    if (most > least) squares += (most - least) * (most - least);
  }
  const target = Math.max(Math.sqrt(squares) / 100, reach / 2 ** 19);
  let precision = 1;
  if (!(target > 0 && target < Number.POSITIVE_INFINITY)) return precision;
  while (precision > target) precision /= 2;
  while (2 * precision <= target) precision *= 2;
  return precision;
}

export const voxelBuilder: Builder<VoxelSet> = {
  build: buildVoxels,
  options: { precision: true, fill: true } satisfies OwnNames<VoxelBuildOptions>,
};
