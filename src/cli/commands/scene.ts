/** `gicollide scene`: which of many placed objects touch, or come too close. */
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { InputError, OptionError } from '../../math/errors.ts';
import { isOneUnit } from '../../query/units.ts';
import { isRobot, MESH_ENDINGS } from '../../readers/formats.ts';
import { quoted } from '../../readers/json-messages.ts';
import type { BaselineEntry } from '../../report/baseline.ts';
import { FAILING, levelsOf } from '../../report/levels.ts';
import type { Level, ReportFinding } from '../../report/model.ts';
import { KINDS } from '../../representations/kinds.ts';
import { loadKinds } from '../../representations/registry.ts';
import type { FindingClass } from '../../scene/classes.ts';
import { type LoadedScene, loadScene, type Unchecked } from '../../scene/load.ts';
import { readScene, type SceneModel } from '../../scene/model.ts';
import type { Finding, SceneOptions } from '../../scene/report.ts';
import type { Allowance, Rules } from '../../scene/rules.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import { answerOnThreads } from '../../scene/threads/answer-pairs.ts';
import {
  addAllowance,
  addName,
  addStrict,
  DEVICES,
  type DeviceName,
  parseJobs,
  parseLength,
  parseWhole,
} from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { expandFiles, extensionOf, kindOf, liesBelow, MODEL, print, STDIN } from '../files.ts';
import { addBaselineOptions, type BaselineFlags } from '../findings/baseline-file.ts';
import { FindingLog, isRed } from '../findings/finding-log.ts';
import { requireReports } from '../findings/report-files.ts';
import { addReportOptions, type ReportFlags } from '../findings/report-flags.ts';
import { stepOnGpu } from '../frames-on-gpu.ts';
import { about, contentOf, nameOf, readWhole, requireInputs, type Session, saySkipped } from '../inputs.ts';
import { openerBeside } from '../meshes.ts';
import { pixelCodec } from '../pixels.ts';
import { addRobotOptions, moveRobots } from '../robot-flags.ts';
import { framesOfFile, framesOfModel, type PlacedFrame, runFrames } from '../scene-frames.ts';
import { type Facts, jsonOf, lineOf, matchesOf, textOf } from '../scene-lines.ts';
import type { RobotFlags, RobotInput, RobotScene } from '../scene-robot.ts';
import { addSolidOptions, type SolidFlags, solidOptionsOf } from '../solid-flags.ts';
import { createProgress } from '../terminal.ts';

interface SceneFlags extends SolidFlags, RobotFlags, ReportFlags, BaselineFlags {
  against?: string[];
  all?: boolean;
  patches?: boolean;
  maxContacts: number;
  clearance?: number;
  distance?: boolean;
  budget?: number;
  units?: string;
  jobs?: number;
  device?: DeviceName;
  allowOutside?: boolean;
  events?: boolean;
  strict?: boolean;
  with?: string[];
  allow?: Allowance[];
  json?: boolean;
}

const ENDINGS = [...MESH_ENDINGS, ...KINDS.map(({ extension }) => extension), MODEL];

