/** The highest point below planes, against points at random. */
import { expect, test } from 'vitest';
import { Random } from '../../src/math/random.ts';
import { Roof } from '../../src/solid/roof.ts';

const seeds = Array.from({ length: 20 }, (_, k) => k + 1);

test.each(seeds)(
  'no point below the planes and walls is higher, and one is as high, seed %i',
  { tags: ['all'] },
  (seed) => {
    const random = new Random(seed);
    const roof = new Roof();
    for (let n = 0; n < 50; n++) {
      const walls = random.integer() % 3;
      roof.count = 1 + walls + (random.integer() % 8);
      for (let k = 0; k < 3; k++) roof.half[k] = 0.1 + random.unit();
      for (let i = 0; i < roof.count; i++) {
        roof.isWall[i] = i < walls ? 1 : 0;
        roof.heights[i] = random.unit();
        const slope = [0, 1, 2].map(() => random.unit() - 0.5);
        const length = Math.hypot(...slope);
        for (let k = 0; k < 3; k++) roof.slopes[3 * i + k] = slope[k] / length;
      }
      const heightAt = (y: ArrayLike<number>): number => {
        let least = Number.POSITIVE_INFINITY;
        for (let i = 0; i < roof.count; i++) {
          let height = roof.heights[i];
          for (let k = 0; k < 3; k++) height += roof.slopes[3 * i + k] * y[k];
          if (roof.isWall[i] === 0) least = Math.min(least, height);
          else if (height < -1e-9) return Number.NEGATIVE_INFINITY;
        }
        return least;
      };
      const bound = roof.solve();
      for (let m = 0; m < 200; m++) {
        const y = [0, 1, 2].map((k) => (2 * random.unit() - 1) * roof.half[k]);
        expect(heightAt(y)).toBeLessThanOrEqual(bound);
      }
      expect(heightAt(roof.top)).toBeGreaterThan(bound - 1e-9);
    }
  },
);

test('between two planes that face each other it is as high as both, however wide the box is', () => {
  const roof = new Roof();
  roof.half.set([1000, 1000, 3]);
  roof.count = 2;
  roof.heights.set([2, 2]);
  roof.slopes.set([0, 0, 1, 0, 0, -1]);
  expect(roof.solve()).toBeCloseTo(2, 9);
  roof.isWall[1] = 1;
  roof.heights[1] = 1;
  expect(roof.solve()).toBeCloseTo(3, 9);
});
