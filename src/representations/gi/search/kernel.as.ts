/**
 * Tests two trees of slab-cut balls (geometry images), a whole query per call. The readable twin is
 * test/kernels/twins/gi.ts.
 *
 * T. Larsson, T. Akenine-Moller, "Bounding volume hierarchies of slab cut balls", Computer Graphics
 * Forum 28, 2009. Departures: both nodes are opened, so that four children are tested against each
 * of four in lanes. A slab is tested against a disk (below) instead of the cut ball, which costs
 * only its volume's corners. Pairs that balls and disks leave are tested as boxes around the slabs,
 * whose sides are found when an image is placed (sides.as.ts). The pair whose balls overlap most is
 * tested first.
 *
 * Letters: in steps of its image's grid, a node is the p with
 *   |p - c| <= r, |n . (p - c)| <= h, |u . (p - c)| <= e, |w . (p - c)| <= f
 * n, u and w = n x u are orthogonal, of length 1. x = M y + t takes b's grid into a's. M = s T,
 * with s a length, and T a rotation except for `skew` (pair-kernel.ts). m and v are b's normal and
 * side, turned. d = c_b - c_a, k = n . m, p = n . v, and u = 2^-24 where it is a number.
 *
 * THE TESTS. Let z lie in both. A pair that breaks one of these is apart. Balls:
 *   |d| <= r_a + r_b
 * Disks: z - c_b is at most h_b along m and at most r_b long, and n = k m + sqrt(1 - k^2) e with a
 * unit e across m. So, and the same with a and b exchanged,
 *   |n . d| <= h_a + |k| h_b + sqrt(1 - k^2) r_b
 * Boxes: any vector l reaches into one
 *   |l . m| h + |l . v| e + |l . (m x v)| f, (l . (m x v))^2 = |l|^2 - (l . m)^2 - (l . v)^2
 * For l = n the disks' test becomes
 *   |n . d| <= h_a + |k| h_b + |p| e_b + sqrt(1 - k^2 - p^2) f_b
 * For l = d: |d|^2 is at most the sum of d's reaches into both.
 *
 * ROUNDING. The placer takes n, u, c as float32, makes r, h, e, f large enough for these
 * (kernel.ts), and adds 2^-20 r to all. In a query:
 *
 * c_b is computed with M's entries and t rounded, and 4 roundings more. So it is within 6 u S of
 * the true one, S_i = sum |M_ij| |c_j| + |t_i|. `slack` holds 8 u |S|, the error of mapped bounds
 * (pair-kernel.ts) and the decoding of vertices.
 *
 * m = (M / s) n is within 1.74 * 4 u of T n, which has length 1 within skew. For w = y - c_b,
 *   m . M w = s (T n . T w) + s (m - T n) . T w
 * and T^T T = I but for skew, so it is at most s (h_b + (skew + 2^-21) r_b).
 *
 * `scale` is at least s (1 + skew) (1 + 2^-19), and, with e_b' and f_b' like h_b',
 *   r_b' = scale r_b + slack, h_b' = scale h_b + (2 skew + 2^-18) r_b' + slack
 *
 * Disks: the computed k is within skew + 2^-20 of the cosine of the angle of n and m, so its square
 * is too large by at most 2 skew + 2^-18. `parallel` >= 1 + 3 skew + 2^-17 replaces 1. So the
 * square of the root is larger than the sine's by at least 2^-18, and the root by 2^-19. All
 * roundings (4 in n . d, 8 in the rest) are at most 3 * 2^-22 (r_a + r_b'). The roundings of r_a
 * are in h_a, or for b's plane in 2^-19 r_a; the roundings of r_b' are in 2^-19 r_b'.
 *
 * Boxes: z - c_b is s T x and at most slack more, with
 *   x = (n . x) n + (u . x) u + (w . x) w
 * So l reaches at most
 *   |l . T n| s h_b + |l . T u| s e_b + |l . T w| s f_b + |l| slack
 *   (l . T w)^2 <= (1 + skew)^2 |l|^2 - (l . T n)^2 - (l . T u)^2
 * Each computed product is within 13 u |l| < 2^-20 |l|, their squares within 2^-18 |l|^2 together,
 * and |m| <= (1 + skew) (1 + 2^-20): `parallel` |l|^2 holds both. The three factors add up to |l|
 * or more, so slack, which is in h_b', e_b' and f_b', is counted. The products leave 2^-19 of r_a
 * and of r_b', times |l|. 12 roundings of sums below 3 |l| (r_a + r_b') remain, in all below 2^-17
 * |l| (r_a + r_b'). `spare` >= 4 skew + 2^-16 times r_a + r_b' is added; for l = d times its
 * square, since |d| is no longer.
 *
 * (r_a + r_b')^2 and |d|^2 pass at most 6 roundings, and radii are larger by 2^-20. Numbers stay
 * below 2^100, except in lanes without a node, where infinite values are below zero. None is NaN:
 * kernel.ts ensures that.
 *
 * Small squares. r_b' >= `slack`, and only `slack` >= LEAST_SQUARED is taken. (r_a + r_b')^2 is
 * then at least 1e-32, and `spare` times it 1.5e-37, which is normal. Products below 2^-126 are
 * wrong by 2^-150 each, a dozen of them by less than 1e-44. The stored `slack` is larger than
 * necessary by 2^-19 of itself, 1.9e-22, so the square of the radii is larger by 3e-38. Roots of
 * remaining squares are wrong by at most 1e-22, times half extents that together are at most the
 * radii. Half of `spare` times the radii's square is left: 7.6e-22 times the radii.
 *
 * Leaves are quads: their triangles' corners are decoded and moved in doubles in the defining
 * order, and the exact test decides.
 *
 * Pops of a miss, and us of hits | misses, medians, near contact, for a torus in five charts:
 *   as here 170, 2.2 | 8.6; disks alone 310, 3.0 | 12.5
 *   boxes at once, for all that disks would separate, 2.5 | 10.4, with w and no roots 2.7 | 10.9
 *   boxes if fewer than three of a row overlap 2.7 | 10.1
 * A bunny at 257, one square: 80, 2.2 | 5.4; 129, 2.1 | 6.8. Balls first, and the rest only for
 * overlapping ones, 3.5 of 16: 0.95 of the time. Slower: the nearest pair by planes first 1.4
 * times, rows of four written out 1.05 times, only one side's plane 1.7 times the time.
 */
