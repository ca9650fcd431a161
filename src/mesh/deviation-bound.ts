/**
 * A proven and close upper bound of the distance of one surface from another; `measureDeviation`
 * estimates that distance.
 *
 * M. Guthe, P. Borodin, R. Klein, "Fast and accurate Hausdorff distance calculation between
 * meshes", WSCG 2005, section 3: cut the piece with the greatest bound until no bound is far above
 * a distance that was found. A piece's bound is that of M. Tang, M. Lee, Y. Kim, "Interactive
 * Hausdorff Distance Computation for General Polygonal Models", SIGGRAPH 2009, section 4: the
 * distance to one fixed triangle, chosen near it, is convex and so greatest at the piece's corners.
 * The search may stop at any time: the greatest bound left is always valid.
 *
 * Place of a cut. The papers halve a piece across its longest side; this code does so only if it
 * finds nothing better. Mostly one triangle is near one of its corners, and another one near
 * another: a fold, or the edge between two triangles in one plane. The cut then runs from a side's
 * point that is as far from both, and each triangle bounds its own part. Two cuts replace all the
 * halvings that make the pieces along an edge as small as the bound. Triangles measured by halves
 * alone, and so: 420,000 and 140,000 for two smooth surfaces of 5,000 and 131,000 triangles;
 * 5,000,000 without an end and 90,000 for two that are flat to a millionth.
 *
 * Proof of the bound, with the letters of face-bound.ts. Corners are v, w of the `from` triangle A,
 * b, c. Claim: after k cuts, every point of the triangle is that of a v, w within (20 + 4 k) u, in
 * both, of one in a piece that answers for it. 20 u are the error of the initial pieces. A cut
 * replaces the side p q by p m, m q, where m is computed as p + s (q - p), three roundings of
 * numbers up to 1: 4 u, with room. The affine map of the half with the exact p + s (q - p) to the
 * half with m moves no point farther than that. The two exact halves cover the piece. A half
 * answers for no more than its piece did, so a bound of the piece holds for the half, too.
 *
 * S = v b + w c is off by 3 u X in a coordinate, X the greater of |b|, |c|, and by the claim:
 *   (20 + 4 k) u (|b| + |c|).
 * P and the edges relative to A have one rounding, the foot is off by 12 u Y, the difference by u
 * (X + Y). So (64 + 4 k) u times the sums of |b|, |c|, and of the face's, over the coordinates, is
 * more. The choice of the near triangle, and of the cuts, are guesses and no part of the proof.
 */
import {
  CORNER_SIZE,
  EDGE_1,
  EDGE_2,
  EDGES_SIZE,
  FACE,
  farthestSquared,
  finishFace,
  LARGEST_COORDINATE,
} from '../geometry/face-bound.ts';
import type { Surface } from './topology.ts';
import { TriangleTree } from './triangle-tree.ts';

export interface Target {
  surface: Surface;
  /** The surface's tree, all coordinates times `scale`. */
  readonly tree: TriangleTree;
  /** A power of two that makes coordinates about 1: at 1e77 the tree's fourth powers overflow. */
  scale: number;
}

/** As the effort rises from `from` to `to`, the search's `within` rises to this one. */
export interface Patience {
  from: number;
  to: number;
  within: number;
}

interface DeviationBoundOptions {
  /** The search ends at a bound of at most this times a distance found; 1.05 by default. */
  within?: number;
  /** The search also ends at a bound of at most this; 0 by default. */
  enough?: number;
  /** A known distance between the two; 0 by default. */
  found?: number;
  /** Approximate limit of measured triangles of the target; 5,000,000 by default. */
  effort?: number;
  /** Loosens `within` with the effort; never by default. */
  patience?: Patience | undefined;
  /** Known bounds per triangle of `from`. Not together with `charges`. */
  known?: Float64Array | undefined;
  /** Parts of `from` to examine, with known bounds; all of it by default. */
  pieces?: Pieces | undefined;
  /** Per triangle of the target: raised to the bound of every piece newly laid on it. */
  charges?: Float64Array | undefined;
}

interface DeviationBound {
  /** Proved: no point of `from` is farther from the target. */
  upper: number;
  /** The greatest distance found, up to rounding. */
  lower: number;
  effort: number;
  /** With `charges`, which begin below 0: the raised triangles, ascending. */
  charged?: Int32Array;
}

