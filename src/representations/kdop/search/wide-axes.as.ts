/**
 * Tests sixteen pairs of nodes of two k-DOP trees of up to 36 bits on the axes of a query, in
 * doubles, for kernel.as.ts.
 *
 * Source: Raabe et al. 2006, sections 4.1 and 4.2. Letters and proof are those of projection.ts.
 * The differences follow.
 *
 * Units. All results are in units of q, the larger quantum of the two. It is a power of two, so
 * scaling by it rounds no double. R is 1.7321 times a tree's scale: an upper bound of the distance
 * of its content from its origin.
 *
 * Axes. L = D_j exactly for the faces of a, and L = T D_j, as rounded, for those of b. |L| and
 * |T^T L| are below 1.00007. On the side that the face belongs to, the image is one product with
 *   w = v . D_j,
 * if |r| = |v - w D_j| is at most 2^-44. If the poses are less rigid, and on the other side, it is
 * three products, by the facet that holds v.
 *
 * Rounding. Coefficients are integers, but P = -w is not: E includes the roundings of products and
 * sums. A coefficient times its quantum is below the scale, so below R / 1.732. w >= 0 is below
 * 2.001 whatever facet v is taken for, since rows of its weights are no longer than 2; weights cut
 * to 0 are in r. So an image, three products and two sums, is wrong by less than
 *   3.01 2^-53 of 6.01 R / 1.732,
 * which is below 2^-49 R. A gap takes two sums more. It is wrong by less than 2^-52 of |p| + E and
 * the images, 3.5 R each.
 *     E = 2 slack + (|r_A| + 2^-46) R_A + (|r_B| + 2^-46) R_B
 * Of this, v, w and r take 2^-48 (R_A + R_B), images 2^-49 and the gap 2^-50 of the same: less than
 * half. |p| is below 1.0001 of the sizes, and slack is 2^-45 of these; the 43 roundings of p take
 * less than 2^-47 of them. So a gap of 0 or more proves that no point is shared, and its sign alone
 * tells. Eq. 21 becomes
 *     0 <= err <= sqrt 3 (qA + qB) + 2 E + 2^-48 (R_A + R_B) + 2^-47 |p|
 * without errors of P' and of units. So all 36 bits count; with a P' of 16 bits only 16 would.
 *
 * Widths. Images are below 2^38 q. p -+ E is cut to 2^60, which decides alone. Scales are less than
 * 2^500 apart, so only numbers far below 2^-46 R underflow.
 *
 * Lanes are two nodes of a group. Time of 35 bits, relative to 16 bits in narrow-axes.as.ts,
 * medians over four pairs of meshes:
 *   first contact, in contact   0.8 to 1.5
 *   first contact, apart        1.5 to 1.7
 *   all contacts                1.4 to 1.6
 * That is 0.10 to 0.19 of descent.ts in integers. For needles, whose time goes mostly to triangles,
 * it is 0.36 to 0.78.
 */
import { PREPARED } from '../../../kernels/layout.as';
import { GROUP_COEFFICIENTS, PLACES } from './layout.as';
import {
  ax, ay, axisCount, az, between, bx, by, bz, common, directionsA, directionsB, dx, dy, dz, FEW_PAIRS, facetOf, GAPS,
  halfA, halfB, MANY_AXES, powerOfTwo, RAISED, ROUNDING, radiusA, radiusB, restOf, sizeA, sizeB, turnAxis, twiceSlack,
  weightOf,
} from './two-trees.as';

const AXES: usize = PREPARED;

const FIRST: usize = 0; // f64
const SECOND: usize = 8;
const SIDE_A: usize = 16;
const SIDE_B: usize = 56;
const AXIS_BYTES: usize = 96;

const MAPPING: usize = 0; // f64 x 3: P
const LOWER: usize = 24; // u16 x 3: where in a group the coefficients of the lower end are
const UPPER: usize = 30; // u16 x 3
const IS_SINGLE: usize = 36; // u32: only the first of the three counts

const MAPPING_SCALE: f64 = 32768;
const NEARLY_OWN: f64 = 1.0 / 17592186044416.0; // 2^-44
const FARTHEST: f64 = reinterpret<f64>(<u64>(1023 + 60) << 52);
const LEAST: f64 = -reinterpret<f64>(<u64>(1023 + 70) << 52);