export { sortContacts } from '../../../kernels/pair-search.as';
export { placeSides } from './sides.as';
import { dot, rowBy, splat } from '../../../kernels/lanes.as';
import { LEAST_SQUARED, POSE_A, POSE_B, QUERY, RESULT, STACK, STEP, UNSUITED } from '../../../kernels/layout.as';
import {
  addContact, answerPose, beginSearch, capacity, countHulls, found, isAll, leaveSearch, resumeSearch, takePose, turn,
} from '../../../kernels/pair-search.as';
import {
  first, high0, high1, high2, low0, low1, low2, mapped, movesA, movesB, normOfPoses, relatePoses, second, skewOfPoses,
} from '../../../kernels/relative-pose.as';
import { trianglesMeet } from '../../../kernels/triangle-pair.as';
import { areQuadsBelow, block, childOf, isQuad, lane, levelBelow, loadQuad, lookAt, nodeOf, quadOf, recordOf } from './image-nodes.as';
import {
  ACROSS,
  ALONG,
  BLOCK_BYTES,
  BLOCKS,
  CENTRES,
  DECODE_ERROR,
  FINEST,
  FIRST_QUAD,
  GRID,
  GRID_REACH,
  HALVES,
  NORMALS,
  OVER,
  RADII,
  REACH,
  ROOT_CHART,
  SIDES,
} from './layout.as';

// The query, float32.
const LINEAR: usize = QUERY; // M, 3 x 3
const SHIFT: usize = QUERY + 36; // t
const TURN: usize = QUERY + 48; // M / s
const SCALE: usize = QUERY + 84;
const SLACK: usize = QUERY + 88;
const SKEW: usize = QUERY + 92; // 2 skew + 2^-18
const PARALLEL: usize = QUERY + 96; // 1 + 3 skew + 2^-17
const SPARE: usize = QUERY + 100; // 4 skew + 2^-16

// Step data: b's nodes in a's grid; overlaps, 16 f32; four quads' triangles per side.
const MOVED: usize = STEP;
const OVERLAPS: usize = STEP + 208;
const QUADS_A: usize = STEP + 272;
const QUADS_B: usize = STEP + 848;
const QUAD_BYTES: usize = 144;
const TRIANGLE_BYTES: usize = 72;

