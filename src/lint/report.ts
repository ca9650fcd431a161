/** The rules of lint, and the records that the command and the library share. */

/** Severity of a rule: `error` fails, `warning` is reported, `off` skips the check. */
export type Severity = 'error' | 'warning' | 'off';

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

export interface LintReport {
  findings: LintFinding[];
  summary: LintSummary;
}

export interface LintOptions {
  /** The file's name for findings. */
  file?: string;
  /** Severities by rule that override RULES. */
  severity?: Partial<Record<LintRule, Severity>>;
  /** Listed findings per rule, from 0; 10,000 unless given. All are counted. */
  maxFindings?: number;
  /** Check a mesh as a whole, not object by object. */
  whole?: boolean;
  /** Units of the coordinates, for `scale`; an asset records its own. */
  units?: string;
}
