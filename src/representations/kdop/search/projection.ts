/**
 * What section 4.1 computes once per pose, so that a pair of nodes is tested on an axis with whole
 * numbers alone.
 *
 * Raabe et al. 2006, sections 4.1 to 4.4, restated for two trees with units of their own and for
 * poses that are not quite orthonormal.
 *
 * Letters. a has the scale 2^sA, bits bA, the quantum qA = 2^(sA - bA + 1), the origin oA; b
 * likewise. x in a's frame and y in b's are points of the triangles, x^ = x - oA and y^ = y - oB
 * what coefficients speak of; T = A^-1 B (relative-pose.ts): a shared point has
 * |x - T y| <= slack. L is a test axis in a's frame; u = 2^(max(sA, sB) - 48) the common unit of all results.
 *
 * Axes. L = l D_j for the faces of a; L = l T D_j / norm for those of b (T's linear part, `norm` >=
 * how much it lengthens); l = (1 - 2^-40) / max(1, norm), which makes |L| and |T^T L| less than 1.
 * Nothing else is asked of L: any other vector, made so short, is as good an axis (`prepareAlong`).
 *
 * Images. v = L for a and v = T^T L for b (that is P from M^T L: nothing here takes T for a
 * rotation). v lies in the cone of one facet of the directions; with its weights, computed and not
 * below 0, v = w0 D_j0 + w1 D_j1 + w2 D_j2 + r. So for every point x^ of a node v . x^ <= w .
 * (a_j0, a_j1, a_j2) + |r| |x^|, by the sign of w and whatever else w is, and v . x^ >= -w . (the
 * opposite three) - |r| |x^|. The paper's mapping vector is P = -w; |v| < 1 has w < 1
 * (dop-directions.ts), so P is in [-1, 0].
 *
 * Rounding. P' = floor(P 2^c) / 2^c, in [-1, 0] too; coefficients are whole numbers of quanta, and
 * eq. 7,
 *
 *     a'_min = P' . a' + 2^-c sn(a'),   a'_max = -(P' . a'_k + 2^-c sn(a'_k)),   sn the sum of the negative ones,
 *
 * is a sum of integers of the unit qA 2^-c. It is then brought to the unit u: multiplied by a power
 * of two, rounded to -infinity (a'_max to +infinity). So every image holds the true one. p = L .
 * (oA - T oB), computed in doubles, is lowered by E and floored for diff1 and raised by E and
 * ceiled for diff2, where E >= what doubles and r can be wrong by:
 *
 *     E = 2 slack + (|r_A| + 2^-46) R_A + (|r_B| + 2^-46) R_B,   R >= |x^|: 2^s r_max, r_max <= sqrt 3
 *
 * (slack holds 2^-45 of all sizes for the fewer than 40 roundings of p, and v, w and r are rounded
 * by less than 2^-48; that a neighbouring facet may be taken, with weights cut to 0, is in r).
 * Hence eq. 22 > 0 proves that no point is shared. With the exact images of what is below the nodes
 * in place of the rounded ones (eq. 11), eq. 21 becomes
 *
 *     0 <= err <= sqrt 3 (qA + qB) + 3 (2^(sA - cA) + 2^(sB - cB)) + 3 u + 2 E
 *
 * where p is not cut (see Widths; the left half holds always). With one scale, bits - 1 = b, and u
 * = 2^-z it is the paper's, sqrt 3 2^(-b+1) + 6 2^-c + 2^-z, but for the two roundings to u and for
 * E.
 *
 * Widths. |a'| < 2^(b-1) quanta, |P'| <= 2^c: three products and their corrections are at most 3
 * 2^(b-1+c) = 2^(b+c+0.6). Doubles hold integers up to 2^53 exactly. Up to 26 bits, c = min(36, 52
 * - b) keeps every sum within 2^52.6. Above, P' is split, P' 2^c = H 2^(c/2) + G with 0 <= G <
 * 2^(c/2), c = min(36, 2 (52 - b)): the sum of the H a' and that of the G a' and the corrections
 * are within 3 2^(b-1+c/2) <= 2^52.6. They are joined without a wider integer: floor((H 2^(c/2) +
 * G) 2^-t) = floor((H 2^(c/2-m) + floor(G 2^-m)) 2^(m-t)) for m = min(t, c/2). In units u an image
 * is at most (sqrt 3 + 3 2^-c) 2^48, p is cut to 2^51: sums stay below 2^52. All of it needs scales
 * less than 2^500 apart, or powers of two would underflow; trees that are farther apart are left to
 * the common path.
 */

import { identity, movePoint, type Pose } from '../../../math/pose.ts';
import { type RelativePose, relativePose } from '../../../query/relative-pose.ts';
import { type DopDirections, dopDirections, facetOf } from '../tree/dop-directions.ts';
import { type KdopTree, quantumOf } from '../tree/kdop-tree.ts';

/** Bits of P' after the point for coefficients of so many bits. */
export function mappingBitsFor(bits: number): number {
  return Math.min(36, bits <= LARGEST_UNSPLIT ? 52 - bits : 2 * (52 - bits));
}

