/**
 * A constrained Delaunay triangulation of a region in the plane, with exact orientations.
 *
 * Points are inserted one by one (C. L. Lawson, "Software for C1 surface interpolation", 1977),
 * then sides by flips (S. W. Sloan, "A fast algorithm for generating constrained Delaunay
 * triangulations", Computers & Structures 47, 1993). Points that come later lie within the region
 * and never on its sides.
 */
import { orient2d } from '../../../geometry/orient.ts';

/**
 * Bound of the rounding errors of the test that a point is in a circle. J. R. Shewchuk, "Adaptive
 * Precision Floating-Point Arithmetic" (1997), section 4.3. Edges in doubt are not flipped, so that
 * flipping ends.
 */
const IN_CIRCLE_ERROR = (10 + 96 * 2 ** -53) * 2 ** -53;

/** Maximum number of flips per crossing of a side. */
const MOST_FLIPS = 64;

const next = (e: number): number => (e % 3 === 2 ? e - 2 : e + 1);
const previous = (e: number): number => (e % 3 === 0 ? e + 2 : e - 1);

export class Delaunay {
  /** Half-edge e starts at this vertex; triangle t has the half-edges 3t to 3t + 2. */
  readonly start: number[] = [];
  private readonly twin: number[] = [];
  /** The number of loops that have the half-edge, in either direction. */
  private readonly sides: number[] = [];
  private readonly isInside: boolean[] = [];
  /** A half-edge that starts at the vertex. */
  private readonly leaving: number[] = [];
  /** Coordinates at 3v; the third is 0. */
  private xy = new Float64Array(96);
  private last = 0;

  /** @param box least and greatest coordinates of all points */
  constructor([x0, y0, x1, y1]: readonly number[]) {
    const size = Math.max(x1 - x0, y1 - y0);
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    for (const [i, j] of [
      [-16, -8],
      [16, -8],
      [0, 16],
    ])
      this.addVertex(x + i * size, y + j * size);
    this.write(0, 0, 1, 2);
    this.twin.push(-1, -1, -1);
    this.sides.push(0, 0, 0);
    this.isInside.push(false);
  }

  get triangleCount(): number {
    return this.isInside.length;
  }

  at(v: number): [x: number, y: number] {
    return [this.xy[3 * v], this.xy[3 * v + 1]];
  }

  /** Inserts a point, or returns the vertex that is there. */
  insert(x: number, y: number): number {
    const p = this.addVertex(x, y);
    const { triangle, on, vertex } = this.locate(p);
    if (vertex >= 0) {
      this.leaving.length = p;
      return vertex;
    }
    this.split(triangle, p, on);
    return p;
  }

  /** Inserts a point within the region; -1 if it is outside or near a side. */
  insertInside(x: number, y: number, clearance: number): number {
    const p = this.addVertex(x, y);
    const { triangle, on, vertex } = this.locate(p);
    const isFree =
      vertex < 0 &&
      this.isInside[triangle] &&
      !(on >= 0 && this.sides[on] > 0) &&
      [0, 1, 2].every((k) => this.sides[3 * triangle + k] === 0 || this.distanceTo(3 * triangle + k, p) > clearance);
    if (!isFree) {
      this.leaving.length = p;
      return -1;
    }
    this.split(triangle, p, on);
    return p;
  }

  /** Makes an edge from a to b a side of the region; false if it meets other sides or vertices. */
  addSide(a: number, b: number): boolean {
    let edge = this.find(a, b);
    if (edge < 0) {
      const crossed = this.crossings(a, b);
      if (crossed === null || !this.uncross(a, b, crossed)) return false;
      edge = this.find(a, b);
      if (edge < 0) return false;
    }
    for (const e of [edge, this.twin[edge]]) this.sides[e]++;
    return true;
  }

