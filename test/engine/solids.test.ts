/**
 * Solids that a function defines, in the engine alone: a ball of cells that may hold nothing, against triangles, boxes and other balls, held to
 * the ball's closed form; and what is asked of a solid, held to exact arithmetic.
 */
import { describe, expect, test } from 'vitest';
import { BoundTree } from '../../src/engine/bound-tree.ts';
import { findClosest } from '../../src/engine/closest.ts';
import { hullLoader } from '../../src/engine/narrow-phase.ts';
import { check } from '../../src/engine/prepared.ts';
import type { Goal, Nearest, Outcome, Query } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { SolidPairs, solidOf } from '../../src/engine/solid-pairs.ts';
import { type Operand, traverse } from '../../src/engine/traverse.ts';
import { compose, movePoint, type Pose, translation, validatePose } from '../../src/math/pose.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { variants } from '../contract/variants.ts';
import { randomDirection, randomRotation } from '../support/agreement.ts';
import { type Ball, ball, distanceToHull, lengthOf, type Point } from '../support/ball.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';
import { bumpySphere, mapped } from '../support/shapes.ts';

/** Far above the rounding of everything here but far translations. */
const TINY = 1e-9;

function operandOfBall(solid: Ball, pose: Pose): Operand {
  return {
    tree: new BoundTree(solid.unfold),
    reach: solid.reach,
    load: hullLoader(solid.hull, pose),
    solid: solidOf(solid.refine, solid.core, pose, solid.reach),
  };
}

const built = (name: string, seed: number): Asset => {
  const variant = variants.findLast(({ representation }) => representation.name === name);
  if (!variant) throw new Error(`no ${name}`);
  return variant.build(mapped(bumpySphere(seed, long ? 2 : 1), (x, y, z) => [0.5 * x, 0.4 * y, 0.6 * z]));
};
const ordinary: [string, Asset][] = [
  ['triangles', built('obb', 3)],
  ['boxes', built('voxel', 4)],
];

function operandOfAsset(asset: Asset, pose: Pose): Operand {
  const representation = representationOf(asset);
  return {
    tree: new BoundTree((node, into) => representation.unfold(asset, node, into)),
    reach: representation.reach(asset),
    load: hullLoader((id, out) => representation.hull(asset, id, out), pose),
  };
}

/** The numbers of all hulls. */
function hullsOf({ tree }: Operand): number[] {
  for (let i = 0; i < tree.size; i++) if (!tree.isLeaf(i)) tree.firstChild(i);
  return Array.from({ length: tree.size }, (_, i) => i)
    .filter((i) => tree.isLeaf(i))
    .flatMap((i) => Array.from({ length: tree.count[i] }, (_, k) => ~tree.link[i] + k))
    .sort((p, q) => p - q);
}

function movedCentre({ centre }: Ball, pose: Pose): Point {
  const out = new Float64Array(3);
  movePoint(pose, ...centre, out, 0);
  return [out[0], out[1], out[2]];
}

/** How far each hull is from the ball; less than 0 how deep in it. */
function gapsOf(solid: Ball, pose: Pose, operand: Operand): Map<number, number> {
  const centre = movedCentre(solid, pose);
  return new Map(
    hullsOf(operand).map((id) => {
      const { points, count } = operand.load(id);
      const list = Array.from(
        { length: count },
        (_, k): Point => [points[3 * k], points[3 * k + 1], points[3 * k + 2]],
      );
      return [id, distanceToHull(centre, list) - solid.radius];
    }),
  );
}

const queryOf = (poseA: Pose, poseB: Pose, more: Partial<Query> = {}): Query => ({
  poseA,
  poseB,
  all: false,
  maxContacts: 1e6,
  level: null,
  ...more,
});

const NEVER = Number.POSITIVE_INFINITY;
const closest = (a: Operand, b: Operand, query: Query, goal: Partial<Goal> = {}): Nearest =>
  findClosest(a, b, query, { distance: true, clearance: 0, deadline: NEVER, ...goal });

const turned = ({ contacts }: Outcome): number[][] =>
  contacts.pairs.map(([p, q]) => [q, p]).sort((s, t) => s[0] - t[0] || s[1] - t[1]);

