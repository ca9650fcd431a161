/** The pages that people read: short enough, and every link of them leads somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['docs', 'src', 'bench', 'assets', 'examples'].flatMap(inFolder),
];

/** A heading's anchor: its words in small letters, with hyphens between them; a number behind a second one. */
function anchorsOf(page: string): string[] {
  const headings = textOf(page)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  const counts = new Map<string, number>();
  return [...headings].map(([, heading]) => {
    const words = heading.replaceAll(/\]\([^)]*\)/g, '').toLowerCase();
    const anchor = words.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

test.each(pages)('%s: every link leads somewhere', (page) => {
  for (const [, link] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path, anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    expect(existsSync(join(root, target)), link).toBe(true);
    const line = /^L(\d+)$/.exec(anchor ?? '')?.[1];
    if (line !== undefined) expect(textOf(target).split('\n').length, link).toBeGreaterThan(Number(line));
    else if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor);
  }
});

test('the README is read in some minutes', () => {
  expect(textOf('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('the README names the oldest Node that runs the program and what it is made of', () => {
  const { engines, dependencies } = JSON.parse(textOf('package.json'));
  const [, oldest] = /^>=(\d+\.\d+)$/.exec(engines.node)!;
  expect(textOf('README.md')).toContain(`You need Node ${oldest} or newer`);
  const [major, minor] = oldest.split('.').map(Number);
  for (const name of Object.keys(dependencies)) {
    const wanted = JSON.parse(textOf(`node_modules/${name}/package.json`)).engines?.node ?? '';
    // Those that ask for no least version take any.
    const [, ofMajor = 0, ofMinor = 0] = /^>=\s*(\d+)(?:\.(\d+))?/.exec(wanted) ?? [];
    expect(major * 1000 + minor, name).toBeGreaterThanOrEqual(+ofMajor * 1000 + +ofMinor);
  }
});

test('the README tells of every package that the program is made of', () => {
  const { dependencies, optionalDependencies } = JSON.parse(textOf('package.json'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    expect(textOf('README.md')).toMatch(new RegExp(`^\\| (?:[^|]*, )?${name}\\b`, 'm'));
  }
});

test('the list of formats has every one that is described, and every schema', () => {
  const list = textOf('docs/formats.md');
  for (const page of pages.filter((path) => path.endsWith('/FORMAT.md'))) expect(list).toContain(`(../${page})`);
  for (const file of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.schema.json')))
    expect(list).toContain(`(${file})`);
});
