/**
 * Lists all contacts of two wide OBB trees, for queries that meet each node several times. The
 * search is that of kernel.as.ts, with the same tests of boxes in the same roundings
 * (wide-boxes.as.ts).
 *
 * So nodes are decoded once, into records behind the stack: nodes of a with their children's boxes,
 * nodes of b moved by the query's map, and leaves with their triangles (leaf-pairs.as.ts). Time of
 * the kernel over that of one search for first and all contacts, on two pairs of 6,000 to 12,000
 * triangles near contact: 0.73 to 0.75; with float32 alone, 0.85 to 0.87. Roads not taken: moving
 * only the vertices of triangles that a pair of leaves asks about, 1.02; testing edges against
 * edges instead of intervals on the planes' common line, 1.07.
 */
import { splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { POSE_A, POSE_B, STACK, UNSUITED } from '../../../kernels/layout.as';
import { beginSearch, capacity, found, leaveSearch, resumeSearch, turn } from '../../../kernels/pair-search.as';
import { movesA, movesB } from '../../../kernels/relative-pose.as';
import { HIGH, LINK, LOW, WIDTH } from '../tree/wide-layout.as';
import { NODES } from './layout.as';
import { beginLeaves, LEAF_BYTES, listContacts, writeLeaf } from './leaf-pairs.as';
import {
  alongAxis, areApart, areApartAcross, boundsOf, bytesAt, childrenApartAcross, extentOfB, half, LONG, MAP, movedRow, MUCH_LARGER, relate,
  row, ROW_OF_MAP, skew, slack, sumOf,
} from './wide-boxes.as';

/** A stack entry: both nodes' numbers, both levels in 16 bits each. */
const ENTRY_BYTES: i32 = 16;

/**
 * Behind the stack, which has at most 31 KB. At most 64 levels of each tree are open, each with at
 * most fifteen waiting entries.
 */
const KNOWN: usize = STACK + 65536;
/** Nodes kept for each side: a node's number, plus 1, and its record. */
const KEPT: u32 = 256;
const RECORDS: usize = KNOWN + 8 * <usize>KEPT;

// A record: the rows of a's frame with its center, or b's as moved into a's tree; half extents;
// then, in lanes, the children. For a these are their lowest and highest coordinates in a's node,
// for b their centers and half extents.
const HALVES: usize = 48;
const CHILDREN: usize = 64;
/** u32: the link; f32: the sum of the half extents. */
const LINK_OF: usize = 160;
const SUM: usize = 164;
/** u32: 1 if the leaf's record is written; 1 if the box is long. */
const HAS_LEAF: usize = 168;
const IS_LONG: usize = 172;
const LEAF: usize = 176;
const RECORD_BYTES: usize = 448;

let treeA: usize = 0;
let treeB: usize = 0;

/** Starts a query like wideQuery; `wideListResume` continues it. */
export function wideList(a: usize, b: usize, workspace: usize, room: i32): i32 {
  if (!relate(workspace, a, b)) return UNSUITED;
  treeA = a;
  treeB = b;
  beginSearch(workspace, 1, room, ENTRY_BYTES);
  beginLeaves(workspace, a, b);
  memory.fill(workspace + KNOWN, 0, 8 * <usize>KEPT);
  v128.store(workspace + STACK, i32x4.splat(0));
  return wideListResume(workspace);
}

export function wideListResume(workspace: usize): i32 {
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
    bounds++;
    const ofA = recordOfA(workspace, indexA);
    const ofB = recordOfB(workspace, indexB);

    // The frame of b's node in that of a's: columns of R, and t; lanes are a's axes.
    const a0 = v128.load(ofA);
    const a1 = v128.load(ofA, 16);
    const a2 = v128.load(ofA, 32);
    const x0 = f32x4.sub(v128.load(ofB), v128.and(a0, i32x4(0, 0, 0, -1)));
    const x1 = f32x4.sub(v128.load(ofB, 16), v128.and(a1, i32x4(0, 0, 0, -1)));
    const x2 = f32x4.sub(v128.load(ofB, 32), v128.and(a2, i32x4(0, 0, 0, -1)));
    const c0 = sumOf(a0, splat0(x0), a1, splat0(x1), a2, splat0(x2));
    const c1 = sumOf(a0, splat1(x0), a1, splat1(x1), a2, splat1(x2));
    const c2 = sumOf(a0, splat2(x0), a1, splat2(x1), a2, splat2(x2));
    const t = sumOf(a0, splat3(x0), a1, splat3(x1), a2, splat3(x2));
    const ha = v128.load(ofA, HALVES);
    const hb = v128.load(ofB, HALVES);
    const sumA = load<f32>(ofA, SUM);
    const sumB = load<f32>(ofB, SUM);
    const least = slack + skew * (sumA + sumB);
    const spare = f32x4.splat(least);
    if (areApart(ha, hb, c0, c1, c2, t, spare)) continue;
    const areLong = (load<u32>(ofA, IS_LONG) & load<u32>(ofB, IS_LONG)) != 0;
    if (areLong && areApartAcross(ha, hb, c0, c1, c2, t, least)) continue;

    const linkA = load<u32>(ofA, LINK_OF);
    const linkB = load<u32>(ofB, LINK_OF);
    const isLeafA = (linkA & 1) != 0;
    const isLeafB = (linkB & 1) != 0;
    const isLeafPair = isLeafA && isLeafB;
    const opensA = isLeafPair || (!isLeafA && (isLeafB || sumB <= MUCH_LARGER * sumA));
    const opensB = isLeafPair || (!isLeafB && (isLeafA || sumA <= MUCH_LARGER * sumB));
    if (opensB) placeChildrenOfB(ofB, c0, c1, c2, t, spare);
    else placeOwnOfB(f32x4.add(extentOfB(hb, c0, c1, c2), spare), t);
    const columns: u32 = opensB ? (2 << ((linkB >> 1) & 3)) - 1 : 1;
    let mask = opensA ? childrenOfA(ofA, linkA, columns) : columns & ~ownOfA(ha);
    if (areLong && isLeafPair) {
      mask &= ~childrenApartAcross(nodeOf(treeA, indexA), nodeOf(treeB, indexB), ha, hb, c0, c1, c2, t, least);
    }
    if (mask == 0) continue;
    if (isLeafPair) {
      if (load<u32>(ofA, HAS_LEAF) == 0) keepLeaf(ofA, treeA, linkA, workspace + POSE_A, movesA);
      if (load<u32>(ofB, HAS_LEAF) == 0) keepLeaf(ofB, treeB, linkB, workspace + POSE_B, movesB);
      listContacts(workspace, treeA, treeB, ofA + LEAF, ofB + LEAF, (<u64>linkB << 32) | linkA, mask);
      continue;
    }
    const childA = opensA ? linkA >> 3 : indexA;
    const childB = opensB ? linkB >> 3 : indexB;
    const nextLevels = levels + (opensA ? 1 : 0) + (opensB ? 65536 : 0);
    deepest = max(deepest, max(nextLevels & 65535, nextLevels >> 16));
    for (let left = mask; left; left &= left - 1) {
      const k = ctz(left);
      store<u32>(top, childA + (k >> 2));
      store<u32>(top, childB + (k & 3), 4);
      store<u32>(top, nextLevels, 8);
      top += ENTRY_BYTES;
    }
  }
  return leaveSearch(workspace, top, bounds, deepest);
}

