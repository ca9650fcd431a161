/** OFF: what is read, what is refused and with which words. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BOX, errorOf, meshOf, offOf, read, trianglesOf } from '../support/mesh-files.ts';

const asRead = async (source: string) => {
  const { positions, triangles } = await meshOf(source);
  return { points: Array.from(positions), triangles: Array.from(triangles) };
};
const expected = { points: BOX.points.flat(), triangles: trianglesOf(BOX).flat() };
const PLAIN = offOf(BOX);

test('the golden file is what the writer writes', () => {
  expect(readFileSync(new URL('../fixtures/meshes/box.off', import.meta.url), 'utf8')).toBe(PLAIN);
});

test.each([
  ['plain', PLAIN],
  ['small letters', offOf(BOX, { word: 'off' })],
  ['colours', offOf(BOX, { word: 'COFF', vertex: ' 255 0 0 255', face: '  3 0.5 0.5 0.5' })],
  ['normals', offOf(BOX, { word: 'NOFF', vertex: ' 0 0 1' })],
  ['colours and normals', offOf(BOX, { word: 'CNOFF', vertex: ' 0 0 1 1 0 0 1' })],
  ['all that there is', offOf(BOX, { word: 'STCNOFF', vertex: ' nan x', face: ' # red' })],
  ['counts in the first line', PLAIN.replace('OFF\n', 'OFF ')],
  ['counts glued to the word', PLAIN.replace('OFF\n', 'OFF')],
  ['no count of edges', PLAIN.replace('8 6 0', '8 6')],
  ['CRLF', PLAIN.replaceAll('\n', '\r\n')],
  ['CR', PLAIN.replaceAll('\n', '\r')],
  ['no line end at the end', PLAIN.trimEnd()],
  ['comments and empty lines', `# a\n\n#b # c\n${PLAIN.replaceAll('\n', ' # d\n\n \t\n#e\n')}`],
  ['a byte order mark', `\ufeff${PLAIN}`],
])('%s', async (_, source) => {
  expect(await asRead(source)).toEqual(expected);
  const { warnings, meshes, nodes } = await read(source);
  expect([warnings, meshes.length, meshes[0].mesh.groups, nodes.length]).toEqual([[], 1, [], 1]);
});

/** Without the line breaks between which a vertex or a face stands. */
const words = (source: string): string[] => source.split(/\s+/).filter((word) => word !== '');
const inLines = (source: string, length: number): string => {
  const all = words(source);
  return all.map((word, k) => word + ((k + 1) % length === 0 ? '\n' : ' ')).join('');
};

test.each([
  ['one number a line', inLines(PLAIN, 1)],
  ['all in one line', inLines(PLAIN, 1e9)],
  ['five numbers a line', inLines(PLAIN, 5)],
  ['vertices in one line', PLAIN.replace(/\n(?=[-\d.]+ [-\d.]+ [-\d.]+\n)/g, ' ').replace('8 6 0 ', '8 6 0\n')],
  ['no count of edges', inLines(PLAIN.replace('8 6 0', '8 6'), 1)],
  ['comments between any numbers', inLines(PLAIN, 1).replaceAll('\n', ' # 1 2 3\n')],
  ['colors of faces, whole numbers', inLines(offOf(BOX, { face: ' 255 0 9' }), 1)],
  ['colors of faces, alpha, parts of 1', inLines(offOf(BOX, { face: ' 0.5 0.25 1 1' }), 7)],
  ['colors of vertices', inLines(offOf(BOX, { word: 'COFF', vertex: ' 0.5 0.5 1 1', face: ' 200 9 100' }), 4)],
  ['colors of vertices without alpha', inLines(offOf(BOX, { word: 'COFF', vertex: ' 255 128 0' }), 4)],
  ['texture, normals', inLines(offOf(BOX, { word: 'STNOFF', vertex: ' 0 0 1 0.5 0.5' }), 1)],
  ['colors of some faces, each in its line', PLAIN.replace(/\n(4 [\d ]+)\n/, '\n$1 255 0 0\n')],
])('line breaks mean nothing: %s', async (_, source) => {
  expect(await asRead(source)).toEqual(expected);
  expect((await read(source)).warnings).toEqual([]);
});

test.each([
  // A triangle and a square; or a triangle of color 4, and an edge of color 3.
  ['in any lines', 'OFF 4 2 0\n0 0 0 1 0 0 0 1 0 1 1 0\n3 0 1 2 4 2 0 1 3\n'],
  ['in lines of their own', 'OFF 4 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2 4\n2 0 1 3\n'],
])('numbers that fit several surfaces are refused: %s', async (_, source) => {
  expect(await errorOf(source)).toBe(
    'expected each vertex and each face on a line of its own, found numbers that fit several surfaces',
  );
});

