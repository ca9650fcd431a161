/**
 * Finds pairs of a mesh's triangles that may meet, by the kernel that descends the mesh's tree
 * against itself; see kernel.as.ts.
 */
import { runBuild, type Workshop, whileBusy } from '../kernels/memory.ts';
import { boxOf } from './extent.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import type { Surface } from './topology.ts';
import { PAIR_ROOM, shapeOfTree } from './triangle-tree.ts';

/** With fewer triangles, the tree's own search ends before a module is compiled. */
const FEW = 1000;
const RECORD_BYTES = 48;
/** Pairs that the kernel finds in a call. */
const BATCH = 4096;
const LAST_CELL = 2 ** 31 - 2;
/**
 * Pairs of nodes for each triangle, and for each pair found, after which the kernel gives up. Scans
 * need 6. More come where parts are so small beside the whole that they lie in few of its cells.
 */
const PATIENCE = 250;

/**
 * Reports the pairs of `TriangleTree.forPairs`, in its order. Some pairs that surely have no common
 * point are missing, and some pairs whose boxes are only close are added.
 *
 * @param onPair receives triangle numbers; ends the search by returning true
 * @returns true if the search was ended; undefined if the tree's own search is needed, perhaps
 *   after some pairs
 */
export function forPairsByKernel(surface: Surface, onPair: (t: number, u: number) => boolean): boolean | undefined {
  const quantum = quantumOf(surface);
  if (surface.triangles.length < 3 * FEW || !quantum) return undefined;
  return (
    runBuild(KERNEL, (workshop): boolean | null => {
      const { memory, functions, hold } = workshop;
      const count = begin(workshop, surface, quantum);
      const out = hold(8 * BATCH);
      const pairs = new Uint32Array(memory.buffer, out, 2 * BATCH);
      for (let all = 0, found = BATCH; found > BATCH - ROOM; all += found) {
        found = functions.selfPairsRun(out, BATCH, PATIENCE * (count + all));
        if (found < 0) return null;
        // The listener may search another mesh.
        const isEnded = whileBusy(() => {
          for (let i = 0; i < 2 * found; i += 2) if (onPair(pairs[i], pairs[i + 1])) return true;
          return false;
        });
        if (isEnded) return true;
      }
      return false;
    }) ?? undefined
  );
}

/** Two leaves have at most so many pairs. */
const ROOM = 16;

/** Lays records out, and returns the number of triangles. */
function begin(workshop: Workshop<KernelName>, { positions, triangles }: Surface, quantum: Float64Array): number {
  const { functions, hold, put, giveBack } = workshop;
  const { order, child, slotEnd } = shapeOfTree(positions, triangles);
  const slots = hold(RECORD_BYTES * order.length);
  const nodes = hold(RECORD_BYTES * child.length);
  const stack = hold(4 * PAIR_ROOM);
  const atPositions = put(positions);
  const inputs = [put(triangles), put(order), put(quantum), put(child), put(slotEnd)];
  const [atTriangles, atOrder, atQuantum, atChild, atEnds] = inputs;
  functions.selfPairsSlots(atPositions, atTriangles, atOrder, order.length, slots, atQuantum);
  functions.selfPairsNodes(atChild, atEnds, child.length, nodes, stack);
  for (const address of inputs) giveBack(address);
  return order.length;
}

/** The lowest x, y, z, and factors that turn distances from it into cells; null if too large. */
function quantumOf({ positions, triangles }: Surface): Float64Array | null {
  const box = boxOf(positions, triangles);
  for (let axis = 0; axis < 3; axis++) {
    const extent = box[axis + 3] - box[axis];
    if (!Number.isFinite(extent)) return null;
    box[axis + 3] = extent > 0 ? Math.min(LAST_CELL / extent, Number.MAX_VALUE) : 0;
  }
  return box;
}
