/** Checks a scene repeatedly, and reports changes of its findings. */
import { InputError } from '../../base/errors.ts';
import type { BaselineEntry } from '../../report/baseline.ts';
import { FAILING, levelsOf } from '../../report/finding.ts';
import { answerOnThreads } from '../../scene/answer-pairs.ts';
import { KnownPairs } from '../../scene/known-pairs.ts';
import type { Finding, SceneSummary } from '../../scene/records.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import { partsOfStill, refinerOf } from '../answerers.ts';
import { requireOfSurfaces, requireStill, runScene, type SceneFlags, snapshotsOf } from '../commands/scene.ts';
import { EXIT } from '../exit-codes.ts';
import { FindingLog, isRed, type Marks, type Missing } from '../findings/finding-log.ts';
import type { NamedPlace } from '../inputs/name.ts';
import { type OutputCounts, UsedOutputs } from '../make/used-outputs.ts';
import { loadObjects, openScene, requirePair } from '../scene/open-scene.ts';
import { listOf, relatedFact } from '../scene/print-scene.ts';
import { about, keepingWarnings, type Session } from '../session.ts';
import type { FileDigests, Held } from './digests.ts';
import { FileRecorder, type SourceMemory } from './digests.ts';

export interface SceneTask {
  /** Its unique name. */
  name: string;
  args: string[];
  flags: SceneFlags;
  /** Allowed places of files that a project names. */
  named: NamedPlace;
}

export const SCENE_DEFAULTS = { maxContacts: 10_000, limits: 'warn' } as const;

export type Marked = Finding & Marks;

export interface SceneChange {
  appeared: Marked[];
  gone: Marked[];
  /** Number of unchanged findings. */
  still: number;
  /** Known to the baseline but not found; and failures. */
  missing: readonly Missing[];
  unchecked: readonly object[];
  /** Null for a moving scene, which was checked and printed as a whole. */
  summary: SceneSummary | null;
  /** Project outputs that it uses; an output is stale if its build failed. */
  outputs?: OutputCounts;
  /** Pairs not known from the previous check. */
  asked: number;
}

export class WatchedScene {
  code: number = EXIT.failed;
  private readonly known = new KnownPairs();
  private found = new Map<string, Marked>();
  private held: Held = new Map();
  private asked = '';

  constructor(
    private readonly digests: FileDigests,
    private readonly sources: SourceMemory,
  ) {}

  get files(): Iterable<string> {
    return this.held.keys();
  }

  /** True if a check could differ from the last one. */
  isConcerned(task: SceneTask): boolean {
    return this.asked !== JSON.stringify(task) || !this.digests.areStill(this.held);
  }

  /** @throws InputError if the scene cannot be checked; its findings then stay as before */
  async check(task: SceneTask, session: Session): Promise<SceneChange> {
    const { flags, args, named } = task;
    const recorder = new FileRecorder(this.digests);
    const { baseline, srdf, states } = flags;
    for (const file of [baseline, srdf, states]) if (file !== undefined) recorder.opened(file);
    this.asked = JSON.stringify(task);
    this.held = recorder.held;
    this.code = EXIT.failed;
    const own = keepingWarnings({
      ...session,
      named,
      opened: recorder.opened,
      memory: this.sources.for(task.name, recorder),
    });
    const log = await FindingLog.open(flags, [...args, ...(flags.against ?? [])]);
    // After failed builds, the rest is checked as it is, and fails.
    const outputs = new UsedOutputs({ ...flags, stale: 'ok' }, this.digests.asked());
    const loaded = await loadObjects(args, flags, outputs.heardBy(own));
    requirePair(task.name, loaded);
    const opened = await openScene(loaded, flags, own);
    requireStill(opened, flags);
    const { frames, covered, asked, robot, isIncomplete } = opened;
    const used = outputs.facts();
    const isStale = (used.outputs?.stale ?? 0) > 0;
    if (frames) {
      const code = await runScene(args, { ...flags, stale: 'ok' }, { ...session, named });
      this.code = isStale ? EXIT.failed : code;
      return { appeared: [], gone: [], still: 0, missing: [], unchecked: [], summary: null, asked: 0 };
    }
    if (flags.solid === 'off') requireOfSurfaces(flags, asked.rules?.rules);
    const parts = { ...(await partsOfStill()), answerPairs: this.known.answerBy(answerOnThreads()) };
    const scene = await about(task.name, () => placeScene(opened.objects, asked, parts));
    if (log.compares) log.refine = await refinerOf(opened.objects);
    const levelOf = levelsOf(flags.failOn ?? FAILING, asked.rules?.rules);
    const { found, isCut, summary } = await findingsOf(scene, flags, (finding) => log.mark(finding, levelOf(finding)));
    const warnings = [...own.warnings.values()];
    const beside = [...warnings, ...covered.findings];
    log.note(beside);
    const failures = covered.failures.map(({ names, problem }) => log.fail(names.join(', '), problem));
    const facts = { ...opened.facts, ...relatedFact(scene.related), ...used, ...listOf(warnings) };
    const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean =>
      b !== undefined && !covered.open.has(a) && !covered.open.has(b) && scene.looksAt(a, b, rule);
    const told = { command: 'scene', snapshot: snapshotsOf(scene) } as const;
    const missing = await log.end({ ...summary, ...facts, ...robot?.facts() }, wasAsked, told);
    if (summary.pairs + summary.allowed === 0) throw new InputError(`${task.name}: there is no pair to check`);
    this.code = codeOf(log, isCut, isIncomplete || isStale || covered.coverage.unchecked > 0);
    return {
      ...this.changeTo(found),
      missing,
      unchecked: [...beside, ...failures],
      summary,
      ...used,
      asked: this.known.asked,
    };
  }

  private changeTo(found: Map<string, Marked>): Pick<SceneChange, 'appeared' | 'gone' | 'still'> {
    const before = this.found;
    this.found = found;
    const appeared = [...found].flatMap(([key, finding]) => (before.has(key) ? [] : [finding]));
    const gone = [...before].flatMap(([key, finding]) => (found.has(key) ? [] : [finding]));
    return { appeared, gone, still: found.size - appeared.length };
  }
}

/** Indexes findings by identity: another class of the same pair is another finding. */
async function findingsOf(
  scene: PlacedScene,
  { distance = false, all = false, patches = false, maxContacts, budget, jobs }: SceneFlags,
  mark: (finding: Finding) => Marked,
): Promise<{ found: Map<string, Marked>; isCut: boolean; summary: SceneSummary }> {
  const found = new Map<string, Marked>();
  let isCut = false;
  const summary = await scene.tell({
    ...{ distance, all, patches, maxContacts },
    ...(budget !== undefined && { budget }),
    ...(jobs && { jobs }),
    onFinding(finding) {
      const marked = mark(finding);
      found.set(`${marked.id} ${marked.class} ${marked.state ?? ''}`, marked);
      if (isRed(marked)) isCut ||= finding.contacts?.complete === false;
    },
  });
  return { found, isCut, summary };
}

function codeOf(log: FindingLog, isCut: boolean, isFailed: boolean): number {
  if (isFailed) return EXIT.failed;
  if (log.undecided > 0 || isCut) return EXIT.undecided;
  return log.errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
}