let prepared: i32 = 0;
let perUnit: f64 = 0;

export function beginWide(): void {
  prepared = 0;
  perUnit = powerOfTwo(-common);
}

/** Returns bit 4 i + j per requested, unseparated pair. Writes the gaps to GAPS. */
export function overlapWide(workspace: usize, groupA: usize, groupB: usize, nodes: u32): u32 {
  const least = f64x2.splat(LEAST);
  const ofB = i64x2.splat(<i64>(nodes >> 4));
  const startLeft = v128.and(i64x2.ne(v128.and(ofB, i64x2(1, 2)), i64x2.splat(0)), least);
  const startRight = v128.and(i64x2.ne(v128.and(ofB, i64x2(4, 8)), i64x2.splat(0)), least);
  const none = f64x2.splat(0);
  let left0 = nodes & 1 ? startLeft : none;
  let left1 = nodes & 2 ? startLeft : none;
  let left2 = nodes & 4 ? startLeft : none;
  let left3 = nodes & 8 ? startLeft : none;
  let right0 = nodes & 1 ? startRight : none;
  let right1 = nodes & 2 ? startRight : none;
  let right2 = nodes & 4 ? startRight : none;
  let right3 = nodes & 8 ? startRight : none;
  let axis = workspace + AXES;
  for (let n = 0; n < axisCount; n++, axis += AXIS_BYTES) {
    if (n >= prepared) prepareAxis(axis, n);
    const a = axis + SIDE_A;
    const b = axis + SIDE_B;
    const first = v128.load64_splat(axis + FIRST);
    const second = v128.load64_splat(axis + SECOND);
    const lowerA = f64x2.add(endOf(groupA, a, LOWER, 0), first);
    const lowerC = f64x2.add(endOf(groupA, a, LOWER, 16), first);
    const upperA = f64x2.add(endOf(groupA, a, UPPER, 0), second);
    const upperC = f64x2.add(endOf(groupA, a, UPPER, 16), second);
    const lowerB = endOf(groupB, b, LOWER, 0);
    const upperB = endOf(groupB, b, UPPER, 0);
    const lowerD = endOf(groupB, b, LOWER, 16);
    const upperD = endOf(groupB, b, UPPER, 16);
    let lower = even(lowerA);
    let upper = even(upperA);
    left0 = larger(left0, lower, upperB, upper, lowerB);
    right0 = larger(right0, lower, upperD, upper, lowerD);
    lower = odd(lowerA);
    upper = odd(upperA);
    left1 = larger(left1, lower, upperB, upper, lowerB);
    right1 = larger(right1, lower, upperD, upper, lowerD);
    lower = even(lowerC);
    upper = even(upperC);
    left2 = larger(left2, lower, upperB, upper, lowerB);
    right2 = larger(right2, lower, upperD, upper, lowerD);
    lower = odd(lowerC);
    upper = odd(upperC);
    left3 = larger(left3, lower, upperB, upper, lowerB);
    right3 = larger(right3, lower, upperD, upper, lowerD);
    const left = v128.or(v128.or(left0, left1), v128.or(left2, left3));
    const right = v128.or(v128.or(right0, right1), v128.or(right2, right3));
    if (!i64x2.bitmask(v128.or(left, right))) return 0;
    if (n === MANY_AXES - 1) {
      const rows = negative(left0, right0, left1, right1) | (negative(left2, right2, left3, right3) << 8);
      if (popcnt(rows) <= FEW_PAIRS) break;
    }
  }
  const gaps = workspace + GAPS;
  v128.store(gaps, left0);
  v128.store(gaps, right0, 16);
  v128.store(gaps, left1, 32);
  v128.store(gaps, right1, 48);
  v128.store(gaps, left2, 64);
  v128.store(gaps, right2, 80);
  v128.store(gaps, left3, 96);
  v128.store(gaps, right3, 112);
  return negative(left0, right0, left1, right1) | (negative(left2, right2, left3, right3) << 8);
}

// @ts-ignore: decorator
@inline
function negative(left0: v128, right0: v128, left1: v128, right1: v128): u32 {
  const first = i64x2.bitmask(left0) | (i64x2.bitmask(right0) << 2);
  return first | (i64x2.bitmask(left1) << 4) | (i64x2.bitmask(right1) << 6);
}

