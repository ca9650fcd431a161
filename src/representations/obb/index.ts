/**
 * Compressed OBB trees: the mesh's triangles under oriented boxes of 40 or 20 bytes, or under nodes
 * of four boxes in 64.
 */

import { contentHash } from '../../containers/blob.ts';
import { registerSources } from '../../engine/ladder.ts';
import type { Representation } from '../../engine/representation.ts';
import { answerOfSources } from '../../engine/sources.ts';
import { layoutLadder, SIGN_OF_W } from './format.ts';
import { movedObb } from './moved.ts';
import { boxesOf, boxMesh, depthOfObbTree } from './tree/box-mesh.ts';
import type { ObbTree } from './tree/obb-tree.ts';
import { verifyObbTree } from './tree/verify.ts';

export const obb: Representation<ObbTree> = {
  ...movedObb,
  engines: () => registerSources(answerOfSources),
  describe,
  verify: verifyObbTree,
  depth: depthOfObbTree,
  boundsOfLevel: boxMesh,
  own: {
    ...movedObb.own,
    volumes: boxesOf,
    layout: () => ({ ladder: layoutLadder(), signOfW: SIGN_OF_W }),
  },
};

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
    tolerance: movedObb.tolerance(tree),
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
