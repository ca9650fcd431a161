/**
 * The library in two workers of one script. One answers only what follows the pointer, so that it
 * never waits. The other answers slow questions, and opens the document at the first one.
 */
import type { Answer, Name, Question, Request, Response } from '../protocol.ts';
import type { Engine } from './parts.ts';

type WorkerScript = { text: string } | { url: string };

const AT_ONCE: readonly Name[] = ['open', 'quick', 'touching', 'framing', 'learn'];

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** The last question of a name, asked while another was pending. */
interface Next {
  question: unknown;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/** Never throws: if no worker can start, every question is rejected with one line. */
export function startEngine(script: WorkerScript): Engine {
  const url = 'url' in script ? script.url : URL.createObjectURL(new Blob([script.text], { type: 'text/javascript' }));
  const quick = new Line(url);
  let slow: Line | null = null;
  let document: Question<'open'> | null = null;
  let isClosed = false;

  const startSlow = (): Line => {
    slow = new Line(url);
    const files = document?.files.map(({ buffer }) => buffer as ArrayBuffer) ?? [];
    // The other worker has copies. The questions say if it fails.
    if (document) slow.ask('open', { ...document, isLazy: true }, files).catch(() => {});
    document = null;
    return slow;
  };

  const ask = <N extends Name>(name: N, question: Question<N>): Promise<Answer<N>> => {
    if (isClosed) return Promise.reject(new Error('the engine is closed'));
    if (name === 'open') {
      document = question as Question<'open'>;
      slow?.close();
      slow = null;
    }
    return (AT_ONCE.includes(name) ? quick : (slow ?? startSlow())).ask(name, question);
  };

  const next = new Map<Name, Next | null>();
  const run = async (name: Name, question: unknown, { resolve, reject }: Waiting): Promise<void> => {
    next.set(name, null);
    await ask(name, question as Question<Name>).then(resolve, reject);
    const waiting = next.get(name);
    next.delete(name);
    if (waiting) run(name, waiting.question, waiting);
  };

  return {
    ask,
    askLatest: <N extends Name>(name: N, question: Question<N>): Promise<Answer<N> | null> =>
      new Promise<unknown>((resolve, reject) => {
        if (!next.has(name)) {
          run(name, question, { resolve, reject });
          return;
        }
        next.get(name)?.resolve(null);
        next.set(name, { question, resolve, reject });
      }) as Promise<Answer<N> | null>,
    close() {
      isClosed = true;
      quick.close();
      slow?.close();
      if ('text' in script) URL.revokeObjectURL(url);
    },
  };
}

class Line {
  private readonly worker: Worker | null;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;
  private hasAnswered = false;
  private end: string | null = null;

  constructor(url: string) {
    this.worker = this.start(url);
  }

  private start(url: string): Worker | null {
    try {
      const worker = new Worker(url);
      worker.onmessage = ({ data }: MessageEvent<Response>) => this.take(data);
      worker.onmessageerror = () => this.fail('the worker sent a message that cannot be read');
      worker.onerror = (event) => {
        event.preventDefault();
        this.fail(this.hasAnswered ? `the worker has stopped: ${event.message}` : notStarted(event.message));
      };
      return worker;
    } catch (error) {
      this.fail(notStarted(error instanceof Error ? error.message : ''));
      return null;
    }
  }

  /** @param given buffers that the worker takes; others are copied */
  ask<N extends Name>(name: N, question: Question<N>, given: ArrayBuffer[] = []): Promise<Answer<N>> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.end !== null || !this.worker) {
        reject(new Error(this.end ?? ''));
        return;
      }
      const id = ++this.last;
      this.waiting.set(id, { resolve, reject });
      try {
        this.worker.postMessage({ id, name, question } satisfies Request, given);
      } catch (error) {
        this.waiting.delete(id);
        reject(new Error(`${name}: cannot be asked: ${error instanceof Error ? error.message : error}`));
      }
    }) as Promise<Answer<N>>;
  }

  private take(response: Response): void {
    this.hasAnswered = true;
    const waiting = this.waiting.get(response.id);
    this.waiting.delete(response.id);
    if ('error' in response) waiting?.reject(new Error(response.error));
    else waiting?.resolve(response.answer);
  }

  private fail(line: string): void {
    this.end = line;
    for (const { reject } of this.waiting.values()) reject(new Error(line));
    this.waiting.clear();
  }

  close(): void {
    this.worker?.terminate();
    this.fail('the engine is closed');
  }
}

const notStarted = (why: string): string =>
  `the worker that answers the questions cannot be started; the CSP of this page may lack worker-src blob:${why ? ` (${why})` : ''}`;
