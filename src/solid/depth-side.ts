/**
 * One of two solids in the search for depths: distances of its surface, sides of points, and
 * triangles just outside of it.
 */
import { findClosest } from '../engine/closest.ts';
import { relativePose } from '../engine/pair-kernel.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { pointTriangle, triangleNormal } from '../geometry/triangle.ts';
import { trianglesIntersectAt } from '../geometry/triangle-triangle.ts';
import { identity, movePoint, type Pose } from '../math/pose.ts';
import type { TriangleTree } from '../mesh/triangle-tree.ts';
import { type ConvexCell, MOST_CORNERS } from './convex-cell.ts';
import { belowAll } from './erode.ts';
import { lone, moveErrorOf, nearestTree, type PlacedBody, trianglesAround, volumeIn } from './solid.ts';
import { windingAbout } from './winding.ts';

const UNMOVED = identity();
const NO_SIDES = new Float64Array(0);
const exactly = { distance: true, clearance: 0, deadline: Number.POSITIVE_INFINITY };
const own = new Float64Array(3);
/** A box, a vector and its least product, in the asset's frame, for TriangleTree.overlap. */
const ownBox = new Float64Array(6);
const along = new Float64Array(3);
const least = new Float64Array(1);
/** A box and half-spaces (a vector and its largest product) in the common frame. */
const low = new Float64Array(3);
const high = new Float64Array(3);
const MOST_SIDES = 64;
const sides = new Float64Array(4 * MOST_SIDES);
let sideCount = 0;
/** The last half-space that a triangle was beyond, and those that cut one. */
let beyond = 0;
const cutting: number[] = [];
/** For edges between corners: the last query in which their face looked ahead. */
const isAhead = new Float64Array(MOST_CORNERS * MOST_CORNERS);
let stamp = 0;
/** A triangle clipped by the half-spaces, before and after one of them. */
let polygon = new Float64Array(6 * MOST_SIDES);
let clipped = new Float64Array(6 * MOST_SIDES);

const MOST_TRIES = 8;

/** Axis-aligned in the common frame. */
export interface Range {
  low: Float64Array;
  high: Float64Array;
}

interface Tried {
  tries: number;
  sheets: number[];
}

export class DepthSide {
  /** The last nearest triangle, its nearest point, and the approximate distance. */
  triangle = 0;
  readonly point = new Float64Array(3);
  distance = 0;
  /** A lower bound of the moved surface's distance. */
  surely = 0;
  private readonly tree: TriangleTree;
  private readonly back: Pose;
  private readonly shortest: number;
  /** Errors of a distance in the asset's frame, and in the common frame. */
  private readonly coarse: number;
  private readonly slack: number;
  private readonly tried = new Map<number, Tried>();
  /** -1 if triangles face into the solid. */
  private readonly facing: number;
  private atNearest: number[] | null = null;

  /** @param sheets receives triangles outside of the solid, for both sides */
  constructor(
    readonly placed: PlacedBody,
    private readonly sheets: Float64Array[],
    size: number,
  ) {
    const { body, pose } = placed;
    this.tree = nearestTree(body);
    this.tree.forget();
    const { map, norm } = relativePose(pose, UNMOVED, 0, 0);
    this.back = Float64Array.of(...map, 0, 0, 0, 1);
    this.shortest = (1 / norm) * (1 - 2 ** -40);
    this.facing = volumeIn(body) < 0 ? -1 : 1;
    const { box } = body;
    const diagonal = box[3] - box[0] + (box[4] - box[1]) + (box[5] - box[2]);
    const isUsual = diagonal > 1e-60 && size < 1e60;
    // TriangleTree's slivers have a height of less than 1e-8 of a side. The normal of any other
    // triangle is within 2^-50 / 1e-8 of the exact one. Both are far below 2^-16 of the body.
    this.coarse = isUsual ? 2 ** -16 * diagonal : Number.POSITIVE_INFINITY;
    this.slack = moveErrorOf(placed) + 2 ** -40 * size;
    this.offset = 2 ** -30 * diagonal + 2 ** -46 * size;
  }

