/**
 * Boxes of two wide OBB trees (../tree/wide-node.ts) in one frame, for the search kernels:
 * kernel.as.ts tests if they are apart, nearest.as.ts how far.
 *
 * Letters: a node has the frame F (columns are its axes) and the center c; its box is |u| <= h with
 * u = F^T (p - c). M x + m takes b's local coordinates into a's. With these:
 *   d = M c_b + m - c_a,   R = F_a^T M F_b,   t = F_a^T d.
 * u = 2^-24 is the unit roundoff of float32. |x| is the length of a vector, S(h) the sum of the
 * three half extents. e = FRAME_SKEW bounds the entries of F^T F - I, and `skew` bounds those for M
 * (pair-kernel.ts).
 *
 * THE BOX FILTER misses nothing. Let p be in a's box, q in b's, and p = M q + m (to within
 * `mapped`, the slack of pair-kernel.ts).
 *
 * (1) In real arithmetic, with D = F_b^T F_b - I:
 *   q - c_b = F_b^-T u_b = F_b u_b - F_b^-T D u_b,
 * whose last term is shorter than sqrt(3) e S(h_b) (1 + 2 e). So along a's axes, u_a = t + R u_b
 * within 1.8 e S(h_b):
 *   |t_i| <= h_a,i + sum_j |R_ij| h_b,j + 1.8 e S(h_b).
 * The same holds for the box lo <= u_b <= hi of b's child in place of b's own, and for one of a's
 * child in place of a's own. Along b's axes
 *   t = u_a - F_a^T M F_b^-T u_b,
 *   R^T t = R^T u_a - F_b^T (M^T F_a F_a^T M) F_b^-T u_b.
 * The bracket is I except for 3 e + skew in norm (1.01 of it with the factors around):
 *   |R^T t|_j <= h_b,j + sum_i |R_ij| h_a,i + (3.1 e + 1.1 skew) S(h_b).
 *
 * (2) In float32. Entries of F are q/32767 within 2.1 u, those of M and m within u. Column 3, the
 * centers: a product of M [F_b | c_b] passes its own rounding and three sums, so d's coordinate k
 * is within
 *   5.1 u (|row k| |c_b| + |m_k| + |c_a,k|),
 * and d within
 *   5.1 u (1.74 |c_b| + |m| + |c_a|) < 8.9 u L,   L = |c_a| + |c_b| + |m|.
 * t = F_a^T d adds 5.2 u |column| |d| per coordinate, in norm 9.1 u L. So t is within 18.1 u L of
 * the true one, and so is R^T t for that reason: LENGTH_ERROR has 20 u. Entries of M F_b are within
 * 6.1 u (Cauchy-Schwarz: both factors' lines are shorter than 1.0001), those of R within
 *   6.1 sqrt(3) u + 5.1 u < 16 u.
 * So |R| h and R times a child's center are within 20 u S(h), boxes from bytes within 5 u h. Sums
 * with t round by u |t|, products of R and t are within 20 u |t_1| + ... Only near contact matters.
 * There, and always along b's axes, since none of a's has separated,
 *   |t_i| <= h_a,i + sum_j |R_ij| h_b,j + spare,
 * in sum at most 1.8 (S(h_a) + S(h_b)) + 3 spare. All these errors together stay below
 *   100 u (S(h_a) + S(h_b)).
 * EXTENT_ERROR has 128 u. Numbers below the normal range add less than TINY.
 *
 * (3) Along n = e_i x R e_j, across the i-th axis of a and the j-th of b. Two of n's coordinates
 * are entries of R with a sign, the third is 0: nothing rounds, |n| < 1.0003, and
 *   |n_1| + |n_2| + |n_3| < 1.42.
 * Any n serves, so the errors of these entries don't count. By (1),
 *   |n . t| <= sum_i |n_i| h_a,i + sum_j |n . R e_j| h_b,j + 1.8 e |n| S(h_b).
 * The same holds for children's boxes. n . t is within 20 u L of the true one, as t is, and sums
 * with t round by 5.1 u (1.8 (S(h_a) + S(h_b)) + 3 spare). n . R e_j is within
 *   1.42 (16 u) + 4.3 u < 28 u.
 * The middle c and half extent r of a child's box have |c_j| + |r_j| <= h_j. They are within 8 u
 * h_j each, and their products with n or R^T n round by 5.1 u. The last three sums round by 4 u of
 * everything. So all errors together are below
 *   52 u S(h_a) + 71 u S(h_b),
 * which the 128 u cover as well. Boxes whose longest axes exceed their other two by far are often
 * apart along this n alone: strips of a turned body, needles of a fan.
 *
 * (4) Comparisons are written so that a NaN, which no decodable file contains, would keep the pair.
 */
import { splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { POSE_A, POSE_B, QUERY, STEP } from '../../../kernels/layout.as';
import { loadTriangle } from '../../../kernels/pair-search.as';
import {
  high0, high1, high2, low0, low1, low2, mapped, placeOf, relatePoses, skewOfPoses,
} from '../../../kernels/relative-pose.as';
import { CENTRE, HIGH, LOW, ROW_BYTES, ROW_HALF, WIDTH } from '../tree/wide-layout.as';
import { CORNERS, CORNERS_OF_A, CORNERS_OF_B, IS_FLOAT, LOCAL_REACH, ORIGIN, POSITIONS, REACH } from './layout.as';

/** Three rows of M, four vectors each: an entry in all lanes, three times, and (0, 0, 0, m_k). */
export const MAP: usize = QUERY;
export const ROW_OF_MAP: usize = 64;
// Output of a step: corners, f64 x 9 x 4 per side; a number for each of 16 pairs, f32; b's boxes in
// a's frame: low x, y, z, then high, f32x4 each.
export const TRIANGLES_A: usize = STEP + CORNERS_OF_A;
export const TRIANGLES_B: usize = STEP + CORNERS_OF_B;
export const TRIANGLE_BYTES: usize = 72;
export const PAIRS: usize = STEP + 576;
export const COLUMNS: usize = STEP + 640;

const FRAME_SKEW: f64 = 1.0 / 16384.0;
export const LENGTH_ERROR: f64 = 20.0 / 16777216.0;
const EXTENT_ERROR: f64 = 1.0 / 131072.0;
const TINY: f64 = 1e-36;

export const MUCH_LARGER: f32 = 6;
/** A box is long if the sum of its half extents is below so many times the longest. */
export const LONG: f32 = 1.75;

/** Above this, sums of lengths could leave float32's range. */
const LARGEST_LENGTHS: f64 = 1e37;

export let slack: f32 = 0;
export let skew: f32 = 0;
export let lengths: f64 = 0;
/** All bits but the signs; a constant that the compiler takes for a variable. */
let sizes: v128 = i32x4.splat(0);

/** Sets the query's map and slack. False if float32 is too small, or a pose is not rigid. */
export function relate(workspace: usize, treeA: usize, treeB: usize): bool {
  sizes = i32x4.splat(0x7fffffff);
  const isRigid = relatePoses(workspace + POSE_A, workspace + POSE_B, load<f64>(treeA + REACH), load<f64>(treeB + REACH));
  if (!isRigid) return false;
  const ox = load<f64>(treeB + ORIGIN);
  const oy = load<f64>(treeB + ORIGIN + 8);
  const oz = load<f64>(treeB + ORIGIN + 16);
  const x = placeOf(low0, high0, ox, oy, oz) - load<f64>(treeA + ORIGIN);
  const y = placeOf(low1, high1, ox, oy, oz) - load<f64>(treeA + ORIGIN + 8);
  const z = placeOf(low2, high2, ox, oy, oz) - load<f64>(treeA + ORIGIN + 16);
  storeRow(workspace + MAP, low0, high0, x);
  storeRow(workspace + MAP + ROW_OF_MAP, low1, high1, y);
  storeRow(workspace + MAP + 2 * ROW_OF_MAP, low2, high2, z);
  lengths = load<f64>(treeA + LOCAL_REACH) + load<f64>(treeB + LOCAL_REACH) + abs(x) + abs(y) + abs(z);
  if (!(lengths < LARGEST_LENGTHS)) return false;
  // The last factors round up, since float32 rounds to nearest.
  slack = f32((1.01 * mapped + lengths * LENGTH_ERROR) * 1.00001 + TINY);
  skew = f32((3.1 * FRAME_SKEW + 1.1 * skewOfPoses + EXTENT_ERROR) * 1.00001);
  return true;
}

@inline
function storeRow(row: usize, low: v128, high: v128, along: f64): void {
  const xy = f32x4.demote_f64x2_zero(low);
  const z = f32x4.demote_f64x2_zero(high);
  v128.store(row, v128.shuffle<i32>(xy, xy, 0, 0, 0, 0));
  v128.store(row, v128.shuffle<i32>(xy, xy, 1, 1, 1, 1), 16);
  v128.store(row, v128.shuffle<i32>(z, z, 0, 0, 0, 0), 32);
  v128.store(row, f32x4.replace_lane(f32x4.splat(0), 3, f32(along)), 48);
}

@inline
export function row(node: usize, k: usize): v128 {
  const integers = v128.load_ext<i16>(node + ROW_BYTES * k);
  const scaled = f32x4.mul(f32x4.convert_i32x4_s(integers), f32x4.splat(<f32>(1.0 / 32767.0)));
  return f32x4.replace_lane(scaled, 3, load<f32>(node + CENTRE + (k << 2)));
}

/** A row of the frame and half an extent, as they are stored. */
@inline
export function storedRow(node: usize, k: usize): v128 {
  return v128.load_ext<i16>(node + ROW_BYTES * k);
}

/** A row of the frame; the last number has no meaning. */
@inline
export function frameRow(stored: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(stored), f32x4.splat(<f32>(1.0 / 32767.0)));
}