export function defineScene(command: Command, session: (command: Command) => Session): void {
  addRobotOptions(addStrict(addName(addSolidOptions(command, 'auto unless given', 'all but touch unless given'))))
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
    )
    .option('--jobs <n>', 'threads; as many as there are processors unless given', parseJobs(1))
    .addOption(
      new Option(
        '--device <name>',
        'of frames: what says which pairs touch; gpu (with the package webgpu) does of k-DOP trees of up to 16 bits; auto takes it for 1,000 objects or more; cpu unless given',
      ).choices(DEVICES),
    )
    .option('--with <file...>', 'what stands about the objects of the files before, and is not asked about itself')
    .option('--allow <a,b>', 'two objects, or patterns of their names, that may touch; may come again', addAllowance)
    .option('--allow-unmatched', 'a pattern that matches no object is a warning, not an error')
    .option('--allow-outside', 'assets of a scene file may lie outside its folder')
    .option('--events', 'of frames, what changes alone: first contact, parted')
    .option('--json', 'a JSON object a finding or a frame, a line each, then a summary');
  addBaselineOptions(addReportOptions(command))
    .addHelpText(
      'after',
      `
A mesh file (docs/meshes.md) gives its elements, where they stand: objects, solids, nodes; a folder its files; a scene file
what it says (docs/scene.md).
overlap: insides meet. inside: one is in the other. same. touch: solids meet, their insides do not. contact: surfaces
meet, of which one bounds no solid; or any with --solid off. near: they are within --clearance. All are proved.
A robot (URDF, docs/robots.md) gives an object a link, or a shape of one, where its joints have them; --states moves it.
Where a scene file has frames, or a robot states, a line each says what touches then, and the last lines when each pair first did.
Thousands of models whose cubes may answer for them: gicollide cubes.
Exit code 0: nothing was found; 1: something that fails; 2: not all could be read; 3: undecided, or a list was cut.
With --baseline, 1 and 3 are for what is new or worse (docs/baseline.md).

  $ gicollide scene building.obj
  overlap  pipe-2-01  wall-2-007  20 thick  at (3200.5 50 2100)
  572 objects, 163,306 pairs: 162,067 apart by their boxes, 1,239 checked, 1 in contact (1 overlap), 0 undecided, 0.2 s`,
    )
    .action(async (files: string[], flags: SceneFlags, command: Command) => {
      process.exitCode = await runScene([...files, ...(flags.with ?? [])], flags, session(command));
    });
}

async function runScene(args: string[], flags: SceneFlags, session: Session): Promise<number> {
  await loadKinds();
  const log = await FindingLog.open(flags, [...args, ...(flags.against ?? [])]);
  const start = performance.now();
  const all = [...args, ...(flags.against ?? [])];
  requireInputs(all, session);
  if ([...all, flags.srdf, flags.states].filter((file) => file === STDIN).length > 1)
    throw new OptionError('-: stdin is one input, and comes twice');
  const prefixOf = prefixes(all, session);
  const isBesideRobot = all.some((arg) => extensionOf(nameOf(arg, session)) === '.urdf');
  const loaded = await loadInputs(args, prefixOf, isBesideRobot, flags, session);
  const others = flags.against && (await loadInputs(flags.against, prefixOf, isBesideRobot, flags, session));
  const isIncomplete = saySkipped(skippedOf(loaded, others), flags.strict ?? false, session);
  if (others && loaded.objects.length > 0 && others.objects.length > 0)
    requireOneUnit(args[0], loaded.units, (flags.against as string[])[0], others.units);
  const objects = [...loaded.objects, ...(others?.objects ?? [])];
  const unchecked = [...loaded.unchecked, ...(others?.unchecked ?? [])];
  if (objects.length === 0 && unchecked.length > 0) throw new InputError(unchecked[0].problem);
  requireReports(flags, [...new Set(objects.flatMap(({ origin }) => (origin ? [origin.file] : [])))]);
  for (const { names, problem } of unchecked)
    session.log.error(`${problem}; unchecked: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', ...' : ''}`);
  if (objects.length < 2) {
    throw new InputError(
      `${args.join(' ')}: ${objects.length === 1 ? '1 object' : 'no object'}, and pairs take two or more`,
    );
  }
  const absent = unchecked.flatMap(({ names }) => names);
  const robots = [...loaded.robots, ...(others?.robots ?? [])];
  const robot = await moveRobots(robots, objects, new Set(absent), flags, session);
  const asked = askedOf(loaded, others, robot, absent, flags, session);
  const frames = framesOf(loaded, others, robot, flags);
  if (flags.device !== undefined && !frames)
    throw new OptionError('--device: for frames; what stands still is checked by the processors');
  const answerPairs = answerOnThreads(({ message }) =>
    session.log.warn(`--jobs: one thread alone goes on: ${message}`),
  );
  const scene = await about(args.join(' '), () => placeScene(objects, asked, answerPairs));
  const left = unchecked.reduce((sum, { names }) => sum + names.length, 0);
  const known = { ...together(loaded, others), unchecked: left };
  if (frames || flags.solid === 'off') requireOfSurfaces(flags, frames ? [] : asked.rules?.rules);
  if (frames) {
    const movable = {
      members: membersOf([loaded, ...(others ? [others] : [])]),
      within: new Map([...loaded.within, ...(others?.within ?? [])]),
      absent: new Set(absent),
    };
    const options = {
      ...{ json: flags.json ?? false, events: flags.events ?? false, quiet: session.global.quiet ?? false },
      ...{ failOn: flags.failOn ?? FAILING, facts: { objects: objects.length, ...known }, log },
      wasAsked: ({ names: [a, b] }: BaselineEntry) => b !== undefined && scene.looksAt(a, b, null),
      ...(robot && { robot: robot.facts }),
    };
    const code = await stepOnGpu(flags.device, scene, session, (stepping) =>
      runFrames(scene, frames, movable, { ...options, stepping }),
    );
    return isIncomplete ? EXIT.failed : code;
  }
  const levelOf = levelsOf(flags.failOn ?? FAILING, asked.rules?.rules);
  const told = { args, unchecked, facts: { ...known, ...robot?.facts() }, start, levelOf };
  const code = await tellFindings(scene, log, told, flags, session);
  return isIncomplete ? EXIT.failed : code;
}

