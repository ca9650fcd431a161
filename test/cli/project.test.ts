/** `gicollide build` and `gicollide scene` of a project file: gicollide.json. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectFailure, listFiles, makeFolder, run, runAlone, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';

/** A project in a folder of its own, whose cache is there, too. */
function projectOf(model: object, ...meshes: string[]): string {
  const cwd = makeFolder();
  const cache = { folder: '.cache' };
  writeFileSync(join(cwd, 'gicollide.json'), JSON.stringify({ gicollide: 'project/1', cache, ...model }));
  for (const mesh of meshes) {
    mkdirSync(join(cwd, mesh, '..'), { recursive: true });
    writeMesh(join(cwd, mesh), box());
  }
  return cwd;
}

const outputs = (cwd: string): string[] => listFiles(cwd).filter((file) => /\.(obb|kdop|tiff|voxel|frep)$/.test(file));
const BALL = '{"object": {"sphere": {"radius": 0.5}}}';

describe.concurrent('what a project builds', () => {
  test('every entry with its own options; folders are mirrored below what a pattern names', async () => {
    const cwd = projectOf(
      {
        build: [
          {
            include: 'props/**/*.obj',
            exclude: 'props/old',
            format: ['obb', 'kdop'],
            out: 'made/',
            nodeBytes: 20,
            k: 6,
          },
          { include: ['walls', 'ball.frep.json'], format: 'obb', out: 'made/walls' },
        ],
      },
      ...['props/a.obj', 'props/deep/a.obj', 'props/old/b.obj', 'walls/in/w.obj', 'other.obj'],
    );
    writeFileSync(join(cwd, 'ball.frep.json'), BALL);
    const { code, stdout, stderr } = await run(['build', '--json'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line)).map(({ status, file, source }) => [status, file, source])).toEqual([
      ['built', 'made/a.obb', 'props/a.obj'],
      ['built', 'made/a.kdop', 'props/a.obj'],
      // The same bytes under the same name.
      ['cached', 'made/deep/a.obb', 'props/deep/a.obj'],
      ['cached', 'made/deep/a.kdop', 'props/deep/a.obj'],
      ['built', 'made/walls/ball.frep', 'ball.frep.json'],
      ['built', 'made/walls/in/w.obb', 'walls/in/w.obj'],
    ]);
    expect(lines.map((line) => JSON.parse(line).nodeBytes)).toEqual([20, undefined, 20, undefined, undefined, 40]);
    expect(outputs(cwd)).toHaveLength(6);
  });

  test('a project in another folder: its paths are from there, and lines are from here', async () => {
    const cwd = projectOf({ build: [{ include: '*.obj', format: 'obb' }] }, 'a.obj');
    mkdirSync(join(cwd, 'sub'));
    const { code, stdout } = await run(['build', '--project', '../gicollide.json'], { cwd: join(cwd, 'sub') });
    expect(code).toBe(0);
    expect(stdout).toMatch(/out\/a\.obb {2}OBB tree \(40 bytes per node\) from \S*a\.obj, 12 triangles; /);
    expect(outputs(cwd)).toEqual(['out/a.obb']);
    expect((await run(['build', '--check'], { cwd })).code).toBe(0);
  });

  test('what matches nothing is named, and the others are built', async () => {
    const cwd = projectOf(
      {
        build: [
          { include: ['a.obj', 'prosp/*.obj'], format: 'obb' },
          { include: 'a.obj', exclude: '*.obj', out: 'b/' },
        ],
      },
      'a.obj',
    );
    const { code, stdout, stderr } = await run(['build'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: gicollide.json: build[0].include: "prosp/*.obj" matches no file that can be built\n' +
        'error: gicollide.json: build[1].exclude: leaves no file of what include matches\n',
    );
    expect(stdout).toMatch(/^out\/a\.obb .*\n1 built, 2 failed, [\d.]+ s\n$/);
  });

  test.each<[what: string, model: object, line: string | RegExp]>([
    [
      'a path that leads out',
      { build: [{ include: '../*.obj' }] },
      /^gicollide\.json: build\[0\]\.include: expected a file in the same folder or below, found "\.\.\/\*\.obj"/,
    ],
    [
      'an output that is out',
      { build: [{ include: 'a.obj', out: '/tmp/x' }] },
      /^gicollide\.json: build\[0\]\.out: .*"\/tmp\/x"/,
    ],
    [
      'two entries, one output',
      { build: [{ include: 'a.obj' }, { include: 'a.obj', size: 17 }] },
      'gicollide.json: build: a.obj and a.obj would both become out/a.tiff',
    ],
    [
      'what an element might be',
      { build: [{ include: 'a.obj', split: 'elements' }, { include: 'a.b.obj' }] },
      /^gicollide\.json: build: a\.b\.obj and an element of a\.obj might both become out\/a\.b\.tiff/,
    ],
    [
      'an option of another format',
      { build: [{ include: 'a.obj', nodeBytes: 20 }] },
      'gicollide.json: build[0].nodeBytes: an option of obb, which is not built (format gi)',
    ],
    [
      'an option that is mistyped',
      { build: [{ include: 'a.obj', fromat: 'obb' }] },
      'gicollide.json: expected only known keys at build[0], found "fromat": did you mean format?',
    ],
    [
      'nothing to build',
      { scenes: ['x.scene.json'] },
      'gicollide.json: expected something to build, found no entry of build',
    ],
  ])('%s: one line, nothing written', async (_, model, line) => {
    const cwd = projectOf(model, 'a.obj', 'a.b.obj');
    expectFailure(await run(['build'], { cwd }), line);
    expect(outputs(cwd)).toEqual([]);
  });

  test('whole meshes and their elements beside each other', async () => {
    const cwd = projectOf(
      {
        build: [
          { include: 'a.obj', format: 'obb' },
          { include: 'a.obj', format: 'obb', split: 'groups' },
        ],
      },
      'a.obj',
    );
    expect((await run(['build'], { cwd })).code).toBe(0);
    expect(outputs(cwd)).toEqual(['out/a.obb', 'out/a.unnamed.obb']);
  });

  test('links that lead out are taken with --allow-outside alone', async () => {
    const cwd = projectOf({ build: [{ include: 'in/*.obj', format: 'obb' }] });
    const outside = makeFolder();
    writeMesh(join(outside, 'a.obj'), box());
    mkdirSync(join(cwd, 'in'));
    symlinkSync(join(outside, 'a.obj'), join(cwd, 'in/a.obj'));
    expectFailure(await run(['build'], { cwd }), /^gicollide\.json: in\/a\.obj: a link that leads out/);
    expect((await run(['build', '--allow-outside'], { cwd })).code).toBe(0);
  });

  test('no files and no project; a project and options of formats, or files', async () => {
    const cwd = makeFolder();
    expectFailure(
      await run(['build'], { cwd }),
      'expected meshes, or gicollide.json in this folder; --project names another',
    );
    expectFailure(
      await run(['scene'], { cwd }),
      'expected files, or gicollide.json in this folder; --project names another',
    );
    expectFailure(await run(['build', '--project', 'x.json'], { cwd }), 'x.json: no such file');
    const other = projectOf({ build: [{ include: '*.obj' }] }, 'a.obj');
    expectFailure(await run(['build', '--size', '17'], { cwd: other }), /^--size: expected meshes beside it/);
    expectFailure(
      await run(['build', 'a.obj', '--project', 'gicollide.json'], { cwd: other }),
      /^--project: expected no meshes beside it/,
    );
    expectFailure(await run(['scene', '--clearance', '1'], { cwd: other }), /^--clearance: a project file says/);
    expectFailure(await run(['scene'], { cwd: other }), 'gicollide.json: expected a scene, found no entry of scenes');
  });

  test('what was built before comes from the cache, with its line', { tags: ['all'] }, async () => {
    const cwd = projectOf({ build: [{ include: 'a.obj', size: 17 }] }, 'a.obj');
    const first = await run(['build'], { cwd });
    await runAlone(['build', '--force', '--no-cache'], { cwd });
    expect(first.stdout).toMatch(
      /^out\/a\.tiff {2}geometry image of 6 charts of 2 x 2 from a\.obj, 12 triangles; [\d.]+ KB, within [\d.e-]+ of the mesh, .* dB, [\d.]+ s.*\n$/,
    );
    writeFileSync(join(cwd, 'out/a.tiff'), 'other bytes');
    const again = await run(['build'], { cwd });
    expect(again.stdout).toBe(
      first.stdout.replace('  geometry', '  cached: geometry').replace(/, [\d.]+ s(?=[;\n])/, ''),
    );
    expect((await run(['build'], { cwd })).stdout).toBe('out/a.tiff  fresh\n');
    writeFileSync(join(cwd, 'out/a.tiff'), 'other bytes');
    expect((await run(['build', '--verbose'], { cwd })).stdout).toMatch(
      /^out\/a\.tiff {2}cached: geometry image of 6 charts of 2 x 2 \(charts: flat faces, exact\) from a\.obj, .*; [\d.]+ KB, within [\d.e-]+ of the mesh, .* dB/,
    );
  });
});

