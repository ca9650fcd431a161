/** No bound is below what sampling finds, nor far above it; charges answer for every point. */
import { describe, expect, test } from 'vitest';
import { measureDeviation } from '../../src/mesh/deviation.ts';
import { boundDeviation, createTarget, PieceList } from '../../src/mesh/deviation-bound.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { triangleDistanceSquared } from '../../src/mesh/triangle-tree.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, bumpySphere, grid, icosphere, mapped, type Point, randomTriangles, torus } from '../support/shapes.ts';

const scaled = (mesh: ReturnType<typeof box>, s: number) => mapped(mesh, (x, y, z) => [s * x, s * y, s * z]);

describe.each(some(1, [1, 2, 3]))('seed %i', (seed) => {
  test('between the greatest sampled distance and 1.1 times it', { tags: ['all', 'long'] }, () => {
    const pairs = [
      [bumpySphere(seed, 3), icosphere(2)],
      [icosphere(3), bumpySphere(seed, 2)],
      [torus(), bumpySphere(seed, 3)],
      [box(), icosphere(3)],
      [icosphere(1), box(3)],
    ];
    for (const [a, b] of pairs) {
      const { maxAB } = measureDeviation(a, b, { samples: 20_000, seed });
      const { upper, lower } = boundDeviation(a, createTarget(b));
      expect(upper).toBeGreaterThanOrEqual(maxAB);
      expect(upper).toBeLessThanOrEqual(1.05 * lower);
      expect(lower).toBeLessThan(1.1 * maxAB);
    }
  });

  test('charges: every point is as near to a triangle as that is charged', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    const target = icosphere(1);
    const positions = Float64Array.from({ length: 9 * 20 }, () => random.between(-2, 2));
    // Triangles, segments and points.
    const triangles = Uint32Array.from({ length: 60 }, (_, c) => (c % 3 < (c / 3) % 3 ? c : 3 * Math.floor(c / 3)));
    const charges = new Float64Array(target.triangles.length / 3);
    const from = { positions, triangles };
    const { upper } = boundDeviation(from, createTarget(target), { charges });
    expect(charges.reduce((most, x) => Math.max(most, x), 0)).toBe(upper);
    const corners = Float64Array.from(
      { length: 3 * target.triangles.length },
      (_, i) => target.positions[3 * target.triangles[Math.floor(i / 3)] + (i % 3)],
    );
    for (let t = 0; t < 20; t++) {
      for (let i = 0; i < 50; i++) {
        const w = [random.next(), random.next(), random.next()];
        const sum = w[0] + w[1] + w[2];
        const p = [0, 1, 2].map((axis) =>
          w.reduce((x, weight, k) => x + (weight / sum) * positions[3 * triangles[3 * t + k] + axis], 0),
        );
        const isHeld = charges.some((charge, k) => {
          return Math.sqrt(triangleDistanceSquared(corners, 9 * k, p[0], p[1], p[2])) <= charge * (1 + 1e-12);
        });
        if (!isHeld) expect.fail(`not held: ${p}`);
      }
    }
  });
});

/** The greatest distance of so many points of each triangle to a target, the long way. */
function bruteForce(from: Surface, target: Surface, points: number, random: Random): number {
  const corners = Float64Array.from(
    { length: 3 * target.triangles.length },
    (_, i) => target.positions[3 * target.triangles[Math.floor(i / 3)] + (i % 3)],
  );
  let farthest = 0;
  for (let i = 0; i < (points * from.triangles.length) / 3; i++) {
    const t = 3 * Math.floor(i / points);
    const w = i % points < 3 ? [0, 1, 2].map((k) => (k === i % points ? 1 : 0)) : [0, 1, 2].map(() => random.next());
    const sum = w[0] + w[1] + w[2];
    const [x, y, z] = [0, 1, 2].map((axis) =>
      w.reduce((s, weight, k) => s + (weight / sum) * from.positions[3 * from.triangles[t + k] + axis], 0),
    );
    let nearest = Number.POSITIVE_INFINITY;
    for (let at = 0; at < corners.length; at += 9) {
      nearest = Math.min(nearest, triangleDistanceSquared(corners, at, x, y, z));
    }
    farthest = Math.max(farthest, Math.sqrt(nearest));
  }
  return farthest;
}

describe.each(
  some(
    12,
    Array.from({ length: 60 }, (_, i) => i + 1),
  ),
)('tangles, seed %i', (seed) => {
  test('no point is beyond the bound, and the bound is near', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    const a = randomTriangles(seed, 2 + random.below(30), random.below(2) === 0 ? 9 : undefined);
    const b = randomTriangles(seed + 1000, 1 + random.below(40), random.below(2) === 0 ? 7 : undefined);
    const found = bruteForce(a, b, 40, random);
    for (const within of [1.02, 1.2]) {
      const { upper, lower } = boundDeviation(a, createTarget(b), { within });
      expect(upper * (1 + 1e-12)).toBeGreaterThanOrEqual(found);
      expect(upper).toBeLessThanOrEqual(within * lower);
      expect(lower).toBeLessThan(1.5 * found);
    }
    // However little is looked at, what is left is a bound.
    for (const effort of [0, 20, 100, 500]) {
      expect(boundDeviation(a, createTarget(b), { effort }).upper * (1 + 1e-12)).toBeGreaterThanOrEqual(found);
    }
  });
});

