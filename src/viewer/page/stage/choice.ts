/** Chooses objects by clicks. */
import type { ViewState } from '../../view-state.ts';

type Pair = Pick<ViewState, 'a' | 'b'>;

/**
 * A click chooses b, with Alt a. The second click makes a pair: the old b becomes a. On one of the
 * two, Alt exchanges them; without Alt nothing changes.
 */
export function chosen({ a, b }: Pair, name: string, { isAlt }: { isAlt: boolean }): Pair {
  if (isAlt) return name === b ? { a: b, b: a } : { a: name, b };
  if (name === a || name === b) return { a, b };
  return a === null ? { a: b, b: name } : { a, b: name };
}
