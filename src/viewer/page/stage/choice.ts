/** What a click on an object chooses. */
import type { ViewState } from '../../view-state.ts';

type Pair = Pick<ViewState, 'a' | 'b'>;

/**
 * A click chooses b, with Alt a; the other stays. The second click ever makes a pair: what was b is
 * a then. One of the two is never both: with Alt they change places, without nothing changes.
 */
export function chosen({ a, b }: Pair, name: string, isAlt: boolean): Pair {
  if (isAlt) return name === b ? { a: b, b: a } : { a: name, b };
  if (name === a || name === b) return { a, b };
  return a === null ? { a: b, b: name } : { a, b: name };
}
