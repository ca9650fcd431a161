/**
 * `--queue`: a pool whose members are workers on other machines.
 *
 * A failing task is split in two and asked again, until the failing part is indivisible; only that
 * part stays unanswered. Whole tasks and indivisible parts are begun TRIES times, other parts once,
 * since a worker may end for other reasons.
 */
import { InputError } from '../../math/errors.ts';
import type { Asset } from '../../query/representation.ts';
import type { Pool, Timed, WorkKind } from '../../work/pool.ts';
import type { Session } from '../inputs.ts';
import type { Log } from '../terminal.ts';
import { type Asker, openAsker, TaskFault } from './asker.ts';
import { type AssetFolder, type AssetStore, openFolder } from './asset-store.ts';
import { TRIES } from './jobs.ts';
import { addressOf, connect } from './redis.ts';
import { writeRun } from './run-file.ts';

/** Target milliseconds per job: much more than its transfer. */
export const JOB_MS = 500;
/** Number of workers assumed before one is seen. */
const EXPECTED = 2;

/** Indivisible tasks that may fail in a run; more are no accident. */
const MOST_FAULTS = 100;
const MOST_LETTERS = 200;

/** A kind of work for a queue: its answers may come from anyone. */
export interface RunKind<Data, Task, Answer> extends Omit<WorkKind<Data, Task, Answer>, 'open'> {
  open(threads: number, assets: Asset[], data: Data, store: AssetStore): Promise<Pool<Task, Answer>>;
  /** Validates an answer. @throws Error if it is none to this task */
  accept(given: unknown, task: Task): Answer;
}

export interface WorkQueue {
  /** @param giveUp makes the answer of an indivisible task that failed */
  open<Data, Task, Answer>(
    kind: RunKind<Data, Task, Answer>,
    assets: readonly Asset[],
    data: Data,
    giveUp: (task: Task, error: Error) => Answer,
  ): Promise<Pool<Task, Answer>>;
  readonly store: AssetFolder;
  /** Describes the progress in words. @param units name of the counted things */
  stage(done: number, units: string): string;
}

/** @throws InputError if no Redis answers */
export async function openWorkQueue(
  { queue, assets }: { queue: string; assets?: string },
  { log }: Session,
): Promise<WorkQueue> {
  const address = addressOf(queue);
  if (assets === undefined) throw new InputError('--queue: --assets names the folder by which workers get assets');
  const store = openFolder(assets);
  (await connect(address)).disconnect();
  let asker: Asker | undefined;
  let began = 0;
  return {
    store,
    async open(kind, assets, data, giveUp) {
      const own = await openAsker(address, await writeRun(store, kind.name, assets, data), log);
      const letGo = onInterrupt(() => own.close());
      began = performance.now();
      asker = own;
      return {
        get size() {
          return Math.max(EXPECTED, own.workers);
        },
        isLost: false,
        run: byHalves(kind, own, giveUp, log),
        async close() {
          letGo();
          await own.close();
        },
      };
    },
    stage(done, units) {
      const spent = performance.now() - began;
      const left = done > 0 ? `, ${Math.ceil((spent * (1 - done)) / done / 1000)} s left` : '';
      const workers = asker?.workers ?? 0;
      return `${units}, ${workers} worker thread${workers === 1 ? '' : 's'}${left}`;
    },
  };
}

/** @param giveUp makes the answer of an indivisible task that failed */
export function byHalves<Task, Answer>(
  { accept, halve, join }: Pick<RunKind<never, Task, Answer>, 'accept' | 'halve' | 'join'>,
  asker: Pick<Asker, 'ask'>,
  giveUp: (task: Task, error: Error) => Answer,
  log: Log,
): (task: Task) => Promise<Timed<Answer>> {
  let faults = 0;
  const failed = (task: Task, error: Error): Timed<Answer> => {
    if (++faults > MOST_FAULTS) throw new InputError(`--queue: more than ${MOST_FAULTS} tasks fail: ${error.message}`);
    log.warn(`--queue: a task fails: ${error.message}`);
    return { answer: giveUp(task, error), ms: 0 };
  };
  const accepted = (given: unknown, task: Task): Answer => {
    try {
      return accept(given, task);
    } catch (error) {
      const words = (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, MOST_LETTERS);
      throw new TaskFault(`an answer of another shape: ${words}`);
    }
  };
  const ask = async (task: Task, tries: number): Promise<Timed<Answer>> => {
    try {
      const { answer, ms } = await asker.ask(task, tries);
      return { answer: accepted(answer, task), ms };
    } catch (error) {
      if (!(error instanceof TaskFault)) throw error;
      const halves = halve(task);
      if (!halves) return failed(task, error);
      const triesOf = (half: Task): number => (halve(half) ? 1 : TRIES);
      const [first, second] = await Promise.all(halves.map((half) => ask(half, triesOf(half))));
      return { answer: join(first.answer, second.answer), ms: first.ms + second.ms };
    }
  };
  return (task) => ask(task, TRIES);
}

/** Runs `work` before an interrupt ends the program. */
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
