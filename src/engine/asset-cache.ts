/**
 * Caches of data derived from an asset. The data disappears with the asset, and when the asset's
 * geometry changes (`updateGeometry` in place).
 *
 * All such caches must be made here: an update cannot clear others, which would answer for the old
 * geometry.
 */

interface Cache {
  values: WeakMap<object, unknown>;
  dispose: ((value: never) => void) | undefined;
}

const caches: Cache[] = [];
/** Number of changes so far, and of each asset's last one. */
let changes = 0;
const lastChanges = new WeakMap<object, number>();

/**
 * Makes a cache of data derived from assets, valid until the asset changes.
 *
 * @param dispose receives a value that a change makes invalid, before the next question
 */
export function derived<A extends object, Value>(dispose?: (value: Value) => void): WeakMap<A, Value> {
  const values = new WeakMap<A, Value>();
  caches.push({ values, dispose });
  return values;
}

/** Forgets derived data of an asset after a change, or takes over that of `from`. */
export function renewDerived(asset: object, from?: object): void {
  for (const { values, dispose } of caches) {
    const old = values.get(asset);
    if (from && values.has(from)) values.set(asset, values.get(from));
    else values.delete(asset);
    if (old !== undefined && old !== values.get(asset)) dispose?.(old as never);
  }
  lastChanges.set(asset, ++changes);
}

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
