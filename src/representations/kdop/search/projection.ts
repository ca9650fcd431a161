/**
 * Prepares axes once per pose (section 4.1), so that a pair of nodes is tested with integers alone.
 *
 * Source: Raabe et al. 2006, sections 4.1 to 4.4, restated for two trees with units of their own
 * and for poses that are not quite orthonormal.
 *
 * Letters. a has the scale 2^sA, bits bA, the origin oA, and the quantum
 *   qA = 2^(sA - bA + 1).
 * b has the same with its own letters. x in a's frame and y in b's are points of the triangles.
 * Coefficients refer to x^ = x - oA and y^ = y - oB. T = A^-1 B (pair-kernel.ts): a shared point
 * has
 *   |x - T y| <= slack.
 * L is a test axis in a's frame. The common unit of all results is
 *   u = 2^(max(sA, sB) - 48).
 *
 * Axes. For the faces of a and for those of b:
 *   L = l D_j,   L = l T D_j / norm,   l = (1 - 2^-40) / max(1, norm).
 * T is the linear part here, and `norm` bounds how much it lengthens a vector. So |L| and |T^T L|
 * are less than 1. The proof needs nothing else of L: any other vector, shortened in the same way,
 * is as good an axis (`prepareAlong`).
 *
 * Images. v = L for a and v = T^T L for b (P from M^T L; T need not be a rotation). v lies in the
 * cone of one facet of the directions. With its weights w, as computed but negative ones set to 0,
 *   v = w0 D_j0 + w1 D_j1 + w2 D_j2 + r.
 * So for every point x^ of a node, by the sign of w alone,
 *   v . x^ <=  w . (a_j0, a_j1, a_j2) + |r| |x^|,
 *   v . x^ >= -w . (the opposite three) - |r| |x^|.
 * The paper's mapping vector is P = -w. |v| < 1 implies w < 1 (dop-directions.ts), so -1 <= P <= 0.
 *
 * Rounding. P' = floor(P 2^c) / 2^c is in [-1, 0] too. Coefficients are whole numbers of quanta. So
 * eq. 7,
 *     a'_min = P' . a' + 2^-c sn(a'),   a'_max = -(P' . a'_k + 2^-c sn(a'_k)),
 * with sn the sum of the negative ones,
 * is a sum of integers in the unit qA 2^-c. Multiplying by a power of two brings it to the unit u,
 * rounded to -infinity (a'_max to +infinity). So every image holds the true one.
 *   p = L . (oA - T oB)
 * is computed in doubles. It is lowered by E and floored for diff1, and raised by E and ceiled for
 * diff2. E bounds the errors of the doubles and r:
 *     E = 2 slack + (|r_A| + 2^-46) R_A + (|r_B| + 2^-46) R_B,   R >= |x^|: 2^s r_max, r_max <= sqrt 3
 * slack holds 2^-45 of all sizes, for the fewer than 40 roundings of p. v, w and r are rounded by
 * less than 2^-48. If a neighboring facet is taken, with weights cut to 0, r includes that. Hence
 * eq. 22 > 0 proves that no point is shared. With exact images of the triangles below the nodes in
 * place of the rounded ones (eq. 11), eq. 21 becomes
 *     0 <= err <= sqrt 3 (qA + qB) + 3 (2^(sA - cA) + 2^(sB - cB)) + 3 u + 2 E
 * if p is not cut (see Widths; the left half always holds). With one scale, b = bits - 1 and u =
 * 2^-z it is the paper's bound, except for the two roundings to u and for E:
 *     sqrt 3 2^(-b+1) + 6 2^-c + 2^-z
 *
 * Widths. |a'| < 2^(b-1) quanta and |P'| <= 2^c. So three products and their corrections are at
 * most
 *     3 2^(b-1+c) = 2^(b+c+0.6).
 * Doubles hold integers up to 2^53 exactly. Up to 26 bits, every sum stays within 2^52.6 with
 *     c = min(36, 52 - b).
 * Above, P' is split:
 *     P' 2^c = H 2^(c/2) + G,   0 <= G < 2^(c/2),   c = min(36, 2 (52 - b)).
 * The sum of the H a', and that of the G a' and the corrections, are within
 *     3 2^(b-1+c/2) <= 2^52.6.
 * They are joined without a wider integer, with m = min(t, c/2):
 *     floor((H 2^(c/2) + G) 2^-t) = floor((H 2^(c/2-m) + floor(G 2^-m)) 2^(m-t)).
 * In units u an image is at most (sqrt 3 + 3 2^-c) 2^48, and p is cut to 2^51: sums stay below
 * 2^52. All of it needs scales less than 2^500 apart, or powers of two would underflow. Trees that
 * are farther apart are left to the common path.
 */

