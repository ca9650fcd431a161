/** Points in solids, volumes and nearest points, against sets of tetrahedra and one triangle after the other. */
import { describe, expect, test } from 'vitest';
import { pointTriangle } from '../../src/geometry/point-triangle.ts';
import {
  type Asset,
  build,
  closestPoint,
  compose,
  containsPoint,
  OptionError,
  raycast,
  readFrep,
  rotation,
  translation,
  volumeOf,
} from '../../src/index.ts';
import { identity, movePoint, type Pose } from '../../src/math/pose.ts';
import { Random } from '../../src/math/random.ts';
import { representationOf } from '../../src/representations/registry.ts';
import { cubesOf, type VoxelSet } from '../../src/representations/voxel/tree/voxel-set.ts';
import { some } from '../support/long.ts';
import { box, octasphere } from '../support/shapes.ts';
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

const flipped = (mesh: { positions: Float64Array; triangles: Uint32Array }) => ({
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
  expect(() => volumeOf(ball)).toThrow('volumeOf: of triangles and cubes, found frep');
});

test('what is no point, no pose and no asset is refused', () => {
  const asset = build(box(2), { format: 'obb' });
  for (const point of [[0, 0], [0, 0, Number.NaN], [0, 0, Number.POSITIVE_INFINITY], null, 'abc', ['0', 0, 0]]) {
    expect(() => containsPoint(asset, point as number[])).toThrow(OptionError);
    expect(() => closestPoint(asset, point as number[])).toThrow(OptionError);
  }
  expect(() => containsPoint(asset, [0, 0, 0], [1] as unknown as Pose)).toThrow(OptionError);
  expect(() => closestPoint(asset, [0, 0, 0], { poze: identity() } as object)).toThrow(/pose/);
  expect(() => volumeOf(null as unknown as Asset)).toThrow(OptionError);
});