/** The same with the center's coordinate last. */
@inline
export function centredRow(stored: v128, node: usize, k: usize): v128 {
  return v128.load_lane<u32>(node + CENTRE + (k << 2), frameRow(stored), 3);
}

/** The half extents of the stored rows; the last number is one of them again. */
@inline
export function halves(r0: v128, r1: v128, r2: v128): v128 {
  return i32x4.shl(v128.shuffle<i32>(v128.shuffle<i32>(r0, r1, 2, 6, 3, 7), r2, 2, 3, 7, 7), 16);
}

/** |v|. One operation less than f32x4.abs, which makes its mask each time. */
@inline
function sizeOf(v: v128): v128 {
  return v128.and(v, sizes);
}

@inline
export function half(node: usize, k: usize): f32 {
  return reinterpret<f32>(<u32>load<u16>(node + ROW_BYTES * k + ROW_HALF) << 16);
}

/** Signed conversions take one operation of the processor, unsigned ones take eight. */
@inline
export function bytesAt(at: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at))));
}

/** Eight bytes, those of two axes, for firstBytes and lastBytes. */
@inline
export function eightBytes(at: usize): v128 {
  return v128.load_ext<u8>(at);
}

@inline
export function firstBytes(eight: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(eight));
}

@inline
export function lastBytes(eight: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_u(eight));
}

@inline
export function mappedRow(map: usize, b0: v128, b1: v128, b2: v128, rowOfA: v128): v128 {
  return f32x4.sub(movedRow(map, b0, b1, b2), v128.and(rowOfA, i32x4(0, 0, 0, -1)));
}

@inline
export function movedRow(map: usize, b0: v128, b1: v128, b2: v128): v128 {
  return f32x4.add(
    f32x4.add(f32x4.mul(v128.load(map), b0), f32x4.mul(v128.load(map, 16), b1)),
    f32x4.add(f32x4.mul(v128.load(map, 32), b2), v128.load(map, 48)),
  );
}

@inline
export function sumOf(p: v128, x: v128, q: v128, y: v128, r: v128, z: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(p, x), f32x4.mul(q, y)), f32x4.mul(r, z));
}

@inline
export function extentOfB(hb: v128, c0: v128, c1: v128, c2: v128): v128 {
  return sumOf(sizeOf(c0), splat0(hb), sizeOf(c1), splat1(hb), sizeOf(c2), splat2(hb));
}

