/**
 * What kind of surface a triangle mesh is: pieces, rims, genus, orientation, and where it stops
 * being a surface.
 *
 * A half-edge h = 3t + k runs from corner k of triangle t to corner k + 1. An edge is an unordered
 * pair of vertices; it is open with one triangle, ordinary with two, non-manifold with more. A fan
 * is a maximal run of triangles round a vertex, each joined to the next across an ordinary edge; a
 * vertex is non-manifold when it has more than one. Everything is linear in the mesh, whatever the
 * vertices' degrees, and every loop ends on any indices in range; but the answers are about
 * surfaces, so clean the mesh first (clean.ts).
 *
 * The genus needs no walk of its own: summed over the pieces, V - E + F = sum(2 - 2 genus - rims).
 */

import type { Mesh } from './mesh.ts';

/** An indexed triangle mesh whose surface alone matters. */
export type Surface = Pick<Mesh, 'positions' | 'triangles'>;

/** Twin of a half-edge whose edge has no other triangle. */
export const OPEN = -1;
/** Twin of a half-edge whose edge has three triangles or more. */
export const NON_MANIFOLD = -2;

export interface Topology {
  /** Vertices that some triangle uses. */
  vertices: number;
  edges: number;
  triangles: number;
  /** Pieces; triangles that share no more than a vertex are of one piece. */
  components: number;
  /** Rims: runs of open edges, from fan to fan. */
  boundaryLoops: number;
  /** Edges with one triangle. */
  boundaryEdges: number;
  /** Edges with three triangles or more. */
  nonManifoldEdges: number;
  /** Vertices with more than one fan. */
  nonManifoldVertices: number;
  /** Whether the triangles can be turned so that neighbours agree (across ordinary edges). */
  orientable: boolean;
  /** Whether neighbours agree as they are. */
  consistentlyOriented: boolean;
  /** Ordinary edges whose two triangles run along it in the same direction. */
  disagreeingEdges: number;
  /** Summed over the components, rims capped; null unless the mesh is a manifold and orientable. */
  genus: number | null;
  /** vertices - edges + triangles. */
  eulerCharacteristic: number;
  /** Whether every edge has exactly two triangles, and there is one. */
  closed: boolean;
}

/** The half-edge after h in its triangle. */
export const nextInTriangle = (h: number): number => (h % 3 === 2 ? h - 2 : h + 1);
/** The half-edge before h in its triangle. */
export const previousInTriangle = (h: number): number => (h % 3 === 0 ? h + 2 : h - 1);

/**
 * The twin of every half-edge: the other half-edge of its edge, OPEN (-1) at a boundary,
 * NON_MANIFOLD (-2) where three triangles or more meet. Twins run in opposite directions exactly
 * where the two triangles agree in orientation.
 *
 * @param triangles three vertex numbers below vertexCount each
 * @returns one number a half-edge, 3 * triangles
 * @example halfedges(Uint32Array.of(0, 1, 2, 1, 0, 3), 4) // [3, -1, -1, 0, -1, -1]
 */
export function halfedges(triangles: Uint32Array, vertexCount: number): Int32Array {
  return pairHalfedges(triangles, vertexCount).twin;
}

function pairHalfedges(triangles: Uint32Array, vertexCount: number) {
  // A list for every vertex of the half-edges whose other end has a higher number, or the same.
  // Until its edge is looked at, twin[h] is the link to the next half-edge of h's list.
  const twin = new Int32Array(triangles.length);
  const listHead = new Int32Array(vertexCount).fill(-1);
  for (let h = triangles.length - 1; h >= 0; h--) {
    const low = Math.min(triangles[h], triangles[nextInTriangle(h)]);
    twin[h] = listHead[low];
    listHead[low] = h;
  }
  // first[high] is the first half-edge between low and high, if seenFrom[high] says that it is
  // low's.
  const first = new Int32Array(vertexCount);
  const seenFrom = new Int32Array(vertexCount).fill(-1);
  let edges = 0;
  let nonManifoldEdges = 0;
  for (let low = 0; low < vertexCount; low++) {
    for (let h = listHead[low], link = 0; h >= 0; h = link) {
      link = twin[h];
      const from = triangles[h];
      const high = from === low ? triangles[nextInTriangle(h)] : from;
      if (seenFrom[high] !== low) {
        seenFrom[high] = low;
        first[high] = h;
        twin[h] = OPEN;
        edges++;
        continue;
      }
      const g = first[high];
      if (twin[g] === OPEN) {
        twin[g] = h;
        twin[h] = g;
      } else {
        if (twin[g] >= 0) {
          twin[twin[g]] = twin[g] = NON_MANIFOLD;
          nonManifoldEdges++;
        }
        twin[h] = NON_MANIFOLD;
      }
    }
  }
  return { twin, edges, nonManifoldEdges };
}

