/** Boxes that share a point are never called disjoint, boxes far apart always are. */
import { describe, expect, test } from 'vitest';
import { BOX_NUMBERS, disjoint, moveBox, reachOfBox } from '../../src/geometry/rounded-box.ts';
import { rotation } from '../../src/math/pose.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

type Kind = 'box' | 'ball' | 'flat' | 'segment' | 'rounded';
const KINDS: Kind[] = ['box', 'ball', 'flat', 'segment', 'rounded'];

/** A box of a kind, its axes those of `turn`, such that `point` lies in it, on a corner where `corner` says so. */
function boxAround(random: Random, kind: Kind, turn: Float64Array, point: number[], corner: boolean): Float64Array {
  const box = new Float64Array(BOX_NUMBERS);
  const half = [0, 1, 2].map(() => (kind === 'ball' ? 0 : random.between(0.01, 1)));
  if (kind === 'flat') half[2] = 0;
  if (kind === 'segment') half[1] = half[2] = 0;
  const radius = kind === 'ball' || kind === 'rounded' ? random.between(0.01, 1) : 0;
  const centre = point.slice();
  for (let k = 0; k < 3; k++) {
    const axis = [turn[k], turn[4 + k], turn[8 + k]];
    const s = (corner ? (random.below(2) === 0 ? -1 : 1) : random.between(-1, 1)) * half[k];
    for (let i = 0; i < 3; i++) {
      box[4 + 4 * k + i] = axis[i];
      centre[i] -= s * axis[i];
    }
    box[7 + 4 * k] = half[k];
  }
  if (radius > 0) centre[random.below(3)] += (corner ? 1 : random.between(-1, 1)) * radius;
  box.set(centre, 0);
  box[3] = radius;
  return box;
}

function randomTurn(random: Random): Float64Array {
  return rotation(random.between(-1, 1), random.between(-1, 1), random.between(-1, 1) + 0.01, random.between(0, 360));
}

/** Up to 1e-7 from another turn: edges nearly parallel. */
function nearly(turn: Float64Array, random: Random): Float64Array {
  const by = rotation(1, 2, 3, random.between(-1e-5, 1e-5));
  return turn.map((_, i) => {
    const [row, column] = [i >> 2, i & 3];
    return [0, 1, 2].reduce((sum, k) => sum + by[4 * row + k] * turn[4 * k + column], 0);
  });
}

describe.each([1, 2, 3, 4])('seed %i', (seed) => {
  test('boxes with a point in common are not disjoint', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    for (let i = 0; i < (long ? 1600 : 800); i++) {
      const far = i % 3 === 0 ? 1000 : 1;
      const point = [0, 0, 0].map(() => far * random.between(-1, 1));
      const turn = randomTurn(random);
      const other = i % 4 === 0 ? turn : i % 4 === 1 ? nearly(turn, random) : randomTurn(random);
      const a = boxAround(random, random.pick(KINDS), turn, point, i % 2 === 0);
      const b = boxAround(random, random.pick(KINDS), other, point, i % 2 === 0);
      // What the construction above rounds; the sizes here are below 4 `far`.
      const slack = 2 ** -46 * 16 * far;
      expect(disjoint(a, 0, b, 0, slack)).toBe(false);
      expect(disjoint(b, 0, a, 0, slack)).toBe(false);
    }
  });

  test('boxes parted by a plane are disjoint, whichever of their axes the plane has', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 100);
    for (let i = 0; i < (long ? 500 : 250); i++) {
      const a = boxAround(random, random.pick(KINDS), randomTurn(random), [0, 0, 0], false);
      const b = boxAround(random, random.pick(KINDS), randomTurn(random), [0, 0, 0], false);
      // Pushed apart along the line of centres beyond both reaches, then along a face normal of a beyond what that needs.
      const reach = reachOfBox(a, 0) + reachOfBox(b, 0);
      const away = b.slice();
      const k = 4 + 4 * random.below(3);
      for (let n = 0; n < 3; n++) away[n] = a[n] + 1.0001 * reach * a[k + n];
      expect(disjoint(a, 0, away, 0, 1e-12)).toBe(true);
    }
  });

  test('a face, an edge or a point away is seen by its own axis', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 200);
    for (let i = 0; i < (long ? 500 : 250); i++) {
      // A corner of b stands off a face of a: only that face's normal need part them.
      const a = boxAround(random, 'box', randomTurn(random), [0, 0, 0], false);
      const k = random.below(3);
      const s = [0, 1, 2].map((axis) => (axis === k ? 1 + 1e-6 : random.between(-1, 1)) * a[7 + 4 * axis]);
      const foot = [0, 1, 2].map((n) => a[n] + [0, 1, 2].reduce((sum, axis) => sum + s[axis] * a[4 + 4 * axis + n], 0));
      const b = new Float64Array(BOX_NUMBERS);
      const turn = randomTurn(random);
      b.set(foot);
      for (let axis = 0; axis < 3; axis++) {
        // Every axis of b points away from the face, so the foot is b's lowest corner.
        const direction = [turn[axis], turn[4 + axis], turn[8 + axis]];
        const up = direction.reduce((sum, x, n) => sum + x * a[4 + 4 * k + n], 0) < 0 ? -1 : 1;
        const half = random.between(0.1, 1);
        for (let n = 0; n < 3; n++) {
          b[4 + 4 * axis + n] = up * direction[n];
          b[n] += up * direction[n] * half;
        }
        b[7 + 4 * axis] = half;
      }
      expect(disjoint(a, 0, b, 0, 1e-12)).toBe(true);
      expect(disjoint(b, 0, a, 0, 1e-12)).toBe(true);
      expect(disjoint(a, 0, b, 0, 2e-6)).toBe(false);
    }
  });

  test('a moved box holds the moved points', () => {
    const random = seeded(seed + 300);
    for (let i = 0; i < 300; i++) {
      const box = boxAround(random, random.pick(KINDS), randomTurn(random), [0.3, -0.2, 0.5], true);
      const pose = randomTurn(random);
      for (let n = 3; n < 12; n += 4) pose[n] = random.between(-5, 5);
      const moved = new Float64Array(BOX_NUMBERS);
      moveBox(pose, 1 + 2 ** -40, box, 0, moved, 0);
      const point = new Float64Array(BOX_NUMBERS);
      for (let n = 0; n < 3; n++) {
        point[n] = pose[4 * n] * 0.3 + pose[4 * n + 1] * -0.2 + pose[4 * n + 2] * 0.5 + pose[4 * n + 3];
        point[4 + 5 * n] = 1;
      }
      expect(disjoint(moved, 0, point, 0, 1e-12)).toBe(false);
      for (let n = 0; n < 3; n++) point[n] += 1000;
      expect(disjoint(moved, 0, point, 0, 1e-12)).toBe(true);
    }
  });
});

test('a ball beside a ball: by their distance alone', () => {
  const ball = (x: number, radius: number) => Float64Array.of(x, 0, 0, radius, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
  expect(disjoint(ball(0, 1), 0, ball(2.001, 1), 0, 0)).toBe(true);
  expect(disjoint(ball(0, 1), 0, ball(2, 1), 0, 0)).toBe(false);
  expect(disjoint(ball(0, 1), 0, ball(0, 3), 0, 0)).toBe(false);
});
