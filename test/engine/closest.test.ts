/** Distance and budgets where a review once found them wrong: tiny coordinates, pairs beyond the clearance, lists and brackets, fresh trees. */
import { expect, test } from 'vitest';
import { build, check } from '../../src/api.ts';
import { identity, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { untilLook } from '../support/clock.ts';
import { long } from '../support/long.ts';
import { bumpySphere } from '../support/shapes.ts';
import { countsSteps, stepsOf } from '../support/steps.ts';

const triangles = (...corners: number[]): Mesh => ({
  positions: Float64Array.from(corners),
  triangles: Uint32Array.from({ length: corners.length / 3 }, (_, i) => i),
  groups: [],
});
const kdop = (mesh: Mesh) => build(mesh, { format: 'kdop' });
const obb = (mesh: Mesh) => build(mesh, { format: 'obb' });

test('lengths whose squares underflow bound no distance from above', () => {
  const a = kdop(triangles(0, 0, 0, 1e-200, 0, 0, 0, 1e-200, 0));
  const b = kdop(triangles(1e-170, 0, 0, 1e-170, 1e-200, 0, 1e-170, 0, 1e-200));
  for (const more of [{}, { distance: true }, { budget: 1000 }]) {
    expect(check(a, b, { clearance: 1e-175, ...more }).verdict, JSON.stringify(more)).toBe('clear');
  }
  const { distance, bracket } = check(a, b, { distance: true });
  expect(distance).toBeGreaterThanOrEqual(0.99e-170);
  expect(bracket?.lower).toBeLessThanOrEqual(1.0001e-170);
});

test('a pair that is listed for a clearance is within it', () => {
  // The boxes of both say that something is near before any triangles do.
  const a = kdop(triangles(0, 0, 0, 0.1, 0, 0, 0, 0.1, 0, 0.3, 0, 0, 0.4, 0, 0, 0.3, 0.1, 0));
  for (const x of [0.7, 0.8, 0.9]) {
    const b = kdop(triangles(x, 0, 0, x + 0.1, 0, 0, x, 0.1, 0));
    for (let clearance = 0.22; clearance < 1; clearance += 0.05) {
      const { verdict, contacts } = check(a, b, { clearance, budget: 1000, contactPoints: true });
      expect(verdict).toBe(x - 0.4 <= clearance - 1e-12 ? 'contact' : 'clear');
      for (const { triangleDepth } of contacts.points ?? [])
        expect(-triangleDepth).toBeLessThanOrEqual(clearance * (1 + 1e-12));
      if (verdict === 'contact') expect(contacts.count).toBe(1);
    }
  }
});

test('a list and its bracket do not contradict each other', () => {
  const [a, b] = [obb(bumpySphere(1, 2)), obb(bumpySphere(2, 2))];
  for (let level = 0; level < 8; level++) {
    const both = { level, clearance: 9, distance: true, poseB: translation(3, 0, 0) };
    expect(check(a, b, both).verdict).toBe('contact');
    expect(check(a, b, { ...both, all: true }).verdict).toBe('contact');
  }
});

test('a check within onContact is refused, and the next one is not', () => {
  const [a, b] = [obb(bumpySphere(1, 2)), obb(bumpySphere(2, 2))];
  const poseB = translation(0.3, 0, 0);
  const nested = () => check(a, b, { poseB, all: true, onContact: () => check(a, b) });
  expect(nested).toThrow('check: called within onContact');
  const whole = check(a, b, { poseB, all: true });
  expect(whole.contacts.count).toBeGreaterThan(10);
  expect(() => check(a, b, { poseB, all: true, onContact: () => JSON.parse('{') })).toThrow(SyntaxError);
  expect(check(a, b, { poseB, all: true }).contacts).toEqual(whole.contacts);
});

test.skipIf(!countsSteps).each(['obb', 'kdop'] as const)(
  '%s: a budget is kept by trees that nothing has looked at yet',
  { tags: ['all', 'long'] },
  (format) => {
    const [first, second] = [1, 2].map((seed) => build(bumpySphere(seed, long ? 4 : 3), { format }));
    const options = { poseA: identity(), poseB: translation(2.5, 0, 0), distance: true, budget: 1 };
    /** What copies do, which no search has unfolded, when the time is over at a look. */
    const upTo = (looks: number): number =>
      stepsOf(() => {
        const { bracket, tests } = untilLook(looks, () => check({ ...first }, { ...second }, options)).result;
        expect(bracket?.upper).toBeGreaterThan(0);
        if (looks === 2) expect(tests).toEqual({ bounds: 1, hulls: 0 });
      });
    upTo(1e9);
    const steps = Array.from({ length: long ? 16 : 8 }, (_, i) => upTo(i + 2));
    // Each of 5120 triangles, or 1280, and of the nodes above them may be looked at once, to know how far the tree reaches.
    expect(steps[0]).toBeLessThan(50 * (long ? 2600 : 1280));
    for (let i = 1; i < steps.length; i++) expect(steps[i] - steps[i - 1]).toBeLessThan(10_000);
  },
);

test('contact points of cubes are refused before it is known whether there are any', () => {
  const cubes = build(bumpySphere(1, 2), { format: 'voxel', precision: 0.2 });
  const tree = obb(bumpySphere(1, 2));
  for (const x of [0.1, 9]) {
    const options = { poseB: translation(x, 0, 0), contactPoints: true };
    expect(() => check(tree, cubes, options)).toThrow('contactPoints: expected triangles, found voxel');
  }
});
