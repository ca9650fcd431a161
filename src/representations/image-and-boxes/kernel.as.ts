/**
 * A whole query of a wide OBB tree against a geometry image, without a tree over the image.
 *
 * Letters: a node of the tree has the frame F (columns are its axes), the center c_a and the box
 *   |u| <= g with u = F^T (p - c_a)
 * Its children's boxes lie in that frame (obb/tree/wide-node.ts). A node of the image is the disc
 *   |y - c| <= r, |n . (y - c)| <= h
 * in steps of its grid (gi/search/kernel.ts). The grid is taken into the tree's coordinates by
 *   x = M y + m, M = s T
 * T is a rotation but for `skew` (pair-kernel.ts), and s is the image's step. Further
 *   u = 2^-24; e = 2^-14 bounds the entries of F^T F - I
 *
 * THE TEST, in the frame of the tree's node, where R, H are r, h:
 *   K = F^T M, t = F^T (m - c_a), d = K c + t, k = K n / s
 * The disc has the center d and the normal k. Along axis i it reaches this far from d:
 *   |k_i| H + sqrt(1 - k_i^2) R
 * because a point of it is
 *   z k + v with |z| <= H and v across k, |v| <= R
 * Box and disc are apart if they are apart along one of the node's three axes, or along k.
 *
 * ROUNDING. Let p be in the box and in the image of the disc, to within `mapped` and the decoding
 * of samples, twice DECODE_ERROR. Let
 *   v = F^T M (y - c), R = `scale` r
 * F's singular values are within 1 +- 1.6 e. So |v| <= R, because
 *   scale >= s (1 + skew) (1 + 1.6 e)
 * k is computed within 2^-19 of F^T T n. Its length is 1 to within
 *   skew + 1.6 e + 2^-22
 * The float32 rounding of n is already part of r and h. In norm T^T F F^T T is I but for
 *   1.01 skew + 3.1 e
 * So the following holds, and with q it is less than H, with 0.9 e R to spare:
 *   |k . v| <= s h + (1.01 skew + 3.1 e + 2^-19) R
 *   q = 1.1 skew + 2 e + 2^-18
 *   H = scale h + 2 q R
 * |k| is within 1 +- q. For the unit vector k' along k and parallel = 1 + 2.2 q:
 *   |k'_i| H / |k| <= |k_i| H (1 + 2.1 q)
 *   1 - k'_i^2 <= `parallel` - k_i^2
 * Their sum is multiplied by `parallel`, too. The root's 0.1 q to spare makes it larger by 2^-18.
 * Entries of F are q/32767 within 2.1 u, those of M and m within u. So errors in float32 are
 *   K: 6.1 u s (Cauchy-Schwarz); m - c_a: 2.1 u (|m| + |c_a|) in norm; t: 11.3 u (|m| + |c_a|)
 *   d: 26 u (s |c| + |m| + |c_a|) in all, after three products and three sums
 * LENGTH_ERROR has 32 u. Sums with d round in proportion to |d|. If p is in both, |d| is at most
 *   |g| + R and slack.
 * Let S(g) be the sum of the half extents. With the decoding of bytes the error stays below
 *   16 u S(g) + 8 u R
 * EXTENT_ERROR has 128 u, and R and H have more than 8 u R to spare. R and H both get `spare`:
 *   the slack and EXTENT_ERROR S(g), because |k_i| + sqrt(1 - k_i^2) >= 1
 *
 * Lengths beyond float32 are left to the common engine. At leaves corners are moved in doubles by
 * each side's own pose, in the defining order, and the exact test decides.
 *
 * Median us of hits | misses against a wide tree over the image's triangles, bunny at 129 x 129
 * with blob of 5,120 triangles, 200 poses near contact: 3.5 | 10.7 against 3.0 | 10.6; 513 x 513:
 * 4.2 | 13.5 against 3.9 | 12.5. Tried: The node's own box against the disc itself first saves 1 of
 * 150 steps, and takes 1.04 of the time. Sorting only the pair that shares most to the top takes
 * 1.1. Opening a node alone once it is twice as large takes 1.2.
 */
