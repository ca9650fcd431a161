/** Winding numbers against sums of solid angles, and their promise for points on the surface and rays through corners. */
import { expect, test } from 'vitest';
import { windingNumber } from '../../src/lint/winding.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, tetrahedron, torus } from '../support/shapes.ts';

/** A. van Oosterom, J. Strackee, 1983: the solid angle of each triangle, summed up, of 4 pi. */
function windingByAngles({ positions, triangles }: Surface, point: number[]): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => point.map((x, axis) => positions[3 * triangles[t + k] + axis] - x));
    const dot = (u: number[], v: number[]): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const [la, lb, lc] = [a, b, c].map((u) => Math.sqrt(dot(u, u)));
    const cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    sum += 2 * Math.atan2(dot(a, cross), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (4 * Math.PI);
}

function windingOf({ positions, triangles }: Surface, point: readonly number[]): number {
  const all = Uint32Array.from({ length: triangles.length / 3 }, (_, t) => t);
  return windingNumber(Float64Array.of(...positions, ...point), positions.length, triangles, all);
}

test.each([
  ['box', box()],
  ['tetrahedron', tetrahedron()],
  ['bumpy ball', bumpySphere(1, 2)],
  ['torus', torus(10, 6)],
])('of a %s, seed 3', (_, mesh) => {
  const random = seeded(3);
  for (let i = 0; i < 60; i++) {
    const point = [0, 1, 2].map(() => random.between(-1.3, 1.3));
    expect(windingOf(mesh, point)).toBeCloseTo(windingByAngles(mesh, point), 6);
    const turned = { ...mesh, triangles: mesh.triangles.toReversed() };
    expect(windingOf(turned, point)).toBeCloseTo(-windingByAngles(mesh, point), 6);
  }
});

test('on a grid through corners and edges, and on the surface itself it is one or none', () => {
  const unit = box(2);
  for (let i = 0; i < 125; i++) {
    const point = [i % 5, Math.floor(i / 5) % 5, Math.floor(i / 25)].map((x) => x - 2);
    const most = Math.max(...point.map(Math.abs));
    const winding = windingOf(unit, point);
    if (most !== 1) expect(winding, point.join()).toBe(most < 1 ? 1 : 0);
    else expect([0, 1]).toContain(winding);
  }
  // What is moved by (d^3, d, d^2): within exactly where y and z grow inwards, and x where it counts.
  expect([-1, 1].map((y) => windingOf(unit, [0, y, 0]))).toEqual([1, 0]);
  expect([-1, 1].map((z) => windingOf(unit, [0, 0, z]))).toEqual([1, 0]);
  expect([-1, 1].map((x) => windingOf(unit, [x, 0, 0]))).toEqual([1, 0]);
});
