/**
 * Convex bodies that are known by numbers: boxes, cylinders, capsules (a ball is one without a
 * length), and polyhedra by the planes of their faces. Each answers one question: of all planes
 * that the body lies behind, which one has a point least behind it?
 *
 * Letters: u = 2^-53. A body is { M y + t : y in K }, with K in its own frame, M and t of a pose. E
 * = M^T M - I; e bounds its norm: 0 of exact rotations, some u of others, 1e-5 of what six printed
 * digits give. v = x - t, and q = M^T v is taken for y = M^-1 v: q - y = E y.
 *
 * - The plane. Whatever n is, the body is behind n . x = n . t + h(M^T n) with h the support
 *   function of K, so that nothing is lost where M is no rotation. Of a polyhedron h is only known
 *   along the normals of its faces; M^T n is within 2 e of such a one.
 * - The depth. K holds the ball of radius d(q) - e |y| about y, which M takes to an ellipsoid that
 *   holds the ball of (1 - e) times that. Outside, M takes the nearest point of K to one that is no
 *   farther than (1 + e) (distance + e |y|).
 * - Beside these, the depth goes through a few dozen roundings of terms up to reach + |v|, and adds
 *   12 u (reach + |v|) at most; the offset as much without |v|. 2^-49 is 16 u. Both come out with
 *   all of that taken off, or put on, and with `rounding`: corners of boxes and vertices of meshes
 *   are moved in doubles, by so much from where the pose has them.
 */
import { distortion, type Pose } from '../math/pose.ts';

export const BOX = 0;
export const CYLINDER = 1;
export const CAPSULE = 2;
export const POLYHEDRON = 3;

export interface ConvexBody {
  shape: number;
  /** Where it stands; validated. */
  pose: Pose;
  /**
   * Of a box its half extents; else the radius twice, and half of the length along its third axis.
   */
  half: Float64Array;
  /** Of a polyhedron: a unit normal and an offset each, in its own frame; else empty. */
  planes: Float64Array;
  /** No point of it is farther from the origin of its frame. */
  reach: number;
  /** What a depth is wrong by at most, as a part of the reach and of how far the point is. */
  error: number;
  /** What an offset is wrong by at most, likewise a depth where the point is the origin. */
  slack: number;
}

const ERROR = 2 ** -49;

const NO_PLANES = new Float64Array(0);

/** @param rounding how far its corners may be moved from where the pose has them */
export const boxBody = (half: Float64Array, pose: Pose, rounding: number): ConvexBody =>
  bodyOf(BOX, half, NO_PLANES, Math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]), pose, rounding);

export const cylinderBody = (radius: number, halfLength: number, pose: Pose, rounding = 0): ConvexBody =>
  bodyOf(
    CYLINDER,
    Float64Array.of(radius, radius, halfLength),
    NO_PLANES,
    Math.sqrt(radius * radius + halfLength * halfLength),
    pose,
    rounding,
  );

/** @param halfLength of the segment that a ball of the radius is moved along: 0 of a ball */
export const capsuleBody = (radius: number, halfLength: number, pose: Pose, rounding = 0): ConvexBody =>
  bodyOf(CAPSULE, Float64Array.of(radius, radius, halfLength), NO_PLANES, radius + halfLength, pose, rounding);

/**
 * @param planes a unit normal and an offset each, that no point of the body is beyond
 * @param rounding how far the planes may be from its faces, and its vertices from where the pose
 *   has them
 */
export const polyhedronBody = (planes: Float64Array, reach: number, pose: Pose, rounding: number): ConvexBody =>
  bodyOf(POLYHEDRON, new Float64Array(3), planes, reach, pose, rounding);

function bodyOf(
  shape: number,
  half: Float64Array,
  planes: Float64Array,
  reach: number,
  pose: Pose,
  rounding: number,
): ConvexBody {
  const error = 2 * distortion(pose) + ERROR;
  const far = reach * (1 + 2 ** -48);
  return { shape, pose, half, planes, reach: far, error, slack: rounding + error * far };
}

/** What `cutAt` writes: normal x y z of length 1, offset, depth. */
export const CUT_NUMBERS = 5;
export const OFFSET = 3;
export const DEPTH = 4;

/** Of the point in the body's own frame: its depth, and the normal there. */
const local = new Float64Array(4);

/**
 * The plane that a point is least behind: no point y of the body has n . y above the offset. And
 * how deep in the body the point is at least: the distance to its border, below 0 outside. Of a
 * point outside of a polyhedron, whose nearest point is not looked for, the depth is -Infinity.
 *
 * @param x, y, z the point less the origin of the body's frame; the offset is about that, too
 */
