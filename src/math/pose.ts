/**
 * Rigid poses: 16 numbers, a row-major 4x4 matrix that maps an object's coordinates x into the
 * common frame, M x + t.
 *
 * Letters: M is the 3x3 part, t the translation, G = M^T M (the identity if M is orthonormal). A
 * pose never reaches stored bytes, so Math.sin and Math.cos are allowed here.
 */
import { OptionError } from '../base/errors.ts';

/** Row-major 4x4: m00 m01 m02 m03(=tx), m10 ..., the last row 0 0 0 1. */
export type Pose = Float64Array;

/** Largest error of an entry of G: six printed digits of a rotation. */
const ORTHONORMAL_WITHIN = 1e-5;

/**
 * Returns the pose that moves nothing.
 *
 * @example identity() // [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
 */
export function identity(): Pose {
  return Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
}

/** The pose of an unmoved object; never changed. */
export const UNMOVED: Pose = /* @__PURE__ */ identity();

/** Copies sixteen numbers. Written out, it takes half the time of a loop, and less than `set`. */
export function copyPose(from: ArrayLike<number>, first: number, to: Float64Array, at: number): void {
  to[at] = from[first]!;
  to[at + 1] = from[first + 1]!;
  to[at + 2] = from[first + 2]!;
  to[at + 3] = from[first + 3]!;
  to[at + 4] = from[first + 4]!;
  to[at + 5] = from[first + 5]!;
  to[at + 6] = from[first + 6]!;
  to[at + 7] = from[first + 7]!;
  to[at + 8] = from[first + 8]!;
  to[at + 9] = from[first + 9]!;
  to[at + 10] = from[first + 10]!;
  to[at + 11] = from[first + 11]!;
  to[at + 12] = from[first + 12]!;
  to[at + 13] = from[first + 13]!;
  to[at + 14] = from[first + 14]!;
  to[at + 15] = from[first + 15]!;
}

export function isIdentity(pose: Pose): boolean {
  for (let i = 0; i < 16; i++) if (pose[i] !== (i % 5 === 0 ? 1 : 0)) return false;
  return true;
}

/**
 * Returns the pose that adds (x, y, z).
 *
 * @example translation(2, 3, 4) // [1, 0, 0, 2, 0, 1, 0, 3, 0, 0, 1, 4, 0, 0, 0, 1]
 */
export function translation(x: number, y: number, z: number): Pose {
  requireNumbers([x, y, z], 'xyz');
  const moved = identity();
  moved[3] = x;
  moved[7] = y;
  moved[11] = z;
  return moved;
}

/**
 * Returns the rotation by `degrees` about the axis (ax, ay, az) through the origin,
 * counter-clockwise seen from the axis's tip. The axis may have any length but 0. Multiples of 90
 * degrees about a coordinate axis are exact.
 *
 * @throws OptionError for the zero axis and for numbers that are not finite
 * @example rotation(0, 0, 2, 90) // [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]: x to y
 */
export function rotation(ax: number, ay: number, az: number, degrees: number): Pose {
  requireNumbers([ax, ay, az, degrees], ['ax', 'ay', 'az', 'degrees']);
  const largest = Math.max(Math.abs(ax), Math.abs(ay), Math.abs(az));
  if (largest === 0) throw new OptionError('the axis of a rotation is 0,0,0, which has no direction');
  // Dividing by the largest first keeps squares of any doubles in range and coordinate axes exact.
  let x = ax / largest;
  let y = ay / largest;
  let z = az / largest;
  const length = Math.sqrt(x * x + y * y + z * z);
  x /= length;
  y /= length;
  z /= length;
  const [c, s] = cosineSine(degrees);
  const d = 1 - c;
  // Rodrigues: c I + s [axis]x + (1 - c) axis axis^T.
  const turn = identity();
  turn[0] = c + d * x * x;
  turn[1] = d * x * y - s * z;
  turn[2] = d * x * z + s * y;
  turn[4] = d * y * x + s * z;
  turn[5] = c + d * y * y;
  turn[6] = d * y * z - s * x;
  turn[8] = d * z * x - s * y;
  turn[9] = d * z * y + s * x;
  turn[10] = c + d * z * z;
  return turn;
}

