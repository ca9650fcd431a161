/**
 * The point of what two solids have in common that is deepest: branch and bound over boxes.
 *
 * The depth of a point is the least of its distances to some surfaces. A distance changes no faster
 * than the point moves (R. Shubert, "A sequential method seeking the global maximum of a function",
 * 1972), but by that alone flat walls take millions of boxes. So in every box a distance is bounded by
 * a plane: how far x is from a triangle is a convex function of x, which lies below every affine
 * function that it lies below at the box's eight corners. The planes of several triangles make a
 * roof over the box (roof.ts); its highest point is the bound, and where to look next, as in J.
 * Kelley, "The cutting-plane method for solving convex programs", 1960. Between two walls the
 * second look ends the search.
 *
 * From below: a point that both solids wind about, exactly, is in both with a ball about it that no
 * surface enters. Points outside of a solid have such balls, too, and a box that is in one of them
 * is left out.
 */
import { pointTriangle } from '../geometry/point-triangle.ts';
import { DepthSide, type Range } from './depth-side.ts';
import { MOST_PLANES, Roof } from './roof.ts';
import type { PlacedBody } from './solid.ts';

/** When a search has found enough, in lengths of a depth. */
export interface DepthGoal {
  relative: number;
  absolute: number;
  /** Or it is known whether the depth is more than this. */
  until: number | null;
  /** Points that are looked at at most. */
  looks: number;
}

/** What is known of the greatest depth; `point` is as deep as `lower`, null where that is 0. */
export interface Depth {
  lower: number;
  upper: number;
  point: Float64Array | null;
  /** Points that were looked at. */
  looks: number;
}

/** Looks at most: so long does a search go on whose bracket does not close. */
export const MOST_LOOKS = 2 ** 13;
/** Sheets that a box hands on. */
const MOST_KEPT = 10;
/** A box is looked at again while its bound falls by this part of what it is too high. */
const GOOD = 0.3;
/** Numbers of a plane: a vector, and its product with the plane's points. A sheet has nine. */
const PLANE = 4;
const UP = 1 + 2 ** -46;

/** A ball in which one side's surface is not. */
interface Ball {
  centre: Float64Array;
  radius: number;
  isInside: boolean;
}

interface Cell extends Range {
  sheets: number[];
  upper: number;
  /** Where to look next. */
  aim: Float64Array;
  /** Of each side, the last ball about a point of this box or of one that it was cut from. */
  balls: (Ball | null)[];
}

const roof = new Roof();
const nearest = new Float64Array(3);
const middle = new Float64Array(3);

export class DepthSearch {
  private readonly sides: readonly DepthSide[];
  private readonly sheets: Float64Array[] = [];
  /** Of planes: the number of their side. */
  private readonly ownerOf: number[] = [];
  private readonly heap: Cell[] = [];
  private readonly slack: number;
  /** A bound that is higher by this factor is made better. */
  private readonly near: number;
  /** The greatest depth found, and where. */
  private best = 0;
  private point: Float64Array | null = null;
  private isProved = true;
  /** The greatest bound of what was left out. */
  private left = 0;
  private looks = 0;

  /**
   * @param bodies the point is in all of them
   * @param limits numbers of those whose surfaces count
   */
  constructor(
    bodies: readonly PlacedBody[],
    private readonly limits: readonly number[],
    private readonly goal: DepthGoal,
    /** Where no point is deeper than it is far from the border. */
    private readonly rim: Range,
    size: number,
  ) {
    this.sides = bodies.map((body) => new DepthSide(body, this.sheets, size));
    this.slack = 2 ** -44 * size;
    this.near = 1 + Math.min(goal.relative, 0.01) / 4;
  }

