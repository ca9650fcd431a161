/** Sorted bricks on a GPU: its sort and its prefix sums, how two-tuples are cut into blocks, and the threads' answer, word by word. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GpuError, OptionError } from '../../src/base/errors.ts';
import type { Gpu } from '../../src/gpu/gpu.ts';
import { Room } from '../../src/gpu/gpu.ts';
import { keyRanges } from '../../src/gpu/key-ranges.ts';
import { digitsOf, prefixSum, radixSort } from '../../src/gpu/radix-sort.ts';
import { blocksOf, collidingBricks, type SortedBricks } from '../../src/gpu/sorted-bricks.ts';
import { Random } from '../../src/math/numbers.ts';
import { type CubeDevice, collideSorted, type Work } from '../../src/representations/voxel/bulk/collide.ts';
import { openWorkers } from '../../src/representations/voxel/bulk/cube-workers.ts';
import type { Workers } from '../../src/representations/voxel/bulk/stages.ts';
import type { CubeSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { gpu, newGpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { randomBricks, randomCubes } from './random-cubes.ts';

const TILE = 2048;

type Limits = Pick<SortedBricks, 'most' | 'mostBricks'>;

test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8]))(
  'blocks hold every two-tuple once, in order, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 200; n++) {
      const tiles = Uint32Array.from({ length: 1 + (random.integer() % 8) }, () =>
        random.integer() % 3 === 0 ? 0 : random.integer() % 50,
      );
      const most = 1 + (random.integer() % 60);
      const told: string[] = [];
      for (const { tuples, skip, first, starts } of blocksOf(tiles, most)) {
        expect(tuples > 0 && tuples <= most).toBe(true);
        for (let t = skip; t < skip + tuples; t++) {
          const tile = starts.findLastIndex((start) => start <= t);
          told.push(`${first / TILE + tile} ${t - starts[tile]}`);
        }
      }
      const all = Array.from(tiles, (count, tile) => Array.from({ length: count }, (_, t) => `${tile} ${t}`)).flat();
      expect(told).toEqual(all);
    }
  },
);

test.each(some(2, [1, 2, 3, 4, 5, 6]))(
  'ranges hold every key once, in order, and one key together, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 20; n++) {
      const bits = 1 + (random.integer() % 60);
      const count = 1 + (random.integer() % 300);
      // The bits above are the same in all.
      const upper = (BigInt(random.integer()) << BigInt(bits)) & (2n ** 60n - 1n);
      const numbers = Array.from({ length: count }, () => upper | BigInt(Math.floor(random.unit() * 2 ** bits)));
      const mask = 2n ** 30n - 1n;
      const keys = Uint32Array.from(numbers.flatMap((key) => [Number(key & mask), Number(key >> 30n)]));
      const most = count - (random.integer() % Math.ceil(count / 4));
      let ranges: Uint32Array[] = [];
      try {
        ranges = keyRanges(keys, most);
      } catch (error) {
        expect(error).toBeInstanceOf(GpuError);
        continue;
      }
      expect(
        Array.from(ranges, (range) => [...range])
          .flat()
          .toSorted((a, b) => a - b),
      ).toEqual([...numbers.keys()]);
      for (const [n, range] of ranges.entries()) {
        expect(range.length).toBeLessThanOrEqual(most);
        expect([...range]).toEqual([...range].toSorted((a, b) => a - b));
        const later = ranges.slice(n + 1).flatMap((range) => [...range]);
        for (const k of range) for (const other of later) expect(numbers[k] < numbers[other]).toBe(true);
      }
    }
  },
);

test('digits are where keys differ, and nowhere else', () => {
  expect(digitsOf([0, 0])).toEqual([]);
  expect(digitsOf([0b1_0001_0000, 1])).toEqual([
    { word: 0, shift: 4 },
    { word: 0, shift: 8 },
    { word: 1, shift: 0 },
  ]);
  expect(digitsOf([-1]).length).toBe(8);
  expect(digitsOf([2 ** 31])).toEqual([{ word: 0, shift: 31 }]);
});

describe.skipIf(!gpu)('on a GPU', () => {
  let own: Gpu;
  let room: Room;
  beforeAll(() => {
    own = newGpu();
  });
  beforeEach(() => {
    room = new Room(own);
  });
  afterEach(() => room.close());

  test.each(some(2, [2049, 1, 2047, 2048, 4095, 10_000, 600_000]))(
    'prefix sums of %i counts',
    { tags: ['all', 'long'] },
    async (items) => {
      const random = new Random(items);
      const counts = Uint32Array.from({ length: items }, () => random.integer() % 7000);
      // What lies behind the counts is no count.
      const buffer = room.storage(Uint32Array.from([...counts, 12_345]));
      const [sums] = await own.run(prefixSum(room, buffer, items), [{ buffer, words: items + 1 }]);
      let sum = 0;
      const expected = Uint32Array.from({ length: items + 1 }, (_, k) => {
        const here = sum;
        sum += counts[k] ?? 0;
        return here;
      });
      expect(sums).toEqual(expected);
    },
  );

  test.each(some(2, [1, 2, 3, 4, 5, 6]))(
    'the sort is stable, by 60 bits, seed %i',
    { tags: ['long'] },
    async (seed) => {
      const random = new Random(seed);
      const items = [2049, 300, 2048, 20_000, 1, 7][seed - 1];
      const range = seed % 2 === 0 ? 2 ** 30 : 5;
      const records = new Uint32Array(3 * items);
      for (let n = 0; n < items; n++)
        records.set([Math.floor(random.unit() * range), Math.floor(random.unit() * range), n], 3 * n);
      const digits = digitsOf([2 ** 30 - 1, 2 ** 30 - 1]);
      const { passes, sorted } = radixSort(room, room.storage(records), room.storage(12 * items), items, digits);
      const [found] = await own.run(passes, [{ buffer: sorted, words: 3 * items }]);
      const expected = Array.from({ length: items }, (_, n) => Array.from(records.subarray(3 * n, 3 * n + 3))).sort(
        (a, b) => a[1] - b[1] || a[0] - b[0] || a[2] - b[2],
      );
      expect(found).toEqual(Uint32Array.from(expected.flat()));
    },
  );

  /** The GPU, with at most so many two-tuples in a block, and so many bricks at once. */
  const deviceOf = (limits: Limits): CubeDevice => ({
    ...gpu!,
    sortedBricks: (input) => collidingBricks(own, { ...input, ...limits }),
  });
  const both = async (sets: CubeSet[], limits: Limits = {}, workers?: Workers): Promise<Work> => {
    const { work, ...found } = await collideSorted(sets, workers, { device: deviceOf(limits) });
    const { work: expected, ...answer } = await collideSorted(sets);
    expect(found).toEqual(answer);
    expect({ ...work, blocks: 0 }).toEqual({ ...expected, blocks: 0 });
    return work;
  };

  test.each(some(2, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))(
    'the words that threads give, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const random = new Random(seed);
      await both(
        Array.from({ length: 2 + (random.integer() % 40) }, () => randomCubes(random, 1 + (random.integer() % 60))),
      );
    },
  );

  test('block by block, tiles that end amid a key and blocks that end amid a brick, seed 21', {
    tags: ['long'],
  }, async () => {
    const random = new Random(21);
    const sets = Array.from({ length: 60 }, () => randomBricks(random, 150, 0.6));
    const { bricks, tuples, collided } = await both(sets, { most: 20_001 });
    expect(bricks).toBeGreaterThan(2 * TILE);
    expect(tuples).toBeGreaterThan(2 * 20_001);
    expect(collided).toBeGreaterThan(1000);
  });

  test.each(some(1, [23, 24, 25]))('range by range of their keys, seed %i', { tags: ['all', 'long'] }, async (seed) => {
    const random = new Random(seed);
    const sets = Array.from({ length: 30 }, () => randomBricks(random, 100, 0.5));
    const { bricks, collided, blocks } = await both(sets, { mostBricks: 400 });
    expect(bricks).toBeGreaterThan(3 * 400);
    expect(blocks).toBeGreaterThan(3);
    expect(collided).toBeGreaterThan(500);
    await expect(both(sets, { mostBricks: 5 })).rejects.toThrow(/^\d+ bricks side by side/);
  });

  test('of bricks that all have one key, and of none that share one', { tags: ['all'] }, async () => {
    const brick = (low: number, mask: number): CubeSet => ({
      precision: 1,
      keys: Uint32Array.of(low, 7),
      masks: Uint32Array.of(mask, 0),
    });
    await both(Array.from({ length: 100 }, (_, m) => brick(5, 1 << (m % 32))));
    await both(Array.from({ length: 100 }, (_, m) => brick(m, 1)));
    await both(Array.from({ length: 2 }, (_, m) => brick(5, 1 << m)));
  });

  test('of cubes in memory that threads share, and of empty models', { tags: ['all'] }, async () => {
    const random = new Random(3);
    const empty = { precision: 1, keys: new Uint32Array(0), masks: new Uint32Array(0) };
    const workers = openWorkers(2);
    try {
      await both([empty, randomCubes(random, 30), empty, randomCubes(random, 30)], {}, workers);
    } finally {
      await workers.close();
    }
    await both([empty, empty]);
  });

  test('more two-tuples than may collide are refused before they are compared', { tags: ['all'] }, async () => {
    const input = {
      models: 2,
      keys: Uint32Array.of(5, 7, 5, 7),
      masks: Uint32Array.of(1, 0, 1, 0),
      modelOf: Uint32Array.of(0, 1),
    };
    const refuse = (tuples: number): void => {
      throw new OptionError(`${tuples} two-tuples`);
    };
    await expect(collidingBricks(own, { ...input, onTuples: refuse })).rejects.toThrow('1 two-tuples');
  });
});
