/**
 * Finds the deepest point of the intersection of two solids: branch and bound over convex cells.
 *
 * The depth of a point is the least of its distances to some surfaces. A distance changes no faster
 * than the point moves (R. Shubert, "A sequential method seeking the global maximum of a function",
 * 1972), but that alone takes millions of cells for flat walls. The distance of x from a triangle
 * is convex in x, and so is its height below a plane that a solid has nothing above. Over a cell
 * several such bounds limit the depth together, by their values at the cell's corners
 * (convex-cell.ts). This also gives the next point to test, as in J. Kelley, "The cutting-plane
 * method for solving convex programs", 1960. Between two walls the second test ends the search.
 *
 * Cells are cut to the parts of them that the solids fill, and along the planes of faces. No plane
 * is over both a wall and a floor that meet, but each has one in the part of the cell beyond the
 * other. So thin parts get thin cells in any direction, and an edge along which the depth changes
 * takes a few.
 *
 * From below: a point that both solids wind about, exactly, is in both with a ball about it that no
 * surface enters. Points outside of a solid have such balls, too, and a cell inside one is left
 * out.
 */
import { pointTriangle } from '../geometry/triangle.ts';
import { boxCell, type ConvexCell, halves, MOST_CORNERS, MOST_ROOFS, partBelow, Roof } from './convex-cell.ts';
import { DepthSide, type Range } from './depth-side.ts';
import type { PlacedBody } from './solid.ts';

/** Ends of a search, in lengths of a depth. */
export interface DepthGoal {
  relative: number;
  absolute: number;
  /** Or it is known if the depth is more than this. */
  until: number | null;
}

/** Bracket of the greatest depth; `point` is as deep as `lower`, null if that is 0. */
export interface Depth {
  lower: number;
  upper: number;
  point: Float64Array | null;
}

/** Limit for brackets that do not close. */
export const MOST_LOOKS = 2 ** 13;
const MOST_KEPT = 10;
/** A cell is tested again while its bound falls by this part of its excess. */
const GOOD = 0.3;
const MOST_AGAIN = 1;
/** A cell is cut if its bounds are bent by this part of its own excess. */
const LITTLE_BENT = 2 ** -4;
/** Planes have room for so many cuts of a cell: see depth-side.ts. */
const MOST_CUTS = 2 ** 10;
/** Smaller weights of a mixture are ignored. */
const NEGLIGIBLE = 2 ** -20;
/** Numbers of a plane: a vector, and its product with the plane's points. A sheet has nine. */
const PLANE = 4;
const UP = 1 + 2 ** -46;

/** A ball without points of one side's surface. */
interface Ball {
  centre: Float64Array;
  radius: number;
  isInside: boolean;
}

interface Cell {
  body: ConvexCell;
  sheets: number[];
  upper: number;
  aim: Float64Array;
  /** For each side, the last ball about a point of this cell or of one that it was cut from. */
  balls: (Ball | null)[];
  again: number;
  /** Cuts so far, inherited ones included; each may lose points by `slight`. */
  cuts: number;
}

interface Cut {
  normal: readonly number[];
  at: number;
  spare: number;
}

type Parts = [ConvexCell, ConvexCell] | undefined;

const roof = new Roof();
const nearest = new Float64Array(3);
const middle = new Float64Array(3);

export class DepthSearch {
  private readonly sides: readonly DepthSide[];
  private readonly sheets: Float64Array[] = [];
  private readonly ownerOf: number[] = [];
  private readonly heap: Cell[] = [];
  /** Cells that are narrow enough for the goal; a finer one opens them again. */
  private readonly parked: Cell[] = [];
  private readonly slack: number;
  /** Corners as near to a plane count as on it. */
  private readonly slight: number;
  private goal: DepthGoal = { relative: 0, absolute: 0, until: null };
  private near = 1;
  private best = 0;
  private point: Float64Array | null = null;
  private isProved = true;
  /** The greatest bound of omitted cells. */
  private left = 0;
  private looks = 0;
  private cut: Cut | undefined;

