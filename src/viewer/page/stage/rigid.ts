/**
 * Poses from drags. A turn is a quaternion normalized in doubles, with + - x / and sqrt alone, so
 * that a pose stays rigid however long the drag.
 */
import { rotationOfQuaternion } from '../../../math/pose.ts';

type Vector = readonly [number, number, number];

/** Shifts a pose; its rotation stays the same to the bit. */
export function shifted(pose: ArrayLike<number>, by: Vector): number[] {
  const out = Array.from(pose);
  for (let row = 0; row < 3; row++) out[4 * row + 3] += by[row];
  return out;
}

/**
 * Turns a pose about a place in the common frame.
 *
 * @param turn x, y, z, w
 */
export function turned(pose: ArrayLike<number>, turn: readonly number[], about: Vector): number[] {
  const rotation = rotationOfQuaternion(turn);
  const out = Array.from(rotationOfQuaternion(product(turn, quaternionOf(pose))));
  for (let row = 0; row < 3; row++) {
    let sum = about[row];
    for (let k = 0; k < 3; k++) sum += rotation[4 * row + k] * (pose[4 * k + 3] - about[k]);
    out[4 * row + 3] = sum;
  }
  return out;
}

function product(first: readonly number[], second: readonly number[]): number[] {
  const [a, b, c, d] = first;
  const [x, y, z, w] = second;
  return [
    d * x + a * w + b * z - c * y,
    d * y - a * z + b * w + c * x,
    d * z + a * y - b * x + c * w,
    d * w - a * x - b * y - c * z,
  ];
}

/**
 * x, y, z, w of a pose's rotation, of any length; by its largest part, so that nothing is divided
 * by little (Shepperd, 1978).
 */
export function quaternionOf(pose: ArrayLike<number>): number[] {
  const m = (row: number, column: number): number => pose[4 * row + column];
  const trace = m(0, 0) + m(1, 1) + m(2, 2);
  const parts = [m(0, 0), m(1, 1), m(2, 2), trace];
  const largest = parts.indexOf(Math.max(...parts));
  if (largest === 3) return [m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1), 1 + trace];
  const [i, j, k] = [largest, (largest + 1) % 3, (largest + 2) % 3];
  const out = [0, 0, 0, m(k, j) - m(j, k)];
  out[i] = 1 + 2 * m(i, i) - trace;
  out[j] = m(j, i) + m(i, j);
  out[k] = m(k, i) + m(i, k);
  return out;
}
