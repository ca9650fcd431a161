/** A geometry image's two proved distances: never below what is sampled, and near it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { triangleDistanceSquared } from '../../../src/mesh/triangle-tree.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset, treePixels } from '../../../src/representations/gi/tree/grid.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import {
  box,
  bumpySphere,
  doubleTorus,
  grid,
  icosphere,
  kleinBottle,
  mapped,
  moebiusStrip,
  openCylinder,
  piercedSphere,
  randomTriangles,
  torus,
} from '../../support/shapes.ts';

const asset = (name: string): Mesh => readObj(readFileSync(new URL(`../../../assets/${name}.obj`, import.meta.url)));

/** A disk of needles about one point, its rim in waves. */
function fan(needles: number): Mesh {
  const positions = [0, 0, 0];
  const triangles: number[] = [];
  for (let i = 0; i <= needles; i++) {
    const turn = (2 * Math.PI * i) / needles;
    const r = 1 + 0.2 * Math.cos(5 * turn);
    positions.push(r * Math.cos(turn), r * Math.sin(turn), 0.1 * Math.sin(7 * turn));
    if (i > 0) triangles.push(0, i, i + 1);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/**
 * The proved distances over the sampled ones, each way, or over a step of the grid. Few samples
 * find the peaks of a fitted image.
 */
function ratios(mesh: Mesh, size: number, samples: number): { missing: number; excess: number } {
  const image = buildGeometryImage(mesh, { size, fit: 'off' });
  const { missing, excess } = image.tolerance!;
  const { maxAB, maxBA } = measureDeviation(mesh, toMesh(image), { samples, seed: 28 });
  expect(missing * (1 + 1e-9)).toBeGreaterThanOrEqual(maxAB);
  expect(excess * (1 + 1e-9)).toBeGreaterThanOrEqual(maxBA);
  const { step } = image;
  return { missing: missing / Math.max(maxAB, step), excess: excess / Math.max(maxBA, step) };
}

const sizes = some(1, [33, 65]);

describe.each(sizes)('at %i', { tags: ['all', 'long'] }, (size) => {
  const samples = size === 33 ? 60_000 : 150_000;

  test.each<[string, () => Mesh]>([
    ['a sphere', () => icosphere(4)],
    ['an ellipsoid', () => mapped(icosphere(4), (x, y, z) => [4 * x, y, 0.3 * z])],
    ['a bumpy sphere', () => bumpySphere(1, 4)],
    ['a torus', () => torus(48, 24)],
    ['a body of boxes', doubleTorus],
    ['a box', box],
    ['a thin plate', () => box(1, 0.01, 1)],
    ['the bunny', () => asset('bunny')],
    ['the blob', () => asset('blob')],
    ['a sheet', () => mapped(grid(20), (x, y) => [x, y, 0.1 * Math.sin(6 * x) * Math.cos(7 * y)])],
    ['a tube', () => openCylinder(40, 10)],
    ['a sphere with holes', piercedSphere],
    ['a one-sided strip', () => moebiusStrip(60)],
    ['a one-sided body', kleinBottle],
    ['a fan', () => fan(200)],
  ])('%s: at most 1.3 times what is sampled', (_, mesh) => {
    const { missing, excess } = ratios(mesh(), size, samples);
    expect(missing).toBeLessThan(1.3);
    expect(excess).toBeLessThan(1.3);
  });

  test.each(some(1, [1, 2, 3]))('soups and tangles, seed %i: at most twice what is sampled', (seed) => {
    for (const [count, vertices] of [[30], [300], [100, 30], [400, 80]]) {
      const { missing, excess } = ratios(randomTriangles(seed, count, vertices), size, samples);
      expect(missing).toBeLessThan(2);
      expect(excess).toBeLessThan(2);
    }
  });
});

test.each(
  some(
    4,
    Array.from({ length: 24 }, (_, i) => i + 1),
  ),
)('any few triangles, seed %i: nothing is beyond the bounds', { tags: ['quick', 'long'] }, (seed) => {
  ratios(randomTriangles(seed, 2 + seed, 4 + seed), 17, 20_000);
  ratios(randomTriangles(seed, 1 + seed), 17, 20_000);
});

describe('the deviation page', () => {
  /** Points of the triangles, their corners among them. */
  function pointsOf({ positions, triangles }: Mesh, each: number, random: Random): number[][] {
    return Array.from({ length: (each * triangles.length) / 3 }, (_, i) => {
      const t = 3 * Math.floor(i / each);
      const w = i % each < 3 ? [0, 1, 2].map((k) => (k === i % each ? 1 : 0)) : [0, 1, 2].map(() => random.next());
      const sum = w[0] + w[1] + w[2];
      return [0, 1, 2].map((axis) =>
        w.reduce((x, weight, k) => x + (weight / sum) * positions[3 * triangles[t + k] + axis], 0),
      );
    });
  }

  /** Whether one quad's triangles, and the spheres over it, are as near as the page says. */
  function isHeld(image: GeometryImage, stored: Float64Array, p: number[]): boolean {
    return image.groups.some(({ exponent, count, firstQuad, tree, deviation }) => {
      const quads = 1 << exponent;
      for (let i = 0; i < count * quads * quads; i++) {
        const slot = i >> (2 * exponent);
        const [row, column] = [(i >> exponent) & (quads - 1), i & (quads - 1)];
        const boundAt = (node: number) => deviation!.page[slot * treePixels(exponent) + node / 4] * deviation!.step;
        const own = boundAt(nodeOffset(exponent, exponent, row, column)) * (1 + 1e-9);
        const at = 18 * (firstQuad + i);
        const near = [at, at + 9].some((a) => triangleDistanceSquared(stored, a, p[0], p[1], p[2]) <= own * own);
        if (!near) continue;
        const isInside = Array.from({ length: exponent + 1 }, (_, level) => {
          const node = nodeOffset(exponent, level, row >> (exponent - level), column >> (exponent - level));
          const from = 4 * slot * treePixels(exponent) + node;
          const d = Math.hypot(...p.map((x, k) => x - image.origin[k] - tree.page[from + k] * image.step));
          return d <= (tree.page[from + 3] * tree.radiusSteps[level] + boundAt(node)) * (1 + 1e-9);
        });
        if (isInside.every(Boolean)) return true;
      }
      return false;
    });
  }

  test.each<[string, () => Mesh, number]>([
    ['a sphere', () => icosphere(3), 33],
    ['a bumpy sphere', () => bumpySphere(1, 3), 33],
    ['a torus', () => torus(24, 12), 33],
    ['a fan', () => fan(60), 17],
    ['a tangle', () => randomTriangles(4, 100, 30), 17],
    ['loose triangles', () => randomTriangles(5, 40), 17],
  ])('of %s: every source point has a quad that answers for it', { tags: ['all', 'long'] }, (_, make, size) => {
    const mesh = make();
    const image = buildGeometryImage(mesh, { size });
    const { positions, triangles } = toMesh(image);
    const stored = Float64Array.from(
      { length: 3 * triangles.length },
      (_, i) => positions[3 * triangles[Math.floor(i / 3)] + (i % 3)],
    );
    const points = pointsOf(mesh, long ? 10 : 5, seeded(28));
    expect(points.filter((p) => !isHeld(image, stored, p))).toEqual([]);
    // No quad answers for more than the whole does, but for what the page's own steps add.
    for (const { exponent, count, deviation } of image.groups) {
      for (let slot = 0; slot < count; slot++) {
        const first = slot * treePixels(exponent);
        const lengths = deviation!.page.subarray(first, first + treePixels(exponent));
        const most = lengths.reduce((m, x) => Math.max(m, x), 0) * deviation!.step;
        expect(most).toBeLessThan(1.13 * image.tolerance!.missing);
      }
    }
  });
});
