/**
 * The oracle: do two triangles, two hulls, two meshes meet? Rational arithmetic, a method of its own, and a certificate with every
 * answer that is checked before it is believed. Shares no code and no idea with src/geometry.
 *
 * Two convex hulls meet if and only if 0 is a convex combination of the differences w = a_i - b_j, nine of two triangles: a linear
 * program, solved by the simplex method, phase one, with Bland's rule (R. G. Bland, "New Finite Pivoting Rules for the
 * Simplex Method", 1977) and whole-number pivots (J. Edmonds, 1967; E. Bareiss, 1968). It ends with the combination
 * or, by Farkas' lemma, with a direction y in which every w is negative: a plane strictly between the hulls.
 * Degenerate triangles need no case of their own.
 */
import type { Mesh } from '../../src/mesh/mesh.ts';
import { commonIntegers } from './rational.ts';

/** True if two closed triangles, of nine finite coordinates each, share a point. */
export function trianglesMeet(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return hullsMeet(Array.from(a).slice(0, 9), Array.from(b).slice(0, 9));
}

/**
 * True if the closed convex hulls of two lists of points (x, y, z each) share a point. Finite
 * coordinates, any number of points.
 */
export function hullsMeet(pointsA: ArrayLike<number>, pointsB: ArrayLike<number>): boolean {
  const q = commonIntegers([...Array.from(pointsA), ...Array.from(pointsB)]);
  const differences: bigint[][] = [];
  for (let i = 0; i < pointsA.length; i += 3) {
    for (let j = pointsA.length; j < q.length; j += 3) {
      differences.push([q[i]! - q[j]!, q[i + 1]! - q[j + 1]!, q[i + 2]! - q[j + 2]!]);
    }
  }
  return originInHull(differences);
}

/** True if 0 is in the convex hull of the points; throws if its own certificate does not hold. */
function originInHull(points: bigint[][]): boolean {
  const n = points.length;
  // Rows: sum c w = 0 (three), sum c = 1. Columns: c, four artificial variables, right-hand side. All over `over`.
  const rows = [0, 1, 2, 3].map((row) => [
    ...points.map((w) => (row < 3 ? w[row]! : 1n)),
    ...[0, 1, 2, 3].map((k) => (k === row ? 1n : 0n)),
    row === 3 ? 1n : 0n,
  ]);
  // To minimise: the sum of the artificial variables. Its reduced costs, in the starting basis of those variables.
  const cost = rows[0]!.map((_, j) =>
    j >= n && j < n + 4 ? 0n : -(rows[0]![j]! + rows[1]![j]! + rows[2]![j]! + rows[3]![j]!),
  );
  const basis = [n, n + 1, n + 2, n + 3];
  let over = 1n;
  for (;;) {
    const entering = cost.findIndex((c, j) => j < n + 4 && c < 0n);
    if (entering < 0) break;
    let leaving = -1;
    for (let i = 0; i < 4; i++) {
      const pivot = rows[i]![entering]!;
      if (pivot <= 0n) continue;
      const step = leaving < 0 ? -1n : rows[i]!.at(-1)! * rows[leaving]![entering]! - rows[leaving]!.at(-1)! * pivot;
      if (step < 0n || (step === 0n && basis[i]! < basis[leaving]!)) leaving = i;
    }
    const source = rows[leaving]!;
    const pivot = source[entering]!;
    for (const row of [...rows, cost]) {
      if (row === source) continue;
      const factor = row[entering]!;
      for (let j = 0; j < row.length; j++) row[j] = (row[j]! * pivot - factor * source[j]!) / over;
    }
    over = pivot;
    basis[leaving] = entering;
  }

  if (cost.at(-1)! < 0n) {
    // Infeasible. An artificial variable's reduced cost is over - over * y_k.
    const y = [0, 1, 2].map((k) => over - cost[n + k]!);
    if (!points.every((w) => w[0]! * y[0]! + w[1]! * y[1]! + w[2]! * y[2]! < 0n))
      throw new Error('oracle: no separating plane');
    return false;
  }
  const weights = points.map(() => 0n);
  basis.forEach((column, row) => {
    if (column < n) weights[column] = rows[row]!.at(-1)!;
  });
  const total = (k: (w: bigint[]) => bigint) => points.reduce((sum, w, i) => sum + weights[i]! * k(w), 0n);
  const holds =
    weights.every((c) => c >= 0n) && total(() => 1n) > 0n && [0, 1, 2].every((k) => total((w) => w[k]!) === 0n);
  if (!holds) throw new Error('oracle: no common point');
  return true;
}

