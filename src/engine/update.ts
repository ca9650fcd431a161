/** Updates of an asset's geometry in place, with all data derived from it. */
import { movePlacement } from '../kernels/memory.ts';
import { representationOf } from '../representations/kinds.ts';
import { renewDerived } from './asset-cache.ts';
import type { Asset } from './representation.ts';

/** Returns the asset itself. Throws the errors of Representation.update. */
export function updateInPlace<A extends Asset>(asset: A, positions: Float64Array | Float32Array): A {
  let updated: Asset | undefined;
  try {
    updated = representationOf(asset).update?.(asset, positions, { inPlace: true });
    return Object.assign(asset, updated);
  } finally {
    // Also after a failure: the asset's kernel records may have changed.
    movePlacement(updated ?? {}, asset);
    renewDerived(asset, updated);
  }
}
