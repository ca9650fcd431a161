/**
 * Checks if two wide OBB trees (../tree/wide-node.ts) touch, a whole query per call; list.as.ts
 * lists all contacts. Tests compare it with a readable twin.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996. Measured departures: A node has four
 * children, as boxes in their parent's frame, so one composition of frames serves sixteen pairs of
 * boxes. Own boxes are tested along their six face axes, and long ones also across their longest
 * axes. wide-boxes.as.ts proves the box tests.
 *
 * Time of first contact with these cross products, divided by the time without, means: 17k strips x
 * 12k needles 0.07 (hits and misses), drilled block x strips 0.3 and 0.2, scans 1.00.
 *
 * Roads not taken, by time:
 * - across the longest axes of all boxes: 1.03 on scans
 * - children along b's axes as well as a's: a third fewer pairs of nodes, 1.03 for hits and 0.98
 *   for misses
 * - pairs of children unsorted except for the first: 1.0; or in a vector of 16 keys, taking the
 *   largest: 1.07 for misses; or sorted by the least overlap along an axis: 1.09 for hits
 * - bounds of children stored, to be loaded into all lanes: 1.01
 * - a leaf's pairs of triangles in float32, four at a time, which leaves 0 to 3 % of the exact
 *   tests: 1.2
 * - own boxes tested as pairs are pushed, without a branch: 1.0 for misses and 1.5 for hits
 *
 * The order of loads and stores decides how many vectors the compiler keeps on the stack: it starts
 * all loads up to the next store at once. So a step stores its results before it loads more, even
 * if nothing reads them, and handles a's children in a loop. Time divided by that without, hits and
 * misses: 0.87 and 0.89. This includes half extents taken out of rows by shuffles, signs cleared by
 * a mask in memory, and ranks of five or more pairs in place of moves.
 *
 * At leaves each tree's pose moves the vertices in doubles, in the defining order, and the exact
 * test decides (triangle-pair.as.ts). Memory: layout.as.ts; kernel.ts places the trees.
 */
