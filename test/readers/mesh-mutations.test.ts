/**
 * Files of STL, PLY and OFF with anything wrong with them: each is a mesh that keeps what meshes
 * promise, in memory that the file's length bounds, or one line that says what is wrong.
 */
import { expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import type { ReadMeshFile } from '../../src/readers/formats.ts';
import { long } from '../support/long.ts';
import { BOX, cornersOf, offOf, ply, plyOf, read, stlBinary, stlText, text } from '../support/mesh-files.ts';
import { type Random, seeded } from '../support/random.ts';

const SEED = 20261123;
const COUNT = long ? 15_000 : 300;

const RICH = [
  {
    name: 'vertex',
    properties: ['float x', 'uchar q', 'float y', 'list uchar short l', 'float z'],
    rows: BOX.points.map(([x, y, z], k) => [x, k, y, [k, 1], z]),
  }, // prettier-ignore
  { name: 'tristrips', properties: ['list int int vertex_indices'], rows: [[[0, 1, 2, 3, -1, 4, 5, 6]]] },
  { name: 'edge', properties: ['int a'], rows: [[3]] },
  { name: 'face', properties: ['list uchar int vertex_index', 'float q'], rows: BOX.faces.map((face) => [face, 0]) },
];

function stlOfCount(count: number): Uint8Array {
  const bytes = stlBinary(cornersOf(BOX));
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(80, count, true);
  return bytes;
}

const FILES: Record<string, Uint8Array[]> = {
  'STL binary': [
    stlBinary(cornersOf(BOX)),
    stlBinary(cornersOf(BOX), { header: 'solid a' }),
    stlOfCount(0),
    stlOfCount(5),
  ],
  'STL text': [text(stlText('a b', cornersOf(BOX)) + stlText('', cornersOf(BOX).slice(0, 9)))],
  'PLY ascii': [plyOf(BOX), ply('ascii', RICH), plyOf(BOX, 'ascii', { comments: ['Made by hand'] })],
  'PLY binary': [plyOf(BOX, 'binary_little_endian'), ply('binary_big_endian', RICH), ply('binary_little_endian', RICH)],
  OFF: [
    text(offOf(BOX)),
    text(offOf(BOX, { word: 'COFF', vertex: ' 1 0 0', face: ' # x' })),
    text(offOf(BOX, { word: 'COFF', vertex: ' 1 0 0', face: ' 1 0 0' }).replaceAll(/[ \n]/g, '\n')),
  ],
};

const WORDS = [
  ...[
    'nan',
    '-1',
    '4294967295',
    '4294967296',
    '1e999',
    '0',
    '-0',
    '1.5',
    '99999999999999999999',
    '\0',
    '#',
    '\r',
    '\n',
  ],
  ...[
    '\n\n',
    ' ',
    'element face 4000000000\n',
    'property list uint int q\n',
    'comment\n',
    'end_header\n',
    'endsolid\n',
  ],
  ...['solid\n', 'facet ', 'BINARY', '\ufeff', '\ud83d', 'x'.repeat(50)],
].map(text);

/** One to three changes anywhere, half of them where the file begins. */
function mutated(bytes: Uint8Array, random: Random): Uint8Array {
  let all = Array.from(bytes);
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = random.below(random.next() < 0.5 ? Math.min(all.length, 150) : all.length);
    const span = random.below(12);
    const kind = random.below(6);
    if (kind === 0) all[at] = random.below(256);
    else if (kind === 1) all.splice(at, span);
    else if (kind === 2) all.splice(at, span, ...random.pick(WORDS));
    else if (kind === 3) all = all.slice(0, at);
    else if (kind === 4) all.splice(at, 0, ...all.slice(random.below(all.length)).slice(0, 40));
    else all[at] ^= 1 << random.below(8);
    if (all.length === 0) break;
  }
  return Uint8Array.from(all);
}

function requireWhole({ meshes, nodes, warnings }: ReadMeshFile, size: number): void {
  expect([meshes.length, nodes.length]).toEqual([1, 1]);
  const { positions, triangles, groups } = meshes[0].mesh;
  const count = triangles.length / 3;
  expect(Number.isInteger(count) && count > 0 && positions.length % 3 === 0).toBe(true);
  expect(positions.every(Number.isFinite)).toBe(true);
  expect(triangles.every((vertex) => vertex < positions.length / 3)).toBe(true);
  for (const { first, count: length } of groups) expect(length > 0 && first + length <= count).toBe(true);
  expect(positions.byteLength + triangles.byteLength).toBeLessThan(20 * size + 1000);
  for (const warning of warnings) expect(warning).not.toMatch(/\p{Cc}/u);
}

test.each(Object.keys(FILES))(`%s: ${COUNT} mutations (seed ${SEED})`, { tags: ['quick', 'long'] }, async (name) => {
  const random = seeded(SEED);
  let meshes = 0;
  for (let k = 0; k < COUNT; k++) {
    const bytes = mutated(random.pick(FILES[name]), random);
    let file: ReadMeshFile;
    try {
      file = await read(bytes);
    } catch (error) {
      if (!(error instanceof FormatError))
        throw new Error(`of ${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`, { cause: error });
      if (/[\p{Cc}]/u.test(error.message) || error.message.length > 400) throw error;
      continue;
    }
    requireWhole(file, bytes.length);
    meshes++;
  }
  expect(meshes).toBeGreaterThan(COUNT / 100); // neither nothing but errors ...
  expect(meshes).toBeLessThan(COUNT); // ... nor none
});