  /**
   * @param range where it may be
   * @param upper a first bound
   */
  run({ low, high }: Range, upper: number): Depth {
    const aim = low.map((x, k) => x / 2 + high[k] / 2);
    this.push({ low, high, sheets: [], upper, aim, balls: this.sides.map(() => null) });
    while (this.heap.length > 0) {
      const { upper } = this.heap[0];
      if (!this.isOpen(upper)) {
        if (this.prove()) continue;
        break;
      }
      if (this.isMore && !this.prove()) break;
      if (this.looks >= this.goal.looks) break;
      this.look(this.pop());
    }
    this.prove();
    const most = Math.max(this.left, this.heap.length > 0 ? this.heap[0].upper : 0);
    return { lower: this.best, upper: Math.max(most, this.best), point: this.point, looks: this.looks };
  }

  /** Whether a box of this bound may hold something that matters. */
  private isOpen(upper: number): boolean {
    const { relative, absolute, until } = this.goal;
    return (until === null || upper > until) && upper - this.best > Math.max(relative * upper, absolute);
  }

  /** Whether the depth seems to be more than is asked. */
  private get isMore(): boolean {
    return this.goal.until !== null && this.best > this.goal.until;
  }

  /** Makes `best` what it is exactly; true where that is so much less that the search goes on. */
  private prove(): boolean {
    if (this.isProved || !this.point) return false;
    this.isProved = true;
    const wasMore = this.isMore;
    const point = this.point;
    this.best = Math.min(...this.limits.map((side) => this.sides[side].distanceFrom(point)));
    if (wasMore) return !this.isMore;
    return this.heap.length > 0 && this.isOpen(this.heap[0].upper);
  }

  private look(cell: Cell): void {
    this.looks++;
    const before = cell.upper;
    const { aim } = cell;
    let depth = Number.POSITIVE_INFINITY;
    const known = cell.sheets.length;
    for (const side of this.sides) side.approach(aim[0], aim[1], aim[2]);
    let isBelowAll = true;
    for (const [number, side] of this.sides.entries()) {
      if (!this.limits.includes(number)) this.addWall(side, number, cell);
      else {
        depth = Math.min(depth, side.distance);
        if (!this.addCovers(side, number, cell)) isBelowAll = false;
      }
    }
    const isOutside = isBelowAll && depth > this.best && !this.take(cell, aim, depth);
    if (isOutside) {
      this.takeNear(cell, depth);
      this.heedBalls(cell);
    }
    if (cell.sheets.length > known && this.isOpen(cell.upper)) this.raise(cell);
    if (!this.isOpen(cell.upper)) this.leave(cell.upper);
    else if (!isOutside && cell.upper < before - GOOD * (before - this.best)) this.push(cell);
    else this.split(cell);
  }

  /** Adds what bounds the depth at the aim by one side; false where it is outside by a plane. */
  private addCovers(side: DepthSide, number: number, cell: Cell): boolean {
    const { aim } = cell;
    const seemsOutside = side.seemsOutside(aim);
    if (side.distance >= cell.upper && !seemsOutside) return true;
    const enough = seemsOutside ? 0 : this.near * side.distance;
    let least = Number.POSITIVE_INFINITY;
    for (const sheet of cell.sheets) {
      if (this.ownerOf[sheet] !== number || this.sheets[sheet].length !== PLANE) continue;
      least = Math.min(least, heightBelow(this.sheets[sheet], aim));
    }
    if (least > enough) {
      const plane = side.planeOver(cell, cell.upper * UP + this.slack, this.rim, cell.upper);
      if (plane) {
        this.addPlane(cell, plane, number);
        least = Math.min(least, heightBelow(plane, aim));
      }
    }
    if (least > enough && side.distance < cell.upper) side.addSheets(aim, this.near, cell.sheets);
    return least >= -this.slack;
  }

  /** A plane that the side has nothing above of in the cell, if it is not among the limits. */
  private addWall(side: DepthSide, number: number, cell: Cell): void {
    const { aim } = cell;
    if (side.distance <= 16 * this.slack || !side.seemsOutside(aim)) return;
    const plane = side.planeOver(cell, 0, null, 0);
    if (plane) this.addPlane(cell, plane, number);
  }

