/** Git LFS pointers in place of files of every kind, and pictures in folders. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { read, readMesh } from '../../src/index.ts';
import { expectFailure, makeFolder, run } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { refusal } from '../support/refusal.ts';
import { boxText } from '../support/shapes.ts';

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d7a2146'.repeat(8)}\nsize 36\n`;
const NAMED = 'expected the file, found a Git LFS pointer; git lfs pull fetches the file';

const gltf = JSON.stringify({
  asset: { version: '2.0' },
  nodes: [{ mesh: 0 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
  buffers: [{ uri: 'pointer.bin', byteLength: 36 }],
  bufferViews: [{ buffer: 0, byteLength: 36 }],
  accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
});
const urdf = (mesh: string): string =>
  `<robot name="r"><link name="a"><collision><geometry>${mesh}</geometry></collision></link></robot>`;

const FILES: Record<string, string> = {
  'box.obj': boxText('box', 0),
  'far.obj': boxText('far', 5),
  'small.gltf': gltf,
  'arm.urdf': urdf('<mesh filename="pointer.stl"/>'),
  'plain.urdf': urdf('<box size="1 1 1"/>'),
};

/** The pointer's file, and the commands that read it. */
const CASES: [string, string][] = [
  ['pointer.bin', 'check small.gltf box.obj'],
  ['pointer.obj', 'lint pointer.obj'],
  ['pointer.obb', 'check pointer.obb box.obj'],
  ['pointer.tiff', 'info pointer.tiff'],
  ['pointer.glb', 'info pointer.glb'],
  ['pointer.stl', 'info arm.urdf'],
  ['pointer.urdf', 'scene pointer.urdf'],
  ['pointer.srdf', 'scene plain.urdf box.obj --units m --srdf pointer.srdf'],
  ['pointer.csv', 'check box.obj far.obj --poses pointer.csv'],
  ['pointer.json', 'scene pointer.json'],
  ['pointer.frep.json', 'info pointer.frep.json'],
  ['pointer.json', 'scene box.obj far.obj --baseline pointer.json'],
  ['pointer.ndjson', 'report pointer.ndjson --report junit=out.xml'],
  ['pointer.csv', 'scene plain.urdf box.obj --units m --states pointer.csv'],
  ['pointer.obb', 'verify pointer.obb'],
  ['pointer.voxel', 'cubes pointer.voxel box.obj --precision 1'],
];

