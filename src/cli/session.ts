/** Loads and builds assets from files for commands. */
import { basename } from 'node:path';
import type { BuildOptions } from '../build.ts';
import { sha256 } from '../containers/hash.ts';
import { nodeCodec } from '../containers/pixels-node.ts';
import { type Mesh, meshInDoubles } from '../mesh/mesh.ts';
import { inUnits } from '../query/asset-header.ts';
import type { Asset, Builder, Decoded } from '../query/representation.ts';
import type { FrepModel } from '../representations/frep/build/model.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import type { GiBuildOptions } from '../representations/gi/build/index.ts';
import {
  kindByExtension,
  kindNamed,
  kindOf,
  loadKinds,
  representationOf,
  requireKind,
} from '../representations/kinds.ts';
import type { Input } from './file-source.ts';
import { extensionOf, MODEL } from './files.ts';
import { about, contentOf, nameOf, openGiven, type Session, warnOf } from './inputs.ts';
import { createProgress } from './terminal.ts';
import { type UnitLabel, unitOf } from './units.ts';

/** The file of an asset. */
export const encodeAsset = async (asset: Asset, options: object = {}): Promise<Uint8Array> =>
  (await kindOf(asset).codec()).encode(asset, nodeCodec, options);

/** Loads modules for these files in advance, so that loading does not count as reading. */
export async function prepareFor(...files: string[]): Promise<void> {
  const endings = files.map(extensionOf);
  const others = endings.filter((ending) => !kindByExtension(ending));
  const { MESH_ENDINGS = [] } = others.length > 0 ? await import('../readers/formats.ts') : {};
  const isMesh = (ending: string): boolean => MESH_ENDINGS.includes(ending);
  const names = endings.map((ending) => kindByExtension(ending)?.name ?? (isMesh(ending) ? 'obb' : 'frep'));
  const codecs = endings.map((ending) => kindByExtension(ending)?.codec());
  const building = others.some(isMesh) ? [builderOf('obb'), import('./meshes.ts')] : [];
  const compiling = others.includes(MODEL) ? [import('../representations/frep/build/compile.ts')] : [];
  await Promise.all([loadKinds(...names), ...codecs, ...building, ...compiling]);
}

/** What builds assets of this kind of meshes, loaded. */
async function builderOf(kind: string): Promise<Builder> {
  const builder = await kindNamed(kind).builder?.();
  if (!builder) throw new Error(`no mesh becomes ${kind}`);
  return builder;
}

/** Decodes the file of an asset, and loads its kind. */
export async function decodeAsset(bytes: Uint8Array): Promise<Decoded<Asset>> {
  const kind = requireKind(bytes);
  const [codec] = await Promise.all([kind.codec(), loadKinds(kind.name)]);
  return codec.decode(bytes, nodeCodec, { take: true });
}

export interface Remembered {
  scale?: number;
  element?: string;
  index?: number;
  geometry?: string;
  /** Digest that tells whether it is up to date. */
  build?: string;
  /** Names of the referenced files, as JSON. */
  files?: string;
}

