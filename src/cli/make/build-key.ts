/**
 * Describes everything that determines an asset, as one text: equal requests give equal bytes.
 * Headers of `gicollide build` store its digest, which is also the cache's key.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { readersOf } from '../../readers/formats.ts';
import { kindNamed } from '../../representations/kinds.ts';
import { TOOL } from '../../version.ts';
import type { BuildFlags } from './job.ts';

/** The own options of each format. A test compares them with those of the builders. */
const OWN_OPTIONS: Record<string, readonly (keyof BuildFlags)[]> = {
  gi: ['size', 'psnr', 'maxError', 'charts', 'spheres', 'fit', 'embedSource', 'compression', 'pages'],
  kdop: ['k', 'bits'],
  obb: ['nodeBytes'],
  voxel: ['precision', 'fill'],
  frep: [],
};

export const formatsWithOption = (option: string): string[] =>
  Object.keys(OWN_OPTIONS).filter((format) => (OWN_OPTIONS[format] as readonly string[]).includes(option));

export const ownFlags = (format: string, flags: BuildFlags): Partial<BuildFlags> =>
  Object.fromEntries(OWN_OPTIONS[format].flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])));

export interface RequestSource {
  /** The path of the file; its last part is stored in the asset. */
  name: string;
  sha256: string;
  /** The mesh format of its bytes; null for a model. */
  reader: string | null;
  files: readonly (readonly [path: string, sha256: string])[];
}

export interface RequestElement {
  name: string;
  index: number;
}

/** Revisions of a geometry, 'OBJ 1, obb 1', since it may change between two releases. */
export function geometryOf(reader: string | null, format: string): string {
  const readers = reader === null ? [] : [readersOf(reader)];
  return [...readers, `${format} ${kindNamed(format).geometry}`].join(', ');
}

export const readerIn = (geometry: string): string | null => /^(\w+) \d+, /.exec(geometry)?.[1] ?? null;

/** Returns 64 hexadecimal digits. The tool's version implies that of the format. */
export function requestDigest(
  format: string,
  flags: BuildFlags,
  { name, sha256, reader, files }: RequestSource,
  element?: RequestElement,
): string {
  const { split, units, scale, weld, chordTolerance, exclude } = flags;
  const own = Object.entries(ownFlags(format, flags)).sort(([a], [b]) => (a < b ? -1 : 1));
  const request = [
    ...['gicollide-request/2', TOOL, geometryOf(reader, format), format, own],
    ...[units ?? null, scale ?? 1, split === undefined ? null : [split, element?.name, element?.index]],
    ...[basename(name), sha256, files],
    ...(weld === undefined ? [] : [['weld', weld]]),
    ...(chordTolerance === undefined ? [] : [['chordTolerance', chordTolerance]]),
    ...(exclude === undefined ? [] : [['exclude', exclude]]),
  ];
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}

export const inHeader = (digest: string): string => digest.slice(0, 16);
