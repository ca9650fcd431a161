/**
 * The findings that reports are made of, and their levels: error, warning or note. Checks convert
 * their results to these records; the writers in this folder read only these and a summary.
 */
import type { FindingClass } from '../scene/classes.ts';
import type { Finding } from '../scene/records.ts';
import type { Rules } from '../scene/rules.ts';

/** Severity; an error makes the exit code 1. */
export type Level = 'error' | 'warning' | 'note';

/** State relative to a baseline; `gone` and `unchecked` findings occur only in the baseline. */
export type State = 'new' | 'known' | 'worse' | 'gone' | 'unchecked';

export interface Subject {
  name: string;
  /** Its source file, with slashes; null if unknown. */
  file: string | null;
  /** The line of that file where it begins, from 1; null in binary files, or if unknown. */
  line: number | null;
  /** SHA-256 of that file's bytes, hexadecimal. */
  sha256: string | null;
  /** The id in its authoring tool: the GlobalId of IFC. */
  guid: string | null;
}

export interface ReportFinding {
  /** Stable from run to run. */
  id: string;
  /** The rule that was checked; the class if there is no rule. */
  rule: string;
  /** overlap, touch, near, ...; for meshes the rule again. */
  class: string;
  level: Level;
  /** Null without a baseline. */
  state: State | null;
  note: string | null;
  accepted: boolean;
  /** One, or the two of a pair. */
  subjects: readonly Subject[];
  /** One line, without the names of the subjects: `overlap, 20 thick`. */
  message: string;
  /** A place to look at: x, y, z in the common frame. */
  point: readonly number[] | null;
  box: { low: readonly number[]; high: readonly number[] } | null;
  /** Proved bounds on the thickness of an overlap, or on the distance of near objects. */
  size: { kind: 'thickness' | 'distance'; lower: number; upper: number } | null;
  /** The command line that repeats this check; null if there is none. */
  again: string | null;
  /** The question that found it, without lengths of 0; absent if its record doesn't have it. */
  asked?: { clearance: number; patches?: true } & Partial<Pick<Finding['asked'], 'tolerance' | 'touchGap' | 'solid'>>;
}

/** An unchecked file or object; or an input with a warning. */
export interface Failure {
  /** File or object. */
  subject: string;
  message: string;
}

export interface ReportSummary {
  tool: { name: string; version: string };
  /** The command that found this: scene, check, cubes, lint, verify. */
  command: string;
  /** The unit of all lengths; null if unknown. */
  units: string | null;
  /** The files that were checked; absent if they are unknown, or differ from run to run. */
  inputs?: readonly string[];
  /** The extent of the check in words: `572 objects, 163,306 pairs`. */
  asked: string;
  /** Findings by level; those known to a baseline count as notes. */
  counts: Readonly<Record<Level, number>>;
  /** Findings by state; null without a baseline. */
  states: Readonly<Record<State, number>> | null;
  /** Reasons why findings may be missing, one line each; empty if all were found and listed. */
  incomplete: readonly string[];
  failures: readonly Failure[];
  /** Warnings of readers. They never change an exit code. */
  warnings: readonly Failure[];
  /** Seconds since 1970 that date the report: equal runs give equal bytes. */
  epoch: number;
}

export interface Report {
  summary: ReportSummary;
  /** Iterates over all findings in their order, anew at every call: there may be millions. */
  findings(): AsyncIterable<ReportFinding> | Iterable<ReportFinding>;
  /** Returns a PNG picture of a finding, if that can be drawn. */
  snapshot?(finding: ReportFinding): Uint8Array | null | Promise<Uint8Array | null>;
}

/** Writes a report piece by piece. The same report gives the same bytes. */
export type ReportWriter = (report: Report, options: WriterOptions) => AsyncIterable<string | Uint8Array>;

export interface WriterOptions {
  /** BCF: 2.1 unless given. */
  bcfVersion?: '2.1' | '3.0';
  /** BCF: one topic per finding (default), rule, element or cluster. */
  group?: 'finding' | 'rule' | 'element' | 'cluster';
  /** CSV: a comma unless given. With `;` numbers have a decimal comma. */
  csvSeparator?: ',' | ';' | '\t';
  /** CSV: begins with a byte order mark, by which Excel knows UTF-8. */
  csvBom?: boolean;
  /** GitLab: the path from the repository's root, null outside it, or a name that is no file. */
  inRepository?: (name: string, how: { isFile: boolean }) => string | null;
}

/** Classes that fail in a scene by default; `touch` does not. */
export const FAILING: FindingClass[] = ['overlap', 'inside', 'same', 'contact', 'near'];

/** Returns the level of a class if no run has said which classes fail. */
export function levelOf(found: string): Level {
  if (found === 'undecided') return 'warning';
  return (FAILING as readonly string[]).includes(found) ? 'error' : 'note';
}

export function levelsOf(
  failOn: readonly FindingClass[],
  rules: Rules['rules'] = [],
): (finding: Pick<Finding, 'rule' | 'class'>) => Level {
  const own = new Map(rules.map((rule) => [rule.id, rule]));
  return ({ rule: id, class: found }) => {
    if (found === 'undecided') return 'warning';
    const rule = id === null ? undefined : own.get(id);
    return (rule?.fail ?? failOn).includes(found) ? (rule?.severity ?? 'error') : 'note';
  };
}
