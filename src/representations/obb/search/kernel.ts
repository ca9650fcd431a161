/** Checks two wide OBB trees with the kernel, and places them for it. */
import { requireMesh } from '../../../containers/mesh-sections.ts';
import { UNSUITED } from '../../../kernels/layout.as.ts';
import { adoptPlacement, allocateFor, kernels, place, placementOf } from '../../../kernels/memory.ts';
import {
  askKernel,
  firstContact,
  LEAST_CAPACITY,
  verdictIn,
  workspaceOf,
  writePoses,
} from '../../../query/pair-kernel.ts';
import type { PairKernel } from '../../../query/representation.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { LARGEST_COORDINATE, requireObbTree } from '../tree/requirements.ts';
import { localReaches, reachOfObbTree } from '../tree/unfold.ts';
import { decodeWideBox, WIDE_BYTES, WIDE_DECODED, wideViews } from '../tree/wide-node.ts';
import { checkObbTrees } from './descent.ts';
import { CORNERS, IS_FLOAT, NODES, ORDER, POSITIONS, RECORD_BYTES } from './layout.as.ts';
import { NearestTriangles } from './nearest.ts';
import { writeCorners, writePlacedNumbers } from './record.ts';

/** Copies the tree into the kernels' memory once; 0 without room or kernels. */
export function placeWideTree(tree: ObbTree): number {
  const known = placementOf(tree);
  if (known !== undefined) return known;
  const own = kernels();
  if (!own) return 0;
  // The kernel trusts its input, so check it again: a caller may have changed the tree.
  if (localReaches.get(tree) === undefined) {
    requireObbTree(tree);
    requireMesh(tree, LARGEST_COORDINATE);
  }
  const { nodes, positions, triangles } = tree;
  const order = tree.order as Uint32Array;
  const sizes = [RECORD_BYTES, nodes.byteLength, positions.byteLength, triangles.byteLength, order.byteLength];
  const offsets = [0];
  for (const size of sizes) offsets.push(Math.ceil((offsets.at(-1)! + size) / 64) * 64);
  const record = allocateFor(tree, offsets.at(-1)!);
  adoptPlacement(tree, record);
  if (record === 0) return 0;
  const [, atNodes, atPositions, atCorners, atOrder] = offsets.map((offset) => record + offset);
  place(atNodes, nodes);
  place(atPositions, positions);
  place(atOrder, order);
  writeCorners(new Uint32Array(own.memory.buffer, atCorners, triangles.length), order, triangles);
  const into = new DataView(own.memory.buffer, record, RECORD_BYTES);
  into.setUint32(NODES, atNodes, true);
  into.setUint32(CORNERS, atCorners, true);
  into.setUint32(POSITIONS, atPositions, true);
  into.setUint32(IS_FLOAT, positions instanceof Float32Array ? 1 : 0, true);
  into.setUint32(ORDER, atOrder, true);
  const reaches = { reach: reachOfObbTree(tree), localReach: localReaches.get(tree) ?? localReach(tree) };
  writePlacedNumbers(own, record, { origin: tree.origin, ...reaches });
  return record;
}

function localReach({ nodes }: ObbTree): number {
  const views = wideViews(nodes);
  const box = new Float64Array(WIDE_DECODED);
  let reach = 0;
  for (let node = 0; node < nodes.byteLength / WIDE_BYTES; node++) {
    decodeWideBox(views, node, box, 0);
    let sum = 0;
    for (let k = 9; k < WIDE_DECODED; k++) sum += Math.abs(box[k]);
    if (sum > reach) reach = sum;
  }
  return 1.01 * reach;
}

/** Places two wide trees; undefined without kernels or memory. */
export function kernelOfWideTrees(a: ObbTree, b: ObbTree): PairKernel | undefined {
  const recordA = placeWideTree(a);
  const recordB = placeWideTree(b);
  const own = kernels();
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const workspace = workspaceOf(own);
  const { wideQuery, wideResume } = own.functions;
  const triangles = new NearestTriangles(recordA, recordB, own, workspace);
  return {
    nearest: (poseA, poseB, goal) => triangles.find(poseA, poseB, goal),
    // These functions keep the trees, which must outlive their records.
    verdict(poseA, poseB) {
      const isPlaced = writePoses(workspace, poseA, poseB);
      if (!isPlaced || wideQuery(recordA, recordB, workspace.address, 0, LEAST_CAPACITY) === UNSUITED) {
        return checkObbTrees(a, b, firstContact(poseA, poseB)).verdict;
      }
      return verdictIn(workspace);
    },
    search: (query) =>
      askKernel(
        workspace,
        query,
        (isAll, capacity) => wideQuery(recordA, recordB, workspace.address, isAll, capacity),
        wideResume,
      ),
  };
}
