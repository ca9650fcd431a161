/**
 * Loads inputs: bytes become an asset, which is decoded, or built of a mesh or the model of an
 * F-rep.
 */
import { basename, resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import type { BuildOptions } from '../../build.ts';
import type { ReadOptions } from '../../containers/blob.ts';
import { sha256 } from '../../containers/hash.ts';
import type { PixelCodec } from '../../containers/pixels.ts';
import type { Asset, Builder, Decoded, Provenance } from '../../engine/representation.ts';
import { inUnits } from '../../engine/representation.ts';
import { type Mesh, meshInDoubles } from '../../mesh/mesh.ts';
import type { ReadMeshFile } from '../../readers/formats.ts';
import type { FrepModel } from '../../representations/frep/make/model.ts';
import type { FrepObject } from '../../representations/frep/tree/program.ts';
import type { GiBuildOptions } from '../../representations/gi/make/index.ts';
import type { KdopTree } from '../../representations/kdop/tree/kdop-tree.ts';
import {
  kindByExtension,
  kindNamed,
  kindOf,
  loadKinds,
  representationOf,
  requireKind,
  sniffKind,
} from '../../representations/kinds.ts';
import type { ObbTree } from '../../representations/obb/tree/obb-tree.ts';
import type { LoadOptions } from '../../scene/load.ts';
import type { SceneObject } from '../../scene/records.ts';
import { about, type Session, warnOf } from '../session.ts';
import { createProgress, type Progress } from '../terminal.ts';
import { type UnitLabel, unitOf } from '../units.ts';
import { expandFiles, extensionOf, type Inputs, isStream, MODEL, nameOf } from './name.ts';
import { type Input, openGiven, readWhole } from './open.ts';

const nodeCodec = async (): Promise<Required<PixelCodec>> =>
  (await import('../../containers/pixels-node.ts')).nodeCodec;

/** `nodeCodec`, which comes with the first page. */
const PIXELS: Required<PixelCodec> = {
  name: 'of Node',
  encode: async (page, compression) => (await nodeCodec()).encode(page, compression),
  decode: async (tiff) => (await nodeCodec()).decode(tiff),
  decodePage: async (file, page) => (await nodeCodec()).decodePage(file, page),
};

/** The file of an asset. */
export const encodeAsset = async (asset: Asset, options: object = {}): Promise<Uint8Array> =>
  (await kindOf(asset).codec()).encode(asset, PIXELS, options);

/**
 * Returns a lower bound of the encoded bytes, which is known before anything is encoded or asked:
 * files of trees hold these arrays as they are.
 */
export function leastBytesOf(objects: readonly Pick<SceneObject, 'asset'>[]): number {
  let sum = 0;
  for (const asset of new Set(objects.map((object) => object.asset))) {
    const {
      positions,
      triangles,
      nodes,
      links,
      coefficients,
      bits = 0,
    } = asset as Partial<Omit<ObbTree, 'representation'> & Omit<KdopTree, 'representation'>>;
    if (!nodes && !links) continue;
    for (const array of [positions, triangles, nodes, links]) sum += array?.byteLength ?? 0;
    sum += Math.floor(((coefficients?.length ?? 0) * bits) / 8);
  }
  return sum;
}

/** Loads modules for these files in advance, so that loading does not count as reading. */
export async function prepareFor(...files: string[]): Promise<void> {
  const endings = files.map(extensionOf);
  const others = endings.filter((ending) => !kindByExtension(ending));
  const { MESH_ENDINGS = [] } = others.length > 0 ? await import('../../readers/formats.ts') : {};
  const isMesh = (ending: string): boolean => MESH_ENDINGS.includes(ending);
  const names = endings.map((ending) => kindByExtension(ending)?.name ?? (isMesh(ending) ? 'obb' : 'frep'));
  const codecs = endings.map((ending) => kindByExtension(ending)?.codec());
  const building = others.some(isMesh) ? [builderOf('obb'), import('./mesh.ts')] : [];
  const compiling = others.includes(MODEL) ? [import('../../representations/frep/make/compile.ts')] : [];
  const pixels = names.includes('gi') ? [nodeCodec()] : [];
  await Promise.all([loadKinds(...names), ...codecs, ...building, ...compiling, ...pixels]);
}

/** What builds assets of this kind of meshes, loaded. */
async function builderOf(kind: string): Promise<Builder> {
  const builder = await kindNamed(kind).builder?.();
  if (!builder) throw new Error(`no mesh becomes ${kind}`);
  return builder;
}

/** Decodes the file of an asset, and loads its kind. */
async function decodeAsset(bytes: Uint8Array, options: ReadOptions = {}): Promise<Decoded<Asset>> {
  const kind = requireKind(bytes);
  const [codec] = await Promise.all([kind.codec(), loadKinds(kind.name)]);
  return codec.decode(bytes, PIXELS, { ...options, take: true });
}

interface BuildSource {
  mesh: Mesh;
  sha256: string;
  /** For one large OBB tree. */
  threads?: number;
  /** Of a caller who goes on and stops it. */
  progress?: Progress;
}

/** Stages of a build, as users know them. */
const STAGES: Readonly<Record<string, string>> = {
  ...{ simplify: 'simplifying', cones: 'placing the corners', embed: 'flattening', plan: 'cutting charts' },
  ...{
    charts: 'fitting samples',
    resample: 'sampling',
    spheres: 'building the tree',
    deviation: 'measuring distances',
  },
  ...{ boxes: 'building the tree', tree: 'building the tree' },
  ...{ surface: 'cutting into cubes', inside: 'filling the inside', order: 'sorting cubes' },
};

export async function buildFrom(
  name: string,
  { mesh, sha256: digest, threads = 1, progress: shared }: BuildSource,
  options: BuildOptions,
  { log, global }: Session,
): Promise<Asset> {
  const { format = 'gi', options: { element } = {} } = options;
  const subject = element === undefined ? name : `${name}: ${element}`;
  const builder = await builderOf(format);
  const warn = (text: string): void => log.warn(`${subject}: ${text}`);
  const telling = builder.options.onLosses && { onLosses: await lossesTo(warn) };
  const progress = shared ?? createProgress(basename(name), global);
  const { mesh: own, options: given } = await about(subject, () => joining(meshInDoubles(mesh), options, log, warn));
  try {
    const all = {
      options: {},
      ...given,
      take: true, // nothing changes a mesh that was read
      source: { name: basename(name), sha256: digest },
      onProgress: (stage: string, fraction: number) => progress.update(STAGES[stage] ?? stage, fraction),
      ...telling,
    };
    return await about(subject, async () => {
      if (format !== 'obb' || threads < 2) return builder.build(own, all);
      const { buildObbTreeOn } = await import('../../representations/obb/make/obb-workers.ts');
      return buildObbTreeOn(threads, own, all);
    });
  } finally {
    if (!shared) progress.stop();
  }
}

/** Joins close vertices if the options ask for that, and says what it did. */
async function joining(mesh: Mesh, options: BuildOptions, log: Session['log'], warn: (text: string) => void) {
  if (options.weld === undefined) return { mesh, options };
  const { welded } = await import('../../mesh/weld.ts');
  return welded(mesh, options, ({ joined, collapsed }) => {
    log.info(`${joined} vertices joined`);
    if (collapsed > 0) warn(`joining vertices left ${collapsed} triangles without an area`);
  });
}

/** Says in words what a mesh lost to become an image. */
async function lossesTo(warn: (text: string) => void): Promise<GiBuildOptions['onLosses']> {
  const [{ describeLosses }, { describeCuts }, { describeSmallParts }] = await Promise.all([
    import('../../mesh/clean.ts'),
    import('../../mesh/manifold.ts'),
    import('../../representations/gi/make/small-parts.ts'),
  ]);
  return (losses, cuts, small) => {
    for (const text of [describeLosses(losses), describeCuts(cuts)])
      if (text) warn(`${text}; -f obb keeps the mesh as it is`);
    const parts = describeSmallParts(small);
    if (parts) warn(parts);
  };
}

/** Triangles of which WebAssembly's 4 GB hold the build of a wide OBB tree, whatever they share. */
const MOST_WIDE = 20_000_000;

/** Builds the default asset of a mesh file: an OBB tree, wide if it can be built. */
export async function buildTree(
  name: string,
  read: ReadMeshFile & { sha256: string },
  session: Session,
  label?: UnitLabel,
): Promise<Asset> {
  const { trianglesOf } = await import('./mesh.ts');
  const mesh = await about(name, () => trianglesOf(read));
  const units = await about(name, () => unitOf(read.units, label));
  session.log.info(`${name}: a mesh, built in memory as an OBB tree`);
  await loadKinds('obb');
  const isWide = typeof WebAssembly !== 'undefined' && mesh.triangles.length <= 3 * MOST_WIDE;
  const nodeBytes = isWide ? 64 : 40;
  const { weld } = session.global;
  const options = { format: 'obb', nodeBytes, ...(units !== null && { units }), ...(weld && { weld }) } as const;
  return buildFrom(name, { mesh, sha256: read.sha256 }, options, session);
}

export async function modelOf(name: string, bytes: Uint8Array): Promise<{ model: FrepModel; sha256: string }> {
  // Loads zod, which nothing else needs.
  const { readFrep } = await import('../../representations/frep/make/model.ts');
  return about(name, async () => ({ model: readFrep(bytes), sha256: await sha256(bytes) }));
}

export async function buildModel(
  name: string,
  { model, sha256: digest }: { model: FrepModel; sha256: string },
  options: Pick<Provenance, 'units' | 'options'> = {},
): Promise<FrepObject> {
  const source = { name: basename(name), sha256: digest };
  const { compileFrep } = await import('../../representations/frep/make/compile.ts');
  return about(name, () => compileFrep(model, { options: {}, ...options, source }));
}

/** An asset, and the bytes of its file if that is an asset's. */
interface LoadedAsset {
  asset: Asset;
  bytes: Uint8Array | null;
}

/** An input that was read. */
export interface ReadInput {
  file: string;
  name: string;
  bytes: Uint8Array;
  content: 'asset' | 'model' | 'mesh';
}

export async function readInput(input: string | Input, session: Session): Promise<ReadInput> {
  const { path: file, ...opened } = typeof input === 'string' ? openGiven(input, session) : input;
  const name = nameOf(file, session);
  const bytes = opened.bytes();
  return { file, name, bytes, content: await contentOf(file, name, bytes) };
}

/** Recognizes bytes by their mark, else by name. JSON of a stream is a model; the rest a mesh. */
async function contentOf(file: string, name: string, bytes: Uint8Array): Promise<ReadInput['content']> {
  if (sniffKind(bytes)) return 'asset';
  const ending = extensionOf(name);
  if (ending === MODEL) return 'model';
  const { isMarkedMesh } = await import('../../readers/formats.ts');
  if (isMarkedMesh(bytes)) return 'mesh';
  if (isStream(file)) return startsAsJson(bytes) ? 'model' : 'mesh';
  return kindByExtension(ending) ? 'asset' : 'mesh';
}

function startsAsJson(bytes: Uint8Array): boolean {
  const first = bytes.subarray(0, 64).find((byte) => byte > 0x20);
  return first === 0x7b;
}

/** Decodes an asset, or builds it from a mesh or a model. @param label unit if the file has none */
export async function loadAsset(
  input: string | Input | ReadInput,
  session: Session,
  label?: UnitLabel,
  options: ReadOptions = {},
): Promise<LoadedAsset> {
  const isRead = typeof input === 'object' && 'content' in input;
  const { file, name, bytes, content } = isRead ? input : await readInput(input, session);
  if (content === 'model') {
    const units = label && { units: label.units };
    await loadKinds('frep');
    return { asset: await buildModel(name, await modelOf(name, bytes), units), bytes: null };
  }
  if (content === 'mesh') {
    const { meshFileOf } = await import('./mesh.ts');
    const read = await meshFileOf(file, bytes, session);
    return { asset: await buildTree(name, { ...read, sha256: await sha256(bytes) }, session, label), bytes: null };
  }
  const { asset, warnings } = await about(name, () => decodeAsset(bytes, options));
  for (const warning of warnings) warnOf(name, warning, session);
  const own = representationOf(asset).units(asset);
  const units = await about(name, () => unitOf(own, label));
  // The bytes have no unit, so they differ from the asset.
  return units !== null && !own?.trim() ? { asset: inUnits(asset, units), bytes: null } : { asset, bytes };
}

const PICTURES_NAMED = 3;

/**
 * Expands arguments, without pictures in folders: TIFFs that are not ours, as textures are. They
 * are counted. One that is named is read.
 */
export async function inputsOf(args: readonly string[], endings: readonly string[], session: Session): Promise<Inputs> {
  const inputs = await expandFiles(args, endings);
  const named = new Set(args.map((arg) => resolve(arg)));
  const pictures = new Set<string>();
  const { firstPageOf } = await import('../../containers/tiff-directory.ts');
  for (const file of inputs.below.keys()) {
    if (extensionOf(file) !== kindNamed('gi').extension || named.has(resolve(file))) continue;
    const { source } = openGiven(file, session);
    try {
      const page = source && (await firstPageOf(source));
      if (page && !page.isOurs) pictures.add(file);
    } finally {
      await source?.close?.();
    }
  }
  if (pictures.size === 0) return inputs;
  const names = [...pictures].slice(0, PICTURES_NAMED).map((file) => printable(file));
  if (pictures.size > names.length) names.push('...');
  const text = `.tiff without a header of gicollide (${names.join(', ')})`;
  const files = inputs.files.filter((file) => !pictures.has(file));
  return {
    files,
    below: new Map([...inputs.below].filter(([file]) => !pictures.has(file))),
    problems:
      files.length > 0
        ? inputs.problems
        : [...inputs.problems, `${args[0]}: holds nothing but ${pictures.size} ${text}`],
    skipped: new Map([...inputs.skipped, [text, pictures.size]]),
  };
}

/** The ways in which a scene's files are read, unless they lie elsewhere. */
export const readingOf = (session: Session): LoadOptions => ({
  weld: session.global.weld,
  chordTolerance: session.global.chordTolerance,
  parser: session.global.parser,
  read: (file) => readWhole(file, session),
  decode: decodeAsset,
  loadKind: loadKinds,
});
