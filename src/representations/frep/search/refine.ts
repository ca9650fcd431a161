/**
 * Decides if a functionally defined solid holds a point of a small convex hull, such as a triangle
 * or box, by bounds of its function on parts of the hull. Proves that two such solids share no
 * point of a cell.
 *
 * The hull is the image of a square or cube of +-1 under an affine map into the solid's model cube:
 * a point, a segment's line, a triangle's parallelogram, a box. The function is re-expressed there
 * once and then halved along the map's longest column (cell-function.ts). A part may be outside. If
 * it or its center is inside, the hull has a point in the solid. Otherwise it is undecided once it
 * is as small as the solid's cells. Parts of the parallelogram beyond the triangle are dropped.
 *
 * Eight points count as a box with corners in the order of cells and cubes: bit k of a corner's
 * number is set if it is high along axis k. Their deviation from a box adds to the slack. For four
 * to seven points only the corners and the box around them are tested.
 */
import type { Refined } from '../../../engine/representation.ts';
import { type CellFunction, functionOf } from '../tree/cell-function.ts';
import type { FrepObject } from '../tree/program.ts';
import { boundQuadric } from '../tree/quadric.ts';

/** Parts of hulls go this many halvings below the solids' cells, since they are fewer. */
const FINER = 4;
/** Minimum halvings per axis of small hulls: triangles (parts form a line), boxes (a surface). */
const LEAST_HALVINGS = [6, 4];
const MOST_PARTS = [100_000, 2_000];

const map = new Float64Array(12);
const halvings = new Int32Array(3);
const lengths = new Float64Array(3);
const middle = new Float64Array(3);
const extent = new Float64Array(3);
const corner = new Float64Array(3);

interface Refining {
  solid: CellFunction;
  isTriangle: boolean;
  parts: number;
  mostParts: number;
  isUnsure: boolean;
}

/** Decides if the solid holds a point of the convex hull of points; see SolidMembers.refine. */
export function refineFrep(
  object: FrepObject,
  points: Float64Array,
  count: number,
  slack: number,
  effort = Number.POSITIVE_INFINITY,
): Refined {
  const { center, half } = object;
  let reach = 0;
  for (let i = 0; i < 3 * count; i++) reach = Math.max(reach, Math.abs(points[i]) + Math.abs(center[i % 3]));
  // The map's entries are differences and quotients of these, with a few roundings each. Points on
  // a triangle's edge may exceed it by as much.
  let spare = slack + 2 ** -48 * reach;
  map.fill(0);
  if (count <= 3) placeSimplex(points, count, object);
  else spare += placeBox(points, count, object);
  const solid = functionOf(object);
  solid.start(map, (spare / half) * (1 + 2 ** -40));
  if (count > 3 && count < 8) return refineAround(solid, object, points, count, slack);
  // Parts smaller than the slack are pointless.
  const finest = Math.max(2 ** -(object.resolution + FINER), spare / half);
  for (let k = 0; k < 3; k++) {
    const length = Math.max(Math.abs(map[k]), Math.abs(map[4 + k]), Math.abs(map[8 + k]));
    lengths[k] = length;
    halvings[k] = length > spare / half ? LEAST_HALVINGS[count === 8 ? 1 : 0] : 0;
    for (let size = length * 2 ** -halvings[k]; size > finest && size < Infinity; size /= 2) halvings[k]++;
    middle[k] = 0;
    extent[k] = 1;
  }
  const mostParts = Math.min(effort, MOST_PARTS[count === 8 ? 1 : 0]);
  const refining: Refining = { solid, isTriangle: count === 3, parts: 0, mostParts, isUnsure: false };
  if (visit(refining, 0)) return 'in';
  return refining.isUnsure ? 'unsure' : 'out';
}

/**
 * Places a point, a segment, or a triangle. A triangle is half of the parallelogram of its edges at
 * the first corner: the two coordinates' sum is at most 0.
 */
