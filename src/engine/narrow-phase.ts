/**
 * Hulls and triangles, the contents of leaves, moved by their poses, and exact tests whether two of
 * them share a point.
 *
 * A solid that a function defines has hulls too, the corners of cells, but a cell may hold nothing.
 * So the solid itself tests the other side's hulls, each once. Its own hulls bound distances from
 * below, and their cores, which lie in the solid, from above. A solid has no corners that a pose
 * moves in doubles: its image under a pose is { M x + t } in real arithmetic. The moved corners of
 * its hulls and cores are within moveErrorBound of that image.
 *
 * A hull may be mapped into the solid's frame in doubles. M^-1 (p - t) is computed with v = p - t
 * first, so that rounding is in proportion to |v| and not to the distance of both from the origin.
 * u = 2^-53. The entries of M are below 1.00002, its cofactors are within 5 u of the true ones, its
 * determinant, within 2e-5 of 1, within 13 u, the entries of the inverse within 20 u. A row times v
 * adds 3.1 u |v|, the rounding of v itself 1.1 u |v|. A coordinate and the point are within:
 *   (20 sqrt 3 + 4.2) u |v| < 39 u |v|
 *   68 u |v| < 2^-46 |v|
 */

import type { StoredMesh } from '../containers/mesh-sections.ts';
import { type DistanceBracket, triangleDistance } from '../geometry/triangle-distance.ts';
import { trianglesIntersectAt } from '../geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../math/pose.ts';
import { type LeafSide, type MovedHull, otherLeaves } from './leaves.ts';
import type { ContactPair, Witness } from './records.ts';

/** Room for the largest hull, eight points. */
export const HULL_NUMBERS = 24;

/** Makes a query's loader for one side. It keeps the last hull, as descents load it repeatedly. */
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

export function hullsMeet(a: MovedHull, b: MovedHull): boolean {
  if (a.count === 3 && b.count === 3) return trianglesIntersectAt(a.points, 0, b.points, 0);
  return otherLeaves().hullsMeet(a, b);
}

/**
 * Brackets the distance of two hulls with proof; exactly 0 to 0 if they share a point.
 *
 * @param beyond for hulls clearly farther apart, `lower` exceeds this and `upper` is Infinity
 */
export function hullDistanceTo(a: MovedHull, b: MovedHull, out: DistanceBracket, beyond: number): void {
  if (a.count === 3 && b.count === 3) triangleDistance(a.points, 0, b.points, 0, out, beyond);
  else otherLeaves().hullDistance(a, b, out);
}

const nearest: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

/**
 * Nearest points of the two primitives of a contact: one common point, up to rounding, if they
 * touch. Null if no point of a solid that a function defines is found.
 */
export function witnessOf(a: LeafSide, b: LeafSide, pair: ContactPair): Witness | null {
  if (a.solid || b.solid) return otherLeaves().witnessInSolid(a, b, pair);
  hullDistanceTo(a.load(pair[0]), b.load(pair[1]), nearest, Number.POSITIVE_INFINITY);
  return { a: Array.from(nearest.onA), b: Array.from(nearest.onB), pair };
}

/** One side's triangle moved by its pose, kept while the same one is requested. */
interface MovedTriangle {
  readonly corners: Float64Array;
  number: number;
  pose: Pose;
  moves: boolean;
}

export function createMovedTriangle(): MovedTriangle {
  return { corners: new Float64Array(9), number: -1, pose: new Float64Array(16), moves: false };
}

export function beginQuery(side: MovedTriangle, pose: Pose): void {
  side.number = -1;
  side.pose = pose;
  side.moves = !isIdentity(pose);
}

/** Leaves triangle `number` of the mesh, moved, in `side.corners`. */
export function loadTriangle(side: MovedTriangle, { positions, triangles }: StoredMesh, number: number): void {
  if (side.number === number) return;
  side.number = number;
  const { corners } = side;
  for (let k = 0; k < 3; k++) {
    const v = 3 * triangles[3 * number + k];
    if (side.moves) movePoint(side.pose, positions[v], positions[v + 1], positions[v + 2], corners, 3 * k);
    else {
      corners[3 * k] = positions[v];
      corners[3 * k + 1] = positions[v + 1];
      corners[3 * k + 2] = positions[v + 2];
    }
  }
}
