/** How far a surface reaches in a direction, of what it has in a box. */
import { BOX_NUMBERS, moveBox } from '../geometry/rounded-box.ts';
import { identity, isIdentity } from '../math/pose.ts';
import { relativePose } from '../query/relative-pose.ts';
import type { Target } from './winding.ts';

const UNMOVED = identity();
const moved = new Float64Array(BOX_NUMBERS);
let stack = new Int32Array(256);

/**
 * No less than the greatest product of a direction and a corner of any triangle that has a point in
 * the box from `low` to `high`, of the common frame; Infinity where that is more than `limit`, and
 * -Infinity where there is none.
 *
 * @param direction about a unit vector
 */
export function supportWithin(
  { operand, pose }: Target,
  low: ArrayLike<number>,
  high: ArrayLike<number>,
  [nx, ny, nz]: ArrayLike<number> & Iterable<number>,
  limit: number,
): number {
  const { tree, reach } = operand;
  const { map, norm, slack } = relativePose(UNMOVED, pose, 0, reach);
  const isStill = isIdentity(pose);
  const sizes = reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  const spare = slack + 2 ** -44 * sizes;
  let most = Number.NEGATIVE_INFINITY;
  let top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const node = stack[--top];
    let box = tree.bounds;
    let at = BOX_NUMBERS * node;
    if (!isStill) {
      moveBox(map, norm, box, at, moved, 0);
      box = moved;
      at = 0;
    }
    const rise = spread(box, at, nx, ny, nz) + spare;
    if (nx * box[at] + ny * box[at + 1] + nz * box[at + 2] + rise <= most) continue;
    if (isBeside(box, at, 0, low[0], high[0], spare)) continue;
    if (isBeside(box, at, 1, low[1], high[1], spare)) continue;
    if (isBeside(box, at, 2, low[2], high[2], spare)) continue;
    if (tree.isLeaf(node)) {
      const first = ~tree.link[node];
      for (let id = first; id < first + tree.count[node]; id++) {
        const { points } = operand.load(id);
        if (isApart(points, 0, low[0], high[0]) || isApart(points, 1, low[1], high[1])) continue;
        if (isApart(points, 2, low[2], high[2])) continue;
        for (let c = 0; c < 9; c += 3) {
          const height = nx * points[c] + ny * points[c + 1] + nz * points[c + 2];
          if (height > most) most = height;
        }
        if (most > limit) return Number.POSITIVE_INFINITY;
      }
      continue;
    }
    const first = tree.firstChild(node);
    const count = tree.count[node];
    if (top + count > stack.length) {
      const bigger = new Int32Array(2 * stack.length + count);
      bigger.set(stack);
      stack = bigger;
    }
    for (let child = first + count - 1; child >= first; child--) stack[top++] = child;
  }
  return most === Number.NEGATIVE_INFINITY ? most : most + 2 ** -48 * sizes;
}

/** Half of what a rounded box spans along a vector about as long as 1. */
function spread(box: Float64Array, at: number, x: number, y: number, z: number): number {
  return (
    box[at + 3] * 1.0001 +
    box[at + 7] * Math.abs(box[at + 4] * x + box[at + 5] * y + box[at + 6] * z) +
    box[at + 11] * Math.abs(box[at + 8] * x + box[at + 9] * y + box[at + 10] * z) +
    box[at + 15] * Math.abs(box[at + 12] * x + box[at + 13] * y + box[at + 14] * z)
  );
}

/** Whether a rounded box is apart from an interval of a coordinate. */
function isBeside(box: Float64Array, at: number, k: number, low: number, high: number, spare: number): boolean {
  const half =
    box[at + 3] +
    box[at + 7] * Math.abs(box[at + 4 + k]) +
    box[at + 11] * Math.abs(box[at + 8 + k]) +
    box[at + 15] * Math.abs(box[at + 12 + k]) +
    spare;
  return box[at + k] - half > high || box[at + k] + half < low;
}

/** Whether a triangle is apart from an interval of a coordinate. */
const isApart = (points: Float64Array, k: number, low: number, high: number): boolean =>
  (points[k] > high && points[k + 3] > high && points[k + 6] > high) ||
  (points[k] < low && points[k + 3] < low && points[k + 6] < low);
