/**
 * Work on many threads in stable order: a crew of workers, what they share of assets, and answers
 * in the order of the questions. With crew-worker.ts the only file below the command line, but for
 * the cubes', that knows threads.
 *
 * Assets are not copied to each worker: their typed arrays move to shared memory, once, and what
 * kernels have of them (kernels/memory.ts) stays where it is, in the memory that all threads have
 * anyway.
 *
 * Not tinypool's, as the cubes' workers are: a task here takes long enough that nothing is won by
 * waking threads faster, while a thread that ends by itself, which tinypool waits for forever, must
 * end the run, and who starts a crew goes on working until it stands.
 */
import { Worker } from 'node:worker_threads';
import { kernels, placementOf, release, type SharedKernels, shareKernels } from '../../kernels/memory.ts';
import { InputError } from '../../math/errors.ts';
import type { Asset } from '../../query/representation.ts';
import { representationOf } from '../../representations/registry.ts';

// ------------------------------------------------------------------------------------------------- a crew

/** Threads that all run the same file. */
export interface Crew<Task, Answer> {
  readonly size: number;
  /**
   * Gives the task to the thread with the least to do.
   *
   * @param transfer buffers that need not be copied; this thread loses them
   * @throws what the task threw there; Error where a thread has ended, then and ever after
   */
  run(task: Task, transfer?: ArrayBuffer[]): Promise<Answer>;
  /** Ends the threads, whatever they do. */
  close(): Promise<void>;
}

/** What a worker is started with. */
export interface Start {
  shared: SharedAssets;
  kernels: SharedKernels | null;
  data: unknown;
}

/**
 * What a worker says: that it is ready (-1), or of a task, by its number, the answer or what went
 * wrong.
 */
export interface Message {
  task: number;
  answer?: unknown;
  fault?: Fault;
}

export const READY = -1;

interface Hand {
  worker: Worker;
  workspace: number;
  waiting: Map<number, { done: (answer: never) => void; failed: (error: Error) => void }>;
}

/**
 * Starts threads; a crew when all are ready.
 *
 * @param file what they run: a module that calls `serve` of crew-worker.ts
 * @param shared what `shareAssets` gave; its assets must live as long as the crew
 * @param data what else `serve` is handed, cloned
 */
export async function openCrew<Task, Answer>(
  count: number,
  file: URL,
  shared: SharedAssets,
  data: unknown,
): Promise<Crew<Task, Answer>> {
  let tasks = 0;
  let lost: Error | undefined;
  const startOne = (): { hand: Hand; ready: Promise<void> } => {
    const ownKernels = shared.placed.length > 0 ? shareKernels() : null;
    const start: Start = { shared, kernels: ownKernels, data };
    const worker = new Worker(file, { workerData: start });
    const hand: Hand = { worker, workspace: ownKernels?.workspace ?? 0, waiting: new Map() };
    const ready = new Promise<void>((done, failed) => hand.waiting.set(READY, { done, failed }));
    worker.on('message', ({ task, answer, fault }: Message) => {
      const waiting = hand.waiting.get(task);
      hand.waiting.delete(task);
      if (fault) waiting?.failed(errorOf(fault));
      else waiting?.done(answer as never);
    });
    const lose = (error: Error): void => {
      lost ??= error;
      for (const { failed } of hand.waiting.values()) failed(lost);
      hand.waiting.clear();
    };
    worker.on('error', lose);
    worker.on('messageerror', lose);
    worker.on('exit', (code) => lose(new Error(`a worker thread has ended, exit code ${code}`)));
    return { hand, ready };
  };
  const started: ReturnType<typeof startOne>[] = [];
  const close = async (): Promise<void> => {
    for (const { hand } of started) {
      await hand.worker.terminate();
      // Not before: it may be in the middle of a query.
      release(hand.workspace);
    }
  };
  try {
    for (let i = 0; i < count; i++) started.push(startOne());
    await Promise.all(started.map(({ ready }) => ready));
  } catch (error) {
    await close();
    throw error;
  }
  const hands = started.map(({ hand }) => hand);
  return {
    size: count,
    run(task, transfer = []) {
      if (lost) return Promise.reject(lost);
      const hand = hands.reduce((least, other) => (other.waiting.size < least.waiting.size ? other : least));
      const number = tasks++;
      return new Promise((done, failed) => {
        hand.waiting.set(number, { done, failed });
        hand.worker.postMessage({ task: number, question: task }, transfer);
      });
    },
    close,
  };
}

// ------------------------------------------------------------------------------------------------- errors

/** An error as it is posted: structured cloning forgets its class. */
export interface Fault {
  name: string;
  message: string;
  stack: string | undefined;
  isInput: boolean;
}

export function faultOf(error: unknown): Fault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack, isInput: error instanceof InputError };
}

export function errorOf({ name, message, stack, isInput }: Fault): Error {
  const error = isInput ? new InputError(message) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}

// -------------------------------------------------------------------------------------------------- order

