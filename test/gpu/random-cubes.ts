/** Sets of cubes in a small hall, so that many are shared. */

import { build } from '../../src/api.ts';
import type { Random } from '../../src/math/numbers.ts';
import type { CubeSet, VoxelSet } from '../../src/representations/voxel/tree/cube-set.ts';

/** Cubes of the grid of 1 that a point or a few triangles are in: about `count` of them. */
export function randomCubes(random: Random, count: number): CubeSet {
  const corners = Math.max(1, Math.round(count / 3));
  const at = (): number => Math.floor(random.unit() * 12 - 6) + 0.5;
  const positions = Float64Array.from({ length: 9 * corners }, at);
  // Small triangles: each corner at most a cell from the first.
  for (let p = 0; p < positions.length; p++)
    if (p % 9 > 2) positions[p] = positions[p - (p % 9) + (p % 3)] + (random.integer() % 3) - 1;
  const triangles = Uint32Array.from({ length: 3 * corners }, (_, n) => n);
  const { precision, keys, masks } = build(
    { positions, triangles, groups: [] },
    { format: 'voxel', precision: 1 },
  ) as VoxelSet;
  return { precision, keys, masks };
}

/** Bricks of so many keys that follow one another, each there by that chance, with four cubes at most. */
export function randomBricks(random: Random, keys: number, chance: number): CubeSet {
  const low = Array.from({ length: keys }, (_, key) => key).filter(() => random.unit() < chance);
  const cube = (): number => 1 << (random.integer() % 32);
  return {
    precision: 1,
    keys: Uint32Array.from(low.flatMap((key) => [key, 7])),
    masks: Uint32Array.from(low.flatMap(() => [cube() | cube(), cube() | cube()])),
  };
}
