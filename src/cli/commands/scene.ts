/** `gicollide scene`: which of many placed objects touch, or come too close. */
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { InputError, OptionError } from '../../math/errors.ts';
import { grouped, printable } from '../../math/printable.ts';
import type { Contacts } from '../../query/report.ts';
import { isOneUnit } from '../../query/units.ts';
import { quoted } from '../../readers/json-messages.ts';
import { loadKinds } from '../../representations/registry.ts';
import type { FindingClass } from '../../scene/classes.ts';
import { type LoadedScene, loadScene } from '../../scene/load.ts';
import { readScene, type SceneModel } from '../../scene/model.ts';
import type { Finding, SceneOptions, SceneSummary } from '../../scene/report.ts';
import type { Rules } from '../../scene/rules.ts';
import { placeScene } from '../../scene/scene.ts';
import { answerOnThreads } from '../../scene/threads/answer-pairs.ts';
import { DEVICES, type DeviceName, parseJobs, parseLength, parseWhole } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { extensionOf, filesBelow, identityOf, kindOf, MODEL, print } from '../files.ts';
import { stepOnGpu } from '../frames-on-gpu.ts';
import { pixelCodec } from '../pixels.ts';
import { patchesTogether, thicknessOf } from '../report-lines.ts';
import { framesOfFile, framesOfModel, type PlacedFrame, runFrames } from '../scene-frames.ts';
import { about, readWhole, type Session } from '../session.ts';
import { addSolidOptions, type SolidFlags, solidOptionsOf } from '../solid-flags.ts';
import { createProgress } from '../terminal.ts';

interface SceneFlags extends SolidFlags {
  against?: string[];
  all?: boolean;
  patches?: boolean;
  maxContacts: number;
  clearance?: number;
  distance?: boolean;
  budget?: number;
  jobs?: number;
  device?: DeviceName;
  allowOutside?: boolean;
  allowUnmatched?: boolean;
  events?: boolean;
  json?: boolean;
}

/** What fails unless somebody says: not what touches. */
const FAILING: readonly FindingClass[] = ['overlap', 'inside', 'same', 'contact', 'near'];
const ENDINGS = ['.obj', '.obb', '.kdop', '.voxel', '.tiff', '.frep', MODEL];

export function defineScene(command: Command, session: (command: Command) => Session): void {
  addSolidOptions(command, 'auto unless given', 'all but touch unless given')
    .option('--against <file...>', 'objects of the files before against those of these alone')
    .option('--clearance <len>', 'also what is closer than, or as close as, this', parseLength)
    .option('--distance', 'how far apart the two of a finding are')
    .option('--all', 'every pair of touching triangles, with --json')
    .option('--patches', 'what the two have in common, as areas, curves and points; implies --all')
    .option('--max-contacts <n>', 'the longest list of these', parseWhole(1), 10_000)
    .option('--budget <ms>', 'nearest pairs first, in one thread; what is not asked in time is undecided', parseLength)
    .option('--jobs <n>', 'threads; as many as there are processors unless given', parseJobs(1))
    .addOption(
      new Option(
        '--device <name>',
        'of frames: what says which pairs touch; gpu (with the package webgpu) does of k-DOP trees of up to 16 bits; auto takes it for 1,000 objects or more; cpu unless given',
      ).choices(DEVICES),
    )
    .option('--allow-unmatched', 'a pattern that matches no object is a warning, not an error')
    .option('--allow-outside', 'assets of a scene file may lie outside its folder')
    .option('--events', 'of frames, what changes alone: first contact, parted')
    .option('--json', 'a JSON object a finding or a frame, a line each, then a summary')
    .addHelpText(
      'after',
      `
An OBJ file gives its objects, where they stand; a folder its files; a scene file what it says (docs/scene.md).
overlap: insides meet. inside: one is in the other. same. touch: solids meet, their insides do not. contact: surfaces
meet, of which one bounds no solid; or any with --solid off. near: they are within --clearance. All are proved.
Where a scene file has frames, a line each says what touches then, and the last lines when each pair first did.
Thousands of models whose cubes may answer for them: gicollide cubes.
Exit code 0: nothing was found; 1: something that fails; 2: not all could be read; 3: undecided, or a list was cut.

  $ gicollide scene building.obj
  overlap  pipe-2-01  wall-2-007  20 thick  at (3200.5 50 2100)
  572 objects, 163,306 pairs: 162,067 apart by their boxes, 1,239 checked, 1 in contact (1 overlap), 0 undecided, 0.2 s`,
    )
    .action(async (files: string[], flags: SceneFlags, command: Command) => {
      process.exitCode = await runScene(files, flags, session(command));
    });
}

