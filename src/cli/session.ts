/** Read, do, write: how commands get assets from files. */
import { basename } from 'node:path';
import type { BuildOptions } from '../api.ts';
import { sha256 } from '../containers/hash.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { inUnits } from '../query/asset-header.ts';
import type { Asset, Representation } from '../query/representation.ts';
import type { FrepModel } from '../representations/frep/build/model.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import type { GiBuildOptions } from '../representations/gi/build/index.ts';
import { loadKinds } from '../representations/loading.ts';
import {
  kindByExtension,
  representationNamed,
  representationOf,
  requireKind,
  sniffKind,
} from '../representations/registry.ts';
import type { Input } from './file-source.ts';
import { extensionOf, MODEL } from './files.ts';
import { about, contentOf, nameOf, openGiven, type Session, warnOf } from './inputs.ts';
import { pixelCodec } from './pixels.ts';
import { createProgress } from './terminal.ts';
import { type UnitLabel, unitOf } from './units.ts';

/** The file of an asset whose kind is loaded. */
export const encodeAsset = (asset: Asset, options: object = {}): Promise<Uint8Array> =>
  representationOf(asset).encode(asset, pixelCodec, options);

/**
 * Loads what reading these files will take, as far as their names tell, so that it does not count
 * as reading them.
 */
export async function prepareFor(...files: string[]): Promise<void> {
  const endings = files.map(extensionOf);
  const others = endings.filter((ending) => !kindByExtension(ending));
  const { MESH_ENDINGS = [] } = others.length > 0 ? await import('../readers/formats.ts') : {};
  const isMesh = (ending: string): boolean => MESH_ENDINGS.includes(ending);
  const names = endings.map((ending) => kindByExtension(ending)?.name ?? (isMesh(ending) ? 'obb' : 'frep'));
  const isBuilt = others.some((ending) => isMesh(ending) || ending === MODEL);
  const building = isBuilt ? [builderOf('obb'), import('./meshes.ts')] : [];
  await Promise.all([loadKinds(...names), ...building]);
}

/** What builds assets of this kind, loaded. */
async function builderOf(kind: string) {
  const builder = await import('./builder.ts');
  await builder.loadBuilders(kind);
  return builder;
}

/** What the options in an asset's header say beside those of its kind. */
export interface Remembered {
  scale?: number;
  element?: string;
  /** Which of the file's elements it is. */
  index?: number;
  /** The revisions of what made its geometry. */
  geometry?: string;
  /** What tells whether it would be built as it is. */
  build?: string;
  /** The names of the files that its own named, as JSON. */
  files?: string;
}

