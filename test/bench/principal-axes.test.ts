/** Principal axes: moments by integration, boxes of known shapes. */
import { expect, test } from 'vitest';
import { MOMENTS, principalAxes, triangleAxes, triangleMoments } from '../../bench/papers/principal-axes.mjs';
import { rotation } from '../../src/math/pose.ts';
import { box } from '../support/shapes.ts';

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
  expect(triangleAxes(Float64Array.of(0, 0, 0, 1, 1, 1, 2, 2, 2), [0, 1, 2], axes)).toBe(false);
  expect(triangleAxes(Float64Array.of(0, 0, 0, 0, 3, 0, 0, 0, 1), [0, 1, 2], axes)).toBe(true);
  expect(Math.abs(axes[6])).toBe(1); // the normal
});
