/**
 * Splits failing tasks in two and asks again, until the failing part is indivisible; only that part
 * stays unanswered. Whole tasks and indivisible parts are begun TRIES times, other parts once,
 * since a worker may end for other reasons.
 */
import { InputError } from '../../math/errors.ts';
import type { Timed } from '../../pair/threads/crew.ts';
import type { Log } from '../terminal.ts';
import { type Asker, TaskFault } from './asker.ts';
import { TRIES } from './jobs.ts';
import type { RunKind } from './run-kind.ts';

/** Indivisible tasks that may fail in a run; more are no accident. */
const MOST_FAULTS = 100;
const MOST_LETTERS = 200;

/** @param giveUp makes the answer of an indivisible task that failed */
export function byHalves<Task, Answer>(
  kind: Pick<RunKind<never, Task, Answer>, 'accept' | 'halve' | 'join'>,
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
  const ask = async (task: Task, tries: number): Promise<Timed<Answer>> => {
    try {
      const { answer, ms } = await asker.ask(task, tries);
      return { answer: accepted(kind, answer, task), ms };
    } catch (error) {
      if (!(error instanceof TaskFault)) throw error;
      const halves = kind.halve(task);
      if (!halves) return failed(task, error);
      const triesOf = (half: Task): number => (kind.halve(half) ? 1 : TRIES);
      const [first, second] = await Promise.all(halves.map((half) => ask(half, triesOf(half))));
      return { answer: kind.join(first.answer, second.answer), ms: first.ms + second.ms };
    }
  };
  return (task) => ask(task, TRIES);
}

function accepted<Task, Answer>(
  kind: Pick<RunKind<never, Task, Answer>, 'accept'>,
  answer: unknown,
  task: Task,
): Answer {
  try {
    return kind.accept(answer, task);
  } catch (error) {
    const words = (error as Error).message.replaceAll(/\s+/g, ' ').slice(0, MOST_LETTERS);
    throw new TaskFault(`an answer of another shape: ${words}`);
  }
}
