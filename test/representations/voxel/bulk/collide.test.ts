/** Peng and Wu's collision detection of sets of cubes: both ways against brute force over strings, and against each other to the byte. */
import { describe, expect, test } from 'vitest';
import {
  collideAllPairs,
  collideSorted,
  commonCubes,
  requireFewModels,
  totalPairCount,
} from '../../../../src/representations/voxel/bulk/collide.ts';
import { sharersOf } from '../../../../src/representations/voxel/bulk/passes.ts';
import { callingThread } from '../../../../src/representations/voxel/bulk/stages.ts';
import { type CubeSet, cellsOf } from '../../../../src/representations/voxel/tree/cube-set.ts';
import { seeded } from '../../../support/random.ts';
import { answerOf, bruteForce, type Cell, scene, setOf, sharedIn } from './sets.ts';

const WAYS = { collideAllPairs, collideSorted };

describe.each([1, 2, 3])('scene %i', (seed) => {
  const sets = scene(seed);
  const truth = bruteForce(sets);

  test.each(Object.entries(WAYS))('%s finds what brute force finds, in order', async (_, collide) => {
    const found = await collide(sets);
    expect(truth.length).toBeGreaterThan(20);
    expect(sharedIn(found)).toEqual(truth);
    expect([...found.cubes]).toEqual(truth.map(([, , cells]) => cells.length));
  });

  test('TotalPairCount is what brute force would compare', async () => {
    const counts = sets.map((set) => BigInt(cellsOf(set).length / 3));
    const pairs = counts.flatMap((a, i) => counts.slice(i + 1).map((b) => a * b));
    const expected = Number(pairs.reduce((sum, product) => sum + product, 0n));
    const [all, sorted] = [await collideAllPairs(sets), await collideSorted(sets)];
    expect([all.work.totalPairCount, all.work.tuples, sorted.work.totalPairCount]).toEqual([
      expected,
      expected,
      expected,
    ]);
  });

  test('the same bytes from both ways, in any cut and any block', async () => {
    const first = answerOf(await collideAllPairs(sets));
    for (const collide of Object.values(WAYS)) {
      for (const [parts, block] of [
        [1, 7],
        [3, 2 ** 16],
        [7, 1000],
      ]) {
        if (block === 7 && collide === collideAllPairs) continue;
        expect(answerOf(await collide(sets, callingThread(parts), { block }))).toEqual(first);
      }
    }
  });
});

test.each([1, 7])('all pairs in blocks of %i', async (block) => {
  const sets = scene(4).slice(4, 12);
  const found = await collideAllPairs(sets, callingThread(2), { block });
  expect(sharedIn(found)).toEqual(bruteForce(sets));
  expect(found.work.blocks).toBe(Math.ceil(found.work.tuples / block));
});

test.each(Object.entries(WAYS))('%s: common cubes are a set of their own', async (_, collide) => {
  const found = await collide(scene(5));
  const last = found.pairs.length / 2;
  expect([found.first.length, found.first[last], found.cubes.length]).toEqual([last + 1, found.keys.length / 2, last]);
  for (let pair = 0; pair < last; pair++) {
    const { keys, masks, precision } = commonCubes(found, pair);
    expect(precision).toBe(1);
    const wide = (words: Uint32Array) =>
      Array.from({ length: words.length / 2 }, (_, n) => (BigInt(words[2 * n + 1]) << 32n) | BigInt(words[2 * n]));
    expect(wide(keys).every((key, n, all) => n === 0 || all[n - 1] < key)).toBe(true);
    expect(wide(masks)).not.toContain(0n);
  }
});

test.each(Object.entries(WAYS))('%s: nothing in common, and nothing at all', async (_, collide) => {
  const apart = [setOf([[0, 0, 0]]), setOf([[1, 0, 0]]), setOf([[0, 0, -1]])];
  for (const sets of [apart, [setOf([]), setOf([])], [setOf([]), setOf([[5, 5, 5]])]]) {
    const found = await collide(sets);
    expect([found.pairs.length, found.keys.length, [...found.first], found.cubes.length]).toEqual([0, 0, [0], 0]);
  }
});

