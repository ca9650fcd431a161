/** Markdown: one row a finding, short enough for a comment, and no text of others is markup. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportFinding } from '../../src/report/finding.ts';
import { githubSummary, markdown } from '../../src/report/markdown.ts';
import {
  asWritten,
  findingOf,
  manyFindings,
  oneOfEach,
  report,
  reportOf,
  subjectOf,
  written,
} from '../support/findings.ts';
import { long } from '../support/long.ts';

/** Rows of the table without its head, as cells; cut at every pipe, since none is escaped by a backslash. */
const rowsOf = (source: string): string[][] =>
  source
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.slice(2, -2).split(' | '));

/** What a reader sees of a cell. */
const seen = (cell: string): string =>
  cell.replaceAll(/<\/?(?:code|span)>/g, '').replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** On one line. */
const asLine = (text: string): string =>
  asWritten(text).replaceAll(
    /[\t\n\r\u2028-\u202e\u2066-\u2069]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A cell's first 200 characters. */
const short = (text: string): string => ([...text].length > 200 ? `${[...text].slice(0, 199).join('')}…` : text);

test('headline, states and rows', async () => {
  const states = { new: 2, known: 2, worse: 1, gone: 1, unchecked: 0 };
  const source = await written(markdown, reportOf(oneOfEach, { states }));
  expect(source.split('\n')[0]).toBe('### gicollide scene: 2 errors, 1 warning, 3 notes');
  expect(seen(source.split('\n')[2])).toBe(
    '572 objects, 163,306 pairs; against the baseline 2 new, 1 worse, 2 known, 1 gone',
  );
  const rows = rowsOf(source).map((row) => row.map(seen));
  expect(rows.length).toBe(oneOfEach.length);
  expect(rows[0]).toEqual(['error', '', 'mep', 'pipe-3 and wall-2', 'overlap, 20 thick', 'plan/house.obj:12']);
  expect(rows[5][1]).toBe('known, accepted');
  expect(rows[5][4]).toBe('overlap, 20 thick (cast in, see drawing 7)');
});

test('what was not checked stands above the table', async () => {
  const failures = Array.from({ length: 30 }, (_, k) => ({ subject: `f${k}.obj`, message: 'broken' }));
  const source = await written(markdown, reportOf([findingOf()], { failures, incomplete: ['the list was cut'] }));
  const above = seen(source.slice(0, source.indexOf('| Level')));
  expect(above).toContain('**Not everything was looked for:**\n\n- the list was cut\n');
  expect(above).toContain('- f19.obj: broken\n- 10 more\n');
});

test.each([
  ['a comment', markdown, 50, 65_536],
  ['the summary of a step', githubSummary, 1_000, 1_048_576],
] as const)(
  '%s is short, and says how many are not shown',
  { tags: ['all', 'long'] },
  async (_, writer, rows, limit) => {
    const count = long ? 34_000 : 3_000;
    const source = await written(writer, { ...reportOf([]), findings: () => manyFindings(count) });
    expect(rowsOf(source).length).toBe(rows);
    expect(source.endsWith(`\n${count - rows} more findings are not shown here.\n`)).toBe(true);
    // Names as long as they come, of characters that take four bytes or five of markup.
    for (const letter of ['😀', '|', '@']) {
      const subjects = [subjectOf(letter.repeat(3000)), subjectOf(letter.repeat(3000))];
      const findings = Array.from({ length: 2000 }, (_, k) =>
        findingOf({ id: `${k}`, subjects, message: letter.repeat(999) }),
      );
      const failures = Array.from({ length: 99 }, () => ({ subject: letter.repeat(999), message: letter.repeat(999) }));
      const long = await written(writer, reportOf(findings, { failures, incomplete: [letter.repeat(9999)] }));
      expect(Buffer.byteLength(long)).toBeLessThan(limit);
      expect(rowsOf(long).length).toBeGreaterThan(0);
      expect(long).toMatch(new RegExp(`\n${2000 - rowsOf(long).length} more findings are not shown here.\n$`));
    }
  },
);

test('any text comes back, and none of it is markup, seed 11', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const source = await written(markdown, one);
      const findings = [...(one.findings() as Iterable<ReportFinding>)];
      const rows = rowsOf(source);
      expect(rows.map((row) => row.length)).toEqual(findings.map(() => 5));
      expect(rows.map((row) => seen(row[1]))).toEqual(findings.map(({ rule }) => short(asLine(rule))));
      expect(rows.map((row) => seen(row[2]))).toEqual(
        findings.map(({ subjects }) => subjects.map(({ name }) => short(asLine(name))).join(' and ')),
      );
      for (const cell of rows.flat()) {
        // Our own elements and entities aside, nothing is left that Markdown or a mention could begin with.
        const rest = cell.replaceAll(/<\/?(?:code|span)>|&#\d+;/g, '');
        expect(rest).not.toMatch(/[\\`*_{}[\]<>#|~&@$^!"'=+]|www\.|:/);
      }
    }),
    { seed: 11, numRuns: long ? 1000 : 200 },
  );
});
