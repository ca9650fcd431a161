/**
 * Converts the common frame to the drawn frame, and makes poses from drags. The common frame has
 * doubles of any size, but graphics cards compute in f32. So the drawn scene is centered and has
 * size 1:
 *   x' = s (x - o), with o the middle and s one over the radius.
 */

import { rotationOfQuaternion } from '../../../math/pose.ts';
import { type Box, boxAround, type Up } from '../../camera.ts';

export interface Space {
  readonly origin: readonly [number, number, number];
  /** Drawn lengths per length of the common frame. */
  readonly scale: number;
  readonly box: Box;
  readonly up: Up;
}

const NOTHING: Box = { low: [-0.5, -0.5, -0.5], high: [0.5, 0.5, 0.5] };

export const around = (boxes: Iterable<readonly [box: Box, pose: ArrayLike<number>]>): Box =>
  boxAround(boxes) ?? NOTHING;

export function spaceOf(boxes: Iterable<readonly [box: Box, pose: ArrayLike<number>]>, up: Up = 'z'): Space {
  const box = around(boxes);
  const origin = box.low.map((low, k) => low / 2 + box.high[k] / 2) as [number, number, number];
  const radius = Math.hypot(...box.low.map((low, k) => box.high[k] / 2 - low / 2));
  return { origin, scale: radius > 0 && radius < Infinity ? 1 / radius : 1, box, up };
}

/**
 * Writes the column-major matrix that draws an object's positions, which are relative to `about`, a
 * place in the object's frame. Composed in doubles.
 */
export function writeMatrix(
  { origin, scale }: Space,
  pose: ArrayLike<number>,
  about: ArrayLike<number>,
  out: Float32Array | number[],
  offset = 0,
): void {
  for (let row = 0; row < 3; row++) {
    const [x, y, z] = [pose[4 * row], pose[4 * row + 1], pose[4 * row + 2]];
    out[offset + row] = scale * x;
    out[offset + 4 + row] = scale * y;
    out[offset + 8 + row] = scale * z;
    const moved = x * about[0] + y * about[1] + z * about[2];
    out[offset + 12 + row] = scale * (moved + (pose[4 * row + 3] - origin[row]));
    out[offset + 4 * row + 3] = 0;
  }
  out[offset + 15] = 1;
}

export function moved(pose: ArrayLike<number>, place: ArrayLike<number>): [number, number, number] {
  const row = (r: number): number => pose[r] * place[0] + pose[r + 1] * place[1] + pose[r + 2] * place[2] + pose[r + 3];
  return [row(0), row(4), row(8)];
}

export function movedBack(pose: ArrayLike<number>, place: ArrayLike<number>): [number, number, number] {
  const [x, y, z] = [place[0] - pose[3], place[1] - pose[7], place[2] - pose[11]];
  return turnedBack(pose, [x, y, z]);
}

export function turnedBack(pose: ArrayLike<number>, way: ArrayLike<number>): [number, number, number] {
  const column = (k: number): number => pose[k] * way[0] + pose[4 + k] * way[1] + pose[8 + k] * way[2];
  return [column(0), column(1), column(2)];
}

/*
 * Poses from drags. A turn is a quaternion normalized in doubles, with + - x / and sqrt alone, so
 * that a pose stays rigid however long the drag.
 */

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
