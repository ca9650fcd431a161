/** An asset that takes other geometry in place, with all that hangs on it. */
import { movePlacement } from '../kernels/memory.ts';
import { renewDerived } from '../query/derived.ts';
import type { Asset } from '../query/representation.ts';
import { representationOf } from '../representations/kinds.ts';

/**
 * Moves the vertices of an asset whose kind has `update`: see Representation.update, which throws.
 *
 * @returns the asset itself
 */
export function updateInPlace<A extends Asset>(asset: A, positions: Float64Array | Float32Array): A {
  let updated: Asset | undefined;
  try {
    updated = representationOf(asset).update?.(asset, positions, true);
    return Object.assign(asset, updated);
  } finally {
    // Where it fails, too: what a kernel has of the asset may have changed.
    movePlacement(updated ?? {}, asset);
    renewDerived(asset, updated);
  }
}
