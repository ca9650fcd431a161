/**
 * The first time at which two triangles meet whose vertices move along straight lines from time 0
 * to time 1.
 *
 * A stretch of time is clear if a fixed axis separates the two at both its ends, the same one above
 * the other. The difference of two vertices' images is linear in time, so it does not change its
 * sign between. The axes are those of the frame, both normals, and the line between the nearest
 * points, all in the middle of the stretch. A stretch that no axis separates is halved;
 * tight-inclusion.ts decides a short one.
 *
 * Six vertices against faces and nine pairs of edges are enough. Let A and B be disjoint at the
 * beginning of a stretch, and t the first time at which they share a point; it exists, since both
 * are compact and move continuously. Then 0 lies in A - B, on its border: if it were within, in
 * three dimensions, then it would have been shortly before, too. The border consists of vertex -
 * face, face - vertex and edge - edge. If A - B has no inner points, all of it consists of these:
 * of two flat or thin triangles that share a point, an edge meets an edge, or a vertex lies within
 * a face. So one of the fifteen functions has a root at t. The two are disjoint at the beginning of
 * every stretch. At time 0, and at the end of an undecided stretch, that is decided without
 * rounding. Within a clearance, only axes are tried.
 *
 * Rounding, e = 2^-53, M the largest size of a coordinate at either time. A vertex at a time is off
 * by 3 e M (tight-inclusion.ts). Take any axis n, with |n| the sum of its entries' sizes. A product
 * n.x passes through 3 roundings, so it is off by less than (3 + 3 + 1) e |n| M. The difference of
 * two is off by twice that and its own rounding, 2 e |n| M: 16 e |n| M, and ERROR is twice that. A
 * clearance c takes more than c times the length of n, and that is at most 1 + 2^-50 times the
 * computed one.
 *
 * Contact is proved at one time: without rounding (moved-triangles.ts), or within a clearance by
 * the upper end of a distance (triangle-distance.ts) and 12 e M for the vertices. Each vertex is
 * off by sqrt(3) 3 e M at most.
 */

import { movedTrianglesMeet } from './moved-triangles.ts';
import { type MovingFour, rootlessUntil } from './tight-inclusion.ts';
import type { DistanceBracket } from './triangle-distance.ts';
import { triangleDistance } from './triangle-distance.ts';
import { trianglesIntersectAt } from './triangle-triangle.ts';

const ERROR = 32 * 2 ** -53;
const NEAR_ERROR = 12 * 2 ** -53;
const TINY = 2 ** -900;
const UP = 1 + 2 ** -50;
/** The square of a shorter axis' length could vanish. */
const LEAST_AXIS = 2 ** -400;

/** Stretches up to this long go to tight inclusion. */
const SHORT = 1 / 4;
/** Shortest stretches left undecided before the pair is given up. */
const MOST_UNDECIDED = 12;
/** Stretches after which a pair is undecided: 4,000 pairs of sliding faces took 75 at most. */
const MOST_STRETCHES = 4096;

/** Nine coordinates each, at time 0 and at time 1. */
export interface MovingTriangles {
  a0: Float64Array;
  a1: Float64Array;
  b0: Float64Array;
  b1: Float64Array;
}

/** A pair is apart before `from` and surely in contact at `to`. Infinity: at no time. */
export interface ImpactTimes {
  from: number;
  to: number;
  /** Number of stretches examined, added up. */
  stretches: number;
}

export const movingTriangles = (): MovingTriangles => ({
  a0: new Float64Array(9),
  a1: new Float64Array(9),
  b0: new Float64Array(9),
  b1: new Float64Array(9),
});

const four: MovingFour = { from: new Float64Array(12), to: new Float64Array(12), isFace: true, largest: 0 };
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
const beginA = new Float64Array(9);
const beginB = new Float64Array(9);
const endA = new Float64Array(9);
const endB = new Float64Array(9);
const middleA = new Float64Array(9);
const middleB = new Float64Array(9);
const axis = new Float64Array(3);
const begins = new Float64Array(128);
const ends = new Float64Array(128);
let pending = 0;

