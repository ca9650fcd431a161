/**
 * Finds the triangle nearest to a point, by the asset's own tree. engine/closest.ts would also find
 * it, as for two trees, but takes four times as long if one of them is a point: 46 and 71 us
 * instead of 10 and 20, with 59,000 triangles.
 *
 * The point is moved into the asset's frame once. A bound's key is at most the distance in the
 * common frame. It is computed from the point's distances beyond each face, along axes that are
 * orthogonal up to 1e-5, which changes squares by that part; minus the radius and the rounding
 * (engine/pair-kernel.ts converts lengths). Triangles are measured as moved, by point-triangle.ts.
 * Omitted ones are farther than the nearest one's upper bound.
 */
import { pointDistanceWithin } from '../geometry/point-triangle.ts';
import type { DistanceBracket } from '../geometry/triangle-distance.ts';
import { isIdentity } from '../math/pose.ts';
import { ALL, SKEW, type Target, walk } from './walk.ts';

const STRAIGHT = 1 - 2 ** -12;

/** The point in the asset's frame, its error there, and the least length of a unit. */
const ownPoint = new Float64Array(5);
const POINT_SPARE = 3;
const SHORTEST = 4;

const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
const limit = new Float64Array(1);

/** The nearest of the measured triangles to a point; in a tie, the lowest number. */
export class NearestTriangle {
  /** A lower bound of the distances of measured triangles, and of those that `search` omits. */
  lower = ALL;
  upper = ALL;
  triangle = -1;
  /** The nearest point. */
  readonly at = new Float64Array(3);
  /** The given point, three times. */
  private readonly point = new Float64Array(9);

  /** @param x, y, z a point of the common frame, up to 1e150 */
  begin(x: number, y: number, z: number): void {
    const { point } = this;
    point[0] = point[3] = point[6] = x;
    point[1] = point[4] = point[7] = y;
    point[2] = point[5] = point[8] = z;
    this.lower = ALL;
    this.upper = ALL;
    this.triangle = -1;
  }

  /** Returns an upper bound of the least distance so far. */
  measure(target: Target, id: number): number {
    limit[0] = this.upper;
    pointDistanceWithin(this.point, target.operand.load(id).points, bracket, limit);
    if (bracket.lower < this.lower) this.lower = bracket.lower;
    const { upper } = bracket;
    if (upper < this.upper || (upper === this.upper && id < this.triangle)) {
      this.upper = upper;
      this.triangle = id;
      for (let k = 0; k < 3; k++) this.at[k] = bracket.onB[k];
    }
    return this.upper;
  }

  /** Measures all triangles but those that are farther than another. */
  search(target: Target): void {
    takePointIn(target, this.point);
    walk(target.operand.tree, distanceOf, (id) => this.measure(target, id), ALL);
  }
}

function takePointIn({ operand, pose, toOwn }: Target, point: Float64Array): void {
  const { map, slack, norm, shortest } = toOwn;
  const [x, y, z] = point;
  const isStill = isIdentity(pose);
  for (let k = 0; k < 3; k++) {
    const m = 4 * k;
    ownPoint[k] = isStill ? point[k] : map[m] * x + map[m + 1] * y + map[m + 2] * z + map[m + 3];
  }
  const moves = Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
  const sizes = operand.reach + moves + Math.abs(x) + Math.abs(y) + Math.abs(z);
  ownPoint[POINT_SPARE] = slack + norm * 2 ** -44 * sizes + 2 ** -400;
  ownPoint[SHORTEST] = shortest * (1 - 2 ** -40);
}

/** A lower bound of a bound's distance from the point, in the common frame. */
function distanceOf(box: Float64Array, at: number): number {
  const x = ownPoint[0] - box[at];
  const y = ownPoint[1] - box[at + 1];
  const z = ownPoint[2] - box[at + 2];
  const skew = SKEW * (box[at + 3] + box[at + 7] + box[at + 11] + box[at + 15]);
  let squares = 0;
  for (let k = at + 4; k < at + 16; k += 4) {
    const beyond = Math.abs(box[k] * x + box[k + 1] * y + box[k + 2] * z) - box[k + 3] - skew;
    if (beyond > 0) squares += beyond * beyond;
  }
  // If squares overflow, omit nothing.
  if (!(squares < Number.POSITIVE_INFINITY)) return 0;
  const apart = Math.sqrt(squares) * STRAIGHT - box[at + 3] - ownPoint[POINT_SPARE];
  return apart > 0 ? apart * ownPoint[SHORTEST] : 0;
}
