/**
 * Rounded boxes, the one bounding volume that every representation unfolds to, and when two of them
 * are certainly disjoint.
 *
 * A rounded box is a parallelepiped swept by a ball: { c + s0 a0 + s1 a1 + s2 a2 + v : |si| <= hi,
 * |v| <= r }. Sixteen numbers:
 *
 *    0..2 centre c, 3 radius r | 4..6 axis a0, 7 half extent h0 | 8..10 a1, 11 h1 | 12..14 a2, 15 h2
 *
 * Axes are unit vectors at right angles, but for rounding and for the 1e-5 by which a pose may fail
 * to be orthonormal: the set is what the formula says, whatever the axes are. A bounding sphere has
 * h = 0, an oriented box r = 0.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference
 * Detection", SIGGRAPH 1996: fifteen axes; here with the line of centres, which is the axis for
 * balls. Any axis L proves disjointness when the projections of the two sets, computed from the
 * very axes, are apart; so no axis needs to be exact, only the projections' rounding counts.
 * Near-parallel edges make a short L, whose projections drown in rounding: `slack` is not scaled
 * down with L, so they never separate.
 */

export const BOX_NUMBERS = 16;

/**
 * No axis that is tested is longer: unit vectors, or products of two, each 1e-5 too long at most.
 */
const LONGEST = 1.00004;

/** Squares below it have lost digits to underflow, and the line of centres is not tried. */
const SMALLEST_D2 = 2 ** -800;

/**
 * Whether the boxes at `a[i]` and `b[j]` are certainly disjoint.
 *
 * @param slack at least what the projections may be wrong by on an axis of unit length, plus
 *   whatever distance must remain: 2^-46 of the coordinates' and extents' sizes covers the rounding
 *   in here
 */
export function disjoint(a: Float64Array, i: number, b: Float64Array, j: number, slack: number): boolean {
  const tx = b[j] - a[i];
  const ty = b[j + 1] - a[i + 1];
  const tz = b[j + 2] - a[i + 2];
  const radius = (a[i + 3] + b[j + 3] + slack) * LONGEST;
  const d2 = tx * tx + ty * ty + tz * tz;
  const isBallA = a[i + 7] === 0 && a[i + 11] === 0 && a[i + 15] === 0;
  const isBallB = b[j + 7] === 0 && b[j + 11] === 0 && b[j + 15] === 0;
  const d = Math.sqrt(d2);
  if (d2 > SMALLEST_D2 && d > (spread(a, i, tx, ty, tz) + spread(b, j, tx, ty, tz)) / d + radius) return true;
  if (isBallA && isBallB) return false;
  // Face normals.
  if (!isBallA) {
    for (let k = 4; k < 16; k += 4) {
      if (separates(a, i, b, j, a[i + k], a[i + k + 1], a[i + k + 2], tx, ty, tz, radius)) return true;
    }
  }
  if (!isBallB) {
    for (let k = 4; k < 16; k += 4) {
      if (separates(a, i, b, j, b[j + k], b[j + k + 1], b[j + k + 2], tx, ty, tz, radius)) return true;
    }
  }
  if (isBallA || isBallB) return false;
  // Edge against edge.
  for (let k = 4; k < 16; k += 4) {
    const ax = a[i + k];
    const ay = a[i + k + 1];
    const az = a[i + k + 2];
    for (let l = 4; l < 16; l += 4) {
      const bx = b[j + l];
      const by = b[j + l + 1];
      const bz = b[j + l + 2];
      const x = ay * bz - az * by;
      const y = az * bx - ax * bz;
      const z = ax * by - ay * bx;
      if (separates(a, i, b, j, x, y, z, tx, ty, tz, radius)) return true;
    }
  }
  return false;
}

/**
 * How far apart two boxes are at least; where they may overlap, minus about how far they reach into
 * each other.
 *
 * The largest gap over the line of centres and the faces' normals, each over its length: a lower
 * bound of the distance, not the distance itself. Tried: the products of edges, too. They save a
 * tenth of the pairs of nodes at most, mostly none, and take half of the time. Where
 * `separation(a, i, b, j, slack) > d`, so is `disjoint(a, i, b, j, slack + d)`, but for rounding.
 *
 * @param slack as of `disjoint`
 * @param longest at least as long as any axis of the two boxes
 */
