/** Winding numbers against sums of solid angles, and what they are of points on the surface. */
import { expect, test } from 'vitest';
import { pointAt } from '../../src/geometry/exact-point.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { type Winding, windingOfTriangles } from '../../src/solid/winding.ts';
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

function windingOf(surface: Surface, point: readonly number[]): Winding | null {
  const all = Uint32Array.from({ length: surface.triangles.length / 3 }, (_, t) => t);
  return windingOfTriangles(surface, [all], pointAt(point, 0));
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
    const turned = { ...mesh, triangles: mesh.triangles.toReversed() };
    for (const [surface, sign] of [
      [mesh, 1],
      [turned, -1],
    ] as const) {
      const { ahead, behind } = windingOf(surface, point)!;
      expect(ahead).toBeCloseTo(sign * windingByAngles(mesh, point), 6);
      expect(behind).toBe(ahead);
    }
  }
});

test('on a grid through corners and edges: on the surface it is one on one side and none on the other, or a border', () => {
  const unit = box(2);
  for (let i = 0; i < 125; i++) {
    const point = [i % 5, Math.floor(i / 5) % 5, Math.floor(i / 25)].map((x) => x - 2);
    const sizes = point.map(Math.abs);
    const most = Math.max(...sizes);
    const winding = windingOf(unit, point);
    // Edges, corners, and the middles of faces, which are on the diagonals of their squares.
    if (most === 1) expect(winding, point.join()).toBe(null);
    else {
      const number = most < 1 ? 1 : 0;
      expect(winding, point.join()).toEqual({ ahead: number, behind: number, isOnTriangle: false });
    }
  }
  for (const axis of [0, 1, 2]) {
    const face = [0.25, 0.125, 0.5];
    face[axis] = 1;
    const { ahead, behind, isOnTriangle } = windingOf(unit, face)!;
    expect([ahead, behind].sort()).toEqual([0, 1]);
    expect(isOnTriangle).toBe(true);
  }
});
