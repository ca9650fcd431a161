/**
 * Runs build jobs on several threads. They build assets in memory and this thread writes them, so
 * an interrupt never stops a thread in the middle of a file.
 */
import { freemem } from 'node:os';
import { inOrder } from '../../base/ordered-concurrency.ts';
import { type Begin, openPool, type Pool } from '../../work/pool.ts';
import { type BuildCache, openCache } from '../cache/cache.ts';
import { nameOf } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { createProgress, type GlobalOptions, type Log } from '../terminal.ts';
import { predict } from './costs.ts';
import type { BuildJob, BuildRecord, BuildRun, JobRecord } from './job.ts';
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
        return { status: 'failed', source, message: `${source}: the thread that built it has failed: ${why}` };
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
        progress.update('files', ++done / jobs.length);
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
