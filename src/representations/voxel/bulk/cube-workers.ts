/**
 * At most Q worker threads over shared memory for bulk functions of cubes, in Node. Only counts
 * decide how many.
 *
 * Measured: starting threads takes 80 to 130 ms; a stage on two workers costs 50 us more than in
 * the calling thread. Sorting is bound by memory, which threads share: 707,120 bricks with equal
 * keys take 391 to 426 ms on one thread and 322 to 414 on two. Tried: threads for all rows from
 * 2^15 items on; two were slower than one in half of the recorded sizes.
 */
import { requireThat } from '../../../base/require.ts';
import { MOST_JOBS } from '../../../base/shares.ts';
import { type Begin, openPool, type Pool } from '../../../work/pool.ts';
import { type PartitionItem, partitionItem } from '../make/partition.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { callingThread, perform, roomFor, type Task, tasksOf, type Workers } from './stages.ts';

export interface OpenWorkers extends Workers {
  /** Ends the threads. Idle ones keep no process alive; close them if the program goes on. */
  close(): Promise<void>;
}

const SHARE = 2 ** 17;
/** Least work of a thread, in ns per item of its share: 0.54 s to start threads, then 67 ms. */
const TO_START = 2 ** 12;
const TO_CONTINUE = 2 ** 9;

/**
 * Opens worker threads for `partitionAll`, `collideSorted` and `collideAllPairs`. They start with
 * the first work that is large enough.
 *
 * @param count most threads; 0 and 1 open none, and everything runs in the calling thread
 * @param share least items of a stage for each worker; the calling thread does work of fewer than
 *   two shares
 * @throws OptionError if count is not a whole number from 0 to 256
 * @example const workers = openWorkers(2);
 *          const sets = await partitionAll([readObj(bytes), readObj(bytes)], 0.05, workers);
 *          (await collideSorted(sets, workers)).pairs.length // 2
 *          await workers.close();
 */
export function openWorkers(count: number, share = SHARE): OpenWorkers {
  const isCount = Number.isInteger(count) && count >= 0 && count <= MOST_JOBS;
  requireThat(isCount, 'count', `a whole number from 0 to ${MOST_JOBS}`, count);
  requireThat(Number.isFinite(share) && share > 0, 'share', 'a number above 0', share);
  if (count < 2) return { ...callingThread(), close: async () => {} };
  let pool: { size: number; opened: Promise<Pool<Task | PartitionItem, unknown>> } | undefined;
  const close = async (): Promise<void> => {
    const closing = pool?.opened;
    pool = undefined;
    await closing?.then(
      (opened) => opened.close(),
      () => {},
    );
  };
  const run = async <Answer>(task: Task | PartitionItem, size: number): Promise<Answer> => {
    pool ??= { size, opened: openPool(size, { module: new URL('./cube-workers.js', import.meta.url) }) };
    const { answer } = await (await pool.opened).run(task);
    return answer as Answer;
  };
  const memory = (bytes: number): ArrayBufferLike => roomFor(bytes, (size) => new SharedArrayBuffer(size));
  const paying = (work: number): Workers => {
    const threads = Math.floor(Math.min(pool?.size ?? count, work / (share * (pool ? TO_CONTINUE : TO_START))));
    return threads < 2 ? { ...callingThread(), memory, paying } : workersOf(threads);
  };
  const workersOf = (most: number): Workers => ({
    count: most,
    paying,
    memory,
    async run(stages, data, items) {
      const tasks = tasksOf(stages, data, items, Math.max(1, Math.min(most, Math.floor(items / share))));
      if (tasks.length < 2) return tasks.map(perform);
      return Promise.all(tasks.map((task) => run<number>(task, most)));
    },
    partition: (item) => run<CubeSet>(item, most),
  });
  return { ...workersOf(count), close };
}

export const begin: Begin<undefined, Task | PartitionItem, unknown> = async () => (task) =>
  'stages' in task ? perform(task) : partitionItem(task);