const U = 2 ** -53;
/** Rounding of a bound, in units of U: of an uncut piece, and for each cut. */
const PAD = 64;
const PAD_OF_CUT = 4;
const RELATIVE = 1 + 8 * U;
const LEAST = 2 ** -500;
const MOST_CUTS = 200;
const EFFORT = 5_000_000;
/** A point's distance from its triangle that is near enough, relative to the goal. */
const NEAR = 0.5;
/** Hash table of cells of space, of half the length of the goal. */
const CELLS = 1 << 14;
/** Least share of a side that a cut leaves at either end. */
const LEAST_SHARE = 1 / 8;
const MOST_STEPS = 12;

/** @throws RangeError for a surface without a triangle */
export function createTarget(surface: Surface): Target {
  if (surface.triangles.length === 0) throw new RangeError('a target needs at least one triangle');
  const { positions, triangles } = surface;
  let largest = 0;
  for (let i = 0; i < positions.length; i++) if (Math.abs(positions[i]) > largest) largest = Math.abs(positions[i]);
  let scale = 1;
  while (largest * scale > 1 && scale > 2 ** -600) scale /= 2;
  while (largest * scale < 0.5 && scale < 2 ** 600) scale *= 2;
  let tree: TriangleTree | null = null;
  return {
    surface,
    scale,
    get tree() {
      tree ??= new TriangleTree({ positions: scale === 1 ? positions : times(positions, scale), triangles });
      return tree;
    },
  };
}

function times(positions: Float64Array, scale: number): Float64Array {
  const scaled = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i++) scaled[i] = scale * positions[i];
  return scaled;
}

/**
 * @param from triangles of any shape, segments and points among them
 * @throws RangeError if a coordinate of `from` is beyond 2^202 or not finite
 */
export function boundDeviation(from: Surface, target: Target, options: DeviationBoundOptions = {}): DeviationBound {
  const { within = 1.05, enough = 0, found = 0, effort = EFFORT, charges } = options;
  requireRange(from);
  const count = from.triangles.length / 3;
  const pieces = options.pieces ?? wholeTriangles(count, options.known);
  if (pieces.count === 0) return { upper: 0, lower: found, effort: 0 };
  const queue = new PieceQueue(from, target, { within, enough, patience: options.patience }, pieces);
  queue.lower = found;
  while (queue.effort < effort || queue.bound === Number.POSITIVE_INFINITY) {
    if (queue.bound <= enough && !charges) break;
    if (!queue.isLooked) queue.look();
    else if (queue.bound <= queue.goal || !queue.improve()) break;
  }
  const bound = { upper: queue.bound, lower: queue.lower, effort: queue.effort };
  return charges ? { ...bound, charged: queue.charge(charges) } : bound;
}

function wholeTriangles(count: number, known: Float64Array | undefined): Pieces {
  const corners = new Float64Array(6 * count);
  for (let at = 0; at < corners.length; at += 6) corners[at + 2] = corners[at + 5] = 1;
  return {
    count,
    triangle: Int32Array.from({ length: count }, (_, t) => t),
    corners,
    bound: known ? known.slice() : new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    laidOn: new Int32Array(count).fill(-1),
  };
}

function requireRange({ positions, triangles }: Surface): void {
  for (let i = 0; i < triangles.length; i++) {
    for (let c = 3 * triangles[i]; c < 3 * triangles[i] + 3; c++) {
      if (!(Math.abs(positions[c]) <= LARGEST_COORDINATE)) {
        throw new RangeError(`expected coordinates up to ${LARGEST_COORDINATE}, found ${positions[c]}`);
      }
    }
  }
}

/** Triangles of the target relative to A: the one in question, and the one near a corner. */
const faces = new Float64Array(2 * FACE);
const edges = new Float64Array(6);
const points = new Float64Array(12);
const probe = new Float64Array(3);
const cornerDistances = new Float64Array(3);

interface Content {
  enough: number;
  within: number;
  patience: Patience | undefined;
}

