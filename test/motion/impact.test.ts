/** What is beside the first contact: how little is looked at, all intervals, the least distance; and motions that break searches. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { check } from '../../src/engine/prepared.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { identity, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { RigidMotion } from '../../src/motion/motion.ts';
import { screw, still, straight } from '../../src/motion/motions.ts';
import { impactOf } from '../../src/motion/moving-pair.ts';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { BUILDERS } from '../support/builders.ts';
import { some } from '../support/long.ts';
import { modelOf } from '../support/motion-cases.ts';
import { randomMotion } from '../support/motions.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, octasphere } from '../support/shapes.ts';

const build = (kind: string, mesh: Mesh, options: object = {}): Asset => BUILDERS[kind].build(mesh, options);
const obb = (mesh: Mesh) => build('obb', mesh);
const cube = obb(box());
const stands = still(identity());
const sheet: Mesh = {
  positions: Float64Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0),
  triangles: Uint32Array.of(0, 1, 2, 0, 2, 3),
  groups: [],
};
const needle: Mesh = {
  positions: Float64Array.of(0, 0, 0, 1e-9, 0, 1e-6, 0, 1e-9, 1e-6),
  triangles: Uint32Array.of(0, 1, 2),
  groups: [],
};

test('a needle goes through a sheet at any speed', () => {
  for (const speed of [1, 1e3, 1e6, 1e9]) {
    const motion = straight(translation(0.25, 0.5, 0.3 * speed), translation(0.25, 0.5, -0.7 * speed));
    // It takes 1e-6 / speed to go through: that is the resolution that finds it.
    const { verdict, first } = impactOf(obb(sheet), obb(needle), stands, motion, { timeResolution: 2 ** -20 });
    expect(verdict).not.toBe('clear');
    expect(first!.from).toBeLessThanOrEqual(0.3);
    expect(first!.to).toBeGreaterThanOrEqual(0.3);
    expect(first!.to - first!.from).toBeLessThan(2 ** -18);
  }
});

test('a needle beside a sheet is clear of it at any speed', () => {
  for (const speed of [1, 1e3, 1e6]) {
    const motion = straight(translation(1.001, 0.5, 0.3 * speed), translation(1.001, 0.5, -0.7 * speed));
    expect(impactOf(obb(sheet), obb(needle), stands, motion).verdict).toBe('clear');
  }
});

test('what touches from the beginning does so at the beginning', () => {
  const { verdict, first, pair } = impactOf(cube, cube, stands, straight(translation(0.5, 0, 0), translation(3, 0, 0)));
  expect(verdict).toBe('contact');
  expect(first).toEqual({ from: 0, to: 0 });
  expect(pair).toHaveLength(2);
});

test('a graze is never clear', () => {
  // Faces pass each other at no distance, and a corner touches a face at one time.
  for (const height of [1, 1 + 2 ** -52]) {
    const motion = straight(translation(3, 0, height), translation(-3, 0, height));
    const { verdict, first } = impactOf(cube, cube, stands, motion);
    if (height === 1) expect(verdict).toBe('contact');
    expect(verdict).not.toBe('clear');
    expect(first!.from).toBeLessThanOrEqual(1 / 3);
  }
});

test('motions of no length, of no time, and of two that are far off', () => {
  const rests = straight(translation(1.5, 0, 0), translation(1.5, 0, 0));
  expect(impactOf(cube, cube, stands, rests).verdict).toBe('clear');
  const instant: RigidMotion = { ...still(translation(0.5, 0, 0)), begin: 3, end: 3 };
  expect(impactOf(cube, cube, stands, instant).first).toEqual({ from: 3, to: 3 });
  const far = straight(translation(1e9 + 3, 0, 0), translation(1e9 - 3, 0, 0));
  const { verdict, first } = impactOf(cube, cube, still(translation(1e9, 0, 0)), far);
  expect(verdict).toBe('contact');
  expect(first!.from).toBeLessThanOrEqual(1 / 3);
  expect(first!.to).toBeGreaterThanOrEqual(1 / 3 - 1e-7);
});

test('times that are late and spans that are short', () => {
  const late = straight(translation(3, 0, 0), translation(-3, 0, 0), { begin: 1e9, end: 1e9 + 1e-3 });
  const { verdict, first } = impactOf(cube, cube, stands, late);
  expect(verdict).toBe('contact');
  expect(first!.from - 1e9).toBeLessThanOrEqual(1e-3 / 3 + 1e-6);
});

test.each(['straight', 'screw'])(
  'of a %s motion fewer bounds are compared than by advancing whole objects',
  { tags: ['all'] },
  (kind) => {
    const a = obb(bumpySphere(30, 3));
    const b = obb(bumpySphere(30, 4));
    const random = seeded(26);
    let own = 0;
    let whole = 0;
    for (let n = 0; n < 6; n++) {
      const from = translation(4, random.between(-1, 1), random.between(-1, 1));
      const turned = randomMotion(random, 0.5).poseAt(0.3);
      turned[3] = -4;
      const motion = kind === 'screw' ? screw(from, turned) : straight(from, turned);
      const { first, tests } = impactOf(a, b, stands, motion, { timeResolution: 1e-5 });
      const plain = advanceWhole(a, b, motion, 1e-5);
      expect(first?.from ?? 1).toBeLessThanOrEqual(plain.time + 1e-4);
      own += tests.bounds;
      whole += plain.bounds;
    }
    expect(own).toBeLessThan(whole / 4);
  },
);

/** Plain conservative advancement of whole objects by their distance, of which b alone moves. */
function advanceWhole(a: Asset, b: Asset, motion: RigidMotion, resolution: number): { time: number; bounds: number } {
  const reach = 1.5;
  let time = motion.begin;
  let bounds = 0;
  for (;;) {
    const { bracket, tests } = check(a, b, { poseB: motion.poseAt(time), distance: true });
    bounds += tests.bounds;
    const { linear, angular, centre } = motion.speedWithin(time, motion.end);
    const step = bracket!.lower / (linear + angular * (reach + Math.hypot(...centre)));
    if (step < resolution || time + step >= motion.end) return { time: Math.min(motion.end, time + step), bounds };
    time += step;
  }
}

