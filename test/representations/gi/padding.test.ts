/** Images of any width and height, which others wrote: padded to a square of which only they are seen. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { FormatError } from '../../../src/base/errors.ts';
import type { PixelPage } from '../../../src/containers/pixels.ts';
import { sharpCodec } from '../../../src/containers/pixels-sharp.ts';
import { utifCodec } from '../../../src/containers/pixels-utif.ts';
import { check } from '../../../src/engine/prepared.ts';
import { updateInPlace } from '../../../src/engine/update.ts';
import { compose, identity, translation } from '../../../src/math/pose.ts';
import { measureSurface } from '../../../src/mesh/measure.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { wholeOf } from '../../../src/mesh/topology.ts';
import { writeObj, writeObjPieces } from '../../../src/readers/obj/obj.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../../src/representations/gi/format/codec.ts';
import { gi } from '../../../src/representations/gi/index.ts';
import { countsOf, type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { piecesOfImage } from '../../../src/representations/gi/tree/image-pieces.ts';
import { subsample } from '../../../src/representations/gi/tree/subsample.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { buildTiff } from '../../containers/tiff-fixture.ts';
import { expectAgreement, nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';

/** A file of one uncompressed page, by nobody we know. */
function plainFile({ width, height, samples }: Omit<PixelPage, 'channels'>): Uint8Array {
  const data = new Uint8Array(samples.slice().buffer);
  const entries = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, [16, 16, 16]],
    [259, 3, [1]],
    [262, 3, [2]],
    [277, 3, [3]],
    [278, 4, [height]],
  ] as const;
  return buildTiff([{ entries: [...entries], data }]).bytes;
}

/** A bumpy sheet, or noise. */
function sheet(seed: number, width: number, height: number): Omit<PixelPage, 'channels'> {
  const random = seeded(seed);
  const samples = new Uint16Array(3 * width * height);
  const [p, q] = [random.between(0.1, 0.9), random.between(0.1, 0.9)];
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const bump = 9000 * (1 + Math.sin(p * row) * Math.cos(q * column)) + random.below(2000);
      samples.set([(60000 * column) / (width - 1), (60000 * row) / (height - 1), bump], 3 * (row * width + column));
    }
  return { width, height, samples };
}

interface Plain {
  image: GeometryImage;
  page: Omit<PixelPage, 'channels'>;
}

async function plain(seed: number, width: number, height: number): Promise<Plain> {
  const page = sheet(seed, width, height);
  return { image: (await decodeGeometryImage(plainFile(page), sharpCodec)).asset, page };
}

/**
 * The mesh of the stored samples alone, each quad cut along its shorter diagonal, of every `stride`-th row and column and the last
 * ones; and the numbers that the image gives its triangles.
 */
function meshOf({ image, page: { width, height, samples } }: Plain, stride = 1): Surface & { numbers: number[] } {
  const [rows, columns] = [height, width].map((count) => [
    ...Array.from({ length: Math.ceil((count - 1) / stride) }, (_, i) => i * stride),
    count - 1,
  ]);
  const positions = Float64Array.from(
    rows.flatMap((row) =>
      columns.flatMap((column) =>
        [0, 1, 2].map((k) => image.origin[k] + samples[3 * (row * width + column) + k] * image.step),
      ),
    ),
  );
  const at = (v: number): number[] => {
    const [row, column] = [rows[Math.floor(v / columns.length)], columns[v % columns.length]];
    return [...samples.subarray(3 * (row * width + column), 3 * (row * width + column) + 3)];
  };
  const squared = (u: number, v: number): number => at(u).reduce((sum, x, k) => sum + (x - at(v)[k]) ** 2, 0);
  const triangles: number[] = [];
  const numbers: number[] = [];
  const across = (sizeOf(image.groups[0].exponent) - 1) / stride;
  for (let row = 0; row < rows.length - 1; row++) {
    for (let column = 0; column < columns.length - 1; column++) {
      const a = row * columns.length + column;
      const [b, c, d] = [a + 1, a + columns.length, a + columns.length + 1];
      triangles.push(...(squared(a, d) <= squared(b, c) ? [a, d, c, a, b, d] : [a, b, c, b, d, c]));
      numbers.push(2 * (row * across + column), 2 * (row * across + column) + 1);
    }
  }
  return { positions, triangles: Uint32Array.from(triangles), numbers };
}

const sizes: [number, number][] = [
  [12, 7],
  [3, 40],
  [17, 16],
  [2, 2],
  [18, 33],
  [5, 5],
  [64, 64],
  [2, 300],
  [100, 3],
];

