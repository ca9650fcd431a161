/**
 * The kinds of collision assets: one table, and the functions that look them up.
 *
 * The table loads a kind's code when it is needed: parsing all of it takes longer than Node takes
 * to start. The library must answer at once, so its entries register all kinds (everything.ts), and
 * a subpath of one kind registers that one. A page's bundler does not see what the table loads
 * (scripts/bundle-kinds.mjs).
 */

import { A_POINTER, FormatError, isPointer, OptionError } from '../base/errors.ts';
import { shown, tagOf } from '../base/require.ts';
import { blobKind } from '../containers/blob.ts';
import { isTiff } from '../containers/is-tiff.ts';
import type { Asked, Asset, Builder, Codec, PairKernel, Representation } from '../engine/representation.ts';

/** A representation of unknown kind; pass only assets with its name. */
// biome-ignore lint/suspicious/noExplicitAny: functions of one kind's assets are no functions of all
export type AnyRepresentation = Representation<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyAsked = Asked<any>;
/** The codec of unknown kind; pass only assets with its name. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyCodec = Codec<any>;

export interface Kind {
  name: string;
  /** Names of an asset in messages, singular and plural. */
  noun: string;
  plural: string;
  /** File name extension, with the dot. */
  extension: string;
  /**
   * Raise it when the builder makes another surface or other bounds from any mesh or model: earlier
   * builds are then stale (CONTRIBUTING.md, "When geometry changes").
   */
  geometry: number;
  /** True if the bytes start like this kind's files. */
  sniff(bytes: Uint8Array): boolean;
  /**
   * Options of `check` that only this kind has, and if one asset or both must be of the kind: see
   * OwnMembers.options.
   */
  options: Readonly<Record<string, 'one' | 'both'>>;
  /** For messages, if the kind's code has no `update`: why its vertices do not move. */
  fixed?: string;
  codec(): Promise<AnyCodec>;
  /** Loads its functions; `loadKinds` registers them, too. */
  code(): Promise<AnyRepresentation>;
  /** Loads the builder; only for kinds that can be made from meshes. */
  builder?(): Promise<Builder>;
}

const blob = (kind: string) => (bytes: Uint8Array) => blobKind(bytes) === kind;

export const KINDS: Kind[] = [
  {
    name: 'gi',
    noun: 'a geometry image',
    plural: 'geometry images',
    extension: '.tiff',
    geometry: 3,
    sniff: isTiff,
    options: { lod: 'one', maxError: 'one', bounds: 'both' },
    codec: async () => (await import('./gi/format/codec.ts')).giCodec,
    code: async () => (await import('./gi/index.ts')).gi,
    builder: async () => (await import('./gi/make/index.ts')).giBuilder,
  },
  {
    name: 'kdop',
    noun: 'a k-DOP tree',
    plural: 'k-DOP trees',
    extension: '.kdop',
    geometry: 2,
    sniff: blob('kdop'),
    options: { axes: 'both' },
    codec: async () => (await import('./kdop/format.ts')).kdopCodec,
    code: async () => (await import('./kdop/index.ts')).kdop,
    builder: async () => (await import('./kdop/make.ts')).kdopBuilder,
  },
  {
    name: 'obb',
    noun: 'an OBB tree',
    plural: 'OBB trees',
    extension: '.obb',
    geometry: 2,
    sniff: blob('obb'),
    options: {},
    codec: async () => (await import('./obb/format.ts')).obbCodec,
    code: async () => (await import('./obb/index.ts')).obb,
    builder: async () => (await import('./obb/make/index.ts')).obbBuilder,
  },
  {
    name: 'voxel',
    noun: 'cubes',
    plural: 'cubes',
    extension: '.voxel',
    geometry: 1,
    sniff: blob('voxl'),
    options: {},
    fixed: 'cubes of a grid have no vertices to move; build them again',
    codec: async () => (await import('./voxel/format.ts')).voxelCodec,
    code: async () => (await import('./voxel/index.ts')).voxel,
    builder: async () => (await import('./voxel/make/index.ts')).voxelBuilder,
  },
  {
    name: 'frep',
    noun: 'an F-rep',
    plural: 'F-reps',
    extension: '.frep',
    geometry: 1,
    sniff: blob('frep'),
    options: { resolution: 'one', search: 'both', subdivision: 'both', trials: 'both', time: 'one' },
    fixed: 'its surface has functions, not vertices; build its model again',
    codec: async () => (await import('./frep/format.ts')).frepCodec,
    code: async () => (await import('./frep/index.ts')).frep,
  },
];

type Mixture = (a: Asset, b: Asset) => PairKernel | undefined;

