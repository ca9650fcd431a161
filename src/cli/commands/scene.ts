/** `gicollide scene`: finds which of many placed objects touch, or are too close. */
import { type Command, Option } from 'commander';
import { OptionError } from '../../base/errors.ts';
import type { ReportFinding } from '../../report/finding.ts';
import { FAILING, levelsOf } from '../../report/finding.ts';
import { loadKinds } from '../../representations/kinds.ts';
import { answerOnThreads } from '../../scene/answer-pairs.ts';
import type { FindingClass } from '../../scene/classes.ts';
import type { Finding, StepsOptions } from '../../scene/records.ts';
import type { Rules } from '../../scene/rules.ts';
import { type AnswerPairs, type PlacedScene, placeScene } from '../../scene/scene.ts';
import { partsOfMoving, partsOfStill, refinerOf } from '../answerers.ts';
import {
  addAllowance,
  addExclude,
  addIfcOptions,
  addIncomplete,
  addName,
  addOutside,
  addReading,
  addStrict,
  addWeld,
  DEVICES,
  type DeviceName,
  givenOptions,
  parseJobs,
  parseLength,
  parsePositive,
  parseSample,
  parseWhole,
  type SampleFlag,
} from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { addBaselineOptions, type BaselineFlags } from '../findings/baseline-file.ts';
import { FindingLog } from '../findings/finding-log.ts';
import { addReportOptions, type ReportFlags } from '../findings/report-flags.ts';
import {
  addQueueOptions,
  addRobotOptions,
  addShardOption,
  addSolidOptions,
  BLOB,
  openQueueOf,
  type QueueFlags,
  type ShardFlags,
  type Share,
  takeShare,
} from '../flags.ts';
import { STALE, type UsedFlags, UsedOutputs } from '../make/used-outputs.ts';
import type { WorkQueue } from '../queue/work-queue.ts';
import { runFact } from '../scene/describe-run.ts';
import { loadObjects, type OpenedScene, type OpenFlags, openScene, requirePair } from '../scene/open-scene.ts';
import { linesOfRelated, relatedFact, type SceneRun, tellScene } from '../scene/print-scene.ts';
import { about, keepingWarnings, type Session, type WarningRecord } from '../session.ts';
import { createProgress } from '../terminal.ts';
import { parseUnits } from '../units.ts';

export interface SceneFlags extends OpenFlags, ReportFlags, BaselineFlags, ShardFlags, UsedFlags, QueueFlags {
  all?: boolean;
  patches?: boolean;
  maxContacts: number;
  distance?: boolean;
  budget?: number;
  jobs?: number;
  device?: DeviceName;
  learnAllowed?: SampleFlag;
  events?: boolean;
  continuous?: boolean;
  timeResolution?: number;
  json?: boolean;
}

const HELP = `
A mesh file (docs/meshes.md) gives its elements, where they stand: objects, solids, nodes; a folder its files; a scene file
what it says (docs/scene.md).
overlap: insides meet. inside: one is in the other. same. touch: solids meet, their insides do not. contact: surfaces
meet, of which one bounds no solid; or any with --solid off. near: they are within --clearance. All are proved.
A robot (URDF, docs/robots.md) gives an object a link, or a shape of one, where its joints have them; --states moves it.
Elements of IFC that belong together, such as a whole and its parts or a wall and its door, give no finding; the last
line counts them. Sites, storeys and spaces are left out (--include).
Where a scene file has frames, or a robot states, a line each says what touches then, and the last lines when each pair first did.
--continuous proves what is between frames, too: objects go from one to the next by screws, or as the scene file has it.
Thousands of models whose cubes may answer for them: gicollide cubes.
Exit code 0: nothing was found; 1: something that fails; 2: not all could be read, or an asset is stale; 3: undecided, or
a list was cut.
With --baseline, 1 and 3 are for what is new or worse (docs/baseline.md).
With --shard all of these are of the share; gicollide merge tells the whole (docs/projects.md).

  $ gicollide scene building.obj
  overlap  pipe-2-01  wall-2-007  20 thick  at (3200.5 50 2100)
  572 objects, 163,306 pairs: 162,067 apart by their boxes, 1,239 checked, 1 in contact (1 overlap), 0 undecided, 0.2 s`;

