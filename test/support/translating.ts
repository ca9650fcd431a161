/**
 * The oracle of motion without rotation: at what times do two triangles, two meshes that move straight on touch? In rational numbers, by
 * linear programs that prove their answers (linear-program.ts). Shares no code and no idea with src/motion.
 *
 * Corner a_i of one stands at a_i + t u, corner b_j of the other at b_j + t v. The two hulls meet at t in [0, 1] if and only if t (u - v) +
 * sum c_ij (a_i - b_j) = 0 for weights c_ij >= 0 whose sum is 1. All such t are an interval, for the set of (t, c) is convex: its ends are
 * the least and the greatest t.
 */
import type { Surface } from '../../src/mesh/topology.ts';
import { leastOf, type Ratio } from './linear-program.ts';
import { commonIntegers } from './rational.ts';

/** From the first time to the last, both in [0, 1]. */
export type Times = [from: number, to: number];

/** x, y, z at time 0, and how far it goes until 1. */
export interface Straight {
  at: readonly number[];
  velocity: readonly number[];
}

/** When two convex hulls of points, x, y, z each, touch; null where they do at no time in [0, 1]. Ends are rounded to doubles. */
export function meetingTimes(
  a: ArrayLike<number>,
  moveA: Straight,
  b: ArrayLike<number>,
  moveB: Straight,
): Times | null {
  const q = commonIntegers([
    ...[moveA.velocity, moveB.velocity, moveA.at, moveB.at].flatMap((list) => Array.from(list)),
    ...Array.from(a),
    ...Array.from(b),
  ]);
  const velocity = [0, 1, 2].map((k) => q[k] - q[3 + k]);
  const offset = [0, 1, 2].map((k) => q[6 + k] - q[9 + k]);
  const differences: bigint[][] = [];
  for (let i = 12; i < 12 + a.length; i += 3)
    for (let j = 12 + a.length; j < q.length; j += 3)
      differences.push([0, 1, 2].map((k) => q[i + k] - q[j + k] + offset[k]));
  // Columns: c, t, and s with t + s = 1.
  const columns = [...differences.map((w) => [...w, 1n, 0n]), [...velocity, 0n, 1n], [0n, 0n, 0n, 0n, 1n]];
  const a5 = [0, 1, 2, 3, 4].map((row) => columns.map((column) => column[row]));
  const b5 = [0n, 0n, 0n, 1n, 1n];
  const cost = (sign: bigint): bigint[] => [...differences.map(() => 0n), sign, 0n];
  const first = leastOf({ a: a5, b: b5, c: cost(1n) });
  if (first === null) return null;
  const last = leastOf({ a: a5, b: b5, c: cost(-1n) }) as Ratio;
  return [numberOf(first), -numberOf(last)];
}

/** The nearest double, or the one beside it; of what is in [-1, 1]. */
function numberOf({ numerator, denominator }: Ratio): number {
  return Number((numerator << 80n) / denominator) * 2 ** -80;
}

/** All times in [0, 1] at which two surfaces touch: intervals apart from each other, in order. */
export function timesInContact(a: Surface, moveA: Straight, b: Surface, moveB: Straight): Times[] {
  const trianglesA = sweptTriangles(a, moveA);
  const trianglesB = sweptTriangles(b, moveB);
  const found: Times[] = [];
  for (const p of trianglesA) {
    for (const q of trianglesB) {
      if ([0, 1, 2].some((k) => p.low[k] > q.high[k] || q.low[k] > p.high[k])) continue;
      const times = meetingTimes(p.corners, moveA, q.corners, moveB);
      if (times) found.push(times);
    }
  }
  return united(found);
}

function united(list: Times[]): Times[] {
  const apart: Times[] = [];
  for (const [from, to] of list.toSorted((p, q) => p[0] - q[0])) {
    const last = apart.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else apart.push([from, to]);
  }
  return apart;
}

/** Triangles with the boxes of their ways, wide enough for what is rounded here. */
function sweptTriangles({ positions, triangles }: Surface, { at, velocity }: Straight) {
  return Array.from({ length: triangles.length / 3 }, (_, t) => {
    const corners = [0, 1, 2].flatMap((c) => [0, 1, 2].map((k) => positions[3 * triangles[3 * t + c] + k]));
    const ends = [0, 1, 2].map((k) =>
      [0, 3, 6].flatMap((c) => [corners[c + k] + at[k], corners[c + k] + at[k] + velocity[k]]),
    );
    const slack = 1e-12 * Math.max(...ends.flat().map(Math.abs), ...at.map(Math.abs), ...corners.map(Math.abs));
    return {
      corners,
      low: ends.map((along) => Math.min(...along) - slack),
      high: ends.map((along) => Math.max(...along) + slack),
    };
  });
}
