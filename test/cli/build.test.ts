/** `gicollide build` as a user runs it: where files go, what is said, what is refused, and that nothing is left half done. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addFormatOptions } from '../../src/cli/make/format-options.ts';
import { build, read, write } from '../../src/index.ts';
import {
  assets,
  ended,
  expectFailure,
  infoOf,
  listFiles,
  makeFolder,
  run,
  runAlone,
  start,
  writeMesh,
} from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { box, icosphere, tetrahedron, torus } from '../support/shapes.ts';

/** A folder with box.obj and ball.obj, which become squares, and ring.obj, a torus, which becomes charts. */
function workspace(): string {
  const folder = makeFolder();
  writeMesh(join(folder, 'box.obj'), box());
  writeMesh(join(folder, 'ball.obj'), icosphere(1));
  writeMesh(join(folder, 'ring.obj'), torus());
  return folder;
}

const small = ['--size', '17'];
/** Where any asset will do, the one that is made soonest. */
const quick = ['-f', 'obb'];
/** Images in the long run, and what is made sooner in the short one. */
const plainly = long ? small : quick;
const isTiff = (path: string): boolean => /^(II\*\0|MM\0\*)/.test(readFileSync(path).toString('latin1', 0, 4));
const isObb = (path: string): boolean => readFileSync(path).toString('latin1', 0, 11) === 'gicollidobb';

const GI_LINE =
  /^out\/box\.tiff {2}geometry image of 6 charts of 2 x 2 from box\.obj, 12 triangles; [\d.]+ KB, within [\d.e-]+ of the mesh, (?:over 300|[\d.]+) dB, \d+\.\d s.*\n/;

test.each<[string[], string]>([
  [['box.obj'], 'auto'],
  [['--fit', 'box.obj'], 'on'],
  [['box.obj', '--fit'], 'on'],
  [['--fit', '--', 'box.obj'], 'on'],
  [['--fit', '--size', '17', 'box.obj'], 'on'],
  [['--fit', 'off', 'box.obj'], 'off'],
  [['box.obj', '--fit=off'], 'off'],
  [['--fit=auto', 'box.obj'], 'auto'],
])('%j: one file, and --fit is %s', (args, fit) => {
  const command = addFormatOptions(new Command('build').argument('[mesh...]')).parse(args, { from: 'user' });
  expect(command.args).toEqual(['box.obj']);
  expect(command.opts().fit).toBe(fit);
});

