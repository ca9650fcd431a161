/**
 * The reader in Python, ports/python/gicollide.py, held to the library: every number of the golden
 * files and of others, bit by bit.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../src/containers/pixels-utif.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { encodeGeometryImage } from '../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../src/representations/gi/make/index.ts';
import { encodeObbTree } from '../../src/representations/obb/format.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { makeBases } from '../hostile/bases.ts';
import { mutantOf } from '../hostile/mutants.ts';
import { makeFolder } from '../support/cli.ts';
import { decodedFile } from '../support/decoded.ts';
import { long } from '../support/long.ts';
import { python } from '../support/python.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';
import { atlasImage, tiledFile } from '../support/tiles.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = join(root, 'test/golden');

describe.skipIf(!python)('ports/python/gicollide.py (needs python3 and numpy)', () => {
  const folder = makeFolder();
  const files: string[] = [];
  const add = (name: string, bytes: Uint8Array) => {
    files.push(join(folder, `${files.length}-${name.replaceAll(' ', '-')}`));
    writeFileSync(files.at(-1)!, bytes);
  };

  beforeAll(async () => {
    for (const name of readdirSync(golden).filter((name) => /\.(obb|kdop|voxel|tiff)$/.test(name)))
      files.push(join(golden, name));
    for (const { name, kind, bytes } of await makeBases(golden)) if (kind !== 'frep') add(name, bytes);
    const charts = buildGeometryImage(torus(8, 6), { size: 17 });
    const named = { source: { name: 'gr\u00fcn\u{1f600}\\\u0001"\ud800.obj', sha256: 'ab'.repeat(32) } };
    add('utif', await encodeGeometryImage(charts, utifCodec));
    add('geometry', await encodeGeometryImage(charts, sharpCodec, { pages: ['geometry'], compression: 'none' }));
    add('named', await encodeGeometryImage(buildGeometryImage(bumpySphere(7, 2), { size: 17, ...named }), sharpCodec));
    add('tiles', await tiledFile(atlasImage([4, 3, 2], 3), 16));
  });

  const run = (args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(python!, ['-B', ...args], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    return { status, lines: stdout.trimEnd().split('\n'), stderr: stderr.trimEnd() };
  };
  const dump = (paths: readonly string[]) => {
    const { status, lines, stderr } = run(['test/ports/dump.py', 'ports/python', ...paths]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return lines.map((line) => JSON.parse(line));
  };

  test('every vertex, triangle, box, sphere and slab is the one that the library decodes, bit by bit', {
    tags: ['all'],
  }, async () => {
    const found = dump(files);
    expect(found.length).toBe(12 + 24 + 3 + 4);
    for (const [i, file] of files.entries())
      expect(found[i], file).toEqual(await decodedFile(new Uint8Array(readFileSync(file))));
  });

  test('what the library reads it reads, and it refuses in words what it does not, seed 1', {
    tags: ['long'],
  }, async () => {
    const random = seeded(1);
    const bases = (await makeBases(golden)).filter(({ kind }) => kind !== 'frep');
    const before = files.length;
    const sound: (Record<string, unknown> | null)[] = [];
    for (let i = 0; i < (long ? 670 : 80); i++) {
      const bytes = await mutantOf(random.pick(bases), random);
      // Images by others are the library's alone.
      sound.push(await decodedFile(bytes).catch(() => null));
      add('mutant', bytes);
    }
    const found = dump(files.slice(before));
    files.length = before;
    let read = 0;
    for (const [i, expected] of sound.entries()) {
      if (expected === null) continue;
      read++;
      expect(found[i].refused).toBeUndefined();
      expect(found[i]).toEqual(expected);
    }
    expect(read).toBeGreaterThan(sound.length / 4);
    expect(found.filter(({ refused }) => refused).length).toBeGreaterThan(sound.length / 10);
  });

  const script = join(root, 'ports/python/gicollide.py');
  const far = bumpySphere(5, long ? 2 : 1);
  for (let i = 0; i < far.positions.length; i++) far.positions[i] = 1000 + far.positions[i] / 3;

  test.each([40, 20, 64] as const)(
    'run with trees of %d bytes a node, it finds every corner in every box',
    { tags: ['all', 'long'] },
    async (nodeBytes) => {
      const bunny = readObj(new Uint8Array(readFileSync(join(root, 'assets/bunny.obj'))));
      for (const mesh of long ? [far, bunny] : [far]) {
        const path = join(folder, 'tree.obb');
        writeFileSync(path, await encodeObbTree(buildObbTree(mesh, { nodeBytes })));
        const { status, lines, stderr } = run([script, path]);
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
        expect(lines[0]).toMatch(/nodes of \d\d bytes; \d+ tests of a corner in a box above it, 0 fail$/);
      }
    },
  );

  test.each([40, 20, 64] as const)(
    'a shrunken box of %d bytes, under a checksum that is right, is found',
    { tags: ['all'] },
    (nodeBytes) => {
      const bytes = new Uint8Array(readFileSync(join(golden, `box-obb${nodeBytes}-v2.obb`)));
      const half = (nodeBytes === 40 ? 704 : 768) + { 40: 24, 20: 12, 64: 6 }[nodeBytes];
      const view = new DataView(bytes.buffer);
      if (nodeBytes === 40) view.setFloat32(half, view.getFloat32(half, true) * 0.999, true);
      else view.setUint16(half, view.getUint16(half, true) - { 20: 20, 64: 3 }[nodeBytes], true);
      view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
      writeFileSync(join(folder, 'shrunk.obb'), bytes);
      const { status, lines } = run([script, join(folder, 'shrunk.obb')]);
      expect(status).toBe(1);
      // Every corner of the cube is on the root's sides.
      expect(lines[0]).toMatch(nodeBytes === 64 ? /box above it, \d\d fail$/ : /box above it, 36 fail$/);
    },
  );

  test('a damaged file and a newer version are refused in one line', { tags: ['all'] }, () => {
    const path = join(folder, 'refused.obb');
    for (const version of [1, 2]) {
      const damaged = new Uint8Array(readFileSync(join(golden, `box-obb40-v${version}.obb`)));
      damaged[520] ^= 1;
      writeFileSync(path, damaged);
      const expected = 'expected the checksum of the bytes before: the file is damaged';
      expect(run([script, path])).toEqual({ status: 2, lines: [''], stderr: `${path}: ${expected}` });
      damaged[12] = 3;
      writeFileSync(path, damaged);
      expect(run([script, path]).stderr).toBe(
        `${path}: expected a version of obb up to 2, which this reader knows, not 3`,
      );
    }
  });
});
