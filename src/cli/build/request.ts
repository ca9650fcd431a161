/**
 * What makes an asset, in one text: whoever builds of the same request gets the same bytes. Its
 * digest stands in the header of what `gicollide build` writes, and is the key of the cache.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { readersOf } from '../../readers/formats.ts';
import { kindNamed } from '../../representations/kinds.ts';
import { TOOL } from '../../version.ts';
import type { BuildFlags } from './job.ts';

/** The options that each format has of its own. A test holds them to those of the builders. */
const OWN_OPTIONS: Record<string, readonly (keyof BuildFlags)[]> = {
  gi: ['size', 'psnr', 'maxError', 'charts', 'spheres', 'fit', 'embedSource', 'compression', 'pages'],
  kdop: ['k', 'bits'],
  obb: ['nodeBytes'],
  voxel: ['precision', 'fill'],
  frep: [],
};

/** The formats that an option is of. */
export const formatsWithOption = (option: string): string[] =>
  Object.keys(OWN_OPTIONS).filter((format) => (OWN_OPTIONS[format] as readonly string[]).includes(option));

/** Those of the flags that are options of this format, by their names in the library. */
export const ownFlags = (format: string, flags: BuildFlags): Partial<BuildFlags> =>
  Object.fromEntries(OWN_OPTIONS[format].flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])));

/** What is built of. */
export interface RequestSource {
  /** The path of the file; its last part goes into the asset. */
  name: string;
  sha256: string;
  /** The mesh format that its bytes are of; null of a model. */
  reader: string | null;
  /** The files that this one names, as it names them, and their digests. */
  files: readonly (readonly [path: string, sha256: string])[];
}

/** A part of a file, and which of those it is. */
export interface RequestElement {
  name: string;
  index: number;
}

/**
 * The revisions of the code that makes the geometry of an asset: 'OBJ 1, obb 1'. The version alone
 * does not tell, since geometry may change between two releases.
 */
export function geometryOf(reader: string | null, format: string): string {
  const readers = reader === null ? [] : [readersOf(reader)];
  return [...readers, `${format} ${kindNamed(format).geometry}`].join(', ');
}

/** The reader that such a text begins with; null of a model. */
export const readerIn = (geometry: string): string | null => /^(\w+) \d+, /.exec(geometry)?.[1] ?? null;

/**
 * The digest of a request, 64 hexadecimal digits. The version of the format is the tool's, whose
 * writers write the newest alone.
 */
export function requestDigest(
  format: string,
  flags: BuildFlags,
  { name, sha256, reader, files }: RequestSource,
  element?: RequestElement,
): string {
  const { split, units, scale } = flags;
  const own = Object.entries(ownFlags(format, flags)).sort(([a], [b]) => (a < b ? -1 : 1));
  const request = [
    ...['gicollide-request/2', TOOL, geometryOf(reader, format), format, own],
    ...[units ?? null, scale ?? 1, split === undefined ? null : [split, element?.name, element?.index]],
    ...[basename(name), sha256, files],
  ];
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}

/** As much of a request's digest as a header holds. */
export const inHeader = (digest: string): string => digest.slice(0, 16);