  /** Separates the plane at the sides: areas inside an odd number of loops are inside. */
  fill(): void {
    const isKnown = new Uint8Array(this.triangleCount);
    const outer = Math.floor(this.leaving[0] / 3);
    const stack = [outer];
    isKnown[outer] = 1;
    while (stack.length > 0) {
      const t = stack.pop()!;
      for (let e = 3 * t; e < 3 * t + 3; e++) {
        const other = Math.floor(this.twin[e] / 3);
        if (other < 0 || isKnown[other]) continue;
        isKnown[other] = 1;
        this.isInside[other] = this.isInside[t] !== (this.sides[e] % 2 === 1);
        stack.push(other);
      }
    }
  }

  /** Calls for each triangle inside, in no order, with its first half-edge. */
  forInside(each: (edge: number) => void): void {
    const n = this.triangleCount;
    for (let t = 0; t < n; t++) if (this.isInside[t]) each(3 * t);
  }

  /**
   * True if the region is on the left of a side. For a side with two ways, true if it is on both
   * sides or on neither.
   */
  isOnLeft(a: number, b: number): boolean {
    const edge = this.find(a, b);
    return this.sides[edge] % 2 === 0 || this.isInside[Math.floor(edge / 3)];
  }

  isSide(edge: number): boolean {
    return this.sides[edge] > 0;
  }

  private addVertex(x: number, y: number): number {
    const v = this.leaving.push(-1) - 1;
    if (3 * v + 3 > this.xy.length) {
      const larger = new Float64Array(2 * this.xy.length);
      larger.set(this.xy);
      this.xy = larger;
    }
    this.xy[3 * v] = x;
    this.xy[3 * v + 1] = y;
    return v;
  }

  private turn(a: number, b: number, c: number): number {
    return orient2d(this.xy, 3 * a, this.xy, 3 * b, this.xy, 3 * c, 2);
  }

  /** The triangle that holds a point, and `on`: the half-edge on which it lies, or -1. */
  private locate(p: number): { triangle: number; on: number; vertex: number } {
    let t = this.last;
    for (let steps = this.triangleCount; steps >= 0; steps--) {
      let far = -1;
      for (let e = 3 * t; e < 3 * t + 3 && far < 0; e++)
        if (this.twin[e] >= 0 && this.turn(this.start[e], this.start[next(e)], p) < 0) far = this.twin[e];
      if (far < 0) return this.located(t, p);
      t = Math.floor(far / 3);
    }
    // A walk may run in circles in a triangulation with sides.
    for (t = 0; t < this.triangleCount; t++) {
      const isOut = (e: number): boolean => this.turn(this.start[e], this.start[next(e)], p) < 0;
      if (![3 * t, 3 * t + 1, 3 * t + 2].some(isOut)) break;
    }
    return this.located(t, p);
  }

  private located(triangle: number, p: number): { triangle: number; on: number; vertex: number } {
    this.last = triangle;
    const edges = [3 * triangle, 3 * triangle + 1, 3 * triangle + 2];
    const isAt = (v: number): boolean => this.xy[3 * v] === this.xy[3 * p] && this.xy[3 * v + 1] === this.xy[3 * p + 1];
    const at = edges.find((e) => isAt(this.start[e]));
    const on = edges.find((e) => this.turn(this.start[e], this.start[next(e)], p) === 0) ?? -1;
    return { triangle, on, vertex: at === undefined ? -1 : this.start[at] };
  }

  private distanceTo(edge: number, p: number): number {
    const [[ax, ay], [bx, by], [x, y]] = [this.start[edge], this.start[next(edge)], p].map((v) => this.at(v));
    const [dx, dy] = [bx - ax, by - ay];
    return Math.abs(dx * (y - ay) - dy * (x - ax)) / Math.sqrt(dx * dx + dy * dy);
  }

  private write(t: number, a: number, b: number, c: number): void {
    const e = 3 * t;
    this.start[e] = a;
    this.start[e + 1] = b;
    this.start[e + 2] = c;
    this.leaving[a] = e;
    this.leaving[b] = e + 1;
    this.leaving[c] = e + 2;
  }

