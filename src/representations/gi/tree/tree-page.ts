/**
 * Places the nodes of a geometry image's trees on their pages, found by shifts alone.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005, section 3, Figure 6. Level n has a node for each quad, level 0 one for the whole image.
 * Node (row, column) of level L has the children (2 row + {0,1}, 2 column + {0,1}) of level L + 1.
 * Level n fills the square at [0,0]; the others are in a column right of it:
 *
 *    +-------------+------+
 *    |             | n-1  |      pixel of node (L, row, column):  level n: (row, column)
 *    |   level n   |      |                                       L < n:   (2^n - 2^(L+1) + row, 2^n + column)
 *    |             +---+--+
 *    |             |n-2|         The last row right of level n and what lies beside the smaller levels is 0.
 *    |             |---+
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
