/**
 * Finds exactly every pair of triangles of a mesh that meet beside the vertices and edges that they
 * share.
 *
 * Coincident vertices are merged, as in shells.ts. Each pair is met once. For pairs with area on
 * different vertices
 * - without a shared vertex, a tree of boxes descended against itself finds those whose boxes meet
 *   (triangle-tree.ts), and triangle-triangle.ts decides;
 * - with one shared vertex, the triangles around it are taken two by two, and adjacent-triangles.ts
 *   decides;
 * - with two, the same happens at the vertex with the lesser number.
 *
 * Triangles on the same three vertices repeat each other, and the first one stands for all.
 * Triangles without area are segments or points, and part of a gap that their neighbors leave.
 * Neither takes part: lint has other rules for them.
 *
 * Many triangles around one vertex, as a cone's, would make their number's square of pairs. If more
 * than FAN, boxes of their directions separate them. On the unit sphere around the vertex (v, a, b)
 * is the arc from a to b, and the arcs of two that meet beside v share a point. The arc from u to w
 * lies no farther from its chord than the middle of the arc does, 1 - |u + w| / 2 away. More than
 * FAN triangles at one edge are separated by the direction of (a - p) x (q - p), the same for two
 * that are folded onto each other.
 *
 * Rounding of boxes, e = 2^-53. A direction d = x - v has a relative error of e a coordinate, from
 * one subtraction. It is then divided by its largest coordinate, which makes it normal, and by its
 * length, which is off by less than 6 e: ROUNDING = 2^-48 is more than a coordinate loses by all of
 * that. If something overflows or cancels to nothing, the box is that of all directions.
 */

import { requireMeshArrays, requireThat } from '../base/require.ts';
import { APART, CROSS, fanContact, isFolded, planarAxis } from '../geometry/adjacent-triangles.ts';
import { TINY } from '../geometry/orient.ts';
import { trianglesCrossAt, trianglesIntersectAt } from '../geometry/triangle-triangle.ts';
import { distinctTriangles } from './clean.ts';
import { forPairsByKernel } from './self-pairs.ts';
import { type Shells, shellsOf } from './shells.ts';
import { proveStars } from './simple-stars.ts';
import type { Surface } from './topology.ts';
import { nextInTriangle, readTriangle } from './topology.ts';
import { TriangleTree, treeOfBoxes } from './triangle-tree.ts';

/** How two triangles meet. */
export type SelfContact =
  /** They share points within both. */
  | 'cross'
  /** They share points beside common vertices and edges, but none within both. */
  | 'touch'
  /** They share an edge and lie in one plane on one side of it; points within both, too. */
  | 'fold';

/** Most triangles around a vertex, or at an edge, that are compared two by two. */
const FAN = 24;

/** More than the rounding of a direction's coordinate. */
const ROUNDING = 2 ** -48;

interface Known extends Pick<Shells, 'corners' | 'edgeOf' | 'edgeKinds'> {
  /** Result of `distinctTriangles` for these corners. */
  cleaned?: Int32Array;
}

/**
 * Reports every pair of triangles that meet beside the vertices and edges that they share: once
 * each, t below u, in an order that depends on the mesh alone.
 *
 * @param surface any triangles, degenerate ones too; not changed
 * @param onPair receives the triangles' numbers; ends the search by returning true
 * @param known results for this surface, which is then not checked
 * @returns true if the search came to its end
 * @throws MeshError for an invalid surface
 * @example const pairs: number[][] = [];
 *          selfContacts(readObj(bytes), (t, u) => { pairs.push([t, u]); }) // true
 *          pairs.length // 0
 */
export function selfContacts(
  surface: Surface,
  onPair: (t: number, u: number, contact: SelfContact) => unknown,
  known?: Known,
): boolean {
  if (!known) requireMeshArrays(surface, 'surface');
  requireThat(typeof onPair === 'function', 'onPair', 'a function', onPair);
  const { positions } = surface;
  const { corners, source, isIrregular } = solidTriangles(positions, known ?? shellsOf(surface));
  if (source.length === 0) return true;
  proveStars(positions, corners, isIrregular);
  const hand = (t: number, u: number, contact: SelfContact): boolean =>
    onPair(Math.min(source[t], source[u]), Math.max(source[t], source[u]), contact) === true;
  return !contactsOfStars(positions, corners, isIrregular, hand) && !contactsApart(positions, corners, hand);
}

