/**
 * Convex bodies that a few numbers describe: boxes, cylinders, capsules (a ball is a capsule
 * without length), and polyhedra by the planes of their faces. Brackets the distance by which one
 * body sticks out of another.
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
import { sineCosine } from '../math/sine.ts';

export const BOX = 0;
const CYLINDER = 1;
const CAPSULE = 2;
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

/** @param rounding maximum distance of its moved corners from their exact places */
export const boxBody = (half: Float64Array, pose: Pose, rounding: number): ConvexBody =>
  bodyOf(BOX, { half, planes: NO_PLANES }, lengthOf(half), pose, rounding);

export const cylinderBody = (radius: number, length: number, pose: Pose, rounding = 0): ConvexBody =>
  bodyOf(CYLINDER, roundSizes(radius, length), lengthOf([radius, length]), pose, rounding);

/** @param length half the length of the segment that the ball moves along; 0 for a ball */
export const capsuleBody = (radius: number, length: number, pose: Pose, rounding = 0): ConvexBody =>
  bodyOf(CAPSULE, roundSizes(radius, length), radius + length, pose, rounding);

/**
 * @param planes a unit normal and an offset each: no point of the body is beyond one
 * @param rounding maximum distance of the planes from its faces, and of the vertices from their
 *   exact places
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

/*
 * The protrusion of one convex body out of another: a box, a cylinder or a capsule.
 *
 * The distance from a convex set is a convex function. Its greatest value on a body is at an
 * extreme point: a corner, or a point of a cylinder's rim. A capsule sticks out by its radius more
 * than the ends of its segment. Both ends of a bracket are proved. `lower` holds because a plane in
 * front of the outer body is that far behind a point. `upper` holds because no extreme point is
 * deeper outside.
 *
 * In the frame of a cylinder or capsule about the z axis a rim is:
 *   c + u cos w + v sin w
 * Its squared distance from the axis is a sum of sines of w and 2 w. Beyond a capsule's ends the
 * square of the excess of z is added. The second derivative of all that is at least -K, and K is
 * nearly 0 if the two axes are one. So an arc of the angle d reaches at most K d^2 / 8 above the
 * greater of its ends. The code halves arcs that may reach more than is known.
 */

export interface Protrusion {
  lower: number;
  upper: number;
}

const cut = new Float64Array(CUT_NUMBERS);
const sineAndCosine = new Float64Array(2);
/** Most arcs of a rim; some dozens are usual. */
const MOST_ARCS = 4096;

/**
 * Brackets the distance by which the first body sticks out of the second, which is below 0 if it is
 * surely inside. Neither is a polyhedron. A rim beyond the edge of a cylinder or box counts as far
 * as it is beyond a face. The search may end above `most`; a rim's bracket may be `little` wide.
 */
export function protrusion(inner: ConvexBody, outer: ConvexBody, most: number, little: number): Protrusion {
  const { half, pose, slack } = inner;
  const [a, b, c] = half;
  if (inner.shape !== BOX && inner.shape !== CAPSULE) {
    const ends = [c, -c].map((end) => rimBeyond(inner, outer, end, most, little));
    return { lower: Math.max(...ends.map(({ lower }) => lower)), upper: Math.max(...ends.map(({ upper }) => upper)) };
  }
  const found = { lower: Number.NEGATIVE_INFINITY, upper: Number.NEGATIVE_INFINITY };
  const add = (p: number, q: number, r: number): void => {
    const [x, y, z] = [0, 4, 8].map((k) => pose[k] * p + pose[k + 1] * q + pose[k + 2] * r + pose[k + 3]);
    addPoint(x, y, z, outer, found);
  };
  if (inner.shape === CAPSULE) for (const end of [c, -c]) add(0, 0, end);
  else for (let k = 0; k < 8; k++) add(k & 1 ? a : -a, k & 2 ? b : -b, k & 4 ? c : -c);
  const around = inner.shape === CAPSULE ? a : 0;
  // The sums above round less than the slack covers, except for the translation.
  const error = slack + 2 ** -50 * (Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]));
  return { lower: found.lower + around - error, upper: found.upper + around + error };
}

/** Brackets the distance by which points stick out, x, y, z each, in the common frame. */
export function protrusionOfPoints(points: Float64Array, outer: ConvexBody): Protrusion {
  const found = { lower: Number.NEGATIVE_INFINITY, upper: Number.NEGATIVE_INFINITY };
  for (let k = 0; k < points.length; k += 3) addPoint(points[k], points[k + 1], points[k + 2], outer, found);
  return found;
}

