/** The kernel of k-DOP trees of 16 bits against its twin, against the paper's traversal in doubles, and where 32 bits are nearly full. */
import { describe, expect, test } from 'vitest';
import { kernels } from '../../../src/kernels/memory.ts';
import { compose, identity, type Pose, rotation, translation, validatePose } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import type { ContactPair, Query } from '../../../src/query/report.ts';
import { buildKdopTree } from '../../../src/representations/kdop/build.ts';
import { checkKdopTrees } from '../../../src/representations/kdop/search/descent.ts';
import { facetIn, facetTable } from '../../../src/representations/kdop/search/facets.ts';
import { groupBytesOf, groupsOf } from '../../../src/representations/kdop/search/groups.ts';
import { kernelOfKdopTrees } from '../../../src/representations/kdop/search/kernel.ts';
import { GROUP_COEFFICIENTS, GROUP_COUNT } from '../../../src/representations/kdop/search/layout.as.ts';
import { DOP_SIZES, type DopSize, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import type { KdopTree } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { checkByTwin } from '../../kernels/twins/kdop.ts';
import { nearContact, randomDirection, randomRotation, shifted, surfaceOf } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import {
  box,
  bumpySphere,
  collinearTriangles,
  grid,
  mapped,
  octasphere,
  randomTriangles,
  soup,
  torus,
} from '../../support/shapes.ts';

const queryOf = (poseA: Pose, poseB: Pose, rest: Partial<Query> = {}): Query => ({
  poseA,
  poseB,
  all: true,
  maxContacts: 1e6,
  level: null,
  ...rest,
});

const byKernel = (a: KdopTree, b: KdopTree, query: Query) => kernelOfKdopTrees(a, b)?.search(query);

const scaled = (mesh: Surface, s: number): Mesh => mapped(mesh, (x, y, z) => [s * x, s * y, s * z]);

/** Kernel and twin: everything equal. The paper's traversal: verdict and list. Returns how many contacts there are. */
function expectEqual(a: KdopTree, b: KdopTree, poseA: Pose, poseB: Pose, axes: number | null = null): number {
  expect(kernelOfKdopTrees(a, b)).toBeDefined();
  let count = 0;
  for (const all of [false, true]) {
    const query = queryOf(poseA, poseB, { all, own: { axes } });
    const own = byKernel(a, b, query);
    expect(own).toEqual(checkByTwin(a, b, query));
    count = own?.contacts.count ?? -1;
    const doubles = checkKdopTrees(a, b, queryOf(poseA, poseB, { all }));
    expect(own?.verdict).toBe(doubles?.verdict);
    if (all) expect(own?.contacts).toEqual(doubles?.contacts);
  }
  expect(kernelOfKdopTrees(a, b)?.verdict(poseA, poseB)).toBe(count > 0 ? 'contact' : 'clear');
  return count;
}

test('there are kernels', () => {
  expect(kernels()).not.toBeNull();
});

describe('kernel, twin and the traversal in doubles', () => {
  const meshes: [string, Mesh][] = [
    ['torus', long ? torus(24, 12) : torus(10, 5)],
    ['bumpy sphere', bumpySphere(7, long ? 2 : 1)],
    ['grid', grid(long ? 12 : 5)],
    ['soup', soup(octasphere(long ? 2 : 1))],
    ['random triangles', randomTriangles(5, 60)],
    ['collinear triangles', collinearTriangles()],
    ['box', box(1, 0.2, 3)],
    [
      'one triangle',
      { positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2), groups: [] },
    ],
    ['one point', { positions: Float64Array.of(0.3, 0, 0), triangles: Uint32Array.of(0, 0, 0), groups: [] }],
  ];

  test.each(some(1, [1, 2, 3, 4, 5, 6, 7, 8]))('every pair of meshes, seed %i', (seed) => {
    const random = seeded(seed);
    let contacts = 0;
    for (const [, meshA] of meshes) {
      for (const [, meshB] of meshes) {
        const [a, b] = [meshA, meshB].map((mesh) =>
          buildKdopTree(mesh, { k: random.pick(DOP_SIZES), bits: random.pick([8, 11, 12, 15, 16]) }),
        );
        const poseA = random.below(3) === 0 ? identity() : compose(translation(0.3, -2, 1), randomRotation(random));
        const poseB = compose(poseA, shifted(randomRotation(random), randomDirection(random), random.between(0, 1.2)));
        const axes = random.pick([null, null, 1, 3, (a.k + b.k) / 2]);
        contacts += expectEqual(a, b, poseA, poseB, axes);
        if (meshA === meshB) contacts += expectEqual(a, a, poseA, poseA);
      }
    }
    expect(contacts).toBeGreaterThan(1000);
  });

  test.each(DOP_SIZES.map((k) => [k]))('where contact ends, k = %i, seed k', (k) => {
    const random = seeded(k);
    const [a, b] = [torus(24, 12), bumpySphere(3, 3)].map((mesh) => buildKdopTree(mesh, { k, bits: 16 }));
    for (let n = 0; n < (long ? 20 : 1); n++) {
      const start = randomRotation(random);
      const [inside, outside] = nearContact(a, b, identity(), start, randomDirection(random));
      expect(expectEqual(a, b, identity(), inside)).toBeGreaterThan(0);
      expect(expectEqual(a, b, identity(), outside)).toBe(0);
      expect(expectEqual(b, a, outside, identity())).toBe(0);
    }
  });

  const changed = (pose: Pose, change: (x: number, i: number) => number): Pose =>
    validatePose(
      pose.map((x, i) => (i < 12 && i % 4 !== 3 ? change(x, i) : x)),
      'pose',
    );

  test('poses that are barely rigid, seed 50', () => {
    const random = seeded(50);
    const [a, b] = [torus(16, 8), bumpySphere(3, 2)].map((mesh) => buildKdopTree(mesh));
    for (const factor of [1 + 4.99e-6, 1 - 4.99e-6]) {
      for (let n = 0; n < (long ? 6 : 2); n++) {
        const poseA = changed(randomRotation(random), (x) => x * factor);
        const start = changed(randomRotation(random), (x) => x / factor);
        const poses = nearContact(a, b, poseA, start, randomDirection(random));
        expect(expectEqual(a, b, poseA, poses[0])).toBeGreaterThan(0);
        expect(expectEqual(a, b, poseA, poses[1])).toBe(0);
      }
    }
  });

  test('far from the origin, and trees of very different size, seed 60', () => {
    const random = seeded(60);
    const blob = bumpySphere(7, long ? 2 : 1);
    const a = buildKdopTree(torus(16, 8));
    const away = buildKdopTree(mapped(blob, (x, y, z) => [x + 1e6, y - 3e6, z + 1e7]));
    for (const far of [0, 1e5, 1e12]) {
      const poseB = compose(
        translation(far, far, 0),
        shifted(translation(-1e6, 3e6, -1e7), randomDirection(random), 1),
      );
      expectEqual(a, away, translation(far, far, 0), poseB);
    }
    expectEqual(a, away, identity(), translation(1e150, -1e150, 0));
    for (const exponent of long ? [5, 20, 33, 60, 400] : [5, 33, 400]) {
      const other = buildKdopTree(scaled(blob, 2 ** -exponent));
      // A vertex of a is in reach of it.
      const poseB = compose(translation(1.4, 0, 0), randomRotation(random));
      expectEqual(a, other, identity(), poseB);
      expectEqual(other, a, poseB, identity());
    }
    const beyond = buildKdopTree(scaled(blob, 2 ** -600));
    expect(byKernel(a, beyond, queryOf(identity(), identity()))).toBeUndefined();
  });

  test('wider trees and levels are left to the others', () => {
    const narrow = buildKdopTree(octasphere(1));
    const wide = buildKdopTree(octasphere(1), { bits: 17 });
    expect(byKernel(narrow, wide, queryOf(identity(), identity()))).toBeUndefined();
    expect(byKernel(narrow, narrow, queryOf(identity(), identity(), { level: 2 }))).toBeUndefined();
    expect(kernelOfKdopTrees(narrow, wide)).toBeUndefined();
  });
});

