/**
 * Runs build jobs on several threads, by the cost that it predicts for each. Threads build assets
 * in memory and this thread writes them, so an interrupt never stops a thread in the middle of a
 * file.
 */

import { statSync } from 'node:fs';
import { freemem } from 'node:os';
import { inOrder } from '../../base/ordered-concurrency.ts';
import { counted, grouped } from '../../base/printable.ts';
import { type Begin, openPool, type Pool } from '../../work/pool.ts';
import { type BuildCache, openCache } from '../cache/cache.ts';
import { extensionOf, nameOf, STDIN } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { createProgress, type GlobalOptions, type Log } from '../terminal.ts';
import type { BuildFlags, BuildJob, BuildRecord, BuildRun, JobRecord } from './job.ts';
import { landed } from './run-job.ts';

interface ThreadData {
  run: BuildRun;
  global: GlobalOptions;
}

export interface BuildTask extends Pick<Session, 'held' | 'beside'> {
  job: BuildJob;
}

export type BuildAnswer = (JobRecord | SaidRecord)[];

/** A log line of another thread or machine. */
export interface SaidRecord {
  status: 'said';
  level: 'info' | 'warn' | 'error';
  message: string;
}

export const openBuilders = (
  threads: number,
  run: BuildRun,
  global: GlobalOptions,
): Promise<Pool<BuildTask, BuildAnswer>> =>
  openPool(threads, {
    module: new URL('./threads.js', import.meta.url),
    data: { run, global } satisfies ThreadData,
    isolates: true,
  });

export const begin: Begin<ThreadData, BuildTask, BuildAnswer> = async (_, { run, global }) => {
  // The main thread loads no builders.
  const { makeJob } = await import('./make-job.ts');
  let records: BuildAnswer = [];
  const sayAs =
    (level: SaidRecord['level']) =>
    (message: string): void =>
      void records.push({ status: 'said', level, message });
  const log = { info: sayAs('info'), warn: sayAs('warn'), error: sayAs('error') } as Log;
  const cache = run.cache ? await openCache({ folder: run.cache.folder, log }) : null;
  return async ({ job, ...sources }) => {
    records = [];
    for await (const record of makeJob(job, run, { global, log, named: run.named, ...sources }, cache))
      records.push(record);
    return records;
  };
};

/** Logs the lines of other threads, after the records before them. @returns the other records */
export function tellSaid<Row extends { status: string }>(rows: readonly (Row | SaidRecord)[], log: Log): Row[] {
  const others: Row[] = [];
  for (const row of rows) {
    if (isSaid(row)) log[row.level](row.message);
    else others.push(row);
  }
  return others;
}

const isSaid = (row: { status: string }): row is SaidRecord => row.status === 'said';

/** Starting a thread takes 100 ms, and loading the builders in it as long. */
const PAYS_MS = 400;
/** Jobs begun or done ahead of the first unfinished one. */
const AHEAD = 4;

/** Returns the number of threads worth starting; 1 is this one alone. @param most upper limit */
export function threadsWorth(jobs: readonly BuildJob[], most: number): number {
  const costs = jobs.map((job) => predict(job).ms);
  const all = costs.reduce((sum, ms) => sum + ms, 0);
  // Time saved if the longest job has a thread of its own.
  const saved = all - Math.max(0, ...costs);
  return saved < PAYS_MS ? 1 : Math.max(1, Math.min(most, jobs.length));
}

/** Opens threads that yield records in the order of jobs. If a thread dies, only its job fails. */
export async function openThreads(count: number, run: BuildRun, session: Session, cache: BuildCache | null) {
  const { global, log } = session;
  const pool = await openBuilders(count, run, global);

  const answer = async (job: BuildJob): Promise<(BuildRecord | SaidRecord)[]> => {
    let records: BuildAnswer;
    try {
      ({ answer: records } = await pool.run({ job }));
    } catch (error) {
      const why = (error as Error).message.replaceAll(/\s+/g, ' ');
      return job.inputs.map(({ file }) => {
        const source = nameOf(file, session);
        return { status: 'failed', source, message: `${source}: ${failureText(why)}` };
      });
    }
    const all: (BuildRecord | SaidRecord)[] = [];
    for (const record of records) all.push(record.status === 'said' ? record : await landed(record, cache));
    return all;
  };

  async function* runAll(jobs: readonly BuildJob[]): AsyncGenerator<BuildRecord[], void> {
    const room = new Room(freeBytes());
    const progress = createProgress('build', global);
    let [next, done] = [0, 0];
    const ask = async (): Promise<BuildJob | null> => {
      if (next === jobs.length) return null;
      const job = jobs[next++];
      await room.take(predict(job).bytes);
      return job;
    };
    const tell = async (job: BuildJob): Promise<(BuildRecord | SaidRecord)[]> => {
      try {
        return await answer(job);
      } finally {
        room.give(predict(job).bytes);
        progress.update(`${grouped(++done)} of ${counted(jobs.length, 'file')}`, done / jobs.length);
      }
    };
    try {
      for await (const records of inOrder(ask, tell, () => AHEAD * count)) {
        yield tellSaid(records, log);
      }
    } finally {
      progress.stop();
    }
  }

  return { runAll, answer, close: () => pool.close() };
}

