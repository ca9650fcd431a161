/**
 * Data derived from an asset: it disappears with the asset, and when the asset's geometry changes
 * (updateGeometry, in place).
 *
 * All such caches must be made here: an update cannot clear others, which would answer for the old
 * geometry.
 */

const caches: WeakMap<object, unknown>[] = [];
/** Number of changes so far, and of each asset's last one. */
let changes = 0;
const lastChanges = new WeakMap<object, number>();

/** Makes a cache of data derived from assets, valid until the asset changes. */
export function derived<A extends object, Value>(): WeakMap<A, Value> {
  const cache = new WeakMap<A, Value>();
  caches.push(cache);
  return cache;
}

/** Forgets derived data of an asset after a change, or takes over that of `from`. */
export function renewDerived(asset: object, from?: object): void {
  for (const cache of caches) {
    if (from && cache.has(from)) cache.set(asset, cache.get(from));
    else cache.delete(asset);
  }
  lastChanges.set(asset, ++changes);
}

/** Equal counts mean that no asset has changed. */
export const changesSoFar = (): number => changes;

const holders = new WeakMap<object, number>();

/** Keeps assets unchanged until the result is called, while questions about them are pending. */
export function hold(...assets: object[]): () => void {
  const add = (count: number): void => {
    for (const asset of assets) holders.set(asset, (holders.get(asset) ?? 0) + count);
  };
  add(1);
  return () => add(-1);
}

export const isHeld = (asset: object): boolean => (holders.get(asset) ?? 0) > 0;

export const hasChangedSince = (asset: object, count: number): boolean => (lastChanges.get(asset) ?? 0) > count;
