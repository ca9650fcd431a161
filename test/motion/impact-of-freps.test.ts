/** When F-reps that depend on time first touch: closed forms, dense sampling of times, and every kind beside them. */
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import { check } from '../../src/engine/prepared.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { rotation, translation } from '../../src/math/pose.ts';
import { type FrepImpact, impactOfFreps } from '../../src/motion/impact-of-freps.ts';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import type { FrepObject } from '../../src/representations/frep/tree/program.ts';
import { frozen } from '../../src/representations/frep/tree/program.ts';
import { variants } from '../contract/variants.ts';
import { objectOf, randomProgram } from '../support/frep-programs.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, mapped } from '../support/shapes.ts';

const of = (model: object): FrepObject => compileFrep(readFrep(JSON.stringify(model)));
const cube = (size: number) => ({ min: [-size, -size, -size], max: [size, size, size] });

/** A ball about the origin of radius 1 + t. */
const growing = of({ domain: cube(3), object: { quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 2, 1]] } });
/** All that is at or below z = 0, as far as the domain goes. */
const floor = of({ domain: cube(4), object: { halfSpace: { normal: [0, 0, 1], offset: 0 } } });
const ball = of({ object: { sphere: { radius: 1 } } });
const flying = of({ object: { sphere: { radius: 0.5 }, velocity: [8, 0, 0] } });

/** The bracket holds the time, and is no wider than so many resolutions. */
function expectAt(impact: FrepImpact, time: number, within = 2 ** -20, widths = 64): void {
  expect(impact.verdict).toBe('contact');
  const { from, to } = impact.first!;
  expect(from).toBeLessThanOrEqual(time);
  expect(to).toBeGreaterThanOrEqual(time);
  expect(to - from).toBeLessThanOrEqual(widths * within);
}

/** Of a point of the common frame and a time, whether `point` is in both there: the report says so of `first.to`. */
function expectShared(a: FrepObject, b: FrepObject, impact: FrepImpact, poseB = translation(0, 0, 0)): void {
  expect(check(a, b, { poseB, time: impact.first!.to, resolution: 14 }).verdict).not.toBe('clear');
  expect(impact.point).toHaveLength(3);
}

