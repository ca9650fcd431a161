/** scripts/release.mjs in temporary repositories: changes, notes, refusals, failed checks. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../support/cli.ts';
import { some } from '../support/long.ts';

const script = fileURLToPath(new URL('../../scripts/release.mjs', import.meta.url));
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n\n## 1.2.3, 2026-01-01\n\n- Another.\n';

/** A repository of version 1.2.3 with one commit. Its checks pass, except those in `failing`. */
function makeRepository({ changelog = CHANGELOG, failing = [] as string[] } = {}) {
  const cwd = makeFolder();
  const scripts = Object.fromEntries(
    ['lint', 'types', 'test', 'test:all', 'test:long'].map((name) => [
      name,
      failing.includes(name) ? 'node -e "process.exit(1)"' : 'node -e 0',
    ]),
  );
  const write = (file: string, text: string) => writeFileSync(join(cwd, file), text);
  mkdirSync(join(cwd, 'src'));
  write('package.json', `${JSON.stringify({ name: 'a', version: '1.2.3', scripts }, null, 2)}\n`);
  const lock = { name: 'a', version: '1.2.3', lockfileVersion: 3, packages: { '': { name: 'a', version: '1.2.3' } } };
  write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
  write('src/version.ts', "export const VERSION: string = '1.2.3';\n");
  write('CHANGELOG.md', changelog);
  const git = (...args: string[]): string => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];
    const { status, stdout, stderr } = spawnSync('git', [...who, ...args], { cwd, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout.trim();
  };
  git('init', '--quiet');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  git('add', '.');
  git('commit', '--quiet', '--message', 'start');
  const release = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { cwd, encoding: 'utf8' });
  const textOf = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return { git, release, textOf, write };
}

