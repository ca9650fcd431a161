/** STL of both kinds: what is read, what is refused and with which words. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanMesh, describeLosses } from '../../src/mesh/clean.ts';
import { MAX_NAME } from '../../src/readers/text.ts';
import { BOX, cornersOf, errorOf, meshOf, read, stlBinary, stlText } from '../support/mesh-files.ts';

const FIXTURES = new URL('../fixtures/meshes/', import.meta.url);
const CORNERS = cornersOf(BOX);
const facet = (vertices: string, normal = '0 0 1') =>
  `facet normal ${normal}\nouter loop\n${vertices}\nendloop\nendfacet\n`;
const FACET = facet('vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0');

/** The corners of a mesh in file order: what a file says, whatever the vertices' numbers. */
const soup = ({ positions, triangles }: { positions: Float64Array; triangles: Uint32Array }) =>
  Array.from(triangles, (v) => Array.from(positions.subarray(3 * v, 3 * v + 3)));

describe.each([
  ['binary', stlBinary(CORNERS)],
  ['text', new TextEncoder().encode(stlText('box', CORNERS))],
])('%s', (kind, bytes) => {
  test('corners are joined, triangles stay in order', async () => {
    const mesh = await meshOf(bytes);
    expect(mesh.positions.length).toBe(3 * 8);
    expect(soup(mesh)).toEqual(CORNERS);
    expect(describeLosses(cleanMesh(mesh).losses)).toBe(null);
  });

  test('bytes within a larger buffer', async () => {
    const larger = new Uint8Array(bytes.length + 7);
    larger.set(bytes, 3);
    expect(await read(larger.subarray(3, 3 + bytes.length))).toEqual(await read(bytes));
  });

  test('the golden file is what the writer writes', () => {
    expect(new Uint8Array(readFileSync(new URL(`box-${kind}.stl`, FIXTURES)))).toEqual(bytes);
  });
});

