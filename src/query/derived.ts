/**
 * What is computed of an asset later: it hangs on the asset, goes when the asset goes, and is
 * forgotten when the asset's geometry changes (updateGeometry, in place). Whatever is kept by an
 * asset is kept here: a cache that an update does not know of would answer for the old geometry.
 */

/** All caches there are. */
const caches: WeakMap<object, unknown>[] = [];
/** Changes so far, and the number of each asset's last one. */
let changes = 0;
const lastChanges = new WeakMap<object, number>();

/**
 * A cache of what is computed of assets.
 *
 * @example const reaches = derived<ObbTree, number>();
 *          reaches.set(tree, 4); // until the tree changes
 */
export function derived<A extends object, Value>(): WeakMap<A, Value> {
  const cache = new WeakMap<A, Value>();
  caches.push(cache);
  return cache;
}

/**
 * Forgets all that was computed of an asset whose geometry has changed, but for what is known of
 * the asset that it has become.
 */
export function renewDerived(asset: object, from?: object): void {
  for (const cache of caches) {
    if (from && cache.has(from)) cache.set(asset, cache.get(from));
    else cache.delete(asset);
  }
  lastChanges.set(asset, ++changes);
}

/** How often any asset has changed: who has looked since then needs no other look. */
export const changesSoFar = (): number => changes;

const holders = new WeakMap<object, number>();

/**
 * Keeps assets from being changed in place until what is returned is called: questions about them
 * are under way, in other threads or between two turns of this one.
 */
export function hold(...assets: object[]): () => void {
  const add = (count: number): void => {
    for (const asset of assets) holders.set(asset, (holders.get(asset) ?? 0) + count);
  };
  add(1);
  return () => add(-1);
}

export const isHeld = (asset: object): boolean => (holders.get(asset) ?? 0) > 0;

/** Whether an asset has changed since there were so many changes. */
export const hasChangedSince = (asset: object, count: number): boolean => (lastChanges.get(asset) ?? 0) > count;
