/** Ids of findings as people read and type them: their first digits. */

/** Digits that are printed, and that are needed to name one. */
const SHOWN = 8;
const FEWEST = 6;
const MOST_NAMED = 4;

/** Shortens ids to their first digits; those that begin alike stay whole. */
export function idsInShort(ids: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const short = ids.map((id) => id.slice(0, SHOWN));
  for (const id of short) counts.set(id, (counts.get(id) ?? 0) + 1);
  return ids.map((id, n) => (counts.get(short[n]!) === 1 ? short[n]! : id));
}

/** Returns the ids that a text may mean: the one that it is, or all that begin with it. */
export function idsMeant(text: string, ids: Iterable<string>): string[] {
  const begun = new Set<string>();
  for (const id of ids) {
    if (id === text) return [id];
    if (text.length >= FEWEST && id.startsWith(text)) begun.add(id);
  }
  return [...begun];
}

/**
 * Names the ids that an ambiguous text may mean.
 *
 * @param wordsOf what an id stands for
 */
export function ambiguousText(text: string, meant: readonly string[], wordsOf: (id: string) => string): string {
  const named = meant.slice(0, MOST_NAMED).map((id) => `${id} (${wordsOf(id)})`);
  const more = meant.length > MOST_NAMED ? [`${meant.length - MOST_NAMED} more`] : [];
  return `${text}: ${meant.length} findings have ids that begin so: ${[...named, ...more].join(', ')}`;
}
