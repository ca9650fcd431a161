/** Motions: where they lead, that nothing is faster than its bound, and what rounding does, held to whole numbers. */
import { describe, expect, test } from 'vitest';
import { compose, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { RigidMotion } from '../../src/motion/motion.ts';
import { keyed, type MotionKey, motionOf, screw, still, straight } from '../../src/motion/motions.ts';
import { swing } from '../../src/motion/path.ts';
import { turnBetween } from '../../src/motion/turn.ts';
import { exactSineCosine, fixed, ONE, squareRoot, times, toNumber } from '../support/fixed.ts';
import { long, some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

const SEEDS = some(
  12,
  Array.from({ length: 400 }, (_, seed) => seed),
);

type Vector = [number, number, number];

function randomVector(random: Random, size: number): Vector {
  return [random.between(-size, size), random.between(-size, size), random.between(-size, size)];
}

/** Rigid to the last digits, or to six printed ones; now and then turned by nothing, or by hardly anything, or by half. */
function randomPose(random: Random, size: number): Pose {
  const degrees = random.pick([0, 180, 1e-9, 1e-5, 179.9999999, random.between(0, 360), random.between(0, 360)]);
  const axis = random.pick([[0, 0, 1] as Vector, randomVector(random, 1)]);
  const pose = compose(translation(...randomVector(random, size)), rotation(...axis, degrees));
  return random.below(3) === 0 ? pose.map((x, i) => (i % 4 < 3 ? Number(x.toFixed(6)) : x)) : pose;
}

/** A motion of every way to be made, in turns. */
function randomMotion(random: Random, seed: number): { name: string; motion: RigidMotion; keys: MotionKey[] } {
  const size = random.pick([1, 100, 1e-3]);
  const about = random.pick([[0, 0, 0] as Vector, randomVector(random, size)]);
  let time = random.between(-2, 2);
  const keys = Array.from({ length: 2 + random.below(3) }, (): MotionKey => {
    const key = { time, pose: randomPose(random, size), turns: random.pick([0, 0, 1, -2]) };
    time += random.pick([1, 0.125, random.between(1e-3, 5)]);
    return key;
  });
  // An axis is told by two poses that are turned against each other alone.
  for (const [i, key] of keys.entries()) {
    const next = keys[i + 1];
    if (next && Array.from(key.pose).every((x, k) => k % 4 === 3 || x === next.pose[k])) key.axis = [1, 2, 3];
  }
  const between = (['screw', 'straight', 'bezier', 'cubic'] as const)[seed % 4];
  if (between === 'bezier')
    for (const key of keys.slice(0, -1))
      if (random.below(4) > 0) key.control = [randomVector(random, size), randomVector(random, size)];
  const motion = keyed(keys, between === 'screw' ? {} : { between, about });
  return { name: between, motion, keys };
}

function moved(m: ArrayLike<number>, [x, y, z]: Vector): Vector {
  return [0, 4, 8].map((r) => m[r] * x + m[r + 1] * y + m[r + 2] * z + m[r + 3]) as Vector;
}
const far = (a: ArrayLike<number>, b: ArrayLike<number>): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

describe.each(SEEDS)('seed %i', (seed) => {
  const random = seeded(seed);
  const { name, motion, keys } = randomMotion(random, seed);

  test(`${name}: keys are met to the bit`, { tags: ['quick', 'long'] }, () => {
    for (const { time, pose } of keys) {
      expect(motion.poseAt(time)).toEqual(Float64Array.from(pose));
    }
  });

  test(`${name}: poses are rigid`, { tags: ['quick', 'long'] }, () => {
    for (let i = 0; i < 50; i++) {
      const time = random.between(motion.begin, motion.end);
      const m = motion.poseAt(time);
      // As rigid as the keys before and behind.
      const off = (p: ArrayLike<number>): number => {
        let most = 0;
        for (let j = 0; j < 3; j++)
          for (let k = 0; k < 3; k++)
            most = Math.max(
              most,
              Math.abs(p[j] * p[k] + p[4 + j] * p[4 + k] + p[8 + j] * p[8 + k] - (j === k ? 1 : 0)),
            );
        return most;
      };
      const next = keys.findIndex((key) => key.time >= time);
      expect(off(m)).toBeLessThanOrEqual(1.01 * Math.max(off(keys[next - 1].pose), off(keys[next].pose)) + 1e-12);
      expect([...m.slice(12)]).toEqual([0, 0, 0, 1]);
    }
  });

  test(`${name}: no point is faster than its bound`, { tags: ['quick', 'long'] }, () => {
    for (let i = 0; i < 300; i++) {
      const [p, q] = [random.between(motion.begin, motion.end), random.between(motion.begin, motion.end)];
      const [from, rest] = [Math.min(p, q), Math.abs(p - q)];
      const to = random.pick([from + rest, from + rest * 1e-3, from + rest * 1e-6]);
      const { linear, angular, centre } = motion.speedWithin(from, to);
      const point = random.pick([randomVector(random, 2), randomVector(random, 200), [...centre] as Vector]);
      const reach = Math.hypot(...point);
      const slack = motion.roundingAt(from, reach) + motion.roundingAt(to, reach) + 1e-14 * (reach + 300);
      // Within the piece of time, too, not at its ends alone.
      const [t0, t1] = [from + (to - from) * random.next() * 0.5, to - (to - from) * random.next() * 0.5];
      const [start, end] = [moved(motion.poseAt(t0), point), moved(motion.poseAt(t1), point)];
      expect(far(start, end)).toBeLessThanOrEqual((linear + angular * far(point, centre)) * (t1 - t0) + slack);
      // Of a straight way at constant speed it is half of the acceleration times half the time squared.
      const middle = moved(motion.poseAt(t0 / 2 + t1 / 2), point);
      const off = far(
        middle,
        [0, 1, 2].map((k) => start[k] / 2 + end[k] / 2),
      );
      const bend = motion.accelerationWithin!(from, to);
      const most = (bend.linear + bend.angular * far(point, bend.centre)) * ((t1 - t0) ** 2 / 8);
      expect(off).toBeLessThanOrEqual(most + slack + motion.roundingAt(t0 / 2 + t1 / 2, reach));
    }
  });
});

describe('rounding, against whole numbers', () => {
  const scaled = (numbers: ArrayLike<number>): bigint[] => Array.from(numbers, fixed);
  /** A rotation about a direction of any length, by an angle. */
  function exactRotation(axis: readonly number[], angle: bigint): bigint[] {
    const given = scaled(axis);
    const size = squareRoot(given.reduce((sum, x) => sum + times(x, x), 0n));
    const [x, y, z] = given.map((part) => (part * ONE) / size);
    const [s, c] = exactSineCosine(angle);
    const d = ONE - c;
    const entry = (p: bigint, q: bigint, rest: bigint): bigint => times(d, times(p, q)) + rest;
    return [
      ...[entry(x, x, c), entry(x, y, -times(s, z)), entry(x, z, times(s, y))],
      ...[entry(y, x, times(s, z)), entry(y, y, c), entry(y, z, -times(s, x))],
      ...[entry(z, x, -times(s, y)), entry(z, y, times(s, x)), entry(z, z, c)],
    ];
  }
  const product = (a: readonly bigint[], b: readonly bigint[], width: number): bigint[] =>
    Array.from({ length: 3 * width }, (_, at) => {
      const [i, j] = [Math.floor(at / width), at % width];
      return times(a[3 * i], b[j]) + times(a[3 * i + 1], b[width + j]) + times(a[3 * i + 2], b[2 * width + j]);
    });
  const transposed = (m: readonly bigint[]): bigint[] => [0, 3, 6, 1, 4, 7, 2, 5, 8].map((k) => m[k]);
  const partsOf = (pose: ArrayLike<number>): [bigint[], bigint[]] => {
    const m = scaled(pose);
    return [
      [m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]],
      [m[3], m[7], m[11]],
    ];
  };
  const plus = (a: readonly bigint[], b: readonly bigint[], f = ONE): bigint[] => a.map((x, k) => x + times(f, b[k]));
  const minus = (a: readonly bigint[], b: readonly bigint[]): bigint[] => plus(a, b, -ONE);
  /** How far a pose has a point from where it is meant to be. */
  function offBy(pose: Pose, x: Vector, meant: readonly bigint[]): number {
    const [m, t] = partsOf(pose);
    const apart = minus(plus(product(m, scaled(x), 1), t), meant);
    return toNumber(squareRoot(apart.reduce((sum, part) => sum + times(part, part), 0n)));
  }

  test.each(
    some(
      4,
      Array.from({ length: 40 }, (_, seed) => seed),
    ),
  )('seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(1000 + seed);
    const size = random.pick([1, 1000]);
    const [from, to] = [randomPose(random, size), randomPose(random, size)];
    const isAlike = from.every((x, k) => k % 4 === 3 || x === to[k]);
    const options = { turns: random.pick([0, 3, 40]), ...(isAlike && { axis: [1, 1, 0] }) };
    const turn = turnBetween(from, to, options);
    const about: Vector = random.pick([[0, 0, 0], randomVector(random, size)]);
    const times_ = { begin: 0.1, end: random.pick([1.3, 100]) };
    const [m0, t0] = partsOf(from);
    const [m1, t1] = partsOf(to);
    const angle = fixed(turn.angle);
    const rest = minus(product(transposed(exactRotation(turn.axis, angle)), m1, 3), m0);
    const exactS = (time: number): bigint =>
      ((fixed(time) - fixed(times_.begin)) * ONE) / (fixed(times_.end) - fixed(times_.begin));
    const turnedAt = (s: bigint, x: bigint[]): bigint[] =>
      product(exactRotation(turn.axis, times(s, angle)), product(plus(m0, rest, s), x, 1), 1);
    const check = (motion: RigidMotion, meant: (s: bigint, x: Vector) => bigint[]): void => {
      for (let i = 0; i < 6; i++) {
        const time = random.between(times_.begin, times_.end);
        const x = randomVector(random, size);
        const off = offBy(motion.poseAt(time), x, meant(exactS(time), x));
        expect(off).toBeLessThanOrEqual(motion.roundingAt(time, Math.hypot(...x)));
      }
    };
    check(straight(from, to, { ...options, ...times_, about }), (s, x) => {
      const p = scaled(about);
      const [c0, c1] = [plus(product(m0, p, 1), t0), plus(product(m1, p, 1), t1)];
      return plus(plus(c0, minus(c1, c0), s), turnedAt(s, minus(scaled(x), p)));
    });
    check(screw(from, to, { ...options, ...times_ }), (s, x) => {
      const path = swing([from[3], from[7], from[11]], [to[3], to[7], to[11]], turn);
      const [v, n] = [scaled(path.v), scaled(path.n)];
      const [sine, cosine] = exactSineCosine(angle);
      const along = minus(
        minus(
          minus(t1, t0),
          v.map((y) => times(y, sine)),
        ),
        n.map((y) => times(y, ONE - cosine)),
      );
      const [sin, cos] = exactSineCosine(times(s, angle));
      const origin = plus(plus(plus(t0, along, s), v, sin), n, ONE - cos);
      return plus(origin, turnedAt(s, scaled(x)));
    });
  });
});

