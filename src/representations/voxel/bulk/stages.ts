/**
 * The stages by name, and what runs them: each is a function over [from, to) of its items, which
 * writes into the arrays that it is given.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section IV: with Q
 * processors each handles many pieces of data. No item depends on another, so the items of a stage
 * are cut in at most Q parts, and the arrays hold the same whatever the cut.
 */
import { OptionError } from '../../../math/errors.ts';
import { requireThat } from '../../../math/require.ts';
import { type PartitionItem, partitionItem } from '../build/partition.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { brickGeneration, brickPreGeneration } from './brick-generation.ts';
import { brickDetection, detection } from './detection.ts';
import { generation } from './generation.ts';
import { preGeneration } from './pre-generation.ts';
import { prefix, sum } from './prefix-sum.ts';
import { reduction } from './reduction.ts';
import { countDigits, placeByDigit } from './sort.ts';

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

export type StageName = keyof typeof STAGES;

/** What all of the named stages need. */
export type StageData<Name extends StageName> = {
  [Each in Name]: (data: Parameters<(typeof STAGES)[Each]>[0]) => void;
}[Name] extends (data: infer Data) => void
  ? Data
  : never;

/** Stages to run one after the other on one part of their items. Plain data: it can be posted. */
export interface Task {
  stages: readonly StageName[];
  data: unknown;
  from: number;
  to: number;
  part: number;
}

/** Runs the task here, and returns what its last stage returned. */
export function perform({ stages, data, from, to, part }: Task): number {
  let result = 0;
  for (const stage of stages) {
    const run = STAGES[stage] as (data: unknown, from: number, to: number, part: number) => number;
    result = run(data, from, to, part);
  }
  return result;
}

/** @throws OptionError for what `openWorkers` does not give */
export function requireWorkers(workers: Workers): void {
  const areWorkers = typeof workers?.paying === 'function' && typeof workers.memory === 'function';
  requireThat(areWorkers, 'workers', 'what openWorkers gives', workers);
}

/** Q workers, or at most so many: no result depends on their number. */
export interface Workers {
  /** Q, the most parts that a stage is cut into. */
  readonly count: number;
  /**
   * As many of these as pay for so much work, the calling thread alone where two do not. Counted,
   * never clocked.
   *
   * @param work nanoseconds that one thread takes, about: things counted, times what one costs
   */
  paying(work: number): Workers;
  /** Zeros that all workers see, for the arrays of the stages. */
  memory(bytes: number): ArrayBufferLike;
  /**
   * Runs the stages on all items. A worker runs all of them on its part before it is done, so that
   * a stage may read of the stages before it only the items of its own part.
   *
   * @returns what the last stage returned, for each part in order; equally many items make equally
   *   many parts
   */
  run<Name extends StageName>(stages: readonly Name[], data: StageData<Name>, items: number): Promise<number[]>;
  /**
   * Algorithm 1 for one model, in whatever worker is free.
   *
   * @throws as build/partition.ts does
   */
  partition(item: PartitionItem): Promise<CubeSet>;
}

/**
 * Cuts into equal parts: part p of so many begins here.
 *
 * @example [0, 1, 2].map((part) => partStart(10, 2, part)) // 0 5 10
 */
const partStart = (items: number, parts: number, part: number): number => Math.floor((items * part) / parts);

/** The tasks of a run: as many parts as workers, or as items. */
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

/**
 * What `make` gives for so many bytes.
 *
 * @throws OptionError where there is no memory for them
 */
export function roomFor<Room>(bytes: number, make: (bytes: number) => Room): Room {
  try {
    return make(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OptionError(`no memory for ${bytes} bytes: compare fewer models at once, or coarser cubes`);
  }
}

/**
 * Everything in the calling thread, for browsers too. Its promises are settled when they are
 * returned.
 */
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
