/**
 * The surface of an intersection of half-spaces, for display.
 *
 * By duality (F. Preparata, D. Muller, "Finding the Intersection of n Half-Spaces in Time O(n log
 * n)", 1979). The half-spaces n . x <= d about a point inside them are the points n / d, and the
 * facets of these points' hull are the vertices of the intersection.
 */

import { cross } from '../math/linear.ts';
import { convexHull } from './hull.ts';
import { nextInTriangle } from './topology.ts';

export interface Polytope {
  /** x, y, z of vertex v at 3v, up to rounding. */
  positions: number[];
  /** Three vertex numbers each, counter-clockwise from outside; a larger face is a fan. */
  triangles: number[];
}

/**
 * @param normals x, y, z each; together they must bound a volume
 * @param offsets d of each
 * @param inside a point with n . x < d for every half-space
 */
export function polytopeOf(normals: Float64Array, offsets: ArrayLike<number>, inside: ArrayLike<number>): Polytope {
  const dual = new Float64Array(normals.length);
  for (let i = 0; i < normals.length; i++) {
    const n = 3 * Math.floor(i / 3);
    const along = normals[n] * inside[0] + normals[n + 1] * inside[1] + normals[n + 2] * inside[2];
    dual[i] = normals[i] / (offsets[n / 3] - along);
  }
  const facets = convexHull(dual).triangles;
  const positions: number[] = [];
  const facetAfter = new Map<string, number>();
  for (let f = 0; f < facets.length; f += 3) {
    const [a, b, c] = [0, 1, 2].map((m) => dual.subarray(3 * facets[f + m], 3 * facets[f + m] + 3));
    // The plane x . p = 1 through the three: p is the vertex, relative to the point inside.
    const sum = [cross(a, b), cross(b, c), cross(c, a)];
    const volume = a[0] * sum[1][0] + a[1] * sum[1][1] + a[2] * sum[1][2];
    for (let i = 0; i < 3; i++) positions.push((sum[0][i] + sum[1][i] + sum[2][i]) / volume + inside[i]);
    for (let h = f; h < f + 3; h++) facetAfter.set(`${facets[h]} ${facets[nextInTriangle(h)]}`, h);
  }
  // A face belongs to a dual vertex; its corners are the dual facets around it, counter-clockwise.
  const triangles: number[] = [];
  const isDone = new Set<number>();
  for (let h = 0; h < facets.length; h++) {
    if (isDone.has(facets[h])) continue;
    isDone.add(facets[h]);
    const ring: number[] = [];
    let at = h;
    do {
      ring.push(Math.floor(at / 3));
      // Over the edge that ends in the vertex to the next facet, where it starts there.
      const before = nextInTriangle(nextInTriangle(at));
      at = facetAfter.get(`${facets[at]} ${facets[before]}`) as number;
    } while (at !== h);
    for (let i = 1; i + 1 < ring.length; i++) triangles.push(ring[0], ring[i], ring[i + 1]);
  }
  return { positions, triangles };
}
