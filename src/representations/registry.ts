/**
 * The kinds whose code is known: in the library all of them; in the command line's bundle those
 * that a command has asked for (loading.ts), and beneath gicollide/obb and its like the one kind.
 */
import { FormatError, OptionError } from '../math/errors.ts';
import { shown } from '../math/require.ts';
import type { Asset, Representation } from '../query/representation.ts';
import { type AnyRepresentation, CODE } from './code.ts';
import { KINDS, type Kind } from './kinds.ts';

const loaded = new Map<string, Representation<Asset>>();

/** Makes a kind's code known. */
export function register(code: AnyRepresentation): void {
  loaded.set(code.name, code);
}

export const isRegistered = (name: string): boolean => loaded.has(name);

/** Undefined where no kind has the name, or its code is not loaded. */
export function representationNamed(name: string): Representation<Asset> | undefined {
  const known = loaded.get(name);
  if (known) return known;
  const code = KINDS.some((kind) => kind.name === name) ? CODE[name]?.() : undefined;
  if (!code || code instanceof Promise) return undefined;
  loaded.set(name, code);
  return code;
}

/**
 * The functions of the asset's kind.
 *
 * @param what what the message calls the asset
 * @throws OptionError for what is no asset
 * @example representationOf(bunny).verify(bunny).problems.length // 0: every bound is proved
 */
export function representationOf(asset: Asset, what = 'asset'): Representation<Asset> {
  const found = representationNamed((asset as Asset | null | undefined)?.representation as string);
  if (!found) throw noAsset(asset, what);
  return found;
}

/** All that are loaded, in the table's order. */
export const loadedRepresentations = (): Representation<Asset>[] =>
  KINDS.flatMap(({ name }) => representationNamed(name) ?? []);

/**
 * The kind of an asset, by its tag.
 *
 * @throws OptionError for what is no asset
 */
export function kindOf(asset: Asset): Kind {
  const kind = KINDS.find(({ name }) => name === (asset as Asset | null | undefined)?.representation);
  if (!kind) throw noAsset(asset);
  return kind;
}

function noAsset(asset: Asset | null | undefined, what = 'asset'): OptionError {
  const tag: unknown = asset?.representation;
  const found = tag === undefined ? shown(asset) : `a representation ${shown(tag)}`;
  return new OptionError(`${what}: expected what build and read give, found ${found}`);
}

export function kindNamed(name: string): Kind {
  const kind = KINDS.find((candidate) => candidate.name === name);
  if (!kind) throw new Error(`no kind is called ${name}`);
  return kind;
}

/** The kind whose files start as these bytes do. */
export const sniffKind = (bytes: Uint8Array): Kind | undefined => KINDS.find((kind) => kind.sniff(bytes));

/**
 * The same, where there must be one.
 *
 * @throws FormatError
 */
export function requireKind(bytes: Uint8Array): Kind {
  const kind = sniffKind(bytes);
  if (kind) return kind;
  const expected = 'a collision asset (a geometry image, a k-DOP tree, an OBB tree, cubes or an F-rep)';
  throw new FormatError({ byte: 0 }, expected, describeStart(bytes));
}

function describeStart(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty file';
  const shown = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `bytes ${shown}${bytes.length > 8 ? ' ...' : ''}`;
}

/** The kind whose files' names end so. */
export const kindByExtension = (extension: string): Kind | undefined =>
  KINDS.find((kind) => kind.extension === extension);
