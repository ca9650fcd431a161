/**
 * Tests sixteen pairs of nodes of two 16-bit k-DOP trees on the axes of a query, in 32-bit
 * integers, for kernel.as.ts.
 *
 * Source: Raabe et al. 2006, sections 4 and 5. Letters and proof are those of projection.ts. The
 * differences follow.
 *
 * Units. q is the larger quantum of the two. The unit of all results is
 *   u = 2^-13 q.
 * R is the distance of a tree's farthest vertex from its origin.
 *
 * Axes. L = D_j exactly for the faces of a, and L = T D_j, as rounded, for those of b. |L| and
 * |T^T L| are below 1.00007. On the side that the face belongs to, the image is one product with
 * P' = -1, and
 *   r = v - D_j.
 * It is 0 for a; for b it is the difference of T^T T from the identity, applied to D_j.
 *
 * Rounding. P' is -w rounded to the nearest multiple of 2^-15, cut to the range from -1 to 0. Then
 *   r = v + P'_0 D_j0 + P'_1 D_j1 + P'_2 D_j2
 * uses this P'. The bound on v . x^ needs only P' <= 0, so there is no sn(a'). For rigid poses |r|
 * is at most 3/2 2^-15. That is 3/2 of a quantum, and it counts twice: E holds |r| R, and the image
 * with P' is looser than one with w by as much. Eq. 21 becomes
 *   0 <= err <= 1.7323 (qA + qB) + 3/2 q + 3 u + 2 E.
 * (Triangle tests per query, bunny against bunny, all contacts: 47.82; with 36 bits of P' 47.79.)
 *
 * Widths. |a'| <= 32767. w >= 0 with sum w <= sqrt 3 |v|, except for rounding, since no two
 * directions of a facet have an obtuse angle (dop-directions.ts). So a sum of three products, and
 * each part of it, is at most
 *   32767 (1.7321 * 1.00007 * 2^15 + 3/2 + 1) < 1.87e9 < 2^31,
 * and a product with -1 is at most 2^30. The shift to units u is by two bits or more, rounded to
 * -infinity: two images together are less than 9.4e8. p -+ E is cut to 2^30, which is more than any
 * two images, so a value that is cut decides alone. Three terms stay below 2.1e9 < 2^31. So 32 bits
 * hold everything, and 16 bits hold P' and a'. A shift by more than 31 bits gives the same as one
 * by 31: -1 or 0.
 *
 * Lanes are the nodes of a group. Each axis has images of four nodes of a and of four of b; an end
 * takes two products of pairs (i32x4.dot_i16x8_s). Then come the sixteen pairs, a row for each node
 * of a. An axis is prepared when a pair first needs it. The loop ends when all pairs are apart.
 */
import { splat0, splat1, splat2, splat3 } from '../../../kernels/lanes.as';
import { PREPARED } from '../../../kernels/layout.as';
import { GROUP_COEFFICIENTS, PLACES } from './layout.as';
import {
  ax, ay, axisCount, az, between, bx, by, bz, common, directionsA, directionsB, dx, dy, dz, exponentA, exponentB,
  FEW_PAIRS, facetOf, GAPS, halfA, halfB, MANY_AXES, powerOfTwo, RAISED, ROUNDING, radiusA, radiusB, restOf, turnAxis,
  twiceSlack, weightOf,
} from './two-trees.as';

const AXES: usize = PREPARED;

const FIRST: usize = 0; // i32
const SECOND: usize = 4;
const PAIR: usize = 8; // i16 x 2: P'_0 and P'_1
const THIRD: usize = 12; // i16 x 2: P'_2 and 0
const OWN: usize = 16; // u16 x 2: where in a group the own side's coefficients are, of the lower end and of the upper
const LOWER: usize = 20; // u16 x 3, of the other side
const UPPER: usize = 26; // u16 x 3
const AXIS_BYTES: usize = 32;

const SHIFT: i32 = 2;
const MAPPING_SCALE: f64 = 32768;
const FARTHEST: f64 = 1073741824;