test('coefficients and weights as large as they come: 32 bits are enough, seed 70', () => {
  // A box that fills its scale: every coefficient along an axis is 32767, and a turned axis of the other takes three of them.
  const random = seeded(70);
  const most = 1 - 2 ** -15;
  const solid = mapped(box(2 * most), (x, y, z) => [x, y, z]);
  const middle = solid.positions.reduce((sum, x) => Math.max(sum, x), 0) > 1 ? most : 0;
  const centred = mapped(solid, (x, y, z) => [x - middle, y - middle, z - middle]);
  for (const k of [6, 24] as DopSize[]) {
    const tree = buildKdopTree(centred, { k });
    expect(tree.exponent).toBe(k === 6 ? 0 : 1);
    if (k === 6) expect(Math.max(...tree.coefficients)).toBe(32767);
    for (let n = 0; n < (long ? 20 : 6); n++) {
      // A corner of one towards a face, an edge or a corner of the other.
      const towards = rotation(1, -1, 0, (Math.acos(1 / Math.sqrt(3)) * 180) / Math.PI);
      const start = n === 0 ? towards : n === 1 ? rotation(0, 0, 1, 45) : compose(randomRotation(random), towards);
      const along = n < 2 ? [0, 0, 1] : randomDirection(random);
      for (const pose of nearContact(tree, tree, identity(), start, along)) {
        const expected: ContactPair[] = bruteForce(surfaceOf(tree), identity(), surfaceOf(tree), pose);
        expect(byKernel(tree, tree, queryOf(identity(), pose))?.contacts.pairs).toEqual(expected);
        expectEqual(tree, tree, identity(), pose);
      }
    }
  }
});

