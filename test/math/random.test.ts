import { describe, expect, it } from 'vitest';
import { Random } from '../../src/math/numbers.ts';

describe('Random', () => {
  it('gives the same sequence for ever: seeds stand in test names and in stored figures', () => {
    const random = new Random(1);
    expect(Array.from({ length: 4 }, () => random.integer())).toEqual(FIRST_OF_SEED_1);
  });

  it('follows sfc32 as its author states it, on integers of any size (seed 7)', () => {
    // the oracle keeps every register as a BigInt reduced modulo 2^32
    const mask = 0xffff_ffffn;
    let [a, b, c, counter] = [0n, 7n, 0x2f8c41d5n, 1n];
    const next = () => {
      const sum = (a + b + counter) & mask;
      counter = (counter + 1n) & mask;
      a = b ^ (b >> 9n);
      b = (c + (c << 3n)) & mask;
      c = ((((c << 21n) | (c >> 11n)) & mask) + sum) & mask;
      return Number(sum);
    };
    for (let round = 0; round < 15; round++) next();
    const random = new Random(7);
    for (let i = 0; i < 10_000; i++) expect(random.integer()).toBe(next());
  });

  it('fills [0, 1) evenly, neighbours independent (seed 3)', () => {
    const random = new Random(3);
    const cells = new Float64Array(256);
    const count = 256_000;
    for (let i = 0; i < count; i++) {
      const [u, v] = [random.unit(), random.unit()];
      cells[16 * Math.floor(16 * u) + Math.floor(16 * v)]++;
    }
    expect(cells.reduce((sum, n) => sum + n)).toBe(count);
    const chiSquared = cells.reduce((sum, n) => sum + (n - count / 256) ** 2 / (count / 256), 0);
    expect(chiSquared).toBeGreaterThan(255 - 5 * Math.sqrt(510));
    expect(chiSquared).toBeLessThan(255 + 5 * Math.sqrt(510));
  });

  it('tells neighbouring seeds apart at once', () => {
    const firsts = new Set(Array.from({ length: 1000 }, (_, seed) => new Random(seed).integer()));
    expect(firsts.size).toBe(1000);
  });
});

const FIRST_OF_SEED_1: number[] = [21583916, 2139518163, 1557904531, 905566067];
