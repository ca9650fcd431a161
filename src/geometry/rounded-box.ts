/**
 * Rounded boxes, the bounding volume that every representation unfolds to, and tests that two are
 * certainly disjoint.
 *
 * A rounded box is a parallelepiped swept by a ball, in sixteen numbers:
 *   { c + s0 a0 + s1 a1 + s2 a2 + v : |si| <= hi, |v| <= r }
 *   0..2 centre c, 3 radius r | 4..6 axis a0, 7 half extent h0 | 8..10 a1, 11 h1 | 12..14 a2, 15 h2
 * Axes are unit vectors at right angles, except for rounding and for the 1e-5 by which a pose may
 * fail to be orthonormal. The formula defines the set for any axes. For a bounding sphere h is 0,
 * for an oriented box r.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference
 * Detection", SIGGRAPH 1996: fifteen axes; here with the line of centers, which is the axis for
 * balls. Any axis L proves disjointness if the projections of the two sets, computed from the very
 * axes, are apart. So no axis needs to be exact; only the projections' rounding counts. Nearly
 * parallel edges make a short L, whose projections drown in rounding: `slack` is not scaled down
 * with L, so they never separate.
 *
 * Products are shared. 27 of two axes serve seven axes of separation, which one by one take 49; the
 * edges' nine take 36 instead of 72. Each sum is within 8 u of its lengths, with 2^-53 for u, which
 * the slack holds many times. The common engine takes 0.55 of the time by it, and 0.8 of that
 * without the edges' axes (traverse.ts), which separate one pair in six that the faces do not.
 */

export const BOX_NUMBERS = 16;

/** Bound of all tested axes: unit vectors, or products of two, each 1e-5 too long at most. */
const LONGEST = 1.00004;

/** Smaller squares have lost digits to underflow, and the line of centers is not tried. */
const SMALLEST_D2 = 2 ** -800;

/**
 * True if the boxes at `a[i]` and `b[j]` are certainly disjoint.
 *
 * @param slack at least the projections' error on an axis of unit length, plus any distance that
 *   must remain: 2^-46 of the coordinates' and extents' sizes covers the rounding in here
 */
export function disjoint(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  slack: number,
  axes: 'all' | 'faces' = 'all',
): boolean {
  const tx = b[j] - a[i];
  const ty = b[j + 1] - a[i + 1];
  const tz = b[j + 2] - a[i + 2];
  const radius = (a[i + 3] + b[j + 3] + slack) * LONGEST;
  const d2 = tx * tx + ty * ty + tz * tz;
  const isBallA = a[i + 7] === 0 && a[i + 11] === 0 && a[i + 15] === 0;
  const isBallB = b[j + 7] === 0 && b[j + 11] === 0 && b[j + 15] === 0;
  if (isBallA) {
    return isBallB ? d2 > SMALLEST_D2 && Math.sqrt(d2) > radius : isApartFromBall(b, j, tx, ty, tz, d2, radius);
  }
  if (isBallB) return isApartFromBall(a, i, tx, ty, tz, d2, radius);
  if (areApartByFaces(a, i, b, j, tx, ty, tz, d2, radius)) return true;
  return axes === 'all' && areApartByEdges(a, i, b, j, tx, ty, tz, radius);
}

function isApartFromBall(
  a: Float64Array,
  i: number,
  tx: number,
  ty: number,
  tz: number,
  d2: number,
  radius: number,
): boolean {
  const h0 = a[i + 7];
  const h1 = a[i + 11];
  const h2 = a[i + 15];
  const x0 = a[i + 4];
  const y0 = a[i + 5];
  const z0 = a[i + 6];
  const x1 = a[i + 8];
  const y1 = a[i + 9];
  const z1 = a[i + 10];
  const x2 = a[i + 12];
  const y2 = a[i + 13];
  const z2 = a[i + 14];
  const t0 = Math.abs(tx * x0 + ty * y0 + tz * z0);
  const t1 = Math.abs(tx * x1 + ty * y1 + tz * z1);
  const t2 = Math.abs(tx * x2 + ty * y2 + tz * z2);
  const d = Math.sqrt(d2);
  if (d2 > SMALLEST_D2 && d > (h0 * t0 + h1 * t1 + h2 * t2) / d + radius) return true;
  const g01 = Math.abs(x0 * x1 + y0 * y1 + z0 * z1);
  const g02 = Math.abs(x0 * x2 + y0 * y2 + z0 * z2);
  const g12 = Math.abs(x1 * x2 + y1 * y2 + z1 * z2);
  return (
    t0 > h0 * (x0 * x0 + y0 * y0 + z0 * z0) + h1 * g01 + h2 * g02 + radius ||
    t1 > h0 * g01 + h1 * (x1 * x1 + y1 * y1 + z1 * z1) + h2 * g12 + radius ||
    t2 > h0 * g02 + h1 * g12 + h2 * (x2 * x2 + y2 * y2 + z2 * z2) + radius
  );
}

