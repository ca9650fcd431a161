/**
 * Finds the nearest triangles of two wide OBB trees: a descent that keeps pairs nearer than a
 * limit, and returns candidate triangles. The caller measures these (kernel.ts) and lowers the
 * limit.
 *
 * E. Larsen, S. Gottschalk, M. Lin, D. Manocha, "Fast Proximity Queries with Swept Sphere Volumes",
 * UNC TR99-018, 1999: depth first, the nearer children first, as long as bounds are nearer than the
 * best. Departures: sixteen pairs of children at once, boxes in place of swept spheres, and every
 * few steps the nearest pair of all that are pending comes first. Depth first alone measures
 * hundreds of triangles about one place before it looks at a better one.
 *
 * THE GAP of two boxes is at most the distance of their contents. Boxes of b are widened in a's
 * frame (wide-boxes.as.ts) by `spare`, and by LENGTH_ERROR L once more, because these boxes need
 * not be near contact, and sums with t round by 8 u |t| <= 8.1 u L. Let x be a point of one box, p
 * a point of the other, and w = x - p. Then
 *   |(F_a^T w)_i| >= gap_i + 1.01 mapped wherever gap_i > 0,   |F_a^T w| >= |gap| + 1.01 mapped.
 * F_a^T lengthens by at most sqrt(1 + 3 e), e = FRAME_SKEW, so
 *   |w| >= (1 - 1.5 e) |gap| + mapped.
 * Two moved points are no nearer than `shortest` (|w| - mapped) (engine/pair-kernel.ts). Squares,
 * their sum, the root and two products round by 6 u. NARROWED is 1 - 2 e, below all of it. The same
 * holds along b's axes, since R^T t is as accurate.
 *
 * SMALL SQUARES. A product below 2^-126 is wrong by up to 2^-150, up or down. Sums of such numbers
 * are exact. So, beside the roundings in NARROWED, the computed |gap|^2 is at most 3 x 2^-150 above
 * the true one, and its root at most
 *   sqrt(3) 2^-75 < 2^-74.
 * The bound of w above has room for it: of the 40 u L in `spare`, t's own error takes 18.1 u L, and
 * the rounding of sums with t 8.1 u L. With c = 13 u L for the rest,
 *   |(F_a^T w)_i| >= gap_i + c + 1.01 mapped wherever gap_i > 0,
 * so |F_a^T w| >= |gap| + c + 1.01 mapped: adding c to every positive coordinate lengthens a vector
 * by at least c. Only L >= LEAST_SQUARED is accepted: then c is 7.7e-23, and 2^-74 is 5.3e-23.
 * Products of one length and numbers up to 1, as along a normal, lose 2^-150 each, far below the
 * TINY in `spare`.
 *
 * ALONG A NORMAL n of a's frame, |n| <= 1, the gap is n . w itself:
 *   n . d + n . M F_b^-T u_b - n . F_a^-T u_a,
 * where F^-T u is F u except for 1.8 e S(h), so the distance has no factor e. The products round
 * like those of R and t. Once a pair has been measured, n is the vector that proves it apart.
 * For distant or curved surfaces, this rules out most of the other pairs.
 */
import { splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { FULL, LEAST_SQUARED, MOST_SQUARED, RESULT, STACK, STEP, UNSUITED } from '../../../kernels/layout.as';
import { beginSearch, leaveSearch, resumeSearch } from '../../../kernels/pair-search.as';
import { shortestOfA } from '../../../kernels/relative-pose.as';
import { HIGH, LINK, LOW, WIDTH } from '../tree/wide-layout.as';
import { GAP, LEFT, NODES, NORMAL } from './layout.as';
import { beginLeaves, leastAlong, listPair, nearTriangles } from './near-leaves.as';
import {
  boundsOf, bytesAt, COLUMNS, extentOfB, half, LENGTH_ERROR, lengths, MAP, mappedRow, MUCH_LARGER, PAIRS, relate, row, ROW_OF_MAP, skew,
  slack, storeChildrenOfB, storeOwnOfB, sumOf,
} from './wide-boxes.as';

const E: f64 = 1.0 / 9007199254740992.0;
const NARROWED: f64 = 1.0 - 1.0 / 8192.0;
const NARROWED_ALONG: f64 = 1.0 - 1.0 / 1048576.0;

const ROWS: usize = COLUMNS + 96;

const ENTRY_BYTES: i32 = 16;
/**
 * Steps between searches for the nearest of all pending pairs, and the most bytes of these. A query
 * took 172 us without such searches, and 125, 112 and 109 with one after 32, 8 and 12 steps
 * (geometric means of 16 pairs). Trees have at most 256 levels, so 512 pairs have at most 7,680
 * above them.
 */
const PERIOD: i32 = 12;
const MOST_TO_LOOK_AT: usize = 512 * ENTRY_BYTES;

let treeA: usize = 0;
let treeB: usize = 0;
/** Factors that turn gaps of boxes into lengths of the common frame. */
let unit: f32 = 1;
let unitAlong: f32 = 1;
let wider: f32 = 0;
let since: i32 = 0;
let limit: f32 = Infinity;

/** Starts a search, which `wideNearestResume` continues; UNSUITED if float32 is too small. */
export function wideNearest(a: usize, b: usize, workspace: usize): i32 {
  if (!relate(workspace, a, b) || !(lengths > LEAST_SQUARED && lengths < MOST_SQUARED)) return UNSUITED;
  treeA = a;
  treeB = b;
  unit = <f32>(shortestOfA * NARROWED);
  unitAlong = <f32>(shortestOfA * NARROWED_ALONG);
  wider = <f32>(lengths * LENGTH_ERROR * 1.00001);
  since = 0;
  beginSearch(workspace, 1, 0, ENTRY_BYTES);
  store<f32>(workspace + RESULT + LEFT, Infinity);
  beginLeaves(workspace, a, b);
  v128.store(workspace + STACK, i32x4.splat(0));
  return FULL;
}

/**
 * Returns a lower bound of the trees' distance along the vector of the nearest pair (BETWEEN), or 0
 * if the bound is below `lower` by more than the rounding of lengths. The counts are of vertices.
 */
export function wideNearestPlane(w: usize, countA: u32, countB: u32, lower: f64): f64 {
  const least = leastAlong(w, countA, countB);
  return least >= lower - 64 * lengths * E ? max(least, 0) : 0;
}

/** Hands out a pair of triangles, by their places in leaf order, before the search continues. */
export function wideNearestStart(w: usize, placeA: u32, placeB: u32): void {
  listPair(w, placeA, placeB);
}

/**
 * Continues to the next leaves with candidates, nearest first, or for so many steps. Returns ENDED
 * if nothing is left, otherwise FULL. Skips pairs of nodes at distance `beyond` or more, and of
 * triangles beyond `most` (near-leaves.as.ts). The candidates' moved corners are in the workspace.
 */
export function wideNearestResume(w: usize, beyond: f64, most: f64, ties: i32, steps: i32): i32 {
  const nodesA = <usize>load<u32>(treeA + NODES);
  const nodesB = <usize>load<u32>(treeB + NODES);
  const bottom = w + STACK;
  let top = resumeSearch(w);
  // Rounded up, also for subnormal numbers, so that nothing nearer is left out.
  limit = <f32>(beyond * 1.0000002 + 1e-44);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  let candidates: u32 = 0;
  let left = load<f32>(w + RESULT + LEFT);
  while (top > bottom && steps > 0) {
    since++;
    if (since == PERIOD) {
      since = 0;
      if (top - bottom < MOST_TO_LOOK_AT) raiseNearest(bottom, top);
    }
    top -= ENTRY_BYTES;
    steps--;
    const gap = load<f32>(top, GAP);
    if (gap >= limit && gap > 0) {
      left = min(left, gap);
      continue;
    }
    const indexA = load<u32>(top);
    const indexB = load<u32>(top, 4);
    const levels = load<u32>(top, 8);
    const nodeA = nodesA + (<usize>indexA << 6);
    const nodeB = nodesB + (<usize>indexB << 6);
    bounds++;
    const mask = gapsOfChildren(w, nodeA, nodeB);
    left = min(left, leftOut);
    if (mask == 0) continue;
    const linkA = load<u32>(nodeA + LINK);
    const linkB = load<u32>(nodeB + LINK);
    if ((linkA & linkB & 1) != 0) {
      candidates = nearTriangles(w, linkA >> 3, linkB >> 3, mask, most, ties != 0);
      if (candidates == 0) continue;
      break;
    }
    const childA = opensA ? linkA >> 3 : indexA;
    const childB = opensB ? linkB >> 3 : indexB;
    const nextLevels = levels + (opensA ? 1 : 0) + (opensB ? 65536 : 0);
    deepest = max(deepest, max(nextLevels & 65535, nextLevels >> 16));
    top = pushSorted(w, top, mask, childA, childB, nextLevels);
  }
  store<f32>(w + RESULT + LEFT, left);
  const state = leaveSearch(w, top, bounds, deepest);
  store<f64>(w + RESULT, candidates);
  return state;
}

/** Moves the nearest pending pair to the top of the stack. */
function raiseNearest(bottom: usize, top: usize): void {
  let least = top - ENTRY_BYTES;
  let gap = load<f32>(least, GAP);
  for (let at = bottom; at < top; at += ENTRY_BYTES) {
    const other = load<f32>(at, GAP);
    if (other >= gap) continue;
    gap = other;
    least = at;
  }
  const entry = v128.load(least);
  v128.store(least, v128.load(top - ENTRY_BYTES));
  v128.store(top - ENTRY_BYTES, entry);
}

let opensA: bool = false;
let opensB: bool = false;
let leftOut: f32 = 0;

/**
 * Returns bit 4 i + j for each pair of children that may be nearer than the limit; gaps go to
 * PAIRS. A leaf beside an inner node is its own only child.
 */
function gapsOfChildren(w: usize, nodeA: usize, nodeB: usize): u32 {
  const map = w + MAP;
  const b0 = row(nodeB, 0);
  const b1 = row(nodeB, 1);
  const b2 = row(nodeB, 2);
  const a0 = row(nodeA, 0);
  const a1 = row(nodeA, 1);
  const a2 = row(nodeA, 2);
  const x0 = mappedRow(map, b0, b1, b2, a0);
  const x1 = mappedRow(map + ROW_OF_MAP, b0, b1, b2, a1);
  const x2 = mappedRow(map + 2 * ROW_OF_MAP, b0, b1, b2, a2);
  const c0 = sumOf(a0, splat0(x0), a1, splat0(x1), a2, splat0(x2));
  const c1 = sumOf(a0, splat1(x0), a1, splat1(x1), a2, splat1(x2));
  const c2 = sumOf(a0, splat2(x0), a1, splat2(x1), a2, splat2(x2));
  const t = sumOf(a0, splat3(x0), a1, splat3(x1), a2, splat3(x2));
  const ha = f32x4(half(nodeA, 0), half(nodeA, 1), half(nodeA, 2), 0);
  const hb = f32x4(half(nodeB, 0), half(nodeB, 1), half(nodeB, 2), 0);
  const sumA = sumOfLanes(ha);
  const sumB = sumOfLanes(hb);
  const spare = f32x4.splat(slack + wider + skew * (sumA + sumB));
  leftOut = ownGap(ha, hb, c0, c1, c2, t, spare);
  if (leftOut >= limit && leftOut > 0) return 0;
  leftOut = Infinity;

  const linkA = load<u32>(nodeA + LINK);
  const linkB = load<u32>(nodeB + LINK);
  const isLeafA = (linkA & 1) != 0;
  const isLeafB = (linkB & 1) != 0;
  const isLeafPair = isLeafA && isLeafB;
  opensA = isLeafPair || (!isLeafA && (isLeafB || sumB <= MUCH_LARGER * sumA));
  opensB = isLeafPair || (!isLeafB && (isLeafA || sumA <= MUCH_LARGER * sumB));
  if (opensB) storeChildrenOfB(w + COLUMNS, nodeB, hb, c0, c1, c2, t, spare);
  else storeOwnOfB(w + COLUMNS, hb, c0, c1, c2, t, spare);
  const columns: u32 = opensB ? (2 << ((linkB >> 1) & 3)) - 1 : 1;
  const rows: usize = opensA ? <usize>((linkA >> 1) & 3) + 1 : 1;
  storeBoxesOfA(w + ROWS, nodeA, ha);
  const n0 = v128.load32_splat(w + STEP + NORMAL);
  const n1 = v128.load32_splat(w + STEP + NORMAL, 4);
  const n2 = v128.load32_splat(w + STEP + NORMAL, 8);
  const ofA = sumOf(a0, n0, a1, n1, a2, n2);
  const ofB = sumOf(x0, n0, x1, n1, x2, n2);
  v128.store(w + ROWS, endsOf(nodeA, ha, ofA, opensA, true), 96);
  const begins = f32x4.add(f32x4.sub(splat3(ofB), spare), endsOf(nodeB, hb, ofB, opensB, false));
  return gapsOfRows(w, rows, columns, begins);
}

@inline
function endsOf(node: usize, h: v128, along: v128, isOpened: bool, isUpper: bool): v128 {
  const sizes = f32x4.abs(along);
  let middle = f32x4.splat(0);
  let reach = f32x4.splat(0);
  if (isOpened) {
    const step = f32x4.mul(h, f32x4.splat(<f32>(1.0 / 255.0)));
    const lowX = bytesAt(node + LOW);
    const lowY = bytesAt(node + LOW + WIDTH);
    const lowZ = bytesAt(node + LOW + 2 * WIDTH);
    const highX = bytesAt(node + HIGH);
    const highY = bytesAt(node + HIGH + WIDTH);
    const highZ = bytesAt(node + HIGH + 2 * WIDTH);
    const cx = f32x4.sub(f32x4.mul(f32x4.add(lowX, highX), splat0(step)), splat0(h));
    const cy = f32x4.sub(f32x4.mul(f32x4.add(lowY, highY), splat1(step)), splat1(h));
    const cz = f32x4.sub(f32x4.mul(f32x4.add(lowZ, highZ), splat2(step)), splat2(h));
    middle = sumOf(splat0(along), cx, splat1(along), cy, splat2(along), cz);
    const ex = f32x4.mul(f32x4.sub(highX, lowX), splat0(step));
    const ey = f32x4.mul(f32x4.sub(highY, lowY), splat1(step));
    const ez = f32x4.mul(f32x4.sub(highZ, lowZ), splat2(step));
    reach = sumOf(splat0(sizes), ex, splat1(sizes), ey, splat2(sizes), ez);
  } else {
    reach = sumOf(splat0(sizes), splat0(h), splat1(sizes), splat1(h), splat2(sizes), splat2(h));
  }
  return isUpper ? f32x4.add(middle, reach) : f32x4.sub(middle, reach);
}

@inline
function storeBoxesOfA(to: usize, node: usize, ha: v128): void {
  if (!opensA) {
    const low = f32x4.neg(ha);
    v128.store(to, splat0(low));
    v128.store(to, splat1(low), 16);
    v128.store(to, splat2(low), 32);
    v128.store(to, splat0(ha), 48);
    v128.store(to, splat1(ha), 64);
    v128.store(to, splat2(ha), 80);
    return;
  }
  const step = f32x4.mul(ha, f32x4.splat(<f32>(2.0 / 255.0)));
  v128.store(to, boundsOf(node + LOW, splat0(step), splat0(ha)));
  v128.store(to, boundsOf(node + LOW + WIDTH, splat1(step), splat1(ha)), 16);
  v128.store(to, boundsOf(node + LOW + 2 * WIDTH, splat2(step), splat2(ha)), 32);
  v128.store(to, boundsOf(node + HIGH, splat0(step), splat0(ha)), 48);
  v128.store(to, boundsOf(node + HIGH + WIDTH, splat1(step), splat1(ha)), 64);
  v128.store(to, boundsOf(node + HIGH + 2 * WIDTH, splat2(step), splat2(ha)), 80);
}

@inline
function gapsOfRows(w: usize, rows: usize, columns: u32, begins: v128): u32 {
  const minX = v128.load(w + COLUMNS);
  const minY = v128.load(w + COLUMNS, 16);
  const minZ = v128.load(w + COLUMNS, 32);
  const maxX = v128.load(w + COLUMNS, 48);
  const maxY = v128.load(w + COLUMNS, 64);
  const maxZ = v128.load(w + COLUMNS, 80);
  const zero = f32x4.splat(0);
  const isThere = i32x4.ne(v128.and(i32x4.splat(columns), i32x4(1, 2, 4, 8)), i32x4.splat(0));
  const bound = f32x4.splat(limit);
  let out = f32x4.splat(Infinity);
  let mask: u32 = 0;
  for (let i: usize = 0; i < rows; i++) {
    const box = w + ROWS + (i << 2);
    const x = apartBy(v128.load32_splat(box), v128.load32_splat(box, 48), minX, maxX);
    const y = apartBy(v128.load32_splat(box, 16), v128.load32_splat(box, 64), minY, maxY);
    const z = apartBy(v128.load32_splat(box, 32), v128.load32_splat(box, 80), minZ, maxZ);
    // Negative: the depth of overlapping boxes; the deepest come first.
    const most = f32x4.pmax(x, f32x4.pmax(y, z));
    const across = f32x4.mul(v128.bitselect(lengthOf(x, y, z), most, f32x4.gt(most, zero)), f32x4.splat(unit));
    const along = f32x4.mul(f32x4.sub(begins, v128.load32_splat(box, 96)), f32x4.splat(unitAlong));
    const gap = v128.bitselect(f32x4.pmax(across, along), across, f32x4.gt(along, zero));
    v128.store(w + PAIRS + (i << 4), gap);
    const isLeft = v128.and(isThere, v128.and(f32x4.ge(gap, bound), f32x4.gt(gap, zero)));
    out = f32x4.pmin(out, v128.bitselect(gap, f32x4.splat(Infinity), isLeft));
    mask |= <u32>i32x4.bitmask(v128.andnot(isThere, isLeft)) << <u32>(4 * i);
  }
  leftOut = leastOf(out);
  return mask;
}

@inline
function apartBy(low: v128, high: v128, least: v128, most: v128): v128 {
  return f32x4.pmax(f32x4.sub(least, high), f32x4.sub(low, most));
}

@inline
function lengthOf(x: v128, y: v128, z: v128): v128 {
  const zero = f32x4.splat(0);
  const px = f32x4.pmax(zero, x);
  const py = f32x4.pmax(zero, y);
  const pz = f32x4.pmax(zero, z);
  return f32x4.sqrt(f32x4.add(f32x4.mul(px, px), f32x4.add(f32x4.mul(py, py), f32x4.mul(pz, pz))));
}

@inline
function ownGap(ha: v128, hb: v128, c0: v128, c1: v128, c2: v128, t: v128, spare: v128): f32 {
  const alongA = f32x4.sub(f32x4.abs(t), f32x4.add(f32x4.add(ha, spare), extentOfB(hb, c0, c1, c2)));
  const low01 = v128.shuffle<i32>(c0, c1, 0, 4, 1, 5);
  const high01 = v128.shuffle<i32>(c0, c1, 2, 6, 3, 7);
  const r0 = v128.shuffle<i32>(low01, c2, 0, 1, 4, 4);
  const r1 = v128.shuffle<i32>(low01, c2, 2, 3, 5, 5);
  const r2 = v128.shuffle<i32>(high01, c2, 0, 1, 6, 6);
  const place = sumOf(r0, splat0(t), r1, splat1(t), r2, splat2(t));
  const extentA = sumOf(f32x4.abs(r0), splat0(ha), f32x4.abs(r1), splat1(ha), f32x4.abs(r2), splat2(ha));
  const alongB = f32x4.sub(f32x4.abs(place), f32x4.add(f32x4.add(hb, spare), extentA));
  return unit * max(lengthOfLanes(alongA), lengthOfLanes(alongB));
}

@inline
function lengthOfLanes(v: v128): f32 {
  const x = max<f32>(0, f32x4.extract_lane(v, 0));
  const y = max<f32>(0, f32x4.extract_lane(v, 1));
  const z = max<f32>(0, f32x4.extract_lane(v, 2));
  return sqrt<f32>(x * x + y * y + z * z);
}

@inline
function sumOfLanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2);
}

@inline
function leastOf(v: v128): f32 {
  return min(min(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), min(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

/** Pushes the pairs in `mask`, the nearest last: it is popped first. */
function pushSorted(w: usize, first: usize, mask: u32, childA: u32, childB: u32, levels: u32): usize {
  let top = first;
  while (mask) {
    const k = ctz(mask);
    mask &= mask - 1;
    const gap = load<f32>(w + PAIRS + (<usize>k << 2));
    let place = top;
    while (place > first && load<f32>(place - ENTRY_BYTES, GAP) < gap) {
      v128.store(place, v128.load(place - ENTRY_BYTES));
      place -= ENTRY_BYTES;
    }
    store<u32>(place, childA + (k >> 2));
    store<u32>(place, childB + (k & 3), 4);
    store<u32>(place, levels, 8);
    store<f32>(place, gap, GAP);
    top += ENTRY_BYTES;
  }
  return top;
}
