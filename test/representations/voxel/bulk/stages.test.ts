/** Peng and Wu's algorithms 2 to 5, one by one against the plainest loops, in any cut. */
import { describe, expect, test } from 'vitest';
import {
  brickDetection,
  brickGeneration,
  brickPreGeneration,
  detection,
  generation,
  reduction,
  type Tuples,
} from '../../../../src/representations/voxel/bulk/algorithms.ts';
import { countsToPlaces, sortRecords } from '../../../../src/representations/voxel/bulk/passes.ts';
import {
  firstModel,
  MOST_MODELS,
  pairCount,
  pairNumber,
  preGeneration,
  secondModel,
} from '../../../../src/representations/voxel/bulk/pre-generation.ts';
import { basesOf, itemAt, prefix, sum } from '../../../../src/representations/voxel/bulk/prefix-sum.ts';
import { callingThread, tasksOf } from '../../../../src/representations/voxel/bulk/stages.ts';
import { seeded } from '../../../support/random.ts';

const tuplesFor = (size: number): Tuples => ({
  u: new Uint32Array(size),
  first: new Uint32Array(size),
  second: new Uint32Array(size),
});
const listOf = ({ u, first, second }: Tuples, count: number) =>
  Array.from({ length: count }, (_, t) => [u[t], first[t], second[t]]);
const prefixOf = (values: number[]) => Float64Array.from(basesOf(values));

/** [begin, end) in random pieces, some of them empty. */
function pieces(items: number, seed: number): [number, number][] {
  const random = seeded(seed);
  const cuts = [0, items, ...Array.from({ length: 4 }, () => random.below(items + 1))].sort((a, b) => a - b);
  return cuts.slice(1).map((end, i) => [cuts[i], end]);
}

describe('pre-generation', () => {
  test.each([2, 3, 4, 17, 64])('the pairs of %i models in order', (models) => {
    let u = 0;
    for (let i = 0; i < models; i++) {
      for (let j = i + 1; j < models; j++, u++) {
        expect(pairNumber(models, i, j)).toBe(u);
        expect(firstModel(models, u)).toBe(i);
        expect(secondModel(models, u, i)).toBe(j);
      }
    }
    expect(pairCount(models)).toBe(u);
  });

  // The proof goes to 8v + 1 < 2^53, 4.7e7 models.
  test.each([MOST_MODELS, 47_000_000])('rows begin and end where they should, %i models', (models) => {
    const step = Math.max(1, Math.floor(models / 100_000));
    let wrong = 0;
    for (let i = 0; i < models - 1; i += i < 1000 || i > models - 1000 ? 1 : Math.min(step, models - 999 - i)) {
      const [begin, end] = [pairNumber(models, i, i + 1), pairNumber(models, i, models - 1)];
      if (firstModel(models, begin) !== i || secondModel(models, begin, i) !== i + 1) wrong++;
      if (firstModel(models, end) !== i || secondModel(models, end, i) !== models - 1) wrong++;
    }
    expect(wrong).toBe(0);
  });

  test('most models have pairs that 32 bits number', () => {
    expect(pairCount(MOST_MODELS)).toBeLessThanOrEqual(2 ** 32);
    expect(pairCount(MOST_MODELS + 1)).toBeGreaterThan(2 ** 32);
  });

  test('|C_i| |C_j| in any cut', () => {
    const sizes = [3, 0, 5, 2 ** 20, 7];
    const firstCube = Uint32Array.from(basesOf(sizes));
    const pair = new Float64Array(10);
    for (const [from, to] of pieces(10, 1)) preGeneration({ models: 5, firstCube, pair }, from, to);
    expect([...pair]).toEqual(sizes.flatMap((a, i) => sizes.slice(i + 1).map((b) => a * b)));
  });
});

