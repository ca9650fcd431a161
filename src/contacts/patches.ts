/**
 * The intersection of two surfaces as few patches: areas of coplanar faces, curves where faces
 * cross or an edge lies on a face, and points.
 *
 * `partsOf` joins the parts, and `Patches` measures them. The result depends only on the two
 * surfaces in their poses and the complete, sorted list of pairs.
 *
 * The normal. Along the common set the normals of the two surfaces are summed, by area or length:
 * the direction of the integral of n_b - n_a. So another triangulation does not change it. An edge
 * or a corner that touches a face has no normal of its own: the face's counts twice, as if the
 * other were a face on it. At an edge that crosses a face, and on a line of two edges, the mean of
 * its triangles' normals counts. At a point, angles weigh them (G. Thurmer, C. A. Wuthrich,
 * "Computing vertex normals from facet normals", Journal of Graphics Tools 3(1), 1998); two edges
 * that cross have the direction at right angles to both. If the sum vanishes, as for two faces that
 * look the same way, it is that of n_b alone, else -n_a.
 */

import type { ContactPair, ContactPatch } from '../engine/records.ts';
import type { Operand } from '../engine/traverse.ts';
import { spanningPoints } from '../geometry/outline.ts';
import { cross } from '../math/linear.ts';
import { type CommonSets, commonSetsOf } from './common-sets.ts';
import {
  areParallel,
  EDGES,
  type Lines,
  linesOf,
  normalise,
  ON_A,
  ON_B,
  SAME,
  SIDE,
  traceLines,
  Union,
} from './lines.ts';
import { contactMiddle, contactPoints } from './points.ts';

/** A sum of normals that is shorter, relative to its weights, has no direction. */
const NO_DIRECTION = 1e-6;

/**
 * Returns areas, then curves, then points, the largest first; equal ones by their first pair.
 *
 * @param pairs all pairs of triangles that share a point, sorted
 */
function contactPatches(a: Operand, b: Operand, pairs: readonly ContactPair[]): ContactPatch[] {
  const sets = commonSetsOf(a, b, pairs);
  const parts = partsOf(sets);
  const patches = new Patches(sets, parts);
  patches.measurePolygons();
  patches.measureLines();
  patches.measurePoints(a, b, pairs);
  return patches.list();
}

/** The option `contacts` of `check`; the engine imports none of this. */
export const contacts = { points: contactPoints, patches: contactPatches, middle: contactMiddle };

const WEIGHT = 0; // area or length or a point's 1, times the sets' factor
const CENTRE = 1; // three, weighted
const NORMAL = 4; // n_b - n_a, three, weighted
const NORMAL_B = 7;
const NORMAL_A = 10;
const BORDER = 13; // the length of an area's border
const NUMBERS = 14;

class Patches {
  private readonly n: number;
  private readonly count: number;
  private readonly patchOf: Int32Array;
  /** Patch number of each root part. */
  private readonly numbers: Int32Array;
  private readonly pairs: Int32Array;
  private readonly kinds: ContactPatch['kind'][] = [];
  private readonly sums: Float64Array;
  /** Per patch: 1 if one of its lines has triangles with an area. */
  private readonly isOfFaces: Uint8Array;
  private readonly corners: Members;
  private readonly outlines: Members;

  constructor(
    private readonly sets: CommonSets,
    private readonly parts: Parts,
  ) {
    const { union, partOf, lines } = parts;
    const n = sets.count.length;
    const numbers = new Int32Array(n + lines.count).fill(-1);
    this.n = n;
    this.patchOf = new Int32Array(n);
    let count = 0;
    for (let i = 0; i < n; i++) {
      const root = union.find(partOf[i]);
      if (numbers[root] < 0) numbers[root] = count++;
      this.patchOf[i] = numbers[root];
    }
    // A segment may be cut, and go on beyond an area: its pair counts once.
    for (let l = 0; l < lines.count; l++) {
      const root = union.find(n + l);
      if (lines.kind[l] !== SIDE && numbers[root] < 0) numbers[root] = count++;
    }
    this.numbers = numbers;
    this.count = count;
    this.pairs = new Int32Array(count);
    this.kinds = new Array(count).fill('point');
    this.sums = new Float64Array(NUMBERS * count);
    this.isOfFaces = new Uint8Array(count);
    this.corners = new Members(count);
    this.outlines = new Members(count);
    for (let i = 0; i < n; i++) {
      const patch = this.patchOf[i];
      this.pairs[patch]++;
      if (sets.count[i] > 2) this.kinds[patch] = 'area';
    }
    for (let l = 0; l < lines.count; l++) {
      if (lines.kind[l] === SIDE) continue;
      const patch = this.patchOfPart(n + l);
      if (this.kinds[patch] === 'point') this.kinds[patch] = 'curve';
      if (lines.segments[l] > 0) this.isOfFaces[patch] = 1;
    }
  }