  /** The distance of sheets from the surface. */
  readonly offset: number;

  approach(x: number, y: number, z: number): void {
    movePoint(this.back, x, y, z, own, 0);
    const far = Math.sqrt(this.tree.closestDistanceSquared(own[0], own[1], own[2]));
    this.triangle = this.tree.closestTriangle;
    this.atNearest = null;
    this.distance = pointTriangle(this.placed.load(this.triangle).points, 0, x, y, z, this.point);
    const surely = (far * (1 - 2 ** -16) - this.coarse) * this.shortest - this.slack;
    this.surely = surely > 0 ? surely : 0;
  }

  /**
   * Finds a plane near the nearest triangle, with nothing of the solid above it. That holds within
   * a cell, and where its points come by moving up to `by` along the plane's vector, no shorter
   * than 1. So the solid in the cell is no deeper than `by`, or than its height below the plane.
   * The plane's product is its greatest with the solid, or -Infinity if all of the cell is outside.
   * Undefined if the aim is more than `limit` below every plane; `inTheWay` is then the triangle
   * above.
   *
   * @param aim the last approached point
   * @param rim bounds everything of interest
   */
  planeOver(
    cell: ConvexCell,
    aim: Float64Array,
    by: number,
    rim: Range | null,
    limit: number,
  ): Float64Array | undefined {
    this.inTheWay = -1;
    const { normal } = this.facingTriangle(aim);
    if (!normal) return undefined;
    const plane = new Float64Array(4);
    for (let k = 0; k < 3; k++) plane[k] = normal[k] * (1 + 2 ** -48);
    this.enter(cell, plane, by, rim);
    const height = this.supportIn(plane, product(plane, aim, 0) + limit);
    if (height === Number.POSITIVE_INFINITY) return undefined;
    // No surface is met above the plane, so one point outside proves the rest.
    let highest = 0;
    for (let k = 0; k < 3; k++) highest += plane[k] * (plane[k] > 0 ? high[k] : low[k]);
    if (highest > height && !this.isOutsideAbove(plane, height, cell, by, rim)) return undefined;
    plane[3] = height;
    return plane;
  }

  /** The triangle above the last plane that failed. */
  inTheWay = -1;

  /** True if a point above a plane, reached by a moving point of the cell, is outside. */
  private isOutsideAbove(
    plane: Float64Array,
    height: number,
    { corners }: ConvexCell,
    by: number,
    rim: Range | null,
  ): boolean {
    const moved = new Float64Array(3);
    for (let v = 0; v < corners.length; v += 3) {
      let way = by;
      for (let k = 0; k < 3 && rim; k++) {
        const left = (plane[k] > 0 ? rim.high[k] : rim.low[k]) - corners[v + k];
        if (plane[k] !== 0 && left / plane[k] < way) way = Math.max(0, left / plane[k]);
      }
      for (let k = 0; k < 3; k++) moved[k] = corners[v + k] + way * plane[k];
      if (product(plane, moved, 0) > height) return this.isOutside(moved);
    }
    return false;
  }

