/**
 * Cuts a clean mesh into an oriented manifold. It cuts along edges of three or more triangles,
 * along a line that gives a one-sided piece two sides, and at vertices with several fans.
 *
 * A. Gueziec, G. Taubin, F. Lazarus, W. Horn, "Cutting and Stitching: Converting Sets of Polygons
 * to Manifold Surfaces", IEEE TVCG 7(2), 2001, section 4 (their local method, without stitching).
 *
 * The result is a manifold: every half-edge has one twin at most, so the triangles around a vertex,
 * joined across edges, form paths and cycles, the fans. Every fan gets a vertex of its own: a disk
 * or half of one. Twins agree because an edge whose triangles still disagree after the walk below
 * is opened. The walk goes breadth first through every piece and turns each triangle to agree with
 * the one it was reached from. A piece that agreed keeps all its triangles, since its first one
 * stays.
 */

import type { CleanMesh } from './clean.ts';
import { halfedges, NON_MANIFOLD, nextInTriangle, OPEN, previousInTriangle } from './topology.ts';

/** Every vertex has one fan, every edge one triangle or two that agree. */
export interface ManifoldMesh {
  /** x, y, z of vertex v at 3v: the clean mesh's vertices, then copies. */
  positions: Float64Array;
  /** Three vertex numbers each; triangles as in the clean mesh, except for the turned ones. */
  triangles: Uint32Array;
  /**
   * For half-edge 3t + k the other one of its edge, which runs the other way, or OPEN. The
   * triangles do not determine it: a cut of one edge within a piece has both its ends on both
   * sides.
   */
  twin: Int32Array;
  /** The clean mesh's vertex that each vertex is, or copies. */
  vertex: Uint32Array;
}

/**
 * Caches the result of `make` for a mesh as long as the mesh lives. For arrays that number a part's
 * vertices or triangles, which are filled and cleared in time linear in the part.
 */
export function perMesh<T>(make: (mesh: ManifoldMesh) => T): (mesh: ManifoldMesh) => T {
  const known = new WeakMap<ManifoldMesh, T>();
  return (mesh) => {
    let made = known.get(mesh);
    if (made === undefined) {
      made = make(mesh);
      known.set(mesh, made);
    }
    return made;
  };
}

export interface SurfaceCuts {
  /** Edges of three triangles or more; each triangle now has an open edge there. */
  nonManifoldEdges: number;
  /** Vertices of the clean mesh with two copies or more, beside a cut or where fans touched. */
  splitVertices: number;
  /** Edges opened to give a one-sided piece two sides. */
  oneSidedEdges: number;
}

/**
 * Cuts as little as the walk above finds; `mesh` is not changed. Linear in the mesh.
 *
 * @returns `turned`: the triangles whose second and third corner were swapped, ascending; only
 *   one-sided pieces have any if the mesh comes from `cleanMesh`
 */
export function cutToManifold(mesh: CleanMesh): { mesh: ManifoldMesh; cuts: SurfaceCuts; turned: Uint32Array } {
  const triangles = mesh.triangles.slice();
  const cleanCount = mesh.positions.length / 3;
  const twin = halfedges(triangles, cleanCount);
  const nonManifoldEdges = openNonManifold(triangles, twin, cleanCount);
  const turned = orient(triangles, twin);
  let oneSidedEdges = 0;
  for (let h = 0; h < twin.length; h++) {
    const g = twin[h];
    if (g < 0 || triangles[g] !== triangles[h]) continue;
    twin[h] = twin[g] = OPEN;
    oneSidedEdges++;
  }

  const { vertex, splitVertices } = splitFans(triangles, twin, cleanCount);
  const positions = new Float64Array(3 * vertex.length);
  positions.set(mesh.positions);
  for (let v = cleanCount; v < vertex.length; v++) {
    for (let k = 0; k < 3; k++) positions[3 * v + k] = mesh.positions[3 * vertex[v] + k];
  }
  const cuts = { nonManifoldEdges, splitVertices, oneSidedEdges };
  return { mesh: { positions, triangles, twin, vertex }, cuts, turned };
}

/** @example describeCuts(cuts) // 'cut 2 edges of three triangles or more, split 4 vertices' */
export function describeCuts(cuts: SurfaceCuts): string | null {
  const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  const parts: string[] = [];
  if (cuts.nonManifoldEdges > 0)
    parts.push(`cut ${plural(cuts.nonManifoldEdges, 'edge', 'edges')} of three triangles or more`);
  if (cuts.oneSidedEdges > 0)
    parts.push(`cut a surface with one side only along ${plural(cuts.oneSidedEdges, 'edge', 'edges')}`);
  if (cuts.splitVertices > 0) parts.push(`split ${plural(cuts.splitVertices, 'vertex', 'vertices')}`);
  return parts.length > 0 ? parts.join(', ') : null;
}