  private patchOfPart(part: number): number {
    return this.numbers[this.parts.union.find(part)];
  }

  measurePolygons(): void {
    const { sets, patchOf, corners } = this;
    const measured = new Float64Array(4);
    const { count, start, nodes, normals } = sets;
    for (let i = 0; i < this.n; i++) {
      if (count[i] < 3 || this.parts.partOf[i] !== i) continue;
      measurePolygon(sets, i, measured);
      const at = NUMBERS * patchOf[i];
      this.addPlace(at, measured[0], measured.subarray(1, 4));
      this.addNormals(at, measured[0], normals, 6 * i, 1);
      for (let v = start[i]; v < start[i] + count[i]; v++) corners.add(patchOf[i], nodes[v]);
    }
  }

  private addPlace(at: number, weight: number, place: ArrayLike<number>): void {
    this.sums[at + WEIGHT] += weight;
    for (let k = 0; k < 3; k++) this.sums[at + CENTRE + k] += weight * place[k];
  }

  /** Adds n_a and n_b, each times `weight` and divided by `count`. */
  private addNormals(at: number, weight: number, from: Float64Array, i: number, count: number, kind = SIDE): void {
    const { sums } = this;
    for (let k = 0; k < 3; k++) {
      const ofA = (weight * from[i + k]) / count;
      const ofB = (weight * from[i + 3 + k]) / count;
      sums[at + NORMAL + k] += kind === ON_B ? 2 * ofB : kind === ON_A ? -2 * ofA : ofB - ofA;
      sums[at + NORMAL_A + k] += ofA;
      sums[at + NORMAL_B + k] += ofB;
    }
  }

  measureLines(): void {
    const { lines } = this.parts;
    const { points } = this.sets;
    const middle = new Float64Array(3);
    for (let l = 0; l < lines.count; l++) {
      const low = 3 * lines.low[l];
      const high = 3 * lines.high[l];
      let square = 0;
      for (let k = 0; k < 3; k++) {
        square += (points[high + k] - points[low + k]) ** 2;
        middle[k] = (points[high + k] + points[low + k]) / 2;
      }
      const length = Math.sqrt(square);
      if (lines.kind[l] === SIDE) {
        this.addBorder(l, length);
        continue;
      }
      const patch = this.patchOfPart(this.n + l);
      const isThin = lines.segments[l] === 0;
      if (this.kinds[patch] === 'area' || (isThin && this.isOfFaces[patch])) continue;
      const at = NUMBERS * patch;
      this.addPlace(at, length, middle);
      this.addNormals(at, length, lines.normals, 6 * l, Math.max(1, lines.segments[l]), lines.kind[l]);
      this.corners.add(patch, lines.low[l]);
      this.corners.add(patch, lines.high[l]);
      this.outlines.add(patch, l);
    }
  }

  /** Only a side of a single polygon of a patch is on its border. */
  private addBorder(l: number, length: number): void {
    const { polygon, other, polygons }: Lines = this.parts.lines;
    const first = this.patchOf[polygon[l]];
    const second = polygons[l] > 1 ? this.patchOf[other[l]] : -1;
    if (first === second && polygons[l] % 2 === 0) return;
    for (const patch of first === second || second < 0 ? [first] : [first, second]) {
      this.sums[NUMBERS * patch + BORDER] += length;
      this.outlines.add(patch, l);
    }
  }

