/** Normals at corners: against all pairs of faces at a vertex, at creases, and without an area. */
import { expect, test } from 'vitest';
import { cornerNormals } from '../../src/mesh/corner-normals.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, octasphere } from '../support/shapes.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Unit normals and areas of all faces. */
function facesOf({ positions, triangles }: Mesh) {
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    const [a, b, c] = [...triangles.subarray(3 * t, 3 * t + 3)].map((v) => [...positions.subarray(3 * v, 3 * v + 3)]);
    const [u, v] = [b, c].map((p) => p.map((x, k) => x - a[k]));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...n);
    return { normal: n.map((x) => x / size), area: size };
  });
}

test.each([71, 72])('bumpy sphere, seed %i: means over the faces near the own one', (seed) => {
  const mesh = bumpySphere(seed, 2);
  const faces = facesOf(mesh);
  const normals = cornerNormals(mesh.positions, mesh.triangles);
  mesh.triangles.forEach((vertex, corner) => {
    const own = faces[Math.floor(corner / 3)];
    const sum = [0, 0, 0];
    mesh.triangles.forEach((other, at) => {
      const { normal, area } = faces[Math.floor(at / 3)];
      const weight = area * Math.max(0, cosine(normal, own.normal) - Math.cos(Math.PI / 12));
      if (other === vertex) for (let k = 0; k < 3; k++) sum[k] += weight * normal[k];
    });
    const found = normals.subarray(3 * corner, 3 * corner + 3);
    expect(cosine(sum, found) / Math.hypot(...sum)).toBeGreaterThan(1 - 1e-5);
  });
});

test('a box has the normals of its faces', () => {
  const mesh = box(1, 2, 3);
  const faces = facesOf(mesh);
  const normals = cornerNormals(mesh.positions, mesh.triangles);
  for (let c = 0; c < mesh.triangles.length; c++)
    expect([...normals.subarray(3 * c, 3 * c + 3)].map((x) => x + 0)).toEqual(
      faces[Math.floor(c / 3)].normal.map((x) => x + 0),
    );
});

test('a smooth sphere has those of the sphere', () => {
  const { positions, triangles } = octasphere(4);
  const normals = cornerNormals(positions, triangles);
  triangles.forEach((v, c) => {
    const p = positions.subarray(3 * v, 3 * v + 3);
    expect(cosine(p, normals.subarray(3 * c, 3 * c + 3)) / Math.hypot(...p)).toBeGreaterThan(Math.cos(0.05));
  });
});

test('triangles without an area have the normals of those beside them', () => {
  // 1 lies on the edge from 0 to 2; the last triangle is alone.
  const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 2, 0, 9, 9, 9, 8, 8, 8, 7, 7, 7);
  const normals = cornerNormals(positions, Uint32Array.of(0, 2, 3, 0, 1, 2, 4, 5, 6));
  expect([...normals.subarray(0, 18)].map((x) => x + 0)).toEqual([0, 1, 2, 3, 4, 5].flatMap(() => [0, 0, 1]));
  expect(normals.subarray(18).every((x) => x === 0)).toBe(true);
});

test.skipIf(!countsSteps)('thousands of faces around a vertex take a few steps each, seed 73', () => {
  const random = seeded(73);
  const count = 6000;
  const points = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const angle = (2 * Math.PI * i) / count;
    points.push(Math.cos(angle), Math.sin(angle), random.between(-1, 1));
  }
  const triangles = Uint32Array.from({ length: 3 * count }, (_, c) => {
    const i = Math.floor(c / 3);
    return [0, i + 1, ((i + 1) % count) + 1][c % 3];
  });
  const positions = Float64Array.from(points);
  const steps = stepsOf(() => expect(cornerNormals(positions, triangles).every(Number.isFinite)).toBe(true));
  expect(steps).toBeLessThan(300 * triangles.length);
});
