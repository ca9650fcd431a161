/**
 * Updates an OBB tree for moved vertices. The hierarchy and the axes stay; centers and extents are
 * refitted in WebAssembly, in temporary memory or in place of a placed tree.
 */
import { OptionError } from '../../../base/errors.ts';
import { requirePositions } from '../../../base/require.ts';
import { ownPositions, requireMesh, type StoredMesh } from '../../../containers/mesh-sections.ts';
import { updatedHeader } from '../../../engine/representation.ts';
import {
  allocate,
  type Kernels,
  kernels,
  movePlacement,
  release,
  runBuild,
  type Workshop,
  whyNotBuilt,
  writeBytes,
} from '../../../kernels/memory.ts';
import { LARGEST_COORDINATE } from '../../../mesh/extent.ts';
import { type PlacedArrays, placedArrays, placeWideTree, writeCorners, writePlacedNumbers } from '../search/kernel.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { requireObbTree } from '../tree/requirements.ts';
import { knowReach } from '../tree/unfold.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { fitBinary } from './binary.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';

/**
 * See Representation.update. Vertices are those of the mesh from which the tree was built: all of
 * them, in its order.
 *
 * @throws MeshError for coordinates beyond 1e37; OptionError for a different number of vertices, or
 *   without WebAssembly
 */
export function updateObbTree(tree: ObbTree, positions: Float64Array | Float32Array, options?: UpdateOptions): ObbTree {
  if (tree.nodeBytes === WIDE_BYTES) return updateWideTree(tree, positions, options);
  const updated = withPositions(tree, positions);
  updateBinary(updated);
  return updated;
}

interface UpdateOptions {
  inPlace?: boolean;
}

/** Like updateObbTree, for trees of 64 bytes a node. */
export function updateWideTree(
  tree: ObbTree,
  positions: Float64Array | Float32Array,
  { inPlace = false }: UpdateOptions = {},
): ObbTree {
  const updated = withPositions(tree, positions);
  updateWide(tree, updated, inPlace);
  return updated;
}

function withPositions(tree: ObbTree, positions: Float64Array | Float32Array): ObbTree {
  requirePositions(positions, tree.positions.length, LARGEST_COORDINATE);
  return { ...tree, positions: ownPositions(positions), header: updatedHeader(tree.header, ['nodeBytes']) };
}

function updateBinary(updated: ObbTree): void {
  const fitted = fitBinary(updated);
  if (!fitted) throw whyNotFitted(updated);
  updated.nodes = fitted.nodes;
  updated.scale = fitted.scale;
  take(updated, fitted);
}

/** Throws the problem of nodes or corners; if the tree is correct, returns the error to throw. */
function whyNotFitted(tree: ObbTree): OptionError {
  requireObbTree(tree);
  requireMesh(tree, LARGEST_COORDINATE);
  return new OptionError(`OBB trees are fitted in WebAssembly, ${whyNotBuilt()}`);
}

function updateWide(tree: ObbTree, updated: ObbTree, inPlace: boolean): void {
  const order = tree.order as Uint32Array;
  if (inPlace && updateWhereItIsPlaced(tree, updated)) return;
  const fitted = fitByKernel(tree.nodes, order, updated);
  if (!fitted) throw whyNotFitted(updated);
  updated.nodes = fitted.nodes;
  take(updated, fitted);
}

/**
 * Refits the kernels' copy of a tree and hands it on, so that it need not be placed again. The
 * first update places the tree. False without room for it, or if its vertices had another width.
 */
function updateWhereItIsPlaced(tree: ObbTree, updated: ObbTree): boolean {
  const own = kernels(KERNEL);
  if (!own || tree.positions.BYTES_PER_ELEMENT !== updated.positions.BYTES_PER_ELEMENT) return false;
  const record = placeWideTree(tree);
  if (record === 0) return false;
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

export interface Fitted {
  origin: Float64Array;
  /** The largest coordinate, and a bound of the nodes' reach from the origin. */
  largest: number;
  localReach: number;
}

/** A tree's nodes and triangles, and its vertices. */
interface Counts {
  nodeCount: number;
  triangles: number;
  mesh: StoredMesh['positions'];
}

const RESULT_BYTES = 64;

const scratchBytes = (
  { functions }: Pick<Workshop<KernelName>, 'functions'>,
  { nodeCount, triangles, mesh }: Counts,
): number => RESULT_BYTES + functions.wideUpdateScratch(nodeCount, triangles, mesh.length / 3);

/**
 * Fits the boxes of a tree that is in the memory to the vertices that are there.
 *
 * @returns null if memory is short, or the nodes are no tree: then nothing was written
 */
export function fitPlaced(own: Kernels<KernelName>, at: PlacedArrays, counts: Counts): Fitted | null {
  const scratch = allocate(scratchBytes(own, counts));
  if (scratch === 0) return null;
  try {
    return fit(own, at, counts, scratch);
  } finally {
    release(scratch);
  }
}

/** Null if the nodes are no tree: then nothing was written. */
function fit(
  { memory, functions }: Pick<Workshop<KernelName>, 'memory' | 'functions'>,
  { nodes, corners, positions }: PlacedArrays,
  { nodeCount, triangles, mesh }: Counts,
  scratch: number,
): Fitted | null {
  writeBytes(memory, positions, mesh);
  const isFloat = Number(mesh instanceof Float32Array);
  const at = [nodes, nodeCount, corners, triangles, positions, isFloat, mesh.length / 3];
  if (!functions.wideUpdate(...at, scratch, scratch + RESULT_BYTES)) return null;
  const [x, y, z, , largest, localReach] = new Float64Array(memory.buffer, scratch, RESULT_BYTES / 8);
  return { origin: Float64Array.of(x, y, z), largest, localReach };
}

/**
 * Returns the nodes of a tree for other vertices; null without a kernel or memory, or if the nodes
 * are no tree.
 *
 * @param nodes read, not changed
 */
export function fitByKernel(
  nodes: Uint8Array,
  order: Uint32Array,
  { positions, triangles }: StoredMesh,
): (Fitted & { nodes: Uint8Array }) | null {
  if (!isPermutation(order)) return null;
  const fitted = runBuild(KERNEL, (workshop) => {
    const { memory, hold, put } = workshop;
    const at = { nodes: put(nodes), corners: hold(triangles.byteLength), positions: hold(positions.byteLength) };
    writeCorners(new Uint32Array(memory.buffer, at.corners, triangles.length), order, triangles);
    const counts = { nodeCount: nodes.byteLength / WIDE_BYTES, triangles: order.length, mesh: positions };
    const fitted = fit(workshop, at, counts, hold(scratchBytes(workshop, counts)));
    // A copy: the memory is shared, and its next user overwrites it.
    return fitted && { ...fitted, nodes: new Uint8Array(new Uint8Array(memory.buffer, at.nodes, nodes.byteLength)) };
  });
  return fitted ?? null;
}

function isPermutation(order: Uint32Array): boolean {
  const seen = new Uint8Array(order.length);
  let count = 0;
  for (let i = 0; i < order.length; i++) {
    count += 1 - (seen[order[i]] ?? 1);
    seen[order[i]] = 1;
  }
  return count === order.length;
}
