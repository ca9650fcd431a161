/**
 * The table of engines (docs/engines.md): the first rung that accepts a question answers it. Also
 * gives the common engine's answers about two stored surfaces.
 *
 * Engines may differ in the first contact and in their counts, never in the verdict or complete
 * list.
 */
import { OptionError } from '../base/errors.ts';
import { representationOf } from '../representations/kinds.ts';
import { bracketOfRoots, findClosest } from './closest.ts';
import { isOfTriangles, operandOf, sideOf } from './operand.ts';
import type { Question } from './options.ts';
import type { ContactPair, Engine, Nearest, Outcome, Query } from './records.ts';
import { type Answer, TOUCHING, witnessIn } from './report.ts';
import type { PairKernel } from './representation.ts';
import { type Operand, traverse } from './traverse.ts';

export interface PlacedPair {
  kernel(): PairKernel | undefined;
  nearestKernel(): PairKernel | undefined;
  /** @param atOnce true if another engine may take as long as placing the sources */
  nearestSources(atOnce: boolean): PairKernel['nearest'];
}

interface Rung {
  engine: Engine;
  answer(question: Question, pair: PlacedPair): Answer | undefined;
}

/** From kinds that have primitives (primitive-pairs.ts). */
let byPrimitives: ((question: Question) => Answer | undefined) | undefined;

export function registerPrimitives(answer: (question: Question) => Answer | undefined): void {
  byPrimitives = answer;
}

type AnswerOfSources = (question: Question, pair: PlacedPair) => Answer;

/** From kinds that may differ from their sources (sources.ts). */
let bySources: AnswerOfSources | undefined;

export function registerSources(answer: AnswerOfSources): void {
  bySources = answer;
}

/** docs/engines.md says what each engine answers, in this order. */
const LADDER: readonly Rung[] = [
  // opened.ts asks this rung first: its tiles are read on demand.
  { engine: 'tiles', answer: () => undefined },
  { engine: 'kernel', answer: byKernel },
  { engine: 'convex', answer: (question) => byPrimitives?.(question) },
  { engine: 'search', answer: bySearch },
  { engine: 'closest', answer: (question) => onCommonPath(question) },
  // The common path itself names the engine that answered.
  { engine: 'common', answer: (question) => onCommonPath(question) },
];

/** @throws OptionError for sources of assets about whose sources this page knows nothing */
export function answerOf(question: Question, pair: PlacedPair): Answer {
  if (!question.source) return answerOfStored(question, pair);
  if (bySources) return bySources(question, pair);
  for (const asset of [question.a, question.b]) {
    const tolerance = representationOf(asset).tolerance(asset);
    if (!tolerance || tolerance.missing > 0 || tolerance.excess > 0)
      throw new OptionError("source: this entry supports only unchanged meshes; import { check } from 'gicollide'");
  }
  return answerOfStored(question, pair);
}

export function answerOfStored(question: Question, pair: PlacedPair): Answer {
  const rungs = question.isBySearch ? LADDER.filter(({ engine }) => engine === 'search') : LADDER;
  for (const rung of rungs) {
    const answer = rung.answer(question, pair);
    if (answer) return withBracket(answer, question);
  }
  const { a, b } = question;
  throw new OptionError(
    `engine: expected two assets of one kind with a search, found ${a.representation} and ${b.representation}`,
  );
}

/** Adds a bracket of the distance, at least that of the roots, if a level leaves it open. */
function withBracket(answer: Answer, { a, b, query }: Question): Answer {
  const { outcome, nearest } = answer;
  const isOpen = outcome.verdict === 'undecided' && query.level !== null && !nearest && outcome.upper === undefined;
  if (!isOpen || !isOfTriangles(a) || !isOfTriangles(b)) return answer;
  const { upper } = bracketOfRoots(sideOf(a), sideOf(b), query.poseA, query.poseB);
  return { ...answer, outcome: { ...outcome, upper } };
}

const asksForContact = ({ query, distance, isCommon }: Question): boolean => !isCommon && !query.clearance && !distance;

function byKernel(question: Question, pair: PlacedPair): Answer | undefined {
  const { query } = question;
  // Kernels read no options of one kind.
  if (question.isCommon || query.level !== null || query.onVisit || query.own) return undefined;
  if (!asksForContact(question)) return byNearestKernel(question, pair);
  const kernel = pair.kernel();
  const answer = kernel && contactBy('kernel', question, (asked) => kernel.search(asked));
  return answer ?? (question.budget === undefined ? undefined : byNearestKernel(question, pair));
}

/** With a budget: undefined if the plain search doesn't end; the rest is for the bracket. */
function contactBy(
  engine: Engine,
  question: Question,
  search: (query: Query) => Outcome | undefined,
): Answer | undefined {
  const outcome = search(question.query);
  if (question.budget === undefined) return outcome && { outcome, engine, nearest: null };
  if (question.isBySearch && outcome)
    return { outcome, engine, nearest: outcome.verdict === 'contact' ? TOUCHING : null };
  if (!outcome || outcome.verdict === 'undecided') return undefined;
  if (outcome.verdict === 'contact') return { outcome, engine, nearest: TOUCHING };
  const { a, b, query } = question;
  const bracket = bracketOfRoots(sideOf(a), sideOf(b), query.poseA, query.poseB);
  return { outcome, engine, nearest: { ...TOUCHING, ...bracket, isApart: true } };
}