export { sortContacts } from '../../kernels/pair-search.as';
import { splat0, splat1, splat2, splat3 } from '../../kernels/lanes.as';
import { POSE_A, POSE_B, QUERY, STACK, STEP, UNSUITED } from '../../kernels/layout.as';
import {
  addContact, answerPose, beginSearch, capacity, countHulls, found, isAll, leaveSearch, resumeSearch, takePose, turn,
} from '../../kernels/pair-search.as';
import {
  high0, high1, high2, low0, low1, low2, mapped, movesA, movesB, normOfPoses, placeOf, relatePoses, rowOfFloats,
  skewOfPoses,
} from '../../kernels/relative-pose.as';
import { trianglesMeet } from '../../kernels/triangle-pair.as';
import {
  areQuadsBelow, block, childOf, isQuad, lane, levelBelow, loadQuad, lookAt, nodeOf, quadOf, recordOf,
} from '../gi/search/image-nodes.as';
import {
  BLOCK_BYTES, BLOCKS, CENTRES, DECODE_ERROR, FIRST_QUAD, GRID, GRID_REACH, HALVES, NORMALS, OVER, RADII,
  REACH as IMAGE_REACH, ROOT_CHART,
} from '../gi/search/layout.as';
import { LOCAL_REACH, NODES, ORDER, ORIGIN, REACH } from '../obb/search/layout.as';
import {
  boundsOf, COLUMNS, half, loadCorners, overlap, PAIRS, row, sumOf, TRIANGLE_BYTES, TRIANGLES_A,
} from '../obb/search/wide-boxes.as';
import { HIGH, LINK, LOW, WIDTH } from '../obb/tree/wide-layout.as';

// Rows of the map, f32x4 each: a row of M and an entry of m.
const MAP: usize = QUERY;
// Beside the boxes' columns, f32x4 each: x, y and z of four discs' normals, then
//   k . d + H, k . d - H
// After these: the triangles of four quads.
const PLANES: usize = STEP + 736;
const QUADS: usize = STEP + 832;
const QUAD_BYTES: usize = 144;

/** Disc's slot and chart, tree's node and level. */
const ENTRY_BYTES: usize = 16;
const MOST_OF_PAIR: u32 = 8;
/** A node this many times as large is opened alone: disc radius against sum of half extents. */
const MUCH_LARGER: f32 = 4;

const LENGTH_ERROR: f64 = 32.0 / 16777216.0;
const EXTENT_ERROR: f32 = 1.0 / 131072.0;
const FRAME_SKEW: f64 = 1.0 / 16384.0;
const COARSE: f64 = 1.0 / 262144.0; // 2^-18
const RAISED: f64 = 1.0 + 1.0 / 524288.0; // 1 + 2^-19
const TINY: f64 = 1e-36;
const LARGEST_LENGTH: f64 = 1e24;
const SMALLEST_STEP: f64 = 1e-24;
/** In steps. Lanes without a disc are -2^80 steps thick: apart from everything. */
const LARGEST_RATIO: f64 = 1152921504606846976; // 2^60

let tree: usize = 0;
let image: usize = 0;
let poseOfTree: usize = 0;
let poseOfImage: usize = 0;
let isImageFirst: bool = false;
let slack: f32 = 0;
let scale: v128 = f32x4(0, 0, 0, 0);
let toUnit: v128 = f32x4(0, 0, 0, 0);
let thickness: v128 = f32x4(0, 0, 0, 0);
let parallel: v128 = f32x4(0, 0, 0, 0);

/**
 * Returns ENDED, FULL (then `discResume`), or UNSUITED if lengths are beyond float32 or a pose is
 * not rigid.
 *
 * @param comesFirst true if the image is a
 */
