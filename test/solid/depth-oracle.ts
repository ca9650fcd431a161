/** Depths by brute force: every triangle is measured from every point of a grid. */
import type { Surface } from '../../src/mesh/topology.ts';

export type Point = readonly number[];

/** Corners of all triangles, nine coordinates each. */
export function cornersOf({ positions, triangles }: Surface): Float64Array {
  const corners = new Float64Array(3 * triangles.length);
  for (let c = 0; c < triangles.length; c++)
    for (let k = 0; k < 3; k++) corners[3 * c + k] = positions[3 * triangles[c] + k];
  return corners;
}

const minus = (p: Point, q: Point): number[] => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p: Point, q: Point): number => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: Point, q: Point): number[] => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];

function fromSegment(p: Point, a: Point, b: Point): number {
  const d = minus(b, a);
  const t = Math.max(0, Math.min(1, dot(minus(p, a), d) / (dot(d, d) || 1)));
  const x = minus(p, [a[0] + t * d[0], a[1] + t * d[1], a[2] + t * d[2]]);
  return Math.sqrt(dot(x, x));
}

function fromTriangle(p: Point, a: Point, b: Point, c: Point): number {
  const n = cross(minus(b, a), minus(c, a));
  const sides = [
    [a, b],
    [b, c],
    [c, a],
  ].map(([q, r]) => dot(n, cross(minus(r, q), minus(p, q))));
  if (dot(n, n) > 0 && sides.every((s) => s >= 0)) return Math.abs(dot(n, minus(p, a))) / Math.sqrt(dot(n, n));
  return Math.min(fromSegment(p, a, b), fromSegment(p, b, c), fromSegment(p, c, a));
}

/** How far a point is from the nearest of triangles. */
export function fromAll(corners: Float64Array, p: Point): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < corners.length; at += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => corners.subarray(at + k, at + k + 3)) as unknown as Point[];
    least = Math.min(least, fromTriangle(p, a, b, c));
  }
  return least;
}

/** A half-space: points whose product with `normal` is at most `most`. */
export interface HalfSpace {
  normal: Point;
  most: number;
}

/** The half-spaces of the faces of a convex solid. */
export function halfSpacesOf(corners: Float64Array): HalfSpace[] {
  const count = corners.length / 3;
  const inside = [0, 1, 2].map((k) => corners.filter((_, c) => c % 3 === k).reduce((sum, x) => sum + x / count, 0));
  const found: HalfSpace[] = [];
  for (let at = 0; at < corners.length; at += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => Array.from(corners.subarray(at + k, at + k + 3)));
    const n = cross(minus(b, a), minus(c, a));
    const length = Math.sqrt(dot(n, n)) * (dot(n, minus(inside, a)) > 0 ? -1 : 1);
    const normal = n.map((x) => x / length);
    if (!found.some((other) => dot(other.normal, normal) > 1 - 1e-12)) found.push({ normal, most: dot(normal, a) });
  }
  return found;
}

/**
 * The greatest depth below the planes of `limits` that a point has in all half-spaces, 0 if there
 * is none: the best of all points where four planes meet (x, y, z and the depth).
 */
export function deepestIn(limits: readonly HalfSpace[], others: readonly HalfSpace[], size: number): number {
  const rows = [
    ...limits.map(({ normal, most }) => [...normal, 1, most]),
    ...others.map(({ normal, most }) => [...normal, 0, most]),
  ];
  const count = rows.length;
  let best = 0;
  for (let a = 0; a < count; a++)
    for (let b = a + 1; b < count; b++)
      for (let c = b + 1; c < count; c++)
        for (let d = c + 1; d < count; d++) {
          const x = solved([rows[a], rows[b], rows[c], rows[d]]);
          if (!x || x[3] <= best) continue;
          const isIn = rows.every(
            (row) => row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] * x[3] <= row[4] + 1e-13 * size,
          );
          if (isIn) best = x[3];
        }
  return best;
}

/** The solution of four equations by elimination; undefined where they are as good as dependent. */
function solved(equations: readonly (readonly number[])[]): number[] | undefined {
  const rows = equations.map((row) => [...row]);
  for (let c = 0; c < 4; c++) {
    let pivot = c;
    for (let r = c + 1; r < 4; r++) if (Math.abs(rows[r][c]) > Math.abs(rows[pivot][c])) pivot = r;
    if (Math.abs(rows[pivot][c]) < 1e-9) return undefined;
    [rows[c], rows[pivot]] = [rows[pivot], rows[c]];
    for (let r = 0; r < 4; r++) {
      if (r === c) continue;
      const factor = rows[r][c] / rows[c][c];
      for (let k = c; k < 5; k++) rows[r][k] -= factor * rows[c][k];
    }
  }
  return [0, 1, 2, 3].map((c) => rows[c][4] / rows[c][c]);
}

/** Where in its cell a point is: on no plane that grid solids have. */
const OFF = [0.4713, 0.5127, 0.5371];

/**
 * The greatest depth that a grid of so many points a side finds, made finer about its best point,
 * and how far from it the truth may be.
 */
export function searchGrid(
  depth: (p: Point) => number,
  low: Point,
  high: Point,
  count: number,
): { found: number; within: number } {
  let found = Number.NEGATIVE_INFINITY;
  let best: Point = low;
  const step = [0, 1, 2].map((k) => (high[k] - low[k]) / count);
  const scan = (from: Point, by: Point, n: number): void => {
    for (let x = 0; x < n; x++)
      for (let y = 0; y < n; y++)
        for (let z = 0; z < n; z++) {
          const p = [x, y, z].map((i, k) => from[k] + (i + OFF[k]) * by[k]);
          const at = depth(p);
          if (at <= found) continue;
          found = at;
          best = p;
        }
  };
  scan(low, step, count);
  const within = 0.55 * Math.sqrt(dot(step, step));
  for (let size = 1; size > 2 ** -10; size /= 3) {
    const by = step.map((s) => (s * size) / 3);
    scan(
      best.map((x, k) => x - 2.5 * by[k]),
      by,
      5,
    );
  }
  return { found, within };
}