  private join(e: number, f: number, sides: number): void {
    this.twin[e] = f;
    this.sides[e] = sides;
    if (f < 0) return;
    this.twin[f] = e;
    this.sides[f] = sides;
  }

  private split(t: number, p: number, on: number): void {
    const outer = [0, 1, 2].map((k) => [this.twin[3 * t + k], this.sides[3 * t + k]]);
    const [a, b, c] = [0, 1, 2].map((k) => this.start[3 * t + k]);
    const n = this.triangleCount;
    const parts = [t, n, n + 1];
    this.isInside.push(this.isInside[t], this.isInside[t]);
    this.write(t, a, b, p);
    this.write(n, b, c, p);
    this.write(n + 1, c, a, p);
    parts.forEach((part, k) => {
      this.join(3 * part, outer[k][0], outer[k][1]);
      this.join(3 * part + 1, 3 * parts[(k + 1) % 3] + 2, 0);
    });
    const stack = parts.map((part) => 3 * part);
    if (on >= 0) this.flip(stack[on - 3 * t], stack);
    this.legalize(stack);
  }

  /** Flips the diagonal of two triangles, and adds its four sides to a list. */
  private flip(e: number, sides: number[]): void {
    const { start, twin } = this;
    const f = twin[e];
    const [a, b, c, d] = [start[e], start[f], start[previous(e)], start[previous(f)]];
    const [ad, db, bc, ca] = [next(f), previous(f), next(e), previous(e)];
    const [ad2, db2, bc2, ca2] = [twin[ad], twin[db], twin[bc], twin[ca]];
    const [adSides, dbSides, bcSides, caSides] = [this.sides[ad], this.sides[db], this.sides[bc], this.sides[ca]];
    const [s, t] = [e - (e % 3), f - (f % 3)];
    this.write(s / 3, a, d, c);
    this.write(t / 3, d, b, c);
    this.join(s, ad2, adSides);
    this.join(t, db2, dbSides);
    this.join(t + 1, bc2, bcSides);
    this.join(s + 2, ca2, caSides);
    this.join(s + 1, t + 2, 0);
    sides.push(s, t, t + 1, s + 2);
  }

  private legalize(stack: number[]): void {
    while (stack.length > 0) {
      const e = stack.pop()!;
      const f = this.twin[e];
      if (f < 0 || this.sides[e] > 0) continue;
      const [a, b] = [this.start[e], this.start[f]];
      const [c, d] = [this.start[previous(e)], this.start[previous(f)]];
      if (this.isInCircle(a, b, c, d)) this.flip(e, stack);
    }
  }

  /**
   * True if d is surely within the circle through a, b and c. Corners of a round hole are on one
   * circle, and their diagonals stay: only sure flips are made, so that flipping ends.
   */
  private isInCircle(a: number, b: number, c: number, d: number): boolean {
    const { xy } = this;
    const [dx, dy] = [xy[3 * d], xy[3 * d + 1]];
    const [ax, ay] = [xy[3 * a] - dx, xy[3 * a + 1] - dy];
    const [bx, by] = [xy[3 * b] - dx, xy[3 * b + 1] - dy];
    const [cx, cy] = [xy[3 * c] - dx, xy[3 * c + 1] - dy];
    const [p, q, r] = [ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy];
    const det = p * (bx * cy - cx * by) + q * (cx * ay - ax * cy) + r * (ax * by - bx * ay);
    const size =
      p * (Math.abs(bx * cy) + Math.abs(cx * by)) +
      q * (Math.abs(cx * ay) + Math.abs(ax * cy)) +
      r * (Math.abs(ax * by) + Math.abs(bx * ay));
    return det > IN_CIRCLE_ERROR * size;
  }

  /** The half-edge from a to b, or -1. Searches from both ends, as one may have many edges. */
  private find(a: number, b: number): number {
    const [first, second] = [this.leaving[a], this.leaving[b]];
    let [e, f] = [first, second];
    // At the rim, a turn about one corner ends early, but a turn about the other does not.
    while (e >= 0 || f >= 0) {
      if (e >= 0) {
        if (this.start[next(e)] === b) return e;
        e = this.twin[previous(e)];
        if (e === first) return -1;
      }
      if (f >= 0) {
        if (this.start[next(f)] === a) return this.twin[f];
        f = this.twin[previous(f)];
        if (f === second) return -1;
      }
    }
    return -1;
  }

