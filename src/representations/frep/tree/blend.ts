/**
 * Blends two functions into one whose surface has no edge between theirs: the R-functions of V. L.
 * Rvachev, and a term that adds or removes material there.
 *
 * A. Pasko, V. Savchenko, "Blending Operations for the Functionally Based Constructive Geometry",
 * CSG 94 Set-Theoretic Solid Modelling, 1994, section 3; the source's section 3.2 allows any such
 * function of two. With numbers a, the amount, and p and q, the widths:
 *     join    f + g + sqrt(f^2 + g^2) + a / (1 + (f/p)^2 + (g/q)^2)        the union for a = 0
 *     meet    f + g - sqrt(f^2 + g^2) + a / (1 + (f/p)^2 + (g/q)^2)        the intersection
 * meet(f, g) is -join(-f, -g) with the amount's other sign, so the rest is about join.
 *
 * Letters: r = sqrt(f^2 + g^2), k = 1 / (1 + (f/p)^2 + (g/q)^2), u = 2^-53.
 *
 * Values. r is m sqrt(1 + (n/m)^2), m the larger and n the smaller size: within 5 u of itself,
 * whatever underflows. If f + g < 0, f + g + r is
 *   2 f g / (f + g - r),
 * whose denominator loses nothing: within 16 u of itself, so its sign is right. k is within 8 u.
 * 2^-46 outweighs all of it.
 *
 * Bounds. f + g + r grows in f and in g, so its ends are at the ends of theirs. k falls in |f| and
 * |g|.
 *
 * Lines. On a cell f is within F of its middle value f0, and g within G of g0. r is convex, and its
 * second derivatives are 0 and 1/r along and across the radius. So it is no lower than its tangent
 * plane at (f0, g0), which goes through the origin. It is no higher than that plane plus
 *   (F^2 + G^2) / (2 r)   with the least possible r.
 * k's second derivatives, by f/p and g/q, have a size of at most 2, and of at most 6 k^2. If that
 * is worse than the range of r, or of k, the middle of the range replaces the plane.
 */

const ROUNDING = 2 ** -46;
/** Exceeds any underflow, times any amount. */
const TINY = 2 ** -700;

export const BLEND_NUMBERS = 3;

/** The amount and the widths are the three numbers at `at`. */
export interface Blend {
  isJoin: boolean;
  numbers: Float64Array;
  at: number;
}

function radius(f: number, g: number): number {
  const [x, y] = [Math.abs(f), Math.abs(g)];
  const most = x > y ? x : y;
  const part = most > 0 ? (x > y ? y : x) / most : 0;
  return most * Math.sqrt(1 + part * part);
}

function joined(f: number, g: number): number {
  const sum = f + g;
  if (!(sum < 0)) return sum + radius(f, g);
  // Divide the larger of the two, so that no ratio underflows.
  const isLarger = Math.abs(f) > Math.abs(g);
  return 2 * (isLarger ? g : f) * ((isLarger ? f : g) / (sum - radius(f, g)));
}

const bell = (x: number, y: number): number => 1 / (1 + x * x + y * y);

/** Returns the value in plain doubles. */
export function blend({ isJoin, numbers, at }: Blend, f: number, g: number): number {
  const base = isJoin ? joined(f, g) : -joined(-f, -g);
  return base + numbers[at] * bell(f / numbers[at + 1], g / numbers[at + 2]);
}

/**
 * Returns the derivatives by f and g in plain doubles; at f = g = 0, r counts as constant.
 *
 * @param out receives both
 */
export function blendSlopes({ isJoin, numbers, at }: Blend, f: number, g: number, out: Float64Array): void {
  const r = radius(f, g);
  const side = isJoin ? 1 : -1;
  const [p, q] = [numbers[at + 1], numbers[at + 2]];
  const k = bell(f / p, g / q);
  const fall = -2 * numbers[at] * k * k;
  out[0] = 1 + (r > 0 ? side * (f / r) : 0) + fall * (f / p / p);
  out[1] = 1 + (r > 0 ? side * (g / r) : 0) + fall * (g / q / q);
}

