import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../src/math/numbers.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { TriangleTree, triangleDistanceSquared } from '../../src/mesh/triangle-tree.ts';
import { long } from '../support/long.ts';
import { box, bumpySphere, grid, mapped, together, torus } from '../support/shapes.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

const seed = 20_261_121;
type Point = [number, number, number];

const minus = (p: Point, q: Point): Point => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p: Point, q: Point) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const along = (p: Point, s: number, d: Point): Point => [p[0] + s * d[0], p[1] + s * d[1], p[2] + s * d[2]];

/**
 * An oracle of another kind. The segments from a + s (b - a) to c + s (b - c) sweep the triangle; the distance to them is
 * convex in s, as the two ends move linearly, and golden sections find its least value.
 */
function slowDistance(corners: ArrayLike<number>, p: Point): number {
  const [a, b, c] = [0, 3, 6].map((k): Point => [corners[k], corners[k + 1], corners[k + 2]]);
  const toSegment = (q: Point, r: Point) => {
    const d = minus(r, q);
    const s = Math.min(1, Math.max(0, dot(minus(p, q), d) / (dot(d, d) || 1)));
    const difference = minus(p, along(q, s, d));
    return Math.sqrt(dot(difference, difference));
  };
  const at = (s: number) => toSegment(along(a, s, minus(b, a)), along(c, s, minus(b, c)));
  let [low, high] = [0, 1];
  const golden = (Math.sqrt(5) - 1) / 2;
  for (let i = 0; i < 60; i++) {
    const third = golden * (high - low);
    if (at(high - third) < at(low + third)) high = low + third;
    else low = high - third;
  }
  return Math.min(at((low + high) / 2), toSegment(a, b), toSegment(b, c), toSegment(c, a));
}

function slowClosest({ positions, triangles }: Surface, p: Point): number {
  let best = Infinity;
  const corners = new Float64Array(9);
  for (let c = 0; c < triangles.length; c += 3) {
    for (let k = 0; k < 3; k++) corners.set(positions.subarray(3 * triangles[c + k], 3 * triangles[c + k] + 3), 3 * k);
    best = Math.min(best, triangleDistanceSquared(corners, 0, ...p));
  }
  return best;
}

describe('triangleDistanceSquared', () => {
  const coordinate = fc.integer({ min: -4, max: 4 });
  const corners = fc.array(coordinate, { minLength: 9, maxLength: 9 });
  const point = fc.tuple(coordinate, coordinate, coordinate);

  it(`agrees with a search on small integers, where many triangles are degenerate (seed ${seed})`, {
    tags: ['quick', 'long'],
  }, () => {
    fc.assert(
      fc.property(corners, point, (c, p) => {
        const distance = Math.sqrt(triangleDistanceSquared(Float64Array.from(c), 0, ...p));
        expect(Math.abs(distance - slowDistance(c, p))).toBeLessThan(1e-11);
      }),
      { seed, numRuns: long ? 1700 : 400 },
    );
  });

  it(`agrees with a search on slivers, down to flat, from near and far (seed ${seed})`, {
    tags: ['quick', 'long'],
  }, () => {
    const random = new Random(seed);
    const span = () => 2 * random.unit() - 1;
    const anyPoint = (): Point => [span(), span(), span()];
    for (let i = 0; i < (long ? 14_000 : 3000); i++) {
      const [a, d] = [anyPoint(), anyPoint()];
      const thickness = 10 ** (-18 * random.unit());
      const third = along(along(a, 1.2 * random.unit() - 0.1, d), thickness, anyPoint());
      const points = [a, along(a, 1, d), third, a, along(a, 1, d)];
      const triangle = points.slice(i % 3, (i % 3) + 3).flat();
      const p = along(along(a, random.unit(), d), 10 ** (-12 * random.unit()), anyPoint());
      const distance = Math.sqrt(triangleDistanceSquared(Float64Array.from(triangle), 0, ...p));
      const error = Math.abs(distance - slowDistance(triangle, p));
      if (error > 1e-8) expect.fail(`${error} off: triangle ${triangle}, point ${p}`);
    }
  });

  it.each<[string, Point, number]>([
    ['above the inside', [1, 1, 3], 9],
    ['in the inside', [1, 1, 0], 0],
    ['beyond a side', [2, -2, 1], 5],
    ['beyond the slanted side', [4, 4, 0], 8],
    ['beyond a corner', [-3, -4, 12], 169],
    ['on a corner', [4, 0, 0], 0],
  ])('is exact %s', (_, p, squared) => {
    expect(triangleDistanceSquared(Float64Array.of(0, 0, 0, 4, 0, 0, 0, 4, 0), 0, ...p)).toBe(squared);
  });

  it.each<[string, Point]>([
    ['beyond a side', [2, 1, 1]],
    ['above the inside, where the height is a volume over an area', [0.6, 0.7, 2]],
  ])('is the same at any scale, %s', (_, [x, y, z]) => {
    const triangle = [0.1, 0.2, 0.3, 1.4, 0.1, -0.2, 0.3, 1.7, 0.9];
    const distance = triangleDistanceSquared(Float64Array.from(triangle), 0, x, y, z);
    for (const scale of [2 ** -200, 2 ** -60, 2 ** 60, 2 ** 200]) {
      const scaled = Float64Array.from(triangle, (c) => c * scale);
      expect(triangleDistanceSquared(scaled, 0, x * scale, y * scale, z * scale)).toBe(distance * scale * scale);
    }
  });
});

