/**
 * The distance of two closed triangles: a proven interval that is a few roundings wide, and witness
 * points.
 *
 * C. Ericson, "Real-Time Collision Detection", 2005, section 5.1 (closest points of segments, of a
 * point and a triangle), and E. Larsen, S. Gottschalk, M. Lin, D. Manocha, "Fast Proximity Queries
 * with Swept Sphere Volumes", UNC TR99-018, 1999, section 6 (the nearest pair of edges is the
 * answer if their perpendicular separates the two opposite vertices). Departures: the edges that
 * face the other triangle come first. Nothing rests on how the pair was found, since two facts of
 * convexity prove the answer afterwards.
 *
 * Letters: e = 2^-53; x are coordinates relative to a's first vertex, each with one rounding; X, Y,
 * Z their greatest sizes per axis among all six vertices, S = |(X, Y, Z)|; w are weights of
 * vertices, n any vector.
 *
 * Upper. p = w0 x0 + w1 x1 + w2 x2 with w1, w2 >= 0 and w0 = (1 - w1) - w2 >= 0, rounded. Per axis
 * p misses a point of the true triangle by at most (1 + 3 + 1) e X. The x are rounded, and so are
 * the product and two sums. The weights' sum is 1 within 2 e/2, and dividing by it moves p by as
 * much. So the distance is at most |p - q| + 10 e S. The computed |p - q| is within 3.5 e of
 * itself, and two more operations follow. This leaves 2 e S for terms of second order, and for
 * underflow:
 *   (|p - q| + 12 e S) (1 + 6 e)
 * Lower. All of A lies where n.x >= min n.a, all of B where n.x <= max n.b. So, whatever n is, the
 * distance is at least:
 *   (min n.a - max n.b) / |n|
 * Let T = |n0| X + |n1| Y + |n2| Z <= |n| S. A computed n.x is off by at most (1 + 3) e T, the
 * difference of two by 8 e T and its own rounding, 2 e T: 12 e T leave 2 e T as before. Then a
 * difference, a quotient, a product and |n|, 2.5 e: times (1 - 6 e).
 *
 * Underflow: the x are scaled by a power of two until 2^-128 <= max(X, Y, Z) <= 2^128, |n| lies
 * within 2^-300 and 2^300, and X, Y, Z have LEAST = 2^-700 added. Any product or the scaling itself
 * loses 2^-1075 of its own, far below e S and e T. X, Y, Z are made with sums and differences, free
 * of branches, and are within 30 e of themselves: again second order.
 *
 * Width. The proofs cost 12 e (S + T / |n| + d) <= 36 e S. The rest depends on n and the weights.
 * `p - q` alone is a poor n for a small gap d. p and q are off by e S, so n is off by the angle e S
 * / d, and a far vertex along n by e S^2 / d. So n is made from the nearest features: a face's
 * normal, the product of two edges, p - q made perpendicular to an edge, the difference of two
 * vertices. The interval may still be wider than GOOD: a sliver, nearly parallel edges, a tie
 * between features. Then `searchAll` makes every n and every pair of points from orthogonalized
 * edges. This is backward stable: each is the answer for features that are off by some e S. The
 * best n and the best pair are kept. If nothing proves a gap, an interval from 0 that is GOOD ends
 * that: 3 us less for triangles that touch within rounding, whose upper end is some e S above the
 * least. In millions of pairs of thirty kinds, including slivers and gaps of 1e-16, no interval was
 * wider than 48 e S = 5.4e-15 S. That is measured, not proved. Witness points are off their
 * triangles by 6 e S and the rounding of a sum with a's first vertex.
 *
 * Roads not taken, ns a call (triangles 10 sizes apart / 1 size / boxes overlap): faces before
 * edges 220 / 252 / 407 against 158 / 206 / 395; Math.max for X, Y, Z and both directions along n,
 * whose branches are practically random: 40 more.
 *
 * Ends of the range: below 2^-1022 a bound is off by one more 2^-1074; above the greatest double
 * `upper` is Infinity.
 */
import { trianglesIntersectAt } from './triangle-triangle.ts';

