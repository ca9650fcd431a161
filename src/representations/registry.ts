/** The kinds whose code is loaded: in the library all of them, in the command line's bundle those that a command has asked for. */
import type { Asset, Representation } from '../query/representation.ts';
import { KINDS, type Kind } from './kinds.ts';

const loaded = new Map<string, Representation<Asset>>();

/** Loads kinds by their names; all of them without one. */
export async function loadKinds(...names: string[]): Promise<void> {
  const missing = KINDS.filter(({ name }) => (names.length === 0 || names.includes(name)) && !loaded.has(name));
  const found = await Promise.all(missing.map((kind) => kind.load()));
  for (const [i, { name }] of missing.entries()) loaded.set(name, found[i]);
}

/** Undefined where no kind has the name, or its code is not loaded. */
export function representationNamed(name: string): Representation<Asset> | undefined {
  const known = loaded.get(name);
  if (known) return known;
  const code = KINDS.find((kind) => kind.name === name)?.load();
  if (!code || code instanceof Promise) return undefined;
  loaded.set(name, code);
  return code;
}

export function representationOf(asset: Asset): Representation<Asset> {
  const found = representationNamed(asset.representation);
  if (!found) throw new Error(`no representation is called ${asset.representation}`);
  return found;
}

/** All that are loaded, in the table's order. */
export const loadedRepresentations = (): Representation<Asset>[] =>
  KINDS.flatMap(({ name }) => representationNamed(name) ?? []);

export function kindNamed(name: string): Kind {
  const kind = KINDS.find((candidate) => candidate.name === name);
  if (!kind) throw new Error(`no kind is called ${name}`);
  return kind;
}

/** The kind whose files start as these bytes do. */
export const sniffKind = (bytes: Uint8Array): Kind | undefined => KINDS.find((kind) => kind.sniff(bytes));

/** The kind whose files' names end so. */
export const kindByExtension = (extension: string): Kind | undefined =>
  KINDS.find((kind) => kind.extension === extension);
