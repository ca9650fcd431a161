/** What exponential.ts and taylor.ts say of their errors, held to series in whole numbers. */
import { describe, expect, test } from 'vitest';
import {
  EXPONENTIAL_ERROR,
  exponential,
  LARGEST_EXPONENT,
  LOGARITHM_ERROR,
  logarithm,
  power,
  powerError,
  SMALLEST_NORMAL,
} from '../../../src/math/exponential.ts';
import { LARGEST_ANGLE } from '../../../src/math/sine.ts';
import { OP } from '../../../src/representations/frep/tree/program.ts';
import {
  boundFunction,
  EXPANSION,
  EXPANSION_NUMBERS,
  evaluateFunction,
  expandFunction,
  slopeOfFunction,
} from '../../../src/representations/frep/tree/taylor.ts';
import {
  type Dyadic,
  dyadic,
  exponentialOf,
  functionOf,
  isAtLeast,
  isAtMost,
  logarithmOf,
  minus,
  numberOf,
  plus,
  powerOf,
  size,
  times,
} from '../../support/frep-programs.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';

/** True if x is no farther than `error` from a value between the two. */
function isWithin(x: number, { low, high }: { low: Dyadic; high: Dyadic }, error: Dyadic): boolean {
  const of = dyadic(x);
  return minus(minus(low, error), of).m <= 0n && minus(of, plus(high, error)).m <= 0n;
}

test('the oracle agrees with Math', () => {
  for (const x of [0.001, 0.5, 1, 2, 30.25, 600]) {
    expect(numberOf(exponentialOf(dyadic(-x)).low) / Math.exp(-x)).toBeCloseTo(1, 13);
    expect(numberOf(logarithmOf(dyadic(x)).low)).toBeCloseTo(Math.log(x), 13);
    expect(numberOf(powerOf(dyadic(x), 1.3).high) / x ** 1.3).toBeCloseTo(1, 12);
  }
});

/** Numbers of all sizes, around 1 and around halves of ln 2 more often than others. */
function positive(random: Random): number {
  const kind = random.below(4);
  if (kind === 0) return 1 + random.between(-1, 1) * 2 ** -random.below(50);
  if (kind === 1) return 2 ** Math.round(random.between(-1000, 1000));
  return 10 ** random.between(-300, 300);
}

describe.each(some(1, [1, 2, 3]))('own exponentials, logarithms and powers, seed %i', (seed) => {
  const count = long ? 4000 : 300;

  test('are within the errors that are named', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    for (let n = 0; n < count; n++) {
      const x = [random.between(-708, 708), random.between(-1, 1), (Math.LN2 / 2) * random.below(9)][n % 3];
      const value = exponentialOf(dyadic(x));
      expect(isWithin(exponential(x), value, times(value.high, dyadic(EXPONENTIAL_ERROR))), `exp ${x}`).toBe(true);
      const y = positive(random);
      const log = logarithmOf(dyadic(y));
      const error = times(plus(dyadic(1), size(log.high)), dyadic(LOGARITHM_ERROR));
      expect(isWithin(logarithm(y), log, error), `log ${y}`).toBe(true);
      const p = random.pick([2, 3, 17, 100, -1, -5, 0.5, -0.5, 1.5, 7.5, 0.3, -2.2, random.between(-9, 9)]);
      const z = 10 ** random.between(-2.5, 2.5) * (p === Math.floor(p) && random.below(2) === 0 ? -1 : 1);
      const raised = powerOf(dyadic(z), p);
      const off = times(size(raised.high), dyadic(powerError(z, p)));
      expect(isWithin(power(z, p), raised, off), `${z}^${p}`).toBe(true);
    }
  });

  test('at the ends', () => {
    for (const x of [LARGEST_EXPONENT, -LARGEST_EXPONENT, 0, -0, Number.MIN_VALUE])
      expect(exponential(x) / Math.exp(x)).toBeCloseTo(1, 12);
    for (const x of [SMALLEST_NORMAL, Number.MAX_VALUE, 1, Math.SQRT2, Math.SQRT1_2])
      expect(logarithm(x)).toBeCloseTo(Math.log(x), 12);
    expect(logarithm(1)).toBe(0);
    expect([power(0, 2), power(0, 0.5), power(-2, 3), power(-2, -2), power(4, 1.5)]).toEqual([0, 0, -8, 0.25, 8]);
  });
});

test('beyond the largest exponent a lower bound is finite, and no upper one is', () => {
  const bounds = new Float64Array(2);
  for (const low of [708.5, 709.9, 710.1, 1000, 2130, 3600, Number.MAX_VALUE]) {
    boundFunction(OP.EXPONENTIAL, 0, low, low, bounds);
    expect([...bounds]).toEqual([
      exponential(LARGEST_EXPONENT) * (1 - 2 * EXPONENTIAL_ERROR),
      Number.POSITIVE_INFINITY,
    ]);
  }
});

const FUNCTIONS: [string, number, number][] = [
  ['sine', OP.SINE, 0],
  ['cosine', OP.COSINE, 0],
  ['exponential', OP.EXPONENTIAL, 0],
  ['logarithm', OP.LOGARITHM, 0],
  ...[2, 3, 5, 8, -1, -2, 0.5, -0.5, 1.5, 0.3, 6.25].map((p): [string, number, number] => [`power ${p}`, OP.POWER, p]),
];

function rangeOf(random: Random, op: number, p: number): [number, number] {
  const half = 10 ** random.between(-9, 0.7);
  const isAbove0 = op === OP.LOGARITHM || (op === OP.POWER && p !== Math.floor(p));
  const middle = isAbove0
    ? 10 ** random.between(-3, 2)
    : random.pick([0, random.between(-4, 4), random.between(-100, 100)]);
  return [middle - half, middle + half];
}

