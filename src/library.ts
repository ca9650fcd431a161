/** Converts bytes to assets and back with a given image codec. index.ts documents the functions. */

import { requireBytes, requireOptionTypes, requireThat } from './base/require.ts';
import { openImageOf } from './complete.ts';
import type { ReadOptions } from './containers/blob.ts';
import type { ByteSource } from './containers/byte-source.ts';
import type { PixelCodec } from './containers/pixels.ts';
import type { Asset, Decoded } from './engine/representation.ts';
import { frepCodec } from './representations/frep/format.ts';
import { type GiEncodeOptions, giCodec } from './representations/gi/format/codec.ts';
import { kdopCodec } from './representations/kdop/format.ts';
import { type AnyCodec, kindOf, requireKind } from './representations/kinds.ts';
import { obbCodec } from './representations/obb/format.ts';
import type { OpenImage, OpenImageOptions } from './representations/opened.ts';
import { voxelCodec } from './representations/voxel/format.ts';

/** The codec of each kind: reads and writes its files, for `read` and `write`. */
export const CODECS: Record<string, AnyCodec> = {
  gi: giCodec,
  kdop: kdopCodec,
  obb: obbCodec,
  voxel: voxelCodec,
  frep: frepCodec,
};

export const readBy = async (
  codec: PixelCodec,
  bytes: Uint8Array,
  options: ReadOptions = {},
): Promise<Decoded<Asset>> => {
  requireBytes(bytes);
  requireOptionTypes(options, { take: 'boolean', bounds: 'string' });
  const { bounds } = options;
  requireThat(bounds === undefined || bounds === 'spheres', 'bounds', '"spheres"', bounds);
  return CODECS[requireKind(bytes).name].decode(bytes, codec, options);
};

export const writeBy = async (codec: PixelCodec, asset: Asset, options: GiEncodeOptions = {}): Promise<Uint8Array> =>
  CODECS[kindOf(asset).name].encode(asset, codec, optionsOf(options));

function optionsOf(options: GiEncodeOptions): GiEncodeOptions {
  requireOptionTypes(options, { compression: 'string', pages: 'any' });
  return options;
}

/**
 * Creates `read`, `write` and `openImage` for one codec: sharp's, utif's, or your own.
 *
 * @example const { read, write } = createLibrary(utifCodec);
 *          (await read(await write(bunny))).asset.representation // 'obb'
 */
export function createLibrary(codec: PixelCodec) {
  const isCodec = typeof codec?.encode === 'function' && typeof codec.decode === 'function';
  requireThat(isCodec, 'codec', 'an encode and a decode function', codec);
  return {
    read: (bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<Asset>> => readBy(codec, bytes, options),
    write: (asset: Asset, options?: GiEncodeOptions): Promise<Uint8Array> => writeBy(codec, asset, options),
    openImage: (source: ByteSource, options?: OpenImageOptions): Promise<OpenImage> =>
      openImageOf(codec, source, options),
  };
}
