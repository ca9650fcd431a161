/**
 * Turns a mesh from a file into an indexed surface: one vertex a position, each triangle once,
 * neighbors agreeing in orientation, closed pieces facing outward (outward.ts). It counts all
 * losses and changes.
 *
 * - Vertices are welded if their coordinates are equal as numbers (0 and -0 are), never if they are
 *   merely close.
 * - The first of several triangles on the same three vertices stays, even if a face is listed once
 *   for each side. Keeping both would give every edge of a double-sided model four triangles;
 *   keeping neither would remove a surface that things can touch. topology.ts reports the edges
 *   that a thin wall shared by two closed pieces then lacks.
 * - A triangle whose three vertices are distinct but collinear stays: it holds its neighbors
 *   together.
 */

import { orient2d } from 'robust-predicates';
import type { Mesh } from './mesh.ts';
import { orientOutward } from './outward.ts';
import { BATCH, emptyTable, hashPoints } from './point-numbers.ts';
import { halfedges, type Surface } from './topology.ts';

/** Positions are distinct, all vertices used, and no two triangles have the same three vertices. */
export interface CleanMesh extends Surface {}

/** vertices in = out + weldedVertices + unusedVertices; triangles with the three dropped kinds. */
export interface MeshLosses {
  weldedVertices: number;
  /** Triangles with two corners at one vertex, dropped. */
  degenerateTriangles: number;
  /** Triangles that repeat an earlier one in the same sense of rotation, dropped. */
  duplicateTriangles: number;
  /** Triangles that repeat an earlier one in the opposite sense (a face's back), dropped. */
  backFaceTriangles: number;
  /** Vertices that no triangle uses, or no remaining one, dropped. */
  unusedVertices: number;
  /** Triangles turned to agree with the rest of their piece. */
  reorientedTriangles: number;
  /** Pieces that were inside out: all their triangles are turned. */
  invertedPieces: number;
  /** Sum of these pieces' triangles, not counted as reoriented. */
  invertedTriangles: number;
  /** Triangles kept though their area is exactly zero. */
  zeroAreaTriangles: number;
}

interface Cleaned {
  mesh: CleanMesh;
  losses: MeshLosses;
  cleaned: Int32Array;
}

/**
 * Welds, drops and orients. Remaining vertices and triangles keep their order; `mesh` is not
 * changed.
 *
 * @returns `cleaned`: for each triangle of `mesh` the number of the one that it became or repeats;
 *   -1 if its corners are one point or two
 */
export function cleanMesh(mesh: Mesh): Cleaned {
  const vertexCount = mesh.positions.length / 3;
  const { representative, weldedVertices } = weld(mesh);
  const kept = distinctTriangles(mesh.triangles.map((vertex) => representative[vertex]));
  const triangles = kept.triangles;

  const number = new Int32Array(vertexCount).fill(-1);
  for (let c = 0; c < triangles.length; c++) number[triangles[c]] = 0;
  const positions = new Float64Array(mesh.positions.length);
  let used = 0;
  for (let v = 0; v < vertexCount; v++) {
    if (number[v] < 0) continue;
    for (let k = 0; k < 3; k++) positions[3 * used + k] = mesh.positions[3 * v + k];
    number[v] = used++;
  }
  for (let c = 0; c < triangles.length; c++) triangles[c] = number[triangles[c]];

  const clean = { positions: positions.slice(0, 3 * used), triangles };
  const turned = orientOutward(clean);
  return {
    mesh: clean,
    cleaned: kept.cleaned,
    losses: {
      weldedVertices,
      degenerateTriangles: kept.degenerate,
      duplicateTriangles: kept.duplicates,
      backFaceTriangles: kept.backFaces,
      unusedVertices: vertexCount - weldedVertices - used,
      reorientedTriangles: turned.triangles,
      invertedPieces: turned.pieces,
      invertedTriangles: turned.inPieces,
      zeroAreaTriangles: countZeroArea(clean),
    },
  };
}

/**
 * Renumbers triangles in the order of a walk across edges, breadth first, and vertices as they come
 * up. So neighbors lie near each other in memory, whatever the order of the file.
 */
