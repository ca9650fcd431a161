/** Pieces of a surface's triangles with known distances, from which `boundDeviation` may begin. */

export interface Pieces {
  count: number;
  /** The surface's triangle that holds each piece. */
  triangle: Int32Array;
  /** v, w of three corners, A + v b + w c, each off by 20 * 2^-53 at most. */
  corners: Float64Array;
  /** Proved: no point of the piece is farther from the target. */
  bound: Float64Array;
  /** A triangle of the target near the piece, or -1. */
  laidOn: Int32Array;
}

/** Pieces whose bounds are above a limit, up to the list's room. */
export class PieceList implements Pieces {
  count = 0;
  triangle: Int32Array;
  corners: Float64Array;
  bound: Float64Array;
  laidOn: Int32Array;
  /** The greatest bound among those left out. */
  rest = 0;
  readonly limit: number;
  readonly #most: number;

  constructor(limit: number, most: number) {
    this.limit = limit;
    this.#most = most;
    const room = 1024;
    this.triangle = new Int32Array(room);
    this.corners = new Float64Array(6 * room);
    this.bound = new Float64Array(room);
    this.laidOn = new Int32Array(room);
  }

  /** Adds a convex polygon of a triangle, v and w of each corner, if above the limit. */
  add(triangle: number, polygon: Float64Array, corners: number, bound: number, laidOn: number): void {
    if (!(bound > this.limit) || this.count + corners > this.#most) {
      this.rest = Math.max(this.rest, bound);
      return;
    }
    if (this.count + corners > this.bound.length) this.#grow();
    for (let k = 1; k + 1 < corners; k++) {
      const to = 6 * this.count;
      for (let i = 0; i < 2; i++) {
        this.corners[to + i] = polygon[i];
        this.corners[to + 2 + i] = polygon[2 * k + i];
        this.corners[to + 4 + i] = polygon[2 * k + 2 + i];
      }
      this.triangle[this.count] = triangle;
      this.bound[this.count] = bound;
      this.laidOn[this.count++] = laidOn;
    }
  }

  #grow(): void {
    const room = 2 * this.bound.length;
    this.triangle = enlarged(this.triangle, new Int32Array(room));
    this.corners = enlarged(this.corners, new Float64Array(6 * room));
    this.bound = enlarged(this.bound, new Float64Array(room));
    this.laidOn = enlarged(this.laidOn, new Int32Array(room));
  }
}

export function enlarged<T extends Float64Array | Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
