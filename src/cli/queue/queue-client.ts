/**
 * Sends the jobs of one run to the queue, watches them, and receives the answers.
 *
 * Answers arrive in a Redis list of their own, which only the asker reads, so no event can be
 * missed. Every LOOK_MS the asker inspects its jobs. If a job is neither in Redis nor answered,
 * because Redis forgot it or an answer was lost, it is queued again under its name. So every task
 * is answered once, however often it is done.
 */
import { randomBytes } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { InputError } from '../../base/errors.ts';
import { errorOf, type Timed } from '../../work/pool.ts';
import type { Log } from '../terminal.ts';
import { type Job, keysOf, LEASE_MS, PREFIX, packed, QUEUE, type Reply, replyOf, TRIES } from './jobs.ts';
import { type Address, connect, loadBullmq, nameOfQueue } from './redis.ts';

/** A task that failed; other tasks of its run may succeed. */
export class TaskFault extends Error {}

/**
 * Interval between two looks at open jobs. Limits count looks, not milliseconds: a process without
 * CPU time for a while has seen nothing meanwhile.
 */
const LOOK_MS = 2000;
/** Looks in a row that may find no Redis: a minute. */
const GONE_LOOKS = 30;
/** Looks in a row without any worker before a warning: 10 s. */
const LONELY_LOOKS = 6;
/** At the end: milliseconds between two looks at withdrawn jobs, and the number of looks. */
const FAREWELL_MS = 100;
const FAREWELL_LOOKS = 50;
/** Seconds after which BullMQ's own data about the queue expires. */
const REST_S = 3600;
const RETRY_MS = 1000;

interface Out {
  job: Job;
  take(timed: Timed<unknown>): void;
  fail(error: Error): void;
  /** Looks that have not found it in Redis. */
  missed: number;
}

export async function openAsker(address: Address, run: string, log: Log): Promise<Asker> {
  const redis = await connect(address);
  const { Queue: Jobs } = await loadBullmq();
  const listener = redis.duplicate();
  listener.on('error', () => {}); // it comes back, and `redis` says how things stand
  const queue = new Jobs(QUEUE, {
    connection: redis,
    prefix: PREFIX,
    skipMetasUpdate: false,
    streams: { events: { maxLen: 100 } },
    defaultJobOptions: {
      attempts: TRIES,
      backoff: { type: 'fixed', delay: RETRY_MS },
      removeOnComplete: true,
    },
  });
  queue.on('error', () => {});
  return new Asker(address, run, log, redis, listener, queue);
}

export class Asker {
  private readonly name = randomBytes(8).toString('hex');
  private readonly keys = keysOf(this.name);
  private readonly out = new Map<string, Out>();
  /** Jobs that were queued again; their first workers may have answered meanwhile. */
  private readonly again = new Set<string>();
  private readonly timer: NodeJS.Timeout;
  private next = 0;
  private isClosed = false;
  private isLooking = false;
  private lost: Error | undefined;
  private lonelyLooks = 0;
  private goneLooks = 0;
  answered = 0;
  /** Threads of all workers known to Redis. */
  workers = 0;

  constructor(
    private readonly address: Address,
    private readonly run: string,
    private readonly log: Log,
    private readonly redis: Redis,
    private readonly listener: Redis,
    private readonly queue: Queue,
  ) {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
    void this.look();
    void this.listen();
  }

  /** @throws TaskFault after `tries` attempts; another error if the run cannot go on */
  ask(task: unknown, tries: number): Promise<Timed<unknown>> {
    const job: Job = { run: this.run, asker: this.name, task: Buffer.from(packed(task)).toString('base64'), tries };
    const id = `${this.name}-${this.next++}`;
    return new Promise((take, fail) => {
      if (this.lost) return fail(this.lost);
      this.out.set(id, { job, take, fail, missed: 0 });
      this.put(id, job).catch((error) => this.lose(error));
    });
  }

  private async put(id: string, job: Job): Promise<void> {
    await this.queue.add('task', job, { jobId: id });
  }

