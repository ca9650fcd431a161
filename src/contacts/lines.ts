/**
 * The lines of contact patches: straight ways from node to node, from sides of polygons and from
 * segments. Joins lines to paths, and has the union-find of all parts.
 *
 * Two nodes have one straight way between them, so all segments there are one line: both triangles
 * of an edge that lies in a face find it. Edges that lie on one another, of triangles that need not
 * share vertices, are cut at all nodes that lie on them. So a length counts once, however the faces
 * are cut.
 */
import { PairNumbers } from '../mesh/weld.ts';
import type { CommonSets } from './common-sets.ts';

/** Bits: position of a line's triangles to the other's plane. */
const ACROSS = 1;
const ABOVE = 2;
const BELOW = 4;
const WITHIN = 8;
const bitOf = (edge: number): number => (edge === 2 ? WITHIN : edge > 0 ? ABOVE : edge < 0 ? BELOW : ACROSS);

/** Kinds: the side of a polygon; crosses; an edge on a face of b, or of a; an edge on an edge. */
export const SIDE = 0;
const CROSSES = 1;
export const ON_B = 2;
export const ON_A = 3;
export const EDGES = 4;

/** Directions whose angle has a smaller sine are the same. */
export const SAME = 1e-6;
/** Maximum number of lines at a node to compare with a new one. */
const MOST_COMPARED = 64;

export interface Lines {
  count: number;
  low: Int32Array;
  high: Int32Array;
  kind: Uint8Array;
  /** First and second polygon on each line, or -1, and their number. */
  polygon: Int32Array;
  other: Int32Array;
  polygons: Int32Array;
  /** Sums over its segments: n_a, n_b of triangles with an area. */
  normals: Float64Array;
  /** Number of such segments; 0 if all triangles have no area. */
  segments: Int32Array;
}

interface PairLines {
  lines: Lines;
  /** Each pair's first line that is no side, or -1. */
  lineOf: Int32Array;
  /** An earlier pair with the same polygon (a repeated triangle), or -1. */
  copyOf: Int32Array;
}

export function linesOf(sets: CommonSets): PairLines {
  const { count, start, nodes, normals, edges } = sets;
  const n = count.length;
  const ways = new PairNumbers(count.reduce((sum, c) => sum + (c > 2 ? c : c - 1), 0));
  const wayOf = (i: number, k: number): number => ways.of(nodes[start[i] + k], nodes[start[i] + ((k + 1) % count[i])]);
  /** The way of each segment and each side, as searching takes longer. */
  const wayAt = new Int32Array(nodes.length);
  // Sides, and everything that does not merely cross, may lie on others.
  const mayOverlap = new Uint8Array(ways.low.length);
  const copyOf = new Int32Array(n).fill(-1);
  const copies = new Copies(sets, ways.low.length);
  for (let i = 0; i < n; i++) {
    if (count[i] === 2) {
      const way = wayOf(i, 0);
      wayAt[start[i]] = way;
      if (edges[2 * i] !== 0 || edges[2 * i + 1] !== 0 || !hasAreas(normals, i)) mayOverlap[way] = 1;
    }
    if (count[i] < 3) continue;
    copyOf[i] = copies.find(i, wayOf(i, 0));
    for (let k = 0; copyOf[i] < 0 && k < count[i]; k++) {
      const way = wayOf(i, k);
      wayAt[start[i] + k] = way;
      mayOverlap[way] = 1;
      copies.add(i, way);
    }
  }
  const cut = cutWays(sets, ways, mayOverlap);
  const lines = emptyLines(cut.lines);
  const bits = new Uint8Array(2 * lines.count);
  const lineOf = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    for (let k = 0; count[i] > 2 && copyOf[i] < 0 && k < count[i]; k++) {
      const way = wayAt[start[i] + k];
      for (let p = cut.start[way]; p < cut.start[way + 1]; p++) addSide(lines, cut.parts[p], i);
    }
    if (count[i] !== 2) continue;
    const way = wayAt[start[i]];
    if (!hasAreas(normals, i)) continue;
    for (let p = cut.start[way]; p < cut.start[way + 1]; p++) {
      const l = cut.parts[p];
      lines.segments[l]++;
      bits[2 * l] |= bitOf(edges[2 * i]);
      bits[2 * l + 1] |= bitOf(edges[2 * i + 1]);
      for (let k = 0; k < 6; k++) lines.normals[6 * l + k] += normals[6 * i + k];
    }
  }
  for (let l = 0; l < lines.count; l++) {
    const isThin = lines.segments[l] === 0;
    lines.kind[l] = lines.polygons[l] > 0 ? SIDE : isThin ? EDGES : kindOf(bits[2 * l], bits[2 * l + 1]);
  }
  for (let i = 0; i < n; i++) if (count[i] === 2) lineOf[i] = ownLine(lines, cut, wayAt[start[i]]);
  return { lines, lineOf, copyOf };
}

