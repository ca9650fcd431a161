/** One of two solids as the search for depths asks it: how far is its surface, which side is a point on. */
import { pointAt } from '../geometry/exact-point.ts';
import { pointTriangle } from '../geometry/point-triangle.ts';
import { triangleNormal } from '../geometry/triangle-normal.ts';
import { trianglesIntersectAt } from '../geometry/triangle-triangle.ts';
import { identity, moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import type { TriangleTree } from '../mesh/triangle-tree.ts';
import { findClosest } from '../query/closest.ts';
import { relativePose } from '../query/relative-pose.ts';
import { lone } from './lone.ts';
import { pointBehind, sheetAbout } from './outside.ts';
import { nearestTree, type PlacedBody } from './solid.ts';
import { windingAbout } from './winding.ts';

const UNMOVED = identity();
const exactly = { distance: true, clearance: 0, deadline: Number.POSITIVE_INFINITY };
const own = new Float64Array(3);
/** A box, a vector and the least product with it, in the asset's own frame, for TriangleTree.overlap. */
const ownBox = new Float64Array(6);
const along = new Float64Array(3);
const least = new Float64Array(1);
/** A box of the common frame, and the corner of it that is farthest along a vector. */
const low = new Float64Array(3);
const high = new Float64Array(3);
const topmost = new Float64Array(3);

/** Parts of a triangle that are tried as sheets at most. */
const MOST_TRIES = 8;

/** A box with the axes of the common frame. */
export interface Range {
  low: Float64Array;
  high: Float64Array;
}

/** What is known of a triangle. */
interface Tried {
  tries: number;
  sheets: number[];
}

export class DepthSide {
  /** The triangle that was nearest last, its nearest point, and how far that is, about. */
  triangle = 0;
  readonly point = new Float64Array(3);
  distance = 0;
  /** No more than the distance of any point of the moved surface. */
  surely = 0;
  private readonly tree: TriangleTree;
  private readonly back: Pose;
  private readonly shortest: number;
  /** What may be wrong with a distance in the asset's own frame, and with one in the common frame. */
  private readonly coarse: number;
  private readonly slack: number;
  private readonly tried = new Map<number, Tried>();

  /**
   * @param sheets where triangles outside of the solid are put, for both sides
   * @param size no less than any coordinate of the moved body
   */
  constructor(
    readonly placed: PlacedBody,
    private readonly sheets: Float64Array[],
    size: number,
  ) {
    const { body, operand, pose } = placed;
    this.tree = nearestTree(body);
    this.tree.forget();
    const { map, norm } = relativePose(pose, UNMOVED, operand.reach, 0);
    this.back = Float64Array.of(...map, 0, 0, 0, 1);
    this.shortest = (1 / norm) * (1 - 2 ** -40);
    const { box } = body;
    const diagonal = box[3] - box[0] + (box[4] - box[1]) + (box[5] - box[2]);
    const isUsual = diagonal > 1e-60 && size < 1e60;
    // What TriangleTree takes for slivers has a height of less than 1e-8 of a side; of what is no
    // sliver, the normal is within 2^-50 / 1e-8 of its own. Both are far below 2^-16 of the body.
    this.coarse = isUsual ? 2 ** -16 * diagonal : Number.POSITIVE_INFINITY;
    this.slack = moveErrorBound(pose, operand.reach) + 2 ** -40 * size;
    this.offset = 2 ** -30 * diagonal + 2 ** -46 * size;
  }

  /** How far sheets are moved off the surface. */
  readonly offset: number;

  /** Finds the triangle that is nearest to a point of the common frame. */
  approach(x: number, y: number, z: number): void {
    movePoint(this.back, x, y, z, own, 0);
    const far = Math.sqrt(this.tree.closestDistanceSquared(own[0], own[1], own[2]));
    this.triangle = this.tree.closestTriangle;
    this.distance = pointTriangle(this.placed.operand.load(this.triangle).points, 0, x, y, z, this.point);
    const surely = (far * (1 - 2 ** -16) - this.coarse) * this.shortest - this.slack;
    this.surely = surely > 0 ? surely : 0;
  }

  /**
   * A plane through about the nearest triangle, above which the solid has nothing: in a cell, and
   * where points of it come that move along the plane's vector by no more than `by`. It is a vector
   * no shorter than 1, and its greatest product with a point of the solid there; so nothing of the
   * solid that is in the cell is deeper than `by`, or than it is below the plane. Undefined where
   * there is no plane that the cell's aim is no farther below than `limit`. The product is -Infinity
   * where all of the cell is outside.
   *
   * @param rim beyond it nothing matters
   */
  planeOver(
    cell: Range & { aim: Float64Array },
    by: number,
    rim: Range | null,
    limit: number,
  ): Float64Array | undefined {
    const { placed } = this;
    const normal = triangleNormal(placed.operand.load(this.triangle).points);
    if (!normal) return undefined;
    const plane = new Float64Array(4);
    for (let k = 0; k < 3; k++) {
      const x = normal[k] * (1 + 2 ** -48);
      plane[k] = x;
      low[k] = cell.low[k] + (x < 0 ? by * x : 0);
      high[k] = cell.high[k] + (x > 0 ? by * x : 0);
      if (rim && low[k] < rim.low[k]) low[k] = rim.low[k];
      if (rim && high[k] > rim.high[k]) high[k] = rim.high[k];
      topmost[k] = x > 0 ? high[k] : low[k];
    }
    const reachOf = (p: Float64Array): number => plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2];
    const height = this.supportIn(plane, reachOf(cell.aim) + limit);
    if (height === Number.POSITIVE_INFINITY) return undefined;
    // Nothing in the box is above, or all of it is outside, since one point is and no surface is met.
    if (reachOf(topmost) > height && !this.isOutside(topmost)) return undefined;
    plane[3] = height;
    return plane;
  }

  /**
   * No less than the greatest product of a direction and a corner of any triangle that has a point
   * in the box from `low` to `high`; Infinity where that is more than `limit`.
   */
  private supportIn(direction: Float64Array, limit: number): number {
    const { operand, pose } = this.placed;
    const nx = direction[0];
    const ny = direction[1];
    const nz = direction[2];
    this.moveBack();
    // Moved, a point's product is that of its own with `along`, and the translation's.
    for (let k = 0; k < 3; k++) along[k] = pose[k] * nx + pose[4 + k] * ny + pose[8 + k] * nz;
    const shift = pose[3] * nx + pose[7] * ny + pose[11] * nz + 4 * this.slack;
    let most = Number.NEGATIVE_INFINITY;
    least[0] = most;
    this.tree.overlap(ownBox, along, least, (triangle) => {
      const { points } = operand.load(triangle);
      for (let k = 0; k < 3; k++) {
        if (points[k] > high[k] && points[k + 3] > high[k] && points[k + 6] > high[k]) return true;
        if (points[k] < low[k] && points[k + 3] < low[k] && points[k + 6] < low[k]) return true;
      }
      for (let c = 0; c < 9; c += 3) {
        const product = nx * points[c] + ny * points[c + 1] + nz * points[c + 2];
        if (product > most) most = product;
      }
      least[0] = most - shift;
      return most <= limit;
    });
    return most > limit ? Number.POSITIVE_INFINITY : most + this.slack;
  }

  /** Whether a triangle shares a point with the surface. */
  private isMet(sheet: Float64Array): boolean {
    const { operand } = this.placed;
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(sheet[k], sheet[k + 3], sheet[k + 6]);
      high[k] = Math.max(sheet[k], sheet[k + 3], sheet[k + 6]);
    }
    this.moveBack();
    along.fill(0);
    least[0] = -1;
    let isMet = false;
    this.tree.overlap(ownBox, along, least, (triangle) => {
      isMet = trianglesIntersectAt(sheet, 0, operand.load(triangle).points, 0);
      return !isMet;
    });
    return isMet;
  }

  /** Leaves in `ownBox` a box of the asset's frame that holds what is in that of the common frame. */
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

  /** A point so far below about the nearest one of the surface, by its triangle's normal. */
  pointBelow(by: number): Float64Array {
    const { points } = this.placed.operand.load(this.triangle);
    const normal = triangleNormal(points) ?? [0, 0, 0];
    const toCentre = [0, 1, 2].map((k) => points[k] / 3 + points[3 + k] / 3 + points[6 + k] / 3 - this.point[k]);
    const far = Math.sqrt(toCentre[0] * toCentre[0] + toCentre[1] * toCentre[1] + toCentre[2] * toCentre[2]);
    // Off the triangle's border, where others may be in the way.
    const part = far > by ? by / far : 0.5;
    return this.point.map((x, k) => x + part * toCentre[k] - (by / 32) * normal[k]);
  }

  /** Whether the point that was asked for last seems to be outside, by its nearest triangle. */
  seemsOutside(from: Float64Array): boolean {
    const normal = triangleNormal(this.placed.operand.load(this.triangle).points);
    if (!normal) return false;
    let above = 0;
    for (let k = 0; k < 3; k++) above += normal[k] * (from[k] - this.point[k]);
    return above > 0;
  }

  /** Whether a point, the first of `points`, is surely outside; false on the surface. */
  private isOutside(points: Float64Array): boolean {
    const { box } = this.placed.body;
    movePoint(this.back, points[0], points[1], points[2], own, 0);
    const spare = 4 * this.slack;
    for (let k = 0; k < 3; k++) if (own[k] < box[k] - spare || own[k] > box[3 + k] + spare) return true;
    return windingAbout(this.placed, pointAt(points, 0))?.ahead === 0;
  }

  /** Whether the solid winds about a point; false on its surface. */
  holds(point: Float64Array): boolean {
    const winding = windingAbout(this.placed, pointAt(point, 0));
    return winding !== null && winding.ahead !== 0 && winding.behind !== 0;
  }

  /** No more than the distance of a point from the surface, and hardly less. */
  distanceFrom(point: Float64Array): number {
    const corners = Float64Array.of(...point, ...point, ...point);
    const { operand, pose } = this.placed;
    const query = { poseA: UNMOVED, poseB: pose, all: false, maxContacts: 1, level: null };
    return findClosest(lone(corners), operand, query, exactly).lower;
  }

  /**
   * Adds to `into` the sheets of the triangle that was nearest to `from`, and makes them first where
   * there are none that are near enough.
   */
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
      const corners = this.placed.operand.load(triangle).points.slice(0, 9);
      const sheet =
        sheetAbout(corners, (sheet) => !this.isMet(sheet) && this.isOutside(sheet), this.point, this.offset) ??
        pointBehind(from, this.point, this.offset, (sheet) => this.isOutside(sheet));
      if (sheet) known.sheets.push(sheets.push(sheet) - 1);
    }
    for (const sheet of known.sheets) if (!into.includes(sheet)) into.push(sheet);
  }
}
