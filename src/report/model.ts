/**
 * Findings as reports speak of them. Whoever checks something turns it into these; every writer of
 * this folder makes a file of them and of a summary, and knows nothing else.
 */

/** How much a finding matters: an error makes the exit code 1. */
export type Level = 'error' | 'warning' | 'note';

/** What a baseline says of a finding; `gone` and `unchecked` are of it alone. */
export type State = 'new' | 'known' | 'worse' | 'gone' | 'unchecked';

/** What a finding is about: an object of a scene, an element of a mesh file, a file. */
export interface Subject {
  name: string;
  /** The file that it comes from, with slashes; null where none is known. */
  file: string | null;
  /** The line of that file where it begins, from 1; null in binary files, or where nobody looked. */
  line: number | null;
  /** SHA-256 of that file's bytes, hexadecimal. */
  sha256: string | null;
  /** What its own program tells it by: the GlobalId of IFC. */
  guid: string | null;
}

/** One finding. */
export interface ReportFinding {
  /** The same from run to run. */
  id: string;
  /** The rule that asked; the class where nobody gave a rule. */
  rule: string;
  /** overlap, touch, near, ...; of meshes the rule again. */
  class: string;
  level: Level;
  /** Null without a baseline. */
  state: State | null;
  /** What somebody wrote about it in the baseline. */
  note: string | null;
  /** Whether somebody accepted it there. */
  accepted: boolean;
  /** One, or the two of a pair. */
  subjects: readonly Subject[];
  /** One line, without the names of the subjects: `overlap, 20 thick`. */
  message: string;
  /** Where to look: x, y, z in the common frame. */
  point: readonly number[] | null;
  box: { low: readonly number[]; high: readonly number[] } | null;
  /** The thickness of an overlap, or the distance of two that are near: proved bounds. */
  size: { kind: 'thickness' | 'distance'; lower: number; upper: number } | null;
  /** The command line that asks this one question again; null where there is none. */
  again: string | null;
}

/** What could not be checked; or an input, and a warning about it. */
export interface Failure {
  /** File or object. */
  subject: string;
  /** One line. */
  message: string;
}

/** What holds of a report as a whole. */
export interface ReportSummary {
  tool: { name: string; version: string };
  /** The command that found this: scene, check, cubes, lint, verify. */
  command: string;
  /** The unit of all lengths; null where none is known. */
  units: string | null;
  /** What was asked, in words: `572 objects, 163,306 pairs`. */
  asked: string;
  /** Findings by level; those that a baseline knows count as notes. */
  counts: Readonly<Record<Level, number>>;
  /** Findings by state; null without a baseline. */
  states: Readonly<Record<State, number>> | null;
  /** Whether everything was looked for and listed; if not, why, a line each. */
  incomplete: readonly string[];
  failures: readonly Failure[];
  /** What readers warn of. Nothing that a warning is about changes an exit code. */
  warnings: readonly Failure[];
  /** Seconds since 1970 that reports are dated by: equal runs give equal bytes. */
  epoch: number;
}

/** What a writer is given. */
export interface Report {
  summary: ReportSummary;
  /** All findings, in their order, anew at every call: there may be millions. */
  findings(): AsyncIterable<ReportFinding> | Iterable<ReportFinding>;
  /** A picture of a finding (PNG), where somebody can draw one. */
  snapshot?(finding: ReportFinding): Uint8Array | null | Promise<Uint8Array | null>;
}

/** Makes a file of a report, piece by piece. The same report gives the same bytes. */
export type ReportWriter = (report: Report, options: WriterOptions) => AsyncIterable<string | Uint8Array>;

export interface WriterOptions {
  /** BCF: 2.1 unless given. */
  bcfVersion?: '2.1' | '3.0';
  /** BCF: what becomes one topic; a finding unless given. */
  group?: 'finding' | 'rule' | 'element' | 'cluster';
}
