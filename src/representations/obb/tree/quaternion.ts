/**
 * Stores orientations as three numbers: a unit quaternion's x, y, z with w >= 0. If w < 0, all four
 * are negated, since q and -q turn alike (S. Bacelle's trick, in P. Terdiman, "RAPID Hack", 2002).
 *
 * New here: a box looks the same from 24 sides, so it is named by the one with the largest w, at
 * least 0.85. There
 *   w = sqrt(1 - x^2 - y^2 - z^2)
 * changes less than x, y, z do, and rounding them costs no precision. Near w = 0 a step of 2^-15
 * would turn a box by half a degree.
 */

/** The 24 turns of a cube as (axis, sign) per column: determinant 1. */
const CUBE_TURNS: (readonly [number, number])[][] = [];
for (const [i, j, k] of [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
  [0, 2, 1],
  [2, 1, 0],
  [1, 0, 2],
]) {
  const even = (j - i + 3) % 3 === 1 ? 1 : -1;
  for (const s of [1, -1]) {
    for (const t of [1, -1]) {
      CUBE_TURNS.push([
        [i, s],
        [j, t],
        [k, s * t * even],
      ]);
    }
  }
}

const m = new Float64Array(9);

/**
 * Returns the quaternion x, y, z of a box with the given axes.
 *
 * @param axes the box's axes as rows, right-handed; replaced by the chosen one of 24
 * @param out receives x, y, z
 */
export function quaternionOf(axes: Float64Array, out: Float64Array): void {
  let best = CUBE_TURNS[0];
  let largest = Number.NEGATIVE_INFINITY;
  for (const turn of CUBE_TURNS) {
    let trace = 0;
    for (let column = 0; column < 3; column++) {
      const [axis, sign] = turn[column];
      trace += sign * axes[3 * axis + column];
    }
    if (trace > largest) {
      largest = trace;
      best = turn;
    }
  }
  for (let row = 0; row < 3; row++) {
    const [axis, sign] = best[row];
    for (let k = 0; k < 3; k++) m[3 * row + k] = sign * axes[3 * axis + k];
  }
  axes.set(m);
  // Rows of m are the columns of the rotation. w is the largest component: the division is safe.
  const w = 0.5 * Math.sqrt(Math.max(0, 1 + m[0] + m[4] + m[8]));
  const x = (m[5] - m[7]) / (4 * w);
  const y = (m[6] - m[2]) / (4 * w);
  const z = (m[1] - m[3]) / (4 * w);
  const length = Math.sqrt(w * w + x * x + y * y + z * z);
  out[0] = x / length;
  out[1] = y / length;
  out[2] = z / length;
}

/**
 * Writes the rotation of the quaternion (x, y, z, sqrt(1 - x^2 - y^2 - z^2)), row-major 3x3 at
 * `out[at]`. Its columns are the box's axes.
 *
 * Orthonormal to 2^-49: with |q|^2 = 1 + e, R^T R differs from I by O(e), and |e| <= 2^-51, since
 * w^2 carries the rounding of 1 - n and of one square root. The entries add a few 2^-53 of their
 * own. Returns n = x^2 + y^2 + z^2. For n > 1 it is no rotation; files that store such are refused.
 */
export function rotationOf(x: number, y: number, z: number, out: Float64Array, at: number): number {
  const n = x * x + y * y + z * z;
  const w = n < 1 ? Math.sqrt(1 - n) : 0;
  out[at] = 1 - 2 * (y * y + z * z);
  out[at + 1] = 2 * (x * y - z * w);
  out[at + 2] = 2 * (x * z + y * w);
  out[at + 3] = 2 * (x * y + z * w);
  out[at + 4] = 1 - 2 * (x * x + z * z);
  out[at + 5] = 2 * (y * z - x * w);
  out[at + 6] = 2 * (x * z - y * w);
  out[at + 7] = 2 * (y * z + x * w);
  out[at + 8] = 1 - 2 * (x * x + y * y);
  return n;
}
