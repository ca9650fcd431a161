/** `gicollide build --watch`: plans a watch's work for a project or for arguments. */
import { join } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import { loadKinds } from '../../representations/kinds.ts';
import { kindOf, PROJECT_FILE, STDIN } from '../inputs/name.ts';
import type { PlanFlags } from '../make/job.ts';
import { type BuildPlan, planBuild } from '../make/plan.ts';
import { planProject } from '../make/project.ts';
import { listOf, openProject, type Project, type ProjectFlags } from '../project-file.ts';
import { scenesOf } from '../scene/project-scenes.ts';
import { type Session, saySkipped } from '../session.ts';
import type { BuildSetting } from './built.ts';
import { type WatchPlan, watchFiles } from './watch.ts';
import type { Wanted } from './watched-paths.ts';
import { placesOf } from './watched-paths.ts';
import { SCENE_DEFAULTS, type SceneTask } from './watched-scene.ts';

interface WatchFlags extends PlanFlags, ProjectFlags {
  strict?: boolean;
  json?: boolean;
  poll?: boolean;
}

type SettingOf = (inputs: ReadonlySet<string>, project: Project | null) => Promise<BuildSetting>;

export async function watchBuild(
  args: readonly string[],
  flags: WatchFlags,
  given: ReadonlyMap<string, string>,
  settingOf: SettingOf,
  session: Session,
): Promise<number> {
  requireWatchable(args, given);
  await loadKinds();
  const { json = false, poll: polls = false } = flags;
  const source = args.length > 0 ? ofArguments(args, flags, given, session) : ofProject(flags, session);
  let skipped = '';
  let isIncomplete = false;
  const plan = async (): Promise<WatchPlan> => {
    const { plan: found, project, scenes } = await source.read();
    const text = JSON.stringify([...found.skipped]);
    if (text !== skipped) isIncomplete = saySkipped(found.skipped, flags, session);
    skipped = text;
    return { ...found, isIncomplete, scenes, setting: await settingOf(found.inputs, project) };
  };
  return watchFiles({ plan, wanted: source.wanted, json, polls }, session);
}

/** Options that concern a single run. */
const OF_ONE_RUN = ['force', 'check', 'dryRun', 'manifest', 'depfile', 'shard'];

function requireWatchable(args: readonly string[], given: ReadonlyMap<string, string>): void {
  const other = OF_ONE_RUN.find((name) => given.has(name));
  if (other) throw new OptionError(`${given.get(other)} applies to a single run; leave out this option or --watch`);
  if (args.includes(STDIN)) throw new OptionError('--watch: expected files, found stdin, which cannot be watched');
}

interface PlanSource {
  read(): Promise<{ plan: BuildPlan; project: Project | null; scenes: SceneTask[] }>;
  wanted(): Wanted;
}

function ofArguments(
  args: readonly string[],
  flags: WatchFlags,
  given: ReadonlyMap<string, string>,
  session: Session,
): PlanSource {
  return {
    read: async () => ({ plan: await planBuild(args, flags, given, session), project: null, scenes: [] }),
    wanted: () => placesOf(args),
  };
}

/** @throws InputError without a project; a broken one is waited for */
function ofProject(flags: WatchFlags, session: Session): PlanSource {
  const file = flags.project ?? PROJECT_FILE;
  if (kindOf(file) === null) throw new InputError(`${file}: no such file; name meshes, or the project with --project`);
  let known: Project | null = null;
  return {
    async read() {
      const project = await openProject(flags, 'meshes');
      known = project;
      const nothing: BuildPlan = {
        ...{ jobs: [], problems: [], skipped: new Map(), patterns: [], excluded: [] },
        inputs: new Set(),
      };
      const hasBuilds = (project.model.build ?? []).length > 0 || (project.model.scenes ?? []).length === 0;
      const plan = hasBuilds ? await planProject(project, session) : nothing;
      return { plan, project, scenes: tasksOf(project) };
    },
    wanted() {
      const patterns = known?.model.build?.flatMap(({ include }) => listOf(include)) ?? [];
      const { folders, files } = placesOf(patterns.map((pattern) => join(known?.folder ?? '', pattern)));
      return { folders, files: [file, ...files] };
    },
  };
}

/** Returns the scenes as `gicollide scene` checks them; duplicates are numbered. */
function tasksOf(project: Project): SceneTask[] {
  const { named } = project;
  const tasks = scenesOf(project).map(({ files, flags: own }) => {
    const flags = { ...SCENE_DEFAULTS, ...own } as SceneTask['flags'];
    return { name: files.join(' '), args: [...files, ...(flags.with ?? [])], flags, named };
  });
  const isTwice = (name: string): boolean => tasks.filter((task) => task.name === name).length > 1;
  return tasks.map((task, i) => (isTwice(task.name) ? { ...task, name: `${task.name} (scenes[${i}])` } : task));
}
