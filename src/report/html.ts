/**
 * Writes one HTML file: all findings as a table, with filters. It loads nothing, works from disk,
 * and also without its script, which only filters. `report.html#ID` links to a finding.
 */

import { digestOf } from '../containers/hash.ts';
import type { Failure, Report, ReportFinding, ReportSummary, ReportWriter } from './finding.ts';
import { EARLY_SCRIPT, SCRIPT, STYLE } from './html-page.ts';
import { MOST_PICTURES, rank, type Selection, worst } from './selection.ts';
import {
  cleanLine,
  dateOf,
  detailsOf,
  LEVELS,
  levelsInWords,
  namesOf,
  STATES,
  shownLevel,
  statesInWords,
} from './text.ts';

/** Rows that a browser can filter while the user types; the script shows fewer at a time. */
const MOST_ROWS = 20_000;
const MOST_CHOICES = 500;

export const html: ReportWriter = async function* (report) {
  const { summary } = report;
  const chosen = await worst(report, MOST_ROWS);
  yield await headOf(summary);
  yield await formOf(chosen, summary);
  const columns = ['Level', ...(summary.states ? ['State'] : []), 'Rule', 'Class', 'Between', 'Finding'];
  yield `<table><thead><tr>${columns.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>\n`;
  const isDrawn = chosen.amongWorst(MOST_PICTURES);
  let [pictures, undrawn] = [0, 0];
  /** The worst first; those of one rank as the run has them. */
  const rows = chosen.all.map((): string[] => []);
  for await (const finding of chosen.findings()) {
    const picture = isDrawn(finding) ? await pictureOf(report, finding) : '';
    if (picture) pictures++;
    else undrawn++;
    rows[rank(finding)].push(rowOf(finding, summary, picture));
  }
  for (const row of rows.flat()) yield row;
  yield '</tbody></table>\n<button type="button" hidden></button>\n</main>\n';
  const cut =
    pictures > 0 && undrawn > 0
      ? ` Pictures of the worst ${MOST_PICTURES} findings at most; ${undrawn} have none.`
      : '';
  yield `<footer><p>${tool(summary)}, ${dateOf(summary)}. <kbd>/</kbd> searches, <kbd>j</kbd> and <kbd>k</kbd> go from \
finding to finding, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> shows all.${cut}</p></footer>\n`;
  yield `<script>${SCRIPT}</script>\n</body>\n</html>\n`;
};

const text = (value: string): string =>
  cleanLine(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const tool = ({ tool: { name, version }, command }: ReportSummary): string => text(`${name} ${version} ${command}`);

async function headOf(summary: ReportSummary): Promise<string> {
  const states = statesInWords(summary);
  const policy = [
    "default-src 'none'",
    `style-src '${await hashOf(STYLE)}'`,
    `script-src '${await hashOf(EARLY_SCRIPT)}' '${await hashOf(SCRIPT)}'`,
    "img-src data:; base-uri 'none'; form-action 'none'",
  ].join('; ');
  const { incomplete, failures, warnings } = summary;
  const named = (lines: readonly Failure[]): string[] =>
    lines.map(({ subject, message }) => `<bdi>${text(subject)}</bdi>: ${text(message)}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${tool(summary)}: ${levelsInWords(summary)}</title>
<style>${STYLE}</style>
<script>${EARLY_SCRIPT}</script>
</head>
<body>
<header>
<h1>${levelsInWords(summary)}</h1>
<p class="quiet">${tool(summary)}: ${text(summary.asked)}</p>
${states === null ? '' : `<p>Against the baseline: ${states}.</p>\n`}\
${problems('Not everything was looked for', incomplete.map(text))}\
${problems('Not checked', named(failures))}\
${problems('Warnings', named(warnings))}\
</header>
<main>
`;
}

const problems = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : `<section class="problems"><h2>${title}</h2><ul>\n${lines.map((line) => `<li>${line}</li>\n`).join('')}</ul></section>\n`;

/** Returns the hash for a Content Security Policy. */
async function hashOf(content: string): Promise<string> {
  const digest = await digestOf(new TextEncoder().encode(content));
  return `sha256-${btoa(String.fromCharCode(...digest))}`;
}

async function formOf(chosen: Selection, summary: ReportSummary): Promise<string> {
  const [levels, states, rules, classes] = [0, 0, 0, 0].map(() => new Set<string>());
  let rows = 0;
  for await (const finding of chosen.findings()) {
    const { state, rule, class: what } = finding;
    rows++;
    levels.add(shownLevel(finding));
    if (state !== null) states.add(state);
    if (rules.size < MOST_CHOICES) rules.add(rule);
    if (classes.size < MOST_CHOICES) classes.add(what);
  }
  const cut = chosen.left > 0 ? `; ${chosen.left} more are not in this file, which holds the worst ${MOST_ROWS}` : '';
  return `<form>
<label class="text">Text<input name="text" type="search" autocomplete="off"></label>
${select(
  'level',
  LEVELS.filter((level) => levels.has(level)),
)}\
${
  summary.states
    ? select(
        'state',
        STATES.filter((state) => states.has(state)),
      )
    : ''
}\
${select('rule', [...rules].sort())}${select('class', [...classes].sort())}\
<output aria-live="polite">${rows} finding${rows === 1 ? '' : 's'}${cut}</output>
</form>
`;
}

function select(name: string, choices: readonly string[]): string {
  const options = choices.map((choice) => `<option value="${text(choice)}">${text(choice)}</option>`).join('');
  const title = name[0].toUpperCase() + name.slice(1);
  return `<label>${title}<select name="${name}"><option value="">all</option>${options}</select></label>\n`;
}

async function pictureOf(report: Report, finding: ReportFinding): Promise<string> {
  const png = await report.snapshot?.(finding);
  if (!png) return '';
  let binary = '';
  for (let at = 0; at < png.length; at += 8192) binary += String.fromCharCode(...png.subarray(at, at + 8192));
  return `<img alt="${text(namesOf(finding))}" loading="lazy" src="data:image/png;base64,${btoa(binary)}">`;
}

function rowOf(finding: ReportFinding, summary: ReportSummary, picture: string): string {
  const { id, state, accepted, rule, class: what, subjects, message } = finding;
  const level = shownLevel(finding);
  const names = subjects.map(({ name }) => `<bdi>${text(name)}</bdi>`).join('<br>');
  const details = detailsOf(finding, summary)
    .filter(([name]) => name !== 'rule' && name !== 'class')
    .map(([name, value]) => `${name}: ${text(value)}`)
    .join('\n');
  const data = { level, state: state ?? '', rule, class: what };
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${text(value)}"`);
  const stateCell = summary.states ? `<td>${state ?? ''}${accepted ? ', accepted' : ''}</td>` : '';
  return `<tr id="${text(id)}"${attributes.join('')}><td><span class="level ${level}">${level}</span></td>${stateCell}\
<td><bdi>${text(rule)}</bdi></td><td>${text(what)}</td><td class="wide">${names}</td>\
<td><details><summary>${text(message)}</summary><p>${details}</p>${picture}</details></td></tr>\n`;
}
