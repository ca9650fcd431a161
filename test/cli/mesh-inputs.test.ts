/** What commands take as meshes: folders as trees, stdin, elements, units; and what they refuse by name. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectFailure, infoOf, listFiles, makeFolder, run, writeMesh } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { box, boxText } from '../support/shapes.ts';

const obb = ['-f', 'obb'];

/** A tree of meshes, with what people have beside them. */
function tree(): string {
  const cwd = makeFolder();
  for (const folder of ['props/deep', 'props/node_modules/x', 'props/.git'])
    mkdirSync(join(cwd, folder), { recursive: true });
  const meshes = ['a.obj', 'deep/b.obj', 'node_modules/x/c.obj', '.git/d.obj', '.e.obj'];
  for (const name of meshes) writeMesh(join(cwd, 'props', name), box());
  for (const name of ['a.mtl', 'a.png', 'deep/B.PNG', 'deep/note', 'old.obb'])
    writeFileSync(join(cwd, 'props', name), 'x');
  return cwd;
}

describe.concurrent('folders', () => {
  test('build: what lies below, mirrored; what is left out is counted by ending, but for what it writes', {
    tags: ['all'],
  }, async () => {
    const cwd = tree();
    const { code, stdout, stderr } = await run(['build', 'props', ...obb], { cwd });
    expect([code, stderr]).toEqual([0, 'warning: skipped: 2 .png, 1 without an ending, 1 .mtl\n']);
    expect(stdout).toMatch(/^out\/a\.obb .*\nout\/deep\/b\.obb .*\n2 built, 4 skipped, [\d.]+ s\n$/);
    expect(listFiles(join(cwd, 'out'))).toEqual(['a.obb', 'deep/b.obb']);
  });

  test('build: its last line counts warnings, also those that nobody sees; JSON has no such line', {
    tags: ['long'],
  }, async () => {
    const cwd = makeFolder();
    for (const name of ['a.obj', 'b.obj']) {
      writeMesh(join(cwd, name), box());
      appendFileSync(join(cwd, name), 'f 1 2 2\n');
    }
    const build = (...more: string[]) => run(['build', 'a.obj', 'b.obj', '--size', '17', '--force', ...more], { cwd });
    const { stdout, stderr } = await build();
    const warnings = stderr.match(/^warning: /gm)?.length ?? 0;
    expect(warnings).toBeGreaterThan(0);
    const last = new RegExp(`\\n2 built, ${warnings} warnings?, [\\d.]+ s\\n$`);
    expect(stdout).toMatch(last);
    const silent = await build('--log-level', 'error');
    expect([silent.stderr, last.test(silent.stdout)]).toEqual(['', true]);
    for (const line of (await build('--json')).stdout.trim().split('\n')) expect(JSON.parse(line).status).toBe('built');
  });

  test('build --strict: the others are built, and 2', { tags: ['all'] }, async () => {
    const cwd = tree();
    const { code, stderr } = await run(['build', 'props', ...obb, '--strict', '-q'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toBe('error: skipped: 2 .png, 1 without an ending, 1 .mtl; --strict makes this an error\n');
    expect(listFiles(join(cwd, 'out'))).toEqual(['a.obb', 'deep/b.obb']);
  });

  test('build: links to folders are not followed, so that none goes in a circle; pipes are no files', {
    tags: ['all'],
  }, async () => {
    const cwd = tree();
    symlinkSync('..', join(cwd, 'props/deep/up'));
    symlinkSync('../a.obj', join(cwd, 'props/deep/link.obj'));
    if (process.platform !== 'win32') spawnSync('mkfifo', [join(cwd, 'props/pipe.obj')]);
    expect((await run(['build', 'props', ...obb, '-q'], { cwd })).code).toBe(0);
    expect(listFiles(join(cwd, 'out'))).toEqual(['a.obb', 'deep/b.obb', 'deep/link.obb']);
  });

  test('two inputs that would become one: refused, both named, nothing written', { tags: ['all'] }, async () => {
    const cwd = tree();
    writeMesh(join(cwd, 'props/deep/a.obj'), box());
    const line = /^props\/deep\/a\.obj and props\/a\.obj would both become out\/a\.obb$/;
    expectFailure(await run(['build', 'props', ...obb, '--flat', '-q'], { cwd }), line);
    expect((await run(['build', 'props', ...obb, '-q'], { cwd })).code).toBe(0);
  });

  test.each(
    some(2, [
      ['scene', ['scene', 'props', '--strict', '--fail-on', 'none']],
      ['cubes', ['cubes', 'props', '--strict', '--precision', '0.1', '--expect', 'contact']],
      ['lint', ['lint', 'props', '--strict']],
    ]),
  )('%s --strict', { tags: ['all', 'long'] }, async (_, args) => {
    const cwd = tree();
    rmSync(join(cwd, 'props/old.obb'));
    const { code, stdout, stderr } = await run(args, { cwd });
    expect(code).toBe(2);
    expect(stdout).not.toBe('');
    expect(stderr).toContain('2 .png');
    const plain = await run(
      args.filter((arg) => arg !== '--strict'),
      { cwd },
    );
    expect(plain.code).toBe(0);
  });

  test.each([['build'], ['lint'], ['scene'], ['cubes', '--precision', '1']])(
    '%s of none: 2',
    { tags: ['all'] },
    async (...args) => {
      const cwd = makeFolder();
      mkdirSync(join(cwd, 'empty/node_modules'), { recursive: true });
      writeMesh(join(cwd, 'empty/node_modules/a.obj'), box());
      const { code, stderr } = await run([...args, 'empty'], { cwd });
      expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringMatching(/empty: the folder holds no .*\.obj/)]);
    },
  );
});

