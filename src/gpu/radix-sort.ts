/** Sorts records of three words on a GPU, pass by pass (radix-sort.wgsl). */
import type { Pass } from './gpu.ts';
import { prefixSum } from './prefix-sum.ts';
import type { Room } from './room.ts';
import type { GpuBuffer } from './webgpu.ts';

const BITS = 4;
const DIGITS = 2 ** BITS;
const TILE = 2048;

export interface Digit {
  word: number;
  shift: number;
}

/**
 * Returns the digits to sort by, the least significant first: those in which records differ.
 *
 * @param varying per word, the least significant first: the bits in which records differ
 */
export function digitsOf(varying: readonly number[]): Digit[] {
  const digits: Digit[] = [];
  for (const [word, bits] of varying.entries()) {
    for (let shift = 0; shift < 32 && bits >>> shift !== 0; shift++) {
      if (((bits >>> shift) & 1) === 0) continue;
      digits.push({ word, shift });
      shift += BITS - 1;
    }
  }
  return digits;
}

/**
 * Returns the passes of a stable sort, and the buffer that will hold the result.
 *
 * @param spare as large as `records`; both are overwritten
 */
export function radixSort(
  room: Room,
  records: GpuBuffer,
  spare: GpuBuffer,
  items: number,
  digits: readonly Digit[],
): { passes: Pass[]; sorted: GpuBuffer } {
  const tiles = Math.ceil(items / TILE);
  const counts = room.storage(4 * (DIGITS * tiles + 1));
  const places = prefixSum(room, counts, DIGITS * tiles);
  const passes: Pass[] = [];
  let [from, into] = [records, spare];
  for (const { word, shift } of digits) {
    const buffers = { 0: room.uniform([items, word, shift, tiles]), 1: from, 2: counts };
    passes.push({ shader: 'radix-sort', entry: 'countDigits', groups: tiles, buffers }, ...places, {
      shader: 'radix-sort',
      entry: 'place',
      groups: tiles,
      buffers: { ...buffers, 3: into },
    });
    [from, into] = [into, from];
  }
  return { passes, sorted: from };
}