/** A pose of a as given but far away, and one of b near it. */
function approach(random: Random, turn: Pose, far: number, least: number, most: number): [Pose, Pose] {
  const a = compose(translation(far, -far / 2, far / 4), turn);
  const step = randomDirection(random).map((x) => x * random.between(least, most));
  return [a, compose(translation(a[3] + step[0], a[7] + step[1], a[11] + step[2]), randomRotation(random))];
}

/** How far apart things are to be: clearly, by a little more or less than the margin, so that it is not known, or as it comes. */
function aimedGap(random: Random, margin: number): number {
  return random.pick([-0.1, -3 * margin, -0.5 * margin, 0.5 * margin, 3 * margin, 0.01, random.between(-0.3, 0.3)]);
}

describe.each(ordinary)('a ball against %s', (name, asset) => {
  const seed = name === 'triangles' ? 7000 : 7001;
  const counts = { contact: 0, clear: 0, undecided: 0 };

  test(`verdicts, lists, distances, clearances, swapped as well, seed ${seed}`, { tags: ['all', 'long'] }, () => {
    const random = seeded(seed);
    for (let trial = 0; trial < (long ? 30 : 15); trial++) {
      const far = [0, 0, 10, 1e6][trial % 4];
      // Coordinates a million away are rounded to 1e-10.
      const tolerance = far === 1e6 ? 1e-8 : TINY;
      const margin = [1e-6, 0.02][trial % 2];
      const [poseA, poseB] = approach(
        random,
        trial % 5 === 0 ? translation(0, 0, 0) : randomRotation(random),
        far,
        0.5,
        1.4,
      );
      const b = operandOfAsset(asset, poseB);
      const distance = Math.min(...gapsOf(ball({ radius: 0 }), poseA, b).values());
      const radius = Math.min(0.85, Math.max(0.3, distance - aimedGap(random, margin)));
      const solid = ball({ margin, radius, depth: [3, 4, trial === 20 ? 5 : 4][trial % 3] });
      const a = operandOfBall(solid, poseA);
      const gaps = gapsOf(solid, poseA, b);
      const least = Math.min(...gaps.values());

      // Every contact.
      solid.asked = 0;
      const all = traverse(a, b, queryOf(poseA, poseB, { all: true }));
      expect(solid.asked).toBeLessThanOrEqual(gaps.size);
      const listed = new Set(all.contacts.pairs.map(([, q]) => q));
      expect(all.contacts.count).toBe(all.contacts.pairs.length);
      expect(listed.size).toBe(all.contacts.pairs.length);
      expect(all.contacts.pairs.every(([p]) => p === 0)).toBe(true);
      const wrong: string[] = [];
      let isSure = true;
      for (const [q, gap] of gaps) {
        const isListed = listed.has(q);
        if (gap > solid.margin + tolerance) isListed && wrong.push(`${q} is ${gap} away`);
        else if (gap < -solid.margin - tolerance) isListed || wrong.push(`${q} is ${gap} away`);
        else if (Math.abs(gap) < solid.margin - tolerance) {
          if (isListed) wrong.push(`${q} is not known`);
          isSure = false;
        } else isSure = isSure && all.contacts.complete;
      }
      expect(wrong).toEqual([]);
      expect(all.contacts.complete).toBe(isSure);
      expect(all.verdict).toBe(listed.size > 0 ? 'contact' : isSure ? 'clear' : 'undecided');
      counts[all.verdict]++;
      const swapped = traverse(b, a, queryOf(poseB, poseA, { all: true }));
      expect([swapped.verdict, turned(swapped)]).toEqual([all.verdict, all.contacts.pairs]);
      expect(swapped.contacts.complete).toBe(all.contacts.complete);

      // The first; a list that is cut, by its length and by the caller.
      const first = traverse(a, b, queryOf(poseA, poseB));
      expect(first.verdict).toBe(all.verdict);
      expect(first.contacts.count).toBe(Math.min(1, listed.size));
      for (const [, q] of first.contacts.pairs) expect(listed.has(q)).toBe(true);
      if (listed.size > 3) {
        const cut = traverse(a, b, queryOf(poseA, poseB, { all: true, maxContacts: 3 })).contacts;
        expect([cut.count, cut.complete]).toEqual([3, false]);
        let handed = 0;
        const onContact = () => ++handed < 2;
        const stopped = traverse(a, b, queryOf(poseA, poseB, { all: true, onContact })).contacts;
        expect([handed, stopped.count, stopped.complete]).toEqual([2, 2, false]);
      }

      // How far apart.
      const truth = Math.max(0, least);
      for (const [p, q, query] of [
        [a, b, queryOf(poseA, poseB)],
        [b, a, queryOf(poseB, poseA)],
      ] as const) {
        const { lower, upper, measured, isApart, isComplete, onA, onB, ...found } = closest(p, q, query);
        expect(lower).toBeLessThanOrEqual(truth + tolerance);
        expect(upper).toBeGreaterThanOrEqual(truth - tolerance);
        expect(upper - lower).toBeLessThan(3 * solid.cell);
        expect([measured, isComplete]).toEqual([upper, true]);
        if (least > solid.margin + tolerance) expect(isApart).toBe(true);
        if (least < -tolerance) expect(isApart).toBe(false);
        if (least < -solid.margin - tolerance) expect(upper).toBe(0);
        if (upper === 0) expect(lower).toBe(0);
        else
          expect(
            Math.abs(lengthOf([0, 1, 2].map((k) => onA[k] - onB[k]) as [number, number, number]) - upper),
          ).toBeLessThan(tolerance);
        const [ofBall, ofAsset] = p === a ? [found.a, found.b] : [found.b, found.a];
        expect(ofBall).toBe(0);
        expect(gaps.get(ofAsset)).toBeLessThan(upper + tolerance);
      }

      // A deadline that has passed, or level 0: nothing wrong is said.
      const late = closest(a, b, queryOf(poseA, poseB), { deadline: 0 });
      const shallow = closest(a, b, queryOf(poseA, poseB, { level: 0 }));
      for (const { lower, upper, isApart } of [late, shallow]) {
        expect(lower).toBeLessThanOrEqual(truth + tolerance);
        expect(upper).toBeGreaterThanOrEqual(truth - tolerance);
        if (isApart) expect(least).toBeGreaterThan(-tolerance);
      }
      for (let level = 0; level < 4; level++) {
        const { verdict } = traverse(a, b, queryOf(poseA, poseB, { level }));
        expect([all.verdict, 'undecided']).toContain(verdict);
      }

      // Contact is also what is near.
      const clearance = Math.max(1e-3, random.pick([10 ** random.between(-2, -0.7), 0.98 * truth, 1.02 * truth]));
      const near = traverse(a, b, queryOf(poseA, poseB, { all: true, clearance }));
      const nearby = new Set(near.contacts.pairs.map(([, q]) => q));
      expect(nearby.size).toBe(near.contacts.pairs.length);
      let isKnown = true;
      for (const [q, gap] of gaps) {
        if (!nearby.has(q)) {
          if (gap < clearance + solid.margin - tolerance) isKnown = false;
          if (gap < clearance - 2 * solid.cell) wrong.push(`${q} is near`);
        } else if (!(gap < clearance + tolerance)) wrong.push(`${q} is not near`);
      }
      expect(wrong).toEqual([]);
      // Of what is nearer than a cell is large the function knows; else it is by cells that it is known.
      const isCertain = ![...gaps.values()].some((gap) => Math.abs(gap - clearance) < 2 * solid.cell);
      if (clearance < 0.8 * solid.cell) expect(near.contacts.complete).toBe(isKnown);
      else if (near.contacts.complete) expect(isKnown).toBe(true);
      else expect(isCertain).toBe(false);
      const expected = nearby.size > 0 ? 'contact' : near.contacts.complete ? 'clear' : 'undecided';
      expect(near.verdict).toBe(expected);
      const other = traverse(b, a, queryOf(poseB, poseA, { all: true, clearance }));
      expect([other.verdict, turned(other)]).toEqual([expected, near.contacts.pairs]);
      const timed = closest(a, b, queryOf(poseA, poseB), { distance: false, clearance });
      expect(timed.lower).toBeLessThanOrEqual(truth + tolerance);
      if (expected === 'clear') expect(timed.lower).toBeGreaterThan(clearance);
      if (expected === 'contact') expect(timed.upper).toBeLessThanOrEqual(clearance);
      if (expected === 'undecided') expect(timed.upper).toBeGreaterThan(clearance);
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(long ? 2 : 1);
  });
});

test('a ball against a ball: verdicts and distances, seed 7100', { tags: ['all', 'long'] }, () => {
  const random = seeded(7100);
  const counts = { contact: 0, clear: 0, undecided: 0 };
  for (let trial = 0; trial < (long ? 24 : 12); trial++) {
    const far = [0, 0, 10, 1e6][trial % 4];
    const tolerance = far === 1e6 ? 1e-8 : TINY;
    const depth = trial % (long ? 6 : 99) === 0 ? 4 : 3;
    const one = ball({ depth });
    const [poseA, poseB] = approach(random, randomRotation(random), far, 0.8, 1.9);
    const centre: Point = [0, 0.25, 0.125];
    const [p, q] = [movedCentre(one, poseA), movedCentre(ball({ centre }), poseB)];
    const distance = lengthOf([p[0] - q[0], p[1] - q[1], p[2] - q[2]]);
    const radius = Math.min(0.7, Math.max(0.4, distance - one.radius - aimedGap(random, one.margin)));
    const two = ball({ centre, radius, depth });
    const a = operandOfBall(one, poseA);
    const b = operandOfBall(two, poseB);
    const gap = distance - one.radius - two.radius;
    const query = queryOf(poseA, poseB, { all: trial % 2 === 0 });
    const { verdict, contacts, tests } = traverse(a, b, query);
    counts[verdict]++;
    if (verdict === 'contact') expect(gap).toBeLessThan(tolerance);
    if (verdict === 'clear') expect(gap).toBeGreaterThan(-tolerance);
    if (gap < -2 * one.cell) expect(verdict).toBe('contact');
    if (gap > 2 * one.cell) expect(verdict).toBe('clear');
    expect(contacts.pairs).toEqual(verdict === 'contact' ? [[0, 0]] : []);
    expect(contacts.complete).toBe(verdict === 'clear' || (verdict === 'contact' && query.all));
    // One pair is all there is to be listed.
    expect(traverse(a, b, { ...query, all: !query.all }).tests).toEqual(tests);
    const swapped = traverse(b, a, queryOf(poseB, poseA)).verdict;
    expect(['clear', 'contact']).not.toEqual([swapped, verdict].sort().reverse());

    const { lower, upper, isApart, measured, ...found } = closest(a, b, query);
    expect(lower).toBeLessThanOrEqual(Math.max(0, gap) + tolerance);
    expect(upper).toBeGreaterThanOrEqual(Math.max(0, gap) - tolerance);
    expect(upper - lower).toBeLessThan(4 * one.cell);
    expect(measured).toBe(upper);
    expect([found.a, found.b]).toEqual([0, 0]);
    expect(isApart ? 'clear' : upper === 0 ? 'contact' : 'undecided').toBe(verdict);

    const clearance = Math.max(1e-3, random.pick([10 ** random.between(-2, -0.8), 0.98 * gap, 1.02 * gap]));
    const near = traverse(a, b, { ...query, clearance });
    if (near.verdict === 'contact') expect(gap).toBeLessThan(clearance + tolerance);
    if (near.verdict === 'clear') expect(gap).toBeGreaterThan(clearance - tolerance);
    if (gap < clearance - 2 * one.cell) expect(near.verdict).toBe('contact');
    if (gap > clearance + 2 * one.cell) expect(near.verdict).toBe('clear');
    expect(near.contacts.pairs).toEqual(near.verdict === 'contact' ? [[0, 0]] : []);
    const timed = closest(a, b, query, { distance: false, clearance });
    expect(timed.lower).toBeLessThanOrEqual(Math.max(0, gap) + tolerance);
    if (near.verdict === 'clear') expect(timed.lower).toBeGreaterThan(clearance);
    if (near.verdict === 'contact') expect(timed.upper).toBeLessThanOrEqual(clearance);
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(long ? 2 : 0);
});

describe('solids in which nothing is found', () => {
  const [, asset] = ordinary[0];
  const root = [0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
  const none: Ball = {
    ...ball({ isHollow: true }),
    unfold(node, into) {
      if (node < 0) into.bounds.set(root, into.branch(0));
    },
  };
  const noHulls: Ball = { ...none, unfold: (_, into) => into.bounds.set(root, into.leaf(0, 0)) };
  // As many nodes as a tree has room for at first: after the last there is none to be read.
  const many: Ball = {
    ...none,
    unfold(node, into) {
      const count = node < 0 ? 1 : node === 0 ? 63 : 0;
      for (let k = 0; k < count; k++) {
        const at = into.branch(node + 1 + k);
        into.bounds.set(root, at); // which may be another array now
      }
    },
  };
  const solids: [string, () => Ball][] = [
    ['branches without children', () => many],
    ['a branch without children', () => none],
    ['a leaf without hulls', () => noHulls],
    ['cells that hold nothing', () => ball({ isHollow: true, depth: 2 })],
  ];
  test.each(solids)('%s: clear, no distance', { tags: ['all', 'long'] }, (_, make) => {
    const poseA = randomRotation(seeded(7200));
    const poseB = translation(0.2, 0.3, 0);
    const a = operandOfBall(make(), poseA);
    const others = [operandOfAsset(asset, poseB), operandOfBall(ball({ depth: 2 }), poseB), operandOfBall(none, poseB)];
    for (const b of others) {
      for (const [p, q, query] of [
        [a, b, queryOf(poseA, poseB, { all: true })],
        [b, a, queryOf(poseB, poseA, { all: true })],
      ] as const) {
        for (const clearance of [0, 0.1]) {
          const { verdict, contacts, level } = traverse(p, q, { ...query, clearance });
          expect([verdict, contacts.complete, contacts.count]).toEqual(['clear', true, 0]);
          expect(Number.isInteger(level)).toBe(true);
          for (const distance of [true, false]) {
            const found = closest(p, q, query, { distance, clearance });
            expect([found.a, found.b, found.upper, found.isApart]).toEqual([-1, -1, NEVER, true]);
            expect(found.lower).toBeGreaterThanOrEqual(clearance);
            expect(Number.isInteger(found.level)).toBe(true);
          }
        }
      }
    }
  });

  test('the ball of these tests has empty leaves and branches', () => {
    const solid = ball();
    hullsOf(operandOfBall(solid, translation(0, 0, 0)));
    expect(solid.empty.leaves).toBeGreaterThan(50);
    expect(solid.empty.branches).toBeGreaterThan(20);
  });
});

test('against one triangle no cell is opened', () => {
  const pose = translation(0, 0, 0);
  const triangle: Operand = {
    tree: new BoundTree((_, into) =>
      into.bounds.set([0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], into.leaf(0, 1)),
    ),
    reach: 2,
    load: () => ({ points: Float64Array.of(0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5), count: 3 }),
  };
  for (const [radius, verdict] of [
    [0.3, 'clear'],
    [0.6, 'contact'],
  ] as const) {
    const solid = operandOfBall(ball({ radius, centre: [-0.1, -0.1, -0.1] }), pose);
    for (const [p, q] of [
      [triangle, solid],
      [solid, triangle],
    ]) {
      const found = traverse(p, q, queryOf(pose, pose, { level: 0 }));
      expect([found.verdict, found.tests.bounds, found.tests.hulls]).toEqual([verdict, 1, 1]);
    }
  }
});

test('bounds of two solids that meet may hold cells that are apart', () => {
  const pose = translation(0, 0, 0);
  const cube = (x: number, out: Float64Array): number => {
    for (let k = 0; k < 8; k++)
      for (let i = 0; i < 3; i++) out[3 * k + i] = (i === 0 ? x : 0) + ((k >> i) & 1 ? 0.1 : -0.1);
    return 8;
  };
  const solidOfCubes = (places: number[]): Operand => ({
    tree: new BoundTree((_, into) =>
      into.bounds.set([0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], into.leaf(0, places.length)),
    ),
    reach: 2,
    load: hullLoader((id, out) => cube(places[id], out), pose),
    solid: solidOf(() => 'unsure', undefined, pose, 2),
  });
  const [a, b, c] = [solidOfCubes([-0.5, 0.5]), solidOfCubes([0]), solidOfCubes([0, 0.25])];
  expect(traverse(a, b, queryOf(pose, pose)).verdict).toBe('clear');
  expect(closest(a, b, queryOf(pose, pose))).toMatchObject({ isApart: true, upper: NEVER });
  expect(traverse(c, b, queryOf(pose, pose)).verdict).toBe('undecided');
  expect(closest(c, b, queryOf(pose, pose))).toMatchObject({ isApart: false, lower: 0 });
});

test('a resolution is for F-reps', { tags: ['quick', 'long'] }, () => {
  const [[, a], [, b]] = ordinary;
  expect(() => check(a, b, { resolution: 5 })).toThrow(
    'resolution: one of the two must be an F-rep, found obb and voxel',
  );
});

test('a ball wholly inside one cell, without a core: decided by the function alone', {
  tags: ['quick', 'long'],
}, () => {
  const [, asset] = ordinary[0];
  const solid = ball({ depth: 0, radius: 0.1, centre: [0.5, 0.25, -0.5] });
  const random = seeded(7300);
  const verdicts = new Set<string>();
  for (let trial = 0; trial < (long ? 40 : 24); trial++) {
    const [poseA, poseB] = approach(random, randomRotation(random), 0, 0, 1.2);
    const a = operandOfBall(solid, poseA);
    const b = operandOfAsset(asset, poseB);
    const least = Math.min(...gapsOf(solid, poseA, b).values());
    const truth = least > 0 ? 'clear' : 'contact';
    expect(traverse(a, b, queryOf(poseA, poseB)).verdict).toBe(truth);
    verdicts.add(truth);
    const { lower, upper, isApart } = closest(a, b, queryOf(poseA, poseB));
    expect([isApart, upper]).toEqual([least > 0, least > 0 ? NEVER : 0]);
    expect(lower).toBeLessThanOrEqual(Math.max(0, least) + TINY);
    if (least > 0) {
      const timed = closest(a, b, queryOf(poseA, poseB), { distance: false, clearance: 0.95 * least });
      expect(timed.lower).toBeGreaterThan(0.95 * least);
      expect(timed.lower).toBeLessThan(least);
    }
    const clearance = random.between(0, 0.5);
    const near = traverse(a, b, queryOf(poseA, poseB, { clearance })).verdict;
    expect(near).toBe(least < 0 ? 'contact' : least > clearance ? 'clear' : 'undecided');
  }
  expect(verdicts.size).toBe(2);
});

describe('what a solid is asked, in exact arithmetic', { tags: ['quick', 'long'] }, () => {
  const dot = (a: bigint[], b: bigint[]): bigint => a.reduce((sum, x, k) => sum + x * b[k], 0n);
  const cross = (a: bigint[], b: bigint[]): bigint[] =>
    [0, 1, 2].map((k) => a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3]);

  /** Whether `asked`, in a's frame, is within `slack` of the inverse image of x moved by poseB. */
  function isWithin(poseA: Pose, poseB: Pose, x: number[], asked: number[], slack: number): boolean {
    const [one, ...q] = commonIntegers([1, ...poseA, ...poseB, ...x, ...asked, slack]);
    const [a, b, from, to, most] = [q.slice(0, 16), q.slice(16, 32), q.slice(32, 35), q.slice(35, 38), q[38]];
    const column = (k: number) => [a[k], a[4 + k], a[8 + k]];
    const adjugate = [0, 1, 2].map((k) => cross(column((k + 1) % 3), column((k + 2) % 3)));
    const determinant = dot(column(0), adjugate[0]);
    const moved = [0, 4, 8].map((r) => dot(b.slice(r, r + 3), from) + one * (b[r + 3] - a[r + 3]));
    const off = adjugate.map((row, k) => dot(row, moved) - determinant * to[k]);
    return dot(off, off) <= (determinant * most) ** 2n;
  }

  const poseOf = (random: Random, kind: number): Pose => {
    const far = [1, 1e6, 1e-6][kind % 3];
    const shift = translation(far * random.between(-1, 1), far * random.between(-1, 1), random.between(-1, 1));
    const pose = compose(shift, randomRotation(random));
    const isLinear = (i: number) => i < 12 && i % 4 !== 3;
    if (kind % 4 === 0) return validatePose(pose, 'exact');
    if (kind % 4 === 1)
      return validatePose(
        pose.map((x, i) => (isLinear(i) ? x * (1 - 4.9e-6) : x)),
        'shorter',
      );
    if (kind % 4 === 2)
      return validatePose(
        pose.map((x, i) => (isLinear(i) ? Math.round(x * 1e6) / 1e6 : x)),
        'digits',
      );
    return kind % 8 === 3 ? translation(0, 0, 0) : shift;
  };

  test('a hull is where its points are, to slack, and slack is small; seed 7400', () => {
    const random = seeded(7400);
    for (let trial = 0; trial < (long ? 140 : 50); trial++) {
      const pose = poseOf(random, trial);
      const size = 10 ** random.between(-9, 3);
      const near = [3, 7, 11].map((i) => pose[i] + size * random.between(-1, 1));
      let isAsked = false;
      const solid = solidOf(
        (points, count, slack) => {
          expect(count).toBe(1);
          expect(isWithin(pose, translation(0, 0, 0), near, [...points.subarray(0, 3)], slack)).toBe(true);
          expect(slack).toBeLessThan(1e-13 * size + 1e-290);
          isAsked = true;
          return 'unsure';
        },
        undefined,
        pose,
        1,
      );
      expect(solid.ask({ points: Float64Array.from(near), count: 1 }, 0, 1)).toBe('unsure');
      // A length in the common frame, which the true point may be away.
      const direction = randomDirection(random).map((x) => x * 10 ** random.between(-6, 0));
      const offset = near.map((x, k) => x + direction[k]);
      const length = lengthOf([offset[0] - near[0], offset[1] - near[1], offset[2] - near[2]]) * (1 + 2 ** -50);
      solidOf(
        (points, _, slack) => {
          expect(isWithin(pose, translation(0, 0, 0), offset, [...points.subarray(0, 3)], slack)).toBe(true);
          return 'out';
        },
        undefined,
        pose,
        1,
      ).ask({ points: Float64Array.from(near), count: 1 }, length, 1);
      expect(isAsked).toBe(true);
    }
  });

  test('hulls and cores of another solid are where their real images are, to slack; seed 7401', () => {
    const random = seeded(7401);
    for (let trial = 0; trial < (long ? 140 : 50); trial++) {
      const [poseA, poseB] = [poseOf(random, trial), poseOf(random, Math.floor(trial / 3))];
      const points = Array.from({ length: 6 }, () => random.between(-1, 1));
      const asked: string[] = [];
      const refineOf = (which: number, mine: Pose, other: Pose) => (p: Float64Array, count: number, slack: number) => {
        for (let k = 0; k < 3 * count; k += 3) {
          const x = count === 1 ? points.slice(3) : points.slice(0, 3);
          expect(isWithin(mine, other, x, [...p.subarray(k, k + 3)], slack)).toBe(true);
        }
        asked.push(`${which}: ${count}`);
        return 'unsure' as const;
      };
      const sideOf = (which: number, mine: Pose, other: Pose) => ({
        load: hullLoader((_, out) => {
          out.set([...points.slice(0, 3), ...points.slice(0, 3)]);
          return 2;
        }, mine),
        solid: solidOf(
          refineOf(which, mine, other),
          (_, out) => {
            out.set(points.slice(3));
            return 1;
          },
          mine,
          Math.sqrt(3),
        ),
      });
      const pairs = new SolidPairs(sideOf(0, poseA, poseB), sideOf(1, poseB, poseA), 0);
      expect(pairs.areNewlyInContact(0, 0)).toBe(false);
      expect(pairs.areNewlyInContact(0, 0)).toBe(false);
      expect(asked).toEqual(['0: 2', '0: 1', '1: 2', '1: 1']);
    }
  });
});