describe('closed forms', () => {
  test('a ball of radius 1 + t and a floor 1.5 below its middle: 0.5', () => {
    const poseB = translation(0, 0, -1.5);
    const impact = impactOfFreps(growing, floor, { poseB });
    expectAt(impact, 0.5);
    expectShared(growing, floor, impact, poseB);
    // Near the place where they touch.
    expect(impact.point![2]).toBeCloseTo(-1.5, 4);
    expectAt(impactOfFreps(floor, growing, { poseA: poseB }), 0.5);
  });

  test.each([0.25, 0.5, 0.75])('two balls that grow by %d and 1', (speed) => {
    const other = of({
      domain: cube(3),
      object: { quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 2 * speed, speed ** 2]] },
    });
    // 1 + t + 1 + speed t = 2.6
    expectAt(impactOfFreps(growing, other, { poseB: translation(0, 2.6, 0) }), 0.6 / (1 + speed));
  });

  test('a ball by its velocity, from one side to the other', () => {
    // |8 t - 4| = 1.5
    const impact = impactOfFreps(flying, ball, { poseB: translation(4, 0, 0), allIntervals: true });
    expectAt(impact, 2.5 / 8);
    const contact = impact.intervals!.filter(({ verdict }) => verdict === 'contact');
    expect(contact).toHaveLength(1);
    expect(contact[0].from).toBeGreaterThanOrEqual(2.5 / 8);
    expect(contact[0].from).toBeCloseTo(2.5 / 8, 5);
    expect(contact[0].to).toBeLessThanOrEqual(5.5 / 8);
    expect(contact[0].to).toBeCloseTo(5.5 / 8, 5);
  });

  test('a ball that passes by, whose way has a thousandth of room, and less than none', () => {
    const by = (room: number) => impactOfFreps(flying, ball, { poseB: translation(4, 0, 1.5 + room) });
    expect(by(0.001)).toMatchObject({ verdict: 'clear', first: null, point: null });
    // sqrt(1.5^2 - 1.49^2) before the middle.
    expectAt(by(-0.01), (4 - Math.sqrt(1.5 ** 2 - 1.49 ** 2)) / 8);
  });

  test('what all but touches is undecided there, or the bracket is wide, and before it is clear', () => {
    const { verdict, first } = impactOfFreps(flying, ball, { poseB: translation(4, 0, 1.5), timeResolution: 2 ** -10 });
    expect(verdict).not.toBe('clear');
    expect(first!.from).toBeLessThanOrEqual(0.5);
    expect(first!.from).toBeGreaterThan(0.45);
    expect(first!.to).toBeGreaterThanOrEqual(0.5);
  });

  test('a floor that swings: 0.75 sin(3 t) meets a ball 1/2 above it', () => {
    const swinging = of({
      domain: cube(2),
      object: { sum: [{ halfSpace: { normal: [0, 0, 1], offset: 0 } }, { waves: [[0.75, 0, 0, 0, 0, 3]] }] },
    });
    expectAt(impactOfFreps(ball, swinging, { poseA: translation(0, 0, 1.5) }), Math.asin(2 / 3) / 3);
    expect(impactOfFreps(ball, swinging, { poseA: translation(0, 0, 1.8) }).verdict).toBe('clear');
  });

  test('a wave that travels along x: its crest comes under a thin needle', () => {
    const wave = of({
      domain: cube(4),
      time: { begin: 0, end: 2 },
      object: { sum: [{ halfSpace: { normal: [0, 0, 1], offset: 0 } }, { waves: [[0.5, 1, 0, 0, 0, -1]] }] },
    });
    // Of radius 2^-20: all of its end is at x = 2.5, but for that, which its time is off by. sin(2.5 - t) >= 0.9
    const needle = of({ object: { cylinder: { radius: 2 ** -20, height: 1, center: [0, 0, 0.5] } } });
    const { first } = impactOfFreps(needle, wave, { poseA: translation(2.5, 0, 0.45) });
    const time = 2.5 - (Math.PI - Math.asin(0.9));
    expect(Math.abs(first!.from - time)).toBeLessThan(2 ** -14);
    expect(Math.abs(first!.to - time)).toBeLessThan(2 ** -14);
  });

  test('polynomials: x^2 - t^3 opens a gate', () => {
    // Where x^2 >= t^3 it is solid: of a ball of radius 1/8 at x = 0 it is left at t = 1/4, met before.
    const gate = of({
      domain: cube(1),
      object: {
        polynomial: [
          [1, 2, 0, 0],
          [-1, 0, 0, 0, 3],
        ],
      },
    });
    const small = of({ object: { sphere: { radius: 0.125 } } });
    const impact = impactOfFreps(gate, small, { allIntervals: true });
    expect(impact.first!.from).toBe(0);
    const last = impact.intervals!.at(-1)!;
    expect(last.to).toBeGreaterThanOrEqual(0.25);
    expect(last.to).toBeCloseTo(0.25, 4);
  });

  test('a torus with a velocity and a turn, through scale and sets: as a plain one that was shifted', {
    tags: ['all'],
  }, () => {
    const ring = { torus: { major: 1, minor: 0.25, axis: 'x' }, rotate: { axis: [0, 0, 1], degrees: 90 }, scale: 0.5 };
    const moving = of({ object: { union: [{ ...ring, velocity: [0, 2, 0] }, { box: { size: [0.1, 0.1, 0.1] } }] } });
    // It reaches y = 0.125 + 2 t along its axis, with its tube at x^2 + z^2 = 1/4.
    const wall = of({ object: { box: { size: [4, 1, 4] } } });
    expectAt(impactOfFreps(moving, wall, { poseB: translation(0, 1.625, 0), timeResolution: 2 ** -10 }), 0.5, 2 ** -10);
  });

  test('no tunnelling: a small ball at a speed of 10^6 through a thin plate', () => {
    const bullet = of({ object: { sphere: { radius: 0.5 }, velocity: [1e6, 0, 0] } });
    const plate = of({ object: { box: { size: [0.01, 4, 4] } } });
    const impact = impactOfFreps(bullet, plate, {
      poseB: translation(3e5, 0, 0),
      timeResolution: 2 ** -30,
      resolution: 16,
    });
    expectAt(impact, (3e5 - 0.005 - 0.5) / 1e6, 2 ** -30, 2 ** 11);
    const beside = impactOfFreps(bullet, plate, { poseB: translation(3e5, 3, 0) });
    expect(beside.verdict).toBe('clear');
  });

  test('in contact from the beginning', () => {
    const impact = impactOfFreps(growing, ball, { poseB: translation(1.5, 0, 0) });
    expect(impact.first!.from).toBe(0);
    expect(impact.verdict).toBe('contact');
    expect(impact.first!.to).toBeLessThanOrEqual(2 ** -20);
  });

  test('a clearance is met sooner', { tags: ['long'] }, () => {
    const impact = impactOfFreps(growing, floor, {
      poseB: translation(0, 0, -1.5),
      clearance: 0.25,
      timeResolution: 2 ** -5,
    });
    expect(impact.first!.from).toBeLessThanOrEqual(0.25);
    expect(impact.first!.from).toBeGreaterThan(0.2);
  });
});