async function runScene(args: string[], flags: SceneFlags, session: Session): Promise<number> {
  await loadKinds();
  const start = performance.now();
  const nameOf = prefixes([...args, ...(flags.against ?? [])]);
  const loaded = await loadInputs(args, nameOf, flags, session);
  const others = flags.against && (await loadInputs(flags.against, nameOf, flags, session));
  if (others && loaded.objects.length > 0 && others.objects.length > 0)
    requireOneUnit(args[0], loaded.units, (flags.against as string[])[0], others.units);
  const objects = [...loaded.objects, ...(others?.objects ?? [])];
  const unchecked = [...loaded.unchecked, ...(others?.unchecked ?? [])];
  if (objects.length === 0 && unchecked.length > 0) throw new InputError(unchecked[0].problem);
  for (const { names, problem } of unchecked)
    session.log.error(`${problem}; unchecked: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', ...' : ''}`);
  if (objects.length < 2) {
    throw new InputError(
      `${args.join(' ')}: ${objects.length === 1 ? '1 object' : 'no object'}, and pairs take two or more`,
    );
  }
  const asked: SceneOptions = {
    rules: { ...loaded.rules, ...others?.rules },
    absent: unchecked.flatMap(({ names }) => names),
    ...(flags.clearance !== undefined && { clearance: flags.clearance }),
    ...solidOptionsOf(flags),
    ...(flags.allowUnmatched && { onUnmatched: (problem: string) => session.log.warn(problem) }),
    ...(others && { against: new Set(others.objects.map(({ name }) => name)) }),
  };
  const frames = framesOf(loaded, others, flags);
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
      absent: new Set(unchecked.flatMap(({ names }) => names)),
    };
    const options = {
      ...{ json: flags.json ?? false, events: flags.events ?? false, quiet: session.global.quiet ?? false },
      ...{ failOn: flags.failOn ?? FAILING, facts: { objects: objects.length, ...known } },
    };
    return stepOnGpu(flags.device, scene, session, (stepping) =>
      runFrames(scene, frames, movable, { ...options, stepping }),
    );
  }
  const progress = createProgress('scene', session.global);
  const lines: string[] = [];
  const write = async (line: string): Promise<void> => {
    if (lines.push(line) === LINES_A_WRITE) await print(`${lines.splice(0).join('\n')}\n`);
  };
  const { findings, summary } = await scene
    .findings({
      distance: flags.distance ?? false,
      all: flags.all ?? false,
      patches: flags.patches ?? false,
      maxContacts: flags.maxContacts,
      ...(flags.budget !== undefined && { budget: flags.budget }),
      ...(flags.jobs !== undefined && { jobs: flags.jobs }),
      onProgress: (done) => progress.update('pairs', done),
      onFinding: (finding) => {
        if (flags.json) return write(JSON.stringify(finding));
        return session.global.quiet ? undefined : write(lineOf(finding));
      },
    })
    .finally(() => progress.stop());
  const facts: Facts = { ...known, seconds: (performance.now() - start) / 1000 };
  lines.push(flags.json ? jsonOf(summary, facts) : textOf(summary, facts));
  await print(`${lines.join('\n')}\n`);
  if (summary.pairs + summary.allowed === 0)
    throw new InputError(`${args.join(' ')}: no pair is asked: no rule, or no other side, is of two of the objects`);
  return exitCodeOf(findings, summary, left, failsOf(flags.failOn ?? FAILING, asked.rules?.rules));
}

