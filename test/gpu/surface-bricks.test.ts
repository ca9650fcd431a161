/** Cells of surfaces on a GPU: the bytes of a build without one. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Gpu } from '../../src/gpu/gpu.ts';
import { SHADERS } from '../../src/gpu/shaders.generated.ts';
import { type SurfaceBatch, surfaceBricks } from '../../src/gpu/surface-bricks.ts';
import { Random } from '../../src/math/numbers.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { partitionAll } from '../../src/representations/voxel/bulk/partition-all.ts';
import { partition } from '../../src/representations/voxel/make/partition.ts';
import {
  type SurfaceOptions,
  type SurfaceWork,
  surfacesOnDevice,
} from '../../src/representations/voxel/make/surface-on-device.ts';
import type { CubeSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { gpu, newGpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { box, bumpySphere, collinearTriangles, icosphere, mapped, randomTriangles, torus } from '../support/shapes.ts';

const byProcessor = (mesh: Surface, precision: number): CubeSet => partition(mesh, precision);

/** Numbers of a seed. */
function numbersOf(seed: number) {
  const random = new Random(seed + 1);
  const below = (count: number): number => Math.floor(count * random.unit());
  return {
    below,
    between: (low: number, high: number): number => low + (high - low) * random.unit(),
    pick: <T>(items: readonly T[]): T => items[below(items.length)],
  };
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const PRECISIONS = [0.1, 1 / 3, 1, 1e-6, 1e6, 1e-100, 1e100, 2 ** -30, 50, 255];

/** Triangles whose corners, edges and planes are on walls of cells, or a little beside. */
function walled(seed: number): { mesh: Surface; a: number } {
  const random = numbersOf(seed);
  const a = PRECISIONS[seed % PRECISIONS.length];
  const far = random.pick([0, 1000, 2 ** 20]);
  const turned = random.below(3);
  const positions: number[] = [];
  for (let n = 0; n < 50; n++) {
    const flat = turned === 0 ? random.pick([-1, 0, 1, 2]) : -1;
    const level = far + random.below(20) / random.pick([1, 2]);
    for (let corner = 0; corner < 3; corner++) {
      const [x, y, z] = [0, 1, 2].map((axis) => {
        const whole = axis === flat ? level : far + random.below(24) / random.pick([1, 1, 1, 2, 4]);
        const rounding = 2 ** -52 * whole;
        return a * (whole + random.pick([0, 0, 0, 0, rounding, -rounding, 1e-8, -1e-8, 1e-7, -1e-7]));
      });
      // Planes at 45 degrees, through corners of cells.
      positions.push(...(turned === 0 ? [x, y, z] : turned === 1 ? [x, y, x] : [x, y, x + y - a * far]));
    }
  }
  const triangles = Uint32Array.from({ length: positions.length / 3 }, (_, n) => n);
  return { mesh: { positions: Float64Array.from(positions), triangles }, a };
}

describe.skipIf(!gpu)('on a GPU', () => {
  let own: Gpu;
  beforeAll(() => {
    own = newGpu();
  });

  /** Sets by the device, and what became of their triangles. */
  async function byDevice(meshes: Surface[], precision: number, options: SurfaceOptions = {}, change = {}) {
    const work: SurfaceWork = { triangles: 0, ownTriangles: 0, bricks: 0, left: 0 };
    const device = { surfaceBricks: (batch: SurfaceBatch) => surfaceBricks(own, { ...batch, ...change }) };
    const sets: CubeSet[] = [];
    for await (const set of surfacesOnDevice(device, meshes, precision, { ...options, work })) sets.push(set);
    return { sets, work };
  }

  /** Holds the sets of some meshes to the processor's. */
  async function both(meshes: Surface[], precision: number, options?: SurfaceOptions): Promise<SurfaceWork> {
    const { sets, work } = await byDevice(meshes, precision, options);
    expect(sets).toEqual(meshes.map((mesh) => byProcessor(mesh, precision)));
    return work;
  }

  const SHAPES: Record<string, [Surface, number]> = {
    'bumps, far away': [mapped(bumpySphere(5), (x, y, z) => [x - 9000, z + 0.01, y + 7000]), 0.021],
    'a torus on the lattice': [torus(24, 12), 2 ** -5],
    'segments and points': [collinearTriangles(), 0.01],
    'smaller than a cell': [icosphere(2), 7],
    'the last coordinates that can be': [
      mapped(icosphere(1), (x, y, z) => [2 ** 21 - 60 + 50 * x, 50 * y, 60 + 50 * z - 2 ** 21]),
      1,
    ],
    'a sphere': [icosphere(3), 0.03],
    'triangles of many blocks': [mapped(icosphere(0), (x, y, z) => [x, y + x / 3, z]), 0.008],
  };

  test.each(some(5, Object.keys(SHAPES)))('%s: the same bytes', { tags: ['all', 'long'] }, async (name) => {
    const [mesh, a] = SHAPES[name];
    await both([mesh], a);
  });

  test.each(some(4, SEEDS))('triangles of all sizes, seed %i', { tags: ['all', 'long'] }, async (seed) => {
    const random = numbersOf(seed);
    const a = PRECISIONS[seed % PRECISIONS.length];
    const size = 10 ** random.between(-1, 2);
    const reach = 10 ** random.between(0, 6);
    const flat = seed % 4 === 3;
    const mesh = mapped(randomTriangles(seed, 60), (x, y, z) => [
      a * (reach + size * x),
      a * (size * y - reach / 3),
      a * (flat ? 0.5 : size * z),
    ]);
    await both([mesh], a);
  });

  test.each(some(2, SEEDS))('slivers and needles, seed %i', { tags: ['all', 'long'] }, async (seed) => {
    const random = numbersOf(seed);
    const a = PRECISIONS[seed % PRECISIONS.length];
    const corner = () => [random.between(-40, 40), random.between(-40, 40), random.between(-40, 40)];
    const positions: number[] = [];
    for (let n = 0; n < 40; n++) {
      const [p, q] = [corner(), corner()];
      // A point of the line, or one of its ends, and a little beside it.
      const s = random.pick([0, 1, random.between(0, 1)]);
      const width = random.pick([0, 2 ** -60, 1e-12, 1e-7, 1e-3, 0.1]);
      const r = p.map((x, i) => x + s * (q[i] - x) + width * random.between(-1, 1));
      positions.push(...p, ...q, ...r);
    }
    const triangles = Uint32Array.from({ length: positions.length / 3 }, (_, n) => n);
    await both([{ positions: Float64Array.from(positions, (x) => a * x), triangles }], a);
  });

  test.each(some(3, SEEDS))(
    'corners, edges and faces on walls of cells, and a little beside, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const { mesh, a } = walled(seed);
      await both([mesh], a);
    },
  );

  test('many models, batch by batch, cut part by part, seed 5', { tags: ['long'] }, async () => {
    const random = numbersOf(5);
    const meshes = Array.from({ length: 25 }, (_, n) => {
      const mesh = n % 5 === 0 ? icosphere(2) : randomTriangles(n, 1 + random.below(30));
      const [x0, y0] = [random.between(-3, 3), random.between(-3, 3)];
      return mapped(mesh, (x, y, z) => [x + x0, y + y0, z]);
    });
    for (const limits of some(1, [{ triangles: 333, mostCut: 1000 }, {}, { triangles: 100 }]))
      await both(meshes, 0.1, limits);
    await both(meshes.slice(16, 18), 1, { triangles: 1 });
  });

  test('what is left is little, of walls on the lattice, too', { tags: ['long'] }, async () => {
    const walls = mapped(box(60, 40, 20), (x, y, z) => [50 * (x + 7), 50 * (y - 3), 50 * (z + 100)]);
    const round = mapped(icosphere(4), (x, y, z) => [30 * x + 0.1, 30 * y + 0.2, 30 * z - 0.1]);
    const large = mapped(icosphere(0), (x, y, z) => [200 * x, 190 * y + 30 * x, 180 * z]);
    for (const [mesh, a, most] of [
      [walls, 50, 1e-9],
      [round, 1, 0.0005],
      [large, 1, 0.001],
    ] as const) {
      const { ownTriangles, bricks, left } = await both([mesh], a);
      expect(ownTriangles).toBe(0);
      expect(bricks).toBeGreaterThan(500);
      expect(left / bricks).toBeLessThan(most);
    }
  });

  test('a bound that is too small gives other bytes: the tests above would tell', { tags: ['long'] }, async () => {
    const text = SHADERS['surface-bricks'];
    const narrow = text.replace('const W = 1.2e-7', 'const W = 1.2e-9');
    expect(narrow).not.toBe(text);
    const before = own;
    Object.assign(SHADERS, { 'surface-bricks': narrow });
    own = newGpu();
    try {
      const wrong: boolean[] = [];
      for (const seed of [0, 1]) {
        const { mesh, a } = walled(seed);
        const { sets } = await byDevice([mesh], a);
        const { keys, masks } = byProcessor(mesh, a);
        wrong.push(`${sets[0].keys}` !== `${keys}` || `${sets[0].masks}` !== `${masks}`);
      }
      expect(wrong).toContain(true);
    } finally {
      Object.assign(SHADERS, { 'surface-bricks': text });
      own = before;
    }
  });

  test('what all models give: names of errors, limits, progress, and insides, which are not asked for', {
    tags: ['all'],
  }, async () => {
    const meshes = [icosphere(2), randomTriangles(3, 20), box(2)];
    const asked: number[] = [];
    const device = {
      surfaceBricks(batch: SurfaceBatch) {
        asked.push(batch.triangles.length / 8);
        return surfaceBricks(own, batch);
      },
    };
    const told: number[] = [];
    const onProgress = (done: number) => told.push(done);
    expect(await partitionAll(meshes, 0.1, undefined, { device, onProgress })).toEqual(await partitionAll(meshes, 0.1));
    expect(told).toEqual([1, 2, 3]);
    expect(asked).toEqual([320 + 20 + 12]);
    const closed = [meshes[0], meshes[2]];
    const filled = await partitionAll(closed, 0.1, undefined, { device, fill: true });
    expect(filled).toEqual(await partitionAll(closed, 0.1, undefined, { fill: true }));
    expect(asked.length).toBe(1);
    for (const options of [{ mostBricks: 200 }, { mostBricks: 2 }]) {
      const failure = await partitionAll(meshes, 0.1, undefined, options).catch(String);
      expect(failure).toMatch(/Error: /);
      expect(await partitionAll(meshes, 0.1, undefined, { device, ...options }).catch(String)).toBe(failure);
    }
  });

  test('single coordinates, and none without a model', { tags: ['all'] }, async () => {
    const { positions, triangles } = icosphere(2);
    const single = { positions: Float32Array.from(positions) as unknown as Float64Array, triangles };
    const { sets } = await byDevice([single], 0.05);
    expect(sets).toEqual([byProcessor({ positions: Float64Array.from(single.positions), triangles }, 0.05)]);
    expect((await byDevice([], 0.05)).sets).toEqual([]);
  });
});
