/**
 * Compressed OBB trees: the mesh's triangles under oriented boxes of 40 or 20 bytes, or under nodes
 * of four boxes in 64.
 */

import { contentHash } from '../../containers/blob.ts';
import type { Tolerance } from '../../engine/records.ts';
import type { Representation } from '../../engine/representation.ts';
import { beyondSource, isUpdated } from '../../engine/representation.ts';
import { boxOf } from '../../mesh/extent.ts';
import { layoutLadder, SIGN_OF_W } from './format.ts';
import { buildQueryTree } from './make/index.ts';
import { kernel, place, search } from './search/index.ts';
import { boxesOf, boxMesh, depthOfObbTree } from './tree/box-mesh.ts';
import type { ObbTree } from './tree/obb-tree.ts';
import { hullOfObbTree, reachOfObbTree, unfoldObbTree } from './tree/unfold.ts';
import { verifyObbTree } from './tree/verify.ts';
import { updateObbTree } from './update/index.ts';

export const obb: Representation<ObbTree> = {
  name: 'obb',
  update: updateObbTree,
  tolerance,
  units: ({ header }) => header.units,
  describe,
  verify: verifyObbTree,
  surface: ({ positions, triangles }) => ({ positions: Float64Array.from(positions), triangles: triangles.slice() }),
  depth: depthOfObbTree,
  boundsOfLevel: boxMesh,
  unfold: unfoldObbTree,
  hull: hullOfObbTree,
  reach: reachOfObbTree,
  search,
  kernel: { pair: kernel, place },
  own: {
    over: (surface, options) => buildQueryTree({ ...surface, groups: [] }, options),
    box: ({ positions, triangles }) => boxOf(positions, triangles),
    primitives: ({ triangles }) => triangles.length / 3,
    volumes: boxesOf,
    layout: () => ({ ladder: layoutLadder(), signOfW: SIGN_OF_W }),
  },
};

function tolerance({ header }: ObbTree): Tolerance {
  return isUpdated(header) ? null : beyondSource({ missing: 0, excess: 0 }, header);
}

async function describe(tree: ObbTree, bytes: Uint8Array | null) {
  const triangles = tree.triangles.length / 3;
  const treeBytes = tree.nodes.byteLength + (tree.order?.byteLength ?? 0);
  const { tool, source, units, options } = tree.header;
  return {
    representation: 'obb',
    triangles,
    vertices: tree.positions.length / 3,
    coordinates: tree.positions instanceof Float32Array ? 'float32' : 'float64',
    nodes: tree.nodes.byteLength / tree.nodeBytes,
    nodeBytes: tree.nodeBytes,
    levels: depthOfObbTree(tree) + 1,
    origin: Array.from(tree.origin),
    tolerance: tolerance(tree),
    bytes: {
      positions: tree.positions.byteLength,
      triangles: tree.triangles.byteLength,
      nodes: tree.nodes.byteLength,
      order: tree.order?.byteLength ?? 0,
    },
    treeBytesPerTriangle: treeBytes / triangles,
    fileBytes: bytes?.length ?? null,
    bytesPerTriangle: bytes ? bytes.length / triangles : null,
    contentHash: bytes && (await contentHash(bytes)),
    source,
    units,
    options,
    tool,
  };
}
