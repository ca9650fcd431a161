/**
 * The largest ball inside two convex bodies, or their distance, against closed forms, projections
 * and supports that share nothing with src: depths are positive inside, t is a radius, -2 t a
 * distance.
 */
import { describe, expect, test } from 'vitest';
import {
  type BallBracket,
  commonBall,
  depthOfTriangle,
  NARROWEST,
  newBallBracket,
} from '../../src/geometry/common-ball.ts';
import { boxBody, type ConvexBody, capsuleBody, cylinderBody } from '../../src/geometry/convex-body.ts';
import type { Pose } from '../../src/math/pose.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

type Vector = readonly [number, number, number];
type Shape = { kind: 'box' | 'cylinder' | 'capsule'; half: Vector; pose: Pose };

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const plus = (a: Vector, b: Vector, s = 1): Vector => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const lengthOf = (a: Vector): number => Math.hypot(...a);
const clamp = (x: number, h: number): number => Math.max(-h, Math.min(h, x));

const bodyOf = ({ kind, half: [a, b, c], pose }: Shape): ConvexBody => {
  if (kind === 'box') return boxBody(Float64Array.of(a, b, c), pose, 0);
  return kind === 'cylinder' ? cylinderBody(a, c, pose) : capsuleBody(a, c, pose);
};
const ball = (radius: number, [x, y, z]: Vector): Shape => ({
  kind: 'capsule',
  half: [radius, radius, 0],
  pose: at(x, y, z),
});
const axes = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** Turned by the rows of a rotation, and shifted. */
const at = (x: number, y: number, z: number, m: readonly number[] = axes): Pose =>
  Float64Array.of(m[0], m[1], m[2], x, m[3], m[4], m[5], y, m[6], m[7], m[8], z, 0, 0, 0, 1);

const originOf = ({ pose }: Shape): Vector => [pose[3], pose[7], pose[11]];
const inFrame = ({ pose: m }: Shape, p: Vector): Vector => {
  const v = plus(p, [m[3], m[7], m[11]], -1);
  return [0, 1, 2].map((k) => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]) as unknown as Vector;
};
const outOfFrame = ({ pose: m }: Shape, q: Vector): Vector =>
  [0, 4, 8].map((k) => m[k] * q[0] + m[k + 1] * q[1] + m[k + 2] * q[2] + m[k + 3]) as unknown as Vector;

/** The nearest point of a shape. */
function project(shape: Shape, p: Vector): Vector {
  const [x, y, z] = inFrame(shape, p);
  const [a, b, c] = shape.half;
  if (shape.kind === 'box') return outOfFrame(shape, [clamp(x, a), clamp(y, b), clamp(z, c)]);
  if (shape.kind === 'cylinder') {
    const s = Math.min(1, a / Math.max(Math.hypot(x, y), 1e-300));
    return outOfFrame(shape, [x * s, y * s, clamp(z, c)]);
  }
  const core: Vector = [0, 0, clamp(z, c)];
  const off = plus([x, y, z], core, -1);
  const s = Math.min(1, a / Math.max(lengthOf(off), 1e-300));
  return outOfFrame(shape, plus(core, off, s));
}

/** Above 0 inside. */
function depthIn(shape: Shape, p: Vector): number {
  const [x, y, z] = inFrame(shape, p);
  const [a, b, c] = shape.half;
  const far = lengthOf(plus(p, project(shape, p), -1));
  if (shape.kind === 'capsule') return a - lengthOf([x, y, z - clamp(z, c)]);
  const inside =
    shape.kind === 'box'
      ? Math.min(a - Math.abs(x), b - Math.abs(y), c - Math.abs(z))
      : Math.min(a - Math.hypot(x, y), c - Math.abs(z));
  return inside > 0 ? inside : -far;
}

/** The greatest n . p of a shape's points. */
function support(shape: Shape, n: Vector): number {
  const [x, y, z] = inFrame(shape, plus(originOf(shape), n));
  const [a, b, c] = shape.half;
  const own =
    shape.kind === 'box'
      ? a * Math.abs(x) + b * Math.abs(y) + c * Math.abs(z)
      : shape.kind === 'cylinder'
        ? a * Math.hypot(x, y) + c * Math.abs(z)
        : a * Math.hypot(x, y, z) + c * Math.abs(z);
  return dot(n, originOf(shape)) + own;
}

