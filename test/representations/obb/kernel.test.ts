/** Wide OBB trees: the kernel, its twin and brute force give the same lists; the box filter at its edge. */
import { expect, test } from 'vitest';
import { build } from '../../../src/api.ts';
import type { Query } from '../../../src/engine/records.ts';
import { trianglesIntersectAt } from '../../../src/geometry/triangle-triangle.ts';
import { kernels } from '../../../src/kernels/memory.ts';
import { compose, identity, movePoint, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { search } from '../../../src/representations/obb/search/index.ts';
import { KERNEL } from '../../../src/representations/obb/search/kernel.generated.ts';
import { kernelOfWideTrees } from '../../../src/representations/obb/search/kernel.ts';
import type { ObbTree } from '../../../src/representations/obb/tree/obb-tree.ts';
import { FRAME_STEPS, WIDE_BYTES, wideViews } from '../../../src/representations/obb/tree/wide-node.ts';
import { checkByTwin } from '../../kernels/twins/obb.ts';
import { encodeWideNode, wideLink } from '../../kernels/twins/obb-node.ts';
import { long, some } from '../../support/long.ts';
import { movedCorners } from '../../support/move-points.ts';
import { type Random, seeded } from '../../support/random.ts';
import { box } from '../../support/shapes.ts';

const wide = (mesh: Mesh): ObbTree => build(mesh, { format: 'obb', nodeBytes: 64 });
const meshOf = (positions: number[]): Mesh => ({
  positions: Float64Array.from(positions),
  triangles: Uint32Array.from({ length: positions.length / 3 }, (_, i) => i),
  groups: [],
});
const queryOf = (poseA: Pose, poseB: Pose, all: boolean): Query => ({
  poseA,
  poseB,
  all,
  maxContacts: 1e9,
  level: null,
});

const byKernel = (a: ObbTree, b: ObbTree, query: Query) => kernelOfWideTrees(a, b)?.search(query);
const byEither = (a: ObbTree, b: ObbTree, query: Query) => byKernel(a, b, query) ?? search(a, b, query);

function kernelPairs(a: ObbTree, b: ObbTree, poseA: Pose, poseB: Pose, ask = byKernel): string[] {
  const outcome = ask(a, b, queryOf(poseA, poseB, true));
  if (!outcome) throw new Error('no kernel');
  expect(ask(a, b, queryOf(poseA, poseB, false))?.verdict).toBe(outcome.verdict);
  expect(kernelOfWideTrees(a, b)?.verdict(poseA, poseB)).toBe(outcome.verdict);
  return outcome.contacts.pairs.map((pair) => pair.join());
}

/** Twin and readable search in verdicts and lists. The twin, in doubles, keeps no more pairs than float32's rounding does. */
function expectTwin(a: ObbTree, b: ObbTree, poseA: Pose, poseB: Pose): void {
  for (const all of [true, false]) {
    const query = queryOf(poseA, poseB, all);
    const found = byKernel(a, b, query);
    expect(found?.verdict).toBe(search(a, b, query)?.verdict);
    if (all) expect(found?.contacts).toEqual(search(a, b, query)?.contacts);
    const twin = checkByTwin(a, b, query);
    expect([found?.verdict, found?.contacts.count]).toEqual([twin.verdict, twin.contacts.count]);
    if (!all) continue;
    expect(found?.contacts).toEqual(twin.contacts);
    for (const kind of ['bounds', 'hulls'] as const) {
      expect(twin.tests[kind]).toBeLessThanOrEqual(found?.tests[kind] as number);
      expect(found?.tests[kind]).toBeLessThanOrEqual(1.1 * twin.tests[kind] + 4);
    }
  }
}

function brutePairs(a: Mesh, b: Mesh, poseA: Pose, poseB: Pose): string[] {
  const [p, q] = [movedCorners(a, poseA), movedCorners(b, poseB)];
  const pairs: string[] = [];
  for (let i = 0; i < p.length; i += 9) {
    for (let j = 0; j < q.length; j += 9) if (trianglesIntersectAt(p, i, q, j)) pairs.push([i / 9, j / 9].join());
  }
  return pairs;
}

const direction = (random: Random): number[] => [0, 1, 2].map(() => random.between(-1, 1));
const turn = (random: Random): Pose => {
  const [x, y, z] = direction(random);
  return rotation(x, y, z, random.between(0, 360));
};

/** Triangles of about `size` within `spread`, some without area. */
function soup(random: Random, count: number, spread: number, size: number): Mesh {
  const positions: number[] = [];
  for (let t = 0; t < count; t++) {
    const at = direction(random).map((x) => spread * x);
    const kind = random.below(12);
    const first = at.map((x) => x + random.between(-size, size));
    for (let k = 0; k < 3; k++) {
      if (kind === 0 || (kind === 1 && k === 2)) positions.push(...first);
      else positions.push(...(k === 0 ? first : at.map((x) => x + random.between(-size, size))));
    }
  }
  return meshOf(positions);
}

test('this engine has kernels', () => {
  expect(kernels(KERNEL)?.functions.wideQuery).toBeTypeOf('function');
});

test.each(some(2, [1, 2, 3, 4, 5, 6, 7, 8]))(
  'kernel, twin and brute force agree on soups, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const scale = [1, 1e-12, 1e9, 3.7][seed % 4];
    const a = soup(random, 1 + random.below(220), scale, 0.3 * scale);
    const b = soup(random, 1 + random.below(220), scale * random.pick([1, 0.1]), 0.2 * scale);
    const [treeA, treeB] = [wide(a), wide(b)];
    for (let i = 0; i < 6; i++) {
      const poseB = compose(
        translation(...(direction(random).map((x) => scale * x) as [number, number, number])),
        turn(random),
      );
      const poseA = i % 2 ? identity() : turn(random);
      const expected = brutePairs(a, b, poseA, poseB);
      expect(kernelPairs(treeA, treeB, poseA, poseB)).toEqual(expected);
      expectTwin(treeA, treeB, poseA, poseB);
    }
  },
);