function placeSimplex(points: Float64Array, count: number, { center, half }: FrepObject): void {
  for (let k = 0; k < 3; k++) {
    let at = points[k] - center[k];
    for (let other = 1; other < count; other++) {
      const edge = (points[3 * other + k] - points[k]) / 2;
      map[4 * k + other - 1] = edge / half;
      at += edge;
    }
    map[4 * k + 3] = at / half;
  }
}

/**
 * Places eight corners as the box of their edges at the first one, others as the box around them.
 * Returns the largest deviation of eight corners.
 */
function placeBox(points: Float64Array, count: number, { center, half }: FrepObject): number {
  let off = 0;
  for (let k = 0; k < 3; k++) {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const x = points[3 * i + k] - center[k];
      least = Math.min(least, x);
      most = Math.max(most, x);
      sum += x;
    }
    if (count < 8) {
      map[5 * k] = (most - least) / 2 / half;
      map[4 * k + 3] = (least / 2 + most / 2) / half;
      continue;
    }
    for (let axis = 0; axis < 3; axis++) map[4 * k + axis] = (points[3 * (1 << axis) + k] - points[k]) / 2 / half;
    map[4 * k + 3] = sum / 8 / half;
    for (let i = 0; i < 8; i++) {
      let at = map[4 * k + 3];
      for (let axis = 0; axis < 3; axis++) at += (i >> axis) & 1 ? map[4 * k + axis] : -map[4 * k + axis];
      off = Math.max(off, Math.abs(points[3 * i + k] - center[k] - half * at));
    }
  }
  return off;
}

function refineAround(
  solid: CellFunction,
  object: FrepObject,
  points: Float64Array,
  count: number,
  slack: number,
): Refined {
  solid.bound(0);
  if (solid.upper < 0) return 'out';
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) corner[k] = points[3 * i + k];
    if (refineFrep(object, corner, 1, slack) === 'in') return 'in';
  }
  return 'unsure';
}

/** True if the solid holds the part's farthest point up the slope, where hulls touch first. */
function holdsFarthest({ solid, isTriangle }: Refining, depth: number): boolean {
  if (solid.conjunctCount(depth) === 0) return false;
  const at = 10 * leastConjunct(solid, depth);
  const { models } = solid;
  let x = models[at + 6] >= 0 ? 1 : -1;
  let y = models[at + 7] >= 0 ? 1 : -1;
  const z = models[at + 8] >= 0 ? 1 : -1;
  if (isTriangle) {
    const beyond = (): number => middle[0] + middle[1] + x * extent[0] + y * extent[1];
    const isXDearer = models[at + 6] * extent[1] > models[at + 7] * extent[0];
    if (beyond() > 0) {
      if (isXDearer) y = Math.max(-1, y - beyond() / extent[1]);
      else x = Math.max(-1, x - beyond() / extent[0]);
    }
    if (beyond() > 0) {
      if (isXDearer) x = Math.max(-1, x - beyond() / extent[0]);
      else y = Math.max(-1, y - beyond() / extent[1]);
    }
    // Rounding may leave it beyond the edge, by less than the slack allows.
    if (!(beyond() <= 2 ** -51)) return false;
  }
  return solid.valueAt(depth, x, y, z) >= 0;
}

const mixed = new Float64Array(10);
const lower = new Float64Array(1);
const upper = new Float64Array(1);

/**
 * True if the solid's points in a part lie beyond the triangle's edge through it. Without this,
 * such a part is decided only when it is smaller than the gap. With the parallelogram's coordinates
 * x and y, the triangle is
 *   g = -(x + y) >= 0.
 * So F >= 0 and g >= 0 hold nowhere together if F + s g < 0 for some s > 0, as below for two
 * solids. For a linear F the best s levels F + s g along an axis.
 */
