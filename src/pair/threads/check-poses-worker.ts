/** What each thread of `checkPoses` runs. */
import { loadKinds } from '../../representations/kinds.ts';
import { answerRange, prepare } from '../pair.ts';
import type { PosesData, Range } from './check-poses.ts';
import { serve } from './serve.ts';

export default await serve<PosesData, Range, null>(async ([a, b], { poses, verdicts }) => {
  await loadKinds('obb', a.representation, b.representation);
  const checker = prepare(a, b);
  return ([first, end]) => {
    answerRange(checker, poses, verdicts, first, end);
    return null;
  };
});