describe('which motion it is', () => {
  const close = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
    for (let i = 0; i < b.length; i++) expect(a[i]).toBeCloseTo(b[i], 11);
  };

  test.each(
    some(
      6,
      Array.from({ length: long ? 34 : 6 }, (_, seed) => seed),
    ),
  )('a screw is one: seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(seed + 7);
    const axis = randomVector(random, 1);
    const degrees = random.between(6, 179); // below, the bound is about the origin
    const [through, pitch] = [randomVector(random, 3), random.between(-2, 2)];
    const size = Math.hypot(...axis);
    const turned = (s: number): Pose =>
      compose(
        compose(translation(...(axis.map((x) => (s * pitch * x) / size) as Vector)), translation(...through)),
        compose(rotation(...axis, s * degrees), translation(-through[0], -through[1], -through[2])),
      );
    const start = compose(translation(...randomVector(random, 5)), rotation(...randomVector(random, 1), 77));
    const motion = screw(start, compose(turned(1), start));
    for (const s of [0.1, 0.25, 0.5, 0.9]) close(motion.poseAt(s), compose(turned(s), start));
    // A point of the axis moves along it alone.
    const { linear, angular } = motion.speedWithin(0, 1);
    expect(linear).toBeCloseTo(Math.abs(pitch), 9);
    expect(motion.accelerationWithin!(0, 1).linear).toBeCloseTo(0, 9);
    expect(angular).toBeCloseTo((degrees * Math.PI) / 180, 9);
  });

  test('a straight motion leads its point along a line, and turns about it', () => {
    const motion = straight(translation(1, 0, 0), compose(translation(5, 2, 0), rotation(0, 0, 1, 90)), {
      about: [1, 1, 0],
      begin: 2,
      end: 4,
    });
    close(moved(motion.poseAt(3), [1, 1, 0]), [3, 2, 0]);
    close(motion.poseAt(3).slice(0, 3), rotation(0, 0, 1, 45).slice(0, 3));
    expect(motion.speedWithin(2, 4).centre).toEqual([1, 1, 0]);
    expect(motion.accelerationWithin!(2, 4).linear).toBe(0);
    expect(motion.accelerationWithin!(2, 4).angular).toBeCloseTo((Math.PI / 4) ** 2, 12);
  });

  test('a shift without a turn has no rounding but the path', () => {
    const turned = rotation(1, 2, 3, 40);
    const motion = straight(turned, compose(translation(4, 0, 0), turned));
    expect(motion.poseAt(0.3).filter((_, k) => k % 4 < 3)).toEqual(turned.filter((_, k) => k % 4 < 3));
    expect(motion.speedWithin(0, 1).angular).toBe(0);
    expect(motion.roundingAt(0.3, 1e9)).toBeLessThan(1e-14);
  });

  test('turns are whole ones, the other way below 0', () => {
    const quarter = rotation(0, 0, 1, 90);
    close(straight(translation(0, 0, 0), quarter, { turns: 1 }).poseAt(0.5), rotation(0, 0, 1, 225));
    close(straight(translation(0, 0, 0), quarter, { turns: -1 }).poseAt(0.5), rotation(0, 0, 1, -135));
    close(straight(translation(0, 0, 0), quarter, { axis: [0, 0, -2] }).poseAt(0.5), rotation(0, 0, 1, 45));
    const around = straight(quarter, quarter, { turns: 2, axis: [0, 0, 1] });
    close(around.poseAt(0.125), rotation(0, 0, 1, 180));
    expect(around.speedWithin(0, 1).angular).toBeCloseTo(4 * Math.PI, 9);
  });

  test('a Bezier path of points on a line, and a cubic one through keys on a parabola', () => {
    const at = (x: number, y: number): Pose => translation(x, y, 0);
    const curve = keyed(
      [
        {
          time: 0,
          pose: at(0, 0),
          control: [
            [0, 1, 0],
            [1, 2, 0],
          ],
        },
        { time: 1, pose: at(3, 0) },
      ],
      { between: 'bezier' },
    );
    close(moved(curve.poseAt(0.5), [0, 0, 0]), [(0 + 0 + 3 + 3) / 8, (0 + 3 + 6 + 0) / 8, 0]);
    // The hull of a short piece of the curve is narrow.
    expect(curve.speedWithin(0, 1e-6).linear).toBeCloseTo(3, 4);
    // Between the second and the third the velocities are those of x^2 there.
    const keys = [0, 1, 2, 3].map((x) => ({ time: x, pose: at(x, x * x) }));
    const path = keyed(keys, { between: 'cubic' });
    close(moved(path.poseAt(1.5), [0, 0, 0]), [1.5, 2.25, 0]);
    expect(path.accelerationWithin!(1, 2).linear).toBeCloseTo(2, 9);
    expect(path.accelerationWithin!(0.9, 2).linear).toBe(Number.POSITIVE_INFINITY);
  });

  test('bounds of what is out of range are no numbers that could be compared in vain', () => {
    const huge = compose(translation(1e150, -1e150, 1e150), rotation(1, 2, 3, 90));
    const motion = screw(translation(-1e150, 1e150, 1e150), huge);
    for (const { linear, angular } of [motion.speedWithin(0, 1), motion.accelerationWithin!(0, 1)]) {
      expect(linear).toBeGreaterThanOrEqual(0);
      expect(angular).toBeGreaterThan(1);
    }
    expect(motion.roundingAt(0.5, 1)).toBeGreaterThan(1e130);
  });

  test('standing still, and a function with its bound', () => {
    const pose = translation(1, 2, 3);
    expect(still(pose).poseAt(7)).toEqual(pose);
    expect(still(pose).speedWithin(-3, 9)).toEqual({ linear: 0, angular: 0, centre: [0, 0, 0] });
    const speed = (from: number, to: number) => ({
      linear: 2 * Math.max(from, to),
      angular: 0,
      centre: [0, 0, 0] as Vector,
    });
    const motion = motionOf((time) => translation(time * time, 0, 0), { speed, end: 3 });
    expect(motion.speedWithin(0, 1).linear).toBe(2);
    expect(motion.roundingAt(2, 1)).toBe(5 * 2 ** -46);
    expect(() => motionOf(() => rotation(0, 0, 1, 1).map((x) => 2 * x), { speed }).poseAt(0)).toThrow(
      /pose at time 0: /,
    );
  });
});

