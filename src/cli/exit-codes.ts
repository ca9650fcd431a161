/** What the process says by its exit code: a contract with scripts. */
import type { Report } from '../query/report.ts';
import type { Style } from './report-lines.ts';

export const EXIT = {
  /** The expected verdict, or the work is done. */
  expected: 0,
  /** The other verdict, and never anything else. */
  other: 1,
  /** Bad usage, bad input, a fault of ours. */
  failed: 2,
  /** Undecided, or a list that was cut. */
  undecided: 3,
} as const;

/** The code of one report; over several, the highest counts. */
export function exitCodeOf(report: Report, { all, expect, failOn }: Pick<Style, 'all' | 'expect' | 'failOn'>): number {
  const decides = failOn ? report.class : report.verdict;
  if (decides === 'undecided' || (all && !report.contacts.complete)) return EXIT.undecided;
  if (failOn) return failOn.includes(report.class!) ? EXIT.other : EXIT.expected;
  return report.verdict === expect ? EXIT.expected : EXIT.other;
}
