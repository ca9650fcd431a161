/**
 * Lists the triangles of two leaves of wide OBB trees that may be nearer than a limit, nearest
 * first. Three planes per pair, in doubles, exclude nine of ten pairs that their boxes leave.
 *
 * THE PLANES. Three vectors serve as n. One is the vector along which the nearest pair so far is
 * proved apart. One belongs to the pair measured last, which is often a neighbor. The third, for
 * each pair, is the difference of the two triangles' centers. All of a triangle of a lies where n.x
 * >= least, all of one of b where n.x <= most. So the two are at least (least - most) / |n| apart.
 * geometry/triangle-distance.ts ("Lower") has the proof and the rounding. There x is relative to
 * a's first vertex, here to the leaf's first one; there X, Y, Z are those of two triangles, here of
 * both leaves. The first two vectors have the other sign, since they point from a to b.
 *
 * Underflow: |n|^2 is above 2^-600, and X, Y, Z have 2^-700 added; lengths are within LEAST_SQUARED
 * and MOST_SQUARED, so nothing overflows. A NaN, which |n| = 0 makes, leaves nothing out.
 *
 * DIGITS. A bracket of triangle-distance.ts was never seen wider than 48 e S. A pair is left out if
 * its bound is above the limit by 64 e (X + Y + Z). So its bracket, too, would be beyond the limit,
 * and the least upper end of all brackets is the same with and without this file, for any limit. If
 * thousands of pairs are equally near, the caller excludes ties: then a bound that is as much below
 * the limit also leaves a pair out. Before that, the caller asks for the bound of all pairs at once
 * along the first n. For two parallel faces, or two fans apex to apex, that ends the search. There
 * each vertex has its own rounding, 6 e T and LEAST_EXTENT |n| for underflow
 * (engine/witness-plane.ts).
 */
import { CONTACTS, POSE_A, POSE_B, RESULT, SCRATCH, STEP } from '../../../kernels/layout.as';
import { countHulls, storeMoved } from '../../../kernels/pair-search.as';
import { movesA, movesB } from '../../../kernels/relative-pose.as';
import { BETWEEN, CANDIDATE_BYTES, FIRST, GAP, IS_FLOAT, ORDER, POSITIONS, PLACES, REST } from './layout.as';
import { loadCorners, PAIRS, TRIANGLE_BYTES, TRIANGLES_A, TRIANGLES_B } from './wide-boxes.as';

const E: f64 = 1.0 / 9007199254740992.0;
const LOWERED: f64 = 1.0 - 6.0 * E;
const LEAST_EXTENT: f64 = reinterpret<f64>(<u64>(1023 - 700) << 52);
const LEAST_NORMAL: f64 = reinterpret<f64>(<u64>(1023 - 600) << 52);

// b's four triangles side by side: nine coordinates, three sums of these, the least along two n.
const OF_B: usize = SCRATCH;
const ROW: usize = 32;
const ALONG: usize = 12 * ROW;
const ALONG_LAST: usize = 13 * ROW;
// a's one after the other: the same fourteen numbers, but the greatest along n.
const OF_A: usize = SCRATCH + 14 * ROW;
const BYTES_OF_A: usize = 112;
/** f64 x 4: bounds of the pairs of a row. */
const BOUNDS: usize = OF_A + 4 * BYTES_OF_A;

// Data of the two leaves: the origin; X, Y, Z; the first two n, their lengths, and the bounds of
// rounding.
let o0: f64 = 0;
let o1: f64 = 0;
let o2: f64 = 0;
let x0: f64 = 0;
let x1: f64 = 0;
let x2: f64 = 0;
let n0: f64 = 0;
let n1: f64 = 0;
let n2: f64 = 0;
let errorAlong: f64 = 0;
let lengthAlong: f64 = 0;
let l0: f64 = 0;
let l1: f64 = 0;
let l2: f64 = 0;
let errorLast: f64 = 0;
let lengthLast: f64 = 0;

let treeOfA: usize = 0;
let treeOfB: usize = 0;

export function beginLeaves(w: usize, a: usize, b: usize): void {
  treeOfA = a;
  treeOfB = b;
  store<f64>(w + RESULT + REST, Infinity);
}

/**
 * Lists the pairs in `mask` that may be no farther apart than `most`. Moves their corners into the
 * workspace. Returns the count.
 *
 * @param ties true to leave out pairs that are as far apart, within rounding
 */
