/** `gicollide build`: converts meshes to collision assets. */
import type { Command } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { Exclusion, excludedText } from '../../base/patterns.ts';
import { type Shard, shareOf } from '../../base/shares.ts';
import { kindByExtension, kindNamed } from '../../representations/kinds.ts';
import { addName, addOutside, addStrict, givenOptions, parseJobs, parseShard } from '../arguments.ts';
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

const HELP = `
gi takes any triangles and stores a remesh: a closed surface of genus 0 as one square where that is good enough (--charts), any
other as charts with about as many samples together. "within" is how far the image and its source lie apart at most, proved.
--verbose says why it is one square or charts, and how near the image comes to all of the source and the source to all of the
image, measured, in dB.
kdop and obb take any triangles and keep them as they are; voxel takes any and stores the cubes that hold them.
A .frep.json becomes a .frep, whatever -f says: quadrics, perturbations, polynomials and sets of them, docs/frep.schema.json.
Meshes are files of any format of docs/meshes.md, told by their content; a folder gives those below it, and - is stdin.
With --split, -o is a folder: out/building.wall-1.obb, ... An element of an OBJ is what comes under one name; without one, "unnamed".
--exclude takes elements out of the whole mesh, too; in folders also files. With it, meshes are read even where all is fresh.
What was built before of the same file, with the same options and by the same version, is fresh, and left as it is; of several
files it is counted, and --verbose lists it.
Without files, gicollide.json in this folder says what is built (docs/projects.md). With --queue others build (docs/queue.md).
One bad mesh or element does not stop the others; any failure makes the exit code 2.

  $ gicollide build assets/bunny.obj
  out/bunny.tiff  257 x 257 from assets/bunny.obj, 3674 triangles; within 0.000678, 1814 KB, 2.1 s; -f obb keeps the triangles: 383 KB`;

export function defineBuild(command: Command, session: (command: Command) => Session): void {
  addQueueOptions(addFormatOptions(addOutside(addStrict(addName(command)))))
    .option('--project <file>', 'what is built: a project file, unless meshes are named; gicollide.json unless given')
    .option('--jobs <n>', 'threads; as many as there are processors unless given', parseJobs(1))
    .option('--force', 'build what is fresh, too')
    .option('--check', 'build nothing; exit code 1 where an output is missing or stale')
    .option('--dry-run', 'build nothing; say what would be built, and why')
    .option('--manifest <file>', 'a JSON file of all outputs, their sources and digests')
    .option('--depfile <file>', 'what the outputs depend on, as make and ninja read it')
    .option('--shard <i/n>', 'one of n shares of the work, which other machines do the others of', parseShard)
    .option('--cache-dir <folder>', 'what was built anywhere before is taken from here; of projects that of the user')
    .option('--no-cache', 'take nothing from a cache, and keep nothing there')
    .option('--watch', 'build what changes, and check the scenes of the project that it concerns, until Ctrl-C')
    .option(
      '--poll',
      'with --watch: look at files again and again, where the system tells of no change (network folders)',
    )
    .option('--json', 'one JSON object an output')
    .addHelpText('after', HELP)
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
      throw new InputError(`nothing is left to build; ${excludedText(excluded).join('')}`);
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
    throw new OptionError(`${other[1]}: a project file says how its files are built; name meshes, or leave it out`);
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
  if (poll && !watch) throw new OptionError('--poll: how --watch looks; leave it out');
  if (args.length > 0 && project !== undefined)
    throw new OptionError('--project: of project files, and meshes are named');
  if (check && dryRun) throw new OptionError('--check, --dry-run: one of them may be given');
  const looks = check ? '--check' : dryRun ? '--dry-run' : undefined;
  const writes = manifest !== undefined ? '--manifest' : depfile !== undefined ? '--depfile' : undefined;
  if (looks && writes) throw new OptionError(`${writes}: of what is built, and ${looks} builds nothing`);
  if (check && force) throw new OptionError('--force: builds what is fresh, and --check builds nothing');
  if (!cache && cacheDir !== undefined && given.has('cache'))
    throw new OptionError('--cache-dir, --no-cache: one of them may be given');
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
  if (ending !== extension && kindByExtension(ending))
    log.warn(`${output}: holds ${format}, whose files end in ${extension}`);
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
