/** Which search answers for two OBB trees: by the layouts of their nodes. */
import type { Outcome, Query } from '../../../query/report.ts';
import type { ContactTest } from '../../../query/representation.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { checkObbTrees } from './descent.ts';
import { checkWideTrees, prepareWideTrees } from './kernel.ts';

/** The outcome; undefined where no native search reads these nodes, or this query, and the common path answers. */
export function checkObb(a: ObbTree, b: ObbTree, query: Query): Outcome | undefined {
  if (a.nodeBytes === 64 && b.nodeBytes === 64) return checkWideTrees(a, b, query);
  return a.nodeBytes !== 64 && b.nodeBytes !== 64 ? checkObbTrees(a, b, query) : undefined;
}

/** Many queries of two wide trees; the others have no kernel. */
export function prepareObb(a: ObbTree, b: ObbTree): ContactTest | undefined {
  return a.nodeBytes === 64 && b.nodeBytes === 64 ? prepareWideTrees(a, b) : undefined;
}
