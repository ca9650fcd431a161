/**
 * Which engine answers for two OBB trees:
 *
 * | Nodes of both  | Query    | Kernel    | Search     |
 * |----------------|----------|-----------|------------|
 * | 64 bytes, wide | no level | kernel.ts | twin.ts    |
 * | 64 bytes, wide | a level  |           |            |
 * | 40 or 20 bytes | any      |           | descent.ts |
 * | wide and not   | any      |           |            |
 *
 * What neither answers, the common path does.
 */
import type { Outcome, Query } from '../../../query/report.ts';
import type { PairKernel } from '../../../query/representation.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { checkObbTrees } from './descent.ts';
import { kernelOfWideTrees, searchWideTrees } from './kernel.ts';

const isWide = ({ nodeBytes }: ObbTree): boolean => nodeBytes === WIDE_BYTES;

export function search(a: ObbTree, b: ObbTree, query: Query): Outcome | undefined {
  if (isWide(a) !== isWide(b)) return undefined;
  if (!isWide(a)) return checkObbTrees(a, b, query);
  return query.level === null ? searchWideTrees(a, b, query) : undefined;
}

export function kernel(a: ObbTree, b: ObbTree): PairKernel | undefined {
  return isWide(a) && isWide(b) ? kernelOfWideTrees(a, b) : undefined;
}