/** Lines that are printed at once: a report is as long as it is, and may not fit in a string. */
const LINES_A_WRITE = 1000;

type Frames = AsyncIterable<PlacedFrame> | Iterable<PlacedFrame>;
type Inputs = LoadedScene & { rules: Rules; frames: Frames | null; skipped: number };

/** The frames to step through, where a scene file has some. */
function framesOf(
  loaded: Inputs,
  others: Inputs | undefined,
  { events, all, patches, distance, solid }: SceneFlags,
): Frames | null {
  if (loaded.frames && others?.frames) throw new OptionError('frames: two scene files have some; one may');
  const frames = loaded.frames ?? others?.frames ?? null;
  if (!frames && events) throw new OptionError('--events: no scene file has frames');
  const asked = solid && solid !== 'off' ? '--solid' : undefined;
  const other = all ? '--all' : patches ? '--patches' : distance ? '--distance' : asked;
  if (frames && other) throw new OptionError(`${other}: of what stands still; a scene file has frames`);
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
  const sum = (key: 'baked' | 'converted' | 'unitless' | 'skipped'): number => a[key] + (b?.[key] ?? 0);
  return {
    units: a.units,
    baked: sum('baked'),
    converted: sum('converted'),
    unitless: sum('unitless'),
    skipped: sum('skipped'),
  };
}

/** Files beside each other are in one unit, or in none that is known. */
function requireOneUnit(first: string, unit: string | null, other: string, otherUnit: string | null): void {
  if (unit === null ? otherUnit === null : otherUnit !== null && isOneUnit(unit, otherUnit)) return;
  const shown = (units: string | null): string => (units === null ? 'in no known unit' : `in ${quoted(units)}`);
  throw new OptionError(
    `units: ${first} is ${shown(unit)}, ${other} ${shown(otherUnit)}: name them as assets of a scene file with units`,
  );
}

/**
 * What stands in front of the names of a file's objects: nothing where there is one file; else its
 * name without its ending, or its path, where two have that name.
 */
function prefixes(args: readonly string[]): (arg: string) => string {
  if (args.length === 1) return () => '';
  const pathOf = (arg: string): string => join(dirname(arg), stemOf(arg)).split(sep).join('/');
  const isOnly = (arg: string): boolean => args.filter((other) => stemOf(other) === stemOf(arg)).length === 1;
  const names = new Map(args.map((arg) => [arg, isOnly(arg) ? stemOf(arg) : pathOf(arg)]));
  return (arg) => `${names.get(arg)}/`;
}

/** The objects of all files. */
async function loadInputs(
  args: readonly string[],
  nameOf: (arg: string) => string,
  flags: SceneFlags,
  session: Session,
): Promise<Inputs> {
  const all: Inputs = {
    ...{ objects: [], unchecked: [], members: new Map(), units: null },
    ...{ baked: 0, converted: 0, unitless: 0, skipped: 0, rules: {}, frames: null },
  };
  for (const arg of args) {
    const isFolder = kindOf(arg) === 'folder';
    const { model, folder, skipped = 0 } = isFolder ? modelOfFolder(arg) : await modelOfFile(arg, session);
    const prefix = nameOf(arg);
    const loaded = await about(arg, () => loadModel(model, folder, flags, session));
    for (const { names, problem } of loaded.unchecked)
      all.unchecked.push({ names: names.map((name) => prefix + name || arg), problem });
    if (all.objects.length === 0) all.units = loaded.units;
    else if (loaded.objects.length > 0) requireOneUnit(args[0], all.units, arg, loaded.units);
    for (const object of loaded.objects) all.objects.push({ ...object, name: prefix + object.name });
    all.baked += loaded.baked;
    all.converted += loaded.converted;
    all.unitless += loaded.unitless;
    all.skipped += skipped;
    const { frames } = model;
    if (prefix !== '') {
      if (model.rules ?? model.allow ?? model.groups ?? frames)
        throw new OptionError(
          `${arg}: its rules, allowances, groups and frames are of its own objects; name no file beside it`,
        );
      continue;
    }
    all.rules = model;
    all.members = loaded.members;
    if (typeof frames === 'string') all.frames = framesOfFile(pathOf(frames, folder, flags));
    else if (frames) all.frames = framesOfModel(arg, frames);
  }
  return all;
}

