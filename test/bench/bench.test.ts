/** bench/: what it runs goes on when a task fails, rows know their commit, and docs say what rows say. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makePages } from '../../bench/page.mjs';
import { SECTIONS } from '../../bench/page-sections.mjs';
import { time } from '../../bench/page-text.mjs';
import { EXPERIMENTS } from '../../bench/papers/index.mjs';
import { commitOf, readRows } from '../../bench/rows.mjs';
import { VERSION } from '../../src/version.ts';

const root = new URL('../../', import.meta.url);
const runner = fileURLToPath(new URL('bench/run.mjs', root));
const run = (...args: string[]) => spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8' });

describe('docs/speed.md, docs/experiments.md and what else is made of results.jsonl', () => {
  const pages = makePages();

  it.each(Object.keys(pages))('%s is what npm run bench -- page makes', (name) => {
    expect(readFileSync(new URL(name, root), 'utf8') === pages[name]).toBe(true);
  });

  it.each(['docs/speed.md', 'docs/experiments.md'])(
    '%s has no table with a gap, and no figure that is none',
    (name) => {
      const page = pages[name];
      expect(page).not.toMatch(/undefined|NaN|Infinity|\bnull\b|\[object/);
      for (const table of page.split('\n\n').filter((part) => part.startsWith('|'))) {
        const widths = table
          .trim()
          .split('\n')
          .map((line) => line.split('|').length);
        expect(new Set(widths).size).toBe(1);
      }
    },
  );

  it('docs/speed.md begins with a short table, and lists no own comparison among the slower cases', () => {
    const [summary, slower] = pages['docs/speed.md'].split(/^## /m);
    expect(summary.split('\n').length).toBeLessThan(30);
    expect(summary).toMatch(/^\| First contact of two meshes \| [\d.]+ us \| \d+ times as fast as three-mesh-bvh \(/m);
    expect(slower).toMatch(/^Slower cases\n/);
    expect(slower).not.toMatch(/the plain check|one thread/);
  });

  it.each([
    ['docs/speed.md', Object.keys(SECTIONS).length],
    ['docs/experiments.md', EXPERIMENTS.length],
  ])('%s cites lines of results.jsonl that hold rows of the task, one a section', (name, sections) => {
    const rows = readRows();
    const cited = [...pages[name].matchAll(/\[([\w/-]+): [^\]]*\]\(\.\.\/bench\/results\.jsonl#L(\d+)\)/g)];
    expect(cited.length).toBeGreaterThanOrEqual(sections);
    for (const [, task, line] of cited) expect(rows[Number(line) - 1].task).toBe(task);
  });

  it('draws every picture of the experiments, and keeps none that is not drawn', () => {
    const drawn = Object.keys(pages).filter((name) => name.startsWith('docs/experiments/'));
    const folder = new URL('docs/experiments/', root);
    expect(existsSync(folder) ? readdirSync(folder).map((name) => `docs/experiments/${name}`) : []).toEqual(
      drawn.toSorted(),
    );
    for (const name of drawn) expect(pages[name]).not.toMatch(/undefined|NaN|Infinity/);
  });

  it('states times in the unit that fits', () => {
    expect([0.5, 5.04, 99.6, 387, 1840, 2.5e6, null].map(time)).toEqual([
      '0.5 us',
      '5 us',
      '100 us',
      '387 us',
      '1.8 ms',
      '2.5 s',
      '',
    ]);
  });
});

describe('npm run bench', () => {
  it('knows every task of which the page speaks, and names them where it is asked for another', {
    tags: ['all'],
  }, () => {
    const { status, stderr } = run('nonsense');
    expect(status).not.toBe(0);
    for (const task of Object.keys(SECTIONS)) expect(stderr).toContain(task);
    expect(run('speed', '--quick', '--record').stderr).toContain('not recorded');
  });

  it('goes on after a task that fails, names it, and ends with exit code 1', { tags: ['long'] }, () => {
    const { status, stdout } = run(
      'speed',
      'cubes',
      '--quick',
      '--no-native',
      '--sets',
      join(tmpdir(), 'no such folder'),
    );
    expect(stdout).toContain('sorted bricks');
    expect(stdout).toMatch(/\nfailed: speed\n$/);
    expect(status).toBe(1);
  });
});

it('a row names the commit, with a + where a tracked file differs, and null where there is none', {
  tags: ['all'],
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-bench-'));
  try {
    expect(commitOf(folder)).toBeNull();
    const git = (...args: string[]) => {
      const names = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false'];
      const { status, stderr } = spawnSync('git', [...names, ...args], { cwd: folder, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, expect.any(String)]);
    };
    git('init', '--quiet');
    writeFileSync(join(folder, 'tracked'), VERSION);
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    writeFileSync(join(folder, 'untracked'), '');
    expect(commitOf(folder)).toMatch(/^[0-9a-f]{7,}$/);
    writeFileSync(join(folder, 'tracked'), 'changed');
    expect(commitOf(folder)).toMatch(/^[0-9a-f]{7,}\+$/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
