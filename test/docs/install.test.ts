/** Nobody owns the name gicollide on the registry: no page, example or CI file fetches it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { copyOfExample, installExample } from '../support/example-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/node_modules/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .filter((file) => /\.(md|ya?ml|json|ts|mjs)$|Jenkinsfile$/.test(file));
/** docs/install.md says what not to type; a test below reads it by itself. */
const files = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'action.yml', 'package.json', 'bench/README.md'],
  ...['docs', 'examples', '.github', 'src'].flatMap(inFolder),
].filter((file) => file !== 'docs/install.md');

/** Commands of a text that may fetch a package named gicollide. npx does not, with --no-install. */
function fetchesIn(text: string): string[] {
  const bare = /gicollide(?:@[\w.^~-]+)?(?![\w./-])/.source;
  const words = /(?:[^\S\n]+(?!#)[^\s`;|&]+)*?[^\S\n]+/.source;
  const runners = /npx|npm (?:exec|x)|pnpx|pnpm dlx|yarn dlx|bunx/.source;
  const installers = /(?:npm|pnpm|yarn|bun) (?:install|i|add|ci)/.source;
  const found = text.replaceAll('\\\n', ' ').match(new RegExp(`\\b(?:${runners}|${installers})${words}"?${bare}`, 'g'));
  return (found ?? []).filter((command) => !/^npx --no-install gicollide$/.test(command));
}

test.each([
  'npx gicollide scene',
  'npx --yes gicollide scene',
  'npx -y "gicollide@$VERSION"',
  'npx gicollide@latest',
  'npm exec gicollide',
  'npm install --global gicollide',
  'npm i gicollide@^1.0.0 bullmq',
  'run `npm install bullmq gicollide`',
])('is found: %s', (command) => expect(fetchesIn(command)).toHaveLength(1));

test.each([
  'npx --no-install gicollide scene',
  'npm install ./gicollide-0.1.0.tgz',
  'npm install ../gicollide/gicollide-*.tgz',
  'npm install bullmq ioredis # gicollide takes them',
  'npm install `gicollide`',
  'npm install git+ssh://git@HOST/OWNER/gicollide.git#COMMIT',
])('is not: %s', (command) => expect(fetchesIn(command)).toEqual([]));

test('no file fetches it', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => fetchesIn(textOf(file)).map((command) => `${file}: ${command}`))).toEqual([]);
});

test('docs/install.md fetches it in the section on the registry alone', () => {
  const page = textOf('docs/install.md').replace(/^gicollide is not published[\s\S]*?\n\n/m, '');
  const [before, registry] = page.split('## From the registry, once it is published\n');
  const [section, after] = registry.split(/^(?=## )/m, 2);
  expect([before, section, after].map((text) => fetchesIn(text).length)).toEqual([0, 1, 0]);
});

test('actions of others are pinned by a full commit, with the version in a comment', () => {
  const pages = files.filter((file) => /\.(md|yml)$/.test(file));
  const uses = pages.flatMap((file) => [...textOf(file).matchAll(/^[\s-]*uses: (.*)$/gm)].map(([, action]) => action));
  expect(uses.length).toBeGreaterThan(15);
  for (const action of uses) expect(action).toMatch(/^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  // One commit for each action and version.
  expect(new Set(uses.map((action) => action.split(' # ')[0])).size).toBe(
    new Set(uses.map((action) => action.split('@')[0])).size,
  );
});

const EXAMPLES = readdirSync(join(root, 'examples'));

test.each(EXAMPLES)('examples/%s names the clone by its path, and its lock file names no registry', (name) => {
  const { dependencies } = JSON.parse(textOf(`examples/${name}/package.json`));
  expect(dependencies).toEqual({ gicollide: 'file:../..' });
  const lock = textOf(`examples/${name}/package-lock.json`);
  expect(JSON.parse(lock).packages[''].dependencies).toEqual(dependencies);
  expect(lock).not.toContain('://');
});

test('npx --no-install runs the linked program', { tags: ['all'] }, () => {
  const cwd = copyOfExample('ci');
  const npx = (): { status: number | null; stdout: string } =>
    spawnSync('npx --no-install gicollide --version', { cwd, shell: true, encoding: 'utf8' });
  installExample(cwd);
  const { version } = JSON.parse(textOf('package.json'));
  expect(npx()).toMatchObject({ status: 0, stdout: `${version}\n` });
});

test('package.json says of every package with an install script that it need not run', () => {
  const { packages }: { packages: Record<string, { hasInstallScript?: true }> } = JSON.parse(
    textOf('package-lock.json'),
  );
  const scripted = Object.keys(packages).filter((path) => packages[path].hasInstallScript);
  const names = scripted.map((path) => path.split('node_modules/').at(-1)!);
  const { allowScripts } = JSON.parse(textOf('package.json'));
  expect(Object.keys(allowScripts)).toEqual([...new Set(names)].sort());
});
