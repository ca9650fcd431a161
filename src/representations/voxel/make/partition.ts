/**
 * Turns one model into cubes: the cells of the world grid (cube-set.ts) that hold a point of a
 * triangle, and optionally those inside.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III A,
 * algorithm 1. surface-cells.ts and inside-cells.ts describe how the cells are found, and why none
 * is missing.
 */
import { MeshError, OptionError } from '../../../base/errors.ts';
import { shellsOf, whyOpen } from '../../../mesh/shells.ts';
import { type CubeSet, LARGEST_PRECISION, MOST_CELLS, SMALLEST_PRECISION } from '../tree/cube-set.ts';
import { type CutOptions, lackOfRoom, likelyBricksOf, type Model, tooMany } from './brick-bound.ts';
import { cut } from './kernel.ts';

/** One fewer than 2^26, so that 32 bits number the cubes of any set. */
export const MOST_BRICKS = 2 ** 26 - 1;

interface PartitionOptions {
  /** Adds cells whose center is inside, by nonzero winding number. The mesh must be closed. */
  fill?: boolean;
  /** Refuses more bricks. Default and most: MOST_BRICKS, about 3.2 GB while running. */
  mostBricks?: number;
  /** Receives the stages 'surface', 'inside' and 'order', each from 0 to 1. */
  onProgress?: (stage: string, fraction: number) => void;
}

/** One model of many, partitioned one by one in threads. Plain data: it can be posted. */
export interface PartitionItem extends Model {
  precision: number;
  fill: boolean;
}

export const partitionItem = ({ positions, triangles, precision, fill }: PartitionItem): CubeSet =>
  partition({ positions, triangles }, precision, { fill });

/**
 * Returns the cubes of edge `precision` that a mesh needs: every point of every triangle, even
 * degenerate, lies in one of them. The order and orientation of the triangles do not matter.
 *
 * @param mesh model units; coincident vertices count as one
 * @param precision edge of a cube, model units, 1e-100 to 1e100
 * @throws OptionError for an invalid precision, and without WebAssembly; MeshError without
 *   triangles, for coordinates beyond MOST_CELLS cubes, and for more than `mostBricks` bricks. With
 *   `fill`, also MeshError for a mesh whose triangles do not pass every edge equally often in both
 *   directions
 * @example const cubes = partition({ positions: Float64Array.of(0, 0, 0, 2.5, 0, 0, 0, 0, 0), triangles: Uint32Array.of(0, 1, 2) }, 1);
 *          cellsOf(cubes) // 0 0 0, 1 0 0, 2 0 0
 */
export function partition(mesh: Model, precision: number, options: PartitionOptions = {}): CubeSet {
  const { fill = false } = options;
  const cutting = { precision, fill };
  requireCuttable(mesh, cutting);
  const { triangles } = mesh;
  const positions = asDoubles(mesh.positions);

  const most = Math.min(options.mostBricks ?? MOST_BRICKS, MOST_BRICKS);
  const problem = lackOfRoom([mesh], cutting, most);
  if (problem) throw problem;
  const likely = likelyBricksOf(mesh, cutting);
  const { onProgress: progress } = options;
  const { set, cubes } = cut({ positions, triangles, ...cutting, likely, most, ...(progress && { progress }) });
  if (!set) throw tooMany([mesh], cutting, most, cubes);
  return set;
}

/** Throws like `partition` for models that no number of cubes would allow. */
export function requireCuttable({ positions, triangles }: Model, { precision, fill }: CutOptions): void {
  requireEdge(precision);
  if (triangles.length === 0) throw new MeshError('a mesh without triangles has no cubes');
  requireInGrid(positions, triangles, precision);
  if (fill) requireClosed(positions, triangles);
}

export function requireEdge(precision: number): void {
  if (precision >= SMALLEST_PRECISION && precision <= LARGEST_PRECISION) return;
  const range = `${SMALLEST_PRECISION} to ${LARGEST_PRECISION}`.replaceAll('+', '');
  throw new OptionError(`precision: expected the edge of a cube, a number from ${range}, found ${precision}`);
}

function requireInGrid(positions: Model['positions'], triangles: Uint32Array, a: number): void {
  const limit = MOST_CELLS * a;
  for (let corner = 0; corner < triangles.length; corner++) {
    for (let at = 3 * triangles[corner], end = at + 3; at < end; at++) {
      const x = positions[at];
      if (x >= -limit && x < limit) continue;
      throw new MeshError(
        `coordinate ${x} is beyond ${MOST_CELLS} cubes of ${a}: move the mesh nearer to the origin, or use larger cubes`,
      );
    }
  }
}

function requireClosed(positions: Model['positions'], triangles: Uint32Array): void {
  const problem = whyOpen(shellsOf({ positions: asDoubles(positions), triangles }));
  if (problem) throw new MeshError(`the model ${problem}, so nothing is inside`);
}

export const asDoubles = (positions: Model['positions']): Float64Array =>
  positions instanceof Float64Array ? positions : new Float64Array(positions);
