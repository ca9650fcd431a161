/** Loads the inputs of a scene: scene files, meshes, robots, folders and assets. */
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import type { Exclusion } from '../../base/patterns.ts';
import { printable } from '../../base/printable.ts';
import { isOneUnit } from '../../engine/units.ts';
import { isRobot, MESH_ENDINGS } from '../../readers/formats.ts';
import { KINDS } from '../../representations/kinds.ts';
import { type LoadedScene, type LoadOptions, loadScene } from '../../scene/load.ts';
import type { StepsOptions } from '../../scene/records.ts';
import type { Rules } from '../../scene/rules.ts';
import { readScene, type SceneModel } from '../../scene/scene-file.ts';
import { inputsOf, readInput, readingOf } from '../inputs/load.ts';
import { openerBeside } from '../inputs/mesh.ts';
import {
  codeOf,
  extensionOf,
  kindOf,
  MODEL,
  type NamedPlace,
  nameOf,
  placeIn,
  prefixes,
  STDIN,
  stemOf,
} from '../inputs/name.ts';
import { readNamed } from '../inputs/open.ts';
import { about, type Session, warnOf } from '../session.ts';
import { createProgress } from '../terminal.ts';
import { requireOneUnit } from '../units.ts';
import type { Frames } from './frames.ts';
import type { RobotInput } from './robot.ts';

export interface InputFlags {
  units?: string;
  /** Files that are only surroundings of the others. */
  with?: string[];
  states?: string;
  /** Classes of IFC that are read although they are left out by rule. */
  include?: string[];
  /** Patterns of objects that are left out. */
  exclude?: string[];
}

export type Inputs = LoadedScene & {
  rules: Rules;
  frames: Frames | null;
  /** Motion between frames, if a scene file defines it. */
  between: StepsOptions['between'] | null;
  skipped: Map<string, number>;
  robots: RobotInput[];
  /** Names of objects of --with. */
  still: Set<string>;
};

interface Loading {
  /** Prefix of the names of a file's objects. */
  prefixOf(arg: string): string;
  /** Selects the objects to make; all unless given. */
  isWanted?: ((name: string) => boolean) | undefined;
  /** True if an input is a robot, by its name. */
  hasRobot: boolean;
  exclusion: Exclusion;
}

export function loadingOf(
  all: readonly string[],
  session: Session,
  exclusion: Exclusion,
  isWanted?: Loading['isWanted'],
): Loading {
  const hasRobot = all.some((arg) => extensionOf(arg).toLowerCase() === '.urdf');
  return { prefixOf: prefixes(all, session), isWanted, hasRobot, exclusion };
}

export const requireOneUnitBeside = (a: readonly [string, string | null], b: readonly [string, string | null]): void =>
  requireOneUnit(a, b, [BESIDE, BESIDE, BESIDE]);

const BESIDE = 'set the unit with --units, or name the files as assets of a scene file';

const noInputs = (): Inputs => ({
  objects: [],
  unchecked: [],
  incomplete: [],
  leftOut: [],
  warnings: [],
  members: new Map(),
  within: new Map(),
  deforming: new Map(),
  related: [],
  units: null,
  baked: 0,
  converted: 0,
  unitless: 0,
  skipped: new Map(),
  rules: {},
  frames: null,
  between: null,
  robots: [],
  still: new Set(),
});

export async function loadInputs(
  args: readonly string[],
  loading: Loading,
  flags: InputFlags,
  session: Session,
): Promise<Inputs> {
  const { prefixOf, isWanted, hasRobot, exclusion } = loading;
  const all = noInputs();
  for (const arg of args) {
    const opened =
      kindOf(arg) === 'folder' && arg !== STDIN ? await openFolder(arg, session) : await openFile(arg, session);
    const { model, folder, own } = opened;
    await session.uses?.(opened.folder, usedBy(opened));
    const prefix = prefixOf(arg);
    const name = nameOf(arg, session);
    const isOfRobot = own !== undefined && isRobot(own.bytes);
    if (isOfRobot) all.robots.push({ file: name, bytes: own.bytes, prefix });
    if (isOfRobot) model.units ??= ROBOT_UNITS;
    const isOwnWanted = isWanted && ((own: string) => isWanted(prefix + own));
    const isAssumed = hasRobot && (flags.units ?? model.units) === undefined;
    const inUnits = isAssumed ? { ...flags, units: ROBOT_UNITS } : flags;
    const isExcluded = (own: string): boolean => exclusion.leavesOut(prefix + own);
    const selecting = {
      ...(isOwnWanted && { isWanted: isOwnWanted }),
      ...(exclusion.patterns.length > 0 && { isExcluded }),
    };
    const loaded = await about(name, () => loadModel(opened, inUnits, session, selecting));
    if (isAssumed && loaded.unitless > 0)
      warnOf(name, `no unit is recorded, and ${ROBOT_UNITS} is assumed, as for the robot; --units says it`, session);
    for (const { names, problem } of loaded.unchecked)
      all.unchecked.push({ names: names.map((own) => (prefix + own).replace(/\/$/, '') || name), problem });
    for (const { name: own, ...note } of loaded.incomplete) all.incomplete.push({ name: prefix + own, ...note });
    for (const { name: own, ...note } of loaded.leftOut) all.leftOut.push({ name: prefix + own, ...note });
    for (const { file, text } of loaded.warnings) warnOf(file, text, session);
    if (all.objects.length === 0) all.units = loaded.units;
    else if (loaded.objects.length > 0) requireOneUnitBeside([args[0], all.units], [arg, loaded.units]);
    for (const { a, b, why } of loaded.related) all.related.push({ a: prefix + a, b: prefix + b, why });
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
      if (model.rules ?? model.allow ?? model.groups ?? frames ?? model.instances.find(({ deform }) => deform))
        throw new OptionError(
          `${name}: its rules, allowances, groups and frames are of its own objects; name no file beside it`,
        );
      continue;
    }
    all.rules = model;
    all.members = loaded.members;
    all.within = loaded.within;
    all.deforming = loaded.deforming;
    if (frames || loaded.deforming.size > 0) {
      const { framesOfDeforming, framesOfFile, framesOfModel } = await import('./frames.ts');
      if (typeof frames === 'string') {
        const path = pathOf(frames, folder);
        session.opened?.(path);
        all.frames = framesOfFile(path, placeOf(folder, session));
      } else all.frames = frames ? framesOfModel(name, frames) : framesOfDeforming(name, loaded.deforming);
    }
    all.between = model.between ?? null;
  }
  return all;
}

