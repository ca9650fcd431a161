/** The module that each thread of a scene's findings runs. */
import { adoptWide } from '../../pair/mixture.ts';
import { serve } from '../../pair/threads/serve.ts';
import { loadKinds } from '../../representations/kinds.ts';
import type { Found, Range, ThreadData } from './answer-pairs.ts';
import { sceneOf } from './scene-data.ts';

export default await serve<ThreadData, Range, Found>(async (assets, data) => {
  await loadKinds('obb', ...assets.map(({ representation }) => representation));
  for (const [asset, wide] of data.wide) adoptWide(assets[asset], assets[wide]);
  const scene = sceneOf(assets, data);
  return async ([first, end]) => ({
    findings: await scene.answer(data.pairs.subarray(first, end), data.asks),
    asked: end - first,
  });
});
