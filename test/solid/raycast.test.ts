/** Rays against whole numbers: through vertices and edges, along faces, in every pose and kind. */
import { describe, expect, test } from 'vitest';
import { operandOf } from '../../src/engine/operand.ts';
import {
  type Asset,
  build,
  compose,
  type Mesh,
  OptionError,
  type Pose,
  raycast,
  raycasts,
  rotation,
  translation,
} from '../../src/index.ts';
import { Random } from '../../src/math/numbers.ts';
import { identity, movePoint } from '../../src/math/pose.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { ALL, alongRay, targetOf } from '../../src/solid/walk.ts';
import { some } from '../support/long.ts';
import { box, octasphere } from '../support/shapes.ts';
import { poseOf, randomGridPose, randomSolid, surfaceOf } from './kuhn.ts';
import { hitsOf, isInBracket } from './ray-oracle.ts';
import { withTree } from './with-tree.ts';

/** The corners of all triangles as a pose moves them. */
function cornersOf(asset: Asset, pose: Pose): Float64Array {
  const { positions, triangles } = representationOf(asset).surface(asset);
  const corners = new Float64Array(3 * triangles.length);
  triangles.forEach((v, c) => {
    movePoint(pose, positions[3 * v], positions[3 * v + 1], positions[3 * v + 2], corners, 3 * c);
  });
  return corners;
}

/** Of an asset `withTree`, the first hit is the kernel's; all others are the search's. */
function expectOracle(asset: Asset, pose: Pose, origin: number[], direction: number[]): number {
  const expected = hitsOf(cornersOf(asset, pose), origin, direction);
  const found = raycast(asset, origin, direction, { pose, all: true });
  const brief = ({ triangle, side }: { triangle: number; side: string }) => `${triangle} ${side}`;
  const where = `from ${origin} along ${direction}`;
  expect(found.map(brief), where).toEqual(expected.map(brief));
  found.forEach((hit, n) => {
    expect(isInBracket(expected[n], direction, hit.distance), where).toBe(true);
    expect(hit.distance.upper - hit.distance.lower).toBeLessThanOrEqual(1e-9 * hit.distance.upper);
  });
  const first = raycast(asset, origin, direction, { pose });
  expect(first, where).toEqual(found[0] ?? null);
  return expected.length;
}

const seeds = Array.from({ length: 300 }, (_, k) => k + 1);
const formats = ['obb', 'kdop'] as const;

describe.each(some(8, seeds))('seed %i', (seed) => {
  test('solids on a grid, rays through its points', { tags: ['all', 'long'] }, () => {
    const random = new Random(seed);
    const asset = build(
      { ...surfaceOf(randomSolid(random, 2, 0.5, false)), groups: [] },
      { format: formats[seed % 2] },
    );
    if (seed % 4 < 2) withTree(asset);
    const pose = seed % 3 === 0 ? identity() : poseOf(randomGridPose(random, 1));
    const near = (): number[] => {
      const [x, y, z] = [0, 1, 2].map(() => (random.integer() % 13) / 4 - 0.5);
      const moved = new Float64Array(3);
      movePoint(pose, x, y, z, moved, 0);
      return Array.from(moved);
    };
    let hits = 0;
    for (let n = 0; n < 40; n++) {
      const origin = near();
      const through = near();
      const direction = through.map((x, k) => x - origin[k]);
      if (direction.some((x) => x !== 0)) hits += expectOracle(asset, pose, origin, direction);
    }
    expect(hits).toBeGreaterThan(0);
  });

  test('triangles of any shape, rays through their corners and sides, poses of any turn', {
    tags: ['quick', 'long'],
  }, () => {
    const random = new Random(seed);
    const coordinate = (): number => 2 * random.unit() - 1;
    const positions = Float64Array.from({ length: 60 }, coordinate);
    const triangles = Uint32Array.from({ length: 90 }, () => random.integer() % 20);
    const mesh: Mesh = { positions, triangles, groups: [] };
    const asset = build(mesh, { format: formats[seed % 2] });
    if (seed % 4 < 2) withTree(asset);
    const turn = rotation(coordinate(), coordinate(), 1, 360 * random.unit());
    const pose = compose(translation(coordinate(), 10 * coordinate(), 0), turn);
    const corners = cornersOf(asset, pose);
    for (let n = 0; n < 30; n++) {
      const corner = 3 * (random.integer() % (corners.length / 3));
      const to = Array.from(corners.subarray(corner, corner + 3));
      // Subtracted without rounding: the ray runs through the corner itself.
      const direction = [0, 1, 2].map(() => Math.round(64 * coordinate()) / 64);
      const origin = n % 2 ? to.map((x, k) => x - direction[k]) : to;
      if (direction.some((x) => x !== 0)) expectOracle(asset, pose, origin, direction);
    }
  });
});

