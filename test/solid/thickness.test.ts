/** How deep solids are in each other, against formulas and against brute force. */
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { Random } from '../../src/math/numbers.ts';
import { compose, identity, movePoint, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { refineThickness } from '../../src/solid/class-of.ts';
import { type PlacedBody, placeBody } from '../../src/solid/solid.ts';
import { reachOf, ThicknessSearch, thicknessOf } from '../../src/solid/thickness.ts';
import { randomRotation } from '../support/agreement.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, mapped, together, torus } from '../support/shapes.ts';
import { cornersOf, deepestIn, fromAll, halfSpacesOf, type Point, searchGrid } from './depth-oracle.ts';
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

test('a mesh of two boxes that cross, in a larger one: what is inside counts for nothing', { tags: ['all'] }, () => {
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

const shapes = [
  icosphere(2),
  box(1, 2, 0.5),
  together(box(2), shifted(box(2), 3, 0, 0)),
  bumpySphere(3, 2),
  torus(12, 8),
];

/** Ten pairs that share space. */
function* overlaps(seed: number): Generator<[Mesh, Mesh, Pose]> {
  const random = seeded(seed);
  for (let n = 0; n < 10; ) {
    const at = [0, 1, 2].map(() => random.between(-1, 1));
    const pose = compose(translation(at[0], at[1], at[2]), randomRotation(random));
    const [a, b] = [random.pick(shapes), random.pick(shapes)];
    if (thicknessOf(placed(a), placed(b, pose), { until: 0.01 }).lower <= 0.01) continue;
    n++;
    yield [a, b, pose];
  }
}

describe.each(
  some(
    [1, 4],
    Array.from({ length: 10 }, (_, n) => n + 1),
  ),
)('fifty pairs, seed %i', (seed) => {
  test('a search goes on for a finer goal, and holds what another one finds', () => {
    for (const [meshA, meshB, pose] of overlaps(seed)) {
      const bodies = [placed(meshA), placed(meshB, pose)] as const;
      const fine = thicknessOf(...bodies, { relative: 0.01 });
      const search = new ThicknessSearch(...bodies);
      let before = { lower: 0, upper: Number.POSITIVE_INFINITY };
      for (const relative of [0.09, 0.01, 1e-3]) {
        const found = search.refine({ relative });
        expect(found.isNarrow).toBe(true);
        expect(found.upper - found.lower).toBeLessThanOrEqual(relative * found.upper);
        expect(found.lower).toBeGreaterThanOrEqual(before.lower * (1 - 1e-12));
        expect(found.upper).toBeLessThanOrEqual(before.upper * (1 + 1e-12));
        expect(found.lower).toBeLessThanOrEqual(fine.upper);
        expect(found.upper).toBeGreaterThanOrEqual(fine.lower);
        before = found;
      }
      expect(new ThicknessSearch(...bodies).refine({ relative: 0.01 })).toEqual(fine);
    }
  });

  test('a comparison is decided as the fine bracket has it, and never the other way', () => {
    for (const [meshA, meshB, pose] of overlaps(seed + 100)) {
      const [a, b] = [buildObbTree(meshA), buildObbTree(meshB)];
      const bodies = [placeBody(a, identity()), placeBody(b, pose)] as const;
      const fine = thicknessOf(...bodies, { relative: 0.01 });
      const coarse = thicknessOf(...bodies, { relative: 0.09 });
      for (const length of [0.8, 0.97, 1, 1.03, 1.2].map((part) => part * fine.upper)) {
        for (const known of [coarse, null]) {
          const { lower, upper } = refineThickness([a, b], { poseA: identity(), poseB: pose }, length, known)!;
          expect(lower > length || upper <= length).toBe(true);
          if (fine.upper <= length) expect(upper).toBeLessThanOrEqual(length);
          if (fine.lower > length) expect(lower).toBeGreaterThan(length);
        }
      }
    }
  });
});

test('two balls, against a grid', { tags: ['long'] }, () => {
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

/** A channel of 4 x 2 x 4 with walls of 0.5, open above. */
function channel(): Mesh {
  const outline = [0, 0, 4, 0, 4, 2, 3.5, 2, 3.5, 0.5, 0.5, 0.5, 0.5, 2, 0, 2];
  const caps = [0, 1, 4, 0, 4, 5, 1, 2, 3, 1, 3, 4, 0, 5, 6, 0, 6, 7];
  const positions: number[] = [];
  for (const z of [0, 4]) for (let v = 0; v < 16; v += 2) positions.push(outline[v], outline[v + 1], z);
  const triangles: number[] = [];
  for (let c = 0; c < caps.length; c += 3) {
    triangles.push(caps[c], caps[c + 2], caps[c + 1], ...caps.slice(c, c + 3).map((v) => v + 8));
  }
  for (let v = 0; v < 8; v++) {
    const next = (v + 1) % 8;
    triangles.push(v, next, next + 8, v, next + 8, v + 8);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** A bar that fills the channel, and is sunk by so much into its floor and walls. */
const bar = (by: number): Mesh =>
  mapped(box(1), (x, y, z) => [2 + (3 + 2 * by) * x, 1 - by / 2 + (1 + by) * y, 2 + 4 * z]);

const turnedBy = (mesh: Mesh, pose: Pose): Mesh => {
  const positions = new Float64Array(mesh.positions.length);
  for (let c = 0; c < positions.length; c += 3)
    movePoint(pose, mesh.positions[c], mesh.positions[c + 1], mesh.positions[c + 2], positions, c);
  return { ...mesh, positions };
};

describe('a bar in a channel', () => {
  const turns = [identity(), rotation(0, 0, 1, 17), rotation(1, 2, 3, 17), rotation(-2, 1, 1, 101)];
  const relatives = [0.01, 1e-6];
  const both = (by: number, turn: Pose): [string, PlacedBody, PlacedBody][] => [
    ['poses', placed(channel(), turn), placed(bar(by), turn)],
    ['meshes', placed(turnedBy(channel(), turn)), placed(turnedBy(bar(by), turn))],
  ];

  /** What is rounding alone is told to be thin. */
  const expectThin = (turn: Pose): void => {
    for (const [, a, b] of both(0, turn))
      for (const relative of relatives) {
        const goal = { relative, absolute: 4e-4 * relative };
        const thickness = thicknessOf(a, b, goal);
        for (const { lower, upper } of [thickness, reachOf(a, b, goal, thickness), reachOf(b, a, goal, thickness)]) {
          expect(lower).toBeLessThan(1e-14);
          expect(upper).toBeLessThan(4.01e-6);
        }
        // A baseline knows it again.
        const [still] = both(0, turns[0]).map(([, p, q]) => thicknessOf(p, q, goal));
        expect(thickness.upper / still.upper).toBeCloseTo(1, 9);
      }
  };

  test('that fits, both turned by 17 degrees', () => expectThin(turns[1]));

  test.each([0, 2, 3])('that fits, turn %i', { tags: ['all'] }, (n) => expectThin(turns[n]));

  test.each([0.01, 0.1].flatMap((by) => turns.map((turn, n) => [by, n, turn] as const)))(
    'that is sunk by %d, turn %i',
    { tags: ['all'] },
    (by, _, turn) => {
      // In the corners a ball is against two faces and an edge.
      const truth = [(2 * by * Math.SQRT2) / (1 + Math.SQRT2), by, by * Math.SQRT2];
      for (const [name, a, b] of both(by, turn)) {
        const thickness = thicknessOf(a, b, {});
        const found = [thickness, reachOf(a, b, {}, thickness), reachOf(b, a, {}, thickness)];
        for (const [k, { lower, upper }] of found.entries()) {
          expect(lower, name).toBeLessThanOrEqual(truth[k] * (1 + 1e-9));
          expect(upper, name).toBeGreaterThanOrEqual(truth[k] * (1 - 1e-9));
          expect(upper - lower, name).toBeLessThanOrEqual(0.01 * upper);
        }
      }
    },
  );
});

/** A tetrahedron or a box at random, as large as `scale` about. */
function randomConvex(random: Random, scale: number): Mesh {
  if (random.integer() % 2 === 0) {
    const [w, h, d] = [0, 1, 2].map(() => scale * (0.02 + random.unit() ** 2));
    return mapped(box(1), (x, y, z) => [w * x, h * y, d * z]);
  }
  const positions = Float64Array.from({ length: 12 }, () => scale * random.unit());
  const mesh = { positions, triangles: Uint32Array.of(0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2), groups: [] };
  const [p, q, r] = [3, 6, 9].map((at) => [0, 1, 2].map((k) => positions[at + k] - positions[k]));
  const volume =
    p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
  return volume > 0 ? turned(mesh) : mesh;
}

/** b, moved so that it is sunk into a face of a by a length. */
function sunkInto(random: Random, a: Mesh, b: Mesh, by: number): Mesh {
  const faces = halfSpacesOf(cornersOf(a));
  const { normal, most } = faces[random.integer() % faces.length];
  const along = (x: number, y: number, z: number): number => normal[0] * x + normal[1] * y + normal[2] * z;
  const middleOf = ({ positions }: Mesh): number[] =>
    [0, 1, 2].map((k) => positions.reduce((sum, x, c) => (c % 3 === k ? sum + x : sum), 0) / (positions.length / 3));
  const [from, to] = [middleOf(b), middleOf(a)];
  const way = to.map((x, k) => x - from[k]);
  const beside = way.map((x, k) => x - along(way[0], way[1], way[2]) * normal[k]);
  let lowest = Number.POSITIVE_INFINITY;
  for (let c = 0; c < b.positions.length; c += 3)
    lowest = Math.min(lowest, along(b.positions[c], b.positions[c + 1], b.positions[c + 2]));
  const [x, y, z] = beside.map((d, k) => d + (most - by - lowest) * normal[k]);
  return shifted(b, x, y, z);
}

test.each(
  some(
    2,
    Array.from({ length: 20 }, (_, k) => k + 1),
  ),
)('convex solids against linear programs, seed %i', { tags: ['all', 'long'] }, (seed) => {
  const random = new Random(seed);
  for (let n = 0; n < 40; n++) {
    const scale = 10 ** ((random.integer() % 7) - 3);
    const a = randomConvex(random, scale);
    const other = turnedBy(
      randomConvex(random, scale * (n % 3 === 0 ? 0.1 : 1)),
      rotation(1, random.unit(), -random.unit(), 360 * random.unit()),
    );
    const b = sunkInto(random, a, other, scale * 10 ** (-6 * random.unit()));
    const [facesA, facesB] = [a, b].map((mesh) => halfSpacesOf(cornersOf(mesh)));
    const size = Math.max(...[...a.positions, ...b.positions].map(Math.abs));
    const truth = [
      2 * deepestIn([...facesA, ...facesB], [], size),
      deepestIn(facesB, facesA, size),
      deepestIn(facesA, facesB, size),
    ];
    const relative = n % 2 === 0 ? 0.01 : 1e-6;
    const goal = { relative, absolute: relative * 1e-4 * scale };
    const [placedA, placedB] = [placed(a), placed(b)];
    const thickness = thicknessOf(placedA, placedB, goal);
    const found = [thickness, reachOf(placedA, placedB, goal, thickness), reachOf(placedB, placedA, goal, thickness)];
    for (const [k, { lower, upper }] of found.entries()) {
      const said = `${n}: ${lower} to ${upper} of ${truth[k]} at ${scale}`;
      expect(lower, said).toBeLessThanOrEqual(truth[k] * (1 + 1e-9) + 1e-11 * size);
      expect(upper, said).toBeGreaterThanOrEqual(truth[k] * (1 - 1e-9) - 1e-11 * size);
      expect(upper - lower, said).toBeLessThanOrEqual(Math.max(relative * upper, 1.01e-6 * scale));
      expect(lower, said).toBeGreaterThanOrEqual((thickness.lower / 2) * (1 - 1e-12));
    }
  }
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
