/**
 * Two k-DOP trees of 16 bits (groups.ts) against each other, a whole query per call; the readable
 * twin, which says what is computed and why 32 bits hold it, is test/kernels/twins/kdop.ts.
 * Everything here is the same numbers in the same order, so that verdicts, lists and counts are
 * equal.
 *
 * A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
 * using Bounded-Error Fixed-Point Arithmetic", Journal of WSCG 14, 2006, sections 4 and 5.
 *
 * Lanes are the nodes of a group. Of each axis: the images of four nodes of a and of four of b, two
 * products of pairs (i32x4.dot_i16x8_s) an end, then the sixteen pairs, a row for each node of a.
 * Axes are prepared when a pair comes to them; no more are looked at when all pairs are apart.
 *
 * Memory. A tree's record, that of its directions and the workspace: representations/kdop/kernel.ts
 * fills and reads them.
 */
import {
  at, m0, m1, m2, mapped, movesA, movesB, relatePoses, t00, t01, t02, t10, t11, t12, t20, t21, t22,
} from '../../../kernels/relative-pose.as';
import { setTriangleScratch, trianglesMeet } from '../../../kernels/triangle-pair.as';

// The record of a tree.
const GROUPS: usize = 0;
const GROUP_BYTES: usize = 4;
const LEAVES: usize = 8;
const POSITIONS: usize = 12;
const IS_FLOAT: usize = 16;
const HALF_K: usize = 20;
const DIRECTIONS: usize = 24;
const QUANTUM_EXPONENT: usize = 28;
const ORIGIN: usize = 32; // f64 x 3
const REACH: usize = 56; // f64, of all that the tree holds, from the model's origin
const RADIUS: usize = 64; // f64, from the tree's own

// The record of directions: the cells of facets.ts, two bytes each, from its start; then the
// directions, and the facets.
const VECTORS: usize = 128; // f64 x 3 each
const FACETS: usize = 768; // FACET_BYTES each

// A facet: columns of its weights, which are for its three faces, its normal, its three directions,
// where in a group their coefficients are.
const NORMAL: usize = 0; // f64 x 3
const WEIGHTS: usize = 24; // f64 x 3 x 3, row-major, times 2^15
const DIRECTIONS_OF: usize = 96; // f64 x 3 x 3, over 2^15
const PLACES: usize = 168; // u16 x 3, of the opposite faces, and of the faces
const FACET_BYTES: usize = 192;

// A group: groups.ts.
const WIDTHS: usize = 16;
const COUNT: usize = 32;
const LEVEL: usize = 36;
const COEFFICIENTS: usize = 48;

// The workspace.
const POSE_A: usize = 0; // f64 x 16
const POSE_B: usize = 128;
const RESULT: usize = 448; // f64: contacts in the list, pairs of nodes, pairs of triangles, levels
const STATE: usize = 512; // u32: pending bytes, isAll, capacity
const TRIANGLES_A: usize = 576; // f64 x 9 x 4
const TRIANGLES_B: usize = 864;
const GAPS: usize = 1152; // i32 x 16
const SCRATCH: usize = 2048;
const AXES: usize = 8192; // AXIS_BYTES each
const STACK: usize = 65536;
const CONTACTS: usize = 720896; // u32 x 2 each

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

const SHIFT: i32 = 2;
const MAPPING_SCALE: f64 = 32768;
const FARTHEST: f64 = 1073741824;
const ROUNDING: f64 = 1.0 / 70368744177664.0; // 2^-46
const RAISED: f64 = 1.0 + 1.0 / 1099511627776.0; // 1 + 2^-40

// ------------------------------------------------------------------------------------------------- the query

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

/**
 * Starts a query of two trees in the workspace's poses: 1 where it came to an end, 0 where the list
 * of contacts is full: `kdopResume`.
 *
 * @param axes how many are tested, from 1 to (kA + kB) / 2
 */
export function kdopQuery(a: usize, b: usize, workspace: usize, isAll: i32, capacity: i32, axes: i32): i32 {
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
  const state = workspace + STATE;
  store<u32>(state, 12);
  store<u32>(state + 4, isAll);
  store<u32>(state + 8, capacity);
  store<f64>(workspace + RESULT + 8, 0);
  store<f64>(workspace + RESULT + 16, 0);
  store<f64>(workspace + RESULT + 24, 0);
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
  return (1 << load<u32>(<usize>group + COUNT)) - 1;
}