import { type RelativePose, relativePose } from '../../../engine/pair-kernel.ts';
import { identity, movePoint, type Pose } from '../../../math/pose.ts';
import { type DopDirections, dopDirections, facetOf } from '../tree/dop-directions.ts';
import { type KdopTree, quantumOf } from '../tree/kdop-tree.ts';

/** Returns c, the bits of P' after the point, for coefficients of so many bits. */
function mappingBitsFor(bits: number): number {
  return Math.min(36, bits <= LARGEST_UNSPLIT ? 52 - bits : 2 * (52 - bits));
}

const LARGEST_UNSPLIT = 26;
/** If the scales' exponents differ by more, the common path answers. */
const FARTHEST_SCALES = 500;
/** The common unit is the larger scale over 2^UNIT_BITS. */
const UNIT_BITS = 48;
/** p is cut to this; beyond it, p decides alone. */
const FARTHEST = 2 ** 51;
/** Keeps |L| and |T^T L| below 1 despite rounding. */
const SHORTENED = 1 - 2 ** -40;
/** If v is this close to a multiple of a direction, it counts as one. */
const NEARLY_OWN = 2 ** -44;

export interface Side {
  tree: KdopTree;
  quantum: number;
  directions: DopDirections;
  /** Per axis: three faces that bound an image from below, then the opposite three, from above. */
  faces: Int32Array;
  /** Per axis: 1 if only the first of the three counts, since the axis is that face's. */
  isSingle: Uint8Array;
  /** Per axis: three integers P' 2^c, from -2^c to 0; H if products are split. */
  mapping: Float64Array;
  low: Float64Array;
  isSplit: boolean;
  /** 2^(c/2-m), 2^-m and 2^(m-t). Unsplit, only the last counts: 2^-t, at most 2^5. */
  highScale: number;
  carry: number;
  toUnit: number;
  c: number;
  mappingScale: number;
  halfScale: number;
  /** R, which bounds the distance of the tree's points from its origin: 2^s r_max. */
  radius: number;
}

export interface AxisSet {
  a: Side;
  b: Side;
  count: number;
  prepared: number;
  /** Per axis, integers in units u: floor(p - E) for diff1, ceil(p + E) for diff2. */
  below: Float64Array;
  above: Float64Array;
  unit: number;
  shift: Float64Array;
  axes: Float64Array;
  errors: Float64Array;
  relative: RelativePose;
}

/**
 * Prepares a pair of poses. `prepareAxis` adds the axes when a query needs them.
 *
 * @param count number of axes, from 1 to (kA + kB) / 2: faces of both; opposite ones count once
 * @param mappingBits fewer bits of P' than mappingBitsFor says, for measurements
 * @param into a set that is no longer needed; it is overwritten
 * @returns null if the scales of the trees are too far apart
 */
