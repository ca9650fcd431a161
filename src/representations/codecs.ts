/** What reads and writes the files of each kind: all that `read` and `write` need of it. */
import type { AnyRepresentation } from './code.ts';
import { decodeFrep, encodeFrep } from './frep/format.ts';
import { decodeGeometryImage, encodeGeometryImage } from './gi/format/codec.ts';
import { decodeKdopTree, encodeKdopTree } from './kdop/format.ts';
import { decodeObbTree, encodeObbTree } from './obb/format/codec.ts';
import { decodeVoxels, encodeVoxels } from './voxel/format.ts';

export const CODECS: Record<string, Pick<AnyRepresentation, 'encode' | 'decode'>> = {
  gi: { encode: encodeGeometryImage, decode: decodeGeometryImage },
  kdop: { encode: encodeKdopTree, decode: decodeKdopTree },
  obb: { encode: encodeObbTree, decode: decodeObbTree },
  voxel: { encode: encodeVoxels, decode: decodeVoxels },
  frep: { encode: encodeFrep, decode: decodeFrep },
};
