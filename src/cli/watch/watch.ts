/**
 * `gicollide build --watch`: builds changed files, then checks affected scenes, until interrupted.
 * No input ends it, however broken.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '../../base/errors.ts';
import { signalsNoted } from '../atomic-write.ts';
import { EXIT } from '../exit-codes.ts';
import type { BuildJob, DoneRecord } from '../make/job.ts';
import { lineOf, textOf } from '../make/lines.ts';
import type { Session } from '../session.ts';
import { print, printError } from '../terminal.ts';
import { type BuildSetting, Built } from './built.ts';
import { Changes } from './changes.ts';
import { FileDigests, SourceMemory } from './digests.ts';
import {
  headOf,
  lastLineOf,
  type RoundResult,
  roundRecord,
  type SceneResult,
  sceneLines,
  sceneRecords,
  staleLine,
} from './round-lines.ts';
import type { Wanted } from './watched-paths.ts';
import { type SceneTask, WatchedScene } from './watched-scene.ts';

export interface WatchPlan {
  jobs: readonly BuildJob[];
  setting: BuildSetting;
  problems: readonly string[];
  /** True if something was left out without permission. */
  isIncomplete: boolean;
  scenes: readonly SceneTask[];
}

interface WatchOptions {
  plan(): Promise<WatchPlan>;
  /** Present and possible places of the sources and the project. */
  wanted(): Wanted;
  json: boolean;
  polls: boolean;
}

export async function watchFiles(options: WatchOptions, session: Session): Promise<number> {
  const interrupts = new Interrupts(() => void changes.close());
  const watch = new Watch(options, session, interrupts);
  const changes = new Changes({
    polls: options.polls,
    isOutput: (path) => watch.built.outputs.has(path),
    warn: (line) => session.log.warn(line),
  });
  let changed: string[] | null = [];
  let isWatching = false;
  while (changed && !interrupts.isEnded) {
    await watch.round(changed);
    // Changes from before the watch count immediately.
    if (await changes.follow(watch.wanted(), watch.files)) {
      changed = [];
      continue;
    }
    if (!isWatching) await print(options.json ? '{"type":"watching"}\n' : 'watching; Ctrl-C ends it\n');
    isWatching = true;
    changed = await changes.next();
  }
  interrupts.release();
  return watch.code;
}

/** Prints a line of text or a record, after the round's head. */
type Say = (line: string | object) => Promise<void>;

class Watch {
  code: number = EXIT.failed;
  readonly built: Built;
  private readonly digests = new FileDigests();
  private readonly sources = new SourceMemory(this.digests);
  private readonly scenes = new Map<string, WatchedScene>();
  private rounds = 0;
  private problems = '';

  constructor(
    private readonly options: WatchOptions,
    private readonly session: Session,
    private readonly interrupts: Interrupts,
  ) {
    this.built = new Built(this.digests);
  }

  get files(): number {
    return this.built.files.length;
  }

  wanted(): Wanted {
    const { folders, files } = this.options.wanted();
    const read = [...this.scenes.values()].flatMap((scene) => [...scene.files]);
    const isSource = (path: string): boolean => !this.built.outputs.has(resolve(path));
    return { folders, files: [...files, ...this.built.files, ...read].filter(isSource) };
  }

  /** Repeats affected work; prints nothing if there is none. */
  async round(changed: readonly string[]): Promise<void> {
    const start = performance.now();
    const at = new Date();
    const plan = await this.plan();
    if (plan === null) return;
    const { json } = this.options;
    const named = this.lasting(changed);
    let isTold = false;
    const say: Say = async (line) => {
      if (!isTold && !json) await print(`${headOf(named, at)}\n`);
      isTold = true;
      await print(`${json ? JSON.stringify(line) : line}\n`);
    };
    await signalsNoted();
    if (this.interrupts.isEnded) return;
    this.interrupts.release();
    const counts = await this.build(plan, new Set(changed), say);
    const { stale } = this.built;
    if (!json) for (const output of stale) await say(staleLine(output));
    const scenes = await this.check(plan.scenes, say);
    this.interrupts.hold();
    const before = this.code;
    const codes = [...this.scenes.values()].map(({ code }) => code);
    const isFailed = plan.isIncomplete || plan.problems.length + this.built.failed > 0;
    this.code = worstOf([...codes, isFailed ? EXIT.failed : EXIT.expected]);
    const isSame = this.code === before && counts.failed + stale.length + scenes.length === 0;
    if (isSame && !isTold && this.rounds > 0) return;
    const number = ++this.rounds;
    const ms = performance.now() - start;
    const result: RoundResult = { number, changed: named, ...counts, stale, scenes, code: this.code, ms };
    await say(json ? roundRecord(result) : lastLineOf(result));
  }

