/** The paper's own traversal of two k-DOP trees, and the kernel where they touch: the oracle's verdicts and lists, whatever k, bits, axes, poses and scales are. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { check } from '../../../src/engine/prepared.ts';
import { kernelOf } from '../../../src/engine/prepared-kernel.ts';
import type { Query } from '../../../src/engine/records.ts';
import {
  compose,
  identity,
  movePoint,
  type Pose,
  rotation,
  translation,
  validatePose,
} from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { checkKdopTrees } from '../../../src/representations/kdop/search/descent.ts';
import { DOP_SIZES, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import { depthOfKdopTree, type KdopTree } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { expectAgreement, nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import {
  box,
  bumpySphere,
  grid,
  mapped,
  octasphere,
  soup,
  tetrahedron,
  together,
  torus,
} from '../../support/shapes.ts';

const WIDTHS = [8, 12, 16, 19, 24, 26, 27, 35, 36];

const queryOf = (poseA: Pose, poseB: Pose, rest: Partial<Query> = {}): Query => ({
  poseA,
  poseB,
  all: true,
  maxContacts: 1e6,
  level: null,
  ...rest,
});

const scaled = (mesh: Surface, s: number): Mesh => mapped(mesh, (x, y, z) => [s * x, s * y, s * z]);

const changed = (pose: Pose, change: (x: number, i: number) => number): Pose =>
  pose.map((x, i) => (i < 12 && i % 4 !== 3 ? change(x, i) : x));

/** Poses as far from rigid as is accepted. */
const BARELY: ((pose: Pose) => Pose)[] = [
  (pose) => changed(pose, (x) => Math.round(x * 1e6) / 1e6),
  (pose) => changed(pose, (x) => x * (1 + 4.99e-6)),
  (pose) => changed(pose, (x) => x * (1 - 4.99e-6)),
  (pose) => changed(pose, (x, i) => (i % 4 === 0 ? x + 4e-6 * pose[i + 1] : x)),
];

/** At random poses, where contact ends, and near there. Returns how many of them were in contact. */
function expectAgreementAround(
  a: KdopTree,
  b: KdopTree,
  random: Random,
  poses: number,
  warp?: (pose: Pose) => Pose,
): number {
  let contacts = 0;
  for (let n = 0; n < poses; n++) {
    const own = (pose: Pose) => validatePose(warp ? warp(pose) : pose, 'pose');
    const rigid = n % 3 === 0 ? identity() : compose(translation(0.3, -2, 1), randomRotation(random));
    const poseA = n % 3 === 0 ? rigid : own(rigid);
    const start = own(compose(rigid, randomRotation(random)));
    const [inside, outside] = nearContact(a, b, poseA, start, randomDirection(random));
    for (const pose of [start, inside, outside]) {
      expect(checkKdopTrees(a, b, queryOf(poseA, pose))).toBeDefined();
      const pairs = expectAgreement(a, b, poseA, pose);
      // As many questions are answered.
      expect(kernelOf(a, b)?.search(queryOf(poseA, pose))?.contacts.pairs).toEqual(pairs);
      if (pairs.length > 0) contacts++;
    }
  }
  return contacts;
}

