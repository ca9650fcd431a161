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
