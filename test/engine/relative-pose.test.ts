/** What relative-pose.ts promises of its map, norm, skew and slack, held to T = A^-1 B in exact arithmetic. */
import { describe, expect, test } from 'vitest';
import { relativePose } from '../../src/engine/pair-kernel.ts';
import { compose, identity, movePoint, type Pose, translation, validatePose } from '../../src/math/pose.ts';
import { randomDirection, randomRotation } from '../support/agreement.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const KINDS = ['identity', 'turned', 'six digits', 'longer', 'shorter', 'sheared'] as const;

function poseOf(kind: (typeof KINDS)[number], random: Random, far: number): Pose {
  if (kind === 'identity') return identity();
  const shift = translation(far * random.between(-1, 1), far * random.between(-1, 1), random.between(-1, 1));
  const pose = compose(shift, randomRotation(random));
  const isLinear = (i: number) => i < 12 && i % 4 !== 3;
  if (kind === 'six digits') return pose.map((x, i) => (isLinear(i) ? Math.round(x * 1e6) / 1e6 : x));
  if (kind === 'longer') return pose.map((x, i) => (isLinear(i) ? x * (1 + 4.99e-6) : x));
  if (kind === 'shorter') return pose.map((x, i) => (isLinear(i) ? x * (1 - 4.99e-6) : x));
  // Columns up to 4e-6 from a right angle.
  if (kind === 'sheared') return pose.map((x, i) => (isLinear(i) && i % 4 === 0 ? x + 4e-6 * pose[i + 1] : x));
  return pose;
}

const dot = (a: bigint[], b: bigint[]): bigint => a.reduce((sum, x, k) => sum + x * b[k], 0n);
const cross = (a: bigint[], b: bigint[]): bigint[] =>
  [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);

/**
 * T = A^-1 B in whole numbers: numbers are multiples of 1 / one. `apply` gives T x times determinant * one for x and `point` 1 or 0,
 * whether the translation counts.
 */
function exactly(poseA: Pose, poseB: Pose, others: number[]) {
  const [one, ...q] = commonIntegers([1, ...poseA, ...poseB, ...others]);
  const [a, b, rest] = [q.slice(0, 16), q.slice(16, 32), q.slice(32)];
  const column = (m: bigint[], k: number) => [m[k], m[4 + k], m[8 + k]];
  const adjugate = [0, 1, 2].map((k) => cross(column(a, (k + 1) % 3), column(a, (k + 2) % 3)));
  const determinant = dot(column(a, 0), adjugate[0]);
  const apply = (x: bigint[], point: bigint) => {
    const moved = [0, 4, 8].map((r) => dot(b.slice(r, r + 3), x) + point * one * (b[r + 3] - a[r + 3]));
    return adjugate.map((row) => dot(row, moved));
  };
  return { one, determinant, apply, rest };
}

describe.each(KINDS)('a %s', (kindA) => {
  test.each(KINDS)('b %s', (kindB) => {
    const seed = 10 * KINDS.indexOf(kindA) + KINDS.indexOf(kindB);
    const random = seeded(seed);
    for (let trial = 0; trial < 40; trial++) {
      const far = [0, 1, 1e6][trial % 3];
      const poseA = validatePose(poseOf(kindA, random, far), 'a');
      const poseB = validatePose(poseOf(kindB, random, far), 'b');
      const reach = 10 ** random.between(-3, 3);
      const { map, norm, skew, slack } = relativePose(poseA, poseB, reach, reach);
      const x = randomDirection(random).map((c) => c * reach * random.next());
      const image = new Float64Array(3);
      movePoint(map, x[0], x[1], x[2], image, 0);
      const { one, determinant, apply, rest } = exactly(poseA, poseB, [...x, ...image, norm, skew, slack]);
      const [p, mapped, [n, s, most]] = [rest.slice(0, 3), rest.slice(3, 6), rest.slice(6)];
      expect(determinant > 0n).toBe(true);

      // A mapped point is within slack of the true one, with more than half of it to spare for what else is rounded.
      const off = apply(p, 1n).map((t, k) => t - determinant * mapped[k]);
      expect(4n * dot(off, off) <= (determinant * most) ** 2n).toBe(true);

      // |T x| <= norm |x|, and | |T x|^2 - |x|^2 | <= skew |x|^2; lengths squared, times (determinant one)^2.
      const length2 = dot(p, p);
      const t = apply(p, 0n);
      const longer2 = dot(t, t);
      expect(longer2 * one ** 2n <= (n * determinant) ** 2n * length2).toBe(true);
      const difference = longer2 - determinant ** 2n * length2;
      // Orthonormal poses have a skew of rounding: 2^-46 of the bounds that it is the difference of.
      expect((difference < 0n ? -difference : difference) * one <= s * determinant ** 2n * length2).toBe(true);

      // |T e0 x T e1 - T e2| <= skew for the axes of the model.
      const unit = [0, 1, 2].map((k) => [0, 1, 2].map((i) => (i === k ? one : 0n)));
      const [t0, t1, t2] = unit.map((e) => apply(e, 0n));
      // Scales: (determinant one)^2 for the product, so T e2 and skew are brought to that.
      const scale = determinant * one;
      const gap = cross(t0, t1).map((c, k) => c - t2[k] * scale);
      expect(dot(gap, gap) * one ** 2n <= (s * scale ** 2n) ** 2n).toBe(true);
    }
  });
});
