/** Faces of any number of vertices: gathers and triangulates them. */
import type { Place } from '../base/errors.ts';
import { triangulatePolygon } from './polygon.ts';
import { MAX_ELEMENTS, tooMany } from './text.ts';

export interface FaceList {
  corners: Uint32Array;
  /** First corner and number of corners of each face that is not a triangle. */
  polygons: Uint32Array;
  /** Sum of n - 2 over all faces. */
  triangleCount: number;
}

/**
 * Triangulates in place; polygons become n - 2 triangles. Throws FormatError if an array cannot
 * hold them.
 *
 * @param positions x, y, z of vertex v at 3v
 * @returns `corners` itself if all faces are triangles
 */
export function triangulate(positions: Float64Array, { corners, polygons, triangleCount }: FaceList): Uint32Array {
  if (polygons.length === 0) return corners;
  if (3 * triangleCount > MAX_ELEMENTS) throw tooMany(null);
  const triangles = new Uint32Array(3 * triangleCount);
  let from = 0;
  let to = 0;
  for (let k = 0; k < polygons.length; k += 2) {
    const first = polygons[k];
    const size = polygons[k + 1];
    triangles.set(corners.subarray(from, first), to);
    to += first - from;
    triangulatePolygon(positions, corners, first, size, triangles, to);
    to += 3 * (size - 2);
    from = first + size;
  }
  triangles.set(corners.subarray(from), to);
  return triangles;
}

export class FaceGatherer {
  #corners = new Uint32Array(1 << 12);
  #polygons = new Uint32Array(1 << 6);
  #cornerCount = 0;
  #polygonsEnd = 0;
  #triangleCount = 0;
  #first = 0;

  add(vertex: number): void {
    if (this.#cornerCount === this.#corners.length) this.#corners = grown(this.#corners, null);
    this.#corners[this.#cornerCount++] = vertex;
  }

  /** The face must have three corners or more. */
  endFace(): void {
    const size = this.#cornerCount - this.#first;
    if (size > 3) {
      if (this.#polygonsEnd === this.#polygons.length) this.#polygons = grown(this.#polygons, null);
      this.#polygons[this.#polygonsEnd++] = this.#first;
      this.#polygons[this.#polygonsEnd++] = size;
    }
    this.#triangleCount += size - 2;
    this.#first = this.#cornerCount;
  }

  list(): FaceList {
    return {
      corners: this.#corners.slice(0, this.#first),
      polygons: this.#polygons.slice(0, this.#polygonsEnd),
      triangleCount: this.#triangleCount,
    };
  }
}

/** A copy of twice the size, as far as engines allow. Throws FormatError beyond that. */
export function grown<T extends Float64Array | Uint32Array>(array: T, place: Place): T {
  // A multiple of 12 splits no vertex, triangle or pair.
  const length = Math.min(2 * array.length, MAX_ELEMENTS - (MAX_ELEMENTS % 12));
  if (length === array.length) throw tooMany(place);
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}
