/** Hulls, what leaves are made of, and whether two of them share a point: triangles exactly. */
import type { DistanceBracket } from '../geometry/distance-bracket.ts';
import { hullDistance, hullsOverlap } from '../geometry/gjk.ts';
import { triangleDistance } from '../geometry/triangle-distance.ts';
import { trianglesIntersectAt } from '../geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../math/pose.ts';

/** A convex leaf: `count` points at 0, x, y, z each. Three are a triangle. */
export interface MovedHull {
  points: Float64Array;
  count: number;
}

/** Room for the largest hull, eight points. */
export const HULL_NUMBERS = 24;

/**
 * A loader of one side's hulls for one query: reads a hull by the representation's `hull`, which writes points to the array and returns
 * how many, and moves it by `pose`. Keeps the hull it loaded last: a descent asks for the same one many times in a row.
 */
export function hullLoader(hull: (id: number, out: Float64Array) => number, pose: Pose): (id: number) => MovedHull {
  const moved: MovedHull = { points: new Float64Array(HULL_NUMBERS), count: 0 };
  const moves = !isIdentity(pose);
  let loaded = -1;
  return (id) => {
    if (id === loaded) return moved;
    loaded = id;
    const p = moved.points;
    moved.count = hull(id, p);
    if (moves) for (let k = 0; k < 3 * moved.count; k += 3) movePoint(pose, p[k], p[k + 1], p[k + 2], p, k);
    return moved;
  };
}

/** Whether two hulls share a point: exact. */
export function hullsMeet(a: MovedHull, b: MovedHull): boolean {
  if (a.count === 3 && b.count === 3) return trianglesIntersectAt(a.points, 0, b.points, 0);
  return hullsOverlap(a.points, a.count, b.points, b.count) === 'overlap';
}

/**
 * How far two hulls are apart, certified; exactly 0 to 0 when they share a point.
 *
 * @param beyond where it is easily seen that they are farther apart than this, `lower` is more than it, `upper` Infinity
 */
export function hullDistanceTo(a: MovedHull, b: MovedHull, out: DistanceBracket, beyond: number): void {
  if (a.count === 3 && b.count === 3) triangleDistance(a.points, 0, b.points, 0, out, beyond);
  else hullDistance(a.points, a.count, b.points, b.count, out);
}
