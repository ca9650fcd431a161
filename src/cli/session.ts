/** Read, do, write: how commands get assets from files. */
import { basename } from 'node:path';
import type { BuildOptions } from '../api.ts';
import { sha256 } from '../containers/hash.ts';
import { FormatError, InputError } from '../math/errors.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Asset, Representation } from '../query/representation.ts';
import type { ObjMesh } from '../readers/obj.ts';
import type { FrepModel } from '../representations/frep/build/model.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import type { GiBuildOptions } from '../representations/gi/build/index.ts';
import {
  kindByExtension,
  loadKinds,
  representationNamed,
  representationOf,
  requireKind,
  sniffKind,
} from '../representations/registry.ts';
import { type Input, openInput } from './file-source.ts';
import { extensionOf, kindOf, MODEL } from './files.ts';
import { pixelCodec } from './pixels.ts';
import { createProgress, type GlobalOptions, type Log } from './terminal.ts';

/** The file of an asset whose kind is loaded. */
export const encodeAsset = (asset: Asset, options: object = {}): Promise<Uint8Array> =>
  representationOf(asset).encode(asset, pixelCodec, options);

/**
 * Loads what reading these files will take, as far as their names tell, so that it does not count
 * as reading them.
 */
export async function prepareFor(...files: string[]): Promise<void> {
  const endings = files.map(extensionOf);
  const names = endings.map((ending) => kindByExtension(ending)?.name ?? (ending === '.obj' ? 'obb' : 'frep'));
  await Promise.all([
    loadKinds(...names),
    ...(endings.some((ending) => ending === '.obj' || ending === MODEL) ? [import('./builder.ts')] : []),
  ]);
}

export interface Session {
  log: Log;
  global: GlobalOptions;
}

/** Runs `work`, whose errors about bytes then name the file they came from. */
export async function about<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormatError) throw new InputError(error.describe(file));
    if (error instanceof InputError && !error.message.startsWith(`${file}:`)) {
      throw new InputError(`${file}: ${error.message}`);
    }
    throw error;
  }
}

const NO_MESH = 'expected a mesh (OBJ), found JSON; the name of a model of an F-rep ends with .frep.json';

/** Whether the first character that is no blank opens an object of JSON. */
function startsAsJson(bytes: Uint8Array): boolean {
  const first = bytes.subarray(0, 64).find((byte) => byte > 0x20);
  return first === 0x7b;
}

/** Refuses bytes, or the first of them, that are JSON's where a mesh's are expected. */
export function requireNoJson(file: string, bytes: Uint8Array): void {
  if (startsAsJson(bytes)) throw new InputError(`${file}: ${NO_MESH}`);
}

/** A mesh file, and the digest that assets remember it by. */
export async function loadMesh(file: string, session: Session, scale = 1): Promise<LoadedMesh> {
  return meshOf(file, readWhole(file, session), session, scale);
}

/** All bytes of an input, which is opened and read once. */
export const readWhole = (file: string, { global }: Session): Uint8Array => openInput(file, global.maxBytes).bytes();

interface LoadedMesh {
  mesh: ObjMesh;
  sha256: string;
}

/** `loadMesh` of what was read already. */
export async function meshOf(file: string, bytes: Uint8Array, { log }: Session, scale = 1): Promise<LoadedMesh> {
  return about(file, async () => {
    const asset = sniffKind(bytes);
    if (asset) throw new InputError(`expected a mesh (OBJ), found an asset (${asset.name})`);
    requireNoJson(file, bytes);
    const { readObj } = await import('./builder.ts');
    const mesh = readObj(bytes);
    if (scale !== 1) {
      for (let i = 0; i < mesh.positions.length; i++) mesh.positions[i] *= scale;
      if (!mesh.positions.every(Number.isFinite)) throw new InputError(`--scale ${scale} makes coordinates infinite`);
    }
    const { lines, points } = mesh.skipped;
    if (lines + points > 0) log.warn(`${file}: ${lines} lines and ${points} points are no surface and were skipped`);
    return { mesh, sha256: await sha256(bytes) };
  });
}

/**
 * Builds an asset of a mesh that was loaded from a file, or of the element of it that is named,
 * with a progress bar, and logs what it lost on the way.
 */