/** Exact at multiples of 90 degrees; % is exact in doubles. */
function cosineSine(degrees: number): [number, number] {
  const turn = ((degrees % 360) + 360) % 360;
  if (turn % 90 === 0)
    return [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ][turn / 90] as [number, number];
  const radians = (degrees % 360) * (Math.PI / 180);
  return [Math.cos(radians), Math.sin(radians)];
}

/** Returns the rotation of a quaternion x, y, z, w of about length 1, after normalizing it. */
export function rotationOfQuaternion(quaternion: readonly number[]): Pose {
  const length = Math.sqrt(quaternion.reduce((sum, x) => sum + x * x, 0));
  const [x, y, z, w] = quaternion.map((part) => part / length);
  return Float64Array.of(
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0],
    ...[2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0],
    ...[2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0],
    ...[0, 0, 0, 1],
  );
}

/** Largest error of a quaternion's length: four printed digits. */
const UNIT_WITHIN = 1e-3;

/**
 * Makes a pose from 16 numbers, a row-major 4x4 matrix, or from a line of a trajectory. That has 12
 * numbers (the first three rows, KITTI), 7 (x y z qx qy qz qw) or 8 (the same after a time, TUM).
 * Does not check that a matrix is rigid.
 *
 * @param where begins the message
 * @returns null for another count
 * @throws OptionError for a quaternion that is not of length 1
 */
export function poseOfNumbers(numbers: readonly number[], where = ''): Pose | null {
  // Half the time of Float64Array.from.
  if (numbers.length === 16) return new Float64Array(numbers);
  if (numbers.length === 12) return Float64Array.of(...numbers, 0, 0, 0, 1);
  if (numbers.length !== 7 && numbers.length !== 8) return null;
  const [x, y, z, ...quaternion] = numbers.slice(-7);
  const length = Math.sqrt(quaternion.reduce((sum, part) => sum + part * part, 0));
  if (!(Math.abs(length - 1) <= UNIT_WITHIN))
    throw new OptionError(`${where}the quaternion ${quaternion.join(' ')} has length ${length}; a pose needs length 1`);
  const pose = rotationOfQuaternion(quaternion);
  [pose[3], pose[7], pose[11]] = [x, y, z];
  return pose;
}

/**
 * Returns the pose that applies `second` first and then `outer`: the matrix product, in doubles.
 *
 * @throws OptionError unless both have 16 numbers
 * @example compose(translation(2, 0, 0), rotation(0, 0, 1, 90)) // [0, -1, 0, 2, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
 */
export function compose(outer: Pose, second: Pose): Pose {
  requireSixteen(outer, 'outer');
  requireSixteen(second, 'second');
  const out = new Float64Array(16);
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += outer[4 * row + k]! * second[4 * k + column]!;
      out[4 * row + column] = sum;
    }
  }
  return out;
}

/**
 * Writes the moved point to `out` at `offset`, every operation rounded, none fused:
 *   x' = ((m00 x + m01 y) + m02 z) + m03
 * Verdicts are exact for this very order. The identity gives x back (-0 may become 0, which equals
 * it).
 */
export function movePoint(pose: Pose, x: number, y: number, z: number, out: Float64Array, offset: number): void {
  out[offset] = pose[0]! * x + pose[1]! * y + pose[2]! * z + pose[3]!;
  out[offset + 1] = pose[4]! * x + pose[5]! * y + pose[6]! * z + pose[7]!;
  out[offset + 2] = pose[8]! * x + pose[9]! * y + pose[10]! * z + pose[11]!;
}

/** Beyond this, moved vertices could overflow. */
const LARGEST_TRANSLATION = 1e150;

/** Counts of numbers that make a pose. */
export const POSE_COUNTS: readonly number[] = [16, 12, 7];

