/** The source tree's floors: imports go down, siblings on floor 3 do not know each other, the core runs in a browser. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '../src/version.ts';

const root = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.split(sep).join('/'));

/** What stands in a folder may import what stands no higher. */
const FLOORS: [RegExp, number][] = [
  [/^(math\/|version\.ts)/, 0],
  [/^geometry\//, 1],
  [/^(mesh|kernels)\//, 1.1],
  [/^(containers|readers)\//, 1.2],
  [/^query\//, 2],
  [/^representations\/[^/]+\//, 3],
  [/^representations\/(kinds|registry)\.ts/, 3.5],
  [/^pair\//, 4],
  [/^(api|library|index|browser)\.ts/, 5],
  [/^cli\//, 6],
];

function floorOf(file: string): number {
  const found = FLOORS.find(([pattern]) => pattern.test(file));
  if (!found) throw new Error(`${file} stands on no floor`);
  return found[1];
}

const withoutComments = (file: string): string =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

function importsOf(file: string): string[] {
  const text = withoutComments(file);
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]);
}

const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

test.each(files)('%s imports downwards', (file) => {
  for (const specifier of importsOf(file)) {
    if (!specifier.startsWith('.')) continue;
    const target = relative(root, join(root, dirname(file), specifier))
      .split(sep)
      .join('/');
    expect(floorOf(target), `${file} -> ${target}`).toBeLessThanOrEqual(floorOf(file));
    if (floorOf(file) === 3 && floorOf(target) === 3) expect(folderOf(target)).toBe(folderOf(file));
  }
});

/** Crews run on Node's threads, and Node's own codec warns by the process: these are Node's alone. */
const ofNode = (file: string): boolean => /^(cli|pair\/threads)\/|^containers\/pixels-node\.ts/.test(file);

test.each(files.filter((file) => !ofNode(file)))('%s runs in a browser', (file) => {
  const text = withoutComments(file);
  expect(importsOf(file).filter((specifier) => specifier.startsWith('node:'))).toEqual([]);
  // Threads are Node's alone, and nothing that a browser loads imports them.
  if (file !== 'index.ts') expect(importsOf(file).join()).not.toMatch(/pair\/threads\/|\.\/threads\//);
  expect(text).not.toMatch(/\b(process|console|Buffer)\./);
  // sharp is a native module: one file holds it, and only Node's entry, its codec and the command line import that one.
  if (file !== 'containers/pixels-sharp.ts') expect(importsOf(file)).not.toContain('sharp');
  if (file !== 'index.ts') expect(importsOf(file).join()).not.toMatch(/pixels-(sharp|node)/);
});

test.each(files)('%s: threads are those of crews alone', (file) => {
  if (file !== 'pair/threads/crew.ts') expect(importsOf(file)).not.toContain('piscina');
  if (file !== 'pair/threads/serve.ts') expect(importsOf(file)).not.toContain('node:worker_threads');
});

test('files record the version that package.json states', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(manifest.version);
});