function isBeyondEdge(solid: CellFunction, depth: number): boolean {
  const { models, lowers, remainder, drift } = solid;
  const slots = solid.conjuncts(depth);
  for (let i = 0; i < solid.conjunctCount(depth); i++) {
    const slot = slots[i];
    if (lowers[slot] >= 0) continue;
    for (let k = 0; k < 2; k++) {
      const s = models[10 * slot + 6 + k] / extent[k];
      if (!(s > 0 && s < Number.POSITIVE_INFINITY)) continue;
      let size = 0;
      for (let n = 0; n < 10; n++) {
        mixed[n] = models[10 * slot + n];
        size += Math.abs(mixed[n]);
      }
      mixed[6] -= s * extent[0];
      mixed[7] -= s * extent[1];
      mixed[9] -= s * (middle[0] + middle[1]);
      const rounding = 2 ** -50 * (size + 4 * s) + 2 ** -1000;
      boundQuadric(mixed, 0, remainder[slot] + Math.abs(drift[slot]) + rounding, lower, upper, 0);
      if (upper[0] < 0) return true;
    }
  }
  return false;
}

/** True if the part of `depth` surely holds a point of the solid. Notes undecided parts. */
function visit(refining: Refining, depth: number): boolean {
  const { solid, isTriangle } = refining;
  if (isTriangle && middle[0] + middle[1] - extent[0] - extent[1] > 0) return false;
  if (++refining.parts > refining.mostParts) {
    refining.isUnsure = true;
    return false;
  }
  solid.bound(depth);
  if (solid.upper < 0) return false;
  if (solid.lower >= 0) return true;
  if (isTriangle && middle[0] + middle[1] + extent[0] + extent[1] > 0 && isBeyondEdge(solid, depth)) return false;
  if (!isTriangle || middle[0] + middle[1] <= 0) {
    solid.centre(depth);
    if (solid.centreLower >= 0) return true;
  }
  if (holdsFarthest(refining, depth)) return true;
  let axis = -1;
  for (let k = 0; k < 3; k++) if (halvings[k] > 0 && (axis < 0 || lengths[k] > lengths[axis])) axis = k;
  if (axis < 0) {
    refining.isUnsure = true;
    return false;
  }
  solid.shorten(depth);
  const at = middle[axis];
  halvings[axis]--;
  lengths[axis] /= 2;
  extent[axis] /= 2;
  let isIn = false;
  for (let side = -1; side <= 1 && !isIn; side += 2) {
    solid.halve(depth, axis, side);
    middle[axis] = at + side * extent[axis];
    isIn = visit(refining, depth + 1);
  }
  middle[axis] = at;
  halvings[axis]++;
  lengths[axis] *= 2;
  extent[axis] *= 2;
  return isIn;
}

/*
 * Proves that two solids have no common point in a cell, or finds a candidate for one. Used if the
 * cell is outside of neither.
 *
 * The source tests the two functions separately. Then a cell between two surfaces a gap g apart is
 * empty for sure only if it is smaller than g, and there are about 1/g of them. But if f >= 0 and g
 * >= 0 hold at one point, so does s f + (1 - s) g >= 0 for every s in [0, 1] (the S-procedure: V.
 * A. Yakubovich, 1971). Between two surfaces the gradients oppose each other. The s that best
 * cancels them is
 *     s = b . (b - a) / |a - b|^2     with a, b the gradients of f and g at the cell's center.
 * It leaves only terms of second degree: a few cells separate two balls, however small the gap. f
 * is any conjunct of the one solid, g of the other. Their time is one more coordinate.
 *
 * Candidates: with opposite gradients, f is at least 0 from -f/|a| on along a's direction, g up to
 * g/|b|. The middle of the two is in both if their common lens is thin. If both rise the same way,
 * the candidate is the cell's corner that way.
 */

const MOST_MIXTURES = 16;

export const candidate = new Float64Array(3);