describe('agreement with the oracle', () => {
  const knot = long ? torus(8, 5) : torus(6, 4);
  const blob = bumpySphere(7, long ? 1 : 0);

  const sizes = DOP_SIZES.flatMap((k, i) =>
    [8, 16, 35].filter((_, j) => long || j === i % 3).map((bits) => [k, bits] as const),
  );

  test.each(sizes)('k %i, %i bits, seed k + bits', { tags: ['all', 'long'] }, (k, bits) => {
    const [a, b] = [knot, blob].map((mesh) => buildKdopTree(mesh, { k, bits }));
    const contacts = expectAgreementAround(a, b, seeded(k + bits), long ? 7 : 2);
    expect(contacts).toBeGreaterThan(0);
  });

  test.each(some(1, [11, 12, 13, 14, 15, 16]))(
    'trees of different k and bits, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      for (let n = 0; n < (long ? 6 : 3); n++) {
        const [a, b] = [blob, knot].map((mesh) =>
          buildKdopTree(mesh, { k: random.pick(DOP_SIZES), bits: random.pick(WIDTHS) }),
        );
        expectAgreementAround(a, b, random, 1);
      }
    },
  );

  test.each(BARELY.map((warp, seed) => [seed, warp] as const))(
    'poses that are barely rigid, seed %i',
    { tags: ['all', 'long'] },
    (seed, warp) => {
      const random = seeded(20 + seed);
      for (const [k, bits] of [
        [24, 16],
        [14, 36],
      ]) {
        const [a, b] = [knot, blob].map((mesh) => buildKdopTree(mesh, { k, bits }));
        expectAgreementAround(a, b, random, long ? 3 : 2, warp);
      }
    },
  );

  test('far from the origin of coordinates, of each tree and of the poses, seed 30', { tags: ['all', 'long'] }, () => {
    const random = seeded(30);
    const away = mapped(blob, (x, y, z) => [x + 1e6, y - 3e6, z + 1e7]);
    for (const [k, bits] of [
      [24, 16],
      [6, 8],
      [18, 36],
    ]) {
      const [a, b] = [knot, away].map((mesh) => buildKdopTree(mesh, { k, bits }));
      expect([...b.origin]).not.toEqual([0, 0, 0]);
      for (const far of [0, 1e5]) {
        const back = translation(far - 1e6, far + 3e6, -1e7);
        for (const s of long ? [0.5, 1.2, 1.6] : [1.2]) {
          const direction = randomDirection(random);
          expectAgreement(a, b, translation(far, far, 0), shifted(back, direction, s));
          const turned = compose(
            translation(far, far, 0),
            compose(randomRotation(random), translation(-1e6, 3e6, -1e7)),
          );
          expectAgreement(a, b, translation(far, far, 0), shifted(turned, direction, s));
        }
      }
    }
  });

  test('a tree and itself, in one pose and in two, seed 40', { tags: ['all'] }, () => {
    const random = seeded(40);
    for (const k of DOP_SIZES) {
      const tree = buildKdopTree(octasphere(1), { k, bits: random.pick(WIDTHS) });
      const pose = randomRotation(random);
      const own = expectAgreement(tree, tree, pose, pose);
      expect(own.filter(([p, q]) => p === q)).toHaveLength(32);
      expectAgreement(tree, tree, identity(), translation(1, 1, 0));
      expectAgreement(tree, tree, pose, shifted(pose, randomDirection(random), 1.8));
    }
  });
});

