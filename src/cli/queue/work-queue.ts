/**
 * `--queue`: a crew whose members are workers on other machines.
 *
 * A task that fails is cut in two, and its parts are asked again, until what fails is of one piece;
 * of that alone nothing is known then. Parts are begun once, whole tasks and what is of one piece
 * TRIES times: a worker may have ended for reasons of its own.
 */
import { InputError } from '../../math/errors.ts';
import type { Crew, Timed } from '../../pair/threads/crew.ts';
import type { Asset } from '../../query/representation.ts';
import type { Session } from '../inputs.ts';
import { openAsker, TaskFault } from './asker.ts';
import { type AssetFolder, openFolder } from './asset-store.ts';
import { TRIES } from './jobs.ts';
import { type Address, addressOf, connect } from './redis.ts';
import { writeRun } from './run-file.ts';
import type { RunKind } from './run-kind.ts';

/** Milliseconds that a job is to take: much more than its way there and back. */
export const JOB_MS = 500;
/** Tasks of one piece that may fail in a run; more are no accident. */
const MOST_FAULTS = 100;
/** Workers that are counted on before one is seen. */
const EXPECTED = 2;

export interface WorkQueue {
  /**
   * Workers that answer tasks of a run.
   *
   * @param giveUp the answer to a task of one piece that nobody could answer
   */
  open<Data, Task, Answer>(
    kind: RunKind<Data, Task, Answer>,
    assets: readonly Asset[],
    data: Data,
    giveUp: (task: Task, error: Error) => Answer,
  ): Promise<Crew<Task, Answer>>;
  /** How things stand, in words, when so much is done. */
  stage(done: number): string;
}

/**
 * Opens what `--queue` and `--assets` name; Redis is asked whether it is there.
 *
 * @throws OptionError for what names no queue or no folder; InputError where no Redis answers
 */
export async function openWorkQueue(
  { queue, assets }: { queue: string; assets?: string },
  session: Session,
): Promise<WorkQueue> {
  const address = addressOf(queue);
  if (assets === undefined) throw new InputError('--queue: --assets names the folder by which workers get assets');
  const store = openFolder(assets);
  (await connect(address)).disconnect();
  return new Workers(address, store, session);
}

class Workers implements WorkQueue {
  private workers = (): number => 0;
  private began = 0;

  constructor(
    private readonly address: Address,
    private readonly store: AssetFolder,
    private readonly session: Session,
  ) {}

  async open<Data, Task, Answer>(
    kind: RunKind<Data, Task, Answer>,
    assets: readonly Asset[],
    data: Data,
    giveUp: (task: Task, error: Error) => Answer,
  ): Promise<Crew<Task, Answer>> {
    const digest = await writeRun(this.store, kind.name, assets, data);
    const asker = await openAsker(this.address, digest, this.session.log);
    const letGo = onInterrupt(() => asker.close());
    this.began = performance.now();
    let faults = 0;
    const run = async (task: Task, tries: number): Promise<Timed<Answer>> => {
      try {
        const { answer, ms } = await asker.ask(task, tries);
        return { answer: accepted(kind, answer, task), ms };
      } catch (error) {
        if (!(error instanceof TaskFault)) throw error;
        const halves = kind.halve(task);
        if (halves) {
          const triesOf = (half: Task): number => (kind.halve(half) ? 1 : TRIES);
          const [first, second] = await Promise.all(halves.map((half) => run(half, triesOf(half))));
          return { answer: kind.join(first.answer, second.answer), ms: first.ms + second.ms };
        }
        if (++faults > MOST_FAULTS)
          throw new InputError(`--queue: more than ${MOST_FAULTS} tasks fail: ${error.message}`);
        this.session.log.warn(`--queue: a task fails: ${error.message}`);
        return { answer: giveUp(task, error), ms: 0 };
      }
    };
    this.workers = () => asker.workers;
    return {
      get size() {
        return Math.max(EXPECTED, asker.workers);
      },
      isLost: false,
      run: (task) => run(task, TRIES),
      async close() {
        letGo();
        await asker.close();
      },
    };
  }

  stage(done: number): string {
    const spent = performance.now() - this.began;
    const left = done > 0 ? `, ${Math.ceil((spent * (1 - done)) / done / 1000)} s left` : '';
    const workers = this.workers();
    return `pairs, ${workers} worker thread${workers === 1 ? '' : 's'}${left}`;
  }
}

function accepted<Task, Answer>(kind: RunKind<never, Task, Answer>, answer: unknown, task: Task): Answer {
  try {
    return kind.accept(answer, task);
  } catch (error) {
    throw new TaskFault(
      `an answer of another shape: ${(error as Error).message.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
    );
  }
}

/** Does something before an interrupt ends the program, as it would without. */
function onInterrupt(work: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const letGo = (): void => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals): void => {
    void work().finally(() => {
      letGo();
      process.kill(process.pid, signal);
    });
  };
  for (const signal of signals) process.on(signal, end);
  return letGo;
}
