/** A model as equal cubes in memory, and the places of these. */

import { FormatError } from '../../../base/errors.ts';
import type { AssetHeader } from '../../../query/asset-header.ts';
import { derived } from '../../../query/derived.ts';
import { bitCell, brickCell, type CubeSet, firstCubes } from './cube-set.ts';

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
