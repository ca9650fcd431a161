/** Assets as the common engine takes them, and what it answers of two stored surfaces. */

import { OptionError } from '../math/errors.ts';
import type { Pose } from '../math/pose.ts';
import { BoundTree, type NodeWriter } from '../query/bound-tree.ts';
import { findClosest } from '../query/closest.ts';
import { derived } from '../query/derived.ts';
import { HULL_NUMBERS, hullLoader, solidOf } from '../query/narrow-phase.ts';
import type { Nearest } from '../query/nearest.ts';
import type { ContactPair, Outcome, Query } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { type Operand, traverse } from '../query/traverse.ts';
import { representationOf } from '../representations/registry.ts';
import type { Question } from './options.ts';
import type { Answer } from './report.ts';

/** Trees that have been unfolded so far, each as long as its asset is alive. */
const trees = /* @__PURE__ */ derived<Asset, BoundTree>();

/** The tree of an asset among those that are known. */
export function treeOf(
  known: WeakMap<Asset, BoundTree>,
  asset: Asset,
  unfold: (node: number, into: NodeWriter) => void,
): BoundTree {
  let tree = known.get(asset);
  if (!tree) {
    tree = new BoundTree(unfold);
    known.set(asset, tree);
  }
  return tree;
}

/** An asset's bounds, and how far they reach. */
export function sideOf(asset: Asset): Pick<Operand, 'tree' | 'reach'> {
  const representation = representationOf(asset);
  const tree = trees.get(asset) ?? treeOf(trees, asset, (node, into) => representation.unfold(asset, node, into));
  return { tree, reach: representation.reach(asset) };
}

/** An asset in its pose. */
export function operandOf(asset: Asset, pose: Pose): Operand {
  const representation = representationOf(asset);
  const { refine, core } = representation;
  const { tree, reach } = sideOf(asset);
  const load = hullLoader((id, out) => representation.hull(asset, id, out), pose);
  const solid =
    refine &&
    solidOf(
      (points, count, slack, effort) => refine(asset, points, count, slack, effort),
      core && ((id, out) => core(asset, id, out)),
      pose,
      reach,
    );
  return { tree, reach, load, solid };
}

/** Whether an asset's primitives are triangles: those of its surface, under the same numbers. */
export function isOfTriangles(asset: Asset): boolean {
  const { refine, hull } = representationOf(asset);
  // A solid in which nothing is found has no hull 0.
  return refine === undefined && hull(asset, 0, new Float64Array(HULL_NUMBERS)) === 3;
}

/**
 * Contact points are known of triangles; what has others is refused before it is found out by a
 * contact.
 */
export function requireTriangles(...assets: Asset[]): void {
  const other = assets.find((asset) => !isOfTriangles(asset));
  if (other) throw new OptionError(`contactPoints: known of triangles only, found ${other.representation}`);
}

/** Whether the nearest of two sides is to be found for an answer, not only what meets. */
function seeksNearest(a: Operand, b: Operand, { query, distance, budget }: Question): boolean {
  if (distance || budget !== undefined) return true;
  return Boolean(query.clearance && (a.solid || b.solid)) && !listsContacts(a, b, query);
}

// Of solids whole faces may be as far apart as the clearance: those that are nearest come first.
const listsContacts = (a: Operand, b: Operand, { all }: Query): boolean => all && !isOnePair(a, b);

const isOnePair = (a: Operand, b: Operand): boolean => a.solid !== undefined && b.solid !== undefined;

/**
 * The common engine's answer.
 *
 * @param isApart whether the kind's own search has proved that nothing is shared
 */
export function answerOfOperands(a: Operand, b: Operand, question: Question, isApart = false): Answer {
  const { query, distance, budget, start } = question;
  if (!seeksNearest(a, b, question)) return { outcome: traverse(a, b, query), engine: 'common', nearest: null };
  const lists = listsContacts(a, b, query);
  const deadline = budget === undefined ? Number.POSITIVE_INFINITY : start + budget;
  const nearest = findClosest(a, b, query, { distance, clearance: query.clearance ?? 0, deadline });
  if (isApart) nearest.isApart = true;
  const found = outcomeOf(nearest, lists ? { ...query, onContact: undefined } : query);
  if (isOnePair(a, b) && found.contacts.count > 0) found.contacts.complete = query.all;
  if (!lists) {
    return { outcome: found, engine: 'closest', nearest: distance || budget !== undefined ? nearest : null };
  }
  const listed = traverse(a, b, query);
  // What a level leaves open in the list, the bracket may have decided.
  if (listed.verdict === 'undecided') listed.verdict = found.verdict;
  return { outcome: listed, engine: 'closest', nearest };
}

/**
 * What the nearest hulls say of contact: exactly without a clearance, else outside the rounding of
 * the distance.
 */
export function outcomeOf(nearest: Nearest, { clearance = 0, onContact }: Query): Outcome {
  // Bounds alone may prove that something is as close, without saying what.
  const isContact = nearest.upper <= clearance;
  const isClear = clearance === 0 ? nearest.isApart : nearest.lower > clearance;
  const pairs: ContactPair[] = nearest.measured <= clearance ? [[nearest.a, nearest.b]] : [];
  for (const [p, q] of pairs) onContact?.(p, q);
  return {
    verdict: isContact ? 'contact' : isClear ? 'clear' : 'undecided',
    contacts: { count: pairs.length, complete: isClear, pairs },
    level: nearest.level,
    tests: { ...nearest.tests },
  };
}
