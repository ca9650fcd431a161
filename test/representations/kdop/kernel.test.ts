/** The kernel of k-DOP trees against its twin, against the paper's traversal in doubles, and where 32 bits are nearly full. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import { kernels, placementOf } from '../../../src/kernels/memory.ts';
import { compose, identity, type Pose, rotation, translation, validatePose } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import type { ContactPair, Query } from '../../../src/query/report.ts';
import { buildKdopTree } from '../../../src/representations/kdop/build.ts';
import { checkKdopTrees } from '../../../src/representations/kdop/search/descent.ts';
import { facetTable } from '../../../src/representations/kdop/search/facets.ts';
import { groupBytesOf, groupsOf } from '../../../src/representations/kdop/search/groups.ts';
import { kernelOfKdopTrees } from '../../../src/representations/kdop/search/kernel.ts';
import { GROUP_COEFFICIENTS, GROUP_COUNT } from '../../../src/representations/kdop/search/layout.as.ts';
import { DOP_SIZES, type DopSize, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import type { KdopTree } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { checkByTwin, facetIn } from '../../kernels/twins/kdop.ts';
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

const NARROW_WIDTHS = [8, 11, 12, 15, 16];
const WIDE_WIDTHS = Array.from({ length: 20 }, (_, i) => 17 + i);

test('there are kernels', () => {
  expect(kernels()).not.toBeNull();
});

describe('kernel, twin and the traversal in doubles', () => {
  const meshes: [string, Mesh][] = [
    ['torus', long ? torus(24, 12) : torus(10, 5)],
    ['bumpy sphere', bumpySphere(7, long ? 2 : 1)],
    ['grid', grid(long ? 10 : 5)],
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

  test.each([
    ...some(1, [1, 2, 3, 4, 5, 6, 7, 8]).map((seed) => [seed, 'to 16 bits', NARROW_WIDTHS, NARROW_WIDTHS] as const),
    ...some(1, [11, 12, 13, 14]).map((seed) => [seed, '17 to 36 bits', WIDE_WIDTHS, WIDE_WIDTHS] as const),
    ...some(1, [21, 22]).map((seed) => [seed, 'narrow and wide', NARROW_WIDTHS, WIDE_WIDTHS] as const),
  ])('every pair of meshes, seed %i, %s', { tags: ['all', 'long'] }, (seed, _, widthsA, widthsB) => {
    const random = seeded(seed);
    let contacts = 0;
    for (const [, meshA] of meshes) {
      for (const [, meshB] of meshes) {
        const [a, b] = [
          buildKdopTree(meshA, { k: random.pick(DOP_SIZES), bits: random.pick(widthsA) }),
          buildKdopTree(meshB, { k: random.pick(DOP_SIZES), bits: random.pick(widthsB) }),
        ];
        const poseA = random.below(3) === 0 ? identity() : compose(translation(0.3, -2, 1), randomRotation(random));
        const poseB = compose(poseA, shifted(randomRotation(random), randomDirection(random), random.between(0, 1.2)));
        const axes = random.pick([null, null, 1, 3, (a.k + b.k) / 2]);
        contacts += expectEqual(a, b, poseA, poseB, axes);
        if (meshA === meshB) contacts += expectEqual(a, a, poseA, poseA) + expectEqual(b, a, poseB, poseB);
      }
    }
    expect(contacts).toBeGreaterThan(1000);
  });

  test.each([
    ...DOP_SIZES.map((k) => [k, 16] as const),
    ...WIDE_WIDTHS.map((bits, n) => [DOP_SIZES[n % DOP_SIZES.length], bits] as const),
  ])('where contact ends, k = %i, %i bits, seed k + bits', { tags: ['all', 'long'] }, (k, bits) => {
    const random = seeded(k + bits);
    const meshes = bits <= 16 || long ? [torus(24, 12), bumpySphere(3, 3)] : [torus(12, 6), bumpySphere(3, 1)];
    const [a, b] = meshes.map((mesh) => buildKdopTree(mesh, { k, bits }));
    for (let n = 0; n < (long ? 7 : 1); n++) {
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

  test.each([16, 35])('poses that are barely rigid, %i bits, seed 50', { tags: ['quick', 'long'] }, (bits) => {
    const random = seeded(50);
    const [a, b] = [torus(16, 8), bumpySphere(3, 2)].map((mesh) => buildKdopTree(mesh, { bits }));
    for (const factor of [1 + 4.99e-6, 1 - 4.99e-6]) {
      for (let n = 0; n < (long ? 4 : 2); n++) {
        const poseA = changed(randomRotation(random), (x) => x * factor);
        const start = changed(randomRotation(random), (x) => x / factor);
        const poses = nearContact(a, b, poseA, start, randomDirection(random));
        expect(expectEqual(a, b, poseA, poses[0])).toBeGreaterThan(0);
        expect(expectEqual(a, b, poseA, poses[1])).toBe(0);
      }
    }
  });

  test.each([16, 35])(
    'far from the origin, and trees of very different size, %i bits, seed 60',
    { tags: ['quick', 'long'] },
    (bits) => {
      const random = seeded(60);
      const blob = bumpySphere(7, long ? 2 : 1);
      const a = buildKdopTree(torus(16, 8), { bits });
      const away = buildKdopTree(
        mapped(blob, (x, y, z) => [x + 1e6, y - 3e6, z + 1e7]),
        { bits },
      );
      for (const far of [0, 1e5, 1e12]) {
        const poseB = compose(
          translation(far, far, 0),
          shifted(translation(-1e6, 3e6, -1e7), randomDirection(random), 1),
        );
        expectEqual(a, away, translation(far, far, 0), poseB);
      }
      expectEqual(a, away, identity(), translation(1e150, -1e150, 0));
      for (const exponent of long ? [5, 20, 33, 60, 400] : [5, 33, 400]) {
        const other = buildKdopTree(scaled(blob, 2 ** -exponent), { bits });
        // A vertex of a is in reach of it.
        const poseB = compose(translation(1.4, 0, 0), randomRotation(random));
        expectEqual(a, other, identity(), poseB);
        expectEqual(other, a, poseB, identity());
      }
      const beyond = buildKdopTree(scaled(blob, 2 ** -600), { bits });
      expect(byKernel(a, beyond, queryOf(identity(), identity()))).toBeUndefined();
    },
  );

  test('levels are left to the others', () => {
    for (const bits of [16, 17]) {
      const tree = buildKdopTree(octasphere(1), { bits });
      expect(byKernel(tree, tree, queryOf(identity(), identity(), { level: 2 }))).toBeUndefined();
    }
  });

  test('a narrow tree beside a wide one is placed twice, once each', () => {
    const [narrow, wide] = [16, 24].map((bits) => buildKdopTree(bumpySphere(1, 2), { bits }));
    const query = queryOf(identity(), translation(0.4, 0.1, 0));
    const own = byKernel(narrow, narrow, query);
    const placed = placementOf(narrow);
    expect(byKernel(narrow, wide, query)?.contacts).toEqual(own?.contacts);
    expect(byKernel(wide, narrow, query)?.contacts).toEqual(own?.contacts);
    expect(placementOf(narrow)).toBe(placed);
    expect(byKernel(narrow, narrow, query)).toEqual(own);
  });
});

describe('36 bits are worth 36', () => {
  // Two parts a millionth of the whole wide, among triangles that make the scale.
  const whole = [
    [0, 0, 0],
    [1, 0, 0],
    [0, 1, 0],
  ];
  const part = (seed: number): Mesh => {
    const { positions, triangles } = scaled(bumpySphere(seed, 1), 2 ** -20);
    const moved = positions.map((x, i) => x + [0.7, 0.6, 0.5][i % 3]);
    const count = positions.length / 3;
    return {
      positions: Float64Array.from([...moved, ...whole.flat()]),
      triangles: Uint32Array.from([...triangles, count, count + 1, count + 2]),
      groups: [],
    };
  };

  test.each([identity(), rotation(1, 2, 3, 40)])('small parts of large wholes: few pairs of triangles, %#', (turn) => {
    const poseA = compose(turn, translation(0, 0, 1));
    const poseB = compose(poseA, translation(2 ** -20, 2 ** -21, 0));
    const testsOf = (bits: number) => {
      const [a, b] = [part(1), part(2)].map((mesh) => buildKdopTree(mesh, { bits }));
      expectEqual(a, b, poseA, poseB);
      return byKernel(a, b, queryOf(poseA, poseB))?.tests.hulls ?? 0;
    };
    const [narrow, wide] = [testsOf(16), testsOf(36)];
    // At 16 bits each of the small triangles may meet each; at 36 they are told apart.
    expect(narrow).toBeGreaterThan(20 * wide);
    const [a, b] = [part(1), part(2)].map((mesh) => buildKdopTree(mesh, { bits: 36 }));
    const inDoubles = checkKdopTrees(a, b, queryOf(poseA, poseB))?.tests.hulls ?? 0;
    expect(wide).toBeLessThan(1.1 * inDoubles + 10);
  });
});

test('coefficients and weights as large as they come: 32 bits are enough, seed 70', { tags: ['quick', 'long'] }, () => {
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
    for (let n = 0; n < (long ? 12 : 6); n++) {
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

test('groups hold every triangle once, and below a node no coefficient is larger', { tags: ['all'] }, () => {
  for (const [k, isWide] of DOP_SIZES.flatMap((k) => [[k, false] as const, [k, true] as const])) {
    const tree = buildKdopTree(torus(20, 9), { k, bits: isWide ? 33 : 16 });
    const { groups, leaves } = groupsOf(tree);
    const bytes = groupBytesOf(k, isWide);
    const words = new Int32Array(groups.buffer, 0, groups.byteLength / 4);
    const numbers = isWide ? new Float64Array(groups.buffer) : new Int16Array(groups.buffer);
    const size = numbers.BYTES_PER_ELEMENT;
    const first = GROUP_COEFFICIENTS / size;
    const listed = Array.from({ length: leaves.length / 4 }, (_, leaf) => leaves[4 * leaf + 3]);
    expect(listed.toSorted((p, q) => p - q)).toEqual(listed.map((_, i) => i));
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
            const own = numbers[(group * bytes) / size + first + 4 * j + i];
            expect(numbers[(below * bytes) / size + first + 4 * j + c]).toBeLessThanOrEqual(own);
          }
        }
      }
    }
    expect(reached).toBe(listed.length);
  }
});
