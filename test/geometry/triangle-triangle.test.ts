import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import { orient2d, orient3d } from '../../src/geometry/orient.ts';
import { trianglesIntersect, trianglesIntersectAt } from '../../src/geometry/triangle-triangle.ts';
import { compose, rotation, translation } from '../../src/math/pose.ts';
import { long } from '../support/long.ts';
import { movePoints } from '../support/move-points.ts';
import { bruteForce, trianglesMeet } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const SMALLEST = Number.MIN_VALUE;
const PAIRS = long ? 840 : 100;
/** Numbers of thousands of bits take their time. */
const WIDE_PAIRS = long ? 170 : 30;
const WIDE = [
  'sharing a vertex or an edge',
  'mixed magnitudes',
  'around 0 by the smallest doubles',
  'huge grid, products overflow',
  '1e300',
];

/** Six points from a generator of points. */
const six = (point: () => number[]): number[] => Array.from({ length: 6 }, point).flat();

/** x, one unit in the last place up or down, or left alone. */
function nudge(r: Random, x: number): number {
  const step = Math.max(Math.abs(x) * 2 ** -52, SMALLEST);
  return r.pick([x, x, x + step, x - step]);
}

/** A point of the triangle t (at 3 * corner of `from`) with dyadic weights: exact on small integers. */
function pointOn(r: Random, c: number[], from: number): number[] {
  const u = r.below(9);
  const v = r.below(9 - u);
  return [0, 1, 2].map((k) => (c[from + k]! * u + c[from + 3 + k]! * v + c[from + 6 + k]! * (8 - u - v)) / 8);
}

/** Points i p + j q + s of an integer plane through integer points. */
function planePoints(r: Random): number[] {
  const [p, q, s] = [0, 1, 2].map(() => [r.below(9) - 4, r.below(9) - 4, r.below(9) - 4]) as [
    number[],
    number[],
    number[],
  ];
  return six(() => {
    const [i, j] = [r.below(11) - 5, r.below(11) - 5];
    return [0, 1, 2].map((k) => i * p[k]! + j * q[k]! + s[k]!);
  });
}

/** Eighteen coordinates, two triangles, of each hard kind. */
const kinds: Record<string, (r: Random) => number[]> = {
  random: (r) => six(() => [r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)]),
  'coplanar in a skew plane': planePoints,
  'coplanar but for one unit in the last place': (r) => planePoints(r).map((x) => nudge(r, x / 3)),
  'touching in a point': (r) => {
    const c = six(() => [8 * r.below(20), 8 * r.below(20), 8 * r.below(20)]);
    c.splice(9, 3, ...pointOn(r, c, 0));
    return r.next() < 0.5 ? c : c.map((x) => nudge(r, x));
  },
  'sharing a vertex or an edge': (r) => {
    const c = six(() => [r.between(-1, 1), r.between(-1, 1), r.below(2)]);
    c.splice(9, 6, ...c.slice(3, r.next() < 0.5 ? 6 : 9), ...(r.next() < 0.5 ? [] : c.slice(12, 15)));
    return [...c, 0, 0, 0].slice(0, 18).map((x) => nudge(r, x));
  },
  slivers: (r) => {
    const t = r.between(0, 1);
    return six(() => [t + r.below(5) * 2 ** -52, r.between(-1, 1), t * r.below(3) + r.below(3) * 2 ** -51]);
  },
  'grid of 3': (r) => six(() => [r.below(3), r.below(3), r.below(3)]),
  'grid of 2, flat': (r) => six(() => [r.below(2), r.below(3), 0]),
  'segments and points': (r) => {
    const c = six(() => [r.below(4), r.below(4), r.below(4)]);
    for (const at of [0, 9]) {
      if (r.next() < 0.3) continue;
      const steps = [0, r.below(3), r.below(4) - 1];
      const d = [r.below(3) - 1, r.below(3) - 1, r.below(3) - 1];
      for (let v = 1; v < 3; v++) for (let k = 0; k < 3; k++) c[at + 3 * v + k] = c[at + k]! + steps[v]! * d[k]!;
    }
    return c;
  },
  'segments on one line': (r) => {
    const d = [r.below(5) - 2, r.below(5) - 2, r.below(5) - 2];
    return six(() => {
      const s = r.below(12);
      return d.map((x) => x * s);
    });
  },
  'mixed magnitudes': (r) =>
    six(() => [0, 0, 0].map(() => r.between(-1, 1) * 2 ** r.pick([-1060, -600, -250, -1, 0, 1, 249, 600, 1020]))),
  'a grid and the smallest doubles': (r) =>
    six(() => [0, 0, 0].map(() => r.below(2) + r.pick([0, 0, SMALLEST, -SMALLEST]) + 0)),
  'around 0 by the smallest doubles': (r) =>
    six(() => [0, 0, 0].map(() => r.pick([-1, 0, 0, 1]) + (r.below(5) - 2) * SMALLEST)),
  'subnormal grid': (r) => six(() => [0, 0, 0].map(() => r.below(4) * SMALLEST)),
  'tiny grid, products underflow': (r) => six(() => [0, 0, 0].map(() => r.below(4) * 2 ** -400)),
  'huge grid, products overflow': (r) => six(() => [0, 0, 0].map(() => (r.below(5) - 2) * 2 ** 1021)),
  '1e300': (r) => six(() => [0, 0, 0].map(() => nudge(r, (r.below(5) - 2) * 1e300))),
  'edge of the expansions’ range': (r) => {
    const scale = r.pick([2 ** -250, 2 ** -251, 2 ** 245, 2 ** 248]);
    return planePoints(r).map((x) => nudge(r, (x / 3) * scale));
  },
};