/**
 * Returns a copy of numbers as a pose: 16 of a row-major 4x4 matrix, 12 of its first three rows, or
 * x y z qx qy qz qw. Accepts a matrix if every entry of G is within 1e-5 of the identity's and the
 * determinant is positive; corrects nothing.
 *
 * @param name the pose's name in messages, for example "--pose-b" or "query 3"
 * @param pose receives the copy and is returned; a new array by default
 * @throws OptionError that names the fault: the count, an entry, the last row, a mirror, a scale, a
 *   shear
 * @example validatePose([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1], '--pose-b')
 *          // OptionError: --pose-b mirrors (its determinant is negative); a pose is rigid
 */
export function validatePose(numbers: ArrayLike<number>, name: string, pose: Pose = new Float64Array(16)): Pose {
  if (numbers?.length === 12 || numbers?.length === 7) {
    for (let i = 0; i < numbers.length; i++) requireFinite(numbers[i], i, name);
    pose.set(poseOfNumbers(Array.from(numbers), `${name}: `)!);
    requirePose(pose, name);
    return pose;
  }
  requireSixteen(numbers, name);
  // Only other arrays can hold anything but numbers.
  const areNumbers = numbers instanceof Float64Array;
  for (let i = 0; i < 16; i++) {
    if (!areNumbers) requireFinite(numbers[i], i, name);
    pose[i] = numbers[i]!;
  }
  requirePose(pose, name);
  return pose;
}

/** Returns a valid pose itself, and makes one of 12 or 7 numbers; throws as `validatePose`. */
export const rigidPose = (numbers: ArrayLike<number>, name: string): Pose =>
  isRigid(numbers as Pose) ? (numbers as Pose) : validatePose(numbers, name);

/** Throws the errors of `validatePose`; allocates nothing for a valid pose. */
export function requirePose(pose: Pose, name: string): void {
  if (isRigid(pose)) return;
  requireSixteen(pose, name);
  for (let i = 0; i < 16; i++) requireFinite(pose[i], i, name);
  for (let i = 3; i < 12; i += 4) {
    if (Math.abs(pose[i]!) > LARGEST_TRANSLATION) {
      throw new OptionError(`${name}: entry ${i} is ${pose[i]}; a pose shifts by at most ${LARGEST_TRANSLATION}`);
    }
  }
  if (pose[12] !== 0 || pose[13] !== 0 || pose[14] !== 0 || pose[15] !== 1) {
    const transposed = pose[3] === 0 && pose[7] === 0 && pose[11] === 0 && pose[15] === 1;
    const hint = transposed ? '; it looks column-major, poses are row-major' : '';
    throw new OptionError(`${name}: the last row is ${pose.slice(12).join(' ')}, not 0 0 0 1${hint}`);
  }
  const gram = gramOf(pose);
  let orthonormal = true;
  for (let i = 0; i < 9; i++) {
    if (!(Math.abs(gram[i]! - (i % 4 === 0 ? 1 : 0)) <= ORTHONORMAL_WITHIN)) orthonormal = false;
  }
  const det = determinant(pose);
  if (!orthonormal) {
    const off = whatIsOff(gram, det);
    const advice = off.startsWith('scales') ? '; scale the mesh (gicollide build --scale)' : '';
    throw new OptionError(`${name} ${off}; a pose is rigid${advice}`);
  }
  if (det < 0) throw new OptionError(`${name} mirrors (its determinant is negative); a pose is rigid`);
}

function requireSixteen(numbers: ArrayLike<number> | undefined, name: string): void {
  const count = numbers?.length ?? 0;
  if (count !== 16) throw new OptionError(`${name} has ${count} numbers; a pose has 16, 12 or 7`);
}

function requireNumbers(numbers: readonly unknown[], names: ArrayLike<string>): void {
  numbers.forEach((x, i) => {
    if (!Number.isFinite(x)) throw new OptionError(`${names[i]}: expected a finite number, found ${x}`);
  });
}

/** A string is no number, even if it looks like one. */
function requireFinite(entry: unknown, i: number, name: string): void {
  if (!Number.isFinite(entry)) throw new OptionError(`${name}: entry ${i} is ${entry}, not a finite number`);
}

/** All checks of requirePose at once: anything but a number fails the comparisons. */
export const isRigid = (m: Pose): boolean => m?.length === 16 && isRigidAt(m, 0);

