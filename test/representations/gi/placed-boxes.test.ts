/** What is placed for the kernel holds its vertices: every node of an image by ball, slab and box, by the definition. */
import { describe, expect, test } from 'vitest';
import { kernelMemory } from '../../../src/kernels/memory.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { placeImage } from '../../../src/representations/gi/search/kernel.ts';
import {
  ACROSS,
  ALONG,
  BLOCK_BYTES,
  BLOCKS,
  CENTRES,
  CHART_BYTES,
  CHARTS,
  FIRST_BLOCK,
  HALVES,
  NORMALS,
  RADII,
  SIDES,
} from '../../../src/representations/gi/search/layout.as.ts';
import { chartsOf, type GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { type Grid, sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { buildSphereTree } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { squareImage } from '../../support/gi.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, randomTriangles, torus } from '../../support/shapes.ts';

const cross = (a: number[], b: number[]) =>
  [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);
const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const unit = (a: number[]) => a.map((x) => x / Math.sqrt(dot(a, a)));

/** Moves bit i to 2 i. */
const spread = (bits: number): number => [...bits.toString(2)].reduce((sum, bit) => 4 * sum + Number(bit), 0);

/** How much larger than its vertices ask for each node's box is at most, of its radius; throws where one is smaller. */
function slackOfBoxes(image: GeometryImage): number {
  const record = placeImage(image);
  const buffer = kernelMemory()!.memory.buffer;
  const [blocks, charts] = [BLOCKS, CHARTS].map((at) => new Uint32Array(buffer, record + at, 1)[0]);
  let most = 0;
  let chart = 0;
  for (const { exponent, geometry } of chartsOf(image)) {
    const first = new Uint32Array(buffer, charts + CHART_BYTES * chart++ + FIRST_BLOCK, 1)[0];
    for (let level = 1; level <= exponent; level++) {
      for (let i = 0; i < 4 ** level; i++) {
        const [row, column] = [i >> level, i & ((1 << level) - 1)];
        const slot = 4 * (first + (4 ** (level - 1) - 1) / 3) + 2 * spread(row) + spread(column);
        const at = blocks + BLOCK_BYTES * (slot >> 2) + 4 * (slot & 3);
        const number = (offset: number) => new Float32Array(buffer, at + offset, 1)[0];
        const vector = (offset: number) => [0, 16, 32].map((k) => number(offset + k));
        const found = [0, 0, 0, 0];
        const [centre, normal, side] = [vector(CENTRES), unit(vector(NORMALS)), unit(vector(SIDES))];
        expect(Math.abs(dot(normal, side))).toBeLessThan(2 ** -21);
        const axes = [normal, side, cross(normal, side)];
        const [size, span] = [sizeOf(exponent), 1 << (exponent - level)];
        for (let k = 0; k < (span + 1) ** 2; k++) {
          const v = (row * span + Math.floor(k / (span + 1))) * size + column * span + (k % (span + 1));
          const off = [0, 1, 2].map((a) => geometry[3 * v + a] - centre[a]);
          found[3] = Math.max(found[3], Math.sqrt(dot(off, off)));
          for (let a = 0; a < 3; a++) found[a] = Math.max(found[a], Math.abs(dot(off, axes[a])));
        }
        const stored = [HALVES, ALONG, ACROSS, RADII].map(number);
        for (let a = 0; a < 4; a++) {
          if (found[a] > stored[a]) throw new Error(`level ${level}, row ${row}, column ${column}: ${a} is too small`);
        }
        for (let a = 1; a < 3; a++) if (stored[3] > 0) most = Math.max(most, (stored[a] - found[a]) / stored[3]);
      }
    }
  }
  return most;
}

describe('boxes hold their vertices, and little more', () => {
  test.each(some(1, [1, 2, 3]))(
    'a bumpy sphere, charts, loose triangles, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const meshes = [bumpySphere(seed, 1), torus(12, 6), randomTriangles(seed, 9)];
      for (const mesh of meshes) expect(slackOfBoxes(buildGeometryImage(mesh, { size: 17 }))).toBeLessThan(2 ** -18);
    },
  );

  test.each(some(2, [4, 5, 6, 7]))('noise, flat, in lines and points, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(seed);
    const grid: Grid = { origin: Float64Array.of(1, -2, 3), step: 2 ** -12 };
    const values: ((k: number, row: number, column: number) => number)[] = [
      () => random.below(65536),
      (k) => (k === seed % 3 ? 65535 : random.below(65536)),
      (k) => (k === seed % 3 ? random.below(65536) : 7),
      (k, row) => (k === seed % 3 ? 4000 * row : 7),
      (_, row, column) => (row === 8 && column === 8 ? 65535 : 7),
      () => 65535,
    ];
    for (const value of values) {
      const geometry = Uint16Array.from({ length: 3 * 17 * 17 }, (_, i) =>
        value(i % 3, Math.floor(i / 51), Math.floor(i / 3) % 17),
      );
      const image = squareImage({ exponent: 4, ...grid, geometry, tree: buildSphereTree(geometry, 4, grid) });
      expect(slackOfBoxes(image)).toBeLessThan(2 ** -18);
    }
  });
});
