/**
 * A worker pool, by piscina, whose threads all run the same file; see serve.ts for their end.
 *
 * Piscina replaces a thread that dies, so each takes its workspace for kernels itself. If one dies
 * with a task or cannot begin, the pool is lost: no task waits forever for a thread that never
 * comes. With `isolates` only the task that ended its thread fails.
 */
import { releaseWorkspaces, type SharedKernels, shareKernels } from '../../kernels/memory.ts';
import { errorOf, type Fault } from './faults.ts';
import type { SharedAssets } from './shared-assets.ts';

/** Threads that all run the same file, or the workers of a queue. */
export interface Crew<Task, Answer> {
  /** For a queue: an estimate of its current workers. */
  readonly size: number;
  /** True once a thread has ended: no task can run any more. */
  readonly isLost: boolean;
  /** Runs on the next idle worker. Throws the task's own error, or Error once the pool is lost. */
  run(task: Task): Promise<Timed<Answer>>;
  /** Workers of a queue stay for other clients. */
  close(): Promise<void>;
}

export interface Timed<Answer> {
  answer: Answer;
  ms: number;
}

export interface Start {
  shared: SharedAssets;
  kernels: SharedKernels | null;
  data: unknown;
}

export type Given<Answer> = Timed<Answer> | { fault: Fault };

const NOTHING: SharedAssets = { assets: [], placed: [] };

/**
 * Returns a pool when all its threads are ready.
 *
 * @param file a module whose default export is the result of `serve` of serve.ts
 * @param data further data for `serve`, cloned
 * @param isolates true if a task that ends its thread fails alone; another thread replaces it
 */
export async function openCrew<Task, Answer>(
  count: number,
  file: URL,
  shared: SharedAssets = NOTHING,
  data: unknown = null,
  isolates = false,
): Promise<Crew<Task, Answer>> {
  // Loaded on demand: it takes 10 ms.
  const { Piscina } = await import('piscina');
  const kernels = shared.placed.length > 0 ? shareKernels(count) : null;
  const start: Start = { shared, kernels, data };
  const pool = new Piscina({
    filename: file.href,
    workerData: start,
    minThreads: count,
    maxThreads: count,
    stricterFIFO: true,
    recordTiming: false,
  });
  let lost: Error | undefined;
  const waiting = new Set<(error: Error) => void>();
  const lose = (error: Error): void => {
    lost ??= error;
    for (const failed of waiting) failed(lost);
  };
  // Nothing else reports a thread that fails without a task.
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
    // Only now: before, a thread may be in the middle of a query.
    if (kernels) releaseWorkspaces(kernels);
  };
  try {
    // One null task per thread; done when the thread has begun.
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