const out = newBallBracket();
function bracketOf(a: Shape, b: Shape): BallBracket {
  commonBall(bodyOf(a), bodyOf(b), NARROWEST, out);
  return { lower: out.lower, upper: out.upper, point: out.point.slice() };
}

const sizeOf = (...shapes: Shape[]): number => Math.max(...shapes.map(({ half: [a, b, c] }) => 2 * Math.max(a, b, c)));

/** That the bracket holds a value, but for the rounding of the oracle, and is narrow. */
function expectHeld({ lower, upper }: BallBracket, t: number, size: number): void {
  expect(upper - lower).toBeLessThan(1e-12 * size);
  expect(lower).toBeLessThanOrEqual(t + 1e-14 * size);
  expect(upper).toBeGreaterThanOrEqual(t - 1e-14 * size);
}

const direction = (random: Random): Vector => {
  const v: Vector = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
  return lengthOf(v) > 0.1 ? plus([0, 0, 0], v, 1 / lengthOf(v)) : direction(random);
};

/** Any rotation, by a quaternion. */
function turn(random: Random): number[] {
  const q = [0, 0, 0, 0].map(() => random.between(-1, 1));
  const l = Math.hypot(...q) || 1;
  const [x, y, z, w] = q.map((s) => s / l);
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ];
}

/** Rotations of whole numbers over one, which doubles have but for their last digit. */
const PYTHAGOREAN = [
  axes,
  [0, -1, 0, 1, 0, 0, 0, 0, 1],
  [0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1],
  [1, 0, 0, 0, 5 / 13, -12 / 13, 0, 12 / 13, 5 / 13],
  [1 / 3, 2 / 3, 2 / 3, 2 / 3, 1 / 3, -2 / 3, -2 / 3, 2 / 3, -1 / 3],
];

const KINDS = ['box', 'cylinder', 'capsule'] as const;
const anyShape = (random: Random, where: Vector): Shape => ({
  kind: random.pick(KINDS),
  half: [0, 0, 0].map(() => random.between(0.2, 1)) as unknown as Vector,
  pose: at(...where, turn(random)),
});

