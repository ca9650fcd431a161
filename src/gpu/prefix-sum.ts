/** Turns counts into prefix sums on a GPU (prefix-sum.wgsl). */
import type { Pass } from './gpu.ts';
import type { Room } from './room.ts';
import type { GpuBuffer } from './webgpu.ts';

const TILE = 2048;

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