const SCENE = '.scene.json';

/** A file's name without its folder and its ending. */
function stemOf(file: string): string {
  const name = basename(resolve(file));
  const ending = name.toLowerCase().endsWith(SCENE) ? SCENE : extensionOf(name);
  return kindOf(file) === 'folder' ? name : name.slice(0, -ending.length || undefined);
}

/** A scene, the folder that its paths start from, and how many files of that are no part of it. */
interface Opened {
  model: SceneModel;
  folder: string;
  skipped?: number;
}

/** Every file of a folder, and of those in it, as an object under its path. */
function modelOfFolder(folder: string): Opened {
  const files = filesBelow(folder);
  const known = files.filter((file) => ENDINGS.includes(extensionOf(file)));
  if (known.length === 0)
    throw new InputError(`${folder}: the folder holds no ${ENDINGS.slice(0, -1).join(', ')} or ${MODEL} file`);
  const paths = known.map((file) => relative(folder, file).split(sep).join('/'));
  const stems = paths.map((path) => path.slice(0, -extensionOf(path).length || undefined));
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const names = paths.map((path, i) => (counts.get(stems[i]) === 1 ? stems[i] : path));
  return {
    folder,
    skipped: files.length - known.length,
    model: {
      gicollide: 'scene/1',
      assets: Object.fromEntries(names.map((name, i) => [name, paths[i]])),
      instances: names.map((name) => ({ name, asset: name })),
    },
  };
}

/** A scene file; or the objects of a mesh, or an asset, as a scene of their own. */
async function modelOfFile(file: string, session: Session): Promise<Opened> {
  const folder = dirname(file);
  if (file.toLowerCase().endsWith('.json') && extensionOf(file) !== MODEL) {
    return { folder, model: await readNamed(file, session) };
  }
  const splits = extensionOf(file) === '.obj';
  const name = stemOf(file);
  const asset = splits ? { file: basename(file), split: 'groups' as const } : basename(file);
  const instances = [{ name: splits ? '' : name, asset: name }];
  return { folder, model: { gicollide: 'scene/1', assets: { [name]: asset }, instances } };
}

async function readNamed(file: string, session: Session): Promise<SceneModel> {
  return about(file, () => readScene(readWhole(file, session)));
}

async function loadModel(model: SceneModel, folder: string, flags: SceneFlags, session: Session): Promise<LoadedScene> {
  const progress = createProgress('scene', session.global);
  const nameOf = (file: string): string => (isAbsolute(file) ? file : join(folder, file));
  const read = (file: string): Uint8Array => readWhole(pathOf(file, folder, flags), session);
  try {
    const onProgress = (done: number): void => progress.update('files', done);
    return await loadScene(model, { read, nameOf, codec: pixelCodec, onProgress });
  } finally {
    progress.stop();
  }
}

/** Where a file of a scene lies. */
function pathOf(file: string, folder: string, { allowOutside = false }: SceneFlags): string {
  const path = isAbsolute(file) ? file : join(folder, file);
  const below = relative(identityOf(folder), identityOf(path));
  if (!allowOutside && (below.split(sep)[0] === '..' || isAbsolute(below)))
    throw new InputError(`${path}: lies outside the scene's folder; --allow-outside reads it`);
  return path;
}

const short = (x: number): number => Number(x.toPrecision(6));

/** A coordinate to about a millionth of what the finding's box measures, wherever that is. */
function placed(x: number, { low, high }: Finding['box']): number {
  const size = Math.max(...low.map((edge, k) => high[k] - edge));
  const digits = 6 + Math.ceil(Math.log10(Math.abs(x) / size));
  return Number(x.toPrecision(Math.min(17, Math.max(6, digits || 6))));
}