export function cutAt(body: ConvexBody, x: number, y: number, z: number, out: Float64Array): void {
  const { pose: m, half, shape } = body;
  const p = m[0] * x + m[4] * y + m[8] * z;
  const q = m[1] * x + m[5] * y + m[9] * z;
  const r = m[2] * x + m[6] * y + m[10] * z;
  let support = 0;
  if (shape === POLYHEDRON) support = cutOfPolyhedron(body.planes, p, q, r);
  else if (shape === BOX) cutOfBox(half, p, q, r);
  else if (shape === CYLINDER) cutOfCylinder(half[0], half[2], p, q, r);
  else cutOfCapsule(half[0], half[2], p, q, r);
  let nx = m[0] * local[1] + m[1] * local[2] + m[2] * local[3];
  let ny = m[4] * local[1] + m[5] * local[2] + m[6] * local[3];
  let nz = m[8] * local[1] + m[9] * local[2] + m[10] * local[3];
  const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
  nx /= length;
  ny /= length;
  nz /= length;
  if (shape !== POLYHEDRON) {
    const a = m[0] * nx + m[4] * ny + m[8] * nz;
    const b = m[1] * nx + m[5] * ny + m[9] * nz;
    const c = m[2] * nx + m[6] * ny + m[10] * nz;
    support = half[2] * Math.abs(c);
    if (shape === BOX) support += half[0] * Math.abs(a) + half[1] * Math.abs(b);
    else if (shape === CYLINDER) support += half[0] * Math.sqrt(a * a + b * b);
    else support += half[0] * Math.sqrt(a * a + b * b + c * c);
  }
  out[0] = nx;
  out[1] = ny;
  out[2] = nz;
  out[OFFSET] = support + body.slack;
  out[DEPTH] = local[0] - body.slack - body.error * (Math.abs(x) + Math.abs(y) + Math.abs(z));
}

function cutOfBox(half: Float64Array, p: number, q: number, r: number): void {
  const beyondP = Math.abs(p) - half[0];
  const beyondQ = Math.abs(q) - half[1];
  const beyondR = Math.abs(r) - half[2];
  const side = (x: number): number => (x < 0 ? -1 : 1);
  if (beyondP <= 0 && beyondQ <= 0 && beyondR <= 0) {
    const isP = beyondP >= beyondQ && beyondP >= beyondR;
    const isQ = !isP && beyondQ >= beyondR;
    local[0] = -(isP ? beyondP : isQ ? beyondQ : beyondR);
    local[1] = isP ? side(p) : 0;
    local[2] = isQ ? side(q) : 0;
    local[3] = isP || isQ ? 0 : side(r);
    return;
  }
  const a = beyondP > 0 ? beyondP * side(p) : 0;
  const b = beyondQ > 0 ? beyondQ * side(q) : 0;
  const c = beyondR > 0 ? beyondR * side(r) : 0;
  away(a, b, c, 0);
}

function cutOfCylinder(radius: number, half: number, p: number, q: number, r: number): void {
  const far = Math.sqrt(p * p + q * q);
  const beyondSide = far - radius;
  const beyondEnd = Math.abs(r) - half;
  const end = r < 0 ? -1 : 1;
  // On the axis any way out is as short.
  const a = far > 0 ? p / far : 1;
  const b = far > 0 ? q / far : 0;
  if (beyondSide > 0 && beyondEnd > 0) {
    away(beyondSide * a, beyondSide * b, beyondEnd * end, 0);
    return;
  }
  const isSide = beyondSide > beyondEnd;
  local[0] = -(isSide ? beyondSide : beyondEnd);
  local[1] = isSide ? a : 0;
  local[2] = isSide ? b : 0;
  local[3] = isSide ? 0 : end;
}

function cutOfCapsule(radius: number, half: number, p: number, q: number, r: number): void {
  away(p, q, r > half ? r - half : r < -half ? r + half : 0, radius);
}

/** Where a point is by so much beyond the nearest one of a core, which a ball is moved about. */
function away(a: number, b: number, c: number, radius: number): void {
  // Divided by the largest first: a direction of what is all but nothing is one still.
  const largest = Math.max(Math.abs(a), Math.abs(b), Math.abs(c));
  if (largest === 0) {
    local[0] = radius;
    local[1] = 1;
    local[2] = local[3] = 0;
    return;
  }
  const x = a / largest;
  const y = b / largest;
  const z = c / largest;
  const length = Math.sqrt(x * x + y * y + z * z);
  local[0] = radius - length * largest;
  local[1] = x / length;
  local[2] = y / length;
  local[3] = z / length;
}

/** Returns the offset of the plane. */
function cutOfPolyhedron(planes: Float64Array, p: number, q: number, r: number): number {
  let least = Number.POSITIVE_INFINITY;
  let at = 0;
  for (let k = 0; k < planes.length; k += 4) {
    const behind = planes[k + 3] - (planes[k] * p + planes[k + 1] * q + planes[k + 2] * r);
    if (behind >= least) continue;
    least = behind;
    at = k;
  }
  local[0] = least >= 0 ? least : Number.NEGATIVE_INFINITY;
  local[1] = planes[at];
  local[2] = planes[at + 1];
  local[3] = planes[at + 2];
  return planes[at + 3];
}
