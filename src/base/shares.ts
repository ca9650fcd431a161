/** Work in shares of equal cost, for machines that do not communicate. */
import { OptionError } from './errors.ts';

/** A share's number, from 1, and the number of shares. */
export interface Shard {
  index: number;
  count: number;
}

export const MOST_SHARES = 1000;
/** Threads of `--jobs` and `jobs`. */
export const MOST_JOBS = 256;

/** @throws OptionError unless it is i/n with 1 <= i <= n */
export function readShard(text: string): Shard {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text)?.map(Number) ?? [];
  if (count >= 1 && count <= MOST_SHARES && index >= 1 && index <= count) return { index, count };
  throw new OptionError(
    `shard ${JSON.stringify(text.slice(0, 40))}: expected i/n, such as 2/5, with n from 1 to ${MOST_SHARES}`,
  );
}

export const requireShard = ({ index, count }: Shard): Shard => readShard(`${index}/${count}`);

/**
 * Returns the numbers of the pieces of work in one share, ascending. Every piece is in one share.
 *
 * The most expensive piece goes first, each to the share with the least (R. L. Graham, Bounds on
 * Multiprocessing Timing Anomalies, 1969): no share costs more than 4/3 of the largest share of the
 * best division. Equal costs give equal shares on every machine.
 *
 * @param costs of the pieces, in any unit; finite, not negative
 */
export function shareOf(costs: ArrayLike<number>, { index, count }: Shard): Uint32Array {
  const order = Uint32Array.from({ length: costs.length }, (_, n) => n).sort((p, q) => costs[q] - costs[p] || p - q);
  const loads = new Float64Array(count);
  // Shares pieces that cost nothing, too.
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
