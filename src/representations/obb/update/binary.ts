/** Updates trees of 40 and of 20 bytes per node for moved vertices, in WebAssembly. */
import { runBuild } from '../../../kernels/memory.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { KERNEL } from './binary-kernel.generated.ts';

/** Doubles of the result: origin, reach, largest coordinate, reach of boxes, steps. */
const RESULT = 8;

/**
 * Fits the boxes of `updated`, which has the new vertices but another tree's nodes, along their
 * axes.
 *
 * @returns null if the nodes are no tree, or corners no vertices; undefined without WebAssembly or
 *   memory
 */
export function fitBinary({ nodes, nodeBytes, order, positions, triangles }: ObbTree) {
  return runBuild(KERNEL, ({ memory, functions, hold, put }) => {
    const total = triangles.length / 3;
    const counts = { nodes: nodes.byteLength / nodeBytes, vertices: positions.length / 3 };
    const atNodes = put(nodes);
    const scratch = hold(functions.binaryUpdateScratch(counts.nodes, total, counts.vertices));
    const tree = [atNodes, nodeBytes, counts.nodes, put(triangles), total, order ? put(order) : hold(4 * total)];
    const mesh = [put(positions), Number(positions instanceof Float32Array), counts.vertices];
    const result = hold(8 * RESULT);
    if (!functions.binaryUpdate(...tree, ...mesh, result, scratch)) return null;
    const [x, y, z, , largest, localReach, ...steps] = new Float64Array(memory.buffer, result, RESULT);
    return {
      // A copy: the memory is shared, and its next user overwrites it.
      nodes: new Uint8Array(memory.buffer, atNodes, nodes.byteLength).slice(),
      origin: Float64Array.of(x, y, z),
      scale: Float64Array.from(steps),
      largest,
      localReach,
    };
  });
}
