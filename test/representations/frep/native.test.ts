/** Two functionally defined solids: what `check` says of them, held to distances in closed form and to exact values at points. */
import { describe, expect, test } from 'vitest';
import type { Cell, CellSearch, Outcome, Query } from '../../../src/engine/records.ts';
import { identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { checkFreps, type SearchOptions, searchCells } from '../../../src/representations/frep/search/descent.ts';
import { coefficientAt } from '../../../src/representations/frep/tree/polynomial.ts';
import type { FrepObject } from '../../../src/representations/frep/tree/program.ts';
import { coefficientsOf } from '../../../src/representations/frep/tree/program.ts';
import {
  affine,
  ball,
  both,
  constant,
  type Dyadic,
  dyadic,
  either,
  exactValue,
  type Interval,
  minus,
  objectFrom,
  objectOf,
  perturbed,
  plus,
  polynomial,
  quadric,
  randomProgram,
  times,
} from '../../support/frep-programs.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';

const asked = (options: Partial<Query> = {}): Query => ({
  poseA: identity(),
  poseB: identity(),
  all: false,
  maxContacts: 100_000,
  level: null,
  ...options,
});

type Point = readonly number[];
const sign = (random: Random): number => (random.below(2) === 0 ? -1 : 1);
const lengthOf = (x: Point): number => Math.hypot(...x);

function direction(random: Random): number[] {
  for (;;) {
    const x = [0, 1, 2].map(() => random.between(-1, 1));
    const length = lengthOf(x);
    if (length > 0.1 && length < 1) return x.map((c) => c / length);
  }
}

/** A rotation, and where the origin goes. */
function placed(random: Random, at: Point): Pose {
  const pose = rotation(random.between(-1, 1), random.between(-1, 1), 1.5, random.between(-180, 180));
  for (let k = 0; k < 3; k++) pose[4 * k + 3] = at[k];
  return pose;
}

/** A pose as far from a rotation as one may be. */
const skewed = (pose: Pose, random: Random): Pose =>
  pose.map((x, n) => (n % 4 < 3 && n < 12 ? x + random.between(-1.5e-6, 1.5e-6) : x));

const turned = (pose: Pose, [x, y, z]: Point): number[] =>
  [0, 4, 8].map((r) => pose[r] * x + pose[r + 1] * y + pose[r + 2] * z);

/** A torus about z as a polynomial of degree 4: 4 R^2 (x^2 + y^2) - (x^2 + y^2 + z^2 + R^2 - r^2)^2. */
function torusNumbers(major: number, minor: number): number[] {
  const f = new Array<number>(coefficientsOf(4)).fill(0);
  const add = (i: number, j: number, k: number, c: number): void => {
    f[coefficientAt(4, i, j, k)] += c;
  };
  const d = major * major - minor * minor;
  const axes = [
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
  ];
  for (const [i, j, k] of axes) {
    for (const [l, m, n] of axes) add(i + l, j + m, k + n, -1);
    add(i, j, k, -2 * d + (k === 0 ? 4 * major * major : 0));
  }
  add(0, 0, 0, -d * d);
  return f;
}

const torusOf = (major: number, minor: number, options: Partial<FrepObject> = {}): FrepObject =>
  objectFrom((to) => polynomial(to, 4, torusNumbers(major, minor)), options);

interface Scene {
  a: FrepObject;
  b: FrepObject;
  poseA: Pose;
  poseB: Pose;
}

/** Two balls, `gap` apart, of which the centres are somewhere in their cubes. */
function balls(random: Random, gap: number, far: number): Scene {
  const half = [1, 0.37, 12][random.below(3)];
  const [r, s] = [random.between(0.3, 0.9), random.between(0.3, 0.9)];
  const off = [0, 1, 2].map(() => random.between(-0.1, 0.1) * (1 - r));
  const center = [0, 1, 2].map(() => random.between(-1, 1));
  const a = objectFrom((to) => ball(to, r, off), { half, center: [center[0], center[1], center[2]] });
  const b = objectFrom((to) => ball(to, s));
  const at = [0, 1, 2].map(() => far * random.between(-1, 1));
  const poseA = placed(random, at);
  const middle = turned(
    poseA,
    center.map((c, k) => c + half * off[k]),
  );
  const way = direction(random);
  // r^2 - |off|^2 and so on are rounded: by less than 1e-16.
  const length = half * r + s + gap;
  const poseB = placed(
    random,
    at.map((c, k) => c + middle[k] + length * way[k]),
  );
  return { a, b, poseA, poseB };
}

/** A ball over a half-space's face, within the cube. */
function ballOverHalfSpace(random: Random, gap: number, far: number): Scene {
  const normal = direction(random);
  const offset = random.between(-0.2, 0.2);
  const a = objectFrom((to) => affine(to, -normal[0], -normal[1], -normal[2], offset), { half: 4 });
  const r = random.between(0.2, 0.8);
  const b = objectFrom((to) => ball(to, r));
  const at = [0, 1, 2].map(() => far * random.between(-1, 1));
  const poseA = placed(random, at);
  const above = turned(
    poseA,
    normal.map((c) => c * (4 * offset + r + gap)),
  );
  return {
    a,
    b,
    poseA,
    poseB: placed(
      random,
      at.map((c, k) => c + above[k]),
    ),
  };
}

/** A ball beside a torus, or in its hole, or over it. */
function ballByTorus(random: Random, gap: number, far: number): Scene {
  const [major, minor] = [0.6, 0.2];
  const half = 2;
  const a = torusOf(major, minor, { half });
  const angle = random.between(-Math.PI, Math.PI);
  const [isHole, theta] = [random.below(3) === 0, random.between(-Math.PI / 2, Math.PI / 2)];
  const r = isHole ? half * (major - minor) - gap : random.between(0.2, 0.8);
  const out = isHole ? 0 : half * major + (half * minor + r + gap) * Math.cos(theta);
  const up = isHole ? 0 : (half * minor + r + gap) * Math.sin(theta);
  const b = objectFrom((to) => ball(to, r));
  const at = [0, 1, 2].map(() => far * random.between(-1, 1));
  const poseA = placed(random, at);
  const moved = turned(poseA, [out * Math.cos(angle), out * Math.sin(angle), up]);
  return {
    a,
    b,
    poseA,
    poseB: placed(
      random,
      at.map((c, k) => c + moved[k]),
    ),
  };
}

/** An ellipsoid over a box's face; the box is a domain, all of it inside. */
function ellipsoidOverBox(random: Random, gap: number, far: number): Scene {
  const a = objectFrom((to) => constant(to, 1), { half: 2, domain: [1, 0.75, 0.25] });
  const axes = [0, 1, 2].map(() => random.between(0.2, 0.9));
  const b = objectFrom((to) => quadric(to, [...axes.map((x) => -1 / (x * x)), 0, 0, 0, 0, 0, 0, 1]));
  const at = [0, 1, 2].map(() => far * random.between(-1, 1));
  const poseA = placed(random, at);
  const poseB = placed(random, at);
  // How far the ellipsoid reaches along -n, n being the direction of a's z axis.
  const n = turned(poseA, [0, 0, 1]);
  const along = [0, 1, 2].map((k) => poseB[k] * n[0] + poseB[4 + k] * n[1] + poseB[8 + k] * n[2]);
  const height = 0.5 + lengthOf(along.map((c, k) => c * axes[k])) + gap;
  const moved = turned(poseA, [random.between(-0.3, 0.3), random.between(-0.3, 0.3), height]);
  for (let k = 0; k < 3; k++) poseB[4 * k + 3] = at[k] + moved[k];
  return { a, b, poseA, poseB };
}

/** A ball whose bump meets another ball: 0.25 - u^2 - v^2 - w^2 + amount max(u, 0)^2 has its end on u at 0.5 / sqrt(1 - amount). */
function bumpBeforeBall(random: Random, gap: number, far: number): Scene {
  const amount = random.pick([0.5, 0.75, -3]);
  const a = objectFrom((to) => perturbed(to, ball(to, 0.5), affine(to, 1, 0, 0, 0), amount), { half: 2 });
  const end = 1 / Math.sqrt(1 - amount);
  const r = random.between(0.05, 0.1);
  const b = objectFrom((to) => ball(to, r));
  const at = [0, 1, 2].map(() => far * random.between(-1, 1));
  const poseA = placed(random, at);
  const moved = turned(poseA, [end + r + gap, 0, 0]);
  return {
    a,
    b,
    poseA,
    poseB: placed(
      random,
      at.map((c, k) => c + moved[k]),
    ),
  };
}

const SCENES = { balls, ballOverHalfSpace, ballByTorus, ellipsoidOverBox, bumpBeforeBall };
type SceneName = keyof typeof SCENES;

const swapped = ({ a, b, poseA, poseB }: Scene): Scene => ({ a: b, b: a, poseA: poseB, poseB: poseA });
const resolvedTo = ({ a, b, ...poses }: Scene, resolution: number): Scene => ({
  a: { ...a, resolution },
  b: { ...b, resolution },
  ...poses,
});

const gaps = [1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10].flatMap((gap) => [gap, -gap]);

describe.each(Object.keys(SCENES) as SceneName[])('%s', (name) => {
  test.each(some(1, [1, 2]))(
    'is never wrong, near and far, either way round, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      // A ball that fits a hole touches along a circle: there are many cells.
      const resolution = name === 'ballByTorus' ? 6 : 14;
      let decided = 0;
      let total = 0;
      for (const [g, gap] of gaps.entries()) {
        for (const [f, far] of [0, 1, 1e3, 1e7].entries()) {
          // What the poses here are rounded to.
          if (Math.abs(gap) < 1e-14 * far + 2e-15) continue;
          // Each gap at two distances, one of them either way round. Gaps change sign.
          const turn = (g + (g >> 1) + f) % 2;
          if (!long && turn === 1) continue;
          const scene = resolvedTo(SCENES[name](random, gap, far), resolution);
          const truth = gap > 0 ? 'clear' : 'contact';
          const ways = [scene, swapped(scene)];
          for (const { a, b, poseA, poseB } of long ? ways : [ways[f >> 1 === (g >> 1) % 2 ? 0 : 1]]) {
            const { verdict } = checkFreps(a, b, asked({ poseA, poseB }));
            expect([truth, 'undecided'], `gap ${gap} at ${far}`).toContain(verdict);
            if (far > 1 || Math.abs(gap) < 1e-6) continue;
            total++;
            if (verdict === truth) decided++;
          }
        }
      }
      // Most are known, down to gaps far smaller than the cells.
      expect(decided / total).toBeGreaterThan(name === 'ballByTorus' ? 0.4 : 0.8);
    },
  );

  test('never changes its mind with the resolution, the level, the order of halving or the tests', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(5);
    for (const gap of long ? [0.2, -0.2, 0.01, -0.01, 1e-4, -1e-4, 1e-9, -1e-9] : [0.2, -0.2, 1e-4, -1e-9]) {
      const scene = SCENES[name](random, gap, 1);
      const truth = gap > 0 ? 'clear' : 'contact';
      const known = new Set<string>();
      for (const resolution of [1, 2, 3, 5]) {
        const { a, b, poseA, poseB } = resolvedTo(scene, resolution);
        for (const level of resolution === 5 ? [0, 1, 3, 5, 9] : [null]) {
          for (const subdivision of ['octants', 'slices'] as const) {
            for (const mixes of [true, false]) {
              // Without, it takes cells as small as the gap; in slices, very many.
              if (resolution > 5 && (!mixes || subdivision === 'slices')) continue;
              if (resolution === 5 && subdivision === 'slices' && !mixes) continue;
              if (resolution === 20 && Math.abs(gap) < 1e-8 && name !== 'balls') continue;
              const options: SearchOptions = { subdivision, mixes };
              const { verdict, cells } = searchCells(a, b, asked({ poseA, poseB, level }), options);
              expect([truth, 'undecided']).toContain(verdict);
              expect(cells?.resolution).toBe(Math.min(resolution, level ?? 20));
              expect(verdict === 'undecided').toBe(cells?.contacts.length === 0 && cells.undecided > 0);
              known.add(verdict);
            }
          }
        }
      }
      if (Math.abs(gap) > 0.1) expect(known).toContain(truth);
    }
  });
});

