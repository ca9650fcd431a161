/** What each thread of a scene's findings runs. */
import { adoptWide } from '../../pair/mixture.ts';
import { serve } from '../../pair/threads/serve.ts';
import { loadKinds } from '../../representations/registry.ts';
import { placeAgain } from '../scene.ts';
import type { Found, Range, SceneData } from './answer-pairs.ts';

export default await serve<SceneData, Range, Found>(async (assets, data) => {
  const { poses, pairs, boxes, options, asks } = data;
  await loadKinds('obb', ...assets.map(({ representation }) => representation));
  for (const [asset, wide] of data.wide) adoptWide(assets[asset], assets[wide]);
  const objects = data.objects.map(({ asset, ...rest }, i) => ({
    ...rest,
    asset: assets[asset],
    pose: poses.slice(16 * i, 16 * i + 16),
  }));
  const scene = placeAgain(objects, options, boxes);
  if (data.isMoving) scene.expectSteps();
  return async ([first, end]) => ({
    findings: await scene.answer(pairs.subarray(first, end), asks),
    asked: end - first,
  });
});
