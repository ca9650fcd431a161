/**
 * The largest ball inside two convex bodies, their distance, or how deep a triangle reaches into a
 * body.
 *
 * Each is one number t* with a proof for both ends of its bracket:
 *   t* = greatest over x of the lesser of depth_A(x), depth_B(x)
 * A depth is the distance to the border, below 0 outside. If t* > 0, it is the radius of the
 * largest ball inside both. If t* < 0, x is midway between the nearest points and -2 t* is the
 * distance. So bodies that touch are no special case.
 *
 * This is a linear program with a row for every plane in front of either body:
 *   t + n . x <= offset
 * (J. E. Kelley, "The Cutting-Plane Method for Solving Convex Programs", Journal of the SIAM 8(4),
 * 1960.) The code solves the dual, which holds four planes at a time. It asks both bodies for the
 * plane that the meeting point of the four is most beyond (convex-body.ts). That plane replaces one
 * of the four by the simplex method's ratio test (G. Dantzig, "Linear Programming and Extensions",
 * 1963).
 *
 * Boxes in each other end after a handful of steps. A round body, or two nearest corners, takes
 * four or five steps for a digit: 70 steps to 1e-13, where rounding begins. One in a thousand takes
 * 120. In 200,000 pairs with faces and axes that fall together it was at most 269. A step takes 0.7
 * us; the side of 0 that t* is on is known after 3 to 6 us.
 *
 * The bracket relies on nothing that the program finds. Any planes with weights w_i >= 0 that sum
 * to 1 prove, for the best x, which lies in a known box:
 *   t* <= sum w_i offset_i - (sum w_i n_i) . x
 * So the code multiplies the sum of the normals, which is rounding, by the box. From below, any x
 * has its two depths. Offsets and depths come with their own rounding (convex-body.ts). The sums
 * here round by 9 u of the offsets and 17 u of the box, u = 2^-53: ROUNDING is 32 u. A plane close
 * to another one makes that no worse, since weights are at most 1.
 *
 * All coordinates are about the middle of the two origins, or about a body's origin for a triangle.
 * `moved` bounds the rounding of that. The best x of two bodies lies between nearest points, or in
 * both bodies. So it is no farther from the middle than the larger reach plus half the distance of
 * the origins.
 *
 * Road not taken: GJK over points of the rims, one more of each a step. It is as quick for bodies
 * that are apart but needs another method for depths. For bodies that touch, its directions are
 * rounding.
 */
import { type ConvexBody, CUT_NUMBERS, cutAt, DEPTH, OFFSET, POLYHEDRON, supportAlong } from './convex-body.ts';

/** A bracket of t*, and a point in the common frame whose depth is `lower` up to rounding. */
export interface BallBracket {
  lower: number;
  upper: number;
  point: Float64Array;
}

export const newBallBracket = (): BallBracket => ({
  lower: Number.NEGATIVE_INFINITY,
  upper: Number.POSITIVE_INFINITY,
  point: new Float64Array(3),
});

/** The search may end once `upper` is below `below`, or `lower` above `above`. */
export interface BallGoal {
  below: number;
  above: number;
}

export const NARROWEST: BallGoal = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY };

const UNIT = 2 ** -53;
/** More than twice as many steps as were ever seen. */
const MOST_STEPS = 600;
const LITTLE = 2 ** -49;
const ENOUGH = 2 ** -48;
/** Relative sum of the slopes: not 0, so that exchanges cannot cycle between parallel faces. */
const TILT = 2 ** -47;
const LEAST_RATE = 2 ** -40;
const LEAST_PIVOT = 2 ** -8;
/** A point that is so far beyond a wall, as a part of the box, is put back without an exchange. */
const LITTLE_BEYOND = 2 ** -40;
const ROUNDING = 2 ** -48;