export function defineScene(command: Command, session: (command: Command) => Session): void {
  addRobotOptions(
    addStrict(
      addName(addSolidOptions(command, 'auto unless given', 'coarse unless given', 'all but touch unless given')),
    ),
  )
    .option('--against <file...>', 'objects of the files before against those of these alone')
    .option('--clearance <len>', 'also what is closer than, or as close as, this', parseLength)
    .option('--distance', 'how far apart the two of a finding are')
    .option('--all', 'every pair of touching triangles, with --json')
    .option('--patches', 'what the two have in common, as areas, curves and points; implies --all')
    .option('--max-contacts <n>', 'the longest list of these', parseWhole(1), 10_000)
    .option('--budget <ms>', 'nearest pairs first, in one thread; what is not asked in time is undecided', parseLength)
    .option(
      '--units <name>',
      'of meshes that say none, and of the scene, where its file says none (m, cm, mm, in, ...)',
      parseUnits,
    )
    .option('--jobs <n>', 'threads; as many as there are processors unless given', parseJobs(1))
    .addOption(
      new Option(
        '--device <name>',
        'of frames: what says which pairs touch; gpu (with the package webgpu) does of k-DOP trees of up to 16 bits; auto takes it for 1,000 objects or more; cpu unless given',
      ).choices(DEVICES),
    )
    .option('--with <file...>', 'what stands about the objects of the files before, and is not asked about itself')
    .option(
      '--allow <a,b>',
      'two objects, patterns of their names, or ifc:... as with --a, that may touch; repeatable',
      addAllowance,
    )
    .option('--allow-unmatched', 'a pattern that matches no object is a warning, not an error')
    .option(
      '--learn-allowed <n>',
      'of a robot alone: print its SRDF with disable_collisions for links that touch in all of n random states, or in none; n,seed takes other states [seed 1]',
      parseSample,
    )
    .option('--events', 'of frames, what changes alone: first contact, parted')
    .option('--continuous', 'of frames, also what they miss: who meets on the way from one to the next, and when')
    .option(
      '--time-resolution <part>',
      'with --continuous: how close these times come, a part of the way; 2^-20 unless given',
      parsePositive,
    )
    .option(
      '--project <file>',
      'without files: the project whose scenes are checked; gicollide.json unless given. With files: the project whose outputs they use; the nearest gicollide.json above each unless given',
    )
    .option('--build', 'first build the outputs of the project that the scene uses, if they are missing or stale')
    .addOption(
      new Option(
        '--stale <what>',
        'error: a stale output of a project ends the run with exit code 2; ok: stale outputs are checked and counted',
      )
        .choices(STALE)
        .default('error'),
    )
    .option('--json', 'a JSON object a finding or a frame, a line each, then a summary');
  addShardOption(
    addIfcOptions(addIncomplete(addExclude(addReading(addWeld(addOutside(command)))))),
    'the pairs whose boxes meet, of about equal cost',
  );
  addQueueOptions(addBaselineOptions(addReportOptions(command, BLOB)))
    .addHelpText('after', HELP)
    .action(async (files: string[], flags: SceneFlags, command: Command) => {
      const asking = session(command);
      requireSampled(flags, givenOptions(command));
      process.exitCode = await (files.length > 0
        ? runScene([...files, ...(flags.with ?? [])], flags, asking)
        : runOfProject(flags, command, asking));
    });
}

/** Options that `--learn-allowed` goes with. */
const SAMPLED = ['learnAllowed', 'srdf', 'allowUnmatched', 'allowIncomplete', 'allowOutside', 'jobs', 'strict', 'name'];

function requireSampled({ learnAllowed }: SceneFlags, given: ReadonlyMap<string, string>): void {
  const other = [...given.keys()].find((name) => !SAMPLED.includes(name));
  if (learnAllowed && other !== undefined)
    throw new OptionError(`${given.get(other)}: not with --learn-allowed, which samples states and prints SRDF alone`);
}

async function runOfProject(flags: SceneFlags, command: Command, asking: Session): Promise<number> {
  const { runProjectScenes } = await import('../scene/project-scenes.ts');
  return runProjectScenes(flags, givenOptions(command), asking, (request, session) => {
    const asked: SceneFlags = { ...flags, ...request.flags };
    return runScene([...request.files, ...(asked.with ?? [])], asked, session);
  });
}

