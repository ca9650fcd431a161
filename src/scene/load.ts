/**
 * A scene file's assets become objects: each file is read and built once, and shared by all its
 * instances; what is scaled, mirrored or in other units is converted into an asset of its own.
 */
import { sha256 } from '../containers/hash.ts';
import type { PixelCodec } from '../containers/pixels.ts';
import { FormatError, InputError, OptionError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { splitByGroups } from '../mesh/split.ts';
import type { Asset, Representation } from '../query/representation.ts';
import { converterOf, isOneUnit } from '../query/units.ts';
import { quoted } from '../readers/json-messages.ts';
import { readObj } from '../readers/obj.ts';
import { compileFrep } from '../representations/frep/build/compile.ts';
import { readFrep } from '../representations/frep/build/model.ts';
import { isOfTriangles } from '../representations/operand.ts';
import { representationNamed, representationOf, sniffKind } from '../representations/registry.ts';
import { determinantOf, type InstanceModel, placementOf, type SceneModel } from './model.ts';
import type { Origin, SceneObject } from './report.ts';

/** What loading a scene takes from its surroundings. */
export interface LoadOptions {
  /** The bytes of a file of the scene, by the path that stands there. */
  read(file: string): Uint8Array | Promise<Uint8Array>;
  codec: PixelCodec;
  /** Loads the code of a kind before it is needed, where that is not there from the start. */
  loadKind?(name: string): Promise<void>;
  /** What a file is called in messages, where that is not its path in the scene. */
  nameOf?(file: string): string;
  /** Told how many of the files are there. */
  onProgress?(done: number): void;
}

/** Objects that could not be made, and why, one line. */
export interface Unchecked {
  names: string[];
  problem: string;
}

export interface LoadedScene {
  objects: SceneObject[];
  unchecked: Unchecked[];
  /** The names of each instance's objects: its own, or those of what it was split into. */
  members: Map<string, string[]>;
  /** The unit of all coordinates, where one is known. */
  units: string | null;
  /** Assets that were scaled, mirrored or converted; meshes of no known unit, taken as they are. */
  baked: number;
  converted: number;
  unitless: number;
}

/** A file's surface, or its asset as it was stored. */
interface Source {
  file: string;
  sha256: string;
  mesh: Mesh | null;
  asset: Asset | null;
  units: string | null;
}

/**
 * Loads what a scene names.
 *
 * @throws OptionError where some units are known and the scene says none
 */
export async function loadScene(model: SceneModel, options: LoadOptions): Promise<LoadedScene> {
  const unchecked: Unchecked[] = [];
  const sources = new Map<string, Source>();
  const entries = Object.entries(model.assets);
  const usersOf = new Map<string, string[]>();
  for (const { name, asset } of model.instances) {
    const users = usersOf.get(asset);
    if (users) users.push(name);
    else usersOf.set(asset, [name]);
  }
  const nameOf = (file: string): string => options.nameOf?.(file) ?? file;
  for (const [n, [name, entry]] of entries.entries()) {
    options.onProgress?.(n / entries.length);
    const { file, units = null } = typeof entry === 'string' ? { file: entry } : entry;
    const users = usersOf.get(name);
    if (!users) continue;
    try {
      const source = await readSource(file, options);
      sources.set(name, { ...source, units: source.units ?? units });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unchecked.push({ names: users, problem: named(nameOf(file), error) });
    }
  }
  const units = unitsOf(model, sources);
  const builder = new AssetBuilder(units, model.frames !== undefined, nameOf);
  const objects: SceneObject[] = [];
  const members = new Map<string, string[]>();
  for (const instance of model.instances) {
    const source = sources.get(instance.asset);
    if (!source) continue;
    const entry = model.assets[instance.asset];
    try {
      const splits = typeof entry !== 'string' && entry.split === 'groups';
      const own = builder.objectsOf(instance, source, splits);
      objects.push(...own);
      members.set(
        instance.name,
        own.map(({ name }) => name),
      );
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unchecked.push({ names: [instance.name], problem: named(nameOf(source.file), error) });
    }
  }
  const { baked, converted } = builder;
  const unitless = units === null ? 0 : [...sources.values()].filter((source) => source.units === null).length;
  return { objects, unchecked, members, units, baked, converted, unitless };
}

/** An error's line with the file's name in front, once. */
function named(file: string, error: InputError): string {
  const name = printable(file);
  if (error instanceof FormatError) return error.describe(name);
  const message = printable(error.message);
  return message.startsWith(`${name}:`) ? message : `${name}: ${message}`;
}

async function readSource(file: string, { read, codec, loadKind }: LoadOptions): Promise<Source> {
  const bytes = await read(file);
  const digest = await sha256(bytes);
  const kind = sniffKind(bytes);
  if (!kind) {
    const mesh = meshOf(bytes, file);
    if ('triangles' in mesh) return { file, sha256: digest, mesh, asset: null, units: null };
    await loadKind?.('frep');
    return { file, sha256: digest, mesh: null, asset: compileFrep(mesh, {}), units: null };
  }
  await loadKind?.(kind.name);
  // The kind's code, not the table's: a program that loads kinds one by one has no other.
  const { asset } = await representationNamed(kind.name)!.decode(bytes, codec, { take: true });
  return { file, sha256: digest, mesh: null, asset, units: representationOf(asset).units(asset) };
}

/** A mesh, or the model of an F-rep. */
function meshOf(bytes: Uint8Array, file: string) {
  const first = bytes.subarray(0, 64).find((byte) => byte > 0x20);
  if (first !== 0x7b) return readObj(bytes);
  if (!file.toLowerCase().endsWith('.frep.json'))
    throw new FormatError(
      null,
      'an asset, or a mesh (OBJ)',
      'JSON; the name of a model of an F-rep ends with .frep.json',
    );
  return readFrep(bytes);
}

/** The unit of all coordinates: the scene's, or the one that all agree in. */
function unitsOf(model: SceneModel, sources: ReadonlyMap<string, Source>): string | null {
  if (model.units !== undefined) return model.units;
  const known = [...sources].filter(([, { units }]) => units !== null);
  if (known.length === 0) return null;
  const [name, { units }] = known[0];
  const other = [...sources].find(([, source]) => source.units === null || !isOneUnit(source.units, units!));
  if (!other) return units;
  const its = other[1].units === null ? 'in no known unit' : `in ${quoted(other[1].units)}`;
  throw new OptionError(
    `units: assets.${printable(name)} is in ${quoted(units!)}, assets.${printable(other[0])} ${its}: the scene must say its units`,
  );
}

/**
 * Directions of an element's k-DOPs. A building of 5,720 elements, loading and finding, ms of
 * processor: 2304 with 24, 2128 with 18, 2023 with 14, 1822 with 6; turned about two axes, where
 * boxes and surfaces that touch are hardest to part, 9184, 8283, 7374, 12143.
 */
const ELEMENT_DIRECTIONS = 14;

/** Makes assets of sources, each once. */
class AssetBuilder {
  baked = 0;
  converted = 0;
  private readonly assets = new Map<Source, Map<string, Asset>>();
  private readonly elements = new Map<Source, { name: string; mesh: Mesh }[]>();

  constructor(
    private readonly units: string | null,
    private readonly moves: boolean,
    private readonly nameOf: (file: string) => string,
  ) {}

  objectsOf(instance: InstanceModel, source: Source, splits: boolean): SceneObject[] {
    const { pose, baked } = placementOf(instance);
    if (baked && isFlat(baked)) throw new OptionError('its scale flattens it: the determinant is 0');
    const told = { assetName: instance.asset, sha256: source.sha256, pose };
    const { file, units } = source;
    const origin: Origin = {
      file: this.nameOf(file),
      ...(baked && { baked }),
      ...(this.converts(units) && { converted: [units!, this.units!] }),
    };
    if (!splits) return [{ name: instance.name, asset: this.assetOf(source, null, baked), ...told, origin }];
    if (!source.mesh) throw new OptionError('split: expected a mesh with objects');
    let elements = this.elements.get(source);
    if (!elements) {
      elements = splitByGroups(source.mesh);
      this.elements.set(source, elements);
    }
    const prefix = instance.name === '' ? '' : `${instance.name}/`;
    return elements.map((element) => ({
      name: prefix + element.name,
      asset: this.assetOf(source, element, baked),
      ...told,
      origin: { ...origin, element: element.name },
    }));
  }

  private converts(units: string | null): boolean {
    return units !== null && this.units !== null && !isOneUnit(units, this.units);
  }

  private assetOf(source: Source, element: { name: string; mesh: Mesh } | null, baked: number[] | null): Asset {
    const key = element ? `${baked ?? ''}|${element.name}` : `${baked ?? ''}`;
    const known = this.assets.get(source) ?? new Map<string, Asset>();
    this.assets.set(source, known);
    let asset = known.get(key);
    if (!asset) {
      asset = this.make(source, element?.mesh ?? source.mesh, baked, element !== null);
      known.set(key, asset);
    }
    return asset;
  }

  /**
   * An asset of a mesh: a wide OBB tree, which answers soonest; but of an element of many, which
   * stands still and is asked about a few neighbours, a k-DOP tree, which is built in a third of the
   * time.
   */
  private make({ asset, units }: Source, mesh: Mesh | null, baked: number[] | null, isElement: boolean): Asset {
    const converts = this.converts(units);
    if (asset && !baked && !converts) return asset;
    if (asset && !isOfTriangles(asset)) {
      const { name } = representationOf(asset) as Representation<Asset>;
      throw new OptionError(`of ${name} no other size can be made here; build it in the one that is needed`);
    }
    const surface = mesh ?? { ...representationOf(asset!).surface(asset!), groups: [] };
    let { positions, triangles } = surface;
    if (converts) {
      positions = Float64Array.from(positions, converterOf(units!, this.units!));
      this.converted++;
    }
    if (baked) {
      [positions, triangles] = bake(positions, triangles, baked);
      this.baked++;
    }
    if ((converts || baked) && !positions.every(Number.isFinite))
      throw new OptionError('its scale makes coordinates infinite');
    const known = this.units ?? units;
    const options = known === null ? {} : { units: known };
    // What is built has memory of its own.
    const doubles = positions instanceof Float64Array ? positions : Float64Array.from(positions);
    const own = { positions: doubles, triangles, groups: [] };
    if (isElement && !this.moves) {
      const few = { k: ELEMENT_DIRECTIONS, ...options };
      return representationNamed('kdop')!.build!(own, few);
    }
    const wide = { nodeBytes: 64, ...options };
    return representationNamed('obb')!.build!(own, wide);
  }
}

/** Whether a map has no volume; by its entries over the largest, so that small ones do not vanish. */
function isFlat(m: readonly number[]): boolean {
  const largest = Math.max(...m.map(Math.abs));
  return largest === 0 || determinantOf(m.map((x) => x / largest)) === 0;
}

/** Moves vertices by a linear map, in doubles; a mirror turns the triangles round, so that they face outward. */
function bake(positions: ArrayLike<number>, triangles: Uint32Array, m: readonly number[]): [Float64Array, Uint32Array] {
  const moved = new Float64Array(positions.length);
  for (let v = 0; v < moved.length; v += 3) {
    const [x, y, z] = [positions[v], positions[v + 1], positions[v + 2]];
    for (let k = 0; k < 3; k++) moved[v + k] = m[3 * k] * x + m[3 * k + 1] * y + m[3 * k + 2] * z;
  }
  const largest = Math.max(...m.map(Math.abs));
  if (determinantOf(m.map((x) => x / largest)) > 0) return [moved, triangles];
  const turned = triangles.slice();
  for (let t = 0; t < turned.length; t += 3) [turned[t + 1], turned[t + 2]] = [turned[t + 2], turned[t + 1]];
  return [moved, turned];
}
