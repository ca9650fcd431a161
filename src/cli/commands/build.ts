/** `gicollide build`: converts meshes to collision assets. */
import type { Command } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { Exclusion, excludedText } from '../../base/patterns.ts';
import { type Shard, shareOf } from '../../base/shares.ts';
import { kindByExtension, kindNamed } from '../../representations/kinds.ts';
import { addName, addOutside, addStrict, givenOptions, notes, parseJobs, parseShard } from '../arguments.ts';
import type { BuildCache } from '../cache/cache.ts';
import { EXIT } from '../exit-codes.ts';
import { addQueueOptions, openQueueOf, type QueueFlags } from '../flags.ts';
import { extensionOf } from '../inputs/name.ts';
import { addFormatOptions } from '../make/format-options.ts';
import type {
  BuildJob,
  BuildRecord,
  BuildRun,
  CachePlace,
  DoneRecord,
  ExcludedRecord,
  PlanFlags,
} from '../make/job.ts';
import { lastLineOf, lineOf, staleText, textOf } from '../make/lines.ts';
import { type BuildPlan, planBuild } from '../make/plan.ts';
import { runBuilds } from '../make/run-builds.ts';
import type { SideFiles, SideFlags } from '../make/side-files.ts';
import type { Project, ProjectFlags } from '../project-file.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { requireInputs, type Session, saySkipped } from '../session.ts';
import { print, printError } from '../terminal.ts';

interface BuildCommandFlags extends PlanFlags, ProjectFlags, QueueFlags {
  strict?: boolean;
  json?: boolean;
  jobs?: number;
  force?: boolean;
  check?: boolean;
  dryRun?: boolean;
  manifest?: string;
  depfile?: string;
  shard?: Shard;
  cache: boolean;
  cacheDir?: string;
  watch?: boolean;
  poll?: boolean;
}

const NOTES = `A .frep.json always becomes a .frep: a solid of functions.
All formats accept any triangles, also open meshes. obb and kdop store them as they are. gi stores a remesh: "within" is its
proved distance from the mesh, dB its measured quality. --verbose prints more of both, and the reason for one square or charts.
The content of a mesh file decides its format (docs/meshes.md). A folder includes its subfolders.
With --split, -o is a folder: out/building.wall-1.obb, ... Triangles of an OBJ without a name are the element "unnamed".
--exclude also takes elements out of a whole mesh, and files out of folders. It reads meshes even if all outputs are fresh.
Up-to-date outputs are skipped: the same file, options and version. With several files they are counted; --verbose lists them.
Without files, gicollide.json in this folder lists the builds (docs/projects.md). With --queue, workers build (docs/queue.md).
A faulty mesh or element does not stop the others. Any failure causes exit code 2.`;

const EXAMPLES = `Formats:
  obb    an OBB tree over all triangles. The best choice for exact answers about a mesh.
  gi     a geometry image: a remesh in one TIFF file, with levels of detail.
  kdop   a k-DOP tree of whole numbers over all triangles, for fixed-point hardware.
  voxel  cubes of one grid, for collisions of thousands of models.

  $ gicollide build assets/bunny.obj -f obb
  out/bunny.obb  OBB tree (40 bytes per node) from assets/bunny.obj, 3,674 triangles; 383 KB, 0.2 s
  $ gicollide build models/ -f obb -o out/`;

export function defineBuild(command: Command, session: (command: Command) => Session): void {
  addQueueOptions(addFormatOptions(addOutside(addStrict(addName(command)))))
    .option('--project <file>', 'project file to build, if you name no meshes [default: gicollide.json]')
    .option('--jobs <n>', 'number of threads [default: number of processors]', parseJobs(1))
    .option('--force', 'build up-to-date outputs again')
    .option('--check', 'build nothing; exit with code 1 if an output is missing or stale')
    .option('--dry-run', 'build nothing; list the outputs to build, with the reason')
    .option('--manifest <file>', 'write a JSON file with all outputs, their sources and digests')
    .option('--depfile <file>', 'write the dependencies of the outputs for make and ninja')
    .option('--shard <i/n>', 'do share i of n; other machines do the others', parseShard)
    .option('--cache-dir <folder>', "reuse earlier builds from this folder [default: for projects, the user's cache]")
    .option('--no-cache', 'do not use a cache')
    .option('--watch', 'build changed files and check the affected scenes of the project, until Ctrl-C')
    .option('--poll', 'with --watch: read the files repeatedly, for network folders that report no changes')
    .option('--json', 'print one JSON object for each output')
    .addHelpText('after', notes(NOTES, EXAMPLES))
    .action(async (meshes: string[], flags: BuildCommandFlags, command: Command) => {
      process.exitCode = await build(meshes, flags, session(command), givenOptions(command));
    });
}

