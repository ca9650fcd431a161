/** How deep solids are in each other, against formulas and against brute force. */
import { describe, expect, test } from 'vitest';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { Random } from '../../src/math/random.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildObbTree } from '../../src/representations/obb/build/index.ts';
import { type PlacedBody, placeBody } from '../../src/solid/solid.ts';
import { reachOf, thicknessOf } from '../../src/solid/thickness.ts';
import { some } from '../support/long.ts';
import { box, icosphere, mapped, together } from '../support/shapes.ts';
import { cornersOf, fromAll, type Point, searchGrid } from './depth-oracle.ts';
import { holds, movedBack, poseOf, randomGridPose, randomSolid, surfaceOf } from './kuhn.ts';

const placed = (mesh: Mesh, pose: Pose = identity()): PlacedBody => placeBody(buildObbTree(mesh), pose);
const shifted = (mesh: Mesh, x: number, y: number, z: number): Mesh => mapped(mesh, (p, q, r) => [p + x, q + y, r + z]);
const turned = (mesh: Mesh): Mesh => ({ ...mesh, triangles: mesh.triangles.slice().reverse() });

/** The bracket holds what is true, and is as narrow as is asked for. */
function expectBracket({ lower, upper }: { lower: number; upper: number }, truth: number, relative = 0.01): void {
  expect(lower).toBeLessThanOrEqual(truth * (1 + 1e-12));
  expect(upper).toBeGreaterThanOrEqual(truth * (1 - 1e-12));
  expect(upper - lower).toBeLessThanOrEqual(relative * upper * (1 + 1e-12));
}

const someMoves = [identity(), rotation(1, 2, 3, 30), compose(translation(100, -20, 7), rotation(-3, 1, 2, 111))];

describe.each(someMoves.map((pose, n) => [n, pose] as const))('in frame %i', (_, frame) => {
  test.each([
    [1, 1, 1, [0.25, 0.125, 0.0625], 0.75],
    [3, 0.25, 2, [0.5, 0.1875, 0.25], 0.0625],
    [1, 1, 1, [0.9, 0.8, 0.95], 0.05],
    [2, 3, 4, [0, 0, 0], 2],
  ])('two boxes of %d x %d x %d share a box', (w, h, d, by, thickness) => {
    const a = placed(box(w, h, d), frame);
    const b = placed(box(w, h, d), compose(frame, translation(by[0], by[1], by[2])));
    const found = thicknessOf(a, b, {});
    expectBracket(found, thickness);
    expectBracket(thicknessOf(b, a, {}), thickness);
    expectBracket(thicknessOf(a, b, { relative: 1e-5 }), thickness, 1e-5);
    expect(thicknessOf(a, b, {})).toEqual(found);
  });
});

test.each([0.01, 0.25, 0.5])('a post that is sunk by %d reaches so far, and the ground half the post', (by) => {
  const frame = rotation(1, 2, 3, 30);
  const ground = placed(box(10), frame);
  const post = placed(box(1, 1, 3), compose(frame, translation(0.25, 0.5, 6.5 - by)));
  const reach = reachOf(post, ground, {});
  expect(reach.lower).toBeLessThanOrEqual(by * (1 + 1e-9));
  expect(reach.upper).toBeGreaterThanOrEqual(by * (1 - 1e-9));
  const back = reachOf(ground, post, {});
  expect(back.lower).toBeLessThanOrEqual(Math.min(by, 0.5) * (1 + 1e-9));
  expect(back.upper).toBeGreaterThanOrEqual(Math.min(by, 0.5) * (1 - 1e-9));
  expectBracket(thicknessOf(post, ground, {}), by);
});

test('a box in a shell of a box is as thick as the wall', () => {
  const shell = together(box(4), turned(box(2)));
  const a = placed(shell);
  // In the corners it is thicker: a ball at three faces and the inner corner.
  const corner = (2 * Math.sqrt(3)) / (1 + Math.sqrt(3));
  expectBracket(thicknessOf(a, placed(box(8)), {}), corner);
  expectBracket(thicknessOf(placed(box(8)), a, {}), corner);
  expectBracket(thicknessOf(a, placed(box(2), translation(0, 0, 0.5)), {}), 0.5);
});

