/** The directions of k-DOPs, held to what projecting rests on, in whole numbers: angles, cones, weights and their sums. */
import { describe, expect, test } from 'vitest';
import {
  DOP_SIZES,
  type DopDirections,
  directionsOf,
  dopDirections,
  facetOf,
} from '../../../src/representations/kdop/tree/dop-directions.ts';
import { randomDirection } from '../../support/agreement.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';

type Whole = [bigint, bigint, bigint];

const dot = (p: readonly bigint[], q: readonly bigint[]): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: Whole, q: Whole): Whole => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];

/** The directions as whole numbers of 1 / one. */
function wholeDirections({ k, vectors }: Omit<DopDirections, 'k'> & { k: number }) {
  const [one, ...q] = commonIntegers([1, ...vectors]);
  return { one, directions: Array.from({ length: k }, (_, i): Whole => [q[3 * i], q[3 * i + 1], q[3 * i + 2]]) };
}

/** Vectors of all kinds: random ones, in coordinate planes, along directions and on the edges between cones, and a hair beside them. */
function* vectorsOf({ k, vectors, facets }: DopDirections, seed: number): Generator<Float64Array> {
  const random = seeded(seed);
  const near = () => (random.below(2) === 0 ? 0 : random.between(-1, 1) * 10 ** -random.between(10, 17));
  const direction = (i: number) => [0, 1, 2].map((r) => vectors[3 * i + r]);
  for (let n = 0; n < (long ? 500 : 150); n++) yield Float64Array.from(randomDirection(random));
  for (let n = 0; n < (long ? 200 : 100); n++) {
    const v = randomDirection(random);
    v[random.below(3)] = near();
    if (n % 2 === 0) v[random.below(3)] = near();
    if (v.some((x) => x !== 0)) yield Float64Array.from(v);
  }
  for (let i = 0; i < k; i++)
    for (let n = 0; n < (long ? 8 : 4); n++) yield Float64Array.from(direction(i), (x) => x + near());
  for (let f = 0; f < facets.length; f += 3) {
    for (let n = 0; n < (long ? 12 : 6); n++) {
      const [p, q] = [direction(facets[f + (n % 3)]), direction(facets[f + ((n + 1) % 3)])];
      const s = random.next();
      yield Float64Array.from(p, (x, r) => s * x + (1 - s) * q[r] + near());
    }
  }
}

const KNOWN_R_MAX: Partial<Record<number, number>> = { 6: Math.sqrt(3), 14: 1.24, 18: 1.22, 26: 1.13 };

