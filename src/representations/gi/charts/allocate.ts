/**
 * How many samples each chart gets: where the next ones lower the error most.
 *
 * A chart with 4^n quads has the squared error cost / 16^n, integrated over its area (linear interpolation is off by the curvature times the square of
 * the samples' distance). One step more takes 3/4... of it away for three times its samples again; greedily the best gain a sample is taken while the
 * budget lasts. Sizes are powers of two, so that the budget may be passed by up to OVERSHOOT, never more unless the smallest sizes alone pass it.
 */
import { LARGEST_EXPONENT, sizeOf } from '../geometry-image.ts';

/** Of the samples that are asked for. */
const OVERSHOOT = 1.3;

/** A chart, as allocation knows it. */
export interface Demand {
  /** Integrated squared error times 16^n. */
  cost: number;
  /** An error that nobody would see: samples that only come below it are not taken. */
  negligible: number;
  /** The fewest quads a side that the chart can do with, as an exponent. */
  smallest: number;
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
  const gainOf = (i: number): number => errorOf(i) / extraOf(exponents[i]);
  // Charts by their gain, the best last; few change places at a time.
  const open = demands.map((_, i) => i).sort((a, b) => gainOf(a) - gainOf(b) || b - a);
  while (open.length > 0) {
    const i = open.pop()!;
    const extra = extraOf(exponents[i]);
    // What does not fit now will not fit later.
    if (extra > left || exponents[i] === LARGEST_EXPONENT || !(errorOf(i) > demands[i].negligible)) continue;
    exponents[i]++;
    left -= extra;
    const gain = gainOf(i);
    let [low, high] = [0, open.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = gainOf(open[middle]);
      if (other < gain || (other === gain && open[middle] > i)) low = middle + 1;
      else high = middle;
    }
    open.splice(low, 0, i);
  }
  return exponents;
}

const extraOf = (exponent: number): number => sizeOf(exponent + 1) ** 2 - sizeOf(exponent) ** 2;