/**
 * Counts what there is to know about a mesh's surface.
 *
 * @example analyseTopology(tetrahedron).genus // 0
 */
export function analyseTopology(mesh: Surface): Topology {
  const { triangles } = mesh;
  const vertexCount = mesh.positions.length / 3;
  const { twin, edges, nonManifoldEdges } = pairHalfedges(triangles, vertexCount);
  const { vertices, components } = countComponents(triangles, vertexCount);
  const { boundaryEdges, boundaryLoops, nonManifoldVertices } = countFans(triangles, twin, vertexCount);
  const { orientable } = findFlips(triangles, twin);
  let disagreeingEdges = 0;
  for (let h = 0; h < twin.length; h++) if (h < twin[h] && disagree(triangles, h, twin[h])) disagreeingEdges++;

  const eulerCharacteristic = vertices - edges + triangles.length / 3;
  const manifold = nonManifoldEdges === 0 && nonManifoldVertices === 0;
  return {
    vertices,
    edges,
    triangles: triangles.length / 3,
    components,
    boundaryLoops,
    boundaryEdges,
    nonManifoldEdges,
    nonManifoldVertices,
    orientable,
    consistentlyOriented: disagreeingEdges === 0,
    disagreeingEdges,
    genus: manifold && orientable ? (2 * components - boundaryLoops - eulerCharacteristic) / 2 : null,
    eulerCharacteristic,
    closed: triangles.length > 0 && boundaryEdges === 0 && nonManifoldEdges === 0,
  };
}

/**
 * Turns triangles, in place, so that neighbours across ordinary edges agree. In each piece the
 * smaller part is turned, so a piece that was consistent stays as it is, inside out or not; a piece
 * without two sides stays as it is too.
 *
 * @returns how many triangles were turned (their second and third corner swapped)
 * @example const triangles = Uint32Array.of(0, 1, 2, 0, 1, 3);
 *          orientConsistently(triangles); // 1, and triangles is now 0 1 2, 0 3 1
 */
export function orientConsistently(triangles: Uint32Array): number {
  let vertexCount = 0;
  for (let c = 0; c < triangles.length; c++) if (triangles[c] >= vertexCount) vertexCount = triangles[c] + 1;
  const { turn } = findFlips(triangles, halfedges(triangles, vertexCount));
  let turned = 0;
  for (let t = 0; t < turn.length; t++) {
    if (turn[t] !== TURN) continue;
    const second = triangles[3 * t + 1];
    triangles[3 * t + 1] = triangles[3 * t + 2];
    triangles[3 * t + 2] = second;
    turned++;
  }
  return turned;
}

/** Two half-edges of one edge that start at the same vertex belong to triangles that disagree. */
function disagree(triangles: Uint32Array, h: number, g: number): boolean {
  return triangles[h] === triangles[g];
}

const STAY = 1;
const TURN = 2;

/**
 * Breadth first through every piece: which triangles to turn so that all of it agrees, the fewer of
 * the two ways, and whether every piece can.
 */
