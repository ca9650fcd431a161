/** Q workers over shared memory, compiled as a user has them: Q = 0, 1, 2, 4 give the same bytes. */
import { afterAll, expect, test } from 'vitest';
import { collideAllPairs, collideSorted } from '../../../../src/representations/voxel/bulk/collide.ts';
import { box, tetrahedron } from '../../../support/shapes.ts';
import { answerOf, scene } from './sets.ts';

// What globalSetup has compiled: a worker is a file for Node, not a module of the test's.
const compiled: string = new URL('../../../../dist/index.js', import.meta.url).href;
const { openWorkers, partitionAll } = (await import(compiled)) as typeof import('../../../../src/index.ts');

const opened = [0, 1, 2, 4].map((count) => openWorkers(count, 1));
afterAll(async () => {
  await Promise.all(opened.map((workers) => workers.close()));
});

test.each([1, 2])('scene %i: the same bytes for every Q, in any block', { tags: ['all'] }, async (seed) => {
  const sets = scene(seed);
  const first = await collideSorted(sets);
  for (const workers of opened) {
    for (const block of [100, 2 ** 16]) {
      const sorted = await collideSorted(sets, workers, { block });
      expect(answerOf(sorted)).toEqual(answerOf(first));
      expect(sorted.work.tuples).toBe(first.work.tuples);
    }
    expect(answerOf(await collideAllPairs(sets, workers, { block: 2 ** 14 }))).toEqual(answerOf(first));
  }
});

test('parts come back in order, from memory that all see', async () => {
  for (const workers of opened) {
    const values = new Uint8Array(workers.memory(1000)).fill(1, 500);
    const sums = await workers.run(['sum'], { values }, 1000);
    expect(sums.length).toBe(Math.max(1, workers.count));
    expect(sums).toEqual(sums.toSorted((a, b) => a - b));
    expect(sums.reduce((a, b) => a + b)).toBe(500);
  }
});

test('a fault in a worker comes back, and the worker stays', async () => {
  const broken = { values: null } as unknown as { values: Uint8Array };
  for (const workers of opened) {
    await expect(workers.run(['sum'], broken, 1000)).rejects.toThrow(/null/);
    expect((await workers.run(['sum'], { values: Uint8Array.of(1, 2) }, 2)).reduce((a, b) => a + b)).toBe(3);
  }
});

test('short rows stay in the calling thread', async () => {
  const workers = openWorkers(2);
  // A row that is not shared: a worker would change a copy.
  const counts = new Uint32Array(2048);
  const records = new Uint32Array(3 * 2 ** 17);
  await workers.run(['countDigits'], { records, word: 0, shift: 0, counts }, 2 ** 17);
  expect([counts[0], counts[1024]]).toEqual([2 ** 17, 0]);
  await workers.close();
});

test('as many as pay: counted, at most as many as asked for', async () => {
  const workers = openWorkers(4);
  // Nothing stands: half a second for each.
  expect([0, 1e9, 1.2e9, 1.7e9, 2e12, Infinity].map((work) => workers.paying(work).count)).toEqual([1, 1, 2, 3, 4, 4]);
  expect(workers.paying(0).memory(8)).toBeInstanceOf(SharedArrayBuffer);
  // Where threads stand, less will do: two, whatever is asked for later.
  await workers.paying(1.2e9).partition({ ...box(), precision: 0.25, fill: false });
  expect([1e8, 1.5e8, 1e12].map((work) => workers.paying(work).count)).toEqual([1, 2, 2]);
  await workers.close();
  expect(workers.paying(1.5e8).count).toBe(1);
  expect(openWorkers(1).paying(1e12).count).toBe(1);
});

test('one model alone stays in the calling thread, however large', async () => {
  const asked: number[] = [];
  const workers = openWorkers(2);
  const watched = { ...workers, paying: (work: number) => workers.paying(asked.push(work) && work) };
  await partitionAll([box(400, 300, 200)], 0.5, watched);
  await partitionAll([box(40, 30, 20), box(40, 30, 20), box()], 0.5, watched);
  expect(asked[0]).toBe(0);
  // Bricks of two cubes' width: half a thousandth of a second or so for a thousand.
  expect(asked[1]).toBeGreaterThan(5e5);
  expect(asked[1]).toBeLessThan(1e7);
  await workers.close();
});

test('algorithm 1: the same sets in the order of the models for every Q', { tags: ['all'] }, async () => {
  const meshes = Array.from({ length: 9 }, (_, m) => (m % 2 === 0 ? box(1 + m, 2, 3) : tetrahedron()));
  for (const fill of [false, true]) {
    const first = await partitionAll(meshes, 0.25, undefined, { fill });
    expect(first[8].keys.length).toBeGreaterThan(first[0].keys.length);
    for (const workers of opened) {
      const heard: number[] = [];
      const onProgress = (done: number) => heard.push(done);
      expect(await partitionAll(meshes, 0.25, workers, { fill, onProgress })).toEqual(first);
      expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
  }
});

test('what is wrong with a model keeps its class on its way between threads, and the first model is named', async () => {
  const empty = { positions: new Float64Array(0), triangles: new Uint32Array(0) };
  const names = ['wall', 'slab', 'pipe', 'duct'];
  for (const workers of opened) {
    const wrong = partitionAll([box(), box(), empty, empty], 0.25, workers, { names });
    await expect(wrong).rejects.toMatchObject({ name: 'MeshError', message: expect.stringMatching(/^pipe: /) });
    await expect(partitionAll([box(), empty], -1, workers)).rejects.toThrow(
      expect.objectContaining({
        name: 'OptionError',
        message: expect.stringContaining('from 1e-100 to 1e100, found -1'),
      }),
    );
  }
});

test('what is wrong with the last model is told before the first is cut', async () => {
  const open = { ...box(), triangles: box().triangles.slice(3) };
  const far = { ...box(), positions: box().positions.map((x) => x + 2 ** 30) };
  const heard: number[] = [];
  const options = { names: ['a', 'b', 'c'], onProgress: (done: number) => heard.push(done) };
  for (const workers of opened) {
    const refused = async (meshes: Parameters<typeof partitionAll>[0], a: number, more: object, message: RegExp) =>
      expect(partitionAll(meshes, a, workers, { ...options, ...more })).rejects.toThrow(message);
    await refused([box(), box(), open], 0.25, { fill: true }, /^c: the model is open at 3 edges/);
    await refused([box(), box(), far], 0.25, {}, /^c: coordinate [0-9.]+ is beyond 2097152 cubes/);
    await refused([box(), box(9), box()], 0.01, { mostBricks: 6000 }, /^b: about .* 6000 bricks/);
    await refused([box(), box(), box()], 0.01, { mostBricks: 6000 }, /^3 models: about .* 6000 bricks/);
  }
  expect(heard).toEqual([]);
});

test('closing twice, and closing what never started', async () => {
  const workers = openWorkers(3);
  await workers.close();
  await workers.close();
});

test('memory that there is not: one line', { tags: ['all'] }, async () => {
  for (const workers of opened) {
    expect(() => workers.memory(2 ** 52)).toThrow(
      expect.objectContaining({
        name: 'OptionError',
        message: expect.stringMatching(/^no memory for 4503599627370496/),
      }),
    );
  }
});

test.each([-1, 1.5, Number.NaN, 257])('%d workers are refused', (count) => {
  expect(() => openWorkers(count)).toThrow('count: expected a whole number from 0 to 256');
});