class PieceQueue {
  lower = 0;
  readonly #from: Surface;
  readonly #target: Target;
  #count: number;
  /** Size of the heap: one less than there are pieces while one is being made. */
  #size: number;
  #heap: Int32Array;
  /** Per piece; corners as v and w; `laidOn` is the target's triangle that bounds it, or -1. */
  #bound: Float64Array;
  #triangle: Int32Array;
  #corners: Float64Array;
  #laidOn: Int32Array;
  /** The first `laidOn`. */
  #home: Int32Array;
  /** A near enough triangle of the target for each corner; -1 until needed. */
  #near: Int32Array;
  #cuts: Uint8Array;
  readonly #content: Content;
  /** The triangle that was nearest to the last point in a cell, or -1. */
  readonly #lastIn = new Int32Array(CELLS).fill(-1);
  #laid = 0;
  readonly #measured: number;
  /** The most that rounding alone has added to a bound. */
  #pad = 0;

  /** @param pieces their arrays are written to */
  constructor(from: Surface, target: Target, content: Content, pieces: Pieces) {
    this.#from = from;
    this.#target = target;
    this.#content = content;
    this.#measured = target.tree.measured;
    const { count } = pieces;
    this.#count = count;
    this.#size = count;
    this.#bound = pieces.bound;
    this.#triangle = pieces.triangle;
    this.#corners = pieces.corners;
    this.#laidOn = pieces.laidOn;
    this.#home = pieces.laidOn.slice();
    this.#heap = new Int32Array(this.#bound.length);
    this.#near = new Int32Array(3 * this.#bound.length).fill(-1);
    this.#cuts = new Uint8Array(this.#bound.length);
    for (let piece = 0; piece < count; piece++) this.#heap[piece] = piece;
    for (let slot = (count >> 1) - 1; slot >= 0; slot--) this.#sink(slot);
  }

  get bound(): number {
    return this.#bound[this.#heap[0]];
  }

  get effort(): number {
    return this.#laid + this.#target.tree.measured - this.#measured;
  }

  get isLooked(): boolean {
    return this.#laidOn[this.#heap[0]] >= 0;
  }

  look(): void {
    const piece = this.#heap[0];
    const a = this.#place(piece);
    this.#layOn(piece, a, this.#nearest(a, 3, -1));
    this.#sink(0);
  }

