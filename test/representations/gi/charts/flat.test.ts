/** Few flat faces are exact and small, whatever the size; more samples never give less. */
import { describe, expect, test } from 'vitest';
import { cleanMesh } from '../../../../src/mesh/clean.ts';
import { measureDeviation } from '../../../../src/mesh/deviation.ts';
import { cutToManifold } from '../../../../src/mesh/manifold.ts';
import type { Mesh } from '../../../../src/mesh/mesh.ts';
import { flatCharts } from '../../../../src/representations/gi/make/charts/flat.ts';
import { buildGeometryImage } from '../../../../src/representations/gi/make/index.ts';
import { components } from '../../../../src/representations/gi/make/segment/regions.ts';
import { type GeometryImage, toMesh } from '../../../../src/representations/gi/tree/geometry-image.ts';
import { box, bumpySphere, grid, icosphere, mapped, openCylinder, torus, without } from '../../../support/shapes.ts';

/** A prism over a polygon whose triangles are given, 5 high. */
function prism(polygon: [number, number][], caps: number[][]): Mesh {
  const n = polygon.length;
  const positions = [0, 5].flatMap((z) => polygon.flatMap(([x, y]) => [x, y, z]));
  const triangles = caps.flatMap(([a, b, c]) => [a, c, b, n + a, n + b, n + c]);
  for (let i = 0; i < n; i++) {
    const j = (i + 1) % n;
    triangles.push(i, j, n + j, i, n + j, n + i);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

const THREE: [number, number][] = [
  [0, 0],
  [3, 0.2],
  [1, 2],
];
const PROFILE: [number, number][] = [
  [0, 0],
  [10, 0],
  [10, 2],
  [2, 2],
  [2, 6],
  [0, 6],
];
const FANNED = [
  [0, 1, 2],
  [0, 2, 3],
  [0, 3, 4],
  [0, 4, 5],
];

const samplesOf = ({ groups }: GeometryImage): number =>
  groups.reduce((sum, { count, exponent }) => sum + count * (2 ** exponent + 1) ** 2, 0);
const boundOf = ({ tolerance }: GeometryImage): number => Math.max(tolerance!.missing, tolerance!.excess);

describe.each<[string, Mesh, number]>([
  ['a box', box(1, 2, 3), 6],
  ['a prism', prism(THREE, [[0, 1, 2]]), 5],
  ['an L-profile', prism(PROFILE, FANNED), 10],
])('%s', (_, mesh, charts) => {
  test.each([17, 257])('is exact at %i, in few samples', (size) => {
    const image = buildGeometryImage(mesh, { size });
    expect(image.charts).toBe(charts);
    expect(samplesOf(image)).toBe(4 * charts);
    expect(boundOf(image)).toBeLessThan(3 * image.step);
  });
});

test('a face of many triangles is one chart, without what lies on its sides alone', () => {
  const fine = mapped(grid(8), (x, y) => [x, y, 0]);
  const image = buildGeometryImage(fine, { size: 33 });
  expect([image.charts, samplesOf(image)]).toEqual([1, 4]);
  expect(boundOf(image)).toBeLessThan(3 * image.step);
});

test('a flat face of more pairs than a call has room for is no exact chart', { tags: ['all'] }, () => {
  // An L has six corners, so that it is cut into pairs.
  const [n, m] = [450, 225];
  const whole = grid(n);
  const fine = without(
    mapped(whole, (x, y) => [x, y, 0]),
    (t) => {
      const v = whole.triangles[3 * t];
      return v % (n + 1) >= m && v / (n + 1) >= m;
    },
  );
  const surface = cutToManifold(cleanMesh(fine).mesh).mesh;
  const { triangles } = components(surface)[0];
  expect(triangles.length).toBeGreaterThan(300_000);
  expect(flatCharts(surface, triangles, { flat: 1e-5, most: 1024, isFew: true })).toBeNull();
});

test('curved surfaces have many faces, and too many charts are none', () => {
  for (const [mesh, isFlat] of [
    [bumpySphere(1, 3), false],
    [icosphere(2), false],
    [torus(24, 12), false],
    [box(), true],
  ] as const) {
    const surface = cutToManifold(cleanMesh(mesh).mesh).mesh;
    const { triangles } = components(surface)[0];
    const options = { flat: 1e-5, most: 100, isFew: true };
    expect(flatCharts(surface, triangles, options) !== null).toBe(isFlat);
    expect(flatCharts(surface, triangles, { ...options, most: 5 })).toBeNull();
  }
});

test.each<[string, Mesh]>([
  ['bumpy sphere, seed 3', bumpySphere(3, 3)],
  ['torus', torus(24, 12)],
  ['open cylinder', openCylinder(48, 6)],
  ['box', box()],
])('more samples never give less: %s', { tags: ['all'] }, (_, mesh) => {
  let [decibels, bound] = [0, Number.POSITIVE_INFINITY];
  for (const size of [17, 33, 65, 129, 257, 513]) {
    const image = buildGeometryImage(mesh, { size });
    const { psnr } = measureDeviation(mesh, toMesh(image), { samples: 20_000 });
    expect(psnr).toBeGreaterThan(Math.min(decibels, 110) - 0.1);
    expect(boundOf(image)).toBeLessThan(1.02 * bound + 3 * image.step);
    [decibels, bound] = [psnr, boundOf(image)];
  }
});

test.each<[string, Mesh]>([
  ['bumpy sphere, seed 5', bumpySphere(5, 3)],
  ['a long one, seed 5', mapped(bumpySphere(5, 3), (x, y, z) => [6 * x, y, z])],
  ['torus', torus(24, 12)],
])('best is never farther off than auto: %s', { tags: ['all'] }, (_, mesh) => {
  for (const size of [33, 129]) {
    const [auto, best] = (['auto', 'best'] as const).map((charts) => buildGeometryImage(mesh, { charts, size }));
    expect(boundOf(best)).toBeLessThanOrEqual(boundOf(auto));
  }
});