  /**
   * Sets `sides`, `low`, `high` to the space of a cell's points moved along a vector to the rim.
   */
  private enter({ corners, faces }: ConvexCell, plane: Float64Array, by: number, rim: Range | null): void {
    for (let k = 0; k < 3; k++) {
      low[k] = Number.POSITIVE_INFINITY;
      high[k] = Number.NEGATIVE_INFINITY;
      for (let v = k; v < corners.length; v += 3) {
        low[k] = Math.min(low[k], corners[v]);
        high[k] = Math.max(high[k], corners[v]);
      }
      if (plane[k] < 0) low[k] += by * plane[k];
      else high[k] += by * plane[k];
      if (rim && low[k] < rim.low[k]) low[k] = rim.low[k];
      if (rim && high[k] > rim.high[k]) high[k] = rim.high[k];
    }
    sideCount = 0;
    beyond = 0;
    stamp++;
    for (const { normal, ring } of faces) {
      const ahead = normal[0] * plane[0] + normal[1] * plane[1] + normal[2] * plane[2];
      this.addSide(normal[0], normal[1], normal[2], corners, by * ahead);
      if (!(ahead > 0)) continue;
      for (let i = 0; i < ring.length; i++) isAhead[MOST_CORNERS * ring[i] + ring[(i + 1) % ring.length]] = stamp;
    }
    if (by === 0) return;
    // An edge with one face that looks ahead sweeps a side of its own.
    for (const { ring } of faces) {
      for (let i = 0; i < ring.length; i++) {
        const [from, to] = [ring[i], ring[(i + 1) % ring.length]];
        if (isAhead[MOST_CORNERS * from + to] !== stamp || isAhead[MOST_CORNERS * to + from] === stamp) continue;
        this.addSideOfEdge(corners, 3 * from, 3 * to, plane, by);
      }
    }
  }

  private addSideOfEdge(corners: Float64Array, from: number, to: number, plane: Float64Array, by: number): void {
    const ex = corners[to] - corners[from];
    const ey = corners[to + 1] - corners[from + 1];
    const ez = corners[to + 2] - corners[from + 2];
    let x = ey * plane[2] - ez * plane[1];
    let y = ez * plane[0] - ex * plane[2];
    let z = ex * plane[1] - ey * plane[0];
    const length = Math.sqrt(x * x + y * y + z * z);
    if (!(length > this.slack) || sideCount === MOST_SIDES) return;
    x /= length;
    y /= length;
    z /= length;
    // Almost none; more if the edge is nearly along the vector.
    const ahead = x * plane[0] + y * plane[1] + z * plane[2];
    this.addSide(x, y, z, corners, by * ahead);
  }

  private addSide(x: number, y: number, z: number, corners: Float64Array, by: number): void {
    const at = 4 * sideCount++;
    sides[at] = x;
    sides[at + 1] = y;
    sides[at + 2] = z;
    sides[at + 3] = topOf(corners, corners.length / 3, x, y, z) + Math.max(0, by) + 8 * this.slack;
  }

  /** An upper bound of products of triangles in the space of `enter`; Infinity above `limit`. */
  private supportIn(direction: Float64Array, limit: number): number {
    const { slack } = this;
    const { load, pose } = this.placed;
    const [nx, ny, nz] = direction;
    this.moveBack();
    // A moved point's product is that of its own with `along`, and the translation's.
    for (let k = 0; k < 3; k++) along[k] = product(direction, [pose[k], pose[4 + k], pose[8 + k]], 0);
    const shift = product(direction, [pose[3], pose[7], pose[11]], 0) + 4 * this.slack;
    let most = Number.NEGATIVE_INFINITY;
    least[0] = most;
    this.tree.overlap(ownBox, along, least, this.sidesMovedBack(), (triangle) => {
      const { points } = load(triangle);
      let top = topOf(points, 3, nx, ny, nz);
      if (top <= most || isBeyondBox(points, slack)) return true;
      top = topInside(points, nx, ny, nz);
      if (top <= most) return true;
      most = top;
      least[0] = most - shift;
      if (most > limit) this.inTheWay = triangle;
      return most <= limit;
    });
    return most > limit ? Number.POSITIVE_INFINITY : most + this.slack;
  }