@inline
function nodeOf(tree: usize, index: u32): usize {
  return <usize>load<u32>(tree + NODES) + (<usize>index << 6);
}

function keepLeaf(record: usize, tree: usize, link: u32, pose: usize, moves: bool): void {
  store<u32>(record, 1, HAS_LEAF);
  writeLeaf(record + LEAF, tree, link, pose, moves);
}

@inline
function recordOfA(workspace: usize, index: u32): usize {
  const slot = <usize>(index & (KEPT - 1));
  const record = workspace + RECORDS + RECORD_BYTES * slot;
  const known = workspace + KNOWN + (slot << 2);
  if (load<u32>(known) != index + 1) writeNodeOfA(record, known, index);
  return record;
}

function writeNodeOfA(record: usize, known: usize, index: u32): void {
  store<u32>(known, index + 1);
  const node = nodeOf(treeA, index);
  v128.store(record, row(node, 0));
  v128.store(record, row(node, 1), 16);
  v128.store(record, row(node, 2), 32);
  const ha = writeHalves(record, node);
  const step = f32x4.mul(ha, f32x4.splat(<f32>(2.0 / 255.0)));
  v128.store(record, boundsOf(node + LOW, splat0(step), splat0(ha)), CHILDREN);
  v128.store(record, boundsOf(node + LOW + WIDTH, splat1(step), splat1(ha)), CHILDREN + 16);
  v128.store(record, boundsOf(node + LOW + 2 * WIDTH, splat2(step), splat2(ha)), CHILDREN + 32);
  v128.store(record, boundsOf(node + HIGH, splat0(step), splat0(ha)), CHILDREN + 48);
  v128.store(record, boundsOf(node + HIGH + WIDTH, splat1(step), splat1(ha)), CHILDREN + 64);
  v128.store(record, boundsOf(node + HIGH + 2 * WIDTH, splat2(step), splat2(ha)), CHILDREN + 80);
}

