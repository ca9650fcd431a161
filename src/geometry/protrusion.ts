/**
 * How far one convex body sticks out of another: the greatest depth below 0 of a point of it, as
 * depths of the other are counted; below 0 where it is inside.
 *
 * The distance from a convex set is a convex function, so that its greatest value is at a point that
 * is between no others: a corner, the middle of an end of a capsule, whose ball adds its radius, or a
 * point on one of a cylinder's rims. On a rim, an arc lies in the triangle of its two ends and the
 * point where their tangents meet, and the function is no greater there than at these three. Halving
 * the arcs that may have more ends soon, since the third point comes nearer by a factor of four.
 */
import {
  BOX,
  CAPSULE,
  type ConvexBody,
  CUT_NUMBERS,
  CYLINDER,
  cutAt,
  DEPTH,
  OFFSET,
  POLYHEDRON,
} from './convex-body.ts';

const cut = new Float64Array(CUT_NUMBERS);
/** Arcs are a radian long at first, nearly; halved so often they are all but points. */
const MOST_ARCS = 4096;

/**
 * No less than how far the first sticks out of the second.
 *
 * @param inner a box, a cylinder or a capsule
 * @param little what the answer may be too large by, on rims; more than this is always told as more
 */
export function protrusion(inner: ConvexBody, outer: ConvexBody, little: number): number {
  const { shape, half } = inner;
  const [a, b, c] = half;
  if (shape === BOX) {
    let most = Number.NEGATIVE_INFINITY;
    for (let corner = 0; corner < 8; corner++)
      most = Math.max(most, beyond(inner, outer, corner & 1 ? a : -a, corner & 2 ? b : -b, corner & 4 ? c : -c));
    return most + inner.slack;
  }
  if (shape === CAPSULE)
    return Math.max(beyond(inner, outer, 0, 0, c), beyond(inner, outer, 0, 0, -c)) + a + inner.slack;
  if (shape !== CYLINDER) throw new Error('of a polyhedron the vertices are asked');
  return Math.max(beyondRim(inner, outer, c, little), beyondRim(inner, outer, -c, little)) + inner.slack;
}

/** Likewise of points, x, y, z each, in the common frame. */
export function protrusionOfPoints(points: Float64Array, outer: ConvexBody): number {
  const t = outer.pose;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < points.length; k += 3)
    most = Math.max(most, beyondAt(outer, points[k] - t[3], points[k + 1] - t[7], points[k + 2] - t[11]));
  return most;
}

/** How far a point is outside of a body, no less; x, y, z from the origin of its frame. */
function beyondAt(outer: ConvexBody, x: number, y: number, z: number): number {
  cutAt(outer, x, y, z, cut);
  // Beyond a corner of a polyhedron a point is farther out than beyond any of its faces.
  if (outer.shape === POLYHEDRON) return cut[0] * x + cut[1] * y + cut[2] * z - cut[OFFSET] + 2 * outer.slack;
  return -cut[DEPTH];
}

/** Of a point in the own frame of a body. */
function beyond({ pose: m }: ConvexBody, outer: ConvexBody, p: number, q: number, r: number): number {
  const t = outer.pose;
  return beyondAt(
    outer,
    m[0] * p + m[1] * q + m[2] * r + (m[3] - t[3]),
    m[4] * p + m[5] * q + m[6] * r + (m[7] - t[7]),
    m[8] * p + m[9] * q + m[10] * r + (m[11] - t[11]),
  );
}

/** An arc, by the sine and cosine of its ends; none is longer than a quarter. */
interface Arc {
  from: readonly [number, number];
  to: readonly [number, number];
  most: number;
}

function beyondRim(inner: ConvexBody, outer: ConvexBody, height: number, little: number): number {
  const radius = inner.half[0];
  const at = ([c, s]: readonly [number, number], scale = 1): number =>
    beyond(inner, outer, scale * radius * c, scale * radius * s, height);
  const arcOf = (from: Arc['from'], to: Arc['to']): Arc => {
    const middle = [from[0] + to[0], from[1] + to[1]] as const;
    // The tangents meet farther out than the middle of the arc by the same factor as that of the chord.
    const scale = 2 / (middle[0] * middle[0] + middle[1] * middle[1]);
    return { from, to, most: Math.max(at(from), at(to), at(middle, scale)) };
  };
  const ends = [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ] as const;
  const arcs = ends.map((from, k) => arcOf(from, ends[(k + 1) % 4]));
  let reached = Math.max(...ends.map((end) => at(end)));
  for (let n = 0; n < MOST_ARCS; n++) {
    let k = 0;
    for (let i = 1; i < arcs.length; i++) if (arcs[i].most > arcs[k].most) k = i;
    const { from, to, most } = arcs[k];
    if (most - reached <= little) return most;
    const sum = [from[0] + to[0], from[1] + to[1]] as const;
    const length = Math.sqrt(sum[0] * sum[0] + sum[1] * sum[1]);
    const middle = [sum[0] / length, sum[1] / length] as const;
    reached = Math.max(reached, at(middle));
    arcs[k] = arcOf(from, middle);
    arcs.push(arcOf(middle, to));
  }
  return Math.max(...arcs.map(({ most }) => most));
}