test('subdivision may come with the query', () => {
  const { a, b, poseA, poseB } = resolvedTo(balls(seeded(3), -0.1, 0), 4);
  const slices = checkFreps(a, b, asked({ poseA, poseB, own: { subdivision: 'slices' } }));
  expect(slices.verdict).toBe('contact');
  const size = slices.cells?.contacts[0].size as number[];
  const octants = checkFreps(a, b, asked({ poseA, poseB, own: { subdivision: 'octants' } }));
  expect(octants.verdict).toBe('contact');
  expect(octants.tests.bounds).not.toBe(slices.tests.bounds);
  expect(size.every((x) => x > 0)).toBe(true);
});

/** As exact as is needed to tell a sign: 2^-500 apart. */
const cut = (a: Dyadic): Dyadic => (a.e >= -500 ? a : { m: a.m >> BigInt(-500 - a.e), e: -500 });
const one = dyadic(1);
function quotient(a: Dyadic, b: Dyadic): Dyadic {
  // a / b, cut at 2^-500.
  const shift = BigInt(Math.max(0, 600 + a.e - b.e));
  return cut({ m: (a.m << shift) / b.m, e: a.e - b.e - Number(shift) });
}

/** x with M x + t = p, to 2^-480 or so. */
function unmoved(pose: Pose, p: Dyadic[]): Dyadic[] {
  const m = Array.from(pose, dyadic);
  const v = p.map((c, k) => minus(c, m[4 * k + 3]));
  const minor = (i: number, j: number): Dyadic => {
    const [r, s] = [(i + 1) % 3, (i + 2) % 3];
    const [c, d] = [(j + 1) % 3, (j + 2) % 3];
    return minus(times(m[4 * r + c], m[4 * s + d]), times(m[4 * r + d], m[4 * s + c]));
  };
  const determinant = [0, 1, 2].reduce((sum, j) => plus(sum, times(m[j], minor(0, j))), dyadic(0));
  return [0, 1, 2].map((j) =>
    quotient(
      [0, 1, 2].reduce((sum, i) => plus(sum, times(v[i], minor(i, j))), dyadic(0)),
      determinant,
    ),
  );
}
const movedBy = (pose: Pose, x: Dyadic[]): Dyadic[] =>
  [0, 1, 2].map((k) => x.reduce((sum, c, n) => plus(sum, times(dyadic(pose[4 * k + n]), c)), dyadic(pose[4 * k + 3])));

