/** Faces of any number of vertices, as files list them: gathered, and cut into triangles. */
import type { Place } from '../math/errors.ts';
import { triangulatePolygon } from './polygon.ts';
import { MAX_ELEMENTS, tooMany } from './text.ts';

/** Faces before they are triangulated. */
export interface FaceList {
  /** The faces' vertex numbers, from 0, one face after the other. */
  corners: Uint32Array;
  /**
   * First corner and number of corners of each face that has more than three; all other faces are
   * triangles.
   */
  polygons: Uint32Array;
  /** Sum of n - 2 over all faces. */
  triangleCount: number;
}

/**
 * Three vertex numbers a triangle: polygons cut into n - 2 each, where they stand in the list.
 *
 * @param positions x, y, z of vertex v at 3v
 * @returns `corners` itself where all faces are triangles
 * @throws FormatError where that is more than an array can hold
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

/** Gathers faces corner by corner. */
export class FaceGatherer {
  #corners = new Uint32Array(1 << 12);
  #polygons = new Uint32Array(1 << 6);
  #cornerCount = 0;
  /** Numbers in `#polygons`. */
  #polygonsEnd = 0;
  #triangleCount = 0;
  /** The first corner of the face at hand. */
  #first = 0;

  /** Another corner of the face at hand. */
  add(vertex: number): void {
    if (this.#cornerCount === this.#corners.length) this.#corners = grown(this.#corners, null);
    this.#corners[this.#cornerCount++] = vertex;
  }

  /** Ends the face at hand, which has three corners or more. */
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

  /** All faces that have ended. */
  list(): FaceList {
    return {
      corners: this.#corners.slice(0, this.#first),
      polygons: this.#polygons.slice(0, this.#polygonsEnd),
      triangleCount: this.#triangleCount,
    };
  }
}

/** A copy of twice the size, as far as engines go. @throws FormatError beyond that */
export function grown<T extends Float64Array | Uint32Array>(array: T, place: Place): T {
  // A length that is a multiple of 12 ends no vertex, no triangle and no pair in its midst.
  const length = Math.min(2 * array.length, MAX_ELEMENTS - (MAX_ELEMENTS % 12));
  if (length === array.length) throw tooMany(place);
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}
