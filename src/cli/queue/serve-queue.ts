/**
 * Runs a worker: takes jobs from the queue, and answers them with its own threads.
 *
 * The queue's client runs alone on this thread, so that it renews a job's lock however long the
 * task takes. A killed worker renews none: after LOCK_MS another one begins its job.
 */
import type { Job as QueuedJob, Worker as QueueWorker } from 'bullmq';
import type { Redis } from 'ioredis';
import { faultOf } from '../../work/pool.ts';
import type { Session } from '../session.ts';
import { ANSWERS_MS, type Job, jobOf, keysOf, PREFIX, packedReply, QUEUE, type Reply, unpacked } from './jobs.ts';
import { RunFault, type Runs } from './open-runs.ts';
import { type Address, connect, loadBullmq, nameOfQueue } from './redis.ts';

/** A job with an older lock has lost its worker. */
const LOCK_MS = 15_000;
/** Interval between searches for such jobs. */
const STALLED_MS = 5000;
/** BullMQ's own limit, which must never apply: `jobs.ts` has ours. */
const MOST_STALLS = 1000;
const RETRY_MS = 1000;
const REPORT_MS = 60_000;
/** Interval at which an idle worker looks for jobs. */
const LOOK_MS = 250;

/** Stores an answer only while its asker waits for it. */
const ANSWER = `
if redis.call('exists', KEYS[1]) == 0 then return 0 end
redis.call('rpush', KEYS[2], ARGV[1])
redis.call('pexpire', KEYS[2], ARGV[2])
return 1`;

export interface WorkerOptions {
  threads: number;
  /** Ends when the queue has had no job for this many milliseconds; never, if undefined. */
  idleMs?: number;
}

/** Works until a signal, or until the queue has long been empty. Then closes the runs. */
export async function serveQueue(
  address: Address,
  runs: Runs,
  { threads, idleMs }: WorkerOptions,
  session: Session,
): Promise<void> {
  const redis = await connect(address);
  const { Worker } = await loadBullmq();
  const answering = new Answering(redis, runs);
  const worker = new Worker(QUEUE, (job) => answering.answer(job), {
    connection: redis,
    prefix: PREFIX,
    // Askers read the number of threads from it.
    name: String(threads),
    concurrency: threads,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_MS,
    maxStalledCount: MOST_STALLS,
    runRetryDelay: RETRY_MS,
    drainDelay: 2,
  });
  const told = tellOf(address, worker, redis, answering, runs, session);
  const stops: (() => void)[] = [];
  try {
    await new Promise<void>((end) => {
      stops.push(endOnSignal(end));
      if (idleMs !== undefined) stops.push(endWhenIdle(worker, redis, answering, idleMs, end));
    });
    // Jobs in progress are finished and answered.
    if (redis.status === 'ready') await worker.close();
    else await worker.close(true);
  } finally {
    for (const stop of stops) stop();
    told.stop();
    redis.disconnect();
    await runs.close();
  }
}

class Answering {
  jobs = 0;
  failed = 0;
  current = 0;

  constructor(
    private readonly redis: Redis,
    private readonly runs: Runs,
  ) {}

  /** @throws Error if the job must be begun again */
  async answer(queued: QueuedJob): Promise<void> {
    this.current++;
    try {
      const job = jobOf(queued.data);
      const reply = await this.replyTo(queued.id!, job, queued.attemptsStarted);
      if (reply === null) return;
      const { lease, answers } = keysOf(job.asker);
      await this.redis.eval(ANSWER, 2, lease, answers, packedReply(reply), ANSWERS_MS);
      this.jobs++;
    } catch (error) {
      this.failed++;
      throw error;
    } finally {
      this.current--;
    }
  }

  /** Returns null if no asker waits for it. */
  private async replyTo(id: string, { run, asker, task, tries }: Job, started: number): Promise<Reply | null> {
    if ((await this.redis.exists(keysOf(asker).lease)) === 0) return null;
    if (started > tries) {
      const fault = faultOf(new Error(`its worker ended, ${tries === 1 ? 'once' : `${tries} times`}`));
      return { id, of: 'task', fault };
    }
    try {
      const { answer, ms } = await this.runs.run(run, unpacked(Buffer.from(task, 'base64')));
      return { id, ms, answer };
    } catch (error) {
      if (started < tries) throw error;
      const isOfRun = error instanceof RunFault;
      const { stack: _, ...fault } = faultOf(isOfRun ? error.reason : error);
      return { id, of: isOfRun ? 'run' : 'task', fault: { ...fault, stack: undefined } };
    }
  }
}

/** @returns a function that lets the signals end the process again */
function endOnSignal(end: () => void): () => void {
  const signals = ['SIGTERM', 'SIGINT'] as const;
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}

/**
 * Ends when enough looks in a row have found no job. It counts looks, not milliseconds: a process
 * without CPU time for seconds was not idle, and jobs wait for it in Redis.
 */
function endWhenIdle(
  worker: QueueWorker,
  redis: Redis,
  answering: Answering,
  idleMs: number,
  end: () => void,
): () => void {
  let empty = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    // A look that is still out waits for Redis to come back. If Redis stays away, no job comes.
    const isIdle = answering.current === 0 && (redis.status !== 'ready' || !(await holdsJobs(worker, redis)));
    empty = isIdle ? empty + 1 : 0;
    if (empty * LOOK_MS >= idleMs) end();
  };
  const timer = setInterval(() => {
    if (isLooking && redis.status === 'ready') return;
    isLooking = true;
    look()
      .catch(() => {})
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS);
  return () => clearInterval(timer);
}

/** Includes other workers' jobs: if a worker dies, this one may have to begin them again. */
async function holdsJobs(worker: QueueWorker, redis: Redis): Promise<boolean> {
  const [wait, delayed, active] = ['wait', 'delayed', 'active'].map((name) => worker.toKey(name));
  const counts = await redis.multi().llen(wait).zcard(delayed).llen(active).exec();
  return counts === null || counts.some(([error, count]) => error !== null || count !== 0);
}

/** Logs a line for each minute with work, and when Redis goes or comes back. */
function tellOf(
  address: Address,
  worker: QueueWorker,
  redis: Redis,
  answering: Answering,
  runs: Runs,
  { log }: Session,
): { stop(): void } {
  const name = nameOfQueue(address);
  worker.on('error', () => {}); // `close` of the connection says it
  let isThere = true;
  const tell = (isNow: boolean): void => {
    // Each failed attempt to reconnect also ends a connection.
    if (isNow !== isThere) log.warn(`${name}: Redis ${isNow ? 'is back' : 'has gone'}`);
    isThere = isNow;
  };
  redis.on('close', () => tell(false));
  redis.on('ready', () => tell(true));
  let told = 0;
  const timer = setInterval(() => {
    const done = answering.jobs + answering.failed;
    if (done > told) log.info(`${answering.jobs} jobs answered, ${answering.failed} failed, ${runs.size} runs open`);
    told = done;
  }, REPORT_MS);
  log.info(`${name}: waiting for jobs`);
  return {
    stop() {
      clearInterval(timer);
      redis.removeAllListeners('close').removeAllListeners('ready');
      log.info(`${answering.jobs} jobs answered`);
    },
  };
}