/** A row: three slopes, the weight of t (0 for walls), and the right side. */
const ROW = 5;
const HEIGHT = 3;
const RIGHT = 4;
const rows = new Float64Array(4 * ROW);
const inverse = new Float64Array(16);
/** Exchanges before the inverse is computed anew, as each adds rounding. */
const MOST_UPDATES = 12;
let updates = 0;
const weights = new Float64Array(4);
const rates = new Float64Array(4);
const tilt = new Float64Array(3);
const meeting = new Float64Array(4);
const residual = new Float64Array(4);
const entering = new Float64Array(ROW);
const x = new Float64Array(3);
const cutA = new Float64Array(CUT_NUMBERS);
const cutB = new Float64Array(CUT_NUMBERS);
const found = new Float64Array(3);

// A search has three parameters, or two for a triangle. Origins are those of the bodies' frames.
let bodyA: ConvexBody;
/** Null if a triangle is searched. */
let bodyB: ConvexBody | null = null;
const originA = new Float64Array(3);
const originB = new Float64Array(3);
/** Height at which the rows of the basis meet; how far that point is behind the nearest plane. */
let height = 0;
let behind = 0;
/** Half of the box that is searched; for a triangle, its first corner and two edges. */
let half = 0;
const corner = new Float64Array(3);
const edges = new Float64Array(6);
let span = 0;
let moved = 0;

/** t* of two bodies, up to the goal. */
export function commonBall(a: ConvexBody, b: ConvexBody, goal: BallGoal, out: BallBracket): void {
  let square = 0;
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const apart = b.pose[4 * k + 3] - a.pose[4 * k + 3];
    sum += Math.abs(apart);
    originA[k] = -apart / 2;
    originB[k] = apart / 2;
    square += (apart / 2) * (apart / 2);
  }
  bodyA = a;
  bodyB = b;
  half = (Math.sqrt(square) + Math.max(a.reach, b.reach)) * (1 + 2 ** -40);
  span = half;
  tilt.fill(TILT);
  moved = UNIT * sum;
  climb(goal, 2 * (moved + Math.max(a.slack + a.error * half, b.slack + b.error * half)), out);
  for (let k = 0; k < 3; k++) out.point[k] = a.pose[4 * k + 3] - originA[k] + found[k];
}

/** Brackets the greatest depth of a triangle's points in a body, or minus their distance. */
export function depthOfTriangle(a: ConvexBody, points: Float64Array, goal: BallGoal, out: BallBracket): void {
  span = a.reach;
  for (let k = 0; k < 3; k++) {
    const origin = a.pose[4 * k + 3];
    originA[k] = 0;
    corner[k] = points[k] - origin;
    edges[k] = points[3 + k] - points[k];
    edges[3 + k] = points[6 + k] - points[k];
    span += Math.abs(corner[k]) + Math.abs(edges[k]) + Math.abs(edges[3 + k]);
  }
  bodyA = a;
  bodyB = null;
  tilt.fill(TILT * span);
  moved = 8 * UNIT * span;
  climb(goal, 2 * (moved + a.slack + a.error * span), out);
  for (let k = 0; k < 3; k++) {
    out.point[k] = a.pose[4 * k + 3] + corner[k] + found[0] * edges[k] + found[1] * edges[3 + k];
  }
}

/** Leaves the best parameters in `found`; `error` is the least width of the bracket. */
function climb({ below, above }: BallGoal, error: number, out: BallBracket): void {
  let lower = Number.NEGATIVE_INFINITY;
  let upper = Number.POSITIVE_INFINITY;
  x.fill(bodyB ? 0 : 1 / 3);
  for (let step = 0; step < MOST_STEPS; step++) {
    const depth = cutHere();
    if (depth > lower) {
      lower = depth;
      found.set(x);
    }
    if (upper - lower <= ENOUGH * span + error || upper + moved < below || lower - moved > above) break;
    // No plane cuts off the point of the basis: the rest of the bracket is rounding.
    if (step > 0 && height - behind <= LITTLE * span) break;
    if (step === 0) begin();
    else if (!exchange()) break;
    while (solve() && step++ < MOST_STEPS) if (!exchange()) break;
    const proved = bound();
    if (proved < upper) upper = proved;
  }
  // Nearly parallel planes can end the search early, one time in thousands.
  const isOpen = !(upper + moved < below || lower - moved > above);
  for (let k = 0; k < MOST_PROJECTIONS && isOpen && upper - lower > 2 * ENOUGH * span + error; k++) {
    x.set(found);
    cutHere();
    const proved = project();
    if (proved < upper) upper = proved;
    const depth = cutHere();
    if (!(depth > lower)) break;
    lower = depth;
    found.set(x);
  }
  out.lower = lower - moved;
  out.upper = upper + moved;
}

