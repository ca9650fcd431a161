/**
 * How far one convex body sticks out of another one, a box, a cylinder or a capsule.
 *
 * The distance from a convex set is a convex function, so that its greatest value is where no other
 * points are on both sides: at a corner, at the middle of an end of a capsule, whose ball adds its
 * radius, or on a rim of a cylinder.
 *
 * A rim c + u cos w + v sin w, in the frame of a cylinder or capsule about the z axis: its squared
 * distance from the axis is a sum of sines of w and 2 w. Beyond a capsule's ends the square of what
 * z is beyond comes in addition. The second derivative of all that is no more than a number K,
 * which is next to nothing where the two axes are one; so an arc of the angle d has no more than
 * the greater of its ends and K d^2 / 8. Arcs that may have more are halved.
 */
import { sineCosine } from '../math/sine.ts';
import { BOX, CAPSULE, type ConvexBody, CUT_NUMBERS, cutAt, DEPTH } from './convex-body.ts';

const cut = new Float64Array(CUT_NUMBERS);
const sineAndCosine = new Float64Array(2);
/** Of the arcs of a rim; some dozens are looked at. */
const MOST_ARCS = 4096;

/**
 * How far the first body sticks out of the second, neither a polyhedron: 0 or below where it is
 * surely inside. Of a rim it is how far it is beyond one face, which is less than what it is beyond
 * an edge.
 *
 * @param most it is enough to know that it is more than this
 * @param little what the answer may be too large by, on rims
 */
export function protrusion(inner: ConvexBody, outer: ConvexBody, most: number, little: number): number {
  const [a, b, c] = inner.half;
  let found = Number.NEGATIVE_INFINITY;
  if (inner.shape === BOX) {
    for (let corner = 0; corner < 8; corner++)
      found = Math.max(found, beyond(inner, outer, corner & 1 ? a : -a, corner & 2 ? b : -b, corner & 4 ? c : -c));
  } else if (inner.shape === CAPSULE) {
    found = a + Math.max(beyond(inner, outer, 0, 0, c), beyond(inner, outer, 0, 0, -c));
  } else {
    for (let end = c; end >= -c && found <= most; end -= 2 * c) {
      const isBox = outer.shape === BOX;
      found = Math.max(found, isBox ? rimBeyondBox(inner, outer, end) : rimBeyond(inner, outer, end, most, little));
    }
  }
  return found + inner.slack;
}

/** Likewise of points, x, y, z each, in the common frame. */
export function protrusionOfPoints(points: Float64Array, outer: ConvexBody): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < points.length; k += 3)
    most = Math.max(most, beyondAt(outer, points[k], points[k + 1], points[k + 2]));
  return most;
}

function beyondAt(outer: ConvexBody, x: number, y: number, z: number): number {
  const { pose: t } = outer;
  cutAt(outer, x - t[3], y - t[7], z - t[11], cut);
  return -cut[DEPTH];
}

/** Of a point in the own frame of a body. */
function beyond({ pose: m }: ConvexBody, outer: ConvexBody, p: number, q: number, r: number): number {
  const { pose: t } = outer;
  cutAt(
    outer,
    m[0] * p + m[1] * q + m[2] * r + (m[3] - t[3]),
    m[4] * p + m[5] * q + m[6] * r + (m[7] - t[7]),
    m[8] * p + m[9] * q + m[10] * r + (m[11] - t[11]),
    cut,
  );
  return -cut[DEPTH];
}

/** A rim in the frame of another body: its middle, and the two radii that span it. */
interface Rim {
  c: number[];
  u: number[];
  v: number[];
  /** What its numbers are wrong by. */
  error: number;
}

function rimOf({ pose: m, half, reach }: ConvexBody, { pose: t, error, slack }: ConvexBody, height: number): Rim {
  const apart = [3, 7, 11].map((k) => m[k] - t[k]);
  const column = (k: number): number[] => [m[k], m[4 + k], m[8 + k]];
  const inFrame = ([x, y, z]: readonly number[]): number[] =>
    [0, 1, 2].map((k) => t[k] * x + t[4 + k] * y + t[8 + k] * z);
  const [u, v] = [0, 1].map((k) => inFrame(column(k)).map((x) => half[0] * x));
  const c = inFrame(column(2).map((x, k) => height * x + apart[k]));
  return { c, u, v, error: slack + error * (reach + Math.abs(apart[0]) + Math.abs(apart[1]) + Math.abs(apart[2])) };
}

/** Beyond the faces, each of which is farthest below one point of the rim. */
function rimBeyondBox(inner: ConvexBody, outer: ConvexBody, height: number): number {
  const { c, u, v, error } = rimOf(inner, outer, height);
  const reach = c.map((x, k) => Math.abs(x) + Math.sqrt(u[k] * u[k] + v[k] * v[k]) - outer.half[k]);
  return Math.max(...reach) + error;
}

function rimBeyond(inner: ConvexBody, outer: ConvexBody, height: number, most: number, little: number): number {
  const { c, u, v, error } = rimOf(inner, outer, height);
  const [radius, , half] = outer.half;
  const across = (p: number[], q: number[]): number => p[0] * q[0] + p[1] * q[1];
  const along = Math.sqrt(u[2] * u[2] + v[2] * v[2]);
  const isCapsule = outer.shape === CAPSULE;
  const first = Math.sqrt(across(c, u) ** 2 + across(c, v) ** 2);
  const second = Math.sqrt(((across(u, u) - across(v, v)) / 2) ** 2 + across(u, v) ** 2);
  const beyondEnd = Math.max(0, Math.abs(c[2]) + along - half);
  const curvature = 2 * first + 4 * second + (isCapsule ? 2 * along * (along + beyondEnd) : 0);
  const squareAt = (w: number): number => {
    sineCosine(w, sineAndCosine);
    const [x, y, z] = c.map((at, k) => at + u[k] * sineAndCosine[1] + v[k] * sineAndCosine[0]);
    const over = isCapsule ? Math.max(0, Math.abs(z) - half) : 0;
    return x * x + y * y + over * over;
  };
  const square = greatest(squareAt, curvature, (radius + most) * (radius + most), 2 * radius * little);
  const aside = Math.sqrt(square) - radius;
  return (isCapsule ? aside : Math.max(aside, Math.abs(c[2]) + along - half)) + error;
}

/**
 * No less than the greatest value of a function of an angle whose second derivative is no more than
 * `curvature`; or some value above `most`.
 */
function greatest(value: (angle: number) => number, curvature: number, most: number, little: number): number {
  const arcs: { from: number; to: number; ends: number }[] = [];
  let angle = Math.PI / 2;
  let reached = Number.NEGATIVE_INFINITY;
  const split = (from: number, to: number): void => {
    const ends = Math.max(value(from), value(to));
    reached = Math.max(reached, ends);
    arcs.push({ from, to, ends });
  };
  for (let k = 0; k < 4; k++) split(k * angle, (k + 1) * angle);
  // All arcs of a round are as long, so that those that may have more are few.
  for (let all = arcs.splice(0); ; all = arcs.splice(0)) {
    const more = (curvature * angle * angle) / 8;
    const open = all.filter(({ ends }) => ends + more > reached + little);
    if (open.length === 0 || reached > most) return reached + little;
    if (open.length > MOST_ARCS) return reached + more;
    angle /= 2;
    for (const { from, to } of open) {
      split(from, from + angle);
      split(from + angle, to);
    }
  }
}