let prepared: i32 = 0;
let shiftA: i32 = 0;
let shiftB: i32 = 0;
let perUnit: f64 = 0;

export function beginNarrow(): void {
  prepared = 0;
  shiftA = min(31, SHIFT + common - exponentA);
  shiftB = min(31, SHIFT + common - exponentB);
  perUnit = powerOfTwo(15 - SHIFT - common);
}

// ---------------------------------------------------------------------------------------------
// sixteen pairs

/** Returns bit 4 i + j per requested, unseparated pair. Writes the gaps, less 1, to GAPS. */
// @ts-ignore: decorator
@inline
export function overlapNarrow(workspace: usize, groupA: usize, groupB: usize, nodes: u32): u32 {
  const toA = shiftA;
  const toB = shiftB;
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

// @ts-ignore: decorator
@inline
function negative(row0: v128, row1: v128, row2: v128, row3: v128): u32 {
  return i32x4.bitmask(row0) | (i32x4.bitmask(row1) << 4) | (i32x4.bitmask(row2) << 8) | (i32x4.bitmask(row3) << 12);
}

// @ts-ignore: decorator
@inline
function ownEnd(group: usize, place: usize, shift: i32): v128 {
  const coefficients = v128.load_ext<i16>(group + <usize>load<u16>(place));
  return i32x4.shr_s(i32x4.neg(i32x4.shl(coefficients, 15)), shift);
}

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

// -------------------------------------------------------------------------------------------------
// axes

/** Prepares axis n, which must be the next (section 4.1). */
function prepareAxis(axis: usize, n: i32): void {
  prepared = n + 1;
  turnAxis(n);
  const ofA = n < halfA;
  const own = <usize>(ofA ? n : n - halfA);
  const half = <usize>(ofA ? halfA : halfB);
  store<u16>(axis + OWN, <u16>(GROUP_COEFFICIENTS + ((own + half) << 3)));
  store<u16>(axis + OWN, <u16>(GROUP_COEFFICIENTS + (own << 3)), 2);
  let error = twiceSlack;
  if (ofA) {
    error += ROUNDING * radiusA;
    error += (map(axis, directionsB, bx, by, bz) + ROUNDING) * radiusB;
  } else {
    error += (map(axis, directionsA, ax, ay, az) + ROUNDING) * radiusA;
    const rx = bx - dx;
    const ry = by - dy;
    const rz = bz - dz;
    error += (sqrt(rx * rx + ry * ry + rz * rz) + ROUNDING) * radiusB;
  }
  error *= RAISED;
  // Less 1, so that the sign alone tells if a gap is above 0.
  store<i32>(axis + FIRST, inUnits(between - error) - 1);
  store<i32>(axis + SECOND, inUnits(-between - error) - 1);
}

// @ts-ignore: decorator
@inline
function inUnits(x: f64): i32 {
  return <i32>max(-FARTHEST, min(FARTHEST, floor(x * perUnit)));
}

/** Writes faces and P' from the facet whose cone holds (x, y, z). Returns |r|. */
function map(axis: usize, directions: usize, x: f64, y: f64, z: f64): f64 {
  const facet = facetOf(directions, x, y, z);
  const p0 = rounded(weightOf(facet, 0, x, y, z));
  const p1 = rounded(weightOf(facet, 1, x, y, z));
  const p2 = rounded(weightOf(facet, 2, x, y, z));
  store<i32>(axis + PAIR, (<i32>p0 & 0xffff) | (<i32>p1 << 16));
  store<i32>(axis + THIRD, <i32>p2 & 0xffff);
  store<u64>(axis + LOWER, load<u64>(facet + PLACES));
  store<u32>(axis + LOWER, load<u32>(facet + PLACES, 8), 8);
  return restOf(facet, p0, p1, p2, x, y, z);
}

// @ts-ignore: decorator
@inline
function rounded(weight: f64): f64 {
  return -max(0.0, min(MAPPING_SCALE, floor(weight + 0.5)));
}
