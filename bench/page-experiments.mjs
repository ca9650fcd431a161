// Writes docs/experiments.md and its pictures from results.jsonl: figures and tables of the five
// papers beside those of gicollide, with a verdict on each statement.
import { newest, rowLink, table, wrapped } from './page-text.mjs';
import { EXPERIMENTS, PAPERS } from './papers/index.mjs';

/** @typedef {import('./page-text.mjs').Numbered} Numbered */
/** @typedef {import('./papers/index.mjs').Account} Account */
/** @typedef {import('./papers/index.mjs').Experiment} Experiment */
/** @typedef {{ experiment: Experiment, rows: Numbered[], account: Account }} Told */

/**
 * The experiments that have all their rows.
 *
 * @param {readonly Numbered[]} rows
 * @returns {Told[]}
 */
function told(rows) {
  return EXPERIMENTS.flatMap((experiment) => {
    const found = [experiment.task, ...(experiment.also ?? [])].map((task) => newest(rows, task));
    const own = found.filter((row) => row !== undefined);
    // Older rows of other tasks, from before they were experiments, have no figures of the paper.
    const isOlder = !experiment.task.startsWith('papers/') && !own[0]?.paper;
    if (own.length < found.length || isOlder || experiment.reads?.(own[0]) === false) return [];
    const also = Object.fromEntries(own.slice(1).map((row) => [row.task, row]));
    return [{ experiment, rows: own, account: experiment.write(own[0], also) }];
  });
}

/** The text with a capital in its first word; symbols such as k stay. @param {string} text */
const capital = (text) => text.replace(/^[a-z](?=[a-z])/, (letter) => letter.toUpperCase());

/** A heading's anchor, as pages on the web make it. @param {string} title */
const anchor = (title) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');

/** @param {Told} part */
function sectionText({ experiment: { title }, rows, account: { findings, text, pictures = {} } }) {
  return [
    `### ${title}`,
    ...findings.map(({ claim, verdict, why }) => `> ${claim}\n\n**${verdict}**: ${capital(why)}`),
    ...Object.keys(pictures).map((name) => `![${title}](experiments/${name}.svg)`),
    ...text,
    `Measured: ${rows.map((row) => rowLink(row)).join('; ')}. Repeat it with \`npm run bench -- ${rows.map(({ task }) => task).join(' ')}\`.`,
  ].flatMap((part) => part.split('\n\n'));
}

/** @param {readonly Told[]} parts */
const summary = (parts) =>
  table(
    ['experiment', 'statement of the paper', 'verdict'],
    parts.flatMap(({ experiment: { title }, account: { findings } }) =>
      findings.map(({ claim, verdict }, i) => [i === 0 ? `[${title}](#${anchor(title)})` : '"', claim, verdict]),
    ),
  );

const VERDICTS = /** @type {const} */ (['confirmed', 'partly', 'refuted', 'not comparable']);

/** @param {readonly Told[]} parts */
function countsText(parts) {
  const verdicts = parts.flatMap(({ account }) => account.findings.map(({ verdict }) => verdict));
  const counts = VERDICTS.map((name) => `${verdicts.filter((verdict) => verdict === name).length} ${name}`);
  return `${verdicts.length} statements of five papers, tested: ${counts.join(', ')}.`;
}

/** @param {readonly Told[]} parts */
const page = (parts) =>
  `${[
    "# The papers' experiments",
    countsText(parts),
    'This project began with five papers. The page repeats their figures and tables, and compares what they say with what was measured here. Their machines are twenty years older, so shapes and ratios are compared, but not times.',
    summary(parts),
    '## How this is measured',
    '`npm run bench -- papers` runs all experiments, `npm run bench -- papers/NAME` one of them. `npm run bench -- page` writes this page from the newest rows of [results.jsonl](../bench/results.jsonl). All figures, also those of the papers, come from rows, and the verdicts are computed from them. The link to a row names the commit and the machine.',

    ...Object.entries(PAPERS).flatMap(([paper, source]) => {
      const own = parts.filter(({ experiment }) => experiment.paper === paper);
      return own.length === 0
        ? []
        : [`## ${source.replace(/.*\*(.*)\*.*/, '$1')}`, `${source}.`, ...own.flatMap(sectionText)];
    }),
  ]
    .map(wrapped)
    .join('\n\n')}\n`;

/**
 * The page and its pictures: name -> text.
 *
 * @param {readonly Numbered[]} rows
 * @returns {Record<string, string>}
 */
export function experimentPages(rows) {
  const parts = told(rows);
  const pictures = parts.flatMap(({ account }) => Object.entries(account.pictures ?? {}));
  return {
    'docs/experiments.md': page(parts),
    ...Object.fromEntries(pictures.map(([name, svg]) => [`docs/experiments/${name}.svg`, svg])),
  };
}
