// docs/speed.md, docs/experiments.md, their charts, and README's lines on speed, out of
// results.jsonl: what is written there is what a recorded row of today's tasks says. A test holds
// the files to it.
//
//   npm run bench -- page
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { frepPlot } from './frep-plot.mjs';
import { experimentPages } from './page-experiments.mjs';
import { SECTIONS } from './page-sections.mjs';
import { newest, ratio, rowLink, table, time, wrapped } from './page-text.mjs';
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

/** @param {Answer} answer */
function ratioText({ time: own, peerTime }) {
  return own > peerTime ? `**${ratio(own / peerTime)}**` : ratio(own / peerTime);
}

/**
 * A line for every question and way of ours, with all peers.
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
    ['question', 'gicollide', 'time', 'ratio to (its time)'],
    [...lines.values()].map((line) => [
      ...[line[0].question, line[0].way, time(line[0].time)],
      line.map((answer) => `${ratioText(answer)} to ${answer.peer} (${time(answer.peerTime)})`).join(', '),
    ]),
  );
}

/** @param {Written} part */
function sectionText({ task, row, section: { title, answers, text, command } }) {
  return [
    `## ${title}`,
    ...text,
    ...(answers.length > 0 ? [answersTable(answers)] : []),
    `Row: ${rowLink(row)}. Anew: \`${command ?? `npm run bench -- ${task}`}\`.`,
  ];
}

/** @param {readonly Written[]} parts */
function slowerText(parts) {
  const slower = parts.flatMap(({ section }) =>
    section.answers.filter(({ time, peerTime, isFloor }) => time > peerTime && !isFloor),
  );
  if (slower.length === 0) return [];
  const reasons = new Set(
    slower.flatMap(({ time, peerTime, why }) => (why && time > 3 * peerTime ? [`- ${why}`] : [])),
  );
  return [
    '## Where gicollide is slower',
    'Every comparison of this page with a ratio above 1, the worst first.',
    answersTable(slower.toSorted((a, b) => b.time / b.peerTime - a.time / a.peerTime)),
    ...(reasons.size > 0 ? ['Why a ratio is above 3:', [...reasons].join('\n')] : []),
  ];
}

/** @param {readonly Written[]} parts */
const speedPage = (parts) =>
  `${[
    '# Speed',
    "This page is written by `npm run bench -- page` out of [results.jsonl](../bench/results.jsonl), the rows that `--record` adds; [bench/README.md](../bench/README.md) says how they are measured. A ratio is our time over the peer's, of one run on one machine: below 1 we are faster, and what is slower is in bold. Compare ratios rather than times of two rows.",
    '![Time of a query, pair by pair](speed.svg)',
    ...slowerText(parts),
    ...parts.flatMap(sectionText),
  ]
    .map(wrapped)
    .join('\n\n')}\n`;

const PEER = 'three-mesh-bvh';
const [START, END] = ['<!-- npm run bench -- page: -->', '<!-- . -->'];

/**
 * README with its lines on speed, which stand between two comments.
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
 * Every file that is made of the rows: name -> text.
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
    // Rows before 2026-11-22 keep no samples: the picture that they made stays.
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
