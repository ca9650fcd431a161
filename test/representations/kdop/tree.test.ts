/** What is built: every coefficient needed and enough, one shape of tree for all widths, pictures that hold the mesh; and what is refused. */
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/api.ts';
import { MeshError, OptionError } from '../../../src/base/errors.ts';
import { check } from '../../../src/engine/prepared.ts';
import { orient3d } from '../../../src/geometry/orient.ts';
import { translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { encodeKdopTree } from '../../../src/representations/kdop/format.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { DOP_SIZES, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import {
  depthOfKdopTree,
  dopMesh,
  isLeaf,
  type KdopTree,
  largestCoefficient,
  quantumOf,
  target,
} from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { verifyKdopTree } from '../../../src/representations/kdop/tree/verify.ts';
import { long } from '../../support/long.ts';
import { commonIntegers } from '../../support/rational.ts';
import { bumpySphere, mapped, signedVolume } from '../../support/shapes.ts';
import { analyseTopology } from '../../support/topology.ts';

const meshOf = (positions: number[], triangles: number[]): Mesh => ({
  positions: Float64Array.from(positions),
  triangles: Uint32Array.from(triangles),
  groups: [],
});

const one = meshOf([0, 0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 2]);

const MESHES: [string, Mesh][] = [
  ['bumpy sphere, seed 61', bumpySphere(61, 1)],
  ['one triangle', one],
  ['one point, three times', meshOf([3, 4, 5], [0, 0, 0])],
  ['the origin, three times', meshOf([0, 0, 0], [0, 0, 0])],
  ['a segment and a point', meshOf([0, 0, 0, 1, 2, 3], [0, 0, 1, 1, 1, 1])],
  [
    'a hundred times the same',
    meshOf(
      [...one.positions],
      Array.from({ length: 300 }, (_, i) => i % 3),
    ),
  ],
  [
    'collinear',
    meshOf(
      Array.from({ length: 90 }, (_, i) => ((i / 3) | 0) * [1, 2, -1][i % 3]),
      Array.from({ length: 84 }, (_, i) => ((i / 3) | 0) + (i % 3)),
    ),
  ],
  ['a vertex that no triangle has', meshOf([...one.positions, 1e90, -1e90, 0], [0, 1, 2])],
  ['tiny', mapped(bumpySphere(62, 1), (x, y, z) => [1e-200 * x, 1e-200 * y, 1e-200 * z])],
  ['huge', mapped(bumpySphere(63, 1), (x, y, z) => [1e99 * x, 1e99 * y, 1e99 * z])],
  ['far from the origin', mapped(bumpySphere(64, 1), (x, y, z) => [x + 1e7, y - 3e6, z])],
];

/** Whether D_i . (x - o) <= d_i q for every corner of every triangle below every node, on rationals. */
function expectContained(tree: KdopTree): void {
  const { k, coefficients, links, positions, triangles, origin } = tree;
  const { vectors } = dopDirections(tree.k);
  const whole = commonIntegers([1, quantumOf(tree), ...origin, ...vectors, ...positions]);
  const step = whole[0] * whole[1];
  const heights = new Map<number, bigint[]>();
  const heightsOf = (v: number): bigint[] => {
    const known = heights.get(v);
    if (known) return known;
    const row = Array.from({ length: k }, (_, i) =>
      [0, 1, 2].reduce((sum, r) => sum + whole[5 + 3 * i + r] * (whole[5 + 3 * k + 3 * v + r] - whole[2 + r]), 0n),
    );
    heights.set(v, row);
    return row;
  };
  const walk = (node: number): Set<number> => {
    const vertices = new Set<number>();
    const aim = target(links[node]);
    if (isLeaf(links[node])) for (const v of triangles.subarray(3 * aim, 3 * aim + 3)) vertices.add(v);
    else for (const child of [aim, aim + 1]) for (const v of walk(child)) vertices.add(v);
    for (const v of vertices) {
      const row = heightsOf(v);
      for (let i = 0; i < k; i++) {
        if (row[i] > BigInt(coefficients[k * node + i]) * step) {
          throw new Error(`coefficient ${i} of node ${node} leaves out vertex ${v}`);
        }
      }
    }
    return vertices;
  };
  walk(0);
}