describe.concurrent('stdin', () => {
  const input = boxText('left', 0) + boxText('right', 0.5, 8);

  test('build: named in outputs and headers', { tags: ['long'] }, async () => {
    const cwd = makeFolder();
    const named = await run(['build', '-', '--name', 'parts/two.obj', ...obb], { cwd, input });
    expect(named).toMatchObject({ code: 0, stderr: '' });
    expect(named.stdout).toMatch(/^out\/two\.obb .* from parts\/two\.obj, 24 triangles/);
    expect(await infoOf(cwd, 'out/two.obb')).toMatchObject({ source: { name: 'two.obj' } });
    await run(['build', '-', '--split', 'elements', ...obb, '-o', 'split'], { cwd, input });
    expect(listFiles(join(cwd, 'split'))).toEqual(['stdin.left.obb', 'stdin.right.obb']);
  });

  test.each<[string[], number, RegExp]>(
    some(4, [
      [['info', '-'], 0, /^stdin\n {2}usable as a solid {2}yes\n[\s\S]*\n {2}format +OBJ\n/],
      [['lint', '-', '--name', 'a.obj'], 0, /^1 file, 24 triangles in 2 elements/],
      [['scene', '-'], 1, /^overlap {2}left {2}right /],
      [['check', '-', 'box.obj', '--expect', 'contact'], 0, /^contact at \(.*\) {2}stdin {2}box\.obj/],
      [
        ['check', 'box.obj', '-', '--name', 'b.obj', '--expect', 'contact'],
        0,
        /^contact at \(.*\) {2}box\.obj {2}b\.obj/,
      ],
      [['check', '-', '-', '--expect', 'contact'], 0, /^contact at \(.*\) {2}stdin {2}stdin/],
      [['cubes', '-', '--precision', '0.1', '--expect', 'contact'], 0, /^left {2}right {2}/],
      [['scene', '-', 'box.obj', '--name', 'x.obj', '--fail-on', 'none'], 0, /^3 overlap; --verbose lists them\n/],
    ]),
  )('%j', { tags: ['all', 'long'] }, async (args, code, stdout) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'box.obj'), boxText('box', 0.25));
    expect(await run(args, { cwd, input })).toMatchObject({ code, stderr: '', stdout: expect.stringMatching(stdout) });
  });

  test('a model of an F-rep, by its content; a scene', { tags: ['long'] }, async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'box.obj'), boxText('box', 0));
    const ball = '{"object": {"sphere": {"radius": 0.6}}}';
    expect((await run(['check', '-', 'box.obj', '--expect', 'contact'], { cwd, input: ball })).code).toBe(0);
    const text = readFileSync(join(cwd, 'box.obj'), 'utf8');
    writeFileSync(join(cwd, 'two.obj'), text);
    const instances = ['a', 'b'].map((name) => ({ name, asset: 'box' }));
    const scene = JSON.stringify({ gicollide: 'scene/1', assets: { box: 'box.obj' }, instances });
    expect((await run(['scene', '-'], { cwd, input: scene })).stdout).toMatch(/^same {2}a {2}b/);
  });

  const refused: [string, string[], string, RegExp][] = [
    ['a name of nothing', ['build', 'box.obj', '--name', 'a'], '', /^--name a names stdin, but no input is -$/],
    ['an empty name', ['info', '-', '--name', ''], '', /^--name: expected a name, found nothing$/],
    ['nothing', ['info', '-'], '', /^stdin: expected a mesh \(.*\), found an empty file$/],
    ['what is broken', ['build', '-', '--name', 'b.obj'], 'v 0 0\n', /^b\.obj:1: expected 3 coordinates, found 2$/],
    ['more than --max-bytes', ['info', '-', '--max-bytes', '4'], input, /^stdin: expected at most 4 bytes, found more/],
    [
      'poses, too',
      ['check', '-', 'box.obj', '--poses', '-'],
      input,
      /^--poses -: stdin is an asset already; write the poses to a file$/,
    ],
    ['twice in a scene', ['scene', '-', '-'], input, /^-: stdin is one input, and comes twice$/],
    [
      'over a file that is there',
      ['build', '-', '-o', 'box.obj'],
      input,
      /^box\.obj: expected a name that ends with \.tiff/,
    ],
  ];
  test.each(some(4, refused))('%s: one line', { tags: ['all', 'long'] }, async (_, args, text, line) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'box.obj'), boxText('box', 0));
    expectFailure(await run(args, { cwd, input: text }), line);
  });
});

