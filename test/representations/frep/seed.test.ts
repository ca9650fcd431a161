/**
 * The seed paper's search of two F-reps, and the random one, held to a search written apart, to
 * counts by hand and to what is true.
 */
import { describe, expect, test } from 'vitest';
import type { Outcome, Query } from '../../../src/engine/records.ts';
import { build, check, readFrep } from '../../../src/index.ts';
import { identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { checkFreps } from '../../../src/representations/frep/search/descent.ts';
import { checkAtRandom, sobolPoints } from '../../../src/representations/frep/search/random.ts';
import { checkBySeed, searchAsSeed } from '../../../src/representations/frep/search/seed.ts';
import { evaluate } from '../../../src/representations/frep/tree/evaluate.ts';
import { coefficientAt } from '../../../src/representations/frep/tree/polynomial.ts';
import { coefficientsOf, type FrepObject } from '../../../src/representations/frep/tree/program.ts';
import {
  ball,
  both,
  constant,
  type Draft,
  either,
  objectFrom,
  objectOf,
  perturbed,
  polynomial,
  quadric,
  randomProgram,
} from '../../support/frep-programs.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';

const asked = (options: Partial<Query> = {}): Query => ({
  ...{ poseA: identity(), poseB: identity(), all: false, maxContacts: 100_000, level: null },
  ...options,
});
const UNIT = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
const placed = ({ program }: FrepObject) => ({ program, map: Float64Array.from(UNIT) });

// ------------------------------------------------------------------------------------- the oracle

/** A polynomial by the exponents of x, y, z: '200' for x^2. */
type Terms = Record<string, number>;
type Shape =
  | { terms: Terms }
  | { base: Shape; by: Shape; amount: number }
  | { all: readonly [Shape, Shape] }
  | { any: readonly [Shape, Shape] };
type Cube = readonly { middle: number; half: number }[];

/** The polynomial with middle + half u' in place of each coordinate, multiplied out. */
function substituted(terms: Terms, cube: Cube): Terms {
  const out: Terms = {};
  for (const [powers, c] of Object.entries(terms)) {
    let partial: Terms = { '': c };
    for (let k = 0; k < 3; k++) {
      let factor: Terms = { 0: 1 };
      for (let n = 0; n < Number(powers[k]); n++) {
        const next: Terms = {};
        for (const [e, f] of Object.entries(factor)) {
          next[e] = (next[e] ?? 0) + f * cube[k].middle;
          next[Number(e) + 1] = (next[Number(e) + 1] ?? 0) + f * cube[k].half;
        }
        factor = next;
      }
      const more: Terms = {};
      for (const [before, f] of Object.entries(partial))
        for (const [e, g] of Object.entries(factor)) more[before + e] = (more[before + e] ?? 0) + f * g;
      partial = more;
    }
    for (const [key, value] of Object.entries(partial)) out[key] = (out[key] ?? 0) + value;
  }
  return out;
}

interface Tally {
  cells: number;
  tests: { quadric: number; freeform: number; perturbation: number };
  slices: number;
  points: number[][];
}

/** A44 and the sum of the other sizes; along a ray, of z alone. */
function sizes(terms: Terms, cube: Cube, isRay: boolean): [number, number] {
  const own = substituted(terms, cube);
  const others = Object.keys(own).filter((key) => key !== '000' && (!isRay || key.startsWith('00')));
  return [own['000'] ?? 0, others.reduce((sum, key) => sum + Math.abs(own[key]), 0)];
}

/**
 * Tests 8 and 9 from the top down: is the cell outside of the shape, to which at most r is added?
 */
function isOutside(
  shape: Shape,
  cube: Cube,
  isRay: boolean,
  tests: Tally['tests'],
  r = 0,
  isFreeform = false,
): boolean {
  if ('terms' in shape) {
    tests[isFreeform ? 'freeform' : 'quadric']++;
    const [a44, most] = sizes(shape.terms, cube, isRay);
    return a44 + r < 0 && most < -(a44 + r);
  }
  if ('base' in shape) {
    const most = mostOf(shape, cube, isRay, tests);
    return isOutside(shape.base, cube, isRay, tests, r + most, true);
  }
  const [one, other] = ('all' in shape ? shape.all : shape.any).map((part) =>
    isOutside(part, cube, isRay, tests, r, isFreeform),
  );
  return 'all' in shape ? one || other : one && other;
}

/**
 * The most that a perturbation adds, by test 10 as printed. Perturbing shapes are quadrics, perhaps
 * perturbed.
 */
function mostOf(
  { by, amount }: { by: Shape; amount: number },
  cube: Cube,
  isRay: boolean,
  tests: Tally['tests'],
): number {
  tests.perturbation++;
  let own = by;
  let r = 0;
  while ('base' in own) {
    r += mostOf(own, cube, isRay, tests);
    own = own.base;
  }
  if (!('terms' in own)) throw new Error('a perturbing shape is a quadric');
  const [a44, most] = sizes(own.terms, cube, isRay);
  if (most < Math.abs(a44 + r) || amount < 0) return 0;
  return amount * (a44 + r + most) ** 2;
}

function oracle(shapes: readonly Shape[], resolution: number, isForAll: boolean): Tally {
  const tally: Tally = { cells: 0, tests: { quadric: 0, freeform: 0, perturbation: 0 }, slices: 0, points: [] };
  const isLeft = (cube: Cube, isRay: boolean): boolean => {
    tally.cells++;
    for (const shape of shapes) if (isOutside(shape, cube, isRay, tally.tests)) return false;
    return true;
  };
  const part = ({ middle, half }: Cube[number], side: number) => ({
    middle: middle + (side * half) / 2,
    half: half / 2,
  });
  const along = (cube: Cube, steps: number): number | null => {
    if (steps === 0) return cube[2].middle;
    for (const side of [-1, 1]) {
      const next = [cube[0], cube[1], part(cube[2], side)];
      const z = isLeft(next, true) ? along(next, steps - 1) : null;
      if (z !== null) return z;
    }
    return null;
  };
  const screen = (cube: Cube, steps: number): boolean => {
    if (steps === 0) {
      tally.slices++;
      const z = along(cube, resolution);
      if (z !== null) tally.points.push([cube[0].middle, cube[1].middle, z]);
      return z !== null && !isForAll;
    }
    for (const y of [-1, 1])
      for (const x of [-1, 1]) {
        const next = [part(cube[0], x), part(cube[1], y), cube[2]];
        if (isLeft(next, false) && screen(next, steps - 1)) return true;
      }
    return false;
  };
  screen(
    [0, 1, 2].map(() => ({ middle: 0, half: 1 })),
    resolution,
  );
  return tally;
}

// ------------------------------------------------------------------------------- shapes at random

const ORDER = ['200', '020', '002', '110', '101', '011', '100', '010', '001', '000'];

/** A multiple of 1/16 between -most and most, so that no substitution is rounded. */
const sixteenth = (random: Random, most: number): number => (random.below(32 * most + 1) - 16 * most) / 16;

function randomTerms(random: Random, isCubic: boolean): Terms {
  const terms: Terms = {};
  for (const key of ORDER) if (random.below(3) > 0) terms[key] = sixteenth(random, 1);
  for (const key of ['200', '020', '002']) terms[key] = -1 + sixteenth(random, 1) / 2;
  terms['000'] = sixteenth(random, 1);
  if (isCubic) for (const key of ['300', '111', '012', '003']) terms[key] = sixteenth(random, 1) / 2;
  return terms;
}

function randomShape(random: Random, depth: number): Shape {
  const kind = depth === 0 ? 0 : random.below(4);
  if (kind === 0) return { terms: randomTerms(random, random.below(4) === 0) };
  if (kind === 1) {
    const inner: Shape = { terms: randomTerms(random, false) };
    const by: Shape =
      random.below(3) === 0 ? { base: inner, by: { terms: randomTerms(random, false) }, amount: 0.5 } : inner;
    return { base: randomShape(random, depth - 1), by, amount: random.pick([0.25, 1, 2, -1]) };
  }
  const two = [randomShape(random, depth - 1), randomShape(random, depth - 1)] as const;
  return kind === 2 ? { all: two } : { any: two };
}

function written(to: Draft, shape: Shape): number {
  if ('terms' in shape) {
    const { terms } = shape;
    if (Object.keys(terms).every((key) => ORDER.includes(key)))
      return quadric(
        to,
        ORDER.map((key) => terms[key] ?? 0),
      );
    const numbers = new Array<number>(coefficientsOf(3)).fill(0);
    for (const [key, c] of Object.entries(terms)) {
      const [i, j, k] = [...key].map(Number);
      numbers[coefficientAt(3, i, j, k)] = c;
    }
    return polynomial(to, 3, numbers);
  }
  if ('base' in shape) {
    const base = written(to, shape.base);
    return perturbed(to, base, written(to, shape.by), shape.amount);
  }
  const [f, g] = ('all' in shape ? shape.all : shape.any).map((part) => written(to, part));
  return 'all' in shape ? both(to, f, g) : either(to, f, g);
}

const objectOfShape = (shape: Shape): FrepObject => objectFrom((to) => written(to, shape));

describe('the search as printed', () => {
  test('a ball of radius 1/4 about (3/4, 3/4, 0): counts by hand', () => {
    // All four bars are crossed: with x' and y' the numbers of test 8 are, with A11 = A22 = -1/4
    // and A33 = -1,
    //   (-, -)  A44 -49/16, the others 4      (+, -)  A44 -25/16, the others 3      (+, +)  A44
    // -1/16, the others 2. On the near half of each ray |A33| + |A34| is 3/4, and A44 1/4 less than
    // before, so it is
    //   -53/16: outside, and the far half, too;  -29/16: likewise, twice;  -5/16: crossed.
    const object = objectFrom((to) => ball(to, 0.25, [0.75, 0.75, 0]));
    const found = searchAsSeed([placed(object)], { resolution: 1, all: true });
    expect(found).toEqual({
      ...{ answer: 'found', complete: true, resolution: 1, cells: 11, slices: 4 },
      ...{ tests: { quadric: 11, freeform: 0, perturbation: 0 }, points: [[0.5, 0.5, -0.5]] },
    });
    const terms = { '200': -1, '020': -1, '002': -1, '100': 1.5, '010': 1.5, '000': 0.0625 - 1.125 };
    for (const resolution of [2, 3]) {
      const { cells, slices, points } = searchAsSeed([placed(object)], { resolution, all: true });
      expect({ cells, slices, points }).toEqual(
        (({ tests: _, ...rest }) => rest)(oracle([{ terms }], resolution, true)),
      );
    }
  });

  test.each(some(1, [1, 2, 3, 4, 5, 6, 7, 8]))(
    'has the cells, tests, slices and points of a search written apart, one to three solids, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const seen = { found: 0, none: 0, slices: 0 };
      for (let trial = 0; trial < (long ? 24 : 10); trial++) {
        const shapes = Array.from({ length: 1 + random.below(3) }, () => randomShape(random, 2));
        const resolution = 1 + random.below(long ? 3 : 2);
        const all = random.below(2) === 0;
        const { answer, cells, tests, slices, points } = searchAsSeed(
          shapes.map((shape) => placed(objectOfShape(shape))),
          { resolution, all },
        );
        const expected = oracle(shapes, resolution, all);
        expect({ cells, tests, slices, points }).toEqual(expected);
        expect(answer).toBe(expected.points.length > 0 ? 'found' : 'none');
        if (answer !== 'unfinished') seen[answer]++;
        seen.slices += slices;
      }
      expect(seen.found).toBeGreaterThan(0);
      expect(seen.none).toBeGreaterThan(0);
    },
  );

  test('b is in the cube of a, scaled and moved', () => {
    const a = objectFrom((to) => ball(to, 0.5), { half: 2, center: [1, 0, 0], resolution: 4 });
    const b = objectFrom((to) => ball(to, 0.5), { half: 1, center: [0, 0.25, 0], resolution: 4 });
    const { seed } = checkBySeed(a, b, asked({ poseB: translation(1.5, 0.25, 0), all: true }));
    // u_b = 2 u_a + (1, 0, 0) - (1.5, 0.5, 0).
    const small: Terms = { '200': -4, '020': -4, '002': -4, '100': 2, '010': 2, '000': 0.25 - 0.25 - 0.25 };
    const big: Terms = { '200': -1, '020': -1, '002': -1, '000': 0.25 };
    const { points, ...counts } = oracle([{ terms: big }, { terms: small }], 4, true);
    expect(seed).toMatchObject({ answer: 'found', complete: true, ...counts });
    expect(seed?.points).toEqual(points.map(([x, y, z]) => [1 + 2 * x, 2 * y, 2 * z]));
  });

  test('gives up at its most cells and points, and has nothing to say of no step', () => {
    const one = placed(objectFrom((to) => constant(to, 1)));
    expect(searchAsSeed([one], { resolution: 5, all: true, mostCells: 7 })).toMatchObject({
      ...{ answer: 'unfinished', complete: false, cells: 7, slices: 1, points: [] },
    });
    expect(searchAsSeed([one], { resolution: 3, all: true, mostPoints: 5 })).toMatchObject({
      ...{ answer: 'found', complete: false },
    });
    expect(searchAsSeed([one], { resolution: 0 })).toMatchObject({ answer: 'unfinished', cells: 0 });
    expect(searchAsSeed([one], { resolution: 3, all: true })).toMatchObject({ complete: true, slices: 64 });
  });
});