/** A node this many times larger than the other is opened alone. */
const MUCH_LARGER: f32 = 2;
const MOST_OF_PAIR: u32 = 4;

const UP: f64 = 1.0 + 1.0 / 4194304.0; // 1 + 2^-22, for rounding to float32
const RAISED: f64 = 1.0 + 1.0 / 524288.0; // 1 + 2^-19
const OUTWARD: f64 = 1.0 + 1.0 / 140737488355328.0; // 1 + 2^-47
const SUMS: f64 = 1.0 + 1.0 / 1099511627776.0; // 1 + 2^-40
const TINY: f64 = 1.0 / 17592186044416.0; // 2^-44
const COARSE: f64 = 1.0 / 262144.0; // 2^-18
const PARALLEL_SPARE: f64 = 1.0 / 131072.0; // 2^-17
const SPARE_OF_SUMS: f64 = 1.0 / 65536.0; // 2^-16
const ROUNDING: f64 = 1.0 / 2097152.0; // 2^-21
/** Larger radii, farther images, and greater ratios of steps are left to descent.ts. */
const LARGEST: f64 = 1099511627776; // 2^40
const LARGEST_SCALE: f64 = 1073741824; // 2^30

// -------------------------------------------------------------------------------- the query

let imageA: usize = 0;
let imageB: usize = 0;

const APART: i32 = 0;
const READY: i32 = 1;

const ENTRY_BYTES: usize = 16;

/**
 * Queries images in the workspace's poses: ENDED, FULL (call `slabResume`), or UNSUITED, also if a
 * pose is not rigid.
 */
export function slabQuery(a: usize, b: usize, workspace: usize, wantsAll: i32, room: i32): i32 {
  imageA = a;
  imageB = b;
  const state = relate(workspace);
  if (state == UNSUITED) return UNSUITED;
  beginSearch(workspace, wantsAll, room, state == READY ? <u32>ENTRY_BYTES : 0);
  // The roots, already compared by `relate`.
  store<f64>(workspace + RESULT, 1, 8);
  store<u64>(workspace + STACK, nodeOf(0, load<u32>(a + ROOT_CHART)));
  store<u64>(workspace + STACK, nodeOf(0, load<u32>(b + ROOT_CHART)), 8);
  return slabResume(workspace);
}

/** First contacts in many poses of b (layout.as.ts), with the pose of a in the workspace. */
export function slabPoses(a: usize, b: usize, workspace: usize, count: i32): void {
  for (let n = 0; n < count; n++) {
    takePose(workspace, n);
    answerPose(workspace, n, slabQuery(a, b, workspace, 0, MOST_OF_PAIR));
  }
}

let squares: f64 = 0;
let apart: f64 = 0;

/** Writes b's grid in a's (in doubles in pages.ts): READY, APART or UNSUITED. */
function relate(w: usize): i32 {
  if (!relatePoses(w + POSE_A, w + POSE_B, load<f64>(imageA + REACH), load<f64>(imageB + REACH))) return UNSUITED;
  squares = 0;
  apart = 0;
  writeRow(w, 0, low0, high0);
  writeRow(w, 1, low1, high1);
  writeRow(w, 2, low2, high2);
  const stepA = load<f64>(imageA + GRID, 24);
  const scale = ((normOfPoses * load<f64>(imageB + GRID, 24)) / stepA) * OUTWARD;
  const skew = skewOfPoses + TINY;
  const errors = load<f64>(imageA + DECODE_ERROR) + 2 * load<f64>(imageB + DECODE_ERROR);
  const rounding = ROUNDING * sqrt(squares);
  const slack = ((mapped + errors) / stepA) * SUMS + rounding;
  // Radii of placed nodes include 2^-20 already.
  const rootA = <f64>load<f32>(<usize>load<u32>(imageA + BLOCKS), RADII);
  const rootB = <f64>load<f32>(<usize>load<u32>(imageB + BLOCKS), RADII);
  const radii = rootA + rootB * scale + slack;
  if (apart > radii * radii) return APART;
  const isFine = rounding <= 0.25 * load<f64>(imageA + FINEST) && rounding <= 0.25 * load<f64>(imageB + FINEST) * scale;
  const isInRange =
    squares < LARGEST * LARGEST && slack > LEAST_SQUARED && slack < LARGEST && scale < LARGEST_SCALE && scale * LARGEST_SCALE > 1;
  if (!isFine || !isInRange) return UNSUITED;
  store<f32>(w + SCALE, f32(scale * RAISED * UP));
  store<f32>(w + SLACK, f32(slack * RAISED * UP));
  store<f32>(w + SKEW, f32((2 * skew + COARSE) * UP));
  store<f32>(w + PARALLEL, f32((1 + 3 * skew + PARALLEL_SPARE) * UP));
  store<f32>(w + SPARE, f32((4 * skew + SPARE_OF_SUMS) * UP));
  return READY;
}

