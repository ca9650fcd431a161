/** Encodes cubes as a blob and decodes them; FORMAT.md describes the bytes. */

import { FormatError } from '../../base/errors.ts';
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../containers/blob.ts';
import type { PixelCodec } from '../../containers/pixels.ts';
import type { Codec, Decoded } from '../../engine/representation.ts';
import { type AssetHeader, readAssetHeader, requireField } from '../../engine/representation.ts';
import {
  type CubeSet,
  cubesOf,
  LARGEST_PRECISION,
  popcount,
  SMALLEST_PRECISION,
  type VoxelSet,
} from './tree/cube-set.ts';

const FORMAT_VERSION = 1;

interface HeaderJson extends AssetHeader {
  precision: number;
  bricks: number;
  cubes: number;
}

export const voxelCodec: Codec<VoxelSet> = { encode: encodeVoxels, decode: decodeVoxels };

export async function encodeVoxels(set: VoxelSet): Promise<Uint8Array> {
  const header: HeaderJson = {
    ...set.header,
    precision: set.precision,
    bricks: set.keys.length / 2,
    cubes: cubesOf(set),
  };
  return writeBlob('voxl', FORMAT_VERSION, header, [
    { name: 'keys', data: set.keys },
    { name: 'masks', data: set.masks },
  ]);
}

export async function decodeVoxels(
  bytes: Uint8Array,
  _codec?: PixelCodec,
  options?: ReadOptions,
): Promise<Decoded<VoxelSet>> {
  const blob = await readBlob(bytes, 'voxl', [FORMAT_VERSION], options);
  const { precision, bricks, cubes } = blob.header as Record<string, unknown>;
  const isLength = typeof precision === 'number' && precision >= SMALLEST_PRECISION && precision <= LARGEST_PRECISION;
  requireField(isLength, 'precision, a length,', precision);
  const isWhole = (x: unknown): x is number => Number.isInteger(x) && (x as number) >= 1;
  requireField(isWhole(bricks) && bricks <= 2 ** 27, 'bricks, a count,', bricks);
  requireField(isWhole(cubes), 'cubes, a count,', cubes);
  const set: VoxelSet = {
    representation: 'voxel',
    precision: precision as number,
    keys: sectionOf(blob, 'keys', 'u32', 2 * (bricks as number)),
    masks: sectionOf(blob, 'masks', 'u32', 2 * (bricks as number)),
    header: readAssetHeader(blob.header),
  };
  requireBricks(set, cubes as number);
  return { asset: set, warnings: [] };
}

/** Requires ascending Morton keys, no empty brick, and as many cubes as in the header. */
function requireBricks({ keys, masks }: CubeSet, cubes: number): void {
  let found = 0;
  for (let at = 0; at < keys.length; at += 2) {
    const brick = at / 2;
    if (keys[at] >= 2 ** 30 || keys[at + 1] >= 2 ** 30) {
      throw new FormatError(null, 'keys of 30 bits a word', `${keys[at + 1]} ${keys[at]} at brick ${brick}`);
    }
    if (at > 0 && (keys[at + 1] < keys[at - 1] || (keys[at + 1] === keys[at - 1] && keys[at] <= keys[at - 2]))) {
      throw new FormatError(null, 'ascending keys', `brick ${brick} not above the one before`);
    }
    const count = popcount(masks[at]) + popcount(masks[at + 1]);
    if (count === 0) throw new FormatError(null, 'cubes in every brick', `none in brick ${brick}`);
    found += count;
  }
  if (found !== cubes) throw new FormatError(null, `${cubes} cubes in the bricks`, `${found}`);
  if (found >= 2 ** 31) throw new FormatError(null, `fewer than 2^31 cubes`, `${found}`);
}
