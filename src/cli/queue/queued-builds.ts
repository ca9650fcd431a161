/**
 * Builds by the workers of a queue: the same files and lines, in the same order.
 *
 * The asker checks for fresh outputs and cache entries, and writes all files. It builds the
 * remaining jobs on a thread, so that it stays responsive to the queue.
 */
import type { Crew } from '../../pair/threads/crew.ts';
import { inOrder } from '../../query/in-order.ts';
import { predict } from '../build/costs.ts';
import { isOfRequest } from '../build/fresh.ts';
import type { BuildJob, BuildRecord, BuildRun, JobRecord } from '../build/job.ts';
import { landed, runJob } from '../build/run-job.ts';
import { type SaidRecord, tellSaid } from '../build/said.ts';
import { openThreads } from '../build/threads.ts';
import type { BuildCache } from '../cache/cache.ts';
import { programDigest } from '../cache/program-digest.ts';
import type { Session } from '../session.ts';
import { createProgress } from '../terminal.ts';
import { buildRun, type Row, type SourceTask } from './build-run.ts';
import { isStream, type Sent, sendJob } from './sources.ts';
import { JOB_MS, type WorkQueue } from './work-queue.ts';

/** Open tasks per thread of a worker. */
const AHEAD = 3;
/** Maximum number of cheap jobs in a task. */
const MOST_JOBS = 64;

interface Item {
  job: BuildJob;
  sent: Sent | null;
}

/** Results of a job before they are written; null if this machine must build it. */
type Outcome = (JobRecord | SaidRecord)[] | null;

export async function openQueuedBuilds(queue: WorkQueue, run: BuildRun, session: Session, cache: BuildCache | null) {
  const data = { measures: run.measures, program: programDigest() };
  const crew = await queue.open(buildRun, [], data, ([{ name }], { message }): Row[][] => [
    [{ status: 'failed', message: `${name}: no worker builds it: ${message}` }],
  ]);
  return new QueuedBuilds(queue, crew, run, session, cache);
}

class QueuedBuilds {
  private own: ReturnType<typeof openThreads> | undefined;

  constructor(
    private readonly queue: WorkQueue,
    private readonly crew: Crew<SourceTask[], Row[][]>,
    private readonly run: BuildRun,
    private readonly session: Session,
    private readonly cache: BuildCache | null,
  ) {}

  async *runAll(jobs: readonly BuildJob[]): AsyncGenerator<BuildRecord[], void> {
    const { queue, crew, run, session, cache } = this;
    const progress = createProgress('build', session.global);
    const next = cutter(jobs, (job) => sendJob(job, run, { store: queue.store, cache }, session));
    let done = 0;
    try {
      for await (const items of inOrder(
        next,
        (asked) => this.answer(asked),
        () => AHEAD * crew.size,
      )) {
        for (const [job, outcome] of items) {
          progress.update(queue.stage(done / jobs.length, 'files'), ++done / jobs.length);
          yield await this.settle(job, outcome);
        }
      }
    } finally {
      progress.stop();
    }
  }

  async close(): Promise<void> {
    await this.crew.close();
    await (await this.own)?.close();
  }

  private async answer(items: Item[]): Promise<[BuildJob, Outcome][]> {
    const tasks = items.flatMap(({ sent }) => (sent ? [sent.task] : []));
    const rows = tasks.length > 0 ? (await this.crew.run(tasks)).answer : [];
    return Promise.all(
      items.map(async ({ job, sent }): Promise<[BuildJob, Outcome]> => {
        const records = sent && (await recordsOf(sent, rows.shift()!, this.session));
        return [job, records ?? (await this.buildHere(job))];
      }),
    );
  }

  private async buildHere(job: BuildJob): Promise<Outcome> {
    if (isStream(job)) return null;
    const { run, session, cache } = this;
    this.own ??= openThreads(1, run, session, cache);
    return (await this.own).answer(job);
  }

  private async settle(job: BuildJob, outcome: Outcome): Promise<BuildRecord[]> {
    const { run, session, cache } = this;
    const records: BuildRecord[] = [];
    if (outcome === null) for await (const record of runJob(job, run, session, cache)) records.push(record);
    else for (const record of tellSaid(outcome, session.log)) records.push(await landed(record, cache));
    return records;
  }
}

/** Cuts jobs, in order, into tasks of JOB_MS by predicted cost. */
function cutter(jobs: readonly BuildJob[], send: (job: BuildJob) => Promise<Sent | null>) {
  let next = 0;
  return async (): Promise<Item[] | null> => {
    const items: Item[] = [];
    for (let ms = 0; next < jobs.length && ms < JOB_MS && items.length < MOST_JOBS; next++) {
      const job = jobs[next];
      const sent = await send(job);
      items.push({ job, sent });
      if (sent) ms += predict(job).ms;
    }
    return items.length > 0 ? items : null;
  };
}

/** Returns a worker's records of a job; null if assets are missing or don't match. */
async function recordsOf({ outputs, task }: Sent, rows: readonly Row[], { log }: Session): Promise<Outcome> {
  const records: (JobRecord | SaidRecord)[] = [];
  const left = [...outputs];
  for (const row of rows) {
    if (row.status === 'said') {
      records.push(row);
      continue;
    }
    // Outputs that exist keep their places in the order.
    let output = left.shift();
    for (; output && output.status !== 'asked'; output = left.shift()) records.push(output);
    if (!output) throw new RangeError(`${task.name}: more outputs than were asked for`);
    const { facts } = output;
    if (row.status === 'failed') records.push({ status: 'failed', source: facts.source, message: row.message });
    else if (row.status === 'built' && (await isOfRequest(row.bytes, facts))) records.push({ ...facts, ...row });
    else {
      log.info(
        `${task.name}: built here: ${row.status === 'large' ? 'too large for an answer' : 'another asset came'}`,
      );
      return null;
    }
  }
  for (const output of left) if (output.status !== 'asked') records.push(output);
  return records;
}