/**
 * Two trees on two sides of a plane, which share one vertex to the bit after it was moved: the boxes touch or nearly, along an axis of theirs
 * where `isSquare`, and every bound of rounding is needed.
 */
function touching(random: Random, isSquare: boolean, scale: number, far: number): { a: Mesh; b: Mesh; poseB: Pose } {
  const frame = turn(random);
  const axis = (k: number) => [frame[k], frame[4 + k], frame[8 + k]];
  const poseB = compose(
    translation(...(direction(random).map((x) => far * x) as [number, number, number])),
    turn(random),
  );
  const own = direction(random).map((x) => scale * x);
  const shared = new Float64Array(3);
  movePoint(poseB, own[0], own[1], own[2], shared, 0);
  // Where a point of the common frame comes from, but for rounding.
  const preimage = (p: number[]) => {
    const v = p.map((x, k) => x - poseB[4 * k + 3]);
    return [0, 1, 2].map((k) => poseB[k] * v[0] + poseB[4 + k] * v[1] + poseB[8 + k] * v[2]);
  };
  const beside = (side: number, deep: number, wide: number) =>
    Array.from(
      shared,
      (x, k) =>
        x +
        side * deep * axis(0)[k] +
        wide * random.between(-1, 1) * axis(1)[k] +
        wide * random.between(-1, 1) * axis(2)[k],
    );
  const size = scale * random.pick([1, 0.01]);
  const corners = (side: number): number[][] =>
    isSquare
      ? [
          axis(0).map((x, k) => shared[k] + side * size * x),
          axis(1 + random.below(2)).map((x, k) => shared[k] + side * size * x),
        ]
      : [beside(side, size * random.between(0.1, 1), size), beside(side, size * random.between(0.1, 1), size)];
  const others = random.pick([0, 0, 20]);
  const fill = (side: number) =>
    Array.from({ length: others }, () => [0, 1, 2].flatMap(() => beside(side, size * random.between(0.3, 1), size)));
  const a = [...Array.from(shared), ...corners(1).flat(), ...fill(1).flat()];
  const world = [...corners(-1), ...fill(-1).flatMap((t) => [t.slice(0, 3), t.slice(3, 6), t.slice(6)])];
  return { a: meshOf(a), b: meshOf([...own, ...world.flatMap(preimage)]), poseB };
}