const E = 2 ** -53;
export const GOOD = 48 * E;
const LARGEST = 2 ** 128;
const SMALLEST = 2 ** -128;
export const LEAST = 2 ** -700;
const NO_LENGTH = 2 ** -900;

/** Vertices of a, then b, relative to a's first vertex and scaled. */
const x = new Float64Array(18);
const edge = new Float64Array(18);
const length2 = new Float64Array(6);
const w = new Float64Array(6);
const n = new Float64Array(3);
const nearest = new Float64Array(6);
/** The n that proves the lower end, from a to b. */
const proof = new Float64Array(3);
/** Numbers shared by functions; in an array, since doubles that cross calls are boxed. */
const state = new Float64Array(8);
const LOWER = 0;
const UPPER = 1;
const SIZE = 2; // S; X, Y, Z follow
/** Two factors that undo the scaling, since one may not be a double. */
const BACK = 6;

const NEXT = Int8Array.of(1, 2, 0, 4, 5, 3);

/**
 * Brackets the distance between the closed triangles of nine numbers of `a` at `i` and nine of `b`
 * at `j`, in one frame and unit. Triangles without area are segments or points. Allocates only if
 * exact arithmetic must decide whether they meet. Checks nothing: the answer is meaningless for
 * coordinates that are not finite.
 *
 * `out.lower <= true distance <= out.upper`, in exact arithmetic on the given doubles. `out.upper`
 * is 0 exactly if the triangles share a point (trianglesIntersectAt). `out.onA` and `out.onB` are
 * off their triangles, and their distance is off the interval. Both errors are at most a few units
 * in the last place of the coordinates and of the triangles' common extent.
 *
 * @param beyond triangles farther apart may get `out.lower > beyond` and `out.upper = Infinity`,
 *   with the witness points unchanged
 */
export function triangleDistance(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  out: DistanceBracket,
  beyond = Number.POSITIVE_INFINITY,
): void {
  farthest[0] = beyond;
  triangleDistanceWithin(a, i, b, j, out, farthest);
}

const farthest = new Float64Array(1);

/** `triangleDistance` for loops: `beyond` is in an array, since a double argument is boxed. */
export function triangleDistanceWithin(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  out: DistanceBracket,
  limit: Float64Array,
): void {
  const beyond = limit[0];
  const scaled = place(a, i, b, j);
  state[LOWER] = 0;
  state[UPPER] = Number.POSITIVE_INFINITY;
  if (beyond < Number.POSITIVE_INFINITY && !scaled) {
    for (let k = 0; k < 3; k++) n[k] = x[k] + x[k + 3] + x[k + 6] - x[k + 9] - x[k + 12] - x[k + 15];
    tryLower();
    if (state[LOWER] > beyond) {
      out.lower = state[LOWER];
      out.upper = Number.POSITIVE_INFINITY;
      return;
    }
  }
  if (!nearEdges() && !nearVertexAndFace(0, 9)) nearVertexAndFace(9, 0);
  tryUpper();
  tryLower();
  const meet = state[LOWER] <= 0 && trianglesIntersectAt(a, i, b, j);
  if (!isGood()) searchAll(meet);
  answer(a, i, out, meet, scaled);
}

function isGood(): boolean {
  return state[UPPER] - state[LOWER] <= GOOD * state[SIZE];
}