/** Projections after a search that ended early; two to four make a digit. */
const MOST_PROJECTIONS = 20;
const between = new Float64Array(3);

/** Moves x midway between its projections on two separate bodies. Returns the planes' bound. */
function project(): number {
  if (!bodyB || bodyA.shape === POLYHEDRON || bodyB.shape === POLYHEDRON) return Number.NaN;
  const [outA, outB] = [Math.min(0, cutA[DEPTH]), Math.min(0, cutB[DEPTH])];
  for (let k = 0; k < 3; k++) {
    between[k] = outB * cutB[k] - outA * cutA[k];
    x[k] += (outA * cutA[k] + outB * cutB[k]) / 2;
  }
  const length = Math.sqrt(between[0] * between[0] + between[1] * between[1] + between[2] * between[2]);
  const [n0, n1, n2] = between.map((d) => d / length);
  const a = supportAlong(bodyA, n0, n1, n2) + bodyA.slack + n0 * originA[0] + n1 * originA[1] + n2 * originA[2];
  const b = supportAlong(bodyB, -n0, -n1, -n2) + bodyB.slack - n0 * originB[0] - n1 * originB[1] - n2 * originB[2];
  return (a + b) / 2 + ROUNDING * (Math.abs(a) + Math.abs(b) + span);
}

/** Cuts both bodies at x, within the walls. Fills `entering`; returns the lesser depth. */
function cutHere(): number {
  if (bodyB) {
    for (let k = 0; k < 3; k++) x[k] = x[k] > half ? half : x[k] < -half ? -half : x[k];
    cutAt(bodyA, x[0] - originA[0], x[1] - originA[1], x[2] - originA[2], cutA);
    cutAt(bodyB, x[0] - originB[0], x[1] - originB[1], x[2] - originB[2], cutB);
    cutA[OFFSET] += cutA[0] * originA[0] + cutA[1] * originA[1] + cutA[2] * originA[2];
    cutB[OFFSET] += cutB[0] * originB[0] + cutB[1] * originB[1] + cutB[2] * originB[2];
    const behindA = cutA[OFFSET] - (cutA[0] * x[0] + cutA[1] * x[1] + cutA[2] * x[2]);
    const behindB = cutB[OFFSET] - (cutB[0] * x[0] + cutB[1] * x[1] + cutB[2] * x[2]);
    const cut = behindA < behindB ? cutA : cutB;
    behind = Math.min(behindA, behindB);
    entering[0] = cut[0];
    entering[1] = cut[1];
    entering[2] = cut[2];
    entering[HEIGHT] = 1;
    entering[RIGHT] = cut[OFFSET];
    return Math.min(cutA[DEPTH], cutB[DEPTH]);
  }
  const a = x[0] > 0 ? x[0] : 0;
  const b = x[1] > 0 ? x[1] : 0;
  const sum = a + b > 1 ? a + b : 1;
  x[0] = a / sum;
  x[1] = b / sum;
  cutAt(
    bodyA,
    corner[0] + x[0] * edges[0] + x[1] * edges[3],
    corner[1] + x[0] * edges[1] + x[1] * edges[4],
    corner[2] + x[0] * edges[2] + x[1] * edges[5],
    cutA,
  );
  entering[0] = cutA[0] * edges[0] + cutA[1] * edges[1] + cutA[2] * edges[2];
  entering[1] = cutA[0] * edges[3] + cutA[1] * edges[4] + cutA[2] * edges[5];
  entering[2] = 0;
  entering[HEIGHT] = 1;
  entering[RIGHT] = cutA[OFFSET] - (cutA[0] * corner[0] + cutA[1] * corner[1] + cutA[2] * corner[2]);
  behind = entering[RIGHT] - (entering[0] * x[0] + entering[1] * x[1]);
  return cutA[DEPTH];
}

