/**
 * Accounts for each element of a run: checked, left out by rule, allowed to be incomplete, or not
 * readable. The counts add up to the elements of all files. Exit code 0 needs none of the last.
 */
import { OptionError } from '../base/errors.ts';
import { Suggestions } from '../base/patterns.ts';
import { grouped, printable, quoted } from '../base/printable.ts';
import type { IfcFacts, ReaderNote } from '../readers/mesh-file.ts';
import { TOOL } from '../version.ts';
import { findingId } from './finding-id.ts';
import { type Choice, choiceText, type IncompleteAllowance, testOf } from './rules.ts';

export interface Unchecked {
  names: string[];
  problem: string;
}

export interface FileWarning {
  file: string;
  text: string;
}

export interface ElementNote {
  name: string;
  file: string;
  element?: string;
  guid?: string;
  ifc?: IfcFacts;
  text: string;
}

interface IncompleteElement extends ElementNote {
  isPart: boolean;
}

export interface ToldElements {
  /** Objects whose surface is missing, in part or wholly; the latter are not in the scene. */
  incomplete: IncompleteElement[];
  /** Objects left out by rule, such as lines and points. */
  leftOut: ElementNote[];
}

export interface Coverage {
  elements: number;
  checked: number;
  leftOut: number;
  allowed: number;
  /** Incomplete: the exit code is 2. */
  unchecked: number;
}

export interface UncheckedFinding {
  type: 'finding';
  id: string;
  rule: null;
  class: 'unchecked';
  level: 'error';
  a: { name: string; file: string | null; element?: string; guid?: string; ifc?: Omit<IfcFacts, 'kinds'> };
  reason: string;
  tool: string;
}

interface CoverageInput extends Readonly<ToldElements> {
  made: number;
  unread: readonly Unchecked[];
}

interface CoverageOptions {
  allow?: readonly IncompleteAllowance[];
  groups?: Readonly<Record<string, readonly Choice[]>> | undefined;
  onUnmatched?: (problem: string) => void;
}

export interface Covered {
  coverage: Coverage;
  findings: UncheckedFinding[];
  failures: Unchecked[];
  allowed: { a: string; reason: string | null; elements: number }[];
  /** Names of incomplete elements, whose missing parts may be in contact. */
  open: ReadonlySet<string>;
}

/** @throws OptionError for an allowance that matches no incomplete element */
export function cover({ made, incomplete, leftOut, unread }: CoverageInput, options: CoverageOptions = {}): Covered {
  const { allow = [], groups = {}, onUnmatched } = options;
  const counts = allow.map(() => 0);
  const tests = allow.map(({ a }) => {
    const choices = typeof a === 'string' && Object.hasOwn(groups, a) ? groups[a] : [a];
    return choices.map(testOf);
  });
  const isAllowed = (element: { name: string; ifc?: IfcFacts }): boolean => {
    let isFound = false;
    for (const [n, some] of tests.entries()) {
      if (!some.some((test) => test(element))) continue;
      counts[n]++;
      isFound = true;
    }
    return isFound;
  };
  const findings = incomplete.filter((element) => !isAllowed(element)).map(findingOf);
  const failures: Unchecked[] = [];
  let absent = 0;
  for (const { names, problem } of unread) {
    const left = names.filter((name) => !isAllowed({ name }));
    absent += names.length;
    if (left.length > 0) failures.push({ names: left, problem });
  }
  const names = [...incomplete.map(({ name }) => name), ...unread.flatMap((each) => each.names)];
  const suggestions = new Suggestions(names);
  for (const [n, { a }] of allow.entries()) {
    if (counts[n] > 0) continue;
    const text = choiceText(a);
    const problem = `incomplete: ${quoted(text)} matches no incomplete object${suggestions.hint(text)}`;
    if (!onUnmatched) throw new OptionError(problem);
    onUnmatched(problem);
  }
  const partial = incomplete.filter(({ isPart }) => isPart).length;
  const unchecked = findings.length + failures.reduce((sum, each) => sum + each.names.length, 0);
  const lacking = incomplete.length + absent;
  return {
    coverage: {
      elements: made - partial + lacking + leftOut.length,
      checked: made - partial,
      leftOut: leftOut.length,
      allowed: lacking - unchecked,
      unchecked,
    },
    findings,
    failures,
    allowed: allow.map(({ a, reason = null }, n) => ({ a: choiceText(a), reason, elements: counts[n] })),
    open: new Set(names),
  };
}

function findingOf({ name, file, element, guid, ifc, text }: IncompleteElement): UncheckedFinding {
  const { kinds: _, ...facts } = ifc ?? {};
  return {
    ...{ type: 'finding', id: findingId('unchecked', file, name), rule: null, class: 'unchecked', level: 'error' },
    a: {
      name,
      file,
      ...(element !== undefined && { element }),
      ...(guid !== undefined && { guid }),
      ...(ifc && { ifc: facts as Omit<IfcFacts, 'kinds'> }),
    },
    ...{ reason: text, tool: TOOL },
  };
}

export function sumOf(parts: readonly Coverage[]): Coverage {
  const sum: Coverage = { elements: 0, checked: 0, leftOut: 0, allowed: 0, unchecked: 0 };
  for (const part of parts) for (const key of Object.keys(sum) as (keyof Coverage)[]) sum[key] += part[key];
  return sum;
}

/** `143 objects: 140 checked, 2 left out by rule, 1 not readable`; `140 objects` if all are. */
export function coverageText({ elements, checked, leftOut, allowed, unchecked }: Coverage, noun: string): string {
  const all = `${grouped(elements)} ${noun}${elements === 1 ? '' : 's'}`;
  if (checked === elements) return all;
  const parts = [
    `${grouped(checked)} checked`,
    ...(leftOut > 0 ? [`${grouped(leftOut)} left out by rule`] : []),
    ...(allowed > 0 ? [`${grouped(allowed)} allowed to be incomplete`] : []),
    ...(unchecked > 0 ? [`${grouped(unchecked)} not readable`] : []),
  ];
  return `${all}: ${parts.join(', ')}`;
}

/** @param called returns an element's name */
export function elementsTold(
  notes: readonly ReaderNote[],
  file: string,
  called: (element: string) => string,
): ToldElements {
  const told: ToldElements = { incomplete: [], leftOut: [] };
  for (const { kind, element, text, id, isPart = false, ifc } of notes) {
    if (kind === 'warning') continue;
    const name = called(element ?? '');
    const own = { ...(id !== undefined && { guid: id }), ...(ifc && { ifc }) };
    const note = { name, file, element: element ?? '', ...own, text: printable(text) };
    if (kind === 'missing') told.incomplete.push({ ...note, isPart });
    else told.leftOut.push(note);
  }
  return told;
}

/** A file as one object: incomplete if an element is, left out if it has no surface by rule. */
export function fileTold(
  notes: readonly ReaderNote[],
  file: string,
  { name, isMade }: { name: string; isMade: boolean },
): ToldElements {
  const lost = notes.find(({ kind }) => kind === 'missing');
  const other = isMade ? undefined : notes.find(({ kind }) => kind === 'left out');
  return {
    incomplete: lost ? [{ name, file, text: printable(`${lost.element}: ${lost.text}`), isPart: isMade }] : [],
    leftOut: other && !lost ? [{ name, file, text: printable(other.text) }] : [],
  };
}
