/** Suggestions for mistyped words, without the messages of JSON, for commands that read none. */

/**
 * Returns the known key closest to a mistyped one, at most `most` letters away, or null.
 *
 * @param most two in five of its letters by default
 */
export function nearest(
  key: string,
  known: Iterable<string>,
  most = Math.max(1, Math.floor(key.length / 2.5)),
): string | null {
  let best: string | null = null;
  let least = 1 + most;
  if (key.length > 40) return null;
  const lower = key.toLowerCase();
  for (const candidate of known) {
    const other = candidate.toLowerCase();
    // A difference in length takes as many edits.
    if (Math.abs(other.length - lower.length) >= least) continue;
    const distance = edits(lower, other, least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** The last three rows of a table of edits. */
const rows: Uint16Array[] = [];

/**
 * Letters to add, drop or change, or neighbors to swap (optimal string alignment); `least` or more
 * if it is at least that.
 */
function edits(a: string, b: string, least: number): number {
  if (b.length >= (rows[0]?.length ?? 0)) for (const k of [0, 1, 2]) rows[k] = new Uint16Array(2 * b.length + 64);
  let [before, above, row] = rows;
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    [before, above, row] = [above, row, before];
    row[0] = i;
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const change = above[j - 1] + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1);
      let fewest = Math.min(change, above[j] + 1, row[j - 1] + 1);
      const isSwap =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwap) fewest = Math.min(fewest, before[j - 2] + 1);
      row[j] = fewest;
      best = Math.min(best, fewest);
    }
    // A swap may skip one row, at the cost of one.
    if (best > least) return best;
  }
  return row[b.length];
}
