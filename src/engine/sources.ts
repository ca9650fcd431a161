/** Answers about the sources of two assets: `source` of a check. */

import { OptionError } from '../base/errors.ts';
import { normBound, type Pose } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { derived } from './asset-cache.ts';
import type { BoundTree } from './bound-tree.ts';
import { findClosest } from './closest.ts';
import { answerOfOperands, answerOfStored, type PlacedPair } from './ladder.ts';
import { hullLoader, witnessOf } from './narrow-phase.ts';
import { operandOf, treeOf } from './operand.ts';
import type { Question } from './options.ts';
import { translationOf } from './pair-kernel.ts';
import type { ContactPair, OnVisit, Outcome, Tolerance } from './records.ts';
import { type Answer, addTolerances } from './report.ts';
import { type Asset, type AssetHeader, type SourceView, weldOf } from './representation.ts';
import type { Operand } from './traverse.ts';

/**
 * If assets keep their sources' triangles, these are tested. Otherwise a point of a source is
 * within a margin of the stored surface: its hull's, or `missing`, plus the rounding of
 * coordinates. Cubes, for example, end at the last double before the next cube.
 */
export function answerOfSources(question: Question, pair: PlacedPair): Answer {
  const { a, b, query } = question;
  const tolerance = addTolerances(toleranceOf(a), toleranceOf(b));
  if (tolerance === null) {
    throw new OptionError(
      'source: an asset records no tolerance (its distance from its source mesh), which this answer needs',
    );
  }
  const isKept = [a, b].every((asset) => !viewOf(asset));
  if (isKept && tolerance.missing === 0 && tolerance.excess === 0) return answerOfStored(question, pair);
  // Knowledge of a kind beyond its tolerance is about the mesh whose vertices have been joined.
  const isWelded = [a, b].some(wasWelded);
  const placed = isWelded ? undefined : byKernel(question, pair);
  if (placed) return placed;
  const outcome = isWelded ? undefined : byOwnSearch(question);
  if (outcome) return { outcome, engine: 'search', nearest: null };
  // A search among solids has no margins; there, the whole image's tolerance is used.
  const isSolid = [a, b].some((asset) => representationOf(asset).solid !== undefined);
  const sideA = sourceOperandOf(a, query.poseA, !isSolid);
  const sideB = sourceOperandOf(b, query.poseB, !isSolid);
  if (sideA.isExact && sideB.isExact) return answerOfTriangles(sideA, sideB, question);
  const sizes = sideA.reach + sideB.reach + translationOf(query.poseA) + translationOf(query.poseB);
  const rounding = 2 ** -44 * sizes;
  const beyond = sideA.beyond + sideB.beyond + rounding;
  const threshold = (query.clearance ?? 0) + beyond;
  const deadline = question.budget === undefined ? Number.POSITIVE_INFINITY : question.start + question.budget;
  const goal = { distance: question.distance, clearance: threshold, deadline };
  const nearest = findClosest(sideA, sideB, { ...query, onVisit: ofTriangles(query.onVisit, sideA, sideB) }, goal);
  const isClear = nearest.lower > threshold;
  return {
    outcome: {
      verdict: isClear ? 'clear' : 'undecided',
      contacts: { count: 0, complete: isClear, pairs: [] },
      level: nearest.level,
      tests: nearest.tests,
    },
    engine: 'closest',
    nearest: {
      ...nearest,
      lower: Math.max(0, nearest.lower - beyond),
      upper: nearest.upper + (isSolid ? (sideA.excess ?? 0) + (sideB.excess ?? 0) : 0) + rounding,
      ...(nearest.a >= 0 && { a: sideA.triangle(nearest.a), b: sideB.triangle(nearest.b) }),
      isComplete: false,
    },
  };
}

function byKernel(question: Question, pair: PlacedPair): Answer | undefined {
  const { query, distance, budget, start, isCommon } = question;
  if (isCommon || query.level !== null || query.onVisit || query.own) return undefined;
  const clearance = query.clearance ?? 0;
  // The common engine may take seconds for a bracket, the kind's own search milliseconds.
  const asksFar = distance || clearance > 0 || budget !== undefined;
  const deadline = budget === undefined ? Number.POSITIVE_INFINITY : start + budget;
  const nearest = pair.nearestSources(asksFar)?.(query.poseA, query.poseB, { distance, clearance, deadline });
  if (!nearest) return undefined;
  const isClear = nearest.lower > clearance;
  const { level, tests, lower, upper } = nearest;
  const outcome: Outcome = {
    verdict: isClear ? 'clear' : 'undecided',
    contacts: { count: 0, complete: isClear, pairs: [] },
    level,
    tests,
    ...(!asksFar && { lower, upper }),
  };
  return { outcome, engine: 'kernel', nearest: asksFar ? nearest : null };
}

