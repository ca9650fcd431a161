/**
 * The parts of contact patches, and which of them belong together.
 *
 * A part is a polygon (by its pair's number), a line between two nodes, or a point (by its first
 * pair's number); lines come after pairs: part n + l is line l for n pairs. These belong together:
 * - polygons of one plane that have a node in common;
 * - with them, lines of that plane that touch and do not cross: an edge in a face, its triangles on
 *   one side; two edges on one line; a triangle without area. A side of a polygon is its border,
 *   and no part of its own;
 * - all other lines that have a node in common;
 * - a point and a part with its node: a polygon before a line.
 *
 * A line never joins two areas. So a corner of a box in a corner of a room is three patches.
 */
import type { CommonSets } from './common-sets.ts';
import { areParallel, EDGES, type Lines, linesOf, normalise, ON_A, ON_B, SAME, SIDE } from './contact-lines.ts';
import { Union } from './union.ts';

/** Parts of a node that a new one is compared with: a fan on itself has as many as triangles. */
const MOST_COMPARED = 64;

export interface Parts {
  lines: Lines;
  union: Union;
  /** Each pair's part; a repeated polygon belongs to the first. */
  partOf: Int32Array;
}

export function partsOf(sets: CommonSets): Parts {
  const { lines, lineOf, copyOf } = linesOf(sets);
  const n = sets.count.length;
  const union = new Union(n + lines.count);
  const planar = new PlanarParts(sets, lines, union);
  for (let i = 0; i < n; i++) if (sets.count[i] > 2 && copyOf[i] < 0) planar.addPolygon(i);
  for (let l = 0; l < lines.count; l++) planar.addSide(l);
  for (const kinds of [[ON_B, ON_A], [EDGES]]) {
    for (let l = 0; l < lines.count; l++) if (kinds.includes(lines.kind[l])) planar.addLine(l);
  }
  const partAt = joinCurves(sets, lines, union, planar);
  const partOf = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const l = lineOf[i];
    if (sets.count[i] > 2) partOf[i] = copyOf[i] < 0 ? i : copyOf[i];
    else if (l >= 0) partOf[i] = lines.kind[l] === SIDE ? lines.polygon[l] : n + l;
    else {
      const node = sets.nodes[sets.start[i]];
      if (partAt[node] < 0) partAt[node] = i;
      partOf[i] = partAt[node];
    }
  }
  return { lines, union, partOf };
}

/** Joins polygons, and lines that touch, that meet in one plane. */
class PlanarParts {
  /** True if a root part's set has an area. */
  readonly hasArea: Uint8Array;
  /** Per node a list of parts that meet there in planes of their own. */
  private readonly heads: Int32Array;
  private readonly next: number[] = [];
  private readonly parts: number[] = [];
  /** Per line: the normal of its plane, or its own direction without a single plane. */
  private readonly directions: Float64Array;
  private readonly n: number;

  constructor(
    private readonly sets: CommonSets,
    private readonly lines: Lines,
    private readonly union: Union,
  ) {
    this.n = sets.count.length;
    this.hasArea = new Uint8Array(this.n + lines.count);
    this.heads = new Int32Array(sets.nodeCount).fill(-1);
    this.directions = new Float64Array(3 * lines.count);
  }

  addPolygon(i: number): void {
    const { start, count, nodes } = this.sets;
    this.hasArea[i] = 1;
    for (let v = start[i]; v < start[i] + count[i]; v++) this.joinAt(nodes[v], i);
  }

  /** Also where an end on a polygon's side cuts it. */
  addSide(l: number): void {
    const { polygon, other, low, high } = this.lines;
    for (const i of [polygon[l], other[l]]) {
      if (i < 0) continue;
      this.joinAt(low[l], i);
      this.joinAt(high[l], i);
    }
  }

  addLine(l: number): void {
    const { low, high, kind, normals } = this.lines;
    const { points } = this.sets;
    for (let k = 0; k < 3; k++) {
      const along = points[3 * high[l] + k] - points[3 * low[l] + k];
      this.directions[3 * l + k] =
        kind[l] === EDGES ? along : kind[l] === ON_B ? normals[6 * l + 3 + k] : normals[6 * l + k];
    }
    normalise(this.directions, 3 * l);
    this.joinAt(low[l], this.n + l);
    this.joinAt(high[l], this.n + l);
  }

  polygonAt(node: number): number {
    for (let e = this.heads[node]; e >= 0; e = this.next[e]) if (this.parts[e] < this.n) return this.parts[e];
    return -1;
  }

  private joinAt(node: number, part: number): void {
    const { union, hasArea } = this;
    let last = -1;
    let compared = 0;
    for (let e = this.heads[node]; e >= 0; e = this.next[e]) {
      last = e;
      if (compared++ === MOST_COMPARED) return;
      if (!this.areOfOnePlane(this.parts[e], part)) continue;
      const own = union.find(part);
      const other = union.find(this.parts[e]);
      if (own === other) return;
      const isLine = part >= this.n || this.parts[e] >= this.n;
      if (isLine && hasArea[own] && hasArea[other]) continue;
      const has = hasArea[own] | hasArea[other];
      hasArea[union.join(own, other)] = has;
      return;
    }
    const entry = this.parts.push(part) - 1;
    this.next.push(-1);
    if (last < 0) this.heads[node] = entry;
    else this.next[last] = entry;
  }

  private areOfOnePlane(p: number, q: number): boolean {
    const { n, sets, lines, directions } = this;
    const isEdge = (part: number): boolean => part >= n && lines.kind[part - n] === EDGES;
    const from = (part: number): Float64Array => (part < n ? sets.normals : directions);
    const at = (part: number): number => (part < n ? 6 * part + 3 : 3 * (part - n));
    const [u, i, v, j] = [from(p), at(p), from(q), at(q)];
    if (isEdge(p) !== isEdge(q)) return Math.abs(u[i] * v[j] + u[i + 1] * v[j + 1] + u[i + 2] * v[j + 2]) <= SAME;
    return areParallel(u, i, v, j);
  }
}

/** Joins lines that belong to no area, at their nodes. Returns a part at each node, or -1. */
function joinCurves(sets: CommonSets, lines: Lines, union: Union, planar: PlanarParts): Int32Array {
  const n = sets.count.length;
  const curveAt = new Int32Array(sets.nodeCount).fill(-1);
  const partAt = new Int32Array(sets.nodeCount).fill(-1);
  for (let l = 0; l < lines.count; l++) {
    if (lines.kind[l] === SIDE) continue;
    const isOfArea = planar.hasArea[union.find(n + l)] === 1;
    for (const node of [lines.low[l], lines.high[l]]) {
      if (isOfArea) partAt[node] = n + l;
      else if (curveAt[node] < 0) curveAt[node] = n + l;
      else union.join(curveAt[node], n + l);
    }
  }
  for (let node = 0; node < sets.nodeCount; node++) {
    const polygon = planar.polygonAt(node);
    if (polygon >= 0) partAt[node] = polygon;
    else if (partAt[node] < 0) partAt[node] = curveAt[node];
  }
  return partAt;
}