// ---------------------------------------------------------------------------------------- verdicts

/** Positive everywhere, by a perturbation that test 10 drops everywhere as printed. */
const missed = objectFrom((to) => perturbed(to, constant(to, -1), constant(to, 2), 1), { resolution: 4 });

test('a contact that test 10 as printed misses is undecided, never clear', () => {
  expect(checkFreps(missed, missed, asked()).verdict).toBe('contact');
  const { verdict, seed, contacts, point } = checkBySeed(missed, missed, asked());
  expect({ verdict, answer: seed?.answer, cells: seed?.cells }).toEqual({
    verdict: 'undecided',
    answer: 'none',
    cells: 4,
  });
  expect({ contacts, point }).toEqual({ contacts: { count: 0, complete: false, pairs: [] }, point: undefined });
});

test('bulges that meet where their balls do not, seed 104: misses are undecided', { tags: ['all', 'long'] }, () => {
  const random = seeded(104);
  const tally = { contact: 0, undecided: 0, clear: 0, none: 0 };
  for (let trial = 0; trial < (long ? 60 : 20); trial++) {
    const [a, b] = [-1, 1].map((side) => {
      const out = random.between(0.25, 0.45);
      const [r, by] = [random.between(0.35, 0.6), random.between(3, 9)];
      const bulge = [-by, -by, -by, 0, 0, 0, 2 * by * side * out, 0, 0, by * (r * r - out * out)];
      return objectFrom((to) => perturbed(to, ball(to, 0.4, [side * 0.55, 0, 0]), quadric(to, bulge), 1), {
        resolution: 5,
      });
    });
    const truth = checkFreps(a, b, asked()).verdict;
    const { verdict, seed } = checkBySeed(a, b, asked());
    if (truth === 'contact') expect(verdict).not.toBe('clear');
    if (truth === 'contact' && seed?.answer === 'none') {
      expect(verdict).toBe('undecided');
      tally.none++;
    }
    tally[verdict]++;
  }
  expect(tally.none).toBeGreaterThan(2);
});