export function discQuery(ofTree: usize, ofImage: usize, comesFirst: i32, workspace: usize, wantsAll: i32, room: i32): i32 {
  tree = ofTree;
  image = ofImage;
  isImageFirst = comesFirst != 0;
  poseOfTree = workspace + (isImageFirst ? POSE_B : POSE_A);
  poseOfImage = workspace + (isImageFirst ? POSE_A : POSE_B);
  if (!relate(workspace)) return UNSUITED;
  beginSearch(workspace, wantsAll, room, ENTRY_BYTES);
  store<u64>(workspace + STACK, nodeOf(0, load<u32>(image + ROOT_CHART)));
  store<u64>(workspace + STACK, 0, 8);
  return discResume(workspace);
}

/** First contacts in many poses of b (layout.as.ts), with the pose of a in the workspace. */
export function discPoses(ofTree: usize, ofImage: usize, comesFirst: i32, workspace: usize, count: i32): void {
  for (let n = 0; n < count; n++) {
    takePose(workspace, n);
    answerPose(workspace, n, discQuery(ofTree, ofImage, comesFirst, workspace, 0, MOST_OF_PAIR));
  }
}

/** False if lengths are beyond float32, or poses not rigid. */
function relate(w: usize): bool {
  if (!relatePoses(poseOfTree, poseOfImage, load<f64>(tree + REACH), load<f64>(image + IMAGE_REACH))) return false;
  const grid = image + GRID;
  const ox = load<f64>(grid);
  const oy = load<f64>(grid, 8);
  const oz = load<f64>(grid, 16);
  const step = load<f64>(grid, 24);
  const steps = f64x2.splat(step);
  const x = placeOf(low0, high0, ox, oy, oz) - load<f64>(tree + ORIGIN);
  const y = placeOf(low1, high1, ox, oy, oz) - load<f64>(tree + ORIGIN + 8);
  const z = placeOf(low2, high2, ox, oy, oz) - load<f64>(tree + ORIGIN + 16);
  v128.store(w + MAP, rowOfFloats(f64x2.mul(low0, steps), f64x2.mul(high0, steps), x));
  v128.store(w + MAP + 16, rowOfFloats(f64x2.mul(low1, steps), f64x2.mul(high1, steps), y));
  v128.store(w + MAP + 32, rowOfFloats(f64x2.mul(low2, steps), f64x2.mul(high2, steps), z));
  const length = step * normOfPoses;
  const reaches = load<f64>(tree + LOCAL_REACH) + 1.8 * length * load<f64>(image + GRID_REACH);
  const lengths = reaches + abs(x) + abs(y) + abs(z);
  const isInRange = length > SMALLEST_STEP && length < LARGEST_LENGTH && lengths < LARGEST_LENGTH;
  if (!(isInRange && lengths < length * LARGEST_RATIO)) return false;
  const q = 1.1 * skewOfPoses + 2 * FRAME_SKEW + COARSE;
  slack = f32((1.01 * (mapped + 2 * load<f64>(image + DECODE_ERROR)) + lengths * LENGTH_ERROR) * 1.00001 + TINY);
  scale = f32x4.splat(f32(length * (1 + 2 * FRAME_SKEW) * RAISED));
  toUnit = f32x4.splat(f32(1 / step));
  thickness = f32x4.splat(f32(2 * q * RAISED));
  parallel = f32x4.splat(f32((1 + 2.2 * q) * RAISED));
  return true;
}

// State of the current node of the tree: columns of K and t (lanes are its axes), half extents.
let k0: v128 = f32x4(0, 0, 0, 0);
let k1: v128 = f32x4(0, 0, 0, 0);
let k2: v128 = f32x4(0, 0, 0, 0);
let t: v128 = f32x4(0, 0, 0, 0);
let extents: v128 = f32x4(0, 0, 0, 0);
let spare: v128 = f32x4(0, 0, 0, 0);