function begin(): void {
  rows.set(entering, 0);
  updates = MOST_UPDATES;
  if (bodyB) {
    for (let k = 0; k < 3; k++) writeWall(2 * k + (entering[k] >= 0 ? 0 : 1), rows, ROW * (k + 1));
    return;
  }
  // Use the corner where the plane leaves the most room. The third parameter is always 0.
  const first = entering[0] >= 0 && entering[1] >= 0;
  const isSecond = !first && entering[0] < entering[1];
  writeWall(first ? 0 : 2, rows, ROW);
  writeWall(first || isSecond ? 1 : 0, rows, 2 * ROW);
  rows.fill(0, 3 * ROW);
  rows[3 * ROW + 2] = 1;
}

/** Wall 2 k is the lower end of parameter k, 2 k + 1 the upper; a triangle's third is both. */
function writeWall(wall: number, to: Float64Array, at = 0): void {
  to.fill(0, at, at + ROW);
  if (bodyB) {
    to[at + (wall >> 1)] = wall & 1 ? 1 : -1;
    to[at + RIGHT] = half;
  } else if (wall === 2) {
    to[at] = to[at + 1] = to[at + RIGHT] = 1;
  } else to[at + wall] = -1;
}

/** Finds weights and meeting point; true if `entering` is a wall that the point is beyond. */
function solve(): boolean {
  if (updates === MOST_UPDATES) invert();
  weigh();
  meet();
  let most = LITTLE_BEYOND;
  let wall = -1;
  if (bodyB) {
    most *= half;
    for (let k = 0; k < 3; k++) {
      const beyond = Math.abs(x[k]) - half;
      if (!(beyond > most)) continue;
      most = beyond;
      wall = 2 * k + (x[k] > 0 ? 1 : 0);
    }
  } else {
    for (let k = 0; k < 3; k++) {
      const beyond = k === 2 ? x[0] + x[1] - 1 : -x[k];
      if (!(beyond > most)) continue;
      most = beyond;
      wall = k;
    }
  }
  if (wall < 0) return false;
  writeWall(wall, entering);
  return true;
}

const eliminated = new Float64Array(16);

function invert(): void {
  updates = 0;
  const m = eliminated;
  inverse.fill(0);
  for (let i = 0; i < 4; i++) {
    for (let k = 0; k < 4; k++) m[4 * i + k] = rows[ROW * i + k];
    inverse[5 * i] = 1;
  }
  for (let k = 0; k < 4; k++) {
    let pivot = k;
    for (let i = k + 1; i < 4; i++) if (Math.abs(m[4 * i + k]) > Math.abs(m[4 * pivot + k])) pivot = i;
    if (pivot !== k) {
      swapRows(m, k, pivot);
      swapRows(inverse, k, pivot);
    }
    const scale = 1 / m[5 * k];
    for (let c = 0; c < 4; c++) {
      m[4 * k + c] *= scale;
      inverse[4 * k + c] *= scale;
    }
    for (let i = 0; i < 4; i++) {
      const factor = m[4 * i + k];
      if (i === k || factor === 0) continue;
      for (let c = 0; c < 4; c++) {
        m[4 * i + c] -= factor * m[4 * k + c];
        inverse[4 * i + c] -= factor * inverse[4 * k + c];
      }
    }
  }
}

