/** What the page is shown of a query's visits: counts that the query has, volumes of one level, in singles that are about an origin of their own. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { OptionError } from '../../src/base/errors.ts';
import { check } from '../../src/engine/prepared.ts';
import type { Visit } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { identity, type Pose, translation } from '../../src/math/pose.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import type { Shape } from '../../src/viewer/protocol.ts';
import { visitsOf } from '../../src/viewer/visits.ts';
import { BUILDERS } from '../support/builders.ts';
import { ball, objectFrom } from '../support/frep-programs.ts';
import { bumpySphere, mapped } from '../support/shapes.ts';

const built = (name: string, options: object, far = 0): Asset =>
  BUILDERS[name].build(
    mapped(bumpySphere(7, 2), (x, y, z) => [x + far, y, z]),
    options,
  );
const kinds: Asset[] = [
  built('gi', { size: 33 }),
  built('kdop', {}),
  built('obb', {}),
  built('voxel', { precision: 0.1 }),
  objectFrom((to) => ball(to, 0.9), { resolution: 5 }),
];
const pairs = kinds.flatMap((a) => kinds.map((b) => ({ name: `${a.representation} x ${b.representation}`, a, b })));
const poses = (x: number): { poseA: Pose; poseB: Pose } => ({ poseA: identity(), poseB: translation(x, 0.1, 0) });

/** How far a shape is from these positions, which copies at sharp edges may follow. */
function errorOf({ origin, positions }: Shape, expected: ArrayLike<number>): number {
  if (positions.length < expected.length) return Number.POSITIVE_INFINITY;
  const own = positions.subarray(0, expected.length);
  return own.reduce((most, x, i) => Math.max(most, Math.abs(origin[i % 3] + x - expected[i])), 0);
}

test.each(pairs)(
  '$name: counts are those of the query, volumes those of its nodes on the level',
  { tags: ['all'] },
  ({ a, b }) => {
    const where = poses(1.5);
    const visits: Visit[] = [];
    const { tests } = check(a, b, { ...where, onVisit: (visit) => visits.push(visit) });
    const first = visitsOf(a, b, where, 0);
    expect(first.tests).toEqual(tests);
    expect(first.levels.reduce((sum, count) => sum + count, 0)).toBe(tests.bounds);
    expect(first.levels.every((count) => count > 0)).toBe(true);
    for (const [level, count] of first.levels.entries()) {
      const found = visitsOf(a, b, where, level);
      expect(found).toMatchObject({ tests, levels: first.levels, isCut: false });
      const nodes = visits.filter((visit) => visit.kind === 'nodes' && Math.max(visit.levelA, visit.levelB) === level);
      expect(nodes.length).toBe(count);
      for (const [asset, shape, side] of [
        [a, found.a, 'a'],
        [b, found.b, 'b'],
      ] as const) {
        const { positions } = representationOf(asset).own!.volumes!(asset, [
          ...new Set(nodes.map((node) => node[side])),
        ]);
        expect(errorOf(shape, positions)).toBeLessThan(1e-6);
        expect(shape.triangles.length).toBeGreaterThan(0);
      }
    }
    const beyond = visitsOf(a, b, where, first.levels.length);
    expect([beyond.a, beyond.b].map(({ positions }) => positions.length)).toEqual([0, 0]);
    expect(beyond.trianglesA).toEqual(first.trianglesA);
    expect(visitsOf(a, b, where, 0)).toEqual(first);
  },
);