test('of any kind the stored triangles are met', () => {
  const ball = octasphere(2);
  const kinds: Asset[] = [
    build(ball, { size: 33 }),
    build(ball, { format: 'kdop', bits: 12 }),
    ...[20, 40, 64].map((nodeBytes) => build(ball, { format: 'obb', nodeBytes: nodeBytes as 20 | 40 | 64 })),
  ];
  const pose = compose(translation(0.5, 3, 0), rotation(1, 2, 3, 40));
  for (const asset of [...kinds, ...kinds]) {
    expect(expectOracle(asset, pose, [0.5, 3, 2], [0.01, 0.02, -1])).toBe(2);
    expect(expectOracle(asset, pose, [0.5, 3, 0], [3, 2, 1])).toBe(1);
    expect(expectOracle(asset, pose, [0.5, 4.5, 0], [3, 1, 1])).toBe(0);
    withTree(asset);
  }
});

test('a ray asks few triangles of many', { tags: ['all'] }, () => {
  const ball = octasphere(5);
  for (const asset of [build(ball, { format: 'obb' }), build(ball, { format: 'kdop' }), build(ball, { size: 65 })]) {
    for (const pose of [identity(), compose(translation(0.1, 0, 0), rotation(1, 2, 3, 40))]) {
      let asked = 0;
      alongRay(targetOf(operandOf(asset, pose), pose), { x: 3, y: 0.1, z: 0.2, error: 0 }, [-1, 0, 0], () => {
        asked++;
        return ALL;
      });
      expect(asked, asset.representation).toBeGreaterThan(1);
      expect(asked, asset.representation).toBeLessThan(100);
    }
  }
});