describe('closed forms', () => {
  test('seed 1: balls', () => {
    const random = seeded(1);
    for (let n = 0; n < 200; n++) {
      const [r, s, d] = [random.between(0.1, 1), random.between(0.1, 1), random.between(0, 4)];
      const centre = direction(random);
      const [a, b] = [ball(r, centre), ball(s, plus(centre, direction(random), d))];
      const apart = lengthOf(plus(originOf(a), originOf(b), -1));
      expectHeld(bracketOf(a, b), Math.min((r + s - apart) / 2, r, s), 2);
    }
  });

  test('seed 2: boxes along the axes', () => {
    const random = seeded(2);
    const eighths = (): number => random.below(17) / 8;
    for (let n = 0; n < 300; n++) {
      const halves = [0, 1].map(() => [0, 0, 0].map(() => (1 + random.below(8)) / 8) as unknown as Vector);
      const shift: Vector = [eighths(), eighths(), eighths()];
      const gaps = shift.map((x, k) => x - halves[0][k] - halves[1][k]);
      const common = shift.map((x, k) => Math.min(2 * halves[0][k], 2 * halves[1][k], halves[0][k] + halves[1][k] - x));
      const t = gaps.some((gap) => gap > 0)
        ? -Math.hypot(...gaps.map((gap) => Math.max(0, gap))) / 2
        : Math.min(...common) / 2;
      const [a, b] = halves.map(
        (half, k): Shape => ({ kind: 'box', half, pose: k === 0 ? at(0, 0, 0) : at(...shift) }),
      );
      expectHeld(bracketOf(a, b), t, 2);
    }
  });

  test('seed 3: cylinders that stand side by side, on each other and in each other', () => {
    const random = seeded(3);
    for (let n = 0; n < 300; n++) {
      const [r, s, g, h] = [0, 0, 0, 0].map(() => (1 + random.below(8)) / 8);
      const [x, z] = [random.below(17) / 8, random.below(17) / 8];
      const m = random.pick(PYTHAGOREAN);
      const shift: Vector = [m[0] * x + m[2] * z, m[3] * x + m[5] * z, m[6] * x + m[8] * z];
      const a: Shape = { kind: 'cylinder', half: [r, r, g], pose: at(0, 0, 0, m) };
      const b: Shape = { kind: 'cylinder', half: [s, s, h], pose: at(...shift, m) };
      const [beside, above] = [x - r - s, z - g - h];
      const t =
        beside > 0 || above > 0
          ? -Math.hypot(Math.max(0, beside), Math.max(0, above)) / 2
          : Math.min(-beside / 2, r, s, -above / 2, g, h);
      expectHeld(bracketOf(a, b), t, 2);
    }
  });

  test('seed 4: a ball by a box, a cylinder or a capsule, and what touches by construction', () => {
    const random = seeded(4);
    for (let n = 0; n < 300; n++) {
      const a = anyShape(random, [0, 0, 0]);
      const centre = plus([0, 0, 0], direction(random), random.between(1.8, 4));
      const gap = lengthOf(plus(centre, project(a, centre), -1));
      for (const radius of [gap / 2, gap, gap * (1 - 1e-9)])
        expectHeld(bracketOf(a, ball(radius, centre)), (radius - gap) / 2, Math.max(sizeOf(a), 2 * radius));
    }
  });

  test('what is symmetric, all but flat or in one place', () => {
    const still = at(0, 0, 0);
    const box: Shape = { kind: 'box', half: [1, 1, 1], pose: still };
    const cylinder: Shape = { kind: 'cylinder', half: [1, 1, 1], pose: still };
    expectHeld(bracketOf(box, box), 1, 2);
    expectHeld(bracketOf(cylinder, cylinder), 1, 2);
    expectHeld(bracketOf(box, cylinder), 1, 2);
    expectHeld(bracketOf(ball(1, [0, 0, 0]), ball(1, [0, 0, 0])), 1, 2);
    expectHeld(bracketOf({ ...box, half: [1, 1, 1e-9] }, { ...cylinder, pose: at(0, 0, 0.5) }), 1e-9, 2);
    // A wheel on a table, upright and lying.
    for (const m of [axes, [1, 0, 0, 0, 0, -1, 0, 1, 0]])
      expectHeld(
        bracketOf({ kind: 'box', half: [5, 5, 0.5], pose: at(0, 0, -0.5) }, { ...cylinder, pose: at(1, 2, 1, m) }),
        0,
        10,
      );
  });
});