/** Value of the object's function, restricted to its domain, at a point of the common frame; known to about 2^-400. */
function valueAt(object: FrepObject, pose: Pose, p: Dyadic[]): Interval {
  const x = unmoved(pose, p);
  const u = x.map((c, k) => quotient(minus(c, dyadic(object.center[k])), dyadic(object.half)));
  return exactValue(object.program, object.domain, u);
}
const MARGIN: Dyadic = { m: 1n, e: -180 };
const isInside = (v: Interval): boolean => minus(v.low, MARGIN).m >= 0n;
const isOutside = (v: Interval): boolean => plus(v.high, MARGIN).m < 0n;

test('the oracle takes points back', () => {
  const pose = placed(seeded(1), [3, 4, 5]);
  const x = [0.25, -0.5, 0.75].map(dyadic);
  const back = unmoved(pose, movedBy(pose, x));
  for (let k = 0; k < 3; k++) {
    const off = minus(back[k], x[k]);
    expect((off.m < 0n ? -off.m : off.m) <= one.m << BigInt(Math.max(0, -450 - off.e))).toBe(true);
  }
});

/** Points of a, exact ones of its cube: on a lattice of its domain and at random. */
function samplesOf(object: FrepObject, random: Random, count: number): Dyadic[][] {
  return Array.from({ length: count }, () =>
    object.domain.map((d, k) => {
      const u = Math.round(64 * random.between(-d, d)) / 64;
      return plus(dyadic(object.center[k]), times(dyadic(object.half), dyadic(u)));
    }),
  );
}