export async function runScene(args: string[], given: SceneFlags, asking: Session): Promise<number> {
  const session = keepingWarnings(asking);
  // What it makes of meshes; the others as files are of them.
  await loadKinds('kdop', 'obb');
  const { share, flags } = await takeShare(given);
  const log = await FindingLog.open(flags, [...args, ...(flags.against ?? [])]);
  const { budget, jobs, device, continuous } = flags;
  const own = { '--budget': budget, '--jobs': jobs, '--device': device, '--continuous': continuous };
  const queue = await openQueueOf(flags, own, session);
  const start = performance.now();
  const outputs = new UsedOutputs(flags);
  const loaded = await loadObjects(args, flags, outputs.heardBy(session));
  if (flags.report ?? flags.together) {
    const files = new Set(loaded.objects.flatMap(({ origin }) => (origin ? [origin.file] : [])));
    (await import('../findings/report-files.ts')).requireReports(flags, files);
  }
  const { objects } = loaded;
  requirePair(args.join(' '), loaded);
  const opened = await openScene(loaded, flags, session);
  const { asked, frames, ways, movable, robot, covered, isIncomplete } = opened;
  if (flags.learnAllowed) {
    const { learnAllowed } = await import('../scene/learn-allowed.ts');
    await learnAllowed(robot?.robots ?? [], objects, flags.learnAllowed, flags.jobs, session);
    return isIncomplete || opened.facts.unchecked > 0 ? EXIT.failed : EXIT.expected;
  }
  const warnings = (): readonly WarningRecord[] => [...session.warnings.values()];
  const facts = { ...opened.facts, ...outputs.facts(), ...runFact(args, flags, session.global) };
  requireStill(opened, flags);
  requireShared(share, frames !== null, flags);
  if (frames && queue) throw new OptionError('--queue: of what stands still; frames are stepped through here');
  const answerPairs = await answererOf(queue, session);
  const parts = frames ? await partsOfMoving(flags) : await partsOfStill();
  const scene = await about(args.join(' '), () => placeScene(objects, asked, { ...parts, answerPairs }));
  const { related } = scene;
  const told = { ...facts, ...relatedFact(related) };
  if (frames || flags.solid === 'off') requireOfSurfaces(flags, frames ? [] : asked.rules?.rules);
  if (frames) {
    const options = {
      ...{ json: flags.json ?? false, events: flags.events ?? false, quiet: session.global.quiet ?? false },
      ...{ failOn: flags.failOn ?? FAILING, facts: { objects: objects.length, ...told }, log },
      ...{ covered, warnings },
      looksAt: (a: string, b: string) => scene.looksAt(a, b, null),
      ...(robot && { robot: robot.facts }),
    };
    const { timeResolution } = flags;
    if (session.global.verbose) for (const line of linesOfRelated(related)) session.log.info(line);
    const { runFrames } = await import('../scene/frames.ts');
    const { stepOnGpu } = await import('../scene/frames.ts');
    const run = (stepping: StepsOptions): Promise<number> =>
      runFrames(scene, frames, movable, { ...options, stepping });
    const code = continuous
      ? await run({ continuous, ...ways, ...(timeResolution !== undefined && { timeResolution }) })
      : await stepOnGpu(flags.device, scene, session, run);
    return isIncomplete ? EXIT.failed : code;
  }
  const known = { args, covered, warnings, isIncomplete, facts: { ...told, ...robot?.facts() }, start, queue };
  if (log.compares) log.refine = await refinerOf(objects);
  const code = await findStill(scene, log, { ...known, rules: asked.rules?.rules }, { share, flags }, session);
  return isIncomplete ? EXIT.failed : code;
}

async function answererOf(queue: WorkQueue | undefined, { log }: Session): Promise<AnswerPairs> {
  if (queue) return (await import('../queue/open-runs.ts')).answerOnQueue(queue);
  return answerOnThreads(({ message }) => log.warn(`--jobs: one thread alone goes on: ${message}`));
}

/** Refuses options for still scenes if something moves, and the other way round. */
export function requireStill(
  { frames, movable, robot }: OpenedScene,
  { events, continuous, timeResolution, all, patches, distance, solid, device }: SceneFlags,
): void {
  if (!frames && continuous) throw new OptionError('--continuous: no scene file has frames, and no robot --states');
  if (continuous && movable.deforming.size > 0)
    throw new OptionError('--continuous: of what moves as a whole, and some of this scene deforms');
  if (timeResolution !== undefined && !continuous)
    throw new OptionError('--time-resolution: of what is between frames; --continuous asks for it');
  if (timeResolution !== undefined && timeResolution > 1)
    throw new OptionError(`--time-resolution: expected a part, above 0 and up to 1, found ${timeResolution}`);
  if (continuous && device !== undefined && device !== 'cpu')
    throw new OptionError('--device: tells frames alone; leave it out, or --continuous');
  if (!frames && events) throw new OptionError('--events: no scene file has frames, and no robot --states');
  const asked = solid && solid !== 'off' ? '--solid' : undefined;
  const other = all ? '--all' : patches ? '--patches' : distance ? '--distance' : asked;
  if (frames && other)
    throw new OptionError(
      `${other}: of what stands still; ${robot?.frames ? '--states moves it' : 'a scene file has frames'}`,
    );
  if (device !== undefined && !frames)
    throw new OptionError('--device: for frames; what stands still is checked by the processors');
  if (device !== undefined && device !== 'cpu' && movable.deforming.size > 0)
    throw new OptionError(`--device ${device}: of what moves as a whole; some of this scene deforms`);
}