  /** A plane above a triangle in the way, by `spare`: a unit vector and its product. */
  planeOf(triangle: number, spare: number): { normal: number[]; at: number } | undefined {
    const normal = this.normalOf(triangle);
    if (!normal) return undefined;
    const { points } = this.placed.load(triangle);
    let at = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < 9; c += 3) at = Math.max(at, product(normal, points, c));
    return { normal, at: at + spare };
  }

  private isMet(sheet: Float64Array): boolean {
    const { load } = this.placed;
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(sheet[k], sheet[k + 3], sheet[k + 6]);
      high[k] = Math.max(sheet[k], sheet[k + 3], sheet[k + 6]);
    }
    this.moveBack();
    along.fill(0);
    least[0] = -1;
    let isMet = false;
    this.tree.overlap(ownBox, along, least, NO_SIDES, (triangle) => {
      isMet = trianglesIntersectAt(sheet, 0, load(triangle).points, 0);
      return !isMet;
    });
    return isMet;
  }

  /** Sets `ownBox` to a box that holds the common frame's. */
  private moveBack(): void {
    const { back } = this;
    const spare = 4 * this.slack;
    for (let i = 0; i < 3; i++) {
      let middle = back[4 * i + 3];
      let half = spare;
      for (let k = 0; k < 3; k++) {
        const entry = back[4 * i + k];
        middle += entry * (low[k] / 2 + high[k] / 2);
        half += Math.abs(entry) * (high[k] / 2 - low[k] / 2);
      }
      half *= 1 + 2 ** -40;
      ownBox[i] = middle - half;
      ownBox[3 + i] = middle + half;
    }
  }

  private sidesMovedBack(): Float64Array {
    const { pose } = this.placed;
    const back = new Float64Array(4 * sideCount);
    for (let i = 0; i < back.length; i += 4) {
      const [x, y, z] = [sides[i], sides[i + 1], sides[i + 2]];
      for (let k = 0; k < 3; k++) back[i + k] = x * pose[k] + y * pose[4 + k] + z * pose[8 + k];
      back[i + 3] = sides[i + 3] - (x * pose[3] + y * pose[7] + z * pose[11]) + 4 * this.slack;
    }
    return back;
  }

  /** A point at this depth from the nearest surface point; undefined without a way in. */
  pointBelow(from: Float64Array, by: number): Float64Array | undefined {
    const normals: number[][] = [];
    for (const triangle of this.trianglesAt(from)) {
      const normal = this.normalOf(triangle);
      if (normal) normals.push(normal);
    }
    const way = belowAll(normals);
    return way && Float64Array.from(way, (x, k) => this.point[k] + by * x);
  }

  /** Height of the last approached point above its triangles; positive if probably outside. */
  heightAbove(from: Float64Array): number {
    return this.facingTriangle(from).height;
  }

  /**
   * The triangle whose plane `from` is highest above. Beyond a sharp edge a point may be below one
   * plane, but not below both.
   */
  private facingTriangle(from: Float64Array): { normal: number[] | undefined; height: number } {
    let best: { normal: number[] | undefined; height: number } = { normal: undefined, height: 0 };
    for (const triangle of this.trianglesAt(from)) {
      const normal = this.normalOf(triangle);
      if (!normal) continue;
      let height = 0;
      for (let k = 0; k < 3; k++) height += normal[k] * (from[k] - this.point[k]);
      if (!best.normal || height > best.height) best = { normal, height };
    }
    return best;
  }

  /** Away from the solid. */
  private normalOf(triangle: number): number[] | undefined {
    const normal = triangleNormal(this.placed.load(triangle).points);
    return this.facing < 0 ? normal?.map((x) => -x) : normal;
  }

  private trianglesAt(from: Float64Array): number[] {
    if (this.atNearest) return this.atNearest;
    const { triangle, distance } = this;
    const found = [triangle];
    this.atNearest = found;
    const normal = triangleNormal(this.placed.load(triangle).points);
    let height = 0;
    if (normal) for (let k = 0; k < 3; k++) height += normal[k] * (from[k] - this.point[k]);
    // Above or below its inside there is no other.
    if (Math.abs(height) > distance * (1 - 2 ** -30) && distance > this.slack) return found;
    const { shells } = this.placed.body;
    const { firstAround, around } = trianglesAround(this.placed.body);
    for (let c = 3 * triangle; c < 3 * triangle + 3; c++) {
      const v = shells.corners[c];
      for (let i = firstAround[v]; i < firstAround[v + 1]; i++) {
        if (found.includes(around[i])) continue;
        const { points } = this.placed.load(around[i]);
        const far = pointTriangle(points, 0, this.point[0], this.point[1], this.point[2], own);
        if (far <= this.offset) found.push(around[i]);
      }
    }
    return found;
  }

  /** True if the first point of `points` is surely outside; false on the surface. */
  private isOutside(points: Float64Array): boolean {
    const { box } = this.placed.body;
    movePoint(this.back, points[0], points[1], points[2], own, 0);
    const spare = 4 * this.slack;
    for (let k = 0; k < 3; k++) if (own[k] < box[k] - spare || own[k] > box[3 + k] + spare) return true;
    return windingAbout(this.placed, pointAt(points, 0))?.ahead === 0;
  }

  /** False on the surface. */
  holds(point: Float64Array): boolean {
    const winding = windingAbout(this.placed, pointAt(point, 0));
    return winding !== null && winding.ahead !== 0 && winding.behind !== 0;
  }

  /** A close lower bound of a point's distance from the surface. */
  distanceFrom(point: Float64Array): number {
    const corners = Float64Array.of(...point, ...point, ...point);
    const { operand, pose } = this.placed;
    const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
    return findClosest(lone(corners), operand, query, exactly).lower;
  }

  /** Adds the sheets of the last nearest triangle; makes them if none is near enough. */
  addSheets(from: Float64Array, near: number, into: number[]): void {
    const { triangle, sheets } = this;
    let known = this.tried.get(triangle);
    if (!known) {
      known = { tries: 0, sheets: [] };
      this.tried.set(triangle, known);
    }
    const isNear = (sheet: number): boolean =>
      pointTriangle(sheets[sheet], 0, from[0], from[1], from[2], own) <= near * this.distance + 4 * this.offset;
    if (known.tries < MOST_TRIES && !known.sheets.some(isNear)) {
      known.tries++;
      const corners = this.placed.load(triangle).points.slice(0, 9);
      const sheet =
        sheetAbout(corners, (sheet) => !this.isMet(sheet) && this.isOutside(sheet), this.point, this.offset) ??
        pointBehind(from, this.point, this.offset, (sheet) => this.isOutside(sheet));
      if (sheet) known.sheets.push(sheets.push(sheet) - 1);
    }
    for (const sheet of known.sheets) if (!into.includes(sheet)) into.push(sheet);
  }
}

