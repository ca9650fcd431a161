/**
 * At most Q workers in threads of their own over shared memory, for Node. The only file of the
 * cubes that does not run in a browser.
 *
 * As many as pay, by counts alone. Measured: starting threads takes 80 to 130 ms; a stage on two
 * workers costs 50 us more than in the calling thread. What is sorted goes through memory, which
 * two threads share: 707,120 bricks that all share their keys take 391 to 426 ms on one thread and
 * 322 to 414 on two. Tried before: all rows from 2^15 items on to threads; two were slower than one
 * in half of the recorded sizes.
 */
import { requireThat } from '../../math/require.ts';
import type { PartitionItem } from '../../representations/voxel/build/partition.ts';
import {
  callingThread,
  perform,
  roomFor,
  type Task,
  tasksOf,
  type Workers,
} from '../../representations/voxel/bulk/stages.ts';
import type { CubeSet } from '../../representations/voxel/tree/cube-set.ts';
import { type Crew, openCrew } from './crew.ts';
import { MOST_JOBS } from './jobs.ts';

export interface OpenWorkers extends Workers {
  /**
   * Ends the threads. Idle ones do not keep the process alive, but a program that goes on should
   * not keep them.
   */
  close(): Promise<void>;
}

/** Items of a stage for each worker, at least. */
const SHARE = 2 ** 17;
/**
 * Nanoseconds of work for each thread, at least, in shares: 0.54 s where threads are to be started,
 * 67 ms where they stand.
 */
const TO_START = 2 ** 12;
const TO_CONTINUE = 2 ** 9;

/**
 * Opens at most Q workers. They start with the first work that pays for them.
 *
 * @param count Q; 0 and 1 open no thread, and everything runs in the calling one
 * @param share items of a stage for each worker, at least; the calling thread takes what has fewer
 *   than two shares
 * @throws OptionError when count is no whole number from 0 to 256
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
  let crew: { size: number; opened: Promise<Crew<Task | PartitionItem, unknown>> } | undefined;
  const close = async (): Promise<void> => {
    const closing = crew?.opened;
    crew = undefined;
    await closing?.then(
      (opened) => opened.close(),
      () => {},
    );
  };
  const run = async <Answer>(task: Task | PartitionItem, size: number): Promise<Answer> => {
    // The worker's file is beside this one in dist.
    crew ??= { size, opened: openCrew(size, new URL('./cube-worker.js', import.meta.url)) };
    const { answer } = await (await crew.opened).run(task);
    return answer as Answer;
  };
  const memory = (bytes: number): ArrayBufferLike => roomFor(bytes, (size) => new SharedArrayBuffer(size));
  const paying = (work: number): Workers => {
    // Threads once started stay as many as they are.
    const threads = Math.floor(Math.min(crew?.size ?? count, work / (share * (crew ? TO_CONTINUE : TO_START))));
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
