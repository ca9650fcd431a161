/** What `npm run build` makes of the program: it loads little, so that it starts fast, and does what the program does file by file. */
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, write } from '../../src/index.ts';
import { assets, ended, makeFolder, plainProgram, program } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { box } from '../support/shapes.ts';

const cwd = makeFolder();
const root = fileURLToPath(new URL('../../dist/package', import.meta.url));
const bundled = program;
const inBundle = (file: string): boolean => file.startsWith(root);

beforeAll(async () => {
  for (const name of ['box', 'torus', 'bolt']) copyFileSync(join(assets, `${name}.obj`), join(cwd, `${name}.obj`));
  copyFileSync(join(assets, 'flange.frep.json'), join(cwd, 'flange.frep.json'));
  writeFileSync(join(cwd, 'box.obb'), await write(build(box(), { format: 'obb' })));
  writeFileSync(join(cwd, 'box.kdop'), await write(build(box(), { format: 'kdop' })));
  writeFileSync(join(cwd, 'box.voxel'), await write(build(box(), { format: 'voxel' })));
  writeFileSync(join(cwd, 'box.tiff'), await write(build(box(), { size: 17 })));
  writeFileSync(join(cwd, 'lzw.tiff'), await write(build(box(), { size: 17 }), { compression: 'lzw' }));
});

/** Says at the end, on stderr, what was loaded, by import and by require. */
const WATCHED = `
import { createRequire, register } from 'node:module';
import { writeSync } from 'node:fs';
const hooks = "import { writeSync } from 'node:fs'; export function load(url, context, next) { writeSync(2, 'loaded ' + url + '\\\\n'); return next(url, context); }";
register('data:text/javascript,' + encodeURIComponent(hooks));
process.on('exit', () => { for (const file of Object.keys(createRequire('/').cache)) writeSync(2, 'loaded file://' + file + '\\n'); });
`;