function byNearestKernel({ query, distance, budget, start }: Question, pair: PlacedPair): Answer | undefined {
  if (query.all) return undefined;
  const deadline = budget === undefined ? Number.POSITIVE_INFINITY : start + budget;
  const goal = { distance, clearance: query.clearance ?? 0, deadline };
  const nearest = pair.nearestKernel()?.nearest?.(query.poseA, query.poseB, goal);
  if (!nearest) return undefined;
  const outcome = outcomeOf(nearest, query);
  return { outcome, engine: 'kernel', nearest: distance || budget !== undefined ? nearest : null };
}

function bySearch(question: Question): Answer | undefined {
  const { a, b, distance, budget, isCommon, isBySearch, query } = question;
  if (isCommon || a.representation !== b.representation) return undefined;
  // Only one search reports its progress, so a search that another one may have to end does not
  // begin. And the common cells of two solids are nodes of neither.
  if (query.onVisit && ((budget !== undefined && !isBySearch) || representationOf(a).solid)) return undefined;
  if (asksForContact(question) && (budget === undefined || isOfTriangles(a))) {
    return contactBy('search', question, (asked) => representationOf(a).search?.(a, b, asked));
  }
  // The bounds of solids' cells prove that they are apart to within a cell; their own search does
  // so to within rounding.
  const searched = representationOf(a).solid && searchSolids(question);
  if (!searched) return undefined;
  if (searched.verdict !== 'contact') return onCommonPath(question, searched.verdict === 'clear');
  return { outcome: searched, engine: 'search', nearest: distance || budget !== undefined ? shared(searched) : null };
}

const onCommonPath = (question: Question, isApart = false): Answer =>
  answerOfOperands(operandOf(question.a, question.query.poseA), operandOf(question.b, question.query.poseB), question, {
    isApart,
  });

/** Cells per millisecond for an ordinary F-rep; half of the time is left for the bracket. */
const CELLS_A_MILLISECOND = 100;

/** Ignores the clearance. */
function searchSolids({ a, b, query, budget }: Question): Outcome | undefined {
  const mostCells = budget === undefined ? undefined : Math.max(1, CELLS_A_MILLISECOND * budget);
  return representationOf(a).search?.(a, b, { ...query, clearance: 0, ...(mostCells && { mostCells }) });
}

function shared({ point = [], level, tests }: Outcome): Nearest {
  const at = Float64Array.from(point);
  const nothing = { lower: 0, upper: 0, measured: 0, a: 0, b: 0 };
  return { ...nothing, onA: at, onB: at, isApart: false, isComplete: true, level, tests };
}

function seeksNearest(a: Operand, b: Operand, { query, distance, budget }: Question): boolean {
  if (distance || budget !== undefined) return true;
  return Boolean(query.clearance && (a.solid || b.solid)) && !listsContacts(a, b, query);
}

// Whole faces of solids may be as far apart as the clearance, so the nearest pairs come first.
const listsContacts = (a: Operand, b: Operand, { all }: Query): boolean => all && !isOnePair(a, b);

const isOnePair = (a: Operand, b: Operand): boolean => a.solid !== undefined && b.solid !== undefined;

/** @param isApart true if the kind's own search has proved that nothing is shared */
export function answerOfOperands(a: Operand, b: Operand, question: Question, { isApart = false } = {}): Answer {
  const { query, distance, budget, start } = question;
  if (!seeksNearest(a, b, question)) return { outcome: traverse(a, b, query), engine: 'common', nearest: null };
  const lists = listsContacts(a, b, query);
  const deadline = budget === undefined ? Number.POSITIVE_INFINITY : start + budget;
  // `tests` counts the search for the list, so `onVisit` sees only that.
  const asked = lists ? { ...query, onVisit: undefined } : query;
  const nearest = findClosest(a, b, asked, { distance, clearance: query.clearance ?? 0, deadline });
  if (isApart) nearest.isApart = true;
  const found = outcomeOf(nearest, lists ? { ...query, onContact: undefined } : query);
  // At distance 0 the points of solids are approximate.
  if (query.findsWitness && found.contacts.count > 0 && nearest.measured > 0) found.witness = witnessIn(nearest);
  if (isOnePair(a, b) && found.contacts.count > 0) found.contacts.complete = query.all;
  if (!lists) {
    return { outcome: found, engine: 'closest', nearest: distance || budget !== undefined ? nearest : null };
  }
  const listed = traverse(a, b, query);
  // The bracket may decide a list that a level leaves open.
  if (listed.verdict === 'undecided') listed.verdict = found.verdict;
  return { outcome: listed, engine: 'closest', nearest };
}

/** Exact without a clearance, otherwise outside the rounding of the distance. */
export function outcomeOf(nearest: Nearest, { clearance = 0, onContact }: Query): Outcome {
  // Bounds alone may prove the clearance violated, without a pair to name.
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
