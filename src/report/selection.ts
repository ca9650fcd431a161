/** Selects the worst findings of a report, for formats that cannot hold all. */
import type { Report, ReportFinding } from './finding.ts';
import { isOld, LEVELS } from './text.ts';

export interface Selection {
  /** Numbers of findings that are chosen, and that there are, by their rank. */
  chosen: readonly number[];
  all: readonly number[];
  left: number;
  /** The chosen findings, in the report's order, anew at every call. */
  findings(): AsyncIterable<ReportFinding>;
  amongWorst(limit: number): (finding: ReportFinding) => boolean;
}

/** Pictures per file, of the worst findings: each takes a tenth of a second. */
export const MOST_PICTURES = 25;

/**
 * Lower is worse: 0 to 2 are errors, warnings and notes that the baseline does not know, 3 to 5
 * those that it knows.
 */
export const rank = (finding: ReportFinding): number =>
  LEVELS.indexOf(finding.level) + (isOld(finding) ? LEVELS.length : 0);

/** True for the worst findings, if called for all findings in order; earlier ones win ties. */
export const amongWorst = (
  findings: readonly ReportFinding[],
  limit: number,
): ((finding: ReportFinding) => boolean) => {
  const counts = noCounts();
  for (const finding of findings) counts[rank(finding)]++;
  return taker(quotasOf(counts, limit));
};

const noCounts = (): number[] => new Array<number>(2 * LEVELS.length).fill(0);

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Returns how many findings of each rank are among the worst. */
function quotasOf(counts: readonly number[], limit: number): number[] {
  let room = limit;
  return counts.map((count) => {
    const quota = Math.min(count, room);
    room -= quota;
    return quota;
  });
}

function taker(quotas: readonly number[]): (finding: ReportFinding) => boolean {
  const open = [...quotas];
  return (finding) => open[rank(finding)]-- > 0;
}

/** Selects the worst findings; earlier ones win ties. Counts them in one pass, and keeps none. */
export async function worst(report: Report, limit: number): Promise<Selection> {
  const counts = noCounts();
  for await (const finding of report.findings()) counts[rank(finding)]++;
  const quotas = quotasOf(counts, limit);
  const chosen = sumOf(quotas);
  return {
    ...{ chosen: quotas, all: counts },
    left: sumOf(counts) - chosen,
    async *findings() {
      const takes = taker(quotas);
      let missing = chosen;
      if (missing === 0) return;
      for await (const finding of report.findings()) {
        if (!takes(finding)) continue;
        missing--;
        yield finding;
        if (missing === 0) return;
      }
    },
    amongWorst: (most) => taker(quotasOf(quotas, most)),
  };
}
