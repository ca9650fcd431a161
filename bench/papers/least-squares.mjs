// Least squares, and what a curve says by all of its points: the pages compute their verdicts here,
// so that none compares two points alone. Quadratics are those that Z. Peng, B. Wu, "Collision
// Detection Algorithm Based on Data Parallelism", section V, fits to times.

/** @typedef {readonly (readonly [number, number])[]} Points x and y, by ascending x */
/** @typedef {{ a: number, b: number, c: number, r2: number }} Quadratic y = a x^2 + b x + c */

/**
 * The quadratic of least squared differences in y, and its coefficient of determination.
 *
 * @param {Points} points at least three of different x
 * @returns {Quadratic}
 */
export function quadraticFit(points) {
  // By orthogonal polynomials on x / largest: the normal equations of the powers are
  // ill-conditioned.
  const largest = Math.max(...points.map(([x]) => Math.abs(x)));
  const xs = points.map(([x]) => x / largest);
  const ys = points.map(([, y]) => y);
  const mean =
    dot(
      xs,
      xs.map(() => 1),
    ) / xs.length;
  const first = xs.map((x) => x - mean);
  const spread = dot(first, first);
  const [slope, level] = [dot(first, xs.map((x) => x * x)) / spread, dot(xs, xs) / xs.length]; // biome-ignore format: a pair
  const second = xs.map((x, i) => x * x - level - slope * first[i]);
  const curve = dot(second, ys) / dot(second, second);
  const line = dot(first, ys) / spread;
  const middle =
    dot(
      ys,
      ys.map(() => 1),
    ) / ys.length;
  const a = curve / largest ** 2;
  const b = (line - curve * slope) / largest;
  const c = middle - line * mean - curve * (level - slope * mean);
  const missed = ys.map((y, i) => y - (middle + line * first[i] + curve * second[i]));
  const about = ys.map((y) => y - middle);
  return { a, b, c, r2: 1 - dot(missed, missed) / dot(about, about) };
}

/**
 * The greater x at which a quadratic has the value y; null where there is none.
 *
 * @param {Pick<Quadratic, 'a' | 'b' | 'c'>} quadratic
 * @param {number} y
 */
export function argumentAt({ a, b, c }, y) {
  const root = Math.sqrt(b * b - 4 * a * (c - y));
  const x = (root - b) / (2 * a);
  return Number.isFinite(x) && x > 0 ? x : null;
}

/**
 * How many of the second divided differences are above 0, and how many there are; how often y
 * falls.
 *
 * @param {Points} points
 */
export function convexity(points) {
  const slopes = slopesOf(points).map(([, slope]) => slope);
  const differences = slopes.slice(1).map((slope, i) => slope - slopes[i]);
  return {
    positive: differences.filter((x) => x > 0).length,
    of: differences.length,
    falls: slopes.filter((x) => x < 0).length,
  };
}

/**
 * Coefficients of columns whose sum is next to `ys`, by least squares, and the coefficient of
 * determination, about the mean of `ys`.
 *
 * @param {readonly (readonly number[])[]} columns independent, each as long as `ys`; one of ones is
 *   a constant term
 * @param {readonly number[]} ys
 */
export function linearFit(columns, ys) {
  // Columns are made orthogonal one after the other (modified Gram-Schmidt), then solved from the
  // last: normal equations would square the condition.
  const basis = columns.map((column) => [...column]);
  const upper = columns.map(() => columns.map(() => 0));
  const parts = columns.map(() => 0);
  const rest = [...ys];
  for (const [i, own] of basis.entries()) {
    upper[i][i] = dot(own, own);
    for (let j = i + 1; j < basis.length; j++) {
      upper[i][j] = dot(own, basis[j]) / upper[i][i];
      for (const [n, x] of own.entries()) basis[j][n] -= upper[i][j] * x;
    }
    parts[i] = dot(own, rest) / upper[i][i];
    for (const [n, x] of own.entries()) rest[n] -= parts[i] * x;
  }
  const coefficients = [...parts];
  for (let i = columns.length - 1; i >= 0; i--) {
    for (let j = i + 1; j < columns.length; j++) coefficients[i] -= upper[i][j] * coefficients[j];
  }
  return { coefficients, r2: determination(ys, rest) };
}