/** True if the translation and the last row are those of a pose, of sixteen numbers at `at`. */
export const hasFrame = (m: Float64Array, at: number): boolean =>
  m[at + 12] === 0 &&
  m[at + 13] === 0 &&
  m[at + 14] === 0 &&
  m[at + 15] === 1 &&
  Math.abs(m[at + 3]!) <= LARGEST_TRANSLATION &&
  Math.abs(m[at + 7]!) <= LARGEST_TRANSLATION &&
  Math.abs(m[at + 11]!) <= LARGEST_TRANSLATION;

/** The same of the sixteen numbers at `at`, one by one: frames ask this of every object. */
export function isRigidAt(m: Float64Array, at: number): boolean {
  if (!hasFrame(m, at)) return false;
  // G and the determinant.
  const a = m[at]!;
  const b = m[at + 4]!;
  const c = m[at + 8]!;
  const d = m[at + 1]!;
  const e = m[at + 5]!;
  const f = m[at + 9]!;
  const g = m[at + 2]!;
  const h = m[at + 6]!;
  const i = m[at + 10]!;
  return (
    Math.abs(a * a + b * b + c * c - 1) <= ORTHONORMAL_WITHIN &&
    Math.abs(d * d + e * e + f * f - 1) <= ORTHONORMAL_WITHIN &&
    Math.abs(g * g + h * h + i * i - 1) <= ORTHONORMAL_WITHIN &&
    Math.abs(a * d + b * e + c * f) <= ORTHONORMAL_WITHIN &&
    Math.abs(a * g + b * h + c * i) <= ORTHONORMAL_WITHIN &&
    Math.abs(d * g + e * h + f * i) <= ORTHONORMAL_WITHIN &&
    a * (e * i - h * f) + d * (h * c - b * i) + g * (b * f - e * c) > 0
  );
}

/** The reason why the matrix is not orthonormal, as the verb of a sentence. */
function whatIsOff(gram: Float64Array, det: number): string {
  const lengths = [0, 4, 8].map((i) => Math.sqrt(gram[i]!));
  if (!lengths.every(Number.isFinite)) return 'has entries too large to be a rotation';
  if (lengths.includes(0) || det === 0) return 'flattens (its determinant is 0)';
  const cosine = (i: number, j: number) => Math.abs(gram[3 * i + j]! / (lengths[i]! * lengths[j]!));
  const mirrors = det < 0 ? 'mirrors and ' : '';
  if (Math.max(cosine(0, 1), cosine(0, 2), cosine(1, 2)) > ORTHONORMAL_WITHIN)
    return `${mirrors}shears (its columns are not at right angles)`;
  const shown = lengths.map((length) => Number(length.toPrecision(7)));
  const uniform = Math.max(...lengths) - Math.min(...lengths) <= ORTHONORMAL_WITHIN * Math.max(...lengths);
  return `${mirrors}scales by ${uniform ? shown[0] : `${shown.join(', ')} along its columns`}`;
}

const gram = new Float64Array(9);

/** G, row-major 3x3, valid until the next call. Allocates nothing, as every query needs it. */
function gramOf(m: Pose): Float64Array {
  const xx = m[0]! * m[0]! + m[4]! * m[4]! + m[8]! * m[8]!;
  const yy = m[1]! * m[1]! + m[5]! * m[5]! + m[9]! * m[9]!;
  const zz = m[2]! * m[2]! + m[6]! * m[6]! + m[10]! * m[10]!;
  const xy = m[0]! * m[1]! + m[4]! * m[5]! + m[8]! * m[9]!;
  const xz = m[0]! * m[2]! + m[4]! * m[6]! + m[8]! * m[10]!;
  const yz = m[1]! * m[2]! + m[5]! * m[6]! + m[9]! * m[10]!;
  gram[0] = xx;
  gram[4] = yy;
  gram[8] = zz;
  gram[1] = gram[3] = xy;
  gram[2] = gram[6] = xz;
  gram[5] = gram[7] = yz;
  return gram;
}

function determinant(m: Pose): number {
  return (
    m[0]! * (m[5]! * m[10]! - m[6]! * m[9]!) +
    m[1]! * (m[6]! * m[8]! - m[4]! * m[10]!) +
    m[2]! * (m[4]! * m[9]! - m[5]! * m[8]!)
  );
}

