/**
 * The protrusion of one convex body out of another: a box, a cylinder or a capsule.
 *
 * The distance from a convex set is a convex function. Its greatest value on a body is at an
 * extreme point: a corner, or a point of a cylinder's rim. A capsule sticks out by its radius more
 * than the ends of its segment. Both ends of a bracket are proved. `lower` holds since a plane in
 * front of the outer body is so far behind a point, and `upper` since no extreme point is deeper
 * outside.
 *
 * In the frame of a cylinder or capsule about the z axis a rim is:
 *   c + u cos w + v sin w
 * Its squared distance from the axis is a sum of sines of w and 2 w. Beyond a capsule's ends the
 * square of the excess of z is added. The second derivative of all that is at least -K, and K is
 * nearly 0 if the two axes are one. So an arc of the angle d reaches at most K d^2 / 8 above the
 * greater of its ends. The code halves arcs that may reach more than is known.
 */
import { sineCosine } from '../math/sine.ts';
import { BOX, CAPSULE, type ConvexBody, CUT_NUMBERS, cutAt, DEPTH, OFFSET } from './convex-body.ts';

export interface Protrusion {
  lower: number;
  upper: number;
}

const cut = new Float64Array(CUT_NUMBERS);
const sineAndCosine = new Float64Array(2);
/** Most arcs of a rim; some dozens are usual. */
const MOST_ARCS = 4096;

/**
 * Brackets how far the first body sticks out of the second: below 0 if it is surely inside. Neither
 * is a polyhedron. A rim beyond the edge of a cylinder or box counts as far as it is beyond a face.
 * The search may end above `most`; a rim's bracket may be `little` wide.
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

/** Brackets how far points stick out, x, y, z each, in the common frame. */
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
