/**
 * Finds where cells of a function's solid are in another solid: the function's own cells, cut along
 * its surface, so that a narrow gap needs no cells as small.
 */

import { HULL_NUMBERS, type MovedHull } from '../engine/narrow-phase.ts';
import type { Operand } from '../engine/traverse.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { movePoint, type Pose } from '../math/pose.ts';
import { hullOfPoint, type Located, type Place } from './located.ts';

export interface Parts {
  /** x, y, z of a point strictly inside both, or null. */
  within: number[] | null;
  /** A point strictly inside the set and strictly outside the other, or null. */
  beyond: number[] | null;
  isNoneWithin: boolean;
  isNoneBeyond: boolean;
}

/** Some milliseconds. */
const MOST_CELLS = 4096;

/** @param isStrict true if a point is strictly inside the set */
export function partsOf(
  set: Operand,
  pose: Pose,
  isStrict: (point: MovedHull) => boolean,
  other: Pick<Located, 'place'>,
): Parts {
  const { tree } = set;
  const found: Parts = { within: null, beyond: null, isNoneWithin: true, isNoneBeyond: true };
  const leave = (place: Place): void => {
    if (place !== 'outside' && !found.within) found.isNoneWithin = false;
    if (place !== 'inside' && !found.beyond) found.isNoneBeyond = false;
  };
  const nodes = [0];
  for (let n = 0; n < nodes.length; n++) {
    if (n === MOST_CELLS) {
      leave('unsure');
      break;
    }
    const node = nodes[n];
    const place = other.place(hullOfCell(tree.bounds, BOX_NUMBERS * node, set.reach, pose));
    const isSettled = () => (place === 'inside' && found.within) || (place === 'outside' && found.beyond);
    if (isSettled()) continue;
    const middle = middleOf(tree.bounds, BOX_NUMBERS * node, pose);
    if (isStrict(hullOfPoint(middle))) {
      const at = place === 'unsure' ? other.place(hullOfPoint(middle)) : place;
      if (at === 'inside') found.within ??= middle;
      if (at === 'outside') found.beyond ??= middle;
    }
    if (isSettled()) continue;
    if (tree.isLeaf(node)) {
      leave(place);
      continue;
    }
    const first = tree.firstChild(node);
    for (let child = first; child < first + tree.count[node]; child++) nodes.push(child);
  }
  if (found.within) found.isNoneWithin = false;
  if (found.beyond) found.isNoneBeyond = false;
  return found;
}

const corners = new Float64Array(HULL_NUMBERS);
const cell: MovedHull = { points: corners, count: 8 };

/** The corners of a cell in the common frame, widened by the rounding. */
function hullOfCell(bounds: Float64Array, at: number, reach: number, pose: Pose): MovedHull {
  const sizes = reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  for (let corner = 0; corner < 8; corner++) {
    let [x, y, z] = [bounds[at], bounds[at + 1], bounds[at + 2]];
    for (let axis = 0; axis < 3; axis++) {
      const half = bounds[at + 7 + 4 * axis] + bounds[at + 3];
      const step = ((corner >> axis) & 1 ? 1 : -1) * (half * (1 + 2 ** -30) + 2 ** -44 * sizes);
      x += step * bounds[at + 4 + 4 * axis];
      y += step * bounds[at + 5 + 4 * axis];
      z += step * bounds[at + 6 + 4 * axis];
    }
    movePoint(pose, x, y, z, corners, 3 * corner);
  }
  return cell;
}

function middleOf(bounds: Float64Array, at: number, pose: Pose): number[] {
  const middle = new Float64Array(3);
  movePoint(pose, bounds[at], bounds[at + 1], bounds[at + 2], middle, 0);
  return [...middle];
}