import { splat, splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { POSE_A, POSE_B, STACK, UNSUITED } from '../../../kernels/layout.as';
import {
  addContact, answerPose, beginSearch, capacity, countHulls, found, leaveSearch, resumeSearch, takePose, turn,
} from '../../../kernels/pair-search.as';
import { movesA, movesB } from '../../../kernels/relative-pose.as';
import { trianglesMeet } from '../../../kernels/triangle-pair.as';
import { CENTRE, HIGH, LINK, LOW, WIDTH } from '../tree/wide-layout.as';
import { NODES, ORDER } from './layout.as';
import {
  areApart, areApartAcross, boundOf, centredRow, childrenApartAcross, COLUMNS, eightBytes, firstBytes, frameRow, halves, lastBytes,
  loadCorners, LONG, MAP, movedRow, MUCH_LARGER, PAIRS, relate, ROW_OF_MAP, skew, slack, storeChildrenOfB, storedRow, storeOwnOfB,
  sumOf, TRIANGLE_BYTES, TRIANGLES_A, TRIANGLES_B,
} from './wide-boxes.as';

export { sortContacts } from '../../../kernels/pair-search.as';
export { wideList, wideListResume } from './list.as';
export { wideNearest, wideNearestPlane, wideNearestResume, wideNearestStart } from './nearest.as';

/**
 * Starts a query of two trees in the workspace's poses. Returns ENDED; FULL (call `wideResume`); or
 * UNSUITED if float32 cannot hold the lengths, or a pose is not rigid.
 */
export function wideQuery(a: usize, b: usize, workspace: usize, room: i32): i32 {
  if (!relate(workspace, a, b)) return UNSUITED;
  treeA = a;
  treeB = b;
  beginSearch(workspace, 0, room, ENTRY_BYTES);
  v128.store(workspace + STACK, i32x4.splat(0));
  return wideResume(workspace);
}

/** First contacts in many poses of b (layout.as.ts), with the pose of a in the workspace. */
export function widePoses(a: usize, b: usize, workspace: usize, count: i32): void {
  for (let n = 0; n < count; n++) {
    takePose(workspace, n);
    answerPose(workspace, n, wideQuery(a, b, workspace, 16));
  }
}

let treeA: usize = 0;
let treeB: usize = 0;

// The data of a step, after COLUMNS: bounds of a's children, f32 x 4 each: low x, y, z, then high;
// a vector that nothing reads.
const BOUNDS: usize = COLUMNS + 96;
const MOVED: usize = BOUNDS + 96;

/** Above so many pairs, ranks take less time than moving entries. */
const MANY: u32 = 4;

/** A stack entry: both nodes' numbers, both levels in 16 bits each, shared volume. */
const ENTRY_BYTES: i32 = 16;

export function wideResume(workspace: usize): i32 {
  const nodesA = <usize>load<u32>(treeA + NODES);
  const nodesB = <usize>load<u32>(treeB + NODES);
  const map = workspace + MAP;
  const bottom = workspace + STACK;
  let top = resumeSearch(workspace);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  // A pair of leaves finds at most sixteen contacts.
  while (top > bottom && found + 16 <= capacity && bounds < turn) {
    top -= ENTRY_BYTES;
    const indexA = load<u32>(top);
    const indexB = load<u32>(top, 4);
    const levels = load<u32>(top, 8);
    const nodeA = nodesA + (<usize>indexA << 6);
    const nodeB = nodesB + (<usize>indexB << 6);
    bounds++;

    // The frame of b's node in that of a's: columns of R, and t; lanes are a's axes.
    const ib0 = storedRow(nodeB, 0);
    const ib1 = storedRow(nodeB, 1);
    const ib2 = storedRow(nodeB, 2);
    const b0 = centredRow(ib0, nodeB, 0);
    const b1 = centredRow(ib1, nodeB, 1);
    const b2 = centredRow(ib2, nodeB, 2);
    const x0 = movedRow(map, b0, b1, b2);
    v128.store(workspace + MOVED, x0);
    const x1 = movedRow(map + ROW_OF_MAP, b0, b1, b2);
    v128.store(workspace + MOVED, x1);
    const x2 = movedRow(map + 2 * ROW_OF_MAP, b0, b1, b2);
    v128.store(workspace + MOVED, x2);
    const ia0 = storedRow(nodeA, 0);
    const ia1 = storedRow(nodeA, 1);
    const ia2 = storedRow(nodeA, 2);
    const a0 = frameRow(ia0);
    const a1 = frameRow(ia1);
    const a2 = frameRow(ia2);
    const c0 = sumOf(a0, splat0(x0), a1, splat0(x1), a2, splat0(x2));
    const c1 = sumOf(a0, splat1(x0), a1, splat1(x1), a2, splat1(x2));
    const c2 = sumOf(a0, splat2(x0), a1, splat2(x1), a2, splat2(x2));
    const t = sumOf(
      a0, f32x4.sub(splat3(x0), splat(nodeA + CENTRE)), a1, f32x4.sub(splat3(x1), splat(nodeA + CENTRE + 4)),
      a2, f32x4.sub(splat3(x2), splat(nodeA + CENTRE + 8)),
    );
    const ha = halves(ia0, ia1, ia2);
    const hb = halves(ib0, ib1, ib2);
    const sumsA = f32x4.add(f32x4.add(splat0(ha), splat1(ha)), splat2(ha));
    const sumsB = f32x4.add(f32x4.add(splat0(hb), splat1(hb)), splat2(hb));
    const spares = f32x4.add(f32x4.splat(slack), f32x4.mul(f32x4.splat(skew), f32x4.add(sumsA, sumsB)));
    if (areApart(ha, hb, c0, c1, c2, t, spares)) continue;
    const sumA = f32x4.extract_lane(sumsA, 0);
    const sumB = f32x4.extract_lane(sumsB, 0);
    const spare = f32x4.extract_lane(spares, 0);
    const areLong = isLong(ha, sumsA) && isLong(hb, sumsB);
    if (areLong && areApartAcross(ha, hb, c0, c1, c2, t, spare)) continue;

    const linkA = load<u32>(nodeA + LINK);
    const linkB = load<u32>(nodeB + LINK);
    const isLeafA = (linkA & 1) != 0;
    const isLeafB = (linkB & 1) != 0;
    const isLeafPair = isLeafA && isLeafB;
    const opensA = isLeafPair || (!isLeafA && (isLeafB || sumB <= MUCH_LARGER * sumA));
    const opensB = isLeafPair || (!isLeafB && (isLeafA || sumA <= MUCH_LARGER * sumB));
    if (opensB) storeChildrenOfB(workspace + COLUMNS, nodeB, hb, c0, c1, c2, t, spares);
    else storeOwnOfB(workspace + COLUMNS, hb, c0, c1, c2, t, spares);
    const columns: u32 = opensB ? (2 << ((linkB >> 1) & 3)) - 1 : 1;
    let mask = (columns * 0x1111) & (opensA ? childrenOfA(workspace, nodeA, ha, linkA) : ownOfA(workspace, ha));
    if (isLeafPair) {
      if (areLong) mask &= ~childrenApartAcross(nodeA, nodeB, ha, hb, c0, c1, c2, t, spare);
      if (meet(workspace, linkA >> 3, linkB >> 3, mask)) continue;
      top = bottom;
      break;
    }
    if (mask == 0) continue;
    const childA = opensA ? linkA >> 3 : indexA;
    const childB = opensB ? linkB >> 3 : indexB;
    const nextLevels = levels + (opensA ? 1 : 0) + (opensB ? 65536 : 0);
    deepest = max(deepest, max(nextLevels & 65535, nextLevels >> 16));
    top = pushSorted(workspace, top, mask, childA, childB, nextLevels);
  }
  return leaveSearch(workspace, top, bounds, deepest);
}

@inline
function isLong(h: v128, sums: v128): bool {
  return v128.any_true(f32x4.gt(f32x4.mul(h, f32x4.splat(LONG)), sums));
}

/** Returns bit 4 i + j for each overlapping pair of a's children and b's boxes, four at a time. */
@inline
function childrenOfA(workspace: usize, node: usize, ha: v128, link: u32): u32 {
  const step = f32x4.mul(ha, f32x4.splat(<f32>(2.0 / 255.0)));
  const lowXY = eightBytes(node + LOW);
  const lowZHighX = eightBytes(node + LOW + 2 * WIDTH);
  const highYZ = eightBytes(node + HIGH + WIDTH);
  const bounds = workspace + BOUNDS;
  v128.store(bounds, boundOf(firstBytes(lowXY), splat0(step), splat0(ha)));
  v128.store(bounds, boundOf(lastBytes(lowXY), splat1(step), splat1(ha)), 16);
  v128.store(bounds, boundOf(firstBytes(lowZHighX), splat2(step), splat2(ha)), 32);
  v128.store(bounds, boundOf(lastBytes(lowZHighX), splat0(step), splat0(ha)), 48);
  v128.store(bounds, boundOf(firstBytes(highYZ), splat1(step), splat1(ha)), 64);
  v128.store(bounds, boundOf(lastBytes(highYZ), splat2(step), splat2(ha)), 80);
  const columns = workspace + COLUMNS;
  const minX = v128.load(columns);
  const minY = v128.load(columns, 16);
  const minZ = v128.load(columns, 32);
  const maxX = v128.load(columns, 48);
  const maxY = v128.load(columns, 64);
  const maxZ = v128.load(columns, 80);
  const end = bounds + 16;
  let to = workspace + PAIRS;
  let apart: u32 = 0;
  for (let at = bounds; at < end; at += 4) {
    apart = (apart >> 4) | (overlapAll(
      to, splat(at), splat(at + 16), splat(at + 32), splat(at + 48), splat(at + 64), splat(at + 80), minX, minY, minZ, maxX, maxY, maxZ,
    ) << 12);
    to += 16;
  }
  return ~apart & ((1 << (((link >> 1) & 3) * 4 + 4)) - 1);
}

/**
 * Stores the volumes that a box shares with b's four. Returns a bit for each that is apart: a
 * difference of two floats is below 0 only if the first is less.
 */
@inline
function overlapAll(
  to: usize, lowX: v128, lowY: v128, lowZ: v128, highX: v128, highY: v128, highZ: v128,
  minX: v128, minY: v128, minZ: v128, maxX: v128, maxY: v128, maxZ: v128,
): u32 {
  const x = f32x4.sub(f32x4.pmin(highX, maxX), f32x4.pmax(lowX, minX));
  const y = f32x4.sub(f32x4.pmin(highY, maxY), f32x4.pmax(lowY, minY));
  const z = f32x4.sub(f32x4.pmin(highZ, maxZ), f32x4.pmax(lowZ, minZ));
  // 0 times an overflow is NaN; pmax takes the 0.
  v128.store(to, f32x4.pmax(f32x4.splat(0), f32x4.mul(x, f32x4.mul(y, z))));
  return i32x4.bitmask(v128.or(x, v128.or(y, z)));
}

@inline
function ownOfA(workspace: usize, ha: v128): u32 {
  const low = f32x4.neg(ha);
  const columns = workspace + COLUMNS;
  const apart = overlapAll(
    workspace + PAIRS, splat0(low), splat1(low), splat2(low), splat0(ha), splat1(ha), splat2(ha), v128.load(columns),
    v128.load(columns, 16), v128.load(columns, 32), v128.load(columns, 48), v128.load(columns, 64), v128.load(columns, 80),
  );
  return ~apart & 15;
}

/** Tests the pairs of triangles in `mask` of two leaves. Returns true if the search continues. */
@inline
function meet(workspace: usize, firstA: u32, firstB: u32, mask: u32): bool {
  const orderA = <usize>load<u32>(treeA + ORDER);
  const orderB = <usize>load<u32>(treeB + ORDER);
  let loaded: u32 = 0;
  while (mask) {
    const k = ctz(mask);
    mask &= mask - 1;
    const i = k >> 2;
    const j = k & 3;
    const triangleA = workspace + TRIANGLES_A + TRIANGLE_BYTES * <usize>i;
    const triangleB = workspace + TRIANGLES_B + TRIANGLE_BYTES * <usize>j;
    if (!(loaded & (1 << i))) {
      loaded |= 1 << i;
      loadCorners(treeA, firstA + i, workspace + POSE_A, movesA, triangleA);
    }
    if (!(loaded & (16 << j))) {
      loaded |= 16 << j;
      loadCorners(treeB, firstB + j, workspace + POSE_B, movesB, triangleB);
    }
    countHulls();
    if (!trianglesMeet(triangleA, triangleB)) continue;
    addContact(workspace, load<u32>(orderA + (<usize>(firstA + i) << 2)), load<u32>(orderB + (<usize>(firstB + j) << 2)));
    return false;
  }
  return true;
}

/** Pushes the pairs, sorted by shared volume, the largest last: it is popped first. */
@inline
function pushSorted(workspace: usize, first: usize, mask: u32, childA: u32, childB: u32, levels: u32): usize {
  if (popcnt(mask) > MANY) return pushRanked(workspace, first, mask, childA, childB, levels);
  let top = first;
  while (mask) {
    const k = ctz(mask);
    mask &= mask - 1;
    const key = load<f32>(workspace + PAIRS + (<usize>k << 2));
    let place = top;
    while (place > first && load<f32>(place - ENTRY_BYTES, 12) > key) {
      v128.store(place, v128.load(place - ENTRY_BYTES));
      place -= ENTRY_BYTES;
    }
    push(place, childA + (k >> 2), childB + (k & 3), levels);
    store<f32>(place, key, 12);
    top += ENTRY_BYTES;
  }
  return top;
}

/** The same for many: counts the larger ones of each. */
@inline
function pushRanked(workspace: usize, first: usize, mask: u32, childA: u32, childB: u32, levels: u32): usize {
  const keys0 = keysOf(workspace, 0);
  const keys1 = keysOf(workspace, 4);
  const keys2 = keysOf(workspace, 8);
  const keys3 = keysOf(workspace, 12);
  const last = first + (<usize>popcnt(mask) << 4) - ENTRY_BYTES;
  for (let left = mask; left; left &= left - 1) {
    const k = ctz(left);
    const key = v128.load32_splat(workspace + PAIRS + (<usize>k << 2));
    const larger01 = i16x8.narrow_i32x4_s(i32x4.gt_s(keys0, key), i32x4.gt_s(keys1, key));
    const larger23 = i16x8.narrow_i32x4_s(i32x4.gt_s(keys2, key), i32x4.gt_s(keys3, key));
    const above = popcnt(<u32>i8x16.bitmask(i8x16.narrow_i16x8_s(larger01, larger23)) & mask);
    push(last - (<usize>above << 4), childA + (k >> 2), childB + (k & 3), levels);
  }
  return last + ENTRY_BYTES;
}

/** Four volumes from the k-th as whole numbers, no two alike. */
@inline
function keysOf(workspace: usize, k: i32): v128 {
  const at = workspace + PAIRS + (<usize>k << 2);
  const keys = v128.or(v128.and(v128.load(at), i32x4.splat(-16)), i32x4(k, k + 1, k + 2, k + 3));
  v128.store(at, keys);
  return keys;
}

@inline
function push(to: usize, a: u32, b: u32, levels: u32): void {
  store<u32>(to, a);
  store<u32>(to, b, 4);
  store<u32>(to, levels, 8);
}