function areApartByFaces(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  tx: number,
  ty: number,
  tz: number,
  d2: number,
  radius: number,
): boolean {
  const h0 = a[i + 7];
  const h1 = a[i + 11];
  const h2 = a[i + 15];
  const x0 = a[i + 4];
  const y0 = a[i + 5];
  const z0 = a[i + 6];
  const x1 = a[i + 8];
  const y1 = a[i + 9];
  const z1 = a[i + 10];
  const x2 = a[i + 12];
  const y2 = a[i + 13];
  const z2 = a[i + 14];
  const k0 = b[j + 7];
  const k1 = b[j + 11];
  const k2 = b[j + 15];
  const u0 = b[j + 4];
  const v0 = b[j + 5];
  const w0 = b[j + 6];
  const u1 = b[j + 8];
  const v1 = b[j + 9];
  const w1 = b[j + 10];
  const u2 = b[j + 12];
  const v2 = b[j + 13];
  const w2 = b[j + 14];
  const t0 = Math.abs(tx * x0 + ty * y0 + tz * z0);
  const t1 = Math.abs(tx * x1 + ty * y1 + tz * z1);
  const t2 = Math.abs(tx * x2 + ty * y2 + tz * z2);
  const s0 = Math.abs(tx * u0 + ty * v0 + tz * w0);
  const s1 = Math.abs(tx * u1 + ty * v1 + tz * w1);
  const s2 = Math.abs(tx * u2 + ty * v2 + tz * w2);
  const d = Math.sqrt(d2);
  if (d2 > SMALLEST_D2 && d > (h0 * t0 + h1 * t1 + h2 * t2 + k0 * s0 + k1 * s1 + k2 * s2) / d + radius) return true;
  const r00 = Math.abs(x0 * u0 + y0 * v0 + z0 * w0);
  const r01 = Math.abs(x0 * u1 + y0 * v1 + z0 * w1);
  const r02 = Math.abs(x0 * u2 + y0 * v2 + z0 * w2);
  const r10 = Math.abs(x1 * u0 + y1 * v0 + z1 * w0);
  const r11 = Math.abs(x1 * u1 + y1 * v1 + z1 * w1);
  const r12 = Math.abs(x1 * u2 + y1 * v2 + z1 * w2);
  const r20 = Math.abs(x2 * u0 + y2 * v0 + z2 * w0);
  const r21 = Math.abs(x2 * u1 + y2 * v1 + z2 * w1);
  const r22 = Math.abs(x2 * u2 + y2 * v2 + z2 * w2);
  const g01 = Math.abs(x0 * x1 + y0 * y1 + z0 * z1);
  const g02 = Math.abs(x0 * x2 + y0 * y2 + z0 * z2);
  const g12 = Math.abs(x1 * x2 + y1 * y2 + z1 * z2);
  if (t0 > h0 * (x0 * x0 + y0 * y0 + z0 * z0) + h1 * g01 + h2 * g02 + k0 * r00 + k1 * r01 + k2 * r02 + radius)
    return true;
  if (t1 > h0 * g01 + h1 * (x1 * x1 + y1 * y1 + z1 * z1) + h2 * g12 + k0 * r10 + k1 * r11 + k2 * r12 + radius)
    return true;
  if (t2 > h0 * g02 + h1 * g12 + h2 * (x2 * x2 + y2 * y2 + z2 * z2) + k0 * r20 + k1 * r21 + k2 * r22 + radius)
    return true;
  const f01 = Math.abs(u0 * u1 + v0 * v1 + w0 * w1);
  const f02 = Math.abs(u0 * u2 + v0 * v2 + w0 * w2);
  const f12 = Math.abs(u1 * u2 + v1 * v2 + w1 * w2);
  return (
    s0 > k0 * (u0 * u0 + v0 * v0 + w0 * w0) + k1 * f01 + k2 * f02 + h0 * r00 + h1 * r10 + h2 * r20 + radius ||
    s1 > k0 * f01 + k1 * (u1 * u1 + v1 * v1 + w1 * w1) + k2 * f12 + h0 * r01 + h1 * r11 + h2 * r21 + radius ||
    s2 > k0 * f02 + k1 * f12 + k2 * (u2 * u2 + v2 * v2 + w2 * w2) + h0 * r02 + h1 * r12 + h2 * r22 + radius
  );
}