/** Every pair of triangles (a's number, b's number) that meet, sorted by a, then b; poses as the contract applies them. */
export function bruteForce(
  meshA: Pick<Mesh, 'positions' | 'triangles'>,
  poseA: ArrayLike<number> | null,
  meshB: Pick<Mesh, 'positions' | 'triangles'>,
  poseB: ArrayLike<number> | null,
): [number, number][] {
  const a = place(meshA, poseA);
  const b = place(meshB, poseB);
  const pairs: [number, number][] = [];
  for (const [i, j] of boxPairs(a, b)) {
    if (trianglesMeet(a.corners.subarray(9 * i, 9 * i + 9), b.corners.subarray(9 * j, 9 * j + 9))) pairs.push([i, j]);
  }
  return pairs.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
}

interface Placed {
  /** Nine coordinates a triangle. */
  corners: Float64Array;
  /** Least x, y, z, greatest x, y, z, a triangle. */
  boxes: Float64Array;
}

function place(mesh: Pick<Mesh, 'positions' | 'triangles'>, pose: ArrayLike<number> | null): Placed {
  const m = pose === null || Array.from(pose).every((x, i) => x === (i % 5 === 0 ? 1 : 0)) ? null : pose;
  const corners = new Float64Array(3 * mesh.triangles.length);
  mesh.triangles.forEach((v, corner) => {
    const [x, y, z] = mesh.positions.subarray(3 * v, 3 * v + 3) as unknown as [number, number, number];
    const moved = m === null ? [x, y, z] : [0, 4, 8].map((r) => m[r]! * x + m[r + 1]! * y + m[r + 2]! * z + m[r + 3]!);
    corners.set(moved, 3 * corner);
  });
  const boxes = new Float64Array((corners.length / 9) * 6);
  for (let t = 0; 9 * t < corners.length; t++) {
    for (let k = 0; k < 3; k++) {
      const x = [corners[9 * t + k]!, corners[9 * t + 3 + k]!, corners[9 * t + 6 + k]!];
      boxes[6 * t + k] = Math.min(...x);
      boxes[6 * t + 3 + k] = Math.max(...x);
    }
  }
  return { corners, boxes };
}

/** Triangles whose closed boxes meet: both meshes swept along x together. */
function* boxPairs(a: Placed, b: Placed): Generator<[number, number]> {
  const sides = [a, b] as const;
  const order = sides.flatMap((side, s) =>
    Array.from({ length: side.boxes.length / 6 }, (_, t) => ({ s, t, x: side.boxes[6 * t]! })),
  );
  order.sort((p, q) => p.x - q.x);
  const open: [number[], number[]] = [[], []];
  for (const { s, t, x } of order) {
    const other = sides[1 - s]!;
    const alive = open[1 - s]!.filter((o) => other.boxes[6 * o + 3]! >= x);
    open[1 - s] = alive;
    const box = sides[s]!.boxes.subarray(6 * t, 6 * t + 6);
    for (const o of alive) {
      const apart = [1, 2].some((k) => other.boxes[6 * o + 3 + k]! < box[k]! || box[3 + k]! < other.boxes[6 * o + k]!);
      if (!apart) yield s === 0 ? [t, o] : [o, t];
    }
    open[s]!.push(t);
  }
}

// -------------------------------------------------------------------------------- distances

/** Of whole numbers. */
export type Vector = [bigint, bigint, bigint];
/** A numerator that is not negative over a positive denominator. */
export type Ratio = [bigint, bigint];

const minus = (p: Vector, q: Vector): Vector => [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
const dot = (p: Vector, q: Vector): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: Vector, q: Vector): Vector => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];
const less = (p: Ratio, q: Ratio): boolean => p[0] * q[1] < q[0] * p[1];

/**
 * The square of the exact distance of two triangles that do not meet: the least distance of the
 * affine hulls of two features, over all pairs, where it is attained inside both.
 */
