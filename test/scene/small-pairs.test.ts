/** Small meshes without trees, against the rational oracle, against trees, and with degenerate triangles. */
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { contacts } from '../../src/contacts/patches.ts';
import { createPair } from '../../src/engine/prepared.ts';
import { compose, identity, movePoint, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { kdopTreeLater, postedTree, treeOfPosted } from '../../src/representations/kdop/make-later.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { SmallPairs } from '../../src/scene/small-pairs.ts';
import { randomRotation } from '../support/agreement.ts';
import { long, some } from '../support/long.ts';
import { trianglesMeet } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, bumpySphere, tetrahedron, torus } from '../support/shapes.ts';

/** Triangles on a coarse grid: many share points, edges and planes, and some are segments or points. */
function coarseMesh(random: Random, triangles: number): Mesh {
  const positions = Float64Array.from({ length: 3 * 12 }, () => random.below(4) - 1);
  return { positions, triangles: Uint32Array.from({ length: 3 * triangles }, () => random.below(12)), groups: [] };
}

/** On the grid, so that contact is common and exact; or anywhere. */
const poseOf = (random: Random): Pose => {
  if (random.below(3) === 0) return identity();
  if (random.below(2) === 0) return translation(random.below(5) - 2, random.below(5) - 2, random.below(3) - 1);
  return compose(translation(random.between(-2, 2), random.between(-2, 2), 0), randomRotation(random));
};

function corners({ positions, triangles }: Mesh, pose: Pose, t: number): Float64Array {
  const out = new Float64Array(9);
  for (let k = 0; k < 3; k++) {
    const [x, y, z] = positions.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3);
    movePoint(pose, x, y, z, out, 3 * k);
  }
  return out;
}

function bruteForce(a: Mesh, b: Mesh, poseA: Pose, poseB: Pose): number[][] {
  const found: number[][] = [];
  for (let p = 0; p < a.triangles.length / 3; p++)
    for (let q = 0; q < b.triangles.length / 3; q++)
      if (trianglesMeet(corners(a, poseA, p), corners(b, poseB, q))) found.push([p, q]);
  return found;
}

const build = (mesh: Mesh) => buildKdopTree(mesh, { k: 14 });
const later = (mesh: Mesh) => kdopTreeLater(mesh, { k: 14, bits: 16 });

describe.each(some(2, [1, 2, 3, 4, 5, 6]))('small meshes, seed %i', (seed) => {
  const random = seeded(seed);

  test('touching and degenerate triangles, as the oracle has them', { tags: ['quick', 'long'] }, () => {
    let touching = 0;
    for (let round = 0; round < (long ? 200 : 25); round++) {
      const [a, b] = [coarseMesh(random, 1 + random.below(6)), coarseMesh(random, 1 + random.below(6))];
      const [poseA, poseB] = [poseOf(random), poseOf(random)];
      const asset = random.below(2) === 0 ? later : (mesh: Mesh) => buildObbTree(mesh, { nodeBytes: 64 });
      const small = new SmallPairs([
        { asset: asset(a), pose: poseA },
        { asset: asset(b), pose: poseB },
      ]);
      const expected = bruteForce(a, b, poseA, poseB);
      expect(small.all(0, 1)).toEqual(expected);
      expect(small.first(0, 1)).toEqual(expected[0] ?? null);
      if (expected.length > 0) touching++;
    }
    expect(touching).toBeGreaterThan(5);
  });

  test('the verdict and the list of trees', { tags: ['quick', 'long'] }, () => {
    const meshes = [box(), tetrahedron(), bumpySphere(seed, 2), torus(12, 8), box(0.01, 3, 3)];
    const objects = meshes.flatMap((mesh) =>
      [build, later].map((make) => ({ asset: make(mesh), pose: poseOf(random) })),
    );
    const small = new SmallPairs(objects);
    for (const [i, a] of objects.entries()) {
      for (const [j, b] of objects.entries()) {
        const asked = { poseA: a.pose, poseB: b.pose, all: true, maxContacts: 2 ** 20, contactPoints: true, contacts };
        const report = createPair(a.asset, b.asset, { questions: 1 }).report(asked);
        expect(small.all(i, j)).toEqual(report.contacts.pairs);
        const first = small.first(i, j);
        expect(first).toEqual(report.contacts.pairs[0] ?? null);
        if (!first) continue;
        const [p, q] = [new Float64Array(9), new Float64Array(9)];
        small.corners(i, first[0], p);
        small.corners(j, first[1], q);
        const { from, to } = report.contacts.points![0];
        expect(contacts.middle(p, q)).toEqual(from.map((x, k) => x / 2 + to[k] / 2));
      }
    }
  });
});

test('large meshes are left to trees', { tags: ['quick', 'long'] }, () => {
  const large = { asset: later(torus(80, 60)), pose: identity() };
  const little = { asset: later(box()), pose: identity() };
  const small = new SmallPairs([large, little]);
  expect(small.first(0, 1)).toBeUndefined();
  expect(small.all(1, 0)).toBeUndefined();
  expect(small.size(0)).toBe(Number.POSITIVE_INFINITY);
});

test('many moved vertices are not kept, and give the same answers', { tags: ['all', 'long'] }, () => {
  const [mesh, turn] = [torus(64, 60), randomRotation(seeded(1))];
  const asset = later(mesh);
  const objects = Array.from({ length: 900 }, (_, i) => ({ asset, pose: compose(translation(i / 100, 0, 0), turn) }));
  const small = new SmallPairs(objects);
  const first = small.first(0, 1);
  for (let i = 1; i < objects.length; i++) small.first(i - 1, i);
  expect(small.first(0, 1)).toEqual(first);
});

describe('a tree that is made later', () => {
  test('is the tree that the builder makes', { tags: ['quick', 'long'] }, () => {
    for (const mesh of [box(), torus(12, 8), bumpySphere(3, 2)]) {
      const options = { k: 14, bits: 16, units: 'mm' } as const;
      expect({ ...kdopTreeLater(mesh, options) }).toEqual(buildKdopTree(mesh, options));
    }
  });

  test('is posted without its nodes, until these are made', { tags: ['quick', 'long'] }, () => {
    const tree = later(torus(12, 8));
    const arrived = treeOfPosted(structuredClone(postedTree(tree)!));
    expect({ ...arrived }).toEqual({ ...tree });
    expect(postedTree(tree)).toBeNull();
    expect(postedTree(arrived)).toBeNull();
    expect(postedTree(build(box()))).toBeNull();
  });

  test('is refused at once, as by the builder', { tags: ['quick', 'long'] }, () => {
    const empty = { positions: new Float64Array(0), triangles: new Uint32Array(0), groups: [] };
    expect(() => later(empty)).toThrow('expected triangles, found none');
    for (const wild of [1e101, Number.NaN, Number.POSITIVE_INFINITY]) {
      const { positions, triangles } = box();
      const mesh = { positions: positions.map((x, k) => (k === 4 ? wild : x)), triangles, groups: [] };
      expect(() => later(mesh)).toThrow(`expected coordinates up to 1e+100, found ${wild}`);
    }
  });
});