describe.each([
  [6, 8],
  [14, 36],
  [18, 19],
  [24, 16],
  [26, 27],
] as const)('%i directions of %i bits', (k, bits) => {
  test.each(MESHES)('every k-DOP holds what is below it: %s', { tags: ['all'] }, (_, mesh) => {
    const tree = buildKdopTree(mesh, { k, bits });
    expect(tree.links.length).toBe((2 * mesh.triangles.length) / 3 - 1);
    expect(tree.coefficients.length).toBe(k * tree.links.length);
    const most = largestCoefficient(bits);
    for (const coefficient of tree.coefficients) expect(Math.abs(coefficient)).toBeLessThanOrEqual(most);
    expectContained(tree);
    expect(verifyKdopTree(tree)).toEqual({ checked: tree.links.length, what: 'k-DOPs', problems: [] });
    expect([...tree.triangles]).toEqual([...mesh.triangles]);
    expect([...tree.positions]).toEqual([...mesh.positions]);
    expect(tree.positions).toBeInstanceOf(
      mesh.positions.every((x) => Math.fround(x) === x) ? Float32Array : Float64Array,
    );
  });

  test('any coefficient less by 1 is found by verify, at its node', () => {
    const tree = buildKdopTree(bumpySphere(71, 0), { k, bits });
    for (let at = 0; at < tree.coefficients.length; at++) {
      const coefficients = tree.coefficients.slice();
      coefficients[at]--;
      const node = Math.floor(at / k);
      const { problems } = verifyKdopTree({ ...tree, coefficients });
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems) {
        const what = isLeaf(tree.links[node]) ? `triangle ${target(tree.links[node])}` : 'that of its child \\d+';
        expect(problem).toMatch(new RegExp(`^the k-DOP of node ${node} does not hold ${what}$`));
      }
    }
  });

  test('a coefficient more by 1 is loose at a leaf, and missing in its parent', () => {
    const tree = buildKdopTree(bumpySphere(72, 0), { k, bits });
    const parents = new Map(
      [...tree.links.keys()]
        .filter((node) => !isLeaf(tree.links[node]))
        .flatMap((node) => [0, 1].map((c) => [target(tree.links[node]) + c, node] as const)),
    );
    for (let at = k; at < tree.coefficients.length; at++) {
      const coefficients = tree.coefficients.slice();
      coefficients[at]++;
      const node = Math.floor(at / k);
      const parent = parents.get(node) as number;
      const exceeds = coefficients[at] > coefficients[k * parent + (at % k)];
      expect(verifyKdopTree({ ...tree, coefficients }).problems).toEqual(
        exceeds ? [`the k-DOP of node ${parent} does not hold that of its child ${node}`] : [],
      );
    }
  });

  test('parents have the largest of their children', () => {
    const { links, coefficients } = buildKdopTree(bumpySphere(73, 2), { k, bits });
    const expected = coefficients.map((own, at) => {
      const link = links[Math.floor(at / k)];
      const child = k * target(link) + (at % k);
      return isLeaf(link) ? own : Math.max(coefficients[child], coefficients[child + k]);
    });
    expect(coefficients).toEqual(expected);
  });

  test('moved triangles are found by verify', () => {
    const tree = buildKdopTree(bumpySphere(74, 1), { k, bits });
    for (const v of [0, 20, 41]) {
      const positions = Float64Array.from(tree.positions);
      positions[3 * v] += 2 ** (tree.exponent + 1);
      const { problems } = verifyKdopTree({ ...tree, positions });
      const owners = [...tree.triangles.keys()].filter((c) => tree.triangles[c] === v).map((c) => Math.floor(c / 3));
      const found = problems.map((problem) => Number(/triangle (\d+)$/.exec(problem)?.[1]));
      expect(found.sort((a, b) => a - b)).toEqual(owners);
    }
  });
});