describe.concurrent('a pointer of Git LFS is named', () => {
  test.each(some([4, CASES.length], CASES))('%s: %s', { tags: ['quick', 'all'] }, async (file, line) => {
    const cwd = makeFolder();
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
    writeFileSync(join(cwd, file), POINTER);
    const { code, stderr } = await run(line.split(' '), { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}: ${NAMED}`);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('on stdin, too', { tags: ['all'] }, async () => {
    expectFailure(await run(['info', '-'], { cwd: makeFolder(), input: POINTER }), new RegExp(`^stdin: ${NAMED}$`));
  });

  test('by the library', async () => {
    const pointer = new TextEncoder().encode(POINTER);
    await expect(readMesh(new TextEncoder().encode(gltf), { open: () => pointer })).rejects.toThrow(
      `pointer.bin: ${NAMED}`,
    );
    for (const open of [() => read(pointer), () => readMesh(pointer, { name: 'a.obj' })])
      expect((await refusal(open())).message).toMatch(/found a Git LFS pointer; git lfs pull/);
  });
});

describe.concurrent('pictures', () => {
  const tiff = async (channels: 1 | 3, depth: 'uchar' | 'ushort' | 'float'): Promise<Buffer> => {
    const raw = { width: 17, height: 17, channels };
    const samples = Uint8Array.from({ length: 17 * 17 * channels }, (_, k) => (k * 37) % 256);
    const spaces = channels === 3 ? (depth === 'ushort' ? 'rgb16' : 'srgb') : depth === 'ushort' ? 'grey16' : 'b-w';
    const image = sharp(samples, { raw }).toColourspace(spaces);
    // sharp writes floats for nothing but this.
    if (depth === 'float') return floatTiff();
    return image.tiff({ compression: 'none' }).toBuffer();
  };

  /** One row of two floats. */
  function floatTiff(): Buffer {
    const entries = [
      [256, 3, 1, 2],
      [257, 3, 1, 1],
      [258, 3, 1, 32],
      [259, 3, 1, 1],
      [262, 3, 1, 1],
      [273, 4, 1, 122],
      [277, 3, 1, 1],
      [279, 4, 1, 8],
      [339, 3, 1, 3],
    ];
    const bytes = Buffer.alloc(130);
    bytes.write('II*\0', 'latin1');
    bytes.writeUInt32LE(8, 4);
    bytes.writeUInt16LE(entries.length, 8);
    for (const [k, [tag, type, count, value]] of entries.entries()) {
      bytes.writeUInt16LE(tag, 10 + 12 * k);
      bytes.writeUInt16LE(type, 12 + 12 * k);
      bytes.writeUInt32LE(count, 14 + 12 * k);
      bytes.writeUInt32LE(value, 18 + 12 * k);
    }
    return bytes;
  }

  test('in folders are left out and counted; one that is named is read', async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'game'));
    for (const name of ['box.obj', 'far.obj']) writeFileSync(join(cwd, 'game', name), FILES[name]);
    expect((await run(['build', 'game/box.obj', '--size', '17', '-o', 'game/own.tiff'], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, 'game/rgb8.tiff'), await tiff(3, 'uchar'));
    writeFileSync(join(cwd, 'game/rgb16.tiff'), await tiff(3, 'ushort'));
    writeFileSync(join(cwd, 'game/gray.tiff'), await tiff(1, 'uchar'));
    writeFileSync(join(cwd, 'game/big.tiff'), Buffer.from('II+\0\x08\0\0\0', 'latin1'));
    const skipped =
      'warning: skipped: 4 .tiff without a header of gicollide (game/big.tiff, game/gray.tiff, game/rgb16.tiff, ...)\n';
    const scene = await run(['scene', 'game', '--fail-on', 'none'], { cwd });
    expect([scene.code, scene.stderr]).toEqual([0, skipped]);
    expect(scene.stdout).toMatch(/^3 objects: .*4 files skipped/m);
    const linted = await run(['lint', 'game'], { cwd });
    expect([linted.stderr, linted.stdout.includes('3 files')]).toEqual([skipped, true]);
    const strict = await run(['lint', 'game', '--strict'], { cwd });
    expect([strict.code, strict.stderr.includes('--strict makes this an error')]).toEqual([2, true]);
    const named = await run(['lint', 'game', 'game/rgb16.tiff'], { cwd });
    expect(named.stderr).toMatch(/game\/rgb16\.tiff: no origin and step in ImageDescription: 0 and 1\/65535 are used/);
    // A damaged image of ours is no picture.
    writeFileSync(join(cwd, 'game/cut.tiff'), 'II*\0\x08\x08\0\0');
    expect((await run(['lint', 'game'], { cwd })).code).toBe(2);
  });

  test('and nothing else: no input', { tags: ['all'] }, async () => {
    const cwd = makeFolder();
    mkdirSync(join(cwd, 'art'));
    writeFileSync(join(cwd, 'art/a.tiff'), await tiff(3, 'ushort'));
    expectFailure(
      await run(['scene', 'art'], { cwd }),
      /art: holds nothing but 1 \.tiff without a header of gicollide/,
    );
  });

  test.each([
    [1, 'uchar'],
    [1, 'ushort'],
    [1, 'float'],
  ] as const)('%i channel, %s: a height map is refused as one', async (channels, depth) => {
    expect((await refusal(read(new Uint8Array(await tiff(channels, depth))))).message).toBe(
      'byte 0: expected a geometry image, whose pixels are points x, y, z, found a gray image, such as a height map',
    );
  });
});
