/** Nothing of a source is missing: small components, segments and points have charts of their own. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { check } from '../../../src/engine/prepared.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { triangleDistanceSquared } from '../../../src/mesh/triangle-tree.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { type Random, seeded } from '../../support/random.ts';
import { icosphere, tetrahedron, together } from '../../support/shapes.ts';

const meshOf = (positions: readonly number[], triangles: readonly number[]): Mesh => {
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
};

/** By their names: how many vertices, and which triangles of them. */
const KINDS = {
  tetrahedron: [4, [0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2]],
  triangle: [3, [0, 1, 2]],
  sliver: [3, [0, 1, 2]],
  segment: [2, [0, 1, 1]],
  point: [1, [0, 0, 0]],
} satisfies Record<string, [number, number[]]>;

type Kind = keyof typeof KINDS;

interface Part {
  kind: Kind;
  mesh: Mesh;
}

/** Small components, a millionth to a third of the large body's radius. */
function smallParts(random: Random, count: number): Part[] {
  const kinds = Object.keys(KINDS) as Kind[];
  return Array.from({ length: count }, (_, i) => {
    const kind = kinds[i % kinds.length];
    const [vertices, triangles] = KINDS[kind];
    const size = 0.3 * 10 ** random.between(-6, 0);
    const middle = [0, 1, 2].map(() => random.between(-2, 2));
    const positions = Array.from({ length: 3 * vertices }, (_, k) => middle[k % 3] + random.between(-size, size));
    if (kind === 'sliver') {
      const t = random.next();
      for (let k = 0; k < 3; k++) positions[6 + k] = positions[k] + t * (positions[3 + k] - positions[k]) + 1e-9 * size;
    }
    return { kind, mesh: meshOf(positions, triangles) };
  });
}

/** The nine coordinates of each stored triangle. */
function storedTriangles(image: GeometryImage): Float64Array {
  const { positions, triangles } = toMesh(image);
  return Float64Array.from({ length: 3 * triangles.length }, (_, i) => positions[3 * triangles[(i / 3) | 0] + (i % 3)]);
}

/** How far the farthest of a mesh's corners, and of some points of it, is from stored triangles. */
function farthest({ positions, triangles }: Mesh, stored: Float64Array, random: Random): number {
  let most = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let i = 0; i < 6; i++) {
      const weights = [0, 1, 2].map((k) => (i < 3 ? (k === i ? 1 : 0) : random.next()));
      const sum = weights[0] + weights[1] + weights[2];
      const [x, y, z] = [0, 1, 2].map((axis) =>
        weights.reduce((all, weight, k) => all + (weight / sum) * positions[3 * triangles[t + k] + axis], 0),
      );
      let least = Number.POSITIVE_INFINITY;
      for (let s = 0; s < stored.length; s += 9) least = Math.min(least, triangleDistanceSquared(stored, s, x, y, z));
      most = Math.max(most, least);
    }
  }
  return Math.sqrt(most);
}

describe('many small components beside a large one', () => {
  test.each(
    some(2, [
      [33, 1],
      [33, 2],
      [33, 3],
      [65, 1],
      [129, 1],
    ]),
  )('at %i each is within the recorded bound, seed %i', { tags: ['all', 'long'] }, (size, seed) => {
    const random = seeded(seed);
    const parts = smallParts(random, long ? 200 : 100);
    const mesh = together(icosphere(2), ...parts.map((part) => part.mesh));
    const image = buildGeometryImage(mesh, { size });
    expect(image.charts).toBeGreaterThanOrEqual(1 + parts.length);
    const stored = storedTriangles(image);
    const most = image.tolerance!.missing * (1 + 1e-9);
    // Half a step in each coordinate: all that these charts lose.
    const rounded = (Math.sqrt(3) / 2) * image.step * (1 + 1e-6);
    for (const [i, { kind, mesh: part }] of parts.entries()) {
      const far = farthest(part, stored, random);
      expect(far, `${kind} ${i}`).toBeLessThanOrEqual(kind === 'tetrahedron' ? most : Math.min(most, rounded));
    }
    expect(verifyGeometryImage(image).problems).toEqual([]);
  });
});

/** Corners on the grid: each axis is 65535 long, so a step is 1. */
const corner = meshOf([0, 0, 0, 65535, 0, 0, 0, 65535, 0, 0, 0, 65535], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);

describe('segments and points that no triangle holds', () => {
  const segment = meshOf([60000, 60000, 60000, 64000, 61000, 62000], [0, 1, 0]);
  const point = meshOf([50000, 60000, 40000], [0, 0, 0]);
  const source = together(corner, segment, point, segment);
  const image = buildGeometryImage(source, { size: 17, fit: 'off' });

  test('are in the image, once each and bit for bit', () => {
    expect(image.step).toBe(1);
    expect(image.charts).toBe(buildGeometryImage(corner, { size: 17 }).charts + 2);
    const stored = storedTriangles(image);
    for (const mesh of [segment, point]) expect(farthest(mesh, stored, seeded(1))).toBeLessThan(1e-9);
    expect(verifyGeometryImage(image).problems).toEqual([]);
  });

  test.each<[string, number[], Mesh]>([
    ['the middle of the segment', [62000, 60500, 61000], segment],
    ['an end of the segment', [64000, 61000, 62000], segment],
    ['the point', [50000, 60000, 40000], point],
  ])('check finds what touches %s alone', (_, [x, y, z], lone) => {
    for (const [shift, verdict] of [
      [0, 'contact'],
      [2, 'clear'],
    ] as const) {
      const at = z + shift;
      const needle = meshOf([x, y, at, x - 20, y + 300, at + 300, x + 20, y + 300, at + 300], [0, 1, 2]);
      expect(bruteForce(lone, null, needle, null)).toHaveLength(verdict === 'contact' ? 1 : 0);
      expect(bruteForce(source, null, needle, null).length > 0).toBe(verdict === 'contact');
      const tree = buildObbTree(needle);
      for (const path of [{}, { path: 'common' } as const]) {
        expect(check(image, tree, path).verdict).toBe(verdict);
        expect(check(tree, image, { ...path, all: true }).verdict).toBe(verdict);
      }
    }
  });

  test('one square leaves them out, says so, and bounds how far they are', () => {
    const one = buildGeometryImage(together(corner, point), { size: 17, charts: 'one' });
    expect(one.charts).toBe(1);
    expect(one.header.options.layout).toBe('one square: closed, genus 0, without 1 segment or point');
    const far = farthest(point, storedTriangles(one), seeded(1));
    expect(far).toBeGreaterThan(10_000);
    expect(one.tolerance!.missing).toBeGreaterThanOrEqual(far);
    const whole = buildGeometryImage(tetrahedron(), { size: 17, charts: 'one' });
    expect(whole.header.options.layout).toBe('one square: closed, genus 0');
  });

  test.each(some(2, [1, 2, 3, 4, 5, 6]))(
    'among loose triangles the image is as near as rounding, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const parts = smallParts(random, long ? 80 : 40).filter(({ kind }) => kind !== 'tetrahedron');
      const { tolerance, step } = buildGeometryImage(together(...parts.map(({ mesh }) => mesh)), { size: 17 });
      expect(Math.max(tolerance!.missing, tolerance!.excess)).toBeLessThan((Math.sqrt(3) / 2) * step * (1 + 1e-6));
    },
  );
});
