/**
 * The convex hull of points in space, exactly.
 *
 * C. B. Barber, D. P. Dobkin, H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", ACM
 * Transactions on Mathematical Software 22, 1996. Theirs merges facets that rounding makes
 * non-convex. Here every decision is an exact sign (orient.ts), and rounded numbers only choose
 * which point comes next. So there is nothing to merge, and degenerate sets need no case of their
 * own beyond their dimension.
 *
 * A point p sees a facet if it is strictly above its plane. The facets of a convex polyhedron that
 * p sees form a disk (Bruggesser and Mani, 1971). If p lies in planes of other facets, move it
 * inward a little: it sees the same. The disk's rim, the horizon, is joined to p. No new facet is
 * degenerate: p lies on no line of a horizon edge, because it is off the plane of the seen facet
 * there.
 *
 * Every point that is outside waits with one facet that it sees. When that goes, the point sees a
 * new facet or is inside. Proof: suppose that q saw only kept facets. Then on the old hull the
 * connected disc that q sees would hold a kept facet X and a removed one Y at a horizon edge. The
 * plane of the new facet there is a X + b Y with a >= 0, b >= 0 not both 0. It contains p, below or
 * on X and above Y, so a > 0; and q, above both, is above it.
 *
 * Points in the plane of a facet are below it, so a flat face may get vertices in its middle, in
 * triangles that depend on the order of the points. The last step makes the faces polygons again,
 * drops every vertex that fewer than three faces share, and triangulates each from its
 * lowest-numbered vertex. The extreme points are left. Half-edge h = 3f + k runs from corner k of
 * facet f to corner k + 1.
 */

import { OptionError } from '../base/errors.ts';
import { ERROR_3D, orient2d, orient3d, TINY } from '../geometry/orient.ts';
import { nextInTriangle, previousInTriangle } from './topology.ts';

export interface Hull {
  /** Dimension spanned: 3, 2 if coplanar, 1 collinear, 0 equal; -1 without points. */
  dimension: -1 | 0 | 1 | 2 | 3;
  /**
   * Numbers of the extreme points, without which the hull would shrink; one of equal points.
   * Ascending; in two dimensions along the polygon, counter-clockwise seen from the positive end of
   * some coordinate axis, lowest number first.
   */
  vertices: Uint32Array;
  /**
   * Three numbers a triangle, none degenerate. Three dimensions: a closed surface of 2 vertices - 4
   * triangles, counter-clockwise from outside, flat faces as fans. Two: the polygon as one fan.
   */
  triangles: Uint32Array;
}

/**
 * Returns the convex hull of points. No rounding: every point is on or below the plane of every
 * triangle.
 *
 * O(n log n) if the farthest points split the rest somewhat evenly, as on real surfaces; O(n) if
 * few points are extreme. Point numbers alone settle ties and orders: equal input gives equal
 * output.
 *
 * @param points x, y, z each, finite
 * @throws OptionError if a coordinate is not finite or the last point lacks one
 */
export function convexHull(points: Float64Array): Hull {
  if (points.length % 3 !== 0)
    throw new OptionError(`points: expected three coordinates a point, found ${points.length} in all`);
  for (let i = 0; i < points.length; i++) {
    if (!Number.isFinite(points[i])) throw new OptionError(`point ${Math.floor(i / 3)}: coordinate ${points[i]}`);
  }
  const { dimension, simplex } = spanningSimplex(points);
  if (dimension < 2) return { dimension, vertices: simplex.slice().sort(), triangles: new Uint32Array(0) };
  if (dimension === 2) {
    const polygon = polygonHull(points, simplex);
    return { dimension, vertices: Uint32Array.from(polygon), triangles: fans([polygon]) };
  }
  const faces = polygonalFaces(quickhull(points, simplex));
  return { dimension, vertices: cornersOf(faces, points.length / 3), triangles: fans(faces) };
}

/**
 * Points that span what all span, preferably far apart: two ends of the longest extent, the
 * farthest from their line, the farthest from that plane. Fewer than three are the extreme points.
 */
