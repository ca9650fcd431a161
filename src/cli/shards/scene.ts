/** Shares of a scene: its pairs by cost. A merge takes their findings in the order of the pairs. */
import { FormatError } from '../../base/errors.ts';
import type { Level, ReportFinding } from '../../report/finding.ts';
import { loadKinds } from '../../representations/kinds.ts';
import type { FindingClass } from '../../scene/classes.ts';
import type { Covered } from '../../scene/coverage.ts';
import type { Finding, FindingsOptions, Party, SceneObject, SceneSummary } from '../../scene/records.ts';
import { type Asked, asksOf, type ChosenSides, withoutIfc, wouldTell } from '../../scene/rules.ts';
import type { PlacedScene } from '../../scene/scene.ts';
import { refinerOf } from '../answerers.ts';
import { EXIT } from '../exit-codes.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import type { Share } from '../flags.ts';
import { ANYWHERE, isWithin } from '../inputs/name.ts';
import { requireNamed } from '../inputs/open.ts';
import type { Facts } from '../scene/print-scene.ts';

import { type SceneRun, tellScene } from '../scene/print-scene.ts';
import { about, type NamedSession, type WarningRecord } from '../session.ts';
import { type Counts, coveredOf, mergedPairs, type ShardFile } from './read-shards.ts';
import { contentDigest, partialOf, type SceneHeader, type SceneShardSummary, ShardWriter } from './shard-file.ts';

interface SceneShare {
  inputs: readonly string[];
  covered: Covered;
  warnings: readonly WarningRecord[];
  facts: Omit<Facts, 'seconds'>;
  failOn: readonly FindingClass[];
  options: FindingsOptions;
  incomplete: boolean;
}

interface SceneKeeper {
  add(finding: Finding, level: string): void;
  end(summary: SceneSummary, seconds: number): Promise<void>;
}

export function keepScene({ shard, folder }: Share, scene: PlacedScene, run: SceneShare): SceneKeeper | null {
  if (!shard || folder === null) return null;
  const { covered, warnings, facts } = run;
  const { failures, findings } = covered;
  // Other machines may have the outputs without their sources, and other folders.
  const { outputs: _, run: __, ...common } = facts;
  const names = scene.objects.map(({ name }) => name);
  const numbers = new Map(names.map((name, n) => [name, n]));
  const writer = new ShardWriter(folder, shard, {
    command: 'scene',
    inputs: [...run.inputs],
    content: contentDigest(scene.objects, failures, common, findings, warnings),
    names,
    partial: partialOf(names, covered.open),
    incomplete: run.incomplete,
    asked: askedOf(scene, run, numbers),
    facts,
  });
  return {
    add: (finding, level) => {
      writer.add(numbers.get(finding.a.name)!, numbers.get(finding.b.name)!, { ...finding, level });
    },
    end: (summary, seconds) =>
      writer.end(covered, warnings, { ...summary, ms: { ...summary.ms, all: Math.round(1000 * seconds) } }),
  };
}

function askedOf(
  { objects, related, options: { rules = {}, sides, ...asked } }: PlacedScene,
  { failOn, options }: SceneShare,
  numbers: ReadonlyMap<string, number>,
): SceneHeader['asked'] {
  const { clearance = 0, tolerance = 0, touchGap = 0, solid = 'auto', depth, against, still, absent = [] } = asked;
  const { all = false, patches = false, distance = false, maxContacts = 0 } = options;
  const numbersOf = (some: ReadonlySet<string>): number[] =>
    [...some].flatMap((name) => numbers.get(name) ?? []).sort((p, q) => p - q);
  const known = withoutIfc(
    rules,
    sides,
    objects.map(({ name, origin }) => ({ name, ifc: origin?.ifc })),
  );
  const pairs = related.map(({ a, b, why }) => ({ a: numbers.get(a)!, b: numbers.get(b)!, why }));
  return {
    rules: known.rules as SceneHeader['asked']['rules'],
    ...{ clearance, tolerance, touchGap, solid, ...(depth && { depth }) },
    ...(against && { against: numbersOf(against) }),
    ...(still && { still: numbersOf(still) }),
    ...(known.sides && { sides: known.sides as SceneHeader['asked']['sides'] & object }),
    ...(pairs.length > 0 && { related: pairs }),
    absent: [...absent],
    ...{ failOn: [...failOn] as SceneHeader['asked']['failOn'], all, patches, distance, maxContacts },
  };
}

type Line = Finding & { pair: number; level: Level };

const SUMS = [
  ...(['checked', 'unasked', 'overlap', 'inside', 'same', 'contact', 'touch', 'near', 'undecided'] as const),
];