function swapRows(m: Float64Array, i: number, k: number): void {
  for (let c = 0; c < 4; c++) {
    const swapped = m[4 * i + c];
    m[4 * i + c] = m[4 * k + c];
    m[4 * k + c] = swapped;
  }
}

/** The rows' weights, refined once: nearly parallel planes make the inverse inexact. */
function weigh(): void {
  const [t0, t1, t2] = tilt;
  for (let i = 0; i < 4; i++)
    weights[i] = t0 * inverse[i] + t1 * inverse[4 + i] + t2 * inverse[8 + i] + inverse[12 + i];
  for (let k = 0; k < 4; k++) {
    let left = k === HEIGHT ? 1 : tilt[k];
    for (let i = 0; i < 4; i++) left -= weights[i] * rows[ROW * i + k];
    residual[k] = left;
  }
  for (let i = 0; i < 4; i++) {
    for (let k = 0; k < 4; k++) weights[i] += residual[k] * inverse[4 * k + i];
  }
}

/** The point in which the rows meet, refined in the same way. */
function meet(): void {
  for (let k = 0; k < 4; k++) {
    let sum = 0;
    for (let i = 0; i < 4; i++) sum += inverse[4 * k + i] * rows[ROW * i + RIGHT];
    meeting[k] = sum;
  }
  for (let i = 0; i < 4; i++) {
    let left = rows[ROW * i + RIGHT];
    for (let k = 0; k < 4; k++) left -= rows[ROW * i + k] * meeting[k];
    residual[i] = left;
  }
  for (let k = 0; k < 4; k++) {
    for (let i = 0; i < 4; i++) meeting[k] += inverse[4 * k + i] * residual[i];
  }
  x[0] = meeting[0];
  x[1] = meeting[1];
  x[2] = meeting[2];
  height = meeting[HEIGHT];
}

/** Returns the upper bound of t* that the weights prove; it holds for any weights. */
function bound(): number {
  let sum = 0;
  let offset = 0;
  let size = 0;
  let g0 = 0;
  let g1 = 0;
  let g2 = 0;
  for (let i = 0; i < 4; i++) {
    const at = ROW * i;
    const weight = weights[i];
    if (rows[at + HEIGHT] === 0 || !(weight > 0)) continue;
    sum += weight;
    offset += weight * rows[at + RIGHT];
    size += weight * Math.abs(rows[at + RIGHT]);
    g0 += weight * rows[at];
    g1 += weight * rows[at + 1];
    g2 += weight * rows[at + 2];
  }
  const room = bodyB ? half * (Math.abs(g0) + Math.abs(g1) + Math.abs(g2)) : Math.max(0, -g0, -g1);
  // NaN is no bound.
  return (offset + room + ROUNDING * (size + sum * span)) / sum;
}

/** Replaces the row whose weight falls to 0 first by `entering`; false if there is none. */
function exchange(): boolean {
  let leaving = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 4; i++) {
    let rate = 0;
    for (let k = 0; k < 4; k++) rate += entering[k] * inverse[4 * k + i];
    rates[i] = rate;
    if (!(rate > LEAST_RATE)) continue;
    const ratio = Math.max(0, weights[i]) / rate;
    if (ratio >= least) continue;
    least = ratio;
    leaving = i;
  }
  if (leaving < 0) return false;
  rows.set(entering, ROW * leaving);
  updateInverse(leaving);
  return true;
}

/** J. Sherman, W. Morrison, "Adjustment of an Inverse Matrix", 1950: one row was exchanged. */
function updateInverse(row: number): void {
  if (++updates > MOST_UPDATES || rates[row] < LEAST_PIVOT) updates = MOST_UPDATES;
  if (updates === MOST_UPDATES) return;
  const scale = 1 / rates[row];
  for (let k = 0; k < 16; k += 4) {
    const own = inverse[k + row] * scale;
    for (let i = 0; i < 4; i++) inverse[k + i] -= rates[i] * own;
    inverse[k + row] = own;
  }
}
