/** An F-rep against every other representation: a ball, held to the distances of its centre from all triangles and cubes of the other. */
import { describe, expect, test } from 'vitest';
import { build } from '../../src/api.ts';
import type { CheckOptions } from '../../src/engine/options.ts';
import { check } from '../../src/engine/prepared.ts';
import { compose, movePoint, type Pose, translation } from '../../src/math/pose.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import { builtKinds } from '../../src/representations/kinds.ts';
import { randomDirection, randomRotation, shifted } from '../support/agreement.ts';
import { distanceToHull, type Point } from '../support/ball.ts';
import { primitivesOf } from '../support/cubes.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, mapped } from '../support/shapes.ts';
import { variants } from './variants.ts';

const RADIUS = 0.6;
const CENTER: Point = [0.25, -0.5, 0.125];
/** Of distances here, in doubles, and of what a query may leave undecided. */
const ROUNDING = 1e-9;

/** The same ball by different roads: a quadric; and one in a union with a ball inside of it, turned, with a perturbation that ends at its surface. */
const plain = build(readFrep(JSON.stringify({ object: { sphere: { radius: RADIUS, center: CENTER } } })));
const composed = build(
  readFrep(
    JSON.stringify({
      object: {
        union: [
          { sphere: { radius: RADIUS }, perturbations: [{ by: { sphere: { radius: RADIUS } }, amount: 3 }] },
          { ellipsoid: { radii: [0.3, 0.4, 0.5] } },
        ],
        rotate: { axis: [1, 2, 3], degrees: 40 },
        translate: CENTER,
      },
    }),
  ),
);
const others = variants
  .filter(({ isFirst }) => isFirst)
  .map(({ name, build }) => ({
    name,
    other: build(mapped(bumpySphere(7, long ? 2 : 0), (x, y, z) => [x, 0.8 * y, 1.2 * z])),
  }));

/** How far the ball's centre is from each primitive, or from some. */
function distances(poseA: Pose, other: (typeof others)[0]['other'], poseB: Pose, ids?: readonly number[]): number[] {
  const centre = new Float64Array(3);
  movePoint(poseA, ...CENTER, centre, 0);
  const [x, y, z] = centre;
  const all = primitivesOf(other, poseB);
  return (ids?.map((id) => all[id]) ?? all).map((numbers) => {
    const points = Array.from({ length: numbers.length / 3 }, (_, i): Point => {
      return [numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]];
    });
    return distanceToHull([x, y, z], points);
  });
}

/** Poses of the other along a direction at which the ball is as deep in it as `depths` say, or as far from it where they are negative. */
function posesAt(poseA: Pose, other: (typeof others)[0]['other'], start: Pose, direction: Point, depths: number[]) {
  return depths.map((depth) => {
    let [inside, outside] = [0, 6];
    /** Those that can still be the nearest: a step moves none further than it is long. */
    let ids = [...distances(poseA, other, start).keys()];
    for (let i = 0; i < 40; i++) {
      const middle = (inside + outside) / 2;
      const found = distances(poseA, other, shifted(start, direction, middle), ids);
      const nearest = Math.min(...found);
      ids = ids.filter((_, k) => found[k] <= nearest + 2 * (outside - inside));
      if (nearest < RADIUS - depth) inside = middle;
      else outside = middle;
    }
    return shifted(start, direction, outside);
  });
}

test('every representation that meshes become is tried', { tags: ['quick', 'long'] }, () => {
  expect(others.length).toBe(builtKinds().length);
});

