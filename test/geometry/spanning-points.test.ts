/** Manifolds of few points against the best of all. */
import { expect, test } from 'vitest';
import { spanningPoints } from '../../src/geometry/outline.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';

const chosenOf = (points: number[][], normal = [0, 0, 1]): number[][] => {
  const centre = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / points.length);
  const all = Int32Array.from(points.keys());
  return spanningPoints(Float64Array.from(points.flat()), all, 0, all.length, centre, normal).map((p) => points[p]);
};

/** Twice the area within, as it is seen along z; positive where the points go round it to the left. */
const area = (points: number[][]): number =>
  points.reduce((sum, [x, y], k) => {
    const [u, v] = points[(k + 1) % points.length];
    return sum + x * v - u * y;
  }, 0);

test('corners of a rectangle, whatever lies on its sides and within', () => {
  const corners = [
    [0, 0, 7],
    [3, 0, 7],
    [3, 2, 7],
    [0, 2, 7],
  ];
  const others = [
    [1, 0, 7],
    [2, 1, 7],
    [3, 1, 7],
    [0.5, 1.5, 7],
  ];
  const chosen = chosenOf([...others, ...corners]);
  expect(chosen.map(String).toSorted()).toEqual(corners.map(String).toSorted());
  expect(area(chosen)).toBe(12);
  expect(area(chosenOf([...others, ...corners], [0, 0, -1]))).toBe(-12);
});

test('the ends of a line, a point that comes often, three corners, nothing', () => {
  const ends = chosenOf([0.5, 0, 3, 1, 2].map((x) => [x, 2 * x, 0])).map(String);
  expect(ends.toSorted()).toEqual(['0,0,0', '3,6,0']);
  expect(chosenOf([1, 1, 1].map(() => [4, 5, 6]))).toEqual([[4, 5, 6]]);
  const three = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ];
  expect(chosenOf([...three, [0.25, 0.25, 0]]).length).toBe(3);
  expect(spanningPoints(new Float64Array(0), new Int32Array(0), 0, 0, [0, 0, 0], [0, 0, 1])).toEqual([]);
});

test.each(long ? [1, 2, 3, 4, 5, 6] : [1])(
  'four of many go round half of the largest area at least, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    for (let trial = 0; trial < 20; trial++) {
      const points = Array.from({ length: 9 }, () => [random.between(-1, 1), random.between(-1, 1), 0]);
      const chosen = chosenOf(points);
      let most = 0;
      for (const p of points)
        for (const q of points)
          for (const r of points) for (const s of points) most = Math.max(most, area([p, q, r, s]));
      expect(area(chosen)).toBeGreaterThan(0.5 * most);
    }
  },
);
