/** Principal axes: eigenvectors by their definition, moments by integration, boxes of known shapes. */
import { describe, expect, test } from 'vitest';
import { MOMENTS, principalAxes, triangleAxes, triangleMoments } from '../../src/geometry/fit-obb.ts';
import { symmetricEigen } from '../../src/math/linear.ts';
import { rotation } from '../../src/math/pose.ts';
import { seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';

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

test('moments of a triangle are its integrals', () => {
  const p = Float64Array.of(1, 2, 3, 4, 0, -1, -2, 5, 2);
  const [area, ...m] = triangleMoments(p, Uint32Array.of(0, 1, 2));
  // A fine midpoint rule over the barycentric coordinates.
  const n = 400;
  const sums = new Float64Array(9);
  let weight = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n - i; j++) {
      for (const third of i + j < n - 1 ? [1, 2] : [1]) {
        const [u, w] = [(i + third / 3) / n, (j + third / 3) / n];
        const x = [0, 1, 2].map((k) => p[k] + u * (p[3 + k] - p[k]) + w * (p[6 + k] - p[k]));
        [x[0], x[1], x[2], x[0] * x[0], x[0] * x[1], x[0] * x[2], x[1] * x[1], x[1] * x[2], x[2] * x[2]].forEach(
          (f, k) => {
            sums[k] += f;
          },
        );
        weight++;
      }
    }
  }
  m.forEach((value, k) => {
    expect(Math.abs(value - (area * sums[k]) / weight)).toBeLessThan(1e-3 * Math.abs(value) + 1e-3);
  });
});

test('a brick has its own axes, however it is turned and cut', () => {
  const mesh = box(1, 2, 5);
  for (const degrees of [0, 17, 90, 133]) {
    const turn = rotation(1, 2, 3, degrees);
    const positions = new Float64Array(mesh.positions.length);
    for (let v = 0; v < positions.length; v += 3) {
      for (let n = 0; n < 3; n++) {
        positions[v + n] = [0, 1, 2].reduce((sum, k) => sum + turn[4 * n + k] * mesh.positions[v + k], 0);
      }
    }
    const moments = triangleMoments(positions, mesh.triangles);
    const sum = new Float64Array(MOMENTS);
    moments.forEach((value, i) => {
      sum[i % MOMENTS] += value;
    });
    const axes = new Float64Array(9);
    expect(principalAxes(sum, axes)).toBe(true);
    for (let axis = 0; axis < 3; axis++) {
      const column = [turn[axis], turn[4 + axis], turn[8 + axis]];
      const dots = [0, 3, 6].map((k) =>
        Math.abs(column[0] * axes[k] + column[1] * axes[k + 1] + column[2] * axes[k + 2]),
      );
      expect(Math.max(...dots)).toBeGreaterThan(1 - 1e-9);
    }
  }
});

test('what has no area has no axes of its own', () => {
  const axes = new Float64Array(9);
  expect(principalAxes(new Float64Array(MOMENTS), axes)).toBe(false);
  expect([...axes]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  expect(triangleAxes(Float64Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2), 0, 1, 2, axes)).toBe(false);
  expect(triangleAxes(Float64Array.of(0, 0, 0, 0, 3, 0, 0, 0, 1), 0, 1, 2, axes)).toBe(true);
  expect(Math.abs(axes[6])).toBe(1); // the normal
});
