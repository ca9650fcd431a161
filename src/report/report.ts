/** A report of what a run printed: all its records gone through once, for what holds of the whole. */
import { counted } from '../base/printable.ts';
import { TOOL_NAME, VERSION } from '../version.ts';
import type { Failure, Level, Report, ReportFinding, ReportSummary, State } from './finding.ts';
import type { Summary, Told } from './records.ts';

/** Iterates over all records, anew at every call. */
export type Records = () => Iterable<Told> | AsyncIterable<Told>;

export interface ReportOptions {
  command?: string;
  epoch: number;
  againOf?: (finding: ReportFinding) => string | null;
  snapshot?: Report['snapshot'];
}

/** Makes a report. Records are read once for the summary, and once for every writer. */
export async function reportOf(records: Records, options: ReportOptions): Promise<Report> {
  const summary = await summaryOf(records, options);
  const { againOf, snapshot } = options;
  async function* findings(): AsyncIterable<ReportFinding> {
    for await (const told of records()) {
      for (const finding of told.findings) yield againOf ? { ...finding, again: againOf(finding) } : finding;
    }
  }
  return { summary, findings, ...(snapshot && { snapshot }) };
}

/** A failing finding counts as a note if a baseline knows it, or if it is gone. */
const isRed = ({ state }: ReportFinding): boolean => state === null || state === 'new' || state === 'worse';

async function summaryOf(records: Records, options: ReportOptions): Promise<ReportSummary> {
  const counts: Record<Level, number> = { error: 0, warning: 0, note: 0 };
  const states: Record<State, number> = { new: 0, known: 0, worse: 0, gone: 0, unchecked: 0 };
  const failures: Failure[] = [];
  const warnings: Failure[] = [];
  let isCompared = false;
  let { command } = options;
  const summaries: Summary[] = [];
  let pairs = 0;
  let models: number | undefined;
  let cubes = '';
  for await (const told of records()) {
    for (const finding of told.findings) {
      counts[isRed(finding) ? finding.level : 'note']++;
      if (finding.state === null) continue;
      states[finding.state]++;
      isCompared = true;
    }
    if (told.failure) failures.push(told.failure);
    if (told.warning) warnings.push(told.warning);
    command ??= told.command;
    if (told.summary) summaries.push(told.summary);
    pairs += told.asked?.pairs ?? 0;
    models = told.asked?.models ?? models;
    if (told.asked?.pairsOfCubes !== undefined) cubes = `, ${counted(told.asked.pairsOfCubes, 'pair')} of cubes`;
  }
  const last = together(summaries);
  return {
    tool: { name: TOOL_NAME, version: VERSION },
    command: command ?? commandOf(last),
    ...(summaries.length === 1 && inputsOf(summaries[0])),
    units: typeof last?.units === 'string' ? last.units : null,
    asked:
      models === undefined ? askedBy(last, pairs) : `${counted(models, 'model')}, ${counted(pairs, 'pair')}${cubes}`,
    counts,
    states: isCompared ? states : null,
    incomplete: lacksOf(last),
    ...{ failures, warnings },
    epoch: options.epoch,
  };
}

function together(summaries: readonly Summary[]): Summary | undefined {
  const [first, ...others] = summaries;
  if (others.length === 0) return first;
  const sum: Record<string, unknown> = { ...first };
  for (const other of others) {
    for (const [key, value] of Object.entries(other))
      if (typeof value === 'number') sum[key] = value + (typeof sum[key] === 'number' ? sum[key] : 0);
    if (other.complete === false) sum.complete = false;
    if (other.units !== sum.units) sum.units = null;
  }
  return sum as Summary;
}

const numberIn = (summary: Summary | undefined, key: string): number | undefined => {
  const value = summary?.[key];
  return typeof value === 'number' && value >= 0 ? value : undefined;
};

function inputsOf({ run }: Summary): Pick<ReportSummary, 'inputs'> {
  const files = (run as { files?: unknown } | null | undefined)?.files;
  return Array.isArray(files) && files.every((file) => typeof file === 'string') ? { inputs: files } : {};
}

function commandOf(summary: Summary | undefined): string {
  if (summary && 'files' in summary) return 'lint';
  return summary && 'poses' in summary ? 'check' : 'scene';
}

function askedBy(summary: Summary | undefined, pairs: number): string {
  const nouns = [
    ['files', 'file'],
    ['objects', 'object'],
    ['frames', 'frame'],
    ['triangles', 'triangle'],
    ['elements', 'element'],
    ['poses', 'pose'],
    ['pairs', 'pair'],
  ] as const;
  const told = nouns.flatMap(([key, noun]) => {
    const number = key === 'pairs' && summary && 'frames' in summary ? undefined : numberIn(summary, key);
    return number === undefined ? [] : [counted(number, noun)];
  });
  return told.length > 0 ? told.join(', ') : counted(pairs, 'pair');
}

function lacksOf(summary: Summary | undefined): string[] {
  const some = (key: string): number => numberIn(summary, key) ?? 0;
  return [
    ...(some('unasked') > 0 ? [`${counted(some('unasked'), 'pair')} not asked in time`] : []),
    ...(some('unlisted') > 0 ? [`${counted(some('unlisted'), 'finding')} left out of the list`] : []),
    ...(summary?.complete === false ? ['not everything was looked for to its end'] : []),
  ];
}
