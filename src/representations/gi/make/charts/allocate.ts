/**
 * Chooses the number of samples for each chart: the next ones go where they lower the error most.
 *
 * A chart with 4^n quads has a squared error, integrated over its area, of
 *   cost / 16^n
 * since linear interpolation is off by the curvature times the square of the sample distance. One
 * more step removes 15/16 of it for three times as many samples again. The step with the best gain
 * per sample is taken greedily. A chart's gains shrink from step to step, so no other choice of as
 * many samples has a smaller error, if every step is affordable. Sizes are powers of two, so the
 * total can exceed the budget by up to OVERSHOOT. It exceeds that only if the smallest sizes alone
 * do.
 *
 * By that measure, errors of parts thousands of times smaller than the whole are negligible, and
 * they would become a tetrahedron or a fan. So charts less faithful to themselves than FAITHFUL
 * come first, the least faithful at the head, for up to FAITHFUL_SHARE of the budget.
 */
import { LARGEST_EXPONENT } from '../../tree/geometry-image.ts';
import { sizeOf } from '../../tree/grid.ts';

const OVERSHOOT = 1.3;
/** Root mean square error of a chart, relative to its own diagonal. */
const FAITHFUL = 0.02;
const FAITHFUL_SHARE = 0.5;

export interface Demand {
  /** Integrated squared error times 16^n. */
  cost: number;
  /** Samples that only lower the error below this are not taken. */
  negligible: number;
  /** Fewest quads per side, as an exponent. */
  smallest: number;
  /** Error of the rim with `smallest`, `smallest` + 1, ... quads per side; 0 beyond. */
  rim?: readonly number[];
  /** Area times the squared box diagonal: the error of a chart that is off by its own size. */
  size?: number;
  /** Doublings of the samples per side beyond those that the cost gets. */
  doublings?: number;
}

/** The integrated squared error of a chart of 4^exponent quads. */
export const errorAt = ({ cost, smallest, rim }: Demand, exponent: number): number =>
  cost / 16 ** exponent + (rim?.[exponent - smallest] ?? 0);

/** Returns the exponent of each chart; together they have about `samples` samples. */
export function allocate(demands: readonly Demand[], samples: number): Int32Array {
  const exponents = Int32Array.from(demands, ({ smallest }) => smallest);
  let left = OVERSHOOT * samples;
  for (const { smallest } of demands) left -= sizeOf(smallest) ** 2;
  const errorOf = (i: number): number => errorAt(demands[i], exponents[i]);
  const ownErrorOf = (i: number): number => {
    const { size = 0 } = demands[i];
    return size > 0 ? errorOf(i) / size : 0;
  };
  const first = Math.min(left, FAITHFUL_SHARE * OVERSHOOT * samples);
  left += spend(demands, exponents, first, ownErrorOf, FAITHFUL * FAITHFUL) - first;
  // A doubling divides the error by 16 and costs four times as many samples.
  const gainOf = (i: number): number => (64 ** (demands[i].doublings ?? 0) * errorOf(i)) / extraOf(exponents[i]);
  spend(demands, exponents, left, gainOf, 0);
  return exponents;
}

/** Takes steps where `gainOf` is greatest and above `least`. Returns the samples left. */
function spend(
  demands: readonly Demand[],
  exponents: Int32Array,
  samples: number,
  gainOf: (i: number) => number,
  least: number,
): number {
  let left = samples;
  // Sorted by gain, the best last. Few charts change places at a time.
  const open = demands
    .map((_, i) => i)
    .filter((i) => gainOf(i) > least)
    .sort((a, b) => gainOf(a) - gainOf(b) || b - a);
  while (open.length > 0) {
    const i = open.pop()!;
    const extra = extraOf(exponents[i]);
    const isSeen = errorAt(demands[i], exponents[i]) > demands[i].negligible;
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
