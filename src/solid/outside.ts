/**
 * Makes triangles just outside of a solid: points inside are no deeper than their distance from
 * them.
 *
 * The depth of a point in a solid is its distance from the nearest point outside. The surface's own
 * triangles do not bound that, since they may be inside where shells overlap. So a triangle is
 * moved off the surface by an insignificant length and proved to be outside: it shares no point
 * with the surface, and the surface does not wind about one of its corners, both exactly. Then
 * every distance to it is an upper bound, for any mesh.
 *
 * A triangle that meets others, as at a concave edge or at crossing shells, is shrunk until it does
 * not. If that fails, or it has no area, a point is moved instead.
 */
import { triangleNormal } from '../geometry/triangle.ts';

/** Factors that shrink a triangle about a point of it until it touches nothing. */
const SCALES = [1 - 2 ** -26, 1 - 2 ** -16, 2 ** -2, 2 ** -5];

/**
 * The part of a triangle that is outside once moved by `offset`; coordinates are in the common
 * frame.
 *
 * @param isOutside tests all of a triangle
 * @param point x, y, z of the triangle's point of interest
 */
export function sheetAbout(
  corners: Float64Array,
  isOutside: (sheet: Float64Array) => boolean,
  point: Float64Array,
  offset: number,
): Float64Array | undefined {
  const normal = triangleNormal(corners);
  if (!normal) return undefined;
  const centre = [0, 1, 2].map((k) => corners[k] / 3 + corners[3 + k] / 3 + corners[6 + k] / 3);
  for (const scale of SCALES) {
    const about = scale > 0.5 ? centre : point;
    for (const side of [1, -1]) {
      const sheet = corners.map((x, at) => {
        const k = at % 3;
        return about[k] + scale * (x - about[k]) + side * offset * normal[k];
      });
      if (isOutside(sheet)) return sheet;
    }
  }
  return undefined;
}

/** A point outside, behind a surface point as seen from `from`, as a triangle without area. */
export function pointBehind(
  from: ArrayLike<number>,
  point: Float64Array,
  offset: number,
  isOutside: (sheet: Float64Array) => boolean,
): Float64Array | undefined {
  const away = [0, 1, 2].map((k) => point[k] - from[k]);
  const length = Math.sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
  if (!(length > 0)) return undefined;
  const sheet = new Float64Array(9);
  for (let k = 0; k < 9; k++) sheet[k] = point[k % 3] + (offset / length) * away[k % 3];
  return isOutside(sheet) ? sheet : undefined;
}
