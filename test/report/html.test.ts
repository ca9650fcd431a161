/** HTML: rows, text that is no markup, a policy that lets nothing else run, and filters in a browser. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Report, ReportFinding } from '../../src/report/finding.ts';
import { html } from '../../src/report/html.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder } from '../support/cli.ts';
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

const states = { new: 1, known: 2, worse: 1, gone: 1, unchecked: 1 };
const mean = '</script><img src=x onerror=alert(1)>"\'&amp;';
const meanFinding = findingOf({ id: mean, rule: mean, message: mean, note: mean, subjects: [subjectOf(mean)] });

const decoded = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll(/<\/?bdi>/g, '');

/** The attribute of each row. */
const dataOf = (page: string, name: string): string[] =>
  [...page.matchAll(new RegExp(`^<tr id="[^"]*".*? data-${name}="([^"]*)"`, 'gm'))].map((match) => decoded(match[1]));

/** On one line, as people are shown it. */
const asLine = (text: string): string =>
  asWritten(text).replaceAll(
    /[\t\n\r\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Errors, warnings and notes, and then those that the baseline knows. */
function worstFirst(findings: readonly ReportFinding[]): ReportFinding[] {
  const isOld = ({ state, accepted }: ReportFinding) =>
    state === 'worse' ? false : accepted || ['known', 'gone', 'unchecked'].includes(state ?? '');
  return [false, true].flatMap((old) =>
    ['error', 'warning', 'note'].flatMap((level) =>
      findings.filter((finding) => finding.level === level && isOld(finding) === old),
    ),
  );
}

test('a row a finding, the worst first, filters of what is there, and what was not checked', async () => {
  const failures = [{ subject: 'a.obj', message: 'broken' }];
  const page = await written(html, reportOf(oneOfEach, { states, failures, incomplete: ['the list was cut'] }));
  expect(dataOf(page, 'class')).toEqual(worstFirst(oneOfEach).map((finding) => finding.class));
  expect(dataOf(page, 'state')).toEqual(worstFirst(oneOfEach).map(({ state }) => state ?? ''));
  const [, rules] = /<select name="rule">(.*?)<\/select>/.exec(page)!;
  expect([...rules.matchAll(/value="(.*?)"/g)].map((match) => match[1])).toEqual(['', 'mep', 'open-edge', 'pipes']);
  expect(page).toContain('<h2>Not checked</h2><ul>\n<li><bdi>a.obj</bdi>: broken</li>');
  expect(page).toContain('<li>the list was cut</li>');
  expect(page).toContain('known, accepted');
});

test('the policy allows the style and the scripts of the page alone', async () => {
  const page = await written(html, reportOf([meanFinding]));
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)!;
  expect(policy).toMatch(/^default-src 'none'; /);
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const contents = (tag: string) =>
    [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map((match) => hash(match[1]));
  expect(policy).toContain(`style-src ${contents('style').join(' ')};`);
  expect(policy).toContain(`script-src ${contents('script').join(' ')};`);
  expect(contents('script').length).toBe(2);
  expect(page).not.toMatch(/ on\w+="| style="|https?:/);
});

test('any text comes back, and no tag comes of it, seed 15', { tags: ['quick', 'long'] }, async () => {
  const tags = (page: string) =>
    [...page.replaceAll(/<(style|script)>.*?<\/\1>/gs, '').matchAll(/<\/?[a-z0-9]+/g)].length;
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const findings = worstFirst([...(one.findings() as Iterable<ReportFinding>)]);
      const page = await written(html, one);
      expect(dataOf(page, 'rule')).toEqual(findings.map(({ rule }) => asLine(rule)));
      expect([...page.matchAll(/<summary>(.*?)<\/summary>/g)].map((match) => decoded(match[1]))).toEqual(
        findings.map(({ message }) => asLine(message)),
      );
      const plain = (list: ReportFinding[]) =>
        list.map(({ subjects, rule, class: what, ...finding }, k) => ({
          ...findingOf({ ...finding, id: `${k}`, message: 'x', note: null, again: null }),
          // As many choices in the filters as before.
          ...{ rule: `r${list.findIndex((other) => other.rule === rule)}` },
          ...{ class: `c${list.findIndex((other) => other.class === what)}` },
          subjects: subjects.map(() => subjectOf('x')),
        }));
      const { incomplete, failures } = one.summary;
      const changes = {
        incomplete: incomplete.map(() => 'x'),
        failures: failures.map(() => ({ subject: 'x', message: 'x' })),
      };
      expect(tags(page)).toBe(tags(await written(html, reportOf(plain(findings), changes))));
    }),
    { seed: 15, numRuns: long ? 670 : 40 },
  );
});

