/**
 * Paths of a point through the common frame, s from 0 to 1: place, rounding, speed bounds.
 *
 * Letters: e = 2^-53; lengths are |.|. The computed s is off by 3.1 e s (motions.ts). Bounds of
 * speed hold for the exact curve; `UP` covers the few roundings of their computation.
 *
 * A cubic Bezier curve of control points B_i is computed by de Casteljau's steps, with numbers up
 * to B:
 *   a + s (b - a), B = max |B_i|
 * A step rounds by e B and 5.2 e |b - a|, and three steps follow each other:
 *   5.2 e |b - a| <= 10.4 e B; 36 e B in all
 * The derivative over [s0, s1] is a Bezier curve again. Its control points are the values of the
 * derivative's blossom at (s0, s0), (s0, s1), (s1, s1), and it lies in their hull (L. Ramshaw,
 * "Blossoms are polar forms", 1989). Each is computed within
 *   16 e max |3 (B_i+1 - B_i)|
 * The second derivative is straight, and longest at an end.
 *
 * A swing is the path of a point that turns about an axis w while it moves along it, by Chasles.
 * With t the angle of the whole turn and r = s t:
 *   o(s) = o_0 + s a + sin r v + (1 - cos r) n
 *   a = o_1 - o_0 - sin t v - (1 - cos t) n
 * So o(0) = o_0 and o(1) = o_1 for any v and n: a compensates their errors. In exact numbers a lies
 * along the axis. With k from the axis to o_0, and d for o_1 - o_0 without its part along w:
 *   v = w x k, n = w x v, k = -(d + cot(t/2) w x d) / 2
 * For small t nothing large is subtracted, since sin r |v| <= |d|, about.
 *
 * Rounding. sineCosine is within 2 e. It is within 4 e |r| for |r| < pi / 4, by its last steps:
 *   r + r z S with |z S| < 0.11
 * The angle is off by 4.2 e |t|, which turns v and n by as much. With m = min(2, |t|) other errors
 * are
 *   sin r: 4 e m; 1 - cos r = 2 sin^2(r / 2): 16 e m
 *   a: 4 e |d| and 24 e m (|v| + |n|), rounding included
 *   o: e (8 (|o_0| + |o_1| + |a|) + (80 m + 12 |t|) (|v| + |n|))
 */

import { cross, dot, minus } from '../math/linear.ts';
import { sineCosine } from '../math/sine.ts';
import { type Turn, UP, type Vector } from './turn.ts';

export interface Path {
  pointAt(s: number, out: Float64Array): void;
  error: number;
  size: number;
  /** Upper bounds of the first and second derivatives' lengths for s from s0 to s1. */
  speed(s0: number, s1: number): number;
  acceleration(s0: number, s1: number): number;
}

const E = 2 ** -53;
const length = ([x, y, z]: ArrayLike<number> & Iterable<number>): number => Math.hypot(x, y, z) * UP;
const plus = (a: Vector, b: Vector, f = 1): Vector => [a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2]];

/** At constant speed. Rounds by e of itself and 5.2 e |b - a|; not at all if a is b. */
export function line(a: Vector, b: Vector): Path {
  const along = minus(b, a);
  const far = length(along);
  const size = Math.max(length(a), length(b));
  return {
    pointAt(s, out) {
      for (let k = 0; k < 3; k++) out[k] = a[k] + s * along[k];
    },
    error: far === 0 ? 0 : (6 * far + 2 * size) * E,
    size,
    speed: () => far,
    acceleration: () => 0,
  };
}

