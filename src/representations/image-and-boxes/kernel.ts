/**
 * Queries of a geometry image and an OBB tree of 64 bytes by kernel.as.ts. A wide tree over the
 * image's triangles is as fast, but costs 2.4 us and 56 bytes per triangle; the image costs 0.07 us
 * and 24 bytes.
 */

import { operandOf } from '../../engine/operand.ts';
import {
  answerPoses,
  askKernel,
  firstContact,
  LEAST_CAPACITY,
  verdictIn,
  workspaceOf,
  writePoses,
} from '../../engine/pair-kernel.ts';
import type { Asset, PairKernel } from '../../engine/representation.ts';
import { traverse } from '../../engine/traverse.ts';
import { UNSUITED } from '../../kernels/layout.as.ts';
import { kernels } from '../../kernels/memory.ts';
import { representationOf } from '../kinds.ts';
import { KERNEL } from './kernel.generated.ts';

/** The two may be in either order. Undefined for other assets, and without kernels or memory. */
export function kernelOfImageAndTree(a: Asset, b: Asset): PairKernel | undefined {
  const isImageFirst = a.representation === 'gi';
  const [image, tree] = isImageFirst ? [a, b] : [b, a];
  if (image.representation !== 'gi' || tree.representation !== 'obb') return undefined;
  const ofImage = placed(image);
  const ofTree = placed(tree);
  const own = kernels(KERNEL);
  if (!own || ofImage === 0 || ofTree === 0) return undefined;
  const workspace = workspaceOf(own);
  const { discQuery, discResume, discPoses, sortContacts } = own.functions;
  const start = (isAll: number, capacity: number): number =>
    discQuery(ofTree, ofImage, Number(isImageFirst), workspace.address, isAll, capacity);
  return {
    // These functions keep both assets alive as long as their records.
    verdict(poseA, poseB) {
      const isOurs = writePoses(workspace, poseA, poseB) && start(0, LEAST_CAPACITY) !== UNSUITED;
      if (isOurs) return verdictIn(workspace);
      return traverse(operandOf(a, poseA), operandOf(b, poseB), firstContact(poseA, poseB)).verdict;
    },
    verdicts: (poses, verdicts) =>
      answerPoses(workspace, poses, verdicts, (count) =>
        discPoses(ofTree, ofImage, Number(isImageFirst), workspace.address, count),
      ),
    search: (query) => askKernel(workspace, query, { start, resume: discResume, sortContacts }),
  };
}

const placed = (asset: Asset): number => representationOf(asset).kernel?.place?.(asset) ?? 0;
