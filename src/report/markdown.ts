/**
 * Writes Markdown for GitHub and GitLab: a headline, unchecked objects, and a table of the worst
 * problems. Harmless findings and those that the baseline knows are folded away. It fits into a
 * comment or a step's summary. Text from files is escaped, so that it has no markup, mention or
 * reference.
 */
import { counted, grouped, idsInShort, pointText } from '../base/printable.ts';
import type { ReportFinding, ReportSummary, ReportWriter } from './finding.ts';
import { rank, type Selection, worst } from './selection.ts';
import { cleanLine, LEVELS, placeOf, shownLevel, statesInWords } from './text.ts';

interface Limits {
  rows: number;
  /** Bytes of UTF-8, and never fewer than characters. */
  bytes: number;
}

/** GitHub accepts comments of 65,536 characters. */
const COMMENT: Limits = { rows: 50, bytes: 65_000 };
/** GitHub accepts 1 MiB per step. */
const STEP_SUMMARY: Limits = { rows: 1_000, bytes: 1_000_000 };
/** Lines and bytes of each list outside the table; three lists leave room for a row. */
const MOST_LINES = 20;
const LIST_BYTES = 15_000;
/** Bytes for the titles of the tables and the last line. */
const REST_BYTES = 2_000;
/** Characters of a cell, since names may have any length. */
const MOST_OF_A_CELL = 200;

export const markdown: ReportWriter = (report) => write(report, COMMENT);
export const githubSummary: ReportWriter = (report) => write(report, STEP_SUMMARY);

/** Findings that share a table, by their ranks. */
interface Group {
  ranks: readonly number[];
  /** The title, without a number in front. */
  title: (counts: readonly number[], summary: ReportSummary) => string;
  isFolded: boolean;
}

const GROUPS: readonly Group[] = [
  { ranks: [0, 1], title: (counts) => nounOf('problem', counts), isFolded: false },
  { ranks: [2], title: (counts) => nounOf('harmless finding', counts), isFolded: true },
  {
    ranks: [3, 4, 5],
    title: (counts, { states }) =>
      states ? nounOf('finding', counts) + OF_BASELINE : nounOf('accepted finding', counts),
    isFolded: true,
  },
];

const OF_BASELINE = ' of the baseline';

async function* write(report: Parameters<ReportWriter>[0], limits: Limits): AsyncGenerator<string> {
  const { summary } = report;
  const chosen = await worst(report, limits.rows);
  const head = headOf(summary, chosen);
  yield head;
  const findings: ReportFinding[] = [];
  for await (const finding of chosen.findings()) findings.push(finding);
  const ids = idsInShort(findings.map(({ id }) => id));
  const rows = findings.map((finding, n) => ({ rank: rank(finding), text: rowOf(finding, ids[n], summary) }));
  // The worst first; those of one rank as the run has them.
  rows.sort((p, q) => p.rank - q.rank);
  let room = limits.bytes - bytesOf(head) - REST_BYTES;
  const shown = rows.filter(({ text }) => {
    room -= bytesOf(text);
    return room >= 0;
  });
  for (const group of GROUPS) {
    const own = shown.filter((row) => group.ranks.includes(row.rank)).map(({ text }) => text);
    yield tableOf(
      group,
      own,
      group.ranks.map((each) => chosen.all[each]),
      summary,
    );
  }
  if (findings.length > 0) yield nextStep(summary);
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const nounOf = (noun: string, counts: readonly number[]): string => `${noun}${sumOf(counts) === 1 ? '' : 's'}`;

function headOf(summary: ReportSummary, { all }: Selection): string {
  const { tool, command, asked, units, incomplete, failures, warnings } = summary;
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
  const extent = `${escaped(asked)}${units === null ? '' : `; lengths in ${escaped(units)}`}`;
  return `${[
    `### ${escaped(`${tool.name} ${command}`)}: ${headline(all, summary)}`,
    states === null ? extent : `${extent}; against the baseline ${states}`,
    ...lists,
  ].join('\n\n')}\n\n`;
}

/** `3 new problems (2 errors, 1 warning)`; and how much was not checked. */
function headline(counts: readonly number[], { states, failures, incomplete }: ReportSummary): string {
  const problems = counts[0] + counts[1];
  const levels = ([0, 1] as const).map((each) => counted(counts[each], LEVELS[each]));
  const old = states ? (states.worse > 0 ? 'new or worse ' : 'new ') : '';
  return [
    problems === 0 ? `no ${old}problems found` : `${counted(problems, `${old}problem`)} (${levels.join(', ')})`,
    ...(failures.length > 0 ? [`${grouped(failures.length)} not checked`] : []),
    ...(incomplete.length > 0 ? ['incomplete'] : []),
  ].join(', ');
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

/** A title that counts the rows, and the rows. */
function tableOf(group: Group, rows: readonly string[], counts: readonly number[], summary: ReportSummary): string {
  const total = sumOf(counts);
  if (total === 0) return '';
  const cut = rows.length < total;
  const title = `${cut ? `${rows.length} of ` : ''}${grouped(total)} ${group.title(counts, summary)}${cut ? ' shown' : ''}`;
  if (rows.length === 0) return `${title}\n\n`;
  const columns = columnsOf(summary);
  const table = `${line(columns)}${line(columns.map(() => '---'))}${rows.join('')}\n`;
  if (group.isFolded) return `<details><summary>${title}</summary>\n\n${table}</details>\n\n`;
  return `${cut ? `**${title}**\n\n` : ''}${table}`;
}

const columnsOf = ({ states }: ReportSummary): string[] => [
  'Level',
  ...(states ? ['State'] : []),
  ...['Finding', 'Between', 'Rule', 'Where', 'Id'],
];

function rowOf(finding: ReportFinding, id: string, { states }: ReportSummary): string {
  const { state, accepted, rule, subjects, message, note, point } = finding;
  const place = subjects.map(placeOf).find((where) => where !== null);
  return line([
    shownLevel(finding),
    ...(states ? [`${state ?? ''}${accepted ? ', accepted' : ''}`] : []),
    escaped(message) +
      (point ? escaped(`, at ${pointText(point)}`) : '') +
      (note === null ? '' : ` (${escaped(note)})`),
    subjects.map(({ name }) => code(name)).join(' and '),
    code(rule),
    place === undefined ? '' : code(place),
    code(id),
  ]);
}

/** Commands whose findings a baseline holds, and a page shows. */
const WITH_BASELINE = ['scene', 'lint', 'cubes'];
const PLAIN = /^[\w./-]{1,100}$/;

/** How to look at a finding, and how to accept one. */
function nextStep({ command, inputs = [] }: ReportSummary): string {
  if (!WITH_BASELINE.includes(command)) return '';
  const files =
    inputs.length > 0 && inputs.length <= 4 && inputs.every((file) => PLAIN.test(file)) ? inputs : ['FILES'];
  const view = code(`gicollide view ${files.join(' ')} --baseline FILE --open`);
  const accept = code('--baseline FILE --accept ID --note "ID=why"');
  const look = command === 'scene' ? `Look at a finding, or accept it: ${view}. ` : '';
  return `${look}${accept} accepts one on the command line.\n`;
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
