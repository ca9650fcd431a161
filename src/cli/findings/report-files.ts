/** `--report`: writes files of findings, one report from the output of one or several runs. */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import { brief } from '../../base/printable.ts';
import type { Report, ReportFinding, WriterOptions } from '../../report/finding.ts';
import { type Told, toldBy } from '../../report/records.ts';
import { type ReportOptions, reportOf } from '../../report/report.ts';
import { WRITERS } from '../../report/writers.ts';
import { requireWritable, writeWhole } from '../atomic-write.ts';
import { identityOf, type NamedPlace } from '../inputs/name.ts';
import { about } from '../session.ts';
import { printCommands } from '../terminal.ts';
import { isDrawn, type ReportedRun, type ReportFlags } from './report-flags.ts';
import { SourceLines } from './source-lines.ts';

/** Characters per write. */
const BLOCK = 2 ** 16;
/** 1980-01-01, the first date of zip files. */
const NO_DATE = 315_532_800;
/** The last second of the year 9999: dates of reports have years of four digits. */
const LAST_DATE = 253_402_300_799;

/** Refuses impossible reports before the work. */
export function requireReports({ report = [], together }: ReportFlags, inputs: Iterable<string> = []): void {
  if (report.length > 0) epochOf();
  const taken = new Set(Array.from(inputs, identityOf));
  for (const input of inputs) together?.inputs.add(input);
  for (const { file } of report) {
    if (file === null) continue;
    if (taken.has(identityOf(file))) throw new InputError(`${file}: would overwrite an input`);
    requireWritable(file);
  }
}

/** Returns seconds since 1970, from SOURCE_DATE_EPOCH, so that equal runs give equal bytes. */
export function epochOf(): number {
  const text = process.env.SOURCE_DATE_EPOCH;
  if (text === undefined || text === '') return NO_DATE;
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= LAST_DATE) return seconds;
  const found = JSON.stringify(brief(text, 40));
  const hint = /^\d+$/.test(text) && seconds / 1000 <= LAST_DATE ? `: milliseconds, perhaps?` : '';
  throw new OptionError(`SOURCE_DATE_EPOCH: expected whole seconds from 0 to ${LAST_DATE}, found ${found}${hint}`);
}

/** GitLab checks a repository out into CI_PROJECT_DIR, and a job may run in a folder of it. */
function inRepository(name: string, { isFile }: { isFile: boolean }): string | null {
  return !isFile && !existsSync(name) ? name : pathBelow(process.env.CI_PROJECT_DIR!, name);
}

/** GitHub checks it out into GITHUB_WORKSPACE; paths in annotations are relative to that. */
function inWorkspace(report: Report): Report {
  const top = process.env.GITHUB_WORKSPACE;
  if (!top) return report;
  const within = (file: string | null): string | null => (file === null ? null : (pathBelow(top, file) ?? file));
  async function* findings(): AsyncGenerator<ReportFinding> {
    for await (const finding of report.findings())
      yield { ...finding, subjects: finding.subjects.map((subject) => ({ ...subject, file: within(subject.file) })) };
  }
  return { ...report, findings };
}

/** Returns a file's path from a folder above it; null if it is elsewhere. */
function pathBelow(folder: string, file: string): string | null {
  const path = relative(realPath(folder), realPath(file)).replaceAll(sep, '/');
  return isAbsolute(path) || /^\.\.(\/|$)/.test(path) ? null : path;
}

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

/** Writes the requested reports one by one, each whole or not at all. */
export async function writeReports(report: Report, flags: ReportFlags): Promise<void> {
  const { report: targets = [], group, bcfVersion, csvSeparator, csvBom } = flags;
  for (const { format, file } of targets) {
    const write = await WRITERS.find(({ name }) => name === format)!.load();
    const options: WriterOptions = {
      ...(group && { group }),
      ...(bcfVersion && { bcfVersion }),
      ...(csvSeparator && { csvSeparator }),
      ...(csvBom && { csvBom }),
      ...(process.env.CI_PROJECT_DIR && { inRepository }),
    };
    const pieces = inBlocks(write(format === 'github' ? inWorkspace(report) : report, options));
    if (file !== null) await about(file, () => writeWhole(file, pieces));
    // Annotations are commands; their writer has escaped the text.
    else for await (const piece of pieces) await printCommands(piece);
  }
}

/** Joins pieces of text, so that each write is large enough. */
async function* inBlocks(pieces: AsyncIterable<string | Uint8Array>): AsyncIterable<string | Uint8Array> {
  let text = '';
  for await (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') yield text;
      text = '';
      yield piece;
    }
    if (text.length < BLOCK) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

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
