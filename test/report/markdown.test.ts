/** Markdown: one row a finding, short enough for a comment, and no text of others is markup. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { grouped } from '../../src/base/printable.ts';
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

/** Rows of all tables without their heads, as cells; no cell has a backslash before a pipe. */
const rowsOf = (source: string): string[][] =>
  source
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Level|---) /.test(line))
    .map((line) => line.slice(2, -2).split(' | '));

/** The titles of folded tables. */
const foldsOf = (source: string): string[] =>
  [...source.matchAll(/^<details><summary>(.*)<\/summary>$/gm)].map(([, title]) => title);

/** Each title with a number, and the rows below it. */
function countsOf(source: string): [title: string, rows: number][] {
  const parts = source.split(/^(?=<details>|\*\*\d|### )/m).map((part): [string, number] => {
    const title = part.split('\n')[0].replaceAll(/<[^>]*>|\*\*|^### .*?: (?=no |\d)/g, '');
    return [title, rowsOf(part).length];
  });
  return parts;
}

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

test('new errors first; what is known or harmless is folded away', async () => {
  const states = { new: 1, known: 2, worse: 1, gone: 1, unchecked: 1 };
  const source = await written(markdown, reportOf(oneOfEach, { states }));
  expect(source.split('\n')[0]).toBe('### gicollide scene: 5 new or worse problems (4 errors, 1 warning)');
  expect(seen(source.split('\n')[2])).toBe(
    '572 objects, 163,306 pairs; lengths in mm; against the baseline 1 new, 1 worse, 2 known, 1 gone, 1 unchecked',
  );
  const rows = rowsOf(source).map((row) => row.map(seen));
  expect(rows.length).toBe(oneOfEach.length);
  expect(rows[0]).toEqual([
    ...['error', '', 'overlap, 20 thick, at (1000 2000 3000)', 'pipe-3 and wall-2', 'mep', 'plan/house.obj:12'],
    '00c0ffee',
  ]);
  expect(rows.map(([level]) => level)).toEqual([
    ...['error', 'error', 'error', 'error', 'warning', 'note', 'note', 'note', 'note', 'note'],
  ]);
  expect(rows.slice(0, 5).map(([, state]) => state)).toEqual(['', '', 'worse', 'new', '']);
  expect(rows[7].slice(1, 3)).toEqual([
    'known, accepted',
    'overlap, 20 thick, at (1000 2000 3000) (cast in, see drawing 7)',
  ]);
  expect(foldsOf(source)).toEqual(['1 harmless finding', '4 findings of the baseline']);
  expect(countsOf(source).slice(1)).toEqual([
    ['1 harmless finding', 1],
    ['4 findings of the baseline', 4],
  ]);
});

test('an accepted finding that got worse is not folded away, since the run fails for it', async () => {
  const states = { new: 0, known: 0, worse: 1, gone: 0, unchecked: 0 };
  const source = await written(markdown, reportOf([findingOf({ state: 'worse', accepted: true })], { states }));
  expect(source).toMatch(/^### gicollide scene: 1 new or worse problem \(1 error, 0 warnings\)\n/);
  expect(foldsOf(source)).toEqual([]);
});

test('the last line says how to look at a finding, and how to accept it', async () => {
  const last = async (changes: Parameters<typeof reportOf>[1]) =>
    seen((await written(markdown, reportOf([findingOf()], changes))).trim().split('\n').at(-1)!);
  const accepting = '--baseline FILE --accept ID --note "ID=why" accepts one on the command line.';
  const looking = 'Look at a finding, or accept it: gicollide view';
  expect(await last({ inputs: ['a/room.scene.json'] })).toBe(
    `${looking} a/room.scene.json --baseline FILE --open. ${accepting}`,
  );
  expect(await last({ inputs: ['a b.obj'] })).toBe(`${looking} FILES --baseline FILE --open. ${accepting}`);
  expect(await last({ command: 'lint' })).toBe(accepting);
  expect(await last({ command: 'verify' })).toMatch(/^\| error /);
  expect(await written(markdown, reportOf([]))).not.toContain('baseline FILE');
});

test('nothing found, and something not checked, is not clean', async () => {
  const failures = [{ subject: 'a.obj', message: 'broken' }];
  expect(await written(markdown, reportOf([], { failures, incomplete: ['cut'] }))).toMatch(
    /^### gicollide scene: no problems found, 1 not checked, incomplete\n/,
  );
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
    const problems = count - Math.ceil(count / 3);
    expect(countsOf(source)).toEqual([
      [expect.stringContaining(`${grouped(problems)} problems`), 0],
      [`${rows} of ${grouped(problems)} problems shown`, rows],
    ]);
    expect(source).toContain(`\n0 of ${grouped(count - problems)} harmless findings shown\n`);
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
      expect(long).toContain(`\n**${rowsOf(long).length} of 2,000 problems shown**\n`);
    }
  },
);

test('any text comes back, and none of it is markup, seed 11', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const source = await written(markdown, one);
      const findings = [...(one.findings() as Iterable<ReportFinding>)];
      const rows = rowsOf(source);
      expect(rows.map((row) => row.length)).toEqual(findings.map(() => 6));
      const sorted = (cells: string[]) => cells.sort();
      expect(sorted(rows.map((row) => seen(row[3])))).toEqual(sorted(findings.map(({ rule }) => short(asLine(rule)))));
      expect(sorted(rows.map((row) => seen(row[2])))).toEqual(
        sorted(findings.map(({ subjects }) => subjects.map(({ name }) => short(asLine(name))).join(' and '))),
      );
      // Every title counts its rows.
      for (const [title, count] of countsOf(source).slice(1)) expect(title).toMatch(new RegExp(`^${count} `));
      for (const cell of rows.flat()) {
        // Our own elements and entities aside, nothing is left that Markdown or a mention could begin with.
        const rest = cell.replaceAll(/<\/?(?:code|span)>|&#\d+;/g, '');
        expect(rest).not.toMatch(/[\\`*_{}[\]<>#|~&@$^!"'=+]|www\.|:/);
      }
    }),
    { seed: 11, numRuns: long ? 1000 : 200 },
  );
});
