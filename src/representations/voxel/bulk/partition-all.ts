/**
 * The cubes of all models: algorithm 1 on Q workers.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section IV, algorithm 1'. There processor v has the models j Q + v;
 * models differ in size, so here each goes to whatever worker is free.
 */

import { MeshError, OptionError } from '../../../math/errors.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { MOST_BRICKS } from './collide.ts';
import type { Partitioned, PartitionItem } from './partition.ts';
import { callingThread, type Workers } from './stages.ts';

export interface PartitionAllOptions {
  /** Add the inside of the models, which must be closed. */
  fill?: boolean;
  /** Of the models, for errors; default "model 0" and on. */
  names?: readonly string[];
  /** Hears how many models are done. */
  onProgress?: (done: number) => void;
}

/**
 * The cubes of each model, in the order of the models.
 *
 * @param meshes model units; all on the one grid that is anchored at the origin
 * @param precision edge of a cube, model units
 * @throws OptionError or MeshError as geometry/partition.ts does, for the first such model, with its name before
 * @example const mesh = readObj(bytes);
 *          const sets = await partitionAll([mesh, mesh], 0.05);
 *          (await collideSorted(sets)).pairs.length // 2
 */
export async function partitionAll(
  meshes: readonly Pick<PartitionItem, 'positions' | 'triangles'>[],
  precision: number,
  workers: Workers = callingThread(),
  { fill = false, names = [], onProgress = () => {} }: PartitionAllOptions = {},
): Promise<CubeSet[]> {
  const results: Partitioned[] = new Array(meshes.length);
  let bricks = 0;
  let next = 0;
  let done = 0;
  let hasFailed = false;
  // As many at a time as there are workers; after a problem no more, so that the first model with one is named whatever the workers do.
  const work = async (): Promise<void> => {
    while (next < meshes.length && !hasFailed) {
      const m = next++;
      const { positions, triangles } = meshes[m];
      const result = await workers.partition({ positions, triangles, precision, fill });
      results[m] = result;
      if ('set' in result) bricks += result.set.keys.length / 2;
      hasFailed ||= !('set' in result) || bricks > MOST_BRICKS;
      onProgress(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, workers.count) }, work));
  const sets: CubeSet[] = [];
  for (const [m, result] of results.entries()) {
    if (result === undefined) break;
    if ('set' in result) sets.push(result.set);
    else if (result.isOption) throw new OptionError(result.problem);
    else throw new MeshError(`${names[m] ?? `model ${m}`}: ${result.problem}`);
  }
  if (bricks > MOST_BRICKS) {
    throw new OptionError(
      `more than ${MOST_BRICKS} bricks of cubes in ${sets.length} of ${meshes.length} models: take larger cubes`,
    );
  }
  return sets;
}