/** Where a reported point is only rounded into the common frame, the objects are as near to it as that. */
const nearlyIn = (v: Interval, slope: number): boolean => plus(v.high, dyadic(1e-11 * slope)).m >= 0n;

function slopeOf(object: FrepObject): number {
  return object.program.numbers.reduce((sum, x) => sum + Math.abs(x), 1) ** 4 / Math.min(1, object.half);
}

/** Where the object's centre goes, exactly. */
const centreOf = (object: FrepObject, pose: Pose): Dyadic[] => movedBy(pose, object.center.map(dyadic));

test.each([1, 2])(
  'balls far from their own origins, whose poses bring them together: exact distances, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    let decided = 0;
    for (let trial = 0; trial < (long ? 60 : 30); trial++) {
      const far = random.pick([1e3, 1e7]);
      const make = (): FrepObject =>
        objectFrom((to) => ball(to, 0.5), {
          center: [far * random.between(-1, 1), far * random.between(-1, 1), far * random.between(-1, 1)],
          resolution: 12,
        });
      const [a, b] = [make(), make()];
      const [poseA, poseB] = [placed(random, [0, 0, 0]), placed(random, [0, 0, 0])];
      const [p, q] = [turned(poseA, a.center), turned(poseB, b.center)];
      const way = direction(random);
      // About what the rounding of the relative pose comes to.
      const gap = 2 ** -53 * far * 10 ** random.between(-1, 2.5) * sign(random);
      for (let k = 0; k < 3; k++) poseB[4 * k + 3] = p[k] - q[k] + (1 + gap) * way[k];
      const apart = centreOf(a, poseA).map((c, k) => minus(c, centreOf(b, poseB)[k]));
      const square = apart.reduce((sum, c) => plus(sum, times(c, c)), dyadic(0));
      // |d|^2 - 1 is 2 gap; the balls' images are balls to 1e-15.
      const off = minus(square, dyadic(1));
      const isSure = minus(off.m < 0n ? { m: -off.m, e: off.e } : off, dyadic(1e-14)).m > 0n;
      if (!isSure) continue;
      const { verdict } = checkFreps(a, b, asked({ poseA, poseB }));
      if (verdict !== 'undecided') decided++;
      expect([off.m > 0n ? 'clear' : 'contact', 'undecided'], `${trial}`).toContain(verdict);
    }
    expect(decided).toBeLessThan(60);
  },
);

