/** Charts' farthest vertices, and samples for them. */
import { expect, test } from 'vitest';
import { allocate, type Demand } from '../../../../src/representations/gi/make/charts/allocate.ts';
import { farthestVertex } from '../../../../src/representations/gi/make/charts/outliers.ts';
import { sampleChart } from '../../../../src/representations/gi/make/charts/sampled-chart.ts';

/** A square of n x n quads with one vertex raised. */
function withSpike(n: number, row: number, column: number, height: number) {
  const side = n + 1;
  const positions = new Float64Array(3 * side * side);
  const places: number[] = [];
  const triangles: number[] = [];
  for (let v = 0; v < side * side; v++) {
    positions[3 * v] = (v % side) / n;
    positions[3 * v + 1] = Math.floor(v / side) / n;
  }
  positions[3 * (row * side + column) + 2] = height;
  const add = (...corners: number[]): void => {
    for (const v of corners) places.push(2 * positions[3 * v] - 1, 2 * positions[3 * v + 1] - 1);
    triangles.push(...corners);
  };
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const a = i * side + j;
      add(a, a + 1, a + side + 1);
      add(a, a + side + 1, a + side);
    }
  }
  const source = Int32Array.from({ length: triangles.length / 3 }, (_, t) => t);
  return { positions, triangles, corners: Float64Array.from(places), folded: false, source };
}

test('a spike between samples is as far as it is high, and 0 once it is a sample', () => {
  const source = withSpike(16, 5, 7, 0.25);
  const at = (exponent: number): number => {
    const { positions } = sampleChart(source, 2 ** exponent + 1);
    return farthestVertex({ exponent, positions, normals: positions, source });
  };
  expect(at(2)).toBe(0.25);
  expect(at(3)).toBe(0.25);
  expect(at(4)).toBe(0);
});

test('a doubling asked for is one more than the cost gets, whatever the budget', () => {
  const demands = Array.from({ length: 40 }, (): Demand => ({ cost: 1, negligible: 0, smallest: 0 }));
  const more = demands.map((demand, i) => (i === 3 ? { ...demand, doublings: 1 } : demand));
  for (const samples of [4000, 16_000, 64_000]) {
    expect(allocate(more, samples)[3]).toBe(Math.max(...allocate(demands, samples)) + 1);
  }
});