test('20,000 rows and 25 pictures at most, and the page says so', { tags: ['long'] }, async () => {
  const snapshot = () => Uint8Array.of(137, 80, 78, 71);
  const page = await written(html, { ...reportOf([]), findings: () => manyFindings(20_010), snapshot });
  expect([...page.matchAll(/^<tr /gm)].length).toBe(20_000);
  expect([...page.matchAll(/<img alt="[^"]+" loading="lazy" src="data:image\/png;base64,iVBORw==">/g)].length).toBe(25);
  expect(page).toContain('20000 findings; 10 more are not in this file, which holds the worst 20000');
  expect(page).toContain('Pictures of the worst 25 findings at most; 19975 have none.');
});

test('the worst findings are drawn, wherever they stand, and nothing is said where all are', async () => {
  const asked: string[] = [];
  const snapshot = ({ id }: ReportFinding) => {
    asked.push(id);
    return Uint8Array.of(137);
  };
  const findings = Array.from({ length: 60 }, (_, k) =>
    findingOf({ id: `f${k}`, level: k % 6 === 5 ? 'error' : k % 2 === 0 ? 'warning' : 'note' }),
  );
  await written(html, { ...reportOf(findings), snapshot });
  const worst = (['error', 'warning', 'note'] as const).flatMap((level) =>
    findings.filter((finding) => finding.level === level),
  );
  const expected = worst.slice(0, 25).map(({ id }) => id);
  expect(new Set(asked)).toEqual(new Set(expected));
  expect(asked.length).toBe(25);
  const page = await written(html, { ...reportOf(findings.slice(0, 20)), snapshot });
  expect(page).not.toContain('Pictures of');
});

/** A page from disk, and all that it complains of or asks for. */
async function open(
  one: Report,
  use: (page: import('playwright-core').Page) => Promise<void>,
  hash = '',
): Promise<void> {
  const file = join(makeFolder(), 'report.html');
  writeFileSync(file, await written(html, one));
  const page = await (await sharedBrowser()).newPage();
  try {
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('dialog', () => said.push('a dialog'));
    page.on('request', (request) => request.url().startsWith('file:') || said.push(request.url()));
    await page.goto(pathToFileURL(file).href + hash);
    await use(page);
    expect(said).toEqual([]);
  } finally {
    await page.close();
  }
}

test.runIf(chromiumProgram)(
  'in a browser: filters, keys, a link to a finding, and no script of a name',
  { tags: ['long'] },
  async () => {
    const findings = [...oneOfEach, meanFinding, ...Array.from({ length: 600 }, (_, k) => findingOf({ id: `m${k}` }))];
    await open(
      reportOf(findings, { states }),
      async (page) => {
        const shown = () => page.locator('tbody tr:visible').count();
        const output = () => page.locator('output').textContent();
        // On however busy a machine.
        const soon = () => expect.poll(output, { timeout: 600_000 });
        expect(await page.title()).toBe('gicollide 1.2.3 scene: 2 errors, 1 warning, 3 notes');
        // The last is linked to, so it is there beside the first 500.
        expect(await shown()).toBe(501);
        expect(await page.locator('details[open]').count()).toBe(1);
        await page.locator('button').click();
        expect(await shown()).toBe(611);
        await page.selectOption('select[name=state]', 'known');
        await soon().toBe('2 of 611 findings');
        expect(await shown()).toBe(2);
        await page.keyboard.press('Escape');
        await soon().toBe('611 findings');
        await page.keyboard.press('/');
        await page.keyboard.type('ONERROR wall');
        await soon().toBe('0 of 611 findings');
        await page.fill('input', 'onerror');
        await soon().toBe('1 of 611 findings');
        await page.locator('h1').click();
        await page.keyboard.press('j');
        await page.keyboard.press('Enter');
        expect(await page.locator('tbody tr:visible summary').textContent()).toBe(mean);
        expect(await page.locator('tbody tr:visible details').getAttribute('open')).toBe('');
        await page.setViewportSize({ width: 390, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      },
      '#m599',
    );
  },
);