type Hand = (t: number, u: number, contact: SelfContact) => boolean;

interface SolidTriangles {
  corners: Uint32Array;
  source: Uint32Array;
  /** 1 for vertices with an edge of other than two triangles that agree, or of one left out. */
  isIrregular: Uint8Array;
}

function solidTriangles(
  positions: Float64Array,
  { corners: joined, edgeKinds, cleaned = distinctTriangles(joined).cleaned }: Known,
): SolidTriangles {
  const isIrregular = new Uint8Array(positions.length / 3);
  for (let edge = 0; edge < edgeKinds.length; edge++) {
    if (edgeKinds[edge] !== 0) isIrregular[joined[edge]] = isIrregular[joined[nextInTriangle(edge)]] = 1;
  }
  const corners = new Uint32Array(joined.length);
  const source = new Uint32Array(cleaned.length);
  let count = 0;
  let next = 0;
  for (let t = 0; t < cleaned.length; t++) {
    const isFirst = cleaned[t] === next;
    if (isFirst) next++;
    const [a, b, c] = [joined[3 * t], joined[3 * t + 1], joined[3 * t + 2]];
    if (!isFirst || planarAxis(positions, 3 * a, 3 * b, 3 * c) < 0) {
      isIrregular[a] = isIrregular[b] = isIrregular[c] = 1;
      continue;
    }
    corners[3 * count] = a;
    corners[3 * count + 1] = b;
    corners[3 * count + 2] = c;
    source[count++] = t;
  }
  return { corners: corners.subarray(0, 3 * count), source: source.subarray(0, count), isIrregular };
}

function contactsApart(positions: Float64Array, corners: Uint32Array, hand: Hand): boolean {
  const surface = { positions, triangles: corners };
  const nine = new Float64Array(9);
  const others = new Float64Array(9);
  let read = -1;
  let met = 0;
  let known = 0;
  const compare = (t: number, u: number): boolean => {
    if (t !== read) readTriangle(positions, corners, t, nine);
    read = t;
    readTriangle(positions, corners, u, others);
    if (!trianglesIntersectAt(nine, 0, others, 0) || met++ < known) return false;
    return hand(t, u, trianglesCrossAt(nine, 0, others, 0) ? 'cross' : 'touch');
  };
  const isEnded = forPairsByKernel(surface, compare);
  if (isEnded !== undefined) return isEnded;
  // The first ones again, in the same order.
  known = met;
  met = 0;
  return new TriangleTree(surface).forPairs(corners, compare);
}

interface Star {
  vertex: number;
  count: number;
  triangles: Uint32Array;
  a: Uint32Array;
  b: Uint32Array;
  /** For up to FAN triangles: see `readCones`. Per star, as `onPair` may search, too. */
  cones: Float64Array;
}

function contactsOfStars(positions: Float64Array, corners: Uint32Array, isAsked: Uint8Array, hand: Hand): boolean {
  const vertexCount = positions.length / 3;
  const start = new Uint32Array(vertexCount + 1);
  for (let c = 0; c < corners.length; c++) start[corners[c] + 1] += isAsked[corners[c]];
  let most = 0;
  for (let v = 0; v < vertexCount; v++) {
    most = Math.max(most, start[v + 1]);
    start[v + 1] += start[v];
  }
  const sides = new Uint32Array(start[vertexCount]);
  for (let c = 0; c < corners.length; c++) if (isAsked[corners[c]] !== 0) sides[start[corners[c]]++] = c;
  const room = (): Uint32Array => new Uint32Array(most);
  const cones = new Float64Array(CONE * FAN);
  const star: Star = { vertex: 0, count: 0, triangles: room(), a: room(), b: room(), cones };
  let from = 0;
  for (let v = 0; v < vertexCount; v++) {
    const end = start[v]; // which is where v's sides end, now that they are filled in
    if (end === from) continue;
    star.vertex = v;
    star.count = end - from;
    for (let i = 0; i < star.count; i++) {
      const side = sides[from + i];
      const base = side - (side % 3);
      star.triangles[i] = base / 3;
      star.a[i] = corners[base + ((side + 1 - base) % 3)];
      star.b[i] = corners[base + ((side + 2 - base) % 3)];
    }
    from = end;
    if (star.count > FAN ? contactsOfLargeStar(positions, star, hand) : contactsOfStar(positions, star, hand))
      return true;
  }
  return false;
}

