/**
 * Loads a scene file's objects, and opens it as a scene in Node and browsers. Each file is read and
 * built once for all its instances; scaled, mirrored or converted geometry becomes a further asset.
 */
import { FormatError, InputError, OptionError } from '../base/errors.ts';
import { printable, quoted } from '../base/printable.ts';
import { type OptionTypes, requireJson, requireOptionTypes, requireThat } from '../base/require.ts';
import { sha256 } from '../containers/hash.ts';
import type { Asset, Decoded } from '../engine/representation.ts';
import { isOneUnit } from '../engine/units.ts';
import { isIdentity, type Pose } from '../math/pose.ts';
import { placementOf } from '../motion/placement.ts';
import { besidePath } from '../readers/beside.ts';
import { type Split, withoutElements } from '../readers/elements.ts';
import { readMeshFile } from '../readers/formats.ts';
import { NoSurfaceError, type ObjParser, type ReaderNote, warning, wholeMesh } from '../readers/mesh-file.ts';
import { compileFrep } from '../representations/frep/make/compile.ts';
import { readFrep } from '../representations/frep/make/model.ts';
import { representationOf, sniffKind } from '../representations/kinds.ts';
import { AssetBuilder, composed, isFlat, MadeAssets, type Source } from './assets.ts';
import { elementsTold, type FileWarning, fileTold, type ToldElements, type Unchecked } from './coverage.ts';
import { Deformation, type PositionFrames, readFrames, requireMovable } from './deformation.ts';
import type { Origin, Scene, SceneObject, SceneOptions } from './records.ts';
import type { RelatedPair } from './rules.ts';
import { placeScene, type SceneParts } from './scene.ts';
import { type InstanceModel, readScene, type SceneModel } from './scene-file.ts';

export interface LoadOptions {
  /** Returns the bytes of a file, by its path in the scene. */
  read(file: string): Uint8Array | Promise<Uint8Array>;
  /** Decodes the bytes of an asset's file, which it may take. */
  decode(bytes: Uint8Array): Promise<Decoded<Asset>>;
  /** Loads the code of a kind that none of the files has, if it is not loaded from the start. */
  loadKind?(name: string): Promise<void>;
  nameOf?(file: string): string;
  isWanted?(name: string): boolean;
  /** For assets without a choice of their own: see `include` of an asset. */
  include?: readonly string[] | undefined;
  /** True for objects to leave out as if their files did not have them. */
  isExcluded?(name: string): boolean;
  /** Reads files that a mesh file names. Default: they lie beside it or below. */
  openBeside?(file: string): (path: string) => Uint8Array | Promise<Uint8Array>;
  /** True if objects are moved later, although the scene has no frames. */
  moves?: boolean;
  memory?: LoadMemory;
  /** Distance below which vertices of meshes are joined, in the scene's unit. */
  weld?: number | undefined;
  /** Like the option of `readMeshFile`. */
  chordTolerance?: string | undefined;
  /** Like the option of `readObj`. */
  parser?: ObjParser | undefined;
  onProgress?(done: number): void;
}

export interface LoadMemory {
  /**
   * Returns the known source if neither the file nor any file that it names has changed; otherwise
   * the result of `read`.
   *
   * @param name the asset's name and options: two assets of one file are two sources
   * @param file its name in messages
   */
  source(name: string, file: string, read: () => Promise<Source>): Promise<Source>;
  readonly made: MadeAssets;
}

export interface LoadedScene extends ToldElements {
  objects: SceneObject[];
  unchecked: Unchecked[];
  /** Warnings of the readers of all files. */
  warnings: FileWarning[];
  /** The names of each instance's objects: its own, or those of its elements. */
  members: Map<string, string[]>;
  /** Poses of objects in the frames of their instances, unless they are the identity. */
  within: Map<string, Pose>;
  /** Deforming instances, by name; each shows its first frame. */
  deforming: Map<string, Deformation>;
  /** Pairs of an instance's objects that belong together, such as a whole and its part in IFC. */
  related: RelatedPair[];
  /** The unit of all coordinates, if known. */
  units: string | null;
  /** Numbers of scaled, mirrored or converted assets, and of meshes without a unit, read as is. */
  baked: number;
  converted: number;
  unitless: number;
}

function splitOf(model: SceneModel, asset: string): Split | null {
  const entry = model.assets[asset];
  return typeof entry === 'string' ? null : (entry.split ?? null);
}