/** What a run knows before the first finding. */
interface Told {
  args: readonly string[];
  unchecked: readonly Unchecked[];
  facts: Omit<Facts, 'seconds'>;
  start: number;
  levelOf(finding: Finding): Level;
}

/** Finds, prints, reports. @returns the exit code */
async function tellFindings(
  scene: PlacedScene,
  log: FindingLog,
  { args, unchecked, facts, start, levelOf }: Told,
  flags: SceneFlags,
  session: Session,
): Promise<number> {
  const { json = false, all = false, patches = false, distance = false, maxContacts, budget, jobs } = flags;
  const { quiet, verbose } = session.global;
  const progress = createProgress('scene', session.global);
  const lines: string[] = [];
  const write = async (line: string): Promise<void> => {
    if (lines.push(line) === LINES_A_WRITE) await print(`${lines.splice(0).join('\n')}\n`);
  };
  let isCut = false;
  const options = {
    distance,
    all,
    patches,
    maxContacts,
    ...(budget !== undefined && { budget }),
    ...(jobs && { jobs }),
  };
  const { summary } = await scene
    .findings({
      ...options,
      onProgress: (done) => progress.update('pairs', done),
      onFinding: (finding) => {
        const marked = log.mark(finding, levelOf(finding));
        if (isRed(marked)) isCut ||= finding.contacts?.complete === false;
        if (json) return write(JSON.stringify(marked));
        return quiet || !(isRed(marked) || verbose) ? undefined : write(lineOf(marked));
      },
    })
    .finally(() => progress.stop());
  const failures = unchecked.map(({ names, problem }) => log.fail(names.join(', '), problem));
  const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean => b !== undefined && scene.looksAt(a, b, rule);
  const missing = await log.end({ ...summary, ...facts }, wasAsked, { command: 'scene', snapshot: snapshotsOf(scene) });
  if (json) for (const record of [...failures, ...missing]) await write(JSON.stringify(record));
  else for (const text of matchesOf(summary)) session.log.info(text);
  const timed: Facts = { ...facts, seconds: (performance.now() - start) / 1000 };
  lines.push(json ? jsonOf(summary, timed) : textOf(summary, timed));
  const states = log.states(missing);
  if (states !== null && !json) lines.push(states);
  await print(`${lines.join('\n')}\n`);
  if (summary.pairs + summary.allowed === 0)
    throw new InputError(`${args.join(' ')}: no pair is asked: no rule, or no other side, is of two of the objects`);
  if (facts.unchecked > 0) return EXIT.failed;
  if (log.undecided > 0 || isCut) return EXIT.undecided;
  return log.errors > 0 || log.failsOnGone ? EXIT.other : EXIT.expected;
}

/** Draws findings of a scene. */
function snapshotsOf({ objects }: PlacedScene): (finding: ReportFinding) => Promise<Uint8Array | null> {
  const byName = new Map(objects.map((object) => [object.name, object]));
  return async (finding) => {
    const [a, b] = finding.subjects.map(({ name }) => byName.get(name));
    if (!a || !b) return null;
    const { pictureOf } = await import('../findings/finding-picture.ts');
    return pictureOf(finding, a, b);
  };
}

