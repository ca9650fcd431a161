/**
 * Writes CSV (RFC 4180) in UTF-8: one line per finding, then unchecked objects and warnings.
 *
 * Text that begins with = + - @, a tab or a line end gets an apostrophe in front, since
 * spreadsheets would run it as a formula. Readers remove one apostrophe before these characters.
 */
import type { ReportFinding, ReportWriter, Subject } from './finding.ts';
import { clean } from './text.ts';

const SUBJECT_COLUMNS = ['name', 'file', 'line', 'guid'];
const COLUMNS = [
  ...['type', 'id', 'level', 'state', 'accepted', 'rule', 'class'],
  ...['a', 'b'].flatMap((side) => SUBJECT_COLUMNS.map((column) => `${side}_${column}`)),
  ...['message', 'x', 'y', 'z', 'low_x', 'low_y', 'low_z', 'high_x', 'high_y', 'high_z'],
  ...['size_kind', 'size_lower', 'size_upper', 'units', 'note', 'again'],
];

type Cell = string | number | boolean | null;

export const csv: ReportWriter = async function* (report, { csvSeparator = ',', csvBom = false }) {
  const { summary } = report;
  const row = (cells: readonly Cell[]): string =>
    `${cells.map((value) => cell(value, csvSeparator)).join(csvSeparator)}\r\n`;
  yield (csvBom ? '\ufeff' : '') + row(COLUMNS);
  for await (const finding of report.findings()) yield row(cellsOf(finding, summary.units));
  for (const { subject, message } of summary.failures) yield row(otherCells('unchecked', subject, message));
  for (const reason of summary.incomplete) yield row(otherCells('incomplete', null, reason));
  for (const { subject, message } of summary.warnings) yield row(otherCells('warning', subject, message));
};

const coordinates = (x: readonly number[] | undefined | null): Cell[] => [0, 1, 2].map((axis) => x?.[axis] ?? null);

const subjectCells = (subject: Subject | undefined): Cell[] =>
  subject ? [subject.name, subject.file, subject.line, subject.guid] : [null, null, null, null];

function cellsOf(finding: ReportFinding, units: string | null): Cell[] {
  const { id, level, state, accepted, rule, subjects, message, point, box, size, note, again } = finding;
  return [
    ...['finding', id, level, state, accepted, rule, finding.class],
    ...[...subjectCells(subjects[0]), ...subjectCells(subjects[1])],
    ...[message, ...coordinates(point), ...coordinates(box?.low), ...coordinates(box?.high)],
    ...[size?.kind ?? null, size?.lower ?? null, size?.upper ?? null, units, note, again],
  ];
}

const otherCells = (type: string, name: string | null, message: string): Cell[] =>
  COLUMNS.map((column) => ({ type, a_name: name, message })[column] ?? null);

function cell(value: Cell, separator: string): string {
  if (value === null) return '';
  // As spreadsheets write it: where a semicolon separates, commas are decimal.
  if (typeof value === 'number') return separator === ';' ? String(value).replace('.', ',') : String(value);
  if (typeof value !== 'string') return String(value);
  const text = clean(value).replace(/^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/, "'$&");
  const isQuoted = /["\r\n]|^\s|\s$/.test(text) || text.includes(separator);
  return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
}
