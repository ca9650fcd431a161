/**
 * A turn about one axis at constant speed that leads from one pose's matrix to another's, to the
 * bit.
 *
 * Letters: M_0 and M_1 are the 3x3 parts of the two poses, and s goes from 0 to 1. u is the axis, a
 * direction of the common frame, and w = u / |u|. t is the angle in radians, Q(r) the rotation by r
 * about w, and e = 2^-53. The turn is
 *   M(s) = Q(s t) (M_0 + s H),   H = Q(t)^T M_1 - M_0
 * So M(0) = M_0 and M(1) = M_1 for any u and t: H compensates their errors, and the deviation of
 * the two poses from rotations (up to 1e-5). For poses rigid to the last digits H is of the order
 * of e.
 *
 * The error of `writeTurned`, as a norm, if s is off by 3.1 e s. By Rodrigues
 *   Q = c I + (1 - c) w w^T + sin [w]x
 * Sine and cosine are within 2 e (sine.ts). Errors are
 *   angle: 4.2 e |t|; c: 2 e; 1 - c: 4 e; sine: 2 e; |u|: 4 e from 1, which is 16 e and 4 e
 *   Q: products 4 e and 1.5 e, sums 1.8 e: below 40 e + 4.2 e |t|
 *   H: 40 e of Q(t), 9.4 e of the product, whose entries round by 3.1 e |row| |column|: 50 e
 *   M_0 + s H: 52 e with its rounding; the last product: 9.5 e
 * With norms of up to 1.0002, all is below
 *   (112 + 5 |t|) e
 */
import { OptionError } from '../base/errors.ts';
import { normBound, type Pose } from '../math/pose.ts';
import { LARGEST_ANGLE, sineCosine } from '../math/sine.ts';

export type Vector = readonly [number, number, number];

export interface Turn {
  axis: Vector;
  /** Radians, counterclockwise about the axis. */
  angle: number;
  /** M_0 and H, row-major 3x3. */
  from: Float64Array;
  rest: Float64Array;
  /** Upper bounds of |H| and |M(s)|. */
  restNorm: number;
  norm: number;
  /** Largest error of `writeTurned`, as a norm. */
  error: number;
}

export interface TurnOptions {
  /** Whole turns in addition to the shortest way, counterclockwise; negative: clockwise. */
  turns?: number;
  /** The axis, in the common frame, if the poses don't determine it, as for equal orientations. */
  axis?: readonly number[];
}

/** Keeps the angle below LARGEST_ANGLE. */
export const MOST_TURNS = 1e5;
/** Bound of |H|, even for poses that are not quite rigid; a larger one means another axis. */
const LARGEST_REST = 1e-3;
const E = 2 ** -53;
/** Covers a few roundings of sums of lengths, and far more. */
export const UP = 1 + 2 ** -46;

/** Throws OptionError if no turn about the given axis leads from one to the other. */
export function turnBetween(from: Pose, to: Pose, { turns = 0, axis }: TurnOptions = {}): Turn {
  const start = matrixOf(from);
  const end = matrixOf(to);
  const norm = Math.max(normBound(from), normBound(to));
  const isSame = start.every((x, i) => x === end[i]);
  if (isSame && turns === 0) {
    return { axis: [0, 0, 1], angle: 0, from: start, rest: new Float64Array(9), restNorm: 0, norm, error: 0 };
  }
  const { axis: about, angle: shortest } = shortestTurn(start, end, axis);
  const angle = shortest + 2 * Math.PI * turns;
  if (Math.abs(angle) > LARGEST_ANGLE) throw new OptionError(`turns: expected up to ${MOST_TURNS}, found ${turns}`);
  const rest = restOf(start, end, about, angle);
  const frobenius = Math.sqrt(rest.reduce((sum, x) => sum + x * x, 0));
  if (!(frobenius <= LARGEST_REST))
    throw new OptionError('axis: expected an axis about which the first pose turns to the second');
  const restNorm = (frobenius + 50 * E) * UP;
  return { axis: about, angle, from: start, rest, restNorm, norm, error: (112 + 5 * Math.abs(angle)) * E };
}

const matrixOf = (m: Pose): Float64Array => Float64Array.of(m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]);

