/** What each thread of `check --poses` runs. */
import { serve } from '../pair/threads/crew-worker.ts';
import { loadKinds } from '../representations/registry.ts';
import { type Answers, answerBlock, askOf } from './answers.ts';
import type { Task, WorkerData } from './many-poses.ts';

await serve<WorkerData, Task, Answers>(async ([a, b], { options, style }) => {
  await loadKinds(a.representation, b.representation);
  const ask = askOf(a, b, options);
  return async ({ block, isAsked }) => {
    const answer = await answerBlock(block, style, isAsked ? ask : null);
    return { answer, transfer: [answer.output.buffer as ArrayBuffer] };
  };
});