  private addPlane(cell: Cell, plane: Float64Array, owner: number): void {
    if (plane[3] === Number.NEGATIVE_INFINITY) cell.upper = 0;
    else {
      cell.sheets.push(this.sheets.push(plane) - 1);
      this.ownerOf[this.sheets.length - 1] = owner;
    }
  }

  /**
   * Where the deepest points are on the border of the common part, none that is looked at is inside.
   * So points a little beside it are taken instead: towards one that is, and below the surface.
   */
  private takeNear(cell: Cell, depth: number): void {
    if (this.limits.length === this.sides.length) return;
    const part = Math.min(2 ** -8, this.goal.relative / 4);
    const towards = this.point ?? cell.low.map((x, k) => x / 2 + cell.high[k] / 2);
    const tries: Float64Array[] = [cell.aim.map((x, k) => x + part * (towards[k] - x))];
    for (const [number, side] of this.sides.entries())
      if (!this.limits.includes(number)) tries.push(side.pointBelow(part * depth));
    for (const near of tries) {
      let nearDepth = Number.POSITIVE_INFINITY;
      for (const [number, side] of this.sides.entries()) {
        side.approach(near[0], near[1], near[2]);
        if (this.limits.includes(number)) nearDepth = Math.min(nearDepth, side.distance);
      }
      if (nearDepth > this.best) this.take(cell, near, nearDepth);
    }
  }

  /** Takes a point for the deepest if all sides hold it; false if one does not. */
  private take(cell: Cell, aim: Float64Array, depth: number): boolean {
    for (let s = 0; s < this.sides.length; s++) {
      const side = this.sides[s];
      const ball = cell.balls[s];
      const isKnown = ball !== null && distance(aim, ball.centre) * UP + this.slack < ball.radius;
      const isInside = isKnown ? ball.isInside : side.holds(aim);
      const holdsMore = ball !== null && farthest(cell, aim) - side.surely < farthest(cell, ball.centre) - ball.radius;
      if (!isKnown || holdsMore) cell.balls[s] = { centre: aim, radius: side.surely, isInside };
      if (!isInside) return false;
    }
    this.best = depth;
    this.point = aim;
    this.isProved = false;
    return true;
  }

  /** Bounds a cell by balls that are outside: it is no deeper than it is far from them. */
  private heedBalls(cell: Cell): void {
    for (const [number, ball] of cell.balls.entries()) {
      if (!ball || ball.isInside) continue;
      const beyond = farthest(cell, ball.centre) * UP + this.slack - ball.radius;
      if (beyond <= 0) cell.upper = 0;
      else if (this.limits.includes(number)) cell.upper = Math.min(cell.upper, beyond);
    }
  }

  private leave(upper: number): void {
    this.left = Math.max(this.left, upper);
  }

  /** Two halves of a box, across its longest side. */
  private split(cell: Cell): void {
    let k = 0;
    for (let j = 1; j < 3; j++) if (cell.high[j] - cell.low[j] > cell.high[k] - cell.low[k]) k = j;
    const middle = cell.low[k] / 2 + cell.high[k] / 2;
    if (!(middle > cell.low[k] && middle < cell.high[k])) {
      this.leave(cell.upper);
      return;
    }
    for (const upperHalf of [false, true]) {
      const low = cell.low.slice();
      const high = cell.high.slice();
      if (upperHalf) low[k] = middle;
      else high[k] = middle;
      const half = { ...cell, low, high, sheets: cell.sheets.slice(), balls: cell.balls.slice() };
      half.aim = low.map((x, j) => x / 2 + high[j] / 2);
      this.heedBalls(half);
      if (!this.isOpen(half.upper)) {
        this.leave(half.upper);
        continue;
      }
      this.raise(half);
      if (this.isOpen(half.upper)) this.push(half);
      else this.leave(half.upper);
    }
  }