export function separation(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  slack: number,
  longest: number,
): number {
  const tx = b[j] - a[i];
  const ty = b[j + 1] - a[i + 1];
  const tz = b[j + 2] - a[i + 2];
  const radius = a[i + 3] + b[j + 3];
  const d2 = tx * tx + ty * ty + tz * tz;
  const d = Math.sqrt(d2);
  const along = d2 > SMALLEST_D2 ? (spread(a, i, tx, ty, tz) + spread(b, j, tx, ty, tz)) / d : 0;
  const line = d2 > SMALLEST_D2 ? d - along - slack : Number.NEGATIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  const isBallA = a[i + 7] === 0 && a[i + 11] === 0 && a[i + 15] === 0;
  const isBallB = b[j + 7] === 0 && b[j + 11] === 0 && b[j + 15] === 0;
  for (let k = 4; k < 16; k += 4) {
    if (!isBallA) most = Math.max(most, gapAlong(a, i, b, j, a[i + k], a[i + k + 1], a[i + k + 2], tx, ty, tz));
    if (!isBallB) most = Math.max(most, gapAlong(a, i, b, j, b[j + k], b[j + k + 1], b[j + k + 2], tx, ty, tz));
  }
  most -= slack;
  most = Math.max(line, most > 0 ? most / longest : most);
  return most - radius * (1 + 2 ** -40);
}

/** The gap between the boxes, without their balls, along (x, y, z), times that vector's length. */
function gapAlong(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  x: number,
  y: number,
  z: number,
  tx: number,
  ty: number,
  tz: number,
): number {
  return Math.abs(tx * x + ty * y + tz * z) - spread(a, i, x, y, z) - spread(b, j, x, y, z);
}

/** Half the width of the box, without its ball, along (x, y, z), times that vector's length. */
function spread(a: Float64Array, i: number, x: number, y: number, z: number): number {
  return (
    a[i + 7] * Math.abs(a[i + 4] * x + a[i + 5] * y + a[i + 6] * z) +
    a[i + 11] * Math.abs(a[i + 8] * x + a[i + 9] * y + a[i + 10] * z) +
    a[i + 15] * Math.abs(a[i + 12] * x + a[i + 13] * y + a[i + 14] * z)
  );
}

function separates(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  x: number,
  y: number,
  z: number,
  tx: number,
  ty: number,
  tz: number,
  radius: number,
): boolean {
  return Math.abs(tx * x + ty * y + tz * z) > spread(a, i, x, y, z) + spread(b, j, x, y, z) + radius;
}

/**
 * Moves the box at `from[i]` by a row-major 3x4 map into `to[j]`: x' = L x + t. The ball grows by
 * `norm`, an upper bound of how much L lengthens; the axes become L a, whatever their lengths.
 */
export function moveBox(
  map: Float64Array,
  norm: number,
  from: Float64Array,
  i: number,
  to: Float64Array,
  j: number,
): void {
  const x = from[i];
  const y = from[i + 1];
  const z = from[i + 2];
  to[j] = map[0] * x + map[1] * y + map[2] * z + map[3];
  to[j + 1] = map[4] * x + map[5] * y + map[6] * z + map[7];
  to[j + 2] = map[8] * x + map[9] * y + map[10] * z + map[11];
  to[j + 3] = from[i + 3] * norm;
  for (let k = 4; k < 16; k += 4) {
    const ax = from[i + k];
    const ay = from[i + k + 1];
    const az = from[i + k + 2];
    to[j + k] = map[0] * ax + map[1] * ay + map[2] * az;
    to[j + k + 1] = map[4] * ax + map[5] * ay + map[6] * az;
    to[j + k + 2] = map[8] * ax + map[9] * ay + map[10] * az;
    to[j + k + 3] = from[i + k + 3];
  }
}

/**
 * Writes the axes of the box at `box[at]`: a unit vector, and two at right angles to it, in a
 * right-handed frame.
 *
 * T. Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017.
 */
export function writeAxes(box: Float64Array, at: number, x: number, y: number, z: number): void {
  const sign = z >= 0 ? 1 : -1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  box[at + 4] = x;
  box[at + 5] = y;
  box[at + 6] = z;
  box[at + 8] = 1 + sign * x * x * a;
  box[at + 9] = sign * b;
  box[at + 10] = -sign * x;
  box[at + 12] = b;
  box[at + 13] = sign + y * y * a;
  box[at + 14] = -y;
}

/** How far the box reaches from its centre, at most. */
export function reachOfBox(a: Float64Array, i: number): number {
  return a[i + 3] + Math.sqrt(a[i + 7] * a[i + 7] + a[i + 11] * a[i + 11] + a[i + 15] * a[i + 15]) * LONGEST;
}