test('the shape of the tree is one for all k and bits, and a build is one for all times', {
  tags: ['quick', 'long'],
}, async () => {
  const mesh = bumpySphere(75, long ? 2 : 1);
  const { links } = buildKdopTree(mesh);
  for (const k of DOP_SIZES) {
    for (const bits of [8, 16, 19, 24, 35]) expect(buildKdopTree(mesh, { k, bits }).links).toEqual(links);
  }
  expect(await encodeKdopTree(buildKdopTree(mesh))).toEqual(
    await encodeKdopTree(buildKdopTree(bumpySphere(75, long ? 2 : 1))),
  );
});

test('coefficients of more bits lie between the same numbers of fewer', () => {
  const mesh = bumpySphere(76, 1);
  const [coarse, fine] = [12, 30].map((bits) => buildKdopTree(mesh, { bits }));
  expect(coarse.exponent).toBe(fine.exponent);
  coarse.coefficients.forEach((coefficient, at) => {
    const exact = fine.coefficients[at] * 2 ** -18;
    expect(coefficient).toBe(Math.ceil(exact));
  });
});

test('24 directions of 16 bits are the defaults', () => {
  expect(buildKdopTree(one)).toMatchObject({ k: 24, bits: 16, header: { options: { k: 24, bits: 16 } } });
  expect(build(one, { format: 'kdop', k: 6, bits: 9 })).toMatchObject({ representation: 'kdop', k: 6, bits: 9 });
});

test.each<[object, string]>([
  [{ k: 16 }, 'k 16: expected 6, 14, 18, 24 or 26'],
  [{ k: 0 }, 'k 0: expected 6, 14, 18, 24 or 26'],
  [{ k: Number.NaN }, 'k NaN: expected 6, 14, 18, 24 or 26'],
  [{ k: '24' }, 'k 24: expected 6, 14, 18, 24 or 26'],
  [{ bits: 7 }, 'bits 7: expected 8 to 36'],
  [{ bits: 37 }, 'bits 37: expected 8 to 36'],
  [{ bits: 16.5 }, 'bits 16.5: expected 8 to 36'],
  [{ bits: '16' }, 'bits 16: expected 8 to 36'],
])('%j is refused', (options, message) => {
  expect(() => buildKdopTree(one, options)).toThrow(new OptionError(message));
});

test.each<[string, Mesh, RegExp]>([
  ['no triangles', meshOf([0, 0, 0], []), /^expected triangles, found none$/],
  ['a coordinate beyond 1e100', meshOf([0, 0, 0, 1, 0, 0, 0, 2e100, 0], [0, 1, 2]), /found 2e\+100: scale the mesh$/],
  ['NaN', meshOf([0, 0, 0, 1, 0, 0, 0, Number.NaN, 0], [0, 1, 2]), /found NaN/],
  ['infinity, at no triangle', meshOf([...one.positions, 0, -1 / 0, 0], [0, 1, 2]), /found -Infinity/],
])('%s: refused', (_, mesh, message) => {
  expect(() => buildKdopTree(mesh)).toThrow(MeshError);
  expect(() => buildKdopTree(mesh)).toThrow(message);
});

