/**
 * Writes Markdown for GitHub and GitLab: a headline, unchecked objects, and a table of the worst
 * findings. It fits into a comment or a step's summary. Text from files is escaped, so that it has
 * no markup, mention or reference.
 */
import type { ReportFinding, ReportSummary, ReportWriter } from './finding.ts';
import { worst } from './selection.ts';
import { cleanLine, levelsInWords, namesOf, placeOf, statesInWords } from './text.ts';

interface Limits {
  rows: number;
  /** Bytes of UTF-8 (never fewer than characters) without the last line. */
  bytes: number;
}

/** GitHub accepts comments of 65,536 characters. */
const COMMENT: Limits = { rows: 50, bytes: 65_000 };
/** GitHub accepts 1 MiB per step. */
const STEP_SUMMARY: Limits = { rows: 1_000, bytes: 1_000_000 };
/** Lines and bytes of each list outside the table; three lists leave room for a row. */
const MOST_LINES = 20;
const LIST_BYTES = 15_000;
/** Characters of a cell, since names may have any length. */
const MOST_OF_A_CELL = 200;

export const markdown: ReportWriter = (report) => write(report, COMMENT);
export const githubSummary: ReportWriter = (report) => write(report, STEP_SUMMARY);

async function* write(report: Parameters<ReportWriter>[0], limits: Limits): AsyncGenerator<string> {
  const head = headOf(report.summary);
  yield head;
  const chosen = await worst(report, limits.rows);
  let room = limits.bytes - bytesOf(head);
  let written = 0;
  let unwritten = chosen.left;
  for await (const finding of chosen.findings()) {
    const row = (written === 0 ? tableHead(report.summary) : '') + rowOf(finding, report.summary);
    room -= bytesOf(row);
    if (room < 0) unwritten++;
    else {
      yield row;
      written++;
    }
  }
  if (unwritten > 0) yield `\n${unwritten} more findings are not shown here.\n`;
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function headOf(summary: ReportSummary): string {
  const { tool, command, asked, incomplete, failures, warnings } = summary;
  const states = statesInWords(summary);
  const lists = [
    ...listOf(
      'Not everything was looked for',
      incomplete.map((reason) => escaped(reason)),
    ),
    ...listOf(
      'Not checked',
      failures.map(({ subject, message }) => `${code(subject)}: ${escaped(message)}`),
    ),
    ...listOf(
      'Warnings',
      warnings.map(({ subject, message }) => `${code(subject)}: ${escaped(message)}`),
    ),
  ];
  return `${[
    `### ${escaped(`${tool.name} ${command}`)}: ${levelsInWords(summary)}`,
    states === null ? escaped(asked) : `${escaped(asked)}; against the baseline ${states}`,
    ...lists,
  ].join('\n\n')}\n\n`;
}

function listOf(title: string, lines: string[]): string[] {
  if (lines.length === 0) return [];
  const shown: string[] = [];
  let room = LIST_BYTES;
  for (const line of lines.slice(0, MOST_LINES)) {
    room -= bytesOf(line);
    if (room >= 0) shown.push(line);
  }
  if (shown.length < lines.length) shown.push(`${lines.length - shown.length} more`);
  return [`**${title}:**`, shown.map((line) => `- ${line}`).join('\n')];
}

const columnsOf = ({ states }: ReportSummary): string[] => [
  'Level',
  ...(states ? ['State'] : []),
  'Rule',
  'Between',
  'Finding',
  'Where',
];

function tableHead(summary: ReportSummary): string {
  const columns = columnsOf(summary);
  return `${line(columns)}${line(columns.map(() => '---'))}`;
}

function rowOf(finding: ReportFinding, { states }: ReportSummary): string {
  const { level, state, accepted, rule, subjects, message, note } = finding;
  const place = subjects.map(placeOf).find((where) => where !== null);
  return line([
    level,
    ...(states ? [`${state ?? ''}${accepted ? ', accepted' : ''}`] : []),
    code(rule),
    subjects.length > 0 ? subjects.map(({ name }) => code(name)).join(' and ') : code(namesOf(finding)),
    escaped(message) + (note === null ? '' : ` (${escaped(note)})`),
    place === undefined ? '' : code(place),
  ]);
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

/** Mentions and issue references have no effect inside code. */
const code = (text: string): string => (text === '' ? '' : `<code>${escaped(text)}</code>`);

/** Replaces punctuation by entities. An element ends after `@` and `#`, so no mention is found. */
function escaped(text: string): string {
  const short = [...cleanLine(text)];
  const cut = short.length > MOST_OF_A_CELL ? [...short.slice(0, MOST_OF_A_CELL - 1), '…'] : short;
  return cut
    .join('')
    .replaceAll(/[!-+:-@[-`{-~]|(?<!\w)-|-(?!\w)|\.(?!\d)/g, (c) => `&#${c.charCodeAt(0)};`)
    .replaceAll(/&#(64|35);/g, '<span>$&</span>');
}
