/**
 * From where the page and `gicollide picture` look: perspective, and z is up.
 */
import type { ViewState } from './view-state.ts';

/** Of the shorter side of the picture, degrees. */
export const FIELD_OF_VIEW = 34;

/** Of half of FIELD_OF_VIEW; written out, as engines differ in the last digit. */
const TANGENT = 0.30573068145866034;

/** Towards the viewer as a view begins: from the front, the right and above. */
const FIRST_DIRECTION: readonly [number, number, number] = [0.6, -1, 0.55];

/** How much farther away than the box needs. */
const ROOM = 1.06;

/**
 * Of half of the angle from the picture's bottom to its top.
 *
 * @param aspect width of the picture by its height
 */
export const tangentOf = (aspect: number): number => TANGENT / Math.min(1, aspect);

export interface Box {
  low: readonly number[];
  high: readonly number[];
}

/**
 * The camera that has a box in view, its middle in the middle of the picture.
 *
 * @param aspect width of the picture by its height
 * @param direction towards the viewer, of any length
 * @example fitCamera({ low: [0, 0, 0], high: [1, 1, 1] }, 1.6).target // [0.5, 0.5, 0.5]
 */
export function fitCamera(
  { low, high }: Box,
  aspect: number,
  direction: readonly number[] = FIRST_DIRECTION,
): NonNullable<ViewState['camera']> {
  const middle = (k: number): number => low[k]! / 2 + high[k]! / 2;
  const target: [number, number, number] = [middle(0), middle(1), middle(2)];
  // A point has no size: what is a millionth of its coordinates is seen round it.
  const least = 1e-6 * Math.max(1, ...target.map(Math.abs));
  const half = [0, 1, 2].map((k) => Math.max(high[k]! / 2 - low[k]! / 2, least));
  const { right, up, toward } = axesOf(direction as readonly [number, number, number]);
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const place = half.map((x, k) => ((corner >> k) & 1 ? x : -x));
    const along = (axis: readonly number[]): number => axis.reduce((sum, x, k) => sum + x * place[k]!, 0);
    const beside = Math.max(Math.abs(along(right)) / aspect, Math.abs(along(up)));
    distance = Math.max(distance, along(toward) + beside / tangentOf(aspect));
  }
  const eye = (k: 0 | 1 | 2): number => target[k] + ROOM * distance * toward[k];
  return { eye: [eye(0), eye(1), eye(2)], target };
}

/** Unit vectors to the picture's right, to its top and to the viewer. */
interface Axes {
  right: readonly [number, number, number];
  up: readonly [number, number, number];
  toward: readonly [number, number, number];
}

/**
 * The axes of a picture that has z up; where the viewer looks straight up or down, y.
 *
 * @param direction towards the viewer, of any length
 */
export function axesOf([x, y, z]: readonly [number, number, number]): Axes {
  const length = Math.sqrt(x * x + y * y + z * z);
  const flat = Math.sqrt(x * x + y * y);
  const right = flat > 1e-9 * length ? ([-y / flat, x / flat, 0] as const) : ([1, 0, 0] as const);
  const toward = [x / length, y / length, z / length] as const;
  const up = [
    toward[1] * right[2] - toward[2] * right[1],
    toward[2] * right[0] - toward[0] * right[2],
    toward[0] * right[1] - toward[1] * right[0],
  ] as const;
  return { right, up, toward };
}

/** What is shown round a finding, in sizes of what the boxes of its two have in common. */
const SURROUNDINGS = 4;

/** What is in view, and from which side: a direction towards the viewer, of any length. */
export interface Framing {
  box: Box;
  direction: readonly number[];
}

/**
 * What is in view of a finding: its place with its surroundings, or all of its objects, where that
 * is less; from the side where the smaller object stands, so that the larger does not hide it.
 *
 * @param place what the boxes of the objects have in common; null where nothing is known of it
 * @param objects their boxes; one at least
 * @example const crate = { low: [-0.5, 0, 0], high: [0.1, 0.5, 0.5] };
 *          const wall = { low: [0, -5, 0], high: [0.2, 5, 3] };
 *          const place = { low: [0, 0, 0], high: [0.1, 0.5, 0.5] };
 *          frameFinding(place, [crate, wall]).direction // [-1, -0.6, 0.55]
 */
export function frameFinding(place: Box | null, objects: readonly Box[]): Framing {
  const all = boxAround(objects.map((box) => [box, UNMOVED] as const)) ?? objects[0]!;
  if (!place) return { box: all, direction: FIRST_DIRECTION };
  const [middle, reach] = [middleOf(place), (SURROUNDINGS / 2) * sizeOf(place)];
  const box = {
    low: middle.map((x, k) => Math.max(x - reach, Math.min(all.low[k]!, place.low[k]!))),
    high: middle.map((x, k) => Math.min(x + reach, Math.max(all.high[k]!, place.high[k]!))),
  };
  const smaller = objects.reduce((least, one) => (sizeOf(one) < sizeOf(least) ? one : least));
  return { box, direction: sideOf(middleOf(smaller).map((x, k) => x - middle[k]!)) };
}

/**
 * The first direction, or that turned round z by quarters: the one that looks most against a way.
 */
function sideOf([x = 0, y = 0]: readonly number[]): readonly number[] {
  const [u, v, z] = FIRST_DIRECTION;
  const sides = [FIRST_DIRECTION, [-v, u, z], [-u, -v, z], [v, -u, z]];
  const seen = (side: readonly number[]): number => side[0]! * x + side[1]! * y;
  return sides.reduce((best, side) => (seen(side) > seen(best) ? side : best));
}

const UNMOVED = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const middleOf = ({ low, high }: Box): number[] => low.map((x, k) => x / 2 + high[k]! / 2);
const sizeOf = ({ low, high }: Box): number => Math.max(...low.map((x, k) => high[k]! - x));

/**
 * The least box with the axes of the common frame round boxes that poses have moved there; null of
 * none.
 */
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
  const power = Number(`1e${Math.floor(Math.log10(length))}`);
  return power * ([5, 2].find((times) => times * power <= length) ?? 1);
}