/** True if the two, bounded on the same cell of `depth`, surely share no point of it. */
export function areApart(a: CellFunction, b: CellFunction, depth: number): boolean {
  const countA = a.conjunctCount(depth);
  const countB = b.conjunctCount(depth);
  const slotsA = a.conjuncts(depth);
  const slotsB = b.conjuncts(depth);
  let mixtures = 0;
  for (let i = 0; i < countA; i++) {
    // A conjunct that holds on the whole cell excludes nothing.
    if (a.lowers[slotsA[i]] >= 0) continue;
    for (let j = 0; j < countB; j++) {
      if (b.lowers[slotsB[j]] >= 0) continue;
      if (++mixtures > MOST_MIXTURES) return false;
      if (excludeEachOther(a, slotsA[i], b, slotsB[j])) return true;
    }
  }
  return false;
}

function excludeEachOther(a: CellFunction, slotA: number, b: CellFunction, slotB: number): boolean {
  const f = a.models;
  const g = b.models;
  const atF = 10 * slotA;
  const atG = 10 * slotB;
  let along = 0;
  let across = 0;
  for (let k = 6; k < 9; k++) {
    const d = g[atG + k] - f[atF + k];
    along += g[atG + k] * d;
    across += d * d;
  }
  const driftF = a.drift[slotA];
  const driftG = b.drift[slotB];
  along += driftG * (driftG - driftF);
  across += (driftG - driftF) * (driftG - driftF);
  const s = along / across;
  if (!(s > 0 && s < 1)) return false;
  const moved = s * driftF + (1 - s) * driftG;
  let size = Math.abs(driftF) + Math.abs(driftG);
  for (let k = 0; k < 10; k++) {
    const x = s * f[atF + k];
    const y = (1 - s) * g[atG + k];
    size += Math.abs(x) + Math.abs(y);
    mixed[k] = x + y;
  }
  // Any s will do, so its rounding does not matter; 1 - s, products and sums are rounded.
  const rounding = 2 ** -50 * size + 2 ** -1000;
  const rest = s * a.remainder[slotA] + (1 - s) * b.remainder[slotB] + Math.abs(moved);
  const remainder = rest * (1 + 2 ** -48) + rounding;
  boundQuadric(mixed, 0, remainder, lower, upper, 0);
  return upper[0] < 0;
}

/** Writes a point of the cell that may be in both to `candidate`; false if nothing suggests one. */
export function seek(a: CellFunction, b: CellFunction, depth: number): boolean {
  if (a.conjunctCount(depth) === 0 || b.conjunctCount(depth) === 0) return false;
  const f = a.models;
  const g = b.models;
  const atF = 10 * leastConjunct(a, depth);
  const atG = 10 * leastConjunct(b, depth);
  let ff = 0;
  let gg = 0;
  let fg = 0;
  for (let k = 6; k < 9; k++) {
    ff += f[atF + k] * f[atF + k];
    gg += g[atG + k] * g[atG + k];
    fg += f[atF + k] * g[atG + k];
  }
  if (!(ff > 0 && gg > 0)) return false;
  const lengthF = Math.sqrt(ff);
  const lengthG = Math.sqrt(gg);
  // Along the difference of the two directions both functions change alike.
  const cosine = fg / (lengthF * lengthG);
  const scale =
    cosine < 0 ? (g[atG + 9] / lengthG - f[atF + 9] / lengthF) / (2 * (1 - cosine)) : Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    const x = f[atF + 6 + k] / lengthF;
    const y = g[atG + 6 + k] / lengthG;
    const at = cosine < 0 ? scale * (x - y) : x + y;
    candidate[k] = at > 1 ? 1 : at >= -1 ? at : -1;
  }
  return true;
}

function leastConjunct(side: CellFunction, depth: number): number {
  const slots = side.conjuncts(depth);
  let best = slots[0];
  let low = Number.POSITIVE_INFINITY;
  for (let i = 0; i < side.conjunctCount(depth); i++) {
    const at = 10 * slots[i];
    const m = side.models;
    const height = m[at + 9] / (Math.abs(m[at + 6]) + Math.abs(m[at + 7]) + Math.abs(m[at + 8]));
    if (height < low) {
      low = height;
      best = slots[i];
    }
  }
  return best;
}