const leastSize = (low: number, high: number): number => (low > 0 ? low : high < 0 ? -high : 0);

/** Writes bounds of the value for f in [f1, f2] and g in [g1, g2], including rounding, to out. */
export function boundBlend(
  { isJoin, numbers, at }: Blend,
  f1: number,
  f2: number,
  g1: number,
  g2: number,
  out: Float64Array,
): void {
  const low = isJoin ? joined(f1, g1) : -joined(-f1, -g1);
  const high = isJoin ? joined(f2, g2) : -joined(-f2, -g2);
  out[0] = low - ROUNDING * Math.abs(low) - TINY;
  out[1] = high + ROUNDING * Math.abs(high) + TINY;
  const amount = numbers[at];
  if (amount === 0) return;
  const [p, q] = [numbers[at + 1], numbers[at + 2]];
  const most = amount * bell(leastSize(f1, f2) / p, leastSize(g1, g2) / q);
  const least = amount * bell(Math.max(-f1, f2) / p, Math.max(-g1, g2) / q);
  out[0] += Math.min(least, most) - ROUNDING * (Math.abs(most) + Math.abs(out[0])) - TINY;
  out[1] += Math.max(least, most) + ROUNDING * (Math.abs(most) + Math.abs(out[1])) + TINY;
}

/** Writes s, t, c and a remainder: the value is about s f + t g + c for f, g in their ranges. */
export function lineOfBlend(
  { isJoin, numbers, at }: Blend,
  f1: number,
  f2: number,
  g1: number,
  g2: number,
  out: Float64Array,
): void {
  const side = isJoin ? 1 : -1;
  const [f0, g0] = [f1 / 2 + f2 / 2, g1 / 2 + g2 / 2];
  const [spanF, spanG] = [f2 / 2 - f1 / 2, g2 / 2 - g1 / 2];
  const [leastF, leastG] = [leastSize(f1, f2), leastSize(g1, g2)];
  const [mostF, mostG] = [Math.max(-f1, f2), Math.max(-g1, g2)];
  const least = radius(leastF, leastG);
  const most = radius(mostF, mostG);
  const bend = least > 0 ? spanF * (spanF / least / 2) + spanG * (spanG / least / 2) : Number.POSITIVE_INFINITY;
  const isPlane = bend < most - least;
  const r = isPlane ? radius(f0, g0) : 1;
  out[0] = 1 + (isPlane ? side * (f0 / r) : 0);
  out[1] = 1 + (isPlane ? side * (g0 / r) : 0);
  out[2] = isPlane ? (side * bend) / 2 : side * (most / 2 + least / 2);
  out[3] = isPlane ? bend / 2 : most / 2 - least / 2;
  let size = 4 * (mostF + mostG);
  const amount = numbers[at];
  if (amount !== 0) {
    const [p, q] = [numbers[at + 1], numbers[at + 2]];
    const highest = bell(leastF / p, leastG / q);
    const lowest = bell(mostF / p, mostG / q);
    const [spanX, spanY] = [spanF / p, spanG / q];
    const curve = Math.min(1, 3 * highest * highest) * (spanX * spanX + spanY * spanY);
    const strength = Math.abs(amount);
    size += 2 * strength;
    if (curve < highest / 2 - lowest / 2) {
      const [x, y] = [f0 / p, g0 / q];
      const k = bell(x, y);
      const [alongF, alongG] = [(-2 * amount * k * k * x) / p, (-2 * amount * k * k * y) / q];
      out[0] += alongF;
      out[1] += alongG;
      out[2] += amount * k - alongF * f0 - alongG * g0;
      out[3] += strength * curve;
      size += 2 * (Math.abs(alongF) * mostF + Math.abs(alongG) * mostG);
    } else {
      out[2] += amount * (highest / 2 + lowest / 2);
      out[3] += strength * (highest / 2 - lowest / 2);
    }
  }
  out[3] = out[3] * (1 + ROUNDING) + ROUNDING * size + TINY;
}