test.each(some(1, [1, 2, 3, 4]))(
  'bodies that share one vertex touch, however rounding falls, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(100 + seed);
    for (let i = 0; i < (long ? 200 : 100); i++) {
      const scale = random.pick([1, 1, 1e-6, 1e5, 1e-20]);
      const { a, b, poseB } = touching(random, random.below(2) === 0, scale, scale * random.pick([0, 1, 1000]));
      const [treeA, treeB] = [wide(a), wide(b)];
      expect(kernelPairs(treeA, treeB, identity(), poseB), `${i}`).toContain('0,0');
      if (i % 5 === 0) expectTwin(treeA, treeB, identity(), poseB);
    }
  },
);

/** A tree of one triangle whose box is exactly what is asked for, with nothing to spare: axes, half extents, centre. */
function tight(frame: Float64Array, halves: number[], centre: number[], corners: number[]): ObbTree {
  const nodes = new Uint8Array(WIDE_BYTES);
  const views = wideViews(nodes);
  const along = [0, 1, 2].map((i) => frame[i] * centre[0] + frame[3 + i] * centre[1] + frame[6 + i] * centre[2]);
  const spans = [...along.map((x, i) => x - halves[i]), ...along.map((x, i) => x + halves[i])];
  encodeWideNode(views, 0, frame, Float64Array.from(spans), 1, 0);
  views.words[9] = wideLink(0, 1, 'leaf');
  return {
    ...wide(meshOf(corners)),
    nodes,
    order: Uint32Array.of(0),
    origin: new Float64Array(3),
  };
}

/** Random axes as they are stored, at right angles but for rounding, or exactly those of the model. */
function storedFrame(random: Random, isPlain: boolean): Float64Array {
  const axes = isPlain ? identity() : turn(random);
  return Float64Array.from({ length: 9 }, (_, k) => {
    return Math.round(axes[4 * Math.floor(k / 3) + (k % 3)] * FRAME_STEPS) / FRAME_STEPS;
  });
}

/** The point whose u = F^T p is given. */
function pointAt(frame: Float64Array, u: number[]): number[] {
  const [a, b, c] = [0, 1, 2].map((i) => [frame[i], frame[3 + i], frame[6 + i]]);
  const cross = (p: number[], q: number[]) =>
    [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
  const [bc, ca, ab] = [cross(b, c), cross(c, a), cross(a, b)];
  const volume = a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2];
  return [0, 1, 2].map((k) => (u[0] * bc[k] + u[1] * ca[k] + u[2] * ab[k]) / volume);
}

/**
 * A corner of one box on a face of the other, seen from outside, both with nothing to spare: what keeps the pair is the bound of rounding
 * alone. Without the bound a third to a half of these are lost.
 */
test.each([
  ['one origin, the axes of the model', true, 0, 1],
  ['one origin, stored axes', false, 0, 2],
  ['far from their origins', true, 4000, 3],
] as const)('a corner on a face: %s', { tags: ['all', 'long'] }, (_, isPlain, far, seed) => {
  const random = seeded(300 + seed);
  for (let i = 0; i < (long ? 300 : 150); i++) {
    const halves = [0, 1].map(() => [0, 1, 2].map(() => random.pick([1, 0.5, 0.25, 2 ** -6])));
    const centres = [0, 1].map(() => [0, 1, 2].map(() => far * random.pick([-1, 1, 0.5])));
    const frames = [storedFrame(random, isPlain), storedFrame(random, isPlain)];
    const turned = turn(random);
    const face = random.below(3);
    const sign = random.pick([-1, 1]);
    const inside = 1 - 1e-13;
    // A point of a's face, and the corner of b that looks at it.
    const on = halves[0].map((h, k) => (k === face ? sign * h * inside : h * random.between(-0.5, 0.5)));
    const normal = [0, 1, 2].map((k) => sign * frames[0][3 * k + face]);
    const p = pointAt(frames[0], on).map((x, k) => x + centres[0][k]);
    const corner = [0, 1, 2].map((j) => {
      const axis = pointAt(
        frames[1],
        [0, 1, 2].map((k) => Number(k === j)),
      );
      const along = [0, 1, 2].reduce(
        (sum, k) =>
          sum + normal[k] * (turned[4 * k] * axis[0] + turned[4 * k + 1] * axis[1] + turned[4 * k + 2] * axis[2]),
        0,
      );
      return -Math.sign(along) * halves[1][j] * inside;
    });
    const own = pointAt(frames[1], corner).map((x, k) => x + centres[1][k]);
    const pose = Float64Array.from(turned);
    for (let k = 0; k < 3; k++) {
      pose[4 * k + 3] = p[k] - (turned[4 * k] * own[0] + turned[4 * k + 1] * own[1] + turned[4 * k + 2] * own[2]);
    }
    const shared = new Float64Array(3);
    movePoint(pose, own[0], own[1], own[2], shared, 0);
    const a = tight(frames[0], halves[0], centres[0], [...shared, ...centres[0], ...centres[0]]);
    const b = tight(frames[1], halves[1], centres[1], [...own, ...centres[1], ...centres[1]]);
    expect(kernelPairs(a, b, identity(), pose), `${i}`).toEqual(['0,0']);
    expectTwin(a, b, identity(), pose);
    // b's face and a's corner: the same, told from the other side.
    expect(kernelPairs(b, a, pose, identity()), `${i}, turned round`).toEqual(['0,0']);
  }
});