describe.each(some(1, [1, 2, 3, 4]))('ranges and expansions, seed %i', (seed) => {
  test.each(FUNCTIONS)('%s', { tags: ['quick', 'long'] }, (_, op, p) => {
    const random = seeded(seed);
    const bounds = new Float64Array(2);
    const expansion = new Float64Array(EXPANSION_NUMBERS);
    let expanded = 0;
    for (let trial = 0; trial < (long ? 1500 : 40); trial++) {
      const [low, high] = rangeOf(random, op, p);
      boundFunction(op, p, low, high, bounds);
      const hasExpansion = expandFunction(op, p, low, high, expansion);
      if (hasExpansion) expanded++;
      for (let n = 0; n < 5; n++) {
        const x = n < 2 ? [low, high][n] : Math.min(high, Math.max(low, random.between(low, high)));
        const value = functionOf(op, p, { low: dyadic(x), high: dyadic(x) });
        const where = `${x} of ${low} to ${high}`;
        expect(isAtLeast(value.high, bounds[0]), where).toBe(true);
        expect(isAtMost(value.low, bounds[1]), where).toBe(true);
        if (!hasExpansion) continue;
        const by = minus(dyadic(x), dyadic(expansion[EXPANSION.MIDDLE]));
        const bent = times(plus(times(dyadic(expansion[EXPANSION.BEND]), by), dyadic(expansion[EXPANSION.SLOPE])), by);
        const model = plus(bent, dyadic(expansion[EXPANSION.CONSTANT]));
        const error = dyadic(expansion[EXPANSION.ERROR]);
        expect(minus(value.low, plus(model, error)).m <= 0n, `${where}: above`).toBe(true);
        expect(minus(minus(model, error), value.high).m <= 0n, `${where}: below`).toBe(true);
      }
    }
    expect(expanded).toBeGreaterThan(10);
  });
});

test.each(FUNCTIONS)('%s: an expansion of half the range has at most a sixth of its error', (_, op, p) => {
  if (p === 2) return;
  const expansion = new Float64Array(EXPANSION_NUMBERS);
  const errors = [2 ** -4, 2 ** -5, 2 ** -6, 2 ** -7].map((half) => {
    expect(expandFunction(op, p, 1.3 - half, 1.3 + half, expansion)).toBe(true);
    return expansion[EXPANSION.ERROR];
  });
  for (let n = 1; n < errors.length; n++) expect(errors[n]).toBeLessThan(errors[n - 1] / 6);
});

test('slopes are those of the values', () => {
  for (const [, op, p] of FUNCTIONS) {
    const [low, high] = [evaluateFunction(op, p, 1.3 - 1e-6), evaluateFunction(op, p, 1.3 + 1e-6)];
    expect(slopeOfFunction(op, p, 1.3)).toBeCloseTo((high - low) / 2e-6, 5);
  }
});

test.each<[string, number, number, number, number, number[]]>([
  ['a sine of too large an angle', OP.SINE, 0, LARGEST_ANGLE, LARGEST_ANGLE + 1, [-1, 1]],
  ['a cosine of anything', OP.COSINE, 0, -Infinity, Infinity, [-1, 1]],
  ['a sine of nothing known', OP.SINE, 0, Number.NaN, Number.NaN, [-1, 1]],
  ['a sine of a whole turn', OP.SINE, 0, 0, 6.3, [-1, 1]],
  ['an exponential of anything', OP.EXPONENTIAL, 0, -Infinity, Infinity, [0, Infinity]],
  ['an exponential of nothing known', OP.EXPONENTIAL, 0, Number.NaN, 1, [0, Infinity]],
  ['a logarithm at 0', OP.LOGARITHM, 0, 0, 1, [-Infinity, Infinity]],
  ['a divisor that may be 0', OP.POWER, -1, -1, 1, [-Infinity, Infinity]],
  ['a divisor that ends at 0', OP.POWER, -2, 0, 1, [-Infinity, Infinity]],
  ['a power of nothing known', OP.POWER, 2, Number.NaN, Number.NaN, [-Infinity, Infinity]],
  ['a square of anything', OP.POWER, 2, -Infinity, Infinity, [0, Infinity]],
  ['a root below 0', OP.POWER, 0.5, -2, -1, [0, 0]],
  ['a root of anything', OP.POWER, 0.5, -Infinity, Infinity, [0, Infinity]],
  ['a power that overflows', OP.POWER, 1024, 2, 4, [0, Infinity]],
])('%s', (_, op, p, low, high, expected) => {
  const bounds = new Float64Array(2);
  boundFunction(op, p, low, high, bounds);
  expect([...bounds]).toEqual(expected);
  const out = new Float64Array(EXPANSION_NUMBERS);
  if (!(high - low < 10)) expect(expandFunction(op, p, low, high, out)).toBe(false);
});

test('a root through 0 begins at 0; a sine over its highest place ends at 1', () => {
  const bounds = new Float64Array(2);
  boundFunction(OP.POWER, 0.5, -1, 4, bounds);
  expect(bounds[0]).toBe(0);
  expect(bounds[1]).toBeCloseTo(2, 12);
  // A tiny power of a number below the normal ones is no tiny number.
  boundFunction(OP.POWER, 0.01, 0, Number.MIN_VALUE, bounds);
  expect(bounds[1]).toBeGreaterThan(5e-4);
  boundFunction(OP.SINE, 0, 1, 2, bounds);
  expect(bounds[0]).toBeCloseTo(Math.sin(1), 12);
  expect(bounds[1]).toBe(1);
});
