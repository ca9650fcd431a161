/** Exit codes, a contract with scripts. */
import type { Report } from '../engine/records.ts';
import type { Style } from './report-lines.ts';

export const EXIT = {
  /** The expected verdict, or the work is done. */
  expected: 0,
  /** The other verdict, and nothing else. */
  other: 1,
  /** Bad usage, bad input, or a fault of the program. */
  failed: 2,
  /** Undecided, or a truncated list. */
  undecided: 3,
} as const;

/** Returns the code of one report; the highest code counts for several. */
export function exitCodeOf(report: Report, { all, expect, failOn }: Pick<Style, 'all' | 'expect' | 'failOn'>): number {
  const decides = failOn ? report.class : report.verdict;
  if (decides === 'undecided' || (all && !report.contacts.complete)) return EXIT.undecided;
  if (failOn) return failOn.includes(report.class!) ? EXIT.other : EXIT.expected;
  return report.verdict === expect ? EXIT.expected : EXIT.other;
}
