/**
 * Vectors of three numbers, where clarity counts more than speed (hot loops write them out), and
 * the principal axes of symmetric 3x3 matrices.
 */

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const minus = (a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] => [
  a[0] - b[0],
  a[1] - b[1],
  a[2] - b[2],
];

export const cross = (a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/*
 * The principal axes of a symmetric 3x3 matrix by cyclic rotations (C. Jacobi, 1846).
 *
 * It uses only + - x / and sqrt, so results are the same on every engine.
 */

const a = new Float64Array(9);

/**
 * Writes the eigenvalues, in no order, and the unit eigenvectors of a symmetric 3x3 matrix, nine
 * numbers, row-major. `vectors` becomes a right-handed frame, one vector a row.
 */
export function symmetricEigen(matrix: ArrayLike<number>, values: Float64Array, vectors: Float64Array): void {
  for (let i = 0; i < 9; i++) a[i] = matrix[i];
  vectors.fill(0);
  vectors[0] = vectors[4] = vectors[8] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    if (a[1] === 0 && a[2] === 0 && a[5] === 0) break;
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
