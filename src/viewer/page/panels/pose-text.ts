/**
 * Parses typed poses: a place, and a turn as an axis with degrees or as a quaternion; or all in 16,
 * 12 or 7 numbers. They have the meaning of --translate and --rotate.
 */
import { OptionError } from '../../../base/errors.ts';
import { printable } from '../../../base/printable.ts';
import { identity, type Pose, rotation, rotationOfQuaternion, validatePose } from '../../../math/pose.ts';
import { quaternionOf } from '../stage/space.ts';

export type Turn = 'axis' | 'quaternion' | 'matrix';

export const TURN_FIELDS: Record<Turn, readonly string[]> = {
  axis: ['axis x', 'axis y', 'axis z', 'degrees'],
  quaternion: ['x', 'y', 'z', 'w'],
  matrix: ['16 or 12 numbers, row by row; or x y z qx qy qz qw'],
};

/** @throws OptionError of one line */
export function numberOf(text: string, name: string): number {
  const trimmed = text.trim();
  const x = trimmed === '' ? Number.NaN : Number(trimmed);
  if (!Number.isFinite(x))
    throw new OptionError(`${name}: ${trimmed === '' ? 'a number is missing' : `${printable(trimmed)} is no number`}`);
  return x;
}

/**
 * Returns a pose with this turn about the origin; for a matrix, the whole pose.
 *
 * @throws OptionError of one line for an invalid number or axis, or if it is not rigid
 */
export function turned(turn: Turn, texts: readonly string[]): Pose {
  if (turn === 'matrix') {
    const words = texts[0].split(/[\s,;[\]]+/).filter(Boolean);
    return validatePose(
      words.map((word, k) => numberOf(word, `entry ${k}`)),
      'the pose',
    );
  }
  const [x, y, z, w] = texts.map((text, k) => numberOf(text, TURN_FIELDS[turn][k]));
  if (turn === 'axis') return rotation(x, y, z, w);
  const largest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z), Math.abs(w));
  if (largest === 0) throw new OptionError('expected a rotation, found the quaternion 0 0 0 0');
  // Dividing first keeps squares from overflowing.
  return rotationOfQuaternion([x, y, z, w].map((part) => part / largest));
}

export function placed(turn: ArrayLike<number>, x: number, y: number, z: number): Pose {
  const pose = identity();
  for (let k = 0; k < 12; k++) pose[k] = turn[k];
  pose[3] = x;
  pose[7] = y;
  pose[11] = z;
  return validatePose(pose, 'the pose');
}

/** Returns editable texts: nine digits; all digits for 16 numbers. */
export function textsOf(turn: Turn, pose: ArrayLike<number>): string[] {
  if (turn === 'matrix') return [Array.from(pose, String).join(' ')];
  const q = unitQuaternionOf(pose);
  if (turn === 'quaternion') return q.map(nine);
  const [x, y, z, w] = q;
  const sine = Math.hypot(x, y, z);
  if (sine < 1e-15) return ['0', '0', '1', '0'];
  return [x / sine, y / sine, z / sine, (2 * Math.atan2(sine, w) * 180) / Math.PI].map(nine);
}

/** Hides rounding errors. */
const nine = (x: number): string => String(Math.abs(x) < 1e-15 ? 0 : Number(x.toPrecision(9)));

/** A drag moves by a power of ten, from a millionth of the scene's size to ten times that. */
const DIGITS = 6;

/**
 * Rounds a pose that a drag has made, so that all digits are shown. A coordinate that the drag does
 * not change stays to the bit.
 *
 * @param before the pose before the drag
 * @param size of the scene
 */
export function snapped(pose: readonly number[], before: ArrayLike<number>, size: number): number[] {
  const step = size > 0 ? 10 ** (Math.ceil(Math.log10(size)) - DIGITS) : Number.MIN_VALUE;
  return pose.map((x, k) => {
    if (k >= 12) return x;
    const whole = Math.round(x) || 0;
    if (k % 4 < 3) return Math.abs(x - whole) < 1e-15 ? whole : x;
    if (Math.abs(x) < step * 1e-6) return 0;
    if (Math.abs(x - before[k]) < step / 2) return before[k];
    // Fifteen digits have no rounding errors of the product.
    return Number((Math.round(x / step) * step).toPrecision(15)) || 0;
  });
}

/** x, y, z, w of length 1, with w >= 0. */
function unitQuaternionOf(pose: ArrayLike<number>): number[] {
  const q = quaternionOf(pose);
  const length = Math.hypot(...q) * (q[3] < 0 ? -1 : 1);
  return q.map((part) => part / length);
}