export function nearTriangles(w: usize, firstA: u32, firstB: u32, mask: u32, most: f64, ties: bool): u32 {
  loadLeaves(w, firstA, firstB, mask);
  const spare = 64 * E * (x0 + x1 + x2);
  const limit = max(ties ? most - spare : most + spare, 0);
  let rest = load<f64>(w + RESULT + REST);
  let kept: u32 = mask;
  if (most < Infinity) {
    for (let i: u32 = 0; i < 4; i++) {
      const columns = (mask >> (4 * i)) & 15;
      if (columns == 0) continue;
      const a = w + OF_A + BYTES_OF_A * <usize>i;
      if (columns & 3) v128.store(w + BOUNDS, boundsOfTwo(w, a, 0));
      if (columns & 12) v128.store(w + BOUNDS, boundsOfTwo(w, a, 16), 16);
      for (let j: u32 = 0; j < 4; j++) {
        const bound = load<f64>(w + BOUNDS + (<usize>j << 3));
        if (!((columns >> j) & 1) || !(bound > limit)) continue;
        kept ^= 1 << (4 * i + j);
        rest = min(rest, bound);
        countHulls();
      }
    }
    store<f64>(w + RESULT + REST, rest);
  }
  return kept == 0 ? 0 : list(w, firstA, firstB, kept);
}

function loadLeaves(w: usize, firstA: u32, firstB: u32, mask: u32): void {
  const first = w + TRIANGLES_A + TRIANGLE_BYTES * <usize>(ctz(mask) >> 2);
  for (let i: u32 = 0; i < 4; i++) {
    if ((mask >> (4 * i)) & 15) loadCorners(treeOfA, firstA + i, w + POSE_A, movesA, w + TRIANGLES_A + TRIANGLE_BYTES * <usize>i);
  }
  o0 = load<f64>(first);
  o1 = load<f64>(first, 8);
  o2 = load<f64>(first, 16);
  n0 = load<f64>(w + STEP + BETWEEN);
  n1 = load<f64>(w + STEP + BETWEEN, 8);
  n2 = load<f64>(w + STEP + BETWEEN, 16);
  l0 = load<f64>(w + STEP + BETWEEN, 24);
  l1 = load<f64>(w + STEP + BETWEEN, 32);
  l2 = load<f64>(w + STEP + BETWEEN, 40);
  x0 = x1 = x2 = LEAST_EXTENT;
  for (let i: u32 = 0; i < 4; i++) {
    if (!((mask >> (4 * i)) & 15)) continue;
    placeTriangle(w + TRIANGLES_A + TRIANGLE_BYTES * <usize>i, w + OF_A + BYTES_OF_A * <usize>i, 8, true);
  }
  for (let j: u32 = 0; j < 4; j++) {
    if (!(mask & (0x1111 << j))) continue;
    const corners = w + TRIANGLES_B + TRIANGLE_BYTES * <usize>j;
    loadCorners(treeOfB, firstB + j, w + POSE_B, movesB, corners);
    placeTriangle(corners, w + OF_B + (<usize>j << 3), ROW, false);
  }
  const squares = n0 * n0 + n1 * n1 + n2 * n2;
  lengthAlong = squares > LEAST_NORMAL ? sqrt(squares) : NaN;
  const squaresLast = l0 * l0 + l1 * l1 + l2 * l2;
  lengthLast = squaresLast > LEAST_NORMAL ? sqrt(squaresLast) : NaN;
  errorLast = 12 * E * (abs(l0) * x0 + abs(l1) * x1 + abs(l2) * x2);
  errorAlong = 12 * E * (abs(n0) * x0 + abs(n1) * x1 + abs(n2) * x2);
}