function place(a: Float64Array, i: number, b: Float64Array, j: number): boolean {
  const ox = a[i];
  const oy = a[i + 1];
  const oz = a[i + 2];
  let largestX = 0;
  let largestY = 0;
  let largestZ = 0;
  for (let k = 0; k < 9; k += 3) {
    const ax = a[i + k] - ox;
    const ay = a[i + k + 1] - oy;
    const az = a[i + k + 2] - oz;
    const bx = b[j + k] - ox;
    const by = b[j + k + 1] - oy;
    const bz = b[j + k + 2] - oz;
    x[k] = ax;
    x[k + 1] = ay;
    x[k + 2] = az;
    x[k + 9] = bx;
    x[k + 10] = by;
    x[k + 11] = bz;
    const ofX = 0.5 * (Math.abs(ax) + Math.abs(bx) + Math.abs(Math.abs(ax) - Math.abs(bx)));
    largestX = 0.5 * (largestX + ofX + Math.abs(largestX - ofX));
    const ofY = 0.5 * (Math.abs(ay) + Math.abs(by) + Math.abs(Math.abs(ay) - Math.abs(by)));
    largestY = 0.5 * (largestY + ofY + Math.abs(largestY - ofY));
    const ofZ = 0.5 * (Math.abs(az) + Math.abs(bz) + Math.abs(Math.abs(az) - Math.abs(bz)));
    largestZ = 0.5 * (largestZ + ofZ + Math.abs(largestZ - ofZ));
  }
  const largest = Math.max(largestX, largestY, largestZ);
  state[SIZE + 1] = largestX + LEAST;
  state[SIZE + 2] = largestY + LEAST;
  state[SIZE + 3] = largestZ + LEAST;
  const scaled = !(largest >= SMALLEST && largest <= LARGEST) && largest !== 0;
  if (scaled) scale(a, i, b, j);
  state[SIZE] = Math.sqrt(
    state[SIZE + 1] * state[SIZE + 1] + state[SIZE + 2] * state[SIZE + 2] + state[SIZE + 3] * state[SIZE + 3],
  );
  return scaled;
}

/** Scales x; remakes differences that overflowed from a sixteenth of the coordinates. */
function scale(a: Float64Array, i: number, b: Float64Array, j: number): void {
  let largest = Math.max(largestOf(0), largestOf(1), largestOf(2));
  state[BACK] = 1;
  state[BACK + 1] = 1;
  if (!(largest < 2 ** 1022)) {
    for (let k = 0; k < 9; k++) {
      x[k] = a[i + k] / 16 - a[i + (k % 3)] / 16;
      x[k + 9] = b[j + k] / 16 - a[i + (k % 3)] / 16;
    }
    state[BACK + 1] = 16;
    largest = Math.max(largestOf(0), largestOf(1), largestOf(2));
  }
  // In two factors back, since 2^1024 is no double; 2^-1024 is one.
  let factor = 1;
  while (largest * factor > LARGEST) {
    factor *= 2 ** -256;
    if (state[BACK] < 2 ** 512) state[BACK] *= 2 ** 256;
    else state[BACK + 1] *= 2 ** 256;
  }
  let times = 0;
  while (largest < SMALLEST) {
    largest *= 2 ** 256;
    state[BACK] *= 2 ** -256;
    times++;
  }
  for (let k = 0; k < 18; k++) {
    x[k] *= factor;
    for (let m = 0; m < times; m++) x[k] *= 2 ** 256;
  }
  for (let axis = 0; axis < 3; axis++) state[SIZE + 1 + axis] = largestOf(axis) + LEAST;
}

function largestOf(axis: number): number {
  let largest = 0;
  for (let k = axis; k < 18; k += 3) largest = Math.max(largest, Math.abs(x[k]));
  return largest;
}

function answer(a: Float64Array, i: number, out: DistanceBracket, meet: boolean, scaled: boolean): void {
  const onA = out.onA;
  const onB = out.onB;
  if (out.along) for (let k = 0; k < 3; k++) out.along[k] = proof[k];
  if (!scaled) {
    out.lower = meet ? 0 : state[LOWER];
    out.upper = meet ? 0 : state[UPPER];
    for (let k = 0; k < 3; k++) {
      onA[k] = a[i + k] + nearest[k];
      onB[k] = a[i + k] + nearest[k + 3];
    }
    return;
  }
  const back = state[BACK];
  const more = state[BACK + 1];
  // Through a sixteenth where differences overflow; it is exact there, or far below.
  const part = more >= 16 ? 1 / 16 : 1;
  for (let k = 0; k < 3; k++) {
    const p = (a[i + k] * part + nearest[k] * back * (more * part)) / part;
    const q = (a[i + k] * part + nearest[k + 3] * back * (more * part)) / part;
    onA[k] = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, p));
    onB[k] = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, q));
  }
  out.lower = meet ? 0 : Math.min(state[LOWER] * back * more, Number.MAX_VALUE);
  out.upper = meet ? 0 : state[UPPER] * back * more;
  if (!meet && out.lower < 2 ** -1022) out.lower = Math.max(0, out.lower - Number.MIN_VALUE);
  if (!meet && out.upper < 2 ** -1022) out.upper += Number.MIN_VALUE;
}

