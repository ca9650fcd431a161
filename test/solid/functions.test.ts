/**
 * Classes of solids that functions define: held to closed forms of balls, boxes and tori. A class may be left open, `contact` or
 * `undecided`; no other may be given than the true one.
 */
import { describe, expect, test } from 'vitest';
import { build, check } from '../../src/api.ts';
import type { Report, SolidClass } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, movePoint, type Pose, translation } from '../../src/math/pose.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import { functionOf } from '../../src/representations/frep/tree/cell-function.ts';
import { evaluate, evaluateCube } from '../../src/representations/frep/tree/evaluate.ts';
import { type FrepObject, requireProgram } from '../../src/representations/frep/tree/program.ts';
import { outsideOfFrep } from '../../src/representations/frep/tree/unfold.ts';
import { containsPoint } from '../../src/solid/point-queries.ts';
import { randomRotation } from '../support/agreement.ts';
import { dyadic, exactValue, isAtLeast, isAtMost, objectOf, randomProgram } from '../support/frep-programs.ts';
import { long, some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, mapped } from '../support/shapes.ts';

type Point = readonly [number, number, number];

const model = (object: object): FrepObject => build(readFrep(JSON.stringify({ object }))) as FrepObject;
const lengthOf = (...x: number[]): number => Math.sqrt(x.reduce((sum, each) => sum + each * each, 0));

/** A box as a mesh, its faces turned outward. */
function boxMesh([x, y, z]: Point, format: string, options: object = {}): Asset {
  const corners = Array.from({ length: 8 }, (_, i) => [i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z]);
  const quads = [0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5];
  const triangles = [0, 1, 2, 3, 4, 5].flatMap((i) => {
    const [p, q, r, s] = quads.slice(4 * i, 4 * i + 4);
    return [p, q, r, p, r, s];
  });
  return build({ positions: Float64Array.from(corners.flat()), triangles: Uint32Array.from(triangles), groups: [] }, {
    format,
    ...options,
  } as never);
}

/** What two are, by how far a point set reaches: `gap` below 0 where insides meet, `aIn` and `bIn` from 0 on where one is inside. */
function truthOf(gap: number, aIn: number, bIn: number): { class: SolidClass; inner: 'a' | 'b' | null } {
  if (gap > 0) return { class: 'clear', inner: null };
  if (gap === 0) return { class: 'touch', inner: null };
  if (aIn >= 0 && bIn >= 0) return { class: 'same', inner: null };
  if (aIn >= 0) return { class: 'inside', inner: 'a' };
  return bIn >= 0 ? { class: 'inside', inner: 'b' } : { class: 'overlap', inner: null };
}

const swapped = { a: 'b', b: 'a' } as const;

/** Asks both ways round; returns whether the class was told. */
function expectTruth(
  a: Asset,
  b: Asset,
  poseA: Pose,
  poseB: Pose,
  truth: ReturnType<typeof truthOf>,
  why: string,
): boolean {
  const reports: [Report, boolean][] = [
    [check(a, b, { poseA, poseB, solid: 'require' }), false],
    [check(b, a, { poseA: poseB, poseB: poseA, solid: 'require' }), true],
  ];
  const told = reports.map(([report, isSwapped]) => {
    expect(report.closed).toEqual([true, true]);
    const open = truth.class === 'clear' ? ['undecided'] : ['contact', 'undecided'];
    expect([truth.class, ...open], `${why}: ${JSON.stringify(report.reason)}`).toContain(report.class);
    if (report.class !== truth.class) {
      expect(report.reason, why).toBeTruthy();
      return false;
    }
    const inner = isSwapped && truth.inner ? swapped[truth.inner] : truth.inner;
    expect([report.inner, report.reason], why).toEqual([inner, null]);
    return true;
  });
  return told[0] && told[1];
}

/** In eighths, so that sums and products are exact. */
const eighth = (random: Random, least: number, most: number): number => Math.round(8 * random.between(least, most)) / 8;

