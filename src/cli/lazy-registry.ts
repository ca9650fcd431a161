/**
 * representations/registry.ts for a program that runs once: the same functions, over the representations that were loaded.
 *
 * A library answers at once, so it has to have all of them; together they take longer to parse than Node to start. In the program's bundle
 * (scripts/bundle-program.mjs) this module stands for the registry, and commands load what they are about to meet. Where the program runs
 * unbundled, `check` and its like see the registry, and loading here is of no consequence.
 */
import { blobKind } from '../containers/blob.ts';
import { isTiff } from '../containers/tiff-directory.ts';
import type { Asset, Representation } from '../query/representation.ts';

const KINDS: Record<
  string,
  { extension: string; sniff: (bytes: Uint8Array) => boolean; load: () => Promise<unknown> }
> = {
  gi: {
    extension: '.tiff',
    sniff: isTiff,
    load: async () => (await import('../representations/gi/index.ts')).gi,
  },
  kdop: {
    extension: '.kdop',
    sniff: (bytes) => blobKind(bytes) === 'kdop',
    load: async () => (await import('../representations/kdop/index.ts')).kdop,
  },
  obb: {
    extension: '.obb',
    sniff: (bytes) => blobKind(bytes) === 'obb',
    load: async () => (await import('../representations/obb/index.ts')).obb,
  },
  voxel: {
    extension: '.voxel',
    sniff: (bytes) => blobKind(bytes) === 'voxl',
    load: async () => (await import('../representations/voxel/index.ts')).voxel,
  },
  frep: {
    extension: '.frep',
    sniff: (bytes) => blobKind(bytes) === 'frep',
    load: async () => (await import('../representations/frep/index.ts')).frep,
  },
};

const NAMES = Object.keys(KINDS);
const loaded = new Map<string, Representation<Asset>>();

/** Those that are loaded, in the registry's order. */
export const representations: readonly Representation<Asset>[] = [];

/** Loads representations by their names; all of them without one. */
export async function loadRepresentations(...names: string[]): Promise<void> {
  const missing = (names.length > 0 ? names : NAMES).filter((name) => name in KINDS && !loaded.has(name));
  if (missing.length === 0) return;
  const found = await Promise.all(missing.map((name) => KINDS[name].load()));
  for (const [i, name] of missing.entries()) loaded.set(name, found[i] as Representation<Asset>);
  const all = NAMES.flatMap((name) => loaded.get(name) ?? []);
  (representations as Representation<Asset>[]).splice(0, representations.length, ...all);
}

/** The name of the representation whose files end so, or undefined. */
export const nameByExtension = (extension: string): string | undefined =>
  NAMES.find((name) => KINDS[name].extension === extension);

/** Loads the representation whose files start as these bytes do, where there is one. */
export async function loadSniffed(bytes: Uint8Array): Promise<Representation<Asset> | undefined> {
  const name = NAMES.find((kind) => KINDS[kind].sniff(bytes));
  if (name === undefined) return undefined;
  await loadRepresentations(name);
  return loaded.get(name);
}

// What representations/registry.ts exports, under its names.

export function representationNamed(name: string): Representation<Asset> | undefined {
  return loaded.get(name);
}

export function representationOf(asset: Asset): Representation<Asset> {
  const found = representationNamed(asset.representation);
  if (!found) throw new Error(`no representation is called ${asset.representation}`);
  return found;
}

export function sniff(bytes: Uint8Array): Representation<Asset> | undefined {
  return representations.find((representation) => representation.sniff(bytes));
}
