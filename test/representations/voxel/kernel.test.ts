/** A mesh into cubes by the kernel: the bytes of its twin in TypeScript, which partition.test.ts holds to rational numbers. */
import { describe, expect, test } from 'vitest';
import { allocate, kernelMemory, release, whileBusy } from '../../../src/kernels/memory.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { cut } from '../../../src/representations/voxel/make/kernel.ts';
import { partition } from '../../../src/representations/voxel/make/partition.ts';
import { surfaceByTwin } from '../../kernels/twins/cubes.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, collinearTriangles, icosphere, mapped, randomTriangles, torus } from '../../support/shapes.ts';

/** Bricks that room is made for; some shapes take more. */
const LIKELY = 2 ** 14;

const taskOf = ({ positions, triangles }: Surface, precision: number, most = 2 ** 26) => ({
  ...{ positions, triangles, precision, most },
  likely: LIKELY,
});

const byKernel = (mesh: Surface, precision: number) => cut(taskOf(mesh, precision)).set;

test('there is a kernel here', () => {
  expect(kernelMemory()).not.toBeNull();
});

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
  'more triangles than are reported at once': [icosphere(5), 0.05],
  'more bricks than there was room for': [torus(40, 20), 0.003],
};

test.each(Object.keys(SHAPES))('%s: the same bytes', { tags: ['all'] }, (name) => {
  const [mesh, a] = SHAPES[name];
  expect(byKernel(mesh, a)).toEqual(surfaceByTwin(mesh, a));
});

test.each(Array.from({ length: long ? 67 : 12 }, (_, seed) => seed))(
  'triangles of all sizes: seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const a = [0.1, 1 / 3, 1, 1e-100, 1e100, 2 ** -30][seed % 6];
    const size = 10 ** random.between(-1, 2);
    const reach = 10 ** random.between(0, 6);
    const flat = seed % 4 === 3;
    const mesh = mapped(randomTriangles(seed, 30), (x, y, z) => [
      a * (reach + size * x),
      a * (size * y - reach / 3),
      a * (flat ? 0.5 : size * z),
    ]);
    expect(byKernel(mesh, a)).toEqual(surfaceByTwin(mesh, a));
  },
);

test.each(some(2, [1, 2, 3, 4, 5]))('brick by brick, the cells of whole triangles, seed %i', (seed) => {
  const a = 0.125;
  const { positions, triangles } = randomTriangles(seed, 12);
  const whole = byKernel({ positions, triangles }, a);
  // Every brick of every triangle's range, in any order; those that it misses set nothing.
  const list: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [from, to] = [Math.min, Math.max].map((pick) =>
      [0, 1, 2].map((axis) =>
        Math.floor(pick(...[0, 1, 2].map((k) => positions[3 * triangles[t + k] + axis])) / (4 * a)),
      ),
    );
    for (let x = from[0]; x <= to[0]; x++)
      for (let y = from[1]; y <= to[1]; y++) for (let z = from[2]; z <= to[2]; z++) list.push(t / 3, x, y, z);
  }
  const task = { ...taskOf({ positions, triangles: new Uint32Array(0) }, a), likely: 1 };
  expect(cut({ ...task, bricks: { triangles, list: Uint32Array.from(list) } }).set).toEqual(whole);
});

function messageOf(run: () => unknown): string {
  try {
    return `no error: ${run()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('what partition makes of it', () => {
  const mesh = icosphere(4);
  const a = 0.0075;
  /** By the kernel: the surface, and the inside with it. */
  const made = [false, true].map((fill) => ({ fill, set: partition(mesh, a, { fill }) }));
  const [{ set: surface }, { set: filled }] = made;

  test.each(made)(
    'the same where the kernel answers and where it is in use, filled: $fill',
    { tags: ['all'] },
    ({ fill, set }) => {
      expect(set.keys.length / 2).toBeGreaterThan(LIKELY);
      expect(whileBusy(() => partition(mesh, a, { fill }))).toEqual(set);
    },
  );

  test('progress goes from 0 to 1, and whoever hears of it may cut another', { tags: ['all'] }, () => {
    const heard: [string, number][] = [];
    const again = partition(mesh, a, {
      onProgress: (stage, fraction) => {
        heard.push([stage, fraction]);
        if (heard.length === 2) expect(partition(mesh, a)).toEqual(surface);
      },
    });
    expect(again).toEqual(surface);
    expect(heard.map(([stage]) => stage)).toEqual(['surface', 'surface', 'surface', 'order', 'order']);
    expect(heard.map(([, fraction]) => fraction)).toEqual([0, 4096 / 5120, 1, 0, 1]);
  });

  test('too many bricks are counted, no more than one', { tags: ['long'] }, () => {
    const bricks = surface.keys.length / 2;
    expect(cut(taskOf(mesh, a, bricks)).set).toEqual(surface);
    expect(cut(taskOf(mesh, a, bricks - 1))).toEqual({ set: null });
    for (const { fill, set } of made) {
      const most = set.keys.length / 2;
      expect(partition(mesh, a, { fill, mostBricks: most })).toEqual(set);
      const run = () => partition(mesh, a, { fill, mostBricks: most - 1 });
      const refusal = messageOf(run);
      expect(refusal).toMatch(/^about \d+ cubes of 0\.0075 are more than/);
      expect(messageOf(() => whileBusy(run))).toBe(refusal);
    }
  });

  test('an inside of more bricks than there was room for', { tags: ['long'] }, () => {
    const { set } = cut({ ...taskOf(mesh, a), fill: true });
    expect(set).toEqual(filled);
    expect(set?.keys.length).toBeGreaterThan(16 * LIKELY);
  });

  test('memory is given back', () => {
    const free = () => {
      const address = allocate(2 ** 20);
      release(address);
      return address;
    };
    partition(mesh, a);
    const before = free();
    for (const fill of [false, true]) partition(mesh, a, { fill });
    expect(free()).toBe(before);
  });
});