const lengthOf = (x: readonly number[]): number => Math.sqrt(x.reduce((sum, c) => sum + c * c, 0));

function somePose(random: Random, far: number): Pose {
  const pose = rotation(random.between(-1, 1), random.between(-1, 1), 1.5, random.between(-180, 180));
  for (let k = 0; k < 3; k++) pose[4 * k + 3] = random.between(-far, far);
  return pose;
}

/** Least of the two functions at a point of the common frame, in plain doubles. */
function leastAt(sides: readonly (readonly [FrepObject, Pose])[], point: readonly number[]): number {
  return Math.min(
    ...sides.map(([object, pose]) => {
      const d = point.map((c, k) => c - pose[4 * k + 3]);
      const local = [0, 1, 2].map((i) => pose[i] * d[0] + pose[4 + i] * d[1] + pose[8 + i] * d[2]);
      const reach = local.map((c, k) => object.domain[k] * object.half - Math.abs(c - object.center[k]));
      return Math.min(evaluate(object, local[0], local[1], local[2]), ...reach);
    }),
  );
}

const WAYS = { seed: checkBySeed, random: checkAtRandom };
type Way = keyof typeof WAYS;

describe.each(Object.keys(WAYS) as Way[])('%s', (way) => {
  const ask = (a: FrepObject, b: FrepObject, query: Query): Outcome =>
    WAYS[way](a, b, { ...query, own: way === 'random' ? { search: way, trials: 40 } : { search: way } });

  test.each(some(1, [1, 2, 3, 4, 5]))(
    'balls whose distance is known: never wrong, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const tally = { contact: 0, clear: 0, undecided: 0 };
      for (let trial = 0; trial < (long ? 100 : 25); trial++) {
        const [r, s] = [random.between(0.2, 0.8), random.between(0.2, 0.8)];
        const a = objectFrom((to) => ball(to, r), { resolution: 5, half: 2, center: [0.5, 0, -0.25] });
        const b = objectFrom((to) => ball(to, s), { resolution: 5 });
        const [poseA, poseB] = [somePose(random, 1), somePose(random, 1)];
        const middle = [0, 1, 2].map((k) => poseA[4 * k + 3] + poseA[4 * k] * 0.5 - poseA[4 * k + 2] * 0.25);
        const gap = random.pick([-0.3, -0.02, -1e-4, 1e-4, 0.02, 0.3]);
        const way = [0, 1, 2].map(() => random.between(-1, 1));
        for (let k = 0; k < 3; k++) poseB[4 * k + 3] = middle[k] + ((2 * r + s + gap) * way[k]) / lengthOf(way);
        const { verdict, point } = ask(a, b, asked({ poseA, poseB }));
        expect([gap > 0 ? 'clear' : 'contact', 'undecided'], `gap ${gap}`).toContain(verdict);
        if (verdict === 'contact') {
          expect(
            leastAt(
              [
                [a, poseA],
                [b, poseB],
              ],
              point as number[],
            ),
          ).toBeGreaterThan(-1e-12);
        }
        tally[verdict]++;
      }
      expect(tally.contact).toBeGreaterThan(4);
      expect(tally.clear).toBeGreaterThan(4);
    },
  );

  test.each(some(1, [1, 2, 3, 4, 5, 6]))(
    'programs at random: never against what our own search proves, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const tally = { contact: 0, clear: 0, undecided: 0 };
      for (let trial = 0; trial < (long ? 100 : 30); trial++) {
        const [a, b] = [0, 1].map(() => {
          const options = { operations: 6, leaves: 4, hasPolynomials: true };
          const program =
            way === 'random' ? randomProgram(random, options) : objectOfShape(randomShape(random, 2)).program;
          const domain = [0, 1, 2].map(() => random.pick([0.5, 0.75, 1])) as [number, number, number];
          return objectOf(program, { domain, resolution: 4, half: random.pick([1, 0.7]) });
        });
        const query = asked({ poseA: somePose(random, 1), poseB: somePose(random, 1), all: random.below(3) === 0 });
        const truth = checkFreps({ ...a, resolution: 6 }, { ...b, resolution: 6 }, { ...query, all: false }).verdict;
        const { verdict, point, seed: own, random: met } = ask(a, b, query);
        if (truth !== 'undecided') expect([truth, 'undecided']).toContain(verdict);
        if (verdict === 'contact') {
          const sides = [
            [a, query.poseA],
            [b, query.poseB],
          ] as const;
          expect(leastAt(sides, point as number[])).toBeGreaterThan(-1e-9);
          expect((own ?? met)?.answer).toBe('found');
        }
        if ((own ?? met)?.answer === 'none') expect(verdict).not.toBe('contact');
        tally[verdict]++;
      }
      expect(tally.contact).toBeGreaterThan(2);
      expect(tally.clear).toBeGreaterThan(2);
    },
  );
});

