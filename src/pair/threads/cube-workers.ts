/**
 * Q workers in threads of their own over shared memory, for Node. The only file of the cubes that
 * does not run in a browser.
 *
 * Measured: a stage on two workers costs 50 us more than in the calling thread, as much as ten
 * thousand two-tuples, so short rows are done there.
 */
import { OptionError } from '../../math/errors.ts';
import type { PartitionItem } from '../../representations/voxel/build/partition.ts';
import { callingThread, perform, type Task, tasksOf, type Workers } from '../../representations/voxel/bulk/stages.ts';
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

const SHORT_ROW = 2 ** 15;

/**
 * Opens Q workers. They start with the first stage that needs them.
 *
 * @param count Q; 0 and 1 open no thread, and everything runs in the calling one
 * @param shortRow stages of fewer items run in the calling thread
 * @throws OptionError when count is no whole number from 0 to 256
 * @example const workers = openWorkers(2);
 *          const sets = await partitionAll([readObj(bytes), readObj(bytes)], 0.05, workers);
 *          (await collideSorted(sets, workers)).pairs.length // 2
 *          await workers.close();
 */
export function openWorkers(count: number, shortRow = SHORT_ROW): OpenWorkers {
  if (!Number.isInteger(count) || count < 0 || count > MOST_JOBS) {
    throw new OptionError(`workers: a whole number from 0 to ${MOST_JOBS}, not ${count}`);
  }
  if (count < 2) return { ...callingThread(), close: async () => {} };
  let crew: Promise<Crew<Task | PartitionItem, unknown>> | undefined;
  const run = async <Answer>(task: Task | PartitionItem): Promise<Answer> => {
    // The worker's file is beside this one in dist.
    crew ??= openCrew(count, new URL('./cube-worker.js', import.meta.url));
    const { answer } = await (await crew).run(task);
    return answer as Answer;
  };
  return {
    count,
    memory: (bytes) => new SharedArrayBuffer(bytes),
    async run(stages, data, items) {
      const tasks = tasksOf(stages, data, items, count);
      if (items < shortRow) return tasks.map(perform);
      return Promise.all(tasks.map((task) => run<number>(task)));
    },
    partition: (item) => run<CubeSet>(item),
    async close() {
      const opened = crew;
      crew = undefined;
      await opened?.then(
        ({ close }) => close(),
        () => {},
      );
    },
  };
}
