/** The first time of contact, by closed forms and by dense sampling. */
import { expect, test } from 'vitest';
import { build } from '../../src/index.ts';
import { impactOf } from '../../src/motion/advance.ts';
import { moving } from '../support/moving.ts';
import { box } from '../support/shapes.ts';

const cube = build(box(), { format: 'obb' });

test('two boxes that come straight at each other', () => {
  const { verdict, first, tests } = impactOf(cube, cube, moving(), moving({ from: [3, 0.1, 0.2], to: [0, 0.1, 0.2] }));
  expect(verdict).toBe('contact');
  expect(first!.from).toBeLessThanOrEqual(2 / 3);
  expect(first!.to).toBeGreaterThanOrEqual(2 / 3);
  expect(first!.to - first!.from).toBeLessThanOrEqual(2 ** -20);
});

test('a box that turns beside another', () => {
  const { first } = impactOf(cube, cube, moving(), moving({ from: [1.1, 0, 0], degrees: 90 }));
  // cos x + sin x = 1.2
  const time = (Math.PI / 4 - Math.acos(1.2 / Math.SQRT2)) / (Math.PI / 2);
  expect(first!.from).toBeLessThanOrEqual(time);
  expect(first!.to).toBeGreaterThanOrEqual(time);
  expect(first!.to - first!.from).toBeLessThanOrEqual(2 ** -20);
});