/** Stores a triangle's coordinates from the origin, their sums, and its reach along two n. */
@inline
function placeTriangle(corners: usize, to: usize, step: usize, isUpper: bool): void {
  let sum0: f64 = 0;
  let sum1: f64 = 0;
  let sum2: f64 = 0;
  let reach: f64 = 0;
  let reachLast: f64 = 0;
  for (let k: usize = 0; k < 3; k++) {
    const p = load<f64>(corners + 24 * k) - o0;
    const q = load<f64>(corners + 24 * k, 8) - o1;
    const r = load<f64>(corners + 24 * k, 16) - o2;
    store<f64>(to + step * (3 * k), p);
    store<f64>(to + step * (3 * k + 1), q);
    store<f64>(to + step * (3 * k + 2), r);
    x0 = max(x0, abs(p));
    x1 = max(x1, abs(q));
    x2 = max(x2, abs(r));
    sum0 += p;
    sum1 += q;
    sum2 += r;
    const along = n0 * p + n1 * q + n2 * r;
    const last = l0 * p + l1 * q + l2 * r;
    reachLast = k == 0 ? last : isUpper ? max(reachLast, last) : min(reachLast, last);
    reach = k == 0 ? along : isUpper ? max(reach, along) : min(reach, along);
  }
  store<f64>(to + step * 9, sum0);
  store<f64>(to + step * 10, sum1);
  store<f64>(to + step * 11, sum2);
  store<f64>(to + step * 12, reach);
  store<f64>(to + step * 13, reachLast);
}

/** Bounds for a triangle of a and two of b, `half` bytes into each row. */
@inline
function boundsOfTwo(w: usize, a: usize, half: usize): v128 {
  const b = w + OF_B + half;
  const nx = f64x2.sub(v128.load64_splat(a, 72), v128.load(b, 9 * ROW));
  const ny = f64x2.sub(v128.load64_splat(a, 80), v128.load(b, 10 * ROW));
  const nz = f64x2.sub(v128.load64_splat(a, 88), v128.load(b, 11 * ROW));
  const a0 = sumOfTwo(nx, v128.load64_splat(a), ny, v128.load64_splat(a, 8), nz, v128.load64_splat(a, 16));
  const a1 = sumOfTwo(nx, v128.load64_splat(a, 24), ny, v128.load64_splat(a, 32), nz, v128.load64_splat(a, 40));
  const a2 = sumOfTwo(nx, v128.load64_splat(a, 48), ny, v128.load64_splat(a, 56), nz, v128.load64_splat(a, 64));
  const b0 = sumOfTwo(nx, v128.load(b), ny, v128.load(b, ROW), nz, v128.load(b, 2 * ROW));
  const b1 = sumOfTwo(nx, v128.load(b, 3 * ROW), ny, v128.load(b, 4 * ROW), nz, v128.load(b, 5 * ROW));
  const b2 = sumOfTwo(nx, v128.load(b, 6 * ROW), ny, v128.load(b, 7 * ROW), nz, v128.load(b, 8 * ROW));
  const least = f64x2.pmin(a0, f64x2.pmin(a1, a2));
  const most = f64x2.pmax(b0, f64x2.pmax(b1, b2));
  const sizes = sumOfTwo(
    f64x2.abs(nx), f64x2.splat(x0), f64x2.abs(ny), f64x2.splat(x1), f64x2.abs(nz), f64x2.splat(x2),
  );
  const error = f64x2.mul(f64x2.splat(12 * E), sizes);
  const squares = sumOfTwo(nx, nx, ny, ny, nz, nz);
  const length = f64x2.sqrt(squares);
  const between = f64x2.mul(f64x2.div(f64x2.sub(f64x2.sub(least, most), error), length), f64x2.splat(LOWERED));
  const isLong = f64x2.gt(squares, f64x2.splat(LEAST_NORMAL));
  const apart = f64x2.sub(v128.load(b, ALONG), v128.load64_splat(a, 96));
  const along = f64x2.mul(
    f64x2.div(f64x2.sub(apart, f64x2.splat(errorAlong)), f64x2.splat(lengthAlong)),
    f64x2.splat(LOWERED),
  );
  const known = v128.bitselect(between, f64x2.splat(-Infinity), isLong);
  const apartLast = f64x2.sub(v128.load(b, ALONG_LAST), v128.load64_splat(a, 104));
  const alongLast = f64x2.mul(
    f64x2.div(f64x2.sub(apartLast, f64x2.splat(errorLast)), f64x2.splat(lengthLast)),
    f64x2.splat(LOWERED),
  );
  return f64x2.pmax(f64x2.pmax(known, along), alongLast);
}

@inline
function sumOfTwo(p: v128, x: v128, q: v128, y: v128, r: v128, z: v128): v128 {
  return f64x2.add(f64x2.add(f64x2.mul(p, x), f64x2.mul(q, y)), f64x2.mul(r, z));
}

