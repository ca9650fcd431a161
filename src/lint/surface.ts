/**
 * Finds faults of a surface in its edges, its faces, its contacts with itself, and its shells.
 *
 * Edges: they are open, have inconsistent orientation, or have more than two triangles. Connected
 * edges are one finding, so a hole is one finding however many edges its rim has. Faces: triangles
 * without area, and triangles with the same three corners as others. Contacts: triangles that meet
 * where they have no common vertex or edge. Shells: they are inside out, or look like leftovers.
 */

import { counted, grouped, short } from '../base/printable.ts';
import { planarAxis } from '../geometry/adjacent-triangles.ts';
import { type ContactSegment, contactSegment } from '../geometry/contact-segment.ts';
import { middleOf } from '../geometry/exact-point.ts';
import { compareCorners } from '../mesh/clean.ts';
import { selfContacts } from '../mesh/self-contacts.ts';
import { NO_EDGE, NON_MANIFOLD_EDGE, OPEN_EDGE, placeOf, type Shells, UNBALANCED_EDGE } from '../mesh/shells.ts';
import { nextInTriangle, type Surface } from '../mesh/topology.ts';
import { treeOfBoxes } from '../mesh/triangle-tree.ts';
import { shellVolumes } from '../mesh/volumes.ts';
import { windingOfTriangles } from '../solid/winding.ts';
import { type Findings, LISTED, type LintRule } from './report.ts';
import { type Seam, seamOf } from './seams.ts';

type EdgeRule = LintRule & ('open-edge' | 'orientation' | 'non-manifold-edge');

const KINDS: readonly [EdgeRule, (kinds: number) => boolean][] = [
  ['open-edge', (kinds) => (kinds & OPEN_EDGE) !== 0],
  ['orientation', (kinds) => (kinds & UNBALANCED_EDGE) !== 0 && (kinds & OPEN_EDGE) === 0],
  ['non-manifold-edge', (kinds) => (kinds & NON_MANIFOLD_EDGE) !== 0],
];

const MESSAGES: Readonly<Record<EdgeRule, (edges: number, triangles: number) => string>> = {
  'open-edge': (edges, triangles) =>
    `${counted(edges, 'open edge')}${triangles === 1 ? '' : `, ${grouped(triangles)} triangles at the first`}`,
  orientation: (edges) => `neighbors face opposite ways at ${counted(edges, 'edge')}`,
  'non-manifold-edge': (edges, triangles) =>
    `more than two triangles at ${counted(edges, 'edge')}, ${grouped(triangles)} at the first`,
};

/** @returns the open edges that joining vertices closes; null if there are none */
export function lintEdges({ positions }: Surface, shells: Shells, found: Findings): Seam | null {
  const { corners, edgeKinds, unbalanced, nonManifoldEdges } = shells;
  if (unbalanced === 0 && nonManifoldEdges === 0) return null;
  const runs = new Runs(corners, positions.length / 3);
  let seam: Seam | null = null;
  for (const [rule, isOf] of KINDS) {
    if (!found.isOn(rule)) continue;
    const firsts = runs.find(edgeKinds, isOf);
    const listed = firsts.slice(0, found.roomOf(rule));
    const triangles = trianglesAt(shells, listed);
    if (rule === 'open-edge' && listed.length > 0) seam = seamOf(positions, shells);
    const torn = seam && runs.rootsOf(edgeKinds, (edge, kinds) => isOf(kinds) && !seam?.isClosed(edge));
    listed.forEach(([edge, edges], i) => {
      const { from, to } = placeOf({ positions, triangles: corners }, edge);
      const point = from.map((x, k) => x / 2 + to[k] / 2);
      const message = MESSAGES[rule](edges, triangles[i].length);
      const isClosed = rule === 'open-edge' && torn?.has(runs.root(corners[edge])) === false;
      found.add(rule, {
        ...{ triangles: triangles[i].slice(0, LISTED), count: edges, point, message },
        ...(seam && isClosed && { weld: { distance: seam.distance, gap: seam.gap } }),
      });
    });
    found.count(rule, firsts.length - listed.length);
  }
  return seam;
}

