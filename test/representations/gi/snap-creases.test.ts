/** Samples that move onto creases: where they go, which stay, and what a fit makes of them. */
import { expect, test } from 'vitest';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { resample } from '../../../src/representations/gi/make/resample.ts';
import { snapToCreases } from '../../../src/representations/gi/make/snap-creases.ts';
import { toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { box } from '../../support/shapes.ts';

const SIZE = 17;

/** A roof over the square: its ridge runs from one side to the opposite one, at height 1. */
function roofOf(seed: number) {
  const random = seeded(seed);
  const [left, right] = [random.between(-0.7, 0.7), random.between(-0.7, 0.7)];
  const places = [-1, -1, 1, -1, -1, left, 1, right, -1, 1, 1, 1];
  const heights = [0, 0, 1, 1, 0, 0];
  const positions = Float64Array.from(heights.flatMap((z, v) => [places[2 * v], places[2 * v + 1], z]));
  const triangles = Uint32Array.of(0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4);
  const corners = Float64Array.from(triangles, (v) => v).reduce<number[]>((all, v) => {
    all.push(places[2 * v], places[2 * v + 1]);
    return all;
  }, []);
  const source = {
    positions,
    triangles,
    corners: Float64Array.from(corners),
    folded: false,
    source: Int32Array.of(0, 1, 2, 3),
  };
  const sampled = (size: number) => resample(positions, triangles, source, size);
  // Each slope is two triangles, of planes z = 0 on a rim or through one of its corners.
  const heightAt = (x: number, y: number): number => {
    const across = (x + 1) / 2;
    const ridge = left + across * (right - left);
    if (y < ridge) return y < across * (right + 1) - 1 ? (y + 1) / (right + 1) : 1 - (ridge - y) / (left + 1);
    return y < left + across * (1 - left) ? 1 - (y - ridge) / (1 - right) : (1 - y) / (1 - left);
  };
  return { source, sampled, left, right, heightAt };
}

test.each(
  some(
    3,
    Array.from({ length: 40 }, (_, i) => i + 1),
  ),
)(
  'a roof, seed %i: samples move onto its ridge, at every grid line that it crosses',
  { tags: ['quick', 'long'] },
  (seed) => {
    const { source, sampled, left, right } = roofOf(seed);
    const { positions } = sampled(SIZE);
    const before = positions.slice();
    const chart = { size: SIZE, positions, folded: false, fine: sampled(4 * (SIZE - 1) + 1) };
    expect(snapToCreases(source, chart)).toBe(true);
    const isOnRidge = (g: number): boolean => Math.abs(positions[3 * g + 2] - 1) < 1e-12;
    for (let row = 0; row < SIZE; row++) {
      for (let column = 0; column < SIZE; column++) {
        const g = row * SIZE + column;
        const isRim = [0, SIZE - 1].includes(row) || [0, SIZE - 1].includes(column);
        const isMoved = [0, 1, 2].some((k) => positions[3 * g + k] !== before[3 * g + k]);
        if (isMoved) expect([isRim, isOnRidge(g)], `${row}, ${column}`).toEqual([false, true]);
        const v = 3 * (4 * row * (4 * SIZE - 3) + 4 * column);
        if (isMoved) expect(chart.fine.positions.slice(v, v + 3)).toEqual(positions.slice(3 * g, 3 * g + 3));
      }
    }
    // The ridge crosses each column once, between two samples of which one has moved there.
    for (let column = 1; column < SIZE - 1; column++) {
      const y = left + (column / (SIZE - 1)) * (right - left);
      const above = Math.floor(((y + 1) / 2) * (SIZE - 1));
      const near = [above * SIZE + column, (above + 1) * SIZE + column];
      expect(near.some(isOnRidge), `column ${column}`).toBe(true);
    }
  },
);

test.each(
  some(
    3,
    Array.from({ length: 40 }, (_, i) => i + 1),
  ),
)('a roof, seed %i: the fine samples are the source where the places are', { tags: ['quick', 'long'] }, (seed) => {
  const { source, sampled, heightAt } = roofOf(seed);
  const { positions } = sampled(SIZE);
  const chart = { size: SIZE, positions, folded: false, fine: sampled(4 * (SIZE - 1) + 1) };
  snapToCreases(source, chart);
  const p = chart.fine.positions;
  let worst = 0;
  for (let i = 0; i < p.length; i += 3) worst = Math.max(worst, Math.abs(p[i + 2] - heightAt(p[i], p[i + 1])));
  expect(worst).toBeLessThan(1e-9);
});

test('a smooth surface has no creases', () => {
  const { source, sampled } = roofOf(1);
  const flat = { ...source, positions: source.positions.map((x, i) => (i % 3 === 2 ? 0.1 * x : x)) };
  const chart = { size: SIZE, positions: sampled(SIZE).positions, folded: false, fine: sampled(65) };
  expect(snapToCreases(flat, chart)).toBe(false);
});

test('a box in one square: its edges come out sharp', { tags: ['all'] }, () => {
  const mesh: Mesh = box(1, 2, 3);
  const [off, on] = (['off', 'on'] as const).map((fit) => {
    const image = buildGeometryImage(mesh, { size: 33, charts: 'one', fit });
    return measureDeviation(mesh, toMesh(image), { samples: 5000 }).psnr;
  });
  expect(on).toBeGreaterThan(off + 15);
});
