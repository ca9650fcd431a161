/** PLY in its three encodings: what is read, what is refused and with which words. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  BOX,
  ENCODINGS,
  errorOf,
  meshOf,
  OLD_NAMES,
  ply,
  plyOf,
  read,
  text,
  trianglesOf,
} from '../support/mesh-files.ts';

const FIXTURES = new URL('../fixtures/meshes/', import.meta.url);
const NEW_NAMES = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64'];
const TRIANGLE = [
  [0, 0, 0],
  [1, 0, 0],
  [0, 1, 0],
]; // prettier-ignore
const XYZ = ['float x', 'float y', 'float z'];

const asRead = async (source: Uint8Array | string) => {
  const { positions, triangles } = await meshOf(source);
  return { points: Array.from(positions), triangles: Array.from(triangles) };
};
const expected = { points: BOX.points.flat(), triangles: trianglesOf(BOX).flat() };

describe.each(ENCODINGS)('%s', (encoding) => {
  const vertex = { name: 'vertex', properties: XYZ, rows: TRIANGLE };
  const face = { name: 'face', properties: ['list uchar int vertex_indices'], rows: [[[0, 1, 2]]] };

  test('polygons are cut, doubles are kept', async () => {
    expect(await asRead(plyOf(BOX, encoding))).toEqual(expected);
    const points = BOX.points.map((point) => point.map((x) => (x - 0.3) / 7));
    expect((await asRead(plyOf({ ...BOX, points }, encoding))).points).toEqual(points.flat());
  });

  test('the golden file is what the writer writes', () => {
    expect(new Uint8Array(readFileSync(new URL(`box-${encoding}.ply`, FIXTURES)))).toEqual(plyOf(BOX, encoding));
  });

  test('bytes within a larger buffer', async () => {
    const bytes = plyOf(BOX, encoding);
    const larger = new Uint8Array(bytes.length + 7);
    larger.set(bytes, 3);
    expect(await asRead(larger.subarray(3, 3 + bytes.length))).toEqual(expected);
  });

  test.each([...OLD_NAMES, ...NEW_NAMES])('coordinates of type %s', async (type) => {
    expect(await asRead(plyOf(BOX, encoding, { coordinate: type }))).toEqual(expected);
  });

  test.each([...OLD_NAMES, ...NEW_NAMES].filter((name) => !/^(?:float|double)/.test(name)))(
    'vertex numbers and lengths of type %s',
    async (type) => {
      expect(await asRead(plyOf(BOX, encoding, { index: type, list: 'vertex_index' }))).toEqual(expected);
      const list = { ...face, properties: [`list ${type} int vertex_indices`] };
      expect((await asRead(ply(encoding, [vertex, list]))).triangles).toEqual([0, 1, 2]);
    },
  );

  test.each(['\n', '\r\n', '\r'])('lines end with %j', async (lineEnd) => {
    // The first number of the body is an LF where x is 10 and little endian.
    const points = BOX.points.map(([x, y, z]) => [x === 0 ? 10 : x, y, z]);
    const bytes = plyOf({ ...BOX, points }, encoding, {
      lineEnd,
      coordinate: 'short',
      comments: ['comment a b', 'obj_info', ''],
    });
    expect((await asRead(bytes)).points).toEqual(points.flat());
  });

  test('other properties and elements, in any order', async () => {
    const bytes = ply(encoding, [
      {
        name: 'camera',
        properties: ['double view', 'list uchar float lens'],
        rows: [
          [1, [2, 3]],
          [4, []],
        ],
      }, // prettier-ignore
      {
        name: 'face',
        properties: [
          'uchar red',
          'list short double texcoord',
          'list uint ushort vertex_indices',
          'list uchar uchar more',
          'float q',
        ],
        rows: BOX.faces.map((corners, k) => [k, [0.5, k], corners, [], Number(k)]),
      },
      { name: 'nothing', properties: [], rows: [] },
      {
        name: 'vertex',
        properties: [
          'double nx',
          'double z',
          'list uchar int groups',
          'float x',
          'uint colour',
          'char y',
          'list ushort short last',
        ],
        rows: BOX.points.map(([x, y, z], k) => [k, z, [1, 2, 3].slice(0, k % 4), x, 4e9, y, [k]]),
      },
      {
        name: 'edge',
        properties: ['int vertex1', 'int vertex2'],
        rows: [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
      }, // prettier-ignore
    ]);
    expect(await asRead(bytes)).toEqual(expected);
    expect((await read(bytes)).warnings).toEqual(['no surface, and skipped: 2 "camera", 3 "edge"']);
  });

  test('strips of triangles', async () => {
    const rows = [[[0, 1, 2, 3, 4, -1, 5, 6, -1, -1, 2, 1, 0, 0, 3]], [[7, 6, 5]]];
    const strips = { name: 'tristrips', properties: ['list int int vertex_indices'], rows };
    const { triangles } = await asRead(ply(encoding, [{ ...vertex, rows: BOX.points }, strips]));
    expect(triangles).toEqual([0, 1, 2, 2, 1, 3, 2, 3, 4, 2, 1, 0, 0, 1, 0, 0, 0, 3, 7, 6, 5]);
  });

  test('a cloud of points', async () => {
    const message = 'expected at least one face, found a cloud of 3 points';
    expect(await errorOf(ply(encoding, [vertex]))).toBe(message);
    expect(await errorOf(ply(encoding, [vertex, { ...face, rows: [] }]))).toBe(message);
    expect(await errorOf(ply(encoding, [{ ...vertex, rows: [] }]))).toBe('expected at least one face, found none');
  });

  test.each([
    [[[0, 1]], 'expected at least 3 vertices in a face, found 2'],
    [[[]], 'expected at least 3 vertices in a face, found 0'],
    [[[0, 1, 3]], 'expected a vertex number from 0 to 2, found 3'],
    [[[0, -1, 2]], 'expected a vertex number from 0 to 2, found -1'],
  ])('a face of %j', async (row, message) => {
    expect(await errorOf(ply(encoding, [vertex, { ...face, rows: [row] }]))).toMatch(
      new RegExp(`^(?:line|byte) \\d+: ${message}$`),
    );
  });

  test('a coordinate that is not finite', async () => {
    const rows = [
      [0, 0, 0],
      [1, 0, Number.NaN],
      [0, 1, 0],
    ]; // prettier-ignore
    const message = await errorOf(ply(encoding, [{ ...vertex, rows }, face]));
    const bytes = ply(encoding, [
      { ...vertex, rows: [] },
      { ...face, rows: [] },
    ]);
    if (encoding === 'ascii') expect(message).toBe('line 11: expected a finite number, found "NaN"');
    else expect(message).toBe(`byte ${bytes.length + 20}: expected a finite coordinate, found NaN in vertex 1`);
  });

  test('any file that was cut off', async () => {
    const bytes = ply(encoding, [
      { name: 'a', properties: ['list uchar int l', 'int i'], rows: [[[1, 2], 3]] },
      vertex,
      face,
    ]);
    const whole = encoding === 'ascii' ? bytes.length - 1 : bytes.length;
    for (let length = 4; length < whole; length++) expect(await errorOf(bytes.subarray(0, length))).not.toBe('none');
  });

  test.each([
    ['element vertex 4000000000', / "vertex", found \d/],
    ['element vertex 999999999999999', / "vertex", found \d/],
    ['element face 3000000000', / "face", found \d/],
  ])('%s takes no memory', async (line, message) => {
    const source = Buffer.from(ply(encoding, [vertex, face])).toString('latin1');
    const [, , name] = /(element) (\w+)/.exec(line)!;
    const bytes = Buffer.from(source.replace(new RegExp(`element ${name} \\d`), line), 'latin1');
    expect(await errorOf(new Uint8Array(bytes))).toMatch(message);
  });

  test('a list of 2^32 - 1 numbers takes no memory', async () => {
    const bytes = ply(encoding, [vertex, { ...face, properties: ['list uint int vertex_indices'] }]);
    const last = encoding === 'ascii' ? '3 0 1 2\n'.length : 16;
    const size = encoding === 'ascii' ? text('4294967295 0 1 2\n') : new Uint8Array(16).fill(255);
    const source = new Uint8Array([...bytes.subarray(0, bytes.length - last), ...size]);
    expect(await errorOf(source)).toMatch(/: expected a list of 4,294,967,295 numbers, found \d+ bytes$/);
  });
});

const BANNER = 'Created by Tool 2.4, source file: box.max';

describe.each(ENCODINGS)('a banner in the header, %s', (encoding) => {
  const bytes = plyOf(BOX, encoding);
  /** The file with a line in front of the first one that begins with a word. */
  const withLine = (line: string, before: string): Uint8Array => {
    const source = Buffer.from(bytes).toString('latin1');
    return new Uint8Array(Buffer.from(source.replace(`\n${before}`, `\n${line}\n${before}`), 'latin1'));
  };

  test.each([
    [BANNER, 'format', 2],
    [BANNER, 'element vertex', 3],
    ['VCGLIB generated', 'element face', 7],
    ['# made by hand', 'property list', 8],
    ['********', 'end_header', 9],
  ])('%s, before %s: skipped, and said', async (line, before, number) => {
    const found = withLine(line, before);
    expect(await asRead(found)).toEqual(expected);
    expect((await read(found)).warnings).toEqual([
      `no statement of a header, and skipped: line ${number}: "${line.slice(0, 40)}${line.length > 40 ? '...' : ''}"`,
    ]);
  });

  test.each(['proprety float w', 'elemnt edge 3', 'float w', 'list uchar int more', 'vertex 8', 'end header', '1 2 3'])(
    '%s is none',
    async (line) => {
      expect(await errorOf(withLine(line, 'element face'))).toMatch(
        /^line 7: expected element, property or end_header/,
      );
    },
  );

  test('which may have been a statement: nothing may be behind the last element', async () => {
    const longer = new Uint8Array([...withLine(BANNER, 'format'), ...text('1 2 3\n')]);
    expect(await errorOf(longer)).toMatch(/expected the end of the file after the last element/);
  });
});