/** True if the own boxes are certainly apart along one of their six axes. */
@inline
export function areApart(ha: v128, hb: v128, c0: v128, c1: v128, c2: v128, t: v128, spare: v128): bool {
  const extentB = extentOfB(hb, c0, c1, c2);
  const reachA = f32x4.add(f32x4.add(ha, spare), extentB);
  if (i32x4.bitmask(f32x4.gt(sizeOf(t), reachA)) & 7) return true;
  const low01 = v128.shuffle<i32>(c0, c1, 0, 4, 1, 5);
  const high01 = v128.shuffle<i32>(c0, c1, 2, 6, 3, 7);
  const r0 = v128.shuffle<i32>(low01, c2, 0, 1, 4, 4);
  const r1 = v128.shuffle<i32>(low01, c2, 2, 3, 5, 5);
  const r2 = v128.shuffle<i32>(high01, c2, 0, 1, 6, 6);
  const alongB = sumOf(r0, splat0(t), r1, splat1(t), r2, splat2(t));
  const extentA = sumOf(sizeOf(r0), splat0(ha), sizeOf(r1), splat1(ha), sizeOf(r2), splat2(ha));
  const reachB = f32x4.add(f32x4.add(hb, spare), extentA);
  return (i32x4.bitmask(f32x4.gt(sizeOf(alongB), reachB)) & 7) != 0;
}

@inline
export function storeChildrenOfB(to: usize, node: usize, hb: v128, c0: v128, c1: v128, c2: v128, t: v128, spare: v128): void {
  const step = f32x4.mul(hb, f32x4.splat(<f32>(1.0 / 255.0)));
  const s0 = splat0(step);
  const s1 = splat1(step);
  const s2 = splat2(step);
  const lowXY = eightBytes(node + LOW);
  const lowZHighX = eightBytes(node + LOW + 2 * WIDTH);
  const highYZ = eightBytes(node + HIGH + WIDTH);
  const lowX = firstBytes(lowXY);
  const lowY = lastBytes(lowXY);
  const lowZ = firstBytes(lowZHighX);
  const highX = lastBytes(lowZHighX);
  const highY = firstBytes(highYZ);
  const highZ = lastBytes(highYZ);
  const cx = f32x4.sub(f32x4.mul(f32x4.add(lowX, highX), s0), splat0(hb));
  const cy = f32x4.sub(f32x4.mul(f32x4.add(lowY, highY), s1), splat1(hb));
  const cz = f32x4.sub(f32x4.mul(f32x4.add(lowZ, highZ), s2), splat2(hb));
  const ex = f32x4.mul(f32x4.sub(highX, lowX), s0);
  const ey = f32x4.mul(f32x4.sub(highY, lowY), s1);
  const ez = f32x4.mul(f32x4.sub(highZ, lowZ), s2);
  const n0 = sizeOf(c0);
  const n1 = sizeOf(c1);
  const n2 = sizeOf(c2);
  const mx = alongAxis(splat0(c0), cx, splat0(c1), cy, splat0(c2), cz, splat0(t));
  const wx = alongAxis(splat0(n0), ex, splat0(n1), ey, splat0(n2), ez, spare);
  v128.store(to, f32x4.sub(mx, wx));
  v128.store(to, f32x4.add(mx, wx), 48);
  const my = alongAxis(splat1(c0), cx, splat1(c1), cy, splat1(c2), cz, splat1(t));
  const wy = alongAxis(splat1(n0), ex, splat1(n1), ey, splat1(n2), ez, spare);
  v128.store(to, f32x4.sub(my, wy), 16);
  v128.store(to, f32x4.add(my, wy), 64);
  const mz = alongAxis(splat2(c0), cx, splat2(c1), cy, splat2(c2), cz, splat2(t));
  const wz = alongAxis(splat2(n0), ex, splat2(n1), ey, splat2(n2), ez, spare);
  v128.store(to, f32x4.sub(mz, wz), 32);
  v128.store(to, f32x4.add(mz, wz), 80);
}