// ------------------------------------------------------------------------------------ random
// search

test("Sobol's points are those of the table of S. Joe and F. Kuo", () => {
  const first = [
    ...[0.5, 0.5, 0.5, 0.75, 0.25, 0.25, 0.25, 0.75, 0.75, 0.375, 0.375, 0.625],
    ...[0.875, 0.875, 0.125, 0.625, 0.125, 0.875, 0.125, 0.625, 0.375],
    ...[0.1875, 0.3125, 0.9375, 0.6875, 0.8125, 0.4375, 0.9375, 0.0625, 0.6875],
  ];
  expect([...sobolPoints(10)]).toEqual(first);
  // Each box of a 2 by 2 by 2 cut has one of eight: with the corner, which is left out, a (0, 3,
  // 3)-net of base 2.
  const boxes = new Set(
    Array.from({ length: 7 }, (_, i) => [...sobolPoints(7).slice(3 * i, 3 * i + 3)].map((x) => x >= 0.5).join()),
  );
  expect(boxes.size).toBe(7);
});

test('the random search stops at a point, at N, and where no boxes meet', () => {
  const a = objectFrom((to) => ball(to, 0.5));
  const at = (x: number, y: number, trials?: number) =>
    checkAtRandom(a, a, asked({ poseB: translation(x, y, 0), own: { search: 'random', ...(trials && { trials }) } }));
  expect(at(0.5, 0)).toMatchObject({ verdict: 'contact', random: { answer: 'found', trials: 1, evaluations: 1 } });
  expect(at(0.8, 0.8, 20)).toMatchObject({ verdict: 'clear', random: { answer: 'none', trials: 20, point: null } });
  expect(at(0.8, 0.8)).toMatchObject({ random: { answer: 'none', trials: 1000 } });
  expect(at(2.5, 0)).toMatchObject({ verdict: 'clear', random: { answer: 'none', trials: 0, evaluations: 0 } });
  // A trial that ends at a coarse accuracy takes less.
  const fine = at(0.8, 0.8, 20).random?.evaluations as number;
  const coarse = checkAtRandom(a, a, asked({ poseB: translation(0.8, 0.8, 0), level: 4, own: { trials: 20 } })).random;
  expect(coarse?.evaluations).toBeLessThan(fine);
  expect(at(0.8, 0.8, 20)).toEqual(at(0.8, 0.8, 20));
});