test('colors that may be faces are refused', async () => {
  const vertices = 'OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n';
  expect(await errorOf(`${vertices}3 0 1 2\n1 0 0\n`)).toMatch(/^line 6: expected the end of the file after 1 faces/);
  expect(await errorOf(`${inLines(vertices, 4)} 3 0 1 2 300 0 0\n`)).toMatch(/^line /);
});

test('coordinates are doubles', async () => {
  const { points } = await asRead('OFF 3 1 0\n0.1 1e-300 -0\n0.30000000000000004 0 0\n1 2 3\n3 0 1 2\n');
  expect(points).toEqual([0.1, 1e-300, -0, 0.30000000000000004, 0, 0, 1, 2, 3]);
});

test('points and lines are skipped', async () => {
  const source = 'OFF 3 4 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n3 2 1 0\n1 2\n3 0 1 2 255 0 0\n';
  expect((await asRead(source)).triangles).toEqual([2, 1, 0, 0, 1, 2]);
  expect((await read(source)).warnings).toEqual(['2 faces skipped: fewer than 3 vertices']);
});

const TRIANGLE = 'OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n';

test.each([
  ['4OFF\n1 1 0\n', 'line 1: expected OFF, with three coordinates a vertex, found "4OFF"'],
  ['nOFF 2\n1 1 0\n', 'line 1: expected OFF, with three coordinates a vertex, found "nOFF"'],
  ['ST4nOFF 2\n1 1 0\n', 'line 1: expected OFF, with three coordinates a vertex, found "ST4nOFF"'],
  ['OFF BINARY\n\0\0\0', 'line 1: expected OFF as text, found OFF BINARY'],
  ['OFF\n', 'line 2: expected the numbers of vertices, faces and edges, found the end of the file'],
  ['OFF\n8\n', 'line 2: expected the number of faces, found the end of the line'],
  ['OFF\n8 -6\n', 'line 2: expected the number of faces, found "-6"'],
  ['OFF\n8 6 x\n', 'line 2: expected the number of edges, found "x"'],
  ['OFF\n8 6 0 1\n', 'line 2: expected three counts, found "1"'],
  ['OFF 1.5 6 0\n', 'line 1: expected the number of vertices, found "1.5"'],
  ['OFF 4294967296 6 0\n0 0 0\n', 'line 1: expected 4,294,967,296 vertices and 6 faces, found 7 bytes after line 1'],
  [
    'OFF 0 999999999999999 0\n0 0 0\n',
    'line 1: expected 0 vertices and 999,999,999,999,999 faces, found 7 bytes after line 1',
  ],
  ['OFF 0 0 0\n', 'expected at least one face, found none'],
  ['OFF 1 0 0\n1 2 3\n', 'expected at least one face, found none'],
  ['OFF 2 1 0\n1 2 3 0 0 0\n3 2 1\n', 'line 4: expected 1 faces, found 0'],
  ['OFF 3 1 0 \n1 2 3 0 0 0 0 0 0\n\n0 0 0\n', 'line 5: expected 3 vertices, found 2'],
  ['OFF 3 1 0\n1 2\n3 1 2 3 4 5 6\n0 0 0\n', 'line 2: expected 3 coordinates of vertex 0, found 2'],
  [`${TRIANGLE}3 0 1 2\n3 0 1 2\n`, 'line 6: expected the end of the file after 1 faces, found "3"'],
  [`${TRIANGLE}3 0 1 3\n`, 'line 5: expected a vertex number from 0 to 2, found "3"'],
  [`${TRIANGLE}3 0 1 -1\n`, 'line 5: expected a vertex number from 0 to 2, found "-1"'],
  [`${TRIANGLE}3 0 1 1.5\n`, 'line 5: expected a vertex number from 0 to 2, found "1.5"'],
  [`${TRIANGLE}2 0 9\n`, 'line 5: expected a vertex number from 0 to 2, found "9"'],
  [`${TRIANGLE}0 0 1\n`, 'line 5: expected the number of vertices of the face, found 0'],
  [`${TRIANGLE}99999999999 0 1\n`, 'line 5: expected 99,999,999,999 vertices of face 0, found 2'],
  [`${TRIANGLE.replace('1 0 0', '1 0 inf')}3 0 1 2\n`, 'line 3: expected a finite number, found "inf"'],
  ['OFF 0 1 0\n3 0 1 2\n', 'line 2: expected at least one vertex, found "0"'],
])('refuses %j', async (source, message) => {
  expect(await errorOf(source)).toBe(message);
});

test('an OBJ file that names the format in a comment is none', async () => {
  expect((await meshOf('# OFF\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')).triangles.length).toBe(3);
});

test('a head of comments alone', async () => {
  expect(await errorOf(`${'# '.repeat(300)}\n# x`)).toBe('expected at least one face, found none');
});