  /** Lowers the top piece's bound or cuts it; false if it is too small, or all but rounding. */
  improve(): boolean {
    const piece = this.#heap[0];
    if (this.#cuts[piece] >= MOST_CUTS || this.#bound[piece] <= 2 * this.#pad) return false;
    const a = this.#place(piece);
    const laidOn = this.#laidOn[piece];
    const before = this.#bound[piece];
    this.#setFace(0, a, laidOn);
    const corner = farthestCorner();
    for (let k = corner; k < corner + 3; k++) {
      const at = 3 * piece + (k % 3);
      if (k > corner && !(cornerDistances[k % 3] > before / 2)) continue;
      if (this.#near[at] < 0) this.#near[at] = this.#nearest(a, k % 3, laidOn);
      if (this.#near[at] !== laidOn) this.#layOn(piece, a, this.#near[at]);
      if (this.#bound[piece] < before) break;
    }
    if (this.#bound[piece] === before) {
      if (this.#cut(piece, a, corner, this.#near[3 * piece + corner])) return true;
      // A point among the pieces has the bound of the polygon that it was cut from.
      this.#layOn(piece, a, laidOn);
      if (this.#bound[piece] === before) return false;
    }
    this.#sink(0);
    return true;
  }

  /**
   * Cuts a piece from one corner to a point of the side across. The point is as far from `near` as
   * from `laidOn` if each of them is nearer at one end of the side.
   */
  #cut(piece: number, a: number, corner: number, near: number): boolean {
    const longest = longestSide();
    if (longest < 0) return false;
    let from = longest;
    let to = longest === 2 ? 0 : longest + 1;
    let share = 0.5;
    const laidOn = this.#laidOn[piece];
    if (near !== laidOn) {
      this.#setFace(0, a, laidOn);
      this.#setFace(FACE, a, near);
      const end = crossedSide(corner, this.goal);
      if (end >= 0) {
        from = end;
        to = corner;
        share = crossing(from, to, this.goal);
      }
    }
    this.#ensure();
    const other = this.#count++;
    this.#copy(piece, other);
    const corners = this.#corners;
    for (let k = 0; k < 2; k++) {
      const p = corners[6 * piece + 2 * from + k];
      const point = p + share * (corners[6 * piece + 2 * to + k] - p);
      corners[6 * piece + 2 * to + k] = point;
      corners[6 * other + 2 * from + k] = point;
    }
    this.#near[3 * piece + to] = this.#near[3 * other + from] = -1;
    this.#cuts[other] = ++this.#cuts[piece];
    this.#bind(other, near);
    this.#bind(piece, near);
    this.#sink(0);
    this.#heap[this.#size] = other;
    this.#rise(this.#size++);
    return true;
  }

  #copy(piece: number, other: number): void {
    this.#corners.copyWithin(6 * other, 6 * piece, 6 * piece + 6);
    this.#near.copyWithin(3 * other, 3 * piece, 3 * piece + 3);
    this.#bound[other] = this.#bound[piece];
    this.#triangle[other] = this.#triangle[piece];
    this.#laidOn[other] = this.#laidOn[piece];
    this.#home[other] = this.#home[piece];
    this.#cuts[other] = this.#cuts[piece];
  }

  #bind(piece: number, near: number): void {
    const a = this.#place(piece);
    const before = this.#laidOn[piece];
    this.#layOn(piece, a, before);
    if (near !== before && this.#bound[piece] > this.goal) this.#layOn(piece, a, near);
    for (let at = 3 * piece; at < 3 * piece + 3 && this.#bound[piece] > this.goal; at++) {
      const own = this.#near[at];
      if (own >= 0 && own !== before && own !== near) this.#layOn(piece, a, own);
    }
  }

  charge(charges: Float64Array): Int32Array {
    const charged: number[] = [];
    for (let piece = 0; piece < this.#count; piece++) {
      const t = this.#laidOn[piece];
      if (t === this.#home[piece]) continue;
      if (charges[t] < 0) charged.push(t);
      if (this.#bound[piece] > charges[t]) charges[t] = this.#bound[piece];
    }
    return Int32Array.from(charged).sort();
  }

  #place(piece: number): number {
    const { positions, triangles } = this.#from;
    const corners = this.#corners;
    const at = 6 * piece;
    const t = 3 * this.#triangle[piece];
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    for (let k = 0; k < 3; k++) {
      const toB = positions[b + k] - positions[a + k];
      const toC = positions[c + k] - positions[a + k];
      edges[k] = toB;
      edges[3 + k] = toC;
      for (let i = 0; i < 3; i++) points[3 * i + k] = corners[at + 2 * i] * toB + corners[at + 2 * i + 1] * toC;
      points[9 + k] = (points[k] + points[3 + k] + points[6 + k]) / 3;
    }
    return a;
  }

  #nearest(a: number, point: number, first: number): number {
    const { tree, scale } = this.#target;
    const { positions } = this.#from;
    const x = positions[a] + points[3 * point];
    const y = positions[a + 1] + points[3 * point + 1];
    const z = positions[a + 2] + points[3 * point + 2];
    const cell = cellOf(x, y, z, this.goal / 2);
    // Pieces of different triangles share a place: a third of the measurements in a tangle.
    const begin = this.#lastIn[cell] < 0 ? first : this.#lastIn[cell];
    if (begin >= 0) tree.beginWith(begin);
    const enough = NEAR * this.goal * scale;
    const distance2 = tree.closestDistanceSquared(scale * x, scale * y, scale * z, enough * enough);
    // A near enough triangle need not be the nearest.
    if (distance2 > enough * enough) this.lower = Math.max(this.lower, Math.sqrt(distance2) / scale);
    this.#lastIn[cell] = tree.closestTriangle;
    return tree.closestTriangle;
  }

  get goal(): number {
    const { enough, within, patience } = this.#content;
    if (!patience) return Math.max(enough, within * this.lower);
    const { from, to } = patience;
    const spent = Math.max(0, Math.min(1, (this.effort - from) / (to - from)));
    return Math.max(enough, (within + spent * (patience.within - within)) * this.lower);
  }

  #setFace(at: number, a: number, t: number): void {
    const { surface } = this.#target;
    const { positions } = this.#from;
    const p = 3 * surface.triangles[3 * t];
    const q = 3 * surface.triangles[3 * t + 1];
    const r = 3 * surface.triangles[3 * t + 2];
    for (let k = 0; k < 3; k++) {
      faces[at + k] = surface.positions[p + k] - positions[a + k];
      faces[at + EDGE_1 + k] = surface.positions[q + k] - surface.positions[p + k];
      faces[at + EDGE_2 + k] = surface.positions[r + k] - surface.positions[p + k];
    }
    finishFace(faces, at);
  }

  #layOn(piece: number, a: number, t: number): void {
    this.#setFace(0, a, t);
    this.#laid++;
    let size = 0;
    for (let k = 0; k < 6; k++) size += Math.abs(edges[k]);
    const units = PAD + PAD_OF_CUT * this.#cuts[piece];
    const pad = units * U * (size + faces[CORNER_SIZE] + faces[EDGES_SIZE]) + LEAST;
    this.#pad = Math.max(this.#pad, pad);
    const bound = (Math.sqrt(farthestSquared(points, 3, faces, 0)) + pad) * RELATIVE;
    if (bound < this.#bound[piece]) {
      this.#bound[piece] = bound;
      this.#laidOn[piece] = t;
    } else if (this.#laidOn[piece] < 0) {
      this.#laidOn[piece] = t;
    }
  }

  #sink(slot: number): void {
    const heap = this.#heap;
    const bound = this.#bound;
    const piece = heap[slot];
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && bound[heap[child + 1]] > bound[heap[child]]) child++;
      if (!(bound[heap[child]] > bound[piece])) break;
      heap[slot] = heap[child];
      slot = child;
    }
    heap[slot] = piece;
  }

  #rise(slot: number): void {
    const heap = this.#heap;
    const bound = this.#bound;
    const piece = heap[slot];
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if (!(bound[piece] > bound[heap[parent]])) break;
      heap[slot] = heap[parent];
      slot = parent;
    }
    heap[slot] = piece;
  }

  #ensure(): void {
    if (this.#count < this.#heap.length) return;
    const capacity = Math.max(64, 2 * this.#count);
    this.#heap = enlarged(this.#heap, new Int32Array(capacity));
    this.#bound = enlarged(this.#bound, new Float64Array(capacity));
    this.#triangle = enlarged(this.#triangle, new Int32Array(capacity));
    this.#corners = enlarged(this.#corners, new Float64Array(6 * capacity));
    this.#laidOn = enlarged(this.#laidOn, new Int32Array(capacity));
    this.#home = enlarged(this.#home, new Int32Array(capacity));
    this.#near = enlarged(this.#near, new Int32Array(3 * capacity));
    this.#cuts = enlarged(this.#cuts, new Uint8Array(capacity));
  }
}