/** It can only prove that the sources are apart. */
function byOwnSearch({ a, b, query, distance, budget, isCommon }: Question): Outcome | undefined {
  if (query.clearance || distance || budget !== undefined || isCommon) return undefined;
  return a.representation === b.representation ? representationOf(a).own?.searchSources?.(a, b, query) : undefined;
}

/** Exact if all hulls are their sources' triangles. One with several hulls counts once. */
function answerOfTriangles(sideA: SourceOperand, sideB: SourceOperand, question: Question): Answer {
  const { query } = question;
  const seen = new Map<number, Set<number>>();
  const found: { triangles: ContactPair; hulls: ContactPair }[] = [];
  let isCut = false;
  const onContact = (p: number, q: number): boolean => {
    const [i, j] = [sideA.triangle(p), sideB.triangle(q)];
    const partners = seen.get(i) ?? new Set();
    if (partners.has(j)) return true;
    isCut = found.length === query.maxContacts;
    if (isCut) return false;
    seen.set(i, partners.add(j));
    found.push({ triangles: [i, j], hulls: [p, q] });
    isCut = query.onContact?.(i, j) === false;
    return !isCut;
  };
  const onVisit = ofTriangles(query.onVisit, sideA, sideB);
  const own = { ...query, maxContacts: Number.MAX_SAFE_INTEGER, onContact, onVisit };
  const answer = answerOfOperands(sideA, sideB, { ...question, query: own });
  const { contacts } = answer.outcome;
  found.sort(({ triangles: [i, j] }, { triangles: [k, l] }) => i - k || j - l);
  contacts.pairs = found.map(({ triangles }) => triangles);
  contacts.count = found.length;
  if (isCut) contacts.complete = false;
  const hulls = found.map((contact) => contact.hulls);
  if (query.findsWitness && found.length > 0)
    answer.outcome.witness = { ...witnessOf(sideA, sideB, hulls[0])!, pair: contacts.pairs[0] };
  if (question.contactPoints) contacts.points = question.contacts!.points(sideA, sideB, hulls);
  if (question.patches && contacts.complete) contacts.patches = question.contacts!.patches(sideA, sideB, hulls);
  const { nearest } = answer;
  if (nearest && nearest.a >= 0) {
    nearest.a = sideA.triangle(nearest.a);
    nearest.b = sideB.triangle(nearest.b);
  }
  return answer;
}

function ofTriangles(onVisit: OnVisit | undefined, a: SourceOperand, b: SourceOperand): OnVisit | undefined {
  return (
    onVisit &&
    ((visit) => onVisit(visit.kind === 'hulls' ? { ...visit, a: a.triangle(visit.a), b: b.triangle(visit.b) } : visit))
  );
}

interface SourceOperand extends Operand {
  /** True if hulls are the source's triangles; `triangle` gives their numbers. */
  isExact: boolean;
  triangle(id: number): number;
  /** The source's distance from bounds and hulls without margins, in the common frame. */
  beyond: number;
}

function sourceOperandOf(asset: Asset, pose: Pose, hasMargins: boolean): SourceOperand {
  const operand = operandOf(asset, pose);
  const { missing, excess } = toleranceOf(asset) ?? { missing: 0, excess: 0 };
  const norm = normBound(pose);
  const view = viewOf(asset);
  const own = {
    ...operand,
    excess: norm * excess,
    isExact: false,
    triangle: (id: number) => id,
    beyond: norm * missing,
  };
  if (!view) return { ...own, isExact: missing === 0 && excess === 0 };
  const { triangle, margin, reach } = view;
  if (!triangle && !hasMargins) return own;
  const tree = treeOf(sourceTrees, asset, view.unfold);
  const load = hullLoader(view.hull, pose);
  if (triangle) return { ...operand, tree, load, reach, isExact: true, triangle, beyond: 0 };
  return { ...own, tree, load, reach, margin: (id) => norm * margin(id), beyond: 0 };
}

const wasWelded = (asset: Asset): boolean => weldOf((asset as Asset & { header: AssetHeader }).header) > 0;

const viewOf = (asset: Asset): SourceView | null | undefined =>
  wasWelded(asset) ? null : representationOf(asset).own?.source?.(asset);

const toleranceOf = (asset: Asset): Tolerance => representationOf(asset).tolerance(asset);

const sourceTrees = /* @__PURE__ */ derived<Asset, BoundTree>();
