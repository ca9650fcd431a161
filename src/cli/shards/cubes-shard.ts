/** Computes and stores a share of `cubes`: the parts of models in its slab of space. */

import { MeshError } from '../../math/errors.ts';
import type { Shard } from '../../math/shares.ts';
import { requireCuttable } from '../../representations/voxel/build/partition.ts';
import { meshInSlab, type Slab, slabOf } from '../../representations/voxel/bulk/slabs.ts';
import type { VoxelSet } from '../../representations/voxel/tree/voxel-set.ts';
import type { Covered } from '../../scene/coverage.ts';
import type { WarningRecord } from '../inputs.ts';
import type { CubesLine } from '../tell-cubes.ts';
import { contentDigest } from './content-digest.ts';
import type { CubesHeader } from './shard-file.ts';
import type { Share } from './shard-flags.ts';
import { ShardWriter } from './write-shard.ts';

interface Model {
  name: string;
  file: string;
  cubes: VoxelSet | null;
  mesh: { positions: Float64Array; triangles: Uint32Array } | null;
}

/** A share's part of all models; models outside its slab have neither cubes nor a mesh. */
export interface Part {
  models: Model[];
  slab: Slab;
}

/** @throws MeshError for a mesh that no share can cut, wherever it is */
export function partOf(models: readonly Model[], precision: number, fill: boolean, shard: Shard): Part {
  for (const { mesh, name, file } of models) {
    try {
      if (mesh) requireCuttable(mesh, { precision, fill: false });
    } catch (error) {
      throw error instanceof MeshError ? new MeshError(`${file}: ${name}: ${error.message}`) : error;
    }
  }
  const meshes = models.flatMap(({ mesh }) => mesh ?? []);
  const sets = models.flatMap(({ cubes }) => cubes ?? []);
  const slab = slabOf(meshes, sets, { precision, fill }, shard);
  const parts = models.map((model) => {
    const mesh = model.mesh && meshInSlab(model.mesh, slab, { precision, fill });
    return { ...model, mesh: mesh as Model['mesh'] };
  });
  return { models: parts, slab };
}

export async function keepCubes(
  { shard, folder }: Share,
  models: readonly Model[],
  pairs: Uint32Array,
  line: CubesLine,
  run: {
    inputs: string[];
    incomplete: boolean;
    fill: boolean;
    expect: CubesHeader['asked']['expect'];
    covered: Covered;
    warnings: readonly WarningRecord[];
  },
): Promise<void> {
  if (!shard || folder === null) return;
  const { inputs, incomplete, fill, expect, covered, warnings } = run;
  const { coverage, allowed, findings, open } = covered;
  const names = models.map(({ name }) => name);
  const { precision, method } = line;
  const writer = new ShardWriter(folder, shard, {
    ...{
      command: 'cubes',
      inputs,
      content: contentDigest(models, covered.findings, warnings, allowed),
      names,
      incomplete,
    },
    coverage,
    ...(allowed.length > 0 && { allowed }),
    partial: names.flatMap((name, n) => (open.has(name) ? [n] : [])),
    asked: { precision, fill, method, expect },
  });
  for (const [p, found] of line.collisions.entries())
    writer.add(pairs[2 * p], pairs[2 * p + 1], { type: 'collision', ...found });
  const unchecked = findings.map((finding) => ({ ...finding, type: 'unchecked' }));
  await writer.end(...warnings, ...unchecked, {
    ...{ type: 'summary', models: line.models, pairs: line.pairs, cubes: line.cubes, colliding: line.colliding.pairs },
    ms: line.ms,
  });
}
