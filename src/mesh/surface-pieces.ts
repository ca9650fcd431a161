/** A surface in pieces, so that writing thirty million triangles to a file needs little memory. */
import type { Surface } from './topology.ts';

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
