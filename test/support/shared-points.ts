/**
 * The common points of two triangles, by clipping one against the other in whole numbers. This
 * oracle uses no predicate of src/. Coordinates must be whole; both triangles have area.
 */

/** x, y, z and a divisor above 0. */
type Point = readonly [bigint, bigint, bigint, bigint];
type Vector = readonly [bigint, bigint, bigint];
export type Corner = readonly [number, number, number];

const minus = (p: Corner, q: Corner): Vector => [0, 1, 2].map((k) => BigInt(p[k] - q[k])) as unknown as Vector;
const cross = (u: Vector, v: Vector): Vector => [
  u[1] * v[2] - u[2] * v[1],
  u[2] * v[0] - u[0] * v[2],
  u[0] * v[1] - u[1] * v[0],
];
const dot = (u: Vector, v: Vector): bigint => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

/** The divisor times n . (p - origin). */
const height = (n: Vector, origin: Corner, [x, y, z, w]: Point): bigint =>
  n[0] * (x - w * BigInt(origin[0])) + n[1] * (y - w * BigInt(origin[1])) + n[2] * (z - w * BigInt(origin[2]));

/** The part of a convex polygon, a segment or a point without negative height. */
function clip(polygon: Point[], n: Vector, origin: Corner): Point[] {
  return polygon.flatMap((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    const [a, b] = [height(n, origin, p), height(n, origin, q)];
    const kept = a >= 0n ? [p] : [];
    if ((a < 0n && b > 0n) || (a > 0n && b < 0n)) {
      // p + a / (a - b) (q - p) with the true heights a / p.w and b / q.w
      const between = [0, 1, 2, 3].map((k) => a * q[k] - b * p[k]);
      const sign = between[3] < 0n ? -1n : 1n;
      kept.push(between.map((x) => sign * x) as unknown as Point);
    }
    return kept;
  });
}

/** Inner half-spaces of a triangle's sides. */
function sidesOf(t: readonly Corner[]): { n: Vector; origin: Corner }[] {
  const normal = cross(minus(t[1], t[0]), minus(t[2], t[0]));
  return [0, 1, 2].map((k) => ({ n: cross(normal, minus(t[(k + 1) % 3], t[k])), origin: t[k] }));
}

const isCorner = (p: Point, c: Corner): boolean => [0, 1, 2].every((k) => p[k] === BigInt(c[k]) * p[3]);

/** Of two triangles that share no three corners: what they share beside common corners and the side between those. */
export function sharedPoints(t: readonly Corner[], u: readonly Corner[]): 'apart' | 'touch' | 'cross' {
  const normal = cross(minus(u[1], u[0]), minus(u[2], u[0]));
  let shared: Point[] = t.map((c) => [BigInt(c[0]), BigInt(c[1]), BigInt(c[2]), 1n]);
  const opposite = normal.map((x) => -x) as unknown as Vector;
  for (const half of [{ n: normal, origin: u[0] }, { n: opposite, origin: u[0] }, ...sidesOf(u)])
    shared = clip(shared, half.n, half.origin);
  const common = t.filter((c) => u.some((d) => c.every((x, k) => x === d[k])));
  const isCommon = (p: Point): boolean => {
    if (common.some((c) => isCorner(p, c))) return true;
    if (common.length < 2) return false;
    const [c, d] = common;
    const along = minus(d, c);
    const from = [0, 1, 2].map((k) => p[k] - p[3] * BigInt(c[k])) as unknown as Vector;
    const onLine = cross(along, from).every((x) => x === 0n);
    return onLine && dot(along, from) >= 0n && dot(along, from) <= p[3] * dot(along, along);
  };
  if (shared.every(isCommon)) return 'apart';
  // The middle of the shared points' corners lies within all that the shared points lie within somewhere.
  const divisor = shared.reduce((product, p) => product * p[3], 1n);
  const sum = [0, 1, 2].map((k) => shared.reduce((total, p) => total + p[k] * (divisor / p[3]), 0n));
  const middle = [...sum, divisor * BigInt(shared.length)] as unknown as Point;
  const within = [...sidesOf(t), ...sidesOf(u)].every(({ n, origin }) => height(n, origin, middle) > 0n);
  return within ? 'cross' : 'touch';
}

export const hasArea = (t: readonly Corner[]): boolean =>
  cross(minus(t[1], t[0]), minus(t[2], t[0])).some((x) => x !== 0n);
