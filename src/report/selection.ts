/** The worst findings of a report, for formats that cannot hold all. */
import type { Report, ReportFinding } from './model.ts';
import { isOld, LEVELS } from './text.ts';

export interface Selection {
  /** How many were left out. */
  left: number;
  /** Those chosen, in the report's order, anew at every call. */
  findings(): AsyncIterable<ReportFinding>;
}

/** The lower the worse: what is not in a baseline before what is, errors before warnings. */
const rank = (finding: ReportFinding): number => LEVELS.indexOf(finding.level) + (isOld(finding) ? LEVELS.length : 0);

/**
 * Chooses the worst of a report's findings; the first of equals. Goes through the findings once to
 * count, and keeps none.
 *
 * @param limit most findings that are chosen
 */
export async function worst(report: Report, limit: number): Promise<Selection> {
  const counts = new Array<number>(2 * LEVELS.length).fill(0);
  for await (const finding of report.findings()) counts[rank(finding)]++;
  const quotas: number[] = [];
  let room = limit;
  for (const count of counts) {
    quotas.push(Math.min(count, room));
    room -= Math.min(count, room);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const chosen = limit - room;
  return {
    left: total - chosen,
    async *findings() {
      const open = [...quotas];
      let missing = chosen;
      if (missing === 0) return;
      for await (const finding of report.findings()) {
        if (open[rank(finding)] === 0) continue;
        open[rank(finding)]--;
        missing--;
        yield finding;
        if (missing === 0) return;
      }
    },
  };
}