/**
 * Answers in the order of the questions, as they come: the next question is only asked for when
 * fewer than `ahead()` answers are on their way or not yet taken, so neither a source without an
 * end nor a slow reader piles anything up. An answer does not wait for the next question.
 *
 * @param next the next question; null when there is none
 * @throws what `next` or `answer` throws, after all answers before it
 * @example let x = 0;
 *          const next = async () => (x < 9 ? x++ : null);
 *          for await (const square of inOrder(next, async (y) => y * y, () => 4)) console.log(square);
 */
export async function* inOrder<Q, A>(
  next: () => Promise<Q | null>,
  answer: (question: Q) => Promise<A>,
  ahead: () => number,
): AsyncGenerator<A, void, undefined> {
  const pending: Promise<A>[] = [];
  let asking: Promise<Q | null> | null = null;
  let hasEnded = false;
  for (;;) {
    if (asking === null && !hasEnded && pending.length < ahead()) {
      asking = next();
      asking.catch(ignore); // until it is looked at
    }
    if (asking !== null && (await isFirst(asking, pending[0]))) {
      let question: Q | null;
      try {
        question = await asking;
      } catch (error) {
        for (const answering of pending) yield await answering;
        throw error;
      }
      asking = null;
      hasEnded = question === null;
      if (question !== null) {
        const answering = answer(question);
        answering.catch(ignore);
        pending.push(answering);
      }
    } else if (pending.length > 0) yield await (pending.shift() as Promise<A>);
    else return;
  }
}

const ignore = (): void => {};

/** Whether the next question is there before the oldest answer, where one is on its way. */
async function isFirst(next: Promise<unknown>, oldest: Promise<unknown> | undefined): Promise<boolean> {
  if (!oldest) return true;
  const [isTrue, isFalse] = [() => true, () => false];
  return Promise.race([oldest.then(isFalse, isFalse), next.then(isTrue, isTrue)]);
}

// ------------------------------------------------------------------------------------------------- assets

/** Assets as they can be posted to any number of threads without copying their arrays. */
export interface SharedAssets {
  assets: Asset[];
  /** Which of them, or of their parts, are in the kernels' memory, and where. */
  placed: [owner: object, address: number][];
}

/**
 * Copies of assets whose arrays are in shared memory; null where one holds something that cannot be
 * posted, such as an open file. What is the same in several is copied once.
 */
export function shareAssets(...assets: Asset[]): SharedAssets | null {
  const [a, b] = assets;
  // Where it has a kernel, this puts both into the kernels' memory, so that no worker need do it
  // for itself.
  if (a && b && a.representation === b.representation && kernels()) representationOf(a).kernel?.(a, b);
  const placed: SharedAssets['placed'] = [];
  try {
    return { assets: copyShared(assets, new Map(), placed) as Asset[], placed };
  } catch (error) {
    if (error instanceof NotShareable) return null;
    throw error;
  }
}

class NotShareable extends Error {}

function copyShared(value: unknown, copies: Map<object, object>, placed: SharedAssets['placed']): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw new NotShareable();
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known) return known;
  const keep = <T extends object>(copy: T): T => {
    copies.set(value, copy);
    const address = placementOf(value);
    if (address !== undefined) placed.push([copy, address]);
    return copy;
  };
  const inner = (part: unknown): unknown => copyShared(part, copies, placed);
  if (ArrayBuffer.isView(value)) {
    const buffer = sharedBuffer(value.buffer, copies);
    const length = value instanceof DataView ? value.byteLength : (value as Uint8Array).length;
    return keep(new (kindOf(value))(buffer, value.byteOffset, length));
  }
  if (Array.isArray(value)) {
    const copy: unknown[] = keep([]);
    for (const part of value) copy.push(inner(part));
    return copy;
  }
  if (value instanceof Map) {
    const copy: Map<unknown, unknown> = keep(new Map());
    for (const [key, part] of value) copy.set(inner(key), inner(part));
    return copy;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotShareable();
  const copy: Record<string, unknown> = keep({});
  for (const [key, part] of Object.entries(value)) copy[key] = inner(part);
  return copy;
}

function sharedBuffer(buffer: ArrayBufferLike, copies: Map<object, object>): SharedArrayBuffer {
  if (buffer instanceof SharedArrayBuffer) return buffer;
  const known = copies.get(buffer);
  if (known) return known as SharedArrayBuffer;
  const copy = new SharedArrayBuffer(buffer.byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer));
  copies.set(buffer, copy);
  return copy;
}

type ViewOf = new (buffer: SharedArrayBuffer, offset: number, length: number) => ArrayBufferView;

const VIEWS: Record<string, ViewOf> = {
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  BigUint64Array,
  BigInt64Array,
  Float32Array,
  Float64Array,
  DataView,
};

/** By the tag, which Node's Buffer shares with what it extends. */
function kindOf(view: ArrayBufferView): ViewOf {
  const tag = (view as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag];
  const kind = VIEWS[tag];
  if (!kind) throw new NotShareable();
  return kind;
}