class Runs {
  private readonly above: Int32Array;

  constructor(
    private readonly corners: Uint32Array,
    vertexCount: number,
  ) {
    this.above = new Int32Array(vertexCount);
  }

  /** Returns the first edge of each run and the number of its edges. */
  find(edgeKinds: Uint8Array, isOf: (kinds: number) => boolean): [edge: number, edges: number][] {
    const { corners, above } = this;
    for (let v = 0; v < above.length; v++) above[v] = v;
    for (let edge = 0; edge < edgeKinds.length; edge++) {
      if (edgeKinds[edge] === 0 || !isOf(edgeKinds[edge])) continue;
      const a = this.root(corners[edge]);
      const b = this.root(corners[nextInTriangle(edge)]);
      above[Math.max(a, b)] = Math.min(a, b);
    }
    const runs = new Map<number, [number, number]>();
    for (let edge = 0; edge < edgeKinds.length; edge++) {
      if (edgeKinds[edge] === 0 || !isOf(edgeKinds[edge])) continue;
      const root = this.root(corners[edge]);
      const run = runs.get(root);
      if (run) run[1]++;
      else runs.set(root, [edge, 1]);
    }
    return [...runs.values()];
  }

  /** Returns the runs of the selected edges, by their roots. */
  rootsOf(edgeKinds: Uint8Array, isOf: (edge: number, kinds: number) => boolean): Set<number> {
    const roots = new Set<number>();
    for (let edge = 0; edge < edgeKinds.length; edge++)
      if (edgeKinds[edge] !== 0 && isOf(edge, edgeKinds[edge])) roots.add(this.root(this.corners[edge]));
    return roots;
  }

  root(v: number): number {
    const { above } = this;
    while (above[v] !== v) {
      above[v] = above[above[v]];
      v = above[v];
    }
    return v;
  }
}

function trianglesAt({ edgeOf }: Shells, edges: readonly [number, number][]): number[][] {
  const lists: number[][] = edges.map(() => []);
  if (edges.length === 0) return lists;
  const numbers = new Map(edges.map(([edge], i) => [edge, i]));
  for (let side = 0; side < edgeOf.length; side++) {
    if (edgeOf[side] === NO_EDGE) continue;
    const list = lists[numbers.get(edgeOf[side]) ?? -1];
    const triangle = (side / 3) | 0;
    if (list && list.at(-1) !== triangle) list.push(triangle);
  }
  return lists;
}

/** @param cleaned the result of `repeatsOf` */
export function lintFaces({ positions }: Surface, { corners }: Shells, cleaned: Int32Array, found: Findings): void {
  if (found.isOn('degenerate-face')) lintDegenerate(positions, corners, cleaned, found);
  if (found.isOn('duplicate-face') || found.isOn('coincident-face')) {
    lintRepeated(positions, corners, cleaned, found);
  }
}

function lintDegenerate(positions: Float64Array, corners: Uint32Array, cleaned: Int32Array, found: Findings): void {
  for (let t = 0; t < cleaned.length; t++) {
    const a = 3 * corners[3 * t];
    const b = 3 * corners[3 * t + 1];
    const c = 3 * corners[3 * t + 2];
    if (cleaned[t] >= 0 && planarAxis(positions, a, b, c) >= 0) continue;
    const message =
      cleaned[t] >= 0
        ? 'a triangle without area: its corners are on one line'
        : a === b && b === c
          ? 'a triangle without area: its corners are one point'
          : 'a triangle without area: two of its corners are one point';
    found.add('degenerate-face', { triangles: [t], count: 1, point: pointAt(positions, a), message });
  }
}

