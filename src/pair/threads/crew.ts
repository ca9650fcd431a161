/**
 * Threads that all run the same file, piscina's: with serve.ts the only file that knows threads.
 *
 * Piscina's threads are alike, and it puts a new one in the place of one that dies. So each takes
 * its workspace for kernels itself when it begins. When one has died with a task, or could not
 * begin, the crew is lost: a task must not wait for ever for a thread that does not come. Where
 * tasks have nothing to do with each other, one that ends its thread fails alone.
 */
import { releaseWorkspaces, type SharedKernels, shareKernels } from '../../kernels/memory.ts';
import { errorOf, type Fault } from './faults.ts';
import type { SharedAssets } from './shared-assets.ts';

/** Others who answer: threads that all run the same file, or the workers of a queue. */
export interface Crew<Task, Answer> {
  /** How many; of workers, who come and go, how many there seem to be now. */
  readonly size: number;
  /** Whether nothing can be asked any more, since one has ended. */
  readonly isLost: boolean;
  /**
   * Gives the task to one who has none, as soon as there is one.
   *
   * @throws what the task threw there; Error where a thread has ended, then and ever after
   */
  run(task: Task): Promise<Timed<Answer>>;
  /** Ends the threads, whatever they do; workers stay, for others. */
  close(): Promise<void>;
}

/** An answer, and the milliseconds that it took where it was found. */
export interface Timed<Answer> {
  answer: Answer;
  ms: number;
}

/** What a thread is started with. */
export interface Start {
  shared: SharedAssets;
  kernels: SharedKernels | null;
  data: unknown;
}

/** What a thread gives back. */
export type Given<Answer> = Timed<Answer> | { fault: Fault };

const NOTHING: SharedAssets = { assets: [], placed: [] };

/**
 * Starts threads; a crew when all are ready.
 *
 * @param file what they run: a module whose default export is what `serve` of serve.ts gives
 * @param shared what `shareAssets` gave
 * @param data what else `serve` is handed, cloned
 * @param isolates whether a task that ends its thread fails alone, and another thread takes its place
 */
export async function openCrew<Task, Answer>(
  count: number,
  file: URL,
  shared: SharedAssets = NOTHING,
  data: unknown = null,
  isolates = false,
): Promise<Crew<Task, Answer>> {
  // Not before somebody wants threads: it takes 10 ms to load.
  const { Piscina } = await import('piscina');
  const kernels = shared.placed.length > 0 ? shareKernels(count) : null;
  const start: Start = { shared, kernels, data };
  const pool = new Piscina({
    filename: file.href,
    workerData: start,
    minThreads: count,
    maxThreads: count,
    // What waits is begun in the order in which it came.
    stricterFIFO: true,
    recordTiming: false,
  });
  let lost: Error | undefined;
  const waiting = new Set<(error: Error) => void>();
  const lose = (error: Error): void => {
    lost ??= error;
    for (const failed of waiting) failed(lost);
  };
  // Of a thread that fails without a task nobody else hears.
  pool.on('error', lose);
  const run = (task: Task | null): Promise<Timed<Answer>> =>
    new Promise((done, failed) => {
      if (lost) return failed(lost);
      waiting.add(failed);
      const take = (given: Given<Answer>): void => {
        waiting.delete(failed);
        if ('fault' in given) failed(errorOf(given.fault));
        else done(given);
      };
      const fail = (error: Error): void => {
        waiting.delete(failed);
        failed(error);
      };
      pool.run(task).then(take, isolates && task !== null ? fail : lose);
    });
  const close = async (): Promise<void> => {
    await pool.destroy();
    // Not before: a thread may be in the middle of a query.
    if (kernels) releaseWorkspaces(kernels);
  };
  try {
    // A task for each, which is done when it has begun.
    await Promise.all(Array.from({ length: count }, () => run(null)));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    size: count,
    get isLost() {
      return lost !== undefined;
    },
    run,
    close,
  };
}