describe('what is refused, in one line', () => {
  const here = translation(0, 0, 0);
  const there = translation(1, 0, 0);
  test.each<[string, () => unknown, string]>([
    ['a pose that scales', () => still(here.map((x) => 2 * x)), 'pose: the last row is 0 0 0 2, not 0 0 0 1'],
    ['no time', () => screw(here, there, { begin: 1 }), 'end: expected a later time than begin, found 1'],
    [
      'half a turn',
      () => straight(here, there, { turns: 0.5 }),
      'turns: expected a whole number up to 100000, found 0.5',
    ],
    [
      'a turn without an axis',
      () => straight(here, there, { turns: 1 }),
      'axis: expected an axis, since both poses have the same rotation',
    ],
    [
      'another axis',
      () => straight(here, rotation(0, 0, 1, 90), { axis: [1, 0, 0] }),
      'axis: expected an axis about which the first pose turns to the second',
    ],
    [
      'an axis of no direction',
      () => straight(here, there, { axis: [0, 0, 0] }),
      'axis: expected a direction other than 0, 0, 0, found Array of 3',
    ],
    ['one key', () => keyed([{ time: 0, pose: here }]), 'keys: expected two or more, found Array of 1'],
    [
      'keys at one time',
      () =>
        keyed([
          { time: 1, pose: here },
          { time: 1, pose: there },
        ]),
      'keys[1].time: expected a later time than the key before, found 1',
    ],
    [
      'another way',
      () => keyed([], { between: 'spline' as never }),
      'between: expected screw, straight, bezier, cubic, found "spline"',
    ],
    [
      'about with screws',
      () => keyed([], { about: [0, 0, 0] }),
      'about: expected no about with screws, found Array of 3',
    ],
    [
      'control of what is straight',
      () =>
        keyed(
          [
            { time: 0, pose: here, control: [] },
            { time: 1, pose: there },
          ],
          { between: 'straight' },
        ),
      'keys[0].control: expected no control without bezier, found Array of 0',
    ],
    [
      'one control point',
      () =>
        keyed(
          [
            { time: 0, pose: here, control: [[1, 0, 0]] },
            { time: 1, pose: there },
          ],
          { between: 'bezier' },
        ),
      'keys[0].control: expected two points, found Array of 1',
    ],
    [
      'no bound',
      () => motionOf(() => here, {} as never),
      'speed: expected linear and angular from 0, and a centre, found undefined',
    ],
    ['a time beyond', () => straight(here, there).poseAt(1.5), 'time: expected from 0 to 1, found 1.5'],
  ])('%s', (_, work, message) => {
    expect(work).toThrow(message);
  });
});