function tryUpper(): void {
  const w0 = w[0];
  const w1 = w[1];
  const w2 = w[2];
  const v0 = w[3];
  const v1 = w[4];
  const v2 = w[5];
  const px = w0 * x[0] + w1 * x[3] + w2 * x[6];
  const py = w0 * x[1] + w1 * x[4] + w2 * x[7];
  const pz = w0 * x[2] + w1 * x[5] + w2 * x[8];
  const qx = v0 * x[9] + v1 * x[12] + v2 * x[15];
  const qy = v0 * x[10] + v1 * x[13] + v2 * x[16];
  const qz = v0 * x[11] + v1 * x[14] + v2 * x[17];
  const dx = px - qx;
  const dy = py - qy;
  const dz = pz - qz;
  const upper = (Math.sqrt(dx * dx + dy * dy + dz * dz) + 12 * E * state[SIZE]) * (1 + 6 * E);
  if (upper >= state[UPPER]) return;
  state[UPPER] = upper;
  nearest[0] = px;
  nearest[1] = py;
  nearest[2] = pz;
  nearest[3] = qx;
  nearest[4] = qy;
  nearest[5] = qz;
}

function tryLower(): void {
  let nx = n[0];
  let ny = n[1];
  let nz = n[2];
  let nn = nx * nx + ny * ny + nz * nz;
  if (!(nn > 2 ** -600 && nn < 2 ** 600)) {
    let size = Math.max(Math.abs(nx), Math.abs(ny), Math.abs(nz));
    if (!(size > 0)) return;
    const up = size < 1 ? 2 ** 600 : 1; // the reciprocal of a subnormal number overflows
    size *= up;
    nx = (nx * up) / size;
    ny = (ny * up) / size;
    nz = (nz * up) / size;
    nn = nx * nx + ny * ny + nz * nz;
  }
  // The direction in which they may be apart: a sign changes nothing else.
  const a = nx * x[0] + ny * x[1] + nz * x[2];
  const b = nx * x[9] + ny * x[10] + nz * x[11];
  const way = 1 - 2 * Number(a < b);
  const a1 = nx * x[3] + ny * x[4] + nz * x[5];
  const a2 = nx * x[6] + ny * x[7] + nz * x[8];
  const b1 = nx * x[12] + ny * x[13] + nz * x[14];
  const b2 = nx * x[15] + ny * x[16] + nz * x[17];
  const least = Math.min(Math.min(way * a, way * a1), way * a2);
  const most = Math.max(Math.max(way * b, way * b1), way * b2);
  const error =
    12 * E * (Math.abs(nx) * state[SIZE + 1] + Math.abs(ny) * state[SIZE + 2] + Math.abs(nz) * state[SIZE + 3]);
  const lower = ((least - most - error) / Math.sqrt(nn)) * (1 - 6 * E);
  if (!(lower > state[LOWER])) return;
  state[LOWER] = lower;
  proof[0] = -way * nx;
  proof[1] = -way * ny;
  proof[2] = -way * nz;
}