  /** Makes the roof over a box: its bound and the next aim; leaves out sheets that do not tell. */
  private raise(cell: Cell): void {
    const { low, high } = cell;
    for (let k = 0; k < 3; k++) {
      middle[k] = low[k] / 2 + high[k] / 2;
      roof.half[k] = Math.max(middle[k] - low[k], high[k] - middle[k]) * UP;
    }
    if (cell.sheets.length > MOST_PLANES) cell.sheets.splice(0, cell.sheets.length - MOST_PLANES);
    roof.count = cell.sheets.length;
    if (roof.count === 0) return;
    for (let i = 0; i < roof.count; i++) {
      this.setPlane(i, cell);
      const owner = this.ownerOf[cell.sheets[i]];
      roof.isWall[i] = owner === undefined || this.limits.includes(owner) ? 0 : 1;
    }
    const upper = roof.solve() * UP + this.slack;
    cell.upper = roof.isEmpty ? 0 : Math.min(cell.upper, upper);
    const { top } = roof;
    const aim = new Float64Array(3);
    for (let k = 0; k < 3; k++) aim[k] = Math.max(low[k], Math.min(high[k], middle[k] + top[k]));
    cell.aim = aim;
    if (cell.sheets.length > MOST_KEPT) {
      // Walls are no bounds: they count as high as the bound, lest they oust what is one.
      const rank = (i: number): number => (roof.isWall[i] === 1 ? upper : 0) + roof.heights[i];
      const order = cell.sheets.map((_, i) => i);
      order.sort((i, j) => roof.isTight[j] - roof.isTight[i] || rank(i) - rank(j));
      cell.sheets = order.slice(0, MOST_KEPT).map((i) => cell.sheets[i]);
    }
  }

  /** The plane over a box that is above all distances to a sheet. */
  private setPlane(i: number, { sheets, low, high }: Cell): void {
    const sheet = this.sheets[sheets[i]];
    const x = middle[0];
    const y = middle[1];
    const z = middle[2];
    if (sheet.length === PLANE) {
      for (let k = 0; k < 3; k++) roof.slopes[3 * i + k] = -sheet[k];
      roof.heights[i] = heightBelow(sheet, middle) + this.slack;
      return;
    }
    const far = pointTriangle(sheet, 0, x, y, z, nearest);
    const scale = far > this.slack ? 1 / far : 0;
    const nx = (x - nearest[0]) * scale;
    const ny = (y - nearest[1]) * scale;
    const nz = (z - nearest[2]) * scale;
    roof.slopes[3 * i] = nx;
    roof.slopes[3 * i + 1] = ny;
    roof.slopes[3 * i + 2] = nz;
    let height = 0;
    for (let corner = 0; corner < 8; corner++) {
      const cx = corner & 1 ? high[0] : low[0];
      const cy = corner & 2 ? high[1] : low[1];
      const cz = corner & 4 ? high[2] : low[2];
      const above = pointTriangle(sheet, 0, cx, cy, cz, nearest) - nx * (cx - x) - ny * (cy - y) - nz * (cz - z);
      if (above > height || corner === 0) height = above;
    }
    roof.heights[i] = height + this.slack;
  }

  private push(cell: Cell): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(cell);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent].upper >= cell.upper) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = cell;
  }

  private pop(): Cell {
    const { heap } = this;
    const top = heap[0];
    const last = heap.pop() as Cell;
    if (heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1].upper > heap[child].upper) child++;
      if (heap[child].upper <= last.upper) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

/** How far a point is below a plane. */
const heightBelow = (plane: Float64Array, p: Float64Array): number =>
  plane[3] - plane[0] * p[0] - plane[1] * p[1] - plane[2] * p[2];

function distance(p: ArrayLike<number>, q: ArrayLike<number>): number {
  const [x, y, z] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
  return Math.sqrt(x * x + y * y + z * z);
}

/** How far the farthest corner of a box is from a point. */
function farthest({ low, high }: Cell, point: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const x = Math.max(Math.abs(low[k] - point[k]), Math.abs(high[k] - point[k]));
    sum += x * x;
  }
  return Math.sqrt(sum);
}
