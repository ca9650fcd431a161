/**
 * The earliest time at which a moving vertex may be on a moving face, or a moving edge on another.
 *
 * Vertices move along straight lines, and boxes of (t, u, v) that hold no root are left out. B.
 * Wang, Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, "A Large-Scale Benchmark and an
 * Inclusion-Based Algorithm for Continuous Collision Detection", ACM Transactions on Graphics 40,
 * 2021, sections 4 and 5. Departures: boxes are searched depth first, the earlier and lower half
 * first, so that a stack of a few boxes is enough. A find cuts off everything later. The halved
 * side is the one over which the function moves most. There is no tolerance of length. A box is
 * kept if its time is as short as asked, and u and v move no farther than its time does, or than
 * rounding does.
 *
 * Letters: x(t) = x0 + t (x1 - x0) is a vertex, e = 2^-53, M is at least every coordinate's size at
 * both times. F is the difference of two points, of a vertex and a face, with u + v <= 1, or of two
 * edges:
 *   F(t, u, v) = p - (a + u (b - a) + v (c - a))
 *   F(t, u, v) = a + u (b - a) - (c + v (d - c))
 * The corners are enough: F is linear in each of t, u and v while the other two stay. So each
 * coordinate of F over a box lies between the least and the greatest of its eight corners.
 *
 * Rounding. 1 - t is exact, since t is a multiple of 2^-52. x(t) is computed as x0 (1 - t) + x1 t:
 * both products and the sum are at most M, so it is off by no more than 3 e M. F is A + u B + v C,
 * each the difference of two points: |A|, |B|, |C| <= 2 M. Their own rounding is 2 e M each, which
 * u, v <= 1 do not enlarge. The products round by 2 e M each, the two sums, of at most 4 M and 6 M,
 * by 10 e M. That is 20 e M. The points' error is enlarged by at most 4. It is enlarged by 1 for p,
 * by 2 for two edges, and for a face, where u and v may both be 1, by
 *   |1 - u - v| + u + v <= 3
 * That is 12 e M. In all 32 e M, and second-order terms are far below the other half of ERROR M.
 * TINY is more than underflow loses.
 */

/** A coordinate of F that is farther from 0, relative to the largest, cannot be rounding. */
const ERROR = 64 * 2 ** -53;
const TINY = 2 ** -1000;

/** Limit of boxes in one question; near a root, few have a time too short to split. */
const MOST_BOXES = 1000;
const BOX = 6;
/** Halvings keep u and v multiples of 2^-40. */
const SHORTEST = 2 ** -40;

const stack = new Float64Array(BOX * 3 * 64);
const early = new Float64Array(9);
const late = new Float64Array(9);
/** How far F moves along t, u and v over the last box. */
const moves = new Float64Array(3);

export interface MovingFour {
  /** x, y, z of each at time 0: the vertex and the face's three, or the ends of both edges. */
  from: Float64Array;
  to: Float64Array;
  /** True for a vertex and a face. */
  isFace: boolean;
  largest: number;
}

/**
 * Returns a time before which, from t0 on, there is no root; Infinity if there is none up to t1. It
 * is less than `resolution` before something that looks like a root, or earlier if the boxes have
 * run out.
 *
 * @param t0, t1 multiples of 2^-50 from 0 to 1; `resolution` a power of two, at least 2^-40
 * @param before the search ignores times from here on
 */
export function rootlessUntil(four: MovingFour, t0: number, t1: number, resolution: number, before = Infinity): number {
  const error = ERROR * four.largest + TINY;
  let earliest = before;
  let looked = 0;
  let top = 0;
  stack.set([t0, t1 - t0, 0, 1, 0, 1]);
  top = BOX;
  while (top > 0) {
    top -= BOX;
    const t = stack[top];
    const u = stack[top + 2];
    const v = stack[top + 4];
    if (t >= earliest || (four.isFace && u + v > 1)) continue;
    if (++looked > MOST_BOXES) {
      for (let at = 0; at <= top; at += BOX) earliest = Math.min(earliest, stack[at]);
      return earliest;
    }
    if (!mayHoldRoot(four, top, error)) continue;
    const side = sideToHalve(top, error, resolution);
    if (side < 0) earliest = t;
    else top = pushHalves(top, side);
  }
  return earliest < before ? earliest : Infinity;
}