describe('a box', () => {
  const asset = build(box(2), { format: 'obb' });

  test('is entered and left, by any length of the direction', () => {
    for (const size of [5e-324, 1e-300, 1, 3, 1e300, Number.MAX_VALUE]) {
      const hits = raycast(asset, [-3, 0.25, 0.5], [size, 0, 0], { all: true });
      expect(hits.map(({ side }) => side)).toEqual(['enters', 'leaves']);
      const [{ distance, point, normal }] = hits;
      expect(distance.lower).toBeLessThanOrEqual(2);
      expect(distance.upper).toBeGreaterThanOrEqual(2);
      expect(distance.upper - distance.lower).toBeLessThan(1e-12);
      expect(point.map((x) => Math.round(1e12 * x) / 1e12)).toEqual([-1, 0.25, 0.5]);
      expect(normal).toEqual([-1, 0, 0]);
    }
  });

  test('is met no farther than asked, exactly', () => {
    for (const direction of [
      [1, 0, 0],
      [0.5, 0, 0],
    ]) {
      expect(raycast(asset, [-3, 0.25, 0.5], direction, { maxDistance: 2 })?.side).toBe('enters');
      expect(raycast(asset, [-3, 0.25, 0.5], direction, { maxDistance: 2 - 2 ** -52 })).toBeNull();
    }
    expect(raycast(asset, [1, 0.25, 0.5], [1, 0, 0], { maxDistance: 0 })?.side).toBe('leaves');
    expect(raycast(asset, [3, 0.25, 0.5], [-1, 0, 0], { all: true, maxDistance: 3 })).toHaveLength(1);
  });

  test('is met through its corners and edges, and along its faces', () => {
    expect(raycast(asset, [3, 3, 3], [-1, -1, -1], { all: true }).map(({ side }) => side)).toEqual([
      'enters',
      'leaves',
    ]);
    expect(raycast(asset, [3, 3, 0], [-1, -1, 0], { all: true }).map(({ side }) => side)).toEqual(['enters', 'leaves']);
    expect(raycast(asset, [2, 0, 0], [-1, 1, 0])?.side).toBe('grazes');
    expect(raycast(asset, [3, 1, 0.3], [-1, 0, 0])?.side).toBe('grazes');
    expect(raycast(asset, [3, 1 + 2 ** -52, 0.3], [-1, 0, 0])).toBeNull();
  });

  test('far away and huge', () => {
    expect(raycast(asset, [1e300, 0.1, 0.2], [-1, 0, 0])?.side).toBe('enters');
    expect(raycast(asset, [1e300, 0.1, 0.2], [1, 0, 0])).toBeNull();
    expect(raycast(asset, [1e300, 1.1, 0.2], [-1, 0, 0])).toBeNull();
    expect(raycast(asset, [1e10, 1e10, 1e10], [-1e-20, -1e-20, -1e-20])?.side).toBe('enters');
    expect(raycast(asset, [0, 0, 0], [1e300, 1e-300, 0])?.side).toBe('leaves');
  });

  test.each<[unknown, unknown, object]>([
    [[0, 0], [1, 0, 0], {}],
    [[0, 0, Number.NaN], [1, 0, 0], {}],
    [[0, 0, 0], [0, 0, 0], {}],
    [[0, 0, 0], [0, -0, Number.POSITIVE_INFINITY], {}],
    [null, [1, 0, 0], {}],
    [[0, 0, 0], undefined, {}],
    [[0, 0, 0], [1, 0, 0], { maxDistance: Number.NaN }],
    [[0, 0, 0], [1, 0, 0], { maxDistance: -1 }],
    [[0, 0, 0], [1, 0, 0], { far: 1 }],
    [[0, 0, 0], [1, 0, 0], { pose: [1, 2, 3] }],
  ])('refuses %o %o %o', (origin, direction, options) => {
    expect(() => raycast(asset, origin as number[], direction as number[], options)).toThrow(OptionError);
  });

  test.each<[unknown, unknown, object]>([
    [[0, 0], [1, 0, 0], {}],
    [[0, 0, 0, 1], [1, 0, 0, 1], {}],
    [[0, 0, 0], [1, 0, 0, 1, 0, 0], {}],
    [[0, 0, Number.NaN], [1, 0, 0], {}],
    [[0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], {}],
    [null, [1, 0, 0], {}],
    [[0, 0, 0], 'abc', {}],
    [[0, 0, 0], [1, 0, 0], { all: true }],
    [[0, 0, 0], [1, 0, 0], { maxDistance: -1 }],
  ])('many: refuses %o %o %o', (origins, directions, options) => {
    expect(() => raycasts(asset, origins as number[], directions as number[], options)).toThrow(OptionError);
  });

  test('many rays, in order, a few and none', () => {
    const hits = raycasts(asset, [3, 0.25, 0.5, 3, 0.25, 0.5, 0, 0.25, 0.5], [-1, 0, 0, 1, 0, 0, 0, 0, 9]);
    expect(Array.from(hits.sides)).toEqual([-1, 0, 1]);
    expect(Array.from(hits.triangles.map((x) => Math.min(x, 0)))).toEqual([0, -1, 0]);
    expect(hits.lower[1]).toBe(Number.POSITIVE_INFINITY);
    expect(raycasts(asset, [], []).triangles).toHaveLength(0);
  });

  test('cubes and functions are not met', () => {
    const cubes = build(box(2), { format: 'voxel', precision: 0.5 });
    expect(() => raycast(cubes, [0, 0, 0], [1, 0, 0])).toThrow(/^raycast: expected triangles, found voxel/);
    expect(() => raycasts(cubes, [0, 0, 0], [1, 0, 0])).toThrow(/^raycast: expected triangles, found voxel/);
  });
});