describe('any two', () => {
  test.each(some(1, [5, 6, 7, 8]))('seed %i: no point and no plane says otherwise', (seed) => {
    const random = seeded(seed);
    for (let n = 0; n < 40; n++) {
      const a = anyShape(random, [0, 0, 0]);
      const b = anyShape(random, plus([0, 0, 0], direction(random), random.between(0, 3)));
      const found = bracketOf(a, b);
      expect(found.upper - found.lower).toBeLessThan(1e-12 * sizeOf(a, b));
      // Any point has depths, and any plane bounds them.
      const depth = (p: Vector): number => Math.min(depthIn(a, p), depthIn(b, p));
      const middle = Array.from(found.point) as unknown as Vector;
      expect(Math.abs(depth(middle) - found.lower)).toBeLessThan(1e-12);
      for (let k = 0; k < 100; k++) {
        const p = plus(middle, direction(random), 10 ** random.between(-8, 0));
        expect(depth(p)).toBeLessThanOrEqual(found.upper + 1e-14);
        const n = direction(random);
        expect((support(a, n) + support(b, plus([0, 0, 0], n, -1))) / 2).toBeGreaterThanOrEqual(found.lower - 1e-14);
      }
      if (found.upper > -1e-3) continue;
      // Projections to and fro come to the nearest points.
      let p: Vector = originOf(a);
      for (let k = 0; k < 1000; k++) p = project(a, project(b, p));
      expect(lengthOf(plus(p, project(b, p), -1)) / 2 + found.lower).toBeLessThan(1e-6);
      expect(lengthOf(plus(p, project(b, p), -1)) / 2 + found.upper).toBeGreaterThan(-1e-12);
    }
  });

  test('seed 9: powers of two change nothing but the size, and the order of the two only the last digits', () => {
    const random = seeded(9);
    for (let n = 0; n < 40; n++) {
      const [a, b] = [anyShape(random, [0.25, 0, 0]), anyShape(random, plus([0, 0, 0], direction(random), 1.5))];
      const found = bracketOf(a, b);
      const back = bracketOf(b, a);
      expect(Math.max(found.lower, back.lower)).toBeLessThanOrEqual(Math.min(found.upper, back.upper));
      for (const scale of [2 ** -180, 2 ** 180]) {
        const scaled = ({ kind, half, pose }: Shape): Shape => ({
          kind,
          half: half.map((x) => x * scale) as unknown as Vector,
          pose: pose.map((x, i) => (i % 4 === 3 && i < 12 ? x * scale : x)),
        });
        const { lower, upper } = bracketOf(scaled(a), scaled(b));
        expect([lower, upper]).toEqual([found.lower * scale, found.upper * scale]);
      }
    }
  });

  test.each(some(1, [10, 11, 12]))('seed %i: on a grid, where faces and axes fall together', (seed) => {
    const random = seeded(seed);
    const length = (): number => random.pick([0.25, 0.5, 1, 2, 3]);
    const place = (): number => random.pick([0, 0, 0.5, 1, -1, 1.5, 2]);
    const shape = (): Shape => {
      const [a, b, c] = [length(), length(), length()];
      const kind = random.pick(KINDS);
      const half: Vector = kind === 'box' ? [a, b, c] : [a, a, kind === 'capsule' && random.next() < 0.3 ? 0 : c];
      return { kind, half, pose: at(place(), place(), place(), random.pick(PYTHAGOREAN)) };
    };
    for (let n = 0; n < 600; n++) {
      const [a, b] = [shape(), shape()];
      const { lower, upper } = bracketOf(a, b);
      expect((upper - lower) / sizeOf(a, b), JSON.stringify([a, b])).toBeLessThan(1e-12);
      expect(upper).toBeGreaterThanOrEqual(Math.min(depthIn(a, originOf(b)), depthIn(b, originOf(b))) - 1e-14);
    }
  });

  test('six digits of a rotation widen the bracket, and it holds what it should', () => {
    // A turn by 0.5 radians; the ball is where its frame's origin is.
    const pose = at(0, 0, 1.5, [0.877583, -0.479426, 0, 0.479426, 0.877583, 0, 0, 0, 1]);
    const { lower, upper } = bracketOf(ball(1, [0, 0, 0]), { kind: 'cylinder', half: [0.5, 0.5, 0.5], pose });
    expect(lower).toBeLessThanOrEqual(0);
    expect(upper).toBeGreaterThanOrEqual(0);
    expect(upper - lower).toBeLessThan(1e-5);
  });
});

describe('a triangle', () => {
  test('seed 13: reaches into a body as deep as its deepest point', () => {
    const random = seeded(13);
    for (let n = 0; n < 100; n++) {
      const a = anyShape(random, [0.1, 0.2, 0.3]);
      const corner = (): Vector => plus([0.1, 0.2, 0.3], direction(random), random.between(0, 2.5));
      const [p, q] = [corner(), corner()];
      // Some are segments or points.
      const r = n % 10 === 0 ? q : n % 10 === 1 ? plus(p, plus(q, p, -1), 0.5) : corner();
      depthOfTriangle(bodyOf(a), Float64Array.of(...p, ...q, ...r), NARROWEST, out);
      expect(out.upper - out.lower).toBeLessThan(2e-12);
      let best = Number.NEGATIVE_INFINITY;
      for (let i = 0; i <= 40; i++) {
        for (let j = 0; i + j <= 40; j++)
          best = Math.max(best, depthIn(a, plus(plus(p, plus(q, p, -1), i / 40), plus(r, p, -1), j / 40)));
      }
      expect(best).toBeLessThanOrEqual(out.upper + 1e-14);
      expect(best).toBeGreaterThan(out.lower - 0.1);
      expect(Math.abs(depthIn(a, Array.from(out.point) as unknown as Vector) - out.lower)).toBeLessThan(1e-12);
    }
  });
});