// --------------------------------------------------------------------------------------- as
// options

test('check takes them by name, and refuses what they have no answer to', () => {
  const one = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
  const wavy = build(
    readFrep(
      '{"domain": {"min": [-1, -1, -1], "max": [1, 1, 1]}, "object": {"sum": [{"sphere": {"radius": 0.5}}, {"noise": {"amplitude": 0.1, "frequency": 4}}]}}',
    ),
  );
  const poseB = translation(1.5, 0, 0);
  expect(check(one, one, { poseB, search: 'seed', resolution: 5 })).toMatchObject({
    ...{ verdict: 'contact', engine: 'search', seed: { answer: 'found', resolution: 5 } },
  });
  expect(check(one, one, { poseB, search: 'random' })).toMatchObject({ verdict: 'contact', random: { trials: 1 } });
  expect(check(wavy, wavy, { poseB: translation(0.5, 0, 0), search: 'random' }).verdict).toBe('contact');
  expect(check(one, one, { poseB, search: 'slices' })).not.toHaveProperty('seed');
  expect(check(one, one, { poseB, subdivision: 'slices' }).cells).toEqual(
    check(one, one, { poseB, search: 'slices' }).cells,
  );
  const refusal = (options: object, b = one): string => {
    try {
      check(one, b, options);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  expect(refusal({ search: 'seed' }, wavy)).toMatch(
    /search seed: expected quadrics, .* in b, found waves \(instruction 1\)/,
  );
  expect(refusal({ search: 'best' })).toMatch(/search best: expected octants, slices, seed or random/);
  for (const option of [{ distance: true }, { clearance: 1 }, { budget: 0 }, { path: 'common' }, { solid: 'auto' }])
    expect(refusal({ search: 'random', ...option })).toMatch(/search random: it decides only contact; leave out/);
  expect(refusal({ search: 'random', all: true })).toMatch(/search random: it ends at its first point; leave out all/);
  expect(refusal({ trials: 5 })).toMatch(/trials: it applies to the random search/);
  expect(refusal({ trials: 0, search: 'random' })).toMatch(/trials 0: expected a whole number from 1/);
  expect(refusal({ search: 'octants', subdivision: 'slices' })).toMatch(/the old name of search/);
});
