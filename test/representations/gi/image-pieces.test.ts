/** The surface of an image in pieces is the surface of the image, and its OBJ file the same bytes. */
import { expect, test } from 'vitest';
import { inPieces } from '../../../src/mesh/topology.ts';
import { writeObj, writeObjPieces } from '../../../src/readers/obj/obj.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { piecesOfImage } from '../../../src/representations/gi/tree/image-pieces.ts';
import { randomTriangles, torus } from '../../support/shapes.ts';
import { atlasImage, ballImage } from '../../support/tiles.ts';

const images: [string, () => GeometryImage][] = [
  ['a square of 257 x 257, larger than a piece', () => ballImage(8, 5)],
  ['a square of 17 x 17', () => ballImage(4, 5)],
  ['an atlas of three sizes', () => atlasImage([6, 3, 0], 5)],
  ['a torus', () => buildGeometryImage(torus(), { size: 33 })],
  ['loose triangles, seed 1', () => buildGeometryImage(randomTriangles(1, 60), { size: 17 })],
];

test.each(images)('%s: in pieces as whole', { tags: ['all'] }, async (_, make) => {
  const image = make();
  const whole = toMesh(image);
  const pieces = piecesOfImage(image);
  // A piece is good until the next one.
  const positions = [...map(pieces.positions(), (piece) => Array.from(piece))];
  const corners = [...map(pieces.corners(), (piece) => Array.from(piece))];
  expect(Float64Array.from(positions.flat())).toEqual(whole.positions);
  expect(Uint32Array.from(corners.flat())).toEqual(whole.triangles);
  expect(pieces).toMatchObject({ vertices: whole.positions.length / 3, triangles: whole.triangles.length / 3 });
  expect(Math.max(...positions.map(({ length }) => length))).toBeLessThanOrEqual(3 * 16384);
  expect(Math.max(...corners.map(({ length }) => length))).toBeLessThanOrEqual(6 * 16384);
  for (const surface of [pieces, inPieces(whole)]) {
    const text: string[] = [];
    for await (const piece of writeObjPieces(surface, 'two\nlines\\')) text.push(piece);
    expect(Buffer.from(text.join('')).equals(writeObj(whole, 'two\nlines\\'))).toBe(true);
  }
});

function* map<T, U>(values: Iterable<T>, change: (value: T) => U): Generator<U> {
  for (const value of values) yield change(value);
}