export function discResume(w: usize): i32 {
  const nodes = <usize>load<u32>(tree + NODES);
  const blocks = <usize>load<u32>(image + BLOCKS);
  const bottom = w + STACK;
  let top = resumeSearch(w);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  while (top > bottom && found + MOST_OF_PAIR <= capacity && bounds < turn) {
    top -= ENTRY_BYTES;
    const disc = load<u64>(top);
    const index = load<u32>(top, 8);
    const level = load<u32>(top, 12);
    const node = nodes + (<usize>index << 6);
    const ofDisc = lane(blocks, <u32>disc);
    bounds++;
    const size = enterNode(w, node);

    lookAt(image, disc);
    const link = load<u32>(node + LINK);
    const isLeaf = (link & 1) != 0;
    const areQuads = isQuad || areQuadsBelow;
    const radius = f32x4.extract_lane(scale, 0) * load<f32>(ofDisc + RADII);
    const isLeafPair = isLeaf && areQuads;
    const opensTree = isLeafPair || (!isLeaf && (isQuad || radius <= MUCH_LARGER * size));
    const opensDisc = !isQuad && (isLeafPair || isLeaf || size <= MUCH_LARGER * radius);
    const firstSlot = opensDisc ? block << 2 : <u32>disc;
    storeDiscs(w, blocks + <usize>(firstSlot >> 2) * BLOCK_BYTES);
    const columns: u32 = opensDisc ? 0xffff : 0x1111 << (<u32>disc & 3);
    const mask = columns & (opensTree ? childrenOfTree(w, node, link) : ownOfTree(w));
    if (mask == 0) continue;
    if (opensDisc) deepest = max(deepest, levelBelow(image, disc, block));
    const first = firstSlot & ~3;
    if (isLeafPair) {
      top = meetAll(w, top, mask, disc, first, opensDisc, index, level, link >> 3);
      if (found == 0 || isAll) continue;
      top = bottom;
      break;
    }
    const child = opensTree ? link >> 3 : index;
    const below = level + (opensTree ? 1 : 0);
    deepest = max(deepest, below);
    top = pushAll(w, top, mask, disc, first, opensDisc, child, below);
  }
  return leaveSearch(w, top, bounds, deepest);
}

/** Returns the sum of the node's half extents. */
@inline
function enterNode(w: usize, node: usize): f32 {
  const a0 = row(node, 0);
  const a1 = row(node, 1);
  const a2 = row(node, 2);
  const last = i32x4(0, 0, 0, -1);
  const x0 = f32x4.sub(v128.load(w + MAP), v128.and(a0, last));
  const x1 = f32x4.sub(v128.load(w + MAP + 16), v128.and(a1, last));
  const x2 = f32x4.sub(v128.load(w + MAP + 32), v128.and(a2, last));
  k0 = sumOf(a0, splat0(x0), a1, splat0(x1), a2, splat0(x2));
  k1 = sumOf(a0, splat1(x0), a1, splat1(x1), a2, splat1(x2));
  k2 = sumOf(a0, splat2(x0), a1, splat2(x1), a2, splat2(x2));
  t = sumOf(a0, splat3(x0), a1, splat3(x1), a2, splat3(x2));
  const h0 = half(node, 0);
  const h1 = half(node, 1);
  const h2 = half(node, 2);
  extents = f32x4(h0, h1, h2, 0);
  const size = h0 + h1 + h2;
  spare = f32x4.splat(slack + EXTENT_ERROR * size);
  return size;
}

/** Half widths of discs along an axis; k is its cosines to their normals. */
@inline
function reachAlong(k: v128, h: v128, r: v128): v128 {
  const sine = f32x4.sqrt(f32x4.sub(parallel, f32x4.mul(k, k)));
  return f32x4.mul(f32x4.add(f32x4.mul(f32x4.abs(k), h), f32x4.mul(sine, r)), parallel);
}