/** Returns 0, 1, 2 for t, u, v; -1 if halving does not help. */
function sideToHalve(box: number, error: number, resolution: number): number {
  const ofTime = moves[0];
  const canHalveTime = stack[box + 1] > resolution;
  const along = moves[1] >= moves[2] ? 1 : 2;
  const canHalve = stack[box + 2 * along + 1] > SHORTEST;
  if (canHalveTime && (ofTime >= moves[along] || !canHalve)) return 0;
  if (canHalve && moves[along] > Math.max(ofTime, error)) return along;
  return canHalveTime ? 0 : -1;
}

function pushHalves(top: number, side: number): number {
  stack.copyWithin(top + BOX, top, top + BOX);
  const half = stack[top + 2 * side + 1] / 2;
  stack[top + 2 * side + 1] = half;
  stack[top + 2 * side] += half;
  stack[top + BOX + 2 * side + 1] = half;
  return top + 2 * BOX;
}

/** True if the box of F about its corners holds 0; writes how far F moves. */
function mayHoldRoot(four: MovingFour, box: number, error: number): boolean {
  const u0 = stack[box + 2];
  const u1 = u0 + stack[box + 3];
  const v0 = stack[box + 4];
  const v1 = v0 + stack[box + 5];
  writeCoefficients(four, stack[box], early);
  writeCoefficients(four, stack[box] + stack[box + 1], late);
  let [ofTime, ofU, ofV] = [0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const low0 = lowest(early, k, u0, u1, v0, v1);
    const high0 = highest(early, k, u0, u1, v0, v1);
    const low1 = lowest(late, k, u0, u1, v0, v1);
    const high1 = highest(late, k, u0, u1, v0, v1);
    if ((low0 > error && low1 > error) || (high0 < -error && high1 < -error)) return false;
    ofTime = Math.max(ofTime, Math.abs(low1 - low0), Math.abs(high1 - high0));
    ofU = Math.max(ofU, Math.abs(early[k + 3]), Math.abs(late[k + 3]));
    ofV = Math.max(ofV, Math.abs(early[k + 6]), Math.abs(late[k + 6]));
  }
  moves[0] = ofTime;
  moves[1] = ofU * (u1 - u0);
  moves[2] = ofV * (v1 - v0);
  return true;
}

function writeCoefficients({ from, to, isFace }: MovingFour, t: number, out: Float64Array): void {
  const rest = 1 - t;
  for (let k = 0; k < 3; k++) {
    const p = from[k] * rest + to[k] * t;
    const a = from[k + 3] * rest + to[k + 3] * t;
    const b = from[k + 6] * rest + to[k + 6] * t;
    const c = from[k + 9] * rest + to[k + 9] * t;
    out[k] = isFace ? p - a : p - b;
    out[k + 3] = isFace ? a - b : a - p;
    out[k + 6] = isFace ? a - c : b - c;
  }
}

function lowest(m: Float64Array, k: number, u0: number, u1: number, v0: number, v1: number): number {
  const b = m[k + 3];
  const c = m[k + 6];
  return m[k] + (b > 0 ? u0 : u1) * b + (c > 0 ? v0 : v1) * c;
}

function highest(m: Float64Array, k: number, u0: number, u1: number, v0: number, v1: number): number {
  const b = m[k + 3];
  const c = m[k + 6];
  return m[k] + (b > 0 ? u1 : u0) * b + (c > 0 ? v1 : v0) * c;
}