export function auditScene({ names, facts }: SceneHeader, summary: object, counts: Counts): void {
  const told = summary as SceneShardSummary;
  for (const found of SUMS.slice(2)) requireCount(`findings of class ${found}`, told[found], counts[found] ?? 0);
  requireCount('objects', names.length, told.objects);
  requireCount('objects unchecked', facts.unchecked, (counts.error ?? 0) + (counts.unchecked ?? 0));
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
  const [{ file, header }] = shards;
  const { inputs, facts, incomplete } = header as SceneHeader;
  const { warnings, ...covered } = coveredOf(shards[0], session);
  const summary = await about(file, () => summaryOf(shards));
  const asked = await about(file, () => asksAgain(header as SceneHeader));
  const numbers = new Map(header.names.map((name, n) => [name, n]));
  const pictures = draws ? new FoundObjects(session, 'no picture') : null;
  await refineFor(log, shards, session);
  const run: SceneRun = {
    related: asked.related,
    ...{ inputs, covered, facts: { ...(facts as SceneRun['facts']), ...outputsOf(shards) } },
    seconds: () => secondsOf(shards),
    warnings: () => warnings,
    async find(take) {
      for await (const { pair: _, ...finding } of mergedPairs<Line>(shards)) {
        pictures?.add(finding);
        await take(revived(finding), finding.level);
      }
      return summary;
    },
    isThere: (name) => numbers.has(name) || covered.open.has(name),
    looksAt(a, b, rule) {
      const [i, j] = [numbers.get(a), numbers.get(b)];
      return i !== undefined && j !== undefined && wouldTell(asked, i, j, rule);
    },
    ...(pictures && { snapshot: (finding: ReportFinding) => pictures.pictureOf(finding) }),
  };
  const code = await tellScene(run, log, { json }, session);
  return incomplete ? EXIT.failed : code;
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
  asked: { rules, clearance, tolerance, touchGap, against, still, sides, related = [], absent },
}: SceneHeader): Asked {
  const setOf = (numbers: readonly number[]): ReadonlySet<string> => new Set(numbers.map((n) => names[n]));
  return asksOf(names, {
    ...{ rules, clearance, tolerance, touchGap, absent },
    ...(against && { against: setOf(against) }),
    ...(still && { still: setOf(still) }),
    ...(sides && { sides: sides as ChosenSides }),
    related: related.map(({ a, b, why }) => ({ a: names[a], b: names[b], why })),
    // The shards have already reported rules that match nothing.
    onUnmatched: () => {},
  });
}

/** Makes the objects of findings from their files again if these still exist. */
class FoundObjects {
  private readonly parties = new Map<string, [Party, Party]>();
  private made: Promise<Map<string, SceneObject>> | undefined;

  /** @param lost begins the warning about an object that could not be made */
  constructor(
    private readonly session: NamedSession,
    private readonly lost: string,
  ) {}

  add({ id, a, b }: Finding): void {
    if (a.file !== undefined && b.file !== undefined) this.parties.set(id, [a, b]);
  }

  /** Draws a finding; null without its objects. */
  async pictureOf(finding: ReportFinding): Promise<Uint8Array | null> {
    const parties = this.parties.get(finding.id);
    if (!parties) return null;
    const objects = await this.all();
    const [a, b] = parties.map(({ name }) => objects.get(name));
    if (!a || !b) return null;
    const { pngOfFinding } = await import('../png-file.ts');
    return pngOfFinding(finding, a, b);
  }

  all(): Promise<Map<string, SceneObject>> {
    this.made ??= this.make();
    return this.made;
  }

  private async make() {
    const parties = new Map([...this.parties.values()].flat().map((party) => [party.name, party]));
    const { named } = this.session;
    for (const { file } of parties.values()) if (isWithin(file!, named)) requireNamed(file!, ANYWHERE);
    const { objectsOf } = await import('../findings/finding-file.ts');
    const made = await objectsOf([...parties.values()], this.session);
    const problems = new Set<string>();
    for (const each of made) if ('problem' in each) problems.add(each.problem);
    for (const problem of problems) this.session.log.warn(`${this.lost}: ${problem}`);
    return new Map(made.flatMap((each) => ('problem' in each ? [] : [[each.name, each] as const])));
  }
}

/** Lets the log decide comparisons that the brackets of the shards leave open. */
async function refineFor(log: FindingLog, shards: readonly ShardFile[], session: NamedSession): Promise<void> {
  if (!log.compares) return;
  const objects = new FoundObjects(session, 'not compared more finely');
  let isOpen = false;
  for await (const { pair: _, ...finding } of mergedPairs<Line>(shards)) {
    if (!log.leavesOpen(finding)) continue;
    objects.add(finding);
    isOpen = true;
  }
  if (!isOpen) return;
  await loadKinds();
  log.refine = await refinerOf([...(await objects.all()).values()]);
}
