/**
 * What contact patches are made of, and which parts belong together.
 *
 * A part is a polygon (by its pair's number), a line between two nodes, or a point (by its first
 * pair's number); lines come after pairs. Lines are straight, so all segments between two nodes are
 * one line, from however many pairs: an edge that lies in a face is found by both its triangles.
 *
 * What belongs together:
 * - polygons of one plane that have a node in common;
 * - with them, lines of that plane that touch and do not cross: an edge in a face, its triangles on
 *   one side; two edges on one line; a triangle without area. A side of a polygon is its border, and no part of its own;
 * - all other lines that have a node in common;
 * - a point and what has its node: a polygon before a line.
 * A line never joins two areas. So a corner of a box in a corner of a room is three patches.
 *
 * Letters: n is the number of pairs; part n + l is line l.
 */
import type { CommonSets } from './common-sets.ts';
import { Union } from './union.ts';
import { PairNumbers } from './weld.ts';

/** Bits: how the triangles of a line's segments lie to the other's plane. */
const ACROSS = 1;
const ABOVE = 2;
const BELOW = 4;
const WITHIN = 8;
const bitOf = (edge: number): number => (edge === 2 ? WITHIN : edge > 0 ? ABOVE : edge < 0 ? BELOW : ACROSS);

/** A line that is the side of a polygon; that crosses; that touches a face of b, or of a; edges. */
export const SIDE = 0;
export const CROSSES = 1;
export const ON_B = 2;
export const ON_A = 3;
export const EDGES = 4;

/** Sines of angles below which directions are one. */
const SAME = 1e-6;
/** Parts of a node that one more is compared with: a fan on itself has as many as triangles. */
const MOST_COMPARED = 64;

export interface Lines {
  count: number;
  low: Int32Array;
  high: Int32Array;
  kind: Uint8Array;
  /** The first polygon on each, the second, -1 where there is none, and how many. */
  polygon: Int32Array;
  other: Int32Array;
  polygons: Int32Array;
  /** Sums over its segments: n_a, n_b of triangles with an area. */
  normals: Float64Array;
  /** How many segments of such triangles it has; 0 where all are of triangles without area. */
  segments: Int32Array;
}

export interface Parts {
  lines: Lines;
  union: Union;
  /** Of each pair its line, where it is a segment, else -1. */
  lineOf: Int32Array;
  /** The part that each pair belongs to. */
  partOf: Int32Array;
}

export function partsOf(sets: CommonSets): Parts {
  const { lines, lineOf } = linesOf(sets);
  const n = sets.count.length;
  const union = new Union(n + lines.count);
  const planar = new PlanarParts(sets, lines, union);
  for (let i = 0; i < n; i++) if (sets.count[i] > 2) planar.addPolygon(i);
  for (const kinds of [[ON_B, ON_A], [EDGES]]) {
    for (let l = 0; l < lines.count; l++) if (kinds.includes(lines.kind[l])) planar.addLine(l);
  }
  const partAt = joinCurves(sets, lines, union, planar);
  const partOf = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const l = lineOf[i];
    if (sets.count[i] > 2) partOf[i] = i;
    else if (l >= 0) partOf[i] = lines.kind[l] === SIDE ? lines.polygon[l] : n + l;
    else {
      const node = sets.nodes[sets.start[i]];
      if (partAt[node] < 0) partAt[node] = i;
      partOf[i] = partAt[node];
    }
  }
  return { lines, union, lineOf, partOf };
}

/** Lines between nodes: sides of polygons and segments. */
function linesOf({ count, start, nodes, normals, edges }: CommonSets): { lines: Lines; lineOf: Int32Array } {
  const n = count.length;
  let most = 0;
  for (let i = 0; i < n; i++) most += count[i] > 2 ? count[i] : count[i] - 1;
  const numbers = new PairNumbers(most);
  const polygon = new Int32Array(most).fill(-1);
  const other = new Int32Array(most).fill(-1);
  const polygons = new Int32Array(most);
  const segments = new Int32Array(most);
  const sums = new Float64Array(6 * most);
  const bits = new Uint8Array(2 * most);
  const lineOf = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    for (let k = 0; count[i] > 2 && k < count[i]; k++) {
      const l = numbers.of(nodes[start[i] + k], nodes[start[i] + ((k + 1) % count[i])]);
      if (polygons[l] === 0) polygon[l] = i;
      else if (polygons[l] === 1) other[l] = i;
      polygons[l]++;
    }
    if (count[i] !== 2) continue;
    const l = numbers.of(nodes[start[i]], nodes[start[i] + 1]);
    lineOf[i] = l;
    if (!hasAreas(normals, i)) continue;
    segments[l]++;
    bits[2 * l] |= bitOf(edges[2 * i]);
    bits[2 * l + 1] |= bitOf(edges[2 * i + 1]);
    for (let k = 0; k < 6; k++) sums[6 * l + k] += normals[6 * i + k];
  }
  const kind = new Uint8Array(numbers.count);
  for (let l = 0; l < numbers.count; l++) {
    const isThin = segments[l] === 0;
    kind[l] = polygons[l] > 0 ? SIDE : isThin ? EDGES : kindOf(bits[2 * l], bits[2 * l + 1]);
  }
  const { low, high } = numbers;
  const lines = { count: numbers.count, low, high, kind, polygon, other, polygons, normals: sums, segments };
  return { lines, lineOf };
}

function hasAreas(normals: Float64Array, i: number): boolean {
  const at = 6 * i;
  const isFlat = (k: number): boolean => normals[k] === 0 && normals[k + 1] === 0 && normals[k + 2] === 0;
  return !isFlat(at) && !isFlat(at + 3);
}

function kindOf(ofA: number, ofB: number): number {
  if (ofB === ACROSS && (ofA === ABOVE || ofA === BELOW)) return ON_B;
  if (ofA === ACROSS && (ofB === ABOVE || ofB === BELOW)) return ON_A;
  return ofA > ACROSS && ofB > ACROSS && !(ofA & ACROSS) && !(ofB & ACROSS) ? EDGES : CROSSES;
}

/** Polygons, and lines that touch, where they meet in one plane. */
class PlanarParts {
  /** Of each part: whether it has an area; true of the number that stands for its set. */
  readonly hasArea: Uint8Array;
  /** Of each node a list of parts that meet there in planes of their own. */
  private readonly heads: Int32Array;
  private readonly next: number[] = [];
  private readonly parts: number[] = [];
  /** Of each line: the normal of its plane, or its own direction where it has no one plane. */
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

  /** The first polygon at a node, -1 where there is none. */
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
    const x = u[i + 1] * v[j + 2] - u[i + 2] * v[j + 1];
    const y = u[i + 2] * v[j] - u[i] * v[j + 2];
    const z = u[i] * v[j + 1] - u[i + 1] * v[j];
    return x * x + y * y + z * z <= SAME * SAME;
  }
}

/** In place; what has no length stays so. */
export function normalise(v: Float64Array | number[], at: number): void {
  const length = Math.sqrt(v[at] * v[at] + v[at + 1] * v[at + 1] + v[at + 2] * v[at + 2]);
  if (length > 0) for (let k = at; k < at + 3; k++) v[k] /= length;
}

/** Joins lines that belong to no area, at their nodes; returns of each node what is there, or -1. */
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
