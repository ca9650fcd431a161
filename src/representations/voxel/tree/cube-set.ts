/**
 * Sets of equal cubes of one world grid: sparse, sorted, sixteen bytes for up to 64 of them. A
 * model in memory is such a set, whose cubes have numbers.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III: models
 * become sets of cubes of one edge length, the precision a, on a uniform grid. Here all models of a
 * precision share one grid, anchored at the origin, so that two cubes collide if they are the same
 * cell.
 *
 * Cell k along an axis is [fl(k a), fl((k+1) a)), half-open: every number is in exactly one. A
 * brick is 4 x 4 x 4 cells; cell (x, y, z), 0 to 3 each, is the bit of its mask whose number has
 * their bits interleaved, x lowest. Bricks are sorted by the Morton code of their biased
 * coordinates (G. Morton, 1966): of three 20-bit numbers, x lowest, 60 bits in two words. Every
 * octant of every size is a range of bricks.
 *
 * The number of a cube is its place: by brick, then by bit, so by the Morton code of its cell.
 */
import { FormatError } from '../../../base/errors.ts';
import { derived } from '../../../engine/asset-cache.ts';
import type { AssetHeader } from '../../../engine/representation.ts';

export interface CubeSet {
  /** Edge of a cube, a, model units. */
  precision: number;
  /** Per brick: the low 30 bits of its Morton code, and the high 30. Ascending, none twice. */
  keys: Uint32Array;
  /** Per brick: bits 0 to 31 of its mask, and bits 32 to 63. None is empty. */
  masks: Uint32Array;
}

/** Cells along an axis are numbered from -MOST_CELLS to MOST_CELLS - 1. */
export const MOST_CELLS = 2 ** 21;
export const SMALLEST_PRECISION = 1e-100;
export const LARGEST_PRECISION = 1e100;
const BIAS = 2 ** 19;

/** The cell of x, for 0 < a and |x| up to MOST_CELLS a: k with fl(k a) <= x < fl((k+1) a). */
export function cellOf(x: number, a: number): number {
  let k = Math.floor(x / a);
  while (k * a > x) k--;
  while ((k + 1) * a <= x) k++;
  return k;
}

function spread(x: number): number {
  let s = x & 0x3ff;
  s = (s | (s << 16)) & 0x30000ff;
  s = (s | (s << 8)) & 0x300f00f;
  s = (s | (s << 4)) & 0x30c30c3;
  return (s | (s << 2)) & 0x9249249;
}

function gather(m: number): number {
  let s = m & 0x9249249;
  s = (s | (s >>> 2)) & 0x30c30c3;
  s = (s | (s >>> 4)) & 0x300f00f;
  s = (s | (s >>> 8)) & 0x30000ff;
  return (s | (s >>> 16)) & 0x3ff;
}

/** The low word of the key of the brick that holds cell (i, j, k). */
export function lowKey(i: number, j: number, k: number): number {
  return (spread((i >> 2) + BIAS) | (spread((j >> 2) + BIAS) << 1) | (spread((k >> 2) + BIAS) << 2)) >>> 0;
}

export function highKey(i: number, j: number, k: number): number {
  return (
    (spread(((i >> 2) + BIAS) >> 10) |
      (spread(((j >> 2) + BIAS) >> 10) << 1) |
      (spread(((k >> 2) + BIAS) >> 10) << 2)) >>>
    0
  );
}

/** The bit of cell (i, j, k) in its brick's mask, 0 to 63. */
export function bitOf(i: number, j: number, k: number): number {
  return (i & 1) | ((j & 1) << 1) | ((k & 1) << 2) | ((i & 2) << 2) | ((j & 2) << 3) | ((k & 2) << 4);
}

/** Offset of a bit's cell in its brick along axis 0, 1 or 2: 0 to 3. */
export const bitCell = (bit: number, axis: number): number => ((bit >> axis) & 1) | ((bit >> (axis + 2)) & 2);

/** A brick's first cell along axis 0, 1 or 2. */
export function brickCell(low: number, high: number, axis: number): number {
  return 4 * ((gather(low >>> axis) | (gather(high >>> axis) << 10)) - BIAS);
}