test('what stands behind the last element', async () => {
  const little = plyOf(BOX, 'binary_little_endian');
  expect((await read(new Uint8Array([...little, 1, 2, 3]))).warnings).toEqual([
    '3 bytes after the last element were skipped',
  ]);
  const lines = Buffer.from(plyOf(BOX)).toString();
  expect((await read(`${lines}\n \n`)).warnings).toEqual([]);
  expect(await errorOf(`${lines}1`)).toBe('line 24: expected the end of the file after the last element, found "1"');
});

test('many kinds of elements are named in one line', async () => {
  const others = Array.from({ length: 1000 }, (_, k) => ({
    name: `\u001b${k}`,
    properties: ['char a'],
    rows: [[k % 100]],
  }));
  const surface = plyOf(BOX);
  const extra = Buffer.from(ply('ascii', others)).toString().split('end_header\n');
  const [head, body] = Buffer.from(surface).toString().split('end_header\n');
  const { warnings } = await read(`${head}${extra[0].replace(/^ply\nformat.*\n/, '')}end_header\n${body}${extra[1]}`);
  const named = Array.from({ length: 8 }, (_, k) => `1 "\\u001b${k}"`).join(', ');
  expect(warnings).toEqual([`no surface, and skipped: ${named}, and 992 other kinds`]);
});