/** Stores boxes and planes of a block's four discs, one a lane, in the node's frame. */
@inline
function storeDiscs(w: usize, from: usize): void {
  const cx = v128.load(from, CENTRES);
  const cy = v128.load(from, CENTRES + 16);
  const cz = v128.load(from, CENTRES + 32);
  const nx = v128.load(from, NORMALS);
  const ny = v128.load(from, NORMALS + 16);
  const nz = v128.load(from, NORMALS + 32);
  const r = f32x4.add(f32x4.mul(v128.load(from, RADII), scale), spare);
  const h = f32x4.add(f32x4.add(f32x4.mul(v128.load(from, HALVES), scale), f32x4.mul(r, thickness)), spare);
  const dx = f32x4.add(sumOf(splat0(k0), cx, splat0(k1), cy, splat0(k2), cz), splat0(t));
  const dy = f32x4.add(sumOf(splat1(k0), cx, splat1(k1), cy, splat1(k2), cz), splat1(t));
  const dz = f32x4.add(sumOf(splat2(k0), cx, splat2(k1), cy, splat2(k2), cz), splat2(t));
  const kx = f32x4.mul(sumOf(splat0(k0), nx, splat0(k1), ny, splat0(k2), nz), toUnit);
  const ky = f32x4.mul(sumOf(splat1(k0), nx, splat1(k1), ny, splat1(k2), nz), toUnit);
  const kz = f32x4.mul(sumOf(splat2(k0), nx, splat2(k1), ny, splat2(k2), nz), toUnit);
  const rx = reachAlong(kx, h, r);
  const ry = reachAlong(ky, h, r);
  const rz = reachAlong(kz, h, r);
  const columns = w + COLUMNS;
  v128.store(columns, f32x4.sub(dx, rx));
  v128.store(columns, f32x4.sub(dy, ry), 16);
  v128.store(columns, f32x4.sub(dz, rz), 32);
  v128.store(columns, f32x4.add(dx, rx), 48);
  v128.store(columns, f32x4.add(dy, ry), 64);
  v128.store(columns, f32x4.add(dz, rz), 80);
  const planes = w + PLANES;
  const along = sumOf(kx, dx, ky, dy, kz, dz);
  v128.store(planes, kx);
  v128.store(planes, ky, 16);
  v128.store(planes, kz, 32);
  v128.store(planes, f32x4.add(along, h), 48);
  v128.store(planes, f32x4.sub(along, h), 64);
}

/** Mask of the pairs not apart: bit 4 i + j is child i of the node and disc j. */
@inline
function childrenOfTree(w: usize, node: usize, link: u32): u32 {
  const step = f32x4.mul(extents, f32x4.splat(<f32>(2.0 / 255.0)));
  const lowX = boundsOf(node + LOW, splat0(step), splat0(extents));
  const lowY = boundsOf(node + LOW + WIDTH, splat1(step), splat1(extents));
  const lowZ = boundsOf(node + LOW + 2 * WIDTH, splat2(step), splat2(extents));
  const highX = boundsOf(node + HIGH, splat0(step), splat0(extents));
  const highY = boundsOf(node + HIGH + WIDTH, splat1(step), splat1(extents));
  const highZ = boundsOf(node + HIGH + 2 * WIDTH, splat2(step), splat2(extents));
  const apart =
    rowOf(w, 0, splat0(lowX), splat0(lowY), splat0(lowZ), splat0(highX), splat0(highY), splat0(highZ)) |
    (rowOf(w, 16, splat1(lowX), splat1(lowY), splat1(lowZ), splat1(highX), splat1(highY), splat1(highZ)) << 4) |
    (rowOf(w, 32, splat2(lowX), splat2(lowY), splat2(lowZ), splat2(highX), splat2(highY), splat2(highZ)) << 8) |
    (rowOf(w, 48, splat3(lowX), splat3(lowY), splat3(lowZ), splat3(highX), splat3(highY), splat3(highZ)) << 12);
  return ~apart & ((1 << (((link >> 1) & 3) * 4 + 4)) - 1);
}

@inline
function ownOfTree(w: usize): u32 {
  const low = f32x4.neg(extents);
  return 15 & ~rowOf(w, 0, splat0(low), splat1(low), splat2(low), splat0(extents), splat1(extents), splat2(extents));
}