  measurePoints(a: Operand, b: Operand, pairs: readonly ContactPair[]): void {
    const { sets, patchOf, kinds } = this;
    const members = new Members(this.count);
    for (let i = 0; i < this.n; i++) if (kinds[patchOf[i]] === 'point') members.add(patchOf[i], i);
    members.sort();
    for (let patch = 0; patch < this.count; patch++) {
      if (kinds[patch] !== 'point') continue;
      const own = members.of(patch);
      const node = sets.nodes[sets.start[own[0]]];
      const at = NUMBERS * patch;
      this.addPlace(at, 1, sets.points.subarray(3 * node, 3 * node + 3));
      const place = Array.from(sets.points.subarray(3 * node, 3 * node + 3), (x) => x / sets.factor);
      const normal = pointNormal(
        a,
        b,
        { pairs, own, normals: sets.normals },
        place,
        (4 * sets.tolerance) / sets.factor,
      );
      for (let k = 0; k < 3; k++) this.sums[at + NORMAL + k] = normal[k];
      this.corners.add(patch, node);
    }
  }

  list(): ContactPatch[] {
    const { kinds, sums, corners, outlines } = this;
    corners.sort();
    outlines.sort();
    const order = Array.from({ length: this.count }, (_, patch) => patch);
    const rank = { area: 0, curve: 1, point: 2 };
    order.sort(
      (p, q) => rank[kinds[p]] - rank[kinds[q]] || sums[NUMBERS * q + WEIGHT] - sums[NUMBERS * p + WEIGHT] || p - q,
    );
    return order.map((patch) => this.describe(patch));
  }

  private describe(patch: number): ContactPatch {
    const { sums, sets, kinds } = this;
    const { factor, points } = sets;
    const at = NUMBERS * patch;
    const kind = kinds[patch];
    const weight = sums[at + WEIGHT];
    const scaled = [0, 1, 2].map((k) => sums[at + CENTRE + k] / weight);
    const nodes = this.corners.of(patch);
    // A patch without measure has parts shorter than a double's least number.
    const centre = weight > 0 ? scaled : Array.from(points.subarray(3 * nodes[0], 3 * nodes[0] + 3));
    const normal = directionOf(sums, at, weight);
    const place = (node: number): number[] => {
      const at = 3 * node;
      return [points[at] / factor, points[at + 1] / factor, points[at + 2] / factor];
    };
    return {
      kind,
      area: kind === 'area' ? weight / factor / factor : 0,
      length: kind === 'area' ? sums[at + BORDER] / factor : kind === 'curve' ? weight / factor : 0,
      centre: centre.map((x) => x / factor),
      normal,
      points: spanningPoints(points, nodes, 0, nodes.length, centre, normal).map(place),
      outline: traceLines(this.parts.lines, this.outlines.of(patch)).map((path) => path.map(place)),
      pairs: this.pairs[patch],
    };
  }
}