/** Primes of M. Teschner et al., "Optimized Spatial Hashing", VMV 2003, section 3.2. */
function cellOf(x: number, y: number, z: number, side: number): number {
  const hash =
    Math.imul(Math.floor(x / side), 73856093) ^
    Math.imul(Math.floor(y / side), 19349663) ^
    Math.imul(Math.floor(z / side), 83492791);
  return hash & (CELLS - 1);
}

function distanceTo(face: number, point: number): number {
  for (let k = 0; k < 3; k++) probe[k] = points[3 * point + k];
  return Math.sqrt(farthestSquared(probe, 1, faces, face));
}

function farthestCorner(): number {
  for (let corner = 0; corner < 3; corner++) cornerDistances[corner] = distanceTo(0, corner);
  const [p, q, r] = cornerDistances;
  return p >= q && p >= r ? 0 : q >= r ? 1 : 2;
}

function squaredLength(p: number, q: number): number {
  const x = points[3 * p] - points[3 * q];
  const y = points[3 * p + 1] - points[3 * q + 1];
  const z = points[3 * p + 2] - points[3 * q + 2];
  return x * x + y * y + z * z;
}

function longestSide(): number {
  let longest = -1;
  let most = 0;
  for (let p = 0; p < 3; p++) {
    const length2 = squaredLength(p, p === 2 ? 0 : p + 1);
    if (length2 > most) {
      most = length2;
      longest = p;
    }
  }
  return longest;
}

