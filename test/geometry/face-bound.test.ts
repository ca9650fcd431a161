/** The foot is on the face, to the rounding that the head allows, and as near as another implementation finds it. */
import { expect, test } from 'vitest';
import { FACE, farthestSquared, finishFace } from '../../src/geometry/face-bound.ts';
import { triangleDistanceSquared } from '../../src/mesh/triangle-tree.ts';
import { seeded } from '../support/random.ts';

test.each([
  ['triangles', 1, 0],
  ['slivers', 2, 1e-4],
  ['needles', 3, 1e-9],
  ['segments', 4, 0],
])('%s, seed %i', (kind, seed, width) => {
  const random = seeded(seed);
  const face = new Float64Array(FACE);
  for (let i = 0; i < 3000; i++) {
    for (let k = 0; k < 9; k++) face[k] = random.between(-1, 1);
    if (kind !== 'triangles') {
      const s = random.between(-1, 2);
      for (let k = 0; k < 3; k++) face[6 + k] = s * face[3 + k] + width * face[6 + k];
    }
    if (kind === 'segments' && i % 3 === 0) face.fill(0, 3, 9);
    finishFace(face, 0);
    const corners = face.slice(0, 9);
    for (let k = 3; k < 9; k++) corners[k] += face[k % 3];
    const points = Float64Array.from({ length: 15 }, () => random.between(-2, 2));
    if (i % 2 === 0) for (let k = 0; k < 3; k++) points[k] = face[k] + 0.25 * face[3 + k] + 0.5 * face[6 + k];
    let most = 0;
    for (let k = 0; k < 15; k += 3) {
      most = Math.max(most, triangleDistanceSquared(corners, 0, points[k], points[k + 1], points[k + 2]));
    }
    // Slivers cost the foot some of its digits: it is never nearer, and hardly farther.
    expect(Math.sqrt(farthestSquared(points, 5, face, 0))).toBeGreaterThan(Math.sqrt(most) - 1e-8);
    expect(Math.sqrt(farthestSquared(points, 5, face, 0))).toBeLessThan(Math.sqrt(most) + 1e-5);
  }
});

test('coordinates of any size', () => {
  for (const scale of [2 ** -200, 1, 2 ** 200]) {
    const face = new Float64Array(FACE);
    face.set([0, 0, 1, 1, 0, 0, 0, 1, 0].map((x) => scale * x));
    finishFace(face, 0);
    const points = Float64Array.of(0.25, 0.25, 3, -1, 0, 1, 2, 0, 1).map((x) => scale * x);
    expect(Math.sqrt(farthestSquared(points, 1, face, 0))).toBe(2 * scale);
    expect(Math.sqrt(farthestSquared(points.subarray(3), 2, face, 0))).toBe(scale);
  }
});
