/** The page's worker: receives questions as messages, and posts answers. */
import { InputError } from '../base/errors.ts';
import { buffersOf } from './buffers.ts';
import { ViewEngine } from './engine.ts';
import type { Request, Response } from './protocol.ts';

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

/** Input errors keep their text; others are marked as internal. */
function lineOf(error: unknown): string {
  const [line] = String(error instanceof Error ? error.message : error).split('\n');
  return error instanceof InputError ? line : `an internal fault: ${line}`;
}
