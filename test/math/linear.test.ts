/** Eigenvectors by their definition. */
import { describe, expect, test } from 'vitest';
import { symmetricEigen } from '../../src/math/linear.ts';
import { seeded } from '../support/random.ts';

describe('symmetricEigen', () => {
  test.each([1, 2])('A v = lambda v, vectors orthonormal and right-handed, seed %i', { tags: ['all'] }, (seed) => {
    const random = seeded(seed);
    const values = new Float64Array(3);
    const v = new Float64Array(9);
    for (let i = 0; i < 2000; i++) {
      const size = 10 ** random.between(-12, 12);
      const [a, b, c, d, e, f] = Array.from({ length: 6 }, () =>
        random.below(5) === 0 ? 0 : size * random.between(-1, 1),
      );
      const m = [a, b, c, b, d, e, c, e, f];
      symmetricEigen(m, values, v);
      for (let r = 0; r < 3; r++) {
        for (let n = 0; n < 3; n++) {
          const product = m[3 * n] * v[3 * r] + m[3 * n + 1] * v[3 * r + 1] + m[3 * n + 2] * v[3 * r + 2];
          expect(Math.abs(product - values[r] * v[3 * r + n])).toBeLessThanOrEqual(1e-14 * size * 4);
        }
        for (let q = 0; q < 3; q++) {
          const dot = v[3 * r] * v[3 * q] + v[3 * r + 1] * v[3 * q + 1] + v[3 * r + 2] * v[3 * q + 2];
          expect(Math.abs(dot - (r === q ? 1 : 0))).toBeLessThan(1e-14);
        }
      }
      const det =
        v[0] * (v[4] * v[8] - v[5] * v[7]) - v[1] * (v[3] * v[8] - v[5] * v[6]) + v[2] * (v[3] * v[7] - v[4] * v[6]);
      expect(det).toBeGreaterThan(0.999);
    }
  });
});
