// Ways to the relative rotation of two boxes, R = P^T Q, and to the other's centre in P's frame: of
// two matrices, as in RAPID, and of quaternions. rapid-operations counts these very lines, and
// times them; so each of them stands for itself.
//
// A matrix is nine numbers in rows; a quaternion x, y, z, w.

/** @typedef {Float64Array} Numbers */
/**
 * @typedef {(p: Numbers, q: Numbers, d: Numbers, r: Numbers, t: Numbers) => void} Way R to `r`, and
 *   `d`, the difference of the centres, in P's frame to `t`
 */

/** P^T Q. @param {Numbers} p @param {Numbers} q @param {Numbers} r */
export function productOfMatrices(p, q, r) {
  r[0] = p[0] * q[0] + p[3] * q[3] + p[6] * q[6];
  r[1] = p[0] * q[1] + p[3] * q[4] + p[6] * q[7];
  r[2] = p[0] * q[2] + p[3] * q[5] + p[6] * q[8];
  r[3] = p[1] * q[0] + p[4] * q[3] + p[7] * q[6];
  r[4] = p[1] * q[1] + p[4] * q[4] + p[7] * q[7];
  r[5] = p[1] * q[2] + p[4] * q[5] + p[7] * q[8];
  r[6] = p[2] * q[0] + p[5] * q[3] + p[8] * q[6];
  r[7] = p[2] * q[1] + p[5] * q[4] + p[8] * q[7];
  r[8] = p[2] * q[2] + p[5] * q[5] + p[8] * q[8];
}

/** P^T d. @param {Numbers} p @param {Numbers} d @param {Numbers} t */
export function turnByMatrix(p, d, t) {
  t[0] = p[0] * d[0] + p[3] * d[1] + p[6] * d[2];
  t[1] = p[1] * d[0] + p[4] * d[1] + p[7] * d[2];
  t[2] = p[2] * d[0] + p[5] * d[1] + p[8] * d[2];
}

/** The conjugate of p times q. @param {Numbers} p @param {Numbers} q @param {Numbers} r */
export function productOfQuaternions(p, q, r) {
  r[0] = p[3] * q[0] - p[0] * q[3] - p[1] * q[2] + p[2] * q[1];
  r[1] = p[3] * q[1] - p[1] * q[3] - p[2] * q[0] + p[0] * q[2];
  r[2] = p[3] * q[2] - p[2] * q[3] - p[0] * q[1] + p[1] * q[0];
  r[3] = p[3] * q[3] + p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/** A matrix, each sum of products doubled. @param {Numbers} q @param {Numbers} m */
export function matrixByDoubledSums(q, m) {
  const xx = q[0] * q[0];
  const yy = q[1] * q[1];
  const zz = q[2] * q[2];
  const xy = q[0] * q[1];
  const xz = q[0] * q[2];
  const yz = q[1] * q[2];
  const wx = q[3] * q[0];
  const wy = q[3] * q[1];
  const wz = q[3] * q[2];
  m[0] = 1 - 2 * (yy + zz);
  m[1] = 2 * (xy - wz);
  m[2] = 2 * (xz + wy);
  m[3] = 2 * (xy + wz);
  m[4] = 1 - 2 * (xx + zz);
  m[5] = 2 * (yz - wx);
  m[6] = 2 * (xz - wy);
  m[7] = 2 * (yz + wx);
  m[8] = 1 - 2 * (xx + yy);
}

/** A matrix, x, y and z doubled beforehand. @param {Numbers} q @param {Numbers} m */
export function matrixByDoubledParts(q, m) {
  const x2 = q[0] + q[0];
  const y2 = q[1] + q[1];
  const z2 = q[2] + q[2];
  const xx = q[0] * x2;
  const yy = q[1] * y2;
  const zz = q[2] * z2;
  const xy = q[0] * y2;
  const xz = q[0] * z2;
  const yz = q[1] * z2;
  const wx = q[3] * x2;
  const wy = q[3] * y2;
  const wz = q[3] * z2;
  m[0] = 1 - (yy + zz);
  m[1] = xy - wz;
  m[2] = xz + wy;
  m[3] = xy + wz;
  m[4] = 1 - (xx + zz);
  m[5] = yz - wx;
  m[6] = xz - wy;
  m[7] = yz + wx;
  m[8] = 1 - (xx + yy);
}

/**
 * v turned by the conjugate of p: v + 2 w (v x u) + 2 u x (u x v), u its x, y, z.
 *
 * @param {Numbers} p
 * @param {Numbers} v
 * @param {Numbers} t
 */
export function turnByQuaternion(p, v, t) {
  const x = 2 * (v[1] * p[2] - v[2] * p[1]);
  const y = 2 * (v[2] * p[0] - v[0] * p[2]);
  const z = 2 * (v[0] * p[1] - v[1] * p[0]);
  t[0] = v[0] + p[3] * x + (y * p[2] - z * p[1]);
  t[1] = v[1] + p[3] * y + (z * p[0] - x * p[2]);
  t[2] = v[2] + p[3] * z + (x * p[1] - y * p[0]);
}

/** w >= 0 of x, y, z. @param {Numbers} q */
export function implicitW(q) {
  q[3] = Math.sqrt(1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]);
}