describe('touching in one point', { tags: ['all', 'long'] }, () => {
  /** A triangle with the corner p and everything else of it on the side of d, and another deeper there. */
  function wedge(p: number[], d: readonly number[], size: number, random: Random): Mesh {
    const corner = (depth: number) => {
      const side = randomDirection(random);
      const along = side.reduce((sum, x, r) => sum + x * d[r], 0);
      const v = p.map((x, r) => x + size * (side[r] - along * d[r] + depth * random.between(1, 2) * d[r]));
      return v;
    };
    const points = [p, corner(0.01), corner(0.3), corner(3), corner(30), corner(30)];
    return { positions: Float64Array.from(points.flat()), triangles: Uint32Array.of(0, 1, 2, 3, 4, 5), groups: [] };
  }

  /** Whether the first triangles of both are among the contacts. */
  const hasFirst = (pairs: readonly (readonly number[])[] = []) => pairs.some(([p, q]) => p === 0 && q === 0);

  // Both have the very point, and one pose moves both: they touch, however little room there is on the other side of it.
  test.each(some(2, [...DOP_SIZES]))('k = %i, all widths, seed k', (k) => {
    const random = seeded(k);
    const { vectors } = dopDirections(k);
    for (let n = 0; n < (long ? 6_700 : 400); n++) {
      const at = random.pick([0, 1, 1, 1000]);
      const p = [0, 1, 2].map(() => at * random.between(-1, 1));
      const i = 3 * random.below(k);
      const d = n % 2 === 0 ? [...vectors.subarray(i, i + 3)] : randomDirection(random);
      const [sizeA, sizeB] = [1, random.pick([1, 1e-3, 1e4, 1e-9])];
      const a = buildKdopTree(wedge(p, d, sizeA, random), { k, bits: random.pick(WIDTHS) });
      const opposite = d.map((x) => -x);
      const b = buildKdopTree(wedge(p, opposite, sizeB, random), {
        k: n % 3 === 0 ? k : random.pick(DOP_SIZES),
        bits: random.pick(WIDTHS),
      });
      const poses = [identity(), compose(translation(3, -at, 5), randomRotation(random)), rotation(0, 0, 1, 45)];
      const pose = n % 5 === 0 ? validatePose(random.pick(BARELY)(poses[1]), 'pose') : random.pick(poses);
      const axes = n % 4 === 0 ? 1 + random.below((a.k + b.k) / 2) : null;
      const whole = queryOf(pose, pose, { own: { axes } });
      const found = [checkKdopTrees(a, b, whole), kernelOf(a, b)?.search(whole)];
      const swapped = checkKdopTrees(b, a, queryOf(pose, pose, { all: false }));
      const isFirst = kernelOf(b, a)?.verdict(pose, pose) === 'contact' && swapped?.verdict === 'contact';
      if (!isFirst || !found.every((outcome) => hasFirst(outcome?.contacts.pairs)))
        expect.fail(
          `n ${n}, p ${p}, d ${d}, sizes ${sizeA} ${sizeB}, bits ${a.bits} ${b.bits}, k ${b.k}, pose ${pose}`,
        );
    }
  });

  // In exact arithmetic the two are apart or in each other by what moving them has rounded: that is what slack is for.
  test.each(some(1, [1, 2, 3]))('where rounded vertices meet, far away, seed %i', (seed) => {
    const random = seeded(seed);
    let met = 0;
    for (let n = 0; n < (long ? 6_700 : 1000); n++) {
      const far = 10 ** random.between(2, 12);
      const turnOf = () =>
        n % 3 === 0 ? validatePose(random.pick(BARELY)(randomRotation(random)), 'pose') : randomRotation(random);
      const poseA = compose(
        translation(...(randomDirection(random).map((c) => c * far) as [number, number, number])),
        turnOf(),
      );
      const poseB = turnOf();
      const [x, y] = [0, 1].map(() => [0, 1, 2].map(() => random.between(-1, 1)));
      const moved = [new Float64Array(3), new Float64Array(3)];
      movePoint(poseA, x[0], x[1], x[2], moved[0], 0);
      movePoint(poseB, y[0], y[1], y[2], moved[1], 0);
      for (let r = 0; r < 3; r++) poseB[4 * r + 3] = moved[0][r] - moved[1][r];
      movePoint(poseB, y[0], y[1], y[2], moved[1], 0);
      if (moved[0].some((c, r) => c !== moved[1][r])) continue;
      met++;
      const direction = randomDirection(random);
      const locally = (pose: Pose) =>
        [0, 1, 2].map((k) => [0, 1, 2].reduce((sum, r) => sum + pose[4 * r + k] * direction[r], 0));
      const [k, bits] = [random.pick(DOP_SIZES), random.pick(WIDTHS)];
      const a = buildKdopTree(wedge(x, locally(poseA), 1, random), { k, bits: n % 2 === 0 ? bits : 36 });
      const opposite = locally(poseB).map((c) => -c);
      const b = buildKdopTree(wedge(y, opposite, random.pick([1, 0.01]), random), {
        k: random.pick(DOP_SIZES),
        bits: 36,
      });
      const [there, back] = [queryOf(poseA, poseB), queryOf(poseB, poseA)];
      const found = [checkKdopTrees(a, b, there), checkKdopTrees(b, a, back)];
      found.push(kernelOf(a, b)?.search(there), kernelOf(b, a)?.search(back));
      if (!found.every((outcome) => hasFirst(outcome?.contacts.pairs)))
        expect.fail(`n ${n}, far ${far}, k ${a.k} ${b.k}, bits ${a.bits}, x ${x}, y ${y}, poses ${poseA} ${poseB}`);
    }
    expect(met).toBeGreaterThan(500);
  });

  test('on the grid of the coefficients: boxes side by side, all widths', () => {
    for (const [w, bits] of WIDTHS.entries()) {
      for (const k of long ? DOP_SIZES : [DOP_SIZES[w % DOP_SIZES.length]]) {
        const tree = buildKdopTree(box(1, 2, 4), { k, bits });
        for (const [x, y, z] of [
          [1, 0, 0],
          [0, 2, 0],
          [0, 0, 4],
          [1, 2, 4],
          [-1, 2, 0],
          [1, -2, -4],
        ]) {
          for (const base of [identity(), rotation(0, 0, 1, 90), rotation(1, 0, 0, 180)]) {
            const there = compose(base, translation(x, y, z));
            expect(checkKdopTrees(tree, tree, queryOf(base, there))?.verdict).toBe('contact');
            const beyond = compose(
              base,
              translation(x + Math.sign(x) * 1e-6, y + Math.sign(y) * 1e-6, z + Math.sign(z) * 1e-6),
            );
            expect(checkKdopTrees(tree, tree, queryOf(base, beyond))?.verdict).toBe('clear');
          }
        }
      }
    }
  });
});