test('equal models have all cubes in common', async () => {
  const random = seeded(6);
  const cells = Array.from({ length: 200 }, (): Cell => [random.below(20), random.below(20) - 10, -random.below(20)]);
  const set = setOf(cells, 0.1);
  for (const collide of Object.values(WAYS)) {
    const found = await collide([set, set, set]);
    expect([...found.pairs]).toEqual([0, 1, 0, 2, 1, 2]);
    for (let pair = 0; pair < 3; pair++) expect(commonCubes(found, pair)).toEqual(set);
  }
});

test('bricks whose keys differ in the high word only', async () => {
  const cells = [0, 4096, 8192, -4096].map((x): Cell => [x, 0, 0]);
  const set = setOf(cells);
  expect(new Set(set.keys.filter((_, n) => n % 2 === 0)).size).toBe(1);
  for (const collide of Object.values(WAYS)) expect(commonCubes(await collide([set, setOf(cells)]), 0)).toEqual(set);
});

test('arrays of the answer are neither shared nor views of more', async () => {
  const found = await collideSorted([setOf([[0, 0, 0]]), setOf([[0, 0, 0]])], {
    ...callingThread(),
    memory: (bytes) => new SharedArrayBuffer(bytes),
  });
  for (const array of [found.pairs, found.cubes, found.first, found.keys, found.masks]) {
    expect(array.buffer).toBeInstanceOf(ArrayBuffer);
    expect(array.buffer.byteLength).toBe(array.byteLength);
  }
});

test.each([9, 10])('what is left out of the sort shares its key with nobody, and most of it is: seed %i', (seed) => {
  const random = seeded(seed);
  const around = (reach: number): Cell => [0, 0, 0].map(() => random.below(2 * reach) - reach) as Cell;
  const sets = [
    ...scene(seed),
    ...Array.from({ length: 20 }, () => setOf(Array.from({ length: 50 }, () => around(400)))),
  ];
  const all = sets.flatMap(({ keys }, m) =>
    Array.from({ length: keys.length / 2 }, (_, n) => ({ m, key: `${keys[2 * n]} ${keys[2 * n + 1]}` })),
  );
  const times = new Map<string, number>();
  for (const { key } of all) times.set(key, (times.get(key) ?? 0) + 1);
  const { count, keys, modelOf, cubes } = sharersOf(sets, all.length, (bytes) => new ArrayBuffer(bytes));
  const left = new Set(Array.from({ length: count }, (_, n) => `${modelOf[n]}: ${keys[2 * n]} ${keys[2 * n + 1]}`));
  const shared = all.filter(({ key }) => times.get(key) !== 1);
  expect(shared.filter(({ m, key }) => !left.has(`${m}: ${key}`))).toEqual([]);
  expect(left.size).toBe(count);
  expect(count - shared.length).toBeLessThan((all.length - shared.length) / 4);
  expect(cubes).toBe(sets.reduce((sum, set) => sum + cellsOf(set).length / 3, 0));
});

test('what it cost', async () => {
  const [a, b] = [
    setOf([
      [0, 0, 0],
      [1, 0, 0],
      [9, 0, 0],
    ]),
    setOf([
      [1, 0, 0],
      [20, 0, 0],
    ]),
  ];
  const { work } = await collideAllPairs([a, b, a], callingThread(), { block: 10 });
  // 3 x 2 + 3 x 3 + 2 x 3 two-tuples; a and b have one cube in common, twice, a and a three.
  const sizes = { models: 3, pairs: 3, bricks: 6, cubes: 8, totalPairCount: 21 };
  expect(work).toEqual({ ...sizes, tuples: 21, collided: 5, blocks: 3 });
  // Of bricks: three with one key, and a's other one twice.
  const sorted = await collideSorted([a, b, a]);
  expect(sorted.work).toEqual({ ...sizes, tuples: 4, collided: 4, blocks: 1 });
});