@inline
function writeRow(w: usize, i: usize, low: v128, high: v128): void {
  const x = first(low);
  const y = second(low);
  const z = first(high);
  const along = second(high);
  const gridB = imageB + GRID;
  const stepA = load<f64>(imageA + GRID, 24);
  const stepB = load<f64>(gridB, 24);
  const toUnit = stepA / stepB;
  const ox = (x * stepB) / stepA;
  const oy = (y * stepB) / stepA;
  const oz = (z * stepB) / stepA;
  const sum = along - load<f64>(imageA + GRID + 8 * i) + x * load<f64>(gridB) + y * load<f64>(gridB, 8) + z * load<f64>(gridB, 16);
  const shift = sum / stepA;
  const linear = w + LINEAR + 12 * i;
  store<f32>(linear, f32(ox));
  store<f32>(linear, f32(oy), 4);
  store<f32>(linear, f32(oz), 8);
  store<f32>(w + SHIFT + 4 * i, f32(shift));
  const turn = w + TURN + 12 * i;
  store<f32>(turn, f32(ox * toUnit));
  store<f32>(turn, f32(oy * toUnit), 4);
  store<f32>(turn, f32(oz * toUnit), 8);
  const size = abs(shift) + (abs(ox) + abs(oy) + abs(oz)) * load<f64>(imageB + GRID_REACH);
  squares += size * size;
  const rootA = <usize>load<u32>(imageA + BLOCKS) + CENTRES;
  const rootB = <usize>load<u32>(imageB + BLOCKS) + CENTRES;
  const d = shift - <f64>load<f32>(rootA + 16 * i) + ox * <f64>load<f32>(rootB) + oy * <f64>load<f32>(rootB, 16) + oz * <f64>load<f32>(rootB, 32);
  apart += d * d;
}

// -------------------------------------------------------------------------------- the search

export function slabResume(w: usize): i32 {
  const bottom = w + STACK;
  let top = resumeSearch(w);
  const blocksA = <usize>load<u32>(imageA + BLOCKS);
  const blocksB = <usize>load<u32>(imageB + BLOCKS);
  const scale = load<f32>(w + SCALE);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  while (top > bottom && found + MOST_OF_PAIR <= capacity && bounds < turn) {
    top -= ENTRY_BYTES;
    const nodeA = load<u64>(top);
    const nodeB = load<u64>(top, 8);
    lookAt(imageA, nodeA);
    const belowA = block;
    const isQuadA = isQuad;
    const areQuadsA = isQuad || areQuadsBelow;
    lookAt(imageB, nodeB);
    const belowB = block;
    const areQuadsB = isQuad || areQuadsBelow;
    let opensA = !isQuadA;
    let opensB = !isQuad;
    if (opensA && opensB) {
      const radiusA = load<f32>(lane(blocksA, <u32>nodeA) + RADII);
      const radiusB = scale * load<f32>(lane(blocksB, <u32>nodeB) + RADII);
      if (radiusA > MUCH_LARGER * radiusB) opensB = false;
      else if (radiusB > MUCH_LARGER * radiusA) opensA = false;
    }
    const firstA = opensA ? belowA << 2 : <u32>nodeA;
    const firstB = opensB ? belowB << 2 : <u32>nodeB;
    // Bits of pairs: a's lane x 4 + b's if both are opened, else the opened one's lane.
    let pairs: u32 = 1;
    if (opensA || opensB) {
      if (opensA) deepest = max(deepest, levelBelow(imageA, nodeA, belowA));
      if (opensB) deepest = max(deepest, levelBelow(imageB, nodeB, belowB));
      const ofA = blocksA + <usize>(firstA >> 2) * BLOCK_BYTES;
      const ofB = blocksB + <usize>(firstB >> 2) * BLOCK_BYTES;
      moveBalls(w, ofB);
      if (opensA && opensB) {
        pairs = overlapping(w, ofA, ofB);
        bounds += 16;
      } else {
        moveBoxes(w, ofB);
        pairs = opensA
          ? boxesMeet(w, w + OVERLAPS, lane(w + MOVED, <u32>nodeB & 3), ofA)
          : boxesMeet(w, w + OVERLAPS, lane(ofA, <u32>nodeA & 3), w + MOVED);
        bounds += 4;
      }
    }
    const step = (opensA ? 1 : 0) | (opensB ? 2 : 0);
    if (areQuadsA && areQuadsB && opensA == !isQuadA && opensB == !isQuad) {
      top = meetAll(w, top, pairs, step, firstA, firstB, nodeA, nodeB);
      if (found == 0 || isAll) continue;
      top = bottom;
      break;
    }
    top = pushAll(w, top, pairs, step, firstA, firstB, nodeA, nodeB);
  }
  return leaveSearch(w, top, bounds, deepest);
}

