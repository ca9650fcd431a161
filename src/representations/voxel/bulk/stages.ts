/**
 * The stages by name, and their runner: each is a function over [from, to) of its items that writes
 * into given arrays.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section IV: with Q
 * processors each handles many pieces of data. No item depends on another. So a stage's items are
 * cut into at most Q parts, and the cut does not change the arrays.
 */
import { OptionError } from '../../../base/errors.ts';
import { requireThat } from '../../../base/require.ts';
import { type PartitionItem, partitionItem } from '../make/partition.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { brickDetection, brickGeneration, brickPreGeneration, detection, generation, reduction } from './algorithms.ts';
import { preGeneration } from './pre-generation.ts';
import { countDigits, placeByDigit, prefix, sum } from './prefix-sum.ts';

const STAGES = {
  preGeneration,
  generation,
  detection,
  reduction,
  brickPreGeneration,
  brickGeneration,
  brickDetection,
  sum,
  prefix,
  countDigits,
  placeByDigit,
} as const;

type StageName = keyof typeof STAGES;

/** Data that all of the named stages need. */
type StageData<Name extends StageName> = {
  [Each in Name]: (data: Parameters<(typeof STAGES)[Each]>[0]) => void;
}[Name] extends (data: infer Data) => void
  ? Data
  : never;

/** Stages for one part of their items, in order. Plain data: it can be posted. */
export interface Task {
  stages: readonly StageName[];
  data: unknown;
  from: number;
  to: number;
  part: number;
}

export function perform({ stages, data, from, to, part }: Task): number {
  let result = 0;
  for (const stage of stages) {
    const run = STAGES[stage] as (data: unknown, from: number, to: number, part: number) => number;
    result = run(data, from, to, part);
  }
  return result;
}

export function requireWorkers(workers: Workers): void {
  const areWorkers = typeof workers?.paying === 'function' && typeof workers.memory === 'function';
  requireThat(areWorkers, 'workers', 'the result of openWorkers', workers);
}

/** Up to Q workers: no result depends on their number. */
export interface Workers {
  /** Q, the most parts of a stage. */
  readonly count: number;
  /**
   * Returns as many of these workers as speed up the work, or only the calling thread. The choice
   * depends on counts, never on clocks.
   *
   * @param work approximate nanoseconds in one thread: number of things times cost of each
   */
  paying(work: number): Workers;
  /** Zeroed memory that all workers share, for the arrays of the stages. */
  memory(bytes: number): ArrayBufferLike;
  /**
   * Runs the stages on all items. A worker runs all stages on its part. So a stage may read results
   * of earlier stages only for items of its own part.
   *
   * @returns the last stage's result for each part in order; equal numbers of items make equal
   *   numbers of parts
   */
  run<Name extends StageName>(stages: readonly Name[], data: StageData<Name>, items: number): Promise<number[]>;
  /**
   * Runs algorithm 1 for one model in a free worker.
   *
   * @throws like make/partition.ts
   */
  partition(item: PartitionItem): Promise<CubeSet>;
}

const partStart = (items: number, parts: number, part: number): number => Math.floor((items * part) / parts);

export function tasksOf(stages: readonly StageName[], data: unknown, items: number, workers: number): Task[] {
  const parts = Math.max(1, Math.min(workers, items));
  return Array.from({ length: parts }, (_, part) => ({
    stages,
    data,
    from: partStart(items, parts, part),
    to: partStart(items, parts, part + 1),
    part,
  }));
}

/** Calls `make`; throws OptionError if there is not enough memory. */
export function roomFor<Room>(bytes: number, make: (bytes: number) => Room): Room {
  try {
    return make(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OptionError(`no memory for ${bytes} bytes: compare fewer models at once, or coarser cubes`);
  }
}

/** Runs everything in the calling thread; returned promises are already settled. */
export function callingThread(parts = 1): Workers {
  const workers: Workers = {
    count: parts,
    paying: () => workers,
    memory: (bytes) => roomFor(bytes, (size) => new ArrayBuffer(size)),
    run: async (stages, data, items) => tasksOf(stages, data, items, parts).map(perform),
    partition: async (item) => partitionItem(item),
  };
  return workers;
}