async function run(file: string, args: string[], preload?: string) {
  const { CI, NO_COLOR, FORCE_COLOR, NODE_OPTIONS, ...env } = process.env;
  const node = preload ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`] : [];
  const child = spawn(process.execPath, [...node, file, ...args], { cwd, env });
  child.stdin.end();
  return ended(child);
}

/** The files that a run of the bundle loads, which is started once. */
const loaded = new Map<string, Promise<string[]>>();
function loadedBy(...args: string[]): Promise<string[]> {
  const line = args.join(' ');
  if (!loaded.has(line)) loaded.set(line, watch(args));
  return loaded.get(line) as Promise<string[]>;
}

async function watch(args: string[]): Promise<string[]> {
  const { code, stderr } = await run(bundled, args, WATCHED);
  expect(code).not.toBe(2);
  const urls = [...stderr.matchAll(/^loaded (file:.*)$/gm)].map((match) => match[1]);
  expect(urls).toContain(pathToFileURL(bundled).href);
  return [...new Set(urls)].map((url) => fileURLToPath(url));
}

const PACKAGE = /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/;
const packagesOf = (files: string[]): string[] => [...new Set(files.flatMap((file) => PACKAGE.exec(file)?.[1] ?? []))];
/** Which of these names files of the bundle define: many modules are one file. */
function defined(files: string[], names: readonly string[]): string[] {
  const text = files
    .filter(inBundle)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  return names.filter((name) => new RegExp(`(function|class) ${name}\\b|\\b${name}=[^=]`).test(text));
}
const bytesOf = (files: string[]): number => files.filter(inBundle).reduce((sum, file) => sum + statSync(file).size, 0);

describe.concurrent('what is loaded', () => {
  test.each(
    some(5, [
      '--version',
      'check box.obb box.obb',
      'info box.tiff',
      'check box.kdop box.voxel',
      'check box.obj torus.obj',
      '--help',
      'check box.tiff box.tiff --distance',
    ]),
  )('no package: %s', { tags: ['all', 'long'] }, async (line) => {
    expect(packagesOf(await loadedBy(...line.split(' ')))).toEqual([]);
  });

  test('packages when they are needed: sharp for LZW, pino for what is said', { tags: ['long'] }, async () => {
    expect(packagesOf(await loadedBy('check', 'lzw.tiff', 'box.tiff'))).toContain('sharp');
    const said = packagesOf(await loadedBy('check', 'box.obj', 'box.obb', '-v'));
    expect(said).toContain('pino');
    expect(said).not.toContain('sharp');
  });

  test('of OBB trees: not the other representations, nor what builds, nor zod, which reads models', {
    tags: ['long'],
  }, async () => {
    const files = await loadedBy('check', 'box.obb', 'box.obb');
    const others = ['giCodec', 'kdopCodec', 'voxelCodec', 'frepCodec', 'giBuilder', 'kdopBuilder', 'voxelBuilder'];
    // Also none that reads meshes, or TIFFs.
    const more = ['defineBuild', 'defineInfo', 'ZodMiniType', 'MESH_FORMATS', 'readDirectories', 'nodeInflate'];
    expect(defined(files, ['defineCheck', 'obbCodec', ...others, ...more])).toEqual(['defineCheck', 'obbCodec']);
    expect(defined(await loadedBy('check', 'flange.frep.json', 'box.obb'), ['ZodMiniType'])).toEqual(['ZodMiniType']);
  });

  test('for what is fresh: nothing that builds', { tags: ['long'] }, async () => {
    const args = ['build', 'box.obj', 'torus.obj', '-f', 'obb,kdop,gi', '--size', '17', '-o', 'fresh'];
    expect((await run(bundled, args)).stdout).toMatch(/^6 built/m);
    const files = await loadedBy(...args);
    expect(packagesOf(files)).toEqual([]);
    const names = ['defineBuild', 'giBuilder', 'kdopBuilder', 'obbBuilder', 'voxelBuilder', 'ZodMiniType'];
    expect(defined(files, names)).toEqual(['defineBuild']);
  });

  // The aim is 25 files and 400 KB. Of OBB trees 42 KB are the kernel that searches, 31 those that
  // build trees for many questions, 26 those that refit, of which one question compiles none.
  test.each(
    some(3, [
      ['--version', 0, 0],
      ['check box.obb box.obb', 20, 466_000],
      ['check box.obj box.obj', 27, 550_000],
      ['build box.obj -f obb -o loaded.obb --force', 30, 471_000],
      ['build box.obj -f kdop -o loaded.kdop --force', 29, 419_000],
      ['check box.kdop box.kdop', 23, 374_000],
      ['check box.voxel box.voxel', 23, 352_500],
      ['check box.tiff box.tiff', 34, 534_500],
      ['verify box.obb', 24, 529_500],
      ['--help', 10, 190_000],
    ] as const),
  )('%s: at most %i files of the package, %i bytes', { tags: ['all', 'long'] }, async (line, mostFiles, mostBytes) => {
    const files = (await loadedBy(...line.split(' '))).filter(inBundle);
    expect(files.length).toBeLessThanOrEqual(mostFiles);
    expect(bytesOf(files)).toBeLessThanOrEqual(mostBytes);
  });
});

describe.concurrent('the same program', () => {
  /** Without times, and without where in a file something stands. */
  const plain = (text: string): string =>
    text
      .replaceAll(/[\d.]+ ms/g, 'T ms')
      .replaceAll(/[\d.]+ s(?=$|;)/gm, 'T s')
      .replaceAll(/"ms":(\{[^}]*\}|[\d.]+)|"seconds":[\d.]+|"time":\d+/g, 'T');

  test.each(
    some(3, [
      'chek box.obb box.obb',
      'check box.obb box.kdop --all --json',
      'cd check lzw.tiff box.voxel --distance --log-level info',
      'check flange.frep.json box.tiff --level 2',
      'help check',
      '--help',
      'build --help',
      'check box.obj package.json --log-format json',
      'info box.tiff --json',
      'info box.obj',
      'verify lzw.tiff',
      'export box.voxel -o box-again.obj',
      'build box.obj flange.frep.json -f all --size 17 -o built --force',
      'build box.tiff -f nothing',
      'cubes box.voxel torus.obj --precision 0.01 --jobs 2',
    ]),
  )('%s', { tags: ['all', 'long'] }, async (line) => {
    const args = line.split(' ');
    // One after the other: they write the same files.
    const ours = await run(bundled, args);
    const plainly = await run(plainProgram, args);
    expect({ ...ours, stdout: plain(ours.stdout), stderr: plain(ours.stderr) }).toEqual({
      ...plainly,
      stdout: plain(plainly.stdout),
      stderr: plain(plainly.stderr),
    });
  });

  test('threads find their module', { tags: ['long'] }, async () => {
    const many = ['cubes', 'torus.obj', 'bolt.obj', '--precision', long ? '0.002' : '0.01', '--workers'];
    const threads = await run(bundled, [...many, '2']);
    const none = await run(bundled, [...many, '0']);
    expect(threads).toEqual(none);
    expect(threads.code).toBeLessThan(2);
  });

  test('says whose code it holds', () => {
    const text = readFileSync(join(root, 'lib/LICENSES.txt'), 'utf8');
    for (const name of ['commander', 'earcut', 'zod']) expect(text).toMatch(new RegExp(`^${name} \\d.*\\n\\n[^]`, 'm'));
  });
});
