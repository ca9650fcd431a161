/** `--report`: parses formats and files. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { printable } from '../../base/printable.ts';
import type { WriterOptions } from '../../report/finding.ts';
import type { ReportOptions } from '../../report/report.ts';
import { WRITERS } from '../../report/writers.ts';

export interface ReportFlags {
  report?: ReportTarget[];
  group?: NonNullable<WriterOptions['group']>;
  bcfVersion?: NonNullable<WriterOptions['bcfVersion']>;
  csvSeparator?: NonNullable<WriterOptions['csvSeparator']>;
  csvBom?: boolean;
  /** Collects the records if several runs share one report. */
  together?: RunsTogether;
}

export interface RunsTogether {
  runs: ReportedRun[];
  inputs: Set<string>;
}

export interface ReportedRun {
  records: readonly object[];
  command?: string;
  snapshot?: ReportOptions['snapshot'];
}

/** A format and its file; null if the report is printed. */
interface ReportTarget {
  format: string;
  file: string | null;
}

const NAMES = WRITERS.map(({ name }) => name);
/** The format that CI reads from a run's output. */
const PRINTED = 'github';

/** @param more further formats that the command writes by --report */
export const addReportOptions = (command: Command, ...more: string[]): Command =>
  command
    .option(
      '--report <format=file...>',
      `write the findings as files: ${[...NAMES, ...more].join(', ')}; github without a file prints annotations; repeatable`,
      parseTargets([...NAMES, ...more]),
    )
    .addOption(
      new Option('--group <what>', 'BCF: findings that share one topic').choices([
        'finding',
        'rule',
        'element',
        'cluster',
      ]),
    )
    .addOption(new Option('--bcf-version <version>', 'version of BCF [default: 2.1]').choices(['2.1', '3.0']))
    .option(
      '--csv-separator <character>',
      'CSV: , or ; or tab. With ; numbers have a decimal comma [default: ,]',
      separatorOf,
    )
    .option('--csv-bom', 'CSV: begin with a byte order mark, so Excel detects UTF-8');

const SEPARATORS: Readonly<Record<string, NonNullable<WriterOptions['csvSeparator']>>> = {
  ...{ ',': ',', ';': ';', '\t': '\t', tab: '\t' },
};

function separatorOf(text: string): NonNullable<WriterOptions['csvSeparator']> {
  if (Object.hasOwn(SEPARATORS, text)) return SEPARATORS[text];
  throw new InvalidArgumentError(`Expected , or ; or tab, found ${JSON.stringify(printable(text))}.`);
}

const parseTargets =
  (names: readonly string[]) =>
  (text: string, before: ReportTarget[] = []): ReportTarget[] => {
    const [format, ...rest] = text.split('=');
    if (!names.includes(format)) throw new InvalidArgumentError(`Expected ${names.join(', ')}, then = and a file.`);
    const file = rest.join('=');
    if (file === '' && format !== PRINTED) throw new InvalidArgumentError(`Expected a file, as in ${format}=out.`);
    if (file !== '' && before.some((other) => other.file === file))
      throw new InvalidArgumentError(`Two reports would both become ${printable(file)}.`);
    return [...before, { format, file: file === '' ? null : file }];
  };

/** Says which reports were written; printed ones speak for themselves. */
export const reportsWritten = ({ report = [] }: ReportFlags): string[] =>
  report.flatMap(({ format, file }) => (file === null ? [] : [`wrote ${printable(file)} (${format})`]));

const DRAWN = ['bcf', 'html'];
export const isDrawn = ({ report = [] }: ReportFlags): boolean => report.some(({ format }) => DRAWN.includes(format));
