/** Welded points against all pairs. */
import { expect, test } from 'vitest';
import { PairNumbers, weldNear } from '../../src/mesh/weld.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';

test.each(long ? [1, 2, 3, 4, 5, 6] : [1])(
  'what rounding parts is one, what is apart is not, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const tolerance = 2 ** -20;
    // On a lattice of cells' sides, where the most neighbours must be looked at, and beside it.
    const places = Array.from({ length: 300 }, () =>
      [0, 1, 2].map(() => Math.floor(random.between(-3, 4)) * 64 * tolerance + random.pick([0, 0, 40, 10]) * tolerance),
    );
    const points = places.flat().map((x) => x + random.between(-0.25, 0.25) * tolerance);
    const { of, first } = weldNear(Float64Array.from(points), places.length, tolerance);
    const known = new Map<string, number>();
    for (const [p, place] of places.entries()) {
      const name = String(place);
      if (!known.has(name)) {
        expect(first[known.size]).toBe(p);
        known.set(name, known.size);
      }
      expect(of[p]).toBe(known.get(name));
    }
    expect(first.length).toBe(known.size);
  },
);

test('0 and -0 are one place', () => {
  expect([...weldNear(Float64Array.of(0, 0, 0, -0, 0, -0), 2, 1e-9).of]).toEqual([0, 0]);
});

test('a pair has one number, whichever way round', () => {
  const numbers = new PairNumbers(3);
  expect([numbers.of(5, 2), numbers.of(2, 5), numbers.of(2, 2), numbers.of(0, 5), numbers.of(5, 0)]).toEqual([
    0, 0, 1, 2, 2,
  ]);
  expect([...numbers.low.subarray(0, 3), ...numbers.high.subarray(0, 3)]).toEqual([2, 2, 0, 5, 2, 5]);
});