/** Returns the far end of the longer side at a corner along which `faces` change places, or -1. */
function crossedSide(corner: number, goal: number): number {
  let end = -1;
  let most = 0;
  for (let p = 0; p < 3; p++) {
    if (p === corner) continue;
    const length2 = squaredLength(p, corner);
    if (length2 <= most) continue;
    const second = distanceTo(FACE, p);
    if (second > goal && distanceTo(0, p) < second) {
      most = length2;
      end = p;
    }
  }
  return end;
}

/**
 * The share of a side at which both triangles in `faces` are as far, within goal / 8 if that is
 * soon found. The first is nearer at the side's beginning, the second at its end. Illinois rule (M.
 * Dowell, P. Jarratt, "A modified regula falsi method", 1971).
 */
function crossing(from: number, to: number, goal: number): number {
  let low = 0;
  let high = 1;
  let atLow = distanceTo(0, from) - distanceTo(FACE, from);
  let atHigh = distanceTo(0, to) - distanceTo(FACE, to);
  let share = 0.5;
  let side = 0;
  for (let step = 0; step < MOST_STEPS; step++) {
    share = low + (high - low) * (atLow / (atLow - atHigh));
    for (let k = 0; k < 3; k++)
      points[9 + k] = points[3 * from + k] + share * (points[3 * to + k] - points[3 * from + k]);
    const first = distanceTo(0, 3);
    const value = first - distanceTo(FACE, 3);
    if (Math.abs(value) <= goal / 8) {
      if (first <= goal) return share;
      break;
    }
    if (value < 0) {
      low = share;
      atLow = value;
      if (side < 0) atHigh /= 2;
      side = -1;
    } else {
      high = share;
      atHigh = value;
      if (side > 0) atLow /= 2;
      side = 1;
    }
  }
  return Math.max(LEAST_SHARE, Math.min(1 - LEAST_SHARE, share));
}

/** Pieces of a surface's triangles with known distances; `boundDeviation` may begin from them. */
export interface Pieces {
  count: number;
  /** The surface's triangle that holds each piece. */
  triangle: Int32Array;
  /** v, w of three corners, A + v b + w c, each off by 20 * 2^-53 at most. */
  corners: Float64Array;
  /** Proved: no point of the piece is farther from the target. */
  bound: Float64Array;
  /** A triangle of the target near the piece, or -1. */
  laidOn: Int32Array;
}

/** Pieces whose bounds are above a limit, up to the list's room. */
export class PieceList implements Pieces {
  count = 0;
  triangle: Int32Array;
  corners: Float64Array;
  bound: Float64Array;
  laidOn: Int32Array;
  /** The greatest bound among those left out. */
  rest = 0;
  readonly limit: number;
  readonly #most: number;

  constructor(limit: number, most: number) {
    this.limit = limit;
    this.#most = most;
    const room = 1024;
    this.triangle = new Int32Array(room);
    this.corners = new Float64Array(6 * room);
    this.bound = new Float64Array(room);
    this.laidOn = new Int32Array(room);
  }

  /** Adds a convex polygon of a triangle, v and w of each corner, if above the limit. */
  add(triangle: number, polygon: Float64Array, corners: number, bound: number, laidOn: number): void {
    if (!(bound > this.limit) || this.count + corners > this.#most) {
      this.rest = Math.max(this.rest, bound);
      return;
    }
    if (this.count + corners > this.bound.length) this.#grow();
    for (let k = 1; k + 1 < corners; k++) {
      const to = 6 * this.count;
      for (let i = 0; i < 2; i++) {
        this.corners[to + i] = polygon[i];
        this.corners[to + 2 + i] = polygon[2 * k + i];
        this.corners[to + 4 + i] = polygon[2 * k + 2 + i];
      }
      this.triangle[this.count] = triangle;
      this.bound[this.count] = bound;
      this.laidOn[this.count++] = laidOn;
    }
  }

  #grow(): void {
    const room = 2 * this.bound.length;
    this.triangle = enlarged(this.triangle, new Int32Array(room));
    this.corners = enlarged(this.corners, new Float64Array(6 * room));
    this.bound = enlarged(this.bound, new Float64Array(room));
    this.laidOn = enlarged(this.laidOn, new Int32Array(room));
  }
}

export function enlarged<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
