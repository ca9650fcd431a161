/** What each thread of `checkPoses` runs. */
import { answerRange, prepare } from '../pair.ts';
import type { PosesData, Range } from './check-poses.ts';
import { serve } from './crew-worker.ts';

await serve<PosesData, Range, null>(async ([a, b], { poses, verdicts }) => {
  const checker = prepare(a, b);
  return async ([first, end]) => {
    answerRange(checker, poses, verdicts, first, end);
    return { answer: null };
  };
});
