/** Fits the boxes of wide trees with the kernel, in temporary memory or in a tree's place. */
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import { allocate, type Kernels, release, runBuild, type Workshop, writeBytes } from '../../../kernels/memory.ts';
import { type PlacedArrays, writeCorners } from '../search/record.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';

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

const scratchBytes = ({ functions }: Pick<Workshop, 'functions'>, { nodeCount, triangles, mesh }: Counts): number =>
  RESULT_BYTES + functions.wideUpdateScratch(nodeCount, triangles, mesh.length / 3);

/**
 * Fits the boxes of a tree that is in the memory to the vertices that are there.
 *
 * @returns null where memory is short, or the nodes are no tree: then nothing was written
 */
export function fitPlaced(own: Kernels, at: PlacedArrays, counts: Counts): Fitted | null {
  const scratch = allocate(scratchBytes(own, counts));
  if (scratch === 0) return null;
  try {
    return fit(own, at, counts, scratch);
  } finally {
    release(scratch);
  }
}

/** Null where the nodes are no tree: then nothing was written. */
function fit(
  { memory, functions }: Pick<Workshop, 'memory' | 'functions'>,
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
  const fitted = runBuild((workshop) => {
    const { memory, hold, put } = workshop;
    const at = { nodes: put(nodes), corners: hold(triangles.byteLength), positions: hold(positions.byteLength) };
    writeCorners(new Uint32Array(memory.buffer, at.corners, triangles.length), order, triangles);
    const counts = { nodeCount: nodes.byteLength / WIDE_BYTES, triangles: order.length, mesh: positions };
    const fitted = fit(workshop, at, counts, hold(scratchBytes(workshop, counts)));
    // A copy: the memory is shared, and goes to the next.
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