test('a mesh of two boxes that cross, in a larger one: what is inside counts for nothing', () => {
  const a = placed(together(box(2), shifted(box(2), 1, 1, 1)));
  const b = placed(box(8));
  const { lower, upper } = thicknessOf(a, b, {});
  // The largest ball of the two touches three faces of each and is seen from both: more than 2.
  expect(lower).toBeGreaterThan(0);
  expect(lower).toBeLessThanOrEqual(upper);
  expect(upper).toBeGreaterThanOrEqual(2);
});

test('it is told at once on which side of a length a thickness is', () => {
  const a = placed(icosphere(3));
  const b = placed(icosphere(3), translation(1.2, 0.3, 0.1));
  const { lower, upper } = thicknessOf(a, b, { relative: 1e-3 });
  for (const until of [0.01, 0.5 * lower, 0.99 * lower, 1.01 * upper, 2 * upper]) {
    const found = thicknessOf(a, b, { until });
    expect(found.lower > until || found.upper <= until).toBe(true);
    expect(found.lower).toBeLessThanOrEqual(upper);
    expect(found.upper).toBeGreaterThanOrEqual(lower);
  }
});

test('two balls, against a grid', { tags: ['all'] }, () => {
  const mesh = icosphere(2);
  const corners = cornersOf(mesh);
  const by = [1.1, 0.3, -0.2];
  const a = placed(mesh);
  const b = placed(mesh, translation(by[0], by[1], by[2]));
  const other = cornersOf(shifted(mesh, by[0], by[1], by[2]));
  const { lower, upper, centre } = thicknessOf(a, b, {});
  expect(Math.min(fromAll(corners, centre!), fromAll(other, centre!))).toBeGreaterThanOrEqual(lower / 2 - 1e-12);
  const inBall = (p: Point, q: Point): boolean => (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 + (p[2] - q[2]) ** 2 < 0.9;
  const depth = (p: Point): number =>
    inBall(p, [0, 0, 0]) && inBall(p, by) ? Math.min(fromAll(corners, p), fromAll(other, p)) : 0;
  const { found, within } = searchGrid(depth, [0.3, -0.5, -0.5], [0.8, 0.7, 0.5], 8);
  expect(upper).toBeGreaterThanOrEqual(2 * found);
  expect(lower).toBeLessThanOrEqual(2 * (found + within));
  expect(upper - lower).toBeLessThanOrEqual(0.01 * upper);
});

const seeds = Array.from({ length: 40 }, (_, k) => k + 1);

test.each(some(3, seeds))(
  'random solids on a grid, against a finer one, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 3; n++) {
      const solids = [randomSolid(random, 2, 0.8, n === 0), randomSolid(random, 1 + (n % 2), 0.9, false)];
      const [a, b] = solids;
      if (a.tetrahedra.size === 0 || b.tetrahedra.size === 0) continue;
      const pose = randomGridPose(random, 1);
      const placedB = placed(surfaceOf(b), poseOf(pose));
      const [first, second] = [cornersOf(surfaceOf(a)), cornersOf(surfaceOf(b))];
      const depths = (p: Point): [number, number] => {
        const back = movedBack(pose, p);
        return holds(a, p) && holds(b, back) ? [fromAll(first, p), fromAll(second, back)] : [0, 0];
      };
      const placedA = placed(surfaceOf(a));
      const goal = { relative: 0.02 };
      const thickness = searchGrid((p) => Math.min(...depths(p)), [0, 0, 0], [2, 2, 2], 10);
      const found = thicknessOf(placedA, placedB, goal);
      // The oracle knows of no point on a plane of the grid.
      const beside = found.centre?.map((x, k) => x + [1e-9, 3e-9, 7e-9][k]);
      if (beside) expect(Math.min(...depths(beside))).toBeGreaterThanOrEqual(found.lower / 2 - 1e-8);
      expect(found.upper).toBeGreaterThanOrEqual(2 * Math.max(0, thickness.found));
      expect(found.lower).toBeLessThanOrEqual(2 * (thickness.found + thickness.within));
      const reach = searchGrid((p) => depths(p)[1], [0, 0, 0], [2, 2, 2], 10);
      const reached = reachOf(placedA, placedB, goal);
      expect(reached.upper).toBeGreaterThanOrEqual(Math.max(0, reach.found));
      expect(reached.lower).toBeLessThanOrEqual(reach.found + reach.within);
    }
  },
);