describe.each(variants)('$name', (variant) => {
  const mesh = mapped(box(1), (x, y, z) => [x + 2, y, z]);
  const asset = variant.build(mesh);
  const bounds = { low: [1.5, -0.5, -0.5] };

  test('a ball that grows and one that flies meet a box, whoever comes first', { tags: ['long'] }, () => {
    // Stored surfaces of images and cubes are not the mesh's: the box is asked of the asset by a plain check.
    for (const [a, b] of [
      [growing, asset],
      [asset, growing],
      [flying, asset],
    ] as [Asset, Asset][]) {
      const impact = impactOfFreps(a, b, { timeResolution: 2 ** -9 });
      expect(impact.verdict).toBe('contact');
      const { from, to } = impact.first!;
      expect(check(a, b, { time: to }).verdict).not.toBe('clear');
      for (let n = 0; n <= 4; n++) {
        const time = (from * n) / 4;
        expect(check(a, b, { time }).verdict, `${time} before ${from}`).not.toBe('contact');
      }
      if (variant.triangles) {
        const known = a === flying ? (bounds.low[0] - 0.5) / 8 : 0.5;
        if (variant.representation.name !== 'gi') expectAt(impact, known, 2 ** -9, 8);
      }
    }
  });

  test('one that passes by does not', { tags: ['quick', 'long'] }, () => {
    expect(impactOfFreps(flying, asset, { poseB: translation(0, 1.3, 0) }).verdict).toBe('clear');
  });
});

test.each(some(2, [1, 2, 3, 4, 5, 6, 7, 8]))(
  'random functions of space and time: no false clear, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const verdicts = new Set<string>();
    for (let trial = 0; trial < (long ? 20 : 10); trial++) {
      const options = { hasTime: true, hasBlends: trial % 2 === 0, leaves: 3, operations: 3 };
      const solid = (): FrepObject =>
        objectOf(randomProgram(random, options), { span: [-1, 1], domain: [1, random.between(0.3, 1), 1], half: 0.6 });
      const [a, b] = [solid(), solid()];
      const poseB = rotation(random.between(-1, 1), random.between(-1, 1), 1, random.between(0, 360));
      for (let k = 0; k < 3; k++) poseB[4 * k + 3] = random.between(-1, 1);
      const impact = impactOfFreps(a, b, {
        poseB,
        timeResolution: 2 ** -6,
        resolution: 6,
        allIntervals: trial % 3 === 0,
      });
      verdicts.add(impact.verdict);
      const { first, intervals } = impact;
      for (let n = 0; n <= 32; n++) {
        const time = -1 + n / 16;
        const { verdict } = check(a, b, { poseB, time, resolution: 6 });
        const where = `trial ${trial}, time ${time}: ${verdict}, ${JSON.stringify(impact)}`;
        if (!first || time <= first.from) {
          // At its end a piece that is clear is closed, but the first one may begin in contact.
          if (!first || time < first.from || first.from > -1) expect(verdict, where).not.toBe('contact');
        }
        const own = intervals?.filter(({ from, to }) => from <= time && time <= to).map((piece) => piece.verdict);
        if (own?.length === 0) expect(verdict, where).not.toBe('contact');
        if (own?.includes('contact')) expect(verdict, where).not.toBe('clear');
      }
      if (impact.verdict === 'contact')
        expect(check(a, b, { poseB, time: first!.to, resolution: 6 }).verdict).not.toBe('clear');
    }
    expect(verdicts.size).toBeGreaterThan(1);
  },
);

