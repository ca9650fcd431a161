/** Distance, clearance and answers within a time, over every ordered pair of representations, held to brute force over all triangles. */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/engine/prepared.ts';
import type { ContactPair } from '../../src/engine/records.ts';
import type { DistanceBracket } from '../../src/geometry/triangle-distance.ts';
import { triangleDistance } from '../../src/geometry/triangle-distance.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { nearContact, randomDirection, randomRotation, shifted, surfaceOf } from '../support/agreement.ts';
import { untilLook } from '../support/clock.ts';
import { long } from '../support/long.ts';
import { movePoints } from '../support/move-points.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, mapped } from '../support/shapes.ts';
import { pairsOf, triangulated, variants } from './variants.ts';

const shape = (seed: number) => mapped(bumpySphere(seed, 1), (x, y, z) => [x, 0.8 * y, 1.2 * z]);
const assets = triangulated.map((variant) => ({ ...variant, a: variant.build(shape(3)), b: variant.build(shape(4)) }));
const pairs = pairsOf(assets).map(([p, q]) => ({ name: `${p.name} x ${q.name}`, a: p.a, b: q.b }));

function corners({ positions, triangles }: Surface, pose: Pose): Float64Array {
  const moved = new Float64Array(positions.length);
  movePoints(pose, positions, moved);
  return Float64Array.from(
    { length: 3 * triangles.length },
    (_, i) => moved[3 * triangles[Math.floor(i / 3)] + (i % 3)],
  );
}

/** Certified bounds of the distance of every pair of triangles, the least first. */
function bruteForce(
  a: Surface,
  poseA: Pose,
  b: Surface,
  poseB: Pose,
): { lower: number; upper: number; pair: ContactPair }[] {
  const [p, q] = [corners(a, poseA), corners(b, poseB)];
  const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
  const found: { lower: number; upper: number; pair: ContactPair }[] = [];
  let nearest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < p.length; i += 9) {
    for (let j = 0; j < q.length; j += 9) {
      triangleDistance(p, i, q, j, bracket, nearest + 0.2);
      nearest = Math.min(nearest, bracket.upper);
      if (bracket.lower <= nearest + 0.2)
        found.push({ lower: bracket.lower, upper: bracket.upper, pair: [i / 9, j / 9] });
    }
  }
  return found.sort((s, t) => s.upper - t.upper);
}

describe.each(pairs)('$name', ({ a, b, name }) => {
  const seed = pairs.findIndex((pair) => pair.name === name) + 900;
  const random = seeded(seed);
  const poseA = compose(translation(random.between(-9, 9), 2, -3), randomRotation(random));
  const start = compose(translation(poseA[3], poseA[7], poseA[11]), randomRotation(random));
  const direction = randomDirection(random);
  const [, outside] = nearContact(a, b, poseA, start, direction);
  const poseB = shifted(outside, direction, random.between(0.05, 0.5));
  const expected = bruteForce(surfaceOf(a), poseA, surfaceOf(b), poseB);
  const { lower: least } = expected.reduce((s, t) => (t.lower < s.lower ? t : s));
  const most = expected[0].upper;

  test(`distance with witness points, seed ${seed}`, { tags: ['quick', 'long'] }, () => {
    const { verdict, distance, witness, bracket } = check(a, b, { poseA, poseB, distance: true });
    expect(verdict).toBe('clear');
    // Two brackets of one number, each a few roundings wide.
    expect(bracket?.lower).toBeLessThanOrEqual(most);
    expect(bracket?.upper).toBeGreaterThanOrEqual(least);
    expect((bracket?.upper ?? 9) - (bracket?.lower ?? 0)).toBeLessThan(1e-13);
    expect(distance).toBe(bracket?.upper);
    // The witness points are on the triangles that they are said to be on, and so far apart.
    const [p, q] = [Float64Array.from(witness?.a ?? []), Float64Array.from(witness?.b ?? [])];
    expect(Math.abs(Math.hypot(...p.map((x, k) => x - q[k])) - (distance ?? 9))).toBeLessThan(1e-13);
    const out: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
    for (const [point, surface, pose, t] of [
      [p, surfaceOf(a), poseA, witness?.pair[0] ?? -1],
      [q, surfaceOf(b), poseB, witness?.pair[1] ?? -1],
    ] as const) {
      triangleDistance(Float64Array.of(...point, ...point, ...point), 0, corners(surface, pose), 9 * t, out);
      expect(out.upper).toBeLessThan(1e-13);
    }
    const swapped = check(b, a, { poseA: poseB, poseB: poseA, distance: true });
    expect(Math.abs((swapped.distance ?? 9) - (distance ?? 0))).toBeLessThan(1e-13);
  });

  test('clearance: decided outside the rounding of the distance, undecided within', { tags: ['quick', 'long'] }, () => {
    const verdict = (clearance: number) => check(a, b, { poseA, poseB, clearance }).verdict;
    expect(verdict(most + 1e-13)).toBe('contact');
    expect(verdict(least - 1e-13)).toBe('clear');
    expect(verdict(0)).toBe('clear');
    expect(['contact', 'undecided']).toContain(verdict(most));
    expect(verdict(most * 100)).toBe('contact');
    // The list of all pairs within a clearance that no pair's distance is near.
    const clearance = most + 0.03;
    expect(expected.every(({ lower, upper }) => upper < clearance || lower > clearance)).toBe(true);
    const listed = check(a, b, { poseA, poseB, clearance, all: true, maxContacts: 1e6 });
    const within = expected.filter(({ upper }) => upper <= clearance).map(({ pair }) => pair);
    expect(listed.contacts.pairs).toEqual(within.sort((s, t) => s[0] - t[0] || s[1] - t[1]));
    expect(listed).toMatchObject({ verdict: 'contact', contacts: { complete: true } });
    // With the distance as well, and within a time that is enough.
    expect(check(a, b, { poseA, poseB, clearance, distance: true }).verdict).toBe('contact');
    expect(check(a, b, { poseA, poseB, clearance, budget: 1e6 }).verdict).toBe('contact');
    expect(check(a, b, { poseA, poseB, clearance: least - 1e-13, budget: 1e6 }).verdict).toBe('clear');
  });

  test('in contact the distance is 0, exactly', { tags: ['quick', 'long'] }, () => {
    const pose = shifted(outside, direction, -0.05);
    const { verdict, distance, bracket, contacts } = check(a, b, { poseA, poseB: pose, distance: true });
    expect({ verdict, distance, bracket }).toEqual({
      verdict: 'contact',
      distance: 0,
      bracket: { lower: 0, upper: 0 },
    });
    expect(check(a, b, { poseA, poseB: pose, all: true }).contacts.pairs).toContainEqual(contacts.pairs[0]);
    expect(check(a, b, { poseA, poseB: outside, distance: true }).verdict).toBe('clear');
  });

  test('a level stops it: the bracket holds, and a verdict is right', { tags: ['quick', 'long'] }, () => {
    let width = Number.POSITIVE_INFINITY;
    for (let level = 0; level < 40; level += long ? 1 : 3) {
      const { verdict, bracket, distance } = check(a, b, { poseA, poseB, distance: true, level });
      expect(bracket?.lower).toBeLessThanOrEqual(most);
      expect(bracket?.upper).toBeGreaterThanOrEqual(least);
      expect(verdict).not.toBe('contact');
      if (distance !== null) expect(distance).toBeGreaterThanOrEqual(least);
      width = (bracket?.upper ?? 9) - (bracket?.lower ?? 0);
    }
    expect(width).toBeLessThan(1e-13);
  });
});