test.each([3, 7, 20])('a flat surface cut otherwise: bound by the rounding of cuts, and soon done, n = %i', (n) => {
  const random = seeded(n);
  const turn = (x: number, y: number): Point => [0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y, 0];
  // The target reaches beyond, and none of its vertices is one of the surface's.
  const target = mapped(grid(40), (x, y) => turn(20 * x - 10 + 1e-3 * random.next(), 20 * y - 10));
  const surface = mapped(grid(n), (x, y) => [4 * x + 0.1234, 4 * y - 1.7, 0]);
  const { upper, effort } = boundDeviation(surface, createTarget(target), { enough: 1e-6 });
  expect(upper).toBeLessThanOrEqual(1e-6);
  // Some dozens for each place where an edge of one crosses one of the other.
  expect(effort).toBeLessThan(200_000);
});

test('pieces are looked at alone, and their bounds are kept', () => {
  const [a, b] = [bumpySphere(4, 3), icosphere(3)];
  const pieces = new PieceList(0, 1000);
  // A square of the first triangle, and one that is not above the limit.
  pieces.add(0, Float64Array.of(0, 0, 0.5, 0, 0.5, 0.5, 0, 0.5), 4, 1, -1);
  pieces.add(1, Float64Array.of(0, 0, 1, 0, 0, 1), 3, 0, -1);
  expect([pieces.count, pieces.rest]).toEqual([2, 0]);
  const first = { positions: a.positions, triangles: a.triangles.slice(0, 3) };
  const { upper, lower } = boundDeviation(a, createTarget(b), { pieces });
  expect(upper).toBeLessThanOrEqual(1.05 * lower);
  expect(lower).toBeLessThanOrEqual(boundDeviation(first, createTarget(b)).upper);
  const full = new PieceList(0.5, 4);
  for (const bound of [0.4, 0.7, 0.9, 0.6]) full.add(0, Float64Array.of(0, 0, 1, 0, 0, 1), 3, bound, -1);
  expect([full.count, full.rest]).toEqual([2, 0.6]);
});

test('equal at any scale, and known bounds are never exceeded', () => {
  const [a, b] = [bumpySphere(4, 3), icosphere(3)];
  const { upper } = boundDeviation(a, createTarget(b));
  for (const s of [2 ** -180, 2 ** 180]) {
    expect(boundDeviation(scaled(a, s), createTarget(scaled(b, s))).upper / s).toBeCloseTo(upper, 9);
  }
  const known = new Float64Array(a.triangles.length / 3).fill(1e-3);
  expect(boundDeviation(a, createTarget(b), { known }).upper).toBeLessThanOrEqual(1e-3);
});

test('a surface on itself: rounding alone, and soon done', () => {
  const a = torus(64, 32);
  const { upper } = boundDeviation(a, createTarget(a));
  expect(upper).toBeLessThan(1e-13);
});

test('what is near enough is not looked at further, and charged triangles are those that are charged', () => {
  const [a, b] = [bumpySphere(4, 3), icosphere(3)];
  const known = new Float64Array(a.triangles.length / 3).fill(1);
  expect(boundDeviation(a, createTarget(b), { known, enough: 1 })).toEqual({ upper: 1, lower: 0, effort: 0 });
  expect(boundDeviation(a, createTarget(b), { known, enough: 0.5 }).upper).toBeLessThan(0.5);
  const charges = new Float64Array(b.triangles.length / 3).fill(-1);
  const { charged } = boundDeviation(a, createTarget(b), { charges });
  expect(Array.from(charged!)).toEqual(Array.from(charges.keys()).filter((t) => charges[t] >= 0));
});

test('a needle through the surface, and no triangle at all', () => {
  const target = createTarget(icosphere(3));
  const needle = { positions: Float64Array.of(0, 0, 0, 0, 0, 3, 0, 1e-300, 3), triangles: Uint32Array.of(0, 1, 2) };
  const { upper } = boundDeviation(needle, target);
  expect(upper).toBeGreaterThanOrEqual(2);
  expect(upper).toBeLessThan(2.15);
  expect(boundDeviation({ positions: new Float64Array(3), triangles: new Uint32Array(0) }, target).upper).toBe(0);
  expect(() => boundDeviation({ ...needle, positions: new Float64Array(9).fill(Number.NaN) }, target)).toThrow(
    RangeError,
  );
});