/**
 * 1 where nothing is missed, also of equal values.
 *
 * @param {readonly number[]} ys
 * @param {readonly number[]} missed
 */
function determination(ys, missed) {
  const middle = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  const about = ys.map((y) => y - middle);
  const [left, all] = [dot(missed, missed), dot(about, about)];
  return left <= 1e-18 * dot(ys, ys) ? 1 : 1 - left / all;
}

/**
 * The power of x that y is by all points: y = factor x^power, least squares of the logarithms.
 *
 * @param {Points} points positive; at least two of different x
 */
export function powerFit(points) {
  const ones = points.map(() => 1);
  const { coefficients, r2 } = linearFit(
    [ones, points.map(([x]) => Math.log(x))],
    points.map(([, y]) => Math.log(y)),
  );
  return { factor: Math.exp(coefficients[0]), power: coefficients[1], r2 };
}

/**
 * Which growth a curve has: y = factor f(x) + rest for each f that is named, the best one first.
 *
 * @param {Points} points
 * @param {Record<string, (x: number) => number>} growths none of them constant
 */
export function compareFits(points, growths) {
  const ones = points.map(() => 1);
  const ys = points.map(([, y]) => y);
  return Object.entries(growths)
    .map(([name, growth]) => {
      const { coefficients, r2 } = linearFit([ones, points.map(([x]) => growth(x))], ys);
      return { name, factor: coefficients[1], rest: coefficients[0], r2 };
    })
    .toSorted((p, q) => q.r2 - p.r2);
}

/**
 * The trend of a curve, by all pairs of its points (M. G. Kendall, "A New Measure of Rank
 * Correlation", Biometrika 30, 1938): tau is 1 where every later point is higher, -1 where every
 * one is lower.
 *
 * @param {Points} points
 */
export function trend(points) {
  let [rises, falls] = [0, 0];
  for (const [i, [, before]] of points.entries()) {
    for (const [, after] of points.slice(i + 1)) {
      if (after > before) rises++;
      else if (after < before) falls++;
    }
  }
  const of = (points.length * (points.length - 1)) / 2;
  return { rises, falls, of, tau: of === 0 ? 0 : (rises - falls) / of };
}

/**
 * The slope between each point and the next one, at the middle of both: it rises where y is convex.
 *
 * @param {Points} points
 * @returns {[number, number][]}
 */
export const slopesOf = (points) =>
  points.slice(1).map(([x, y], i) => [(x + points[i][0]) / 2, (y - points[i][1]) / (x - points[i][0])]);

/**
 * A claim that holds at some of the places where it was tried.
 *
 * @param {number} held
 * @param {number} of
 * @returns {'confirmed' | 'partly' | 'refuted' | 'not comparable'}
 */
export function verdictOfCases(held, of) {
  if (of === 0) return 'not comparable';
  return held === of ? 'confirmed' : held === 0 ? 'refuted' : 'partly';
}

/** The least tau, or of its opposite, that a page calls a trend. */
export const TREND = 0.5;

/**
 * A claim that a curve rises: by its trend over all points.
 *
 * @param {Points} points
 * @returns {'confirmed' | 'partly' | 'refuted' | 'not comparable'}
 */
export function verdictOfRise(points) {
  if (points.length < 3) return 'not comparable';
  const { tau } = trend(points);
  return tau >= TREND ? 'confirmed' : tau > 0 ? 'partly' : 'refuted';
}

/** @param {readonly number[]} p @param {readonly number[]} q */
const dot = (p, q) => p.reduce((total, x, i) => total + x * q[i], 0);
