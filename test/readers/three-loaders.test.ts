/** STL and PLY as three's loaders read them, up to the single precision in which those keep coordinates. */
// @module-tag quick
// @module-tag long
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import { expect, test } from 'vitest';
import { some } from '../support/long.ts';
import { ENCODINGS, meshOf, type Polygons, plyOf, stlBinary, stlText, text } from '../support/mesh-files.ts';
import { type Random, seeded } from '../support/random.ts';

const SEEDS = some(
  5,
  Array.from({ length: 200 }, (_, k) => k + 1),
);

/** Points anywhere, of any size, and triangles and flat squares on them. */
function polygons(random: Random): Polygons {
  const size = 10 ** random.between(-6, 6);
  const points = Array.from({ length: 3 + random.below(60) }, () =>
    [0, 1, 2].map(() => Math.fround(random.between(-size, size))),
  );
  const faces = Array.from({ length: 1 + random.below(100) }, () => [0, 1, 2].map(() => random.below(points.length)));
  for (let k = random.below(10); k > 0; k--) {
    const [x, y, z] = points[random.below(points.length)];
    const first = points.push([x, y, z], [x + size, y, z], [x + size, y + size, z], [x, y + size, z]) - 4;
    faces.splice(random.below(faces.length), 0, [first, first + 1, first + 2, first + 3]);
  }
  return { points, faces };
}

const bufferOf = (bytes: Uint8Array) =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;

/** Coordinates of the corners of all triangles, in file order. */
const soup = (positions: ArrayLike<number>, corners: ArrayLike<number>) =>
  Array.from(corners, (v) => [0, 1, 2].map((k) => Math.fround(positions[3 * v + k])));

test.each(SEEDS)('STL, seed %i', async (seed) => {
  const { points, faces } = polygons(seeded(seed));
  const corners = faces.flatMap((face) => face.slice(0, 3).map((p) => points[p]));
  for (const bytes of [
    stlBinary(corners),
    text(stlText('one', corners.slice(0, 3)) + stlText('rest', corners.slice(3))),
  ]) {
    const { array } = new STLLoader().parse(bufferOf(bytes)).attributes.position;
    const { positions, triangles } = await meshOf(bytes);
    expect(soup(positions, triangles)).toEqual(
      soup(
        array,
        Array.from({ length: array.length / 3 }, (_, k) => k),
      ),
    );
  }
});

test.each(SEEDS)('PLY, seed %i', async (seed) => {
  const mesh = polygons(seeded(seed));
  for (const encoding of ENCODINGS) {
    for (const coordinate of ['float', 'double']) {
      const bytes = plyOf(mesh, encoding, { coordinate });
      const { index, attributes } = new PLYLoader().parse(bufferOf(bytes));
      const { positions, triangles } = await meshOf(bytes);
      expect(soup(positions, triangles)).toEqual(soup(attributes.position.array, index!.array));
    }
  }
});