test.each(pairs.slice(0, 1))(
  '$name: the front has of every visited branch the last nodes, and no node below another',
  ({ a, b }) => {
    const at = (x: number): [coarse: number, fine: number] => {
      const { poseA, poseB } = poses(x);
      const parents = new Map<number, Set<number>>();
      const visited = new Set<number>();
      const onVisit = (visit: Visit) => visit.kind === 'nodes' && visited.add(visit.a);
      check(a, b, { poseA, poseB, bounds: 'spheres', onVisit });
      // The oracle asks every visited node for its children, and not the tree of the page.
      for (const node of visited) {
        const children = new Set<number>();
        const into = { size: 0, bounds: new Float64Array(16 * 8), branch, leaf };
        function branch(child: number): number {
          children.add(child);
          return 16 * into.size++;
        }
        function leaf(first: number, _: number, child = ~first): number {
          return branch(child);
        }
        representationOf(a).unfold(a, node, into);
        parents.set(node, children);
      }
      const front = [...visited].filter((node) => [...parents.get(node)!].every((child) => !visited.has(child)));
      const spheres = representationOf(a).own!.volumes!(a, front);
      const drawn = visitsOf(a, b, { poseA, poseB }, 'front');
      expect(drawn.a.triangles.length).toBe(spheres.triangles.length);
      return [front.length, visited.size];
    };
    // As b comes nearer, the front has more nodes.
    const counts = [4, 1.95, 1.8].map((x) => at(x)[0]);
    expect(counts[0]).toBe(1);
    expect(counts[1]).toBeGreaterThan(counts[0]);
    expect(counts[2]).toBeGreaterThan(counts[1]);
  },
);

test('triangles are those that were tested, each once', () => {
  const [, kdop] = kinds;
  const hulls = new Set<number>();
  const onVisit = (visit: Visit) => visit.kind === 'hulls' && hulls.add(visit.a);
  check(kdop, kdop, { ...poses(1.5), onVisit });
  const { trianglesA } = visitsOf(kdop, kdop, poses(1.5), 3);
  expect(trianglesA.triangles.length / 3).toBe(hulls.size);
  const { positions, triangles } = representationOf(kdop).surface(kdop);
  const corners = Array.from(hulls).flatMap((t) => [0, 1, 2].map((k) => 3 * triangles[3 * t + k]));
  const expected = corners.flatMap((v) => Array.from(positions.subarray(v, v + 3)));
  expect(errorOf(trianglesA, expected)).toBeLessThan(1e-6);
});

test('far from its origin a shape is as fine as near it', () => {
  const far = built('obb', {}, 1e6);
  const [near, away] = [kinds[2], far].map((asset) => visitsOf(asset, asset, poses(1.5), 4).a);
  expect(away.origin[0]).toBeCloseTo(near.origin[0] + 1e6, 3);
  // What is left is the rounding of doubles there.
  expect(away.positions.length).toBe(near.positions.length);
  expect(away.positions.every((x, i) => Math.abs(x - near.positions[i]) < 1e-5)).toBe(true);
});

test('apart at the root nothing else is visited', () => {
  for (const { a, b } of pairs) {
    const { levels, tests, trianglesA } = visitsOf(a, b, poses(9), 0);
    expect(levels).toEqual([1]);
    expect(tests).toEqual({ bounds: 1, hulls: 0 });
    expect(trianglesA).toEqual({ origin: [0, 0, 0], positions: new Float32Array(0), triangles: new Uint32Array(0) });
  }
});

test('what is too much to draw is cut and counted', { tags: ['long'] }, () => {
  const shell = (radius: number): Asset =>
    BUILDERS.obb.build(
      mapped(bumpySphere(7, 5), (x, y, z) => [radius * x, radius * y, radius * z]),
      {},
    );
  const [a, b] = [shell(1), shell(1.0003)];
  const where = { poseA: identity(), poseB: identity() };
  const { levels, trianglesA, isCut, tests } = visitsOf(a, b, where, 0);
  expect(isCut).toBe(true);
  expect(trianglesA.triangles.length).toBe(3 * 10_000);
  expect(levels.reduce((sum, count) => sum + count, 0)).toBe(tests.bounds);
});

test('what is no pose is refused', () => {
  const [a] = kinds;
  expect(() => visitsOf(a, a, { poseA: [1], poseB: identity() }, 0)).toThrow(OptionError);
});