function shuffledVertices(r: Random, t: Float64Array): Float64Array {
  const order = r.pick([
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]);
  return Float64Array.from(order.flatMap((v) => [...t.subarray(3 * v, 3 * v + 3)]));
}

describe('agrees with the rational oracle', { tags: ['quick', 'long'] }, () => {
  for (const [index, [kind, make]] of Object.entries(kinds).entries()) {
    const seed = 1000 + index;
    test(`${kind}, seed ${seed}`, () => {
      const r = seeded(seed);
      const seen = { true: 0, false: 0 };
      const pairs = WIDE.includes(kind) ? WIDE_PAIRS : PAIRS;
      for (let i = 0; i < pairs; i++) {
        const c = Float64Array.from(make(r));
        if (c.length !== 18) expect(c).toHaveLength(18);
        const a = c.subarray(0, 9);
        const b = c.subarray(9);
        const truth = trianglesMeet(a, b);
        const got = [
          trianglesIntersect(a, b),
          trianglesIntersect(b, a),
          trianglesIntersect(shuffledVertices(r, a), shuffledVertices(r, b)),
          trianglesIntersectAt(c, 9, c, 0),
        ];
        if (got.some((verdict) => verdict !== truth)) expect.fail(`${got}, not ${truth}: [${[...a]}], [${[...b]}]`);
        seen[`${truth}`]++;
      }
      expect(Math.min(seen.true, seen.false)).toBeGreaterThan(pairs / 100); // both answers occur
    });
  }

  test('any finite doubles, seed 77', () => {
    const coordinate = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(
        0,
        -0,
        1,
        SMALLEST,
        -SMALLEST,
        2 ** -1022,
        2 ** -250,
        2 ** 250,
        Number.MAX_VALUE,
        -Number.MAX_VALUE,
      ),
    );
    const triangle = fc.array(coordinate, { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(triangle, triangle, (a, b) => trianglesIntersect(a, b) === trianglesMeet(a, b)),
      { seed: 77, numRuns: long ? 340 : 30 },
    );
  });

  test('two wavy tori near contact, every pair, seed 5', () => {
    const r = seeded(5);
    const torus = long ? wavyTorus(36, 18) : wavyTorus(24, 12);
    const n = torus.triangles.length / 3;
    let found = 0;
    for (const k of long ? [0, 1, 2, 3, 4, 5] : [0, 4]) {
      const [near, far] = k < 4 ? [2.4, 2.6] : [1.6, 1.8];
      const pose = compose(
        translation(r.between(near, far), r.between(-0.3, 0.3), r.between(-0.3, 0.3)),
        rotation(r.between(-1, 1), r.between(-1, 1), r.between(-1, 1), r.between(0, 360)),
      );
      const a = corners(torus.positions, torus.triangles);
      const b = corners(movePoints(pose, torus.positions, new Float64Array(torus.positions.length)), torus.triangles);
      const pairs: [number, number][] = [];
      for (let i = 0; i < n; i++)
        for (let j = 0; j < n; j++) if (trianglesIntersectAt(a, 9 * i, b, 9 * j)) pairs.push([i, j]);
      expect(bruteForce(torus, null, torus, pose)).toEqual(pairs);
      found += pairs.length;
    }
    expect(found).toBeGreaterThan(20);
  });
});

