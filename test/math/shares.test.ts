import { describe, expect, test } from 'vitest';
import { readShard, shareOf } from '../../src/base/shares.ts';
import { Random } from '../../src/math/numbers.ts';

const sharesOf = (costs: readonly number[], count: number): number[][] =>
  Array.from({ length: count }, (_, n) => Array.from(shareOf(costs, { index: n + 1, count })));

describe('shares', () => {
  test('i/n, and nothing else', () => {
    expect(readShard('2/5')).toEqual({ index: 2, count: 5 });
    for (const text of ['0/5', '6/5', '1/0', '1/1001', '1', '/', '-1/2', '1/2/3', '1.5/2', ' 1/2', '1e1/20', ''])
      expect(() => readShard(text), text).toThrow(/^shard "/);
  });

  test.for([1, 2, 3])('each piece is in one share, and no share is dear, seed %i', { tags: ['all'] }, (seed) => {
    const random = new Random(seed);
    const costs = Array.from({ length: 500 }, () => random.integer() % 1000);
    for (const count of [1, 2, 7, 100, 600]) {
      const shares = sharesOf(costs, count);
      const all = shares.flat().sort((p, q) => p - q);
      expect(all).toEqual(costs.map((_, n) => n));
      for (const share of shares) expect(share).toEqual([...share].sort((p, q) => p - q));
      const loads = shares.map((share) => share.reduce((sum, piece) => sum + costs[piece], 0));
      const average = costs.reduce((sum, cost) => sum + cost, 0) / count;
      // Graham's bound for any list: the mean, and one piece more.
      expect(Math.max(...loads)).toBeLessThanOrEqual(average + Math.max(...costs));
    }
  });

  test('what costs nothing is shared, too', () => {
    expect(sharesOf([0, 0, 0, 0], 2)).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(sharesOf([], 3)).toEqual([[], [], []]);
  });
});