test('numbers of a text on other lines', async () => {
  const source = Buffer.from(plyOf(BOX)).toString();
  const body = source.indexOf('end_header\n') + 11;
  expect(await asRead(source.slice(0, body) + source.slice(body).replaceAll('\n', ' \t'))).toEqual(expected);
  expect(await asRead(source.slice(0, body) + source.slice(body).replaceAll(' ', '\r\n\n'))).toEqual(expected);
});

const BODY = '0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n';
const header = (...lines: string[]) => `${['ply', 'format ascii 1.0', ...lines, 'end_header'].join('\n')}\n${BODY}`;
const VERTEX = ['element vertex 3', 'property float x', 'property float y', 'property float z'];
const FACE = ['element face 1', 'property list uchar int vertex_indices'];

test.each([
  [header(...VERTEX, ...FACE), 'none'],
  [
    header(...VERTEX, ...FACE).replace('1.0', '2.0'),
    'line 2: expected format ascii, binary_little_endian, binary_big_endian of version 1.0, found "format ascii 2.0"',
  ],
  [
    header(...VERTEX, ...FACE).replace('ascii', 'toString'),
    'line 2: expected format ascii, binary_little_endian, binary_big_endian of version 1.0, found "format toString 1.0"',
  ],
  [
    header(...VERTEX, ...FACE).replace('format ascii 1.0\n', ''),
    'line 8: expected format before end_header, found none',
  ],
  ['ply\nformat ascii 1.0\n', 'line 3: expected end_header, found the end of the file'],
  [`ply\ncomment ${'x'.repeat(70_000)}\n`, 'line 2: expected a line of at most 65536 bytes, found a longer one'],
  [header('property float x'), 'line 3: expected element, property or end_header, found "property float x"'],
  [header(...VERTEX, 'elements 3'), 'line 7: expected element, property or end_header, found "elements 3"'],
  [header('element vertex'), 'line 3: expected element, a name and a count, found "element vertex"'],
  [header('element vertex -3'), 'line 3: expected element, a name and a count, found "element vertex -3"'],
  [header('element vertex 1e3'), 'line 3: expected element, a name and a count, found "element vertex 1e3"'],
  [header(...VERTEX, ...FACE, ...VERTEX), 'line 9: expected each element once, found "element vertex 3"'],
  [
    header(...VERTEX, 'property real q'),
    `line 7: expected a type: ${[...OLD_NAMES, ...NEW_NAMES].join(', ')}, found "property real q"`,
  ],
  [
    header(...VERTEX, 'property list float int q'),
    'line 7: expected a list with a whole number as its length, found "property list float int q"',
  ],
  [
    header(...VERTEX, 'property list uchar int'),
    'line 7: expected property, a type and a name, found "property list uchar int"',
  ],
  [header(...VERTEX, 'property int a b'), 'line 7: expected property, a type and a name, found "property int a b"'],
  [header(...FACE), 'expected an element vertex, found none'],
  [header(...VERTEX.slice(0, 3), 'property float q', ...FACE), 'expected one property z of vertex, found none'],
  [header(...VERTEX, 'property int x', ...FACE), 'expected one property x of vertex, found two'],
  [
    header(...VERTEX, 'element face 1', 'property list uchar int corners'),
    'expected a list vertex_indices of whole numbers in face, found none',
  ],
  [
    header(...VERTEX, 'element face 1', 'property list uchar float vertex_indices'),
    'expected a list vertex_indices of whole numbers in face, found another type',
  ],
  [
    header(...VERTEX, 'element face 1', 'property int vertex_indices'),
    'expected a list vertex_indices of whole numbers in face, found another type',
  ],
  [
    header(...VERTEX, ...FACE).replace('3 0 1 2', '3 0 1 1.5'),
    'line 13: expected a vertex number from 0 to 2, found 1.5',
  ],
  [header(...VERTEX, ...FACE).replace('3 0 1 2', '-3 0 1 2'), "line 13: expected a list's length, found -3"],
  [header(...VERTEX, ...FACE).replace('0 1 0', '0 1 x'), 'line 12: expected a finite number, found "x"'],
  [header(...VERTEX, ...FACE).replace('0 1 0', '0 1 0\0'), 'line 12: expected a finite number, found "0\\u0000"'],
  [
    header(...VERTEX, 'element face 4294967296', FACE[1]),
    'line 12: expected 8,589,934,591 bytes or more for 4,294,967,296 "face", found 9',
  ],
])('%j', async (source, message) => {
  expect(await errorOf(source)).toBe(message);
});

test('more properties than any mesh has', async () => {
  const lines = Array.from({ length: 70_000 }, (_, k) => `property char p${k}`);
  expect(await errorOf(text(header('element a 1', ...lines)))).toBe(
    'line 65539: expected at most 65536 elements and properties, found more',
  );
});
