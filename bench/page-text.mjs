// The words of docs/speed.md: figures as text, tables, and what a section is made of.
import { digits, mean } from './race.mjs';

/** @typedef {import('./rows.mjs').RowHead & Record<string, any>} Row */

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
