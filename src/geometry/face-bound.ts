/**
 * The greatest distance of points from a fixed triangle: the evaluated part of a proof by
 * convexity.
 *
 * Take a convex set that a triangle's plane, or any other affine map, carries into space. Over it
 * the distance to a fixed triangle is a convex function, hence greatest at a corner of the set.
 * `farthestSquared` measures the corners. A face is a triangle P, P + e1, P + e2 in sixteen numbers
 * of an array: P, e1, e2, and the values that `finishFace` computes.
 *
 * Letters: u = 2^-53; Y the greatest size of a coordinate of P, P + e1, P + e2. Every answer is the
 * distance to a point P + s e1 + t e2 with s, t >= 0. Computed, s + t <= 1, or s and t are 1 - t
 * and t:
 *   s + t <= 1 + 3 u
 * So no proof depends on how the foot was found, and a foot that is not the nearest only makes a
 * bound larger. P and the edges are each one rounding away from those of a triangle. The foot's
 * computed coordinates are within 12 u Y of a point of that triangle. They are off by u Y for P and
 * P + ek, 2 u Y for the edges' own rounding, and 2 u Y for the two products. The two sums add 2 u
 * Y, and weights that sum to more than 1 add 4 u Y. Square, sum and root are 4 u of the distance.
 *
 * Distance of the foot from the nearest point: inner weights are good to some u / sine^2 of the
 * angle between the edges. With a sine below 1e-5 the sides are looked at too; that leaves out no
 * more than the triangle's width.
 */

export const FACE = 16;
export const EDGE_1 = 3;
export const EDGE_2 = 6;
/** Summed sizes of the corner's coordinates, and of the edges'; together at least Y's sum. */
export const CORNER_SIZE = 14;
export const EDGES_SIZE = 15;

const DOT_11 = 9;
const DOT_12 = 10;
const DOT_22 = 11;
const DETERMINANT = 12;
const THIN = 13;
/** Squared sine below which an inner foot loses its digits, and the sides are looked at too. */
const THIN_SINE_2 = 1e-10;

/** Beyond this fourth powers of lengths leave the doubles. */
export const LARGEST_COORDINATE = 2 ** 202;

export function finishFace(faces: Float64Array, at: number): void {
  const ux = faces[at + 3];
  const uy = faces[at + 4];
  const uz = faces[at + 5];
  const vx = faces[at + 6];
  const vy = faces[at + 7];
  const vz = faces[at + 8];
  const uu = ux * ux + uy * uy + uz * uz;
  const uv = ux * vx + uy * vy + uz * vz;
  const vv = vx * vx + vy * vy + vz * vz;
  const determinant = uu * vv - uv * uv;
  faces[at + DOT_11] = uu;
  faces[at + DOT_12] = uv;
  faces[at + DOT_22] = vv;
  faces[at + DETERMINANT] = determinant;
  faces[at + THIN] = determinant > THIN_SINE_2 * uu * vv ? 0 : 1;
  faces[at + CORNER_SIZE] = Math.abs(faces[at]) + Math.abs(faces[at + 1]) + Math.abs(faces[at + 2]);
  faces[at + EDGES_SIZE] = Math.abs(ux) + Math.abs(uy) + Math.abs(uz) + Math.abs(vx) + Math.abs(vy) + Math.abs(vz);
}

/**
 * Returns the greatest squared distance from points (x, y, z at 3k) to their feet on a face. With
 * rounding (see the head), it is never less than to the face.
 */
export function farthestSquared(points: Float64Array, count: number, faces: Float64Array, face: number): number {
  const ux = faces[face + 3];
  const uy = faces[face + 4];
  const uz = faces[face + 5];
  const vx = faces[face + 6];
  const vy = faces[face + 7];
  const vz = faces[face + 8];
  const uu = faces[face + DOT_11];
  const uv = faces[face + DOT_12];
  const vv = faces[face + DOT_22];
  const determinant = faces[face + DETERMINANT];
  const thin = faces[face + THIN] === 1;
  const px = faces[face];
  const py = faces[face + 1];
  const pz = faces[face + 2];
  const last = 3 * count;
  let most = 0;
  for (let k = 0; k < last; k += 3) {
    const x = points[k] - px;
    const y = points[k + 1] - py;
    const z = points[k + 2] - pz;
    const xu = x * ux + y * uy + z * uz;
    const xv = x * vx + y * vy + z * vz;
    const s = vv * xu - uv * xv;
    const t = uu * xv - uv * xu;
    let least = Number.POSITIVE_INFINITY;
    if (determinant > 0 && s >= 0 && t >= 0 && s + t <= determinant) {
      const i = s / determinant;
      const j = t / determinant;
      const dx = x - i * ux - j * vx;
      const dy = y - i * uy - j * vy;
      const dz = z - i * uz - j * vz;
      least = dx * dx + dy * dy + dz * dz;
      if (!thin) {
        if (least > most) most = least;
        continue;
      }
    }
    // The nearest point of a side that the point projects beyond; of all sides if thin.
    if (thin || t < 0) {
      const i = xu > 0 ? (xu < uu ? xu / uu : 1) : 0;
      const dx = x - i * ux;
      const dy = y - i * uy;
      const dz = z - i * uz;
      const squared = dx * dx + dy * dy + dz * dz;
      if (squared < least) least = squared;
    }
    if (thin || s < 0) {
      const j = xv > 0 ? (xv < vv ? xv / vv : 1) : 0;
      const dx = x - j * vx;
      const dy = y - j * vy;
      const dz = z - j * vz;
      const squared = dx * dx + dy * dy + dz * dz;
      if (squared < least) least = squared;
    }
    if (thin || s + t > determinant) {
      const ww = uu - 2 * uv + vv;
      const along = xv - xu + uu - uv;
      const j = along > 0 ? (along < ww ? along / ww : 1) : 0;
      const i = 1 - j;
      const dx = x - i * ux - j * vx;
      const dy = y - i * uy - j * vy;
      const dz = z - i * uz - j * vz;
      const squared = dx * dx + dy * dy + dz * dz;
      if (squared < least) least = squared;
    }
    if (least > most) most = least;
  }
  return most;
}
