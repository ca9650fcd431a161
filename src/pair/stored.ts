/** The common engine's answers about two stored surfaces. */

import { findClosest } from '../query/closest.ts';
import type { Nearest } from '../query/nearest.ts';
import type { ContactPair, Outcome, Query } from '../query/report.ts';
import { type Operand, traverse } from '../query/traverse.ts';
import type { Question } from './options.ts';
import type { Answer } from './report.ts';

function seeksNearest(a: Operand, b: Operand, { query, distance, budget }: Question): boolean {
  if (distance || budget !== undefined) return true;
  return Boolean(query.clearance && (a.solid || b.solid)) && !listsContacts(a, b, query);
}

// Whole faces of solids may be as far apart as the clearance: the nearest come first.
const listsContacts = (a: Operand, b: Operand, { all }: Query): boolean => all && !isOnePair(a, b);

const isOnePair = (a: Operand, b: Operand): boolean => a.solid !== undefined && b.solid !== undefined;

/** @param isApart true if the kind's own search has proved that nothing is shared */
export function answerOfOperands(a: Operand, b: Operand, question: Question, isApart = false): Answer {
  const { query, distance, budget, start } = question;
  if (!seeksNearest(a, b, question)) return { outcome: traverse(a, b, query), engine: 'common', nearest: null };
  const lists = listsContacts(a, b, query);
  const deadline = budget === undefined ? Number.POSITIVE_INFINITY : start + budget;
  // `tests` counts the search for the list, so `onVisit` sees only that.
  const asked = lists ? { ...query, onVisit: undefined } : query;
  const nearest = findClosest(a, b, asked, { distance, clearance: query.clearance ?? 0, deadline });
  if (isApart) nearest.isApart = true;
  const found = outcomeOf(nearest, lists ? { ...query, onContact: undefined } : query);
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
