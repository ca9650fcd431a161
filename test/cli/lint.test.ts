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
  expect(stdout).toBe('3 files, 36 triangles in 3 elements\nno problems in 3 files\n');
  expect([code, stderr]).toEqual([0, '']);
});

test('help shows a line and what it prints', async () => {
  const { stdout: help } = await run(['lint', '--help'], { cwd });
  const [, line, ...printed] = /\n {2}\$ gicollide (lint .*)\n {2}(.*\n) {2}(.*\n)/.exec(help) ?? [];
  const args = line.split(' ').map((word) => word.replace(/^assets/, assets));
  expect((await run(args, { cwd })).stdout).toBe(printed.join(''));
});

test('findings: 1 where one fails, 0 where they warn, a line each with its place', async () => {
  const failing = await run(['lint', 'open.obj'], { cwd });
  expect(failing.code).toBe(1);
  expect(failing.stdout).toBe(
    'error    open-edge  open.obj  3 open edges; triangle 0 at (1 0 0)\n\n' +
      'How to mend:\n  3 open edges: close the holes, or delete extra faces (Blender: Face > Fill; MeshLab: Close Holes)\n\n' +
      '1 file, 3 triangles in 1 element\n1 problem (1 error, 0 warnings) in 1 of 1 file\n',
  );
  const warned = await run(['lint', 'open.obj', '--severity', 'all=off', '--severity', 'open-edge=warning'], { cwd });
  expect([warned.code, warned.stdout.split(' ')[0]]).toEqual([0, 'warning']);
  const off = await run(['lint', 'open.obj', '--severity', 'open-edge=off,scale=off', '--quiet'], { cwd });
  expect([off.code, off.stdout]).toEqual([0, '1 file, 3 triangles in 1 element\nno problems in 1 file\n']);
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

test('the end says how to mend each kind of problem, and in how many files they are', async () => {
  // A box whose lid is a bit too high, one with a triangle twice and groups, and one inside out.
  const box = readFileSync(join(cwd, 'box.obj'), 'utf8');
  const [face] = /^f .*$/m.exec(box)!;
  const flipped = box.replaceAll(/^f (\S+) (\S+) (\S+) (\S+)$/gm, 'f $4 $3 $2 $1');
  writeFileSync(join(cwd, 'twice.obj'), `${box.replace(/^f/m, 'g sides\nf')}g lid\n${face}\n`);
  writeFileSync(join(cwd, 'turned.obj'), flipped);
  const { code, stdout } = await run(['lint', 'twice.obj', 'turned.obj', 'open.obj', 'box.obj'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /^warning {2}duplicate-face {2}twice\.obj {2}(\S+ {2})?group sides {2}2 triangles on the same three corners/m,
  );
  expect(stdout).toMatch(/\n {2}1 shell inside out: turn its faces \(Blender: Mesh > Normals > Flip\); /);
  expect(stdout).toMatch(/\n {2}2 sets of equal triangles: delete all but one /);
  expect(stdout).toMatch(
    /\n4 files, 41 triangles in 4 elements\n\d problems \(\d errors, \d warnings?\) in 3 of 4 files\n$/,
  );
});

test('--weld is suggested once for all elements, and only if it closes them', async () => {
  const lid = (name: string, from: number, x: number, gap: number): string => {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [x + (k & 1), (k >> 1) & 1, k >> 2]);
    const all = [...corners, ...corners.slice(4).map(([a, b, c]) => [a, b, c + gap])];
    const faces = ['1 3 4 2', '1 2 6 5', '2 4 8 6', '4 3 7 8', '3 1 5 7', '9 10 12 11'];
    const moved = faces.map((line) => `f ${line.replaceAll(/\d+/g, (v) => String(Number(v) + from))}`);
    return [`o ${name}`, ...all.map((p) => `v ${p.join(' ')}`), ...moved, ''].join('\n');
  };
  writeFileSync(join(cwd, 'lids.obj'), lid('a', 0, 0, 1e-6) + lid('b', 12, 5, 1e-3));
  const first = await run(['lint', 'lids.obj'], { cwd });
  const [, weld] = /\n {2}16 open edges, all within 0\.001: --weld (\S+)\n/.exec(first.stdout) ?? [];
  expect((await run(['lint', 'lids.obj', '--weld', weld], { cwd })).code).toBe(0);
  const json = jsonOf((await run(['lint', 'lids.obj', '--json'], { cwd })).stdout).slice(0, -1);
  for (const finding of json) expect(finding.weld).toMatchObject({ distance: Number(weld) });
  // A sliver of another element would lose its area: only the shorter distance is left.
  const sliver = `o thin\nv 9 0 0\nv 9.0001 0 0\nv 9 1 0\nv 9 0 1\n${['1 3 2', '1 2 4', '1 4 3', '2 3 4']
    .map((face) => `f ${face.replaceAll(/\d/g, (v) => String(Number(v) + 24))}\n`)
    .join('')}`;
  writeFileSync(join(cwd, 'lids.obj'), lid('a', 0, 0, 1e-6) + lid('b', 12, 5, 1e-3) + sliver);
  const { stdout } = await run(['lint', 'lids.obj'], { cwd });
  expect(stdout).toMatch(
    /\n {2}8 open edges, all within 0\.000001: --weld 0\.000001\n {2}8 open edges: close the holes/,
  );
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
  expect((await run(['lint', 'open.obj', '--baseline', 'cut.json'], { cwd })).stdout).toContain(
    '0 new, 1 known\nno new problems in 1 file\n',
  );
});

test('a file that cannot be read: one line, the others are looked at, 2', async () => {
  const { code, stdout, stderr } = await run(['lint', 'bad.obj', 'open.obj', 'missing.obj', 'out/box.voxel'], { cwd });
  expect(code).toBe(2);
  expect(stdout).toMatch(
    /^error {4}open-edge {2}open\.obj .*\n\nHow to mend:\n.*\n\n1 file, .*, 3 not read\n1 problem \(1 error, 0 warnings\) in 1 of 1 file; not everything was checked\n$/,
  );
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/missing\.obj: no such file$/),
    expect.stringMatching(/bad\.obj:2: /),
    expect.stringMatching(/out\/box\.voxel: lint: takes triangles, and voxel stores none/),
  ]);
});

test('folders: their meshes and assets; what is left out is counted', async () => {
  const { code, stdout, stderr } = await run(['lint', 'folder'], { cwd });
  expect([code, stdout]).toEqual([0, '2 files, 24 triangles in 2 elements, 1 file skipped\nno problems in 2 files\n']);
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
  expect([apart.code, apart.stdout]).toEqual([0, '1 file, 24 triangles in 2 elements\nno problems in 1 file\n']);
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
