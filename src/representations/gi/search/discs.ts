/**
 * Discs in float32, as the kernels of geometry images read them: four nodes a block, each number of
 * the four in lanes.
 *
 * Rounding outward. A disc's centre is rounded to float32, which moves it by at most `moved`,
 * computed in doubles; its normal is, by 2^-23 at most. So every point of it is within r + moved of
 * the new centre, and |n . (p - c)| within h + moved + 2^-23 r. What is stored is more than these
 * by 2^-20 r, which the kernels' own rounding asks for, and by 2^-22 of itself, for what it is
 * rounded to.
 */
import { CENTRES, HALVES, NORMALS, RADII } from './layout.as.ts';

export const LANES = 4;
/** The half thickness of lanes that hold no node: with it a plane parts them from everything. */
export const NOTHING = -(2 ** 80);
/** For rounding to float32. */
const UP = 1 + 2 ** -22;

/**
 * Blocks as they are filled; the largest coordinate of a centre and the largest radius so far,
 * steps.
 */
export interface Lanes {
  numbers: Float32Array;
  reach: number;
  largest: number;
}

/**
 * Writes the centre and the normal of a disc (../tree/slab-tree.ts), with this radius and half
 * thickness, into the lane that begins at a number of its block.
 */
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

/** What is no number is never forgotten for a smaller one. */
const largeOf = (x: number): number => (x >= 0 ? x : Number.POSITIVE_INFINITY);

/** Moves bit i to 2 i. */
export function spread(bits: number): number {
  let x = bits;
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}