function addPoint(x: number, y: number, z: number, outer: ConvexBody, found: Protrusion): void {
  const { pose: t, error } = outer;
  const [p, q, r] = [x - t[3], y - t[7], z - t[11]];
  cutAt(outer, p, q, r, cut);
  const beyond = cut[0] * p + cut[1] * q + cut[2] * r - cut[OFFSET] - error * (Math.abs(p) + Math.abs(q) + Math.abs(r));
  found.lower = Math.max(found.lower, beyond);
  found.upper = Math.max(found.upper, -cut[DEPTH]);
}

function rimBeyond(inner: ConvexBody, outer: ConvexBody, height: number, most: number, little: number): Protrusion {
  const { pose: m, half: own, reach, slack } = inner;
  const { pose: t, half: others } = outer;
  const apart = [3, 7, 11].map((k) => m[k] - t[k]);
  const inFrame = (at: (k: number) => number): number[] =>
    [0, 1, 2].map((k) => t[k] * at(0) + t[4 + k] * at(1) + t[8 + k] * at(2));
  const [u, v] = [0, 1].map((column) => inFrame((k) => own[0] * m[4 * k + column]));
  const c = inFrame((k) => height * m[4 * k + 2] + apart[k]);
  const away = Math.abs(apart[0]) + Math.abs(apart[1]) + Math.abs(apart[2]);
  const error = slack + outer.slack + outer.error * (reach + away);
  // Beyond a plane across axis k, the farthest point of the rim is known.
  const beyondFace = (k: number): number => Math.abs(c[k]) + Math.sqrt(u[k] * u[k] + v[k] * v[k]) - others[k];
  if (outer.shape === BOX) return around(Math.max(...[0, 1, 2].map(beyondFace)), error);
  const isCapsule = outer.shape === CAPSULE;
  const [radius, , half] = others;
  const across = (p: number[], q: number[]): number => p[0] * q[0] + p[1] * q[1];
  const along = Math.sqrt(u[2] * u[2] + v[2] * v[2]);
  const first = Math.sqrt(across(c, u) ** 2 + across(c, v) ** 2);
  const second = Math.sqrt(((across(u, u) - across(v, v)) / 2) ** 2 + across(u, v) ** 2);
  const curvature = 2 * first + 4 * second + (isCapsule ? 2 * along * (along + Math.max(0, beyondFace(2))) : 0);
  const squareAt = (w: number): number => {
    sineCosine(w, sineAndCosine);
    const [x, y, z] = c.map((at, k) => at + u[k] * sineAndCosine[1] + v[k] * sineAndCosine[0]);
    const over = isCapsule ? Math.max(0, Math.abs(z) - half) : 0;
    return x * x + y * y + over * over;
  };
  const aside = greatest(squareAt, curvature, (radius + most) * (radius + most), 2 * radius * little);
  const face = isCapsule ? Number.NEGATIVE_INFINITY : beyondFace(2);
  return {
    lower: Math.max(Math.sqrt(aside.lower) - radius, face) - error,
    upper: Math.max(Math.sqrt(aside.upper) - radius, face) + error,
  };
}

const around = (x: number, error: number): Protrusion => ({ lower: x - error, upper: x + error });

/**
 * Brackets the greatest value of a function of an angle whose second derivative is at least
 * -`curvature`. The bracket is no wider than `little`, or lies above `most`.
 */
function greatest(value: (angle: number) => number, curvature: number, most: number, little: number): Protrusion {
  const arcs: { from: number; ends: number }[] = [];
  let angle = Math.PI / 2;
  let lower = Number.NEGATIVE_INFINITY;
  const add = (from: number): void => {
    const ends = Math.max(value(from), value(from + angle));
    lower = Math.max(lower, ends);
    arcs.push({ from, ends });
  };
  for (let k = 0; k < 4; k++) add(k * angle);
  // All arcs of a round are as long, so few of them may reach more.
  for (let all = arcs.splice(0); ; all = arcs.splice(0)) {
    const more = (curvature * angle * angle) / 8;
    const open = all.filter(({ ends }) => ends + more > lower + little);
    if (open.length === 0) return { lower, upper: lower + little };
    if (open.length > MOST_ARCS || lower > most) return { lower, upper: lower + more };
    angle /= 2;
    for (const { from } of open) {
      add(from);
      add(from + angle);
    }
  }
}
