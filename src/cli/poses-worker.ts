/** What each thread of `check --poses` runs. */
import { adoptWide } from '../pair/mixture.ts';
import { serve } from '../pair/threads/serve.ts';
import { loadKinds } from '../representations/kinds.ts';
import { type Answers, type Ask, answerBlock, askOf } from './answers.ts';
import type { Task, WorkerData } from './many-poses.ts';

export default await serve<WorkerData, Task, Answers>(async ([a, b, wideA, wideB], { options, style }) => {
  // As many-poses.ts has them: what stands for these two may be asked through wide OBB trees.
  await loadKinds('obb', ...[a, b, wideA, wideB].map(({ representation }) => representation));
  adoptWide(a, wideA);
  adoptWide(b, wideB);
  let ask: Ask | undefined;
  return ({ block, questions, told }) => {
    if (questions !== null) ask ??= askOf(a, b, options, questions);
    return answerBlock(block, style, questions === null ? null : (ask as Ask), told);
  };
});