describe('limits', () => {
  test('faces that slide on each other: the search ends, undecided', { tags: ['all'] }, () => {
    const sliding = of({ object: { box: { size: [1, 1, 1] }, velocity: [1, 0, 0] } });
    const table = of({ object: { box: { size: [4, 4, 1] } } });
    // In contact, but by no point with any room; nothing of it is clear.
    const impact = impactOfFreps(sliding, table, { poseA: translation(0, 0, 1) });
    expect(impact.verdict).not.toBe('clear');
    expect(impact.first!.from).toBe(0);
    expect(impact.tests.bounds).toBeLessThan(2 ** 21);
  });

  test('no time at all', () => {
    const impact = impactOfFreps(growing, floor, { poseB: translation(0, 0, -1.5), budget: 0 });
    expect(impact).toMatchObject({ verdict: 'undecided', first: { from: 0, to: 1 } });
  });

  test('a part of the time', () => {
    const poseB = translation(0, 0, -1.5);
    expect(impactOfFreps(growing, floor, { poseB, end: 0.4375 }).verdict).toBe('clear');
    expectAt(impactOfFreps(growing, floor, { poseB, begin: 0.25, end: 0.75 }), 0.5);
    expect(impactOfFreps(growing, floor, { poseB, begin: 0.75, end: 0.75 })).toMatchObject({
      verdict: 'contact',
      first: { from: 0.75, to: 0.75 },
    });
  });

  test.each<[string, object, RegExp]>([
    ['a begin before all', { begin: -0.5 }, /time -0.5: expected a time from 0 to 1/],
    ['an end after all', { end: 2 }, /time 2: expected a time from 0 to 1/],
    ['an end before the begin', { begin: 0.5, end: 0.25 }, /times 0.5 to 0.25: expected a begin before the end/],
    ['a begin that is none', { begin: Number.NaN }, /times NaN to 1/],
    ['a resolution of 0', { timeResolution: 0 }, /timeResolution/],
    ['a resolution that is none', { timeResolution: Number.NaN }, /timeResolution/],
    ['a budget below 0', { budget: -1 }, /budget/],
    ['a distance', { distance: true }, /distance/],
    ['a clearance below 0', { clearance: -1 }, /clearance -1/],
    ['a resolution of space beyond all', { resolution: 21 }, /resolution 21/],
    ['a pose that is none', { poseB: [1] }, /pose of b/],
  ])('%s is refused', (_, options, message) => {
    expect(() => impactOfFreps(growing, ball, options)).toThrow(OptionError);
    expect(() => impactOfFreps(growing, ball, options)).toThrow(message);
  });

  test('of two that stand still there is no time', () => {
    expect(() => impactOfFreps(ball, floor)).toThrow(/neither of the two is an F-rep that depends on time/);
    expect(() => check(ball, floor, { time: 0 })).toThrow(/neither of the two depends on time/);
  });
});

describe('at one time', () => {
  test('check asks of the first time unless another is given', () => {
    const poseB = translation(0, 0, -1.5);
    expect(check(growing, floor, { poseB }).verdict).toBe('clear');
    expect(check(growing, floor, { poseB, time: 0.49 }).verdict).toBe('clear');
    expect(check(growing, floor, { poseB, time: 0.51 }).verdict).toBe('contact');
    expect(check(frozen(growing, 0.51), floor, { poseB }).verdict).toBe('contact');
    expect(check(growing, floor, { poseB, time: 0.25, distance: true }).bracket!.lower).toBeLessThanOrEqual(0.25);
    expect(check(growing, floor, { poseB, time: 0.25, distance: true }).bracket!.upper).toBeGreaterThanOrEqual(0.25);
    for (const time of [-0.01, 1.01, Number.NaN, '0'])
      expect(() => check(growing, floor, { poseB, time: time as number })).toThrow(/expected a time from 0 to 1/);
  });

  test('one at a time is the same object again; what stands still is itself', () => {
    expect(frozen(growing, 0.5)).toBe(frozen(growing, 0.5));
    expect(frozen(ball, 0.5)).toBe(ball);
    // With itself at another time.
    expect(check(frozen(growing, 0), frozen(growing, 1), { poseB: translation(2.9, 0, 0) }).verdict).toBe('contact');
    expect(check(frozen(growing, 0), frozen(growing, 1), { poseB: translation(3.1, 0, 0) }).verdict).toBe('clear');
  });

  test('both resolutions and times are asked for', () => {
    const asked = { poseB: translation(0, 0, -1.5), time: 0.75, resolution: 4 };
    expect(check(growing, floor, asked).cells!.resolution).toBe(4);
    expect(check(growing, floor, { ...asked, time: 0.25 }).verdict).toBe('clear');
    expect(check(growing, floor, asked).verdict).toBe('contact');
  });
});
