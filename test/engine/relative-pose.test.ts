/**
 * What pair-kernel.ts and relative-pose.as.ts promise of their map, norm, skew and slack, held to
 * T = A^-1 B in exact arithmetic; and that the kernels accept the poses that math/pose.ts accepts.
 */
import { describe, expect, test } from 'vitest';
import { relativePose } from '../../src/engine/pair-kernel.ts';
import { allocate, kernels } from '../../src/kernels/memory.ts';
import {
  compose,
  identity,
  isRigid,
  movePoint,
  type Pose,
  rotation,
  translation,
  validatePose,
} from '../../src/math/pose.ts';
import { KERNEL } from '../../src/representations/kdop/search/for-device.generated.ts';
import {
  ASKED_BYTES,
  QUERY_APART,
  QUERY_BYTES,
  QUERY_IS_LEFT,
  QUERY_SLACK,
  RADIUS,
  REACH,
  RECORD_BYTES,
} from '../../src/representations/kdop/search/layout.as.ts';
import { randomDirection, randomRotation } from '../support/agreement.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const KINDS = ['identity', 'turned', 'last bits', 'six digits', 'longer', 'shorter', 'sheared'] as const;

function poseOf(kind: (typeof KINDS)[number], random: Random, far: number): Pose {
  if (kind === 'identity') return identity();
  const shift = translation(far * random.between(-1, 1), far * random.between(-1, 1), random.between(-1, 1));
  const pose = compose(shift, randomRotation(random));
  const isLinear = (i: number) => i < 12 && i % 4 !== 3;
  // On both sides of the limit for poses of doubles.
  if (kind === 'last bits') {
    const factor = 1 + random.between(-1, 1) * 2 ** -48;
    return pose.map((x, i) => (isLinear(i) ? x * factor : x));
  }
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

const { memory, functions } = kernels(KERNEL)!;
const POSE_BYTES = 128;
const records = allocate(2 * RECORD_BYTES + 2 * POSE_BYTES + ASKED_BYTES + QUERY_BYTES);
const poses = records + 2 * RECORD_BYTES;
const asked = poses + 2 * POSE_BYTES;
const answer = asked + ASKED_BYTES;
const view = new DataView(memory.buffer);

/** T and its slack as kernels compute them: that for devices hands out both in doubles. */
function relateInKernel(poseA: Pose, poseB: Pose, reach: number) {
  new Uint8Array(memory.buffer, records, 2 * RECORD_BYTES).fill(0);
  for (const record of [records, records + RECORD_BYTES]) {
    view.setFloat64(record + REACH, reach, true);
    view.setFloat64(record + RADIUS, 1, true);
  }
  new Float64Array(memory.buffer, poses, 32).set([...poseA, ...poseB]);
  new Uint32Array(memory.buffer, asked, 4).set([records, records + RECORD_BYTES, poses, poses + POSE_BYTES]);
  functions.kdopRelate(asked, 1, answer);
  const turn = new Float64Array(memory.buffer, answer, 9);
  const shift = new Float64Array(memory.buffer, answer + QUERY_APART, 3).map((x) => -x);
  return {
    map: Float64Array.from({ length: 12 }, (_, i) => (i % 4 < 3 ? turn[3 * (i >> 2) + (i % 4)] : shift[i >> 2])),
    slack: view.getFloat64(answer + QUERY_SLACK, true) / 2,
    areRigid: view.getUint32(answer + QUERY_IS_LEFT, true) === 0,
  };
}

/** True if every entry of G - I is computed as at most 2^-48. */
function isNear(m: Pose): boolean {
  const entry = (i: number, j: number) => m[i] * m[j] + m[4 + i] * m[4 + j] + m[8 + i] * m[8 + j];
  return [0, 1, 2].every((i) => [0, 1, 2].every((j) => Math.abs(entry(i, j) - Number(i === j)) <= 2 ** -48));
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
      const image = new Float64Array(6);
      movePoint(map, x[0], x[1], x[2], image, 0);
      const kernel = relateInKernel(poseA, poseB, reach);
      movePoint(kernel.map, x[0], x[1], x[2], image, 3);
      const numbers = [...x, ...image, norm, skew, slack, kernel.slack, 1 + 2 ** -44, 1 - 2 ** -44];
      const { one, determinant, apply, rest } = exactly(poseA, poseB, numbers);
      const [p, [n, s, most, mostOfKernel, nearNorm, nearLeast]] = [rest.slice(0, 3), rest.slice(9)];
      expect(determinant > 0n).toBe(true);
      expect(kernel.areRigid).toBe(true);

      // A mapped point is within slack of the true one, with more than half of it to spare for what else is rounded.
      const off = apply(p, 1n).map((t, k) => t - determinant * rest[3 + k]);
      expect(4n * dot(off, off) <= (determinant * most) ** 2n).toBe(true);
      const offInKernel = apply(p, 1n).map((t, k) => t - determinant * rest[6 + k]);
      expect(4n * dot(offInKernel, offInKernel) <= (determinant * mostOfKernel) ** 2n).toBe(true);

      // |T x| <= norm |x|, and | |T x|^2 - |x|^2 | <= skew |x|^2; lengths squared, times (determinant one)^2.
      const length2 = dot(p, p);
      const t = apply(p, 0n);
      const longer2 = dot(t, t);
      expect(longer2 * one ** 2n <= (n * determinant) ** 2n * length2).toBe(true);
      // So do the numbers that kernels take of poses of doubles, from below as well.
      if (isNear(poseA) && isNear(poseB)) {
        expect(longer2 * one ** 2n <= (nearNorm * determinant) ** 2n * length2).toBe(true);
        expect(longer2 * one ** 2n >= (nearLeast * determinant) ** 2n * length2).toBe(true);
      }
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

/** Poses on both sides of what is rigid. */
function* doubtfulPoses(random: Random): Generator<Pose> {
  const pose = compose(translation(random.between(-1, 1), 2, 3), randomRotation(random));
  const changed = (i: number, x: number) => pose.map((entry, k) => (k === i ? x : entry));
  for (let i = 0; i < 16; i++) {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e18, 1e150, 1.0000000001e150, -1e150, -0, 0, 1];
    // The kernel for devices leaves subnormal translations to the processor.
    if (i > 11 || i % 4 !== 3) odd.push(5e-324);
    for (const x of odd) yield changed(i, x);
  }
  const isLinear = (i: number) => i < 12 && i % 4 !== 3;
  for (let n = 0; n < 200; n++) {
    const factor = 1 + 5e-6 * (1 + random.between(-1, 1) * 10 ** random.between(-12, -4));
    yield pose.map((x, i) => (isLinear(i) ? x * factor : x));
    yield pose.map((x, i) => (isLinear(i) ? x * (2 - factor) : x));
    // Columns so far from a right angle, and a longer one.
    const sheared = 1e-5 * (1 + random.between(-1, 1) * 10 ** random.between(-12, -4));
    yield pose.map((x, i) => (isLinear(i) && i % 4 === n % 3 ? x + sheared * pose[i + (n % 3 === 2 ? -1 : 1)] : x));
    yield pose.map((x, i) => (isLinear(i) && i % 4 === n % 3 ? x * factor : x));
  }
  for (const scale of [0, 2, -1, 1e-200, 1e200, 1e-320]) yield pose.map((x, i) => (isLinear(i) ? x * scale : x));
  yield pose.map((x, i) => (isLinear(i) && i % 4 === 1 ? -x : x));
  yield identity();
  yield changed(3, 0).map((x, i) => (i === 12 ? 1 : x));
}

test.each([1, 2, 3])('kernels accept the poses that are accepted elsewhere, seed %i', (seed) => {
  const random = seeded(seed);
  let rigid = 0;
  let others = 0;
  for (const pose of doubtfulPoses(random)) {
    const isAccepted = isRigid(pose);
    if (isAccepted) rigid++;
    else others++;
    for (const other of [identity(), rotation(0, 0, 1, 90)]) {
      const asA = relateInKernel(pose, other, 1).areRigid;
      const asB = relateInKernel(other, pose, 1).areRigid;
      if (asA !== isAccepted || asB !== isAccepted) expect.fail(`${pose}: ${isAccepted}, as a ${asA}, as b ${asB}`);
    }
  }
  expect(rigid).toBeGreaterThan(200);
  expect(others).toBeGreaterThan(200);
});