export function axisSet(
  a: KdopTree,
  b: KdopTree,
  poseA: Pose,
  poseB: Pose,
  count: number,
  mappingBits = Number.POSITIVE_INFINITY,
  into = createAxisSet(a, b),
): AxisSet | null {
  if (Math.abs(a.exponent - b.exponent) > FARTHEST_SCALES) return null;
  const unitExponent = Math.max(a.exponent, b.exponent) - UNIT_BITS;
  setSide(into.a, a, unitExponent, mappingBits);
  setSide(into.b, b, unitExponent, mappingBits);
  into.count = count;
  into.prepared = 0;
  into.unit = 2 ** unitExponent;
  into.relative = relativePose(poseA, poseB, reachOfKdopTree(a), reachOfKdopTree(b));
  const [x, y, z] = b.origin;
  movePoint(into.relative.map, x, y, z, into.shift, 0);
  for (let i = 0; i < 3; i++) into.shift[i] = a.origin[i] - into.shift[i];
  return into;
}

const MOST_AXES = 26;

/**
 * Creates a set for `axisSet` to write to.
 *
 * @param room number of axes that fit; more than all faces if there are others
 */
export function createAxisSet(a: KdopTree, b: KdopTree, room = MOST_AXES): AxisSet {
  return {
    a: createSide(a, room),
    b: createSide(b, room),
    count: 0,
    prepared: 0,
    below: new Float64Array(room),
    above: new Float64Array(room),
    unit: 1,
    shift: new Float64Array(3),
    axes: new Float64Array(3 * room),
    errors: new Float64Array(room),
    relative: relativePose(identity(), identity(), 1, 1),
  };
}

function createSide(tree: KdopTree, room: number): Side {
  return {
    tree,
    quantum: 1,
    directions: dopDirections(tree.k),
    faces: new Int32Array(6 * room),
    isSingle: new Uint8Array(room),
    mapping: new Float64Array(3 * room),
    low: new Float64Array(3 * room),
    isSplit: false,
    highScale: 1,
    carry: 1,
    toUnit: 1,
    c: 0,
    mappingScale: 1,
    halfScale: 1,
    radius: 1,
  };
}

function setSide(side: Side, tree: KdopTree, unitExponent: number, mappingBits: number): void {
  const { bits, exponent } = tree;
  const isSplit = bits > LARGEST_UNSPLIT;
  // Both halves of P' have the same width.
  const c = Math.min(mappingBitsFor(bits), isSplit ? 2 * Math.ceil(mappingBits / 2) : mappingBits);
  const t = unitExponent - (exponent - bits + 1 - c);
  const m = isSplit ? Math.min(t, c / 2) : 0;
  side.tree = tree;
  side.quantum = quantumOf(tree);
  side.directions = dopDirections(tree.k);
  side.isSplit = isSplit;
  side.highScale = isSplit ? 2 ** (c / 2 - m) : 1;
  side.carry = 2 ** -m;
  side.toUnit = 2 ** (m - t);
  side.c = c;
  side.mappingScale = 2 ** c;
  side.halfScale = 2 ** (c / 2);
  side.radius = 1.7321 * 2 ** exponent;
}

/** Returns a bound of the distance from the frame's origin, for vertices and common bounds. */
export function reachOfKdopTree({ origin, exponent }: KdopTree): number {
  return Math.abs(origin[0]) + Math.abs(origin[1]) + Math.abs(origin[2]) + 8 * 2 ** exponent;
}

const axis = new Float64Array(3);
const turned = new Float64Array(3);

/**
 * Prepares the next axis of the set: a's faces come first, then b's.
 *
 * Mean number of axes until a pair is separated, over five pairs of meshes:
 *   this order                                     5.1
 *   a's and b's in turn                            6.0
 *   each as far as possible from all before        5.2
 *   by the direction to the other object           7.6
 *   first the axis that separated last             3.6
 * The last order takes 0.98 to 1.05 of the time over four pairs of meshes. Images are then made one
 * by one, and their number stays the same, since a node that no axis separates needs all of them.
 * Cut to 12 axes, this order takes 4036 bound tests; a's and b's in turn take 4369.
 */
