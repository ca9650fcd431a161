/** Cells of surfaces on a GPU: the bytes of surface-cells.ts, which partition.test.ts holds to rational numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gpu } from '../../src/gpu/gpu.ts';
import { type SurfaceBatch, surfaceBricks } from '../../src/gpu/surface-bricks.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { addSurface } from '../../src/representations/voxel/build/surface-cells.ts';
import {
  type SurfaceOptions,
  type SurfaceWork,
  surfacesOnDevice,
} from '../../src/representations/voxel/build/surface-on-device.ts';
import { inOrder, newBricks } from '../../src/representations/voxel/tree/brick-table.ts';
import type { CubeSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { gpu, openDevice } from '../support/gpu.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, collinearTriangles, icosphere, mapped, randomTriangles, torus } from '../support/shapes.ts';

const byProcessor = ({ positions, triangles }: Surface, precision: number): CubeSet => {
  const bricks = newBricks();
  addSurface(bricks, Infinity, positions, triangles, precision, () => {});
  return inOrder(bricks, precision);
};

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const PRECISIONS = [0.1, 1 / 3, 1, 1e-6, 1e6, 1e-100, 1e100, 2 ** -30];

describe.skipIf(!gpu)('on a GPU', () => {
  // One for all tests: shaders take seconds to compile for a processor.
  let own: Gpu;
  beforeAll(async () => {
    own = new Gpu(await openDevice());
  });
  afterAll(() => own.device.destroy());

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
    console.log(work);
    return work;
  }

  const SHAPES: Record<string, [Surface, number]> = {
    'a sphere': [icosphere(3), 0.03],
    'bumps, far away': [mapped(bumpySphere(5), (x, y, z) => [x - 9000, z + 0.01, y + 7000]), 0.021],
    'a torus on the lattice': [torus(24, 12), 2 ** -5],
    'segments and points': [collinearTriangles(), 0.01],
    'smaller than a cell': [icosphere(2), 7],
    'the last coordinates that can be': [
      mapped(icosphere(1), (x, y, z) => [2 ** 21 - 60 + 50 * x, 50 * y, 60 + 50 * z - 2 ** 21]),
      1,
    ],
    'triangles of many blocks': [mapped(icosphere(0), (x, y, z) => [x, y + x / 3, z]), 0.008],
  };

  test.each(Object.keys(SHAPES))('%s: the same bytes', async (name) => {
    const [mesh, a] = SHAPES[name];
    await both([mesh], a);
  });

  test.each(some(8, SEEDS))('triangles of all sizes, seed %i', async (seed) => {
    const random = seeded(seed);
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

  test.each(some(4, SEEDS))('slivers and needles, seed %i', async (seed) => {
    const random = seeded(seed);
    const a = PRECISIONS[seed % PRECISIONS.length];
    const corner = () => [random.between(-40, 40), random.between(-40, 40), random.between(-40, 40)];
    const positions: number[] = [];
    for (let n = 0; n < 40; n++) {
      const [p, q] = [corner(), corner()];
      // A point of the line, or one of its ends, and a little beside it.
      const s = random.pick([0, 1, random.next()]);
      const width = random.pick([0, 2 ** -60, 1e-12, 1e-7, 1e-3, 0.1]);
      const r = p.map((x, i) => x + s * (q[i] - x) + width * random.between(-1, 1));
      positions.push(...p, ...q, ...r);
    }
    const triangles = Uint32Array.from({ length: positions.length / 3 }, (_, n) => n);
    await both([{ positions: Float64Array.from(positions, (x) => a * x), triangles }], a);
  });

  test.each(some(6, SEEDS))('corners, edges and faces on walls of cells, and a rounding beside, seed %i', async (seed) => {
    const random = seeded(seed);
    const a = PRECISIONS[seed % PRECISIONS.length];
    const far = random.pick([0, 1000, 2 ** 20]);
    const turned = random.below(3);
    const positions: number[] = [];
    for (let n = 0; n < 50; n++) {
      const flat = random.pick([-1, 0, 1, 2]);
      const level = far + random.below(20) / random.pick([1, 2]);
      for (let corner = 0; corner < 3; corner++) {
        const [x, y, z] = [0, 1, 2].map((axis) => {
          const whole = axis === flat ? level : far + random.below(24) / random.pick([1, 1, 1, 2, 4]);
          return a * whole * (1 + random.pick([0, 0, 0, 1, -1, 3]) * 2 ** -52);
        });
        // Through corners of cells: planes at 45 degrees.
        positions.push(...(turned === 1 ? [x, y, x] : turned === 2 ? [x, y, a * far + Math.max(x, y)] : [x, y, z]));
      }
    }
    const triangles = Uint32Array.from({ length: positions.length / 3 }, (_, n) => n);
    await both([{ positions: Float64Array.from(positions), triangles }], a);
  });

  test('many models, batch by batch, cut part by part, seed 5', async () => {
    const random = seeded(5);
    const meshes = Array.from({ length: 25 }, (_, n) => {
      const mesh = n % 5 === 0 ? icosphere(2) : randomTriangles(n, 1 + random.below(30));
      const [x0, y0] = [random.between(-3, 3), random.between(-3, 3)];
      return mapped(mesh, (x, y, z) => [x + x0, y + y0, z]);
    });
    for (const limits of [{}, { triangles: 100 }, { triangles: 1 }, { triangles: 333, mostCut: 1000 }])
      await both(limits.triangles === 1 ? meshes.slice(15) : meshes, 0.1, limits);
  });

  test('single coordinates, and none without a model', async () => {
    const { positions, triangles } = icosphere(2);
    const single = { positions: Float32Array.from(positions) as unknown as Float64Array, triangles };
    const { sets } = await byDevice([single], 0.05);
    expect(sets).toEqual([byProcessor({ positions: Float64Array.from(single.positions), triangles }, 0.05)]);
    expect((await byDevice([], 0.05)).sets).toEqual([]);
  });
});
