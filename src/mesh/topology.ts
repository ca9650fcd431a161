/**
 * The half-edges of a triangle mesh, their twins, and triangles that agree in orientation. Also
 * vertex normals, and a surface in pieces.
 *
 * A half-edge h = 3t + k runs from corner k of triangle t to corner k + 1. An edge is an unordered
 * pair of vertices: open with one triangle, ordinary with two, non-manifold with more. Everything
 * is linear in the mesh, for vertices of any degree, and every loop ends on any indices in range.
 * The answers are about surfaces, so clean the mesh first (clean.ts).
 */
import type { Mesh } from './mesh.ts';

/** The surface of an indexed triangle mesh, without its groups. */
export type Surface = Pick<Mesh, 'positions' | 'triangles'>;

/** Twin of a half-edge whose edge has no other triangle. */
export const OPEN = -1;
/** Twin of a half-edge whose edge has three triangles or more. */
export const NON_MANIFOLD = -2;

/** Writes the nine coordinates of a triangle. */
export function readTriangle(positions: Float64Array, corners: Uint32Array, t: number, into: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    const at = 3 * corners[3 * t + k];
    into[3 * k] = positions[at];
    into[3 * k + 1] = positions[at + 1];
    into[3 * k + 2] = positions[at + 2];
  }
}

export const nextInTriangle = (h: number): number => (h % 3 === 2 ? h - 2 : h + 1);
export const previousInTriangle = (h: number): number => (h % 3 === 0 ? h + 2 : h - 1);

/**
 * Returns the twin of every half-edge: the other half-edge of its edge, OPEN (-1) at a boundary,
 * NON_MANIFOLD (-2) if three triangles or more meet. Twins run in opposite directions exactly if
 * the two triangles agree in orientation.
 *
 * @param triangles three vertex numbers below vertexCount each
 * @returns one number a half-edge, 3 * triangles
 * @example halfedges(Uint32Array.of(0, 1, 2, 1, 0, 3), 4) // [3, -1, -1, 0, -1, -1]
 */
export function halfedges(triangles: Uint32Array, vertexCount: number): Int32Array {
  // For every vertex a list of the half-edges whose other end has a higher number, or the same.
  // Until its edge is looked at, twin[h] is the link to the next half-edge of h's list.
  const twin = new Int32Array(triangles.length);
  const listHead = new Int32Array(vertexCount).fill(-1);
  for (let h = triangles.length - 1; h >= 0; h--) {
    const low = Math.min(triangles[h], triangles[nextInTriangle(h)]);
    twin[h] = listHead[low];
    listHead[low] = h;
  }
  // first[high] is the first half-edge between low and high, if seenFrom[high] is low.
  const first = new Int32Array(vertexCount);
  const seenFrom = new Int32Array(vertexCount).fill(-1);
  for (let low = 0; low < vertexCount; low++) {
    for (let h = listHead[low], link = 0; h >= 0; h = link) {
      link = twin[h];
      const from = triangles[h];
      const high = from === low ? triangles[nextInTriangle(h)] : from;
      if (seenFrom[high] !== low) {
        seenFrom[high] = low;
        first[high] = h;
        twin[h] = OPEN;
        continue;
      }
      const g = first[high];
      if (twin[g] === OPEN) {
        twin[g] = h;
        twin[h] = g;
      } else {
        if (twin[g] >= 0) twin[twin[g]] = twin[g] = NON_MANIFOLD;
        twin[h] = NON_MANIFOLD;
      }
    }
  }
  return twin;
}

/**
 * Turns triangles, in place, so that neighbors across ordinary edges agree. It turns the smaller
 * part of each piece, so a consistent piece stays, inside out or not; a one-sided piece stays too.
 *
 * @returns the number of triangles turned (their second and third corner swapped)
 */
export function orientConsistently(triangles: Uint32Array): number {
  let vertexCount = 0;
  for (let c = 0; c < triangles.length; c++) if (triangles[c] >= vertexCount) vertexCount = triangles[c] + 1;
  const { start, order, isTurned } = agreeingPieces(triangles, halfedges(triangles, vertexCount));
  let turned = 0;
  for (let piece = 0; piece + 1 < start.length; piece++) {
    const own = order.subarray(start[piece], start[piece + 1]);
    let disagreeing = 0;
    for (const t of own) disagreeing += isTurned[t];
    const turns = 2 * disagreeing > own.length ? 0 : 1;
    for (const t of own) {
      if (isTurned[t] !== turns) continue;
      turnTriangle(triangles, t);
      turned++;
    }
  }
  return turned;
}

export function turnTriangle(triangles: Uint32Array, t: number): void {
  const second = triangles[3 * t + 1];
  triangles[3 * t + 1] = triangles[3 * t + 2];
  triangles[3 * t + 2] = second;
}

