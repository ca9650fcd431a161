/**
 * At most four of many points that span them: a contact manifold for physics engines.
 *
 * D. Gregorius, "Robust Contact Creation for Physics Simulations", Game Developers Conference 2015,
 * "Contact reduction": an extreme point, the one farthest from it, the one that makes the largest
 * triangle with both, and the one that adds most to it on its other side. Departures: the first is
 * the point farthest from the patch's center, not along a fixed axis, so that the choice turns with
 * the bodies. Areas are seen along the patch's normal; a point that adds nothing is left out.
 */

/** Smaller gains, relative to the square of the greatest distance, count as none. */
const NOTHING = 1e-9;

/**
 * Chooses at most four points, the first of equals.
 *
 * @param points x, y, z each, of one unit
 * @param chosen numbers of points that may be chosen, from `from` to before `to`
 * @param centre, normal x, y, z of the patch
 * @returns their numbers, in order about the normal
 */
export function spanningPoints(
  points: Float64Array,
  chosen: Int32Array,
  from: number,
  to: number,
  centre: readonly number[],
  normal: readonly number[],
): number[] {
  const best = (value: (p: number) => number, least: number): number | undefined => {
    let most = least;
    let found: number | undefined;
    for (let c = from; c < to; c++) {
      const v = value(3 * chosen[c]);
      if (v <= most) continue;
      most = v;
      found = chosen[c];
    }
    return found;
  };
  const farthest = (x: number, y: number, z: number, least: number): number | undefined =>
    best((p) => (points[p] - x) ** 2 + (points[p + 1] - y) ** 2 + (points[p + 2] - z) ** 2, least);
  const first = farthest(centre[0], centre[1], centre[2], -1);
  if (first === undefined) return [];
  const [x, y, z] = points.subarray(3 * first, 3 * first + 3);
  const second = farthest(x, y, z, 0);
  if (second === undefined) return [first];
  const area = (i: number, j: number, p: number): number => areaAlong(normal, points, 3 * i, 3 * j, p);
  const [dx, dy, dz] = [points[3 * second] - x, points[3 * second + 1] - y, points[3 * second + 2] - z];
  const nothing = NOTHING * (dx * dx + dy * dy + dz * dz);
  const third = best((p) => Math.abs(area(first, second, p)), nothing);
  if (third === undefined) return [first, second];
  const around = area(first, second, 3 * third) > 0 ? [first, second, third] : [first, third, second];
  const beyond = (p: number): number[] => around.map((i, k) => -area(i, around[(k + 1) % 3], p));
  const fourth = best((p) => Math.max(...beyond(p)), nothing);
  if (fourth === undefined) return around;
  const sides = beyond(3 * fourth);
  around.splice(sides.indexOf(Math.max(...sides)) + 1, 0, fourth);
  return around;
}

/** Twice the area of a triangle seen along the normal: positive if it turns left. */
function areaAlong(n: readonly number[], points: Float64Array, i: number, j: number, k: number): number {
  const [ux, uy, uz] = [points[j] - points[i], points[j + 1] - points[i + 1], points[j + 2] - points[i + 2]];
  const [vx, vy, vz] = [points[k] - points[i], points[k + 1] - points[i + 1], points[k + 2] - points[i + 2]];
  return n[0] * (uy * vz - uz * vy) + n[1] * (uz * vx - ux * vz) + n[2] * (ux * vy - uy * vx);
}