/** The sources of assets by their names, and the problems of the others. */
interface ReadAssets extends Pick<Told, 'warnings'> {
  sources: Map<string, Source>;
  /** Notes of files without any surface. */
  empty: Map<string, readonly ReaderNote[]>;
  unchecked: Unchecked[];
}

async function readAssets(
  model: SceneModel,
  options: LoadOptions,
  of: { usersOf: ReadonlyMap<string, string[]>; nameOf: (file: string) => string; made: MadeAssets },
  { sources, empty, unchecked, warnings }: ReadAssets,
): Promise<void> {
  const { usersOf, nameOf, made } = of;
  const { memory, isExcluded } = options;
  const entries = Object.entries(model.assets);
  for (const [n, [name, entry]] of entries.entries()) {
    options.onProgress?.(n / entries.length);
    const { file, units = null } = typeof entry === 'string' ? { file: entry } : entry;
    const include = (typeof entry === 'string' ? undefined : entry.include) ?? options.include;
    const users = usersOf.get(name);
    if (!users) continue;
    try {
      const read = (): Promise<Source> => readSource(file, include, options);
      const known = include ? `${name} with ${include}` : name;
      const source = memory ? await memory.source(known, nameOf(file), read) : await read();
      if (source.units !== null && units !== null && !isOneUnit(source.units, units))
        throw new InputError(`expected units ${source.units}, as the file states, found ${quoted(units)}`);
      const own = isExcluded && splitOf(model, name) === null ? lessened(source, isExcluded) : source;
      if (own) sources.set(name, made.inUnits(own, units));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      // Elements of a valid file without any surface are counted one by one.
      if (error instanceof NoSurfaceError && error.notes.some(({ kind }) => kind !== 'warning'))
        empty.set(name, error.notes);
      else unchecked.push({ names: users, problem: named(nameOf(file), error) });
    }
    const notes = sources.get(name)?.notes ?? empty.get(name) ?? [];
    for (const { kind, text } of notes)
      if (kind === 'warning') warnings.push({ file: nameOf(file), text: printable(text) });
  }
}

/** @throws OptionError if some units are known and the scene has none */
export async function loadScene(model: SceneModel, options: LoadOptions): Promise<LoadedScene> {
  const unchecked: Unchecked[] = [];
  const told: Told = { incomplete: [], leftOut: [], warnings: [] };
  const sources = new Map<string, Source>();
  const empty = new Map<string, readonly ReaderNote[]>();
  const usersOf = new Map<string, string[]>();
  const { isExcluded } = options;
  const instances = isExcluded
    ? model.instances.filter(({ name, asset }) => splitOf(model, asset) !== null || !isExcluded(name))
    : model.instances;
  for (const { name, asset } of instances) {
    const users = usersOf.get(asset);
    if (users) users.push(name);
    else usersOf.set(asset, [name]);
  }
  const called = new Map<string, string>();
  const nameOf = (file: string): string => {
    let name = called.get(file);
    if (name === undefined) called.set(file, (name = options.nameOf?.(file) ?? file));
    return name;
  };
  const { moves = false, weld } = options;
  const made = options.memory?.made ?? new MadeAssets();
  await readAssets(model, options, { usersOf, nameOf, made }, { sources, empty, unchecked, warnings: told.warnings });
  const units = unitsOf(model, sources);
  const deforms = model.instances.some(({ deform }) => deform !== undefined);
  if (weld !== undefined && deforms) throw new OptionError('weld: vertices of deforming instances cannot be joined');
  const builder = new AssetBuilder({ units, moves: model.frames !== undefined || deforms || moves, weld, made });
  const loaded: Loaded = { objects: [], members: new Map(), within: new Map(), deforming: new Map(), related: [] };
  for (const instance of instances) {
    const entry = model.assets[instance.asset];
    const { file, split = null } = typeof entry === 'string' ? { file: entry } : entry;
    const source = sources.get(instance.asset);
    const notes = source?.notes ?? empty.get(instance.asset);
    const isWanted = (name: string): boolean => (options.isWanted?.(name) ?? true) && !isExcluded?.(name);
    if (notes && notes.length > 0)
      tellElements(notes, { instance, split, file: nameOf(file), isMade: source !== undefined, isWanted }, told);
    if (!source) continue;
    const failed = new Map<string, string[]>();
    const attempt = (name: string, work: () => void): void => {
      try {
        work();
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        const problem = named(nameOf(source.file), error);
        const names = failed.get(problem);
        if (names) names.push(name);
        else failed.set(problem, [name]);
      }
    };
    const origin = originOf(
      instance,
      nameOf(source.file),
      { file: source.units, scene: units },
      source.asset ? {} : options,
    );
    let frames: PositionFrames | null = null;
    try {
      if (instance.deform !== undefined) frames = await framesOf(instance.deform, source, split, options);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unchecked.push({ names: [instance.name], problem: named(nameOf(instance.deform!), error) });
      continue;
    }
    const placing = { instance, source, split, origin, frames };
    attempt(instance.name, () => addInstance(placing, builder, loaded, attempt, isWanted));
    for (const [problem, names] of failed) unchecked.push({ names, problem });
  }
  const { baked, converted } = builder;
  const unitless = units === null ? 0 : [...sources.values()].filter((source) => source.units === null).length;
  return { ...loaded, unchecked, ...told, units, baked, converted, unitless };
}