@inline
function recordOfB(workspace: usize, index: u32): usize {
  const slot = <usize>(KEPT + (index & (KEPT - 1)));
  const record = workspace + RECORDS + RECORD_BYTES * slot;
  const known = workspace + KNOWN + (slot << 2);
  if (load<u32>(known) != index + 1) writeNodeOfB(record, known, index, workspace + MAP);
  return record;
}

function writeNodeOfB(record: usize, known: usize, index: u32, map: usize): void {
  store<u32>(known, index + 1);
  const node = nodeOf(treeB, index);
  const b0 = row(node, 0);
  const b1 = row(node, 1);
  const b2 = row(node, 2);
  v128.store(record, movedRow(map, b0, b1, b2));
  v128.store(record, movedRow(map + ROW_OF_MAP, b0, b1, b2), 16);
  v128.store(record, movedRow(map + 2 * ROW_OF_MAP, b0, b1, b2), 32);
  const hb = writeHalves(record, node);
  const step = f32x4.mul(hb, f32x4.splat(<f32>(1.0 / 255.0)));
  writeSpans(record + CHILDREN, node, splat0(step), splat0(hb));
  writeSpans(record + CHILDREN + 16, node + WIDTH, splat1(step), splat1(hb));
  writeSpans(record + CHILDREN + 32, node + 2 * WIDTH, splat2(step), splat2(hb));
}

/** Writes the children's centers and half extents along an axis. */
@inline
function writeSpans(to: usize, node: usize, step: v128, half: v128): void {
  const low = bytesAt(node + LOW);
  const high = bytesAt(node + HIGH);
  v128.store(to, f32x4.sub(f32x4.mul(f32x4.add(low, high), step), half));
  v128.store(to, f32x4.mul(f32x4.sub(high, low), step), 48);
}

@inline
function writeHalves(record: usize, node: usize): v128 {
  const x = half(node, 0);
  const y = half(node, 1);
  const z = half(node, 2);
  const halves = f32x4(x, y, z, 0);
  v128.store(record, halves, HALVES);
  store<u32>(record, load<u32>(node + LINK), LINK_OF);
  const sum = x + y + z;
  store<f32>(record, sum, SUM);
  store<u32>(record, 0, HAS_LEAF);
  store<u32>(record, <u32>(LONG * max(x, max(y, z)) > sum), IS_LONG);
  return halves;
}

