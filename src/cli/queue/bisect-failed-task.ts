/**
 * A queue's view of a kind of work: answers are validated, and a failing task is split in two until
 * the failing part is indivisible. Only that part stays unanswered. Whole tasks and indivisible
 * parts are begun TRIES times, other parts once, since a worker may end for other reasons.
 */
import { InputError } from '../../base/errors.ts';
import type { Asset } from '../../engine/representation.ts';
import type { Pool, Timed, WorkKind } from '../../work/pool.ts';
import type { Log } from '../terminal.ts';
import type { AssetStore } from './asset-store.ts';
import { TRIES } from './jobs.ts';
import { type Asker, TaskFault } from './queue-client.ts';

/** Indivisible tasks that may fail in a run; more are no accident. */
const MOST_FAULTS = 100;
const MOST_LETTERS = 200;

/** A kind of work for a queue: its answers may come from anyone. */
export interface RunKind<Data, Task, Answer> extends Omit<WorkKind<Data, Task, Answer>, 'open'> {
  open(threads: number, assets: Asset[], data: Data, store: AssetStore): Promise<Pool<Task, Answer>>;
  /** Validates an answer. @throws Error if it is none to this task */
  accept(given: unknown, task: Task): Answer;
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
    if (++faults > MOST_FAULTS)
      throw new InputError(`--queue: more than ${MOST_FAULTS} tasks failed: ${error.message}`);
    log.warn(`--queue: a task failed: ${error.message}`);
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
