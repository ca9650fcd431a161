/** A clone never runs a build that is older than its sources; a build leaves a record in dist/. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { readSources, recordSources, staleBuild } from '../../scripts/sources-digest.mjs';
import { makeFolder } from '../support/cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = 'dist/package/lib/program.js';
let clone: string;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true });
  writeFileSync(join(clone, file), text);
}

/** What `npm run build` does, for a program that says one word. */
function build(): void {
  const sources = readSources(clone);
  write(PROGRAM, 'export const main = () => process.stdout.write("started");');
  recordSources(clone, sources);
}

beforeEach(() => {
  clone = makeFolder();
  for (const file of ['bin/gicollide.js', 'scripts/sources-digest.mjs', 'package.json']) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    copyFileSync(join(root, file), join(clone, file));
  }
  write('package-lock.json', '{}');
  write('src/cli/a.ts', 'a');
  write('src/b.ts', 'b');
  mkdirSync(join(clone, 'node_modules'));
  build();
});

const run = () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, 'bin/gicollide.js')], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const refused = (line: string) => ({ status: 2, stdout: '', stderr: `error: cannot start: ${line}\n` });

test('a build of these sources starts', () => {
  expect(run()).toEqual({ status: 0, stdout: 'started', stderr: '' });
});

test('no build: one line with the command, exit code 2', () => {
  rmSync(join(clone, 'dist'), { recursive: true });
  expect(run()).toEqual(refused(`dist/ is missing or incomplete: run npm run build in ${clone}`));
  rmSync(join(clone, 'node_modules'), { recursive: true });
  expect(run()).toEqual(refused(`dist/ is missing or incomplete: run npm install in ${clone}`));
});

test('an older build: one line with the command, exit code 2, and nothing of it runs', () => {
  write('src/b.ts', 'c');
  expect(run()).toEqual(refused(`dist/ is older than its sources: run npm run build in ${clone}`));
});

test('an installed package has no sources, and its build is not asked about', () => {
  rmSync(join(clone, 'scripts'), { recursive: true });
  rmSync(join(clone, 'dist/sources.json'));
  write('src/representations/obb/FORMAT.md', 'newer');
  expect(run()).toEqual({ status: 0, stdout: 'started', stderr: '' });
});

describe('a build is older after', () => {
  const path = (file: string) => join(clone, file);
  const changes: Record<string, () => void> = {
    'a file has changed': () => write('src/cli/a.ts', 'b'),
    'a file was added': () => write('src/c.ts', ''),
    'a file was added, and another deleted': () => {
      write('src/c.ts', 'b');
      rmSync(path('src/b.ts'));
    },
    'a file was deleted': () => rmSync(path('src/b.ts')),
    'a file was renamed': () => renameSync(path('src/b.ts'), path('src/c.ts')),
    'the lock file has changed': () => write('package-lock.json', '{ }'),
    'a script of the build has changed': () => write('scripts/bundle.mjs', ''),
    'a file has changed and got its old times back': () => {
      const { atime, mtime } = statSync(path('src/b.ts'));
      write('src/b.ts', 'c');
      utimesSync(path('src/b.ts'), atime, mtime);
    },
    'the build was interrupted while it wrote the package': () => recordSources(clone),
    'a file has changed while the build ran': () => {
      const sources = readSources(clone);
      write('src/b.ts', 'c');
      recordSources(clone, sources);
    },
  };
  test.each(Object.entries(changes))('%s', (_, change) => {
    expect(staleBuild(clone)).toBeUndefined();
    change();
    expect(staleBuild(clone)).toMatch(/^dist\/ is (?:older|missing)/);
    build();
    expect(staleBuild(clone)).toBeUndefined();
  });
});

describe('a build is fresh after', () => {
  const changes: Record<string, () => void> = {
    'a file was written again, as by a change of branches and back': () => write('src/b.ts', 'b'),
    'a file was generated': () => write('src/module.generated.ts', 'x'),
    'a page for people has changed': () => write('src/FORMAT.md', 'x'),
    'a script that builds nothing has changed': () => write('scripts/make-site.mjs', 'x'),
  };
  test.each(Object.entries(changes))('%s', (_, change) => {
    change();
    expect(staleBuild(clone)).toBeUndefined();
  });
});

test('package.json builds after npm install in a clone and before npm pack, by one script, if need be', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts.prepare).toBe('node scripts/build-once.mjs');
  expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual(['prepare']);
});
