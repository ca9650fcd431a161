// Quadratics by least squares, as Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data
// Parallelism", section V, fits them to times; and what is read off them. Lines and powers, too.

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
  const slopes = points.slice(1).map(([x, y], i) => (y - points[i][1]) / (x - points[i][0]));
  const differences = slopes.slice(1).map((slope, i) => slope - slopes[i]);
  return {
    positive: differences.filter((x) => x > 0).length,
    of: differences.length,
    falls: slopes.filter((x) => x < 0).length,
  };
}

/** @param {readonly number[]} p @param {readonly number[]} q */
const dot = (p, q) => p.reduce((total, x, i) => total + x * q[i], 0);

/**
 * The line a + b x of least squared differences in y, and the root of their mean.
 *
 * @param {Points} points at least two of different x
 */
export function linearFit(points) {
  const count = points.length;
  const middle = points.reduce((total, [x]) => total + x, 0) / count;
  const level = points.reduce((total, [, y]) => total + y, 0) / count;
  const spread = points.reduce((total, [x]) => total + (x - middle) ** 2, 0);
  const b = points.reduce((total, [x, y]) => total + (x - middle) * (y - level), 0) / spread;
  const a = level - b * middle;
  return { a, b, missed: rootMean(points.map(([x, y]) => y - a - b * x)) };
}

/**
 * The power scale x^exponent of least squared differences in y, and the root of their mean. The
 * exponent is searched: for each the scale is known.
 *
 * @param {Points} points x above 0
 */
export function powerFit(points) {
  /** @param {number} exponent */
  const at = (exponent) => {
    const powers = points.map(([x]) => x ** exponent);
    const values = points.map(([, y]) => y);
    const scale = dot(powers, values) / dot(powers, powers);
    return { scale, exponent, missed: rootMean(points.map(([, y], i) => y - scale * powers[i])) };
  };
  let best = at(0);
  for (let step = 1; step >= 1e-4; step /= 10) {
    const from = best.exponent;
    for (let i = -20; i <= 20; i++) {
      const found = at(from + (i * step) / 10);
      if (found.missed < best.missed) best = found;
    }
  }
  return best;
}

/** @param {readonly number[]} values */
const rootMean = (values) => Math.sqrt(dot(values, values) / values.length);