  /** Edges that a segment crosses; null if it meets a vertex or a side. */
  private crossings(a: number, b: number): [number, number][] | null {
    let e = this.leaving[a];
    const first = e;
    while (!(this.turn(a, b, this.start[next(e)]) < 0 && this.turn(a, b, this.start[previous(e)]) > 0)) {
      e = this.twin[previous(e)];
      if (e === first || e < 0) return null;
    }
    const crossed: [number, number][] = [];
    for (let x = next(e); ; ) {
      if (this.sides[x] > 0) return null;
      crossed.push([this.start[x], this.start[next(x)]]);
      const f = this.twin[x];
      if (f < 0) return null;
      const r = this.start[previous(f)];
      if (r === b) return crossed;
      const side = this.turn(a, b, r);
      if (side === 0) return null;
      x = side > 0 ? next(f) : previous(f);
    }
  }

  private uncross(a: number, b: number, queue: [number, number][]): boolean {
    const made: [number, number][] = [];
    const most = MOST_FLIPS * (queue.length + 1);
    for (let k = 0; k < queue.length; k++) {
      if (k > most) return false;
      const [p, q] = queue[k];
      const e = this.find(p, q);
      const [c, d] = [this.start[previous(e)], this.start[previous(this.twin[e])]];
      if (this.turn(c, d, p) * this.turn(c, d, q) >= 0) {
        queue.push([p, q]);
        continue;
      }
      this.flip(e, []);
      if (c !== a && c !== b && d !== a && d !== b && this.turn(a, b, c) * this.turn(a, b, d) < 0) queue.push([c, d]);
      else if (!((c === a && d === b) || (c === b && d === a))) made.push([c, d]);
    }
    const edge = this.find(a, b);
    if (edge < 0) return false;
    const kept = [edge, this.twin[edge]];
    for (const e of kept) this.sides[e]++;
    this.legalize(made.map(([p, q]) => this.find(p, q)).filter((e) => e >= 0));
    const side = this.find(a, b);
    for (const e of [side, this.twin[side]]) this.sides[e]--;
    return true;
  }
}

/**
 * Corner numbers of triangles that fill a region, counter-clockwise, three each; each side of a
 * loop is in one of them. Loops may touch at corners and along whole sides. Null for loops that
 * cross, and for holes that are not within the outline.
 *
 * @param loops the outline counter-clockwise, then holes clockwise; corners are numbered through
 */
export function cutRegion(loops: readonly (readonly (readonly number[])[])[]): number[] | null {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of loops.flat())
    [x0, y0, x1, y1] = [Math.min(x0, x), Math.min(y0, y), Math.max(x1, x), Math.max(y1, y)];
  if (!(x1 > x0 && y1 > y0)) return null;
  const delaunay = new Delaunay([x0, y0, x1, y1]);
  const corners: number[] = [];
  let count = 0;
  const sides = loops.flatMap((loop) => {
    const vertices = loop.map(([x, y]) => {
      const vertex = delaunay.insert(x, y);
      corners[vertex] ??= count;
      count++;
      return vertex;
    });
    return vertices.map((a, k) => [a, vertices[(k + 1) % vertices.length]]);
  });
  const ways = new Set(sides.map(([a, b]) => a * corners.length + b));
  if (ways.size < sides.length || !sides.every(([a, b]) => delaunay.addSide(a, b))) return null;
  delaunay.fill();
  if (!sides.every(([a, b]) => delaunay.isOnLeft(a, b))) return null;
  const triangles: number[] = [];
  delaunay.forInside((e) => {
    for (let k = e; k < e + 3; k++) triangles.push(corners[delaunay.start[k]]);
  });
  return triangles;
}
