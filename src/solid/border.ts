/** Decides by signs of doubles if other triangles cut a triangle or only touch its border. */
import { orient2d, orient3d } from '../geometry/orient.ts';

export interface Touch {
  /** Triangles that may cut it: they share more than single points with its inside. */
  cutters: number[];
  /** Bit k: others cover a part of side k, from corner k on. Single points do not count. */
  blocked: number;
  /** The same bits for each of the others; empty if the triangle has no area. */
  along: Uint8Array;
}

/** Signs of heights of the other's points in the plane above the triangle's three sides. */
const heights = new Int8Array(9);

/** A triangle without area is cut by nothing, and blocked. */
export function touchOf(corners: Float64Array, others: Float64Array): Touch {
  const axis = axisOf(corners);
  const cutters: number[] = [];
  if (axis < 0) return { cutters, blocked: 7, along: new Uint8Array(0) };
  const along = new Uint8Array(others.length / 9);
  const turn = orient2d(corners, 0, corners, 3, corners, 6, axis);
  let blocked = 0;
  for (let at = 0; at < others.length; at += 9) {
    const [h, g, f] = [0, 3, 6].map((k) => orient3d(others, at + k, corners, 0, corners, 3, corners, 6));
    const above = [h, g, f];
    let ends = 0;
    for (let k = 0; k < 3; k++) {
      const next = (k + 1) % 3;
      const [p, q] = above[k] > 0 ? [at + 3 * k, at + 3 * next] : [at + 3 * next, at + 3 * k];
      if (above[k] === 0) {
        for (let side = 0; side < 3; side++)
          heights[ends++] = turn * orient2d(corners, 3 * side, corners, (3 * side + 3) % 9, others, at + 3 * k, axis);
      }
      // A line from above to below passes a side as its point in the plane does.
      if (above[k] * above[next] < 0) {
        for (let side = 0; side < 3; side++)
          heights[ends++] = orient3d(others, p, others, q, corners, 3 * side, corners, (3 * side + 3) % 9);
      }
    }
    // Every two of these points are ends of the other's part of the plane.
    let isCutter = false;
    for (let p = 0; p < ends; p += 3) {
      for (let q = p + 3; q < ends; q += 3) {
        const isInner = (side: number): boolean => heights[p + side] > 0 || heights[q + side] > 0;
        if (isInner(0) && isInner(1) && isInner(2)) isCutter = true;
        for (let side = 0; side < 3; side++)
          if (heights[p + side] === 0 && heights[q + side] === 0) along[at / 9] |= 1 << side;
      }
    }
    if (isCutter) cutters.push(at / 9);
    blocked |= along[at / 9];
  }
  return { cutters, blocked, along };
}

/** An axis along which the triangle has an area; -1 if it has none. */
export function axisOf(corners: Float64Array): number {
  for (let axis = 0; axis < 3; axis++) if (orient2d(corners, 0, corners, 3, corners, 6, axis) !== 0) return axis;
  return -1;
}
