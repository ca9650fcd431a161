/** Merges shards of a scene into one run. */
import { FormatError } from '../../math/errors.ts';
import type { Level, ReportFinding } from '../../report/model.ts';
import type { Covered } from '../../scene/coverage.ts';
import type { Finding, Party, SceneObject, SceneSummary } from '../../scene/report.ts';
import { type Asked, asksOf, wouldTell } from '../../scene/rules.ts';
import { EXIT } from '../exit-codes.ts';
import { ANYWHERE, isWithin, requireNamed } from '../file-source.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import { about, type NamedSession, type WarningRecord } from '../inputs.ts';
import { sayUnchecked } from '../tell-coverage.ts';
import { type SceneRun, tellScene } from '../tell-scene.ts';
import { type Auditor, mergedPairs, type ShardFile } from './read-shards.ts';
import type { SceneHeader, SceneShardSummary, ShardError, ShardUnchecked } from './shard-file.ts';

type Line = Finding & { pair: number; level: Level };

const SUMS = [
  ...(['checked', 'unasked', 'overlap', 'inside', 'same', 'contact', 'touch', 'near', 'undecided'] as const),
];

/** Checks findings against the names and counts of their shard. */
export function sceneAuditor({ names, facts }: SceneHeader): Auditor {
  const counts: Record<string, number> = {};
  let unchecked = 0;
  return {
    add(item) {
      if (item.type === 'error') unchecked += (item as ShardError).names.length;
      if (item.type === 'unchecked') unchecked++;
      if (item.type !== 'finding') return;
      const { pair, a, b, class: found } = item as Line;
      const [i, j] = [Math.floor(pair / names.length), pair % names.length];
      if (names[i] !== a.name || names[j] !== b.name)
        throw new FormatError(null, `a finding of the pair ${pair}`, 'one of other names');
      counts[found] = (counts[found] ?? 0) + 1;
    },
    end(summary) {
      const told = summary as SceneShardSummary;
      for (const found of SUMS.slice(2)) requireCount(`findings of class ${found}`, told[found], counts[found] ?? 0);
      requireCount('objects', names.length, told.objects);
      requireCount('objects unchecked', facts.unchecked, unchecked);
    },
  };
}

function requireCount(what: string, told: number, found: number): void {
  if (told !== found) throw new FormatError(null, `${told} ${what}, as the file says`, `${found}`);
}

export async function mergeScene(
  shards: readonly ShardFile[],
  log: FindingLog,
  { json, draws }: { json: boolean; draws: boolean },
  session: NamedSession,
): Promise<number> {
  const [{ file, header, others }] = shards;
  const { inputs, facts, incomplete } = header as SceneHeader;
  const beside = besideOf(others);
  const { partial = [] } = header as SceneHeader;
  const covered = { ...beside, open: new Set(partial.map((n) => header.names[n])) };
  for (const { subject, message } of beside.warnings) session.log.warn(`${subject}: ${message}`);
  sayUnchecked(covered, [], session);
  const summary = await about(file, () => summaryOf(shards));
  const asked = await about(file, () => asksAgain(header as SceneHeader));
  const numbers = new Map(header.names.map((name, n) => [name, n]));
  const pictures = draws ? new Pictures(session) : null;
  const run: SceneRun = {
    ...{ inputs, covered, facts: { ...(facts as SceneRun['facts']), ...outputsOf(shards) } },
    seconds: () => secondsOf(shards),
    warnings: () => beside.warnings,
    async find(take) {
      for await (const { pair: _, ...finding } of mergedPairs<Line>(shards)) {
        pictures?.add(finding);
        await take(revived(finding), finding.level);
      }
      return summary;
    },
    looksAt(a, b, rule) {
      const [i, j] = [numbers.get(a), numbers.get(b)];
      return i !== undefined && j !== undefined && wouldTell(asked, i, j, rule);
    },
    ...(pictures && { snapshot: (finding: ReportFinding) => pictures.of(finding) }),
  };
  const code = await tellScene(run, log, { json }, session);
  return incomplete ? EXIT.failed : code;
}

