/** Sines against an oracle in whole numbers, 256 bits behind the point. */
import { describe, expect, test } from 'vitest';
import { cosineSineOfDegrees, LARGEST_ANGLE, SINE_ERROR, sineCosine } from '../../src/math/sine.ts';
import { exactSineCosine, fixed, ONE, PI } from '../support/fixed.ts';
import { seeded } from '../support/random.ts';

const size = (x: bigint): bigint => (x < 0n ? -x : x);

describe('the oracle', () => {
  test('agrees with Math.sin', () => {
    for (const x of [0, 0.5, 1, -2, 10, 100000.25]) {
      const [s, c] = exactSineCosine(fixed(x)).map((y) => Number(y >> 192n) / 2 ** 64);
      expect(s).toBeCloseTo(Math.sin(x), 14);
      expect(c).toBeCloseTo(Math.cos(x), 14);
    }
  });
});

describe('sineCosine', () => {
  const out = new Float64Array(2);
  const off = (x: number): number => {
    sineCosine(x, out);
    const [s, c] = exactSineCosine(fixed(x));
    const most = [size(fixed(out[0]) - s), size(fixed(out[1]) - c)].reduce((a, b) => (a > b ? a : b));
    return Number(most) / Number(ONE);
  };

  test.each([1, 2, 3])('within SINE_ERROR of the exact one, seed %i', (seed) => {
    const random = seeded(seed);
    let worst = 0;
    for (let trial = 0; trial < 3000; trial++) {
      const scale = [1, 4, 2 ** 10, 2 ** 18, 2 ** 20, 2 ** -30][trial % 6];
      worst = Math.max(worst, off(scale * random.between(-1, 1)));
    }
    expect(worst).toBeLessThan(SINE_ERROR);
    // Not a bound that anything would pass.
    expect(worst).toBeGreaterThan(SINE_ERROR / 16);
  });

  test('near multiples of pi / 4 and at the ends, seed 4', () => {
    const random = seeded(4);
    for (let trial = 0; trial < 3000; trial++) {
      const k = trial < 20 ? trial - 10 : random.below(2 ** 21) - 2 ** 20;
      const x = k * (Math.PI / 4) * (1 + (random.below(9) - 4) * 2 ** -52);
      expect(off(x)).toBeLessThan(SINE_ERROR);
    }
    for (const x of [0, -0, 2 ** -1074, LARGEST_ANGLE, -LARGEST_ANGLE, 2 ** 18])
      expect(off(x)).toBeLessThan(SINE_ERROR);
  });

  test('the bytes of some, which every engine must give', () => {
    sineCosine(1, out);
    expect([...out]).toEqual([0.8414709848078965, 0.5403023058681398]);
    sineCosine(0, out);
    expect([...out]).toEqual([0, 1]);
    sineCosine(-1e5, out);
    expect([...out]).toEqual([-0.03574879797201651, -0.9993608074382124]);
  });
});

describe('cosineSineOfDegrees', () => {
  test('exact at multiples of 90', () => {
    for (let k = -9; k <= 9; k++) {
      const quarter = ((k % 4) + 4) % 4;
      expect(cosineSineOfDegrees(90 * k)).toEqual(
        [
          [1, 0],
          [0, 1],
          [-1, 0],
          [0, -1],
        ][quarter],
      );
    }
    expect(cosineSineOfDegrees(90 * 2 ** 60)).toEqual([1, 0]);
    expect(cosineSineOfDegrees(-0)).toEqual([1, 0]);
  });

  test('sin 30 and cos 60 are 1/2, sin 45 is cos 45', () => {
    expect(cosineSineOfDegrees(30)[1]).toBe(0.5);
    expect(cosineSineOfDegrees(150)[1]).toBe(0.5);
    expect(cosineSineOfDegrees(-60)[0]).toBe(0.5);
    expect(cosineSineOfDegrees(240)[0]).toBe(-0.5);
    expect(cosineSineOfDegrees(45)).toEqual([Math.SQRT1_2, Math.SQRT1_2]);
  });

  test.each([1, 2, 3])('within 1.05 units in the last place of each, seed %i', { tags: ['all'] }, (seed) => {
    const random = seeded(seed);
    for (let trial = 0; trial < 2000; trial++) {
      const about = [0, 0, 90, -180, 45, 1e6][trial % 6];
      const degrees = about + 10 ** random.between(-12, 2.6) * (random.below(2) === 0 ? -1 : 1);
      const [s, c] = exactSineCosine((fixed(degrees) * PI) / (180n * ONE));
      const [cosine, sine] = cosineSineOfDegrees(degrees);
      for (const [got, exact] of [
        [sine, s],
        [cosine, c],
      ] as const) {
        const unit = 2 ** (Math.floor(Math.log2(Math.abs(got))) - 52);
        expect(size(fixed(got) - exact) <= fixed(1.05 * unit)).toBe(true);
      }
    }
  });
});