export function prepareAxis(set: AxisSet): void {
  const { a, b, relative } = set;
  const { map, norm } = relative;
  const i = set.prepared;
  const half = a.tree.k / 2;
  const ofA = i < half;
  const own = ofA ? i : i - half;
  const { vectors } = (ofA ? a : b).directions;
  const x = vectors[3 * own];
  const y = vectors[3 * own + 1];
  const z = vectors[3 * own + 2];
  if (ofA) {
    prepareAlong(set, x, y, z, 1, own, -1);
    return;
  }
  const alongX = map[0] * x + map[1] * y + map[2] * z;
  const alongY = map[4] * x + map[5] * y + map[6] * z;
  const alongZ = map[8] * x + map[9] * y + map[10] * z;
  prepareAlong(set, alongX, alongY, alongZ, Math.max(1, norm), -1, own);
}

/**
 * Prepares the next axis along any vector of a's frame.
 *
 * @param length upper bound of the vector's length, except for rounding
 * @param ownA, ownB the direction of a, or of b, that it lies along, or -1
 */
export function prepareAlong(
  set: AxisSet,
  x: number,
  y: number,
  z: number,
  length: number,
  ownA = -1,
  ownB = -1,
): void {
  const { a, b, relative, shift, axes } = set;
  const { map, norm, slack } = relative;
  const i = set.prepared++;
  const scale = SHORTENED / (length * Math.max(1, norm));
  axis[0] = scale * x;
  axis[1] = scale * y;
  axis[2] = scale * z;
  turned[0] = map[0] * axis[0] + map[4] * axis[1] + map[8] * axis[2];
  turned[1] = map[1] * axis[0] + map[5] * axis[1] + map[9] * axis[2];
  turned[2] = map[2] * axis[0] + map[6] * axis[1] + map[10] * axis[2];
  const restA = mapAxis(a, i, axis, ownA);
  const restB = mapAxis(b, i, turned, ownB);
  const p = axis[0] * shift[0] + axis[1] * shift[1] + axis[2] * shift[2];
  const error = (2 * slack + restA * a.radius + restB * b.radius) * (1 + 2 ** -40);
  set.below[i] = Math.max(-FARTHEST, Math.min(FARTHEST, Math.floor((p - error) / set.unit)));
  set.above[i] = Math.max(-FARTHEST, Math.min(FARTHEST, Math.ceil((p + error) / set.unit)));
  for (let k = 0; k < 3; k++) axes[3 * i + k] = axis[k];
  set.errors[i] = error;
}

const weight = new Float64Array(3);
const face = new Int32Array(3);

/**
 * Sets faces and mapping of axis i from the facet whose cone holds v. Returns |r| + 2^-46 for E.
 *
 * @param own the direction that v is nearly a multiple of, or -1
 */
function mapAxis(side: Side, i: number, v: Float64Array, own: number): number {
  const { vectors, facets, weights } = side.directions;
  let rest = Number.POSITIVE_INFINITY;
  if (own >= 0) {
    face[0] = face[1] = face[2] = own;
    weight[0] = Math.max(0, v[0] * vectors[3 * own] + v[1] * vectors[3 * own + 1] + v[2] * vectors[3 * own + 2]);
    weight[1] = weight[2] = 0;
    rest = restOf(v, vectors);
  }
  if (rest > NEARLY_OWN) {
    const facet = 3 * facetOf(side.directions, v);
    for (let m = 0; m < 3; m++) {
      const at = 3 * (facet + m);
      weight[m] = Math.max(0, weights[at] * v[0] + weights[at + 1] * v[1] + weights[at + 2] * v[2]);
      face[m] = facets[facet + m];
    }
    rest = restOf(v, vectors);
  }
  const { faces, mapping, low, isSplit, mappingScale, halfScale } = side;
  side.isSingle[i] = weight[1] === 0 && weight[2] === 0 ? 1 : 0;
  const half = side.tree.k / 2;
  for (let m = 0; m < 3; m++) {
    // The faces of its facet bound v from above. Their opposites bound -v from above, so v from
    // below.
    faces[6 * i + m] = face[m] < half ? face[m] + half : face[m] - half;
    faces[6 * i + 3 + m] = face[m];
    const rounded = Math.floor(-weight[m] * mappingScale);
    if (isSplit) {
      const high = Math.floor(rounded / halfScale);
      mapping[3 * i + m] = high;
      low[3 * i + m] = rounded - high * halfScale;
    } else mapping[3 * i + m] = rounded;
  }
  return rest + 2 ** -46;
}

