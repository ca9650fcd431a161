/** FORMAT.md held to the code and to files that were written once: every byte of its example, its grid and codes, a golden file. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readBlob } from '../../../src/containers/blob.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { decodeVoxels, encodeVoxels } from '../../../src/representations/voxel/format.ts';
import { voxel } from '../../../src/representations/voxel/index.ts';
import { buildVoxels } from '../../../src/representations/voxel/make/index.ts';
import { cellOf, cellOfCube, cubesOf } from '../../../src/representations/voxel/tree/cube-set.ts';
import { verifyVoxels } from '../../../src/representations/voxel/tree/verify.ts';
import { cellsByBits, cornersOf, nextBelow, setOf } from '../../support/cubes.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere, signedVolume } from '../../support/shapes.ts';

const root = new URL('../../../', import.meta.url);
const bytesOf = (path: string) => new Uint8Array(readFileSync(new URL(path, root)));
const format = readFileSync(new URL('src/representations/voxel/FORMAT.md', root), 'utf8');
const below = (heading: string) => format.slice(format.indexOf(`## ${heading}`));
const textOf = (bytes: Uint8Array) => String.fromCharCode(...bytes).replace(/\0+$/, '');

/** Entries of the section table, by the offsets that stand in the document. */
function entriesOf(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: view.getUint32(16, true) }, (_, i) => ({
    name: textOf(bytes.subarray(32 + 32 * i, 44 + 32 * i)),
    type: textOf(bytes.subarray(44 + 32 * i, 48 + 32 * i)),
    offset: Number(view.getBigUint64(48 + 32 * i, true)),
    count: Number(view.getBigUint64(56 + 32 * i, true)),
  }));
}

/** A brick's three numbers, as the document says that a key holds them. */
function brickOf(low: number, high: number): number[] {
  const key = BigInt(low) | (BigInt(high) << 30n);
  return [0, 1, 2].map((axis) => {
    let sum = -(2 ** 19);
    for (let n = 0; n < 20; n++) sum += Number((key >> BigInt(3 * n + axis)) & 1n) * 2 ** n;
    return sum;
  });
}

/** Numbers of the bits that are set in two words. */
const bitsOf = (low: number, high: number): number[] =>
  Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => ((bit < 32 ? low : high) >>> (bit % 32)) & 1);

const hex = (word: number) => word.toString(16).padStart(8, '0');

describe('the worked example', () => {
  const lines = [...below('Worked example').matchAll(/^[0-9a-f]{4}((?: [0-9a-f]{8})+)$/gm)];
  const bytes = Uint8Array.from(Buffer.from(lines.map(([, line]) => line.replaceAll(' ', '')).join(''), 'hex'));
  const rows = [...below('Worked example').matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2);

  test('is what its table says', async () => {
    const { asset, warnings } = await decodeVoxels(bytes.slice());
    expect(warnings).toEqual([]);
    const { keys, masks, precision } = asset;
    const view = new DataView(bytes.buffer);
    let number = 0;
    const bricks = Array.from({ length: keys.length / 2 }, (_, i) => {
      const [k0, k1, m0, m1] = [keys[2 * i], keys[2 * i + 1], masks[2 * i], masks[2 * i + 1]];
      const bits = bitsOf(m0, m1);
      const first = brickOf(k0, k1).map((k) => 4 * k);
      // bit = x0 + 2 y0 + 4 z0 + 8 x1 + 16 y1 + 32 z1
      const cells = bits.map((bit) => first.map((k, axis) => k + ((bit >> axis) & 1) + 2 * ((bit >> (axis + 3)) & 1)));
      return [
        [`key of brick ${i}`, `${hex(k0)} ${hex(k1)}: ${brickOf(k0, k1).join(' ')}`],
        ['its mask', `${hex(m0)} ${hex(m1)}: bits ${bits.join(' ')}`],
        ['its cubes', cells.map((cell) => `${number++}: ${cell.join(' ')}`).join(', ')],
      ];
    });
    expect(rows.map((row) => row.slice(1))).toEqual([
      ['bytes, s and j', `${view.getBigUint64(24, true)}, ${view.getUint32(16, true)} and ${view.getUint32(20, true)}`],
      [
        'first bytes of the sections',
        entriesOf(bytes)
          .map(({ name, offset }) => `${name} ${offset}`)
          .join(', '),
      ],
      ['a, B, C', [precision, keys.length / 2, cubesOf(asset)].join(', ')],
      ...bricks.flat(),
    ]);
    expect(verifyVoxels(asset).problems).toEqual([]);
    // The program has the same numbers for the same cells.
    const cell = new Int32Array(3);
    const numbered = Array.from({ length: cubesOf(asset) }, (_, id) => {
      cellOfCube(asset, id, cell);
      return `${id}: ${cell.join(' ')}`;
    });
    expect(bricks.map((brick) => brick[2][1]).join(', ')).toBe(numbered.join(', '));
  });

  test('is what its mesh is built to, byte for byte', async () => {
    const [text] = /`v -0.2 0 0`.*`f 1 2 2`/s.exec(below('Worked example')) as RegExpExecArray;
    const obj = [...text.matchAll(/`(.+?)`/g)].map(([, line]) => `${line}\n`).join('');
    const set = buildVoxels(readObj(new TextEncoder().encode(obj)), { precision: 0.5 });
    const { header } = (await decodeVoxels(bytes.slice())).asset;
    // A later version of the tool writes another name.
    expect(await encodeVoxels({ ...set, header: { ...set.header, tool: header.tool } })).toEqual(bytes);
  });
});