/** The first line of a way that is no side, else its first. */
function ownLine({ kind }: Lines, { start, parts }: CutWays, way: number): number {
  for (let p = start[way]; p < start[way + 1]; p++) if (kind[parts[p]] !== SIDE) return parts[p];
  return parts[start[way]];
}

class Copies {
  private readonly polygons: Int32Array;

  constructor(
    private readonly sets: CommonSets,
    ways: number,
  ) {
    this.polygons = new Int32Array(2 * ways).fill(-1);
  }

  add(i: number, way: number): void {
    const { polygons } = this;
    polygons[polygons[2 * way] < 0 ? 2 * way : 2 * way + 1] = i;
  }

  find(i: number, way: number): number {
    for (const other of [this.polygons[2 * way], this.polygons[2 * way + 1]]) {
      if (other >= 0 && this.areSame(i, other)) return other;
    }
    return -1;
  }

  private areSame(i: number, j: number): boolean {
    const { count, start, nodes } = this.sets;
    if (count[i] !== count[j]) return false;
    const others = nodes.subarray(start[j], start[j] + count[j]);
    for (let v = start[i]; v < start[i] + count[i]; v++) if (!others.includes(nodes[v])) return false;
    return true;
  }
}

function emptyLines({ count, low, high }: PairNumbers): Lines {
  return {
    count,
    low,
    high,
    kind: new Uint8Array(count),
    polygon: new Int32Array(count).fill(-1),
    other: new Int32Array(count).fill(-1),
    polygons: new Int32Array(count),
    normals: new Float64Array(6 * count),
    segments: new Int32Array(count),
  };
}