async function build(
  args: string[],
  flags: BuildCommandFlags,
  session: Session,
  given: ReadonlyMap<string, string>,
): Promise<number> {
  const start = performance.now();
  requireSensible(args, flags, given);
  requireInputs(args, session);
  const queue = await openQueueOf(flags, ownOf(flags), session);
  if (flags.watch) {
    if (args.length === 0) requireOfProjects(given);
    const { watchBuild } = await import('../watch/watch-build.ts');
    return watchBuild(args, flags, given, (inputs, project) => settingOf(inputs, flags, project, session), session);
  }
  const project = args.length === 0 ? await projectOf(flags, given) : null;
  const plan = await planOf(args, flags, given, project, session);
  for (const problem of plan.problems) printError(problem, session.global);
  const isIncomplete = saySkipped(plan.skipped, flags, session) || plan.problems.length > 0;
  const heard = countingWarnings(session);
  const exclusion = new Exclusion(plan.patterns, project ? `${project.file}: excludeObjects` : undefined);
  const counts = await runPlan(plan, flags, { project, queue, exclusion }, heard.session);
  const { quiet = false } = session.global;
  if (plan.problems.length > 0) counts.set('failed', (counts.get('failed') ?? 0) + plan.problems.length);
  const skipped = sumOf(plan.skipped);
  const excluded = exclusion.facts();
  if (!quiet && !flags.json && (sumOf(counts) + skipped > 1 || excluded.excluded !== undefined)) {
    const facts = { ...excluded, skipped, warnings: heard.warnings(), seconds: (performance.now() - start) / 1000 };
    await print(`${lastLineOf(counts, facts)}\n`);
  }
  if (session.global.verbose) for (const line of exclusion.lines()) session.log.info(line);
  if (isIncomplete || counts.has('failed')) return EXIT.failed;
  // A share's patterns may match in another one.
  if (!flags.shard) {
    exclusion.requireMatched();
    if (counts.size === 0 && exclusion.names.size > 0)
      throw new InputError(`nothing to build is left: ${excludedText(excluded).join('')}`);
  }
  return flags.check && (counts.has('missing') || counts.has('stale')) ? EXIT.other : EXIT.expected;
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Returns a session that counts warnings, also those that are not shown. */
function countingWarnings(session: Session): { session: Session; warnings: () => number } {
  let warnings = 0;
  const { log } = session;
  const warn = (...message: Parameters<typeof log.warn>): void => {
    warnings++;
    log.warn(...message);
  };
  return { session: { ...session, log: { ...log, warn } }, warnings: () => warnings };
}

/** Options that a queue cannot serve, since they concern this machine. */
const ownOf = ({ split, jobs, watch, check, dryRun }: BuildCommandFlags): Record<string, unknown> => ({
  '--split': split,
  '--jobs': jobs,
  '--watch': watch,
  '--check': check,
  '--dry-run': dryRun,
});

/** Options allowed with a project file, which itself says how assets are built. */
const WITH_PROJECT = [
  ...['project', 'allowOutside', 'jobs', 'force', 'check', 'dryRun', 'watch', 'poll', 'manifest', 'depfile', 'shard'],
  ...['cacheDir', 'cache', 'json', 'strict', 'queue', 'assets'],
];

function requireOfProjects(given: ReadonlyMap<string, string>): void {
  const other = [...given].find(([name]) => !WITH_PROJECT.includes(name));
  if (other)
    throw new OptionError(`${other[1]}: expected meshes beside it; without meshes, the project file has the options`);
}

async function projectOf(flags: BuildCommandFlags, given: ReadonlyMap<string, string>): Promise<Project> {
  requireOfProjects(given);
  const { openProject } = await import('../project-file.ts');
  return openProject(flags, 'meshes');
}

function requireSensible(
  args: readonly string[],
  { project, check, dryRun, force, manifest, depfile, cache, cacheDir, watch, poll }: BuildCommandFlags,
  given: ReadonlyMap<string, string>,
): void {
  if (poll && !watch) throw new OptionError('--poll: expected --watch, too');
  if (args.length > 0 && project !== undefined) throw new OptionError('--project: expected no meshes beside it');
  if (check && dryRun) throw new OptionError('--check, --dry-run: expected only one of them');
  const looks = check ? '--check' : dryRun ? '--dry-run' : undefined;
  const writes = manifest !== undefined ? '--manifest' : depfile !== undefined ? '--depfile' : undefined;
  if (looks && writes) throw new OptionError(`${writes}: lists the outputs of a build, and ${looks} builds nothing`);
  if (check && force) throw new OptionError('--force: builds up-to-date outputs again, and --check builds nothing');
  if (!cache && cacheDir !== undefined && given.has('cache'))
    throw new OptionError('--cache-dir, --no-cache: expected only one of them');
}

async function planOf(
  args: readonly string[],
  flags: BuildCommandFlags,
  given: ReadonlyMap<string, string>,
  project: Project | null,
  session: Session,
): Promise<BuildPlan> {
  if (!project) return planBuild(args, flags, given, session);
  const { planProject } = await import('../make/project.ts');
  return planProject(project, session);
}

const isSilentRun = ({ json }: BuildCommandFlags, { global }: Session): boolean => (global.quiet ?? false) && !json;

async function settingOf(
  inputs: ReadonlySet<string>,
  flags: BuildCommandFlags,
  project: Project | null,
  session: Session,
): Promise<{ run: BuildRun; jobs: number | undefined; cache: BuildCache | null }> {
  const { force = false, check = false, dryRun = false, jobs = project?.model.jobs } = flags;
  const place = cachePlaceOf(flags, project);
  const cache = place && (await openCacheOf(place, session));
  const measures = !isSilentRun(flags, session);
  const looks = check || dryRun;
  const named = project ? { named: project.named } : {};
  return { run: { inputs, measures, force, looks, ...named, ...(cache && { cache: place }) }, jobs, cache };
}

async function runPlan(
  plan: BuildPlan,
  flags: BuildCommandFlags,
  { project, queue, exclusion }: { project: Project | null; queue: WorkQueue | undefined; exclusion: Exclusion },
  session: Session,
): Promise<Map<BuildRecord['status'], number>> {
  const { json = false, dryRun = false, shard, manifest, depfile } = flags;
  const isSilent = isSilentRun(flags, session);
  const setting = await settingOf(plan.inputs, flags, project, session);
  const files = await sideFilesOf({ manifest, depfile, shard }, plan, project);
  const jobs = shard ? await shareOfJobs(plan.jobs, shard) : plan.jobs;
  const counts = new Map<BuildRecord['status'], number>();
  // With many files, unchanged ones are counted, not listed.
  const { verbose: isVerbose = false } = session.global;
  const tellsFresh = jobs.length === 1 || isVerbose;
  for await (const record of recordsOf(plan, runBuilds(jobs, { ...setting, queue }, session))) {
    if (record.status === 'excluded') noteExcluded(record, exclusion);
    else counts.set(record.status, (counts.get(record.status) ?? 0) + 1);
    files?.add(record);
    if (record.status === 'failed') printError(record.message, session.global);
    if (record.status === 'built' || record.status === 'cached') tellMisnamed(record, session);
    const isUntold = record.status === 'fresh' && !json && !tellsFresh;
    const line =
      isSilent || isUntold ? null : json ? JSON.stringify(lineOf(record)) : wordsOf(record, dryRun, isVerbose);
    if (line !== null) await print(`${line}\n`);
  }
  await files?.write();
  return counts;
}

async function* recordsOf(
  { excluded }: BuildPlan,
  made: AsyncIterable<BuildRecord>,
): AsyncGenerator<BuildRecord, void> {
  yield* excluded;
  yield* made;
}

function noteExcluded({ source, names, isWhole }: ExcludedRecord, exclusion: Exclusion): void {
  for (const name of names) if (exclusion.has(name)) exclusion.names.add(isWhole ? source : `${source}: ${name}`);
}

function tellMisnamed({ output, format }: DoneRecord, { log }: Session): void {
  const { extension } = kindNamed(format);
  const ending = extensionOf(output);
  const other = kindByExtension(ending);
  if (ending !== extension && other)
    log.warn(`${output}: holds ${format}, whose files end in ${extension}; for ${ending}, add -f ${other.name}`);
}

function wordsOf(record: BuildRecord, isDryRun: boolean, isVerbose: boolean): string | null {
  switch (record.status) {
    case 'failed':
    case 'excluded':
      return null;
    case 'missing':
    case 'stale':
      return staleText(record, isDryRun ? 'to build' : undefined);
    default:
      return textOf(record, { isVerbose });
  }
}

/** Returns null for no cache: plain meshes have none without --cache-dir. */
function cachePlaceOf(
  { cache, cacheDir, check, dryRun }: BuildCommandFlags,
  project: Project | null,
): CachePlace | null {
  if (!cache || check || dryRun || (cacheDir === undefined && !project)) return null;
  if (cacheDir !== undefined) return { folder: cacheDir };
  return project?.cacheFolder === undefined ? {} : { folder: project.cacheFolder };
}

async function openCacheOf({ folder }: CachePlace, { log }: Session): Promise<BuildCache | null> {
  const { openCache } = await import('../cache/cache.ts');
  return openCache({ folder, log });
}

async function sideFilesOf(flags: SideFlags, plan: BuildPlan, project: Project | null): Promise<SideFiles | null> {
  if (flags.manifest === undefined && flags.depfile === undefined) return null;
  const { openSideFiles } = await import('../make/side-files.ts');
  return openSideFiles(flags, plan, project ? [project.file] : []);
}

async function shareOfJobs(jobs: readonly BuildJob[], shard: Shard): Promise<BuildJob[]> {
  const { predict } = await import('../make/threads.ts');
  const costs = jobs.map((job) => predict(job).ms);
  return Array.from(shareOf(costs, shard), (i) => jobs[i]);
}
