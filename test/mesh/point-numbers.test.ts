/** Points get numbers by first use, as from a map of their texts, in batches of any size. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BATCH, hashPoints, joinPoints, PointNumbers } from '../../src/mesh/point-numbers.ts';
import { joinCorners } from '../../src/mesh/weld.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';

const SEED = 20261128;
const RUNS = long ? 5000 : 300;

/** The oracle: a map by text, where 0 and -0 are one; the first point's bits. */
function slowly(points: Float64Array): { numbers: number[]; positions: number[] } {
  const known = new Map<string, number>();
  const positions: number[] = [];
  const numbers = Array.from({ length: points.length / 3 }, (_, i) => {
    const point = points.subarray(3 * i, 3 * i + 3);
    const key = Array.from(point, (x) => x + 0).join(' ');
    const number = known.get(key) ?? known.size;
    if (!known.has(key)) positions.push(...point);
    known.set(key, number);
    return number;
  });
  return { numbers, positions };
}

function numbered(points: Float64Array, { expected = 0, batch = BATCH, isInPlace = false } = {}) {
  const count = points.length / 3;
  const own = isInPlace ? new PointNumbers(expected, count, points) : new PointNumbers(expected, count);
  const out = new Uint32Array(count);
  for (let first = 0; first < count; first += batch) {
    own.add(points, first, Math.min(batch, count - first), out, first);
  }
  return { numbers: Array.from(out), positions: Array.from(own.positions()) };
}

function joinedAtOnce(points: Float64Array, spare = 0) {
  const all = new Float64Array(points.length + 3 * spare);
  all.set(points);
  const { positions, number } = joinPoints(all, points.length / 3);
  const numbers = number ? Array.from(number) : Array.from({ length: points.length / 3 }, (_, p) => p);
  return { numbers, positions: Array.from(positions) };
}

/** A double whose bits the hash folds to `folded`, however its high bits are. */
function doubleOf(high: number, folded: number): number {
  const words = new Uint32Array(2);
  words[1] = high;
  words[0] = folded ^ Math.imul(high, 0x9e3779b1);
  return new Float64Array(words.buffer)[0];
}

/** Signs of zero, subnormal numbers, small whole numbers, neighbors, any doubles. */
const coordinate = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, -0, 1, -1) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(5e-324, -5e-324, 2 ** -1022, 1e308, -1e308, 0.1, 0.1 + 2 ** -56) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
);
const points = fc
  .array(fc.tuple(coordinate, coordinate, coordinate), { maxLength: 200 })
  .map((all) => Float64Array.from(all.flat()));

test(`as a map of texts numbers them, in batches and in place (seed ${SEED})`, { tags: ['quick', 'long'] }, () => {
  fc.assert(
    fc.property(points, fc.integer({ min: 1, max: 40 }), fc.nat(50), (all, batch, expected) => {
      const slow = slowly(all);
      expect(numbered(all, { batch, expected })).toEqual(slow);
      expect(numbered(all.slice(), { batch, expected, isInPlace: true })).toEqual(slow);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`random bytes as points, NaN and infinities among them: NaN equals nothing (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 480 }), (bytes) => {
      const all = new Float64Array(3 * Math.floor(bytes.length / 24));
      new Uint8Array(all.buffer).set(bytes.subarray(0, all.byteLength));
      all.set([Number.NaN, 0, 0, Number.NaN, 0, 0].slice(0, Math.min(6, all.length)));
      const { numbers } = numbered(all, { expected: 1 });
      for (const [i, number] of numbers.entries()) {
        const earlier = numbers.findIndex((_, k) => [0, 1, 2].every((axis) => all[3 * k + axis] === all[3 * i + axis]));
        if (earlier >= 0) expect(number).toBe(numbers[earlier]);
        else expect(numbers.indexOf(number)).toBe(i);
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

describe('more points than a batch and than were expected', () => {
  const count = 5 * BATCH + 7;
  const few = Float64Array.from({ length: 3 * count }, (_, k) => ((k * k) % 97) * (k % 2 ? 1 : -1) * 0.25);
  const all = Float64Array.from({ length: 3 * count }, (_, k) => Math.floor(k / 3) * 2 ** (k % 3));

  test.each([
    ['some at one place', few],
    ['all apart', all],
  ])('%s', (_, own) => {
    const slow = slowly(own);
    for (const expected of [0, 10, count, 4 * count]) expect(numbered(own, { expected })).toEqual(slow);
    expect(numbered(own.slice(), { expected: count, isInPlace: true })).toEqual(slow);
  });

  test('corners are joined alike', () => {
    const corners = 3 * BATCH + 3;
    const own = few.subarray(0, 3 * corners);
    const { positions, triangles } = joinCorners(corners, (first, some, out) =>
      out.set(own.subarray(3 * first, 3 * (first + some))),
    );
    expect({ numbers: Array.from(triangles), positions: Array.from(positions) }).toEqual(slowly(own));
  });
});

test('no corners', () => {
  const { positions, triangles } = joinCorners(0, () => {});
  expect([positions.length, triangles.length]).toEqual([0, 0]);
});

describe('all at once', () => {
  test(`as a map of texts numbers them (seed ${SEED})`, { tags: ['quick', 'long'] }, () => {
    fc.assert(
      fc.property(points, fc.nat(3), (all, spare) => {
        expect(joinedAtOnce(all, spare)).toEqual(slowly(all));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test(`other points with equal hashes stay apart (seed ${SEED})`, () => {
    const high = fc.integer({ min: 0x3ff00000, max: 0x3ff00003 });
    const colliding = fc.tuple(high, fc.constantFrom(7, 8)).map(([bits, folded]) => doubleOf(bits, folded));
    const some = fc.array(fc.tuple(colliding, colliding, fc.constantFrom(0, -0)), { minLength: 2, maxLength: 200 });
    expect(hashPoints(Float64Array.of(doubleOf(0x3ff00000, 7), 0, 0), 0, 1)[0]).toBe(
      hashPoints(Float64Array.of(doubleOf(0x3ff00003, 7), 0, 0), 0, 1)[0],
    );
    fc.assert(
      fc.property(some, (all) => {
        const own = Float64Array.from(all.flat());
        expect(joinedAtOnce(own)).toEqual(slowly(own));
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test(`several parts (seed ${SEED})`, () => {
    const random = seeded(SEED).next;
    const apart = Float64Array.from({ length: 3 * 20_000 }, random);
    const cells = Float64Array.from({ length: 3 * 20_000 }, () => Math.floor(20 * random()) - 10);
    const one = apart.slice();
    one.copyWithin(3 * 19_999, 3 * 777, 3 * 778);
    for (const all of [apart, cells, one]) expect(joinedAtOnce(all)).toEqual(slowly(all));
    expect(joinPoints(apart.slice(), 20_000).number).toBe(null);
  });

  test('NaN equals nothing', () => {
    const own = Float64Array.of(Number.NaN, 0, 0, 1, 0, 0, Number.NaN, 0, 0, 1, -0, 0);
    expect(joinedAtOnce(own).numbers).toEqual([0, 1, 2, 1]);
  });
});