function lintRepeated(positions: Float64Array, corners: Uint32Array, cleaned: Int32Array, found: Findings): void {
  const first = firstsOfRepeated(cleaned);
  if (!first) return;
  const sets = new Map<number, { same: number[]; opposite: number[] }>();
  for (let t = 0; t < cleaned.length; t++) {
    const number = cleaned[t];
    if (number < 0 || first[number] === t) continue;
    const set = sets.get(first[number]) ?? { same: [first[number]], opposite: [] };
    sets.set(first[number], set);
    const sense = compareCorners(corners, 3 * first[number], corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]);
    (sense > 0 ? set.same : set.opposite).push(t);
  }
  for (const [t, { same, opposite }] of [...sets].sort(([a], [b]) => a - b)) {
    const point = pointAt(positions, 3 * corners[3 * t]);
    for (const triangles of [same, opposite]) {
      if (triangles.length < 2) continue;
      const message = `${counted(triangles.length, 'triangle')} on the same three corners, facing the same way`;
      found.add('duplicate-face', { triangles, count: triangles.length, point, message });
    }
    if (opposite.length === 0) continue;
    const message = 'two triangles on the same three corners, back to back';
    const triangles = [same[0], opposite[0]];
    found.add('coincident-face', { triangles, count: same.length + opposite.length, point, message });
  }
}

/** The first triangle of each number; null if none has two. */
function firstsOfRepeated(cleaned: Int32Array): Int32Array | null {
  let numbers = 0;
  let degenerate = 0;
  for (let t = 0; t < cleaned.length; t++) {
    if (cleaned[t] < 0) degenerate++;
    else if (cleaned[t] === numbers) numbers++;
  }
  if (numbers + degenerate === cleaned.length) return null;
  const first = new Int32Array(numbers);
  for (let t = cleaned.length - 1; t >= 0; t--) if (cleaned[t] >= 0) first[cleaned[t]] = t;
  return first;
}

const pointAt = (positions: Float64Array, at: number): number[] => Array.from(positions.subarray(at, at + 3));

/** Pairs of a rule and an element after which the search stops: such a mesh is no surface. */
const MOST_PAIRS = 1_000_000;

type ContactRule = 'self-intersection' | 'self-touch';

export function lintContacts(surface: Surface, shells: Shells, cleaned: Int32Array, found: Findings): void {
  const rules = (['self-intersection', 'self-touch'] as const).filter((rule) => found.isOn(rule));
  if (rules.length === 0) return;
  const count = cleaned.length;
  // One number per pair sorts pairs by their triangles and shows if they are folded.
  const keys: Record<ContactRule, number[]> = { 'self-intersection': [], 'self-touch': [] };
  const complete = selfContacts(
    surface,
    (t, u, contact) => {
      const rule: ContactRule = contact === 'touch' ? 'self-touch' : 'self-intersection';
      if (!found.isOn(rule)) return false;
      return keys[rule].push(2 * (t * count + u) + Number(contact === 'fold')) >= MOST_PAIRS;
    },
    { ...shells, cleaned },
  );
  if (!complete) found.complete = false;
  for (const rule of rules) {
    const sorted = Float64Array.from(keys[rule]).sort();
    const listed = sorted.subarray(0, found.roomOf(rule));
    for (const key of listed) {
      const pair = Math.floor(key / 2);
      const [t, u] = [Math.floor(pair / count), pair % count];
      const message =
        rule === 'self-touch'
          ? 'two triangles touch where they share no vertex or edge'
          : key % 2 === 1
            ? 'two neighbors are folded onto each other'
            : 'two triangles cross';
      found.add(rule, { triangles: [t, u], count: 1, point: meetingPoint(surface, t, u), message });
    }
    found.count(rule, sorted.length - listed.length);
  }
}

const both = new Float64Array(18);
const segment: ContactSegment = {
  from: new Float64Array(3),
  to: new Float64Array(3),
  normal: new Float64Array(3),
  depth: 0,
};

function meetingPoint({ positions, triangles }: Surface, t: number, u: number): number[] {
  for (let k = 0; k < 6; k++) {
    const vertex = 3 * triangles[k < 3 ? 3 * t + k : 3 * u + k - 3];
    for (let axis = 0; axis < 3; axis++) both[3 * k + axis] = positions[vertex + axis];
  }
  contactSegment(both, 0, both, 9, segment);
  return Array.from(segment.from, (x, k) => x / 2 + segment.to[k] / 2);
}

