/** `gicollide report`: converts findings that other commands printed. */
import type { Command } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { grouped, printable } from '../../base/printable.ts';
import { type Told, toldBy } from '../../report/records.ts';
import { type Records, reportOf } from '../../report/report.ts';
import { notes } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { epochOf, requireReports, writeReports } from '../findings/report-files.ts';
import { addReportOptions, type ReportFlags } from '../findings/report-flags.ts';
import { SourceLines } from '../findings/source-lines.ts';
import { ANYWHERE, isWithin, kindOf, placeOfFindings } from '../inputs/name.ts';
import { inLine, linesOf } from '../lines.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';

export function defineReport(command: Command, session: (command: Command) => Session): void {
  addReportOptions(command)
    .addHelpText(
      'after',
      notes(
        `Reads the --json output of scene, lint, check, cubes and verify, from a file or from stdin (-). These commands accept --report, too;
this command writes files for an earlier run. docs/reports.md describes the formats.
Exit code 0: written; 2: not findings, or not written.`,
        `  $ gicollide scene building.obj --json > findings.ndjson
  $ gicollide report findings.ndjson --report junit=findings.xml html=findings.html
  scene: 572 objects, 163,306 pairs: 12 errors, 0 warnings, 1,095 notes`,
      ),
    )
    .action(async (file: string, flags: ReportFlags, command: Command) => {
      process.exitCode = await runReport(file, flags, session(command));
    });
}

async function runReport(file: string, flags: ReportFlags, session: Session): Promise<number> {
  if (!flags.report) throw new OptionError('--report: expected a format and a file, such as junit=findings.xml');
  requireReports(flags, [file]);
  const isStored = kindOf(file) === 'file';
  // A file elsewhere yields only line numbers; the report has nothing else from it.
  const lines = new SourceLines(ANYWHERE);
  const place = placeOfFindings(file, session);
  const records: Records = isStored ? () => recordsOf(file, lines) : await heldOf(file, lines);
  const report = await reportOf(records, {
    epoch: epochOf(),
    ...(isStored && {
      againOf: ({ id, subjects }) => {
        const isOutside = subjects.some((subject) => subject.file !== null && !isWithin(subject.file, place));
        return `gicollide check --finding ${file}#${id}${isOutside ? ' --allow-outside' : ''}`;
      },
    }),
  });
  const { command, asked, counts, failures } = report.summary;
  if (counts.error + counts.warning + counts.note + failures.length === 0 && asked === '0 pairs')
    throw new InputError(`${file}: expected findings that gicollide printed with --json, found none`);
  await writeReports(report, flags);
  if (session.global.quiet || flags.report.some(({ file }) => file === null)) return EXIT.expected;
  const told = Object.entries(counts).map(([level, count]) => `${grouped(count)} ${level}${count === 1 ? '' : 's'}`);
  await print(`${printable(command)}: ${asked}: ${told.join(', ')}\n`);
  return EXIT.expected;
}

async function* recordsOf(file: string, lines: SourceLines): AsyncGenerator<Told> {
  const name = file === '-' ? 'stdin' : file;
  for await (const { text, line } of linesOf(file)) {
    const record = inLine(name, line, () => parseJson(text));
    yield inLine(name, line, () => toldBy(isObject(record) ? lines.addTo(record) : record));
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Holds the records of a pipe, which can be read only once. */
async function heldOf(file: string, lines: SourceLines): Promise<Records> {
  const records: Told[] = [];
  for await (const told of recordsOf(file, lines)) records.push(told);
  return () => records;
}
