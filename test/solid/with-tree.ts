/** Assets whose rays and points the kernel answers (src/solid/search/). */
import { type Asset, raycasts } from '../../src/index.ts';
import { identity } from '../../src/math/pose.ts';
import { targetIn } from '../../src/solid/targets.ts';

/** True if the asset's tree is there; counts as no question. */
export function isReady(asset: Asset): boolean {
  const target = targetIn(asset, identity());
  return target?.search.isReady(asset, target, 0) ?? false;
}

/** Asks about as many rays as are worth a tree of a small asset. */
export function withTree<A extends Asset>(asset: A): A {
  const rays = new Float64Array(9000).fill(1e3);
  raycasts(asset, rays, rays);
  return asset;
}