function contactsOfStar(positions: Float64Array, star: Star, hand: Hand): boolean {
  const { a, b, count, cones } = star;
  readCones(positions, star);
  for (let i = 0; i < count; i++)
    for (let j = i + 1; j < count; j++) {
      const isNeighbour = a[i] === a[j] || a[i] === b[j] || b[i] === a[j] || b[i] === b[j];
      if (!isNeighbour && conesApart(cones, i, j)) continue;
      if (contactOf(positions, star, i, j, hand)) return true;
    }
  return false;
}

/** Numbers of a cone: from the vertex to a and to b, and the sum of the two as unit vectors. */
const CONE = 9;

function readCones(p: Float64Array, { vertex, count, a, b, cones }: Star): void {
  const v = 3 * vertex;
  for (let i = 0; i < count; i++) {
    const at = CONE * i;
    cones.fill(0, at + 6, at + 9);
    for (let k = 0; k < 2; k++) {
      const to = 3 * (k === 0 ? a[i] : b[i]);
      const x = p[to] - p[v];
      const y = p[to + 1] - p[v + 1];
      const z = p[to + 2] - p[v + 2];
      const length = Math.sqrt(x * x + y * y + z * z);
      cones[at + 3 * k] = x;
      cones[at + 3 * k + 1] = y;
      cones[at + 3 * k + 2] = z;
      cones[at + 6] += x / length;
      cones[at + 7] += y / length;
      cones[at + 8] += z / length;
    }
  }
}

/**
 * True if the plane through the vertex at right angles to w, the difference of two cones' sums,
 * surely separates them. It separates most that share a vertex alone, also in flat parts of a mesh,
 * where their own planes would need exact arithmetic. Whatever w is, both are apart if all of one
 * has a positive product with it and all of the other a negative one. A product passes through 4
 * roundings, of a difference, a product and two sums. So it is off by less than 5 e times the sum
 * of its terms' sizes, and 8 e times the computed sum is more; TINY outweighs underflow, and
 * overflow fails.
 */
function conesApart(cones: Float64Array, i: number, j: number): boolean {
  const p = CONE * i;
  const q = CONE * j;
  const x = cones[p + 6] - cones[q + 6];
  const y = cones[p + 7] - cones[q + 7];
  const z = cones[p + 8] - cones[q + 8];
  return (
    isAlong(cones, p, x, y, z) &&
    isAlong(cones, p + 3, x, y, z) &&
    isAlong(cones, q, -x, -y, -z) &&
    isAlong(cones, q + 3, -x, -y, -z)
  );
}

function isAlong(cones: Float64Array, at: number, x: number, y: number, z: number): boolean {
  const u = cones[at] * x;
  const v = cones[at + 1] * y;
  const w = cones[at + 2] * z;
  return u + v + w > ERROR_ALONG * (Math.abs(u) + Math.abs(v) + Math.abs(w)) + TINY;
}

const ERROR_ALONG = 8 * 2 ** -53;

function contactOf(
  positions: Float64Array,
  { vertex, triangles, a, b }: Star,
  i: number,
  j: number,
  hand: Hand,
): boolean {
  const p = a[i];
  const q = b[i];
  const r = a[j];
  const s = b[j];
  if (p === r || p === s || q === r || q === s) {
    const shared = p === r || p === s ? p : q;
    if (shared < vertex) return false;
    const other = r === shared ? s : r;
    if (!isFolded(positions, 3 * vertex, 3 * shared, 3 * (shared === p ? q : p), 3 * other)) return false;
    return hand(triangles[i], triangles[j], 'fold');
  }
  const contact = fanContact(positions, 3 * vertex, 3 * p, 3 * q, 3 * r, 3 * s);
  if (contact === APART) return false;
  return hand(triangles[i], triangles[j], contact === CROSS ? 'cross' : 'touch');
}

function contactsOfLargeStar(positions: Float64Array, star: Star, hand: Hand): boolean {
  const { vertex, count, a, b } = star;
  const arcs = new Float64Array(6 * count);
  const ends = new Uint32Array(3 * count);
  for (let i = 0; i < count; i++) {
    readDirection(positions, vertex, a[i], 0);
    readDirection(positions, vertex, b[i], 3);
    writeArc(arcs, 6 * i);
    ends.set([a[i], b[i], b[i]], 3 * i);
  }
  const compare = (i: number, j: number): boolean => contactOf(positions, star, i, j, hand);
  return treeOfBoxes(arcs).forPairs(ends, compare) || foldsOfLargeStar(positions, star, compare);
}

