/**
 * Chooses the engine for two OBB trees:
 *
 * |-------------------|----------|-----------|------------|
 *
 * If neither applies, the common path answers.
 */
import type { Outcome, Query } from '../../../engine/records.ts';
import type { PairKernel } from '../../../engine/representation.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { WIDE_BYTES } from '../tree/wide-node.ts';
import { checkObbTrees } from './descent.ts';
import { kernelOfWideTrees, placeWideTree } from './kernel.ts';

const isWide = ({ nodeBytes }: ObbTree): boolean => nodeBytes === WIDE_BYTES;

export function search(a: ObbTree, b: ObbTree, query: Query): Outcome | undefined {
  // A level's result depends on the search order; wide nodes use the common path's.
  const isOurs = query.level === null || !(isWide(a) || isWide(b));
  return isOurs ? checkObbTrees(a, b, query) : undefined;
}

export function kernel(a: ObbTree, b: ObbTree): PairKernel | undefined {
  return isWide(a) && isWide(b) ? kernelOfWideTrees(a, b) : undefined;
}

export const place = (tree: ObbTree): number => (isWide(tree) ? placeWideTree(tree) : 0);
