/** FORMAT.md held to the code and to files that were written once: every byte of its example, its directions, a golden file. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readBlob } from '../../../src/containers/blob.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { decodeKdopTree, encodeKdopTree } from '../../../src/representations/kdop/format.ts';
import { kdop } from '../../../src/representations/kdop/index.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { DOP_SIZES, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import { quantumOf } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { verifyKdopTree } from '../../../src/representations/kdop/tree/verify.ts';
import { refusal } from '../../support/refusal.ts';
import { bumpySphere } from '../../support/shapes.ts';

const root = new URL('../../../', import.meta.url);
const bytesOf = (path: string) => new Uint8Array(readFileSync(new URL(path, root)));
const format = readFileSync(new URL('src/representations/kdop/FORMAT.md', root), 'utf8');
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

describe('the worked example', () => {
  const lines = [...below('Worked example').matchAll(/^[0-9a-f]{4}((?: [0-9a-f]{8})+)$/gm)];
  const bytes = Uint8Array.from(Buffer.from(lines.map(([, line]) => line.replaceAll(' ', '')).join(''), 'hex'));
  const rows = [...below('Worked example').matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2);

  test('is what its table says', async () => {
    const { asset, warnings } = await decodeKdopTree(bytes.slice());
    expect(warnings).toEqual([]);
    const { k, bits, triangles, positions, links, origin, exponent } = asset;
    const view = new DataView(bytes.buffer);
    const entries = entriesOf(bytes);
    const nodes = [...links].flatMap((link, node) => [
      [`coefficients of node ${node}`, asset.coefficients.slice(k * node, k * (node + 1)).join(' ')],
      ['its link', `${link}: ${link & 1 ? `triangle ${link >> 1}` : `children ${link >> 1} and ${(link >> 1) + 1}`}`],
    ]);
    expect(rows.map((row) => row.slice(1))).toEqual([
      ['bytes, s and j', `${view.getBigUint64(24, true)}, ${view.getUint32(16, true)} and ${view.getUint32(20, true)}`],
      ['first bytes of the sections', entries.map(({ name, offset }) => `${name} ${offset}`).join(', ')],
      ['T, V, N', [triangles.length / 3, positions.length / 3, links.length].join(', ')],
      ['origin', origin.join(' ')],
      ['scale and quantum', `${2 ** exponent} and ${quantumOf(asset)}`],
      ...nodes,
      ['zero bits at the end', `${8 * entries[2].count - k * bits * links.length}`],
    ]);
    expect(verifyKdopTree(asset).problems).toEqual([]);
  });

  test('is what its mesh is built to, byte for byte', async () => {
    const [text] = /`v 8 0 0`.*`f 1 3 4`/s.exec(below('Worked example')) as RegExpExecArray;
    const obj = [...text.matchAll(/`(.+?)`/g)].map(([, line]) => `${line}\n`).join('');
    const tree = buildKdopTree(readObj(new TextEncoder().encode(obj)), { k: 14, bits: 10 });
    const { header } = (await decodeKdopTree(bytes.slice())).asset;
    // A later version of the tool writes another name.
    expect(await encodeKdopTree({ ...tree, header: { ...tree.header, tool: header.tool } })).toEqual(bytes);
  });
});

describe('directions', () => {
  const rows = [...below('Directions').matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].slice(0, DOP_SIZES.length);

  test.each(rows.map(([, k, row]) => [k, row]))('of k = %s are those of the table', (k, row) => {
    const half = row.split(', ').flatMap((triple) => {
      const [x, y, z] = triple.split(' ').map(Number);
      const length = Math.sqrt(x * x + y * y + z * z);
      return [x / length, y / length, z / length];
    });
    const { vectors } = dopDirections(Number(k) as (typeof DOP_SIZES)[number]);
    expect([...vectors]).toEqual([...half, ...half.map((x) => 0 - x)]);
  });

  test('every k has a row', () => {
    expect(rows.map(([, k]) => Number(k))).toEqual([...DOP_SIZES]);
  });
});

const mesh = bumpySphere(21, 1);

test.each([8, 9, 16, 19, 32, 36])('%i bits: header and sections, at multiples of 64', async (bits) => {
  const tree = buildKdopTree(mesh, { k: 18, bits, units: 'mm' });
  const bytes = await encodeKdopTree(tree);
  const entries = entriesOf(bytes);
  const [vertices, triangles] = [mesh.positions.length / 3, mesh.triangles.length / 3];
  const numbers = 18 * (2 * triangles - 1);
  const stream: Record<number, [string, number]> = { 16: ['i16', numbers], 32: ['i32', numbers] };
  expect(entries.map(({ name, type, count }) => [name, type, count])).toEqual([
    ['positions', 'f64', 3 * vertices],
    ['triangles', 'u32', 3 * triangles],
    ['coefficients', ...(stream[bits] ?? ['u8', Math.ceil((numbers * bits) / 8)])],
    ['links', 'u32', 2 * triangles - 1],
  ]);
  for (const { offset } of entries) expect(offset % 64).toBe(0);
  const { header } = await readBlob(bytes.slice(), 'kdop', [2]);
  expect(header).toEqual({
    tool: tree.header.tool,
    source: null,
    units: 'mm',
    options: { k: 18, bits },
    k: 18,
    bits,
    triangles,
    vertices,
    origin: [...tree.origin],
    exponent: tree.exponent,
  });
  // What `info` counts is what is there.
  const sizes = [8, 4, stream[bits] ? bits / 8 : 1, 4];
  expect(((await kdop.describe(tree, bytes)) as { bytes: object }).bytes).toEqual(
    Object.fromEntries(entries.map(({ name, count }, i) => [name, sizes[i] * count])),
  );
});

test.each([
  [8, Int8Array],
  [16, Int16Array],
  [32, Int32Array],
])('%i bits are viewed, not copied, where they may be taken', async (bits, kind) => {
  const bytes = await encodeKdopTree(buildKdopTree(mesh, { bits }));
  const { asset } = await decodeKdopTree(bytes, undefined, { take: true });
  for (const array of [asset.coefficients, asset.links, asset.positions, asset.triangles]) {
    expect(array.buffer).toBe(bytes.buffer);
    expect(array.byteOffset % 64).toBe(0);
  }
  expect(asset.coefficients).toBeInstanceOf(kind);
});

test('a newer version is refused by its number', async () => {
  const newer = (await encodeKdopTree(buildKdopTree(mesh))).slice();
  newer[12] = 3;
  expect((await refusal(decodeKdopTree(newer))).describe('x.kdop')).toBe(
    'x.kdop: byte 12: expected a version of kdop that this reader knows (1, 2), found 3',
  );
});

describe('the golden file', () => {
  // gicollide 0.1.0 wrote that of version 1: gicollide build assets/box.obj -f kdop.
  // scripts/make-golden.mjs makes the other one of it.
  const golden = bytesOf('test/golden/box-kdop24-v2.kdop');

  test('is proved, holds the mesh, and encodes to itself', async () => {
    const { asset, warnings } = await decodeKdopTree(golden.slice());
    expect(warnings).toEqual([]);
    expect(verifyKdopTree(asset)).toEqual({ checked: 23, what: 'k-DOPs', problems: [] });
    const { positions, triangles } = readObj(bytesOf('assets/box.obj'));
    expect(Array.from(asset.positions)).toEqual(Array.from(positions));
    expect(asset.triangles).toEqual(triangles);
    expect(asset).toMatchObject({
      k: 24,
      bits: 16,
      header: { source: { name: 'box.obj' }, options: { k: 24, bits: 16 } },
    });
    expect(await encodeKdopTree(asset)).toEqual(golden);
    const older = (await decodeKdopTree(bytesOf('test/golden/box-kdop24-v1.kdop'))).asset;
    expect(older).toEqual(asset);
    expect(await encodeKdopTree(older)).toEqual(golden);
  });

  test('has no coefficient that could be less: its directions and its rounding are those of today', async () => {
    const { asset } = await decodeKdopTree(golden.slice());
    for (let i = 0; i < asset.coefficients.length; i++) {
      const coefficients = asset.coefficients.slice();
      coefficients[i]--;
      expect(verifyKdopTree({ ...asset, coefficients }).problems.length).toBeGreaterThan(0);
    }
  });
});
