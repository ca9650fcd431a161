/**
 * Cuts all models into cubes: algorithm 1 on Q workers.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section IV, algorithm
 * 1'. There processor v has the models j Q + v. Models differ in size, so here each goes to a free
 * worker.
 */

import { MeshError, OptionError } from '../../../base/errors.ts';
import { inOrder } from '../../../base/ordered-concurrency.ts';
import { requireMeshArrays, requireOptionTypes, requireThat } from '../../../base/require.ts';
import { type CutOptions, lackOfRoom, likelyBricksOf, type Model, tooMany } from '../make/brick-bound.ts';
import { MOST_BRICKS as MOST_OF_MODEL, requireCuttable } from '../make/partition.ts';
import { type SurfaceDevice, surfacesOnDevice } from '../make/surface-on-device.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { MOST_BRICKS } from './collide.ts';
import { callingThread, requireWorkers, type Workers } from './stages.ts';

/** Models in transit per worker, so that a large one blocks no other worker. */
const AHEAD = 8;
const BRICK_COST = 300;

interface PartitionAllOptions {
  /** Add the inside of the models, which must be closed. */
  fill?: boolean;
  /** Refuse more bricks than this over all models. Default and most: 2^26. */
  mostBricks?: number;
  /** Names of the models in errors; default "model 0" and on. */
  names?: readonly string[];
  /** Cuts models instead of the workers, into the same cubes. Workers cut models with `fill`. */
  device?: SurfaceDevice | undefined;
  /** Receives the number of finished models. */
  onProgress?: (done: number) => void;
}

const OPTIONS = { fill: 'boolean', mostBricks: 'number', names: 'any', device: 'any', onProgress: 'function' } as const;

/**
 * Returns the cubes of each model, in order.
 *
 * @param meshes model units; all on the one grid that is anchored at the origin
 * @param precision edge of a cube, model units
 * @param most workers for the models, used as far as they speed it up
 * @throws OptionError or MeshError as `build` does, for the first such model, after its name; every
 *   mesh is validated before the first is cut
 * @example const mesh = readObj(bytes);
 *          const sets = await partitionAll([mesh, mesh], 0.05);
 *          (await collideSorted(sets)).pairs.length // 2
 */
export async function partitionAll(
  meshes: readonly Model[],
  precision: number,
  most: Workers = callingThread(),
  options: PartitionAllOptions = {},
): Promise<CubeSet[]> {
  requireWorkers(most);
  requireOptionTypes(options, OPTIONS);
  const { fill = false, mostBricks = MOST_BRICKS, names = [], device, onProgress = () => {} } = options;
  requireThat(Array.isArray(meshes), 'meshes', 'an array of meshes', meshes);
  requireThat(typeof precision === 'number', 'precision', 'a length', precision);
  for (const [model, mesh] of meshes.entries()) requireMeshArrays(mesh, names[model] ?? `meshes[${model}]`);
  const nameOf = (model: number): string => names[model] ?? `model ${model}`;
  const cutting = { precision, fill };
  const limit = Math.min(mostBricks, MOST_BRICKS);
  const named = (error: unknown, name: string): unknown =>
    error instanceof MeshError ? new MeshError(`${name}: ${error.message}`) : error;
  const requireRoomFor = (models: typeof meshes, name: string): void => {
    const problem = lackOfRoom(models, cutting, limit);
    if (problem) throw named(problem, name);
  };
  // Validated before any is cut: each by itself, then all together.
  for (const [model, mesh] of meshes.entries()) {
    try {
      requireCuttable(mesh, cutting);
    } catch (error) {
      throw named(error, nameOf(model));
    }
  }
  for (const [model, mesh] of meshes.entries()) requireRoomFor([mesh], nameOf(model));
  requireRoomFor(meshes, `${meshes.length} models`);
  const sets: CubeSet[] = [];
  let bricks = 0;
  const made = device && !fill ? surfacesOnDevice(device, meshes, precision) : byWorkers(most, meshes, cutting);
  try {
    for await (const set of made) {
      const found = set.keys.length / 2;
      if (found > MOST_OF_MODEL) throw tooMany([meshes[sets.length]], cutting, MOST_OF_MODEL);
      sets.push(set);
      bricks += found;
      if (bricks > limit) {
        throw new OptionError(
          `more than ${limit} bricks of cubes in ${sets.length} of ${meshes.length} models: use larger cubes`,
        );
      }
      onProgress(sets.length);
    }
  } catch (error) {
    throw named(error, nameOf(sets.length));
  }
  return sets;
}

/** A model with a problem is the one after the last result. */
function byWorkers(most: Workers, meshes: readonly Model[], cutting: CutOptions): AsyncIterable<CubeSet> {
  const workers = most.paying(BRICK_COST * sharableBricks(meshes, cutting));
  let m = 0;
  const next = async (): Promise<Model | null> => (m < meshes.length ? meshes[m++] : null);
  const partition = ({ positions, triangles }: Model): Promise<CubeSet> =>
    workers.partition({ positions, triangles, ...cutting });
  return inOrder(next, partition, () => AHEAD * Math.max(1, workers.count));
}

/** One model is one thread's, so a large one leaves the others at most as much again. */
function sharableBricks(meshes: readonly Model[], cutting: CutOptions) {
  let all = 0;
  let largest = 0;
  for (const mesh of meshes) {
    const bricks = likelyBricksOf(mesh, cutting);
    all += bricks;
    largest = Math.max(largest, bricks);
  }
  return Math.min(all, 2 * (all - largest));
}
