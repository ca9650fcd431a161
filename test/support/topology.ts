/**
 * The topology of a triangle mesh: pieces, rims, genus, orientation, and the places where it is not
 * a surface.
 *
 * A fan is a maximal run of triangles round a vertex, each joined to the next across an ordinary edge;
 * a vertex is non-manifold when it has more than one. The genus needs no walk of its own: summed over
 * the pieces, V - E + F = sum(2 - 2 genus - rims).
 */
import {
  halfedges,
  nextInTriangle,
  OPEN,
  orientConsistently,
  previousInTriangle,
  type Surface,
} from '../../src/mesh/topology.ts';

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
  /** True if the triangles can be turned so that neighbors agree (across ordinary edges). */
  orientable: boolean;
  /** True if neighbors agree as they are. */
  consistentlyOriented: boolean;
  /** Ordinary edges whose two triangles run along it in the same direction. */
  disagreeingEdges: number;
  /** Summed over the components, rims capped; null unless the mesh is a manifold and orientable. */
  genus: number | null;
  /** vertices - edges + triangles. */
  eulerCharacteristic: number;
  /** True if there is an edge, and every edge has exactly two triangles. */
  closed: boolean;
}

/**
 * Counts what there is to know about a mesh's surface.
 *
 * @example analyseTopology(tetrahedron).genus // 0
 */
export function analyseTopology(mesh: Surface): Topology {
  const { triangles } = mesh;
  const vertexCount = mesh.positions.length / 3;
  const twin = halfedges(triangles, vertexCount);
  const { edges, nonManifoldEdges } = countEdges(triangles);
  const { vertices, components } = countComponents(triangles, vertexCount);
  const { boundaryEdges, boundaryLoops, nonManifoldVertices } = countFans(triangles, twin, vertexCount);
  const disagreeingEdges = countDisagreeing(triangles, twin);
  const turned = triangles.slice();
  orientConsistently(turned);
  const orientable = countDisagreeing(turned, halfedges(turned, vertexCount)) === 0;

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

function countEdges(triangles: Uint32Array): { edges: number; nonManifoldEdges: number } {
  const met = new Map<string, number>();
  triangles.forEach((v, h) => {
    const edge = [v, triangles[nextInTriangle(h)]].sort((i, j) => i - j).join();
    met.set(edge, (met.get(edge) ?? 0) + 1);
  });
  return { edges: met.size, nonManifoldEdges: [...met.values()].filter((times) => times > 2).length };
}

/** Two half-edges of one edge that start at the same vertex belong to triangles that disagree. */
const countDisagreeing = (triangles: Uint32Array, twin: Int32Array): number =>
  twin.filter((g, h) => h < g && triangles[h] === triangles[g]).length;

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

/** How many directed edges, ends told by their coordinates alone, are not met by as many in the opposite direction. */
export function openEdges({ positions, triangles }: Surface): number {
  const balance = new Map<string, number>();
  const place = (v: number) => positions.subarray(3 * v, 3 * v + 3).join();
  for (let h = 0; h < triangles.length; h++) {
    const [from, to] = [place(triangles[h]), place(triangles[h % 3 === 2 ? h - 2 : h + 1])];
    const [key, sign] = from < to ? [`${from} ${to}`, 1] : [`${to} ${from}`, -1];
    if (from !== to) balance.set(key, (balance.get(key) ?? 0) + sign);
  }
  return [...balance.values()].filter((sum) => sum !== 0).length;
}
