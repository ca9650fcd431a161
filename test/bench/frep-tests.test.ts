/** The seed's search as a model, held to values at points: what its tests say of cells, and what the lacking sign costs. */
import { expect, test } from 'vitest';
import { collide, half, isOutside, isUndefined, middle } from '../../bench/papers/frep-tests.mjs';
import { seeded } from '../support/random.ts';

type Ten = readonly number[];

const valueAt = ([a, b, c, d, e, f, g, h, i, k]: Ten, [x, y, z]: readonly number[]): number =>
  a * x * x + b * y * y + c * z * z + d * x * y + e * x * z + f * y * z + g * x + h * y + i * z + k;

test('a half of the cube has the values of the cube there, seed 1', () => {
  const random = seeded(1);
  for (let trial = 0; trial < 60; trial++) {
    const q = Array.from({ length: 10 }, () => random.between(-1, 1));
    const [axis, side] = [trial % 3, trial % 2 === 0 ? 1 : -1];
    const x = [0, 1, 2].map(() => random.between(-1, 1));
    const outer = x.map((u, k) => (k === axis ? (u + side) / 2 : u));
    expect(valueAt(half(q, axis, side), x)).toBeCloseTo(valueAt(q, outer), 12);
  }
});

test('with the sign, a cell that is called outside has no point of the solid, seed 2', () => {
  const random = seeded(2);
  const outside = { mended: 0, wrong: 0 };
  for (let trial = 0; trial < 1600; trial++) {
    const ten = (): number[] => Array.from({ length: 10 }, (_, k) => random.between(-0.3, 0.3) - (k === 9 ? 1 : 0));
    const perturbation = ten();
    if (trial % 2 === 0) perturbation[9] += 3;
    const solid = { base: ten(), perturbations: [perturbation] };
    const holds = Array.from({ length: 30 }, () => [0, 1, 2].map(() => random.between(-1, 1))).some(
      (x) => valueAt(solid.base, x) + Math.max(0, valueAt(perturbation, x)) ** 2 >= 0,
    );
    if (isOutside(solid, false)) {
      outside.mended++;
      expect(holds).toBe(false);
    }
    if (isOutside(solid, true) && holds) outside.wrong++;
  }
  expect(outside.mended).toBeGreaterThan(50);
  expect(outside.wrong).toBeGreaterThan(50);
});

test('as printed, a perturbation that is 2 everywhere is left out, and a contact with it', () => {
  const constant = (c: number): Ten => [0, 0, 0, 0, 0, 0, 0, 0, 0, c];
  expect([isUndefined(constant(2), true), isUndefined(constant(2), false)]).toEqual([true, false]);
  const solid = { base: constant(-1), perturbations: [constant(2)] };
  expect(middle(solid)).toBe(3);
  expect(collide([solid, solid], 3, true)).toBe('clear');
  expect(collide([solid, solid], 3, false)).toBe('contact');
});
