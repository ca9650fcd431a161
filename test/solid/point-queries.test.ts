/** Points in solids, volumes and nearest points, against sets of tetrahedra and one triangle after the other. */
import { describe, expect, test } from 'vitest';
import { pointTriangle } from '../../src/geometry/triangle.ts';
import {
  type Asset,
  build,
  closestPoint,
  closestPoints,
  compose,
  containsPoint,
  OptionError,
  raycast,
  readFrep,
  rotation,
  translation,
  volumeOf,
} from '../../src/index.ts';
import { Random } from '../../src/math/numbers.ts';
import { identity, movePoint, type Pose } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { cubesOf, type VoxelSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { some } from '../support/long.ts';
import { box, octasphere, together } from '../support/shapes.ts';
import { CHAMBERS, holds, movedBack, poseOf, randomGridPose, randomSolid, surfaceOf } from './kuhn.ts';
import { isOn } from './ray-oracle.ts';

const seeds = Array.from({ length: 200 }, (_, k) => k + 1);
const formats = ['obb', 'kdop'] as const;

/** The corners of all triangles as a pose moves them. */
function cornersOf(asset: Asset, pose: Pose): Float64Array {
  const { positions, triangles } = representationOf(asset).surface(asset);
  const corners = new Float64Array(3 * triangles.length);
  triangles.forEach((v, c) => {
    movePoint(pose, positions[3 * v], positions[3 * v + 1], positions[3 * v + 2], corners, 3 * c);
  });
  return corners;
}

const flipped = (mesh: Surface) => ({
  positions: mesh.positions,
  triangles: mesh.triangles.map((_, c, all) => all[c - (c % 3) + ((3 - (c % 3)) % 3)]),
  groups: [],
});

describe.each(some(8, seeds))('random solids on a grid, seed %i', (seed) => {
  const random = new Random(seed);
  const solid = randomSolid(random, 2, 0.3 + 0.4 * random.unit(), seed % 2 === 0);
  const mesh = solid.tetrahedra.size > 0 ? { ...surfaceOf(solid), groups: [] } : box(2);
  const asset = build(seed % 4 === 3 ? flipped(mesh) : mesh, { format: formats[seed % 2] });

  test.runIf(solid.tetrahedra.size > 0)('hold what their sets hold', { tags: ['quick', 'long'] }, () => {
    const gridPose = randomGridPose(random, 2);
    const pose = poseOf(gridPose);
    const corners = cornersOf(asset, pose);
    for (let n = 0; n < 60; n++) {
      const cell = [0, 1, 2].map((k) => gridPose.step[k] + (random.integer() % 5) - 2);
      const part = n % 2 ? CHAMBERS[random.integer() % 48] : [0, 1, 2].map(() => (random.integer() % 3) / 2);
      const point = cell.map((x, k) => x + part[k]);
      // Off all planes of the grid, and no farther than the next one.
      const beside = point.map((x, k) => x + (n % 2 ? 0 : [0.01, 0.003, 0.0007][k]));
      const expected = isOn(corners, point)
        ? 'border'
        : holds(solid, movedBack(gridPose, beside))
          ? 'inside'
          : 'outside';
      expect(containsPoint(asset, point, pose), `${point}`).toBe(expected);
    }
  });

  test.runIf(solid.tetrahedra.size > 0)('have the volumes of their sets', { tags: ['quick', 'long'] }, () => {
    const { lower, upper, inverted } = volumeOf(asset);
    expect(6 * lower).toBeLessThanOrEqual(solid.tetrahedra.size);
    expect(6 * upper).toBeGreaterThanOrEqual(solid.tetrahedra.size);
    expect(upper - lower).toBeLessThan(1e-11);
    expect(inverted).toBe(seed % 4 === 3);
  });

  test('have their nearest points where each triangle says', { tags: ['quick', 'long'] }, () => {
    const pose = compose(translation(random.unit(), 2, 0), rotation(random.unit(), 1, 0.3, 77));
    const corners = cornersOf(asset, pose);
    const out = new Float64Array(3);
    for (let n = 0; n < 20; n++) {
      const point = [0, 1, 2].map(() => 6 * random.unit() - 2);
      let least = Number.POSITIVE_INFINITY;
      for (let at = 0; at < corners.length; at += 9)
        least = Math.min(least, pointTriangle(corners, at, point[0], point[1], point[2], out));
      const found = closestPoint(asset, point, { pose });
      const { lower, upper } = found.distance;
      expect(lower).toBeLessThanOrEqual(least + 1e-13);
      expect(upper).toBeGreaterThanOrEqual(least - 1e-13);
      expect(upper - lower).toBeLessThan(1e-12);
      expect(Math.hypot(...found.point!.map((x, k) => x - point[k]))).toBeCloseTo(least, 12);
      const own = corners.subarray(9 * found.triangle!, 9 * found.triangle! + 9);
      expect(pointTriangle(own, 0, point[0], point[1], point[2], out)).toBeCloseTo(least, 12);
    }
  });
});

describe('triangles that cross or coincide', () => {
  const both = (a: Surface, b: Surface): Mesh => ({ ...together(a, b), groups: [] });
  const shifted = ({ positions, triangles }: Surface, by: readonly number[]): Surface => ({
    positions: positions.map((x, c) => x + by[c % 3]),
    triangles,
  });

  test.each(formats)('a point on faces of two boxes that cross is on the border, %s', (format) => {
    const boxes = build(both(shifted(box(2), [1, 1, 1]), shifted(box(2), [2, 2, 2])), { format });
    expect(containsPoint(boxes, [2, 1.5, 1])).toBe('border');
    expect(containsPoint(boxes, [2, 1.5, 1.5])).toBe('border');
    expect(containsPoint(boxes, [1.5, 1.5, 1.5])).toBe('inside');
    const fold = build(both(box(2), flipped(box(2))), { format });
    expect(containsPoint(fold, [1, 0.3, 0.2])).toBe('border');
    expect(containsPoint(fold, [0.3, 0.3, 0.2])).toBe('outside');
    const triangle = { positions: Float64Array.of(0, 0, 0, 4, 0, 0, 0, 4, 0), triangles: Uint32Array.of(0, 1, 2) };
    const back = build(both(triangle, { ...triangle, triangles: Uint32Array.of(0, 2, 1) }), { format });
    expect(containsPoint(back, [1, 1, 0])).toBe('border');
    expect(containsPoint(back, [1, 1, 1e-300])).toBe('outside');
  });

  test.each(some(2, seeds))('random solids that cross, with a sheet and its back, seed %i', (seed) => {
    const random = new Random(1000 + seed);
    const solids = [0, 1].map((k) => randomSolid(random, 2, 0.5, k === 1));
    if (solids.some(({ tetrahedra }) => tetrahedra.size === 0)) return;
    const by = [0, 1, 2].map(() => (random.integer() % 3) - 1);
    const second = shifted(surfaceOf(solids[1]), by);
    const third = surfaceOf(randomSolid(random, 2, 0.5, false));
    const sheet = { ...third, triangles: third.triangles.slice(0, 12) };
    const folded = both(sheet, flipped(sheet));
    const asset = build(both(both(surfaceOf(solids[0]), second), folded), { format: formats[seed % 2] });
    const pose = poseOf(randomGridPose(random, 2));
    const corners = cornersOf(asset, pose);
    const moved = new Float64Array(3);
    for (let n = 0; n < 60; n++) {
      // On a plane of the grid and off the edges there, or on a point that edges run through.
      const chamber = CHAMBERS[random.integer() % 48];
      const part =
        n % 3 ? chamber.map((x, k) => (k === n % 3 ? 0 : x)) : [0, 1, 2].map(() => (random.integer() % 3) / 2);
      const point = part.map((x) => x + (random.integer() % 4) - 1);
      const beside = point.map((x, k) => x + [0.01, 0.003, 0.0007][k]);
      const isIn =
        holds(solids[0], beside) ||
        holds(
          solids[1],
          beside.map((x, k) => x - by[k]),
        );
      movePoint(pose, point[0], point[1], point[2], moved, 0);
      const expected = isOn(corners, [...moved]) ? 'border' : isIn ? 'inside' : 'outside';
      expect(containsPoint(asset, moved, pose), `${point}`).toBe(expected);
    }
  });
});

const kinds = (): Asset[] => [
  build(octasphere(2), { size: 33 }),
  build(octasphere(2), { format: 'kdop', bits: 12 }),
  ...[20, 40, 64].map((nodeBytes) => build(octasphere(2), { format: 'obb', nodeBytes: nodeBytes as 20 | 40 | 64 })),
  build(octasphere(2), { format: 'voxel', precision: 0.125, fill: true }),
  build(readFrep('{"object": {"sphere": {"radius": 1}}}')),
];

test('of any kind points are in and out, and near', () => {
  const pose = compose(translation(0.5, 3, 0), rotation(1, 2, 3, 40));
  for (const asset of kinds()) {
    expect(containsPoint(asset, [0.5, 3.3, 0], pose), asset.representation).toBe('inside');
    expect(containsPoint(asset, [0.5, 4.5, 0], pose)).toBe('outside');
    expect(containsPoint(asset, [0.5, 3.3, 0])).toBe('outside');
    const { distance, point, triangle } = closestPoint(asset, [0.5, 3, 3], { pose });
    expect(distance.lower, asset.representation).toBeGreaterThan(1.7);
    expect(distance.upper).toBeLessThan(2.2);
    expect(Math.hypot(point![0] - 0.5, point![1] - 3, point![2] - 3)).toBeCloseTo(distance.upper, 2);
    expect(triangle).toBeGreaterThanOrEqual(0);
  }
});

test('cubes and functions hold their borders', () => {
  const cubes = build(box(2), { format: 'voxel', precision: 0.5 });
  expect(containsPoint(cubes, [1, 0.1, 0.1])).toBe('inside');
  expect(containsPoint(cubes, [0.1, 0.1, 0.1])).toBe('outside');
  expect(closestPoint(cubes, [1, 0.1, 0.1]).distance).toEqual({ lower: 0, upper: 0 });
  const many = closestPoints(cubes, [1, 0.1, 0.1, 3, 0.1, 0.1]);
  const { distance, point, triangle } = closestPoint(cubes, [3, 0.1, 0.1]);
  expect([many.lower[0], many.upper[0], many.lower[1], many.upper[1]]).toEqual([0, 0, distance.lower, distance.upper]);
  expect([many.triangles[1], ...many.points.subarray(3)]).toEqual([triangle, ...point!]);
  // The set is closed: the faces that a verdict leaves to the next cube are its own.
  const apart = build(
    {
      positions: Float64Array.of(0.1, 0.1, 0.1, 0.2, 0.1, 0.1, 0.1, 0.2, 0.1),
      triangles: Uint32Array.of(0, 1, 2),
      groups: [],
    },
    { format: 'voxel', precision: 0.3 },
  );
  const [top, beyondTop] = [0.3, 0.30000000000000004];
  for (const [low, high] of [
    [0, top],
    [top, 0],
  ]) {
    for (let axis = 0; axis < 3; axis++) {
      const on = [0.1, 0.2, 0.15].map((x, k) => (k === axis ? high : x));
      const edge = on.map((x, k) => (k === (axis + 1) % 3 ? low : x));
      for (const point of [on, edge, [high, high, high]]) {
        expect(containsPoint(apart, point), `${point}`).toBe('inside');
        expect(closestPoint(apart, point).distance).toEqual({ lower: 0, upper: 0 });
      }
      const beyond = on.map((x, k) => (k === axis ? (high > 0 ? beyondTop : -Number.MIN_VALUE) : x));
      expect(containsPoint(apart, beyond), `${beyond}`).toBe('outside');
      expect(closestPoint(apart, beyond).distance.upper).toBeGreaterThan(0);
      const pose = translation(1, 2, 3);
      const moved = new Float64Array(3);
      movePoint(pose, on[0], on[1], on[2], moved, 0);
      expect(containsPoint(apart, moved, pose), `${on}, moved`).toBe('inside');
    }
  }
  const filled = build(box(2), { format: 'voxel', precision: 0.5, fill: true });
  expect(containsPoint(filled, [0.1, 0.1, 0.1])).toBe('inside');
  const { lower, upper } = volumeOf(filled);
  const expected = cubesOf(filled as VoxelSet) / 8;
  expect(lower).toBeLessThanOrEqual(expected);
  expect(upper).toBeGreaterThanOrEqual(expected);
});

test('what a function leaves open is never outside or clear by a guess', () => {
  const ball = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
  expect(['inside', 'undecided']).toContain(containsPoint(ball, [1, 0, 0]));
  expect(['outside', 'undecided']).toContain(containsPoint(ball, [1 + 2 ** -50, 0, 0]));
  const { lower } = closestPoint(ball, [3, 0, 0]).distance;
  expect(lower).toBeLessThanOrEqual(2);
});

test('far points, and points of every size', () => {
  const asset = build(box(2), { format: 'obb' });
  for (const x of [1e-300, 0.5, 1 - 2 ** -53]) expect(containsPoint(asset, [x, -x, 0])).toBe('inside');
  expect(containsPoint(asset, [1, 1, 1])).toBe('border');
  expect(containsPoint(asset, [1, 0.3, 0.2])).toBe('border');
  for (const x of [1 + 2 ** -52, 1e10, 1e150]) {
    expect(containsPoint(asset, [x, 0.1, 0.2])).toBe('outside');
    const { lower, upper } = closestPoint(asset, [x, 0.1, 0.2]).distance;
    expect(lower).toBeLessThanOrEqual(x - 1);
    expect(upper).toBeGreaterThanOrEqual(x - 1);
  }
});

test('what is huge and what is tiny', () => {
  for (const size of [1e-30, 1e99]) {
    const asset = build(box(2 * size), { format: 'kdop', bits: 32 });
    expect(containsPoint(asset, [0, 0, 0.5 * size])).toBe('inside');
    const { lower, upper } = closestPoint(asset, [0, 0, 0.5 * size]).distance;
    expect(lower).toBeLessThanOrEqual(0.5 * size);
    expect(upper).toBeGreaterThanOrEqual(0.5 * size);
    expect(upper - lower).toBeLessThan(1e-12 * size);
    expect(raycast(asset, [0, 0.1 * size, 0.3 * size], [0, 0, -1])?.side).toBe('leaves');
  }
});

test('points beyond all that is measured', () => {
  const asset = build(box(2), { format: 'obb' });
  expect(containsPoint(asset, [1e300, 0, 0])).toBe('outside');
  expect(() => closestPoint(asset, [1e300, 0, 0])).toThrow('point: expected coordinates up to 1e+150');
});

test('what bounds nothing is refused, and says why', () => {
  const { positions, triangles } = box(2);
  const open = build({ positions, triangles: triangles.slice(3), groups: [] }, { format: 'obb' });
  expect(() => containsPoint(open, [0, 0, 0])).toThrow(
    /^containsPoint: the asset is open at 3 edges, one of them from/,
  );
  expect(() => volumeOf(open)).toThrow(/^volumeOf: the asset is open at 3 edges, one of them from/);
  expect(closestPoint(open, [2, 0, 0]).distance.lower).toBeCloseTo(1);
  const ball = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
  expect(() => volumeOf(ball)).toThrow('volumeOf: expected triangles or cubes, found frep');
});

test('what is no point, no pose and no asset is refused', () => {
  const asset = build(box(2), { format: 'obb' });
  for (const point of [[0, 0], [0, 0, Number.NaN], [0, 0, Number.POSITIVE_INFINITY], null, 'abc', ['0', 0, 0]]) {
    expect(() => containsPoint(asset, point as number[])).toThrow(OptionError);
    expect(() => closestPoint(asset, point as number[])).toThrow(OptionError);
  }
  expect(() => containsPoint(asset, [0, 0, 0], [1] as unknown as Pose)).toThrow(OptionError);
  expect(() => closestPoint(asset, [0, 0, 0], { poze: identity() } as object)).toThrow(/pose/);
  expect(() => closestPoints(asset, [0, 0])).toThrow(/^points: expected a list of three numbers each/);
  expect(() => closestPoints(asset, [0, 0, 0, 0, Number.NaN, 0])).toThrow('found NaN in number 1');
  expect(() => closestPoints(asset, [0, 0, 1e300])).toThrow('found a larger one at point 0');
  expect(() => volumeOf(null as unknown as Asset)).toThrow(OptionError);
});
