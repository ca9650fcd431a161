/** Defines a kind of work for a queue: its threads, and the validation of answers. */
import type { Crew } from '../../pair/threads/crew.ts';
import type { Asset } from '../../query/representation.ts';
import type { AssetStore } from './asset-store.ts';

export interface RunKind<Data, Task, Answer> {
  readonly name: string;
  open(threads: number, assets: Asset[], data: Data, store: AssetStore): Promise<Crew<Task, Answer>>;
  /** Validates an answer, which may come from anyone. @throws Error if it is none to this task */
  accept(given: unknown, task: Task): Answer;
  /** Splits a task in two; null if it is indivisible. */
  halve(task: Task): [Task, Task] | null;
  join(first: Answer, second: Answer): Answer;
}

export type AnyKind = Omit<RunKind<unknown, unknown, unknown>, 'halve' | 'join' | 'accept'>;