describe('TriangleTree', () => {
  const shapes: [string, Surface][] = [
    ['one triangle', { positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2) }],
    ['a box', box(1, 0.5, 0.25)],
    ['a flat grid', grid(7, 5)],
    ['a grid without height or width', mapped(grid(6), (x) => [x, 0, 0])],
    ['a torus', torus(24, 12)],
    ['a bumpy sphere', bumpySphere(4, 3)],
    [
      'two clusters far apart',
      together(
        mapped(box(), (x, y, z) => [x + 1e6, y, z]),
        bumpySphere(5, 3),
      ),
    ],
    ['many copies of one triangle', { ...box(), triangles: Uint32Array.from({ length: 3000 }, (_, c) => c % 3) }],
  ];

  it.each(shapes)(
    `finds the same as looking at every triangle: %s (seed ${seed})`,
    { tags: ['quick', 'long'] },
    (_, mesh) => {
      const tree = new TriangleTree(mesh);
      const random = new Random(seed);
      for (let i = 0; i < (long ? 300 : 150); i++) {
        const p: Point = [3 * random.unit() - 1.5, 3 * random.unit() - 1.5, 3 * random.unit() - 1.5];
        const squared = tree.closestDistanceSquared(...p);
        expect(squared).toBeCloseTo(slowClosest(mesh, p), 13);
        const single = mesh.triangles.slice(3 * tree.closestTriangle, 3 * tree.closestTriangle + 3);
        expect(slowClosest({ ...mesh, triangles: single }, p)).toBe(squared);
      }
    },
  );

  it('answers 0 at every vertex', () => {
    const mesh = bumpySphere(9, 3);
    const tree = new TriangleTree(mesh);
    for (let v = 0; v < mesh.positions.length; v += 3) {
      expect(tree.closestDistanceSquared(...(mesh.positions.slice(v, v + 3) as unknown as Point))).toBeLessThan(1e-30);
    }
  });

  it.skipIf(!countsSteps)('is not slowed down by order or equal keys: steps', () => {
    const sorted = grid(100, 50);
    const shuffled = { ...sorted, triangles: sorted.triangles.slice() };
    const random = new Random(seed);
    for (let t = shuffled.triangles.length / 3 - 1; t > 0; t--) {
      const other = random.integer() % (t + 1);
      for (let k = 0; k < 3; k++) {
        const corner = shuffled.triangles[3 * t + k];
        shuffled.triangles[3 * t + k] = shuffled.triangles[3 * other + k];
        shuffled.triangles[3 * other + k] = corner;
      }
    }
    const equal = { ...box(), triangles: Uint32Array.from({ length: sorted.triangles.length }, (_, c) => c % 3) };
    const [usual, ...others] = [shuffled, sorted, equal].map((mesh) => stepsOf(() => new TriangleTree(mesh)));
    for (const steps of others) expect(steps).toBeLessThan(3 * usual);
  });

  it('needs a triangle', () => {
    expect(() => new TriangleTree({ positions: new Float64Array(9), triangles: new Uint32Array(0) })).toThrow(
      RangeError,
    );
  });
});