describe('prefix sum', () => {
  test.each([1, 2, 3, 7, 100])('in %i parts, over itself', async (parts) => {
    const random = seeded(parts);
    const values = Array.from({ length: 50 }, () => random.below(1000));
    const counts = Float64Array.of(0, ...values);
    expect(await countsToPlaces(callingThread(parts), counts, 50, 'things')).toBe(values.reduce((a, b) => a + b));
    expect([...counts]).toEqual(basesOf(values));
  });

  test('parts do not read what others write', () => {
    const values = Uint8Array.of(1, 0, 1, 1, 0, 1);
    const found = new Uint32Array(7);
    const parts = tasksOf([], null, 6, 3).map(({ from, to }) => [from, to]);
    const bases = basesOf(parts.map(([from, to]) => sum({ values }, from, to)));
    for (const part of [2, 0, 1]) prefix({ values, prefix: found, bases }, parts[part][0], parts[part][1], part);
    expect([...found]).toEqual([0, 1, 1, 2, 3, 3, 4]);
  });

  test.each([1, 2, 3, 4])('what doubles cannot count is refused, in %i parts', async (parts) => {
    const places = (...values: number[]) =>
      countsToPlaces(callingThread(parts), Float64Array.of(0, ...values), values.length, 'two-tuples');
    const half = 2 ** 52;
    expect(await places(1, half - 2, half, 0)).toBe(2 ** 53 - 1);
    await expect(places(1, half - 1, half, 0)).rejects.toThrow('two-tuples, found 9007199254740992');
    // 2^53 + 1 is rounded to 2^53 in one order, not in the other.
    await expect(places(1, half, half, 0)).rejects.toThrow('at most 9007199254740991');
    await expect(places(half, half, 1, 0)).rejects.toMatchObject({ name: 'OptionError' });
    await expect(places(2 ** 64, 1, 0, 5)).rejects.toMatchObject({ name: 'OptionError' });
  });

  test('the item that a place belongs to', () => {
    const counts = [0, 2, 0, 0, 3, 1, 0];
    const places = prefixOf(counts);
    const owners = counts.flatMap((count, item) => new Array(count).fill(item));
    expect(owners.map((_, place) => itemAt(places, counts.length, place))).toEqual(owners);
  });
});

describe('generation', () => {
  test.each([1, 7, 1000])('all two-tuples, in blocks of %i and any cut', (block) => {
    const sizes = [2, 0, 3, 1, 4, 0];
    const firstCube = basesOf(sizes);
    const naive: number[][] = [];
    let u = 0;
    for (let i = 0; i < sizes.length; i++) {
      for (let j = i + 1; j < sizes.length; j++, u++) {
        for (let a = firstCube[i]; a < firstCube[i + 1]; a++) {
          for (let b = firstCube[j]; b < firstCube[j + 1]; b++) naive.push([u, a, b]);
        }
      }
    }
    const prefixPair = prefixOf(sizes.flatMap((a, i) => sizes.slice(i + 1).map((b) => a * b)));
    const models = sizes.length;
    const found: number[][] = [];
    for (let start = 0; start < naive.length; start += block) {
      const count = Math.min(block, naive.length - start);
      const tuples = tuplesFor(block);
      const data = { models, firstCube: Uint32Array.from(firstCube), prefixPair, start, tuples };
      for (const [from, to] of pieces(count, start)) generation(data, from, to);
      found.push(...listOf(tuples, count));
    }
    expect(found).toEqual(naive);
  });

  test('place numbers near 2^53', () => {
    // 2^26 + 1 cubes against 2^27 - 1: 2^53 + 2^26 - 1 would be too many; 2^26 - 1 against 2^27 - 3 is not.
    const [a, b] = [2 ** 26 - 1, 2 ** 27 - 3];
    const total = a * b;
    const firstCube = Uint32Array.of(0, a, a + b);
    const tuples = tuplesFor(100);
    for (const start of [total - 100, total - 2 * b - 37, 2 ** 52 - 50, 2 ** 32 - 50, 2 ** 31 - 50]) {
      generation({ models: 2, firstCube, prefixPair: Float64Array.of(0, total), start, tuples }, 0, 100);
      const naive = Array.from({ length: 100 }, (_, k) => {
        const t = BigInt(start) + BigInt(k);
        return [0, Number(t / BigInt(b)), a + Number(t % BigInt(b))];
      });
      expect(listOf(tuples, 100)).toEqual(naive);
    }
  });

  test('an empty block', () => {
    const data = { models: 2, firstCube: Uint32Array.of(0, 0, 0), prefixPair: Float64Array.of(0, 0), start: 0 };
    expect(generation({ ...data, tuples: tuplesFor(0) }, 0, 0)).toBe(0);
  });
});

describe('detection and reduction', () => {
  const random = seeded(5);
  const count = 500;
  const cells = Int32Array.from({ length: 3 * 40 }, () => random.below(3) - 1);
  const tuples = tuplesFor(count);
  for (const words of [tuples.u, tuples.first, tuples.second]) words.set(words.map(() => random.below(40)));
  const collide = (a: number, b: number) => [0, 1, 2].every((axis) => cells[3 * a + axis] === cells[3 * b + axis]);

  test('1 where the cells are the same', () => {
    const result = new Uint8Array(count).fill(9);
    for (const [from, to] of pieces(count, 2)) detection({ tuples, cells, result }, from, to);
    expect([...result]).toEqual(listOf(tuples, count).map(([, a, b]) => Number(collide(a, b))));
  });

  test('1 where bricks share a cube', () => {
    const masks = Uint32Array.from({ length: 80 }, () => 2 ** random.below(32) + 2 ** random.below(32));
    const result = new Uint8Array(count);
    for (const [from, to] of pieces(count, 3)) brickDetection({ tuples, masks, result }, from, to);
    const wide = (n: number) => (BigInt(masks[2 * n + 1]) << 32n) | BigInt(masks[2 * n]);
    expect([...result]).toEqual(listOf(tuples, count).map(([, a, b]) => Number((wide(a) & wide(b)) !== 0n)));
  });

  test('what collides, in order, in any cut', () => {
    const result = Uint8Array.from({ length: count }, () => random.below(2));
    const places = Uint32Array.from(basesOf([...result]));
    const output = new Uint32Array(3 * count);
    for (const [from, to] of pieces(count, 4).reverse()) {
      reduction({ tuples, result, prefix: places, output }, from, to);
    }
    const naive = listOf(tuples, count).filter((_, t) => result[t] === 1);
    expect([...output.subarray(0, 3 * naive.length)]).toEqual(naive.flat());
    expect(output.subarray(3 * naive.length).every((word) => word === 0)).toBe(true);
  });
});