/** Leaves w and n, and true, if the nearest of vertices on one side of a face lies over it. */
function nearVertexAndFace(face: number, point: number): boolean {
  const ox = x[face];
  const oy = x[face + 1];
  const oz = x[face + 2];
  const ux = x[face + 3] - ox;
  const uy = x[face + 4] - oy;
  const uz = x[face + 5] - oz;
  const vx = x[face + 6] - ox;
  const vy = x[face + 7] - oy;
  const vz = x[face + 8] - oz;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const h0 = nx * (x[point] - ox) + ny * (x[point + 1] - oy) + nz * (x[point + 2] - oz);
  const h1 = nx * (x[point + 3] - ox) + ny * (x[point + 4] - oy) + nz * (x[point + 5] - oz);
  const h2 = nx * (x[point + 6] - ox) + ny * (x[point + 7] - oy) + nz * (x[point + 8] - oz);
  if (!((h0 > 0 && h1 > 0 && h2 > 0) || (h0 < 0 && h1 < 0 && h2 < 0))) return false;
  const g0 = Math.abs(h0);
  const g1 = Math.abs(h1);
  const g2 = Math.abs(h2);
  const vertex = g0 <= g1 && g0 <= g2 ? 0 : g1 <= g2 ? 1 : 2;
  const rx = x[point + 3 * vertex] - ox;
  const ry = x[point + 3 * vertex + 1] - oy;
  const rz = x[point + 3 * vertex + 2] - oz;
  const w1 = nx * (ry * vz - rz * vy) + ny * (rz * vx - rx * vz) + nz * (rx * vy - ry * vx);
  const w2 = nx * (uy * rz - uz * ry) + ny * (uz * rx - ux * rz) + nz * (ux * ry - uy * rx);
  const nn = nx * nx + ny * ny + nz * nz;
  if (!(w1 >= 0 && w2 >= 0 && w1 + w2 <= nn && nn > NO_LENGTH)) return false;
  const atFace = face === 0 ? 0 : 3;
  const s = Math.min(w1 / nn, 1);
  const t = Math.min(w2 / nn, 1 - s);
  w[0] = w[1] = w[2] = w[3] = w[4] = w[5] = 0;
  w[3 - atFace + vertex] = 1;
  w[atFace] = Math.max(0, 1 - s - t);
  w[atFace + 1] = s;
  w[atFace + 2] = t;
  n[0] = nx;
  n[1] = ny;
  n[2] = nz;
  return true;
}

function makeEdges(): void {
  for (let k = 0; k < 6; k++) {
    const from = 3 * k;
    const to = 3 * NEXT[k];
    const ex = x[to] - x[from];
    const ey = x[to + 1] - x[from + 1];
    const ez = x[to + 2] - x[from + 2];
    edge[from] = ex;
    edge[from + 1] = ey;
    edge[from + 2] = ez;
    length2[k] = ex * ex + ey * ey + ez * ez;
  }
}

function edgeAwayFrom(t: number, dx: number, dy: number, dz: number): number {
  const d0 = dx * x[t] + dy * x[t + 1] + dz * x[t + 2];
  const d1 = dx * x[t + 3] + dy * x[t + 4] + dz * x[t + 5];
  const d2 = dx * x[t + 6] + dy * x[t + 7] + dz * x[t + 8];
  return d0 >= d1 && d0 >= d2 ? 1 : d1 >= d2 ? 2 : 0;
}