/** Without elements that are excluded; null if nothing is left. */
function lessened(source: Source, isExcluded: (name: string) => boolean): Source | null {
  if (!source.meshes) return source;
  const meshes = withoutElements(source.meshes, isExcluded);
  const notes = source.notes.filter(({ element }) => element === null || !isExcluded(element));
  return meshes && { ...source, meshes, notes };
}

type Told = Pick<LoadedScene, 'incomplete' | 'leftOut' | 'warnings'>;

function tellElements(
  notes: readonly ReaderNote[],
  of: {
    instance: InstanceModel;
    split: Split | null;
    file: string;
    isMade: boolean;
    isWanted(name: string): boolean;
  },
  { incomplete, leftOut }: Told,
): void {
  const { instance, split, file, isMade, isWanted } = of;
  const { name } = instance;
  const told = split
    ? elementsTold(notes, file, (element) => elementName(instance, element))
    : fileTold(notes, file, { name, isMade });
  incomplete.push(...told.incomplete.filter((own) => isWanted(own.name)));
  leftOut.push(...told.leftOut.filter((own) => isWanted(own.name)));
}

const elementName = (instance: InstanceModel, element: string): string =>
  instance.name === '' ? element : `${instance.name}/${element}`;

type Loaded = Pick<LoadedScene, 'objects' | 'members' | 'within' | 'deforming' | 'related'>;

async function framesOf(
  file: string,
  { meshes, asset }: Source,
  split: Split | null,
  { read, nameOf, openBeside }: LoadOptions,
): Promise<PositionFrames> {
  if (split) throw new OptionError('deform: expected an asset that is not split');
  const bytes = await read(file);
  if (asset) requireMovable(asset);
  const mesh = meshes ? wholeMesh(meshes) : representationOf(asset!).surface(asset!);
  const open = openBeside?.(file) ?? ((path: string) => read(besidePath(file, path)));
  return await readFrames(nameOf?.(file) ?? file, bytes, mesh, open);
}

interface Placing {
  instance: InstanceModel;
  source: Source;
  split: Split | null;
  origin: Origin;
  frames: PositionFrames | null;
}

function addInstance(
  { instance, source, split, origin, frames }: Placing,
  builder: AssetBuilder,
  { objects, members, within, deforming, related }: Loaded,
  attempt: (name: string, work: () => void) => void,
  isWanted: (name: string) => boolean,
): void {
  const { pose, linear } = placementOf(instance);
  if (linear && isFlat(linear)) throw new OptionError('its scale flattens it: the determinant is 0');
  const own: string[] = [];
  members.set(instance.name, own);
  for (const part of builder.partsOf(source, split)) {
    const name = split ? elementName(instance, part.name) : instance.name;
    if (!isWanted(name)) continue;
    attempt(name, () => {
      const placed = builder.place(source, part, linear);
      const moving = frames && new Deformation(frames, placed.asset, placed.convert);
      if (moving) deforming.set(name, moving);
      own.push(name);
      if (!isIdentity(placed.within)) within.set(name, placed.within);
      const told = { assetName: instance.asset, sha256: source.sha256 };
      const facts = { ...(part.id !== undefined && { guid: part.id }), ...(part.ifc && { ifc: part.ifc }) };
      const from = split ? { ...origin, element: part.name, split, ...facts } : origin;
      for (const { name: other, why } of part.related ?? [])
        related.push({ a: name, b: elementName(instance, other), why });
      objects.push({
        name,
        asset: moving?.asset ?? placed.asset,
        ...told,
        pose: composed(pose, placed.within),
        origin: from,
      });
    });
  }
}

