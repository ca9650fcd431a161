/** What a search tests, for those who look on: which nodes of two hierarchies a query visits. */
import type { BoundTree } from './bound-tree.ts';

/**
 * The bounds of two nodes were compared. A node goes by its representation's own number: from 0, or
 * ~primitive where it is that primitive's leaf and no node of its own.
 */
export interface NodeVisit {
  kind: 'nodes';
  /** A node of a, and one of b. */
  a: number;
  b: number;
  /** How deep each is below its root, which is level 0. */
  levelA: number;
  levelB: number;
  /** Whether they were found to be apart, so that nothing below them is looked at. */
  isApart: boolean;
}

/** Two primitives were compared: the number of one of a, and of one of b, as contacts have them. */
export interface HullVisit {
  kind: 'hulls';
  a: number;
  b: number;
}

export type Visit = NodeVisit | HullVisit;

/** Takes what a search has just tested; what it returns is not looked at. */
export type OnVisit = (visit: Visit) => unknown;

/** Tells of nodes of two trees by their places there; undefined where nobody looks on. */
export type NodeTeller = ((i: number, j: number, isApart: boolean) => void) | undefined;

export function nodeTeller(treeA: BoundTree, treeB: BoundTree, onVisit: OnVisit | undefined): NodeTeller {
  if (onVisit === undefined) return undefined;
  return (i, j, isApart) => {
    const [levelA, levelB] = [treeA.level[i], treeB.level[j]];
    onVisit({ kind: 'nodes', a: treeA.own[i], b: treeB.own[j], levelA, levelB, isApart });
  };
}
