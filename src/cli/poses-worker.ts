/** The entry point of each thread of `check --poses`. */
import { adoptWide } from '../pair/mixture.ts';
import { serve } from '../pair/threads/serve.ts';
import { loadKinds } from '../representations/kinds.ts';
import { answerersOf } from './answerers.ts';
import { type Answers, type Ask, answerBlock, askOf } from './answers.ts';
import type { Task, WorkerData } from './many-poses.ts';

export default await serve<WorkerData, Task, Answers>(async ([a, b, wideA, wideB], { options, style }) => {
  // As in many-poses.ts: their replacements may be wide OBB trees.
  await loadKinds('obb', ...[a, b, wideA, wideB].map(({ representation }) => representation));
  const own = { ...options, ...(await answerersOf(options)) };
  adoptWide(a, wideA);
  adoptWide(b, wideB);
  let ask: Ask | undefined;
  return ({ block, questions, told }) => {
    if (questions !== null) ask ??= askOf(a, b, own, questions);
    return answerBlock(block, style, questions === null ? null : (ask as Ask), told);
  };
});
