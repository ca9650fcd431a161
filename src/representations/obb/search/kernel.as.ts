/**
 * Checks if two wide OBB trees (../tree/wide-node.ts) touch, a whole query per call; list.as.ts
 * lists all contacts. Tests compare it with a readable twin.
 *
 * S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996. Measured departures: four children
 * per node, as boxes in their parent's frame, so that one composition of frames serves sixteen
 * pairs of boxes; own boxes on their six face axes, and long ones across their longest axes.
 * wide-boxes.as.ts proves the box tests.
 *
 * Time of first contact with these cross products, over that without, means: 17k strips x 12k
 * needles 0.07 (hits and misses), drilled block x strips 0.3 and 0.2, scans 1.00. Roads not taken,
 * by time: across the longest axes of all boxes, 1.03 on scans; children along b's axes as well as
 * a's, a third fewer pairs of nodes, 1.03 for hits and 0.98 for misses; pairs of children unsorted
 * but for the first, 1.0, or in a vector of 16 keys of which the largest is taken, 1.07 for misses;
 * sorted by the least overlap along an axis, 1.09 for hits; bounds of children stored, to be loaded
 * into all lanes, 1.01; a leaf's pairs of triangles in float32, four at a time, which leaves 0 to 3
 * % of the exact tests, 1.2.
 *
 * At leaves each tree's pose moves the vertices in doubles, in the defining order, and the exact
 * test decides (triangle-pair.as.ts). Memory: layout.as.ts; kernel.ts places the trees.
 */
import { splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { POSE_A, POSE_B, STACK, UNSUITED } from '../../../kernels/layout.as';
import {
  addContact, answerPose, beginSearch, capacity, countHulls, found, leaveSearch, resumeSearch, takePose, turn,
} from '../../../kernels/pair-search.as';
import { movesA, movesB } from '../../../kernels/relative-pose.as';
import { trianglesMeet } from '../../../kernels/triangle-pair.as';
import { HIGH, LINK, LOW, WIDTH } from '../tree/wide-layout.as';
import { NODES, ORDER } from './layout.as';
import {
  areApart, areApartAcross, boundOf, childrenApartAcross, COLUMNS, eightBytes, firstBytes, half, lastBytes, loadCorners, LONG, MAP,
  mappedRow, MUCH_LARGER, overlap, PAIRS, relate, row, ROW_OF_MAP, skew, slack, storeChildrenOfB, storeOwnOfB, sumOf, TRIANGLE_BYTES,
  TRIANGLES_A, TRIANGLES_B,
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
    const ha0 = half(nodeA, 0);
    const ha1 = half(nodeA, 1);
    const ha2 = half(nodeA, 2);
    const hb0 = half(nodeB, 0);
    const hb1 = half(nodeB, 1);
    const hb2 = half(nodeB, 2);
    const ha = f32x4(ha0, ha1, ha2, 0);
    const hb = f32x4(hb0, hb1, hb2, 0);
    const sumA = ha0 + ha1 + ha2;
    const sumB = hb0 + hb1 + hb2;
    const spare = slack + skew * (sumA + sumB);
    if (areApart(ha, hb, c0, c1, c2, t, f32x4.splat(spare))) continue;
    const areLong = isLong(ha, sumA) && isLong(hb, sumB);
    if (areLong && areApartAcross(ha, hb, c0, c1, c2, t, spare)) continue;

    const linkA = load<u32>(nodeA + LINK);
    const linkB = load<u32>(nodeB + LINK);
    const isLeafA = (linkA & 1) != 0;
    const isLeafB = (linkB & 1) != 0;
    const isLeafPair = isLeafA && isLeafB;
    const opensA = isLeafPair || (!isLeafA && (isLeafB || sumB <= MUCH_LARGER * sumA));
    const opensB = isLeafPair || (!isLeafB && (isLeafA || sumA <= MUCH_LARGER * sumB));
    if (opensB) storeChildrenOfB(workspace + COLUMNS, nodeB, hb, c0, c1, c2, t, f32x4.splat(spare));
    else storeOwnOfB(workspace + COLUMNS, hb, c0, c1, c2, t, f32x4.splat(spare));
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
function isLong(h: v128, sum: f32): bool {
  return v128.any_true(f32x4.gt(f32x4.mul(h, f32x4.splat(LONG)), f32x4.splat(sum)));
}

/** Returns bit 4 i + j for each overlapping pair of a's children and b's boxes, four at a time. */
@inline
function childrenOfA(workspace: usize, node: usize, ha: v128, link: u32): u32 {
  const step = f32x4.mul(ha, f32x4.splat(<f32>(2.0 / 255.0)));
  const lowXY = eightBytes(node + LOW);
  const lowZHighX = eightBytes(node + LOW + 2 * WIDTH);
  const highYZ = eightBytes(node + HIGH + WIDTH);
  const lowX = boundOf(firstBytes(lowXY), splat0(step), splat0(ha));
  const lowY = boundOf(lastBytes(lowXY), splat1(step), splat1(ha));
  const lowZ = boundOf(firstBytes(lowZHighX), splat2(step), splat2(ha));
  const highX = boundOf(lastBytes(lowZHighX), splat0(step), splat0(ha));
  const highY = boundOf(firstBytes(highYZ), splat1(step), splat1(ha));
  const highZ = boundOf(lastBytes(highYZ), splat2(step), splat2(ha));
  const columns = workspace + COLUMNS;
  const minX = v128.load(columns);
  const minY = v128.load(columns, 16);
  const minZ = v128.load(columns, 32);
  const maxX = v128.load(columns, 48);
  const maxY = v128.load(columns, 64);
  const maxZ = v128.load(columns, 80);
  const o0 = overlap(
    splat0(lowX), splat0(lowY), splat0(lowZ), splat0(highX), splat0(highY), splat0(highZ), minX, minY, minZ, maxX, maxY, maxZ,
  );
  const o1 = overlap(
    splat1(lowX), splat1(lowY), splat1(lowZ), splat1(highX), splat1(highY), splat1(highZ), minX, minY, minZ, maxX, maxY, maxZ,
  );
  const o2 = overlap(
    splat2(lowX), splat2(lowY), splat2(lowZ), splat2(highX), splat2(highY), splat2(highZ), minX, minY, minZ, maxX, maxY, maxZ,
  );
  const o3 = overlap(
    splat3(lowX), splat3(lowY), splat3(lowZ), splat3(highX), splat3(highY), splat3(highZ), minX, minY, minZ, maxX, maxY, maxZ,
  );
  v128.store(workspace + PAIRS, o0);
  v128.store(workspace + PAIRS, o1, 16);
  v128.store(workspace + PAIRS, o2, 32);
  v128.store(workspace + PAIRS, o3, 48);
  const apart = i32x4.bitmask(o0) | (i32x4.bitmask(o1) << 4) | (i32x4.bitmask(o2) << 8) | (i32x4.bitmask(o3) << 12);
  return ~apart & ((1 << (((link >> 1) & 3) * 4 + 4)) - 1);
}

@inline
function ownOfA(workspace: usize, ha: v128): u32 {
  const low = f32x4.neg(ha);
  const columns = workspace + COLUMNS;
  const own = overlap(
    splat0(low), splat1(low), splat2(low), splat0(ha), splat1(ha), splat2(ha), v128.load(columns), v128.load(columns, 16),
    v128.load(columns, 32), v128.load(columns, 48), v128.load(columns, 64), v128.load(columns, 80),
  );
  v128.store(workspace + PAIRS, own);
  return ~i32x4.bitmask(own) & 15;
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

@inline
function push(to: usize, a: u32, b: u32, levels: u32): void {
  store<u32>(to, a);
  store<u32>(to, b, 4);
  store<u32>(to, levels, 8);
}