describe.each(some(2, [31, 32, 33, 34, 35, 36]))('seed %i', (seed) => {
  test('balls on a grid: exactly, touching from outside and from inside among them', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed);
    let told = 0;
    const count = long ? 140 : 60;
    for (let trial = 0; trial < count; trial++) {
      const [r, s] = [eighth(random, 0.25, 2), eighth(random, 0.25, 2)];
      const at: Point = [eighth(random, -2, 2), eighth(random, -2, 2), trial % 3 === 0 ? 0 : eighth(random, -2, 2)];
      // Squares of the lengths, exact: the signs are those of the lengths.
      const squared = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
      const gap = squared - (r + s) * (r + s);
      const within = (r - s) * (r - s) - squared;
      const truth = truthOf(gap, s >= r ? within : -1, r >= s ? within : -1);
      const isClose = Math.min(Math.abs(gap), Math.abs(within)) < 1e-9;
      const balls = [model({ sphere: { radius: r } }), model({ sphere: { radius: s, center: at } })];
      const why = `balls ${r} ${s} at ${at}`;
      const isTold = expectTruth(balls[0], balls[1], translation(0, 0, 0), translation(0, 0, 0), truth, why);
      if (!isClose) expect(isTold, why).toBe(true);
      if (isTold) told++;
    }
    expect(told).toBeGreaterThan(0.8 * count);
  });

  test('boxes along axes, many sharing faces', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 100);
    for (let trial = 0; trial < (long ? 34 : 12); trial++) {
      const sizes = [0, 1].map(() => [0, 1, 2].map(() => eighth(random, 0.5, 2) + 0.125));
      const at = [0, 1, 2].map(() => eighth(random, -1.5, 1.5));
      // Along each axis: how far apart, and how far each reaches within the other; all exact.
      const gap = Math.max(...at.map((x, k) => Math.abs(x) - sizes[0][k] / 2 - sizes[1][k] / 2));
      const room = at.map((x, k) => sizes[1][k] / 2 - sizes[0][k] / 2 - Math.abs(x));
      const back = at.map((x, k) => sizes[0][k] / 2 - sizes[1][k] / 2 - Math.abs(x));
      const truth = truthOf(gap, Math.min(...room), Math.min(...back));
      const [a, b] = [model({ box: { size: sizes[0] } }), model({ box: { size: sizes[1], center: at } })];
      const why = `boxes ${sizes.join(' and ')} at ${at}`;
      const isTold = expectTruth(a, b, translation(0, 0, 0), translation(0, 0, 0), truth, why);
      if (truth.class === 'overlap') expect(isTold, why).toBe(true);
    }
  });

  test('a torus and a ball, turned and far away', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed + 200);
    for (let trial = 0; trial < (long ? 80 : 40); trial++) {
      const [R, r, s] = [2, random.between(0.2, 1), random.between(0.1, trial % 4 === 0 ? 5 : 1.5)];
      const c: Point = [random.between(-2.5, 2.5), random.between(-1, 1), random.between(-0.7, 0.7)];
      const across = lengthOf(c[0], c[1]);
      const depth = lengthOf(across - R, c[2]) - r;
      // The torus' farthest point from the ball's centre is beyond its own, across the axis.
      const farthest = lengthOf(across + R, c[2]) + r;
      const [gap, ballIn, torusIn] = [depth - s, -depth - s, s - farthest];
      if (Math.min(Math.abs(gap), Math.abs(ballIn), Math.abs(torusIn)) < 1e-6) continue;
      const pose = compose(translation(100, random.between(-10, 10), 3), randomRotation(random));
      const torus = model({ torus: { major: R, minor: r } });
      const ball = model({ sphere: { radius: s, center: c } });
      const isTold = expectTruth(
        torus,
        ball,
        pose,
        pose,
        truthOf(gap, torusIn, ballIn),
        `torus ${r} ball ${s} at ${c}`,
      );
      if (Math.min(Math.abs(gap), Math.abs(ballIn), Math.abs(torusIn)) > 1e-3) expect(isTold).toBe(true);
    }
  });

  test.each([
    ['obb', {}],
    ['kdop', {}],
    ['voxel', { precision: 0.5, fill: true }],
  ] as const)('a ball and a box of triangles, %s', { tags: ['all', 'long'] }, (format, options) => {
    const random = seeded(seed + 300);
    const half: Point = [1.1, 0.85, 0.6];
    const mesh = boxMesh(half, format, options);
    // Cubes are those that the box has points of.
    const reach = half.map((h) => (format === 'voxel' ? 0.5 * Math.ceil(h / 0.5) : h));
    let told = 0;
    const count = long ? 50 : 25;
    for (let trial = 0; trial < count; trial++) {
      const s = random.between(0.1, trial % 3 === 0 ? 2.5 : 0.8);
      const c = [0, 1, 2].map((k) => random.between(-1, 1) * (reach[k] + 0.6));
      const away = lengthOf(...c.map((x, k) => Math.max(0, Math.abs(x) - reach[k])));
      const margin = Math.min(...c.map((x, k) => reach[k] - Math.abs(x)));
      const farthest = lengthOf(...c.map((x, k) => Math.abs(x) + reach[k]));
      const [gap, ballIn, boxIn] = [away > 0 ? away - s : -s, margin - s, s - farthest];
      const nearest = Math.min(Math.abs(gap), Math.abs(ballIn), Math.abs(boxIn));
      if (nearest < 1e-6) continue;
      const pose = compose(translation(random.between(-5, 5), 1, 2), randomRotation(random));
      const ball = model({ sphere: { radius: s, center: c } });
      const truth = truthOf(gap, boxIn, ballIn);
      const why = `${format}, ball ${s} at ${c}`;
      const isTold = expectTruth(mesh, ball, pose, pose, truth, why);
      if (nearest > 2e-2) expect(isTold, why).toBe(true);
      if (isTold) told++;
    }
    expect(told).toBeGreaterThan(0.8 * count);
  });

  test('a lens of two balls is as thick as its bracket says', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 400);
    for (let trial = 0; trial < 20; trial++) {
      const [r, s] = [random.between(0.5, 1), random.between(0.5, 1)];
      const d = random.between(Math.abs(r - s) + 0.01, r + s - 10 ** -random.between(1, 4));
      const pose = randomRotation(random);
      const at = new Float64Array(3);
      movePoint(pose, d, 0, 0, at, 0);
      const [a, b] = [model({ sphere: { radius: r } }), model({ sphere: { radius: s } })];
      const report = check(a, b, { poseB: translation(at[0], at[1], at[2]), solid: 'auto' });
      const thick = r + s - d;
      expect(report.class).toBe('overlap');
      expect(report.thickness!.lower).toBeLessThanOrEqual(thick + 1e-12);
      expect(report.thickness!.lower).toBeGreaterThan(thick / 8);
      expect(report.thickness!.upper).toBeGreaterThanOrEqual(thick - 1e-12);
      const of = (tolerance: number): SolidClass | undefined =>
        check(a, b, { poseB: translation(at[0], at[1], at[2]), solid: 'auto', tolerance }).class;
      expect(of(report.thickness!.lower / 2)).toBe('overlap');
      expect(['undecided', 'touch']).toContain(of(1.01 * thick));
    }
  });

  test('the complement of a program is its negative, to the bit, and its bounds hold that of the domain, too', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 500);
    for (let trial = 0; trial < (long ? 67 : 30); trial++) {
      const domain: [number, number, number] = [1, random.between(0.2, 1), random.between(0.2, 1)];
      const object = objectOf(randomProgram(random, { hasBlends: trial % 2 === 0 }), { domain });
      const outside = outsideOfFrep(object);
      expect(outsideOfFrep(object)).toBe(outside);
      requireProgram(outside.program);
      const middle = [0, 1, 2].map(() => Math.round(64 * random.between(-1.2, 1.2)) / 64);
      const half = 2 ** -random.below(6);
      const cell = functionOf(outside);
      const [x, y, z] = middle;
      cell.start(Float64Array.of(half, 0, 0, x, 0, half, 0, y, 0, 0, half, z), 0);
      cell.bound(0);
      for (let i = 0; i < 8; i++) {
        const at = middle.map((x) => x + (half * Math.round(32 * random.between(-1, 1))) / 32);
        const [u, v, w] = at;
        expect(evaluateCube(outside.program, u, v, w)).toBe(-evaluateCube(object.program, u, v, w) + 0);
        const { low, high } = exactValue(object.program, domain, at.map(dyadic));
        expect(isAtMost(low, -cell.lower) && isAtLeast(high, -cell.upper), `trial ${trial} at ${at}`).toBe(true);
      }
    }
  });
});

