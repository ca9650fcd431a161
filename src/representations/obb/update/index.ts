/**
 * Updates an OBB tree for moved vertices: the hierarchy and the axes stay, centers and extents are
 * refitted.
 */

import { OptionError } from '../../../base/errors.ts';
import { requirePositions } from '../../../base/require.ts';
import { ownPositions, requireMesh } from '../../../containers/mesh-sections.ts';
import { kernels, movePlacement, placementOf, whyNotBuilt } from '../../../kernels/memory.ts';
import { LARGEST_COORDINATE } from '../../../mesh/extent.ts';
import { updatedHeader } from '../../../query/asset-header.ts';
import { placedArrays, writePlacedNumbers } from '../search/record.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { requireObbTree } from '../tree/requirements.ts';
import { knowReach } from '../tree/unfold.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { updateBinary } from './binary.ts';
import { type Fitted, fitByKernel, fitPlaced } from './kernel.ts';

/**
 * See Representation.update. Vertices are those of the mesh that the tree was built of, all of them
 * and in its order.
 *
 * @throws MeshError for coordinates beyond 1e37; OptionError for another number of them, or without
 *   WebAssembly for a tree of wide nodes
 */
export function updateObbTree(
  tree: ObbTree,
  positions: Float64Array | Float32Array,
  { inPlace = false }: { inPlace?: boolean } = {},
): ObbTree {
  requirePositions(positions, tree.positions.length, LARGEST_COORDINATE);
  const updated: ObbTree = {
    ...tree,
    positions: ownPositions(positions),
    header: updatedHeader(tree.header, ['nodeBytes']),
  };
  if (tree.nodeBytes === WIDE_BYTES) updateWide(tree, updated, inPlace);
  else updateBinary(updated);
  return updated;
}

function updateWide(tree: ObbTree, updated: ObbTree, inPlace: boolean): void {
  const order = tree.order as Uint32Array;
  if (inPlace && updateWhereItIsPlaced(tree, updated)) return;
  const fitted = fitByKernel(tree.nodes, order, updated);
  if (!fitted) {
    // The kernel takes every tree: these say what is wrong with nodes or corners that are none.
    requireObbTree(tree);
    requireMesh(updated, LARGEST_COORDINATE);
    throw new OptionError(`OBB trees of 64 bytes a node are fitted in WebAssembly, ${whyNotBuilt()}`);
  }
  updated.nodes = fitted.nodes;
  take(updated, fitted);
}

/**
 * Refits the kernels' copy of a tree and hands it on, so that it need not be placed again. False if
 * it is not placed, or its vertices had another width.
 */
function updateWhereItIsPlaced(tree: ObbTree, updated: ObbTree): boolean {
  const record = placementOf(tree);
  const own = kernels();
  if (!record || !own || tree.positions.BYTES_PER_ELEMENT !== updated.positions.BYTES_PER_ELEMENT) return false;
  const at = placedArrays(own, record);
  const counts = {
    nodeCount: tree.nodes.byteLength / WIDE_BYTES,
    triangles: tree.triangles.length / 3,
    mesh: updated.positions,
  };
  // Allocate first: it may fail, and the placed data must not change then.
  updated.nodes = new Uint8Array(tree.nodes.byteLength);
  const fitted = fitPlaced(own, at, counts);
  if (!fitted) return false;
  writePlacedNumbers(own, record, take(updated, fitted));
  movePlacement(tree, updated);
  updated.nodes.set(new Uint8Array(own.memory.buffer, at.nodes, tree.nodes.byteLength));
  return true;
}

function take(updated: ObbTree, { origin, largest, localReach }: Fitted) {
  updated.origin = origin;
  // As in reachOfObbTree: a box's axes are unit vectors except for rounding.
  const beyond = Math.max(Math.abs(origin[0]), Math.abs(origin[1]), Math.abs(origin[2]));
  const reach = 4 * Math.max(largest, beyond + 1.01 * localReach);
  knowReach(updated, reach);
  return { origin, reach, localReach: 1.01 * localReach };
}