describe.concurrent('where assets go', () => {
  test('one mesh to out/, with a line about it', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const { code, stdout, stderr } = await run(['build', 'box.obj', ...small], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(GI_LINE);
    expect(stdout.match(/\n/g)).toHaveLength(1);
    expect(listFiles(cwd)).toEqual(['ball.obj', 'box.obj', 'out/box.tiff', 'ring.obj']);
    expect(isTiff(join(cwd, 'out/box.tiff'))).toBe(true);
  });

  const places: [string, string[], string[]][] = [
    [
      'several names, a quoted glob with **, and a folder with a dot',
      ['box.obj', './box.obj', 'b*x.obj', '**/b{ox,all}.obj', '-o', 'v1.2'],
      ['v1.2/ball.obb', 'v1.2/box.obb'],
    ],
    ['-o names a file', ['box.obj', '-o', 'made/here.obb'], ['made/here.obb']],
    ['-o names a folder that is not there', ['box.obj', '-o', 'made'], ['made/box.obb']],
    ['-o names a folder by its slash', ['box.obj', '-o', 'v1.2/'], ['v1.2/box.obb']],
    ['two meshes and a folder with a dot', ['box.obj', 'ball.obj', '-o', 'v1.2'], ['v1.2/ball.obb', 'v1.2/box.obb']],
    ['one mesh by several names', ['box.obj', './box.obj', 'b*x.obj', '-o', 'made'], ['made/box.obb']],
    ['a quoted glob with **', ['**/b{ox,all}.obj', '-o', 'made'], ['made/ball.obb', 'made/box.obb']],
    ['two meshes', ['box.obj', 'ball.obj', '-o', 'made/'], ['made/ball.obb', 'made/box.obb']],
    ['a quoted glob', ['b*.obj', '-o', 'made'], ['made/ball.obb', 'made/box.obb']],
  ];
  test.each(some(4, places))('%s', { tags: ['quick', 'long'] }, async (_, args, expected) => {
    const cwd = workspace();
    expect(await run(['build', ...args, ...quick], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(cwd)).toEqual(['ball.obj', 'box.obj', ...expected, 'ring.obj'].sort());
  });

  test('a folder gives its meshes, of any case, and those below it; outputs mirror it, or lie flat', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'meshes/deeper.obj'), { recursive: true });
    writeMesh(join(cwd, 'meshes/a.obj'), box());
    writeMesh(join(cwd, 'meshes/B.OBJ'), box());
    writeMesh(join(cwd, 'meshes/deeper.obj/c.obj'), box());
    writeFileSync(join(cwd, 'meshes/a.mtl'), 'newmtl a\n');
    expect(await run(['build', 'meshes', ...quick, '-q'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(join(cwd, 'out'))).toEqual(['B.obb', 'a.obb', 'deeper.obj/c.obb']);
    expect(await run(['build', 'meshes/', '--flat', '-o', 'flat', ...quick, '-q'], { cwd })).toMatchObject({ code: 0 });
    expect(listFiles(join(cwd, 'flat'))).toEqual(['B.obb', 'a.obb', 'c.obb']);
  });

  test('a file that is there already is replaced, with or without an ending', { tags: ['quick', 'long'] }, async () => {
    const cwd = workspace();
    for (const name of some(1, ['plain', 'old.obb'])) {
      writeFileSync(join(cwd, name), 'old');
      expect(await run(['build', 'box.obj', '-o', name, ...quick], { cwd })).toMatchObject({ code: 0, stderr: '' });
      expect(isObb(join(cwd, name))).toBe(true);
    }
  });

  test('a link stays a link, and its file is replaced', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'real.obb'), 'old');
    symlinkSync('real.obb', join(cwd, 'link.obb'));
    expect(await run(['build', 'box.obj', '-o', 'link.obb', ...quick], { cwd })).toMatchObject({ code: 0 });
    expect(readlinkSync(join(cwd, 'link.obb'))).toBe('real.obb');
    expect(isObb(join(cwd, 'real.obb'))).toBe(true);
  });

  test.skipIf(process.platform === 'win32')('a device is written into and not replaced', async () => {
    const cwd = workspace();
    expect(await run(['build', 'box.obj', '-o', '/dev/null', ...quick], { cwd })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('blanks, other alphabets, characters of globs, absolute paths', async () => {
    const cwd = makeFolder();
    const folder = join(cwd, 'füß 形状 [old]');
    mkdirSync(folder);
    for (const name of ['part [1]*.obj', 'Würfel {a,b} 立方体.obj', '-dash.obj']) writeMesh(join(folder, name), box());
    const one = join(folder, 'part [1]*.obj');
    const { code, stdout, stderr } = await run(['build', one, ...quick, '--json'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ file: 'out/part [1]*.obb', source: one });
    expect(await run(['build', folder, ...quick, '-o', 'all'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(join(cwd, 'all'))).toEqual(['-dash.obb', 'Würfel {a,b} 立方体.obb', 'part [1]*.obb']);
    expect(await run(['build', '-q', ...quick, '--', '-dash.obj'], { cwd: folder })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const info = await infoOf(cwd, 'all/Würfel {a,b} 立方体.obb');
    expect(info.source).toMatchObject({ name: 'Würfel {a,b} 立方体.obj' });
  });
});

describe.concurrent('k-DOP trees', () => {
  test('a line about it; any mesh; --k and --bits are recorded; proved and shown', {
    tags: ['quick', 'long'],
  }, async () => {
    const cwd = workspace();
    if (long) {
      const plain = await run(['build', 'ring.obj', '-f', 'kdop'], { cwd });
      expect(plain).toMatchObject({ code: 0, stderr: '' });
      expect(plain.stdout).toMatch(
        /^out\/ring\.kdop {2}k-DOP tree \(24 directions, 16 bits\) from ring\.obj, 256 triangles; [\d.]+ KB, \d+\.\d s\n$/,
      );
    }
    const options = ['-f', 'kdop', '--k', '14', '--bits', '35', '--units', 'mm', '--json'];
    const { code, stdout, stderr } = await run(['build', 'ring.obj', ...options, '-o', 'x.kdop'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { seconds, ...line } = JSON.parse(stdout);
    expect(seconds).toBeGreaterThan(0);
    expect(line).toEqual({
      status: 'built',
      file: 'x.kdop',
      source: 'ring.obj',
      representation: 'kdop',
      k: 14,
      bits: 35,
      triangles: 256,
      bytes: statSync(join(cwd, 'x.kdop')).size,
    });
    expect(await infoOf(cwd, 'x.kdop')).toMatchObject({
      representation: 'kdop',
      k: 14,
      bits: 35,
      nodes: 511,
      units: 'mm',
      options: { k: 14, bits: 35 },
      source: { name: 'ring.obj' },
    });
    expect(await run(['verify', 'x.kdop'], { cwd })).toMatchObject({
      code: 0,
      stdout: 'verified  x.kdop: each of its 511 k-DOPs is proved to contain the surface below it\n',
    });
    const level = await run(['export', 'x.kdop', '--level', '3', '-o', 'level.obj'], { cwd });
    expect(level).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^wrote level\.obj: the bounding volumes of level 3 of x\.kdop, /),
    });
  });

  test('all formats at once, in the order of their names', async () => {
    const cwd = workspace();
    const { code, stdout, stderr } = await run(['build', 'box.obj', ...small, '-f', 'all'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(GI_LINE);
    expect(isTiff(join(cwd, 'out/box.tiff'))).toBe(true);
    expect(stdout).toMatch(
      /^out\/box\.kdop {2}k-DOP tree \(24 directions, 16 bits\) from box\.obj, 12 triangles; [\d.]+ KB, \d+\.\d s\n/m,
    );
    expect(stdout.match(/^out\/\S+ {2}\S+/gm)).toEqual([
      'out/box.tiff  geometry',
      'out/box.kdop  k-DOP',
      'out/box.obb  OBB',
      expect.stringMatching(/^out\/box\.voxel {2}[\d,]+$/),
    ]);
  });

  test('info --layout: a line of directions for every k', async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'box.kdop'), await write(build(box(), { format: 'kdop' })));
    const { stdout } = await run(['info', 'box.kdop', '--layout'], { cwd });
    const rows = [...stdout.matchAll(/k (\d+), facets (\d+), least product (\S+), r max (\S+)\n/g)];
    expect(rows.map(([, k]) => Number(k))).toEqual([6, 14, 18, 24, 26]);
    expect(rows[0].slice(2)).toEqual(['8', '0', '1.73205']);
    for (const row of rows) expect(Number(row[4])).toBeLessThan(1.7321);
    const json = JSON.parse((await run(['info', 'box.kdop', '--layout', '--json'], { cwd })).stdout);
    expect(json.directions).toHaveLength(5);
  });

  test('the same bytes again, from another folder', async () => {
    const cwd = workspace();
    for (const name of ['a.kdop', 'b.kdop']) await run(['build', 'ball.obj', '-f', 'kdop', '-q', '-o', name], { cwd });
    expect(readFileSync(join(cwd, 'a.kdop')).equals(readFileSync(join(cwd, 'b.kdop')))).toBe(true);
  });
});

describe.concurrent('--split groups', () => {
  /** Tetrahedra, the open ones without their last face, each under its name. */
  const named = (...names: string[]): string =>
    names
      .map((name, i) => {
        const [a, b, c, d] = [4 * i + 1, 4 * i + 2, 4 * i + 3, 4 * i + 4];
        const faces = name.startsWith('line')
          ? [[a, c, c]]
          : [
              [a, c, b],
              [a, b, d],
              [b, c, d],
              [a, d, c],
            ];
        return (
          `v ${i} 0 0\nv ${i + 0.5} 0 0\nv ${i} 0.5 0\nv ${i} 0 0.5\n` +
          `${name === '' ? '' : `o ${name}\n`}${faces.map((face) => `f ${face.join(' ')}\n`).join('')}`
        );
      })
      .join('');

  test('an asset an element, in every format, with its name in the line and the header', {
    tags: ['quick', 'long'],
  }, async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'house.obj'), named('', 'wall', 'pipe 7', 'wall'));
    const args = ['build', 'house.obj', '--split', 'groups', '-f', 'obb,kdop', '--scale', '2', '--json'];
    const { code, stdout, stderr } = await run(args, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(
      lines.map(({ file, element, representation, triangles }) => [file, element, representation, triangles]),
    ).toEqual(
      ['unnamed', 'wall', 'pipe 7'].flatMap((name) => [
        [`out/house.${name}.obb`, name, 'obb', name === 'wall' ? 8 : 4],
        [`out/house.${name}.kdop`, name, 'kdop', name === 'wall' ? 8 : 4],
      ]),
    );
    expect(listFiles(join(cwd, 'out'))).toEqual(lines.map(({ file }) => file.slice(4)).sort());
    const digest = createHash('sha256')
      .update(readFileSync(join(cwd, 'house.obj')))
      .digest('hex');
    expect(await infoOf(cwd, 'out/house.pipe 7.obb')).toMatchObject({
      triangles: 4,
      options: { nodeBytes: 40, scale: 2, element: 'pipe 7' },
      source: { name: 'house.obj', sha256: digest },
    });
    if (long) expect(await infoOf(cwd, 'out/house.wall.kdop')).toMatchObject({ options: { element: 'wall' } });
  });

  test('one bad element does not stop the others', { tags: ['all'] }, async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'house.obj'), named('a', 'line', 'b'));
    const { code, stdout, stderr } = await run(['build', 'house.obj', '--split', 'groups', ...small], { cwd });
    expect(code).toBe(2);
    expect(
      stdout.match(/^out\/\S+ {2}geometry image of \d charts of 2 x 2 from house\.obj, 4 triangles/gm),
    ).toHaveLength(2);
    expect(stderr).toMatch(/error: house\.obj: line: expected a triangle with three corners[^\n]*\n$/);
    expect(listFiles(join(cwd, 'out'))).toEqual(['house.a.tiff', 'house.b.tiff']);
  });

  test('names that some platform does not take, and names that it takes for one', {
    tags: ['quick', 'long'],
  }, async () => {
    const cwd = makeFolder();
    const long = 'ü'.repeat(300);
    const names = [
      '../up',
      'a:b\\c*?"<>|',
      'Nul.x',
      'Wall',
      'WALL',
      'wall~2',
      'wall',
      'e\u0301',
      '\u00e9',
      long,
      `${long}2`,
      '\u202e',
    ];
    writeFileSync(join(cwd, 'x.obj'), named(...names));
    const args = ['build', 'x.obj', '--split', 'groups', '-f', 'obb', '-o', 'made', '--json'];
    const { code, stdout } = await run(args, { cwd });
    expect(code).toBe(0);
    const files = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(files.map(({ element }) => element)).toEqual(names);
    const cut = 'ü'.repeat(50);
    const expected = [
      '.._up',
      'a_b_c______',
      '_Nul.x',
      'Wall',
      'WALL~3',
      'wall~2',
      'wall~4',
      'é',
      'é~2',
      cut,
      `${cut}~2`,
      '_',
    ];
    expect(files.map(({ file }) => file)).toEqual(expected.map((name) => `made/x.${name}.obb`));
    expect(listFiles(cwd)).toEqual([...expected.map((name) => `made/x.${name}.obb`), 'x.obj'].sort());
  });

  test('-o must be a folder; an input is never overwritten', { tags: ['quick', 'long'] }, async () => {
    const cwd = makeFolder();
    writeFileSync(join(cwd, 'a.obj'), named('b'));
    mkdirSync(join(cwd, 'made'));
    symlinkSync('../a.obj', join(cwd, 'made/a.b.obb'));
    const before = readFileSync(join(cwd, 'a.obj'), 'utf8');
    const args = ['build', 'a.obj', '--split', 'groups', '-f', 'obb'];
    if (long) expectFailure(await run([...args, '-o', 'x.obb'], { cwd }), /^x\.obb: expected a folder/);
    expectFailure(await run([...args, '-o', 'a.obj'], { cwd }), /^a\.obj: expected a folder/);
    expectFailure(await run([...args, '-o', 'made'], { cwd }), 'made/a.b.obb: would overwrite an input');
    expect(readFileSync(join(cwd, 'a.obj'), 'utf8')).toBe(before);
    expectFailure(await run(['build', 'a.obj', '--split', 'faces'], { cwd }), /'--split <what>'.*groups/);
  });
});