/** Points of a box of 3 about the origin: whether each is surely in a function's solid, surely not, or neither. */
function sampled(object: FrepObject, pose: Pose, points: readonly Point[]): (boolean | null)[] {
  const back = new Float64Array(3);
  return points.map(([x, y, z]) => {
    for (let k = 0; k < 3; k++)
      back[k] = pose[k] * (x - pose[3]) + pose[4 + k] * (y - pose[7]) + pose[8 + k] * (z - pose[11]);
    const value = Math.min(
      evaluate(object, back[0], back[1], back[2]),
      ...object.domain.map((d, k) => d - Math.abs(back[k] - object.center[k]) / object.half),
    );
    return Math.abs(value) < 1e-9 ? null : value > 0;
  });
}

/** What samples forbid a report to say. */
function expectPossible(report: Report, inA: (boolean | null)[], inB: (boolean | null)[], why: string): void {
  const some = (a: boolean, b: boolean): boolean => inA.some((x, i) => x === a && inB[i] === b);
  if (report.class === 'clear') expect(some(true, true), why).toBe(false);
  if (report.class === 'inside') expect(report.inner === 'a' ? some(true, false) : some(false, true), why).toBe(false);
  if (report.class === 'same') expect(some(true, false) || some(false, true), why).toBe(false);
}

