/** The order in which people read findings: the most severe first, in every output. */
import type { Level, ReportFinding } from './finding.ts';
import { isOld } from './text.ts';

export interface Severity {
  /** A lower rank is more severe; in a rank a greater amount is, and then a greater size. */
  rank: number;
  amount: number;
  size: number;
}

/** Each rank begins with findings that exceed most what is allowed. */
const RANKS = { unchecked: 0, error: 1, warning: 3, harmless: 5 } as const;

interface Ranked {
  class: string;
  level: Level;
  /** True for notes and for what a baseline knows. */
  isHarmless: boolean;
  /** How much it exceeds what is allowed: its thickness, or how much it is too near. */
  excess: number;
  /** The longest edge of its box. */
  size: number;
}

/** `near` follows the other classes of its level; undecided pairs are the first of the warnings. */
export function severityOf({ class: found, level, isHarmless, excess, size }: Ranked): Severity {
  const rank = found === 'unchecked' ? RANKS.unchecked : RANKS[isHarmless || level === 'note' ? 'harmless' : level];
  return {
    rank: rank + (found === 'near' ? 1 : 0),
    amount: found === 'undecided' ? Number.POSITIVE_INFINITY : excess,
    size,
  };
}

export const bySeverity = (p: Severity, q: Severity): number =>
  p.rank - q.rank || (p.amount === q.amount ? 0 : q.amount - p.amount) || q.size - p.size;

export function severityOfFinding(finding: ReportFinding): Severity {
  const { class: found, level, size, asked, box } = finding;
  const lower = size?.lower ?? 0;
  const isThick = size?.kind === 'thickness';
  return severityOf({
    ...{ class: found, level, isHarmless: isOld(finding) },
    excess: found === 'near' ? (asked?.clearance ?? 0) - (isThick ? 0 : lower) : isThick ? lower : 0,
    size: longestEdge(box),
  });
}

export const longestEdge = (box: ReportFinding['box']): number =>
  box ? Math.max(...box.low.map((edge, k) => box.high[k] - edge)) : 0;

/** Returns the findings by severity; those that are as severe keep their order. */
export const sorted = (findings: readonly ReportFinding[]): ReportFinding[] =>
  findings
    .map((finding) => ({ finding, severity: severityOfFinding(finding) }))
    .sort((p, q) => bySeverity(p.severity, q.severity))
    .map(({ finding }) => finding);
