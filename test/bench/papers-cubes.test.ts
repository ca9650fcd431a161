/**
 * The tables of the cubes' paper: what is printed agrees with itself, and with our least squares.
 */
import { describe, expect, it } from 'vitest';
import { MODELS, PROCESSORS, TIMES } from '../../bench/papers/cubes-printed.mjs';
import {
  argumentAt,
  compareFits,
  convexity,
  linearFit,
  powerFit,
  quadraticFit,
  slopesOf,
  trend,
  verdictOfCases,
  verdictOfRise,
} from '../../bench/papers/least-squares.mjs';
import { countingWorkers, prefixInPlace, runPrinted } from '../../bench/papers/pram.mjs';
import { collideAllPairs } from '../../src/representations/voxel/bulk/collide.ts';
import { cellsOf } from '../../src/representations/voxel/tree/cube-set.ts';
import { boxOf, bruteForce, setOf } from '../representations/voxel/bulk/sets.ts';
import { seeded } from '../support/random.ts';

type Processor = keyof typeof PROCESSORS;
const names = Object.keys(PROCESSORS) as Processor[];

describe('quadratics by least squares', () => {
  it('find a quadratic again', () => {
    const points = [1, 2, 4, 7, 11].map((x): [number, number] => [x, 3 * x * x - 5 * x + 2]);
    const { a, b, c, r2 } = quadraticFit(points);
    expect([a, b, c, r2].map((x) => Number(x.toFixed(9)))).toEqual([3, -5, 2, 1]);
  });

  it('leave differences that no small change of a coefficient makes smaller', () => {
    const points: [number, number][] = [[1, 3], [2, 1], [3, 9], [5, 4], [8, 30]]; // biome-ignore format: a table
    const { a, b, c } = quadraticFit(points);
    const squares = (p: number, q: number, r: number) =>
      points.reduce((sum, [x, y]) => sum + (y - p * x * x - q * x - r) ** 2, 0);
    const least = squares(a, b, c);
    for (const by of [-1e-3, 1e-3]) {
      expect(squares(a + by, b, c)).toBeGreaterThan(least);
      expect(squares(a, b + by, c)).toBeGreaterThan(least);
      expect(squares(a, b, c + by)).toBeGreaterThan(least);
    }
  });

  it('have the greater argument of a value, or none', () => {
    expect(argumentAt({ a: 1, b: 0, c: 0 }, 9)).toBe(3);
    expect(argumentAt({ a: 1, b: 0, c: 10 }, 9)).toBeNull();
  });

  it('tell where slopes grow, and where values fall', () => {
    expect(convexity([[0, 0], [1, 1], [2, 4], [3, 3], [4, 9]])).toEqual({ positive: 2, of: 3, falls: 1 }); // biome-ignore format: a table
  });
});

describe('what a curve says by all of its points', () => {
  it('is a sum of columns, found again', () => {
    // biome-ignore format: a table
    const columns = [[1, 1, 1, 1, 1], [1, 2, 4, 8, 16], [5, 1, 3, 2, 9]];
    const ys = columns[0].map((_, n) => 7 - 2 * columns[1][n] + 0.5 * columns[2][n]);
    const { coefficients, r2 } = linearFit(columns, ys);
    expect([...coefficients, r2].map((x) => Number(x.toFixed(9)))).toEqual([7, -2, 0.5, 1]);
  });

  it('has the coefficient of determination of the line that statistics know', () => {
    // By hand: slope 0.6, constant 2.2; 2.4 of 6 are missed.
    // biome-ignore format: a table
    const { coefficients, r2 } = linearFit([[1, 1, 1, 1, 1], [1, 2, 3, 4, 5]], [2, 4, 5, 4, 5]);
    expect([...coefficients, r2].map((x) => Number(x.toFixed(9)))).toEqual([2.2, 0.6, 0.6]);
  });

  it('is a power, or the growth that fits best', () => {
    const points = [1, 2, 4, 8].map((x): [number, number] => [x, 3 * x ** -0.5]);
    const { factor, power, r2 } = powerFit(points);
    expect([factor, power, r2].map((x) => Number(x.toFixed(9)))).toEqual([3, -0.5, 1]);
    const logs = [2, 8, 32, 256].map((x): [number, number] => [x, 5 * Math.log2(x) + 1]);
    const [best] = compareFits(logs, { x: (x) => x, 'log x': Math.log2, 'sqrt x': Math.sqrt });
    expect([best.name, best.factor, best.rest].map((x) => (typeof x === 'string' ? x : Number(x.toFixed(9))))).toEqual([
      ...['log x', 5, 1],
    ]);
  });

  it('has slopes at the middle of two points', () => {
    // biome-ignore format: a table
    expect(slopesOf([[0, 1], [2, 5], [3, 4]])).toEqual([[1, 2], [2.5, -1]]);
  });

  it('rises, or does not, by all pairs of points', () => {
    const points = (ys: number[]) => ys.map((y, x): [number, number] => [x, y]);
    expect(trend(points([1, 3, 2, 2]))).toEqual({ rises: 3, falls: 2, of: 6, tau: 1 / 6 });
    expect([[1, 2, 4, 3], [1, 3, 2, 2], [4, 3, 5, 1], [1, 2]].map((ys) => verdictOfRise(points(ys)))).toEqual([
      ...['confirmed', 'partly', 'refuted', 'not comparable'],
    ]); // biome-ignore format: a table
    expect([[3, 3], [1, 3], [0, 3], [0, 0]].map(([held, of]) => verdictOfCases(held, of))).toEqual([
      ...['confirmed', 'partly', 'refuted', 'not comparable'],
    ]); // biome-ignore format: a table
  });
});