// @ts-ignore: decorator
@inline
function larger(gap: v128, lowerA: v128, upperB: v128, upperA: v128, lowerB: v128): v128 {
  return f64x2.pmax(gap, f64x2.pmax(f64x2.add(lowerA, upperB), f64x2.add(upperA, lowerB)));
}

// @ts-ignore: decorator
@inline
function even(v: v128): v128 {
  return v128.shuffle<i64>(v, v, 0, 0);
}

// @ts-ignore: decorator
@inline
function odd(v: v128): v128 {
  return v128.shuffle<i64>(v, v, 1, 1);
}

// @ts-ignore: decorator
@inline
function endOf(group: usize, side: usize, places: usize, nodes: usize): v128 {
  const from = group + nodes;
  const first = f64x2.mul(v128.load64_splat(side + MAPPING), v128.load(from + <usize>load<u16>(side + places)));
  if (load<u32>(side + IS_SINGLE)) return first;
  const second = f64x2.mul(v128.load64_splat(side + MAPPING, 8), v128.load(from + <usize>load<u16>(side + places + 2)));
  const third = f64x2.mul(v128.load64_splat(side + MAPPING, 16), v128.load(from + <usize>load<u16>(side + places + 4)));
  return f64x2.add(f64x2.add(first, second), third);
}

/** Prepares axis n, which must be the next (section 4.1). */
function prepareAxis(axis: usize, n: i32): void {
  prepared = n + 1;
  turnAxis(n);
  const ofA = n < halfA;
  let error = twiceSlack;
  error += (mapSide(axis + SIDE_A, directionsA, halfA, ofA ? n : -1, sizeA, ax, ay, az) + ROUNDING) * radiusA;
  error += (mapSide(axis + SIDE_B, directionsB, halfB, ofA ? -1 : n - halfA, sizeB, bx, by, bz) + ROUNDING) * radiusB;
  error *= RAISED;
  store<f64>(axis + FIRST, inUnits(between - error));
  store<f64>(axis + SECOND, inUnits(-between - error));
}

// @ts-ignore: decorator
@inline
function inUnits(x: f64): f64 {
  return max(-FARTHEST, min(FARTHEST, x * perUnit));
}

/**
 * Writes faces and P of one side. Returns |r|.
 *
 * @param own the direction that (x, y, z) lies nearly along, if the poses are rigid; or -1
 * @param size the side's quantum
 */
function mapSide(side: usize, directions: usize, half: i32, own: i32, size: f64, x: f64, y: f64, z: f64): f64 {
  if (own >= 0) {
    const weight = x * dx + y * dy + z * dz;
    const rx = x - weight * dx;
    const ry = y - weight * dy;
    const rz = z - weight * dz;
    const rest = sqrt(rx * rx + ry * ry + rz * rz);
    if (rest <= NEARLY_OWN) {
      store<f64>(side + MAPPING, -weight * size);
      store<u16>(side + LOWER, placeOf(own + half));
      store<u16>(side + UPPER, placeOf(own));
      store<u32>(side + IS_SINGLE, 1);
      return rest;
    }
  }
  const facet = facetOf(directions, x, y, z);
  const p0 = -max(0.0, weightOf(facet, 0, x, y, z));
  const p1 = -max(0.0, weightOf(facet, 1, x, y, z));
  const p2 = -max(0.0, weightOf(facet, 2, x, y, z));
  const scale = size / MAPPING_SCALE;
  store<f64>(side + MAPPING, p0 * scale);
  store<f64>(side + MAPPING, p1 * scale, 8);
  store<f64>(side + MAPPING, p2 * scale, 16);
  for (let m: usize = 0; m < 12; m += 2) store<u16>(side + LOWER + m, widened(load<u16>(facet + PLACES + m)));
  store<u32>(side + IS_SINGLE, 0);
  return restOf(facet, p0, p1, p2, x, y, z);
}

// @ts-ignore: decorator
@inline
function placeOf(face: i32): u16 {
  return <u16>(GROUP_COEFFICIENTS + (face << 5));
}

// @ts-ignore: decorator
@inline
function widened(place: u16): u16 {
  return <u16>(GROUP_COEFFICIENTS + ((<i32>place - GROUP_COEFFICIENTS) << 2));
}
