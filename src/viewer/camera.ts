/**
 * From where the page and `gicollide picture` look: perspective, and z is up.
 */
import type { ViewState } from './view-state.ts';

/** From bottom to top, degrees. */
export const FIELD_OF_VIEW = 45;

/** Towards the viewer as a view begins: from the front, the right and above. */
export const FIRST_DIRECTION: readonly [number, number, number] = [0.6, -1, 0.55];

/** How much more than the box itself is in view. */
const ROOM = 1.05;

const TANGENT = Math.sqrt(2) - 1; // of half of FIELD_OF_VIEW

export interface Box {
  low: readonly number[];
  high: readonly number[];
}

/**
 * The camera that has a box in view, in the middle, whatever side it is seen from.
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
  const at = (k: number): number => low[k]! / 2 + high[k]! / 2;
  const side = (k: number): number => high[k]! / 2 - low[k]! / 2;
  const [dx, dy, dz] = direction as readonly [number, number, number];
  const target: [number, number, number] = [at(0), at(1), at(2)];
  // A point has no size: what is a millionth of its coordinates is seen round it.
  const least = 1e-6 * Math.max(1, ...target.map(Math.abs));
  const radius = Math.max(Math.sqrt(side(0) * side(0) + side(1) * side(1) + side(2) * side(2)), least);
  const tangent = TANGENT * Math.min(1, aspect);
  // The ball round the box touches the pyramid of sight: its sine, not its tangent.
  const distance = (ROOM * radius * Math.sqrt(1 + tangent * tangent)) / tangent;
  const scale = distance / Math.sqrt(dx * dx + dy * dy + dz * dz);
  return { eye: [target[0] + scale * dx, target[1] + scale * dy, target[2] + scale * dz], target };
}
