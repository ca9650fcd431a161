/**
 * A surface a piece at a time: who writes one of thirty million triangles into a file needs little
 * memory for it.
 */
import type { Surface } from './topology.ts';

export interface SurfacePieces {
  /** How many there are in all. */
  vertices: number;
  triangles: number;
  /** x, y, z of the vertices, some at a time; a piece is good until the next one is asked for. */
  positions(): Iterable<Float64Array>;
  /** Three vertices a triangle, likewise. */
  corners(): Iterable<Uint32Array>;
}

/** Vertices, or triangles, of a piece. */
const PIECE = 8192;

/** The pieces of a surface that is in memory. */
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

/** The surface that pieces are of. */
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