const LARGEST_UNSPLIT = 26;
/** Trees whose scales are farther apart, as exponents, are left to the common path. */
export const FARTHEST_SCALES = 500;
/** The common unit is the larger scale over two to this power. */
const UNIT_BITS = 48;
/** Beyond it, p decides alone. */
const FARTHEST = 2 ** 51;
/** Keeps |L| and |T^T L| below 1 whatever rounding does. */
const SHORTENED = 1 - 2 ** -40;
/** How far v may be from a multiple of a direction to be taken for one. */
const NEARLY_OWN = 2 ** -44;

/** What is known of one tree on the axes that are prepared. */
export interface Side {
  tree: KdopTree;
  /** Of its coefficients, model units. */
  quantum: number;
  directions: DopDirections;
  /**
   * Per axis: the three faces whose coefficients bound an image from below, and the opposite three,
   * which bound it from above.
   */
  faces: Int32Array;
  /** Per axis: 1 where only the first of the three counts, since the axis is that face's. */
  isSingle: Uint8Array;
  /** Per axis: three whole numbers P' 2^c, from -2^c to 0; where products are split, H. */
  mapping: Float64Array;
  /** Likewise G. */
  low: Float64Array;
  /** Whether products are split. */
  isSplit: boolean;
  /** 2^(c/2-m), 2^-m and 2^(m-t); without split products only the last, 2^-t, from 2^5 down. */
  highScale: number;
  carry: number;
  toUnit: number;
  /** Bits of P' after the point, and two to that power, and to half of it. */
  c: number;
  mappingScale: number;
  halfScale: number;
  /** R: how far points that the coefficients hold may be from the origin, 2^s r_max. */
  radius: number;
}

export interface AxisSet {
  a: Side;
  b: Side;
  /** How many axes there are, and how many of them are prepared. */
  count: number;
  prepared: number;
  /**
   * Per axis, in units u, whole numbers: p - E rounded down, for diff1; p + E rounded up, for
   * diff2.
   */
  below: Float64Array;
  above: Float64Array;
  /** The unit u, model units. */
  unit: number;
  /** oA - T oB, model units. */
  shift: Float64Array;
  /** Axes L, x, y, z each, and E of each, model units. */
  axes: Float64Array;
  errors: Float64Array;
  relative: RelativePose;
}

/**
 * Everything about a pair of poses that axes need; the axes themselves are prepared by
 * `prepareAxis` when a query comes to them.
 *
 * @param count how many axes, from 1 to (kA + kB) / 2: faces of both, opposite ones counting once
 * @param mappingBits fewer bits of P' than mappingBitsFor says, for measurements
 * @param into a set that is no longer needed, to be written over
 * @returns null where the scales of the trees are too far apart
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

/** Faces of two DOPs, opposite ones counting once. */
const MOST_AXES = 26;

/**
 * A set for `axisSet` to write to.
 *
 * @param room axes that may be prepared: more than all faces where there are others
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
  // Halves of P' are of equal width.
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

/**
 * At least how far any vertex, and any bound of the common path, is from the origin of the tree's
 * frame.
 */
export function reachOfKdopTree({ origin, exponent }: KdopTree): number {
  return Math.abs(origin[0]) + Math.abs(origin[1]) + Math.abs(origin[2]) + 8 * 2 ** exponent;
}

const axis = new Float64Array(3);
const turned = new Float64Array(3);

/**
 * Prepares the next axis of the set: a's faces come first, then b's.
 *
 * Axes until a pair is found separate, mean over five pairs of meshes: 5.1 in this order, 6.0 when
 * a's and b's take turns, 5.2 when each is the farthest from all before, 7.6 by the direction to
 * the other object; 3.6 when the axis that separated last is tried first. That one was tried: images
 * are then made one by one, as many of them, since a node that no axis separates needs all; the time
 * was 0.98 to 1.05 of this, over four pairs of meshes. Cut to 12 axes, this order takes 4036 tests
 * of bounds where turns take 4369.
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
 * Prepares the next axis along a vector of a's frame, whatever axis it is.
 *
 * @param length at least how long the vector is, but for rounding
 * @param ownA, ownB the direction of a, or of b, that it is along, or -1
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
 * Sets faces and mapping of axis i from the facet whose cone v is in; returns |r| + 2^-46, as E
 * counts it.
 *
 * @param own the direction that v is a multiple of, but for rounding and where the pose allows it;
 *   or -1
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
    // v is bounded from above by the faces of its facet, and from below, as -v from above, by their
    // opposites.
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

/** |v - sum w D|, but for rounding. */
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
 * Eq. 7 in units u: the images of a node on the axes `from` to `to - 1`; of axis i its lower end at
 * `out[o + 2i]`, and minus its upper end at `out[o + 2i + 1]`. Whole numbers.
 *
 * @param at where the node's coefficients begin
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

/** How many axes a pair of nodes is tested on: as a query asks, or all faces of both. */
export const axesFor = (a: KdopTree, b: KdopTree, axes: unknown): number =>
  typeof axes === 'number' ? axes : (a.k + b.k) / 2;