function pushAll(w: usize, from: usize, pairs: u32, opened: i32, firstA: u32, firstB: u32, nodeA: u64, nodeB: u64): usize {
  if (pairs == 0) return from;
  let top = from;
  let most: f32 = -Infinity;
  let best = top;
  do {
    const bit = <u32>ctz(pairs);
    pairs &= pairs - 1;
    const by = load<f32>(w + OVERLAPS + (<usize>bit << 2));
    const isMore = by > most;
    best = select(top, best, isMore);
    most = select(by, most, isMore);
    store<u64>(top, childOf(imageA, firstA + laneOfA(bit, opened), nodeA, (opened & 1) != 0));
    store<u64>(top, childOf(imageB, firstB + laneOfB(bit, opened), nodeB, (opened & 2) != 0), 8);
    top += ENTRY_BYTES;
  } while (pairs != 0);
  const last = v128.load(top - ENTRY_BYTES);
  v128.store(top - ENTRY_BYTES, v128.load(best));
  v128.store(best, last);
  return top;
}

@inline
function laneOfA(bit: u32, opened: i32): u32 {
  return opened == 3 ? bit >> 2 : opened & 1 ? bit : 0;
}

@inline
function laneOfB(bit: u32, opened: i32): u32 {
  return opened & 2 ? bit & 3 : 0;
}

// -------------------------------------------------------------------------------- nodes

@inline
function moveBalls(w: usize, from: usize): void {
  const x = v128.load(from, CENTRES);
  const y = v128.load(from, CENTRES + 16);
  const z = v128.load(from, CENTRES + 32);
  const to = w + MOVED;
  v128.store(to, f32x4.add(rowBy(w + LINEAR, x, y, z), splat(w + SHIFT)), CENTRES);
  v128.store(to, f32x4.add(rowBy(w + LINEAR + 12, x, y, z), splat(w + SHIFT + 4)), CENTRES + 16);
  v128.store(to, f32x4.add(rowBy(w + LINEAR + 24, x, y, z), splat(w + SHIFT + 8)), CENTRES + 32);
  v128.store(to, f32x4.add(f32x4.mul(v128.load(from, RADII), splat(w + SCALE)), splat(w + SLACK)), RADII);
}

@inline
function moveBoxes(w: usize, from: usize): void {
  const to = w + MOVED;
  moveAxes(w, from + NORMALS, to + NORMALS);
  moveAxes(w, from + SIDES, to + SIDES);
  const scale = splat(w + SCALE);
  const spare = f32x4.add(splat(w + SLACK), f32x4.mul(v128.load(to, RADII), splat(w + SKEW)));
  v128.store(to, f32x4.add(f32x4.mul(v128.load(from, HALVES), scale), spare), HALVES);
  v128.store(to, f32x4.add(f32x4.mul(v128.load(from, ALONG), scale), spare), ALONG);
  v128.store(to, f32x4.add(f32x4.mul(v128.load(from, ACROSS), scale), spare), ACROSS);
}

@inline
function moveAxes(w: usize, from: usize, to: usize): void {
  const x = v128.load(from);
  const y = v128.load(from, 16);
  const z = v128.load(from, 32);
  v128.store(to, rowBy(w + TURN, x, y, z));
  v128.store(to, rowBy(w + TURN + 12, x, y, z), 16);
  v128.store(to, rowBy(w + TURN + 24, x, y, z), 32);
}