export function inWalkOrder({ mesh, losses, cleaned }: Cleaned): Cleaned {
  const vertexCount = mesh.positions.length / 3;
  const twin = halfedges(mesh.triangles, vertexCount);
  const count = twin.length / 3;
  const order = new Int32Array(count);
  const number = new Int32Array(count).fill(-1);
  for (let start = 0, tail = 0; start < count; start++) {
    if (number[start] >= 0) continue;
    let head = tail;
    number[start] = tail;
    order[tail++] = start;
    for (; head < tail; head++) {
      for (let h = 3 * order[head]; h < 3 * order[head] + 3; h++) {
        if (twin[h] < 0) continue;
        const t = (twin[h] / 3) | 0;
        if (number[t] >= 0) continue;
        number[t] = tail;
        order[tail++] = t;
      }
    }
  }
  const triangles = new Uint32Array(3 * count);
  const positions = new Float64Array(3 * vertexCount);
  const vertex = new Int32Array(vertexCount).fill(-1);
  let used = 0;
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const v = mesh.triangles[3 * order[i] + k];
      if (vertex[v] < 0) {
        for (let axis = 0; axis < 3; axis++) positions[3 * used + axis] = mesh.positions[3 * v + axis];
        vertex[v] = used++;
      }
      triangles[3 * i + k] = vertex[v];
    }
  }
  return { mesh: { positions, triangles }, losses, cleaned: cleaned.map((t) => (t < 0 ? t : number[t])) };
}

/**
 * @example describeLosses(losses)
 *          // 'welded 12 vertices, dropped 3 degenerate and 1 duplicate triangles, 2 unused vertices'
 */
export function describeLosses(losses: MeshLosses): string | null {
  const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  const kinds: [number, string][] = [
    [losses.degenerateTriangles, 'degenerate'],
    [losses.duplicateTriangles, 'duplicate'],
    [losses.backFaceTriangles, 'back-face'],
  ];
  const dropped = kinds.filter(([count]) => count > 0).map(([count, kind]) => `${count} ${kind}`);
  const droppedTriangles = losses.degenerateTriangles + losses.duplicateTriangles + losses.backFaceTriangles;
  const drops: string[] = [];
  if (dropped.length > 0) drops.push(`${joinWithAnd(dropped)} ${droppedTriangles === 1 ? 'triangle' : 'triangles'}`);
  if (losses.unusedVertices > 0) drops.push(plural(losses.unusedVertices, 'unused vertex', 'unused vertices'));

  const parts: string[] = [];
  if (losses.weldedVertices > 0) parts.push(`welded ${plural(losses.weldedVertices, 'vertex', 'vertices')}`);
  if (drops.length > 0) parts.push(`dropped ${drops.join(', ')}`);
  if (losses.reorientedTriangles > 0)
    parts.push(`turned ${plural(losses.reorientedTriangles, 'triangle', 'triangles')} to agree with the others`);
  if (losses.invertedPieces > 0) {
    const [pieces, triangles] = [losses.invertedPieces, losses.invertedTriangles];
    parts.push(
      `turned ${plural(pieces, 'piece', 'pieces')} of ${plural(triangles, 'triangle', 'triangles')} that ${pieces === 1 ? 'was' : 'were'} inside out`,
    );
  }
  if (losses.zeroAreaTriangles > 0)
    parts.push(`kept ${plural(losses.zeroAreaTriangles, 'triangle', 'triangles')} of zero area`);
  return parts.length > 0 ? parts.join(', ') : null;
}