function lineOf({ class: found, inner, thickness, rule, a, b, point, box, distance, contacts }: Finding): string {
  const isDeep = thickness && thickness.upper > 0;
  // Who is in whom: the first is in the second.
  const [first, second] = inner === 'b' ? [b, a] : [a, b];
  const deep = isDeep ? `  ${thicknessOf(thickness)} thick` : '';
  const where = point ? `  at (${point.map((x) => placed(x, box)).join(' ')})` : '';
  const far = distance === undefined || distance === null ? '' : `  distance ${short(distance)}`;
  const common = contacts && (patchesTogether(contacts.patches) || pairsOf(contacts));
  const many = common ? `  ${common}` : '';
  return `${found}  ${printable(first.name)}  ${printable(second.name)}${rule === null ? '' : `  (${printable(rule)})`}${deep}${where}${far}${many}`;
}

const pairsOf = ({ count, complete }: Contacts): string => `${count}${complete ? '' : ' or more'} pairs of triangles`;

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

/** The classes that fail, of a finding by its rule. */
function failsOf(failOn: readonly FindingClass[], rules: Rules['rules'] = []): (finding: Finding) => boolean {
  const own = new Map(rules.map(({ id, fail }) => [id, fail]));
  return ({ rule, class: found }) => ((rule !== null && own.get(rule)) || failOn).includes(found);
}

interface Facts {
  unchecked: number;
  baked: number;
  converted: number;
  /** Meshes that say no unit, and were taken in `units`. */
  unitless: number;
  /** Files of folders that are neither meshes nor assets. */
  skipped: number;
  units: string | null;
  seconds: number;
}

const counted = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

/** Classes of solids that share a point. */
const MEETING = ['overlap', 'inside', 'same', 'touch'] as const;

function textOf(
  summary: SceneSummary,
  { unchecked, baked, converted, unitless, skipped, units, seconds }: Facts,
): string {
  const { objects, pairs, apart, checked, near, undecided, unasked, allowed } = summary;
  const meeting = MEETING.flatMap((found) => (summary[found] > 0 ? [`${grouped(summary[found])} ${found}`] : []));
  const contacts = MEETING.reduce((sum, found) => sum + summary[found], summary.contact);
  const surfaces = summary.contact > 0 ? [`${grouped(summary.contact)} of surfaces`] : [];
  const which = meeting.length === 0 ? '' : ` (${[...meeting, ...surfaces].join(', ')})`;
  const more = [
    ...(near > 0 ? [`${grouped(near)} near`] : []),
    `${grouped(undecided)} undecided`,
    ...(unasked > 0 ? [`${counted(unasked, 'pair')} not asked in time`] : []),
    ...(allowed > 0 ? [`${grouped(allowed)} allowed`] : []),
    ...(unchecked > 0 ? [`${counted(unchecked, 'object')} unchecked`] : []),
    ...(baked > 0 ? [`${counted(baked, 'asset')} scaled`] : []),
    ...(converted > 0 ? [`${counted(converted, 'asset')} converted to ${printable(units ?? '')}`] : []),
    ...(unitless > 0 ? [`${grouped(unitless)} without units taken in ${printable(units ?? '')}`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'file')} skipped`] : []),
    `${seconds.toFixed(1)} s`,
  ];
  return (
    `${counted(objects, 'object')}, ${counted(pairs, 'pair')}: ${grouped(apart)} apart by their boxes, ` +
    `${grouped(checked)} checked, ${grouped(contacts)} in contact${which}, ${more.join(', ')}`
  );
}

const jsonOf = (summary: SceneSummary, { seconds, ...facts }: Facts): string =>
  JSON.stringify({ ...summary, ...facts, ms: { ...summary.ms, all: Math.round(1000 * seconds) } });

function exitCodeOf(
  findings: readonly Finding[],
  { undecided }: SceneSummary,
  unchecked: number,
  fails: (finding: Finding) => boolean,
): number {
  if (unchecked > 0) return EXIT.failed;
  const isCut = findings.some(({ contacts }) => contacts && !contacts.complete);
  if (undecided > 0 || isCut) return EXIT.undecided;
  return findings.some(fails) ? EXIT.other : EXIT.expected;
}
