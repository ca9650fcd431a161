/**
 * Algorithm 1, partition, of one model, which is one item of work as in the paper.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", sections III.A and IV, algorithm 1'. How a
 * model becomes cubes is in geometry/partition.ts.
 */

import { InputError, OptionError } from '../../../math/errors.ts';
import { partition } from '../build/partition.ts';
import type { CubeSet } from '../tree/cube-set.ts';

/** A model to partition. Plain data: it can be posted. */
export interface PartitionItem {
  positions: Float64Array | Float32Array;
  triangles: Uint32Array;
  precision: number;
  fill: boolean;
}

/** Its cubes, or what is wrong with it: between threads an error loses its class. */
export type Partitioned = { set: CubeSet } | { problem: string; isOption: boolean };

export function partitionItem({ positions, triangles, precision, fill }: PartitionItem): Partitioned {
  try {
    return { set: partition({ positions, triangles }, precision, { fill }) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { problem: error.message, isOption: error instanceof OptionError };
  }
}
