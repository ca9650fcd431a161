/** The kernel for rays and points against the search that it stands in for, bit by bit. */
import { describe, expect, test } from 'vitest';
import {
  type Asset,
  build,
  closestPoint,
  closestPoints,
  compose,
  type Mesh,
  type Pose,
  raycast,
  raycasts,
  rotation,
  translation,
  updateGeometry,
} from '../../src/index.ts';
import { kernelMemory } from '../../src/kernels/memory.ts';
import { Random } from '../../src/math/numbers.ts';
import { identity, movePoint } from '../../src/math/pose.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { PointSearch } from '../../src/solid/search/kernel.ts';
import { ENTERS, LEAVES, MISSED } from '../../src/solid/search/layout.as.ts';
import { targetIn } from '../../src/solid/targets.ts';
import { some } from '../support/long.ts';
import { octasphere } from '../support/shapes.ts';
import { isReady, withTree } from './with-tree.ts';

const seeds = Array.from({ length: 80 }, (_, k) => k + 1);
const SCALES = [1, 1e-23, 1e-8, 1e8, 1e20, 3e-5, 1e-140, 1e35];

/** Triangles of any shape, on a grid, or a ball: some coincide, some have no area. */
function meshOf(random: Random, kind: number, scale: number): Mesh {
  const coordinate = (): number => {
    const x = 2 * random.unit() - 1;
    return scale * (kind === 0 ? Math.round(2 * x) : x);
  };
  if (kind === 2) {
    const { positions, triangles } = octasphere(3);
    return { positions: positions.map((x) => scale * x), triangles, groups: [] };
  }
  const positions = Float64Array.from({ length: 150 }, coordinate);
  const triangles = Uint32Array.from({ length: 300 }, () => random.integer() % 50);
  return { positions, triangles, groups: [] };
}

function cornersOf(asset: Asset, pose: Pose): Float64Array {
  const { positions, triangles } = representationOf(asset).surface(asset);
  const corners = new Float64Array(3 * triangles.length);
  triangles.forEach((v, c) => {
    movePoint(pose, positions[3 * v], positions[3 * v + 1], positions[3 * v + 2], corners, 3 * c);
  });
  return corners;
}

/** Rays at corners, along sides and axes, from the surface, from afar and from inside. */
function rayOf(random: Random, corners: Float64Array, scale: number): [number[], number[]] {
  const number = (): number => 2 * random.unit() - 1;
  const corner = (): number[] => {
    const at = 3 * (random.integer() % (corners.length / 3));
    return Array.from(corners.subarray(at, at + 3));
  };
  const afar = 10 ** (random.integer() % 4);
  const free = (): number[] => [0, 1, 2].map(() => scale * afar * number());
  const kind = random.integer() % 8;
  const from = kind % 4 === 0 ? corner() : free();
  const to = kind < 5 ? corner() : [0, 1, 2].map(() => scale * number());
  const between = (p: number[], q: number[]): number[] => p.map((x, k) => (x + q[k]) / 2);
  let along = (kind === 2 ? between(to, corner()) : to).map((x, k) => x - from[k]);
  if (kind >= 6) along = along.map((x) => (random.integer() % 3 === 0 ? x : 0));
  if (kind === 7) along = along.map((x) => x * 10 ** ((random.integer() % 200) - 100));
  if (along.every((x) => x === 0)) along = [0, 0, -1];
  return [from, along];
}

function poseOf(random: Random, scale: number): Pose {
  const number = (): number => 2 * random.unit() - 1;
  const turn = rotation(number(), number(), 1, 360 * random.unit());
  return compose(translation(scale * number(), 10 * scale * number(), 0), turn);
}

const formats = [
  { format: 'obb' },
  { format: 'kdop' },
  { format: 'obb', nodeBytes: 64 },
  { format: 'obb', nodeBytes: 20 },
] as const;