test('domains far from their own origins, whose faces touch: exact distances', { tags: ['quick', 'long'] }, () => {
  const random = seeded(21);
  for (let trial = 0; trial < (long ? 120 : 60); trial++) {
    const far = 1e7;
    const make = (): FrepObject =>
      objectFrom((to) => constant(to, 1), {
        center: [far * random.between(-1, 1), far * random.between(-1, 1), far * random.between(-1, 1)],
        resolution: 2,
      });
    const [a, b] = [make(), make()];
    // About the same axes, so that faces are parallel, nearly.
    const poseA = placed(random, [0, 0, 0]);
    const poseB = poseA.slice();
    const [p, q] = [turned(poseA, a.center), turned(poseB, b.center)];
    const gap = 2 ** -53 * far * 10 ** random.between(-1, 2) * sign(random);
    const n = turned(poseA, [1, 0, 0]);
    for (let k = 0; k < 3; k++) poseB[4 * k + 3] = p[k] - q[k] + (2 + gap) * n[k];
    const apart = centreOf(b, poseB).map((c, k) => minus(c, centreOf(a, poseA)[k]));
    // Along a's x axis as it is in the common frame, of length 1 to 1e-15.
    const along = apart.reduce((sum, c, k) => plus(sum, times(c, dyadic(poseA[4 * k]))), dyadic(0));
    const off = minus(along, dyadic(2));
    if (minus(off.m < 0n ? { m: -off.m, e: off.e } : off, dyadic(1e-14)).m <= 0n) continue;
    const { verdict } = checkFreps(a, b, asked({ poseA, poseB }));
    expect([off.m > 0n ? 'clear' : 'contact', 'undecided'], `${trial}`).toContain(verdict);
  }
});

