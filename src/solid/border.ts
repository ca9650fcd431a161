/**
 * Whether other triangles cut a triangle in two, or touch its border alone: by signs of doubles, for
 * most of what touches in buildings and machines does no more.
 */
import { orient2d, orient3d } from '../geometry/orient.ts';

/** How others touch a triangle. */
export interface Touch {
  /** Whether some of them may leave it in more than one face; so it is said of one without area. */
  isCut: boolean;
  /** Bit k: a part of side k, from corner k to the next, is on others; single points are not counted. */
  blocked: number;
}

const CUT: Touch = { isCut: true, blocked: 7 };

/** Heights of a corner of another above the triangle's three sides, signs each. */
const heights = new Int8Array(9);

/**
 * @param corners nine coordinates at 0
 * @param others triangles of nine coordinates, one after the other, that touch it
 */
export function touchOf(corners: Float64Array, others: Float64Array): Touch {
  const axis = axisOf(corners);
  if (axis < 0) return CUT;
  const turn = orient2d(corners, 0, corners, 3, corners, 6, axis);
  let blocked = 0;
  for (let at = 0; at < others.length; at += 9) {
    const [h, g, f] = [0, 3, 6].map((k) => orient3d(others, at + k, corners, 0, corners, 3, corners, 6));
    const isCrossing = Math.max(h, g, f) > 0 && Math.min(h, g, f) < 0;
    if (isCrossing) return CUT;
    const inPlane = [h, g, f].flatMap((height, k) => (height === 0 ? [3 * k] : []));
    for (const k of inPlane) {
      for (let side = 0; side < 3; side++) {
        const next = (3 * side + 3) % 9;
        heights[k + side] = turn * orient2d(corners, 3 * side, corners, next, others, at + k, axis);
      }
    }
    // Of two corners in the plane, or of three, every two are ends of what the others have in it.
    for (const [n, p] of inPlane.entries()) {
      for (const q of inPlane.slice(n + 1)) {
        const isInner = (side: number): boolean => heights[p + side] > 0 || heights[q + side] > 0;
        if (isInner(0) && isInner(1) && isInner(2)) return CUT;
        for (let side = 0; side < 3; side++)
          if (heights[p + side] === 0 && heights[q + side] === 0) blocked |= 1 << side;
      }
    }
  }
  return { isCut: false, blocked };
}

/** An axis along which the triangle has an area; -1 where it has none. */
function axisOf(corners: Float64Array): number {
  for (let axis = 0; axis < 3; axis++) if (orient2d(corners, 0, corners, 3, corners, 6, axis) !== 0) return axis;
  return -1;
}