describe('a level as a surface', () => {
  /** Connected pieces, each with numbers of its own; polytopes come one after the other. */
  function pieces({ positions, triangles }: Surface): Surface[] {
    const lowest = new Uint32Array(triangles.length / 3);
    for (let t = lowest.length - 1, low = Number.POSITIVE_INFINITY; t >= 0; t--) {
      low = Math.min(low, ...triangles.subarray(3 * t, 3 * t + 3));
      lowest[t] = low;
    }
    const found: Surface[] = [];
    let [start, first, last] = [0, 0, -1];
    for (let t = 0; t <= lowest.length; t++) {
      // What follows has no vertex that was before.
      if (t > 0 && (t === lowest.length || lowest[t] > last)) {
        found.push({
          positions: Float64Array.from(positions.subarray(3 * first, 3 * last + 3)),
          triangles: Uint32Array.from(triangles.subarray(3 * start, 3 * t), (v) => v - first),
        });
        [start, first] = [t, last + 1];
      }
      if (t < lowest.length) last = Math.max(last, ...triangles.subarray(3 * t, 3 * t + 3));
    }
    return found;
  }

  /** But for slivers, whose planes are rounding's: where four faces nearly meet in a corner. */
  function holds({ positions, triangles }: Surface, point: Float64Array): boolean {
    const along = (from: number, to: number) => [0, 1, 2].map((r) => positions[to + r] - positions[from + r]);
    const size = positions.reduce((most, x, i) => Math.max(most, Math.abs(x - positions[i % 3])), 0);
    for (let c = 0; c < triangles.length; c += 3) {
      const [p, q, r] = [3 * triangles[c], 3 * triangles[c + 1], 3 * triangles[c + 2]];
      const [u, v] = [along(p, q), along(p, r)];
      const area = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
      if (area < 1e-10 * size * size) continue;
      if (orient3d(point, 0, positions, p, positions, q, positions, r) > 0) return false;
    }
    return true;
  }

  test.each([
    [6, 12, bumpySphere(77, long ? 1 : 0)],
    [18, 16, mapped(bumpySphere(78, long ? 1 : 0), (x, y, z) => [x + 100, y, z / 1000])],
    [26, 20, bumpySphere(79, 0)],
    [14, 8, one],
    [24, 36, meshOf([3, 4, 5], [0, 0, 0])],
  ] as const)(
    '%i directions of %i bits: closed polytopes, each triangle in one of them',
    { tags: ['all', 'long'] },
    (k, bits, mesh) => {
      const tree = buildKdopTree(mesh, { k, bits });
      const depth = depthOfKdopTree(tree);
      const { positions } = tree;
      for (let level = 0; level <= depth; level++) {
        const polytopes = pieces(dopMesh(tree, level));
        for (const polytope of polytopes) {
          expect(analyseTopology(polytope)).toMatchObject({
            components: 1,
            closed: true,
            consistentlyOriented: true,
            genus: 0,
            nonManifoldVertices: 0,
          });
          expect(signedVolume(polytope)).toBeGreaterThan(0);
        }
        if (level === 0) expect(polytopes.length).toBe(1);
        if (level === depth) expect(polytopes.length).toBe(mesh.triangles.length / 3);
        for (let c = 0; c < mesh.triangles.length; c += 3) {
          const corners = [0, 1, 2]
            .map((m) => 3 * mesh.triangles[c + m])
            .map((v) => Float64Array.from(positions.subarray(v, v + 3)));
          expect(polytopes.some((polytope) => corners.every((corner) => holds(polytope, corner)))).toBe(true);
        }
      }
      for (const level of [-1, 0.5, depth + 1]) expect(() => dopMesh(tree, level)).toThrow(OptionError);
    },
  );
});

describe('axes', () => {
  const [a, b] = [buildKdopTree(bumpySphere(81, 2), { k: 14 }), buildKdopTree(bumpySphere(82, 2), { k: 18 })];

  test('as many as are asked for: the same verdict and list, fewer leave more pairs', () => {
    for (const x of [1, 1.9, 2.1, 5]) {
      const poseB = translation(x, 0.1, -0.2);
      const whole = check(a, b, { poseB, all: true });
      let before = Number.POSITIVE_INFINITY;
      for (const axes of [1, 3, 8, 16]) {
        const report = check(a, b, { poseB, all: true, axes });
        expect(report).toMatchObject({ verdict: whole.verdict, contacts: whole.contacts, path: 'native' });
        expect(report.tests.bounds).toBeLessThanOrEqual(before);
        before = report.tests.bounds;
      }
      expect(before).toBe(whole.tests.bounds);
    }
  });

  test.each([0, -1, 17, 2.5, Number.NaN])('%d is refused', (axes) => {
    expect(() => check(a, b, { axes })).toThrow(new OptionError(`axes ${axes}: expected a whole number from 1 to 16`));
  });

  test('of others than two k-DOP trees: refused', () => {
    const tree = build(bumpySphere(83, 1), { format: 'obb' });
    for (const [p, q] of [
      [a, tree],
      [tree, b],
      [tree, tree],
    ]) {
      expect(() => check(p, q, { axes: 3 })).toThrow(new OptionError('axes: both must be k-DOP trees, found obb'));
    }
  });
});
