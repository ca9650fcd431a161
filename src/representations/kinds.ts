/**
 * The one table of kinds: what is known of each without its code, and its code. A new kind is a folder, and its import and line here.
 *
 * The library takes the code along with the table, since `build` and `check` answer at once. In the command line's bundle the same
 * table loads the code when it is needed (scripts/bundle-program.mjs rewrites `load`): all kinds take longer to parse than Node to start.
 */
import { blobKind } from '../containers/blob.ts';
import { isTiff } from '../containers/tiff-directory.ts';
import type { Representation } from '../query/representation.ts';
import { frep } from './frep/index.ts';
import { gi } from './gi/index.ts';
import { kdop } from './kdop/index.ts';
import { obb } from './obb/index.ts';
import { voxel } from './voxel/index.ts';

export interface Kind {
  /** The tag of its assets. */
  name: string;
  /** What an asset is, for messages, one and many of them. */
  noun: string;
  plural: string;
  /** File name ending, with the dot. */
  extension: string;
  /** Whether the bytes start as this kind's files do. */
  sniff(bytes: Uint8Array): boolean;
  /** Options of `check` that are this kind's alone, and whether one asset or both must be of it: see Representation.options. */
  options: Readonly<Record<string, 'one' | 'both'>>;
  load(): AnyRepresentation | Promise<AnyRepresentation>;
}

/** The code of whatever kind: whoever calls it hands it assets that bear its name. */
// biome-ignore lint/suspicious/noExplicitAny: functions of one kind's assets are no functions of all
type AnyRepresentation = Representation<any>;

const blob = (kind: string) => (bytes: Uint8Array) => blobKind(bytes) === kind;

// biome-ignore format: a line a kind
export const KINDS: Kind[] = [
  { name: 'gi', noun: 'a geometry image', plural: 'geometry images', extension: '.tiff', sniff: isTiff, options: { lod: 'one' }, load: () => gi },
  { name: 'kdop', noun: 'a k-DOP tree', plural: 'k-DOP trees', extension: '.kdop', sniff: blob('kdop'), options: { axes: 'both' }, load: () => kdop },
  { name: 'obb', noun: 'an OBB tree', plural: 'OBB trees', extension: '.obb', sniff: blob('obb'), options: {}, load: () => obb },
  { name: 'voxel', noun: 'cubes', plural: 'cubes', extension: '.voxel', sniff: blob('voxl'), options: {}, load: () => voxel },
  { name: 'frep', noun: 'an F-rep', plural: 'F-reps', extension: '.frep', sniff: blob('frep'), options: { resolution: 'one', subdivision: 'both' }, load: () => frep },
];
