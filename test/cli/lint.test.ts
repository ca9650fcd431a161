/** `gicollide lint` as a user's shell runs it: files and folders, levels, exit codes, text and JSON. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { LintFinding } from '../../src/lint/report.ts';
import { assets, makeFolder, run } from '../support/cli.ts';

const cwd = makeFolder();
const OPEN = 'v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 1\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';

beforeAll(async () => {
  cpSync(join(assets, 'box.obj'), join(cwd, 'box.obj'));
  writeFileSync(join(cwd, 'open.obj'), OPEN);
  writeFileSync(join(cwd, 'bad.obj'), 'v 0 0 0\nf 1 2 3\n');
  mkdirSync(join(cwd, 'folder/below'), { recursive: true });
  for (const name of ['folder/a.obj', 'folder/below/b.obj']) cpSync(join(assets, 'box.obj'), join(cwd, name));
  writeFileSync(join(cwd, 'folder/notes.txt'), 'no mesh');
  await run(['build', 'box.obj', '-f', 'obb,kdop,voxel'], { cwd });
});

const jsonOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('nothing wrong: 0, and what was looked at', async () => {
  const { code, stdout, stderr } = await run(['lint', 'box.obj', 'out/box.obb', 'out/box.kdop'], { cwd });
  expect(stdout).toBe('3 files, 36 triangles in 3 elements: 0 errors, 0 warnings\n');
  expect([code, stderr]).toEqual([0, '']);
});

test('help shows a line and what it prints', async () => {
  const { stdout: help } = await run(['lint', '--help'], { cwd });
  const [, line, printed] = /\n {2}\$ gicollide (lint .*)\n {2}(.*)\n/.exec(help) ?? [];
  const args = line.split(' ').map((word) => word.replace(/^assets/, assets));
  expect((await run(args, { cwd })).stdout).toBe(`${printed}\n`);
});

test('findings: 1 where one fails, 0 where they warn, a line each with its place', async () => {
  const failing = await run(['lint', 'open.obj'], { cwd });
  expect(failing.code).toBe(1);
  expect(failing.stdout).toBe(
    'error    open-edge  open.obj  the surface does not close: 3 open edges in a run, 1 triangle at the first; triangle 0 at (1 0 0)\n' +
      '1 file, 3 triangles in 1 element: 1 error, 0 warnings (1 open-edge)\n',
  );
  const warned = await run(['lint', 'open.obj', '--severity', 'all=off', '--severity', 'open-edge=warning'], { cwd });
  expect([warned.code, warned.stdout.split(' ')[0]]).toEqual([0, 'warning']);
  const off = await run(['lint', 'open.obj', '--severity', 'open-edge=off,scale=off', '--quiet'], { cwd });
  expect([off.code, off.stdout]).toEqual([0, '1 file, 3 triangles in 1 element: 0 errors, 0 warnings\n']);
});

test('JSON: the same findings, then a summary; the same bytes each time; ids without ./', async () => {
  const first = await run(['lint', 'open.obj', 'box.obj', '--json'], { cwd });
  const [finding, summary, ...rest] = jsonOf(first.stdout);
  expect(finding).toMatchObject({
    type: 'finding',
    rule: 'open-edge',
    severity: 'error',
    file: 'open.obj',
    element: null,
  });
  expect(summary).toMatchObject({ type: 'summary', files: 2, unread: 0, errors: 1, complete: true, unlisted: 0 });
  expect(rest).toEqual([]);
  expect((await run(['lint', 'open.obj', 'box.obj', '--json'], { cwd })).stdout).toBe(first.stdout);
  const [dotted] = jsonOf((await run(['lint', './open.obj', '--json'], { cwd })).stdout);
  expect((dotted as unknown as LintFinding).id).toBe(finding.id);
});

test('a list that is cut changes no exit code, its count is whole', async () => {
  const { code, stdout } = await run(['lint', 'open.obj', '--json', '--max-findings', '0'], { cwd });
  expect(code).toBe(1);
  expect(jsonOf(stdout)).toMatchObject([{ errors: 1, unlisted: 1, counts: { 'open-edge': 1 } }]);
  expect((await run(['lint', 'open.obj', '--max-findings', '0'], { cwd })).stdout).toContain(
    'and 1 more of open-edge\n',
  );
  const warned = ['lint', 'open.obj', '--max-findings', '0', '--severity', 'open-edge=warning'];
  expect((await run(warned, { cwd })).code).toBe(0);
  // A baseline takes up all of them, and knows all of them again.
  const known = ['lint', 'open.obj', '--json', '--max-findings', '0', '--baseline', 'cut.json'];
  expect((await run([...known, '--update-baseline', '--report', 'csv=cut.csv'], { cwd })).code).toBe(1);
  expect(readFileSync(join(cwd, 'cut.json'), 'utf8')).toContain('open-edge');
  expect(readFileSync(join(cwd, 'cut.csv'), 'utf8')).not.toContain('open-edge');
  const again = await run(known, { cwd });
  expect([again.code, jsonOf(again.stdout)]).toMatchObject([0, [{ errors: 1, unlisted: 1 }]]);
  expect((await run(['lint', 'open.obj', '--baseline', 'cut.json'], { cwd })).stdout).toContain('0 new, 1 known');
});

test('a file that cannot be read: one line, the others are looked at, 2', async () => {
  const { code, stdout, stderr } = await run(['lint', 'bad.obj', 'open.obj', 'missing.obj', 'out/box.voxel'], { cwd });
  expect(code).toBe(2);
  expect(stdout).toMatch(
    /^error {4}open-edge {2}open\.obj .*\n1 file, .*: 1 error, 0 warnings \(1 open-edge\), 3 not read\n$/,
  );
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/missing\.obj: no such file$/),
    expect.stringMatching(/bad\.obj:2: /),
    expect.stringMatching(/out\/box\.voxel: lint: takes triangles, and voxel stores none/),
  ]);
});

test('folders: their meshes and assets; what is left out is counted', async () => {
  const { code, stdout, stderr } = await run(['lint', 'folder'], { cwd });
  expect([code, stdout]).toEqual([0, '2 files, 24 triangles in 2 elements: 0 errors, 0 warnings, 1 file skipped\n']);
  expect(stderr).toMatch(/^warning: skipped: 1 \.\w+\n$/);
  expect(await run(['lint', 'folder', '--strict'], { cwd })).toMatchObject({ code: 2, stdout });
  expect((await run(['lint', './folder', 'folder/below'], { cwd })).stdout).toContain('2 files, 24 triangles');
});

test('objects by their names, or the file as a whole', async () => {
  const box = ['1 2 4 3', '5 7 8 6', '1 5 6 2', '3 4 8 7', '1 3 7 5', '2 6 8 4'];
  const corners = (d: number): string =>
    Array.from({ length: 8 }, (_, i) => `v ${(i & 1) + d} ${((i >> 1) & 1) + d} ${(i >> 2) + d}\n`).join('');
  const faces = (from: number): string =>
    box
      .map(
        (face) =>
          `f ${face
            .split(' ')
            .reverse()
            .map((v) => Number(v) + from)
            .join(' ')}\n`,
      )
      .join('');
  const text = `${corners(0)}${corners(0.5)}o left\n${faces(0)}o right\n${faces(8)}`;
  writeFileSync(join(cwd, 'two.obj'), text);
  const apart = await run(['lint', 'two.obj', '--severity', 'inverted-shell=off'], { cwd });
  expect([apart.code, apart.stdout]).toEqual([0, '1 file, 24 triangles in 2 elements: 0 errors, 0 warnings\n']);
  const whole = await run(['lint', 'two.obj', '--whole', '--json'], { cwd });
  expect(whole.code).toBe(1);
  expect(jsonOf(whole.stdout).some(({ rule }) => rule === 'self-intersection')).toBe(true);
});

test.each([
  [['--severity', 'open-edges=off'], /no rule is called "open-edges"; did you mean open-edge\?/],
  [['--severity', 'open-edge=bad'], /severity of open-edge: expected error or warning or off, found "bad"/],
  [['--severity', 'open-edge'], /Expected rule=level/],
  [['--severity', 'all=off'], /all rules are off/],
  [['--max-findings', '-1'], /whole number from 0/],
  [['--units', 'parsecs'], /parsecs/],
])('%j is refused in one line, 2', async (args, message) => {
  const { code, stderr } = await run(['lint', 'box.obj', ...args], { cwd });
  expect(code).toBe(2);
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(message)]);
});
