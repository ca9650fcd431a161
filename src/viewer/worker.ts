/** The worker of the page: questions come as messages, and answers go as such. */
import { InputError } from '../math/errors.ts';
import { buffersOf } from './engine/buffers.ts';
import { ViewEngine } from './engine.ts';
import type { Request, Response } from './protocol.ts';

/** Of a worker's global scope what is used here. */
interface WorkerScope {
  onmessage: ((event: { data: Request }) => void) | null;
  postMessage(message: Response, transfer: ArrayBufferLike[]): void;
}

const scope = globalThis as unknown as WorkerScope;
const engine = new ViewEngine();

scope.onmessage = async ({ data: { id, name, question } }) => {
  try {
    const answer = await engine.answer(name, question);
    scope.postMessage({ id, answer }, buffersOf(answer));
  } catch (error) {
    scope.postMessage({ id, error: lineOf(error) }, []);
  }
};

/** What is wrong with an input is said as it is; the rest is a fault of ours. */
function lineOf(error: unknown): string {
  const [line] = String(error instanceof Error ? error.message : error).split('\n');
  return error instanceof InputError ? line : `an internal fault: ${line}`;
}