/** Lower bound of the distance of two trees' vertices along the first n; NaN or less if unknown. */
export function leastAlong(w: usize, countA: u32, countB: u32): f64 {
  n0 = load<f64>(w + STEP + BETWEEN);
  n1 = load<f64>(w + STEP + BETWEEN, 8);
  n2 = load<f64>(w + STEP + BETWEEN, 16);
  const squares = n0 * n0 + n1 * n1 + n2 * n2;
  if (!(squares > LEAST_NORMAL)) return NaN;
  const corner = w + TRIANGLES_A;
  storeVertex(treeOfA, 0, w + POSE_A, movesA, corner);
  o0 = load<f64>(corner);
  o1 = load<f64>(corner, 8);
  o2 = load<f64>(corner, 16);
  let most = -Infinity;
  for (let v: u32 = 0; v < countA; v++) most = max(most, -reachOfVertex(treeOfA, v, w + POSE_A, movesA, corner, -1));
  let least = Infinity;
  for (let v: u32 = 0; v < countB; v++) least = min(least, reachOfVertex(treeOfB, v, w + POSE_B, movesB, corner, 1));
  return ((least - most) / sqrt(squares)) * (1 - 8 * E);
}

@inline
function storeVertex(tree: usize, v: u32, pose: usize, moves: bool, to: usize): void {
  const positions = <usize>load<u32>(tree + POSITIONS);
  if (load<u32>(tree + IS_FLOAT) != 0) {
    const p = positions + 12 * <usize>v;
    storeMoved(pose, moves, load<f32>(p), load<f32>(p, 4), load<f32>(p, 8), to);
  } else {
    const p = positions + 24 * <usize>v;
    storeMoved(pose, moves, load<f64>(p), load<f64>(p, 8), load<f64>(p, 16), to);
  }
}

/** Lower bound of `sign` times a vertex's place along the first n. */
@inline
function reachOfVertex(tree: usize, v: u32, pose: usize, moves: bool, to: usize, sign: f64): f64 {
  storeVertex(tree, v, pose, moves, to);
  const p = n0 * (load<f64>(to) - o0);
  const q = n1 * (load<f64>(to, 8) - o1);
  const r = n2 * (load<f64>(to, 16) - o2);
  const spare = 6 * E * (abs(p) + abs(q) + abs(r)) + LEAST_EXTENT * (abs(n0) + abs(n1) + abs(n2));
  return sign * (p + q + r) - spare;
}

/** Lists one pair of triangles, by their places in leaf order. */
export function listPair(w: usize, placeA: u32, placeB: u32): void {
  loadCorners(treeOfA, placeA, w + POSE_A, movesA, w + TRIANGLES_A);
  loadCorners(treeOfB, placeB, w + POSE_B, movesB, w + TRIANGLES_B);
  store<f32>(w + PAIRS, 0);
  store<f64>(w + RESULT, list(w, placeA, placeB, 1));
}

/** Lists pairs of triangles, nearest first. */
function list(w: usize, firstA: u32, firstB: u32, pairs: u32): u32 {
  const orderA = <usize>load<u32>(treeOfA + ORDER);
  const orderB = <usize>load<u32>(treeOfB + ORDER);
  store<u32>(w + STEP + FIRST, firstA);
  store<u32>(w + STEP + FIRST, firstB, 4);
  const first = w + CONTACTS;
  let mask = pairs;
  let top = first;
  while (mask) {
    const k = ctz(mask);
    mask &= mask - 1;
    const gap = load<f32>(w + PAIRS + (<usize>k << 2));
    let place = top;
    while (place > first && load<f32>(place - CANDIDATE_BYTES, GAP) > gap) {
      v128.store(place, v128.load(place - CANDIDATE_BYTES));
      place -= CANDIDATE_BYTES;
    }
    store<u32>(place, load<u32>(orderA + (<usize>(firstA + (k >> 2)) << 2)));
    store<u32>(place, load<u32>(orderB + (<usize>(firstB + (k & 3)) << 2)), 4);
    store<u32>(place, k, PLACES);
    store<f32>(place, gap, GAP);
    top += CANDIDATE_BYTES;
  }
  return <u32>((top - first) / CANDIDATE_BYTES);
}