const own = new Float64Array(9);
const other = new Float64Array(9);
const column = new Float64Array(3);

/** Both, by two matrices. @type {Way} */
export function matrices(p, q, d, r, t) {
  productOfMatrices(p, q, r);
  turnByMatrix(p, d, t);
}

/** The product of two quaternions as a matrix. @type {Way} */
export function relativeDoubledSums(p, q, d, r, t) {
  productOfQuaternions(p, q, own);
  matrixByDoubledSums(own, r);
  turnByQuaternion(p, d, t);
}

/** The same in fewer operations. @type {Way} */
export function relativeDoubledParts(p, q, d, r, t) {
  productOfQuaternions(p, q, own);
  matrixByDoubledParts(own, r);
  turnByQuaternion(p, d, t);
}

/** p a quaternion; q a matrix, as RAPID carries it down the trees. @type {Way} */
export function oneToMatrix(p, q, d, r, t) {
  matrixByDoubledParts(p, own);
  productOfMatrices(own, q, r);
  turnByMatrix(own, d, t);
}

/** Both quaternions become matrices. @type {Way} */
export function bothToMatrices(p, q, d, r, t) {
  matrixByDoubledParts(p, own);
  matrixByDoubledParts(q, other);
  productOfMatrices(own, other, r);
  turnByMatrix(own, d, t);
}

/** The axes of q, each turned by p. @type {Way} */
export function axesTurned(p, q, d, r, t) {
  matrixByDoubledParts(q, other);
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) column[i] = other[3 * i + k];
    turnByQuaternion(p, column, own);
    for (let i = 0; i < 3; i++) r[3 * i + k] = own[i];
  }
  turnByQuaternion(p, d, t);
}

/** The product of two quaternions without w, which is computed. @type {Way} */
export function relativeImplicit(p, q, d, r, t) {
  implicitW(p);
  implicitW(q);
  productOfQuaternions(p, q, own);
  matrixByDoubledParts(own, r);
  turnByQuaternion(p, d, t);
}

/** @typedef {'matrix' | 'quaternion'} Kind */

/**
 * By name; `centre`: what turns the difference of the centres there; `takes`: what p and q are.
 *
 * @type {readonly { name: string, way: Way, centre: (p: Numbers, d: Numbers, t: Numbers) => void,
 *   takes: readonly [Kind, Kind] }[]}
 */
export const WAYS = [
  { name: 'two matrices, multiplied', way: matrices, centre: turnByMatrix, takes: ['matrix', 'matrix'] },
  {
    name: 'two quaternions, multiplied; a matrix of sums that are doubled',
    way: relativeDoubledSums,
    centre: turnByQuaternion,
    takes: ['quaternion', 'quaternion'],
  },
  {
    name: 'the same; x, y and z are doubled first',
    way: relativeDoubledParts,
    centre: turnByQuaternion,
    takes: ['quaternion', 'quaternion'],
  },
  {
    name: 'the same, both w from roots',
    way: relativeImplicit,
    centre: turnByQuaternion,
    takes: ['quaternion', 'quaternion'],
  },
  {
    name: 'one quaternion to a matrix; two matrices, multiplied',
    way: oneToMatrix,
    centre: turnByMatrix,
    takes: ['quaternion', 'matrix'],
  },
  {
    name: 'two quaternions to matrices, multiplied',
    way: bothToMatrices,
    centre: turnByMatrix,
    takes: ['quaternion', 'quaternion'],
  },
  {
    name: 'one to a matrix, whose axes are turned by v + 2w(u x v) + 2u x (u x v)',
    way: axesTurned,
    centre: turnByQuaternion,
    takes: ['quaternion', 'quaternion'],
  },
];
