/** STL, PLY and OFF are read in time linear in the file, counted in blocks of code. */
import { expect, test } from 'vitest';
import { readOff } from '../../src/readers/off.ts';
import { readPly } from '../../src/readers/ply.ts';
import { readStl } from '../../src/readers/stl.ts';
import { offOf, type Polygons, ply, plyOf, stlBinary, stlText, text } from '../support/mesh-files.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

/** A grid of n squares, each of its own, and its numbers of many digits. */
function squares(n: number): Polygons {
  const points = Array.from({ length: 4 * n }, (_, k) => [k / 3, Math.floor(k / 2) % 2, (k % 4) / 7]);
  return { points, faces: Array.from({ length: n }, (_, k) => [4 * k, 4 * k + 1, 4 * k + 3, 4 * k + 2]) };
}

const once = <T>(make: (n: number) => T) => {
  const made = new Map<number, T>();
  return (n: number) => made.get(n) ?? made.set(n, make(n)).get(n)!;
};
const soup = once((n) => {
  const { points, faces } = squares(n);
  return faces.flatMap((face) => face.slice(0, 3).map((p) => points[p]));
});

const FILES: Record<string, [(bytes: Uint8Array) => unknown, (n: number) => Uint8Array]> = {
  'STL binary': [readStl, (n) => stlBinary(soup(n))],
  'STL binary, one point': [readStl, (n) => stlBinary(soup(n).map(() => [1, 2, 3]))],
  'STL text': [readStl, (n) => text(stlText('a', soup(n)))],
  'STL text, a solid a triangle': [
    readStl,
    (n) => text(Array.from({ length: n }, (_, k) => stlText('a', soup(n).slice(3 * k, 3 * k + 3))).join('')),
  ],
  'PLY ascii': [readPly, (n) => plyOf(squares(n))],
  'PLY binary': [readPly, (n) => plyOf(squares(n), 'binary_big_endian')],
  'PLY, an element a face': [
    readPly,
    (n) =>
      ply('binary_little_endian', [
        ...Array.from({ length: n }, (_, k) => ({ name: `e${k}`, properties: ['list uchar int l'], rows: [[[k, 1]]] })),
        {
          name: 'vertex',
          properties: ['int x', 'char y', 'char z'],
          rows: [
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
          ],
        }, // prettier-ignore
        { name: 'face', properties: ['list uchar int vertex_index'], rows: [[[0, 1, 2]]] },
      ]),
  ],
  'PLY, one strip': [
    readPly,
    (n) =>
      ply('ascii', [
        { name: 'vertex', properties: ['int x', 'char y', 'char z'], rows: squares(n).points },
        {
          name: 'tristrips',
          properties: ['list int int vertex_indices'],
          rows: [[Array.from({ length: n }, (_, k) => k)]],
        },
      ]),
  ],
  OFF: [readOff, (n) => text(offOf(squares(n)))],
  'OFF, comments and empty lines': [readOff, (n) => text(offOf(squares(n)).replaceAll('\n', '\n\n # a\n  \n'))],
};

test.runIf(countsSteps).each(Object.keys(FILES))('%s', { tags: ['all'] }, (name) => {
  const [reader, file] = FILES[name];
  const [small, large] = [file(1000), file(4000)];
  reader(small);
  const steps = stepsOf(() => reader(small));
  expect(steps).toBeGreaterThan(1000);
  // Tables and arrays that double cost up to twice as much at one size as at another.
  expect(stepsOf(() => reader(large))).toBeLessThan(6 * steps);
});
