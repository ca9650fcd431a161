/**
 * Proves in WebAssembly the requirements (requirements.ts) on large trees of 40 or 64 bytes a node,
 * for code that reads or builds trees. Pages that only ask don't load it.
 */

import { NOTES } from '../../../kernels/reading.as.ts';
import { inChunks, isProved } from '../../../kernels/reading.ts';
import type { ObbTree } from './obb-tree.ts';
import { type Extent, requireObbTree } from './requirements.ts';
import { WIDE_BYTES } from './wide-node.ts';

/** Like requireObbTree. @throws FormatError if it is no tree */
export const requireReadTree = (tree: ObbTree): Extent =>
  (tree.nodeBytes === 20 ? null : extentIfProved(tree)) ?? requireObbTree(tree);

/** Returns null if it is not proved: requirements.ts then decides, and names the problem. */
export function extentIfProved({ nodes: bytes, nodeBytes, order, triangles, origin }: ObbTree): Extent | null {
  const total = triangles.length / 3;
  const nodes = bytes.length / nodeBytes;
  const isWide = nodeBytes === WIDE_BYTES;
  if (!Number.isInteger(nodes) || nodes < 1 || (isWide ? order?.length : (nodes + 1) / 2) !== total) return null;
  const [x, y, z] = origin;
  const seen = NOTES + 2 * nodes;
  const extent = { reach: 0, localReach: 0 };
  const isTree = isProved(bytes.length, 2 * nodes + 2 * total + 2, (own) => {
    const { obbFloatNodes, obbWideNodes, obbOrder, obbReach, obbLocalReach } = own.functions;
    const check = isWide ? obbWideNodes : obbFloatNodes;
    new Uint8Array(own.memory.buffer)[NOTES] = 1; // the root's level
    obbReach();
    obbLocalReach();
    const areNodes = inChunks(own, bytes, nodeBytes, (first, end) =>
      check(first, end, nodes, total, NOTES, seen, x, y, z),
    );
    extent.reach = obbReach();
    extent.localReach = obbLocalReach();
    if (!areNodes || !isWide) return areNodes;
    const places = new Uint8Array(own.memory.buffer, seen, 2 * total);
    return (
      !places.subarray(0, total).includes(0) &&
      inChunks(own, order as Uint32Array, 4, (first, end) => obbOrder(end - first, total, seen + total))
    );
  });
  return isTree ? extent : null;
}
