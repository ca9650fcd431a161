/** The nearest triangles of wide OBB trees: by the kernel, by brute force, and by the common path. */
import { describe, expect, test } from 'vitest';
import type { Goal, Nearest } from '../../../src/engine/records.ts';
import { triangleDistance } from '../../../src/geometry/triangle-distance.ts';
import { type Asset, build, check, prepare, read, write } from '../../../src/index.ts';
import { kernelMemory, whileBusy } from '../../../src/kernels/memory.ts';
import { compose, identity, type Pose, translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { kernelOfWideTrees } from '../../../src/representations/obb/search/kernel.ts';
import type { ObbTree } from '../../../src/representations/obb/tree/obb-tree.ts';
import { randomDirection, randomRotation, surfaceOf } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { movedCorners } from '../../support/move-points.ts';
import { againstDistance } from '../../support/oracle.ts';
import { type Random, seeded } from '../../support/random.ts';
import {
  box,
  bumpySphere,
  collinearTriangles,
  mapped,
  randomTriangles,
  repeated,
  tetrahedron,
  torus,
} from '../../support/shapes.ts';

const wide = (mesh: Mesh): ObbTree => build(mesh, { format: 'obb', nodeBytes: 64 });
const DISTANCE: Goal = { distance: true, clearance: 0, deadline: Number.POSITIVE_INFINITY };
const within = (clearance: number): Goal => ({ ...DISTANCE, distance: false, clearance });

/** A copy: the kernel's own record is good until it is asked again. */
function nearest(a: ObbTree, b: ObbTree, poseA: Pose, poseB: Pose, goal = DISTANCE): Nearest | undefined {
  const found = kernelOfWideTrees(a, b)?.nearest?.(poseA, poseB, goal);
  return found && { ...found, onA: found.onA.slice(), onB: found.onB.slice(), tests: { ...found.tests } };
}

/** The least of all pairs' brackets. */
function bruteForce(a: Mesh, b: Mesh, poseA: Pose, poseB: Pose): { lower: number; upper: number } {
  const [p, q] = [movedCorners(a, poseA), movedCorners(b, poseB)];
  const out = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
  const least = { lower: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
  for (let i = 0; i < p.length; i += 9) {
    for (let j = 0; j < q.length; j += 9) {
      triangleDistance(p, i, q, j, out);
      least.lower = Math.min(least.lower, out.lower);
      least.upper = Math.min(least.upper, out.upper);
    }
  }
  return least;
}

const gapOf = ({ onA, onB }: Nearest): number => Math.hypot(onA[0] - onB[0], onA[1] - onB[1], onA[2] - onB[2]);

const somewhere = (random: Random, far: number): Pose => {
  const [x, y, z] = randomDirection(random);
  const s = random.between(0, far);
  return compose(translation(s * x, s * y, s * z), randomRotation(random));
};

/** A fan about its apex at the origin, which opens to the side of `sign`. */
const fan = (count: number, sign: number): Mesh => {
  const positions = [0, 0, 0];
  for (let i = 0; i <= count; i++) {
    const angle = (2 * Math.PI * i) / count;
    positions.push(Math.cos(angle), Math.sin(angle), sign);
  }
  const triangles = Array.from({ length: count }, (_, i) => [0, i + 1, i + 2]).flat();
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
};

/** A square of 2 n^2 triangles in the plane of z = 0. */
const square = (n: number): Mesh => {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= n; i++) for (let j = 0; j <= n; j++) positions.push(i / n, j / n, 0);
  for (let i = 0; i < n * n; i++) {
    const at = i + Math.floor(i / n);
    triangles.push(at, at + 1, at + n + 1, at + 1, at + n + 2, at + n + 1);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
};

/** Printed poses, which are barely rigid. */
const printed = (pose: Pose): Pose => pose.map((x, i) => (i % 4 === 3 ? x : Math.round(x * 1e6) / 1e6));

test('there are kernels here', () => expect(kernelMemory()).not.toBeNull());

describe('the bracket is that of brute force', () => {
  const meshes: [string, Mesh][] = [
    ['a bumpy sphere', bumpySphere(3, 2)],
    ['a ring', torus(12, 6)],
    ['loose triangles', randomTriangles(5, 60)],
    ['a box a thousand times as large', box(1000)],
    ['triangles of no area', collinearTriangles()],
    ['every triangle twice', repeated(box())],
    ['far from the origin', mapped(bumpySphere(4, 0), (x, y, z) => [x + 1e6, y - 1e6, z])],
    ['flat', mapped(torus(10, 5), (x, y) => [x, y, 0])],
    ['tiny', mapped(bumpySphere(6, 1), (x, y, z) => [1e-9 * x, 1e-9 * y, 1e-9 * z])],
    ['one triangle', randomTriangles(8, 1)],
  ];
  const trees = meshes.map(([, mesh]) => wide(mesh));
  const cases = meshes.flatMap(([name], i) => meshes.slice(i).map(([other], j) => [name, other, i, i + j] as const));

  test.each(cases)('%s and %s', { tags: ['quick', 'long'] }, (_, __, i, j) => {
    const random = seeded(100 * i + j);
    const [a, b] = [meshes[i][1], meshes[j][1]];
    const wrong: unknown[] = [];
    for (let k = 0; k < (long ? 14 : 4); k++) {
      const poseA = k % 2 === 0 ? identity() : printed(somewhere(random, 2));
      const poseB = compose(poseA, somewhere(random, k % 3 === 0 ? 1 : 4));
      const exact = bruteForce(a, b, poseA, poseB);
      const corners = [...movedCorners(a, poseA), ...movedCorners(b, poseB)];
      const size = Math.max(...corners.map(Math.abs));
      const found = nearest(trees[i], trees[j], poseA, poseB);
      if (!found) throw new Error('no answer');
      const isRight =
        // A plane of all pairs at once has a coarser bound, by some roundings of the whole size.
        found.lower >= exact.lower - 2 ** -44 * size &&
        found.lower <= exact.upper &&
        found.upper === exact.upper &&
        found.isApart === exact.upper > 0 &&
        found.isComplete &&
        Math.abs(gapOf(found) - exact.upper) <= 1e-6 * (1 + exact.upper);
      if (!isRight) wrong.push({ k, exact, found });
      // Clearances on both sides, and the distance itself.
      for (const factor of [0, 0.5, 1, 2]) {
        const clearance = factor * exact.upper;
        const decided = nearest(trees[i], trees[j], poseA, poseB, within(clearance));
        const isContact = (decided?.measured ?? 0) <= clearance;
        const isClear = clearance === 0 ? decided?.isApart : (decided?.lower ?? 0) > clearance;
        if (isContact !== exact.upper <= clearance) wrong.push({ k, clearance, exact, decided });
        if (isClear !== (clearance === 0 ? exact.upper > 0 : exact.lower > clearance)) {
          if (!(exact.lower > clearance * (1 - 1e-6))) wrong.push({ k, clearance, exact, decided });
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

test.each(long ? [21, 22, 23, 24] : [21])(
  'the numbers of the nearest triangles are theirs, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const [a, b] = [bumpySphere(seed, 2), torus(16, 8)];
    const [treeA, treeB] = [wide(a), wide(b)];
    const out = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
    for (let k = 0; k < 30; k++) {
      const poseB = somewhere(random, 4);
      const found = nearest(treeA, treeB, identity(), poseB);
      if (!found) throw new Error('no answer');
      triangleDistance(movedCorners(a, identity()), 9 * found.a, movedCorners(b, poseB), 9 * found.b, out);
      expect(out.upper).toBe(found.upper);
    }
  },
);

test('where no time is left the bracket is still true, and narrows as there is more', () => {
  const [a, b] = [bumpySphere(31, 4), bumpySphere(32, 4)];
  const [treeA, treeB] = [wide(a), wide(b)];
  const pose = translation(2.3, 0.1, 0);
  const whole = nearest(treeA, treeB, identity(), pose);
  const cut = nearest(treeA, treeB, identity(), pose, { ...DISTANCE, deadline: performance.now() - 1 });
  expect(cut?.isComplete).toBe(false);
  expect(cut?.tests.bounds).toBeLessThan(whole?.tests.bounds as number);
  expect(cut?.lower).toBeLessThanOrEqual(whole?.lower as number);
  expect(cut?.upper).toBeGreaterThanOrEqual(whole?.upper as number);
  expect(cut?.upper).toBeLessThan(10);
});

describe('thousands of pairs at one distance', () => {
  const cases: [string, Mesh, Mesh, number][] = [
    ['two fans apex to apex', fan(200, -1), fan(200, 1), 0.01],
    ['two parallel squares', square(40), square(40), 0.3],
    ['a fan upon a square', fan(200, 1), square(40), 1e-7],
  ];
  test.each(cases)('%s: the bracket is a few roundings wide, seed 71', { tags: ['quick', 'long'] }, (_, a, b, gap) => {
    const random = seeded(71);
    for (let k = 0; k < (long ? 12 : 3); k++) {
      const size = k < 2 ? 1 : 10 ** random.between(-14, 15);
      const scaled = (mesh: Mesh): ObbTree => wide(mapped(mesh, (x, y, z) => [size * x, size * y, size * z]));
      const [treeA, treeB] = [scaled(a), scaled(b)];
      const turn = k === 0 ? identity() : randomRotation(random);
      const distance = size * gap;
      // A fan that opens upward lies above its apex: the other is below it.
      const down = compose(turn, translation(0, 0, a.positions[5] > 0 ? -distance : distance));
      const found = nearest(treeA, treeB, turn, down);
      if (!found) throw new Error('no answer');
      const rounding = 4e-15 * size;
      expect(found.lower).toBeLessThanOrEqual(distance + rounding);
      expect(found.upper).toBeGreaterThanOrEqual(distance - rounding);
      expect(found.upper - found.lower).toBeLessThan(10 * rounding);
      expect(found.tests.hulls).toBeLessThan(3000);
      expect([found.isApart, found.isComplete]).toEqual([true, true]);
      const checker = prepare(treeA, treeB);
      expect(checker.clearance(down, 2 * distance, turn)).toBe('contact');
      expect(checker.clearance(down, distance / 2, turn)).toBe('clear');
    }
  });
});

test.each(some(1, long ? [61, 62, 63, 64] : [61]))(
  'squares and boxes that touch within rounding: contact exactly if triangles meet, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const pairs = [
      [square(6), square(5)],
      [box(), box()],
      [box(), square(4)],
    ].map((meshes) => meshes.map(wide));
    let met = 0;
    let apart = 0;
    for (let k = 0; k < 60; k++) {
      const [a, b] = random.pick(pairs);
      const turn = randomRotation(random);
      const by = [0, 1, 2].map(() => random.pick([0, 0.5, 1, 2]));
      const poseB = compose(turn, translation(by[0], by[1], by[2] + random.pick([0, 0, 1e-16, 4e-16, 1e-15])));
      const found = nearest(a, b, turn, poseB);
      if (!found) throw new Error('no answer');
      const against = againstDistance(movedCorners(surfaceOf(a), turn), movedCorners(surfaceOf(b), poseB));
      expect(against(found.lower)).toBeOneOf([-1, 0]);
      expect(against(found.upper)).toBeOneOf([0, 1]);
      expect([found.upper === 0, found.isApart]).toEqual([against(0) === 0, against(0) !== 0]);
      expect(found.upper - found.lower).toBeLessThan(64 * 2 ** -53 * 4);
      if (found.upper === 0) met++;
      else if (found.upper < 1e-13) apart++;
    }
    expect(met).toBeGreaterThan(2);
    expect(apart).toBeGreaterThan(2);
  },
);

describe('what was asked before changes no digit', () => {
  const follows: Goal = { ...DISTANCE, follows: true };
  const meshes: [string, Mesh, Mesh][] = [
    ['a bumpy sphere and a ring', bumpySphere(51, 2), torus(14, 7)],
    ['two boxes', box(), box()],
    ['two squares', square(6), square(5)],
    ['two fans', fan(40, -1), fan(40, 1)],
    ['triangles of no area and a box', collinearTriangles(), box()],
    ['loose triangles', randomTriangles(52, 40), randomTriangles(53, 40)],
  ];
  const seeds = Array.from({ length: 12 }, (_, k) => 80 + k);
  const cases = meshes.flatMap(([name, a, b]) => some(1, seeds).map((seed) => [name, seed, a, b] as const));

  test.each(cases)('%s, seed %i', { tags: ['quick', 'long'] }, (_, seed, a, b) => {
    const random = seeded(seed);
    const size = 10 ** random.pick([0, random.between(-15, 16)]);
    const scaled = (mesh: Mesh): ObbTree => wide(mapped(mesh, (x, y, z) => [size * x, size * y, size * z]));
    const [treeA, treeB] = [scaled(a), scaled(b)];
    const kernel = kernelOfWideTrees(treeA, treeB);
    for (let run = 0; run < 6; run++) {
      const start = somewhere(random, random.pick([1, 2, 4]));
      const [x, y, z] = randomDirection(random);
      for (let k = 0; k < 8; k++) {
        const frame = compose(translation(0.02 * k * x, 0.02 * k * y, 0.02 * k * z), start);
        if (run === 0)
          frame.set(translation(random.pick([0, 0.5, 1, 2]), random.pick([0, 1, 2]), random.pick([0, 1, 2])));
        for (const at of [3, 7, 11]) frame[at] *= size;
        const alone = nearest(treeA, treeB, identity(), frame);
        const found = kernel?.nearest?.(identity(), frame, follows);
        if (!alone || !found) throw new Error('no answer');
        expect([found.upper, found.isApart]).toEqual([alone.upper, alone.isApart]);
        expect(found.lower).toBeLessThanOrEqual(alone.upper);
        expect(alone.upper - found.lower).toBeLessThan(1e-13 * size * 8);
        for (const factor of [0.9, 1, 1.1]) {
          const length = factor * alone.upper;
          if (length === 0) continue;
          const goal = within(length);
          const { upper, lower } = nearest(treeA, treeB, identity(), frame, goal)!;
          const next = kernel!.nearest!(identity(), frame, { ...goal, follows: true })!;
          expect([next.upper <= length, next.lower > length]).toEqual([upper <= length, lower > length]);
        }
      }
    }
  });
});

test('within onContact, and for lengths beyond float32, there is no answer', () => {
  const tree = wide(box());
  expect(whileBusy(() => nearest(tree, tree, identity(), translation(2, 0, 0)))).toBeUndefined();
  expect(nearest(tree, tree, identity(), translation(1e30, 0, 0))).toBeUndefined();
  expect(prepare(tree, tree).distance(translation(1e30, 0, 0))).toBeCloseTo(1e30, -20);
});

describe('by every door', () => {
  const meshes = { blob: bumpySphere(41, 2), ring: torus(12, 6) };
  const assets = [
    build(meshes.blob, { format: 'obb', nodeBytes: 64 }),
    build(meshes.ring, { format: 'obb', nodeBytes: 40 }),
    build(meshes.ring, { format: 'kdop' }),
    build(meshes.blob, { size: 17 }),
  ];
  const pairs = assets.flatMap((a, i) =>
    assets.slice(i).map((b, j) => [a.representation, b.representation, i, i + j] as const),
  );

  test.each(pairs)(
    '%s and %s: the report of the common path, but for who answers',
    { tags: ['all'] },
    async (_, __, i, j) => {
      const random = seeded(10 * i + j);
      const [a, b] = [assets[i], assets[j]];
      const checker = prepare(a, b);
      const again = (await read(await write(b))).asset;
      let answered = 0;
      for (let k = 0; k < 24; k++) {
        const poseB = somewhere(random, 3);
        const common = check(a, b, { poseB, distance: true, path: 'common' });
        const report = check(a, b, { poseB, distance: true });
        if (report.engine === 'kernel') answered++;
        const { verdict, distance, bracket } = report;
        expect({ verdict, distance, bracket }).toEqual({
          verdict: common.verdict,
          distance: common.distance,
          bracket: common.bracket,
        });
        expect(checker.distance(poseB)).toBe(common.distance);
        expect(check(a, again, { poseB, distance: true }).distance).toBe(common.distance);
        const clearance = random.between(0, 1.5);
        const { verdict: cleared } = check(a, b, { poseB, clearance, path: 'common' });
        expect(check(a, b, { poseB, clearance }).verdict).toBe(cleared);
        expect(checker.clearance(poseB, clearance)).toBe(cleared);
        const inTime = check(a, b, { poseB, budget: 1000 });
        expect(inTime.verdict).toBe(common.verdict);
        expect(inTime.bracket?.lower).toBeLessThanOrEqual(common.bracket?.upper as number);
        expect(inTime.bracket?.upper).toBeGreaterThanOrEqual(common.bracket?.lower as number);
      }
      expect(answered).toBeGreaterThan(5);
    },
  );

  test('what is no pose and no length is refused in one line', () => {
    const checker = prepare(assets[0], assets[1]);
    expect(() => checker.distance([1] as never)).toThrow(/^pose of b/);
    expect(() => checker.clearance(identity(), -1)).toThrow(/^clearance -1: expected a length from 0/);
    expect(() => checker.clearance(identity(), Number.NaN)).toThrow(/^clearance NaN/);
    expect(checker.clearance(identity(), 0)).toBe(checker.verdict(identity()));
  });
});

describe('lengths whose squares float32 does not hold', { tags: ['all'] }, () => {
  const kinds: Record<string, (mesh: Mesh) => Asset> = {
    'obb 40': (mesh) => build(mesh, { format: 'obb', nodeBytes: 40 }),
    'obb 64': wide,
    kdop: (mesh) => build(mesh, { format: 'kdop' }),
    gi: (mesh) => build(mesh, { size: 17 }),
  };
  const scaled = (mesh: Mesh, size: number): Mesh => mapped(mesh, (x, y, z) => [size * x, size * y, size * z]);

  /** Asks two in a pose what rational arithmetic knows, once the kernel answers for them. */
  function expectTrue(a: Asset, b: Asset, pose: Pose): void {
    const against = againstDistance(movedCorners(surfaceOf(a), identity()), movedCorners(surfaceOf(b), pose));
    const checker = prepare(a, b);
    const report = check(a, b, { poseB: pose, distance: true });
    const { lower, upper } = report.bracket!;
    expect([against(lower), against(upper), report.verdict], `[${lower}, ${upper}]`).toEqual([
      expect.toBeOneOf([-1, 0]),
      expect.toBeOneOf([0, 1]),
      against(0) === 0 ? 'contact' : 'clear',
    ]);
    expect(checker.verdict(pose)).toBe(report.verdict);
    for (const factor of [1 / 1.05, 1 / 1.01, 1 / 1.0001, 1.0001, 1.01, 1.05]) {
      const clearance = factor * upper;
      // No wrong answer, and none that is left open so far from the distance.
      const expected = against(clearance) < 0 ? 'clear' : 'contact';
      expect([checker.clearance(pose, clearance), clearance]).toEqual([expected, clearance]);
      expect(check(a, b, { poseB: pose, clearance }).verdict).toBe(expected);
    }
  }

  /** Questions after which the kernel answers. */
  const warm = (a: Asset, b: Asset): void => {
    for (let n = 0; n < 40; n++) check(a, b, { poseB: translation(n, 0, 0), distance: true });
  };

  const pairs = [
    ['obb 40', 'obb 40'],
    ['obb 64', 'obb 64'],
    ['kdop', 'kdop'],
    ['gi', 'obb 40'],
    ['obb 64', 'gi'],
    ['kdop', 'obb 64'],
  ];

  test.each(pairs)('%s and %s: boxes of 1e-23 to 1e-21', (first, second) => {
    for (const size of [1.3e-23, 4e-23, 1e-22, 1e-21]) {
      const [a, b] = [kinds[first](scaled(box(), size)), kinds[second](scaled(box(), size))];
      warm(a, b);
      const poses = [
        [1.5, 1.6, 1.1],
        [2.3, 1.9, 3.1],
        [1.2, 1.4, 0.1],
        [1.3, 0, 0],
      ];
      // An image has hundreds of triangles, and rational arithmetic as many pairs at one distance.
      const count = first === 'gi' || second === 'gi' ? 2 : 4;
      for (const by of poses.slice(0, count)) expectTrue(a, b, translation(size * by[0], size * by[1], size * by[2]));
    }
  });

  const seeds = Array.from({ length: 40 }, (_, k) => 20 + k);
  test.each(some(1, seeds))('of every size from 1e-19 to 1e-45, and of two sizes, seed %i', (seed) => {
    const random = seeded(seed);
    const names = Object.keys(kinds);
    for (let n = 0; n < 12; n++) {
      const size = 10 ** random.pick([random.between(-45, -19), random.between(-23, -20)]);
      const other = random.pick([size, size * 10 ** random.between(-6, 6), 10 ** random.between(-45, -19)]);
      const shape = (): Mesh => random.pick([tetrahedron, () => randomTriangles(seed + n, 6), box])();
      const [first, second] = [random.pick(names), random.pick(names)];
      const a = kinds[first](first === 'gi' ? scaled(tetrahedron(), size) : scaled(shape(), size));
      const b = kinds[second](second === 'gi' ? scaled(tetrahedron(), other) : scaled(shape(), other));
      warm(a, b);
      const turn = random.next() < 0.5 ? identity() : randomRotation(random);
      const far = random.pick([size, size + other, 3 * (size + other), 1e-3 * size]);
      const [x, y, z] = randomDirection(random);
      const s = random.between(0.5, 2) * far;
      expectTrue(a, b, compose(translation(s * x, s * y, s * z), turn));
    }
  });
});