function restOf(v: Float64Array, vectors: Float64Array): number {
  let squares = 0;
  for (let k = 0; k < 3; k++) {
    const d =
      v[k] -
      weight[0] * vectors[3 * face[0] + k] -
      weight[1] * vectors[3 * face[1] + k] -
      weight[2] * vectors[3 * face[2] + k];
    squares += d * d;
  }
  return Math.sqrt(squares);
}

/**
 * Computes eq. 7 in units u, in integers, on the axes `from` to `to - 1`. The lower end of axis i
 * goes to `out[o + 2i]`, the negated upper end to `out[o + 2i + 1]`.
 *
 * @param at index of the node's first coefficient
 */
export function project(side: Side, at: number, from: number, to: number, out: Float64Array, o: number): void {
  if (side.isSplit) projectSplit(side, at, from, to, out, o);
  else projectWhole(side, at, from, to, out, o);
}

function projectWhole(side: Side, at: number, from: number, to: number, out: Float64Array, o: number): void {
  const { faces, mapping, isSingle, toUnit } = side;
  const { coefficients } = side.tree;
  for (let i = from; i < to; i++) {
    const f = 6 * i;
    const a0 = coefficients[at + faces[f]];
    const b0 = coefficients[at + faces[f + 3]];
    const p0 = mapping[3 * i];
    let lower = a0 < 0 ? (p0 + 1) * a0 : p0 * a0;
    let upper = b0 < 0 ? (p0 + 1) * b0 : p0 * b0;
    if (isSingle[i] === 0) {
      const a1 = coefficients[at + faces[f + 1]];
      const a2 = coefficients[at + faces[f + 2]];
      const b1 = coefficients[at + faces[f + 4]];
      const b2 = coefficients[at + faces[f + 5]];
      const p1 = mapping[3 * i + 1];
      const p2 = mapping[3 * i + 2];
      lower += (a1 < 0 ? (p1 + 1) * a1 : p1 * a1) + (a2 < 0 ? (p2 + 1) * a2 : p2 * a2);
      upper += (b1 < 0 ? (p1 + 1) * b1 : p1 * b1) + (b2 < 0 ? (p2 + 1) * b2 : p2 * b2);
    }
    out[o + 2 * i] = Math.floor(lower * toUnit);
    out[o + 2 * i + 1] = Math.floor(upper * toUnit);
  }
}

function projectSplit(side: Side, at: number, from: number, to: number, out: Float64Array, o: number): void {
  const { faces, mapping, low, isSingle, highScale, carry, toUnit } = side;
  const { coefficients } = side.tree;
  for (let i = from; i < to; i++) {
    const counted = isSingle[i] === 1 ? 1 : 3;
    for (let end = 0; end < 2; end++) {
      let high = 0;
      let rest = 0;
      for (let m = 0; m < counted; m++) {
        const coefficient = coefficients[at + faces[6 * i + 3 * end + m]];
        high += mapping[3 * i + m] * coefficient;
        rest += low[3 * i + m] * coefficient + (coefficient < 0 ? coefficient : 0);
      }
      out[o + 2 * i + end] = Math.floor((high * highScale + Math.floor(rest * carry)) * toUnit);
    }
  }
}

export const axesFor = (a: KdopTree, b: KdopTree, axes: unknown): number =>
  typeof axes === 'number' ? axes : (a.k + b.k) / 2;
