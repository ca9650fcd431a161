/** `gicollide info`, `verify` and `export`: what a file holds, whether its bounds hold, and its surface to look at. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, readObj, toMesh, write } from '../../src/index.ts';
import { nodeOffset } from '../../src/representations/gi/tree/grid.ts';
import { expectFailure, expectLine, listFiles, makeFolder, program, run, writeMesh } from '../support/cli.ts';
import { squareOf } from '../support/gi.ts';
import { long, some } from '../support/long.ts';
import { box } from '../support/shapes.ts';

const cwd = makeFolder();
const image = build(box(), {
  size: 17,
  charts: 'one',
  units: 'cm',
  source: { name: 'box.obj', sha256: '0'.repeat(64) },
});
const NODES = 1 + 4 + 16 + 64 + 256;

beforeAll(async () => {
  writeMesh(join(cwd, 'box.obj'), box());
  writeFileSync(join(cwd, 'box.tiff'), await write(image));
  writeFileSync(join(cwd, 'text.tiff'), 'a text\n');
  const plain = sharp(squareOf(image).geometry, { raw: { width: 17, height: 17, channels: 3 } }).toColourspace('rgb16');
  writeFileSync(join(cwd, 'plain.tiff'), await plain.tiff({ compression: 'lzw' }).toBuffer());
  // A whole file, whose header vouches for every page, with a root that is too small.
  const shrunk = structuredClone(image);
  shrunk.groups[0].tree.page[nodeOffset(4, 0, 0, 0) + 3] >>= 1;
  writeFileSync(join(cwd, 'shrunk.tiff'), await write(shrunk));
});

describe('build --pages', () => {
  const pages = (list: string, ...more: string[]) =>
    run(['build', 'plain.obj', '--size', '17', '--pages', list, '-o', 'some.tiff', ...more], { cwd });

  test('writes these pages; info says what is made and what each costs', async () => {
    writeMesh(join(cwd, 'plain.obj'), box());
    expect(await pages('normals, geometry')).toMatchObject({ code: 0, stderr: '' });
    const info = JSON.parse((await run(['info', 'some.tiff', '--json'], { cwd })).stdout);
    expect(info).toMatchObject({ madeOnLoading: ['spheres', 'slabs'], doneWithout: ['deviation'] });
    expect(info.pages.map((page: { role: string }) => page.role)).toEqual(['geometry', 'normals']);
    for (const { storedBytes, bytesPerTriangle } of info.pages)
      expect(bytesPerTriangle).toBe(storedBytes / info.triangles);
    const { stdout } = await run(['info', 'some.tiff'], { cwd });
    expect(stdout).toMatch(/\n {2}made on loading\n {4}spheres\n {4}slabs\n {2}pages it does without\n {4}deviation\n/);
  });

  test.each([
    ['spheres', 'error: pages spheres: expected geometry, which is the surface\n'],
    [
      'geometry,radii',
      'error: pages geometry,radii: expected a list of geometry, normals, spheres, deviation, slabs, each once\n',
    ],
  ])('%s is refused in a line', async (list, stderr) => {
    expect(await pages(list)).toMatchObject({ code: 2, stdout: '', stderr });
  });

  test('an embedded source takes deviations along', async () => {
    const { stderr } = await pages('geometry', '--embed-source');
    expect(stderr).toBe('error: pages geometry: expected deviation, which the embedded source needs\n');
  });
});

describe('info', () => {
  test('--json: sizes, bytes, levels, tolerance, source, hashes', async () => {
    const { code, stdout, stderr } = await run(['info', 'box.tiff', '--json'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const info = JSON.parse(stdout);
    const bytes = statSync(join(cwd, 'box.tiff')).size;
    expect(info).toMatchObject({
      file: 'box.tiff',
      representation: 'gi',
      size: 17,
      vertices: 289,
      triangles: 512,
      levels: 5,
      tolerance: { missing: expect.any(Number), excess: expect.any(Number) },
      units: 'cm',
      source: { name: 'box.obj', sha256: '0'.repeat(64) },
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      fileBytes: bytes,
      bytesPerTriangle: bytes / 512,
    });
    expect(info.pages.map((page: { role: string }) => page.role)).toEqual([
      'geometry',
      'normals',
      'spheres',
      'deviation',
      'slabs',
    ]);
    expect(info).toMatchObject({ madeOnLoading: [], doneWithout: [] });
    // As the paper accounts: the geometry s, the normals s, the tree near 2s (its padding is 3 parts in 17).
    expect(info.accounting).toMatchObject({ s: 1734, geometry: 1, normals: 1, tree: 3072 / 1734 });
  });

  test('as text: a line a property, nothing else', async () => {
    const { code, stdout, stderr } = await run(['info', 'box.tiff'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^box\.tiff\n( {2}\S.*\n| {20,}role .*\n)+$/);
    expect(stdout).toMatch(/\n {2}units +cm\n/);
    expect(stdout).toMatch(
      /\n {2}tolerance +missing 0\.\d+ \(source to surface\), excess 0\.\d+ \(surface to source\)\n/,
    );
    expect(stdout).toMatch(/\n {2}embedded source +none\n/);
  });

  test('the answers for most users come first, bytes and digests last; at most six digits', async () => {
    for (const name of ['box.tiff', 'box.obj']) {
      const { stdout } = await run(['info', name], { cwd });
      const labels = Array.from(stdout.matchAll(/^ {2}(\S+(?: \S+)*) {2}/gm), ([, label]) => label);
      expect(labels.slice(0, 5)).toEqual(['usable as a solid', 'size', 'volume', 'units', 'triangles']);
      expect(labels.at(-1)).toBe(name === 'box.obj' ? 'sha256' : 'content hash');
      expect(labels.indexOf('file')).toBeGreaterThan(labels.indexOf(name === 'box.obj' ? 'format' : 'representation'));
      expect(stdout).not.toMatch(/ -?0\.0*[1-9]\d{6}|not recorded\n.*content|null|NaN/);
    }
  });

  test('what a file says stays on its line and off the terminal', async () => {
    const units = 'cm\n  verified yes\u001b[31m\u2028';
    writeFileSync(
      join(cwd, 'loud.tiff'),
      await write({ ...image, header: { ...image.header, units } } as typeof image),
    );
    const { stdout } = await run(['info', 'loud.tiff'], { cwd });
    expect(stdout).toMatch(/\n {2}units +cm\\u000a {2}verified yes\\u001b\[31m\\u2028\n/);
  });

  test('of a mesh', async () => {
    const { code, stdout } = await run(['info', 'box.obj', '--json'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ format: 'OBJ', units: null, meshes: 1, nodes: 1, elements: 1, warnings: [] },
      ...{ triangles: 12, vertices: 8, fileBytes: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      bounds: { low: expect.any(Array), high: expect.any(Array), size: expect.any(Array) },
      ...{ area: expect.any(Number), closed: true, openEdges: 0 },
      ...{ solid: true, unbalancedEdges: 0, shells: 1, volume: expect.any(Number) },
    });
  });

  test('where it is and what its surface is like: of a mesh with a hole, of an image, of a solid', async () => {
    writeFileSync(join(cwd, 'open.obj'), 'v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n');
    const open = await run(['info', 'open.obj'], { cwd });
    expect(open.stdout.split('\n').slice(1, 4)).toEqual([
      '  usable as a solid  no, because 3 edges are open, and at 2 other edges triangles face opposite ways; gicollide lint tells how to mend it',
      '  first such edge    from (0 0 0) to (2 0 0), of triangle 0',
      '  size               2 x 3 x 1',
    ]);
    expect(open.stdout).toContain('  box                (0 0 0) to (2 3 1)\n');
    expect(open.stdout).toContain('  area               5.5\n');
    expect(open.stdout).not.toContain('volume');
    const faces = ['1 3 2', '1 2 4', '1 4 3', '2 3 4'];
    const corners = 'v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 1\n';
    const infoOf = async (name: string, lines: string[]): Promise<string> => {
      writeFileSync(join(cwd, name), `${corners}${lines.map((line) => `f ${line}\n`).join('')}`);
      return (await run(['info', name], { cwd })).stdout;
    };
    expect(await infoOf('solid.obj', faces)).toMatch(/\n {2}usable as a solid +yes\n {2}size .*\n {2}volume +1\n/);
    const turned = faces.map((face) => face.split(' ').reverse().join(' '));
    expect(await infoOf('turned.obj', turned)).toMatch(/\n {2}volume +-1, negative: it is inside out\n/);
    expect(await infoOf('half.obj', [turned[0], ...faces.slice(1)])).toMatch(
      /\n {2}usable as a solid +no, because at 3 edges triangles face opposite ways; .*\n {2}first such edge .* of triangle 0\n/,
    );
    expect((await run(['info', 'box.tiff'], { cwd })).stdout).toMatch(
      /\n {2}size +\S+ x \S+ x \S+ cm\n {2}volume +\S+ cm\^3\n/,
    );
    writeFileSync(join(cwd, 'ball.frep.json'), '{"object": {"sphere": {"radius": 1}}}');
    const ball = JSON.parse((await run(['info', 'ball.frep.json', '--json'], { cwd })).stdout);
    expect(ball).toMatchObject({ area: null, closed: true, solid: true, volume: null });
    expect((await run(['build', 'box.obj', '-f', 'voxel', '-o', 'hollow.voxel'], { cwd })).code).toBe(0);
    expect((await run(['info', 'hollow.voxel'], { cwd })).stdout).toMatch(
      /solid +no, because only its surface has cubes/,
    );
    writeFileSync(
      join(cwd, 'balls.urdf'),
      '<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link></robot>',
    );
    expect((await run(['info', 'balls.urdf'], { cwd })).stdout).toMatch(
      /solid +yes: it has no triangles, only primitives/,
    );
    for (const k of [0, 1, 2]) {
      expect(ball.bounds.low[k]).toBeLessThanOrEqual(-1);
      expect(ball.bounds.high[k]).toBeGreaterThanOrEqual(1);
    }
  });

  test('of a plain picture: what had to be assumed is said', async () => {
    const { code, stdout, stderr } = await run(['info', 'plain.tiff', '--json'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ size: 17, step: 1 / 65535, origin: [0, 0, 0], source: null });
    const warnings = stderr.trimEnd().split('\n');
    expect(warnings).toHaveLength(2);
    expect(warnings[0]).toMatch(/^warning: plain\.tiff: .*origin and step/);
    expect(warnings[1]).toMatch(/^warning: plain\.tiff: .*built on loading/);
  });

  test.each(some(1, ['text.tiff', 'gone.tiff']))('%s is none', { tags: ['quick', 'long'] }, async (file) => {
    expectFailure(await run(['info', file, '--json'], { cwd }), new RegExp(`^${file}: `));
  });
});

describe('verify', () => {
  test('an asset, a picture, a mesh', async () => {
    const text = await run(['verify', 'box.tiff'], { cwd });
    expect(text).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `verified  box.tiff: each of its ${NODES} spheres is proved to contain the surface below it\n`,
    });
    const { code, stdout } = await run(['verify', 'plain.tiff', '--json', '--log-level', 'error'], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ file: 'plain.tiff', verified: true, checked: NODES, problems: [] });
  });

  test('a sphere that is too small is found, whatever the header vouches for', {
    tags: ['quick', 'long'],
  }, async () => {
    const line = 'shrunk.tiff: the sphere of level 0, row 0, column 0 does not hold all of its vertices';
    if (long) expectFailure(await run(['verify', 'shrunk.tiff'], { cwd }), line);
    const { code, stdout, stderr } = await run(['verify', 'shrunk.tiff', '--json'], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ verified: false, problems: [expect.stringMatching(/level 0/)] });
    expectLine(stderr, line);
  });

  test('a text is no asset', { tags: ['long'] }, async () => {
    expectFailure(await run(['verify', 'text.tiff'], { cwd }), /^text\.tiff: /);
  });
});

describe('export', () => {
  test('the stored surface, to the bit', async () => {
    const { code, stdout, stderr } = await run(['export', 'box.tiff', '-o', 'made/surface.obj'], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^wrote made\/surface\.obj: the stored surface of box\.tiff, 289 vertices, 512 triangles(, in \w+)?\n$/,
    );
    const mesh = readObj(readFileSync(join(cwd, 'made/surface.obj')));
    const stored = toMesh(image);
    expect(mesh.positions).toEqual(stored.positions);
    expect(mesh.triangles).toEqual(stored.triangles);
  });

  test('what was exported builds again', { tags: ['quick', 'long'] }, async () => {
    const made = long ? ['-o', 'again.tiff', '--size', '17'] : ['-o', 'again.obb', '-f', 'obb'];
    await run(['export', 'box.tiff', '-o', 'again.obj', '-q'], { cwd });
    expect(await run(['build', 'again.obj', ...made, '-q', '--log-level', 'error'], { cwd })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('--level: the spheres of that level around the surface', { tags: ['quick', 'long'] }, async () => {
    for (const level of some(1, [2, 0])) {
      const outcome = await run(['export', 'box.tiff', '-o', 'level.obj', '--level', String(level), '-q'], { cwd });
      expect(outcome).toMatchObject({ code: 0, stdout: '', stderr: '' });
      const { triangles } = readObj(readFileSync(join(cwd, 'level.obj')));
      // Few spheres have more triangles.
      expect(triangles.length / 3).toBe(4 ** level * 2048);
    }
  });

  const refused: [string, string[], RegExp][] = [
    [
      'no such level',
      ['box.tiff', '-o', 'x.obj', '--level', '5'],
      /^(box\.tiff: )?level 5: this image has the levels 0 to 4$/,
    ],
    ['its input as output', ['box.obj', '-o', './box.obj'], /^\.\/box\.obj: would overwrite the input$/],
    ['no output', ['box.tiff'], /'-o, --out <file>'/],
    ['a folder as output', ['box.tiff', '-o', '.'], /^\.: expected a name for the OBJ file, found a folder$/],
    ['a folder to be', ['box.tiff', '-o', 'new/'], /^new\/: expected a name for the OBJ file, found a folder$/],
    ['no asset', ['text.tiff', '-o', 'x.obj'], /^text\.tiff: /],
  ];
  test.each(some(2, refused))('%s: refused, nothing written', { tags: ['quick', 'long'] }, async (_, args, line) => {
    const before = listFiles(cwd);
    expectFailure(await run(['export', ...args], { cwd }), line);
    expect(listFiles(cwd)).toEqual(before);
  });

  test.skipIf(!existsSync('/dev/stdout'))('into a pipe, as a whole, and the device stays', () => {
    const kind = lstatSync('/dev/stdout').mode;
    const command = `"${process.execPath}" "${program}" export box.tiff -q -o /dev/stdout | cat`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command], { cwd });
    expect(stderr.toString()).toBe('');
    expect(readObj(stdout).triangles.length).toBe(3 * 512);
    expect(lstatSync('/dev/stdout').mode).toBe(kind);
  });
});

test('without WebAssembly, wide trees and cubes are read and not built', { tags: ['all'] }, async () => {
  const bare = { cwd, preload: 'delete globalThis.WebAssembly' };
  const wide = ['-f', 'obb', '--node-bytes', '64', '-o', 'stored.obb'];
  const cubes = ['-f', 'voxel', '--fill', '-o', 'stored.voxel'];
  for (const options of [wide, cubes]) {
    expect((await run(['build', 'box.obj', ...options], { cwd })).code).toBe(0);
    const refused = await run(['build', 'box.obj', ...options, '--force'], bare);
    expectFailure(refused, /(built|made) in WebAssembly, which is missing here/);
  }
  // Too few addresses are not a missing engine, and the line says what to do.
  const preload = "WebAssembly.Memory = class { constructor() { throw new RangeError('could not allocate memory'); } }";
  for (const options of [wide, cubes]) {
    const refused = await run(['build', 'box.obj', ...options, '--force'], { cwd, preload });
    expectFailure(refused, /13 GB of address space .*\(ulimit -v\), or set NODE_OPTIONS=--disable-wasm-trap-handler/);
  }
  expect((await run(['build', 'box.obj', '-f', 'obb', '-o', 'plain.obb'], bare)).code).toBe(0);
  for (const [a, b] of [
    ['stored.obb', 'plain.obb'],
    ['stored.obb', 'stored.voxel'],
    ['box.obj', 'plain.obb'],
  ]) {
    const { stdout } = await run(['check', a, b, '--json', '--solid', 'require', '--translate-b', '0.25,0,0'], bare);
    const expected = await run(['check', a, b, '--json', '--solid', 'require', '--translate-b', '0.25,0,0'], { cwd });
    const [found, wanted] = [stdout, expected.stdout].map((text) => JSON.parse(text));
    expect([found.verdict, found.class]).toEqual([wanted.verdict, wanted.class]);
  }
});