const product = (p: ArrayLike<number>, q: ArrayLike<number>, at: number): number =>
  p[0] * q[at] + p[1] * q[at + 1] + p[2] * q[at + 2];

/** -Infinity if no point is in all of `sides`, which include the rounding of clipped corners. */
function topInside(points: Float64Array, nx: number, ny: number, nz: number): number {
  cutting.length = 0;
  for (let n = 0, i = beyond; n < sideCount; n++, i = i + 4 < 4 * sideCount ? i + 4 : 0) {
    const isBelowP = heightAbove(i, points, 0) <= 0;
    const isBelowQ = heightAbove(i, points, 3) <= 0;
    const isBelowR = heightAbove(i, points, 6) <= 0;
    if (isBelowP && isBelowQ && isBelowR) continue;
    if (!(isBelowP || isBelowQ || isBelowR)) {
      beyond = i;
      return Number.NEGATIVE_INFINITY;
    }
    cutting.push(i);
  }
  let count = 3;
  for (let c = 0; c < 9; c++) polygon[c] = points[c];
  for (const i of cutting) {
    // The unclipped rest is larger, and has room.
    if (count > MOST_SIDES) break;
    let kept = 0;
    let from = 3 * (count - 1);
    let heightFrom = heightAbove(i, polygon, from);
    for (let to = 0; to < 3 * count; to += 3) {
      const heightTo = heightAbove(i, polygon, to);
      if (heightFrom <= 0 !== heightTo <= 0) {
        const part = heightFrom / (heightFrom - heightTo);
        for (let k = 0; k < 3; k++)
          clipped[3 * kept + k] = polygon[from + k] + part * (polygon[to + k] - polygon[from + k]);
        kept++;
      }
      if (heightTo <= 0) {
        for (let k = 0; k < 3; k++) clipped[3 * kept + k] = polygon[to + k];
        kept++;
      }
      from = to;
      heightFrom = heightTo;
    }
    if (kept === 0) return Number.NEGATIVE_INFINITY;
    [polygon, clipped] = [clipped, polygon];
    count = kept;
  }
  return topOf(polygon, count, nx, ny, nz);
}