describe('the machine that counts', () => {
  it.each([1, 2, 3, 7, 64, 100])('adds %i numbers up in a logarithm of steps, or in what Q share', (n) => {
    const values = Array.from({ length: n }, (_, k) => (k * 7) % 5);
    for (const processors of [Infinity, 1, 3]) {
      const row = Float64Array.from(values);
      const steps = prefixInPlace(row, processors);
      expect([...row]).toEqual(values.map((_, k) => values.slice(0, k + 1).reduce((sum, x) => sum + x, 0)));
      if (processors === Infinity) expect(steps).toBe(3 * Math.ceil(Math.log2(n)));
      else expect(steps).toBeGreaterThanOrEqual((3 * (n - 1)) / processors);
    }
  });

  it('finds what brute force finds, by the algorithms as printed and by ours: seed 8', { tags: ['all'] }, async () => {
    const random = seeded(8);
    const sets = Array.from({ length: 7 }, () =>
      setOf(boxOf(random, [random.below(4), random.below(4), random.below(4)], 3, 0.6)),
    );
    const shared = bruteForce(sets).reduce((sum, [, , cells]) => sum + cells.length, 0);
    const counts = sets.map((set) => cellsOf(set).length / 3);
    const pairs = counts.flatMap((a, i) => counts.slice(i + 1).map((b) => a * b));
    const total = pairs.reduce((sum, x) => sum + x, 0);
    for (const processors of [1, 4, Infinity]) {
      const printed = runPrinted(sets.map(cellsOf), processors);
      expect(printed).toMatchObject({ pairs: 21, total, collided: shared });
      const { workers, steps } = countingWorkers(processors);
      const { work } = await collideAllPairs(sets, workers);
      expect(work).toMatchObject({ tuples: total, collided: shared });
      // Each two-tuple is compared: two numbers that name cubes are read, and one is written.
      expect(steps.detection).toBeGreaterThanOrEqual(processors === 1 ? 5 * total : 5);
      if (processors !== Infinity) continue;
      expect(printed.steps).toMatchObject({ preGeneration: 3, detection: 10, reduction: 8 });
      // Beside the two-tuples: their number, the width, and the first place, which pair 0 knows.
      expect([2, 3]).toContain(printed.steps.generation - 3 * Math.max(...pairs));
      expect(steps).toMatchObject({ preGeneration: 5, detection: 9, reduction: 8 });
    }
  });
});

describe('what the paper prints', () => {
  it.each(names)('%s: Table VII is the least-squares fit of its table of times', (name) => {
    const { a, b, c } = quadraticFit(TIMES[name]);
    const printed = PROCESSORS[name];
    // Printed to six decimals, or to as many digits.
    expect(Math.abs(a / printed.a - 1)).toBeLessThan(1e-5);
    expect(Math.abs(b - printed.b)).toBeLessThan(1e-6);
    expect(Math.abs(c - printed.c)).toBeLessThan(1e-6);
  });

  it.each(names)('%s: its N of a time is that of Table VII, rounded', (name) => {
    for (const [i, n] of MODELS[name].entries()) {
      const exact = argumentAt(PROCESSORS[name], 10 * (i + 1)) ?? Number.NaN;
      expect(Math.abs(exact - n)).toBeLessThan(0.52);
    }
  });
});
