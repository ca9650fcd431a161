// Helpers of the generated pages: figures as text, tables, links to rows, and the types of the
// sections of docs/speed.md.
import { digits, mean } from './race.mjs';

/** @typedef {import('./rows.mjs').RowHead & Record<string, any>} Row */
/** @typedef {Row & { line: number }} Numbered with its line in the file */

/**
 * The time of gicollide beside that of a peer, in microseconds.
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} way the way of gicollide that was timed
 * @property {number} time
 * @property {string} peer
 * @property {number} peerTime
 * @property {boolean} [isFloor] the peer is a lower bound, such as an empty process
 * @property {boolean} [isOwn] the peer is gicollide itself, in another way
 * @property {string} [why] the reason, if it takes over three times as long
 */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {readonly Answer[]} answers
 * @property {readonly string[]} text paragraphs and tables
 * @property {string} [command] repeats the measurement, if the name of the task is not enough
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

/**
 * A comparison in words, in bold if gicollide is slower: `260 times as fast as FCL (1 ms)`.
 *
 * @param {Answer} answer
 */
export function comparison({ time: own, peer, peerTime }) {
  const text = isEqual(own, peerTime)
    ? 'as fast'
    : own < peerTime
      ? `${count(Number(ratio(peerTime / own)))} times as fast`
      : `**${count(Number(ratio(own / peerTime)))} times as long**`;
  return `${text} as ${peer} (${time(peerTime)})`;
}

/** True if both times agree to two digits. @param {number} own @param {number} peer */
export const isEqual = (own, peer) => ratio(Math.max(own, peer) / Math.min(own, peer)) === '1.0';

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
 * Wraps text at 100 columns. Tables and pictures stay as they are.
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
 * The newest row of a task that has the default pairs and all peers.
 *
 * @param {readonly Numbered[]} rows
 * @param {string} task
 */
export const newest = (rows, task) =>
  rows.findLast(
    (row) => row.task === task && (row.sets ?? 'default') === 'default' && !row.only && (row.native ?? 'FCL') === 'FCL',
  );

/** A link to a row's line in the file, with its date, commit and machine. @param {Numbered} row */
export function rowLink({ task, date, commit, cpu, load, line }) {
  const where = [date, commit && `commit ${commit}`, cpu.replaceAll('(R)', ''), load !== undefined && `load ${load}`]
    .filter(Boolean)
    .join(', ');
  return `[${task}: ${where}](../bench/results.jsonl#L${line})`;
}