  /** Drops paths that came and went, such as an editor's temporary files. */
  private lasting(changed: readonly string[]): readonly string[] {
    const read = new Set([...this.wanted().files].map((path) => resolve(path)));
    const lasting = changed.filter((path) => read.has(path) || existsSync(path));
    return lasting.length > 0 ? lasting : changed;
  }

  /** Returns the plan; null if planning fails, which is reported once. */
  private async plan(): Promise<WatchPlan | null> {
    try {
      const plan = await this.options.plan();
      this.tell(plan.problems);
      return plan;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.tell([error.message]);
      this.code = EXIT.failed;
      return null;
    }
  }

  private tell(problems: readonly string[]): void {
    const text = problems.join('\n');
    if (text !== this.problems) for (const problem of problems) printError(problem, this.session.global);
    this.problems = text;
  }

  private async build(
    { jobs, setting }: WatchPlan,
    changed: ReadonlySet<string>,
    say: Say,
  ): Promise<Pick<RoundResult, 'built' | 'cached' | 'failed'>> {
    const counts = { built: 0, cached: 0, failed: 0 };
    const { quiet = false, verbose = false } = this.session.global;
    const { json } = this.options;
    for await (const record of this.built.run(jobs, changed, setting, this.session)) {
      const { status } = record;
      if (status === 'built' || status === 'cached' || status === 'failed') counts[status]++;
      if (status === 'failed') printError(record.message, this.session.global);
      const isShown = status === 'built' || status === 'cached' || (status === 'failed' && json);
      if (isShown && (json || !quiet))
        await say(json ? lineOf(record) : textOf(record as DoneRecord, { isVerbose: verbose }));
    }
    return counts;
  }

  private async check(tasks: readonly SceneTask[], say: Say): Promise<SceneResult[]> {
    const names = new Set(tasks.map(({ name }) => name));
    for (const name of this.scenes.keys()) if (!names.has(name)) this.scenes.delete(name);
    const results: SceneResult[] = [];
    const { json } = this.options;
    for (const task of tasks) {
      const scene = this.scenes.get(task.name) ?? new WatchedScene(this.digests, this.sources);
      this.scenes.set(task.name, scene);
      if (!scene.isConcerned(task)) continue;
      try {
        const change = await scene.check(task, this.session);
        const result = { ...change, scene: task.name, code: scene.code };
        results.push(result);
        for (const line of json ? sceneRecords(result) : sceneLines(result, this.session.global)) await say(line);
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        printError(error.message, this.session.global);
        const failure = { appeared: [], gone: [], still: 0, missing: [], unchecked: [], summary: null, asked: 0 };
        results.push({ ...failure, scene: task.name, code: scene.code });
        if (json) await say({ type: 'error', subject: task.name, message: error.message });
      }
    }
    this.sources.forgetUnused(names);
    return results;
  }
}

/** Returns the worst code: a failure, then undecided, then findings. */
function worstOf(codes: readonly number[]): number {
  if (codes.includes(EXIT.failed)) return EXIT.failed;
  return Math.max(EXIT.expected, ...codes);
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * While held, an interrupt ends the watch with its code. Otherwise it ends the program at once,
 * since a build is one long step that would not notice it.
 */
class Interrupts {
  isEnded = false;
  private readonly end = (): void => {
    this.isEnded = true;
    this.onEnd();
  };

  constructor(private readonly onEnd: () => void) {
    this.hold();
  }

  hold(): void {
    this.release();
    for (const signal of SIGNALS) process.on(signal, this.end);
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.end);
  }
}
