/** What a solid says of hulls: held to distances in closed form, and to exact values at points of hulls that are moved by the slack. */
import { describe, expect, test } from 'vitest';
import type { Refined } from '../../../src/engine/representation.ts';
import { refineFrep } from '../../../src/representations/frep/search/refine.ts';
import { evaluateCube } from '../../../src/representations/frep/tree/evaluate.ts';
import type { FrepObject } from '../../../src/representations/frep/tree/program.ts';
import { distanceToHull, type Point } from '../../support/ball.ts';
import {
  affine,
  ball,
  both,
  constant,
  type Dyadic,
  dyadic,
  exactValue,
  minus,
  objectFrom,
  objectOf,
  perturbed,
  plus,
  randomProgram,
  scaled,
  times,
} from '../../support/frep-programs.ts';
import { some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';

const sign = (random: Random): number => (random.below(2) === 0 ? -1 : 1);
const ask = (object: FrepObject, points: Point[], slack = 0): Refined =>
  refineFrep(object, Float64Array.from(points.flat()), points.length, slack);

/** Corners of a box in the order of bits, of edges e, f, g at a corner. */
const boxAt = (corner: Point, edges: Point[]): Point[] =>
  Array.from({ length: 8 }, (_, bits): Point => {
    const p = [...corner];
    for (let axis = 0; axis < 3; axis++) if ((bits >> axis) & 1) for (let k = 0; k < 3; k++) p[k] += edges[axis][k];
    return [p[0], p[1], p[2]];
  });

function randomHull(random: Random, count: number, middle: Point, extent: number): Point[] {
  const around = (size: number): Point => [
    size * random.between(-1, 1),
    size * random.between(-1, 1),
    size * random.between(-1, 1),
  ];
  const at = (p: Point): Point => [middle[0] + p[0], middle[1] + p[1], middle[2] + p[2]];
  if (count < 8) return Array.from({ length: count }, () => at(around(extent)));
  const edges = [around(extent), around(extent), around(extent)];
  const box = boxAt(at(around(extent / 2)), edges);
  // Not always a box.
  const off = random.pick([0, 0, 1e-3, 0.3]) * extent;
  return box.map((p): Point => {
    const d = around(off);
    return [p[0] + d[0], p[1] + d[1], p[2] + d[2]];
  });
}

function weightsOf(random: Random, count: number): number[] {
  const cuts = Array.from({ length: count - 1 }, () => random.below(65)).sort((x, y) => x - y);
  return [...cuts, 64].map((x, n) => x - (n > 0 ? cuts[n - 1] : 0));
}

/** The highest value on a hull, as far as many samples and a search from the best of them tell. */
function highest({ program, domain, center, half }: FrepObject, hull: Point[], random: Random): number {
  let best = Number.NEGATIVE_INFINITY;
  let weights: number[] = [];
  const tryOne = (next: number[]): void => {
    const total = next.reduce((sum, w) => sum + w, 0);
    const u = [0, 1, 2].map((k) => (hull.reduce((at, p, n) => at + (next[n] / total) * p[k], 0) - center[k]) / half);
    const value = Math.min(evaluateCube(program, u[0], u[1], u[2]), ...u.map((c, k) => domain[k] * domain[k] - c * c));
    if (value <= best) return;
    best = value;
    weights = next.map((w) => w / total);
  };
  for (let n = 0; n < hull.length; n++) tryOne(hull.map((_, m) => (m === n ? 1 : 0)));
  // From the middle, from corners and from anywhere: there may be several maxima, and ridges.
  let highest = best;
  for (let start = 0; start < 200 && highest < -1e-9; start++) {
    best = Number.NEGATIVE_INFINITY;
    for (let n = 0; n < 50; n++) tryOne(weightsOf(random, hull.length));
    for (let step = 0.3; step > 1e-9; step *= 0.95)
      for (let n = 0; n < 4; n++) tryOne(weights.map((w) => Math.max(0, w + step * random.between(-1, 1))));
    highest = Math.max(highest, best);
  }
  return highest;
}

const COUNTS = [1, 2, 3, 4, 5, 6, 7, 8];

describe.each(COUNTS)('hulls of %i points', { tags: ['quick', 'long'] }, (count) => {
  test.each(some(1, [1, 2]))('of a ball, anywhere, with slack, seed %i', (seed) => {
    const random = seeded(seed + 10 * count);
    const said = { in: 0, out: 0, unsure: 0 };
    for (let trial = 0; trial < 150; trial++) {
      const half = random.pick([1, 0.2, 7]);
      const far = random.pick([0, 1, 1000]);
      const center: [number, number, number] = [far * random.between(-1, 1), far, far * random.between(-1, 1)];
      const r = random.between(0.2, 0.9);
      const object = objectFrom((to) => ball(to, r), { center, half, resolution: random.pick([2, 5, 8]) });
      const extent = half * random.pick([1e-3, 0.1, 1, 3]);
      const way = [0, 1, 2].map(() => random.between(-1, 1) * (half * r + extent) * 0.8);
      const hull = randomHull(random, count, [center[0] + way[0], center[1] + way[1], center[2] + way[2]], extent);
      const slack = random.pick([0, 0, 1e-9, 0.02, 0.3]) * half;
      const distance = distanceToHull(center, hull);
      const answer = ask(object, hull, slack);
      said[answer]++;
      const where = `${trial}: ${distance} of ${half * r}, slack ${slack}`;
      const spare = 1e-11 * (1 + far);
      // Some hull that is as near has a point, unless the ball is farther than the slack; and some has none, where it can move out of it.
      if (answer === 'out') expect(distance, where).toBeGreaterThan(half * r + slack - spare);
      if (answer === 'in') expect(distance, where).toBeLessThanOrEqual(half * r - slack + spare);
      // What is far from the surface is known.
      const finest = half * 2 ** -object.resolution;
      const isBox = count < 4 || count === 8;
      if (!isBox || slack > 0.01 * half || far > 1 || count === 8) continue;
      if (distance > half * r + 4 * finest + 2 * slack) expect(answer, where).toBe('out');
      if (distance < half * r - 4 * finest - 4 * slack) expect(answer, where).toBe('in');
    }
    expect(said.in).toBeGreaterThan(10);
    expect(said.out).toBeGreaterThan(10);
  });

  test.each(some(1, [1, 2]))('of random programs: points of hulls that are moved by the slack, seed %i', (seed) => {
    const random = seeded(seed + 100 * count);
    for (let trial = 0; trial < 40; trial++) {
      const domain: [number, number, number] = [1, random.pick([1, 0.4]), random.pick([1, 0.05])];
      const half = random.pick([1, 0.5, 4]);
      const center: [number, number, number] = [random.below(64) / 8, 0, -random.below(64) / 8];
      const program = randomProgram(random, { leaves: 4, operations: 4, hasWaves: trial % 4 === 0 });
      const object = objectOf(program, { domain, half, center, resolution: 3 });
      const extent = half * random.pick([0.1, 0.5, 1]);
      const way = [0, 1, 2].map((k) => center[k] + half * random.between(-1, 1));
      const hull = randomHull(random, count, [way[0], way[1], way[2]], extent);
      const slack = random.pick([0, 0, 1e-6, 0.1]) * half;
      const answer = ask(object, hull, slack);
      if (answer === 'unsure') continue;
      if (answer === 'in') {
        expect(highest(object, hull, random), `${trial}`).toBeGreaterThanOrEqual(-1e-9);
        continue;
      }
      // Weights of corners, whole numbers of 64ths, and shifts of every corner.
      for (let sample = 0; sample < 12; sample++) {
        const weights = weightsOf(random, count);
        const p = [0, 1, 2].map((k) =>
          hull.reduce((at: Dyadic, corner, n) => {
            const shift = dyadic(0.57 * slack * random.between(-1, 1));
            return plus(at, times(dyadic(weights[n] / 64), plus(dyadic(corner[k]), shift)));
          }, dyadic(0)),
        );
        const u = p.map((c, k) => scaled(minus(c, dyadic(center[k])), 1 / half));
        expect(exactValue(program, domain, u).low.m < 0n, `${trial}`).toBe(true);
      }
    }
  });
});

describe('triangles', () => {
  const plate = objectFrom((to) => affine(to, 0, 0, -1, 0), { resolution: 8 });

  test('only the triangle counts, not the parallelogram of its edges', () => {
    // The ball is at the parallelogram's fourth corner, and its radius ends short of the hypotenuse.
    for (const gap of [0.1, 1e-2, -1e-3, -0.1]) {
      const r = 0.5 / Math.SQRT2 - gap;
      const object = objectFrom((to) => ball(to, r, [0.5, 0.5, 0]), { resolution: 10 });
      const answer = ask(object, [
        [0, 0, 0],
        [1 - 0.5, 0, 0],
        [0, 0.5, 0],
      ]);
      expect(answer).toBe(gap > 0 ? 'out' : 'in');
    }
  });

  test('of no area, of one point, of a line; flat against the face', () => {
    const o: Point = [0, 0, -0.5];
    const p: Point = [0.25, 0, 0.5];
    expect(ask(plate, [o, o, o])).toBe('in');
    expect(ask(plate, [p, p, p])).toBe('out');
    expect(ask(plate, [o, p, o])).toBe('in');
    expect(ask(plate, [p, o, p])).toBe('in');
    expect(ask(plate, [p, p, o])).toBe('in');
    expect(ask(plate, [p, [0.1, 0.1, 0.3], [0.4, -0.1, 0.7]])).toBe('out');
    expect(ask(plate, [o, p])).toBe('in');
    expect(ask(plate, [p])).toBe('out');
    expect(ask(plate, [o], 0.2)).toBe('in');
    expect(ask(plate, [o], 0.51)).toBe('unsure');
    expect(ask(plate, [p], 0.49)).toBe('out');
    expect(ask(plate, [p], 0.51)).toBe('unsure');
  });

  test('in the plane of the face, and the ball that touches it: not out; soon', () => {
    const square = objectFrom((to) => constant(to, 1), { resolution: 10, domain: [1, 1, 0.5] });
    const flat: Point[] = [
      [-0.9, -0.9, 0],
      [0.9, -0.8, 0],
      [0.1, 0.7, 0],
    ];
    const lifted = flat.map(([x, y]): Point => [x, y, 0.5]);
    expect(ask(plate, flat)).not.toBe('out');
    expect(ask(square, lifted)).not.toBe('out');
    expect(
      ask(
        square,
        boxAt(
          [-0.5, -0.5, 0.5],
          [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
          ],
        ),
      ),
    ).not.toBe('out');
    const sphere = objectFrom((to) => ball(to, 0.5), { resolution: 20 });
    const touching = flat.map(([x, y]): Point => [x, y, 0.5]);
    expect(ask(sphere, touching)).not.toBe('out');
  });

  test('coincident curved surfaces end in unsure, soon', () => {
    // z = 0 is where the perturbed function vanishes, from below and from above.
    const object = objectFrom((to) => perturbed(to, affine(to, 0, 0, 0, 0), affine(to, 0, 0, 1, 0), -1), {
      resolution: 20,
    });
    expect(
      ask(object, [
        [-0.9, -0.9, 0],
        [0.9, -0.8, 0],
        [0.1, 0.7, 0],
      ]),
    ).toBe('unsure');
  });
});

test('a slack without bound proves nothing, soon', () => {
  const object = objectFrom((to) => ball(to, 0.5));
  const random = seeded(1);
  for (const count of COUNTS)
    for (const slack of [Number.POSITIVE_INFINITY, 1e300, 10])
      expect(ask(object, randomHull(random, count, [0, 0, 0], 0.1), slack)).toBe('unsure');
});

test('hulls whose coordinates overflow in the model cube are not halved for ever', () => {
  const object = objectFrom((to) => ball(to, 0.5), { half: 1e-6 });
  const far: Point[] = boxAt(
    [-1e305, -1e305, -1e305],
    [
      [2e305, 0, 0],
      [0, 2e305, 0],
      [0, 0, 2e305],
    ],
  );
  for (const count of COUNTS) expect(ask(object, far.slice(0, count))).toBe('unsure');
});

test('the smallest solids in the largest hulls, and points are neither kept nor written', () => {
  const random = seeded(2);
  for (const half of [1e-6, 1e-3, 1e3]) {
    const object = objectFrom((to) => both(to, ball(to, 0.5), constant(to, 1)), { half, resolution: 6 });
    for (const count of COUNTS) {
      const hull = randomHull(random, count, [0, 0, 0], 1);
      const distance = distanceToHull([0, 0, 0], hull);
      const answer = ask(object, hull);
      if (answer === 'out') expect(distance).toBeGreaterThan(0.5 * half * (1 - 1e-9));
      if (answer === 'in') expect(distance).toBeLessThan(0.5 * half * (1 + 1e-9) + 1e-12);
      const points = Float64Array.from([...hull.flat(), -7]);
      refineFrep(object, points, count, sign(random) > 0 ? 0 : 1e-9);
      expect([...points]).toEqual([...hull.flat(), -7]);
    }
  }
});