const rememberedOf = (
  options: {
    [K in keyof Remembered]: Remembered[K] | undefined;
  },
): Record<string, string | number> =>
  Object.fromEntries(Object.entries(options).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

export async function buildFrom(
  name: string,
  { mesh, sha256: digest }: { mesh: Mesh; sha256: string },
  options: BuildOptions & Remembered,
  { log, global }: Session,
): Promise<Asset> {
  const { scale = 1, element, index, geometry, build: request, files, ...rest } = options;
  const { format = 'gi' } = options;
  const subject = element === undefined ? name : `${name}: ${element}`;
  const builder = await builderOf(format);
  const warn = (text: string): void => log.warn(`${subject}: ${text}`);
  const telling = builder.options.onLosses && { onLosses: await lossesTo(warn) };
  const progress = createProgress(basename(name), global);
  try {
    return await about(subject, () =>
      builder.build(meshInDoubles(mesh), {
        ...rest,
        take: true, // nothing changes a mesh that was read
        source: { name: basename(name), sha256: digest },
        options: rememberedOf({ ...(scale !== 1 && { scale }), element, index, geometry, build: request, files }),
        onProgress: progress.update,
        ...telling,
      }),
    );
  } finally {
    progress.stop();
  }
}

/** Says in words what a mesh lost to become an image. */
async function lossesTo(warn: (text: string) => void): Promise<GiBuildOptions['onLosses']> {
  const [{ describeLosses }, { describeCuts }] = await Promise.all([
    import('../mesh/clean.ts'),
    import('../mesh/manifold.ts'),
  ]);
  return (losses, cuts) => {
    for (const text of [describeLosses(losses), describeCuts(cuts)]) if (text) warn(text);
  };
}

/** Triangles of which WebAssembly's 4 GB hold the build of a wide OBB tree, whatever they share. */
const MOST_WIDE = 20_000_000;

/** What a mesh is where nobody says: an OBB tree, wide if it can be built. */
export async function buildTree(
  name: string,
  { units, ...loaded }: { mesh: Mesh; sha256: string; units: string | null },
  session: Session,
): Promise<Asset> {
  session.log.info(`${name}: a mesh, built in memory as an OBB tree`);
  await loadKinds('obb');
  const isWide = typeof WebAssembly !== 'undefined' && loaded.mesh.triangles.length <= 3 * MOST_WIDE;
  const nodeBytes = isWide ? 64 : 40;
  return buildFrom(name, loaded, { format: 'obb', nodeBytes, ...(units !== null && { units }) }, session);
}

export async function modelOf(name: string, bytes: Uint8Array): Promise<{ model: FrepModel; sha256: string }> {
  // Loads zod, which nothing else needs.
  const { readFrep } = await import('../representations/frep/build/model.ts');
  return about(name, async () => ({ model: readFrep(bytes), sha256: await sha256(bytes) }));
}

export async function buildModel(
  name: string,
  { model, sha256: digest }: { model: FrepModel; sha256: string },
  { scale, element, index, geometry, build: request, ...rest }: Remembered & { units?: string } = {},
): Promise<FrepObject> {
  const source = { name: basename(name), sha256: digest };
  const options = rememberedOf({ scale, element, index, geometry, build: request });
  const { compileFrep } = await import('../representations/frep/build/compile.ts');
  return about(name, () => compileFrep(model, { ...rest, source, options }));
}

/** An asset, and the bytes of its file if that is an asset's. */
interface LoadedAsset {
  asset: Asset;
  bytes: Uint8Array | null;
}

/** Decodes an asset, or builds it from a mesh or a model. @param label unit if the file has none */
export async function loadAsset(input: string | Input, session: Session, label?: UnitLabel): Promise<LoadedAsset> {
  const { path: file, ...opened } = typeof input === 'string' ? openGiven(input, session) : input;
  return assetOf(file, opened.bytes(), session, label);
}

/** Like `loadAsset`, from bytes. */
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
    await loadKinds('frep');
    return { asset: await buildModel(name, await modelOf(name, bytes), units), bytes: null };
  }
  if (content === 'mesh') {
    const { meshOf } = await import('./meshes.ts');
    const read = await meshOf(file, bytes, session);
    const units = await about(name, () => unitOf(read.units, label));
    return { asset: await buildTree(name, { ...read, units }, session), bytes: null };
  }
  const { asset, warnings } = await about(name, () => decodeAsset(bytes));
  for (const warning of warnings) warnOf(name, warning, session);
  const own = representationOf(asset).units(asset);
  const units = await about(name, () => unitOf(own, label));
  // The bytes have no unit, so they differ from the asset.
  return units !== null && !own?.trim() ? { asset: inUnits(asset, units), bytes: null } : { asset, bytes };
}