const ENDINGS = [...MESH_ENDINGS, ...KINDS.map(({ extension }) => extension), MODEL];
/** The unit of robots and their joints. */
const ROBOT_UNITS = 'm';

/** True if the name is that of a scene file: JSON, but not a model. */
export const isSceneFile = (file: string): boolean =>
  file.toLowerCase().endsWith('.json') && extensionOf(file) !== MODEL;

interface Opened {
  model: SceneModel;
  folder: string;
  /** The scene file, if it is one. */
  scene?: string;
  /** The input itself if it is the scene's only file: its name there, and its bytes. */
  own?: { file: string; bytes: Uint8Array; isStdin: boolean };
  skipped?: ReadonlyMap<string, number>;
}

/** Returns the files of its assets, except stdin. */
function usedBy({ model, folder, own }: Opened): string[] {
  if (own?.isStdin) return [];
  const used = new Set(model.instances.map(({ asset }) => asset));
  return Object.entries(model.assets).flatMap(([name, asset]) => {
    const file = typeof asset === 'string' ? asset : asset.file;
    return used.has(name) ? [isAbsolute(file) ? file : join(folder, file)] : [];
  });
}

/** Makes a scene of all files in a folder and below, named by their paths. */
async function openFolder(folder: string, session: Session): Promise<Opened> {
  session.opened?.(folder);
  const { below, problems, skipped } = await inputsOf([folder], ENDINGS, session);
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

async function openFile(file: string, session: Session): Promise<Opened> {
  const { name: path, bytes, content } = await readInput(file, session);
  const isStdin = file === STDIN;
  const folder = isStdin ? '.' : dirname(path);
  const isModel = extensionOf(path) === MODEL;
  // In an unnamed stream, any JSON is a scene.
  const isScene = content === 'model' || (content === 'mesh' && path.toLowerCase().endsWith('.json'));
  if (isScene && !isModel) return { folder, scene: path, model: await about(path, () => readScene(bytes)) };
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

async function loadModel(
  { model, folder, own, scene }: Opened,
  flags: InputFlags,
  session: Session,
  selecting: Pick<LoadOptions, 'isWanted' | 'isExcluded'>,
): Promise<LoadedScene> {
  const progress = createProgress('scene', session.global);
  const called = (file: string): string => (own?.isStdin && own.file === file ? file : pathOf(file, folder));
  const read = (file: string): Uint8Array => {
    if (own?.file === file) {
      session.opened?.(called(file));
      return own.bytes;
    }
    const path = pathOf(file, folder);
    session.opened?.(path);
    try {
      return readNamed(path, { ...placeOf(folder, session), maxBytes: session.global.maxBytes });
    } catch (error) {
      const key = Object.keys(model.assets).find((name) => fileOf(model.assets[name]) === file);
      if (scene === undefined || key === undefined || codeOf(error) !== 'ENOENT') throw error;
      throw new InputError(`${(error as Error).message} (assets.${printable(key)} of ${printable(scene)})`);
    }
  };
  try {
    const onProgress = (done: number): void => progress.update('files', done);
    const openBeside = (file: string) => openerBeside(own?.isStdin ? STDIN : called(file), session);
    const { units = flags.units } = model;
    if (units !== undefined && flags.units !== undefined && !isOneUnit(units, flags.units))
      throw new InputError(`expected --units ${units}, as the scene has it, found ${flags.units}`);
    const inUnits = { ...model, ...(units !== undefined && { units }) };
    const moves = flags.states !== undefined;
    const { memory } = session;
    const reading = {
      ...readingOf(session),
      read,
      openBeside,
      ...(memory && { memory }),
      nameOf: called,
      ...selecting,
    };
    const { include } = flags;
    return await loadScene(inUnits, { ...reading, moves, onProgress, ...(include && { include }) });
  } finally {
    progress.stop();
  }
}

const fileOf = (asset: SceneModel['assets'][string]): string => (typeof asset === 'string' ? asset : asset.file);

const pathOf = (file: string, folder: string): string => (isAbsolute(file) ? file : join(folder, file));

const placeOf = (folder: string, { global }: Session): NamedPlace => placeIn(folder, "the scene's folder", global);