describe.concurrent('files that are none', () => {
  const files: Record<string, [string, RegExp]> = {
    'a.fbx': ['Kaydara FBX Binary  \0', /an FBX file, which gicollide does not read; export glTF or OBJ$/],
    'a.stl': ['<!DOCTYPE html>', /an HTML page instead of the file$/],
    'a.obj': ['version https://git-lfs.github.com/spec/v1\n', /a Git LFS pointer/],
    'a.glb': ['', /an empty file$/],
    'b.obj': ['{"a": 1}', /JSON; the name of a model of an F-rep ends with \.frep\.json$/],
  };
  const commands = [
    ['build'],
    ['check', 'box.obj'],
    ['info'],
    ['lint'],
    ['cubes', 'box.obj', '--precision', '1'],
    ['scene'],
  ];
  const cases = Object.keys(files).flatMap((file, i) => commands.map((args, k) => ({ file, args, number: i + k })));
  test.each(cases.filter(({ number }) => some(1, [0, 1, 2, 3, 4]).includes(number % 5)))(
    '$args $file',
    { tags: ['all', 'long'] },
    async ({ file, args }) => {
      const cwd = makeFolder();
      writeFileSync(join(cwd, 'box.obj'), boxText('box', 0));
      writeFileSync(join(cwd, file), files[file][0]);
      const { code, stderr } = await run([...args, file], { cwd });
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
      expect(stderr.slice(0, -1)).toMatch(new RegExp(`^error: ${file}: expected .*, found ${files[file][1].source}`));
      expect(listFiles(cwd)).toEqual([file, 'box.obj'].sort());
    },
  );
});

describe.concurrent('elements of a file', { tags: ['all'] }, () => {
  test.each(['groups', 'elements'])('--split %s', async (split) => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'two.obj'), boxText('left', 0) + boxText('right', 0.5, 8));
    expect(await run(['build', 'two.obj', '--split', split, ...obb], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(join(cwd, 'out'))).toEqual(['two.left.obb', 'two.right.obb']);
    expect(await infoOf(cwd, 'out/two.right.obb')).toMatchObject({ options: { element: 'right' } });
  });

  test('--split meshes: each mesh of the file, in its own frame', async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'two.obj'), boxText('left', 0) + boxText('right', 0.5, 8));
    await run(['build', 'two.obj', '--split', 'meshes', ...obb], { cwd });
    expect(listFiles(join(cwd, 'out'))).toEqual(['two.unnamed.obb']);
    expect(await infoOf(cwd, 'out/two.unnamed.obb')).toMatchObject({ triangles: 24 });
  });
});

test('scene --units: of meshes that say none, and no others than the scene says', { tags: ['all'] }, async () => {
  const cwd = makeFolder();
  writeFileSync(join(cwd, 'two.obj'), boxText('left', 0) + boxText('right', 0.5, 8));
  const { stdout } = await run(['scene', 'two.obj', '--units', 'mm', '--json'], { cwd });
  expect(JSON.parse(stdout.trim().split('\n').at(-1) as string)).toMatchObject({ units: 'mm', unitless: 1 });
  const scene = {
    gicollide: 'scene/1',
    units: 'm',
    assets: { two: 'two.obj' },
    instances: [{ name: 'a', asset: 'two' }],
  };
  writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
  expectFailure(
    await run(['scene', 's.scene.json', '--units', 'mm'], { cwd }),
    's.scene.json: expected --units m, as the scene has it, found mm',
  );
});