/**
 * @param clearance contact includes distances up to this
 * @param resolution maximum length of an undecided stretch: a power of two, from 2^-40 to 1/4
 * @param before the search ends here; an earlier `out.from`, or more than 1
 */
export function triangleImpact(
  pair: MovingTriangles,
  clearance: number,
  resolution: number,
  before: number,
  out: ImpactTimes,
): void {
  out.from = Infinity;
  out.to = Infinity;
  four.largest = largestOf(pair);
  if (isContactAt(pair, 0, clearance)) {
    out.from = out.to = 0;
    return;
  }
  let undecided = 0;
  let looked = 0;
  pending = 0;
  push(0, Math.min(1, before));
  while (pending > 0) {
    const from = begins[--pending];
    const to = ends[pending];
    out.stretches++;
    if (++looked > MOST_STRETCHES) {
      out.from = Math.min(out.from, from);
      return;
    }
    if (arePartedWithin(pair, from, to, clearance)) continue;
    if (to - from > SHORT || (clearance > 0 && to - from > resolution)) {
      halve(from, to);
      continue;
    }
    const begin = clearance > 0 ? from : firstRoot(pair, from, to, resolution);
    if (begin === Infinity) continue;
    const end = Math.min(begin + resolution, to);
    const touches = isContactAt(pair, end, clearance);
    if (!touches && begin === from && to - from > resolution) {
      // The boxes have run out, or the root is near: a shorter stretch helps.
      halve(from, to);
      continue;
    }
    const isParted = !touches && arePartedWithin(pair, begin, end, clearance);
    // If axes decide more than boxes, as for faces that slide past each other, shorter stretches
    // help.
    if (isParted && to - end > resolution) halve(end, to);
    else if (end < to) push(end, to);
    if (isParted) continue;
    out.from = Math.min(out.from, begin);
    if (touches) {
      out.to = end;
      return;
    }
    if (++undecided >= MOST_UNDECIDED) return;
  }
}

function push(from: number, to: number): void {
  begins[pending] = from;
  ends[pending++] = to;
}

function halve(from: number, to: number): void {
  const middle = (from + to) / 2;
  push(middle, to);
  push(from, middle);
}

function largestOf({ a0, a1, b0, b1 }: MovingTriangles): number {
  let most = 0;
  for (let k = 0; k < 9; k++) most = Math.max(most, Math.abs(a0[k]), Math.abs(a1[k]), Math.abs(b0[k]), Math.abs(b1[k]));
  return most;
}

function isContactAt(pair: MovingTriangles, t: number, clearance: number): boolean {
  const { a0, a1, b0, b1 } = pair;
  if (clearance === 0) return t === 0 ? trianglesIntersectAt(a0, 0, b0, 0) : movedTrianglesMeet(a0, a1, b0, b1, t);
  place(a0, a1, t, middleA);
  place(b0, b1, t, middleB);
  triangleDistance(middleA, 0, middleB, 0, bracket);
  return bracket.upper * UP + NEAR_ERROR * four.largest <= clearance;
}

function place(from: Float64Array, to: Float64Array, t: number, out: Float64Array): void {
  const rest = 1 - t;
  for (let k = 0; k < 9; k++) out[k] = from[k] * rest + to[k] * t;
}

function arePartedWithin(pair: MovingTriangles, from: number, to: number, clearance: number): boolean {
  const middle = (from + to) / 2;
  place(pair.a0, pair.a1, from, beginA);
  place(pair.b0, pair.b1, from, beginB);
  place(pair.a0, pair.a1, to, endA);
  place(pair.b0, pair.b1, to, endB);
  for (let k = 0; k < 3; k++) if (parts(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0, clearance)) return true;
  place(pair.a0, pair.a1, middle, middleA);
  place(pair.b0, pair.b1, middle, middleB);
  if (normalOf(middleA) && parts(axis[0], axis[1], axis[2], clearance)) return true;
  if (normalOf(middleB) && parts(axis[0], axis[1], axis[2], clearance)) return true;
  triangleDistance(middleA, 0, middleB, 0, bracket);
  if (bracket.lower <= clearance) return false;
  const { onA, onB } = bracket;
  return parts(onA[0] - onB[0], onA[1] - onB[1], onA[2] - onB[2], clearance);
}