describe('a full list of contacts', () => {
  test('surfaces that coincide: more contacts than the workspace holds', () => {
    const tree = buildKdopTree(torus(64, 28));
    const own = byKernel(tree, tree, queryOf(identity(), identity()));
    expect(own?.contacts.count).toBeGreaterThan(40960);
    expect(own?.contacts).toEqual(checkKdopTrees(tree, tree, queryOf(identity(), identity()))?.contacts);
  });

  test('contacts are handed out, and the search ends where it is told to, seed 80', () => {
    const [a, b] = [torus(24, 12), bumpySphere(3, 3)].map((mesh) => buildKdopTree(mesh));
    const pose = compose(translation(0.6, 0.1, 0), randomRotation(seeded(80)));
    const every = byKernel(a, b, queryOf(identity(), pose));
    expect(every?.contacts.count).toBeGreaterThan(60);
    const seen: ContactPair[] = [];
    const heard = byKernel(a, b, queryOf(identity(), pose, { onContact: (i, j) => seen.push([i, j]) }));
    expect(heard).toEqual(every);
    expect(seen.sort((p, q) => p[0] - q[0] || p[1] - q[1])).toEqual(every?.contacts.pairs);
    for (const count of [1, 16, 17, 50]) {
      const rest = { maxContacts: count };
      const cut = byKernel(a, b, queryOf(identity(), pose, rest));
      expect(cut?.contacts).toMatchObject({ count, complete: false });
      let left = count;
      const stopped = byKernel(a, b, queryOf(identity(), pose, { onContact: () => --left > 0 }));
      expect(stopped?.contacts).toMatchObject({ count, complete: false });
      expect(checkByTwin(a, b, queryOf(identity(), pose, rest)).contacts).toEqual(cut?.contacts);
    }
  });
});

test('what is asked in the middle of a query, seed 85', () => {
  const [a, b] = [torus(24, 12), bumpySphere(3, 3)].map((mesh) => buildKdopTree(mesh));
  const pose = compose(translation(0.6, 0.1, 0), randomRotation(seeded(85)));
  const every = byKernel(a, b, queryOf(identity(), pose));
  const kernel = kernelOfKdopTrees(a, b);
  const onContact = () => {
    expect(kernel?.search(queryOf(identity(), translation(9, 0, 0)))).toBeUndefined();
    expect(checkKdopTrees(a, b, queryOf(identity(), translation(9, 0, 0)))?.verdict).toBe('clear');
    expect(kernel?.verdict(identity(), translation(9, 0, 0))).toBe('clear');
  };
  expect(byKernel(a, b, queryOf(identity(), pose, { onContact }))).toEqual(every);
});

test.each(DOP_SIZES.map((k) => [k]))('the facet that the table gives holds the vector, k = %i, seed 90 + k', (k) => {
  const random = seeded(90 + k);
  const { normals, weights } = dopDirections(k);
  const table = facetTable(k);
  for (let n = 0; n < 4000; n++) {
    const v = randomDirection(random);
    // On planes between cells, too.
    if (n % 4 === 1) v[n % 3] = 0;
    if (n % 4 === 2) v[n % 3] = v[(n + 1) % 3];
    const facet = facetIn(table, normals, v[0], v[1], v[2]);
    for (let m = 0; m < 3; m++) {
      const at = 9 * facet + 3 * m;
      const weight = weights[at] * v[0] + weights[at + 1] * v[1] + weights[at + 2] * v[2];
      if (!(weight > -1e-12)) expect.fail(`weight ${weight} of ${v}`);
    }
  }
});

test('groups hold every triangle once, and below a node no coefficient is larger', () => {
  for (const k of DOP_SIZES) {
    const tree = buildKdopTree(torus(20, 9), { k });
    const { groups, leaves } = groupsOf(tree);
    const bytes = groupBytesOf(k);
    const words = new Int32Array(groups.buffer, 0, groups.byteLength / 4);
    const shorts = new Int16Array(groups.buffer, 0, groups.byteLength / 2);
    const first = GROUP_COEFFICIENTS / 2;
    const numbers = Array.from({ length: leaves.length / 4 }, (_, leaf) => leaves[4 * leaf + 3]);
    expect(numbers.toSorted((p, q) => p - q)).toEqual(numbers.map((_, i) => i));
    let reached = 0;
    for (let group = 0; group < groups.byteLength / bytes; group++) {
      for (let i = 0; i < words[(group * bytes + GROUP_COUNT) / 4]; i++) {
        const link = words[(group * bytes) / 4 + i];
        if (link & 1) {
          reached++;
          continue;
        }
        const below = link >>> 1;
        expect(below).toBeGreaterThan(group);
        for (let j = 0; j < k; j++) {
          for (let c = 0; c < words[(below * bytes + GROUP_COUNT) / 4]; c++) {
            const own = shorts[(group * bytes) / 2 + first + 4 * j + i];
            expect(shorts[(below * bytes) / 2 + first + 4 * j + c]).toBeLessThanOrEqual(own);
          }
        }
      }
    }
    expect(reached).toBe(numbers.length);
  }
});
