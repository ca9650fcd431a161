/** Doubles near ratios of whole numbers. */
import { expect, test } from 'vitest';
import { exactPoint, ratio } from '../../src/geometry/exact-point.ts';

test('the double near a ratio is near it, or is not known', () => {
  for (const power of [0n, 10n, 900n, 1020n, 1030n, 3000n]) {
    const under = (3n << power) + 1n;
    for (const [times, by] of [
      [1n, 4n],
      [-7n, 1n],
      [1n, 1024n],
      [5n, 3n],
    ]) {
      const about = ratio((under * times) / by, under);
      // Of small numbers the division above loses the rest.
      if (power > 60n) expect(Math.abs(about - Number(times) / Number(by)), `2^${power}`).toBeLessThan(1e-13);
    }
  }
  expect(ratio(0n, 1n << 2000n)).toBe(0);
  // What is too small to be near, and too large.
  expect(ratio(1n, 1n << 2000n)).toBeNaN();
  expect(ratio(1n << 2000n, 1n)).toBeNaN();
});

test('a point of numbers beyond the doubles is where they say', () => {
  const W = 1n << 1025n;
  const { x, y, z, error } = exactPoint(W / 4n, -W / 2n, 3n * W, W, 0);
  expect([x, y, z]).toEqual([0.25, -0.5, 3]);
  expect(error).toBeLessThan(1e-14);
});
