/**
 * Runs build jobs on several threads. They build assets in memory and this thread writes them, so
 * an interrupt never stops a thread in the middle of a file.
 */
import { freemem } from 'node:os';
import { openCrew } from '../../pair/threads/crew.ts';
import { inOrder } from '../../query/in-order.ts';
import type { BuildCache } from '../cache/cache.ts';
import { nameOf } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { createProgress, type GlobalOptions } from '../terminal.ts';
import { predict } from './costs.ts';
import type { BuildJob, BuildRecord, BuildRun, JobRecord } from './job.ts';
import { Room } from './room.ts';
import { landed } from './run-job.ts';
import { type SaidRecord, tellSaid } from './said.ts';

export interface ThreadData {
  run: BuildRun;
  global: GlobalOptions;
}

export type ThreadAnswer = (JobRecord | SaidRecord)[];

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
  const data: ThreadData = { run, global };
  const file = new URL('./build-worker.js', import.meta.url);
  const crew = await openCrew<BuildJob, ThreadAnswer>(count, file, undefined, data, true);

  const answer = async (job: BuildJob): Promise<(BuildRecord | SaidRecord)[]> => {
    let records: ThreadAnswer;
    try {
      ({ answer: records } = await crew.run(job));
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

  return { runAll, answer, close: () => crew.close() };
}

/** Share of the free memory for builds; the rest is for other programs. */
const SHARE = 0.7;

/** Returns free bytes, limited by a container if there is one. */
const freeBytes = (): number => SHARE * (process.availableMemory?.() ?? freemem());
