/** Models as equal cubes of one world grid: data-parallel, sparse, compared cell by cell. */
import { registerOtherLeaves } from '../../engine/other-leaves.ts';
import type { Tolerance } from '../../engine/records.ts';
import { beyondSource, type Representation } from '../../engine/representation.ts';
import { checkVoxels } from './search.ts';
import { boxesOf, cubeSurface, depthOfVoxels, octantMesh } from './tree/cube-mesh.ts';
import { cubesOf, type VoxelSet } from './tree/cube-set.ts';
import { closedHullOfVoxels, hullOfVoxels, reachOfVoxels, unfoldVoxels } from './tree/octree.ts';
import { verifyVoxels } from './tree/verify.ts';

/**
 * Every point of the source lies in a cube. Every cube holds a point of the source (or of a filled
 * inside), or has one within 2^-45 of the coordinates, see surface-cells.ts. A cube's edge is the
 * difference of two multiples of the precision, each rounded.
 */
const tolerance = (set: VoxelSet): Tolerance => {
  const excess = Math.sqrt(3) * set.precision * (1 + 2 ** -40) + 2 ** -44 * reachOfVoxels(set);
  return beyondSource({ missing: 0, excess }, set.header);
};

export const voxel: Representation<VoxelSet> = {
  name: 'voxel',
  engines: registerOtherLeaves,
  tolerance,
  units: ({ header }) => header.units,
  describe,
  verify: verifyVoxels,
  surface: cubeSurface,
  depth: depthOfVoxels,
  boundsOfLevel: octantMesh,
  unfold: unfoldVoxels,
  hull: hullOfVoxels,
  reach: reachOfVoxels,
  search: checkVoxels,
  own: {
    closedHull: closedHullOfVoxels,
    primitives: ({ keys }) => keys.length / 2,
    volumes: boxesOf,
  },
};

async function describe(set: VoxelSet, bytes: Uint8Array | null) {
  const cubes = cubesOf(set);
  const { tool, source, units, options } = set.header;
  return {
    representation: 'voxel',
    precision: set.precision,
    cubes,
    bricks: set.keys.length / 2,
    levels: depthOfVoxels(set) + 1,
    tolerance: tolerance(set),
    bytes: { keys: set.keys.byteLength, masks: set.masks.byteLength },
    bytesPerCube: (set.keys.byteLength + set.masks.byteLength) / cubes,
    fileBytes: bytes?.length ?? null,
    // Twelve per cube.
    bytesPerTriangle: bytes ? bytes.length / (12 * cubes) : null,
    // The file's final checksum covers all of its content.
    contentHash: bytes ? Array.from(bytes.subarray(-32), (byte) => byte.toString(16).padStart(2, '0')).join('') : null,
    source,
    units,
    options,
    tool,
  };
}