/** A shell is stray if its diagonal is this many times smaller than the largest shell's. */
const DUST = 1000;
/** A shell this many times smaller is stray if it is farther from the largest than that is long. */
const SMALL = 10;

interface Parts {
  start: Uint32Array;
  triangles: Uint32Array;
  boxes: Float64Array;
}

export function lintShells(surface: Surface, shells: Shells, found: Findings): void {
  const inverted = found.isOn('inverted-shell') ? negativeShells(surface, shells) : null;
  const isStray = found.isOn('stray-part') && shells.count > 1;
  if (!inverted && !isStray) return;
  const parts = partsOf(surface, shells);
  if (inverted) lintInverted(surface, shells, parts, inverted, found);
  if (isStray) lintStray(surface, shells, parts, found);
}

interface NegativeShells {
  volumes: Float64Array;
  /** 1 for a shell that bounds a solid and has a negative volume. */
  isNegative: Uint8Array;
}

/** Null if there are none. A sign that rounding leaves open is not negative. */
function negativeShells(surface: Surface, shells: Shells): NegativeShells | null {
  const { volumes, errors } = shellVolumes(surface, shells);
  const isNegative = Uint8Array.from(volumes, (volume, s) =>
    Number(shells.shellBounds[s] === 1 && volume < -errors[s]),
  );
  return isNegative.includes(1) ? { volumes, isNegative } : null;
}

function partsOf({ positions }: Surface, { corners, shellOf, count }: Shells): Parts {
  const start = new Uint32Array(count + 1);
  for (let t = 0; t < shellOf.length; t++) start[shellOf[t] + 1]++;
  for (let s = 0; s < count; s++) start[s + 1] += start[s];
  const triangles = new Uint32Array(shellOf.length);
  const next = start.slice();
  const boxes = new Float64Array(6 * count);
  for (let s = 0; s < count; s++)
    boxes.fill(Number.POSITIVE_INFINITY, 6 * s, 6 * s + 3).fill(-Infinity, 6 * s + 3, 6 * s + 6);
  for (let t = 0; t < shellOf.length; t++) {
    triangles[next[shellOf[t]]++] = t;
    for (let c = 3 * t; c < 3 * t + 3; c++) widen(boxes, 6 * shellOf[t], positions, 3 * corners[c]);
  }
  return { start, triangles, boxes };
}

function widen(boxes: Float64Array, at: number, positions: Float64Array, point: number): void {
  const x = positions[point];
  const y = positions[point + 1];
  const z = positions[point + 2];
  if (x < boxes[at]) boxes[at] = x;
  if (y < boxes[at + 1]) boxes[at + 1] = y;
  if (z < boxes[at + 2]) boxes[at + 2] = z;
  if (x > boxes[at + 3]) boxes[at + 3] = x;
  if (y > boxes[at + 4]) boxes[at + 4] = y;
  if (z > boxes[at + 5]) boxes[at + 5] = z;
}

/** Reports negative shells unless other shells wind around them: those are cavities. */
function lintInverted(
  surface: Surface,
  shells: Shells,
  parts: Parts,
  { volumes, isNegative }: NegativeShells,
  found: Findings,
): void {
  const { positions } = surface;
  const { corners, shellBounds, count } = shells;
  const around = shellsAround(parts.boxes, isNegative, shellBounds);
  for (let s = 0; s < count; s++) {
    if (isNegative[s] === 0) continue;
    const first = parts.triangles[parts.start[s]];
    const at = 3 * corners[3 * first];
    if (areWoundAbout(surface, shells, parts, around.get(s) ?? [], s)) continue;
    const size = parts.start[s + 1] - parts.start[s];
    found.add('inverted-shell', {
      triangles: [first],
      count: size,
      point: Array.from(positions.subarray(at, at + 3)),
      message: `a shell of ${counted(size, 'triangle')} is inside out: its volume is ${short(volumes[s])}`,
    });
  }
}

/** Triangles of a shell to try: few lie on another shell. */
const MOST_POINTS = 64;