test('a bracket shrinks as budgets grow, and the budget is kept: by looks at the clock', {
  tags: ['quick', 'long'],
}, () => {
  const build = variants.find(({ name }) => name.startsWith('obb'))?.build;
  const big = (seed: number) => build?.(mapped(bumpySphere(seed, long ? 5 : 3), (x, y, z) => [x, 0.8 * y, 1.2 * z]));
  const [a, b] = [big(5), big(6)];
  if (!a || !b) throw new Error('no OBB trees');
  const poseB = translation(2.3, 0.1, 0);
  const exact = check(a, b, { poseB, distance: true }).distance ?? 0;
  const widths: number[] = [];
  let before = { upper: Number.POSITIVE_INFINITY, bounds: 0 };
  for (const looks of [...Array.from({ length: 40 }, (_, i) => i + 2), 100, 300, 1e9]) {
    const options = { poseB, distance: true, budget: 5, path: 'common' } as const;
    const { result, reads } = untilLook(looks, () => check(a, b, options));
    const { bracket, verdict, distance, tests } = result;
    const { lower, upper } = bracket ?? { lower: Number.NaN, upper: Number.NaN };
    expect(lower).toBeLessThanOrEqual(exact);
    expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-14));
    expect(['clear', 'undecided']).toContain(verdict);
    if (distance !== null) expect(Math.abs(distance - exact)).toBeLessThan(1e-13);
    // More time is never worse; from one of the first looks to the next little is done, and after the last nothing.
    expect(upper).toBeLessThanOrEqual(before.upper);
    expect(tests.bounds).toBeGreaterThanOrEqual(before.bounds);
    if (looks <= 40) expect(tests.bounds - before.bounds).toBeLessThan(100);
    expect(reads).toBeLessThan(looks + 5);
    before = { upper, bounds: tests.bounds };
    widths.push(upper - lower);
  }
  expect(widths[0]).toBeGreaterThan(0.1);
  expect(widths.at(-1)).toBeLessThan(1e-13);
});

test('budget and contact: found, or undecided, never wrong', { tags: ['quick', 'long'] }, () => {
  for (const { name, a, b } of pairs) {
    for (const [shift, truth] of [
      [0.3, 'contact'],
      [9, 'clear'],
    ] as const) {
      for (const looks of [2, 5, 1e9]) {
        const options = { poseB: translation(shift, 0, 0), budget: 1e4 };
        const { verdict } = untilLook(looks, () => check(a, b, options)).result;
        expect([truth, looks < 1e9 ? 'undecided' : truth], name).toContain(verdict);
      }
      expect([truth, 'undecided'], name).toContain(check(a, b, { poseB: translation(shift, 0, 0), budget: 0 }).verdict);
    }
  }
});

test.each([
  [{ clearance: -1 }, 'clearance -1: expected a length from 0'],
  [{ clearance: Number.NaN }, 'clearance NaN'],
  [{ clearance: Number.POSITIVE_INFINITY }, 'clearance Infinity'],
  [{ budget: -1 }, 'budget -1: expected milliseconds from 0'],
  [{ budget: 5, all: true }, 'budget: it gives a verdict and bounds'],
] as const)('%j is refused', { tags: ['quick', 'long'] }, (options, message) => {
  const { a } = assets[0];
  expect(() => check(a, a, { poseB: identity(), ...options })).toThrow(message);
});