/** Leaves w and n of the nearest edges; true if their normal separates the triangles. */
function nearEdges(): boolean {
  makeEdges();
  const gx = x[0] + x[3] + x[6] - x[9] - x[12] - x[15];
  const gy = x[1] + x[4] + x[7] - x[10] - x[13] - x[16];
  const gz = x[2] + x[5] + x[8] - x[11] - x[14] - x[17];
  let i = edgeAwayFrom(0, gx, gy, gz);
  const firstJ = edgeAwayFrom(9, -gx, -gy, -gz) + 3;
  let parts = false;
  let best = Number.POSITIVE_INFINITY;
  let bestI = 0;
  let bestJ = 3;
  let bestS = 0;
  let bestT = 0;
  search: for (let m = 0; m < 3; m++, i = NEXT[i]) {
    const atI = 3 * i;
    const ux = edge[atI];
    const uy = edge[atI + 1];
    const uz = edge[atI + 2];
    const uu = length2[i];
    const overU = uu > NO_LENGTH ? 1 / uu : 0;
    const third = 3 * NEXT[NEXT[i]];
    let j = firstJ;
    for (let l = 0; l < 3; l++, j = NEXT[j]) {
      const atJ = 3 * j;
      const vx = edge[atJ];
      const vy = edge[atJ + 1];
      const vz = edge[atJ + 2];
      const vv = length2[j];
      const overV = vv > NO_LENGTH ? 1 / vv : 0;
      const dx = x[atI] - x[atJ];
      const dy = x[atI + 1] - x[atJ + 1];
      const dz = x[atI + 2] - x[atJ + 2];
      const uv = ux * vx + uy * vy + uz * vz;
      const ud = ux * dx + uy * dy + uz * dz;
      const vd = vx * dx + vy * dy + vz * dz;
      const across = uu * vv - uv * uv;
      let s = across > 0 ? (uv * vd - vv * ud) / across : 0;
      s = s > 0 ? (s < 1 ? s : 1) : 0;
      let t = (uv * s + vd) * overV;
      if (t < 0) {
        t = 0;
        s = -ud * overU;
        s = s > 0 ? (s < 1 ? s : 1) : 0;
      } else if (t > 1) {
        t = 1;
        s = (uv - ud) * overU;
        s = s > 0 ? (s < 1 ? s : 1) : 0;
      }
      const rx = dx + s * ux - t * vx;
      const ry = dy + s * uy - t * vy;
      const rz = dz + s * uz - t * vz;
      const rr = rx * rx + ry * ry + rz * rz;
      if (rr >= best) continue;
      best = rr;
      bestI = i;
      bestJ = j;
      bestS = s;
      bestT = t;
      // The opposite vertices, seen from p and q along r = p - q.
      const after = 3 * NEXT[NEXT[j]];
      const beyondP =
        -(rx * edge[third] + ry * edge[third + 1] + rz * edge[third + 2]) - s * (rx * ux + ry * uy + rz * uz);
      const beyondQ =
        -(rx * edge[after] + ry * edge[after + 1] + rz * edge[after + 2]) - t * (rx * vx + ry * vy + rz * vz);
      if (beyondP >= 0 && beyondQ <= 0) {
        parts = true;
        break search;
      }
    }
  }
  w[0] = w[1] = w[2] = w[3] = w[4] = w[5] = 0;
  w[bestI] = 1 - bestS;
  w[NEXT[bestI]] = bestS;
  w[bestJ] = 1 - bestT;
  w[NEXT[bestJ]] = bestT;
  perpendicular(bestI, bestS, bestJ, bestT);
  return parts;
}

function perpendicular(i: number, s: number, j: number, t: number): void {
  const atI = 3 * i;
  const atJ = 3 * j;
  const isInsideI = s > 0 && s < 1;
  const isInsideJ = t > 0 && t < 1;
  if (isInsideI && isInsideJ) {
    n[0] = edge[atI + 1] * edge[atJ + 2] - edge[atI + 2] * edge[atJ + 1];
    n[1] = edge[atI + 2] * edge[atJ] - edge[atI] * edge[atJ + 2];
    n[2] = edge[atI] * edge[atJ + 1] - edge[atI + 1] * edge[atJ];
    return;
  }
  const p = s > 0.5 ? 3 * NEXT[i] : atI;
  const q = t > 0.5 ? 3 * NEXT[j] : atJ;
  n[0] = x[p] - x[q];
  n[1] = x[p + 1] - x[q + 1];
  n[2] = x[p + 2] - x[q + 2];
  if (isInsideI) makePerpendicular(i);
  else if (isInsideJ) makePerpendicular(j);
}

function makePerpendicular(k: number): void {
  const at = 3 * k;
  for (let times = 0; times < 2; times++) {
    const part = (n[0] * edge[at] + n[1] * edge[at + 1] + n[2] * edge[at + 2]) / length2[k];
    n[0] -= part * edge[at];
    n[1] -= part * edge[at + 1];
    n[2] -= part * edge[at + 2];
  }
}

/** Orthogonal unit vectors, `first` along the longer of two edges; the edges' coordinates. */
const first = new Float64Array(3);
const second = new Float64Array(3);
const frame = new Float64Array(3);
const ALONG_FIRST = 0; // the longer = this * first
const LEANING = 1; // the shorter = this * first + the next * second
const ALONG_SECOND = 2;
/** Result of `solve` for `rest`: multiples of the longer and of the shorter edge. */
const multiple = new Float64Array(2);
const rest = new Float64Array(3);