function originOf(
  instance: InstanceModel,
  file: string,
  units: NonNullable<Origin['units']>,
  { weld, chordTolerance }: Pick<LoadOptions, 'weld' | 'chordTolerance'>,
): Origin {
  const { name: _, asset: __, deform: ___, ...placement } = instance;
  const isPlaced = Object.keys(placement).length > 0;
  const isKnown = units.file !== null || units.scene !== null;
  const reading = { ...(weld !== undefined && { weld }), ...(chordTolerance !== undefined && { chordTolerance }) };
  return { file, ...reading, ...(isPlaced && { placement }), ...(isKnown && { units }) };
}

function named(file: string, error: InputError): string {
  const name = printable(file);
  if (error instanceof FormatError) return error.describe(name);
  const message = printable(error.message);
  return message.startsWith(`${name}:`) ? message : `${name}: ${message}`;
}

async function readSource(
  file: string,
  include: readonly string[] | undefined,
  { read, decode, loadKind, openBeside, chordTolerance, parser }: LoadOptions,
): Promise<Source> {
  const bytes = await read(file);
  const source = { file, sha256: await sha256(bytes), meshes: null, asset: null, units: null, notes: [] };
  if (sniffKind(bytes)) {
    const { asset, warnings } = await decode(bytes);
    return { ...source, asset, units: representationOf(asset).units(asset), notes: warnings.map(warning) };
  }
  if (file.toLowerCase().endsWith('.frep.json')) {
    const model = readFrep(bytes);
    await loadKind?.('frep');
    return { ...source, asset: compileFrep(model, {}) };
  }
  const open = openBeside?.(file) ?? ((path: string) => read(besidePath(file, path)));
  const meshes = await readMeshFile(bytes, { name: file, open, ...(include && { include }), chordTolerance, parser });
  if (meshes.nodes.some(({ primitive }) => primitive)) await loadKind?.('frep');
  return { ...source, meshes, units: meshes.units, notes: meshes.notes };
}

/** The unit of all coordinates: the scene's, or the one that all sources agree on. */
function unitsOf(model: SceneModel, sources: ReadonlyMap<string, Source>): string | null {
  if (model.units !== undefined) return model.units;
  const known = [...sources].filter(([, { units }]) => units !== null);
  if (known.length === 0) return null;
  const [name, { units }] = known[0];
  const other = [...sources].find(([, source]) => source.units === null || !isOneUnit(source.units, units!));
  if (!other) return units;
  const its = other[1].units === null ? 'in an unknown unit' : `in ${quoted(other[1].units)}`;
  throw new OptionError(
    `units: assets.${printable(name)} is in ${quoted(units!)}, assets.${printable(other[0])} ${its}: set the units of the scene, or use --units`,
  );
}

export interface OpenSceneOptions extends Omit<SceneOptions, 'rules' | 'related' | 'absent' | 'absentIfc'> {
  /** Returns the bytes of a file, by its path in the scene. */
  read(file: string): Uint8Array | Promise<Uint8Array>;
  /** `check`: also pairs of IFC that belong together, such as a whole and its part. */
  ifcRelations?: 'allow' | 'check';
}

/** A scene, and the reports about its files. */
export interface OpenedScene extends Scene, Omit<LoadedScene, 'objects' | 'related'> {}

const OPTIONS: OptionTypes = {
  ...{ clearance: 'number', solid: 'string', tolerance: 'number', touchGap: 'number', depth: 'string' },
  ...{ against: 'any', still: 'any', sides: 'any', excluded: 'any', onUnmatched: 'function' },
  ...{ read: 'any', ifcRelations: 'string' },
} satisfies Record<keyof OpenSceneOptions, OptionTypes[string]>;

export async function openSceneBy(
  decode: LoadOptions['decode'],
  scene: string | Uint8Array | SceneModel,
  options: OpenSceneOptions,
  parts: SceneParts,
): Promise<OpenedScene> {
  requireThat(options !== undefined, 'options', 'an object with a read function', options);
  requireOptionTypes(options, OPTIONS);
  requireThat(typeof options.read === 'function', 'read', 'a function from a path to bytes', options.read);
  requireJson(scene, 'scene');
  const model = readScene(scene);
  const { objects, related, ...told } = await loadScene(model, { read: options.read, decode });
  const { read: _, ifcRelations = 'allow', ...ofScene } = options;
  requireThat(['allow', 'check'].includes(ifcRelations), 'ifcRelations', 'allow or check', ifcRelations);
  const absent = told.unchecked.flatMap(({ names }) => names);
  const asked = { rules: model, absent, related: ifcRelations === 'allow' ? related : [] };
  const placed = placeScene(objects, { ...ofScene, ...asked }, parts);
  return Object.assign(placed, told);
}
