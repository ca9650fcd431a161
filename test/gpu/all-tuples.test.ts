/** All two-tuples of cubes on a GPU: how they are cut into blocks, and the threads' answer, word by word. */
import { describe, expect, test } from 'vitest';
import { blocksOf, type collidingTuples } from '../../src/gpu/all-tuples.ts';
import { Random } from '../../src/math/numbers.ts';
import { collideAllPairs } from '../../src/representations/voxel/bulk/collide.ts';
import { openWorkers } from '../../src/representations/voxel/bulk/cube-workers.ts';
import type { CubeSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { gpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { randomBricks, randomCubes } from './random-cubes.ts';

const WHOLE = 0xffffffff;

function placesOf(counts: readonly number[]): Uint32Array {
  const places = new Uint32Array(counts.length + 1);
  counts.forEach((count, m) => {
    places[m + 1] = places[m] + count;
  });
  return places;
}

/** Every two-tuple in its order, as text. */
const allOf = (counts: readonly number[]): string[] =>
  counts.flatMap((n, i) =>
    counts.flatMap((m, j) =>
      j <= i ? [] : Array.from({ length: n * m }, (_, t) => `${i} ${j} ${Math.floor(t / m)} ${t % m}`),
    ),
  );

/** What a block's pieces say, two-tuple by two-tuple. */
function* toldBy(counts: readonly number[], tuples: number, pieces: Uint32Array): Generator<string> {
  for (let p = 0; p < pieces.length; p += 5) {
    let [, i, j, k, l] = pieces.subarray(p, p + 5);
    if (k === WHOLE) k = 0;
    const end = p + 5 < pieces.length ? pieces[p + 5] : tuples;
    while (counts[j] === 0) j++;
    for (let t = pieces[p]; t < end; t++) {
      yield `${i} ${j} ${k} ${l}`;
      if (++l < counts[j]) continue;
      l = 0;
      if (++k < counts[i]) continue;
      k = 0;
      do j++;
      while (counts[j] === 0);
    }
  }
}

test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))(
  'blocks hold every two-tuple once, in order, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 40; n++) {
      const counts = Array.from({ length: 2 + (random.integer() % 6) }, () => random.integer() % 9);
      const most = 1 + (random.integer() % 60);
      const told: string[] = [];
      for (const { tuples, pieces } of blocksOf(counts.length, placesOf(counts), most)) {
        expect(tuples > 0 && tuples <= most).toBe(true);
        told.push(...toldBy(counts, tuples, pieces));
      }
      expect(told).toEqual(allOf(counts));
    }
  },
);

describe.skipIf(!gpu)('on a GPU', { tags: ['all'] }, () => {
  const both = async (sets: CubeSet[], limits: { most?: number; mostFound?: number } = {}): Promise<number> => {
    const { work, ...answer } = await collideAllPairs(sets);
    const device = {
      ...gpu!,
      allTuples: (input: Parameters<typeof collidingTuples>[1]) => gpu!.allTuples({ ...input, ...limits }),
    };
    const { work: onGpu, ...found } = await collideAllPairs(sets, undefined, { device });
    expect(found).toEqual(answer);
    expect({ ...onGpu, blocks: 0 }).toEqual({ ...work, blocks: 0 });
    if (limits.mostFound) expect(onGpu.blocks).toBeGreaterThanOrEqual(Math.ceil(work.collided / limits.mostFound));
    return work.collided;
  };

  test.each(some(4, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))(
    'gives the words that threads give, seed %i',
    { tags: ['all', 'long'] },
    async (seed) => {
      const random = new Random(seed);
      await both(
        Array.from({ length: 2 + (random.integer() % 30) }, () => randomCubes(random, 1 + (random.integer() % 40))),
      );
    },
  );

  test('block by block, blocks that end amid a pair and amid a row', { tags: ['all'] }, async () => {
    const random = new Random(77);
    const sets = Array.from({ length: 6 }, (_, m) => randomCubes(random, m === 3 ? 200 : 20));
    for (const most of [5000, 12_345]) await both(sets, { most });
  });

  test('answer by answer, where more collide than a buffer holds', { tags: ['all'] }, async () => {
    const random = new Random(78);
    const sets = Array.from({ length: 12 }, () => randomBricks(random, 40, 0.5));
    const all = await both(sets);
    expect(await both(sets, { mostFound: Math.ceil(all / 3) })).toBe(all);
    expect(await both(sets, { most: 100_000, mostFound: 1000 })).toBe(all);
  });

  test('of cubes in memory that threads share', { tags: ['all'] }, async () => {
    const random = new Random(3);
    const sets = [randomCubes(random, 30), randomCubes(random, 30)];
    const workers = openWorkers(2);
    try {
      const { work: _, ...answer } = await collideAllPairs(sets, workers, { device: gpu! });
      const { work: __, ...expected } = await collideAllPairs(sets);
      expect(answer).toEqual(expected);
    } finally {
      await workers.close();
    }
  });

  test('of models of which some are empty', async () => {
    const random = new Random(5);
    const empty = { precision: 1, keys: new Uint32Array(0), masks: new Uint32Array(0) };
    await both([empty, randomCubes(random, 30), empty, empty, randomCubes(random, 30), empty]);
    await both([empty, empty]);
  });
});