describe('axes and bits of P', () => {
  test.each([
    [24, 24, 16, 16],
    [6, 26, 8, 36],
    [18, 14, 27, 19],
  ])(
    'fewer axes leave more pairs, and the same contacts: k %i and %i, bits %i and %i',
    { tags: ['all', 'long'] },
    (kA, kB, bitsA, bitsB) => {
      const random = seeded(kA + kB);
      const a = buildKdopTree(bumpySphere(3, 2), { k: kA, bits: bitsA });
      const b = buildKdopTree(torus(12, 8), { k: kB, bits: bitsB });
      for (const n of long ? [0, 1, 2] : [1]) {
        const pose = shifted(randomRotation(random), randomDirection(random), 0.4 + 0.6 * n);
        const expected = expectAgreement(a, b, identity(), pose);
        let bounds = Number.POSITIVE_INFINITY;
        for (let axes = 1; axes <= (kA + kB) / 2; axes++) {
          const outcome = checkKdopTrees(a, b, queryOf(identity(), pose, { own: { axes } }));
          expect(outcome?.contacts).toEqual({ count: expected.length, complete: true, pairs: expected });
          expect(outcome?.tests.bounds).toBeLessThanOrEqual(bounds);
          bounds = outcome?.tests.bounds ?? 0;
        }
        expect(checkKdopTrees(a, b, queryOf(identity(), pose))?.tests.bounds).toBe(bounds);
        for (const mappingBits of [1, 4, 11, 25]) {
          const outcome = checkKdopTrees(a, b, queryOf(identity(), pose), { mappingBits });
          expect(outcome?.contacts.pairs).toEqual(expected);
          expect(outcome?.tests.bounds).toBeGreaterThanOrEqual(bounds);
        }
      }
    },
  );
});

describe('what a query asks', { tags: ['all'] }, () => {
  const a = buildKdopTree(bumpySphere(5, 1), { k: 18, bits: 16 });
  const b = buildKdopTree(torus(8, 5), { k: 14, bits: 12 });
  const pose = translation(0.4, 0.2, 0);
  const all = expectAgreement(a, b, identity(), pose);

  test('a list that is cut says so', () => {
    expect(all.length).toBeGreaterThan(10);
    for (const maxContacts of [1, 2, 7, all.length - 1, all.length, all.length + 1]) {
      const outcome = checkKdopTrees(a, b, queryOf(identity(), pose, { maxContacts }));
      const count = Math.min(maxContacts, all.length);
      expect(outcome).toMatchObject({ verdict: 'contact', contacts: { count, complete: maxContacts >= all.length } });
      for (const pair of outcome?.contacts.pairs ?? []) expect(all).toContainEqual(pair);
    }
  });

  test('a level limit: undecided where it ends the search, and never a wrong word, seed 50', () => {
    const random = seeded(50);
    const deepest = Math.max(depthOfKdopTree(a), depthOfKdopTree(b));
    const verdicts = new Set<string>();
    for (let n = 0; n < 12; n++) {
      const there = shifted(randomRotation(random), randomDirection(random), 0.25 * n);
      const truth = check(a, b, { poseB: there, path: 'common' }).verdict;
      for (let level = 0; level <= deepest + 1; level++) {
        for (const all of [false, true]) {
          const outcome = checkKdopTrees(a, b, queryOf(identity(), there, { level, all }));
          expect([truth, 'undecided']).toContain(outcome?.verdict);
          expect(outcome?.level).toBeLessThanOrEqual(level);
          if (outcome?.verdict === 'undecided') expect(outcome.contacts.complete).toBe(false);
          if (level >= deepest) expect(outcome?.verdict).toBe(truth);
          verdicts.add(`${level} ${outcome?.verdict}`);
        }
      }
    }
    expect(verdicts).toContain('0 undecided');
    expect(verdicts).toContain('0 clear');
  });

  test('queries leave nothing behind: other trees, poses and axes in between', () => {
    const c = buildKdopTree(grid(6), { k: 26, bits: 36 });
    const first = checkKdopTrees(a, b, queryOf(identity(), pose));
    expect(first?.contacts.pairs).toEqual(all);
    for (let n = 0; n < 5; n++) {
      checkKdopTrees(c, a, queryOf(pose, identity(), { own: { axes: 1 + n } }), { mappingBits: 3 });
      checkKdopTrees(b, a, queryOf(pose, rotation(1, 1, n, 50)));
      checkKdopTrees(a, b, queryOf(identity(), pose, { own: { axes: 2 }, level: n }));
      expect(checkKdopTrees(a, b, queryOf(identity(), pose))).toEqual(first);
    }
  });
});