const rememberedOf = (
  options: {
    [K in keyof Remembered]: Remembered[K] | undefined;
  },
): Record<string, string | number> =>
  Object.fromEntries(Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

/**
 * Builds an asset of a mesh that was loaded from a file of that name, or of an element of it, with
 * a progress bar, and logs what it lost on the way.
 */
export async function buildFrom(
  name: string,
  { mesh, sha256: digest }: { mesh: Mesh; sha256: string },
  options: BuildOptions & Remembered,
  { log, global }: Session,
): Promise<Asset> {
  const { scale = 1, element, index, geometry, build: request, files, ...rest } = options;
  const { format = 'gi' } = options;
  const subject = element === undefined ? name : `${name}: ${element}`;
  const [{ build, builderNamed, describeLosses, describeCuts }] = await Promise.all([
    builderOf(format),
    loadKinds(format),
  ]);
  const onLosses: GiBuildOptions['onLosses'] = (losses, cuts) => {
    for (const text of [describeLosses(losses), describeCuts(cuts)]) if (text) log.warn(`${subject}: ${text}`);
  };
  const progress = createProgress(basename(name), global);
  try {
    return await about(subject, () =>
      build(mesh, {
        ...rest,
        take: true, // nothing changes a mesh that was read
        source: { name: basename(name), sha256: digest },
        options: rememberedOf({ ...(scale !== 1 && { scale }), element, index, geometry, build: request, files }),
        onProgress: progress.update,
        ...(builderNamed(format)?.options.onLosses && { onLosses }),
      } as BuildOptions),
    );
  } finally {
    progress.stop();
  }
}

/** Triangles of which WebAssembly's 4 GB hold the build of a wide OBB tree, whatever they share. */
const MOST_WIDE = 20_000_000;

/** What a mesh is where nobody says: an OBB tree, wide if it can be built. */
export function buildTree(
  name: string,
  { units, ...loaded }: { mesh: Mesh; sha256: string; units: string | null },
  session: Session,
): Promise<Asset> {
  session.log.info(`${name}: a mesh, built in memory as an OBB tree`);
  const nodeBytes = loaded.mesh.triangles.length <= 3 * MOST_WIDE ? 64 : 40;
  return buildFrom(name, loaded, { format: 'obb', nodeBytes, ...(units !== null && { units }) }, session);
}

/** The model of an F-rep of a file's bytes, and the digest that assets remember it by. */
export async function modelOf(name: string, bytes: Uint8Array): Promise<{ model: FrepModel; sha256: string }> {
  // Takes zod, which nothing else needs.
  const { readFrep } = await import('../representations/frep/build/model.ts');
  return about(name, async () => ({ model: readFrep(bytes), sha256: await sha256(bytes) }));
}

/** The asset of a model that was loaded from a file of that name. */
export async function buildModel(
  name: string,
  { model, sha256: digest }: { model: FrepModel; sha256: string },
  { scale, element, index, geometry, build: request, ...rest }: Remembered & { units?: string } = {},
): Promise<FrepObject> {
  const source = { name: basename(name), sha256: digest };
  const options = rememberedOf({ scale, element, index, geometry, build: request });
  const [{ build }] = await Promise.all([builderOf('frep'), loadKinds('frep')]);
  return about(name, () => build(model, { ...rest, source, options }));
}

/** The representation whose files start as these bytes do, loaded. */
async function representationOfBytes(bytes: Uint8Array): Promise<Representation<Asset> | undefined> {
  const kind = sniffKind(bytes);
  if (!kind) return undefined;
  await loadKinds(kind.name);
  return representationNamed(kind.name);
}

/** An asset, and its file, if that is an asset's. */
interface LoadedAsset {
  asset: Asset;
  bytes: Uint8Array | null;
}

/**
 * An asset from a file: decoded, or built in memory where it is a mesh or a model.
 *
 * @param label the unit of a file that records none
 */
export async function loadAsset(input: string | Input, session: Session, label?: UnitLabel): Promise<LoadedAsset> {
  const { path: file, ...opened } = typeof input === 'string' ? openGiven(input, session) : input;
  return assetOf(file, opened.bytes(), session, label);
}

/** `loadAsset` of what was read already. */
export async function assetOf(
  file: string,
  bytes: Uint8Array,
  session: Session,
  label?: UnitLabel,
): Promise<LoadedAsset> {
  const name = nameOf(file, session);
  const content = await contentOf(file, bytes, session);
  if (content === 'model') {
    const units = label && { units: label.units };
    return { asset: await buildModel(name, await modelOf(name, bytes), units), bytes: null };
  }
  if (content === 'mesh') {
    const { meshOf } = await import('./meshes.ts');
    const read = await meshOf(file, bytes, session);
    const units = await about(name, () => unitOf(read.units, label));
    return { asset: await buildTree(name, { ...read, units }, session), bytes: null };
  }
  const representation = await representationOfBytes(bytes);
  const { asset, warnings } = await about(name, () => {
    if (!representation) requireKind(bytes); // which says what was expected
    return (representation as Representation<Asset>).decode(bytes, pixelCodec, { take: true });
  });
  for (const warning of warnings) warnOf(name, warning, session);
  const own = representationOf(asset).units(asset);
  const units = await about(name, () => unitOf(own, label));
  // The bytes say no unit: they are not the asset's.
  return units !== null && !own?.trim() ? { asset: inUnits(asset, units), bytes: null } : { asset, bytes };
}
