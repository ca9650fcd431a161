/**
 * `check --poses`: answers in the order of the poses, on as many threads as pay.
 *
 * A file is read twice, by blocks: first all of it is looked at, so that a bad pose is found before the first answer, then it is answered. That
 * costs no memory, and 2 us a pose where a quick answer takes 7; to keep the poses in between would take 128 bytes each. A pipe is answered as
 * it comes, up to the first line that is no pose.
 *
 * Blocks are of TARGET_MS, so that answers come steadily and threads end together; the first is of one pose. Threads are started when what
 * was answered says that they pay, and until they stand this one goes on.
 */
import { availableParallelism } from 'node:os';
import { InputError } from '../math/errors.ts';
import type { Pose } from '../math/pose.ts';
import type { CheckOptions } from '../pair/options.ts';
import { type Crew, errorOf, inOrder, openCrew, shareAssets } from '../pair/threads/crew.ts';
import { type Answers, type Ask, answerBlock, askOf } from './answers.ts';
import { EXIT } from './exit-codes.ts';
import { print } from './files.ts';
import type { Asker } from './on-demand.ts';
import { type Block, openPoses, type PoseSource } from './poses.ts';
import type { Style } from './report-lines.ts';
import type { Session } from './session.ts';

/** What a worker is opened with, and what it is asked. */
export interface WorkerData {
  options: CheckOptions;
  style: Style;
}
export interface Task {
  block: Block;
  /** Whether the poses are to be answered, not only looked at. */
  isAsked: boolean;
}

const TARGET_MS = 20;
const MOST_BYTES = 2 ** 18;
/** From one block to the next. */
const GROWTH = 8;
/** What is left must take this long. Two threads stand after 80 to 130 ms, of which this one is kept for 10 to 35. */
const PAYS_MS = 250;
/** Blocks that tell what a pose takes: the first ones are cold. */
const COLD_BLOCKS = 3;
/** Blocks on their way to a thread and back. */
const AHEAD = 3;

/**
 * Prints an answer to every pose.
 *
 * @param asker answers one pose
 * @param jobs threads; as many as the machine has processors, if undefined, and no more than four times as many
 * @returns the exit code
 * @throws InputError for what is no pose, and where there is none
 */
export async function answerPoses(
  file: string,
  asker: Asker,
  options: CheckOptions,
  style: Style,
  jobs: number | undefined,
  session: Session,
): Promise<number> {
  const source = openPoses(file);
  const processors = availableParallelism();
  const threads = new Threads(Math.min(jobs ?? processors, 4 * processors), asker, options, style, session);
  try {
    if (source.rewind) {
      requirePoses(file, await threads.run(source, false));
      source.rewind();
    }
    const { poses, code } = await threads.run(source, true);
    // Silence must not pass for a verdict: whoever was to write the poses may have failed.
    requirePoses(file, { poses });
    return code;
  } finally {
    source.close();
    await threads.close();
  }
}

function requirePoses(file: string, { poses }: { poses: number }): void {
  if (poses === 0) throw new InputError(`--poses ${file}: expected at least one pose, found none`);
}

/** This thread, and others where they pay. */
class Threads {
  private crew: Crew<Task, Answers> | null = null;
  private starting: Promise<void> | null = null;

  constructor(
    private readonly jobs: number,
    private readonly asker: Asker,
    private readonly options: CheckOptions,
    private readonly style: Style,
    private readonly session: Session,
  ) {}

  /** Looks at all poses of a source, or answers and prints them. */
  async run(source: PoseSource, isAsked: boolean): Promise<{ poses: number; code: number }> {
    let [most, blocks, spent, poses, waiting] = [1, 0, 0, 0, 0];
    let code: number = EXIT.expected;
    const ask = isAsked ? this.ask() : null;

    const answer = async (block: Block): Promise<Answers> => {
      const bytes = (block.kind === 'lines' ? block.bytes : block.numbers).byteLength;
      // The one line of somebody who waits for the answer needs no other thread.
      const answers = await (this.crew && (block.hasMore || waiting > 1)
        ? this.crew.run({ block, isAsked }, [
            (block.kind === 'lines' ? block.bytes : block.numbers).buffer as ArrayBuffer,
          ])
        : this.answerHere(block, ask));
      blocks++;
      spent += answers.ms;
      const perByte = answers.ms / bytes;
      most = Math.max(1, Math.min(MOST_BYTES, GROWTH * bytes, TARGET_MS / perByte));
      // Of a pipe as much is expected as there was.
      const expected = source.left() === null ? spent : (source.left() as number) * perByte;
      if (block.hasMore && expected > PAYS_MS && (blocks >= COLD_BLOCKS || spent > PAYS_MS)) this.start();
      return answers;
    };
    const counted = (block: Block): Promise<Answers> => {
      waiting++;
      return answer(block).finally(() => waiting--);
    };
    for await (const answers of inOrder(
      () => source.read(most),
      counted,
      () => (this.crew ? AHEAD * this.jobs : 1),
    )) {
      if (answers.output.length > 0) await print(answers.output);
      if (answers.fault) throw errorOf(answers.fault);
      poses += answers.poses;
      code = Math.max(code, answers.code);
    }
    return { poses, code };
  }

  private ask(): Ask {
    const { asker, options } = this;
    const whole = asker.whole();
    return whole
      ? askOf(whole.a, whole.b, { ...options, loadMs: whole.loadMs })
      : (poseB: Pose) => asker.ask({ ...options, poseB });
  }

  private async answerHere(block: Block, ask: Ask | null): Promise<Answers> {
    const answers = await answerBlock(block, this.style, ask);
    // Reading a file and writing to one do not wait; who stands ready or has gone is heard in between.
    await new Promise((turn) => setImmediate(turn));
    return answers;
  }

  private start(): void {
    const whole = this.jobs > 1 && !this.starting ? this.asker.whole() : null;
    const shared = whole && shareAssets(whole.a, whole.b);
    if (!whole || !shared) return;
    const data: WorkerData = { options: { ...this.options, loadMs: whole.loadMs }, style: this.style };
    const opened = openCrew<Task, Answers>(this.jobs, new URL('./poses-worker.js', import.meta.url), shared, data);
    this.starting = opened.then(
      (crew) => {
        this.crew = crew;
      },
      (error: Error) => this.session.log.warn(`--jobs ${this.jobs}: one thread alone goes on: ${error.message}`),
    );
  }

  async close(): Promise<void> {
    await this.starting;
    await this.crew?.close();
  }
}
