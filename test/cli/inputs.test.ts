/** What is read: every input once, be it a file, a pipe or a device, and no more of it than is allowed. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { explain } from '../../src/cli/inputs/name.ts';
import { build, readObj, write } from '../../src/index.ts';
import { assets, expectFailure, makeFolder, run } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { ballImage, tiledFile } from '../support/tiles.ts';

const cwd = makeFolder();
const mesh = join(assets, 'box.obj');

beforeAll(async () => {
  for (const name of ['box.obj', 'blob.obj']) copyFileSync(join(assets, name), join(cwd, name));
  if (!long) {
    mkdirSync(join(cwd, 'out'));
    for (const format of ['obb', 'voxel'] as const) {
      writeFileSync(join(cwd, `out/box.${format}`), await write(build(readObj(readFileSync(mesh)), { format })));
    }
    // Large enough to be read by tiles, and made sooner than of a mesh.
    const image = await tiledFile(ballImage(9, 5), 32);
    for (const name of ['box', 'blob']) writeFileSync(join(cwd, `out/${name}.tiff`), image);
    return;
  }
  const images = ['build', 'box.obj', 'blob.obj', '--size', '513', '-o', 'out/'];
  expect((await run(['build', 'box.obj', '-f', 'obb,voxel', '-o', 'out/'], { cwd })).code).toBe(0);
  expect((await run(images, { cwd })).code).toBe(0);
});

/** Writes to stderr which files were opened for reading. */
const OPENS = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const { openSync } = fs;
  fs.openSync = (path, flags, ...more) => {
    if (flags === 'r' && !fs.statSync(path).isDirectory()) process.stderr.write('open ' + path + '\\n');
    return openSync(path, flags, ...more);
  };
  syncBuiltinESMExports();`;

describe.concurrent('every file is opened once', () => {
  const opened: [string, string[]][] = [
    ['check box.obj ./box.obj', ['box.obj']],
    ['check out/box.tiff out/blob.tiff --distance', ['out/box.tiff', 'out/blob.tiff']],
    ['build box.obj -f obb,kdop -o once/', ['box.obj']],
    ['cubes box.obj out/box.voxel blob.obj --precision 0.0078125', ['box.obj', 'out/box.voxel', 'blob.obj']],
    ['check out/box.tiff out/box.tiff', ['out/box.tiff']],
    // Of these the short run reads pipes, which give their bytes once.
    ['info box.obj', ['box.obj']],
    ['verify out/box.obb', ['out/box.obb']],
    ['export out/box.tiff -o once.obj', ['out/box.tiff']],
    ['check box.obj blob.obj', ['box.obj', 'blob.obj']],
    ['check box.obj out/box.obb --distance', ['box.obj', 'out/box.obb']],
    ['check out/box.tiff out/blob.tiff', ['out/box.tiff', 'out/blob.tiff']],
    ['check out/blob.tiff box.obj', ['out/blob.tiff', 'box.obj']],
  ];
  test.each(some(5, opened))('%s', { tags: ['all', 'long'] }, async (line, files) => {
    const { code, stderr } = await run(line.split(' '), { cwd, preload: OPENS });
    expect(code).toBeLessThan(2);
    expect(stderr.match(/^open .*$/gm)?.sort()).toEqual(files.map((file) => `open ${file}`).sort());
  });
});

describe.skipIf(process.platform === 'win32').concurrent('pipes', () => {
  let pipes = 0;

  /** A named pipe that gives the bytes of a file to its first reader. */
  function pipeOf(file: string, ending: string): string {
    const name = `pipe${pipes++}${ending}`;
    expect(spawnSync('mkfifo', [name], { cwd }).status).toBe(0);
    spawn('sh', ['-c', `cat "${file}" > ${name}`], { cwd }).unref();
    return name;
  }

  const piped: [string, (of: typeof pipeOf) => string[]][] = [
    [
      'check, of an image and of a model',
      (of) => ['check', of('out/box.tiff', ''), of(join(assets, 'bowl.frep.json'), '')],
    ],
    ['verify', (of) => ['verify', of('box.obj', '.obj')]],
    ['export', (of) => ['export', of('out/box.voxel', ''), '-o', 'piped.obj']],
    ['info', (of) => ['info', of('out/box.obb', '.obb')]],
    ['build, of a mesh in two formats', (of) => ['build', of('box.obj', ''), '-f', 'obb,kdop', '-o', 'piped/']],
    ['build, of a model', (of) => ['build', of(join(assets, 'bowl.frep.json'), '.frep.json'), '-o', 'piped/']],
    ['check, of an asset and of a mesh without an ending', (of) => ['check', of('out/box.obb', ''), of('box.obj', '')]],
    ['cubes', (of) => ['cubes', of('box.obj', '.obj'), of('out/box.voxel', '.voxel'), '--precision', '0.0078125']],
    ['check, of two meshes', (of) => ['check', of('box.obj', '.obj'), of('box.obj', '.obj')]],
  ];
  test.each(some(5, piped))('%s', { tags: ['all', 'long'] }, async (_, args) => {
    const { code, stderr } = await run(args(pipeOf), { cwd });
    expect({ stderr, failed: code === 2 }).toEqual({ stderr: '', failed: false });
  });

  test('with itself, by two names', { tags: ['all'] }, async () => {
    const name = pipeOf('box.obj', '.obj');
    expect(await run(['check', name, `./${name}`, '--expect', 'contact'], { cwd })).toMatchObject({ code: 0 });
  });

  test('stdin', { tags: ['all'] }, async () => {
    const args = ['check', '/dev/stdin', 'out/box.obb', '--expect', 'contact'];
    expect(await run(args, { cwd, input: readFileSync(mesh, 'utf8') })).toMatchObject({ code: 0, stderr: '' });
  });

  test('more than --max-bytes: one line, exit code 2; as many are read', { tags: ['all'] }, async () => {
    const { length } = readFileSync(mesh);
    const check = (most: number) =>
      run(['check', pipeOf('box.obj', '.obj'), 'box.obj', '--max-bytes', `${most}`], { cwd });
    expectFailure(
      await check(length - 1),
      /^pipe\d+\.obj: expected at most \d+ bytes, found more; --max-bytes raises the limit$/,
    );
    expect(await check(length)).toMatchObject({ code: 1 });
  });

  const endless = [
    ['check', '/dev/zero', 'box.obj'],
    ['build', '/dev/zero', '-o', 'zero.obb'],
    ['info', '/dev/zero'],
    ['cubes', '/dev/zero', 'box.obj', '--precision', '1'],
  ];
  test.each(some(1, endless))('a device without an end: %s', { tags: ['all', 'long'] }, async (...args) => {
    expectFailure(
      await run([...args, '--max-bytes', '1000000'], { cwd }),
      '/dev/zero: expected at most 1000000 bytes, found more; --max-bytes raises the limit',
    );
  });
});

test.skipIf(process.platform === 'win32')('a file larger than memory: one line', { tags: ['all'] }, async () => {
  writeFileSync(join(cwd, 'huge.obj'), '');
  truncateSync(join(cwd, 'huge.obj'), 2 ** 40); // of holes
  expectFailure(
    await run(['check', 'huge.obj', 'box.obj'], { cwd }),
    'huge.obj: expected a file that fits into memory, found 1099511627776 bytes',
  );
});

describe('a missing file is one of a similar name', () => {
  const refusalOf = (path: string): string => explain(path, Object.assign(new Error(), { code: 'ENOENT' })).message;

  test.each([
    ['fandsk.obj', '; did you mean fandisk.obj?'],
    ['Cow.obj', '; did you mean cow.obj?'],
    ['bull.obj', ''],
    ['link.obj', ''],
    ['a/cow.obj', ''],
    ['', ''],
  ])('%j', (name, meant) => {
    const folder = makeFolder();
    for (const file of ['fandisk.obj', 'cow.obj']) writeFileSync(join(folder, file), '');
    symlinkSync('nowhere', join(folder, 'link.obj'));
    const path = `${folder}/${name}`;
    expect(refusalOf(path)).toBe(`${path}: no such file${meant.replace('mean ', `mean ${folder}/`)}`);
  });
});
