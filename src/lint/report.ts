/** What lint says: the rules, and the records that scripts and the library share. */

/** How much a finding matters: an error fails, a warning is told, what is off is not looked for. */
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

/**
 * The rules in the order in which findings are listed, each with what it is unless one says
 * otherwise.
 */
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
  /** The same for the same rule, file, element and triangles. */
  id: string;
  rule: LintRule;
  severity: Exclude<Severity, 'off'>;
  /** As it was named; null where nobody did. */
  file: string | null;
  /** The object (`o`) of the file; null where it has none, or is taken whole. */
  element: string | null;
  /**
   * Numbers of triangles in the file, from 0: those that tell the finding from others; 16 at most.
   */
  triangles: number[];
  /** Edges, triangles or pairs that the finding is about. */
  count: number;
  /** Where to look; null where there is no one place. */
  point: number[] | null;
  message: string;
}

export interface LintSummary {
  type: 'summary';
  triangles: number;
  elements: number;
  /** Of all elements: triangles that hang together over edges. */
  shells: number;
  /** Findings by rule, listed or not; rules that are off are left out. */
  counts: Partial<Record<LintRule, number>>;
  errors: number;
  warnings: number;
  /** Findings that a rule's limit left out of the list; the counts have them. */
  unlisted: number;
  /**
   * Whether everything was looked for to its end: if not, there may be more self-contacts than
   * counted.
   */
  complete: boolean;
}

export interface LintReport {
  findings: LintFinding[];
  summary: LintSummary;
}

export interface LintOptions {
  /** What findings call the file. */
  file?: string;
  /** By rule, where it is to be something else than RULES has. */
  severity?: Partial<Record<LintRule, Severity>>;
  /** Findings of a rule that are listed, from 0; 10,000 unless given. All are counted. */
  maxFindings?: number;
  /** Take a mesh whole, not its objects one by one. */
  whole?: boolean;
  /** Of the coordinates, for `scale`; an asset knows its own. */
  units?: string;
}