test('gicollide cache goes by the project of its folder', async () => {
  const cwd = projectOf(
    { build: [{ include: 'a.obj', format: 'obb' }], cache: { folder: 'kept', maxSize: '1KB' } },
    'a.obj',
  );
  expect(await run(['cache', 'info'], { cwd })).toMatchObject({ code: 0, stdout: expect.stringMatching(/0 entries/) });
  await run(['build'], { cwd });
  expect((await run(['cache', 'info'], { cwd })).stdout).toMatch(/1 entry/);
  expect((await run(['cache', 'prune'], { cwd })).stdout).toMatch(/^0 entries, 0 bytes; 1 removed, /);
  const elsewhere = makeFolder();
  expectFailure(
    await run(['cache', 'prune'], { cwd: elsewhere }),
    '--max-size: expected a size, as 2GB; gicollide.json can have it as cache.maxSize',
  );
});

describe.concurrent('the scenes of a project', () => {
  const scene = (x: number): string =>
    JSON.stringify({
      gicollide: 'scene/1',
      assets: { box: 'a.obj' },
      instances: [
        { name: 'p', asset: 'box' },
        { name: 'q', asset: 'box', translate: [x, 0, 0] },
      ],
    });

  test('one after the other; the worst code of all', async () => {
    const cwd = projectOf(
      {
        scenes: [
          'apart.scene.json',
          { files: 'apart.scene.json', clearance: 10, report: { junit: 'out.xml' } },
          'none.scene.json',
        ],
      },
      'a.obj',
    );
    writeFileSync(join(cwd, 'apart.scene.json'), scene(5));
    const { code, stdout, stderr } = await run(['scene'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toBe('error: none.scene.json: no such file (scenes[2] of gicollide.json)\n');
    expect(stdout.match(/^(apart|none)\.scene\.json:$/gm)).toHaveLength(3);
    expect(stdout).toMatch(/0 in contact.*\n0 problems\n.*\nnear {2}p {2}q /);
    expect(listFiles(cwd)).toContain('out.xml');
    const json = await run(['scene', '--json'], { cwd });
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['summary', 'finding', 'summary']);
  });

  test('--report, --distance and --baseline of the command line are for all of them', { tags: ['all'] }, async () => {
    const cwd = projectOf(
      {
        scenes: [
          { files: 'near.scene.json', clearance: 10, report: { csv: 'own.csv' } },
          'close.scene.json',
          'none.json',
        ],
      },
      'a.obj',
    );
    const named = (name: string, x: number): string => scene(x).replaceAll(/"(p|q)"/g, `"${name}-$1"`);
    writeFileSync(join(cwd, 'near.scene.json'), named('near', 5));
    writeFileSync(join(cwd, 'close.scene.json'), named('close', 0.5));
    const all = ['scene', '--report', 'csv=all.csv', 'junit=all.xml', '--distance'];
    const known = ['--baseline', 'known.json'];
    const first = await run([...all, ...known, '--update-baseline'], { cwd });
    expect(first.code).toBe(2);
    expect(first.stdout).toMatch(/near {2}near-p {2}near-q {2}\S+ of 10 /);
    const csv = readFileSync(join(cwd, 'all.csv'), 'utf8');
    expect(csv.match(/near-p|close-p/g)).toEqual(['near-p', 'close-p']);
    // One report of all: what was asked is added up, and what could not be is in it.
    const xml = readFileSync(join(cwd, 'all.xml'), 'utf8');
    expect(xml).toContain('none.json: no such file');
    expect(xml).toContain('4 objects, 2 pairs');
    expect(listFiles(cwd)).not.toContain('own.csv');
    const again = await run(['scene', ...known], { cwd });
    expect(again.stdout.match(/known\.json: 0 new, 1 known/g)).toHaveLength(2);
    expectFailure(
      await run(['scene', '--report', 'blob=found'], { cwd }),
      /^--report blob writes a share of one scene/,
    );
    const before = readFileSync(join(cwd, 'a.obj'), 'utf8');
    expect((await run(['scene', '--report', 'junit=a.obj'], { cwd })).code).toBe(2);
    expect(readFileSync(join(cwd, 'a.obj'), 'utf8')).toBe(before);
  });

  test.each<[code: number, at: number, asked: object]>([
    [0, 5, {}],
    [1, 0.5, {}],
    [0, 0.5, { failOn: [] }],
    [0, 0.5, { allow: [{ a: 'p', b: 'q' }] }],
  ])('exit code %i: at %f, %j', async (code, at, asked) => {
    const cwd = projectOf({ scenes: [{ files: ['x.scene.json'], ...asked }] }, 'a.obj');
    writeFileSync(join(cwd, 'x.scene.json'), scene(at));
    expect((await run(['scene'], { cwd })).code).toBe(code);
    const elsewhere = makeFolder();
    expect((await run(['scene', '--project', join(cwd, 'gicollide.json')], { cwd: elsewhere })).code).toBe(code);
  });
});