describe.each(others)('$name', ({ other }) => {
  test.each(long ? [11, 12, 13, 14, 15] : [11])(
    'verdicts, lists and brackets, either way round, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const poseA = compose(translation(random.between(-3, 3), 2, -1), randomRotation(random));
      const centre = new Float64Array(3);
      movePoint(poseA, ...CENTER, centre, 0);
      const start = compose(translation(centre[0], centre[1], centre[2]), randomRotation(random));
      const direction = randomDirection(random);
      const depths = long ? [0.3, 1e-2, 1e-4, 1e-6, -1e-6, -1e-4, -1e-2, -0.3] : [1e-4, -1e-6];
      const poses = posesAt(poseA, other, start, direction, depths);
      poses.forEach((poseB, i) => {
        const gaps = distances(poseA, other, poseB).map((d) => d - RADIUS);
        const nearest = Math.min(...gaps);
        const touching = gaps.flatMap((gap, id) => (gap <= 0 ? [id] : []));
        const isPlain = gaps.every((gap) => Math.abs(gap) > 10 * ROUNDING);
        expect(Math.abs(nearest + depths[i])).toBeLessThan(1e-8);
        for (const solid of [plain, composed]) {
          const ask = (options: CheckOptions) => check(solid, other, { poseA, poseB, resolution: 12, ...options });
          const turned = (options: CheckOptions) =>
            check(other, solid, { poseA: poseB, poseB: poseA, resolution: 12, ...options });
          const verdict = nearest <= 0 ? 'contact' : 'clear';
          for (const report of [ask({}), turned({})]) {
            expect([report.verdict, report.path], `${depths[i]} deep`).toEqual([verdict, 'common']);
          }
          const listed = ask({ all: true, maxContacts: 1e6 });
          expect(listed.verdict).toBe(verdict);
          // Primitives as near to the surface as rounding may stay open.
          if (isPlain && listed.contacts.complete) {
            expect(listed.contacts.pairs).toEqual(touching.map((id) => [0, id]));
          } else {
            for (const [, id] of listed.contacts.pairs) expect(gaps[id]).toBeLessThan(ROUNDING);
          }
          expect(turned({ all: true, maxContacts: 1e6 }).contacts.pairs).toEqual(
            listed.contacts.pairs.map(([p, q]) => [q, p]),
          );
        }
        const { bracket, distance } = check(plain, other, { poseA, poseB, resolution: 8, distance: true });
        expect(bracket?.lower).toBeLessThanOrEqual(Math.max(0, nearest) + ROUNDING);
        expect(bracket?.upper).toBeGreaterThanOrEqual(Math.max(0, nearest) - ROUNDING);
        expect((bracket?.upper ?? 1) - (bracket?.lower ?? 0)).toBeLessThan(1e-3);
        expect(distance).toBe(bracket?.upper);
        for (const clearance of [0.5 * nearest, 2 * nearest]) {
          if (clearance < 1e-3) continue;

          const { verdict } = check(plain, other, { poseA, poseB, clearance });
          expect(verdict, `${clearance} of ${nearest}`).toBe(clearance > nearest ? 'contact' : 'clear');
        }
      });
    },
  );

  test.each(long ? [21, 22, 23, 24] : [21])(
    'apart: a bracket far narrower than a cell, soon, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const poseA = compose(translation(random.between(-3, 3), 2, -1), randomRotation(random));
      const centre = new Float64Array(3);
      movePoint(poseA, ...CENTER, centre, 0);
      const start = compose(translation(centre[0], centre[1], centre[2]), randomRotation(random));
      for (const poseB of posesAt(poseA, other, start, randomDirection(random), [-0.03, -0.3, -2])) {
        const gap = Math.min(...distances(poseA, other, poseB)) - RADIUS;
        for (const solid of [plain, composed]) {
          const { bracket, tests } = check(solid, other, { poseA, poseB, distance: true });
          const { lower, upper } = bracket ?? { lower: Number.NaN, upper: Number.NaN };
          expect(lower).toBeLessThanOrEqual(gap + ROUNDING);
          expect(upper).toBeGreaterThanOrEqual(gap - ROUNDING);
          expect(upper - lower).toBeLessThan(2e-4);
          expect(tests.bounds).toBeLessThan(60_000);
        }
      }
    },
  );

  test('wholly inside: the other in the ball collides, the ball in a shell does not', () => {
    const huge = build(readFrep('{"object": {"sphere": {"radius": 30}}}'));
    const count = primitivesOf(other, translation(0, 0, 0)).length;
    const all = check(huge, other, { all: true, maxContacts: 1e6 });
    expect([all.verdict, all.contacts.count, all.contacts.complete]).toEqual(['contact', count, true]);
    const tiny = build(readFrep('{"object": {"sphere": {"radius": 0.01}}}'));
    expect(check(tiny, other).verdict).toBe('clear');
  });
});