describe.concurrent('what is recorded', () => {
  test('--size, --compression, --spheres, --units, --scale, --fit, and the source', {
    tags: ['quick', 'long'],
  }, async () => {
    const cwd = workspace();
    const size = long ? 33 : 17;
    const options = [
      '--size',
      `${size}`,
      '--compression',
      'lzw',
      '--spheres',
      'seed',
      '--units',
      'mm',
      '--scale',
      '2.5',
      '--fit',
      'off',
      '--charts',
      'one',
    ];
    expect(await run(['build', 'box.obj', ...options], { cwd })).toMatchObject({ code: 0, stderr: '' });
    const digest = createHash('sha256')
      .update(readFileSync(join(cwd, 'box.obj')))
      .digest('hex');
    expect(await infoOf(cwd, 'out/box.tiff')).toMatchObject({
      file: 'out/box.tiff',
      representation: 'gi',
      size,
      levels: long ? 6 : 5,
      triangles: 2 * (size - 1) ** 2,
      extent: expect.closeTo(2.5, 6),
      units: 'mm',
      options: { size, spheres: 'seed', scale: 2.5, compression: 'lzw', fit: 'none', fitAsked: 'off' },
      source: { name: 'box.obj', sha256: digest },
    });
  });

  test('--json: one object a mesh; the same bytes again; one hash of the content', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const { code, stdout } = await run(['build', 'box.obj', 'ball.obj', ...small, '--json'], { cwd });
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map((line) => line.source)).toEqual(['box.obj', 'ball.obj']);
    for (const line of lines) {
      expect(line).toMatchObject({ representation: 'gi', bytes: statSync(join(cwd, line.file)).size });
      // A box is exact, and has no ratio.
      expect(line.psnr ?? Number.POSITIVE_INFINITY).toBeGreaterThan(30);
      expect(line.seconds).toBeGreaterThan(0);
    }
    // The same bytes again, from another folder and by another path, without a word; the content
    // does not depend on the compression.
    const elsewhere = makeFolder();
    const again = ['build', join(cwd, 'box.obj'), ...small, '--quiet', '-o', 'other.tiff'];
    expect(await run(again, { cwd: elsewhere })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    const first = readFileSync(join(cwd, 'out/box.tiff'));
    expect(first.equals(readFileSync(join(elsewhere, 'other.tiff')))).toBe(true);
    const { contentHash } = await infoOf(cwd, 'out/box.tiff');
    if (long) await run(['build', 'box.obj', ...small, '--compression', 'none', '-q'], { cwd });
    else writeFileSync(join(cwd, 'out/box.tiff'), await write((await read(first)).asset, { compression: 'none' }));
    expect(readFileSync(join(cwd, 'out/box.tiff')).equals(first)).toBe(false);
    expect(contentHash).toMatch(/^[0-9a-f]{64}$/);
    expect((await infoOf(cwd, 'out/box.tiff')).contentHash).toBe(contentHash);
  });

  test.each(['deflate', 'lzw', 'none'])(
    'the same bytes again, from another folder and by another path: %s',
    { tags: ['long'] },
    async (compression) => {
      const cwd = workspace();
      const elsewhere = makeFolder();
      const options = [...small, '--compression', compression, '--quiet'];
      await run(['build', 'ball.obj', ...options], { cwd });
      await run(['build', join(cwd, 'ball.obj'), ...options, '-o', 'other.tiff'], { cwd: elsewhere });
      const first = readFileSync(join(cwd, 'out/ball.tiff'));
      expect(first.equals(readFileSync(join(elsewhere, 'other.tiff')))).toBe(true);
    },
  );

  test('the content hash does not depend on the compression', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const hashes = new Set();
    for (const compression of ['deflate', 'none']) {
      await run(['build', 'box.obj', ...small, '--compression', compression, '-q'], { cwd });
      hashes.add((await infoOf(cwd, 'out/box.tiff')).contentHash);
    }
    expect(hashes.size).toBe(1);
  });
});

