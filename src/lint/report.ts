/**
 * The rules of lint, and the records that the command and the library share. Collects findings:
 * counts all, and keeps a limited number per rule.
 */
import { findingId } from '../scene/finding-id.ts';

/** Severity of a rule: `error` fails, `warning` is reported, `off` skips the check. */
export type Severity = 'error' | 'warning' | 'off';

/** The rules of lint (docs/lint.md). */
export type LintRule =
  | 'open-edge'
  | 'orientation'
  | 'non-manifold-edge'
  | 'inverted-shell'
  | 'self-intersection'
  | 'self-touch'
  | 'coincident-face'
  | 'duplicate-face'
  | 'degenerate-face'
  | 'stray-part'
  | 'scale';

/** Default severity of each rule, in the order in which findings are listed. */
export const RULES: Readonly<Record<LintRule, Severity>> = {
  'open-edge': 'error',
  orientation: 'error',
  'non-manifold-edge': 'warning',
  'inverted-shell': 'error',
  'self-intersection': 'error',
  'self-touch': 'off',
  'coincident-face': 'warning',
  'duplicate-face': 'warning',
  'degenerate-face': 'warning',
  'stray-part': 'warning',
  scale: 'warning',
};

export const RULE_NAMES = /* @__PURE__ */ Object.keys(RULES) as LintRule[];
export const SEVERITIES: readonly Severity[] = ['error', 'warning', 'off'];

/** A defect of a mesh. */
export interface LintFinding {
  type: 'finding';
  /** Stable id: the same for the same rule, file, element and triangles. */
  id: string;
  rule: LintRule;
  severity: Exclude<Severity, 'off'>;
  /** The file's name as given; null if there is none. */
  file: string | null;
  /** The object (`o`) of the file; null if the file has none, or is checked as a whole. */
  element: string | null;
  /** Triangle numbers in the file, from 0, that identify the finding; 16 at most. */
  triangles: number[];
  /** Number of edges, triangles or pairs in the finding. */
  count: number;
  /** A place to look at; null if there is no single one. */
  point: number[] | null;
  message: string;
  /** For open edges that joining vertices closes: the distance, and a bit less, the widest gap. */
  weld?: { distance: number; gap: number };
}

export interface LintSummary {
  type: 'summary';
  triangles: number;
  elements: number;
  /** Edge-connected sets of triangles, over all elements. */
  shells: number;
  /** Findings by rule, listed or not; rules that are off are left out. */
  counts: Partial<Record<LintRule, number>>;
  errors: number;
  warnings: number;
  /** Findings that exceed a rule's limit. They are counted but not listed. */
  unlisted: number;
  /** False if a search stopped early: there may be more self-contacts than counted. */
  complete: boolean;
}

/** The result of `lint`: its findings, and their counts. */
export interface LintReport {
  findings: LintFinding[];
  summary: LintSummary;
}

export interface LintOptions {
  /** The file's name for findings. */
  file?: string;
  /** Severities by rule, in place of the defaults (docs/lint.md). */
  severity?: Partial<Record<LintRule, Severity>>;
  /** Listed findings per rule, from 0; 10,000 unless given. All are counted. */
  maxFindings?: number;
  /** Check a mesh as a whole, not object by object. */
  whole?: boolean;
  /** Units of the coordinates, for `scale`; an asset records its own. */
  units?: string;
  /** Join vertices of each object that are closer than this first. */
  weld?: number;
  /** Selects the objects to check, by name. All are checked unless given. */
  isWanted?(name: string): boolean;
}

/** Largest number of triangles that a finding names. */
export const LISTED = 16;

export type Found = Pick<LintFinding, 'triangles' | 'count' | 'point' | 'message' | 'weld'>;

export interface Subject {
  name: string | null;
  /** The number in the file of each of its triangles; null if the numbers are the same. */
  source: Uint32Array | null;
}

export class Findings {
  readonly counts: Partial<Record<LintRule, number>> = {};
  complete = true;
  private readonly kept: { finding: LintFinding; element: number }[] = [];
  private element = -1;
  private subject: Subject = { name: null, source: null };

  constructor(
    private readonly severity: Readonly<Record<LintRule, Severity>>,
    private readonly file: string | null,
    private readonly most: number,
  ) {
    for (const rule of RULE_NAMES) if (severity[rule] !== 'off') this.counts[rule] = 0;
  }

  begin(subject: Subject): void {
    this.subject = subject;
    this.element++;
  }

  isOn(rule: LintRule): boolean {
    return this.severity[rule] !== 'off';
  }

  roomOf(rule: LintRule): number {
    return Math.max(0, this.most - this.countOf(rule));
  }

  private countOf(rule: LintRule): number {
    return this.counts[rule] ?? 0;
  }

  count(rule: LintRule, some: number): void {
    this.counts[rule] = this.countOf(rule) + some;
  }

  add(rule: LintRule, { triangles, ...found }: Found): void {
    const severity = this.severity[rule];
    if (severity === 'off') return;
    if (this.roomOf(rule) > 0) {
      const { name, source } = this.subject;
      const numbers = triangles.slice(0, LISTED).map((t) => (source ? source[t] : t));
      // `findingId` ignores the order of its two names. These two differ in form, so ids never
      // collide.
      const id = findingId(rule, JSON.stringify([this.file, name]), JSON.stringify(numbers));
      const finding: LintFinding = {
        ...{ type: 'finding', id, rule, severity, file: this.file, element: name },
        ...{ triangles: numbers, ...found },
      };
      this.kept.push({ finding, element: this.element });
    }
    this.count(rule, 1);
  }

  /** Suggests a distance for the open edges that it closes; null for none. */
  suggestWeld(distance: number | null): void {
    for (const { finding } of this.kept) {
      const { weld, message } = finding;
      if (!weld) continue;
      if (distance === null || weld.distance > distance) {
        delete finding.weld;
        continue;
      }
      weld.distance = distance;
      finding.message = `${message}, all within ${withinText(weld.gap, distance)}: --weld ${distance} closes them`;
    }
  }

  /** Sorts by element, rule and triangles, so that the order is independent of the search. */
  list(): LintFinding[] {
    const ranks = new Map(RULE_NAMES.map((rule, i) => [rule, i]));
    const rank = ({ rule }: LintFinding): number => ranks.get(rule)!;
    return this.kept
      .sort(
        (a, b) =>
          a.element - b.element ||
          rank(a.finding) - rank(b.finding) ||
          compareLists(a.finding.triangles, b.finding.triangles),
      )
      .map(({ finding }) => finding);
  }

  totals(): Pick<LintSummary, 'counts' | 'errors' | 'warnings' | 'unlisted' | 'complete'> {
    const sum = (wanted: (rule: LintRule) => boolean): number =>
      RULE_NAMES.filter(wanted).reduce((total, rule) => total + this.countOf(rule), 0);
    return {
      counts: this.counts,
      errors: sum((rule) => this.severity[rule] === 'error'),
      warnings: sum((rule) => this.severity[rule] === 'warning'),
      unlisted: sum(() => true) - this.kept.length,
      complete: this.complete,
    };
  }
}

/** Three digits of a gap, not below it; at most the distance that joins it. */
export function withinText(gap: number, distance: number): string {
  const rounded = Number(gap.toPrecision(3));
  return String(Math.min(rounded < gap ? Number((1.006 * gap).toPrecision(3)) : rounded, distance));
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
