/**
 * The pillowcase: the square [-1,1]^2 with each side folded about its midpoint, a flat sphere with
 * four cone points.
 *
 * It is the plane modulo the group p2 that the half-turns about the side midpoints (1,0), (0,1),
 * (-1,0), (0,-1) generate: the flat orbifold of type (2,2,2,2) of N. Aigerman, Y. Lipman, "Orbifold
 * Tutte Embeddings", SIGGRAPH Asia 2015, and the octahedral unfolding's boundary rule of E. Praun,
 * H. Hoppe, "Spherical Parametrization and Remeshing", SIGGRAPH 2003.
 *
 * An element of the group is p -> s p + 2 (i, j), with s = 1 where i + j is even and s = -1 where
 * it is odd. Every vertex has a place in a chart of its own, and every half-edge from u to v
 * carries the element that takes v's place into u's chart. The shifts are even integers, so nothing
 * is ever rounded on the way between charts.
 */

/**
 * The four cone points in cyclic order; the square of cones (0,1,2,3) is the front of the pillow.
 */
export const CONE_X = [1, 0, -1, 0] as const;
export const CONE_Y = [0, 1, 0, -1] as const;

/**
 * Transitions of half-edges: neighbour's place as seen from the origin's chart = sign * place +
 * shift.
 */
export interface Transitions {
  sign: Int8Array;
  shiftX: Int16Array;
  shiftY: Int16Array;
}

export function createTransitions(halfedges: number): Transitions {
  return {
    sign: new Int8Array(halfedges).fill(1),
    shiftX: new Int16Array(halfedges),
    shiftY: new Int16Array(halfedges),
  };
}

/** Makes `to`, the twin of `from`, carry the inverse element. */
export function setInverse(t: Transitions, from: number, to: number): void {
  t.sign[to] = t.sign[from];
  t.shiftX[to] = -t.sign[from] * t.shiftX[from];
  t.shiftY[to] = -t.sign[from] * t.shiftY[from];
}

/** Follows half-edge h's element by the half-turn about the cone at (x, y), the origin of h. */
export function turnAbout(t: Transitions, h: number, x: number, y: number): void {
  t.sign[h] = -t.sign[h];
  t.shiftX[h] = 2 * x - t.shiftX[h];
  t.shiftY[h] = 2 * y - t.shiftY[h];
}

/** Copies half-edge `from`'s element to half-edge `to`. */
export function copyTransition(t: Transitions, from: number, to: number): void {
  t.sign[to] = t.sign[from];
  t.shiftX[to] = t.shiftX[from];
  t.shiftY[to] = t.shiftY[from];
}