describe.each(some(1, [51, 52, 53, 54]))('whatever functions there are, seed %i', { tags: ['all', 'long'] }, (seed) => {
  const random = seeded(seed);
  const points = Array.from({ length: 1500 }, (): Point => {
    return [random.between(-1.5, 1.5), random.between(-1.5, 1.5), random.between(-1.5, 1.5)];
  });
  /** A random function cut by its domain, a box of some size. */
  const any = (trial: number): FrepObject =>
    objectOf(randomProgram(random, { hasBlends: trial % 2 === 0, operations: 4 }), {
      half: random.pick([1, 0.5, 0.2]),
      domain: [1, random.between(0.3, 1), random.between(0.3, 1)],
      resolution: 6,
    });
  const near = (): Pose =>
    compose(
      translation(...([0, 1, 2].map(() => random.between(-0.4, 0.4)) as [number, number, number])),
      randomRotation(random),
    );

  test('two of them: nothing is said that points forbid', () => {
    const told: Record<string, number> = {};
    for (let trial = 0; trial < (long ? 120 : 60); trial++) {
      const [a, b, poseA, poseB] = [any(trial), any(trial + 1), near(), near()];
      const report = check(a, b, { poseA, poseB, solid: 'auto' });
      told[report.class!] = (told[report.class!] ?? 0) + 1;
      expectPossible(report, sampled(a, poseA, points), sampled(b, poseB, points), `trial ${trial}`);
    }
    expect(told.overlap).toBeGreaterThan(5);
    expect(told.inside).toBeGreaterThan(0);
  });

  test('one beside a mesh: nothing is said that points forbid', () => {
    const told: Record<string, number> = {};
    const meshes = [0.15, 0.4, 1.2].map((size) =>
      build(
        mapped(bumpySphere(seed, 1), (x, y, z) => [size * x, size * y, size * z]),
        { format: 'obb' },
      ),
    );
    for (let trial = 0; trial < (long ? 80 : 40); trial++) {
      const [f, mesh, poseA, poseB] = [any(trial), random.pick(meshes), near(), near()];
      const report = check(f, mesh, { poseA, poseB, solid: 'auto' });
      told[report.class!] = (told[report.class!] ?? 0) + 1;
      const inMesh = points.map((point) => containsPoint(mesh, point, poseB) === 'inside');
      expectPossible(report, sampled(f, poseA, points), inMesh, `trial ${trial}`);
    }
    expect(told.overlap).toBeGreaterThan(5);
    expect(told.inside).toBeGreaterThan(0);
  });
});

test('parts of one solid on both sides of a wall: an overlap, in the order asked', () => {
  const wall = boxMesh([1, 1, 1], 'obb');
  const halves = model({ union: [{ sphere: { radius: 0.5 } }, { sphere: { radius: 0.5, center: [3, 0, 0] } }] });
  expect(check(halves, wall, { solid: 'auto' }).class).toBe('overlap');
  expect(check(wall, halves, { solid: 'auto' }).class).toBe('overlap');
});

test('a hole of a solid, with and without the mesh in it', () => {
  const mesh = boxMesh([0.2, 0.2, 0.2], 'obb');
  const hollow = model({ difference: [{ sphere: { radius: 2 } }, { sphere: { radius: 0.5 } }] });
  expect(check(hollow, mesh, { solid: 'auto' })).toMatchObject({ verdict: 'clear', class: 'clear' });
  const beside = { solid: 'auto', poseB: translation(1.2, 0, 0) } as const;
  expect(check(hollow, mesh, beside)).toMatchObject({ class: 'inside', inner: 'b' });
  // All of the mesh's surface is in the solid, and the hole is in the mesh.
  const around = boxMesh([0.8, 0.8, 0.8], 'obb');
  expect(check(hollow, around, { solid: 'auto' }).class).toBe('overlap');
});

test('one and the same function is the same solid, unless it is moved; an empty one is clear', () => {
  const [a, b] = [model({ torus: { major: 2, minor: 0.5 } }), model({ torus: { major: 2, minor: 0.5 } })];
  expect(check(a, b, { solid: 'auto' })).toMatchObject({ class: 'same', inner: null });
  expect(check(a, b, { solid: 'auto', poseB: translation(1e-3, 0, 0) }).class).toBe('overlap');
  const apart = { intersection: [{ sphere: { radius: 1 } }, { box: { min: [1.5, -1, -1], max: [2, 1, 1] } }] };
  const empty = build(readFrep(JSON.stringify({ object: apart, domain: { min: [-2, -2, -2], max: [2, 2, 2] } })));
  expect(check(empty, empty, { solid: 'auto' }).class).toBe('clear');
});

test('an open mesh beside a function has no class but that of its surface', () => {
  const ball = model({ sphere: { radius: 1 } });
  const sheet = build(
    { positions: Float64Array.of(0, 0, 0, 3, 0, 0, 0, 3, 0), triangles: Uint32Array.of(0, 1, 2), groups: [] },
    { format: 'obb' },
  );
  const report = check(ball, sheet, { solid: 'auto' });
  expect([report.class, report.closed]).toEqual(['contact', [true, false]]);
  expect(report.reason).toContain('b is open at 3 edges');
  expect(() => check(ball, sheet, { solid: 'require' })).toThrow('b is open');
});
