/**
 * Finds steep ways into a solid from points of its surface, below the planes of all triangles
 * there. Their quality does not matter: results are proved afterwards.
 */
import { triangleNormal } from '../geometry/triangle.ts';
import { type Body, volumeIn } from './solid.ts';

const MOST_STEPS = 32;
/** A hull of normals as near to 0 as this has no way in. */
const LEAST_SLOPE = 2 ** -16;

/**
 * Returns a unit direction below planes with these unit normals: from the point of their hull
 * nearest to 0, toward 0. Undefined if there is none. E. Gilbert, "An iterative procedure for
 * computing the minimum of a quadratic form on a convex set", 1966.
 *
 * @example belowAll([[0, 0, 1]]) // [0, 0, -1]
 */
export function belowAll(normals: readonly (readonly number[])[]): number[] | undefined {
  if (normals.length === 0) return undefined;
  const p = [0, 1, 2].map((k) => normals.reduce((sum, n) => sum + n[k], 0) / normals.length);
  for (let step = 0; step < MOST_STEPS; step++) {
    let least = Number.POSITIVE_INFINITY;
    let lowest = normals[0];
    for (const n of normals) {
      const along = dot(n, p);
      if (along >= least) continue;
      least = along;
      lowest = n;
    }
    const square = dot(p, p);
    if (square - least <= 0.01 * square) break;
    const by = lowest.map((x, k) => x - p[k]);
    const part = Math.min(1, (square - least) / dot(by, by));
    for (let k = 0; k < 3; k++) p[k] += part * by[k];
  }
  const length = Math.sqrt(dot(p, p));
  const isSteep = length > LEAST_SLOPE && normals.every((n) => dot(n, p) > LEAST_SLOPE * length);
  return isSteep ? p.map((x) => -x / length) : undefined;
}

const dot = (p: readonly number[], q: readonly number[]): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];

/** x, y, z for each joined vertex, in the asset's frame; 0 if there is no way in. */
export function inwardAtVertices(body: Body): Float64Array {
  if (body.inward) return body.inward;
  const { surface, firstAround, around } = body;
  const normals = trianglesNormals(body);
  const inward = new Float64Array(surface.positions.length);
  for (let v = 0; v + 1 < firstAround.length; v++) {
    const own: number[][] = [];
    for (let i = firstAround[v]; i < firstAround[v + 1]; i++) {
      const normal = normals[around[i]];
      if (normal) own.push(normal);
    }
    const way = belowAll(own);
    if (way) inward.set(way, 3 * v);
  }
  body.inward = inward;
  return inward;
}

/** Directions away from the solid; undefined for triangles without area. */
function trianglesNormals(body: Body): (number[] | undefined)[] {
  const { positions, triangles } = body.surface;
  const isInsideOut = volumeIn(body) < 0;
  const corners = new Float64Array(9);
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    for (let c = 0; c < 9; c++) corners[c] = positions[3 * triangles[3 * t + Math.floor(c / 3)] + (c % 3)];
    const normal = triangleNormal(corners);
    return isInsideOut ? normal?.map((x) => -x) : normal;
  });
}