/** Kernels that answer for two kinds together. */
const MIXTURES = [
  {
    name: 'image-and-boxes',
    kinds: ['gi', 'obb'],
    code: async () => (await import('./image-and-boxes/kernel.ts')).kernelOfImageAndTree,
  },
];

const registered = new Map<string, Representation<Asset>>();
const mixtures = new Map<string, Mixture>();

/** Registers a kind's code, beside any parts already registered: pages may have only a part. */
export function register(code: Pick<AnyAsked, 'name'> & Partial<AnyAsked>): void {
  const known = registered.get(code.name);
  const all = known && known !== code ? { ...known, ...code, own: { ...known.own, ...code.own } } : code;
  registered.set(code.name, all as AnyRepresentation);
  code.engines?.();
}

/** False for a page that only has the parts that answers need. */
const isWhole = (name: string): boolean => registered.get(name)?.verify !== undefined;

export function registerMixture(name: 'image-and-boxes', mixture: Mixture): void {
  mixtures.set(name, mixture);
}

/** Loads kinds that are not registered (without names: all), and the kernels of two kinds. */
export async function loadKinds(...names: string[]): Promise<void> {
  const missing = KINDS.filter(({ name }) => (names.length === 0 || names.includes(name)) && !isWhole(name));
  for (const code of await Promise.all(missing.map((kind) => kind.code()))) register(code);
  const mixed = MIXTURES.filter(
    ({ name, kinds }) => !mixtures.has(name) && kinds.every((kind) => registered.has(kind)),
  );
  for (const { name, code } of mixed) mixtures.set(name, await code());
}

/** A kernel of two registered kinds that reads these two assets. */
export function kernelOfMixture(a: Asset, b: Asset): PairKernel | undefined {
  for (const mixture of mixtures.values()) {
    const kernel = mixture(a, b);
    if (kernel) return kernel;
  }
  return undefined;
}

/** Undefined if no kind has the name, or its code is not registered. */
export const representationNamed = (name: string): Representation<Asset> | undefined => registered.get(name);

/**
 * Returns the functions of the asset's kind.
 *
 * @param what name of the asset in the message
 * @throws OptionError if it is no asset
 * @example representationOf(bunny).verify(bunny).problems.length // 0: every bound is proved
 */
export function representationOf(asset: Asset, what = 'asset'): Representation<Asset> {
  const found = registered.get((asset as Asset | null | undefined)?.representation as string);
  if (!found) throw noAsset(asset, what);
  return found;
}

/** Returns the kind of an asset by its tag; throws OptionError if there is none. */
export function kindOf(asset: Asset): Kind {
  const kind = KINDS.find(({ name }) => name === (asset as Asset | null | undefined)?.representation);
  if (!kind) throw noAsset(asset);
  return kind;
}

/** Says what to do with other values of the library. */
function foundInstead(value: unknown): string {
  if (tagOf(value) === 'Promise') return 'a promise; await it';
  if (typeof value !== 'object' || value === null) return shown(value);
  if ('positions' in value && 'triangles' in value) return 'a mesh; build it first';
  return 'asset' in value && 'warnings' in value ? 'the result of read; pass its asset' : shown(value);
}

function noAsset(asset: Asset | null | undefined, what = 'asset'): OptionError {
  const tag: unknown = asset?.representation;
  const found = tag === undefined ? foundInstead(asset) : `a representation ${shown(tag)}`;
  return new OptionError(`${what}: expected an asset from build or read, found ${found}`);
}

export function kindNamed(name: string): Kind {
  const kind = KINDS.find((candidate) => candidate.name === name);
  if (!kind) throw new Error(`no kind is called ${name}`);
  return kind;
}

export const kindByExtension = (extension: string): Kind | undefined =>
  KINDS.find((kind) => kind.extension === extension);

export const sniffKind = (bytes: Uint8Array): Kind | undefined => KINDS.find((kind) => kind.sniff(bytes));

/** Throws FormatError if the bytes start like no kind's files. */
export function requireKind(bytes: Uint8Array): Kind {
  const kind = sniffKind(bytes);
  if (kind) return kind;
  const expected = 'a collision asset (a geometry image, a k-DOP tree, an OBB tree, cubes or an F-rep)';
  throw new FormatError({ byte: 0 }, expected, describeStart(bytes));
}

function describeStart(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty file';
  if (isPointer(bytes)) return A_POINTER;
  const shown = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `bytes ${shown}${bytes.length > 8 ? ' ...' : ''}`;
}

/** The names of the kinds that can be made from meshes. */
export const builtKinds = (): string[] => KINDS.flatMap(({ name, builder }) => (builder ? [name] : []));