  private async listen(): Promise<void> {
    while (!this.isClosed) {
      try {
        const [, bytes] = (await this.listener.blpopBuffer(this.keys.answers, 5)) ?? [];
        if (bytes) this.hear(bytes);
      } catch {
        // Redis is gone. It comes back, or `look` gives up.
        await new Promise((turn) => setTimeout(turn, 200));
      }
    }
  }

  private hear(bytes: Uint8Array): void {
    let reply: Reply;
    try {
      reply = replyOf(bytes);
    } catch {
      this.log.warn(`${nameOfQueue(this.address)}: an invalid answer; its job is sent again`);
      return;
    }
    const out = this.out.get(reply.id);
    if (!out) return; // answered twice
    if ('of' in reply && reply.of === 'run') {
      this.lose(errorOf(reply.fault));
      return;
    }
    this.out.delete(reply.id);
    this.answered++;
    if ('fault' in reply) out.fail(new TaskFault(reply.fault.message));
    else out.take({ answer: reply.answer, ms: reply.ms });
  }

  private lose(error: Error): void {
    if (this.isClosed) return;
    this.lost ??= error;
    for (const { fail } of this.out.values()) fail(this.lost);
  }

  /** Renews the lease, counts workers, and inspects open jobs. */
  private async look(): Promise<void> {
    if (this.redis.status !== 'ready') {
      if (++this.goneLooks > GONE_LOOKS)
        this.lose(new InputError(`${nameOfQueue(this.address)}: Redis is gone and did not come back`));
      return;
    }
    this.goneLooks = 0;
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.redis.set(this.keys.lease, '', 'PX', LEASE_MS);
      await this.count();
      await this.putMissing();
    } catch (error) {
      // `put` also reports permanent errors of Redis; temporary ones are harmless.
      this.log.info(`${nameOfQueue(this.address)}: ${(error as Error).message}`);
    } finally {
      this.isLooking = false;
    }
  }

  private async count(): Promise<void> {
    const clients = await this.queue.getWorkers();
    const threads = clients.map(({ rawname }) => Number(/:w:(\d+)$/.exec(rawname ?? '')?.[1] ?? 0));
    this.workers = threads.reduce((sum, n) => sum + n, 0);
    this.lonelyLooks = this.workers > 0 ? 0 : this.lonelyLooks + 1;
    if (this.lonelyLooks !== LONELY_LOOKS) return;
    this.log.warn(
      `${nameOfQueue(this.address)}: no worker of this version is running; start one with gicollide worker`,
    );
  }

  private async putMissing(): Promise<void> {
    const ids = [...this.out.keys()];
    const asked = this.redis.pipeline();
    for (const id of ids) asked.hmget(this.queue.toKey(id), 'timestamp', 'finishedOn', 'failedReason');
    const answers = (await asked.exec()) ?? [];
    for (const [n, id] of ids.entries()) {
      const out = this.out.get(id);
      const [error, found] = answers[n];
      if (!out || error) continue;
      const [timestamp, finishedOn, reason] = found as (string | null)[];
      if (timestamp === null) {
        // An answer may be on its way after its job is gone.
        if (++out.missed < 2) continue;
        this.again.add(id);
        await this.put(id, out.job);
      } else if (finishedOn !== null && reason !== null) {
        // BullMQ itself has given it up.
        this.out.delete(id);
        await this.queue.remove(id);
        out.fail(new TaskFault(reason));
      } else out.missed = 0;
    }
  }

  /** Withdraws open jobs, and leaves nothing in Redis. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.timer);
    this.listener.disconnect();
    const farewell = async (): Promise<void> => {
      if (this.redis.status !== 'ready') return;
      const rest = this.redis.pipeline().del(this.keys.lease, this.keys.answers);
      for (const name of ['id', 'meta', 'events', 'marker']) rest.expire(this.queue.toKey(name), REST_S);
      await rest.exec();
      const left = new Set([...this.out.keys(), ...this.again]);
      await Promise.all([...left].map((id) => this.queue.remove(id)));
      await this.queue.close();
    };
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((done) => {
      let looks = 0;
      timer = setInterval(() => {
        if (++looks === FAREWELL_LOOKS) done();
      }, FAREWELL_MS);
    });
    await Promise.race([farewell().catch(() => {}), patience]);
    clearInterval(timer);
    this.redis.disconnect();
  }
}
