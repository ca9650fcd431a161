/** Heights rounded to whole numbers, and whole numbers packed to bits: both held to integers of any length. */
import { describe, expect, test } from 'vitest';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { DOP_SIZES, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import { packBits, roundedHeights, unpackBits } from '../../../src/representations/kdop/tree/fixed-point.ts';
import { isLeaf, quantumOf, target } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { long } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import { bumpySphere, mapped, soup, tetrahedron, together } from '../../support/shapes.ts';

const WIDTHS = [8, 16, 19, 24, 35, 36];

/** ceil(p / q) for q > 0. */
const ceilRatio = (p: bigint, q: bigint): bigint => (p > 0n ? (p + q - 1n) / q : p / q);

/** ceil(D_i . (x - origin) / quantum) for all directions, by the definition. */
function exactHeights(
  point: readonly number[],
  origin: ArrayLike<number>,
  vectors: Float64Array,
  quantum: number,
): bigint[] {
  const [oneD, ...d] = commonIntegers([1, ...vectors]);
  const [q, ...rest] = commonIntegers([quantum, ...point, ...Array.from(origin)]);
  const from = [0, 1, 2].map((r) => rest[r] - rest[3 + r]);
  return Array.from({ length: vectors.length / 3 }, (_, i) =>
    ceilRatio(d[3 * i] * from[0] + d[3 * i + 1] * from[1] + d[3 * i + 2] * from[2], oneD * q),
  );
}

interface Case {
  point: number[];
  origin: number[];
  /** The scale is two to this power. */
  exponent: number;
}

const vector = (value: (i: number) => number): number[] => [value(0), value(1), value(2)];

/** Kinds of points; heights are below 2 scales, but for those that are far. */
const KINDS: Record<string, (random: Random, bits: number, vectors: Float64Array) => Case> = {
  random: (random) => ({
    point: vector(() => random.between(-0.5, 0.5)),
    origin: vector(() => random.between(-0.1, 0.1)),
    exponent: 0,
  }),
  'of float32': (random) => ({
    point: vector(() => Math.fround(random.between(-0.5, 0.5))),
    origin: [0, 0, 0],
    exponent: random.below(3),
  }),
  'of a lattice': (random) => ({
    point: vector(() => random.below(33) - 16),
    origin: vector(() => (random.below(9) - 4) / 8),
    exponent: 6,
  }),
  'on the grid of an axis': (random, bits) => ({
    point: vector(() => random.below(2 ** (bits - 2)) - 2 ** (bits - 3)),
    origin: vector(() => (random.below(2) === 0 ? 0 : random.below(2 ** (bits - 3)))),
    exponent: bits - 1,
  }),
  'where a direction has a whole number': (random, bits, vectors) => {
    // x = n q D: the height along D is n q |D|^2, that is n q but for the last bits of D.
    const i = random.below(vectors.length / 3);
    const n = random.below(2 ** (bits - 1));
    return { point: vector((r) => vectors[3 * i + r] * n * 2 ** (1 - bits)), origin: [0, 0, 0], exponent: 0 };
  },
  'at right angles to a direction': (random, _, vectors) => {
    // Nearly 0, above it or below it.
    const i = random.below(vectors.length / 3);
    const [x, y, z] = vector((r) => vectors[3 * i + r]);
    const s = random.between(-0.5, 0.5);
    return {
      point: random.pick([
        [s * y, -s * x, 0],
        [0, s * z, -s * y],
        [-s * z, 0, s * x],
      ]),
      origin: [0, 0, 0],
      exponent: 0,
    };
  },
  tiny: (random) => ({
    point: vector(() => random.between(-1, 1) * 1e-300),
    origin: vector((i) => (i === 0 ? random.between(-1, 1) * 1e-300 : 0)),
    exponent: -900,
  }),
  'tiny in a scale of 1': (random) => ({
    point: vector(() => random.between(-1, 1) * 10 ** -random.between(17, 320)),
    origin: [0, 0, 0],
    exponent: 0,
  }),
  'less than any number': (random) => ({
    point: vector(() => (random.below(3) - 1) * Number.MIN_VALUE * random.below(3)),
    origin: [0, 0, 0],
    exponent: random.pick([-900, -500, 0, 20]),
  }),
  huge: (random) => ({
    point: vector(() => random.between(-1, 1) * 1e99),
    origin: vector(() => random.between(-1, 1) * 1e98),
    exponent: 332,
  }),
  'huge and tiny': (random) => ({
    point: vector((i) => random.between(-1, 1) * (i === 0 ? 1e99 : 1e-99)),
    origin: vector((i) => (i === 0 ? 0 : random.between(-1, 1) * 1e-99)),
    exponent: 332,
  }),
  'far from the origin of coordinates': (random) => ({
    point: vector(() => 1e7 + random.between(-0.5, 0.5)),
    origin: [1e7, 1e7, 1e7],
    exponent: 1,
  }),
  'a difference that doubles cannot hold': (random) => ({
    point: vector(() => random.between(-1, 1) * 10 ** -random.between(0, 20)),
    origin: vector(() => random.below(5) - 2),
    exponent: 2,
  }),
};

describe.each([...DOP_SIZES])('k = %i', (k) => {
  const { vectors } = dopDirections(k);

  test.each(Object.keys(KINDS).map((kind, seed) => [kind, seed] as const))(
    'points %s, seed %i',
    { tags: ['all', 'long'] },
    (kind, seed) => {
      const random = seeded(100 * k + seed);
      const row = new Float64Array(k + 2);
      for (const bits of WIDTHS) {
        for (let n = 0; n < (long ? 340 : 40); n++) {
          const { point, origin, exponent } = KINDS[kind](random, bits, vectors);
          const [x, y, z] = point;
          row.fill(-77);
          const quantumExponent = exponent - bits + 1;
          roundedHeights(x, y, z, { origin: Float64Array.from(origin), vectors, quantumExponent }, row, 1);
          const expected = exactHeights(point, origin, vectors, 2 ** quantumExponent).map(Number);
          // Object.is of toEqual: no -0 either.
          expect([...row], `${point} from ${origin}, ${bits} bits`).toEqual([-77, ...expected, -77]);
        }
      }
    },
  );

  test.each(Object.keys(KINDS).map((kind, seed) => [kind, 500 + seed] as const))(
    'trees of points %s have the least coefficients that hold them, seed %i',
    { tags: ['all', 'long'] },
    (kind, seed) => {
      const random = seeded(100 * k + seed);
      for (const bits of WIDTHS) {
        const points = Array.from({ length: long ? 120 : 24 }, () => KINDS[kind](random, bits, vectors).point);
        const triangles = Uint32Array.from({ length: 3 * points.length }, () => random.below(points.length));
        const mesh = { positions: Float64Array.from(points.flat()), triangles, groups: [] };
        const { links, coefficients, origin, exponent } = buildKdopTree(mesh, { k, bits });
        const quantum = quantumOf({ exponent, bits });
        const heights = points.map((point) => exactHeights(point, origin, vectors, quantum).map(Number));
        for (let node = 0; node < links.length; node++) {
          if (!isLeaf(links[node])) continue;
          const corners = [...triangles.subarray(3 * target(links[node]), 3 * target(links[node]) + 3)];
          const expected = heights[0].map((_, i) => Math.max(...corners.map((v) => heights[v][i])));
          // Object.is of toEqual: no -0 either.
          expect([...coefficients.subarray(k * node, k * node + k)]).toEqual(expected);
        }
      }
    },
  );
});

test('heights far beyond the coefficients are far beyond them still', () => {
  const row = new Float64Array(26);
  const { vectors } = dopDirections(26);
  const frame = { origin: new Float64Array(3), vectors, quantumExponent: -900 };
  roundedHeights(1e99, -2e99, 1e98, frame, row, 0);
  exactHeights([1e99, -2e99, 1e98], [0, 0, 0], vectors, 2 ** -900).forEach((expected, i) => {
    expect(Math.sign(row[i])).toBe(expected > 0n ? 1 : -1);
    expect(Math.abs(row[i])).toBeGreaterThan(2 ** 36);
  });
});

// A height that underflows in quanta is still not 0.
test.each([
  [6, [1e-250, 0, 0]],
  [14, [1e-300, 1e-300, 1e-300]],
  [26, [-5e-324, 5e-324, 1e-200]],
] as const)('k = %i: %s in quanta of 2^300', (k, point) => {
  const { vectors } = dopDirections(k);
  const row = new Float64Array(k);
  const frame = { origin: new Float64Array(3), vectors, quantumExponent: 300 };
  roundedHeights(point[0], point[1], point[2], frame, row, 0);
  expect([...row]).toEqual(exactHeights(point, [0, 0, 0], vectors, 2 ** 300).map(Number));
});

test.each([8, 16, 24, 36])('built trees of %i bits hold every vertex exactly, with the least coefficients', (bits) => {
  const far = mapped(tetrahedron(), (x, y, z) => [1e-3 * x + 5e6, 1e-3 * y, 1e-3 * z - 7e6]);
  const giant = mapped(soup(tetrahedron()), (x, y, z) => [x * 1e99, y * 1e99, z * 1e99]);
  const wide = together(
    tetrahedron(),
    mapped(tetrahedron(), (x, y, z) => [x * 1e-9, y * 1e-20, z * 1e-40]),
  );
  for (const mesh of [bumpySphere(1, 0), far, giant, wide]) {
    for (const k of DOP_SIZES) {
      const tree = buildKdopTree(mesh, { k, bits });
      const { vectors } = dopDirections(k);
      const most: bigint[][] = Array.from({ length: tree.links.length }, () => []);
      for (let node = tree.links.length - 1; node >= 0; node--) {
        const aim = target(tree.links[node]);
        const below = isLeaf(tree.links[node])
          ? [0, 1, 2].map((corner) => {
              const v = 3 * tree.triangles[3 * aim + corner];
              return exactHeights([...tree.positions.subarray(v, v + 3)], tree.origin, vectors, quantumOf(tree));
            })
          : [most[aim], most[aim + 1]];
        most[node] = below[0].map((_, i) => below.reduce((max, row) => (row[i] > max ? row[i] : max), below[0][i]));
        expect([...tree.coefficients.subarray(k * node, k * node + k)]).toEqual(most[node].map(Number));
      }
    }
  }
});

describe('bits', () => {
  /** All numbers as one integer. */
  function packExactly(numbers: ArrayLike<number>, bits: number): number[] {
    let stream = 0n;
    for (let n = 0; n < numbers.length; n++) {
      stream |= BigInt.asUintN(bits, BigInt(numbers[n])) << BigInt(n * bits);
    }
    return Array.from({ length: Math.ceil((numbers.length * bits) / 8) }, (_, at) =>
      Number((stream >> BigInt(8 * at)) & 255n),
    );
  }

  const widths = Array.from({ length: 29 }, (_, i) => 8 + i);

  test.each(widths)('%i: written as one long integer would be, and read back, seed 5', (bits) => {
    const random = seeded(5 + bits);
    const most = 2 ** (bits - 1) - 1;
    const extremes = [0, -1, 1, most, -most, -most - 1, most - 1, 2 ** (bits - 2), -(2 ** (bits - 2)), 127, -128];
    for (let length = 0; length < 40; length++) {
      const numbers = Array.from({ length }, (_, n) => {
        if (length === 11) return extremes[n];
        return random.below(3) === 0 ? random.pick(extremes) : random.below(2 * most + 2) - most - 1;
      });
      const bytes = packBits(numbers, bits);
      expect([...bytes]).toEqual(packExactly(numbers, bits));
      const out = new Float64Array(length);
      unpackBits(bytes, bits, out);
      expect([...out]).toEqual(numbers);
    }
  });

  test('the example', () => {
    expect([...packBits([1, -1], 12)]).toEqual([0x01, 0xf0, 0xff]);
    const few = new Int16Array(1);
    unpackBits(Uint8Array.of(0x01, 0xf0, 0xff), 12, few);
    expect(few[0]).toBe(1);
  });

  test('long rows: no error adds up, seed 6', () => {
    const random = seeded(6);
    for (const bits of [9, 27, 35, 36]) {
      const numbers = Float64Array.from({ length: 3000 }, () => random.below(2 ** bits) - 2 ** (bits - 1));
      const bytes = packBits(numbers, bits);
      expect([...bytes]).toEqual(packExactly(numbers, bits));
      const out = new Float64Array(numbers.length);
      unpackBits(bytes, bits, out);
      expect(out).toEqual(numbers);
    }
  });
});