export function popcount(x: number): number {
  let s = x - ((x >>> 1) & 0x55555555);
  s = (s & 0x33333333) + ((s >>> 2) & 0x33333333);
  return (((s + (s >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

export function cubesIn(masks: Uint32Array): number {
  let cubes = 0;
  for (let word = 0; word < masks.length; word++) cubes += popcount(masks[word]);
  return cubes;
}

/** Number of each brick's first cube, and last the total: a prefix sum. */
export function firstCubes({ masks }: CubeSet): Uint32Array {
  const first = new Uint32Array(masks.length / 2 + 1);
  for (let brick = 0; brick + 1 < first.length; brick++) {
    first[brick + 1] = first[brick] + popcount(masks[2 * brick]) + popcount(masks[2 * brick + 1]);
  }
  return first;
}

/** Cells of all cubes: i, j, k of cube n at 3n. */
export function cellsOf(set: CubeSet): Int32Array {
  const { keys, masks } = set;
  const cells = new Int32Array(3 * firstCubes(set)[keys.length / 2]);
  let at = 0;
  for (let brick = 0; brick < keys.length; brick += 2) {
    const x = brickCell(keys[brick], keys[brick + 1], 0);
    const y = brickCell(keys[brick], keys[brick + 1], 1);
    const z = brickCell(keys[brick], keys[brick + 1], 2);
    for (let word = 0; word < 2; word++) {
      for (let rest = masks[brick + word]; rest !== 0; rest &= rest - 1) {
        const bit = 32 * word + 31 - Math.clz32(rest & -rest);
        cells[at++] = x + bitCell(bit, 0);
        cells[at++] = y + bitCell(bit, 1);
        cells[at++] = z + bitCell(bit, 2);
      }
    }
  }
  return cells;
}

/** Cubes, as `build` makes them with format `voxel`. */
export interface VoxelSet extends CubeSet {
  representation: 'voxel';
  header: AssetHeader;
}

const firsts = /* @__PURE__ */ derived<VoxelSet, Uint32Array>();

/** Number of each brick's first cube, and last the total. */
export function firstOf(set: VoxelSet): Uint32Array {
  let first = firsts.get(set);
  if (!first) {
    first = firstCubes(set);
    firsts.set(set, first);
  }
  return first;
}

export const cubesOf = (set: VoxelSet): number => firstOf(set)[set.keys.length / 2];

export function cellOfCube(set: VoxelSet, id: number, cell: Int32Array, first = firstOf(set)): void {
  let low = 0;
  let high = set.keys.length / 2;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (first[middle] <= id) low = middle;
    else high = middle;
  }
  const bit = nthBit(set.masks, 2 * low, id - first[low]);
  const [lowKey, highKey] = [set.keys[2 * low], set.keys[2 * low + 1]];
  for (let axis = 0; axis < 3; axis++) cell[axis] = brickCell(lowKey, highKey, axis) + bitCell(bit, axis);
}

/** The set bit, 0 to 63, that follows n others in the mask at `at`. */
function nthBit(masks: Uint32Array, at: number, n: number): number {
  let left = n;
  for (let word = 0; word < 2; word++) {
    for (let rest = masks[at + word]; rest !== 0; rest &= rest - 1) {
      if (left-- === 0) return 32 * word + 31 - Math.clz32(rest & -rest);
    }
  }
  // The set has changed since its cubes were counted.
  throw new FormatError(null, `${n + 1} cubes in brick ${at / 2}`, 'fewer');
}

/** The least and the greatest double of cell k's half-open interval. */
export const lowestOf = (k: number, a: number): number => k * a;
export const greatestOf = (k: number, a: number): number => below((k + 1) * a);

/**
 * The greatest double less than x, for x = 0 and |x| >= 1e-100. S. Rump, P. Zimmermann, S. Boldo,
 * G. Melquiond, "Computing predecessor and successor in rounding to nearest", BIT 49, 2009: it
 * subtracts more than half the step, and less than three halves. Reading bits took five times as
 * long.
 */
function below(x: number): number {
  return x === 0 ? -Number.MIN_VALUE : x - Math.abs(x) * (2 ** -53 + 2 ** -105);
}