/** Area and center, from the triangles about its first node; each times the factor. */
function measurePolygon({ points, nodes, start, count }: CommonSets, i: number, out: Float64Array): void {
  const p = 3 * nodes[start[i]];
  out.fill(0);
  for (let v = start[i] + 1; v + 1 < start[i] + count[i]; v++) {
    const q = 3 * nodes[v];
    const r = 3 * nodes[v + 1];
    const [ux, uy, uz] = [points[q] - points[p], points[q + 1] - points[p + 1], points[q + 2] - points[p + 2]];
    const [vx, vy, vz] = [points[r] - points[p], points[r + 1] - points[p + 1], points[r + 2] - points[p + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const area = Math.sqrt(x * x + y * y + z * z) / 2;
    out[0] += area;
    for (let k = 0; k < 3; k++) out[1 + k] += area * (points[p + k] + points[q + k] + points[r + k]);
  }
  for (let k = 0; k < 3; k++) out[1 + k] = out[0] > 0 ? out[1 + k] / (3 * out[0]) : points[p + k];
}

function directionOf(sums: Float64Array, at: number, weight: number): number[] {
  for (const [from, sign] of [
    [NORMAL, 1],
    [NORMAL_B, 1],
    [NORMAL_A, -1],
  ]) {
    const sum = [0, 1, 2].map((k) => (sign * sums[at + from + k]) / weight);
    if (!sum.some((x) => Math.abs(x) > NO_DIRECTION)) continue;
    normalise(sum, 0);
    return sum.map((x) => x + 0); // no -0
  }
  return [1, 0, 0];
}

class Members {
  private readonly groups: number[] = [];
  private readonly members: number[] = [];
  private readonly start: Int32Array;
  private sorted = new Int32Array(0);

  constructor(count: number) {
    this.start = new Int32Array(count + 1);
  }

  add(group: number, member: number): void {
    this.groups.push(group);
    this.members.push(member);
    this.start[group + 1]++;
  }

  sort(): void {
    const { start, groups, members } = this;
    for (let g = 1; g < start.length; g++) start[g] += start[g - 1];
    const next = start.slice();
    this.sorted = new Int32Array(members.length);
    for (let m = 0; m < members.length; m++) this.sorted[next[groups[m]]++] = members[m];
  }

  of(group: number): Int32Array {
    return this.sorted.subarray(this.start[group], this.start[group + 1]);
  }
}

/*
 * The parts of contact patches, and which of them belong together.
 *
 * A part is a polygon (by its pair's number), a line between two nodes, or a point (by its first
 * pair's number). Lines come after pairs: for n pairs, part n + l is line l. These belong together:
 * - polygons of one plane that have a node in common;
 * - with them, lines of that plane that touch and do not cross: an edge in a face, its triangles on
 *   one side; two edges on one line; a triangle without area. A side of a polygon is its border,
 *   and no part of its own
 * - all other lines that have a node in common;
 * - a point and a part with its node: a polygon before a line.
 *
 * A line never joins two areas. So a corner of a box in a corner of a room is three patches.
 */

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

/** Normals that differ by less are one. */
const SAME_NORMAL = 1e-6;

class Corner {
  private readonly sum = [0, 0, 0];
  private readonly distinct: number[][] = [];

  add(normals: Float64Array, at: number, weight: number): void {
    const normal = [normals[at], normals[at + 1], normals[at + 2]];
    if (normal.every((x) => x === 0)) return;
    for (let k = 0; k < 3; k++) this.sum[k] += weight * normal[k];
    const isKnown = this.distinct.some((other) => other.every((x, k) => Math.abs(x - normal[k]) <= SAME_NORMAL));
    if (!isKnown && this.distinct.length < 3) this.distinct.push(normal);
  }

  /** 1 for a face, 2 for an edge, 3 for a corner; 0 without area. */
  get faces(): number {
    return this.distinct.length;
  }

  mean(): number[] {
    const mean = [...this.sum];
    normalise(mean, 0);
    return mean;
  }

  edge(): number[] {
    return cross(this.distinct[0], this.distinct[1]);
  }
}

/**
 * Returns the normal that the head describes; not of length 1 if two directions are weighed. `own`
 * are the pairs that touch at `place`, each triangle of a with each of b.
 */
function pointNormal(
  a: Operand,
  b: Operand,
  { pairs, own, normals }: { pairs: readonly ContactPair[]; own: Int32Array; normals: Float64Array },
  place: readonly number[],
  tolerance: number,
): number[] {
  const [ofA, ofB] = [new Corner(), new Corner()];
  for (const i of own) {
    const [p, q] = pairs[i];
    const weight = angleAt(a.load(p).points, place, tolerance) * angleAt(b.load(q).points, place, tolerance);
    ofA.add(normals, 6 * i, weight);
    ofB.add(normals, 6 * i + 3, weight);
  }
  if (ofB.faces === 1 && ofA.faces !== 1) return ofB.mean();
  if (ofA.faces === 1 && ofB.faces !== 1) return ofA.mean().map((x) => -x);
  const [meanA, meanB] = [ofA.mean(), ofB.mean()];
  const apart = meanB.map((x, k) => x - meanA[k]);
  if (ofA.faces === 2 && ofB.faces === 2) {
    const across = cross(ofA.edge(), ofB.edge());
    const along = across[0] * apart[0] + across[1] * apart[1] + across[2] * apart[2];
    if (Math.abs(along) > SAME_NORMAL) return across.map((x) => (along > 0 ? x : -x));
  }
  return apart.some((x) => Math.abs(x) > SAME_NORMAL) ? apart : meanB;
}

/** The angle of a triangle's corner at a point; half a turn if it has none there. */
function angleAt(corners: Float64Array, place: readonly number[], tolerance: number): number {
  for (let k = 0; k < 9; k += 3) {
    if (place.some((x, axis) => Math.abs(corners[k + axis] - x) > tolerance)) continue;
    const to = (l: number): number[] => {
      const way = place.map((_, axis) => corners[l + axis] - corners[k + axis]);
      const largest = Math.max(...way.map(Math.abs));
      return largest > 0 ? way.map((x) => x / largest) : way;
    };
    const [u, v] = [to((k + 3) % 9), to((k + 6) % 9)];
    const w = cross(u, v);
    return Math.atan2(Math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
  }
  return Math.PI;
}
