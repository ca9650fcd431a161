/** Streams the stored surface of a geometry image: row by row as in `toMesh`, without padding. */
import type { SurfacePieces } from '../../../mesh/topology.ts';
import { countsOf, type GeometryImage, writeTriangles } from './geometry-image.ts';
import { sizeOf } from './grid.ts';

/** Vertices per piece, more than in a row of the largest chart; and twice as many triangles. */
const PIECE = 16384;

export function piecesOfImage(image: GeometryImage): SurfacePieces {
  return {
    ...countsOf(image),
    positions: () => positionsOf(image),
    corners: () => cornersOf(image),
  };
}

function* positionsOf({ groups, origin, step, stored }: GeometryImage): Generator<Float64Array> {
  const piece = new Float64Array(3 * PIECE);
  let used = 0;
  for (const { geometry, exponent } of groups) {
    const row = 3 * sizeOf(exponent);
    const width = stored ? 3 * stored.width : row;
    const end = stored ? row * stored.height : geometry.length;
    for (let i = 0; i < end; i++) {
      if (i % row >= width) continue;
      if (used === piece.length) {
        yield piece;
        used = 0;
      }
      piece[used++] = origin[i % 3] + geometry[i] * step;
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}

function* cornersOf({ groups, stored }: GeometryImage): Generator<Uint32Array> {
  const piece = new Uint32Array(6 * PIECE);
  let used = 0;
  let first = 0;
  for (const { exponent, count, geometry } of groups) {
    const size = sizeOf(exponent);
    for (let slot = 0; slot < count; slot++, first += size * size) {
      const own = geometry.subarray(3 * slot * size * size, 3 * (slot + 1) * size * size);
      for (let row = 0; row < (stored?.height ?? size) - 1; row++) {
        if (used + 6 * (size - 1) > piece.length) {
          yield piece.subarray(0, used);
          used = 0;
        }
        const from = used;
        used = writeTriangles({ geometry: own, exponent, first }, { from: row, to: row + 1 }, piece, used);
        if (stored) used = cropped(piece, from, row, size, stored.width);
      }
    }
  }
  if (used > 0) yield piece.subarray(0, used);
}

function cropped(piece: Uint32Array, from: number, row: number, size: number, width: number): number {
  const end = from + 6 * (width - 1);
  for (let i = from; i < end; i++) piece[i] -= (size - width) * (piece[i] < (row + 1) * size ? row : row + 1);
  return end;
}