const KINDS: Record<string, Asset> = {
  obb: obb(bumpySphere(12, 5)),
  kdop: build('kdop', box(1.4, 0.6, 0.4)),
  gi: build('gi', bumpySphere(12, 6), { size: 17 }),
  voxel: build('voxel', octasphere(2), { precision: 0.25 }),
  frep: compileFrep(modelOf({ object: { sphere: { radius: 0.8 } } })),
};
const pairs = Object.keys(KINDS).flatMap((a) => Object.keys(KINDS).map((b): [string, string] => [a, b]));

test.each(pairs)('intervals of %s and %s hold at sampled times', { tags: ['all', 'long'] }, (kindA, kindB) => {
  const [a, b] = [KINDS[kindA], KINDS[kindB]];
  for (const seed of some(kindA === 'frep' || kindB === 'frep' ? 1 : 2, [7, 8, 9, 10])) {
    const random = seeded(seed);
    const motion = randomMotion(random, 2);
    const { first, intervals, verdict } = impactOf(a, b, stands, motion, {
      allIntervals: true,
      timeResolution: 2 ** -8,
      budget: 20_000,
    });
    expect(intervals!.length > 0).toBe(verdict !== 'clear');
    if (first) expect(intervals![0].from).toBe(first.from);
    for (let i = 1; i < intervals!.length; i++) expect(intervals![i].from).toBeGreaterThanOrEqual(intervals![i - 1].to);
    for (let k = 0; k <= 40; k++) {
      const time = k / 40;
      const found = check(a, b, { poseB: motion.poseAt(time) }).verdict;
      const within = intervals!.filter(({ from, to }) => from <= time && time <= to);
      if (found === 'contact') expect(within).not.toHaveLength(0);
      if (found === 'clear') expect(within.map((piece) => piece.verdict)).not.toContain('contact');
    }
  }
});

