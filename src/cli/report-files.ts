/** `--report`: which files are made of findings, and where they go. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { InputError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import type { Report, WriterOptions } from '../report/model.ts';
import { WRITERS } from '../report/writers.ts';
import { print } from './files.ts';
import { about } from './session.ts';
import { requireWritable, writeWhole } from './write-whole.ts';

export interface ReportFlags {
  report?: ReportTarget[];
  group?: NonNullable<WriterOptions['group']>;
}

/** A format, and its file; null of what is printed. */
interface ReportTarget {
  format: string;
  file: string | null;
}

/** What CI reads of a run's own output. */
const PRINTED = 'github';
/** Characters that are written at once. */
const BLOCK = 2 ** 16;
/** 1980-01-01, where zip files begin. */
const NO_DATE = 315_532_800;

export const addReportOptions = (command: Command): Command =>
  command
    .option(
      '--report <format=file...>',
      `files of the findings: ${Object.keys(WRITERS).join(', ')}; github alone prints annotations`,
      parseTargets,
    )
    .addOption(
      new Option('--group <what>', 'of BCF: what becomes one topic').choices(['finding', 'rule', 'element', 'cluster']),
    );

function parseTargets(text: string, before: ReportTarget[] = []): ReportTarget[] {
  const [format, ...rest] = text.split('=');
  const known = Object.keys(WRITERS);
  if (!known.includes(format)) throw new InvalidArgumentError(`Expected ${known.join(', ')}, then = and a file.`);
  const file = rest.join('=');
  if (file === '' && format !== PRINTED) throw new InvalidArgumentError(`Expected a file, as in ${format}=out.`);
  if (file !== '' && before.some((other) => other.file === file))
    throw new InvalidArgumentError(`Two reports would both become ${printable(file)}.`);
  return [...before, { format, file: file === '' ? null : file }];
}

/** Refuses what could not be written, before the work. */
export function requireReports({ report = [] }: ReportFlags, inputs: readonly string[] = []): void {
  for (const { file } of report) {
    if (file === null) continue;
    if (inputs.includes(file)) throw new InputError(`${file}: would overwrite an input`);
    requireWritable(file);
  }
}

/** Seconds since 1970 that reports are dated by, so that equal runs give equal bytes. */
export function epochOf(text = process.env.SOURCE_DATE_EPOCH): number {
  const seconds = Number(text);
  return text !== undefined && Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : NO_DATE;
}

/** Writes the reports that are asked for, one after the other, each whole or not at all. */
export async function writeReports(report: Report, { report: targets = [], group }: ReportFlags): Promise<void> {
  for (const { format, file } of targets) {
    const write = await WRITERS[format].load();
    const pieces = inBlocks(write(report, { ...(group && { group }) }));
    if (file !== null) await about(file, () => writeWhole(file, pieces));
    else for await (const piece of pieces) await print(piece);
  }
}

/** Writes the reports of a run that has printed one record. */
export async function reportRecord(record: object, command: string, flags: ReportFlags): Promise<void> {
  if (!flags.report) return;
  const [{ toldBy }, { reportOf }] = await Promise.all([import('../report/records.ts'), import('../report/report.ts')]);
  const told = toldBy(record);
  await writeReports(await reportOf(() => [told], { command, epoch: epochOf() }), flags);
}

/** Pieces of text put together, so that each is worth a call to the system. */
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