@inline
export function alongAxis(p: v128, x: v128, q: v128, y: v128, r: v128, z: v128, more: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(p, x), f32x4.mul(q, y)), f32x4.add(f32x4.mul(r, z), more));
}

/** Sum of the first three lanes. */
@inline
function sumOfLanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 2);
}

/** n of (3) for both longest axes. */
@inline
function acrossLongest(ha: v128, hb: v128, c0: v128, c1: v128, c2: v128): v128 {
  const a0 = f32x4.extract_lane(ha, 0);
  const a1 = f32x4.extract_lane(ha, 1);
  const a2 = f32x4.extract_lane(ha, 2);
  const b0 = f32x4.extract_lane(hb, 0);
  const b1 = f32x4.extract_lane(hb, 1);
  const b2 = f32x4.extract_lane(hb, 2);
  const c = b0 >= b1 && b0 >= b2 ? c0 : b1 >= b2 ? c1 : c2;
  const x = f32x4.extract_lane(c, 0);
  const y = f32x4.extract_lane(c, 1);
  const z = f32x4.extract_lane(c, 2);
  return a0 >= a1 && a0 >= a2 ? f32x4(0, -z, y, 0) : a1 >= a2 ? f32x4(z, 0, -x, 0) : f32x4(-y, x, 0, 0);
}

/** R^T n. */
@inline
function turned(n: v128, c0: v128, c1: v128, c2: v128): v128 {
  return f32x4(sumOfLanes(f32x4.mul(n, c0)), sumOfLanes(f32x4.mul(n, c1)), sumOfLanes(f32x4.mul(n, c2)), 0);
}

/** True if the own boxes are certainly apart across their longest axes. */
@inline
export function areApartAcross(ha: v128, hb: v128, c0: v128, c1: v128, c2: v128, t: v128, spare: f32): bool {
  const n = acrossLongest(ha, hb, c0, c1, c2);
  const reachA = sumOfLanes(f32x4.mul(f32x4.abs(n), ha));
  const reachB = sumOfLanes(f32x4.mul(f32x4.abs(turned(n, c0, c1, c2)), hb));
  return abs(sumOfLanes(f32x4.mul(n, t))) > reachA + reachB + spare;
}

/** Returns bit 4 i + j for each pair of children certainly apart across the longest axes. */
export function childrenApartAcross(
  nodeA: usize, nodeB: usize, ha: v128, hb: v128, c0: v128, c1: v128, c2: v128, t: v128, spare: f32,
): u32 {
  const n = acrossLongest(ha, hb, c0, c1, c2);
  const ofB = turned(n, c0, c1, c2);
  const middleA = middlesAlong(nodeA, ha, n);
  const reachA = f32x4.add(reachesAlong(nodeA, ha, f32x4.abs(n)), f32x4.splat(spare));
  const middleB = f32x4.add(middlesAlong(nodeB, hb, ofB), f32x4.splat(sumOfLanes(f32x4.mul(n, t))));
  const reachB = reachesAlong(nodeB, hb, f32x4.abs(ofB));
  const a0 = areBeyond(splat0(middleA), splat0(reachA), middleB, reachB);
  const a1 = areBeyond(splat1(middleA), splat1(reachA), middleB, reachB);
  const a2 = areBeyond(splat2(middleA), splat2(reachA), middleB, reachB);
  const a3 = areBeyond(splat3(middleA), splat3(reachA), middleB, reachB);
  return a0 | (a1 << 4) | (a2 << 8) | (a3 << 12);
}

@inline
function areBeyond(middleA: v128, reachA: v128, middleB: v128, reachB: v128): u32 {
  return i32x4.bitmask(f32x4.gt(f32x4.abs(f32x4.sub(middleA, middleB)), f32x4.add(reachA, reachB)));
}

