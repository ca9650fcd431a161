/** `--exclude` of four commands: counted, listed, and refused where it matches nothing. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Exclusion, matches } from '../../src/base/patterns.ts';
import { buildRun, type SourceTask } from '../../src/cli/queue/builds.ts';

import { expectFailure, expectLine, infoOf, listFiles, makeFolder, run } from '../support/cli.ts';
import { startWorker } from '../support/queue.ts';
import { hasRedis, startRedis } from '../support/redis.ts';

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
    [['scene', 'game.obj'], 1, /^4 objects\n6 pairs.*0 undecided, \d/m],
    [['scene', 'game.obj', ...BOTH], 0, /^2 objects: 2 objects excluded\n1 pair/m],
    [['scene', 'level', ...ALL], 0, /^2 objects: 4 objects excluded\n1 pair/m],
    [['lint', 'game.obj', ...BOTH], 0, /^1 file, 8 triangles in 2 elements.*2 objects excluded/m],
    [['lint', 'game.obj', '--whole', ...BOTH], 0, /^1 file, 8 triangles in 1 element.*2 objects excluded/m],
    [['lint', 'level', ...ALL], 0, /^2 files, 12 triangles in 3 elements.*4 objects excluded/m],
    [['cubes', 'game.obj', '--precision', '0.1', ...BOTH], 0, /^0 of 1 pairs of 2 models.*2 objects excluded/m],
    [['cubes', 'level', '--precision', '0.1', ...ALL], 0, /^0 of 1 pairs of 2 models.*4 objects excluded/m],
    [['scene', 'dome.obj'], 2, /not readable/],
    [['scene', 'dome.obj', '--exclude', 'dome'], 0, /^2 objects: 1 object excluded\n1 pair/m],
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
    expect([code, stderr]).toEqual([1, 'warning: --exclude: "wal" matches no object; did you mean "wall"?\n']);
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

describe('build --exclude', () => {
  const folder = (): string => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'level'));
    const files = {
      'game.obj': GAME,
      'level/game.obj': GAME,
      'level/rock_LOD1.obj': GAME,
      'level/x.obj': solid('x', 9),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    return cwd;
  };

  test('a whole mesh is built without them; other exclusions are another request', async () => {
    const cwd = folder();
    const build = (...more: string[]) => run(['build', 'game.obj', '-f', 'obb', '-o', 'o.obb', ...more], { cwd });
    expect(await build(...BOTH)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/8 triangles.*\n1 built, 2 objects excluded, /),
    });
    expect(await infoOf(cwd, 'o.obb')).toMatchObject({ triangles: 8 });
    for (const same of [BOTH, [...BOTH.slice(2), ...BOTH]])
      expect(await build(...same)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/\n1 fresh, 2 objects excluded, /),
      });
    expect(await build(...BOTH, '--check')).toMatchObject({ code: 0 });
    expect(await build(...BOTH.slice(0, 2), '--check')).toMatchObject({
      ...{ code: 1, stdout: expect.stringMatching(/stale: other options\n1 stale, 1 object excluded, /) },
    });
    expect((await build('--check')).code).toBe(1);
    expect((await build()).stdout).toMatch(/^o\.obb .*16 triangles[^\n]*\n$/);
  });

  test('elements are not built, nor files of such names; --json counts, --verbose lists', async () => {
    const cwd = folder();
    const args = ['build', 'level', '-f', 'obb', '--split', 'elements', '--json', '--verbose', ...BOTH];
    const { code, stdout, stderr } = await run(args, { cwd });
    expect([code, listFiles(join(cwd, 'out'))]).toEqual([0, ['game.post.obb', 'game.wall.obb', 'x.x.obb']]);
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.filter(({ status }) => status === 'excluded')).toEqual([
      { status: 'excluded', source: join('level', 'rock_LOD1.obj'), excluded: 1 },
      { status: 'excluded', source: join('level', 'game.obj'), excluded: 2 },
    ]);
    const game = join('level', 'game.obj');
    expect(stderr.match(/excluded: .*/g)).toEqual([
      ...[`excluded: ${join('level', 'rock_LOD1.obj')}`, `excluded: ${game}: UCX_wall`, `excluded: ${game}: wall_LOD2`],
    ]);
    const positions = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
    const gltf = {
      asset: { version: '2.0' },
      buffers: [{ byteLength: 36, uri: `data:application/octet-stream;base64,${positions.toString('base64')}` }],
      bufferViews: [{ buffer: 0, byteLength: 36 }],
      accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] }],
      meshes: ['rock', 'UCX_rock'].map((name) => ({ name, primitives: [{ attributes: { POSITION: 0 } }] })),
      ...{ nodes: [{ mesh: 0 }, { mesh: 1 }], scenes: [{ nodes: [0, 1] }], scene: 0 },
    };
    writeFileSync(join(cwd, 'two.gltf'), JSON.stringify(gltf));
    const meshes = ['build', 'two.gltf', '-f', 'obb', '--split', 'meshes', '-o', 'm', '--exclude', 'UCX_*'];
    expect((await run(meshes, { cwd })).stdout).toContain('\n1 built, 1 object excluded, ');
    expect(listFiles(join(cwd, 'm'))).toEqual(['two.rock.obb']);
  });

  test('a pattern that matches nothing is refused in each run, fresh or not, after the build', async () => {
    const cwd = folder();
    for (const status of ['built', 'fresh']) {
      const outcome = await run(['build', 'level', '-f', 'obb', ...BOTH, '--exclude', 'wal'], { cwd });
      expect(outcome.code).toBe(2);
      expectLine(outcome.stderr, '--exclude: "wal" matches no object');
      expect(outcome.stdout).toContain(`2 ${status}, 3 objects excluded, `);
    }
    expect((await run(['build', 'level', '-f', 'obb', '--exclude', 'wal', '--shard', '1/2'], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, 'level/bad.obj'), 'v 0 0\n');
    const failed = await run(['build', 'level', '-f', 'obb', '--exclude', 'wal'], { cwd });
    expect(failed).toMatchObject({ code: 2, stderr: expect.not.stringContaining('wal') });
    const none = await run(['build', 'game.obj', '--exclude', '*'], { cwd });
    expect(none).toMatchObject({ code: 2, stdout: expect.stringMatching(/^4 objects excluded, /) });
    expectLine(none.stderr, 'nothing to build is left: 4 objects excluded');
  });

  test('projects', async () => {
    const cwd = folder();
    const write = (excludeObjects: string[]): void =>
      writeFileSync(
        join(cwd, 'gicollide.json'),
        JSON.stringify({
          gicollide: 'project/1',
          build: [
            { include: 'level/', format: 'obb', excludeObjects },
            { include: 'game.obj', format: 'obb', out: 'g.obb' },
          ],
        }),
      );
    write(['UCX_*', '*_LOD[1-9]']);
    const first = await run(['build', '--no-cache'], { cwd });
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('3 built, 3 objects excluded, ')]);
    expect(await infoOf(cwd, 'out/game.obb')).toMatchObject({ triangles: 8 });
    expect(await infoOf(cwd, 'g.obb')).toMatchObject({ triangles: 16 });
    expect((await run(['build', '--check'], { cwd })).code).toBe(0);
    write(['UCX_*']);
    expect(await run(['build', '--check'], { cwd })).toMatchObject({
      ...{ code: 1, stdout: expect.stringContaining('1 fresh, 1 missing, 2 stale, 2 objects excluded, ') },
    });
    write(['UCY_*']);
    const { code, stderr } = await run(['build', '--no-cache'], { cwd });
    expect(code).toBe(2);
    expectLine(stderr, 'gicollide.json: excludeObjects: "UCY_*" matches no object');
  });

  test('threads and a cache: the same count', { tags: ['all'] }, async () => {
    const cwd = folder();
    for (const n of [0, 1, 2, 3, 4, 5]) writeFileSync(join(cwd, `level/${n}.obj`), GAME);
    const args = ['build', 'level', '-f', 'gi', '--size', '65', '--cache-dir', 'cache', ...BOTH];
    for (const [out, jobs, status] of [
      ['a/', '2', 'built'],
      ['b/', '1', 'cached'],
      ['b/', '2', 'fresh'],
    ])
      expect(await run([...args, '-o', out, '--jobs', jobs], { cwd })).toMatchObject({
        ...{ code: 0, stdout: expect.stringContaining(`8 ${status}, 15 objects excluded, `) },
      });
  });

  test.skipIf(!hasRedis)('the workers of a queue: the same count', { tags: ['all'] }, async () => {
    const [cwd, place] = [folder(), makeFolder()];
    const redis = await startRedis();
    const worker = startWorker(redis.url, place);
    try {
      await worker.ready;
      writeFileSync(join(cwd, 'level/UCX.obj'), solid('UCX_1', 0));
      const args = [
        'build',
        'level',
        '-f',
        'obb,kdop',
        '--queue',
        redis.url,
        '--assets',
        join(place, 'store'),
        ...BOTH,
      ];
      for (const status of ['built', 'fresh'])
        expect(await run(args, { cwd })).toMatchObject({
          ...{ code: 0, stdout: expect.stringContaining(`4 ${status}, 4 objects excluded, `), stderr: '' },
        });
      expect(worker.text()).toContain(': build, ');
      expect(await infoOf(cwd, 'out/game.obb')).toMatchObject({ triangles: 8 });
    } finally {
      worker.kill('SIGKILL');
      await redis.close();
    }
  });

  test('a worker may leave out all outputs of a file only where something is excluded', () => {
    const task = (exclude?: string[]) => ({ formats: ['obb'], flags: { exclude } }) as unknown as SourceTask;
    const rows = [[{ status: 'excluded' as const, names: ['a'] }]];
    expect(buildRun.accept(rows, [task(['a'])])).toBe(rows);
    expect(() => buildRun.accept(rows, [task()])).toThrow('expected 1 outputs of a file, found 0');
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
  ['beam[1]', 'beam1', false],
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

test('a number in brackets is part of a name', () => {
  expect(matches('p[1]', 'p[1]')).toBe(true);
  expect(['p1', 'p[2]'].some((name) => matches('p[1]', name))).toBe(false);
  expect(matches('wall[12]*', 'wall1-a')).toBe(false);
  expect(matches('rock_LOD[1-9]', 'rock_LOD3')).toBe(true);
});
