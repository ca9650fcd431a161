/** Rays and points against triangles by whole numbers, one triangle after the other. */
import { commonIntegers } from '../support/rational.ts';

type Vector = [bigint, bigint, bigint];

/** t of the direction: a ratio, its denominator more than 0. */
export interface OracleHit {
  numerator: bigint;
  denominator: bigint;
  /** The lowest number of the triangles there. */
  triangle: number;
  side: 'enters' | 'leaves' | 'grazes';
}

const minus = (p: Vector, q: Vector): Vector => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p: Vector, q: Vector): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: Vector, q: Vector): Vector => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];

/** Groups of three whole numbers. */
const vectorsOf = (numbers: bigint[]): Vector[] =>
  Array.from({ length: numbers.length / 3 }, (_, k) => [numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]]);

/**
 * All points of a ray on triangles of nine coordinates each, in order. A triangle is the three
 * half-spaces through its sides, in its plane; a ray in the plane is clipped by them.
 */
export function hitsOf(corners: ArrayLike<number>, origin: number[], direction: number[]): OracleHit[] {
  const [o, d, ...points] = vectorsOf(commonIntegers([...origin, ...direction, ...Array.from(corners)]));
  const hits: OracleHit[] = [];
  for (let triangle = 0; triangle < points.length / 3; triangle++) {
    const hit = hitOf(points.slice(3 * triangle, 3 * triangle + 3), o, d);
    if (!hit) continue;
    const known = hits.find((other) => other.numerator * hit.denominator === hit.numerator * other.denominator);
    if (!known) hits.push({ ...hit, triangle });
    else if (known.side !== hit.side) known.side = 'grazes';
  }
  return hits.sort((p, q) => Number(p.numerator * q.denominator - q.numerator * p.denominator > 0n) * 2 - 1);
}

function hitOf([a, b, c]: Vector[], o: Vector, d: Vector): Omit<OracleHit, 'triangle'> | undefined {
  const normal = cross(minus(b, a), minus(c, a));
  if (normal.every((x) => x === 0n)) return undefined;
  let denominator = dot(normal, d);
  let numerator = dot(normal, minus(a, o));
  const inward = [
    [a, b],
    [b, c],
    [c, a],
  ].map(([p, q]) => ({ p, normal: cross(normal, minus(q, p)) }));
  if (denominator !== 0n) {
    const side = denominator > 0n ? 'leaves' : 'enters';
    if (denominator < 0n) [numerator, denominator] = [-numerator, -denominator];
    if (numerator < 0n) return undefined;
    const isIn = inward.every(
      ({ p, normal }) => dot(normal, minus(o, p)) * denominator + dot(normal, d) * numerator >= 0n,
    );
    return isIn ? { numerator, denominator, side } : undefined;
  }
  if (numerator !== 0n) return undefined;
  let low: [bigint, bigint] = [0n, 1n];
  let high: [bigint, bigint] | undefined;
  for (const { p, normal } of inward) {
    const at = dot(normal, minus(o, p));
    const more = dot(normal, d);
    if (more === 0n && at < 0n) return undefined;
    if (more > 0n && -at * low[1] > low[0] * more) low = [-at, more];
    if (more < 0n && (!high || at * high[1] < high[0] * -more)) high = [at, -more];
  }
  if (high && low[0] * high[1] > high[0] * low[1]) return undefined;
  return { numerator: low[0], denominator: low[1], side: 'grazes' };
}

/** Whether a point is on one of the triangles. */
export function isOn(corners: ArrayLike<number>, point: number[]): boolean {
  const [o, ...points] = vectorsOf(commonIntegers([...point, ...Array.from(corners)]));
  return points.some((_, n) => {
    if (n % 3 !== 0) return false;
    const [a, b, c] = points.slice(n, n + 3);
    const normal = cross(minus(b, a), minus(c, a));
    if (normal.every((x) => x === 0n) || dot(normal, minus(o, a)) !== 0n) return false;
    return [
      [a, b],
      [b, c],
      [c, a],
    ].every(([p, q]) => dot(cross(normal, minus(q, p)), minus(o, p)) >= 0n);
  });
}

/** Whether t |direction| of a hit is in a bracket: exactly. */
export function isInBracket(
  { numerator, denominator }: OracleHit,
  direction: number[],
  { lower, upper }: { lower: number; upper: number },
): boolean {
  const [low, high, ...d] = commonIntegers([lower, upper, ...direction]);
  const squared = numerator * numerator * d.reduce((sum, x) => sum + x * x, 0n);
  return (low * denominator) ** 2n <= squared && squared <= (high * denominator) ** 2n;
}
