/**
 * Sorts records of three words on a GPU, pass by pass (radix-sort.wgsl), and turns counts into
 * prefix sums (prefix-sum.wgsl).
 */
import type { Pass, Room } from './gpu.ts';
import type { GpuBuffer } from './webgpu.ts';

const BITS = 4;
const DIGITS = 2 ** BITS;
const TILE = 2048;

interface Digit {
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

/**
 * Returns passes that turn counts into prefix sums, in place. The total comes after them.
 *
 * @param counts one word more than `items`; the sum is below 2^32
 */
export function prefixSum(room: Room, counts: GpuBuffer, items: number): Pass[] {
  const tiles = Math.ceil((items + 1) / TILE);
  const buffers = { 0: room.uniform([items, tiles]), 2: room.storage(4 * tiles) };
  const all = { ...buffers, 1: counts };
  return [
    { shader: 'prefix-sum', entry: 'addUp', groups: tiles, buffers: all },
    { shader: 'prefix-sum', entry: 'placeTiles', groups: 1, buffers },
    { shader: 'prefix-sum', entry: 'placeAll', groups: tiles, buffers: all },
  ];
}