test('a release: every place has the version, the entries have a date, one commit, one tag', { tags: ['long'] }, () => {
  const { git, release, textOf } = makeRepository();
  const { status, stdout, stderr } = release('minor');
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^Release 1\.2\.3 -> 1\.3\.0\n/);
  expect(stdout).toMatch(/Tagged v1\.3\.0\. Next:\n {2}git push --follow-tags\n {2}npm publish\n$/);
  expect(JSON.parse(textOf('package.json')).version).toBe('1.3.0');
  const lock = JSON.parse(textOf('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual(['1.3.0', '1.3.0']);
  expect(textOf('src/version.ts')).toBe("export const VERSION: string = '1.3.0';\n");
  expect(textOf('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## Unreleased\n\n## 1\.3\.0, \d{4}-\d\d-\d\d\n\n### Added\n\n- A thing/,
  );
  expect(git('status', '--porcelain')).toBe('');
  expect(git('log', '--format=%s')).toBe('Version 1.3.0\nstart');
  expect(git('cat-file', '-t', 'v1.3.0')).toBe('tag');
  expect(git('rev-parse', 'v1.3.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
  // The next release has no entries yet.
  expect(release('patch').stderr).toBe('error: CHANGELOG.md: nothing under Unreleased\n');
});

test.each(
  some(1, [
    ['major', '2.0.0'],
    ['1.10.0', '1.10.0'],
    ['minor', '1.3.0'],
    ['patch', '1.2.4'],
  ]),
)('--dry-run %s: says %s, and does nothing', { tags: ['all', 'long'] }, (wanted, version) => {
  const { git, release } = makeRepository({ failing: ['lint'] });
  const { status, stdout } = release(wanted, '--dry-run');
  expect(status).toBe(0);
  expect(stdout).toContain(`Release 1.2.3 -> ${version}\n`);
  expect(stdout).toContain(`tag v${version}\n`);
  expect([git('status', '--porcelain'), git('log', '--format=%s'), git('tag')]).toEqual(['', 'start', '']);
});

test('--notes: the entries as the text of a GitHub release, without links that it would not resolve', {
  tags: ['all', 'long'],
}, () => {
  const entries =
    '### Upgrading to 1.3\n\n- See [a.md](docs/a.md), [b](docs/b.md#c) and [d](https://d.org).\n\n### Added\n\n- X.\n';
  const { git, release, textOf } = makeRepository({ changelog: CHANGELOG.replace(/### Added[^#]*/, `${entries}\n`) });
  const { status, stdout } = release('minor', '--dry-run', '--notes', 'notes.md');
  expect(status).toBe(0);
  expect(stdout).toMatch(/Wrote the release notes to notes\.md \(7 lines\)\.\n$/);
  expect(textOf('notes.md')).toBe(
    '### Upgrading to 1.3\n\n- See a.md (`docs/a.md`), b (`docs/b.md#c`) and [d](https://d.org).\n\n### Added\n\n- X.\n',
  );
  expect(git('status', '--porcelain')).toBe('?? notes.md');
  // The guide for upgrading is that of another version.
  git('add', '.');
  git('commit', '--quiet', '--message', 'notes');
  expect(release('major', '--dry-run')).toMatchObject({
    status: 2,
    stderr: 'error: CHANGELOG.md: expected "Upgrading to 2.0.0", found "Upgrading to 1.3"\n',
  });
});

describe('refused in one line, and nothing changes:', () => {
  const refused: [string[], string | RegExp][] = [
    [[], 'usage: npm run release -- <version | major | minor | patch> [--dry-run] [--notes <file>]'],
    [['1.1.9'], 'expected a version above 1.2.3, found 1.1.9'],
    [['next'], 'expected a version such as 1.2.3, or major, minor or patch, found next'],
    [['1.2.3'], 'expected a version above 1.2.3, found 1.2.3'],
    [['1.3'], 'expected a version such as 1.2.3, or major, minor or patch, found 1.3'],
    [['1.2.4', '--yes'], /^Unknown option '--yes'/],
    [['1.2.4', '--notes', 'none/notes.md'], 'none/notes.md: cannot be written (ENOENT)'],
  ];
  test.each(some(2, refused))('%j', { tags: ['all', 'long'] }, (args, line) => {
    const { git, release } = makeRepository();
    const { status, stderr } = release(...args);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr.slice('error: '.length, -1)).toMatch(line);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('a tree with changes, a tag that is there', { tags: ['long'] }, () => {
    const { git, release, write } = makeRepository();
    git('tag', 'v1.2.4');
    expect(release('patch')).toMatchObject({ status: 2, stderr: 'error: tag v1.2.4 exists already\n' });
    write('new.txt', '');
    expect(release('minor')).toMatchObject({
      status: 2,
      stderr: 'error: expected a clean working tree, found 1 changed file\n',
    });
  });

  test.each(some(1, ['lint', 'test:long']))('npm run %s that fails', { tags: ['all', 'long'] }, (name) => {
    const { git, release } = makeRepository({ failing: [name] });
    const { status, stderr } = release('patch');
    expect(status).toBe(2);
    expect(stderr).toContain(`error: npm run ${name} failed: nothing was released; --from ${name} goes on there\n`);
    expect([git('status', '--porcelain'), git('log', '--format=%s'), git('tag')]).toEqual(['', 'start', '']);
  });

  test('--from a check that does not exist; with one that does, no check before it runs', { tags: ['long'] }, () => {
    const { git, release } = makeRepository({ failing: ['lint', 'types', 'test'] });
    expect(release('patch', '--from', 'tests').stderr).toMatch(
      /^error: --from: expected one of lint, .*, found tests\n$/,
    );
    expect(release('patch', '--from', 'test:all')).toMatchObject({ status: 0, stderr: '' });
    expect(git('tag')).toBe('v1.2.4');
  });

  test('--from commit runs no check', { tags: ['long'] }, () => {
    const { git, release } = makeRepository({ failing: ['lint', 'types', 'test', 'test:all', 'test:long'] });
    const { status, stdout } = release('patch', '--from', 'commit');
    expect([status, git('tag')]).toEqual([0, 'v1.2.4']);
    expect(stdout).toContain('  check   nothing\n');
  });
});