function topOf(points: Float64Array, count: number, nx: number, ny: number, nz: number): number {
  let top = Number.NEGATIVE_INFINITY;
  for (let c = 0; c < 3 * count; c += 3) {
    const height = nx * points[c] + ny * points[c + 1] + nz * points[c + 2];
    if (height > top) top = height;
  }
  return top;
}

/** True if a triangle is beyond a side of the box by more than rounding. */
function isBeyondBox(points: Float64Array, slack: number): boolean {
  for (let k = 0; k < 3; k++) {
    const from = low[k] - slack;
    const to = high[k] + slack;
    if (points[k] > to && points[k + 3] > to && points[k + 6] > to) return true;
    if (points[k] < from && points[k + 3] < from && points[k + 6] < from) return true;
  }
  return false;
}

const heightAbove = (side: number, points: Float64Array, at: number): number =>
  sides[side] * points[at] + sides[side + 1] * points[at + 1] + sides[side + 2] * points[at + 2] - sides[side + 3];

/*
 * Makes triangles just outside of a solid: points inside are no deeper than their distance from
 * them.
 *
 * The depth of a point in a solid is its distance from the nearest point outside. The surface's own
 * triangles do not bound that, since they may be inside where shells overlap. So a triangle is
 * moved off the surface by an insignificant length and proved to be outside. The proof has two
 * exact parts: it shares no point with the surface, and the surface does not wind about one of its
 * corners. Then every distance to it is an upper bound, for any mesh.
 *
 * A triangle that meets others, as at a concave edge or at crossing shells, is shrunk until it does
 * not. If that fails, or it has no area, a point is moved instead.
 */

/** Factors that shrink a triangle about a point of it until it touches nothing. */
const SCALES = [1 - 2 ** -26, 1 - 2 ** -16, 2 ** -2, 2 ** -5];

/**
 * The part of a triangle that is outside once moved by `offset`; coordinates are in the common
 * frame.
 *
 * @param isOutside tests all of a triangle
 * @param point x, y, z of the triangle's point of interest
 */
function sheetAbout(
  corners: Float64Array,
  isOutside: (sheet: Float64Array) => boolean,
  point: Float64Array,
  offset: number,
): Float64Array | undefined {
  const normal = triangleNormal(corners);
  if (!normal) return undefined;
  const centre = [0, 1, 2].map((k) => corners[k] / 3 + corners[3 + k] / 3 + corners[6 + k] / 3);
  for (const scale of SCALES) {
    const about = scale > 0.5 ? centre : point;
    for (const side of [1, -1]) {
      const sheet = corners.map((x, at) => {
        const k = at % 3;
        return about[k] + scale * (x - about[k]) + side * offset * normal[k];
      });
      if (isOutside(sheet)) return sheet;
    }
  }
  return undefined;
}

/** A point outside, behind a surface point as seen from `from`, as a triangle without area. */
function pointBehind(
  from: ArrayLike<number>,
  point: Float64Array,
  offset: number,
  isOutside: (sheet: Float64Array) => boolean,
): Float64Array | undefined {
  const away = [0, 1, 2].map((k) => point[k] - from[k]);
  const length = Math.sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
  if (!(length > 0)) return undefined;
  const sheet = new Float64Array(9);
  for (let k = 0; k < 9; k++) sheet[k] = point[k % 3] + (offset / length) * away[k % 3];
  return isOutside(sheet) ? sheet : undefined;
}
