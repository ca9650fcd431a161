// How measured counts grow: as a logarithm, a + b log n, or as a power, c n^k. Both have two
// numbers, which least squares of the counts themselves choose; the better fit tells which growth
// it is.

/** @typedef {readonly (readonly [number, number])[]} Points n and the count, three at least */

/** Powers that are tried, and how finely at last. */
const LARGEST_POWER = 4;
const POWER_STEPS = 64;
const ROUNDS = 12;

/** The root of the mean of squares of this sum. @param {number} squares @param {Points} points */
const rootMean = (squares, points) => Math.sqrt(squares / points.length);

/** @param {Points} points */
function squaresAboutMean(points) {
  const mean = points.reduce((total, [, y]) => total + y, 0) / points.length;
  return points.reduce((total, [, y]) => total + (y - mean) ** 2, 0);
}

/**
 * The best a + b log2 n, the root mean square of what it misses, and its coefficient of
 * determination.
 *
 * @param {Points} points
 */
export function logarithmOf(points) {
  const logs = points.map(([n, y]) => /** @type {const} */ ([Math.log2(n), y]));
  const [meanX, meanY] = [0, 1].map((k) => logs.reduce((total, point) => total + point[k], 0) / logs.length);
  let [xx, xy] = [0, 0];
  for (const [x, y] of logs) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
  }
  const b = xy / xx;
  const a = meanY - b * meanX;
  const missed = logs.reduce((total, [x, y]) => total + (y - a - b * x) ** 2, 0);
  return { a, b, missed: rootMean(missed, points), r2: 1 - missed / squaresAboutMean(points) };
}

/**
 * The same for the best c n^k, k from -4 to 4.
 *
 * @param {Points} points
 */
export function powerOf(points) {
  const largest = Math.max(...points.map(([n]) => n));
  /** @param {number} k */
  const at = (k) => {
    const powers = points.map(([n]) => (n / largest) ** k);
    const factor =
      points.reduce((total, [, y], i) => total + y * powers[i], 0) / powers.reduce((total, x) => total + x * x, 0);
    const missed = points.reduce((total, [, y], i) => total + (y - factor * powers[i]) ** 2, 0);
    return { k, c: factor / largest ** k, missed };
  };
  let [from, to] = [-LARGEST_POWER, LARGEST_POWER];
  let best = at(0);
  for (let round = 0; round < ROUNDS; round++) {
    const step = (to - from) / POWER_STEPS;
    for (let i = 0; i <= POWER_STEPS; i++) {
      const tried = at(from + i * step);
      if (tried.missed < best.missed) best = tried;
    }
    [from, to] = [best.k - step, best.k + step];
  }
  const { k, c, missed } = best;
  return { k, c, missed: rootMean(missed, points), r2: 1 - missed / squaresAboutMean(points) };
}

/**
 * Both fits, and whether the logarithm, growing, is the better one.
 *
 * @param {Points} points
 */
export function growthOf(points) {
  const [logarithm, power] = [logarithmOf(points), powerOf(points)];
  return { logarithm, power, isLogarithm: logarithm.b > 0 && logarithm.r2 >= power.r2 };
}

/**
 * The claim that counts grow as a logarithm: open where neither fit misses half as much as the
 * other.
 *
 * @param {ReturnType<typeof growthOf>} growth
 * @returns {'confirmed' | 'partly' | 'refuted'}
 */
export function verdictOfLogarithm({ logarithm, power, isLogarithm }) {
  const [missed, byPower] = [1 - logarithm.r2, 1 - power.r2];
  if (logarithm.b > 0 && 2 * Math.min(missed, byPower) > Math.max(missed, byPower)) return 'partly';
  return isLogarithm ? 'confirmed' : 'refuted';
}

/** Both fits in words. @param {ReturnType<typeof growthOf>} growth */
export const fitsInWords = ({ logarithm, power }) =>
  `a + b log n fits with r² = ${logarithm.r2.toFixed(4)}, n^${power.k.toFixed(2)} with ${power.r2.toFixed(4)}`;