function openNonManifold(triangles: Uint32Array, twin: Int32Array, vertexCount: number): number {
  if (!twin.includes(NON_MANIFOLD)) return 0;
  // For every vertex a list of the half-edges to a higher number; each other end counts once.
  const listHead = new Int32Array(vertexCount).fill(-1);
  const link = new Int32Array(twin.length);
  for (let h = 0; h < twin.length; h++) {
    if (twin[h] !== NON_MANIFOLD) continue;
    twin[h] = OPEN;
    const low = Math.min(triangles[h], triangles[nextInTriangle(h)]);
    link[h] = listHead[low];
    listHead[low] = h;
  }
  const seenFrom = new Int32Array(vertexCount).fill(-1);
  let edges = 0;
  for (let low = 0; low < vertexCount; low++) {
    for (let h = listHead[low]; h >= 0; h = link[h]) {
      const high = Math.max(triangles[h], triangles[nextInTriangle(h)]);
      if (seenFrom[high] !== low) edges++;
      seenFrom[high] = low;
    }
  }
  return edges;
}

/** Turns triangles, and their twins, to agree with their predecessors. Returns the turned ones. */
function orient(triangles: Uint32Array, twin: Int32Array): Uint32Array {
  const count = triangles.length / 3;
  const reached = new Uint8Array(count);
  const isTurned = new Uint8Array(count);
  const queue = new Int32Array(count);
  let turned = 0;
  for (let start = 0, tail = 0; start < count; start++) {
    if (reached[start] !== 0) continue;
    reached[start] = 1;
    queue[tail++] = start;
    for (let head = tail - 1; head < tail; head++) {
      const t = queue[head];
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        if (twin[h] < 0) continue;
        const neighbour = (twin[h] / 3) | 0;
        if (reached[neighbour] !== 0) continue;
        reached[neighbour] = 1;
        queue[tail++] = neighbour;
        if (triangles[twin[h]] !== triangles[h]) continue;
        turnTriangle(triangles, twin, neighbour);
        isTurned[neighbour] = 1;
        turned++;
      }
    }
  }
  const list = new Uint32Array(turned);
  for (let t = 0, i = 0; i < turned; t++) if (isTurned[t] !== 0) list[i++] = t;
  return list;
}

/** Turns a b c into a c b: the first and the third half-edge change places. */
function turnTriangle(triangles: Uint32Array, twin: Int32Array, t: number): void {
  const second = triangles[3 * t + 1];
  triangles[3 * t + 1] = triangles[3 * t + 2];
  triangles[3 * t + 2] = second;
  // Not each other: a triangle has three different vertices, so no two of its edges are one.
  const first = twin[3 * t];
  const third = twin[3 * t + 2];
  twin[3 * t] = third;
  twin[3 * t + 2] = first;
  if (first >= 0) twin[first] = 3 * t + 2;
  if (third >= 0) twin[third] = 3 * t;
}

/** Gives every fan a vertex: a vertex's first keeps the number, others get new ones by corner. */
function splitFans(triangles: Uint32Array, twin: Int32Array, cleanCount: number) {
  const done = new Uint8Array(triangles.length);
  const copies = new Uint8Array(cleanCount);
  const copied: number[] = [];
  let splitVertices = 0;
  for (let corner = 0; corner < triangles.length; corner++) {
    if (done[corner] !== 0) continue;
    const v = triangles[corner];
    let number = v;
    if (copies[v] > 0) {
      number = cleanCount + copied.push(v) - 1;
      if (copies[v] === 1) splitVertices++;
    }
    if (copies[v] < 2) copies[v]++;
    // Around the vertex, from the corner back to it; or to an open edge, and then the other way.
    let h = corner;
    do {
      done[h] = 1;
      triangles[h] = number;
      h = twin[previousInTriangle(h)];
    } while (h >= 0 && h !== corner);
    if (h === corner) continue;
    for (h = twin[corner]; h >= 0; h = twin[h]) {
      h = nextInTriangle(h);
      done[h] = 1;
      triangles[h] = number;
    }
  }
  const vertex = new Uint32Array(cleanCount + copied.length);
  for (let v = 0; v < cleanCount; v++) vertex[v] = v;
  vertex.set(copied, cleanCount);
  return { vertex, splitVertices };
}
