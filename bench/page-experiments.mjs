// docs/experiments.md and its pictures, out of results.jsonl: every figure and table of the five
// papers beside ours, and whether ours confirm what the paper says.
import { newest, rowLink, table, wrapped } from './page-text.mjs';
import { EXPERIMENTS, PAPERS } from './papers/index.mjs';

/** @typedef {import('./page-text.mjs').Numbered} Numbered */
/** @typedef {import('./papers/index.mjs').Account} Account */
/** @typedef {import('./papers/index.mjs').Experiment} Experiment */
/** @typedef {{ experiment: Experiment, rows: Numbered[], account: Account }} Told */

/**
 * What can be told: experiments all of whose rows are there.
 *
 * @param {readonly Numbered[]} rows
 * @returns {Told[]}
 */
function told(rows) {
  return EXPERIMENTS.flatMap((experiment) => {
    const found = [experiment.task, ...(experiment.also ?? [])].map((task) => newest(rows, task));
    const own = found.filter((row) => row !== undefined);
    // Rows of other tasks from before they were experiments do not say what the paper says.
    const isOlder = !experiment.task.startsWith('papers/') && !own[0]?.paper;
    if (own.length < found.length || isOlder || experiment.reads?.(own[0]) === false) return [];
    const also = Object.fromEntries(own.slice(1).map((row) => [row.task, row]));
    return [{ experiment, rows: own, account: experiment.write(own[0], also) }];
  });
}

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
    ...findings.map(({ claim, verdict, why }) => `> ${claim}\n\n**${verdict}**: ${why}`),
    ...Object.keys(pictures).map((name) => `![${title}](experiments/${name}.svg)`),
    ...text,
    `${rows.length === 1 ? 'Row' : 'Rows'}: ${rows.map((row) => rowLink(row)).join('; ')}. Anew: \`npm run bench -- ${rows.map(({ task }) => task).join(' ')}\`.`,
  ].flatMap((part) => part.split('\n\n'));
}

/** @param {readonly Told[]} parts */
const summary = (parts) =>
  table(
    ['experiment', 'what the paper says', 'found'],
    parts.flatMap(({ experiment: { title }, account: { findings } }) =>
      findings.map(({ claim, verdict }, i) => [i === 0 ? `[${title}](#${anchor(title)})` : '"', claim, verdict]),
    ),
  );

/** @param {readonly Told[]} parts */
const page = (parts) =>
  `${[
    "# The papers' experiments",
    "Each figure and table of the five papers this project began with, beside ours, and whether ours confirm what the paper says. `npm run bench -- papers` runs all of them, `npm run bench -- papers/NAME` one; this page is written by `npm run bench -- page` out of [results.jsonl](../bench/results.jsonl), the rows that `--record` adds. All figures, the papers' too, are a row's; a verdict is computed from them. The link to a row says the commit and the machine. Machines differ from the papers' by twenty years: shapes and ratios are compared, times are not.",
    '## In short',
    summary(parts),
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