function addSide(lines: Lines, l: number, polygon: number): void {
  if (lines.polygons[l] === 0) lines.polygon[l] = polygon;
  else if (lines.polygons[l] === 1) lines.other[l] = polygon;
  lines.polygons[l]++;
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

/** Ways cut to lines: way w is the lines parts[start[w]] to before parts[start[w + 1]]. */
interface CutWays {
  lines: PairNumbers;
  start: Int32Array;
  parts: number[];
}

/** Cuts connected ways on one straight line at each other's ends. */
function cutWays(sets: CommonSets, ways: PairNumbers, mayOverlap: Uint8Array): CutWays {
  const groups = groupsOf(sets, ways, mayOverlap);
  const cuts = new Map<number, Int32Array>();
  let most = ways.count;
  for (const group of groups) {
    if (!overlap(sets, ways, group)) continue;
    const along = inOrder(sets, ways, group);
    const placeOf = new Map(Array.from(along, (node, place) => [node, place]));
    for (const way of group) {
      const [i, j] = [placeOf.get(ways.low[way]) as number, placeOf.get(ways.high[way]) as number];
      if (Math.abs(j - i) < 2) continue;
      cuts.set(way, along.subarray(Math.min(i, j), Math.max(i, j) + 1));
      most += Math.abs(j - i);
    }
  }
  const lines = new PairNumbers(most);
  const start = new Int32Array(ways.count + 1);
  const parts: number[] = [];
  for (let way = 0; way < ways.count; way++) {
    const nodes = cuts.get(way);
    if (!nodes) parts.push(lines.of(ways.low[way], ways.high[way]));
    else for (let k = 0; k + 1 < nodes.length; k++) parts.push(lines.of(nodes[k], nodes[k + 1]));
    start[way + 1] = parts.length;
  }
  return { lines, start, parts };
}

/** Groups of two or more ways that may overlap, connected in one direction. */
function groupsOf({ points, nodeCount }: CommonSets, ways: PairNumbers, mayOverlap: Uint8Array): number[][] {
  const directions = new Float64Array(3 * ways.count);
  const union = new Union(ways.count);
  const heads = new Int32Array(nodeCount).fill(-1);
  const next = new Int32Array(2 * ways.count);
  for (let way = 0; way < ways.count; way++) {
    if (!mayOverlap[way]) continue;
    for (let k = 0; k < 3; k++)
      directions[3 * way + k] = points[3 * ways.high[way] + k] - points[3 * ways.low[way] + k];
    normalise(directions, 3 * way);
    for (const entry of [2 * way, 2 * way + 1]) {
      const node = entry % 2 === 0 ? ways.low[way] : ways.high[way];
      let e = heads[node];
      for (let compared = 0; e >= 0 && compared < MOST_COMPARED; compared++, e = next[e]) {
        if (areParallel(directions, 3 * (e >> 1), directions, 3 * way)) break;
      }
      if (e >= 0) union.join(e >> 1, way);
      next[entry] = heads[node];
      heads[node] = entry;
    }
  }
  const groups = new Map<number, number[]>();
  for (let way = 0; way < ways.count; way++) {
    const root = mayOverlap[way] ? union.find(way) : way;
    if (root === way) continue;
    const group = groups.get(root);
    if (group) group.push(way);
    else groups.set(root, [root, way]);
  }
  return [...groups.values()];
}

/** True if ways on one straight line together are longer than their union. */
function overlap({ points, tolerance }: CommonSets, ways: PairNumbers, group: number[]): boolean {
  const [from, to] = [3 * ways.low[group[0]], 3 * ways.high[group[0]]];
  let [x, y, z] = [points[to] - points[from], points[to + 1] - points[from + 1], points[to + 2] - points[from + 2]];
  const length = Math.sqrt(x * x + y * y + z * z);
  [x, y, z] = [x / length, y / length, z / length];
  let [least, most, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const way of group) {
    const [p, q] = [3 * ways.low[way], 3 * ways.high[way]];
    const s =
      x * (points[p] - points[from]) + y * (points[p + 1] - points[from + 1]) + z * (points[p + 2] - points[from + 2]);
    const t =
      x * (points[q] - points[from]) + y * (points[q + 1] - points[from + 1]) + z * (points[q + 2] - points[from + 2]);
    least = Math.min(least, s, t);
    most = Math.max(most, s, t);
    sum += Math.abs(t - s);
  }
  // Nodes are a tolerance apart, and so are the ends of a part covered twice.
  return sum > most - least + tolerance / 4;
}

function inOrder({ points }: CommonSets, ways: PairNumbers, group: number[]): Int32Array {
  const [from, to] = [3 * ways.low[group[0]], 3 * ways.high[group[0]]];
  const [x, y, z] = [points[to] - points[from], points[to + 1] - points[from + 1], points[to + 2] - points[from + 2]];
  const along = (node: number): number => x * points[3 * node] + y * points[3 * node + 1] + z * points[3 * node + 2];
  const nodes = new Set(group.flatMap((way) => [ways.low[way], ways.high[way]]));
  return Int32Array.from([...nodes].sort((p, q) => along(p) - along(q) || p - q));
}

export function areParallel(u: Float64Array, i: number, v: Float64Array, j: number): boolean {
  const x = u[i + 1] * v[j + 2] - u[i + 2] * v[j + 1];
  const y = u[i + 2] * v[j] - u[i] * v[j + 2];
  const z = u[i] * v[j + 1] - u[i + 1] * v[j];
  return x * x + y * y + z * z <= SAME * SAME;
}

/** In place; zero vectors stay. */
export function normalise(v: Float64Array | number[], at: number): void {
  const length = Math.sqrt(v[at] * v[at] + v[at + 1] * v[at + 1] + v[at + 2] * v[at + 2]);
  if (length > 0) for (let k = at; k < at + 3; k++) v[k] /= length;
}

/**
 * Returns paths of nodes over the given lines, each line in one of them. A path ends unless exactly
 * two lines meet; a closed one returns to its first node. Open ones come first; each begins with
 * its first line in the given order.
 */
export function traceLines({ low, high }: Pick<Lines, 'low' | 'high'>, lines: Int32Array): number[][] {
  const at = new Map<number, number[]>();
  for (const line of lines) {
    for (const node of [low[line], high[line]]) {
      const there = at.get(node);
      if (there) there.push(line);
      else at.set(node, [line]);
    }
  }
  const used = new Set<number>();
  const paths: number[][] = [];
  const linesAt = (node: number): number[] => at.get(node) ?? [];
  const follow = (from: number, first: number): void => {
    const path = [from];
    let node = from;
    for (let line: number | undefined = first; line !== undefined; ) {
      used.add(line);
      node = low[line] === node ? high[line] : low[line];
      path.push(node);
      const next = linesAt(node);
      line = next.length === 2 && node !== from ? next.find((other) => !used.has(other)) : undefined;
    }
    paths.push(path);
  };
  for (const isEnd of [true, false]) {
    for (const line of lines) {
      for (const node of [low[line], high[line]]) {
        if (!used.has(line) && (linesAt(node).length !== 2) === isEnd) follow(node, line);
      }
    }
  }
  return paths;
}

/**
 * Union-find with path halving (R. E. Tarjan, J. van Leeuwen, Journal of the ACM 31(2), 1984).
 *
 * The least number of a set stands for it, so that the order of unions does not matter.
 */
export class Union {
  private readonly parent: Int32Array;

  constructor(count: number) {
    this.parent = new Int32Array(count);
    for (let i = 0; i < count; i++) this.parent[i] = i;
  }

  find(i: number): number {
    const { parent } = this;
    let at = i;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }

  join(i: number, j: number): number {
    const p = this.find(i);
    const q = this.find(j);
    const low = Math.min(p, q);
    this.parent[Math.max(p, q)] = low;
    return low;
  }
}
