/** A scene that is checked again and again: what has changed in its findings since the last time. */
import { InputError } from '../../math/errors.ts';
import type { BaselineEntry } from '../../report/baseline.ts';
import { FAILING, levelsOf } from '../../report/levels.ts';
import { KnownPairs } from '../../scene/known-pairs.ts';
import type { Finding, SceneSummary } from '../../scene/report.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import { answerOnThreads } from '../../scene/threads/answer-pairs.ts';
import { type OutputCounts, UsedOutputs } from '../build/used-outputs.ts';
import { requireOfSurfaces, requireStill, runScene, type SceneFlags, snapshotsOf } from '../commands/scene.ts';
import { EXIT } from '../exit-codes.ts';
import type { NamedPlace } from '../file-source.ts';
import { FindingLog, isRed, type Marks, type Missing } from '../findings/finding-log.ts';
import { about, type Session } from '../inputs.ts';
import { loadObjects, openScene, sayUnchecked } from '../open-scene.ts';
import type { FileDigests, Held } from './digests.ts';
import { FileRecorder, type SourceMemory } from './source-memory.ts';

/** A scene as `gicollide scene` is asked about it. */
export interface SceneTask {
  /** What it is called, and told from others by. */
  name: string;
  args: string[];
  flags: SceneFlags;
  /** Where its files may lie: a project names them. */
  named: NamedPlace;
}

/** What the command line says where nobody does. */
export const SCENE_DEFAULTS = { maxContacts: 10_000, limits: 'warn' } as const;

export type Marked = Finding & Marks;

/** What a check of a scene has found, beside the check before. */
export interface SceneChange {
  appeared: Marked[];
  gone: Marked[];
  /** How many findings are as they were. */
  still: number;
  /** Known by the baseline, and not found; what could not be checked. */
  missing: readonly Missing[];
  unchecked: readonly object[];
  /** Null where the scene moves, and was checked as a whole: what there is to say was printed. */
  summary: SceneSummary | null;
  /** Outputs of a project that it uses: one whose build has failed is stale. */
  outputs?: OutputCounts;
  /** Pairs that were not known from the check before. */
  asked: number;
}

export class WatchedScene {
  /** Exit code of the last check. */
  code: number = EXIT.failed;
  private readonly known = new KnownPairs();
  private found = new Map<string, Marked>();
  private held: Held = new Map();
  private asked = '';

  constructor(
    private readonly digests: FileDigests,
    private readonly sources: SourceMemory,
  ) {}

  /** All that the last check has read. */
  get files(): Iterable<string> {
    return this.held.keys();
  }

  /** Whether a check could find something else than the last one did. */
  isConcerned(task: SceneTask): boolean {
    return this.asked !== JSON.stringify(task) || !this.digests.areStill(this.held);
  }

  /** @throws InputError where the scene cannot be checked; then its findings are those from before */
  async check(task: SceneTask, session: Session): Promise<SceneChange> {
    const { flags, args, named } = task;
    const recorder = new FileRecorder(this.digests);
    const { baseline, srdf, states } = flags;
    for (const file of [baseline, srdf, states]) if (file !== undefined) recorder.opened(file);
    this.asked = JSON.stringify(task);
    this.held = recorder.held;
    this.code = EXIT.failed;
    const own = { ...session, named, opened: recorder.opened, memory: this.sources.for(task.name, recorder) };
    const log = await FindingLog.open(flags, [...args, ...(flags.against ?? [])]);
    // What could be built is; the rest is checked as it is, and fails.
    const outputs = new UsedOutputs({ ...flags, stale: 'ok' }, this.digests.asked());
    const loaded = await loadObjects(args, flags, outputs.heardBy(own));
    sayUnchecked(loaded.unchecked, session);
    if (loaded.objects.length < 2) throw new InputError(`${task.name}: pairs take two objects or more`);
    const opened = await openScene(loaded, flags, own);
    requireStill(opened, flags);
    const { frames, unchecked, asked, robot, isIncomplete } = opened;
    const facts = { ...opened.facts, ...outputs.facts() };
    const isStale = (facts.outputs?.stale ?? 0) > 0;
    if (frames) {
      const code = await runScene(args, { ...flags, stale: 'ok' }, { ...session, named });
      this.code = isStale ? EXIT.failed : code;
      return { appeared: [], gone: [], still: 0, missing: [], unchecked: [], summary: null, asked: 0 };
    }
    if (flags.solid === 'off') requireOfSurfaces(flags, asked.rules?.rules);
    const scene = await about(task.name, () =>
      placeScene(opened.objects, asked, this.known.answerBy(answerOnThreads())),
    );
    const levelOf = levelsOf(flags.failOn ?? FAILING, asked.rules?.rules);
    const { found, isCut, summary } = await findingsOf(scene, flags, (finding) => log.mark(finding, levelOf(finding)));
    const failures = unchecked.map(({ names, problem }) => log.fail(names.join(', '), problem));
    const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean => b !== undefined && scene.looksAt(a, b, rule);
    const told = { command: 'scene', snapshot: snapshotsOf(scene) } as const;
    const missing = await log.end({ ...summary, ...facts, ...robot?.facts() }, wasAsked, told);
    if (summary.pairs + summary.allowed === 0) throw new InputError(`${task.name}: no pair is asked`);
    this.code = codeOf(log, isCut, isIncomplete || isStale || unchecked.length > 0);
    return {
      ...this.changeTo(found),
      missing,
      unchecked: failures,
      summary,
      ...outputs.facts(),
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

/** Findings by what makes them new: another class of the same two is another finding. */
async function findingsOf(
  scene: PlacedScene,
  { distance = false, all = false, patches = false, maxContacts, budget, jobs }: SceneFlags,
  mark: (finding: Finding) => Marked,
): Promise<{ found: Map<string, Marked>; isCut: boolean; summary: SceneSummary }> {
  const found = new Map<string, Marked>();
  let isCut = false;
  const { summary } = await scene.findings({
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