// Products of a box's axes: second and third, third and first, first and second.
const productsA = new Float64Array(9);
const productsB = new Float64Array(9);

function axisProducts(a: Float64Array, i: number, out: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    const p = i + 4 + 4 * NEXT[k];
    const q = i + 4 + 4 * NEXT[k + 1];
    out[3 * k] = a[p + 1] * a[q + 2] - a[p + 2] * a[q + 1];
    out[3 * k + 1] = a[p + 2] * a[q] - a[p] * a[q + 2];
    out[3 * k + 2] = a[p] * a[q + 1] - a[p + 1] * a[q];
  }
}

const NEXT = Int32Array.of(1, 2, 0, 1);

/**
 * Tests the products L = p x q of an edge of each. An axis r of p's own box has r . L = (r x p) .
 * q, so products of a box's own axes are computed once.
 */
function areApartByEdges(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  tx: number,
  ty: number,
  tz: number,
  radius: number,
): boolean {
  axisProducts(a, i, productsA);
  axisProducts(b, j, productsB);
  const k0 = b[j + 7];
  const k1 = b[j + 11];
  const k2 = b[j + 15];
  for (let k = 0; k < 3; k++) {
    const x = a[i + 4 + 4 * k];
    const y = a[i + 5 + 4 * k];
    const z = a[i + 6 + 4 * k];
    const m = NEXT[k];
    const n = NEXT[k + 1];
    const hm = a[i + 7 + 4 * m];
    const hn = a[i + 7 + 4 * n];
    const s0 = Math.abs(x * productsB[0] + y * productsB[1] + z * productsB[2]);
    const s1 = Math.abs(x * productsB[3] + y * productsB[4] + z * productsB[5]);
    const s2 = Math.abs(x * productsB[6] + y * productsB[7] + z * productsB[8]);
    const ex = ty * z - tz * y;
    const ey = tz * x - tx * z;
    const ez = tx * y - ty * x;
    const mx = productsA[3 * m];
    const my = productsA[3 * m + 1];
    const mz = productsA[3 * m + 2];
    const nx = productsA[3 * n];
    const ny = productsA[3 * n + 1];
    const nz = productsA[3 * n + 2];
    for (let l = 0; l < 3; l++) {
      const u = b[j + 4 + 4 * l];
      const v = b[j + 5 + 4 * l];
      const w = b[j + 6 + 4 * l];
      const spreadA = hm * Math.abs(nx * u + ny * v + nz * w) + hn * Math.abs(mx * u + my * v + mz * w);
      const spreadB = l === 0 ? k1 * s2 + k2 * s1 : l === 1 ? k0 * s2 + k2 * s0 : k0 * s1 + k1 * s0;
      if (Math.abs(ex * u + ey * v + ez * w) > spreadA + spreadB + radius) return true;
    }
  }
  return false;
}

/**
 * Returns a lower bound of the distance of two boxes; if they may overlap, minus about how far they
 * reach into each other.
 *
 * It is the largest gap over the line of centers and the faces' normals, each over its length. Road
 * not taken: the products of edges, too. They save a tenth of the pairs of nodes at most, mostly
 * none, and take half of the time. If `separation(a, i, b, j, slack) > d`, so is `disjoint(a, i, b,
 * j, slack + d)`, up to rounding.
 *
 * @param slack as for `disjoint`
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
 * Writes a unit vector and two at right angles as the axes of the box at `box[at]`, right-handed
 * (T. Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 6(1), 2017).
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

export function reachOfBox(a: Float64Array, i: number): number {
  const squares = a[i + 7] * a[i + 7] + a[i + 11] * a[i + 11] + a[i + 15] * a[i + 15];
  const most = squares > SMALLEST_D2 ? Math.sqrt(squares) : a[i + 7] + a[i + 11] + a[i + 15];
  return a[i + 3] + most * LONGEST;
}
