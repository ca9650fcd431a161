/** `gicollide scene`: finds which of many placed objects touch, or are too close. */
import { type Command, Option } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { ReportFinding } from '../../report/finding.ts';
import { FAILING, levelsOf } from '../../report/finding.ts';
import { loadKinds, representationOf } from '../../representations/kinds.ts';
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
  notes,
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
import { parseUnits, sizeOf, sizeWarning } from '../units.ts';

export interface SceneFlags extends OpenFlags, ReportFlags, BaselineFlags, ShardFlags, UsedFlags, QueueFlags {
  all?: boolean;
  patches?: boolean;
  maxContacts: number;
  distance?: boolean;
  budget?: number;
  jobs?: number;
  device?: DeviceName;
  learnAllowed?: SampleFlag;
  list?: boolean;
  events?: boolean;
  continuous?: boolean;
  timeResolution?: number;
  json?: boolean;
}

const NOTES = `The objects of a mesh file (docs/meshes.md) are its elements: objects, solids, nodes. Those of a folder are its files.
A scene file lists its objects (docs/scene.md).
overlap: insides meet. inside: one is in the other. same: both are equal. touch: solids meet, but not their insides.
contact: surfaces meet, and one bounds no solid; or every contact with --solid off. near: they are within --clearance. All
are proved.
A link of a robot (URDF, docs/robots.md), or each of its shapes, is an object, with joints at rest; --states moves it.
Elements of IFC that belong together, such as a whole and its parts or a wall and its door, give no finding; they are
counted. Sites, storeys and spaces are left out (--include).
With frames of a scene file or states of a robot, one line a frame lists the contacts, and the last lines list first contacts.
Findings that fail are listed, the most severe first, each with an id; --verbose lists the others, --quiet prints nothing else.
--continuous also proves the time between frames: objects move by screws, or as the scene file says.
For thousands of models, gicollide cubes may be enough.
Exit code 0: nothing was found; 1: a finding fails; 2: something could not be read, or an asset is stale; 3: undecided, or a
list was cut.
With --baseline, 1 and 3 are only for new or worse findings (docs/baseline.md).
With --shard, all of this is about the share; gicollide merge joins the shares (docs/projects.md).`;

const EXAMPLES = `  $ gicollide scene building.obj
  overlap  pipe-2-01  wall-2-007  20 thick  at (3200.5 50 2100)  30822388

  572 objects
  163,306 pairs: 162,067 apart by their boxes, 1,239 checked, 1 in contact (1 overlap), 0 undecided, 0.2 s
  1 problem (1 error, 0 warnings)
  $ gicollide scene room.scene.json --baseline known.json`;