/** The places of the middles of a node's four children's boxes along a vector of its frame. */
function middlesAlong(node: usize, h: v128, along: v128): v128 {
  const step = f32x4.mul(h, f32x4.splat(<f32>(1.0 / 255.0)));
  const x = f32x4.add(bytesAt(node + LOW), bytesAt(node + HIGH));
  const y = f32x4.add(bytesAt(node + LOW + WIDTH), bytesAt(node + HIGH + WIDTH));
  const z = f32x4.add(bytesAt(node + LOW + 2 * WIDTH), bytesAt(node + HIGH + 2 * WIDTH));
  const cx = f32x4.sub(f32x4.mul(x, splat0(step)), splat0(h));
  const cy = f32x4.sub(f32x4.mul(y, splat1(step)), splat1(h));
  const cz = f32x4.sub(f32x4.mul(z, splat2(step)), splat2(h));
  return sumOf(splat0(along), cx, splat1(along), cy, splat2(along), cz);
}

/** Half of the boxes' extent along the vector; the sizes of its coordinates are given. */
function reachesAlong(node: usize, h: v128, sizes: v128): v128 {
  const step = f32x4.mul(h, f32x4.splat(<f32>(1.0 / 255.0)));
  const x = f32x4.sub(bytesAt(node + HIGH), bytesAt(node + LOW));
  const y = f32x4.sub(bytesAt(node + HIGH + WIDTH), bytesAt(node + LOW + WIDTH));
  const z = f32x4.sub(bytesAt(node + HIGH + 2 * WIDTH), bytesAt(node + LOW + 2 * WIDTH));
  const ex = f32x4.mul(x, splat0(step));
  const ey = f32x4.mul(y, splat1(step));
  const ez = f32x4.mul(z, splat2(step));
  return sumOf(splat0(sizes), ex, splat1(sizes), ey, splat2(sizes), ez);
}

@inline
export function storeOwnOfB(to: usize, hb: v128, c0: v128, c1: v128, c2: v128, t: v128, spare: v128): void {
  const reach = f32x4.add(extentOfB(hb, c0, c1, c2), spare);
  const low = f32x4.sub(t, reach);
  const high = f32x4.add(t, reach);
  storeBoxes(to, splat0(low), splat1(low), splat2(low), splat0(high), splat1(high), splat2(high));
}

@inline
export function storeBoxes(to: usize, minX: v128, minY: v128, minZ: v128, maxX: v128, maxY: v128, maxZ: v128): void {
  v128.store(to, minX);
  v128.store(to, minY, 16);
  v128.store(to, minZ, 32);
  v128.store(to, maxX, 48);
  v128.store(to, maxY, 64);
  v128.store(to, maxZ, 80);
}

@inline
export function boundOf(bytes: v128, step: v128, half: v128): v128 {
  return f32x4.sub(f32x4.mul(bytes, step), half);
}

@inline
export function boundsOf(at: usize, step: v128, half: v128): v128 {
  return boundOf(bytesAt(at), step, half);
}

/**
 * Returns per lane the volume shared with one of b's boxes; below 0 if they are apart. The sign is
 * exact: a difference of two floats is 0 only if they are equal.
 */
@inline
export function overlap(
  lowX: v128, lowY: v128, lowZ: v128, highX: v128, highY: v128, highZ: v128,
  minX: v128, minY: v128, minZ: v128, maxX: v128, maxY: v128, maxZ: v128,
): v128 {
  const x = f32x4.sub(f32x4.pmin(highX, maxX), f32x4.pmax(lowX, minX));
  const y = f32x4.sub(f32x4.pmin(highY, maxY), f32x4.pmax(lowY, minY));
  const z = f32x4.sub(f32x4.pmin(highZ, maxZ), f32x4.pmax(lowZ, minZ));
  const least = f32x4.pmin(x, f32x4.pmin(y, z));
  // 0 times an overflow is NaN; pmax takes the 0.
  const volume = f32x4.pmax(f32x4.splat(0), f32x4.mul(x, f32x4.mul(y, z)));
  return v128.bitselect(volume, least, f32x4.ge(least, f32x4.splat(0)));
}

@inline
export function loadCorners(tree: usize, place: u32, pose: usize, moves: bool, to: usize): void {
  const vertices = <usize>load<u32>(tree + CORNERS) + 12 * <usize>place;
  loadTriangle(vertices, load<u32>(tree + POSITIONS), load<u32>(tree + IS_FLOAT) != 0, pose, moves, to);
}
