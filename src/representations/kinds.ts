/**
 * The one table of kinds: what is known of each, what reads and writes its files, and its code. A
 * new kind is a folder, and here its line in KINDS and its name in CODE; what meshes can become has
 * its name in builders.ts, too.
 *
 * The two stand apart since `read` and `write` need KINDS alone, a tenth of all, and a page that
 * bundles them pays for no more. `check` answers at once, so it takes CODE along. In the command
 * line's bundle (scripts/bundle-program.mjs) CODE is loaded when it is needed: all kinds take
 * longer to parse than Node to start.
 */
import { blobKind } from '../containers/blob.ts';
import { isTiff } from '../containers/tiff-directory.ts';
import type { Representation } from '../query/representation.ts';
import { decodeFrep, encodeFrep } from './frep/format.ts';
import { frep } from './frep/index.ts';
import { decodeGeometryImage, encodeGeometryImage } from './gi/format/codec.ts';
import { gi } from './gi/index.ts';
import { decodeKdopTree, encodeKdopTree } from './kdop/format.ts';
import { kdop } from './kdop/index.ts';
import { decodeObbTree, encodeObbTree } from './obb/format/codec.ts';
import { obb } from './obb/index.ts';
import { decodeVoxels, encodeVoxels } from './voxel/format.ts';
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
  /**
   * Options of `check` that are this kind's alone, and whether one asset or both must be of it: see
   * Representation.options.
   */
  options: Readonly<Record<string, 'one' | 'both'>>;
  format: Pick<AnyRepresentation, 'encode' | 'decode'>;
}

/** The code of whatever kind: whoever calls it hands it assets that bear its name. */
// biome-ignore lint/suspicious/noExplicitAny: functions of one kind's assets are no functions of all
type AnyRepresentation = Representation<any>;

const blob = (kind: string) => (bytes: Uint8Array) => blobKind(bytes) === kind;

// biome-ignore format: a line a kind
export const KINDS: Kind[] = [
  { name: 'gi', noun: 'a geometry image', plural: 'geometry images', extension: '.tiff', sniff: isTiff, options: { lod: 'one', maxError: 'one' }, format: { encode: encodeGeometryImage, decode: decodeGeometryImage } },
  { name: 'kdop', noun: 'a k-DOP tree', plural: 'k-DOP trees', extension: '.kdop', sniff: blob('kdop'), options: { axes: 'both' }, format: { encode: encodeKdopTree, decode: decodeKdopTree } },
  { name: 'obb', noun: 'an OBB tree', plural: 'OBB trees', extension: '.obb', sniff: blob('obb'), options: {}, format: { encode: encodeObbTree, decode: decodeObbTree } },
  { name: 'voxel', noun: 'cubes', plural: 'cubes', extension: '.voxel', sniff: blob('voxl'), options: {}, format: { encode: encodeVoxels, decode: decodeVoxels } },
  { name: 'frep', noun: 'an F-rep', plural: 'F-reps', extension: '.frep', sniff: blob('frep'), options: { resolution: 'one', subdivision: 'both', time: 'one' }, format: { encode: encodeFrep, decode: decodeFrep } },
];

/** The code of each by its name: at once, or a promise of it. */
export const CODE: Record<string, () => AnyRepresentation | Promise<AnyRepresentation>> = {
  gi: () => gi,
  kdop: () => kdop,
  obb: () => obb,
  voxel: () => voxel,
  frep: () => frep,
};