test('-0 and 0 are one vertex, which is written as it came first; degenerate triangles stay', async () => {
  const corners = [
    [-0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
    [0, -0, 0],
    [0, 0, 0],
    [1, 0, 0],
  ]; // prettier-ignore
  for (const source of [stlBinary(corners), stlText('', corners).replace('vertex 0 0 0', 'vertex -0 0 0')]) {
    const mesh = await meshOf(source);
    expect(Array.from(mesh.triangles)).toEqual([0, 1, 2, 0, 0, 1]);
    expect(Array.from(mesh.positions)).toEqual([-0, 0, 0, 1, 0, 0, 0, 1, 0]);
  }
});

test('many vertices, more than the table is made for', async () => {
  const corners = Array.from({ length: 30_000 }, (_, k) => [k % 1000, Math.floor(k / 1000), k % 7]);
  const mesh = await meshOf(stlBinary(corners));
  expect(mesh.positions.length).toBe(3 * 30_000);
  expect(soup(mesh)).toEqual(corners);
});

describe('binary', () => {
  test.each(['solid part', 'SOLID', '', '\0\xff\xfe', 'COLOR=\xff\x01\x02\x03,MATERIAL=\x01\x02\x03\x04', 'o box'])(
    'with the header %j',
    async (header) => {
      const { meshes, nodes, units } = await read(stlBinary(CORNERS, { header, colour: 0x801f }));
      expect(meshes[0].mesh.triangles.length).toBe(36);
      expect(meshes[0].mesh.groups).toEqual([]);
      expect([nodes.length, units]).toEqual([1, null]);
    },
  );

  test('normals are nonsense', async () => {
    const bytes = stlBinary(CORNERS, { normal: [Number.NaN, Number.POSITIVE_INFINITY, 1e30] });
    expect(soup(await meshOf(bytes))).toEqual(CORNERS);
  });

  test.each([['solid part'], ['made by hand']])('longer or shorter than its triangles, header %j', async (header) => {
    const bytes = stlBinary(CORNERS, { header });
    const longer = new Uint8Array(bytes.length + 1002);
    longer.set(bytes);
    expect((await read(longer)).warnings).toEqual(['1,002 bytes after the last triangle were skipped']);
    expect(await errorOf(bytes.subarray(0, 500))).toBe('expected 84 + 50 x 12 bytes, found 500');
    expect(await errorOf(bytes.subarray(0, bytes.length - 1))).toBe('expected 84 + 50 x 12 bytes, found 683');
    expect(await errorOf(bytes.subarray(0, 90))).toBe('expected 84 + 50 x 12 bytes, found 90');
  });

  test.each([
    ['zeros', 0],
    ['zeros', 5],
    ['solid part', 0],
    ['made by hand', 11],
  ])('header %j counts %i of 12 triangles: read by the length', async (header, count) => {
    const bytes = stlBinary(CORNERS, { header: header === 'zeros' ? '' : header });
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(80, count, true);
    const { meshes, warnings } = await read(bytes);
    expect(soup(meshes[0].mesh)).toEqual(CORNERS);
    expect(warnings).toEqual([
      `the header states ${count} triangles, but ${12 - count} more are behind them; all 12 were read`,
    ]);
  });

  test.each([
    ['zeros', (bytes: Uint8Array) => bytes.fill(0, 84 + 500)],
    ['text', (bytes: Uint8Array) => bytes.fill(0x41, 84 + 500)],
    ['numbers that are none', (bytes: Uint8Array) => bytes.fill(255, 84 + 500)],
  ])('%s behind the triangles, as long as two more, are none', async (_, fill) => {
    const bytes = stlBinary(CORNERS);
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(80, 10, true);
    fill(bytes);
    const { meshes, warnings } = await read(bytes);
    expect(soup(meshes[0].mesh)).toEqual(CORNERS.slice(0, 30));
    expect(warnings).toEqual(['100 bytes after the last triangle were skipped']);
  });

  test('a file of zeros is none, whatever its length', async () => {
    expect(await errorOf(new Uint8Array(84 + 600))).not.toBe('none');
  });

  test('a count of 2^32 - 1 takes no memory', async () => {
    const bytes = stlBinary(CORNERS);
    bytes.fill(255, 80, 84);
    expect(await errorOf(bytes)).toBe('expected 84 + 50 x 4,294,967,295 bytes, found 684');
  });

  test.each([
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('a coordinate is %s', async (x, shown) => {
    const corners = CORNERS.map((point, k) => (k === 16 ? [0, x, 0] : point));
    expect(await errorOf(stlBinary(corners))).toBe(
      `byte ${84 + 250 + 12 + 16}: expected a finite coordinate, found ${shown} in triangle 5`,
    );
  });

  test('no triangles', async () => {
    expect(await errorOf(stlBinary([]))).toBe('expected at least one face, found none');
  });

  test.each([
    ['a zip archive', [0x50, 0x4b, 3, 4]],
    ['an FBX file', [...Buffer.from('Kaydara FBX Binary  \0\x1a\0')]],
    ['zeros', []],
  ])('%s is none', async (_, start) => {
    const bytes = new Uint8Array(9000);
    for (let k = 0; k < bytes.length; k++)
      bytes[k] = k < start.length ? start[k] : start.length > 0 ? (k * 37) % 251 : 0;
    expect(await errorOf(bytes)).not.toContain('84 + 50');
  });
});

describe('text', () => {
  test('each solid is an object', async () => {
    const one = CORNERS.slice(0, 18);
    const two = CORNERS.slice(18);
    const source = [
      stlText('first  part ', one),
      stlText('', two),
      stlText('empty', []),
      'solid café\t1\n',
      FACET,
      'endsolid other name\n',
      stlText('first  part', one),
    ].join('');
    const { meshes, warnings } = await read(source);
    expect(warnings).toEqual(['1 solid without faces left out: empty']);
    expect(meshes[0].mesh.groups).toEqual([
      { kind: 'object', name: 'first  part', first: 0, count: 6 },
      { kind: 'object', name: 'default', first: 6, count: 6 },
      { kind: 'object', name: 'café\t1', first: 12, count: 1 },
      { kind: 'object', name: 'first  part', first: 13, count: 6 },
    ]);
  });

  test.each([
    ['capitals', `SOLID A\n${FACET.toUpperCase()}ENDSOLID A\n`],
    ['CRLF', `solid a\r\n${FACET.replaceAll('\n', '\r\n')}endsolid a\r\n`],
    ['CR', `solid a\r${FACET.replaceAll('\n', '\r')}endsolid a\r`],
    ['tabs, and words on one line', `solid\n${FACET.replaceAll(/\s/g, '\t')}\tendsolid`],
    ['a byte order mark and blanks before', `\ufeff \n solid a\n${FACET}endsolid`],
    ['exponents', `solid a\n${facet('vertex 0E+00 0.e0 .0\nvertex +1e0 0 0\nvertex 0 100.0E-2 0e5')}endsolid a`],
    [
      'a normal that is none',
      `solid a\n${facet('vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0', '-nan(ind) 1.#INF x')}endsolid`,
    ],
    ['an end of two words', `solid a\n${FACET}end solid a\n`],
    ['an end of two capital words', `solid a\n${FACET}END SOLID`],
    ['no normal', `solid a\nfacet\n${FACET.slice(FACET.indexOf('outer'))}endsolid`],
  ])('%s', async (_, source) => {
    const { meshes, warnings } = await read(source);
    expect(warnings).toEqual([]);
    expect(soup(meshes[0].mesh)).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });

  test('coordinates are doubles', async () => {
    const { positions } = await meshOf(
      `solid\n${facet('vertex 0.1 1e-300 5\nvertex 1 0 0\nvertex 0 0.30000000000000004 0')}`,
    );
    expect(Array.from(positions)).toEqual([0.1, 1e-300, 5, 1, 0, 0, 0, 0.30000000000000004, 0]);
  });

  test.each([
    ['at the end', `solid a\n${FACET}`],
    ['in the midst', `solid a\n${FACET}solid b\n${FACET}endsolid b\n`],
  ])('a missing endsolid %s makes an element incomplete', async (_, source) => {
    expect((await read(source)).warnings).toEqual(['1 incomplete element (no endsolid: triangles may be missing): a']);
  });

  test.each([
    ['solid a\nendsolid a\n', 'expected at least one face, found none'],
    ['solid a', 'expected at least one face, found none'],
    [`solid a\n${FACET}endsolid\nv 0 0 0\n`, 'line 10: expected solid, found "v"'],
    ['solid a\nfacte\n', 'line 2: expected facet or endsolid, found "facte"'],
    ['solid a\nfacet normal 0 0 1 2 outer', 'line 2: expected outer loop, found "2"'],
    ['solid a\nfacet normal 0 0', 'line 2: expected outer loop, found the end of the file'],
    ['solid a\nfacet normal 0 0 1\nouter lop\n', 'line 3: expected loop, found "lop"'],
    [`solid a\n${facet('vertex 0 0')}`, 'line 5: expected a finite number, found "endloop"'],
    [`solid a\n${facet('vertex 0 0 nan')}`, 'line 4: expected a finite number, found "nan"'],
    [`solid a\n${facet('vertex 0 0 1e999')}`, 'line 4: expected a finite number, found "1e999"'],
    [`solid a\n${facet('vertex 0 0 0,5')}`, 'line 4: expected a finite number, found "0,5"'],
    [`solid a\n${facet('vertex 0 0 0\nvertex 0 0 1')}`, 'line 6: expected vertex, found "endloop"'],
    [
      `solid a\n${facet('vertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nvertex 1 0 0')}`,
      'line 7: expected endloop after three vertices, found "vertex"',
    ],
    [`solid a\n${FACET.slice(0, -33)}`, 'line 5: expected a finite number, found the end of the file'],
    [
      `solid ${'n'.repeat(MAX_NAME + 1)}\n`,
      `line 1: expected a name of at most ${MAX_NAME} characters, found a longer one`,
    ],
    [`solid a\n${FACET}endsolid\nsolid b\0c\n`, 'line 10: expected text, found a zero byte'],
  ])('refuses %j', async (source, message) => {
    expect(await errorOf(source)).toBe(message);
  });
});