describe.concurrent('what is said', { tags: ['long'] }, () => {
  test('--quiet: nothing', async () => {
    const cwd = workspace();
    expect(await run(['build', 'box.obj', ...small, '--quiet'], { cwd })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(existsSync(join(cwd, 'out/box.tiff'))).toBe(true);
  });

  test('what a mesh lost is a warning: text, JSON, or held back', async () => {
    const cwd = makeFolder();
    const { positions, triangles } = box();
    writeMesh(join(cwd, 'twice.obj'), {
      positions,
      triangles: Uint32Array.from([...triangles, ...triangles.slice(0, 3)]),
    });
    const args = ['build', 'twice.obj', ...small, '--force'];
    if (long) {
      const text = await run(args, { cwd });
      expect(text.code).toBe(0);
      expect(text.stderr).toMatch(/^warning: twice\.obj: [^\n]*1 duplicate[^\n]*\n$/);
    } // as text in atlas.test.ts, too
    const json = await run([...args, '--log-format', 'json'], { cwd });
    expect(JSON.parse(json.stderr)).toMatchObject({ level: 40, msg: expect.stringMatching(/duplicate/) });
    for (const hush of some(1, [['--quiet'], ['--log-level', 'error']])) {
      expect(await run([...args, ...hush], { cwd })).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

/** A triangle that is a segment. */
const LINE = 'v 0 0 0\nv 1 0 0\nf 1 2 2\n';

describe.concurrent('what fails', () => {
  test('one bad mesh, a missing one and an empty glob among good ones: the others are built', async () => {
    const cwd = workspace();
    const args = ['build', 'box.obj', 'line.obj', 'gone.obj', 'no*.obj', 'ball.obj', ...small];
    writeFileSync(join(cwd, 'line.obj'), LINE);
    const { code, stdout, stderr } = await run(args, { cwd });
    expect(code).toBe(2);
    expect(stdout.match(/^out\/\w+\.tiff/gm)).toEqual(['out/box.tiff', 'out/ball.tiff']);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(3);
    expect(lines).toContainEqual('error: gone.obj: no such file');
    expect(lines).toContainEqual('error: no*.obj: no file matches');
    expect(lines).toContainEqual(expect.stringMatching(/^error: line\.obj: expected a triangle with three corners/));
    expect(listFiles(join(cwd, 'out'))).toEqual(['ball.tiff', 'box.tiff']);
  });

  const files: Record<string, string> = {
    'empty.obj': '',
    'cut.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2',
    'junk.obj': 'v 0 0 zero\n',
    'ahead.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n',
    'line.obj': LINE,
  };
  test.each(
    some<[string, RegExp]>(1, [
      ['cut.obj', /^cut\.obj:4: /],
      ['empty.obj', /^empty\.obj: expected .*found /],
      ['junk.obj', /^junk\.obj:1: .*zero/],
      ['ahead.obj', /^ahead\.obj:4: .*4/],
      ['line.obj', /^line\.obj: expected a triangle with three corners/],
      ['gone.obj', /^gone\.obj: no such file$/],
      ['x.obj', /^x\.obj: the folder holds no \.ifc, .*\.obj or \.frep\.json file$/],
      ['box.obj/y.obj', /^box\.obj\/y\.obj: a part of its path is not a folder$/],
      ['[z]*.obj', /^\[z\]\*\.obj: no file matches$/],
    ]),
  )('%s: one line, exit code 2, nothing written', { tags: ['quick', 'long'] }, async (name, line) => {
    const cwd = workspace();
    mkdirSync(join(cwd, 'x.obj'));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
    expectFailure(await run(['build', name, ...plainly], { cwd }), line);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });

  const refused: [string, string[], RegExp][] = [
    ['clashing names', ['box.obj', 'sub/box.obj'], /^sub\/box\.obj and box\.obj would both become out\/box\.tiff$/],
    ['output over input by a link', ['box.obj', '-o', 'link.tiff'], /^link\.tiff: would overwrite an input$/],
    ['two meshes into a file', ['box.obj', 'ball.obj', '-o', 'old'], /^old: expected a folder/],
    [
      'a folder below a file',
      ['box.obj', '-o', 'old/box.tiff', ...(long ? [] : quick)],
      /^old\/box\.tiff: a part of its path is not a folder$/,
    ],
    ['output over input', ['box.obj', '-o', 'box.obj'], /^box\.obj: would overwrite an input$/],
    ['output over input by another name', ['box.obj', '-o', 'sub/../box.obj'], /would overwrite an input$/],
    ['two meshes into a name like a file', ['box.obj', 'ball.obj', '-o', 'new.tiff'], /^new\.tiff: expected a folder/],
    ['no output', ['box.obj', '-o', ''], /^--out: /],
    ['a TIFF as a mesh', ['fake.obj'], /^fake\.obj: expected a mesh \(.*\), found an asset \(gi\)$/],
    ['--size 18', ['box.obj', '--size', '18'], /^--size 18: expected 17, 33,/],
    ['--size big', ['box.obj', '--size', 'big'], /'--size <n>'.*'big'/],
    ['--scale 0', ['box.obj', '--scale', '0'], /'--scale <s>'.*above 0/],
    [
      '--size with obb',
      ['box.obj', '-f', 'obb', '--size', '65'],
      /^--size: an option of gi, which is not built \(-f obb\)$/,
    ],
    [
      '--node-bytes with others',
      ['box.obj', '-f', 'gi,kdop', '--node-bytes', '40'],
      /^--node-bytes: an option of obb, which is not built \(-f gi,kdop\)$/,
    ],
    [
      '--compression with obb',
      ['box.obj', '-f', 'obb', '--compression', 'none'],
      /^--compression: an option of gi, which is not built \(-f obb\)$/,
    ],
    ['--scale huge', ['box.obj', '--scale', '1e308', ...small], /^box\.obj: .*1e\+308/],
    ['--compression zip', ['box.obj', '--compression', 'zip'], /'--compression <c>'.*deflate, lzw, none/],
    ['--fit yes', ['box.obj', '--fit=yes'], /'--fit <when>'.*'yes'.*auto, on, off/],
    ['--fit with obb', ['--fit', 'box.obj', ...quick], /^--fit: an option of gi, which is not built \(-f obb\)$/],
    ['--spheres loose', ['box.obj', '--spheres', 'loose'], /'--spheres <method>'.*tight, seed/],
    [
      '--format lod',
      ['box.obj', '--format', 'lod'],
      /^--format lod: expected gi, kdop, obb or voxel, a list of them, or all$/,
    ],
    ['--k 16', ['box.obj', '--k', '16'], /'--k <k>'.*'16'.*Expected 6, 14, 18, 24 or 26\.$/],
    ['--k 24.0', ['box.obj', '-f', 'kdop', '--k', '24.0'], /'--k <k>'.*Expected 6, 14, 18, 24 or 26\.$/],
    [
      '--bits 7',
      ['box.obj', '-f', 'kdop', '--bits', '7'],
      /'--bits <b>'.*'7'.*Expected a whole number from 8 to 36\.$/,
    ],
    ['--bits 37', ['box.obj', '--bits', '37'], /'--bits <b>'.*from 8 to 36\.$/],
    ['--bits wide', ['box.obj', '-f', 'kdop', '--bits', 'wide'], /'--bits <b>'.*'wide'.*from 8 to 36\.$/],
    ['no --bits', ['box.obj', '--bits', ''], /'--bits <b>'.*from 8 to 36\.$/],
    ['no mesh', [], /^expected meshes, or gicollide\.json in this folder/],
  ];
  test.each(some(4, refused))(
    '%s: refused, nothing written or changed',
    { tags: ['quick', 'long'] },
    async (_, args, line) => {
      const cwd = workspace();
      mkdirSync(join(cwd, 'sub'));
      writeMesh(join(cwd, 'sub/box.obj'), tetrahedron());
      writeFileSync(join(cwd, 'old'), 'old');
      writeFileSync(join(cwd, 'fake.obj'), 'II*\0\u0008\0\0\0');
      symlinkSync('box.obj', join(cwd, 'link.tiff'));
      const before = listFiles(cwd);
      const source = readFileSync(join(cwd, 'box.obj'));
      expectFailure(await run(['build', ...args], { cwd }), line);
      expect(listFiles(cwd)).toEqual(before);
      expect(readFileSync(join(cwd, 'box.obj')).equals(source)).toBe(true);
      expect(readFileSync(join(cwd, 'old'), 'utf8')).toBe('old');
    },
  );
});

describe.concurrent('whole files or none', () => {
  test('two builds at once into one file', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const args = ['build', 'ball.obj', ...quick, '-q', '-o', 'one.obb'];
    const outcomes = await Promise.all([run(args, { cwd }), run(args, { cwd })]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(listFiles(cwd)).toEqual(['ball.obj', 'box.obj', 'one.obb', 'ring.obj']);
    expect(await run(['verify', 'one.obb'], { cwd })).toMatchObject({ code: 0 });
  });

  test.skipIf(process.platform === 'win32')(
    'an interrupt during a long build ends it at once and leaves nothing',
    async () => {
      const cwd = workspace();
      const child = start(['build', 'ball.obj', '--size', '4097'], { cwd });
      setTimeout(() => child.kill('SIGINT'), 700);
      expect(await ended(child)).toMatchObject({ code: null, signal: 'SIGINT', stdout: '' });
      expect(listFiles(cwd)).toEqual(['ball.obj', 'box.obj', 'ring.obj']);
    },
  );

  test.skipIf(process.platform === 'win32')('an interrupt while a file is written waits for its end', async () => {
    const cwd = makeFolder();
    // The first write of the asset sends the signal, from within.
    const preload = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { writeSync } = fs;
      fs.writeSync = (...args) => { process.kill(process.pid, 'SIGINT'); return writeSync(...args); };
      syncBuiltinESMExports();`;
    const whole = await run(['build', join(assets, 'box.obj'), ...quick, '-o', 'whole.obb'], { cwd });
    expect(whole.code).toBe(0);
    const cut = await run(['build', join(assets, 'box.obj'), ...quick, '-o', 'cut.obb'], { cwd, preload });
    expect(cut).toMatchObject({ code: null, signal: 'SIGINT' });
    expect(listFiles(cwd)).toEqual(['cut.obb', 'whole.obb']);
    expect(readFileSync(join(cwd, 'cut.obb')).equals(readFileSync(join(cwd, 'whole.obb')))).toBe(true);
  });

  test.skipIf(process.platform === 'win32')(
    'an interrupt ends a report that is still to grow',
    { tags: ['all'] },
    async () => {
      const cwd = makeFolder();
      const preload = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { writeSync } = fs;
      fs.writeSync = (...args) => {
        if (String(args[1]).includes('<!doctype')) process.kill(process.pid, 'SIGTERM');
        return writeSync(...args);
      };
      syncBuiltinESMExports();`;
      const scene = join(assets, 'building.scene.json');
      const cut = await runAlone(['scene', scene, '--report', 'html=cut.html'], { cwd, preload });
      expect(cut).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' });
      expect(listFiles(cwd)).toEqual([]);
    },
  );

  test('the bytes are on the disk before they have a name, and then the name is', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const preload = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      for (const name of ['writeSync', 'fsyncSync', 'renameSync']) {
        const call = fs[name];
        fs[name] = (...args) => {
          const isFolder = name === 'fsyncSync' && fs.fstatSync(args[0]).isDirectory();
          process.stderr.write(name + (isFolder ? ' of the folder' : '') + '\\n');
          return call(...args);
        };
      }
      syncBuiltinESMExports();`;
    const { code, stderr } = await run(['build', 'box.obj', ...quick, '-o', 'new.obb'], { cwd, preload });
    expect(code).toBe(0);
    expect(stderr.trim().split('\n')).toEqual(['writeSync', 'fsyncSync', 'renameSync', 'fsyncSync of the folder']);
  });

  test.skipIf(process.platform === 'win32')(
    'what a killed run left goes with the next, and nothing else',
    { tags: ['long'] },
    async () => {
      const cwd = workspace();
      const preload = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      fs.writeSync = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();`;
      const args = ['build', 'box.obj', ...quick, '-o', 'out/new.obb'];
      expect(await run(args, { cwd, preload })).toMatchObject({ signal: 'SIGKILL' });
      const [left, ...others] = listFiles(join(cwd, 'out'));
      expect(others).toEqual([]);
      const [, host, id] = /^\.gicollide-([0-9a-f]+)-(\d+)-[0-9a-f]+\.tmp$/.exec(left) as string[];
      const kept = [
        left.replace(`-${id}-`, `-${process.pid}-`), // who lives still writes it
        left.replace(`-${id}-`, '-1-'),
        left.replace(host, [...host].reverse().join('')), // another host's process may live
        `${left}.tmp`,
        left.replace('gicollide', 'other'),
      ];
      for (const name of kept) writeFileSync(join(cwd, 'out', name), '');
      mkdirSync(join(cwd, 'out', left.replace(/[0-9a-f]+\.tmp$/, '000000000000.tmp'))); // no file
      expect(await run(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
      expect(listFiles(join(cwd, 'out'))).toEqual([...kept, 'new.obb'].sort());
    },
  );

  test('a disk that is full leaves the old file and no other', { tags: ['long'] }, async () => {
    const cwd = workspace();
    writeFileSync(join(cwd, 'old.obb'), 'old');
    const preload = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      fs.writeSync = () => { throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }); };
      syncBuiltinESMExports();`;
    const outcome = await run(['build', 'box.obj', ...quick, '-o', 'old.obb'], { cwd, preload });
    expectFailure(outcome, 'old.obb: no space left on the device');
    expect(readFileSync(join(cwd, 'old.obb'), 'utf8')).toBe('old');
    expect(listFiles(cwd)).toEqual(['ball.obj', 'box.obj', 'old.obb', 'ring.obj']);
  });

  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'a folder that may not be written to',
    async () => {
      const cwd = workspace();
      mkdirSync(join(cwd, 'locked'), { mode: 0o555 });
      expectFailure(
        await run(['build', 'box.obj', ...quick, '-o', 'locked/'], { cwd }),
        /^locked\/box\.obb: permission denied$/,
      );
    },
  );
});