/** Goes on, with an empty list. */
export function kdopResume(workspace: usize): i32 {
  setTriangleScratch(workspace + SCRATCH);
  const state = workspace + STATE;
  const isAll = load<u32>(state + 4) != 0;
  const capacity = load<u32>(state + 8);
  const groupsA = load<u32>(treeA + GROUPS);
  const groupsB = load<u32>(treeB + GROUPS);
  const bytesA = load<u32>(treeA + GROUP_BYTES);
  const bytesB = load<u32>(treeB + GROUP_BYTES);
  const leavesA = <usize>load<u32>(treeA + LEAVES);
  const leavesB = <usize>load<u32>(treeB + LEAVES);
  const gaps = workspace + GAPS;
  const stack = workspace + STACK;
  const contacts = workspace + CONTACTS;
  let top = stack + <usize>load<u32>(state);
  let found: u32 = 0;
  let bounds: u64 = 0;
  let hulls: u64 = 0;
  let deepest: u32 = <u32>load<f64>(workspace + RESULT + 24);
  let isDone: i32 = 1;

  while (top > stack) {
    if (found + 16 > capacity) {
      isDone = 0;
      break;
    }
    top -= 12;
    const groupA = load<u32>(top);
    const groupB = load<u32>(top + 4);
    const nodes = load<u32>(top + 8);
    bounds += popcnt(nodes & 15) * popcnt(nodes >> 4);
    deepest = max(deepest, max(load<u32>(<usize>groupA + LEVEL), load<u32>(<usize>groupB + LEVEL)));

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
        const triangleA = workspace + TRIANGLES_A + 72 * <usize>i;
        const triangleB = workspace + TRIANGLES_B + 72 * <usize>j;
        const leafA = leavesA + (<usize>(linkA >> 1) << 4);
        const leafB = leavesB + (<usize>(linkB >> 1) << 4);
        if (!(loaded & (1 << i))) {
          loaded |= 1 << i;
          loadTriangle(treeA, leafA, workspace + POSE_A, movesA, triangleA);
        }
        if (!(loaded & (16 << j))) {
          loaded |= 16 << j;
          loadTriangle(treeB, leafB, workspace + POSE_B, movesB, triangleB);
        }
        hulls++;
        if (!trianglesMeet(triangleA, triangleB)) continue;
        const contact = contacts + (<usize>found << 3);
        store<u32>(contact, load<u32>(leafA + 12));
        store<u32>(contact, load<u32>(leafB + 12), 4);
        found++;
        if (isAll) continue;
        top = stack;
        break;
      }
      const widthA = sizeA * <f64>load<i32>(<usize>groupA + WIDTHS + (<usize>i << 2));
      const widthB = sizeB * <f64>load<i32>(<usize>groupB + WIDTHS + (<usize>j << 2));
      const opensA = !(linkA & 1) && ((linkB & 1) != 0 || widthB <= MUCH_WIDER * widthA);
      const opensB = !(linkB & 1) && ((linkA & 1) != 0 || widthA <= MUCH_WIDER * widthB);
      const belowA = opensA ? groupsA + (linkA >> 1) * bytesA : groupA;
      const belowB = opensB ? groupsB + (linkB >> 1) * bytesB : groupB;
      const below = (opensA ? allOf(belowA) : 1 << i) | ((opensB ? allOf(belowB) : 1 << j) << 4);
      if (!isAll) {
        // The deepest in each other last, to be taken up next.
        const gap = load<i32>(gaps + (<usize>pair << 2));
        if (isFirst || gap < least) {
          isFirst = false;
          least = gap;
        } else {
          push(top, load<u32>(top - 12), load<u32>(top - 8), load<u32>(top - 4));
          push(top - 12, belowA, belowB, below);
          top += 12;
          continue;
        }
      }
      push(top, belowA, belowB, below);
      top += 12;
    }
  }
  store<u32>(state, <u32>(top - stack));
  const result = workspace + RESULT;
  store<f64>(result, found);
  store<f64>(result + 8, load<f64>(result + 8) + <f64>bounds);
  store<f64>(result + 16, load<f64>(result + 16) + <f64>hulls);
  store<f64>(result + 24, deepest);
  return isDone;
}

// --------------------------------------------------------------------------------------------- sixteen pairs

/**
 * A bit for each pair of the nodes in question that no axis separates, 4 i + j; their gaps, less 1,
 * in GAPS.
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
  }
  const gaps = workspace + GAPS;
  v128.store(gaps, gap0);
  v128.store(gaps, gap1, 16);
  v128.store(gaps, gap2, 32);
  v128.store(gaps, gap3, 48);
  return i32x4.bitmask(gap0) | (i32x4.bitmask(gap1) << 4) | (i32x4.bitmask(gap2) << 8) | (i32x4.bitmask(gap3) << 12);
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

// @ts-ignore: decorator
@inline
function splat0(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 0, 0, 0, 0);
}
// @ts-ignore: decorator
@inline
function splat1(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 1, 1, 1, 1);
}
// @ts-ignore: decorator
@inline
function splat2(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 2, 2, 2, 2);
}
// @ts-ignore: decorator
@inline
function splat3(v: v128): v128 {
  return v128.shuffle<i32>(v, v, 3, 3, 3, 3);
}

// ------------------------------------------------------------------------------------------------------ axes

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
  store<u16>(axis + OWN, <u16>(COEFFICIENTS + ((own + half) << 3)));
  store<u16>(axis + OWN, <u16>(COEFFICIENTS + (own << 3)), 2);
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

// ------------------------------------------------------------------------------------------------- triangles

/** Moves the triangle of a leaf, in the order that verdicts are exact to, to nine doubles. */
function loadTriangle(tree: usize, leaf: usize, pose: usize, moves: bool, to: usize): void {
  const positions = <usize>load<u32>(tree + POSITIONS);
  const isFloat = load<u32>(tree + IS_FLOAT) != 0;
  for (let k: usize = 0; k < 3; k++) {
    const v = <usize>load<u32>(leaf + (k << 2));
    let x: f64;
    let y: f64;
    let z: f64;
    if (isFloat) {
      const p = positions + 12 * v;
      x = load<f32>(p);
      y = load<f32>(p, 4);
      z = load<f32>(p, 8);
    } else {
      const p = positions + 24 * v;
      x = load<f64>(p);
      y = load<f64>(p, 8);
      z = load<f64>(p, 16);
    }
    const out = to + 24 * k;
    if (moves) {
      store<f64>(out, at(pose, 0) * x + at(pose, 1) * y + at(pose, 2) * z + at(pose, 3));
      store<f64>(out, at(pose, 4) * x + at(pose, 5) * y + at(pose, 6) * z + at(pose, 7), 8);
      store<f64>(out, at(pose, 8) * x + at(pose, 9) * y + at(pose, 10) * z + at(pose, 11), 16);
    } else {
      store<f64>(out, x);
      store<f64>(out, y, 8);
      store<f64>(out, z, 16);
    }
  }
}
