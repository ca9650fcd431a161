/** Suggestions for mistyped words, without the messages of JSON, for commands that read none. */

/**
 * Returns the known key closest to a mistyped one, at most `most` letters away, or null.
 *
 * @param most two in five of its letters by default
 */
export function nearest(
  key: string,
  known: readonly string[],
  most = Math.max(1, Math.floor(key.length / 2.5)),
): string | null {
  let best: string | null = null;
  let least = 1 + most;
  if (key.length > 40) return null;
  for (const candidate of known) {
    const distance = edits(key.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Letters to add, drop or change, or neighbors to swap (optimal string alignment). */
function edits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(change, rows[i - 1][j] + 1, row[j - 1] + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) row[j] = Math.min(row[j], rows[i - 2][j - 2] + 1);
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
