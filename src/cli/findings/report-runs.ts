/** `--report`: makes one report from the output of one or several runs. */
import type { ReportFinding } from '../../report/finding.ts';
import { type Told, toldBy } from '../../report/records.ts';
import { type ReportOptions, reportOf } from '../../report/report.ts';
import type { NamedPlace } from '../inputs/name.ts';
import { epochOf, writeReports } from './report-files.ts';
import { isDrawn, type ReportedRun, type ReportFlags } from './report-flags.ts';
import { SourceLines } from './source-lines.ts';

/** Writes the reports of several runs as those of one. */
export async function reportRuns(runs: readonly ReportedRun[], flags: ReportFlags, named?: NamedPlace): Promise<void> {
  const lines = new SourceLines(named);
  const isTold = toldOnce(runs);
  const owners = new WeakMap<ReportFinding, ReportedRun>();
  function* told(): Generator<Told> {
    for (const run of runs)
      for (const record of run.records) {
        if (!isTold(record)) continue;
        const each = toldBy(lines.addTo(record));
        for (const finding of each.findings) owners.set(finding, run);
        yield each;
      }
  }
  const { command } = runs[0] ?? {};
  const draws = isDrawn(flags) && runs.some(({ snapshot }) => snapshot);
  const options: ReportOptions = {
    epoch: epochOf(),
    ...(command !== undefined && { command }),
    ...(draws && { snapshot: (finding) => owners.get(finding)?.snapshot?.(finding) ?? null }),
  };
  await writeReports(await reportOf(told, options), flags);
}

/**
 * Returns a filter for records of several runs with one baseline. An entry is gone only if no run
 * found it, and is reported once.
 */
function toldOnce(runs: readonly ReportedRun[]): (record: object) => boolean {
  if (runs.length === 1) return () => true;
  const entries = runs.flatMap(({ records }) => records as readonly { type?: string; id?: string }[]);
  const idsOf = (type: string): Set<string | undefined> =>
    new Set(entries.flatMap((entry) => (entry.type === type ? [entry.id] : [])));
  const [found, gone] = [idsOf('finding'), idsOf('gone')];
  const first = new Map(entries.toReversed().map((entry) => [`${entry.type} ${entry.id}`, entry]));
  return (record) => {
    const { type, id } = record as { type?: string; id?: string };
    if (type !== 'gone' && type !== 'unchecked') return true;
    const isOther = type === 'unchecked' && gone.has(id);
    return !found.has(id) && !isOther && first.get(`${type} ${id}`) === record;
  };
}

export const reportRecord = (record: object, command: string, flags: ReportFlags): Promise<void> =>
  reportRuns([{ records: [record], command }], flags);