/**
 * A point of a long edge of one box on a long edge of the other, both boxes long, with nothing to
 * spare, and on two sides of the plane of the two edges.
 */
test.each([
  ['one origin, the axes of the model', true, 0, 1],
  ['one origin, stored axes', false, 0, 1],
  ['one origin, tiny', false, 0, 1e-23],
  ['far from their origins', false, 4000, 1],
  ['large', false, 3, 1e20],
] as const)('a long edge on a long edge: %s, seed 310', { tags: ['quick', 'long'] }, (_, isPlain, far, scale) => {
  const random = seeded(310);
  for (let i = 0; i < (long ? 1000 : 100); i++) {
    const longest = [random.below(3), random.below(3)];
    const halves = longest.map((l) =>
      [0, 1, 2].map((k) => scale * (k === l ? 1 : random.pick([2 ** -2, 2 ** -6, 2 ** -12]))),
    );
    const centres = [0, 1].map(() => [0, 1, 2].map(() => scale * far * random.pick([-1, 1, 0.5])));
    const frames = [storedFrame(random, isPlain), storedFrame(random, isPlain)];
    const turned = turn(random);
    const axisOf = (side: number, k: number): number[] => {
      const axis = [0, 1, 2].map((row) => frames[side][3 * row + k]);
      return side === 0 ? axis : [0, 1, 2].map((row) => axis.reduce((sum, x, j) => sum + turned[4 * row + j] * x, 0));
    };
    const [p, q] = longest.map((l, side) => axisOf(side, l));
    const normal = [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
    const inside = 1 - 1e-13;
    // The long edge that is farthest along the normal, or against it.
    const onEdge = (side: number): number[] =>
      [0, 1, 2].map((k) => {
        if (k === longest[side]) return halves[side][k] * random.between(-0.9, 0.9);
        const along = axisOf(side, k).reduce((sum, x, j) => sum + x * normal[j], 0);
        return (side === 0 ? 1 : -1) * Math.sign(along) * halves[side][k] * inside;
      });
    const ofA = pointAt(frames[0], onEdge(0)).map((x, k) => x + centres[0][k]);
    const own = pointAt(frames[1], onEdge(1)).map((x, k) => x + centres[1][k]);
    const pose = Float64Array.from(turned);
    for (let k = 0; k < 3; k++) {
      pose[4 * k + 3] = ofA[k] - (turned[4 * k] * own[0] + turned[4 * k + 1] * own[1] + turned[4 * k + 2] * own[2]);
    }
    const shared = new Float64Array(3);
    movePoint(pose, own[0], own[1], own[2], shared, 0);
    const a = tight(frames[0], halves[0], centres[0], [...shared, ...centres[0], ...centres[0]]);
    const b = tight(frames[1], halves[1], centres[1], [...own, ...centres[1], ...centres[1]]);
    expect(kernelPairs(a, b, identity(), pose), `${i}`).toEqual(['0,0']);
    expectTwin(a, b, identity(), pose);
    expect(kernelPairs(b, a, pose, identity()), `${i}, turned round`).toEqual(['0,0']);
  }
});

/** Needles in all directions, many a hundred times longer than wide, some without area. */
function needles(random: Random, count: number, scale: number): Mesh {
  const positions: number[] = [];
  for (let t = 0; t < count; t++) {
    const from = direction(random).map((x) => scale * x);
    const along = direction(random).map((x) => scale * x);
    const width = scale * random.pick([0, 1e-8, 1e-3, 0.02]);
    const end = from.map((x, k) => x + along[k]);
    positions.push(...from, ...end, ...end.map((x) => x + width * random.between(-1, 1)));
  }
  return meshOf(positions);
}

test.each(some(2, [1, 1e-23, 1e-12, 1e6, 1e20]))(
  'kernel, twin and brute force agree on needles of size %d, seed 320',
  { tags: ['quick', 'long'] },
  (scale) => {
    const random = seeded(320);
    for (let round = 0; round < (long ? 12 : 3); round++) {
      const a = needles(random, 1 + random.below(60), scale);
      const b = needles(random, 1 + random.below(60), scale);
      const [treeA, treeB] = [wide(a), wide(b)];
      for (let i = 0; i < 4; i++) {
        const shift = direction(random).map((x) => scale * random.pick([0.2, 1]) * x) as [number, number, number];
        const poseB = compose(translation(...shift), turn(random));
        const poseA = i % 2 ? identity() : turn(random);
        expect(kernelPairs(treeA, treeB, poseA, poseB)).toEqual(brutePairs(a, b, poseA, poseB));
        expectTwin(treeA, treeB, poseA, poseB);
      }
    }
  },
);

test.each(some(1, [1, 2, 3]))('poses that are not quite orthonormal, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  const random = seeded(200 + seed);
  const [a, b] = [box(1), soup(random, 80, 0.6, 0.1)];
  const [treeA, treeB] = [wide(a), wide(b)];
  for (let i = 0; i < 12; i++) {
    const poses = [0, 1].map(() => {
      const pose = compose(translation(random.between(-1, 1), random.between(-1, 1), 0), turn(random));
      for (let k = 0; k < 11; k++) if (k % 4 < 3) pose[k] += random.between(-1.5e-6, 1.5e-6);
      return pose;
    });
    expect(kernelPairs(treeA, treeB, poses[0], poses[1])).toEqual(brutePairs(a, b, poses[0], poses[1]));
  }
});