/** Bounds the norm of G - I for a validated pose; entries are within 3.2 * 2^-53, as below. */
export function distortion(pose: Pose): number {
  if (isIdentity(pose)) return 0;
  const gram = gramOf(pose);
  let most = 0;
  for (let i = 0; i < 9; i += 3) {
    const sum = Math.abs(gram[i]!) + Math.abs(gram[i + 1]!) + Math.abs(gram[i + 2]!);
    const own = gram[i + i / 3]!;
    most = Math.max(most, sum - Math.abs(own) + Math.abs(own - 1));
  }
  return most + 2 ** -49;
}

/** Far above the rounding of the bounds below: see `normBound`. */
const BOUND_SLACK = 2 ** -46;

/**
 * Returns an upper bound of the factor by which a validated pose lengthens: |M x| <= normBound |x|,
 * exactly.
 *
 * The largest eigenvalue of G is at most its largest absolute row sum r. An entry of G is computed
 * within 3.1 * 2^-53 |column i| |column j| < 3.2 * 2^-53 (Cauchy-Schwarz; the columns of a
 * validated pose are shorter than 1.00001). A row sum, about 1, is within 12 * 2^-53. The square
 * root halves relative errors and adds 2^-53.
 */
export function normBound(pose: Pose): number {
  if (isIdentity(pose)) return 1;
  const gram = gramOf(pose);
  const xy = Math.abs(gram[1]!);
  const xz = Math.abs(gram[2]!);
  const yz = Math.abs(gram[5]!);
  const most = Math.max(gram[0]! + xy + xz, xy + gram[4]! + yz, xz + yz + gram[8]!);
  return Math.sqrt(most) * (1 + BOUND_SLACK);
}

/** Returns a lower bound: |M x| >= minNormBound |x|, by Gershgorin's discs, rounded as above. */
export function minNormBound(pose: Pose): number {
  if (isIdentity(pose)) return 1;
  const gram = gramOf(pose);
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const off = Math.abs(gram[3 * i + ((i + 1) % 3)]!) + Math.abs(gram[3 * i + ((i + 2) % 3)]!);
    least = Math.min(least, gram[4 * i]! - off);
  }
  return Math.sqrt(least) * (1 - BOUND_SLACK);
}

/**
 * Bounds the distance of the point that `movePoint` computes from M x + t, for |x| <= radius and a
 * validated pose. A bound moved by exact reasoning must grow by this much to hold the vertices.
 *
 * A coordinate goes through at most 4 roundings. With |row| < 1.00002 it is off by at most
 *   4.01 * 2^-53 (|row| |x| + |t_i|)
 * and the vector by at most
 *   4.02 * 2^-53 (sqrt(3) |x| + |t_x| + |t_y| + |t_z|)
 * Underflow adds under 2^-1000.
 */
export function moveErrorBound(pose: Pose, radius: number): number {
  if (isIdentity(pose)) return 0;
  return 5 * 2 ** -53 * (2 * radius + Math.abs(pose[3]!) + Math.abs(pose[7]!) + Math.abs(pose[11]!)) + 2 ** -1000;
}

/** Compares bit by bit, except for the sign of 0, which moves nothing. */
export const isSamePose = (a: Pose, b: Pose): boolean => isSamePoseAt(a, 0, b, 0);

/** The same of the numbers of a at p and of b at q. Unrolled for frames. */
export const isSamePoseAt = (a: Float64Array, p: number, b: Float64Array, q: number): boolean =>
  a[p + 3] === b[q + 3] &&
  a[p + 7] === b[q + 7] &&
  a[p + 11] === b[q + 11] &&
  a[p] === b[q] &&
  a[p + 1] === b[q + 1] &&
  a[p + 2] === b[q + 2] &&
  a[p + 4] === b[q + 4] &&
  a[p + 5] === b[q + 5] &&
  a[p + 6] === b[q + 6] &&
  a[p + 8] === b[q + 8] &&
  a[p + 9] === b[q + 9] &&
  a[p + 10] === b[q + 10];
