/** The principal axes of src/math/linear.ts, rotated no more than a tolerance needs. */

const a = new Float64Array(9);

/** @param tolerance the largest sum beside the diagonal, relative to it */
export function eigenWithin(
  tolerance: number,
  matrix: ArrayLike<number>,
  values: Float64Array,
  vectors: Float64Array,
): void {
  for (let i = 0; i < 9; i++) a[i] = matrix[i];
  vectors.fill(0);
  vectors[0] = vectors[4] = vectors[8] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    const left = Math.abs(a[1]) + Math.abs(a[2]) + Math.abs(a[5]);
    if (left <= tolerance * (Math.abs(a[0]) + Math.abs(a[4]) + Math.abs(a[8]))) break;
    rotate(vectors, 0, 1);
    rotate(vectors, 0, 2);
    rotate(vectors, 1, 2);
  }
  values[0] = a[0];
  values[1] = a[4];
  values[2] = a[8];
}

/** Makes entry (p, q) zero. */
function rotate(vectors: Float64Array, p: number, q: number): void {
  const apq = a[3 * p + q];
  if (apq === 0) return;
  const theta = (a[4 * q] - a[4 * p]) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < 3; k++) {
    const x = a[3 * k + p];
    const y = a[3 * k + q];
    a[3 * k + p] = c * x - s * y;
    a[3 * k + q] = s * x + c * y;
  }
  for (let k = 0; k < 3; k++) {
    const x = a[3 * p + k];
    const y = a[3 * q + k];
    a[3 * p + k] = c * x - s * y;
    a[3 * q + k] = s * x + c * y;
    const u = vectors[3 * p + k];
    const v = vectors[3 * q + k];
    vectors[3 * p + k] = c * u - s * v;
    vectors[3 * q + k] = s * u + c * v;
  }
  // Exactly, so that a diagonal matrix is seen as one.
  a[3 * p + q] = a[3 * q + p] = 0;
}
