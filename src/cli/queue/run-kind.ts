/** What work of one kind is to a queue: who answers it, and how answers are told from other bytes. */
import type { Crew } from '../../pair/threads/crew.ts';
import type { Asset } from '../../query/representation.ts';
import type { AssetStore } from './asset-store.ts';

/** A kind of work that others can do, whose tasks are parts of a run. */
export interface RunKind<Data, Task, Answer> {
  readonly name: string;
  /**
   * Threads that answer tasks over these assets and data.
   *
   * @param store for bytes that tasks name
   */
  open(threads: number, assets: Asset[], data: Data, store: AssetStore): Promise<Crew<Task, Answer>>;
  /**
   * What somebody gave for an answer, checked: it may be anybody's.
   *
   * @throws Error where it is none to this task
   */
  accept(given: unknown, task: Task): Answer;
  /** Two tasks that together are this one; null where it is of one piece. */
  halve(task: Task): [Task, Task] | null;
  join(first: Answer, second: Answer): Answer;
}

/** A kind, whatever its types. */
export type AnyKind = Omit<RunKind<unknown, unknown, unknown>, 'halve' | 'join' | 'accept'>;
