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
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...['docs', 'src', 'bench', 'assets'].flatMap(inFolder)];

/** A heading's anchor: its words in small letters, with hyphens between them. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

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

test('the README tells of every package that the program is made of', () => {
  const { dependencies, optionalDependencies } = JSON.parse(textOf('package.json'));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    expect(textOf('README.md')).toMatch(new RegExp(`^\\| (?:[^|]*, )?${name}\\b`, 'm'));
  }
});