/** True if other shells wind around a point of this shell that is on none of them. */
function areWoundAbout(
  { positions }: Surface,
  { corners }: Shells,
  parts: Parts,
  others: readonly number[],
  s: number,
): boolean {
  if (others.length === 0) return false;
  const around = others.map((other) => trianglesOf(parts, other));
  let isOnInside = false;
  for (const triangle of trianglesOf(parts, s).subarray(0, MOST_POINTS)) {
    const points = [0, 1, 2].map((k) => 3 * corners[3 * triangle + k]);
    const middle = middleOf(Float64Array.from(points.flatMap((at) => Array.from(positions.subarray(at, at + 3)))));
    const winding = windingOfTriangles({ positions, triangles: corners }, around, middle);
    if (winding && winding.ahead === winding.behind) return winding.ahead > 0;
    if (winding && Math.max(winding.ahead, winding.behind) > 0) isOnInside = true;
  }
  return isOnInside;
}

/** Returns, for each asked shell, the bounding shells whose boxes contain its box. */
function shellsAround(boxes: Float64Array, isAsked: Uint8Array, shellBounds: Uint8Array): Map<number, number[]> {
  const around = new Map<number, number[]>();
  const add = (inner: number, outer: number): void => {
    if (isAsked[inner] === 0 || shellBounds[outer] === 0 || !holds(boxes, outer, inner)) return;
    const list = around.get(inner);
    if (list) list.push(outer);
    else around.set(inner, [outer]);
  };
  const ids = Uint32Array.from({ length: boxes.length / 2 }, (_, i) => Math.floor(i / 3));
  treeOfBoxes(boxes).forPairs(ids, (i, j) => {
    add(i, j);
    add(j, i);
    return false;
  });
  return around;
}

const trianglesOf = ({ start, triangles }: Parts, s: number): Uint32Array => triangles.subarray(start[s], start[s + 1]);

function holds(boxes: Float64Array, outer: number, inner: number): boolean {
  for (let k = 0; k < 3; k++) {
    if (boxes[6 * outer + k] > boxes[6 * inner + k] || boxes[6 * outer + 3 + k] < boxes[6 * inner + 3 + k])
      return false;
  }
  return true;
}

function lintStray({ positions }: Surface, { corners, count }: Shells, parts: Parts, found: Findings): void {
  const diagonals = Float64Array.from({ length: count }, (_, s) => diagonalOf(parts.boxes, s));
  let largest = 0;
  for (let s = 0; s < count; s++) if (diagonals[s] > diagonals[largest]) largest = s;
  const size = diagonals[largest];
  for (let s = 0; s < count; s++) {
    // A shell of zero size is a point; another rule covers it.
    if (s === largest || diagonals[s] === 0) continue;
    const isDust = diagonals[s] * DUST < size;
    const far = distanceOf(parts.boxes, s, largest);
    if (!isDust && !(diagonals[s] * SMALL < size && far > size)) continue;
    const first = parts.triangles[parts.start[s]];
    const many = counted(parts.start[s + 1] - parts.start[s], 'triangle');
    const smaller = `${Number((size / diagonals[s]).toPrecision(3)).toLocaleString('en-US')} times smaller than the largest`;
    const where = isDust ? '' : `, ${short(far)} away from it`;
    found.add('stray-part', {
      triangles: [first],
      count: parts.start[s + 1] - parts.start[s],
      point: Array.from(positions.subarray(3 * corners[3 * first], 3 * corners[3 * first] + 3)),
      message: `a part of ${many}, ${smaller}${where}`,
    });
  }
}

function diagonalOf(boxes: Float64Array, s: number): number {
  let sum = 0;
  for (let k = 6 * s; k < 6 * s + 3; k++) sum += (boxes[k + 3] - boxes[k]) ** 2;
  return Math.sqrt(sum);
}

function distanceOf(boxes: Float64Array, a: number, b: number): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const gap = Math.max(boxes[6 * a + k] - boxes[6 * b + 3 + k], boxes[6 * b + k] - boxes[6 * a + 3 + k], 0);
    sum += gap * gap;
  }
  return Math.sqrt(sum);
}
