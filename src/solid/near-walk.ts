/**
 * Finds the triangle nearest to a point, by the asset's own tree, the nearest bounds first
 * (walk.ts). query/closest.ts answers it for two trees, but takes four times as long if one is a
 * point: 46 and 71 us, 59,000 triangles, in place of 10 and 20.
 *
 * The point is moved into the asset's frame once. A bound's key is at most the distance in the
 * common frame: the point's distances beyond each face, along axes that are orthogonal up to 1e-5,
 * which changes squares by that part; minus the radius and the rounding (relative-pose.ts converts
 * lengths). Triangles are measured as moved, by triangle-distance.ts. Omitted ones are farther than
 * the nearest one's upper bound.
 */
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import { triangleDistanceWithin } from '../geometry/triangle-distance.ts';
import { isIdentity } from '../math/pose.ts';
import type { Target } from './ray-walk.ts';
import { ALL, walk } from './walk.ts';

/** The part of the others' extents along an axis, and the factor on lengths for that. */
const SKEW = 2 ** -14;
const STRAIGHT = 1 - 2 ** -12;

/** The point in the asset's frame, its error there, and the least length of a unit. */
const own = new Float64Array(5);
const SPARE = 3;
const SHORTEST = 4;

export interface NearestTriangle {
  lower: number;
  upper: number;
  triangle: number;
  point: Float64Array;
}

const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
const limit = new Float64Array(1);

/** @param point three numbers of the common frame, up to 1e150 */
export function nearestTriangle(target: Target, point: Float64Array): NearestTriangle {
  const alone = Float64Array.of(...point, ...point, ...point);
  const nearest = { lower: ALL, upper: ALL, triangle: -1, point: new Float64Array(3) };
  takeIn(target, point);
  const measure = (id: number): number => {
    limit[0] = nearest.upper;
    triangleDistanceWithin(alone, 0, target.operand.load(id).points, 0, bracket, limit);
    if (bracket.lower < nearest.lower) nearest.lower = bracket.lower;
    if (bracket.upper < nearest.upper) {
      nearest.upper = bracket.upper;
      nearest.triangle = id;
      nearest.point.set(bracket.onB);
    }
    return nearest.upper;
  };
  walk(target.operand.tree, distanceOf, measure, ALL);
  return nearest;
}

function takeIn({ operand, pose, toOwn }: Target, point: Float64Array): void {
  const { map, slack, norm, shortest } = toOwn;
  const [x, y, z] = point;
  const isStill = isIdentity(pose);
  for (let k = 0; k < 3; k++) {
    const m = 4 * k;
    own[k] = isStill ? point[k] : map[m] * x + map[m + 1] * y + map[m + 2] * z + map[m + 3];
  }
  const moves = Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  const sizes = operand.reach + moves + Math.abs(x) + Math.abs(y) + Math.abs(z);
  own[SPARE] = slack + norm * 2 ** -44 * sizes + 2 ** -400;
  own[SHORTEST] = shortest * (1 - 2 ** -40);
}

/** A lower bound of a bound's distance from the point, in the common frame. */
function distanceOf(box: Float64Array, at: number): number {
  const x = own[0] - box[at];
  const y = own[1] - box[at + 1];
  const z = own[2] - box[at + 2];
  const skew = SKEW * (box[at + 3] + box[at + 7] + box[at + 11] + box[at + 15]);
  let squares = 0;
  for (let k = at + 4; k < at + 16; k += 4) {
    const beyond = Math.abs(box[k] * x + box[k + 1] * y + box[k + 2] * z) - box[k + 3] - skew;
    if (beyond > 0) squares += beyond * beyond;
  }
  // If squares overflow, omit nothing.
  if (!(squares < Number.POSITIVE_INFINITY)) return 0;
  const apart = Math.sqrt(squares) * STRAIGHT - box[at + 3] - own[SPARE];
  return apart > 0 ? apart * own[SHORTEST] : 0;
}
