/**
 * Which engine answers for two OBB trees:
 *
 * | Nodes of 64 bytes | Query    | Kernel    | Search     |
 * |-------------------|----------|-----------|------------|
 * | both              | no level | kernel.ts | descent.ts |
 * | one               | no level |           | descent.ts |
 * | both, or one      | a level  |           |            |
 * | none              | any      |           | descent.ts |
 *
 * What neither answers, the common path does.
 */
import type { Outcome, Query } from '../../../query/report.ts';
import type { PairKernel } from '../../../query/representation.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { checkObbTrees } from './descent.ts';
import { kernelOfWideTrees, placeWideTree } from './kernel.ts';

const isWide = ({ nodeBytes }: ObbTree): boolean => nodeBytes === WIDE_BYTES;

export function search(a: ObbTree, b: ObbTree, query: Query): Outcome | undefined {
  // What is met before a level ends a search depends on its order: that of wide nodes is the common
  // path's.
  const isOurs = query.level === null || !(isWide(a) || isWide(b));
  return isOurs ? checkObbTrees(a, b, query) : undefined;
}

export function kernel(a: ObbTree, b: ObbTree): PairKernel | undefined {
  return isWide(a) && isWide(b) ? kernelOfWideTrees(a, b) : undefined;
}

export const place = (tree: ObbTree): number => (isWide(tree) ? placeWideTree(tree) : 0);