/** Bits of moved nodes of a block of b that meet a's: a's lane x 4 + b's. */
@inline
function overlapping(w: usize, ofA: usize, ofB: usize): u32 {
  let near: u32 = 0;
  for (let k: usize = 0; k < 16; k += 4) near |= ballsMeet(ofA + k, w + MOVED) << <u32>k;
  if (near == 0) return 0;
  moveBoxes(w, ofB);
  let pairs: u32 = 0;
  do {
    const k = ctz(near) & 12;
    near &= ~(15 << k);
    pairs |= boxesMeet(w, w + OVERLAPS + (<usize>k << 2), ofA + <usize>k, w + MOVED) << k;
  } while (near != 0);
  return pairs;
}

@inline
function ballsMeet(one: usize, four: usize): u32 {
  const dx = f32x4.sub(v128.load(four, CENTRES), splat(one + CENTRES));
  const dy = f32x4.sub(v128.load(four, CENTRES + 16), splat(one + CENTRES + 16));
  const dz = f32x4.sub(v128.load(four, CENTRES + 32), splat(one + CENTRES + 32));
  const radii = f32x4.add(v128.load(four, RADII), splat(one + RADII));
  const ball = f32x4.sub(f32x4.mul(radii, radii), dot(dx, dy, dz, dx, dy, dz));
  return 15 ^ <u32>i32x4.bitmask(ball);
}

/** Bits of four nodes that meet the one at `one`; stores their balls' relative overlap. */
@inline
function boxesMeet(w: usize, overlaps: usize, one: usize, four: usize): u32 {
  const parallel = splat(w + PARALLEL);
  const dx = f32x4.sub(v128.load(four, CENTRES), splat(one + CENTRES));
  const dy = f32x4.sub(v128.load(four, CENTRES + 16), splat(one + CENTRES + 16));
  const dz = f32x4.sub(v128.load(four, CENTRES + 32), splat(one + CENTRES + 32));
  const radiusOne = splat(one + RADII);
  const radiusFour = v128.load(four, RADII);
  const radii = f32x4.add(radiusFour, radiusOne);
  const square = f32x4.mul(radii, radii);
  const distance = dot(dx, dy, dz, dx, dy, dz);
  const ball = f32x4.sub(square, distance);
  v128.store(overlaps, f32x4.div(ball, square));
  const nx = splat(one + NORMALS);
  const ny = splat(one + NORMALS + 16);
  const nz = splat(one + NORMALS + 32);
  const mx = v128.load(four, NORMALS);
  const my = v128.load(four, NORMALS + 16);
  const mz = v128.load(four, NORMALS + 32);
  const halfOne = splat(one + HALVES);
  const halfFour = v128.load(four, HALVES);
  const byN = f32x4.abs(dot(nx, ny, nz, dx, dy, dz));
  const byM = f32x4.abs(dot(mx, my, mz, dx, dy, dz));
  const cosine = f32x4.abs(dot(nx, ny, nz, mx, my, mz));
  const rest = f32x4.sub(parallel, f32x4.mul(cosine, cosine));
  const sine = f32x4.sqrt(rest);
  // Room between the planes, of n and of m, beside the other's thickness.
  const leftOne = f32x4.sub(byN, f32x4.add(halfOne, f32x4.mul(cosine, halfFour)));
  const leftFour = f32x4.sub(byM, f32x4.add(halfFour, f32x4.mul(cosine, halfOne)));
  const byPlanes = f32x4.pmin(
    f32x4.sub(f32x4.mul(sine, radiusFour), leftOne),
    f32x4.sub(f32x4.mul(sine, radiusOne), leftFour),
  );
  const apart = i32x4.bitmask(f32x4.pmin(byPlanes, ball));
  if (apart == 15) return 0;
  const ux = splat(one + SIDES);
  const uy = splat(one + SIDES + 16);
  const uz = splat(one + SIDES + 32);
  const vx = v128.load(four, SIDES);
  const vy = v128.load(four, SIDES + 16);
  const vz = v128.load(four, SIDES + 32);
  const spare = splat(w + SPARE);
  const long = f32x4.mul(parallel, distance);
  const alongOne = splat(one + ALONG);
  const acrossOne = splat(one + ACROSS);
  const alongFour = v128.load(four, ALONG);
  const acrossFour = v128.load(four, ACROSS);
  const ofFour = inPlane(dot(nx, ny, nz, vx, vy, vz), rest, alongFour, acrossFour);
  const ofOne = inPlane(dot(mx, my, mz, ux, uy, uz), rest, alongOne, acrossOne);
  const rounding = f32x4.mul(radii, spare);
  const byBoxes = f32x4.add(f32x4.pmin(f32x4.sub(ofFour, leftOne), f32x4.sub(ofOne, leftFour)), rounding);
  const lineOne = inPlane(dot(ux, uy, uz, dx, dy, dz), f32x4.sub(long, f32x4.mul(byN, byN)), alongOne, acrossOne);
  const lineFour = inPlane(dot(vx, vy, vz, dx, dy, dz), f32x4.sub(long, f32x4.mul(byM, byM)), alongFour, acrossFour);
  const byNormals = f32x4.add(f32x4.mul(byN, halfOne), f32x4.mul(byM, halfFour));
  const line = f32x4.add(f32x4.add(byNormals, f32x4.mul(square, spare)), f32x4.add(lineOne, lineFour));
  return 15 ^ <u32>(apart | i32x4.bitmask(f32x4.pmin(byBoxes, f32x4.sub(line, distance))));
}

