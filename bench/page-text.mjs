// The words of the pages that are made of rows: figures as text, tables, links to rows, and what a
// section of docs/speed.md is made of.
import { digits, mean } from './race.mjs';

/** @typedef {import('./rows.mjs').RowHead & Record<string, any>} Row */
/** @typedef {Row & { line: number }} Numbered with its line in the file */

/**
 * How long we take beside a peer, microseconds.
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} way ours
 * @property {number} time
 * @property {string} peer
 * @property {number} peerTime
 * @property {boolean} [isFloor] no peer: what nobody can be faster than
 * @property {string} [why] a sentence that says why it takes so long, where it takes over 3 times
 */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {readonly Answer[]} answers
 * @property {readonly string[]} text paragraphs and tables
 * @property {string} [command] what makes the row anew, where it is not the task alone
 */

/** @typedef {(row: Row) => Section | null} Writer */

/** @param {number} x */
export const count = (x) => x.toLocaleString('en-US');

/**
 * Microseconds as text: two digits, three from a hundred on.
 *
 * @param {number | null | undefined} us
 */
export function time(us) {
  if (typeof us !== 'number') return '';
  const [value, unit] = us < 1000 ? [us, 'us'] : us < 1e6 ? [us / 1000, 'ms'] : [us / 1e6, 's'];
  return `${digits(value, value < 100 ? 2 : 3)} ${unit}`;
}

/** @param {number} ms */
export const ofMs = (ms) => time(1000 * ms);

/** @param {number} x */
export const ratio = (x) => (x < 100 ? x.toPrecision(2) : String(digits(x)));

/** A share in two digits. @param {number} share */
export const percent = (share) => `${Number((100 * share).toPrecision(2))} %`;

/** @param {readonly number[]} values */
export const geometricMean = (values) => Math.exp(mean(values.map(Math.log)));

/**
 * A table in Markdown.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function table(head, rows) {
  const line = (/** @type {readonly (string | number)[]} */ cells) =>
    `| ${cells.join(' | ')} |`.replaceAll(/\| {2}(?=\|)/g, '| ');
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/**
 * Lines of text end at 100 columns; tables and pictures stay as they are.
 *
 * @param {string} paragraph
 */
export function wrapped(paragraph) {
  if (/^[|!#-]/.test(paragraph)) return paragraph;
  const lines = [''];
  // Code and links stay in one piece.
  for (const word of paragraph.match(/\[[^\]]*\]\([^)]*\)\S*|[^\s`]*`[^`]*`\S*|\S+/g) ?? []) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > 100) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join('\n');
}

/**
 * The newest row of a task, of its own pairs and with all peers.
 *
 * @param {readonly Numbered[]} rows
 * @param {string} task
 */
export const newest = (rows, task) =>
  rows.findLast(
    (row) => row.task === task && (row.sets ?? 'default') === 'default' && !row.only && (row.native ?? 'FCL') === 'FCL',
  );

/** A row's line in the file, and what it was measured on. @param {Numbered} row */
export function rowLink({ task, date, commit, cpu, load, line }) {
  const where = [date, commit && `commit ${commit}`, cpu.replaceAll('(R)', ''), load !== undefined && `load ${load}`]
    .filter(Boolean)
    .join(', ');
  return `[${task}: ${where}](../bench/results.jsonl#L${line})`;
}
