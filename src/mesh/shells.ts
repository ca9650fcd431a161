/**
 * A mesh's shells and edges, and whether it bounds a solid.
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
 * lowest of its sides; a side from a vertex to itself has no edge. Linear in the mesh, whatever the
 * vertices' degrees: the lists of topology.ts, with the edge's number instead of twins.
 */
import { weld } from './clean.ts';
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
  const { representative } = weld({ positions, triangles });
  const corners = triangles.map((vertex) => representative[vertex]);
  const edgeOf = numberEdges(corners, positions.length / 3);
  const { shellOf, count } = joinTriangles(edgeOf);
  const { edgeKinds, openEdges, unbalanced, nonManifoldEdges } = judgeEdges(corners, edgeOf);

  const shellBounds = new Uint8Array(count).fill(1);
  let first = NO_EDGE;
  for (let side = edgeKinds.length - 1; side >= 0; side--) {
    if ((edgeKinds[side] & UNBALANCED_EDGE) === 0) continue;
    shellBounds[shellOf[(side / 3) | 0]] = 0;
    first = side;
  }
  const bounds = unbalanced === 0;
  const firstUnbalanced = bounds ? null : placeOf({ positions, triangles: corners }, first);
  return {
    ...{ corners, edgeOf, edgeKinds, shellOf, count, shellBounds },
    ...{ openEdges, unbalanced, nonManifoldEdges, bounds, firstUnbalanced },
  };
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

function numberEdges(corners: Uint32Array, vertexCount: number): Int32Array {
  // For every vertex a list of the sides whose other end has a higher number, in order. Until its
  // edge is looked at, edgeOf[side] is the link to the next one.
  const edgeOf = new Int32Array(corners.length);
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
  return edgeOf;
}

function judgeEdges(corners: Uint32Array, edgeOf: Int32Array) {
  // Sides that run as the edge's first one less those against it: odd if the number of sides is.
  const surplus = new Int32Array(corners.length);
  const faces = new Uint32Array(corners.length);
  for (let side = 0; side < corners.length; side++) {
    const edge = edgeOf[side];
    if (edge === NO_EDGE) continue;
    surplus[edge] += corners[side] === corners[edge] ? 1 : -1;
    if (hasThreeCorners(corners, side)) faces[edge]++;
  }
  const edgeKinds = new Uint8Array(corners.length);
  let openEdges = 0;
  let unbalanced = 0;
  let nonManifoldEdges = 0;
  for (let edge = 0; edge < corners.length; edge++) {
    const open = surplus[edge] % 2 !== 0;
    if (open) openEdges++;
    if (surplus[edge] !== 0) unbalanced++;
    if (faces[edge] > 2) nonManifoldEdges++;
    edgeKinds[edge] =
      (open ? OPEN_EDGE : 0) | (surplus[edge] !== 0 ? UNBALANCED_EDGE : 0) | (faces[edge] > 2 ? NON_MANIFOLD_EDGE : 0);
  }
  return { edgeKinds, openEdges, unbalanced, nonManifoldEdges };
}

/** False for a triangle that repeats a vertex; its other two sides have edges as well. */
function hasThreeCorners(corners: Uint32Array, side: number): boolean {
  const t = side - (side % 3);
  return corners[t] !== corners[t + 1] && corners[t + 1] !== corners[t + 2] && corners[t + 2] !== corners[t];
}

/**
 * Joins the triangles of each edge: union-find whose roots are the lowest triangles, with halved
 * paths (R. Tarjan, J. van Leeuwen, "Worst-case Analysis of Set Union Algorithms", J. ACM 31,
 * 1984).
 */
function joinTriangles(edgeOf: Int32Array): { shellOf: Uint32Array; count: number } {
  const above = Uint32Array.from({ length: edgeOf.length / 3 }, (_, t) => t);
  for (let side = 0; side < edgeOf.length; side++) {
    const edge = edgeOf[side];
    if (edge === NO_EDGE || edge === side) continue;
    const a = rootOf(above, (edge / 3) | 0);
    const b = rootOf(above, (side / 3) | 0);
    if (a < b) above[b] = a;
    else above[a] = b;
  }
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