/** Lines that are printed at once: a report is as long as it is, and may not fit in a string. */
const LINES_A_WRITE = 1000;

type Frames = AsyncIterable<PlacedFrame> | Iterable<PlacedFrame>;
type Inputs = LoadedScene & {
  rules: Rules;
  frames: Frames | null;
  skipped: Map<string, number>;
  robots: RobotInput[];
  /** Names of objects of --with. */
  still: Set<string>;
};

/** Files of folders that are left out on both sides, by their endings. */
function skippedOf(a: Inputs, b: Inputs | undefined): Map<string, number> {
  const counts = new Map(a.skipped);
  for (const [ending, count] of b?.skipped ?? []) counts.set(ending, (counts.get(ending) ?? 0) + count);
  return counts;
}

/** What is asked of the objects of both sides. */
function askedOf(
  loaded: Inputs,
  others: Inputs | undefined,
  robot: RobotScene | null,
  absent: string[],
  flags: SceneFlags,
  session: Session,
): SceneOptions {
  const rules = { ...loaded.rules, ...others?.rules };
  const allow = [...(rules.allow ?? []), ...(flags.allow ?? []), ...(robot?.allow ?? [])];
  return {
    rules: { ...rules, allow },
    absent,
    ...(flags.clearance !== undefined && { clearance: flags.clearance }),
    ...solidOptionsOf(flags),
    ...(flags.allowUnmatched && { onUnmatched: (problem: string) => session.log.warn(problem) }),
    ...(loaded.still.size > 0 && { still: loaded.still }),
    ...(others && { against: new Set(others.objects.map(({ name }) => name)) }),
  };
}

/** The frames to step through, where a scene file has some. */
function framesOf(
  loaded: Inputs,
  others: Inputs | undefined,
  robot: RobotScene | null,
  { events, all, patches, distance, solid }: SceneFlags,
): Frames | null {
  if (loaded.frames && others?.frames) throw new OptionError('frames: two scene files have some; one may');
  const frames = loaded.frames ?? others?.frames ?? robot?.frames ?? null;
  if (!frames && events) throw new OptionError('--events: no scene file has frames, and no robot --states');
  const asked = solid && solid !== 'off' ? '--solid' : undefined;
  const other = all ? '--all' : patches ? '--patches' : distance ? '--distance' : asked;
  if (frames && other)
    throw new OptionError(
      `${other}: of what stands still; ${robot?.frames ? '--states moves it' : 'a scene file has frames'}`,
    );
  return frames;
}

/** Who a frame may name: instances, and what they were split into. */
function membersOf(inputs: readonly Inputs[]): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const { objects } of inputs) for (const { name } of objects) members.set(name, [name]);
  for (const input of inputs) for (const [name, own] of input.members) members.set(name, own);
  return members;
}

/** What was done to the files of both sides. */
function together(a: Inputs, b: Inputs | undefined): Omit<Facts, 'unchecked' | 'seconds'> {
  const sum = (key: 'baked' | 'converted' | 'unitless'): number => a[key] + (b?.[key] ?? 0);
  return {
    units: a.units,
    baked: sum('baked'),
    converted: sum('converted'),
    unitless: sum('unitless'),
    skipped: [...skippedOf(a, b).values()].reduce((all, count) => all + count, 0),
  };
}

/** Files beside each other are in one unit, or in none that is known. */
function requireOneUnit(first: string, unit: string | null, other: string, otherUnit: string | null): void {
  if (unit === null ? otherUnit === null : otherUnit !== null && isOneUnit(unit, otherUnit)) return;
  const shown = (units: string | null): string => (units === null ? 'in no known unit' : `in ${quoted(units)}`);
  throw new OptionError(
    `units: ${first} is ${shown(unit)}, ${other} ${shown(otherUnit)}: say --units, or name them as assets of a scene file`,
  );
}

/**
 * What stands in front of the names of a file's objects: nothing where there is one file; else its
 * name without its ending, or its path, where two have that name.
 */