function foldsOfLargeStar(positions: Float64Array, star: Star, compare: (i: number, j: number) => boolean): boolean {
  const { vertex, count, a, b } = star;
  // Each triangle under each of its other corners, in the corners' order.
  const keys = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    keys[2 * i] = a[i] * count + i;
    keys[2 * i + 1] = b[i] * count + i;
  }
  keys.sort();
  const cornerOf = (k: number): number => Math.floor(keys[k] / count);
  for (let from = 0, end = 0; from < keys.length; from = end) {
    const corner = cornerOf(from);
    while (end < keys.length && cornerOf(end) === corner) end++;
    if (corner < vertex || end - from < 2) continue;
    const page = Uint32Array.from(keys.subarray(from, end), (key) => key - corner * count);
    if (page.length > FAN ? foldsOfBook(positions, star, corner, page, compare) : foldsOfPages(page, compare))
      return true;
  }
  return false;
}

function foldsOfPages(page: Uint32Array, compare: (i: number, j: number) => boolean): boolean {
  for (let i = 0; i < page.length; i++)
    for (let j = i + 1; j < page.length; j++) if (compare(page[i], page[j])) return true;
  return false;
}

function foldsOfBook(
  positions: Float64Array,
  { vertex, a, b }: Star,
  corner: number,
  page: Uint32Array,
  compare: (i: number, j: number) => boolean,
): boolean {
  const normals = new Float64Array(6 * page.length);
  const third = new Uint32Array(3 * page.length);
  for (let k = 0; k < page.length; k++) {
    const other = a[page[k]] === corner ? b[page[k]] : a[page[k]];
    writeNormal(positions, vertex, corner, other, normals, 6 * k);
    third.fill(other, 3 * k, 3 * k + 3);
  }
  return treeOfBoxes(normals).forPairs(third, (i, j) => compare(page[i], page[j]));
}

const directions = new Float64Array(6);

function readDirection(p: Float64Array, from: number, to: number, at: number): void {
  const x = p[3 * to] - p[3 * from];
  const y = p[3 * to + 1] - p[3 * from + 1];
  const z = p[3 * to + 2] - p[3 * from + 2];
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  const [u, v, w] = [x / most, y / most, z / most];
  const length = Math.sqrt(u * u + v * v + w * w);
  directions[at] = u / length;
  directions[at + 1] = v / length;
  directions[at + 2] = w / length;
}

function writeArc(boxes: Float64Array, at: number): void {
  let square = 0;
  for (let k = 0; k < 3; k++) square += (directions[k] + directions[3 + k]) ** 2;
  const reach = Math.max(0, 1 - Math.sqrt(square) / 2) + ROUNDING;
  for (let k = 0; k < 3; k++) {
    boxes[at + k] = Math.min(directions[k], directions[3 + k]) - reach;
    boxes[at + 3 + k] = Math.max(directions[k], directions[3 + k]) + reach;
  }
  holdAllUnlessKnown(boxes, at);
}

/** Writes the box of the direction of (other - p) x (q - p). */
function writeNormal(x: Float64Array, p: number, q: number, other: number, boxes: Float64Array, at: number): void {
  readDirection(x, p, other, 0);
  readDirection(x, p, q, 3);
  let square = 0;
  for (let k = 0; k < 3; k++) {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    boxes[at + k] = directions[i] * directions[3 + j] - directions[j] * directions[3 + i];
    square += boxes[at + k] ** 2;
  }
  const length = Math.sqrt(square);
  // Coordinates up to 1 are off by less than ROUNDING. So products and their difference are off by
  // 8 of it, a vector's length by at most twice its coordinates, and the quotient by 32 of it.
  const reach = (32 * ROUNDING) / length;
  for (let k = 0; k < 3; k++) {
    boxes[at + 3 + k] = boxes[at + k] / length + reach;
    boxes[at + k] = boxes[at + k] / length - reach;
  }
  if (!(reach < 1)) boxes[at] = Number.NaN;
  holdAllUnlessKnown(boxes, at);
}

function holdAllUnlessKnown(boxes: Float64Array, at: number): void {
  for (let k = at; k < at + 6; k++)
    if (Number.isNaN(boxes[k])) return void boxes.fill(-2, at, at + 3).fill(2, at + 3, at + 6);
}