describe.each([...DOP_SIZES])('k = %i', (k) => {
  const set = dopDirections(k);
  const { vectors, facets, normals, weights, leastDot, rMax } = set;
  const { one, directions } = wholeDirections(set);
  const count = facets.length / 3;
  const corners = (f: number): Whole[] => [0, 1, 2].map((m) => directions[facets[3 * f + m]]);

  test('k different directions, the second half opposite to the first', () => {
    expect(vectors.length).toBe(3 * k);
    expect(new Set(directions.map((d) => d.join())).size).toBe(k);
    for (let i = 0; i < 3 * k; i++) {
      expect(vectors[i] === -vectors[(i + (3 * k) / 2) % (3 * k)]).toBe(true);
      expect(Object.is(vectors[i], -0)).toBe(false);
    }
  });

  test('unit vectors to 2^-52', () => {
    // 1 - 2^-52 <= |D| <= 1 + 2^-52, squared, times (2^52 one)^2.
    const unit = 2n ** 52n;
    for (const d of directions) {
      const square = dot(d, d) * unit * unit;
      expect(square >= ((unit - 1n) * one) ** 2n && square <= ((unit + 1n) * one) ** 2n).toBe(true);
    }
  });

  test('no two directions of a facet make an obtuse angle', () => {
    let least = one * one;
    for (let f = 0; f < count; f++) {
      const [a, b, c] = corners(f);
      for (const product of [dot(a, b), dot(b, c), dot(c, a)]) if (product < least) least = product;
    }
    expect(least >= 0n).toBe(true);
    expect(leastDot).toBeCloseTo(Number(least) / Number(one * one), 14);
  });

  test('the facets are a closed surface around the origin that every direction is a corner of', () => {
    expect(count).toBe(2 * k - 4);
    expect(new Set(facets).size).toBe(k);
    const halfedges = new Set<string>();
    for (let f = 0; f < count; f++) {
      const [a, b, c] = corners(f);
      expect(dot(a, cross(b, c)) > 0n).toBe(true);
      for (let m = 0; m < 3; m++) halfedges.add(`${facets[3 * f + m]} ${facets[3 * f + ((m + 1) % 3)]}`);
    }
    expect(halfedges.size).toBe(3 * count);
    for (const edge of halfedges) expect(halfedges.has(edge.split(' ').reverse().join(' '))).toBe(true);
  });

  test('r_max: no vertex of the DOP with all d = 1 is farther', () => {
    expect(rMax).toBeLessThanOrEqual(Math.sqrt(3));
    if (KNOWN_R_MAX[k]) expect(rMax).toBeCloseTo(KNOWN_R_MAX[k], 2);
    // The vertex x of facet a, b, c has D . x = 1 for the three: x = (b x c + c x a + a x b) / det, times one.
    for (let f = 0; f < count; f++) {
      const [a, b, c] = corners(f);
      const determinant = dot(a, cross(b, c));
      const [p, q, r] = [cross(b, c), cross(c, a), cross(a, b)];
      const x = [0, 1, 2].map((i) => p[i] + q[i] + r[i]);
      expect(Number((dot(x, x) * one ** 2n * 2n ** 60n) / determinant ** 2n) / 2 ** 60).toBeLessThan(
        rMax ** 2 * (1 + 1e-14),
      );
      for (const d of directions) expect(dot(d, x) * 2n ** 50n <= determinant * (2n ** 50n + 1n)).toBe(true);
    }
  });

  test(`the facet of the largest n . v holds v, with weights as said, seed ${k}`, { tags: ['all', 'long'] }, () => {
    for (const v of vectorsOf(set, k)) {
      let most = Number.NEGATIVE_INFINITY;
      for (let f = 0; f < count; f++) {
        most = Math.max(most, normals[3 * f] * v[0] + normals[3 * f + 1] * v[1] + normals[3 * f + 2] * v[2]);
      }
      const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      const f = facetOf(set, v);
      // Of several that are as good the octants may choose another.
      const along = normals[3 * f] * v[0] + normals[3 * f + 1] * v[1] + normals[3 * f + 2] * v[2];
      expect(along).toBeGreaterThanOrEqual(most - 2 ** -50 * length);
      const [scale, ...q] = commonIntegers([1, ...v]);
      const [a, b, c] = corners(f);
      const determinant = dot(a, cross(b, c));
      let sum = 0;
      [cross(b, c), cross(c, a), cross(a, b)].forEach((row, m) => {
        // Exactly w = row . v / determinant, in units one / scale; rounded to 2^-100.
        const exact = Number((dot(row, q) * one * 2n ** 100n) / (determinant * scale)) / 2 ** 100;
        const at = 9 * f + 3 * m;
        const computed = weights[at] * v[0] + weights[at + 1] * v[1] + weights[at + 2] * v[2];
        expect(Math.abs(computed - exact)).toBeLessThan(2 ** -48 * length);
        // Where cones are nearly flat against each other a vector beside their edge may get the wrong one: 2^-47.4 was met, for k = 24.
        expect(exact).toBeGreaterThan(-(2 ** -46.5) * length);
        expect(exact).toBeLessThan((1 + 2 ** -46) * length);
        sum += exact;
      });
      expect(sum).toBeGreaterThan((1 - 2 ** -46) * length);
      expect(sum).toBeLessThan((rMax + 2 ** -46) * length);
    }
  });

  test('every corner and every middle of a facet is found in a facet that has it', () => {
    for (let f = 0; f < count; f++) {
      const [a, b, c] = [0, 1, 2].map((m) => vectors.subarray(3 * facets[3 * f + m], 3 * facets[3 * f + m] + 3));
      expect(
        facetOf(
          set,
          Float64Array.from(a, (x, i) => x + b[i] + c[i]),
        ),
      ).toBe(f);
      const found = 3 * facetOf(set, a.slice());
      expect([...facets.subarray(found, found + 3)]).toContain(facets[3 * f]);
    }
  });
});

test('the same record every time', () => {
  expect(dopDirections(18)).toBe(dopDirections(18));
});

test.each([
  [
    'a skew box',
    [
      [1, 0, 0],
      [0, 1, 0],
      [0.6, 0.6, 0.3],
    ],
  ],
  [
    'a flat one',
    [
      [1, 0, 0],
      [0, 1, 0],
      [0.01, 0, 1],
    ],
  ],
  [
    'a hair from right angles',
    [
      [1, 0, 0],
      [2 ** -40, 1, 0],
      [0, 0, 1],
    ],
  ],
])('refuses obtuse angles: %s', (_, half) => {
  expect(() => directionsOf(half)).toThrow(/obtuse/);
});

test('takes right angles, of any length', () => {
  const { leastDot, rMax } = directionsOf([
    [0, 0, 7],
    [0, -3, 0],
    [1e-3, 0, 0],
  ]);
  expect(leastDot).toBe(0);
  expect(rMax).toBe(Math.sqrt(3));
});