test('a box through a box: when they touch, and that they do all the while', () => {
  const motion = straight(translation(3, 0.1, 0.2), translation(-3, 0.1, 0.2));
  const { intervals } = impactOf(cube, cube, stands, motion, { allIntervals: true });
  const lasting = intervals!.find(({ verdict, from, to }) => verdict === 'contact' && to > from)!;
  expect(lasting.from).toBeGreaterThanOrEqual(1 / 3 - 1e-12);
  expect(lasting.from).toBeLessThan(1 / 3 + 1e-4);
  expect(lasting.to).toBeGreaterThan(2 / 3 - 1e-4);
  expect(lasting.to).toBeLessThanOrEqual(2 / 3 + 1e-12);
});

test('a box that slides along a box may touch it until it leaves', () => {
  const motion = straight(translation(1, 0, 0), translation(1, 3, 0));
  const { intervals } = impactOf(cube, cube, stands, motion, { allIntervals: true });
  const { from, to } = { from: intervals![0].from, to: intervals!.at(-1)!.to };
  expect(from).toBe(0);
  expect(Math.abs(to - 1 / 3)).toBeLessThan(2 ** -18);
});

test('two that stand still touch all the time', () => {
  const rests = straight(translation(1, 0, 0), translation(1, 0, 0));
  expect(impactOf(cube, cube, stands, rests, { allIntervals: true }).intervals).toEqual([
    { from: 0, to: 1, verdict: 'contact' },
  ]);
});

test('the least distance of boxes that pass, of balls that pass, and of what touches', { tags: ['long'] }, () => {
  const of = (a: Asset, b: Asset, y: number) =>
    impactOf(a, b, stands, straight(translation(3, y, 0), translation(-3, y, 0)), { distance: true }).distance!;
  const boxes = of(cube, cube, 1.5);
  expect(boxes.lower).toBeLessThanOrEqual(0.5);
  expect(boxes.upper).toBeGreaterThanOrEqual(0.5 - 1e-12);
  expect(boxes.upper - boxes.lower).toBeLessThan(1e-5);
  const ball = KINDS.frep;
  const balls = of(ball, ball, 1.7);
  expect(balls.lower).toBeLessThanOrEqual(0.1);
  expect(balls.upper).toBeGreaterThanOrEqual(0.1 - 1e-12);
  expect(balls.upper - balls.lower).toBeLessThan(0.05);
  expect(of(cube, cube, 0.5)).toMatchObject({ lower: 0, upper: 0 });
});

test.each(
  some(
    3,
    Array.from({ length: 40 }, (_, i) => 100 + i),
  ),
)('the least distance at sampled times, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  const random = seeded(seed);
  const motion = randomMotion(random, 4);
  const [a, b] = [KINDS.obb, KINDS.kdop];
  const { distance, verdict } = impactOf(a, b, stands, motion, { distance: true });
  const measured = check(a, b, { poseB: motion.poseAt(distance!.time), distance: true }).bracket!;
  expect(distance!.lower).toBeLessThanOrEqual(distance!.upper);
  if (verdict !== 'contact') expect(measured.lower).toBeLessThanOrEqual(distance!.upper);
  for (let k = 0; k <= 100; k++) {
    const { bracket } = check(a, b, { poseB: motion.poseAt(k / 100), distance: true });
    expect(bracket!.upper).toBeGreaterThanOrEqual(distance!.lower);
  }
  if (verdict === 'clear') expect(distance!.upper - distance!.lower).toBeLessThan(1e-4 * distance!.upper);
});

test('a budget leaves the rest undecided', () => {
  const motion = straight(translation(3, 0, 0), translation(-3, 0, 0));
  const { verdict, first } = impactOf(KINDS.frep, KINDS.obb, stands, motion, { budget: 0 });
  if (verdict === 'undecided') expect(first!.to).toBe(1);
  if (verdict !== 'clear') expect(first!.from).toBeLessThanOrEqual(0.4);
});
