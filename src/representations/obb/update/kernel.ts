/** Fits the boxes of wide trees by the kernel, in memory of its own or where a tree is placed. */
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import { allocate, type Kernels, kernels, place, release } from '../../../kernels/memory.ts';
import { type PlacedArrays, writeCorners } from '../search/record.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';

/** What the kernel says of a tree beside its boxes. */
export interface Fitted {
  origin: Float64Array;
  /** The largest coordinate, and at least how far any node reaches from the origin. */
  largest: number;
  localReach: number;
}

const RESULT_BYTES = 64;

/**
 * Fits the boxes of a tree that is in the memory to the vertices that are there.
 *
 * @returns null where memory is short, or the nodes are no tree: then nothing was written
 */
export function fitPlaced(
  { memory, functions }: Kernels,
  { nodes, corners, positions }: PlacedArrays,
  { nodeCount, triangles, mesh }: { nodeCount: number; triangles: number; mesh: StoredMesh['positions'] },
): Fitted | null {
  const vertices = mesh.length / 3;
  const scratch = allocate(RESULT_BYTES + functions.wideUpdateScratch(nodeCount, triangles, vertices));
  if (scratch === 0) return null;
  try {
    place(positions, mesh);
    const isFloat = Number(mesh instanceof Float32Array);
    const at = [nodes, nodeCount, corners, triangles, positions, isFloat, vertices, scratch, scratch + RESULT_BYTES];
    if (!functions.wideUpdate(...at)) return null;
    const [x, y, z, , largest, localReach] = new Float64Array(memory.buffer, scratch, RESULT_BYTES / 8);
    return { origin: Float64Array.of(x, y, z), largest, localReach };
  } finally {
    release(scratch);
  }
}

/**
 * The nodes of a tree about other vertices; null where there is no kernel or no memory, or the
 * nodes are no tree.
 *
 * @param nodes read, not changed
 */
export function fitByKernel(
  nodes: Uint8Array,
  order: Uint32Array,
  { positions, triangles }: StoredMesh,
): (Fitted & { nodes: Uint8Array }) | null {
  const own = kernels();
  if (!own || !isPermutation(order)) return null;
  const sizes = [nodes.byteLength, triangles.byteLength, positions.byteLength].map((n) => Math.ceil(n / 64) * 64);
  const address = allocate(sizes[0] + sizes[1] + sizes[2]);
  if (address === 0) return null;
  try {
    const at = { nodes: address, corners: address + sizes[0], positions: address + sizes[0] + sizes[1] };
    place(at.nodes, nodes);
    writeCorners(new Uint32Array(own.memory.buffer, at.corners, triangles.length), order, triangles);
    const counts = { nodeCount: nodes.byteLength / WIDE_BYTES, triangles: order.length, mesh: positions };
    const fitted = fitPlaced(own, at, counts);
    // A copy: the memory is shared, and goes to the next.
    return (
      fitted && { ...fitted, nodes: new Uint8Array(new Uint8Array(own.memory.buffer, at.nodes, nodes.byteLength)) }
    );
  } finally {
    release(address);
  }
}

/** Whether every number below its length comes once. */
function isPermutation(order: Uint32Array): boolean {
  const seen = new Uint8Array(order.length);
  let count = 0;
  for (let i = 0; i < order.length; i++) {
    count += 1 - (seen[order[i]] ?? 1);
    seen[order[i]] = 1;
  }
  return count === order.length;
}