/** Pieces are connected over edges of two triangles. */
export interface Pieces {
  /** The triangles of piece i are order[start[i]] to order[start[i + 1] - 1]. */
  start: Uint32Array;
  order: Int32Array;
  pieceOf: Int32Array;
  /** 1 for triangles to turn so that all agree with the piece's first one; 0 if it is one-sided. */
  isTurned: Uint8Array;
  isTwoSided: Uint8Array;
}

/** Walks breadth first. `twin` is as `halfedges` returns it. */
export function agreeingPieces(triangles: Uint32Array, twin: Int32Array): Pieces {
  const count = triangles.length / 3;
  const isTurned = new Uint8Array(count);
  const pieceOf = new Int32Array(count).fill(-1);
  const order = new Int32Array(count);
  const start: number[] = [];
  const twoSided: number[] = [];
  let tail = 0;
  for (let first = 0; first < count; first++) {
    if (pieceOf[first] >= 0) continue;
    const piece = start.push(tail) - 1;
    twoSided.push(1);
    pieceOf[first] = piece;
    order[tail++] = first;
    for (let head = tail - 1; head < tail; head++) {
      const t = order[head];
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        const g = twin[h];
        if (g < 0) continue;
        const neighbor = (g / 3) | 0;
        // Half-edges of one edge that start at the same vertex belong to triangles that disagree.
        const wanted = triangles[h] === triangles[g] ? 1 - isTurned[t] : isTurned[t];
        if (pieceOf[neighbor] < 0) {
          pieceOf[neighbor] = piece;
          isTurned[neighbor] = wanted;
          order[tail++] = neighbor;
        } else if (isTurned[neighbor] !== wanted) twoSided[piece] = 0;
      }
    }
  }
  for (let t = 0; t < count; t++) if (twoSided[pieceOf[t]] === 0) isTurned[t] = 0;
  const isTwoSided = Uint8Array.from(twoSided);
  return { start: Uint32Array.from([...start, count]), order, pieceOf, isTurned, isTwoSided };
}

/**
 * Returns unit normals, x, y, z at 3v; zero for a vertex of no triangle with an area.
 *
 * N. Max, "Weights for Computing Vertex Normals from Facet Normals", Journal of Graphics Tools
 * 4(2), 1999: each corner adds e1 x e2 / (|e1|^2 |e2|^2). Exact on a sphere, independent of the
 * triangulation of flat faces, and without arc cosines, so it is the same on every engine.
 */
export function vertexNormals(positions: Float64Array, triangles: ArrayLike<number>): Float64Array {
  const normals = new Float64Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const v = 3 * triangles[t + k];
      const a = 3 * triangles[t + ((k + 1) % 3)];
      const b = 3 * triangles[t + ((k + 2) % 3)];
      const ax = positions[a] - positions[v];
      const ay = positions[a + 1] - positions[v + 1];
      const az = positions[a + 2] - positions[v + 2];
      const bx = positions[b] - positions[v];
      const by = positions[b + 1] - positions[v + 1];
      const bz = positions[b + 2] - positions[v + 2];
      const weight = (ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz);
      if (!(weight > 0)) continue;
      normals[v] += (ay * bz - az * by) / weight;
      normals[v + 1] += (az * bx - ax * bz) / weight;
      normals[v + 2] += (ax * by - ay * bx) / weight;
    }
  }
  for (let v = 0; v < normals.length; v += 3) {
    const length = Math.sqrt(
      normals[v] * normals[v] + normals[v + 1] * normals[v + 1] + normals[v + 2] * normals[v + 2],
    );
    if (!(length > 0)) continue;
    normals[v] /= length;
    normals[v + 1] /= length;
    normals[v + 2] /= length;
  }
  return normals;
}

/** A surface in pieces, so that writing thirty million triangles to a file needs little memory. */
export interface SurfacePieces {
  vertices: number;
  triangles: number;
  /** x, y, z of some vertices at a time; a piece is valid until the next one is requested. */
  positions(): Iterable<Float64Array>;
  /** Three vertex numbers a triangle, valid as long. */
  corners(): Iterable<Uint32Array>;
}

const PIECE = 8192;

export const inPieces = ({ positions, triangles }: Surface): SurfacePieces => ({
  vertices: positions.length / 3,
  triangles: triangles.length / 3,
  *positions() {
    for (let at = 0; at < positions.length; at += 3 * PIECE) yield positions.subarray(at, at + 3 * PIECE);
  },
  *corners() {
    for (let at = 0; at < triangles.length; at += 3 * PIECE) yield triangles.subarray(at, at + 3 * PIECE);
  },
});

export function wholeOf({ vertices, triangles, positions, corners }: SurfacePieces): Surface {
  const surface = { positions: new Float64Array(3 * vertices), triangles: new Uint32Array(3 * triangles) };
  let at = 0;
  for (const piece of positions()) {
    surface.positions.set(piece, at);
    at += piece.length;
  }
  at = 0;
  for (const piece of corners()) {
    surface.triangles.set(piece, at);
    at += piece.length;
  }
  return surface;
}