describe('two-tuples of bricks with one key', () => {
  // Keys by place, and the model of the brick there; brick numbers are places, mixed up.
  const keys = [3, 3, 3, 4, 7, 7, 7, 7, 9];
  const models = [0, 2, 5, 1, 0, 1, 4, 5, 3];
  const bricks = keys.map((_, place) => (place * 4) % 9);
  const records = Uint32Array.from(keys.flatMap((key, place) => [key, 1, bricks[place]]));
  const modelOf = new Uint32Array(9);
  for (const [place, brick] of bricks.entries()) modelOf[brick] = models[place];

  test('each with those before it', () => {
    const pair = new Float64Array(9);
    for (const [from, to] of pieces(9, 6)) brickPreGeneration({ records, pair }, from, to);
    expect([...pair]).toEqual(keys.map((key, place) => keys.slice(0, place).filter((other) => other === key).length));
  });

  test('a difference in the high word parts them', () => {
    const pair = new Float64Array(2);
    brickPreGeneration({ records: Uint32Array.of(3, 1, 0, 3, 2, 1), pair }, 0, 2);
    expect([...pair]).toEqual([0, 0]);
  });

  test.each([1, 2, 7, 100])('in blocks of %i and any cut', (block) => {
    const naive = keys.flatMap((key, place) => {
      const before = keys.slice(0, place).flatMap((other, at) => (other === key ? [at] : []));
      return before.map((at) => [pairNumber(6, models[at], models[place]), bricks[at], bricks[place]]);
    });
    const prefixPair = prefixOf(keys.map((key, place) => keys.slice(0, place).filter((k) => k === key).length));
    const found: number[][] = [];
    for (let start = 0; start < naive.length; start += block) {
      const count = Math.min(block, naive.length - start);
      const tuples = tuplesFor(block);
      const data = { models: 6, modelOf, records, prefixPair, start, tuples };
      for (const [from, to] of pieces(count, start)) brickGeneration(data, from, to);
      found.push(...listOf(tuples, count));
    }
    expect(found).toEqual(naive);
  });
});

describe('sort', () => {
  test.each([1, 2, 3, 7])('stable, in %i parts', async (parts) => {
    const random = seeded(parts);
    const rows = Array.from({ length: 400 }, (_, n) => [
      random.below(4) * 2 ** 28 + random.below(2),
      random.below(3),
      n,
    ]);
    const sorted = rows.toSorted((a, b) => a[1] - b[1] || a[0] - b[0]);
    const records = Uint32Array.from(rows.flat());
    const workers = callingThread(parts);
    const [result] = await sortRecords(workers, records, new Uint32Array(1200), 400, [0, 1], 30);
    expect([...result]).toEqual(sorted.flat());
  });

  test('one record that is not like the others', async () => {
    const records = Uint32Array.of(7, 0, 0, 7, 0, 1, 3, 0, 2, 7, 0, 3);
    const [result] = await sortRecords(callingThread(2), records, new Uint32Array(12), 4, [0], 10);
    expect([...result].filter((_, i) => i % 3 === 2)).toEqual([2, 0, 1, 3]);
  });

  test('all 32 bits of a word', async () => {
    const words = [2 ** 32 - 1, 0, 2 ** 31, 1, 2 ** 31 - 1];
    const records = Uint32Array.from(words.flatMap((word) => [word, 0, 0]));
    const [result] = await sortRecords(callingThread(2), records, new Uint32Array(15), 5, [0], 32);
    expect([...result].filter((_, i) => i % 3 === 0)).toEqual(words.toSorted((a, b) => a - b));
  });
});

test('tasks cover all items once', () => {
  for (const [items, workers] of [
    [0, 4],
    [3, 4],
    [10, 3],
    [2 ** 26, 256],
  ]) {
    const tasks = tasksOf([], {}, items, workers);
    expect(tasks[0].from).toBe(0);
    expect(tasks.at(-1)?.to).toBe(items);
    expect(tasks.slice(1).every(({ from }, part) => from === tasks[part].to)).toBe(true);
    expect(tasks.length).toBe(Math.max(1, Math.min(items, workers)));
  }
});
