/** How high a point of a cell can be below roofs, against mixtures at random. */
import { expect, test } from 'vitest';
import { Random } from '../../src/math/numbers.ts';
import { MOST_CORNERS, MOST_ROOFS, Roof } from '../../src/solid/convex-cell.ts';

const seeds = Array.from({ length: 5 }, (_, k) => k + 1);

test.each(seeds)(
  'no mixture of corners is higher below all roofs than the bound, and one is as high, seed %i',
  { tags: ['all'] },
  (seed) => {
    const random = new Random(seed);
    const roof = new Roof();
    for (let n = 0; n < 50; n++) {
      roof.roofs = 1 + (random.integer() % MOST_ROOFS);
      roof.corners = 1 + (random.integer() % MOST_CORNERS);
      const scale = 10 ** ((random.integer() % 13) - 6);
      const heights: number[][] = [];
      for (let i = 0; i < roof.roofs; i++) {
        heights.push([]);
        for (let v = 0; v < roof.corners; v++) {
          heights[i][v] = scale * (random.unit() - (n % 2) / 2);
          roof.heights[MOST_CORNERS * i + v] = heights[i][v];
        }
      }
      const leastOf = (mixture: ArrayLike<number>): number => {
        let least = Number.POSITIVE_INFINITY;
        for (const row of heights)
          least = Math.min(
            least,
            row.reduce((sum, height, v) => sum + mixture[v] * height, 0),
          );
        return least;
      };
      const bound = roof.solve();
      let most = Number.NEGATIVE_INFINITY;
      for (let m = 0; m < 30; m++) {
        const parts = Array.from({ length: roof.corners }, () => random.unit() ** (1 + (m % 8)));
        const sum = parts.reduce((total, part) => total + part, 0);
        most = Math.max(most, leastOf(parts.map((part) => part / sum)));
      }
      expect(most).toBeLessThanOrEqual(bound + 1e-15 * scale);
      const best = roof.ofCorners.slice(0, roof.corners);
      expect(Math.min(...best)).toBeGreaterThanOrEqual(0);
      expect(best.reduce((total, part) => total + part, 0)).toBeCloseTo(1, 12);
      expect(leastOf(best)).toBeGreaterThan(bound - 1e-8 * scale);
    }
  },
);

test('between two planes that face each other it is as high as both, and without roofs there is no bound', () => {
  const roof = new Roof();
  roof.corners = 2;
  expect(roof.solve()).toBe(Number.POSITIVE_INFINITY);
  roof.roofs = 2;
  roof.heights.set([0, 4], 0);
  roof.heights.set([4, 0], MOST_CORNERS);
  expect(roof.solve()).toBeCloseTo(2, 9);
});