/** Tries every n and pair of points; within rounding of a common point, until it is GOOD. */
function searchAll(meet: boolean): void {
  makeEdges();
  tryFace(0, 3, meet);
  if (state[LOWER] <= 0 && isGood()) return;
  tryFace(3, 0, meet);
  for (let i = 0; i < 3; i++) {
    for (let j = 3; j < 6; j++) {
      if (state[LOWER] <= 0 && isGood()) return;
      tryVertices(i, j);
      tryVertexAndEdge(i, j);
      tryVertexAndEdge(j, i);
      tryEdges(i, j);
    }
  }
}

function tryVertices(i: number, j: number): void {
  clearWeights();
  w[i] = 1;
  w[j] = 1;
  for (let k = 0; k < 3; k++) n[k] = x[3 * i + k] - x[3 * j + k];
  tryUpper();
  tryLower();
}

function tryVertexAndEdge(vertex: number, k: number): void {
  if (!(length2[k] > NO_LENGTH)) return;
  const p = 3 * vertex;
  const at = 3 * k;
  // From the nearer end: a foot close to a vertex keeps its digits.
  const isFromEnd = along(p, at, k) > 0.5;
  const q = isFromEnd ? 3 * NEXT[k] : at;
  const u = along(p, q, k);
  for (let axis = 0; axis < 3; axis++) n[axis] = x[p + axis] - x[q + axis];
  makePerpendicular(k);
  tryLower();
  const t = isFromEnd ? 1 + u : u;
  if (!(t >= 0 && t <= 1)) return;
  clearWeights();
  w[vertex] = 1;
  w[k] = 1 - t;
  w[NEXT[k]] = t;
  tryUpper();
}

function along(p: number, q: number, k: number): number {
  const at = 3 * k;
  const dx = x[p] - x[q];
  const dy = x[p + 1] - x[q + 1];
  const dz = x[p + 2] - x[q + 2];
  return (dx * edge[at] + dy * edge[at + 1] + dz * edge[at + 2]) / length2[k];
}

function tryEdges(i: number, j: number): void {
  if (!makeFrame(i, j)) return;
  normalOfFrame();
  tryLower();
  for (let k = 0; k < 3; k++) rest[k] = x[3 * j + k] - x[3 * i + k];
  const longer = length2[i] >= length2[j] ? i : j;
  solve();
  const s = multiple[longer === i ? 0 : 1];
  const t = -multiple[longer === i ? 1 : 0];
  if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return;
  clearWeights();
  w[i] = 1 - s;
  w[NEXT[i]] = s;
  w[j] = 1 - t;
  w[NEXT[j]] = t;
  tryUpper();
}

function tryFace(face: number, other: number, meet: boolean): void {
  // The longest and the shortest of three edges lose least where they are nearly parallel.
  let longest = face;
  let shortest = face + 1;
  for (let k = face; k < face + 3; k++) {
    if (length2[k] > length2[longest]) longest = k;
  }
  if (shortest === longest) shortest = NEXT[longest];
  for (let k = face; k < face + 3; k++) {
    if (k !== longest && length2[k] < length2[shortest]) shortest = k;
  }
  if (!makeFrame(longest, shortest)) return;
  normalOfFrame();
  const nx = n[0];
  const ny = n[1];
  const nz = n[2];
  tryLower();
  for (let vertex = other; vertex < other + 3; vertex++) {
    clearWeights();
    w[vertex] = 1;
    for (let k = 0; k < 3; k++) rest[k] = x[3 * vertex + k];
    if (weighFace(face, longest, shortest)) tryUpper();
  }
  if (!meet) return;
  const base = 3 * face;
  for (let k = other; k < other + 3; k++) {
    const p = 3 * k;
    const q = 3 * NEXT[k];
    const hp = nx * (x[p] - x[base]) + ny * (x[p + 1] - x[base + 1]) + nz * (x[p + 2] - x[base + 2]);
    const hq = nx * (x[q] - x[base]) + ny * (x[q + 1] - x[base + 1]) + nz * (x[q + 2] - x[base + 2]);
    if (hp === hq || hp > 0 === hq > 0) continue;
    const t = hp / (hp - hq);
    clearWeights();
    w[k] = 1 - t;
    w[NEXT[k]] = t;
    for (let axis = 0; axis < 3; axis++) rest[axis] = x[p + axis] + t * edge[p + axis];
    if (weighFace(face, longest, shortest)) tryUpper();
  }
}

