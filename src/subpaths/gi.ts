/** gicollide/gi in Node: geometry images only. */

import { requireBytes } from '../base/require.ts';
import type { ReadOptions } from '../containers/blob.ts';
import { nodeCodec } from '../containers/pixels-node.ts';
import type { Decoded } from '../engine/representation.ts';
import { decodeGeometryImage, encodeGeometryImage, type GiEncodeOptions } from '../representations/gi/format/codec.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';

export * from './gi-common.ts';

/** Decodes a file, like `read` of gicollide. */
export async function read(bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<GeometryImage>> {
  requireBytes(bytes);
  return decodeGeometryImage(bytes, nodeCodec, options);
}

/** Encodes a geometry image. */
export const write = (asset: GeometryImage, options?: GiEncodeOptions): Promise<Uint8Array> =>
  encodeGeometryImage(asset, nodeCodec, options);
