/**
 * The cubes of all models: algorithm 1 on Q workers.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section IV, algorithm 1'. There processor v has the models j Q + v;
 * models differ in size, so here each goes to whatever worker is free.
 */
import type { CubeSet } from '../geometry/cube-set.ts';
import { MeshError, OptionError } from '../math/errors.ts';
import type { PartitionItem } from './partition.ts';
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
  let done = 0;
  const each = async ({ positions, triangles }: (typeof meshes)[number]) => {
    const result = await workers.partition({ positions, triangles, precision, fill });
    onProgress(++done);
    return result;
  };
  const results = await Promise.all(meshes.map(each));
  return results.map((result, m) => {
    if ('set' in result) return result.set;
    if (result.isOption) throw new OptionError(result.problem);
    throw new MeshError(`${names[m] ?? `model ${m}`}: ${result.problem}`);
  });
}
