/**
 * A mesh's shells and edges, and a test if it bounds a solid.
 *
 * Vertices at one point are one vertex, as STL files and the seams of textured meshes need.
 *
 * Test for a solid. Let D be the sum of the triangles' oriented sides, as a chain: a side from p to
 * q counts +1 for the edge pq, one from q to p -1. D is zero exactly if every edge is run through
 * as often in one direction as in the other. The triangles are a cycle then, which winds around
 * every point off it a whole number of times. That number is the same along any path that does not
 * cross it. So there is an inside, and the signed volume (Gauss) is that of the points, each
 * counted as often as it is wound around. Otherwise a path leads from any point to any other that
 * the sum does not notice. Four triangles at an edge, as of two cubes that share one, may be
 * balanced. Two that both run the same way are not, though nothing is open there.
 *
 * Side 3t + k runs from corner k of triangle t to the next one. An edge has the number of the
 * lowest of its sides; a side from a vertex to itself has no edge. Linear in the mesh, for vertices
 * of any degree: if lists of edges become long, the lists of sides of topology.ts take over.
 */
import { compareCorners, distinctTriangles, weld } from './clean.ts';
import { nextInTriangle, type Surface } from './topology.ts';

/** `edgeOf` of a side from a vertex to itself. */
export const NO_EDGE = -1;

/** `edgeKinds`: an edge of an odd number of sides, which is unbalanced, too. */
export const OPEN_EDGE = 1;
/** `edgeKinds`: run through more often in one direction than in the other. */
export const UNBALANCED_EDGE = 2;
/** `edgeKinds`: of more than two triangles that have three corners. */
export const NON_MANIFOLD_EDGE = 4;

export interface OpenPlace {
  triangle: number;
  from: [number, number, number];
  to: [number, number, number];
}

export interface Shells {
  /** Three vertex numbers a triangle; the first in use of vertices at one point. */
  corners: Uint32Array;
  /** Per side the number of its edge, that of the edge's first side; or NO_EDGE. */
  edgeOf: Int32Array;
  /** Per edge number: OPEN_EDGE, UNBALANCED_EDGE, NON_MANIFOLD_EDGE, or their sum. */
  edgeKinds: Uint8Array;
  /** Per triangle its shell. Shells are numbered by their first triangles. */
  shellOf: Uint32Array;
  /** Number of shells: groups of triangles connected over shared edges. */
  count: number;
  /** 1 for a shell without unbalanced edges: it bounds a solid by itself. */
  shellBounds: Uint8Array;
  /** Edges of an odd number of sides. */
  openEdges: number;
  /** Edges that triangles run through more often in one direction; all open ones are. */
  unbalanced: number;
  /** Edges of more than two triangles; triangles that repeat a vertex do not count. */
  nonManifoldEdges: number;
  /** True if no edge is unbalanced: the surface is closed and consistently oriented. */
  bounds: boolean;
  firstUnbalanced: OpenPlace | null;
}

/**
 * Finds the shells and the edges of a surface. Needs about 60 bytes a triangle, and leaves 31.
 *
 * @param surface any triangles, degenerate and repeated ones too; positions finite; not changed
 */
export function shellsOf({ positions, triangles }: Surface): Shells {
  const { representative, weldedVertices } = weld({ positions, triangles });
  const corners = triangles.slice();
  if (weldedVertices > 0) for (let c = 0; c < corners.length; c++) corners[c] = representative[corners[c]];
  const { edgeOf, tally, above } = meetSides(corners, positions.length / 3);
  const { edgeKinds, ...counts } = judgeEdges(edgeOf, tally);
  const { shellOf, count } = numberShells(above);

  const shellBounds = new Uint8Array(count).fill(1);
  let first = NO_EDGE;
  for (let side = counts.unbalanced > 0 ? edgeKinds.length - 1 : -1; side >= 0; side--) {
    if ((edgeKinds[side] & UNBALANCED_EDGE) === 0) continue;
    shellBounds[shellOf[(side / 3) | 0]] = 0;
    first = side;
  }
  const bounds = counts.unbalanced === 0;
  const firstUnbalanced = bounds ? null : placeOf({ positions, triangles: corners }, first);
  return { corners, edgeOf, edgeKinds, shellOf, count, shellBounds, ...counts, bounds, firstUnbalanced };
}

export function placeOf({ positions, triangles }: Surface, side: number): OpenPlace {
  const point = (vertex: number): [number, number, number] => [
    positions[3 * vertex],
    positions[3 * vertex + 1],
    positions[3 * vertex + 2],
  ];
  return {
    triangle: (side / 3) | 0,
    from: point(triangles[side]),
    to: point(triangles[nextInTriangle(side)]),
  };
}

