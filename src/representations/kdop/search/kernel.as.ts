/**
 * Two k-DOP trees of 16 bits (groups.ts) against each other, a whole query per call. The tests hold
 * it to a readable twin in every number, and to descent.ts in verdicts and lists.
 *
 * A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
 * using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 4 and 5. Letters
 * and the reasoning are those of projection.ts, which does this for coefficients of up to 36 bits;
 * what follows is where this differs.
 *
 * Units. q is the larger quantum of the two, u = 2^-13 q the unit of all results. R is the distance
 * of a tree's farthest vertex from its origin.
 *
 * Axes. L = D_j for the faces of a, exactly, and L = T D_j, as it comes out, for those of b; |L|
 * and |T^T L| are below 1.00007. On the side that the face belongs to the image is one product with
 * P' = -1, and r = v - D_j: 0 for a, what T^T T lacks of the identity for b.
 *
 * Rounding. P' is -w to the nearest multiple of 2^-15, from -1 to 0, and r = v + P'_0 D_j0 + P'_1
 * D_j1 + P'_2 D_j2 with P' as it is then. That P' <= 0 is all that the bound on v . x^ needs, so
 * there is no sn(a'). Of rigid poses |r| is at most 3/2 2^-15, which is 3/2 of a quantum on each of
 * two accounts: E holds |r| R, and the image with P' is looser than one with w by as much. Eq. 21
 * becomes 0 <= err <= 1.7323 (qA + qB) + 3/2 q + 3 u + 2 E. (Triangle tests a query, bunny against
 * bunny, all contacts: 47.82, with 36 bits of P' 47.79.)
 *
 * Widths. |a'| <= 32767, and w >= 0 with sum w <= sqrt 3 |v|, rounding aside (dop-directions.ts: no
 * two directions of a facet have an obtuse angle). So a sum of three products, and each part of it,
 * is at most 32767 (1.7321 * 1.00007 * 2^15 + 3/2 + 1) < 1.87e9 < 2^31, and a product with -1 at
 * most 2^30. To units u that is a shift by two bits or more, rounded to -infinity: two images make
 * less than 9.4e8. Cut to 2^30, which is more than any two images, p -+ E decides alone where it is
 * cut; three terms stay below 2.1e9 < 2^31. So 32 bits hold everything, and 16 P' and a'. A shift
 * by more than 31 bits gives what one by 31 does, -1 or 0.
 *
 * The order. Pairs of groups are pending, with the nodes of each that count; all pairs of these are
 * tested on all axes. What is left of pairs of leaves goes to the triangle test at once. Of other
 * pairs the wider node is opened, or both; where the first contact is wanted, the pair that is
 * deepest in each other is taken up next.
 *
 * Measured, bunny against bunny, k = 24, all contacts: 24 axes 613 tests of bounds and 11.8 us, the
 * first 12 of them 723 and 7.7. One node opened at a time, the wider: 1.7 times as long; both
 * unless one is 2 to 12 times as wide: the same. An axis takes 45 ns to prepare, 6 to test on.
 *
 * Axes are not all tested: where 12 leave two pairs or one, these go on. Medians over four pairs of
 * meshes, needles among them, against all axes: the first contact takes 0.86 to 0.94 of the time
 * where there is one, 0.80 to 0.88 where there is none, all contacts 0.80 to 0.84. With three pairs
 * it is 0.02 less, with four needles take 1.5 times as long.
 *
 * Tried before: first the axis that separated last. A fifth of the pairs of groups have no pair left
 * before the last axis, after 9.4 axes; so after 8.5. That is less than a hundredth of the work.
 *
 * Lanes are the nodes of a group. Of each axis: the images of four nodes of a and of four of b, two
 * products of pairs (i32x4.dot_i16x8_s) an end, then the sixteen pairs, a row for each node of a.
 * Axes are prepared when a pair comes to them; no more are looked at when all pairs are apart.
 *
 * Memory: layout.as.ts; kernel.ts places the trees.
 */
import { splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { POSE_A, POSE_B, PREPARED, STACK, STEP } from '../../../kernels/layout.as';
import {
  addContact, beginSearch, capacity, countHulls, found, isAll, leaveSearch, loadTriangle, resumeSearch,
} from '../../../kernels/pair-search.as';
import {
  at, m0, m1, m2, mapped, movesA, movesB, relatePoses, t00, t01, t02, t10, t11, t12, t20, t21, t22,
} from '../../../kernels/relative-pose.as';
import { trianglesMeet } from '../../../kernels/triangle-pair.as';
import {
  DIRECTIONS, DIRECTIONS_OF, FACET_BYTES, FACETS, GROUP_BYTES, GROUP_COEFFICIENTS, GROUP_COUNT, GROUP_LEVEL, GROUP_WIDTHS, GROUPS, HALF_K,
  IS_FLOAT, LEAVES, NORMAL, ORIGIN, PLACES, POSITIONS, QUANTUM_EXPONENT, RADIUS, REACH, VECTORS, WEIGHTS,
} from './layout.as';

// What a step writes: corners, f64 x 9 x 4 a side, and gaps, i32 x 16.
const TRIANGLES_A: usize = STEP;
const TRIANGLES_B: usize = STEP + 288;
const TRIANGLE_BYTES: usize = 72;
const GAPS: usize = STEP + 576;
/** AXIS_BYTES each. */
const AXES: usize = PREPARED;

// An axis.
const FIRST: usize = 0; // i32
const SECOND: usize = 4;
const PAIR: usize = 8; // i16 x 2: P'_0 and P'_1
const THIRD: usize = 12; // i16 x 2: P'_2 and 0
const OWN: usize = 16; // u16 x 2: where in a group the own side's coefficients are, of the lower end and of the upper
const LOWER: usize = 20; // u16 x 3, of the other side
const UPPER: usize = 26; // u16 x 3
const AXIS_BYTES: usize = 32;

/** A node this many times as wide as the other is opened alone. */
const MUCH_WIDER: f64 = 2;

/** After so many axes no more are tested where at most so many pairs are left. */
const MANY_AXES: i32 = 12;
const FEW_PAIRS: u32 = 2;

const SHIFT: i32 = 2;
const MAPPING_SCALE: f64 = 32768;
const FARTHEST: f64 = 1073741824;
const ROUNDING: f64 = 1.0 / 70368744177664.0; // 2^-46
const RAISED: f64 = 1.0 + 1.0 / 1099511627776.0; // 1 + 2^-40

// -------------------------------------------------------------------------------------------------
// the query

// Of the query in work.
let treeA: usize = 0;
let treeB: usize = 0;
let directionsA: usize = 0;
let directionsB: usize = 0;
let halfA: i32 = 0;
let axisCount: i32 = 0;
let prepared: i32 = 0;
let shiftA: i32 = 0;
let shiftB: i32 = 0;
let sizeA: f64 = 0;
let sizeB: f64 = 0;
let perUnit: f64 = 0;
let radiusA: f64 = 0;
let radiusB: f64 = 0;
// oA - T oB; twice the slack of T.
let apartX: f64 = 0;
let apartY: f64 = 0;
let apartZ: f64 = 0;
let twiceSlack: f64 = 0;

// @ts-ignore: decorator
@inline
function powerOfTwo(exponent: i32): f64 {
  return exponent < -1022 ? 0 : reinterpret<f64>(<u64>(exponent + 1023) << 52);
}

/** Of the poses in the workspace. */
function relate(workspace: usize): void {
  relatePoses(workspace + POSE_A, workspace + POSE_B, load<f64>(treeA + REACH), load<f64>(treeB + REACH));
  const ox = load<f64>(treeB + ORIGIN);
  const oy = load<f64>(treeB + ORIGIN + 8);
  const oz = load<f64>(treeB + ORIGIN + 16);
  apartX = load<f64>(treeA + ORIGIN) - (t00 * ox + t01 * oy + t02 * oz + m0);
  apartY = load<f64>(treeA + ORIGIN + 8) - (t10 * ox + t11 * oy + t12 * oz + m1);
  apartZ = load<f64>(treeA + ORIGIN + 16) - (t20 * ox + t21 * oy + t22 * oz + m2);
  twiceSlack = 2.0 * mapped;
}

/** On the stack: addresses of the groups, the nodes of both that count as bits. */
const ENTRY_BYTES: i32 = 12;

/**
 * Starts a query of two trees in the workspace's poses: ENDED, or FULL: `kdopResume`.
 *
 * @param axes how many are tested, from 1 to (kA + kB) / 2
 */
export function kdopQuery(a: usize, b: usize, workspace: usize, wantsAll: i32, room: i32, axes: i32): i32 {
  treeA = a;
  treeB = b;
  directionsA = <usize>load<u32>(a + DIRECTIONS);
  directionsB = <usize>load<u32>(b + DIRECTIONS);
  halfA = load<i32>(a + HALF_K);
  axisCount = axes;
  prepared = 0;
  const exponentA = load<i32>(a + QUANTUM_EXPONENT);
  const exponentB = load<i32>(b + QUANTUM_EXPONENT);
  const common = max(exponentA, exponentB);
  shiftA = min(31, SHIFT + common - exponentA);
  shiftB = min(31, SHIFT + common - exponentB);
  sizeA = powerOfTwo(exponentA - common);
  sizeB = powerOfTwo(exponentB - common);
  perUnit = powerOfTwo(15 - SHIFT - common);
  radiusA = load<f64>(a + RADIUS);
  radiusB = load<f64>(b + RADIUS);
  relate(workspace);
  beginSearch(workspace, wantsAll, room, ENTRY_BYTES);
  const rootA = load<u32>(a + GROUPS);
  const rootB = load<u32>(b + GROUPS);
  push(workspace + STACK, rootA, rootB, allOf(rootA) | (allOf(rootB) << 4));
  return kdopResume(workspace);
}

// @ts-ignore: decorator
@inline
function push(to: usize, groupA: u32, groupB: u32, nodes: u32): void {
  store<u32>(to, groupA);
  store<u32>(to + 4, groupB);
  store<u32>(to + 8, nodes);
}

/** All nodes of a group, as bits. */
// @ts-ignore: decorator
@inline
function allOf(group: u32): u32 {
  return (1 << load<u32>(<usize>group + GROUP_COUNT)) - 1;
}

/** Goes on, with an empty list. */
export function kdopResume(workspace: usize): i32 {
  const bottom = workspace + STACK;
  let top = resumeSearch(workspace);
  let bounds: u64 = 0;
  let deepest: u32 = 0;
  // A pair of groups finds sixteen contacts at most.
  while (top > bottom && found + 16 <= capacity) {
    top -= ENTRY_BYTES;
    const groupA = load<u32>(top);
    const groupB = load<u32>(top, 4);
    const nodes = load<u32>(top, 8);
    bounds += popcnt(nodes & 15) * popcnt(nodes >> 4);
    deepest = max(deepest, max(load<u32>(<usize>groupA + GROUP_LEVEL), load<u32>(<usize>groupB + GROUP_LEVEL)));
    let mask = overlapping(workspace, <usize>groupA, <usize>groupB, nodes);
    let loaded: u32 = 0;
    let isFirst = true;
    let least: i32 = 0;
    while (mask) {
      const pair = ctz(mask);
      mask &= mask - 1;
      const i = pair >> 2;
      const j = pair & 3;
      const linkA = load<u32>(<usize>groupA + (<usize>i << 2));
      const linkB = load<u32>(<usize>groupB + (<usize>j << 2));
      if (linkA & linkB & 1) {
        const doMeet = meet(workspace, linkA >> 1, linkB >> 1, i, j, loaded);
        loaded |= (1 << i) | (16 << j);
        if (!doMeet || isAll) continue;
        top = bottom;
        break;
      }
      const isA = opens(linkA, linkB, sizeA * widthOf(groupA, i), sizeB * widthOf(groupB, j));
      const isB = opens(linkB, linkA, sizeB * widthOf(groupB, j), sizeA * widthOf(groupA, i));
      const belowA = isA ? load<u32>(treeA + GROUPS) + (linkA >> 1) * load<u32>(treeA + GROUP_BYTES) : groupA;
      const belowB = isB ? load<u32>(treeB + GROUPS) + (linkB >> 1) * load<u32>(treeB + GROUP_BYTES) : groupB;
      const below = (isA ? allOf(belowA) : 1 << i) | ((isB ? allOf(belowB) : 1 << j) << 4);
      // The deepest in each other last, to be taken up next.
      const gap = load<i32>(workspace + GAPS + (<usize>pair << 2));
      const isNext = isAll || isFirst || gap < least;
      if (isNext) {
        push(top, belowA, belowB, below);
        least = gap;
        isFirst = false;
      } else {
        push(top, load<u32>(top - 12), load<u32>(top - 8), load<u32>(top - 4));
        push(top - ENTRY_BYTES, belowA, belowB, below);
      }
      top += ENTRY_BYTES;
    }
  }
  return leaveSearch(workspace, top, bounds, deepest);
}

/** Whether a node is opened, of a pair that are not both leaves. */
// @ts-ignore: decorator
@inline
function opens(link: u32, other: u32, width: f64, widthOfOther: f64): bool {
  return !(link & 1) && ((other & 1) != 0 || widthOfOther <= MUCH_WIDER * width);
}

/** Of a node of a group, quanta. */
// @ts-ignore: decorator
@inline
function widthOf(group: u32, node: u32): f64 {
  return <f64>load<i32>(<usize>group + GROUP_WIDTHS + (<usize>node << 2));
}

/**
 * Tests the triangles of two leaves, and lists them where they meet; those of `loaded` are there
 * already.
 */
// @ts-ignore: decorator
@inline
function meet(workspace: usize, leafA: u32, leafB: u32, i: u32, j: u32, loaded: u32): bool {
  const triangleA = workspace + TRIANGLES_A + TRIANGLE_BYTES * <usize>i;
  const triangleB = workspace + TRIANGLES_B + TRIANGLE_BYTES * <usize>j;
  const ofA = <usize>load<u32>(treeA + LEAVES) + (<usize>leafA << 4);
  const ofB = <usize>load<u32>(treeB + LEAVES) + (<usize>leafB << 4);
  if (!(loaded & (1 << i))) loadCorners(treeA, ofA, workspace + POSE_A, movesA, triangleA);
  if (!(loaded & (16 << j))) loadCorners(treeB, ofB, workspace + POSE_B, movesB, triangleB);
  countHulls();
  if (!trianglesMeet(triangleA, triangleB)) return false;
  addContact(workspace, load<u32>(ofA, 12), load<u32>(ofB, 12));
  return true;
}

// @ts-ignore: decorator
@inline
function loadCorners(tree: usize, leaf: usize, pose: usize, moves: bool, to: usize): void {
  loadTriangle(leaf, load<u32>(tree + POSITIONS), load<u32>(tree + IS_FLOAT) != 0, pose, moves, to);
}

// ---------------------------------------------------------------------------------------------
// sixteen pairs

/**
 * A bit for each pair of the nodes in question that no axis tested separates, 4 i + j; their gaps,
 * less 1, in GAPS.
 */
// @ts-ignore: decorator
@inline
function overlapping(workspace: usize, groupA: usize, groupB: usize, nodes: u32): u32 {
  const toA = shiftA;
  const toB = shiftB;
  // What does not count is apart from the start.
  const columns = i32x4.ne(v128.and(i32x4.splat(nodes >> 4), i32x4(1, 2, 4, 8)), i32x4.splat(0));
  const least = i32x4.splat(i32.MIN_VALUE);
  const start = v128.and(columns, least);
  let gap0 = nodes & 1 ? start : i32x4.splat(0);
  let gap1 = nodes & 2 ? start : i32x4.splat(0);
  let gap2 = nodes & 4 ? start : i32x4.splat(0);
  let gap3 = nodes & 8 ? start : i32x4.splat(0);
  let axis = workspace + AXES;
  for (let n = 0; n < axisCount; n++, axis += AXIS_BYTES) {
    if (n >= prepared) prepareAxis(axis, n);
    let lowerA: v128;
    let upperA: v128;
    let lowerB: v128;
    let upperB: v128;
    if (n < halfA) {
      lowerA = ownEnd(groupA, axis + OWN, toA);
      upperA = ownEnd(groupA, axis + OWN + 2, toA);
      lowerB = mappedEnd(groupB, axis, LOWER, toB);
      upperB = mappedEnd(groupB, axis, UPPER, toB);
    } else {
      lowerA = mappedEnd(groupA, axis, LOWER, toA);
      upperA = mappedEnd(groupA, axis, UPPER, toA);
      lowerB = ownEnd(groupB, axis + OWN, toB);
      upperB = ownEnd(groupB, axis + OWN + 2, toB);
    }
    lowerA = i32x4.add(lowerA, v128.load32_splat(axis + FIRST));
    upperA = i32x4.add(upperA, v128.load32_splat(axis + SECOND));
    gap0 = i32x4.max_s(gap0, i32x4.max_s(i32x4.add(splat0(lowerA), upperB), i32x4.add(splat0(upperA), lowerB)));
    gap1 = i32x4.max_s(gap1, i32x4.max_s(i32x4.add(splat1(lowerA), upperB), i32x4.add(splat1(upperA), lowerB)));
    gap2 = i32x4.max_s(gap2, i32x4.max_s(i32x4.add(splat2(lowerA), upperB), i32x4.add(splat2(upperA), lowerB)));
    gap3 = i32x4.max_s(gap3, i32x4.max_s(i32x4.add(splat3(lowerA), upperB), i32x4.add(splat3(upperA), lowerB)));
    if (!i32x4.bitmask(v128.or(v128.or(gap0, gap1), v128.or(gap2, gap3)))) return 0;
    if (n === MANY_AXES - 1 && popcnt(negative(gap0, gap1, gap2, gap3)) <= FEW_PAIRS) break;
  }
  const gaps = workspace + GAPS;
  v128.store(gaps, gap0);
  v128.store(gaps, gap1, 16);
  v128.store(gaps, gap2, 32);
  v128.store(gaps, gap3, 48);
  return negative(gap0, gap1, gap2, gap3);
}

/** The signs of four rows. */
// @ts-ignore: decorator
@inline
function negative(row0: v128, row1: v128, row2: v128, row3: v128): u32 {
  return i32x4.bitmask(row0) | (i32x4.bitmask(row1) << 4) | (i32x4.bitmask(row2) << 8) | (i32x4.bitmask(row3) << 12);
}

/** P' = -1. */
// @ts-ignore: decorator
@inline
function ownEnd(group: usize, place: usize, shift: i32): v128 {
  const coefficients = v128.load_ext<i16>(group + <usize>load<u16>(place));
  return i32x4.shr_s(i32x4.neg(i32x4.shl(coefficients, 15)), shift);
}

/** Eq. 7. */
// @ts-ignore: decorator
@inline
function mappedEnd(group: usize, axis: usize, places: usize, shift: i32): v128 {
  const first = v128.load_zero<u64>(group + <usize>load<u16>(axis + places));
  const second = v128.load_zero<u64>(group + <usize>load<u16>(axis + places + 2));
  const third = v128.load_ext<i16>(group + <usize>load<u16>(axis + places + 4));
  const pairs = v128.shuffle<i16>(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
  const sum = i32x4.add(
    i32x4.dot_i16x8_s(pairs, v128.load32_splat(axis + PAIR)),
    i32x4.dot_i16x8_s(third, v128.load32_splat(axis + THIRD)),
  );
  return i32x4.shr_s(sum, shift);
}

// ------------------------------------------------------------------------------------------------------
// axes

/** Section 4.1, of axis n, which is the next. */
function prepareAxis(axis: usize, n: i32): void {
  prepared = n + 1;
  const ofA = n < halfA;
  const own = <usize>(ofA ? n : n - halfA);
  const vectors = (ofA ? directionsA : directionsB) + VECTORS + 24 * own;
  const dx = load<f64>(vectors);
  const dy = load<f64>(vectors, 8);
  const dz = load<f64>(vectors, 16);
  let x = dx;
  let y = dy;
  let z = dz;
  if (!ofA) {
    x = t00 * dx + t01 * dy + t02 * dz;
    y = t10 * dx + t11 * dy + t12 * dz;
    z = t20 * dx + t21 * dy + t22 * dz;
  }
  const u = t00 * x + t10 * y + t20 * z;
  const v = t01 * x + t11 * y + t21 * z;
  const w = t02 * x + t12 * y + t22 * z;
  const half = <usize>(ofA ? halfA : load<i32>(treeB + HALF_K));
  store<u16>(axis + OWN, <u16>(GROUP_COEFFICIENTS + ((own + half) << 3)));
  store<u16>(axis + OWN, <u16>(GROUP_COEFFICIENTS + (own << 3)), 2);
  let error = twiceSlack;
  if (ofA) {
    error += ROUNDING * radiusA;
    error += (map(axis, directionsB, u, v, w) + ROUNDING) * radiusB;
  } else {
    error += (map(axis, directionsA, x, y, z) + ROUNDING) * radiusA;
    const ru = u - dx;
    const rv = v - dy;
    const rw = w - dz;
    error += (sqrt(ru * ru + rv * rv + rw * rw) + ROUNDING) * radiusB;
  }
  error *= RAISED;
  const p = x * apartX + y * apartY + z * apartZ;
  // Less 1, so that the sign alone says whether a gap is above 0.
  store<i32>(axis + FIRST, inUnits(p - error) - 1);
  store<i32>(axis + SECOND, inUnits(-p - error) - 1);
}

// @ts-ignore: decorator
@inline
function inUnits(x: f64): i32 {
  return <i32>max(-FARTHEST, min(FARTHEST, floor(x * perUnit)));
}

/** Faces and P' from the facet whose cone (x, y, z) is in; returns |r|. */
// @ts-ignore: decorator
@inline
function map(axis: usize, directions: usize, x: f64, y: f64, z: f64): f64 {
  const p = abs(x);
  const q = abs(y);
  const r = abs(z);
  const cell =
    <usize>(x < 0) |
    (<usize>(y < 0) << 1) |
    (<usize>(z < 0) << 2) |
    (<usize>(p < q) << 3) |
    (<usize>(q < r) << 4) |
    (<usize>(p < r) << 5);
  const pair = directions + (cell << 1);
  const first = directions + FACETS + FACET_BYTES * <usize>load<u8>(pair);
  const second = directions + FACETS + FACET_BYTES * <usize>load<u8>(pair, 1);
  const facet = select<usize>(second, first, along(second, x, y, z) > along(first, x, y, z));
  const w0 = weightOf(facet, 0, x, y, z);
  const w1 = weightOf(facet, 24, x, y, z);
  const w2 = weightOf(facet, 48, x, y, z);
  const i0 = <i32>w0;
  const i1 = <i32>w1;
  const i2 = <i32>w2;
  store<i32>(axis + PAIR, (i0 & 0xffff) | (i1 << 16));
  store<i32>(axis + THIRD, i2 & 0xffff);
  store<u64>(axis + LOWER, load<u64>(facet + PLACES));
  store<u32>(axis + LOWER, load<u32>(facet + PLACES, 8), 8);
  const rx = x + w0 * at(facet + DIRECTIONS_OF, 0) + w1 * at(facet + DIRECTIONS_OF, 3) + w2 * at(facet + DIRECTIONS_OF, 6);
  const ry = y + w0 * at(facet + DIRECTIONS_OF, 1) + w1 * at(facet + DIRECTIONS_OF, 4) + w2 * at(facet + DIRECTIONS_OF, 7);
  const rz = z + w0 * at(facet + DIRECTIONS_OF, 2) + w1 * at(facet + DIRECTIONS_OF, 5) + w2 * at(facet + DIRECTIONS_OF, 8);
  return sqrt(rx * rx + ry * ry + rz * rz);
}

// @ts-ignore: decorator
@inline
function along(facet: usize, x: f64, y: f64, z: f64): f64 {
  return load<f64>(facet + NORMAL) * x + load<f64>(facet + NORMAL, 8) * y + load<f64>(facet + NORMAL, 16) * z;
}

/** P' 2^15 of one of the three faces. */
// @ts-ignore: decorator
@inline
function weightOf(facet: usize, row: usize, x: f64, y: f64, z: f64): f64 {
  const weights = facet + WEIGHTS + row;
  const weight = load<f64>(weights) * x + load<f64>(weights, 8) * y + load<f64>(weights, 16) * z;
  return -max(0.0, min(MAPPING_SCALE, floor(weight + 0.5)));
}
