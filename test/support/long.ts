/**
 * What `npm test` leaves to `npm run test:long`: more seeds, larger meshes, more mutations. test:long runs all of each file that
 * imports this module or contract/variants.ts (see vitest.config.ts), and no other file.
 */

/** Whether the long run is on: `long ? 400 : 12` seeds, `test.runIf(long)`. */
export const long = (import.meta as { env?: { MODE?: string } }).env?.MODE === 'long';

/** All of a list in the long run, its first `count` otherwise. */
export const some = <T>(count: number, list: readonly T[]): T[] => (long ? [...list] : list.slice(0, count));

// The mode must reach every project of vitest.config.ts, or the long run would be a short one.
if (process.env.npm_lifecycle_event === 'test:long' && !long) throw new Error('test:long: not in its mode');