function findFlips(triangles: Uint32Array, twin: Int32Array): { turn: Uint8Array; orientable: boolean } {
  const count = triangles.length / 3;
  const turn = new Uint8Array(count);
  const queue = new Int32Array(count);
  let orientable = true;
  let tail = 0;
  for (let start = 0; start < count; start++) {
    if (turn[start] !== 0) continue;
    const pieceStart = tail;
    let turned = 0;
    let twoSided = true;
    turn[start] = STAY;
    queue[tail++] = start;
    for (let head = pieceStart; head < tail; head++) {
      const t = queue[head];
      if (turn[t] === TURN) turned++;
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const g = twin[h];
        if (g < 0) continue;
        const neighbour = (g / 3) | 0;
        const wanted = disagree(triangles, h, g) ? STAY + TURN - turn[t] : turn[t];
        if (turn[neighbour] === 0) {
          turn[neighbour] = wanted;
          queue[tail++] = neighbour;
        } else if (turn[neighbour] !== wanted) twoSided = false;
      }
    }
    if (!twoSided) {
      orientable = false;
      for (let i = pieceStart; i < tail; i++) turn[queue[i]] = STAY;
    } else if (2 * turned > tail - pieceStart) {
      for (let i = pieceStart; i < tail; i++) turn[queue[i]] = STAY + TURN - turn[queue[i]];
    }
  }
  return { turn, orientable };
}

function countComponents(triangles: Uint32Array, vertexCount: number): { vertices: number; components: number } {
  const parent = new Int32Array(vertexCount).fill(-1);
  let vertices = 0;
  for (let c = 0; c < triangles.length; c++) {
    const v = triangles[c];
    if (parent[v] >= 0) continue;
    parent[v] = v;
    vertices++;
  }
  let components = vertices;
  for (let c = 0; c < triangles.length; c += 3) {
    if (unite(parent, triangles[c], triangles[c + 1])) components--;
    if (unite(parent, triangles[c], triangles[c + 2])) components--;
  }
  return { vertices, components };
}

/**
 * Walks once round every fan: the vertices with several, and the rims, which continue from one end
 * to the other.
 */
function countFans(triangles: Uint32Array, twin: Int32Array, vertexCount: number) {
  const visited = new Uint8Array(triangles.length);
  const fans = new Uint8Array(vertexCount);
  const rim = new Int32Array(triangles.length);
  let boundaryEdges = 0;
  for (let h = 0; h < twin.length; h++) {
    rim[h] = h;
    if (twin[h] === OPEN) boundaryEdges++;
  }
  let boundaryLoops = boundaryEdges;
  let nonManifoldVertices = 0;
  for (let corner = 0; corner < triangles.length; corner++) {
    if (visited[corner] !== 0) continue;
    visited[corner] = 1;
    const v = triangles[corner];
    if (fans[v] === 1) nonManifoldVertices++;
    if (fans[v] < 2) fans[v]++;
    const oneEnd = walkFan(triangles, twin, visited, v, corner);
    if (oneEnd < 0) continue;
    const otherEnd = walkFan(triangles, twin, visited, v, previousInTriangle(corner));
    const bothOpen = otherEnd >= 0 && twin[oneEnd] === OPEN && twin[otherEnd] === OPEN;
    if (bothOpen && unite(rim, oneEnd, otherEnd)) boundaryLoops--;
  }
  return { boundaryEdges, boundaryLoops, nonManifoldVertices };
}

/**
 * Leaves v's triangle across `edge` and goes on round v; returns the fan's last half-edge, or -1
 * where it closes.
 */
function walkFan(triangles: Uint32Array, twin: Int32Array, visited: Uint8Array, v: number, edge: number): number {
  for (;;) {
    const g = twin[edge];
    if (g < 0) return edge;
    const leaves = triangles[g] === v;
    const corner = leaves ? g : nextInTriangle(g);
    if (visited[corner] !== 0) return -1;
    visited[corner] = 1;
    edge = leaves ? previousInTriangle(g) : corner;
  }
}

/** Joins two sets of a union-find forest; false if they were one already. */
function unite(parent: Int32Array, i: number, j: number): boolean {
  const a = root(parent, i);
  const b = root(parent, j);
  if (a < b) parent[b] = a;
  else parent[a] = b;
  return a !== b;
}

function root(parent: Int32Array, i: number): number {
  while (parent[i] !== i) i = parent[i] = parent[parent[i]];
  return i;
}