export function besideOf(others: readonly { type: string }[]): Pick<Covered, 'findings' | 'failures'> & {
  warnings: WarningRecord[];
} {
  const ofType = <T>(type: string): T[] => others.filter((item) => item.type === type) as T[];
  return {
    failures: ofType<ShardError>('error').map(({ names, message }) => ({ names, problem: message })),
    findings: ofType<ShardUnchecked>('unchecked').map((item) => ({ ...item, type: 'finding' as const })),
    warnings: ofType<WarningRecord>('warning'),
  };
}

/** JSON has null for Infinity, which text needs. */
function revived<T extends Finding>(finding: T): T {
  const { thickness } = finding;
  if (!thickness || (thickness.upper as number | null) !== null) return finding;
  return { ...finding, thickness: { ...thickness, upper: Number.POSITIVE_INFINITY } };
}

/** Makes the run's summary: facts about the whole, which all shares agree on, and sums. */
function summaryOf(shards: readonly ShardFile[]): SceneSummary {
  const [first, ...rest] = shards.map(({ summary }) => summary as SceneShardSummary);
  const { shard: _, ...whole } = first;
  const { broad, narrow } = first.ms;
  const sum = { ...whole, ms: { broad, narrow } } as SceneSummary;
  for (const other of rest) {
    for (const key of SUMS) sum[key] += other[key];
    sum.ms.broad += other.ms.broad;
    sum.ms.narrow += other.ms.narrow;
  }
  sum.ms = { broad: rounded(sum.ms.broad), narrow: rounded(sum.ms.narrow) };
  requireCount('pairs asked, by all shards together', sum.pairs - sum.apart, sum.checked + sum.unasked);
  return sum;
}

const rounded = (ms: number): number => Math.round(1000 * ms) / 1000;

const secondsOf = (shards: readonly ShardFile[]): number =>
  shards.reduce((sum, { summary }) => sum + (summary as SceneShardSummary).ms.all, 0) / 1000;

/** Returns the outputs of the shard with the most stale ones, then the most unknown ones. */
function outputsOf(shards: readonly ShardFile[]): Pick<SceneRun['facts'], 'outputs'> {
  const all = shards.flatMap(({ header }) => (header as SceneHeader).facts.outputs ?? []);
  all.sort((a, b) => b.stale - a.stale || b.unknown - a.unknown);
  return all.length > 0 ? { outputs: all[0] } : {};
}

function asksAgain({
  names,
  asked: { rules, clearance, tolerance, touchGap, against, still, absent },
}: SceneHeader): Asked {
  const setOf = (numbers: readonly number[]): ReadonlySet<string> => new Set(numbers.map((n) => names[n]));
  return asksOf(names, {
    ...{ rules, clearance, tolerance, touchGap, absent },
    ...(against && { against: setOf(against) }),
    ...(still && { still: setOf(still) }),
    // The shards have already reported rules that match nothing.
    onUnmatched: () => {},
  });
}

/** Draws findings; makes their objects from the files again if these still exist. */
class Pictures {
  private readonly parties = new Map<string, [Party, Party]>();
  private objects: Promise<Map<string, SceneObject>> | undefined;

  constructor(private readonly session: NamedSession) {}

  add({ id, a, b }: Finding): void {
    this.parties.set(id, [a, b]);
  }

  async of(finding: ReportFinding): Promise<Uint8Array | null> {
    const parties = this.parties.get(finding.id);
    if (!parties?.every(({ file }) => file !== undefined)) return null;
    this.objects ??= this.make();
    const objects = await this.objects;
    const [a, b] = parties.map(({ name }) => objects.get(name));
    if (!a || !b) return null;
    const { pngOfFinding } = await import('../png-file.ts');
    return pngOfFinding(finding, a, b);
  }

  private async make() {
    const parties = new Map([...this.parties.values()].flat().map((party) => [party.name, party]));
    const { named } = this.session;
    for (const { file } of parties.values())
      if (file !== undefined && isWithin(file, named)) requireNamed(file, ANYWHERE);
    const { objectsOf } = await import('../findings/finding-objects.ts');
    const made = await objectsOf(
      [...parties.values()].filter(({ file }) => file !== undefined),
      this.session,
    );
    const problems = new Set<string>();
    for (const each of made) if ('problem' in each) problems.add(each.problem);
    for (const problem of problems) this.session.log.warn(`no picture: ${problem}`);
    return new Map(made.flatMap((each) => ('problem' in each ? [] : [[each.name, each] as const])));
  }
}