describe('cells', () => {
  test.each(some(2, [1, 2, 3, 4]))(
    'all of them, seed %i: inside where it is said, and nothing is missing',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const scene = [balls, ballOverHalfSpace, ballByTorus, ellipsoidOverBox][seed - 1](random, -0.45, seed);
      for (const subdivision of ['octants', 'slices'] as const) {
        const { a, b, poseA, poseB } = resolvedTo(scene, 4);
        const outcome = checkFreps(
          a,
          b,
          asked({ poseA: skewed(poseA, random), poseB, all: true, own: { subdivision } }),
        );
        const { cells, contacts } = outcome;
        expect(outcome.verdict).toBe('contact');
        expect(contacts).toEqual({ count: 1, complete: true, pairs: [[0, 0]] });
        expect(outcome.point).toEqual(cells?.contacts[0].point);
      }
      const { a, b, poseB } = resolvedTo(scene, long ? 5 : 4);
      const poseA = skewed(scene.poseA, random);
      const outcome = checkFreps(a, b, asked({ poseA, poseB, all: true }));
      const found = outcome.cells?.contacts as Cell[];
      let inside = 0;
      for (const { center, size, isInside: isAll, point } of found) {
        for (let sample = 0; sample < (isAll ? 3 : 1); sample++) {
          const at = isAll
            ? turned(
                poseA,
                size.map((edge) => (sample === 0 ? sign(random) : random.between(-1, 1)) * (edge / 2)),
              ).map((d, k) => center[k] + (1 - 1e-9) * d)
            : point;
          const p = at.map(dyadic);
          for (const [object, pose] of [
            [a, poseA],
            [b, poseB],
          ] as const) {
            const value = valueAt(object, pose, p);
            if (isAll && sample > 0) expect(isOutside(value)).toBe(false);
            expect(nearlyIn(value, slopeOf(object))).toBe(true);
          }
        }
        if (isAll) inside++;
      }
      expect(inside).toBeGreaterThan(long ? 4 : 2);
      // Each common point is in a cell that was found, or near one that is undecided.
      const holds = (p: number[], spare: number): boolean =>
        found.some(({ center, size }) => {
          const d = p.map((c, k) => c - center[k]);
          return size.every(
            (edge, k) => Math.abs(poseA[k] * d[0] + poseA[4 + k] * d[1] + poseA[8 + k] * d[2]) <= edge / 2 + spare,
          );
        });
      const smallest = Math.max(...(outcome.cells as CellSearch).size);
      let shared = 0;
      for (let sample = 0; sample < (long ? 400 : 200); sample++) {
        const { center, size } = random.pick(found);
        const about = center.map((c, k) => c + 4 * size[k] * random.between(-1, 1));
        const p = about.map(dyadic);
        if (!isInside(valueAt(a, poseA, p)) || !isInside(valueAt(b, poseB, p))) continue;
        shared++;
        expect(holds(about, (outcome.cells?.undecided as number) > 0 ? 3 * smallest : 1e-9)).toBe(true);
      }
      expect(shared).toBeGreaterThan(5);
    },
  );

  test('maxContacts cuts the list, onContact hears of it once, and without `all` one cell does', () => {
    const { a, b, poseA, poseB } = resolvedTo(balls(seeded(9), -0.4, 0), 4);
    const heard: number[][] = [];
    const onContact = (p: number, q: number): void => void heard.push([p, q]);
    const whole = checkFreps(a, b, asked({ poseA, poseB, all: true, onContact }));
    expect(heard).toEqual([[0, 0]]);
    const total = whole.cells?.contacts.length as number;
    expect(total).toBeGreaterThan(20);
    for (const maxContacts of [1, 7, total - 1, total]) {
      const part = checkFreps(a, b, asked({ poseA, poseB, all: true, maxContacts }));
      expect(part.verdict).toBe('contact');
      expect(part.cells?.contacts).toEqual(whole.cells?.contacts.slice(0, maxContacts));
      expect(part.contacts.complete).toBe(maxContacts === total);
    }
    const first = checkFreps(a, b, asked({ poseA, poseB }));
    expect(first.cells?.contacts).toHaveLength(1);
    expect(first.contacts.complete).toBe(false);
    const far = checkFreps(a, b, asked({ poseA, poseB: translation(50, 0, 0), onContact }));
    expect([far.verdict, far.contacts.complete, heard.length]).toEqual(['clear', true, 1]);
  });

  test('an answer does not depend on what was asked before', () => {
    const random = seeded(10);
    const scenes = [0.2, -0.2, 1e-5, 30].map((gap) => resolvedTo(balls(random, gap, 0), 5));
    const ask = ({ a, b, poseA, poseB }: Scene): Outcome => checkFreps(a, b, asked({ poseA, poseB }));
    const first = scenes.map(ask);
    const order = [1, 3, 0, 2];
    expect(order.map((n) => ask(scenes[n]))).toEqual(order.map((n) => first[n]));
  });

  test('the level is how often the deepest cells were halved along an axis', () => {
    // On either half of the cube along z one of the two is nowhere.
    const a = objectFrom((to) => affine(to, 0, 0, 1, -0.5), { resolution: 4 });
    const b = objectFrom((to) => affine(to, 0, 0, -1, -0.25), { resolution: 4 });
    const options: SearchOptions = { subdivision: 'octants', mixes: false };
    const { verdict, level, tests } = searchCells(a, b, asked(), options);
    expect([verdict, tests.bounds, level]).toEqual(['clear', 15, 1]);
    const { a: c, b: d, poseA, poseB } = resolvedTo(balls(seeded(12), -0.01, 0), 4);
    for (const limit of [0, 1, 2, 3, 4]) {
      const limited = searchCells(c, d, asked({ poseA, poseB, all: true, level: limit }), options);
      expect([limited.level, limited.cells?.resolution]).toEqual([limit, limit]);
    }
  });
});