interface Known extends Pick<OpenedScene, 'covered' | 'isIncomplete'>, Pick<SceneRun, 'warnings' | 'facts'> {
  args: readonly string[];
  start: number;
  rules: Rules['rules'];
  queue: WorkQueue | undefined;
}

async function findStill(
  scene: PlacedScene,
  log: FindingLog,
  { args, covered, warnings, isIncomplete, facts, start, rules, queue }: Known,
  { share, flags }: { share: Share; flags: SceneFlags },
  session: Session,
): Promise<number> {
  const { json = false, all = false, patches = false, distance = false, maxContacts, budget, jobs } = flags;
  const failOn = flags.failOn ?? FAILING;
  const levelOf = levelsOf(failOn, rules);
  const options = {
    ...{ distance, all, patches, maxContacts },
    ...(budget !== undefined && { budget }),
    ...(jobs && { jobs }),
    ...(share.shard && share.shard.count > 1 && { shard: share.shard }),
  };
  const keepScene = share.shard && (await import('../shards/scene.ts')).keepScene;
  const keeper = keepScene?.(share, scene, {
    ...{ inputs: args, covered, warnings: warnings(), facts, failOn, options, incomplete: isIncomplete },
  });
  const seconds = (): number => (performance.now() - start) / 1000;
  const progress = createProgress('scene', session.global);
  const find: SceneRun['find'] = async (take) => {
    const onFinding = (finding: Finding): unknown => {
      const level = levelOf(finding);
      keeper?.add(finding, level);
      return take(finding, level);
    };
    const onProgress = (done: number): void => progress.update(queue?.stage(done, 'pairs') ?? 'pairs', done);
    const summary = await scene.tell({ ...options, onProgress, onFinding }).finally(() => progress.stop());
    await keeper?.end(summary, seconds());
    return summary;
  };
  const run = {
    ...{ inputs: args, covered, warnings, facts, find, seconds, snapshot: snapshotsOf(scene) },
    openObjects: () => scene.openObjects(),
    related: scene.related,
  };
  return tellScene({ ...run, looksAt: (a, b, rule) => scene.looksAt(a, b, rule) }, log, { json }, session);
}

export function snapshotsOf({ objects }: PlacedScene): (finding: ReportFinding) => Promise<Uint8Array | null> {
  const byName = new Map(objects.map((object) => [object.name, object]));
  return async (finding) => {
    const [a, b] = finding.subjects.map(({ name }) => byName.get(name));
    if (!a || !b) return null;
    const { pngOfFinding } = await import('../png-file.ts');
    return pngOfFinding(finding, a, b);
  };
}

/** Refuses shards of runs that don't check a fixed list of pairs one by one. */
function requireShared({ shard }: Share, hasFrames: boolean, { shard: asked, budget, continuous }: SceneFlags): void {
  const flag = asked ? '--shard' : '--report blob';
  if (!shard) return;
  if (continuous)
    throw new OptionError(`${flag}: a motion goes on from frame to frame, on one machine; leave out --continuous`);
  if (hasFrames) throw new OptionError(`${flag}: of what stands still; each frame goes on from the one before`);
  if (budget !== undefined)
    throw new OptionError(`${flag}: which pairs a --budget leaves depends on the machine; leave it out`);
}

/** Refuses options of solids for surfaces, which would pass silently. */
export function requireOfSurfaces(
  { tolerance, touchGap, depth, failOn }: SceneFlags,
  rules: Rules['rules'] = [],
): void {
  const why = 'of solids, and this speaks of surfaces alone';
  const given = Object.entries({ '--tolerance': tolerance, '--touch-gap': touchGap, '--depth': depth });
  const flag = given.find(([, value]) => value !== undefined);
  if (flag) throw new OptionError(`${flag[0]}: ${why}`);
  const neverFails = (classes: readonly FindingClass[] = []): boolean =>
    !classes.includes('contact') && classes.some((found) => found !== 'near');
  if (neverFails(failOn)) throw new OptionError(`--fail-on ${failOn}: ${why}: say contact`);
  const rule = rules.find(({ fail }) => neverFails(fail));
  if (rule) throw new OptionError(`--solid off: rule ${JSON.stringify(rule.id)} fails on ${rule.fail}: ${why}`);
}