describe.each(some([4, 16], seeds))('seed %i', (seed) => {
  const random = new Random(seed);
  const scale = SCALES[seed % SCALES.length];
  const options = formats[seed % formats.length];

  test('rays as the search finds them', { tags: ['quick', 'all', 'long'] }, () => {
    const asset = withTree(build(meshOf(random, seed % 3, scale), options));
    for (const pose of [identity(), poseOf(random, scale)]) {
      const corners = cornersOf(asset, pose);
      const rays = Array.from({ length: 400 }, () => rayOf(random, corners, scale));
      const many = raycasts(
        asset,
        rays.flatMap(([from]) => from),
        rays.flatMap(([, along]) => along),
        { pose },
      );
      rays.forEach(([from, along], i) => {
        const where = `from ${from} along ${along}`;
        // `all` is never the kernel's.
        const expected = raycast(asset, from, along, { pose, all: true })[0] ?? null;
        expect(raycast(asset, from, along, { pose }), where).toEqual(expected);
        expect(many.triangles[i], where).toBe(expected?.triangle ?? -1);
        expect(many.lower[i], where).toBe(expected?.distance.lower ?? Number.POSITIVE_INFINITY);
        expect(many.upper[i], where).toBe(expected?.distance.upper ?? Number.POSITIVE_INFINITY);
        const side = expected?.side ?? 'grazes';
        expect(many.sides[i], where).toBe(side === 'enters' ? -1 : side === 'leaves' ? 1 : 0);
        if (!expected) return;
        const { lower, upper } = expected.distance;
        for (const maxDistance of [lower, upper, 0.5 * upper, 2 * upper]) {
          const all = raycast(asset, from, along, { pose, all: true, maxDistance })[0] ?? null;
          expect(raycast(asset, from, along, { pose, maxDistance }), where).toEqual(all);
        }
      });
    }
    expect(isReady(asset)).toBe(scale > 1e-60);
  });

  test('nearest points as the search finds them', { tags: ['quick', 'all', 'long'] }, () => {
    const mesh = meshOf(random, seed % 3, scale);
    const asset = withTree(build(mesh, options));
    const other = build(mesh, options);
    for (const pose of [identity(), poseOf(random, scale)]) {
      const corners = cornersOf(asset, pose);
      for (let n = 0; n < 30; n++) {
        const [from, along] = rayOf(random, corners, scale);
        const point = n % 3 === 0 ? from : from.map((x, k) => x + 1e-3 * along[k]);
        if (!point.every((x) => Math.abs(x) <= 1e149)) continue;
        const found = closestPoint(asset, point, { pose });
        const expected = closestPoint(other, point, { pose });
        const where = `${point}`;
        expect(found.triangle, where).toBe(expected.triangle);
        expect(found.point, where).toEqual(expected.point);
        expect(found.distance.upper, where).toBe(expected.distance.upper);
        const many = closestPoints(asset, point, { pose });
        expect(many.triangles[0], where).toBe(found.triangle);
        expect(Array.from(many.points), where).toEqual(found.point);
        expect([many.lower[0], many.upper[0]], where).toEqual([found.distance.lower, found.distance.upper]);
        // Of triangles that are farther by a rounding, either may count.
        expect(found.distance.upper - found.distance.lower, where).toBeLessThanOrEqual(
          2 * (expected.distance.upper - expected.distance.lower),
        );
      }
    }
    expect(isReady(other)).toBe(false);
  });
});

test('most rays to vertices are left to the kernel, and all others', () => {
  const asset = withTree(build(octasphere(5), { format: 'obb' }));
  const { positions } = octasphere(5);
  const target = targetIn(asset, identity())!;
  const random = new Random(1);
  const found = { triangle: 0, lower: 0, upper: 0, x: 0, y: 0, z: 0, length: 0 };
  let decided = 0;
  for (let n = 0; n < 1000; n++) {
    const from = [0, 1, 2].map(() => 6 * random.unit() - 3);
    const v = 3 * (random.integer() % (positions.length / 3));
    const along = from.map((x, k) => positions[v + k] - x);
    const size = Math.sqrt(along.reduce((sum, x) => sum + x * x, 0));
    const state = target.search.ray(
      from,
      along.map((x) => x / size),
      0,
      Number.POSITIVE_INFINITY,
      found,
    );
    if ([MISSED, LEAVES, ENTERS].includes(state)) decided++;
  }
  expect(decided).toBeGreaterThan(950);
});

test('a tree is made once there are questions enough, and anew after a change', () => {
  const ball = octasphere(4);
  const asset = build(ball, { format: 'obb' });
  const questions = Math.ceil(ball.triangles.length / 3 / 8);
  for (let n = 1; n < questions; n++) raycast(asset, [3, 0.1, 0.2], [-1, 0, 0]);
  expect(isReady(asset)).toBe(false);
  raycast(asset, [3, 0.1, 0.2], [-1, 0, 0]);
  expect(isReady(asset)).toBe(true);
  const larger = Float64Array.from(ball.positions, (x) => 2 * x);
  updateGeometry(asset, larger, { inPlace: true });
  expect(isReady(asset)).toBe(false);
  const [near] = raycasts(
    asset,
    Array.from({ length: 300 }, () => [3, 0.1, 0.2]).flat(),
    Array.from({ length: 300 }, () => [-1, 0, 0]).flat(),
  ).lower;
  expect(isReady(asset)).toBe(true);
  expect(near).toBeLessThan(1.1);
});

test('the trees of a body that moves give their memory back at once', () => {
  const ball = octasphere(5);
  const asset = build(ball, { format: 'obb' });
  const rays = new Float64Array(3 * ball.triangles.length).fill(1e3);
  const bytesAfter = (updates: number): number => {
    for (let n = 0; n < updates; n++) {
      updateGeometry(asset, ball.positions, { inPlace: true });
      raycasts(asset, rays, rays);
    }
    return kernelMemory()!.memory.buffer.byteLength;
  };
  const before = bytesAfter(3);
  expect(isReady(asset)).toBe(true);
  expect(bytesAfter(60)).toBe(before);
});

test('assets without size have no tree', () => {
  const positions = Float64Array.of(1, 1, 1, 1, 1, 1, 1, 1, 1);
  const asset = build({ positions, triangles: Uint32Array.of(0, 1, 2), groups: [] }, { format: 'obb' });
  const search = new PointSearch();
  expect(search.isReady(asset, targetIn(asset, identity())!, 1000)).toBe(false);
  expect(search.isReady(asset, targetIn(asset, identity())!, 1)).toBe(false);
});
