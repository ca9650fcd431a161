/**
 * Convex bodies that a few numbers describe: boxes, cylinders, capsules (a ball is a capsule
 * without length), and polyhedra by the planes of their faces.
 *
 * Each answers one question: which plane in front of the body is a point least behind? With u for
 * 2^-53, a body, with K in its own frame, M and t of a pose, is
 *   { M y + t : y in K }
 * E = M^T M - I, and e bounds the norm of E: 0 for exact rotations, some u for others, 1e-5 for six
 * printed digits. v = x - t. The code uses q = M^T v for y = M^-1 v; q - y = E y.
 * - The plane. For any n, the body is behind n . x = n . t + h(M^T n), where h is the support
 *   function of K. This loses nothing if M is no rotation. A polyhedron knows h along the normals
 *   of its faces only; M^T n is within 2 e of such a normal.
 * - The depth, inside. K holds the ball of radius d(q) - e |y| about y. M maps that to an ellipsoid
 *   that holds the ball of (1 - e) times the radius.
 * - The depth, outside. The point of K nearest to q is within |d(q)| + e |y| of y, and M lengthens
 *   that by (1 + e / 2) at most. Since |d(q)| <= |q|, the depth is off by less than 2 e |v|.
 * - Rounding. q is off by 6 u |v|, a distance of it by 12 u more, an offset by 14 u of the reach.
 *   ERROR is 32 u of both |v| and the reach. Offsets come out with all of that added, depths with
 *   all of that subtracted. The same goes for `rounding`: corners of boxes and vertices of meshes
 *   are moved in doubles, and lie that far from where the pose has them.
 */
import { distortion, type Pose } from '../math/pose.ts';

export const BOX = 0;
const CYLINDER = 1;
export const CAPSULE = 2;
export const POLYHEDRON = 3;

export interface ConvexBody {
  shape: number;
  pose: Pose;
  /** Half extents of a box; else the radius twice, and half the length along the third axis. */
  half: Float64Array;
  /** A polyhedron's unit normals and offsets, four numbers each, in its frame; else empty. */
  planes: Float64Array;
  /** Radius about its frame's origin that holds the body. */
  reach: number;
  /** Largest error of a depth, relative to the reach and to the distance of the point. */
  error: number;
  /** Largest error of an offset, and of the depth of the origin. */
  slack: number;
}

const ERROR = 2 ** -48;

const NO_PLANES = new Float64Array(0);

/** @param rounding how far its corners may be moved from where the pose has them */
export const boxBody = (half: Float64Array, pose: Pose, rounding: number): ConvexBody =>
  bodyOf(BOX, { half, planes: NO_PLANES }, lengthOf(half), pose, rounding);

export const cylinderBody = (radius: number, length: number, pose: Pose, rounding = 0): ConvexBody =>
  bodyOf(CYLINDER, roundSizes(radius, length), lengthOf([radius, length]), pose, rounding);

/** @param length half the length of the segment that the ball moves along; 0 for a ball */
export const capsuleBody = (radius: number, length: number, pose: Pose, rounding = 0): ConvexBody =>
  bodyOf(CAPSULE, roundSizes(radius, length), radius + length, pose, rounding);

/**
 * @param planes a unit normal and an offset each: no point of the body is beyond one
 * @param rounding how far the planes may be from its faces, and the vertices from their exact place
 */
export const polyhedronBody = (planes: Float64Array, reach: number, pose: Pose, rounding: number): ConvexBody =>
  bodyOf(POLYHEDRON, { half: new Float64Array(3), planes }, reach, pose, rounding);

const lengthOf = (v: ArrayLike<number>): number => Math.sqrt(Array.from(v).reduce((sum, x) => sum + x * x, 0));

type Sizes = Pick<ConvexBody, 'half' | 'planes'>;

const roundSizes = (radius: number, length: number): Sizes => ({
  half: Float64Array.of(radius, radius, length),
  planes: NO_PLANES,
});

function bodyOf(shape: number, sizes: Sizes, own: number, pose: Pose, rounding: number): ConvexBody {
  const error = 2 * distortion(pose) + ERROR;
  const reach = own * (1 + error);
  return { shape, ...sizes, pose, reach, error, slack: rounding + error * reach };
}

/** `cutAt` writes a normal x y z of length 1, the offset and the depth. */
export const CUT_NUMBERS = 5;
export const OFFSET = 3;
export const DEPTH = 4;

const local = new Float64Array(4);

/**
 * Writes the plane that a point is least behind: no point y of the body has n . y above the offset.
 * Also writes a lower bound of the point's depth, the distance to the border, below 0 outside.
 * Outside a polyhedron the depth is -Infinity, as its nearest point is not computed.
 *
 * @param x, y, z the point less the origin of the body's frame; the offset is about that origin too
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
  if (shape !== POLYHEDRON) support = supportAlong(body, nx, ny, nz);
  out[0] = nx;
  out[1] = ny;
  out[2] = nz;
  out[OFFSET] = support + body.slack;
  out[DEPTH] = local[0] - body.slack - body.error * (Math.abs(x) + Math.abs(y) + Math.abs(z));
}

/** Returns the greatest n . y about the frame's origin, without `slack`. Not for polyhedra. */
export function supportAlong({ pose: m, half, shape }: ConvexBody, nx: number, ny: number, nz: number): number {
  const a = m[0] * nx + m[4] * ny + m[8] * nz;
  const b = m[1] * nx + m[5] * ny + m[9] * nz;
  const c = m[2] * nx + m[6] * ny + m[10] * nz;
  const along = half[2] * Math.abs(c);
  if (shape === BOX) return along + half[0] * Math.abs(a) + half[1] * Math.abs(b);
  return along + half[0] * Math.sqrt(a * a + b * b + (shape === CYLINDER ? 0 : c * c));
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

/** The cut of a core that a ball is moved about; a, b, c lead from the core's nearest point. */
function away(a: number, b: number, c: number, radius: number): void {
  // Dividing by the largest first keeps the direction of tiny vectors.
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
