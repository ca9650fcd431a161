/**
 * The share of a tier. A test's tags name its tiers (vitest.config.ts).
 *
 * `npm test` asks a little, `npm run test:all` the rest of what is asked every time, and
 * `npm run test:long` asks more: more seeds, larger meshes, more mutations.
 */

const mode = (import.meta as { env?: { MODE?: string } }).env?.MODE;

/** True in the long run: `long ? 400 : 12` seeds. */
export const long = mode === 'long';

/**
 * The items of a list that this tier asks about: the first `count`, and in the long run those that
 * are left. With `[quick, all]`, `npm test` asks about the first `quick`, and `npm run test:all`
 * about those after them, up to `all`.
 */
export function some<T>(count: number | readonly [number, number], list: readonly T[]): T[] {
  const [quick, all] = typeof count === 'number' ? [null, count] : count;
  if (long) return list.slice(all);
  if (mode === 'quick') return list.slice(0, quick ?? all);
  return list.slice(mode === 'all' ? (quick ?? 0) : 0, all);
}

/** The first `count` items; all in the long run. For items that are asked about together. */
export const first = <T>(count: number, list: readonly T[]): T[] => (long ? [...list] : list.slice(0, count));

// The mode must reach every project of vitest.config.ts, or the long run would be a short one.
for (const tier of ['all', 'long'])
  if (process.env.npm_lifecycle_event === `test:${tier}` && mode !== tier)
    throw new Error(`test:${tier}: not in its mode`);