/** Why a surface bounds no solid, to read on after its name; null if it does. */
export function whyOpen({ bounds, openEdges, unbalanced, firstUnbalanced }: Shells): string | null {
  if (bounds || !firstUnbalanced) return null;
  const { triangle, from, to } = firstUnbalanced;
  const edges = (count: number): string => `${count} ${count === 1 ? 'edge' : 'edges'}`;
  const place = `one of them from (${from.join(' ')}) to (${to.join(' ')}), of triangle ${triangle}`;
  if (openEdges > 0) return `is open at ${edges(openEdges)}, ${place}`;
  return `is closed, but its triangles disagree on what is inside at ${edges(unbalanced)}, ${place}`;
}

/** The known data of sides, edges and shells, while sides are read one after the other. */
interface Meeting {
  edgeOf: Int32Array;
  /** By edge: UP for each side from its lower vertex, DOWN for others, and a 1 for each face. */
  tally: Int32Array;
  /**
   * Per triangle one of its shell, lower or itself: union-find whose roots are the lowest
   * triangles, with halved paths (R. Tarjan, J. van Leeuwen, "Worst-case Analysis of Set Union
   * Algorithms", J. ACM 31, 1984).
   */
  above: Uint32Array;
}

const UP = 4;
const DOWN = -UP;
/** Faces are triangles with three corners. */
const FACES = UP - 1;

/** A list that is longer on average belongs to no usual surface. */
const LONG = 16;
/** Link of a side that is not its edge's first. */
const LATER = -2;

/**
 * Finds the edge of each side, and takes both into account at once. For every vertex there is a
 * list of the edges whose other end has a higher number: three on average, and near in memory.
 * One pass takes a quarter of the time of one for the edges, one for the shells, one for kinds.
 */
function meetSides(corners: Uint32Array, vertexCount: number): Meeting {
  const meeting = emptyMeeting(corners);
  const { edgeOf, tally, above } = meeting;
  const link = new Int32Array(corners.length);
  const listHead = new Int32Array(vertexCount).fill(-1);
  let steps = LONG * (corners.length + LONG);
  for (let side = 0, t = 0; side < corners.length; t++) {
    const face = hasThreeCorners(corners, side) ? 1 : 0;
    let from = corners[side];
    for (const end = side + 3; side < end; side++) {
      const to = corners[side + 1 < end ? side + 1 : end - 3];
      const low = from < to ? from : to;
      const high = from < to ? to : from;
      const way = from < to ? UP : DOWN;
      from = to;
      link[side] = LATER;
      if (low === high) {
        edgeOf[side] = NO_EDGE;
        continue;
      }
      // For an edge's first side, edgeOf holds the edge's higher end until all are done.
      let edge = listHead[low];
      for (; edge >= 0 && edgeOf[edge] !== high; edge = link[edge]) steps--;
      if (edge < 0) {
        link[side] = listHead[low];
        listHead[low] = side;
        edgeOf[side] = high;
        tally[side] = way + face;
      } else {
        edgeOf[side] = edge;
        tally[edge] = added(tally[edge], way + face);
        join(above, (edge / 3) | 0, t);
      }
    }
    if (steps < 0) return meetListed(corners, vertexCount);
  }
  for (let side = 0; side < edgeOf.length; side++) if (link[side] !== LATER) edgeOf[side] = side;
  return meeting;
}

function emptyMeeting({ length }: Uint32Array): Meeting {
  const above = new Uint32Array(length / 3);
  for (let t = 0; t < above.length; t++) above[t] = t;
  return { edgeOf: new Int32Array(length), tally: new Int32Array(length), above };
}

/** @param more UP or DOWN, plus 1 for a face */
const added = (count: number, more: number): number => count + ((count & FACES) === FACES ? more & ~FACES : more);

function join(above: Uint32Array, t: number, u: number): void {
  const a = rootOf(above, t);
  const b = rootOf(above, u);
  if (a < b) above[b] = a;
  else above[a] = b;
}

/** The same in linear time, for vertices of any degree. */
function meetListed(corners: Uint32Array, vertexCount: number): Meeting {
  const meeting = emptyMeeting(corners);
  const { edgeOf, tally, above } = meeting;
  listSides(corners, vertexCount, edgeOf);
  for (let side = 0; side < corners.length; side++) {
    const edge = edgeOf[side];
    if (edge === NO_EDGE) continue;
    const way = corners[side] < corners[nextInTriangle(side)] ? UP : DOWN;
    tally[edge] = added(tally[edge], way + (hasThreeCorners(corners, side) ? 1 : 0));
    if (edge !== side) join(above, (edge / 3) | 0, (side / 3) | 0);
  }
  return meeting;
}