function spanningSimplex(points: Float64Array): { dimension: Hull['dimension']; simplex: Uint32Array } {
  if (points.length === 0) return { dimension: -1, simplex: new Uint32Array(0) };
  const [low, high] = endsOfLongestExtent(points);
  if (low === high) return { dimension: 0, simplex: Uint32Array.of(low) };

  const x = points[3 * low];
  const y = points[3 * low + 1];
  const z = points[3 * low + 2];
  const dx = points[3 * high] - x;
  const dy = points[3 * high + 1] - y;
  const dz = points[3 * high + 2] - z;
  const third = farthest(
    points,
    (at) => {
      const ux = points[at] - x;
      const uy = points[at + 1] - y;
      const uz = points[at + 2] - z;
      const cx = dy * uz - dz * uy;
      const cy = dz * ux - dx * uz;
      const cz = dx * uy - dy * ux;
      return cx * cx + cy * cy + cz * cz;
    },
    (at) => !collinear(points, 3 * low, 3 * high, at),
  );
  if (third < 0) return { dimension: 1, simplex: Uint32Array.of(low, high) };

  const plane = new Float64Array(6);
  writePlane(plane, 0, points, low, high, third);
  const fourth = farthest(
    points,
    (at) => Math.abs(plane[0] * (points[at] - x) + plane[1] * (points[at + 1] - y) + plane[2] * (points[at + 2] - z)),
    (at) => orient3d(points, at, points, 3 * low, points, 3 * high, points, 3 * third) !== 0,
  );
  if (fourth < 0) return { dimension: 2, simplex: Uint32Array.of(low, high, third) };
  return { dimension: 3, simplex: Uint32Array.of(low, high, third, fourth) };
}

/** The first and last point in lexicographic order, from the coordinate that spreads the most. */
function endsOfLongestExtent(points: Float64Array): [number, number] {
  let longest = 0;
  let ends: [number, number] = [0, 0];
  for (let axis = 0; axis < 3; axis++) {
    let low = 0;
    let high = 0;
    for (let at = 3; at < points.length; at += 3) {
      if (lexicographic(points, at, low, axis) < 0) low = at;
      if (lexicographic(points, at, high, axis) > 0) high = at;
    }
    const extent = points[high + axis] - points[low + axis];
    if (extent <= longest) continue;
    longest = extent;
    ends = [low / 3, high / 3];
  }
  return ends;
}

