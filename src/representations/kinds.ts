/**
 * The table of kinds: what is known of each without its code. A new kind is a folder, its line
 * here, and its name in code.ts and codecs.ts; what meshes can become has its name in
 * builder-code.ts, too.
 *
 * The tables stand apart since `read` and `write` need codecs alone, a tenth of all, and a page that
 * bundles them pays for no more. `check` answers at once, so the library knows all code.
 */
import { blobKind } from '../containers/blob.ts';
import { isTiff } from '../containers/tiff-directory.ts';

export interface Kind {
  /** The tag of its assets. */
  name: string;
  /** What an asset is, for messages, one and many of them. */
  noun: string;
  plural: string;
  /** File name ending, with the dot. */
  extension: string;
  /**
   * Raise it whenever its builder makes another surface or other bounds of some mesh or model: what
   * was built before is then stale (CONTRIBUTING.md, "When geometry changes").
   */
  geometry: number;
  /** Whether the bytes start as this kind's files do. */
  sniff(bytes: Uint8Array): boolean;
  /**
   * Options of `check` that are this kind's alone, and whether one asset or both must be of it: see
   * Representation.options.
   */
  options: Readonly<Record<string, 'one' | 'both'>>;
}

const blob = (kind: string) => (bytes: Uint8Array) => blobKind(bytes) === kind;

// biome-ignore format: a line a kind
export const KINDS: Kind[] = [
  { name: 'gi', noun: 'a geometry image', plural: 'geometry images', extension: '.tiff', geometry: 1, sniff: isTiff, options: { lod: 'one', maxError: 'one' } },
  { name: 'kdop', noun: 'a k-DOP tree', plural: 'k-DOP trees', extension: '.kdop', geometry: 1, sniff: blob('kdop'), options: { axes: 'both' } },
  { name: 'obb', noun: 'an OBB tree', plural: 'OBB trees', extension: '.obb', geometry: 1, sniff: blob('obb'), options: {} },
  { name: 'voxel', noun: 'cubes', plural: 'cubes', extension: '.voxel', geometry: 1, sniff: blob('voxl'), options: {} },
  { name: 'frep', noun: 'an F-rep', plural: 'F-reps', extension: '.frep', geometry: 1, sniff: blob('frep'), options: { resolution: 'one', subdivision: 'both', time: 'one' } },
];
