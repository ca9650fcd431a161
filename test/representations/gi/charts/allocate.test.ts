/** Samples are shared out within the budget, where they lower the error most. */
import { expect, test } from 'vitest';
import { allocate, type Demand } from '../../../../src/representations/gi/make/charts/allocate.ts';
import { seeded } from '../../../support/random.ts';
import { countsSteps, stepsOf } from '../../../support/steps.ts';

const samplesOf = (exponents: ArrayLike<number>): number =>
  Array.from(exponents, (e) => (2 ** e + 1) ** 2).reduce((a, b) => a + b, 0);
const errorOf = (demands: readonly Demand[], exponents: ArrayLike<number>): number =>
  demands.reduce((sum, { cost }, i) => sum + cost / 16 ** exponents[i], 0);

/** Costs over six decades. */
function demandsOf(seed: number, count: number): Demand[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    return { cost: 10 ** random.between(-3, 3), negligible: 0, smallest: random.below(3) };
  });
}

test.each([1, 2, 3, 4, 5, 6])('at most 1.3 times the samples, and no step more would fit, seed %i', (seed) => {
  const demands = demandsOf(seed, 30);
  const exponents = allocate(demands, 10_000);
  expect(samplesOf(exponents)).toBeLessThanOrEqual(13_000);
  demands.forEach(({ smallest }, i) => {
    expect(exponents[i]).toBeGreaterThanOrEqual(smallest);
    const more = Int32Array.from(exponents);
    more[i]++;
    expect(samplesOf(more)).toBeGreaterThan(13_000);
  });
});

test.each([1, 2, 3, 4, 5, 6])(
  'no other sizes of as many samples have a smaller error: all of them tried, seed %i',
  (seed) => {
    const demands = demandsOf(seed, 4);
    const exponents = allocate(demands, 2000);
    const [budget, error] = [samplesOf(exponents), errorOf(demands, exponents)];
    const tried = new Int32Array(4);
    let best = Number.POSITIVE_INFINITY;
    const walk = (i: number): void => {
      if (i === 4) {
        if (samplesOf(tried) <= budget) best = Math.min(best, errorOf(demands, tried));
        return;
      }
      for (tried[i] = demands[i].smallest; tried[i] < 7; tried[i]++) walk(i + 1);
    };
    walk(0);
    // Steps are of different sizes: what is left over at the end may have bought something else.
    expect(error).toBeLessThanOrEqual(1.7 * best);
    expect(best).toBeLessThanOrEqual(error);
  },
);

test('more samples take nothing from anyone as long as no step is left out, and a dearer chart gets no fewer', () => {
  const demands = [1, 10, 100, 1000].map((cost): Demand => ({ cost, negligible: 0, smallest: 0 }));
  let before = allocate(demands, 100);
  for (let samples = 200; samples < 100_000; samples *= 2) {
    const exponents = allocate(demands, samples);
    expect(errorOf(demands, exponents)).toBeLessThanOrEqual(errorOf(demands, before));
    for (let i = 1; i < 4; i++) expect(exponents[i]).toBeGreaterThanOrEqual(exponents[i - 1]);
    before = exponents;
  }
});

test('nothing for what nobody would see, nor for what costs nothing', () => {
  const demands = [
    { cost: 0, negligible: 0, smallest: 0 },
    { cost: 16, negligible: 1, smallest: 0 },
    { cost: 16, negligible: 0.99, smallest: 0 },
  ];
  expect(Array.from(allocate(demands, 5000))).toEqual([0, 1, 2]);
});

test('smallest sizes are kept even where they alone pass the budget', () => {
  const demands = Array.from({ length: 10 }, () => ({ cost: 1, negligible: 0, smallest: 3, size: 1e-9 }));
  expect(Array.from(allocate(demands, 100))).toEqual(new Array(10).fill(3));
});

test('what is a thousandth of the whole is off by 2 % of its own size at most', () => {
  // A sphere of radius r: area r^2, costs like r^4, own error at its own size r^4.
  const sphere = (r: number): Demand => ({ cost: r ** 4, negligible: 0, smallest: 0, size: 4 * r ** 4 });
  const demands = [sphere(1), sphere(1e-3), sphere(1e-3)];
  const exponents = allocate(demands, 4000);
  demands.forEach(({ cost, size }, i) => {
    expect(Math.sqrt(cost / 16 ** exponents[i] / size!)).toBeLessThanOrEqual(0.02);
  });
  const { size, ...blind } = demands[1];
  expect(size).toBeGreaterThan(0);
  // Blind to that, the large one leaves less.
  expect(allocate([sphere(1), demands[1]], 3300)[1]).toBeGreaterThan(2);
  expect(allocate([sphere(1), blind], 3300)[1]).toBeLessThan(3);
});

test.skipIf(!countsSteps)('steps grow with the number of charts, and no faster than it times its logarithm', () => {
  const steps = (count: number): number => stepsOf(() => allocate(demandsOf(1, count), 10 * count));
  expect(steps(30_000)).toBeLessThan(60 * steps(1000));
});
