/**
 * gicollide/gi where sharp cannot run: geometry images and nothing of the other kinds.
 */
import type { ReadOptions } from '../containers/blob.ts';
import { utifCodec } from '../containers/pixels-utif.ts';
import { requireBytes, requireMeshArrays, requireOptions } from '../math/require.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { CheckOptions } from '../pair/options.ts';
import { type Checker, check as checkTwo, prepare as prepareTwo } from '../pair/pair.ts';
import type { Report } from '../query/report.ts';
import type { Decoded, Verification } from '../query/representation.ts';
import { buildGeometryImage, type GiBuildOptions } from '../representations/gi/build/index.ts';
import { decodeGeometryImage, encodeGeometryImage, type GiEncodeOptions } from '../representations/gi/format/codec.ts';
import { gi } from '../representations/gi/index.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { verifyGeometryImage } from '../representations/gi/tree/verify.ts';
import { register } from '../representations/registry.ts';

export * from './common.ts';
export type { Checker, GeometryImage, GiBuildOptions, GiEncodeOptions };

/** Builds a geometry image of a mesh, as `build` of gicollide does. */
export function build(mesh: Mesh, options: GiBuildOptions = {}): GeometryImage {
  requireOptions(options);
  requireMeshArrays(mesh);
  return buildGeometryImage(mesh, options);
}

/** Decodes a file, as `read` of gicollide does. */
export async function read(bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<GeometryImage>> {
  requireBytes(bytes);
  return decodeGeometryImage(bytes, utifCodec, options);
}

/** Encodes a geometry image. */
export const write = (asset: GeometryImage, options?: GiEncodeOptions): Promise<Uint8Array> =>
  encodeGeometryImage(asset, utifCodec, options);

/** Two of them, ready for any number of poses, as `prepare` of gicollide answers. */
export function prepare(a: GeometryImage, b: GeometryImage): Checker {
  register(gi);
  return prepareTwo(a, b);
}

/** All that two of them can be asked, as `check` of gicollide answers it. */
export function check(a: GeometryImage, b: GeometryImage, options?: CheckOptions): Report {
  register(gi);
  return checkTwo(a, b, options);
}

/** Proves that every bound contains what it bounds. */
export const verify = (asset: GeometryImage): Verification => verifyGeometryImage(asset);
