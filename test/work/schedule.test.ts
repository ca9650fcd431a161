/** The scheduler: order, look-ahead, when threads start, and what becomes of work without them. */
import { expect, test, vi } from 'vitest';
import type { Pool } from '../../src/work/pool.ts';
import { type Blocks, openSchedule } from '../../src/work/schedule.ts';
import { seeded } from '../support/random.ts';

const later = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** So many numbers, a unit each, one a block. */
function numbers(count: number): Blocks<number> & { given: number } {
  return {
    given: 0,
    async next() {
      return this.given < count ? this.given++ : null;
    },
    unitsOf: () => 1,
    hasMore: (x) => x < count - 1,
    // Enough for threads to pay, whatever a unit takes.
    left: () => 1e12,
  };
}
const bound = (blocks: Blocks<number> & { given: number }): Blocks<number> => ({
  ...blocks,
  next: (most) => blocks.next(most),
});

async function collect<T>(answers: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const answer of answers) all.push(answer);
  return all;
}

/** A pool of promises, which counts what it has at a time. */
function poolOf(answer: (x: number) => Promise<number>) {
  const counts = { tasks: 0, atOnce: 0, most: 0, closed: 0 };
  const pool: Pool<number, number> = {
    isLost: false,
    size: 2,
    async run(x) {
      counts.tasks++;
      counts.most = Math.max(counts.most, ++counts.atOnce);
      const found = await answer(x).finally(() => counts.atOnce--);
      return { answer: found, ms: 1 };
    },
    close: async () => void counts.closed++,
  };
  return { pool, counts };
}

test('with threads as without: every answer once, in order; a bounded number ahead, seed 8', async () => {
  const random = seeded(8);
  const { pool, counts } = poolOf(async (x) => {
    await later(4 * random.next());
    return x * x;
  });
  const schedule = openSchedule<number, number>(2, { answer: (x) => x * x, open: async () => pool });
  const squares = Array.from({ length: 80 }, (_, x) => x * x);
  expect(await collect(schedule.run(bound(numbers(80))))).toEqual(squares);
  expect(counts.tasks).toBeGreaterThan(60);
  expect(counts.most).toBe(6);
  // The threads stay for a second run.
  const { tasks } = counts;
  expect(await collect(schedule.run(bound(numbers(80))))).toEqual(squares);
  expect(counts.tasks - tasks).toBe(80);
  await schedule.close();
  expect(counts.closed).toBe(1);
});

test('this thread goes on until the others stand', async () => {
  let stand: (pool: Pool<number, number>) => void = () => {};
  const { pool, counts } = poolOf(async (x) => -x);
  let here = 0;
  const answer = (x: number): number => {
    if (++here === 50) stand(pool);
    return -x;
  };
  const open = () =>
    new Promise<Pool<number, number>>((done) => {
      stand = done;
    });
  const schedule = openSchedule<number, number>(2, { answer, open });
  await collect(schedule.run(bound(numbers(100))));
  expect(here + counts.tasks).toBe(100);
  expect(here).toBeLessThan(60);
  await schedule.close();
});

test('one thread, or one that cannot get others, does it all', async () => {
  let opened = 0;
  const open = async (): Promise<Pool<number, number>> => {
    opened++;
    throw new Error('no room');
  };
  const heard: string[] = [];
  const onAlone = ({ message }: Error): void => void heard.push(message);
  for (const threads of [1, 2]) {
    const schedule = openSchedule<number, number>(threads, { answer: (x) => x, open, onAlone });
    expect(await collect(schedule.run(bound(numbers(30))))).toHaveLength(30);
    await schedule.close();
    expect([opened, heard.length]).toEqual([threads - 1, threads - 1]);
  }
});

test('what a thread throws comes after the answers before it, and ends the run', async () => {
  const { pool } = poolOf(async (x) => {
    if (x === 20) throw new Error('it died');
    return x;
  });
  const schedule = openSchedule<number, number>(2, { answer: (x) => x, open: async () => pool });
  const answers: number[] = [];
  const run = async (): Promise<void> => {
    for await (const x of schedule.run(bound(numbers(1000)))) answers.push(x);
  };
  await expect(run()).rejects.toThrow('it died');
  expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => i));
  await schedule.close();
});

test('blocks grow from one unit to what takes 20 ms, and no further', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const asked: number[] = [];
  let left = 1000;
  // Half a millisecond a unit.
  const answer = (units: number): number => {
    now += units / 2;
    return units;
  };
  const schedule = openSchedule<number, number>(1, { answer, open: () => null });
  const units = await collect(
    schedule.run({
      async next(most) {
        asked.push(most);
        const taken = Math.min(left, most);
        left -= taken;
        return taken || null;
      },
      unitsOf: (taken) => taken,
      hasMore: () => true,
      left: () => left,
    }),
  );
  clock.mockRestore();
  expect(asked.slice(0, 4)).toEqual([1, 8, 40, 40]);
  expect(Math.max(...asked)).toBe(40);
  expect(units.reduce((sum, taken) => sum + taken)).toBe(1000);
});