test('bricks of one key that share no cube: at most 64 times what collides and 32 for each', async () => {
  const random = seeded(7);
  for (const models of [64, 200]) {
    const sets = Array.from({ length: models }, (_, m) => setOf([[m & 3, (m >> 2) & 3, (m >> 4) & 3]]));
    const { work } = await collideSorted(sets);
    expect(work.tuples).toBe((models * (models - 1)) / 2);
    expect(work.tuples).toBeLessThanOrEqual(64 * work.collided + 32 * work.bricks);
  }
  for (let turn = 0; turn < 5; turn++) {
    const cell = (): Cell => [random.below(4), random.below(4), random.below(4)];
    const { work } = await collideSorted(Array.from({ length: 150 }, () => setOf([cell(), cell()])));
    expect(work.tuples).toBeLessThanOrEqual(64 * work.collided + 32 * work.bricks);
  }
});

test('three thousand models of few cubes cost by their bricks', async () => {
  const random = seeded(8);
  const sets = Array.from({ length: 3000 }, () => {
    const corner = [0, 0, 0].map(() => random.below(200) - 100);
    return setOf([0, 1, 2, 3].map((x): Cell => [corner[0] + x, corner[1], corner[2] + 2 * x]));
  });
  const { work, pairs } = await collideSorted(sets);
  expect(work.tuples).toBeLessThan(work.bricks);
  expect(pairs.length).toBeGreaterThan(0);
});

describe.each(Object.entries(WAYS))('%s refuses', (_, collide) => {
  const one = (precision: number): CubeSet => setOf([[0, 0, 0]], precision);

  test('fewer than two models', async () => {
    await expect(collide([one(1)])).rejects.toThrow(
      'sets: expected two or more, for cubes to collide between, found Array of 1',
    );
    await expect(collide([])).rejects.toMatchObject({ name: 'OptionError' });
  });

  test('different precisions, by name', async () => {
    const names = ['wall', 'pipe', 'slab'];
    const sets = [one(0.1), one(0.1), one(0.05)];
    await expect(collide(sets, callingThread(), { names })).rejects.toThrow('precision: wall has 0.1, slab 0.05');
    await expect(collide(sets)).rejects.toThrow('precision: model 0 has 0.1, model 2 0.05');
  });

  test('blocks that are none', async () => {
    for (const block of [0, -1, 1.5, Number.NaN, 2 ** 27]) {
      await expect(collide([one(1), one(1)], callingThread(), { block })).rejects.toThrow(
        'block: expected a whole number',
      );
    }
  });
});

test('what certainly collides too often is refused before a two-tuple is made', async () => {
  const set = setOf([0, 4, 8, 12].map((x): Cell => [x, 0, 0]));
  const work: string[] = [];
  const one = callingThread();
  const watched: typeof one = {
    ...one,
    paying: () => watched,
    run: (stages, data, items) => {
      work.push(...stages);
      return one.run(stages, data, items);
    },
  };
  await expect(collideSorted(new Array(75_000).fill(set), watched)).rejects.toThrow(
    'more than 134217728 two-tuples collide: compare fewer models at once, or coarser cubes',
  );
  expect(work).not.toContain('brickGeneration');
});

test('limits of the number of models', async () => {
  const empty = setOf([]);
  await expect(collideAllPairs(new Array(23_172).fill(empty))).rejects.toThrow('at most 268435456 pairs for all-pairs');
  await expect(collideSorted(new Array(92_683).fill(empty))).rejects.toThrow('at most 92682 models');
  requireFewModels(23_170, { allPairs: true });
  requireFewModels(92_682);
  expect(() => requireFewModels(23_171, { allPairs: true })).toThrow(
    'expected at most 268435456 pairs for all-pairs, found 268436035 of 23171 models',
  );
  expect(() => requireFewModels(92_683)).toThrow('expected at most 92682 models at once, found 92683');
});

test('TotalPairCount is exact below 2^53, where squares are not', () => {
  const counts = [2 ** 26 - 1, 2 ** 26 - 3, 12_345];
  const big = counts.map(BigInt);
  const exact = big[0] * big[1] + (big[0] + big[1]) * big[2];
  expect(BigInt(totalPairCount(counts))).toBe(exact);
  expect(totalPairCount([])).toBe(0);
});
