/**
 * How many samples each chart gets: where the next ones lower the error most.
 *
 * A chart with 4^n quads has the squared error cost / 16^n, integrated over its area (linear
 * interpolation is off by the curvature times the square of the samples' distance). One step more
 * takes 15/16 of it away for three times its samples again; greedily the best gain a sample is
 * taken while the budget lasts. Gains of a chart shrink from step to step, so no other choice of as
 * many samples has a smaller error, were every step affordable. Sizes are powers of two, so that
 * the budget may be passed by up to OVERSHOOT, never more unless the smallest sizes alone pass it.
 *
 * Errors of things thousands of times smaller than the whole are nothing by that measure, and they
 * would become a tetrahedron or a fan. So what is less faithful to itself than FAITHFUL comes
 * first, the least faithful at the head, for up to FAITHFUL_SHARE of the budget.
 */
import { LARGEST_EXPONENT } from '../../tree/geometry-image.ts';
import { sizeOf } from '../../tree/grid.ts';

/** Of the samples that are asked for. */
const OVERSHOOT = 1.3;
/** Root mean square error of a chart in parts of its own diagonal. */
const FAITHFUL = 0.02;
/** Of the budget, for charts that are not faithful to themselves. */
const FAITHFUL_SHARE = 0.5;

/** A chart, as allocation knows it. */
export interface Demand {
  /** Integrated squared error times 16^n. */
  cost: number;
  /** An error that nobody would see: samples that only come below it are not taken. */
  negligible: number;
  /** The fewest quads a side that the chart can do with, as an exponent. */
  smallest: number;
  /**
   * Its area times the square of its box's diagonal: the error of one that is off by its own size.
   */
  size?: number;
}

/**
 * @param samples that all charts together should have
 * @returns the exponent of each
 */
export function allocate(demands: readonly Demand[], samples: number): Int32Array {
  const exponents = Int32Array.from(demands, ({ smallest }) => smallest);
  let left = OVERSHOOT * samples;
  for (const { smallest } of demands) left -= sizeOf(smallest) ** 2;
  const errorOf = (i: number): number => demands[i].cost / 16 ** exponents[i];
  const ownErrorOf = (i: number): number => {
    const { size = 0 } = demands[i];
    return size > 0 ? errorOf(i) / size : 0;
  };
  const first = Math.min(left, FAITHFUL_SHARE * OVERSHOOT * samples);
  left += spend(demands, exponents, first, ownErrorOf, FAITHFUL * FAITHFUL) - first;
  spend(demands, exponents, left, (i) => errorOf(i) / extraOf(exponents[i]), 0);
  return exponents;
}

/**
 * Takes one step after the other where `gainOf` is greatest, and above `least`, while samples are
 * left; returns how many are.
 */
function spend(
  demands: readonly Demand[],
  exponents: Int32Array,
  samples: number,
  gainOf: (i: number) => number,
  least: number,
): number {
  let left = samples;
  // Charts by their gain, the best last; few change places at a time.
  const open = demands
    .map((_, i) => i)
    .filter((i) => gainOf(i) > least)
    .sort((a, b) => gainOf(a) - gainOf(b) || b - a);
  while (open.length > 0) {
    const i = open.pop()!;
    const extra = extraOf(exponents[i]);
    const isSeen = demands[i].cost / 16 ** exponents[i] > demands[i].negligible;
    // What does not fit now will not fit later.
    if (extra > left || exponents[i] === LARGEST_EXPONENT || !isSeen) continue;
    exponents[i]++;
    left -= extra;
    const gain = gainOf(i);
    if (!(gain > least)) continue;
    let [low, high] = [0, open.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = gainOf(open[middle]);
      if (other < gain || (other === gain && open[middle] > i)) low = middle + 1;
      else high = middle;
    }
    open.splice(low, 0, i);
  }
  return left;
}

const extraOf = (exponent: number): number => sizeOf(exponent + 1) ** 2 - sizeOf(exponent) ** 2;