// Boxes of b's children, or its own in all lanes, along a's axes.
let minX: v128 = f32x4.splat(0);
let minY: v128 = f32x4.splat(0);
let minZ: v128 = f32x4.splat(0);
let maxX: v128 = f32x4.splat(0);
let maxY: v128 = f32x4.splat(0);
let maxZ: v128 = f32x4.splat(0);

@inline
function placeChildrenOfB(ofB: usize, c0: v128, c1: v128, c2: v128, t: v128, spare: v128): void {
  const cx = v128.load(ofB, CHILDREN);
  const cy = v128.load(ofB, CHILDREN + 16);
  const cz = v128.load(ofB, CHILDREN + 32);
  const ex = v128.load(ofB, CHILDREN + 48);
  const ey = v128.load(ofB, CHILDREN + 64);
  const ez = v128.load(ofB, CHILDREN + 80);
  const n0 = f32x4.abs(c0);
  const n1 = f32x4.abs(c1);
  const n2 = f32x4.abs(c2);
  const mx = alongAxis(splat0(c0), cx, splat0(c1), cy, splat0(c2), cz, splat0(t));
  const wx = alongAxis(splat0(n0), ex, splat0(n1), ey, splat0(n2), ez, spare);
  minX = f32x4.sub(mx, wx);
  maxX = f32x4.add(mx, wx);
  const my = alongAxis(splat1(c0), cx, splat1(c1), cy, splat1(c2), cz, splat1(t));
  const wy = alongAxis(splat1(n0), ex, splat1(n1), ey, splat1(n2), ez, spare);
  minY = f32x4.sub(my, wy);
  maxY = f32x4.add(my, wy);
  const mz = alongAxis(splat2(c0), cx, splat2(c1), cy, splat2(c2), cz, splat2(t));
  const wz = alongAxis(splat2(n0), ex, splat2(n1), ey, splat2(n2), ez, spare);
  minZ = f32x4.sub(mz, wz);
  maxZ = f32x4.add(mz, wz);
}

@inline
function placeOwnOfB(reach: v128, t: v128): void {
  const low = f32x4.sub(t, reach);
  const high = f32x4.add(t, reach);
  minX = splat0(low);
  minY = splat1(low);
  minZ = splat2(low);
  maxX = splat0(high);
  maxY = splat1(high);
  maxZ = splat2(high);
}

/** Returns a bit for each of b's boxes that is apart from one of a's. */
@inline
function boxesApart(lowX: v128, lowY: v128, lowZ: v128, highX: v128, highY: v128, highZ: v128): u32 {
  return i32x4.bitmask(
    v128.or(
      v128.or(
        v128.or(f32x4.lt(highX, minX), f32x4.lt(maxX, lowX)), v128.or(f32x4.lt(highY, minY), f32x4.lt(maxY, lowY)),
      ),
      v128.or(f32x4.lt(highZ, minZ), f32x4.lt(maxZ, lowZ)),
    ),
  );
}

/** Returns bit 4 i + j for each pair of a's children and b's boxes that overlap. */
@inline
function childrenOfA(ofA: usize, link: u32, columns: u32): u32 {
  let mask: u32 = 0;
  const count = ((link >> 1) & 3) + 1;
  for (let i: u32 = 0; i < count; i++) {
    const at = ofA + (<usize>i << 2);
    const apart = boxesApart(
      v128.load32_splat(at + CHILDREN), v128.load32_splat(at + CHILDREN + 16), v128.load32_splat(at + CHILDREN + 32),
      v128.load32_splat(at + CHILDREN + 48), v128.load32_splat(at + CHILDREN + 64), v128.load32_splat(at + CHILDREN + 80),
    );
    mask |= (columns & ~apart) << (i << 2);
  }
  return mask;
}

@inline
function ownOfA(ha: v128): u32 {
  const low = f32x4.neg(ha);
  return boxesApart(splat0(low), splat1(low), splat2(low), splat0(ha), splat1(ha), splat2(ha));
}
