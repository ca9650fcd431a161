/** The camera of the page and of `gicollide picture`, perspective or orthographic. */
import { identity } from '../math/pose.ts';
import type { ViewState } from './view-state.ts';

/** The axis of the common frame that points up in the picture. */
export const UPS = ['x', 'y', 'z', '-x', '-y', '-z'] as const;
export type Up = (typeof UPS)[number];

type Vector = readonly [number, number, number];

/** Right, back and up of the front view: an axis and its sign each. */
function standOf(up: Up): (readonly [axis: number, sign: number])[] {
  const k = 'xyz'.indexOf(up.slice(-1));
  const sign = up.length > 1 ? -1 : 1;
  const axes = k === 0 ? [1, 2, 0] : [0, 3 - k, k];
  const signs = [1, k === 1 ? -sign : sign, sign];
  return axes.map((axis, n) => [axis, signs[n]!]);
}

/** Turns a vector of the common frame so that `up` becomes z, and the front stays -y. */
export const stood = (v: ArrayLike<number>, up: Up): Vector => {
  const [x, y, z] = standOf(up).map(([axis, sign]) => sign * v[axis]!);
  return [x!, y!, z!];
};

/** The inverse of `stood`. */
export function laid(v: ArrayLike<number>, up: Up): Vector {
  const out: [number, number, number] = [0, 0, 0];
  for (const [k, [axis, sign]] of standOf(up).entries()) out[axis] = sign * v[k]!;
  return out;
}

/** Degrees across the shorter side of the picture. */
export const FIELD_OF_VIEW = 34;

/** Tangent of half of FIELD_OF_VIEW, written out: engines differ in the last digit. */
const TANGENT = 0.30573068145866034;

/** With z up. */
const FIRST_DIRECTION: Vector = [0.6, -1, 0.55];

const ROOM = 1.06;

/** Ghosts nearer than this part of the way to the target are cut away. */
export const GHOSTS_FROM = 0.7;

/**
 * Returns the tangent of half the vertical angle of view.
 *
 * @param aspect width of the picture divided by its height
 */
export const tangentOf = (aspect: number): number => TANGENT / Math.min(1, aspect);

export interface Box {
  low: readonly number[];
  high: readonly number[];
}

export interface Sight {
  /** Towards the viewer, of any length (default: the initial side). */
  direction?: readonly number[];
  /** Default: z. */
  up?: Up;
  isOrthographic?: boolean;
}

/**
 * Returns the camera that shows a box, centered in the picture.
 *
 * @param aspect width of the picture divided by its height
 * @example fitCamera({ low: [0, 0, 0], high: [1, 1, 1] }, 1.6).target // [0.5, 0.5, 0.5]
 */
export function fitCamera(
  { low, high }: Box,
  aspect: number,
  { up = 'z', direction = laid(FIRST_DIRECTION, up), isOrthographic = false }: Sight = {},
): NonNullable<ViewState['camera']> {
  const middle = (k: number): number => low[k]! / 2 + high[k]! / 2;
  const target: [number, number, number] = [middle(0), middle(1), middle(2)];
  // A point has no size: show a millionth of its coordinates around it.
  const least = 1e-6 * Math.max(1, ...target.map(Math.abs));
  const half = [0, 1, 2].map((k) => Math.max(high[k]! / 2 - low[k]! / 2, least));
  const axes = axesOf(direction, up);
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const place = half.map((x, k) => ((corner >> k) & 1 ? x : -x));
    const along = (axis: readonly number[]): number => axis.reduce((sum, x, k) => sum + x * place[k]!, 0);
    const beside = Math.max(Math.abs(along(axes.right)) / aspect, Math.abs(along(axes.up)));
    const before = isOrthographic ? 0 : along(axes.toward);
    distance = Math.max(distance, before + beside / tangentOf(aspect));
  }
  const eye = (k: 0 | 1 | 2): number => target[k] + ROOM * distance * axes.toward[k];
  return { eye: [eye(0), eye(1), eye(2)], target };
}

interface Axes {
  right: Vector;
  up: Vector;
  toward: Vector;
}

/**
 * Returns the axes of a picture in which an axis is up; where the viewer looks along it, the back
 * is up, or the front from below.
 *
 * @param direction towards the viewer, of any length
 */
