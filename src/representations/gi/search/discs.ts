/**
 * Disks in float32 for the kernels of geometry images: four nodes per block, each number of the
 * four in lanes.
 *
 * Rounding outward: the center moves by at most `moved`, computed in doubles, and the normal by at
 * most 2^-23. So every point is within r + moved of the new center, and
 *   |n . (p - c)| <= h + moved + 2^-23 r
 * Stored values are larger by 2^-20 r, for the kernels' own rounding, and by 2^-22 of themselves,
 * for the rounding to float32.
 */
import { CENTRES, HALVES, NORMALS, RADII } from './layout.as.ts';

export const LANES = 4;
/** Half thickness of lanes without a node: a plane separates them from everything. */
export const NOTHING = -(2 ** 80);
const UP = 1 + 2 ** -22;

/** Blocks being filled; largest coordinate of a center and largest radius so far, in steps. */
export interface Lanes {
  numbers: Float32Array;
  reach: number;
  largest: number;
}

/** Writes a disk's center and normal to the lane at number `at` (../tree/slab-tree.ts). */
export function writeDisc(into: Lanes, at: number, disc: Float64Array, size: number, half: number): void {
  const { numbers } = into;
  let moved = 0;
  for (let k = 0; k < 3; k++) {
    const centre = at + CENTRES / 4 + LANES * k;
    numbers[centre] = disc[k];
    numbers[at + NORMALS / 4 + LANES * k] = disc[4 + k];
    const off = numbers[centre] - disc[k];
    moved += off * off;
    const far = Math.abs(disc[k]);
    if (!(far <= into.reach)) into.reach = largeOf(far);
  }
  moved = Math.sqrt(moved) * UP;
  const radius = (size + moved) * (1 + 2 ** -20) * UP;
  numbers[at + RADII / 4] = radius;
  numbers[at + HALVES / 4] = half + moved + 2 ** -20 * radius + 2 ** -22 * Math.abs(half);
  if (!(radius <= into.largest)) into.largest = largeOf(radius);
}

/** NaN becomes infinite, so that no smaller number replaces it. */
const largeOf = (x: number): number => (x >= 0 ? x : Number.POSITIVE_INFINITY);

/** Moves bit i to 2 i. */
export function spread(bits: number): number {
  let x = bits;
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}
