/** Intervals that hold the distance of a point and a triangle, against rational arithmetic. */
import { describe, expect, test } from 'vitest';
import { pointDistanceWithin } from '../../src/geometry/point-triangle.ts';
import type { DistanceBracket } from '../../src/geometry/triangle-distance.ts';
import { Random } from '../../src/math/numbers.ts';
import { some } from '../support/long.ts';
import { squaredDistance, type Vector } from '../support/oracle.ts';
import { commonIntegers } from '../support/rational.ts';

const vectors = (q: bigint[]): Vector[] => [0, 3, 6].map((k) => [q[k], q[k + 1], q[k + 2]]);
const farthest = Float64Array.of(Number.POSITIVE_INFINITY);
const seeds = Array.from({ length: 400 }, (_, k) => k + 1);

/** Coordinates of a kind: a seed's cases are on a grid, in doubles, slivers or small. */
function numberOf(random: Random, kind: number): number {
  const x = 2 * random.unit() - 1;
  if (kind === 0) return Math.round(3 * x);
  return kind === 1 ? x : kind === 2 ? x * 2 ** -((random.integer() % 40) + 1) : x * 1e-3 + 1;
}

describe.each(some(8, seeds))('seed %i', (seed) => {
  const random = new Random(seed);
  const scale = 10 ** ((seed % 9) * 10 - 40);

  test('an interval holds the distance', { tags: ['quick', 'long'] }, () => {
    const out: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
    for (let n = 0; n < 100; n++) {
      const corners = Float64Array.from({ length: 9 }, () => scale * numberOf(random, n % 4));
      if (n % 5 === 0) for (let k = 0; k < 3; k++) corners[6 + k] = (corners[k] + corners[3 + k]) / 2;
      const at = [0, 1, 2].map((k) => (n % 7 === 0 ? corners[k] : scale * 2 * numberOf(random, n % 3)));
      const point = Float64Array.from([...at, ...at, ...at]);
      pointDistanceWithin(point, corners, out, farthest);
      const { lower, upper } = out;
      const q = commonIntegers([...point, ...corners, lower, upper]);
      const [over, under] = squaredDistance(vectors(q.slice(0, 9)), vectors(q.slice(9, 18)));
      const where = `${corners} from ${at}`;
      expect(q[18] * q[18] * under <= over, where).toBe(true);
      expect(q[19] * q[19] * under >= over, where).toBe(true);
      expect(upper === 0, where).toBe(over === 0n);
      const size = Math.max(...corners.map((x, k) => Math.abs(x - point[k])));
      expect(upper - lower, where).toBeLessThanOrEqual(1e-14 * size);
    }
  });
});