/** Mask of the discs apart from a box; shared volumes go to PAIRS. */
function rowOf(w: usize, at: usize, lowX: v128, lowY: v128, lowZ: v128, highX: v128, highY: v128, highZ: v128): i32 {
  const columns = w + COLUMNS;
  const planes = w + PLANES;
  const kx = v128.load(planes);
  const ky = v128.load(planes, 16);
  const kz = v128.load(planes, 32);
  const x = f32x4.mul(kx, lowX);
  const y = f32x4.mul(ky, lowY);
  const z = f32x4.mul(kz, lowZ);
  const u = f32x4.mul(kx, highX);
  const v = f32x4.mul(ky, highY);
  const s = f32x4.mul(kz, highZ);
  const most = f32x4.add(f32x4.add(f32x4.pmax(x, u), f32x4.pmax(y, v)), f32x4.pmax(z, s));
  const least = f32x4.add(f32x4.add(f32x4.pmin(x, u), f32x4.pmin(y, v)), f32x4.pmin(z, s));
  const above = f32x4.gt(v128.load(planes, 64), most);
  const below = f32x4.gt(least, v128.load(planes, 48));
  const volume = overlap(
    lowX, lowY, lowZ, highX, highY, highZ,
    v128.load(columns), v128.load(columns, 16), v128.load(columns, 32),
    v128.load(columns, 48), v128.load(columns, 64), v128.load(columns, 80),
  );
  v128.store(w + PAIRS + at, volume);
  return i32x4.bitmask(v128.or(volume, v128.or(above, below)));
}

/** Pushes the pairs in `mask`, the largest shared volume on top; returns the new top. */
function pushAll(w: usize, from: usize, mask: u32, disc: u64, first: u32, opensDisc: bool, child: u32, level: u32): usize {
  let top = from;
  let pairs = mask;
  do {
    const bit = <u32>ctz(pairs);
    pairs &= pairs - 1;
    const volume = load<f32>(w + PAIRS + (<usize>bit << 2));
    let place = top;
    while (!isAll && place > from && load<f32>(place - ENTRY_BYTES, 12) > volume) {
      v128.store(place, v128.load(place - ENTRY_BYTES));
      place -= ENTRY_BYTES;
    }
    store<u64>(place, childOf(image, first | (bit & 3), disc, opensDisc));
    store<u32>(place, child + (bit >> 2), 8);
    store<f32>(place, volume, 12);
    top += ENTRY_BYTES;
  } while (pairs != 0);
  for (let entry = from; entry < top; entry += ENTRY_BYTES) store<u32>(entry, level, 12);
  return top;
}

/** Quads that the list has no room for go back on the stack, with the leaf. Returns the new top. */
function meetAll(w: usize, from: usize, mask: u32, disc: u64, first: u32, opensDisc: bool, index: u32, level: u32, place: u32): usize {
  let top = from;
  let loaded: u32 = 0;
  const order = <usize>load<u32>(tree + ORDER) + (<usize>place << 2);
  for (let j: u32 = 0; j < 4; j++) {
    let rows = (mask >> j) & 0x1111;
    if (rows == 0) continue;
    const quad = childOf(image, first | j, disc, opensDisc);
    if (found + MOST_OF_PAIR > capacity) {
      store<u64>(top, quad);
      store<u32>(top, index, 8);
      store<u32>(top, level, 12);
      top += ENTRY_BYTES;
      continue;
    }
    const chart = recordOf(image, <u32>(quad >> 32));
    const number = quadOf(chart, <u32>quad, load<u32>(image + OVER));
    const ofImage = 2 * (load<u32>(chart + FIRST_QUAD) + number);
    const corners = w + QUADS + <usize>j * QUAD_BYTES;
    loadQuad(chart, number, image + GRID, poseOfImage, movesB, corners);
    while (rows != 0) {
      const i = <u32>ctz(rows) >> 2;
      rows &= rows - 1;
      const triangle = w + TRIANGLES_A + TRIANGLE_BYTES * <usize>i;
      if (!(loaded & (1 << i))) {
        loaded |= 1 << i;
        loadCorners(tree, place + i, poseOfTree, movesA, triangle);
      }
      const ofTree = load<u32>(order + (<usize>i << 2));
      for (let k: u32 = 0; k < 2; k++) {
        countHulls();
        if (!trianglesMeet(triangle, corners + <usize>k * TRIANGLE_BYTES)) continue;
        if (isImageFirst) addContact(w, ofImage + k, ofTree);
        else addContact(w, ofTree, ofImage + k);
        if (!isAll) return top;
      }
    }
  }
  return top;
}
