/**
 * The integer grid of a geometry image's samples and centers, the places of its nodes on their
 * pages, the rim of a square of samples, and its padding.
 */

/** Coordinate k of a sample q is `origin[k] + q * step`: two double operations. */
export interface Grid {
  origin: Float64Array;
  step: number;
}

/** Samples per side of a square of 2^exponent by 2^exponent quads. */
export const sizeOf = (exponent: number): number => (1 << exponent) + 1;

const U = 2 ** -53;

/** Greatest excess of a decoded distance over `step` times the integers' distance. */
export function decodeError(grid: Grid): number {
  const o = grid.origin;
  const largest = Math.max(Math.abs(o[0]), Math.abs(o[1]), Math.abs(o[2])) + 2 * 65535 * grid.step;
  return 4 * U * largest; // two points, three coordinates: 2 sqrt(3) u largest
}

/*
 * Places the nodes of a geometry image's trees on their pages, found by shifts alone.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005, section 3, Figure 6. Level n has a node for each quad, level 0 one for the whole image.
 * Node (row, column) of level L has the children (2 row + {0,1}, 2 column + {0,1}) of level L + 1.
 * Level n fills the square at [0,0]; the others are in a column right of it:
 *
 *    +-------------+------+
 *    |             | n-1  |      pixel of node (L, row, column): of level n (row, column),
 *    |   level n   |      |      of L < n (2^n - 2^(L+1) + row, 2^n + column)
 *    |             +---+--+
 *    |             |n-2|         The last row right of level n is 0, and so is
 *    |             |---+         what lies beside the smaller levels.
 *    +-------------+
 */

export interface SphereTree {
  /** RGBA, 3 * 2^(n-1) wide and 2^n high, as drawn above: the nodes' spheres (sphere-tree.ts). */
  page: Uint16Array;
  /** Radius of one step of alpha, per level 0 to n, model units. */
  radiusSteps: Float64Array;
  /** RGBA, in the same places: a node's slab (slab-tree.ts). None in files before version 3. */
  slabs?: Uint16Array | undefined;
}

/** A chart of one quad has one node. */
export const treeWidth = (exponent: number): number => (exponent === 0 ? 1 : 3 << (exponent - 1));
export const treeHeight = (exponent: number): number => 1 << exponent;
export const treePixels = (exponent: number): number => treeWidth(exponent) * treeHeight(exponent);

export function levelOfPixel(exponent: number, pixel: number): number {
  const side = 1 << exponent;
  const width = treeWidth(exponent);
  if (pixel % width < side) return exponent;
  // Rows 2^n - 2^(L+1) to 2^n - 2^L - 1 are level L's: 2^n - 1 - y has L + 1 bits.
  return 31 - Math.clz32(side - 1 - Math.floor(pixel / width));
}

export function nodeOffset(exponent: number, level: number, row: number, column: number): number {
  const width = treeWidth(exponent);
  return level === exponent
    ? 4 * (row * width + column)
    : 4 * (((1 << exponent) - (2 << level) + row) * width + (1 << exponent) + column);
}

/** True if alpha counts radii in one unit on all levels, as in the seed paper. */
export const isOneScale = (radiusSteps: Float64Array): boolean =>
  radiusSteps.length > 1 && radiusSteps.every((step) => step === radiusSteps[0]);

/** Largest alpha of a level, over all charts of a page. With a step for each level it is 65,535. */
export function largestAlpha(page: Uint16Array, exponent: number, level: number): number {
  const values = 4 * treePixels(exponent);
  let largest = 0;
  for (let chart = 0; chart < page.length && largest < 65535; chart += values) {
    for (let row = 0; row < 1 << level; row++) {
      const first = chart + nodeOffset(exponent, level, row, 0) + 3;
      for (let column = 0; column < 1 << level; column++) largest = Math.max(largest, page[first + 4 * column]);
      if (largest === 65535) break;
    }
  }
  return largest;
}

/** Index of the sample `step` intervals around the square from its first corner. */
export function sampleOnSide(step: number, size: number): number {
  const last = size - 1;
  const along = step % last;
  switch (Math.floor(step / last) % 4) {
    case 0:
      return along;
    case 1:
      return along * size + last;
    case 2:
      return last * size + last - along;
    default:
      return (last - along) * size;
  }
}

/**
 * Shares out `total` whole intervals in proportion to lengths, at least one to each. Sides get
 * their full shares first; the rest goes where most is lacking.
 */
export function allotIntervals(lengths: readonly number[], total: number): Int32Array {
  const sum = lengths.reduce((a, b) => a + b, 0);
  const due = lengths.map((length) => (sum > 0 ? (total * length) / sum : total / lengths.length));
  const share = Int32Array.from(due, (d) => Math.max(1, Math.floor(d)));
  let left = total - share.reduce((a, b) => a + b, 0);
  for (; left !== 0; left -= Math.sign(left)) {
    let choice = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < share.length; i++) {
      if (left < 0 && share[i] === 1) continue;
      const lacks = left > 0 ? due[i] - share[i] : share[i] - due[i];
      if (lacks > most) [choice, most] = [i, lacks];
    }
    share[choice] += Math.sign(left);
  }
  return share;
}

/*
 * Pads an image of any width and height to a square of 2^n + 1 samples by repeating its last column
 * and row. Padding has no area: searches skip it, so no contact is listed twice, and counts ignore
 * it.
 *
 * A quad is padding if its first corner is in the last stored row or column, or beyond. All its
 * corners are then samples of the rim, and its triangles run along edges of it. So leaving them out
 * removes no point from the surface. A node is padding if all its quads are.
 */

export interface StoredSize {
  width: number;
  height: number;
}

export function padSquare(samples: Uint16Array, { width, height }: StoredSize, exponent: number): Uint16Array {
  const size = sizeOf(exponent);
  if (width === size && height === size) return samples;
  const square = new Uint16Array(3 * size * size);
  for (let row = 0; row < size; row++) {
    const from = 3 * width * Math.min(row, height - 1);
    const to = 3 * size * row;
    square.set(samples.subarray(from, from + 3 * width), to);
    for (let i = 3 * width; i < 3 * size; i++) square[to + i] = square[to + i - 3];
  }
  return square;
}

/** True if a node of the square is padding; false without `stored`. */
export const isPadding = (
  stored: StoredSize | null,
  exponent: number,
  level: number,
  row: number,
  column: number,
): boolean =>
  stored !== null &&
  (row << (exponent - level) >= stored.height - 1 || column << (exponent - level) >= stored.width - 1);

/** Stored size of every 2^k-th sample; the last row and column are kept. */
export const thinnedSize = (stored: StoredSize | null, shift: number): StoredSize | null =>
  stored && {
    width: Math.ceil((stored.width - 1) / 2 ** shift) + 1,
    height: Math.ceil((stored.height - 1) / 2 ** shift) + 1,
  };
