/** Spheres and slabs that WebAssembly fits are those of sphere-tree.ts and slab-tree.ts. */
import { describe, expect, test } from 'vitest';
import { kernels, whileBusy } from '../../../src/kernels/memory.ts';
import { type Grid, sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { KERNEL } from '../../../src/representations/gi/tree/kernel.generated.ts';
import { kernelFitter } from '../../../src/representations/gi/tree/kernel.ts';
import { buildSphereTrees } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';

const UNIT: Grid = { origin: new Float64Array(3), step: 1 / 65535 };
const GRIDS: Grid[] = [
  UNIT,
  { origin: Float64Array.of(1e6 + 0.1, -3e7, 1e3), step: 1e-7 },
  { origin: Float64Array.of(1e-90, 0, 0), step: 1e-100 },
];

/** Samples of `count` charts, by row, column and coordinate. */
function samplesOf(exponent: number, count: number, value: (row: number, column: number, k: number) => number) {
  const size = sizeOf(exponent);
  return Uint16Array.from({ length: 3 * size * size * count }, (_, i) => {
    const vertex = Math.floor(i / 3);
    return value(Math.floor(vertex / size), vertex % size, i % 3);
  });
}

/** Trees by the kernel and without it. */
function expectSame(geometry: Uint16Array, exponent: number, count: number, grid: Grid): void {
  const fitted = buildSphereTrees(geometry, exponent, count, grid, 'tight', kernelFitter);
  const twin = buildSphereTrees(geometry, exponent, count, grid);
  expect(fitted.radiusSteps).toEqual(twin.radiusSteps);
  expect(Buffer.compare(Buffer.from(fitted.page.buffer), Buffer.from(twin.page.buffer))).toBe(0);
  expect(Buffer.compare(Buffer.from(fitted.slabs!.buffer), Buffer.from(twin.slabs!.buffer))).toBe(0);
}

test('the kernel is there, and not while somebody else is at work', () => {
  expect(kernels(KERNEL)?.functions.fitBalls).toBeTypeOf('function');
  expect(kernels(KERNEL)?.functions.fitSlabs).toBeTypeOf('function');
  whileBusy(() => expect(kernels(KERNEL)).toBeNull());
});

describe.each(some(2, [4, 5, 6, 7]))('charts of 2^%i quads a side', (exponent) => {
  test.each(some(1, [1, 2, 3]))('noise, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(seed);
    for (const values of [65536, 40, 3, 2, 1]) {
      const geometry = samplesOf(exponent, 2, () => 65535 - random.below(values));
      for (const grid of GRIDS) expectSame(geometry, exponent, 2, grid);
    }
  });

  test.each(some(1, [4, 5, 6]))('smooth, along each axis, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(seed);
    const [a, b] = [2 + random.below(9), 2 + random.below(9)];
    const across = sizeOf(exponent);
    for (let axis = 0; axis < 3; axis++) {
      const geometry = samplesOf(exponent, 1, (row, column, k) => {
        if ((k + axis) % 3 === 0) return Math.round((65535 * row) / across);
        if ((k + axis) % 3 === 1) return Math.round((65535 * column) / across);
        return Math.round(32768 + 9000 * (Math.sin((a * row) / across) + Math.cos((b * column) / across)));
      });
      expectSame(geometry, exponent, 1, UNIT);
      // Turned inside out, normals are the opposite ones.
      expectSame(geometry.toReversed(), exponent, 1, UNIT);
    }
  });

  test('flat, in a line, in one point', { tags: ['quick', 'long'] }, () => {
    const last = 65535 >> exponent;
    for (const flat of [0, 1, 2]) {
      for (const rises of [0, 1])
        expectSame(
          samplesOf(exponent, 1, (row, column, k) => (k === flat ? 65535 : last * (k === rises ? row : column))),
          exponent,
          1,
          UNIT,
        );
    }
    expectSame(
      samplesOf(exponent, 1, (row) => last * row),
      exponent,
      1,
      UNIT,
    );
    expectSame(
      samplesOf(exponent, 1, () => 65535),
      exponent,
      1,
      UNIT,
    );
  });
});

test('several bands a level, and levels too large for one', { tags: ['all', 'long'] }, () => {
  const exponent = long ? 10 : 9;
  const random = seeded(7);
  const geometry = samplesOf(exponent, 1, (row, column, k) => [row, column, row ^ column][k] * 60 + random.below(99));
  expectSame(geometry, exponent, 1, UNIT);
});