  constructor(
    bodies: readonly PlacedBody[],
    private readonly limits: readonly number[],
    /** No point is deeper than its distance from the border of this box. */
    private readonly rim: Range,
    size: number,
  ) {
    this.sides = bodies.map((body) => new DepthSide(body, this.sheets, size));
    this.slack = 2 ** -44 * size;
    this.slight = 2 ** -48 * size;
  }

  /** Continues for another goal, from where the last one ended. */
  aimFor(goal: DepthGoal): void {
    this.goal = goal;
    this.near = 1 + Math.min(goal.relative, 0.01) / 4;
    for (const cell of this.parked.splice(0)) {
      if (this.isOpen(cell.upper)) this.push(cell);
      else this.parked.push(cell);
    }
  }

  begin({ low, high }: Range, upper: number): void {
    const aim = low.map((x, k) => x / 2 + high[k] / 2);
    this.push({
      body: boxCell(low, high),
      sheets: [],
      upper,
      aim,
      balls: this.sides.map(() => null),
      again: 0,
      cuts: 0,
    });
  }

  run(looks: number): Depth {
    while (this.heap.length > 0) {
      const { upper } = this.heap[0];
      if (!this.isOpen(upper)) {
        if (this.prove()) continue;
        break;
      }
      if (this.isMore && !this.prove()) break;
      if (this.looks >= looks) break;
      const cell = this.pop();
      if (cell.cuts < MOST_CUTS) this.look(cell);
      else this.leave(cell.upper);
    }
    this.prove();
    let most = Math.max(this.left, this.heap.length > 0 ? this.heap[0].upper : 0);
    for (const { upper } of this.parked) if (upper > most) most = upper;
    return { lower: this.best, upper: Math.max(most, this.best), point: this.point };
  }

  offer(point: Float64Array): void {
    const depth = this.depthAt(point);
    if (!(depth > this.best) || !this.sides.every((side) => side.holds(point))) return;
    this.best = depth;
    this.point = point;
    this.isProved = false;
  }

  private depthAt(point: Float64Array): number {
    let depth = Number.POSITIVE_INFINITY;
    for (const side of this.limits) {
      this.sides[side].approach(point[0], point[1], point[2]);
      depth = Math.min(depth, this.sides[side].distance);
    }
    return depth;
  }

  private isOpen(upper: number): boolean {
    const { relative, absolute, until } = this.goal;
    return (until === null || upper > until) && upper - this.best > Math.max(relative * upper, absolute);
  }

  private get isMore(): boolean {
    return this.goal.until !== null && this.best > this.goal.until;
  }