/** H. */
function restOf(start: Float64Array, end: Float64Array, axis: Vector, angle: number): Float64Array {
  rotate(axis, angle);
  const rest = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      rest[3 * i + j] = q[i] * end[j] + q[3 + i] * end[3 + j] + q[6 + i] * end[6 + j] - start[3 * i + j];
  return rest;
}

function shortestTurn(
  start: Float64Array,
  end: Float64Array,
  given?: readonly number[],
): { axis: Vector; angle: number } {
  const d = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++)
      d[3 * i + j] = end[3 * i] * start[3 * j] + end[3 * i + 1] * start[3 * j + 1] + end[3 * i + 2] * start[3 * j + 2];
  const [x, y, z, w] = quaternionOf(d);
  if (given) {
    const axis = unit(given[0], given[1], given[2]);
    return { axis, angle: 2 * Math.atan2(x * axis[0] + y * axis[1] + z * axis[2], w) };
  }
  const sine = Math.sqrt(x * x + y * y + z * z);
  if (sine === 0) throw new OptionError('axis: expected an axis, since both poses have the same rotation');
  return { axis: unit(x, y, z), angle: 2 * Math.atan2(sine, w) };
}

/** Divides by the largest first, so that squares stay in the range of doubles. */
function unit(x: number, y: number, z: number): Vector {
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  const [a, b, c] = [x / largest, y / largest, z / largest];
  const length = Math.sqrt(a * a + b * b + c * c);
  return [a / length, b / length, c / length];
}

/**
 * S. W. Shepperd, "Quaternion from Rotation Matrix", Journal of Guidance and Control 1 (1978):
 * finds the largest of the four first, so that it divides by nothing small. w >= 0.
 */
function quaternionOf(m: Float64Array): [number, number, number, number] {
  const trace = m[0] + m[4] + m[8];
  const parts = [m[0], m[4], m[8], trace];
  const largest = parts.indexOf(Math.max(...parts));
  const out: [number, number, number, number] = [0, 0, 0, 0];
  if (largest === 3) {
    out[3] = 1 + trace;
    out[0] = m[7] - m[5];
    out[1] = m[2] - m[6];
    out[2] = m[3] - m[1];
  } else {
    const [i, j, k] = [largest, (largest + 1) % 3, (largest + 2) % 3];
    out[i] = 1 + m[4 * i] - m[4 * j] - m[4 * k];
    out[j] = m[3 * i + j] + m[3 * j + i];
    out[k] = m[3 * i + k] + m[3 * k + i];
    out[3] = m[3 * k + j] - m[3 * j + k];
  }
  const sign = out[3] < 0 ? -1 : 1;
  const length = Math.sqrt(out.reduce((sum, x) => sum + x * x, 0));
  return out.map((x) => (sign * x) / length) as typeof out;
}

const circle = new Float64Array(2);
const q = new Float64Array(9);

function rotate([x, y, z]: Vector, angle: number): void {
  sineCosine(angle, circle);
  const [s, c] = circle;
  const d = 1 - c;
  q[0] = c + d * x * x;
  q[1] = d * x * y - s * z;
  q[2] = d * x * z + s * y;
  q[3] = d * y * x + s * z;
  q[4] = c + d * y * y;
  q[5] = d * y * z - s * x;
  q[6] = d * z * x - s * y;
  q[7] = d * z * y + s * x;
  q[8] = c + d * z * z;
}

/** Writes M(s) to a pose's 3x3 part. */
export function writeTurned(turn: Turn, s: number, pose: Pose): void {
  const { from, rest, axis, angle } = turn;
  if (angle === 0 && turn.restNorm === 0) {
    for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) pose[4 * i + j] = from[3 * i + j];
    return;
  }
  rotate(axis, s * angle);
  for (let j = 0; j < 3; j++) {
    const x = from[j] + s * rest[j];
    const y = from[3 + j] + s * rest[3 + j];
    const z = from[6 + j] + s * rest[6 + j];
    pose[j] = q[0] * x + q[1] * y + q[2] * z;
    pose[4 + j] = q[3] * x + q[4] * y + q[5] * z;
    pose[8 + j] = q[6] * x + q[7] * y + q[8] * z;
  }
}
