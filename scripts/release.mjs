// npm run release -- <version | major | minor | patch> [--dry-run]
//
// Makes a release of a clean working tree: the new version in package.json, package-lock.json and src/version.ts, and its date over
// CHANGELOG.md's Unreleased entries; then all checks; then a commit and an annotated tag, vX.Y.Z. Where a check fails, the files are as
// before. --dry-run says what would be done, and does nothing. Nothing is pushed or published here: what comes last is printed.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** The scripts that must pass with the new version in place. Together they take some 25 minutes. */
const CHECKS = ['lint', 'types', 'test', 'test:all', 'test:long'];
const UNRELEASED = '## Unreleased\n';

/** What is said in one line, with exit code 2. */
class Refusal extends Error {}

/** @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new Refusal(`git ${args[0]}: ${(error?.message ?? stderr).trim().split('\n', 1)[0]}`);
  return stdout.trim();
}

/**
 * The version that is asked for: larger than the present one, and of three numbers.
 *
 * @param {string} present
 * @param {string} wanted
 */
function nextVersion(present, wanted) {
  const numbers = present.split('.').map(Number);
  const part = ['major', 'minor', 'patch'].indexOf(wanted);
  const next =
    part < 0 ? wanted : numbers.map((number, i) => (i < part ? number : i === part ? number + 1 : 0)).join('.');
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(next)) {
    throw new Refusal(`expected a version such as 1.2.3, or major, minor or patch, found ${wanted}`);
  }
  const first = next.split('.').findIndex((number, i) => Number(number) !== numbers[i]);
  if (first < 0 || Number(next.split('.')[first]) < numbers[first]) {
    throw new Refusal(`expected a version above ${present}, found ${next}`);
  }
  return next;
}

/**
 * The files as they are and as the release has them, by their names.
 *
 * @param {string} present
 * @param {string} next
 * @param {string} date
 */
function edits(present, next, date) {
  /** @param {string} file @param {(text: string) => string} edit */
  const edited = (file, edit) => {
    const before = readFileSync(file, 'utf8');
    const after = edit(before);
    if (after === before) throw new Refusal(`${file}: does not state version ${present}`);
    return { file, before, after };
  };
  /** @typedef {{ version: string, packages: Record<string, { version: string }> }} Manifest */
  /** @type {(edit: (value: Manifest) => void) => (text: string) => string} */
  const json = (edit) => (text) => {
    const value = JSON.parse(text);
    edit(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  };
  return [
    edited(
      'package.json',
      json((manifest) => {
        manifest.version = next;
      }),
    ),
    edited(
      'package-lock.json',
      json((lock) => {
        lock.version = lock.packages[''].version = next;
      }),
    ),
    edited('src/version.ts', (text) => text.replace(`= '${present}'`, `= '${next}'`)),
    edited('CHANGELOG.md', (text) => {
      const entries = text.split(UNRELEASED)[1]?.split(/^## /m)[0] ?? '';
      if (!/^- /m.test(entries)) throw new Refusal('CHANGELOG.md: nothing under Unreleased');
      return text.replace(UNRELEASED, `${UNRELEASED}\n## ${next}, ${date}\n`);
    }),
  ];
}

/** @param {string} wanted @param {boolean} dryRun */
function release(wanted, dryRun) {
  const { version: present } = JSON.parse(readFileSync('package.json', 'utf8'));
  const next = nextVersion(present, wanted);
  const tag = `v${next}`;
  const dirty = git('status', '--porcelain');
  if (dirty) throw new Refusal(`expected a clean working tree, found ${dirty.split('\n').length} changed files`);
  if (git('tag', '--list', tag)) throw new Refusal(`tag ${tag} is there already`);
  const files = edits(present, next, new Date().toISOString().slice(0, 10));
  const names = files.map(({ file }) => file);
  console.log(`${present} -> ${next}: ${names.join(', ')}; then ${CHECKS.join(', ')}; commit and tag ${tag}`);
  if (dryRun) return;
  for (const { file, after } of files) writeFileSync(file, after);
  try {
    for (const name of CHECKS) {
      const { status } = spawnSync('npm', ['run', name], { stdio: 'inherit', shell: process.platform === 'win32' });
      if (status !== 0) throw new Refusal(`npm run ${name} failed: nothing was released`);
    }
    git('add', ...names);
    git('commit', '--quiet', '--message', `Version ${next}`);
  } catch (error) {
    for (const { file, before } of files) writeFileSync(file, before);
    git('add', ...names); // as they were, where a commit was refused
    throw error;
  }
  git('tag', '--annotate', tag, '--message', `Version ${next}`);
  console.log(`tagged ${tag}; now: git push --follow-tags && npm publish`);
}

try {
  const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
  if (positionals.length !== 1)
    throw new Refusal('usage: npm run release -- <version | major | minor | patch> [--dry-run]');
  release(positionals[0], values['dry-run'] === true);
} catch (error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (!(error instanceof Refusal) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`error: ${message}`);
  process.exitCode = 2;
}