function joinWithAnd(words: string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** Finds the first vertex in use at each vertex's position; -1 for unused vertices. */
export function weld({ positions, triangles }: Surface): { representative: Int32Array; weldedVertices: number } {
  const vertexCount = positions.length / 3;
  const representative = new Int32Array(vertexCount).fill(-1);
  for (let c = 0; c < triangles.length; c++) representative[triangles[c]] = triangles[c];

  const table = emptyTable(vertexCount);
  const mask = table.length - 1;
  let weldedVertices = 0;
  for (let first = 0; first < vertexCount; first += BATCH) {
    const count = Math.min(BATCH, vertexCount - first);
    const hashes = hashPoints(positions, first, count);
    for (let i = 0, v = first; i < count; i++, v++) {
      if (representative[v] < 0) continue;
      const x = positions[3 * v];
      const y = positions[3 * v + 1];
      const z = positions[3 * v + 2];
      let slot = hashes[i] & mask;
      for (; table[slot] >= 0; slot = (slot + 1) & mask) {
        const other = 3 * table[slot];
        if (positions[other] === x && positions[other + 1] === y && positions[other + 2] === z) break;
      }
      if (table[slot] < 0) table[slot] = v;
      else {
        representative[v] = table[slot];
        weldedVertices++;
      }
    }
  }
  return { representative, weldedVertices };
}

/**
 * Returns the triangles without those that repeat a vertex, or an earlier triangle.
 *
 * @param source on vertices at distinct points
 * @returns `cleaned`: for each triangle the number of the one that stays, or that it repeats; -1 if
 *   it repeats a vertex
 */
export function distinctTriangles(source: Uint32Array) {
  const triangles = new Uint32Array(source.length);
  const table = emptyTable(source.length / 3);
  const mask = table.length - 1;
  let length = 0;
  const cleaned = new Int32Array(source.length / 3).fill(-1);
  let degenerate = 0;
  let duplicates = 0;
  let backFaces = 0;
  for (let c = 0; c < source.length; c += 3) {
    const i = source[c];
    const j = source[c + 1];
    const k = source[c + 2];
    if (i === j || j === k || k === i) {
      degenerate++;
      continue;
    }
    const low = Math.min(i, j, k);
    const high = Math.max(i, j, k);
    let slot = finish(stir(stir(stir(0, low), high), i ^ j ^ k)) & mask;
    let rotation = 0;
    for (; table[slot] >= 0; slot = (slot + 1) & mask) {
      rotation = compareCorners(triangles, table[slot], i, j, k);
      if (rotation !== 0) break;
    }
    cleaned[c / 3] = (table[slot] >= 0 ? table[slot] : length) / 3;
    if (table[slot] >= 0) {
      if (rotation > 0) duplicates++;
      else backFaces++;
      continue;
    }
    table[slot] = length;
    triangles[length++] = i;
    triangles[length++] = j;
    triangles[length++] = k;
  }
  return { triangles: triangles.slice(0, length), cleaned, degenerate, duplicates, backFaces };
}

/** 1 if the triangle at `offset` has corners i, j, k in cyclic order, -1 reversed, else 0. */
export function compareCorners(triangles: Uint32Array, offset: number, i: number, j: number, k: number): number {
  const a = triangles[offset];
  const b = triangles[offset + 1];
  const c = triangles[offset + 2];
  if ((a === i && b === j && c === k) || (a === j && b === k && c === i) || (a === k && b === i && c === j)) return 1;
  if ((a === i && b === k && c === j) || (a === k && b === j && c === i) || (a === j && b === i && c === k)) return -1;
  return 0;
}

/** Corners are collinear exactly if they are in all three coordinate planes. */
function countZeroArea({ positions, triangles }: Surface): number {
  let count = 0;
  for (let c = 0; c < triangles.length; c += 3) {
    const i = 3 * triangles[c];
    const j = 3 * triangles[c + 1];
    const k = 3 * triangles[c + 2];
    if (
      collinear(positions, i, j, k, 0, 1) &&
      collinear(positions, i, j, k, 1, 2) &&
      collinear(positions, i, j, k, 2, 0)
    )
      count++;
  }
  return count;
}

function collinear(p: Float64Array, i: number, j: number, k: number, u: number, v: number): boolean {
  return orient2d(p[i + u], p[i + v], p[j + u], p[j + v], p[k + u], p[k + v]) === 0;
}

/** Multiplies and folds. Fibonacci hashing: 2^32 over the golden ratio. */
export function stir(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

function finish(hash: number): number {
  const product = Math.imul(hash, 0x85ebca6b);
  return product ^ (product >>> 13);
}