/** Says why a thread has failed; if memory ran out, how to allow more. */
function failureText(why: string): string {
  const isMemory = /memory|allocation failed/i.test(why);
  const mend = '; NODE_OPTIONS=--max-old-space-size=8192 allows 8 GB';
  return isMemory ? `the build ran out of memory (${why})${mend}` : `the thread that built it has failed: ${why}`;
}

/** Limits the memory of concurrent jobs. A single job may exceed the limit. */
export class Room {
  private taken = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly bytes: number) {}

  async take(bytes: number): Promise<void> {
    while (this.taken > 0 && this.taken + bytes > this.bytes) await new Promise<void>((go) => this.waiting.push(go));
    this.taken += bytes;
  }

  give(bytes: number): void {
    this.taken -= bytes;
    for (const go of this.waiting.splice(0)) go();
  }
}

/** Share of the free memory for builds; the rest is for other programs. */
const SHARE = 0.7;

/** Returns free bytes, limited by a container if there is one. */
const freeBytes = (): number => SHARE * (process.availableMemory?.() ?? freemem());

/*
 * Predicts a job's cost from its options and file sizes, without reading files. Threads use it to
 * share memory, and shards to finish together.
 */

/** CPU milliseconds, and peak memory in bytes. */
export interface Cost {
  ms: number;
  bytes: number;
}

const known = new WeakMap<BuildJob, Cost>();

/** Returns the same for the same files and options, on any machine. */
export function predict(job: BuildJob): Cost {
  const before = known.get(job);
  if (before) return before;
  const cost = { ms: 0, bytes: 0 };
  for (const { file } of job.inputs) {
    const triangles = trianglesIn(file);
    for (const format of job.formats) {
      const own = costOf(format, triangles, job.flags);
      cost.ms += own.ms;
      cost.bytes = Math.max(cost.bytes, own.bytes);
    }
  }
  known.set(job, cost);
  return cost;
}

/** Approximate file bytes per triangle. */
const TEXT_BYTES = 36;
const BINARY_BYTES = 30;
const TEXT = ['.obj', '.off', '.ifc'];

/** Estimates the number of triangles from the file size; 0 for a missing file. */
function trianglesIn(file: string): number {
  if (file === STDIN) return 0;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size / (TEXT.includes(extensionOf(file)) ? TEXT_BYTES : BINARY_BYTES);
}

/** The size that `auto` chooses at most, and the one that it goes on to for a quality. */
const AUTO_SIZE = 257;
const QUALITY_SIZE = 513;
/** Triangles up to which an image's charts are chosen among many. */
const FEW = 5000;

/**
 * Measured with balls in OBJ; time is two thirds of the CPU time on a busy machine, memory the peak
 * of a process:
 *
 *   5,000 triangles    gi 65, 257, 513: 137, 214, 330 MB; gi 1025: 415 MB; obb 108 MB
 *   50,000             gi 65, 257, 513: 230, 209, 328 MB; obb 173 MB
 *   300,000            obb 251 MB
 *   1,000,000          gi 257: 617 MB; obb 556 MB
 */
function costOf(format: string, triangles: number, { size, fit, psnr, maxError }: BuildFlags): Cost {
  switch (format) {
    case 'gi': {
      const auto = psnr === undefined && maxError === undefined ? AUTO_SIZE : QUALITY_SIZE;
      const samples = (size === 'auto' ? auto : size) ** 2;
      const ofMesh = Math.min(triangles, FEW) * 0.15 + triangles * 0.02;
      return {
        ms: 100 + ofMesh + samples * (fit === 'off' ? 0.004 : 0.02),
        bytes: 2e8 + triangles * 600 + samples * 350,
      };
    }
    case 'frep':
      return { ms: 20, bytes: 1e8 };
    case 'obb':
      return { ms: 20 + triangles * 0.015, bytes: 1e8 + triangles * 600 };
    default:
      return { ms: 20 + triangles * 0.004, bytes: 1e8 + triangles * 500 };
  }
}
