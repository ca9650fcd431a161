/**
 * The common polygon of two triangles in one plane, with its vertices in order, and at most four
 * points that span many.
 *
 * The polygon's vertices (contact-segment.ts), some of them given twice, are corners of one
 * triangle in the other, or crossings of two edges. The lines that they lie on, found by exact
 * signs alone, identify and order them. Every vertex is a corner of the polygon, so two lie on one
 * line exactly if they are the ends of one side.
 *
 * Road not taken: sorting by angles about the center. It trusts rounded points, and slivers come
 * out crossed.
 */
import { orient2d } from './orient.ts';

/** Origins: k for corner k of a, 3 + l for corner l of b, else a crossing of edges k and l. */
const CROSSING = 6;
export const crossingOf = (k: number, l: number): number => CROSSING + 3 * k + l;

/** Bits of the lines that each vertex lies on: edges 0 to 2 of a, then of b. */
const lines = new Uint8Array(12);

/** Two triangles in one plane. */
interface FlatPair {
  /** The corners of a at 0, of b at 9, as in `contactSegment`. */
  corners: Float64Array;
  /** Number of a's and of b's corners: 3, or 2 for a segment. */
  n: number;
  m: number;
  /** The coordinate that can be dropped. */
  axis: number;
}

/**
 * Writes the distinct vertices in order to `out`, three numbers each, beginning with the first.
 * Returns their number, 1 to 6.
 *
 * @param common `count` vertices; `origins`: their codes, see `CROSSING`
 */
export function orderOutline(
  { corners, n, m, axis }: FlatPair,
  { vertices, origins, count }: { vertices: Float64Array; origins: Int8Array; count: number },
  out: Float64Array,
): number {
  let distinct = 0;
  for (let v = 0; v < count; v++) {
    const bits = linesOf(origins[v], corners, n, m, axis);
    let known = 0;
    while (known < distinct && lines[known] !== bits) known++;
    if (known < distinct) continue;
    lines[distinct] = bits;
    for (let k = 0; k < 3; k++) out[3 * distinct + k] = vertices[3 * v + k];
    distinct++;
  }
  for (let v = 1; v + 1 < distinct; v++) {
    let next = v;
    while (next + 1 < distinct && (lines[next] & lines[v - 1]) === 0) next++;
    swap(out, v, next);
  }
  return distinct;
}

function swap(out: Float64Array, v: number, w: number): void {
  const bits = lines[v];
  lines[v] = lines[w];
  lines[w] = bits;
  for (let k = 0; k < 3; k++) {
    const x = out[3 * v + k];
    out[3 * v + k] = out[3 * w + k];
    out[3 * w + k] = x;
  }
}

function linesOf(origin: number, corners: Float64Array, n: number, m: number, axis: number): number {
  if (origin >= CROSSING) return (1 << ((origin - CROSSING) / 3)) | (8 << ((origin - CROSSING) % 3));
  if (origin < 3) return ownLines(origin, n) | (linesThrough(corners, 3 * origin, 9, m, axis) << 3);
  return (ownLines(origin - 3, m) << 3) | linesThrough(corners, 3 * origin, 0, n, axis);
}

/** The two edges at a corner. For a segment the second bit stands for the end alone. */
const ownLines = (k: number, n: number): number => (n === 3 ? (1 << k) | (1 << ((k + 2) % 3)) : 1 | (2 << k));

function linesThrough(corners: Float64Array, p: number, t: number, n: number, axis: number): number {
  if (n === 2) return 1 | endLine(corners, p, t);
  let bits = 0;
  for (let k = 0; k < 3; k++) {
    if (orient2d(corners, t + 3 * k, corners, t + 3 * ((k + 1) % 3), corners, p, axis) === 0) bits |= 1 << k;
  }
  return bits;
}

function endLine(corners: Float64Array, p: number, t: number): number {
  for (let k = 0; k < 2; k++) {
    const end = t + 3 * k;
    if (corners[p] === corners[end] && corners[p + 1] === corners[end + 1] && corners[p + 2] === corners[end + 2])
      return 2 << k;
  }
  return 0;
}

/*
 * At most four of many points that span them: a contact manifold for physics engines.
 *
 * D. Gregorius, "Robust Contact Creation for Physics Simulations", Game Developers Conference 2015,
 * "Contact reduction": an extreme point, the point farthest from it, the point that makes the
 * largest triangle with both, and the point that adds most to that on its other side. Departures:
 * The first is the point farthest from the patch's center, not along a fixed axis, so that the
 * choice turns with the bodies. Areas are seen along the patch's normal. A point that adds nothing
 * is left out.
 */

/** Smaller gains, relative to the square of the greatest distance, count as none. */
const NOTHING = 1e-9;

/**
 * Chooses at most four points, the first of equals.
 *
 * @param points x, y, z each, of one unit
 * @param chosen numbers of points that may be chosen, from `from` to before `to`
 * @param centre, normal x, y, z of the patch
 * @returns their numbers, in order about the normal
 */
export function spanningPoints(
  points: Float64Array,
  chosen: Int32Array,
  from: number,
  to: number,
  centre: readonly number[],
  normal: readonly number[],
): number[] {
  const best = (value: (p: number) => number, least: number): number | undefined => {
    let most = least;
    let found: number | undefined;
    for (let c = from; c < to; c++) {
      const v = value(3 * chosen[c]);
      if (v <= most) continue;
      most = v;
      found = chosen[c];
    }
    return found;
  };
  const farthest = (x: number, y: number, z: number, least: number): number | undefined =>
    best((p) => (points[p] - x) ** 2 + (points[p + 1] - y) ** 2 + (points[p + 2] - z) ** 2, least);
  const first = farthest(centre[0], centre[1], centre[2], -1);
  if (first === undefined) return [];
  const [x, y, z] = points.subarray(3 * first, 3 * first + 3);
  const second = farthest(x, y, z, 0);
  if (second === undefined) return [first];
  const area = (i: number, j: number, p: number): number => areaAlong(normal, points, 3 * i, 3 * j, p);
  const [dx, dy, dz] = [points[3 * second] - x, points[3 * second + 1] - y, points[3 * second + 2] - z];
  const nothing = NOTHING * (dx * dx + dy * dy + dz * dz);
  const third = best((p) => Math.abs(area(first, second, p)), nothing);
  if (third === undefined) return [first, second];
  const around = area(first, second, 3 * third) > 0 ? [first, second, third] : [first, third, second];
  const beyond = (p: number): number[] => around.map((i, k) => -area(i, around[(k + 1) % 3], p));
  const fourth = best((p) => Math.max(...beyond(p)), nothing);
  if (fourth === undefined) return around;
  const sides = beyond(3 * fourth);
  around.splice(sides.indexOf(Math.max(...sides)) + 1, 0, fourth);
  return around;
}

/** Twice the area of a triangle seen along the normal: positive if it turns left. */
function areaAlong(n: readonly number[], points: Float64Array, i: number, j: number, k: number): number {
  const [ux, uy, uz] = [points[j] - points[i], points[j + 1] - points[i + 1], points[j + 2] - points[i + 2]];
  const [vx, vy, vz] = [points[k] - points[i], points[k + 1] - points[i + 1], points[k + 2] - points[i + 2]];
  return n[0] * (uy * vz - uz * vy) + n[1] * (uz * vx - ux * vz) + n[2] * (ux * vy - uy * vx);
}