describe('random programs', () => {
  test.each(some(1, [1, 2, 3, 4, 5, 6]))('against points of both, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const random = seeded(seed);
    const seen = { clear: 0, contact: 0, undecided: 0 };
    for (let trial = 0; trial < (long ? 20 : 16); trial++) {
      const make = (): FrepObject => {
        const domain: [number, number, number] = [1, 1, 1];
        const small = random.below(3);
        for (let k = 0; k < 3; k++) if (k !== small) domain[k] = random.pick([1, random.between(0.1, 1)]);
        const center: [number, number, number] = [random.between(-1, 1), 0, random.between(-9, 9)];
        return objectOf(randomProgram(random, { operations: 4, leaves: 4, hasWaves: trial % 4 === 0 }), {
          domain,
          center,
          half: random.pick([1, 0.3, 2]),
          resolution: 3 + random.below(2),
        });
      };
      const [a, b] = [make(), make()];
      const at = [0, 1, 2].map(() => random.between(-1, 1) * random.pick([1, 1, 100]));
      const poseA = skewed(placed(random, at), random);
      const poseB = placed(random, at);
      // Their centres are near to each other.
      const [c, d] = [turned(poseA, a.center), turned(poseB, b.center)];
      const way = direction(random);
      const apart = random.between(0, 1.2 * (a.half + b.half));
      for (let k = 0; k < 3; k++) poseB[4 * k + 3] = at[k] + c[k] - d[k] + apart * way[k];
      const verdicts = new Set<string>();
      for (const [subdivision, mixes] of [
        ['octants', true],
        ['octants', false],
        ['slices', true],
      ] as const) {
        const { verdict, point } = searchCells(a, b, asked({ poseA, poseB }), { subdivision, mixes });
        verdicts.add(verdict);
        seen[verdict]++;
        if (verdict !== 'contact') continue;
        const p = (point as number[]).map(dyadic);
        for (const [object, pose] of [
          [a, poseA],
          [b, poseB],
        ] as const)
          expect(nearlyIn(valueAt(object, pose, p), slopeOf(object)), `${trial}`).toBe(true);
      }
      const back = searchCells(b, a, asked({ poseA: poseB, poseB: poseA }), { subdivision: 'octants', mixes: true });
      verdicts.add(back.verdict);
      expect(verdicts.has('clear') && verdicts.has('contact'), `${trial}`).toBe(false);
      if (!verdicts.has('clear')) continue;
      for (const x of samplesOf(a, random, 60)) {
        const p = movedBy(poseA, x);
        const isBoth = isInside(valueAt(a, poseA, p)) && isInside(valueAt(b, poseB, p));
        expect(isBoth, `${trial}`).toBe(false);
      }
    }
    expect(seen.clear).toBeGreaterThan(3);
    expect(seen.contact).toBeGreaterThan(3);
  });

  test('a solid and its complement share a surface and no more: never clear', () => {
    for (const subdivision of ['octants', 'slices'] as const) {
      const a = objectFrom((to) => ball(to, 0.5), { resolution: 4 });
      const b = objectFrom((to) => quadric(to, [1, 1, 1, 0, 0, 0, 0, 0, 0, -0.25]), { resolution: 4 });
      const poses = [identity(), placed(seeded(1), [0, 0, 0])];
      for (const poseA of poses) {
        for (const poseB of poses) {
          const { verdict } = checkFreps(a, b, asked({ poseA, poseB, own: { subdivision } }));
          expect(verdict).not.toBe('clear');
        }
      }
    }
  });

  test('touching exactly is never clear: balls, planes, corners of domains', { tags: ['quick', 'long'] }, () => {
    const resolution = long ? 5 : 3;
    const a = objectFrom((to) => ball(to, 0.5), { resolution });
    const cube = objectFrom((to) => constant(to, 1), { resolution });
    const wall = objectFrom((to) => affine(to, -1, 0, 0, 0.25), { resolution });
    const union = objectFrom(
      (to) => either(to, ball(to, 0.25, [0.5, 0, 0]), both(to, ball(to, 0.5), constant(to, -1))),
      {
        resolution,
      },
    );
    const cases: [FrepObject, FrepObject, Pose][] = [
      [a, a, translation(1, 0, 0)],
      [a, a, translation(0, -1, 0)],
      [cube, cube, translation(2, 2, 2)],
      [cube, cube, translation(0, 0, 2)],
      [wall, a, translation(0.75, 0, 0)],
      [cube, a, translation(1.5, 0, 0)],
      [union, a, translation(1.25, 0, 0)],
      [
        cube,
        objectFrom((to) => constant(to, 0), { domain: [1, 2 ** -30, 2 ** -40], resolution: 3 }),
        translation(1.5, 0.5, 0.5),
      ],
    ];
    for (const [p, q, poseB] of cases) {
      expect(checkFreps(p, q, asked({ poseB })).verdict).not.toBe('clear');
      expect(checkFreps(q, p, asked({ poseA: poseB })).verdict).not.toBe('clear');
    }
  });

  test('far away, and not finite, and tiny: no wrong verdict', () => {
    const a = objectFrom((to) => ball(to, 0.5), { resolution: 3 });
    const tiny = objectFrom((to) => ball(to, 0.5), { resolution: 3, half: 1e-9 });
    for (const far of [1e10, 1e16, 1e100, 1e300]) {
      const same = translation(far, -far, far / 3);
      for (const [p, q] of [
        [a, a],
        [a, tiny],
        [tiny, a],
        [tiny, tiny],
      ])
        expect(checkFreps(p, q, asked({ poseA: same, poseB: same })).verdict).not.toBe('clear');
      const { verdict } = checkFreps(a, a, asked({ poseA: same, poseB: identity() }));
      expect(['clear', 'undecided']).toContain(verdict);
    }
  });
});
