/** The stored surface of a geometry image a piece at a time: row by row what `toMesh` gives whole. */
import type { SurfacePieces } from '../../../mesh/surface-pieces.ts';
import { type GeometryImage, writeTriangles } from './geometry-image.ts';
import { sizeOf } from './grid.ts';

/** Vertices of a piece, more than a row of the largest chart has; and twice as many triangles. */
const PIECE = 16384;

export function piecesOfImage(image: GeometryImage): SurfacePieces {
  return {
    vertices: image.groups.reduce((sum, { geometry }) => sum + geometry.length / 3, 0),
    triangles: 2 * image.quads,
    positions: () => positionsOf(image),
    corners: () => cornersOf(image),
  };
}

function* positionsOf({ groups, origin, step }: GeometryImage): Generator<Float64Array> {
  const piece = new Float64Array(3 * PIECE);
  let used = 0;
  for (const { geometry } of groups) {
    for (let i = 0; i < geometry.length; i++) {
      if (used === piece.length) {
        yield piece;
        used = 0;
      }
      piece[used++] = origin[i % 3] + geometry[i] * step;
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}

function* cornersOf({ groups }: GeometryImage): Generator<Uint32Array> {
  const piece = new Uint32Array(6 * PIECE);
  let used = 0;
  let first = 0;
  for (const { exponent, count, geometry } of groups) {
    const size = sizeOf(exponent);
    for (let slot = 0; slot < count; slot++, first += size * size) {
      const own = geometry.subarray(3 * slot * size * size, 3 * (slot + 1) * size * size);
      for (let row = 0; row < size - 1; row++) {
        if (used + 6 * (size - 1) > piece.length) {
          yield piece.subarray(0, used);
          used = 0;
        }
        used = writeTriangles(own, exponent, first, piece, used, row, row + 1);
      }
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}
