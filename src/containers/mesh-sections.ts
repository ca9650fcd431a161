/** The mesh under a tree, as two sections of a blob: every triangle, vertices indexed. */
import { FormatError } from '../base/errors.ts';
import { type BlobContents, type SectionArray, sectionOf } from './blob.ts';

export interface StoredMesh {
  /** x, y, z of vertex v at 3v; float32 if that is lossless. */
  positions: Float64Array | Float32Array;
  /** Three vertex numbers per triangle, in file order. */
  triangles: Uint32Array;
}

/** Returns float32 positions if that is lossless. */
export function narrowPositions(positions: Float64Array): Float64Array | Float32Array {
  // Checked before there is a copy: most coordinates of doubles differ at once.
  for (let i = 0; i < positions.length; i++) if (Math.fround(positions[i]) !== positions[i]) return positions;
  return new Float32Array(positions);
}

export function ownPositions(positions: Float64Array | Float32Array): Float64Array | Float32Array {
  const narrow = positions instanceof Float32Array ? positions : narrowPositions(new Float64Array(positions));
  return narrow === positions ? positions.slice() : narrow;
}

/** @param take true to keep the given arrays instead of copies */
export function ownMesh(
  { positions, triangles }: { positions: Float64Array; triangles: Uint32Array },
  { take = false }: { take?: boolean } = {},
): StoredMesh {
  const narrow = narrowPositions(positions);
  return {
    positions: narrow === positions && !take ? positions.slice() : narrow,
    triangles: take ? triangles : triangles.slice(),
  };
}

export const meshSections = ({ positions, triangles }: StoredMesh): { name: string; data: SectionArray }[] => [
  { name: 'positions', data: positions },
  { name: 'triangles', data: triangles },
];

/**
 * Returns the mesh, and the largest magnitude of a coordinate.
 *
 * @throws FormatError for wrong lengths, coordinates beyond the largest, corners without vertex
 */
export function readMesh(
  blob: BlobContents,
  vertices: number,
  count: number,
  largestCoordinate: number,
): { mesh: StoredMesh; farthest: number } {
  const isFloat = blob.sections.get('positions') instanceof Float32Array;
  const positions = sectionOf(blob, 'positions', isFloat ? 'f32' : 'f64', 3 * vertices);
  const triangles = sectionOf(blob, 'triangles', 'u32', 3 * count);
  const mesh = { positions, triangles };
  return { mesh, farthest: requireMesh(mesh, largestCoordinate) };
}

/**
 * Returns the largest magnitude of a coordinate.
 *
 * @throws FormatError for coordinates beyond the largest and for corners that are no vertices
 */
export function requireMesh({ positions, triangles }: StoredMesh, largestCoordinate: number): number {
  const vertices = positions.length / 3;
  let farthest = 0;
  for (let i = 0; i < positions.length; i++) {
    const size = Math.abs(positions[i]);
    if (size <= farthest) continue;
    if (!(size <= largestCoordinate)) {
      const found = `${positions[i]} at vertex ${Math.floor(i / 3)}`;
      throw new FormatError(null, `coordinates up to ${largestCoordinate}`, found);
    }
    farthest = size;
  }
  for (let c = 0; c < triangles.length; c++) {
    if (triangles[c] >= vertices) {
      const found = `${triangles[c]} in triangle ${Math.floor(c / 3)}`;
      throw new FormatError(null, `vertex numbers below ${vertices}`, found);
    }
  }
  return farthest;
}