const mesh = bumpySphere(21, 2);

test.each([false, true])('header and sections, at multiples of 64; fill %s', async (fill) => {
  const set = buildVoxels(mesh, { precision: 0.15, fill, units: 'mm' });
  const bytes = await encodeVoxels(set);
  const entries = entriesOf(bytes);
  const bricks = set.keys.length / 2;
  const cubes = cellsByBits(set).length;
  expect(entries.map(({ name, type, count }) => [name, type, count])).toEqual([
    ['keys', 'u32', 2 * bricks],
    ['masks', 'u32', 2 * bricks],
  ]);
  for (const { offset } of entries) expect(offset % 64).toBe(0);
  const { header } = await readBlob(bytes.slice(), 'voxl', [1]);
  expect(header).toEqual({
    tool: set.header.tool,
    source: null,
    units: 'mm',
    options: { precision: 0.15, ...(fill && { fill: 'inside' }) },
    precision: 0.15,
    bricks,
    cubes,
  });
  const description = await voxel.describe(set, bytes);
  expect(description).toMatchObject({ precision: 0.15, cubes, bricks, bytesPerCube: (16 * bricks) / cubes });
  expect(description).toMatchObject({ bytes: { keys: 8 * bricks, masks: 8 * bricks } });
  // The outside encloses what the cubes fill.
  const volume = signedVolume(voxel.surface(set));
  expect(Math.abs(volume / (cubes * 0.15 ** 3) - 1)).toBeLessThan(1e-12);
});

test('sections are viewed, not copied, where they may be taken', async () => {
  const bytes = await encodeVoxels(buildVoxels(mesh, { precision: 0.2 }));
  const { asset } = await decodeVoxels(bytes, undefined, { take: true });
  for (const array of [asset.keys, asset.masks]) {
    expect(array.buffer).toBe(bytes.buffer);
    expect(array.byteOffset % 64).toBe(0);
  }
});

test('cells at both ends of the grid, single and many, keep their numbers, seed 1', async () => {
  const random = seeded(1);
  const ends = [-(2 ** 21), -(2 ** 21) + 1, -5, -4, -1, 0, 3, 4, 2 ** 21 - 1];
  for (const precision of [1e-100, 0.1, 1e100]) {
    for (const count of [1, 2, 60]) {
      const cells = Array.from({ length: count }, () => [0, 0, 0].map(() => random.pick(ends)));
      const set = setOf(cells, precision);
      const { asset } = await decodeVoxels(await encodeVoxels(set));
      expect(asset).toEqual(set);
      const expected = cellsByBits(set);
      const hull = new Float64Array(24);
      const cell = new Int32Array(3);
      expected.forEach((at, id) => {
        cellOfCube(asset, id, cell);
        expect([...cell]).toEqual(at);
        expect(voxel.hull(asset, id, hull)).toBe(8);
        expect([...hull]).toEqual(cornersOf(at, precision));
        // Its corners are in the cell, and the next doubles are not.
        for (let k = 0; k < 3; k++) {
          expect([hull[k], hull[21 + k]].map((x) => cellOf(x, precision) + 0)).toEqual([at[k], at[k]]);
          expect(nextBelow(hull[k]) < at[k] * precision && -nextBelow(-hull[21 + k]) === (at[k] + 1) * precision).toBe(
            true,
          );
        }
      });
      expect(verifyVoxels(asset).problems).toEqual([]);
    }
  }
});

test('a newer version is refused by its number', async () => {
  const newer = (await encodeVoxels(setOf([[0, 0, 0]], 1))).slice();
  newer[12] = 2;
  expect((await refusal(decodeVoxels(newer))).describe('x.voxel')).toBe(
    'x.voxel: byte 12: expected a version of voxl that this reader knows (1), found 2',
  );
});

describe('the golden file', () => {
  // Written by version 0.1.0: gicollide build assets/box.obj -f voxel --precision 0.25
  const golden = bytesOf('test/golden/box-voxel-v1.voxel');

  test('holds the box, and encodes to itself', async () => {
    const { asset, warnings } = await decodeVoxels(golden.slice());
    expect(warnings).toEqual([]);
    expect(verifyVoxels(asset)).toMatchObject({ what: 'octants', problems: [] });
    const middleless = Array.from({ length: 27 }, (_, i) => [
      (i % 3) - 1,
      (Math.floor(i / 3) % 3) - 1,
      Math.floor(i / 9) - 1,
    ]);
    expect(asset).toEqual({
      ...setOf(
        middleless.filter((cell) => cell.some((k) => k !== 0)),
        0.25,
      ),
      header: expect.objectContaining({
        source: expect.objectContaining({ name: 'box.obj' }),
        options: { precision: 0.25 },
      }),
    });
    expect(await encodeVoxels(asset)).toEqual(golden);
  });

  test('is what is built today', async () => {
    const { asset } = await decodeVoxels(golden.slice());
    const { header, ...cubes } = buildVoxels(readObj(bytesOf('assets/box.obj')), { precision: 0.25 });
    expect(asset).toMatchObject(cubes);
  });
});
