/** Merges shards of cubes into one run: the results of slabs add up. */
import { FormatError } from '../../math/errors.ts';
import type { BaselineFlags } from '../findings/baseline-file.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import type { Session } from '../session.ts';
import { sayUnchecked } from '../tell-coverage.ts';
import { type CubesCollision, cubesLine, tellCubes } from '../tell-cubes.ts';
import { besideOf } from './merge-scene.ts';
import { type Auditor, mergedPairs, type ShardFile } from './read-shards.ts';
import type { CubesHeader, CubesShardSummary, ShardCollision } from './shard-file.ts';

/** Checks collisions against the names and counts of their shard. */
export function cubesAuditor({ names }: CubesHeader): Auditor {
  let count = 0;
  return {
    add(item) {
      if (item.type !== 'collision') return;
      const { pair, a, b } = item as ShardCollision;
      if (names[Math.floor(pair / names.length)] !== a || names[pair % names.length] !== b)
        throw new FormatError(null, `a collision of the pair ${pair}`, 'one of other names');
      count++;
    },
    end(summary) {
      const { colliding, models } = summary as CubesShardSummary;
      if (colliding !== count) throw new FormatError(null, `${colliding} collisions, as the summary says`, `${count}`);
      if (models !== names.length) throw new FormatError(null, `${names.length} models`, `${models}`);
    },
  };
}

export async function mergeCubes(
  shards: readonly ShardFile[],
  log: FindingLog,
  flags: BaselineFlags & { json?: boolean },
  session: Session,
): Promise<number> {
  const { names, asked, incomplete, coverage, allowed = [], partial = [] } = shards[0].header as CubesHeader;
  const { findings, failures, warnings } = besideOf(shards[0].others);
  for (const { subject, message } of warnings) session.log.warn(`${subject}: ${message}`);
  sayUnchecked({ findings, failures }, [], session);
  const covered = { ...{ findings, failures, allowed, coverage }, open: new Set(partial.map((n) => names[n])) };
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
  const line = cubesLine(collisions, { precision, models, pairs, method, cubes: sum('cubes'), ms: sum('ms') });
  const run = { names, expect, isShare: false, isIncomplete: incomplete, covered, warnings };
  return tellCubes(line, run, log, flags, session);
}

function join(into: CubesCollision, { cubes, low, high }: CubesCollision): void {
  into.cubes += cubes;
  into.low = into.low.map((x, k) => Math.min(x, low[k]));
  into.high = into.high.map((x, k) => Math.max(x, high[k]));
}