function normalOf(p: Float64Array): boolean {
  const x = p[3] - p[0];
  const y = p[4] - p[1];
  const z = p[5] - p[2];
  const u = p[6] - p[0];
  const v = p[7] - p[1];
  const w = p[8] - p[2];
  axis[0] = y * w - z * v;
  axis[1] = z * u - x * w;
  axis[2] = x * v - y * u;
  return axis[0] !== 0 || axis[1] !== 0 || axis[2] !== 0;
}

/** True if the images on an axis are apart at both ends, the same one above. */
function parts(x: number, y: number, z: number, clearance: number): boolean {
  const size = Math.abs(x) + Math.abs(y) + Math.abs(z);
  if (clearance > 0 && size < LEAST_AXIS) return false;
  const wide = clearance === 0 ? 0 : clearance * Math.sqrt(x * x + y * y + z * z) * UP;
  const gap = wide + (ERROR * (size * four.largest) + TINY + ERROR * wide);
  const [lowA, lowB] = [lowest(beginA, x, y, z), lowest(beginB, x, y, z)];
  if (lowA - highest(beginB, x, y, z) > gap) return lowest(endA, x, y, z) - highest(endB, x, y, z) > gap;
  return lowB - highest(beginA, x, y, z) > gap && lowest(endB, x, y, z) - highest(endA, x, y, z) > gap;
}

function lowest(p: Float64Array, x: number, y: number, z: number): number {
  const a = x * p[0] + y * p[1] + z * p[2];
  const b = x * p[3] + y * p[4] + z * p[5];
  const c = x * p[6] + y * p[7] + z * p[8];
  return a < b ? (a < c ? a : c) : b < c ? b : c;
}

function highest(p: Float64Array, x: number, y: number, z: number): number {
  const a = x * p[0] + y * p[1] + z * p[2];
  const b = x * p[3] + y * p[4] + z * p[5];
  const c = x * p[6] + y * p[7] + z * p[8];
  return a > b ? (a > c ? a : c) : b > c ? b : c;
}

/** Returns the earliest time before which none of the fifteen has a root; else Infinity. */
function firstRoot(pair: MovingTriangles, from: number, to: number, resolution: number): number {
  const { a0, a1, b0, b1 } = pair;
  let earliest = Infinity;
  four.isFace = true;
  for (let k = 0; k < 9; k += 3) {
    writeVertexAndFace(four, a0, a1, k, b0, b1);
    earliest = Math.min(earliest, rootlessUntil(four, from, to, resolution, earliest));
    writeVertexAndFace(four, b0, b1, k, a0, a1);
    earliest = Math.min(earliest, rootlessUntil(four, from, to, resolution, earliest));
  }
  four.isFace = false;
  for (let k = 0; k < 9; k += 3)
    for (let l = 0; l < 9; l += 3) {
      writeEdges(four, a0, a1, k, b0, b1, l);
      earliest = Math.min(earliest, rootlessUntil(four, from, to, resolution, earliest));
    }
  return earliest;
}

function writeVertexAndFace(
  out: MovingFour,
  p0: Float64Array,
  p1: Float64Array,
  at: number,
  f0: Float64Array,
  f1: Float64Array,
): void {
  for (let k = 0; k < 3; k++) {
    out.from[k] = p0[at + k];
    out.to[k] = p1[at + k];
  }
  for (let k = 0; k < 9; k++) {
    out.from[k + 3] = f0[k];
    out.to[k + 3] = f1[k];
  }
}

function writeEdges(
  out: MovingFour,
  a0: Float64Array,
  a1: Float64Array,
  i: number,
  b0: Float64Array,
  b1: Float64Array,
  j: number,
): void {
  const nextI = (i + 3) % 9;
  const nextJ = (j + 3) % 9;
  for (let k = 0; k < 3; k++) {
    out.from[k] = a0[i + k];
    out.to[k] = a1[i + k];
    out.from[k + 3] = a0[nextI + k];
    out.to[k + 3] = a1[nextI + k];
    out.from[k + 6] = b0[j + k];
    out.to[k + 6] = b1[j + k];
    out.from[k + 9] = b0[nextJ + k];
    out.to[k + 9] = b1[nextJ + k];
  }
}
