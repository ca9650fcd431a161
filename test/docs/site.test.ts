/**
 * The site that `npm run docs` makes: every link of it leads somewhere, and nothing is asked of the
 * network. Its live pages are `gicollide view --html`'s, which has tests of its own.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseHTML } from 'linkedom';
import MiniSearch from 'minisearch';
import { beforeAll, expect, test } from 'vitest';
import { makeSite } from '../../scripts/make-site.mjs';
import { highlight } from '../../scripts/site/highlight.mjs';
import { LIVE, SECTIONS } from '../../scripts/site/navigation.mjs';
import { FIELDS } from '../../scripts/site/search-fields.mjs';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { listFiles, makeFolder } from '../support/cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(makeFolder(), 'site');
const pages = new Map<string, ReturnType<typeof parseHTML>['document']>();

beforeAll(async () => {
  await makeSite(folder, { live: false });
  for (const file of listFiles(folder).filter((name) => name.endsWith('.html')))
    pages.set(file, parseHTML(readFileSync(join(folder, file), 'utf8')).document);
});

const isLive = (path: string) => LIVE.some(({ file }) => file === path);

test('every link and every picture leads somewhere', { tags: ['long'] }, () => {
  expect(pages.size).toBeGreaterThan(50);
  for (const [page, document] of pages) {
    for (const element of document.querySelectorAll('[href], [src]')) {
      const href = (element.getAttribute('href') ?? element.getAttribute('src'))!;
      if (/^(?:https?|mailto|data):/.test(href)) continue;
      const [path, anchor] = href.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (isLive(target)) continue;
      expect(existsSync(join(folder, target)), `${page}: ${href}`).toBe(true);
      if (anchor) expect(pages.get(target)?.getElementById(anchor), `${page}: ${href}`).toBeTruthy();
    }
  }
});

test('no page asks the network for anything, and none has two elements of one name', { tags: ['all'] }, () => {
  for (const [page, document] of pages) {
    for (const element of document.querySelectorAll('script, link, img, iframe, source')) {
      const source = element.getAttribute('src') ?? element.getAttribute('href') ?? '';
      expect(source, page).not.toMatch(/^(?:https?:)?\/\//);
    }
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    expect(new Set(ids).size, page).toBe(ids.length);
  }
  expect(readFileSync(join(folder, 'site.css'), 'utf8')).not.toMatch(/@import|url\(/);
});

test('every page of docs/ stands in the list of pages, or is reached from one that does', { tags: ['all'] }, () => {
  const listed = SECTIONS.flatMap((section) => section.pages.map(([file]) => file));
  expect(new Set(listed).size).toBe(listed.length);
  for (const file of listFiles(join(root, 'docs')).filter((name) => name.endsWith('.md')))
    expect([...pages.keys()], file).toContain(`docs/${file.replace(/\.md$/, '.html')}`);
});

test('the search finds what is written', { tags: ['all'] }, () => {
  const [, text] = /^globalThis\.searchIndex = (.*);\n$/.exec(readFileSync(join(folder, 'search-index.js'), 'utf8'))!;
  const index = MiniSearch.loadJSON(JSON.parse(text), FIELDS);
  const first = (words: string) => index.search(words, { boost: { title: 3, heading: 4 }, prefix: true })[0]?.path;
  expect(first('fail-on-gone')).toBeDefined();
  expect(first('updateGeometry')).toBe('docs/reference/api/assets.html#updategeometry');
  expect(index.search('quaternionic zebra', { combineWith: 'AND' })).toEqual([]);
});

test('colours change no letter of the code', { tags: ['all'] }, () => {
  const code = `const a = 'it''s'; // <b>\nif (a < 1.5e3) return "&"; /* two\nlines */ \`\${a}\``;
  for (const language of ['ts', 'sh', 'json', 'py', 'text']) {
    const { document } = parseHTML(`<body><pre>${highlight(code, language)}</pre></body>`);
    expect(document.querySelector('pre')!.textContent).toBe(code);
  }
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LOOKS = [
  ['docs/guides/games.html', 1280, 'dark'],
  ['docs/reference/api/pairs.html', 390, 'light'],
] as const;

test.runIf(chromiumProgram).each(LOOKS)(
  '%s from disk, %i wide, %s: quiet, readable, searched',
  { tags: ['all'] },
  async (...look) => {
    const [path, width, colorScheme] = look;
    const page = await (await sharedBrowser()).newPage({ viewport: { width, height: 900 }, colorScheme });
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', ({ message }) => said.push(message));
    page.on('request', (request) => /^(?:file|data):/.test(request.url()) || said.push(request.url()));
    await page.goto(pathToFileURL(join(folder, path)).href);
    await page.evaluate(axe);
    const faults = await page.evaluate<string[]>(
      'axe.run({ preload: false }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))',
    );
    expect(faults).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.fill('#site-search', 'updateGeometry');
    await page.click('#site-found a:first-child');
    expect(page.url()).toMatch(/docs\/reference\/api\/assets\.html#updategeometry$/);
    expect(said).toEqual([]);
    await page.close();
  },
);