export function defineScene(command: Command, session: (command: Command) => Session): void {
  addRobotOptions(addStrict(addName(addSolidOptions(command, 'auto', 'coarse', ' [default: all but touch]'))))
    .option('--against <file...>', 'check the first files only against these')
    .option('--clearance <len>', 'also report objects up to this far apart, as near', parseLength)
    .option('--distance', 'add the distance to each finding')
    .option('--all', 'list every pair of touching triangles, with --json')
    .option('--patches', 'join the contacts of each finding to areas, curves and points; implies --all')
    .option('--max-contacts <n>', 'maximum length of these lists', parseWhole(1), 10_000)
    .option(
      '--budget <ms>',
      'check the nearest pairs first, in one thread; pairs that are not reached in time are undecided',
      parseLength,
    )
    .option(
      '--units <name>',
      'unit of meshes without one, and of a scene file without one (m, cm, mm, in, ...)',
      parseUnits,
    )
    .option('--jobs <n>', 'number of threads [default: number of processors]', parseJobs(1))
    .addOption(
      new Option(
        '--device <name>',
        'device for frames. gpu needs the package webgpu and k-DOP trees of up to 16 bits; auto uses it for 1,000 objects or more [default: cpu]',
      ).choices(DEVICES),
    )
    .option('--with <file...>', 'surroundings: checked against the other files, not against each other')
    .option(
      '--allow <a,b>',
      'allow two objects to touch: names, patterns, or ifc:... as with --a; repeatable',
      addAllowance,
    )
    .option('--allow-unmatched', 'warn about patterns without a match instead of failing')
    .option(
      '--learn-allowed <n>',
      'print an SRDF for a robot, with disable_collisions for links that touch in all of n random states, or in none; n,seed uses other states [default seed: 1]',
      parseSample,
    )
    .option('--list', 'check nothing: print the names of the objects, which rules can use, with their files')
    .option('--events', 'with frames: print only changes (contact, inside, parted)')
    .option('--continuous', 'also find contacts between frames, with their times')
    .option(
      '--time-resolution <part>',
      'with --continuous: distance of the two times, as a part of the step [default: 2^-20]',
      parsePositive,
    )
    .option(
      '--project <file>',
      'without files: project whose scenes are checked [default: gicollide.json]. With files: project whose outputs they use [default: the nearest gicollide.json above each]',
    )
    .option('--build', 'first build missing or stale outputs that the scene uses')
    .addOption(
      new Option(
        '--stale <what>',
        'error: exit with code 2 if an output of a project is stale; ok: check and count stale outputs',
      )
        .choices(STALE)
        .default('error'),
    )
    .option('--json', 'print one JSON object a line for each finding or frame, then a summary');
  addShardOption(
    addIfcOptions(addIncomplete(addExclude(addReading(addWeld(addOutside(command)))))),
    'the pairs whose boxes meet, of about equal cost',
  );
  addQueueOptions(addBaselineOptions(addReportOptions(command, BLOB)))
    .addHelpText('after', notes(NOTES, EXAMPLES))
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
  if (given.list) return (await import('../scene/list-objects.ts')).listObjects(args, given, session);
  // What it makes of meshes; the others as files are of them.
  await loadKinds('kdop', 'obb');
  const { share, flags } = await takeShare(given);
  const log = await FindingLog.open({ ...flags, makesBaseline: isRead(flags, share, asking) }, [
    ...args,
    ...(flags.against ?? []),
  ]);
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
  if (frames && queue)
    throw new OptionError('--queue cannot check frames, which follow from each other: leave out --queue');
  const answerPairs = await answererOf(queue, session);
  const parts = frames ? await partsOfMoving(flags) : await partsOfStill();
  const scene = await about(args.join(' '), () => placeScene(objects, asked, { ...parts, answerPairs }));
  warnOfSizes(scene, session);
  const { related } = scene;
  const told = { ...facts, ...relatedFact(related) };
  if (frames || flags.solid === 'off') requireOfSurfaces(flags, frames ? [] : asked.rules?.rules);
  if (frames) {
    const options = {
      ...{ json: flags.json ?? false, events: flags.events ?? false },
      ...{ quiet: session.global.quiet ?? false, verbose: session.global.verbose ?? false },
      ...{ failOn: flags.failOn ?? FAILING, facts: { objects: objects.length, ...told }, log },
      ...{ covered, warnings, hints: () => outputs.advice() },
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
  const known = {
    ...{ args, covered, warnings, isIncomplete, facts: { ...told, ...robot?.facts() }, start, queue },
    hints: () => outputs.advice(),
  };
  if (log.compares) log.refine = await refinerOf(objects);
  const code = await findStill(scene, log, { ...known, rules: asked.rules?.rules }, { share, flags }, session);
  return isIncomplete ? EXIT.failed : code;
}

function warnOfSizes({ objects, boxes }: PlacedScene, { log }: Session): void {
  if (objects.some(({ asset }) => representationOf(asset).units(asset))) return;
  const sizes = new Map<string, number>();
  for (const [i, { name, origin }] of objects.entries()) {
    const file = origin?.file ?? name;
    sizes.set(file, Math.max(sizes.get(file) ?? 0, sizeOf(boxes, 6 * i)));
  }
  const warning = sizeWarning([...sizes]);
  if (warning !== null) log.warn(warning);
}
/** True if a person reads the findings: then a run without its baseline fails after them. */
const isRead = ({ json, report, together }: SceneFlags, { folder }: Share, { global }: Session): boolean =>
  !(json || report || together || folder || global.quiet);

async function answererOf(queue: WorkQueue | undefined, { log }: Session): Promise<AnswerPairs> {
  if (queue) return (await import('../queue/open-runs.ts')).answerOnQueue(queue);
  return answerOnThreads(({ message }) =>
    log.warn(`--jobs: no other thread starts, so one does all the work: ${message}`),
  );
}

/** Refuses options for still scenes if something moves, and the other way round. */
export function requireStill(
  { frames, movable, robot }: OpenedScene,
  { events, continuous, timeResolution, all, patches, distance, solid, device }: SceneFlags,
): void {
  if (!frames && continuous)
    throw new OptionError('--continuous needs a motion: a scene file with frames, or a robot with --states');
  if (continuous && movable.deforming.size > 0)
    throw new OptionError(
      '--continuous needs rigid objects, and some objects of this scene deform: leave out --continuous',
    );
  if (timeResolution !== undefined && !continuous)
    throw new OptionError('--time-resolution is for the time between frames: add --continuous');
  if (timeResolution !== undefined && timeResolution > 1)
    throw new OptionError(`--time-resolution: expected a part, above 0 and up to 1, found ${timeResolution}`);
  if (continuous && device !== undefined && device !== 'cpu')
    throw new OptionError(
      '--device checks only the frames, and --continuous the time between them: leave out one of the two',
    );
  if (!frames && events)
    throw new OptionError('--events needs a motion: a scene file with frames, or a robot with --states');
  const asked = solid && solid !== 'off' ? '--solid' : undefined;
  const other = all ? '--all' : patches ? '--patches' : distance ? '--distance' : asked;
  if (frames && other)
    throw new OptionError(
      `${other} is for objects at rest: leave it out, or ${robot?.frames ? '--states' : 'the frames of the scene file'}`,
    );
  if (device !== undefined && !frames)
    throw new OptionError('--device is for frames, and nothing moves here: leave it out');
  if (device !== undefined && device !== 'cpu' && movable.deforming.size > 0)
    throw new OptionError(
      `--device ${device} needs rigid objects, and some objects of this scene deform: leave out --device`,
    );
}

interface Known extends Pick<OpenedScene, 'covered' | 'isIncomplete'>, Pick<SceneRun, 'warnings' | 'facts' | 'hints'> {
  args: readonly string[];
  start: number;
  rules: Rules['rules'];
  queue: WorkQueue | undefined;
}

async function findStill(
  scene: PlacedScene,
  log: FindingLog,
  { args, covered, warnings, isIncomplete, facts, start, rules, queue, hints }: Known,
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
    ...(keeper && {
      written: [`wrote shard ${share.shard!.index}/${share.shard!.count} to ${printable(share.folder!)}`],
    }),
    ...(hints && { hints }),
    openObjects: () => scene.openObjects(),
    related: scene.related,
    isThere: (name: string) => scene.has(name) || covered.open.has(name),
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
    throw new OptionError(`${flag} cannot split a motion, whose frames follow from each other: leave out --continuous`);
  if (hasFrames) throw new OptionError(`${flag} cannot split frames, which follow from each other: leave it out`);
  if (budget !== undefined)
    throw new OptionError(
      `${flag} needs the same pairs on each machine, and --budget depends on its speed: leave out --budget`,
    );
}

/** Refuses options of solids for surfaces, which would pass silently. */
export function requireOfSurfaces(
  { tolerance, touchGap, depth, failOn }: SceneFlags,
  rules: Rules['rules'] = [],
): void {
  const why = 'it applies to solids, and this run checks surfaces';
  const given = Object.entries({ '--tolerance': tolerance, '--touch-gap': touchGap, '--depth': depth });
  const flag = given.find(([, value]) => value !== undefined);
  if (flag) throw new OptionError(`${flag[0]}: ${why}`);
  const neverFails = (classes: readonly FindingClass[] = []): boolean =>
    !classes.includes('contact') && classes.some((found) => found !== 'near');
  if (neverFails(failOn)) throw new OptionError(`--fail-on ${failOn}: ${why}; use contact`);
  const rule = rules.find(({ fail }) => neverFails(fail));
  if (rule) throw new OptionError(`--solid off: rule ${JSON.stringify(rule.id)} fails on ${rule.fail}: ${why}`);
}