function wavyTorus(around: number, across: number) {
  const positions: number[] = [];
  const triangles: number[] = [];
  const at = (i: number, j: number) => (i % around) * across + (j % across);
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < across; j++) {
      const u = (2 * Math.PI * i) / around;
      const v = (2 * Math.PI * j) / across;
      const radius = 1 + (0.35 + 0.05 * Math.sin(7 * u)) * Math.cos(v);
      positions.push(radius * Math.cos(u), radius * Math.sin(u), 0.35 * Math.sin(v));
      triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

function corners(positions: Float64Array, triangles: Uint32Array): Float64Array {
  return Float64Array.from([...triangles].flatMap((v) => [...positions.subarray(3 * v, 3 * v + 3)]));
}

describe('by hand', () => {
  const t = [0, 0, 0, 2, 0, 0, 0, 2, 0];
  test.each([
    ['crossing', [0.5, 0.5, -1, 0.5, 0.5, 1, 3, 3, 0], true],
    ['above', [0, 0, 1, 2, 0, 1, 0, 2, 1], false],
    ['above by the smallest double', [0, 0, SMALLEST, 2, 0, SMALLEST, 0, 2, SMALLEST], false],
    ['itself', t, true],
    ['a point of the hypotenuse', [1, 1, 0, 5, 5, 5, 5, 5, -5], true],
    ['just outside the hypotenuse', [1, 1 + 2 ** -52, 0, 5, 5, 5, 5, 5, -5], false],
    ['coplanar, inside', [0.5, 0.5, 0, 0.75, 0.5, 0, 0.5, 0.75, 0], true],
    ['coplanar, outside', [2, 2, 0, 3, 2, 0, 2, 3, 0], false],
    ['a point inside', [0.5, 0.5, 0, 0.5, 0.5, 0, 0.5, 0.5, 0], true],
    ['a point in the plane, outside', [1.5, 1.5, 0, 1.5, 1.5, 0, 1.5, 1.5, 0], false],
    ['a segment through, its midpoint repeated', [0.5, 0.5, -1, 0.5, 0.5, 0, 0.5, 0.5, 1], true],
    ['a segment that ends above', [0.5, 0.5, 2, 0.5, 0.5, 1, 0.5, 0.5, 3], false],
  ])('%s', (_, b, truth) => {
    expect(trianglesIntersect(t, b)).toBe(truth);
    expect(trianglesMeet(t, b)).toBe(truth);
  });

  test('more numbers than nine are left alone', () => {
    expect(trianglesIntersect([...t, NaN], new Float32Array(t))).toBe(true);
  });

  test.each([
    [t.slice(1), /triangle b: expected 9 coordinates, found 8/],
    [[], /expected 9 coordinates, found 0/],
    [t.with(4, NaN), /triangle b: coordinate 4 is NaN/],
    [t.with(8, -Infinity), /coordinate 8 is -Infinity/],
  ])('refuses %j', (b, message) => {
    expect(() => trianglesIntersect(t, b)).toThrow(OptionError);
    expect(() => trianglesIntersect(t, b)).toThrow(message);
  });
});

describe('orientation predicates', () => {
  const scales = [
    1,
    1e-5,
    2 ** -250,
    2 ** -251,
    2 ** -330,
    2 ** -700,
    2 ** -1074,
    2 ** 240,
    2 ** 249,
    2 ** 400,
    2 ** 1010,
  ];
  for (const [index, scale] of scales.entries()) {
    test(`signs of rational determinants, scale ${scale.toExponential(1)}, seed ${index}`, {
      tags: ['quick', 'long'],
    }, () => {
      const r = seeded(index);
      const seen = new Set<number>();
      for (let n = 0; n < (long ? 1000 : 500); n++) {
        const p = Float64Array.from(planePoints(r), (x) => nudge(r, (r.next() < 0.9 ? x : x / 3) * scale));
        const axis = r.below(3);
        const sign = orient3d(p, 0, p, 3, p, 6, p, 9);
        const signs = [sign, orient2d(p, 0, p, 3, p, 6, axis)];
        const truth = rationalSigns(p, axis);
        if (signs[0] !== truth[0] || signs[1] !== truth[1]) expect.fail(`${signs}, not ${truth}: axis ${axis} [${p}]`);
        seen.add(sign);
      }
      expect(seen.size).toBe(3);
    });
  }

  function rationalSigns(p: Float64Array, axis: number): number[] {
    const q = commonIntegers(p);
    const d = Array.from({ length: 9 }, (_, i) => q[i]! - q[9 + (i % 3)]!);
    const minor = (i: number, j: number) => d[3 + i]! * d[6 + j]! - d[3 + j]! * d[6 + i]!;
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const area = (q[3 + u]! - q[u]!) * (q[6 + v]! - q[v]!) - (q[3 + v]! - q[v]!) * (q[6 + u]! - q[u]!);
    return [d[0]! * minor(1, 2) + d[1]! * minor(2, 0) + d[2]! * minor(0, 1), area].map(
      (x) => Number(x > 0n) - Number(x < 0n),
    );
  }
});
