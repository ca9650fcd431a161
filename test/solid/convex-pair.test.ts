/** Convex bodies, decided by their planes, against the exact cells and the search for depths. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { check } from '../../src/index.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { classify } from '../../src/solid/classify.ts';
import { lieOfConvex } from '../../src/solid/convex-pair.ts';
import { placeBody } from '../../src/solid/solid.ts';
import { thicknessOf } from '../../src/solid/thickness.ts';
import { randomRotation } from '../support/agreement.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, icosphere, mapped, octasphere, torus } from '../support/shapes.ts';

function randomConvex(random: Random): Mesh {
  const sides = [0, 1, 2].map(() => random.pick([0.25, 0.5, 1, random.between(0.1, 2)]));
  const round = random.pick([icosphere(0), icosphere(1), octasphere(1), octasphere(2)]);
  const mesh = random.below(2) === 0 ? box() : round;
  return mapped(mesh, (x, y, z) => [sides[0] * x, sides[1] * y, sides[2] * z]);
}

/** Random; or on a grid, where faces and corners fall together, or nearly. */
function randomPose(random: Random): Pose {
  const isOnGrid = random.below(2) === 0;
  const place = () => (isOnGrid ? random.below(9) / 8 + random.pick([0, 0, 2 ** -40, -(2 ** -44)]) : random.next());
  return compose(translation(place(), place(), place()), isOnGrid ? identity() : randomRotation(random));
}

test.each(
  some(
    [4, 12],
    Array.from({ length: 60 }, (_, n) => n + 1),
  ),
)('random pairs, seed %i', (seed) => {
  const random = seeded(seed);
  let decided = 0;
  for (let n = 0; n < 40; n++) {
    const [a, b] = [buildObbTree(randomConvex(random)), buildObbTree(randomConvex(random))];
    const poses = { poseA: randomPose(random), poseB: randomPose(random) };
    const bodies = [placeBody(a, poses.poseA), placeBody(b, poses.poseB)] as const;
    const { contacts } = check(a, b, { ...poses, all: true, maxContacts: 1e6 });
    const truth = classify(...bodies, contacts.pairs);
    for (const isMeasured of [true, false]) {
      const found = lieOfConvex([a, b], bodies, { isMeasured });
      if (!found) continue;
      expect([found.lie, found.inner]).toEqual([truth.lie, truth.inner]);
      if (!isMeasured) continue;
      decided++;
      const { lower, upper } = thicknessOf(...bodies, {});
      expect(found.thickness.lower).toBeLessThanOrEqual(upper);
      expect(found.thickness.upper).toBeGreaterThanOrEqual(lower);
      expect(found.thickness.upper - found.thickness.lower).toBeLessThan(1e-10);
    }
  }
  expect(decided).toBeGreaterThan(5);
});

test('bodies that are not convex, share a face or are one are left to the cells', () => {
  const [a, ring] = [buildObbTree(box()), buildObbTree(torus(10, 6))];
  const lieAt = (pose: Pose, b = a) =>
    lieOfConvex([a, b], [placeBody(a, identity()), placeBody(b, pose)], { isMeasured: true });
  expect(lieAt(identity(), ring)).toBeNull();
  expect(lieAt(identity())).toBeNull();
  expect(lieAt(translation(1, 0, 0))).toBeNull();
  expect(lieAt(translation(0.5, 0.25, 0.25))?.thickness.upper).toBeCloseTo(0.5, 12);
});
