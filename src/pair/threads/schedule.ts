/**
 * The one scheduler: work that comes in blocks, answered by this thread, and by others where they
 * pay, in the order of the blocks.
 *
 * Blocks are of TARGET_MS, so that answers come steadily and threads end together; the first is of
 * one unit. Threads are started when what was answered says that they pay, and until they stand
 * this one goes on. Starting two takes 80 to 130 ms, and blocks this one for 10 to 35.
 *
 * Where this thread cannot answer, or is not to, others begin at once: those of a queue, whose
 * blocks are longer, since they travel.
 */
import { inOrder } from '../../query/in-order.ts';
import type { Crew, Timed } from './crew.ts';

/** Work as it comes. Units are whatever tells how long a block takes: poses, or their bytes. */
export interface Blocks<Block> {
  /** The next block, of at most so many units where there are such; null at the end. */
  next(most: number): Promise<Block | null>;
  unitsOf(block: Block): number;
  /**
   * Whether more was at hand when the block was cut. If not, somebody may wait for this answer
   * before there is more.
   */
  hasMore(block: Block): boolean;
  /** Units that no block has yet; null where nobody knows. */
  left(): number | null;
}

/** Who answers. */
export interface Answerer<Block, Answer> {
  /** In this thread; where it is missing, others answer all. */
  answer?(block: Block): Answer | Promise<Answer>;
  /**
   * Starts threads that give the same answers; null while there is nothing that they could be
   * started with.
   */
  open(threads: number): Promise<Crew<Block, Answer>> | null;
  /** Milliseconds that opening takes beside starting threads, about: copies of what they share. */
  openMs?: number;
  /**
   * Milliseconds of answers that tell nothing of those to come, since functions are still being
   * compiled; 0 unless given.
   */
  coldMs?: number;
  /** Milliseconds that a block is to take; TARGET_MS unless given. */
  targetMs?: number;
  /** Hears why threads could not be started, once. This one alone goes on. */
  onAlone?(error: Error): void;
}

export interface Schedule<Block, Answer> {
  /** The answers to all blocks, in their order. Threads stay for the next run. */
  run(blocks: Blocks<Block>): AsyncGenerator<Answer, void, undefined>;
  /** Ends the threads, whatever they do. */
  close(): Promise<void>;
}

const TARGET_MS = 20;
const MOST_UNITS = 2 ** 18;
/** From one block to the next. */
const GROWTH = 8;
/** What is left must take this long here, and twice as long as opening. */
const PAYS_MS = 250;
/** Blocks that tell what a unit takes: the first ones are cold. */
const COLD_BLOCKS = 3;
/** Blocks on their way to a thread and back. */
const AHEAD = 3;

/**
 * @param threads 1 is this one alone
 * @example const schedule = openSchedule(2, { answer: (x: number) => x * x, open: () => null });
 *          for await (const square of schedule.run(blocks)) console.log(square);
 *          await schedule.close();
 */
export function openSchedule<Block, Answer>(
  threads: number,
  { answer, open, openMs = 0, coldMs = 0, targetMs = TARGET_MS, onAlone = () => {} }: Answerer<Block, Answer>,
): Schedule<Block, Answer> {
  let crew: Crew<Block, Answer> | null = null;
  let starting: Promise<void> | null = null;

  const start = (): void => {
    if (threads < 2 || starting) return;
    starting =
      open(threads)?.then((opened) => {
        crew = opened;
      }, onAlone) ?? null;
  };

  const answerHere = async (block: Block): Promise<Timed<Answer>> => {
    const began = performance.now();
    const timed = { answer: await answer!(block), ms: performance.now() - began };
    // Reading a file and writing to one do not wait; who stands ready or has gone is heard in
    // between.
    await new Promise((turn) => setImmediate(turn));
    return timed;
  };

  async function* run({ next, unitsOf, hasMore, left }: Blocks<Block>): AsyncGenerator<Answer, void, undefined> {
    if (!answer) crew ??= await open(threads);
    let [most, answered, spent, waiting] = [1, 0, 0, 0];
    const answerOne = async (block: Block): Promise<Answer> => {
      waiting++;
      // The one line of somebody who waits for the answer needs no other thread.
      const ask = crew && (!answer || hasMore(block) || waiting > 1) ? crew.run : answerHere;
      const units = unitsOf(block);
      const timed = await ask(block).finally(() => waiting--);
      answered++;
      spent += timed.ms;
      const perUnit = timed.ms / units;
      most = Math.max(1, Math.min(MOST_UNITS, GROWTH * units, targetMs / perUnit));
      // Of a pipe as much is expected as there was.
      const unitsLeft = left();
      const expected = unitsLeft === null ? spent : unitsLeft * perUnit;
      const isWarm = spent >= coldMs && (answered >= COLD_BLOCKS || spent > PAYS_MS);
      if (answer && isWarm && hasMore(block) && expected > PAYS_MS + 2 * openMs) start();
      return timed.answer;
    };
    yield* inOrder(
      () => next(most),
      answerOne,
      () => (crew ? AHEAD * crew.size : 1),
    );
  }

  return {
    run,
    async close() {
      await starting;
      await crew?.close();
    },
  };
}