function listSides(corners: Uint32Array, vertexCount: number, edgeOf: Int32Array): void {
  // For every vertex a list of the sides whose other end has a higher number, in order. Until its
  // edge is looked at, edgeOf[side] is the link to the next one.
  const listHead = new Int32Array(vertexCount).fill(-1);
  for (let side = corners.length - 1; side >= 0; side--) {
    const from = corners[side];
    const to = corners[nextInTriangle(side)];
    if (from === to) {
      edgeOf[side] = NO_EDGE;
      continue;
    }
    const low = from < to ? from : to;
    edgeOf[side] = listHead[low];
    listHead[low] = side;
  }
  // first[high] is the first side between low and high, if seenFrom[high] is low.
  const first = new Int32Array(vertexCount);
  const seenFrom = new Int32Array(vertexCount).fill(-1);
  for (let low = 0; low < vertexCount; low++) {
    for (let side = listHead[low], link = 0; side >= 0; side = link) {
      link = edgeOf[side];
      const from = corners[side];
      const high = from === low ? corners[nextInTriangle(side)] : from;
      if (seenFrom[high] !== low) {
        seenFrom[high] = low;
        first[high] = side;
      }
      edgeOf[side] = first[high];
    }
  }
}

function judgeEdges(edgeOf: Int32Array, tally: Int32Array) {
  const edgeKinds = new Uint8Array(tally.length);
  let openEdges = 0;
  let unbalanced = 0;
  let nonManifoldEdges = 0;
  for (let edge = 0; edge < tally.length; edge++) {
    // Two triangles, one up and one down; or no edge's number.
    if (edgeOf[edge] !== edge || tally[edge] === 2) continue;
    const surplus = tally[edge] >> 2;
    const isCrowded = (tally[edge] & FACES) === FACES;
    if (surplus % 2 !== 0) openEdges++;
    if (surplus !== 0) unbalanced++;
    if (isCrowded) nonManifoldEdges++;
    edgeKinds[edge] =
      (surplus % 2 !== 0 ? OPEN_EDGE : 0) | (surplus !== 0 ? UNBALANCED_EDGE : 0) | (isCrowded ? NON_MANIFOLD_EDGE : 0);
  }
  return { edgeKinds, openEdges, unbalanced, nonManifoldEdges };
}

/** False for a triangle that repeats a vertex; its other two sides have edges as well. */
function hasThreeCorners(corners: Uint32Array, side: number): boolean {
  const t = side - (side % 3);
  return corners[t] !== corners[t + 1] && corners[t + 1] !== corners[t + 2] && corners[t + 2] !== corners[t];
}

function numberShells(above: Uint32Array): { shellOf: Uint32Array; count: number } {
  // A root comes before all its triangles, so its number is there already.
  let count = 0;
  for (let t = 0; t < above.length; t++) above[t] = above[t] === t ? count++ : above[above[t]];
  return { shellOf: above, count };
}

function rootOf(above: Uint32Array, t: number): number {
  while (above[t] !== t) {
    above[t] = above[above[t]];
    t = above[t];
  }
  return t;
}

/**
 * Finds repeated triangles by their edges, which takes a tenth of the time of a table of all
 * triangles.
 *
 * A triangle that repeats an earlier one lies at all its edges. At an edge of up to two triangles,
 * only the first one can be repeated. Triangles whose edges all have more, or begin with a
 * degenerate triangle, are compared among themselves: those that they repeat are such as well.
 *
 * @returns `cleaned` of `distinctTriangles(corners)`
 */
export function repeatsOf({ corners, edgeOf, edgeKinds }: Shells): Int32Array {
  // First the first triangle on the same corners, then its number.
  const cleaned = new Int32Array(corners.length / 3);
  const crowded: number[] = [];
  for (let t = 0; t < cleaned.length; t++) {
    cleaned[t] = firstAtEdges(corners, edgeOf, edgeKinds, t);
    if (cleaned[t] === CROWDED) crowded.push(t);
  }
  const own = new Uint32Array(3 * crowded.length);
  for (const [i, t] of crowded.entries()) own.set(corners.subarray(3 * t, 3 * t + 3), 3 * i);
  const firsts: number[] = [];
  for (const [i, number] of distinctTriangles(own).cleaned.entries()) {
    if (number === firsts.length) firsts.push(crowded[i]);
    cleaned[crowded[i]] = firsts[number];
  }
  let next = 0;
  for (let t = 0; t < cleaned.length; t++) {
    if (cleaned[t] >= 0) cleaned[t] = cleaned[t] === t ? next++ : cleaned[cleaned[t]];
  }
  return cleaned;
}

const CROWDED = -2;

/** The first triangle on the corners of t; -1 if t is degenerate, CROWDED if no edge decides. */
function firstAtEdges(corners: Uint32Array, edgeOf: Int32Array, edgeKinds: Uint8Array, t: number): number {
  if (!hasThreeCorners(corners, 3 * t)) return -1;
  for (let side = 3 * t; side < 3 * t + 3; side++) {
    const edge = edgeOf[side];
    if ((edgeKinds[edge] & NON_MANIFOLD_EDGE) !== 0) continue;
    const u = (edge / 3) | 0;
    if (u === t) return t;
    if (!hasThreeCorners(corners, edge)) continue;
    return compareCorners(corners, 3 * u, corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]) === 0 ? t : u;
  }
  return CROWDED;
}
