/** `--exclude` of scene, lint and cubes: counted, listed, and refused where it matches nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { matches } from '../../src/base/patterns.ts';
import { Exclusion } from '../../src/scene/coverage.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';

/** Tetrahedra at x = 0, but for the post at x = 5. */
const solid = (name: string, x: number): string =>
  `o ${name}\nv ${x} 0 0\nv ${x + 1} 0 0\nv ${x} 1 0\nv ${x} 0 1\nf -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -4 -1 -2\n`;
const GAME = solid('wall', 0) + solid('UCX_wall', 0) + solid('wall_LOD2', 0) + solid('post', 5);
const DOME = 'o dome\nv 0 0 0\nv 1 0 0\nv 0 1 0\ncstype bezier\ndeg 1 1\nsurf 0 1 0 1 1 2 3 1\nend\n';
const BOTH = ['--exclude', 'UCX_*', '--exclude', '*_LOD[1-9]'];
const ALL = [...BOTH, '--exclude', '*-col'];

describe('--exclude', () => {
  const cwd = makeFolder();
  beforeAll(() => {
    mkdirSync(join(cwd, 'level'));
    const files = {
      ...{ 'game.obj': GAME, 'level/game.obj': GAME, 'level/rock_LOD1.obj': GAME, 'level/b-col.obj': DOME },
      ...{ 'level/x.obj': solid('x', 9), 'dome.obj': solid('a', 0) + solid('b', 4) + DOME },
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  });

  test.each([
    [['scene', 'game.obj'], 1, /^4 objects, 6 pairs.*0 undecided, \d/m],
    [['scene', 'game.obj', ...BOTH], 0, /^2 objects, 1 pair.*2 objects excluded/m],
    [['scene', 'level', ...ALL], 0, /^2 objects, 1 pair.*4 objects excluded/m],
    [['lint', 'game.obj', ...BOTH], 0, /^1 file, 8 triangles in 2 elements.*2 objects excluded/m],
    [['lint', 'game.obj', '--whole', ...BOTH], 0, /^1 file, 8 triangles in 1 element.*2 objects excluded/m],
    [['lint', 'level', ...ALL], 0, /^2 files, 12 triangles in 3 elements.*4 objects excluded/m],
    [['cubes', 'game.obj', '--precision', '0.1', ...BOTH], 0, /^0 of 1 pairs of 2 models.*2 objects excluded/m],
    [['cubes', 'level', '--precision', '0.1', ...ALL], 0, /^0 of 1 pairs of 2 models.*4 objects excluded/m],
    [['scene', 'dome.obj'], 2, /not readable/],
    [['scene', 'dome.obj', '--exclude', 'dome'], 0, /^2 objects, 1 pair.*1 object excluded/m],
  ])('%j: %i', async (args, code, line) => {
    const outcome = await run(args as string[], { cwd });
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toMatch(line);
  });

  test('--json counts, --verbose lists', async () => {
    const { stdout, stderr } = await run(['scene', 'game.obj', '--json', '--verbose', ...BOTH], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ objects: 2, excluded: 2, coverage: { elements: 2 } });
    expect(stderr.match(/excluded: .*/g)).toEqual(['excluded: UCX_wall', 'excluded: wall_LOD2']);
  });

  test('a pattern that matches nothing is refused, or a warning', async () => {
    for (const [command, ...more] of [['scene'], ['lint'], ['cubes', '--precision', '0.1']])
      expectFailure(
        await run([command, 'game.obj', '--exclude', 'wal', ...more], { cwd }),
        '--exclude: "wal" matches no object',
      );
    const { code, stderr } = await run(['scene', 'game.obj', '--exclude', 'wal', '--allow-unmatched'], { cwd });
    expect([code, stderr]).toEqual([1, 'WARN: --exclude: "wal" matches no object\n']);
  });

  test('all are excluded: one line', async () =>
    expectFailure(
      await run(['scene', 'game.obj', '--exclude', '*'], { cwd }),
      'game.obj: no object, and pairs take two or more; 4 objects excluded',
    ));

  test('links of a robot, which moves without them', async () => {
    const link = (name: string) =>
      `<link name="${name}"><collision><geometry><box size="1 1 1"/></geometry></collision></link>`;
    const joint = (child: string, x: number) =>
      `<joint name="${child}" type="prismatic"><parent link="a"/><child link="${child}"/><origin xyz="${x} 0 0"/></joint>`;
    writeFileSync(
      join(cwd, 'r.urdf'),
      `<robot>${['a', 'b', 'UCX_c'].map(link).join('')}${joint('b', 3)}${joint('UCX_c', 3)}</robot>`,
    );
    const { code, stdout } = await run(['scene', 'r.urdf', '--state', 'b=1', ...BOTH.slice(0, 2)], { cwd });
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 object excluded')]);
  });
});

test.each([
  ['*_LOD[1-9]', 'rock_LOD3', true],
  ['*_LOD[1-9]', 'rock_LOD0', false],
  ['*_LOD[1-9]', 'rock_LOD12', false],
  ['[abc]?', 'b1', true],
  ['[!abc]', 'b', false],
  ['[!abc]', 'd', true],
  ['beam[1]', 'beam[1]', true],
  ['beam[1]', 'beam1', true],
  ['beam[1]*', 'beam[1]/a', true],
  ['[', '[', true],
  ['a[-z]', 'a-', true],
  ['[a-cx-z]', 'y', true],
  ['[a-cx-z]', 'd', false],
])('%s and %s: %s', (pattern, name, expected) => expect(matches(pattern, name)).toBe(expected));

test('a pattern is of the name, or of parts of it', () => {
  const exclusion = new Exclusion(['UCX_*', 'rock', 'left/wheel']);
  const names = ['hall/UCX_1', 'rock/stone', 'a/left/wheel/b', 'aUCX_', 'rocks', 'left'];
  expect(names.filter((name) => exclusion.leavesOut(name))).toEqual(names.slice(0, 3));
});