  /** Computes `best` exactly; true if it falls so much that the search continues. */
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
    this.cut = undefined;
    const before = cell.upper;
    const { aim } = cell;
    let depth = Number.POSITIVE_INFINITY;
    const { body } = cell;
    const known = cell.sheets.length;
    for (const side of this.sides) side.approach(aim[0], aim[1], aim[2]);
    for (const [number, side] of this.sides.entries()) if (!this.limits.includes(number)) this.addWall(side, cell);
    if (cell.body !== body) {
      // The aim was outside.
      this.raise(cell);
      this.keep(cell);
      return;
    }
    let isBelowAll = true;
    for (const number of this.limits) {
      depth = Math.min(depth, this.sides[number].distance);
      if (!this.addCovers(this.sides[number], number, cell)) isBelowAll = false;
    }
    const isOutside = isBelowAll && depth > this.best && !this.take(cell, aim, depth);
    if (isOutside) {
      this.takeNear(cell, depth);
      this.heedBalls(cell);
    }
    const isNewlyBound = cell.sheets.length > known || cell.body !== body;
    if (isNewlyBound && this.isOpen(cell.upper)) this.raise(cell);
    if (!this.isOpen(cell.upper)) {
      this.keep(cell);
      return;
    }
    const isGood = !isOutside && cell.upper < before - GOOD * (before - this.best);
    if (!isGood && this.split(cell, this.partsOf(cell))) return;
    if (isGood || (isNewlyBound && cell.again < MOST_AGAIN)) {
      if (!isGood) cell.again++;
      this.push(cell);
    } else if (!this.split(cell, this.halvesOf(cell))) this.leave(cell.upper);
  }

  /** Adds one side's bounds of the depth at the aim; false if a plane has it outside. */
  private addCovers(side: DepthSide, number: number, cell: Cell): boolean {
    const { aim } = cell;
    const above = side.heightAbove(aim);
    const seemsOutside = above > 0;
    if (side.distance >= cell.upper && !seemsOutside) return true;
    const enough = seemsOutside ? 0 : this.near * side.distance;
    let least = Number.POSITIVE_INFINITY;
    for (const sheet of cell.sheets) {
      if (this.ownerOf[sheet] !== number || this.sheets[sheet].length !== PLANE) continue;
      least = Math.min(least, heightBelow(this.sheets[sheet], aim, 0));
    }
    if (least > enough) {
      const far = seemsOutside ? -above / 2 : cell.upper;
      const plane = side.planeOver(cell.body, aim, cell.upper * UP + this.slack, this.rim, far);
      if (plane) {
        this.cutBelow(cell, plane);
        if (plane[3] !== Number.NEGATIVE_INFINITY) {
          cell.sheets.push(this.sheets.push(plane) - 1);
          this.ownerOf[this.sheets.length - 1] = number;
          least = Math.min(least, heightBelow(plane, aim, 0));
        }
      } else this.heedFace(side);
    }
    if (least > enough && side.distance < cell.upper) side.addSheets(aim, this.near, cell.sheets);
    return least >= -this.slack;
  }

  /** Cuts a cell to the part below a plane of a side that is not among the limits. */
  private addWall(side: DepthSide, cell: Cell): void {
    const { aim } = cell;
    const above = side.heightAbove(aim);
    if (!(above > 16 * this.slack)) return;
    const plane = side.planeOver(cell.body, aim, 0, null, -above / 2);
    if (!plane) this.heedFace(side);
    else if (heightBelow(plane, aim, 0) < -2 * this.slack) this.cutBelow(cell, plane);
  }

  private cutBelow(cell: Cell, plane: Float64Array): void {
    const rest =
      plane[3] > Number.NEGATIVE_INFINITY
        ? partBelow(cell.body, [plane[0], plane[1], plane[2]], plane[3] + this.slack, this.slight)
        : null;
    if (!rest) cell.upper = 0;
    else if (rest !== cell.body) {
      cell.body = rest;
      cell.cuts++;
    }
  }

  /** Keeps the plane of a face in the way, shifted so that coplanar faces are on one side. */
  private heedFace(side: DepthSide): void {
    if (side.inTheWay < 0) return;
    const spare = Math.max(16 * this.slack, (this.goal.relative * this.best) / 4, this.goal.absolute / 4);
    const plane = side.planeOf(side.inTheWay, spare);
    if (plane) this.cut ??= { ...plane, spare: 2 * spare };
  }

  /**
   * For deepest points on the border of the intersection: tests points beside it, toward an inner
   * point and below the surface.
   */
  private takeNear({ aim, body }: Cell, depth: number): void {
    if (this.limits.length === this.sides.length) return;
    const part = Math.min(2 ** -8, this.goal.relative / 4);
    const towards = this.point ?? middleOf(body);
    const far = distance(aim, towards);
    const shares = [part, (part * depth) / far].filter((share) => share > 0 && share <= part);
    const tries: Float64Array[] = shares.map((share) => Float64Array.from(aim, (x, k) => x + share * (towards[k] - x)));
    for (const [number, side] of this.sides.entries()) {
      const below = this.limits.includes(number) ? undefined : side.pointBelow(aim, part * depth);
      if (below) tries.push(below);
    }
    for (const near of tries) this.offer(near);
  }

  private take(cell: Cell, aim: Float64Array, depth: number): boolean {
    let isHeld = true;
    for (let s = 0; s < this.sides.length; s++) {
      const side = this.sides[s];
      const ball = cell.balls[s];
      const isKnown = ball !== null && distance(aim, ball.centre) * UP + this.slack < ball.radius;
      const isInside = isKnown ? ball.isInside : side.holds(aim);
      const beyond = farthest(cell, aim) - side.surely;
      const holdsMore = ball !== null && beyond < farthest(cell, ball.centre) - ball.radius;
      if (!isKnown || holdsMore) cell.balls[s] = { centre: aim, radius: side.surely, isInside };
      if (isInside) continue;
      isHeld = false;
      // All of the cell is outside.
      if (beyond < 0) break;
    }
    if (!isHeld) return false;
    this.best = depth;
    this.point = aim;
    this.isProved = false;
    return true;
  }

  private heedBalls(cell: Cell): void {
    for (const [number, ball] of cell.balls.entries()) {
      if (!ball || ball.isInside) continue;
      const beyond = farthest(cell, ball.centre) * UP + this.slack - ball.radius;
      if (beyond <= 0) cell.upper = 0;
      else if (this.limits.includes(number)) cell.upper = Math.min(cell.upper, beyond);
    }
  }

  private keep(cell: Cell): void {
    if (this.isOpen(cell.upper)) this.push(cell);
    else if (cell.upper > 0) this.parked.push(cell);
  }

  private leave(upper: number): void {
    this.left = Math.max(this.left, upper);
  }

  private partsOf(cell: Cell): Parts {
    const along = (cut: Cut | undefined): Parts => cut && halves(cell.body, cut.normal, cut.at, cut.spare, this.slight);
    return along(this.cut) ?? along(this.bendOf(cell));
  }

  private halvesOf({ body }: Cell): Parts {
    const [low, high] = boxOf(body);
    let k = 0;
    for (let j = 1; j < 3; j++) if (high[j] - low[j] > high[k] - low[k]) k = j;
    const axis = [0, 0, 0];
    axis[k] = 1;
    return halves(body, axis, low[k] / 2 + high[k] / 2, 4 * this.slack, this.slight);
  }

  private split(cell: Cell, parts: Parts): boolean {
    if (!parts) return false;
    for (const part of parts) {
      const half = {
        ...cell,
        again: 0,
        cuts: cell.cuts + 1,
        body: part,
        sheets: cell.sheets.slice(),
        balls: cell.balls.slice(),
        aim: middleOf(part),
      };
      this.heedBalls(half);
      if (this.isOpen(half.upper)) this.raise(half);
      this.keep(half);
    }
    return true;
  }

  /**
   * Finds a cut for a cell whose bound is much lower at the highest mixture of its corners. The cut
   * goes through that point, across the difference of the bound's slopes at the two corners with
   * the largest bend. Undefined if all bounds are about equally high there.
   */
  private bendOf(cell: Cell): Cut | undefined {
    const { body, sheets } = cell;
    this.writeRoof(cell);
    const upper = roof.solve();
    const aim = mixtureOf(body);
    let lowest = -1;
    let low = upper - LITTLE_BENT * (upper - this.best);
    for (const sheet of sheets) {
      const height = this.sheets[sheet].length === PLANE ? upper : this.heightOf(sheet, aim, 0);
      if (height >= low) continue;
      low = height;
      lowest = sheet;
    }
    if (lowest < 0) return undefined;
    const { corners } = body;
    let most = 0;
    let found: [number, number] | undefined;
    for (let p = 0; p < roof.corners; p++) {
      if (!(roof.ofCorners[p] > NEGLIGIBLE)) continue;
      const atP = this.heightOf(lowest, corners, 3 * p);
      for (let q = p + 1; q < roof.corners; q++) {
        if (!(roof.ofCorners[q] > NEGLIGIBLE)) continue;
        for (let k = 0; k < 3; k++) middle[k] = corners[3 * p + k] / 2 + corners[3 * q + k] / 2;
        const bent = atP / 2 + this.heightOf(lowest, corners, 3 * q) / 2 - this.heightOf(lowest, middle, 0);
        if (bent <= most) continue;
        most = bent;
        found = [3 * p, 3 * q];
      }
    }
    if (!found) return undefined;
    const [slopeP, slopeQ] = found.map((at) => this.slopeOf(lowest, corners, at));
    const normal = slopeP.map((x, k) => slopeQ[k] - x);
    const length = Math.sqrt(normal.reduce((sum, x) => sum + x * x, 0));
    if (!(length > LITTLE_BENT)) return undefined;
    for (let k = 0; k < 3; k++) normal[k] /= length;
    return { normal, at: normal[0] * aim[0] + normal[1] * aim[1] + normal[2] * aim[2], spare: 4 * this.slack };
  }

  private slopeOf(sheet: number, points: Float64Array, at: number): number[] {
    const far = this.heightOf(sheet, points, at);
    return [0, 1, 2].map((k) => (far > this.slack ? (points[at + k] - nearest[k]) / far : 0));
  }

  /** Bounds a cell by its roofs, aims at their highest point, and drops inactive roofs. */
  private raise(cell: Cell): void {
    if (cell.sheets.length > MOST_ROOFS) cell.sheets.splice(0, cell.sheets.length - MOST_ROOFS);
    this.writeRoof(cell);
    cell.upper = Math.min(cell.upper, roof.solve() * UP + this.slack + cell.cuts * this.slight);
    cell.aim = mixtureOf(cell.body);
    if (cell.sheets.length > MOST_KEPT) {
      const leastOf = (i: number): number => {
        let least = Number.POSITIVE_INFINITY;
        for (let v = 0; v < roof.corners; v++) least = Math.min(least, roof.heights[MOST_CORNERS * i + v]);
        return least;
      };
      const order = cell.sheets.map((_, i) => i);
      order.sort((i, j) => roof.ofRoofs[j] - roof.ofRoofs[i] || leastOf(i) - leastOf(j));
      cell.sheets = order.slice(0, MOST_KEPT).map((i) => cell.sheets[i]);
    }
  }

  private writeRoof({ body, sheets }: Cell): void {
    roof.roofs = sheets.length;
    roof.corners = body.corners.length / 3;
    for (let i = 0; i < sheets.length; i++)
      for (let v = 0; v < roof.corners; v++)
        roof.heights[MOST_CORNERS * i + v] = this.heightOf(sheets[i], body.corners, 3 * v);
  }

  private heightOf(sheet: number, points: ArrayLike<number>, at: number): number {
    const bound = this.sheets[sheet];
    if (bound.length === PLANE) return heightBelow(bound, points, at);
    return pointTriangle(bound, 0, points[at], points[at + 1], points[at + 2], nearest);
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

const heightBelow = (plane: Float64Array, p: ArrayLike<number>, at: number): number =>
  plane[3] - plane[0] * p[at] - plane[1] * p[at + 1] - plane[2] * p[at + 2];

function distance(p: ArrayLike<number>, q: ArrayLike<number>): number {
  const [x, y, z] = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
  return Math.sqrt(x * x + y * y + z * z);
}

function boxOf({ corners }: ConvexCell): [low: number[], high: number[]] {
  const low = [0, 1, 2].map(() => Number.POSITIVE_INFINITY);
  const high = [0, 1, 2].map(() => Number.NEGATIVE_INFINITY);
  for (let c = 0; c < corners.length; c++) {
    low[c % 3] = Math.min(low[c % 3], corners[c]);
    high[c % 3] = Math.max(high[c % 3], corners[c]);
  }
  return [low, high];
}

function mixtureOf({ corners }: ConvexCell): Float64Array {
  const point = new Float64Array(3);
  for (let c = 0; c < corners.length; c++) point[c % 3] += roof.ofCorners[Math.floor(c / 3)] * corners[c];
  return point;
}

function middleOf({ corners }: ConvexCell): Float64Array {
  const middle = new Float64Array(3);
  for (let c = 0; c < corners.length; c++) middle[c % 3] += corners[c];
  return middle.map((x) => (3 * x) / corners.length);
}

function farthest({ body: { corners } }: Cell, point: ArrayLike<number>): number {
  let most = 0;
  for (let c = 0; c < corners.length; c += 3) {
    const [x, y, z] = [corners[c] - point[0], corners[c + 1] - point[1], corners[c + 2] - point[2]];
    most = Math.max(most, x * x + y * y + z * z);
  }
  return Math.sqrt(most);
}