function lexicographic(points: Float64Array, i: number, j: number, axis: number): number {
  for (let k = axis; k < axis + 3; k++) {
    const difference = points[i + (k % 3)] - points[j + (k % 3)];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The passing point of the greatest measure or, if rounding misled it, the first; else -1. */
function farthest(points: Float64Array, measure: (at: number) => number, passes: (at: number) => boolean): number {
  let best = 0;
  let most = -1;
  for (let at = 0; at < points.length; at += 3) {
    const size = measure(at);
    if (!(size > most)) continue;
    most = size;
    best = at;
  }
  if (passes(best)) return best / 3;
  for (let at = 0; at < points.length; at += 3) if (passes(at)) return at / 3;
  return -1;
}

function collinear(points: Float64Array, i: number, j: number, k: number): boolean {
  for (let axis = 0; axis < 3; axis++) if (orient2d(points, i, points, j, points, k, axis) !== 0) return false;
  return true;
}

/**
 * Returns coplanar points' extreme points in cyclic order: A. M. Andrew, "Another Efficient
 * Algorithm for Convex Hulls in Two Dimensions", Information Processing Letters 9, 1979, in a
 * coordinate plane onto which theirs projects one to one.
 */
function polygonHull(points: Float64Array, [i, j, k]: Uint32Array): number[] {
  let axis = 0;
  while (orient2d(points, 3 * i, points, 3 * j, points, 3 * k, axis) === 0) axis++;
  // From the axis after the dropped one, which comes last and decides nothing.
  const order = Array.from({ length: points.length / 3 }, (_, p) => p);
  order.sort((p, q) => lexicographic(points, 3 * p, 3 * q, axis + 1));
  return fromLowest([...leftTurns(points, order, axis), ...leftTurns(points, order.reverse(), axis)]);
}

function leftTurns(points: Float64Array, sorted: readonly number[], axis: number): number[] {
  const chain: number[] = [];
  for (const p of sorted) {
    while (
      chain.length > 1 &&
      orient2d(points, 3 * chain[chain.length - 2], points, 3 * chain[chain.length - 1], points, 3 * p, axis) <= 0
    ) {
      chain.pop();
    }
    chain.push(p);
  }
  return chain.slice(0, -1);
}

const NONE = -1;

/**
 * The first rounds, up to this number, take the oldest facet first, which grows the hull evenly;
 * the others take the newest first, which keeps to the caches. A sphere of 1e6 points and a prism
 * between two rings of 5e4 each: oldest first throughout takes 14 s and 0.3 s. Newest first
 * throughout takes 5.5 s and 11 s: one ring is finished before the other is begun, in facets that
 * all share one of its points. Both take 6 s and 0.2 s.
 */
const EVEN_ROUNDS = 4096;

interface GrowingHull {
  points: Float64Array;
  /** Three point numbers a facet; NONE first in a free slot. */
  corner: Int32Array;
  twin: Int32Array;
  plane: Float64Array;
  /** The farthest point that waits with a facet, or NONE; `waiting` leads to the others. */
  farthest: Int32Array;
  /** Height of that point above the facet, in the facet's own measure. */
  height: Float64Array;
  /** 2 * round + 1 if that round's point sees the facet, 2 * round if not. */
  look: Int32Array;
  slots: number;
  free: number[];
  waiting: Int32Array;
  round: number;
  /** This round's seen facets, their half-edges along the horizon, and new facets. */
  seen: number[];
  horizon: number[];
  cone: number[];
  startingAt: Int32Array;
}

/** Grows the hull from four points that span space; coplanar facets stay separate triangles. */
function quickhull(points: Float64Array, [a, b, c, d]: Uint32Array): GrowingHull {
  const count = points.length / 3;
  const hull: GrowingHull = {
    points,
    corner: new Int32Array(0),
    twin: new Int32Array(0),
    plane: new Float64Array(0),
    farthest: new Int32Array(0),
    height: new Float64Array(0),
    look: new Int32Array(0),
    slots: 0,
    free: [],
    waiting: new Int32Array(count),
    round: 0,
    seen: [],
    horizon: [],
    cone: [],
    startingAt: new Int32Array(count),
  };
  grow(hull, 64);
  // A triangle with two sides, one seen by the fourth point; then all the points.
  const sides = [addFacet(hull, a, b, c), addFacet(hull, a, c, b)];
  for (let k = 0; k < 3; k++) joinEdges(hull, k, 5 - k);
  insertPoint(hull, d, sides[heightAbove(hull, sides[0], d) > 0 ? 0 : 1]);
  for (let f = 0; f < hull.slots; f++) if (hull.corner[3 * f] !== NONE && !hull.cone.includes(f)) hull.cone.push(f);
  for (let p = 0; p < count; p++) letWait(hull, p);

  const pending = [...hull.cone];
  for (let oldest = 0; oldest < pending.length; ) {
    const f = oldest < EVEN_ROUNDS ? pending[oldest++] : pending.pop()!;
    // A slot can be here for a facet that has gone, and again for its successor.
    if (hull.farthest[f] === NONE) continue;
    insertPoint(hull, hull.farthest[f], f);
    for (const g of hull.cone) if (hull.farthest[g] !== NONE) pending.push(g);
  }
  return hull;
}

/** Replaces the facets that p sees, `first` among them, and hands on the points that waited. */
function insertPoint(hull: GrowingHull, p: number, first: number): void {
  const { seen, horizon, cone, look, corner, twin, startingAt } = hull;
  seen.length = horizon.length = cone.length = 0;
  const unseen = 2 * ++hull.round;
  look[first] = unseen + 1;
  seen.push(first);
  for (let i = 0; i < seen.length; i++) {
    for (let h = 3 * seen[i]; h < 3 * seen[i] + 3; h++) {
      const f = facetOf(twin[h]);
      if (look[f] < unseen) {
        const above = heightAbove(hull, f, p) > 0;
        look[f] = above ? unseen + 1 : unseen;
        if (above) seen.push(f);
      }
      if (look[f] === unseen) horizon.push(h);
    }
  }
  // Old facets stay until new ones exist; `corner` and `twin` are the old arrays if they grow.
  for (const h of horizon) {
    const f = addFacet(hull, corner[h], corner[nextInTriangle(h)], p);
    joinEdges(hull, 3 * f, twin[h]);
    startingAt[corner[h]] = f;
    cone.push(f);
  }
  for (const f of cone) joinEdges(hull, 3 * f + 1, 3 * startingAt[hull.corner[3 * f + 1]] + 2);
  for (const f of seen) {
    for (let q = hull.farthest[f], following = NONE; q !== NONE; q = following) {
      following = hull.waiting[q];
      if (q !== p) letWait(hull, q);
    }
    hull.corner[3 * f] = hull.farthest[f] = NONE;
    hull.free.push(f);
  }
}

/** Enters a point with the first new facet that it sees; forgets a point inside. */
function letWait(hull: GrowingHull, p: number): void {
  const { cone, farthest, height, waiting } = hull;
  for (let i = 0; i < cone.length; i++) {
    const f = cone[i];
    const above = heightAbove(hull, f, p);
    if (above <= 0) continue;
    const head = farthest[f];
    if (head === NONE || above > height[f]) {
      waiting[p] = head;
      farthest[f] = p;
      height[f] = above;
    } else {
      waiting[p] = waiting[head];
      waiting[head] = p;
    }
    return;
  }
}

/** Height of p above facet f in its units: exact sign, rounded size, 0 only in the plane. */
function heightAbove(hull: GrowingHull, f: number, p: number): number {
  const { points, corner, plane } = hull;
  const k = 6 * f;
  const d = 3 * corner[3 * f];
  const x = points[3 * p] - points[d];
  const y = points[3 * p + 1] - points[d + 1];
  const z = points[3 * p + 2] - points[d + 2];
  const height = plane[k] * x + plane[k + 1] * y + plane[k + 2] * z;
  const error =
    ERROR_3D * (plane[k + 3] * Math.abs(x) + plane[k + 4] * Math.abs(y) + plane[k + 5] * Math.abs(z)) + TINY;
  if (height > error || height < -error) return height;
  const sign = orient3d(points, 3 * p, points, 3 * corner[3 * f + 1], points, 3 * corner[3 * f + 2], points, d);
  return sign > 0 ? (height > 0 ? height : Number.MIN_VALUE) : sign < 0 ? -Number.MIN_VALUE : 0;
}

/**
 * Writes the part of orient3d's filter that depends on a, b, c alone: three cofactors and their
 * bounds. The operations are the same, so its proof holds.
 */
function writePlane(plane: Float64Array, at: number, points: Float64Array, a: number, b: number, c: number): void {
  const dx = points[3 * a];
  const dy = points[3 * a + 1];
  const dz = points[3 * a + 2];
  const bx = points[3 * b] - dx;
  const by = points[3 * b + 1] - dy;
  const bz = points[3 * b + 2] - dz;
  const cx = points[3 * c] - dx;
  const cy = points[3 * c + 1] - dy;
  const cz = points[3 * c + 2] - dz;
  plane[at] = by * cz - bz * cy;
  plane[at + 1] = bz * cx - bx * cz;
  plane[at + 2] = bx * cy - by * cx;
  plane[at + 3] = Math.abs(by * cz) + Math.abs(bz * cy) + TINY;
  plane[at + 4] = Math.abs(bz * cx) + Math.abs(bx * cz) + TINY;
  plane[at + 5] = Math.abs(bx * cy) + Math.abs(by * cx) + TINY;
}

function addFacet(hull: GrowingHull, a: number, b: number, c: number): number {
  const f = hull.free.pop() ?? hull.slots++;
  if (f === hull.look.length) grow(hull, 2 * f);
  hull.corner[3 * f] = a;
  hull.corner[3 * f + 1] = b;
  hull.corner[3 * f + 2] = c;
  hull.farthest[f] = NONE;
  writePlane(hull.plane, 6 * f, hull.points, a, b, c);
  return f;
}

function joinEdges(hull: GrowingHull, g: number, h: number): void {
  hull.twin[g] = h;
  hull.twin[h] = g;
}

function grow(hull: GrowingHull, slots: number): void {
  const longer = <A extends Int32Array | Float64Array>(old: A, array: A): A => {
    array.set(old);
    return array;
  };
  hull.corner = longer(hull.corner, new Int32Array(3 * slots));
  hull.twin = longer(hull.twin, new Int32Array(3 * slots));
  hull.plane = longer(hull.plane, new Float64Array(6 * slots));
  hull.farthest = longer(hull.farthest, new Int32Array(slots));
  hull.height = longer(hull.height, new Float64Array(slots));
  hull.look = longer(hull.look, new Int32Array(slots));
}

const facetOf = (h: number): number => (h / 3) | 0;

/** Merges coplanar facets; each face by its extreme points, counter-clockwise, lowest first. */
function polygonalFaces(hull: GrowingHull): number[][] {
  const { corner, twin, slots } = hull;
  const face = new Int32Array(slots).fill(NONE);
  const stack: number[] = [];
  for (let first = 0; first < slots; first++) {
    if (corner[3 * first] === NONE || face[first] !== NONE) continue;
    face[first] = first;
    stack.push(first);
    for (let f = stack.pop(); f !== undefined; f = stack.pop()) {
      for (let h = 3 * f; h < 3 * f + 3; h++) {
        const g = facetOf(twin[h]);
        if (face[g] !== NONE || heightAbove(hull, f, corner[previousInTriangle(twin[h])]) !== 0) continue;
        face[g] = first;
        stack.push(g);
      }
    }
  }
  const isEdge = (h: number) => face[facetOf(h)] !== face[facetOf(twin[h])];
  const facesAt = new Int32Array(hull.waiting.length);
  for (let h = 0; h < 3 * slots; h++) if (corner[h - (h % 3)] !== NONE && isEdge(h)) facesAt[corner[h]]++;

  const faces: number[][] = [];
  const walked = new Uint8Array(3 * slots);
  for (let first = 0; first < 3 * slots; first++) {
    if (corner[first - (first % 3)] === NONE || walked[first] !== 0 || !isEdge(first)) continue;
    const polygon: number[] = [];
    for (let h = first; walked[h] === 0; ) {
      walked[h] = 1;
      if (facesAt[corner[h]] > 2) polygon.push(corner[h]);
      for (h = nextInTriangle(h); !isEdge(h); ) h = nextInTriangle(twin[h]);
    }
    faces.push(fromLowest(polygon));
  }
  return faces;
}

function fromLowest(cycle: number[]): number[] {
  let lowest = 0;
  for (let i = 1; i < cycle.length; i++) if (cycle[i] < cycle[lowest]) lowest = i;
  return lowest === 0 ? cycle : [...cycle.slice(lowest), ...cycle.slice(0, lowest)];
}

function fans(polygons: readonly (readonly number[])[]): Uint32Array {
  const triangles = new Uint32Array(3 * polygons.reduce((sum, polygon) => sum + polygon.length - 2, 0));
  let at = 0;
  for (const polygon of polygons) {
    for (let k = 2; k < polygon.length; k++) {
      triangles[at++] = polygon[0];
      triangles[at++] = polygon[k - 1];
      triangles[at++] = polygon[k];
    }
  }
  return triangles;
}

function cornersOf(polygons: readonly (readonly number[])[], count: number): Uint32Array {
  const isCorner = new Uint8Array(count);
  for (const polygon of polygons) for (const p of polygon) isCorner[p] = 1;
  const corners: number[] = [];
  for (let p = 0; p < count; p++) if (isCorner[p] === 1) corners.push(p);
  return Uint32Array.from(corners);
}