/** Weighs the face's vertices for the point of its plane next to `rest`; false if outside. */
function weighFace(face: number, longest: number, shortest: number): boolean {
  const third = 3 * face + 3 - longest - shortest;
  // Edge `out` leads away from the vertex that the two share, edge `back` to it.
  const back = NEXT[third];
  const out = NEXT[back];
  for (let k = 0; k < 3; k++) rest[k] -= x[3 * out + k];
  solve();
  const s = multiple[longest === out ? 0 : 1];
  const t = -multiple[longest === out ? 1 : 0];
  if (!(s >= 0 && t >= 0 && 1 - s - t >= 0)) return false;
  w[out] = 1 - s - t;
  w[NEXT[out]] = s;
  w[back] = t;
  return true;
}

/** Gram-Schmidt, and again for the rest; false if doubles cannot tell the edges from parallel. */
function makeFrame(i: number, j: number): boolean {
  const longer = length2[i] >= length2[j] ? i : j;
  const u = 3 * longer;
  const v = 3 * (i + j - longer);
  const size = Math.sqrt(length2[longer]);
  const sizeV = Math.sqrt(length2[i + j - longer]);
  if (!(length2[i + j - longer] > NO_LENGTH)) return false;
  for (let k = 0; k < 3; k++) {
    first[k] = edge[u + k] / size;
    second[k] = edge[v + k];
  }
  frame[ALONG_FIRST] = size;
  const part = first[0] * second[0] + first[1] * second[1] + first[2] * second[2];
  frame[LEANING] = part;
  for (let k = 0; k < 3; k++) second[k] -= part * first[k];
  const across = Math.sqrt(second[0] * second[0] + second[1] * second[1] + second[2] * second[2]);
  if (!(across > 4 * E * sizeV)) return false;
  frame[ALONG_SECOND] = across;
  for (let k = 0; k < 3; k++) second[k] /= across;
  const left = first[0] * second[0] + first[1] * second[1] + first[2] * second[2];
  for (let k = 0; k < 3; k++) second[k] -= left * first[k];
  return true;
}

function normalOfFrame(): void {
  n[0] = first[1] * second[2] - first[2] * second[1];
  n[1] = first[2] * second[0] - first[0] * second[2];
  n[2] = first[0] * second[1] - first[1] * second[0];
}

/** Least squares: the multiples of the two edges of the frame whose sum comes next to `rest`. */
function solve(): void {
  const across = first[0] * rest[0] + first[1] * rest[1] + first[2] * rest[2];
  multiple[1] = (second[0] * rest[0] + second[1] * rest[1] + second[2] * rest[2]) / frame[ALONG_SECOND];
  multiple[0] = (across - multiple[1] * frame[LEANING]) / frame[ALONG_FIRST];
}

function clearWeights(): void {
  for (let k = 0; k < 6; k++) w[k] = 0;
}

/** A proven interval for the distance of two bodies, and points of them about so far apart. */
export interface DistanceBracket {
  /** Not more than the true distance; never negative. */
  lower: number;
  /** Not less than the true distance; Infinity if nothing is known. */
  upper: number;
  /** x, y, z of a point of the first body, within rounding. */
  onA: Float64Array;
  onB: Float64Array;
  /**
   * If there, receives a vector from a to b, of any length, along which the two are `lower` apart.
   * It keeps its digits where the points are so close that their difference has few. Meaningless if
   * `lower` is 0, or for bodies other than triangles.
   */
  along?: Float64Array;
}
