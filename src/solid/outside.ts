/**
 * Triangles just outside of a solid: what is inside it is no deeper than it is far from them.
 *
 * How deep a point is in a solid is how far it is from the nearest point that is not in it. The
 * surface's own triangles do not bound that, for where shells overlap they may lie inside. So a
 * triangle of the surface is moved off it a little, by less than counts, and proved to be outside:
 * it shares no point with the surface, exactly, and one of its corners is not wound about, exactly
 * either. All of it is outside then, and every distance to it is an upper bound, whatever the mesh.
 *
 * A triangle that meets others, as at a concave edge or where shells cross, is made smaller until it
 * does not; of what has no area, and of what is in the way everywhere, a point is moved.
 */
import { triangleNormal } from '../geometry/triangle-normal.ts';

/** How much of a triangle is kept about a point of it, until that touches nothing. */
const SCALES = [1 - 2 ** -26, 1 - 2 ** -16, 2 ** -2, 2 ** -5];

/**
 * The part of a triangle that is outside, once it is moved by `offset`: nine coordinates. Undefined
 * where no such part was found.
 *
 * @param corners nine coordinates, in the common frame
 * @param isOutside whether all of a triangle is
 * @param point x, y, z of the triangle's point that is of interest
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

/**
 * A point outside, next to a point of the surface as seen from one that may be inside: as a
 * triangle without area. Undefined where it is not outside.
 */
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