describe.each(some(5, sizes))('%i x %i', (width, height) => {
  test('samples are the file’s, bit for bit; what is beyond repeats the last', { tags: ['all', 'long'] }, async () => {
    const { image, page } = await plain(1, width, height);
    const { exponent, geometry } = image.groups[0];
    const size = sizeOf(exponent);
    expect(size).toBeGreaterThanOrEqual(Math.max(width, height));
    expect(exponent === 0 || sizeOf(exponent - 1) < Math.max(width, height)).toBe(true);
    const isOther = geometry.findIndex((sample, i) => {
      const [row, column] = [Math.floor(i / 3 / size), Math.floor(i / 3) % size];
      return sample !== page.samples[3 * (Math.min(row, height - 1) * width + Math.min(column, width - 1)) + (i % 3)];
    });
    expect(isOther).toBe(-1);
    expect(image.stored).toEqual(size === width && size === height ? null : { width, height });
    expect((await decodeGeometryImage(plainFile(page), utifCodec)).asset).toEqual(image);
    expect(verifyGeometryImage(image).problems).toEqual([]);
  });

  test('counts, box, area and file are those of its samples’ mesh', { tags: ['quick', 'long'] }, async () => {
    const found = await plain(2, width, height);
    const mesh = meshOf(found);
    const vertices = width * height;
    const triangles = 2 * (width - 1) * (height - 1);
    expect(countsOf(found.image)).toEqual({ vertices, triangles });
    expect(await gi.describe(found.image, null)).toMatchObject({ vertices, triangles });
    const { area, openEdges, shells } = measureSurface(mesh);
    const measured = measureSurface(wholeOf(piecesOfImage(found.image)));
    expect(measureSurface(toMesh(found.image)).openEdges).toBe(openEdges);
    expect(measured.area).toBeCloseTo(area, 12);
    expect([measured.openEdges, measured.shells]).toEqual([openEdges, shells]);
    let text = '';
    for await (const piece of writeObjPieces(piecesOfImage(found.image), '')) text += piece;
    expect(text).toBe(new TextDecoder().decode(writeObj(mesh, '')));
  });

  test.each(some(1, [3, 4, 5]))(
    'verdicts, lists and distances are those of that mesh, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const random = seeded(seed);
      const [a, b] = [await plain(seed, width, height), await plain(seed + 10, 9, 13)];
      const [meshA, meshB] = [meshOf(a), meshOf(b)];
      const poseA = compose(translation(0.1, 0.2, -0.3), randomRotation(random));
      const start = compose(translation(0.1, 0.2, -0.3), randomRotation(random));
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(a.image, b.image, poseA, start, direction);
      for (const poseB of [inside, outside, shifted(start, direction, random.between(0, 0.5))]) {
        const pairs = bruteForce(meshA, poseA, meshB, poseB);
        const numbered = pairs.map(([p, q]): [number, number] => [meshA.numbers[p], meshB.numbers[q]]);
        expectAgreement(a.image, b.image, poseA, poseB, numbered);
      }
      const far = shifted(start, direction, 3);
      const trees = [meshA, meshB].map((mesh) => buildObbTree({ ...mesh, groups: [] }));
      const wanted = check(trees[0], trees[1], { poseA, poseB: far, distance: true }).distance!;
      expect(check(a.image, b.image, { poseA, poseB: far, distance: true }).distance).toBeCloseTo(wanted, 10);
      expect(check(a.image, trees[1], { poseA, poseB: far, distance: true }).distance).toBeCloseTo(wanted, 10);
    },
  );
});

test.each(some(2, [21, 22, 23, 24]))(
  'subsampled, the last row and column stay, seed %i',
  { tags: ['quick', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const [a, b] = [await plain(seed, 23, 14), await plain(seed + 10, 33, 20)];
    for (const [m, k] of long
      ? [
          [1, 2],
          [2, 3],
          [4, 5],
        ]
      : [[3, 3]]) {
      const [meshA, meshB] = [meshOf(a, 2 ** (5 - m)), meshOf(b, 2 ** (5 - k))];
      const [coarseA, coarseB] = [subsample(a.image, m), subsample(b.image, k)];
      expect(countsOf(coarseA).triangles).toBe(meshA.triangles.length / 3);
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(coarseA, coarseB, identity(), randomRotation(random), direction);
      for (const poseB of [inside, outside]) {
        const pairs = bruteForce(meshA, identity(), meshB, poseB);
        const numbered = pairs.map(([p, q]): [number, number] => [meshA.numbers[p], meshB.numbers[q]]);
        expectAgreement(coarseA, coarseB, identity(), poseB, numbered);
      }
    }
  },
);

test('moved, or written, it is a square: what was padding is seen', async () => {
  const { image } = await plain(31, 12, 7);
  const { positions } = toMesh(image);
  const square = structuredClone(image);
  updateInPlace(
    square,
    positions.map((x) => 2 * x),
  );
  expect(square.stored).toBeNull();
  const written = (await decodeGeometryImage(await encodeGeometryImage(image, sharpCodec), sharpCodec)).asset;
  expect(written.stored).toBeNull();
  expect(written.groups[0].geometry).toEqual(image.groups[0].geometry);
});

test.each([
  [1, 1],
  [1, 300],
  [300, 1],
  [2, 65535],
  [8194, 2],
  [2, 4000],
  [0, 0],
  [5, 0],
])('%i x %i is refused in a line', async (width, height) => {
  const samples = new Uint16Array(3 * Math.max(1, width * height));
  const found = decodeGeometryImage(plainFile({ width, height, samples }), sharpCodec);
  await expect(found).rejects.toThrow(FormatError);
  await expect(found).rejects.toThrow(/^[^\n]+$/);
});
