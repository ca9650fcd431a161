/** Shares of `cubes`: the parts of models in a slab of space, whose results add up. */
import { FormatError, MeshError } from '../../base/errors.ts';
import { totalPairCount } from '../../representations/voxel/bulk/collide.ts';
import { meshInSlab, type Slab, slabOf } from '../../representations/voxel/bulk/slabs.ts';
import { requireCuttable } from '../../representations/voxel/make/partition.ts';
import type { VoxelSet } from '../../representations/voxel/tree/cube-set.ts';
import type { Covered } from '../../scene/coverage.ts';
import type { BaselineFlags } from '../findings/baseline-file.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import type { Share } from '../flags.ts';
import { type CubesCollision, type CubesLine, cubesLine, tellCubes } from '../print-cubes.ts';
import type { Session, WarningRecord } from '../session.ts';
import { type Counts, coveredOf, mergedPairs, type ShardFile } from './read-shards.ts';
import {
  type CubesHeader,
  type CubesShardSummary,
  contentDigest,
  partialOf,
  type ShardCollision,
  ShardWriter,
} from './shard-file.ts';

export interface Model {
  name: string;
  file: string;
  cubes: VoxelSet | null;
  mesh: { positions: Float64Array; triangles: Uint32Array } | null;
}

/** A share's part of all models, or all; models outside its slab have neither cubes nor a mesh. */
export interface Part {
  models: readonly Model[];
  slab: Slab | null;
}

/** @throws MeshError for a mesh that no share can cut, wherever it is */
export function partOf(
  models: readonly Model[],
  { shard }: Share,
  { precision = models[0].cubes!.precision, fill = false }: { precision?: number; fill?: boolean },
): Part {
  if (!shard || shard.count === 1) return { models, slab: null };
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
  { pairs, counts }: { pairs: Uint32Array; counts: readonly number[] },
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
  const { coverage, allowed } = covered;
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
    partial: partialOf(names, covered.open),
    asked: { precision, fill, method, expect },
  });
  for (const [p, found] of line.collisions.entries())
    writer.add(pairs[2 * p], pairs[2 * p + 1], { type: 'collision', ...found });
  await writer.end(covered, warnings, {
    ...{ type: 'summary', models: line.models, pairs: line.pairs, cubes: line.cubes, colliding: line.colliding.pairs },
    ...{ counts: [...counts], ms: line.ms },
  });
}

export function auditCubes({ names }: CubesHeader, summary: object, { collision = 0 }: Counts): void {
  const { colliding, models, cubes, counts } = summary as CubesShardSummary;
  if (colliding !== collision)
    throw new FormatError(null, `${colliding} collisions, as the summary says`, `${collision}`);
  if (models !== names.length) throw new FormatError(null, `${names.length} models`, `${models}`);
  if (!counts) return;
  if (counts.length !== models) throw new FormatError(null, `counts of ${models} models`, `${counts.length}`);
  const sum = counts.reduce((all, count) => all + count, 0);
  if (sum !== cubes) throw new FormatError(null, `counts of ${cubes} cubes, as the summary says`, `${sum}`);
}

export async function mergeCubes(
  shards: readonly ShardFile[],
  log: FindingLog,
  flags: BaselineFlags & { json?: boolean },
  session: Session,
): Promise<number> {
  const { names, asked, incomplete, coverage, allowed = [] } = shards[0].header as CubesHeader;
  const { warnings, ...known } = coveredOf(shards[0], session);
  const covered = { ...known, allowed, coverage };
  const summaries = shards.map(({ summary }) => summary as CubesShardSummary);
  const sum = (key: 'cubes' | 'ms'): number => summaries.reduce((all, each) => all + each[key], 0);
  const collisions: CubesCollision[] = [];
  let last = -1;
  for await (const { pair, type: _, ...found } of mergedPairs<ShardCollision>(shards)) {
    if (pair === last) join(collisions[collisions.length - 1], found);
    else collisions.push(found);
    last = pair;
  }
  const { models, pairs } = summaries[0];
  const { precision, method, expect } = asked;
  const sums = { cubes: sum('cubes'), totalPairCount: totalOf(summaries), ms: sum('ms') };
  const line = cubesLine(collisions, { precision, models, pairs, method, ...sums });
  const run = { names, expect, isShare: false, isIncomplete: incomplete, covered, warnings };
  return tellCubes(line, run, log, flags, session);
}

/** A model's cubes are those of all shards; undefined if a shard does not have them. */
function totalOf(summaries: readonly CubesShardSummary[]): number | undefined {
  const counts: number[] = [];
  for (const { counts: own } of summaries) {
    if (!own) return undefined;
    for (const [m, count] of own.entries()) counts[m] = (counts[m] ?? 0) + count;
  }
  return totalPairCount(counts);
}

function join(into: CubesCollision, { cubes, low, high }: CubesCollision): void {
  into.cubes += cubes;
  into.low = into.low.map((x, k) => Math.min(x, low[k]));
  into.high = into.high.map((x, k) => Math.max(x, high[k]));
}