function prefixes(args: readonly string[], session: Session): (arg: string) => string {
  if (args.length === 1) return () => '';
  const stems = new Map(args.map((arg) => [arg, stemOf(nameOf(arg, session))]));
  const pathOf = (arg: string): string =>
    join(dirname(nameOf(arg, session)), stems.get(arg)!)
      .split(sep)
      .join('/');
  const isOnly = (arg: string): boolean => args.filter((other) => stems.get(other) === stems.get(arg)).length === 1;
  return (arg) => `${isOnly(arg) ? stems.get(arg) : pathOf(arg)}/`;
}

/** The objects of all files. */
async function loadInputs(
  args: readonly string[],
  prefixOf: (arg: string) => string,
  isBesideRobot: boolean,
  flags: SceneFlags,
  session: Session,
): Promise<Inputs> {
  const all: Inputs = {
    ...{ objects: [], unchecked: [], members: new Map(), within: new Map(), units: null },
    ...{
      baked: 0,
      converted: 0,
      unitless: 0,
      skipped: new Map(),
      rules: {},
      frames: null,
      robots: [],
      still: new Set(),
    },
  };
  for (const arg of args) {
    const opened = kindOf(arg) === 'folder' && arg !== STDIN ? await openFolder(arg) : await openFile(arg, session);
    const { model, folder, own } = opened;
    const prefix = prefixOf(arg);
    const name = nameOf(arg, session);
    const isOfRobot = own !== undefined && isRobot(own.bytes);
    if (isOfRobot) all.robots.push({ file: name, bytes: own.bytes, prefix });
    if (isOfRobot || isBesideRobot) model.units ??= ROBOT_UNITS;
    const loaded = await about(name, () => loadModel(opened, flags, session));
    for (const { names, problem } of loaded.unchecked)
      all.unchecked.push({ names: names.map((own) => prefix + own || name), problem });
    if (all.objects.length === 0) all.units = loaded.units;
    else if (loaded.objects.length > 0) requireOneUnit(args[0], all.units, arg, loaded.units);
    const placed = isSceneFile(arg) ? { scene: arg } : {};
    const isStill = flags.with?.includes(arg) ?? false;
    for (const { name, origin, ...object } of loaded.objects) {
      all.objects.push({ ...object, name: prefix + name, ...(origin && { origin: { ...origin, ...placed } }) });
      if (isStill) all.still.add(prefix + name);
    }
    all.baked += loaded.baked;
    all.converted += loaded.converted;
    all.unitless += loaded.unitless;
    for (const [ending, count] of opened.skipped ?? []) all.skipped.set(ending, (all.skipped.get(ending) ?? 0) + count);
    const { frames } = model;
    if (prefix !== '') {
      if (model.rules ?? model.allow ?? model.groups ?? frames)
        throw new OptionError(
          `${name}: its rules, allowances, groups and frames are of its own objects; name no file beside it`,
        );
      continue;
    }
    all.rules = model;
    all.members = loaded.members;
    all.within = loaded.within;
    if (typeof frames === 'string') all.frames = framesOfFile(pathOf(frames, folder, flags));
    else if (frames) all.frames = framesOfModel(name, frames);
  }
  return all;
}

const SCENE = '.scene.json';
/** Of robots, whose joints speak of it, and of what stands beside one and says no unit. */
const ROBOT_UNITS = 'm';

/** Whether a file's name is one of a scene file: any of JSON, but a model's. */
const isSceneFile = (file: string): boolean => file.toLowerCase().endsWith('.json') && extensionOf(file) !== MODEL;

/** A file's name without its folder and its ending. */
function stemOf(file: string): string {
  const name = basename(resolve(file));
  const ending = name.toLowerCase().endsWith(SCENE) ? SCENE : extensionOf(name);
  return kindOf(file) === 'folder' ? name : name.slice(0, -ending.length || undefined);
}

/** A scene, the folder that its paths start from, and what of that is no part of it. */
interface Opened {
  model: SceneModel;
  folder: string;
  /**
   * The input itself, where it is the scene's only file: what it is called there, and its bytes.
   */
  own?: { file: string; bytes: Uint8Array; isStdin: boolean };
  skipped?: ReadonlyMap<string, number>;
}