export function squaredDistance(a: Vector[], b: Vector[]): Ratio {
  let best: Ratio = [dot(minus(a[0], b[0]), minus(a[0], b[0])), 1n];
  const take = (numerator: bigint, denominator: bigint) => {
    if (less([numerator, denominator], best)) best = [numerator, denominator];
  };
  const pointAndEdge = (p: Vector, q0: Vector, q1: Vector) => {
    const u = minus(q1, q0);
    const d = minus(p, q0);
    const [along, uu] = [dot(d, u), dot(u, u)];
    if (along > 0n && along < uu) take(dot(d, d) * uu - along * along, uu);
  };
  const pointAndFace = (p: Vector, t: Vector[]) => {
    const [u, v, d] = [minus(t[1], t[0]), minus(t[2], t[0]), minus(p, t[0])];
    const n = cross(u, v);
    const nn = dot(n, n);
    const [s, r] = [dot(cross(d, v), n), dot(cross(u, d), n)];
    if (nn > 0n && s >= 0n && r >= 0n && s + r <= nn) take(dot(d, n) ** 2n, nn);
  };
  const edges = (p0: Vector, p1: Vector, q0: Vector, q1: Vector) => {
    const [u, v, d] = [minus(p1, p0), minus(q1, q0), minus(q0, p0)];
    const n = cross(u, v);
    const nn = dot(n, n);
    const [s, t] = [dot(cross(d, v), n), dot(cross(d, u), n)];
    if (nn > 0n && s >= 0n && s <= nn && t >= 0n && t <= nn) take(dot(d, n) ** 2n, nn);
  };
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      take(dot(minus(a[i], b[j]), minus(a[i], b[j])), 1n);
      pointAndEdge(a[i], b[j], b[(j + 1) % 3]);
      pointAndEdge(b[j], a[i], a[(i + 1) % 3]);
      edges(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]);
    }
    pointAndFace(a[i], b);
    pointAndFace(b[i], a);
  }
  return best;
}

/** How far apart the closed boxes of two triangles are, about, in units of `unit`. */
function boxGap(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number, unit: number): number {
  const gaps = [0, 1, 2].map((k) => {
    const p = [0, 3, 6].map((c) => a[i + c + k]! / unit);
    const q = [0, 3, 6].map((c) => b[j + c + k]! / unit);
    return Math.max(0, Math.min(...p) - Math.max(...q), Math.min(...q) - Math.max(...p));
  });
  return Math.hypot(...gaps);
}

/**
 * Compares lengths exactly with the distance of two lists of triangles of nine coordinates each:
 * the sign of the length less the distance.
 */
export function againstDistance(a: Float64Array, b: Float64Array): (length: number) => -1 | 0 | 1 {
  const unit = 2 ** Math.floor(Math.log2(Math.max(Number.MIN_VALUE, ...a.map(Math.abs), ...b.map(Math.abs))));
  const pairs: { i: number; j: number; gap: number }[] = [];
  for (let i = 0; i < a.length; i += 9)
    for (let j = 0; j < b.length; j += 9) pairs.push({ i, j, gap: boxGap(a, i, b, j, unit) });
  pairs.sort((p, q) => p.gap - q.gap);
  const vectorsAt = (q: bigint[], at: number): Vector[] =>
    [0, 3, 6].map((k): Vector => [q[at + k]!, q[at + k + 1]!, q[at + k + 2]!]);
  // All in one unit, and one more number in front, of which the ratio is.
  const whole = commonIntegers([unit, ...a, ...b]);
  let best: Ratio | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const { i, j, gap } of pairs) {
    if (gap > least * (1 + 1e-9)) break;
    const meet = gap === 0 && trianglesMeet(a.subarray(i, i + 9), b.subarray(j, j + 9));
    const squared: Ratio = meet
      ? [0n, 1n]
      : squaredDistance(vectorsAt(whole, 1 + i), vectorsAt(whole, 1 + a.length + j));
    if (best && !less(squared, best)) continue;
    best = squared;
    least = Math.sqrt(Number((squared[0] << 600n) / (squared[1] * whole[0]! ** 2n)) / 2 ** 600) * (1 + 1e-9);
    if (meet) break;
  }
  const [numerator, denominator] = best!;
  return (length) => {
    const [p, u] = commonIntegers([length, unit]) as [bigint, bigint];
    // length / unit against the root of numerator / denominator over whole[0].
    const [left, right] = [(p * whole[0]!) ** 2n * denominator, numerator * u ** 2n];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}