describe('trees of other sizes and shapes', () => {
  test('more nodes than images are kept for: as the common path has it, seed 60', { tags: ['all', 'long'] }, () => {
    const random = seeded(60);
    const mesh = bumpySphere(2, 4);
    const a = buildKdopTree(mesh, { k: 24, bits: 16 });
    const b = buildKdopTree(torus(60, 40), { k: 18, bits: 27 });
    expect(a.links.length).toBeGreaterThan(10_000);
    for (let n = 0; n < (long ? 4 : 2); n++) {
      const [poseA, poseB] = [
        randomRotation(random),
        shifted(randomRotation(random), randomDirection(random), 0.3 * n),
      ];
      for (const [p, q] of [
        [a, b],
        [a, a],
      ]) {
        const options = { poseA, poseB, all: true, maxContacts: 1e6 };
        const common = check(p, q, { ...options, path: 'common' });
        const native = check(p, q, options);
        expect(native.path).toBe('native');
        expect(native.contacts).toEqual(common.contacts);
      }
    }
  });

  test('deep trees: the stack grows, seed 70', { tags: ['all'] }, () => {
    const random = seeded(70);
    // Each triangle is a third as large as the one before it, and nearer to the origin.
    const shells = Array.from({ length: 100 }, (_, n) => {
      return mapped(tetrahedron(), (x, y, z) => [3 ** -n * (x + 1.4), 3 ** -n * (y + 1.3), 3 ** -n * (z + 1.2)]);
    });
    const firsts = shells.map(({ positions }) => ({ positions, triangles: Uint32Array.of(0, 1, 2) }));
    const a = buildKdopTree(together(...firsts), { k: 24, bits: 36 });
    expect(depthOfKdopTree(a)).toBeGreaterThan(30);
    for (const pose of [identity(), randomRotation(random), translation(1e-20, 0, 0)])
      expectAgreement(a, a, pose, identity());
  });

  test('all against all down a deep tree: hundreds of pairs wait', { tags: ['all', 'long'] }, () => {
    // All have the origin for a corner, each is a sixteenth as large as the one before it; of a pair of children the leaf comes first or last.
    const meshOf = (sign: number): Mesh => ({
      positions: Float64Array.from({ length: 630 }, (_, c) => {
        return sign * [0, 0, 0, 1, 0.5, 0, 0.5, 0.25, 1][c % 9] * 16 ** -Math.floor(c / 9);
      }),
      triangles: Uint32Array.from({ length: 210 }, (_, c) => c),
      groups: [],
    });
    for (const k of some(1, [...DOP_SIZES])) {
      for (const mesh of [meshOf(1), meshOf(-1)]) {
        const tree = buildKdopTree(mesh, { k, bits: 8 });
        expect(depthOfKdopTree(tree)).toBeGreaterThan(60);
        for (const pose of [identity(), rotation(1, 2, 3, 77)]) {
          const outcome = checkKdopTrees(tree, tree, queryOf(identity(), pose));
          expect(outcome?.contacts).toMatchObject({ count: 4900, complete: true });
        }
      }
    }
  });

  test('single triangles, seed 80', { tags: ['all'] }, () => {
    const random = seeded(80);
    let contacts = 0;
    for (let n = 0; n < 150; n++) {
      const [a, b] = [0, 1].map(() => {
        const positions = Float64Array.from({ length: 9 }, () =>
          n % 2 === 0 ? random.below(5) : random.between(-1, 1),
        );
        return buildKdopTree(
          { positions, triangles: Uint32Array.of(0, 1, 2), groups: [] },
          { k: random.pick(DOP_SIZES), bits: random.pick(WIDTHS) },
        );
      });
      contacts += expectAgreement(a, b, identity(), n % 4 < 2 ? identity() : randomRotation(random)).length;
    }
    expect(contacts).toBeGreaterThan(20);
    expect(contacts).toBeLessThan(130);
  });

  test('points and segments, among themselves and against a surface, seed 90', { tags: ['all', 'long'] }, () => {
    const random = seeded(90);
    const flat = (corners: number[][]): Mesh => ({
      positions: Float64Array.from(corners.flat()),
      triangles: Uint32Array.from(corners.map((_, c) => c)),
      groups: [],
    });
    const points = Array.from({ length: 12 }, () => [0, 1, 2].map(() => random.below(3) - 1));
    const meshes = [
      flat(points.flatMap((p) => [p, p, p])),
      flat(points.slice(1).flatMap((p, n) => [p, points[n], p])),
      flat([
        [1, 1, 1],
        [1, 1, 1],
        [1, 1, 1],
      ]),
      flat([
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 0],
      ]),
      flat([
        [5e-324, 0, 0],
        [0, 5e-324, 0],
        [0, 0, 0],
      ]),
      box(2),
      soup(tetrahedron()),
    ];
    let contacts = 0;
    for (const p of meshes) {
      for (const q of meshes) {
        const a = buildKdopTree(p, { k: random.pick(DOP_SIZES), bits: random.pick(WIDTHS) });
        const b = buildKdopTree(q, { k: random.pick(DOP_SIZES), bits: random.pick(WIDTHS) });
        const poses = [identity(), translation(1, 0, -1), rotation(0, 0, 1, 90), randomRotation(random)];
        const start = long ? 0 : random.below(4);
        for (const pose of poses.slice(start, long ? 4 : start + 1)) {
          contacts += expectAgreement(a, b, identity(), pose).length;
        }
      }
    }
    expect(contacts).toBeGreaterThan(long ? 200 : 100);
  });

  test.each([1e90, 1e-200, 2 ** -880, 1e-310])('coordinates of %d, seed 100', { tags: ['all', 'long'] }, (size) => {
    const random = seeded(100);
    for (const [k, bits] of [
      [24, 16],
      [6, 8],
      [26, 36],
    ]) {
      const a = buildKdopTree(scaled(bumpySphere(4, 0), size), { k, bits });
      const b = buildKdopTree(scaled(soup(tetrahedron()), size), { k, bits });
      for (const s of long ? [0, 0.7, 1.5, 4] : [0.7, 4]) {
        const [x, y, z] = randomDirection(random).map((c) => c * s * size);
        expect(checkKdopTrees(a, b, queryOf(identity(), translation(x, y, z)))).toBeDefined();
        expectAgreement(a, b, identity(), translation(x, y, z));
        expectAgreement(a, b, randomRotation(random), compose(translation(x, y, z), randomRotation(random)));
      }
    }
  });

  test('a small part on a large one: scales 2^20 to 2^490 apart, seed 110', { tags: ['all'] }, () => {
    const random = seeded(110);
    const large = bumpySphere(6, 1);
    const a = buildKdopTree(large, { k: 24, bits: 16 });
    for (const power of [20, 40, 60, 300, 490]) {
      const b = buildKdopTree(scaled(tetrahedron(), 2 ** -power), { k: 18, bits: 24 });
      for (let n = 0; n < 4; n++) {
        // At a corner of the large one, where the small one's corners are on both sides of its surface, or nearly there.
        const v = 3 * random.below(large.positions.length / 3);
        const [x, y, z] = large.positions.subarray(v, v + 3).map((c) => c * (n === 3 ? 1 + 2 ** -18 : 1));
        const pose = compose(translation(x, y, z), randomRotation(random));
        expect(checkKdopTrees(a, b, queryOf(identity(), pose))).toBeDefined();
        expectAgreement(a, b, identity(), pose);
      }
    }
  });

  test('scales 2^600 apart: the common path answers', { tags: ['all'] }, () => {
    const small = scaled(tetrahedron(), 2 ** -600);
    const a = buildKdopTree(small, { k: 24, bits: 16 });
    // A face of the box goes through the origin.
    const b = buildKdopTree(
      mapped(box(), (x, y, z) => [x + 0.5, y + 0.1, z - 0.2]),
      { k: 24, bits: 16 },
    );
    for (const [pose, verdict] of [
      [identity(), 'contact'],
      [translation(0.25, 0, 0), 'clear'],
      [translation(-0.25, 0, 0), 'clear'],
    ] as const) {
      expect(checkKdopTrees(a, b, queryOf(pose, identity()))).toBeUndefined();
      const report = check(a, b, { poseA: pose, all: true });
      expect(report).toMatchObject({ path: 'common', verdict });
      expectAgreement(a, b, pose, identity());
    }
  });
});