test('more contacts than the list holds are handed over in parts, and a listener ends the search', () => {
  // Each of 250 triangles through each of 250.
  const fan = (z: number) =>
    meshOf(
      Array.from({ length: 250 }, (_, i) => [-1, -1, z * i * 1e-4, 1, -1, z * i * 1e-4, 0, 2, z * i * 1e-4]).flat(),
    );
  const [a, b] = [wide(fan(1)), wide(fan(1))];
  const upright = rotation(1, 0, 0, 90);
  const all = byKernel(a, b, queryOf(identity(), upright, true));
  expect(all?.contacts).toMatchObject({ count: 62500, complete: true });
  expect(new Set(all?.contacts.pairs.map((pair) => pair.join())).size).toBe(62500);
  const cut = byKernel(a, b, { ...queryOf(identity(), upright, true), maxContacts: 50000 });
  expect(cut?.contacts).toMatchObject({ count: 50000, complete: false });
  let heard = 0;
  const ended = byKernel(a, b, { ...queryOf(identity(), upright, true), onContact: () => ++heard < 7 });
  expect(ended?.contacts).toMatchObject({ count: 7, complete: false });
  expect(heard).toBe(7);
});

test('bodies too far apart for float32, or too large, are answered all the same', () => {
  const random = seeded(9);
  const mesh = soup(random, 60, 1, 0.3);
  const large = { ...mesh, positions: mesh.positions.map((x) => 5e36 * x) };
  for (const [body, far] of [
    [mesh, 1e60],
    [large, 1],
  ] as const) {
    const tree = wide(body);
    for (const poseB of [translation(far, 0, 0), rotation(1, 2, 3, 40)]) {
      expect(kernelPairs(tree, tree, identity(), poseB, byEither)).toEqual(brutePairs(body, body, identity(), poseB));
    }
  }
});