export function bezier(a: Vector, b: Vector, c: Vector, d: Vector): Path {
  const size = Math.max(length(a), length(b), length(c), length(d));
  const steps = [minus(b, a), minus(c, b), minus(d, c)].map(([x, y, z]): Vector => [3 * x, 3 * y, 3 * z]);
  const rounding = 16 * E * Math.max(...steps.map(length));
  const blossom = (p: number, q: number): Vector => {
    const [f, g, h] = steps;
    return plus(plus([0, 0, 0], plus(f, minus(g, f), q), 1 - p), plus(g, minus(h, g), q), p);
  };
  return {
    pointAt(s, out) {
      for (let k = 0; k < 3; k++) {
        const ab = a[k] + s * (b[k] - a[k]);
        const bc = b[k] + s * (c[k] - b[k]);
        const cd = c[k] + s * (d[k] - c[k]);
        const abc = ab + s * (bc - ab);
        out[k] = abc + s * (bc + s * (cd - bc) - abc);
      }
    },
    error: 40 * E * size,
    size,
    speed(s0, s1) {
      return (Math.max(length(blossom(s0, s0)), length(blossom(s0, s1)), length(blossom(s1, s1))) + rounding) * UP;
    },
    acceleration(s0, s1) {
      const [f, g, h] = steps;
      const at = (s: number): number => length(plus(plus([0, 0, 0], minus(g, f), 1 - s), minus(h, g), s));
      return (2 * Math.max(at(s0), at(s1)) + 4 * rounding) * UP;
    },
  };
}

export interface Swing extends Path {
  along: number;
  v: Vector;
  n: Vector;
}

/** Smaller squares have lost digits to underflow. */
const SMALLEST_SQUARE = 2 ** -800;
/** Smaller turns do not determine their axis: the path is straight. */
const LEAST_SINE = 2 ** -40;

export function swing(start: Vector, end: Vector, { axis, angle }: Turn): Swing {
  const far = minus(end, start);
  const across = plus(far, axis, -dot(far, axis));
  const half = Math.sin(angle / 2);
  const cotangent = Math.cos(angle / 2) / half;
  const turned = cross(axis, across);
  const isStraight = Math.abs(half) < LEAST_SINE;
  const v: Vector = isStraight ? [0, 0, 0] : halfOf(plus(minus([0, 0, 0], turned), across, cotangent));
  const n: Vector = isStraight ? [0, 0, 0] : halfOf(plus(across, turned, cotangent));
  const whole = new Float64Array(2);
  sineAndRest(angle, whole);
  const along = plus(plus(far, v, -whole[0]), n, -whole[1]);
  const reach = length(v) + length(n);
  const m = Math.min(2, Math.abs(angle));
  const most = (length(along) + E * (4 * length(far) + 32 * m * reach)) * UP;
  const turning = longestOfTurn(v, n);
  const t = Math.abs(angle);
  const common = Math.abs(dot(along, v)) + Math.abs(dot(along, n)) + 96 * E * (length(far) + reach) * reach;
  const squares = most * most + t * turning * (t * turning) + 2 * t * common;
  const fastest = (squares > SMALLEST_SQUARE ? Math.sqrt(squares) : most + t * turning) * UP;
  const ends = length(start) + length(end);
  const parts = new Float64Array(2);
  return {
    pointAt(s, out) {
      sineAndRest(s * angle, parts);
      for (let k = 0; k < 3; k++) out[k] = start[k] + (s * along[k] + (parts[0] * v[k] + parts[1] * n[k]));
    },
    error:
      far.every((x) => x === 0) && reach === 0 ? 0 : E * (8 * (ends + most) + (80 * m + 12 * Math.abs(angle)) * reach),
    size: (ends + most + 2 * reach) * UP,
    speed: () => fastest,
    acceleration: () => t * t * turning * UP,
    along: most,
    v,
    n,
  };
}

/** An upper bound of |cos r v + sin r n| for any r: the root of the larger square and |v . n|. */
function longestOfTurn(v: Vector, n: Vector): number {
  const reach = length(v) + length(n);
  const squares = Math.max(dot(v, v), dot(n, n)) * UP + Math.abs(dot(v, n)) + 4 * E * reach * reach;
  return squares > SMALLEST_SQUARE ? Math.sqrt(squares) * UP : reach;
}

const halfOf = ([x, y, z]: Vector): Vector => [x / 2, y / 2, z / 2];

/** Writes sin r and 1 - cos r. */
function sineAndRest(r: number, out: Float64Array): void {
  sineCosine(r / 2, out);
  const half = out[0];
  sineCosine(r, out);
  out[1] = 2 * half * half;
}
