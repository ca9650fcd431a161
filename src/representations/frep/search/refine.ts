/**
 * Does a functionally defined solid hold a point of a triangle, a box, any small convex hull? By
 * bounds of its function on parts of the hull.
 *
 * The hull is the image of a square or cube of +-1 under an affine map, into the solid's model
 * cube: of a point, a segment's line, a triangle's parallelogram, a box. The function is
 * re-expressed there once and halved from then on, along the map's longest column, as in
 * cell-function.ts. A part is outside; or inside, which proves that a point of the hull is; or its
 * centre is; or it is left undecided when it is as small as the cells that the solid is searched
 * to. Parts of the parallelogram beyond the triangle are left out.
 *
 * A hull of eight points is taken for a box in the order of corners that cells and cubes have (bit
 * k of a corner's number: high along axis k); how far it is from one adds to the slack. Of four to
 * seven points only the corners and the box around them are looked at.
 */
import type { Refined } from '../../../query/representation.ts';
import type { CellFunction } from '../tree/cell-function.ts';
import type { FrepObject } from '../tree/program.ts';
import { boundQuadric } from '../tree/quadric.ts';
import { functionOf } from '../tree/solid-function.ts';
import { leastConjunct } from './separation.ts';

/**
 * Parts of hulls are so many halvings smaller than the cells that solids are searched to: they are
 * fewer.
 */
const FINER = 4;
/**
 * Hulls smaller than the cells are still halved so often along an axis: triangles, whose parts are
 * on a line; boxes, on a surface.
 */
const LEAST_HALVINGS = [6, 4];
/** Where surfaces coincide, every part stays undecided. */
const MOST_PARTS = [100_000, 2_000];

const map = new Float64Array(12);
let solid: CellFunction;
let isTriangle = false;
let parts = 0;
let mostParts = 0;
let isUnsure = false;
/**
 * How often the part may still be halved along each axis, and how long half of it is: the recursion
 * restores both.
 */
const halvings = new Int32Array(3);
const lengths = new Float64Array(3);
/**
 * Middle of the part in the square of +-1, and its half extents there: of a triangle, to tell what
 * is beyond it.
 */
const middle = new Float64Array(3);
const extent = new Float64Array(3);
const corner = new Float64Array(3);

/** What is known of the solid and the convex hull of points; see SolidMembers.refine. */
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
  // The map's entries are differences and quotients of these, of a few roundings each; and points
  // on a triangle's edge may be beyond it by as much.
  let spare = slack + 2 ** -48 * reach;
  map.fill(0);
  if (count <= 3) placeSimplex(points, count, object);
  else spare += placeBox(points, count, object);
  solid = functionOf(object);
  solid.start(map, (spare / half) * (1 + 2 ** -40));
  if (count > 3 && count < 8) return refineAround(object, points, count, slack);
  isTriangle = count === 3;
  // What the slack blurs is not worth a look.
  const finest = Math.max(2 ** -(object.resolution + FINER), spare / half);
  for (let k = 0; k < 3; k++) {
    const length = Math.max(Math.abs(map[k]), Math.abs(map[4 + k]), Math.abs(map[8 + k]));
    lengths[k] = length;
    halvings[k] = length > spare / half ? LEAST_HALVINGS[count === 8 ? 1 : 0] : 0;
    for (let size = length * 2 ** -halvings[k]; size > finest && size < Infinity; size /= 2) halvings[k]++;
    middle[k] = 0;
    extent[k] = 1;
  }
  parts = 0;
  mostParts = Math.min(effort, MOST_PARTS[count === 8 ? 1 : 0]);
  isUnsure = false;
  if (visit(0)) return 'in';
  return isUnsure ? 'unsure' : 'out';
}

/**
 * A point; a segment; a triangle, as half of the parallelogram of its edges at the first corner:
 * where the two coordinates' sum is at most 0.
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
 * Eight corners as the box that their edges at the first one make, others as the box around them;
 * returns how far any of eight is from it.
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

/** Nothing of the solid in the box around four to seven points, or one of them in the solid. */
function refineAround(object: FrepObject, points: Float64Array, count: number, slack: number): Refined {
  solid.bound(0);
  if (solid.upper < 0) return 'out';
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) corner[k] = points[3 * i + k];
    if (refineFrep(object, corner, 1, slack) === 'in') return 'in';
  }
  return 'unsure';
}

/**
 * Whether the point of the part that is farthest up the slope, a corner or one on the triangle's
 * edge, is in the solid: where hulls touch first.
 */
function holdsFarthest(depth: number): boolean {
  if (solid.conjunctCount(depth) === 0) return false;
  const at = 10 * leastConjunct(solid, depth);
  const { models } = solid;
  let x = models[at + 6] >= 0 ? 1 : -1;
  let y = models[at + 7] >= 0 ? 1 : -1;
  const z = models[at + 8] >= 0 ? 1 : -1;
  if (isTriangle) {
    const beyond = (): number => middle[0] + middle[1] + x * extent[0] + y * extent[1];
    // Back to the edge along the axis that costs less, then along the other.
    const isXDearer = models[at + 6] * extent[1] > models[at + 7] * extent[0];
    if (beyond() > 0) {
      if (isXDearer) y = Math.max(-1, y - beyond() / extent[1]);
      else x = Math.max(-1, x - beyond() / extent[0]);
    }
    if (beyond() > 0) {
      if (isXDearer) x = Math.max(-1, x - beyond() / extent[0]);
      else y = Math.max(-1, y - beyond() / extent[1]);
    }
    // By rounding it may be on the far side, by less than the slack has room for.
    if (!(beyond() <= 2 ** -51)) return false;
  }
  return solid.valueAt(depth, x, y, z) >= 0;
}

const mixed = new Float64Array(10);
const lower = new Float64Array(1);
const upper = new Float64Array(1);

/**
 * Whether what the solid has of a part lies beyond the edge through it. There g = -(x + y) >= 0 is
 * the triangle, x and y being the coordinates in the parallelogram; so where F >= 0 and g >= 0
 * nowhere both hold F + s g < 0 for some s > 0 (see separation.ts). Of a linear F the best s is one
 * that levels F + s g along an axis. Without it a part across the edge is decided only when it is
 * smaller than the gap.
 */
function isBeyondEdge(depth: number): boolean {
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

/**
 * Whether the part of `depth` is proved to hold a point of the solid. Notes where that is not
 * decided.
 */
function visit(depth: number): boolean {
  if (isTriangle && middle[0] + middle[1] - extent[0] - extent[1] > 0) return false;
  if (++parts > mostParts) {
    isUnsure = true;
    return false;
  }
  solid.bound(depth);
  if (solid.upper < 0) return false;
  if (solid.lower >= 0) return true;
  if (isTriangle && middle[0] + middle[1] + extent[0] + extent[1] > 0 && isBeyondEdge(depth)) return false;
  if (!isTriangle || middle[0] + middle[1] <= 0) {
    solid.centre(depth);
    if (solid.centreLower >= 0) return true;
  }
  if (holdsFarthest(depth)) return true;
  let axis = -1;
  for (let k = 0; k < 3; k++) if (halvings[k] > 0 && (axis < 0 || lengths[k] > lengths[axis])) axis = k;
  if (axis < 0) {
    isUnsure = true;
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
    isIn = visit(depth + 1);
  }
  middle[axis] = at;
  halvings[axis]++;
  lengths[axis] *= 2;
  extent[axis] *= 2;
  return isIn;
}
