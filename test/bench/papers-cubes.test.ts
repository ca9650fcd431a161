/**
 * The tables of the cubes' paper: what is printed agrees with itself, and with our least squares.
 */
import { describe, expect, it } from 'vitest';
import { MODELS, PROCESSORS, TIMES } from '../../bench/papers/cubes-printed.mjs';
import { argumentAt, convexity, quadraticFit } from '../../bench/papers/least-squares.mjs';

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
