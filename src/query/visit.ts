/** Observation of a search: the nodes of two hierarchies that a query visits. */
import type { BoundTree } from './bound-tree.ts';

/**
 * The bounds of two nodes were compared. Nodes have the representation's own numbers, from 0, or
 * ~primitive for that primitive's leaf without a node of its own.
 */
export interface NodeVisit {
  kind: 'nodes';
  a: number;
  b: number;
  /** Depth of each below its root, which is level 0. */
  levelA: number;
  levelB: number;
  /** True if they are apart, so that nothing below them is examined. */
  isApart: boolean;
}

/** Two primitives were compared, one of a and one of b, numbered as in contacts. */
export interface HullVisit {
  kind: 'hulls';
  a: number;
  b: number;
}

export type Visit = NodeVisit | HullVisit;

/** Receives each test of a search; the result is ignored. */
export type OnVisit = (visit: Visit) => unknown;

/** Reports nodes of two trees by their places there; undefined without an observer. */
export type NodeTeller = ((i: number, j: number, isApart: boolean) => void) | undefined;

export function nodeTeller(treeA: BoundTree, treeB: BoundTree, onVisit: OnVisit | undefined): NodeTeller {
  if (onVisit === undefined) return undefined;
  return (i, j, isApart) => {
    const [levelA, levelB] = [treeA.level[i], treeB.level[j]];
    onVisit({ kind: 'nodes', a: treeA.own[i], b: treeB.own[j], levelA, levelB, isApart });
  };
}
