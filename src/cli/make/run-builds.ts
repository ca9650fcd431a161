/** Runs the jobs of a plan: fresh ones first, the others on as many threads as are worth it. */
import { inOrder } from '../../base/ordered-concurrency.ts';
import { threadsFor } from '../../work/schedule.ts';
import type { BuildCache } from '../cache/cache.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import type { Session } from '../session.ts';
import { FORCED } from './existing-output.ts';
import { type Digests, freshRecords, lookAt } from './fresh.ts';
import type { BuildJob, BuildRecord, BuildRun } from './job.ts';
import { isStream, runJob } from './run-job.ts';

const AT_ONCE = 8;

export interface RunOptions {
  run: BuildRun;
  cache: BuildCache | null;
  /** Maximum number of threads; the number of processors unless given. */
  jobs?: number | undefined;
  queue?: WorkQueue | undefined;
}

export async function* runBuilds(
  all: readonly BuildJob[],
  { run, jobs, cache, queue }: RunOptions,
  asking: Session,
): AsyncGenerator<BuildRecord, void> {
  const session = { ...asking, named: run.named };
  const known = await look(all, run, new Map(), session);
  const left = all.filter((_, i) => known[i] === null);
  const made = makeAll(left, threadsFor(jobs), { run, cache, queue }, session);
  try {
    for (const records of known) {
      if (records !== null) {
        yield* records;
        continue;
      }
      for (;;) {
        const { value } = await made.next();
        if (!value) break;
        yield value;
      }
    }
  } finally {
    await made.return();
  }
}

/** Returns records by headers and digests; null for jobs that must run. */
async function look(
  jobs: readonly BuildJob[],
  run: BuildRun,
  digests: Digests,
  session: Session,
): Promise<(BuildRecord[] | null)[]> {
  const one = async (job: BuildJob): Promise<BuildRecord[] | null> => {
    if (run.looks) return (await lookAt(job, digests, session))?.map((record) => forced(record, run)) ?? null;
    return run.force ? null : freshRecords(job, digests, session);
  };
  const found: (BuildRecord[] | null)[] = [];
  let next = 0;
  for await (const records of inOrder(
    async () => jobs[next++] ?? null,
    one,
    () => AT_ONCE,
  ))
    found.push(records);
  return found;
}

function forced(record: BuildRecord, { force }: BuildRun): BuildRecord {
  if (!force || record.status !== 'fresh') return record;
  const { size: _, status: __, ...facts } = record;
  return { ...facts, ...FORCED };
}

type Others = Pick<RunOptions, 'run' | 'cache' | 'queue'>;

/** Yields the records of each job, then null. */
async function* makeAll(
  jobs: readonly BuildJob[],
  most: number,
  { run, cache, queue }: Others,
  session: Session,
): AsyncGenerator<BuildRecord | null, void> {
  if (jobs.length === 0) return;
  const threads = await othersOf(jobs, most, { run, cache, queue }, session);
  if (threads === null) {
    for (const job of jobs) {
      yield* runJob(job, { ...run, threads: most }, session, cache);
      yield null;
    }
    return;
  }
  try {
    for await (const records of threads.runAll(jobs)) {
      yield* records;
      yield null;
    }
  } finally {
    await threads.close();
  }
}

/** Opens workers if requested, or threads if worth it; null to build on this thread alone. */
async function othersOf(jobs: readonly BuildJob[], most: number, { run, cache, queue }: Others, session: Session) {
  if (queue) {
    const { openQueuedBuilds } = await import('../queue/builds.ts');
    return openQueuedBuilds(queue, run, session, cache);
  }
  if (most < 2 || jobs.length < 2 || jobs.some(isStream)) return null;
  const { openThreads, threadsWorth } = await import('./threads.ts');
  const count = threadsWorth(jobs, most);
  if (count < 2) return null;
  try {
    return await openThreads(count, run, session, cache);
  } catch (error) {
    session.log.warn(`--jobs: no other thread starts, so one builds all: ${(error as Error).message}`);
    return null;
  }
}
