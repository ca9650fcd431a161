// Writes docs/speed.md, docs/experiments.md, their charts, and README's lines on speed from the
// newest rows of results.jsonl. A test compares the files with the rows.
//
//   npm run bench -- page
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { frepPlot } from './frep-plot.mjs';
import { experimentPages } from './page-experiments.mjs';
import { SECTIONS } from './page-sections.mjs';
import { summaryTable } from './page-summary.mjs';
import { comparison, isEqual, newest, rowLink, table, time, wrapped } from './page-text.mjs';
import { readRows } from './rows.mjs';
import { speedPlot } from './speed-plot.mjs';

/** @typedef {import('./page-text.mjs').Answer} Answer */
/** @typedef {import('./page-text.mjs').Section} Section */
/** @typedef {import('./page-text.mjs').Numbered} Row */

const root = new URL('../', import.meta.url);

/** @typedef {{ task: string, row: Row, section: Section }} Written */

/** @param {readonly Row[]} rows @returns {Written[]} */
const written = (rows) =>
  Object.entries(SECTIONS).flatMap(([task, write]) => {
    const row = newest(rows, task);
    const section = row && write(row);
    return row && section ? [{ task, row, section }] : [];
  });

/**
 * A line for every question and way of gicollide, with all peers.
 *
 * @param {readonly Answer[]} answers
 */
function answersTable(answers) {
  /** @type {Map<string, Answer[]>} */
  const lines = new Map();
  for (const answer of answers) {
    const key = `${answer.question} | ${answer.way}`;
    lines.set(key, [...(lines.get(key) ?? []), answer]);
  }
  return table(
    ['question', 'gicollide', 'time', 'compared with (its time)'],
    [...lines.values()].map((line) => [
      ...[line[0].question, line[0].way, time(line[0].time)],
      line.map(comparison).join(', '),
    ]),
  );
}

/** @param {Written} part */
function sectionText({ task, row, section: { title, answers, text, command } }) {
  return [
    `## ${title}`,
    ...text,
    ...(answers.length > 0 ? [answersTable(answers)] : []),
    `Measured: ${rowLink(row)}. Repeat it with \`${command ?? `npm run bench -- ${task}`}\`.`,
  ];
}

/** @param {readonly Written[]} parts */
function slowerText(parts) {
  const slower = parts.flatMap(({ section }) =>
    section.answers.filter(
      ({ time, peerTime, isFloor, isOwn }) => time > peerTime && !isEqual(time, peerTime) && !isFloor && !isOwn,
    ),
  );
  if (slower.length === 0) return [];
  const reasons = new Set(
    slower.flatMap(({ time, peerTime, why }) => (why && time > 3 * peerTime ? [`- ${why}`] : [])),
  );
  return [
    '## Slower cases',
    'All comparisons with other programs in which gicollide takes longer, the worst first.',
    answersTable(slower.toSorted((a, b) => b.time / b.peerTime - a.time / a.peerTime)),
    ...(reasons.size > 0 ? ['Reasons for more than three times as long:', [...reasons].join('\n')] : []),
  ];
}

/** @param {readonly Written[]} parts */
const speedPage = (parts) =>
  `${[
    '# Speed',
    'The times of usual tasks, beside programs that do the same. Times of one comparison come from one run on one machine. **Bold** means that gicollide is slower.',
    summaryTable(parts),
    'three-mesh-bvh is the usual choice in JavaScript, FCL in C++. Their answers are rounded; those of gicollide are proved. The first three lines are geometric means over the pairs of [the first section](#do-two-bodies-touch-and-where), near contact.',
    ...slowerText(parts),
    '## How this is measured',
    '`npm run bench -- page` writes this page from the newest rows of [results.jsonl](../bench/results.jsonl). [bench/README.md](../bench/README.md) describes how they are measured. Times of different sections come from different runs, so compare ratios rather than times.',
    '![Time of a query, pair by pair](speed.svg)',
    ...parts.flatMap(sectionText),
  ]
    .map(wrapped)
    .join('\n\n')}\n`;

const PEER = 'three-mesh-bvh';
const [START, END] = ['<!-- npm run bench -- page: -->', '<!-- . -->'];

/**
 * README with its lines on speed, between two comments.
 *
 * @param {string} readme
 * @param {readonly Written[]} parts
 */
function withHeadlines(readme, parts) {
  const [before, rest] = readme.split(START);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`README.md: expected ${START} and ${END}`);
  const of = (/** @type {string} */ task) => parts.find((part) => part.task === task)?.row;
  const [speed, start] = [of('speed'), of('start-up')];
  if (!speed || !start) throw new Error('results.jsonl: expected rows of speed and start-up');
  const { triangles, rows } = speed.pairs['bunny-bunny'];
  const us = (/** @type {string} */ name) => time(rows[name]['any median']);
  const ms = (/** @type {string} */ name) => time(1000 * rows[name]['build ms']);
  const text =
    `Two bunnies of ${triangles[0].toLocaleString('en-US')} triangles near contact take ${us('obb, 64 bytes, prepared')} a pose, prepared, ` +
    `and ${us('obb, 64 bytes')} by \`check\`; three-mesh-bvh takes ${us(PEER)}, and FCL's OBB trees in C++ ${us('FCL, OBB')}. ` +
    `\`gicollide check\` of two small files takes ${time(1000 * start.ms['check, OBB trees'])} from start to end. ` +
    `Both trees take ${ms('obb, 64 bytes')} to build, three-mesh-bvh's ${ms(PEER)}. [All figures](docs/speed.md).`;
  return `${before}${START}\n${wrapped(text)}\n${END}${after}`;
}

/**
 * All files that are generated from the rows: name -> text.
 *
 * @returns {Record<string, string>}
 */
export function makePages() {
  const rows = readRows().map((row, i) => ({ ...row, line: i + 1 }));
  const parts = written(rows);
  const readme = readFileSync(new URL('README.md', root), 'utf8');
  const speed = newest(rows, 'speed');
  const frep = newest(rows, 'frep');
  return {
    'docs/speed.md': speedPage(parts),
    'README.md': withHeadlines(readme, parts),
    ...experimentPages(rows),
    ...(speed && { 'docs/speed.svg': speedPlot(speed.pairs) }),
    // Rows before 2026-11-22 have no samples. Their picture is kept.
    ...(frep?.constant.samples && { 'docs/frep-constant-time.svg': frepPlot(/** @type {any} */ (frep)) }),
  };
}

export function writePages() {
  mkdirSync(new URL('docs/experiments', root), { recursive: true });
  for (const [name, text] of Object.entries(makePages())) {
    writeFileSync(new URL(name, root), text);
    console.log(name);
  }
}