/** Reach of boxes in their planes along a vector with this `square` in the plane. */
@inline
function inPlane(bySide: v128, square: v128, along: v128, across: v128): v128 {
  const rest = f32x4.pmax(f32x4.splat(0), f32x4.sub(square, f32x4.mul(bySide, bySide)));
  return f32x4.add(f32x4.mul(f32x4.abs(bySide), along), f32x4.mul(f32x4.sqrt(rest), across));
}

// -------------------------------------------------------------------------------- quads

let loadedA: u32 = 0;
let loadedB: u32 = 0;

/**
 * Tests quads' triangles until one contact is found, if one is wanted. Pairs without room in the
 * list go back on the stack. Returns the top.
 */
function meetAll(w: usize, from: usize, pairs: u32, opened: i32, firstA: u32, firstB: u32, nodeA: u64, nodeB: u64): usize {
  let top = from;
  loadedA = 0;
  loadedB = 0;
  while (pairs != 0) {
    const bit = <u32>ctz(pairs);
    pairs &= pairs - 1;
    const a = childOf(imageA, firstA + laneOfA(bit, opened), nodeA, (opened & 1) != 0);
    const b = childOf(imageB, firstB + laneOfB(bit, opened), nodeB, (opened & 2) != 0);
    if (found + MOST_OF_PAIR > capacity) {
      store<u64>(top, a);
      store<u64>(top, b, 8);
      top += ENTRY_BYTES;
    } else {
      meet(w, a, b);
      if (found > 0 && !isAll) break;
    }
  }
  return top;
}

function meet(w: usize, nodeA: u64, nodeB: u64): void {
  const laneA = <u32>nodeA & 3;
  const laneB = <u32>nodeB & 3;
  const a = w + QUADS_A + <usize>laneA * QUAD_BYTES;
  const b = w + QUADS_B + <usize>laneB * QUAD_BYTES;
  const recordA = recordOf(imageA, <u32>(nodeA >> 32));
  const recordB = recordOf(imageB, <u32>(nodeB >> 32));
  const quadA = quadOf(recordA, <u32>nodeA, load<u32>(imageA + OVER));
  const quadB = quadOf(recordB, <u32>nodeB, load<u32>(imageB + OVER));
  if (((loadedA >> laneA) & 1) == 0) {
    loadedA |= 1 << laneA;
    loadQuad(recordA, quadA, imageA + GRID, w + POSE_A, movesA, a);
  }
  if (((loadedB >> laneB) & 1) == 0) {
    loadedB |= 1 << laneB;
    loadQuad(recordB, quadB, imageB + GRID, w + POSE_B, movesB, b);
  }
  const triangleA = 2 * (load<u32>(recordA + FIRST_QUAD) + quadA);
  const triangleB = 2 * (load<u32>(recordB + FIRST_QUAD) + quadB);
  for (let i: u32 = 0; i < 4; i++) {
    countHulls();
    if (!trianglesMeet(a + (i >> 1) * TRIANGLE_BYTES, b + (i & 1) * TRIANGLE_BYTES)) continue;
    addContact(w, triangleA + (i >> 1), triangleB + (i & 1));
    if (!isAll) return;
  }
}
