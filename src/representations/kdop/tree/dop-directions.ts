/**
 * The directions of discretely oriented polytopes, and their facets, which make projections
 * possible.
 *
 * A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
 * using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 3.1 and 4. A
 * k-DOP is { x : D_i . x <= d_i } for k unit vectors, D_(i+k/2) = -D_i.
 *
 * The facets are the triangles of the convex hull of the directions. Three directions that meet in
 * one facet are the three faces that meet in a vertex of the DOP with all d_i = 1. A vector v in
 * the cone of facet (j0, j1, j2) is w0 D_j0 + w1 D_j1 + w2 D_j2 with w >= 0. So v . x <= w . (d_j0,
 * d_j1, d_j2) for every x of a DOP: this is the projection of section 4.1, true by the sign of w
 * alone.
 *
 * Section 4.3 needs |w_i| <= 1 for |v| = 1, and bounds sum w by r_max <= sqrt 3. Both follow when
 * no two directions of a facet make an obtuse angle: |v|^2 = sum w_i w_j D_i . D_j >= sum w_i^2 >=
 * (sum w_i)^2 / 3. `dopDirections` computes every such angle and refuses directions with an obtuse
 * one; for k = 6 they are right angles, which suffices.
 *
 * The paper leaves open which 24 directions to take. Measured over five pairs of meshes, 300 to 400
 * near-contact poses each: geometric means of tests of bounds, for the first contact and for all.
 * The 26 without one pair of corners need 165 and 2286. With another corner missing, they need up
 * to 198 and 2534; without a pair of edges 169 and 2309 to 196 and 2528; without a pair of axes 217
 * and 2561. The rhombicuboctahedron's directions need 319 and 3325, and the permutations of (0, 1,
 * 2) 598 and 4871: models have faces along their axes, and the last two sets have no direction
 * there. So the corners (-1, 1, 1) and (1, -1, -1) are left out. For comparison, k = 6: 817 and
 * 6803, 14: 286 and 3216, 18: 235 and 2800, 26: 157 and 2211.
 *
 * The directions are exactly the doubles, unit vectors to 2^-52; everything else is computed from
 * these.
 */

import { cross, dot } from '../../../math/linear.ts';
import { convexHull } from '../../../mesh/hull.ts';

export const DOP_SIZES = [6, 14, 18, 24, 26] as const;
export type DopSize = (typeof DOP_SIZES)[number];

export interface DopDirections {
  k: DopSize;
  /** x, y, z of direction i at 3i; direction i + k/2 is the opposite of i. */
  vectors: Float64Array;
  facets: Uint8Array;
  /** Per facet n with n . D = 1 for its three D; a cone holds v if its n . v is the largest. */
  normals: Float64Array;
  /** Facets whose cones may hold vectors of an octant; its bits: x < 0, y < 0, z < 0. */
  octants: Uint8Array[];
  /** A row-major 3 x 3 matrix per facet; its product with v gives the weights. */
  weights: Float64Array;
  leastDot: number;
  /** Bound of the distance from the origin of the vertices of the DOP with all d_i = 1. */
  rMax: number;
}

const AXES = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];
const CORNERS = [
  [1, 1, 1],
  [1, 1, -1],
  [1, -1, 1],
  [-1, 1, 1],
];
const EDGES = [
  [1, 1, 0],
  [1, 0, 1],
  [0, 1, 1],
  [1, -1, 0],
  [1, 0, -1],
  [0, 1, -1],
];
const HALVES: Record<DopSize, number[][]> = {
  6: AXES,
  14: [...AXES, ...CORNERS],
  18: [...AXES, ...EDGES],
  24: [...AXES, ...CORNERS.slice(0, 3), ...EDGES],
  26: [...AXES, ...CORNERS, ...EDGES],
};

const known = new Map<DopSize, DopDirections>();

/**
 * Returns the directions of k-DOPs.
 *
 * @example dopDirections(6).vectors // 1 0 0 | 0 1 0 | 0 0 1 | -1 0 0 | 0 -1 0 | 0 0 -1
 */
export function dopDirections(k: DopSize): DopDirections {
  let directions = known.get(k);
  if (!directions) {
    directions = { k, ...directionsOf(HALVES[k]) };
    known.set(k, directions);
  }
  return directions;
}

/**
 * Normalizes directions, adds their opposites, and finds the facets.
 *
 * @throws Error if two directions of a facet make an obtuse angle
 */
export function directionsOf(half: readonly number[][]): Omit<DopDirections, 'k'> {
  const positive = half.flatMap(([x, y, z]) => {
    const length = Math.sqrt(x * x + y * y + z * z);
    return [x / length, y / length, z / length];
  });
  // 0 - x avoids -0.
  const vectors = Float64Array.from([...positive, ...positive.map((x) => 0 - x)]);
  const facets = Uint8Array.from(convexHull(vectors).triangles);
  const count = facets.length / 3;
  const normals = new Float64Array(3 * count);
  const weights = new Float64Array(9 * count);
  let leastDot = 1;
  let rMax = 0;
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [0, 1, 2].map((m) => vectors.subarray(3 * facets[3 * f + m], 3 * facets[3 * f + m] + 3));
    leastDot = Math.min(leastDot, dot(a, b), dot(b, c), dot(c, a));
    // The inverse of the matrix with columns a, b, c has these rows over the triple product:
    //   (b x c), (c x a), (a x b)
    const rows = [cross(b, c), cross(c, a), cross(a, b)];
    const volume = dot(a, rows[0]);
    for (let m = 0; m < 3; m++) {
      for (let i = 0; i < 3; i++) {
        weights[9 * f + 3 * m + i] = rows[m][i] / volume;
        normals[3 * f + i] += rows[m][i] / volume;
      }
    }
    const n = normals.subarray(3 * f, 3 * f + 3);
    rMax = Math.max(rMax, Math.sqrt(dot(n, n)));
  }
  if (leastDot < 0) throw new Error(`two directions of a facet have the product ${leastDot}: the angle is obtuse`);
  const octants = Array.from({ length: 8 }, (_, octant) => {
    // A cone misses an octant if one of the coordinate planes separates all three directions from
    // it.
    const isBeyond = (f: number, i: number) =>
      [0, 1, 2].every((m) => vectors[3 * facets[3 * f + m] + i] * ((octant >> i) & 1 ? -1 : 1) <= 0);
    const all = Uint8Array.from({ length: count }, (_, f) => f);
    return all.filter((f) => ![0, 1, 2].some((i) => isBeyond(f, i)));
  });
  return { vectors, facets, normals, octants, weights, leastDot, rMax };
}

export function facetOf({ normals, octants }: DopDirections, v: Float64Array): number {
  const x = v[0];
  const y = v[1];
  const z = v[2];
  const candidates = octants[(x < 0 ? 1 : 0) + (y < 0 ? 2 : 0) + (z < 0 ? 4 : 0)];
  let most = Number.NEGATIVE_INFINITY;
  let facet = 0;
  for (let i = 0; i < candidates.length; i++) {
    const f = 3 * candidates[i];
    const along = normals[f] * x + normals[f + 1] * y + normals[f + 2] * z;
    if (along > most) {
      most = along;
      facet = candidates[i];
    }
  }
  return facet;
}
