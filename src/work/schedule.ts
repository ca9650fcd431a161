/**
 * The scheduler: this thread and, if they save time, others answer blocks of work, in order.
 *
 * Blocks take TARGET_MS, so that answers come steadily and threads end together; the first is one
 * unit. Threads start once measured times show that they save time; until they are ready this
 * thread goes on. Starting two takes 80 to 130 ms and blocks this thread for 10 to 35. If this
 * thread must not answer, others begin at once. Blocks for a queue are longer, because they travel.
 */
import { availableParallelism } from 'node:os';
import { OptionError } from '../base/errors.ts';
import { inOrder } from '../base/ordered-concurrency.ts';
import { MOST_JOBS } from '../base/shares.ts';
import { hold } from '../engine/asset-cache.ts';
import type { Asset } from '../engine/representation.ts';
import type { Pool, Timed } from './pool.ts';

/** Units are any measure of a block's time: poses, or their bytes. */
export interface Blocks<Block> {
  /** At most this many units; null at the end. */
  next(most: number): Promise<Block | null>;
  unitsOf(block: Block): number;
  /** If false, a client may wait for this answer before it sends more. */
  hasMore(block: Block): boolean;
  left(): number | null;
}

interface Answerer<Block, Answer> {
  /** In this thread; if missing, others answer all. */
  answer?(block: Block): Answer | Promise<Answer>;
  /** Null while threads cannot be started. */
  open(threads: number): Promise<Pool<Block, Answer>> | null;
  /** Estimated time for copies of shared data. */
  openMs?: number;
  /** Warm-up: times predict nothing while functions are compiled. Default: 0. */
  coldMs?: number;
  targetMs?: number;
  /** Called once if threads could not be started; this one goes on alone. */
  onAlone?(error: Error): void;
}

export interface Schedule<Block, Answer> {
  /** In the blocks' order. Threads stay for the next run. */
  run(blocks: Blocks<Block>): AsyncGenerator<Answer, void, undefined>;
  close(): Promise<void>;
}

/**
 * The number of threads for `--jobs` and `jobs`, the same everywhere: one per processor by default,
 * and at most four per processor.
 *
 * @throws OptionError unless `jobs` is a whole number from 1
 */
export function threadsFor(jobs = availableParallelism()): number {
  if (!Number.isInteger(jobs) || jobs < 1) throw new OptionError(`jobs: expected a whole number from 1, found ${jobs}`);
  return Math.min(jobs, 4 * availableParallelism(), MOST_JOBS);
}

const TARGET_MS = 20;
const MOST_UNITS = 2 ** 18;
/** The most that blocks grow by. */
const GROWTH = 8;
/** Threads are started if the rest takes this long, and twice as long as opening. */
const PAYS_MS = 250;
const COLD_BLOCKS = 3;
/** Blocks in flight for each thread. */
const AHEAD = 3;

/**
 * @param threads 1 is this thread alone
 * @example const schedule = openSchedule(2, { answer: (x: number) => x * x, open: () => null });
 *          for await (const square of schedule.run(blocks)) console.log(square);
 *          await schedule.close();
 */
export function openSchedule<Block, Answer>(
  threads: number,
  { answer, open, openMs = 0, coldMs = 0, targetMs = TARGET_MS, onAlone = () => {} }: Answerer<Block, Answer>,
): Schedule<Block, Answer> {
  let pool: Pool<Block, Answer> | null = null;
  let starting: Promise<void> | null = null;

  const start = (): void => {
    if (threads < 2 || starting) return;
    starting =
      open(threads)?.then((opened) => {
        pool = opened;
      }, onAlone) ?? null;
  };

  const answerHere = async (block: Block): Promise<Timed<Answer>> => {
    const began = performance.now();
    const timed = { answer: await answer!(block), ms: performance.now() - began };
    // Reading and writing files do not yield; this pause lets threads report.
    await new Promise((turn) => setImmediate(turn));
    return timed;
  };

  async function* run({ next, unitsOf, hasMore, left }: Blocks<Block>): AsyncGenerator<Answer, void, undefined> {
    if (!answer) pool ??= await open(threads);
    let [most, answered, spent, waiting] = [1, 0, 0, 0];
    const warm = { ms: 0, units: 0 };
    const answerOne = async (block: Block): Promise<Answer> => {
      waiting++;
      // If a client waits for a single line, no other thread is needed.
      const ask = pool && (!answer || hasMore(block) || waiting > 1) ? pool.run : answerHere;
      const units = unitsOf(block);
      const began = processorMs();
      const timed = await ask(block).finally(() => waiting--);
      // A busy machine makes blocks longer; threads do not help then.
      const busyMs = Math.min(timed.ms, processorMs() - began);
      answered++;
      if (spent >= coldMs) {
        warm.ms += busyMs;
        warm.units += units;
      }
      spent += busyMs;
      most = Math.max(1, Math.min(MOST_UNITS, GROWTH * units, (targetMs * units) / timed.ms));
      // The length of a pipe is unknown: the estimate is as much again as so far. One long block is
      // no evidence about the rest.
      const unitsLeft = left();
      const unitMs = Math.min(busyMs / units, warm.units > 0 ? warm.ms / warm.units : Number.POSITIVE_INFINITY);
      const expected = unitsLeft === null ? spent : unitsLeft * unitMs;
      const isWarm = warm.units > 0 && (answered >= COLD_BLOCKS || spent > PAYS_MS);
      if (answer && isWarm && hasMore(block) && expected > PAYS_MS + 2 * openMs) start();
      return timed.answer;
    };
    yield* inOrder(
      () => next(most),
      answerOne,
      () => (pool ? AHEAD * pool.size : 1),
    );
  }

  return {
    run,
    async close() {
      await starting;
      await pool?.close();
    },
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A block of numbered things. */
export type Range = [first: number, end: number];

/**
 * Answers the numbers below `count`, in ranges, and closes the schedule. The assets may not change
 * before the end.
 */
export async function* answerRanges<Answer>(
  schedule: Schedule<Range, Answer>,
  count: number,
  assets: readonly Asset[],
): AsyncGenerator<Answer, void, undefined> {
  let next = 0;
  const letGo = hold(...assets);
  try {
    yield* schedule.run({
      async next(most) {
        const first = next;
        next = Math.min(count, next + Math.ceil(most));
        return next > first ? [first, next] : null;
      },
      unitsOf: ([first, end]) => end - first,
      hasMore: ([, end]) => end < count,
      left: () => count - next,
    });
  } finally {
    await schedule.close();
    letGo();
  }
}
