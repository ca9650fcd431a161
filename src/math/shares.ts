/** Work in shares of equal cost, for machines that know nothing of each other. */
import { OptionError } from './errors.ts';

/** Which share of how many: the first is 1. */
export interface Shard {
  index: number;
  count: number;
}

/** Shares that work may be cut into. */
export const MOST_SHARES = 1000;

/** @throws OptionError for what is not i/n with 1 <= i <= n */
export function readShard(text: string): Shard {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  if (count >= 1 && count <= MOST_SHARES && index >= 1 && index <= count) return { index, count };
  throw new OptionError(
    `shard ${JSON.stringify(text.slice(0, 40))}: expected i/n, as 2/5, of 1 to ${MOST_SHARES} shares`,
  );
}

/** @throws OptionError likewise */
export const requireShard = ({ index, count }: Shard): Shard => readShard(`${index}/${count}`);

/**
 * The numbers of the pieces of work that one share has, ascending. Every piece is in one share.
 *
 * The dearest piece goes first, each to the share that has least (R. L. Graham, Bounds on
 * Multiprocessing Timing Anomalies, 1969): no share costs more than 4/3 of the best division's
 * dearest. Equal costs give equal shares on every machine.
 *
 * @param costs of the pieces, in any unit; finite, not negative
 */
export function shareOf(costs: ArrayLike<number>, { index, count }: Shard): Uint32Array {
  const order = Uint32Array.from({ length: costs.length }, (_, n) => n).sort((p, q) => costs[q] - costs[p] || p - q);
  const loads = new Float64Array(count);
  // Pieces that cost nothing are shared, too.
  const pieces = new Uint32Array(count);
  const own: number[] = [];
  for (const piece of order) {
    let least = 0;
    for (let share = 1; share < count; share++)
      if (loads[share] < loads[least] || (loads[share] === loads[least] && pieces[share] < pieces[least]))
        least = share;
    loads[least] += costs[piece];
    pieces[least]++;
    if (least === index - 1) own.push(piece);
  }
  return Uint32Array.from(own).sort();
}