export async function buildFrom(
  file: string,
  { mesh, sha256: digest }: { mesh: Mesh; sha256: string },
  options: BuildOptions & { scale?: number; element?: string },
  { log, global }: Session,
): Promise<Asset> {
  const { scale = 1, element, ...rest } = options;
  const { format = 'gi' } = options;
  const subject = element === undefined ? file : `${file}: ${element}`;
  const [{ build, describeLosses, describeCuts }] = await Promise.all([import('./builder.ts'), loadKinds(format)]);
  const onLosses: GiBuildOptions['onLosses'] = (losses, cuts) => {
    for (const text of [describeLosses(losses), describeCuts(cuts)]) if (text) log.warn(`${subject}: ${text}`);
  };
  const progress = createProgress(basename(file), global);
  try {
    return await about(subject, () =>
      build(mesh, {
        ...rest,
        take: true, // nothing changes a mesh that was read
        source: { name: basename(file), sha256: digest },
        options: { ...(scale !== 1 && { scale }), ...(element !== undefined && { element }) },
        onProgress: progress.update,
        ...(representationNamed(format)?.buildOptions?.onLosses && { onLosses }),
      } as BuildOptions),
    );
  } finally {
    progress.stop();
  }
}

/** The model of an F-rep of a file's bytes, and the digest that assets remember it by. */
export async function modelOf(file: string, bytes: Uint8Array): Promise<{ model: FrepModel; sha256: string }> {
  // Takes zod, which nothing else needs.
  const { readFrep } = await import('../representations/frep/build/model.ts');
  return about(file, async () => ({ model: readFrep(bytes), sha256: await sha256(bytes) }));
}

/** The asset of a model that was loaded from a file. */
export async function buildModel(
  file: string,
  { model, sha256: digest }: { model: FrepModel; sha256: string },
  { scale, ...rest }: { scale?: number; units?: string } = {},
): Promise<FrepObject> {
  const source = { name: basename(file), sha256: digest };
  const [{ build }] = await Promise.all([import('./builder.ts'), loadKinds('frep')]);
  return about(file, () => build(model, { ...rest, source, ...(scale !== undefined && { options: { scale } }) }));
}

/** The representation whose files start as these bytes do, loaded. */
async function representationOfBytes(bytes: Uint8Array): Promise<Representation<Asset> | undefined> {
  const kind = sniffKind(bytes);
  if (!kind) return undefined;
  await loadKinds(kind.name);
  return representationNamed(kind.name);
}

/**
 * An asset from a file: decoded, or built in memory where it is a mesh or a model. What a pipe or a
 * device gives tells by itself which it is, since its name may be anything.
 */
export async function loadAsset(
  input: string | Input,
  session: Session,
): Promise<{ asset: Asset; bytes: Uint8Array | null }> {
  const { path: file, ...opened } = typeof input === 'string' ? openInput(input, session.global.maxBytes) : input;
  return assetOf(file, opened.bytes(), session);
}

/** `loadAsset` of what was read already. */
export async function assetOf(
  file: string,
  bytes: Uint8Array,
  session: Session,
): Promise<{ asset: Asset; bytes: Uint8Array | null }> {
  const representation = await representationOfBytes(bytes);
  const ending = extensionOf(file);
  const isStream = kindOf(file) === 'device';
  if (!representation && (ending === MODEL || (isStream && startsAsJson(bytes)))) {
    return { asset: await buildModel(file, await modelOf(file, bytes)), bytes: null };
  }
  if (!representation && (ending === '.obj' || isStream)) {
    session.log.info(`${file}: a mesh, built in memory as an OBB tree`);
    const mesh = await meshOf(file, bytes, session);
    return { asset: await buildFrom(file, mesh, { format: 'obb', nodeBytes: 64 }, session), bytes: null };
  }
  if (startsAsJson(bytes)) throw new InputError(`${file}: ${NO_MESH.replace('a mesh (OBJ)', 'an asset or a mesh')}`);
  const { asset, warnings } = await about(file, () => {
    if (!representation) requireKind(bytes); // which says what was expected
    return (representation as Representation<Asset>).decode(bytes, pixelCodec, { take: true });
  });
  for (const warning of warnings) session.log.warn(`${file}: ${warning}`);
  return { asset, bytes };
}
