/**
 * A pool of threads, by piscina, that answer the parts of one kind of work; thread.ts runs in them.
 *
 * Piscina replaces a thread that dies, so each takes its workspace for kernels itself. If one dies
 * with a task or cannot begin, the pool is lost: no task waits forever for a thread that never
 * comes. With `isolates` only the task that ended its thread fails.
 */

import { InputError, MeshError, OptionError } from '../base/errors.ts';
import type { Asset } from '../engine/representation.ts';
import { releaseWorkspaces, type SharedKernels, shareKernels } from '../kernels/memory.ts';
import { type Shared, shared } from './shared-memory.ts';

/** Threads that answer one kind of work, or the workers of a queue. */
export interface Pool<Task, Answer> {
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

/**
 * The export `begin` of a module that answers one kind of work: it runs once in each thread, with
 * the pool's assets and data. It returns the function that answers tasks.
 */
export type Begin<Data, Task, Answer> = (
  assets: Asset[],
  data: Data,
) => Promise<(task: Task) => Answer | Promise<Answer>>;

/** One kind of work: the pool that answers its parts, and the way to cut failing parts. */
export interface WorkKind<Data, Part, Answer> {
  /** The name in the files of a queue. */
  readonly name: string;
  open(threads: number, assets: readonly Asset[], data: Data): Promise<Pool<Part, Answer>>;
  /** Splits a part in two; null if it is indivisible. */
  halve(part: Part): [Part, Part] | null;
  join(first: Answer, second: Answer): Answer;
}

export interface Start extends Shared<{ assets: readonly Asset[]; data: unknown }> {
  module: string;
  kernels: SharedKernels | null;
}

interface PoolOptions<Data> {
  /** Has an export `begin` (see `Begin`). */
  module: URL;
  /** For `begin`; their arrays, and those of `data`, move to shared memory. */
  assets?: readonly Asset[];
  data?: Data;
  /** True if a task that ends its thread fails alone; another thread replaces it. */
  isolates?: boolean;
  /** True if tasks are addresses in the kernels' memory; without it the pool cannot open. */
  needsKernels?: boolean;
}

/** Returns a pool when all its threads are ready. */
export async function openPool<Data, Task, Answer>(
  count: number,
  { module, assets = [], data, isolates = false, needsKernels = false }: PoolOptions<Data>,
): Promise<Pool<Task, Answer>> {
  // Loaded on demand: it takes 10 ms.
  const { Piscina } = await import('piscina');
  const parts = shared({ assets, data });
  const kernels = needsKernels || parts.placed.length > 0 ? shareKernels(count) : null;
  if (needsKernels && !kernels) throw new Error('no memory for threads');
  const start: Start = { ...parts, module: module.href, kernels };
  const pool = new Piscina({
    filename: new URL('./thread.js', import.meta.url).href,
    workerData: start,
    minThreads: count,
    maxThreads: count,
    stricterFIFO: true,
    recordTiming: false,
  });
  // The records of kernels last as long as their assets (see `adoptPlacement`).
  originals.set(pool, [assets, data]);
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
      const take = (given: Timed<Answer> | { fault: Fault }): void => {
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

const originals = new WeakMap<object, unknown[]>();

/** An error in a form that can be posted: structured cloning loses its class. */
export interface Fault {
  name: string;
  message: string;
  stack: string | undefined;
  isInput: boolean;
}

export function faultOf(error: unknown): Fault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack, isInput: error instanceof InputError };
}

const CLASSES: Record<string, new (message: string) => InputError> = { MeshError, OptionError };

export function errorOf({ name, message, stack, isInput }: Fault): Error {
  const error = isInput ? new (CLASSES[name] ?? InputError)(message) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