export function axesOf(direction: ArrayLike<number>, above: Up = 'z'): Axes {
  const [x, y, z] = stood(direction, above);
  const length = Math.sqrt(x * x + y * y + z * z);
  const flat = Math.sqrt(x * x + y * y);
  const right = flat > 1e-9 * length ? ([-y / flat, x / flat, 0] as const) : ([1, 0, 0] as const);
  const toward = [x / length, y / length, z / length] as const;
  const up = [
    toward[1] * right[2] - toward[2] * right[1],
    toward[2] * right[0] - toward[0] * right[2],
    toward[0] * right[1] - toward[1] * right[0],
  ];
  return { right: laid(right, above), up: laid(up, above), toward: laid(toward, above) };
}

const SURROUNDINGS = 4;

export interface Framing {
  box: Box;
  /** Towards the viewer, of any length. */
  direction: readonly number[];
}

/**
 * Frames a finding: its place with surroundings, or all of its objects if that is smaller. The
 * camera looks from the smaller object's side, so that the larger one does not hide it.
 *
 * @param place intersection of the objects' boxes; null if unknown
 * @param objects their boxes; at least one
 * @example const crate = { low: [-0.5, 0, 0], high: [0.1, 0.5, 0.5] };
 *          const wall = { low: [0, -5, 0], high: [0.2, 5, 3] };
 *          const place = { low: [0, 0, 0], high: [0.1, 0.5, 0.5] };
 *          frameFinding(place, [crate, wall]).direction // [-1, -0.6, 0.55]
 */
export function frameFinding(place: Box | null, objects: readonly Box[], up: Up = 'z'): Framing {
  const all = boxAround(objects.map((box) => [box, identity()] as const)) ?? objects[0]!;
  if (!place) return { box: all, direction: laid(FIRST_DIRECTION, up) };
  // The place of objects that are near may be as large as their clearance.
  const clamped = (end: readonly number[]): number[] =>
    end.map((x, k) => Math.max(all.low[k]!, Math.min(all.high[k]!, x)));
  const inside = { low: clamped(place.low), high: clamped(place.high) };
  const [middle, reach] = [middleOf(inside), (SURROUNDINGS / 2) * sizeOf(inside)];
  const box = {
    low: middle.map((x, k) => Math.max(x - reach, all.low[k]!)),
    high: middle.map((x, k) => Math.min(x + reach, all.high[k]!)),
  };
  const smaller = objects.reduce((least, one) => (sizeOf(one) < sizeOf(least) ? one : least));
  const away = middleOf(smaller).map((x, k) => x - middle[k]!);
  return { box, direction: laid(sideOf(stood(away, up)), up) };
}

/** Turns the first direction by quarters around z, which is up, until it faces a way least. */
function sideOf([x = 0, y = 0]: readonly number[]): readonly number[] {
  const [u, v, z] = FIRST_DIRECTION;
  const sides = [FIRST_DIRECTION, [-v, u, z], [-u, -v, z], [v, -u, z]];
  const seen = (side: readonly number[]): number => side[0]! * x + side[1]! * y;
  return sides.reduce((best, side) => (seen(side) > seen(best) ? side : best));
}

const middleOf = ({ low, high }: Box): number[] => low.map((x, k) => x / 2 + high[k]! / 2);
const sizeOf = ({ low, high }: Box): number => Math.max(...low.map((x, k) => high[k]! - x));

/** Returns the smallest axis-aligned box around moved boxes; null for none. */
export function boxAround(boxes: Iterable<readonly [box: Box, pose: ArrayLike<number>]>): Box | null {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const [box, m] of boxes) {
    for (let k = 0; k < 3; k++) {
      let [least, most] = [m[4 * k + 3]!, m[4 * k + 3]!];
      for (let i = 0; i < 3; i++) {
        const ends = [m[4 * k + i]! * box.low[i]!, m[4 * k + i]! * box.high[i]!];
        least += Math.min(...ends);
        most += Math.max(...ends);
      }
      low[k] = Math.min(low[k]!, least);
      high[k] = Math.max(high[k]!, most);
    }
  }
  return low.every((x, k) => Number.isFinite(x) && Number.isFinite(high[k]!)) ? { low, high } : null;
}

/** The largest 1, 2 or 5 times a power of ten that is no longer: steps of a grid. */
export function roundLength(length: number): number {
  // By its digits: logarithms differ from engine to engine.
  const power = length > 0 ? Number(`1e${length.toExponential().split('e')[1]}`) : Number.NaN;
  return power * ([5, 2].find((times) => times * power <= length) ?? 1);
}