/** Every file of a folder, and of those in it, as an object under its path. */
async function openFolder(folder: string): Promise<Opened> {
  const { below, problems, skipped } = await expandFiles([folder], ENDINGS);
  if (problems.length > 0) throw new InputError(problems[0]);
  const paths = [...below.values()].map((path) => path.split(sep).join('/'));
  const stems = paths.map((path) => path.slice(0, -extensionOf(path).length || undefined));
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const names = paths.map((path, i) => (counts.get(stems[i]) === 1 ? stems[i] : path));
  return {
    folder,
    skipped,
    model: {
      gicollide: 'scene/1',
      assets: Object.fromEntries(names.map((name, i) => [name, paths[i]])),
      instances: names.map((name) => ({ name, asset: name })),
    },
  };
}

/** A scene file; or the elements of a mesh, or an asset, as a scene of their own. */
async function openFile(file: string, session: Session): Promise<Opened> {
  const path = nameOf(file, session);
  const isStdin = file === STDIN;
  const folder = isStdin ? '.' : dirname(path);
  const bytes = readWhole(file, session);
  const content = await contentOf(file, bytes, session);
  const isModel = extensionOf(path) === MODEL;
  // Of a stream without a name any JSON is a scene.
  const isScene = content === 'model' || (content === 'mesh' && path.toLowerCase().endsWith('.json'));
  if (isScene && !isModel) return { folder, model: await about(path, () => readScene(bytes)) };
  const splits = content === 'mesh';
  const [name, own] = [stemOf(path), basename(path)];
  const asset = splits ? { file: own, split: 'elements' as const } : own;
  const instances = [{ name: splits ? '' : name, asset: name }];
  return {
    folder,
    own: { file: own, bytes, isStdin },
    model: { gicollide: 'scene/1', assets: { [name]: asset }, instances },
  };
}

async function loadModel({ model, folder, own }: Opened, flags: SceneFlags, session: Session): Promise<LoadedScene> {
  const progress = createProgress('scene', session.global);
  const called = (file: string): string =>
    isAbsolute(file) || (own?.isStdin && own.file === file) ? file : join(folder, file);
  const read = (file: string): Uint8Array => {
    if (own?.file === file) return own.bytes;
    return readWhole(pathOf(file, folder, flags), session);
  };
  try {
    const onProgress = (done: number): void => progress.update('files', done);
    const openBeside = (file: string) =>
      openerBeside(own?.isStdin ? STDIN : called(file), session, { allowOutside: flags.allowOutside });
    const { units = flags.units } = model;
    if (units !== undefined && flags.units !== undefined && !isOneUnit(units, flags.units))
      throw new InputError(`expected --units ${units}, as the scene has it, found ${flags.units}`);
    const inUnits = { ...model, ...(units !== undefined && { units }) };
    const moves = flags.states !== undefined;
    return await loadScene(inUnits, { read, openBeside, moves, nameOf: called, codec: pixelCodec, onProgress });
  } finally {
    progress.stop();
  }
}

/** Where a file of a scene lies. */
function pathOf(file: string, folder: string, { allowOutside = false }: SceneFlags): string {
  const path = isAbsolute(file) ? file : join(folder, file);
  if (!allowOutside && !liesBelow(path, folder))
    throw new InputError(`${path}: lies outside the scene's folder; --allow-outside reads it`);
  return path;
}

/** Refuses what is asked of solids where nobody speaks of them: it would pass in silence. */
function requireOfSurfaces({ tolerance, touchGap, failOn }: SceneFlags, rules: Rules['rules'] = []): void {
  const why = 'of solids, and this speaks of surfaces alone';
  const length = tolerance !== undefined ? '--tolerance' : touchGap !== undefined ? '--touch-gap' : undefined;
  if (length) throw new OptionError(`${length}: ${why}`);
  const neverFails = (classes: readonly FindingClass[] = []): boolean =>
    !classes.includes('contact') && classes.some((found) => found !== 'near');
  if (neverFails(failOn)) throw new OptionError(`--fail-on ${failOn}: ${why}: say contact`);
  const rule = rules.find(({ fail }) => neverFails(fail));
  if (rule) throw new OptionError(`--solid off: rule ${JSON.stringify(rule.id)} fails on ${rule.fail}: ${why}`);
}
