/** The worst findings of a report, for formats that cannot hold all. */
import type { Report, ReportFinding } from './model.ts';
import { isOld, LEVELS } from './text.ts';

export interface Selection {
  /** How many were left out. */
  left: number;
  /** Those chosen, in the report's order, anew at every call. */
  findings(): AsyncIterable<ReportFinding>;
  /** As `amongWorst`, of those chosen. */
  amongWorst(limit: number): (finding: ReportFinding) => boolean;
}

/** Most findings of a file that are drawn, the worst: a picture takes a tenth of a second. */
export const MOST_PICTURES = 25;

/** The lower the worse: what is not in a baseline before what is, errors before warnings. */
const rank = (finding: ReportFinding): number => LEVELS.indexOf(finding.level) + (isOld(finding) ? LEVELS.length : 0);

/**
 * Who is asked of all findings, one after the other, whether each is among the worst of them; the
 * first of equals.
 *
 * @param findings all of them
 * @param limit most that are
 */
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

/** How many of each rank are among the worst. */
function quotasOf(counts: readonly number[], limit: number): number[] {
  let room = limit;
  return counts.map((count) => {
    const quota = Math.min(count, room);
    room -= quota;
    return quota;
  });
}

/** Takes as many of each rank as there is room for. */
function taker(quotas: readonly number[]): (finding: ReportFinding) => boolean {
  const open = [...quotas];
  return (finding) => open[rank(finding)]-- > 0;
}

/**
 * Chooses the worst of a report's findings; the first of equals. Goes through the findings once to
 * count, and keeps none.
 *
 * @param limit most findings that are chosen
 */
export async function worst(report: Report, limit: number): Promise<Selection> {
  const counts = noCounts();
  for await (const finding of report.findings()) counts[rank(finding)]++;
  const quotas = quotasOf(counts, limit);
  const chosen = sumOf(quotas);
  return {
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
