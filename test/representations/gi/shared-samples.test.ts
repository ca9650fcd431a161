/** What a fit may move, and what it must move as one: seams, folds, borders, single triangles. */
import { expect, test } from 'vitest';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import { fitSamples } from '../../../src/representations/gi/make/fit.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { shareSamples } from '../../../src/representations/gi/make/shared-samples.ts';
import { toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { some } from '../../support/long.ts';
import { torus, without } from '../../support/shapes.ts';

/** A square of samples, the first at (x, 0), `step` apart, `height` above each place. */
function square(x: number, step: number, height: (x: number, y: number) => number, size = 5) {
  const positions = new Float64Array(3 * size * size);
  for (let g = 0; g < size * size; g++) {
    const [u, v] = [x + step * (g % size), step * Math.floor(g / size)];
    positions.set([u, v, height(u, v)], 3 * g);
  }
  return { size, positions, folded: false };
}

test('samples where two charts meet are one; those on the border stay', () => {
  const [left, right] = [square(0, 1, () => 0), square(4, 1, () => 0)];
  const { first, owner, stays } = shareSamples([left, right]);
  expect(Array.from(first)).toEqual([0, 25, 50]);
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 5; column++) {
      const g = 5 * row + column;
      expect(owner[g]).toBe(g);
      expect(owner[25 + g]).toBe(column === 0 ? g + 4 : 25 + g);
      const onBorder = row === 0 || row === 4;
      expect(stays[g]).toBe(onBorder || column === 0 ? 1 : 0);
      if (column > 0) expect(stays[25 + g]).toBe(onBorder || column === 4 ? 1 : 0);
    }
  }
});

test('a side that repeats samples shares them with one that has fewer', () => {
  const fine = square(4, 1, () => 0);
  for (const row of [1, 3]) fine.positions.copyWithin(15 * row, 15 * (row - 1), 15 * (row - 1) + 3);
  const coarse = square(0, 2, () => 0, 3);
  const { owner, stays } = shareSamples([coarse, fine]);
  expect([0, 5, 10, 15, 20].map((g) => owner[9 + g])).toEqual([2, 2, 5, 5, 8]);
  expect([2, 5, 8].map((g) => stays[g])).toEqual([1, 0, 1]);
});

test('what a chart of one quad holds stays', () => {
  const quad = square(4, 4, () => 0, 2);
  const { owner, stays } = shareSamples([square(0, 1, () => 0), quad]);
  expect(Array.from(owner)).toEqual(Array.from({ length: 29 }, (_, g) => g));
  expect([4, 24, 25, 26, 27, 28].map((g) => stays[g])).toEqual([1, 1, 0, 1, 0, 1]);
});

test('two charts of a hill are fitted as one surface: the seam moves, and stays a seam', () => {
  const hill = (x: number, y: number) => 0.1 * (x * (8 - x) + y * (4 - y));
  const make = () =>
    [0, 4].map((x) => ({
      ...square(x, 1, hill),
      fine: { ...square(x, 0.25, hill, 17), normals: new Float64Array(0), triangle: new Int32Array(0) },
    }));
  const [left, right] = make();
  fitSamples([left, right], () => [new Uint8Array(16), new Uint8Array(16)]);
  for (let row = 0; row < 5; row++) {
    const [a, b] = [left.positions.subarray(15 * row + 12, 15 * row + 15), right.positions.subarray(15 * row)];
    expect(Array.from(a)).toEqual(Array.from(b.subarray(0, 3)));
    // A hill lies above its chords: samples rise, but for those on the border.
    if (row === 0 || row === 4) expect(a[2]).toBe(hill(4, row));
    else expect(a[2]).toBeGreaterThan(hill(4, row) + 0.01);
  }
});

test.each(
  some(1, [
    ['a torus', () => torus(32, 16), 4],
    ['a torus with a hole', () => without(torus(32, 16), (t) => t < 40), 3],
  ] as const),
)(
  '%s of charts at 33: fitted by at least the decibels, and as far from its source as it says',
  { tags: ['all', 'long'] },
  (_, make, least) => {
    const mesh = make();
    const [plain, fitted] = [false, true].map((fit) => buildGeometryImage(mesh, { size: 33, charts: 'best', fit }));
    const [before, after] = [plain, fitted].map((image) => measureDeviation(mesh, toMesh(image), { samples: 5000 }));
    expect(after.psnr - before.psnr).toBeGreaterThan(least);
    expect(after.maxAB).toBeLessThanOrEqual(fitted.tolerance?.missing ?? 0);
    expect(after.maxBA).toBeLessThanOrEqual(fitted.tolerance?.excess ?? 0);
    const samples = fitted.groups.reduce((sum, { count, exponent }) => sum + count * sizeOf(exponent) ** 2, 0);
    expect(samples).toBeLessThanOrEqual(1.3 * 33 * 33);
  },
);
